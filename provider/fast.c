// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: regions of kernel consumers that get their memory by work requests:
 * from scatterlist to mapping.
 *
 * The device has no DMA: the addresses in a mapped scatterlist are kernel addresses
 * (ib_dma_virt_map_sg()).
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include "provider.h"

struct ib_mr *rxt_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			   u32 max_num_sg)
{
	struct rxt_ibmr *mr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > RXT_MAX_FAST_BLOCKS)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->dkey = rxt_dkey_create(&to_link(ibpd->device)->dev, ibpd,
				   RXT_DKEY_FAST, max_num_sg);
	if (IS_ERR(mr->dkey)) {
		err = PTR_ERR(mr->dkey);
		kfree(mr);
		return ERR_PTR(err);
	}
	mr->ibmr.lkey = rxt_dkey_key(mr->dkey);
	mr->ibmr.rkey = mr->ibmr.lkey;
	return &mr->ibmr;
}

static int set_page(struct ib_mr *ibmr, u64 addr)
{
	struct rxt_ibmr *mr = to_ibmr(ibmr);

	return rxt_fast_add(mr->dkey, mr->map, addr);
}

/* Context: any, as the consumer's; not twice at a time for one region. */
int rxt_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		  unsigned int *sg_offset)
{
	struct rxt_ibmr *mr = to_ibmr(ibmr);
	u32 size = ibmr->page_size;
	int n;

	if (!mr->dkey || size < 512 || !is_power_of_2(size))
		return -EINVAL;
	mr->map = rxt_fast_begin(mr->dkey, ilog2(size));
	if (!mr->map)
		return -ENOMEM;
	n = ib_sg_to_pages(ibmr, sg, sg_nents, sg_offset, set_page);
	/* The consumer may change the address before it registers. */
	if (n > 0)
		rxt_fast_stage(mr->dkey, mr->map, ibmr->iova & (size - 1),
			       ibmr->length);
	else
		kfree(mr->map);
	mr->map = NULL;
	return n;
}
