// SPDX-License-Identifier: GPL-2.0
/*
 * What the device says of itself is sane, and what it promises it keeps: many
 * QPs and regions, deep queues, large completion queues.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "verbs_util.h"

static struct vu_dev dev;

static int cmp_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* Sorts @v. */
static int duplicates(u32 *v, int n)
{
	int i, dup = 0;

	qsort(v, n, sizeof(*v), cmp_u32);
	for (i = 1; i < n; i++)
		dup += v[i] == v[i - 1];
	return dup;
}

static void check_attr(void)
{
	struct ibv_device_attr *a = &dev.attr;
	struct ibv_port_attr *p = &dev.port;
	__be16 pkey = 0;

	vu_point(a->node_guid && a->sys_image_guid, "GUIDs are not zero");
	vu_point(a->max_sge >= 32 && a->max_qp_wr >= 16384 &&
		 a->max_cqe >= 1 << 20 && a->max_qp >= 65000 &&
		 a->max_mr >= 1000000 && a->max_mr_size >= 1ull << 40,
		 "limits: sge %d, qp_wr %d, cqe %d, qp %d, mr %d", a->max_sge,
		 a->max_qp_wr, a->max_cqe, a->max_qp, a->max_mr);
	vu_point(a->max_srq > 0 && a->max_srq_wr >= 16384 && a->max_srq_sge >= 32 &&
		 a->max_cq >= 65000 && a->max_pd >= 1000 &&
		 a->max_qp_rd_atom >= 16 && a->max_qp_init_rd_atom >= 16,
		 "limits: srq %d, srq_wr %d, srq_sge %d, cq %d, pd %d, rd_atom %d",
		 a->max_srq, a->max_srq_wr, a->max_srq_sge, a->max_cq, a->max_pd,
		 a->max_qp_rd_atom);
	vu_point(a->atomic_cap != IBV_ATOMIC_NONE && a->phys_port_cnt == 1,
		 "atomics, one port");
	vu_point(p->state == IBV_PORT_ACTIVE &&
		 p->link_layer == IBV_LINK_LAYER_ETHERNET, "port is active");
	vu_point(p->max_msg_sz >= 1u << 31, "max_msg_sz %u", p->max_msg_sz);
	vu_point(p->active_mtu >= IBV_MTU_1024 && p->max_mtu >= p->active_mtu &&
		 p->max_mtu <= IBV_MTU_4096, "mtu active %d max %d",
		 p->active_mtu, p->max_mtu);
	vu_point(p->active_speed && p->active_width, "speed %d, width %d",
		 p->active_speed, p->active_width);
	vu_point(!ibv_query_pkey(dev.ctx, 1, 0, &pkey) && be16toh(pkey) == 0xffff &&
		 p->gid_tbl_len >= 16, "default P_Key, GID table of %d",
		 p->gid_tbl_len);
}

static void many_qps(int n)
{
	struct vu_qp *q = calloc(n, sizeof(*q));
	u32 *num = calloc(n, sizeof(*num));
	u64 t0 = vu_now_us();
	struct vu_cfg cfg;
	int i;

	vu_cfg_default(&cfg);
	cfg.send_wr = 4;
	cfg.recv_wr = 4;
	cfg.send_sge = 1;
	cfg.recv_sge = 1;
	cfg.cq = ibv_create_cq(dev.ctx, 16, NULL, NULL, 0);
	if (!cfg.cq)
		vu_die("create_cq");
	for (i = 0; i < n; i++) {
		vu_qp_create(&q[i], &dev, &cfg);
		num[i] = q[i].qp->qp_num;
		if (vu_qp_init(&q[i]))
			vu_die("modify_qp of QP %d", i);
	}
	for (i = 0; i < n; i++)
		vu_qp_destroy(&q[i]);
	vu_point(!duplicates(num, n), "%d QPs with numbers of their own", n);
	vu_note("%llu ms", (unsigned long long)(vu_now_us() - t0) / 1000);
	if (ibv_destroy_cq(cfg.cq))
		vu_die("destroy_cq");
	free(num);
	free(q);
}

static void many_mrs(int n)
{
	struct ibv_mr **mr = calloc(n, sizeof(*mr));
	u32 *key = calloc(2 * n, sizeof(*key));
	u64 t0 = vu_now_us();
	char *p;
	int i, round, step = 0;

	p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || !mr || !key)
		vu_die("memory");
	/* Twice: a key must not come back as soon as it is free. */
	for (round = 0; round < 2; round++) {
		for (i = 0; i < n; i++) {
			mr[i] = ibv_reg_mr(dev.pd, p + (i % 4096) * 7, 1 + i % 9000,
					   VU_ALL_ACCESS);
			if (!mr[i])
				vu_die("reg_mr %d", i);
			key[round * n + i] = mr[i]->rkey;
			if (i)
				step += mr[i]->rkey - mr[i - 1]->rkey == 1;
		}
		for (i = 0; i < n; i++)
			if (ibv_dereg_mr(mr[i]))
				vu_die("dereg_mr %d", i);
	}
	vu_point(!duplicates(key, n), "%d regions with keys of their own", n);
	vu_point(!duplicates(key, 2 * n), "keys are not used again at once");
	vu_point(step < n, "keys cannot be guessed by counting");
	vu_note("%llu ms", (unsigned long long)(vu_now_us() - t0) / 1000);
	munmap(p, 1 << 20);
	free(key);
	free(mr);
}

static void big_cq(int cqe)
{
	struct ibv_cq *cq = ibv_create_cq(dev.ctx, cqe, NULL, NULL, 0);
	int got = cq ? cq->cqe : 0;

	vu_point(got >= cqe, "CQ of %d entries", cqe);
	if (cq && ibv_destroy_cq(cq))
		vu_die("destroy_cq");
	cq = ibv_create_cq(dev.ctx, 10, NULL, NULL, 0);
	if (!cq)
		vu_die("create_cq");
	vu_point(!ibv_resize_cq(cq, cqe) && cq->cqe >= cqe, "CQ resized to %d", cqe);
	vu_point(!ibv_resize_cq(cq, 50) && cq->cqe >= 50, "CQ resized to 50");
	if (ibv_destroy_cq(cq))
		vu_die("destroy_cq");
	cq = ibv_create_cq(dev.ctx, 2147483647, NULL, NULL, 0);
	vu_point(!cq, "CQ of 2^31 - 1 entries is refused");
}

/* A queue of @wr entries takes that many, and a SEND storm runs through it. */
static void deep_qp(int wr)
{
	int i, n, sent = 0, seen[2] = { 0, 0 };
	struct vu_qp a, b;
	struct vu_buf buf;
	struct vu_cfg cfg;
	struct ibv_sge sge;
	struct ibv_wc wc;

	vu_cfg_default(&cfg);
	cfg.send_wr = wr;
	cfg.recv_wr = wr;
	cfg.send_sge = 1;
	cfg.recv_sge = 1;
	vu_make_pair(&a, &dev, &b, &dev, &cfg);
	vu_buf_alloc(&buf, &dev, 4096, VU_ALL_ACCESS);
	sge = vu_sge(&buf, 0, 4);
	for (n = 0; n < wr; n++)
		if (vu_post_recv(&b, n, &sge, 1))
			break;
	vu_point(n == wr, "receive queue takes %d WRs", n);
	for (; sent < wr; sent++)
		if (vu_post_send(&a, IBV_WR_SEND, sent, &sge, 1,
				 sent == wr - 1 ? IBV_SEND_SIGNALED : 0, 0, 0))
			break;
	for (i = 0; i < wr + 1; i++) {
		struct vu_qp *q = seen[1] < wr ? &b : &a;

		if (!vu_poll(q->cq, &wc, 20000) || wc.status)
			break;
		seen[q == &b]++;
	}
	vu_point(sent == wr && seen[0] == 1 && seen[1] == wr,
		 "send queue takes %d WRs, %d arrive, %d completion", sent,
		 seen[1], seen[0]);
	vu_qp_destroy(&a);
	vu_qp_destroy(&b);
	vu_buf_free(&buf);
}

/* Creation with what cannot be has to fail, and leave nothing. */
static void refusals(void)
{
	static char page[8192];
	struct ibv_qp_init_attr at = {
		.qp_type = IBV_QPT_RC, .cap = { .max_send_wr = 1 << 30 },
	};
	struct ibv_mr *mr[4];
	size_t i;

	at.send_cq = ibv_create_cq(dev.ctx, 1, NULL, NULL, 0);
	at.recv_cq = at.send_cq;
	if (!at.send_cq)
		vu_die("create_cq");
	vu_point(!ibv_create_qp(dev.pd, &at), "QP with 2^30 WRs is refused");
	at.cap.max_send_wr = 1;
	at.cap.max_send_sge = 1000;
	vu_point(!ibv_create_qp(dev.pd, &at), "QP with 1000 segments is refused");
	mr[0] = ibv_reg_mr(dev.pd, (void *)0x1000, 4096, VU_ALL_ACCESS);
	mr[1] = ibv_reg_mr(dev.pd, page, 1ull << 46, VU_ALL_ACCESS);
	mr[2] = ibv_reg_mr(dev.pd, page, SIZE_MAX - 10, VU_ALL_ACCESS);
	mr[3] = ibv_reg_mr(dev.pd, page, 4096, IBV_ACCESS_REMOTE_WRITE);
	for (i = 0; i < VU_ARRAY_SIZE(mr) && !mr[i]; i++)
		;
	vu_point(i == VU_ARRAY_SIZE(mr), "bad regions are refused (%zu)", i);
	if (ibv_destroy_cq(at.send_cq))
		vu_die("destroy_cq");
}

int main(int argc, char **argv)
{
	int qps = 2000, mrs = 20000, cqe = 1 << 20, wr = 16384, c;
	const char *spec = NULL;

	while ((c = getopt(argc, argv, "a:q:m:c:r:")) != -1) {
		switch (c) {
		case 'a':
			spec = optarg;
			break;
		case 'q':
			qps = atoi(optarg);
			break;
		case 'm':
			mrs = atoi(optarg);
			break;
		case 'c':
			cqe = atoi(optarg);
			break;
		case 'r':
			wr = atoi(optarg);
			break;
		default:
			spec = NULL;
			optind = argc;
		}
	}
	if (!spec) {
		fprintf(stderr, "verbs_limits: -a DEV [-q QPS] [-m MRS] [-c CQES] [-r WRS]\n");
		return 2;
	}
	vu_watchdog(200);
	vu_open(&dev, spec, 0);
	check_attr();
	many_qps(qps);
	many_mrs(mrs);
	big_cq(cqe);
	deep_qp(wr);
	refusals();
	vu_close(&dev);
	return vu_exit_status();
}
