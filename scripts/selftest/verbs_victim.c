// SPDX-License-Identifier: GPL-2.0
/*
 * A QP that waits for a peer which is not one: connected to an address and a QP
 * number from the command line. Prints
 *	QPN RKEY ADDRESS LENGTH GUARD-KEY GUARD-ADDRESS STATE
 * whenever it is ready; for each line read it resets the QP and gets ready again.
 * Ends with status 1 when memory changed that no peer may touch. With "read" it
 * has a READ of 8000 bytes out, into the middle of that memory.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "verbs_util.h"

#define LEN	65536u

static struct vu_dev dev;
static struct vu_qp q;
static struct vu_buf open_buf;		/* a peer may do anything there … */
static struct vu_buf guard;		/* … and nothing here */
static struct vu_buf recv_buf;

#define READ_OFF	4096u
#define READ_LEN	8000u

static bool reads;

static bool untouched(const struct vu_buf *b)
{
	size_t i;

	for (i = 0; i < b->len; i++)
		if (b->p[i] != 0xa5 && !(reads && i - READ_OFF < READ_LEN))
			return false;
	return true;
}

static void post_read(void)
{
	struct ibv_sge sge = vu_sge(&guard, READ_OFF, READ_LEN);

	if (vu_post_send(&q, IBV_WR_RDMA_READ, 1, &sge, 1, IBV_SEND_SIGNALED,
			 0x10000, 0x1234))
		vu_die("post_send");
}

static void arm(u32 dest_qpn, const union ibv_gid *dgid)
{
	struct ibv_sge sge = vu_sge(&recv_buf, 0, 4096);
	int i;

	if (vu_qp_init(&q))
		vu_die("modify_qp INIT");
	for (i = 0; i < 4; i++)
		if (vu_post_recv(&q, i, &sge, 1))
			vu_die("post_recv");
	if (vu_qp_rtr(&q, dest_qpn, dgid) || vu_qp_rts(&q))
		vu_die("modify_qp");
	if (reads)
		post_read();
	printf("%u %u %llu %u %u %llu %d\n", q.qp->qp_num, open_buf.mr->rkey,
	       (unsigned long long)(uintptr_t)open_buf.p, LEN, guard.mr->rkey,
	       (unsigned long long)(uintptr_t)guard.p, vu_qp_state(&q));
	fflush(stdout);
}

static void disarm(void)
{
	struct ibv_wc wc;

	if (vu_qp_to(&q, IBV_QPS_RESET))
		vu_die("modify_qp RESET");
	while (ibv_poll_cq(q.cq, 1, &wc) > 0)
		;
}

int main(int argc, char **argv)
{
	union ibv_gid dgid = { .raw = { [10] = 0xff, [11] = 0xff } };
	struct vu_cfg cfg;
	char line[64];

	reads = argc == 5 && !strcmp(argv[4], "read");
	if (argc != 4 + reads || inet_pton(AF_INET, argv[2], dgid.raw + 12) != 1) {
		fprintf(stderr, "usage: verbs_victim DEV PEER-IPV4 PEER-QPN [read]\n");
		return 2;
	}
	vu_watchdog(300);
	vu_open(&dev, argv[1], 4);
	vu_cfg_default(&cfg);
	cfg.rd_atomic = 4;
	vu_qp_create(&q, &dev, &cfg);
	vu_buf_alloc(&open_buf, &dev, LEN, VU_ALL_ACCESS);
	vu_buf_alloc(&guard, &dev, LEN, IBV_ACCESS_LOCAL_WRITE);
	vu_buf_alloc(&recv_buf, &dev, 4096, IBV_ACCESS_LOCAL_WRITE);
	memset(guard.p, 0xa5, LEN);
	do {
		arm(strtoul(argv[3], NULL, 0), &dgid);
		if (!fgets(line, sizeof(line), stdin))
			break;
		disarm();
	} while (untouched(&guard));
	if (!untouched(&guard))
		vu_die("the guarded region has changed");
	return 0;
}
