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
 * direction, and the answer need not wait for it. So after some turns in a row an
 * ACK waits, for a tick or two: the timer is one of the wheel, as each one of the
 * exact kind costs more than the packet that it saves. When it had to wait in vain
 * it is over, and it takes twice as many turns to begin again: who pauses every so
 * often is not slowed down every time.
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
/* Turns in a row until an ACK may wait: at first, and after many disappointments. */
#define LAZY_TURNS	3
#define LAZY_TURNS_MAX	192
/* A run of turns that makes up for an end in vain. */
#define LAZY_RUN	1024
/* How long, in jiffies: at least one whole tick. */
#define LAZY_WAIT	2

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

/* See rxtcp_life_arm(). */
void rxtcp_life_start(struct rxtcp_conn *tc)
{
	struct rxtcp_life *life = &tc->life;

	WRITE_ONCE(life->since, jiffies);
	queue_delayed_work(rxtcp_wq, &life->tick, look_after(tc));
}

/**
 * rxtcp_life_met - the peer's host answers: its QP gets the whole time
 * @tc: connection not UP yet; caller holds tc->lock
 *
 * A host may take its time to connect many QPs at once. Only the first answer counts:
 * a host that goes on to say no has to be given up.
 */
void rxtcp_life_met(struct rxtcp_conn *tc)
{
	lockdep_assert_held(&tc->lock);
	if (tc->life.met)
		return;
	tc->life.met = true;
	WRITE_ONCE(tc->life.since, jiffies);
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

/* Send a lazy ACK alone, if it has waited long enough. */
static void ack_overdue(struct rxtcp_conn *tc)
{
	struct rxtcp_rx *rx = &tc->rx;

	if (!rx->ack_due || !rx->lazy)
		return;
	if (time_before(jiffies, rx->turn_at + LAZY_WAIT)) {
		mod_timer(&tc->life.ack_timer, rx->turn_at + LAZY_WAIT);
		return;
	}
	rx->lazy = false;
	rx->lazy_turns = rx->turns < LAZY_RUN ?
			 min(rx->lazy_turns * 2, LAZY_TURNS_MAX) : LAZY_TURNS;
	rx->turns = 0;
	rxt_tx_ready(&tc->conn, RXT_TX_INLINE);
}

static void ack_timer(struct timer_list *t)
{
	struct rxtcp_conn *tc = from_timer(tc, t, life.ack_timer);
	struct sock *sk = rxtcp_sk_get(tc);

	if (!sk)
		return;

	bh_lock_sock(sk);
	/* Someone is at it, and may well send. */
	if (sock_owned_by_user(sk))
		mod_timer(&tc->life.ack_timer, jiffies + 1);
	else if (rcu_access_pointer(tc->sk) == sk)
		ack_overdue(tc);
	bh_unlock_sock(sk);
	sock_put(sk);
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
	rx->turn_at = jiffies;
	if (rx->turns < rx->lazy_turns)
		return false;
	if (!timer_pending(&tc->life.ack_timer))
		mod_timer(&tc->life.ack_timer, jiffies + LAZY_WAIT);
	return true;
}

/* A request of ours follows requests of the peer. Socket locked. */
void rxtcp_ack_turn(struct rxtcp_conn *tc)
{
	struct rxtcp_rx *rx = &tc->rx;

	rx->turn = false;
	/* A pause is no turn. */
	if (time_after_eq(jiffies, rx->turn_at + LAZY_WAIT))
		rx->turns = 0;
	else if (rx->turns < LAZY_RUN)
		rx->turns++;
}

/* Nothing is known of the peer's habits. */
void rxtcp_ack_reset(struct rxtcp_conn *tc)
{
	tc->rx.lazy_turns = LAZY_TURNS;
}

void rxtcp_life_init(struct rxtcp_conn *tc)
{
	INIT_DELAYED_WORK(&tc->life.tick, life_work);
	timer_setup(&tc->life.ack_timer, ack_timer, 0);
}

/* Process context, not with the socket locked. The connection is IDLE. */
void rxtcp_life_stop(struct rxtcp_conn *tc)
{
	cancel_delayed_work_sync(&tc->life.tick);
	del_timer_sync(&tc->life.ack_timer);
}

/* Not armed any more, and nothing known of the peer. */
void rxtcp_life_reset(struct rxtcp_conn *tc)
{
	tc->life.wanted = false;
	tc->life.met = false;
	tc->life.nomem = false;
	tc->life.rx_seen = 0;
}
