// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: inbound messages: where do the bytes belong, may they go there, and
 * what does the application hear of it.
 *
 * What lives here: SEND, WRITE, READ responses, atomic results, datagrams. What
 * may not: READ and atomic requests (resp.c), copying (place.c).
 */
#include <linux/export.h>
#include "internal.h"
#include "trace.h"

static void rx_open(struct rxt_rx *rx, struct rxt_qp *qp,
		    const struct rxt_hdr *hdr)
{
	rx->qp = qp;
	rx->active = true;
	rx->known = hdr->length != RXT_LEN_UNKNOWN;
	rx->op = hdr->op;
	rx->err = 0;
	rx->msg_id = hdr->msg_id;
	rx->length = hdr->length;
	rx->recv = NULL;
	rx->msg = NULL;
	rx->seg = NULL;
	rx->num_seg = 0;
	rx->cur = 0;
	rx->cur_pos = 0;
	rx->one.mr = NULL;
}

static void rx_close(struct rxt_rx *rx)
{
	rx->active = false;
	rx->recv = NULL;
	rx->msg = NULL;
	/* Who still holds it finds no place for another byte. */
	rx->length = 0;
	rx->seg = NULL;
	rx->num_seg = 0;
	if (rx->one.mr)
		rxt_mr_put(rx->one.mr);
	rx->one.mr = NULL;
}

/* ---- SEND ---- */

/* Get a receive WQE, with its memory if @resolve, or say why not. OK: qp->recv is
 * it.
 */
static enum rxt_verdict take_recv(struct rxt_qp *qp, bool resolve)
{
	enum ib_wc_status st = IB_WC_SUCCESS;
	int ret;

	if (qp->recv_held)
		return RXT_OK;
	if (!qp->rq)
		return rxt_rx_bad_request(qp);
	ret = rxt_rq_take(qp->rq, qp->recv);
	if (!ret)
		return RXT_NOT_READY;
	if (ret < 0)
		st = IB_WC_LOC_QP_OP_ERR;
	else if (resolve)
		st = rxt_recv_resolve(qp, qp->recv);
	if (st) {
		rxt_recv_complete(qp, qp->recv, st);
		rxt_count_qp(qp, remote_op_errors);
		return RXT_OP_ERROR;
	}
	qp->recv_held = true;
	return RXT_OK;
}

static void drop_recv(struct rxt_qp *qp, enum ib_wc_status st)
{
	qp->recv_held = false;
	rxt_recv_complete(qp, qp->recv, st);
}

static enum rxt_verdict begin_send(struct rxt_qp *qp, struct rxt_rx *rx,
				   const struct rxt_hdr *hdr)
{
	enum rxt_verdict v = take_recv(qp, true);

	if (v != RXT_OK)
		return v;
	rx_open(rx, qp, hdr);
	/* Too long is known now or when the bytes come. */
	if (rx->known && hdr->length > qp->recv->length) {
		rx->active = false;
		drop_recv(qp, IB_WC_LOC_LEN_ERR);
		return rxt_rx_bad_request(qp);
	}
	if (!rx->known)
		rx->length = qp->recv->length;
	rx->recv = qp->recv;
	rx->seg = qp->recv->seg;
	rx->num_seg = qp->recv->num_seg;
	return RXT_OK;
}

/* ---- WRITE ---- */

static enum rxt_verdict begin_write(struct rxt_qp *qp, struct rxt_rx *rx,
				    const struct rxt_hdr *hdr)
{
	enum rxt_verdict v;
	struct rxt_mr *mr;

	v = rxt_rx_region(qp, hdr, IB_ACCESS_REMOTE_WRITE, &mr);
	if (v != RXT_OK)
		return v;
	rx_open(rx, qp, hdr);
	if (mr) {
		rx->one.addr = hdr->raddr;
		rx->one.length = hdr->length;
		rx->one.mr = mr;
		rx->seg = &rx->one;
		rx->num_seg = 1;
	}
	return RXT_OK;
}

/* ---- READ response ---- */

static enum rxt_verdict begin_read_resp(struct rxt_qp *qp, struct rxt_rx *rx,
					const struct rxt_hdr *hdr)
{
	struct rxt_msg *msg = rxt_req_find_unanswered(qp, hdr->msg_id);

	if (!msg || msg->op != RXT_OP_READ)
		return rxt_rx_bad_request(qp);
	if (hdr->length != RXT_LEN_UNKNOWN && hdr->length != msg->rd_length)
		return rxt_rx_bad_request(qp);
	rx_open(rx, qp, hdr);
	rx->known = true;
	rx->length = msg->rd_length;
	rx->msg = msg;
	rx->seg = msg->seg;
	rx->num_seg = msg->num_seg;
	return RXT_OK;
}

/* ---- begin, end, abort ---- */

static void established(struct rxt_qp *qp)
{
	/* IBTA 11.6.3.2: the first message may come before RTS. */
	if (READ_ONCE(qp->state) == IB_QPS_RTR && !qp->comm_est) {
		qp->comm_est = true;
		rxt_provider->qp_event(qp, IB_EVENT_COMM_EST);
	}
}

static enum rxt_verdict begin(struct rxt_qp *qp, const struct rxt_hdr *hdr,
			      struct rxt_rx **rx)
{
	enum rxt_verdict v;

	*rx = &qp->rx_req;
	switch (hdr->op) {
	case RXT_OP_SEND:
	case RXT_OP_SEND_IMM:
	case RXT_OP_SEND_INV:
		if (!rxt_qp_may(qp, RXT_MAY_RECEIVE))
			return RXT_DROP;
		v = begin_send(qp, *rx, hdr);
		break;
	case RXT_OP_WRITE:
	case RXT_OP_WRITE_IMM:
		v = begin_write(qp, *rx, hdr);
		break;
	case RXT_OP_READ_RESP:
		*rx = &qp->rx_resp;
		if (!rxt_qp_may(qp, RXT_MAY_SEND))
			return RXT_DROP;
		return begin_read_resp(qp, *rx, hdr);
	default:
		return rxt_rx_bad_request(qp);
	}
	if (v == RXT_OK)
		established(qp);
	return v;
}

enum rxt_verdict rxt_rx_begin(struct rxt_conn *conn, const struct rxt_hdr *hdr,
			      struct rxt_rx **rx)
{
	enum rxt_verdict v = begin(conn->qp, hdr, rx);

	trace_rxt_rx_begin(conn->qp, hdr, v);
	return v;
}
EXPORT_SYMBOL_GPL(rxt_rx_begin);

static void push_recv(struct rxt_qp *qp, const struct rxt_hdr *hdr, u32 len,
		      enum ib_wc_opcode opcode)
{
	struct rxt_wc wc = {
		.wr_id		= qp->recv->wr_id,
		.status		= IB_WC_SUCCESS,
		.opcode		= opcode,
		.byte_len	= len,
		.qp		= qp,
		.solicited	= hdr->solicited,
	};

	if (hdr->op == RXT_OP_SEND_IMM || hdr->op == RXT_OP_WRITE_IMM) {
		wc.flags = IB_WC_WITH_IMM;
		wc.imm = hdr->imm;
	} else if (hdr->op == RXT_OP_SEND_INV) {
		wc.flags = IB_WC_WITH_INVALIDATE;
		wc.inv_rkey = hdr->inv_rkey;
	}
	rxt_recv_put_mrs(qp->recv);
	qp->recv_held = false;
	rxt_cq_push(qp->rcq, &wc);
}

static enum rxt_verdict end_send(struct rxt_rx *rx, const struct rxt_hdr *hdr)
{
	struct rxt_qp *qp = rx->qp;

	rx_close(rx);
	/* IBTA 10.6.5: before the completion that tells of it. */
	if (hdr->op == RXT_OP_SEND_INV &&
	    rxt_dkey_invalidate(qp, hdr->inv_rkey)) {
		drop_recv(qp, IB_WC_MW_BIND_ERR);
		return rxt_rx_bad_access(qp);
	}
	push_recv(qp, hdr, hdr->length, IB_WC_RECV);
	return RXT_OK;
}

static enum rxt_verdict end_write(struct rxt_rx *rx, const struct rxt_hdr *hdr)
{
	struct rxt_qp *qp = rx->qp;
	enum rxt_verdict v;

	rx_close(rx);
	if (hdr->op != RXT_OP_WRITE_IMM)
		return RXT_OK;
	/* The receive WQE only carries the notice, its memory is not used. */
	v = take_recv(qp, false);
	if (v == RXT_OK)
		push_recv(qp, hdr, hdr->length, IB_WC_RECV_RDMA_WITH_IMM);
	return v;
}

/* All of an answer is here; @err says whether it found its place. */
static void answer_complete(struct rxt_qp *qp, struct rxt_msg *msg, int err)
{
	if (!err)
		err = rxt_odp_answer_kept(qp, msg->id);
	if (likely(!err))
		rxt_req_answered(qp, msg);
	else if (err < 0)
		rxt_req_fail(qp, msg, IB_WC_LOC_PROT_ERR);
}

static enum rxt_verdict end_read_resp(struct rxt_rx *rx)
{
	struct rxt_qp *qp = rx->qp;
	struct rxt_msg *msg = rx->msg;

	rx_close(rx);
	rxt_count_qp(qp, rx_read_resp);
	answer_complete(qp, msg, 0);
	return RXT_OK;
}

static enum rxt_verdict end(struct rxt_rx *rx, const struct rxt_hdr *hdr)
{
	struct rxt_qp *qp = rx->qp;
	enum rxt_verdict v;

	rxt_count_qp_add(qp, rx_bytes, hdr->length);
	if (rx->op == RXT_OP_READ_RESP)
		return end_read_resp(rx);
	if (!rxt_qp_may(qp, RXT_MAY_RECEIVE))
		return RXT_DROP;
	/* What the last packet says may not change the kind of message. */
	if (rx->op == RXT_OP_WRITE || rx->op == RXT_OP_WRITE_IMM)
		v = end_write(rx, hdr);
	else
		v = end_send(rx, hdr);
	if (v == RXT_OK)
		rxt_count_qp(qp, rx_msgs);
	return v;
}

enum rxt_verdict rxt_rx_end(struct rxt_rx *rx, const struct rxt_hdr *hdr)
{
	enum rxt_verdict v;

	if (!rx->active)
		return RXT_DROP;
	v = end(rx, hdr);
	trace_rxt_rx_end(rx->qp, hdr, v);
	return v;
}
EXPORT_SYMBOL_GPL(rxt_rx_end);

void rxt_rx_abort(struct rxt_rx *rx)
{
	/* A receive WQE stays held for the next message. */
	if (rx->active)
		rx_close(rx);
}
EXPORT_SYMBOL_GPL(rxt_rx_abort);

/**
 * rxt_rx_forget_answer - a READ is about to end without the rest of its answer
 * @qp: QP
 * @id: message number of the READ
 *
 * Context: an up-call of the backend, so that nobody else is at the context.
 */
void rxt_rx_forget_answer(struct rxt_qp *qp, u32 id)
{
	if (qp->rx_resp.active && qp->rx_resp.msg_id == id)
		rx_close(&qp->rx_resp);
}

enum rxt_verdict rxt_rx_place_verdict(struct rxt_rx *rx, int err)
{
	struct rxt_qp *qp = rx->qp;
	struct rxt_msg *msg = rx->msg;
	bool write = rx->op == RXT_OP_WRITE || rx->op == RXT_OP_WRITE_IMM;
	bool send = rx->recv;

	if (!rx->active)
		return RXT_DROP;
	rx_close(rx);
	/* It comes again, and the receive WQE is kept for it. */
	if (err == -EAGAIN)
		return RXT_NOT_READY;
	if (msg) {
		rxt_count_qp(qp, local_prot_errors);
		rxt_req_fail(qp, msg, err == -EMSGSIZE ? IB_WC_LOC_LEN_ERR :
							 IB_WC_LOC_PROT_ERR);
		return RXT_DROP;
	}
	if (write)
		return err == -EMSGSIZE ? rxt_rx_bad_request(qp) : rxt_rx_bad_access(qp);
	if (!send || !rxt_qp_may(qp, RXT_MAY_RECEIVE))
		return RXT_DROP;
	if (err == -EMSGSIZE) {
		drop_recv(qp, IB_WC_LOC_LEN_ERR);
		return rxt_rx_bad_request(qp);
	}
	drop_recv(qp, IB_WC_LOC_PROT_ERR);
	rxt_count_qp(qp, remote_op_errors);
	return RXT_OP_ERROR;
}
EXPORT_SYMBOL_GPL(rxt_rx_place_verdict);

enum rxt_verdict rxt_rx_atomic_resp(struct rxt_conn *conn, u32 id, u64 orig)
{
	struct rxt_qp *qp = conn->qp;
	struct rxt_msg *msg;
	struct rxt_rx rx;
	int err;

	if (!rxt_qp_may(qp, RXT_MAY_SEND))
		return RXT_DROP;
	msg = rxt_req_find_unanswered(qp, id);
	if (!msg || msg->op == RXT_OP_READ)
		return rxt_rx_bad_request(qp);

	memset(&rx, 0, sizeof(rx));
	rx.qp = qp;
	rx.length = sizeof(orig);
	rx.msg = msg;
	rx.seg = msg->seg;
	rx.num_seg = msg->num_seg;
	err = rxt_place_buf(&rx, 0, &orig, sizeof(orig));
	answer_complete(qp, msg, err);
	return RXT_OK;
}
EXPORT_SYMBOL_GPL(rxt_rx_atomic_resp);

/* ---- datagrams ---- */

static void ud_drop(struct rxt_qp *qp, const struct rxt_dgram *dg)
{
	rxt_count_qp(qp, ud_dropped);
	trace_rxt_rx_end(qp, &dg->hdr, RXT_DROP);
}

void rxt_ud_rx(struct rxt_conn *conn, const struct rxt_dgram *dg,
	       struct sk_buff *skb, unsigned int skb_off)
{
	u32 total = sizeof(dg->grh) + dg->hdr.length;
	struct rxt_qp *qp = conn->qp;
	struct rxt_rx *rx = &qp->rx_req;
	struct rxt_hdr hdr = dg->hdr;
	struct rxt_wc wc = {};

	if (!rxt_qp_may(qp, RXT_MAY_RECEIVE) || dg->qkey != READ_ONCE(qp->qkey))
		return ud_drop(qp, dg);
	/* IBTA 9.8.3.2: what does not fit is dropped, the WQE stays. */
	if (take_recv(qp, true) != RXT_OK || total > qp->recv->length)
		return ud_drop(qp, dg);

	hdr.length = total;
	rx_open(rx, qp, &hdr);
	rx->seg = qp->recv->seg;
	rx->num_seg = qp->recv->num_seg;
	if (rxt_rx_place_buf(rx, 0, dg->grh, sizeof(dg->grh)) ||
	    rxt_rx_place_skb(rx, sizeof(dg->grh), skb, skb_off,
			     dg->hdr.length)) {
		rx_close(rx);
		drop_recv(qp, IB_WC_LOC_PROT_ERR);
		return ud_drop(qp, dg);
	}
	rx_close(rx);

	wc.wr_id = qp->recv->wr_id;
	wc.opcode = IB_WC_RECV;
	wc.byte_len = total;
	wc.qp = qp;
	wc.flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
	wc.solicited = hdr.solicited;
	wc.src_qp = dg->src_qpn;
	wc.pkey_index = dg->pkey_index;
	wc.sl = dg->sl;
	wc.network_hdr_type = dg->network_type;
	if (hdr.op == RXT_OP_SEND_IMM) {
		wc.flags |= IB_WC_WITH_IMM;
		wc.imm = hdr.imm;
	}
	rxt_recv_put_mrs(qp->recv);
	qp->recv_held = false;
	rxt_count_qp(qp, rx_msgs);
	rxt_count_qp_add(qp, rx_bytes, dg->hdr.length);
	trace_rxt_rx_end(qp, &dg->hdr, RXT_OK);
	rxt_cq_push(qp->rcq, &wc);
}
EXPORT_SYMBOL_GPL(rxt_ud_rx);

/* ---- teardown ---- */

/**
 * rxt_rx_drop_all - end inbound contexts
 * @qp: no up-call can come
 * @flush: complete a receive WQE in use, otherwise forget it
 */
void rxt_rx_drop_all(struct rxt_qp *qp, bool flush)
{
	rxt_rx_abort(&qp->rx_resp);
	rxt_rx_abort(&qp->rx_req);
	if (!qp->recv_held)
		return;
	if (flush) {
		drop_recv(qp, IB_WC_WR_FLUSH_ERR);
	} else {
		qp->recv_held = false;
		rxt_recv_put_mrs(qp->recv);
	}
}
