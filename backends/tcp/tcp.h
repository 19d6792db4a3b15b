/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_tcp: what the files of this backend share.
 *
 * What lives here: the connection, the namespace, and the calls between files.
 * What may not: wire formats (tcp_frame.h), anything of the core.
 *
 * Locks, outermost first
 *  rxtcp_net.lock   listeners, list of links, table of connections, pending sockets
 *  rxtcp_conn.lock  a connection's socket and slow state changes; sleeps
 *  socket lock      the fast path: rxtcp_rx, rxtcp_tx, state UP and below. As RX
 *                   runs inside of socket callbacks, it serialises all of RX.
 *  rxtcp_net.ready_lock  list of pending sockets with news; leaf, softirq
 * The TX token is outside of all of them.
 */
#ifndef _RXTCP_H
#define _RXTCP_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/refcount.h>
#include <linux/socket.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/sock.h>
#include <rxt/backend.h>
#include "tcp_dgram.h"
#include "tcp_frame.h"

struct rxtcp_conn;

/**
 * enum rxtcp_state - life of a connection
 * @RXTCP_IDLE: not RTR, or stopped
 * @RXTCP_WAIT: the peer has to connect
 * @RXTCP_SYN: we connect, or pause before the next try (no socket then)
 * @RXTCP_HELLO: connected, hello sent, the answer is awaited
 * @RXTCP_CONFIRM: accepted, hello answered, the first frame is awaited
 * @RXTCP_UP: frames flow
 * @RXTCP_LOST: it was up and is no more
 */
enum rxtcp_state {
	RXTCP_IDLE,
	RXTCP_WAIT,
	RXTCP_SYN,
	RXTCP_HELLO,
	RXTCP_CONFIRM,
	RXTCP_UP,
	RXTCP_LOST,
};

/**
 * struct rxtcp_lane - a message that comes in, request or response
 * @rx: core's context; NULL when there is none
 * @hdr: header of the message as known so far
 * @off: payload bytes had
 * @family: enum rxtcp_family
 * @open: FIRST was there, LAST not yet
 * @skip: its payload is dropped
 */
struct rxtcp_lane {
	struct rxt_rx	*rx;
	struct rxt_hdr	hdr;
	u32		off;
	u8		family;
	bool		open;
	bool		skip;
};

/**
 * struct rxtcp_rx - inbound half; socket lock
 * @hdr: header bytes had so far, if they came in pieces
 * @hdr_len: valid bytes of @hdr
 * @frame: frame whose payload is coming in
 * @left: payload bytes of @frame that are still to come
 * @lane: request, response
 * @cur: lane of @frame
 * @aw: payload of an ATOMIC_WRITE
 * @exp_id: request expected next
 * @busy: inside of tcp_read_sock()
 * @hold: an RNR NAK was latched: requests are dropped until @exp_id comes again
 * @refused: a NAK was latched: no more requests are looked at
 * @dead: protocol error or not receiving: all is dropped
 * @ack_due: @exp_id - 1 has not been told to the peer, or a sign of life is due
 * @lazy: it may wait for a frame to travel with, see tcp_timer.c
 * @turn: requests came and none of ours has gone since
 * @turns: how often in a row a request of ours followed at once, bounded
 * @lazy_turns: how many it takes
 * @turn_at: jiffies when requests last came
 * @nak: NAK to send; RXT_OK: none, RXT_NOT_READY: RNR
 * @nak_id: request that @nak is about
 */
struct rxtcp_rx {
	u8			hdr[RXT_TCP_HDR_MAX];
	u8			hdr_len;
	bool			busy;
	bool			hold;
	bool			refused;
	bool			dead;
	bool			ack_due;
	bool			lazy;
	bool			turn;
	u16			turns;
	u16			lazy_turns;
	unsigned long		turn_at;
	enum rxt_verdict	nak;
	u32			nak_id;
	u32			exp_id;
	u32			left;
	struct rxtcp_lane	*cur;
	struct rxtcp_frame	frame;
	struct rxtcp_lane	lane[2];
	u8			aw[8];
};

/**
 * struct rxtcp_tx - outbound half; socket lock and TX token
 * @sk: socket of the batch, locked; NULL: not up. Between begin and end only
 * @owned: @sk is locked by the batch; false: by a callback of ours, which it is
 *	inside of
 * @stop: the batch is at its end: RXT_TX_BLOCKED or -errno, 1: it is not
 * @stage: bytes of our own that the socket has not got yet; NULL: none. Bytes
 *	are only ever appended: the stack refers to what it got
 * @head: first byte of @stage not taken by the socket
 * @tail: end of the bytes in @stage
 * @left: payload bytes of the frame under way that are not accepted yet
 * @splice: that payload goes as fragments
 * @msg_id: message of that frame
 * @msg_off: its tx_off
 * @seg_max: longest frame payload
 * @top_id: newest request begun
 * @rd_id: newest READ or atomic begun
 * @acked: newest request acknowledged
 * @rd_done: newest READ or atomic answered
 * @nak_sent: refusal that is in @stage or beyond, RXT_OK: none
 */
struct rxtcp_tx {
	struct sock		*sk;
	bool			owned;
	int			stop;
	u8			*stage;
	u32			head;
	u32			tail;
	u32			left;
	bool			splice;
	u32			msg_id;
	u32			msg_off;
	u32			seg_max;
	u32			top_id;
	u32			rd_id;
	u32			acked;
	u32			rd_done;
	enum rxt_verdict	nak_sent;
};

/**
 * struct rxtcp_life - is the peer there? Socket lock, but for the work itself
 * @tick: looks every so often while something is outstanding
 * @limit: jiffies without a sign of life until it is lost, 0: for ever
 * @since: jiffies of the last sign of life seen
 * @rx_seen: its measure: segments received
 * @wanted: something was to be sent while not connected
 * @met: the peer's host has answered; rxtcp_conn.lock
 * @nomem: the batch ended for want of memory: go on with the next tick
 * @ack_timer: a lazy ACK has waited long enough
 */
struct rxtcp_life {
	struct delayed_work	tick;
	unsigned long		limit;
	unsigned long		since;
	u32			rx_seen;
	bool			wanted;
	bool			met;
	bool			nomem;
	struct timer_list	ack_timer;
};

/**
 * struct rxtcp_conn - the TCP half of a QP
 * @conn: what the core knows
 * @net: namespace; constant from ->conn_alloc() on
 * @lock: see top
 * @state: enum rxtcp_state
 * @active: we connect
 * @patient: the attributes want to wait longer than TCP does; @lock
 * @path: addresses; constant while not IDLE
 * @dest_qpn: peer; constant while not IDLE
 * @sock: the socket; @lock
 * @sk: its sock while frames may flow (CONFIRM, UP, LOST); RCU, written under
 *	@lock and the socket lock
 * @work: connects, answers, retries, tidies up
 * @backoff: milliseconds before the next try; @lock
 * @deadline: jiffies when a try is over; @lock
 * @start_err: error of the first try that modify reports; @lock
 * @reply: hello of the peer, as far as received; @lock
 * @reply_len: bytes in @reply
 * @rx: what comes in
 * @tx: what goes out
 * @life: is the peer there
 */
struct rxtcp_conn {
	struct rxt_conn		conn;
	struct rxtcp_net	*net;
	struct mutex		lock;		/* see top */
	enum rxtcp_state	state;
	bool			active;
	bool			patient;
	struct rxt_path		path;
	u32			dest_qpn;
	struct socket		*sock;
	struct sock __rcu	*sk;
	struct delayed_work	work;
	unsigned int		backoff;
	unsigned long		deadline;
	int			start_err;
	struct rxt_tcp_hello	reply;
	unsigned int		reply_len;

	struct rxtcp_rx		rx;
	struct rxtcp_tx		tx;
	struct rxtcp_life	life;
};

/**
 * struct rxtcp_net - a network namespace
 * @net: the namespace; not to be touched when @dead
 * @ref: one of the namespace, one per link
 * @lock: see top
 * @dead: the namespace is going
 * @links: struct rxtcp_link
 * @listener: IPv4, IPv6 or NULL; there while @links is not empty
 * @conns: connections that are not IDLE, by QPN
 * @pend: struct rxtcp_pend, oldest first
 * @pend_num: entries of @pend
 * @ready_lock: guards @ready
 * @ready: struct rxtcp_pend with news
 * @work: accepts, handles @ready, lets time out
 */
struct rxtcp_net {
	struct net		*net;
	refcount_t		ref;
	struct mutex		lock;		/* see top */
	bool			dead;
	struct list_head	links;
	struct socket		*listener[2];
	struct xarray		conns;
	struct list_head	pend;
	unsigned int		pend_num;
	spinlock_t		ready_lock;	/* guards ready */
	struct list_head	ready;
	struct delayed_work	work;
};

/**
 * struct rxtcp_link - a device
 * @node: in rxtcp_net.links
 * @dev: the device
 * @net: its namespace
 * @ifindex: of its netdev; constant
 * @peers: streams of datagrams, see tcp_dgram.h
 */
struct rxtcp_link {
	struct list_head	node;
	struct rxt_dev		*dev;
	struct rxtcp_net	*net;
	int			ifindex;
	struct rxtcp_peers	peers;
};

static inline struct rxtcp_conn *to_rxtcp(const struct rxt_conn *conn)
{
	return container_of(conn, struct rxtcp_conn, conn);
}

/* Message numbers wrap. */
static inline bool rxtcp_id_after(u32 a, u32 b)
{
	return (s32)(a - b) > 0;
}

/* Who a socket belongs to, in its callbacks: they run with its lock held. */
static inline void *rxtcp_sk_user(const struct sock *sk)
{
	uintptr_t p = (uintptr_t)rcu_dereference_protected(__sk_user_data(sk),
							   lockdep_sock_is_held(sk));

	return (void *)(p & SK_USER_DATA_PTRMASK);
}

extern struct workqueue_struct *rxtcp_wq;
extern unsigned short rxtcp_port;

/* tcp_net.c */
int rxtcp_net_init(void);
void rxtcp_net_exit(void);
int rxtcp_dev_attach(struct rxt_dev *dev);
void rxtcp_dev_detach(struct rxt_dev *dev);
int rxtcp_net_add(struct rxtcp_conn *tc);
void rxtcp_net_del(struct rxtcp_conn *tc);
void rxtcp_net_claim(struct rxtcp_conn *tc);
void rxtcp_net_linger(struct rxtcp_net *tn, struct socket *sock);

/* tcp_link.c */
struct rxtcp_link *rxtcp_link_of(struct rxtcp_net *tn, const struct rxtcp_pair *pair);

/* tcp_hello.c */
void rxtcp_sock_setup(struct socket *sock);
void rxtcp_sock_tune(struct socket *sock, const struct rxt_path *path);
void rxtcp_sock_patience(struct socket *sock, bool patient);
void rxtcp_sock_callbacks(struct sock *sk, void *user,
			  void (*data_ready)(struct sock *sk),
			  void (*state_change)(struct sock *sk),
			  void (*write_space)(struct sock *sk));
int rxtcp_sock_addr(const union ib_gid *gid, int scope, u16 port,
		    struct sockaddr_storage *addr);
int rxtcp_sock_open(struct net *net, const union ib_gid *own,
		    const union ib_gid *peer, int scope, struct socket **res);
int rxtcp_sock_connect(struct socket *sock, const union ib_gid *peer, int scope);
int rxtcp_sock_connect_self(struct socket *sock, const union ib_gid *own, int scope);
int rxtcp_sock_connected(struct socket *sock);
void rxtcp_sock_gids(const struct sock *sk, union ib_gid *own, union ib_gid *peer);
int rxtcp_hello_send(struct socket *sock, const struct rxtcp_hello *h);
int rxtcp_hello_recv(struct socket *sock, struct rxt_tcp_hello *wire,
		     unsigned int *have);

/* tcp_conn.c */
struct rxt_conn *rxtcp_conn_alloc(struct rxt_dev *dev, enum ib_qp_type type);
int rxtcp_conn_modify(struct rxt_conn *conn, const struct rxt_qp_attr *attr, int mask);
void rxtcp_conn_stop(struct rxt_conn *conn);
void rxtcp_conn_free(struct rxt_conn *conn);
void rxtcp_conn_query(struct rxt_conn *conn, struct rxt_conn_info *info);
int rxtcp_conn_attach(struct rxtcp_conn *tc, struct socket *sock,
		      const struct rxtcp_hello *h);
void rxtcp_conn_abandon(struct rxtcp_conn *tc);
void rxtcp_conn_up(struct rxtcp_conn *tc);
void rxtcp_conn_lost(struct rxtcp_conn *tc);
void rxtcp_conn_give_up(struct rxtcp_conn *tc);

/* tcp_tx.c */
struct sock *rxtcp_sk_get(struct rxtcp_conn *tc);
struct sock *rxtcp_lock_sk(struct rxtcp_conn *tc);
int rxtcp_xmit(struct rxt_conn *conn, struct rxt_msg *msg);
void rxtcp_xmit_begin(struct rxt_conn *conn, bool inline_bh);
void rxtcp_xmit_end(struct rxt_conn *conn);
bool rxtcp_tx_last_words(struct rxtcp_conn *tc, struct sock *sk);
void rxtcp_tx_reset(struct rxtcp_conn *tc);
void rxtcp_write_space(struct sock *sk);
void rxtcp_stage_exit(void);

/* tcp_rx.c */
void rxtcp_data_ready(struct sock *sk);
void rxtcp_state_change(struct sock *sk);
void rxtcp_rx_run(struct rxtcp_conn *tc, struct sock *sk);
void rxtcp_rx_reset(struct rxtcp_conn *tc);
void rxtcp_rx_refuse(struct rxtcp_conn *tc, u32 id, enum rxt_verdict verdict);

/* tcp_timer.c */
unsigned long rxtcp_life_limit(u8 timeout, u8 retry_cnt);
void rxtcp_life_init(struct rxtcp_conn *tc);
void rxtcp_life_reset(struct rxtcp_conn *tc);
void rxtcp_life_start(struct rxtcp_conn *tc);

/* Something is outstanding from now on. Any context but hardirq. */
static inline void rxtcp_life_arm(struct rxtcp_conn *tc)
{
	if (READ_ONCE(tc->life.limit) && !delayed_work_pending(&tc->life.tick))
		rxtcp_life_start(tc);
}

void rxtcp_life_met(struct rxtcp_conn *tc);
void rxtcp_life_retry_soon(struct rxtcp_conn *tc);
void rxtcp_life_stop(struct rxtcp_conn *tc);
bool rxtcp_ack_may_wait(struct rxtcp_conn *tc);
void rxtcp_ack_turn(struct rxtcp_conn *tc);
void rxtcp_ack_reset(struct rxtcp_conn *tc);

#endif /* _RXTCP_H */
