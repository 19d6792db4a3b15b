// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: from a slot of a queue to the core's private copy (S8).
 *
 * What lives here: the WQE layout and which opcodes there are. What may not: what a
 * WQE does, keys, states (core).
 *
 * A slot may change under our hands at any time. Each byte of it is read once;
 * what is checked and what is used is the copy.
 */
#include <linux/nospec.h>
#include "provider.h"

#define QPT(type)	BIT(IB_QPT_##type)

/* What an opcode needs of the WQE. */
#define WR_RDMA		BIT(0)		/* remote address and key */
#define WR_ATOMIC	BIT(1)		/* the same, and two operands */
#define WR_IMM		BIT(2)
#define WR_INV		BIT(3)
#define WR_INLINE	BIT(4)		/* payload may be in the WQE */
#define WR_VALUE	BIT(5)		/* payload is in the WQE, always */
#define WR_MM		BIT(6)		/* struct rxe_send_wr.wr.mw */
#define WR_LOCAL	BIT(7)		/* no message: no payload */
#define WR_KERNEL	BIT(8)		/* not for processes */

/**
 * struct wr_info - an opcode of the send queue
 * @op: what the core calls it
 * @needs: WR_*
 * @types: QP types that have it, by QPT(); none: no such opcode
 */
struct wr_info {
	u8	op;
	u16	needs;
	u16	types;
};

static const struct wr_info wr_table[] = {
	[IB_WR_SEND] = {
		RXT_OP_SEND, WR_INLINE,
		QPT(RC) | QPT(UC) | QPT(UD) | QPT(GSI),
	},
	[IB_WR_SEND_WITH_IMM] = {
		RXT_OP_SEND_IMM, WR_INLINE | WR_IMM,
		QPT(RC) | QPT(UC) | QPT(UD) | QPT(GSI),
	},
	[IB_WR_SEND_WITH_INV] = {
		RXT_OP_SEND_INV, WR_INLINE | WR_INV, QPT(RC),
	},
	[IB_WR_RDMA_WRITE] = {
		RXT_OP_WRITE, WR_INLINE | WR_RDMA, QPT(RC) | QPT(UC),
	},
	[IB_WR_RDMA_WRITE_WITH_IMM] = {
		RXT_OP_WRITE_IMM, WR_INLINE | WR_RDMA | WR_IMM,
		QPT(RC) | QPT(UC),
	},
	[IB_WR_RDMA_READ] = {
		RXT_OP_READ, WR_RDMA, QPT(RC),
	},
	[IB_WR_ATOMIC_CMP_AND_SWP] = {
		RXT_OP_CMP_SWP, WR_ATOMIC, QPT(RC),
	},
	[IB_WR_ATOMIC_FETCH_AND_ADD] = {
		RXT_OP_FETCH_ADD, WR_ATOMIC, QPT(RC),
	},
	[RXT_WR_ATOMIC_WRITE] = {
		RXT_OP_ATOMIC_WRITE, WR_RDMA | WR_VALUE, QPT(RC),
	},
	[IB_WR_LOCAL_INV] = {
		RXT_OP_LOCAL_INV, WR_LOCAL | WR_INV, QPT(RC),
	},
	[IB_WR_BIND_MW] = {
		RXT_OP_BIND_MW, WR_LOCAL | WR_MM, QPT(RC) | QPT(UC),
	},
	[IB_WR_REG_MR] = {
		RXT_OP_REG_MR, WR_LOCAL | WR_MM | WR_KERNEL, QPT(RC),
	},
};

static const struct wr_info *wr_info(enum ib_qp_type type, u32 opcode)
{
	const struct wr_info *info;

	if (opcode >= ARRAY_SIZE(wr_table))
		return NULL;
	info = &wr_table[array_index_nospec(opcode, ARRAY_SIZE(wr_table))];
	return info->types & BIT(type) ? info : NULL;
}

/**
 * rxt_wr_valid - is there such an opcode for such a QP?
 * @type: of the QP, RC, UC, UD or GSI
 * @opcode: enum ib_wr_opcode, or any number
 */
bool rxt_wr_valid(enum ib_qp_type type, u32 opcode)
{
	return wr_info(type, opcode);
}

/**
 * rxt_wr_has_payload - does it name local memory by segments?
 * @opcode: one that rxt_wr_valid() knows
 */
bool rxt_wr_has_payload(u32 opcode)
{
	return !(wr_table[opcode].needs & WR_LOCAL);
}

/**
 * rxt_wr_may_inline - may the payload be in the WQE?
 * @opcode: one that rxt_wr_valid() knows
 */
bool rxt_wr_may_inline(u32 opcode)
{
	return wr_table[opcode].needs & (WR_INLINE | WR_VALUE);
}

/* ---- send queue ---- */

static u8 msg_flags(u32 send_flags)
{
	u8 flags = 0;

	if (send_flags & IB_SEND_SIGNALED)
		flags |= RXT_MSG_SIGNALED;
	if (send_flags & IB_SEND_SOLICITED)
		flags |= RXT_MSG_SOLICITED;
	if (send_flags & IB_SEND_FENCE)
		flags |= RXT_MSG_FENCE;
	return flags;
}

static void take_operands(struct rxt_msg *msg, const struct rxe_send_wr *wr,
			  u16 needs)
{
	if (needs & WR_IMM)
		msg->imm = wr->ex.imm_data;
	if (needs & WR_INV)
		msg->inv_rkey = wr->ex.invalidate_rkey;
	if (needs & WR_RDMA) {
		msg->raddr = wr->wr.rdma.remote_addr;
		msg->rkey = wr->wr.rdma.rkey;
	}
	if (needs & WR_MM) {
		msg->raddr = wr->wr.mw.addr;
		msg->rkey = wr->wr.mw.mw_rkey;
		msg->mm.length = wr->wr.mw.length;
		msg->mm.lkey = wr->wr.mw.mr_lkey;
		msg->mm.new_key = wr->wr.mw.rkey;
		msg->mm.access = wr->wr.mw.access;
	}
	if (needs & WR_ATOMIC) {
		msg->raddr = wr->wr.atomic.remote_addr;
		msg->rkey = wr->wr.atomic.rkey;
		msg->compare = wr->wr.atomic.compare_add;
		msg->swap_add = wr->wr.atomic.swap;
		if (msg->op == RXT_OP_FETCH_ADD)
			msg->swap_add = wr->wr.atomic.compare_add;
	}
}

static int take_datagram(const struct rxt_ibqp *qp, struct rxt_msg *msg,
			 const struct rxe_send_wr *wr)
{
	msg->remote_qpn = wr->wr.ud.remote_qpn & 0xffffff;
	msg->remote_qkey = wr->wr.ud.remote_qkey;
	msg->av = rxt_wqe_path(qp, wr);
	return msg->av ? 0 : -EINVAL;
}

/* @slot is only read for the bytes behind struct rxe_send_wqe. */
static int take_payload(const struct rxt_ibqp *qp, struct rxt_msg *msg,
			const struct rxe_send_wqe *wqe,
			const struct rxe_send_wqe *slot, u16 needs)
{
	bool inl = wqe->wr.send_flags & IB_SEND_INLINE;
	u32 num = wqe->dma.num_sge, len = wqe->dma.length, i;
	struct rxe_sge sge;

	/* ibv_wr_set_inline_data() sets neither flag nor segments. */
	if (!num && len)
		inl = true;
	if (inl) {
		if (!(needs & (WR_INLINE | WR_VALUE)) ||
		    len > qp->cap.max_inline_data)
			return -EINVAL;
		memcpy(msg->data, slot->dma.inline_data, len);
		msg->flags |= RXT_MSG_INLINE;
		msg->length = len;
		return 0;
	}

	if (num > qp->cap.max_send_sge)
		return -EINVAL;
	for (i = 0; i < num; i++) {
		memcpy(&sge, &slot->dma.sge[i], sizeof(sge));
		barrier();	/* the copy is what counts from here on */
		msg->seg[i].addr = sge.addr;
		msg->seg[i].length = sge.length;
		msg->seg[i].lkey = sge.lkey;
		msg->seg[i].mr = NULL;
	}
	msg->num_seg = num;
	return 0;
}

static int wqe_to_msg(const struct rxt_ibqp *qp, struct rxt_msg *msg,
		      const struct rxe_send_wqe *wqe,
		      const struct rxe_send_wqe *slot)
{
	enum ib_qp_type type = qp->ibqp.qp_type;
	const struct wr_info *info = wr_info(type, wqe->wr.opcode);

	msg->wr_id = wqe->wr.wr_id;
	msg->flags = msg_flags(wqe->wr.send_flags);
	if (!info || (qp->user && (info->needs & WR_KERNEL)))
		return -EINVAL;
	msg->op = info->op;
	take_operands(msg, &wqe->wr, info->needs);
	if (info->needs & WR_LOCAL)
		return 0;
	if ((type == IB_QPT_UD || type == IB_QPT_GSI) &&
	    take_datagram(qp, msg, &wqe->wr))
		return -EINVAL;
	return take_payload(qp, msg, wqe, slot, info->needs);
}

int rxt_prov_sq_fetch(struct rxt_qp *core_qp, struct rxt_msg *msg)
{
	struct rxt_ibqp *qp = rxt_qp_priv(core_qp);
	const struct rxe_send_wqe *slot;
	int err;

	if (!rxt_ring_posted(&qp->sq)) {
		if (unlikely(qp->sq.bad && !qp->warned)) {
			qp->warned = true;
			pr_warn_ratelimited("%s: QP 0x%06x: its process broke the send queue's index\n",
					    rxt_dev_name(&to_link(qp->ibqp.device)->dev),
					    rxt_qp_num(core_qp));
		}
		return 0;
	}
	rxt_msg_init(msg, core_qp);
	slot = rxt_ring_slot(&qp->sq, qp->sq.fetch);
	memcpy(&qp->wqe, slot, sizeof(qp->wqe));
	barrier();	/* the copy is what counts from here on */
	err = wqe_to_msg(qp, msg, &qp->wqe, slot);
	rxt_ring_step(&qp->sq);
	return err ?: 1;
}

void rxt_prov_sq_release(struct rxt_qp *core_qp, unsigned int n)
{
	struct rxt_ibqp *qp = rxt_qp_priv(core_qp);

	rxt_ring_release(&qp->sq, n);
}

/* ---- receive queue ---- */

static int wqe_to_recv(struct rxt_recv *recv, const struct rxe_recv_wqe *wqe,
		       const struct rxe_recv_wqe *slot, u32 max_sge)
{
	u32 num = wqe->dma.num_sge, i;
	struct rxe_sge sge;
	u64 length = 0;

	recv->wr_id = wqe->wr_id;
	recv->length = 0;
	recv->num_seg = 0;
	if (num > max_sge || num > recv->max_seg)
		return -EINVAL;
	for (i = 0; i < num; i++) {
		memcpy(&sge, &slot->dma.sge[i], sizeof(sge));
		barrier();	/* the copy is what counts from here on */
		recv->seg[i].addr = sge.addr;
		recv->seg[i].length = sge.length;
		recv->seg[i].lkey = sge.lkey;
		recv->seg[i].mr = NULL;
		length += sge.length;
	}
	if (length > RXT_MAX_MSG)
		return -EINVAL;
	recv->length = length;
	recv->num_seg = num;
	return 0;
}

int rxt_prov_rq_fetch(struct rxt_rq *core_rq, struct rxt_recv *recv)
{
	struct rxt_ibrq *rq = to_ibrq(core_rq);
	const struct rxe_recv_wqe *slot;
	struct rxe_recv_wqe wqe;
	int err;

	lockdep_assert_held(&core_rq->lock);
	if (!rxt_ring_posted(&rq->ring)) {
		if (unlikely(rq->ring.bad && !rq->warned)) {
			rq->warned = true;
			pr_warn_ratelimited("%s: a process broke a receive queue's index\n",
					    rxt_dev_name(core_rq->dev));
		}
		return 0;
	}
	slot = rxt_ring_slot(&rq->ring, rq->ring.fetch);
	memcpy(&wqe, slot, sizeof(wqe));
	barrier();	/* the copy is what counts from here on */
	err = wqe_to_recv(recv, &wqe, slot, core_rq->max_sge);
	rxt_ring_step(&rq->ring);
	rxt_ring_release(&rq->ring, 1);
	return err ?: 1;
}

u32 rxt_prov_rq_count(struct rxt_rq *core_rq)
{
	lockdep_assert_held(&core_rq->lock);
	return rxt_ring_posted(&to_ibrq(core_rq)->ring);
}
