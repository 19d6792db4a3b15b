// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: the engine when a backend's peer has to answer before more requests are accepted
 * (RXT_TX_WAIT), on the fake backend.
 */
#include "engine_test.h"

/* WAIT: requests stay where they are until rxt_tx_ready(), answers go on. */
static void engine_wait(struct kunit *test)
{
	static const struct fake_step script[] = {
		{ RXT_TX_WAIT, 300 }, { RXT_TX_MORE, 10 }, { RXT_TX_DONE }, { RXT_TX_DONE },
		{ RXT_TX_WAIT, 0 }, { RXT_TX_DONE },
	};
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	unsigned int i;

	fake_script(fc, script, ARRAY_SIZE(script));
	vt_fake_write(p, 1, 1000);
	vt_fake_write(p, 2, 1000);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 1));
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 1));
	/* Who posts does not wake what waits for the peer, but sends what is there to answer. */
	KUNIT_ASSERT_EQ(test, vt_fake_peer_reads(p, fc, 7, 50), RXT_OK);
	vt_fake_write(p, 3, 10);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 3));
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 3));
	vt_fake_expect_call(test, fc, 1, RXT_OP_READ_RESP, 7, 0);
	vt_fake_expect_call(test, fc, 2, RXT_OP_READ_RESP, 7, 10);

	rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 5));
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 5));
	vt_fake_expect_call(test, fc, 3, RXT_OP_WRITE, 1, 300);
	vt_fake_expect_call(test, fc, 4, RXT_OP_WRITE, 2, 0);
	fake_ready_inline(fc);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 7));
	vt_fake_expect_call(test, fc, 5, RXT_OP_WRITE, 2, 0);
	vt_fake_expect_call(test, fc, 6, RXT_OP_WRITE, 3, 0);
	KUNIT_EXPECT_TRUE(test, rxt_tx_acked(&fc->conn, 3));
	for (i = 1; i <= 3; i++)
		vt_expect(p, &p->a, i, IB_WC_SUCCESS, NULL);
	vt_fake_expect_sane(test, fc);
}

/* What waits is at a boundary: a rewind takes effect, an ACK makes it superfluous. */
static void engine_wait_rewind(struct kunit *test)
{
	static const struct fake_step script[] = {
		{ RXT_TX_DONE }, { RXT_TX_WAIT, 300 }, { RXT_TX_DONE }, { RXT_TX_WAIT, 500 },
	};
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	unsigned int i;

	fake_script(fc, script, ARRAY_SIZE(script));
	for (i = 1; i <= 3; i++)
		vt_fake_write(p, i, 1000);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 2));
	rxt_tx_rewind(&fc->conn, 1, 100);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 2));
	rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 4));
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 4));
	vt_fake_expect_call(test, fc, 2, RXT_OP_WRITE, 1, 100);
	vt_fake_expect_call(test, fc, 3, RXT_OP_WRITE, 2, 0);
	/* Refused as a whole, the rest of it is not sent any more. */
	rxt_conn_nak(&fc->conn, 2, RXT_BAD_ACCESS);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->a, 2, IB_WC_REM_ACCESS_ERR, NULL);
	vt_expect(p, &p->a, 3, IB_WC_WR_FLUSH_ERR, NULL);
	KUNIT_EXPECT_EQ(test, fc->calls, 4U);
	vt_fake_expect_sane(test, fc);
}

static void hook_answer(struct fake_conn *fc, unsigned int call)
{
	if (call & 1)
		fake_ready_inline(fc);
	else
		rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
}

/* The peer answers while ->xmit() is about to say WAIT: not lost. */
static void engine_wait_ready_inside(struct kunit *test)
{
	struct fake_step script[20];
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(script); i++)
		script[i] = (struct fake_step) { RXT_TX_WAIT, 1 };
	fake_script(fc, script, ARRAY_SIZE(script));
	fc->hook = hook_answer;
	vt_fake_write(p, 1, 1000);
	KUNIT_EXPECT_TRUE(test, fake_wait(fc, 21));
	vt_fake_expect_call(test, fc, 20, RXT_OP_WRITE, 1, 20);
	vt_fake_expect_sane(test, fc);
}

static void hook_rewind(struct fake_conn *fc, unsigned int call)
{
	if (call == 1)
		rxt_tx_rewind(&fc->conn, 1, 100);
}

/* The peer wants something again, and all that it has to say is said before WAIT is. */
static void engine_wait_rewind_inside(struct kunit *test)
{
	static const struct fake_step script[] = {
		{ RXT_TX_WAIT, 300 }, { RXT_TX_DONE },
	};
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	fake_script(fc, script, ARRAY_SIZE(script));
	fc->hook = hook_rewind;
	vt_fake_write(p, 1, 1000);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 2));
	vt_fake_expect_call(test, fc, 1, RXT_OP_WRITE, 1, 100);
	KUNIT_EXPECT_TRUE(test, rxt_tx_acked(&fc->conn, 1));
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	vt_fake_expect_sane(test, fc);
}

/* Nothing of it outlives the connection: errors, and going again after a reset. */
static void engine_wait_ends(struct kunit *test)
{
	static const struct fake_step wait[] = { { RXT_TX_WAIT, 5 } };
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	fake_script(fc, wait, ARRAY_SIZE(wait));
	vt_fake_write(p, 1, 10);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 1));
	KUNIT_ASSERT_EQ(test, vt_to_state(&p->a, IB_QPS_RESET), 0);
	KUNIT_ASSERT_EQ(test, vt_to_init(p, &p->a), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->a, p->b.qp->qp_num), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rts(p, &p->a), 0);
	vt_fake_write(p, 2, 10);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 2));
	vt_fake_expect_call(test, fc, 1, RXT_OP_WRITE, 1, 0);
	KUNIT_EXPECT_TRUE(test, rxt_tx_acked(&fc->conn, 1));
	vt_expect(p, &p->a, 2, IB_WC_SUCCESS, NULL);

	fake_script(fc, wait, ARRAY_SIZE(wait));
	vt_fake_write(p, 3, 10);
	vt_fake_write(p, 4, 10);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 3));
	rxt_conn_error(&fc->conn, RXT_ERR_LOST);
	vt_expect(p, &p->a, 3, IB_WC_RETRY_EXC_ERR, NULL);
	vt_expect(p, &p->a, 4, IB_WC_WR_FLUSH_ERR, NULL);
	KUNIT_EXPECT_EQ(test, fc->calls, 3U);
	vt_fake_expect_sane(test, fc);
}

static struct kunit_case engine_wait_test_cases[] = {
	KUNIT_CASE(engine_wait),
	KUNIT_CASE(engine_wait_rewind),
	KUNIT_CASE(engine_wait_ready_inside),
	KUNIT_CASE(engine_wait_rewind_inside),
	KUNIT_CASE(engine_wait_ends),
	{ }
};

static struct kunit_suite engine_wait_test_suite = {
	.name = "rxt_engine_wait",
	.suite_init = vt_fake_init,
	.suite_exit = vt_fake_exit,
	.exit = vt_exit,
	.test_cases = engine_wait_test_cases,
};

kunit_test_suite(engine_wait_test_suite);
