// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: the invariant CRC over what does not change on the way: IP and UDP
 * headers with the rest masked by ones, transport headers, payload.
 *
 * Pure: takes addresses, not skbs, so that a packet's CRC can be had before the
 * packet exists (super-packets are cut later).
 */
#include <linux/build_bug.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <rxt/wire_roce.h>
#include "roce_icrc.h"

/* CRC of 8 bytes of ones, which stand for the link header of InfiniBand. */
#define SEED	0xdebb20e3

/* The end of either pseudo header. */
struct udp_bth {
	struct udphdr	udp;
	struct roce_bth	bth;
} __packed;

static void put_udp_bth(struct udp_bth *b, const struct roce_ends *ends,
			u32 wire_len, const void *bth)
{
	b->udp.source = ends->sport;
	b->udp.dest = ends->dport;
	b->udp.len = htons(sizeof(b->udp) + wire_len);
	b->udp.check = (__force __sum16)htons(0xffff);
	memcpy(&b->bth, bth, sizeof(b->bth));
	b->bth.qpn |= htonl(~ROCE_MASK24);
}

static u32 begin4(const struct roce_ends *ends, u16 ip_id, u32 wire_len,
		  const void *bth)
{
	struct {
		struct iphdr	ip;
		struct udp_bth	b;
	} __packed h = {
		.ip.version	= 4,
		.ip.ihl		= sizeof(h.ip) / 4,
		.ip.tos		= 0xff,
		.ip.tot_len	= htons(sizeof(h.ip) + sizeof(h.b.udp) + wire_len),
		.ip.id		= htons(ip_id),
		.ip.frag_off	= ends->frag_off,
		.ip.ttl		= 0xff,
		.ip.protocol	= IPPROTO_UDP,
		.ip.check	= (__force __sum16)htons(0xffff),
		.ip.saddr	= ends->src4,
		.ip.daddr	= ends->dst4,
	};

	BUILD_BUG_ON(sizeof(h) != 40);
	put_udp_bth(&h.b, ends, wire_len, bth);
	return crc32_le(SEED, (const u8 *)&h, sizeof(h));
}

static u32 begin6(const struct roce_ends *ends, u32 wire_len, const void *bth)
{
	struct {
		struct ipv6hdr	ip;
		struct udp_bth	b;
	} __packed h = {
		.ip.payload_len	= htons(sizeof(h.b.udp) + wire_len),
		.ip.nexthdr	= IPPROTO_UDP,
		.ip.hop_limit	= 0xff,
		.ip.saddr	= ends->src6,
		.ip.daddr	= ends->dst6,
	};

	BUILD_BUG_ON(sizeof(h) != 60);
	/* Traffic class and flow label are masked. */
	*(__be32 *)&h = htonl(0x6fffffff);
	put_udp_bth(&h.b, ends, wire_len, bth);
	return crc32_le(SEED, (const u8 *)&h, sizeof(h));
}

/**
 * roce_icrc_begin - CRC up to and with the base header
 * @ends: addresses and ports
 * @ip_id: identification of the packet as it will be on the wire, IPv4
 * @wire_len: bytes of UDP payload, ICRC included
 * @bth: struct roce_bth, wire order
 *
 * Return: for roce_icrc_add().
 */
u32 roce_icrc_begin(const struct roce_ends *ends, u16 ip_id, u32 wire_len,
		    const void *bth)
{
	return ends->v6 ? begin6(ends, wire_len, bth) :
			  begin4(ends, ip_id, wire_len, bth);
}
