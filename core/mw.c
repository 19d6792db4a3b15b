// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: memory windows: binding (IBTA 10.6.7.2).
 *
 * What lives here: the rules of a bind. What may not: life of the key and its end
 * (dkey.c), access through it (mr.c: it is a region like any other).
 */
#include <linux/slab.h>
#include "internal.h"

#define MW_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ZERO_BASED)

/* The part of a region that the window is to be, or why not. */
static struct rxt_mr *make_window(struct rxt_qp *qp, const struct rxt_msg *msg,
				  enum rxt_dkey_kind kind)
{
	const struct rxt_mm_op *mm = &msg->mm;
	int need = IB_ACCESS_MW_BIND;
	struct rxt_mr *mr, *of;

	if (mm->access & ~MW_ACCESS)
		return ERR_PTR(-EINVAL);
	/* A window may not allow more than the region (C10-74). */
	if (mm->access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC))
		need |= IB_ACCESS_LOCAL_WRITE;
	of = rxt_mr_find_region(qp->dev, qp->pd, mm->lkey, msg->raddr,
				mm->length, need);
	if (!of)
		return ERR_PTR(-EINVAL);
	if (of->access & IB_ZERO_BASED)
		goto refuse;
	mr = kzalloc(sizeof(*mr), GFP_ATOMIC | __GFP_NOWARN);
	if (!mr) {
		atomic_dec(&of->windows);
		rxt_mr_put(of);
		return ERR_PTR(-ENOBUFS);
	}
	kref_init(&mr->ref);
	refcount_set(&mr->users, 1);
	init_completion(&mr->idle);
	atomic_set(&mr->windows, -1);
	mr->atomic = true;
	mr->dev = qp->dev;
	mr->pd = qp->pd;
	mr->type = of->type;
	mr->access = mm->access & ~IB_ACCESS_LOCAL_WRITE;
	mr->qpn = kind == RXT_DKEY_MW2 ? qp->head.qpn : 0;
	mr->iova = mm->access & IB_ZERO_BASED ? 0 : msg->raddr;
	mr->length = mm->length;
	mr->offset = msg->raddr - of->iova + of->offset;
	mr->pages = of->pages;
	mr->npages = of->npages;
	mr->odp = of->odp;
	mr->of = of;
	return mr;

refuse:
	atomic_dec(&of->windows);
	rxt_mr_put(of);
	return ERR_PTR(-EINVAL);
}

static int may_bind(const struct rxt_qp *qp, const struct rxt_dkey *dk,
		    const struct rxt_msg *msg)
{
	if (dk->dead || dk->kind == RXT_DKEY_FAST || dk->key != msg->rkey)
		return -EINVAL;
	/* C10-72 */
	if (dk->dev != qp->dev || dk->pd != qp->pd)
		return -EINVAL;
	if (dk->kind == RXT_DKEY_MW1)
		return msg->mm.access & IB_ZERO_BASED ? -EINVAL : 0;
	/* One of type 2 has to be free, and binding nothing does not free it. */
	return rcu_access_pointer(dk->cur) || !msg->mm.length ? -EINVAL : 0;
}

static int bind(struct rxt_qp *qp, struct rxt_dkey *dk, const struct rxt_msg *msg)
{
	struct rxt_mr *mr = NULL;
	int err;

	lockdep_assert_held(&dk->lock);
	err = may_bind(qp, dk, msg);
	if (err)
		return err;
	/* No bytes: a window of type 1 that is not bound any more. */
	if (msg->mm.length) {
		mr = make_window(qp, msg, dk->kind);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		mr->index = dk->index;
		mr->key = (dk->key & ~0xffU) | (msg->mm.new_key & 0xff);
	}
	rxt_dkey_take_away(dk);
	WRITE_ONCE(dk->key, (dk->key & ~0xffU) | (msg->mm.new_key & 0xff));
	rcu_assign_pointer(dk->cur, mr);
	return 0;
}

/**
 * rxt_mw_bind - BIND_MW
 * @qp: who binds
 * @msg: the request
 *
 * Context: process or softirq. Return: 0; -EINVAL: the rules forbid it; -ENOBUFS:
 * no memory now, nothing has happened.
 */
int rxt_mw_bind(struct rxt_qp *qp, const struct rxt_msg *msg)
{
	struct rxt_dkey *dk = rxt_dkey_get(msg->rkey);
	int err;

	if (!dk)
		return -EINVAL;
	spin_lock_bh(&dk->lock);
	err = bind(qp, dk, msg);
	spin_unlock_bh(&dk->lock);
	rxt_dkey_put(dk);
	return err;
}
