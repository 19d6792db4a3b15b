// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: keys whose memory comes and goes by work requests: birth, death, and
 * taking the memory away (IBTA 10.6.5).
 *
 * What lives here: struct rxt_dkey but for how it gets memory: fast.c (regions of
 * kernel consumers) and mw.c (windows).
 *
 * All of it may run in softirq context: a peer invalidates by a message. So nobody
 * sleeps until a copy under way has ended; as those who touch such memory keep
 * softirqs off (rxt_mr_enter()), spinning does.
 */
#include <linux/slab.h>
#include <linux/xarray.h>
#include "internal.h"

static void dkey_free(struct kref *ref)
{
	struct rxt_dkey *dk = container_of(ref, struct rxt_dkey, ref);

	kfree_rcu(dk, rcu);
}

void rxt_dkey_put(struct rxt_dkey *dk)
{
	kref_put(&dk->ref, dkey_free);
}

/**
 * rxt_dkey_create - a key without memory
 * @dev: device
 * @pd: protection domain, by identity
 * @kind: what it is to be
 * @max_blocks: RXT_DKEY_FAST: most blocks of a mapping
 *
 * Context: process, sleeps. Return: the key, rxt_dkey_destroy() ends it;
 * ERR_PTR(-ENOMEM), -EBUSY when all keys are in use.
 */
struct rxt_dkey *rxt_dkey_create(struct rxt_dev *dev, const void *pd,
				 enum rxt_dkey_kind kind, u32 max_blocks)
{
	struct rxt_dkey *dk = kzalloc(sizeof(*dk), GFP_KERNEL);
	int err;

	if (!dk)
		return ERR_PTR(-ENOMEM);
	kref_init(&dk->ref);
	spin_lock_init(&dk->lock);
	dk->kind = kind;
	dk->dev = dev;
	dk->pd = pd;
	dk->max_blocks = max_blocks;
	err = rxt_key_alloc(&dk->index, &dk->key);
	if (err) {
		kfree(dk);
		return ERR_PTR(err);
	}
	rxt_key_publish(dk->index, xa_tag_pointer(dk, RXT_ENTRY_DKEY));
	return dk;
}

u32 rxt_dkey_key(const struct rxt_dkey *dk)
{
	return READ_ONCE(dk->key);
}

/**
 * rxt_dkey_get - the object behind a key
 * @key: its low byte is not looked at
 *
 * Context: any. Return: it with a reference; NULL: there is none of that kind.
 */
struct rxt_dkey *rxt_dkey_get(u32 key)
{
	struct rxt_dkey *dk = NULL;
	void *entry;

	rcu_read_lock();
	entry = rxt_key_load(key);
	if (xa_pointer_tag(entry) == RXT_ENTRY_DKEY) {
		dk = xa_untag_pointer(entry);
		if (!kref_get_unless_zero(&dk->ref))
			dk = NULL;
	}
	rcu_read_unlock();
	return dk;
}

/**
 * rxt_dkey_take_away - the key means nothing any more
 * @dk: locked
 *
 * On return its memory is not touched, nor will be.
 */
void rxt_dkey_take_away(struct rxt_dkey *dk)
{
	struct rxt_mr *mr;

	lockdep_assert_held(&dk->lock);
	mr = rcu_replace_pointer(dk->cur, NULL, lockdep_is_held(&dk->lock));
	if (!mr)
		return;
	rxt_mr_revoke_now(mr);
	if (mr->of)
		atomic_dec(&mr->of->windows);
	rxt_mr_put(mr);
}

/**
 * rxt_dkey_destroy - end a key
 * @dk: the caller's
 *
 * Context: process. What still names it fails when it gets there.
 */
void rxt_dkey_destroy(struct rxt_dkey *dk)
{
	rxt_key_erase(dk->index);
	spin_lock_bh(&dk->lock);
	dk->dead = true;
	rxt_dkey_take_away(dk);
	spin_unlock_bh(&dk->lock);
	kfree(xchg(&dk->staged, NULL));
	rxt_dkey_put(dk);
}

/* IBTA 10.6.5: a window of type 1 has no such end, one of type 2B belongs to the QP
 * that bound it. What has no memory is invalid already, which is no error.
 */
static int may_invalidate(const struct rxt_qp *qp, const struct rxt_dkey *dk,
			  u32 key)
{
	const struct rxt_mr *mr;

	if (dk->dead || dk->key != key || dk->kind == RXT_DKEY_MW1)
		return -EINVAL;
	mr = rcu_dereference_protected(dk->cur, lockdep_is_held(&dk->lock));
	if (mr && mr->qpn && mr->qpn != qp->head.qpn)
		return -EINVAL;
	return 0;
}

/**
 * rxt_dkey_invalidate - LOCAL_INV, and what SEND_INV asks for
 * @qp: who asks, or whose peer
 * @key: key
 *
 * On return 0 its memory is not touched any more by anybody.
 *
 * Context: process or softirq. Return: 0; -EINVAL: not a key that can be made
 * invalid, or not by this QP.
 */
int rxt_dkey_invalidate(struct rxt_qp *qp, u32 key)
{
	struct rxt_dkey *dk = rxt_dkey_get(key);
	int err = -EINVAL;

	if (!dk)
		return -EINVAL;
	if (dk->dev == qp->dev && dk->pd == qp->pd) {
		spin_lock_bh(&dk->lock);
		err = may_invalidate(qp, dk, key);
		if (!err)
			rxt_dkey_take_away(dk);
		spin_unlock_bh(&dk->lock);
	}
	rxt_dkey_put(dk);
	return err;
}
