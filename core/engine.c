// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: who sends when: the TX token, the two lanes, budgets.
 *
 * The token is a bit. Whoever wants something sent sets PENDING and tries for it;
 * who has it looks at PENDING again after giving it back. So nobody waits, in no
 * context, and nothing is forgotten. Only teardown waits for the token.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/sched/clock.h>
#include "internal.h"
#include "trace.h"

/* Microseconds that a worker may wait for posts to come. */
#define GATHER		100

/* ---- the token ---- */

static bool token_try(struct rxt_qp *qp)
{
	return !test_and_set_bit_lock(RXT_QP_TX_BUSY, &qp->flags);
}

/**
 * rxt_tx_token_wait - take the TX token, for teardown
 * @qp: QP
 *
 * Context: process, sleeps for the rest of one batch.
 */
void rxt_tx_token_wait(struct rxt_qp *qp)
{
	wait_event(qp->tx_wait, token_try(qp));
}

/**
 * rxt_tx_token_drop - give the TX token back
 * @qp: QP
 */
void rxt_tx_token_drop(struct rxt_qp *qp)
{
	clear_bit_unlock(RXT_QP_TX_BUSY, &qp->flags);
	/* Pairs with the barrier of a new waiter's test_and_set_bit. */
	smp_mb__after_atomic();
	/* That barrier is the one that it asks for. */
	if (waitqueue_active(&qp->tx_wait))
		wake_up(&qp->tx_wait);
}

/**
 * rxt_engine_unblock - whatever ->xmit() waited for is there
 * @qp: QP
 *
 * Context: any. Does not run the engine, but notes that it has to.
 */
void rxt_engine_unblock(struct rxt_qp *qp)
{
	set_bit(RXT_QP_TX_PENDING, &qp->flags);
	/* Pairs with xmit_one(), see there. */
	smp_mb__after_atomic();
	clear_bit(RXT_QP_TX_BLOCKED, &qp->flags);
	/* Pairs with wait_for_peer(): one of the two sees the other's bit. */
	smp_mb__after_atomic();
	if (test_bit(RXT_QP_REQ_WAIT, &qp->flags))
		clear_bit(RXT_QP_REQ_WAIT, &qp->flags);
}

/* ---- one batch ---- */

static struct rxt_msg *pick(struct rxt_qp *qp)
{
	struct rxt_msg *resp, *req;
	unsigned int may = rxt_qp_actions(READ_ONCE(qp->state));

	if (qp->tx_cur)
		return qp->tx_cur;
	resp = NULL;
	if ((may & RXT_MAY_RESPOND) && !list_empty_careful(&qp->resp))
		resp = rxt_resp_head(qp);
	if (resp && qp->burst < RXT_RESP_BURST)
		goto respond;
	req = NULL;
	if ((may & RXT_MAY_SEND) && !test_bit(RXT_QP_REQ_WAIT, &qp->flags))
		req = rxt_req_pick(qp, may & RXT_MAY_FETCH);
	if (req) {
		qp->burst = 0;
		return req;
	}
	if (!resp)
		return NULL;
respond:
	qp->burst++;
	WRITE_ONCE(qp->tx_cur, resp);
	return resp;
}

static bool is_response(const struct rxt_msg *msg)
{
	return msg->op == RXT_OP_READ_RESP || msg->op == RXT_OP_ATOMIC_RESP;
}

/* ->xmit() said no. True: go on with the next message. */
static bool xmit_failed(struct rxt_qp *qp, struct rxt_msg *msg, int err)
{
	bool response = is_response(msg);

	switch (err) {
	case -ENOBUFS:
		rxt_count_qp(qp, tx_nomem);
		mod_timer(&qp->tx_timer, jiffies + 1);
		return false;
	case -ENOTCONN:
		if (!response) {
			rxt_conn_error(qp->conn, RXT_ERR_LOST);
			return false;
		}
		/* Nobody waits for answers; requests shall find out too. */
		WRITE_ONCE(qp->tx_cur, NULL);
		rxt_resp_drop_all(qp);
		return true;
	case -EFAULT:
		rxt_count_qp(qp, local_prot_errors);
		if (response)
			rxt_qp_fail(qp);
		else
			rxt_req_fail(qp, msg, IB_WC_LOC_PROT_ERR);
		return false;
	case -EMSGSIZE:
		if (!response) {
			rxt_req_fail(qp, msg, IB_WC_LOC_LEN_ERR);
			return false;
		}
		fallthrough;
	default:
		rxt_conn_error(qp->conn, RXT_ERR_PROTOCOL);
		return false;
	}
}

/* ->xmit() said WAIT: the connection is free, the request lane is not. */
static void wait_for_peer(struct rxt_qp *qp)
{
	set_bit(RXT_QP_REQ_WAIT, &qp->flags);
	/* Pairs with rxt_engine_unblock(): one of the two sees the other's bit. */
	smp_mb__after_atomic();
	/* The peer may have asked for a rewind before ->xmit() began, which did not
	 * know of it; rxt_tx_ready() was called then, and found nothing blocked.
	 */
	if (!test_and_clear_bit(RXT_QP_TX_BLOCKED, &qp->flags) ||
	    READ_ONCE(qp->rewind))
		clear_bit(RXT_QP_REQ_WAIT, &qp->flags);
}

/* False: stop the batch. */
static bool xmit_one(struct rxt_qp *qp, struct rxt_msg *msg)
{
	int res;

	if (unlikely(rxt_op_is_local(msg->op))) {
		res = rxt_req_local(qp, msg);
		return res ? xmit_failed(qp, msg, res) : true;
	}
	/* Where the answer goes should be there before it is asked for. */
	if (unlikely(msg->flags & RXT_MSG_PAGED) && rxt_op_is_rd(msg->op)) {
		res = rxt_msg_enter(msg) ?: rxt_odp_msg_check(msg);
		if (res == -ENOBUFS)
			return xmit_failed(qp, msg, res);
		/* No such memory: who places the answer finds out. */
		if (!res)
			rxt_msg_exit(msg);
	}
	/* Before the call: an rxt_tx_ready() during it is not lost. */
	set_bit(RXT_QP_TX_BLOCKED, &qp->flags);
	/* Pairs with rxt_engine_unblock(): it clears the bit later, or PENDING is seen. */
	smp_mb__after_atomic();
	trace_rxt_tx_begin(qp, msg, 0);
	res = qp->dev->be->xmit(qp->conn, msg);
	trace_rxt_tx_end(qp, msg, res);
	/* BLOCKED may be for what ->xmit_begin() saw. An rxt_tx_ready() between the two found
	 * no bit to clear, but its note is there. One try in vain does no harm.
	 */
	if (res == RXT_TX_WAIT)
		wait_for_peer(qp);
	else if (res != RXT_TX_BLOCKED || test_bit(RXT_QP_TX_PENDING, &qp->flags))
		clear_bit(RXT_QP_TX_BLOCKED, &qp->flags);
	if (res < 0)
		return xmit_failed(qp, msg, res);
	if (is_response(msg)) {
		if (res != RXT_TX_BLOCKED)
			WRITE_ONCE(qp->tx_cur, NULL);
		if (res == RXT_TX_DONE)
			rxt_resp_done(qp, msg);
	} else {
		rxt_req_xmit_done(qp, msg, res);
	}
	if (res == RXT_TX_BLOCKED || res == RXT_TX_WAIT)
		rxt_count_qp(qp, tx_blocked);
	return res != RXT_TX_BLOCKED;
}

/* TX token held. True: the budget is used up and there may be more. */
static bool batch(struct rxt_qp *qp, bool inline_bh)
{
	const struct rxt_backend *be = qp->dev->be;
	unsigned int budget = inline_bh ? RXT_BUDGET_BH : RXT_BUDGET_PROC;
	struct rxt_msg *msg = NULL;

	if (test_bit(RXT_QP_TX_WANT, &qp->flags))
		clear_bit(RXT_QP_TX_WANT, &qp->flags);
	if (test_bit(RXT_QP_STOPPED, &qp->flags)) {
		if (rxt_qp_may(qp, RXT_FLUSH_SQ))
			rxt_req_flush_ring(qp);
		return false;
	}
	if (rxt_qp_may(qp, RXT_FLUSH_SQ)) {
		/* ERR: the error work flushes all, in order. */
		if (READ_ONCE(qp->state) == IB_QPS_ERR)
			return false;
		rxt_req_flush(qp);
		rxt_req_flush_ring(qp);
	}
	if (!rxt_qp_may(qp, RXT_MAY_RESPOND))
		return false;

	if (be->xmit_begin)
		be->xmit_begin(qp->conn, inline_bh);
	while (!test_bit(RXT_QP_TX_BLOCKED, &qp->flags) && budget) {
		msg = pick(qp);
		if (!msg || !xmit_one(qp, msg)) {
			msg = NULL;
			break;
		}
		budget--;
	}
	be->xmit_end(qp->conn);
	return msg && !budget;
}

/* PENDING is set. */
static void engine_go(struct rxt_qp *qp, bool inline_bh)
{
	unsigned int rounds = 16;

	while (test_bit(RXT_QP_TX_PENDING, &qp->flags)) {
		bool more;

		if (!token_try(qp))
			return;
		clear_bit(RXT_QP_TX_PENDING, &qp->flags);
		/* A note that is wiped out here is served by this batch. */
		smp_mb__after_atomic();
		more = batch(qp, inline_bh);
		rxt_tx_token_drop(qp);
		/* Someone's system call or softirq is not to serve for ever. */
		if (more || !--rounds) {
			rxt_count_qp(qp, tx_deferred);
			rxt_engine_queue(qp);
			return;
		}
	}
}

/**
 * rxt_engine_run - send what can be sent
 * @qp: QP
 * @inline_bh: inside rxt_tx_ready(RXT_TX_INLINE)
 *
 * Context: fit for ->xmit(); never waits for the token.
 */
void rxt_engine_run(struct rxt_qp *qp, bool inline_bh)
{
	set_bit(RXT_QP_TX_PENDING, &qp->flags);
	/* The note is there before the token is tried. */
	smp_mb__after_atomic();
	engine_go(qp, inline_bh);
}

/**
 * rxt_engine_queue - run the engine from the work queue
 * @qp: QP
 *
 * Context: any.
 */
void rxt_engine_queue(struct rxt_qp *qp)
{
	if (!test_bit(RXT_QP_DEAD, &qp->flags))
		queue_work(rxt_wq, &qp->tx_work);
}

static void tx_work(struct work_struct *work)
{
	struct rxt_qp *qp = container_of(work, struct rxt_qp, tx_work);
	u64 bytes;
	u32 first;

	if (rxt_bell_gather(&qp->bell))
		usleep_range(GATHER, GATHER + 50);
	first = READ_ONCE(qp->next_id);
	bytes = READ_ONCE(qp->fetched);
	rxt_engine_run(qp, false);
	rxt_bell_batch(&qp->bell, READ_ONCE(qp->next_id) - first,
		       READ_ONCE(qp->fetched) - bytes);
}

static void tx_timer(struct timer_list *t)
{
	rxt_engine_queue(from_timer((struct rxt_qp *)NULL, t, tx_timer));
}

static enum hrtimer_restart rnr_timer(struct hrtimer *t)
{
	struct rxt_qp *qp = container_of(t, struct rxt_qp, rnr_timer);

	rxt_req_unhold(qp);
	rxt_engine_queue(qp);
	return HRTIMER_NORESTART;
}

/**
 * rxt_engine_setup - prepare a new QP's engine
 * @qp: zeroed
 */
void rxt_engine_setup(struct rxt_qp *qp)
{
	rxt_bell_init(&qp->bell);
	init_waitqueue_head(&qp->tx_wait);
	INIT_WORK(&qp->tx_work, tx_work);
	timer_setup(&qp->tx_timer, tx_timer, 0);
	hrtimer_init(&qp->rnr_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	qp->rnr_timer.function = rnr_timer;
}

/* ---- for backends and the provider ---- */

void rxt_tx_ready(struct rxt_conn *conn, enum rxt_tx_how how)
{
	struct rxt_qp *qp = conn->qp;

	rxt_engine_unblock(qp);
	if (how == RXT_TX_INLINE)
		engine_go(qp, true);
	else
		rxt_engine_queue(qp);
}
EXPORT_SYMBOL_GPL(rxt_tx_ready);

bool rxt_tx_wanted(const struct rxt_conn *conn)
{
	return test_bit(RXT_QP_TX_WANT, &conn->qp->flags);
}
EXPORT_SYMBOL_GPL(rxt_tx_wanted);

int rxt_qp_kick(struct rxt_qp *qp, bool may_run)
{
	if (!rxt_qp_may(qp, RXT_MAY_POST_SEND))
		return -EINVAL;
	/* With one CPU the worker would only take turns with who posts. */
	if (may_run && (num_online_cpus() == 1 ||
			!rxt_bell_defer(&qp->bell, local_clock()))) {
		rxt_engine_run(qp, false);
		rxt_bell_sent(&qp->bell, local_clock());
		return 0;
	}
	set_bit(RXT_QP_TX_PENDING, &qp->flags);
	/* Pairs with the one behind the token's release. */
	smp_mb__after_atomic();
	if (!test_bit(RXT_QP_TX_BUSY, &qp->flags))
		rxt_engine_queue(qp);
	return 0;
}
