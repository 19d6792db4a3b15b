/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_roce: the requester's memory of what it sent and what of it was answered.
 */
#ifndef _ROCE_WINDOW_H
#define _ROCE_WINDOW_H

#include "roce_hdr.h"

/**
 * enum roce_sent_kind - how a request is answered
 * @ROCE_SENT_DATA: by an ACK for it or for a later one
 * @ROCE_SENT_READ: by as many packets as its data takes
 * @ROCE_SENT_ATOMIC: by one packet with the result
 */
enum roce_sent_kind {
	ROCE_SENT_DATA,
	ROCE_SENT_READ,
	ROCE_SENT_ATOMIC,
};

/**
 * struct roce_sent - one request under way
 * @psn: its first PSN
 * @npkts: PSNs that it takes
 * @length: bytes of the response, READ
 * @kind: enum roce_sent_kind
 */
struct roce_sent {
	u32	psn;
	u32	npkts;
	u32	length;
	u8	kind;
};

/**
 * struct roce_window - requests under way
 * @ring: by message number & @mask
 * @mask: entries of @ring - 1, 2^n - 1
 * @una_id: oldest request that is not wholly answered
 * @next_id: request that comes next
 * @una: oldest PSN that is not answered; of request @una_id unless there is none
 * @next: PSN of the request that comes next
 * @high: PSN behind the last one that was ever sent
 */
struct roce_window {
	struct roce_sent	*ring;
	u32			mask;
	u32			una_id;
	u32			next_id;
	u32			una;
	u32			next;
	u32			high;
};

/**
 * struct roce_acked - what an answer has moved
 * @progress: something was answered that was not before
 * @completed: @una_id moved: requests before it are done
 * @lost: the answer to a READ or atomic is missing: ask again from @una
 */
struct roce_acked {
	bool	progress;
	bool	completed;
	bool	lost;
};

int roce_window_init(struct roce_window *w, u32 psn);
void roce_window_free(struct roce_window *w);
int roce_window_push(struct roce_window *w, u32 id, const struct roce_sent *s);
struct roce_acked roce_window_ack(struct roce_window *w, u32 psn);
struct roce_acked roce_window_answer(struct roce_window *w);
const struct roce_sent *roce_window_find(const struct roce_window *w, u32 psn,
					 u32 *id);

static inline bool roce_window_empty(const struct roce_window *w)
{
	return w->una_id == w->next_id;
}

/* The oldest request; only when there is one. */
static inline const struct roce_sent *roce_window_oldest(const struct roce_window *w)
{
	return &w->ring[w->una_id & w->mask];
}

/* Is @psn one that was sent and not answered? */
static inline bool roce_window_holds(const struct roce_window *w, u32 psn)
{
	return roce_psn_diff(psn, w->una) >= 0 &&
	       roce_psn_diff(psn, w->high) < 0;
}

#endif /* _ROCE_WINDOW_H */
