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
 */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include "internal.h"

static DEFINE_XARRAY_ALLOC1(mr_table);	/* index -> struct rxt_mr */
static u32 mr_next;			/* mr_table's lock */

void rxt_mr_free(struct kref *ref)
{
	struct rxt_mr *mr = container_of(ref, struct rxt_mr, ref);

	kfree_rcu(mr, rcu);
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

	/* Reserve the index; the pointer goes in when the region is complete. */
	err = xa_alloc_cyclic(&mr_table, &mr->index, NULL,
			      XA_LIMIT(1, RXT_MAX_MR), &mr_next, GFP_KERNEL);
	if (err < 0) {
		kfree(mr);
		return ERR_PTR(err);
	}
	mr->key = rxt_id_scramble(mr->index) << 8 | (get_random_u32() & 0xff);
	return mr;
}

static void mr_publish(struct rxt_mr *mr)
{
	/* The slot is reserved: no allocation, no failure. */
	xa_store(&mr_table, mr->index, mr, GFP_KERNEL);
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
	mr_publish(mr);
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
	mr_publish(mr);
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
 */
void rxt_mr_destroy(struct rxt_mr *mr)
{
	xa_erase(&mr_table, mr->index);
	/* Before the last of those who are inside leaves: nobody joins them. */
	WRITE_ONCE(mr->revoked, true);
	if (!refcount_dec_and_test(&mr->users))
		wait_for_completion(&mr->idle);
	kvfree(mr->pages);
	mr->pages = NULL;
	rxt_mr_put(mr);
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
	mr = xa_load(&mr_table, rxt_id_unscramble(key >> 8));
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

void rxt_mr_forget(struct rxt_mr **last)
{
	if (*last)
		rxt_mr_put(*last);
	*last = NULL;
}
