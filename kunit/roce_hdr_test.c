// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: RoCE headers: every opcode, every length, every pad; arithmetic on
 * sequence numbers where they wrap.
 */
#include <kunit/test.h>
#include <linux/random.h>
#include "private.h"
#include "../backends/roce/roce_hdr.c"

/* IBTA table 38 in another form: opcode, header bytes, carries payload. */
static const struct {
	u8	opcode;
	u8	hdr_len;
	bool	payload;
} known[] = {
	{ 0x00, 12, true }, { 0x01, 12, true }, { 0x02, 12, true },
	{ 0x03, 16, true }, { 0x04, 12, true }, { 0x05, 16, true },
	{ 0x06, 28, true }, { 0x07, 12, true }, { 0x08, 12, true },
	{ 0x09, 16, true }, { 0x0a, 28, true }, { 0x0b, 32, true },
	{ 0x0c, 28, false }, { 0x0d, 16, true }, { 0x0e, 12, true },
	{ 0x0f, 16, true }, { 0x10, 16, true }, { 0x11, 16, false },
	{ 0x12, 24, false }, { 0x13, 40, false }, { 0x14, 40, false },
	{ 0x16, 16, true }, { 0x17, 16, true }, { 0x1c, 32, false },
	{ 0x1d, 28, true },
	{ 0x20, 12, true }, { 0x21, 12, true }, { 0x22, 12, true },
	{ 0x23, 16, true }, { 0x24, 12, true }, { 0x25, 16, true },
	{ 0x26, 28, true }, { 0x27, 12, true }, { 0x28, 12, true },
	{ 0x29, 16, true }, { 0x2a, 28, true }, { 0x2b, 32, true },
	{ 0x64, 20, true }, { 0x65, 24, true },
};

static int lookup(unsigned int opcode)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].opcode == opcode)
			return i;
	return -1;
}

static void hdr_all_opcodes(struct kunit *test)
{
	unsigned int op;

	for (op = 0; op < 256; op++) {
		const struct roce_opcode *info = &roce_opcodes[op];
		int i = lookup(op);

		KUNIT_EXPECT_EQ_MSG(test, !!(info->flags & ROCE_F_VALID), i >= 0,
				    "opcode %#x", op);
		if (i < 0) {
			KUNIT_EXPECT_EQ(test, info->hdr_len, 0);
			continue;
		}
		KUNIT_EXPECT_EQ_MSG(test, info->hdr_len, known[i].hdr_len,
				    "opcode %#x", op);
		KUNIT_EXPECT_EQ(test, !!(info->flags & ROCE_F_PAYLOAD),
				known[i].payload);
		KUNIT_EXPECT_LE(test, info->hdr_len, ROCE_HDR_MAX);
	}
}

static void one_length(struct kunit *test, u8 op, u8 pad, u32 len)
{
	u32 have = min_t(u32, len, ROCE_HDR_MAX);
	struct roce_hdr h;
	int i = lookup(op), err;
	u8 buf[64];
	bool good;

	get_random_bytes(buf, sizeof(buf));
	buf[0] = op;
	buf[1] = pad << 4 | 0xc0;
	err = roce_hdr_decode(&h, buf, have, len);
	good = i >= 0 && len >= known[i].hdr_len + 4 &&
	       !((len - known[i].hdr_len) & 3) &&
	       len - known[i].hdr_len - 4 >= pad &&
	       (known[i].payload || len == known[i].hdr_len + 4);
	KUNIT_ASSERT_EQ_MSG(test, !err, good, "op %#x pad %u len %u", op, pad,
			    len);
	if (err)
		return;
	KUNIT_ASSERT_EQ(test, roce_wire_len(&h), len);
	KUNIT_ASSERT_EQ(test, h.pad, pad);
}

/* 256 opcodes, UDP payloads of 0 to 64 bytes, 4 pads: what is accepted adds up. */
static void hdr_all_lengths(struct kunit *test)
{
	unsigned int op, pad, len;

	for (op = 0; op < 256; op++)
		for (pad = 0; pad < 4; pad++)
			for (len = 0; len <= 64; len++)
				one_length(test, op, pad, len);
}

static void hdr_version(struct kunit *test)
{
	u8 buf[20] = { ROCE_ACK };
	struct roce_hdr h;
	unsigned int v;

	for (v = 0; v < 16; v++) {
		buf[1] = v;
		KUNIT_EXPECT_EQ(test, roce_hdr_decode(&h, buf, 20, 20),
				v ? -EINVAL : 0);
	}
	/* More in hand than the packet has is a caller's mistake. */
	KUNIT_EXPECT_EQ(test, roce_hdr_decode(&h, buf, 20, 16), -EINVAL);
}

static void random_hdr(struct roce_hdr *h, u8 opcode)
{
	memset(h, 0, sizeof(*h));
	h->info = &roce_opcodes[opcode];
	h->opcode = opcode;
	h->solicited = get_random_u32() & 1;
	h->ackreq = get_random_u32() & 1;
	h->pkey = get_random_u32();
	h->qpn = get_random_u32() & ROCE_MASK24;
	h->psn = get_random_u32() & ROCE_MASK24;
	if (h->info->flags & ROCE_F_PAYLOAD)
		h->len = get_random_u32() % 4097;
	h->pad = roce_pad(h->len);
	if (h->info->ext & ROCE_X_AETH) {
		h->syndrome = get_random_u32();
		h->msn = get_random_u32() & ROCE_MASK24;
	}
	if (h->info->ext & (ROCE_X_RETH | ROCE_X_ATOMICETH)) {
		h->va = get_random_u64();
		h->rkey = get_random_u32();
	}
	if (h->info->ext & ROCE_X_RETH)
		h->dma_len = get_random_u32();
	if (h->info->ext & ROCE_X_ATOMICETH) {
		h->compare = get_random_u64();
		h->swap_add = get_random_u64();
	}
	if (h->info->ext & ROCE_X_ATOMICACK)
		h->orig = get_random_u64();
	if (h->info->ext & ROCE_X_IMM)
		h->imm = (__force __be32)get_random_u32();
	if (h->info->ext & ROCE_X_IETH)
		h->inv_rkey = get_random_u32();
	if (h->info->ext & ROCE_X_DETH) {
		h->qkey = get_random_u32();
		h->src_qpn = get_random_u32() & ROCE_MASK24;
	}
}

/* Encode, decode: the same comes back. */
static void round_trip(struct kunit *test, u8 opcode, u8 hdr_len)
{
	u8 buf[ROCE_HDR_MAX] = {};
	struct roce_hdr in, out;
	u32 wire;

	random_hdr(&in, opcode);
	wire = roce_wire_len(&in);
	KUNIT_EXPECT_EQ(test, roce_hdr_encode(&in, buf), hdr_len);
	KUNIT_ASSERT_EQ(test, roce_hdr_decode(&out, buf,
					      min_t(u32, wire, ROCE_HDR_MAX),
					      wire), 0);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(&in, &out, sizeof(in)), 0,
			    "opcode %#x", opcode);
	/* As hardware sets it; the version is 0. */
	KUNIT_EXPECT_EQ(test, buf[1] & 0x4f, 0x40);
}

static void hdr_round_trip(struct kunit *test)
{
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		for (n = 0; n < 50; n++)
			round_trip(test, known[i].opcode, known[i].hdr_len);
}

/* One packet of each kind, byte by byte. */
static void hdr_bytes(struct kunit *test)
{
	static const u8 want[] = {
		0x0b, 0xf0, 0xff, 0xff, 0x00, 0x12, 0x34, 0x56,
		0x80, 0xfe, 0xdc, 0xba,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0xaa, 0xbb, 0xcc, 0xdd, 0x00, 0x00, 0x00, 0x05,
		0xde, 0xad, 0xbe, 0xef,
	};
	struct roce_hdr h = {
		.info = &roce_opcodes[ROCE_WRITE_ONLY_IMM],
		.opcode = ROCE_WRITE_ONLY_IMM,
		.pad = 3,
		.solicited = true,
		.ackreq = true,
		.pkey = 0xffff,
		.qpn = 0x123456,
		.psn = 0xfedcba,
		.len = 5,
		.va = 0x1122334455667788,
		.rkey = 0xaabbccdd,
		.dma_len = 5,
		.imm = htonl(0xdeadbeef),
	};
	u8 buf[ROCE_HDR_MAX];

	KUNIT_ASSERT_EQ(test, roce_hdr_encode(&h, buf), sizeof(want));
	KUNIT_EXPECT_EQ(test, memcmp(buf, want, sizeof(want)), 0);
}

static void one_phase(struct kunit *test, u8 op, bool first, bool last)
{
	u8 code = roce_data_opcode(ROCE_RC, op, first, last);
	const struct roce_opcode *info = &roce_opcodes[code];

	KUNIT_EXPECT_TRUE(test, info->flags & ROCE_F_VALID);
	KUNIT_EXPECT_EQ(test, !!(info->flags & ROCE_F_FIRST), first);
	KUNIT_EXPECT_EQ(test, !!(info->flags & ROCE_F_LAST), last);
	/* Immediate and key travel in the last packet. */
	if (last)
		KUNIT_EXPECT_EQ(test, info->op, op);
}

static void hdr_phases(struct kunit *test)
{
	static const u8 ops[] = {
		RXT_OP_SEND, RXT_OP_SEND_IMM, RXT_OP_SEND_INV, RXT_OP_WRITE,
		RXT_OP_WRITE_IMM, RXT_OP_READ_RESP,
	};
	unsigned int i, phase;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		for (phase = 0; phase < 4; phase++)
			one_phase(test, ops[i], phase & 1, phase & 2);
}

static void psn_wrap(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, roce_psn_diff(0, 0xffffff), 1);
	KUNIT_EXPECT_EQ(test, roce_psn_diff(0xffffff, 0), -1);
	KUNIT_EXPECT_EQ(test, roce_psn_diff(5, 0xfffff0), 0x15);
	KUNIT_EXPECT_EQ(test, roce_psn_diff(0xfffff0, 5), -0x15);
	KUNIT_EXPECT_EQ(test, roce_psn_diff(0x7fffff, 0), 0x7fffff);
	KUNIT_EXPECT_EQ(test, roce_psn_diff(0x800000, 0), -0x800000);
	KUNIT_EXPECT_EQ(test, roce_psn_diff(0x123456, 0x123456), 0);
	KUNIT_EXPECT_EQ(test, roce_psn_add(0xffffff, 1), 0);
	KUNIT_EXPECT_EQ(test, roce_psn_add(0, -1), 0xffffff);
	KUNIT_EXPECT_EQ(test, roce_psn_add(0xfffffe, 5), 3);
}

static void psn_per_message(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, roce_npkts(0, 10), 1);
	KUNIT_EXPECT_EQ(test, roce_npkts(1, 10), 1);
	KUNIT_EXPECT_EQ(test, roce_npkts(1024, 10), 1);
	KUNIT_EXPECT_EQ(test, roce_npkts(1025, 10), 2);
	KUNIT_EXPECT_EQ(test, roce_npkts(RXT_MAX_MSG, 8), 1U << 23);
	KUNIT_EXPECT_EQ(test, roce_pad(0), 0);
	KUNIT_EXPECT_EQ(test, roce_pad(1), 3);
	KUNIT_EXPECT_EQ(test, roce_pad(4096), 0);
}

static struct kunit_case roce_hdr_cases[] = {
	KUNIT_CASE(hdr_all_opcodes),
	KUNIT_CASE(hdr_all_lengths),
	KUNIT_CASE(hdr_version),
	KUNIT_CASE(hdr_round_trip),
	KUNIT_CASE(hdr_bytes),
	KUNIT_CASE(hdr_phases),
	KUNIT_CASE(psn_wrap),
	KUNIT_CASE(psn_per_message),
	{}
};

static struct kunit_suite roce_hdr_suite = {
	.name = "rxt_roce_hdr",
	.test_cases = roce_hdr_cases,
};

kunit_test_suite(roce_hdr_suite);

MODULE_LICENSE("GPL");
