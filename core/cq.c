// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: completion queues: push, arm, overflow. The ring is the provider's.
 */
#include "internal.h"
#include "trace.h"

/**
 * rxt_cq_init - prepare the core's part of a CQ
 * @cq: embedded in the provider's object
 * @dev: device
 */
void rxt_cq_init(struct rxt_cq *cq, struct rxt_dev *dev)
{
	spin_lock_init(&cq->lock);
	cq->armed = 0;
	cq->overflow = false;
	cq->dead = false;
	cq->dev = dev;
}

/* IBTA 11.4.2.2: an error or a solicited completion wakes either way of arming.
 * Decided under the lock, so an arm that comes later sees the CQE.
 */
static bool take_arm(struct rxt_cq *cq, const struct rxt_wc *wc)
{
	lockdep_assert_held(&cq->lock);
	if (cq->armed == IB_CQ_NEXT_COMP ||
	    (cq->armed && (wc->solicited || wc->status != IB_WC_SUCCESS))) {
		cq->armed = 0;
		return true;
	}
	return false;
}

/**
 * rxt_cq_push - add a completion and notify when armed
 * @cq: the queue
 * @wc: the completion; copied
 *
 * A full ring is a CQ error (IBTA 11.6.3.1): the CQE is lost, one event.
 *
 * Context: any.
 */
void rxt_cq_push(struct rxt_cq *cq, const struct rxt_wc *wc)
{
	bool notify = false, event = false, lost;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->dead)
		goto out;
	lost = rxt_provider->cq_push(cq, wc);
	trace_rxt_cqe(wc, lost);
	if (lost) {
		rxt_count(cq->dev, cqe_overflows);
		event = !cq->overflow;
		cq->overflow = true;
	} else {
		notify = take_arm(cq, wc);
	}
out:
	spin_unlock_irqrestore(&cq->lock, flags);

	if (notify)
		rxt_provider->cq_notify(cq);
	if (event)
		rxt_provider->cq_event(cq, IB_EVENT_CQ_ERR);
}
