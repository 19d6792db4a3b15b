// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: pages that come and go: what is there, what is asked for, what is kept,
 * on private copies of the core's files and with a provider that has pages at will.
 *
 * What may not live here: struct mm (scripts/selftest/odp.sh).
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/percpu.h>
#include "private.h"
#include "../core/ids.c"
#include "../core/mr.c"
#include "../core/msg.c"
#include "../core/place.c"
#include "../core/odp.c"

#define IOVA	0x7000123ULL
#define VA	0x5550123ULL
#define PAGES	4
#define LEN	(PAGES * PAGE_SIZE - 0x123 - 7)

static const int pd_a;
static struct rxt_dev dev_a;
struct workqueue_struct *rxt_fault_wq;

/* What the fake provider and the fake requester have seen. */
static struct {
	struct page		*page[PAGES];
	struct rxt_odp		*odp;
	int			err;
	bool			hold;
	unsigned int		calls;
	unsigned int		how;
	struct rxt_msg		*waiting;
	unsigned int		answered;
	enum ib_wc_status	failed;
	unsigned int		kicks;
} fake;

static int fake_page_in(void *priv, u64 va, u64 len, unsigned int how)
{
	u64 end = va + len;

	while (READ_ONCE(fake.hold))
		usleep_range(100, 200);
	fake.calls++;
	fake.how = how;
	if (fake.err)
		return fake.err;
	for (va &= PAGE_MASK; va < end; va += PAGE_SIZE)
		if (rxt_odp_set(fake.odp, va, fake.page[(va - (VA & PAGE_MASK)) >> PAGE_SHIFT],
				how & RXT_PAGE_WRITE))
			return -ENOMEM;
	return 0;
}

static const struct rxt_provider_ops fake_ops = { .page_in = fake_page_in };
const struct rxt_provider_ops *rxt_provider = &fake_ops;

struct rxt_msg *rxt_req_find_unanswered(struct rxt_qp *qp, u32 id)
{
	return fake.waiting && fake.waiting->id == id ? fake.waiting : NULL;
}

void rxt_req_answered(struct rxt_qp *qp, struct rxt_msg *msg)
{
	fake.answered++;
	fake.waiting = NULL;
}

void rxt_req_fail(struct rxt_qp *qp, struct rxt_msg *msg, enum ib_wc_status st)
{
	fake.failed = st;
	fake.waiting = NULL;
}

void rxt_engine_queue(struct rxt_qp *qp)
{
	fake.kicks++;
}

/**
 * struct rig - a region whose pages are the test's, and a QP that uses it
 * @qp: QP
 * @mr: region
 * @rx: inbound context over all of @mr
 * @msg: room for a message
 */
struct rig {
	struct rxt_qp	*qp;
	struct rxt_conn	conn;
	struct rxt_mr	*mr;
	struct rxt_rx	rx;
	struct rxt_msg	*msg;
};

static void rig_up(struct kunit *test, struct rig *r)
{
	u32 i;

	memset(&fake, 0, sizeof(fake));
	r->qp = kunit_kzalloc(test, sizeof(*r->qp), GFP_KERNEL);
	r->msg = kunit_kzalloc(test, struct_size(r->msg, seg, 2), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r->qp);
	KUNIT_ASSERT_NOT_NULL(test, r->msg);
	r->qp->dev = &dev_a;
	r->conn.stats = dev_a.stats;
	r->qp->conn = &r->conn;
	r->qp->pd = &pd_a;
	rxt_odp_setup(r->qp);
	for (i = 0; i < PAGES; i++) {
		fake.page[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, fake.page[i]);
	}
	fake.odp = rxt_odp_alloc(&fake);
	KUNIT_ASSERT_NOT_NULL(test, fake.odp);
	r->mr = rxt_mr_alloc(&dev_a, &pd_a, RXT_MR_PAGED, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, r->mr);
	KUNIT_ASSERT_EQ(test, rxt_mr_set_paged(r->mr, IOVA, LEN, VA, fake.odp), 0);

	memset(&r->rx, 0, sizeof(r->rx));
	r->rx.qp = r->qp;
	r->rx.length = LEN;
	r->rx.one.addr = IOVA;
	r->rx.one.length = LEN;
	r->rx.one.mr = r->mr;
	r->rx.seg = &r->rx.one;
	r->rx.num_seg = 1;

	r->msg->qp = r->qp;
	r->msg->id = 7;
	r->msg->length = LEN;
	r->msg->flags = RXT_MSG_PAGED;
	r->msg->num_seg = 1;
	r->msg->seg[0] = r->rx.one;
}

static void rig_down(struct kunit *test, struct rig *r)
{
	u32 i;

	rxt_odp_stop(r->qp);
	KUNIT_EXPECT_EQ(test, kref_read(&r->mr->ref), 1);
	KUNIT_EXPECT_EQ(test, rxt_mr_destroy(r->mr), 0);
	rxt_odp_zap(fake.odp, VA, VA + LEN);
	for (i = 0; i < PAGES; i++) {
		KUNIT_EXPECT_EQ(test, page_count(fake.page[i]), 1);
		__free_page(fake.page[i]);
	}
	rxt_odp_free(fake.odp);
}

static bool present(struct rig *r, u64 off, u32 len, bool write)
{
	bool ok;

	if (!rxt_mr_enter(r->mr))
		return false;
	ok = rxt_odp_present(r->mr, IOVA + off, len, write);
	rxt_mr_exit(r->mr);
	return ok;
}

static void odp_present(struct kunit *test)
{
	u64 second = PAGE_SIZE - (VA & ~PAGE_MASK);	/* offset of the second page */
	struct rig r;

	rig_up(test, &r);
	KUNIT_EXPECT_FALSE(test, present(&r, 0, 1, false));
	KUNIT_ASSERT_EQ(test, rxt_odp_set(fake.odp, VA + second, fake.page[1], false), 0);
	KUNIT_EXPECT_TRUE(test, present(&r, second, PAGE_SIZE, false));
	KUNIT_EXPECT_FALSE(test, present(&r, second, 1, true));
	KUNIT_EXPECT_FALSE(test, present(&r, second - 1, 2, false));
	KUNIT_EXPECT_FALSE(test, present(&r, second, PAGE_SIZE + 1, false));
	KUNIT_ASSERT_EQ(test, rxt_odp_set(fake.odp, VA + second, fake.page[1], true), 0);
	KUNIT_EXPECT_TRUE(test, present(&r, second, PAGE_SIZE, true));
	rxt_odp_zap(fake.odp, VA, VA + second);		/* the page before */
	KUNIT_EXPECT_TRUE(test, present(&r, second, PAGE_SIZE, true));
	rxt_odp_zap(fake.odp, VA + second + 100, VA + second + 101);
	KUNIT_EXPECT_FALSE(test, present(&r, second, 1, false));
	rig_down(test, &r);
}

/* Requests in: refused, asked for, and fine when they come again. */
static void odp_request_in(struct kunit *test)
{
	struct rig r;
	u8 *buf = kunit_kmalloc(test, LEN, GFP_KERNEL);
	u8 *got = kunit_kzalloc(test, LEN, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_ASSERT_NOT_NULL(test, got);
	for (i = 0; i < LEN; i++)
		buf[i] = i * 7 + (i >> 8);
	rig_up(test, &r);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, 0, buf, LEN), -EAGAIN);
	flush_workqueue(rxt_fault_wq);
	KUNIT_EXPECT_EQ(test, fake.calls, 1U);
	KUNIT_EXPECT_TRUE(test, fake.how & RXT_PAGE_WRITE);
	KUNIT_EXPECT_FALSE(test, test_bit(RXT_QP_FAULT_RX, &r.qp->flags));
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, 0, buf, LEN), 0);

	KUNIT_ASSERT_EQ(test, rxt_msg_enter(r.msg), 0);
	rxt_msg_copy(r.msg, 0, LEN, got);
	rxt_msg_exit(r.msg);
	KUNIT_EXPECT_EQ(test, memcmp(buf, got, LEN), 0);
	KUNIT_EXPECT_FALSE(test, rxt_msg_spliceable(r.msg));
	rig_down(test, &r);
}

/* No such memory: the second attempt knows, and a third one asks again. */
static void odp_no_memory_there(struct kunit *test)
{
	struct rig r;

	rig_up(test, &r);
	fake.err = -EFAULT;
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, 0, "x", 1), -EAGAIN);
	flush_workqueue(rxt_fault_wq);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, 0, "x", 1), -EFAULT);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, 0, "x", 1), -EAGAIN);
	flush_workqueue(rxt_fault_wq);
	KUNIT_EXPECT_EQ(test, fake.calls, 2U);
	/* Another place is another matter. */
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, PAGE_SIZE, "x", 1), -EAGAIN);
	flush_workqueue(rxt_fault_wq);

	KUNIT_EXPECT_EQ(test, rxt_msg_enter(r.msg), -ENOBUFS);
	flush_workqueue(rxt_fault_wq);
	KUNIT_EXPECT_EQ(test, fake.kicks, 1U);
	KUNIT_EXPECT_EQ(test, rxt_msg_enter(r.msg), -EFAULT);
	/* For now only: asked again, as often as it takes. */
	fake.err = -ENOMEM;
	KUNIT_EXPECT_EQ(test, rxt_msg_enter(r.msg), -ENOBUFS);
	flush_workqueue(rxt_fault_wq);
	KUNIT_EXPECT_EQ(test, rxt_msg_enter(r.msg), -ENOBUFS);
	flush_workqueue(rxt_fault_wq);
	fake.err = 0;
	KUNIT_EXPECT_EQ(test, rxt_msg_enter(r.msg), -ENOBUFS);
	flush_workqueue(rxt_fault_wq);
	KUNIT_EXPECT_EQ(test, rxt_msg_enter(r.msg), 0);
	rxt_msg_exit(r.msg);
	rig_down(test, &r);
}

/* Answers: kept, and the request completes when they are where they belong. */
static void odp_answer(struct kunit *test)
{
	struct rig r;
	u8 *at;

	rig_up(test, &r);
	fake.waiting = r.msg;
	r.rx.msg = r.msg;
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, 0, "ab", 2), 0);
	flush_workqueue(rxt_fault_wq);
	KUNIT_EXPECT_EQ(test, fake.answered, 0U);
	rxt_odp_zap(fake.odp, VA, VA + LEN);
	fake.hold = true;
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, 2, "cd", 2), 0);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, LEN - 2, "yz", 2), 0);
	KUNIT_EXPECT_EQ(test, rxt_odp_answer_kept(r.qp, 7), 1);
	fake.hold = false;
	flush_workqueue(rxt_fault_wq);
	at = page_address(fake.page[0]) + (VA & ~PAGE_MASK);
	KUNIT_EXPECT_EQ(test, memcmp(at, "abcd", 4), 0);
	at = page_address(fake.page[PAGES - 1]) + PAGE_SIZE - 7 - 2;
	KUNIT_EXPECT_EQ(test, memcmp(at, "yz", 2), 0);
	KUNIT_EXPECT_EQ(test, fake.answered, 1U);
	KUNIT_EXPECT_TRUE(test, list_empty(&r.qp->bounces));
	/* All in place: nothing is kept. */
	KUNIT_EXPECT_EQ(test, rxt_odp_answer_kept(r.qp, 7), 0);
	rig_down(test, &r);
}

static void odp_answer_nowhere(struct kunit *test)
{
	struct rig r;

	rig_up(test, &r);
	fake.waiting = r.msg;
	fake.err = -EFAULT;
	r.rx.msg = r.msg;
	/* Known before the answer is all there: who ends it is told. */
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, 0, "ab", 2), 0);
	flush_workqueue(rxt_fault_wq);
	KUNIT_EXPECT_EQ(test, fake.failed, 0);
	KUNIT_EXPECT_EQ(test, rxt_odp_answer_kept(r.qp, 7), -EFAULT);
	KUNIT_EXPECT_EQ(test, rxt_odp_answer_kept(r.qp, 7), 0);
	/* Known later: the work fails the request. */
	fake.hold = true;
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, 0, "ab", 2), 0);
	KUNIT_EXPECT_EQ(test, rxt_odp_answer_kept(r.qp, 7), 1);
	fake.hold = false;
	flush_workqueue(rxt_fault_wq);
	KUNIT_EXPECT_EQ(test, fake.failed, IB_WC_LOC_PROT_ERR);
	rig_down(test, &r);
}

/* The end of a QP forgets what waits. */
static void odp_stop(struct kunit *test)
{
	struct rig r;

	rig_up(test, &r);
	fake.waiting = r.msg;
	fake.err = -ENOMEM;	/* tried again until then */
	r.rx.msg = r.msg;
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(&r.rx, 0, "ab", 2), 0);
	KUNIT_EXPECT_EQ(test, rxt_msg_enter(r.msg), -ENOBUFS);
	msleep(20);
	set_bit(RXT_QP_STOPPED, &r.qp->flags);
	rig_down(test, &r);
	KUNIT_EXPECT_EQ(test, fake.answered, 0U);
}

static void odp_prefetch(struct kunit *test)
{
	struct rig r;
	u32 key;

	rig_up(test, &r);
	key = rxt_mr_key(r.mr);
	KUNIT_EXPECT_EQ(test, rxt_odp_prefetch(&dev_a, &pd_a, key, IOVA, LEN + 1, 0, true),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, rxt_odp_prefetch(&dev_a, &pd_a, key ^ 1, IOVA, 1, 0, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxt_odp_prefetch(&dev_a, &pd_a, key, IOVA, LEN, 0, true), 0);
	KUNIT_EXPECT_TRUE(test, present(&r, 0, LEN, false));
	KUNIT_EXPECT_FALSE(test, present(&r, 0, LEN, true));
	KUNIT_EXPECT_EQ(test, rxt_odp_prefetch(&dev_a, &pd_a, key, IOVA, LEN, RXT_PAGE_WRITE,
					       false), 0);
	flush_workqueue(rxt_fault_wq);
	KUNIT_EXPECT_TRUE(test, present(&r, 0, LEN, true));
	rig_down(test, &r);
}

static int odp_suite_init(struct kunit_suite *suite)
{
	rxt_ids_init();
	dev_a.stats = alloc_percpu(struct rxt_stats);
	rxt_fault_wq = alloc_workqueue("rxt_fault_test", WQ_UNBOUND, 0);
	return dev_a.stats && rxt_fault_wq ? 0 : -ENOMEM;
}

static void odp_suite_exit(struct kunit_suite *suite)
{
	destroy_workqueue(rxt_fault_wq);
	free_percpu(dev_a.stats);
	WARN_ON(!xa_empty(&mr_table));
	rcu_barrier();
}

static struct kunit_case odp_cases[] = {
	KUNIT_CASE(odp_present),
	KUNIT_CASE(odp_request_in),
	KUNIT_CASE(odp_no_memory_there),
	KUNIT_CASE(odp_answer),
	KUNIT_CASE(odp_answer_nowhere),
	KUNIT_CASE(odp_stop),
	KUNIT_CASE(odp_prefetch),
	{ }
};

static struct kunit_suite odp_suite = {
	.name = "rxt_odp",
	.suite_init = odp_suite_init,
	.suite_exit = odp_suite_exit,
	.test_cases = odp_cases,
};

kunit_test_suite(odp_suite);

MODULE_DESCRIPTION("rxt: tests of on-demand paging");
MODULE_LICENSE("GPL");
