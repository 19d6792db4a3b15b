// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: address vectors: ib_core's to the core's and back, address handles,
 * and whom a datagram WQE is for.
 *
 * What may not live here: routes, neighbours (backends).
 */
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include "provider.h"

static bool is_v4(const union ib_gid *gid)
{
	return ipv6_addr_v4mapped((const struct in6_addr *)gid);
}

/* A link-local address means something on one netdev only. */
static int scope_ifindex(const struct ib_gid_attr *sgid,
			 const union ib_gid *dgid)
{
	const struct in6_addr *addr = (const struct in6_addr *)dgid;
	struct net_device *ndev;
	int ifindex = 0;

	if (!(ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL))
		return 0;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(sgid);
	if (!IS_ERR(ndev))
		ifindex = ndev->ifindex;
	rcu_read_unlock();
	return ifindex;
}

static int set_gids(struct rxt_path *path, const struct ib_gid_attr *sgid,
		    const union ib_gid *dgid)
{
	if (rdma_is_zero_gid(dgid) || is_v4(&sgid->gid) != is_v4(dgid))
		return -EINVAL;
	path->sgid = sgid->gid;
	path->dgid = *dgid;
	path->scope_ifindex = scope_ifindex(sgid, dgid);
	return 0;
}

/**
 * rxt_path_from_ah - address vector of ib_core to path
 * @path: result
 * @attr: with its source GID resolved by ib_core
 *
 * Context: any. Return: 0, or -EINVAL: no GRH, or the two GIDs are not of one
 * address family.
 */
int rxt_path_from_ah(struct rxt_path *path, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	memset(path, 0, sizeof(*path));
	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) || !grh->sgid_attr)
		return -EINVAL;
	path->flow_label = grh->flow_label & 0xfffff;
	path->hop_limit = grh->hop_limit;
	path->tclass = grh->traffic_class;
	path->sl = rdma_ah_get_sl(attr);
	return set_gids(path, grh->sgid_attr, &grh->dgid);
}

/**
 * rxt_path_to_ah - path to address vector of ib_core, for queries
 * @ibdev: device
 * @path: path
 * @sgid_index: as the user named its own address
 * @attr: result
 */
void rxt_path_to_ah(struct ib_device *ibdev, const struct rxt_path *path,
		    u8 sgid_index, struct rdma_ah_attr *attr)
{
	union ib_gid dgid = path->dgid;

	memset(attr, 0, sizeof(*attr));
	attr->type = rdma_ah_find_type(ibdev, 1);
	rdma_ah_set_sl(attr, path->sl);
	rdma_ah_set_port_num(attr, 1);
	rdma_ah_set_grh(attr, &dgid, path->flow_label, sgid_index,
			path->hop_limit, path->tclass);
}

/* ---- address handles ---- */

/* Callers may be atomic and have interrupts off. */
static int number_ah(struct rxt_link *link, struct rxt_ibah *ah, gfp_t gfp)
{
	unsigned long flags;
	int err;

	xa_lock_irqsave(&link->ahs, flags);
	err = __xa_alloc_cyclic(&link->ahs, &ah->num, ah,
				XA_LIMIT(1, RXT_MAX_AH), &link->ah_next, gfp);
	xa_unlock_irqrestore(&link->ahs, flags);
	return err < 0 ? err : 0;
}

int rxt_destroy_ah(struct ib_ah *ibah, u32 ah_flags)
{
	struct rxt_link *link = to_link(ibah->device);
	unsigned long flags;

	xa_lock_irqsave(&link->ahs, flags);
	__xa_erase(&link->ahs, to_ibah(ibah)->num);
	xa_unlock_irqrestore(&link->ahs, flags);
	return 0;
}

int rxt_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata)
{
	bool sleepable = init->flags & RDMA_CREATE_AH_SLEEPABLE;
	struct rxe_create_ah_resp resp = {};
	struct rxt_ibah *ah = to_ibah(ibah);
	int err;

	err = rxt_path_from_ah(&ah->path, init->ah_attr);
	if (err)
		return err;
	ah->sgid_index = rdma_ah_read_grh(init->ah_attr)->sgid_index;
	err = number_ah(to_link(ibah->device), ah,
			sleepable ? GFP_KERNEL : GFP_ATOMIC);
	if (err)
		return err;

	/* Libraries before the numbers leave no room and name no AH later. */
	if (udata && udata->outlen >= sizeof(resp)) {
		resp.ah_num = ah->num;
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
		if (err)
			rxt_destroy_ah(ibah, 0);
	}
	return err;
}

int rxt_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	struct rxt_ibah *ah = to_ibah(ibah);

	rxt_path_to_ah(ibah->device, &ah->path, ah->sgid_index, attr);
	return 0;
}

/* ---- datagram WQEs ---- */

static int path_of_num(const struct rxt_ibqp *qp, u32 num, struct rxt_path *path)
{
	struct rxt_link *link = to_link(qp->ibqp.device);
	struct rxt_ibah *ah;
	unsigned long flags;

	xa_lock_irqsave(&link->ahs, flags);
	ah = xa_load(&link->ahs, num);
	if (ah && ah->ibah.pd == qp->ibqp.pd)
		*path = ah->path;
	else
		ah = NULL;
	xa_unlock_irqrestore(&link->ahs, flags);
	return ah ? 0 : -EINVAL;
}

/* The source comes from the device's table, whatever else the vector says. */
static int path_of_av(const struct rxt_ibqp *qp, const struct rxe_av *av,
		      struct rxt_path *path)
{
	const struct rxe_global_route *grh = &av->grh;
	const struct ib_gid_attr *sgid;
	union ib_gid dgid;
	int err;

	memcpy(&dgid, &grh->dgid, sizeof(dgid));
	sgid = rdma_get_gid_attr(qp->ibqp.device, 1, grh->sgid_index);
	if (IS_ERR(sgid))
		return -EINVAL;
	memset(path, 0, sizeof(*path));
	path->flow_label = grh->flow_label & 0xfffff;
	path->hop_limit = grh->hop_limit;
	path->tclass = grh->traffic_class;
	err = set_gids(path, sgid, &dgid);
	rdma_put_gid_attr(sgid);
	return err;
}

/**
 * rxt_wqe_path - whom a datagram is for
 * @qp: UD or GSI QP
 * @wr: private copy of the request
 *
 * Context: any. Return: a path to be kfree()d, or NULL: no such address handle in
 * the QP's protection domain, or no memory.
 */
struct rxt_path *rxt_wqe_path(const struct rxt_ibqp *qp,
			      const struct rxe_send_wr *wr)
{
	struct rxt_path *path;
	int err;

	path = kmalloc(sizeof(*path), GFP_ATOMIC | __GFP_NOWARN);
	if (!path)
		return NULL;
	if (wr->wr.ud.ah_num)
		err = path_of_num(qp, wr->wr.ud.ah_num, path);
	else
		err = path_of_av(qp, &wr->wr.ud.av, path);
	if (!err)
		return path;
	kfree(path);
	return NULL;
}
