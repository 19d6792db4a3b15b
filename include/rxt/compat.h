/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt: where kernel 6.1 and later ones differ. The only file with version #ifs.
 *
 * What lives here: thin inline wrappers with one meaning. What may not: logic.
 */
#ifndef _RXT_COMPAT_H
#define _RXT_COMPAT_H

#include <linux/version.h>
#include <rdma/uverbs_ioctl.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/* What create_cq is given: since 6.11 the bundle that the udata is part of. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define RXT_CQ_UDATA struct uverbs_attr_bundle

static inline struct ib_udata *rxt_cq_udata(struct uverbs_attr_bundle *attrs)
{
	return attrs ? &attrs->driver_udata : NULL;
}
#else
#define RXT_CQ_UDATA struct ib_udata

static inline struct ib_udata *rxt_cq_udata(struct ib_udata *udata)
{
	return udata;
}
#endif

/* Strings of trace events: since 6.10 the source was given in the declaration. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define rxt_assign_str(dst, src)	__assign_str(dst)
#else
#define rxt_assign_str(dst, src)	__assign_str(dst, src)
#endif

#endif /* _RXT_COMPAT_H */
