// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: inbound skbs: cut into packets where they lie, check, find the
 * connection, hand over.
 *
 * What lives here: walking skbs, everything that is checked before a connection's
 * state is looked at, counting what is dropped. What may not: PSNs, answers.
 *
 * A super-packet is walked once from front to back. Headers are gathered into a
 * small buffer, payload is placed from where it is: nothing is linearised.
 * A connection's lock is held from its first packet to its last one in the skb.
 */
#include <linux/highmem.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include "roce.h"

/**
 * struct roce_batch - an skb under way
 * @rn: namespace
 * @skb: it
 * @at: next byte
 * @off: the same
 * @left: bytes behind @at
 * @size: UDP payload bytes of each packet but the last
 * @ends: addresses and ports
 * @ip_id: of the next packet, IPv4
 * @local: ICRCs need no look
 * @link: whose address it is for, looked up when needed
 * @rc: connection of the packet before, locked and referenced, or NULL
 * @ref: @rc is referenced by rxt_conn_get(), otherwise by RCU
 * @pkt: the packet under way
 * @run: what the base header of @pkt has in front of the PSN
 * @run_len: UDP payload bytes of @pkt if it is nothing but base header and payload
 *	and was accepted for @rc; else 0
 */
struct roce_batch {
	struct roce_net		*rn;
	struct sk_buff		*skb;
	struct roce_at		at;
	u32			off;
	u32			left;
	u32			size;
	struct roce_ends	ends;
	u16			ip_id;
	bool			local;
	struct roce_link	*link;
	struct roce_conn	*rc;
	bool			ref;
	struct roce_pkt		pkt;
	u8			run[offsetof(struct roce_bth, psn)];
	u32			run_len;
};

/* What finds no connection is counted by the link that it is for. */
#define rx_count(b, name) do {						\
	struct roce_link *__link = link_of(b);				\
									\
	if (__link)							\
		rxt_count(__link->dev, name);				\
} while (0)

/* The link whose address the skb is for; any for what is for none of them. */
static struct roce_link *link_of(struct roce_batch *b)
{
	struct roce_link *link;
	int ifindex;

	if (b->link)
		return b->link;
	ifindex = roce_link_ifindex(b->rn->net, &b->ends);
	list_for_each_entry_rcu(link, &b->rn->links, node) {
		if (!b->link || link->ifindex == ifindex)
			b->link = link;
		if (link->ifindex == ifindex)
			break;
	}
	return b->link;
}

/* ---- walking ---- */

static u32 piece_len(const struct roce_at *at)
{
	if (at->frag < 0)
		return skb_headlen(at->skb);
	return skb_frag_size(&skb_shinfo(at->skb)->frags[at->frag]);
}

/* To the next piece that is not used up. False: there is none. */
static bool at_settle(struct roce_at *at, struct sk_buff *head)
{
	while (at->off >= piece_len(at)) {
		at->off -= piece_len(at);
		if (++at->frag < skb_shinfo(at->skb)->nr_frags)
			continue;
		at->skb = at->skb == head ? skb_shinfo(head)->frag_list :
					    at->skb->next;
		at->frag = -1;
		if (!at->skb)
			return false;
	}
	return true;
}

/* Bytes at @at that can be had in one piece, mapped; @len: at most. */
static void *at_map(const struct roce_at *at, u32 *len)
{
	const skb_frag_t *frag;
	u32 off;

	*len = min(*len, piece_len(at) - at->off);
	if (at->frag < 0)
		return at->skb->data + at->off;
	frag = &skb_shinfo(at->skb)->frags[at->frag];
	off = skb_frag_off(frag) + at->off;
	if (!IS_ENABLED(CONFIG_HIGHMEM))
		return page_address(skb_frag_page(frag)) + off;
	*len = min_t(u32, *len, PAGE_SIZE - offset_in_page(off));
	return kmap_local_page(skb_frag_page(frag) + (off >> PAGE_SHIFT)) +
	       offset_in_page(off);
}

static void at_unmap(const struct roce_at *at, const void *p)
{
	if (IS_ENABLED(CONFIG_HIGHMEM) && at->frag >= 0)
		kunmap_local(p);
}

static int at_copy(struct roce_at *at, struct sk_buff *head, void *dst, u32 len)
{
	while (len) {
		u32 n = len;
		void *src;

		if (!at_settle(at, head))
			return -EFAULT;
		src = at_map(at, &n);
		memcpy(dst, src, n);
		at_unmap(at, src);
		dst += n;
		at->off += n;
		len -= n;
	}
	return 0;
}

static int at_crc(struct roce_at *at, struct sk_buff *head, u32 len, u32 *crc)
{
	while (len) {
		u32 n = len;
		void *src;

		if (!at_settle(at, head))
			return -EFAULT;
		src = at_map(at, &n);
		*crc = roce_icrc_add(*crc, src, n);
		at_unmap(at, src);
		at->off += n;
		len -= n;
	}
	return 0;
}

/**
 * roce_place - a packet's payload to where it belongs
 * @rx: core's context
 * @off: of the message
 * @pkt: packet
 *
 * Context: softirq, connection locked. Return: as rxt_rx_place_buf().
 */
int roce_place(struct rxt_rx *rx, u32 off, const struct roce_pkt *pkt)
{
	struct roce_at at = pkt->at;
	u32 left = pkt->h.len;
	int err = 0;

	while (left && !err) {
		u32 n = left;
		void *src;

		if (!at_settle(&at, pkt->skb))
			return -EFAULT;
		src = at_map(&at, &n);
		err = rxt_rx_place_buf(rx, off, src, n);
		at_unmap(&at, src);
		at.off += n;
		off += n;
		left -= n;
	}
	return err;
}

/* ---- connections ---- */

static void batch_leave(struct roce_batch *b)
{
	struct roce_conn *rc = b->rc;
	bool kick;

	if (!rc)
		return;
	kick = rc->open && (rc->kick || rc->resp.latch.ack ||
			    rc->resp.latch.nak || rxt_tx_wanted(&rc->conn));
	rc->kick = false;
	__acquire(&rc->lock);	/* by batch_enter(), which sparse cannot know */
	spin_unlock_bh(&rc->lock);
	if (kick)
		rxt_tx_ready(&rc->conn, RXT_TX_INLINE);
	if (b->ref)
		rxt_conn_put(&rc->conn);
	b->rc = NULL;
	b->run_len = 0;
}

/* Numbers are unique over all backends: is this one of ours, and of here? */
static bool is_ours(const struct roce_batch *b, const struct rxt_conn *conn)
{
	const struct roce_link *link;

	list_for_each_entry_rcu(link, &b->rn->links, node)
		if (link->dev == conn->dev)
			return true;
	return false;
}

/* Make the connection of @qpn b->rc. False: there is none, or it is not open. */
static bool batch_enter(struct roce_batch *b, u32 qpn)
{
	struct roce_conn *rc = b->rc;
	struct rxt_conn *conn;

	if (rc && rc->conn.qpn == qpn)
		return rc->open;
	batch_leave(b);
	if (qpn == ROCE_GSI_QPN) {
		struct roce_link *link = link_of(b);

		rc = link ? rcu_dereference(link->gsi) : NULL;
		if (!rc)
			return false;
		b->ref = false;
	} else {
		conn = rxt_conn_get(qpn);
		if (!conn)
			return false;
		if (!is_ours(b, conn)) {
			rxt_conn_put(conn);
			return false;
		}
		rc = to_roce(conn);
		b->ref = true;
	}
	spin_lock_bh(&rc->lock);
	__release(&rc->lock);	/* see batch_leave() */
	b->rc = rc;
	return rc->open;
}

static u8 transport_of(const struct roce_conn *rc)
{
	switch (rc->conn.type) {
	case IB_QPT_RC:
		return ROCE_RC;
	case IB_QPT_UC:
		return ROCE_UC;
	default:
		return ROCE_UD;
	}
}

/* Connected: the two addresses of the path. Datagrams: an address of the link. */
static bool source_ok(struct roce_batch *b, const struct roce_conn *rc)
{
	const struct roce_ends *p = &b->ends, *e = &rc->ends;

	if (rc->conn.type != IB_QPT_RC && rc->conn.type != IB_QPT_UC)
		return rc->link == link_of(b);
	if (p->v6 != e->v6)
		return false;
	if (!p->v6)
		return p->src4 == e->dst4 && p->dst4 == e->src4;
	return ipv6_addr_equal(&p->src6, &e->dst6) &&
	       ipv6_addr_equal(&p->dst6, &e->src6);
}

static void deliver(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	lockdep_assert_held(&rc->lock);
	rxt_count_conn(&rc->conn, rx_packets);
	if (rc->conn.type == IB_QPT_UC)
		roce_resp_uc(rc, pkt);
	else if (rc->conn.type != IB_QPT_RC)
		roce_ud_rx(rc, pkt);
	else if (pkt->h.info->flags & ROCE_F_RESPONSE)
		roce_req_rx(rc, pkt);
	else
		roce_resp_rx(rc, pkt);
}

/* ---- packets ---- */

/* @at: payload of @len bytes. */
static bool icrc_absent(const struct roce_batch *b, struct roce_at at, u32 len)
{
	__le32 icrc;

	at.off += len;
	return !at_copy(&at, b->skb, &icrc, sizeof(icrc)) && !icrc &&
	       roce_skb_did_stay(b->skb);
}

static bool icrc_ok(const struct roce_batch *b, const struct roce_pkt *pkt,
		    const u8 *hdr, u32 wire_len)
{
	const struct roce_hdr *h = &pkt->h;
	struct roce_at at = pkt->at;
	__le32 icrc;
	u32 crc;

	if (b->local)
		return true;
	if (unlikely(b->skb->dev->flags & IFF_LOOPBACK) &&
	    icrc_absent(b, at, h->len + h->pad))
		return true;
	crc = roce_icrc_begin(&b->ends, b->ip_id, wire_len, hdr);
	crc = roce_icrc_add(crc, hdr + sizeof(struct roce_bth),
			    h->info->hdr_len - sizeof(struct roce_bth));
	if (at_crc(&at, b->skb, h->len + h->pad, &crc) ||
	    at_copy(&at, b->skb, &icrc, sizeof(icrc)))
		return false;
	return icrc == roce_icrc_end(crc);
}

/* What is the same for every QP: partition, checksum. */
static bool accept(struct roce_batch *b, const struct roce_pkt *pkt,
		   const u8 *hdr, u32 wire_len)
{
	if ((pkt->h.pkey & ROCE_PKEY_BASE) != ROCE_PKEY_BASE) {
		rx_count(b, bad_key);
		return false;
	}
	if (!icrc_ok(b, pkt, hdr, wire_len)) {
		rx_count(b, bad_checksum);
		return false;
	}
	return true;
}

/* To all links on the netdev that it came in by. */
static void multicast(struct roce_batch *b, const struct roce_pkt *pkt)
{
	int ifindex = roce_lower_ifindex(b->skb->dev);
	struct roce_link *link;
	bool taken = false;

	/* Those of a group are locked one after the other. */
	batch_leave(b);
	list_for_each_entry_rcu(link, &b->rn->links, node)
		if (link->ifindex == ifindex)
			taken |= roce_mcast_rx(link, &b->ends, pkt);
	if (!taken)
		rx_count(b, bad_qpn);
}

/* Most packets of a long message differ from the one before in PSN and payload
 * only: what was found out about that one holds. False: not this one.
 */
static bool next_of_run(struct roce_batch *b, u32 wire_len)
{
	struct roce_pkt *pkt = &b->pkt;
	struct roce_at at = b->at;
	struct roce_bth bth;

	if (b->run_len != wire_len || !b->rc->open ||
	    at_copy(&at, b->skb, &bth, sizeof(bth)) ||
	    memcmp(&bth, b->run, sizeof(b->run)))
		return false;
	roce_hdr_set_psn(&pkt->h, &bth);
	pkt->off = b->off + sizeof(bth);
	pkt->at = at;
	if (icrc_ok(b, pkt, (const u8 *)&bth, wire_len))
		deliver(b->rc, pkt);
	else
		rx_count(b, bad_checksum);
	return true;
}

static void one_packet(struct roce_batch *b, u32 wire_len)
{
	u32 have = min_t(u32, wire_len, ROCE_HDR_MAX);
	struct roce_pkt *pkt = &b->pkt;
	struct roce_at at = b->at;
	u8 hdr[ROCE_HDR_MAX];

	b->run_len = 0;
	pkt->at = b->at;
	if (at_copy(&at, b->skb, hdr, have) ||
	    roce_hdr_decode(&pkt->h, hdr, have, wire_len)) {
		rx_count(b, bad_header);
		return;
	}
	pkt->off = b->off + pkt->h.info->hdr_len;
	pkt->at.off += pkt->h.info->hdr_len;

	if (pkt->h.qpn == ROCE_MCAST_QPN) {
		if ((pkt->h.opcode & ROCE_TRANSPORT) != ROCE_UD)
			rx_count(b, bad_qpn);
		else if (accept(b, pkt, hdr, wire_len))
			multicast(b, pkt);
		return;
	}
	if (!batch_enter(b, pkt->h.qpn) ||
	    (pkt->h.opcode & ROCE_TRANSPORT) != transport_of(b->rc)) {
		rx_count(b, bad_qpn);
		return;
	}
	if (!source_ok(b, b->rc)) {
		rx_count(b, bad_source);
		return;
	}
	if (!accept(b, pkt, hdr, wire_len))
		return;
	deliver(b->rc, pkt);
	if (pkt->h.info->hdr_len == sizeof(struct roce_bth)) {
		memcpy(b->run, hdr, sizeof(b->run));
		b->run_len = wire_len;
	}
}

/* Addresses, ports and lengths of the skb. */
static int batch_begin(struct roce_batch *b)
{
	struct sk_buff *skb = b->skb;
	unsigned int off = skb_transport_offset(skb);
	const struct udphdr *udp;
	struct udphdr buf;

	udp = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!udp)
		return -EINVAL;
	b->ends.sport = udp->source;
	b->ends.dport = udp->dest;
	b->off = off + sizeof(*udp);
	if (skb->len <= b->off)
		return -EINVAL;
	b->left = skb->len - b->off;
	if (skb_is_gso(skb)) {
		b->size = skb_shinfo(skb)->gso_size;
	} else {
		if (ntohs(udp->len) < sizeof(*udp) ||
		    ntohs(udp->len) - sizeof(*udp) > b->left)
			return -EINVAL;
		b->left = ntohs(udp->len) - sizeof(*udp);
		b->size = b->left;
	}
	if (!b->size)
		return -EINVAL;

	if (skb->protocol == htons(ETH_P_IPV6)) {
		b->ends.v6 = true;
		b->ends.src6 = ipv6_hdr(skb)->saddr;
		b->ends.dst6 = ipv6_hdr(skb)->daddr;
		return 0;
	}
	/* The ICRC has no room for options. */
	if (ip_hdr(skb)->ihl != 5)
		return -EINVAL;
	b->ends.src4 = ip_hdr(skb)->saddr;
	b->ends.dst4 = ip_hdr(skb)->daddr;
	b->ends.frag_off = ip_hdr(skb)->frag_off;
	b->ip_id = ntohs(ip_hdr(skb)->id);
	return 0;
}

/**
 * roce_rx - an skb for our port
 * @rn: namespace
 * @skb: with network and transport header set; consumed
 *
 * Context: softirq, RCU read side.
 */
void roce_rx(struct roce_net *rn, struct sk_buff *skb)
{
	struct roce_batch b = {
		.rn	= rn,
		.skb	= skb,
		.at	= { .skb = skb, .frag = -1 },
		.local	= roce_skb_is_local(skb),
		.pkt.skb = skb,
	};

	if (batch_begin(&b)) {
		rx_count(&b, bad_header);
		goto free;
	}
	b.at.off = b.off;
	while (b.left) {
		u32 n = min(b.left, b.size);

		if (!next_of_run(&b, n))
			one_packet(&b, n);
		b.at.off += n;
		at_settle(&b.at, skb);
		b.off += n;
		b.left -= n;
		b.ip_id++;
	}
	batch_leave(&b);
free:
	consume_skb(skb);
}
