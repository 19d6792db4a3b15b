// SPDX-License-Identifier: GPL-2.0
/*
 * On-demand paging: regions over memory that is not there, goes away, is write
 * protected, copied, mapped anew or never was. One TAP point per case; -k ends with
 * regions registered and work under way.
 *
 * Side A requests, side B responds; both have only such regions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include "err_rig.h"

static unsigned int rounds = 20;

#define ODP_ACCESS	(VU_ALL_ACCESS | IBV_ACCESS_ON_DEMAND)
#define HUGE		(2u << 20)
#define OFF		1001

/**
 * struct ends - a connected pair and a region on each side
 * @ka: keys of A's and B's region, which may be one over all memory
 */
struct ends {
	struct vu_qp	a, b;
	u8		*pa, *pb;
	struct ibv_mr	*ma, *mb;
};

static u8 *map(size_t len, int flags)
{
	u8 *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static struct ibv_mr *reg(struct vu_dev *d, void *p, size_t len, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(d->pd, p, len, access);

	if (!mr)
		vu_die("reg_mr: %s", strerror(errno));
	return mr;
}

static void ends_up(struct ends *e, bool implicit, struct ibv_srq *srq)
{
	struct vu_cfg cfg;

	vu_cfg_default(&cfg);
	vu_qp_create(&e->a, &da, &cfg);
	cfg.srq = srq;
	vu_qp_create(&e->b, &db, &cfg);
	vu_connect(&e->a, &e->b);
	e->pa = map(BUF, 0);
	e->pb = map(BUF, 0);
	if (!e->pa || !e->pb)
		vu_die("mmap");
	e->ma = reg(&da, implicit ? NULL : e->pa, implicit ? SIZE_MAX : BUF, ODP_ACCESS);
	e->mb = reg(&db, implicit ? NULL : e->pb, implicit ? SIZE_MAX : BUF, ODP_ACCESS);
}

static void ends_down(struct ends *e)
{
	drop_events();
	vu_qp_destroy(&e->a);
	vu_qp_destroy(&e->b);
	expect(!ibv_dereg_mr(e->ma) && !ibv_dereg_mr(e->mb), "dereg_mr");
	munmap(e->pa, BUF);
	munmap(e->pb, BUF);
	drop_events();
}

static void again(struct ends *e)
{
	struct ibv_wc wc;

	if (vu_qp_to(&e->a, IBV_QPS_RESET) || vu_qp_to(&e->b, IBV_QPS_RESET))
		vu_die("modify_qp RESET");
	while (vu_poll(e->a.cq, &wc, 0) || vu_poll(e->b.cq, &wc, 0))
		;
	drop_events();
	vu_connect(&e->a, &e->b);
}

/* Gone, as after swapping out, but for the data. */
static void cold(u8 *p)
{
	if (madvise(p, BUF, MADV_DONTNEED))
		vu_die("madvise: %s", strerror(errno));
}

static void req(struct ends *e, enum ibv_wr_opcode op, u64 id, u32 off, u32 len, u32 roff)
{
	struct ibv_sge sge = { .addr = (uintptr_t)e->pa + off, .length = len,
			       .lkey = e->ma->lkey };
	int err = vu_post_send(&e->a, op, id, &sge, 1, IBV_SEND_SIGNALED,
			       (uintptr_t)e->pb + roff, e->mb->rkey);

	expect(!err, "post_send: %s", strerror(err));
}

static void recv_at(struct ends *e, u64 id, u32 off, u32 len)
{
	struct ibv_sge sge = { .addr = (uintptr_t)e->pb + off, .length = len,
			       .lkey = e->mb->lkey };
	int err;

	if (e->b.cfg.srq) {
		struct ibv_recv_wr *bad, wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };

		err = ibv_post_srq_recv(e->b.cfg.srq, &wr, &bad);
	} else {
		err = vu_post_recv(&e->b, id, &sge, 1);
	}
	expect(!err, "post_recv: %s", strerror(err));
}

static bool same(const u8 *a, const u8 *b, u32 len, const char *what)
{
	return expect(!memcmp(a, b, len), "%s of %u: other data", what, len);
}

static void noise(u8 *p, u32 len)
{
	static struct vu_rng rng;

	if (!rng.s)
		vu_seed(&rng, 11);
	vu_fill(&rng, p, len);
}

/* Every operation with no page at the side that the bytes go to. */
static void all_ops(struct ends *e, u32 len)
{
	u64 *far = (u64 *)(e->pb + 64), *near = (u64 *)(e->pa + 64);

	noise(e->pa + OFF, len);
	cold(e->pb);
	req(e, WRITE, 1, OFF, len, OFF + 3);
	want_wc(&e->a, "A", 1, IBV_WC_SUCCESS, 20000);
	same(e->pa + OFF, e->pb + OFF + 3, len, "WRITE");

	cold(e->pa);
	req(e, READ, 2, OFF + 5, len, OFF + 3);
	want_wc(&e->a, "A", 2, IBV_WC_SUCCESS, 20000);
	same(e->pa + OFF + 5, e->pb + OFF + 3, len, "READ");

	cold(e->pb);
	recv_at(e, RECV_ID, 7, len + 8);
	req(e, IBV_WR_SEND, 3, OFF + 5, len, 0);
	want_wc(&e->a, "A", 3, IBV_WC_SUCCESS, 20000);
	want_wc(&e->b, "B", RECV_ID, IBV_WC_SUCCESS, 20000);
	same(e->pa + OFF + 5, e->pb + 7, len, "SEND");

	/* A source without a page is zeroes. */
	cold(e->pa);
	req(e, WRITE, 4, OFF, len, OFF);
	want_wc(&e->a, "A", 4, IBV_WC_SUCCESS, 20000);
	expect(!e->pb[OFF] && !memcmp(e->pb + OFF, e->pb + OFF + 1, len - 1),
	       "WRITE of %u from nowhere", len);

	cold(e->pa);
	cold(e->pb);
	req(e, FAA, 5, 64, 8, 64);
	want_wc(&e->a, "A", 5, IBV_WC_SUCCESS, 20000);
	expect(!*near && *far == 1, "FETCH_ADD: %llu, %llu", (unsigned long long)*near,
	       (unsigned long long)*far);
}

static void ops(bool implicit, struct ibv_srq *srq)
{
	static const u32 lens[] = { 1, 8, 4096, 70001, 900001 };
	struct ends e;
	size_t i;

	ends_up(&e, implicit, srq);
	/* FETCH_ADD adds what vu_post_send() gives it: 1 */
	for (i = 0; i < VU_ARRAY_SIZE(lens); i++)
		all_ops(&e, lens[i]);
	ends_down(&e);
}

static void explicit_ops(void)
{
	ops(false, NULL);
}

static void implicit_ops(void)
{
	ops(true, NULL);
}

static void srq_ops(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(db.pd, &attr);

	if (!srq)
		vu_die("create_srq");
	ops(false, srq);
	expect(!ibv_destroy_srq(srq), "destroy_srq");
}

static void large_pages(void)
{
	struct ends e;
	struct ibv_mr *was;
	u8 *p = map(HUGE, MAP_HUGETLB), *pb;

	ends_up(&e, false, NULL);
	was = e.mb;
	pb = e.pb;
	if (!p) {
		vu_note("no huge pages: transparent ones, perhaps");
		p = aligned_alloc(HUGE, HUGE);
		madvise(p, HUGE, MADV_HUGEPAGE);
		e.mb = reg(&db, p, HUGE, ODP_ACCESS);
	} else {
		e.mb = reg(&db, p, HUGE, ODP_ACCESS | IBV_ACCESS_HUGETLB);
	}
	e.pb = p;
	noise(e.pa, 900000);
	req(&e, WRITE, 1, 0, 900000, 1100001);
	want_wc(&e.a, "A", 1, IBV_WC_SUCCESS, 20000);
	same(e.pa, p + 1100001, 900000, "WRITE");
	req(&e, READ, 2, 100, 90000, 1100001);
	want_wc(&e.a, "A", 2, IBV_WC_SUCCESS, 20000);
	same(e.pa + 100, p + 1100001, 90000, "READ");
	expect(!ibv_dereg_mr(e.mb), "dereg_mr");
	e.mb = was;
	e.pb = pb;
	ends_down(&e);
}

/* Memory that is not there, on each side, for each operation. */
static void no_memory(void)
{
	struct ends e;

	ends_up(&e, true, NULL);
	munmap(e.pb + 65536, 65536);
	req(&e, WRITE, 1, 0, 8, 65536);
	want_wc(&e.a, "WRITE", 1, IBV_WC_REM_ACCESS_ERR, 20000);
	again(&e);
	/* The first half is there. */
	req(&e, WRITE, 1, 0, 20000, 65536 - 10000);
	want_wc(&e.a, "WRITE", 1, IBV_WC_REM_ACCESS_ERR, 20000);
	again(&e);
	req(&e, READ, 1, 0, 20000, 65536 - 10000);
	want_wc(&e.a, "READ", 1, IBV_WC_REM_OP_ERR, 20000);
	again(&e);
	req(&e, FAA, 1, 0, 8, 65536);
	want_wc(&e.a, "FETCH_ADD", 1, IBV_WC_REM_ACCESS_ERR, 20000);
	again(&e);
	recv_at(&e, RECV_ID, 65536, 64);
	req(&e, IBV_WR_SEND, 1, 0, 8, 0);
	want_wc(&e.a, "SEND", 1, IBV_WC_REM_OP_ERR, 20000);
	want_wc(&e.b, "RECV", RECV_ID, IBV_WC_LOC_PROT_ERR, 20000);
	again(&e);
	munmap(e.pa + 65536, 65536);
	req(&e, WRITE, 1, 65536, 8, 0);
	want_wc(&e.a, "WRITE from nowhere", 1, IBV_WC_LOC_PROT_ERR, 20000);
	again(&e);
	req(&e, READ, 1, 65536, 8, 0);
	want_wc(&e.a, "READ to nowhere", 1, IBV_WC_LOC_PROT_ERR, 20000);
	again(&e);
	/* New memory at the same place is as good as any. */
	if (mmap(e.pb + 65536, 65536, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		vu_die("mmap");
	noise(e.pa, 8);
	req(&e, WRITE, 1, 0, 8, 65536);
	want_wc(&e.a, "WRITE", 1, IBV_WC_SUCCESS, 20000);
	same(e.pa, e.pb + 65536, 8, "WRITE");
	/* Read only memory can be read. */
	mprotect(e.pb, 4096, PROT_READ);
	req(&e, READ, 2, 0, 8, 0);
	want_wc(&e.a, "READ", 2, IBV_WC_SUCCESS, 20000);
	req(&e, WRITE, 3, 0, 8, 0);
	want_wc(&e.a, "WRITE to read only", 3, IBV_WC_REM_ACCESS_ERR, 20000);
	ends_down(&e);
}

/* After a fork each side has pages of its own, and the peer sees the parent's. */
static void forked(void)
{
	struct ends e;
	int st = 0;
	pid_t pid;

	ends_up(&e, false, NULL);
	noise(e.pa, 8192);
	req(&e, WRITE, 1, 0, 8192, 0);
	want_wc(&e.a, "A", 1, IBV_WC_SUCCESS, 20000);
	pid = fork();
	if (!pid) {
		usleep(300000);
		_exit(e.pb[0] == 0x77);	/* written after the fork: not ours */
	}
	memset(e.pa, 0x77, 4096);
	req(&e, WRITE, 2, 0, 8192, 0);
	want_wc(&e.a, "A", 2, IBV_WC_SUCCESS, 20000);
	same(e.pa, e.pb, 8192, "WRITE");
	waitpid(pid, &st, 0);
	expect(!st, "the child sees what was written later");
	memset(e.pb, 1, 4096);
	req(&e, READ, 3, 4096, 4096, 0);
	want_wc(&e.a, "A", 3, IBV_WC_SUCCESS, 20000);
	same(e.pa + 4096, e.pb, 4096, "READ");
	ends_down(&e);
}

/* Pages that are taken away all the time lose no byte. */
static u8 *churn_p[2];
static volatile bool churn_stop;

static void *churn(void *arg)
{
	u32 i = 0;

	(void)arg;
	while (!churn_stop) {
		u8 *p = churn_p[i & 1] + (i % 16) * 65536;

		/* Never without the right to write: that would be an error to report. */
		mprotect(p, 65536, PROT_READ | PROT_WRITE | PROT_EXEC);
		mprotect(p, 65536, PROT_READ | PROT_WRITE);
		if (i % 64 == 0)
			madvise(p, 65536, MADV_PAGEOUT);
		i++;
		usleep(50);
	}
	return NULL;
}

static void churned(void)
{
	pthread_t t;
	struct ends e;
	u32 i, len;

	ends_up(&e, false, NULL);
	noise(e.pa, BUF);
	churn_p[0] = e.pa;
	churn_p[1] = e.pb;
	churn_stop = false;
	if (pthread_create(&t, NULL, churn, NULL))
		vu_die("pthread_create");
	for (i = 0; i < rounds && !case_failed; i++) {
		len = 300000 + i * 1000;
		req(&e, WRITE, 1, i, len, 2 * i);
		want_wc(&e.a, "WRITE", 1, IBV_WC_SUCCESS, 30000);
		same(e.pa + i, e.pb + 2 * i, len, "WRITE");
		req(&e, READ, 2, 400000 + i, len, 2 * i);
		want_wc(&e.a, "READ", 2, IBV_WC_SUCCESS, 30000);
		same(e.pa + 400000 + i, e.pb + 2 * i, len, "READ");
		recv_at(&e, RECV_ID, 500000, len);
		req(&e, IBV_WR_SEND, 3, i, len, 0);
		want_wc(&e.a, "SEND", 3, IBV_WC_SUCCESS, 30000);
		want_wc(&e.b, "RECV", RECV_ID, IBV_WC_SUCCESS, 30000);
		same(e.pa + i, e.pb + 500000, len, "SEND");
	}
	churn_stop = true;
	pthread_join(t, NULL);
	ends_down(&e);
}

/* The library of today does not pass advice on. */
static int advise(struct vu_dev *d, u32 advice, u32 flags, u64 addr, u32 len, u32 lkey)
{
	struct ibv_sge sge = { .addr = addr, .length = len, .lkey = lkey };
	struct {
		struct ib_uverbs_ioctl_hdr	hdr;
		struct ib_uverbs_attr		attr[4];
	} cmd = {
		.hdr = {
			.length = sizeof(cmd), .object_id = UVERBS_OBJECT_MR,
			.method_id = UVERBS_METHOD_ADVISE_MR, .num_attrs = 4,
			.driver_id = RDMA_DRIVER_RXE,
		},
		.attr = {
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_PD_HANDLE,
			  .flags = UVERBS_ATTR_F_MANDATORY, .data = d->pd->handle },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_ADVICE, .len = 8,
			  .flags = UVERBS_ATTR_F_MANDATORY, .data = advice },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_FLAGS, .len = 4,
			  .flags = UVERBS_ATTR_F_MANDATORY, .data = flags },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_SGE_LIST, .len = sizeof(sge),
			  .flags = UVERBS_ATTR_F_MANDATORY, .data = (uintptr_t)&sge },
		},
	};

	return ioctl(d->ctx->cmd_fd, RDMA_VERBS_IOCTL, &cmd) ? errno : 0;
}

/* How many of the pages are in memory? */
static u32 resident(u8 *p, u32 len)
{
	u8 vec[BUF / 4096];
	u32 i, n = 0;

	if (mincore(p, len, vec))
		vu_die("mincore");
	for (i = 0; i < len / 4096; i++)
		n += vec[i] & 1;
	return n;
}

static void advice(void)
{
	struct ibv_mr *pinned;
	struct ends e;
	int i, err;
	u64 at;

	ends_up(&e, false, NULL);
	at = (uintptr_t)e.pb;
	madvise(e.pb, BUF, MADV_NOHUGEPAGE);
	expect(!resident(e.pb, BUF), "pages before anything happened");
	err = advise(&db, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT,
		     IB_UVERBS_ADVISE_MR_FLAG_FLUSH, at, 65536, e.mb->lkey);
	expect(!err && !resident(e.pb, BUF), "without faults: %s", strerror(err));
	err = advise(&db, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE,
		     IB_UVERBS_ADVISE_MR_FLAG_FLUSH, at + 4096, 65536, e.mb->lkey);
	expect(!err && resident(e.pb, BUF) == 16, "write, at once: %s, %u pages",
	       strerror(err), resident(e.pb, BUF));
	err = advise(&db, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0, at, BUF, e.mb->lkey);
	expect(!err, "write, later: %s", strerror(err));
	for (i = 0; i < 500 && resident(e.pb, BUF) != BUF / 4096; i++)
		usleep(10000);
	expect(resident(e.pb, BUF) == BUF / 4096, "write, later: %u pages", resident(e.pb, BUF));
	err = advise(&db, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH, IB_UVERBS_ADVISE_MR_FLAG_FLUSH,
		     at, BUF + 1, e.mb->lkey);
	expect(err == EINVAL, "beyond the region: %s", strerror(err));
	err = advise(&db, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH, 0, at, 64, e.mb->lkey ^ 0x100);
	expect(err == EINVAL, "no such key: %s", strerror(err));
	pinned = reg(&db, e.pb, BUF, VU_ALL_ACCESS);
	err = advise(&db, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH, 0, at, 64, pinned->lkey);
	expect(err == EINVAL, "a pinned region: %s", strerror(err));
	ibv_dereg_mr(pinned);
	munmap(e.pb, 4096);
	err = advise(&db, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH, IB_UVERBS_ADVISE_MR_FLAG_FLUSH,
		     at, 64, e.mb->lkey);
	expect(err == EFAULT, "no memory there: %s", strerror(err));
	ends_down(&e);
}

static void caps(void)
{
	struct ibv_device_attr_ex attr = {};
	u32 rc = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE |
		 IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC | IBV_ODP_SUPPORT_SRQ_RECV;
	u32 gen = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT;

	expect(!ibv_query_device_ex(da.ctx, NULL, &attr), "query_device_ex");
	expect((attr.odp_caps.general_caps & gen) == gen, "general: %llx",
	       (unsigned long long)attr.odp_caps.general_caps);
	expect((attr.odp_caps.per_transport_caps.rc_odp_caps & rc) == rc, "rc: %x",
	       attr.odp_caps.per_transport_caps.rc_odp_caps);
}

static void window(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(db.pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind b = { .wr_id = 9, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_mr *was;
	struct ends e;
	u32 key;

	ends_up(&e, false, NULL);
	was = e.mb;
	e.mb = reg(&db, e.pb, BUF, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND |
		   IBV_ACCESS_ON_DEMAND);
	b.bind_info = (struct ibv_mw_bind_info) {
		.mr = e.mb, .addr = (uintptr_t)e.pb + 8192, .length = 300000,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	expect(!ibv_bind_mw(e.b.qp, mw, &b), "bind_mw");
	want_wc(&e.b, "B", 9, IBV_WC_SUCCESS, 5000);
	key = e.mb->rkey;
	e.mb->rkey = mw->rkey;
	noise(e.pa, BUF);
	cold(e.pb);
	req(&e, WRITE, 1, 0, 300000, 8192);
	want_wc(&e.a, "A", 1, IBV_WC_SUCCESS, 20000);
	same(e.pa, e.pb + 8192, 300000, "WRITE");
	expect(ibv_dereg_mr(e.mb) == EBUSY, "dereg_mr while bound");
	e.mb->rkey = key;
	expect(!ibv_dealloc_mw(mw), "dealloc_mw");
	expect(!ibv_dereg_mr(e.mb), "dereg_mr");
	e.mb = was;
	ends_down(&e);
}

static const struct err_case cases[] = {
	{ "what the device says it can do", caps, false, false },
	{ "all operations, no page there", explicit_ops, false, false },
	{ "all operations, a region over all memory", implicit_ops, false, false },
	{ "all operations, shared receive queue", srq_ops, false, false },
	{ "huge pages", large_pages, false, false },
	{ "memory that is not there", no_memory, false, false },
	{ "fork", forked, false, false },
	{ "pages that are taken away all the time", churned, false, false },
	{ "advice", advice, false, false },
	{ "a window on such a region", window, false, false },
	{ NULL, NULL, false, false }
};

/* The process goes while its pages are asked for. */
static void leave(void)
{
	static struct ends e;
	u32 i;

	ends_up(&e, true, NULL);
	for (i = 0; i < 8; i++)
		req(&e, i & 1 ? READ : WRITE, i, 0, 900000, 0);
	vu_point(!case_failed, "left with work under way");
	fflush(stdout);
	_exit(vu_exit_status());
}

int main(int argc, char **argv)
{
	static const struct rig_prog prog = {
		.name = "verbs_odp",
		.cases = cases,
		.leave = leave,
		.rounds = &rounds,
	};

	return rig_main(&prog, argc, argv);
}
