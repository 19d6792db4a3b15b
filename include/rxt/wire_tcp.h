/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt: what the TCP backend puts on the wire.
 *
 * What lives here: layouts and constants, all big-endian. What may not: code.
 * Documentation/wire-tcp.rst has the rules that go with them.
 */
#ifndef _RXT_WIRE_TCP_H
#define _RXT_WIRE_TCP_H

#include <linux/types.h>

/* Listening port unless the module parameter says otherwise. */
#define RXT_TCP_PORT		4792

#define RXT_TCP_VERSION		1
/* Payload bytes of one frame, at most. A peer may ask for less in its hello. */
#define RXT_TCP_SEG_MAX		65536
#define RXT_TCP_SEG_MIN		1024

/* struct rxt_tcp_hello.magic: "RXT/TCP\n" */
#define RXT_TCP_MAGIC		0x5258542f5443500aULL

enum rxt_tcp_hello_type {
	RXT_TCP_HELLO_REQ	= 1,	/* from the side that connected */
	RXT_TCP_HELLO_REP	= 2,
};

enum rxt_tcp_status {
	RXT_TCP_OK		= 0,
	RXT_TCP_BAD_HELLO	= 1,	/* magic, length, type, a field */
	RXT_TCP_BAD_VERSION	= 2,	/* .version says which one is spoken */
	RXT_TCP_NOT_READY	= 3,	/* no such QP in RTR yet: try again */
	RXT_TCP_MISMATCH	= 4,	/* the QP has another peer or type */
	RXT_TCP_BUSY		= 5,	/* the QP is connected already */
	RXT_TCP_BAD_SOURCE	= 6,	/* GIDs are not the TCP addresses */
};

/**
 * struct rxt_tcp_hello - first bytes in either direction
 * @magic: RXT_TCP_MAGIC
 * @version: RXT_TCP_VERSION
 * @length: bytes of this structure
 * @type: enum rxt_tcp_hello_type
 * @status: enum rxt_tcp_status, 0 in a request
 * @qp_type: 2 RC, 3 UC; 4: the stream carries datagrams (UD, QP 1) between two
 *	addresses, whatever their QPs, and both QPNs are 0
 * @rsvd0: 0
 * @features: offered in a request, granted in a reply; none defined
 * @max_seg: longest frame payload that the sender of this takes
 * @src_qpn: QP of who sends this
 * @dst_qpn: QP that it is for
 * @src_gid: address of who sends this
 * @dst_gid: address of who gets this
 * @rsvd1: 0
 */
struct rxt_tcp_hello {
	__be64	magic;
	__be16	version;
	__be16	length;
	__u8	type;
	__u8	status;
	__u8	qp_type;
	__u8	rsvd0;
	__be32	features;
	__be32	max_seg;
	__be32	src_qpn;
	__be32	dst_qpn;
	__u8	src_gid[16];
	__u8	dst_gid[16];
	__u8	rsvd1[32];
} __packed;

/* struct rxt_tcp_bth.flags */
#define RXT_TCP_F_SE		0x80	/* solicited event */
#define RXT_TCP_F_VERSION	0x0f	/* RXT_TCP_VERSION */

#define RXT_TCP_PKEY		0xffff

/**
 * struct rxt_tcp_bth - base header of each frame
 * @opcode: IBTA opcode, RXT_TCP_RC_* and RXT_TCP_UC_*
 * @flags: RXT_TCP_F_*
 * @pkey: RXT_TCP_PKEY
 * @dst_qpn: 24 bits, upper 8 are 0
 * @msg_id: number of the request; a response, ACK or NAK: which one it is for
 * @ack_id: newest request of the other side that was accepted, as were all
 *	before it
 * @length: payload bytes of this frame, behind all headers
 */
struct rxt_tcp_bth {
	__u8	opcode;
	__u8	flags;
	__be16	pkey;
	__be32	dst_qpn;
	__be32	msg_id;
	__be32	ack_id;
	__be32	length;
} __packed;

/* Extension headers, in the order in which they follow the base header. */

struct rxt_tcp_reth {
	__be64	va;
	__be32	rkey;
	__be32	length;		/* of the whole message */
} __packed;

struct rxt_tcp_atomiceth {
	__be64	va;
	__be32	rkey;
	__be64	swap_add;
	__be64	compare;
} __packed;

struct rxt_tcp_aeth {
	__be32	syndrome_msn;	/* 8 bits syndrome, 24 low bits of msg_id */
} __packed;

struct rxt_tcp_atomicacketh {
	__be64	orig;
} __packed;

/* Not in IBTA: bytes of the whole message, in SEND and READ response FIRST. */
struct rxt_tcp_leneth {
	__be32	length;
} __packed;

struct rxt_tcp_immdt {
	__be32	imm;
} __packed;

struct rxt_tcp_ieth {
	__be32	rkey;
} __packed;

/* Base header and the longest extension: AtomicETH. */
#define RXT_TCP_HDR_MAX		48

/**
 * struct rxt_tcp_dgram - header of a datagram
 * @opcode: RXT_TCP_UD_SEND_ONLY, _IMM: struct rxt_tcp_immdt follows
 * @flags: RXT_TCP_F_*
 * @pkey: RXT_TCP_PKEY
 * @dst_qpn: 24 bits, upper 8 are 0
 * @qkey: Q_Key, IBTA 9.2.6 and DETH
 * @src_qpn: 24 bits, upper 8 are 0
 * @class_label: 8 bits traffic class, 20 bits flow label, upper 4 are 0
 * @length: payload bytes, behind all headers
 */
struct rxt_tcp_dgram {
	__u8	opcode;
	__u8	flags;
	__be16	pkey;
	__be32	dst_qpn;
	__be32	qkey;
	__be32	src_qpn;
	__be32	class_label;
	__be32	length;
} __packed;

#define RXT_TCP_DGRAM_HDR_MAX	28
/* Payload of a datagram: the largest MTU there is. */
#define RXT_TCP_DGRAM_MAX	4096

/* AETH syndrome, IBTA 9.7.5.2.1 */
#define RXT_TCP_SYN_TYPE	0xe0
#define RXT_TCP_SYN_ACK		0x00
#define RXT_TCP_SYN_RNR		0x20
#define RXT_TCP_SYN_NAK		0x60
#define RXT_TCP_SYN_VALUE	0x1f
#define RXT_TCP_SYN_NO_CREDIT	0x1f	/* value of an ACK: credits unused */

#define RXT_TCP_NAK_INV_REQ	1
#define RXT_TCP_NAK_REM_ACC	2
#define RXT_TCP_NAK_REM_OP	3

/* Opcodes: IBTA table 38 */
#define RXT_TCP_RC_SEND_FIRST		0x00
#define RXT_TCP_RC_SEND_MIDDLE		0x01
#define RXT_TCP_RC_SEND_LAST		0x02
#define RXT_TCP_RC_SEND_LAST_IMM	0x03
#define RXT_TCP_RC_SEND_ONLY		0x04
#define RXT_TCP_RC_SEND_ONLY_IMM	0x05
#define RXT_TCP_RC_WRITE_FIRST		0x06
#define RXT_TCP_RC_WRITE_MIDDLE		0x07
#define RXT_TCP_RC_WRITE_LAST		0x08
#define RXT_TCP_RC_WRITE_LAST_IMM	0x09
#define RXT_TCP_RC_WRITE_ONLY		0x0a
#define RXT_TCP_RC_WRITE_ONLY_IMM	0x0b
#define RXT_TCP_RC_READ_REQ		0x0c
#define RXT_TCP_RC_READ_RESP_FIRST	0x0d
#define RXT_TCP_RC_READ_RESP_MIDDLE	0x0e
#define RXT_TCP_RC_READ_RESP_LAST	0x0f
#define RXT_TCP_RC_READ_RESP_ONLY	0x10
#define RXT_TCP_RC_ACK			0x11
#define RXT_TCP_RC_ATOMIC_ACK		0x12
#define RXT_TCP_RC_CMP_SWP		0x13
#define RXT_TCP_RC_FETCH_ADD		0x14
#define RXT_TCP_RC_SEND_LAST_INV	0x16
#define RXT_TCP_RC_SEND_ONLY_INV	0x17
#define RXT_TCP_RC_ATOMIC_WRITE		0x1d
/* SEND and WRITE of UC: the same numbers above this */
#define RXT_TCP_UC			0x20
#define RXT_TCP_TRANSPORT		0xe0

#define RXT_TCP_UD_SEND_ONLY		0x64
#define RXT_TCP_UD_SEND_ONLY_IMM	0x65

#endif /* _RXT_WIRE_TCP_H */
