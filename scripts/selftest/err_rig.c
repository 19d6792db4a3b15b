// SPDX-License-Identifier: GPL-2.0
/*
 * What verbs_errors, verbs_mw and verbs_odp share; see err_rig.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include "err_rig.h"

const char *spec_a, *spec_b, *cut_cmd, *heal_cmd;
int family;
bool lenient;
struct vu_dev da, db;
bool case_failed;

bool expect(bool ok, const char *fmt, ...)
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

void rig_mem(struct rig *r, int access_b)
{
	struct vu_rng rng;

	vu_buf_alloc(&r->ma, &da, BUF, VU_ALL_ACCESS);
	vu_buf_alloc(&r->mb, &db, BUF, access_b);
	vu_seed(&rng, 7);
	vu_fill(&rng, r->ma.p, BUF);
	memset(r->mb.p, 0xee, BUF);
}

void rig_up(struct rig *r, const struct vu_cfg *cfg)
{
	vu_make_pair(&r->a, &da, &r->b, &db, cfg);
	rig_mem(r, VU_ALL_ACCESS);
}

/* Events of a case must not be taken for those of the next one. */
void drop_events(void)
{
	struct ibv_async_event ev;

	while (vu_event(da.ctx, &ev, 0) || vu_event(db.ctx, &ev, 0))
		;
}

void rig_down(struct rig *r)
{
	u64 t0 = vu_now_us();

	drop_events();
	vu_qp_destroy(&r->a);
	vu_qp_destroy(&r->b);
	expect(vu_now_us() - t0 < 5000000, "destroying two QPs took %llu ms",
	       (unsigned long long)(vu_now_us() - t0) / 1000);
	vu_buf_free(&r->ma);
	vu_buf_free(&r->mb);
	drop_events();
}

bool want_wc(struct vu_qp *q, const char *who, u64 id,
	     enum ibv_wc_status status, int ms)
{
	struct ibv_wc wc;

	if (!expect(vu_poll(q->cq, &wc, ms), "%s: no completion of %llu in %d ms",
		    who, (unsigned long long)id, ms))
		return false;
	/* A foreign driver may have its own idea of which error it is. */
	if (lenient && wc.wr_id == id && wc.status && status)
		return true;
	return expect(wc.wr_id == id && wc.status == status,
		      "%s: completion of %llu with %s, wanted %llu with %s", who,
		      (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status),
		      (unsigned long long)id, ibv_wc_status_str(status));
}

void want_nothing(struct vu_qp *q, const char *who, int ms)
{
	struct ibv_wc wc;

	if (vu_poll(q->cq, &wc, ms))
		expect(false, "%s: unexpected completion of %llu with %s", who,
		       (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
}

void want_state(struct vu_qp *q, const char *who, enum ibv_qp_state want)
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

void want_event(struct vu_qp *q, const char *who, enum ibv_event_type type)
{
	struct ibv_async_event ev;
	u64 end = vu_now_us() + 2000000;

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

void want_no_event(struct vu_dev *dev, const char *who)
{
	struct ibv_async_event ev;

	while (vu_event(dev->ctx, &ev, 0))
		expect(ev.event_type == IBV_EVENT_COMM_EST,
		       "%s: unexpected event '%s'", who,
		       ibv_event_type_str(ev.event_type));
}

void write_ok(struct rig *r, u64 id)
{
	struct ibv_sge sge = vu_sge(&r->ma, 0, 64);

	if (vu_post_send(&r->a, IBV_WR_RDMA_WRITE, id, &sge, 1, IBV_SEND_SIGNALED,
			 (uintptr_t)r->mb.p, r->mb.mr->rkey))
		vu_die("post_send");
}

void send_len(struct rig *r, u64 id, u32 len)
{
	struct ibv_sge sge = vu_sge(&r->ma, 4096, len);

	if (vu_post_send(&r->a, IBV_WR_SEND, id, &sge, 1, IBV_SEND_SIGNALED, 0, 0))
		vu_die("post_send");
}

void recv_len(struct rig *r, u64 id, u32 len)
{
	struct ibv_sge sge = vu_sge(&r->mb, 8192, len);

	if (vu_post_recv(&r->b, id, &sge, 1))
		vu_die("post_recv");
}

void rnr_cfg(struct vu_cfg *cfg, int rnr_retry, int code)
{
	vu_cfg_default(cfg);
	cfg->rnr_retry = rnr_retry;
	cfg->min_rnr = code;
}

/* 32 WRITEs of 32 KiB, all different; the last one's data is compared. */
void post_many(struct rig *r)
{
	struct ibv_sge sge;
	u32 i;

	for (i = 0; i < 32; i++) {
		sge = vu_sge(&r->ma, i * 32768, 32768);
		if (vu_post_send(&r->a, WRITE, 10 + i, &sge, 1, IBV_SEND_SIGNALED,
				 (uintptr_t)r->mb.p + i * 32768, r->mb.mr->rkey))
			vu_die("post_send");
	}
}

bool want_dev_event(struct ibv_context *ctx, enum ibv_event_type type, int ms)
{
	struct ibv_async_event ev;

	while (vu_event(ctx, &ev, ms))
		if (ev.event_type == type)
			return true;
	return expect(false, "no event '%s'", ibv_event_type_str(type));
}

void rig_report(const char *name, u64 t0)
{
	vu_point(!case_failed, "%s", name);
	if (vu_now_us() - t0 > 10000000)
		vu_note("  %llu s", (unsigned long long)(vu_now_us() - t0) / 1000000);
	case_failed = false;
}

bool rig_selected(const char *name, char **pat, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (strstr(name, pat[i]))
			return true;
	return !n;
}

void rig_run_cases(const struct err_case *c, char **pat, int n)
{
	u64 t0;

	for (; c->name; c++) {
		if (!rig_selected(c->name, pat, n))
			continue;
		if (c->needs_cut && !cut_cmd) {
			vu_skip(c->name, "no link to cut");
			continue;
		}
		if (c->strict && lenient) {
			vu_skip(c->name, "not expected of this driver");
			continue;
		}
		t0 = vu_now_us();
		c->fn();
		rig_report(c->name, t0);
	}
}

static int usage(const struct rig_prog *prog)
{
	fprintf(stderr, "%s: -a DEV -b DEV [-k]%s [-w SECONDS] [CASE]\n", prog->name,
		prog->rounds ? " [-n ROUNDS]" : "");
	return 2;
}

int rig_main(const struct rig_prog *prog, int argc, char **argv)
{
	bool leave = false;
	int c;

	while ((c = getopt(argc, argv, prog->rounds ? "a:b:kw:n:" : "a:b:kw:")) != -1) {
		switch (c) {
		case 'a':
			spec_a = optarg;
			break;
		case 'b':
			spec_b = optarg;
			break;
		case 'k':
			leave = true;
			break;
		case 'n':
			*prog->rounds = atoi(optarg);
			break;
		case 'w':
			vu_watchdog(atoi(optarg));
			break;
		default:
			return usage(prog);
		}
	}
	if (!spec_a || !spec_b)
		return usage(prog);
	vu_open(&da, spec_a, 0);
	vu_open(&db, spec_b, 0);
	if (leave)
		prog->leave();
	rig_run_cases(prog->cases, argv + optind, argc - optind);
	vu_close(&da);
	vu_close(&db);
	return vu_exit_status();
}
