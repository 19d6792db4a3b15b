// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: messages out of the stream.
 *
 * What lives here: the framer, which may be cut at any byte, the rules about the
 * order of frames, and what becomes of the core's verdicts. What may not: bytes
 * that go out (tcp_tx.c); answers are latched in struct rxtcp_rx.
 *
 * Runs in the socket's callbacks with the socket locked: in softirq, or in process
 * context for what arrived while the socket was in use. The socket's queue is
 * always emptied, whatever the state, so that nothing in the stack waits for us.
 */
#include <net/tcp.h>
#include "tcp.h"

#define LANE_REQ	0
#define LANE_RESP	1

/* The peer does not speak our language: no more of it. */
static void rx_protocol_error(struct rxtcp_conn *tc)
{
	if (tc->rx.dead)
		return;
	tc->rx.dead = true;
	rxt_count_conn(&tc->conn, bad_header);
	rxt_conn_error(&tc->conn, RXT_ERR_PROTOCOL);
}

/**
 * rxtcp_rx_refuse - latch a NAK
 * @tc: connection, socket locked
 * @id: request that it is about
 * @verdict: anything but OK and DROP
 */
void rxtcp_rx_refuse(struct rxtcp_conn *tc, u32 id, enum rxt_verdict verdict)
{
	struct rxtcp_rx *rx = &tc->rx;

	if (rx->refused)
		return;
	rx->nak = verdict;
	rx->nak_id = id;
	if (verdict == RXT_NOT_READY) {
		rx->hold = true;
	} else {
		rx->refused = true;
		/* Should it not get out, the end must come all the same. */
		rxtcp_life_arm(tc);
	}
}

/* The core has answered a request: all of it was there, or it was not OK. */
static void req_verdict(struct rxtcp_conn *tc, struct rxtcp_lane *lane,
			enum rxt_verdict verdict)
{
	struct rxtcp_rx *rx = &tc->rx;

	lane->open = false;
	lane->rx = NULL;
	if (tc->conn.type == IB_QPT_UC) {
		/* What did not fit is gone, the next one counts. */
		rx->exp_id++;
		return;
	}
	if (verdict == RXT_OK) {
		rx->exp_id++;
		rx->ack_due = true;
		return;
	}
	if (verdict == RXT_DROP) {
		rx->dead = true;
		return;
	}
	rxtcp_rx_refuse(tc, rx->exp_id, verdict);
}

static void req_end(struct rxtcp_conn *tc, struct rxtcp_lane *lane)
{
	enum rxt_verdict verdict;
	u64 orig;

	switch (lane->hdr.op) {
	case RXT_OP_READ:
		verdict = rxt_rx_read(&tc->conn, &lane->hdr, 0, 0);
		break;
	case RXT_OP_ATOMIC_WRITE:
		memcpy(&lane->hdr.swap_add, tc->rx.aw, sizeof(lane->hdr.swap_add));
		fallthrough;
	case RXT_OP_CMP_SWP:
	case RXT_OP_FETCH_ADD:
		verdict = rxt_rx_atomic(&tc->conn, &lane->hdr, 0, 0, &orig);
		break;
	default:
		verdict = lane->rx ? rxt_rx_end(lane->rx, &lane->hdr) : RXT_BAD_REQUEST;
		break;
	}
	req_verdict(tc, lane, verdict);
}

/* A message that did not get to its end. @verdict is not OK. */
static void req_fail(struct rxtcp_conn *tc, struct rxtcp_lane *lane,
		     enum rxt_verdict verdict)
{
	lane->skip = true;
	if (tc->conn.type == IB_QPT_UC) {
		/* The rest of it is still to come, see lane_end(). */
		if (lane->rx)
			rxt_rx_abort(lane->rx);
		lane->rx = NULL;
		return;
	}
	req_verdict(tc, lane, verdict);
}

static void lane_open(struct rxtcp_lane *lane, const struct rxtcp_frame *f)
{
	lane->open = true;
	lane->skip = false;
	lane->rx = NULL;
	lane->off = 0;
	lane->family = f->info->family;
	lane->hdr = (struct rxt_hdr) {
		.op = f->info->op,
		.solicited = f->solicited,
		.msg_id = f->id,
		.length = f->total,
		.rkey = f->rkey,
		.raddr = f->va,
		.compare = f->compare,
		.swap_add = f->swap_add,
	};
}

/* What only the last frame tells. */
static void lane_last(struct rxtcp_lane *lane, const struct rxtcp_frame *f)
{
	lane->hdr.op = f->info->op;
	lane->hdr.solicited = f->solicited;
	if (f->info->ext & RXTCP_IETH)
		lane->hdr.inv_rkey = f->inv_rkey;
	else
		lane->hdr.imm = f->imm;
}

/* Does @f continue what came before in @lane? */
static bool lane_continues(const struct rxtcp_lane *lane, const struct rxtcp_frame *f)
{
	u32 rest = lane->hdr.length - lane->off;

	if (!lane->open || lane->family != f->info->family ||
	    lane->hdr.msg_id != f->id)
		return false;
	return f->info->phase & RXTCP_LAST ? f->len == rest : f->len < rest;
}

/* The frame's payload is all there. */
static void lane_end(struct rxtcp_conn *tc, struct rxtcp_lane *lane,
		     const struct rxtcp_frame *f)
{
	enum rxt_verdict verdict;

	if (!(f->info->phase & RXTCP_LAST) || !lane->open)
		return;
	if (lane == &tc->rx.lane[LANE_REQ]) {
		if (lane->skip)
			req_verdict(tc, lane, RXT_BAD_REQUEST);
		else
			req_end(tc, lane);
		return;
	}
	lane->open = false;
	tc->tx.rd_done = f->id;
	if (!lane->rx)
		return;
	verdict = rxt_rx_end(lane->rx, &lane->hdr);
	lane->rx = NULL;
	if (verdict == RXT_BAD_REQUEST)
		rx_protocol_error(tc);
}

/* First look at a request frame. -EPROTO: it may not be here. */
static int rx_request(struct rxtcp_conn *tc, const struct rxtcp_frame *f)
{
	struct rxtcp_rx *rx = &tc->rx;
	struct rxtcp_lane *lane = &rx->lane[LANE_REQ];
	enum rxt_verdict verdict;

	if (rx->refused)
		goto discard;
	if (f->info->phase & RXTCP_FIRST) {
		if (rx->hold && rxtcp_id_after(f->id, rx->exp_id))
			goto discard;
		if (lane->open || f->id != rx->exp_id)
			return -EPROTO;
		rx->hold = false;
		lane_open(lane, f);
		lane_last(lane, f);
		if (f->info->family == RXTCP_SINGLE)
			return 0;
		verdict = rxt_rx_begin(&tc->conn, &lane->hdr, &lane->rx);
		if (verdict != RXT_OK) {
			lane->rx = NULL;
			req_fail(tc, lane, verdict);
		}
		return 0;
	}
	/* The rest of what was refused, or of what was under way behind it. */
	if (rx->hold && !lane->open && !rxtcp_id_after(rx->exp_id, f->id))
		goto discard;
	if (!lane_continues(lane, f))
		return -EPROTO;
	if (f->info->phase & RXTCP_LAST)
		lane_last(lane, f);
	return 0;

discard:
	lane->skip = true;
	rxt_count_conn(&tc->conn, rx_discarded);
	return 0;
}

static int rx_response(struct rxtcp_conn *tc, const struct rxtcp_frame *f)
{
	struct rxtcp_lane *lane = &tc->rx.lane[LANE_RESP];
	enum rxt_verdict verdict;

	if (!(f->info->phase & RXTCP_FIRST))
		return lane_continues(lane, f) ? 0 : -EPROTO;
	if (lane->open)
		return -EPROTO;
	lane_open(lane, f);
	if (f->info->op == RXT_OP_ATOMIC_RESP) {
		lane->open = false;
		verdict = rxt_rx_atomic_resp(&tc->conn, f->id, f->swap_add);
		tc->tx.rd_done = f->id;
	} else {
		verdict = rxt_rx_begin(&tc->conn, &lane->hdr, &lane->rx);
	}
	if (verdict == RXT_BAD_REQUEST)
		return -EPROTO;
	if (verdict != RXT_OK) {
		lane->rx = NULL;
		lane->skip = true;
	}
	return 0;
}

/* The ACK that each frame carries, and those that are nothing else. */
static int rx_ack(struct rxtcp_conn *tc, const struct rxtcp_frame *f)
{
	struct rxtcp_tx *tx = &tc->tx;
	enum rxt_verdict nak;

	if (tc->conn.type == IB_QPT_UC)
		return 0;
	if (f->ack != tx->acked) {
		if (!rxt_tx_acked(&tc->conn, f->ack))
			return -EPROTO;
		tx->acked = f->ack;
		rxt_count_conn(&tc->conn, rx_acks);
	}
	if (f->info->family != RXTCP_CTL ||
	    (f->syndrome & RXT_TCP_SYN_TYPE) == RXT_TCP_SYN_ACK)
		return 0;

	if (rxtcp_id_after(f->id, tx->top_id))
		return -EPROTO;
	if ((f->syndrome & RXT_TCP_SYN_TYPE) == RXT_TCP_SYN_RNR) {
		if (f->id != tx->acked + 1)
			return -EPROTO;
		rxt_conn_rnr(&tc->conn, f->id, 0, f->syndrome & RXT_TCP_SYN_VALUE);
		return 0;
	}
	nak = rxtcp_syndrome_verdict(f->syndrome);
	rxt_conn_nak(&tc->conn, f->id, nak);
	return 0;
}

/* All headers of a frame are there. */
static int rx_frame(struct rxtcp_conn *tc)
{
	struct rxtcp_rx *rx = &tc->rx;
	const struct rxtcp_frame *f = &rx->frame;
	int ret;

	if (f->qpn != tc->conn.qpn)
		return -EPROTO;
	rxt_count_conn(&tc->conn, rx_packets);
	if (tc->state == RXTCP_CONFIRM)
		rxtcp_conn_up(tc);
	ret = rx_ack(tc, f);
	if (ret || f->info->family == RXTCP_CTL)
		return ret;

	if (f->info->family == RXTCP_READ_RESP ||
	    f->info->op == RXT_OP_ATOMIC_RESP) {
		rx->cur = &rx->lane[LANE_RESP];
		ret = rx_response(tc, f);
	} else {
		rx->cur = &rx->lane[LANE_REQ];
		ret = rx_request(tc, f);
	}
	if (ret)
		return ret;
	rx->left = f->len;
	if (!rx->left)
		lane_end(tc, rx->cur, f);
	return 0;
}

/* Some header bytes. Returns how many were used, or -EPROTO. */
static int rx_header(struct rxtcp_conn *tc, const u8 *data, unsigned int len)
{
	bool uc = tc->conn.type == IB_QPT_UC;
	const struct rxtcp_opcode *info;
	struct rxtcp_rx *rx = &tc->rx;
	const u8 *hdr = rx->hdr;
	unsigned int need, take;

	/* The first byte tells how many there are. */
	info = rxtcp_opcode_info(rx->hdr_len ? rx->hdr[0] : data[0], uc);
	if (!info)
		return -EPROTO;
	need = info->hdr_len;
	take = min(need - rx->hdr_len, len);
	if (take == need) {
		/* All in one piece, as nearly always. */
		hdr = data;
	} else {
		memcpy(rx->hdr + rx->hdr_len, data, take);
		rx->hdr_len += take;
		if (rx->hdr_len < need)
			return take;
	}

	rx->hdr_len = 0;
	if (rxtcp_frame_decode(hdr, need, uc, &rx->frame) || rx_frame(tc))
		return -EPROTO;
	return take;
}

static void place_failed(struct rxtcp_conn *tc, struct rxtcp_lane *lane, int err)
{
	enum rxt_verdict verdict = rxt_rx_place_verdict(lane->rx, err);

	if (lane == &tc->rx.lane[LANE_REQ]) {
		req_fail(tc, lane, verdict);
		return;
	}
	lane->rx = NULL;
	lane->skip = true;
	if (verdict == RXT_BAD_REQUEST)
		rx_protocol_error(tc);
}

/* Payload bytes of the frame under way. Returns how many were used. */
static unsigned int rx_payload(struct rxtcp_conn *tc, const u8 *data,
			       unsigned int len)
{
	struct rxtcp_rx *rx = &tc->rx;
	struct rxtcp_lane *lane = rx->cur;
	const struct rxtcp_frame *f = &rx->frame;
	int err;

	len = min(len, rx->left);
	if (f->info->op == RXT_OP_ATOMIC_WRITE) {
		/* Eight bytes; the decoder saw to it. */
		memcpy(rx->aw + f->len - rx->left, data, len);
	} else if (!lane->skip && lane->rx) {
		err = rxt_rx_place_buf(lane->rx, lane->off, data, len);
		if (err)
			place_failed(tc, lane, err);
	}
	lane->off += len;
	rx->left -= len;
	if (!rx->left)
		lane_end(tc, lane, f);
	return len;
}

/* Bytes of the stream that lie in one piece. */
static void rx_bytes(struct rxtcp_conn *tc, const u8 *data, unsigned int len)
{
	int n;

	while (len && !tc->rx.dead) {
		if (tc->rx.left)
			n = rx_payload(tc, data, len);
		else
			n = rx_header(tc, data, len);
		if (n < 0) {
			rx_protocol_error(tc);
			return;
		}
		data += n;
		len -= n;
	}
}

/* Where all of it lies in one piece, as short messages do; NULL: it does not. */
static const u8 *in_one_piece(const struct sk_buff *skb, unsigned int off,
			      size_t len)
{
	const skb_frag_t *frag = skb_shinfo(skb)->frags;

	if (off + len <= skb_headlen(skb))
		return skb->data + off;
	if (IS_ENABLED(CONFIG_HIGHMEM) || off < skb_headlen(skb) ||
	    !skb_shinfo(skb)->nr_frags)
		return NULL;
	off -= skb_headlen(skb);
	return off + len <= skb_frag_size(frag) ?
	       skb_frag_address(frag) + off : NULL;
}

static void rx_pieces(struct rxtcp_conn *tc, struct sk_buff *skb,
		      unsigned int off, size_t len)
{
	struct skb_seq_state st;
	unsigned int done = 0, n;
	const u8 *data;

	skb_prepare_seq_read(skb, off, off + len, &st);
	while (done < len && !tc->rx.dead) {
		n = skb_seq_read(done, &data, &st);
		if (WARN_ON_ONCE(!n)) {
			rx_protocol_error(tc);
			break;
		}
		n = min_t(unsigned int, n, len - done);
		rx_bytes(tc, data, n);
		done += n;
	}
	skb_abort_seq_read(&st);
}

/* tcp_read_sock()'s actor: takes everything, always. */
static int rx_actor(read_descriptor_t *desc, struct sk_buff *skb,
		    unsigned int off, size_t len)
{
	const u8 *data = in_one_piece(skb, off, len);
	struct rxtcp_conn *tc = desc->arg.data;

	if (data)
		rx_bytes(tc, data, len);
	else
		rx_pieces(tc, skb, off, len);
	return len;
}

/**
 * rxtcp_rx_run - take what the socket has got
 * @tc: connection, CONFIRM or beyond
 * @sk: its socket, locked
 */
void rxtcp_rx_run(struct rxtcp_conn *tc, struct sock *sk)
{
	read_descriptor_t desc = { .arg.data = tc, .count = 1 };
	struct rxtcp_rx *rx = &tc->rx;
	u32 exp_id;

	/* Inside of our own tcp_read_sock(): it goes on with what is new. */
	if (rx->busy)
		return;
	exp_id = rx->exp_id;
	rx->busy = true;
	tcp_read_sock(sk, &desc, rx_actor);
	rx->busy = false;

	if (rx->exp_id != exp_id)
		rx->lazy = rxtcp_ack_may_wait(tc);
	if ((rx->ack_due && !rx->lazy) || rx->nak != RXT_OK ||
	    rxt_tx_wanted(&tc->conn))
		rxt_tx_ready(&tc->conn, RXT_TX_INLINE);
	/* A FIN comes behind all data. */
	if ((sk->sk_shutdown & RCV_SHUTDOWN) || sk->sk_state == TCP_CLOSE)
		rxtcp_conn_lost(tc);
}

/* sk->sk_data_ready */
void rxtcp_data_ready(struct sock *sk)
{
	struct rxtcp_conn *tc = rxtcp_sk_user(sk);

	if (tc)
		rxtcp_rx_run(tc, sk);
}

/* sk->sk_state_change. A FIN is also followed by sk_data_ready, when the queue
 * is in order again: that one looks at it.
 */
void rxtcp_state_change(struct sock *sk)
{
	struct rxtcp_conn *tc = rxtcp_sk_user(sk);

	if (tc && sk->sk_state == TCP_CLOSE)
		rxtcp_rx_run(tc, sk);
}

/* Socket lock, or none while there is no socket. */
void rxtcp_rx_reset(struct rxtcp_conn *tc)
{
	memset(&tc->rx, 0, sizeof(tc->rx));
	tc->rx.exp_id = 1;
	tc->rx.nak = RXT_OK;
	rxtcp_ack_reset(tc);
}
