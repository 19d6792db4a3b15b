// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile application: threads write garbage into the rings and work requests
 * that it shares with the kernel, while the kernel works on them.
 *
 * Each round is a child process with queue pairs of its own. It may well crash
 * in the library, which trusts the same memory; the kernel may not, and must
 * let go of the child in time.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <rdma/ib_user_verbs.h>
#include "verbs_util.h"

#define PAIRS		3
#define MAX_MAPS	64
#define HEADER		384	/* three lines of indices in front of the ring */
#define LEN		32768u

struct map {
	u8	*start;
	size_t	len;
};

static struct map maps[MAX_MAPS];
static int num_maps;

static void find_rings(void)
{
	unsigned long start, end;
	char line[512], prot[8];
	FILE *f = fopen("/proc/self/maps", "r");

	if (!f)
		vu_die("/proc/self/maps");
	while (fgets(line, sizeof(line), f) && num_maps < MAX_MAPS) {
		if (!strstr(line, "uverbs") ||
		    sscanf(line, "%lx-%lx %7s", &start, &end, prot) != 3 ||
		    prot[1] != 'w')
			continue;
		maps[num_maps++] = (struct map){ (u8 *)start, end - start };
	}
	fclose(f);
	if (!num_maps)
		vu_die("no rings in /proc/self/maps");
}

static u32 nasty(struct vu_rng *r)
{
	static const u32 v[] = {
		0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 255, 256, 4095, 65535,
		0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
	};

	return vu_below(r, 2) ? vu_rand(r) : v[vu_below(r, VU_ARRAY_SIZE(v))];
}

static void put(u32 *p, u32 v)
{
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static void scribble_once(struct vu_rng *r)
{
	const struct map *m = &maps[vu_below(r, num_maps)];
	u32 *producer = (u32 *)(m->start + 128);
	u32 *consumer = (u32 *)(m->start + 256);
	size_t off;

	switch (vu_below(r, 8)) {
	case 0:
		put(producer, nasty(r));
		break;
	case 1:
		put(consumer, nasty(r));
		break;
	case 2:
		__atomic_fetch_add(producer, vu_below(r, 5) - 2, __ATOMIC_RELAXED);
		break;
	default:
		off = HEADER + (vu_below(r, m->len - HEADER) & ~3u);
		if (off + 4 <= m->len)
			put((u32 *)(m->start + off), nasty(r));
	}
	/* Size and mask: the library follows them to its death, so rarely. */
	if (!vu_below(r, 20000))
		put((u32 *)m->start + vu_below(r, 2), nasty(r));
}

static void *scribbler(void *arg)
{
	struct vu_rng r;

	vu_seed(&r, (uintptr_t)arg);
	for (;;) {
		scribble_once(&r);
		if (!vu_below(&r, 64))
			usleep(vu_below(&r, 100));
	}
	return NULL;	/* never */
}

/* The doorbell as the library rings it, without the library. */
static void doorbell(struct vu_qp *q)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send cmd;
	} req = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_POST_SEND,
			.in_words = sizeof(req) / 4,
			.out_words = sizeof(struct ib_uverbs_post_send_resp) / 4,
		},
	};
	struct ib_uverbs_post_send_resp resp;

	req.cmd.response = (uintptr_t)&resp;
	req.cmd.qp_handle = q->qp->handle;
	req.cmd.wqe_size = sizeof(struct ib_uverbs_send_wr);
	if (write(q->dev->ctx->cmd_fd, &req, sizeof(req)) < 0)
		return;	/* also an answer */
}

struct victim {
	struct vu_dev	dev;
	struct vu_buf	buf;
	struct vu_qp	q[PAIRS];
};

static void post_some(struct victim *me, struct victim *he, struct vu_rng *r)
{
	static const enum ibv_wr_opcode op[] = {
		IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
		IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct vu_qp *q = &me->q[vu_below(r, PAIRS)];
	struct ibv_sge sge = vu_sge(&me->buf, 0, 1 + vu_below(r, LEN));
	enum ibv_wr_opcode o = op[vu_below(r, VU_ARRAY_SIZE(op))];

	if (o == IBV_WR_ATOMIC_FETCH_AND_ADD)
		sge.length = 8;
	vu_post_recv(q, 1, &sge, 1);
	vu_post_send(q, o, 2, &sge, 1, IBV_SEND_SIGNALED,
		     (uintptr_t)he->buf.p, he->buf.mr->rkey);
	doorbell(q);
}

static void stir(struct victim *v, struct vu_rng *r)
{
	struct vu_qp *q = &v[vu_below(r, 2)].q[vu_below(r, PAIRS)];
	struct ibv_wc wc[4];

	ibv_poll_cq(q->cq, 4, wc);
	switch (vu_below(r, 60)) {
	case 0:
		vu_qp_to(q, IBV_QPS_ERR);
		break;
	case 1:
		vu_qp_to(q, IBV_QPS_RESET);
		break;
	case 2:
		ibv_resize_cq(q->cq, 20 + vu_below(r, 200));
		break;
	case 3:
		ibv_req_notify_cq(q->cq, 0);
		break;
	}
}

static void child(char **spec, u64 seed, unsigned int ms)
{
	static struct victim v[2];
	struct vu_cfg cfg;
	struct vu_rng r;
	pthread_t t;
	u64 end;
	int i;

	vu_seed(&r, seed);
	for (i = 0; i < 2; i++) {
		vu_open(&v[i].dev, spec[i], 0);
		vu_buf_alloc(&v[i].buf, &v[i].dev, LEN, VU_ALL_ACCESS);
	}
	vu_cfg_default(&cfg);
	cfg.send_wr = 16;
	cfg.recv_wr = 16;
	cfg.timeout = 12;
	for (i = 0; i < PAIRS; i++) {
		if (i == PAIRS - 1) {
			struct ibv_srq_init_attr sa = {
				.attr = { .max_wr = 16, .max_sge = 4 },
			};

			vu_qp_create(&v[0].q[i], &v[0].dev, &cfg);
			cfg.srq = ibv_create_srq(v[1].dev.pd, &sa);
			vu_qp_create(&v[1].q[i], &v[1].dev, &cfg);
			vu_connect(&v[0].q[i], &v[1].q[i]);
			break;
		}
		vu_make_pair(&v[0].q[i], &v[0].dev, &v[1].q[i], &v[1].dev, &cfg);
	}
	find_rings();
	/* Honest work first, so that the rings hold something. */
	for (i = 0; i < 20; i++)
		post_some(&v[i & 1], &v[!(i & 1)], &r);
	for (i = 0; i < 2; i++)
		if (pthread_create(&t, NULL, scribbler,
				   (void *)(uintptr_t)(seed * 2 + i)))
			vu_die("pthread_create");
	for (end = vu_now_us() + ms * 1000; vu_now_us() < end; ) {
		i = vu_below(&r, 2);
		post_some(&v[i], &v[!i], &r);
		stir(v, &r);
	}
	/* No clean-up: the kernel has to do it, with the rings as they are. */
	_exit(0);
}

/* True when the child is gone within @ms. */
static bool gone(pid_t pid, int ms, int *status)
{
	u64 end = vu_now_us() + ms * 1000ull;

	while (vu_now_us() < end) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		usleep(2000);
	}
	return false;
}

int main(int argc, char **argv)
{
	struct rlimit no_core = { 0, 0 };
	int seconds, rounds = 0, crashed = 0, hung = 0, failed = 0, status;
	u64 end, seed = 1;
	pid_t pid;

	if (argc < 4) {
		fprintf(stderr, "usage: verbs_scribble DEV-A DEV-B SECONDS [SEED]\n");
		return 2;
	}
	seconds = atoi(argv[3]);
	if (argc > 4)
		seed = strtoull(argv[4], NULL, 0);
	vu_watchdog(seconds + 120);
	setrlimit(RLIMIT_CORE, &no_core);
	for (end = vu_now_us() + seconds * 1000000ull; vu_now_us() < end && !hung; rounds++) {
		fflush(stdout);
		pid = fork();
		if (pid < 0)
			vu_die("fork");
		if (!pid)
			child(argv + 1, seed + rounds, 400);
		if (!gone(pid, 20000, &status)) {
			kill(pid, SIGKILL);
			hung = !gone(pid, 20000, &status);
		}
		crashed += WIFSIGNALED(status);
		failed += WIFEXITED(status) && WEXITSTATUS(status);
	}
	vu_note("%d rounds, %d crashed in the library, %d could not start", rounds,
		crashed, failed);
	vu_point(!hung, "the kernel lets go of every scribbling process");
	vu_point(rounds > 2 * failed, "scribblers did run");
	return vu_exit_status();
}
