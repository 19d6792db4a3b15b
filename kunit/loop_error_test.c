// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: end to end over the loop backend: what an application gets when things go
 * wrong: the right status on the right request, the rest flushed in order.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include "verbs_env.h"
#include "loop_test.h"

static struct vt_pair *pair(struct kunit *test, const struct vt_opts *opts)
{
	return vt_pair_connected(test, vt_loop.ibdev, opts);
}

/**
 * struct error_case - one request that must fail
 * @name: for the log
 * @wr: the request; @bad_rkey and the like spoil it
 * @access: of the QPs, when not all
 * @mr_access: of the region, when not all
 * @bad_rkey: key that nobody has
 * @bad_lkey: key that nobody has
 * @recv_len: receive WQE that the peer posts
 * @status: of the request
 * @recv_status: of the receive WQE
 * @event: asynchronous event at the responder, 0: none
 * @local: found out at the requester: the peer never hears of it
 */
struct error_case {
	const char		*name;
	struct vt_wr		wr;
	int			access;
	int			mr_access;
	bool			bad_rkey;
	bool			bad_lkey;
	u32			recv_len;
	enum ib_wc_status	status;
	enum ib_wc_status	recv_status;
	enum ib_event_type	event;
	bool			local;
};

#define WR(_op, _len, ...) \
	{ .op = IB_WR_##_op, .len = _len, .nsge = 1, .flags = IB_SEND_SIGNALED, ##__VA_ARGS__ }

static const struct error_case error_cases[] = {
	{ "WRITE bad rkey", WR(RDMA_WRITE, 100), .bad_rkey = true, .recv_len = 8,
	  .status = IB_WC_REM_ACCESS_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_ACCESS_ERR },
	{ "long WRITE bad rkey", WR(RDMA_WRITE, 200000), .bad_rkey = true, .recv_len = 8,
	  .status = IB_WC_REM_ACCESS_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_ACCESS_ERR },
	{ "WRITE_IMM bad rkey", WR(RDMA_WRITE_WITH_IMM, 100), .bad_rkey = true, .recv_len = 8,
	  .status = IB_WC_REM_ACCESS_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_ACCESS_ERR },
	{ "READ bad rkey", WR(RDMA_READ, 100), .bad_rkey = true, .recv_len = 8,
	  .status = IB_WC_REM_ACCESS_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_ACCESS_ERR },
	{ "atomic bad rkey", WR(ATOMIC_CMP_AND_SWP, 8), .bad_rkey = true, .recv_len = 8,
	  .status = IB_WC_REM_ACCESS_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_ACCESS_ERR },
	{ "WRITE to read-only MR", WR(RDMA_WRITE, 100), .recv_len = 8,
	  .mr_access = IB_ACCESS_REMOTE_READ,
	  .status = IB_WC_REM_ACCESS_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_ACCESS_ERR },
	{ "READ from write-only MR", WR(RDMA_READ, 100), .recv_len = 8,
	  .mr_access = IB_ACCESS_REMOTE_WRITE,
	  .status = IB_WC_REM_ACCESS_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_ACCESS_ERR },
	{ "atomic on non-atomic MR", WR(ATOMIC_FETCH_AND_ADD, 8), .recv_len = 8,
	  .mr_access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
	  .status = IB_WC_REM_ACCESS_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_ACCESS_ERR },
	{ "WRITE not enabled", WR(RDMA_WRITE, 100), .recv_len = 8,
	  .access = IB_ACCESS_REMOTE_READ,
	  .status = IB_WC_REM_INV_REQ_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_REQ_ERR },
	{ "READ not enabled", WR(RDMA_READ, 100), .recv_len = 8,
	  .access = IB_ACCESS_REMOTE_WRITE,
	  .status = IB_WC_REM_INV_REQ_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_REQ_ERR },
	{ "atomic not enabled", WR(ATOMIC_FETCH_AND_ADD, 8), .recv_len = 8,
	  .access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
	  .status = IB_WC_REM_INV_REQ_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_REQ_ERR },
	{ "atomic not aligned", WR(ATOMIC_FETCH_AND_ADD, 8, .remote = 4), .recv_len = 8,
	  .status = IB_WC_REM_INV_REQ_ERR, .recv_status = IB_WC_WR_FLUSH_ERR,
	  .event = IB_EVENT_QP_REQ_ERR },
	{ "SEND too long", WR(SEND, 100), .recv_len = 99,
	  .status = IB_WC_REM_INV_REQ_ERR, .recv_status = IB_WC_LOC_LEN_ERR },
	{ "SEND much too long", WR(SEND, 200000), .recv_len = 40000,
	  .status = IB_WC_REM_INV_REQ_ERR, .recv_status = IB_WC_LOC_LEN_ERR },
	{ "SEND bad lkey", WR(SEND, 100), .bad_lkey = true, .recv_len = 100,
	  .status = IB_WC_LOC_PROT_ERR, .local = true },
	{ "WRITE bad lkey", WR(RDMA_WRITE, 100), .bad_lkey = true, .recv_len = 100,
	  .status = IB_WC_LOC_PROT_ERR, .local = true },
	{ "READ bad lkey", WR(RDMA_READ, 100), .bad_lkey = true, .recv_len = 100,
	  .status = IB_WC_LOC_PROT_ERR, .local = true },
	{ "atomic bad lkey", WR(ATOMIC_CMP_AND_SWP, 8), .bad_lkey = true, .recv_len = 100,
	  .status = IB_WC_LOC_PROT_ERR, .local = true },
};

static void error_desc(const struct error_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(error, error_cases, error_desc);

/* Everything but the case's own right, so that the requests around it succeed. */
static bool case_spoils_neighbours(const struct error_case *c)
{
	return c->access || c->mr_access;
}

/*
 * Two good requests, the bad one, three more behind it: two that were posted before the
 * error could be known, one after. Zero-length WRITEs need no right in the region.
 */
static void loop_error(struct kunit *test)
{
	const struct error_case *c = test->param_value;
	struct vt_pair *p = pair(test, &(struct vt_opts) {
		.access = c->access, .mr_access = c->mr_access });
	struct vt_wr good = { .op = IB_WR_RDMA_WRITE, .remote = 250000, .len = 10, .nsge = 1,
			      .flags = IB_SEND_SIGNALED };
	struct vt_wr bad = c->wr;
	unsigned int i;

	bad.id = 3;
	bad.rkey = c->bad_rkey ? p->mr->rkey ^ 0x100 : 0;
	bad.lkey = c->bad_lkey ? p->mr->lkey ^ 0x100 : 0;
	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 20, 1000, c->recv_len, 1), 0);
	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 21, 1000, 8, 1), 0);

	for (i = 1; i <= 2 && !case_spoils_neighbours(c); i++) {
		good.id = i;
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &good), 0);
	}
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &bad), 0);
	good.op = IB_WR_SEND;
	/* Unsignalled or not: what is flushed is reported. */
	good.flags = 0;
	for (i = 4; i <= 5; i++) {
		good.id = i;
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &good), 0);
	}
	for (i = 1; i <= 2 && !case_spoils_neighbours(c); i++)
		vt_expect(p, &p->a, i, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->a, 3, c->status, NULL);
	vt_expect(p, &p->a, 4, IB_WC_WR_FLUSH_ERR, NULL);
	vt_expect(p, &p->a, 5, IB_WC_WR_FLUSH_ERR, NULL);
	KUNIT_EXPECT_TRUE(test, vt_wait_state(&p->a, IB_QPS_ERR));
	good.id = 6;
	KUNIT_EXPECT_EQ(test, vt_post(p, &p->a, &good), 0);
	vt_expect(p, &p->a, 6, IB_WC_WR_FLUSH_ERR, NULL);
	vt_expect_none(p, &p->a);

	if (c->local) {
		KUNIT_EXPECT_EQ(test, vt_state(&p->b), IB_QPS_RTS);
		vt_expect_none(p, &p->b);
		return;
	}
	vt_expect(p, &p->b, 20, c->recv_status, NULL);
	vt_expect(p, &p->b, 21, IB_WC_WR_FLUSH_ERR, NULL);
	KUNIT_EXPECT_TRUE(test, vt_wait_state(&p->b, IB_QPS_ERR));
	if (c->event)
		KUNIT_EXPECT_TRUE_MSG(test, test_bit(c->event, &p->b.qp_events), "%#lx",
				      p->b.qp_events);
	vt_expect_none(p, &p->b);
}

/* The receive WQE names memory that it must not. */
static void loop_recv_bad_lkey(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct vt_wr wr = { .op = IB_WR_SEND, .id = 1, .len = 10, .nsge = 1 };
	struct ib_sge sge = { .addr = (uintptr_t)p->b.buf, .length = 10,
			      .lkey = p->mr->lkey ^ 0x100 };
	struct ib_recv_wr recv = { .wr_id = 2, .sg_list = &sge, .num_sge = 1 };
	const struct ib_recv_wr *bad;

	KUNIT_ASSERT_EQ(test, ib_post_recv(p->b.qp, &recv, &bad), 0);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->b, 2, IB_WC_LOC_PROT_ERR, NULL);
	vt_expect(p, &p->a, 1, IB_WC_REM_OP_ERR, NULL);
	KUNIT_EXPECT_TRUE(test, vt_wait_state(&p->a, IB_QPS_ERR));
	KUNIT_EXPECT_TRUE(test, vt_wait_state(&p->b, IB_QPS_ERR));
}

/* The READ that came before the bad request still gets its answer. */
static void loop_read_before_error(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct vt_wr rd = { .op = IB_WR_RDMA_READ, .id = 1, .flags = IB_SEND_SIGNALED,
			    .len = 200000, .nsge = 1 };
	struct vt_wr bad = { .op = IB_WR_RDMA_WRITE, .id = 2, .len = 8, .nsge = 1,
			     .off = 210000, .rkey = p->mr->rkey ^ 0x100 };

	vt_fill(&p->b, 0, 200000, 1, 6);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &rd), 0);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &bad), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->a, 2, IB_WC_REM_ACCESS_ERR, NULL);
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->a, 0, 200000, 1, 6));
}

/**
 * struct rnr_case - nobody has posted a receive WQE
 * @name: for the log
 * @op: request
 * @retry: rnr_retry
 * @timer: RNR timer code of the responder
 * @post_after_ms: when it is posted; 0: never
 * @ok: it gets through
 * @min_us: it takes at least so long
 */
struct rnr_case {
	const char		*name;
	enum ib_wr_opcode	op;
	u8			retry;
	u8			timer;
	unsigned int		post_after_ms;
	bool			ok;
	unsigned int		min_us;
};

static const struct rnr_case rnr_cases[] = {
	{ "0 retries", IB_WR_SEND, 0, 14, 0, false, 0 },
	{ "3 retries", IB_WR_SEND, 3, 18, 0, false, 3 * 5120 },
	{ "3 retries WRITE_IMM", IB_WR_RDMA_WRITE_WITH_IMM, 3, 18, 0, false, 3 * 5120 },
	{ "3 retries, in time", IB_WR_SEND, 3, 28, 30, true, 30000 },
	{ "3 retries, in time, IMM", IB_WR_RDMA_WRITE_WITH_IMM, 3, 28, 30, true, 30000 },
	{ "7 is for ever", IB_WR_SEND, 7, 1, 300, true, 300000 },
	{ "7 with IMM", IB_WR_RDMA_WRITE_WITH_IMM, 7, 14, 300, true, 300000 },
};

static void rnr_desc(const struct rnr_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(rnr, rnr_cases, rnr_desc);

static void loop_rnr(struct kunit *test)
{
	const struct rnr_case *c = test->param_value;
	struct vt_pair *p = pair(test, &(struct vt_opts) {
		.rnr_retry = c->retry, .min_rnr_timer = c->timer });
	struct vt_wr wr = { .op = c->op, .id = 1, .len = 50000, .nsge = 3, .remote = 70000,
			    .flags = IB_SEND_SIGNALED };
	struct vt_wr next = { .op = IB_WR_RDMA_WRITE, .id = 2, .len = 8, .nsge = 1, .off = 60000,
			      .remote = 60000, .flags = IB_SEND_SIGNALED };
	ktime_t start = ktime_get();

	vt_fill(&p->a, 0, 50000, 3, 7);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &next), 0);
	if (c->post_after_ms) {
		msleep(c->post_after_ms);
		KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 3, 70000, 50000, 1), 0);
	}
	vt_expect(p, &p->a, 1, c->ok ? IB_WC_SUCCESS : IB_WC_RNR_RETRY_EXC_ERR, NULL);
	KUNIT_EXPECT_GE(test, ktime_us_delta(ktime_get(), start), (s64)c->min_us);
	vt_expect(p, &p->a, 2, c->ok ? IB_WC_SUCCESS : IB_WC_WR_FLUSH_ERR, NULL);
	if (c->ok) {
		vt_expect(p, &p->b, 3, IB_WC_SUCCESS, NULL);
		KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->b, 70000, 50000, 1, 7));
	}
	/* The responder does not mind. */
	KUNIT_EXPECT_EQ(test, vt_state(&p->b), IB_QPS_RTS);
}

/* Each message that gets through gives the retries back. */
static void loop_rnr_count_starts_over(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) {
		.rnr_retry = 1, .min_rnr_timer = 30 });	/* 328 ms */
	struct vt_wr wr = { .op = IB_WR_SEND, .len = 8, .nsge = 1, .flags = IB_SEND_SIGNALED };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		wr.id = i;
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
		msleep(50);	/* one NAK */
		KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 10 + i, 0, 8, 1), 0);
		vt_expect(p, &p->a, i, IB_WC_SUCCESS, NULL);
		vt_expect(p, &p->b, 10 + i, IB_WC_SUCCESS, NULL);
	}
}

/* UC: what nobody waits for is dropped, and nobody hears of it. */
static void loop_uc_drop(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { .type = IB_QPT_UC });
	struct vt_wr wr = { .op = IB_WR_SEND, .id = 1, .len = 40000, .nsge = 1,
			    .flags = IB_SEND_SIGNALED };

	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	msleep(20);
	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 2, 0, 40000, 1), 0);
	vt_expect_none(p, &p->b);
	vt_fill(&p->a, 0, 40000, 1, 4);
	wr.id = 3;
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 3, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->b, 2, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->b, 0, 40000, 1, 4));
}

/* modify to ERR: all that was and all that will be posted is flushed, in order. */
static void loop_flush(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { .rnr_retry = 7, .min_rnr_timer = 31 });
	struct vt_wr wr = { .op = IB_WR_SEND, .len = 8, .nsge = 1 };
	struct ib_wc wc;
	u64 sent = 0, got = 100;
	unsigned int i;

	/* Nothing is posted at the other side: all is outstanding. */
	for (i = 0; i < 20; i++) {
		wr.id = i;
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
		KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->a, 100 + i, 0, 8, 1), 0);
	}
	KUNIT_ASSERT_EQ(test, vt_to_state(&p->a, IB_QPS_ERR), 0);
	for (i = 0; i < 40; i++) {
		KUNIT_ASSERT_EQ(test, vt_poll(&p->a, &wc, 1, 5000), 1);
		KUNIT_EXPECT_EQ(test, wc.status, IB_WC_WR_FLUSH_ERR);
		if (wc.wr_id < 100)
			KUNIT_EXPECT_EQ(test, wc.wr_id, sent++);
		else
			KUNIT_EXPECT_EQ(test, wc.wr_id, got++);
	}
	vt_expect_none(p, &p->a);
	wr.id = 50;
	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->a, 51, 0, 8, 1), 0);
	vt_expect(p, &p->a, 51, IB_WC_WR_FLUSH_ERR, NULL);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 50, IB_WC_WR_FLUSH_ERR, NULL);
}

/* What may be posted in which state. */
static void loop_post_states(struct kunit *test)
{
	struct vt_pair *p = vt_pair_new(test, vt_loop.ibdev, &(struct vt_opts) { });
	struct vt_wr wr = { .op = IB_WR_SEND, .len = 8, .nsge = 1 };

	KUNIT_EXPECT_EQ(test, vt_post_recv(p, &p->a, 1, 0, 8, 1), 0);
	KUNIT_EXPECT_NE(test, vt_post(p, &p->a, &wr), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->a, p->b.qp->qp_num), 0);
	KUNIT_EXPECT_NE(test, vt_post(p, &p->a, &wr), 0);
	KUNIT_ASSERT_EQ(test, vt_to_state(&p->a, IB_QPS_RESET), 0);
	KUNIT_EXPECT_NE(test, vt_post_recv(p, &p->a, 1, 0, 8, 1), 0);
	KUNIT_EXPECT_NE(test, vt_post(p, &p->a, &wr), 0);
	vt_expect_none(p, &p->a);
}

/* The peer never turns up: the time that timeout and retry_cnt say, then an error. */
static void loop_no_peer(struct kunit *test)
{
	struct vt_pair *p = vt_pair_new(test, vt_loop.ibdev, &(struct vt_opts) {
		.timeout = 12, .retry_cnt = 2 });	/* 3 * 16.8 ms */
	struct vt_wr wr = { .op = IB_WR_SEND, .id = 1, .len = 8, .nsge = 1 };
	ktime_t start = ktime_get();

	KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->a, p->b.qp->qp_num), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rts(p, &p->a), 0);
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_RETRY_EXC_ERR, NULL);
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), start), 50LL);
	KUNIT_EXPECT_LT(test, ktime_ms_delta(ktime_get(), start), 4000LL);
	KUNIT_EXPECT_TRUE(test, vt_wait_state(&p->a, IB_QPS_ERR));
}

/* The peer is gone while requests are outstanding. */
static void loop_peer_gone(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { .rnr_retry = 7, .min_rnr_timer = 20 });
	struct vt_wr wr = { .op = IB_WR_SEND, .len = 8, .nsge = 1 };
	unsigned int i;

	for (i = 1; i <= 3; i++) {
		wr.id = i;
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	}
	msleep(20);
	KUNIT_ASSERT_EQ(test, ib_destroy_qp(p->b.qp), 0);
	p->b.qp = NULL;
	vt_expect(p, &p->a, 1, IB_WC_RETRY_EXC_ERR, NULL);
	vt_expect(p, &p->a, 2, IB_WC_WR_FLUSH_ERR, NULL);
	vt_expect(p, &p->a, 3, IB_WC_WR_FLUSH_ERR, NULL);
}

/* … or while none is: the next one finds out. */
static void loop_peer_gone_idle(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct vt_wr wr = { .op = IB_WR_RDMA_WRITE, .id = 1, .len = 8, .nsge = 1,
			    .flags = IB_SEND_SIGNALED };

	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	KUNIT_ASSERT_EQ(test, vt_to_state(&p->b, IB_QPS_ERR), 0);
	msleep(20);
	KUNIT_EXPECT_EQ(test, vt_state(&p->a), IB_QPS_RTS);
	wr.id = 2;
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 2, IB_WC_RETRY_EXC_ERR, NULL);
}

/* A CQ that is too small: one event, the QP goes to ERR, nothing else breaks. */
static void loop_cq_overflow(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { .cqe = 4, .send_wr = 200 });
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .flags = IB_SEND_SIGNALED, .len = 8, .nsge = 1,
	};
	struct ib_wc wc;
	int room = p->a.cq->cqe, i;

	KUNIT_ASSERT_LT(test, room, 150);
	for (i = 0; i < room + 20; i++) {
		wr.id = i;
		if (vt_post(p, &p->a, &wr))
			break;
	}
	for (i = 0; i < 200 && !atomic_read(&p->a.cq_errors); i++)
		msleep(20);
	msleep(50);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->a.cq_errors), 1);
	for (i = 0; vt_poll(&p->a, &wc, 1, 20) == 1; i++)
		if (i < room)
			KUNIT_EXPECT_EQ(test, wc.wr_id, (u64)i);
	KUNIT_EXPECT_GE(test, i, room);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->b.cq_errors), 0);
}

/* Destroy while both directions are busy, from either side, again and again. */
static void loop_destroy_busy(struct kunit *test)
{
	static const enum ib_wr_opcode ops[] = {
		IB_WR_RDMA_WRITE, IB_WR_RDMA_READ, IB_WR_SEND, IB_WR_ATOMIC_FETCH_AND_ADD,
	};
	unsigned int round, i;

	for (round = 0; round < 40; round++) {
		struct vt_pair *p = pair(test, &(struct vt_opts) {
			.rnr_retry = 7, .min_rnr_timer = 1 });
		struct vt_wr wr = { .nsge = 2, .remote = 1024 };
		struct vt_end *first = round & 1 ? &p->a : &p->b;

		for (i = 0; i < 8; i++)
			KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, i, 0, 70000, 1), 0);
		for (i = 0; i < 40; i++) {
			wr.op = ops[(i + round) % ARRAY_SIZE(ops)];
			wr.len = wr.op == IB_WR_ATOMIC_FETCH_AND_ADD ? 8 : 60000;
			wr.flags = i & 1 ? IB_SEND_SIGNALED : 0;
			KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
			KUNIT_ASSERT_EQ(test, vt_post(p, &p->b, &wr), 0);
		}
		usleep_range(round * 50, round * 50 + 50);
		KUNIT_ASSERT_EQ(test, ib_destroy_qp(first->qp), 0);
		first->qp = NULL;
		vt_pair_free(p);
	}
}

static struct kunit_case loop_error_test_cases[] = {
	KUNIT_CASE_PARAM(loop_error, error_gen_params),
	KUNIT_CASE(loop_recv_bad_lkey),
	KUNIT_CASE(loop_read_before_error),
	KUNIT_CASE_PARAM(loop_rnr, rnr_gen_params),
	KUNIT_CASE(loop_rnr_count_starts_over),
	KUNIT_CASE(loop_uc_drop),
	KUNIT_CASE(loop_flush),
	KUNIT_CASE(loop_post_states),
	KUNIT_CASE(loop_no_peer),
	KUNIT_CASE(loop_peer_gone),
	KUNIT_CASE(loop_peer_gone_idle),
	KUNIT_CASE(loop_cq_overflow),
	KUNIT_CASE(loop_destroy_busy),
	{ }
};

static struct kunit_suite loop_error_test_suite = {
	.name = "rxt_loop_error",
	.suite_init = vt_loop_init,
	.suite_exit = vt_loop_exit,
	.exit = vt_exit,
	.test_cases = loop_error_test_cases,
};

kunit_test_suite(loop_error_test_suite);
