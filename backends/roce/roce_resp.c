// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: the peer's requests: sequence, duplicates, what the core says to them,
 * and the answers that this latches.
 *
 * What lives here: the responder's state under roce_conn.lock. What may not: sending
 * (roce_tx.c), whose memory it is (core).
 */
#include "roce.h"

/* Verdict to the code of a NAK; OK, NOT_READY and DROP have none. */
static const u8 nak_code[] = {
	[RXT_BAD_REQUEST]	= ROCE_NAK_INV_REQ,
	[RXT_BAD_ACCESS]	= ROCE_NAK_REM_ACC,
	[RXT_OP_ERROR]		= ROCE_NAK_REM_OP,
};

/**
 * roce_resp_reset - begin
 * @rc: connection, not open; replay ring is the caller's
 */
void roce_resp_reset(struct roce_conn *rc)
{
	struct roce_replay replay = rc->resp.replay;

	memset(&rc->resp, 0, sizeof(rc->resp));
	rc->resp.replay = replay;
}

/* ---- answers ---- */

static void latch_ack(struct roce_conn *rc, u32 psn, u8 opcode)
{
	struct roce_latch *l = &rc->resp.latch;

	if (l->ack && roce_psn_diff(psn, l->ack_psn) < 0)
		return;
	l->ack = true;
	l->ack_psn = psn;
	l->ack_op = opcode;
}

static void latch_nak(struct roce_conn *rc, u32 psn, u8 syndrome,
		      enum rxt_verdict verdict)
{
	struct roce_latch *l = &rc->resp.latch;

	/* A refusal stays; it acknowledges all before it. */
	if (rc->resp.refused)
		return;
	l->nak = true;
	l->nak_psn = psn;
	l->syndrome = syndrome;
	l->verdict = verdict;
}

/**
 * roce_resp_refuse - the core said no
 * @rc: connection, locked
 * @psn: of the packet
 * @verdict: not OK
 */
void roce_resp_refuse(struct roce_conn *rc, u32 psn, enum rxt_verdict verdict)
{
	struct roce_responder *resp = &rc->resp;

	lockdep_assert_held(&rc->lock);
	switch (verdict) {
	case RXT_OK:
	case RXT_DROP:
		return;
	case RXT_NOT_READY:
		latch_nak(rc, psn, ROCE_SYN_RNR |
			  (rxt_conn_min_rnr_timer(&rc->conn) & ROCE_SYN_VALUE),
			  verdict);
		/* What was sent behind it is no gap worth a NAK. */
		resp->gap = true;
		resp->gap_psn = psn;
		return;
	default:
		latch_nak(rc, psn, ROCE_SYN_NAK | nak_code[verdict], verdict);
		resp->refused = true;
	}
}

/* ---- messages in packets ---- */

static void in_begin(struct roce_inbound *in, const struct roce_hdr *h)
{
	bool only = h->info->flags & ROCE_F_LAST;

	in->open = true;
	in->again = false;
	in->rx = NULL;
	in->off = 0;
	in->family = h->info->family;
	in->hdr = (struct rxt_hdr) {
		.op = h->info->op,
		.solicited = h->solicited,
		.length = only ? h->len : RXT_LEN_UNKNOWN,
		.rkey = h->rkey,
		.raddr = h->va,
	};
	if (in->family == ROCE_FAM_WRITE)
		in->hdr.length = h->dma_len;
}

/* What only the last packet tells. */
static void in_last(struct roce_inbound *in, const struct roce_hdr *h)
{
	in->hdr.op = h->info->op;
	in->hdr.solicited = h->solicited;
	if (h->info->ext & ROCE_X_IETH)
		in->hdr.inv_rkey = h->inv_rkey;
	else
		in->hdr.imm = h->imm;
	if (in->family == ROCE_FAM_SEND)
		in->hdr.length = in->off + h->len;
}

/* Does the length of the packet fit its place in the message (IBTA 9.7.4.1.5)? */
static bool len_ok(const struct roce_conn *rc, const struct roce_inbound *in,
		   const struct roce_hdr *h)
{
	bool last = h->info->flags & ROCE_F_LAST;
	bool first = h->info->flags & ROCE_F_FIRST;
	u32 rest;

	if (last ? h->len > roce_mtu(rc) || (!first && !h->len) :
		   h->len != roce_mtu(rc))
		return false;
	if (in->family == ROCE_FAM_SEND)
		return last || in->off + h->len < RXT_MAX_MSG;
	rest = in->hdr.length - in->off;
	return last ? h->len == rest : h->len < rest;
}

/* One packet of a SEND or WRITE that is next in sequence. */
static enum rxt_verdict in_packet(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	struct roce_inbound *in = &rc->resp.in;
	const struct roce_hdr *h = &pkt->h;
	bool last = h->info->flags & ROCE_F_LAST;
	enum rxt_verdict v;
	int err;

	if (h->info->flags & ROCE_F_FIRST)
		in_begin(in, h);
	if (!len_ok(rc, in, h))
		return RXT_BAD_REQUEST;
	if (last)
		in_last(in, h);
	if (!in->rx || in->again) {
		v = rxt_rx_begin(&rc->conn, &in->hdr, &in->rx);
		if (v != RXT_OK) {
			in->rx = NULL;
			return v;
		}
		in->again = false;
	}
	err = roce_place(in->rx, in->off, pkt);
	if (err) {
		v = rxt_rx_place_verdict(in->rx, err);
		in->rx = NULL;
		return v == RXT_OK ? RXT_OP_ERROR : v;
	}
	if (!last) {
		in->off += h->len;
		return RXT_OK;
	}
	v = rxt_rx_end(in->rx, &in->hdr);
	in->rx = NULL;
	return v;
}

/* Is @h where it stands in a message what comes after what was there? */
static bool order_ok(const struct roce_inbound *in, const struct roce_hdr *h)
{
	if (h->info->flags & ROCE_F_FIRST)
		return !in->open;
	return in->open && in->family == h->info->family;
}

/* ---- RC ---- */

static enum rxt_verdict rc_message(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	struct roce_inbound *in = &rc->resp.in;
	bool first = pkt->h.info->flags & ROCE_F_FIRST;
	enum rxt_verdict v = in_packet(rc, pkt);

	if (v == RXT_OK) {
		rc->resp.psn = roce_psn_add(rc->resp.psn, 1);
		if (pkt->h.info->flags & ROCE_F_LAST) {
			in->open = false;
			rc->resp.msn = roce_psn_add(rc->resp.msn, 1);
		}
	} else if (v == RXT_NOT_READY) {
		/* It comes again: from its first packet, or its last one. */
		in->open = !first;
		in->again = !first;
	}
	return v;
}

static struct rxt_hdr single_hdr(const struct roce_conn *rc,
				 const struct roce_hdr *h)
{
	return (struct rxt_hdr) {
		.op = h->info->op,
		.msg_id = rc->resp.msn,
		.length = h->dma_len,
		.rkey = h->rkey,
		.raddr = h->va,
		.compare = h->compare,
		.swap_add = h->swap_add,
	};
}

/* The 8 bytes of payload of an ATOMIC_WRITE, as they are in memory. */
static enum rxt_verdict take_value(const struct roce_pkt *pkt, struct rxt_hdr *hdr)
{
	if (pkt->h.len != sizeof(hdr->swap_add) ||
	    pkt->h.dma_len != sizeof(hdr->swap_add) ||
	    skb_copy_bits(pkt->skb, pkt->off, &hdr->swap_add,
			  sizeof(hdr->swap_add)))
		return RXT_BAD_REQUEST;
	return RXT_OK;
}

/* READ, atomics. */
static enum rxt_verdict rc_single(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	struct rxt_hdr hdr = single_hdr(rc, &pkt->h);
	u32 msn = roce_psn_add(rc->resp.msn, 1);
	u64 cookie = roce_cookie(pkt->h.psn, msn, 0);
	struct roce_done done = {
		.psn = pkt->h.psn,
		.npkts = 1,
		.op = hdr.op,
		.rkey = hdr.rkey,
		.length = hdr.length,
		.msn = msn,
		.va = hdr.raddr,
	};
	enum rxt_verdict v;

	switch (hdr.op) {
	case RXT_OP_READ:
		if (hdr.length > RXT_MAX_MSG)
			return RXT_BAD_REQUEST;
		v = rxt_rx_read(&rc->conn, &hdr, cookie, 0);
		done.npkts = roce_npkts(hdr.length, rc->mtu_shift);
		break;
	case RXT_OP_ATOMIC_WRITE:
		v = take_value(pkt, &hdr);
		if (v != RXT_OK)
			return v;
		v = rxt_rx_atomic(&rc->conn, &hdr, cookie, 0, &done.orig);
		break;
	case RXT_OP_CMP_SWP:
	case RXT_OP_FETCH_ADD:
		v = rxt_rx_atomic(&rc->conn, &hdr, cookie, 0, &done.orig);
		break;
	default:
		return RXT_BAD_REQUEST;
	}
	if (v != RXT_OK)
		return v;
	if (hdr.op != RXT_OP_ATOMIC_WRITE)
		roce_replay_add(&rc->resp.replay, &done);
	rc->resp.psn = roce_psn_add(rc->resp.psn, done.npkts);
	rc->resp.msn = msn;
	return RXT_OK;
}

static void rc_expected(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	bool single = pkt->h.info->family == ROCE_FAM_SINGLE;
	enum rxt_verdict v = RXT_BAD_REQUEST;

	/* What was latched about this packet before does not hold any more. */
	rc->resp.gap = false;
	rc->resp.latch.nak = false;
	if (order_ok(&rc->resp.in, &pkt->h))
		v = single ? rc_single(rc, pkt) : rc_message(rc, pkt);
	if (v != RXT_OK) {
		roce_resp_refuse(rc, pkt->h.psn, v);
		return;
	}
	if (single && pkt->h.info->op != RXT_OP_ATOMIC_WRITE)
		return;	/* the answer is the ACK */
	if (pkt->h.ackreq)
		latch_ack(rc, pkt->h.psn, single ? ROCE_READ_RESP_ONLY :
						   ROCE_ACK);
}

/* Asked for again: the answer was lost, or the one who asks was impatient. */
static void replay_read(struct roce_conn *rc, const struct roce_pkt *pkt,
			struct roce_done *done)
{
	struct rxt_hdr hdr = single_hdr(rc, &pkt->h);
	u16 gen = done->gen + 1;
	enum rxt_verdict v;

	if (!roce_replay_covers(done, &pkt->h, rc->mtu_shift)) {
		rxt_count_conn(&rc->conn, rx_discarded);
		return;
	}
	v = rxt_rx_read(&rc->conn, &hdr,
			roce_cookie(pkt->h.psn, done->msn, gen), RXT_RX_REPLAY);
	/* Anything but a key that went means that answers are still queued. */
	if (v == RXT_OK)
		done->gen = gen;
	else if (v == RXT_BAD_ACCESS)
		roce_resp_refuse(rc, pkt->h.psn, v);
}

static void rc_duplicate(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	struct roce_done *done;
	struct rxt_hdr hdr;
	u64 orig;

	rxt_count_conn(&rc->conn, duplicates);
	switch (pkt->h.info->op) {
	case RXT_OP_READ:
	case RXT_OP_CMP_SWP:
	case RXT_OP_FETCH_ADD:
		break;
	default:
		latch_ack(rc, roce_psn_add(rc->resp.psn, -1), ROCE_ACK);
		return;
	}
	done = roce_replay_find(&rc->resp.replay, pkt->h.psn);
	if (!done || done->op != pkt->h.info->op) {
		rxt_count_conn(&rc->conn, rx_discarded);
		return;
	}
	if (done->op == RXT_OP_READ) {
		replay_read(rc, pkt, done);
		return;
	}
	hdr = single_hdr(rc, &pkt->h);
	orig = done->orig;
	rxt_rx_atomic(&rc->conn, &hdr, roce_cookie(done->psn, done->msn, 0),
		      RXT_RX_REPLAY, &orig);
}

/**
 * roce_resp_stale - is an answer of no use any more?
 * @rc: connection
 * @cookie: of a READ response
 *
 * Return: true when the READ was asked for again since: the rest of the old answer
 * would be in the way of the new one.
 */
bool roce_resp_stale(struct roce_conn *rc, u64 cookie)
{
	const struct roce_done *done;
	bool stale;

	spin_lock_bh(&rc->lock);
	done = roce_replay_find(&rc->resp.replay, roce_cookie_psn(cookie));
	stale = done && done->op == RXT_OP_READ &&
		done->gen != roce_cookie_gen(cookie);
	spin_unlock_bh(&rc->lock);
	return stale;
}

static void rc_gap(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	struct roce_responder *resp = &rc->resp;
	bool again;

	rxt_count_conn(&rc->conn, out_of_order);
	/* One NAK for a gap (IBTA 9.7.5.2.8), and one more when the sender went
	 * back to it and its first packet was lost again.
	 */
	again = resp->gap && roce_psn_diff(pkt->h.psn, resp->gap_psn) <= 0;
	if (!resp->gap || again)
		latch_nak(rc, resp->psn, ROCE_SYN_NAK | ROCE_NAK_PSN, RXT_OK);
	resp->gap = true;
	resp->gap_psn = pkt->h.psn;
}

/**
 * roce_resp_rx - a request of an RC connection
 * @rc: open, locked
 * @pkt: packet
 */
void roce_resp_rx(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	s32 diff = roce_psn_diff(pkt->h.psn, rc->resp.psn);

	lockdep_assert_held(&rc->lock);
	if (rc->resp.refused || !rxt_conn_can_receive(&rc->conn)) {
		rxt_count_conn(&rc->conn, rx_discarded);
		return;
	}
	if (!diff)
		rc_expected(rc, pkt);
	else if (diff < 0)
		rc_duplicate(rc, pkt);
	else
		rc_gap(rc, pkt);
}

/* ---- UC ---- */

static void uc_abort(struct roce_conn *rc)
{
	struct roce_inbound *in = &rc->resp.in;

	if (in->rx)
		rxt_rx_abort(in->rx);
	in->rx = NULL;
	in->open = false;
}

/**
 * roce_resp_uc - a packet of a UC connection
 * @rc: open, locked
 * @pkt: packet
 *
 * What does not fit is dropped up to the next message (IBTA 9.8.2.2).
 */
void roce_resp_uc(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	struct roce_inbound *in = &rc->resp.in;
	bool first = pkt->h.info->flags & ROCE_F_FIRST;
	bool in_seq = pkt->h.psn == rc->resp.psn;

	lockdep_assert_held(&rc->lock);
	rc->resp.psn = roce_psn_add(pkt->h.psn, 1);
	if (!in_seq)
		rxt_count_conn(&rc->conn, out_of_order);
	if (in->open && (first || !in_seq))
		uc_abort(rc);
	if (!order_ok(in, &pkt->h)) {
		rxt_count_conn(&rc->conn, rx_discarded);
		return;
	}
	if (in_packet(rc, pkt) != RXT_OK) {
		rxt_count_conn(&rc->conn, rx_discarded);
		uc_abort(rc);
		return;
	}
	if (pkt->h.info->flags & ROCE_F_LAST)
		in->open = false;
}
