// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: reading the counters. Who counts uses rxt_count() of rxt/backend.h.
 */
#include <linux/percpu.h>
#include "internal.h"

#define RXT_COUNTER(name) #name
const char * const rxt_counter_names[RXT_CNT_NUM] = {
#include <rxt/counters.h>
};

/**
 * rxt_dev_counter - sum of one counter over all CPUs
 * @dev: the device
 * @c: which
 *
 * Return: the sum; not a snapshot while traffic runs.
 */
u64 rxt_dev_counter(const struct rxt_dev *dev, enum rxt_counter c)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(dev->stats, cpu)->cnt[c]);
	return sum;
}
