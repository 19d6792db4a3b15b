// SPDX-License-Identifier: GPL-2.0
/*
 * verbs_errors: one bad request between good ones. The good one in front of it
 * succeeds, it fails with its status, what is behind it is flushed, and the
 * responder's memory stays as it was.
 */
#include <string.h>
#include <unistd.h>
#include "err_rig.h"

struct bad {
	const char		*name;
	enum ibv_wr_opcode	op;
	u32		len;
	int			deny_mr;	/* access that B's region lacks */
	int			deny_qp;	/* … that B's QP lacks */
	s64			raddr;		/* relative to B's region */
	bool			bad_rkey, other_pd;
	bool			bad_lkey, ro_sink;
	enum ibv_wc_status	status;
	enum ibv_event_type	b_event;	/* with b_err */
	bool			b_err;		/* B goes to ERR as well */
};

#define REM(n, o, l, ...) { .name = n, .op = o, .len = l, \
	.status = IBV_WC_REM_ACCESS_ERR, .b_err = true, \
	.b_event = IBV_EVENT_QP_ACCESS_ERR, __VA_ARGS__ }
#define INV(n, o, l, ...) { .name = n, .op = o, .len = l, \
	.status = IBV_WC_REM_INV_REQ_ERR, .b_err = true, \
	.b_event = IBV_EVENT_QP_REQ_ERR, __VA_ARGS__ }
#define LOC(n, o, l, ...) { .name = n, .op = o, .len = l, \
	.status = IBV_WC_LOC_PROT_ERR, __VA_ARGS__ }

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
	    .deny_mr = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC),
	REM("read: region without REMOTE_READ", READ, 64,
	    .deny_mr = IBV_ACCESS_REMOTE_READ),
	REM("cmp_swp: region without REMOTE_ATOMIC", CAS, 8,
	    .deny_mr = IBV_ACCESS_REMOTE_ATOMIC),
	INV("write: QP without REMOTE_WRITE", WRITE, 64,
	    .deny_qp = IBV_ACCESS_REMOTE_WRITE),
	INV("read: QP without REMOTE_READ", READ, 64,
	    .deny_qp = IBV_ACCESS_REMOTE_READ),
	INV("fetch_add: QP without REMOTE_ATOMIC", FAA, 8,
	    .deny_qp = IBV_ACCESS_REMOTE_ATOMIC),
	INV("cmp_swp: misaligned by 4", CAS, 8, .raddr = 4),
	INV("fetch_add: misaligned by 1", FAA, 8, .raddr = 1),
	LOC("send: bad lkey", IBV_WR_SEND, 64, .bad_lkey = true),
	LOC("write: bad lkey", WRITE, 64, .bad_lkey = true),
	LOC("read: bad lkey", READ, 64, .bad_lkey = true),
	LOC("read: sink without LOCAL_WRITE", READ, 64, .ro_sink = true),
	LOC("fetch_add: sink without LOCAL_WRITE", FAA, 8, .ro_sink = true),
};

static u32 bad_rkey(const struct bad *t, struct rig *r, struct ibv_mr *other)
{
	if (t->bad_rkey)
		return r->mb.mr->rkey ^ 0x5a5a5a;
	return other ? other->rkey : r->mb.mr->rkey;
}

static void post_atomic(const struct bad *t, struct rig *r,
			const struct ibv_sge *sge, u32 rkey)
{
	struct ibv_qp_ex *qx = ibv_qp_to_qp_ex(r->a.qp);
	u64 raddr = (uintptr_t)r->mb.p + t->raddr;

	ibv_wr_start(qx);
	qx->wr_id = 2;
	qx->wr_flags = IBV_SEND_SIGNALED;
	if (t->op == CAS)
		ibv_wr_atomic_cmp_swp(qx, rkey, raddr, 1, 2);
	else
		ibv_wr_atomic_fetch_add(qx, rkey, raddr, 1);
	ibv_wr_set_sge(qx, sge->lkey, sge->addr, sge->length);
	if (ibv_wr_complete(qx))
		vu_die("ibv_wr_complete");
}

static void post_bad(const struct bad *t, struct rig *r, struct ibv_mr *other,
		     struct ibv_mr *ro)
{
	struct ibv_sge sge = vu_sge(&r->ma, 16384, t->len);

	if (t->bad_lkey)
		sge.lkey ^= 0x5a5a5a;
	if (ro)
		sge.lkey = ro->lkey;
	/* The library refuses a misaligned atomic, but not through this door. */
	if (t->op == CAS || t->op == FAA)
		post_atomic(t, r, &sge, bad_rkey(t, r, other));
	else if (vu_post_send(&r->a, t->op, 2, &sge, 1, IBV_SEND_SIGNALED,
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
	cfg.ex_ops = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		     IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	vu_qp_create(&r.a, &da, &cfg);
	cfg.access = VU_ALL_ACCESS & ~t->deny_qp;
	vu_qp_create(&r.b, &db, &cfg);
	vu_connect(&r.a, &r.b);
	rig_mem(&r, VU_ALL_ACCESS & ~t->deny_mr);
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
	if (!((t->deny_mr | t->deny_qp) & IBV_ACCESS_REMOTE_WRITE)) {
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
		/* Some drivers spend a receive on the failed request. */
		if (lenient)
			vu_poll(r.b.cq, &(struct ibv_wc){}, 10000);
		else
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

size_t bad_count(void)
{
	return VU_ARRAY_SIZE(bad_table);
}

const char *bad_name(size_t i)
{
	return bad_table[i].name;
}

void bad_run(size_t i)
{
	run_bad(&bad_table[i]);
}
