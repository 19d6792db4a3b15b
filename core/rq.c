// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: receive queues: take a WQE, SRQ limit, resolve its keys, complete it.
 */
#include "internal.h"

/**
 * rxt_rq_init - prepare the core's part of a receive queue
 * @rq: embedded in the provider's QP or SRQ
 * @dev: device
 * @pd: protection domain that its lkeys belong to
 * @shared: an SRQ
 * @max_sge: most segments of a WQE
 */
void rxt_rq_init(struct rxt_rq *rq, struct rxt_dev *dev, const void *pd,
		 bool shared, u16 max_sge)
{
	spin_lock_init(&rq->lock);
	rq->limit = 0;
	rq->shared = shared;
	rq->max_sge = max_sge;
	rq->pd = pd;
	rq->dev = dev;
}

/**
 * rxt_rq_take - take the oldest receive WQE
 * @rq: queue
 * @recv: private copy to fill
 *
 * Context: any. Return: 1; 0 when the queue is empty; -EINVAL when the WQE is
 * malformed (wr_id is set, no segments).
 */
int rxt_rq_take(struct rxt_rq *rq, struct rxt_recv *recv)
{
	bool event = false;
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&rq->lock, flags);
	ret = rxt_provider->rq_fetch(rq, recv);
	/* IBTA 10.2.9.1: fires once when the number falls below the limit. */
	if (ret && rq->limit && rxt_provider->rq_count(rq) < rq->limit) {
		rq->limit = 0;
		event = true;
	}
	spin_unlock_irqrestore(&rq->lock, flags);

	if (event)
		rxt_provider->rq_event(rq, IB_EVENT_SRQ_LIMIT_REACHED);
	return ret;
}

/**
 * rxt_recv_resolve - find the memory of a receive WQE
 * @qp: QP that uses it
 * @recv: just taken
 *
 * On failure it holds no references.
 *
 * Return: IB_WC_SUCCESS or IB_WC_LOC_PROT_ERR.
 */
enum ib_wc_status rxt_recv_resolve(struct rxt_qp *qp, struct rxt_recv *recv)
{
	unsigned int i;

	for (i = 0; i < recv->num_seg; i++) {
		struct rxt_seg *seg = &recv->seg[i];

		if (!seg->length)
			continue;
		seg->mr = rxt_mr_find_again(&qp->recv_mr, qp->dev, qp->rq->pd,
					    seg->lkey, seg->addr, seg->length,
					    IB_ACCESS_LOCAL_WRITE);
		if (!seg->mr) {
			rxt_recv_put_mrs(recv);
			rxt_count_qp(qp, local_prot_errors);
			return IB_WC_LOC_PROT_ERR;
		}
	}
	return IB_WC_SUCCESS;
}

void rxt_recv_put_mrs(struct rxt_recv *recv)
{
	unsigned int i;

	for (i = 0; i < recv->num_seg; i++) {
		if (recv->seg[i].mr)
			rxt_mr_put(recv->seg[i].mr);
		recv->seg[i].mr = NULL;
	}
	recv->num_seg = 0;
}

/**
 * rxt_recv_complete - end a receive WQE that got no message
 * @qp: QP
 * @recv: the WQE
 * @st: why, not IB_WC_SUCCESS
 */
void rxt_recv_complete(struct rxt_qp *qp, struct rxt_recv *recv,
		       enum ib_wc_status st)
{
	struct rxt_wc wc = {
		.wr_id	= recv->wr_id,
		.status	= st,
		.opcode	= IB_WC_RECV,
		.qp	= qp,
	};

	rxt_recv_put_mrs(recv);
	if (st == IB_WC_WR_FLUSH_ERR)
		rxt_count_qp(qp, flushed);
	rxt_cq_push(qp->rcq, &wc);
}
