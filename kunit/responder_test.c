// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: the responder: which verdict an inbound request gets, what the application
 * hears of it, and which memory changes.
 *
 * What lives here: the receive side, on the fake backend: the test is the peer's wire.
 * What may not: the transmit side (engine_test.c).
 */
#include <linux/delay.h>
#include "engine_test.h"

#define DATA_LEN	1000

/**
 * struct rx_case - one inbound request
 * @name: for the log
 * @op: operation
 * @len: bytes of the message as its header says
 * @put: bytes that really come
 * @recv: receive WQE that is posted, 0: none
 * @bad_key: key that nobody has
 * @access: of the QP, 0: all
 * @mr_access: of the region, 0: all
 * @begin: verdict of the first look (or of all, for what has no payload)
 * @end: verdict at the end, when @begin is RXT_OK
 * @recv_status: what the receive WQE completes with; -1: it stays
 */
struct rx_case {
	const char		*name;
	enum rxt_op		op;
	u32			len;
	u32			put;
	u32			recv;
	bool			bad_key;
	int			access;
	int			mr_access;
	enum rxt_verdict	begin;
	enum rxt_verdict	end;
	int			recv_status;
};

#define RW	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE)

static const struct rx_case rx_cases[] = {
	{ "SEND", RXT_OP_SEND, 1000, 1000, 1000, .recv_status = IB_WC_SUCCESS },
	{ "SEND shorter", RXT_OP_SEND, 10, 10, 1000, .recv_status = IB_WC_SUCCESS },
	{ "SEND empty", RXT_OP_SEND, 0, 0, 1000, .recv_status = IB_WC_SUCCESS },
	{ "SEND_IMM", RXT_OP_SEND_IMM, 1000, 1000, 1000, .recv_status = IB_WC_SUCCESS },
	{ "SEND, none posted", RXT_OP_SEND, 1000, .begin = RXT_NOT_READY, .recv_status = -1 },
	{ "SEND too long", RXT_OP_SEND, 1000, 0, 999, .begin = RXT_BAD_REQUEST,
	  .recv_status = IB_WC_LOC_LEN_ERR },
	{ "SEND of unknown length", RXT_OP_SEND, RXT_LEN_UNKNOWN, 700, 1000,
	  .recv_status = IB_WC_SUCCESS },
	{ "SEND of unknown length, too long", RXT_OP_SEND, RXT_LEN_UNKNOWN, 1000, 999,
	  .end = RXT_BAD_REQUEST, .recv_status = IB_WC_LOC_LEN_ERR },
	{ "WRITE", RXT_OP_WRITE, 1000, 1000, 10, .recv_status = -1 },
	{ "WRITE empty, bad key", RXT_OP_WRITE, 0, 0, 10, .bad_key = true, .recv_status = -1 },
	{ "WRITE bad key", RXT_OP_WRITE, 1000, .bad_key = true, .begin = RXT_BAD_ACCESS,
	  .recv_status = -1 },
	{ "WRITE to read-only", RXT_OP_WRITE, 1000, .mr_access = IB_ACCESS_REMOTE_READ,
	  .begin = RXT_BAD_ACCESS, .recv_status = -1 },
	{ "WRITE not enabled", RXT_OP_WRITE, 1000, .access = IB_ACCESS_REMOTE_READ,
	  .begin = RXT_BAD_REQUEST, .recv_status = -1 },
	{ "WRITE of 2^31 + 1", RXT_OP_WRITE, RXT_MAX_MSG + 1, .begin = RXT_BAD_REQUEST,
	  .recv_status = -1 },
	{ "WRITE more than it says", RXT_OP_WRITE, 999, 1000, 10, .end = RXT_BAD_REQUEST,
	  .recv_status = -1 },
	{ "WRITE_IMM", RXT_OP_WRITE_IMM, 1000, 1000, 10, .recv_status = IB_WC_SUCCESS },
	{ "WRITE_IMM empty", RXT_OP_WRITE_IMM, 0, 0, 10, .recv_status = IB_WC_SUCCESS },
	{ "WRITE_IMM, none posted", RXT_OP_WRITE_IMM, 1000, 1000, 0, .end = RXT_NOT_READY,
	  .recv_status = -1 },
	{ "READ", RXT_OP_READ, 1000, .recv_status = -1 },
	{ "READ empty, bad key", RXT_OP_READ, 0, .bad_key = true, .recv_status = -1 },
	{ "READ bad key", RXT_OP_READ, 1, .bad_key = true, .begin = RXT_BAD_ACCESS,
	  .recv_status = -1 },
	{ "READ from write-only", RXT_OP_READ, 1, .mr_access = IB_ACCESS_REMOTE_WRITE,
	  .begin = RXT_BAD_ACCESS, .recv_status = -1 },
	{ "READ not enabled", RXT_OP_READ, 1, .access = IB_ACCESS_REMOTE_WRITE,
	  .begin = RXT_BAD_REQUEST, .recv_status = -1 },
	{ "READ of 2^31 + 1", RXT_OP_READ, RXT_MAX_MSG + 1, .begin = RXT_BAD_REQUEST,
	  .recv_status = -1 },
	{ "CMP_SWP", RXT_OP_CMP_SWP, 0, .recv_status = -1 },
	{ "FETCH_ADD", RXT_OP_FETCH_ADD, 0, .recv_status = -1 },
	{ "ATOMIC_WRITE", RXT_OP_ATOMIC_WRITE, 0, .recv_status = -1 },
	{ "FETCH_ADD bad key", RXT_OP_FETCH_ADD, 0, .bad_key = true, .begin = RXT_BAD_ACCESS,
	  .recv_status = -1 },
	{ "FETCH_ADD not allowed", RXT_OP_FETCH_ADD, 0, .mr_access = RW,
	  .begin = RXT_BAD_ACCESS, .recv_status = -1 },
	{ "FETCH_ADD not enabled", RXT_OP_FETCH_ADD, 0, .access = RW,
	  .begin = RXT_BAD_REQUEST, .recv_status = -1 },
};

static void rx_desc(const struct rx_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(rx, rx_cases, rx_desc);

static bool has_payload(enum rxt_op op)
{
	return op <= RXT_OP_WRITE_IMM;
}

static bool is_write(enum rxt_op op)
{
	return op == RXT_OP_WRITE || op == RXT_OP_WRITE_IMM;
}

/* Deliver the payload in pieces, the last one first. */
static enum rxt_verdict deliver(struct rxt_rx *rx, struct rxt_hdr *hdr, const u8 *data, u32 len)
{
	u32 off = len;
	int err;

	while (off) {
		u32 n = min(off, 97U);

		off -= n;
		err = rxt_rx_place_buf(rx, off, data + off, n);
		if (err)
			return rxt_rx_place_verdict(rx, err);
	}
	hdr->length = len;
	return rxt_rx_end(rx, hdr);
}

static enum rxt_verdict no_payload(struct fake_conn *fc, const struct rxt_hdr *hdr)
{
	u64 orig;

	if (hdr->op == RXT_OP_READ)
		return rxt_rx_read(&fc->conn, hdr, 0, 0);
	return rxt_rx_atomic(&fc->conn, hdr, 0, 0, &orig);
}

static void responder_verdict(struct kunit *test)
{
	const struct rx_case *c = test->param_value;
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) {
		.access = c->access, .mr_access = c->mr_access }, &fc);
	u8 *data = kunit_kzalloc(test, DATA_LEN, GFP_KERNEL);
	struct rxt_hdr hdr = {
		.op = c->op, .msg_id = 1, .length = c->len, .imm = cpu_to_be32(77),
		.raddr = (uintptr_t)p->a.buf + 4096, .rkey = p->mr->rkey ^ (c->bad_key << 8),
	};
	enum rxt_verdict verdict;
	struct rxt_rx *rx;
	struct ib_wc wc;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (i = 0; i < DATA_LEN; i++)
		data[i] = vt_byte(1, i);
	if (c->recv)
		KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->a, 9, 8192, c->recv, 2), 0);
	verdict = has_payload(c->op) ? rxt_rx_begin(&fc->conn, &hdr, &rx) :
				       no_payload(fc, &hdr);
	KUNIT_EXPECT_EQ(test, (int)verdict, (int)c->begin);
	if (verdict == RXT_OK && has_payload(c->op)) {
		verdict = deliver(rx, &hdr, data, c->put);
		KUNIT_EXPECT_EQ(test, (int)verdict, (int)c->end);
	}

	if (c->recv_status < 0) {
		vt_expect_none(p, &p->a);
	} else {
		vt_expect(p, &p->a, 9, c->recv_status, &wc);
		if (!wc.status) {
			KUNIT_EXPECT_EQ(test, wc.byte_len, c->put);
			KUNIT_EXPECT_EQ(test, wc.opcode, is_write(c->op) ?
					IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV);
		}
	}
	if (verdict == RXT_OK && has_payload(c->op)) {
		u8 *got = p->a.buf + (is_write(c->op) ? 4096 : 8192);
		/* Two segments, three bytes between them. */
		u32 first = is_write(c->op) ? c->put : min(c->put, c->recv / 2);

		KUNIT_EXPECT_EQ(test, memcmp(got, data, first), 0);
		KUNIT_EXPECT_EQ(test, memcmp(got + first + 3, data + first, c->put - first), 0);
	}
	vt_fake_expect_sane(test, fc);
}

/* Requests that nobody has heard of, and answers to nothing. */
static void responder_nonsense(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	struct rxt_hdr hdr = { .length = 8, .raddr = (uintptr_t)p->a.buf, .rkey = p->mr->rkey };
	struct rxt_rx *rx;
	unsigned int op;

	for (op = 0; op < 256; op++) {
		hdr.op = op;
		if (!has_payload(op))
			KUNIT_EXPECT_NE(test, (int)rxt_rx_begin(&fc->conn, &hdr, &rx), (int)RXT_OK);
	}
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->a, 0, 0, 0, 64));
}

/* A peer that READs more at once than agreed. */
static void responder_too_many_reads(struct kunit *test)
{
	static const struct fake_step script[] = { { RXT_TX_BLOCKED } };
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { .rd_atomic = 4 }, &fc);
	struct rxt_hdr hdr = {
		.op = RXT_OP_READ, .length = 8, .raddr = (uintptr_t)p->a.buf, .rkey = p->mr->rkey,
	};
	unsigned int i;

	fake_script(fc, script, ARRAY_SIZE(script));
	for (i = 0; i < 100; i++) {
		hdr.msg_id = i + 1;
		if (rxt_rx_read(&fc->conn, &hdr, 0, 0) != RXT_OK)
			break;
	}
	KUNIT_EXPECT_GE(test, i, 4U);
	KUNIT_EXPECT_LE(test, i, 16U);
	KUNIT_EXPECT_EQ(test, (int)rxt_rx_read(&fc->conn, &hdr, 0, 0), (int)RXT_BAD_REQUEST);
	/* The answers that were accepted go out all the same, in order. */
	fake_ready_inline(fc);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 1));
	fake_ready_inline(fc);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, i + 1));
	while (i--)
		KUNIT_EXPECT_EQ(test, fc->call[i + 1].id, i + 1);
	vt_fake_expect_sane(test, fc);
}

/* What the peer asks for again is bounded too, and takes no room from what is new. */
static void responder_reads_again(struct kunit *test)
{
	static const struct fake_step script[] = { { RXT_TX_BLOCKED, 0 } };
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { .rd_atomic = 4 }, &fc);
	struct rxt_hdr hdr = {
		.op = RXT_OP_READ, .length = 10, .rkey = p->mr->rkey, .raddr = (uintptr_t)p->a.buf,
	};
	unsigned int i, again = 0;

	fake_script(fc, script, ARRAY_SIZE(script));
	while (again < 1000 && rxt_rx_read(&fc->conn, &hdr, 0, RXT_RX_REPLAY) == RXT_OK)
		again++;
	KUNIT_EXPECT_GE(test, again, 4U);
	KUNIT_EXPECT_LT(test, again, 1000U);
	for (i = 1; i <= 4; i++) {
		hdr.msg_id = i;
		KUNIT_EXPECT_EQ(test, (int)rxt_rx_read(&fc->conn, &hdr, 0, 0), (int)RXT_OK);
	}
	fake_ready_inline(fc);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 1));
	fake_ready_inline(fc);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, again + 5));
	/* All of them are out: there is room again. */
	for (i = 0; i < again; i++)
		KUNIT_EXPECT_EQ(test, (int)rxt_rx_read(&fc->conn, &hdr, 0, RXT_RX_REPLAY),
				(int)RXT_OK);
	vt_fake_expect_sane(test, fc);
}

struct atomic_case {
	const char	*name;
	enum rxt_op	op;
	unsigned int	flags;
	u64		before;
	u64		compare;
	u64		swap_add;
	u64		after;
	u64		orig;
	bool		answered;
};

static const struct atomic_case atomic_cases[] = {
	{ "swap", RXT_OP_CMP_SWP, 0, 5, 5, 9, 9, 5, true },
	{ "no swap", RXT_OP_CMP_SWP, 0, 5, 4, 9, 5, 5, true },
	{ "add", RXT_OP_FETCH_ADD, 0, U64_MAX, 0, 3, 2, U64_MAX, true },
	{ "write", RXT_OP_ATOMIC_WRITE, 0, 5, 0, 9, 9, 0, false },
	{ "swap again", RXT_OP_CMP_SWP, RXT_RX_REPLAY, 9, 9, 11, 9, 0x123, true },
	{ "add again", RXT_OP_FETCH_ADD, RXT_RX_REPLAY, 9, 0, 3, 9, 0x123, true },
};

static void atomic_desc(const struct atomic_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(atomic, atomic_cases, atomic_desc);

static void responder_atomic(struct kunit *test)
{
	const struct atomic_case *c = test->param_value;
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	struct rxt_hdr hdr = {
		.op = c->op, .msg_id = 3, .compare = c->compare, .swap_add = c->swap_add,
		.raddr = (uintptr_t)p->a.buf + 8, .rkey = p->mr->rkey,
	};
	u64 orig = 0x123;

	*(u64 *)(p->a.buf + 8) = c->before;
	KUNIT_ASSERT_EQ(test, (int)rxt_rx_atomic(&fc->conn, &hdr, 55, c->flags, &orig),
			(int)RXT_OK);
	KUNIT_EXPECT_EQ(test, *(u64 *)(p->a.buf + 8), c->after);
	KUNIT_EXPECT_EQ(test, orig, c->orig);
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->a, 8, 8, 1, 8));
	fake_ready_inline(fc);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, c->answered));
	if (c->answered) {
		KUNIT_EXPECT_EQ(test, fc->call[0].op, RXT_OP_ATOMIC_RESP);
		KUNIT_EXPECT_EQ(test, fc->call[0].id, 3U);
		KUNIT_EXPECT_EQ(test, fc->call[0].cookie, 55ULL);
	}
	vt_fake_expect_sane(test, fc);
}

static void responder_atomic_misaligned(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	struct rxt_hdr hdr = { .op = RXT_OP_FETCH_ADD, .msg_id = 1, .rkey = p->mr->rkey };
	unsigned int off;
	u64 orig;

	for (off = 1; off < 8; off++) {
		hdr.raddr = (uintptr_t)p->a.buf + off;
		KUNIT_EXPECT_EQ(test, (int)rxt_rx_atomic(&fc->conn, &hdr, 0, 0, &orig),
				(int)RXT_BAD_REQUEST);
	}
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->a, 0, 0, 0, 64));
}

/* What is no atomic is refused, whatever else of it is right. */
static void responder_atomic_unknown(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	struct rxt_hdr hdr = {
		.msg_id = 1, .rkey = p->mr->rkey, .raddr = (uintptr_t)p->a.buf + 8,
	};
	unsigned int op;
	u64 orig;

	for (op = 0; op <= RXT_OP_MAX; op++) {
		if (op == RXT_OP_CMP_SWP || op == RXT_OP_FETCH_ADD ||
		    op == RXT_OP_ATOMIC_WRITE)
			continue;
		hdr.op = op;
		KUNIT_EXPECT_EQ(test, (int)rxt_rx_atomic(&fc->conn, &hdr, 0, 0, &orig),
				(int)RXT_BAD_REQUEST);
	}
	fake_ready_inline(fc);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 0));
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->a, 0, 0, 0, 64));
}

/* UC gives up in the middle: the receive WQE waits for the next message. */
static void responder_abort(struct kunit *test)
{
	static const u8 data[16] = "second message";
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { .type = IB_QPT_UC }, &fc);
	struct rxt_hdr hdr = { .op = RXT_OP_SEND, .msg_id = 1, .length = 16 };
	struct rxt_rx *rx;

	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->a, 1, 0, 16, 1), 0);
	KUNIT_ASSERT_EQ(test, (int)rxt_rx_begin(&fc->conn, &hdr, &rx), (int)RXT_OK);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, 0, "xxxx", 4), 0);
	rxt_rx_abort(rx);
	vt_expect_none(p, &p->a);
	hdr.msg_id = 2;
	KUNIT_ASSERT_EQ(test, (int)rxt_rx_begin(&fc->conn, &hdr, &rx), (int)RXT_OK);
	KUNIT_EXPECT_EQ(test, (int)deliver(rx, &hdr, data, sizeof(data)), (int)RXT_OK);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_EQ(test, memcmp(p->a.buf, data, sizeof(data)), 0);
}

/* WRITE_IMM that found no receive WQE comes again as a whole. */
static void responder_write_imm_again(struct kunit *test)
{
	static const u8 data[16] = "immediately";
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	struct rxt_hdr hdr = {
		.op = RXT_OP_WRITE_IMM, .msg_id = 1, .length = 16, .rkey = p->mr->rkey,
		.raddr = (uintptr_t)p->a.buf,
	};
	struct rxt_rx *rx;

	KUNIT_ASSERT_EQ(test, (int)rxt_rx_begin(&fc->conn, &hdr, &rx), (int)RXT_OK);
	KUNIT_EXPECT_EQ(test, (int)deliver(rx, &hdr, data, sizeof(data)), (int)RXT_NOT_READY);
	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->a, 5, 0, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, (int)rxt_rx_begin(&fc->conn, &hdr, &rx), (int)RXT_OK);
	KUNIT_EXPECT_EQ(test, (int)deliver(rx, &hdr, data, sizeof(data)), (int)RXT_OK);
	vt_expect(p, &p->a, 5, IB_WC_SUCCESS, NULL);
	vt_expect_none(p, &p->a);
}

/* The region goes away under an open message. */
static void responder_revoked(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	struct ib_mr *mr = vt_dma_mr(p, VT_REMOTE_ALL);
	struct rxt_hdr hdr = {
		.op = RXT_OP_WRITE, .msg_id = 1, .length = 16, .rkey = mr->rkey,
		.raddr = (uintptr_t)p->a.buf,
	};
	enum rxt_verdict verdict;
	struct rxt_rx *rx;
	int err;

	verdict = rxt_rx_begin(&fc->conn, &hdr, &rx);
	KUNIT_EXPECT_EQ(test, (int)verdict, (int)RXT_OK);
	if (verdict == RXT_OK)
		KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, 0, "1234", 4), 0);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	if (verdict != RXT_OK)
		return;
	err = rxt_rx_place_buf(rx, 4, "5678", 4);
	KUNIT_EXPECT_EQ(test, err, -EFAULT);
	KUNIT_EXPECT_EQ(test, (int)rxt_rx_place_verdict(rx, err), (int)RXT_BAD_ACCESS);
	KUNIT_EXPECT_EQ(test, memcmp(p->a.buf, "1234", 4), 0);
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->a, 0, 4, 1, 64));
}

/* No QP, no message: before RTR and in ERR nothing is taken, and nothing is said. */
static void responder_states(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	struct rxt_hdr hdr = {
		.op = RXT_OP_WRITE, .msg_id = 1, .length = 16, .rkey = p->mr->rkey,
		.raddr = (uintptr_t)p->a.buf,
	};
	struct rxt_rx *rx;
	u64 orig;

	KUNIT_EXPECT_TRUE(test, rxt_conn_can_receive(&fc->conn));
	KUNIT_ASSERT_EQ(test, vt_to_state(&p->a, IB_QPS_ERR), 0);
	KUNIT_EXPECT_FALSE(test, rxt_conn_can_receive(&fc->conn));
	KUNIT_EXPECT_EQ(test, (int)rxt_rx_begin(&fc->conn, &hdr, &rx), (int)RXT_DROP);
	hdr.op = RXT_OP_SEND;
	KUNIT_EXPECT_EQ(test, (int)rxt_rx_begin(&fc->conn, &hdr, &rx), (int)RXT_DROP);
	hdr.op = RXT_OP_READ;
	KUNIT_EXPECT_EQ(test, (int)rxt_rx_read(&fc->conn, &hdr, 0, 0), (int)RXT_DROP);
	hdr.op = RXT_OP_FETCH_ADD;
	KUNIT_EXPECT_EQ(test, (int)rxt_rx_atomic(&fc->conn, &hdr, 0, 0, &orig), (int)RXT_DROP);
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->a, 0, 0, 0, 64));
}

static struct kunit_case responder_test_cases[] = {
	KUNIT_CASE_PARAM(responder_verdict, rx_gen_params),
	KUNIT_CASE(responder_nonsense),
	KUNIT_CASE(responder_too_many_reads),
	KUNIT_CASE(responder_reads_again),
	KUNIT_CASE_PARAM(responder_atomic, atomic_gen_params),
	KUNIT_CASE(responder_atomic_misaligned),
	KUNIT_CASE(responder_atomic_unknown),
	KUNIT_CASE(responder_abort),
	KUNIT_CASE(responder_write_imm_again),
	KUNIT_CASE(responder_revoked),
	KUNIT_CASE(responder_states),
	{ }
};

static struct kunit_suite responder_test_suite = {
	.name = "rxt_responder",
	.suite_init = vt_fake_init,
	.suite_exit = vt_fake_exit,
	.exit = vt_exit,
	.test_cases = responder_test_cases,
};

kunit_test_suite(responder_test_suite);
