// SPDX-License-Identifier: GPL-2.0
/*
 * verbs_errors: states, flushing, limits of a ring, shared receive queues.
 */
#include <string.h>
#include <unistd.h>
#include "err_rig.h"

/* A sends while B is still in INIT: the retry timer has to bridge it. */
static void case_late_rtr(void)
{
	struct vu_cfg cfg;
	struct rig r;

	vu_cfg_default(&cfg);
	vu_qp_create(&r.a, &da, &cfg);
	vu_qp_create(&r.b, &db, &cfg);
	rig_mem(&r, VU_ALL_ACCESS);
	if (vu_qp_init(&r.a) || vu_qp_init(&r.b) ||
	    vu_qp_rtr(&r.a, r.b.qp->qp_num, &db.gid) || vu_qp_rts(&r.a))
		vu_die("modify_qp");
	recv_len(&r, RECV_ID, 4096);
	send_len(&r, 1, 64);
	want_nothing(&r.a, "A", 400);
	if (vu_qp_rtr(&r.b, r.a.qp->qp_num, &da.gid) || vu_qp_rts(&r.b))
		vu_die("modify_qp");
	want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 20000);
	want_wc(&r.b, "B", RECV_ID, IBV_WC_SUCCESS, 10000);
	rig_down(&r);
}

static void case_flush(void)
{
	struct vu_cfg cfg;
	struct rig r;
	int i;

	rnr_cfg(&cfg, 7, RNR_82MS);
	rig_up(&r, &cfg);
	for (i = 0; i < 20; i++)
		send_len(&r, 1 + i, 64);
	want_nothing(&r.a, "A", 20);
	if (vu_qp_to(&r.a, IBV_QPS_ERR) || vu_qp_to(&r.b, IBV_QPS_ERR))
		vu_die("modify_qp ERR");
	for (i = 0; i < 20; i++)
		recv_len(&r, RECV_ID + i, 64);
	for (i = 0; i < 20 && !case_failed; i++)
		want_wc(&r.a, "A", 1 + i, IBV_WC_WR_FLUSH_ERR, 5000);
	/* librxe tells the kernel of a receive only by the ring: a send kicks. */
	for (i = 0; i < 20 && !case_failed && !lenient; i++)
		want_wc(&r.b, "B", RECV_ID + i, IBV_WC_WR_FLUSH_ERR, 5000);
	want_nothing(&r.a, "A", 50);
	rig_down(&r);
}

/* The same QPs again after ERR, and the old connection's data does not appear. */
static void case_reuse(void)
{
	struct vu_cfg cfg;
	struct rig r;
	int round;

	vu_cfg_default(&cfg);
	rig_up(&r, &cfg);
	for (round = 0; round < 3 && !case_failed; round++) {
		recv_len(&r, RECV_ID, 4096);
		send_len(&r, 1, 512);
		write_ok(&r, 2);
		want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 10000);
		want_wc(&r.a, "A", 2, IBV_WC_SUCCESS, 10000);
		want_wc(&r.b, "B", RECV_ID, IBV_WC_SUCCESS, 10000);
		recv_len(&r, RECV_ID + 1, 4096);
		if (vu_qp_to(&r.a, IBV_QPS_ERR) || vu_qp_to(&r.b, IBV_QPS_ERR))
			vu_die("modify_qp ERR");
		want_wc(&r.b, "B", RECV_ID + 1, IBV_WC_WR_FLUSH_ERR, 5000);
		if (vu_qp_to(&r.a, IBV_QPS_RESET) || vu_qp_to(&r.b, IBV_QPS_RESET))
			vu_die("modify_qp RESET");
		vu_connect(&r.a, &r.b);
	}
	rig_down(&r);
}

static void case_sqd(void)
{
	struct ibv_qp_attr at = {
		.qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1,
	};
	struct vu_cfg cfg;
	struct rig r;

	vu_cfg_default(&cfg);
	rig_up(&r, &cfg);
	post_many(&r);
	if (ibv_modify_qp(r.a.qp, &at, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY))
		vu_die("modify_qp SQD");
	want_event(&r.a, "A", IBV_EVENT_SQ_DRAINED);
	write_ok(&r, 90);
	if (vu_qp_to(&r.a, IBV_QPS_RTS))
		vu_die("modify_qp RTS");
	while (!case_failed) {
		struct ibv_wc wc;

		if (!expect(vu_poll(r.a.cq, &wc, 5000), "no completion"))
			break;
		expect(!wc.status, "%s", ibv_wc_status_str(wc.status));
		if (wc.wr_id == 90)
			break;
	}
	rig_down(&r);
}

/* Posting beyond the ring and with too many segments fails at once. */
static void case_post_limits(void)
{
	struct ibv_sge sge[40];
	struct vu_cfg cfg;
	int i, rc = 0, n;
	struct rig r;

	rnr_cfg(&cfg, 7, RNR_82MS);
	rig_up(&r, &cfg);
	for (i = 0; i < 40; i++)
		sge[i] = vu_sge(&r.ma, i, 1);
	rc = vu_post_send(&r.a, IBV_WR_SEND, 1, sge, 40, IBV_SEND_SIGNALED, 0, 0);
	expect(rc, "a SEND with 40 segments was taken");
	for (n = 0; n < 100000; n++)
		if (vu_post_send(&r.a, IBV_WR_SEND, 1 + n, sge, 1,
				 IBV_SEND_SIGNALED, 0, 0))
			break;
	expect(n >= 64 && n < 100000, "the ring took %d WRs", n);
	want_state(&r.a, "A", IBV_QPS_RTS);
	rig_down(&r);
}

static void srq_fill(struct ibv_srq *srq, struct rig *r, int n)
{
	struct ibv_sge sge = vu_sge(&r->mb, 8192, 4096);
	struct ibv_recv_wr *bad, wr = {
		.wr_id = RECV_ID, .sg_list = &sge, .num_sge = 1,
	};

	for (; n > 0; n--, wr.wr_id++)
		if (ibv_post_srq_recv(srq, &wr, &bad))
			vu_die("post_srq_recv");
}

static void srq_limit(struct ibv_srq *srq)
{
	struct ibv_srq_attr at = { .srq_limit = 4 };
	struct ibv_async_event ev;

	if (ibv_modify_srq(srq, &at, IBV_SRQ_LIMIT))
		vu_die("modify_srq");
	while (vu_event(db.ctx, &ev, 0))
		expect(ev.event_type != IBV_EVENT_SRQ_LIMIT_REACHED,
		       "limit event came at once");
}

static void case_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 32, .max_sge = 4 } };
	struct vu_cfg cfg;
	struct rig r;
	int i;

	rnr_cfg(&cfg, 7, 14);
	vu_qp_create(&r.a, &da, &cfg);
	cfg.srq = ibv_create_srq(db.pd, &init);
	if (!cfg.srq)
		vu_die("create_srq");
	vu_qp_create(&r.b, &db, &cfg);
	vu_connect(&r.a, &r.b);
	rig_mem(&r, VU_ALL_ACCESS);
	srq_fill(cfg.srq, &r, 8);
	srq_limit(cfg.srq);
	for (i = 0; i < 5; i++)
		send_len(&r, 1 + i, 64);
	for (i = 0; i < 5; i++) {
		want_wc(&r.a, "A", 1 + i, IBV_WC_SUCCESS, 10000);
		want_wc(&r.b, "B", RECV_ID + i, IBV_WC_SUCCESS, 10000);
	}
	want_dev_event(db.ctx, IBV_EVENT_SRQ_LIMIT_REACHED, 2000);
	/* Three are left, five are sent: the others wait for a receive. */
	for (i = 0; i < 5; i++)
		send_len(&r, 11 + i, 64);
	for (i = 0; i < 3; i++)
		want_wc(&r.a, "A", 11 + i, IBV_WC_SUCCESS, 10000);
	want_nothing(&r.a, "A", 100);
	srq_fill(cfg.srq, &r, 2);
	for (i = 3; i < 5; i++)
		want_wc(&r.a, "A", 11 + i, IBV_WC_SUCCESS, 10000);
	for (i = 0; i < 5; i++)
		want_wc(&r.b, "B", RECV_ID + (i < 3 ? 5 + i : i - 3),
			IBV_WC_SUCCESS, 10000);
	if (vu_qp_to(&r.b, IBV_QPS_ERR))
		vu_die("modify_qp ERR");
	if (!lenient)
		want_dev_event(db.ctx, IBV_EVENT_QP_LAST_WQE_REACHED, 2000);
	rig_down(&r);
	if (ibv_destroy_srq(cfg.srq))
		vu_die("destroy_srq");
}

/* A peer like any other: itself. */
static void case_self(void)
{
	struct ibv_sge sge;
	struct vu_cfg cfg;
	struct rig r;

	vu_cfg_default(&cfg);
	vu_qp_create(&r.a, &da, &cfg);
	if (vu_qp_init(&r.a) || vu_qp_rtr(&r.a, r.a.qp->qp_num, &da.gid) ||
	    vu_qp_rts(&r.a))
		vu_die("modify_qp");
	/* Only its memory is of use. */
	vu_qp_create(&r.b, &db, &cfg);
	rig_mem(&r, VU_ALL_ACCESS);
	sge = vu_sge(&r.ma, 0, 4096);
	memset(r.ma.p, 0x5a, 4096);
	memset(r.ma.p + 8192, 0, 8192);
	vu_post_send(&r.a, IBV_WR_RDMA_WRITE, 1, &sge, 1, IBV_SEND_SIGNALED,
		     (uintptr_t)r.ma.p + 8192, r.ma.mr->rkey);
	want_wc(&r.a, "itself", 1, IBV_WC_SUCCESS, 10000);
	expect(!memcmp(r.ma.p, r.ma.p + 8192, 4096), "WRITE: other bytes");
	sge = vu_sge(&r.ma, 12288, 4096);
	vu_post_send(&r.a, IBV_WR_RDMA_READ, 2, &sge, 1, IBV_SEND_SIGNALED,
		     (uintptr_t)r.ma.p, r.ma.mr->rkey);
	want_wc(&r.a, "itself", 2, IBV_WC_SUCCESS, 10000);
	expect(!memcmp(r.ma.p, r.ma.p + 12288, 4096), "READ: other bytes");
	vu_post_recv(&r.a, 3, &sge, 1);
	sge = vu_sge(&r.ma, 0, 64);
	vu_post_send(&r.a, IBV_WR_SEND, 4, &sge, 1, IBV_SEND_SIGNALED, 0, 0);
	want_wc(&r.a, "itself", 3, IBV_WC_SUCCESS, 10000);
	want_wc(&r.a, "itself", 4, IBV_WC_SUCCESS, 10000);
	/* A key that there is not: it is both who asked and who refuses. */
	vu_post_send(&r.a, IBV_WR_RDMA_WRITE, 5, &sge, 1, IBV_SEND_SIGNALED,
		     (uintptr_t)r.ma.p, r.ma.mr->rkey ^ 0x5500);
	want_wc(&r.a, "itself", 5, IBV_WC_REM_ACCESS_ERR, 10000);
	want_state(&r.a, "itself", IBV_QPS_ERR);
	rig_down(&r);
}

const struct err_case state_cases[] = {
	{ "connected to itself", case_self, false, false },
	{ "peer goes to RTR late", case_late_rtr, false, false },
	{ "flush in ERR, in order", case_flush, false, false },
	{ "the same QP again after ERR and RESET", case_reuse, false, false },
	{ "SQD drains and resumes", case_sqd, false, true },
	{ "full ring, too many segments", case_post_limits, false, false },
	{ "SRQ: limit, RNR, last WQE", case_srq, false, false },
	{ NULL, NULL, false, false }
};
