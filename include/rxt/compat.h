/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt: where kernel 6.1 and later ones differ. The only file with version #ifs.
 *
 * What lives here: thin inline wrappers with one meaning. What may not: logic.
 */
#ifndef _RXT_COMPAT_H
#define _RXT_COMPAT_H

#include <linux/version.h>

#endif /* _RXT_COMPAT_H */
