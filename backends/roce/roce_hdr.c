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
#include <rxt/compat.h>
#include "roce_hdr.h"

#define LEN_DETH	8
#define LEN_FETH	4
#define LEN_RETH	16
#define LEN_ATOMICETH	28
#define LEN_AETH	4
#define LEN_ATOMICACK	8
#define LEN_IMM		4
#define LEN_IETH	4

/* Where in its message a packet stands, and whether payload may follow (all but
 * the BARE ones); R: a response.
 */
#define BARE		(ROCE_F_VALID | ROCE_F_ONLY)
#define MIDDLE		(ROCE_F_VALID | ROCE_F_PAYLOAD)
#define FIRST		(MIDDLE | ROCE_F_FIRST)
#define LAST		(MIDDLE | ROCE_F_LAST)
#define ONLY		(MIDDLE | ROCE_F_ONLY)
#define R_BARE		(BARE | ROCE_F_RESPONSE)
#define R_MIDDLE	(MIDDLE | ROCE_F_RESPONSE)
#define R_FIRST		(FIRST | ROCE_F_RESPONSE)
#define R_LAST		(LAST | ROCE_F_RESPONSE)
#define R_ONLY		(ONLY | ROCE_F_RESPONSE)

#define ROW(_code, _family, _op, _flags, _hdr_len, _ext)	\
	[_code] = {						\
		.flags = _flags,				\
		.family = _family,				\
		.op = _op,					\
		.hdr_len = _hdr_len,				\
		.ext = _ext,					\
	}

/* RXT_OP_MAX: nothing that the core knows. */
const struct roce_opcode roce_opcodes[256] = {
	ROW(ROCE_SEND_FIRST, ROCE_FAM_SEND, RXT_OP_SEND, FIRST, 12, 0),
	ROW(ROCE_SEND_MIDDLE, ROCE_FAM_SEND, RXT_OP_SEND, MIDDLE, 12, 0),
	ROW(ROCE_SEND_LAST, ROCE_FAM_SEND, RXT_OP_SEND, LAST, 12, 0),
	ROW(ROCE_SEND_LAST_IMM, ROCE_FAM_SEND, RXT_OP_SEND_IMM,
	    LAST, 16, ROCE_X_IMM),
	ROW(ROCE_SEND_ONLY, ROCE_FAM_SEND, RXT_OP_SEND, ONLY, 12, 0),
	ROW(ROCE_SEND_ONLY_IMM, ROCE_FAM_SEND, RXT_OP_SEND_IMM,
	    ONLY, 16, ROCE_X_IMM),
	ROW(ROCE_WRITE_FIRST, ROCE_FAM_WRITE, RXT_OP_WRITE,
	    FIRST, 28, ROCE_X_RETH),
	ROW(ROCE_WRITE_MIDDLE, ROCE_FAM_WRITE, RXT_OP_WRITE, MIDDLE, 12, 0),
	ROW(ROCE_WRITE_LAST, ROCE_FAM_WRITE, RXT_OP_WRITE, LAST, 12, 0),
	ROW(ROCE_WRITE_LAST_IMM, ROCE_FAM_WRITE, RXT_OP_WRITE_IMM,
	    LAST, 16, ROCE_X_IMM),
	ROW(ROCE_WRITE_ONLY, ROCE_FAM_WRITE, RXT_OP_WRITE,
	    ONLY, 28, ROCE_X_RETH),
	ROW(ROCE_WRITE_ONLY_IMM, ROCE_FAM_WRITE, RXT_OP_WRITE_IMM,
	    ONLY, 32, ROCE_X_RETH | ROCE_X_IMM),
	ROW(ROCE_SEND_LAST_INV, ROCE_FAM_SEND, RXT_OP_SEND_INV,
	    LAST, 16, ROCE_X_IETH),
	ROW(ROCE_SEND_ONLY_INV, ROCE_FAM_SEND, RXT_OP_SEND_INV,
	    ONLY, 16, ROCE_X_IETH),
	ROW(ROCE_READ_REQ, ROCE_FAM_SINGLE, RXT_OP_READ, BARE, 28, ROCE_X_RETH),
	ROW(ROCE_CMP_SWP, ROCE_FAM_SINGLE, RXT_OP_CMP_SWP,
	    BARE, 40, ROCE_X_ATOMICETH),
	ROW(ROCE_FETCH_ADD, ROCE_FAM_SINGLE, RXT_OP_FETCH_ADD,
	    BARE, 40, ROCE_X_ATOMICETH),
	ROW(ROCE_FLUSH, ROCE_FAM_SINGLE, RXT_OP_MAX,
	    BARE, 32, ROCE_X_FETH | ROCE_X_RETH),
	ROW(ROCE_ATOMIC_WRITE, ROCE_FAM_SINGLE, RXT_OP_ATOMIC_WRITE,
	    ONLY, 28, ROCE_X_RETH),
	ROW(ROCE_READ_RESP_FIRST, ROCE_FAM_READ_RESP, RXT_OP_READ_RESP,
	    R_FIRST, 16, ROCE_X_AETH),
	ROW(ROCE_READ_RESP_MIDDLE, ROCE_FAM_READ_RESP, RXT_OP_READ_RESP,
	    R_MIDDLE, 12, 0),
	ROW(ROCE_READ_RESP_LAST, ROCE_FAM_READ_RESP, RXT_OP_READ_RESP,
	    R_LAST, 16, ROCE_X_AETH),
	ROW(ROCE_READ_RESP_ONLY, ROCE_FAM_READ_RESP, RXT_OP_READ_RESP,
	    R_ONLY, 16, ROCE_X_AETH),
	ROW(ROCE_ACK, ROCE_FAM_ACK, RXT_OP_MAX, R_BARE, 16, ROCE_X_AETH),
	ROW(ROCE_ATOMIC_ACK, ROCE_FAM_ATOMIC_RESP, RXT_OP_ATOMIC_RESP,
	    R_BARE, 24, ROCE_X_AETH | ROCE_X_ATOMICACK),
	ROW(ROCE_UC + ROCE_SEND_FIRST, ROCE_FAM_SEND, RXT_OP_SEND,
	    FIRST, 12, 0),
	ROW(ROCE_UC + ROCE_SEND_MIDDLE, ROCE_FAM_SEND, RXT_OP_SEND,
	    MIDDLE, 12, 0),
	ROW(ROCE_UC + ROCE_SEND_LAST, ROCE_FAM_SEND, RXT_OP_SEND, LAST, 12, 0),
	ROW(ROCE_UC + ROCE_SEND_LAST_IMM, ROCE_FAM_SEND, RXT_OP_SEND_IMM,
	    LAST, 16, ROCE_X_IMM),
	ROW(ROCE_UC + ROCE_SEND_ONLY, ROCE_FAM_SEND, RXT_OP_SEND, ONLY, 12, 0),
	ROW(ROCE_UC + ROCE_SEND_ONLY_IMM, ROCE_FAM_SEND, RXT_OP_SEND_IMM,
	    ONLY, 16, ROCE_X_IMM),
	ROW(ROCE_UC + ROCE_WRITE_FIRST, ROCE_FAM_WRITE, RXT_OP_WRITE,
	    FIRST, 28, ROCE_X_RETH),
	ROW(ROCE_UC + ROCE_WRITE_MIDDLE, ROCE_FAM_WRITE, RXT_OP_WRITE,
	    MIDDLE, 12, 0),
	ROW(ROCE_UC + ROCE_WRITE_LAST, ROCE_FAM_WRITE, RXT_OP_WRITE,
	    LAST, 12, 0),
	ROW(ROCE_UC + ROCE_WRITE_LAST_IMM, ROCE_FAM_WRITE, RXT_OP_WRITE_IMM,
	    LAST, 16, ROCE_X_IMM),
	ROW(ROCE_UC + ROCE_WRITE_ONLY, ROCE_FAM_WRITE, RXT_OP_WRITE,
	    ONLY, 28, ROCE_X_RETH),
	ROW(ROCE_UC + ROCE_WRITE_ONLY_IMM, ROCE_FAM_WRITE, RXT_OP_WRITE_IMM,
	    ONLY, 32, ROCE_X_RETH | ROCE_X_IMM),
	ROW(ROCE_UD + ROCE_SEND_ONLY, ROCE_FAM_SEND, RXT_OP_SEND,
	    ONLY, 20, ROCE_X_DETH),
	ROW(ROCE_UD + ROCE_SEND_ONLY_IMM, ROCE_FAM_SEND, RXT_OP_SEND_IMM,
	    ONLY, 24, ROCE_X_DETH | ROCE_X_IMM),
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
 * roce_hdr_set_psn - what the last word of the base header says
 * @h: result: PSN and the wish for an ACK
 * @bth: base header
 */
void roce_hdr_set_psn(struct roce_hdr *h, const struct roce_bth *bth)
{
	u32 psn = get_unaligned_be32(&bth->psn);

	h->ackreq = psn & ROCE_BTH_ACKREQ;
	h->psn = psn & ROCE_MASK24;
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
	u32 rest, qpn;

	check_layouts();
	if (have < sizeof(*bth) || have > wire_len)
		return -EINVAL;
	info = &roce_opcodes[bth->opcode];
	if (!(info->flags & ROCE_F_VALID) || (bth->flags & ROCE_BTH_TVER))
		return -EINVAL;
	if (have < info->hdr_len || wire_len < info->hdr_len + ROCE_ICRC_LEN)
		return -EINVAL;

	qpn = get_unaligned_be32(&bth->qpn);
	memset(h, 0, sizeof(*h));
	h->info = info;
	h->opcode = bth->opcode;
	h->pad = (bth->flags & ROCE_BTH_PAD) >> ROCE_BTH_PAD_SHIFT;
	h->solicited = bth->flags & ROCE_BTH_SE;
	h->pkey = get_unaligned_be16(&bth->pkey);
	h->qpn = qpn & ROCE_MASK24;
	roce_hdr_set_psn(h, bth);

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
