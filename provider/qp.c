// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: queue pairs: from verbs attributes to the core's and back.
 *
 * What may not live here: the state machine (core/qp_state.c), posting (post.c).
 */
#include "provider.h"

#define GSI_QPN		1

/* An ATOMIC_WRITE carries its 8 bytes in the WQE, asked for or not. */
#define INLINE_MIN	16

void rxt_prov_qp_event(struct rxt_qp *core_qp, enum ib_event_type type)
{
	struct rxt_ibqp *qp = rxt_qp_priv(core_qp);
	struct ib_event ev = {
		.device		= qp->ibqp.device,
		.element.qp	= &qp->ibqp,
		.event		= type,
	};

	if (qp->ibqp.event_handler)
		qp->ibqp.event_handler(&ev, qp->ibqp.qp_context);
}

/* ---- create ---- */

static int check_type(const struct rxt_link *link, enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return rxt_link_has(link, RXT_CAP_RC) ? 0 : -EOPNOTSUPP;
	case IB_QPT_UC:
		return rxt_link_has(link, RXT_CAP_UC) ? 0 : -EOPNOTSUPP;
	case IB_QPT_UD:
	case IB_QPT_GSI:
		return rxt_link_has(link, RXT_CAP_UD) ? 0 : -EOPNOTSUPP;
	default:
		return -EOPNOTSUPP;
	}
}

static int check_cap(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (cap->max_send_wr > RXT_MAX_QP_WR ||
	    cap->max_send_sge > RXT_MAX_SGE ||
	    cap->max_inline_data > RXT_MAX_INLINE)
		return -EINVAL;
	if (!init->srq && (cap->max_recv_wr > RXT_MAX_QP_WR ||
			   cap->max_recv_sge > RXT_MAX_SGE))
		return -EINVAL;
	return 0;
}

/* Segments and inline payload share the tail of the WQE: grant what fits. */
static size_t size_send_wqe(struct ib_qp_cap *cap)
{
	u32 tail = max3(cap->max_send_sge * (u32)sizeof(struct rxe_sge),
			cap->max_inline_data, (u32)INLINE_MIN);

	tail = round_up(tail, sizeof(struct rxe_sge));
	cap->max_send_sge = min_t(u32, tail / sizeof(struct rxe_sge),
				  RXT_MAX_SGE);
	cap->max_inline_data = tail;
	return sizeof(struct rxe_send_wqe) + tail;
}

static int init_queues(struct rxt_ibqp *qp, const struct ib_qp_init_attr *init,
		       struct ib_ucontext *uctx)
{
	int err;

	qp->cap = init->cap;
	err = rxt_ring_init(&qp->sq, qp->cap.max_send_wr,
			    size_send_wqe(&qp->cap), uctx);
	if (err)
		return err;
	qp->cap.max_send_wr = qp->sq.mask;
	if (init->srq) {
		qp->cap.max_recv_wr = 0;
		qp->cap.max_recv_sge = 0;
		return 0;
	}
	err = rxt_ibrq_init(&qp->rq, to_link(qp->ibqp.device), qp->ibqp.pd,
			    false, qp->cap.max_recv_wr, qp->cap.max_recv_sge,
			    uctx);
	if (err) {
		rxt_ring_free(&qp->sq);
		return err;
	}
	qp->cap.max_recv_wr = qp->rq.ring.mask;
	return 0;
}

static void free_queues(struct rxt_ibqp *qp)
{
	rxt_ring_free(&qp->sq);
	if (!qp->ibqp.srq)
		rxt_ring_free(&qp->rq.ring);
}

static int answer_create(const struct rxt_ibqp *qp, struct ib_udata *udata)
{
	struct rxe_create_qp_resp resp = {};

	rxt_ring_mminfo(&qp->sq, &resp.sq_mi);
	if (!qp->ibqp.srq)
		rxt_ring_mminfo(&qp->rq.ring, &resp.rq_mi);
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static struct rxt_qp *create_core_qp(struct rxt_ibqp *qp,
				     const struct ib_qp_init_attr *init)
{
	struct rxt_qp_init core_init = {
		.type		= init->qp_type,
		.pd		= qp->ibqp.pd,
		.priv		= qp,
		.scq		= &to_ibcq(init->send_cq)->cq,
		.rcq		= &to_ibcq(init->recv_cq)->cq,
		.rq		= init->srq ? &to_ibsrq(init->srq)->rq.rq :
					      &qp->rq.rq,
		.max_send_wr	= qp->cap.max_send_wr,
		.max_send_sge	= qp->cap.max_send_sge,
		.max_inline	= qp->cap.max_inline_data,
		.qpn		= init->qp_type == IB_QPT_GSI ? GSI_QPN : 0,
		.sq_sig_all	= qp->sig_all,
		.user		= qp->user,
	};

	return rxt_qp_create(&to_link(qp->ibqp.device)->dev, &core_init);
}

int rxt_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata)
{
	struct rxt_ibqp *qp = to_ibqp(ibqp);
	int err;

	if (init->create_flags)
		return -EOPNOTSUPP;
	err = check_type(to_link(ibqp->device), init->qp_type);
	if (err)
		return err;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	err = check_cap(init);
	if (err)
		return err;
	err = rxt_udata_check(udata, sizeof(struct rxe_create_qp_resp));
	if (err)
		return err;

	spin_lock_init(&qp->post_lock);
	mutex_init(&qp->modify_lock);
	qp->user = !!udata;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	err = init_queues(qp, init, rxt_udata_uctx(udata));
	if (err)
		return err;
	if (udata) {
		err = answer_create(qp, udata);
		if (err)
			goto free;
	}
	qp->qp = create_core_qp(qp, init);
	if (IS_ERR(qp->qp)) {
		err = PTR_ERR(qp->qp);
		goto free;
	}
	ibqp->qp_num = rxt_qp_num(qp->qp);
	init->cap = qp->cap;
	return 0;

free:
	free_queues(qp);
	return err;
}

/* ib_core has looked whether it is a group, and lets no QP go that is in one. */
int rxt_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return rxt_qp_mcast_join(to_ibqp(ibqp)->qp, gid);
}

int rxt_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return rxt_qp_mcast_leave(to_ibqp(ibqp)->qp, gid);
}

int rxt_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct rxt_ibqp *qp = to_ibqp(ibqp);

	rxt_qp_destroy(qp->qp);
	rxt_cq_purge(ibqp->send_cq, ibqp);
	if (ibqp->recv_cq != ibqp->send_cq)
		rxt_cq_purge(ibqp->recv_cq, ibqp);
	free_queues(qp);
	mutex_destroy(&qp->modify_lock);
	return 0;
}

/* ---- modify ---- */

/* What the core cannot see. */
static int check_attr(const struct rxt_link *link, const struct ib_qp_attr *attr,
		      int mask)
{
	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (mask & (IB_QP_CAP | IB_QP_ALT_PATH))
		return -EOPNOTSUPP;
	if ((mask & IB_QP_PATH_MIG_STATE) &&
	    attr->path_mig_state != IB_MIG_MIGRATED)
		return -EOPNOTSUPP;
	if ((mask & IB_QP_PATH_MTU) && attr->path_mtu > link->dev.be->max_mtu)
		return -EINVAL;
	return 0;
}

static int to_core_attr(struct rxt_qp_attr *to, const struct ib_qp_attr *attr,
			int mask)
{
	memset(to, 0, sizeof(*to));
	to->state = attr->qp_state;
	to->cur_state = attr->cur_qp_state;
	to->path_mtu = attr->path_mtu;
	to->dest_qpn = attr->dest_qp_num;
	to->rq_psn = attr->rq_psn;
	to->sq_psn = attr->sq_psn;
	to->qkey = attr->qkey;
	to->access = attr->qp_access_flags;
	to->pkey_index = attr->pkey_index;
	to->port_num = attr->port_num;
	to->max_rd_atomic = attr->max_rd_atomic;
	to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	to->min_rnr_timer = attr->min_rnr_timer;
	to->timeout = attr->timeout;
	to->retry_cnt = attr->retry_cnt;
	to->rnr_retry = attr->rnr_retry;
	to->sqd_notify = (mask & IB_QP_EN_SQD_ASYNC_NOTIFY) &&
			 attr->en_sqd_async_notify;
	if (!(mask & IB_QP_AV))
		return 0;
	to->sgid_index = rdma_ah_read_grh(&attr->ah_attr)->sgid_index;
	return rxt_path_from_ah(&to->path, &attr->ah_attr);
}

static void drop_posted(struct rxt_ibqp *qp)
{
	unsigned long flags;

	rxt_ring_drop_all(&qp->sq);
	if (qp->ibqp.srq)
		return;
	spin_lock_irqsave(&qp->rq.rq.lock, flags);
	rxt_ring_drop_all(&qp->rq.ring);
	spin_unlock_irqrestore(&qp->rq.rq.lock, flags);
}

int rxt_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct rxt_link *link = to_link(ibqp->device);
	struct rxt_ibqp *qp = to_ibqp(ibqp);
	struct rxt_qp_attr core_attr;
	int err;

	err = check_attr(link, attr, mask);
	if (err)
		return err;
	err = to_core_attr(&core_attr, attr, mask);
	if (err) {
		pr_notice_ratelimited("%s: QP 0x%06x: no way from GID index %u to %pI6c\n",
				      rxt_dev_name(&link->dev), ibqp->qp_num,
				      core_attr.sgid_index,
				      rdma_ah_read_grh(&attr->ah_attr)->dgid.raw);
		return err;
	}

	mutex_lock(&qp->modify_lock);
	err = rxt_qp_modify(qp->qp, &core_attr, mask);
	if (!err && (mask & IB_QP_STATE) && attr->qp_state == IB_QPS_RESET)
		drop_posted(qp);
	mutex_unlock(&qp->modify_lock);
	if (err && err != -EINVAL)
		pr_notice_ratelimited("%s: QP 0x%06x: the transport refused the change: %d\n",
				      rxt_dev_name(&link->dev), ibqp->qp_num,
				      err);
	return err;
}

/* ---- query ---- */

int rxt_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct rxt_ibqp *qp = to_ibqp(ibqp);
	struct rxt_qp_attr a;

	rxt_qp_query(qp->qp, &a);

	attr->qp_state = a.state;
	attr->cur_qp_state = a.cur_state;
	attr->path_mtu = a.path_mtu;
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->qkey = a.qkey;
	attr->rq_psn = a.rq_psn;
	attr->sq_psn = a.sq_psn;
	attr->dest_qp_num = a.dest_qpn;
	attr->qp_access_flags = a.access;
	attr->cap = qp->cap;
	attr->pkey_index = a.pkey_index;
	attr->sq_draining = a.sq_draining;
	attr->max_rd_atomic = a.max_rd_atomic;
	attr->max_dest_rd_atomic = a.max_dest_rd_atomic;
	attr->min_rnr_timer = a.min_rnr_timer;
	attr->port_num = a.port_num;
	attr->timeout = a.timeout;
	attr->retry_cnt = a.retry_cnt;
	attr->rnr_retry = a.rnr_retry;
	rxt_path_to_ah(ibqp->device, &a.path, a.sgid_index, &attr->ah_attr);

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->port_num = a.port_num;
	return 0;
}
