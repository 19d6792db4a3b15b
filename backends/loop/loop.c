// SPDX-License-Identifier: GPL-2.0
/*
 * rxt: the loop backend, the smallest transport there is.
 *
 * What lives here: RC and UC between QPs of loop devices in one network
 * namespace, through queues in memory. It is the template for a new backend and
 * what the test suites drive the core with. What may not: anything fast, clever
 * or only needed by one other backend.
 *
 * How it works
 *  - ->xmit() copies one segment into a packet and appends it to the inbound
 *    queue of the peer, whose work makes the RX up-calls. Only a connection's own
 *    work makes them, so they are serialised, and ->conn_stop() ends them (S4)
 *    by cancelling that work.
 *  - ACKs and NAKs are no packets: RX latches them in loop_conn.out, ->xmit_end()
 *    merges them into the peer's loop_conn.in. So RX never allocates or waits.
 *  - A full inbound queue blocks the sender; the work that empties it wakes the
 *    sender's work, which calls rxt_tx_ready().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rxt/backend.h>

/* A packet fills a 16 KiB slab object: offsets of segments are odd on purpose. */
#define LOOP_PKT_SIZE	16384
#define LOOP_SEG	(LOOP_PKT_SIZE - sizeof(struct loop_pkt))
#define LOOP_QUEUE_MAX	64

/**
 * struct loop_pkt - one segment of a message on its way
 * @node: in loop_conn.inq
 * @hdr: header of the whole message, the same in each segment
 * @off: where this segment begins in the message
 * @len: bytes in @data
 * @data: payload
 */
struct loop_pkt {
	struct list_head	node;
	struct rxt_hdr		hdr;
	u32			off;
	u32			len;
	u8			data[];
};

/**
 * struct loop_ctl - what travels beside the packets
 * @ack: every request up to here was accepted, if @acked
 * @acked: @ack is valid
 * @nak: RXT_OK: none, RXT_NOT_READY: RNR, others: refused
 * @nak_id: the request that @nak is about
 * @timer: RNR timer code
 * @ready: there is room, or a peer
 * @lost: the peer is gone
 */
struct loop_ctl {
	u32			ack;
	bool			acked;
	enum rxt_verdict	nak;
	u32			nak_id;
	u8			timer;
	bool			ready;
	bool			lost;
};

/**
 * struct loop_conn - the loop half of a QP
 * @conn: what the core knows
 * @hash: in loop_conns by QPN, while @open
 * @peer: the other half, NULL when there is none (yet)
 * @open: RTR or beyond
 * @lost: @peer was there and is gone
 * @blocked: @peer found @inq full
 * @in: from the peer
 * @inq: packets from the peer
 * @inq_len: packets in @inq
 * @out: latched for the peer
 * @path: who the peer is
 * @dest_qpn: who the peer is
 * @lost_after: jiffies after which a missing peer is a lost one, 0 = never
 * @sent: newest request wholly handed over (TX token)
 * @acked: newest request acknowledged (@work)
 * @work: makes the up-calls
 * @lost_work: the peer did not turn up
 * @rx_req: open request (@work)
 * @rx_resp: open response (@work)
 * @exp_id: request expected next (@work)
 * @exp_off: offset expected next, U32_MAX: no more of this message (@work)
 * @refused: a NAK is latched: the rest is not looked at (@work)
 *
 * @hash to @out, @path and @dest_qpn are guarded by loop_lock.
 */
struct loop_conn {
	struct rxt_conn		conn;
	struct hlist_node	hash;
	struct loop_conn	*peer;
	bool			open;
	bool			lost;
	bool			blocked;
	struct loop_ctl		in;
	struct list_head	inq;
	unsigned int		inq_len;
	struct loop_ctl		out;
	struct rxt_path		path;
	u32			dest_qpn;
	unsigned long		lost_after;
	u32			sent;
	u32			acked;
	struct work_struct	work;
	struct delayed_work	lost_work;
	struct rxt_rx		*rx_req;
	struct rxt_rx		*rx_resp;
	u32			exp_id;
	u32			exp_off;
	bool			refused;
};

/* Guards loop_conns, the pairing, and the queues of all connections. Leaf lock. */
static DEFINE_SPINLOCK(loop_lock);
static DEFINE_HASHTABLE(loop_conns, 10);
static struct workqueue_struct *loop_wq;

static struct loop_conn *to_loop(const struct rxt_conn *conn)
{
	return container_of(conn, struct loop_conn, conn);
}

/* Not after ->conn_stop() began: it cancels the work. */
static void loop_wake(struct loop_conn *lc)
{
	lockdep_assert_held(&loop_lock);
	if (lc->open)
		queue_work(loop_wq, &lc->work);
}

/* Hand the latched answers over. Returns the refusal that went out, or RXT_OK.
 * @last: there is no later chance, not even after the responses.
 */
static enum rxt_verdict loop_emit(struct loop_conn *lc, bool last)
{
	enum rxt_verdict nak = lc->out.nak;
	struct loop_conn *peer = lc->peer;

	lockdep_assert_held(&loop_lock);
	if (!peer)
		return RXT_OK;
	if (lc->out.acked) {
		lc->out.acked = false;
		peer->in.acked = true;
		peer->in.ack = lc->out.ack;
		rxt_count_conn(&lc->conn, tx_acks);
		loop_wake(peer);
	}
	if (nak == RXT_OK ||
	    (nak != RXT_NOT_READY && !last && !rxt_conn_resp_idle(&lc->conn)))
		return RXT_OK;
	lc->out.nak = RXT_OK;
	peer->in.nak = nak;
	peer->in.nak_id = lc->out.nak_id;
	peer->in.timer = lc->out.timer;
	loop_wake(peer);
	if (nak == RXT_NOT_READY) {
		rxt_count_conn(&lc->conn, tx_rnr_nak);
		return RXT_OK;
	}
	rxt_count_conn(&lc->conn, tx_nak);
	return nak;
}

static void loop_latch_nak(struct loop_conn *lc, u32 id, enum rxt_verdict nak)
{
	spin_lock_bh(&loop_lock);
	lc->out.nak = nak;
	lc->out.nak_id = id;
	lc->out.timer = rxt_conn_min_rnr_timer(&lc->conn);
	spin_unlock_bh(&loop_lock);
}

static void loop_xmit_end(struct rxt_conn *conn)
{
	enum rxt_verdict nak;

	spin_lock_bh(&loop_lock);
	nak = loop_emit(to_loop(conn), false);
	spin_unlock_bh(&loop_lock);
	if (nak == RXT_BAD_REQUEST)
		rxt_conn_error(conn, RXT_ERR_NAK_SENT_REQ);
	else if (nak == RXT_BAD_ACCESS)
		rxt_conn_error(conn, RXT_ERR_NAK_SENT_ACC);
	else if (nak == RXT_OP_ERROR)
		rxt_conn_error(conn, RXT_ERR_NAK_SENT_OP);
}

/* 1: there is a peer with room; 0: wait; -ENOTCONN. */
static int loop_may_send(struct loop_conn *lc)
{
	int ret = 0;

	spin_lock_bh(&loop_lock);
	if (lc->peer && lc->peer->inq_len < LOOP_QUEUE_MAX)
		ret = 1;
	else if (lc->peer)
		lc->peer->blocked = true;
	else if (lc->lost)
		ret = -ENOTCONN;
	else if (lc->open && lc->lost_after)
		queue_delayed_work(loop_wq, &lc->lost_work, lc->lost_after);
	spin_unlock_bh(&loop_lock);
	return ret;
}

static struct loop_pkt *loop_pkt_new(const struct rxt_msg *msg, u32 len)
{
	struct loop_pkt *pkt;

	pkt = kmalloc(struct_size(pkt, data, len), GFP_ATOMIC | __GFP_NOWARN);
	if (!pkt)
		return NULL;
	pkt->off = msg->tx_off;
	pkt->len = len;
	pkt->hdr = (struct rxt_hdr) {
		.op = msg->op,
		.solicited = msg->flags & RXT_MSG_SOLICITED,
		.msg_id = msg->id,
		.length = msg->op == RXT_OP_READ ? msg->rd_length : msg->length,
		.inv_rkey = msg->inv_rkey,
		.rkey = msg->rkey,
		.raddr = msg->raddr,
		.compare = msg->compare,
		.swap_add = msg->swap_add,
	};
	return pkt;
}

static void loop_deliver(struct loop_conn *lc, struct loop_pkt *pkt)
{
	spin_lock_bh(&loop_lock);
	if (lc->peer) {
		list_add_tail(&pkt->node, &lc->peer->inq);
		lc->peer->inq_len++;
		loop_wake(lc->peer);
		pkt = NULL;
	}
	spin_unlock_bh(&loop_lock);
	kfree(pkt);	/* lost with its peer, who says so to our work */
}

static bool loop_is_response(u8 op)
{
	return op == RXT_OP_READ_RESP || op == RXT_OP_ATOMIC_RESP;
}

static int loop_xmit(struct rxt_conn *conn, struct rxt_msg *msg)
{
	struct loop_conn *lc = to_loop(conn);
	struct loop_pkt *pkt;
	u32 len;
	int ret;

	ret = loop_may_send(lc);
	if (ret <= 0)
		return ret < 0 && conn->type == IB_QPT_UC ? RXT_TX_DONE : ret;

	len = min_t(u32, msg->length - msg->tx_off, LOOP_SEG);
	pkt = loop_pkt_new(msg, len);
	if (!pkt)
		return -ENOBUFS;
	if (len) {
		ret = rxt_msg_enter(msg);
		if (ret == -EFAULT)
			goto fault;
		if (ret) {
			kfree(pkt);
			return ret;
		}
		rxt_msg_copy(msg, msg->tx_off, len, pkt->data);
		rxt_msg_exit(msg);
	}
	loop_deliver(lc, pkt);
	rxt_count_conn(conn, tx_packets);
	msg->tx_off += len;
	if (msg->tx_off < msg->length)
		return RXT_TX_MORE;
	if (!loop_is_response(msg->op))
		lc->sent = msg->id;
	return RXT_TX_DONE;

fault:
	kfree(pkt);
	/* The core stops the connection now, and with that the NAK leaves. */
	if (loop_is_response(msg->op))
		loop_latch_nak(lc, msg->id, RXT_OP_ERROR);
	return -EFAULT;
}

/* One segment into the context *@rx, which the first one opens. */
static enum rxt_verdict loop_rx_payload(struct loop_conn *lc, const struct loop_pkt *pkt,
					struct rxt_rx **rx)
{
	enum rxt_verdict verdict;
	int err;

	if (!pkt->off) {
		verdict = rxt_rx_begin(&lc->conn, &pkt->hdr, rx);
		if (verdict != RXT_OK)
			*rx = NULL;
		if (!*rx)
			return verdict;
	}
	if (pkt->len) {
		err = rxt_rx_place_buf(*rx, pkt->off, pkt->data, pkt->len);
		if (err) {
			verdict = rxt_rx_place_verdict(*rx, err);
			*rx = NULL;
			return verdict;
		}
	}
	if (pkt->off + pkt->len < pkt->hdr.length)
		return RXT_OK;
	verdict = rxt_rx_end(*rx, &pkt->hdr);
	*rx = NULL;
	return verdict;
}

static enum rxt_verdict loop_rx_execute(struct loop_conn *lc, const struct loop_pkt *pkt)
{
	u64 orig;

	switch (pkt->hdr.op) {
	case RXT_OP_READ:
		return rxt_rx_read(&lc->conn, &pkt->hdr, 0, 0);
	case RXT_OP_CMP_SWP:
	case RXT_OP_FETCH_ADD:
	case RXT_OP_ATOMIC_WRITE:
		return rxt_rx_atomic(&lc->conn, &pkt->hdr, 0, 0, &orig);
	default:
		return loop_rx_payload(lc, pkt, &lc->rx_req);
	}
}

/* UC: no answers; what does not fit is dropped up to the next message. */
static void loop_rx_uc(struct loop_conn *lc, const struct loop_pkt *pkt)
{
	if (!pkt->off)
		lc->exp_off = 0;
	if (pkt->off != lc->exp_off) {
		rxt_count_conn(&lc->conn, rx_discarded);
		return;
	}
	lc->exp_off += pkt->len;
	if (loop_rx_payload(lc, pkt, &lc->rx_req) != RXT_OK)
		lc->exp_off = U32_MAX;
}

/* Returns whether an answer is latched. */
static bool loop_rx_rc(struct loop_conn *lc, const struct loop_pkt *pkt)
{
	u32 id = pkt->hdr.msg_id;
	enum rxt_verdict verdict;

	/* What was sent behind a request that we were not ready for comes again. */
	if (lc->refused || id != lc->exp_id || pkt->off != lc->exp_off) {
		rxt_count_conn(&lc->conn, rx_discarded);
		return false;
	}
	verdict = loop_rx_execute(lc, pkt);
	if (verdict == RXT_DROP)
		return false;
	if (verdict != RXT_OK) {
		lc->exp_off = 0;
		lc->refused = verdict != RXT_NOT_READY;
		loop_latch_nak(lc, id, verdict);
		return true;
	}
	lc->exp_off += pkt->len;
	if (pkt->hdr.op != RXT_OP_READ && lc->exp_off < pkt->hdr.length)
		return false;
	lc->exp_off = 0;
	lc->exp_id++;
	spin_lock_bh(&loop_lock);
	lc->out.acked = true;
	lc->out.ack = id;
	spin_unlock_bh(&loop_lock);
	return true;
}

static void loop_rx_response(struct loop_conn *lc, const struct loop_pkt *pkt)
{
	enum rxt_verdict verdict;

	if (pkt->off && !lc->rx_resp)
		return;
	if (pkt->hdr.op == RXT_OP_ATOMIC_RESP)
		verdict = rxt_rx_atomic_resp(&lc->conn, pkt->hdr.msg_id, pkt->hdr.swap_add);
	else
		verdict = loop_rx_payload(lc, pkt, &lc->rx_resp);
	if (verdict == RXT_OK)
		return;
	lc->rx_resp = NULL;
	if (verdict == RXT_BAD_REQUEST)
		rxt_conn_error(&lc->conn, RXT_ERR_PROTOCOL);
}

static void loop_rx_ctl(struct loop_conn *lc, const struct loop_ctl *in)
{
	struct rxt_conn *conn = &lc->conn;

	if (in->acked) {
		rxt_count_conn(conn, rx_acks);
		lc->acked = in->ack;
		rxt_tx_acked(conn, in->ack);
	}
	if (in->nak == RXT_NOT_READY)
		rxt_conn_rnr(conn, in->nak_id, 0, in->timer);
	else if (in->nak != RXT_OK)
		rxt_conn_nak(conn, in->nak_id, in->nak);
	if (in->lost && conn->type == IB_QPT_RC)
		rxt_conn_error(conn, RXT_ERR_LOST);
}

static void loop_work(struct work_struct *work)
{
	struct loop_conn *lc = container_of(work, struct loop_conn, work);
	struct loop_pkt *pkt, *next;
	struct loop_ctl in;
	LIST_HEAD(batch);
	bool answer = false;

	spin_lock_bh(&loop_lock);
	list_splice_init(&lc->inq, &batch);
	lc->inq_len = 0;
	in = lc->in;
	lc->in = (struct loop_ctl) { };
	if (lc->peer && lc->blocked) {
		lc->peer->in.ready = true;
		loop_wake(lc->peer);
	}
	lc->blocked = false;
	spin_unlock_bh(&loop_lock);

	list_for_each_entry_safe(pkt, next, &batch, node) {
		rxt_count_conn(&lc->conn, rx_packets);
		if (loop_is_response(pkt->hdr.op))
			loop_rx_response(lc, pkt);
		else if (lc->conn.type == IB_QPT_UC)
			loop_rx_uc(lc, pkt);
		else
			answer |= loop_rx_rc(lc, pkt);
		kfree(pkt);
	}
	/* After the packets: a NAK must not overtake the responses before it. */
	loop_rx_ctl(lc, &in);
	if (answer || in.ready || rxt_tx_wanted(&lc->conn))
		rxt_tx_ready(&lc->conn, RXT_TX_INLINE);
}

static void loop_lost_work(struct work_struct *work)
{
	struct loop_conn *lc = container_of(work, struct loop_conn, lost_work.work);
	bool lost;

	spin_lock_bh(&loop_lock);
	lost = lc->open && !lc->peer;
	if (lost && !lc->lost) {
		lc->lost = true;
		lc->in.lost = true;
		lc->in.ready = true;
		loop_wake(lc);
	}
	spin_unlock_bh(&loop_lock);
}

static bool loop_match(const struct loop_conn *a, const struct loop_conn *b)
{
	return !b->peer && !b->lost && a->dest_qpn == b->conn.qpn &&
	       a->conn.type == b->conn.type &&
	       !memcmp(&a->path.dgid, &b->path.sgid, sizeof(union ib_gid)) &&
	       net_eq(rxt_dev_net(a->conn.dev), rxt_dev_net(b->conn.dev));
}

/* Both name each other: from here on they are connected. */
static void loop_pair(struct loop_conn *lc)
{
	struct loop_conn *peer;

	lockdep_assert_held(&loop_lock);
	hash_for_each_possible(loop_conns, peer, hash, lc->dest_qpn) {
		if (!loop_match(lc, peer) || !loop_match(peer, lc))
			continue;
		lc->peer = peer;
		peer->peer = lc;
		lc->in.ready = true;
		peer->in.ready = true;
		loop_wake(lc);
		loop_wake(peer);
		rxt_count_conn(&lc->conn, connects);
		rxt_count_conn(&peer->conn, accepts);
		rxt_conn_up(&lc->conn);
		rxt_conn_up(&peer->conn);
		return;
	}
}

static unsigned long loop_lost_after(const struct rxt_qp_attr *attr)
{
	u64 ns = 4096ULL << attr->timeout;

	if (!attr->timeout)
		return 0;
	return nsecs_to_jiffies(ns * (attr->retry_cnt + 1)) + 1;
}

static int loop_conn_modify(struct rxt_conn *conn, const struct rxt_qp_attr *attr, int mask)
{
	struct loop_conn *lc = to_loop(conn);

	spin_lock_bh(&loop_lock);
	lc->lost_after = loop_lost_after(attr);
	if ((mask & IB_QP_STATE) && attr->state == IB_QPS_RTR && !lc->open) {
		lc->path = attr->path;
		lc->dest_qpn = attr->dest_qpn;
		lc->open = true;
		hash_add(loop_conns, &lc->hash, conn->qpn);
		loop_pair(lc);
	}
	spin_unlock_bh(&loop_lock);
	return 0;
}

static void loop_conn_reset(struct loop_conn *lc)
{
	lc->peer = NULL;
	lc->lost = false;
	lc->blocked = false;
	lc->in = (struct loop_ctl) { };
	lc->out = (struct loop_ctl) { };
	INIT_LIST_HEAD(&lc->inq);
	lc->inq_len = 0;
	lc->sent = 0;
	lc->acked = 0;
	lc->rx_req = NULL;
	lc->rx_resp = NULL;
	lc->exp_id = 1;
	lc->exp_off = 0;
	lc->refused = false;
}

static void loop_conn_stop(struct rxt_conn *conn)
{
	struct loop_conn *peer, *lc = to_loop(conn);
	struct loop_pkt *pkt, *next;
	LIST_HEAD(rest);

	spin_lock_bh(&loop_lock);
	if (lc->open)
		hash_del(&lc->hash);
	lc->open = false;	/* nobody queues the works any more */
	spin_unlock_bh(&loop_lock);
	cancel_work_sync(&lc->work);
	cancel_delayed_work_sync(&lc->lost_work);

	spin_lock_bh(&loop_lock);
	loop_emit(lc, true);
	peer = lc->peer;	/* may be itself */
	if (peer) {
		peer->peer = NULL;
		peer->lost = true;
		peer->in.lost = true;
		peer->in.ready = true;
		loop_wake(peer);
	}
	list_splice_init(&lc->inq, &rest);
	loop_conn_reset(lc);
	spin_unlock_bh(&loop_lock);

	list_for_each_entry_safe(pkt, next, &rest, node)
		kfree(pkt);
}

static struct rxt_conn *loop_conn_alloc(struct rxt_dev *dev, enum ib_qp_type type)
{
	struct loop_conn *lc = kzalloc(sizeof(*lc), GFP_KERNEL);

	if (!lc)
		return ERR_PTR(-ENOMEM);
	INIT_WORK(&lc->work, loop_work);
	INIT_DELAYED_WORK(&lc->lost_work, loop_lost_work);
	loop_conn_reset(lc);
	return &lc->conn;
}

static void loop_conn_free(struct rxt_conn *conn)
{
	kfree(to_loop(conn));
}

static void loop_conn_query(struct rxt_conn *conn, struct rxt_conn_info *info)
{
	struct loop_conn *lc = to_loop(conn);

	spin_lock_bh(&loop_lock);
	info->established = lc->peer;
	info->unacked = conn->type == IB_QPT_RC ? READ_ONCE(lc->sent) - READ_ONCE(lc->acked) : 0;
	snprintf(info->desc, sizeof(info->desc), "qp %u%s", lc->dest_qpn,
		 lc->peer ? "" : lc->lost ? ", lost" : ", not there");
	spin_unlock_bh(&loop_lock);
}

/* A device is nothing but its connections. */
static int loop_dev_attach(struct rxt_dev *dev)
{
	return 0;
}

static void loop_dev_detach(struct rxt_dev *dev)
{
}

static struct rxt_backend loop_backend = {
	.xmit		= loop_xmit,
	.xmit_end	= loop_xmit_end,
	.conn_alloc	= loop_conn_alloc,
	.conn_modify	= loop_conn_modify,
	.conn_stop	= loop_conn_stop,
	.conn_free	= loop_conn_free,
	.conn_query	= loop_conn_query,
	.dev_attach	= loop_dev_attach,
	.dev_detach	= loop_dev_detach,
	.name		= "loop",
	.owner		= THIS_MODULE,
	.caps		= RXT_CAP_RC | RXT_CAP_UC | RXT_CAP_XMIT_BH,
	.max_mtu	= IB_MTU_4096,
};

static int __init loop_init(void)
{
	int ret;

	loop_wq = alloc_workqueue("rxt_loop", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!loop_wq)
		return -ENOMEM;
	ret = rxt_backend_register(&loop_backend);
	if (ret)
		destroy_workqueue(loop_wq);
	return ret;
}

static void __exit loop_exit(void)
{
	rxt_backend_unregister(&loop_backend);
	destroy_workqueue(loop_wq);
}

module_init(loop_init);
module_exit(loop_exit);

MODULE_DESCRIPTION("rxt: RDMA in memory, within one network namespace");
MODULE_LICENSE("GPL");
MODULE_ALIAS("rxt-backend-loop");
MODULE_ALIAS("rdma-link-rxt-loop");
