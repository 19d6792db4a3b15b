// SPDX-License-Identifier: GPL-2.0
/*
 * Memory windows of both types, and keys made invalid from here and from there,
 * through the library as it is. One TAP point per case; -k ends with a window that
 * is bound and frees nothing.
 *
 * Side A requests, side B has the region and the windows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "err_rig.h"

#define WIN_OFF	8192
#define WIN_LEN	4096
#define MR_BIND	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)
#define MW_RW	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define RIGHTS_BIND	70
#define INV_ID		71

/* A pair; B's region has no remote rights of its own. */
static void mw_up(struct rig *r)
{
	struct vu_cfg cfg;

	vu_cfg_default(&cfg);
	vu_make_pair(&r->a, &da, &r->b, &db, &cfg);
	rig_mem(r, MR_BIND);
}

static struct ibv_mw *mw_new(enum ibv_mw_type type)
{
	struct ibv_mw *mw = ibv_alloc_mw(db.pd, type);

	if (!mw)
		vu_die("alloc_mw: %s", strerror(errno));
	return mw;
}

static void mw_free(struct ibv_mw *mw)
{
	int err = ibv_dealloc_mw(mw);

	expect(!err, "dealloc_mw: %s", strerror(err));
}

static struct ibv_mw_bind_info part(struct rig *r, u64 off, u64 len, int access)
{
	return (struct ibv_mw_bind_info) {
		.mr = r->mb.mr, .addr = (uintptr_t)r->mb.p + off, .length = len,
		.mw_access_flags = access,
	};
}

static void bind1(struct rig *r, struct ibv_mw *mw, u64 off, u64 len, int access)
{
	struct ibv_mw_bind b = {
		.wr_id = RIGHTS_BIND, .send_flags = IBV_SEND_SIGNALED,
		.bind_info = part(r, off, len, access),
	};
	int err = ibv_bind_mw(r->b.qp, mw, &b);

	expect(!err, "bind_mw: %s", strerror(err));
}

/* Returns the key that the window has once that is done. */
static u32 bind2_on(struct vu_qp *q, struct rig *r, struct ibv_mw *mw, u32 now, u64 off,
		    u64 len, int access)
{
	struct ibv_send_wr *bad, wr = {
		.wr_id = RIGHTS_BIND, .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = mw, .rkey = ibv_inc_rkey(now),
			     .bind_info = part(r, off, len, access) },
	};
	u32 was = mw->rkey;
	int err;

	mw->rkey = now;
	err = ibv_post_send(q->qp, &wr, &bad);
	mw->rkey = was;
	expect(!err, "post_send of a bind: %s", strerror(err));
	return wr.bind_mw.rkey;
}

static u32 bind2(struct rig *r, struct ibv_mw *mw, u64 off, u64 len, int access)
{
	u32 key = bind2_on(&r->b, r, mw, mw->rkey, off, len, access);

	want_wc(&r->b, "B", RIGHTS_BIND, IBV_WC_SUCCESS, 5000);
	mw->rkey = key;
	return key;
}

static void inval(struct vu_qp *q, u32 key, int flags)
{
	struct ibv_send_wr *bad, wr = {
		.wr_id = INV_ID, .opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED | flags, .invalidate_rkey = key,
	};
	int err = ibv_post_send(q->qp, &wr, &bad);

	expect(!err, "post_send of an invalidate: %s", strerror(err));
}

static void send_inv(struct rig *r, u64 id, u32 key)
{
	struct ibv_sge sge = vu_sge(&r->ma, 0, 16);
	struct ibv_send_wr *bad, wr = {
		.wr_id = id, .opcode = IBV_WR_SEND_WITH_INV, .sg_list = &sge, .num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED, .invalidate_rkey = key,
	};
	int err = ibv_post_send(r->a.qp, &wr, &bad);

	expect(!err, "post_send with invalidate: %s", strerror(err));
}

/* A's request to @raddr, with bytes @off of A's memory. */
static void req(struct rig *r, enum ibv_wr_opcode op, u64 id, u32 off, u32 len, u64 raddr, u32 key)
{
	struct ibv_sge sge = vu_sge(&r->ma, off, len);
	int err = vu_post_send(&r->a, op, id, &sge, 1, IBV_SEND_SIGNALED, raddr, key);

	expect(!err, "post_send: %s", strerror(err));
}

static void write_win(struct rig *r, u64 id, u32 off, u32 len, u32 key)
{
	req(r, WRITE, id, 1000, len, (uintptr_t)r->mb.p + off, key);
}

static void good(struct rig *r, u32 off, u32 len, u32 key)
{
	memset(r->mb.p, 0xee, BUF);
	write_win(r, 1, off, len, key);
	want_wc(&r->a, "A", 1, IBV_WC_SUCCESS, 5000);
	expect(!memcmp(r->mb.p + off, r->ma.p + 1000, len), "the data is not there");
	expect(r->mb.p[off - 1] == 0xee && r->mb.p[off + len] == 0xee, "data around the window");
}

/* Ends the pair. */
static void refused(struct rig *r, u32 off, u32 len, u32 key)
{
	write_win(r, 2, off, len, key);
	want_wc(&r->a, "A", 2, IBV_WC_REM_ACCESS_ERR, 5000);
	want_state(&r->a, "A", IBV_QPS_ERR);
	want_state(&r->b, "B", IBV_QPS_ERR);
}

static void again(struct rig *r)
{
	struct ibv_wc wc;

	if (vu_qp_to(&r->a, IBV_QPS_RESET) || vu_qp_to(&r->b, IBV_QPS_RESET))
		vu_die("modify_qp RESET");
	while (vu_poll(r->a.cq, &wc, 0) || vu_poll(r->b.cq, &wc, 0))
		;
	drop_events();
	vu_connect(&r->a, &r->b);
}

static void type1(void)
{
	struct ibv_mw *mw;
	struct rig r;
	u32 first;

	mw_up(&r);
	mw = mw_new(IBV_MW_TYPE_1);
	refused(&r, WIN_OFF, 8, mw->rkey);
	again(&r);
	bind1(&r, mw, WIN_OFF, WIN_LEN, MW_RW);
	want_wc(&r.b, "B", RIGHTS_BIND, IBV_WC_SUCCESS, 5000);
	first = mw->rkey;
	good(&r, WIN_OFF, WIN_LEN, first);
	refused(&r, WIN_OFF, WIN_LEN + 1, first);
	again(&r);
	refused(&r, WIN_OFF - 1, 8, first);
	again(&r);
	/* Bound anew it is somewhere else, and the key of before is none. */
	bind1(&r, mw, 3 * WIN_OFF, 64, MW_RW);
	want_wc(&r.b, "B", RIGHTS_BIND, IBV_WC_SUCCESS, 5000);
	good(&r, 3 * WIN_OFF, 64, mw->rkey);
	refused(&r, WIN_OFF, 8, first);
	again(&r);
	bind1(&r, mw, 0, 0, 0);
	want_wc(&r.b, "B", RIGHTS_BIND, IBV_WC_SUCCESS, 5000);
	refused(&r, 3 * WIN_OFF, 8, mw->rkey);
	mw_free(mw);
	rig_down(&r);
}

static void type2_local_inv(void)
{
	struct ibv_mw *mw;
	struct rig r;
	u32 key;

	mw_up(&r);
	mw = mw_new(IBV_MW_TYPE_2);
	key = bind2(&r, mw, WIN_OFF, WIN_LEN, MW_RW);
	good(&r, WIN_OFF, WIN_LEN, key);
	inval(&r.b, key, 0);
	want_wc(&r.b, "B", INV_ID, IBV_WC_SUCCESS, 5000);
	inval(&r.b, key, IBV_SEND_FENCE);
	want_wc(&r.b, "B", INV_ID, IBV_WC_SUCCESS, 5000);
	key = bind2(&r, mw, WIN_OFF, WIN_LEN, MW_RW);
	good(&r, WIN_OFF, 77, key);
	inval(&r.b, key, 0);
	want_wc(&r.b, "B", INV_ID, IBV_WC_SUCCESS, 5000);
	refused(&r, WIN_OFF, 8, key);
	mw_free(mw);
	rig_down(&r);
}

static void type2_remote_inv(void)
{
	struct ibv_mw *mw;
	struct ibv_wc wc;
	struct rig r;
	int i;
	u32 key = 0;

	mw_up(&r);
	mw = mw_new(IBV_MW_TYPE_2);
	for (i = 0; i < 50 && !case_failed; i++) {
		key = bind2(&r, mw, WIN_OFF, WIN_LEN, MW_RW);
		recv_len(&r, RECV_ID, 64);
		write_win(&r, 1, WIN_OFF, 8, key);
		send_inv(&r, 3, key);
		want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 5000);
		want_wc(&r.a, "A", 3, IBV_WC_SUCCESS, 5000);
		expect(vu_poll(r.b.cq, &wc, 5000) && wc.wr_id == RECV_ID &&
		       wc.status == IBV_WC_SUCCESS && (wc.wc_flags & IBV_WC_WITH_INV) &&
		       wc.invalidated_rkey == key && wc.byte_len == 16,
		       "B: no completion that tells of the invalidate");
	}
	refused(&r, WIN_OFF, 8, key);
	mw_free(mw);
	rig_down(&r);
}

static void type2_of_a_qp(void)
{
	struct vu_qp a2, b2;
	struct vu_cfg cfg;
	struct ibv_mw *mw;
	struct rig r;
	u32 key;

	mw_up(&r);
	vu_cfg_default(&cfg);
	vu_make_pair(&a2, &da, &b2, &db, &cfg);
	mw = mw_new(IBV_MW_TYPE_2);
	key = bind2_on(&b2, &r, mw, mw->rkey, WIN_OFF, WIN_LEN, MW_RW);
	want_wc(&b2, "B2", RIGHTS_BIND, IBV_WC_SUCCESS, 5000);
	refused(&r, WIN_OFF, 8, key);
	again(&r);
	inval(&r.b, key, 0);
	want_wc(&r.b, "B", INV_ID, IBV_WC_MW_BIND_ERR, 5000);
	want_state(&r.b, "B", IBV_QPS_ERR);
	again(&r);
	/* Of the QP that bound it, even when its peer asks. */
	recv_len(&r, RECV_ID, 64);
	send_inv(&r, 3, key);
	want_wc(&r.a, "A", 3, IBV_WC_REM_ACCESS_ERR, 5000);
	want_wc(&r.b, "B", RECV_ID, IBV_WC_MW_BIND_ERR, 5000);
	again(&r);
	inval(&b2, key, 0);
	want_wc(&b2, "B2", INV_ID, IBV_WC_SUCCESS, 5000);
	mw_free(mw);
	vu_qp_destroy(&a2);
	vu_qp_destroy(&b2);
	rig_down(&r);
}

static void zero_based(void)
{
	struct ibv_mw *mw;
	struct rig r;
	u32 key;

	mw_up(&r);
	mw = mw_new(IBV_MW_TYPE_2);
	key = bind2(&r, mw, WIN_OFF + 5, 100, MW_RW | IBV_ACCESS_ZERO_BASED);
	req(&r, WRITE, 1, 0, 100, 0, key);
	want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 5000);
	expect(!memcmp(r.mb.p + WIN_OFF + 5, r.ma.p, 100), "the data is not there");
	refused(&r, WIN_OFF + 5, 8, key);
	mw_free(mw);
	rig_down(&r);
}

static void rights(void)
{
	struct ibv_mw *mw;
	struct rig r;
	u64 at;
	u32 key;

	mw_up(&r);
	at = (uintptr_t)r.mb.p + WIN_OFF;
	mw = mw_new(IBV_MW_TYPE_2);
	key = bind2(&r, mw, WIN_OFF, WIN_LEN, MW_RW);
	req(&r, READ, 1, 2000, WIN_LEN, at, key);
	want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 5000);
	expect(!memcmp(r.mb.p + WIN_OFF, r.ma.p + 2000, WIN_LEN), "READ: other data");
	req(&r, FAA, 2, 0, 8, at, key);
	want_wc(&r.a, "A", 2, IBV_WC_SUCCESS, 5000);
	inval(&r.b, key, 0);
	want_wc(&r.b, "B", INV_ID, IBV_WC_SUCCESS, 5000);
	key = bind2(&r, mw, WIN_OFF, WIN_LEN, IBV_ACCESS_REMOTE_WRITE);
	good(&r, WIN_OFF, 8, key);
	req(&r, READ, 3, 0, 8, at, key);
	want_wc(&r.a, "A", 3, IBV_WC_REM_ACCESS_ERR, 5000);
	again(&r);
	req(&r, FAA, 4, 0, 8, at, key);
	want_wc(&r.a, "A", 4, IBV_WC_REM_ACCESS_ERR, 5000);
	mw_free(mw);
	rig_down(&r);
}

static void bound_region(void)
{
	struct ibv_mw *mw, *mw2;
	struct rig r;
	u32 key, key2;
	int err;

	mw_up(&r);
	mw = mw_new(IBV_MW_TYPE_1);
	mw2 = mw_new(IBV_MW_TYPE_2);
	bind1(&r, mw, WIN_OFF, WIN_LEN, MW_RW);
	want_wc(&r.b, "B", RIGHTS_BIND, IBV_WC_SUCCESS, 5000);
	key = mw->rkey;
	key2 = bind2(&r, mw2, WIN_OFF, WIN_LEN, MW_RW);
	err = ibv_dereg_mr(r.mb.mr);
	expect(err == EBUSY, "dereg_mr with windows: %s", strerror(err));
	/* Nothing happened to it, and a window that goes takes its key along. */
	good(&r, WIN_OFF, 8, key);
	mw_free(mw);
	good(&r, WIN_OFF, 8, key2);
	refused(&r, WIN_OFF, 8, key);
	again(&r);
	mw_free(mw2);
	refused(&r, WIN_OFF, 8, key2);
	rig_down(&r);		/* the region can go now */
}

struct bad_bind {
	const char	*what;
	int		type;
	s64		off;
	u64		len;
	int		access;
	u32		key_xor;
	bool		region_ro;
	bool		region_no_bind;
	bool		bound;
};

static const struct bad_bind bad_binds[] = {
	{ "beyond the region", 2, WIN_OFF, BUF, MW_RW, 0, false, false, false },
	{ "before the region", 1, -1, 8, MW_RW, 0, false, false, false },
	{ "region without bind right", 2, 0, 8, MW_RW, 0, false, true, false },
	{ "write, region read only", 2, 0, 8, MW_RW, 0, true, false, false },
	{ "zero based, type 1", 1, 0, 8, MW_RW | IBV_ACCESS_ZERO_BASED, 0, false, false, false },
	{ "nothing, type 2", 2, 0, 0, 0, 0, false, false, false },
	{ "type 2 that is bound", 2, 0, 8, MW_RW, 0, false, false, true },
	{ "another key", 2, 0, 8, MW_RW, 1, false, false, false },
	{ "no window's key", 2, 0, 8, MW_RW, 0x12300, false, false, false },
};

static void write_from_b(struct rig *r, u64 id)
{
	struct ibv_sge sge = vu_sge(&r->mb, 0, 8);

	vu_post_send(&r->b, WRITE, id, &sge, 1, IBV_SEND_SIGNALED, (uintptr_t)r->ma.p,
		     r->ma.mr->rkey);
}

/* The one before succeeds, it fails, the one behind is flushed. */
static void bad_bind(const struct bad_bind *c)
{
	int access = MR_BIND;
	struct ibv_mw *mw;
	struct rig r, r2;

	mw_up(&r);
	r2 = r;
	if (c->region_ro)
		access &= ~IBV_ACCESS_LOCAL_WRITE;
	if (c->region_no_bind)
		access &= ~IBV_ACCESS_MW_BIND;
	vu_buf_alloc(&r2.mb, &db, BUF, access);
	mw = mw_new(c->type == 1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
	if (c->bound)
		bind2(&r2, mw, 0, 8, IBV_ACCESS_REMOTE_READ);
	write_from_b(&r, 1);
	bind2_on(&r.b, &r2, mw, mw->rkey ^ c->key_xor, c->off, c->len, c->access);
	write_from_b(&r, 3);
	want_wc(&r.b, c->what, 1, IBV_WC_SUCCESS, 5000);
	want_wc(&r.b, c->what, RIGHTS_BIND, IBV_WC_MW_BIND_ERR, 5000);
	want_wc(&r.b, c->what, 3, IBV_WC_WR_FLUSH_ERR, 5000);
	want_state(&r.b, c->what, IBV_QPS_ERR);
	mw_free(mw);
	vu_buf_free(&r2.mb);
	rig_down(&r);
}

static void bad_bind_all(void)
{
	size_t i;

	for (i = 0; i < VU_ARRAY_SIZE(bad_binds); i++)
		bad_bind(&bad_binds[i]);
}

static void bad_inval(void)
{
	struct ibv_mw *mw;
	struct rig r;

	mw_up(&r);
	/* A region with all its memory, a window of type 1, and no key at all. */
	inval(&r.b, r.mb.mr->rkey, 0);
	want_wc(&r.b, "B", INV_ID, IBV_WC_MW_BIND_ERR, 5000);
	again(&r);
	mw = mw_new(IBV_MW_TYPE_1);
	bind1(&r, mw, WIN_OFF, 8, MW_RW);
	want_wc(&r.b, "B", RIGHTS_BIND, IBV_WC_SUCCESS, 5000);
	inval(&r.b, mw->rkey, 0);
	want_wc(&r.b, "B", INV_ID, IBV_WC_MW_BIND_ERR, 5000);
	again(&r);
	good(&r, WIN_OFF, 8, mw->rkey);
	inval(&r.b, mw->rkey ^ 0x55500, 0);
	want_wc(&r.b, "B", INV_ID, IBV_WC_MW_BIND_ERR, 5000);
	again(&r);
	recv_len(&r, RECV_ID, 64);
	send_inv(&r, 3, r.mb.mr->rkey);
	want_wc(&r.a, "A", 3, IBV_WC_REM_ACCESS_ERR, 5000);
	want_wc(&r.b, "B", RECV_ID, IBV_WC_MW_BIND_ERR, 5000);
	mw_free(mw);
	rig_down(&r);
}

/* Bind and tell the peer, in one list: it may use the key at once. */
static void bind_and_tell(void)
{
	struct ibv_send_wr *bad, bind, tell;
	struct ibv_sge sge, rsge;
	struct ibv_mw *mw;
	struct rig r;
	u32 key, i;

	mw_up(&r);
	mw = mw_new(IBV_MW_TYPE_2);
	for (i = 0; i < 100 && !case_failed; i++) {
		rsge = vu_sge(&r.ma, 0, 64);
		vu_post_recv(&r.a, RECV_ID, &rsge, 1);
		key = ibv_inc_rkey(mw->rkey);
		memcpy(r.mb.p, &key, sizeof(key));
		sge = vu_sge(&r.mb, 0, sizeof(key));
		tell = (struct ibv_send_wr) {
			.wr_id = 5, .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1,
		};
		bind = (struct ibv_send_wr) {
			.wr_id = 4, .opcode = IBV_WR_BIND_MW, .next = &tell,
			.bind_mw = { .mw = mw, .rkey = key,
				     .bind_info = part(&r, WIN_OFF, WIN_LEN, MW_RW) },
		};
		expect(!ibv_post_send(r.b.qp, &bind, &bad), "post_send");
		want_wc(&r.a, "A", RECV_ID, IBV_WC_SUCCESS, 5000);
		memcpy(&key, r.ma.p, sizeof(key));
		write_win(&r, 1, WIN_OFF, 64, key);
		want_wc(&r.a, "A", 1, IBV_WC_SUCCESS, 5000);
		inval(&r.b, key, IBV_SEND_FENCE);
		want_wc(&r.b, "B", INV_ID, IBV_WC_SUCCESS, 5000);
		mw->rkey = key;
	}
	mw_free(mw);
	rig_down(&r);
}

/* Once the invalidate is complete the memory does not change any more, however much
 * is under way.
 */
static void inval_under_fire(void)
{
	static u8 seen[BUF];
	struct ibv_sge sge;
	struct ibv_mw *mw;
	struct ibv_wc wc;
	struct rig r;
	u32 key, i, n;

	mw_up(&r);
	mw = mw_new(IBV_MW_TYPE_2);
	for (i = 0; i < 6 && !case_failed; i++) {
		key = bind2(&r, mw, 0, BUF, MW_RW);
		memset(r.mb.p, i, BUF);
		sge = vu_sge(&r.ma, 0, BUF);
		for (n = 0; n < 4; n++)
			vu_post_send(&r.a, WRITE, 1, &sge, 1, 0, (uintptr_t)r.mb.p, key);
		usleep(200 * (i + 1));
		inval(&r.b, key, 0);
		expect(vu_poll(r.b.cq, &wc, 20000) && wc.wr_id == INV_ID, "B: no completion");
		if (wc.status == IBV_WC_SUCCESS) {
			memcpy(seen, r.mb.p, BUF);
			usleep(100000);
			expect(!memcmp(seen, r.mb.p, BUF), "round %u: written to later", i);
		}
		again(&r);
	}
	mw_free(mw);
	rig_down(&r);
}

static const struct err_case cases[] = {
	{ "window of type 1: bound, bound anew, not bound", type1, false, false },
	{ "window of type 2: LOCAL_INV", type2_local_inv, false, false },
	{ "window of type 2: SEND_WITH_INV", type2_remote_inv, false, false },
	{ "window of type 2: of one QP", type2_of_a_qp, false, false },
	{ "zero based window", zero_based, false, false },
	{ "rights of a window; READ, atomics", rights, false, false },
	{ "a region with windows stays; a window goes while bound", bound_region, false, false },
	{ "binds that the rules forbid", bad_bind_all, false, false },
	{ "keys that cannot be made invalid", bad_inval, false, false },
	{ "bind and tell the peer in one list", bind_and_tell, false, false },
	{ "LOCAL_INV while the peer writes", inval_under_fire, false, false },
	{ NULL, NULL, false, false }
};

/* The kernel has to find out in which order things can go. */
static void leave_bound(void)
{
	static struct ibv_mw *mw;
	static struct rig r;
	struct vu_cfg cfg;

	vu_cfg_default(&cfg);
	mw = mw_new(IBV_MW_TYPE_2);	/* older than its region */
	vu_make_pair(&r.a, &da, &r.b, &db, &cfg);
	rig_mem(&r, MR_BIND);
	bind2(&r, mw, 0, 4096, MW_RW);
	vu_point(!case_failed, "left with a bound window");
	fflush(stdout);
	_exit(vu_exit_status());
}

int main(int argc, char **argv)
{
	static const struct rig_prog prog = {
		.name = "verbs_mw",
		.cases = cases,
		.leave = leave_bound,
	};

	return rig_main(&prog, argc, argv);
}
