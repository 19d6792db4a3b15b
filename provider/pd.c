// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: protection domains. They are nothing but an identity: core compares
 * the address of the ib_core object, which lives until all that names it is gone.
 */
#include "provider.h"

int rxt_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	return rxt_udata_check(udata, 0);
}

int rxt_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	return 0;
}
