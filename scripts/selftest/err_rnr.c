// SPDX-License-Identifier: GPL-2.0
/*
 * verbs_errors: the receiver is not ready, or not fit for the message.
 */
#include <string.h>
#include <unistd.h>
#include "err_rig.h"

/* B's first receive WQE is unfit for what A sends. */
static void bad_recv(bool bad_lkey, u32 room, u32 len,
		     enum ibv_wc_status b_status, enum ibv_wc_status a_status)
{
	struct vu_cfg cfg;
	struct ibv_sge sge;
	struct rig r;

	vu_cfg_default(&cfg);
	rig_up(&r, &cfg);
	sge = vu_sge(&r.mb, 8192, room);
	if (bad_lkey)
		sge.lkey ^= 0x5a5a5a;
	if (vu_post_recv(&r.b, RECV_ID, &sge, 1))
		vu_die("post_recv");
	recv_len(&r, RECV_ID + 1, 4096);
	write_ok(&r, 1);
	send_len(&r, 2, len);
	write_ok(&r, 3);
	want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 10000);
	want_wc(&r.a, "A", 2, a_status, 10000);
	want_wc(&r.a, "A", 3, IBV_WC_WR_FLUSH_ERR, 10000);
	want_wc(&r.b, "B", RECV_ID, b_status, 10000);
	want_wc(&r.b, "B", RECV_ID + 1, IBV_WC_WR_FLUSH_ERR, 10000);
	want_state(&r.a, "A", IBV_QPS_ERR);
	want_state(&r.b, "B", IBV_QPS_ERR);
	rig_down(&r);
}

static void case_recv_lkey(void)
{
	bad_recv(true, 4096, 64, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
}

static void case_recv_short(void)
{
	bad_recv(false, 63, 64, IBV_WC_LOC_LEN_ERR, IBV_WC_REM_INV_REQ_ERR);
}

static void case_recv_short_long(void)
{
	bad_recv(false, 100000, 300000, IBV_WC_LOC_LEN_ERR,
		 IBV_WC_REM_INV_REQ_ERR);
}

static void case_too_long(void)
{
	u32 per = da.port.max_msg_sz / 32 + 4096;
	struct ibv_sge sge[32];
	struct vu_buf big;
	struct vu_cfg cfg;
	struct rig r;
	int i, rc;

	vu_cfg_default(&cfg);
	cfg.send_sge = 32;
	rig_up(&r, &cfg);
	vu_buf_alloc(&big, &da, per, VU_ALL_ACCESS);
	for (i = 0; i < 32; i++)
		sge[i] = vu_sge(&big, 0, per);
	write_ok(&r, 1);
	rc = vu_post_send(&r.a, IBV_WR_SEND, 2, sge, 32, IBV_SEND_SIGNALED, 0, 0);
	want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 10000);
	/* Refused at once is as good as a completion. */
	if (!rc) {
		want_wc(&r.a, "A", 2, IBV_WC_LOC_LEN_ERR, 10000);
		want_state(&r.a, "A", IBV_QPS_ERR);
	}
	rig_down(&r);
	vu_buf_free(&big);
}

static void rnr_exceeded(int rnr_retry, unsigned int min_ms)
{
	struct vu_cfg cfg;
	struct rig r;
	u64 t;

	rnr_cfg(&cfg, rnr_retry, RNR_82MS);
	rig_up(&r, &cfg);
	write_ok(&r, 1);
	want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 10000);
	t = vu_now_us();
	send_len(&r, 2, 64);
	send_len(&r, 3, 64);
	write_ok(&r, 4);
	want_wc(&r.a, "A", 2, IBV_WC_RNR_RETRY_EXC_ERR, 10000);
	t = (vu_now_us() - t) / 1000;
	want_wc(&r.a, "A", 3, IBV_WC_WR_FLUSH_ERR, 10000);
	want_wc(&r.a, "A", 4, IBV_WC_WR_FLUSH_ERR, 10000);
	want_state(&r.a, "A", IBV_QPS_ERR);
	want_state(&r.b, "B", IBV_QPS_RTS);
	expect(t >= min_ms && t < 5000, "it took %llu ms, wanted [%u, 5000)",
	       (unsigned long long)t, min_ms);
	rig_down(&r);
}

static void case_rnr0(void)
{
	rnr_exceeded(0, 0);
}

static void case_rnr3(void)
{
	rnr_exceeded(3, 3 * 80);
}

/* A receive that comes in time saves the message. */
static void rnr_saved(int rnr_retry, int code, enum ibv_wr_opcode op,
		      u32 len, unsigned int after_ms)
{
	struct ibv_sge src;
	struct vu_cfg cfg;
	struct rig r;

	rnr_cfg(&cfg, rnr_retry, code);
	rig_up(&r, &cfg);
	src = vu_sge(&r.ma, 4096, len);
	if (vu_post_send(&r.a, op, 1, &src, 1, IBV_SEND_SIGNALED,
			 (uintptr_t)r.mb.p + 8192, r.mb.mr->rkey))
		vu_die("post_send");
	write_ok(&r, 2);
	want_nothing(&r.a, "A", after_ms);
	recv_len(&r, RECV_ID, len);
	want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 10000);
	want_wc(&r.a, "A", 2, IBV_WC_SUCCESS, 10000);
	want_wc(&r.b, "B", RECV_ID, IBV_WC_SUCCESS, 10000);
	expect(!memcmp(r.ma.p + 4096, r.mb.p + 8192, len), "wrong data");
	want_state(&r.a, "A", IBV_QPS_RTS);
	rig_down(&r);
}

static void case_rnr3_saved(void)
{
	rnr_saved(3, RNR_82MS, IBV_WR_SEND, 64, 100);
}

static void case_rnr7(void)
{
	rnr_saved(7, 14, IBV_WR_SEND, 64, 1000);
}

static void case_rnr7_fast(void)
{
	rnr_saved(7, 1, IBV_WR_SEND, 64, 300);
}

static void case_rnr7_long(void)
{
	rnr_saved(7, 14, IBV_WR_SEND, 500000, 300);
}

static void case_rnr7_write_imm(void)
{
	rnr_saved(7, 14, IBV_WR_RDMA_WRITE_WITH_IMM, 100000, 300);
}

/* A SEND that waits for its receive must not hold up the other direction. */
static void case_rnr_reverse(void)
{
	struct ibv_sge sge;
	struct vu_cfg cfg;
	struct rig r;

	rnr_cfg(&cfg, 7, RNR_82MS);
	rig_up(&r, &cfg);
	send_len(&r, 1, 64);
	want_nothing(&r.a, "A", 50);
	sge = vu_sge(&r.mb, 0, 65536);
	if (vu_post_send(&r.b, IBV_WR_RDMA_READ, 50, &sge, 1, IBV_SEND_SIGNALED,
			 (uintptr_t)r.ma.p, r.ma.mr->rkey) ||
	    vu_post_send(&r.b, IBV_WR_RDMA_WRITE, 51, &sge, 1, IBV_SEND_SIGNALED,
			 (uintptr_t)r.ma.p + 524288, r.ma.mr->rkey))
		vu_die("post_send");
	want_wc(&r.b, "B", 50, IBV_WC_SUCCESS, 5000);
	want_wc(&r.b, "B", 51, IBV_WC_SUCCESS, 5000);
	expect(!memcmp(r.ma.p, r.mb.p, 65536), "READ brought wrong data");
	recv_len(&r, RECV_ID, 64);
	want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 10000);
	want_wc(&r.b, "B", RECV_ID, IBV_WC_SUCCESS, 10000);
	rig_down(&r);
}

/* rig_down() checks that destroy comes back although the timer is far off. */
static void case_rnr_destroy(void)
{
	struct vu_cfg cfg;
	struct rig r;

	rnr_cfg(&cfg, 7, 0);	/* 655 ms */
	rig_up(&r, &cfg);
	send_len(&r, 1, 64);
	send_len(&r, 2, 64);
	want_nothing(&r.a, "A", 200);
	rig_down(&r);
}

const struct err_case rnr_cases[] = {
	{ "receive: bad lkey", case_recv_lkey, false, false },
	{ "receive: buffer one byte too short", case_recv_short, false, false },
	{ "receive: buffer too short in a later segment", case_recv_short_long, false, false },
	{ "send longer than max_msg_sz", case_too_long, false, true },
	{ "RNR: rnr_retry 0", case_rnr0, false, false },
	{ "RNR: rnr_retry 3, no receive", case_rnr3, false, false },
	{ "RNR: rnr_retry 3, receive in time", case_rnr3_saved, false, false },
	{ "RNR: rnr_retry 7, receive after a second", case_rnr7, false, false },
	{ "RNR: rnr_retry 7, 10 us timer", case_rnr7_fast, false, false },
	{ "RNR: rnr_retry 7, long message", case_rnr7_long, false, false },
	{ "RNR: rnr_retry 7, write with imm", case_rnr7_write_imm, false, false },
	{ "RNR: the other direction goes on", case_rnr_reverse, false, false },
	{ "RNR: destroy while waiting", case_rnr_destroy, false, false },
	{ NULL, NULL, false, false }
};
