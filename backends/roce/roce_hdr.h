/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_roce: headers as structures, and arithmetic on sequence numbers.
 *
 * What lives here: pure things, no connection, no skb. What may not: layouts
 * (rxt/wire_roce.h), meaning (roce_resp.c, roce_req.c).
 */
#ifndef _ROCE_HDR_H
#define _ROCE_HDR_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rxt/types.h>
#include <rxt/wire_roce.h>

/* roce_opcode.ext, in wire order */
#define ROCE_X_DETH		BIT(0)
#define ROCE_X_FETH		BIT(1)
#define ROCE_X_RETH		BIT(2)
#define ROCE_X_ATOMICETH	BIT(3)
#define ROCE_X_AETH		BIT(4)
#define ROCE_X_ATOMICACK	BIT(5)
#define ROCE_X_IMM		BIT(6)
#define ROCE_X_IETH		BIT(7)

/* roce_opcode.flags */
#define ROCE_F_VALID		BIT(0)
#define ROCE_F_FIRST		BIT(1)	/* begins a message */
#define ROCE_F_LAST		BIT(2)	/* ends a message */
#define ROCE_F_PAYLOAD		BIT(3)	/* carries payload, maybe none of it */
#define ROCE_F_RESPONSE		BIT(4)	/* for the requester */
#define ROCE_F_ONLY		(ROCE_F_FIRST | ROCE_F_LAST)

/**
 * enum roce_family - which packets make a message together
 * @ROCE_FAM_SEND: SEND of every kind
 * @ROCE_FAM_WRITE: WRITE of every kind
 * @ROCE_FAM_SINGLE: requests of one packet: READ, atomics, FLUSH
 * @ROCE_FAM_READ_RESP: READ response
 * @ROCE_FAM_ATOMIC_RESP: result of an atomic
 * @ROCE_FAM_ACK: ACK and NAK
 */
enum roce_family {
	ROCE_FAM_SEND,
	ROCE_FAM_WRITE,
	ROCE_FAM_SINGLE,
	ROCE_FAM_READ_RESP,
	ROCE_FAM_ATOMIC_RESP,
	ROCE_FAM_ACK,
};

/**
 * struct roce_opcode - what an opcode stands for
 * @flags: ROCE_F_*; 0 for one that does not exist
 * @family: enum roce_family
 * @op: enum rxt_op
 * @hdr_len: bytes of base and extension headers
 * @ext: ROCE_X_*
 */
struct roce_opcode {
	u8	flags;
	u8	family;
	u8	op;
	u8	hdr_len;
	u8	ext;
};

extern const struct roce_opcode roce_opcodes[256];

/**
 * struct roce_hdr - the headers of one packet
 * @info: of @opcode
 * @opcode: as on the wire
 * @pad: bytes behind the payload
 * @solicited: SE bit
 * @ackreq: ACK wanted
 * @syndrome: AETH
 * @pkey: partition
 * @qpn: destination QP
 * @psn: sequence number
 * @len: payload bytes
 * @msn: AETH
 * @dma_len: RETH: bytes of the message
 * @rkey: RETH, AtomicETH
 * @va: RETH, AtomicETH
 * @compare: AtomicETH
 * @swap_add: AtomicETH
 * @orig: AtomicAckETH
 * @imm: ImmDt, as on the wire
 * @inv_rkey: IETH
 * @qkey: DETH
 * @src_qpn: DETH
 */
struct roce_hdr {
	const struct roce_opcode *info;
	u8	opcode;
	u8	pad;
	bool	solicited;
	bool	ackreq;
	u8	syndrome;
	u16	pkey;
	u32	qpn;
	u32	psn;
	u32	len;
	u32	msn;
	u32	dma_len;
	u32	rkey;
	u64	va;
	u64	compare;
	u64	swap_add;
	u64	orig;
	__be32	imm;
	u32	inv_rkey;
	u32	qkey;
	u32	src_qpn;
};

void roce_hdr_set_psn(struct roce_hdr *h, const struct roce_bth *bth);
int roce_hdr_decode(struct roce_hdr *h, const u8 *buf, u32 have, u32 wire_len);
u32 roce_hdr_encode(const struct roce_hdr *h, u8 *buf);
u8 roce_data_opcode(u8 transport, u8 op, bool first, bool last);

/* Bytes that bring @len to a multiple of 4. */
static inline u32 roce_pad(u32 len)
{
	return -len & 3;
}

/* Bytes of UDP payload of the packet. */
static inline u32 roce_wire_len(const struct roce_hdr *h)
{
	return h->info->hdr_len + h->len + h->pad + ROCE_ICRC_LEN;
}

/* PSNs are 24 bits and wrap: how far @a is ahead of @b, -2^23 to 2^23 - 1. */
static inline s32 roce_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

static inline u32 roce_psn_add(u32 psn, u32 n)
{
	return (psn + n) & ROCE_MASK24;
}

/* Packets that @len payload bytes take. */
static inline u32 roce_npkts(u32 len, u32 mtu_shift)
{
	u32 n = (len >> mtu_shift) + !!(len & (BIT(mtu_shift) - 1));

	return n ?: 1;
}

#endif /* _ROCE_HDR_H */
