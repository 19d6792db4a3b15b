// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: on-demand paging: the process's memory behind a region that is not
 * pinned, through ib_umem_odp.
 *
 * What lives here: bringing pages, letting them go, advice. What may not: touching
 * them, waiting for who does (core/odp.c).
 *
 * A region over a given range has one ib_umem_odp. One over all of the address space
 * ("implicit") gets one for each CHILD_SIZE bytes that are used.
 *
 * Locks: umem_mutex of each umem guards what it and the core have been told of; it is
 * taken by the notifier, so nothing under it may reclaim memory.
 */
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_umem_odp.h>
#include "provider.h"

#define CHILD_SHIFT	21
#define CHILD_SIZE	BIT_ULL(CHILD_SHIFT)

/**
 * struct rxt_paging - memory of a process behind a region
 * @odp: the core's table of pages
 * @umem: of the range, or of all the address space
 * @children: implicit: number of the range -> struct ib_umem_odp
 * @lock: one new child at a time
 */
struct rxt_paging {
	struct rxt_odp		*odp;
	struct ib_umem_odp	*umem;
	struct xarray		children;
	struct mutex		lock;	/* see above */
};

/* ---- pages go ---- */

/* mm/mmu_notifier: the pages of the range are about to change. */
static bool invalidate(struct mmu_interval_notifier *mni,
		       const struct mmu_notifier_range *range,
		       unsigned long cur_seq)
{
	struct ib_umem_odp *umem = container_of(mni, struct ib_umem_odp,
						notifier);
	struct rxt_odp *odp = umem->private;
	u64 from, to;

	if (!mmu_notifier_range_blockable(range))
		return false;
	mutex_lock(&umem->umem_mutex);
	mmu_interval_set_seq(mni, cur_seq);
	/* Being set up or gone: nothing was mapped through it. */
	if (umem->npages && odp) {
		from = max_t(u64, ib_umem_start(umem), range->start);
		to = min_t(u64, ib_umem_end(umem), range->end);
		rxt_odp_zap(odp, from, to);
		ib_umem_odp_unmap_dma_pages(umem, from, to);
	}
	mutex_unlock(&umem->umem_mutex);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = invalidate,
};

static void umem_end(struct ib_umem_odp *umem)
{
	struct rxt_odp *odp = umem->private;

	/* Then the umem lets go of what the core does not know any more. */
	if (odp && !umem->is_implicit_odp) {
		mutex_lock(&umem->umem_mutex);
		rxt_odp_zap(odp, ib_umem_start(umem), ib_umem_end(umem));
		mutex_unlock(&umem->umem_mutex);
	}
	ib_umem_odp_release(umem);
}

/* ---- pages come ---- */

/* Tell the core of what is mapped in [@va, @end); umem_mutex is held. */
static int publish(struct ib_umem_odp *umem, u64 va, u64 end)
{
	u64 start = ib_umem_start(umem);
	int err = 0;

	for (va &= PAGE_MASK; va < end && !err; va += PAGE_SIZE) {
		dma_addr_t dma = umem->dma_list[(va - start) >>
						umem->page_shift];
		u64 in = (va - start) & (BIT_ULL(umem->page_shift) - 1);
		void *at;

		if (!dma)
			continue;
		/* The device has no DMA: what is listed are kernel addresses. */
		at = (void *)(uintptr_t)((dma & ODP_DMA_ADDR_MASK) + in);
		err = rxt_odp_set(umem->private, va, virt_to_page(at),
				  dma & ODP_WRITE_ALLOWED_BIT);
	}
	return err;
}

/* @len bytes from @va, all inside of @umem. */
static int umem_page_in(struct ib_umem_odp *umem, u64 va, u64 len,
			unsigned int how)
{
	u64 access = ODP_READ_ALLOWED_BIT;
	int ret;

	if (how & RXT_PAGE_WRITE) {
		if (!umem->umem.writable)
			return -EFAULT;
		access |= ODP_WRITE_ALLOWED_BIT;
	}
	ret = ib_umem_odp_map_dma_and_lock(umem, va, len, access,
					   !(how & RXT_PAGE_RESIDENT));
	if (ret < 0)
		return ret;
	ret = publish(umem, va, va + len);
	mutex_unlock(&umem->umem_mutex);
	return ret;
}

static struct ib_umem_odp *child_get(struct rxt_paging *p, u64 va, bool *new)
{
	unsigned long i = va >> CHILD_SHIFT;
	struct ib_umem_odp *child;
	int err;

	lockdep_assert_held(&p->lock);
	*new = false;
	child = xa_load(&p->children, i);
	if (child)
		return child;
	child = ib_umem_odp_alloc_child(p->umem, (u64)i << CHILD_SHIFT,
					CHILD_SIZE, &notifier_ops);
	if (IS_ERR(child))
		return child;
	child->private = p->odp;
	err = xa_err(xa_store(&p->children, i, child, GFP_KERNEL));
	if (err) {
		ib_umem_odp_release(child);
		return ERR_PTR(err);
	}
	*new = true;
	return child;
}

static int child_page_in(struct rxt_paging *p, u64 va, u64 len,
			 unsigned int how)
{
	struct ib_umem_odp *child;
	bool new;
	int err;

	mutex_lock(&p->lock);
	child = child_get(p, va, &new);
	if (IS_ERR(child)) {
		mutex_unlock(&p->lock);
		return PTR_ERR(child);
	}
	if (!new) {
		/* It stays until the region ends, which waits for us. */
		mutex_unlock(&p->lock);
		return umem_page_in(child, va, len, how);
	}
	err = umem_page_in(child, va, len, how);
	/* Where there is no memory nothing is kept either. */
	if (err) {
		xa_erase(&p->children, va >> CHILD_SHIFT);
		umem_end(child);
	}
	mutex_unlock(&p->lock);
	return err;
}

/**
 * rxt_prov_page_in - see struct rxt_provider_ops
 * @priv: struct rxt_paging
 * @va: first address
 * @len: bytes
 * @how: RXT_PAGE_*
 */
int rxt_prov_page_in(void *priv, u64 va, u64 len, unsigned int how)
{
	struct rxt_paging *p = priv;
	int err = 0;

	if (!p->umem->is_implicit_odp)
		return umem_page_in(p->umem, va, len, how);
	if (va + len < va || va + len > TASK_SIZE_MAX)
		return -EFAULT;
	while (len && !err) {
		u64 n = min(len, CHILD_SIZE - (va & (CHILD_SIZE - 1)));

		err = child_page_in(p, va, n, how);
		va += n;
		len -= n;
	}
	return err;
}

/* ---- life ---- */

static void paging_free(struct rxt_paging *p)
{
	struct ib_umem_odp *child;
	unsigned long i;

	xa_for_each(&p->children, i, child)
		umem_end(child);
	xa_destroy(&p->children);
	if (!IS_ERR_OR_NULL(p->umem))
		umem_end(p->umem);
	rxt_odp_free(p->odp);
	mutex_destroy(&p->lock);
	kfree(p);
}

static struct rxt_paging *paging_alloc(void)
{
	struct rxt_paging *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	mutex_init(&p->lock);
	xa_init(&p->children);
	p->odp = rxt_odp_alloc(p);
	if (!p->odp) {
		paging_free(p);
		return NULL;
	}
	return p;
}

/**
 * rxt_paging_start - the memory of a region that is not pinned
 * @mr: just allocated
 * @ibdev: device
 * @start: first address; 0 and a @length of U64_MAX are all of the address space
 * @length: bytes
 * @iova: address as users name it
 * @access: IB_ACCESS_*
 *
 * Publishes the region. Context: process, the one whose memory it is.
 * Return: 0 or -errno.
 */
int rxt_paging_start(struct rxt_ibmr *mr, struct ib_device *ibdev, u64 start,
		     u64 length, u64 iova, int access)
{
	bool implicit = !start && length == U64_MAX;
	struct rxt_paging *p;
	int err;

	if (implicit && iova)
		return -EINVAL;
	p = paging_alloc();
	if (!p)
		return -ENOMEM;
	if (implicit)
		p->umem = ib_umem_odp_alloc_implicit(ibdev, access);
	else
		p->umem = ib_umem_odp_get(ibdev, start, length, access,
					  &notifier_ops);
	err = PTR_ERR_OR_ZERO(p->umem);
	if (err)
		goto free;
	p->umem->private = p->odp;
	err = rxt_mr_set_paged(mr->mr, iova, length, start, p->odp);
	if (err)
		goto free;
	mr->paging = p;
	return 0;

free:
	paging_free(p);
	return err;
}

/**
 * rxt_paging_end - let go of the memory
 * @paging: of a region that is destroyed; or NULL
 */
void rxt_paging_end(struct rxt_paging *paging)
{
	if (paging)
		paging_free(paging);
}

/**
 * rxt_paging_caps - say what can be done with such regions
 * @attr: of the device
 */
void rxt_paging_caps(struct ib_device_attr *attr)
{
	struct ib_odp_caps *caps = &attr->odp_caps;

	attr->kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	caps->general_caps = IB_ODP_SUPPORT | IB_ODP_SUPPORT_IMPLICIT;
	caps->per_transport_caps.rc_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV |
		IB_ODP_SUPPORT_WRITE | IB_ODP_SUPPORT_READ |
		IB_ODP_SUPPORT_ATOMIC | IB_ODP_SUPPORT_SRQ_RECV;
	/* A datagram that finds no page is dropped: only sending is for sure. */
	caps->per_transport_caps.uc_odp_caps = IB_ODP_SUPPORT_SEND;
	caps->per_transport_caps.ud_odp_caps = IB_ODP_SUPPORT_SEND;
}

/* ---- advice ---- */

int rxt_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice,
		  u32 flags, struct ib_sge *sg_list, u32 num_sge,
		  struct uverbs_attr_bundle *attrs)
{
	bool wait = flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH;
	unsigned int how;
	int err = 0;
	u32 i;

	switch (advice) {
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH:
		how = 0;
		break;
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE:
		how = RXT_PAGE_WRITE;
		break;
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT:
		how = RXT_PAGE_RESIDENT;
		break;
	default:
		return -EOPNOTSUPP;
	}
	for (i = 0; i < num_sge && !err; i++)
		err = rxt_odp_prefetch(&to_link(pd->device)->dev, pd,
				       sg_list[i].lkey, sg_list[i].addr,
				       sg_list[i].length, how, wait);
	return err;
}
