// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: posting. Kernel consumers get their requests put into the same
 * queues that processes fill by themselves; those only ring the bell.
 *
 * What may not live here: executing anything. Context of all: any, interrupts may
 * be off; not a line here sleeps.
 */
#include "provider.h"

static bool is_datagram(const struct rxt_ibqp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_UD || qp->ibqp.qp_type == IB_QPT_GSI;
}

/* Which mapping, and what the key and its rights shall be from now on. */
static void put_reg(struct rxe_send_wr *to, const struct ib_reg_wr *wr)
{
	const struct rxt_ibmr *mr = to_ibmr(wr->mr);

	to->wr.mw.addr = wr->mr->iova;
	to->wr.mw.length = rxt_fast_staged(mr->dkey);
	to->wr.mw.mw_rkey = wr->mr->rkey;
	to->wr.mw.rkey = wr->key;
	to->wr.mw.access = wr->access;
}

static void put_operands(const struct rxt_ibqp *qp, struct rxe_send_wr *to,
			 const struct ib_send_wr *wr)
{
	to->wr_id = wr->wr_id;
	to->opcode = wr->opcode;
	to->send_flags = wr->send_flags;
	/* Immediate data or a key to invalidate, whatever the opcode has. */
	to->ex.imm_data = wr->ex.imm_data;

	if (is_datagram(qp)) {
		to->wr.ud.remote_qpn = ud_wr(wr)->remote_qpn;
		to->wr.ud.remote_qkey = ud_wr(wr)->remote_qkey;
		to->wr.ud.pkey_index = ud_wr(wr)->pkey_index;
		to->wr.ud.ah_num = to_ibah(ud_wr(wr)->ah)->num;
		return;
	}
	switch ((u32)wr->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
	case RXT_WR_ATOMIC_WRITE:
		to->wr.rdma.remote_addr = rdma_wr(wr)->remote_addr;
		to->wr.rdma.rkey = rdma_wr(wr)->rkey;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		to->wr.atomic.remote_addr = atomic_wr(wr)->remote_addr;
		to->wr.atomic.rkey = atomic_wr(wr)->rkey;
		to->wr.atomic.compare_add = atomic_wr(wr)->compare_add;
		to->wr.atomic.swap = atomic_wr(wr)->swap;
		break;
	case IB_WR_REG_MR:
		put_reg(to, reg_wr(wr));
		break;
	default:
		break;
	}
}

static int put_inline(const struct rxt_ibqp *qp, struct rxe_dma_info *dma,
		      const struct ib_send_wr *wr)
{
	const struct ib_sge *sge = wr->sg_list;
	u8 *to = dma->inline_data;
	int i;

	if (!rxt_wr_may_inline(wr->opcode))
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++, sge++) {
		if (sge->length > qp->cap.max_inline_data - dma->length)
			return -EINVAL;
		memcpy(to + dma->length, (void *)(uintptr_t)sge->addr,
		       sge->length);
		dma->length += sge->length;
	}
	return 0;
}

static int put_segments(struct rxe_sge *to, const struct ib_sge *sge, int num,
			u64 *length)
{
	int i;

	*length = 0;
	for (i = 0; i < num; i++) {
		to[i].addr = sge[i].addr;
		to[i].length = sge[i].length;
		to[i].lkey = sge[i].lkey;
		*length += sge[i].length;
	}
	return *length > RXT_MAX_MSG ? -EINVAL : 0;
}

static int put_send(struct rxt_ibqp *qp, const struct ib_send_wr *wr)
{
	struct rxe_send_wqe *wqe;
	u64 length;
	int err;

	if (!rxt_wr_valid(qp->ibqp.qp_type, wr->opcode))
		return -EINVAL;
	if (wr->num_sge < 0 || wr->num_sge > qp->cap.max_send_sge)
		return -EINVAL;
	if (wr->opcode == IB_WR_REG_MR && !to_ibmr(reg_wr(wr)->mr)->dkey)
		return -EINVAL;
	wqe = rxt_ring_room(&qp->sq);
	if (!wqe)
		return -ENOMEM;

	memset(wqe, 0, sizeof(*wqe));
	put_operands(qp, &wqe->wr, wr);
	if (!rxt_wr_has_payload(wr->opcode)) {
		rxt_ring_push(&qp->sq);
		return 0;
	}
	wqe->dma.num_sge = wr->num_sge;
	if (wr->send_flags & IB_SEND_INLINE) {
		err = put_inline(qp, &wqe->dma, wr);
	} else {
		err = put_segments(wqe->dma.sge, wr->sg_list, wr->num_sge,
				   &length);
		wqe->dma.length = length;
	}
	if (!err)
		rxt_ring_push(&qp->sq);
	return err;
}

int rxt_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	struct rxt_ibqp *qp = to_ibqp(ibqp);
	unsigned long flags;
	bool posted = false;
	int err = 0;

	*bad_wr = wr;
	/* The requests are in the queue, this is but the bell. */
	if (qp->user)
		return wr ? -EINVAL : rxt_qp_kick(qp->qp, true);
	if (!rxt_qp_may_post_send(qp->qp))
		return -EINVAL;

	spin_lock_irqsave(&qp->post_lock, flags);
	for (; wr; wr = wr->next) {
		err = put_send(qp, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
		posted = true;
	}
	spin_unlock_irqrestore(&qp->post_lock, flags);

	if (posted)
		rxt_qp_kick(qp->qp, false);
	return err;
}

static int put_recv(struct rxt_ibrq *rq, const struct ib_recv_wr *wr)
{
	struct rxe_recv_wqe *wqe;
	u64 length;
	int err;

	if (wr->num_sge < 0 || wr->num_sge > rq->rq.max_sge)
		return -EINVAL;
	wqe = rxt_ring_room(&rq->ring);
	if (!wqe)
		return -ENOMEM;

	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = wr->wr_id;
	wqe->dma.num_sge = wr->num_sge;
	err = put_segments(wqe->dma.sge, wr->sg_list, wr->num_sge, &length);
	wqe->dma.length = length;
	if (!err)
		rxt_ring_push(&rq->ring);
	return err;
}

static int post_list(struct rxt_ibrq *rq, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&rq->post_lock, flags);
	for (; wr; wr = wr->next) {
		err = put_recv(rq, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&rq->post_lock, flags);
	return err;
}

int rxt_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct rxt_ibqp *qp = to_ibqp(ibqp);
	int err;

	*bad_wr = wr;
	if (qp->user || ibqp->srq || !rxt_qp_may_post_recv(qp->qp))
		return -EINVAL;
	err = post_list(&qp->rq, wr, bad_wr);
	/* Checked after the push: an error that comes now finds the WQEs. */
	if (rxt_qp_state(qp->qp) == IB_QPS_ERR)
		rxt_qp_kick_rq(qp->qp);
	return err;
}

int rxt_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct rxt_ibsrq *srq = to_ibsrq(ibsrq);

	*bad_wr = wr;
	if (srq->user)
		return -EINVAL;
	return post_list(&srq->rq, wr, bad_wr);
}
