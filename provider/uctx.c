// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: user contexts and the checks on what a library passes.
 *
 * What may not live here: mapping (ring.c).
 */
#include <rdma/uverbs_ioctl.h>
#include "provider.h"

int rxt_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	return 0;
}

void rxt_dealloc_ucontext(struct ib_ucontext *ibuc)
{
}

/* That this exists tells ib_core that a device may go with contexts open. Queues
 * that are still mapped stay with the process (see rxt_mmap()).
 */
void rxt_disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

/**
 * rxt_udata_uctx - the context that a call came through
 * @udata: as passed by ib_core
 *
 * Return: the context, NULL for a kernel consumer.
 */
struct ib_ucontext *rxt_udata_uctx(struct ib_udata *udata)
{
	struct rxt_ucontext *uctx;

	if (!udata)
		return NULL;
	uctx = rdma_udata_to_drv_context(udata, struct rxt_ucontext, ibuc);
	return &uctx->ibuc;
}

/**
 * rxt_udata_check - is the library's command one that we know?
 * @udata: as passed by ib_core
 * @resp_size: bytes of the answer that it must have room for
 *
 * Return: 0, or -EINVAL: no room, or input that nobody defined yet.
 */
int rxt_udata_check(struct ib_udata *udata, size_t resp_size)
{
	if (!udata)
		return 0;
	if (udata->outlen < resp_size)
		return -EINVAL;
	if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EINVAL;
	return 0;
}
