// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: completion queues.
 *
 * What lives here: the CQE formats, polling, arming, resizing. What may not: when
 * to complete or to notify (core/cq.c).
 */
#include <linux/bottom_half.h>
#include "provider.h"

/* wc_flags as libibverbs has them, where they differ from the kernel's. */
#define UWC_WITH_INV	BIT(3)

/* sl of a received datagram, as mlx5's CQEs have it: what kind of packet it was. */
#define UWC_SL_UDP	BIT(3)
#define UWC_SL_IPV6	1
#define UWC_SL_IPV4	2

#define RESIZE_TRIES	8

/* Handlers of kernel consumers: not from under the locks of whoever completes. */
static struct workqueue_struct *notify_wq;

int rxt_cq_init_wq(void)
{
	notify_wq = alloc_workqueue("rxt_comp", WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	return notify_wq ? 0 : -ENOMEM;
}

void rxt_cq_exit_wq(void)
{
	destroy_workqueue(notify_wq);
}

static struct rxt_ibcq *cq_of(struct rxt_cq *cq)
{
	return container_of(cq, struct rxt_ibcq, cq);
}

/* ---- filling ---- */

/*
 * No service level is on the wire of RoCE v2, and struct ibv_wc has no field for the
 * type of the network header (the kernel's has). UCX takes it from sl, and with it
 * where in the GRH the destination is: it drops datagrams whose sl says otherwise.
 */
static u8 user_sl(const struct rxt_wc *wc)
{
	if (!(wc->flags & IB_WC_WITH_NETWORK_HDR_TYPE))
		return wc->sl;
	return UWC_SL_UDP | (wc->network_hdr_type == RDMA_NETWORK_IPV4 ?
			     UWC_SL_IPV4 : UWC_SL_IPV6);
}

static void fill_user(void *slot, const struct rxt_wc *wc)
{
	struct ib_uverbs_wc uwc = {
		.wr_id		= wc->wr_id,
		.status		= wc->status,
		.opcode		= wc->opcode,
		.byte_len	= wc->byte_len,
		.qp_num		= rxt_qp_num(wc->qp),
		.src_qp		= wc->src_qp,
		.wc_flags	= wc->flags & (IB_WC_GRH | IB_WC_WITH_IMM),
		.pkey_index	= wc->pkey_index,
		.sl		= user_sl(wc),
		.port_num	= 1,
	};

	if (wc->flags & IB_WC_WITH_INVALIDATE) {
		uwc.wc_flags |= UWC_WITH_INV;
		uwc.ex.invalidate_rkey = wc->inv_rkey;
	} else if (wc->flags & IB_WC_WITH_IMM) {
		uwc.ex.imm_data = wc->imm;
	}
	memcpy(slot, &uwc, sizeof(uwc));
}

static void fill_kernel(struct ib_wc *ibwc, const struct rxt_wc *wc)
{
	struct rxt_ibqp *qp = rxt_qp_priv(wc->qp);

	memset(ibwc, 0, sizeof(*ibwc));
	ibwc->wr_id = wc->wr_id;
	ibwc->status = wc->status;
	ibwc->opcode = wc->opcode;
	ibwc->byte_len = wc->byte_len;
	ibwc->qp = &qp->ibqp;
	ibwc->src_qp = wc->src_qp;
	ibwc->wc_flags = wc->flags;
	ibwc->pkey_index = wc->pkey_index;
	ibwc->sl = wc->sl;
	ibwc->port_num = 1;
	if (wc->flags & IB_WC_GRH) {
		ibwc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
		ibwc->network_hdr_type = wc->network_hdr_type;
	}
	if (wc->flags & IB_WC_WITH_INVALIDATE)
		ibwc->ex.invalidate_rkey = wc->inv_rkey;
	else
		ibwc->ex.imm_data = wc->imm;
}

int rxt_prov_cq_push(struct rxt_cq *core_cq, const struct rxt_wc *wc)
{
	struct rxt_ibcq *cq = cq_of(core_cq);
	void *slot;

	lockdep_assert_held(&core_cq->lock);
	slot = rxt_ring_room(&cq->ring);
	if (!slot)
		return -ENOSPC;
	if (cq->user)
		fill_user(slot, wc);
	else
		fill_kernel(slot, wc);
	rxt_ring_push(&cq->ring);
	return 0;
}

/* ---- notifying ---- */

static void notify_work(struct work_struct *work)
{
	struct rxt_ibcq *cq = container_of(work, struct rxt_ibcq, notify);

	/* Handlers may schedule NAPI or irq_poll: softirqs run at the end. */
	local_bh_disable();
	cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
	local_bh_enable();
}

void rxt_prov_cq_notify(struct rxt_cq *core_cq)
{
	struct rxt_ibcq *cq = cq_of(core_cq);

	/* uverbs' handler only queues an event and wakes the process. */
	if (cq->user)
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
	else if (cq->ibcq.comp_handler)
		queue_work(notify_wq, &cq->notify);
}

void rxt_prov_cq_event(struct rxt_cq *core_cq, enum ib_event_type type)
{
	struct rxt_ibcq *cq = cq_of(core_cq);
	struct ib_event ev = {
		.device		= cq->ibcq.device,
		.element.cq	= &cq->ibcq,
		.event		= type,
	};

	if (cq->ibcq.event_handler)
		cq->ibcq.event_handler(&ev, cq->ibcq.cq_context);
}

/* ---- verbs ---- */

static int ring_init(struct rxt_ring *ring, int cqe, struct ib_ucontext *uctx)
{
	size_t size = uctx ? sizeof(struct ib_uverbs_wc) : sizeof(struct ib_wc);

	if (cqe < 1 || cqe > RXT_MAX_CQE)
		return -EINVAL;
	return rxt_ring_init(ring, cqe, size, uctx);
}

int rxt_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  RXT_CQ_UDATA *attrs)
{
	struct ib_udata *udata = rxt_cq_udata(attrs);
	struct rxe_create_cq_resp resp;
	struct rxt_ibcq *cq = to_ibcq(ibcq);
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	err = rxt_udata_check(udata, sizeof(resp));
	if (err)
		return err;

	rxt_cq_init(&cq->cq, &to_link(ibcq->device)->dev);
	INIT_WORK(&cq->notify, notify_work);
	mutex_init(&cq->resize_lock);
	cq->user = !!udata;
	err = ring_init(&cq->ring, attr->cqe, rxt_udata_uctx(udata));
	if (err)
		return err;
	ibcq->cqe = cq->ring.mask;

	if (udata) {
		rxt_ring_mminfo(&cq->ring, &resp.mi);
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
		if (err)
			rxt_ring_free(&cq->ring);
	}
	return err;
}

int rxt_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct rxt_ibcq *cq = to_ibcq(ibcq);
	unsigned long flags;

	/* ib_core lets it go only when no QP completes to it any more. */
	spin_lock_irqsave(&cq->cq.lock, flags);
	cq->cq.dead = true;
	spin_unlock_irqrestore(&cq->cq.lock, flags);
	cancel_work_sync(&cq->notify);
	rxt_ring_free(&cq->ring);
	mutex_destroy(&cq->resize_lock);
	return 0;
}

/* The new ring gets what the old one holds; most of it is copied without the lock
 * as a CQE does not change any more.
 */
static int ring_replace(struct rxt_ibcq *cq, struct rxt_ring *new)
{
	struct rxt_ring *old = &cq->ring;
	u32 base, from, to;
	unsigned long flags;
	int tries, err;

	base = rxt_ring_shared_cons(old);
	from = base;
	for (tries = 0; tries < RESIZE_TRIES; tries++) {
		to = READ_ONCE(old->prod);
		rxt_ring_copy(new, old, base, from, to);
		from = to;

		spin_lock_irqsave(&cq->cq.lock, flags);
		err = rxt_ring_take_over(new, old, base, from,
					 rxt_ring_shared_cons(old), old->prod);
		if (!err)
			swap(*old, *new);
		spin_unlock_irqrestore(&cq->cq.lock, flags);
		if (err != -EAGAIN)
			return err;
	}
	return -EBUSY;
}

int rxt_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	struct rxt_ibcq *cq = to_ibcq(ibcq);
	struct rxe_resize_cq_resp resp;
	struct rxt_ring ring;
	int err;

	/* In the kernel nobody does; and poll_cq would have to be kept out. */
	if (!udata)
		return -EOPNOTSUPP;
	err = rxt_udata_check(udata, sizeof(resp));
	if (err)
		return err;
	err = ring_init(&ring, cqe, rxt_udata_uctx(udata));
	if (err)
		return err;

	rxt_ring_mminfo(&ring, &resp.mi);
	err = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (!err) {
		mutex_lock(&cq->resize_lock);
		err = ring_replace(cq, &ring);
		if (!err)
			ibcq->cqe = cq->ring.mask;
		mutex_unlock(&cq->resize_lock);
	}
	/* The old one, or the new one that is not needed. */
	rxt_ring_free(&ring);
	return err;
}

int rxt_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct rxt_ibcq *cq = to_ibcq(ibcq);
	struct rxt_ring *ring = &cq->ring;
	unsigned long flags;
	int n;

	if (cq->user)
		return -EINVAL;
	spin_lock_irqsave(&cq->cq.lock, flags);
	for (n = 0; n < num && ring->cons != ring->prod; n++) {
		memcpy(&wc[n], rxt_ring_slot(ring, ring->cons), sizeof(*wc));
		rxt_ring_release(ring, 1);
	}
	spin_unlock_irqrestore(&cq->cq.lock, flags);
	return n;
}

int rxt_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags nflags)
{
	struct rxt_ibcq *cq = to_ibcq(ibcq);
	unsigned long flags;
	int missed = 0;

	spin_lock_irqsave(&cq->cq.lock, flags);
	/* A second call may only widen what the first one asked for. */
	if (cq->cq.armed != IB_CQ_NEXT_COMP)
		cq->cq.armed = nflags & IB_CQ_SOLICITED_MASK;
	if (nflags & IB_CQ_REPORT_MISSED_EVENTS)
		missed = rxt_ring_shared_cons(&cq->ring) != cq->ring.prod;
	spin_unlock_irqrestore(&cq->cq.lock, flags);
	return missed;
}

/**
 * rxt_cq_purge - forget the completions of a QP that is gone
 * @ibcq: CQ; nothing happens to one that a process polls
 * @ibqp: the QP, which they point to
 */
void rxt_cq_purge(struct ib_cq *ibcq, const struct ib_qp *ibqp)
{
	struct rxt_ibcq *cq = to_ibcq(ibcq);
	struct rxt_ring *ring = &cq->ring;
	struct ib_wc *from, *to;
	unsigned long flags;
	u32 i, kept;

	if (cq->user)
		return;
	spin_lock_irqsave(&cq->cq.lock, flags);
	kept = ring->cons;
	for (i = ring->cons; i != ring->prod; i = (i + 1) & ring->mask) {
		from = rxt_ring_slot(ring, i);
		if (from->qp == ibqp)
			continue;
		to = rxt_ring_slot(ring, kept);
		if (to != from)
			*to = *from;
		kept = (kept + 1) & ring->mask;
	}
	ring->prod = kept;
	spin_unlock_irqrestore(&cq->cq.lock, flags);
}
