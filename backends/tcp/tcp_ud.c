// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: datagram QPs: UD and QP 1.
 *
 * What lives here: from message to datagram and from datagram to QP. What may not: how
 * it gets to the peer's host (tcp_peer.c).
 *
 * A SEND is done when it is queued for the peer's stream or dropped. Nobody waits for
 * a peer here.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/slab.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "tcp.h"

#define GSI_QPN		1
/* In the headers that are made up for a receiver: a stream has none per datagram. */
#define HOP_LIMIT	64

/* ---- out ---- */

static void pair_of(struct rxtcp_pair *pair, const struct rxt_path *path)
{
	pair->own = path->sgid;
	pair->peer = path->dgid;
	pair->scope = path->scope_ifindex;
}

static bool same_pair(const struct rxtcp_pair *pair, const struct rxt_path *path)
{
	return !memcmp(&pair->own, &path->sgid, sizeof(pair->own)) &&
	       !memcmp(&pair->peer, &path->dgid, sizeof(pair->peer)) &&
	       pair->scope == path->scope_ifindex;
}

static void forget_peer(struct rxtcp_ud *ud)
{
	if (ud->peer)
		rxtcp_peer_put(ud->peer);
	ud->peer = NULL;
}

/* Have the stream to @path in ud->peer. False: there is no room for it. */
static bool find_peer(struct rxtcp_ud *ud, const struct rxt_path *path)
{
	struct rxtcp_pair pair;

	if (ud->peer && same_pair(&ud->peer->pair, path))
		return true;
	if (ud->peer)
		rxtcp_peer_flush(ud->peer);
	forget_peer(ud);
	pair_of(&pair, path);
	ud->peer = rxtcp_peer_get(ud->link, &pair, false);
	return ud->peer;
}

/* 0: it is queued. */
static int send_to(struct rxtcp_ud *ud, const struct rxt_path *path,
		   struct sk_buff *skb)
{
	int err;

	if (!find_peer(ud, path))
		return -ENOSPC;
	err = rxtcp_peer_queue(ud->peer, skb);
	if (err != -ESHUTDOWN)
		return err;
	/* It was idle and has just gone: it gets a successor. */
	forget_peer(ud);
	return find_peer(ud, path) ? rxtcp_peer_queue(ud->peer, skb) : -ENOSPC;
}

static struct sk_buff *make_skb(struct rxtcp_ud *ud, struct rxt_msg *msg)
{
	struct rxtcp_dgram dg = {
		.op = msg->op,
		.solicited = msg->flags & RXT_MSG_SOLICITED,
		.tclass = msg->av->tclass,
		.flow_label = msg->av->flow_label,
		.dst_qpn = msg->remote_qpn,
		.src_qpn = ud->conn.qpn,
		.qkey = msg->remote_qkey,
		.len = msg->length,
		.imm = msg->imm,
	};
	unsigned int head;
	struct sk_buff *skb;
	int err;
	u8 *buf;

	skb = alloc_skb(RXT_TCP_DGRAM_HDR_MAX + msg->length,
			GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return ERR_PTR(-ENOBUFS);
	buf = skb_put(skb, RXT_TCP_DGRAM_HDR_MAX + msg->length);
	head = rxtcp_dgram_encode(&dg, buf);
	skb_trim(skb, head + msg->length);
	err = rxt_msg_enter(msg);
	if (err) {
		kfree_skb(skb);
		return ERR_PTR(err);
	}
	rxt_msg_copy(msg, 0, msg->length, buf + head);
	rxt_msg_exit(msg);
	return skb;
}

/* A datagram; TX token held. Return: as ->xmit(). */
int rxtcp_ud_xmit(struct rxt_conn *conn, struct rxt_msg *msg)
{
	struct rxtcp_ud *ud = to_rxtcp_ud(conn);
	struct sk_buff *skb;

	if (msg->length > RXT_TCP_DGRAM_MAX)
		return -EMSGSIZE;
	skb = make_skb(ud, msg);
	if (IS_ERR(skb))
		return PTR_ERR(skb);
	if (send_to(ud, msg->av, skb)) {
		rxt_count_conn(conn, ud_dropped);
		kfree_skb(skb);
	}
	return RXT_TX_DONE;
}

/* The end of a batch: what is queued goes. TX token held. */
void rxtcp_ud_xmit_end(struct rxt_conn *conn)
{
	struct rxtcp_ud *ud = to_rxtcp_ud(conn);

	if (ud->peer)
		rxtcp_peer_flush(ud->peer);
}

/* ---- in ---- */

/* IBTA annex 17.7.1: an IPv4 header is in the last 20 of the 40 bytes. */
static void put_grh(struct rxt_dgram *to, const struct rxtcp_pair *pair,
		    const struct rxtcp_dgram *dg)
{
	const struct in6_addr *peer = (const struct in6_addr *)&pair->peer;
	const struct in6_addr *own = (const struct in6_addr *)&pair->own;
	struct ipv6hdr *ip6 = (struct ipv6hdr *)to->grh;
	struct iphdr *ip4 = (struct iphdr *)(to->grh + sizeof(to->grh) -
					     sizeof(*ip4));

	BUILD_BUG_ON(sizeof(*ip6) != sizeof(to->grh));
	if (!ipv6_addr_v4mapped(own)) {
		ip6_flow_hdr(ip6, dg->tclass, htonl(dg->flow_label));
		ip6->payload_len = htons(dg->len);
		ip6->nexthdr = IPPROTO_UDP;
		ip6->hop_limit = HOP_LIMIT;
		ip6->saddr = *peer;
		ip6->daddr = *own;
		to->network_type = RDMA_NETWORK_IPV6;
		return;
	}
	ip4->version = 4;
	ip4->ihl = 5;
	ip4->tos = dg->tclass;
	ip4->tot_len = htons(sizeof(*ip4) + dg->len);
	ip4->ttl = HOP_LIMIT;
	ip4->protocol = IPPROTO_UDP;
	ip4->saddr = peer->s6_addr32[3];
	ip4->daddr = own->s6_addr32[3];
	ip_send_check(ip4);
	to->network_type = RDMA_NETWORK_IPV4;
}

static bool to_ud(struct rxtcp_ud *ud, const struct rxt_dgram *dg,
		  struct sk_buff *skb, unsigned int off)
{
	bool open;

	spin_lock_bh(&ud->lock);
	open = ud->open;
	if (open)
		rxt_ud_rx(&ud->conn, dg, skb, off);
	spin_unlock_bh(&ud->lock);
	return open;
}

/* Each link has a QP 1. It is there until the end of the RCU read side, as its stop
 * waits for that.
 */
static bool to_gsi(struct rxtcp_link *link, const struct rxt_dgram *dg,
		   struct sk_buff *skb, unsigned int off)
{
	struct rxtcp_ud *ud;
	bool taken = false;

	rcu_read_lock();
	ud = rcu_dereference(link->peers.gsi);
	if (ud)
		taken = to_ud(ud, dg, skb, off);
	rcu_read_unlock();
	return taken;
}

static bool to_qpn(struct rxtcp_link *link, u32 qpn, const struct rxt_dgram *dg,
		   struct sk_buff *skb, unsigned int off)
{
	struct rxt_conn *conn;
	bool taken = false;

	if (qpn == GSI_QPN)
		return to_gsi(link, dg, skb, off);
	conn = rxt_conn_get(qpn);
	if (!conn)
		return false;
	/* Numbers are unique over all devices. */
	if (conn->dev == link->dev && conn->type == IB_QPT_UD)
		taken = to_ud(to_rxtcp_ud(conn), dg, skb, off);
	rxt_conn_put(conn);
	return taken;
}

/**
 * rxtcp_ud_deliver - a datagram came
 * @link: on this link
 * @pair: between these
 * @dg: its header
 * @skb: has its payload
 * @off: where that begins
 *
 * Context: process or softirq.
 */
void rxtcp_ud_deliver(struct rxtcp_link *link, const struct rxtcp_pair *pair,
		      const struct rxtcp_dgram *dg, struct sk_buff *skb,
		      unsigned int off)
{
	struct rxt_dgram to = {
		.hdr = {
			.op = dg->op,
			.solicited = dg->solicited,
			.length = dg->len,
			.imm = dg->imm,
		},
		.src_qpn = dg->src_qpn,
		.qkey = dg->qkey,
	};

	rxt_count(link->dev, rx_packets);
	put_grh(&to, pair, dg);
	if (!to_qpn(link, dg->dst_qpn, &to, skb, off))
		rxt_count(link->dev, bad_qpn);
}

/* ---- life ---- */

struct rxt_conn *rxtcp_ud_alloc(struct rxt_dev *dev, enum ib_qp_type type)
{
	struct rxtcp_ud *ud = kzalloc(sizeof(*ud), GFP_KERNEL);

	if (!ud)
		return ERR_PTR(-ENOMEM);
	ud->link = rxt_dev_priv(dev);
	spin_lock_init(&ud->lock);
	return &ud->conn;
}

int rxtcp_ud_modify(struct rxt_conn *conn, const struct rxt_qp_attr *attr, int mask)
{
	struct rxtcp_ud *ud = to_rxtcp_ud(conn);

	if (!(mask & IB_QP_STATE) || attr->state != IB_QPS_RTR)
		return 0;
	spin_lock_bh(&ud->lock);
	ud->open = true;
	spin_unlock_bh(&ud->lock);
	if (conn->type == IB_QPT_GSI)
		rcu_assign_pointer(ud->link->peers.gsi, ud);
	return 0;
}

void rxtcp_ud_stop(struct rxt_conn *conn)
{
	struct rxtcp_ud *ud = to_rxtcp_ud(conn);

	spin_lock_bh(&ud->lock);
	ud->open = false;
	spin_unlock_bh(&ud->lock);
	if (conn->type == IB_QPT_GSI) {
		RCU_INIT_POINTER(ud->link->peers.gsi, NULL);
		synchronize_rcu();
	}
	forget_peer(ud);
}

void rxtcp_ud_free(struct rxt_conn *conn)
{
	kfree(to_rxtcp_ud(conn));
}

void rxtcp_ud_query(struct rxt_conn *conn, struct rxt_conn_info *info)
{
	struct rxtcp_ud *ud = to_rxtcp_ud(conn);

	info->established = READ_ONCE(ud->open);
	strscpy(info->desc, "datagrams", sizeof(info->desc));
}
