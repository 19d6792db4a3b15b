// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: what `rdma resource show … -dd` adds for objects of ours.
 */
#include <rdma/restrack.h>
#include <rdma/rdma_netlink.h>
#include "provider.h"

static int put_qp(struct sk_buff *msg, const struct rxt_ibqp *qp)
{
	struct rxt_conn_info info;

	rxt_qp_conn_query(qp->qp, &info);
	if (rdma_nl_put_driver_u32(msg, "established", info.established) ||
	    rdma_nl_put_driver_u32(msg, "unacked", info.unacked))
		return -EMSGSIZE;
	if (info.desc[0] && rdma_nl_put_driver_string(msg, "conn", info.desc))
		return -EMSGSIZE;
	return 0;
}

static int put_cq(struct sk_buff *msg, const struct rxt_ibcq *cq)
{
	if (rdma_nl_put_driver_u32(msg, "armed", READ_ONCE(cq->cq.armed)) ||
	    rdma_nl_put_driver_u32(msg, "overflow", READ_ONCE(cq->cq.overflow)))
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
