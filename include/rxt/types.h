/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt: the vocabulary that core, provider and backends share.
 *
 * What lives here: plain data that crosses a layer (messages, headers, paths,
 * verdicts). What may not: functions with a body beyond a line or two, wire
 * formats, ring layouts.
 */
#ifndef _RXT_TYPES_H
#define _RXT_TYPES_H

#include <linux/bits.h>
#include <linux/types.h>
#include <linux/list.h>
#include <rdma/ib_verbs.h>

struct rxt_dev;
struct rxt_qp;
struct rxt_mr;
struct rxt_cq;
struct rxt_rq;
struct rxt_conn;

/* Largest message: IBTA 9.3.3.1 (2^31 bytes). */
#define RXT_MAX_MSG		BIT(31)
/* rxt_hdr.length of a SEND whose total is not on the wire (RoCE). */
#define RXT_LEN_UNKNOWN		U32_MAX

/**
 * enum rxt_op - what a message means, whatever its wire encoding
 * @RXT_OP_SEND: SEND
 * @RXT_OP_SEND_IMM: SEND with immediate
 * @RXT_OP_SEND_INV: SEND with invalidate
 * @RXT_OP_WRITE: RDMA WRITE
 * @RXT_OP_WRITE_IMM: RDMA WRITE with immediate
 * @RXT_OP_READ: RDMA READ request
 * @RXT_OP_CMP_SWP: atomic compare and swap
 * @RXT_OP_FETCH_ADD: atomic fetch and add
 * @RXT_OP_ATOMIC_WRITE: 8 bytes at once (IBTA 1.5 9.4.5)
 * @RXT_OP_READ_RESP: answer to READ
 * @RXT_OP_ATOMIC_RESP: answer to the two atomics
 * @RXT_OP_LOCAL_INV: make a key of this side invalid
 * @RXT_OP_REG_MR: give a region of a kernel consumer its memory
 * @RXT_OP_BIND_MW: give a window a part of a region
 * @RXT_OP_MAX: number of the above
 *
 * The answers travel in the response lane, all else in the request lane; the last
 * three do not travel at all.
 */
enum rxt_op {
	RXT_OP_SEND,
	RXT_OP_SEND_IMM,
	RXT_OP_SEND_INV,
	RXT_OP_WRITE,
	RXT_OP_WRITE_IMM,
	RXT_OP_READ,
	RXT_OP_CMP_SWP,
	RXT_OP_FETCH_ADD,
	RXT_OP_ATOMIC_WRITE,

	RXT_OP_READ_RESP,
	RXT_OP_ATOMIC_RESP,

	RXT_OP_LOCAL_INV,
	RXT_OP_REG_MR,
	RXT_OP_BIND_MW,
	RXT_OP_MAX
};

/**
 * enum rxt_verdict - the core's answer to an inbound message
 * @RXT_OK: accepted
 * @RXT_NOT_READY: no receive WQE; ask again later (RNR NAK)
 * @RXT_BAD_REQUEST: remote invalid request (IBTA 9.7.5.2.5)
 * @RXT_BAD_ACCESS: remote access error
 * @RXT_OP_ERROR: the responder could not carry it out (its own fault)
 * @RXT_DROP: the QP is not receiving; say nothing
 *
 * A verdict carries no wire code: each backend maps it in one table.
 */
enum rxt_verdict {
	RXT_OK,
	RXT_NOT_READY,
	RXT_BAD_REQUEST,
	RXT_BAD_ACCESS,
	RXT_OP_ERROR,
	RXT_DROP,
};

/**
 * struct rxt_seg - one piece of local memory
 * @addr: IOVA as the application named it (bytes)
 * @length: bytes
 * @lkey: key as posted
 * @mr: resolved region, a reference is held; NULL until resolved
 */
struct rxt_seg {
	u64		addr;
	u32		length;
	u32		lkey;
	struct rxt_mr	*mr;
};

/**
 * struct rxt_path - who the peer of a QP (or of one datagram) is
 * @sgid: own address as a GID (an IPv4 address is IPv4-mapped)
 * @dgid: the peer's address as a GID
 * @flow_label: 20 bits, 0 when none was given
 * @hop_limit: IP TTL, 0 means the stack's default
 * @tclass: IP TOS / traffic class
 * @sl: service level, 4 bits; see rxt_path_prio()
 * @scope_ifindex: netdev that a link-local @dgid is valid on
 */
struct rxt_path {
	union ib_gid	sgid;
	union ib_gid	dgid;
	u32		flow_label;
	u8		hop_limit;
	u8		tclass;
	u8		sl;
	int		scope_ifindex;
};

/**
 * rxt_path_prio - priority of packets along a path
 * @path: path
 *
 * The eight of 802.1Q are the first service levels. Others are no priority: a
 * process may have the number from a completion, where it says something else (see
 * provider/cq.c).
 *
 * Return: for skb or socket, 0: none in particular.
 */
static inline u32 rxt_path_prio(const struct rxt_path *path)
{
	return path->sl < 8 ? path->sl : 0;
}

/**
 * struct rxt_qp_attr - attributes of a QP in rxt terms (IBTA 11.2.5.2)
 * @state: to enter, or (query) current
 * @cur_state: what the caller takes for the current one
 * @path_mtu: payload of a wire packet, where the backend has such
 * @dest_qpn: the peer's QP number, 24 bits
 * @rq_psn: first PSN expected, 24 bits
 * @sq_psn: first PSN sent, 24 bits
 * @qkey: datagrams
 * @access: IB_ACCESS_REMOTE_* that the peer may do at all
 * @path: to the peer
 * @pkey_index: always 0
 * @port_num: always 1
 * @max_rd_atomic: READs and atomics that may be out
 * @max_dest_rd_atomic: those that the peer may have out
 * @min_rnr_timer: for the peer, 5-bit code of IBTA table 45
 * @timeout: 5-bit exponent of 4.096 us, 0 = never
 * @retry_cnt: 0 to 7
 * @rnr_retry: 0 to 7, 7 = without end
 * @sq_draining: query: SQD is not reached yet
 * @sgid_index: as the application gave it, for query
 * @sqd_notify: wants the SQ_DRAINED event
 *
 * Which are valid is said by an IB_QP_* mask beside it.
 */
struct rxt_qp_attr {
	enum ib_qp_state	state;
	enum ib_qp_state	cur_state;
	enum ib_mtu		path_mtu;
	u32			dest_qpn;
	u32			rq_psn;
	u32			sq_psn;
	u32			qkey;
	int			access;
	struct rxt_path		path;
	u16			pkey_index;
	u8			port_num;
	u8			max_rd_atomic;
	u8			max_dest_rd_atomic;
	u8			min_rnr_timer;
	u8			timeout;
	u8			retry_cnt;
	u8			rnr_retry;
	u8			sq_draining;
	u8			sgid_index;
	bool			sqd_notify;
};

/* rxt_msg.flags */
#define RXT_MSG_SIGNALED	BIT(0)	/* wants a CQE */
#define RXT_MSG_SOLICITED	BIT(1)
#define RXT_MSG_FENCE		BIT(2)
#define RXT_MSG_INLINE		BIT(3)	/* payload is in msg->data */
#define RXT_MSG_PAGED		BIT(4)	/* core: its pages may come and go */

/**
 * struct rxt_mm_op - what REG_MR and BIND_MW say beside address and key
 * @length: BIND_MW: bytes; REG_MR: which mapping, see rxt_fast_stage()
 * @lkey: BIND_MW: the region
 * @new_key: what the key becomes: its low byte is the consumer's choice
 * @access: IB_ACCESS_* to grant
 */
struct rxt_mm_op {
	u64	length;
	u32	lkey;
	u32	new_key;
	int	access;
};

/**
 * struct rxt_msg - one message on its way out
 *
 * Request lane: built by the core from one send WQE (a private copy; the ring
 * slot is forgotten). Response lane: built by the core for an inbound READ or
 * atomic. The backend may read all of it and write only @tx_off and @be, and
 * only inside ->xmit() (TX token held).
 *
 * @node: the core's list
 * @qp: the QP it belongs to
 * @id: message number. Requests count 1, 2, 3 … per connection (mod 2^32);
 *	a response carries the id of the request that it answers
 * @length: payload bytes that this message carries out (0 for READ, atomics)
 * @tx_off: payload bytes already accepted by the stack; the core sets it to 0
 *	when the message has to go again
 * @op: enum rxt_op
 * @flags: RXT_MSG_*
 * @num_seg: valid entries of @seg (0 when RXT_MSG_INLINE)
 * @imm: immediate data (SEND_IMM, WRITE_IMM), as on the wire
 * @inv_rkey: key to invalidate: at the peer (SEND_INV), here (LOCAL_INV)
 * @raddr: remote address; REG_MR, BIND_MW: where the memory begins
 * @rkey: remote key; REG_MR, BIND_MW: the region or window as it is now
 * @rd_length: bytes asked for (READ)
 * @compare: CMP_SWP compare value
 * @swap_add: CMP_SWP swap, FETCH_ADD addend, ATOMIC_WRITE value (as u64 bytes
 *	in memory order), ATOMIC_RESP original value
 * @cookie: response lane: what the backend gave to rxt_rx_read/_atomic
 * @mm: REG_MR, BIND_MW
 * @be: scratch of the backend, zeroed when the message is made and never
 *	touched by the core after that
 * @wr_id: the application's
 * @state: core: life of the message
 * @status: core: enum ib_wc_status it will complete with
 * @rd_counted: core: counts against max_rd_atomic right now
 * @remote_qpn: UD: destination
 * @remote_qkey: UD: as it goes on the wire
 * @av: UD: where to; valid for UD only
 * @seg: local memory, or
 * @data: inline payload
 */
struct rxt_msg {
	struct list_head	node;
	struct rxt_qp		*qp;
	u32			id;
	u32			length;
	u32			tx_off;
	u8			op;
	u8			flags;
	u16			num_seg;
	union {
		__be32		imm;
		u32		inv_rkey;
	};
	u32			rkey;
	u64			raddr;
	u32			rd_length;
	union {
		struct {
			u64	compare;
			u64	swap_add;
			u64	cookie;
		};
		struct rxt_mm_op mm;
	};
	u64			be[4];
	/* core only from here on */
	u64			wr_id;
	u8			state;
	u8			status;
	bool			rd_counted;
	u32			remote_qpn;
	u32			remote_qkey;
	struct rxt_path		*av;
	union {
		DECLARE_FLEX_ARRAY(struct rxt_seg, seg);
		DECLARE_FLEX_ARRAY(u8, data);
	};
};

/**
 * struct rxt_hdr - a parsed, bounds-checked inbound message header
 * @op: enum rxt_op
 * @solicited: the SE bit
 * @msg_id: message number of the request (for responses: which it answers)
 * @length: payload bytes of the whole message, or RXT_LEN_UNKNOWN for a SEND
 *	whose total comes only with its last packet; READ: bytes asked for
 * @imm: immediate data
 * @inv_rkey: SEND_INV
 * @raddr: RETH/AtomicETH virtual address
 * @rkey: RETH/AtomicETH key
 * @compare: AtomicETH
 * @swap_add: AtomicETH; ATOMIC_WRITE: the 8 bytes of payload
 */
struct rxt_hdr {
	u8	op;
	bool	solicited;
	u32	msg_id;
	u32	length;
	union {
		__be32	imm;
		u32	inv_rkey;
	};
	u32	rkey;
	u64	raddr;
	u64	compare;
	u64	swap_add;
};

/**
 * struct rxt_recv - private copy of one receive WQE
 * @wr_id: the application's
 * @length: sum of the segments, bytes
 * @num_seg: entries of @seg
 * @max_seg: room in @seg, set by the owner of the buffer
 * @seg: where to put the message
 */
struct rxt_recv {
	u64		wr_id;
	u32		length;
	u16		num_seg;
	u16		max_seg;
	struct rxt_seg	seg[];
};

/**
 * struct rxt_wc - one completion, in rxt terms (IBTA 11.4.2.1)
 * @wr_id: of the WQE
 * @status: how it went
 * @opcode: what it was
 * @byte_len: bytes moved (receive, READ, atomics)
 * @qp: whose
 * @imm: with IB_WC_WITH_IMM
 * @inv_rkey: with IB_WC_WITH_INVALIDATE
 * @src_qp: datagrams: the sender
 * @flags: IB_WC_*
 * @pkey_index: datagrams
 * @sl: datagrams
 * @network_hdr_type: datagrams: RDMA_NETWORK_*
 * @solicited: wakes who armed for solicited completions
 */
struct rxt_wc {
	u64			wr_id;
	enum ib_wc_status	status;
	enum ib_wc_opcode	opcode;
	u32			byte_len;
	struct rxt_qp		*qp;
	union {
		__be32		imm;
		u32		inv_rkey;
	};
	u32			src_qp;
	int			flags;
	u16			pkey_index;
	u8			sl;
	u8			network_hdr_type;
	bool			solicited;
};

#endif /* _RXT_TYPES_H */
