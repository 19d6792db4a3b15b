// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: the TCP backend's datagrams: every opcode, every field, every length, a
 * stream of them cut everywhere.
 *
 * What lives here: tcp_dgram_frame.c on a private copy, against bytes written from the
 * wire format's description. What may not: sockets, packet buffers.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include "private.h"
#include "../backends/tcp/tcp_dgram_frame.c"

/* SEND with immediate, solicited, from QP 0x0a0b0c to QP 1. */
static const u8 example[] = {
	0x65, 0x81, 0xff, 0xff,
	0x00, 0x00, 0x00, 0x01,		/* to */
	0x80, 0x01, 0x00, 0x00,		/* Q_Key */
	0x00, 0x0a, 0x0b, 0x0c,		/* from */
	0x0a, 0x5f, 0xed, 0xcb,		/* class 0xa5, label 0xfedcb */
	0x00, 0x00, 0x01, 0x02,		/* 258 bytes */
	0xde, 0xad, 0xbe, 0xef,		/* immediate */
};

static const struct rxtcp_dgram example_dg = {
	.op		= RXT_OP_SEND_IMM,
	.solicited	= true,
	.tclass		= 0xa5,
	.dst_qpn	= 1,
	.src_qpn	= 0x0a0b0c,
	.qkey		= 0x80010000,
	.flow_label	= 0xfedcb,
	.len		= 258,
};

static void expect_same(struct kunit *test, const struct rxtcp_dgram *a,
			const struct rxtcp_dgram *b)
{
	KUNIT_EXPECT_EQ(test, a->op, b->op);
	KUNIT_EXPECT_EQ(test, a->solicited, b->solicited);
	KUNIT_EXPECT_EQ(test, a->tclass, b->tclass);
	KUNIT_EXPECT_EQ(test, a->dst_qpn, b->dst_qpn);
	KUNIT_EXPECT_EQ(test, a->src_qpn, b->src_qpn);
	KUNIT_EXPECT_EQ(test, a->qkey, b->qkey);
	KUNIT_EXPECT_EQ(test, a->flow_label, b->flow_label);
	KUNIT_EXPECT_EQ(test, a->len, b->len);
	KUNIT_EXPECT_EQ(test, (__force u32)a->imm, (__force u32)b->imm);
}

static void dgram_example(struct kunit *test)
{
	struct rxtcp_dgram want = example_dg, got;
	u8 buf[RXT_TCP_DGRAM_HDR_MAX];

	want.imm = cpu_to_be32(0xdeadbeef);
	KUNIT_EXPECT_EQ(test, rxtcp_dgram_decode(example, sizeof(example), &got),
			(int)sizeof(example));
	expect_same(test, &got, &want);
	KUNIT_EXPECT_EQ(test, rxtcp_dgram_encode(&want, buf), (unsigned int)sizeof(example));
	KUNIT_EXPECT_EQ(test, memcmp(buf, example, sizeof(example)), 0);

	/* Without an immediate and not solicited: four bytes less. */
	want.op = RXT_OP_SEND;
	want.solicited = false;
	want.imm = 0;
	KUNIT_EXPECT_EQ(test, rxtcp_dgram_encode(&want, buf), 24u);
	KUNIT_EXPECT_EQ(test, buf[0], 0x64);
	KUNIT_EXPECT_EQ(test, buf[1], 0x01);
	KUNIT_EXPECT_EQ(test, memcmp(buf + 2, example + 2, 22), 0);
	KUNIT_EXPECT_EQ(test, rxtcp_dgram_decode(buf, 24, &got), 24);
	expect_same(test, &got, &want);
}

static void dgram_every_opcode(struct kunit *test)
{
	struct rxtcp_dgram got;
	unsigned int op;
	u8 buf[28];
	int want;

	for (op = 0; op < 256; op++) {
		memcpy(buf, example, sizeof(buf));
		buf[0] = op;
		want = op == 0x64 ? 24 : op == 0x65 ? 28 : -EPROTO;
		KUNIT_EXPECT_EQ_MSG(test, rxtcp_dgram_decode(buf, sizeof(buf), &got),
				    want, "%#x", op);
	}
}

static void dgram_too_short(struct kunit *test)
{
	struct rxtcp_dgram got;
	unsigned int len;
	u8 *buf;

	for (len = 0; len < sizeof(example); len++) {
		/* Of that size, so that a look beyond it is seen. */
		buf = kunit_kzalloc(test, max(len, 1u), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, buf);
		memcpy(buf, example, len);
		KUNIT_EXPECT_EQ_MSG(test, rxtcp_dgram_decode(buf, len, &got), -EPROTO,
				    "%u bytes", len);
	}
}

/* One bit turned: which of them make it something that is not a datagram? */
static bool bit_matters(unsigned int bit)
{
	unsigned int byte = bit / 8, in = bit % 8;

	switch (byte) {
	case 0:				/* opcode; the lowest one: without immediate */
		return in != 0;
	case 1:				/* flags; the highest one: solicited */
		return in != 7;
	case 2:				/* P_Key */
	case 3:
	case 4:				/* upper 8 bits of a QP number */
	case 12:
		return true;
	case 16:			/* upper 4 bits above the class */
		return in >= 4;
	case 20:			/* 258 bytes become more than 4096 */
	case 21:
		return true;
	case 22:
		return in >= 4;
	default:
		return false;
	}
}

static void dgram_every_bit(struct kunit *test)
{
	struct rxtcp_dgram got;
	unsigned int bit;
	u8 buf[28];

	for (bit = 0; bit < 28 * 8; bit++) {
		memcpy(buf, example, sizeof(buf));
		buf[bit / 8] ^= BIT(bit % 8);
		KUNIT_EXPECT_EQ_MSG(test, rxtcp_dgram_decode(buf, sizeof(buf), &got) < 0,
				    bit_matters(bit), "bit %u", bit);
	}
}

static void dgram_lengths(struct kunit *test)
{
	static const u32 good[] = { 0, 1, 255, 4095, 4096 };
	static const u32 bad[] = { 4097, 65536, S32_MAX, 0x80000000, U32_MAX - 27, U32_MAX };
	struct rxtcp_dgram dg = example_dg, got;
	u8 buf[RXT_TCP_DGRAM_HDR_MAX];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		dg.len = good[i];
		rxtcp_dgram_encode(&dg, buf);
		KUNIT_EXPECT_EQ(test, rxtcp_dgram_decode(buf, 28, &got), 28);
		KUNIT_EXPECT_EQ(test, got.len, good[i]);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		dg.len = bad[i];
		rxtcp_dgram_encode(&dg, buf);
		KUNIT_EXPECT_EQ_MSG(test, rxtcp_dgram_decode(buf, 28, &got), -EPROTO,
				    "%u", bad[i]);
	}
}

/* ---- a stream ---- */

#define STREAM_DGRAMS	12

static u32 stream_len(unsigned int i)
{
	static const u32 lens[] = { 0, 1, 24, 3, 0, 0, 4096, 28, 27, 2, 100, 7 };

	return lens[i % ARRAY_SIZE(lens)];
}

static u8 stream_byte(unsigned int i, u32 off)
{
	return i * 37 + off;
}

static unsigned int make_stream(u8 *to)
{
	unsigned int i, pos = 0;
	u32 off;

	for (i = 0; i < STREAM_DGRAMS; i++) {
		struct rxtcp_dgram dg = example_dg;

		dg.op = i % 3 ? RXT_OP_SEND : RXT_OP_SEND_IMM;
		dg.imm = cpu_to_be32(i);
		dg.src_qpn = i;
		dg.len = stream_len(i);
		pos += rxtcp_dgram_encode(&dg, to + pos);
		for (off = 0; off < dg.len; off++)
			to[pos++] = stream_byte(i, off);
	}
	return pos;
}

/* What is under way in a reader of the stream. */
struct reader {
	struct rxtcp_dgram_rx	rx;
	unsigned int		num;	/* datagrams seen whole */
	u32			off;	/* payload bytes of the next */
	unsigned int		wrong;	/* bytes that are not as sent */
};

/* Some bytes, in a buffer of just that size. False: not a datagram. */
static bool read_bytes(struct reader *r, const u8 *data, unsigned int len)
{
	int used;

	for (;;) {
		if (r->rx.body && r->off == r->rx.dg.len) {
			r->wrong += r->rx.dg.src_qpn != r->num;
			r->wrong += r->rx.dg.len != stream_len(r->num);
			r->num++;
			r->rx.body = false;
			r->off = 0;
		}
		if (!len)
			return true;
		used = 1;
		if (r->rx.body)
			r->wrong += *data != stream_byte(r->num, r->off++);
		else
			used = rxtcp_dgram_head(&r->rx, data, len);
		if (used <= 0 || used > len)
			return false;
		data += used;
		len -= used;
	}
}

static void dgram_stream(struct kunit *test)
{
	u8 *all = kunit_kzalloc(test, 8192, GFP_KERNEL), *piece;
	unsigned int total, step, pos, n;
	struct reader r;

	KUNIT_ASSERT_NOT_NULL(test, all);
	total = make_stream(all);
	/* Pieces of each size from 1 to 64, then the whole. */
	for (step = 1; step <= 65; step++) {
		unsigned int size = step == 65 ? total : step;

		piece = kunit_kzalloc(test, size, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, piece);
		memset(&r, 0, sizeof(r));
		for (pos = 0; pos < total; pos += n) {
			n = min(size, total - pos);
			/* At its end, so that a look beyond it is seen. */
			memcpy(piece + size - n, all + pos, n);
			KUNIT_ASSERT_TRUE(test, read_bytes(&r, piece + size - n, n));
		}
		KUNIT_EXPECT_EQ(test, r.num, (unsigned int)STREAM_DGRAMS);
		KUNIT_EXPECT_EQ(test, r.wrong, 0u);
		KUNIT_EXPECT_FALSE(test, r.rx.body);
	}
}

/* Garbage is refused, and never does a header take more than there is. */
static void dgram_garbage(struct kunit *test)
{
	struct rxtcp_dgram_rx rx = {};
	unsigned int i, len, good = 0;
	struct rnd_state rnd;
	u8 buf[64];
	int used;

	prandom_seed_state(&rnd, 4711);
	for (i = 0; i < 20000; i++) {
		len = 1 + prandom_u32_state(&rnd) % sizeof(buf);
		prandom_bytes_state(&rnd, buf, len);
		if (i & 1)
			memcpy(buf, example, min_t(unsigned int, len, i % 24));
		memset(&rx, 0, sizeof(rx));
		used = rxtcp_dgram_head(&rx, buf, len);
		if (used == -EPROTO)
			continue;
		KUNIT_ASSERT_GT(test, used, 0);
		KUNIT_ASSERT_LE(test, used, (int)min_t(unsigned int, len, 28));
		if (!rx.body)
			continue;
		good++;
		KUNIT_ASSERT_LE(test, rx.dg.len, 4096u);
		KUNIT_ASSERT_LE(test, rx.dg.dst_qpn | rx.dg.src_qpn, 0xffffffu);
	}
	/* The half of it that begins well is not all for nothing. */
	KUNIT_EXPECT_GT(test, good, 0u);
}

static struct kunit_case dgram_cases[] = {
	KUNIT_CASE(dgram_example),
	KUNIT_CASE(dgram_every_opcode),
	KUNIT_CASE(dgram_too_short),
	KUNIT_CASE(dgram_every_bit),
	KUNIT_CASE(dgram_lengths),
	KUNIT_CASE(dgram_stream),
	KUNIT_CASE(dgram_garbage),
	{ }
};

static struct kunit_suite dgram_suite = {
	.name = "rxt_dgram",
	.test_cases = dgram_cases,
};

kunit_test_suite(dgram_suite);

MODULE_DESCRIPTION("rxt kunit: datagrams over TCP");
MODULE_LICENSE("GPL");
