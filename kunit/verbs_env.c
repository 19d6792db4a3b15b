// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: pairs of QPs by kernel verbs, requests and their completions.
 *
 * What lives here: builders and pollers. What may not: links (verbs_link.c), tests.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <rdma/ib_cache.h>
#include "verbs_env.h"

#define VT_GAP	3	/* bytes between two segments */

static void vt_cq_comp(struct ib_cq *cq, void *context)
{
	struct vt_end *e = context;

	atomic_inc(&e->cq_events);
}

static void vt_cq_event(struct ib_event *event, void *context)
{
	struct vt_end *e = context;

	if (event->event == IB_EVENT_CQ_ERR)
		atomic_inc(&e->cq_errors);
}

static void vt_qp_event(struct ib_event *event, void *context)
{
	struct vt_end *e = context;

	set_bit(event->event, &e->qp_events);
}

static void vt_end_new(struct vt_pair *p, struct vt_end *e)
{
	struct ib_cq_init_attr cq_attr = { .cqe = p->opts.cqe };
	struct ib_qp_init_attr attr = {
		.event_handler = vt_qp_event,
		.qp_context = e,
		.qp_type = p->opts.type,
		.srq = p->opts.srq,
		.port_num = 1,
		.sq_sig_type = p->opts.sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr = p->opts.send_wr,
			.max_recv_wr = p->opts.srq ? 0 : p->opts.recv_wr,
			.max_send_sge = 16,
			.max_recv_sge = p->opts.srq ? 0 : 16,
			.max_rdma_ctxs = p->opts.rdma_ctxs,
		},
	};

	e->buf = alloc_pages_exact(VT_BUF, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(p->test, e->buf);
	memset(e->buf, VT_GUARD, VT_BUF);
	if (p->opts.poll)
		e->cq = ib_alloc_cq(p->ibdev, e, p->opts.cqe, 0, p->opts.poll - 1);
	else
		e->cq = ib_create_cq(p->ibdev, vt_cq_comp, vt_cq_event, e, &cq_attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, e->cq);
	attr.send_cq = e->cq;
	attr.recv_cq = e->cq;
	e->qp = ib_create_qp(p->pd, &attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, e->qp);
	KUNIT_ASSERT_EQ(p->test, vt_to_init(p, e), 0);
}

static void vt_end_free(struct vt_pair *p, struct vt_end *e)
{
	if (!IS_ERR_OR_NULL(e->qp))
		KUNIT_EXPECT_EQ(p->test, ib_destroy_qp(e->qp), 0);
	if (!IS_ERR_OR_NULL(e->cq) && p->opts.poll)
		ib_free_cq(e->cq);
	else if (!IS_ERR_OR_NULL(e->cq))
		ib_destroy_cq(e->cq);
	if (e->buf)
		free_pages_exact(e->buf, VT_BUF);
}

/* A region over all memory with the rights of the caller's choice. */
struct ib_mr *vt_dma_mr(struct vt_pair *p, int access)
{
	struct ib_mr *mr = p->ibdev->ops.get_dma_mr(p->pd, access | IB_ACCESS_LOCAL_WRITE);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, mr);
	mr->device = p->ibdev;
	mr->pd = p->pd;
	mr->type = IB_MR_TYPE_DMA;
	atomic_inc(&p->pd->usecnt);
	return mr;
}

struct vt_pair *vt_pair_new(struct kunit *test, struct ib_device *ibdev,
			    const struct vt_opts *opts)
{
	struct vt_pair *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	test->priv = p;
	p->test = test;
	p->ibdev = ibdev;
	p->opts = *opts;
	p->opts.type = opts->type ?: IB_QPT_RC;
	p->opts.send_wr = opts->send_wr ?: 64;
	p->opts.recv_wr = opts->recv_wr ?: 64;
	p->opts.cqe = opts->cqe ?: 256;
	p->opts.access = opts->access ?: VT_REMOTE_ALL;
	p->opts.mr_access = opts->mr_access ?: VT_REMOTE_ALL;
	p->opts.rd_atomic = opts->rd_atomic ?: 4;

	p->pd = opts->srq ? opts->srq->pd : ib_alloc_pd(ibdev, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p->pd);
	p->mr = vt_dma_mr(p, p->opts.mr_access);
	vt_end_new(p, &p->a);
	vt_end_new(p, &p->b);
	return p;
}

struct vt_pair *vt_pair_connected(struct kunit *test, struct ib_device *ibdev,
				  const struct vt_opts *opts)
{
	struct vt_pair *p = vt_pair_new(test, ibdev, opts);

	KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->a, p->b.qp->qp_num), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rtr(p, &p->b, p->a.qp->qp_num), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rts(p, &p->a), 0);
	KUNIT_ASSERT_EQ(test, vt_to_rts(p, &p->b), 0);
	return p;
}

/* Whatever is left of it; nothing may hold a reference after that. */
void vt_pair_free(struct vt_pair *p)
{
	vt_end_free(p, &p->a);
	vt_end_free(p, &p->b);
	p->test->priv = NULL;
	if (p->mr)
		KUNIT_EXPECT_EQ(p->test, ib_dereg_mr(p->mr), 0);
	if (p->opts.srq || IS_ERR_OR_NULL(p->pd))
		return;
	KUNIT_EXPECT_EQ(p->test, atomic_read(&p->pd->usecnt), 0);
	ib_dealloc_pd(p->pd);
}

/* For struct kunit_suite.exit: also after a failed assertion. */
void vt_exit(struct kunit *test)
{
	if (test->priv)
		vt_pair_free(test->priv);
}

static bool vt_is_rc(const struct vt_pair *p)
{
	return p->opts.type == IB_QPT_RC;
}

int vt_to_init(struct vt_pair *p, struct vt_end *e)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = p->opts.access,
	};

	return ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
					  IB_QP_ACCESS_FLAGS);
}

int vt_to_rtr(struct vt_pair *p, struct vt_end *e, u32 dest)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = dest,
		.rq_psn = 0,
		.max_dest_rd_atomic = p->opts.rd_atomic,
		.min_rnr_timer = p->opts.min_rnr_timer,
	};
	int mask = IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	union ib_gid gid;
	int err;

	err = rdma_query_gid(p->ibdev, 1, 0, &gid);
	if (err)
		return err;
	if (vt_is_rc(p))
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_grh(&attr.ah_attr, &gid, 0, 0, 64, 0);
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	return ib_modify_qp(e->qp, &attr, mask);
}

int vt_to_rts(struct vt_pair *p, struct vt_end *e)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.timeout = p->opts.timeout,
		.retry_cnt = p->opts.retry_cnt,
		.rnr_retry = p->opts.rnr_retry,
		.max_rd_atomic = p->opts.rd_atomic,
	};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (vt_is_rc(p))
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(e->qp, &attr, mask);
}

int vt_to_state(struct vt_end *e, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(e->qp, &attr, IB_QP_STATE);
}

enum ib_qp_state vt_state(struct vt_end *e)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = { };

	if (ib_query_qp(e->qp, &attr, IB_QP_STATE, &init))
		return -1;
	return attr.qp_state;
}

bool vt_wait_state(struct vt_end *e, enum ib_qp_state state)
{
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		if (vt_state(e) == state)
			return true;
		usleep_range(1000, 5000);
	}
	return false;
}

/* Cut @len bytes at @off into @nsge segments. */
static void vt_sges(struct vt_end *e, struct ib_sge *sge, u32 off, u32 len, u32 nsge,
		    u32 lkey)
{
	u32 i, n;

	for (i = 0; i < nsge; i++) {
		n = i == nsge - 1 ? len : len / (nsge - i);
		sge[i].addr = (uintptr_t)(e->buf + off);
		sge[i].length = n;
		sge[i].lkey = lkey;
		off += n + VT_GAP;
		len -= n;
	}
}

int vt_post(struct vt_pair *p, struct vt_end *from, const struct vt_wr *wr)
{
	struct vt_end *to = from == &p->a ? &p->b : &p->a;
	u64 remote = (uintptr_t)(to->buf + wr->remote);
	u32 rkey = wr->rkey ?: p->mr->rkey;
	const struct ib_send_wr *bad;
	struct ib_sge sge[16];
	struct ib_atomic_wr atomic = { .remote_addr = remote, .rkey = rkey,
				       .compare_add = wr->compare, .swap = wr->swap };
	struct ib_rdma_wr rdma = { .remote_addr = remote, .rkey = rkey };
	struct ib_send_wr *send = &rdma.wr;

	if (wr->op == IB_WR_ATOMIC_CMP_AND_SWP || wr->op == IB_WR_ATOMIC_FETCH_AND_ADD)
		send = &atomic.wr;
	vt_sges(from, sge, wr->off, wr->len, wr->nsge, wr->lkey ?: p->mr->lkey);
	send->wr_id = wr->id;
	send->opcode = wr->op;
	send->send_flags = wr->flags;
	send->sg_list = sge;
	send->num_sge = wr->nsge;
	send->ex.imm_data = cpu_to_be32(wr->imm);
	return ib_post_send(from->qp, send, &bad);
}

int vt_post_recv(struct vt_pair *p, struct vt_end *e, u64 id, u32 off, u32 len, u32 nsge)
{
	const struct ib_recv_wr *bad;
	struct ib_sge sge[16];
	struct ib_recv_wr wr = { .wr_id = id, .sg_list = sge, .num_sge = nsge };

	vt_sges(e, sge, off, len, nsge, p->mr->lkey);
	if (p->opts.srq)
		return ib_post_srq_recv(p->opts.srq, &wr, &bad);
	return ib_post_recv(e->qp, &wr, &bad);
}

u8 vt_byte(u32 seed, u32 i)
{
	return (i + seed) * 7 + (i >> 8) * 3 + (i >> 16);
}

void vt_fill(struct vt_end *e, u32 off, u32 len, u32 nsge, u32 seed)
{
	struct ib_sge sge[16];
	u32 i, j, pos = 0;

	vt_sges(e, sge, off, len, nsge, 0);
	for (i = 0; i < nsge; i++)
		for (j = 0; j < sge[i].length; j++)
			((u8 *)(uintptr_t)sge[i].addr)[j] = vt_byte(seed, pos++);
}

bool vt_is_filled(struct vt_end *e, u32 off, u32 len, u32 nsge, u32 seed)
{
	struct ib_sge sge[16];
	u32 i, j, pos = 0;

	vt_sges(e, sge, off, len, nsge, 0);
	for (i = 0; i < nsge; i++)
		for (j = 0; j < sge[i].length; j++)
			if (((u8 *)(uintptr_t)sge[i].addr)[j] != vt_byte(seed, pos++))
				return false;
	return true;
}

static bool vt_untouched(const u8 *p, u32 len)
{
	return !len || !memchr_inv(p, VT_GUARD, len);
}

bool vt_is_guarded(struct vt_end *e, u32 off, u32 len, u32 nsge, u32 around)
{
	struct ib_sge sge[16];
	u32 i, before = min(around, off);
	u8 *end = e->buf + off;

	if (!vt_untouched(e->buf + off - before, before))
		return false;
	vt_sges(e, sge, off, len, nsge, 0);
	for (i = 0; i < nsge; i++) {
		end = (u8 *)(uintptr_t)sge[i].addr + sge[i].length;
		if (i + 1 < nsge && !vt_untouched(end, VT_GAP))
			return false;
	}
	return vt_untouched(end, min_t(u32, around, e->buf + VT_BUF - end));
}

int vt_poll(struct vt_end *e, struct ib_wc *wc, int n, unsigned int ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(ms) + 1;
	int got = 0;

	for (;;) {
		int ret = ib_poll_cq(e->cq, n - got, wc + got);

		if (ret > 0)
			got += ret;
		if (got == n || ret < 0 || time_after(jiffies, end))
			return got;
		if (ret == 0)
			usleep_range(50, 200);
	}
}

void vt_expect(struct vt_pair *p, struct vt_end *e, u64 id, enum ib_wc_status st,
	       struct ib_wc *wc)
{
	struct ib_wc mine;

	if (!wc)
		wc = &mine;
	memset(wc, 0, sizeof(*wc));
	KUNIT_ASSERT_EQ_MSG(p->test, vt_poll(e, wc, 1, 5000), 1, "wr_id %llu, side %c", id,
			    e == &p->a ? 'a' : 'b');
	KUNIT_EXPECT_EQ_MSG(p->test, wc->wr_id, id, "status %s", ib_wc_status_msg(wc->status));
	KUNIT_EXPECT_EQ_MSG(p->test, wc->status, st, "wr_id %llu: %s, expected %s", wc->wr_id,
			    ib_wc_status_msg(wc->status), ib_wc_status_msg(st));
	KUNIT_EXPECT_PTR_EQ(p->test, wc->qp, e->qp);
}

void vt_expect_none(struct vt_pair *p, struct vt_end *e)
{
	struct ib_wc wc = { };

	KUNIT_EXPECT_EQ_MSG(p->test, vt_poll(e, &wc, 1, 30), 0, "wr_id %llu %s", wc.wr_id,
			    ib_wc_status_msg(wc.status));
}
