// SPDX-License-Identifier: GPL-2.0
/*
 * Moves random data with every RC operation in both directions and compares
 * every byte of both memories with a model, canaries between the buffers
 * included.  *
 * The model ("shadow") is a second copy of each side's memory. An operation is
 * applied to it when it is generated; that is right because the regions of a
 * batch do not overlap, and what does depend on order (atomics on one cell, a
 * SEND of what a READ fetched) is posted to one QP and ordered by IBTA's rules.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "verbs_util.h"

#define ARENA		(4u << 20)
#define CELLS		1024u	/* bytes at the start of an arena, for atomics */
#define CELLS_PER_QP	8u
#define MAX_QPS		8
#define MAX_SGE		32
#define NUM_MR		3
#define BATCH		40	/* WRs per QP and direction; the rings hold 64 */
#define INLINE_MAX	200

enum kind {
	K_SEND, K_SEND_IMM, K_WRITE, K_WRITE_IMM, K_READ, K_CAS, K_FAA,
	K_ATOMIC_WRITE, K_READ_SEND, K_NUM
};

struct op {
	enum kind	kind;
	int		flags;
	u32	len;
	u32	imm;
	int		num_sge;
	struct ibv_sge	sge[MAX_SGE];
	u64	raddr;
	u64	compare_add;
	u64	swap;
};

struct rcv {
	u32	len;
	u32	imm;
	bool		has_imm;
	bool		is_write;
	int		num_sge;
	struct ibv_sge	sge[MAX_SGE];
};

/* One direction's initiator end of one QP. */
struct end {
	struct vu_qp	q;
	struct op	op[BATCH + 1];
	int		num_op;
	struct rcv	rcv[BATCH + 1];
	int		num_rcv;
	u64	send_id, recv_id;	/* next WR's */
	int		send_seen, recv_seen;	/* completions of this batch */
};

struct side {
	struct vu_dev	dev;
	u8		*p;
	u8		*shadow;
	struct ibv_mr	*mr[NUM_MR];
	u32	brk;
	struct end	end[MAX_QPS];
};

static struct side side[2];
static struct vu_rng rng;
static int num_qps = 2;
static bool use_atomic_write;
static u64 bytes_moved, ops_done, max_msg = 1 << 20;
static u64 count[K_NUM];
static int batch_no;
static int silence_ms = 30000;	/* no completion lets itself be waited for so long */
static u8 timeout_code;
static u64 longest_us;

/* --- memory -------------------------------------------------------------- */

static void side_open(struct side *s, const char *spec, int family)
{
	/* Three regions, one of them with odd edges. */
	static const u32 cut[NUM_MR] = { 0, 1, 4095 };
	int i;

	vu_open(&s->dev, spec, family);
	s->p = mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s->shadow = malloc(ARENA);
	if (s->p == MAP_FAILED || !s->shadow)
		vu_die("memory");
	vu_fill(&rng, s->p, ARENA);
	memcpy(s->shadow, s->p, ARENA);
	for (i = 0; i < NUM_MR; i++) {
		s->mr[i] = ibv_reg_mr(s->dev.pd, s->p + cut[i],
				      ARENA - 2 * cut[i], VU_ALL_ACCESS);
		if (!s->mr[i])
			vu_die("reg_mr");
	}
}

/* An offset of @len free bytes behind a gap, or 0 when the arena is used up. */
static u32 take(struct side *s, u32 len)
{
	u32 off = s->brk + 1 + vu_below(&rng, 64);

	if (off + (u64)len + 5000 > ARENA)
		return 0;
	s->brk = off + len;
	return off;
}

/* A region that covers the range; any will do beyond the odd edges. */
static struct ibv_mr *pick_mr(struct side *s, u32 off)
{
	return s->mr[off < 5000 ? 0 : vu_below(&rng, NUM_MR)];
}

static struct ibv_sge make_sge(struct side *s, u32 off, u32 len)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)s->p + off,
		.length = len,
		.lkey = pick_mr(s, off)->lkey,
	};
}

static u32 off_of(struct side *s, u64 addr)
{
	return addr - (uintptr_t)s->p;
}

/* Cut @len into random pieces all over the arena. Returns their number or 0. */
static int scatter(struct side *s, u32 len, struct ibv_sge *sge)
{
	int n = 1 + vu_below(&rng, vu_below(&rng, 3) ? 4 : MAX_SGE);
	u32 left = len, piece, off;
	int i;

	for (i = 0; i < n; i++) {
		if (i == n - 1)
			piece = left;
		else
			piece = left ? vu_below(&rng, 2 * (left / (n - i)) + 1) : 0;
		if (piece > left)
			piece = left;
		off = take(s, piece);
		if (!off)
			return 0;
		sge[i] = make_sge(s, off, piece);
		left -= piece;
	}
	return n;
}

static void fill_source(struct side *s, const struct ibv_sge *sge, int n)
{
	u32 off;
	int i;

	for (i = 0; i < n; i++) {
		off = off_of(s, sge[i].addr);
		vu_fill(&rng, s->p + off, sge[i].length);
		memcpy(s->shadow + off, s->p + off, sge[i].length);
	}
}

/* --- the model ------------------------------------------------------------- */

static void gather_shadow(struct side *s, const struct ibv_sge *sge, int n,
			  u8 *out)
{
	int i;

	for (i = 0; i < n; i++) {
		memcpy(out, s->shadow + off_of(s, sge[i].addr), sge[i].length);
		out += sge[i].length;
	}
}

static void scatter_shadow(struct side *s, const struct ibv_sge *sge, int n,
			   const u8 *in, u32 len)
{
	u32 l;
	int i;

	for (i = 0; i < n && len; i++) {
		l = sge[i].length < len ? sge[i].length : len;
		memcpy(s->shadow + off_of(s, sge[i].addr), in, l);
		in += l;
		len -= l;
	}
}

/* --- generating ------------------------------------------------------------ */

static u32 random_length(void)
{
	static const u32 edge[] = {
		1023, 1024, 1025, 2048, 4095, 4096, 4097, 8193, 12288,
		65535, 65536, 65537, 131071, 131072, 131073,
	};
	u32 len, c = vu_below(&rng, 100);

	if (c < 6)
		len = 0;
	else if (c < 36)
		len = 1 + vu_below(&rng, 64);
	else if (c < 62)
		len = 65 + vu_below(&rng, 4032);
	else if (c < 80)
		len = edge[vu_below(&rng, VU_ARRAY_SIZE(edge))];
	else if (c < 96)
		len = 4097 + vu_below(&rng, 61440);
	else
		len = vu_below(&rng, 1 << 20);
	return len < max_msg ? len : max_msg;
}

static bool gen_recv(struct side *to, struct end *peer, const struct op *op,
		     u8 *data)
{
	struct rcv *r = &peer->rcv[peer->num_rcv];

	memset(r, 0, sizeof(*r));
	r->len = op->len;
	r->imm = op->imm;
	r->has_imm = op->kind == K_SEND_IMM || op->kind == K_WRITE_IMM;
	r->is_write = op->kind == K_WRITE_IMM;
	/* Sometimes a buffer larger than the message: the rest stays as it is. */
	if (!r->is_write) {
		r->num_sge = scatter(to, op->len + vu_below(&rng, 2) *
				     vu_below(&rng, 100), r->sge);
		if (!r->num_sge)
			return false;
		scatter_shadow(to, r->sge, r->num_sge, data, op->len);
	}
	peer->num_rcv++;
	return true;
}

static u32 remote_place(struct side *to, struct op *op)
{
	u32 off = take(to, op->len);

	if (off)
		op->raddr = (uintptr_t)to->p + off;
	return off;
}

static bool gen_atomic(struct side *from, struct side *to, int qpi, struct op *op)
{
	u32 cell = (qpi * CELLS_PER_QP + vu_below(&rng, CELLS_PER_QP)) * 8;
	u32 off = take(from, 8);
	u64 old, new;

	if (!off)
		return false;
	op->len = 8;
	op->num_sge = 1;
	op->sge[0] = make_sge(from, off, 8);
	op->raddr = (uintptr_t)to->p + cell;
	op->swap = vu_rand(&rng);
	memcpy(&old, to->shadow + cell, 8);
	op->compare_add = op->kind == K_CAS && vu_below(&rng, 2) ?
			  old : vu_rand(&rng);
	if (op->kind == K_FAA)
		new = old + op->compare_add;
	else if (op->kind == K_CAS)
		new = old == op->compare_add ? op->swap : old;
	else
		new = op->swap;
	memcpy(to->shadow + cell, &new, 8);
	if (op->kind != K_ATOMIC_WRITE)
		memcpy(from->shadow + off, &old, 8);
	return true;
}

static bool gen_payload(struct side *from, struct side *to, struct end *peer,
			struct op *op, u8 *tmp)
{
	u32 off;

	op->num_sge = scatter(from, op->len, op->sge);
	if (!op->num_sge)
		return false;
	if (op->kind == K_READ) {
		off = remote_place(to, op);
		if (!off)
			return false;
		vu_fill(&rng, to->p + off, op->len);
		memcpy(to->shadow + off, to->p + off, op->len);
		scatter_shadow(from, op->sge, op->num_sge, to->shadow + off, op->len);
		return true;
	}
	if (op->len <= INLINE_MAX && !vu_below(&rng, 3))
		op->flags |= IBV_SEND_INLINE;
	fill_source(from, op->sge, op->num_sge);
	gather_shadow(from, op->sge, op->num_sge, tmp);
	if (op->kind == K_WRITE || op->kind == K_WRITE_IMM) {
		off = remote_place(to, op);
		if (!off)
			return false;
		memcpy(to->shadow + off, tmp, op->len);
	}
	return op->kind == K_WRITE || gen_recv(to, peer, op, tmp);
}

/* A READ, and a fenced SEND of what it brought. */
static bool gen_read_send(struct side *from, struct side *to, struct end *e,
			  struct end *peer, u8 *tmp)
{
	struct op *rd = &e->op[e->num_op], *sd = rd + 1;

	rd->kind = K_READ;
	if (!gen_payload(from, to, peer, rd, tmp))
		return false;
	memset(sd, 0, sizeof(*sd));
	sd->kind = K_SEND;
	sd->flags = IBV_SEND_FENCE;
	sd->len = rd->len;
	sd->num_sge = rd->num_sge;
	memcpy(sd->sge, rd->sge, sizeof(sd->sge));
	gather_shadow(from, sd->sge, sd->num_sge, tmp);
	if (!gen_recv(to, peer, sd, tmp))
		return false;
	e->num_op += 2;
	return true;
}

/* One more operation of side @s, QP @qpi. False: arena or ring is full. The
 * shadow may then have changes for an operation that is not posted; undone by
 * copying the real memory over the free part, see undo().
 */
static bool gen_op(int s, int qpi)
{
	static u8 tmp[1 << 20];
	struct side *from = &side[s], *to = &side[!s];
	struct end *e = &from->end[qpi], *peer = &to->end[qpi];
	struct op *op = &e->op[e->num_op];
	bool ok;

	if (e->num_op >= BATCH - 1 || peer->num_rcv >= BATCH - 1)
		return false;
	memset(op, 0, sizeof(*op));
	do {
		op->kind = vu_below(&rng, K_NUM);
	} while (op->kind == K_ATOMIC_WRITE && !use_atomic_write);
	op->len = random_length();
	op->imm = vu_rand(&rng);
	if (!vu_below(&rng, 8))
		op->flags |= IBV_SEND_FENCE;
	if (op->kind <= K_SEND_IMM && !vu_below(&rng, 3))
		op->flags |= IBV_SEND_SOLICITED;
	if (op->kind == K_READ_SEND)
		return gen_read_send(from, to, e, peer, tmp);
	if (op->kind == K_CAS || op->kind == K_FAA || op->kind == K_ATOMIC_WRITE)
		ok = gen_atomic(from, to, qpi, op);
	else
		ok = gen_payload(from, to, peer, op, tmp);
	e->num_op += ok;
	return ok;
}

/* --- posting --------------------------------------------------------------- */

static const enum ibv_wr_opcode wr_opcode[K_NUM] = {
	[K_SEND] = IBV_WR_SEND,
	[K_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[K_WRITE] = IBV_WR_RDMA_WRITE,
	[K_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[K_READ] = IBV_WR_RDMA_READ,
	[K_CAS] = IBV_WR_ATOMIC_CMP_AND_SWP,
	[K_FAA] = IBV_WR_ATOMIC_FETCH_AND_ADD,
};

static const enum ibv_wc_opcode wc_opcode[K_NUM] = {
	[K_SEND] = IBV_WC_SEND,
	[K_SEND_IMM] = IBV_WC_SEND,
	[K_WRITE] = IBV_WC_RDMA_WRITE,
	[K_WRITE_IMM] = IBV_WC_RDMA_WRITE,
	[K_READ] = IBV_WC_RDMA_READ,
	[K_CAS] = IBV_WC_COMP_SWAP,
	[K_FAA] = IBV_WC_FETCH_ADD,
	[K_ATOMIC_WRITE] = IBV_WC_ATOMIC_WRITE,
};

static void post_atomic_write(struct end *e, const struct op *op, u64 id,
			      u32 rkey)
{
	struct ibv_qp_ex *qx = ibv_qp_to_qp_ex(e->q.qp);

	ibv_wr_start(qx);
	qx->wr_id = id;
	qx->wr_flags = op->flags;
	ibv_wr_atomic_write(qx, rkey, op->raddr, &op->swap);
	if (ibv_wr_complete(qx))
		vu_die("post of an atomic write");
}

static void op_to_wr(struct side *to, struct op *op, struct ibv_send_wr *wr)
{
	u32 rkey = op->raddr ?
			pick_mr(to, off_of(to, op->raddr))->rkey : 0;

	memset(wr, 0, sizeof(*wr));
	wr->opcode = wr_opcode[op->kind];
	wr->send_flags = op->flags;
	wr->sg_list = op->sge;
	wr->num_sge = op->num_sge;
	wr->imm_data = htobe32(op->imm);
	if (op->kind == K_CAS || op->kind == K_FAA) {
		wr->wr.atomic.remote_addr = op->raddr;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = op->compare_add;
		wr->wr.atomic.swap = op->swap;
	} else {
		wr->wr.rdma.remote_addr = op->raddr;
		wr->wr.rdma.rkey = rkey;
	}
}

static void post_chain(struct end *e, struct ibv_send_wr *wr, int n)
{
	struct ibv_send_wr *bad;
	int i, rc;

	if (!n)
		return;
	for (i = 0; i < n - 1; i++)
		wr[i].next = &wr[i + 1];
	rc = ibv_post_send(e->q.qp, wr, &bad);
	if (rc)
		vu_die("post_send: %d at %d of %d", rc, (int)(bad - wr), n);
}

static void post_sends(struct side *from, struct side *to, struct end *e)
{
	struct ibv_send_wr wr[8];
	int i, n = 0, chain = 1;
	u64 id = e->send_id;

	for (i = 0; i < e->num_op; i++, id++) {
		struct op *op = &e->op[i];

		if (i == e->num_op - 1 || vu_below(&rng, 2))
			op->flags |= IBV_SEND_SIGNALED;
		if (op->kind == K_ATOMIC_WRITE) {
			post_chain(e, wr, n);
			n = 0;
			post_atomic_write(e, op, id, to->mr[0]->rkey);
			continue;
		}
		op_to_wr(to, op, &wr[n]);
		wr[n++].wr_id = id;
		if (n == chain) {
			post_chain(e, wr, n);
			n = 0;
			chain = 1 + vu_below(&rng, 8);
		}
	}
	post_chain(e, wr, n);
	/* Inline data is the library's by now: this must not be seen. */
	for (i = 0; i < e->num_op; i++)
		if (e->op[i].flags & IBV_SEND_INLINE)
			fill_source(from, e->op[i].sge, e->op[i].num_sge);
}

static void post_recvs(struct end *e)
{
	int i;

	for (i = 0; i < e->num_rcv; i++)
		if (vu_post_recv(&e->q, (1ull << 63) | (e->recv_id + i),
				 e->rcv[i].sge, e->rcv[i].num_sge))
			vu_die("post_recv");
}

/* --- completions ----------------------------------------------------------- */

static void check_recv(struct end *e, const struct ibv_wc *wc)
{
	const struct rcv *r = &e->rcv[e->recv_seen];
	enum ibv_wc_opcode want = r->is_write ? IBV_WC_RECV_RDMA_WITH_IMM :
						IBV_WC_RECV;

	if (e->recv_seen >= e->num_rcv ||
	    wc->wr_id != ((1ull << 63) | (e->recv_id + e->recv_seen)))
		vu_die("receive completion of %#llx out of order",
		       (unsigned long long)wc->wr_id);
	if (wc->opcode != want || wc->byte_len != r->len ||
	    !!(wc->wc_flags & IBV_WC_WITH_IMM) != r->has_imm ||
	    (r->has_imm && be32toh(wc->imm_data) != r->imm))
		vu_die("receive %d: opcode %d bytes %u flags %#x imm %#x, not %d %u %d %#x",
		       e->recv_seen, wc->opcode, wc->byte_len, wc->wc_flags,
		       be32toh(wc->imm_data), want, r->len, r->has_imm, r->imm);
	e->recv_seen++;
}

static void check_send(struct end *e, const struct ibv_wc *wc)
{
	/* Unsignalled ones in front of it are done without a word. */
	while (e->send_seen < e->num_op && !e->q.cfg.sig_all &&
	       !(e->op[e->send_seen].flags & IBV_SEND_SIGNALED))
		e->send_seen++;
	if (e->send_seen >= e->num_op || wc->wr_id != e->send_id + e->send_seen)
		vu_die("send completion of %llu out of order, wanted %llu",
		       (unsigned long long)wc->wr_id,
		       (unsigned long long)e->send_id + e->send_seen);
	if (wc->opcode != wc_opcode[e->op[e->send_seen].kind])
		vu_die("send completion has opcode %d, wanted %d", wc->opcode,
		       wc_opcode[e->op[e->send_seen].kind]);
	e->send_seen++;
}

static void drain(struct end *e)
{
	struct ibv_wc wc;
	u64 t0;

	while (e->send_seen < e->num_op || e->recv_seen < e->num_rcv) {
		t0 = vu_now_us();
		if (!vu_poll(e->q.cq, &wc, silence_ms))
			vu_die("batch %d: silence for %d s: %s QP %u sends %d/%d receives %d/%d",
			       batch_no, silence_ms / 1000, e->q.dev->name, e->q.qp->qp_num,
			       e->send_seen, e->num_op, e->recv_seen, e->num_rcv);
		if (vu_now_us() - t0 > longest_us)
			longest_us = vu_now_us() - t0;
		if (wc.status)
			vu_die("batch %d: WR %#llx ended with %s", batch_no,
			       (unsigned long long)wc.wr_id,
			       ibv_wc_status_str(wc.status));
		if (wc.wr_id >> 63)
			check_recv(e, &wc);
		else
			check_send(e, &wc);
	}
}

static void compare(struct side *s)
{
	u32 i, bad = 0, first = 0;

	if (!memcmp(s->p, s->shadow, ARENA))
		return;
	for (i = 0; i < ARENA; i++) {
		if (s->p[i] == s->shadow[i])
			continue;
		if (!bad++)
			first = i;
	}
	vu_die("batch %d: %s: %u bytes differ, the first at offset %u (have %02x, want %02x)",
	       batch_no, s->dev.name, bad, first, s->p[first], s->shadow[first]);
}

/* --- batches --------------------------------------------------------------- */

static void account(struct end *e)
{
	int i;

	for (i = 0; i < e->num_op; i++) {
		bytes_moved += e->op[i].len;
		count[e->op[i].kind]++;
	}
	ops_done += e->num_op;
	e->send_id += e->num_op;
	e->recv_id += e->num_rcv;
}

/* What gen_op() did for an operation that found no room. No operation of the
 * batch has run yet, so only the shadow can be wrong, and only behind brk of
 * its start.
 */
struct mark { u32 brk[2]; int num_op, num_rcv; };

static bool gen_or_undo(int s, int qpi)
{
	struct end *e = &side[s].end[qpi], *peer = &side[!s].end[qpi];
	struct mark m = { { side[0].brk, side[1].brk }, e->num_op, peer->num_rcv };
	int i;

	if (gen_op(s, qpi))
		return true;
	e->num_op = m.num_op;
	peer->num_rcv = m.num_rcv;
	for (i = 0; i < 2; i++)
		memcpy(side[i].shadow + m.brk[i], side[i].p + m.brk[i],
		       ARENA - m.brk[i]);
	return false;
}

static void run_batch(void)
{
	int s, i, tries = BATCH * num_qps;

	batch_no++;
	for (s = 0; s < 2; s++) {
		side[s].brk = CELLS;
		for (i = 0; i < num_qps; i++) {
			struct end *e = &side[s].end[i];

			e->num_op = 0;
			e->num_rcv = 0;
			e->send_seen = 0;
			e->recv_seen = 0;
		}
	}
	while (tries--)
		if (!gen_or_undo(vu_below(&rng, 2), vu_below(&rng, num_qps)))
			break;
	for (s = 0; s < 2; s++)
		for (i = 0; i < num_qps; i++)
			post_recvs(&side[s].end[i]);
	for (s = 0; s < 2; s++)
		for (i = 0; i < num_qps; i++)
			post_sends(&side[s], &side[!s], &side[s].end[i]);
	for (s = 0; s < 2; s++)
		for (i = 0; i < num_qps; i++)
			drain(&side[s].end[i]);
	for (s = 0; s < 2; s++) {
		compare(&side[s]);
		for (i = 0; i < num_qps; i++)
			account(&side[s].end[i]);
	}
}

static void setup_qps(enum ibv_mtu mtu)
{
	struct vu_cfg cfg;
	int i;

	vu_cfg_default(&cfg);
	cfg.send_sge = MAX_SGE;
	cfg.recv_sge = MAX_SGE;
	cfg.inline_bytes = INLINE_MAX;
	cfg.mtu = mtu;
	if (timeout_code)
		cfg.timeout = timeout_code;
	if (use_atomic_write)
		cfg.ex_ops = IBV_QP_EX_WITH_ATOMIC_WRITE;
	for (i = 0; i < num_qps; i++) {
		cfg.sig_all = i & 1;
		vu_make_pair(&side[0].end[i].q, &side[0].dev,
			     &side[1].end[i].q, &side[1].dev, &cfg);
	}
}

static void run_random(u64 bytes, unsigned int seconds)
{
	u64 end = vu_now_us() + seconds * 1000000ull;

	while (bytes ? bytes_moved < bytes : vu_now_us() < end)
		run_batch();
	vu_note("%d batches, %llu operations, %llu KiB, the longest wait %llu ms", batch_no,
		(unsigned long long)ops_done, (unsigned long long)bytes_moved >> 10,
		(unsigned long long)longest_us / 1000);
	vu_note("SEND %llu + %llu, WRITE %llu + %llu, READ %llu, CAS %llu, FAA %llu, AW %llu",
		(unsigned long long)count[K_SEND],
		(unsigned long long)count[K_SEND_IMM],
		(unsigned long long)count[K_WRITE],
		(unsigned long long)count[K_WRITE_IMM],
		(unsigned long long)count[K_READ],
		(unsigned long long)count[K_CAS],
		(unsigned long long)count[K_FAA],
		(unsigned long long)count[K_ATOMIC_WRITE]);
}

static void usage(void)
{
	fprintf(stderr,
		"verbs_data: -a DEV -b DEV [-4|-6] [-n MIB | -t SECONDS]\n"
		"                  [-q QPS] [-s SEED] [-m MTU-CODE] [-x MAX-MESSAGE] [-W] [-w WATCHDOG]\n"
		"                  [-g SILENCE-SECONDS] [-T TIMEOUT-CODE]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	const char *spec[2] = { NULL, NULL };
	unsigned int seconds = 0, dog = 300;
	u64 bytes = 0, seed = 1;
	int c, family = 0, mtu = 0, s, i;

	while ((c = getopt(argc, argv, "a:b:46n:t:q:s:m:x:Ww:g:T:")) != -1) {
		switch (c) {
		case 'a':
			spec[0] = optarg;
			break;
		case 'b':
			spec[1] = optarg;
			break;
		case '4':
			family = 4;
			break;
		case '6':
			family = 6;
			break;
		case 'n':
			bytes = strtoull(optarg, NULL, 0) << 20;
			break;
		case 't':
			seconds = atoi(optarg);
			break;
		case 'q':
			num_qps = atoi(optarg);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			mtu = atoi(optarg);
			break;
		case 'x':
			max_msg = strtoull(optarg, NULL, 0);
			break;
		case 'W':
			use_atomic_write = true;
			break;
		case 'g':
			silence_ms = atoi(optarg) * 1000;
			break;
		case 'T':
			timeout_code = atoi(optarg);
			break;
		case 'w':
			dog = atoi(optarg);
			break;
		default:
			usage();
		}
	}
	if (!spec[0] || !spec[1] || num_qps < 1 || num_qps > MAX_QPS ||
	    max_msg > 1 << 20)
		usage();
	vu_watchdog(dog);
	vu_seed(&rng, seed);
	side_open(&side[0], spec[0], family);
	side_open(&side[1], spec[1], family);
	setup_qps(mtu);
	run_random(bytes ? bytes : seconds ? 0 : 16ull << 20, seconds);
	for (s = 0; s < 2; s++) {
		for (i = 0; i < num_qps; i++)
			vu_qp_destroy(&side[s].end[i].q);
		for (i = 0; i < NUM_MR; i++)
			if (ibv_dereg_mr(side[s].mr[i]))
				vu_die("dereg_mr");
		vu_close(&side[s].dev);
	}
	return 0;
}
