// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: memory regions: ranges and their wrap, keys and their reuse, revoking.
 *
 * What lives here: the key table and the access check, on a private copy of them.
 * What may not: payload (payload_test.c).
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/delay.h>
#include "private.h"
#include "../core/ids.c"
#include "../core/mr.c"

static const int pd_a, pd_b;		/* identities, nothing more */
static struct rxt_dev dev_a, dev_b;

/* A region of @npages page pointers that are never followed. */
static struct rxt_mr *make_mr(struct kunit *test, u64 iova, u64 length, unsigned int offset,
			      u32 npages)
{
	struct page **pages = kvcalloc(npages, sizeof(*pages), GFP_KERNEL);
	struct rxt_mr *mr;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	mr = rxt_mr_alloc(&dev_a, &pd_a, RXT_MR_PAGES,
			  IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_ASSERT_EQ(test, rxt_mr_set_pages(mr, iova, length, offset, pages, npages), 0);
	return mr;
}

static bool found(const struct rxt_mr *mr, u64 addr, u64 len, int access)
{
	struct rxt_mr *got = rxt_mr_find(&dev_a, &pd_a, rxt_mr_key(mr), addr, len, access);

	if (got)
		rxt_mr_put(got);
	return got == mr;
}

#define LEN	(2 * PAGE_SIZE + 5)

struct range_case {
	const char	*name;
	u64		iova;
	s64		off;		/* of the access, from iova */
	u64		len;
	bool		ok;
};

static const struct range_case range_cases[] = {
	{ "all",		0x10003, 0, LEN, true },
	{ "first byte",		0x10003, 0, 1, true },
	{ "last byte",		0x10003, LEN - 1, 1, true },
	{ "before",		0x10003, -1, 1, false },
	{ "straddles start",	0x10003, -1, 2, false },
	{ "behind",		0x10003, LEN, 1, false },
	{ "straddles end",	0x10003, LEN - 1, 2, false },
	{ "one too long",	0x10003, 0, LEN + 1, false },
	{ "2^32 + 1 bytes",	0x10003, 0, BIT_ULL(32) + 1, false },
	{ "length wraps",	0x10003, 1, U64_MAX, false },
	{ "end wraps inside",	0x10003, 16, U64_MAX - 8, false },
	{ "address below 0",	0x10003, -0x10004, 1, false },
	{ "at 0",		0, 0, LEN, true },
	{ "at 0, before",	0, -1, 1, false },
	{ "at 0, wraps",	0, -1, 2, false },
	{ "top, all",		U64_MAX - LEN, 0, LEN, true },
	{ "top, behind",	U64_MAX - LEN, LEN, 1, false },
	{ "top, wraps",		U64_MAX - LEN, LEN - 1, 3, false },
	{ "top, at 0",		U64_MAX - LEN, LEN + 1, 1, false },
};

static void range_desc(const struct range_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(range, range_cases, range_desc);

static void mr_range(struct kunit *test)
{
	const struct range_case *c = test->param_value;
	struct rxt_mr *mr = make_mr(test, c->iova, LEN, 3, 3);

	KUNIT_EXPECT_EQ(test, found(mr, c->iova + c->off, c->len, 0), c->ok);
	KUNIT_EXPECT_EQ(test, kref_read(&mr->ref), 1);
	rxt_mr_destroy(mr);
}

struct geometry_case {
	const char	*name;
	u64		iova;
	u64		length;
	unsigned int	offset;
	u32		npages;
	int		ret;
};

static const struct geometry_case geometry_cases[] = {
	{ "exact",		0x1000, PAGE_SIZE, 0, 1, 0 },
	{ "exact with offset",	0x1000, PAGE_SIZE - 7, 7, 1, 0 },
	{ "one byte too many",	0x1000, PAGE_SIZE + 1, 0, 1, -EINVAL },
	{ "offset too much",	0x1000, PAGE_SIZE, 1, 1, -EINVAL },
	{ "offset of a page",	0x1000, 1, PAGE_SIZE, 2, -EINVAL },
	{ "no pages",		0x1000, 1, 0, 0, -EINVAL },
	{ "no pages, offset",	0x1000, 100, 5, 0, -EINVAL },
	{ "wraps",		U64_MAX - 5, 7, 0, 1, -EINVAL },
	{ "length wraps",	0x1000, U64_MAX, 0, 1, -EINVAL },
};

static void geometry_desc(const struct geometry_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(geometry, geometry_cases, geometry_desc);

static void mr_geometry(struct kunit *test)
{
	const struct geometry_case *c = test->param_value;
	struct page **pages = kvcalloc(c->npages ?: 1, sizeof(*pages), GFP_KERNEL);
	struct rxt_mr *mr = rxt_mr_alloc(&dev_a, &pd_a, RXT_MR_PAGES, 0);
	int ret;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	ret = rxt_mr_set_pages(mr, c->iova, c->length, c->offset, pages, c->npages);
	KUNIT_EXPECT_EQ(test, ret, c->ret);
	/* What was refused must not be found either. */
	KUNIT_EXPECT_EQ(test, found(mr, c->iova, 1, 0), !c->ret);
	if (ret)
		kvfree(pages);
	rxt_mr_destroy(mr);
}

static void mr_identity(struct kunit *test)
{
	struct rxt_mr *mr = make_mr(test, 0x1000, 8, 0, 1);
	u32 key = rxt_mr_key(mr);
	int bit;

	KUNIT_EXPECT_TRUE(test, found(mr, 0x1000, 8, IB_ACCESS_LOCAL_WRITE));
	KUNIT_EXPECT_TRUE(test, found(mr, 0x1000, 8, IB_ACCESS_LOCAL_WRITE |
					      IB_ACCESS_REMOTE_READ));
	KUNIT_EXPECT_FALSE(test, found(mr, 0x1000, 8, IB_ACCESS_REMOTE_WRITE));
	KUNIT_EXPECT_FALSE(test, found(mr, 0x1000, 8, IB_ACCESS_REMOTE_READ |
					       IB_ACCESS_REMOTE_ATOMIC));
	KUNIT_EXPECT_NULL(test, rxt_mr_find(&dev_b, &pd_a, key, 0x1000, 8, 0));
	KUNIT_EXPECT_NULL(test, rxt_mr_find(&dev_a, &pd_b, key, 0x1000, 8, 0));
	for (bit = 0; bit < 32; bit++)
		KUNIT_EXPECT_NULL(test, rxt_mr_find(&dev_a, &pd_a, key ^ BIT(bit), 0x1000, 8, 0));
	KUNIT_EXPECT_EQ(test, kref_read(&mr->ref), 1);
	rxt_mr_destroy(mr);
}

static void mr_unpublished(struct kunit *test)
{
	struct rxt_mr *mr = rxt_mr_alloc(&dev_a, &pd_a, RXT_MR_DMA, 0);
	u8 *buf = kunit_kzalloc(test, 64, GFP_KERNEL);
	u64 addr = (uintptr_t)buf;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_EXPECT_FALSE(test, found(mr, addr, 64, 0));
	rxt_mr_set_dma(mr);
	/* All of the kernel's memory, and nothing else. */
	KUNIT_EXPECT_TRUE(test, found(mr, addr, 64, 0));
	KUNIT_EXPECT_FALSE(test, found(mr, 0x1234567812345678ULL, 8, 0));
	KUNIT_EXPECT_FALSE(test, found(mr, U64_MAX - 1, 1, 0));
	KUNIT_EXPECT_FALSE(test, found(mr, U64_MAX, 2, 0));
	rxt_mr_destroy(mr);
}

static int destroy_thread(void *arg)
{
	rxt_mr_destroy(arg);
	return 0;
}

/* Revoke: nobody finds it, nobody new touches it, and it waits for who does. */
static void mr_revoke(struct kunit *test)
{
	struct rxt_mr *mr = make_mr(test, 0x1000, 8, 0, 1);
	struct task_struct *task;
	u32 key = rxt_mr_key(mr);

	kref_get(&mr->ref);		/* a message that names it */
	KUNIT_ASSERT_TRUE(test, rxt_mr_enter(mr));
	task = kthread_run(destroy_thread, mr, "rxt_mr_test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	while (rxt_mr_find(&dev_a, &pd_a, key, 0x1000, 8, 0)) {
		rxt_mr_put(mr);
		msleep(20);
	}
	msleep(20);
	KUNIT_EXPECT_NOT_NULL(test, mr->pages);	/* it does wait */
	KUNIT_EXPECT_FALSE(test, rxt_mr_enter(mr));	/* and nobody prolongs it */
	rxt_mr_exit(mr);
	kthread_stop(task);
	put_task_struct(task);
	KUNIT_EXPECT_FALSE(test, rxt_mr_enter(mr));
	KUNIT_EXPECT_NULL(test, mr->pages);
	KUNIT_EXPECT_EQ(test, kref_read(&mr->ref), 1);
	rxt_mr_put(mr);
}

/* Who uses a region again gets it without the table, and with all the checks. */
static void mr_find_again(struct kunit *test)
{
	struct rxt_mr *mr = make_mr(test, 0x1000, 64, 0, 1), *last = NULL;
	struct rxt_mr *other = make_mr(test, 0x1000, 64, 0, 1);
	u32 key = rxt_mr_key(mr);

	KUNIT_EXPECT_PTR_EQ(test, rxt_mr_find_again(&last, &dev_a, &pd_a, key, 0x1000, 64, 0), mr);
	KUNIT_EXPECT_PTR_EQ(test, last, mr);
	KUNIT_EXPECT_PTR_EQ(test, rxt_mr_find_again(&last, &dev_a, &pd_a, key, 0x1000, 64,
						    IB_ACCESS_REMOTE_READ), mr);
	KUNIT_EXPECT_EQ(test, kref_read(&mr->ref), 4);
	KUNIT_EXPECT_NULL(test, rxt_mr_find_again(&last, &dev_a, &pd_a, key, 0x1000, 65, 0));
	KUNIT_EXPECT_NULL(test, rxt_mr_find_again(&last, &dev_a, &pd_a, key, 0xfff, 1, 0));
	KUNIT_EXPECT_NULL(test, rxt_mr_find_again(&last, &dev_a, &pd_a, key ^ 1, 0x1000, 1, 0));
	KUNIT_EXPECT_NULL(test, rxt_mr_find_again(&last, &dev_a, &pd_b, key, 0x1000, 1, 0));
	KUNIT_EXPECT_NULL(test, rxt_mr_find_again(&last, &dev_b, &pd_a, key, 0x1000, 1, 0));
	KUNIT_EXPECT_NULL(test, rxt_mr_find_again(&last, &dev_a, &pd_a, key, 0x1000, 1,
						  IB_ACCESS_REMOTE_WRITE));
	KUNIT_EXPECT_PTR_EQ(test, last, mr);
	rxt_mr_put(mr);
	rxt_mr_put(mr);

	/* Revoked: not any more, though the descriptor is kept. */
	rxt_mr_destroy(mr);
	KUNIT_EXPECT_NULL(test, rxt_mr_find_again(&last, &dev_a, &pd_a, key, 0x1000, 1, 0));
	KUNIT_EXPECT_EQ(test, kref_read(&mr->ref), 1);
	/* Another one takes its place. */
	KUNIT_EXPECT_PTR_EQ(test, rxt_mr_find_again(&last, &dev_a, &pd_a, rxt_mr_key(other),
						    0x1000, 1, 0), other);
	KUNIT_EXPECT_PTR_EQ(test, last, other);
	rxt_mr_put(other);
	rxt_mr_forget(&last);
	KUNIT_EXPECT_NULL(test, last);
	KUNIT_EXPECT_EQ(test, kref_read(&other->ref), 1);
	rxt_mr_destroy(other);
}

/* A key that was given back does not come again soon, nor can it be counted. */
static void mr_key_reuse(struct kunit *test)
{
	const unsigned int num = 4096;
	u32 *keys = kunit_kcalloc(test, num, sizeof(*keys), GFP_KERNEL);
	unsigned int i, j, neighbours = 0;

	KUNIT_ASSERT_NOT_NULL(test, keys);
	for (i = 0; i < num; i++) {
		struct rxt_mr *mr = rxt_mr_alloc(&dev_a, &pd_a, RXT_MR_DMA, 0);

		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
		rxt_mr_set_dma(mr);
		keys[i] = rxt_mr_key(mr);
		KUNIT_ASSERT_TRUE(test, found(mr, (uintptr_t)keys, 1, 0));
		rxt_mr_destroy(mr);
		mr = rxt_mr_find(&dev_a, &pd_a, keys[i], (uintptr_t)keys, 1, 0);
		KUNIT_ASSERT_NULL(test, mr);
		if (i && abs((s32)((keys[i] >> 8) - (keys[i - 1] >> 8))) <= 1)
			neighbours++;
	}
	for (i = 0; i < num; i++)
		for (j = i + 1; j < num; j++)
			if (keys[i] == keys[j])
				KUNIT_FAIL(test, "key %#x came at %u and %u", keys[i], i, j);
	KUNIT_EXPECT_LT(test, neighbours, 8U);
}

/* The circle of indices closes: numbers in use are skipped. */
static void mr_index_wrap(struct kunit *test)
{
	struct rxt_mr *mr[8];
	unsigned int i, j;

	mr_next = 1;
	mr[0] = make_mr(test, 0x1000, 8, 0, 1);
	mr[1] = make_mr(test, 0x1000, 8, 0, 1);
	KUNIT_EXPECT_EQ(test, mr[0]->index, 1);
	mr_next = RXT_MAX_MR - 2;
	for (i = 2; i < ARRAY_SIZE(mr); i++)
		mr[i] = make_mr(test, 0x1000, 8, 0, 1);
	KUNIT_EXPECT_EQ(test, mr[4]->index, RXT_MAX_MR);
	KUNIT_EXPECT_EQ(test, mr[5]->index, 3);
	for (i = 0; i < ARRAY_SIZE(mr); i++) {
		KUNIT_EXPECT_TRUE(test, found(mr[i], 0x1000, 8, 0));
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, rxt_mr_key(mr[i]), rxt_mr_key(mr[j]));
	}
	for (i = 0; i < ARRAY_SIZE(mr); i++)
		rxt_mr_destroy(mr[i]);
}

static void ids_bijection(struct kunit *test)
{
	u32 i, id;

	for (i = 0; i < BIT(24); i += 13) {
		id = rxt_id_scramble(i);
		if (id >= BIT(24) || rxt_id_unscramble(id) != i) {
			KUNIT_FAIL(test, "%#x -> %#x -> %#x", i, id, rxt_id_unscramble(id));
			return;
		}
	}
}

static int mr_suite_init(struct kunit_suite *suite)
{
	rxt_ids_init();
	return 0;
}

static void mr_suite_exit(struct kunit_suite *suite)
{
	WARN_ON(!xa_empty(&mr_table));
	rcu_barrier();
}

static struct kunit_case mr_test_cases[] = {
	KUNIT_CASE_PARAM(mr_range, range_gen_params),
	KUNIT_CASE_PARAM(mr_geometry, geometry_gen_params),
	KUNIT_CASE(mr_identity),
	KUNIT_CASE(mr_unpublished),
	KUNIT_CASE(mr_revoke),
	KUNIT_CASE(mr_find_again),
	KUNIT_CASE(mr_key_reuse),
	KUNIT_CASE(mr_index_wrap),
	KUNIT_CASE(ids_bijection),
	{ }
};

static struct kunit_suite mr_test_suite = {
	.name = "rxt_mr",
	.suite_init = mr_suite_init,
	.suite_exit = mr_suite_exit,
	.test_cases = mr_test_cases,
};

kunit_test_suite(mr_test_suite);

MODULE_DESCRIPTION("rxt: tests of memory regions");
MODULE_LICENSE("GPL");
