/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt: counting. The list is in counters.h, reading is in core/stats.c.
 */
#ifndef _RXT_STATS_H
#define _RXT_STATS_H

#include <linux/list.h>
#include <linux/types.h>

#define RXT_COUNTER(name) RXT_CNT_##name
enum rxt_counter {
#include <rxt/counters.h>
	RXT_CNT_NUM
};

/**
 * struct rxt_stats - one CPU's share of a link's counters
 * @cnt: monotonic, indexed by enum rxt_counter
 */
struct rxt_stats {
	u64 cnt[RXT_CNT_NUM];
};

/**
 * struct rxt_stats_set - counters of some QPs, apart from those of their link
 * @cpu: one for each CPU
 * @node: in the link's list, while they count for nobody
 *
 * A QP may go on to count in a set for a moment after it was told of another one.
 * So a set is not freed before the link is; it is used again instead.
 */
struct rxt_stats_set {
	struct rxt_stats __percpu	*cpu;
	struct list_head		node;
};

#endif /* _RXT_STATS_H */
