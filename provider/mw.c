// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: memory windows: the object. Binding is a work request.
 */
#include "provider.h"

int rxt_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	enum rxt_dkey_kind kind = ibmw->type == IB_MW_TYPE_1 ? RXT_DKEY_MW1 :
							       RXT_DKEY_MW2;
	struct rxt_ibmw *mw = to_ibmw(ibmw);
	int err;

	err = rxt_udata_check(udata, 0);
	if (err)
		return err;
	mw->dkey = rxt_dkey_create(&to_link(ibmw->device)->dev, ibmw->pd, kind,
				   0);
	if (IS_ERR(mw->dkey))
		return PTR_ERR(mw->dkey);
	ibmw->rkey = rxt_dkey_key(mw->dkey);
	return 0;
}

/* One that is bound is not any more (IBTA 10.6.7.2.4). */
int rxt_dealloc_mw(struct ib_mw *ibmw)
{
	rxt_dkey_destroy(to_ibmw(ibmw)->dkey);
	return 0;
}
