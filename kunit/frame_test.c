// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: the TCP backend's frames and hellos: every opcode, every length, every cut.
 *
 * What lives here: tcp_frame.c on a private copy, against a table written from the wire
 * format's description. What may not: sockets.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include "private.h"
#include "../backends/tcp/tcp_frame.c"

/* Bytes of headers by opcode; 0: not valid. As the wire format's table has it. */
static const u8 rc_len[32] = {
	[0x00] = 20 + 4,	/* SEND FIRST: LenETH */
	[0x01] = 20,
	[0x02] = 20,
	[0x03] = 20 + 4,	/* ImmDt */
	[0x04] = 20,
	[0x05] = 20 + 4,
	[0x06] = 20 + 16,	/* WRITE FIRST: RETH */
	[0x07] = 20,
	[0x08] = 20,
	[0x09] = 20 + 4,
	[0x0a] = 20 + 16,
	[0x0b] = 20 + 16 + 4,
	[0x0c] = 20 + 16,	/* READ */
	[0x0d] = 20 + 4 + 4,	/* READ response FIRST: AETH, LenETH */
	[0x0e] = 20,
	[0x0f] = 20 + 4,
	[0x10] = 20 + 4,
	[0x11] = 20 + 4,	/* ACK */
	[0x12] = 20 + 4 + 8,	/* atomic ACK */
	[0x13] = 20 + 28,	/* CMP_SWP */
	[0x14] = 20 + 28,
	[0x16] = 20 + 4,	/* SEND LAST with invalidate: IETH */
	[0x17] = 20 + 4,
	[0x1d] = 20 + 16,	/* ATOMIC_WRITE: RETH, 8 bytes of payload */
};

/* UC has SEND and WRITE, without invalidate, under numbers of its own. */
static unsigned int want_len(unsigned int opcode, bool uc)
{
	if (!uc)
		return opcode < 0x20 ? rc_len[opcode] : 0;
	/* The ACK is a sign of life there too. */
	if (opcode == 0x11)
		return rc_len[0x11];
	return opcode >= 0x20 && opcode <= 0x2b ? rc_len[opcode - 0x20] : 0;
}

static void frame_every_opcode(struct kunit *test)
{
	const struct rxtcp_opcode *info;
	unsigned int opcode, want, uc;

	for (uc = 0; uc < 2; uc++) {
		for (opcode = 0; opcode < 256; opcode++) {
			want = want_len(opcode, uc);
			info = rxtcp_opcode_info(opcode, uc);
			KUNIT_EXPECT_EQ_MSG(test, !!info, !!want, "%#x uc %u", opcode, uc);
			if (info)
				KUNIT_EXPECT_EQ_MSG(test, info->hdr_len, want, "%#x", opcode);
		}
	}
}

/* Payload and total lengths that are right for an opcode. */
static void good_lengths(struct rxtcp_frame *f)
{
	u8 op = f->opcode & 0x1f;

	switch (op) {
	case 0x00: case 0x06: case 0x0d:		/* FIRST */
		f->len = 1000;
		f->total = 5000;
		break;
	case 0x04: case 0x05: case 0x17: case 0x0a: case 0x0b: case 0x10:	/* ONLY */
		f->len = 77;
		f->total = 77;
		break;
	case 0x0c:
		f->total = 123456;
		break;
	case 0x1d:
		f->len = 8;
		f->total = 8;
		break;
	case 0x11: case 0x12: case 0x13: case 0x14:
		break;
	default:
		f->len = 65536;
	}
}

static void good_frame(struct rxtcp_frame *f, u8 opcode)
{
	*f = (struct rxtcp_frame) {
		.opcode = opcode,
		.solicited = opcode & 1,
		.qpn = 0x123456,
		.id = 0xfedcba98,
		.ack = 0x89abcdef,
		.va = 0x1122334455667788ULL,
		.rkey = 0x99aabbcc,
		.inv_rkey = 0xddeeff00,
		.imm = cpu_to_be32(0x01020304),
		.syndrome = 0x1f,
		.compare = 0xa1a2a3a4a5a6a7a8ULL,
		.swap_add = 0xb1b2b3b4b5b6b7b8ULL,
	};
	good_lengths(f);
}

/* An exact copy at the end of an allocation: a byte too far is seen by KASAN. */
static int decode_exact(struct kunit *test, const u8 *buf, unsigned int len, bool uc,
			struct rxtcp_frame *f)
{
	u8 *copy = kmemdup(buf, len, GFP_KERNEL);
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, copy);
	ret = rxtcp_frame_decode(copy, len, uc, f);
	kfree(copy);
	return ret;
}

static void expect_same(struct kunit *test, const struct rxtcp_frame *a,
			const struct rxtcp_frame *b)
{
	u8 op = a->opcode & 0x1f;
	bool reth = op == 0x06 || op == 0x0a || op == 0x0b || op == 0x0c || op == 0x1d;
	bool atomic = op == 0x13 || op == 0x14;

	KUNIT_EXPECT_EQ(test, b->opcode, a->opcode);
	KUNIT_EXPECT_EQ(test, b->solicited, a->solicited);
	KUNIT_EXPECT_EQ(test, b->qpn, a->qpn);
	KUNIT_EXPECT_EQ(test, b->id, a->id);
	KUNIT_EXPECT_EQ(test, b->ack, a->ack);
	KUNIT_EXPECT_EQ(test, b->len, a->len);
	KUNIT_EXPECT_EQ(test, b->total, a->total);
	if (reth || atomic) {
		KUNIT_EXPECT_EQ(test, b->va, a->va);
		KUNIT_EXPECT_EQ(test, b->rkey, a->rkey);
	}
	if (atomic || op == 0x12)
		KUNIT_EXPECT_EQ(test, b->swap_add, a->swap_add);
	if (atomic)
		KUNIT_EXPECT_EQ(test, b->compare, a->compare);
	if (op == 0x0d || (op >= 0x0f && op <= 0x12))
		KUNIT_EXPECT_EQ(test, b->syndrome, a->syndrome);
	if (op == 0x03 || op == 0x05 || op == 0x09 || op == 0x0b)
		KUNIT_EXPECT_TRUE(test, b->imm == a->imm);
	if (op == 0x16 || op == 0x17)
		KUNIT_EXPECT_EQ(test, b->inv_rkey, a->inv_rkey);
}

/* Encoded and decoded: the same, from all of its bytes and from no fewer. */
static void frame_round_trip(struct kunit *test)
{
	struct rxtcp_frame f, got;
	unsigned int opcode, uc, len, cut;
	u8 buf[RXT_TCP_HDR_MAX + 8];

	for (uc = 0; uc < 2; uc++) {
		for (opcode = 0; opcode < 256; opcode++) {
			if (!want_len(opcode, uc))
				continue;
			good_frame(&f, opcode);
			memset(buf, 0xee, sizeof(buf));
			len = rxtcp_frame_encode(&f, buf);
			KUNIT_ASSERT_EQ_MSG(test, len, want_len(opcode, uc), "%#x", opcode);
			KUNIT_EXPECT_EQ(test, buf[len], 0xee);
			for (cut = 0; cut < len; cut++)
				KUNIT_EXPECT_EQ_MSG(test, decode_exact(test, buf, cut, uc, &got),
						    -EPROTO, "%#x: %u bytes", opcode, cut);
			KUNIT_ASSERT_EQ_MSG(test, decode_exact(test, buf, len, uc, &got), 0, "%#x",
					    opcode);
			expect_same(test, &f, &got);
			KUNIT_EXPECT_EQ_MSG(test, decode_exact(test, buf, len, !uc, &got),
					    opcode == 0x11 ? 0 : -EPROTO, "%#x", opcode);
		}
	}
}

/* Where the fields are, byte by byte. */
static void frame_layout(struct kunit *test)
{
	static const u8 want[] = {
		0x0b,			/* WRITE ONLY with immediate */
		0x81,			/* SE, version 1 */
		0xff, 0xff,		/* P_Key */
		0x00, 0x12, 0x34, 0x56,
		0xfe, 0xdc, 0xba, 0x98,
		0x89, 0xab, 0xcd, 0xef,
		0x00, 0x00, 0x00, 0x4d,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0x99, 0xaa, 0xbb, 0xcc,
		0x00, 0x00, 0x00, 0x4d,
		0x01, 0x02, 0x03, 0x04,
	};
	static const u8 want_ack[] = {
		0x11, 0x81, 0xff, 0xff, 0x00, 0x12, 0x34, 0x56, 0xfe, 0xdc, 0xba, 0x98,
		0x89, 0xab, 0xcd, 0xef, 0x00, 0x00, 0x00, 0x00, 0x1f, 0xdc, 0xba, 0x98,
	};
	u8 buf[RXT_TCP_HDR_MAX];
	struct rxtcp_frame f;

	good_frame(&f, 0x0b);
	KUNIT_EXPECT_EQ(test, rxtcp_frame_encode(&f, buf), (unsigned int)sizeof(want));
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);
	good_frame(&f, 0x11);
	KUNIT_EXPECT_EQ(test, rxtcp_frame_encode(&f, buf), (unsigned int)sizeof(want_ack));
	KUNIT_EXPECT_EQ(test, memcmp(buf, want_ack, sizeof(want_ack)), 0);
}

struct length_case {
	u8	opcode;
	u32	len;
	u32	total;
	bool	ok;
};

static const struct length_case length_cases[] = {
	/* FIRST: some payload, more to come */
	{ 0x00, 0, 1, false },
	{ 0x00, 1, 1, false },
	{ 0x00, 1, 2, true },
	{ 0x00, 1, 0, false },
	{ 0x00, 65536, 65537, true },
	{ 0x00, 65537, 70000, false },
	{ 0x00, 65536, 0x80000000, true },
	{ 0x00, 65536, 0x80000001, false },
	{ 0x00, 65536, U32_MAX, false },
	{ 0x00, U32_MAX, U32_MAX, false },
	{ 0x06, 65536, 0x80000000, true },
	{ 0x06, 65536, 0x80000001, false },
	{ 0x06, 100, 100, false },
	{ 0x0d, 1, 2, true },
	{ 0x0d, 2, 2, false },
	/* MIDDLE, LAST: some payload */
	{ 0x01, 0, 0, false },
	{ 0x01, 1, 0, true },
	{ 0x02, 0, 0, false },
	{ 0x02, 65536, 0, true },
	{ 0x02, 65537, 0, false },
	{ 0x07, 0, 0, false },
	{ 0x09, 1, 0, true },
	{ 0x0e, 0x80000000, 0, false },
	{ 0x0f, 0, 0, false },
	/* ONLY: what the RETH says, if there is one; none is fine */
	{ 0x04, 0, 0, true },
	{ 0x04, 65536, 65536, true },
	{ 0x0a, 0, 0, true },
	{ 0x0a, 0, 1, false },
	{ 0x0a, 1, 0, false },
	{ 0x0a, 65536, 65536, true },
	{ 0x0a, 65537, 65537, false },
	{ 0x0b, 5, 6, false },
	{ 0x10, 0, 0, true },
	/* no payload at all */
	{ 0x0c, 0, 0, true },
	{ 0x0c, 0, 0x80000000, true },
	{ 0x0c, 0, 0x80000001, false },
	{ 0x0c, 1, 1, false },
	{ 0x11, 0, 0, true },
	{ 0x11, 1, 0, false },
	{ 0x12, 8, 0, false },
	{ 0x13, 8, 0, false },
	{ 0x14, 0, 0, true },
	/* eight bytes */
	{ 0x1d, 8, 8, true },
	{ 0x1d, 7, 8, false },
	{ 0x1d, 8, 9, false },
	{ 0x1d, 0, 0, false },
	{ 0x1d, 16, 16, false },
};

static void frame_lengths(struct kunit *test)
{
	struct rxtcp_frame f, got;
	u8 buf[RXT_TCP_HDR_MAX];
	unsigned int i, len;

	for (i = 0; i < ARRAY_SIZE(length_cases); i++) {
		const struct length_case *c = &length_cases[i];

		good_frame(&f, c->opcode);
		f.len = c->len;
		f.total = c->total;
		len = rxtcp_frame_encode(&f, buf);
		KUNIT_EXPECT_EQ_MSG(test, decode_exact(test, buf, len, false, &got),
				    c->ok ? 0 : -EPROTO, "%#x: %u of %u", c->opcode, c->len,
				    c->total);
	}
}

/* What an AETH may say where. */
static void frame_syndromes(struct kunit *test)
{
	static const u8 with_aeth[] = { 0x0d, 0x0f, 0x10, 0x11, 0x12 };
	unsigned int i, syndrome, len;
	struct rxtcp_frame f, got;
	u8 buf[RXT_TCP_HDR_MAX];

	for (i = 0; i < ARRAY_SIZE(with_aeth); i++) {
		for (syndrome = 0; syndrome < 256; syndrome++) {
			bool ack = syndrome < 0x20;
			bool nak = (syndrome >= 0x20 && syndrome < 0x40) ||
				   (syndrome >= 0x61 && syndrome <= 0x63);
			bool ok = ack || (nak && with_aeth[i] == 0x11);

			good_frame(&f, with_aeth[i]);
			f.syndrome = syndrome;
			len = rxtcp_frame_encode(&f, buf);
			KUNIT_EXPECT_EQ_MSG(test, decode_exact(test, buf, len, false, &got),
					    ok ? 0 : -EPROTO, "%#x: %#x", with_aeth[i], syndrome);
		}
	}
	/* The AETH is about another message than the base header. */
	good_frame(&f, 0x11);
	len = rxtcp_frame_encode(&f, buf);
	buf[len - 1] ^= 1;
	KUNIT_EXPECT_EQ(test, decode_exact(test, buf, len, false, &got), -EPROTO);
}

/* Version, flags and P_Key: one value is right. */
static void frame_fixed_fields(struct kunit *test)
{
	struct rxtcp_frame f, got;
	u8 buf[RXT_TCP_HDR_MAX];
	unsigned int len, v;

	good_frame(&f, 0x04);
	len = rxtcp_frame_encode(&f, buf);
	for (v = 0; v < 256; v++) {
		buf[1] = v;
		KUNIT_EXPECT_EQ_MSG(test, decode_exact(test, buf, len, false, &got),
				    (v & 0x7f) == 1 ? 0 : -EPROTO, "flags %#x", v);
		if ((v & 0x7f) == 1)
			KUNIT_EXPECT_EQ(test, got.solicited, v == 0x81);
	}
	buf[1] = 1;
	for (v = 0; v < 16; v++) {
		buf[2 + v / 8] ^= BIT(v & 7);
		KUNIT_EXPECT_EQ(test, decode_exact(test, buf, len, false, &got), -EPROTO);
		buf[2 + v / 8] ^= BIT(v & 7);
	}
}

/* Random bytes: a refusal, or something that keeps to the rules. */
static void frame_random(struct kunit *test)
{
	struct rnd_state rnd;
	struct rxtcp_frame f;
	unsigned int i, good = 0;
	u8 buf[RXT_TCP_HDR_MAX];
	int ret;

	prandom_seed_state(&rnd, 99);
	for (i = 0; i < 200000; i++) {
		prandom_bytes_state(&rnd, buf, sizeof(buf));
		/* Most would fail at once: give half of them a good start. */
		if (i & 1) {
			buf[0] &= 0x3f;
			buf[1] = 0x01 | (buf[1] & 0x80);
			buf[2] = 0xff;
			buf[3] = 0xff;
			buf[16] = 0;
			buf[17] = 0;
		}
		ret = rxtcp_frame_decode(buf, i % (sizeof(buf) + 1), i & 2, &f);
		if (ret) {
			KUNIT_ASSERT_EQ(test, ret, -EPROTO);
			continue;
		}
		good++;
		KUNIT_ASSERT_TRUE(test, want_len(f.opcode, i & 2));
		KUNIT_ASSERT_LE(test, f.len, (u32)RXT_TCP_SEG_MAX);
		KUNIT_ASSERT_LE(test, f.total, (u32)RXT_MAX_MSG);
		if (f.info->phase & RXTCP_FIRST && f.info->family != RXTCP_SINGLE)
			KUNIT_ASSERT_LE(test, f.len, f.total);
	}
	KUNIT_EXPECT_GT(test, good, 100U);
}

/* The opcode of each frame is that of its operation and phase, and the other way. */
static void frame_opcode_for(struct kunit *test)
{
	int op, phase, uc, opcode;

	for (uc = 0; uc < 2; uc++) {
		for (op = 0; op < 256; op++) {
			for (phase = 0; phase < 8; phase++) {
				const struct rxtcp_opcode *info;

				opcode = rxtcp_opcode_for(op, phase, uc);
				if (opcode < 0) {
					KUNIT_EXPECT_EQ(test, opcode, -EINVAL);
					continue;
				}
				KUNIT_ASSERT_TRUE(test, want_len(opcode, uc));
				info = rxtcp_opcode_info(opcode, uc);
				KUNIT_EXPECT_EQ(test, info->phase, phase);
				if (phase & RXTCP_LAST)
					KUNIT_EXPECT_EQ(test, info->op, op);
			}
		}
	}
	KUNIT_EXPECT_EQ(test, rxtcp_opcode_for(RXT_OP_SEND_IMM, RXTCP_LAST, false), 0x03);
	KUNIT_EXPECT_EQ(test, rxtcp_opcode_for(RXT_OP_SEND_IMM, RXTCP_LAST, true), 0x23);
	KUNIT_EXPECT_EQ(test, rxtcp_opcode_for(RXT_OP_WRITE, RXTCP_FIRST, false), 0x06);
	KUNIT_EXPECT_EQ(test, rxtcp_opcode_for(RXT_OP_READ, RXTCP_ONLY, false), 0x0c);
	KUNIT_EXPECT_EQ(test, rxtcp_opcode_for(RXT_OP_READ, RXTCP_ONLY, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxtcp_opcode_for(RXT_OP_SEND_INV, RXTCP_ONLY, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxtcp_opcode_for(RXT_OP_READ, RXTCP_FIRST, false), -EINVAL);
}

static void good_hello(struct rxtcp_hello *h)
{
	*h = (struct rxtcp_hello) {
		.type = RXT_TCP_HELLO_REQ, .qp_type = IB_QPT_RC, .features = 0x10203040,
		.max_seg = 65536, .src_qpn = 0xabcdef, .dst_qpn = 0x123456,
		.src_gid.raw = { 0xfe, 0x80, [15] = 1 }, .dst_gid.raw = { 0xfe, 0x80, [15] = 2 },
	};
}

static void frame_hello(struct kunit *test)
{
	struct rxt_tcp_hello wire;
	struct rxtcp_hello h, got;

	good_hello(&h);
	rxtcp_hello_encode(&h, &wire);
	KUNIT_EXPECT_EQ(test, rxtcp_hello_decode(&wire, RXT_TCP_HELLO_REQ, &got), RXT_TCP_OK);
	KUNIT_EXPECT_EQ(test, got.version, RXT_TCP_VERSION);
	KUNIT_EXPECT_EQ(test, got.type, h.type);
	KUNIT_EXPECT_EQ(test, got.status, 0);
	KUNIT_EXPECT_EQ(test, got.qp_type, h.qp_type);
	KUNIT_EXPECT_EQ(test, got.features, h.features);
	KUNIT_EXPECT_EQ(test, got.max_seg, h.max_seg);
	KUNIT_EXPECT_EQ(test, got.src_qpn, h.src_qpn);
	KUNIT_EXPECT_EQ(test, got.dst_qpn, h.dst_qpn);
	KUNIT_EXPECT_EQ(test, memcmp(&got.src_gid, &h.src_gid, 16), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&got.dst_gid, &h.dst_gid, 16), 0);
	KUNIT_EXPECT_EQ(test, rxtcp_hello_decode(&wire, RXT_TCP_HELLO_REP, &got),
			RXT_TCP_BAD_HELLO);
}

/* One bit of the hello's fixed part turned: said what is wrong. */
static void frame_hello_bits(struct kunit *test)
{
	struct rxt_tcp_hello wire;
	struct rxtcp_hello h, got;
	unsigned int bit;

	good_hello(&h);
	for (bit = 0; bit < 12 * 8; bit++) {
		u8 want = bit < 64 ? RXT_TCP_BAD_HELLO :
			  bit < 80 ? RXT_TCP_BAD_VERSION : RXT_TCP_BAD_HELLO;

		rxtcp_hello_encode(&h, &wire);
		((u8 *)&wire)[bit / 8] ^= BIT(bit & 7);
		KUNIT_EXPECT_EQ_MSG(test, rxtcp_hello_decode(&wire, RXT_TCP_HELLO_REQ, &got), want,
				    "bit %u", bit);
	}
}

struct hello_case {
	const char	*name;
	u8		qp_type;
	u32		max_seg;
	u32		src_qpn;
	u32		dst_qpn;
	u8		want;
};

static const struct hello_case hello_cases[] = {
	{ "RC", IB_QPT_RC, 65536, 2, 3, RXT_TCP_OK },
	{ "UC", IB_QPT_UC, 1024, 0xffffff, 0xffffff, RXT_TCP_OK },
	{ "datagrams", IB_QPT_UD, 65536, 0, 0, RXT_TCP_OK },
	{ "datagrams from a QP", IB_QPT_UD, 65536, 2, 0, RXT_TCP_BAD_HELLO },
	{ "datagrams to a QP", IB_QPT_UD, 65536, 0, 0xffffff, RXT_TCP_BAD_HELLO },
	{ "QP 1", IB_QPT_GSI, 65536, 1, 1, RXT_TCP_BAD_HELLO },
	{ "type 5", 5, 65536, 0, 0, RXT_TCP_BAD_HELLO },
	{ "type 255", 255, 65536, 2, 3, RXT_TCP_BAD_HELLO },
	{ "segment too short", IB_QPT_RC, 1023, 2, 3, RXT_TCP_BAD_HELLO },
	{ "segment 0", IB_QPT_RC, 0, 2, 3, RXT_TCP_BAD_HELLO },
	{ "longest segment", IB_QPT_RC, U32_MAX, 2, 3, RXT_TCP_OK },
	{ "source beyond 24 bits", IB_QPT_RC, 65536, 0x1000000, 3, RXT_TCP_BAD_HELLO },
	{ "target beyond 24 bits", IB_QPT_RC, 65536, 2, U32_MAX, RXT_TCP_BAD_HELLO },
};

static void hello_desc(const struct hello_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(hello, hello_cases, hello_desc);

static void frame_hello_fields(struct kunit *test)
{
	const struct hello_case *c = test->param_value;
	struct rxt_tcp_hello wire;
	struct rxtcp_hello h, got;

	good_hello(&h);
	h.qp_type = c->qp_type;
	h.max_seg = c->max_seg;
	h.src_qpn = c->src_qpn;
	h.dst_qpn = c->dst_qpn;
	rxtcp_hello_encode(&h, &wire);
	KUNIT_EXPECT_EQ(test, rxtcp_hello_decode(&wire, RXT_TCP_HELLO_REQ, &got), c->want);
}

static void frame_verdicts(struct kunit *test)
{
	static const enum rxt_verdict refusals[] = {
		RXT_BAD_REQUEST, RXT_BAD_ACCESS, RXT_OP_ERROR,
	};
	unsigned int i, s, known = 0;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		u8 syndrome = rxtcp_verdict_syndrome(refusals[i]);

		KUNIT_EXPECT_EQ(test, syndrome, 0x61 + i);
		KUNIT_EXPECT_EQ(test, rxtcp_syndrome_verdict(syndrome), refusals[i]);
	}
	for (s = 0; s < 256; s++)
		known += rxtcp_syndrome_verdict(s) != RXT_OK;
	KUNIT_EXPECT_EQ(test, known, 3U);
}

static struct kunit_case frame_test_cases[] = {
	KUNIT_CASE(frame_every_opcode),
	KUNIT_CASE(frame_round_trip),
	KUNIT_CASE(frame_layout),
	KUNIT_CASE(frame_lengths),
	KUNIT_CASE(frame_syndromes),
	KUNIT_CASE(frame_fixed_fields),
	KUNIT_CASE(frame_random),
	KUNIT_CASE(frame_opcode_for),
	KUNIT_CASE(frame_hello),
	KUNIT_CASE(frame_hello_bits),
	KUNIT_CASE_PARAM(frame_hello_fields, hello_gen_params),
	KUNIT_CASE(frame_verdicts),
	{ }
};

static struct kunit_suite frame_test_suite = {
	.name = "rxt_frame",
	.test_cases = frame_test_cases,
};

kunit_test_suite(frame_test_suite);

MODULE_DESCRIPTION("rxt: tests of TCP frames and hellos");
MODULE_LICENSE("GPL");
