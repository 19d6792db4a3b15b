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

static u32 udp_and_bth(u32 crc, const struct roce_ends *ends, u32 wire_len,
		       const void *bth_in)
{
	struct {
		struct udphdr	udp;
		struct roce_bth	bth;
	} __packed b;

	BUILD_BUG_ON(sizeof(b) != 20);
	b.udp.source = ends->sport;
	b.udp.dest = ends->dport;
	b.udp.len = htons(sizeof(b.udp) + wire_len);
	b.udp.check = htons(0xffff);
	memcpy(&b.bth, bth_in, sizeof(b.bth));
	b.bth.qpn |= htonl(~ROCE_MASK24);
	return crc32_le(crc, (const u8 *)&b, sizeof(b));
}

static u32 begin4(const struct roce_ends *ends, u16 ip_id, u32 wire_len)
{
	struct iphdr ip = {
		.version	= 4,
		.ihl		= sizeof(ip) / 4,
		.tos		= 0xff,
		.tot_len	= htons(sizeof(ip) + sizeof(struct udphdr) +
					wire_len),
		.id		= htons(ip_id),
		.frag_off	= ends->frag_off,
		.ttl		= 0xff,
		.protocol	= IPPROTO_UDP,
		.check		= (__force __sum16)htons(0xffff),
		.saddr		= ends->src4,
		.daddr		= ends->dst4,
	};

	return crc32_le(SEED, (const u8 *)&ip, sizeof(ip));
}

static u32 begin6(const struct roce_ends *ends, u32 wire_len)
{
	struct ipv6hdr ip = {
		.payload_len	= htons(sizeof(struct udphdr) + wire_len),
		.nexthdr	= IPPROTO_UDP,
		.hop_limit	= 0xff,
		.saddr		= ends->src6,
		.daddr		= ends->dst6,
	};

	/* Traffic class and flow label are masked. */
	*(__be32 *)&ip = htonl(0x6fffffff);
	return crc32_le(SEED, (const u8 *)&ip, sizeof(ip));
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
	u32 crc;

	crc = ends->v6 ? begin6(ends, wire_len) :
			 begin4(ends, ip_id, wire_len);
	return udp_and_bth(crc, ends, wire_len, bth);
}
