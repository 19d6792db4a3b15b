// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: the responder's answers: READ responses and atomic results, queued in
 * a ring whose size the peer was told (max_dest_rd_atomic).
 *
 * What lives here: everything under qp->resp_lock. RX fills, the TX token owner
 * drains; RX never waits.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include "internal.h"
#include "trace.h"

/* A peer may ask again when the last byte is out, before we have tidied up. */
#define RESP_SLACK	4

static size_t resp_size(void)
{
	return ALIGN(sizeof(struct rxt_msg) + sizeof(struct rxt_seg), 8);
}

/**
 * rxt_resp_prepare - make room for answers
 * @qp: not receiving yet, qp->mutex held
 * @depth: READs and atomics that the peer may have out
 *
 * Return: 0 or -ENOMEM.
 */
int rxt_resp_prepare(struct rxt_qp *qp, unsigned int depth)
{
	unsigned int i, n = depth ? depth + RESP_SLACK : 0;
	void *mem = NULL;

	if (n) {
		/* As many again for what is asked for again. */
		mem = kvcalloc(2 * n, resp_size(), GFP_KERNEL);
		if (!mem)
			return -ENOMEM;
	}
	spin_lock_bh(&qp->resp_lock);
	swap(mem, qp->resp_mem);
	INIT_LIST_HEAD(&qp->resp);
	INIT_LIST_HEAD(&qp->resp_pool);
	memset(qp->resp_out, 0, sizeof(qp->resp_out));
	qp->resp_max = n;
	for (i = 0; i < 2 * n; i++) {
		struct rxt_msg *msg = qp->resp_mem + i * resp_size();

		list_add_tail(&msg->node, &qp->resp_pool);
	}
	spin_unlock_bh(&qp->resp_lock);
	kvfree(mem);
	return 0;
}

/* NULL: the peer has more out than was agreed, or asks again and again faster than
 * it is answered; what it asks for again takes no room from what is new.
 */
static struct rxt_msg *resp_get(struct rxt_qp *qp, u8 op,
				const struct rxt_hdr *hdr, u64 cookie,
				unsigned int flags)
{
	bool replay = flags & RXT_RX_REPLAY;
	struct rxt_msg *msg = NULL;

	spin_lock_bh(&qp->resp_lock);
	if (qp->resp_out[replay] < qp->resp_max)
		msg = list_first_entry_or_null(&qp->resp_pool, struct rxt_msg,
					       node);
	if (msg) {
		list_del(&msg->node);
		qp->resp_out[replay]++;
	}
	spin_unlock_bh(&qp->resp_lock);
	if (!msg)
		return NULL;
	memset(msg, 0, resp_size());
	msg->qp = qp;
	msg->op = op;
	msg->id = hdr->msg_id;
	msg->cookie = cookie;
	msg->state = replay ? RXT_MS_REPLAY : RXT_MS_QUEUED;
	return msg;
}

static void resp_put(struct rxt_qp *qp, struct rxt_msg *msg)
{
	lockdep_assert_held(&qp->resp_lock);
	qp->resp_out[msg->state == RXT_MS_REPLAY]--;
	list_add_tail(&msg->node, &qp->resp_pool);
}

static void resp_queue(struct rxt_qp *qp, struct rxt_msg *msg)
{
	spin_lock_bh(&qp->resp_lock);
	list_add_tail(&msg->node, &qp->resp);
	spin_unlock_bh(&qp->resp_lock);
	set_bit(RXT_QP_TX_WANT, &qp->flags);
}

/**
 * rxt_resp_head - the answer to send next
 * @qp: TX token held, so it stays
 *
 * Return: the oldest, or NULL.
 */
struct rxt_msg *rxt_resp_head(struct rxt_qp *qp)
{
	struct rxt_msg *msg;

	spin_lock_bh(&qp->resp_lock);
	msg = list_first_entry_or_null(&qp->resp, struct rxt_msg, node);
	spin_unlock_bh(&qp->resp_lock);
	return msg;
}

/**
 * rxt_resp_done - an answer was handed over whole
 * @qp: TX token held
 * @msg: rxt_resp_head()
 */
void rxt_resp_done(struct rxt_qp *qp, struct rxt_msg *msg)
{
	if (msg->op == RXT_OP_READ_RESP) {
		rxt_count_qp(qp, tx_read_resp);
		rxt_count_qp_add(qp, tx_bytes, msg->length);
	}
	rxt_msg_put_mrs(msg);
	spin_lock_bh(&qp->resp_lock);
	list_del(&msg->node);
	resp_put(qp, msg);
	spin_unlock_bh(&qp->resp_lock);
}

/**
 * rxt_resp_drop_all - forget all answers
 * @qp: TX token held, no up-call can come
 */
void rxt_resp_drop_all(struct rxt_qp *qp)
{
	struct rxt_msg *msg;

	spin_lock_bh(&qp->resp_lock);
	list_for_each_entry(msg, &qp->resp, node)
		rxt_msg_put_mrs(msg);
	list_splice_init(&qp->resp, &qp->resp_pool);
	memset(qp->resp_out, 0, sizeof(qp->resp_out));
	spin_unlock_bh(&qp->resp_lock);
}

bool rxt_conn_resp_idle(const struct rxt_conn *conn)
{
	return list_empty_careful(&conn->qp->resp);
}
EXPORT_SYMBOL_GPL(rxt_conn_resp_idle);

static enum rxt_verdict take_read(struct rxt_qp *qp, const struct rxt_hdr *hdr,
				  u64 cookie, unsigned int flags)
{
	enum rxt_verdict v;
	struct rxt_mr *mr;
	struct rxt_msg *msg;

	v = rxt_rx_region(qp, hdr, IB_ACCESS_REMOTE_READ, &mr);
	if (v != RXT_OK)
		return v;
	msg = resp_get(qp, RXT_OP_READ_RESP, hdr, cookie, flags);
	if (!msg) {
		if (mr)
			rxt_mr_put(mr);
		return rxt_rx_bad_request(qp);
	}
	msg->length = hdr->length;
	if (mr) {
		msg->num_seg = 1;
		msg->seg[0].addr = hdr->raddr;
		msg->seg[0].length = hdr->length;
		msg->seg[0].mr = mr;
		if (rxt_mr_paged(mr))
			msg->flags |= RXT_MSG_PAGED;
	}
	if (!(flags & RXT_RX_REPLAY))
		rxt_count_qp(qp, rx_msgs);
	resp_queue(qp, msg);
	return RXT_OK;
}

enum rxt_verdict rxt_rx_read(struct rxt_conn *conn, const struct rxt_hdr *hdr,
			     u64 cookie, unsigned int flags)
{
	enum rxt_verdict v = take_read(conn->qp, hdr, cookie, flags);

	trace_rxt_rx_request(conn->qp, hdr, v);
	return v;
}
EXPORT_SYMBOL_GPL(rxt_rx_read);

static int atomic_access(u8 op)
{
	return op == RXT_OP_ATOMIC_WRITE ? IB_ACCESS_REMOTE_WRITE :
					   IB_ACCESS_REMOTE_ATOMIC;
}

static enum rxt_verdict execute(struct rxt_qp *qp, const struct rxt_hdr *hdr,
				u64 *orig)
{
	int access = atomic_access(hdr->op);
	struct rxt_mr *mr;
	int err;

	/* IBTA 9.7.4.1.3: an operation that the QP does not offer. */
	if (!(qp->access & access))
		return rxt_rx_bad_request(qp);
	/* IBTA 9.4.5: the address of an atomic is a multiple of 8. */
	if (hdr->raddr & 7)
		return rxt_rx_bad_request(qp);
	mr = rxt_mr_find_remote(qp, hdr->rkey, hdr->raddr, sizeof(u64), access);
	if (!mr)
		return rxt_rx_bad_access(qp);
	err = rxt_atomic_exec(mr, hdr, orig);
	if (unlikely(err == -EAGAIN))
		err = rxt_odp_fault(qp, RXT_FAULT_RX, mr, hdr->raddr,
				    sizeof(u64), true);
	rxt_mr_put(mr);
	if (err == -EAGAIN)
		return RXT_NOT_READY;
	if (err == -EINVAL)
		return rxt_rx_bad_request(qp);
	return err ? rxt_rx_bad_access(qp) : RXT_OK;
}

static enum rxt_verdict take_atomic(struct rxt_qp *qp, const struct rxt_hdr *hdr,
				    u64 cookie, unsigned int flags, u64 *orig)
{
	bool answer = hdr->op != RXT_OP_ATOMIC_WRITE;
	struct rxt_msg *msg = NULL;
	enum rxt_verdict v = RXT_OK;

	if (!rxt_qp_may(qp, RXT_MAY_RECEIVE))
		return RXT_DROP;
	if (!rxt_op_is_atomic(hdr->op))
		return rxt_rx_bad_request(qp);
	if (answer) {
		msg = resp_get(qp, RXT_OP_ATOMIC_RESP, hdr, cookie, flags);
		if (!msg)
			return rxt_rx_bad_request(qp);
	}
	if (!(flags & RXT_RX_REPLAY)) {
		v = execute(qp, hdr, orig);
		if (v == RXT_OK) {
			rxt_count_qp(qp, rx_msgs);
			rxt_count_qp(qp, rx_atomics);
		}
	}
	if (!msg)
		return v;
	if (v == RXT_OK) {
		msg->swap_add = *orig;
		resp_queue(qp, msg);
	} else {
		spin_lock_bh(&qp->resp_lock);
		resp_put(qp, msg);
		spin_unlock_bh(&qp->resp_lock);
	}
	return v;
}

enum rxt_verdict rxt_rx_atomic(struct rxt_conn *conn, const struct rxt_hdr *hdr,
			       u64 cookie, unsigned int flags, u64 *orig)
{
	enum rxt_verdict v = take_atomic(conn->qp, hdr, cookie, flags, orig);

	trace_rxt_rx_request(conn->qp, hdr, v);
	return v;
}
EXPORT_SYMBOL_GPL(rxt_rx_atomic);
