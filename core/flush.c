// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: the ways into ERR and SQE, stopping a connection, flushing.
 *
 * Into ERR from a softirq there are two steps: the state changes at once, so that
 * nothing more is executed, and the error work does what sleeps: take the TX
 * token, stop the backend (after which no up-call comes), flush in order.
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include "internal.h"
#include "trace.h"

/* How often a QP in ERR looks for receive WQEs in a ring that its process fills
 * without telling the kernel.
 */
#define RQ_POLL		msecs_to_jiffies(10)

/**
 * rxt_qp_fail - the QP is in error
 * @qp: QP
 *
 * Context: any, idempotent. What is in flight is flushed by the error work.
 */
void rxt_qp_fail(struct rxt_qp *qp)
{
	bool changed = false;
	unsigned long flags;

	spin_lock_irqsave(&qp->state_lock, flags);
	if (qp->state != IB_QPS_ERR && qp->state != IB_QPS_RESET &&
	    !test_bit(RXT_QP_DEAD, &qp->flags)) {
		trace_rxt_qp_state(qp, qp->state, IB_QPS_ERR);
		WRITE_ONCE(qp->state, IB_QPS_ERR);
		changed = true;
	}
	spin_unlock_irqrestore(&qp->state_lock, flags);
	if (changed)
		queue_work(rxt_wq, &qp->err_work);
}

/**
 * rxt_qp_fail_sq - the send queue of an unreliable QP is in error (SQE)
 * @qp: UC or UD
 *
 * Context: any. The engine flushes the send queue.
 */
void rxt_qp_fail_sq(struct rxt_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->state_lock, flags);
	if (qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD) {
		trace_rxt_qp_state(qp, qp->state, IB_QPS_SQE);
		WRITE_ONCE(qp->state, IB_QPS_SQE);
	}
	spin_unlock_irqrestore(&qp->state_lock, flags);
	set_bit(RXT_QP_TX_PENDING, &qp->flags);
	rxt_engine_queue(qp);
}

/**
 * rxt_sqd_check - nothing is in flight: is the queue drained (IBTA 10.3.1.5)?
 * @qp: QP
 */
void rxt_sqd_check(struct rxt_qp *qp)
{
	bool event = false;
	unsigned long flags;

	if (READ_ONCE(qp->state) != IB_QPS_SQD)
		return;
	spin_lock_irqsave(&qp->state_lock, flags);
	if (qp->state == IB_QPS_SQD) {
		event = qp->sqd_event;
		qp->sqd_event = false;
	}
	spin_unlock_irqrestore(&qp->state_lock, flags);
	if (event)
		rxt_provider->qp_event(qp, IB_EVENT_SQ_DRAINED);
}

/**
 * rxt_qp_stop - no bytes and no up-calls any more
 * @qp: mutex and TX token held
 *
 * Context: process, sleeps.
 */
void rxt_qp_stop(struct rxt_qp *qp)
{
	lockdep_assert_held(&qp->mutex);
	if (!test_and_set_bit(RXT_QP_STOPPED, &qp->flags)) {
		qp->dev->be->conn_stop(qp->conn);
		trace_rxt_conn_down(qp);
	}
	hrtimer_cancel(&qp->rnr_timer);
	rxt_odp_stop(qp);
	rxt_engine_unblock(qp);
	clear_bit(RXT_QP_LOST, &qp->flags);
}

static void flush_rq(struct rxt_qp *qp)
{
	if (!qp->rq || qp->rq->shared)
		return;
	while (rxt_rq_take(qp->rq, qp->recv)) {
		rxt_recv_complete(qp, qp->recv, IB_WC_WR_FLUSH_ERR);
		cond_resched();
	}
}

/**
 * rxt_qp_flush - stop, and end all work with completions
 * @qp: mutex held, state ERR
 *
 * Context: process, sleeps.
 */
void rxt_qp_flush(struct rxt_qp *qp)
{
	lockdep_assert_held(&qp->mutex);
	rxt_tx_token_wait(qp);
	rxt_qp_stop(qp);
	rxt_resp_drop_all(qp);
	rxt_req_flush(qp);
	rxt_req_flush_ring(qp);
	if (qp->recv) {
		rxt_rx_drop_all(qp, true);
		flush_rq(qp);
	}
	qp->flushed = true;
	rxt_tx_token_drop(qp);

	if (qp->rq && qp->rq->shared)
		rxt_provider->qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	/* WQEs that were posted meanwhile. */
	rxt_engine_queue(qp);
	if (qp->rq && !qp->rq->shared && qp->user)
		queue_delayed_work(rxt_wq, &qp->rq_poll, RQ_POLL);
}

void rxt_err_work(struct work_struct *work)
{
	struct rxt_qp *qp = container_of(work, struct rxt_qp, err_work);

	mutex_lock(&qp->mutex);
	if (qp->state == IB_QPS_ERR && !qp->flushed &&
	    !test_bit(RXT_QP_DEAD, &qp->flags))
		rxt_qp_flush(qp);
	mutex_unlock(&qp->mutex);
}

void rxt_rq_poll_work(struct work_struct *work)
{
	struct rxt_qp *qp = container_of(work, struct rxt_qp, rq_poll.work);
	bool again;

	mutex_lock(&qp->mutex);
	again = qp->state == IB_QPS_ERR && qp->flushed &&
		!test_bit(RXT_QP_DEAD, &qp->flags);
	if (again)
		flush_rq(qp);
	mutex_unlock(&qp->mutex);
	if (again && qp->user)
		queue_delayed_work(rxt_wq, &qp->rq_poll, RQ_POLL);
}

void rxt_qp_kick_rq(struct rxt_qp *qp)
{
	if (READ_ONCE(qp->state) == IB_QPS_ERR &&
	    !test_bit(RXT_QP_DEAD, &qp->flags))
		mod_delayed_work(rxt_wq, &qp->rq_poll, 0);
}

/* What an error of the connection means for the one whose requests it has. */
static void peer_lost(struct rxt_qp *qp)
{
	if (test_and_set_bit(RXT_QP_LOST, &qp->flags))
		return;
	rxt_count_qp(qp, conn_lost);
	rxt_req_fail_oldest(qp, IB_WC_RETRY_EXC_ERR);
	/* Requests that are posted later have to find out. */
	rxt_engine_unblock(qp);
	rxt_engine_queue(qp);
}

void rxt_conn_error(struct rxt_conn *conn, enum rxt_conn_err err)
{
	struct rxt_qp *qp = conn->qp;

	trace_rxt_conn_error(qp, err);
	switch (err) {
	case RXT_ERR_LOST:
		/* Late news for the next request are no news (S9). */
		if (test_bit(RXT_QP_LOST, &qp->flags))
			rxt_req_fail_oldest(qp, IB_WC_RETRY_EXC_ERR);
		else
			peer_lost(qp);
		return;
	case RXT_ERR_NAK_SENT_REQ:
		rxt_provider->qp_event(qp, IB_EVENT_QP_REQ_ERR);
		break;
	case RXT_ERR_NAK_SENT_ACC:
		rxt_provider->qp_event(qp, IB_EVENT_QP_ACCESS_ERR);
		break;
	case RXT_ERR_NAK_SENT_OP:
		break;
	case RXT_ERR_PROTOCOL:
		rxt_req_fail_oldest(qp, IB_WC_BAD_RESP_ERR);
		rxt_provider->qp_event(qp, IB_EVENT_QP_FATAL);
		break;
	}
	rxt_qp_fail(qp);
}
EXPORT_SYMBOL_GPL(rxt_conn_error);
