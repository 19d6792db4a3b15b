// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: datagrams: UD queue pairs and QP 1.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include "roce.h"

static int ud_route(struct roce_conn *rc, const struct rxt_msg *msg)
{
	struct rxt_path *path = &rc->tx.path;
	int err;

	if (rc->tx.route.oif && rc->dest_qpn == msg->remote_qpn &&
	    !memcmp(path, msg->av, sizeof(*path)))
		return 0;
	err = roce_tx_flush(rc);
	if (err)
		return err;
	*path = *msg->av;
	rc->dest_qpn = msg->remote_qpn;
	return roce_route_set(rc, path, msg->remote_qpn);
}

static int ud_packet(struct roce_conn *rc, struct rxt_msg *msg)
{
	u8 opcode = roce_data_opcode(ROCE_UD, msg->op, true, true);
	struct roce_payload pl = { .msg = msg };
	struct roce_hdr h = {
		.info = &roce_opcodes[opcode],
		.opcode = opcode,
		.pad = roce_pad(msg->length),
		.solicited = msg->flags & RXT_MSG_SOLICITED,
		.pkey = ROCE_PKEY,
		.qpn = msg->remote_qpn,
		.psn = rc->tx.psn,
		.len = msg->length,
		.imm = msg->imm,
		.qkey = msg->remote_qkey,
		.src_qpn = rc->conn.qpn,
	};

	return roce_tx_packet(rc, &h, &pl);
}

static u32 ud_mtu(struct roce_conn *rc)
{
	struct net_device *ndev = rxt_dev_netdev_get(rc->conn.dev);
	u32 mtu;

	if (!ndev)
		return 0;
	mtu = READ_ONCE(ndev->mtu);
	dev_put(ndev);
	return mtu > ROCE_OVERHEAD ?
	       ib_mtu_enum_to_int(min(ib_mtu_int_to_enum(mtu - ROCE_OVERHEAD),
				      IB_MTU_4096)) : 0;
}

/**
 * roce_ud_xmit - a datagram
 * @rc: UD or GSI, TX token held
 * @msg: message
 *
 * Nobody answers: what finds no way is gone.
 *
 * Return: as ->xmit().
 */
int roce_ud_xmit(struct roce_conn *rc, struct rxt_msg *msg)
{
	int err;

	/* The smallest MTU there is needs no look at the netdev. */
	if (msg->length > 256 && msg->length > ud_mtu(rc))
		return -EMSGSIZE;
	err = ud_route(rc, msg);
	if (!err) {
		err = rxt_msg_enter(msg);
		if (err)
			return err;
		err = ud_packet(rc, msg);
		rxt_msg_exit(msg);
	}
	if (err == -ENOBUFS)
		return READ_ONCE(rc->timer.stalled) ? RXT_TX_BLOCKED : err;
	rc->tx.psn = roce_psn_add(rc->tx.psn, 1);
	return RXT_TX_DONE;
}

static void put_grh(struct rxt_dgram *dg, const struct sk_buff *skb, u32 len)
{
	struct ipv6hdr *ip6 = (struct ipv6hdr *)dg->grh;
	struct iphdr *ip4 = (struct iphdr *)(dg->grh + sizeof(dg->grh) -
					     sizeof(*ip4));

	BUILD_BUG_ON(sizeof(*ip6) != sizeof(dg->grh));
	if (skb->protocol == htons(ETH_P_IPV6)) {
		*ip6 = *ipv6_hdr(skb);
		ip6->payload_len = htons(len);
		dg->network_type = RDMA_NETWORK_IPV6;
	} else {
		*ip4 = *ip_hdr(skb);
		ip4->tot_len = htons(sizeof(*ip4) + len);
		dg->network_type = RDMA_NETWORK_IPV4;
	}
}

/**
 * roce_ud_rx - a datagram came
 * @rc: UD or GSI, open, locked
 * @pkt: packet
 */
void roce_ud_rx(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	const struct roce_hdr *h = &pkt->h;
	struct rxt_dgram dg = {
		.hdr = {
			.op = h->info->op,
			.solicited = h->solicited,
			.length = h->len,
			.imm = h->imm,
		},
		.src_qpn = h->src_qpn,
		.qkey = h->qkey,
	};

	lockdep_assert_held(&rc->lock);
	/* IBTA 9.8.2.2.2: longer than any MTU there can be. */
	if (h->len > 4096) {
		rxt_count_conn(&rc->conn, ud_dropped);
		return;
	}
	put_grh(&dg, pkt->skb, sizeof(struct udphdr) + roce_wire_len(h));
	rxt_ud_rx(&rc->conn, &dg, pkt->skb, pkt->off);
}
