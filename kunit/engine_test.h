/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt kunit: the link that the suites on the fake backend run on, and what they all do on it.
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
/* A signalled WRITE of @len bytes. */
void vt_fake_write(struct vt_pair *p, u64 id, u32 len);
/* ->xmit() number @n, from 0, was this. */
void vt_fake_expect_call(struct kunit *test, struct fake_conn *fc, unsigned int n, u8 op, u32 id,
			 u32 tx_off);
/* The peer READs @len bytes as its request @id. */
enum rxt_verdict vt_fake_peer_reads(struct vt_pair *p, struct fake_conn *fc, u32 id, u32 len);
void vt_fake_expect_sane(struct kunit *test, struct fake_conn *fc);

#endif /* _RXT_KUNIT_ENGINE_TEST_H */
