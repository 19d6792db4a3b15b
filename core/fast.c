// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: fast registration: a kernel consumer maps a scatterlist, and a work
 * request makes that mapping what the region's key means.
 *
 * What lives here: from mapping to registration. What may not: scatterlists
 * (provider), taking the memory away (dkey.c).
 *
 * All memory is allocated when the list is mapped, so that the work request cannot
 * fail for lack of it.
 */
#include <linux/slab.h>
#include "internal.h"

/**
 * rxt_fast_begin - a mapping to be filled
 * @dk: RXT_DKEY_FAST
 * @shift: log2 of the bytes of a block
 *
 * Context: any. Return: it, for rxt_fast_add() and rxt_fast_stage(); NULL: no
 * memory.
 */
struct rxt_mr *rxt_fast_begin(struct rxt_dkey *dk, unsigned int shift)
{
	struct rxt_mr *mr;

	mr = kmalloc(struct_size(mr, block, dk->max_blocks),
		     GFP_ATOMIC | __GFP_NOWARN);
	if (!mr)
		return NULL;
	memset(mr, 0, sizeof(*mr));
	kref_init(&mr->ref);
	refcount_set(&mr->users, 1);
	init_completion(&mr->idle);
	atomic_set(&mr->windows, -1);
	mr->atomic = true;
	mr->dev = dk->dev;
	mr->pd = dk->pd;
	mr->type = RXT_MR_FAST;
	mr->index = dk->index;
	mr->shift = shift;
	return mr;
}

/**
 * rxt_fast_add - another block of a mapping
 * @dk: region
 * @map: from rxt_fast_begin()
 * @addr: kernel address of the block, aligned to its size
 *
 * Return: 0, -ENOMEM: it is full; -EINVAL: not aligned.
 */
int rxt_fast_add(struct rxt_dkey *dk, struct rxt_mr *map, u64 addr)
{
	if (map->npages == dk->max_blocks)
		return -ENOMEM;
	if (addr & (BIT_ULL(map->shift) - 1))
		return -EINVAL;
	map->block[map->npages++] = addr;
	return 0;
}

/**
 * rxt_fast_stage - a mapping is complete
 * @dk: region
 * @map: from rxt_fast_begin(); NULL: forget what waits
 * @offset: of the first byte in the first block
 * @length: bytes
 *
 * It waits for REG_MR, which names it by rxt_fast_staged(). Caller serialises this
 * with posting that: both are the consumer's.
 *
 * Context: any.
 */
void rxt_fast_stage(struct rxt_dkey *dk, struct rxt_mr *map, u64 offset,
		    u64 length)
{
	u64 size;

	if (map) {
		size = (u64)map->npages << map->shift;
		map->offset = offset;
		map->length = offset < size ? min(length, size - offset) : 0;
	}
	WRITE_ONCE(dk->mapped, dk->mapped + 1);
	kfree(xchg(&dk->staged, map));
}

u32 rxt_fast_staged(const struct rxt_dkey *dk)
{
	return READ_ONCE(dk->mapped);
}

/* IBTA 10.6.3: write rights for the peer need local ones. */
static bool access_valid(int access)
{
	return (access & IB_ACCESS_LOCAL_WRITE) ||
	       !(access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC));
}

static int give_memory(struct rxt_dkey *dk, struct rxt_mr *mr,
		       const struct rxt_msg *msg)
{
	lockdep_assert_held(&dk->lock);
	if (dk->dead || rcu_access_pointer(dk->cur))
		return -EINVAL;
	mr->key = msg->mm.new_key;
	mr->access = msg->mm.access;
	mr->iova = msg->raddr;
	WRITE_ONCE(dk->key, mr->key);
	rcu_assign_pointer(dk->cur, mr);
	return 0;
}

/**
 * rxt_fast_register - REG_MR
 * @qp: of a kernel consumer
 * @msg: the request
 *
 * Context: process or softirq. Return: 0; -EINVAL: not such a region, it has
 * memory already, or that mapping is not there.
 */
int rxt_fast_register(struct rxt_qp *qp, const struct rxt_msg *msg)
{
	struct rxt_dkey *dk = rxt_dkey_get(msg->rkey);
	struct rxt_mr *mr = NULL;
	int err = -EINVAL;

	if (!dk)
		return -EINVAL;
	if (dk->kind != RXT_DKEY_FAST || dk->dev != qp->dev ||
	    dk->pd != qp->pd || (dk->key ^ msg->mm.new_key) >> 8 ||
	    !access_valid(msg->mm.access))
		goto out;
	/* The mapping was made for this request, or the consumer is astray. */
	if (READ_ONCE(dk->mapped) != (u32)msg->mm.length)
		goto out;
	mr = xchg(&dk->staged, NULL);
	if (!mr || msg->raddr + mr->length < msg->raddr)
		goto out;
	spin_lock_bh(&dk->lock);
	err = give_memory(dk, mr, msg);
	spin_unlock_bh(&dk->lock);
out:
	if (err)
		kfree(mr);
	rxt_dkey_put(dk);
	return err;
}
