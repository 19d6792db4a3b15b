// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: end to end over the loop backend through kernel verbs: what an
 * application gets when all goes well.
 *
 * What lives here: operations, sizes, ordering. Errors are in loop_error_test.c.
 */
#include <linux/delay.h>
#include "verbs_env.h"
#include "loop_test.h"

struct vt_link vt_loop;

int vt_loop_init(struct kunit_suite *suite)
{
	return vt_link_up(&vt_loop, "rxt-loop");
}

void vt_loop_exit(struct kunit_suite *suite)
{
	vt_link_down(&vt_loop);
}

static struct vt_pair *pair(struct kunit *test, const struct vt_opts *opts)
{
	return vt_pair_connected(test, vt_loop.ibdev, opts);
}

/**
 * struct size_case - a payload and how it is cut on both sides
 * @name: for the log
 * @len: bytes
 * @from_sge: segments at the side that the bytes come from
 * @from_off: where the first of these is in its buffer
 * @to_sge: segments at the side that the bytes go to
 * @to_off: where the first of these is in its buffer
 */
struct size_case {
	const char	*name;
	u32		len;
	u32		from_sge;
	u32		from_off;
	u32		to_sge;
	u32		to_off;
};

static const struct size_case size_cases[] = {
	{ "no segment", 0, 0, 0, 0, 64 },
	{ "empty segments", 0, 3, 64, 2, 64 },
	{ "1 B", 1, 1, 77, 1, 93 },
	{ "2 B in 2", 2, 2, 77, 1, 93 },
	{ "4095 B", 4095, 1, 4095, 1, 4097 },
	{ "4096 B odd", 4096, 1, 3, 3, 5 },
	{ "16 KiB", 16384, 1, 64, 1, 64 },
	{ "10007 B in 16", 10007, 16, 4093, 16, 4091 },
	{ "200003 B in 7", 200003, 7, 11, 5, 13 },
};

static void size_desc(const struct size_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(size, size_cases, size_desc);

/* SEND of every flavour into a receive WQE that has some room to spare. */
static void one_send(struct vt_pair *p, const struct size_case *c, enum ib_wr_opcode op)
{
	struct kunit *test = p->test;
	struct vt_wr wr = {
		.op = op, .id = 1, .flags = IB_SEND_SIGNALED, .off = c->from_off,
		.len = c->len, .nsge = c->from_sge, .imm = 0x12345678,
	};
	u32 around = min(c->to_off, 64U);
	struct ib_wc wc;

	vt_fill(&p->a, c->from_off, c->len, c->from_sge, op);
	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 2, c->to_off, c->len, c->to_sge), 0);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);

	vt_expect(p, &p->b, 2, IB_WC_SUCCESS, &wc);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RECV);
	KUNIT_EXPECT_EQ(test, wc.byte_len, c->len);
	KUNIT_EXPECT_EQ(test, wc.wc_flags & IB_WC_WITH_IMM,
			op == IB_WR_SEND_WITH_IMM ? IB_WC_WITH_IMM : 0);
	if (op == IB_WR_SEND_WITH_IMM)
		KUNIT_EXPECT_EQ(test, be32_to_cpu(wc.ex.imm_data), 0x12345678U);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, &wc);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_SEND);
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->b, c->to_off, c->len, c->to_sge, op));
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->b, c->to_off, c->len, c->to_sge, around));
}

static void loop_send(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });

	one_send(p, test->param_value, IB_WR_SEND);
	one_send(p, test->param_value, IB_WR_SEND_WITH_IMM);
}

static void loop_send_uc(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { .type = IB_QPT_UC });

	one_send(p, test->param_value, IB_WR_SEND);
	one_send(p, test->param_value, IB_WR_SEND_WITH_IMM);
}

/* A WRITE goes to one place: the receiver's cut does not matter. */
static void one_write(struct vt_pair *p, const struct size_case *c, enum ib_wr_opcode op)
{
	struct kunit *test = p->test;
	bool imm = op == IB_WR_RDMA_WRITE_WITH_IMM;
	struct vt_wr wr = {
		.op = op, .id = 1, .flags = IB_SEND_SIGNALED, .off = c->from_off,
		.len = c->len, .nsge = c->from_sge, .remote = c->to_off, .imm = 0xcafe,
	};
	struct ib_wc wc;

	vt_fill(&p->a, c->from_off, c->len, c->from_sge, op);
	if (imm)
		KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 2, 0, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, &wc);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RDMA_WRITE);
	if (imm) {
		vt_expect(p, &p->b, 2, IB_WC_SUCCESS, &wc);
		KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RECV_RDMA_WITH_IMM);
		KUNIT_EXPECT_EQ(test, wc.byte_len, c->len);
		KUNIT_EXPECT_TRUE(test, wc.wc_flags & IB_WC_WITH_IMM);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(wc.ex.imm_data), 0xcafeU);
	}
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->b, c->to_off, c->len, 1, op));
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->b, c->to_off, c->len, 1, min(c->to_off, 64U)));
	vt_expect_none(p, &p->b);
}

static void loop_write(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });

	one_write(p, test->param_value, IB_WR_RDMA_WRITE);
	one_write(p, test->param_value, IB_WR_RDMA_WRITE_WITH_IMM);
}

static void loop_write_uc(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { .type = IB_QPT_UC });
	const struct size_case *c = test->param_value;
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE_WITH_IMM, .id = 1, .flags = IB_SEND_SIGNALED,
		.off = c->from_off, .len = c->len, .nsge = c->from_sge, .remote = c->to_off,
	};

	/* UC completes when it is sent: only the receiver knows that it arrived. */
	vt_fill(&p->a, c->from_off, c->len, c->from_sge, 9);
	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 2, 0, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->b, 2, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->b, c->to_off, c->len, 1, 9));
}

static void loop_read(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	const struct size_case *c = test->param_value;
	struct vt_wr wr = {
		.op = IB_WR_RDMA_READ, .id = 1, .flags = IB_SEND_SIGNALED, .off = c->to_off,
		.len = c->len, .nsge = c->to_sge, .remote = c->from_off,
	};
	struct ib_wc wc;

	vt_fill(&p->b, c->from_off, c->len, 1, 5);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, &wc);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RDMA_READ);
	KUNIT_EXPECT_EQ(test, wc.byte_len, c->len);
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->a, c->to_off, c->len, c->to_sge, 5));
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->a, c->to_off, c->len, c->to_sge,
					      min(c->to_off, 64U)));
	vt_expect_none(p, &p->b);
}

struct atomic_case {
	const char		*name;
	enum ib_wr_opcode	op;
	u64			before;
	u64			compare;
	u64			swap;
	u64			after;
};

static const struct atomic_case atomic_cases[] = {
	{ "swap", IB_WR_ATOMIC_CMP_AND_SWP, 5, 5, 0x1122334455667788ULL, 0x1122334455667788ULL },
	{ "no swap", IB_WR_ATOMIC_CMP_AND_SWP, 5, 6, 7, 5 },
	{ "differs in the top byte", IB_WR_ATOMIC_CMP_AND_SWP, 5 | 1ULL << 63, 5, 7,
	  5 | 1ULL << 63 },
	{ "add", IB_WR_ATOMIC_FETCH_AND_ADD, 0xffffffff, 1, 0, 0x100000000ULL },
	{ "add wraps", IB_WR_ATOMIC_FETCH_AND_ADD, U64_MAX, 2, 0, 1 },
	{ "add 0", IB_WR_ATOMIC_FETCH_AND_ADD, 77, 0, 0, 77 },
};

static void atomic_desc(const struct atomic_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(atomic, atomic_cases, atomic_desc);

static void loop_atomic(struct kunit *test)
{
	const struct atomic_case *c = test->param_value;
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct vt_wr wr = {
		.op = c->op, .id = 1, .flags = IB_SEND_SIGNALED, .off = 24, .len = 8, .nsge = 1,
		.remote = 4096 - 8, .compare = c->compare, .swap = c->swap,
	};
	u64 *target = (u64 *)(p->b.buf + wr.remote);
	struct ib_wc wc;

	*target = c->before;
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, &wc);
	KUNIT_EXPECT_EQ(test, wc.opcode, c->op == IB_WR_ATOMIC_CMP_AND_SWP ?
					 IB_WC_COMP_SWAP : IB_WC_FETCH_ADD);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 8U);
	KUNIT_EXPECT_EQ(test, *(u64 *)(p->a.buf + 24), c->before);
	KUNIT_EXPECT_EQ(test, *target, c->after);
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->a, 24, 8, 1, 24));
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->b, wr.remote, 8, 1, 64));
}

/* The original value may be scattered too. */
static void loop_atomic_scattered(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct vt_wr wr = {
		.op = IB_WR_ATOMIC_FETCH_AND_ADD, .id = 1, .flags = IB_SEND_SIGNALED, .off = 101,
		.len = 8, .nsge = 3, .remote = 512, .compare = 1,
	};

	vt_fill(&p->b, 512, 8, 1, 3);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->a, 101, 8, 3, 3));
	KUNIT_EXPECT_TRUE(test, vt_is_guarded(&p->a, 101, 8, 3, 64));
}

/* Both sides add to one counter at once: nothing gets lost. */
static void loop_atomic_both(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { .send_wr = 200 });
	struct vt_wr wr = {
		.op = IB_WR_ATOMIC_FETCH_AND_ADD, .off = 24, .len = 8, .nsge = 1, .compare = 1,
	};
	u64 *counter = (u64 *)p->b.buf;
	unsigned int i;

	*counter = 0;
	for (i = 0; i < 100; i++) {
		wr.id = i;
		wr.flags = i == 99 ? IB_SEND_SIGNALED : 0;
		wr.remote = 0;
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
		/* From the other side the same counter is "remote" by its distance. */
		wr.remote = p->b.buf - p->a.buf;
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->b, &wr), 0);
	}
	vt_expect(p, &p->a, 99, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->b, 99, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_EQ(test, *counter, 200ULL);
}

/* All kinds in one queue, both directions at once: in order and complete. */
static void loop_mixed(struct kunit *test)
{
	static const enum ib_wr_opcode ops[] = {
		IB_WR_SEND, IB_WR_RDMA_WRITE, IB_WR_RDMA_READ, IB_WR_ATOMIC_FETCH_AND_ADD,
		IB_WR_SEND_WITH_IMM, IB_WR_RDMA_READ, IB_WR_RDMA_WRITE_WITH_IMM,
	};
	struct vt_pair *p = pair(test, &(struct vt_opts) { .send_wr = 128, .recv_wr = 128 });
	struct vt_end *ends[] = { &p->a, &p->b };
	struct ib_wc wc;
	u64 sent[2] = { }, got[2] = { };
	unsigned int i, e;

	for (i = 0; i < 70; i++) {
		for (e = 0; e < 2; e++)
			KUNIT_ASSERT_EQ(test, vt_post_recv(p, ends[e], 1000 + i, 100000, 70000, 2),
					0);
	}
	for (i = 0; i < 70; i++) {
		struct vt_wr wr = {
			.op = ops[i % ARRAY_SIZE(ops)], .id = i, .flags = IB_SEND_SIGNALED,
			.off = 8, .len = 1 + i * 997, .nsge = 1 + i % 3, .remote = 180000,
		};

		if (wr.op == IB_WR_ATOMIC_FETCH_AND_ADD)
			wr.len = 8;
		for (e = 0; e < 2; e++)
			KUNIT_ASSERT_EQ(test, vt_post(p, ends[e], &wr), 0);
	}
	for (e = 0; e < 2; e++) {
		for (i = 0; i < 70 + 30; i++) {
			KUNIT_ASSERT_EQ(test, vt_poll(ends[e], &wc, 1, 5000), 1);
			KUNIT_ASSERT_EQ(test, wc.status, IB_WC_SUCCESS);
			if (wc.wr_id >= 1000)
				KUNIT_EXPECT_EQ(test, wc.wr_id, 1000 + got[e]++);
			else
				KUNIT_EXPECT_EQ(test, wc.wr_id, sent[e]++);
		}
		KUNIT_EXPECT_EQ(test, sent[e], 70ULL);
		KUNIT_EXPECT_EQ(test, got[e], 30ULL);
		vt_expect_none(p, ends[e]);
	}
}

/* A fenced request sees what the READ before it brought. */
static void loop_fence(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct vt_wr rd = {
		.op = IB_WR_RDMA_READ, .id = 1, .off = 0, .len = 100000, .nsge = 1,
	};
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .id = 2, .flags = IB_SEND_SIGNALED | IB_SEND_FENCE,
		.off = 0, .len = 100000, .nsge = 1, .remote = 110000,
	};
	unsigned int i;

	for (i = 0; i < 20; i++) {
		vt_fill(&p->b, 0, 100000, 1, i);
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &rd), 0);
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
		vt_expect(p, &p->a, 2, IB_WC_SUCCESS, NULL);
		KUNIT_ASSERT_TRUE(test, vt_is_filled(&p->b, 110000, 100000, 1, i));
	}
}

/* Many more READs than may be outstanding: they wait for their turn. */
static void loop_read_depth(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { .rd_atomic = 1, .send_wr = 64 });
	unsigned int i;

	vt_fill(&p->b, 0, 64 * 1000, 1, 1);
	for (i = 0; i < 64; i++) {
		struct vt_wr wr = {
			.op = IB_WR_RDMA_READ, .id = i, .flags = IB_SEND_SIGNALED,
			.off = i * 1000, .len = 1000, .nsge = 1, .remote = i * 1000,
		};

		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	}
	for (i = 0; i < 64; i++)
		vt_expect(p, &p->a, i, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->a, 0, 64 * 1000, 1, 1));
}

/* Only who asks for a CQE gets one, and its slot frees those before it. */
static void loop_unsignalled(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { .send_wr = 16 });
	struct vt_wr wr = { .op = IB_WR_RDMA_WRITE, .len = 100, .nsge = 1 };
	unsigned int i;

	for (i = 1; i <= 200; i++) {
		wr.id = i;
		wr.flags = i % 10 ? 0 : IB_SEND_SIGNALED;
		KUNIT_ASSERT_EQ_MSG(test, vt_post(p, &p->a, &wr), 0, "%u", i);
		if (wr.flags)
			vt_expect(p, &p->a, i, IB_WC_SUCCESS, NULL);
	}
	vt_expect_none(p, &p->a);
}

static void loop_sig_all(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { .sig_all = true });
	struct vt_wr wr = { .op = IB_WR_RDMA_WRITE, .id = 3, .len = 100, .nsge = 1 };

	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 3, IB_WC_SUCCESS, NULL);
}

/* Inline data is taken at post time. */
static void loop_inline(struct kunit *test)
{
	struct vt_opts opts = { };
	struct vt_pair *p = pair(test, &opts);
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .id = 1, .flags = IB_SEND_SIGNALED | IB_SEND_INLINE,
		.off = 10, .len = 30, .nsge = 2, .remote = 500, .lkey = 0xdead,
	};
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	KUNIT_ASSERT_EQ(test, ib_query_qp(p->a.qp, &attr, IB_QP_CAP, &init), 0);
	if (init.cap.max_inline_data < 30)
		return;
	vt_fill(&p->a, 10, 30, 2, 8);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_fill(&p->a, 10, 30, 2, 9);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->b, 500, 30, 1, 8));
}

/* A full send queue refuses, and takes more once something completed. */
static void loop_sq_full(struct kunit *test)
{
	struct vt_pair *p = vt_pair_new(test, vt_loop.ibdev, &(struct vt_opts) { .send_wr = 8 });
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .flags = IB_SEND_SIGNALED, .len = 8, .nsge = 1,
	};
	int posted = 0, i;

	KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->a, p->b.qp->qp_num), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rts(p, &p->a), 0);
	/* The peer is not there yet: nothing completes. */
	while (posted < 1000 && !vt_post(p, &p->a, &wr))
		posted++;
	KUNIT_EXPECT_GE(test, posted, 8);
	KUNIT_EXPECT_LT(test, posted, 64);
	vt_expect_none(p, &p->a);
	KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->b, p->a.qp->qp_num), 0);
	for (i = 0; i < posted; i++)
		vt_expect(p, &p->a, 0, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 0, IB_WC_SUCCESS, NULL);
}

/* Completion events: once per arming, with the CQE in place. */
static void loop_cq_notify(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .id = 1, .flags = IB_SEND_SIGNALED, .len = 8, .nsge = 1,
	};
	struct vt_wr send = { .op = IB_WR_SEND, .id = 2, .len = 8, .nsge = 1 };
	unsigned int i;

	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->a.cq_events), 0);

	KUNIT_ASSERT_EQ(test, ib_req_notify_cq(p->a.cq, IB_CQ_NEXT_COMP), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
		vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	}
	msleep(20);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->a.cq_events), 1);

	/* Solicited only: a plain SEND does not wake, a solicited one does. */
	KUNIT_ASSERT_EQ(test, ib_req_notify_cq(p->b.cq, IB_CQ_SOLICITED), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 3, 0, 8, 1), 0);
		send.flags = i ? IB_SEND_SOLICITED : 0;
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &send), 0);
		vt_expect(p, &p->b, 3, IB_WC_SUCCESS, NULL);
		msleep(20);
		KUNIT_EXPECT_EQ(test, atomic_read(&p->b.cq_events), (int)i);
	}

	/* Missed events are reported at arming. */
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	msleep(50);
	KUNIT_EXPECT_GT(test, ib_req_notify_cq(p->a.cq, IB_CQ_NEXT_COMP |
						IB_CQ_REPORT_MISSED_EVENTS), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
}

static void vt_srq_event(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		atomic_inc((atomic_t *)context);
}

/* Two QPs take from one SRQ; the limit fires once. */
static void loop_srq(struct kunit *test)
{
	atomic_t events = ATOMIC_INIT(0);
	struct ib_srq_init_attr init = {
		.event_handler = vt_srq_event, .srq_context = &events,
		.attr = { .max_wr = 32, .max_sge = 4 },
	};
	struct ib_srq_attr attr = { .srq_limit = 8 };
	struct vt_opts opts = { };
	struct vt_wr wr = { .op = IB_WR_SEND, .len = 300, .nsge = 1 };
	struct vt_pair *p;
	struct ib_srq *srq;
	struct ib_pd *pd;
	unsigned int i;

	pd = ib_alloc_pd(vt_loop.ibdev, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	srq = ib_create_srq(pd, &init);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, srq);
	opts.srq = srq;
	p = pair(test, &opts);

	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, vt_post_recv(p, &p->b, 100 + i, 1000 * i, 300, 2), 0);
	KUNIT_EXPECT_EQ(test, ib_modify_srq(srq, &attr, IB_SRQ_LIMIT), 0);
	for (i = 0; i < 10; i++) {
		struct vt_end *from = i & 1 ? &p->b : &p->a;
		struct vt_end *to = i & 1 ? &p->a : &p->b;

		vt_fill(from, 0, 300, 1, i);
		KUNIT_EXPECT_EQ(test, vt_post(p, from, &wr), 0);
		vt_expect(p, to, 100 + i, IB_WC_SUCCESS, NULL);
		KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->b, 1000 * i, 300, 2, i));
		/* Ten were there: with the third gone there are fewer than eight. */
		if (i == 1)
			KUNIT_EXPECT_EQ(test, atomic_read(&events), 0);
	}
	msleep(20);
	KUNIT_EXPECT_EQ(test, atomic_read(&events), 1);
	KUNIT_EXPECT_EQ(test, ib_query_srq(srq, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.srq_limit, 0U);
	vt_pair_free(p);
	ib_destroy_srq(srq);
	KUNIT_EXPECT_EQ(test, atomic_read(&pd->usecnt), 0);
	ib_dealloc_pd(pd);
}

/* What was posted in SQD waits for RTS. */
static void loop_sqd(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .id = 4, .flags = IB_SEND_SIGNALED, .len = 8, .nsge = 1,
	};
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1 };
	unsigned int i;

	KUNIT_ASSERT_EQ(test, ib_modify_qp(p->a.qp, &attr, IB_QP_STATE |
					   IB_QP_EN_SQD_ASYNC_NOTIFY), 0);
	for (i = 0; i < 100 && !test_bit(IB_EVENT_SQ_DRAINED, &p->a.qp_events); i++)
		msleep(20);
	KUNIT_EXPECT_TRUE(test, test_bit(IB_EVENT_SQ_DRAINED, &p->a.qp_events));
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect_none(p, &p->a);
	KUNIT_ASSERT_EQ(test, vt_to_state(&p->a, IB_QPS_RTS), 0);
	vt_expect(p, &p->a, 4, IB_WC_SUCCESS, NULL);
}

/* A QP can be used again after RESET. */
static void loop_again(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	static const struct size_case c = { "", 5000, 1, 64, 1, 64 };
	unsigned int i;

	for (i = 0; i < 5; i++) {
		one_send(p, &c, IB_WR_SEND);
		KUNIT_ASSERT_EQ(test, vt_to_state(&p->a, IB_QPS_RESET), 0);
		KUNIT_ASSERT_EQ(test, vt_to_state(&p->b, IB_QPS_RESET), 0);
		vt_expect_none(p, &p->a);
		vt_expect_none(p, &p->b);
		KUNIT_ASSERT_EQ(test, vt_to_init(p, &p->a), 0);
		KUNIT_ASSERT_EQ(test, vt_to_init(p, &p->b), 0);
		KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->b, p->a.qp->qp_num), 0);
		KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->a, p->b.qp->qp_num), 0);
		KUNIT_ASSERT_EQ(test, vt_to_rts(p, &p->a), 0);
		KUNIT_ASSERT_EQ(test, vt_to_rts(p, &p->b), 0);
	}
}

/* A QP that is its own peer. */
static void loop_self(struct kunit *test)
{
	struct vt_pair *p = vt_pair_new(test, vt_loop.ibdev, &(struct vt_opts) { });
	struct vt_wr wr = { .op = IB_WR_SEND, .id = 1, .flags = IB_SEND_SIGNALED, .len = 999,
			    .nsge = 1 };
	struct ib_wc wc[2];

	KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->a, p->a.qp->qp_num), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rts(p, &p->a), 0);
	vt_fill(&p->a, 0, 999, 1, 1);
	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->a, 2, 5000, 999, 1), 0);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	KUNIT_ASSERT_EQ(test, vt_poll(&p->a, wc, 2, 5000), 2);
	KUNIT_EXPECT_EQ(test, wc[0].status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc[1].status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc[0].wr_id + wc[1].wr_id, 3ULL);
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->a, 5000, 999, 1, 1));
}

static struct kunit_case loop_test_cases[] = {
	KUNIT_CASE_PARAM(loop_send, size_gen_params),
	KUNIT_CASE_PARAM(loop_write, size_gen_params),
	KUNIT_CASE_PARAM(loop_read, size_gen_params),
	KUNIT_CASE_PARAM(loop_send_uc, size_gen_params),
	KUNIT_CASE_PARAM(loop_write_uc, size_gen_params),
	KUNIT_CASE_PARAM(loop_atomic, atomic_gen_params),
	KUNIT_CASE(loop_atomic_scattered),
	KUNIT_CASE(loop_atomic_both),
	KUNIT_CASE(loop_mixed),
	KUNIT_CASE(loop_fence),
	KUNIT_CASE(loop_read_depth),
	KUNIT_CASE(loop_unsignalled),
	KUNIT_CASE(loop_sig_all),
	KUNIT_CASE(loop_inline),
	KUNIT_CASE(loop_sq_full),
	KUNIT_CASE(loop_cq_notify),
	KUNIT_CASE(loop_srq),
	KUNIT_CASE(loop_sqd),
	KUNIT_CASE(loop_again),
	KUNIT_CASE(loop_self),
	{ }
};

static struct kunit_suite loop_test_suite = {
	.name = "rxt_loop",
	.suite_init = vt_loop_init,
	.suite_exit = vt_loop_exit,
	.exit = vt_exit,
	.test_cases = loop_test_cases,
};

kunit_test_suite(loop_test_suite);

MODULE_DESCRIPTION("rxt: tests through kernel verbs");
MODULE_SOFTDEP("pre: rxt_loop");
MODULE_LICENSE("GPL");
