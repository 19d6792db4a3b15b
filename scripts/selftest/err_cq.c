// SPDX-License-Identifier: GPL-2.0
/*
 * verbs_errors: completion queues: events, resizing, overflow.
 */
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include "err_rig.h"

/* B's completions go to a CQ of its own with a channel. */
struct cq_rig {
	struct rig		r;
	struct ibv_comp_channel	*chan;
	struct ibv_cq		*cq;
};

static void cq_rig_up(struct cq_rig *c, int cqe)
{
	struct vu_cfg cfg;

	vu_cfg_default(&cfg);
	cfg.recv_wr = 256;
	cfg.send_wr = 256;
	vu_qp_create(&c->r.a, &da, &cfg);
	c->chan = ibv_create_comp_channel(db.ctx);
	c->cq = ibv_create_cq(db.ctx, cqe, NULL, c->chan, 0);
	if (!c->chan || !c->cq)
		vu_die("create_cq");
	cfg.cq = c->cq;
	vu_qp_create(&c->r.b, &db, &cfg);
	vu_connect(&c->r.a, &c->r.b);
	rig_mem(&c->r, VU_ALL_ACCESS);
}

static void cq_rig_down(struct cq_rig *c)
{
	rig_down(&c->r);
	if (ibv_destroy_cq(c->cq) || ibv_destroy_comp_channel(c->chan))
		vu_die("destroy_cq");
}

static bool cq_event(struct cq_rig *c, int ms)
{
	struct pollfd pfd = { .fd = c->chan->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *ctx;

	if (poll(&pfd, 1, ms) <= 0 || ibv_get_cq_event(c->chan, &cq, &ctx))
		return false;
	ibv_ack_cq_events(cq, 1);
	return expect(cq == c->cq, "event of another CQ");
}

static void send_flags(struct cq_rig *c, u64 id, int flags)
{
	struct ibv_sge sge = vu_sge(&c->r.ma, 0, 32);

	if (vu_post_send(&c->r.a, IBV_WR_SEND, id, &sge, 1,
			 IBV_SEND_SIGNALED | flags, 0, 0))
		vu_die("post_send");
	want_wc(&c->r.a, "A", id, IBV_WC_SUCCESS, 10000);
}

static void notify(struct cq_rig *c, int solicited)
{
	if (ibv_req_notify_cq(c->cq, solicited))
		vu_die("req_notify_cq");
}

static void case_events(void)
{
	struct cq_rig c;
	int i;

	cq_rig_up(&c, 300);
	for (i = 0; i < 6; i++)
		recv_len(&c.r, RECV_ID + i, 64);
	send_flags(&c, 1, 0);
	expect(!cq_event(&c, 50), "event without a request for one");
	notify(&c, 0);
	expect(!cq_event(&c, 50), "event for what was there before");
	send_flags(&c, 2, 0);
	expect(cq_event(&c, 2000), "no event");
	send_flags(&c, 3, 0);
	expect(!cq_event(&c, 50), "a second event for one request");
	notify(&c, 1);
	send_flags(&c, 4, 0);
	expect(!cq_event(&c, 50), "event for an unsolicited message");
	send_flags(&c, 5, IBV_SEND_SOLICITED);
	expect(cq_event(&c, 2000), "no event for a solicited message");
	/* An error counts as solicited. */
	notify(&c, 1);
	if (vu_qp_to(&c.r.b, IBV_QPS_ERR))
		vu_die("modify_qp ERR");
	expect(cq_event(&c, 2000) || lenient, "no event for an error");
	for (i = 0; i < 6; i++)
		want_wc(&c.r.b, "B", RECV_ID + i,
			i < 5 ? IBV_WC_SUCCESS : IBV_WC_WR_FLUSH_ERR, 2000);
	cq_rig_down(&c);
}

/* Completions @from to @to - 1 come to B, who does not look at them. */
static void fill(struct cq_rig *c, int from, int to)
{
	int i;

	for (i = from; i < to; i++)
		recv_len(&c->r, RECV_ID + i, 64);
	for (i = from; i < to; i++)
		send_flags(c, i, 0);
}

static void drain(struct cq_rig *c, int from, int to)
{
	for (; from < to && !case_failed; from++)
		want_wc(&c->r.b, "B", RECV_ID + from, IBV_WC_SUCCESS, 2000);
}

static void case_resize(void)
{
	struct cq_rig c;
	int round, n = 0;

	cq_rig_up(&c, 50);
	fill(&c, 0, 40);
	expect(!ibv_resize_cq(c.cq, 1000), "cannot grow");
	fill(&c, 40, 140);
	drain(&c, 0, 130);
	/* Ten are in it: less room than that is refused, or not given. */
	expect(ibv_resize_cq(c.cq, 5) || c.cq->cqe >= 10, "lost completions");
	drain(&c, 130, 140);
	for (round = 0; round < 30 && !case_failed; round++) {
		fill(&c, n, n + 5);
		expect(!ibv_resize_cq(c.cq, 10 + 37 * (round % 7)), "cannot resize");
		fill(&c, n + 5, n + 8);
		drain(&c, n, n + 8);
		n += 8;
	}
	cq_rig_down(&c);
}

static void case_overflow(void)
{
	struct cq_rig c;
	int i, n;

	cq_rig_up(&c, 4);
	n = c.cq->cqe + 4;
	for (i = 0; i < n; i++)
		recv_len(&c.r, RECV_ID + i, 64);
	for (i = 0; i < n; i++)
		send_len(&c.r, 1 + i, 64);
	want_dev_event(db.ctx, IBV_EVENT_CQ_ERR, 5000);
	/* Whatever becomes of A's requests, none hangs. */
	for (i = 0; i < n && !case_failed; i++) {
		struct ibv_wc wc;

		expect(vu_poll(c.r.a.cq, &wc, 10000) && wc.wr_id == 1u + i,
		       "A: no completion of %d", 1 + i);
	}
	cq_rig_down(&c);
}

const struct err_case cq_cases[] = {
	{ "CQ: events, solicited and not", case_events, false, false },
	{ "CQ: resize with completions in it", case_resize, false, false },
	{ "CQ: overflow", case_overflow, false, true },
	{ NULL, NULL, false, false }
};
