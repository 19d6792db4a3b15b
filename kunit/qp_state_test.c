// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: the QP state table against ib_core's, which was written from the
 * same chapter of the specification by other people.
 *
 * What lives here: transitions, attribute masks, actions. No QP is made.
 */
#include <kunit/test.h>
#include <linux/sched.h>
#include <rdma/ib_verbs.h>
#include "private.h"
#include "../core/qp_state.c"

#define NUM_STATES	(IB_QPS_ERR + 1)
/* IB_QP_STATE … IB_QP_DEST_QPN: every attribute that verbs know for a QP */
#define LOW_MASKS	BIT(21)
#define HIGH_BITS	(IB_QP_RESERVED1 | IB_QP_RESERVED2 | IB_QP_RESERVED3 | \
			 IB_QP_RESERVED4 | IB_QP_RATE_LIMIT)

struct type_case {
	const char	*name;
	enum ib_qp_type	type;
};

static const struct type_case type_cases[] = {
	{ "RC", IB_QPT_RC },
	{ "UC", IB_QPT_UC },
	{ "UD", IB_QPT_UD },
	{ "GSI", IB_QPT_GSI },
};

static void type_desc(const struct type_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(type, type_cases, type_desc);

/* Where no mask is right, this many of them are left out between two. */
#define FEW_MASKS	61

/* State by state, the states that modify_qp may lead to (IBTA figure 125). */
static const u8 reachable[NUM_STATES] = {
	[IB_QPS_RESET] = BIT(IB_QPS_RESET) | BIT(IB_QPS_INIT),
	[IB_QPS_INIT] = BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR) | BIT(IB_QPS_INIT) |
			BIT(IB_QPS_RTR),
	[IB_QPS_RTR] = BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR) | BIT(IB_QPS_RTS),
	[IB_QPS_RTS] = BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR) | BIT(IB_QPS_RTS) |
		       BIT(IB_QPS_SQD),
	[IB_QPS_SQD] = BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR) | BIT(IB_QPS_RTS) |
		       BIT(IB_QPS_SQD),
	[IB_QPS_SQE] = BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR) | BIT(IB_QPS_RTS),
	[IB_QPS_ERR] = BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR),
};

/* A reliable connection never enters SQE: there is no way out to test. */
static bool is_oracle_wrong(enum ib_qp_type type, int cur, int next)
{
	return type == IB_QPT_RC && cur == IB_QPS_SQE && next == IB_QPS_RTS;
}

static bool expected(enum ib_qp_type type, int cur, int next, int mask)
{
	if (is_oracle_wrong(type, cur, next))
		return false;
	return ib_modify_qp_is_ok(cur, next, type, mask);
}

static bool agrees(struct kunit *test, enum ib_qp_type type, int cur, int next, int mask)
{
	bool want = expected(type, cur, next, mask);
	int got = rxt_qp_check(type, cur, next, mask);

	if (got == (want ? 0 : -EINVAL))
		return true;
	KUNIT_FAIL(test, "%d -> %d mask %#x: got %d, expected %s", cur, next, mask, got,
		   want ? "0" : "-EINVAL");
	return false;
}

static void transition_all_masks(struct kunit *test, enum ib_qp_type type, int cur, int next)
{
	unsigned int step = reachable[cur] & BIT(next) ? 1 : FEW_MASKS;
	unsigned int mask, bit;

	for (mask = 0; mask < LOW_MASKS; mask += step) {
		if (!agrees(test, type, cur, next, mask))
			return;
		if (mask % 0x10000 < step)
			cond_resched();
	}
	/* Bits that no transition takes spoil any mask, alone or together. */
	for (bit = BIT(21); bit <= IB_QP_RATE_LIMIT; bit <<= 1) {
		if (!(bit & HIGH_BITS))
			continue;
		for (mask = 0; mask < LOW_MASKS; mask += FEW_MASKS)
			if (!agrees(test, type, cur, next, mask | bit))
				return;
	}
}

static void qp_state_every_mask(struct kunit *test)
{
	const struct type_case *c = test->param_value;
	int cur, next;

	for (cur = 0; cur < NUM_STATES; cur++)
		for (next = 0; next < NUM_STATES; next++)
			transition_all_masks(test, c->type, cur, next);
}

/* Some mask leads there exactly if the figure has the arrow. */
static void qp_state_reachable(struct kunit *test)
{
	const struct type_case *c = test->param_value;
	int cur, next;

	for (cur = 0; cur < NUM_STATES; cur++) {
		for (next = 0; next < NUM_STATES; next++) {
			bool want = reachable[cur] & BIT(next);
			bool got = false;
			unsigned int mask;

			if (is_oracle_wrong(c->type, cur, next))
				want = false;
			for (mask = 0; mask < LOW_MASKS && !got; mask += want ? 1 : FEW_MASKS)
				got = !rxt_qp_check(c->type, cur, next, mask);
			KUNIT_EXPECT_EQ_MSG(test, got, want, "%d -> %d", cur, next);
			cond_resched();
		}
	}
}

static void qp_state_nonsense(struct kunit *test)
{
	int state;

	for (state = -1; state <= 255; state++) {
		if (state >= 0 && state < NUM_STATES)
			continue;
		KUNIT_EXPECT_EQ(test, rxt_qp_check(IB_QPT_RC, IB_QPS_RESET, state, 0), -EINVAL);
		KUNIT_EXPECT_EQ(test, rxt_qp_check(IB_QPT_RC, state, IB_QPS_RESET, 0), -EINVAL);
		KUNIT_EXPECT_EQ(test, rxt_qp_actions(state), 0);
	}
	KUNIT_EXPECT_EQ(test, rxt_qp_check(IB_QPT_SMI, IB_QPS_RESET, IB_QPS_ERR, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxt_qp_check(IB_QPT_XRC_TGT, IB_QPS_RESET, IB_QPS_ERR, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, rxt_qp_check(-1, IB_QPS_RESET, IB_QPS_ERR, 0), -EINVAL);
}

/* IBTA 10.3.1.1 … .7, one row a state. */
struct action_case {
	const char		*name;
	enum ib_qp_state	state;
	bool			post_recv;
	bool			post_send;
	bool			receive;
	bool			send_old;
	bool			send_new;
	bool			flush_sq;
	bool			flush_rq;
};

static const struct action_case action_cases[] = {
	/*			     recv   send   rx     old    new    fl sq  fl rq */
	{ "RESET", IB_QPS_RESET,     false, false, false, false, false, false, false },
	{ "INIT",  IB_QPS_INIT,	     true,  false, false, false, false, false, false },
	{ "RTR",   IB_QPS_RTR,	     true,  false, true,  false, false, false, false },
	{ "RTS",   IB_QPS_RTS,	     true,  true,  true,  true,  true,  false, false },
	{ "SQD",   IB_QPS_SQD,	     true,  true,  true,  true,  false, false, false },
	{ "SQE",   IB_QPS_SQE,	     true,  true,  true,  false, false, true,  false },
	{ "ERR",   IB_QPS_ERR,	     true,  true,  false, false, false, true,  true  },
};

static void action_desc(const struct action_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(action, action_cases, action_desc);

static void qp_state_actions(struct kunit *test)
{
	const struct action_case *c = test->param_value;
	unsigned int may = rxt_qp_actions(c->state);

	KUNIT_EXPECT_EQ(test, !!(may & RXT_MAY_POST_RECV), c->post_recv);
	KUNIT_EXPECT_EQ(test, !!(may & RXT_MAY_POST_SEND), c->post_send);
	KUNIT_EXPECT_EQ(test, !!(may & RXT_MAY_RECEIVE), c->receive);
	/* What may be received may be answered. */
	KUNIT_EXPECT_EQ(test, !!(may & RXT_MAY_RESPOND), c->receive);
	KUNIT_EXPECT_EQ(test, !!(may & RXT_MAY_SEND), c->send_old);
	KUNIT_EXPECT_EQ(test, !!(may & RXT_MAY_FETCH), c->send_new);
	KUNIT_EXPECT_EQ(test, !!(may & RXT_FLUSH_SQ), c->flush_sq);
	KUNIT_EXPECT_EQ(test, !!(may & RXT_FLUSH_RQ), c->flush_rq);
}

static struct kunit_case qp_state_test_cases[] = {
	KUNIT_CASE_PARAM(qp_state_every_mask, type_gen_params),
	KUNIT_CASE_PARAM(qp_state_reachable, type_gen_params),
	KUNIT_CASE(qp_state_nonsense),
	KUNIT_CASE_PARAM(qp_state_actions, action_gen_params),
	{ }
};

static struct kunit_suite qp_state_test_suite = {
	.name = "rxt_qp_state",
	.test_cases = qp_state_test_cases,
};

kunit_test_suite(qp_state_test_suite);

MODULE_DESCRIPTION("rxt: tests of the QP state table");
MODULE_LICENSE("GPL");
