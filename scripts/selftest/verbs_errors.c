// SPDX-License-Identifier: GPL-2.0
/*
 * What goes wrong has to go wrong as IBTA says: the right status on the right
 * work request, what was posted behind it flushed in order, both QPs in the
 * right state, the right asynchronous event. One TAP point per case.
 *
 * Side A requests, side B responds. Cases that need the link cut run the
 * commands given with -x (cut) and -X (heal). -l is for foreign drivers that
 * leave out events and some details.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "verbs_util.h"

#define BUF	(1u << 20)
#define RECV_ID	100

static const char *spec_a, *spec_b, *cut_cmd, *heal_cmd;
static int family;
static bool lenient;
static struct vu_dev da, db;
static bool case_failed;

/* A connected pair with memory on both sides. */
struct rig {
	struct vu_qp	a, b;
	struct vu_buf	ma, mb;
};

static bool expect(bool ok, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool expect(bool ok, const char *fmt, ...)
{
	va_list ap;

	if (ok)
		return true;
	printf("#   ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	case_failed = true;
	return false;
}

static void rig_mem(struct rig *r, int access_b)
{
	struct vu_rng rng;

	vu_buf_alloc(&r->ma, &da, BUF, VU_ALL_ACCESS);
	vu_buf_alloc(&r->mb, &db, BUF, access_b);
	vu_seed(&rng, 7);
	vu_fill(&rng, r->ma.p, BUF);
	memset(r->mb.p, 0xee, BUF);
}

static void rig_up(struct rig *r, const struct vu_cfg *cfg)
{
	vu_make_pair(&r->a, &da, &r->b, &db, cfg);
	rig_mem(r, VU_ALL_ACCESS);
}

/* Events of a case must not be taken for those of the next one. */
static void drop_events(void)
{
	struct ibv_async_event ev;

	while (vu_event(da.ctx, &ev, 0) || vu_event(db.ctx, &ev, 0))
		;
}

static void rig_down(struct rig *r)
{
	uint64_t t0 = vu_now_us();

	drop_events();
	vu_qp_destroy(&r->a);
	vu_qp_destroy(&r->b);
	expect(vu_now_us() - t0 < 5000000, "destroying two QPs took %llu ms",
	       (unsigned long long)(vu_now_us() - t0) / 1000);
	vu_buf_free(&r->ma);
	vu_buf_free(&r->mb);
	drop_events();
}

static bool want_wc(struct vu_qp *q, const char *who, uint64_t id,
		    enum ibv_wc_status status, int ms)
{
	struct ibv_wc wc;

	if (!expect(vu_poll(q->cq, &wc, ms), "%s: no completion of %llu in %d ms",
		    who, (unsigned long long)id, ms))
		return false;
	return expect(wc.wr_id == id && wc.status == status,
		      "%s: completion of %llu with %s, wanted %llu with %s", who,
		      (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status),
		      (unsigned long long)id, ibv_wc_status_str(status));
}

static void want_nothing(struct vu_qp *q, const char *who, int ms)
{
	struct ibv_wc wc;

	if (vu_poll(q->cq, &wc, ms))
		expect(false, "%s: unexpected completion of %llu with %s", who,
		       (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
}

static void want_state(struct vu_qp *q, const char *who, enum ibv_qp_state want)
{
	enum ibv_qp_state st = vu_qp_state(q);
	int i;

	/* The move to ERR may come a little after the completion. */
	for (i = 0; i < 200 && st != want; i++) {
		usleep(10000);
		st = vu_qp_state(q);
	}
	expect(st == want, "%s: QP state %d, wanted %d", who, st, want);
}

static void want_event(struct vu_qp *q, const char *who, enum ibv_event_type type)
{
	struct ibv_async_event ev;
	uint64_t end = vu_now_us() + 2000000;

	if (lenient)
		return;
	while (vu_now_us() < end) {
		if (!vu_event(q->dev->ctx, &ev, 200))
			continue;
		if (ev.event_type == IBV_EVENT_COMM_EST)
			continue;
		expect(ev.event_type == type && ev.element.qp == q->qp,
		       "%s: event '%s', wanted '%s'", who,
		       ibv_event_type_str(ev.event_type), ibv_event_type_str(type));
		return;
	}
	expect(false, "%s: no event '%s'", who, ibv_event_type_str(type));
}

static void want_no_event(struct vu_dev *dev, const char *who)
{
	struct ibv_async_event ev;

	while (vu_event(dev->ctx, &ev, 0))
		expect(ev.event_type == IBV_EVENT_COMM_EST,
		       "%s: unexpected event '%s'", who,
		       ibv_event_type_str(ev.event_type));
}

static void write_ok(struct rig *r, uint64_t id)
{
	struct ibv_sge sge = vu_sge(&r->ma, 0, 64);

	if (vu_post_send(&r->a, IBV_WR_RDMA_WRITE, id, &sge, 1, IBV_SEND_SIGNALED,
			 (uintptr_t)r->mb.p, r->mb.mr->rkey))
		vu_die("post_send");
}

static void send_len(struct rig *r, uint64_t id, uint32_t len)
{
	struct ibv_sge sge = vu_sge(&r->ma, 4096, len);

	if (vu_post_send(&r->a, IBV_WR_SEND, id, &sge, 1, IBV_SEND_SIGNALED, 0, 0))
		vu_die("post_send");
}

static void recv_len(struct rig *r, uint64_t id, uint32_t len)
{
	struct ibv_sge sge = vu_sge(&r->mb, 8192, len);

	if (vu_post_recv(&r->b, id, &sge, 1))
		vu_die("post_recv");
}

/* --- one bad request between good ones -------------------------------------- */

struct bad {
	const char		*name;
	enum ibv_wr_opcode	op;
	uint32_t		len;
	int			access_mr;	/* of B's region */
	int			access_qp;	/* of B's QP */
	int64_t			raddr;		/* relative to B's region */
	bool			bad_rkey, other_pd;
	bool			bad_lkey, ro_sink;
	enum ibv_wc_status	status;
	enum ibv_event_type	b_event;	/* with b_err */
	bool			b_err;		/* B goes to ERR as well */
};

#define REM(n, o, l, ...) { .name = n, .op = o, .len = l, \
	.access_mr = VU_ALL_ACCESS, .access_qp = VU_ALL_ACCESS, \
	.status = IBV_WC_REM_ACCESS_ERR, .b_err = true, \
	.b_event = IBV_EVENT_QP_ACCESS_ERR, __VA_ARGS__ }
#define INV(n, o, l, ...) { .name = n, .op = o, .len = l, \
	.access_mr = VU_ALL_ACCESS, .access_qp = VU_ALL_ACCESS, \
	.status = IBV_WC_REM_INV_REQ_ERR, .b_err = true, \
	.b_event = IBV_EVENT_QP_REQ_ERR, __VA_ARGS__ }
#define LOC(n, o, l, ...) { .name = n, .op = o, .len = l, \
	.access_mr = VU_ALL_ACCESS, .access_qp = VU_ALL_ACCESS, \
	.status = IBV_WC_LOC_PROT_ERR, __VA_ARGS__ }

#define WRITE	IBV_WR_RDMA_WRITE
#define READ	IBV_WR_RDMA_READ
#define CAS	IBV_WR_ATOMIC_CMP_AND_SWP
#define FAA	IBV_WR_ATOMIC_FETCH_AND_ADD
#define NOT(x)	(VU_ALL_ACCESS & ~IBV_ACCESS_REMOTE_##x)

static const struct bad bad_table[] = {
	REM("write: bad rkey", WRITE, 64, .bad_rkey = true),
	REM("write of 256 KiB: bad rkey", WRITE, 262144, .bad_rkey = true),
	REM("read: bad rkey", READ, 64, .bad_rkey = true),
	REM("cmp_swp: bad rkey", CAS, 8, .bad_rkey = true),
	REM("fetch_add: bad rkey", FAA, 8, .bad_rkey = true),
	REM("write with imm: bad rkey", IBV_WR_RDMA_WRITE_WITH_IMM, 64,
	    .bad_rkey = true),
	REM("write: rkey of another PD", WRITE, 64, .other_pd = true),
	REM("read: rkey of another PD", READ, 64, .other_pd = true),
	REM("write: one byte beyond the region", WRITE, 64, .raddr = BUF - 63),
	REM("write: one byte before the region", WRITE, 64, .raddr = -1),
	REM("read: one byte beyond the region", READ, 4096, .raddr = BUF - 4095),
	REM("fetch_add: beyond the region", FAA, 8, .raddr = BUF),
	REM("write: region without REMOTE_WRITE", WRITE, 64,
	    .access_mr = NOT(WRITE) & ~IBV_ACCESS_REMOTE_ATOMIC),
	REM("read: region without REMOTE_READ", READ, 64, .access_mr = NOT(READ)),
	REM("cmp_swp: region without REMOTE_ATOMIC", CAS, 8,
	    .access_mr = NOT(ATOMIC)),
	INV("write: QP without REMOTE_WRITE", WRITE, 64, .access_qp = NOT(WRITE)),
	INV("read: QP without REMOTE_READ", READ, 64, .access_qp = NOT(READ)),
	INV("fetch_add: QP without REMOTE_ATOMIC", FAA, 8,
	    .access_qp = NOT(ATOMIC)),
	INV("cmp_swp: misaligned by 4", CAS, 8, .raddr = 4),
	INV("fetch_add: misaligned by 1", FAA, 8, .raddr = 1),
	LOC("send: bad lkey", IBV_WR_SEND, 64, .bad_lkey = true),
	LOC("write: bad lkey", WRITE, 64, .bad_lkey = true),
	LOC("read: bad lkey", READ, 64, .bad_lkey = true),
	LOC("read: sink without LOCAL_WRITE", READ, 64, .ro_sink = true),
	LOC("fetch_add: sink without LOCAL_WRITE", FAA, 8, .ro_sink = true),
};

static uint32_t bad_rkey(const struct bad *t, struct rig *r, struct ibv_mr *other)
{
	if (t->bad_rkey)
		return r->mb.mr->rkey ^ 0x5a5a5a;
	return other ? other->rkey : r->mb.mr->rkey;
}

static void post_bad(const struct bad *t, struct rig *r, struct ibv_mr *other,
		     struct ibv_mr *ro)
{
	struct ibv_sge sge = vu_sge(&r->ma, 16384, t->len);

	if (t->bad_lkey)
		sge.lkey ^= 0x5a5a5a;
	if (ro)
		sge.lkey = ro->lkey;
	if (vu_post_send(&r->a, t->op, 2, &sge, 1, IBV_SEND_SIGNALED,
			 (uintptr_t)r->mb.p + t->raddr, bad_rkey(t, r, other)))
		vu_die("post_send");
}

/* Nothing of a refused request may have reached B's memory. */
static void want_untouched(struct rig *r)
{
	size_t i;

	for (i = 64; i < BUF; i++)
		if (r->mb.p[i] != 0xee)
			break;
	expect(i == BUF, "B's memory was changed at %zu", i);
}

static void run_bad(const struct bad *t)
{
	struct ibv_mr *other = NULL, *ro = NULL;
	struct ibv_pd *pd2 = NULL;
	struct vu_cfg cfg;
	struct rig r;

	vu_cfg_default(&cfg);
	vu_qp_create(&r.a, &da, &cfg);
	cfg.access = t->access_qp;
	vu_qp_create(&r.b, &db, &cfg);
	vu_connect(&r.a, &r.b);
	rig_mem(&r, t->access_mr);
	if (t->other_pd) {
		pd2 = ibv_alloc_pd(db.ctx);
		other = pd2 ? ibv_reg_mr(pd2, r.mb.p, BUF, VU_ALL_ACCESS) : NULL;
		if (!other)
			vu_die("second PD");
	}
	if (t->ro_sink) {
		ro = ibv_reg_mr(da.pd, r.ma.p, BUF, 0);
		if (!ro)
			vu_die("reg_mr");
	}
	recv_len(&r, RECV_ID, 4096);
	recv_len(&r, RECV_ID + 1, 4096);

	/* A READ is the good one where WRITE is forbidden to B. */
	if (t->access_mr & t->access_qp & IBV_ACCESS_REMOTE_WRITE) {
		write_ok(&r, 1);
	} else {
		struct ibv_sge sge = vu_sge(&r.ma, 0, 64);

		if (vu_post_send(&r.a, READ, 1, &sge, 1, IBV_SEND_SIGNALED,
				 (uintptr_t)r.mb.p, r.mb.mr->rkey))
			vu_die("post_send");
	}
	post_bad(t, &r, other, ro);
	send_len(&r, 3, 64);
	write_ok(&r, 4);
	want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 10000);
	want_wc(&r.a, "A", 2, t->status, 10000);
	want_wc(&r.a, "A", 3, IBV_WC_WR_FLUSH_ERR, 10000);
	want_wc(&r.a, "A", 4, IBV_WC_WR_FLUSH_ERR, 10000);
	want_state(&r.a, "A", IBV_QPS_ERR);
	write_ok(&r, 5);
	want_wc(&r.a, "A", 5, IBV_WC_WR_FLUSH_ERR, 10000);

	if (t->b_err) {
		want_state(&r.b, "B", IBV_QPS_ERR);
		want_event(&r.b, "B", t->b_event);
		want_wc(&r.b, "B", RECV_ID, IBV_WC_WR_FLUSH_ERR, 10000);
		want_wc(&r.b, "B", RECV_ID + 1, IBV_WC_WR_FLUSH_ERR, 10000);
	} else {
		want_nothing(&r.b, "B", 50);
		want_state(&r.b, "B", IBV_QPS_RTS);
		if (&da != &db && !lenient)
			want_no_event(&db, "B");
	}
	want_untouched(&r);
	rig_down(&r);
	if (ro)
		ibv_dereg_mr(ro);
	if (other && (ibv_dereg_mr(other) || ibv_dealloc_pd(pd2)))
		vu_die("second PD");
}

/* --- receive side errors ------------------------------------------------------ */

/* B's first receive WQE is unfit for what A sends. */
static void bad_recv(bool bad_lkey, uint32_t room, uint32_t len,
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
	uint32_t per = da.port.max_msg_sz / 32 + 4096;
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

/* --- receiver not ready -------------------------------------------------------- */

#define RNR_82MS	26	/* IBTA code */

static void rnr_cfg(struct vu_cfg *cfg, int rnr_retry, int code)
{
	vu_cfg_default(cfg);
	cfg->rnr_retry = rnr_retry;
	cfg->min_rnr = code;
}

static void rnr_exceeded(int rnr_retry, unsigned int min_ms)
{
	struct vu_cfg cfg;
	struct rig r;
	uint64_t t;

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
		      uint32_t len, unsigned int after_ms)
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

/* --- the peer is gone ------------------------------------------------------------ */

/* 4.096 us * 2^14 = 67 ms; all together well under the limit below. */
static void short_cfg(struct vu_cfg *cfg)
{
	vu_cfg_default(cfg);
	cfg->timeout = 14;
	cfg->retry = 3;
}

#define GONE_MS	15000

static void want_gone(struct rig *r, uint64_t id, uint64_t last)
{
	uint64_t t0 = vu_now_us();

	want_wc(&r->a, "A", id, IBV_WC_RETRY_EXC_ERR, GONE_MS);
	vu_note("  gave up after %llu ms",
		(unsigned long long)(vu_now_us() - t0) / 1000);
	while (id++ < last)
		if (!want_wc(&r->a, "A", id, IBV_WC_WR_FLUSH_ERR, 5000))
			break;
	want_state(&r->a, "A", IBV_QPS_ERR);
}

static void peer_leaves(enum ibv_qp_state to)
{
	struct vu_cfg cfg;
	struct rig r;

	short_cfg(&cfg);
	rig_up(&r, &cfg);
	write_ok(&r, 1);
	want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 10000);
	if (vu_qp_to(&r.b, to))
		vu_die("modify_qp %d", to);
	usleep(100000);
	want_state(&r.a, "A", IBV_QPS_RTS);
	write_ok(&r, 2);
	send_len(&r, 3, 64);
	write_ok(&r, 4);
	want_gone(&r, 2, 4);
	rig_down(&r);
}

static void case_peer_err(void)
{
	peer_leaves(IBV_QPS_ERR);
}

static void case_peer_reset(void)
{
	peer_leaves(IBV_QPS_RESET);
}

struct hello {
	uint32_t	qpn, rkey;
	uint64_t	addr;
	union ibv_gid	gid;
};

/* The child is side B: connects, tells its memory, sleeps until it is killed. */
static void peer_child(int fd, const struct vu_cfg *cfg)
{
	struct hello mine, his;
	struct vu_dev dev;
	struct vu_buf buf;
	struct vu_qp q;

	vu_watchdog(120);
	vu_open(&dev, spec_b, family);
	vu_qp_create(&q, &dev, cfg);
	vu_buf_alloc(&buf, &dev, BUF, VU_ALL_ACCESS);
	mine = (struct hello){
		.qpn = q.qp->qp_num, .rkey = buf.mr->rkey,
		.addr = (uintptr_t)buf.p, .gid = dev.gid,
	};
	if (write(fd, &mine, sizeof(mine)) != sizeof(mine) ||
	    read(fd, &his, sizeof(his)) != sizeof(his) ||
	    vu_qp_init(&q) || vu_qp_rtr(&q, his.qpn, &his.gid) || vu_qp_rts(&q) ||
	    write(fd, "x", 1) != 1)
		vu_die("child");
	for (;;)
		pause();
}

static pid_t fork_peer(int *fd, const struct vu_cfg *cfg)
{
	int sv[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		vu_die("socketpair");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		vu_die("fork");
	if (!pid) {
		close(sv[0]);
		peer_child(sv[1], cfg);
	}
	close(sv[1]);
	*fd = sv[0];
	return pid;
}

static void killed_stream(struct rig *r, const struct hello *h, pid_t pid)
{
	struct ibv_sge sge = vu_sge(&r->ma, 0, 65536);
	uint64_t head = 0, tail = 0, end = vu_now_us() + 300000;
	bool killed = false;
	struct ibv_wc wc;

	/* Eight WRITEs are always on their way, also when the peer dies. */
	for (;;) {
		while (!killed && head - tail < 8)
			if (vu_post_send(&r->a, WRITE, ++head, &sge, 1,
					 IBV_SEND_SIGNALED, h->addr, h->rkey))
				vu_die("post_send");
		if (!killed && vu_now_us() > end) {
			kill(pid, SIGKILL);
			killed = true;
		}
		if (!vu_poll(r->a.cq, &wc, killed ? GONE_MS : 5000)) {
			expect(false, "no completion of %llu",
			       (unsigned long long)tail + 1);
			return;
		}
		tail++;
		expect(wc.wr_id == tail, "completion of %llu, wanted %llu",
		       (unsigned long long)wc.wr_id, (unsigned long long)tail);
		if (wc.status || case_failed)
			break;
		/* All arrived before the peer died: one more finds it dead. */
		if (killed && tail == head &&
		    vu_post_send(&r->a, WRITE, ++head, &sge, 1,
				 IBV_SEND_SIGNALED, h->addr, h->rkey))
			vu_die("post_send");
	}
	expect(killed && wc.status == IBV_WC_RETRY_EXC_ERR,
	       "first error is %s", ibv_wc_status_str(wc.status));
	while (tail++ < head)
		if (!want_wc(&r->a, "A", tail, IBV_WC_WR_FLUSH_ERR, 5000))
			break;
}

static void case_peer_killed(void)
{
	struct hello mine, his;
	struct vu_cfg cfg;
	struct rig r;
	uint64_t t0;
	pid_t pid;
	char c;
	int fd;

	short_cfg(&cfg);
	pid = fork_peer(&fd, &cfg);
	vu_qp_create(&r.a, &da, &cfg);
	vu_buf_alloc(&r.ma, &da, BUF, VU_ALL_ACCESS);
	mine = (struct hello){ .qpn = r.a.qp->qp_num, .gid = da.gid };
	if (read(fd, &his, sizeof(his)) != sizeof(his) ||
	    write(fd, &mine, sizeof(mine)) != sizeof(mine) ||
	    vu_qp_init(&r.a) || vu_qp_rtr(&r.a, his.qpn, &his.gid) ||
	    read(fd, &c, 1) != 1 || vu_qp_rts(&r.a))
		vu_die("connecting to the child");
	t0 = vu_now_us();
	killed_stream(&r, &his, pid);
	vu_note("  over after %llu ms", (unsigned long long)(vu_now_us() - t0) / 1000);
	want_state(&r.a, "A", IBV_QPS_ERR);
	waitpid(pid, NULL, 0);
	close(fd);
	vu_qp_destroy(&r.a);
	vu_buf_free(&r.ma);
	drop_events();
}

/* --- the link is cut ------------------------------------------------------------- */

static void run_cmd(const char *cmd)
{
	if (system(cmd))
		vu_die("command failed: %s", cmd);
}

/* 32 WRITEs of 32 KiB, all different; the last one's data is compared. */
static void post_many(struct rig *r)
{
	struct ibv_sge sge;
	uint32_t i;

	for (i = 0; i < 32; i++) {
		sge = vu_sge(&r->ma, i * 32768, 32768);
		if (vu_post_send(&r->a, WRITE, 10 + i, &sge, 1, IBV_SEND_SIGNALED,
				 (uintptr_t)r->mb.p + i * 32768, r->mb.mr->rkey))
			vu_die("post_send");
	}
}

static void cut(unsigned int ms, bool before_connect)
{
	struct vu_cfg cfg;
	struct rig r;
	int i;

	if (ms)
		vu_cfg_default(&cfg);	/* 8 * 1 s: survives */
	else
		short_cfg(&cfg);
	if (before_connect)
		run_cmd(cut_cmd);
	rig_up(&r, &cfg);
	if (!before_connect) {
		write_ok(&r, 1);
		want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 10000);
		run_cmd(cut_cmd);
	}
	post_many(&r);
	if (ms) {
		want_nothing(&r.a, "A", ms);
		run_cmd(heal_cmd);
		for (i = 0; i < 32 && !case_failed; i++)
			want_wc(&r.a, "A", 10 + i, IBV_WC_SUCCESS, 20000);
		expect(!memcmp(r.ma.p, r.mb.p, BUF), "wrong data");
		want_state(&r.b, "B", IBV_QPS_RTS);
	} else {
		want_gone(&r, 10, 41);
		run_cmd(heal_cmd);
	}
	rig_down(&r);
}

static void case_cut_short(void)
{
	cut(700, false);
}

static void case_cut_long(void)
{
	cut(0, false);
}

static void case_connect_cut_short(void)
{
	cut(700, true);
}

static void case_connect_cut_long(void)
{
	cut(0, true);
}

/* --- states ------------------------------------------------------------------------ */

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

/* --- SRQ ---------------------------------------------------------------------------- */

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

static bool want_dev_event(struct ibv_context *ctx, enum ibv_event_type type, int ms)
{
	struct ibv_async_event ev;

	while (vu_event(ctx, &ev, ms))
		if (ev.event_type == type)
			return true;
	return expect(false, "no event '%s'", ibv_event_type_str(type));
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

/* --- all of them ---------------------------------------------------------------------- */

static const struct {
	const char	*name;
	void		(*fn)(void);
	bool		needs_cut;
	bool		strict;		/* not for foreign drivers */
} cases[] = {
	{ "receive: bad lkey", case_recv_lkey },
	{ "receive: buffer one byte too short", case_recv_short },
	{ "receive: buffer too short in a later segment", case_recv_short_long },
	{ "send longer than max_msg_sz", case_too_long, .strict = true },
	{ "RNR: rnr_retry 0", case_rnr0 },
	{ "RNR: rnr_retry 3, no receive", case_rnr3 },
	{ "RNR: rnr_retry 3, receive in time", case_rnr3_saved },
	{ "RNR: rnr_retry 7, receive after a second", case_rnr7 },
	{ "RNR: rnr_retry 7, 10 us timer", case_rnr7_fast },
	{ "RNR: rnr_retry 7, long message", case_rnr7_long },
	{ "RNR: rnr_retry 7, write with imm", case_rnr7_write_imm },
	{ "RNR: the other direction goes on", case_rnr_reverse },
	{ "RNR: destroy while waiting", case_rnr_destroy },
	{ "peer QP in ERR", case_peer_err },
	{ "peer QP in RESET", case_peer_reset },
	{ "peer killed under a stream", case_peer_killed },
	{ "link cut for less than the retry time", case_cut_short, .needs_cut = true },
	{ "link cut for good", case_cut_long, .needs_cut = true },
	{ "connecting over a link that comes late", case_connect_cut_short,
	  .needs_cut = true },
	{ "connecting over a dead link", case_connect_cut_long, .needs_cut = true },
	{ "peer goes to RTR late", case_late_rtr },
	{ "flush in ERR, in order", case_flush },
	{ "the same QP again after ERR and RESET", case_reuse },
	{ "SQD drains and resumes", case_sqd, .strict = true },
	{ "full ring, too many segments", case_post_limits },
	{ "SRQ: limit, RNR, last WQE", case_srq },
};

static void report(const char *name, uint64_t t0)
{
	vu_point(!case_failed, "%s", name);
	if (vu_now_us() - t0 > 10000000)
		vu_note("  %llu s", (unsigned long long)(vu_now_us() - t0) / 1000000);
	case_failed = false;
}

static bool selected(const char *name, char **pat, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (strstr(name, pat[i]))
			return true;
	return !n;
}

static void run_all(char **pat, int n)
{
	uint64_t t0;
	size_t i;

	for (i = 0; i < VU_ARRAY_SIZE(bad_table); i++) {
		if (!selected(bad_table[i].name, pat, n))
			continue;
		t0 = vu_now_us();
		run_bad(&bad_table[i]);
		report(bad_table[i].name, t0);
	}
	for (i = 0; i < VU_ARRAY_SIZE(cases); i++) {
		if (!selected(cases[i].name, pat, n))
			continue;
		if (cases[i].needs_cut && !cut_cmd) {
			vu_skip(cases[i].name, "no link to cut");
			continue;
		}
		if (cases[i].strict && lenient) {
			vu_skip(cases[i].name, "not expected of this driver");
			continue;
		}
		t0 = vu_now_us();
		cases[i].fn();
		report(cases[i].name, t0);
	}
}

int main(int argc, char **argv)
{
	unsigned int dog = 300;
	int c;

	while ((c = getopt(argc, argv, "a:b:46x:X:lw:")) != -1) {
		switch (c) {
		case 'a': spec_a = optarg; break;
		case 'b': spec_b = optarg; break;
		case '4': family = 4; break;
		case '6': family = 6; break;
		case 'x': cut_cmd = optarg; break;
		case 'X': heal_cmd = optarg; break;
		case 'l': lenient = true; break;
		case 'w': dog = atoi(optarg); break;
		default: spec_a = NULL; optind = argc;
		}
	}
	if (!spec_a || !spec_b || !cut_cmd != !heal_cmd) {
		fprintf(stderr, "usage: verbs_errors -a DEV -b DEV [-4|-6] [-x CUT -X HEAL] [-l] [-w WATCHDOG] [CASE…]\n");
		return 2;
	}
	vu_watchdog(dog);
	vu_open(&da, spec_a, family);
	vu_open(&db, spec_b, family);
	run_all(argv + optind, argc - optind);
	vu_close(&da);
	vu_close(&db);
	return vu_exit_status();
}
