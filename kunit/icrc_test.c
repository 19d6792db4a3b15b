// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: the invariant CRC against frames that others made, and against a CRC
 * that goes bit by bit over a masked copy of the whole packet.
 */
#include <kunit/test.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/random.h>
#include <linux/udp.h>
#include "private.h"
#include "../backends/roce/roce_icrc.c"

/* A frame from the IP header on, the last four bytes are the ICRC. */
struct frame {
	const char	*name;
	const u8	*bytes;
	u32		len;
};

/* UC SEND ONLY, 18 bytes of payload, 2 of padding; ECN bits set. */
static const u8 uc_send_only[] = {
	0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00, 0x40, 0x11, 0xb4, 0xd5,
	0xc0, 0xa8, 0x00, 0x07, 0xc0, 0xa8, 0x00, 0x07,
	0xc0, 0x00, 0x12, 0xb7, 0x00, 0x2c, 0xac, 0xa2,
	0x24, 0x60, 0xff, 0xff, 0x00, 0x00, 0x00, 0xd3, 0x00, 0xcf, 0x17, 0x10,
	0x46, 0x30, 0x81, 0x8b, 0xe2, 0x89, 0x35, 0xd9, 0x0e, 0x9a, 0x95, 0x50,
	0x54, 0x01, 0xbe, 0x88, 0x5e, 0x50, 0x00, 0x00,
	0x78, 0xf3, 0x53, 0xf3,
};

/* A congestion notification of a ConnectX-4 Lx: BECN is set, which is masked. */
static const u8 cnp[] = {
	0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61,
	0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01,
	0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00,
	0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00,
	0x82, 0xfd, 0x00, 0x2a,
};

static u32 bitwise_crc(u32 crc, u8 byte)
{
	int i;

	crc ^= byte;
	for (i = 0; i < 8; i++)
		crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	return crc;
}

/* By the letter of the specification, from a frame's bytes. */
static u32 by_the_book(const u8 *frame, u32 len)
{
	bool v6 = frame[0] >> 4 == 6;
	u32 ip = v6 ? 40 : 20, crc = ~0, i;

	for (i = 0; i < 8; i++)
		crc = bitwise_crc(crc, 0xff);
	for (i = 0; i < len; i++) {
		u8 b = frame[i];

		if (v6 && (i == 0 || i == 1 || i == 2 || i == 3 || i == 7))
			b |= i ? 0xff : 0x0f;
		if (!v6 && (i == 1 || i == 8 || i == 10 || i == 11))
			b = 0xff;
		if (i == ip + 6 || i == ip + 7 || i == ip + 8 + 4)
			b = 0xff;
		crc = bitwise_crc(crc, b);
	}
	return ~crc;
}

static struct roce_ends ends_of(const u8 *frame, u16 *id)
{
	const struct iphdr *ip4 = (const struct iphdr *)frame;
	const struct ipv6hdr *ip6 = (const struct ipv6hdr *)frame;
	const struct udphdr *udp;
	struct roce_ends e = {};

	*id = 0;
	e.v6 = frame[0] >> 4 == 6;
	if (e.v6) {
		e.src6 = ip6->saddr;
		e.dst6 = ip6->daddr;
		udp = (const struct udphdr *)(ip6 + 1);
	} else {
		e.src4 = ip4->saddr;
		e.dst4 = ip4->daddr;
		e.frag_off = ip4->frag_off;
		*id = ntohs(ip4->id);
		udp = (const struct udphdr *)(ip4 + 1);
	}
	e.sport = udp->source;
	e.dport = udp->dest;
	return e;
}

static u32 by_us(const u8 *frame, u32 len)
{
	u32 net = (frame[0] >> 4 == 6 ? 40 : 20) + 8, crc;
	struct roce_ends e;
	u16 id;

	e = ends_of(frame, &id);
	crc = roce_icrc_begin(&e, id, len + ROCE_ICRC_LEN - net, frame + net);
	net += sizeof(struct roce_bth);
	crc = roce_icrc_add(crc, frame + net, len - net);
	return le32_to_cpu(roce_icrc_end(crc));
}

static void icrc_vectors(struct kunit *test)
{
	static const struct frame frames[] = {
		{ "UC SEND ONLY", uc_send_only, sizeof(uc_send_only) },
		{ "CNP", cnp, sizeof(cnp) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(frames); i++) {
		const struct frame *f = &frames[i];
		u32 body = f->len - ROCE_ICRC_LEN;
		const u8 *tail = f->bytes + body;
		u32 want = tail[0] | tail[1] << 8 | tail[2] << 16 |
			   (u32)tail[3] << 24;

		KUNIT_EXPECT_EQ_MSG(test, by_the_book(f->bytes, body), want,
				    "%s, by the book", f->name);
		KUNIT_EXPECT_EQ_MSG(test, by_us(f->bytes, body), want, "%s",
				    f->name);
	}
}

/* Random frames of both families, all lengths up to 64 and one long one. */
static void icrc_random(struct kunit *test)
{
	const u32 room = 40 + 8 + 4200;
	u8 *f = kunit_kzalloc(test, room, GFP_KERNEL);
	struct roce_ends e;
	u32 len, net, i;
	u16 id;

	KUNIT_ASSERT_NOT_NULL(test, f);
	for (i = 0; i < 130; i++) {
		bool v6 = i & 1;

		net = (v6 ? 40 : 20) + 8;
		len = net + sizeof(struct roce_bth) + (i < 128 ? i / 2 : 4128);
		get_random_bytes(f, len);
		f[0] = v6 ? 0x60 | (f[0] & 15) : 0x45;
		/* What roce_icrc_begin() fills in by itself. */
		if (v6) {
			((struct ipv6hdr *)f)->payload_len =
				htons(len + ROCE_ICRC_LEN - 40);
			f[6] = IPPROTO_UDP;
		} else {
			((struct iphdr *)f)->tot_len = htons(len + ROCE_ICRC_LEN);
			f[9] = IPPROTO_UDP;
		}
		((struct udphdr *)(f + net - 8))->len =
			htons(len + ROCE_ICRC_LEN - net + 8);
		e = ends_of(f, &id);
		KUNIT_EXPECT_EQ(test, by_us(f, len), by_the_book(f, len));
	}
}

/* A change of anything that is covered changes it, of anything else does not. */
static void icrc_coverage(struct kunit *test)
{
	static const u8 masked[] = { 1, 8, 10, 11, 26, 27, 32 };
	u32 len = sizeof(uc_send_only) - ROCE_ICRC_LEN, i, k;
	u8 f[sizeof(uc_send_only)];
	u32 ref = by_us(uc_send_only, len);

	for (i = 0; i < len; i++) {
		bool covered = true;

		for (k = 0; k < ARRAY_SIZE(masked); k++)
			if (i == masked[k])
				covered = false;
		/* Set by roce_icrc_begin() from the length. */
		if (i == 0 || i == 2 || i == 3 || i == 9 || i == 24 || i == 25)
			continue;
		memcpy(f, uc_send_only, sizeof(f));
		f[i] ^= 0x10;
		KUNIT_EXPECT_EQ_MSG(test, by_us(f, len) != ref, covered,
				    "byte %u", i);
	}
}

static struct kunit_case icrc_cases[] = {
	KUNIT_CASE(icrc_vectors),
	KUNIT_CASE(icrc_random),
	KUNIT_CASE(icrc_coverage),
	{}
};

static struct kunit_suite icrc_suite = {
	.name = "rxt_roce_icrc",
	.test_cases = icrc_cases,
};

kunit_test_suite(icrc_suite);

MODULE_LICENSE("GPL");
