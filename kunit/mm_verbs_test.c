// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: what kernel consumers need beyond plain requests, over the loop backend:
 * fast registration, invalidating here and there, CQs that ib_core polls, draining,
 * the rdma_rw helpers, posting with interrupts off.
 *
 * What may not live here: the rules of keys one by one (dkey_test.c).
 */
#include <linux/completion.h>
#include <linux/scatterlist.h>
#include <rdma/mr_pool.h>
#include <rdma/rw.h>
#include "verbs_env.h"
#include "loop_test.h"

#define FAST_ALL	(IB_ACCESS_LOCAL_WRITE | VT_REMOTE_ALL)
#define SGES		4

static struct vt_pair *pair(struct kunit *test, const struct vt_opts *opts)
{
	return vt_pair_connected(test, vt_loop.ibdev, opts);
}

static struct ib_mr *fast_mr(struct vt_pair *p, u32 pages)
{
	struct ib_mr *mr = ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, pages);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, mr);
	return mr;
}

/* Every other page of @e's buffer, from @off in the first one. */
static void fast_map(struct vt_pair *p, struct vt_end *e, struct ib_mr *mr, unsigned int off)
{
	struct scatterlist sg[SGES];
	int i;

	sg_init_table(sg, SGES);
	for (i = 0; i < SGES; i++)
		sg_set_buf(&sg[i], e->buf + 2 * i * PAGE_SIZE, PAGE_SIZE);
	KUNIT_ASSERT_EQ(p->test, ib_dma_map_sg(p->ibdev, sg, SGES, DMA_BIDIRECTIONAL), SGES);
	KUNIT_ASSERT_EQ(p->test, ib_map_mr_sg(mr, sg, SGES, &off, PAGE_SIZE), SGES);
	KUNIT_ASSERT_EQ(p->test, mr->length, SGES * PAGE_SIZE - (mr->iova & ~PAGE_MASK));
}

/* Byte @i behind @e->buf + @off as the list has it. */
static u8 *fast_byte(struct vt_end *e, u32 off, u32 i)
{
	u32 pos = off + i;

	return e->buf + pos / PAGE_SIZE * 2 * PAGE_SIZE + pos % PAGE_SIZE;
}

static void fast_expect(struct vt_pair *p, struct vt_end *e, u32 off, u32 len, u32 seed)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (*fast_byte(e, off, i) != vt_byte(seed, i)) {
			KUNIT_FAIL(p->test, "byte %u of %u is wrong", i, len);
			return;
		}
	/* The pages between are not of the list. */
	for (i = 0; i < SGES; i++)
		KUNIT_EXPECT_FALSE(p->test, memchr_inv(e->buf + (2 * i + 1) * PAGE_SIZE, VT_GUARD,
						       PAGE_SIZE));
}

static int post_reg(struct vt_end *e, struct ib_mr *mr, int access, u64 id)
{
	const struct ib_send_wr *bad;
	struct ib_reg_wr wr = {
		.wr = { .wr_id = id, .opcode = IB_WR_REG_MR, .send_flags = IB_SEND_SIGNALED },
		.mr = mr, .key = mr->rkey, .access = access,
	};

	return ib_post_send(e->qp, &wr.wr, &bad);
}

static int post_inv(struct vt_end *e, u32 key, u64 id, int flags)
{
	const struct ib_send_wr *bad;
	struct ib_send_wr wr = {
		.wr_id = id, .opcode = IB_WR_LOCAL_INV, .send_flags = IB_SEND_SIGNALED | flags,
		.ex.invalidate_rkey = key,
	};

	return ib_post_send(e->qp, &wr, &bad);
}

static void registered(struct vt_pair *p, struct vt_end *e, struct ib_mr *mr, unsigned int off)
{
	struct ib_wc wc;

	fast_map(p, e, mr, off);
	KUNIT_ASSERT_EQ(p->test, post_reg(e, mr, FAST_ALL, 90), 0);
	vt_expect(p, e, 90, IB_WC_SUCCESS, &wc);
	KUNIT_EXPECT_EQ(p->test, wc.opcode, IB_WC_REG_MR);
}

static void mm_fast_write(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct ib_mr *mr = fast_mr(p, SGES);
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .id = 1, .flags = IB_SEND_SIGNALED, .off = 9,
		.nsge = 1, .remote = 100, .len = SGES * PAGE_SIZE - 100,
	};
	struct ib_wc wc;
	int round;

	vt_fill(&p->a, 9, wr.len, 1, 3);
	for (round = 0; round < 3; round++) {
		ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey) & 0xff);
		registered(p, &p->b, mr, 100);
		wr.rkey = mr->rkey;
		KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
		vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
		fast_expect(p, &p->b, 100, wr.len, 3);
		KUNIT_ASSERT_EQ(test, post_inv(&p->b, mr->rkey, 91, 0), 0);
		vt_expect(p, &p->b, 91, IB_WC_SUCCESS, &wc);
		KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_LOCAL_INV);
		memset(p->b.buf, VT_GUARD, VT_BUF);
	}
	/* Now it means nothing. */
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_REM_ACCESS_ERR, NULL);
	KUNIT_EXPECT_FALSE(test, memchr_inv(p->b.buf, VT_GUARD, VT_BUF));
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* As a local key: where a SEND comes from, where a READ goes to; READ, then an
 * invalidate that waits for it.
 */
static void mm_fast_local(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct ib_mr *mr = fast_mr(p, SGES);
	struct vt_wr wr = {
		.op = IB_WR_RDMA_READ, .id = 1, .flags = IB_SEND_SIGNALED, .off = 5,
		.nsge = 1, .remote = 64, .len = 3 * PAGE_SIZE,
	};
	u32 i;

	vt_fill(&p->b, 64, wr.len, 1, 8);
	registered(p, &p->a, mr, 5);
	wr.lkey = mr->lkey;
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	KUNIT_ASSERT_EQ(test, post_inv(&p->a, mr->lkey, 2, IB_SEND_FENCE), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->a, 2, IB_WC_SUCCESS, NULL);
	fast_expect(p, &p->a, 5, wr.len, 8);

	memset(p->a.buf, VT_GUARD, VT_BUF);
	for (i = 0; i < 2 * PAGE_SIZE; i++)
		*fast_byte(&p->a, 5, i) = vt_byte(4, i);
	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 3, 128, 2 * PAGE_SIZE, 1), 0);
	registered(p, &p->a, mr, 5);
	wr.op = IB_WR_SEND;
	wr.lkey = mr->lkey;
	wr.len = 2 * PAGE_SIZE;
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->b, 3, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	KUNIT_EXPECT_TRUE(test, vt_is_filled(&p->b, 128, wr.len, 1, 4));
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);	/* valid, too */
}

static void mm_zbva(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct ib_mr *mr = fast_mr(p, SGES);
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .id = 1, .flags = IB_SEND_SIGNALED, .nsge = 1,
		.len = 2 * PAGE_SIZE, .remote = -(s64)(uintptr_t)p->b.buf,
	};

	vt_fill(&p->a, 0, wr.len, 1, 6);
	fast_map(p, &p->b, mr, 300);
	mr->iova = 0;
	KUNIT_ASSERT_EQ(test, post_reg(&p->b, mr, FAST_ALL, 90), 0);
	vt_expect(p, &p->b, 90, IB_WC_SUCCESS, NULL);
	wr.rkey = mr->rkey;
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	fast_expect(p, &p->b, 300, wr.len, 6);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

static int post_send_inv(struct vt_pair *p, u32 key, u64 id)
{
	struct vt_wr wr = {
		.op = IB_WR_SEND_WITH_INV, .id = id, .flags = IB_SEND_SIGNALED, .len = 10,
		.nsge = 1,
	};

	/* vt_post() takes the key for immediate data, in host order. */
	wr.imm = be32_to_cpu((__force __be32)key);
	return vt_post(p, &p->a, &wr);
}

static void mm_send_inv(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct ib_mr *mr = fast_mr(p, SGES);
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .id = 5, .flags = IB_SEND_SIGNALED, .nsge = 1,
		.len = 8, .remote = 0,
	};
	struct ib_wc wc;
	int round;

	for (round = 0; round < 2; round++) {
		registered(p, &p->b, mr, 0);
		KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 2, 200000, 64, 1), 0);
		KUNIT_ASSERT_EQ(test, post_send_inv(p, mr->rkey, 1), 0);
		vt_expect(p, &p->a, 1, IB_WC_SUCCESS, &wc);
		KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_SEND);
		vt_expect(p, &p->b, 2, IB_WC_SUCCESS, &wc);
		KUNIT_EXPECT_TRUE(test, wc.wc_flags & IB_WC_WITH_INVALIDATE);
		KUNIT_EXPECT_EQ(test, wc.ex.invalidate_rkey, mr->rkey);
		KUNIT_EXPECT_EQ(test, wc.byte_len, 10U);
	}
	wr.rkey = mr->rkey;
	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 5, IB_WC_REM_ACCESS_ERR, NULL);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* A key that cannot be made invalid. */
static void mm_send_inv_bad(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });

	KUNIT_ASSERT_EQ(test, vt_post_recv(p, &p->b, 2, 200000, 64, 1), 0);
	KUNIT_ASSERT_EQ(test, post_send_inv(p, p->mr->rkey, 1), 0);
	vt_expect(p, &p->a, 1, IB_WC_REM_ACCESS_ERR, NULL);
	vt_expect(p, &p->b, 2, IB_WC_MW_BIND_ERR, NULL);
	KUNIT_EXPECT_TRUE(test, vt_wait_state(&p->b, IB_QPS_ERR));
}

enum bad_mm {
	INV_DMA_KEY,
	INV_UNKNOWN,
	INV_OLD_KEY,
	INV_FOREIGN,
	REG_VALID,
	REG_UNMAPPED,
	REG_FOREIGN,
	REG_RIGHTS,
};

struct bad_case {
	const char	*name;
	enum bad_mm	bad;
};

static const struct bad_case bad_cases[] = {
	{ "LOCAL_INV of a DMA region", INV_DMA_KEY },
	{ "LOCAL_INV of no key", INV_UNKNOWN },
	{ "LOCAL_INV of an older key", INV_OLD_KEY },
	{ "LOCAL_INV in another PD", INV_FOREIGN },
	{ "REG_MR of a valid region", REG_VALID },
	{ "REG_MR without a mapping", REG_UNMAPPED },
	{ "REG_MR in another PD", REG_FOREIGN },
	{ "REG_MR, remote write alone", REG_RIGHTS },
};

static void bad_desc(const struct bad_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad, bad_cases, bad_desc);

static int post_bad(struct vt_pair *p, struct ib_mr *mr, enum bad_mm bad)
{
	switch (bad) {
	case INV_DMA_KEY:
		return post_inv(&p->a, p->mr->lkey, 2, 0);
	case INV_UNKNOWN:
		return post_inv(&p->a, mr->lkey ^ 0x12345600, 2, 0);
	case INV_OLD_KEY:
		return post_inv(&p->a, mr->lkey ^ 1, 2, 0);
	case INV_FOREIGN:
		return post_inv(&p->a, mr->lkey, 2, 0);
	case REG_RIGHTS:
		return post_reg(&p->a, mr, IB_ACCESS_REMOTE_WRITE, 2);
	default:
		return post_reg(&p->a, mr, FAST_ALL, 2);
	}
}

/* The right status on the right request: what is before it succeeds, what is behind it
 * is flushed and has no effect.
 */
static void mm_bad(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	bool foreign = c->bad == INV_FOREIGN || c->bad == REG_FOREIGN;
	struct ib_pd *pd = p->pd;
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .id = 1, .flags = IB_SEND_SIGNALED, .len = 8, .nsge = 1,
		.remote = 200000,
	};
	struct ib_mr *mr;

	if (foreign)
		pd = ib_alloc_pd(p->ibdev, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, SGES);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	if (c->bad == REG_VALID)
		registered(p, &p->a, mr, 0);
	if (c->bad == REG_VALID || c->bad == REG_RIGHTS || c->bad == REG_FOREIGN)
		fast_map(p, &p->a, mr, 0);

	KUNIT_ASSERT_EQ(test, vt_post(p, &p->a, &wr), 0);
	KUNIT_ASSERT_EQ(test, post_bad(p, mr, c->bad), 0);
	wr.id = 3;
	wr.remote = 210000;
	KUNIT_EXPECT_EQ(test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, NULL);
	vt_expect(p, &p->a, 2, IB_WC_MW_BIND_ERR, NULL);
	vt_expect(p, &p->a, 3, IB_WC_WR_FLUSH_ERR, NULL);
	KUNIT_EXPECT_FALSE(test, memchr_inv(p->b.buf + 210000, VT_GUARD, 8));
	KUNIT_EXPECT_EQ(test, vt_state(&p->a), IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	if (foreign)
		ib_dealloc_pd(pd);
}

/* Register, use, invalidate, in one list, posted with interrupts off. */
static void mm_irqs_off(struct kunit *test)
{
	struct vt_pair *p = pair(test, &(struct vt_opts) { });
	struct ib_mr *mr = fast_mr(p, SGES);
	struct ib_sge sge = { .length = PAGE_SIZE };
	const struct ib_send_wr *bad;
	struct ib_send_wr inv = { .wr_id = 3, .opcode = IB_WR_LOCAL_INV,
				  .send_flags = IB_SEND_SIGNALED | IB_SEND_FENCE };
	struct ib_rdma_wr write = { .wr = { .next = &inv, .wr_id = 2, .opcode = IB_WR_RDMA_WRITE,
					    .sg_list = &sge, .num_sge = 1 } };
	struct ib_reg_wr reg = { .wr = { .next = &write.wr, .wr_id = 1, .opcode = IB_WR_REG_MR },
				 .mr = mr, .access = IB_ACCESS_LOCAL_WRITE };
	unsigned long flags;
	struct ib_wc wc;
	int i, err;

	for (i = 0; i < 50; i++) {
		fast_map(p, &p->a, mr, 0);
		sge.addr = mr->iova;
		sge.lkey = mr->lkey;
		reg.key = mr->lkey;
		inv.ex.invalidate_rkey = mr->lkey;
		write.remote_addr = (uintptr_t)p->b.buf;
		write.rkey = p->mr->rkey;
		local_irq_save(flags);
		err = ib_post_send(p->a.qp, &reg.wr, &bad);
		ib_req_notify_cq(p->a.cq, IB_CQ_NEXT_COMP);
		if (ib_poll_cq(p->a.cq, 1, &wc))
			err = -EEXIST;
		local_irq_restore(flags);
		KUNIT_ASSERT_EQ(test, err, 0);
		vt_expect(p, &p->a, 3, IB_WC_SUCCESS, NULL);
	}
	KUNIT_EXPECT_FALSE(test, memchr_inv(p->b.buf, VT_GUARD, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
}

/* ---- CQs that ib_core polls ---- */

struct waiter {
	struct ib_cqe		cqe;
	struct completion	done;
	enum ib_wc_status	status;
	bool			atomic;
};

static void waiter_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct waiter *w = container_of(wc->wr_cqe, struct waiter, cqe);

	w->status = wc->status;
	w->atomic = in_softirq();
	complete(&w->done);
}

static void waiter_init(struct waiter *w)
{
	w->cqe.done = waiter_done;
	init_completion(&w->done);
}

static bool waiter_wait(struct vt_pair *p, struct waiter *w)
{
	unsigned int i;

	for (i = 0; i < 5000; i++) {
		if (p->opts.poll == IB_POLL_DIRECT + 1) {
			ib_process_cq_direct(p->a.cq, -1);
			ib_process_cq_direct(p->b.cq, -1);
		}
		if (wait_for_completion_timeout(&w->done, 1))
			return true;
	}
	return false;
}

static void mm_polled(struct kunit *test)
{
	int poll = *(const int *)test->param_value;
	struct vt_pair *p = pair(test, &(struct vt_opts) { .poll = poll + 1 });
	const struct ib_recv_wr *bad_recv;
	const struct ib_send_wr *bad;
	struct ib_sge sge = { .addr = (uintptr_t)p->a.buf, .length = 64,
			      .lkey = p->pd->local_dma_lkey };
	struct ib_sge rsge = { .addr = (uintptr_t)p->b.buf, .length = 64,
			       .lkey = p->pd->local_dma_lkey };
	struct waiter s, r;
	struct ib_recv_wr rwr = { .wr_cqe = &r.cqe, .sg_list = &rsge, .num_sge = 1 };
	struct ib_send_wr swr = { .wr_cqe = &s.cqe, .opcode = IB_WR_SEND, .sg_list = &sge,
				  .num_sge = 1, .send_flags = IB_SEND_SIGNALED };
	int i;

	for (i = 0; i < 300; i++) {
		waiter_init(&s);
		waiter_init(&r);
		KUNIT_ASSERT_EQ(test, ib_post_recv(p->b.qp, &rwr, &bad_recv), 0);
		KUNIT_ASSERT_EQ(test, ib_post_send(p->a.qp, &swr, &bad), 0);
		KUNIT_ASSERT_TRUE(test, waiter_wait(p, &s));
		KUNIT_ASSERT_TRUE(test, waiter_wait(p, &r));
		KUNIT_ASSERT_EQ(test, s.status, IB_WC_SUCCESS);
		KUNIT_ASSERT_EQ(test, r.status, IB_WC_SUCCESS);
		KUNIT_ASSERT_EQ(test, s.atomic, poll == IB_POLL_SOFTIRQ);
	}
	/* A receive that nothing comes for; draining waits for its flush. */
	waiter_init(&r);
	KUNIT_ASSERT_EQ(test, ib_post_recv(p->b.qp, &rwr, &bad_recv), 0);
	ib_drain_qp(p->b.qp);
	ib_drain_qp(p->a.qp);
	KUNIT_EXPECT_TRUE(test, completion_done(&r.done));
	KUNIT_EXPECT_EQ(test, r.status, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, vt_state(&p->b), IB_QPS_ERR);
}

static const int poll_contexts[] = { IB_POLL_DIRECT, IB_POLL_SOFTIRQ, IB_POLL_WORKQUEUE,
				     IB_POLL_UNBOUND_WORKQUEUE };

static void poll_desc(const int *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "poll context %d", *c);
}

KUNIT_ARRAY_PARAM(poll, poll_contexts, poll_desc);

/* ---- rdma_rw ---- */

static void rw_once(struct vt_pair *p, enum dma_data_direction dir)
{
	struct vt_end *from = dir == DMA_FROM_DEVICE ? &p->b : &p->a;
	struct scatterlist sg[SGES];
	struct rdma_rw_ctx ctx;
	u32 len = SGES * PAGE_SIZE, i;
	struct waiter w;
	int ret;

	memset(p->a.buf, VT_GUARD, VT_BUF);
	memset(p->b.buf, VT_GUARD, VT_BUF);
	for (i = 0; i < len; i++) {
		if (dir == DMA_FROM_DEVICE)
			from->buf[i] = vt_byte(dir, i);
		else
			*fast_byte(from, 0, i) = vt_byte(dir, i);
	}
	sg_init_table(sg, SGES);
	for (i = 0; i < SGES; i++)
		sg_set_buf(&sg[i], p->a.buf + 2 * i * PAGE_SIZE, PAGE_SIZE);
	waiter_init(&w);
	ret = rdma_rw_ctx_init(&ctx, p->a.qp, 1, sg, SGES, 0, (uintptr_t)p->b.buf, p->mr->rkey,
			       dir);
	KUNIT_ASSERT_GT(p->test, ret, 0);
	KUNIT_ASSERT_EQ(p->test, rdma_rw_ctx_post(&ctx, p->a.qp, 1, &w.cqe, NULL), 0);
	KUNIT_ASSERT_TRUE(p->test, waiter_wait(p, &w));
	KUNIT_EXPECT_EQ(p->test, w.status, IB_WC_SUCCESS);
	if (dir == DMA_FROM_DEVICE)
		fast_expect(p, &p->a, 0, len, dir);
	else
		KUNIT_EXPECT_TRUE(p->test, vt_is_filled(&p->b, 0, len, 1, dir));
	rdma_rw_ctx_destroy(&ctx, p->a.qp, 1, sg, SGES, dir);
}

/* @mrs: READs with more than one segment go through a fast registration. */
static void mm_rw(struct kunit *test, bool mrs)
{
	struct ib_device *ibdev = vt_loop.ibdev;
	u32 was = ibdev->attrs.max_sgl_rd;
	struct vt_pair *p;
	int i;

	ibdev->attrs.max_sgl_rd = mrs;
	p = pair(test, &(struct vt_opts) { .poll = IB_POLL_WORKQUEUE + 1, .rdma_ctxs = 8 });
	KUNIT_EXPECT_EQ(test, p->a.qp->mrs_used, 0);
	KUNIT_EXPECT_EQ(test, !list_empty(&p->a.qp->rdma_mrs), mrs);
	for (i = 0; i < 20; i++) {
		rw_once(p, DMA_FROM_DEVICE);
		rw_once(p, DMA_TO_DEVICE);
	}
	ib_drain_qp(p->a.qp);
	vt_pair_free(p);
	ibdev->attrs.max_sgl_rd = was;
}

static void mm_rw_plain(struct kunit *test)
{
	mm_rw(test, false);
}

static void mm_rw_mrs(struct kunit *test)
{
	mm_rw(test, true);
}

static struct kunit_case mm_cases[] = {
	KUNIT_CASE(mm_fast_write),
	KUNIT_CASE(mm_fast_local),
	KUNIT_CASE(mm_zbva),
	KUNIT_CASE(mm_send_inv),
	KUNIT_CASE(mm_send_inv_bad),
	KUNIT_CASE_PARAM(mm_bad, bad_gen_params),
	KUNIT_CASE(mm_irqs_off),
	KUNIT_CASE_PARAM(mm_polled, poll_gen_params),
	KUNIT_CASE(mm_rw_plain),
	KUNIT_CASE(mm_rw_mrs),
	{ }
};

static struct kunit_suite mm_suite = {
	.name = "rxt_mm",
	.suite_init = vt_loop_init,
	.suite_exit = vt_loop_exit,
	.exit = vt_exit,
	.test_cases = mm_cases,
};

kunit_test_suite(mm_suite);
