/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_tcp: frames and hellos as structs.
 *
 * What lives here: the interface of tcp_frame.c, which is pure (no sockets, no
 * state) and may be linked into a test. What may not: anything with state.
 */
#ifndef _RXTCP_FRAME_H
#define _RXTCP_FRAME_H

#include <rxt/types.h>
#include <rxt/wire_tcp.h>

/* Which frames follow each other within a message. */
enum rxtcp_family {
	RXTCP_SEND,
	RXTCP_WRITE,
	RXTCP_READ_RESP,
	RXTCP_SINGLE,		/* READ, atomics, their responses */
	RXTCP_CTL,		/* ACK, NAK */
};

#define RXTCP_FIRST	BIT(0)
#define RXTCP_LAST	BIT(1)
#define RXTCP_ONLY	(RXTCP_FIRST | RXTCP_LAST)

/* Extension headers that an opcode has. */
#define RXTCP_RETH	BIT(0)
#define RXTCP_ATOMICETH	BIT(1)
#define RXTCP_AETH	BIT(2)
#define RXTCP_ATOMICACK	BIT(3)
#define RXTCP_LENETH	BIT(4)
#define RXTCP_IMM	BIT(5)
#define RXTCP_IETH	BIT(6)

/**
 * struct rxtcp_opcode - what an opcode means
 * @valid: it is one of ours
 * @family: enum rxtcp_family
 * @op: enum rxt_op; FIRST and MIDDLE: the plain operation
 * @phase: RXTCP_FIRST, _LAST, both or none
 * @ext: RXTCP_RETH …
 * @hdr_len: bytes of base and extension headers
 */
struct rxtcp_opcode {
	bool	valid;
	u8	family;
	u8	op;
	u8	phase;
	u8	ext;
	u8	hdr_len;
};

/**
 * struct rxtcp_frame - a frame's headers
 * @info: what @opcode means (decode only)
 * @opcode: IBTA opcode
 * @solicited: SE bit
 * @qpn: destination QP
 * @id: message number
 * @ack: piggybacked cumulative ACK
 * @len: payload bytes of this frame
 * @total: payload bytes of the message (FIRST, ONLY), or asked for (READ)
 * @va: remote address
 * @rkey: remote key
 * @inv_rkey: IETH
 * @imm: ImmDt
 * @syndrome: AETH
 * @compare: AtomicETH
 * @swap_add: AtomicETH; AtomicAckETH: original value
 */
struct rxtcp_frame {
	const struct rxtcp_opcode *info;
	u8	opcode;
	bool	solicited;
	u8	syndrome;
	u32	qpn;
	u32	id;
	u32	ack;
	u32	len;
	u32	total;
	u64	va;
	u32	rkey;
	u32	inv_rkey;
	__be32	imm;
	u64	compare;
	u64	swap_add;
};

/**
 * struct rxtcp_hello - a hello in host order; see struct rxt_tcp_hello
 * @type: request or reply
 * @status: of a reply
 * @qp_type: 2 RC, 3 UC, 4 datagrams
 * @version: of the format
 * @features: offered or granted
 * @max_seg: longest frame payload taken, bytes
 * @src_qpn: sender's QP
 * @dst_qpn: receiver's QP
 * @src_gid: sender's address
 * @dst_gid: receiver's address
 */
struct rxtcp_hello {
	u8		type;
	u8		status;
	u8		qp_type;
	u16		version;
	u32		features;
	u32		max_seg;
	u32		src_qpn;
	u32		dst_qpn;
	union ib_gid	src_gid;
	union ib_gid	dst_gid;
};

/* NULL when unknown, or not of the transport @uc. */
const struct rxtcp_opcode *rxtcp_opcode_info(u8 opcode, bool uc);
/* Opcode of a frame of a message, 0 <= or -EINVAL. */
int rxtcp_opcode_for(u8 op, u8 phase, bool uc);

unsigned int rxtcp_frame_encode(const struct rxtcp_frame *f, u8 *buf);
int rxtcp_frame_decode(const u8 *buf, unsigned int len, bool uc, struct rxtcp_frame *f);

void rxtcp_hello_encode(const struct rxtcp_hello *h, struct rxt_tcp_hello *wire);
/* enum rxt_tcp_status */
u8 rxtcp_hello_decode(const struct rxt_tcp_hello *wire, u8 type, struct rxtcp_hello *h);

/* Verdicts on the wire: @verdict is a refusal, not NOT_READY. */
u8 rxtcp_verdict_syndrome(enum rxt_verdict verdict);
/* RXT_OK: it is none of the three refusals. */
enum rxt_verdict rxtcp_syndrome_verdict(u8 syndrome);

#endif /* _RXTCP_FRAME_H */
