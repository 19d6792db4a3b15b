// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: a connection from RTR to its end.
 *
 * What lives here: who connects, the hellos of the side that does, retries, the
 * switch to frames, loss and teardown. What may not: accepting (tcp_net.c),
 * frames.
 *
 *            RTR, we connect        RTR, the peer connects
 *   IDLE ----------------> SYN      IDLE ------> WAIT <------+
 *                          | ^ |                  | hello    | closed
 *            connected     v | refused, closed    v          |
 *                        HELLO                  CONFIRM -----+
 *                          | hello back           | first frame
 *                          v                      v
 *                          UP  <----------------> UP     -> LOST
 *   conn_stop leads from everywhere to IDLE.
 *
 * The side that connects sends an ACK frame as soon as it is UP: only with it the
 * other side is too, so a try that was given up half way harms nobody.
 *
 * State changes CONFIRM -> UP -> LOST happen in socket callbacks under the socket
 * lock; all others under rxtcp_conn.lock, and the socket lock where there is one.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/etherdevice.h>
#include <linux/in.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include "tcp.h"

#define BACKOFF_MIN	20	/* ms between tries to connect */
#define BACKOFF_MAX	500
#define TRY_TIME	(4 * HZ)	/* until connected */
#define HELLO_TIME	(8 * HZ)	/* until answered: longer than parking */

static void conn_callback(struct sock *sk)
{
	struct rxtcp_conn *tc = rxtcp_sk_user(sk);

	if (tc)
		mod_delayed_work(rxtcp_wq, &tc->work, 0);
}

/* The socket belongs to nobody from here on. Caller holds tc->lock; unless
 * @graceful the peer gets a reset and nothing more of what was queued.
 */
static void conn_drop_sock(struct rxtcp_conn *tc, bool graceful)
{
	struct socket *sock = tc->sock;
	struct sock *sk;

	lockdep_assert_held(&tc->lock);
	if (!sock)
		return;
	sk = sock->sk;
	lock_sock(sk);
	rxtcp_sock_callbacks(sk, NULL, NULL, NULL, NULL);
	RCU_INIT_POINTER(tc->sk, NULL);
	release_sock(sk);
	tc->sock = NULL;
	if (graceful) {
		rxtcp_net_linger(tc->net, sock);
		return;
	}
	sock_no_linger(sk);
	sock_release(sock);
}

/* Frames may flow: RX from here on in the callbacks. Caller holds tc->lock. */
static void conn_frames(struct rxtcp_conn *tc, enum rxtcp_state state, u32 max_seg)
{
	struct sock *sk = tc->sock->sk;

	lockdep_assert_held(&tc->lock);
	lock_sock(sk);
	rxtcp_rx_reset(tc);
	tc->tx.seg_max = min_t(u32, max_seg, RXT_TCP_SEG_MAX);
	rxtcp_sock_callbacks(sk, tc, rxtcp_data_ready, rxtcp_state_change,
			     rxtcp_write_space);
	rcu_assign_pointer(tc->sk, sk);
	WRITE_ONCE(tc->state, state);
	if (state == RXTCP_UP) {
		rxt_count_conn(&tc->conn, connects);
		rxtcp_conn_up(tc);
		tc->rx.ack_due = true;
	}
	/* What came before the callbacks were ours. */
	rxtcp_rx_run(tc, sk);
	release_sock(sk);
}

/* Socket locked. */
void rxtcp_conn_up(struct rxtcp_conn *tc)
{
	if (tc->state == RXTCP_CONFIRM)
		rxt_count_conn(&tc->conn, accepts);
	WRITE_ONCE(tc->state, RXTCP_UP);
	WRITE_ONCE(tc->life.wanted, false);
	rxt_conn_up(&tc->conn);
	rxt_tx_ready(&tc->conn, RXT_TX_DEFER);
}

/**
 * rxtcp_conn_lost - the socket is at its end
 * @tc: connection; socket locked
 */
void rxtcp_conn_lost(struct rxtcp_conn *tc)
{
	if (tc->state == RXTCP_UP) {
		WRITE_ONCE(tc->state, RXTCP_LOST);
		rxt_conn_error(&tc->conn, RXT_ERR_LOST);
	} else if (tc->state != RXTCP_CONFIRM) {
		return;
	}
	mod_delayed_work(rxtcp_wq, &tc->work, 0);
}

/* Nothing heard for too long. Process context, nothing held. */
void rxtcp_conn_give_up(struct rxtcp_conn *tc)
{
	bool report = false;

	mutex_lock(&tc->lock);
	if (tc->sock)
		lock_sock(tc->sock->sk);
	if (tc->state != RXTCP_IDLE && tc->state != RXTCP_LOST) {
		WRITE_ONCE(tc->state, RXTCP_LOST);
		report = true;
	}
	if (tc->sock)
		release_sock(tc->sock->sk);
	if (report) {
		conn_drop_sock(tc, false);
		rxt_count_conn(&tc->conn, timeouts);
		rxt_count_conn(&tc->conn, retry_exceeded);
		rxt_conn_error(&tc->conn, RXT_ERR_LOST);
	}
	mutex_unlock(&tc->lock);
}

/**
 * rxtcp_conn_abandon - the namespace goes: no socket may stay
 * @tc: connection; caller holds rxtcp_net.lock
 */
void rxtcp_conn_abandon(struct rxtcp_conn *tc)
{
	mutex_lock(&tc->lock);
	conn_drop_sock(tc, false);
	if (tc->state != RXTCP_IDLE && tc->state != RXTCP_LOST) {
		WRITE_ONCE(tc->state, RXTCP_LOST);
		rxt_conn_error(&tc->conn, RXT_ERR_LOST);
	}
	mutex_unlock(&tc->lock);
}

/* Try again after a while. Caller holds tc->lock. */
static void conn_retry(struct rxtcp_conn *tc)
{
	conn_drop_sock(tc, false);
	WRITE_ONCE(tc->state, RXTCP_SYN);
	rxt_count_conn(&tc->conn, connect_retries);
	mod_delayed_work(rxtcp_wq, &tc->work, msecs_to_jiffies(tc->backoff));
	tc->backoff = min_t(unsigned int, tc->backoff * 2, BACKOFF_MAX);
}

static int conn_scope(const struct rxtcp_conn *tc)
{
	struct net_device *ndev;
	int scope = tc->path.scope_ifindex;

	if (scope)
		return scope;
	ndev = rxt_dev_netdev_get(tc->conn.dev);
	if (ndev) {
		scope = ndev->ifindex;
		dev_put(ndev);
	}
	return scope;
}

/* A QP whose peer is itself: one socket, which is connected to itself too. */
static bool is_self(const struct rxtcp_conn *tc)
{
	return tc->conn.qpn == tc->dest_qpn &&
	       !memcmp(&tc->path.sgid, &tc->path.dgid, sizeof(tc->path.sgid));
}

static int conn_connect(struct rxtcp_conn *tc)
{
	int scope = conn_scope(tc), ret;
	struct socket *sock;

	ret = rxtcp_sock_open(tc->net->net, &tc->path.sgid, &tc->path.dgid,
			      scope, &sock);
	if (ret)
		return ret;
	rxtcp_sock_tune(sock, &tc->path);
	rxtcp_sock_patience(sock, tc->patient);

	tc->sock = sock;
	tc->deadline = jiffies + TRY_TIME;
	lock_sock(sock->sk);
	rxtcp_sock_callbacks(sock->sk, tc, conn_callback, conn_callback, NULL);
	release_sock(sock->sk);
	ret = is_self(tc) ?
	      rxtcp_sock_connect_self(sock, &tc->path.sgid, scope) :
	      rxtcp_sock_connect(sock, &tc->path.dgid, scope);
	if (ret)
		conn_drop_sock(tc, false);
	return ret;
}

static void conn_fill_hello(const struct rxtcp_conn *tc, u8 type, struct rxtcp_hello *h)
{
	*h = (struct rxtcp_hello) {
		.type = type,
		.qp_type = tc->conn.type,
		.max_seg = RXT_TCP_SEG_MAX,
		.src_qpn = tc->conn.qpn,
		.dst_qpn = tc->dest_qpn,
		.src_gid = tc->path.sgid,
		.dst_gid = tc->path.dgid,
	};
}

/* Connected yet? Then the hello goes out; nobody needs to be told of himself. */
static int conn_syn(struct rxtcp_conn *tc)
{
	struct rxtcp_hello h;
	int ret;

	ret = rxtcp_sock_connected(tc->sock);
	if (ret <= 0)
		return ret;
	if (is_self(tc)) {
		conn_frames(tc, RXTCP_UP, RXT_TCP_SEG_MAX);
		return 0;
	}
	conn_fill_hello(tc, RXT_TCP_HELLO_REQ, &h);
	ret = rxtcp_hello_send(tc->sock, &h);
	if (ret)
		return ret;
	rxtcp_life_met(tc);
	tc->reply_len = 0;
	tc->deadline = jiffies + HELLO_TIME;
	WRITE_ONCE(tc->state, RXTCP_HELLO);
	return 0;
}

/* Is the peer's hello there? */
static int conn_hello(struct rxtcp_conn *tc)
{
	struct rxtcp_hello h;
	int ret;

	ret = rxtcp_hello_recv(tc->sock, &tc->reply, &tc->reply_len);
	if (ret <= 0)
		return ret;
	if (rxtcp_hello_decode(&tc->reply, RXT_TCP_HELLO_REP, &h) != RXT_TCP_OK ||
	    h.status != RXT_TCP_OK || h.qp_type != tc->conn.type ||
	    h.src_qpn != tc->dest_qpn || h.dst_qpn != tc->conn.qpn) {
		rxt_count_conn(&tc->conn, hello_rejected);
		return -ECONNREFUSED;
	}
	conn_frames(tc, RXTCP_UP, h.max_seg);
	return 0;
}

/* One step of the side that connects. Caller holds tc->lock. */
static void conn_step(struct rxtcp_conn *tc)
{
	long left;
	int ret = 0;

	if (!tc->sock) {
		ret = conn_connect(tc);
		tc->start_err = ret;
	}
	if (!ret && tc->state == RXTCP_SYN)
		ret = conn_syn(tc);
	if (!ret && tc->state == RXTCP_HELLO)
		ret = conn_hello(tc);
	if (READ_ONCE(tc->state) == RXTCP_UP || READ_ONCE(tc->state) == RXTCP_LOST)
		return;

	left = tc->deadline - jiffies;
	if (ret || left <= 0)
		conn_retry(tc);
	else
		queue_delayed_work(rxtcp_wq, &tc->work, left);
}

/* Was it closed before its first frame? Then it may come again. */
static bool conn_unconfirmed(struct rxtcp_conn *tc)
{
	struct sock *sk = tc->sock->sk;
	bool closed;

	lock_sock(sk);
	closed = tc->state == RXTCP_CONFIRM &&
		 ((sk->sk_shutdown & RCV_SHUTDOWN) || sk->sk_state == TCP_CLOSE);
	if (closed)
		WRITE_ONCE(tc->state, RXTCP_WAIT);
	release_sock(sk);
	if (closed)
		conn_drop_sock(tc, false);
	return closed;
}

/* Is a graceful close in place? Bytes of requests that nobody waits for must not
 * be sent any more, as their memory is the application's again; unless there is a
 * refusal behind them. @emit: say what is latched; caller holds the TX token.
 */
static bool conn_last_words(struct rxtcp_conn *tc, bool emit)
{
	struct sock *sk = tc->sock->sk;
	bool graceful = false;

	lock_sock(sk);
	if (rcu_access_pointer(tc->sk)) {
		if (emit)
			graceful = rxtcp_tx_last_words(tc, sk);
		graceful |= tc->tx.top_id == tc->tx.acked && !tc->tx.left;
	}
	release_sock(sk);
	return graceful;
}

static void conn_work(struct work_struct *work)
{
	struct rxtcp_conn *tc = container_of(work, struct rxtcp_conn, work.work);
	bool claim = false;

	mutex_lock(&tc->lock);
	switch (READ_ONCE(tc->state)) {
	case RXTCP_SYN:
	case RXTCP_HELLO:
		conn_step(tc);
		break;
	case RXTCP_CONFIRM:
		claim = conn_unconfirmed(tc);
		break;
	case RXTCP_LOST:
		if (tc->sock)
			conn_drop_sock(tc, conn_last_words(tc, false));
		break;
	default:
		break;
	}
	mutex_unlock(&tc->lock);
	if (claim)
		rxtcp_net_claim(tc);
}

static bool same_peer(const struct rxtcp_conn *tc, const struct rxtcp_hello *h)
{
	return h->src_qpn == tc->dest_qpn && h->qp_type == tc->conn.type &&
	       !memcmp(&h->src_gid, &tc->path.dgid, sizeof(h->src_gid)) &&
	       !memcmp(&h->dst_gid, &tc->path.sgid, sizeof(h->dst_gid));
}

/**
 * rxtcp_conn_attach - a hello arrived for this connection
 * @tc: connection; caller holds rxtcp_net.lock
 * @sock: the socket that it came by, without callbacks; taken over if OK
 * @h: the hello
 *
 * Return: enum rxt_tcp_status, OK: the answer is sent; or -errno: close @sock.
 */
int rxtcp_conn_attach(struct rxtcp_conn *tc, struct socket *sock,
		      const struct rxtcp_hello *h)
{
	struct rxtcp_hello reply;
	int status = RXT_TCP_OK;

	mutex_lock(&tc->lock);
	if (tc->active || !same_peer(tc, h)) {
		status = RXT_TCP_MISMATCH;
		goto out;
	}
	switch (READ_ONCE(tc->state)) {
	case RXTCP_WAIT:
		break;
	case RXTCP_CONFIRM:
		/* The peer has given up the older try. */
		conn_drop_sock(tc, false);
		if (READ_ONCE(tc->state) == RXTCP_CONFIRM) {
			WRITE_ONCE(tc->state, RXTCP_WAIT);
			break;
		}
		fallthrough;
	default:
		status = RXT_TCP_BUSY;
		goto out;
	}

	rxtcp_life_met(tc);
	rxtcp_sock_tune(sock, &tc->path);
	rxtcp_sock_patience(sock, tc->patient);
	conn_fill_hello(tc, RXT_TCP_HELLO_REP, &reply);
	status = rxtcp_hello_send(sock, &reply);
	if (status)
		goto out;
	tc->sock = sock;
	conn_frames(tc, RXTCP_CONFIRM, h->max_seg);
out:
	mutex_unlock(&tc->lock);
	return status;
}

/* Do we connect, or does the peer? */
static bool conn_is_active(const struct rxtcp_conn *tc)
{
	int cmp = memcmp(&tc->path.sgid, &tc->path.dgid, sizeof(tc->path.sgid));

	return cmp ? cmp < 0 : tc->conn.qpn <= tc->dest_qpn;
}

/* Errors that will not pass. An IPv6 address may be on trial for a second. */
static bool no_route(const struct rxtcp_conn *tc)
{
	switch (tc->start_err) {
	case -EADDRNOTAVAIL:
		return ipv6_addr_v4mapped((const struct in6_addr *)&tc->path.sgid);
	case -ENETUNREACH:
	case -EHOSTUNREACH:
	case -EACCES:
	case -EINVAL:
		return true;
	default:
		return false;
	}
}

/* Back to IDLE, with no callback or work of it left (S4). @emit: say what is
 * latched; caller holds the TX token.
 */
static void conn_halt(struct rxtcp_conn *tc, bool emit)
{
	mutex_lock(&tc->lock);
	if (tc->sock)
		conn_drop_sock(tc, conn_last_words(tc, emit) && emit);
	WRITE_ONCE(tc->state, RXTCP_IDLE);
	mutex_unlock(&tc->lock);
	/* Only now: the namespace's end has to find what has a socket. */
	rxtcp_net_del(tc);
	/* They find it IDLE and do nothing. */
	cancel_delayed_work_sync(&tc->work);
	rxtcp_life_stop(tc);
}

/* To RTR. */
static int conn_start(struct rxtcp_conn *tc, const struct rxt_qp_attr *attr)
{
	int ret;

	mutex_lock(&tc->lock);
	tc->path = attr->path;
	tc->dest_qpn = attr->dest_qpn;
	tc->backoff = BACKOFF_MIN;
	tc->start_err = 0;
	tc->active = conn_is_active(tc);
	WRITE_ONCE(tc->state, tc->active ? RXTCP_SYN : RXTCP_WAIT);
	mutex_unlock(&tc->lock);
	ret = rxtcp_net_add(tc);
	if (ret)
		goto err;
	if (!tc->active) {
		rxtcp_net_claim(tc);
		return 0;
	}
	/* In a worker, so that the socket is nobody's memory cgroup's: sends may
	 * charge it where sleeping is forbidden. Waits for the first SYN only.
	 */
	mod_delayed_work(rxtcp_wq, &tc->work, 0);
	flush_delayed_work(&tc->work);
	mutex_lock(&tc->lock);
	ret = no_route(tc) ? tc->start_err : 0;
	mutex_unlock(&tc->lock);
	if (!ret)
		return 0;
	pr_warn_ratelimited("%s: qp %u: no route from %pI6c to %pI6c (%d)\n",
			    rxt_dev_name(tc->conn.dev), tc->conn.qpn,
			    &tc->path.sgid, &tc->path.dgid, ret);
	if (ret == -ENETUNREACH || ret == -EACCES)
		ret = -EHOSTUNREACH;
err:
	conn_halt(tc, false);
	return ret;
}

int rxtcp_conn_modify(struct rxt_conn *conn, const struct rxt_qp_attr *attr, int mask)
{
	struct rxtcp_conn *tc = to_rxtcp(conn);

	WRITE_ONCE(tc->life.limit, rxtcp_life_limit(attr->timeout, attr->retry_cnt));
	if (mask & IB_QP_TIMEOUT) {
		mutex_lock(&tc->lock);
		tc->patient = !tc->life.limit || tc->life.limit > 600 * HZ;
		if (tc->sock)
			rxtcp_sock_patience(tc->sock, tc->patient);
		mutex_unlock(&tc->lock);
	}
	if ((mask & IB_QP_STATE) && attr->state == IB_QPS_RTR &&
	    READ_ONCE(tc->state) == RXTCP_IDLE)
		return conn_start(tc, attr);
	return 0;
}

/* Caller holds the TX token. */
void rxtcp_conn_stop(struct rxt_conn *conn)
{
	struct rxtcp_conn *tc = to_rxtcp(conn);

	conn_halt(tc, true);
	rxtcp_tx_reset(tc);
	rxtcp_rx_reset(tc);
	rxtcp_life_reset(tc);
}

struct rxt_conn *rxtcp_conn_alloc(struct rxt_dev *dev, enum ib_qp_type type)
{
	struct rxtcp_link *link = rxt_dev_priv(dev);
	struct rxtcp_conn *tc;

	if (type != IB_QPT_RC && type != IB_QPT_UC)
		return ERR_PTR(-EOPNOTSUPP);
	tc = kzalloc(sizeof(*tc), GFP_KERNEL);
	if (!tc)
		return ERR_PTR(-ENOMEM);
	tc->net = link->net;
	mutex_init(&tc->lock);
	INIT_DELAYED_WORK(&tc->work, conn_work);
	rxtcp_life_init(tc);
	rxtcp_tx_reset(tc);
	rxtcp_rx_reset(tc);
	return &tc->conn;
}

void rxtcp_conn_free(struct rxt_conn *conn)
{
	kfree(to_rxtcp(conn));
}

static const char *state_name(enum rxtcp_state state)
{
	switch (state) {
	case RXTCP_IDLE:
		return "idle";
	case RXTCP_WAIT:
		return "waits for the peer";
	case RXTCP_SYN:
		return "connecting";
	case RXTCP_HELLO:
	case RXTCP_CONFIRM:
		return "handshake";
	case RXTCP_UP:
		return "up";
	case RXTCP_LOST:
		return "lost";
	}
	return "?";
}

void rxtcp_conn_query(struct rxt_conn *conn, struct rxt_conn_info *info)
{
	struct rxtcp_conn *tc = to_rxtcp(conn);
	enum rxtcp_state state = READ_ONCE(tc->state);

	info->established = state == RXTCP_UP;
	info->unacked = READ_ONCE(tc->tx.top_id) - READ_ONCE(tc->tx.acked);
	snprintf(info->desc, sizeof(info->desc), "%pI6c qp %u, %s",
		 &tc->path.dgid, tc->dest_qpn, state_name(state));
}
