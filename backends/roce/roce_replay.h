/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_roce: the responder's memory of READs and atomics, to answer them again.
 */
#ifndef _ROCE_REPLAY_H
#define _ROCE_REPLAY_H

#include "roce_hdr.h"

/**
 * struct roce_done - a READ or atomic that was executed
 * @psn: its first PSN
 * @npkts: PSNs that it takes, 0 for an unused entry
 * @op: enum rxt_op
 * @rkey: READ: key
 * @length: READ: bytes
 * @gen: READ: times that it was asked for again
 * @msn: message number
 * @va: READ: address
 * @orig: atomics: the result
 */
struct roce_done {
	u32	psn;
	u32	npkts;
	u8	op;
	u16	gen;
	u32	rkey;
	u32	length;
	u32	msn;
	u64	va;
	u64	orig;
};

/**
 * struct roce_replay - the latest of them
 * @ring: entries
 * @size: entries of @ring
 * @next: entry that is used next, the oldest one
 */
struct roce_replay {
	struct roce_done	*ring;
	u32			size;
	u32			next;
};

int roce_replay_init(struct roce_replay *r, u32 depth);
void roce_replay_free(struct roce_replay *r);
void roce_replay_add(struct roce_replay *r, const struct roce_done *d);
struct roce_done *roce_replay_find(const struct roce_replay *r, u32 psn);
bool roce_replay_covers(const struct roce_done *d, const struct roce_hdr *h,
			u32 mtu_shift);

#endif /* _ROCE_REPLAY_H */
