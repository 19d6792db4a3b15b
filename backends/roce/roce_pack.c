// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: building skbs: one wire packet, or a UDP GSO super-packet of many.
 *
 * What lives here: the layout, copying or handing out of payload, the ICRC of each
 * packet, IP and UDP headers. What may not: routes, connections, who sends when.
 *
 * Layout: the linear part has IP, UDP and a short first packet; all else is in
 * fragments: headers, ICRCs and copied payload in memory of our own, payload that
 * is not copied in the pages of the region. Where MAX_SKB_FRAGS is not enough a
 * fragment list goes on. Every packet but the last has the same length, as the
 * stack cuts by length alone, and the identification of packet n is that of the
 * first plus n, which the ICRC covers.
 */
#include <linux/highmem.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/random.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/udp.h>
#include "roce_pack.h"

/* A first packet up to this wire length is copied into the linear part. */
#define LINEAR_MAX	1536
/* No piece of memory for copies is shorter than this. */
#define COPY_MIN	64
/* IP length is 16 bits; gso_max_size of most devices is 64 KiB. */
#define SUPER_MAX	65000

#define GFP_PACK	(GFP_ATOMIC | __GFP_NOWARN)

/* Marks skbs of our own making, see roce_skb_is_local(). */
static u32 made_here __read_mostly;

/**
 * roce_pack_init - choose the mark
 */
void roce_pack_init(void)
{
	made_here = get_random_u32() | 1;
}

static unsigned int net_len(const struct roce_flow *flow)
{
	return (flow->ends.v6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr)) +
	       sizeof(struct udphdr);
}

/**
 * roce_pack_takes - can a packet of this length be added?
 * @p: super-packet
 * @wire_len: bytes of UDP payload
 *
 * Return: false when roce_pack_close() has to come first.
 */
bool roce_pack_takes(const struct roce_pack *p, u32 wire_len)
{
	return !p->skb || (!p->closed && p->count < p->limit &&
			   wire_len <= p->size &&
			   p->skb->len + wire_len <= SUPER_MAX);
}

/**
 * roce_pack_open - have a super-packet that takes a packet
 * @p: for which roce_pack_takes() is true
 * @flow: flow
 * @wire_len: bytes of UDP payload of the packet
 * @headroom: for headers below IP
 * @limit: packets that may share an skb on this way
 *
 * Context: any. Return: 0 or -ENOBUFS.
 */
int roce_pack_open(struct roce_pack *p, const struct roce_flow *flow,
		   u32 wire_len, unsigned int headroom, u32 limit)
{
	unsigned int net = net_len(flow);
	struct sk_buff *skb;

	if (p->skb)
		return 0;
	skb = alloc_skb(headroom + net +
			(wire_len <= LINEAR_MAX ? wire_len : 0), GFP_PACK);
	if (!skb)
		return -ENOBUFS;
	skb_reserve(skb, headroom);
	skb_put(skb, net);
	p->skb = skb;
	p->tail = skb;
	p->size = wire_len;
	p->count = 0;
	p->limit = clamp_t(u32, limit, 1, U16_MAX);
	p->closed = false;
	p->ip_id = p->next_ip_id;
	return 0;
}

/**
 * roce_pack_drop - give up what is under construction
 * @p: super-packet
 */
void roce_pack_drop(struct roce_pack *p)
{
	kfree_skb(p->skb);
	p->skb = NULL;
	p->tail = NULL;
}

/**
 * roce_pack_free - give up and give the memory back
 * @p: super-packet
 */
void roce_pack_free(struct roce_pack *p)
{
	roce_pack_drop(p);
	if (p->frag.page)
		put_page(p->frag.page);
	p->frag.page = NULL;
}

static void account(struct roce_pack *p, u32 len, u32 truesize)
{
	struct sk_buff *skb = p->tail;

	skb->len += len;
	skb->data_len += len;
	skb->truesize += truesize;
	if (skb == p->skb)
		return;
	p->skb->len += len;
	p->skb->data_len += len;
	p->skb->truesize += truesize;
}

/* One more skb of the fragment list, with fragments only. */
static int chain(struct roce_pack *p)
{
	struct sk_buff *skb = alloc_skb(0, GFP_PACK);

	if (!skb)
		return -ENOBUFS;
	if (p->tail == p->skb)
		skb_shinfo(p->skb)->frag_list = skb;
	else
		p->tail->next = skb;
	p->tail = skb;
	p->skb->truesize += skb->truesize;
	return 0;
}

/* Takes over a reference on @page when it returns 0. */
static int add_frag(struct roce_pack *p, struct page *page, u32 off, u32 len)
{
	int i = skb_shinfo(p->tail)->nr_frags;

	if (i && skb_can_coalesce(p->tail, i, page, off)) {
		skb_frag_size_add(&skb_shinfo(p->tail)->frags[i - 1], len);
		put_page(page);
		account(p, len, len);
		return 0;
	}
	if (i == MAX_SKB_FRAGS) {
		if (chain(p))
			return -ENOBUFS;
		i = 0;
	}
	skb_fill_page_desc(p->tail, i, page, off, len);
	account(p, len, len);
	return 0;
}

/* Does @f go on where the last fragment ends? Then that one can grow. */
static bool follows(const struct roce_pack *p, const struct page_frag *f)
{
	int i = skb_shinfo(p->tail)->nr_frags;

	return f->page && f->offset < f->size && i &&
	       skb_can_coalesce(p->tail, i, f->page, f->offset);
}

static void *grow(struct roce_pack *p, struct page_frag *f, u32 len)
{
	int i = skb_shinfo(p->tail)->nr_frags;
	void *at = page_address(f->page) + f->offset;

	skb_frag_size_add(&skb_shinfo(p->tail)->frags[i - 1], len);
	account(p, len, len);
	f->offset += len;
	return at;
}

/* Room for up to @want bytes behind what is there. NULL: no memory. */
static void *reserve(struct roce_pack *p, u32 want, u32 *got)
{
	struct page_frag *f = &p->frag;
	u32 at;

	if (p->tail == p->skb && !p->skb->data_len &&
	    skb_tailroom(p->skb) >= want) {
		*got = want;
		return skb_put(p->skb, want);
	}
	if (follows(p, f)) {
		*got = min(want, f->size - f->offset);
		return grow(p, f, *got);
	}
	if (!skb_page_frag_refill(min_t(u32, want, COPY_MIN), f, GFP_PACK))
		return NULL;
	*got = min(want, f->size - f->offset);
	at = f->offset;
	get_page(f->page);
	if (add_frag(p, f->page, at, *got)) {
		put_page(f->page);
		return NULL;
	}
	f->offset = at + *got;
	return page_address(f->page) + at;
}

static int put_bytes(struct roce_pack *p, const void *src, u32 len)
{
	while (len) {
		u32 got;
		void *dst = reserve(p, len, &got);

		if (!dst)
			return -ENOBUFS;
		memcpy(dst, src, got);
		src += got;
		len -= got;
	}
	return 0;
}

/* @crc: to be carried on, NULL: there is none. */
static int put_copy(struct roce_pack *p, struct rxt_msg *msg, u32 off, u32 len,
		    u32 *crc)
{
	while (len) {
		u32 got;
		void *dst = reserve(p, len, &got);

		if (!dst)
			return -ENOBUFS;
		rxt_msg_copy(msg, off, got, dst);
		if (crc)
			*crc = roce_icrc_add(*crc, dst, got);
		off += got;
		len -= got;
	}
	return 0;
}

static u32 crc_pages(u32 crc, const struct bio_vec *bv)
{
	u32 done = 0;

	while (done < bv->bv_len) {
		u32 at = bv->bv_offset + done;
		u32 n = min_t(u32, bv->bv_len - done, PAGE_SIZE - offset_in_page(at));
		void *map = kmap_local_page(bv->bv_page + (at >> PAGE_SHIFT));

		crc = roce_icrc_add(crc, map + offset_in_page(at), n);
		kunmap_local(map);
		done += n;
	}
	return crc;
}

static int put_pages(struct roce_pack *p, struct rxt_msg *msg, u32 off, u32 len,
		     u32 *crc)
{
	struct bio_vec bv[4];
	unsigned int i, n;
	u32 got;

	while (len) {
		n = rxt_msg_bvecs(msg, off, len, bv, ARRAY_SIZE(bv), &got);
		if (WARN_ON_ONCE(!n))
			return -ENOBUFS;
		for (i = 0; i < n; i++) {
			/* Slab memory has no references to be held. */
			if (!sendpage_ok(bv[i].bv_page))
				return put_copy(p, msg, off, len, crc);
			get_page(bv[i].bv_page);
			if (add_frag(p, bv[i].bv_page, bv[i].bv_offset,
				     bv[i].bv_len)) {
				put_page(bv[i].bv_page);
				return -ENOBUFS;
			}
			if (crc)
				*crc = crc_pages(*crc, &bv[i]);
			off += bv[i].bv_len;
			len -= bv[i].bv_len;
		}
		/* The pages may change while the stack has them. */
		skb_shinfo(p->tail)->flags |= SKBFL_SHARED_FRAG;
		skb_shinfo(p->skb)->flags |= SKBFL_SHARED_FRAG;
	}
	return 0;
}

static int put_payload(struct roce_pack *p, const struct roce_payload *pl,
		       u32 len, u32 *crc)
{
	if (!len)
		return 0;
	if (!pl->msg) {
		if (crc)
			*crc = roce_icrc_add(*crc, pl->data, len);
		return put_bytes(p, pl->data, len);
	}
	if (pl->splice)
		return put_pages(p, pl->msg, pl->off, len, crc);
	return put_copy(p, pl->msg, pl->off, len, crc);
}

/* The same in one piece; NULL: no memory, or only pieces. */
static u8 *reserve_whole(struct roce_pack *p, u32 len)
{
	struct page_frag *f = &p->frag;
	u32 got;

	if (p->skb->data_len || skb_tailroom(p->skb) < len) {
		if ((!f->page || f->size - f->offset < len) &&
		    !skb_page_frag_refill(min_t(u32, len, PAGE_SIZE), f, GFP_PACK))
			return NULL;
		if (f->size - f->offset < len)
			return NULL;
	}
	return reserve(p, len, &got);
}

/* A packet whose payload is copied: all of it lies in one place, one pass each. */
static void write_packet(u8 *at, const struct roce_pack *p,
			 const struct roce_flow *flow, const struct roce_hdr *h,
			 const struct roce_payload *pl, u32 wire_len)
{
	u32 n = roce_hdr_encode(h, at), crc;
	__le32 icrc = 0;

	if (h->len && pl->msg)
		rxt_msg_copy(pl->msg, pl->off, h->len, at + n);
	else if (h->len)
		memcpy(at + n, pl->data, h->len);
	n += h->len;
	memset(at + n, 0, h->pad);
	n += h->pad;
	if (!flow->stays) {
		crc = roce_icrc_begin(&flow->ends, p->ip_id + p->count, wire_len,
				      at);
		crc = roce_icrc_add(crc, at + sizeof(struct roce_bth),
				    n - sizeof(struct roce_bth));
		icrc = roce_icrc_end(crc);
	}
	memcpy(at + n, &icrc, sizeof(icrc));
}

/* A packet in pieces. */
static int gather_packet(struct roce_pack *p, const struct roce_flow *flow,
			 const struct roce_hdr *h, const struct roce_payload *pl,
			 u32 wire_len)
{
	u8 buf[ROCE_HDR_MAX], end[4 + ROCE_ICRC_LEN] = {};
	u32 hdr_len, crc;
	__le32 icrc;

	hdr_len = roce_hdr_encode(h, buf);
	if (!flow->stays) {
		crc = roce_icrc_begin(&flow->ends, p->ip_id + p->count, wire_len,
				      buf);
		crc = roce_icrc_add(crc, buf + sizeof(struct roce_bth),
				    hdr_len - sizeof(struct roce_bth));
	}
	if (put_bytes(p, buf, hdr_len) ||
	    put_payload(p, pl, h->len, flow->stays ? NULL : &crc))
		return -ENOBUFS;
	/* Padding and ICRC in one piece. */
	if (!flow->stays) {
		icrc = roce_icrc_end(roce_icrc_add(crc, end, h->pad));
		memcpy(end + 4, &icrc, sizeof(icrc));
	}
	return put_bytes(p, end + 4 - h->pad, h->pad + ROCE_ICRC_LEN);
}

/**
 * roce_pack_add - one more packet
 * @p: opened for it
 * @flow: flow
 * @h: headers
 * @pl: payload, h->len bytes
 *
 * Context: any. Return: 0; -ENOBUFS: no memory, the super-packet is no more.
 */
int roce_pack_add(struct roce_pack *p, const struct roce_flow *flow,
		  const struct roce_hdr *h, const struct roce_payload *pl)
{
	u32 wire_len = roce_wire_len(h);
	u8 *at = pl->splice ? NULL : reserve_whole(p, wire_len);

	if (at) {
		write_packet(at, p, flow, h, pl, wire_len);
	} else if (gather_packet(p, flow, h, pl, wire_len)) {
		roce_pack_drop(p);
		return -ENOBUFS;
	}
	p->count++;
	p->closed = wire_len < p->size;
	return 0;
}

static void put_ip4(struct sk_buff *skb, const struct roce_flow *flow, u16 id,
		    u8 ttl)
{
	struct iphdr *ip = ip_hdr(skb);

	ip->version = 4;
	ip->ihl = sizeof(*ip) / 4;
	ip->tos = flow->tos;
	ip->tot_len = htons(skb->len);
	ip->id = htons(id);
	ip->frag_off = flow->ends.frag_off;
	ip->ttl = ttl;
	ip->protocol = IPPROTO_UDP;
	ip->check = 0;
	ip->saddr = flow->ends.src4;
	ip->daddr = flow->ends.dst4;
	skb->protocol = htons(ETH_P_IP);
}

static void put_ip6(struct sk_buff *skb, const struct roce_flow *flow, u8 ttl)
{
	struct ipv6hdr *ip = ipv6_hdr(skb);

	ip6_flow_hdr(ip, flow->tos, htonl(flow->flow_label));
	ip->payload_len = htons(skb->len - sizeof(*ip));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = ttl;
	ip->saddr = flow->ends.src6;
	ip->daddr = flow->ends.dst6;
	skb->protocol = htons(ETH_P_IPV6);
}

static void put_udp(struct sk_buff *skb, const struct roce_flow *flow, bool csum)
{
	const struct roce_ends *e = &flow->ends;
	struct udphdr *udp = udp_hdr(skb);
	u32 len = skb->len - skb_transport_offset(skb);

	udp->source = e->sport;
	udp->dest = e->dport;
	udp->len = htons(len);
	udp->check = 0;
	if (!csum)
		return;
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
	udp->check = e->v6 ?
		~udp_v6_check(len, &e->src6, &e->dst6, 0) :
		~udp_v4_check(len, e->src4, e->dst4, 0);
}

/**
 * roce_pack_close - the super-packet as the stack takes it
 * @p: with at least one packet
 * @flow: flow
 * @ttl: TTL or hop limit
 * @csum: leave the UDP checksum to whoever needs it; otherwise there is none,
 *	unless there are several packets, which cannot do without
 *
 * Return: skb, the caller's from here on.
 */
struct sk_buff *roce_pack_close(struct roce_pack *p, const struct roce_flow *flow,
				u8 ttl, bool csum)
{
	struct skb_shared_info *sh = skb_shinfo(p->skb);
	struct sk_buff *skb = p->skb;

	skb_reset_network_header(skb);
	skb_set_transport_header(skb, net_len(flow) - sizeof(struct udphdr));
	if (flow->ends.v6)
		put_ip6(skb, flow, ttl);
	else
		put_ip4(skb, flow, p->ip_id, ttl);
	put_udp(skb, flow, csum || flow->stays || p->count > 1);
	if (p->count > 1) {
		sh->gso_size = p->size;
		sh->gso_segs = p->count;
		sh->gso_type = SKB_GSO_UDP_L4;
	}
	sh->tskey = made_here;
	skb->priority = flow->prio ?: rt_tos2priority(flow->tos);
	p->next_ip_id = p->ip_id + p->count;
	p->skb = NULL;
	p->tail = NULL;
	return skb;
}

/**
 * roce_skb_is_local - did this skb come straight from roce_pack_close()?
 * @skb: received
 *
 * On its way through virtual devices an skb of ours may never become bytes on a
 * wire. As long as the stack still promises by CHECKSUM_PARTIAL that nothing but
 * memory carried it, its ICRCs need no second look: whatever changes payload
 * (netem, a device) has to make the checksum first. The mark is in a field that
 * means something only to who asked for time stamps of what he sends.
 *
 * Return: true if so.
 */
bool roce_skb_is_local(const struct sk_buff *skb)
{
	const struct skb_shared_info *sh = skb_shinfo(skb);

	return skb->ip_summed == CHECKSUM_PARTIAL && sh->tskey == made_here &&
	       !(sh->tx_flags & SKBTX_ANY_TSTAMP);
}

/**
 * roce_skb_did_stay - may this skb have no ICRC?
 * @skb: received, network and transport header set
 *
 * What goes to an address of its own namespace passes the loopback device, which no
 * wire is behind, and leaves the ICRC out. Should something on the way (netfilter's
 * queue, a qdisc) have made the UDP checksum, it is looked at.
 *
 * Context: any. Return: true if it came that way, and whole.
 */
bool roce_skb_did_stay(const struct sk_buff *skb)
{
	unsigned int off = skb_transport_offset(skb), len = skb->len - off;
	const struct udphdr *udp;
	struct udphdr buf;
	__wsum sum;

	if (!(skb->dev->flags & IFF_LOOPBACK))
		return false;
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		return true;
	udp = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (skb_is_gso(skb) || !udp || !udp->check)
		return false;
	len = min_t(unsigned int, len, ntohs(udp->len));
	sum = skb_checksum(skb, off, len, 0);
	if (skb->protocol == htons(ETH_P_IPV6))
		return !csum_ipv6_magic(&ipv6_hdr(skb)->saddr, &ipv6_hdr(skb)->daddr,
					len, IPPROTO_UDP, sum);
	return !csum_tcpudp_magic(ip_hdr(skb)->saddr, ip_hdr(skb)->daddr, len,
				  IPPROTO_UDP, sum);
}
