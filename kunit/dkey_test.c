// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: keys whose memory comes and goes: the rules of binding, registering and
 * invalidating, on private copies of the core's files.
 *
 * What may not live here: order of work requests, statuses (mm_verbs_test.c).
 */
#include <kunit/test.h>
#include "private.h"
#include "../core/ids.c"
#include "../core/mr.c"
#include "../core/dkey.c"
#include "../core/fast.c"
#include "../core/mw.c"

#define BASE	0x10000ULL
#define LEN	(3 * PAGE_SIZE)

static const int pd_a, pd_b;		/* identities, nothing more */
static struct rxt_dev dev_a, dev_b;

/**
 * struct rig - a region, a window and two QPs of one protection domain
 * @qp: binds
 * @other: does not
 * @pages: of @mr; never followed
 * @mr: region
 * @mw: window
 */
struct rig {
	struct rxt_qp	qp;
	struct rxt_qp	other;
	struct page	**pages;
	struct rxt_mr	*mr;
	struct rxt_dkey	*mw;
};

static struct rig *rig(struct kunit *test, enum rxt_dkey_kind kind, int access)
{
	struct rig *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->qp.dev = &dev_a;
	r->qp.pd = &pd_a;
	r->qp.head.qpn = 17;
	r->other = r->qp;
	r->other.head.qpn = 18;
	r->pages = kvcalloc(3, sizeof(*r->pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r->pages);
	r->mr = rxt_mr_alloc(&dev_a, &pd_a, RXT_MR_PAGES, access);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, r->mr);
	KUNIT_ASSERT_EQ(test, rxt_mr_set_pages(r->mr, BASE + 5, LEN - 5, 5, r->pages, 3), 0);
	r->mw = rxt_dkey_create(&dev_a, &pd_a, kind, 8);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, r->mw);
	return r;
}

static void rig_end(struct kunit *test, struct rig *r)
{
	rxt_mr_forget(&r->qp.dst_mr);
	rxt_mr_forget(&r->other.dst_mr);
	rxt_dkey_destroy(r->mw);
	KUNIT_EXPECT_EQ(test, kref_read(&r->mr->ref), 1);
	KUNIT_EXPECT_EQ(test, rxt_mr_destroy(r->mr), 0);
}

#define MW_ALL	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)
#define MR_ALL	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_MW_BIND)

static int bind_to(struct rig *r, u64 addr, u64 len, int access, u8 key)
{
	struct rxt_msg msg = {
		.op = RXT_OP_BIND_MW, .raddr = addr, .rkey = rxt_dkey_key(r->mw),
		.mm = {
			.length = len, .lkey = rxt_mr_key(r->mr), .access = access,
			.new_key = (rxt_dkey_key(r->mw) & ~0xff) | key,
		},
	};

	return rxt_mw_bind(&r->qp, &msg);
}

static bool finds(struct rxt_qp *qp, u32 key, u64 addr, u64 len, int access)
{
	struct rxt_mr *mr = rxt_mr_find_remote(qp, key, addr, len, access);

	if (mr)
		rxt_mr_put(mr);
	return mr;
}

struct bind_case {
	const char		*name;
	enum rxt_dkey_kind	kind;
	int			mr_access;
	int			access;
	s64			off;		/* from the region's first byte */
	u64			len;
	int			ret;
};

static const struct bind_case bind_cases[] = {
	{ "type 1", RXT_DKEY_MW1, MR_ALL, MW_ALL, 0, LEN - 5, 0 },
	{ "type 2", RXT_DKEY_MW2, MR_ALL, MW_ALL, 0, LEN - 5, 0 },
	{ "a byte", RXT_DKEY_MW2, MR_ALL, MW_ALL, LEN - 6, 1, 0 },
	{ "one too long", RXT_DKEY_MW2, MR_ALL, MW_ALL, 0, LEN - 4, -EINVAL },
	{ "before", RXT_DKEY_MW1, MR_ALL, MW_ALL, -1, 1, -EINVAL },
	{ "wraps", RXT_DKEY_MW1, MR_ALL, MW_ALL, 8, U64_MAX - 4, -EINVAL },
	{ "no bind right", RXT_DKEY_MW1, IB_ACCESS_LOCAL_WRITE, MW_ALL, 0, 8, -EINVAL },
	{ "region is read only", RXT_DKEY_MW1, IB_ACCESS_MW_BIND, IB_ACCESS_REMOTE_WRITE, 0, 8,
	  -EINVAL },
	{ "atomics need write", RXT_DKEY_MW1, IB_ACCESS_MW_BIND, IB_ACCESS_REMOTE_ATOMIC, 0, 8,
	  -EINVAL },
	{ "read of read only", RXT_DKEY_MW1, IB_ACCESS_MW_BIND, IB_ACCESS_REMOTE_READ, 0, 8, 0 },
	{ "type 1 zero based", RXT_DKEY_MW1, MR_ALL, MW_ALL | IB_ZERO_BASED, 0, 8, -EINVAL },
	{ "type 2 zero based", RXT_DKEY_MW2, MR_ALL, MW_ALL | IB_ZERO_BASED, 8, 8, 0 },
	{ "zero based region", RXT_DKEY_MW2, MR_ALL | IB_ZERO_BASED, MW_ALL, 0, 8, -EINVAL },
	{ "type 1 nothing", RXT_DKEY_MW1, MR_ALL, 0, 0, 0, 0 },
	{ "type 2 nothing", RXT_DKEY_MW2, MR_ALL, 0, 0, 0, -EINVAL },
	{ "strange right", RXT_DKEY_MW2, MR_ALL, IB_ACCESS_ON_DEMAND, 0, 8, -EINVAL },
	{ "not a window", RXT_DKEY_FAST, MR_ALL, MW_ALL, 0, 8, -EINVAL },
};

static void bind_desc(const struct bind_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bind, bind_cases, bind_desc);

static void mw_bind_rules(struct kunit *test)
{
	const struct bind_case *c = test->param_value;
	struct rig *r = rig(test, c->kind, c->mr_access);
	u32 before = rxt_dkey_key(r->mw);
	u8 key = before + 7;

	KUNIT_EXPECT_EQ(test, bind_to(r, BASE + 5 + c->off, c->len, c->access, key), c->ret);
	KUNIT_EXPECT_EQ(test, rxt_dkey_key(r->mw), c->ret ? before : (before & ~0xff) | key);
	rig_end(test, r);
}

static void mw_bind_foreign(struct kunit *test)
{
	struct rig *r = rig(test, RXT_DKEY_MW2, MR_ALL);

	r->qp.pd = &pd_b;
	KUNIT_EXPECT_EQ(test, bind_to(r, BASE + 5, 8, MW_ALL, 1), -EINVAL);
	r->qp.pd = &pd_a;
	r->qp.dev = &dev_b;
	KUNIT_EXPECT_EQ(test, bind_to(r, BASE + 5, 8, MW_ALL, 1), -EINVAL);
	r->qp.dev = &dev_a;
	r->mw->key ^= 1;	/* who binds names an older key */
	KUNIT_EXPECT_EQ(test, rxt_mw_bind(&r->qp, &(struct rxt_msg) {
		.raddr = BASE + 5, .rkey = r->mw->key ^ 1,
		.mm = { .length = 8, .lkey = rxt_mr_key(r->mr), .access = MW_ALL },
	}), -EINVAL);
	/* A window is not a region to bind to. */
	KUNIT_EXPECT_EQ(test, bind_to(r, BASE + 5, 8, MW_ALL, 1), 0);
	KUNIT_EXPECT_PTR_EQ(test, rxt_mr_find_region(&dev_a, &pd_a, rxt_dkey_key(r->mw),
						     BASE + 5, 8, IB_ACCESS_REMOTE_READ), NULL);
	rig_end(test, r);
}

static void mw_access(struct kunit *test)
{
	struct rig *r = rig(test, RXT_DKEY_MW2, MR_ALL);
	u64 at = BASE + PAGE_SIZE + 100;
	u32 key;

	KUNIT_EXPECT_FALSE(test, finds(&r->qp, rxt_dkey_key(r->mw), at, 8,
				       IB_ACCESS_REMOTE_READ));
	KUNIT_ASSERT_EQ(test, bind_to(r, at, 300, IB_ACCESS_REMOTE_WRITE, 0x42), 0);
	key = rxt_dkey_key(r->mw);
	KUNIT_EXPECT_EQ(test, key & 0xff, 0x42U);
	KUNIT_EXPECT_TRUE(test, finds(&r->qp, key, at, 300, IB_ACCESS_REMOTE_WRITE));
	KUNIT_EXPECT_FALSE(test, finds(&r->qp, key, at, 301, IB_ACCESS_REMOTE_WRITE));
	KUNIT_EXPECT_FALSE(test, finds(&r->qp, key, at - 1, 1, IB_ACCESS_REMOTE_WRITE));
	KUNIT_EXPECT_FALSE(test, finds(&r->qp, key, at, 8, IB_ACCESS_REMOTE_READ));
	KUNIT_EXPECT_FALSE(test, finds(&r->qp, key ^ 1, at, 8, IB_ACCESS_REMOTE_WRITE));
	/* Of one QP, and no local key. */
	KUNIT_EXPECT_FALSE(test, finds(&r->other, key, at, 8, IB_ACCESS_REMOTE_WRITE));
	KUNIT_EXPECT_PTR_EQ(test, rxt_mr_find(&dev_a, &pd_a, key, at, 8, 0), NULL);
	KUNIT_EXPECT_PTR_EQ(test, rxt_mr_find(&dev_a, &pd_a, key, at, 8, IB_ACCESS_LOCAL_WRITE),
			    NULL);

	/* A window of type 2 is not bound twice, and belongs to who bound it. */
	KUNIT_EXPECT_EQ(test, bind_to(r, at, 8, IB_ACCESS_REMOTE_WRITE, 0x43), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxt_dkey_invalidate(&r->other, key), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxt_dkey_invalidate(&r->qp, key ^ 1), -EINVAL);
	KUNIT_EXPECT_TRUE(test, finds(&r->qp, key, at, 300, IB_ACCESS_REMOTE_WRITE));
	KUNIT_EXPECT_EQ(test, rxt_dkey_invalidate(&r->qp, key), 0);
	KUNIT_EXPECT_FALSE(test, finds(&r->qp, key, at, 300, IB_ACCESS_REMOTE_WRITE));
	/* Once more is no error; and it may be bound again. */
	KUNIT_EXPECT_EQ(test, rxt_dkey_invalidate(&r->qp, key), 0);
	KUNIT_EXPECT_EQ(test, bind_to(r, at, 8, IB_ACCESS_REMOTE_READ | IB_ZERO_BASED, 0x44), 0);
	KUNIT_EXPECT_TRUE(test, finds(&r->qp, rxt_dkey_key(r->mw), 0, 8, IB_ACCESS_REMOTE_READ));
	KUNIT_EXPECT_FALSE(test, finds(&r->qp, rxt_dkey_key(r->mw), at, 8,
				       IB_ACCESS_REMOTE_READ));
	rig_end(test, r);
}

static void mw_rebind(struct kunit *test)
{
	struct rig *r = rig(test, RXT_DKEY_MW1, MR_ALL);
	struct rxt_mr *held;
	u32 key;

	KUNIT_ASSERT_EQ(test, bind_to(r, BASE + 5, 8, MW_ALL, 1), 0);
	key = rxt_dkey_key(r->mw);
	/* Any QP of the protection domain; and it has no invalidate. */
	KUNIT_EXPECT_TRUE(test, finds(&r->other, key, BASE + 5, 8, IB_ACCESS_REMOTE_READ));
	KUNIT_EXPECT_EQ(test, rxt_dkey_invalidate(&r->qp, key), -EINVAL);

	held = rxt_mr_find_remote(&r->qp, key, BASE + 5, 8, IB_ACCESS_REMOTE_READ);
	KUNIT_ASSERT_NOT_NULL(test, held);
	KUNIT_ASSERT_EQ(test, bind_to(r, BASE + 5, 16, MW_ALL, 1), 0);
	/* The same key, but what was found before is over. */
	KUNIT_EXPECT_FALSE(test, rxt_mr_enter(held));
	rxt_mr_put(held);
	KUNIT_EXPECT_TRUE(test, finds(&r->qp, key, BASE + 5, 16, IB_ACCESS_REMOTE_READ));
	KUNIT_EXPECT_EQ(test, rxt_mr_destroy(r->mr), -EBUSY);
	KUNIT_EXPECT_TRUE(test, finds(&r->qp, key, BASE + 5, 16, IB_ACCESS_REMOTE_READ));
	KUNIT_EXPECT_EQ(test, bind_to(r, 0, 0, 0, 2), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->mr->windows), 0);
	KUNIT_EXPECT_FALSE(test, finds(&r->qp, key, BASE + 5, 8, IB_ACCESS_REMOTE_READ));
	rig_end(test, r);
}

static void mw_dealloc_bound(struct kunit *test)
{
	struct rig *r = rig(test, RXT_DKEY_MW2, MR_ALL);
	u32 key;

	KUNIT_ASSERT_EQ(test, bind_to(r, BASE + 5, 8, MW_ALL, 1), 0);
	key = rxt_dkey_key(r->mw);
	rxt_dkey_destroy(r->mw);
	KUNIT_EXPECT_FALSE(test, finds(&r->qp, key, BASE + 5, 8, IB_ACCESS_REMOTE_READ));
	KUNIT_EXPECT_EQ(test, rxt_dkey_invalidate(&r->qp, key), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxt_mr_destroy(r->mr), 0);
}

/* ---- fast registration ---- */

static struct rxt_mr *map(struct kunit *test, struct rig *r, unsigned int shift, u8 *mem,
			  u32 n, u64 stride)
{
	struct rxt_mr *m = rxt_fast_begin(r->mw, shift);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_EQ(test, rxt_fast_add(r->mw, m, (uintptr_t)mem + i * stride), 0);
	return m;
}

static int reg(struct rig *r, u64 iova, int access, u8 key)
{
	struct rxt_msg msg = {
		.op = RXT_OP_REG_MR, .raddr = iova, .rkey = rxt_dkey_key(r->mw),
		.mm = {
			.length = rxt_fast_staged(r->mw), .access = access,
			.new_key = (rxt_dkey_key(r->mw) & ~0xff) | key,
		},
	};

	return rxt_fast_register(&r->qp, &msg);
}

static void fast_life(struct kunit *test)
{
	struct rig *r = rig(test, RXT_DKEY_FAST, MR_ALL);
	u8 *mem = alloc_pages_exact(4 * PAGE_SIZE, GFP_KERNEL);
	struct rxt_mr *mr;
	u32 key;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	KUNIT_EXPECT_EQ(test, reg(r, 0x1000, MR_ALL, 1), -EINVAL);	/* nothing mapped */
	rxt_fast_stage(r->mw, map(test, r, PAGE_SHIFT, mem, 4, PAGE_SIZE), 100, 3 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, reg(r, 0x5064, IB_ACCESS_REMOTE_WRITE, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, reg(r, 0x5064, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE, 9), 0);
	key = rxt_dkey_key(r->mw);
	KUNIT_EXPECT_EQ(test, key & 0xff, 9U);
	KUNIT_EXPECT_TRUE(test, finds(&r->other, key, 0x5064, 3 * PAGE_SIZE,
				      IB_ACCESS_REMOTE_WRITE));
	KUNIT_EXPECT_FALSE(test, finds(&r->qp, key, 0x5064, 3 * PAGE_SIZE + 1,
				       IB_ACCESS_REMOTE_WRITE));
	mr = rxt_mr_find(&dev_a, &pd_a, key, 0x5064, 8, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_NOT_NULL(test, mr);
	KUNIT_EXPECT_TRUE(test, rxt_mr_enter(mr));
	rxt_mr_exit(mr);

	/* It has memory: not again before it is taken away. */
	rxt_fast_stage(r->mw, map(test, r, PAGE_SHIFT, mem, 1, PAGE_SIZE), 0, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, reg(r, 0, MR_ALL, 10), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxt_dkey_invalidate(&r->qp, key), 0);
	KUNIT_EXPECT_FALSE(test, rxt_mr_enter(mr));
	rxt_mr_put(mr);
	KUNIT_EXPECT_FALSE(test, finds(&r->qp, key, 0x5064, 8, IB_ACCESS_REMOTE_WRITE));

	/* Mapped twice: the request names the older mapping. */
	rxt_fast_stage(r->mw, map(test, r, PAGE_SHIFT, mem, 1, PAGE_SIZE), 0, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, rxt_fast_register(&r->qp, &(struct rxt_msg) {
		.rkey = key, .mm = { .length = rxt_fast_staged(r->mw) - 1, .new_key = key },
	}), -EINVAL);
	KUNIT_EXPECT_EQ(test, reg(r, 0, MR_ALL, 11), 0);
	KUNIT_EXPECT_EQ(test, rxt_dkey_invalidate(&r->qp, key), -EINVAL);	/* the old key */
	rig_end(test, r);
	free_pages_exact(mem, 4 * PAGE_SIZE);
}

struct block_case {
	const char	*name;
	unsigned int	shift;
	u64		stride;
	u64		offset;
};

static const struct block_case block_cases[] = {
	{ "pages", PAGE_SHIFT, 2 * PAGE_SIZE, 0 },
	{ "pages, offset", PAGE_SHIFT, 2 * PAGE_SIZE, 1234 },
	{ "half pages", PAGE_SHIFT - 1, PAGE_SIZE, 77 },
	{ "512 bytes", 9, 1024, 511 },
	{ "two pages", PAGE_SHIFT + 1, 2 * PAGE_SIZE, PAGE_SIZE + 3 },
};

static void block_desc(const struct block_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(block, block_cases, block_desc);

/* Every byte of a mapping is where the list says, and runs end where a block does. */
static void fast_blocks(struct kunit *test)
{
	const struct block_case *c = test->param_value;
	struct rig *r = rig(test, RXT_DKEY_FAST, MR_ALL);
	u64 size = BIT_ULL(c->shift), len = 8 * size - c->offset, pos = 0, iova = 0x1234567;
	u8 *mem = alloc_pages_exact(16 * PAGE_SIZE, GFP_KERNEL | __GFP_ZERO);
	struct rxt_mr *mr;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	/* Naturally aligned, also for blocks of two pages. */
	mr = map(test, r, c->shift, PTR_ALIGN(mem, size), min_t(u64, 7, 15 * PAGE_SIZE / c->stride),
		 c->stride);
	len = mr->npages * size - c->offset;
	rxt_fast_stage(r->mw, mr, c->offset, U64_MAX);
	KUNIT_ASSERT_EQ(test, reg(r, iova, MR_ALL, 1), 0);
	KUNIT_ASSERT_EQ(test, mr->length, len);
	while (pos < len) {
		u64 at = pos + c->offset, block = at >> c->shift, in = at & (size - 1);
		u8 *want = (u8 *)PTR_ALIGN(mem, size) + block * c->stride + in;
		unsigned int off, room;
		struct page *page = rxt_mr_page(mr, iova + pos, &off, &room);

		if ((u8 *)page_address(page) + off != want || !room || room > size - in ||
		    off + room > PAGE_SIZE) {
			KUNIT_FAIL(test, "at %llu: %ld bytes off, room %u", pos,
				   (long)((u8 *)page_address(page) + off - want), room);
			break;
		}
		pos += room;
	}
	KUNIT_EXPECT_EQ(test, pos, len);
	rig_end(test, r);
	free_pages_exact(mem, 16 * PAGE_SIZE);
}

static void fast_full(struct kunit *test)
{
	struct rig *r = rig(test, RXT_DKEY_FAST, MR_ALL);
	struct rxt_mr *m = map(test, r, 12, NULL, 8, 4096);

	KUNIT_EXPECT_EQ(test, rxt_fast_add(r->mw, m, 0), -ENOMEM);
	kfree(m);
	m = map(test, r, 12, NULL, 0, 0);
	KUNIT_EXPECT_EQ(test, rxt_fast_add(r->mw, m, 512), -EINVAL);
	kfree(m);
	rig_end(test, r);
}

static int dkey_suite_init(struct kunit_suite *suite)
{
	rxt_ids_init();
	return 0;
}

static void dkey_suite_exit(struct kunit_suite *suite)
{
	WARN_ON(!xa_empty(&mr_table));
	rcu_barrier();
}

static struct kunit_case dkey_cases[] = {
	KUNIT_CASE_PARAM(mw_bind_rules, bind_gen_params),
	KUNIT_CASE(mw_bind_foreign),
	KUNIT_CASE(mw_access),
	KUNIT_CASE(mw_rebind),
	KUNIT_CASE(mw_dealloc_bound),
	KUNIT_CASE(fast_life),
	KUNIT_CASE_PARAM(fast_blocks, block_gen_params),
	KUNIT_CASE(fast_full),
	{ }
};

static struct kunit_suite dkey_suite = {
	.name = "rxt_dkey",
	.suite_init = dkey_suite_init,
	.suite_exit = dkey_suite_exit,
	.test_cases = dkey_cases,
};

kunit_test_suite(dkey_suite);

MODULE_DESCRIPTION("rxt: tests of keys that change");
MODULE_LICENSE("GPL");
