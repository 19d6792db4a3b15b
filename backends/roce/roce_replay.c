// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: the ring of READs and atomics that may be asked for again (IBTA
 * 9.7.5.1.4): what was asked for and the result of an atomic, never a packet.
 *
 * Pure but for memory.
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include "roce_replay.h"

/**
 * roce_replay_init - begin with an empty ring
 * @r: zeroed, or freed
 * @depth: READs and atomics that the peer may have under way
 *
 * Context: process, sleeps. Return: 0 or -ENOMEM.
 */
int roce_replay_init(struct roce_replay *r, u32 depth)
{
	r->next = 0;
	r->size = depth;
	r->ring = NULL;
	if (!depth)
		return 0;
	r->ring = kcalloc(depth, sizeof(*r->ring), GFP_KERNEL);
	if (!r->ring)
		r->size = 0;
	return r->ring ? 0 : -ENOMEM;
}

void roce_replay_free(struct roce_replay *r)
{
	kfree(r->ring);
	r->ring = NULL;
	r->size = 0;
}

/**
 * roce_replay_add - remember one in place of the oldest
 * @r: ring
 * @d: what was executed
 */
void roce_replay_add(struct roce_replay *r, const struct roce_done *d)
{
	if (!r->size)
		return;
	r->ring[r->next] = *d;
	if (++r->next == r->size)
		r->next = 0;
}

/**
 * roce_replay_find - the one that a PSN belongs to
 * @r: ring
 * @psn: of a duplicate
 *
 * Newest first: PSNs may have gone round since.
 *
 * Return: the entry, or NULL: it is too long ago.
 */
struct roce_done *roce_replay_find(const struct roce_replay *r, u32 psn)
{
	u32 i, at = r->next;

	for (i = 0; i < r->size; i++) {
		struct roce_done *d;

		at = at ? at - 1 : r->size - 1;
		d = &r->ring[at];
		if (((psn - d->psn) & ROCE_MASK24) < d->npkts)
			return d;
	}
	return NULL;
}

/**
 * roce_replay_covers - is a READ asked for again what it was, or an end of it?
 * @d: the READ
 * @h: the duplicate, of which @d has the PSN
 * @mtu_shift: path MTU, log 2
 *
 * Return: true when the data asked for lies where its PSN says, within @d.
 */
bool roce_replay_covers(const struct roce_done *d, const struct roce_hdr *h,
			u32 mtu_shift)
{
	u32 pkts = (h->psn - d->psn) & ROCE_MASK24;
	u64 off = (u64)pkts << mtu_shift;

	return d->op == RXT_OP_READ && h->rkey == d->rkey &&
	       (off < d->length || !off) && h->va == d->va + off &&
	       h->dma_len <= d->length - off;
}
