// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: the requester: from send WQE to message, and from ACK to completion,
 * in order (S6).
 *
 * What lives here: everything under qp->req_lock. What may not: who may run when
 * (engine.c), the peer's requests (rx.c, resp.c), wire codes.
 *
 * Life of a message:
 *
 *	fetched -> QUEUED -> SENT -> (READ, atomics: ANSWERED) -> completed
 *	              ^        |
 *	              +--------+ rewind
 *	any -> FAILED -> completed with an error once it is the oldest
 *
 * A message in ->xmit() or blocked there (tx_cur) is pinned: an ACK that covers
 * it takes effect when the engine lets go of it.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include "internal.h"
#include "trace.h"

/* A Q_Key with this bit set stands for that of the QP, IBTA 10.2.5. */
#define QKEY_OF_QP	BIT(31)

static bool acked(const struct rxt_qp *qp, const struct rxt_msg *msg)
{
	return !rxt_id_before(qp->acked_id, msg->id);
}

/* To be acknowledged is not all that it waits for. */
static bool needs_answer(const struct rxt_msg *msg)
{
	return rxt_op_is_rd(msg->op) || unlikely(rxt_op_is_local(msg->op));
}

/* ---- private copies ---- */

static void refill_spare(struct rxt_qp *qp)
{
	lockdep_assert_held(&qp->req_lock);
	if (qp->spare || list_empty(&qp->pool))
		return;
	qp->spare = list_first_entry(&qp->pool, struct rxt_msg, node);
	list_del(&qp->spare->node);
	qp->pool_len--;
}

static struct rxt_msg *msg_get(struct rxt_qp *qp)
{
	struct rxt_msg *msg = qp->spare;

	qp->spare = NULL;
	if (!msg)
		msg = kmalloc(sizeof(*msg) + qp->msg_tail,
			      GFP_ATOMIC | __GFP_NOWARN);
	return msg;
}

static void msg_put(struct rxt_qp *qp, struct rxt_msg *msg)
{
	lockdep_assert_held(&qp->req_lock);
	if (qp->type != IB_QPT_RC)
		kfree(msg->av);
	if (qp->pool_len >= RXT_MSG_KEEP) {
		kfree(msg);
		return;
	}
	list_add(&msg->node, &qp->pool);
	qp->pool_len++;
}

/* ---- build ---- */

static const enum ib_wc_opcode wc_opcode[RXT_OP_MAX] = {
	[RXT_OP_SEND]		= IB_WC_SEND,
	[RXT_OP_SEND_IMM]	= IB_WC_SEND,
	[RXT_OP_SEND_INV]	= IB_WC_SEND,
	[RXT_OP_WRITE]		= IB_WC_RDMA_WRITE,
	[RXT_OP_WRITE_IMM]	= IB_WC_RDMA_WRITE,
	[RXT_OP_READ]		= IB_WC_RDMA_READ,
	[RXT_OP_CMP_SWP]	= IB_WC_COMP_SWAP,
	[RXT_OP_FETCH_ADD]	= IB_WC_FETCH_ADD,
	[RXT_OP_ATOMIC_WRITE]	= RXT_WC_ATOMIC_WRITE,
	[RXT_OP_LOCAL_INV]	= IB_WC_LOCAL_INV,
	[RXT_OP_REG_MR]		= IB_WC_REG_MR,
	[RXT_OP_BIND_MW]	= IB_WC_BIND_MW,
};

static bool op_fits_type(enum ib_qp_type type, u8 op)
{
	switch (op) {
	case RXT_OP_SEND:
	case RXT_OP_SEND_IMM:
		return true;
	case RXT_OP_WRITE:
	case RXT_OP_WRITE_IMM:
	case RXT_OP_BIND_MW:
		return type == IB_QPT_RC || type == IB_QPT_UC;
	case RXT_OP_SEND_INV:
	case RXT_OP_READ:
	case RXT_OP_CMP_SWP:
	case RXT_OP_FETCH_ADD:
	case RXT_OP_ATOMIC_WRITE:
	case RXT_OP_LOCAL_INV:
	case RXT_OP_REG_MR:
		return type == IB_QPT_RC;
	default:
		return false;
	}
}

static enum ib_wc_status resolve(struct rxt_qp *qp, struct rxt_msg *msg, u64 *total)
{
	int access = rxt_op_is_rd(msg->op) ? IB_ACCESS_LOCAL_WRITE : 0;
	unsigned int i;

	*total = 0;
	if (msg->flags & RXT_MSG_INLINE) {
		*total = msg->length;
		return IB_WC_SUCCESS;
	}
	for (i = 0; i < msg->num_seg; i++) {
		struct rxt_seg *seg = &msg->seg[i];

		*total += seg->length;
		if (!seg->length)
			continue;
		seg->mr = rxt_mr_find_again(&qp->src_mr, qp->dev, qp->pd,
					    seg->lkey, seg->addr,
					    seg->length, access);
		if (!seg->mr) {
			rxt_count_qp(qp, local_prot_errors);
			return IB_WC_LOC_PROT_ERR;
		}
		if (rxt_mr_paged(seg->mr))
			msg->flags |= RXT_MSG_PAGED;
	}
	return IB_WC_SUCCESS;
}

/* The value of an ATOMIC_WRITE travels in the header of the message. */
static enum ib_wc_status take_value(struct rxt_msg *msg, u64 total)
{
	if (total != sizeof(msg->swap_add))
		return IB_WC_LOC_LEN_ERR;
	if (rxt_msg_enter(msg))
		return IB_WC_LOC_PROT_ERR;
	rxt_msg_copy(msg, 0, sizeof(msg->swap_add), &msg->swap_add);
	rxt_msg_exit(msg);
	return IB_WC_SUCCESS;
}

static bool is_datagram(const struct rxt_qp *qp)
{
	return qp->type == IB_QPT_UD || qp->type == IB_QPT_GSI;
}

/* Check a fetched WQE and find its memory. */
static enum ib_wc_status build(struct rxt_qp *qp, struct rxt_msg *msg)
{
	enum ib_wc_status st;
	u64 total;

	if (!op_fits_type(qp->type, msg->op))
		return IB_WC_LOC_QP_OP_ERR;
	/* So a process cannot pose as one that has a controlled Q_Key. */
	if (is_datagram(qp) && (msg->remote_qkey & QKEY_OF_QP))
		msg->remote_qkey = READ_ONCE(qp->qkey);
	if ((msg->flags & RXT_MSG_INLINE) && rxt_op_is_rd(msg->op))
		return IB_WC_LOC_QP_OP_ERR;
	if (unlikely(rxt_op_is_local(msg->op)))
		return IB_WC_SUCCESS;
	st = resolve(qp, msg, &total);
	if (st)
		return st;
	if (total > RXT_MAX_MSG)
		return IB_WC_LOC_LEN_ERR;

	msg->length = total;
	switch (msg->op) {
	case RXT_OP_READ:
		msg->rd_length = total;
		msg->length = 0;
		break;
	case RXT_OP_CMP_SWP:
	case RXT_OP_FETCH_ADD:
		if (total < sizeof(u64))
			return IB_WC_LOC_LEN_ERR;
		msg->rd_length = sizeof(u64);
		msg->length = 0;
		break;
	case RXT_OP_ATOMIC_WRITE:
		st = take_value(msg, total);
		msg->length = 0;
		break;
	}
	return st;
}

/* TX token held. NULL: nothing there (or no memory: *nomem). */
static struct rxt_msg *fetch(struct rxt_qp *qp, bool *nomem)
{
	struct rxt_msg *msg = msg_get(qp);
	enum ib_wc_status st;
	int ret;

	*nomem = !msg;
	if (!msg)
		return NULL;
	ret = rxt_provider->sq_fetch(qp, msg);
	if (!ret) {
		qp->spare = msg;
		return NULL;
	}
	st = ret < 0 ? IB_WC_LOC_QP_OP_ERR : build(qp, msg);
	qp->fetched += (u64)msg->length + msg->rd_length;
	if (st) {
		if (ret > 0 && !(msg->flags & RXT_MSG_INLINE))
			rxt_msg_put_mrs(msg);
		msg->num_seg = 0;
		msg->status = st;
		msg->state = RXT_MS_FAILED;
	}
	trace_rxt_wr_begin(qp, msg, st);
	return msg;
}

/* ---- complete ---- */

static void complete_locked(struct rxt_qp *qp, struct rxt_msg *msg,
			    enum ib_wc_status st)
{
	struct rxt_wc wc;

	lockdep_assert_held(&qp->req_lock);
	if (qp->req_next == msg)
		qp->req_next = list_is_last(&msg->node, &qp->inflight) ?
			       NULL : list_next_entry(msg, node);
	list_del(&msg->node);
	qp->inflight_len--;
	if (msg->rd_counted)
		qp->rd_out--;

	trace_rxt_wr_end(qp, msg, st);
	/* The slot first: who sees the CQE may post again. */
	rxt_provider->sq_release(qp, 1);
	if (st != IB_WC_SUCCESS || qp->sig_all ||
	    (msg->flags & RXT_MSG_SIGNALED)) {
		memset(&wc, 0, sizeof(wc));
		wc.wr_id = msg->wr_id;
		wc.status = st;
		wc.opcode = wc_opcode[msg->op < RXT_OP_MAX ? msg->op : 0];
		wc.byte_len = rxt_op_is_rd(msg->op) ? msg->rd_length : msg->length;
		wc.qp = qp;
		rxt_cq_push(qp->scq, &wc);
	}
	if (st == IB_WC_WR_FLUSH_ERR)
		rxt_count_qp(qp, flushed);
	if (!(msg->flags & RXT_MSG_INLINE))
		rxt_msg_put_mrs(msg);
	msg_put(qp, msg);
}

/* Complete what is due at the head of the list. */
static void advance(struct rxt_qp *qp)
{
	struct rxt_msg *msg;

	lockdep_assert_held(&qp->req_lock);
	while (!list_empty(&qp->inflight)) {
		msg = list_first_entry(&qp->inflight, struct rxt_msg, node);
		if (msg == qp->tx_cur)
			break;
		if (msg->state == RXT_MS_FAILED) {
			/* A QP in ERR has its flush coming, in order. */
			if (!rxt_qp_may(qp, RXT_MAY_SEND))
				break;
			complete_locked(qp, msg, msg->status);
			if (qp->type == IB_QPT_RC)
				rxt_qp_fail(qp);
			else
				rxt_qp_fail_sq(qp);
			break;
		}
		if (!acked(qp, msg))
			break;
		if (needs_answer(msg) && msg->state != RXT_MS_ANSWERED)
			break;
		complete_locked(qp, msg, IB_WC_SUCCESS);
	}
	if (qp->stalled) {
		qp->stalled = false;
		set_bit(RXT_QP_TX_WANT, &qp->flags);
	}
}

/* ---- hand over ---- */

static void uncount_rd(struct rxt_qp *qp, struct rxt_msg *msg)
{
	if (!msg->rd_counted)
		return;
	msg->rd_counted = false;
	qp->rd_out--;
}

static void apply_rewind(struct rxt_qp *qp)
{
	struct rxt_msg *msg;
	bool found = false;

	lockdep_assert_held(&qp->req_lock);
	qp->rewind = false;
	trace_rxt_retransmit(qp, qp->rewind_id, qp->rewind_off);
	list_for_each_entry(msg, &qp->inflight, node) {
		if (rxt_id_before(msg->id, qp->rewind_id))
			continue;
		if (!found)
			qp->req_next = msg;
		found = true;
		if (msg->state == RXT_MS_SENT) {
			msg->state = RXT_MS_QUEUED;
			rxt_count_qp(qp, retransmits);
		}
		msg->tx_off = msg->id == qp->rewind_id ? qp->rewind_off : 0;
		uncount_rd(qp, msg);
	}
}

/* IBTA 10.8.3.3: a fence waits for READs and atomics before it, that of LOCAL_INV
 * for all before it (10.6.5.1); and no more of the former may be out than the
 * responder can hold.
 */
static bool may_start(const struct rxt_qp *qp, const struct rxt_msg *msg)
{
	if (msg->state == RXT_MS_FAILED)
		return false;
	if ((msg->flags & RXT_MSG_FENCE) && !msg->tx_off) {
		if (qp->rd_out)
			return false;
		if (msg->op == RXT_OP_LOCAL_INV &&
		    !list_is_first(&msg->node, &qp->inflight))
			return false;
	}
	if (rxt_op_is_rd(msg->op) && !msg->rd_counted &&
	    qp->rd_out >= max_t(u8, qp->max_rd_atomic, 1))
		return false;
	return true;
}

/* Nothing to send any more, as the ACK came while it was being sent again. */
static bool no_need(const struct rxt_qp *qp, const struct rxt_msg *msg)
{
	if (msg->state == RXT_MS_ANSWERED)
		return true;
	return msg->state != RXT_MS_FAILED && acked(qp, msg) &&
	       !needs_answer(msg);
}

static struct rxt_msg *next_queued(struct rxt_qp *qp)
{
	struct rxt_msg *msg = qp->req_next;

	lockdep_assert_held(&qp->req_lock);
	while (msg && no_need(qp, msg))
		msg = list_is_last(&msg->node, &qp->inflight) ?
		      NULL : list_next_entry(msg, node);
	qp->req_next = msg;
	return msg;
}

/* Is it time for a new WQE, as far as can be seen without the lock? */
static bool may_fetch_more(const struct rxt_qp *qp)
{
	return !READ_ONCE(qp->req_next) && !READ_ONCE(qp->rewind) &&
	       !READ_ONCE(qp->rnr_hold) &&
	       READ_ONCE(qp->inflight_len) < RXT_TX_WINDOW;
}

static void append(struct rxt_qp *qp, struct rxt_msg *msg)
{
	lockdep_assert_held(&qp->req_lock);
	/* What does not travel has the number of what does, before it. */
	if (unlikely(rxt_op_is_local(msg->op)))
		msg->id = qp->next_id - 1;
	else
		msg->id = qp->next_id++;
	list_add_tail(&msg->node, &qp->inflight);
	qp->inflight_len++;
	if (!qp->req_next)
		qp->req_next = msg;
	if (msg->state == RXT_MS_FAILED)
		advance(qp);
}

/* The next message that may go, pinned; NULL: none, or (@again) new WQEs may. */
static struct rxt_msg *pick_locked(struct rxt_qp *qp, bool *again)
{
	struct rxt_msg *msg;

	lockdep_assert_held(&qp->req_lock);
	*again = false;
	if (qp->rewind)
		apply_rewind(qp);
	if (qp->rnr_hold)
		return NULL;
	msg = next_queued(qp);
	if (!msg) {
		*again = qp->inflight_len < RXT_TX_WINDOW;
		qp->stalled |= !*again;
		return NULL;
	}
	if (!may_start(qp, msg)) {
		qp->stalled = true;
		return NULL;
	}
	if (rxt_op_is_rd(msg->op) && !msg->rd_counted) {
		msg->rd_counted = true;
		qp->rd_out++;
	}
	qp->tx_cur = msg;
	return msg;
}

/**
 * rxt_req_pick - the request to hand over next
 * @qp: TX token held
 * @may_fetch: new WQEs may be started
 *
 * The message is pinned until rxt_req_xmit_done().
 *
 * Return: a message, or NULL: nothing to do now; who changes that wakes the
 * engine.
 */
struct rxt_msg *rxt_req_pick(struct rxt_qp *qp, bool may_fetch)
{
	struct rxt_msg *msg, *new;
	bool nomem, again;

	do {
		new = NULL;
		if (may_fetch && may_fetch_more(qp)) {
			new = fetch(qp, &nomem);
			if (!new) {
				if (nomem) {
					rxt_count_qp(qp, tx_nomem);
					mod_timer(&qp->tx_timer, jiffies + 1);
				}
				return NULL;
			}
		}
		spin_lock_bh(&qp->req_lock);
		if (new)
			append(qp, new);
		msg = pick_locked(qp, &again);
		spin_unlock_bh(&qp->req_lock);
		if (!rxt_qp_may(qp, RXT_MAY_SEND))
			break;
	} while (again && may_fetch);
	return msg;
}

/**
 * rxt_req_xmit_done - ->xmit() of a request returned
 * @qp: TX token held
 * @msg: from rxt_req_pick(), or blocked before
 * @res: RXT_TX_BLOCKED, _DONE, _MORE or _WAIT
 */
void rxt_req_xmit_done(struct rxt_qp *qp, struct rxt_msg *msg, int res)
{
	bool drained;

	spin_lock_bh(&qp->req_lock);
	if (res == RXT_TX_BLOCKED)
		goto out;
	qp->tx_cur = NULL;
	if (res == RXT_TX_DONE) {
		if (msg->state == RXT_MS_QUEUED)
			msg->state = RXT_MS_SENT;
		if (rxt_id_before(qp->sent_id, msg->id)) {
			qp->sent_id = msg->id;
			rxt_count_qp(qp, tx_msgs);
			rxt_count_qp_add(qp, tx_bytes, msg->length);
		}
		/* Unreliable: handed over is all there is. */
		if (qp->type != IB_QPT_RC)
			qp->acked_id = msg->id;
		if (qp->req_next == msg)
			qp->req_next = list_is_last(&msg->node, &qp->inflight) ?
				       NULL : list_next_entry(msg, node);
	}
	advance(qp);
	refill_spare(qp);
out:
	drained = list_empty(&qp->inflight);
	spin_unlock_bh(&qp->req_lock);
	if (drained && READ_ONCE(qp->state) == IB_QPS_SQD)
		rxt_sqd_check(qp);
}

/* ---- what is carried out here ---- */

static int execute(struct rxt_qp *qp, const struct rxt_msg *msg)
{
	switch (msg->op) {
	case RXT_OP_LOCAL_INV:
		return rxt_dkey_invalidate(qp, msg->inv_rkey);
	case RXT_OP_REG_MR:
		return rxt_fast_register(qp, msg);
	default: /* RXT_OP_BIND_MW */
		return rxt_mw_bind(qp, msg);
	}
}

/**
 * rxt_req_local - carry out a request that does not travel
 * @qp: TX token held
 * @msg: from rxt_req_pick(); rxt_op_is_local()
 *
 * It is done when this returns and completes in its turn; what is behind it finds
 * its effect.
 *
 * Return: 0; -ENOBUFS: again, later.
 */
int rxt_req_local(struct rxt_qp *qp, struct rxt_msg *msg)
{
	int err = execute(qp, msg);

	if (err == -ENOBUFS)
		return err;
	if (err) {
		rxt_count_qp(qp, local_prot_errors);
		rxt_req_fail(qp, msg, IB_WC_MW_BIND_ERR);
		return 0;
	}
	spin_lock_bh(&qp->req_lock);
	msg->state = RXT_MS_ANSWERED;
	spin_unlock_bh(&qp->req_lock);
	rxt_req_xmit_done(qp, msg, RXT_TX_MORE);
	return 0;
}

/* ---- what the backend learns from the peer ---- */

static bool ack_locked(struct rxt_qp *qp, u32 id)
{
	u32 limit = qp->sent_id;
	const struct rxt_msg *cur = qp->tx_cur;

	lockdep_assert_held(&qp->req_lock);
	/* ->xmit() may not have returned yet for a message that is through. */
	if (cur && cur->op < RXT_OP_READ_RESP && rxt_id_before(limit, cur->id))
		limit = cur->id;
	if (rxt_id_before(id, qp->acked_id) || rxt_id_before(limit, id))
		return false;
	if (id != qp->acked_id) {
		trace_rxt_acked(qp, id, qp->acked_id);
		qp->rnr_left = qp->rnr_retry;
	}
	qp->acked_id = id;
	return true;
}

/* qp->req_lock is held: after what changed, complete, release, look at SQD. */
static void settle(struct rxt_qp *qp)
	__releases(&qp->req_lock)
{
	bool drained;

	advance(qp);
	drained = list_empty(&qp->inflight);
	spin_unlock_bh(&qp->req_lock);
	if (drained && READ_ONCE(qp->state) == IB_QPS_SQD)
		rxt_sqd_check(qp);
}

bool rxt_tx_acked(struct rxt_conn *conn, u32 id)
{
	struct rxt_qp *qp = conn->qp;
	bool good;

	spin_lock_bh(&qp->req_lock);
	good = ack_locked(qp, id);
	settle(qp);
	return good;
}
EXPORT_SYMBOL_GPL(rxt_tx_acked);

void rxt_tx_rewind(struct rxt_conn *conn, u32 id, u32 off)
{
	struct rxt_qp *qp = conn->qp;

	spin_lock_bh(&qp->req_lock);
	qp->rewind = true;
	qp->rewind_id = id;
	qp->rewind_off = off;
	set_bit(RXT_QP_TX_WANT, &qp->flags);
	spin_unlock_bh(&qp->req_lock);
}
EXPORT_SYMBOL_GPL(rxt_tx_rewind);

static struct rxt_msg *find_locked(struct rxt_qp *qp, u32 id)
{
	struct rxt_msg *msg;

	lockdep_assert_held(&qp->req_lock);
	list_for_each_entry(msg, &qp->inflight, node) {
		if (msg->id == id && !rxt_op_is_local(msg->op))
			return msg;
		if (rxt_id_before(id, msg->id))
			break;
	}
	return NULL;
}

static void fail_locked(struct rxt_msg *msg, enum ib_wc_status st)
{
	if (msg->state == RXT_MS_FAILED)
		return;
	msg->state = RXT_MS_FAILED;
	msg->status = st;
}

void rxt_conn_rnr(struct rxt_conn *conn, u32 id, u32 off, u8 timer)
{
	struct rxt_qp *qp = conn->qp;
	struct rxt_msg *msg;

	rxt_count_qp(qp, rx_rnr_nak);
	trace_rxt_rnr(qp, id, rxt_rnr_timer_us(timer));
	spin_lock_bh(&qp->req_lock);
	msg = find_locked(qp, id);
	if (!msg || !ack_locked(qp, id - 1))
		goto out;
	if (!rxt_rnr_retry_take(qp->rnr_retry, &qp->rnr_left)) {
		rxt_count_qp(qp, rnr_retry_exceeded);
		rxt_rx_forget_answer(qp, id);
		fail_locked(msg, IB_WC_RNR_RETRY_EXC_ERR);
		goto out;
	}
	qp->rewind = true;
	qp->rewind_id = id;
	qp->rewind_off = off;
	qp->rnr_hold = true;
	hrtimer_start(&qp->rnr_timer,
		      ns_to_ktime(rxt_rnr_timer_us(timer) * 1000ULL),
		      HRTIMER_MODE_REL_SOFT);
out:
	settle(qp);
}
EXPORT_SYMBOL_GPL(rxt_conn_rnr);

void rxt_conn_nak(struct rxt_conn *conn, u32 id, enum rxt_verdict verdict)
{
	struct rxt_qp *qp = conn->qp;
	enum ib_wc_status st;
	struct rxt_msg *msg;

	rxt_count_qp(qp, rx_nak);
	trace_rxt_nak(qp, id, verdict);
	switch (verdict) {
	case RXT_BAD_REQUEST:
		st = IB_WC_REM_INV_REQ_ERR;
		break;
	case RXT_BAD_ACCESS:
		st = IB_WC_REM_ACCESS_ERR;
		break;
	default:
		st = IB_WC_REM_OP_ERR;
		break;
	}
	spin_lock_bh(&qp->req_lock);
	msg = find_locked(qp, id);
	if (msg) {
		/* A READ may be refused after it was acknowledged. */
		if (!acked(qp, msg))
			ack_locked(qp, id - 1);
		/* Nor may a part of its answer be waiting for the rest. */
		rxt_rx_forget_answer(qp, id);
		fail_locked(msg, st);
		/* A blocked rest of it is of no use to anyone. */
		if (qp->tx_cur == msg)
			rxt_qp_fail(qp);
	}
	settle(qp);
}
EXPORT_SYMBOL_GPL(rxt_conn_nak);

/* ---- what the rest of the core asks for ---- */

/**
 * rxt_req_fail - a request cannot be carried out
 * @qp: QP
 * @msg: in flight
 * @st: what it ends with, after all before it ended
 */
void rxt_req_fail(struct rxt_qp *qp, struct rxt_msg *msg, enum ib_wc_status st)
{
	spin_lock_bh(&qp->req_lock);
	if (qp->tx_cur == msg)
		qp->tx_cur = NULL;
	fail_locked(msg, st);
	settle(qp);
}

/**
 * rxt_req_fail_oldest - the connection is of no use any more
 * @qp: QP
 * @st: status of the oldest request
 *
 * Does nothing with none in flight, or in ERR. Otherwise the QP goes to ERR.
 */
void rxt_req_fail_oldest(struct rxt_qp *qp, enum ib_wc_status st)
{
	struct rxt_msg *msg;

	spin_lock_bh(&qp->req_lock);
	msg = list_first_entry_or_null(&qp->inflight, struct rxt_msg, node);
	/* In ERR the culprit is known already, and the rest is flushed. */
	if (msg && rxt_qp_may(qp, RXT_MAY_SEND)) {
		fail_locked(msg, st);
		rxt_qp_fail(qp);
	}
	spin_unlock_bh(&qp->req_lock);
}

/**
 * rxt_req_find_unanswered - the READ or atomic that a response belongs to
 * @qp: QP
 * @id: message number
 *
 * Return: it stays in flight until rxt_req_answered() or rxt_req_fail(); NULL
 * when nothing waits for that answer.
 */
struct rxt_msg *rxt_req_find_unanswered(struct rxt_qp *qp, u32 id)
{
	struct rxt_msg *msg;

	spin_lock_bh(&qp->req_lock);
	msg = find_locked(qp, id);
	if (msg && (!rxt_op_is_rd(msg->op) || !msg->rd_counted ||
		    msg->state == RXT_MS_ANSWERED ||
		    msg->state == RXT_MS_FAILED))
		msg = NULL;
	spin_unlock_bh(&qp->req_lock);
	return msg;
}

/**
 * rxt_req_answered - the whole response is in place
 * @qp: QP
 * @msg: from rxt_req_find_unanswered()
 */
void rxt_req_answered(struct rxt_qp *qp, struct rxt_msg *msg)
{
	spin_lock_bh(&qp->req_lock);
	msg->state = RXT_MS_ANSWERED;
	uncount_rd(qp, msg);
	/* It was executed, and so was all before it. */
	if (!acked(qp, msg))
		ack_locked(qp, msg->id);
	settle(qp);
}

/**
 * rxt_req_unhold - the RNR time is over
 * @qp: QP
 */
void rxt_req_unhold(struct rxt_qp *qp)
{
	spin_lock_bh(&qp->req_lock);
	qp->rnr_hold = false;
	spin_unlock_bh(&qp->req_lock);
}

/* True when all that a request needs has happened. */
static bool is_complete(const struct rxt_qp *qp, const struct rxt_msg *msg)
{
	if (msg->state == RXT_MS_FAILED || !acked(qp, msg))
		return false;
	return !needs_answer(msg) || msg->state == RXT_MS_ANSWERED;
}

/**
 * rxt_req_flush - end all requests in flight, in order
 * @qp: TX token held, no up-call can come (or the QP is unreliable)
 */
void rxt_req_flush(struct rxt_qp *qp)
{
	struct rxt_msg *msg, *tmp;

	spin_lock_bh(&qp->req_lock);
	qp->tx_cur = NULL;
	list_for_each_entry_safe(msg, tmp, &qp->inflight, node) {
		enum ib_wc_status st = IB_WC_WR_FLUSH_ERR;

		if (msg->state == RXT_MS_FAILED)
			st = msg->status;
		else if (is_complete(qp, msg))
			st = IB_WC_SUCCESS;
		complete_locked(qp, msg, st);
	}
	spin_unlock_bh(&qp->req_lock);
}

/**
 * rxt_req_flush_ring - end WQEs that were never started
 * @qp: TX token held, nothing in flight
 */
void rxt_req_flush_ring(struct rxt_qp *qp)
{
	struct rxt_msg *msg;
	bool nomem;

	while ((msg = fetch(qp, &nomem))) {
		spin_lock_bh(&qp->req_lock);
		list_add_tail(&msg->node, &qp->inflight);
		qp->inflight_len++;
		complete_locked(qp, msg, IB_WC_WR_FLUSH_ERR);
		spin_unlock_bh(&qp->req_lock);
	}
	if (nomem)
		mod_timer(&qp->tx_timer, jiffies + 1);
}

/**
 * rxt_req_drop - forget all requests, without completions
 * @qp: TX token held, no up-call can come
 */
void rxt_req_drop(struct rxt_qp *qp)
{
	struct rxt_msg *msg, *tmp;

	spin_lock_bh(&qp->req_lock);
	qp->tx_cur = NULL;
	qp->req_next = NULL;
	list_for_each_entry_safe(msg, tmp, &qp->inflight, node) {
		list_del(&msg->node);
		if (!(msg->flags & RXT_MSG_INLINE))
			rxt_msg_put_mrs(msg);
		msg_put(qp, msg);
	}
	qp->inflight_len = 0;
	qp->rd_out = 0;
	spin_unlock_bh(&qp->req_lock);
}

/**
 * rxt_req_restart - message numbers begin again
 * @qp: nothing in flight, not connected
 */
void rxt_req_restart(struct rxt_qp *qp)
{
	spin_lock_bh(&qp->req_lock);
	qp->next_id = 1;
	qp->sent_id = 0;
	qp->acked_id = 0;
	qp->rd_out = 0;
	qp->rnr_hold = false;
	qp->rewind = false;
	qp->stalled = false;
	spin_unlock_bh(&qp->req_lock);
}

/**
 * rxt_req_free - give back all private copies
 * @qp: unused
 */
void rxt_req_free(struct rxt_qp *qp)
{
	struct rxt_msg *msg, *tmp;

	list_for_each_entry_safe(msg, tmp, &qp->pool, node)
		kfree(msg);
	kfree(qp->spare);
}
