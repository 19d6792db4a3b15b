// SPDX-License-Identifier: GPL-2.0
/*
 * Holds one of everything open on two devices and keeps traffic on it, until
 * SIGTERM comes. Prints "ready" when the traffic flows. When the devices go
 * away under it, the traffic stops and the objects stay open: closing them then
 * has to work (or say EIO), and nothing may hang.
 *
 * With -n the objects are only opened, without traffic.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "verbs_util.h"

#define PAIRS	3
#define DEPTH	8
#define LEN	65536u

struct holder {
	struct vu_dev		dev;
	struct ibv_comp_channel	*chan;
	struct ibv_cq		*chan_cq;
	struct ibv_srq		*srq;
	struct ibv_ah		*ah;
	struct vu_qp		idle[2];	/* RESET and INIT */
	struct vu_qp		q[PAIRS];
	struct vu_buf		buf;
};

static int stop;
static struct holder h[2];
static u64 done;

static void on_term(int sig)
{
	(void)sig;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
}

static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

static void open_extras(struct holder *o)
{
	struct ibv_srq_init_attr sa = { .attr = { .max_wr = 64, .max_sge = 2 } };
	struct ibv_ah_attr aa = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = o->dev.gid, .sgid_index = o->dev.gid_idx,
			 .hop_limit = 1 },
	};
	struct vu_cfg cfg;

	o->chan = ibv_create_comp_channel(o->dev.ctx);
	o->chan_cq = ibv_create_cq(o->dev.ctx, 128, NULL, o->chan, 0);
	o->srq = ibv_create_srq(o->dev.pd, &sa);
	if (!o->chan || !o->chan_cq || !o->srq || ibv_req_notify_cq(o->chan_cq, 0))
		vu_die("objects of %s", o->dev.name);
	o->ah = ibv_create_ah(o->dev.pd, &aa);	/* not every driver can */
	vu_cfg_default(&cfg);
	cfg.srq = o->srq;
	vu_qp_create(&o->idle[0], &o->dev, &cfg);
	cfg.srq = NULL;
	cfg.cq = o->chan_cq;
	vu_qp_create(&o->idle[1], &o->dev, &cfg);
	if (vu_qp_init(&o->idle[1]))
		vu_die("modify_qp");
	vu_buf_alloc(&o->buf, &o->dev, 8 * LEN, VU_ALL_ACCESS);
}

static void open_all(char **spec)
{
	struct vu_cfg cfg;
	int i;

	for (i = 0; i < 2; i++) {
		vu_open(&h[i].dev, spec[i], 0);
		open_extras(&h[i]);
		fcntl(h[i].dev.ctx->async_fd, F_SETFL, O_NONBLOCK);
	}
	vu_cfg_default(&cfg);
	cfg.timeout = 14;
	for (i = 0; i < PAIRS; i++)
		vu_make_pair(&h[0].q[i], &h[0].dev, &h[1].q[i], &h[1].dev, &cfg);
}

/* Pair 0 writes, pair 1 reads, pair 2 sends; both directions. */
static int post_one(int side, int pair)
{
	struct holder *me = &h[side], *he = &h[!side];
	struct ibv_sge sge = vu_sge(&me->buf, pair * LEN, LEN);
	static const enum ibv_wr_opcode op[PAIRS] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND,
	};
	struct ibv_sge rsge = vu_sge(&he->buf, 3 * LEN, LEN);

	if (op[pair] == IBV_WR_SEND &&
	    vu_post_recv(&he->q[pair], 1000, &rsge, 1))
		return -1;
	return vu_post_send(&me->q[pair], op[pair], 1, &sge, 1,
			    IBV_SEND_SIGNALED,
			    (uintptr_t)he->buf.p + (4 + pair) * LEN,
			    he->buf.mr->rkey);
}

static bool fatal_event(struct vu_dev *dev)
{
	struct ibv_async_event ev;

	if (ibv_get_async_event(dev->ctx, &ev))
		return errno != EAGAIN;
	ibv_ack_async_event(&ev);
	return ev.event_type == IBV_EVENT_DEVICE_FATAL;
}

/* One round over all queues. False: it is over. */
static bool turn(void)
{
	struct ibv_wc wc[16];
	int s, i, k, n;

	for (s = 0; s < 2; s++) {
		if (fatal_event(&h[s].dev))
			return false;
		for (i = 0; i < PAIRS; i++) {
			n = ibv_poll_cq(h[s].q[i].cq, 16, wc);
			for (k = 0; k < n; k++) {
				if (wc[k].status)
					return false;
				if (wc[k].wr_id == 1 && post_one(s, i))
					return false;
			}
			done += n > 0 ? n : 0;
		}
	}
	return true;
}

static void traffic(void)
{
	bool said = false;
	int s, i, k;

	for (s = 0; s < 2; s++)
		for (i = 0; i < PAIRS; i++)
			for (k = 0; k < DEPTH; k++)
				if (post_one(s, i))
					return;
	while (!stopped() && turn()) {
		if (!said && done > 20) {
			printf("ready\n");
			fflush(stdout);
			said = true;
		}
	}
}

/* The devices may be gone: errors are fine here, hanging is not. */
static void close_all(void)
{
	int s, i, bad = 0;

	for (s = 0; s < 2; s++) {
		for (i = 0; i < PAIRS; i++) {
			bad += !!ibv_destroy_qp(h[s].q[i].qp);
			bad += !!ibv_destroy_cq(h[s].q[i].cq);
		}
		bad += !!ibv_destroy_qp(h[s].idle[0].qp);
		bad += !!ibv_destroy_cq(h[s].idle[0].cq);
		bad += !!ibv_destroy_qp(h[s].idle[1].qp);
		bad += !!ibv_destroy_cq(h[s].chan_cq);
		bad += !!ibv_destroy_comp_channel(h[s].chan);
		bad += !!ibv_destroy_srq(h[s].srq);
		if (h[s].ah)
			bad += !!ibv_destroy_ah(h[s].ah);
		bad += !!ibv_dereg_mr(h[s].buf.mr);
		bad += !!ibv_dealloc_pd(h[s].dev.pd);
		bad += !!ibv_close_device(h[s].dev.ctx);
	}
	printf("closed, %d errors\n", bad);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_term };
	bool idle = argc > 1 && !strcmp(argv[1], "-n");

	if (argc != 3 + idle) {
		fprintf(stderr, "usage: verbs_hold [-n] DEV-A DEV-B\n");
		return 2;
	}
	vu_watchdog(300);
	sigaction(SIGTERM, &sa, NULL);
	open_all(argv + 1 + idle);
	if (idle) {
		printf("ready\n");
		fflush(stdout);
	} else {
		traffic();
		printf("traffic ended after %llu completions\n",
		       (unsigned long long)done);
		fflush(stdout);
	}
	while (!stopped())
		usleep(20000);
	close_all();
	return 0;
}
