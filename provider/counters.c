// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: the counters for `rdma statistic`. Names and values are the core's.
 */
#include <rdma/ib_verbs.h>
#include "provider.h"

static struct rdma_stat_desc descs[RXT_CNT_NUM];

struct rdma_hw_stats *rxt_alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	int i;

	/* The same every time, so that nobody minds who comes first. */
	for (i = 0; i < RXT_CNT_NUM; i++)
		WRITE_ONCE(descs[i].name, rxt_counter_names[i]);
	return rdma_alloc_hw_stats_struct(descs, RXT_CNT_NUM,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int rxt_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port, int index)
{
	struct rxt_link *link = to_link(ibdev);
	int i;

	/* Port 0 is the device itself, which counts nothing. */
	if (!port || !stats)
		return -EINVAL;
	for (i = 0; i < RXT_CNT_NUM; i++)
		stats->value[i] = rxt_dev_counter(&link->dev, i);
	return RXT_CNT_NUM;
}
