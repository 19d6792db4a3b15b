// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: the opcode table, headers to structures and back.
 *
 * Pure: a bounded buffer goes in, a checked structure or an error comes out. All
 * lengths are unsigned and compared before they are used. No state, no meaning.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <asm/unaligned.h>
#include "roce_hdr.h"

#define LEN_DETH	8
#define LEN_FETH	4
#define LEN_RETH	16
#define LEN_ATOMICETH	28
#define LEN_AETH	4
#define LEN_ATOMICACK	8
#define LEN_IMM		4
#define LEN_IETH	4

#define EXT_LEN(x)						\
	((((x) & ROCE_X_DETH) ? LEN_DETH : 0) +			\
	 (((x) & ROCE_X_FETH) ? LEN_FETH : 0) +			\
	 (((x) & ROCE_X_RETH) ? LEN_RETH : 0) +			\
	 (((x) & ROCE_X_ATOMICETH) ? LEN_ATOMICETH : 0) +	\
	 (((x) & ROCE_X_AETH) ? LEN_AETH : 0) +			\
	 (((x) & ROCE_X_ATOMICACK) ? LEN_ATOMICACK : 0) +	\
	 (((x) & ROCE_X_IMM) ? LEN_IMM : 0) +			\
	 (((x) & ROCE_X_IETH) ? LEN_IETH : 0))

#define OPCODE(_code, _family, _op, _flags, _ext)			\
	[_code] = {							\
		.flags = ROCE_F_VALID | (_flags),			\
		.family = _family,					\
		.op = _op,						\
		.hdr_len = sizeof(struct roce_bth) + EXT_LEN(_ext),	\
		.ext = (_ext),						\
	}

#define SEND(_code, _op, _flags, _ext)					\
	OPCODE(_code, ROCE_FAM_SEND, _op, (_flags) | ROCE_F_PAYLOAD, _ext)

#define RDMA_WRITE(_code, _op, _flags, _ext)				\
	OPCODE(_code, ROCE_FAM_WRITE, _op, (_flags) | ROCE_F_PAYLOAD, _ext)

#define SINGLE(_code, _op, _ext)					\
	OPCODE(_code, ROCE_FAM_SINGLE, _op, ROCE_F_ONLY, _ext)

#define READ_RESP(_code, _flags, _ext)					\
	OPCODE(_code, ROCE_FAM_READ_RESP, RXT_OP_READ_RESP,		\
	       (_flags) | ROCE_F_PAYLOAD | ROCE_F_RESPONSE, _ext)

/* What RC and UC have in common. */
#define SEND_AND_WRITE(_t)						\
	SEND((_t) + ROCE_SEND_FIRST, RXT_OP_SEND, ROCE_F_FIRST, 0),	\
	SEND((_t) + ROCE_SEND_MIDDLE, RXT_OP_SEND, 0, 0),		\
	SEND((_t) + ROCE_SEND_LAST, RXT_OP_SEND, ROCE_F_LAST, 0),	\
	SEND((_t) + ROCE_SEND_LAST_IMM, RXT_OP_SEND_IMM, ROCE_F_LAST,	\
	     ROCE_X_IMM),						\
	SEND((_t) + ROCE_SEND_ONLY, RXT_OP_SEND, ROCE_F_ONLY, 0),	\
	SEND((_t) + ROCE_SEND_ONLY_IMM, RXT_OP_SEND_IMM, ROCE_F_ONLY,	\
	     ROCE_X_IMM),						\
	RDMA_WRITE((_t) + ROCE_WRITE_FIRST, RXT_OP_WRITE, ROCE_F_FIRST,	\
		   ROCE_X_RETH),					\
	RDMA_WRITE((_t) + ROCE_WRITE_MIDDLE, RXT_OP_WRITE, 0, 0),	\
	RDMA_WRITE((_t) + ROCE_WRITE_LAST, RXT_OP_WRITE, ROCE_F_LAST, 0), \
	RDMA_WRITE((_t) + ROCE_WRITE_LAST_IMM, RXT_OP_WRITE_IMM,	\
		   ROCE_F_LAST, ROCE_X_IMM),				\
	RDMA_WRITE((_t) + ROCE_WRITE_ONLY, RXT_OP_WRITE, ROCE_F_ONLY,	\
		   ROCE_X_RETH),					\
	RDMA_WRITE((_t) + ROCE_WRITE_ONLY_IMM, RXT_OP_WRITE_IMM,	\
		   ROCE_F_ONLY, ROCE_X_RETH | ROCE_X_IMM)

/* RXT_OP_MAX: one that means nothing to the core. */
const struct roce_opcode roce_opcodes[256] = {
	SEND_AND_WRITE(ROCE_RC),
	SEND(ROCE_SEND_LAST_INV, RXT_OP_SEND_INV, ROCE_F_LAST, ROCE_X_IETH),
	SEND(ROCE_SEND_ONLY_INV, RXT_OP_SEND_INV, ROCE_F_ONLY, ROCE_X_IETH),
	SINGLE(ROCE_READ_REQ, RXT_OP_READ, ROCE_X_RETH),
	SINGLE(ROCE_CMP_SWP, RXT_OP_CMP_SWP, ROCE_X_ATOMICETH),
	SINGLE(ROCE_FETCH_ADD, RXT_OP_FETCH_ADD, ROCE_X_ATOMICETH),
	SINGLE(ROCE_FLUSH, RXT_OP_MAX, ROCE_X_FETH | ROCE_X_RETH),
	OPCODE(ROCE_ATOMIC_WRITE, ROCE_FAM_SINGLE, RXT_OP_ATOMIC_WRITE,
	       ROCE_F_ONLY | ROCE_F_PAYLOAD, ROCE_X_RETH),
	READ_RESP(ROCE_READ_RESP_FIRST, ROCE_F_FIRST, ROCE_X_AETH),
	READ_RESP(ROCE_READ_RESP_MIDDLE, 0, 0),
	READ_RESP(ROCE_READ_RESP_LAST, ROCE_F_LAST, ROCE_X_AETH),
	READ_RESP(ROCE_READ_RESP_ONLY, ROCE_F_ONLY, ROCE_X_AETH),
	OPCODE(ROCE_ACK, ROCE_FAM_ACK, RXT_OP_MAX,
	       ROCE_F_ONLY | ROCE_F_RESPONSE, ROCE_X_AETH),
	OPCODE(ROCE_ATOMIC_ACK, ROCE_FAM_ATOMIC_RESP, RXT_OP_ATOMIC_RESP,
	       ROCE_F_ONLY | ROCE_F_RESPONSE, ROCE_X_AETH | ROCE_X_ATOMICACK),
	SEND_AND_WRITE(ROCE_UC),
	SEND(ROCE_UD + ROCE_SEND_ONLY, RXT_OP_SEND, ROCE_F_ONLY, ROCE_X_DETH),
	SEND(ROCE_UD + ROCE_SEND_ONLY_IMM, RXT_OP_SEND_IMM, ROCE_F_ONLY,
	     ROCE_X_DETH | ROCE_X_IMM),
};

static void check_layouts(void)
{
	BUILD_BUG_ON(sizeof(struct roce_bth) != 12);
	BUILD_BUG_ON(sizeof(struct roce_deth) != LEN_DETH);
	BUILD_BUG_ON(sizeof(struct roce_feth) != LEN_FETH);
	BUILD_BUG_ON(sizeof(struct roce_reth) != LEN_RETH);
	BUILD_BUG_ON(sizeof(struct roce_atomiceth) != LEN_ATOMICETH);
	BUILD_BUG_ON(sizeof(struct roce_aeth) != LEN_AETH);
	BUILD_BUG_ON(sizeof(struct roce_atomicacketh) != LEN_ATOMICACK);
	BUILD_BUG_ON(sizeof(struct roce_immdt) != LEN_IMM);
	BUILD_BUG_ON(sizeof(struct roce_ieth) != LEN_IETH);
	BUILD_BUG_ON(sizeof(struct roce_bth) + LEN_ATOMICETH != ROCE_HDR_MAX);
}

static void decode_ext(struct roce_hdr *h, const u8 *p)
{
	u8 ext = h->info->ext;
	u32 v;

	if (ext & ROCE_X_DETH) {
		h->qkey = get_unaligned_be32(p);
		h->src_qpn = get_unaligned_be32(p + 4) & ROCE_MASK24;
		p += LEN_DETH;
	}
	if (ext & ROCE_X_FETH)
		p += LEN_FETH;
	if (ext & ROCE_X_RETH) {
		h->va = get_unaligned_be64(p);
		h->rkey = get_unaligned_be32(p + 8);
		h->dma_len = get_unaligned_be32(p + 12);
		p += LEN_RETH;
	}
	if (ext & ROCE_X_ATOMICETH) {
		h->va = get_unaligned_be64(p);
		h->rkey = get_unaligned_be32(p + 8);
		h->swap_add = get_unaligned_be64(p + 12);
		h->compare = get_unaligned_be64(p + 20);
		p += LEN_ATOMICETH;
	}
	if (ext & ROCE_X_AETH) {
		v = get_unaligned_be32(p);
		h->syndrome = v >> 24;
		h->msn = v & ROCE_MASK24;
		p += LEN_AETH;
	}
	if (ext & ROCE_X_ATOMICACK) {
		h->orig = get_unaligned_be64(p);
		p += LEN_ATOMICACK;
	}
	if (ext & ROCE_X_IMM)
		memcpy(&h->imm, p, LEN_IMM);
	if (ext & ROCE_X_IETH)
		h->inv_rkey = get_unaligned_be32(p);
}

/**
 * roce_hdr_decode - headers of a packet to a structure
 * @h: result
 * @buf: first bytes of the UDP payload
 * @have: bytes in @buf: all of a short packet, at least ROCE_HDR_MAX of others
 * @wire_len: bytes of the UDP payload, ICRC included
 *
 * Return: 0; -EINVAL: too short, no such opcode, another version, padding that
 * does not fit or is not there.
 */
int roce_hdr_decode(struct roce_hdr *h, const u8 *buf, u32 have, u32 wire_len)
{
	const struct roce_bth *bth = (const struct roce_bth *)buf;
	const struct roce_opcode *info;
	u32 rest, qpn, psn;

	check_layouts();
	if (have < sizeof(*bth) || have > wire_len)
		return -EINVAL;
	info = &roce_opcodes[bth->opcode];
	if (!(info->flags & ROCE_F_VALID) || (bth->flags & ROCE_BTH_TVER))
		return -EINVAL;
	if (have < info->hdr_len || wire_len < info->hdr_len + ROCE_ICRC_LEN)
		return -EINVAL;

	qpn = get_unaligned_be32(&bth->qpn);
	psn = get_unaligned_be32(&bth->psn);
	memset(h, 0, sizeof(*h));
	h->info = info;
	h->opcode = bth->opcode;
	h->pad = (bth->flags & ROCE_BTH_PAD) >> ROCE_BTH_PAD_SHIFT;
	h->solicited = bth->flags & ROCE_BTH_SE;
	h->pkey = get_unaligned_be16(&bth->pkey);
	h->qpn = qpn & ROCE_MASK24;
	h->ackreq = psn & ROCE_BTH_ACKREQ;
	h->psn = psn & ROCE_MASK24;

	rest = wire_len - info->hdr_len - ROCE_ICRC_LEN;
	if (h->pad > rest || (rest & 3))
		return -EINVAL;
	h->len = rest - h->pad;
	if (!(info->flags & ROCE_F_PAYLOAD) && rest)
		return -EINVAL;
	decode_ext(h, buf + sizeof(*bth));
	return 0;
}

static u8 *encode_ext(const struct roce_hdr *h, u8 *p)
{
	u8 ext = h->info->ext;

	if (ext & ROCE_X_DETH) {
		put_unaligned_be32(h->qkey, p);
		put_unaligned_be32(h->src_qpn & ROCE_MASK24, p + 4);
		p += LEN_DETH;
	}
	if (ext & ROCE_X_FETH) {
		put_unaligned_be32(0, p);
		p += LEN_FETH;
	}
	if (ext & ROCE_X_RETH) {
		put_unaligned_be64(h->va, p);
		put_unaligned_be32(h->rkey, p + 8);
		put_unaligned_be32(h->dma_len, p + 12);
		p += LEN_RETH;
	}
	if (ext & ROCE_X_ATOMICETH) {
		put_unaligned_be64(h->va, p);
		put_unaligned_be32(h->rkey, p + 8);
		put_unaligned_be64(h->swap_add, p + 12);
		put_unaligned_be64(h->compare, p + 20);
		p += LEN_ATOMICETH;
	}
	if (ext & ROCE_X_AETH) {
		put_unaligned_be32((u32)h->syndrome << 24 |
				   (h->msn & ROCE_MASK24), p);
		p += LEN_AETH;
	}
	if (ext & ROCE_X_ATOMICACK) {
		put_unaligned_be64(h->orig, p);
		p += LEN_ATOMICACK;
	}
	if (ext & ROCE_X_IMM) {
		memcpy(p, &h->imm, LEN_IMM);
		p += LEN_IMM;
	}
	if (ext & ROCE_X_IETH) {
		put_unaligned_be32(h->inv_rkey, p);
		p += LEN_IETH;
	}
	return p;
}

/**
 * roce_hdr_encode - headers of a packet to wire order
 * @h: with @info set, @pad as @len needs it
 * @buf: result, ROCE_HDR_MAX bytes
 *
 * Return: bytes written, h->info->hdr_len.
 */
u32 roce_hdr_encode(const struct roce_hdr *h, u8 *buf)
{
	struct roce_bth *bth = (struct roce_bth *)buf;

	bth->opcode = h->opcode;
	bth->flags = (h->solicited ? ROCE_BTH_SE : 0) | ROCE_BTH_MIGREQ |
		     h->pad << ROCE_BTH_PAD_SHIFT;
	put_unaligned_be16(h->pkey, &bth->pkey);
	put_unaligned_be32(h->qpn & ROCE_MASK24, &bth->qpn);
	put_unaligned_be32((h->ackreq ? ROCE_BTH_ACKREQ : 0) |
			   (h->psn & ROCE_MASK24), &bth->psn);
	return encode_ext(h, buf + sizeof(*bth)) - buf;
}

/* The four phases of each operation that is cut into packets. */
static const struct {
	u8	first;
	u8	middle;
	u8	last;
	u8	only;
} phases[RXT_OP_MAX] = {
	[RXT_OP_SEND] = { ROCE_SEND_FIRST, ROCE_SEND_MIDDLE,
			  ROCE_SEND_LAST, ROCE_SEND_ONLY },
	[RXT_OP_SEND_IMM] = { ROCE_SEND_FIRST, ROCE_SEND_MIDDLE,
			      ROCE_SEND_LAST_IMM, ROCE_SEND_ONLY_IMM },
	[RXT_OP_SEND_INV] = { ROCE_SEND_FIRST, ROCE_SEND_MIDDLE,
			      ROCE_SEND_LAST_INV, ROCE_SEND_ONLY_INV },
	[RXT_OP_WRITE] = { ROCE_WRITE_FIRST, ROCE_WRITE_MIDDLE,
			   ROCE_WRITE_LAST, ROCE_WRITE_ONLY },
	[RXT_OP_WRITE_IMM] = { ROCE_WRITE_FIRST, ROCE_WRITE_MIDDLE,
			       ROCE_WRITE_LAST_IMM, ROCE_WRITE_ONLY_IMM },
	[RXT_OP_READ_RESP] = { ROCE_READ_RESP_FIRST, ROCE_READ_RESP_MIDDLE,
			       ROCE_READ_RESP_LAST, ROCE_READ_RESP_ONLY },
};

/**
 * roce_data_opcode - opcode of a packet with payload
 * @transport: ROCE_RC, ROCE_UC or ROCE_UD
 * @op: SEND and WRITE of every kind, READ_RESP
 * @first: the message's first packet
 * @last: its last
 *
 * Return: the opcode.
 */
u8 roce_data_opcode(u8 transport, u8 op, bool first, bool last)
{
	if (first)
		return transport | (last ? phases[op].only : phases[op].first);
	return transport | (last ? phases[op].last : phases[op].middle);
}
