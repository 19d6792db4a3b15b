// SPDX-License-Identifier: GPL-2.0
/*
 * verbs_errors: the peer is gone, or the link to it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "err_rig.h"

/* 4.096 us * 2^14 = 67 ms; all together well under the limit below. */
static void short_cfg(struct vu_cfg *cfg)
{
	vu_cfg_default(cfg);
	cfg->timeout = 14;
	cfg->retry = 3;
}

#define GONE_MS	15000

static void want_gone(struct rig *r, u64 id, u64 last)
{
	u64 t0 = vu_now_us();

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

/* A to B and back, so that the next SEND is one in a row of many. */
static void volley(struct rig *r, int n)
{
	struct ibv_sge a = vu_sge(&r->ma, 0, 64), b = vu_sge(&r->mb, 0, 64);

	while (n-- && !case_failed) {
		if (vu_post_recv(&r->a, RECV_ID, &a, 1) ||
		    vu_post_recv(&r->b, RECV_ID, &b, 1))
			vu_die("post_recv");
		if (vu_post_send(&r->a, IBV_WR_SEND, 1, &a, 1, 0, 0, 0))
			vu_die("post_send");
		want_wc(&r->b, "B", RECV_ID, IBV_WC_SUCCESS, 10000);
		if (vu_post_send(&r->b, IBV_WR_SEND, 1, &b, 1, 0, 0, 0))
			vu_die("post_send");
		want_wc(&r->a, "A", RECV_ID, IBV_WC_SUCCESS, 10000);
	}
}

/* B has A's message and leaves at once, in the middle of something of its own:
 * that message has arrived.
 */
static void case_peer_has_it(void)
{
	struct vu_cfg cfg;
	struct ibv_sge b;
	struct rig r;
	int round;

	vu_cfg_default(&cfg);
	for (round = 0; round < 20 && !case_failed; round++) {
		rig_up(&r, &cfg);
		volley(&r, 6);
		b = vu_sge(&r.mb, 0, 64);
		if (vu_post_send(&r.b, IBV_WR_SEND, 2, &b, 1, 0, 0, 0))
			vu_die("post_send");
		recv_len(&r, RECV_ID, 64);
		send_len(&r, 2, 64);
		want_wc(&r.b, "B", RECV_ID, IBV_WC_SUCCESS, 10000);
		if (vu_qp_to(&r.b, round & 1 ? IBV_QPS_ERR : IBV_QPS_RESET))
			vu_die("modify_qp");
		want_wc(&r.a, "A", 2, IBV_WC_SUCCESS, 10000);
		rig_down(&r);
	}
}

struct hello {
	u32	qpn, rkey;
	u64	addr;
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
	/* The kernel destroys the youngest first: the QP, then its memory. */
	vu_buf_alloc(&buf, &dev, BUF, VU_ALL_ACCESS);
	vu_qp_create(&q, &dev, cfg);
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
	u64 head = 0, tail = 0, end = vu_now_us() + 300000;
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
	u64 t0;
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

static void run_cmd(const char *cmd)
{
	if (system(cmd))
		vu_die("command failed: %s", cmd);
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

const struct err_case peer_cases[] = {
	{ "peer QP in ERR", case_peer_err, false, false },
	{ "peer QP in RESET", case_peer_reset, false, false },
	{ "peer leaves with the last message in hand", case_peer_has_it, false, false },
	{ "peer killed under a stream", case_peer_killed, false, false },
	{ "link cut for less than the retry time", case_cut_short, true, false },
	{ "link cut for good", case_cut_long, true, false },
	{ "connecting over a link that comes late", case_connect_cut_short, true, false },
	{ "connecting over a dead link", case_connect_cut_long, true, false },
	{ NULL, NULL, false, false }
};
