/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_roce: what the files of this backend share.
 *
 * What lives here: the connection, the namespace, the link, and the calls between
 * files. What may not: wire formats (roce_hdr.h), anything of the core.
 *
 * Locks, outermost first
 *  roce_nets_lock	list of namespaces, opening and closing of sockets; sleeps
 *  roce_mcast_lock	groups and who is in them; sleeps, takes RTNL; beside the former
 *  roce_conn.lock	answers latched, windows, inbound state; softirq-safe. RX holds
 *			it over up-calls; nobody holds it while a packet is sent.
 * The TX token is outside of roce_conn.lock.
 */
#ifndef _ROCE_H
#define _ROCE_H

#include <linux/list.h>
#include <linux/net.h>
#include <linux/netfilter.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <net/dst.h>
#include <rxt/backend.h>
#include "roce_hdr.h"
#include "roce_pack.h"
#include "roce_replay.h"
#include "roce_retry.h"
#include "roce_window.h"

/**
 * struct roce_net - a network namespace with links
 * @node: in roce_nets
 * @net: the namespace; it stays until its last link is detached
 * @users: links
 * @sock: IPv4, IPv6 or NULL
 * @hooks: take super-packets before a socket would have them cut
 * @hooked: @hooks are in place
 * @links: struct roce_link; RCU, written under roce_nets_lock
 * @rcu: softirqs may still look at it
 */
struct roce_net {
	struct list_head	node;
	struct net		*net;
	unsigned int		users;
	struct socket		*sock[2];
	struct nf_hook_ops	hooks[2];
	bool			hooked;
	struct list_head	links;
	struct rcu_head		rcu;
};

/**
 * struct roce_link - a device
 * @node: in roce_net.links
 * @rn: its namespace
 * @dev: the device
 * @ifindex: of its netdev; constant
 * @gsi: connection with QP number 1 while it receives; RCU
 * @groups: multicast groups (roce_mcast.c); RCU
 * @rcu: softirqs may still look at it
 */
struct roce_link {
	struct list_head	node;
	struct roce_net		*rn;
	struct rxt_dev		*dev;
	int			ifindex;
	struct roce_conn __rcu	*gsi;
	struct list_head	groups;
	struct rcu_head		rcu;
};

/**
 * struct roce_route - where packets of a flow leave; TX token
 * @flow: headers
 * @dst: route, NULL: to be looked up
 * @cookie: validity of @dst, IPv6
 * @oif: netdev that owns the source address
 * @ttl: of @flow, or what the route says
 * @headroom: bytes that headers below IP take
 * @csum: the netdev does checksums: an open one costs nothing
 * @splice: and takes fragments
 * @segs: packets that an skb may have
 */
struct roce_route {
	struct roce_flow	flow;
	struct dst_entry	*dst;
	u32			cookie;
	int			oif;
	u8			ttl;
	unsigned int		headroom;
	bool			csum;
	bool			splice;
	u32			segs;
};

/**
 * struct roce_inbound - a message that comes in, request or READ response
 * @rx: core's context, NULL: none is open
 * @hdr: header of the message as known so far
 * @off: payload bytes had
 * @family: enum roce_family
 * @open: its first packet was there, its last not yet
 * @again: the context has to be opened once more: the core was not ready for
 *	the last packet of a WRITE with immediate
 */
struct roce_inbound {
	struct rxt_rx	*rx;
	struct rxt_hdr	hdr;
	u32		off;
	u8		family;
	bool		open;
	bool		again;
};

/**
 * struct roce_latch - answers that ->xmit_end() sends
 * @ack: ACK is due
 * @nak: NAK or RNR NAK is due, behind which no ACK makes sense
 * @ack_psn: up to here
 * @ack_op: opcode: ACK, or empty READ response for an atomic WRITE
 * @nak_psn: first PSN that was not accepted
 * @syndrome: of the NAK
 * @verdict: what it means to the core; RXT_OK: it is about sequence
 */
struct roce_latch {
	bool			ack;
	bool			nak;
	u8			ack_op;
	u8			syndrome;
	u32			ack_psn;
	u32			nak_psn;
	enum rxt_verdict	verdict;
};

/**
 * struct roce_responder - the peer's requests; roce_conn.lock
 * @psn: expected next
 * @msn: messages completed, 24 bits
 * @in: request that comes in
 * @replay: READs and atomics executed
 * @latch: answers due
 * @gap: out of sequence, the NAK for it was latched
 * @gap_psn: last PSN that was seen behind the gap
 * @refused: a NAK ended it: nothing is accepted any more
 */
struct roce_responder {
	u32			psn;
	u32			msn;
	struct roce_inbound	in;
	struct roce_replay	replay;
	struct roce_latch	latch;
	bool			gap;
	u32			gap_psn;
	bool			refused;
};

/**
 * struct roce_requester - our requests; roce_conn.lock
 * @ready: RTS: PSNs are set
 * @w: what is under way
 * @cwnd: how much may be
 * @in: READ response that comes in
 * @rewound: sending starts again from @rewound_psn, and no answer came since
 * @rewound_psn: where
 * @waiting: the sender waits for the window
 */
struct roce_requester {
	bool			ready;
	struct roce_window	w;
	struct roce_cwnd	cwnd;
	struct roce_inbound	in;
	bool			rewound;
	u32			rewound_psn;
	bool			waiting;
};

/**
 * struct roce_timer - the one timer of a connection; roce_conn.lock
 * @t: it
 * @timeout: attribute
 * @retry_cnt: attribute
 * @tries: resends since the last sign of life
 * @answer_by: jiffies when an answer is overdue
 * @waiting: @answer_by is valid
 * @graced: it was put off as the timer came late
 * @stalled: the local stack refused a packet, nothing is sent
 * @stall_until: jiffies when to try again
 * @stalls: refusals in a row
 * @lost: retries are used up
 */
struct roce_timer {
	struct timer_list	t;
	u8			timeout;
	u8			retry_cnt;
	u8			tries;
	unsigned long		answer_by;
	bool			waiting;
	bool			graced;
	bool			stalled;
	unsigned long		stall_until;
	unsigned int		stalls;
	bool			lost;
};

/**
 * struct roce_tx - the sender; TX token
 * @route: to the peer, or to whom the last datagram went
 * @pack: packets of this batch
 * @pack_psn: first PSN of a request in @pack
 * @pack_req: @pack_psn is valid
 * @no_ack: packets since an ACK was asked for
 * @units: calls of ->xmit() since softirqs could run
 * @psn: of the next packet, UC and UD
 * @path: UD: whom @route is for
 */
struct roce_tx {
	struct roce_route	route;
	struct roce_pack	pack;
	u32			pack_psn;
	bool			pack_req;
	u32			no_ack;
	u32			units;
	u32			psn;
	struct rxt_path		path;
};

/**
 * struct roce_conn - the RoCE half of a QP
 * @conn: what the core knows
 * @link: its device; constant from ->conn_alloc() on
 * @lock: see top
 * @open: up-calls may be made (lock)
 * @kick: the engine has to run at the end of the batch (lock)
 * @ends: addresses of the peer's packets, constant while @open (RC, UC)
 * @dest_qpn: peer; constant while @open
 * @mtu_shift: path MTU, log 2; constant while @open
 * @resp: the peer's requests
 * @req: our requests
 * @timer: waits
 * @tx: the sender
 */
struct roce_conn {
	struct rxt_conn		conn;
	struct roce_link	*link;
	spinlock_t		lock;		/* see top */
	bool			open;
	bool			kick;
	struct roce_ends	ends;
	u32			dest_qpn;
	u32			mtu_shift;
	struct roce_responder	resp;
	struct roce_requester	req;
	struct roce_timer	timer;
	struct roce_tx		tx;
};

static inline struct roce_conn *to_roce(const struct rxt_conn *conn)
{
	return container_of(conn, struct roce_conn, conn);
}

static inline u32 roce_mtu(const struct roce_conn *rc)
{
	return BIT(rc->mtu_shift);
}

/**
 * struct roce_at - a place in an skb with fragments and a fragment list
 * @skb: skb or one of its list
 * @frag: fragment, -1: the linear part
 * @off: bytes into it
 */
struct roce_at {
	struct sk_buff	*skb;
	int		frag;
	u32		off;
};

/**
 * struct roce_pkt - one inbound packet
 * @h: headers
 * @skb: the skb that it is in, with others
 * @off: where its payload begins in @skb
 * @at: the same
 */
struct roce_pkt {
	struct roce_hdr	h;
	struct sk_buff	*skb;
	u32		off;
	struct roce_at	at;
};

/* What an answer of the core has to know of its request: rxt_msg.cookie. */
static inline u64 roce_cookie(u32 psn, u32 msn, u16 gen)
{
	return psn | (u64)msn << 24 | (u64)gen << 48;
}

static inline u32 roce_cookie_psn(u64 cookie)
{
	return cookie & ROCE_MASK24;
}

static inline u32 roce_cookie_msn(u64 cookie)
{
	return (cookie >> 24) & ROCE_MASK24;
}

static inline u16 roce_cookie_gen(u64 cookie)
{
	return cookie >> 48;
}

/* roce_net.c */
int roce_dev_attach(struct rxt_dev *dev);
void roce_dev_detach(struct rxt_dev *dev);

/* roce_route.c */
int roce_route_set(struct roce_conn *rc, const struct rxt_path *path, u32 qpn);
int roce_route_get(struct roce_conn *rc);
void roce_route_drop(struct roce_conn *rc);
void roce_path_ends(struct roce_ends *ends, const struct rxt_path *path);
int roce_link_ifindex(struct net *net, const struct roce_ends *ends);
int roce_lower_ifindex(struct net_device *ndev);

/* roce_conn.c */
struct rxt_conn *roce_conn_alloc(struct rxt_dev *dev, enum ib_qp_type type);
int roce_conn_modify(struct rxt_conn *conn, const struct rxt_qp_attr *attr, int mask);
void roce_conn_stop(struct rxt_conn *conn);
void roce_conn_free(struct rxt_conn *conn);
void roce_conn_query(struct rxt_conn *conn, struct rxt_conn_info *info);

/* roce_tx.c */
int roce_xmit(struct rxt_conn *conn, struct rxt_msg *msg);
void roce_xmit_begin(struct rxt_conn *conn, bool inline_bh);
void roce_xmit_end(struct rxt_conn *conn);
int roce_tx_packet(struct roce_conn *rc, const struct roce_hdr *h,
		   const struct roce_payload *pl);
int roce_tx_flush(struct roce_conn *rc);
void roce_tx_answers(struct roce_conn *rc, bool last);

/* roce_ud.c */
int roce_ud_xmit(struct roce_conn *rc, struct rxt_msg *msg);
void roce_ud_rx(struct roce_conn *rc, const struct roce_pkt *pkt);

/* roce_mcast.c */
int roce_mcast_join(struct rxt_conn *conn, const union ib_gid *gid);
int roce_mcast_leave(struct rxt_conn *conn, const union ib_gid *gid);
bool roce_mcast_rx(struct roce_link *link, const struct roce_ends *ends,
		   const struct roce_pkt *pkt);

/* roce_rx.c */
void roce_rx(struct roce_net *rn, struct sk_buff *skb);
int roce_place(struct rxt_rx *rx, u32 off, const struct roce_pkt *pkt);

/* roce_resp.c */
void roce_resp_rx(struct roce_conn *rc, const struct roce_pkt *pkt);
void roce_resp_uc(struct roce_conn *rc, const struct roce_pkt *pkt);
void roce_resp_refuse(struct roce_conn *rc, u32 psn, enum rxt_verdict verdict);
void roce_resp_reset(struct roce_conn *rc);
bool roce_resp_stale(struct roce_conn *rc, u64 cookie);

/* roce_req.c */
void roce_req_rx(struct roce_conn *rc, const struct roce_pkt *pkt);
void roce_req_rewind(struct roce_conn *rc, u32 psn);

/* roce_timer.c */
void roce_timer_init(struct roce_conn *rc);
void roce_timer_expect(struct roce_conn *rc);
void roce_timer_alive(struct roce_conn *rc);
void roce_timer_stall(struct roce_conn *rc);

#endif /* _ROCE_H */
