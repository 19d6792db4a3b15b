// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: is the peer still there? And may an ACK wait?
 *
 * What lives here: the work that looks every so often while something is
 * outstanding, and the timer of lazy ACKs. What may not: RNR timers (the core's),
 * retransmission (TCP's).
 *
 * Life
 *
 * TCP would try for a quarter of an hour. The attributes timeout and retry_cnt
 * say how long a requester waits: (retry_cnt + 1) tries, each of which may take
 * up to four times 4.096 us * 2^timeout (IBTA 9.7.6.1.3). A peer that sends
 * nothing at all in this time is lost. On the way there we see to it that it has
 * reason to send something: TCP's retransmission backs off too far for that.
 *
 * Lazy ACKs
 *
 * Where each side answers the other's request with one of its own (ping-pong), the
 * ACK travels with that one, if it only waits for it: a packet less in each
 * direction, and the answer need not wait for it. So after a few turns in a row an
 * ACK waits, but never longer than the timer. Once it had to, it is over with that.
 */
#include <net/tcp.h>
#include "tcp.h"

/* Below this TCP itself could not tell a lost packet from a lost peer. */
#define LIMIT_MIN	HZ
#define LIMIT_MAX	(7UL * 24 * 3600 * HZ)
/* Looks within the limit. */
#define LOOKS		8
#define LOOK_MAX	(5 * HZ)
#define NOMEM_DELAY	(HZ / 250 ?: 1)
/* Turns in a row until an ACK may wait, and how long. */
#define LAZY_TURNS	3
#define LAZY_NS		(100 * NSEC_PER_USEC)

/**
 * rxtcp_life_limit - how long a silent peer is waited for
 * @timeout: IBTA exponent, 0 for ever
 * @retry_cnt: retries
 *
 * Return: jiffies, 0 for ever.
 */
unsigned long rxtcp_life_limit(u8 timeout, u8 retry_cnt)
{
	u64 ns;

	if (!timeout)
		return 0;
	ns = (4096ULL << (timeout & 0x1f)) * 4 * (retry_cnt + 1);
	return clamp_t(u64, nsecs_to_jiffies64(ns), LIMIT_MIN, LIMIT_MAX);
}

static unsigned long look_after(const struct rxtcp_conn *tc)
{
	return clamp_t(unsigned long, READ_ONCE(tc->life.limit) / LOOKS, 1, LOOK_MAX);
}

/* Something is outstanding from now on. Any context but hardirq. */
void rxtcp_life_arm(struct rxtcp_conn *tc)
{
	struct rxtcp_life *life = &tc->life;

	if (!READ_ONCE(life->limit) || delayed_work_pending(&life->tick))
		return;
	WRITE_ONCE(life->since, jiffies);
	queue_delayed_work(rxtcp_wq, &life->tick, look_after(tc));
}

/* Memory was short with bytes in the stage: go on in a moment. */
void rxtcp_life_retry_soon(struct rxtcp_conn *tc)
{
	WRITE_ONCE(tc->life.nomem, true);
	mod_delayed_work(rxtcp_wq, &tc->life.tick, NOMEM_DELAY);
}

static bool outstanding(const struct rxtcp_conn *tc)
{
	return tc->tx.top_id != tc->tx.acked || tc->rx.refused ||
	       rxtcp_id_after(tc->tx.rd_id, tc->tx.rd_done);
}

/* Give the peer reason to send something. Returns whether the engine must run. */
static bool provoke(struct rxtcp_conn *tc, struct sock *sk)
{
	if (tcp_sk(sk)->packets_out) {
		if (inet_csk(sk)->icsk_pending == ICSK_TIME_RETRANS)
			inet_csk_reset_xmit_timer(sk, ICSK_TIME_RETRANS, 1,
						  TCP_RTO_MAX);
		return false;
	}
	/* All is acknowledged by its TCP, which would stay silent. */
	tc->rx.ack_due = true;
	tc->rx.lazy = false;
	return true;
}

enum look {
	LOOK_DONE,	/* nothing is outstanding */
	LOOK_AGAIN,
	LOOK_LOST,
};

static bool expired(const struct rxtcp_life *life)
{
	unsigned long limit = READ_ONCE(life->limit);

	return limit && time_after(jiffies, READ_ONCE(life->since) + limit);
}

/* Socket locked. */
static enum look look_up(struct rxtcp_conn *tc, struct sock *sk, bool *kick)
{
	struct rxtcp_life *life = &tc->life;
	u32 seen = tcp_sk(sk)->segs_in;

	if (!outstanding(tc))
		return LOOK_DONE;
	if (seen != life->rx_seen) {
		life->rx_seen = seen;
		WRITE_ONCE(life->since, jiffies);
		return LOOK_AGAIN;
	}
	if (expired(life))
		return LOOK_LOST;
	*kick |= provoke(tc, sk);
	return LOOK_AGAIN;
}

static void life_work(struct work_struct *work)
{
	struct rxtcp_conn *tc = container_of(work, struct rxtcp_conn,
					     life.tick.work);
	struct rxtcp_life *life = &tc->life;
	bool kick = xchg(&life->nomem, false);
	enum look look = LOOK_DONE;
	struct sock *sk;

	sk = rxtcp_lock_sk(tc);
	if (sk) {
		look = look_up(tc, sk, &kick);
		release_sock(sk);
		sock_put(sk);
	} else if (READ_ONCE(life->wanted)) {
		look = expired(life) ? LOOK_LOST : LOOK_AGAIN;
	}

	if (look == LOOK_LOST) {
		rxtcp_conn_give_up(tc);
		return;
	}
	if (look == LOOK_AGAIN && READ_ONCE(life->limit))
		queue_delayed_work(rxtcp_wq, &life->tick, look_after(tc));
	if (kick)
		rxt_tx_ready(&tc->conn, RXT_TX_DEFER);
}

/* A lazy ACK is still there: send it alone. */
static enum hrtimer_restart ack_timer(struct hrtimer *t)
{
	struct rxtcp_conn *tc = container_of(t, struct rxtcp_conn, life.ack_timer);
	enum hrtimer_restart ret = HRTIMER_NORESTART;
	struct sock *sk;

	rcu_read_lock();
	sk = rcu_dereference(tc->sk);
	if (sk && !refcount_inc_not_zero(&sk->sk_refcnt))
		sk = NULL;
	rcu_read_unlock();
	if (!sk)
		return HRTIMER_NORESTART;

	bh_lock_sock(sk);
	if (sock_owned_by_user(sk)) {
		/* Someone is at it, and may well send. */
		hrtimer_forward_now(t, ns_to_ktime(LAZY_NS / 4));
		ret = HRTIMER_RESTART;
	} else if (rcu_access_pointer(tc->sk) == sk && tc->rx.ack_due &&
		   tc->rx.lazy) {
		tc->rx.lazy = false;
		tc->rx.turns = 0;
		rxt_tx_ready(&tc->conn, RXT_TX_INLINE);
	}
	bh_unlock_sock(sk);
	sock_put(sk);
	return ret;
}

/**
 * rxtcp_ack_may_wait - requests were accepted: may the ACK wait?
 * @tc: connection, socket locked
 *
 * Return: true: it goes with the next frame, or alone when the timer says so.
 */
bool rxtcp_ack_may_wait(struct rxtcp_conn *tc)
{
	struct rxtcp_rx *rx = &tc->rx;

	if (rx->turn)
		rx->turns = 0;
	rx->turn = true;
	if (rx->turns < LAZY_TURNS)
		return false;
	if (!hrtimer_is_queued(&tc->life.ack_timer))
		hrtimer_start(&tc->life.ack_timer, ns_to_ktime(LAZY_NS),
			      HRTIMER_MODE_REL_SOFT);
	return true;
}

/* A request of ours follows requests of the peer. Socket locked. */
void rxtcp_ack_turn(struct rxtcp_conn *tc)
{
	struct rxtcp_rx *rx = &tc->rx;

	rx->turn = false;
	if (rx->turns < LAZY_TURNS)
		rx->turns++;
}

void rxtcp_life_init(struct rxtcp_conn *tc)
{
	INIT_DELAYED_WORK(&tc->life.tick, life_work);
	hrtimer_init(&tc->life.ack_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	tc->life.ack_timer.function = ack_timer;
}

/* Process context, not with the socket locked. The connection is IDLE. */
void rxtcp_life_stop(struct rxtcp_conn *tc)
{
	cancel_delayed_work_sync(&tc->life.tick);
	hrtimer_cancel(&tc->life.ack_timer);
}

/* Not armed any more, and nothing known of the peer. */
void rxtcp_life_reset(struct rxtcp_conn *tc)
{
	tc->life.wanted = false;
	tc->life.nomem = false;
	tc->life.rx_seen = 0;
}
