// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: the counters for `rdma statistic`: those of a link, and those that
 * QPs are bound to. Names and values are the core's.
 *
 * ib_core shows for a link what get_hw_stats says and the counters that are bound
 * and those that were, so each event is counted in one place only: a bound QP
 * counts in a set of its own and not for the link.
 */
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include "provider.h"

static struct rdma_stat_desc descs[RXT_CNT_NUM];

static struct rdma_hw_stats *alloc_stats(void)
{
	int i;

	/* The same every time, so that nobody minds who comes first. */
	for (i = 0; i < RXT_CNT_NUM; i++)
		WRITE_ONCE(descs[i].name, rxt_counter_names[i]);
	return rdma_alloc_hw_stats_struct(descs, RXT_CNT_NUM,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static void read_stats(struct rdma_hw_stats *stats,
		       const struct rxt_stats __percpu *from)
{
	int i;

	for (i = 0; i < RXT_CNT_NUM; i++)
		stats->value[i] = rxt_stats_sum(from, i);
}

/* ---- of a link ---- */

struct rdma_hw_stats *rxt_alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	return alloc_stats();
}

int rxt_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port, int index)
{
	/* Port 0 is the device itself, which counts nothing. */
	if (!port || !stats)
		return -EINVAL;
	read_stats(stats, to_link(ibdev)->dev.stats);
	return RXT_CNT_NUM;
}

/* ---- of QPs ---- */

/* ib_core calls all of these for one counter one at a time. */

struct rdma_hw_stats *rxt_counter_alloc_stats(struct rdma_counter *counter)
{
	return alloc_stats();
}

/* The first QP of a counter brings the set along; the counter's number names it. */
static struct rxt_stats_set *get_set(struct rxt_link *link,
				     struct rdma_counter *counter)
{
	struct rxt_stats_set *set;
	int err;

	if (counter->id)
		return xa_load(&link->counters, counter->id);
	set = rxt_stats_set_get(&link->dev);
	if (!set)
		return ERR_PTR(-ENOMEM);
	err = xa_alloc(&link->counters, &counter->id, set, xa_limit_31b,
		       GFP_KERNEL);
	if (!err)
		return set;
	rxt_stats_set_put(&link->dev, set);
	return ERR_PTR(err);
}

int rxt_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp)
{
	struct rxt_stats_set *set = get_set(to_link(ibqp->device), counter);

	if (IS_ERR(set))
		return PTR_ERR(set);
	rxt_qp_count_in(to_ibqp(ibqp)->qp, set);
	ibqp->counter = counter;
	return 0;
}

int rxt_counter_unbind_qp(struct ib_qp *ibqp)
{
	rxt_qp_count_in(to_ibqp(ibqp)->qp, NULL);
	ibqp->counter = NULL;
	return 0;
}

int rxt_counter_update_stats(struct rdma_counter *counter)
{
	const struct rxt_stats_set *set;

	set = xa_load(&to_link(counter->device)->counters, counter->id);
	if (!set)
		return -EINVAL;
	read_stats(counter->stats, set->cpu);
	return 0;
}

int rxt_counter_dealloc(struct rdma_counter *counter)
{
	struct rxt_link *link = to_link(counter->device);
	struct rxt_stats_set *set = xa_erase(&link->counters, counter->id);

	if (set)
		rxt_stats_set_put(&link->dev, set);
	return 0;
}
