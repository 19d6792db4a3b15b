// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: the timer of a connection: answers that do not come, and a local stack
 * that takes no packets.
 *
 * The timer is not moved with every answer: it looks at what it finds when it fires.
 */
#include "roce.h"

/* A time-out need not be congestion either: who is slow to answer was away. */
#define CWND_TIMEOUT	16
/* A timer that fires so late does not tell much about the peer. */
#define LATE		2
#define GRACE		2

static void arm(struct roce_conn *rc, unsigned long when)
{
	struct timer_list *t = &rc->timer.t;

	lockdep_assert_held(&rc->lock);
	if (!rc->open)
		return;
	if (!timer_pending(t) || time_before(when, t->expires))
		mod_timer(t, when);
}

static void set_deadline(struct roce_conn *rc)
{
	struct roce_timer *rt = &rc->timer;
	unsigned long wait = roce_timeout_jiffies(rt->timeout, rt->tries);

	rt->waiting = wait;
	rt->answer_by = jiffies + wait;
}

/**
 * roce_timer_expect - a request went out: an answer is due
 * @rc: connection, locked
 */
void roce_timer_expect(struct roce_conn *rc)
{
	lockdep_assert_held(&rc->lock);
	if (rc->timer.waiting)
		return;
	set_deadline(rc);
	if (rc->timer.waiting)
		arm(rc, rc->timer.answer_by);
}

/**
 * roce_timer_alive - the peer has answered something
 * @rc: connection, locked
 */
void roce_timer_alive(struct roce_conn *rc)
{
	lockdep_assert_held(&rc->lock);
	rc->timer.tries = 0;
	if (!roce_window_empty(&rc->req.w))
		set_deadline(rc);
	else
		rc->timer.waiting = false;
}

/**
 * roce_timer_stall - the local stack refused a packet
 * @rc: connection, locked
 *
 * Nothing is sent until the timer calls rxt_tx_ready().
 */
void roce_timer_stall(struct roce_conn *rc)
{
	struct roce_timer *rt = &rc->timer;

	lockdep_assert_held(&rc->lock);
	if (rt->stalled)
		return;
	rt->stalled = true;
	rt->stall_until = jiffies + roce_stall_jiffies(rt->stalls++);
	arm(rc, rt->stall_until);
}

/* Returns whether the engine has to run. */
static bool overdue(struct roce_conn *rc)
{
	struct roce_timer *rt = &rc->timer;
	struct roce_window *w = &rc->req.w;

	if (roce_window_empty(w)) {
		rt->waiting = false;
		return false;
	}
	rxt_count_conn(&rc->conn, timeouts);
	rt->waiting = false;
	if (rt->tries >= rt->retry_cnt) {
		rxt_count_conn(&rc->conn, retry_exceeded);
		rt->lost = true;
		rxt_conn_error(&rc->conn, RXT_ERR_LOST);
		return false;
	}
	rt->tries++;
	roce_cwnd_lost(&rc->req.cwnd, CWND_TIMEOUT);
	roce_req_rewind(rc, w->una);
	/* Should nothing be sent, the next look is due all the same. */
	set_deadline(rc);
	return true;
}

/* This CPU did something else when the timer was due: the answer may be in a queue
 * of its own that has not been looked at yet. Once for each wait.
 */
static bool was_away(struct roce_timer *rt)
{
	bool late = time_after(jiffies, rt->answer_by + LATE);
	bool graced = rt->graced;

	rt->graced = late && !graced;
	return rt->graced;
}

static void roce_timer_fn(struct timer_list *t)
{
	struct roce_conn *rc = from_timer(rc, t, timer.t);
	struct roce_timer *rt = &rc->timer;
	bool kick = false;

	spin_lock_bh(&rc->lock);
	if (!rc->open)
		goto out;
	if (rt->stalled && !time_before(jiffies, rt->stall_until)) {
		rt->stalled = false;
		kick = true;
	}
	if (rt->waiting && !time_before(jiffies, rt->answer_by)) {
		if (was_away(rt))
			rt->answer_by = jiffies + GRACE;
		else
			kick |= overdue(rc);
	}
	if (rt->waiting)
		arm(rc, rt->answer_by);
	if (rt->stalled)
		arm(rc, rt->stall_until);
	rc->kick = false;
out:
	spin_unlock_bh(&rc->lock);
	if (kick)
		rxt_tx_ready(&rc->conn, RXT_TX_INLINE);
}

/**
 * roce_timer_init - prepare a new connection's timer
 * @rc: zeroed
 */
void roce_timer_init(struct roce_conn *rc)
{
	timer_setup(&rc->timer.t, roce_timer_fn, 0);
}
