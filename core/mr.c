// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: memory regions: the key table, the one access check, revoking.
 *
 * What lives here: which pages an address means and who may use them. What may
 * not: pinning (provider), copying (place.c, msg.c).
 *
 * A key is 24 bits of scrambled index and 8 random bits. Looking up is RCU plus a
 * reference; touching memory is bracketed by rxt_mr_enter() and rxt_mr_exit(),
 * which last for one bounded copy, so that destroy never waits for a peer.
 *
 * Keys whose memory changes by work requests (dkey.c) are in the same table: what
 * is behind them at the moment is a region like any other.
 */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include "internal.h"

static DEFINE_XARRAY_ALLOC1(mr_table);	/* index -> region or rxt_dkey */
static u32 mr_next;			/* mr_table's lock */

void rxt_mr_free(struct kref *ref)
{
	struct rxt_mr *mr = container_of(ref, struct rxt_mr, ref);

	if (mr->of)
		rxt_mr_put(mr->of);
	kfree_rcu(mr, rcu);
}

/**
 * rxt_key_alloc - a key that means nothing yet
 * @index: result: in the table
 * @key: result
 *
 * Context: process, sleeps. Return: 0, -ENOMEM, -EBUSY when all are in use.
 */
int rxt_key_alloc(u32 *index, u32 *key)
{
	int err;

	/* Reserve the index; what it means comes when that is complete. */
	err = xa_alloc_cyclic(&mr_table, index, NULL, XA_LIMIT(1, RXT_MAX_MR),
			      &mr_next, GFP_KERNEL);
	if (err < 0)
		return err;
	*key = rxt_id_scramble(*index) << 8 | (get_random_u32() & 0xff);
	return 0;
}

/**
 * rxt_key_publish - say what a key means
 * @index: from rxt_key_alloc()
 * @entry: region, or a tagged struct rxt_dkey
 */
void rxt_key_publish(u32 index, void *entry)
{
	/* The slot is reserved: no allocation, no failure. */
	xa_store(&mr_table, index, entry, GFP_KERNEL);
}

void rxt_key_erase(u32 index)
{
	xa_erase(&mr_table, index);
}

/* What a key means; its low byte is not looked at. Caller holds rcu_read_lock(). */
void *rxt_key_load(u32 key)
{
	return xa_load(&mr_table, rxt_id_unscramble(key >> 8));
}

/**
 * rxt_mr_alloc - a region with no memory yet
 * @dev: device
 * @pd: protection domain, by identity
 * @type: what it will describe
 * @access: IB_ACCESS_* flags
 *
 * Not to be found by its key until rxt_mr_set_pages() or rxt_mr_set_dma().
 *
 * Context: process, sleeps. Return: the region, rxt_mr_destroy() ends it;
 * ERR_PTR(-ENOMEM), -EBUSY when all keys are in use.
 */
struct rxt_mr *rxt_mr_alloc(struct rxt_dev *dev, const void *pd,
			    enum rxt_mr_type type, int access)
{
	struct rxt_mr *mr;
	int err;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	kref_init(&mr->ref);
	refcount_set(&mr->users, 1);
	init_completion(&mr->idle);
	mr->dev = dev;
	mr->pd = pd;
	mr->type = type;
	mr->access = access;

	err = rxt_key_alloc(&mr->index, &mr->key);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return mr;
}

/**
 * rxt_mr_set_pages - give a region its memory and publish it
 * @mr: RXT_MR_PAGES, just allocated
 * @iova: address of the first byte as users name it
 * @length: bytes
 * @offset: of the first byte in the first page
 * @pages: kvmalloc'ed; the MR frees the array, not the pages
 * @npages: entries of @pages
 *
 * Return: 0; -EINVAL when the pages do not cover it or the range wraps: @pages
 * is then still the caller's.
 */
int rxt_mr_set_pages(struct rxt_mr *mr, u64 iova, u64 length,
		     unsigned int offset, struct page **pages, u32 npages)
{
	u64 size = (u64)npages << PAGE_SHIFT;

	if (!npages || offset >= PAGE_SIZE || iova + length < iova ||
	    length > size - offset)
		return -EINVAL;
	mr->iova = iova;
	mr->length = length;
	mr->offset = offset;
	mr->pages = pages;
	mr->npages = npages;
	rxt_key_publish(mr->index, mr);
	return 0;
}

/**
 * rxt_mr_set_paged - publish a region whose pages come and go
 * @mr: RXT_MR_PAGED
 * @iova: address of the first byte as users name it
 * @length: bytes
 * @va: address of the first byte as the process has it
 * @odp: its pages; stays the caller's, who frees it after the region
 *
 * Return: 0; -EINVAL when a range wraps.
 */
int rxt_mr_set_paged(struct rxt_mr *mr, u64 iova, u64 length, u64 va,
		     struct rxt_odp *odp)
{
	if (!length || iova + length < iova || va + length < va)
		return -EINVAL;
	mr->iova = iova;
	mr->length = length;
	mr->offset = va;
	mr->odp = odp;
	mr->atomic = true;
	rxt_key_publish(mr->index, mr);
	return 0;
}

/**
 * rxt_mr_set_dma - publish a region over all of the kernel's direct map
 * @mr: RXT_MR_DMA
 */
void rxt_mr_set_dma(struct rxt_mr *mr)
{
	mr->iova = 0;
	mr->length = U64_MAX;
	rxt_key_publish(mr->index, mr);
}

u32 rxt_mr_key(const struct rxt_mr *mr)
{
	return mr->key;
}

/**
 * rxt_mr_destroy - revoke a region
 * @mr: the caller's
 *
 * On return its memory is not touched any more, nor will be.
 *
 * Context: process, sleeps for at most a copy that is under way.
 * Return: 0; -EBUSY: windows are bound to it (IBTA 10.6.7.2.5), it stays.
 */
int rxt_mr_destroy(struct rxt_mr *mr)
{
	if (atomic_cmpxchg(&mr->windows, 0, -1))
		return -EBUSY;
	rxt_key_erase(mr->index);
	/* Before the last of those who are inside leaves: nobody joins them. */
	WRITE_ONCE(mr->revoked, true);
	if (!refcount_dec_and_test(&mr->users))
		wait_for_completion(&mr->idle);
	kvfree(mr->pages);
	mr->pages = NULL;
	rxt_mr_put(mr);
	return 0;
}

/**
 * rxt_mr_revoke_now - revoke without sleeping
 * @mr: an atomic one, which nobody finds any more; the reference stays
 *
 * Whoever touches its memory does so on another CPU with softirqs off, holds no
 * lock that is waited for here, and is about to leave.
 *
 * Context: process or softirq, not from between enter and exit.
 */
void rxt_mr_revoke_now(struct rxt_mr *mr)
{
	WRITE_ONCE(mr->revoked, true);
	if (refcount_dec_and_test(&mr->users))
		return;
	/* Acquire: what they wrote comes before what the caller does next. */
	while (!try_wait_for_completion(&mr->idle))
		cpu_relax();
}

static bool mr_covers(const struct rxt_mr *mr, u64 addr, u64 len)
{
	/* The direct map has holes, and its users may be misled. */
	if (mr->type == RXT_MR_DMA)
		return addr + len > addr && len <= RXT_MAX_MSG &&
		       virt_addr_valid((void *)(uintptr_t)addr) &&
		       virt_addr_valid((void *)(uintptr_t)(addr + len - 1));
	return addr >= mr->iova && len <= mr->length &&
	       addr - mr->iova <= mr->length - len;
}

static bool mr_grants(const struct rxt_mr *mr, const struct rxt_dev *dev,
		      const void *pd, u32 key, u64 addr, u64 len, int access)
{
	return mr->key == key && mr->dev == dev && mr->pd == pd &&
	       (mr->access & access) == access && mr_covers(mr, addr, len);
}

/* What a changing key means right now. A window is of no use as a local key. */
static struct rxt_mr *dkey_current(void *entry, int access)
{
	struct rxt_dkey *dk = xa_untag_pointer(entry);

	if (dk->kind != RXT_DKEY_FAST &&
	    !(access & (IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE |
			IB_ACCESS_REMOTE_ATOMIC)))
		return NULL;
	return rcu_dereference(dk->cur);
}

/**
 * rxt_mr_find - the one access check
 * @dev: device
 * @pd: protection domain of who asks
 * @key: lkey or rkey
 * @addr: first byte
 * @len: bytes, all of which must be inside
 * @access: IB_ACCESS_* flags, all of which must be granted
 *
 * Context: any. Return: the region with a reference, or NULL.
 */
struct rxt_mr *rxt_mr_find(const struct rxt_dev *dev, const void *pd, u32 key,
			   u64 addr, u64 len, int access)
{
	struct rxt_mr *mr;

	rcu_read_lock();
	mr = rxt_key_load(key);
	if (unlikely(xa_pointer_tag(mr) == RXT_ENTRY_DKEY))
		mr = dkey_current(mr, access);
	if (mr && !kref_get_unless_zero(&mr->ref))
		mr = NULL;
	rcu_read_unlock();
	if (!mr)
		return NULL;

	if (mr_grants(mr, dev, pd, key, addr, len, access))
		return mr;
	rxt_mr_put(mr);
	return NULL;
}

/**
 * rxt_mr_find_again - rxt_mr_find() for who is likely to use the same region
 * @last: the region used last with a reference of its own, or NULL; updated
 * @dev: see rxt_mr_find()
 * @pd: see rxt_mr_find()
 * @key: see rxt_mr_find()
 * @addr: see rxt_mr_find()
 * @len: see rxt_mr_find()
 * @access: see rxt_mr_find()
 *
 * The same checks, without the table. A revoked region that is still @last is
 * never found; what it costs is its descriptor.
 *
 * Context: any; the caller serialises the use of @last, and ends it with
 * rxt_mr_forget(). Return: as rxt_mr_find().
 */
struct rxt_mr *rxt_mr_find_again(struct rxt_mr **last, const struct rxt_dev *dev,
				 const void *pd, u32 key, u64 addr, u64 len,
				 int access)
{
	struct rxt_mr *mr = *last;

	if (mr && !READ_ONCE(mr->revoked) &&
	    mr_grants(mr, dev, pd, key, addr, len, access)) {
		kref_get(&mr->ref);
		return mr;
	}
	mr = rxt_mr_find(dev, pd, key, addr, len, access);
	if (mr && mr != *last) {
		rxt_mr_forget(last);
		kref_get(&mr->ref);
		*last = mr;
	}
	return mr;
}

/**
 * rxt_mr_find_remote - what the peer of a QP names by an rkey
 * @qp: QP; caller is its inbound processing
 * @rkey: key
 * @addr: first byte
 * @len: bytes, all of which must be inside
 * @access: IB_ACCESS_REMOTE_*, all of which must be granted
 *
 * Context: any. Return: as rxt_mr_find().
 */
struct rxt_mr *rxt_mr_find_remote(struct rxt_qp *qp, u32 rkey, u64 addr, u64 len,
				  int access)
{
	struct rxt_mr *mr = rxt_mr_find_again(&qp->dst_mr, qp->dev, qp->pd, rkey,
					      addr, len, access);

	if (mr && unlikely(mr->qpn && mr->qpn != qp->head.qpn)) {
		rxt_mr_put(mr);
		return NULL;
	}
	return mr;
}

/**
 * rxt_mr_find_region - a region to bind a window to
 * @dev: see rxt_mr_find()
 * @pd: see rxt_mr_find()
 * @lkey: see rxt_mr_find()
 * @addr: see rxt_mr_find()
 * @len: see rxt_mr_find()
 * @access: see rxt_mr_find()
 *
 * Context: any. Return: as rxt_mr_find(), and it cannot be destroyed until its
 * @windows is decremented.
 */
struct rxt_mr *rxt_mr_find_region(const struct rxt_dev *dev, const void *pd,
				  u32 lkey, u64 addr, u64 len, int access)
{
	struct rxt_mr *mr = rxt_mr_find(dev, pd, lkey, addr, len, access);

	if (!mr)
		return NULL;
	if ((mr->type == RXT_MR_PAGES || mr->type == RXT_MR_PAGED) && !mr->of &&
	    atomic_inc_unless_negative(&mr->windows))
		return mr;
	rxt_mr_put(mr);
	return NULL;
}

void rxt_mr_forget(struct rxt_mr **last)
{
	if (*last)
		rxt_mr_put(*last);
	*last = NULL;
}
