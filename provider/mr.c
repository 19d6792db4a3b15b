// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: memory regions: pinning, and handing the pages to the core.
 *
 * What may not live here: keys, access checks, revoking (core/mr.c), regions of
 * kernel consumers without fixed memory (fast.c), on-demand paging (odp.c).
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include "provider.h"

static struct rxt_ibmr *mr_alloc(struct ib_pd *ibpd, enum rxt_mr_type type,
				 int access)
{
	struct rxt_link *link = to_link(ibpd->device);
	struct rxt_ibmr *mr;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->mr = rxt_mr_alloc(&link->dev, ibpd, type, access);
	if (IS_ERR(mr->mr)) {
		int err = PTR_ERR(mr->mr);

		kfree(mr);
		return ERR_PTR(err);
	}
	mr->ibmr.lkey = rxt_mr_key(mr->mr);
	mr->ibmr.rkey = mr->ibmr.lkey;
	return mr;
}

struct ib_mr *rxt_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct rxt_ibmr *mr = mr_alloc(ibpd, RXT_MR_DMA, access);

	if (IS_ERR(mr))
		return ERR_CAST(mr);
	rxt_mr_set_dma(mr->mr);
	return &mr->ibmr;
}

static struct page **umem_pages(struct ib_umem *umem, u32 *npages)
{
	struct sg_page_iter iter;
	struct page **pages;
	size_t n = ib_umem_num_pages(umem);
	u32 i = 0;

	if (n > U32_MAX)
		return NULL;
	pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return NULL;
	for_each_sgtable_page(&umem->sgt_append.sgt, &iter, 0) {
		if (WARN_ON_ONCE(i == n))
			break;
		pages[i++] = sg_page_iter_page(&iter);
	}
	*npages = i;
	return pages;
}

/* Memory that stays where it is until the region ends. */
static int pin(struct rxt_ibmr *mr, struct ib_device *ibdev, u64 start,
	       u64 length, u64 iova, int access)
{
	struct page **pages;
	u32 npages = 0;
	int err;

	mr->umem = ib_umem_get(ibdev, start, length, access);
	if (IS_ERR(mr->umem))
		return PTR_ERR(mr->umem);
	err = -ENOMEM;
	pages = umem_pages(mr->umem, &npages);
	if (!pages)
		goto release;
	err = rxt_mr_set_pages(mr->mr, iova, length, offset_in_page(start),
			       pages, npages);
	if (!err)
		return 0;
	kvfree(pages);
release:
	ib_umem_release(mr->umem);
	return err;
}

struct ib_mr *rxt_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata)
{
	bool paged = access & IB_ACCESS_ON_DEMAND;
	struct rxt_ibmr *mr;
	int err;

	err = rxt_udata_check(udata, 0);
	if (err)
		return ERR_PTR(err);
	mr = mr_alloc(ibpd, paged ? RXT_MR_PAGED : RXT_MR_PAGES, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	if (access & IB_ZERO_BASED)
		iova = 0;
	if (paged)
		err = rxt_paging_start(mr, ibpd->device, start, length, iova,
				       access);
	else
		err = pin(mr, ibpd->device, start, length, iova, access);
	if (!err)
		return &mr->ibmr;
	rxt_mr_destroy(mr->mr);
	kfree(mr);
	return ERR_PTR(err);
}

int rxt_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct rxt_ibmr *mr = to_ibmr(ibmr);

	if (mr->dkey) {
		rxt_dkey_destroy(mr->dkey);
	} else if (rxt_mr_destroy(mr->mr)) {
		/* Windows are bound to it (IBTA 10.6.7.2.5). */
		return -EBUSY;
	}
	/* Nobody touches the memory any more: the pages may go. */
	ib_umem_release(mr->umem);
	rxt_paging_end(mr->paging);
	kfree(mr);
	return 0;
}
