/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt core: tracepoints (events/rxt/ of tracefs): where objects and messages change
 * hands. Documentation/management.rst says how to read them.
 *
 * What lives here: the events. What may not: anything that costs while they are
 * off beyond the static branch; pointers to kernel memory.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rxt

#if !defined(_RXT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _RXT_TRACE_H

#include <linux/tracepoint.h>
#include <rxt/compat.h>
#include "internal.h"

/* Names for numbers, for tools that read the raw records as well. */
TRACE_DEFINE_ENUM(IB_QPS_RESET);
TRACE_DEFINE_ENUM(IB_QPS_INIT);
TRACE_DEFINE_ENUM(IB_QPS_RTR);
TRACE_DEFINE_ENUM(IB_QPS_RTS);
TRACE_DEFINE_ENUM(IB_QPS_SQD);
TRACE_DEFINE_ENUM(IB_QPS_SQE);
TRACE_DEFINE_ENUM(IB_QPS_ERR);

#define rxt_show_state(state)						\
	__print_symbolic(state,						\
			 { IB_QPS_RESET, "RESET" },			\
			 { IB_QPS_INIT, "INIT" },			\
			 { IB_QPS_RTR, "RTR" },				\
			 { IB_QPS_RTS, "RTS" },				\
			 { IB_QPS_SQD, "SQD" },				\
			 { IB_QPS_SQE, "SQE" },				\
			 { IB_QPS_ERR, "ERR" })

TRACE_DEFINE_ENUM(RXT_OP_SEND);
TRACE_DEFINE_ENUM(RXT_OP_SEND_IMM);
TRACE_DEFINE_ENUM(RXT_OP_SEND_INV);
TRACE_DEFINE_ENUM(RXT_OP_WRITE);
TRACE_DEFINE_ENUM(RXT_OP_WRITE_IMM);
TRACE_DEFINE_ENUM(RXT_OP_READ);
TRACE_DEFINE_ENUM(RXT_OP_CMP_SWP);
TRACE_DEFINE_ENUM(RXT_OP_FETCH_ADD);
TRACE_DEFINE_ENUM(RXT_OP_ATOMIC_WRITE);
TRACE_DEFINE_ENUM(RXT_OP_READ_RESP);
TRACE_DEFINE_ENUM(RXT_OP_ATOMIC_RESP);
TRACE_DEFINE_ENUM(RXT_OP_LOCAL_INV);
TRACE_DEFINE_ENUM(RXT_OP_REG_MR);
TRACE_DEFINE_ENUM(RXT_OP_BIND_MW);

#define rxt_show_op(op)							\
	__print_symbolic(op,						\
			 { RXT_OP_SEND, "SEND" },			\
			 { RXT_OP_SEND_IMM, "SEND_IMM" },		\
			 { RXT_OP_SEND_INV, "SEND_INV" },		\
			 { RXT_OP_WRITE, "WRITE" },			\
			 { RXT_OP_WRITE_IMM, "WRITE_IMM" },		\
			 { RXT_OP_READ, "READ" },			\
			 { RXT_OP_CMP_SWP, "CMP_SWP" },			\
			 { RXT_OP_FETCH_ADD, "FETCH_ADD" },		\
			 { RXT_OP_ATOMIC_WRITE, "ATOMIC_WRITE" },	\
			 { RXT_OP_READ_RESP, "READ_RESP" },		\
			 { RXT_OP_LOCAL_INV, "LOCAL_INV" },		\
			 { RXT_OP_REG_MR, "REG_MR" },			\
			 { RXT_OP_BIND_MW, "BIND_MW" },		\
			 { RXT_OP_ATOMIC_RESP, "ATOMIC_RESP" })

TRACE_DEFINE_ENUM(RXT_OK);
TRACE_DEFINE_ENUM(RXT_NOT_READY);
TRACE_DEFINE_ENUM(RXT_BAD_REQUEST);
TRACE_DEFINE_ENUM(RXT_BAD_ACCESS);
TRACE_DEFINE_ENUM(RXT_OP_ERROR);
TRACE_DEFINE_ENUM(RXT_DROP);

#define rxt_show_verdict(verdict)					\
	__print_symbolic(verdict,					\
			 { RXT_OK, "OK" },				\
			 { RXT_NOT_READY, "NOT_READY" },		\
			 { RXT_BAD_REQUEST, "BAD_REQUEST" },		\
			 { RXT_BAD_ACCESS, "BAD_ACCESS" },		\
			 { RXT_OP_ERROR, "OP_ERROR" },			\
			 { RXT_DROP, "DROP" })

TRACE_DEFINE_ENUM(RXT_ERR_LOST);
TRACE_DEFINE_ENUM(RXT_ERR_NAK_SENT_REQ);
TRACE_DEFINE_ENUM(RXT_ERR_NAK_SENT_ACC);
TRACE_DEFINE_ENUM(RXT_ERR_NAK_SENT_OP);
TRACE_DEFINE_ENUM(RXT_ERR_PROTOCOL);

#define rxt_show_conn_err(err)						\
	__print_symbolic(err,						\
			 { RXT_ERR_LOST, "LOST" },			\
			 { RXT_ERR_NAK_SENT_REQ, "NAK_SENT_REQ" },	\
			 { RXT_ERR_NAK_SENT_ACC, "NAK_SENT_ACC" },	\
			 { RXT_ERR_NAK_SENT_OP, "NAK_SENT_OP" },	\
			 { RXT_ERR_PROTOCOL, "PROTOCOL" })

/* ---- queue pairs and connections ---- */

DECLARE_EVENT_CLASS(rxt_qp_class,
		    TP_PROTO(const struct rxt_qp *qp),
		    TP_ARGS(qp),
		    TP_STRUCT__entry(__string(dev, qp->dev->name)
				     __field(u32, qpn)
				     __field(u8, type)),
		    TP_fast_assign(rxt_assign_str(dev, qp->dev->name);
				   __entry->qpn = qp->head.qpn;
				   __entry->type = qp->type;),
		    TP_printk("dev=%s qp=0x%06x type=%u", __get_str(dev), __entry->qpn,
			      __entry->type));

DEFINE_EVENT(rxt_qp_class, rxt_qp_new,
	     TP_PROTO(const struct rxt_qp *qp), TP_ARGS(qp));
DEFINE_EVENT(rxt_qp_class, rxt_qp_gone,
	     TP_PROTO(const struct rxt_qp *qp), TP_ARGS(qp));
DEFINE_EVENT(rxt_qp_class, rxt_conn_up,
	     TP_PROTO(const struct rxt_qp *qp), TP_ARGS(qp));
DEFINE_EVENT(rxt_qp_class, rxt_conn_down,
	     TP_PROTO(const struct rxt_qp *qp), TP_ARGS(qp));

TRACE_EVENT(rxt_qp_state,
	    TP_PROTO(const struct rxt_qp *qp, u8 from, u8 to),
	    TP_ARGS(qp, from, to),
	    TP_STRUCT__entry(__string(dev, qp->dev->name)
			     __field(u32, qpn)
			     __field(u8, from)
			     __field(u8, to)),
	    TP_fast_assign(rxt_assign_str(dev, qp->dev->name);
			   __entry->qpn = qp->head.qpn;
			   __entry->from = from;
			   __entry->to = to;),
	    TP_printk("dev=%s qp=0x%06x %s -> %s", __get_str(dev), __entry->qpn,
		      rxt_show_state(__entry->from), rxt_show_state(__entry->to)));

TRACE_EVENT(rxt_conn_error,
	    TP_PROTO(const struct rxt_qp *qp, u8 err),
	    TP_ARGS(qp, err),
	    TP_STRUCT__entry(__string(dev, qp->dev->name)
			     __field(u32, qpn)
			     __field(u8, err)),
	    TP_fast_assign(rxt_assign_str(dev, qp->dev->name);
			   __entry->qpn = qp->head.qpn;
			   __entry->err = err;),
	    TP_printk("dev=%s qp=0x%06x error=%s", __get_str(dev), __entry->qpn,
		      rxt_show_conn_err(__entry->err)));

/* ---- requests on their way out ---- */

DECLARE_EVENT_CLASS(rxt_msg_class,
		    TP_PROTO(const struct rxt_qp *qp, const struct rxt_msg *msg, int res),
		    TP_ARGS(qp, msg, res),
		    TP_STRUCT__entry(__string(dev, qp->dev->name)
				     __field(u64, wr_id)
				     __field(u32, qpn)
				     __field(u32, id)
				     __field(u32, length)
				     __field(u32, off)
				     __field(int, res)
				     __field(u8, op)),
		    TP_fast_assign(rxt_assign_str(dev, qp->dev->name);
				   __entry->wr_id = msg->wr_id;
				   __entry->qpn = qp->head.qpn;
				   __entry->id = msg->id;
				   __entry->length = msg->length ? : msg->rd_length;
				   __entry->off = msg->tx_off;
				   __entry->res = res;
				   __entry->op = msg->op;),
		    TP_printk("dev=%s qp=0x%06x id=%u op=%s wr_id=0x%llx length=%u off=%u res=%d",
			      __get_str(dev), __entry->qpn, __entry->id,
			      rxt_show_op(__entry->op), __entry->wr_id, __entry->length,
			      __entry->off, __entry->res));

/* A work request was taken off the send queue; res: its ib_wc_status if it is bad. */
DEFINE_EVENT(rxt_msg_class, rxt_wr_begin,
	     TP_PROTO(const struct rxt_qp *qp, const struct rxt_msg *msg, int res),
	     TP_ARGS(qp, msg, res));
/* It ends; res: ib_wc_status. */
DEFINE_EVENT(rxt_msg_class, rxt_wr_end,
	     TP_PROTO(const struct rxt_qp *qp, const struct rxt_msg *msg, int res),
	     TP_ARGS(qp, msg, res));
/* The backend is given a message, or the rest of one (res 0). */
DEFINE_EVENT(rxt_msg_class, rxt_tx_begin,
	     TP_PROTO(const struct rxt_qp *qp, const struct rxt_msg *msg, int res),
	     TP_ARGS(qp, msg, res));
/* What it made of it; res: enum rxt_tx_res or -errno. */
DEFINE_EVENT(rxt_msg_class, rxt_tx_end,
	     TP_PROTO(const struct rxt_qp *qp, const struct rxt_msg *msg, int res),
	     TP_ARGS(qp, msg, res));

DECLARE_EVENT_CLASS(rxt_id_class,
		    TP_PROTO(const struct rxt_qp *qp, u32 id, u32 arg),
		    TP_ARGS(qp, id, arg),
		    TP_STRUCT__entry(__string(dev, qp->dev->name)
				     __field(u32, qpn)
				     __field(u32, id)
				     __field(u32, arg)),
		    TP_fast_assign(rxt_assign_str(dev, qp->dev->name);
				   __entry->qpn = qp->head.qpn;
				   __entry->id = id;
				   __entry->arg = arg;),
		    TP_printk("dev=%s qp=0x%06x id=%u arg=%u", __get_str(dev), __entry->qpn,
			      __entry->id, __entry->arg));

/* All requests up to @id are acknowledged; arg: the one that was before. */
DEFINE_EVENT(rxt_id_class, rxt_acked,
	     TP_PROTO(const struct rxt_qp *qp, u32 id, u32 arg),
	     TP_ARGS(qp, id, arg));
/* Goes again from request @id, payload byte arg. */
DEFINE_EVENT(rxt_id_class, rxt_retransmit,
	     TP_PROTO(const struct rxt_qp *qp, u32 id, u32 arg),
	     TP_ARGS(qp, id, arg));
/* The peer has no receive request for @id: wait arg microseconds. */
DEFINE_EVENT(rxt_id_class, rxt_rnr,
	     TP_PROTO(const struct rxt_qp *qp, u32 id, u32 arg),
	     TP_ARGS(qp, id, arg));

TRACE_EVENT(rxt_nak,
	    TP_PROTO(const struct rxt_qp *qp, u32 id, u8 verdict),
	    TP_ARGS(qp, id, verdict),
	    TP_STRUCT__entry(__string(dev, qp->dev->name)
			     __field(u32, qpn)
			     __field(u32, id)
			     __field(u8, verdict)),
	    TP_fast_assign(rxt_assign_str(dev, qp->dev->name);
			   __entry->qpn = qp->head.qpn;
			   __entry->id = id;
			   __entry->verdict = verdict;),
	    TP_printk("dev=%s qp=0x%06x id=%u verdict=%s", __get_str(dev),
		      __entry->qpn, __entry->id, rxt_show_verdict(__entry->verdict)));

/* ---- messages that come in ---- */

DECLARE_EVENT_CLASS(rxt_rx_class,
		    TP_PROTO(const struct rxt_qp *qp, const struct rxt_hdr *hdr, u8 verdict),
		    TP_ARGS(qp, hdr, verdict),
		    TP_STRUCT__entry(__string(dev, qp->dev->name)
				     __field(u32, qpn)
				     __field(u32, id)
				     __field(u32, length)
				     __field(u8, op)
				     __field(u8, verdict)),
		    TP_fast_assign(rxt_assign_str(dev, qp->dev->name);
				   __entry->qpn = qp->head.qpn;
				   __entry->id = hdr->msg_id;
				   __entry->length = hdr->length;
				   __entry->op = hdr->op;
				   __entry->verdict = verdict;),
		    TP_printk("dev=%s qp=0x%06x id=%u op=%s length=%d verdict=%s",
			      __get_str(dev), __entry->qpn, __entry->id,
			      rxt_show_op(__entry->op), (int)__entry->length,
			      rxt_show_verdict(__entry->verdict)));

/* A message with payload begins (length -1: not known yet). */
DEFINE_EVENT(rxt_rx_class, rxt_rx_begin,
	     TP_PROTO(const struct rxt_qp *qp, const struct rxt_hdr *hdr, u8 verdict),
	     TP_ARGS(qp, hdr, verdict));
/* All of it is there. */
DEFINE_EVENT(rxt_rx_class, rxt_rx_end,
	     TP_PROTO(const struct rxt_qp *qp, const struct rxt_hdr *hdr, u8 verdict),
	     TP_ARGS(qp, hdr, verdict));
/* A READ or an atomic is asked for. */
DEFINE_EVENT(rxt_rx_class, rxt_rx_request,
	     TP_PROTO(const struct rxt_qp *qp, const struct rxt_hdr *hdr, u8 verdict),
	     TP_ARGS(qp, hdr, verdict));

/* ---- completions ---- */

TRACE_EVENT(rxt_cqe,
	    TP_PROTO(const struct rxt_wc *wc, bool lost),
	    TP_ARGS(wc, lost),
	    TP_STRUCT__entry(__string(dev, wc->qp->dev->name)
			     __field(u64, wr_id)
			     __field(u32, qpn)
			     __field(u32, length)
			     __field(u8, opcode)
			     __field(u8, status)
			     __field(bool, lost)),
	    TP_fast_assign(rxt_assign_str(dev, wc->qp->dev->name);
			   __entry->wr_id = wc->wr_id;
			   __entry->qpn = wc->qp->head.qpn;
			   __entry->length = wc->byte_len;
			   __entry->opcode = wc->opcode;
			   __entry->status = wc->status;
			   __entry->lost = lost;),
	    TP_printk("dev=%s qp=0x%06x wr_id=0x%llx opcode=%u status=%u length=%u%s",
		      __get_str(dev), __entry->qpn, __entry->wr_id, __entry->opcode,
		      __entry->status, __entry->length,
		      __entry->lost ? " lost: the queue is full" : ""));

#endif /* _RXT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
