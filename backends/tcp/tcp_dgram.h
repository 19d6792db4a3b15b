/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_tcp: datagrams: what the files around them share.
 *
 * What lives here: a datagram QP, the stream to a peer host, a link's table of them,
 * and the calls between tcp_ud.c, tcp_peer.c, tcp_peer_tx.c and tcp_peer_rx.c. What
 * may not: wire formats (tcp_dgram_frame.h), connections of QPs (tcp.h).
 *
 * Locks, outermost first
 *  rxtcp_net.lock      held while a hello finds its stream
 *  rxtcp_peer.lock     a stream's socket and state, sending; sleeps
 *  socket lock         what comes in: rxtcp_peer.rx, .carrier
 *  rxtcp_peers.lock    a link's table; softirq-safe
 *  rxtcp_peer.queue's  the queue and ->gone; softirq-safe, leaf
 *  rxtcp_ud.lock       up-calls of a QP, one at a time; softirq-safe; inside of
 *                      rxtcp_peer.lock or the socket lock alone
 * The TX token is outside of all of them.
 */
#ifndef _RXTCP_DGRAM_H
#define _RXTCP_DGRAM_H

#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include <rxt/backend.h>
#include "tcp_dgram_frame.h"
#include "tcp_frame.h"

struct rxtcp_link;
struct rxtcp_peer;
struct rxtcp_ud;

/**
 * struct rxtcp_peers - a link's streams of datagrams, and its QP 1
 * @gsi: QP 1 while it receives; RCU
 * @lock: guards @table, @num, @accepted, @memory, @dead
 * @table: struct rxtcp_peer by their two addresses
 * @seed: of @table
 * @num: entries of @table
 * @accepted: those of them that the peer began
 * @memory: peers that have memory, in @table or not any more
 * @dead: the link or its namespace goes: no new ones
 * @gone: @memory has become 0
 * @queued: bytes of memory in all queues
 */
struct rxtcp_peers {
	struct rxtcp_ud __rcu	*gsi;
	spinlock_t		lock;		/* see above */
	DECLARE_HASHTABLE(table, 6);
	u32			seed;
	unsigned int		num;
	unsigned int		accepted;
	unsigned int		memory;
	bool			dead;
	wait_queue_head_t	gone;
	atomic_t		queued;
};

/**
 * struct rxtcp_pair - whom a stream is between
 * @own: address of ours
 * @peer: address of the peer
 * @scope: netdev index, if these are link-local, else 0
 */
struct rxtcp_pair {
	union ib_gid	own;
	union ib_gid	peer;
	u64		scope;
};

/**
 * enum rxtcp_peer_state - life of a stream
 * @RXTCP_PEER_OFF: no socket
 * @RXTCP_PEER_SYN: we connect
 * @RXTCP_PEER_HELLO: connected, hello sent, the answer is awaited
 * @RXTCP_PEER_UP: datagrams flow
 * @RXTCP_PEER_SELF: the peer is the own address: no socket, ever
 * @RXTCP_PEER_DEAD: its link goes
 */
enum rxtcp_peer_state {
	RXTCP_PEER_OFF,
	RXTCP_PEER_SYN,
	RXTCP_PEER_HELLO,
	RXTCP_PEER_UP,
	RXTCP_PEER_SELF,
	RXTCP_PEER_DEAD,
};

/**
 * struct rxtcp_peer - the stream to a peer host
 * @node: in rxtcp_peers.table
 * @ref: one of the table, one of each that remembers it
 * @link: link; outlives it
 * @pair: addresses; constant
 * @accepted: the peer began it; rxtcp_peers.lock
 * @evict: another needs the place
 * @used: jiffies when a datagram last came or went
 * @lock: see top
 * @state: enum rxtcp_peer_state; @lock
 * @sock: the socket; @lock
 * @work: connects, sends, closes what is idle
 * @deadline: jiffies when the state is over, or OFF when a try may be made; @lock
 * @give_up: jiffies when what waits for a connection is dropped; @lock
 * @reply: hello of the peer, as far as received; @lock
 * @reply_len: bytes in @reply
 * @queue: datagrams to go, each with its headers; its lock guards @queue_bytes, @gone
 * @queue_bytes: memory that @queue takes
 * @gone: takes no datagrams any more; nor is @work queued
 * @out: datagrams being written; @lock
 * @out_part: the first one of @out is written in part; @lock
 * @rx: what comes in; socket lock
 * @carrier: takes payload that comes in pieces; socket lock
 * @carrier_len: bytes in it
 * @bad: the peer broke the protocol: all is dropped; socket lock
 */
struct rxtcp_peer {
	struct hlist_node	node;
	refcount_t		ref;
	struct rxtcp_link	*link;
	struct rxtcp_pair	pair;
	bool			accepted;
	bool			evict;
	unsigned long		used;

	struct mutex		lock;		/* see top */
	enum rxtcp_peer_state	state;
	struct socket		*sock;
	struct delayed_work	work;
	unsigned long		deadline;
	unsigned long		give_up;
	struct rxt_tcp_hello	reply;
	unsigned int		reply_len;

	struct sk_buff_head	queue;
	unsigned int		queue_bytes;
	bool			gone;
	struct sk_buff_head	out;
	bool			out_part;

	struct rxtcp_dgram_rx	rx;
	struct sk_buff		*carrier;
	u32			carrier_len;
	bool			bad;
};

/**
 * struct rxtcp_ud - the TCP half of a datagram QP
 * @conn: what the core knows
 * @link: its link
 * @lock: up-calls, one at a time
 * @open: it receives; @lock
 * @peer: to whom it sent last, or NULL; TX token
 */
struct rxtcp_ud {
	struct rxt_conn		conn;
	struct rxtcp_link	*link;
	spinlock_t		lock;		/* see above */
	bool			open;
	struct rxtcp_peer	*peer;
};

static inline struct rxtcp_ud *to_rxtcp_ud(const struct rxt_conn *conn)
{
	return container_of(conn, struct rxtcp_ud, conn);
}

/* Is it one of tcp_ud.c, rather than a stream of its own? */
static inline bool rxtcp_is_ud(enum ib_qp_type type)
{
	return type == IB_QPT_UD || type == IB_QPT_GSI;
}

/* tcp_ud.c */
struct rxt_conn *rxtcp_ud_alloc(struct rxt_dev *dev, enum ib_qp_type type);
int rxtcp_ud_modify(struct rxt_conn *conn, const struct rxt_qp_attr *attr, int mask);
void rxtcp_ud_stop(struct rxt_conn *conn);
void rxtcp_ud_free(struct rxt_conn *conn);
void rxtcp_ud_query(struct rxt_conn *conn, struct rxt_conn_info *info);
int rxtcp_ud_xmit(struct rxt_conn *conn, struct rxt_msg *msg);
void rxtcp_ud_xmit_end(struct rxt_conn *conn);
void rxtcp_ud_deliver(struct rxtcp_link *link, const struct rxtcp_pair *pair,
		      const struct rxtcp_dgram *dg, struct sk_buff *skb,
		      unsigned int off);

/* tcp_peer.c */
void rxtcp_peers_init(struct rxtcp_peers *peers);
void rxtcp_peers_abandon(struct rxtcp_link *link);
void rxtcp_peers_stop(struct rxtcp_link *link);
struct rxtcp_peer *rxtcp_peer_get(struct rxtcp_link *link,
				  const struct rxtcp_pair *pair, bool accepted);
void rxtcp_peer_put(struct rxtcp_peer *p);
void rxtcp_peer_kick(struct rxtcp_peer *p, unsigned long delay);
int rxtcp_peer_attach(struct rxtcp_link *link, struct socket *sock,
		      const struct rxtcp_pair *pair);

/* tcp_peer_tx.c */
int rxtcp_peer_queue(struct rxtcp_peer *p, struct sk_buff *skb);
void rxtcp_peer_purge(struct rxtcp_peer *p, bool all);
bool rxtcp_peer_idle(struct rxtcp_peer *p);
void rxtcp_peer_flush(struct rxtcp_peer *p);
void rxtcp_peer_push(struct rxtcp_peer *p);
void rxtcp_peer_write_space(struct sock *sk);

/* tcp_peer_rx.c */
void rxtcp_peer_rx_reset(struct rxtcp_peer *p);
void rxtcp_peer_rx_run(struct rxtcp_peer *p, struct sock *sk);
void rxtcp_peer_data_ready(struct sock *sk);
void rxtcp_peer_state_change(struct sock *sk);

#endif /* _RXTCP_DGRAM_H */
