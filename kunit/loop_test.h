/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt kunit: the link that the loop suites run on. Nothing else.
 */
#ifndef _RXT_KUNIT_LOOP_TEST_H
#define _RXT_KUNIT_LOOP_TEST_H

#include "verbs_env.h"

extern struct vt_link vt_loop;

int vt_loop_init(struct kunit_suite *suite);
void vt_loop_exit(struct kunit_suite *suite);

#endif /* _RXT_KUNIT_LOOP_TEST_H */
