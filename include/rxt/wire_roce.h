/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt: what the RoCE backend puts on the wire: RoCEv2 (IBTA annex A17), that is
 * IBTA transport packets in UDP.
 *
 * What lives here: layouts and constants, all big-endian. What may not: code.
 */
#ifndef _RXT_WIRE_ROCE_H
#define _RXT_WIRE_ROCE_H

#include <linux/types.h>

#define ROCE_PORT		4791

/**
 * struct roce_bth - base transport header (IBTA 9.2)
 * @opcode: ROCE_*
 * @flags: ROCE_BTH_SE … ROCE_BTH_TVER
 * @pkey: partition
 * @qpn: FECN, BECN, 6 reserved bits, 24 bits destination QP; the upper 8 bits may
 *	change on the way and are not covered by the ICRC
 * @psn: ROCE_BTH_ACKREQ, 7 reserved bits, 24 bits packet sequence number
 */
struct roce_bth {
	__u8	opcode;
	__u8	flags;
	__be16	pkey;
	__be32	qpn;
	__be32	psn;
} __packed;

#define ROCE_BTH_SE		0x80	/* solicited event */
#define ROCE_BTH_MIGREQ		0x40	/* path migration state: migrated */
#define ROCE_BTH_PAD		0x30	/* bytes that fill up to a multiple of 4 */
#define ROCE_BTH_PAD_SHIFT	4
#define ROCE_BTH_TVER		0x0f	/* transport version, 0 */
#define ROCE_BTH_ACKREQ		0x80000000
#define ROCE_MASK24		0x00ffffff

#define ROCE_PKEY		0xffff	/* default partition, full member */
#define ROCE_PKEY_BASE		0x7fff
#define ROCE_GSI_QPN		1
#define ROCE_MCAST_QPN		0xffffff

/* Extension headers, in the order in which they follow the base header. */

struct roce_deth {
	__be32	qkey;
	__be32	src_qpn;	/* 8 bits reserved, 24 bits */
} __packed;

struct roce_feth {
	__be32	flush;		/* 26 bits reserved, 2 selectivity, 4 placement */
} __packed;

struct roce_reth {
	__be64	va;
	__be32	rkey;
	__be32	length;		/* of the whole message */
} __packed;

struct roce_atomiceth {
	__be64	va;
	__be32	rkey;
	__be64	swap_add;
	__be64	compare;
} __packed;

struct roce_aeth {
	__be32	syndrome_msn;	/* 8 bits syndrome, 24 bits message number */
} __packed;

struct roce_atomicacketh {
	__be64	orig;
} __packed;

struct roce_immdt {
	__be32	imm;
} __packed;

struct roce_ieth {
	__be32	rkey;
} __packed;

#define ROCE_ICRC_LEN		4
/* Longest of all opcodes: base header and AtomicETH. */
#define ROCE_HDR_MAX		40
/* Most that travels beside payload: IPv6, UDP, BTH, RETH, ImmDt, ICRC. */
#define ROCE_OVERHEAD		84

/* AETH syndrome (IBTA 9.7.5.2.1) */
#define ROCE_SYN_TYPE		0xe0
#define ROCE_SYN_ACK		0x00
#define ROCE_SYN_RNR		0x20
#define ROCE_SYN_NAK		0x60
#define ROCE_SYN_VALUE		0x1f
#define ROCE_SYN_NO_CREDIT	0x1f	/* value of an ACK: credits unused */

#define ROCE_NAK_PSN		0
#define ROCE_NAK_INV_REQ	1
#define ROCE_NAK_REM_ACC	2
#define ROCE_NAK_REM_OP		3

/* Opcodes: IBTA table 38. UC and UD have those of RC that they need, moved up. */
#define ROCE_RC			0x00
#define ROCE_UC			0x20
#define ROCE_UD			0x60
#define ROCE_TRANSPORT		0xe0

#define ROCE_SEND_FIRST		0x00
#define ROCE_SEND_MIDDLE	0x01
#define ROCE_SEND_LAST		0x02
#define ROCE_SEND_LAST_IMM	0x03
#define ROCE_SEND_ONLY		0x04
#define ROCE_SEND_ONLY_IMM	0x05
#define ROCE_WRITE_FIRST	0x06
#define ROCE_WRITE_MIDDLE	0x07
#define ROCE_WRITE_LAST		0x08
#define ROCE_WRITE_LAST_IMM	0x09
#define ROCE_WRITE_ONLY		0x0a
#define ROCE_WRITE_ONLY_IMM	0x0b
#define ROCE_READ_REQ		0x0c
#define ROCE_READ_RESP_FIRST	0x0d
#define ROCE_READ_RESP_MIDDLE	0x0e
#define ROCE_READ_RESP_LAST	0x0f
#define ROCE_READ_RESP_ONLY	0x10
#define ROCE_ACK		0x11
#define ROCE_ATOMIC_ACK		0x12
#define ROCE_CMP_SWP		0x13
#define ROCE_FETCH_ADD		0x14
#define ROCE_SEND_LAST_INV	0x16
#define ROCE_SEND_ONLY_INV	0x17
#define ROCE_FLUSH		0x1c
#define ROCE_ATOMIC_WRITE	0x1d

#endif /* _RXT_WIRE_ROCE_H */
