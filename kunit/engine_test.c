// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: the engine and the requester: who is handed over when, what is waited for,
 * and what each answer of a backend leads to.
 *
 * What lives here: the transmit side, on the fake backend. What may not: inbound requests
 * (responder_test.c), real transports.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include "engine_test.h"

struct vt_link vt_fake;

int vt_fake_init(struct kunit_suite *suite)
{
	int err = fake_register();

	if (err)
		return err;
	err = vt_link_up(&vt_fake, "rxt-fake");
	if (err)
		fake_unregister();
	return err;
}

void vt_fake_exit(struct kunit_suite *suite)
{
	if (!vt_fake.ibdev)
		return;
	vt_link_down(&vt_fake);
	fake_unregister();
}

/* A pair of which only a side, with its fake half, is of interest. */
struct vt_pair *vt_fake_pair(struct kunit *test, const struct vt_opts *opts,
			     struct fake_conn **fc)
{
	struct vt_pair *p = vt_pair_connected(test, vt_fake.ibdev, opts);

	*fc = fake_find(p->a.qp->qp_num);
	KUNIT_ASSERT_NOT_NULL(test, *fc);
	return p;
}

/* A signalled WRITE of @len bytes. */
void vt_fake_write(struct vt_pair *p, u64 id, u32 len)
{
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .id = id, .len = len, .nsge = 1, .flags = IB_SEND_SIGNALED,
	};

	KUNIT_ASSERT_EQ(p->test, vt_post(p, &p->a, &wr), 0);
}

static void post_read(struct vt_pair *p, u64 id, u32 len)
{
	struct vt_wr wr = {
		.op = IB_WR_RDMA_READ, .id = id, .len = len, .nsge = 1, .flags = IB_SEND_SIGNALED,
	};

	KUNIT_ASSERT_EQ(p->test, vt_post(p, &p->a, &wr), 0);
}

void vt_fake_expect_call(struct kunit *test, struct fake_conn *fc, unsigned int n, u8 op, u32 id,
			 u32 tx_off)
{
	const struct fake_call *c = &fc->call[n];

	KUNIT_ASSERT_LT(test, n, fc->calls);
	KUNIT_EXPECT_EQ_MSG(test, c->op, op, "call %u", n);
	KUNIT_EXPECT_EQ_MSG(test, c->id, id, "call %u", n);
	KUNIT_EXPECT_EQ_MSG(test, c->tx_off, tx_off, "call %u", n);
}

void vt_fake_expect_sane(struct kunit *test, struct fake_conn *fc)
{
	KUNIT_EXPECT_TRUE_MSG(test, !fc->broken, "%s", fc->broken);
}

/* Handed over in order, complete only when acknowledged, in order. */
static void engine_ack(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	unsigned int i;

	for (i = 1; i <= 4; i++)
		vt_fake_write(p, i, 100 * i);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 4));
	for (i = 1; i <= 4; i++)
		vt_fake_expect_call(test, fc, i - 1, RXT_OP_WRITE, i, 0);
	vt_expect_none(p, &p->a);

	KUNIT_EXPECT_TRUE(test, rxt_tx_acked(&fc->conn, 2));
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->a, 2, IB_WC_SUCCESS, NULL);
	vt_expect_none(p, &p->a);
	/* Old, not sent yet, nonsense: no effect. */
	KUNIT_EXPECT_FALSE(test, rxt_tx_acked(&fc->conn, 1));
	KUNIT_EXPECT_FALSE(test, rxt_tx_acked(&fc->conn, 5));
	KUNIT_EXPECT_FALSE(test, rxt_tx_acked(&fc->conn, 0x80000003));
	KUNIT_EXPECT_FALSE(test, rxt_tx_acked(&fc->conn, 0));
	vt_expect_none(p, &p->a);
	KUNIT_EXPECT_TRUE(test, rxt_tx_acked(&fc->conn, 4));
	vt_expect(p, &p->a, 3, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->a, 4, IB_WC_SUCCESS, NULL);
	vt_fake_expect_sane(test, fc);
}

/* UC: handed over is done. */
static void engine_uc(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { .type = IB_QPT_UC }, &fc);

	vt_fake_write(p, 1, 10);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_EQ(test, fc->calls, 1U);
}

/* BLOCKED: nobody is asked again before rxt_tx_ready(), and then for the same message. */
static void engine_blocked(struct kunit *test)
{
	static const struct fake_step script[] = {
		{ RXT_TX_BLOCKED, 300 }, { RXT_TX_BLOCKED, 0 }, { RXT_TX_DONE },
	};
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	fake_script(fc, script, ARRAY_SIZE(script));
	vt_fake_write(p, 1, 1000);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 1));
	vt_fake_write(p, 2, 10);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 1));
	rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 2));
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 2));
	fake_ready_inline(fc);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 4));
	vt_fake_expect_call(test, fc, 0, RXT_OP_WRITE, 1, 0);
	vt_fake_expect_call(test, fc, 1, RXT_OP_WRITE, 1, 300);
	vt_fake_expect_call(test, fc, 2, RXT_OP_WRITE, 1, 300);
	vt_fake_expect_call(test, fc, 3, RXT_OP_WRITE, 2, 0);
	KUNIT_EXPECT_TRUE(test, fc->call[2].inline_bh);
	KUNIT_EXPECT_FALSE(test, fc->call[1].inline_bh);
	vt_fake_expect_sane(test, fc);
}

/* The peer READs @len bytes as its request @id. */
enum rxt_verdict vt_fake_peer_reads(struct vt_pair *p, struct fake_conn *fc, u32 id, u32 len)
{
	struct rxt_hdr hdr = {
		.op = RXT_OP_READ, .msg_id = id, .length = len, .rkey = p->mr->rkey,
		.raddr = (uintptr_t)p->a.buf,
	};

	return rxt_rx_read(&fc->conn, &hdr, 1000 + id, 0);
}

static void hook_ready(struct fake_conn *fc, unsigned int call)
{
	if (call == 1)
		fake_ready_inline(fc);
	else if (call == 2)
		rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
}

/* The room comes while ->xmit() is about to say BLOCKED: not lost, not nested. */
static void engine_ready_inside(struct kunit *test)
{
	static const struct fake_step script[] = {
		{ RXT_TX_BLOCKED, 1 }, { RXT_TX_BLOCKED, 1 }, { RXT_TX_DONE },
	};
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	fake_script(fc, script, ARRAY_SIZE(script));
	fc->hook = hook_ready;
	vt_fake_write(p, 1, 1000);
	KUNIT_EXPECT_TRUE(test, fake_wait(fc, 3));
	vt_fake_expect_call(test, fc, 2, RXT_OP_WRITE, 1, 2);
	vt_fake_expect_sane(test, fc);
}

/* Once each: room, for a batch that has not seen it. */
static void begin_hook_defer(struct fake_conn *fc)
{
	fc->begin_hook = NULL;
	rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
}

static void begin_hook_inline(struct fake_conn *fc)
{
	fc->begin_hook = NULL;
	fake_ready_inline(fc);
}

static void ready_before(struct kunit *test, void (*hook)(struct fake_conn *fc))
{
	static const struct fake_step script[] = { { RXT_TX_BLOCKED, 0 }, { RXT_TX_DONE } };
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	fake_script(fc, script, ARRAY_SIZE(script));
	fc->begin_hook = hook;
	vt_fake_write(p, 1, 1000);
	KUNIT_EXPECT_TRUE(test, fake_wait(fc, 2));
	vt_fake_expect_call(test, fc, 1, RXT_OP_WRITE, 1, 0);
	vt_fake_expect_sane(test, fc);
}

/* The room comes after ->xmit_begin() has looked, and before ->xmit() says BLOCKED for it. */
static void engine_ready_before(struct kunit *test)
{
	ready_before(test, begin_hook_defer);
}

static void engine_ready_before_inline(struct kunit *test)
{
	ready_before(test, begin_hook_inline);
}

/* No memory: tried again by the clock, the same message. */
static void engine_nobufs(struct kunit *test)
{
	static const struct fake_step script[] = {
		{ -ENOBUFS }, { -ENOBUFS }, { RXT_TX_MORE, 10 }, { -ENOBUFS }, { RXT_TX_DONE },
	};
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	fake_script(fc, script, ARRAY_SIZE(script));
	vt_fake_write(p, 1, 100);
	vt_fake_write(p, 2, 100);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 6));
	vt_fake_expect_call(test, fc, 1, RXT_OP_WRITE, 1, 0);
	vt_fake_expect_call(test, fc, 2, RXT_OP_WRITE, 1, 0);
	vt_fake_expect_call(test, fc, 3, RXT_OP_WRITE, 1, 10);
	vt_fake_expect_call(test, fc, 4, RXT_OP_WRITE, 1, 10);
	vt_fake_expect_call(test, fc, 5, RXT_OP_WRITE, 2, 0);
	vt_fake_expect_sane(test, fc);
}

/* Long messages in both lanes: neither starves. */
static void engine_lanes(struct kunit *test)
{
	struct fake_step *script;
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { .rd_atomic = 16 }, &fc);
	unsigned int i, run = 0, lane, last = 2, longest[2] = { }, units[2] = { };

	script = kunit_kcalloc(test, 200, sizeof(*script), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, script);
	script[0].ret = RXT_TX_BLOCKED;
	for (i = 1; i < 200; i++)
		script[i] = (struct fake_step) { RXT_TX_MORE, 10 };
	fake_script(fc, script, 200);
	for (i = 0; i < 8; i++)
		vt_fake_write(p, i, 100000);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 1));
	for (i = 1; i <= 8; i++)
		KUNIT_ASSERT_EQ(test, vt_fake_peer_reads(p, fc, i, 100000), RXT_OK);
	KUNIT_EXPECT_TRUE(test, rxt_tx_wanted(&fc->conn));
	rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 200));

	for (i = 1; i < 200; i++) {
		lane = fc->call[i].op == RXT_OP_READ_RESP;
		run = lane == last ? run + 1 : 1;
		last = lane;
		longest[lane] = max(longest[lane], run);
		units[lane]++;
	}
	KUNIT_EXPECT_LE(test, longest[0], 8U);
	KUNIT_EXPECT_LE(test, longest[1], 8U);
	KUNIT_EXPECT_GT(test, units[0], 15U);
	KUNIT_EXPECT_GT(test, units[1], 15U);
	vt_fake_expect_sane(test, fc);
}

/* A message that is BLOCKED is not interrupted by the other lane; one that is at a
 * boundary may be.
 */
static void engine_blocked_is_whole(struct kunit *test)
{
	static const struct fake_step script[] = {
		{ RXT_TX_BLOCKED, 10 }, { RXT_TX_DONE },
	};
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	fake_script(fc, script, ARRAY_SIZE(script));
	vt_fake_write(p, 1, 1000);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 1));
	KUNIT_ASSERT_EQ(test, vt_fake_peer_reads(p, fc, 7, 50), RXT_OK);
	KUNIT_EXPECT_FALSE(test, rxt_conn_resp_idle(&fc->conn));
	rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 3));
	vt_fake_expect_call(test, fc, 1, RXT_OP_WRITE, 1, 10);
	vt_fake_expect_call(test, fc, 2, RXT_OP_READ_RESP, 7, 0);
	KUNIT_EXPECT_EQ(test, fc->call[2].cookie, 1007ULL);
	KUNIT_EXPECT_EQ(test, fc->call[2].length, 50U);
	KUNIT_EXPECT_TRUE(test, rxt_conn_resp_idle(&fc->conn));
	vt_fake_expect_sane(test, fc);
}

static void engine_rewind(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	unsigned int i;

	for (i = 1; i <= 3; i++)
		vt_fake_write(p, i, 1000);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 3));
	rxt_tx_rewind(&fc->conn, 2, 500);
	KUNIT_EXPECT_TRUE(test, rxt_tx_wanted(&fc->conn));
	rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 5));
	vt_fake_expect_call(test, fc, 3, RXT_OP_WRITE, 2, 500);
	vt_fake_expect_call(test, fc, 4, RXT_OP_WRITE, 3, 0);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 5));
	KUNIT_EXPECT_TRUE(test, rxt_tx_acked(&fc->conn, 3));
	for (i = 1; i <= 3; i++)
		vt_expect(p, &p->a, i, IB_WC_SUCCESS, NULL);
	vt_fake_expect_sane(test, fc);
}

static void hook_rewind(struct fake_conn *fc, unsigned int call)
{
	if (call == 5)
		rxt_tx_rewind(&fc->conn, 2, 0);
}

/* Rewind and ACK come while a message is in ->xmit(). */
static void engine_rewind_inside(struct kunit *test)
{
	static const struct fake_step script[] = {
		{ RXT_TX_DONE }, { RXT_TX_DONE }, { RXT_TX_DONE }, { RXT_TX_MORE, 100 },
		{ RXT_TX_MORE, 100 },
	};
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	unsigned int i;

	fake_script(fc, script, ARRAY_SIZE(script));
	fc->hook = hook_rewind;
	for (i = 1; i <= 4; i++)
		vt_fake_write(p, i, 1000);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 8));
	vt_fake_expect_call(test, fc, 4, RXT_OP_WRITE, 4, 100);
	vt_fake_expect_call(test, fc, 5, RXT_OP_WRITE, 2, 0);
	vt_fake_expect_call(test, fc, 6, RXT_OP_WRITE, 3, 0);
	vt_fake_expect_call(test, fc, 7, RXT_OP_WRITE, 4, 0);
	KUNIT_EXPECT_TRUE(test, rxt_tx_acked(&fc->conn, 4));
	for (i = 1; i <= 4; i++)
		vt_expect(p, &p->a, i, IB_WC_SUCCESS, NULL);
	vt_fake_expect_sane(test, fc);
}

static void hook_ack(struct fake_conn *fc, unsigned int call)
{
	rxt_tx_acked(&fc->conn, call);
}

/* The ACK is faster than the return of ->xmit(): the message stays until then. */
static void engine_ack_inside(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	unsigned int i;

	fc->hook = hook_ack;
	for (i = 1; i <= 20; i++)
		vt_fake_write(p, i, 100);
	for (i = 1; i <= 20; i++)
		vt_expect(p, &p->a, i, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_EQ(test, fc->calls, 20U);
	vt_fake_expect_sane(test, fc);
}

static void engine_rnr(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { .rnr_retry = 2 }, &fc);
	ktime_t start;
	unsigned int i;

	for (i = 1; i <= 3; i++)
		vt_fake_write(p, i, 1000);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 3));
	start = ktime_get();
	rxt_conn_rnr(&fc->conn, 2, 0, 30);	/* 327.68 ms */
	fake_ready_inline(fc);
	/* What is before it was accepted. */
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	/* Answers go meanwhile, requests do not. */
	KUNIT_ASSERT_EQ(test, vt_fake_peer_reads(p, fc, 1, 50), RXT_OK);
	fake_ready_inline(fc);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 4));
	vt_fake_expect_call(test, fc, 3, RXT_OP_READ_RESP, 1, 0);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 6));
	KUNIT_EXPECT_GE(test, ktime_us_delta(ktime_get(), start), 327680LL);
	vt_fake_expect_call(test, fc, 4, RXT_OP_WRITE, 2, 0);
	vt_fake_expect_call(test, fc, 5, RXT_OP_WRITE, 3, 0);

	rxt_conn_rnr(&fc->conn, 2, 0, 1);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 8));
	/* The third is one too many. */
	rxt_conn_rnr(&fc->conn, 2, 0, 1);
	vt_expect(p, &p->a, 2, IB_WC_RNR_RETRY_EXC_ERR, NULL);
	vt_expect(p, &p->a, 3, IB_WC_WR_FLUSH_ERR, NULL);
	vt_fake_expect_sane(test, fc);
}

/* An RNR NAK for what is not outstanding changes nothing. */
static void engine_rnr_stray(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { .rnr_retry = 0 }, &fc);

	rxt_conn_rnr(&fc->conn, 1, 0, 1);
	vt_fake_write(p, 1, 10);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 1));
	rxt_conn_rnr(&fc->conn, 2, 0, 1);
	rxt_conn_rnr(&fc->conn, 0, 0, 1);
	KUNIT_EXPECT_TRUE(test, rxt_tx_acked(&fc->conn, 1));
	rxt_conn_rnr(&fc->conn, 1, 0, 1);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_EQ(test, vt_state(&p->a), IB_QPS_RTS);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 1));
}

struct end_case {
	const char		*name;
	int			ret;		/* of the second ->xmit() */
	enum rxt_verdict	nak;		/* or a NAK for the second request */
	enum ib_wc_status	first;
	enum ib_wc_status	second;
};

static const struct end_case end_cases[] = {
	{ "NAK bad request", RXT_TX_DONE, RXT_BAD_REQUEST, IB_WC_SUCCESS, IB_WC_REM_INV_REQ_ERR },
	{ "NAK bad access", RXT_TX_DONE, RXT_BAD_ACCESS, IB_WC_SUCCESS, IB_WC_REM_ACCESS_ERR },
	{ "NAK op error", RXT_TX_DONE, RXT_OP_ERROR, IB_WC_SUCCESS, IB_WC_REM_OP_ERR },
	{ "source revoked", -EFAULT, RXT_OK, IB_WC_SUCCESS, IB_WC_LOC_PROT_ERR },
	{ "lost", -ENOTCONN, RXT_OK, IB_WC_RETRY_EXC_ERR, IB_WC_WR_FLUSH_ERR },
	{ "broken", -EPROTO, RXT_OK, IB_WC_BAD_RESP_ERR, IB_WC_WR_FLUSH_ERR },
};

static void end_desc(const struct end_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(end, end_cases, end_desc);

/* However it ends: the right status on the right request, all others flushed in order,
 * one ->conn_stop(), and nothing handed over after that.
 */
static void engine_end(struct kunit *test)
{
	const struct end_case *c = test->param_value;
	const struct fake_step script[] = { { RXT_TX_DONE }, { c->ret } };
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	unsigned int i, calls;

	fake_script(fc, script, ARRAY_SIZE(script));
	for (i = 1; i <= 5; i++)
		vt_fake_write(p, i, 100);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 2));
	if (c->nak != RXT_OK) {
		KUNIT_ASSERT_TRUE(test, fake_wait(fc, 5));
		rxt_conn_nak(&fc->conn, 2, c->nak);
	} else if (c->first == IB_WC_SUCCESS) {
		rxt_tx_acked(&fc->conn, 1);
	}
	vt_expect(p, &p->a, 1, c->first, NULL);
	vt_expect(p, &p->a, 2, c->second, NULL);
	for (i = 3; i <= 5; i++)
		vt_expect(p, &p->a, i, IB_WC_WR_FLUSH_ERR, NULL);
	KUNIT_EXPECT_TRUE(test, vt_wait_state(&p->a, IB_QPS_ERR));
	vt_fake_write(p, 6, 100);
	vt_expect(p, &p->a, 6, IB_WC_WR_FLUSH_ERR, NULL);
	calls = fc->calls;
	rxt_conn_error(&fc->conn, RXT_ERR_LOST);
	rxt_conn_error(&fc->conn, RXT_ERR_PROTOCOL);
	rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, calls));
	KUNIT_EXPECT_EQ(test, fc->stops, 1U);
	vt_expect_none(p, &p->a);
	vt_fake_expect_sane(test, fc);
}

/* Lost with nothing outstanding: the QP stays, the next request ends so. */
static void engine_lost_idle(struct kunit *test)
{
	static const struct fake_step script[] = { { -ENOTCONN } };
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	unsigned int i;

	for (i = 0; i < 3; i++)
		rxt_conn_error(&fc->conn, RXT_ERR_LOST);
	msleep(20);
	KUNIT_EXPECT_EQ(test, vt_state(&p->a), IB_QPS_RTS);
	fake_script(fc, script, ARRAY_SIZE(script));
	vt_fake_write(p, 1, 100);
	vt_expect(p, &p->a, 1, IB_WC_RETRY_EXC_ERR, NULL);
	vt_fake_expect_sane(test, fc);
}

/* The peer went away while we answered it: our own request still learns of it. */
static void engine_lost_answering(struct kunit *test)
{
	static const struct fake_step script[] = { { -ENOTCONN }, { -ENOTCONN }, { -ENOTCONN } };
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	fake_script(fc, script, ARRAY_SIZE(script));
	KUNIT_ASSERT_EQ(test, vt_fake_peer_reads(p, fc, 1, 50), RXT_OK);
	fake_ready_inline(fc);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 1));
	vt_fake_write(p, 1, 100);
	vt_expect(p, &p->a, 1, IB_WC_RETRY_EXC_ERR, NULL);
	vt_fake_expect_sane(test, fc);
}

/* The source of an answer is revoked: the QP is of no use any more. */
static void engine_answer_revoked(struct kunit *test)
{
	static const struct fake_step script[] = { { -EFAULT } };
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	fake_script(fc, script, ARRAY_SIZE(script));
	KUNIT_ASSERT_EQ(test, vt_fake_peer_reads(p, fc, 1, 50), RXT_OK);
	fake_ready_inline(fc);
	KUNIT_EXPECT_TRUE(test, vt_wait_state(&p->a, IB_QPS_ERR));
	msleep(20);
	KUNIT_EXPECT_EQ(test, fc->stops, 1U);
	vt_fake_expect_sane(test, fc);
}

/* The region of a blocked message goes away. */
static void engine_revoked_while_blocked(struct kunit *test)
{
	static const struct fake_step script[] = { { RXT_TX_BLOCKED, 100 } };
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);
	struct ib_mr *mr = vt_dma_mr(p, 0);
	struct vt_wr wr = { .op = IB_WR_SEND, .id = 1, .len = 1000, .nsge = 1, .lkey = mr->lkey };

	fake_script(fc, script, ARRAY_SIZE(script));
	KUNIT_EXPECT_EQ(test, vt_post(p, &p->a, &wr), 0);
	KUNIT_EXPECT_TRUE(test, fake_wait(fc, 1));
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
	vt_expect(p, &p->a, 1, IB_WC_LOC_PROT_ERR, NULL);
	vt_fake_expect_sane(test, fc);
}

/* What the peer sends back for our READ @id. */
static enum rxt_verdict peer_answers(struct fake_conn *fc, u32 id, const void *data, u32 len)
{
	struct rxt_hdr hdr = { .op = RXT_OP_READ_RESP, .msg_id = id, .length = len };
	enum rxt_verdict verdict;
	struct rxt_rx *rx;

	verdict = rxt_rx_begin(&fc->conn, &hdr, &rx);
	if (verdict != RXT_OK)
		return verdict;
	if (len && rxt_rx_place_buf(rx, 0, data, len))
		return RXT_OP_ERROR;
	return rxt_rx_end(rx, &hdr);
}

static void engine_read(struct kunit *test)
{
	static const u8 data[] = "what the peer has";
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	KUNIT_EXPECT_EQ(test, peer_answers(fc, 1, data, sizeof(data)), RXT_BAD_REQUEST);
	post_read(p, 1, sizeof(data));
	vt_fake_write(p, 2, 10);
	post_read(p, 3, sizeof(data));
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 3));
	KUNIT_EXPECT_EQ(test, peer_answers(fc, 2, data, sizeof(data)), RXT_BAD_REQUEST);
	KUNIT_EXPECT_EQ(test, peer_answers(fc, 4, data, sizeof(data)), RXT_BAD_REQUEST);
	KUNIT_EXPECT_EQ(test, peer_answers(fc, 1, data, sizeof(data) - 1), RXT_BAD_REQUEST);
	KUNIT_EXPECT_EQ(test, rxt_rx_atomic_resp(&fc->conn, 1, 5), RXT_BAD_REQUEST);

	/* Acknowledged is not answered. */
	KUNIT_EXPECT_TRUE(test, rxt_tx_acked(&fc->conn, 2));
	vt_expect_none(p, &p->a);
	KUNIT_EXPECT_EQ(test, peer_answers(fc, 1, data, sizeof(data)), RXT_OK);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->a, 2, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_EQ(test, memcmp(p->a.buf, data, sizeof(data)), 0);
	/* Twice is once too often. */
	KUNIT_EXPECT_EQ(test, peer_answers(fc, 1, data, sizeof(data)), RXT_BAD_REQUEST);
	/* Answered is acknowledged. */
	KUNIT_EXPECT_EQ(test, peer_answers(fc, 3, data, sizeof(data)), RXT_OK);
	vt_expect(p, &p->a, 3, IB_WC_SUCCESS, NULL);
	vt_fake_expect_sane(test, fc);
}

/* Refused in the middle of its answer: nothing of the rest is placed. */
static void engine_read_cut(struct kunit *test, bool rnr)
{
	struct rxt_hdr hdr = { .op = RXT_OP_READ_RESP, .msg_id = 1, .length = 100 };
	static const u8 data[50] = { 1 };
	struct rxt_rx *rx = NULL;
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	post_read(p, 1, 100);
	post_read(p, 2, 100);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 2));
	KUNIT_ASSERT_EQ(test, rxt_rx_begin(&fc->conn, &hdr, &rx), RXT_OK);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, 0, data, 50), 0);
	if (rnr)
		rxt_conn_rnr(&fc->conn, 1, 0, 1);
	else
		rxt_conn_nak(&fc->conn, 1, RXT_OP_ERROR);
	KUNIT_EXPECT_NE(test, rxt_rx_place_buf(rx, 50, data, 50), 0);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_verdict(rx, -EMSGSIZE), RXT_DROP);
	KUNIT_EXPECT_EQ(test, rxt_rx_end(rx, &hdr), RXT_DROP);
	vt_expect(p, &p->a, 1, rnr ? IB_WC_RNR_RETRY_EXC_ERR : IB_WC_REM_OP_ERR, NULL);
	vt_expect(p, &p->a, 2, IB_WC_WR_FLUSH_ERR, NULL);
	vt_fake_expect_sane(test, fc);
}

static void engine_read_nak(struct kunit *test)
{
	engine_read_cut(test, false);
}

static void engine_read_rnr(struct kunit *test)
{
	engine_read_cut(test, true);
}

/* No more READs out than agreed; a fence waits for all of them. */
static void engine_read_limits(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { .rd_atomic = 2 }, &fc);
	struct vt_wr fenced = {
		.op = IB_WR_RDMA_WRITE, .id = 4, .len = 10, .nsge = 1,
		.flags = IB_SEND_SIGNALED | IB_SEND_FENCE,
	};
	unsigned int i;

	for (i = 1; i <= 3; i++)
		post_read(p, i, 0);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &fenced), 0);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 2));
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 2));
	rxt_tx_acked(&fc->conn, 2);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 2));
	KUNIT_EXPECT_EQ(test, peer_answers(fc, 1, NULL, 0), RXT_OK);
	KUNIT_EXPECT_TRUE(test, rxt_tx_wanted(&fc->conn));
	fake_ready_inline(fc);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 3));
	vt_fake_expect_call(test, fc, 2, RXT_OP_READ, 3, 0);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 3));
	KUNIT_EXPECT_EQ(test, peer_answers(fc, 2, NULL, 0), RXT_OK);
	fake_ready_inline(fc);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 3));
	KUNIT_EXPECT_EQ(test, peer_answers(fc, 3, NULL, 0), RXT_OK);
	fake_ready_inline(fc);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 4));
	vt_fake_expect_call(test, fc, 3, RXT_OP_WRITE, 4, 0);
	rxt_tx_acked(&fc->conn, 4);
	for (i = 1; i <= 4; i++)
		vt_expect(p, &p->a, i, IB_WC_SUCCESS, NULL);
	vt_fake_expect_sane(test, fc);
}

/* An RNR hold gives READs that were under way their slots back. */
static void engine_read_rewound(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) {
		.rd_atomic = 1, .rnr_retry = 7 }, &fc);

	vt_fake_write(p, 1, 10);
	post_read(p, 2, 0);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 2));
	rxt_conn_rnr(&fc->conn, 1, 0, 1);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 4));
	vt_fake_expect_call(test, fc, 2, RXT_OP_WRITE, 1, 0);
	vt_fake_expect_call(test, fc, 3, RXT_OP_READ, 2, 0);
	KUNIT_EXPECT_EQ(test, peer_answers(fc, 2, NULL, 0), RXT_OK);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->a, 2, IB_WC_SUCCESS, NULL);
	vt_fake_expect_sane(test, fc);
}

/* Unacknowledged requests are bounded; an ACK lets more out. */
static void engine_window(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) {
		.send_wr = 3000, .cqe = 4000 }, &fc);
	unsigned int i, window;
	struct ib_wc wc;

	for (i = 1; i <= 3000; i++)
		vt_fake_write(p, i, 8);
	msleep(300);
	window = fc->calls;
	KUNIT_EXPECT_LT(test, window, 3000U);
	KUNIT_EXPECT_GE(test, window, 256U);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, window));
	for (i = 100; i <= 3000; i += 100) {
		unsigned int target = min(i, fc->calls);

		KUNIT_ASSERT_TRUE(test, rxt_tx_acked(&fc->conn, target));
		if (rxt_tx_wanted(&fc->conn))
			fake_ready_inline(fc);
		KUNIT_ASSERT_TRUE(test, fake_wait(fc, min(3000U, i + window)));
	}
	for (i = 1; i <= 3000; i++) {
		vt_fake_expect_call(test, fc, i - 1, RXT_OP_WRITE, i, 0);
		KUNIT_ASSERT_EQ(test, vt_poll(&p->a, &wc, 1, 2000), 1);
		KUNIT_ASSERT_EQ(test, wc.wr_id, (u64)i);
	}
	vt_fake_expect_sane(test, fc);
}

static int ready_thread(void *arg)
{
	struct fake_conn *fc = arg;

	while (!kthread_should_stop()) {
		fake_ready_inline(fc);
		rxt_tx_ready(&fc->conn, RXT_TX_DEFER);
		usleep_range(10, 100);
	}
	return 0;
}

static void hook_slow(struct fake_conn *fc, unsigned int call)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		cpu_relax();
	rxt_tx_acked(&fc->conn, call);
}

/* Everybody wants the token: one at a time has it, nothing is lost or sent twice. */
static void engine_token_storm(struct kunit *test)
{
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { .send_wr = 512, .cqe = 1024 },
					 &fc);
	struct task_struct *task[3];
	unsigned int i, done = 0;
	struct ib_wc wc;

	fc->hook = hook_slow;
	for (i = 0; i < ARRAY_SIZE(task); i++)
		task[i] = kthread_run(ready_thread, fc, "rxt_token%u", i);
	for (i = 1; i <= 500; i++) {
		vt_fake_write(p, i, 8);
		if (i % 50 == 0)
			usleep_range(100, 500);
	}
	while (done < 500 && vt_poll(&p->a, &wc, 1, 2000) == 1) {
		KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
		done++;
		KUNIT_EXPECT_EQ(test, wc.wr_id, (u64)done);
	}
	for (i = 0; i < ARRAY_SIZE(task); i++)
		if (!IS_ERR(task[i]))
			kthread_stop(task[i]);
	KUNIT_EXPECT_EQ(test, done, 500U);
	KUNIT_EXPECT_EQ(test, fc->calls, 500U);
	vt_fake_expect_sane(test, fc);
}

/* Reset and go again: numbers begin at 1, nothing of the past is sent. */
static void engine_restart(struct kunit *test)
{
	static const struct fake_step script[] = { { RXT_TX_DONE }, { RXT_TX_BLOCKED, 5 } };
	struct fake_conn *fc;
	struct vt_pair *p = vt_fake_pair(test, &(struct vt_opts) { }, &fc);

	fake_script(fc, script, ARRAY_SIZE(script));
	vt_fake_write(p, 1, 10);
	vt_fake_write(p, 2, 10);
	vt_fake_write(p, 3, 10);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 2));
	KUNIT_ASSERT_EQ(test, vt_fake_peer_reads(p, fc, 1, 50), RXT_OK);
	KUNIT_ASSERT_EQ(test, vt_to_state(&p->a, IB_QPS_RESET), 0);
	KUNIT_EXPECT_EQ(test, fc->stops, 1U);
	KUNIT_ASSERT_EQ(test, vt_to_init(p, &p->a), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->a, p->b.qp->qp_num), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rts(p, &p->a), 0);
	KUNIT_EXPECT_TRUE(test, fake_quiet(fc, 2));
	vt_fake_write(p, 4, 10);
	KUNIT_ASSERT_TRUE(test, fake_wait(fc, 3));
	vt_fake_expect_call(test, fc, 2, RXT_OP_WRITE, 1, 0);
	KUNIT_EXPECT_TRUE(test, rxt_tx_acked(&fc->conn, 1));
	vt_expect(p, &p->a, 4, IB_WC_SUCCESS, NULL);
	vt_expect_none(p, &p->a);
	vt_fake_expect_sane(test, fc);
}

static struct kunit_case engine_test_cases[] = {
	KUNIT_CASE(engine_ack),
	KUNIT_CASE(engine_uc),
	KUNIT_CASE(engine_blocked),
	KUNIT_CASE(engine_ready_inside),
	KUNIT_CASE(engine_ready_before),
	KUNIT_CASE(engine_ready_before_inline),
	KUNIT_CASE(engine_nobufs),
	KUNIT_CASE(engine_lanes),
	KUNIT_CASE(engine_blocked_is_whole),
	KUNIT_CASE(engine_rewind),
	KUNIT_CASE(engine_rewind_inside),
	KUNIT_CASE(engine_ack_inside),
	KUNIT_CASE(engine_rnr),
	KUNIT_CASE(engine_rnr_stray),
	KUNIT_CASE_PARAM(engine_end, end_gen_params),
	KUNIT_CASE(engine_lost_idle),
	KUNIT_CASE(engine_lost_answering),
	KUNIT_CASE(engine_answer_revoked),
	KUNIT_CASE(engine_revoked_while_blocked),
	KUNIT_CASE(engine_read),
	KUNIT_CASE(engine_read_nak),
	KUNIT_CASE(engine_read_rnr),
	KUNIT_CASE(engine_read_limits),
	KUNIT_CASE(engine_read_rewound),
	KUNIT_CASE(engine_window),
	KUNIT_CASE(engine_token_storm),
	KUNIT_CASE(engine_restart),
	{ }
};

static struct kunit_suite engine_test_suite = {
	.name = "rxt_engine",
	.suite_init = vt_fake_init,
	.suite_exit = vt_fake_exit,
	.exit = vt_exit,
	.test_cases = engine_test_cases,
};

kunit_test_suite(engine_test_suite);
