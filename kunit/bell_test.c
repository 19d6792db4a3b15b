// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: when posts are left to a worker: who posts in a row, who waits for each answer,
 * and who does first the one and then the other.
 */
#include <kunit/test.h>
#include "private.h"

#include "../core/bell.c"

static u64 now;

/* Posts, each @gap ns after the last one was sent. Returns how many until one is deferred. */
static u32 post(struct rxt_bell *bell, u32 max, u64 gap)
{
	u32 n;

	for (n = 0; n < max; n++) {
		now += gap;
		if (rxt_bell_defer(bell, now))
			break;
		now += 3000;
		rxt_bell_sent(bell, now);
	}
	return n;
}

static void fresh(struct rxt_bell *bell)
{
	rxt_bell_init(bell);
	rxt_bell_sent(bell, now);
}

static void batches(struct rxt_bell *bell, u32 num, u32 requests)
{
	while (num--)
		rxt_bell_batch(bell, requests, requests * 64);
}

/* Who waits for an answer each time is never made to wait longer. */
static void bell_turns(struct kunit *test)
{
	struct rxt_bell bell;

	fresh(&bell);
	KUNIT_EXPECT_EQ(test, post(&bell, 100000, CLOSE + 1), 100000U);
	KUNIT_EXPECT_FALSE(test, rxt_bell_gather(&bell));
	/* Some that are close now and then do not add up. */
	for (int i = 0; i < 1000; i++) {
		KUNIT_ASSERT_EQ(test, post(&bell, RUN_LOSS, 10), (u32)RUN_LOSS);
		KUNIT_ASSERT_EQ(test, post(&bell, 2, CLOSE + 1), 2U);
	}
}

/* A row of posts is a trial; several at a time keep it up, and pauses do not end it. */
static void bell_row(struct kunit *test)
{
	struct rxt_bell bell;

	fresh(&bell);
	KUNIT_EXPECT_EQ(test, post(&bell, 1000, 1000), (u32)RUN_MIN - 1);
	KUNIT_EXPECT_TRUE(test, rxt_bell_gather(&bell));
	batches(&bell, 1, SMALL);
	KUNIT_EXPECT_FALSE(test, rxt_bell_gather(&bell));
	batches(&bell, TRIAL - 1, SMALL);
	KUNIT_EXPECT_EQ(test, post(&bell, 1, 1000), 0U);
	/* A large one makes up for many small ones. */
	batches(&bell, SAMPLE - 1, 1);
	batches(&bell, 1, SMALL * SAMPLE);
	now += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, post(&bell, 1, 1000), 0U);
	/* One at a time ends it, and the work that finds nothing says nothing. */
	batches(&bell, SAMPLE - 1, 1);
	batches(&bell, 100, 0);
	KUNIT_EXPECT_EQ(test, post(&bell, 1, 1000), 0U);
	batches(&bell, 1, 1);
	KUNIT_EXPECT_EQ(test, post(&bell, 10, 1000), 10U);
	KUNIT_EXPECT_FALSE(test, rxt_bell_gather(&bell));
}

/* In vain, again and again: less and less often. */
static void bell_in_vain(struct kunit *test)
{
	struct rxt_bell bell;
	u32 need;

	fresh(&bell);
	for (need = RUN_MIN; need <= RUN_MAX; need *= 4) {
		KUNIT_EXPECT_EQ(test, post(&bell, 2 * RUN_MAX, 1000), need - 1);
		batches(&bell, TRIAL, 1);
	}
	KUNIT_EXPECT_EQ(test, post(&bell, 2 * RUN_MAX, 1000), (u32)RUN_MAX - 1);
	/* Once it was worth it all is forgiven. */
	batches(&bell, TRIAL, SMALL);
	batches(&bell, SAMPLE, 1);
	KUNIT_EXPECT_EQ(test, post(&bell, 2 * RUN_MAX, 1000), (u32)RUN_MIN * 4 - 1);
}

/* Long messages are not worth it, though there are many at a time. */
static void bell_long(struct kunit *test)
{
	struct rxt_bell bell;
	int i;

	fresh(&bell);
	KUNIT_EXPECT_EQ(test, post(&bell, 1000, 1000), (u32)RUN_MIN - 1);
	for (i = 0; i < TRIAL; i++)
		rxt_bell_batch(&bell, 10, 10ULL * LONG + 1);
	KUNIT_EXPECT_EQ(test, post(&bell, 10, 1000), 10U);
}

static struct kunit_case bell_cases[] = {
	KUNIT_CASE(bell_long),
	KUNIT_CASE(bell_turns),
	KUNIT_CASE(bell_row),
	KUNIT_CASE(bell_in_vain),
	{}
};

static struct kunit_suite bell_suite = {
	.name = "rxt_bell",
	.test_cases = bell_cases,
};

kunit_test_suite(bell_suite);

MODULE_LICENSE("GPL");
