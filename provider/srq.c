// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: receive queues: those of QPs as far as they are alike, and SRQs.
 *
 * What may not live here: reading WQEs (fetch.c), posting (post.c).
 */
#include <linux/uaccess.h>
#include "provider.h"

#define RESIZE_TRIES	8

static size_t recv_wqe_size(u32 max_sge)
{
	return sizeof(struct rxe_recv_wqe) + max_sge * sizeof(struct rxe_sge);
}

/**
 * rxt_ibrq_init - make a receive queue
 * @rq: to be filled in
 * @link: device
 * @pd: protection domain of its memory
 * @shared: for an SRQ
 * @max_wr: entries that must fit, checked by the caller
 * @max_sge: segments of each, checked by the caller
 * @uctx: whose process fills it, or NULL
 *
 * Context: process, sleeps. Return: 0 or -errno, with nothing left behind.
 */
int rxt_ibrq_init(struct rxt_ibrq *rq, struct rxt_link *link,
		  const struct ib_pd *pd, bool shared, u32 max_wr, u32 max_sge,
		  struct ib_ucontext *uctx)
{
	spin_lock_init(&rq->post_lock);
	rq->warned = false;
	rxt_rq_init(&rq->rq, &link->dev, pd, shared, max_sge);
	return rxt_ring_init(&rq->ring, max_wr, recv_wqe_size(max_sge), uctx);
}

void rxt_prov_rq_event(struct rxt_rq *rq, enum ib_event_type type)
{
	struct rxt_ibsrq *srq;
	struct ib_event ev;

	if (!rq->shared)
		return;
	srq = container_of(to_ibrq(rq), struct rxt_ibsrq, rq);
	ev.device = srq->ibsrq.device;
	ev.element.srq = &srq->ibsrq;
	ev.event = type;
	if (srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&ev, srq->ibsrq.srq_context);
}

int rxt_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		   struct ib_udata *udata)
{
	static atomic_t srq_num;
	struct rxt_ibsrq *srq = to_ibsrq(ibsrq);
	struct ib_srq_attr *attr = &init->attr;
	struct rxe_create_srq_resp resp = {};
	int err;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!attr->max_wr || attr->max_wr > RXT_MAX_SRQ_WR ||
	    attr->max_sge > RXT_MAX_SGE || attr->srq_limit > attr->max_wr)
		return -EINVAL;
	err = rxt_udata_check(udata, sizeof(resp));
	if (err)
		return err;

	mutex_init(&srq->resize_lock);
	srq->user = !!udata;
	attr->max_sge = max_t(u32, attr->max_sge, 1);
	err = rxt_ibrq_init(&srq->rq, to_link(ibsrq->device), ibsrq->pd, true,
			    attr->max_wr, attr->max_sge, rxt_udata_uctx(udata));
	if (err)
		return err;
	srq->rq.rq.limit = attr->srq_limit;
	attr->max_wr = srq->rq.ring.mask;

	if (udata) {
		rxt_ring_mminfo(&srq->rq.ring, &resp.mi);
		resp.srq_num = atomic_inc_return(&srq_num);
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
		if (err)
			rxt_ring_free(&srq->rq.ring);
	}
	return err;
}

/* As for a CQ: what was posted does not change, so most is copied unlocked. */
static int ring_replace(struct rxt_ibrq *rq, struct rxt_ring *new)
{
	struct rxt_ring *old = &rq->ring;
	u32 base, from, to;
	unsigned long flags;
	int tries, err;

	base = READ_ONCE(old->cons);
	from = base;
	for (tries = 0; tries < RESIZE_TRIES; tries++) {
		to = rxt_ring_shared_prod(old);
		rxt_ring_copy(new, old, base, from, to);
		from = to;

		spin_lock_irqsave(&rq->rq.lock, flags);
		err = rxt_ring_take_over(new, old, base, from, old->cons,
					 rxt_ring_shared_prod(old));
		if (!err && rq->rq.limit > new->mask)
			err = -EINVAL;
		if (!err)
			swap(*old, *new);
		spin_unlock_irqrestore(&rq->rq.lock, flags);
		if (err != -EAGAIN)
			return err;
	}
	return -EBUSY;
}

static int srq_resize(struct rxt_ibsrq *srq, u32 max_wr, struct ib_udata *udata)
{
	struct rxe_modify_srq_cmd cmd;
	struct rxt_ring ring;
	struct mminfo mi;
	int err;

	if (!max_wr || max_wr > RXT_MAX_SRQ_WR)
		return -EINVAL;
	/* In the kernel nobody does; and posting would have to be kept out. */
	if (!udata)
		return -EOPNOTSUPP;
	if (udata->inlen < sizeof(cmd))
		return -EINVAL;
	err = ib_copy_from_udata(&cmd, udata, sizeof(cmd));
	if (err)
		return err;

	err = rxt_ring_init(&ring, max_wr, recv_wqe_size(srq->rq.rq.max_sge),
			    rxt_udata_uctx(udata));
	if (err)
		return err;
	rxt_ring_mminfo(&ring, &mi);
	/* The ABI has the answer go to an address in the command. */
	if (copy_to_user(u64_to_user_ptr(cmd.mmap_info_addr), &mi, sizeof(mi))) {
		err = -EFAULT;
	} else {
		mutex_lock(&srq->resize_lock);
		err = ring_replace(&srq->rq, &ring);
		mutex_unlock(&srq->resize_lock);
	}
	/* The old one, or the new one that is not needed. */
	rxt_ring_free(&ring);
	return err;
}

int rxt_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct rxt_ibsrq *srq = to_ibsrq(ibsrq);
	struct rxt_rq *rq = &srq->rq.rq;
	unsigned long flags;
	int err = 0;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EINVAL;
	/* Both or none. */
	if ((mask & IB_SRQ_MAX_WR) && (mask & IB_SRQ_LIMIT) &&
	    attr->srq_limit > attr->max_wr)
		return -EINVAL;
	if (mask & IB_SRQ_MAX_WR) {
		err = srq_resize(srq, attr->max_wr, udata);
		if (err)
			return err;
	}
	if (mask & IB_SRQ_LIMIT) {
		spin_lock_irqsave(&rq->lock, flags);
		if (attr->srq_limit > srq->rq.ring.mask)
			err = -EINVAL;
		else
			rq->limit = attr->srq_limit;
		spin_unlock_irqrestore(&rq->lock, flags);
	}
	return err;
}

int rxt_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct rxt_ibsrq *srq = to_ibsrq(ibsrq);
	unsigned long flags;

	spin_lock_irqsave(&srq->rq.rq.lock, flags);
	attr->max_wr = srq->rq.ring.mask;
	attr->max_sge = srq->rq.rq.max_sge;
	attr->srq_limit = srq->rq.rq.limit;
	spin_unlock_irqrestore(&srq->rq.rq.lock, flags);
	return 0;
}

int rxt_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct rxt_ibsrq *srq = to_ibsrq(ibsrq);

	rxt_ring_free(&srq->rq.ring);
	mutex_destroy(&srq->resize_lock);
	return 0;
}
