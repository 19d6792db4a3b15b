// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: messages to packets to the stack: RC and UC, READ responses, ACKs.
 *
 * What lives here: what runs under the TX token. What may not: skb layout
 * (roce_pack.c), what the peer answers (roce_req.c, roce_resp.c).
 *
 * Packets gather in a super-packet until one comes that does not fit; it leaves
 * then, or at the end of the batch. roce_conn.lock is never held while it does.
 * A message's PSNs are chosen when it is first sent and kept in rxt_msg.be[], so
 * sending it again is sending the same packets.
 */
#include <net/ip.h>
#include <net/ipv6.h>
#include "roce.h"

/* Payload bytes after which the other lane gets its turn. */
#define UNIT		65536
/* A message in more segments is copied too: the stack cuts a super-packet only into
 * packets of MAX_SKB_FRAGS fragments.
 */
#define SPLICE_SEGS	4
/* Packets of a READ that are asked for at once, and those under way beyond which no
 * READ is begun: a responder may send all of them in one go, and a receiver's queue
 * has room for 1000 (net.core.netdev_max_backlog).
 */
#define READ_PIECE_MIN	64
#define READ_PIECE_MAX	256
#define READ_AHEAD	512
/* Units after which softirqs may run, in process context. */
#define BREATHE		8
/* Payload of packets smaller than this is copied: a page is no cheaper. */
#define SPLICE_MTU_MIN	2048

/* rxt_msg.be[0]: PSNs are assigned, and the first one; be[1]: how many; be[2]: how
 * many of a READ are asked for at once
 */
#define BE_ASSIGNED	BIT_ULL(32)

/* ---- to the stack ---- */

static int hand_over(struct roce_conn *rc, struct sk_buff *skb)
{
	struct net *net = rc->link->rn->net;
	struct dst_entry *dst = dst_clone(rc->tx.route.dst);
	int ret;

	skb_dst_set(skb, dst);
	skb->dev = dst->dev;
	if (skb->protocol == htons(ETH_P_IPV6))
		ret = ip6_local_out(net, NULL, skb);
	else
		ret = ip_local_out(net, NULL, skb);
	return net_xmit_eval(ret);
}

/* The stack took nothing: leave it alone for a while, then send that again. */
static void refused(struct roce_conn *rc)
{
	struct roce_tx *tx = &rc->tx;

	spin_lock_bh(&rc->lock);
	roce_cwnd_lost(&rc->req.cwnd, 1);
	if (tx->pack_req && rc->conn.type == IB_QPT_RC && rc->req.ready)
		roce_req_rewind(rc, tx->pack_psn);
	roce_timer_stall(rc);
	spin_unlock_bh(&rc->lock);
}

static void stall_over(struct roce_conn *rc)
{
	if (likely(!READ_ONCE(rc->timer.stalls)))
		return;
	spin_lock_bh(&rc->lock);
	rc->timer.stalls = 0;
	spin_unlock_bh(&rc->lock);
}

/**
 * roce_tx_flush - what is packed leaves
 * @rc: connection, TX token held
 *
 * Return: 0; -ENOBUFS: the stack refused it. Requests in it will be sent again.
 */
int roce_tx_flush(struct roce_conn *rc)
{
	struct roce_tx *tx = &rc->tx;
	struct roce_route *r = &tx->route;
	struct sk_buff *skb;
	u32 count = tx->pack.count;
	int err;

	if (!tx->pack.skb)
		return 0;
	skb = roce_pack_close(&tx->pack, &r->flow, r->ttl, r->csum);
	err = hand_over(rc, skb);
	if (err) {
		refused(rc);
		tx->pack_req = false;
		return -ENOBUFS;
	}
	tx->pack_req = false;
	rxt_count_conn_add(&rc->conn, tx_packets, count);
	stall_over(rc);
	return 0;
}

/**
 * roce_tx_packet - one packet, to leave soon
 * @rc: connection, TX token held, route set
 * @h: headers
 * @pl: payload
 *
 * Return: 0; -ENOBUFS: no memory or the stack refuses: try again later; other
 * -errno: there is no way to the peer.
 */
int roce_tx_packet(struct roce_conn *rc, const struct roce_hdr *h,
		   const struct roce_payload *pl)
{
	struct roce_tx *tx = &rc->tx;
	struct roce_route *r = &tx->route;
	u32 wire_len = roce_wire_len(h);
	int err;

	if (!roce_pack_takes(&tx->pack, wire_len)) {
		err = roce_tx_flush(rc);
		if (err)
			return err;
	}
	if (!tx->pack.skb) {
		err = roce_route_get(rc);
		if (err)
			return err;
		err = roce_pack_open(&tx->pack, &r->flow, wire_len, r->headroom,
				     r->segs);
		if (err)
			return err;
	}
	err = roce_pack_add(&tx->pack, &r->flow, h, pl);
	if (err && tx->pack_req) {
		/* Others were in there. */
		spin_lock_bh(&rc->lock);
		roce_req_rewind(rc, tx->pack_psn);
		spin_unlock_bh(&rc->lock);
		tx->pack_req = false;
	}
	return err;
}

/* ---- requests ---- */

static void hdr_init(const struct roce_conn *rc, struct roce_hdr *h, u8 opcode,
		     u32 psn, u32 len)
{
	memset(h, 0, sizeof(*h));
	h->info = &roce_opcodes[opcode];
	h->opcode = opcode;
	h->pkey = ROCE_PKEY;
	h->qpn = rc->dest_qpn;
	h->psn = psn;
	h->len = len;
	h->pad = roce_pad(len);
}

static u8 sent_kind(u8 op)
{
	switch (op) {
	case RXT_OP_READ:
		return ROCE_SENT_READ;
	case RXT_OP_CMP_SWP:
	case RXT_OP_FETCH_ADD:
		return ROCE_SENT_ATOMIC;
	default:
		return ROCE_SENT_DATA;
	}
}

/* PSNs for a message that is sent for the first time. */
static int assign(struct roce_conn *rc, struct rxt_msg *msg)
{
	struct roce_sent s = {
		.kind = sent_kind(msg->op),
		.length = msg->rd_length,
	};
	int err = 0;

	s.npkts = roce_npkts(msg->op == RXT_OP_READ ? msg->rd_length :
						      msg->length, rc->mtu_shift);
	if (rc->conn.type != IB_QPT_RC) {
		msg->be[0] = BE_ASSIGNED | rc->tx.psn;
		rc->tx.psn = roce_psn_add(rc->tx.psn, s.npkts);
		msg->be[1] = s.npkts;
		return 0;
	}
	spin_lock_bh(&rc->lock);
	if (!rc->req.ready)
		err = -EAGAIN;
	else
		err = roce_window_push(&rc->req.w, msg->id, &s);
	if (err == -EAGAIN)
		rc->req.waiting = true;
	if (!err) {
		msg->be[0] = BE_ASSIGNED |
			     roce_psn_add(rc->req.w.next, -s.npkts);
		msg->be[2] = clamp_t(u32, rc->req.cwnd.packets,
				     READ_PIECE_MIN, READ_PIECE_MAX);
	}
	spin_unlock_bh(&rc->lock);
	msg->be[1] = s.npkts;
	return err;
}

/**
 * struct unit - a look at the window, for one ->xmit()
 * @una: oldest PSN not answered
 * @room: PSN behind the last one that may be sent
 * @every: ask for an ACK after so many packets
 */
struct unit {
	u32	una;
	u32	room;
	u32	every;
};

static struct unit look(struct roce_conn *rc)
{
	struct unit u;

	spin_lock_bh(&rc->lock);
	u.una = rc->req.w.una;
	u.room = roce_psn_add(u.una, rc->req.cwnd.packets);
	u.every = roce_cwnd_ack_every(&rc->req.cwnd);
	spin_unlock_bh(&rc->lock);
	return u;
}

/* The window is used up. False: it moved on meanwhile. */
static bool must_wait(struct roce_conn *rc, u32 psn)
{
	bool wait;

	spin_lock_bh(&rc->lock);
	wait = roce_psn_diff(psn, rc->req.w.una) >= (s32)rc->req.cwnd.packets;
	rc->req.waiting = wait;
	spin_unlock_bh(&rc->lock);
	return wait;
}

/* Packets from @first on, but not @behind, are about to be sent. Answers may be
 * here before we look again.
 */
static void sending(struct roce_conn *rc, u32 first, u32 behind)
{
	struct roce_window *w = &rc->req.w;

	spin_lock_bh(&rc->lock);
	if (roce_psn_diff(behind, w->high) > 0)
		w->high = behind;
	roce_timer_expect(rc);
	spin_unlock_bh(&rc->lock);
}

/* A request's packet was packed: should the stack refuse it, it goes again. */
static void packed(struct roce_conn *rc, u32 psn)
{
	if (rc->tx.pack_req)
		return;
	rc->tx.pack_req = true;
	rc->tx.pack_psn = psn;
}

/* Atomics: one packet. */
static int xmit_atomic(struct roce_conn *rc, struct rxt_msg *msg)
{
	u32 psn = msg->be[0] & ROCE_MASK24;
	struct roce_payload pl = { .data = &msg->swap_add };
	struct roce_hdr h;
	int err;

	if (msg->op == RXT_OP_ATOMIC_WRITE)
		hdr_init(rc, &h, ROCE_ATOMIC_WRITE, psn, sizeof(msg->swap_add));
	else
		hdr_init(rc, &h, msg->op == RXT_OP_CMP_SWP ? ROCE_CMP_SWP :
							     ROCE_FETCH_ADD,
			 psn, 0);
	h.va = msg->raddr;
	h.rkey = msg->rkey;
	h.dma_len = sizeof(msg->swap_add);
	h.compare = msg->compare;
	h.swap_add = msg->swap_add;
	h.ackreq = true;
	sending(rc, psn, roce_psn_add(psn, 1));
	err = roce_tx_packet(rc, &h, &pl);
	if (err)
		return err;
	packed(rc, psn);
	rc->tx.no_ack = 0;
	return 0;
}

/* How many packets of a READ, of which @done are behind us, may be asked for from
 * @psn on. 0: wait. A piece is not begun before the one before it is answered.
 *
 * Where pieces end is settled once for a READ, however often parts of it are asked
 * for: a responder that has executed a piece answers nothing that reaches beyond it.
 */
static u32 read_piece(struct roce_conn *rc, const struct rxt_msg *msg, u32 psn,
		      u32 done)
{
	struct roce_requester *req = &rc->req;
	u32 total = msg->be[1], piece = msg->be[2];
	s32 under_way, ahead;
	u32 n = 0;

	spin_lock_bh(&rc->lock);
	under_way = roce_psn_diff(psn, req->w.una);
	ahead = min_t(s32, req->cwnd.packets, READ_AHEAD);
	if (msg->tx_off ? under_way <= 0 : under_way < ahead)
		n = min(total - done, piece - done % piece);
	req->waiting = !n;
	spin_unlock_bh(&rc->lock);
	return n;
}

/* A READ. Nothing but the requester limits what a responder sends, so a long one
 * is asked for in pieces: each is a READ of its own to the peer.
 */
static int xmit_read(struct roce_conn *rc, struct rxt_msg *msg, bool *wait)
{
	u32 first = msg->be[0] & ROCE_MASK24;
	u32 done = msg->tx_off >> rc->mtu_shift, n;
	u32 psn = roce_psn_add(first, done);
	struct roce_payload pl = {};
	struct roce_hdr h;
	int err;

	n = read_piece(rc, msg, psn, done);
	*wait = !n;
	if (!n)
		return 0;
	hdr_init(rc, &h, ROCE_READ_REQ, psn, 0);
	h.va = msg->raddr + msg->tx_off;
	h.rkey = msg->rkey;
	h.dma_len = min_t(u64, msg->rd_length - msg->tx_off,
			  (u64)n << rc->mtu_shift);
	h.ackreq = true;
	sending(rc, psn, roce_psn_add(psn, n));
	err = roce_tx_packet(rc, &h, &pl);
	if (err)
		return err;
	packed(rc, psn);
	rc->tx.no_ack = 0;
	msg->tx_off += h.dma_len;
	return 0;
}

/* Headers of the packet at msg->tx_off. */
static void data_hdr(struct roce_conn *rc, const struct rxt_msg *msg,
		     struct roce_hdr *h, u32 psn, u32 len)
{
	u8 transport = rc->conn.type == IB_QPT_RC ? ROCE_RC : ROCE_UC;
	bool first = !msg->tx_off;
	bool last = msg->tx_off + len == msg->length;

	hdr_init(rc, h, roce_data_opcode(transport, msg->op, first, last), psn,
		 len);
	h->va = msg->raddr;
	h->rkey = msg->rkey;
	h->dma_len = msg->length;
	if (!last)
		return;
	h->solicited = (msg->flags & RXT_MSG_SOLICITED) &&
		       msg->op != RXT_OP_WRITE;
	if (h->info->ext & ROCE_X_IETH)
		h->inv_rkey = msg->inv_rkey;
	else
		h->imm = msg->imm;
}

static bool want_ack(struct roce_conn *rc, const struct unit *u, u32 psn,
		     bool last)
{
	bool want = last || ++rc->tx.no_ack >= u->every ||
		    roce_psn_add(psn, 1) == u->room;

	if (want)
		rc->tx.no_ack = 0;
	return want;
}

static bool may_splice(const struct roce_conn *rc, const struct rxt_msg *msg)
{
	return rc->tx.route.splice && roce_mtu(rc) >= SPLICE_MTU_MIN &&
	       msg->length >= SPLICE_MTU_MIN && rxt_msg_spliceable(msg) &&
	       msg->num_seg <= SPLICE_SEGS;
}

static void count_bytes(struct roce_conn *rc, bool splice, u32 n)
{
	if (splice)
		rxt_count_conn_add(&rc->conn, zc_bytes, n);
	else
		rxt_count_conn_add(&rc->conn, copied_bytes, n);
}

/* SEND and WRITE, a unit of it; msg is entered. */
static int xmit_packets(struct roce_conn *rc, struct rxt_msg *msg, bool *wait)
{
	bool rel = rc->conn.type == IB_QPT_RC;
	u32 first = msg->be[0] & ROCE_MASK24;
	u32 end = min(msg->length - msg->tx_off, (u32)UNIT) + msg->tx_off;
	bool splice = may_splice(rc, msg);
	u32 from = msg->tx_off;
	u32 behind = roce_psn_add(first, roce_npkts(end, rc->mtu_shift));
	struct unit u = {};
	bool middle = false;
	struct roce_hdr h;

	do {
		u32 len = min(msg->length - msg->tx_off, roce_mtu(rc));
		u32 psn = roce_psn_add(first, msg->tx_off >> rc->mtu_shift);
		struct roce_payload pl = {
			.msg = msg,
			.off = msg->tx_off,
			.splice = splice,
		};
		bool last = msg->tx_off + len == msg->length;
		int err;

		if (rel && (!u.every || roce_psn_diff(psn, u.room) >= 0)) {
			if (must_wait(rc, psn)) {
				*wait = true;
				return 0;
			}
			u = look(rc);
			sending(rc, psn, behind);
		}
		/* Those in the middle are all alike. */
		if (!middle || last)
			data_hdr(rc, msg, &h, psn, len);
		else
			h.psn = psn;
		middle = msg->tx_off && !last;
		h.ackreq = rel && want_ack(rc, &u, psn, last);
		err = roce_tx_packet(rc, &h, &pl);
		if (err)
			return err;
		packed(rc, psn);
		msg->tx_off += len;
	} while (msg->tx_off < end);
	count_bytes(rc, splice, msg->tx_off - from);
	return 0;
}

/* Answers that came while it waited may have made (a part of) it superfluous. */
static bool skip_acked(struct roce_conn *rc, struct rxt_msg *msg)
{
	u32 first = msg->be[0] & ROCE_MASK24, una;
	s32 n;

	if (rc->conn.type != IB_QPT_RC)
		return false;
	spin_lock_bh(&rc->lock);
	una = rc->req.w.una;
	spin_unlock_bh(&rc->lock);
	n = roce_psn_diff(una, first);
	if (n >= (s32)msg->be[1])
		return true;
	if (n > 0 && n << rc->mtu_shift > msg->tx_off)
		msg->tx_off = n << rc->mtu_shift;
	return false;
}

/* What an error of a packet means for ->xmit(). */
static int xmit_error(struct roce_conn *rc, int err)
{
	/* No route is as good as a packet that got lost: the timer decides, or
	 * nobody.
	 */
	if (err != -ENOBUFS && rc->conn.type != IB_QPT_RC)
		return RXT_TX_DONE;
	if (err != -ENOBUFS || READ_ONCE(rc->timer.stalled)) {
		spin_lock_bh(&rc->lock);
		roce_timer_expect(rc);
		roce_timer_stall(rc);
		spin_unlock_bh(&rc->lock);
		return RXT_TX_BLOCKED;
	}
	return -ENOBUFS;
}

static int xmit_request(struct roce_conn *rc, struct rxt_msg *msg)
{
	u32 length = msg->length;
	bool wait = false;
	int err;

	if (READ_ONCE(rc->timer.lost))
		return -ENOTCONN;
	if (!(msg->be[0] & BE_ASSIGNED)) {
		err = assign(rc, msg);
		if (err)
			return err == -EAGAIN ? RXT_TX_WAIT : err;
	}
	if (skip_acked(rc, msg))
		return RXT_TX_DONE;
	switch (msg->op) {
	case RXT_OP_READ:
		err = xmit_read(rc, msg, &wait);
		length = msg->rd_length;
		break;
	case RXT_OP_CMP_SWP:
	case RXT_OP_FETCH_ADD:
	case RXT_OP_ATOMIC_WRITE:
		err = xmit_atomic(rc, msg);
		break;
	default:
		err = rxt_msg_enter(msg);
		if (err)
			return err;
		err = xmit_packets(rc, msg, &wait);
		rxt_msg_exit(msg);
	}
	if (err)
		return xmit_error(rc, err);
	if (wait)
		return RXT_TX_WAIT;
	return msg->tx_off < length ? RXT_TX_MORE : RXT_TX_DONE;
}

/* ---- answers ---- */

static void answer_hdr(const struct roce_conn *rc, struct roce_hdr *h, u8 opcode,
		       u32 psn, u32 msn, u32 len)
{
	hdr_init(rc, h, opcode, psn, len);
	h->syndrome = ROCE_SYN_ACK | ROCE_SYN_NO_CREDIT;
	h->msn = msn;
}

static int xmit_atomic_resp(struct roce_conn *rc, struct rxt_msg *msg)
{
	struct roce_payload pl = {};
	struct roce_hdr h;
	int err;

	answer_hdr(rc, &h, ROCE_ATOMIC_ACK, roce_cookie_psn(msg->cookie),
		   roce_cookie_msn(msg->cookie), 0);
	h.orig = msg->swap_add;
	err = roce_tx_packet(rc, &h, &pl);
	return err ? xmit_error(rc, err) : RXT_TX_DONE;
}

/* A unit of a READ response; msg is entered. */
static int read_packets(struct roce_conn *rc, struct rxt_msg *msg)
{
	u32 first = roce_cookie_psn(msg->cookie);
	u32 msn = roce_cookie_msn(msg->cookie);
	bool splice = may_splice(rc, msg);
	bool middle = false;
	struct roce_hdr h;
	u32 done = 0;

	do {
		u32 len = min(msg->length - msg->tx_off, roce_mtu(rc));
		u32 psn = roce_psn_add(first, msg->tx_off >> rc->mtu_shift);
		bool last = msg->tx_off + len == msg->length;
		struct roce_payload pl = {
			.msg = msg,
			.off = msg->tx_off,
			.splice = splice,
		};
		int err;

		if (!middle || last)
			answer_hdr(rc, &h,
				   roce_data_opcode(ROCE_RC, RXT_OP_READ_RESP,
						    !msg->tx_off, last),
				   psn, msn, len);
		else
			h.psn = psn;
		middle = msg->tx_off && !last;
		err = roce_tx_packet(rc, &h, &pl);
		if (err)
			return err;
		msg->tx_off += len;
		done += len;
	} while (msg->tx_off < msg->length && done < UNIT);
	count_bytes(rc, splice, done);
	return 0;
}

static int xmit_read_resp(struct roce_conn *rc, struct rxt_msg *msg)
{
	u32 from = msg->tx_off;
	int err;

	if (roce_resp_stale(rc, msg->cookie))
		return RXT_TX_DONE;
	err = rxt_msg_enter(msg);
	if (err == -ENOBUFS)
		return err;
	if (err) {
		spin_lock_bh(&rc->lock);
		roce_resp_refuse(rc, roce_psn_add(roce_cookie_psn(msg->cookie),
						  from >> rc->mtu_shift),
				 RXT_OP_ERROR);
		spin_unlock_bh(&rc->lock);
		return err;
	}
	err = read_packets(rc, msg);
	rxt_msg_exit(msg);
	/* Nobody would ask for what the stack refuses before a time-out. */
	if (!err && msg->tx_off - from > roce_mtu(rc))
		err = roce_tx_flush(rc);
	if (err) {
		msg->tx_off = from;
		return xmit_error(rc, err);
	}
	return msg->tx_off < msg->length ? RXT_TX_MORE : RXT_TX_DONE;
}

/* Take what is due. ACK and NAK may not overtake answers to earlier requests. */
static struct roce_latch take_latch(struct roce_conn *rc, bool last)
{
	struct roce_latch l = {}, *due = &rc->resp.latch;

	spin_lock_bh(&rc->lock);
	if ((due->ack || due->nak) && (!rc->timer.stalled || last) &&
	    (last || rxt_conn_resp_idle(&rc->conn))) {
		l = *due;
		due->ack = false;
		due->nak = false;
	}
	spin_unlock_bh(&rc->lock);
	return l;
}

static void give_back(struct roce_conn *rc, const struct roce_latch *l)
{
	struct roce_latch *due = &rc->resp.latch;

	spin_lock_bh(&rc->lock);
	if (l->ack && !due->ack) {
		due->ack = true;
		due->ack_psn = l->ack_psn;
		due->ack_op = l->ack_op;
	}
	if (l->nak && !due->nak) {
		due->nak = true;
		due->nak_psn = l->nak_psn;
		due->syndrome = l->syndrome;
		due->verdict = l->verdict;
	}
	roce_timer_stall(rc);
	spin_unlock_bh(&rc->lock);
}

static void nak_left(struct roce_conn *rc, enum rxt_verdict verdict)
{
	struct rxt_conn *conn = &rc->conn;

	switch (verdict) {
	case RXT_NOT_READY:
		rxt_count_conn(conn, tx_rnr_nak);
		return;
	case RXT_BAD_REQUEST:
		rxt_conn_error(conn, RXT_ERR_NAK_SENT_REQ);
		break;
	case RXT_BAD_ACCESS:
		rxt_conn_error(conn, RXT_ERR_NAK_SENT_ACC);
		break;
	case RXT_OP_ERROR:
		rxt_conn_error(conn, RXT_ERR_NAK_SENT_OP);
		break;
	default:
		break;
	}
	rxt_count_conn(conn, tx_nak);
}

/**
 * roce_tx_answers - send ACK and NAK that are due, and what is packed
 * @rc: RC, TX token held
 * @last: there is no later chance
 */
void roce_tx_answers(struct roce_conn *rc, bool last)
{
	struct roce_latch l = take_latch(rc, last);
	struct roce_payload pl = {};
	struct roce_hdr h;
	int err = 0;

	if (l.ack && !(l.nak && roce_psn_diff(l.ack_psn, l.nak_psn) < 0)) {
		answer_hdr(rc, &h, l.ack_op, l.ack_psn, rc->resp.msn, 0);
		err = roce_tx_packet(rc, &h, &pl);
		rxt_count_conn(&rc->conn, tx_acks);
	}
	if (l.nak && !err) {
		answer_hdr(rc, &h, ROCE_ACK, l.nak_psn, rc->resp.msn, 0);
		h.syndrome = l.syndrome;
		err = roce_tx_packet(rc, &h, &pl);
	}
	if (!err)
		err = roce_tx_flush(rc);
	if (err && (l.ack || l.nak))
		give_back(rc, &l);
	else if (l.nak)
		nak_left(rc, l.verdict);
}

/* ---- ops ---- */

/* In process context let what was sent to this host be processed now and then. */
static void breathe(struct roce_conn *rc)
{
	if (++rc->tx.units < BREATHE)
		return;
	rc->tx.units = 0;
	local_bh_enable();
	local_bh_disable();
}

int roce_xmit(struct rxt_conn *conn, struct rxt_msg *msg)
{
	struct roce_conn *rc = to_roce(conn);

	breathe(rc);
	if (READ_ONCE(rc->timer.stalled))
		return RXT_TX_BLOCKED;
	switch (msg->op) {
	case RXT_OP_READ_RESP:
		return xmit_read_resp(rc, msg);
	case RXT_OP_ATOMIC_RESP:
		return xmit_atomic_resp(rc, msg);
	default:
		break;
	}
	if (conn->type == IB_QPT_RC || conn->type == IB_QPT_UC)
		return xmit_request(rc, msg);
	return roce_ud_xmit(rc, msg);
}

void roce_xmit_begin(struct rxt_conn *conn, bool inline_bh)
{
	/* What the stack delivers to this host is processed at the end. */
	local_bh_disable();
}

void roce_xmit_end(struct rxt_conn *conn)
{
	struct roce_conn *rc = to_roce(conn);

	if (conn->type == IB_QPT_RC)
		roce_tx_answers(rc, false);
	else
		roce_tx_flush(rc);
	local_bh_enable();
}
