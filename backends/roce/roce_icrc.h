/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_roce: the invariant CRC (IBTA 7.8.1, annex A17.3.3).
 */
#ifndef _ROCE_ICRC_H
#define _ROCE_ICRC_H

#include <linux/crc32.h>
#include <linux/in6.h>
#include <linux/types.h>

/**
 * struct roce_ends - the addresses of a packet, as far as the ICRC covers them
 * @v6: IPv6, otherwise IPv4
 * @src4: source, IPv4
 * @dst4: destination, IPv4
 * @frag_off: flags and offset, IPv4
 * @src6: source, IPv6
 * @dst6: destination, IPv6
 * @sport: UDP source port
 * @dport: UDP destination port
 */
struct roce_ends {
	bool		v6;
	__be32		src4;
	__be32		dst4;
	__be16		frag_off;
	struct in6_addr	src6;
	struct in6_addr	dst6;
	__be16		sport;
	__be16		dport;
};

u32 roce_icrc_begin(const struct roce_ends *ends, u16 ip_id, u32 wire_len,
		    const void *bth);

/* Go on with bytes behind the base header. */
static inline u32 roce_icrc_add(u32 crc, const void *p, u32 len)
{
	return crc32_le(crc, p, len);
}

/* What stands behind the padding. */
static inline __le32 roce_icrc_end(u32 crc)
{
	return cpu_to_le32(~crc);
}

#endif /* _ROCE_ICRC_H */
