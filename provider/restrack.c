// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: what `rdma resource show … -dd` adds for objects of ours.
 */
#include <rdma/restrack.h>
#include <rdma/rdma_netlink.h>
#include "provider.h"

/* Entries between two indices of a ring. */
static u32 between(const struct rxt_ring *ring, u32 from, u32 to)
{
	return (to - from) & ring->mask;
}

static u32 rq_posted(struct rxt_ibrq *rq)
{
	unsigned long flags;
	u32 n;

	spin_lock_irqsave(&rq->rq.lock, flags);
	n = between(&rq->ring, rq->ring.fetch, rxt_ring_shared_prod(&rq->ring));
	spin_unlock_irqrestore(&rq->rq.lock, flags);
	return n;
}

static int put_queues(struct sk_buff *msg, struct rxt_ibqp *qp)
{
	u32 sq = between(&qp->sq, READ_ONCE(qp->sq.fetch),
			 rxt_ring_shared_prod(&qp->sq));

	if (rdma_nl_put_driver_u32(msg, "sq_posted", sq))
		return -EMSGSIZE;
	if (qp->ibqp.srq)
		return 0;
	return rdma_nl_put_driver_u32(msg, "rq_posted", rq_posted(&qp->rq));
}

static int put_progress(struct sk_buff *msg, struct rxt_qp *qp)
{
	static const char * const waits[] = {
		[RXT_WAIT_NOTHING]	= "nothing",
		[RXT_WAIT_ROOM]		= "room",
		[RXT_WAIT_PEER]		= "peer",
		[RXT_WAIT_RNR]		= "rnr",
		[RXT_WAIT_ORDER]	= "order",
	};
	struct rxt_qp_progress p;

	rxt_qp_progress(qp, &p);
	if (rdma_nl_put_driver_u32(msg, "inflight", p.inflight) ||
	    rdma_nl_put_driver_u32(msg, "sent", p.sent_id) ||
	    rdma_nl_put_driver_u32(msg, "acked", p.acked_id) ||
	    rdma_nl_put_driver_u32(msg, "reads_out", p.rd_out) ||
	    rdma_nl_put_driver_u32(msg, "responses", p.responses) ||
	    rdma_nl_put_driver_u32(msg, "rnr_left", p.rnr_left) ||
	    rdma_nl_put_driver_string(msg, "waits_for", waits[p.wait]))
		return -EMSGSIZE;
	return 0;
}

static int put_qp(struct sk_buff *msg, struct rxt_ibqp *qp)
{
	struct rxt_conn_info info;

	rxt_qp_conn_query(qp->qp, &info);
	if (rdma_nl_put_driver_u32(msg, "established", info.established) ||
	    rdma_nl_put_driver_u32(msg, "unacked", info.unacked))
		return -EMSGSIZE;
	if (info.desc[0] && rdma_nl_put_driver_string(msg, "conn", info.desc))
		return -EMSGSIZE;
	if (put_queues(msg, qp))
		return -EMSGSIZE;
	return put_progress(msg, qp->qp);
}

static int put_cq(struct sk_buff *msg, struct rxt_ibcq *cq)
{
	unsigned long flags;
	u32 pending;

	spin_lock_irqsave(&cq->cq.lock, flags);
	pending = between(&cq->ring, rxt_ring_shared_cons(&cq->ring),
			  cq->ring.prod);
	spin_unlock_irqrestore(&cq->cq.lock, flags);
	if (rdma_nl_put_driver_u32(msg, "armed", READ_ONCE(cq->cq.armed)) ||
	    rdma_nl_put_driver_u32(msg, "overflow", READ_ONCE(cq->cq.overflow)) ||
	    rdma_nl_put_driver_u32(msg, "pending", pending))
		return -EMSGSIZE;
	return 0;
}

static int put_mr(struct sk_buff *msg, const struct rxt_ibmr *mr)
{
	return rdma_nl_put_driver_u32(msg, "pinned", !!mr->umem);
}

/* The attributes of an object are nested; all of them or none. */
static int close_nest(struct sk_buff *msg, struct nlattr *nest, int err)
{
	if (err)
		nla_nest_cancel(msg, nest);
	else
		nla_nest_end(msg, nest);
	return err;
}

int rxt_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!nest)
		return -EMSGSIZE;
	return close_nest(msg, nest, put_qp(msg, to_ibqp(ibqp)));
}

int rxt_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!nest)
		return -EMSGSIZE;
	return close_nest(msg, nest, put_cq(msg, to_ibcq(ibcq)));
}

int rxt_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!nest)
		return -EMSGSIZE;
	return close_nest(msg, nest, put_mr(msg, to_ibmr(ibmr)));
}
