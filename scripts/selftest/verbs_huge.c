// SPDX-License-Identifier: GPL-2.0
/*
 * One huge WRITE and one huge READ; every byte is compared.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include "verbs_util.h"

static struct vu_rng rng;

#define FOLD	(61ul << 20)	/* not a power of two: a misplaced page shows */

/* @len bytes of address space over FOLD bytes of memory, again and again. */
static u8 *map_folded(size_t len)
{
	int fd = memfd_create("fold", 0);
	u8 *p, *q;
	size_t off, l;

	if (fd < 0 || ftruncate(fd, FOLD))
		vu_die("memfd");
	p = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (off = 0; off < len; off += l) {
		l = len - off < FOLD ? len - off : FOLD;
		q = mmap(p + off, l, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0);
		if (q == MAP_FAILED)
			vu_die("mmap");
	}
	close(fd);
	vu_fill(&rng, p, len < FOLD ? len : FOLD);
	return p;
}

static void transfer(struct vu_qp *q, enum ibv_wr_opcode opcode, size_t len,
		     struct ibv_mr *local, struct ibv_mr *remote)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)local->addr,
		.length = len,
		.lkey = local->lkey,
	};
	u64 t0 = vu_now_us();
	struct ibv_wc wc;

	if (vu_post_send(q, opcode, 1, &sge, 1, IBV_SEND_SIGNALED,
			 (uintptr_t)remote->addr, remote->rkey))
		vu_die("post_send of %zu bytes", len);
	if (!vu_poll(q->cq, &wc, 300000))
		vu_die("no completion");
	if (wc.status)
		vu_die("%s", ibv_wc_status_str(wc.status));
	vu_note("%zu bytes in %llu ms", len,
		(unsigned long long)(vu_now_us() - t0) / 1000);
}

static bool same(const u8 *dst, const u8 *src, size_t len)
{
	size_t off, l;

	for (off = 0; off < len; off += l) {
		l = len - off < FOLD ? len - off : FOLD;
		if (memcmp(dst + off, src, l)) {
			vu_note("data differs in [%zu, %zu)", off, off + l);
			return false;
		}
	}
	return true;
}

/* @q moves @src's bytes to @dst, with a WRITE or a READ. */
static void run(const char *name, struct vu_qp *q, struct vu_dev *from,
		struct vu_dev *to, u8 *dst, u8 *src, size_t len)
{
	struct ibv_mr *src_mr = ibv_reg_mr(from->pd, src, len, VU_ALL_ACCESS);
	struct ibv_mr *dst_mr = ibv_reg_mr(to->pd, dst, len, VU_ALL_ACCESS);

	if (!src_mr || !dst_mr)
		vu_die("reg_mr of %zu bytes", len);
	memset(dst, 0, len);
	if (q->dev == from)
		transfer(q, IBV_WR_RDMA_WRITE, len, src_mr, dst_mr);
	else
		transfer(q, IBV_WR_RDMA_READ, len, dst_mr, src_mr);
	vu_point(same(dst, src, len), "%s of %zu bytes", name, len);
	if (ibv_dereg_mr(src_mr) || ibv_dereg_mr(dst_mr))
		vu_die("dereg_mr");
}

int main(int argc, char **argv)
{
	struct vu_dev a, b;
	struct vu_cfg cfg;
	struct vu_qp qa, qb;
	u8 *src, *dst;
	size_t len;

	if (argc != 4) {
		fprintf(stderr, "usage: verbs_huge DEV-A DEV-B BYTES\n");
		return 2;
	}
	len = strtoull(argv[3], NULL, 0);
	vu_watchdog(300);
	vu_seed(&rng, 3);
	vu_open(&a, argv[1], 0);
	vu_open(&b, argv[2], 0);
	vu_cfg_default(&cfg);
	vu_make_pair(&qa, &a, &qb, &b, &cfg);
	src = map_folded(len);
	dst = mmap(NULL, len, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (dst == MAP_FAILED)
		vu_die("mmap of %zu bytes", len);
	run("WRITE", &qa, &a, &b, dst, src, len);
	run("READ", &qa, &b, &a, dst, src, len);
	vu_qp_destroy(&qa);
	vu_qp_destroy(&qb);
	vu_close(&a);
	vu_close(&b);
	return vu_exit_status();
}
