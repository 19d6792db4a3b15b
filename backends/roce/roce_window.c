// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: from sequence numbers to messages and back, for the requester.
 *
 * Pure but for memory. Message numbers count up by one (the core's rule), PSNs
 * follow each other without a gap, so a ring by message number is all it takes.
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include "roce_window.h"

#define RING_MIN	16
#define RING_MAX	4096

/* No two PSNs that are compared may be 2^23 apart (IBTA 9.7.2). */
#define PSN_SPAN	(BIT(23) - 1)

/**
 * roce_window_init - begin with nothing under way
 * @w: zeroed, or freed
 * @psn: first PSN
 *
 * Message numbers begin with 1. Context: process, sleeps. Return: 0 or -ENOMEM.
 */
int roce_window_init(struct roce_window *w, u32 psn)
{
	w->ring = kcalloc(RING_MIN, sizeof(*w->ring), GFP_KERNEL);
	if (!w->ring)
		return -ENOMEM;
	w->mask = RING_MIN - 1;
	w->una_id = 1;
	w->next_id = 1;
	w->una = psn;
	w->next = psn;
	w->high = psn;
	return 0;
}

void roce_window_free(struct roce_window *w)
{
	kfree(w->ring);
	w->ring = NULL;
	w->mask = 0;
	w->una_id = w->next_id;
}

static int grow(struct roce_window *w)
{
	u32 size = (w->mask + 1) * 2, id;
	struct roce_sent *ring;

	if (size > RING_MAX)
		return -ENOBUFS;
	ring = kmalloc_array(size, sizeof(*ring), GFP_ATOMIC | __GFP_NOWARN);
	if (!ring)
		return -ENOBUFS;
	for (id = w->una_id; id != w->next_id; id++)
		ring[id & (size - 1)] = w->ring[id & w->mask];
	kfree(w->ring);
	w->ring = ring;
	w->mask = size - 1;
	return 0;
}

/**
 * roce_window_push - a request gets its PSNs
 * @w: window
 * @id: its message number, one more than that of the last one
 * @s: all but @psn, which is set from here
 *
 * Context: any. Return: 0; -EAGAIN: too many PSNs under way, an answer changes
 * that; -ENOBUFS: no memory; -EINVAL: not the next number.
 */
int roce_window_push(struct roce_window *w, u32 id, const struct roce_sent *s)
{
	struct roce_sent *e;

	if (id != w->next_id || !w->ring)
		return -EINVAL;
	if (!roce_window_empty(w) &&
	    ((w->next - w->una) & ROCE_MASK24) + s->npkts > PSN_SPAN)
		return -EAGAIN;
	if (w->next_id - w->una_id > w->mask && grow(w))
		return -ENOBUFS;
	e = &w->ring[id & w->mask];
	*e = *s;
	e->psn = w->next;
	w->next = roce_psn_add(w->next, s->npkts);
	w->next_id++;
	return 0;
}

/**
 * roce_window_ack - all PSNs up to @psn were accepted by the responder
 * @w: window
 * @psn: inclusive; one that roce_window_holds(), or the one before those
 *
 * Stops at a READ or atomic whose answer has not come: the responder sent that
 * before this ACK, so it is lost.
 *
 * Return: what moved.
 */
struct roce_acked roce_window_ack(struct roce_window *w, u32 psn)
{
	struct roce_acked res = {};

	while (!roce_window_empty(w) && roce_psn_diff(psn, w->una) >= 0) {
		const struct roce_sent *e = roce_window_oldest(w);
		u32 behind = roce_psn_add(e->psn, e->npkts);

		if (e->kind != ROCE_SENT_DATA) {
			res.lost = true;
			break;
		}
		res.progress = true;
		if (roce_psn_diff(psn, behind) < -1) {
			w->una = roce_psn_add(psn, 1);
			break;
		}
		w->una = behind;
		w->una_id++;
		res.completed = true;
	}
	return res;
}

/**
 * roce_window_answer - one packet of the answer to the oldest request came
 * @w: window, not empty; its oldest request is a READ or atomic
 *
 * Return: what moved.
 */
struct roce_acked roce_window_answer(struct roce_window *w)
{
	const struct roce_sent *e = roce_window_oldest(w);
	struct roce_acked res = { .progress = true };

	w->una = roce_psn_add(w->una, 1);
	if (w->una == roce_psn_add(e->psn, e->npkts)) {
		w->una_id++;
		res.completed = true;
	}
	return res;
}

/**
 * roce_window_find - the request that a PSN belongs to
 * @w: window
 * @psn: not before w->una
 * @id: result: its message number
 *
 * Return: the request, or NULL: none under way has it.
 */
const struct roce_sent *roce_window_find(const struct roce_window *w, u32 psn,
					 u32 *id)
{
	u32 lo = 0, hi = w->next_id - w->una_id;
	u32 off = (psn - w->una) & ROCE_MASK24;

	/* The last request that does not begin behind @psn. */
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		const struct roce_sent *e = &w->ring[(w->una_id + mid) & w->mask];

		/* The oldest may begin before w->una. */
		if (mid && ((e->psn - w->una) & ROCE_MASK24) > off)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (!lo)
		return NULL;
	*id = w->una_id + lo - 1;
	if (off >= ((w->next - w->una) & ROCE_MASK24))
		return NULL;
	return &w->ring[*id & w->mask];
}
