// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: counters: the memory they are in, and reading them. Who counts uses
 * rxt_count() and rxt_count_conn() of rxt/backend.h.
 */
#include <linux/percpu.h>
#include <linux/slab.h>
#include "internal.h"

#define RXT_COUNTER(name) #name
const char * const rxt_counter_names[RXT_CNT_NUM] = {
#include <rxt/counters.h>
};

/**
 * rxt_stats_sum - one counter over all CPUs
 * @stats: of a device, or of a set
 * @c: which
 *
 * Context: any. Return: the sum; not a snapshot while traffic runs.
 */
u64 rxt_stats_sum(const struct rxt_stats __percpu *stats, enum rxt_counter c)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(stats, cpu)->cnt[c]);
	return sum;
}

/**
 * rxt_dev_stats_init - counters of a new device, at 0
 * @dev: device
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int rxt_dev_stats_init(struct rxt_dev *dev)
{
	spin_lock_init(&dev->stats_lock);
	INIT_LIST_HEAD(&dev->stats_idle);
	dev->stats = alloc_percpu(struct rxt_stats);
	return dev->stats ? 0 : -ENOMEM;
}

/**
 * rxt_dev_stats_exit - free the counters of a device
 * @dev: no QP is left, all sets were put
 */
void rxt_dev_stats_exit(struct rxt_dev *dev)
{
	struct rxt_stats_set *set, *tmp;

	list_for_each_entry_safe(set, tmp, &dev->stats_idle, node) {
		free_percpu(set->cpu);
		kfree(set);
	}
	free_percpu(dev->stats);
	dev->stats = NULL;
}

static struct rxt_stats_set *take_idle(struct rxt_dev *dev)
{
	struct rxt_stats_set *set;

	/* The one that is idle for the longest time. */
	spin_lock(&dev->stats_lock);
	set = list_first_entry_or_null(&dev->stats_idle, struct rxt_stats_set,
				       node);
	if (set)
		list_del(&set->node);
	spin_unlock(&dev->stats_lock);
	return set;
}

/**
 * rxt_stats_set_get - a set of counters, all 0
 * @dev: device of the QPs that will count in it
 *
 * Context: process. Return: a set that rxt_stats_set_put() gives back, or NULL.
 */
struct rxt_stats_set *rxt_stats_set_get(struct rxt_dev *dev)
{
	struct rxt_stats_set *set = take_idle(dev);
	int cpu;

	if (set) {
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(set->cpu, cpu), 0, sizeof(*set->cpu));
		return set;
	}
	set = kzalloc(sizeof(*set), GFP_KERNEL);
	if (!set)
		return NULL;
	set->cpu = alloc_percpu(struct rxt_stats);
	if (set->cpu)
		return set;
	kfree(set);
	return NULL;
}

/**
 * rxt_stats_set_put - a set is needed no more
 * @dev: its device
 * @set: no QP was told to count in it
 *
 * Context: process.
 */
void rxt_stats_set_put(struct rxt_dev *dev, struct rxt_stats_set *set)
{
	spin_lock(&dev->stats_lock);
	list_add_tail(&set->node, &dev->stats_idle);
	spin_unlock(&dev->stats_lock);
}

/**
 * rxt_qp_count_in - where a QP counts from now on
 * @qp: QP
 * @set: a set, or NULL for the counters of the device
 *
 * Events that are being counted just now may still go where they went before.
 *
 * Context: any.
 */
void rxt_qp_count_in(struct rxt_qp *qp, const struct rxt_stats_set *set)
{
	WRITE_ONCE(qp->conn->stats, set ? set->cpu : qp->dev->stats);
}
