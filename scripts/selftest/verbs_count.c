// SPDX-License-Identifier: GPL-2.0
/*
 * Counts: QPs of one device add 1 to one number of another, COUNT times in all. Each
 * value is returned once, the number is COUNT in the end, and no completion lets
 * itself be waited for longer than a limit.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "verbs_util.h"

#define QPS	2
#define DEPTH	16u

static struct vu_dev from, to;
static struct vu_buf results, number;
static struct ibv_cq *cq;
static struct vu_qp near[QPS], far[QPS];
static u32 posted, done, total;
static u8 *seen;

static void post_one(struct vu_qp *q, u32 slot)
{
	struct ibv_sge sge = vu_sge(&results, slot * 8, 8);
	struct ibv_send_wr *bad, wr = {
		.wr_id = slot,
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.atomic = {
			.remote_addr = (uintptr_t)number.p,
			.rkey = number.mr->rkey,
			.compare_add = 1,
		},
	};

	if (ibv_post_send(q->qp, &wr, &bad))
		vu_die("post_send");
	posted++;
}

static void take(const struct ibv_wc *wc)
{
	u64 value;

	if (wc->status)
		vu_die("after %u: %s", done, ibv_wc_status_str(wc->status));
	memcpy(&value, results.p + wc->wr_id * 8, 8);
	if (value >= total || seen[value])
		vu_die("after %u: the value %llu came twice or cannot be", done,
		       (unsigned long long)value);
	seen[value] = 1;
	done++;
}

static u64 count_up(int limit_ms)
{
	u64 last = vu_now_us(), now, longest = 0;
	struct ibv_wc wc;
	u32 i;

	for (i = 0; i < QPS * DEPTH && i < total; i++)
		post_one(&near[i % QPS], i);
	while (done < total) {
		if (!vu_poll(cq, &wc, limit_ms))
			vu_die("silence for %d ms after %u", limit_ms, done);
		now = vu_now_us();
		if (now - last > longest)
			longest = now - last;
		last = now;
		take(&wc);
		if (posted < total)
			post_one(&near[wc.wr_id % QPS], wc.wr_id);
	}
	return longest;
}

int main(int argc, char **argv)
{
	int c, i, limit_ms = 5000;
	struct vu_cfg cfg;
	u64 t0, longest, value;

	vu_cfg_default(&cfg);
	cfg.timeout = 14;
	cfg.rd_atomic = DEPTH;
	while ((c = getopt(argc, argv, "g:T:")) != -1) {
		if (c == 'g')
			limit_ms = atoi(optarg) * 1000;
		else if (c == 'T')
			cfg.timeout = atoi(optarg);
		else
			return 2;
	}
	if (argc - optind != 3) {
		fprintf(stderr, "usage: verbs_count [-g SECONDS] [-T TIMEOUT] DEV-A DEV-B COUNT\n");
		return 2;
	}
	total = strtoul(argv[optind + 2], NULL, 0);
	seen = calloc(total, 1);
	vu_watchdog(300);
	vu_open(&from, argv[optind], 0);
	vu_open(&to, argv[optind + 1], 0);
	cq = ibv_create_cq(from.ctx, 2 * QPS * DEPTH, NULL, NULL, 0);
	if (!cq || !seen)
		vu_die("create_cq");
	vu_buf_alloc(&results, &from, QPS * DEPTH * 8, IBV_ACCESS_LOCAL_WRITE);
	vu_buf_alloc(&number, &to, 8, VU_ALL_ACCESS);
	for (i = 0; i < QPS; i++) {
		cfg.cq = cq;
		vu_qp_create(&near[i], &from, &cfg);
		cfg.cq = NULL;
		vu_qp_create(&far[i], &to, &cfg);
		vu_connect(&near[i], &far[i]);
	}
	t0 = vu_now_us();
	longest = count_up(limit_ms);
	memcpy(&value, number.p, 8);
	if (value != total)
		vu_die("the number is %llu, not %u", (unsigned long long)value, total);
	vu_note("%u in %llu ms, the longest wait %llu ms", total,
		(unsigned long long)(vu_now_us() - t0) / 1000,
		(unsigned long long)longest / 1000);
	for (i = 0; i < QPS; i++) {
		vu_qp_destroy(&near[i]);
		vu_qp_destroy(&far[i]);
	}
	vu_buf_free(&results);
	vu_buf_free(&number);
	if (ibv_destroy_cq(cq))
		vu_die("destroy_cq");
	vu_close(&from);
	vu_close(&to);
	return 0;
}
