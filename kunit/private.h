/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt kunit: take pure files of the core into a test as a second copy, statics
 * and all, by #include. What lives here: what makes that possible. Nothing else.
 */
#ifndef _RXT_KUNIT_PRIVATE_H
#define _RXT_KUNIT_PRIVATE_H

#include <linux/export.h>
#include <linux/module.h>

/* The copy must not be exported a second time. */
#undef EXPORT_SYMBOL_GPL
#define EXPORT_SYMBOL_GPL(sym)

#endif /* _RXT_KUNIT_PRIVATE_H */
