// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: queue pairs: birth, lookup, state changes, death.
 *
 * Teardown in named phases (rxt_qp_destroy()):
 *	forbid    - DEAD is set: nothing queues work, errors are not taken up
 *	unpublish - the number is gone from the table
 *	stop      - TX token taken for good, ->conn_stop(): no up-call (S4)
 *	drop      - messages, answers and contexts give back their references
 *	quiesce   - works and timers are cancelled: each only tries the token
 *	release   - wait for references of lookups, free
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include "internal.h"
#include "trace.h"

#define QPN_FIRST	2	/* 0 and 1 are special (IBTA 9.2.7) */
#define QPN_MULTICAST	0xffffff

static DEFINE_XARRAY_ALLOC(qp_table);	/* index -> struct rxt_qp */
static u32 qp_next;			/* qp_table's lock */

/* ---- numbers and lookup ---- */

static int assign_number(struct rxt_qp *qp, u32 wanted)
{
	int err;

	/* A fixed number is of one device; its backend finds it there. */
	if (wanted) {
		qp->head.qpn = wanted;
		qp->index = 0;
		return 0;
	}
	do {
		err = xa_alloc_cyclic(&qp_table, &qp->index, NULL,
				      XA_LIMIT(1, 0xffffff), &qp_next,
				      GFP_KERNEL);
		if (err < 0)
			return err;
		qp->head.qpn = rxt_id_scramble(qp->index);
		/* A reserved number: keep its index out of use. */
	} while (qp->head.qpn < QPN_FIRST || qp->head.qpn == QPN_MULTICAST);
	return 0;
}

static void publish(struct rxt_qp *qp)
{
	if (qp->index)
		xa_store(&qp_table, qp->index, qp, GFP_KERNEL);
}

static void unpublish(struct rxt_qp *qp)
{
	if (qp->index)
		xa_erase(&qp_table, qp->index);
}

struct rxt_conn *rxt_conn_get(u32 qpn)
{
	struct rxt_qp *qp;

	rcu_read_lock();
	qp = xa_load(&qp_table, rxt_id_unscramble(qpn & 0xffffff));
	if (qp && !kref_get_unless_zero(&qp->ref))
		qp = NULL;
	rcu_read_unlock();
	return qp ? qp->conn : NULL;
}
EXPORT_SYMBOL_GPL(rxt_conn_get);

static void qp_unused(struct kref *ref)
{
	complete(&container_of(ref, struct rxt_qp, ref)->unused);
}

void rxt_conn_put(struct rxt_conn *conn)
{
	kref_put(&conn->qp->ref, qp_unused);
}
EXPORT_SYMBOL_GPL(rxt_conn_put);

/* ---- create ---- */

static void qp_init(struct rxt_qp *qp, struct rxt_dev *dev,
		    const struct rxt_qp_init *init)
{
	qp->dev = dev;
	qp->head.priv = init->priv;
	qp->pd = init->pd;
	qp->scq = init->scq;
	qp->rcq = init->rcq;
	qp->rq = init->rq;
	qp->type = init->type;
	qp->user = init->user;
	qp->sig_all = init->sq_sig_all;
	qp->msg_tail = max_t(size_t, init->max_inline,
			     init->max_send_sge * sizeof(struct rxt_seg));
	qp->state = IB_QPS_RESET;
	qp->attr.state = IB_QPS_RESET;

	kref_init(&qp->ref);
	init_completion(&qp->unused);
	mutex_init(&qp->mutex);
	spin_lock_init(&qp->state_lock);
	spin_lock_init(&qp->req_lock);
	spin_lock_init(&qp->resp_lock);
	INIT_LIST_HEAD(&qp->inflight);
	INIT_LIST_HEAD(&qp->pool);
	INIT_LIST_HEAD(&qp->resp);
	INIT_LIST_HEAD(&qp->resp_pool);
	INIT_WORK(&qp->err_work, rxt_err_work);
	INIT_DELAYED_WORK(&qp->rq_poll, rxt_rq_poll_work);
	set_bit(RXT_QP_STOPPED, &qp->flags);
	rxt_engine_setup(qp);
	rxt_odp_setup(qp);
	rxt_req_restart(qp);
}

static int alloc_recv(struct rxt_qp *qp)
{
	if (!qp->rq)
		return 0;
	qp->recv = kzalloc(struct_size(qp->recv, seg, qp->rq->max_sge),
			   GFP_KERNEL);
	if (!qp->recv)
		return -ENOMEM;
	qp->recv->max_seg = qp->rq->max_sge;
	return 0;
}

/**
 * rxt_qp_create - a new QP in RESET
 * @dev: device
 * @init: what it is made of; the objects it names outlive the QP
 *
 * Context: process, sleeps. Return: the QP, rxt_qp_destroy() ends it; ERR_PTR:
 * -EOPNOTSUPP for a type that the backend does not carry, -ENOMEM, -EBUSY when
 * all numbers are in use.
 */
struct rxt_qp *rxt_qp_create(struct rxt_dev *dev, const struct rxt_qp_init *init)
{
	const struct rxt_backend *be = dev->be;
	struct rxt_conn *conn;
	struct rxt_qp *qp;
	int err;

	qp = kzalloc(sizeof(*qp), GFP_KERNEL);
	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp_init(qp, dev, init);

	err = alloc_recv(qp);
	if (err)
		goto free_qp;
	err = assign_number(qp, init->qpn);
	if (err)
		goto free_recv;
	conn = be->conn_alloc(dev, init->type);
	if (IS_ERR(conn)) {
		err = PTR_ERR(conn);
		goto free_number;
	}
	conn->qp = qp;
	conn->dev = dev;
	conn->qpn = qp->head.qpn;
	conn->type = init->type;
	conn->stats = dev->stats;
	qp->conn = conn;
	trace_rxt_qp_new(qp);
	publish(qp);
	return qp;

free_number:
	unpublish(qp);
free_recv:
	kfree(qp->recv);
free_qp:
	kfree(qp);
	return ERR_PTR(err);
}

enum ib_qp_state rxt_qp_state(const struct rxt_qp *qp)
{
	return READ_ONCE(qp->state);
}

bool rxt_qp_may_post_send(const struct rxt_qp *qp)
{
	return rxt_qp_may(qp, RXT_MAY_POST_SEND);
}

bool rxt_qp_may_post_recv(const struct rxt_qp *qp)
{
	return rxt_qp_may(qp, RXT_MAY_POST_RECV);
}

u8 rxt_conn_min_rnr_timer(const struct rxt_conn *conn)
{
	/* It is a page that is waited for, not a receive WQE. */
	if (unlikely(test_bit(RXT_QP_FAULT_RX, &conn->qp->flags)))
		return RXT_FAULT_RNR;
	return READ_ONCE(conn->qp->min_rnr_timer);
}
EXPORT_SYMBOL_GPL(rxt_conn_min_rnr_timer);

bool rxt_conn_can_receive(const struct rxt_conn *conn)
{
	return rxt_qp_may(conn->qp, RXT_MAY_RECEIVE);
}
EXPORT_SYMBOL_GPL(rxt_conn_can_receive);

/* ---- modify ---- */

static int check_values(const struct rxt_qp *qp, const struct rxt_qp_attr *a,
			int mask)
{
	if ((mask & IB_QP_PATH_MTU) &&
	    (a->path_mtu < IB_MTU_256 || a->path_mtu > IB_MTU_4096))
		return -EINVAL;
	if ((mask & IB_QP_DEST_QPN) && (a->dest_qpn & ~0xffffffU))
		return -EINVAL;
	if ((mask & IB_QP_TIMEOUT) && a->timeout > 31)
		return -EINVAL;
	if ((mask & IB_QP_RETRY_CNT) && a->retry_cnt > 7)
		return -EINVAL;
	if ((mask & IB_QP_RNR_RETRY) && a->rnr_retry > 7)
		return -EINVAL;
	if ((mask & IB_QP_MIN_RNR_TIMER) && a->min_rnr_timer > 31)
		return -EINVAL;
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC) &&
	    a->max_rd_atomic > RXT_MAX_RD_ATOMIC)
		return -EINVAL;
	if ((mask & IB_QP_MAX_DEST_RD_ATOMIC) &&
	    a->max_dest_rd_atomic > RXT_MAX_RD_ATOMIC)
		return -EINVAL;
	if ((mask & IB_QP_PORT) && a->port_num != 1)
		return -EINVAL;
	if ((mask & IB_QP_PKEY_INDEX) && a->pkey_index)
		return -EINVAL;
	return 0;
}

static void merge(struct rxt_qp_attr *to, const struct rxt_qp_attr *a, int mask)
{
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = a->path_mtu;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qpn = a->dest_qpn;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = a->rq_psn & 0xffffff;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = a->sq_psn & 0xffffff;
	if (mask & IB_QP_QKEY)
		to->qkey = a->qkey;
	if (mask & IB_QP_ACCESS_FLAGS)
		to->access = a->access;
	if (mask & IB_QP_AV) {
		to->path = a->path;
		to->sgid_index = a->sgid_index;
	}
	if (mask & IB_QP_PKEY_INDEX)
		to->pkey_index = a->pkey_index;
	if (mask & IB_QP_PORT)
		to->port_num = a->port_num;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = a->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = a->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = a->min_rnr_timer;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = a->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = a->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = a->rnr_retry;
}

/* What the fast path reads. */
static void publish_attr(struct rxt_qp *qp)
{
	const struct rxt_qp_attr *a = &qp->attr;

	WRITE_ONCE(qp->access, a->access);
	WRITE_ONCE(qp->qkey, a->qkey);
	WRITE_ONCE(qp->min_rnr_timer, a->min_rnr_timer);
	spin_lock_bh(&qp->req_lock);
	if (qp->rnr_retry != a->rnr_retry || qp->acked_id == 0)
		qp->rnr_left = a->rnr_retry;
	qp->rnr_retry = a->rnr_retry;
	qp->max_rd_atomic = a->max_rd_atomic;
	qp->max_dest_rd_atomic = a->max_dest_rd_atomic;
	spin_unlock_bh(&qp->req_lock);
}

/* False: an error got there first. */
static bool set_state(struct rxt_qp *qp, enum ib_qp_state from,
		      enum ib_qp_state to, bool sqd_event)
{
	unsigned long flags;
	bool ok;

	spin_lock_irqsave(&qp->state_lock, flags);
	ok = qp->state == from;
	if (ok) {
		WRITE_ONCE(qp->state, to);
		qp->sqd_event = to == IB_QPS_SQD && sqd_event;
	}
	spin_unlock_irqrestore(&qp->state_lock, flags);
	if (ok && from != to)
		trace_rxt_qp_state(qp, from, to);
	return ok;
}

/* Messages, answers, contexts, regions. TX token held, no up-call can come. */
static void drop_all(struct rxt_qp *qp)
{
	rxt_resp_drop_all(qp);
	rxt_req_drop(qp);
	rxt_rx_drop_all(qp, false);
	rxt_mr_forget(&qp->src_mr);
	rxt_mr_forget(&qp->dst_mr);
	rxt_mr_forget(&qp->recv_mr);
}

static void to_reset(struct rxt_qp *qp)
{
	unsigned long flags;

	rxt_tx_token_wait(qp);
	spin_lock_irqsave(&qp->state_lock, flags);
	trace_rxt_qp_state(qp, qp->state, IB_QPS_RESET);
	WRITE_ONCE(qp->state, IB_QPS_RESET);
	spin_unlock_irqrestore(&qp->state_lock, flags);
	rxt_qp_stop(qp);
	drop_all(qp);
	rxt_req_restart(qp);
	qp->flushed = false;
	qp->comm_est = false;
	qp->burst = 0;
	rxt_tx_token_drop(qp);
}

static void to_err(struct rxt_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->state_lock, flags);
	trace_rxt_qp_state(qp, qp->state, IB_QPS_ERR);
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	spin_unlock_irqrestore(&qp->state_lock, flags);
	if (!qp->flushed)
		rxt_qp_flush(qp);
}

/* A change that the backend takes part in. The state is set first: the peer's
 * first bytes may be here before conn_modify() returned.
 */
static int with_backend(struct rxt_qp *qp, const struct rxt_qp_attr *attr,
			int mask, enum ib_qp_state cur, enum ib_qp_state next)
{
	struct rxt_qp_attr old = qp->attr;
	int err = 0;

	merge(&qp->attr, attr, mask);
	qp->attr.state = next;
	if (next == IB_QPS_RTR && cur == IB_QPS_INIT) {
		err = rxt_resp_prepare(qp, qp->attr.max_dest_rd_atomic);
		if (err)
			goto undo;
		clear_bit(RXT_QP_STOPPED, &qp->flags);
	}
	publish_attr(qp);
	if (!set_state(qp, cur, next, attr->sqd_notify)) {
		err = -EINVAL;
		goto undo;
	}
	if (next != IB_QPS_INIT)
		err = qp->dev->be->conn_modify(qp->conn, &qp->attr, mask);
	if (!err)
		return 0;
	set_state(qp, next, cur, false);
	if (next == IB_QPS_RTR && cur == IB_QPS_INIT)
		set_bit(RXT_QP_STOPPED, &qp->flags);
undo:
	qp->attr = old;
	publish_attr(qp);
	return err;
}

static void after_change(struct rxt_qp *qp, enum ib_qp_state next)
{
	bool drained;

	if (next == IB_QPS_RTS) {
		set_bit(RXT_QP_TX_PENDING, &qp->flags);
		rxt_engine_queue(qp);
	}
	if (next == IB_QPS_SQD) {
		spin_lock_bh(&qp->req_lock);
		drained = list_empty(&qp->inflight);
		spin_unlock_bh(&qp->req_lock);
		if (drained)
			rxt_sqd_check(qp);
	}
}

/**
 * rxt_qp_modify - change state and attributes (IBTA 11.2.5.2)
 * @qp: QP
 * @attr: new values
 * @mask: IB_QP_*: which of them
 *
 * Never waits for the peer.
 *
 * Context: process, sleeps. Return: 0; -EINVAL: not allowed in this state, an
 * attribute is missing or out of range; the backend's -errno.
 */
int rxt_qp_modify(struct rxt_qp *qp, const struct rxt_qp_attr *attr, int mask)
{
	enum ib_qp_state cur, next;
	int err;

	mutex_lock(&qp->mutex);
	cur = READ_ONCE(qp->state);
	next = mask & IB_QP_STATE ? attr->state : cur;
	err = -EINVAL;
	if ((mask & IB_QP_CUR_STATE) && attr->cur_state != cur)
		goto out;
	err = rxt_qp_check(qp->type, cur, next, mask);
	if (!err)
		err = check_values(qp, attr, mask);
	if (err)
		goto out;

	if (next == IB_QPS_RESET) {
		to_reset(qp);
	} else if (next == IB_QPS_ERR) {
		to_err(qp);
	} else {
		err = with_backend(qp, attr, mask, cur, next);
		if (!err && cur != next)
			after_change(qp, next);
	}
out:
	mutex_unlock(&qp->mutex);
	return err;
}

/**
 * rxt_qp_query - all attributes
 * @qp: QP
 * @attr: result
 *
 * Context: process, sleeps.
 */
void rxt_qp_query(struct rxt_qp *qp, struct rxt_qp_attr *attr)
{
	mutex_lock(&qp->mutex);
	*attr = qp->attr;
	attr->state = READ_ONCE(qp->state);
	attr->cur_state = attr->state;
	spin_lock_bh(&qp->req_lock);
	attr->sq_draining = attr->state == IB_QPS_SQD &&
			    !list_empty(&qp->inflight);
	spin_unlock_bh(&qp->req_lock);
	mutex_unlock(&qp->mutex);
}

/**
 * rxt_qp_conn_query - what the backend knows of the connection
 * @qp: QP
 * @info: result, zeroed when the backend has nothing to say
 *
 * Context: process, sleeps.
 */
void rxt_qp_conn_query(struct rxt_qp *qp, struct rxt_conn_info *info)
{
	memset(info, 0, sizeof(*info));
	mutex_lock(&qp->mutex);
	if (qp->dev->be->conn_query)
		qp->dev->be->conn_query(qp->conn, info);
	mutex_unlock(&qp->mutex);
}

static enum rxt_qp_wait waits_for(const struct rxt_qp *qp)
{
	lockdep_assert_held(&qp->req_lock);
	if (qp->rnr_hold)
		return RXT_WAIT_RNR;
	if (test_bit(RXT_QP_REQ_WAIT, &qp->flags))
		return RXT_WAIT_PEER;
	if (test_bit(RXT_QP_TX_BLOCKED, &qp->flags))
		return RXT_WAIT_ROOM;
	return qp->stalled ? RXT_WAIT_ORDER : RXT_WAIT_NOTHING;
}

/**
 * rxt_qp_progress - how far a QP is
 * @qp: QP
 * @p: result
 *
 * Context: process.
 */
void rxt_qp_progress(struct rxt_qp *qp, struct rxt_qp_progress *p)
{
	spin_lock_bh(&qp->req_lock);
	p->inflight = qp->inflight_len;
	p->sent_id = qp->sent_id;
	p->acked_id = qp->acked_id;
	p->rd_out = qp->rd_out;
	p->rnr_left = qp->rnr_left;
	p->wait = waits_for(qp);
	spin_unlock_bh(&qp->req_lock);

	spin_lock_bh(&qp->resp_lock);
	p->responses = qp->resp_out[0] + qp->resp_out[1];
	spin_unlock_bh(&qp->resp_lock);
}

/**
 * rxt_qp_mcast_join - a UD QP is to get what is sent to a group
 * @qp: QP
 * @gid: group
 *
 * Context: process, sleeps. Return: 0, -EOPNOTSUPP, or the backend's -errno.
 */
int rxt_qp_mcast_join(struct rxt_qp *qp, const union ib_gid *gid)
{
	if (!(qp->dev->be->caps & RXT_CAP_MCAST) || qp->type != IB_QPT_UD)
		return -EOPNOTSUPP;
	return qp->dev->be->mcast_join(qp->conn, gid);
}

/**
 * rxt_qp_mcast_leave - undo rxt_qp_mcast_join()
 * @qp: QP
 * @gid: group
 *
 * Context: process, sleeps. Return: 0; -EINVAL: it is not in there.
 */
int rxt_qp_mcast_leave(struct rxt_qp *qp, const union ib_gid *gid)
{
	if (!(qp->dev->be->caps & RXT_CAP_MCAST) || qp->type != IB_QPT_UD)
		return -EOPNOTSUPP;
	return qp->dev->be->mcast_leave(qp->conn, gid);
}

/* ---- destroy ---- */

/**
 * rxt_qp_destroy - end a QP
 * @qp: QP; not valid after return
 *
 * Context: process, sleeps until nothing uses it.
 */
void rxt_qp_destroy(struct rxt_qp *qp)
{
	trace_rxt_qp_gone(qp);
	/* forbid */
	set_bit(RXT_QP_DEAD, &qp->flags);
	unpublish(qp);

	/* stop; the token is never given back */
	mutex_lock(&qp->mutex);
	rxt_tx_token_wait(qp);
	rxt_qp_stop(qp);

	/* drop */
	drop_all(qp);
	mutex_unlock(&qp->mutex);

	/* quiesce: the timers may queue the work, so they go first */
	hrtimer_cancel(&qp->rnr_timer);
	del_timer_sync(&qp->tx_timer);
	cancel_work_sync(&qp->tx_work);
	cancel_work_sync(&qp->err_work);
	cancel_delayed_work_sync(&qp->rq_poll);

	/* release */
	kref_put(&qp->ref, qp_unused);
	wait_for_completion(&qp->unused);
	qp->dev->be->conn_free(qp->conn);
	rxt_req_free(qp);
	kvfree(qp->resp_mem);
	kfree(qp->recv);
	mutex_destroy(&qp->mutex);
	kfree_rcu(qp, rcu);
}
