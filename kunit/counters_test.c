// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: counters that QPs are bound to: each event is counted once, at the
 * counter while the QP is bound and for the link before and after.
 *
 * What lives here: the calls that ib_core makes. What may not: what is counted when.
 */
#include <rdma/rdma_counter.h>
#include "verbs_env.h"
#include "loop_test.h"

static int find(const struct rdma_hw_stats *stats, const char *name)
{
	int i;

	for (i = 0; i < stats->num_counters; i++)
		if (!strcmp(stats->descs[i].name, name))
			return i;
	return -1;
}

static u64 of_counter(struct kunit *test, struct rdma_counter *c, const char *name)
{
	int i = find(c->stats, name);

	KUNIT_ASSERT_GE(test, i, 0);
	KUNIT_ASSERT_EQ(test, c->device->ops.counter_update_stats(c), 0);
	return c->stats->value[i];
}

static u64 of_link(struct kunit *test, const char *name)
{
	struct ib_device *ibdev = vt_loop.ibdev;
	struct rdma_hw_stats *stats = ibdev->ops.alloc_hw_port_stats(ibdev, 1);
	u64 value;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, stats);
	i = find(stats, name);
	KUNIT_ASSERT_GE(test, i, 0);
	KUNIT_EXPECT_EQ(test, ibdev->ops.get_hw_stats(ibdev, stats, 1, i),
			stats->num_counters);
	value = stats->value[i];
	rdma_free_hw_stats_struct(stats);
	return value;
}

static struct rdma_counter *counter_new(struct kunit *test)
{
	struct rdma_counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->device = vt_loop.ibdev;
	c->port = 1;
	c->stats = c->device->ops.counter_alloc_stats(c);
	KUNIT_ASSERT_NOT_NULL(test, c->stats);
	return c;
}

static void counter_free(struct kunit *test, struct rdma_counter *c)
{
	KUNIT_EXPECT_EQ(test, c->device->ops.counter_dealloc(c), 0);
	rdma_free_hw_stats_struct(c->stats);
}

static void one_write(struct vt_pair *p)
{
	struct vt_wr wr = {
		.op = IB_WR_RDMA_WRITE, .id = 1, .flags = IB_SEND_SIGNALED,
		.len = 1000, .nsge = 1, .remote = 4096,
	};
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(p->test, vt_post(p, &p->a, &wr), 0);
	vt_expect(p, &p->a, 1, IB_WC_SUCCESS, &wc);
}

static struct vt_pair *pair(struct kunit *test)
{
	return vt_pair_connected(test, vt_loop.ibdev, &(struct vt_opts) {
				 .access = VT_REMOTE_ALL, .mr_access = VT_REMOTE_ALL });
}

static void counter_follows_qp(struct kunit *test)
{
	const struct ib_device_ops *ops = &vt_loop.ibdev->ops;
	struct rdma_counter *c = counter_new(test);
	struct vt_pair *p = pair(test);
	u64 tx = of_link(test, "tx_msgs"), rx = of_link(test, "rx_msgs");

	one_write(p);
	KUNIT_EXPECT_EQ(test, of_link(test, "tx_msgs"), tx + 1);

	KUNIT_ASSERT_EQ(test, ops->counter_bind_qp(c, p->a.qp), 0);
	KUNIT_EXPECT_PTR_EQ(test, p->a.qp->counter, c);
	KUNIT_EXPECT_NE(test, c->id, 0U);
	KUNIT_EXPECT_EQ(test, of_counter(test, c, "tx_msgs"), 0ULL);
	one_write(p);
	KUNIT_EXPECT_EQ(test, of_counter(test, c, "tx_msgs"), 1ULL);
	KUNIT_EXPECT_EQ(test, of_counter(test, c, "tx_bytes"), 1000ULL);
	KUNIT_EXPECT_EQ(test, of_link(test, "tx_msgs"), tx + 1);
	/* The other side is not bound. */
	KUNIT_EXPECT_EQ(test, of_counter(test, c, "rx_msgs"), 0ULL);
	KUNIT_EXPECT_EQ(test, of_link(test, "rx_msgs"), rx + 2);

	KUNIT_ASSERT_EQ(test, ops->counter_unbind_qp(p->a.qp), 0);
	KUNIT_EXPECT_NULL(test, p->a.qp->counter);
	one_write(p);
	KUNIT_EXPECT_EQ(test, of_counter(test, c, "tx_msgs"), 1ULL);
	KUNIT_EXPECT_EQ(test, of_link(test, "tx_msgs"), tx + 2);
	counter_free(test, c);
}

static void counter_of_two(struct kunit *test)
{
	const struct ib_device_ops *ops = &vt_loop.ibdev->ops;
	struct rdma_counter *c = counter_new(test);
	struct vt_pair *p = pair(test);

	KUNIT_ASSERT_EQ(test, ops->counter_bind_qp(c, p->a.qp), 0);
	KUNIT_ASSERT_EQ(test, ops->counter_bind_qp(c, p->b.qp), 0);
	one_write(p);
	KUNIT_EXPECT_EQ(test, of_counter(test, c, "tx_msgs"), 1ULL);
	KUNIT_EXPECT_EQ(test, of_counter(test, c, "rx_msgs"), 1ULL);
	KUNIT_ASSERT_EQ(test, ops->counter_unbind_qp(p->a.qp), 0);
	KUNIT_ASSERT_EQ(test, ops->counter_unbind_qp(p->b.qp), 0);
	counter_free(test, c);
}

/* Memory of counters is used again: what it counted before does not show. */
static void counter_begins_with_zero(struct kunit *test)
{
	const struct ib_device_ops *ops = &vt_loop.ibdev->ops;
	struct vt_pair *p = pair(test);
	int i;

	for (i = 0; i < 3; i++) {
		struct rdma_counter *c = counter_new(test);

		KUNIT_ASSERT_EQ(test, ops->counter_bind_qp(c, p->a.qp), 0);
		KUNIT_EXPECT_EQ(test, of_counter(test, c, "tx_msgs"), 0ULL);
		one_write(p);
		KUNIT_EXPECT_EQ(test, of_counter(test, c, "tx_msgs"), 1ULL);
		KUNIT_ASSERT_EQ(test, ops->counter_unbind_qp(p->a.qp), 0);
		counter_free(test, c);
	}
}

static struct kunit_case counters_cases[] = {
	KUNIT_CASE(counter_follows_qp),
	KUNIT_CASE(counter_of_two),
	KUNIT_CASE(counter_begins_with_zero),
	{}
};

static struct kunit_suite counters_suite = {
	.name		= "rxt_counters",
	.suite_init	= vt_loop_init,
	.suite_exit	= vt_loop_exit,
	.exit		= vt_exit,
	.test_cases	= counters_cases,
};

kunit_test_suite(counters_suite);
