// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: atomics on the memory of a region, atomic for every CPU of the host
 * and so across devices as well (IB_ATOMIC_GLOB).
 */
#include <linux/atomic.h>
#include <linux/highmem.h>
#include "internal.h"

/**
 * rxt_atomic_exec - carry out an atomic operation
 * @mr: target region; a reference is held, range and access are checked
 * @hdr: op, raddr (8-byte aligned, so inside one page), operands
 * @orig: result: value before
 *
 * Context: process or softirq. Return: 0; -EFAULT (revoked); -EINVAL (not aligned
 * in memory); -EAGAIN (the page is not there).
 */
int rxt_atomic_exec(struct rxt_mr *mr, const struct rxt_hdr *hdr, u64 *orig)
{
	unsigned int off, room;
	struct page *page;
	atomic64_t *p;
	void *map;

	if (!rxt_mr_enter(mr))
		return -EFAULT;
	if (rxt_mr_paged(mr) &&
	    !rxt_odp_present(mr, hdr->raddr, sizeof(u64), true)) {
		rxt_mr_exit(mr);
		return -EAGAIN;
	}
	page = rxt_mr_page(mr, hdr->raddr, &off, &room);
	map = kmap_local_page(page);
	p = map + off;
	/* The region may be mapped at an odd offset though the IOVA is even. */
	if (off & 7) {
		kunmap_local(map);
		rxt_mr_exit(mr);
		return -EINVAL;
	}
	switch (hdr->op) {
	case RXT_OP_CMP_SWP:
		*orig = atomic64_cmpxchg(p, hdr->compare, hdr->swap_add);
		break;
	case RXT_OP_FETCH_ADD:
		*orig = atomic64_fetch_add(hdr->swap_add, p);
		break;
	default: /* RXT_OP_ATOMIC_WRITE */
		*orig = 0;
		atomic64_set_release(p, hdr->swap_add);
		break;
	}
	kunmap_local(map);
	rxt_mr_exit(mr);
	return 0;
}
