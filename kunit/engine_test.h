/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt kunit: the link that the suites on the fake backend run on. Nothing else.
 */
#ifndef _RXT_KUNIT_ENGINE_TEST_H
#define _RXT_KUNIT_ENGINE_TEST_H

#include "fake_backend.h"
#include "verbs_env.h"

extern struct vt_link vt_fake;

int vt_fake_init(struct kunit_suite *suite);
void vt_fake_exit(struct kunit_suite *suite);
struct vt_pair *vt_fake_pair(struct kunit *test, const struct vt_opts *opts,
			     struct fake_conn **fc);
void vt_fake_expect_sane(struct kunit *test, struct fake_conn *fc);

#endif /* _RXT_KUNIT_ENGINE_TEST_H */
