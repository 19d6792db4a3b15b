/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt: counting. The list is in counters.h, reading is in core/stats.c.
 */
#ifndef _RXT_STATS_H
#define _RXT_STATS_H

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

#endif /* _RXT_STATS_H */
