// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: queues that a process shares with us: against a model in normal use, and
 * with every index that a hostile process can write.
 *
 * What lives here: provider/ring.c on a private copy. What may not: the content of
 * slots beyond a number.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include "private.h"
#include "../provider/ring.c"

static u32 *slot_value(const struct rxt_ring *ring, u32 index)
{
	return rxt_ring_slot(ring, index);
}

static bool slot_inside(const struct rxt_ring *ring, const void *slot)
{
	const u8 *p = slot, *buf = (const u8 *)ring->buf->data;

	return p >= buf && p + BIT(ring->shift) <= (const u8 *)ring->buf + ring_bytes(ring);
}

struct size_case {
	u32	num;
	size_t	elem;
	int	ret;
	u32	slots;
	u32	slot_size;
};

static const struct size_case size_cases[] = {
	{ 1, 64, 0, 2, 64 },
	{ 2, 64, 0, 4, 64 },
	{ 3, 65, 0, 4, 128 },
	{ 4, 1, 0, 8, 64 },
	{ 63, 72, 0, 64, 128 },
	{ 64, 72, 0, 128, 128 },
	{ 16384, 600, 0, 32768, 1024 },
	{ BIT(30) - 1, 64, -EINVAL },
	{ BIT(30), 64, -EINVAL },
	{ U32_MAX, 64, -EINVAL },
};

static void ring_sizes(struct kunit *test)
{
	struct rxt_ring ring;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(size_cases); i++) {
		const struct size_case *c = &size_cases[i];
		int ret = rxt_ring_init(&ring, c->num, c->elem, NULL);

		KUNIT_EXPECT_EQ_MSG(test, ret, c->ret, "%u x %zu", c->num, c->elem);
		if (!ret) {
			KUNIT_EXPECT_EQ(test, ring.mask + 1, c->slots);
			KUNIT_EXPECT_EQ(test, BIT(ring.shift), c->slot_size);
			KUNIT_EXPECT_TRUE(test, slot_inside(&ring, slot_value(&ring, U32_MAX)));
			KUNIT_EXPECT_EQ(test, rxt_ring_posted(&ring), 0U);
		}
		rxt_ring_free(&ring);
	}
}

/* A queue that the process fills, the kernel reads and releases: the model is three
 * counters that never wrap.
 */
static void ring_read_model(struct kunit *test)
{
	u32 prod = 0, fetch = 0, cons = 0, n, i;
	struct rnd_state rnd;
	struct rxt_ring ring;

	prandom_seed_state(&rnd, 4711);
	KUNIT_ASSERT_EQ(test, rxt_ring_init(&ring, 6, 64, NULL), 0);
	KUNIT_ASSERT_EQ(test, ring.mask, 7U);
	for (i = 0; i < 20000; i++) {
		switch (prandom_u32_state(&rnd) % 3) {
		case 0:	/* the process posts, as librxe does: one slot stays empty */
			if (((prod + 1 - ring.buf->consumer_index) & 7) == 0)
				break;
			*slot_value(&ring, prod) = prod;
			ring.buf->producer_index = ++prod & 7;
			break;
		case 1:
			n = rxt_ring_posted(&ring);
			KUNIT_ASSERT_EQ(test, n, prod - fetch);
			if (!n)
				break;
			KUNIT_ASSERT_EQ(test, *slot_value(&ring, ring.fetch), fetch);
			rxt_ring_step(&ring);
			fetch++;
			break;
		default:
			n = prandom_u32_state(&rnd) % (fetch - cons + 1);
			rxt_ring_release(&ring, n);
			cons += n;
			KUNIT_ASSERT_EQ(test, ring.buf->consumer_index, cons & 7);
			break;
		}
		KUNIT_ASSERT_FALSE(test, ring.bad);
	}
	KUNIT_EXPECT_GT(test, cons, 1000U);
	rxt_ring_free(&ring);
}

/* A queue that the kernel fills and the process empties. */
static void ring_fill_model(struct kunit *test)
{
	u32 prod = 0, cons = 0, i, *slot;
	struct rnd_state rnd;
	struct rxt_ring ring;

	prandom_seed_state(&rnd, 42);
	KUNIT_ASSERT_EQ(test, rxt_ring_init(&ring, 3, 64, NULL), 0);
	for (i = 0; i < 20000; i++) {
		if (prandom_u32_state(&rnd) & 1) {
			slot = rxt_ring_room(&ring);
			KUNIT_ASSERT_EQ(test, !slot, prod - cons == ring.mask);
			if (!slot)
				continue;
			*slot = prod++;
			rxt_ring_push(&ring);
		} else if (ring.buf->producer_index != ring.buf->consumer_index) {
			KUNIT_ASSERT_EQ(test, *slot_value(&ring, ring.buf->consumer_index), cons);
			cons++;
			ring.buf->consumer_index = (ring.buf->consumer_index + 1) & ring.mask;
		}
	}
	KUNIT_EXPECT_GT(test, cons, 1000U);
	rxt_ring_free(&ring);
}

static const u32 garbage[] = { 0, 8, 0x100, 0x7ffffff8, 0x80000000, 0xfffffff8 };

/* Whatever the process writes as its index: never more entries than slots. */
static void ring_hostile_producer(struct kunit *test)
{
	struct rxt_ring ring;
	u32 cons, held, prod, g, n;

	KUNIT_ASSERT_EQ(test, rxt_ring_init(&ring, 7, 64, NULL), 0);
	for (cons = 0; cons < 8; cons++) {
		for (held = 0; held < 8; held++) {
			for (prod = 0; prod < 8; prod++) {
				u32 ahead = (prod - cons) & 7;

				g = garbage[(prod + held) % ARRAY_SIZE(garbage)];
				ring.cons = cons;
				ring.fetch = (cons + held) & 7;
				ring.bad = false;
				ring.buf->producer_index = prod + g;
				n = rxt_ring_posted(&ring);
				KUNIT_ASSERT_LE(test, held + n, ring.mask);
				/* Behind what was read already: broken, nothing is read. */
				KUNIT_ASSERT_EQ(test, ring.bad, ahead < held);
				KUNIT_ASSERT_EQ(test, n, ahead < held ? 0 : ahead - held);
			}
		}
	}
	rxt_ring_free(&ring);
}

/* Both of the process's words change all the time, also the one that is ours. */
static void ring_hostile_random(struct kunit *test)
{
	struct rnd_state rnd;
	struct rxt_ring ring;
	u32 i, n;

	prandom_seed_state(&rnd, 1);
	KUNIT_ASSERT_EQ(test, rxt_ring_init(&ring, 100, 64, NULL), 0);
	for (i = 0; i < 100000; i++) {
		ring.buf->producer_index = prandom_u32_state(&rnd);
		ring.buf->consumer_index = prandom_u32_state(&rnd);
		ring.buf->index_mask = prandom_u32_state(&rnd);
		ring.buf->log2_elem_size = prandom_u32_state(&rnd);
		n = rxt_ring_posted(&ring);
		KUNIT_ASSERT_LE(test, n, ring.mask);
		if (n) {
			KUNIT_ASSERT_TRUE(test, slot_inside(&ring, slot_value(&ring, ring.fetch)));
			rxt_ring_step(&ring);
		}
		KUNIT_ASSERT_LE(test, ring.fetch, ring.mask);
		if (i % 3 == 0) {
			rxt_ring_release(&ring, (ring.fetch - ring.cons) & ring.mask);
			KUNIT_ASSERT_EQ(test, ring.cons, ring.fetch);
		}
		if (i % 1000 == 0)
			rxt_ring_drop_all(&ring);
	}
	rxt_ring_free(&ring);
}

static void ring_hostile_consumer(struct kunit *test)
{
	struct rnd_state rnd;
	struct rxt_ring ring;
	u32 i, *slot;

	prandom_seed_state(&rnd, 2);
	KUNIT_ASSERT_EQ(test, rxt_ring_init(&ring, 30, 100, NULL), 0);
	for (i = 0; i < 100000; i++) {
		ring.buf->consumer_index = prandom_u32_state(&rnd);
		ring.buf->producer_index = prandom_u32_state(&rnd);
		slot = rxt_ring_room(&ring);
		if (!slot)
			continue;
		KUNIT_ASSERT_TRUE(test, slot_inside(&ring, slot));
		rxt_ring_push(&ring);
		KUNIT_ASSERT_LE(test, ring.prod, ring.mask);
		KUNIT_ASSERT_EQ(test, ring.buf->producer_index, ring.prod);
	}
	rxt_ring_free(&ring);
}

/* A broken queue says so until it is emptied by a reset. */
static void ring_bad_recovers(struct kunit *test)
{
	struct rxt_ring ring;

	KUNIT_ASSERT_EQ(test, rxt_ring_init(&ring, 7, 64, NULL), 0);
	ring.buf->producer_index = 3;
	KUNIT_EXPECT_EQ(test, rxt_ring_posted(&ring), 3U);
	rxt_ring_step(&ring);
	rxt_ring_step(&ring);
	ring.buf->producer_index = 1;
	KUNIT_EXPECT_EQ(test, rxt_ring_posted(&ring), 0U);
	KUNIT_EXPECT_TRUE(test, ring.bad);
	rxt_ring_drop_all(&ring);
	KUNIT_EXPECT_FALSE(test, ring.bad);
	KUNIT_EXPECT_EQ(test, rxt_ring_posted(&ring), 0U);
	ring.buf->producer_index = 2;
	KUNIT_EXPECT_EQ(test, rxt_ring_posted(&ring), 1U);
	rxt_ring_free(&ring);
}

/* Resize from any position: the same entries, in order, or a refusal. */
static void resize_one(struct kunit *test, u32 num, u32 cons, u32 entries)
{
	struct rxt_ring src, dst;
	u32 prod = (cons + entries) & 7, i;
	int ret;

	KUNIT_ASSERT_EQ(test, rxt_ring_init(&src, 7, 64, NULL), 0);
	KUNIT_ASSERT_EQ(test, rxt_ring_init(&dst, num, 64, NULL), 0);
	for (i = 0; i < entries; i++)
		*slot_value(&src, cons + i) = 100 + i;
	/* Half of it before the lock. */
	rxt_ring_copy(&dst, &src, cons, cons, cons + entries / 2);
	ret = rxt_ring_take_over(&dst, &src, cons, (cons + entries / 2) & 7, cons, prod);
	KUNIT_EXPECT_EQ(test, ret, entries > dst.mask ? -EINVAL : 0);
	if (!ret) {
		KUNIT_EXPECT_EQ(test, rxt_ring_posted(&dst), entries);
		for (i = 0; i < entries; i++)
			KUNIT_EXPECT_EQ(test, *slot_value(&dst, dst.cons + i), 100 + i);
		KUNIT_EXPECT_EQ(test, dst.prod, (dst.cons + entries) & dst.mask);
	}
	rxt_ring_free(&src);
	rxt_ring_free(&dst);
}

static void ring_resize(struct kunit *test)
{
	u32 cons, entries;

	for (cons = 0; cons < 8; cons++) {
		for (entries = 0; entries < 8; entries++) {
			resize_one(test, 3, cons, entries);
			resize_one(test, 7, cons, entries);
			resize_one(test, 100, cons, entries);
		}
	}
}

/* Entries that were read between the two halves of a resize do not come again. */
static void ring_resize_read_meanwhile(struct kunit *test)
{
	struct rxt_ring src, dst;
	u32 i;

	KUNIT_ASSERT_EQ(test, rxt_ring_init(&src, 7, 64, NULL), 0);
	KUNIT_ASSERT_EQ(test, rxt_ring_init(&dst, 3, 64, NULL), 0);
	for (i = 0; i < 7; i++)
		*slot_value(&src, 5 + i) = 100 + i;
	rxt_ring_copy(&dst, &src, 5, 5, 5 + 7);
	KUNIT_ASSERT_EQ(test, rxt_ring_take_over(&dst, &src, 5, (5 + 7) & 7, (5 + 4) & 7,
						 (5 + 7) & 7), 0);
	KUNIT_EXPECT_EQ(test, rxt_ring_posted(&dst), 3U);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, *slot_value(&dst, dst.cons + i), 104 + i);
	rxt_ring_free(&src);
	rxt_ring_free(&dst);
}

static struct kunit_case ring_test_cases[] = {
	KUNIT_CASE(ring_sizes),
	KUNIT_CASE(ring_read_model),
	KUNIT_CASE(ring_fill_model),
	KUNIT_CASE(ring_hostile_producer),
	KUNIT_CASE(ring_hostile_random),
	KUNIT_CASE(ring_hostile_consumer),
	KUNIT_CASE(ring_bad_recovers),
	KUNIT_CASE(ring_resize),
	KUNIT_CASE(ring_resize_read_meanwhile),
	{ }
};

static struct kunit_suite ring_test_suite = {
	.name = "rxt_ring",
	.test_cases = ring_test_cases,
};

kunit_test_suite(ring_test_suite);

MODULE_DESCRIPTION("rxt: tests of shared queues");
MODULE_LICENSE("GPL");
