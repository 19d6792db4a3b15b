// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: what the peer says to our requests: ACKs, NAKs, READ responses, results
 * of atomics.
 *
 * What lives here: the requester's inbound half under roce_conn.lock. What may not:
 * sending (roce_tx.c), the arithmetic (roce_window.c).
 *
 * Every answer acknowledges all PSNs before its own. Answers come in the order of
 * PSNs: one that skips a READ says that the READ's answer is lost.
 */
#include "roce.h"

/* Below this a loss does not shrink the window: losses are not only congestion. */
#define CWND_FLOOR	32

/**
 * roce_req_rewind - send again from a PSN on
 * @rc: connection, locked
 * @psn: not answered yet
 */
void roce_req_rewind(struct roce_conn *rc, u32 psn)
{
	struct roce_requester *req = &rc->req;
	const struct roce_sent *s;
	u32 id, off;

	lockdep_assert_held(&rc->lock);
	s = roce_window_find(&req->w, psn, &id);
	if (!s)
		return;
	off = ((psn - s->psn) & ROCE_MASK24) << rc->mtu_shift;
	req->rewound = true;
	req->rewound_psn = psn;
	req->waiting = false;
	rc->kick = true;
	rxt_tx_rewind(&rc->conn, id, off);
}

/* The peer is there and goes on. */
static void progress(struct roce_conn *rc, u32 before)
{
	struct roce_requester *req = &rc->req;

	req->rewound = false;
	roce_timer_alive(rc);
	roce_cwnd_acked(&req->cwnd, (req->w.una - before) & ROCE_MASK24);
	if (req->waiting) {
		req->waiting = false;
		rc->kick = true;
	}
}

/* Something between @psn and what came now was lost. Once for each place. */
static void lost(struct roce_conn *rc, u32 psn)
{
	struct roce_requester *req = &rc->req;

	if (req->rewound && req->rewound_psn == psn)
		return;
	roce_cwnd_lost(&req->cwnd, CWND_FLOOR);
	roce_req_rewind(rc, psn);
}

/* All up to @psn was accepted; the core hears of whole messages. */
static void acked_to(struct roce_conn *rc, u32 psn)
{
	struct roce_window *w = &rc->req.w;
	u32 before = w->una;
	struct roce_acked res = roce_window_ack(w, psn);

	if (res.progress)
		progress(rc, before);
	if (res.completed)
		rxt_tx_acked(&rc->conn, w->una_id - 1);
	if (res.lost)
		lost(rc, w->una);
}

static void discard(struct roce_conn *rc)
{
	rxt_count_conn(&rc->conn, rx_discarded);
}

/* ---- ACK, NAK ---- */

static enum rxt_verdict nak_verdict(u8 syndrome)
{
	switch (syndrome & ROCE_SYN_VALUE) {
	case ROCE_NAK_INV_REQ:
		return RXT_BAD_REQUEST;
	case ROCE_NAK_REM_ACC:
		return RXT_BAD_ACCESS;
	default:
		return RXT_OP_ERROR;
	}
}

static void rx_rnr(struct roce_conn *rc, u32 psn, u8 timer)
{
	const struct roce_sent *s;
	u32 id, off;

	s = roce_window_find(&rc->req.w, psn, &id);
	if (!s)
		return discard(rc);
	off = ((psn - s->psn) & ROCE_MASK24) << rc->mtu_shift;
	/* The core waits and sends again: no answer can be overdue until then. */
	rc->timer.waiting = false;
	rc->timer.tries = 0;
	rc->req.rewound = false;
	rc->req.waiting = false;
	rc->kick = true;
	rxt_conn_rnr(&rc->conn, id, off, timer);
}

static void rx_nak(struct roce_conn *rc, const struct roce_hdr *h)
{
	u32 id;

	acked_to(rc, roce_psn_add(h->psn, -1));
	/* It may be about a PSN behind a READ whose answer was lost. */
	if (h->psn != rc->req.w.una || !roce_window_holds(&rc->req.w, h->psn))
		return;
	if ((h->syndrome & ROCE_SYN_TYPE) == ROCE_SYN_RNR) {
		rx_rnr(rc, h->psn, h->syndrome & ROCE_SYN_VALUE);
		return;
	}
	if ((h->syndrome & ROCE_SYN_VALUE) == ROCE_NAK_PSN) {
		roce_timer_alive(rc);
		lost(rc, h->psn);
		return;
	}
	if (!roce_window_find(&rc->req.w, h->psn, &id))
		return discard(rc);
	rc->timer.waiting = false;
	rxt_conn_nak(&rc->conn, id, nak_verdict(h->syndrome));
}

static void rx_ack(struct roce_conn *rc, const struct roce_hdr *h)
{
	/* One behind those under way is a repeated ACK for the last one. */
	if (!roce_window_holds(&rc->req.w, h->psn))
		return discard(rc);
	rxt_count_conn(&rc->conn, rx_acks);
	switch (h->syndrome & ROCE_SYN_TYPE) {
	case ROCE_SYN_ACK:
		acked_to(rc, h->psn);
		break;
	case ROCE_SYN_RNR:
	case ROCE_SYN_NAK:
		rx_nak(rc, h);
		break;
	default:
		discard(rc);
	}
}

/* ---- answers with data ---- */

/* The request that an answer is for: the oldest, if it waits for just this PSN. */
static const struct roce_sent *answers(struct roce_conn *rc, u32 psn, u8 kind)
{
	struct roce_window *w = &rc->req.w;
	const struct roce_sent *s;

	if (!roce_window_holds(w, psn))
		return NULL;
	if (w->una != psn)
		acked_to(rc, roce_psn_add(psn, -1));
	if (w->una != psn || roce_window_empty(w))
		return NULL;
	s = roce_window_oldest(w);
	return s->kind == kind ? s : NULL;
}

static void answered(struct roce_conn *rc)
{
	u32 before = rc->req.w.una;

	roce_window_answer(&rc->req.w);
	progress(rc, before);
}

static void rx_atomic(struct roce_conn *rc, const struct roce_hdr *h)
{
	if ((h->syndrome & ROCE_SYN_TYPE) != ROCE_SYN_ACK ||
	    !answers(rc, h->psn, ROCE_SENT_ATOMIC))
		return discard(rc);
	if (rxt_rx_atomic_resp(&rc->conn, rc->req.w.una_id, h->orig) != RXT_OK)
		return discard(rc);
	answered(rc);
}

static bool read_open(struct roce_conn *rc, const struct roce_sent *s)
{
	struct roce_inbound *in = &rc->req.in;

	if (in->rx)
		return true;
	in->hdr = (struct rxt_hdr) {
		.op = RXT_OP_READ_RESP,
		.msg_id = rc->req.w.una_id,
		.length = s->length,
	};
	if (rxt_rx_begin(&rc->conn, &in->hdr, &in->rx) == RXT_OK)
		return true;
	/* Between a rewind and the new request nothing waits for it. */
	in->rx = NULL;
	return false;
}

static void read_packet(struct roce_conn *rc, const struct roce_sent *s,
			const struct roce_pkt *pkt)
{
	struct roce_inbound *in = &rc->req.in;
	u32 n = (pkt->h.psn - s->psn) & ROCE_MASK24;
	u32 off = n << rc->mtu_shift;
	bool last = n + 1 == s->npkts;
	u32 want = last ? s->length - off : roce_mtu(rc);
	int err;

	/* A long READ is asked for in pieces, each of which has a last packet. */
	if (pkt->h.len != want ||
	    (last && !(pkt->h.info->flags & ROCE_F_LAST)) || !read_open(rc, s))
		return discard(rc);
	err = roce_place(in->rx, off, pkt);
	if (err) {
		rxt_rx_place_verdict(in->rx, err);
		in->rx = NULL;
		return;
	}
	if (last) {
		rxt_rx_end(in->rx, &in->hdr);
		in->rx = NULL;
	}
	answered(rc);
}

static void rx_read_resp(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	const struct roce_hdr *h = &pkt->h;
	const struct roce_sent *s;
	u32 id;

	if ((h->info->ext & ROCE_X_AETH) &&
	    (h->syndrome & ROCE_SYN_TYPE) != ROCE_SYN_ACK)
		return discard(rc);
	/* To an atomic WRITE it is but an ACK. */
	if (h->opcode == ROCE_READ_RESP_ONLY && !h->len &&
	    roce_window_holds(&rc->req.w, h->psn)) {
		s = roce_window_find(&rc->req.w, h->psn, &id);
		if (s && s->kind == ROCE_SENT_DATA)
			return acked_to(rc, h->psn);
	}
	s = answers(rc, h->psn, ROCE_SENT_READ);
	if (!s)
		return discard(rc);
	read_packet(rc, s, pkt);
}

/**
 * roce_req_rx - an answer
 * @rc: RC, open, locked
 * @pkt: packet
 */
void roce_req_rx(struct roce_conn *rc, const struct roce_pkt *pkt)
{
	lockdep_assert_held(&rc->lock);
	if (!rc->req.ready)
		return discard(rc);
	switch (pkt->h.info->family) {
	case ROCE_FAM_ACK:
		rx_ack(rc, &pkt->h);
		break;
	case ROCE_FAM_ATOMIC_RESP:
		rx_atomic(rc, &pkt->h);
		break;
	default:
		rx_read_resp(rc, pkt);
	}
}
