// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: RNR and retry arithmetic, by the figures of the specification.
 */
#include <kunit/test.h>
#include "private.h"
#include "../core/retry.c"

/* IBTA table 45 as printed: milliseconds times 100. */
static const u32 table45[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
	1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static void retry_rnr_timer(struct kunit *test)
{
	unsigned int code;

	for (code = 0; code < 32; code++) {
		KUNIT_EXPECT_EQ(test, rxt_rnr_timer_us(code), table45[code] * 10);
		/* The upper bits of the octet are not the timer's. */
		KUNIT_EXPECT_EQ(test, rxt_rnr_timer_us(code | 0xe0), table45[code] * 10);
	}
	/* From code 3 on each step of two doubles: the table has no typing error. */
	for (code = 3; code < 30; code++)
		KUNIT_EXPECT_EQ(test, rxt_rnr_timer_us(code + 2), 2 * rxt_rnr_timer_us(code));
}

static void retry_ack_timeout(struct kunit *test)
{
	u64 ns = 4096;
	unsigned int t;

	KUNIT_EXPECT_EQ(test, rxt_ack_timeout_ns(0), 0);
	for (t = 1; t < 32; t++) {
		ns *= 2;
		KUNIT_EXPECT_EQ(test, rxt_ack_timeout_ns(t), ns);
	}
	/* 4.096 us * 2^31 is 2 h 26 min: no overflow on the way. */
	KUNIT_EXPECT_EQ(test, rxt_ack_timeout_ns(31), 8796093022208ULL);
}

/* As many resends as rnr_retry says; 7 is without end and costs nothing. */
static void retry_rnr_count(struct kunit *test)
{
	u8 limit, left;
	int i;

	for (limit = 0; limit < 7; limit++) {
		left = limit;
		for (i = 0; i < limit; i++)
			KUNIT_EXPECT_TRUE(test, rxt_rnr_retry_take(limit, &left));
		KUNIT_EXPECT_FALSE(test, rxt_rnr_retry_take(limit, &left));
		KUNIT_EXPECT_FALSE(test, rxt_rnr_retry_take(limit, &left));
		KUNIT_EXPECT_EQ(test, left, 0);
	}
	left = 0;
	for (i = 0; i < 1000; i++)
		KUNIT_EXPECT_TRUE(test, rxt_rnr_retry_take(7, &left));
}

static struct kunit_case retry_test_cases[] = {
	KUNIT_CASE(retry_rnr_timer),
	KUNIT_CASE(retry_ack_timeout),
	KUNIT_CASE(retry_rnr_count),
	{ }
};

static struct kunit_suite retry_test_suite = {
	.name = "rxt_retry",
	.test_cases = retry_test_cases,
};

kunit_test_suite(retry_test_suite);

MODULE_DESCRIPTION("rxt: tests of the retry arithmetic");
MODULE_LICENSE("GPL");
