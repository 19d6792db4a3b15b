// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: what the RoCE backend remembers: requests under way, answers that may
 * be asked for again, and how long it waits.
 */
#include <kunit/test.h>
#include <linux/random.h>
#include "private.h"
#include "../backends/roce/roce_window.c"
#include "../backends/roce/roce_replay.c"
#include "../backends/roce/roce_retry.c"

#define START	0xfffffa	/* six PSNs before the wrap */

static void push(struct kunit *test, struct roce_window *w, u32 id, u32 npkts,
		 u8 kind)
{
	struct roce_sent s = { .npkts = npkts, .kind = kind };

	KUNIT_ASSERT_EQ(test, roce_window_push(w, id, &s), 0);
	w->high = w->next;
}

static struct roce_window *window(struct kunit *test)
{
	struct roce_window *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	KUNIT_ASSERT_EQ(test, roce_window_init(w, START), 0);
	return w;
}

/* ACKs in the middle and at the end of messages, over the wrap. */
static void window_acks(struct kunit *test)
{
	struct roce_window *w = window(test);
	struct roce_acked r;

	push(test, w, 1, 4, ROCE_SENT_DATA);	/* fffffa to fffffd */
	push(test, w, 2, 4, ROCE_SENT_DATA);	/* fffffe to 000001 */
	push(test, w, 3, 1, ROCE_SENT_DATA);	/* 000002 */
	KUNIT_EXPECT_EQ(test, w->next, 3);

	KUNIT_EXPECT_FALSE(test, roce_window_holds(w, START - 1));
	KUNIT_EXPECT_TRUE(test, roce_window_holds(w, START));
	KUNIT_EXPECT_TRUE(test, roce_window_holds(w, 2));
	KUNIT_EXPECT_FALSE(test, roce_window_holds(w, 3));

	r = roce_window_ack(w, START - 1);
	KUNIT_EXPECT_FALSE(test, r.progress);
	r = roce_window_ack(w, START + 1);
	KUNIT_EXPECT_TRUE(test, r.progress);
	KUNIT_EXPECT_FALSE(test, r.completed);
	KUNIT_EXPECT_EQ(test, w->una, START + 2);
	KUNIT_EXPECT_EQ(test, w->una_id, 1);

	r = roce_window_ack(w, START + 3);
	KUNIT_EXPECT_TRUE(test, r.completed);
	KUNIT_EXPECT_EQ(test, w->una_id, 2);
	r = roce_window_ack(w, 2);
	KUNIT_EXPECT_TRUE(test, r.completed);
	KUNIT_EXPECT_TRUE(test, roce_window_empty(w));
	KUNIT_EXPECT_EQ(test, w->una, 3);
	roce_window_free(w);
}

/* An ACK behind a READ says that its answer was lost; what is before it is done. */
static void window_lost_answer(struct kunit *test)
{
	struct roce_window *w = window(test);
	struct roce_acked r;

	push(test, w, 1, 1, ROCE_SENT_DATA);
	push(test, w, 2, 3, ROCE_SENT_READ);
	push(test, w, 3, 1, ROCE_SENT_ATOMIC);
	push(test, w, 4, 1, ROCE_SENT_DATA);

	r = roce_window_ack(w, START);
	KUNIT_EXPECT_FALSE(test, r.lost);
	r = roce_window_ack(w, START + 5);
	KUNIT_EXPECT_TRUE(test, r.lost);
	KUNIT_EXPECT_FALSE(test, r.progress);
	KUNIT_EXPECT_EQ(test, w->una, START + 1);

	/* Two of three packets, then the ACK again: resume in the middle. */
	roce_window_answer(w);
	r = roce_window_answer(w);
	KUNIT_EXPECT_FALSE(test, r.completed);
	r = roce_window_ack(w, START + 5);
	KUNIT_EXPECT_TRUE(test, r.lost);
	KUNIT_EXPECT_EQ(test, w->una, START + 3);
	r = roce_window_answer(w);
	KUNIT_EXPECT_TRUE(test, r.completed);
	KUNIT_EXPECT_EQ(test, w->una_id, 3);

	r = roce_window_ack(w, START + 3);
	KUNIT_EXPECT_FALSE(test, r.lost);
	r = roce_window_ack(w, START + 4);
	KUNIT_EXPECT_TRUE(test, r.lost);
	roce_window_answer(w);
	r = roce_window_ack(w, START + 5);
	KUNIT_EXPECT_TRUE(test, r.completed);
	KUNIT_EXPECT_TRUE(test, roce_window_empty(w));
	roce_window_free(w);
}

/* Many messages of random sizes: each PSN is found in its message. */
static void window_find(struct kunit *test)
{
	struct roce_window *w = window(test);
	static u32 first[1000], size[1000];
	u32 id, got, n;

	for (id = 1; id < 1000; id++) {
		size[id] = 1 + get_random_u32() % 70;
		first[id] = w->next;
		push(test, w, id, size[id], ROCE_SENT_DATA);
		/* From time to time a part is answered. */
		if (id % 100 == 50)
			roce_window_ack(w, roce_psn_add(first[id - 20], 0));
	}
	for (id = w->una_id; id < 1000; id++) {
		for (n = 0; n < size[id]; n++) {
			u32 psn = roce_psn_add(first[id], n);

			if (roce_psn_diff(psn, w->una) < 0)
				continue;
			KUNIT_ASSERT_NOT_NULL(test,
					      roce_window_find(w, psn, &got));
			KUNIT_ASSERT_EQ(test, got, id);
		}
	}
	KUNIT_EXPECT_NULL(test, roce_window_find(w, w->next, &got));
	roce_window_free(w);
}

static void window_limits(struct kunit *test)
{
	struct roce_window *w = window(test);
	struct roce_sent s = { .npkts = 1 << 21, .kind = ROCE_SENT_READ };
	u32 id;

	KUNIT_EXPECT_EQ(test, roce_window_push(w, 2, &s), -EINVAL);
	for (id = 1; id < 4; id++)
		KUNIT_EXPECT_EQ(test, roce_window_push(w, id, &s), 0);
	/* Half of the numbers must stay unused. */
	KUNIT_EXPECT_EQ(test, roce_window_push(w, 4, &s), -EAGAIN);
	roce_window_free(w);

	KUNIT_ASSERT_EQ(test, roce_window_init(w, 0), 0);
	s.npkts = 1;
	for (id = 1; id <= 4096; id++)
		KUNIT_ASSERT_EQ(test, roce_window_push(w, id, &s), 0);
	KUNIT_EXPECT_EQ(test, roce_window_push(w, id, &s), -ENOBUFS);
	roce_window_free(w);
}

/* ---- replay ---- */

static void replay_ring(struct kunit *test)
{
	struct roce_replay r = {};
	struct roce_done d = { .npkts = 3, .op = RXT_OP_READ };
	u32 i;

	KUNIT_ASSERT_EQ(test, roce_replay_init(&r, 4), 0);
	KUNIT_EXPECT_NULL(test, roce_replay_find(&r, 0));
	for (i = 0; i < 6; i++) {
		d.psn = roce_psn_add(START, 3 * i);
		d.orig = i;
		roce_replay_add(&r, &d);
	}
	for (i = 0; i < 18; i++) {
		const struct roce_done *f;

		f = roce_replay_find(&r, roce_psn_add(START, i));
		/* The two oldest made room. */
		if (i < 6) {
			KUNIT_EXPECT_NULL(test, f);
			continue;
		}
		KUNIT_ASSERT_NOT_NULL(test, f);
		KUNIT_EXPECT_EQ(test, f->orig, i / 3);
	}
	KUNIT_EXPECT_NULL(test, roce_replay_find(&r, roce_psn_add(START, 18)));
	roce_replay_free(&r);

	/* A responder without resources remembers nothing. */
	KUNIT_ASSERT_EQ(test, roce_replay_init(&r, 0), 0);
	roce_replay_add(&r, &d);
	KUNIT_EXPECT_NULL(test, roce_replay_find(&r, d.psn));
	roce_replay_free(&r);
}

static void replay_covers(struct kunit *test)
{
	const struct roce_done d = {
		.psn = 0xffffff, .npkts = 4, .op = RXT_OP_READ, .rkey = 7,
		.length = 3500, .va = 0x1000,
	};
	const struct {
		u32 psn, rkey, len;
		u64 va;
		bool ok;
	} t[] = {
		{ 0xffffff, 7, 3500, 0x1000, true },	/* the same */
		{ 0x000000, 7, 2476, 0x1400, true },	/* the rest of it */
		{ 0x000000, 7, 1024, 0x1400, true },	/* a part */
		{ 0x000002, 7, 428, 0x1c00, true },
		{ 0x000002, 7, 429, 0x1c00, false },	/* beyond its end */
		{ 0x000000, 7, 2476, 0x1401, false },	/* another place */
		{ 0x000000, 8, 2476, 0x1400, false },	/* another key */
		{ 0xffffff, 7, 3501, 0x1000, false },
		{ 0xffffff, 7, U32_MAX, 0x1000, false },
		{ 0x000000, 7, 2476, U64_MAX, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		struct roce_hdr h = {
			.psn = t[i].psn, .rkey = t[i].rkey, .va = t[i].va,
			.dma_len = t[i].len,
		};

		KUNIT_EXPECT_EQ_MSG(test, roce_replay_covers(&d, &h, 10),
				    t[i].ok, "case %u", i);
	}
}

/* ---- time and amount ---- */

static void retry_timeout(struct kunit *test)
{
	unsigned int t, tries;

	for (tries = 0; tries < 8; tries++)
		KUNIT_EXPECT_EQ(test, roce_timeout_jiffies(0, tries), 0);
	for (t = 1; t < 32; t++) {
		u64 ns = 4096ULL << t;

		for (tries = 0; tries < 8; tries++) {
			unsigned long j = roce_timeout_jiffies(t, tries);
			u64 got = j * (u64)(NSEC_PER_SEC / HZ);

			if (j == MAX_JIFFY_OFFSET)
				continue;
			/* One to four times the nominal time, and a tick. */
			KUNIT_EXPECT_GE(test, got, ns);
			KUNIT_EXPECT_LE(test, got,
					4 * ns + NSEC_PER_SEC / HZ);
		}
		KUNIT_EXPECT_LE(test, roce_timeout_jiffies(t, 0),
				roce_timeout_jiffies(t, 1));
	}
}

static void retry_stall(struct kunit *test)
{
	unsigned long last = 0, j;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		j = roce_stall_jiffies(i);
		KUNIT_EXPECT_GE(test, j, 1);
		KUNIT_EXPECT_GE(test, j, last);
		KUNIT_EXPECT_LE(test, j, msecs_to_jiffies(64));
		last = j;
	}
}

static void retry_cwnd(struct kunit *test)
{
	struct roce_cwnd c;
	unsigned int i;

	roce_cwnd_init(&c, 10);
	KUNIT_EXPECT_EQ(test, c.max, 1024);
	for (i = 0; i < 100; i++)
		roce_cwnd_acked(&c, c.packets);
	KUNIT_EXPECT_EQ(test, c.packets, c.max);
	for (i = 0; i < 100; i++)
		roce_cwnd_lost(&c, 32);
	KUNIT_EXPECT_EQ(test, c.packets, 32);
	for (i = 0; i < 100; i++)
		roce_cwnd_lost(&c, 1);
	KUNIT_EXPECT_EQ(test, c.packets, 1);
	KUNIT_EXPECT_EQ(test, roce_cwnd_ack_every(&c), 1);
	/* It does not stay there. */
	for (i = 0; i < 10000; i++)
		roce_cwnd_acked(&c, 1);
	KUNIT_EXPECT_GT(test, c.packets, 500);
	KUNIT_EXPECT_LE(test, c.packets, c.max);
}

static struct kunit_case roce_window_cases[] = {
	KUNIT_CASE(window_acks),
	KUNIT_CASE(window_lost_answer),
	KUNIT_CASE(window_find),
	KUNIT_CASE(window_limits),
	KUNIT_CASE(replay_ring),
	KUNIT_CASE(replay_covers),
	KUNIT_CASE(retry_timeout),
	KUNIT_CASE(retry_stall),
	KUNIT_CASE(retry_cwnd),
	{}
};

static struct kunit_suite roce_window_suite = {
	.name = "rxt_roce_window",
	.test_cases = roce_window_cases,
};

kunit_test_suite(roce_window_suite);

MODULE_LICENSE("GPL");
