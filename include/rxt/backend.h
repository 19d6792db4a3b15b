/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt: THE ops table, and every call that a backend may make upwards.
 *
 * What lives here: the whole contract between the core and a backend. A backend
 * includes this header (and compat.h) and its own, nothing else of rxt.
 *
 * Execution model
 *  - TX token: one bit per connection. Its owner runs the engine and is the
 *    only one to call ->xmit_begin/->xmit/->xmit_end and to touch rxt_msg.tx_off
 *    and rxt_msg.be. Taking it never waits outside of teardown: who does not get
 *    it leaves a note and the owner goes round once more.
 *  - RX up-calls (rxt_rx_*, rxt_tx_acked, rxt_conn_rnr/_nak) of one connection are
 *    serialised by the backend (socket lock, per-connection lock …).
 *  - Down-calls hold no core lock but what the table says. Up-calls may hold
 *    the backend's own per-connection lock: the core never waits for it there,
 *    and calls back down only through a TX token that it could take at once.
 *  - RX never waits for TX: the core queues responses in a bounded ring, the
 *    backend latches ACKs and NAKs and emits them in ->xmit_end().
 *
 * Invariants, cited where they are checked
 *  S1 only the TX token owner touches tx_off and be[] of a message
 *  S2 a message is the core's; the backend holds no pointer to it outside of
 *     ->xmit() (it may remember ids)
 *  S3 a message holds a reference on each MR it names; memory is touched only
 *     between rxt_msg_enter() and rxt_msg_exit(), so a revoke is seen there
 *  S4 no up-call for a connection after its ->conn_stop() returned
 *  S5 the core sees each SEND/WRITE/ATOMIC once and in order; READ and ATOMIC
 *     may come again, flagged RXT_RX_REPLAY
 *  S6 WQEs complete in SQ order, only once acknowledged and (READ, atomics)
 *     answered
 *  S7 payload is copied only in core/place.c
 *  S8 no pointer into a user-shared ring outlives the copy of that slot
 *  S9 connection errors are reported by one idempotent call
 *  S10 a verdict carries no wire code
 */
#ifndef _RXT_BACKEND_H
#define _RXT_BACKEND_H

#include <linux/bvec.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <rxt/types.h>
#include <rxt/stats.h>

struct rxt_rx;

/* rxt_backend.caps */
#define RXT_CAP_RC		BIT(0)
#define RXT_CAP_UC		BIT(1)
#define RXT_CAP_UD		BIT(2)
/* ->xmit may run in softirq context (rxt_tx_ready(.., RXT_TX_INLINE) is used) */
#define RXT_CAP_XMIT_BH		BIT(3)
#define RXT_CAP_MCAST		BIT(4)

/* Payload that a backend may look at between rxt_msg_enter() and rxt_msg_exit(): so
 * many bytes from tx_off.
 */
#define RXT_TX_UNIT		65536

/* What ->xmit() returns when it is not an error. */
enum {
	/* Blocked inside a unit that must not be interrupted (or wholly). The
	 * backend will call rxt_tx_ready(). The core calls ->xmit() again with
	 * the same message and nothing in between.
	 */
	RXT_TX_BLOCKED = 0,
	/* All of the message is accepted; take the next one. */
	RXT_TX_DONE = 1,
	/* A part is accepted and the wire is at a boundary: another message
	 * (of the other lane) may go before the rest of this one.
	 */
	RXT_TX_MORE = 2,
	/* Request lane only: the peer has to answer before more is accepted. The
	 * wire is at a boundary, so the response lane goes on, and a rewind takes
	 * effect. The backend will call rxt_tx_ready().
	 */
	RXT_TX_WAIT = 3,
};

/* How rxt_tx_ready() may run the engine. */
enum rxt_tx_how {
	/* Here and now, if the token is free: the caller's context is fit for
	 * ->xmit(), and the backend knows in ->xmit_begin() that it is called
	 * inside of this up-call (its own lock is already held).
	 */
	RXT_TX_INLINE,
	/* From the core's work queue, in process context. */
	RXT_TX_DEFER,
};

/* Why a connection is over. */
enum rxt_conn_err {
	RXT_ERR_LOST,		/* peer unreachable, gone, or retries used up:
				 * oldest request ends with RETRY_EXC_ERR. With
				 * none outstanding the QP stays as it is and the
				 * next request ends so.
				 */
	RXT_ERR_NAK_SENT_REQ,	/* we refused a request: BAD_REQUEST */
	RXT_ERR_NAK_SENT_ACC,	/* … BAD_ACCESS */
	RXT_ERR_NAK_SENT_OP,	/* … OP_ERROR */
	RXT_ERR_PROTOCOL,	/* the peer broke the wire protocol */
};

/* rxt_rx_read(), rxt_rx_atomic() flags */
#define RXT_RX_REPLAY		BIT(0)	/* seen before; answer once more */

/**
 * struct rxt_conn - the backend's half of a QP; embed it
 * @qp: the QP; valid until ->conn_free()
 * @dev: the device
 * @qpn: own QP number, 24 bits
 * @type: IB_QPT_RC, IB_QPT_UC, IB_QPT_UD or IB_QPT_GSI
 * @stats: where rxt_count_conn() counts: the device's, or a set of its own
 *
 * Filled by the core after ->conn_alloc() and constant from then on, but for
 * @stats.
 */
struct rxt_conn {
	struct rxt_qp		*qp;
	struct rxt_dev		*dev;
	u32			qpn;
	enum ib_qp_type		type;
	struct rxt_stats __percpu	*stats;
};

/**
 * struct rxt_conn_info - for query_qp, `rdma res` and debugging
 * @established: bytes flow
 * @unacked: requests sent and not acknowledged
 * @desc: short text, e.g. addresses
 */
struct rxt_conn_info {
	bool	established;
	u32	unacked;
	char	desc[96];
};

/**
 * struct rxt_backend - a transport
 * @name: "tcp", "roce", "loop"; also module alias rxt-backend-NAME and link type
 *	rxt-NAME
 * @owner: the module
 * @caps: RXT_CAP_*
 * @max_mtu: largest path MTU it takes, enum ib_mtu
 * @hdr_room: bytes that its headers take of a netdev's MTU (port MTU)
 *
 * All functions below are required unless marked optional; registration checks.
 */
struct rxt_backend {
	/**
	 * @xmit: push @msg on, from msg->tx_off.
	 *
	 * Context: process, or softirq with RXT_CAP_XMIT_BH; never sleeps for
	 * the peer. Caller holds the TX token and has called @xmit_begin.
	 * Return: RXT_TX_BLOCKED, _DONE, _MORE, _WAIT as said there;
	 * -ENOBUFS: no memory, nobody will call, the core retries after a
	 * delay with the same message as if BLOCKED;
	 * -EFAULT: rxt_msg_enter() failed, the source is gone. Request lane: the
	 * core ends the WQE with LOC_PROT_ERR and the QP goes to ERR. Response
	 * lane: the backend first latches an OP_ERROR NAK if its wire is at
	 * a boundary, then returns this; the QP goes to ERR;
	 * -ENOTCONN: connection lost (RXT_ERR_LOST);
	 * other <0: RXT_ERR_PROTOCOL.
	 * Must not complete anything or make RX up-calls from inside.
	 */
	int (*xmit)(struct rxt_conn *conn, struct rxt_msg *msg);
	/**
	 * @xmit_begin: optional; a batch starts (take the socket lock …).
	 * @inline_bh says that this runs inside rxt_tx_ready(RXT_TX_INLINE).
	 * What is seen here may make @xmit say BLOCKED: an rxt_tx_ready() from
	 * here on counts.
	 * Context: as @xmit. Caller holds the TX token.
	 */
	void (*xmit_begin)(struct rxt_conn *conn, bool inline_bh);
	/**
	 * @xmit_end: the batch ends: emit latched ACKs and NAKs, ring the doorbell,
	 * drop what @xmit_begin took. Always follows @xmit_begin, also with no
	 * @xmit in between. Up-calls may happen inside when @inline_bh was false.
	 */
	void (*xmit_end)(struct rxt_conn *conn);

	/**
	 * @conn_alloc: a zeroed connection object that embeds struct rxt_conn.
	 * Context: process. Caller holds nothing. Return: pointer or ERR_PTR.
	 */
	struct rxt_conn *(*conn_alloc)(struct rxt_dev *dev, enum ib_qp_type type);
	/**
	 * @conn_modify: new attributes, @mask of IB_QP_*; attr->state is the state
	 * that the QP is about to enter if IB_QP_STATE is in @mask (RTR: may
	 * receive from now on, start to connect; RTS: may send). @attr holds all
	 * attributes ever set, merged.
	 * Context: process, caller holds the QP's mutex. Must not wait for the
	 * peer. Return: 0, -EINVAL, -EHOSTUNREACH, -EADDRNOTAVAIL, -ENOMEM …: the
	 * modify fails and the QP keeps its state.
	 */
	int (*conn_modify)(struct rxt_conn *conn, const struct rxt_qp_attr *attr,
			   int mask);
	/**
	 * @conn_stop: end it: RESET, ERR and destroy. Emits a latched ACK or NAK
	 * if it can at once, then cancels timers and works (they must only *try*
	 * the TX token), closes. Idempotent; a later @conn_modify to RTR starts
	 * afresh. After return: S4, and no @xmit state is kept.
	 * Context: process, sleeps. Caller holds the TX token and the QP's mutex.
	 */
	void (*conn_stop)(struct rxt_conn *conn);
	/**
	 * @conn_free: give the memory back, after @conn_stop. Context: process.
	 */
	void (*conn_free)(struct rxt_conn *conn);
	/**
	 * @mcast_join: with RXT_CAP_MCAST: a UD @conn gets from now on what is sent to
	 * group @gid (an IPv4 group is mapped). Context: process, sleeps. Caller
	 * holds nothing. Return: 0; -EEXIST: it is in there already; -errno.
	 */
	int (*mcast_join)(struct rxt_conn *conn, const union ib_gid *gid);
	/**
	 * @mcast_leave: with RXT_CAP_MCAST: no more. Each group is left before
	 * @conn_free, @conn_stop does not matter. Context: as @mcast_join.
	 * Return: 0; -EINVAL: it is not in that group.
	 */
	int (*mcast_leave)(struct rxt_conn *conn, const union ib_gid *gid);
	/** @conn_query: optional; read-only look. Context: process, QP's mutex. */
	void (*conn_query)(struct rxt_conn *conn, struct rxt_conn_info *info);

	/**
	 * @dev_attach: a link comes up: sockets, listeners. Context: process,
	 * under RTNL or not. Return: 0 or -errno (logged by the backend, one line).
	 */
	int (*dev_attach)(struct rxt_dev *dev);
	/** @dev_detach: all connections are freed. Context: process. */
	void (*dev_detach)(struct rxt_dev *dev);
	/**
	 * @dev_event: optional; NETDEV_* on the link's netdev (address, MTU, up,
	 * down). Context: process, RTNL held: must not wait for connections.
	 */
	void (*dev_event)(struct rxt_dev *dev, unsigned long event);

	const char		*name;
	struct module		*owner;
	u32			caps;
	enum ib_mtu		max_mtu;
	u16			hdr_room;
	/** @node: the registry's */
	struct list_head	node;
	/** @link_ops: the provider's handle for link type rxt-NAME */
	void			*link_ops;
};

/* Registry (core/backend.c). Process context, sleeps. */
int rxt_backend_register(struct rxt_backend *be);
/* Takes down every link of @be first; waits for them. */
void rxt_backend_unregister(struct rxt_backend *be);

/* Device (core/device.c) */

/**
 * struct rxt_dev - one link; embedded in the provider's ib_device wrapper
 * @be: its backend; constant
 * @be_priv: the backend's
 * @net: network namespace of the netdev; constant, alive until detach
 * @stats: counters, per CPU, of all that has no set of its own
 * @stats_lock: guards @stats_idle
 * @stats_idle: sets that no QP counts in (core/stats.c)
 * @name: for messages
 *
 * Backends count in @stats and use the calls below for everything else.
 */
struct rxt_dev {
	const struct rxt_backend	*be;
	void				*be_priv;
	struct net			*net;
	struct rxt_stats __percpu	*stats;
	spinlock_t			stats_lock;	/* stats_idle */
	struct list_head		stats_idle;
	char				name[IB_DEVICE_NAME_MAX];
};

struct net *rxt_dev_net(const struct rxt_dev *dev);
const char *rxt_dev_name(const struct rxt_dev *dev);
/* A reference that the caller puts with dev_put(); NULL when it is gone. */
struct net_device *rxt_dev_netdev_get(struct rxt_dev *dev);
void *rxt_dev_priv(const struct rxt_dev *dev);
void rxt_dev_set_priv(struct rxt_dev *dev, void *priv);

/* What a connection does is counted for it: it may have counters of its own. The
 * first two are for what belongs to none.
 */
#define rxt_count(dev, name)	this_cpu_inc((dev)->stats->cnt[RXT_CNT_##name])
#define rxt_count_add(dev, name, n) \
	this_cpu_add((dev)->stats->cnt[RXT_CNT_##name], (n))
#define rxt_count_conn(conn, name) \
	this_cpu_inc(READ_ONCE((conn)->stats)->cnt[RXT_CNT_##name])
#define rxt_count_conn_add(conn, name, n) \
	this_cpu_add(READ_ONCE((conn)->stats)->cnt[RXT_CNT_##name], (n))

/* QP by number, for backends whose packets carry one (core/qp.c).
 * Any context. The reference keeps conn and QP alive and holds up destroy, so
 * keep it short. Numbers are unique over all devices: check conn->dev.
 */
struct rxt_conn *rxt_conn_get(u32 qpn);
void rxt_conn_put(struct rxt_conn *conn);

/* Transmit side (core/engine.c, core/req.c) */

/* There is room again, or an ACK/NAK/retransmit to send. Any context for DEFER;
 * for INLINE a context fit for ->xmit().
 */
void rxt_tx_ready(struct rxt_conn *conn, enum rxt_tx_how how);
/* The core has something to send since an RX up-call (a response, a window that
 * opened, a rewind). Ask at the end of a batch of RX up-calls and call
 * rxt_tx_ready() if so, or if there is an ACK or NAK to emit.
 */
bool rxt_tx_wanted(const struct rxt_conn *conn);
/* No response is queued: a NAK that ends the connection may leave (it must not
 * overtake the responses of earlier requests). Caller holds the TX token.
 */
bool rxt_conn_resp_idle(const struct rxt_conn *conn);
/* Cumulative: the responder accepted every request up to and including @id.
 * Process or softirq. Ids outside [acked, sent] are ignored; returns false then.
 */
bool rxt_tx_acked(struct rxt_conn *conn, u32 id);
/* Go back: send again from payload offset @off of request @id, then all that
 * follow it. Process or softirq.
 */
void rxt_tx_rewind(struct rxt_conn *conn, u32 id, u32 off);
/* RNR NAK for request @id: counts against rnr_retry, holds the request lane
 * for the time of IBTA's 5-bit @timer code, then rewinds to (@id, @off).
 * Acknowledges everything before @id.
 */
void rxt_conn_rnr(struct rxt_conn *conn, u32 id, u32 off, u8 timer);
/* The peer refused request @id with @verdict (never OK, NOT_READY, DROP).
 * Acknowledges everything before @id, ends @id with the status, QP to ERR.
 */
void rxt_conn_nak(struct rxt_conn *conn, u32 id, enum rxt_verdict verdict);
/* The peer is there, for who watches; any context. Backends with a handshake call
 * it when that is over.
 */
void rxt_conn_up(struct rxt_conn *conn);
/* S9; any context. QP to ERR in due course (see enum). */
void rxt_conn_error(struct rxt_conn *conn, enum rxt_conn_err err);

/* Payload out (core/msg.c). Between enter and exit the memory is safe to read, up to
 * RXT_TX_UNIT bytes from msg->tx_off: no sleeping there. enter: 0, -EFAULT (revoked),
 * -ENOBUFS (a page is not there: what ->xmit() then returns).
 */
int rxt_msg_enter(struct rxt_msg *msg);
void rxt_msg_exit(struct rxt_msg *msg);
/* Up to @max bvecs for payload [@off, @off + @len), no reference taken, each
 * inside one page (or one compound page). False spliceable: inline or not
 * page-backed, use rxt_msg_copy(). Returns the number of bvecs, *@got the bytes.
 */
bool rxt_msg_spliceable(const struct rxt_msg *msg);
unsigned int rxt_msg_bvecs(struct rxt_msg *msg, u32 off, u32 len,
			   struct bio_vec *bv, unsigned int max, u32 *got);
/* Copy payload [@off, @off + @len) to kernel memory. */
void rxt_msg_copy(struct rxt_msg *msg, u32 off, u32 len, void *dst);

/* Receive side (core/rx.c, core/resp.c). Serialised per connection. Process or softirq. */

/* A request with payload or a READ response starts. OK: *@rx is the context until
 * rxt_rx_end() or rxt_rx_abort(); one request and one response context can be
 * open at a time. Not OK: nothing is open.
 */
enum rxt_verdict rxt_rx_begin(struct rxt_conn *conn, const struct rxt_hdr *hdr,
			      struct rxt_rx **rx);
/* Put @len bytes at @off of the message, in any order, each byte at most once
 * per (re)transmission. 0, or -EFAULT (revoked), -EMSGSIZE (beyond the message
 * or the receive WQE), -EAGAIN (a page is not there).
 */
int rxt_rx_place_skb(struct rxt_rx *rx, u32 off, struct sk_buff *skb,
		     unsigned int skb_off, u32 len);
int rxt_rx_place_buf(struct rxt_rx *rx, u32 off, const void *buf, u32 len);
/* Verdict for a failed place: what to NAK with; NOT_READY: these bytes and all behind
 * them have to come again, after rxt_rx_begin(); DROP for a response (nobody to tell:
 * the request has failed here). Closes the context.
 */
enum rxt_verdict rxt_rx_place_verdict(struct rxt_rx *rx, int err);
/* All of it arrived. @hdr: op, imm, inv_rkey, solicited as known by now (RoCE
 * learns them in the last packet), length = the real total. NOT_READY: WRITE_IMM
 * found no receive WQE; the context is closed, the peer has to send it again.
 * Otherwise the context is closed whatever the verdict.
 */
enum rxt_verdict rxt_rx_end(struct rxt_rx *rx, const struct rxt_hdr *hdr);
/* It will not be finished (UC lost a packet: the receive WQE is kept for the
 * next message). Not needed before ->conn_stop() returns.
 */
void rxt_rx_abort(struct rxt_rx *rx);
/* READ request: queues a READ_RESP of hdr->length bytes into the response lane;
 * @cookie comes back in rxt_msg.cookie. Run rxt_tx_ready() when the batch ends.
 */
enum rxt_verdict rxt_rx_read(struct rxt_conn *conn, const struct rxt_hdr *hdr,
			     u64 cookie, unsigned int flags);
/* CMP_SWP, FETCH_ADD: executes (unless REPLAY: then *@orig is the input) and
 * queues an ATOMIC_RESP; *@orig is the original value.
 * ATOMIC_WRITE executes with hdr->swap_add and queues nothing.
 */
enum rxt_verdict rxt_rx_atomic(struct rxt_conn *conn, const struct rxt_hdr *hdr,
			       u64 cookie, unsigned int flags, u64 *orig);
/* Response to our atomic @id. OK, or BAD_REQUEST when it answers nothing. */
enum rxt_verdict rxt_rx_atomic_resp(struct rxt_conn *conn, u32 id, u64 orig);

/* Limits that the backend needs of the QP, constant while connected. */
u8 rxt_conn_min_rnr_timer(const struct rxt_conn *conn);
bool rxt_conn_can_receive(const struct rxt_conn *conn);

/**
 * struct rxt_dgram - one inbound datagram (UD, GSI)
 * @hdr: op SEND or SEND_IMM, solicited, imm; length = payload bytes
 * @src_qpn: sender's QP
 * @qkey: as on the wire
 * @pkey_index: index of the matching P_Key
 * @sl: service level
 * @network_type: RDMA_NETWORK_IPV4 or _IPV6
 * @grh: 40 bytes to deliver in front of the payload (IPv4: header in the last
 *	20 bytes)
 */
struct rxt_dgram {
	struct rxt_hdr	hdr;
	u32		src_qpn;
	u32		qkey;
	u16		pkey_index;
	u8		sl;
	u8		network_type;
	u8		grh[40];
};

/* Deliver to a UD QP; drops silently (counted) when it does not fit, no WQE,
 * wrong Q_Key. Serialised per connection by the backend.
 */
void rxt_ud_rx(struct rxt_conn *conn, const struct rxt_dgram *dg,
	       struct sk_buff *skb, unsigned int skb_off);

#endif /* _RXT_BACKEND_H */
