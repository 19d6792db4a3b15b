// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: messages into the stream.
 *
 * What lives here: framing on the way out, staging, ACK and NAK frames. What may
 * not: what arrives (tcp_rx.c), how a connection comes about (tcp_conn.c).
 *
 * Everything that goes out is a page fragment that the stack refers to. Headers,
 * short payload and the last bytes of long payload are written to a stage, a piece
 * of a page; long payload is the memory region's own pages. As each message ends in
 * the stage, the push of the stage at the end of a batch is the doorbell.
 *
 * The stack must not touch pages of a region that the application may use again:
 * it may once the peer acknowledged the message, and until then the core does
 * not complete it. UC knows no such thing, so its payload is copied.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <net/tcp.h>
#include "tcp.h"
#include "tcp_compat.h"

#define STAGE_SIZE	4096
/* Payload up to here is copied: a copy is cheaper than its own fragments. */
#define COPY_MAX	2048
/* Bytes of a long payload that end in the stage, see above. */
#define TAIL_BYTES	64

/* Where stages come from; used with softirqs off. */
static DEFINE_PER_CPU(struct page_frag_cache, stage_cache);

static u8 *stage_alloc(void)
{
	u8 *stage;

	local_bh_disable();
	stage = page_frag_alloc(this_cpu_ptr(&stage_cache), STAGE_SIZE,
				GFP_ATOMIC | __GFP_NOWARN);
	local_bh_enable();
	return stage;
}

static void stage_put(struct rxtcp_tx *tx)
{
	if (tx->stage)
		page_frag_free(tx->stage);
	tx->stage = NULL;
	tx->head = 0;
	tx->tail = 0;
}

void rxtcp_stage_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		rxtcp_frag_cache_drain(per_cpu_ptr(&stage_cache, cpu));
}

/* Why did the stack take nothing? RXT_TX_BLOCKED: it will call. */
static int no_room(struct rxtcp_conn *tc, int err)
{
	if (err != -EAGAIN && err != -ENOMEM && err != -ENOBUFS)
		return -ENOTCONN;
	/* Room in the socket but no memory: nobody will call. */
	if (sk_stream_memory_free(tc->tx.sk))
		return -ENOBUFS;
	return RXT_TX_BLOCKED;
}

static int stage_push_bytes(struct rxtcp_conn *tc, bool more)
{
	struct rxtcp_tx *tx = &tc->tx;
	struct page *page;
	u32 base;
	int n;

	page = virt_to_head_page(tx->stage);
	base = tx->stage - (u8 *)page_address(page);
	while (tx->head < tx->tail) {
		n = rxtcp_send_frag(tx->sk, page, base + tx->head,
				    tx->tail - tx->head, more);
		if (n <= 0)
			return no_room(tc, n);
		tx->head += n;
	}
	return 1;
}

/* Give the stage to the socket. 1: all of it; else as no_room(). */
static inline int stage_push(struct rxtcp_conn *tc, bool more)
{
	return tc->tx.head == tc->tx.tail ? 1 : stage_push_bytes(tc, more);
}

static int stage_next(struct rxtcp_conn *tc)
{
	struct rxtcp_tx *tx = &tc->tx;
	int ret;

	ret = stage_push(tc, true);
	if (ret <= 0)
		return ret;
	stage_put(tx);
	tx->stage = stage_alloc();
	return tx->stage ? 1 : -ENOBUFS;
}

/* Room for @need bytes in the stage. 1: there is; else as no_room(). */
static inline int stage_room(struct rxtcp_conn *tc, u32 need)
{
	if (tc->tx.stage && STAGE_SIZE - tc->tx.tail >= need)
		return 1;
	return stage_next(tc);
}

static void stage_frame(struct rxtcp_conn *tc, const struct rxtcp_frame *f)
{
	struct rxtcp_tx *tx = &tc->tx;

	tx->tail += rxtcp_frame_encode(f, tx->stage + tx->tail);
	/* It carries the newest ACK. */
	tc->rx.ack_due = false;
	rxt_count_conn(&tc->conn, tx_packets);
}

static u32 ack_id(const struct rxtcp_conn *tc)
{
	return tc->conn.type == IB_QPT_UC ? 0 : tc->rx.exp_id - 1;
}

/* An ACK, or a NAK other than RXT_OK, of its own. */
static void send_ctl(struct rxtcp_conn *tc, enum rxt_verdict nak)
{
	struct rxtcp_rx *rx = &tc->rx;
	struct rxtcp_frame f = {
		.opcode = RXT_TCP_RC_ACK,
		.qpn = tc->dest_qpn,
		.id = ack_id(tc),
		.ack = ack_id(tc),
		.syndrome = RXT_TCP_SYN_ACK | RXT_TCP_SYN_NO_CREDIT,
	};

	if (stage_room(tc, RXT_TCP_HDR_MAX) <= 0)
		return;

	if (nak == RXT_OK) {
		rxt_count_conn(&tc->conn, tx_acks);
		stage_frame(tc, &f);
		return;
	}
	f.id = rx->nak_id;
	if (nak == RXT_NOT_READY) {
		f.syndrome = RXT_TCP_SYN_RNR |
			     (rxt_conn_min_rnr_timer(&tc->conn) & RXT_TCP_SYN_VALUE);
		rxt_count_conn(&tc->conn, tx_rnr_nak);
	} else {
		f.syndrome = rxtcp_verdict_syndrome(nak);
		tc->tx.nak_sent = nak;
		rxt_count_conn(&tc->conn, tx_nak);
	}
	rx->nak = RXT_OK;
	stage_frame(tc, &f);
}

/* What is due, if the stream is between frames. A refusal ends the connection: it
 * waits for responses before it, unless @last.
 */
static void emit_ctl(struct rxtcp_conn *tc, bool last)
{
	struct rxtcp_rx *rx = &tc->rx;
	enum rxt_verdict nak = rx->nak;

	if (tc->tx.left)
		return;
	if (nak != RXT_OK && nak != RXT_NOT_READY && !last &&
	    !rxt_conn_resp_idle(&tc->conn))
		nak = RXT_OK;
	if (nak != RXT_OK || (rx->ack_due && (!rx->lazy || last)))
		send_ctl(tc, nak);
}

static bool is_response(u8 op)
{
	return op == RXT_OP_READ_RESP || op == RXT_OP_ATOMIC_RESP;
}

static bool is_answered(u8 op)
{
	return op == RXT_OP_READ || op == RXT_OP_CMP_SWP || op == RXT_OP_FETCH_ADD;
}

/* Remember what is outstanding, for ACKs to be checked and the peer watched. */
static void note_request(struct rxtcp_conn *tc, const struct rxt_msg *msg)
{
	struct rxtcp_tx *tx = &tc->tx;

	if (tc->conn.type == IB_QPT_UC)
		return;
	if (tc->rx.turn)
		rxtcp_ack_turn(tc);
	if (rxtcp_id_after(msg->id, tx->top_id))
		tx->top_id = msg->id;
	if (is_answered(msg->op) && rxtcp_id_after(msg->id, tx->rd_id))
		tx->rd_id = msg->id;
	rxtcp_life_arm(tc);
}

/* Headers of the next frame of @msg. 1: done; else as no_room(), or -EINVAL. */
static int frame_start(struct rxtcp_conn *tc, struct rxt_msg *msg)
{
	struct rxtcp_tx *tx = &tc->tx;
	u32 seg = min(msg->length - msg->tx_off, tx->seg_max);
	struct rxtcp_frame f = {
		.qpn = tc->dest_qpn,
		.id = msg->id,
		.ack = ack_id(tc),
		.len = seg,
		.total = msg->length,
		.va = msg->raddr,
		.rkey = msg->rkey,
		.compare = msg->compare,
		.swap_add = msg->swap_add,
		.syndrome = RXT_TCP_SYN_ACK | RXT_TCP_SYN_NO_CREDIT,
	};
	u8 phase = 0;
	int ret;

	if (!msg->tx_off)
		phase |= RXTCP_FIRST;
	if (msg->tx_off + seg == msg->length) {
		phase |= RXTCP_LAST;
		f.solicited = msg->flags & RXT_MSG_SOLICITED;
	}
	ret = rxtcp_opcode_for(msg->op, phase, tc->conn.type == IB_QPT_UC);
	if (ret < 0)
		return ret;
	f.opcode = ret;
	if (msg->op == RXT_OP_SEND_INV)
		f.inv_rkey = msg->inv_rkey;
	else
		f.imm = msg->imm;
	if (msg->op == RXT_OP_READ) {
		f.total = msg->rd_length;
	} else if (msg->op == RXT_OP_ATOMIC_WRITE) {
		f.len = sizeof(msg->swap_add);
		f.total = f.len;
	}

	ret = stage_room(tc, RXT_TCP_HDR_MAX + sizeof(msg->swap_add));
	if (ret <= 0)
		return ret;
	stage_frame(tc, &f);
	if (msg->op == RXT_OP_ATOMIC_WRITE) {
		memcpy(tx->stage + tx->tail, &msg->swap_add, sizeof(msg->swap_add));
		tx->tail += sizeof(msg->swap_add);
	}
	if (!is_response(msg->op) && !msg->tx_off)
		note_request(tc, msg);
	tx->left = seg;
	tx->splice = seg > COPY_MAX && tc->conn.type != IB_QPT_UC &&
		     rxt_msg_spliceable(msg);
	return 1;
}

static void accepted(struct rxtcp_tx *tx, struct rxt_msg *msg, u32 n)
{
	msg->tx_off += n;
	tx->left -= n;
}

/* Up to @len payload bytes into the stage. */
static int payload_copy(struct rxtcp_conn *tc, struct rxt_msg *msg, u32 len)
{
	struct rxtcp_tx *tx = &tc->tx;
	int ret = stage_room(tc, 1);

	if (ret <= 0)
		return ret;
	len = min_t(u32, len, STAGE_SIZE - tx->tail);
	rxt_msg_copy(msg, msg->tx_off, len, tx->stage + tx->tail);
	tx->tail += len;
	accepted(tx, msg, len);
	rxt_count_conn_add(&tc->conn, copied_bytes, len);
	return 1;
}

/* Up to @len payload bytes as fragments of the region's own pages. */
static int payload_splice(struct rxtcp_conn *tc, struct rxt_msg *msg, u32 len)
{
	struct rxtcp_tx *tx = &tc->tx;
	struct bio_vec bv[16];
	unsigned int i, num;
	u32 got;
	int n;

	n = stage_push(tc, true);
	if (n <= 0)
		return n;
	num = rxt_msg_bvecs(msg, msg->tx_off, len, bv, ARRAY_SIZE(bv), &got);
	if (WARN_ON_ONCE(!num))
		return -EINVAL;
	for (i = 0; i < num; i++) {
		/* Slab memory of a kernel consumer. */
		if (unlikely(!sendpage_ok(bv[i].bv_page)))
			return i ? 1 : payload_copy(tc, msg, bv[i].bv_len);
		n = rxtcp_send_frag(tx->sk, bv[i].bv_page, bv[i].bv_offset,
				    bv[i].bv_len, true);
		if (n <= 0)
			return no_room(tc, n);
		accepted(tx, msg, n);
		rxt_count_conn_add(&tc->conn, zc_bytes, n);
		if (n < bv[i].bv_len)
			return 1;
	}
	return 1;
}

/* The rest of the frame's payload. 1: all of it; else as no_room(). */
static int frame_payload(struct rxtcp_conn *tc, struct rxt_msg *msg)
{
	struct rxtcp_tx *tx = &tc->tx;
	int ret = 1;

	while (tx->left && ret > 0) {
		if (tx->splice && tx->left > TAIL_BYTES)
			ret = payload_splice(tc, msg, tx->left - TAIL_BYTES);
		else
			ret = payload_copy(tc, msg, tx->left);
	}
	return ret;
}

/* The next frame of @msg, or the rest of the one under way. */
static int xmit_frame(struct rxtcp_conn *tc, struct rxt_msg *msg)
{
	struct rxtcp_tx *tx = &tc->tx;
	int ret = rxt_msg_enter(msg);

	if (ret) {
		/* In the middle of a frame nothing can be said any more. */
		if (ret == -EFAULT && !tx->left && is_response(msg->op))
			rxtcp_rx_refuse(tc, msg->id, RXT_OP_ERROR);
		return ret;
	}
	ret = 1;
	if (!tx->left)
		ret = frame_start(tc, msg);
	if (ret > 0)
		ret = frame_payload(tc, msg);
	rxt_msg_exit(msg);
	return ret;
}

static int xmit_not_up(struct rxtcp_conn *tc)
{
	if (READ_ONCE(tc->state) == RXTCP_LOST)
		return tc->conn.type == IB_QPT_UC ? RXT_TX_DONE : -ENOTCONN;
	WRITE_ONCE(tc->life.wanted, true);
	rxtcp_life_arm(tc);
	return RXT_TX_BLOCKED;
}

int rxtcp_xmit(struct rxt_conn *conn, struct rxt_msg *msg)
{
	struct rxtcp_conn *tc = to_rxtcp(conn);
	struct rxtcp_tx *tx = &tc->tx;
	int ret;

	if (!tx->sk)
		return xmit_not_up(tc);
	if (tx->stop <= 0)
		return tx->stop;
	/* Nothing may get between the frames' bytes. */
	if (WARN_ON_ONCE(tx->left && (tx->msg_id != msg->id ||
				      tx->msg_off != msg->tx_off)))
		return -EPROTO;

	ret = xmit_frame(tc, msg);
	tx->msg_id = msg->id;
	tx->msg_off = msg->tx_off;
	if (ret <= 0) {
		tx->stop = ret;
		return ret;
	}
	return msg->tx_off < msg->length ? RXT_TX_MORE : RXT_TX_DONE;
}

/* The socket with a reference, or NULL while frames may not flow. */
struct sock *rxtcp_sk_get(struct rxtcp_conn *tc)
{
	struct sock *sk;

	rcu_read_lock();
	sk = rcu_dereference(tc->sk);
	if (sk && !refcount_inc_not_zero(&sk->sk_refcnt))
		sk = NULL;
	rcu_read_unlock();
	return sk;
}

/* The same, locked. */
struct sock *rxtcp_lock_sk(struct rxtcp_conn *tc)
{
	struct sock *sk = rxtcp_sk_get(tc);

	if (!sk)
		return NULL;
	lock_sock(sk);
	/* It may have been taken away, and even be another one by now. */
	if (rcu_access_pointer(tc->sk) == sk && tc->state == RXTCP_UP)
		return sk;
	release_sock(sk);
	sock_put(sk);
	return NULL;
}

/* From process context the socket is owned, not held by its spinlock as a short batch
 * could: with softirqs on, what is sent to this host is received from inside of the
 * send, before TCP has done its own bookkeeping for it.
 */
static struct sock *batch_lock(struct rxtcp_conn *tc, bool inline_bh)
{
	tc->tx.owned = !inline_bh;
	if (!inline_bh)
		return rxtcp_lock_sk(tc);
	return tc->state == RXTCP_UP ?
	       rcu_dereference_protected(tc->sk, true) : NULL;
}

static void batch_unlock(bool owned, struct sock *sk)
{
	if (!owned)
		return;
	release_sock(sk);
	sock_put(sk);
}

void rxtcp_xmit_begin(struct rxt_conn *conn, bool inline_bh)
{
	struct rxtcp_conn *tc = to_rxtcp(conn);
	struct rxtcp_tx *tx = &tc->tx;

	tx->sk = batch_lock(tc, inline_bh);
	tx->stop = 1;
	/* Perhaps nothing follows: no cork. */
	if (tx->sk)
		tx->stop = stage_push(tc, false);
}

static void report_nak_sent(struct rxtcp_conn *tc, enum rxt_verdict nak)
{
	if (nak == RXT_BAD_REQUEST)
		rxt_conn_error(&tc->conn, RXT_ERR_NAK_SENT_REQ);
	else if (nak == RXT_BAD_ACCESS)
		rxt_conn_error(&tc->conn, RXT_ERR_NAK_SENT_ACC);
	else
		rxt_conn_error(&tc->conn, RXT_ERR_NAK_SENT_OP);
}

void rxtcp_xmit_end(struct rxt_conn *conn)
{
	struct rxtcp_conn *tc = to_rxtcp(conn);
	struct rxtcp_tx *tx = &tc->tx;
	enum rxt_verdict nak = RXT_OK;
	struct sock *sk = tx->sk;

	if (!sk)
		return;
	if (tx->stop != RXT_TX_BLOCKED) {
		emit_ctl(tc, false);
		tx->stop = stage_push(tc, false);
	}
	if (tx->head == tx->tail) {
		stage_put(tx);
		nak = tx->nak_sent;
		tx->nak_sent = RXT_OK;
	} else if (tx->stop == -ENOBUFS) {
		rxtcp_life_retry_soon(tc);
	}
	/* From here on callbacks come from outside. */
	tx->sk = NULL;
	batch_unlock(tx->owned, sk);
	if (nak != RXT_OK)
		report_nak_sent(tc, nak);
}

/**
 * rxtcp_tx_last_words - tell the peer what is latched, as far as it can be now
 * @tc: connection; caller holds the TX token
 * @sk: its socket, locked
 *
 * Return: a refusal went to the socket.
 */
bool rxtcp_tx_last_words(struct rxtcp_conn *tc, struct sock *sk)
{
	struct rxtcp_tx *tx = &tc->tx;
	int ret;

	tx->sk = sk;
	emit_ctl(tc, true);
	ret = stage_push(tc, false);
	tx->sk = NULL;
	return ret > 0 && (tx->nak_sent != RXT_OK || tc->rx.refused);
}

/* Caller holds the TX token, or the socket lock of a connection that is not up. */
void rxtcp_tx_reset(struct rxtcp_conn *tc)
{
	stage_put(&tc->tx);
	tc->tx = (struct rxtcp_tx) {
		.seg_max = RXT_TCP_SEG_MAX,
		.stop = 1,
		.nak_sent = RXT_OK,
	};
}

/* sk->sk_write_space; socket locked. Also called from inside of our own sends. */
void rxtcp_write_space(struct sock *sk)
{
	struct rxtcp_conn *tc = rxtcp_sk_user(sk);

	if (!tc || tc->tx.sk || !sk_stream_is_writeable(sk))
		return;
	if (sk->sk_socket)
		clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	rxt_tx_ready(&tc->conn, RXT_TX_INLINE);
}
