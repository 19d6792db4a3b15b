// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: encode and decode what goes over the wire.
 *
 * What lives here: pure functions over buffers, and the opcode table. What may
 * not: state, sockets, decisions about a connection.
 *
 * A header from the wire is checked here as far as it can be without knowing
 * what came before it; lengths are unsigned and checked before any is used.
 */
#include <linux/build_bug.h>
#include <linux/string.h>
#include "tcp_frame.h"

#define OPCODES		(RXT_TCP_UC)

#define BTH_LEN		sizeof(struct rxt_tcp_bth)
#define RETH_LEN	sizeof(struct rxt_tcp_reth)
#define ATOMICETH_LEN	sizeof(struct rxt_tcp_atomiceth)
#define AETH_LEN	sizeof(struct rxt_tcp_aeth)
#define ATOMICACK_LEN	sizeof(struct rxt_tcp_atomicacketh)
#define LENETH_LEN	sizeof(struct rxt_tcp_leneth)
#define IMM_LEN		sizeof(struct rxt_tcp_immdt)
#define IETH_LEN	sizeof(struct rxt_tcp_ieth)

/* Holes are not valid. UC has the SENDs and WRITEs among them. */
static const struct rxtcp_opcode opcodes[OPCODES] = {
#define OP(name, fam, oper, ph, ex, len) \
	[RXT_TCP_RC_##name] = { true, RXTCP_##fam, RXT_OP_##oper, ph, ex, BTH_LEN + (len) }
	OP(SEND_FIRST, SEND, SEND, RXTCP_FIRST, RXTCP_LENETH, LENETH_LEN),
	OP(SEND_MIDDLE, SEND, SEND, 0, 0, 0),
	OP(SEND_LAST, SEND, SEND, RXTCP_LAST, 0, 0),
	OP(SEND_LAST_IMM, SEND, SEND_IMM, RXTCP_LAST, RXTCP_IMM, IMM_LEN),
	OP(SEND_LAST_INV, SEND, SEND_INV, RXTCP_LAST, RXTCP_IETH, IETH_LEN),
	OP(SEND_ONLY, SEND, SEND, RXTCP_ONLY, 0, 0),
	OP(SEND_ONLY_IMM, SEND, SEND_IMM, RXTCP_ONLY, RXTCP_IMM, IMM_LEN),
	OP(SEND_ONLY_INV, SEND, SEND_INV, RXTCP_ONLY, RXTCP_IETH, IETH_LEN),
	OP(WRITE_FIRST, WRITE, WRITE, RXTCP_FIRST, RXTCP_RETH, RETH_LEN),
	OP(WRITE_MIDDLE, WRITE, WRITE, 0, 0, 0),
	OP(WRITE_LAST, WRITE, WRITE, RXTCP_LAST, 0, 0),
	OP(WRITE_LAST_IMM, WRITE, WRITE_IMM, RXTCP_LAST, RXTCP_IMM, IMM_LEN),
	OP(WRITE_ONLY, WRITE, WRITE, RXTCP_ONLY, RXTCP_RETH, RETH_LEN),
	OP(WRITE_ONLY_IMM, WRITE, WRITE_IMM, RXTCP_ONLY,
	   RXTCP_RETH | RXTCP_IMM, RETH_LEN + IMM_LEN),
	OP(READ_REQ, SINGLE, READ, RXTCP_ONLY, RXTCP_RETH, RETH_LEN),
	OP(READ_RESP_FIRST, READ_RESP, READ_RESP, RXTCP_FIRST,
	   RXTCP_AETH | RXTCP_LENETH, AETH_LEN + LENETH_LEN),
	OP(READ_RESP_MIDDLE, READ_RESP, READ_RESP, 0, 0, 0),
	OP(READ_RESP_LAST, READ_RESP, READ_RESP, RXTCP_LAST, RXTCP_AETH, AETH_LEN),
	OP(READ_RESP_ONLY, READ_RESP, READ_RESP, RXTCP_ONLY, RXTCP_AETH, AETH_LEN),
	OP(ACK, CTL, MAX, RXTCP_ONLY, RXTCP_AETH, AETH_LEN),
	OP(ATOMIC_ACK, SINGLE, ATOMIC_RESP, RXTCP_ONLY,
	   RXTCP_AETH | RXTCP_ATOMICACK, AETH_LEN + ATOMICACK_LEN),
	OP(CMP_SWP, SINGLE, CMP_SWP, RXTCP_ONLY, RXTCP_ATOMICETH, ATOMICETH_LEN),
	OP(FETCH_ADD, SINGLE, FETCH_ADD, RXTCP_ONLY, RXTCP_ATOMICETH, ATOMICETH_LEN),
	OP(ATOMIC_WRITE, SINGLE, ATOMIC_WRITE, RXTCP_ONLY, RXTCP_RETH, RETH_LEN),
#undef OP
};

#define NO_OPCODE	0xff

/* By operation and phase. */
static const u8 opcode_of[RXT_OP_LOCAL_INV][RXTCP_ONLY + 1] = {
#define PHASES(mid, first, last, only) { mid, first, last, only }
	[RXT_OP_SEND] = PHASES(RXT_TCP_RC_SEND_MIDDLE, RXT_TCP_RC_SEND_FIRST,
			       RXT_TCP_RC_SEND_LAST, RXT_TCP_RC_SEND_ONLY),
	[RXT_OP_SEND_IMM] = PHASES(RXT_TCP_RC_SEND_MIDDLE, RXT_TCP_RC_SEND_FIRST,
				   RXT_TCP_RC_SEND_LAST_IMM,
				   RXT_TCP_RC_SEND_ONLY_IMM),
	[RXT_OP_SEND_INV] = PHASES(RXT_TCP_RC_SEND_MIDDLE, RXT_TCP_RC_SEND_FIRST,
				   RXT_TCP_RC_SEND_LAST_INV,
				   RXT_TCP_RC_SEND_ONLY_INV),
	[RXT_OP_WRITE] = PHASES(RXT_TCP_RC_WRITE_MIDDLE, RXT_TCP_RC_WRITE_FIRST,
				RXT_TCP_RC_WRITE_LAST, RXT_TCP_RC_WRITE_ONLY),
	[RXT_OP_WRITE_IMM] = PHASES(RXT_TCP_RC_WRITE_MIDDLE, RXT_TCP_RC_WRITE_FIRST,
				    RXT_TCP_RC_WRITE_LAST_IMM,
				    RXT_TCP_RC_WRITE_ONLY_IMM),
	[RXT_OP_READ_RESP] = PHASES(RXT_TCP_RC_READ_RESP_MIDDLE,
				    RXT_TCP_RC_READ_RESP_FIRST,
				    RXT_TCP_RC_READ_RESP_LAST,
				    RXT_TCP_RC_READ_RESP_ONLY),
#define SINGLE(only) PHASES(NO_OPCODE, NO_OPCODE, NO_OPCODE, only)
	[RXT_OP_READ] = SINGLE(RXT_TCP_RC_READ_REQ),
	[RXT_OP_CMP_SWP] = SINGLE(RXT_TCP_RC_CMP_SWP),
	[RXT_OP_FETCH_ADD] = SINGLE(RXT_TCP_RC_FETCH_ADD),
	[RXT_OP_ATOMIC_WRITE] = SINGLE(RXT_TCP_RC_ATOMIC_WRITE),
	[RXT_OP_ATOMIC_RESP] = SINGLE(RXT_TCP_RC_ATOMIC_ACK),
#undef SINGLE
#undef PHASES
};

static bool uc_may(const struct rxtcp_opcode *info)
{
	return (info->family == RXTCP_SEND || info->family == RXTCP_WRITE) &&
	       !(info->ext & RXTCP_IETH);
}

/**
 * rxtcp_opcode_info - look an opcode up
 * @opcode: any byte
 * @uc: the connection is of type UC
 *
 * Return: its properties, or NULL when it may not appear.
 */
const struct rxtcp_opcode *rxtcp_opcode_info(u8 opcode, bool uc)
{
	const struct rxtcp_opcode *info = &opcodes[opcode & ~RXT_TCP_TRANSPORT];
	u8 transport = opcode & RXT_TCP_TRANSPORT;

	if (!info->valid)
		return NULL;
	if (info->family == RXTCP_CTL)
		return transport ? NULL : info;
	if (transport != (uc ? RXT_TCP_UC : 0))
		return NULL;
	return !uc || uc_may(info) ? info : NULL;
}

/**
 * rxtcp_opcode_for - opcode of a frame to be sent
 * @op: enum rxt_op
 * @phase: RXTCP_FIRST, RXTCP_LAST
 * @uc: the connection is of type UC
 *
 * Return: opcode, or -EINVAL: this operation has no such frame.
 */
int rxtcp_opcode_for(u8 op, u8 phase, bool uc)
{
	u8 opcode;

	if (op >= ARRAY_SIZE(opcode_of) || phase > RXTCP_ONLY)
		return -EINVAL;
	opcode = opcode_of[op][phase];
	if (opcode == NO_OPCODE || (uc && !uc_may(&opcodes[opcode])))
		return -EINVAL;
	return uc ? opcode | RXT_TCP_UC : opcode;
}

static u8 *put_ext(u8 *p, const struct rxtcp_frame *f, u8 ext)
{
	if (ext & RXTCP_RETH) {
		struct rxt_tcp_reth *h = (void *)p;

		h->va = cpu_to_be64(f->va);
		h->rkey = cpu_to_be32(f->rkey);
		h->length = cpu_to_be32(f->total);
		p += sizeof(*h);
	}
	if (ext & RXTCP_ATOMICETH) {
		struct rxt_tcp_atomiceth *h = (void *)p;

		h->va = cpu_to_be64(f->va);
		h->rkey = cpu_to_be32(f->rkey);
		h->swap_add = cpu_to_be64(f->swap_add);
		h->compare = cpu_to_be64(f->compare);
		p += sizeof(*h);
	}
	if (ext & RXTCP_AETH) {
		struct rxt_tcp_aeth *h = (void *)p;

		h->syndrome_msn = cpu_to_be32((u32)f->syndrome << 24 |
					      (f->id & 0xffffff));
		p += sizeof(*h);
	}
	if (ext & RXTCP_ATOMICACK) {
		struct rxt_tcp_atomicacketh *h = (void *)p;

		h->orig = cpu_to_be64(f->swap_add);
		p += sizeof(*h);
	}
	if (ext & RXTCP_LENETH) {
		struct rxt_tcp_leneth *h = (void *)p;

		h->length = cpu_to_be32(f->total);
		p += sizeof(*h);
	}
	if (ext & RXTCP_IMM) {
		struct rxt_tcp_immdt *h = (void *)p;

		h->imm = f->imm;
		p += sizeof(*h);
	}
	if (ext & RXTCP_IETH) {
		struct rxt_tcp_ieth *h = (void *)p;

		h->rkey = cpu_to_be32(f->inv_rkey);
		p += sizeof(*h);
	}
	return p;
}

/**
 * rxtcp_frame_encode - write the headers of a frame
 * @f: @f->opcode is one from rxtcp_opcode_for() or RXT_TCP_RC_ACK
 * @buf: room for RXT_TCP_HDR_MAX bytes
 *
 * Return: bytes written.
 */
unsigned int rxtcp_frame_encode(const struct rxtcp_frame *f, u8 *buf)
{
	struct rxt_tcp_bth *bth = (void *)buf;
	u8 ext = opcodes[f->opcode & ~RXT_TCP_TRANSPORT].ext;

	bth->opcode = f->opcode;
	bth->flags = RXT_TCP_VERSION | (f->solicited ? RXT_TCP_F_SE : 0);
	bth->pkey = cpu_to_be16(RXT_TCP_PKEY);
	bth->dst_qpn = cpu_to_be32(f->qpn);
	bth->msg_id = cpu_to_be32(f->id);
	bth->ack_id = cpu_to_be32(f->ack);
	bth->length = cpu_to_be32(f->len);
	return put_ext(buf + sizeof(*bth), f, ext) - buf;
}

/* Returns false when the AETH names another message. */
static bool get_ext(const u8 *p, struct rxtcp_frame *f)
{
	u8 ext = f->info->ext;

	if (ext & RXTCP_RETH) {
		const struct rxt_tcp_reth *h = (const void *)p;

		f->va = be64_to_cpu(h->va);
		f->rkey = be32_to_cpu(h->rkey);
		f->total = be32_to_cpu(h->length);
		p += sizeof(*h);
	}
	if (ext & RXTCP_ATOMICETH) {
		const struct rxt_tcp_atomiceth *h = (const void *)p;

		f->va = be64_to_cpu(h->va);
		f->rkey = be32_to_cpu(h->rkey);
		f->swap_add = be64_to_cpu(h->swap_add);
		f->compare = be64_to_cpu(h->compare);
		p += sizeof(*h);
	}
	if (ext & RXTCP_AETH) {
		const struct rxt_tcp_aeth *h = (const void *)p;
		u32 v = be32_to_cpu(h->syndrome_msn);

		if ((v ^ f->id) & 0xffffff)
			return false;
		f->syndrome = v >> 24;
		p += sizeof(*h);
	}
	if (ext & RXTCP_ATOMICACK) {
		const struct rxt_tcp_atomicacketh *h = (const void *)p;

		f->swap_add = be64_to_cpu(h->orig);
		p += sizeof(*h);
	}
	if (ext & RXTCP_LENETH) {
		const struct rxt_tcp_leneth *h = (const void *)p;

		f->total = be32_to_cpu(h->length);
		p += sizeof(*h);
	}
	if (ext & RXTCP_IMM) {
		const struct rxt_tcp_immdt *h = (const void *)p;

		f->imm = h->imm;
		p += sizeof(*h);
	}
	if (ext & RXTCP_IETH) {
		const struct rxt_tcp_ieth *h = (const void *)p;

		f->inv_rkey = be32_to_cpu(h->rkey);
	}
	return true;
}

/* Payload length against message length, as far as one frame shows it. */
static bool lengths_ok(struct rxtcp_frame *f)
{
	const struct rxtcp_opcode *info = f->info;

	if (f->len > RXT_TCP_SEG_MAX || f->total > RXT_MAX_MSG)
		return false;
	if (info->family == RXTCP_CTL)
		return !f->len;
	if (info->family == RXTCP_SINGLE) {
		if (info->op == RXT_OP_ATOMIC_WRITE)
			return f->len == sizeof(u64) && f->total == sizeof(u64);
		return !f->len;
	}
	switch (info->phase) {
	case RXTCP_ONLY:
		if (!(info->ext & RXTCP_RETH))
			f->total = f->len;
		return f->total == f->len;
	case RXTCP_FIRST:
		return f->len && f->total > f->len;
	default:
		return f->len;
	}
}

static bool syndrome_ok(const struct rxtcp_frame *f)
{
	if (!(f->info->ext & RXTCP_AETH))
		return true;
	switch (f->syndrome & RXT_TCP_SYN_TYPE) {
	case RXT_TCP_SYN_ACK:
		return true;
	case RXT_TCP_SYN_RNR:
		return f->info->family == RXTCP_CTL;
	case RXT_TCP_SYN_NAK:
		return f->info->family == RXTCP_CTL &&
		       rxtcp_syndrome_verdict(f->syndrome) != RXT_OK;
	default:
		return false;
	}
}

/**
 * rxtcp_frame_decode - read and check the headers of a frame
 * @buf: headers, of any alignment
 * @len: bytes in @buf, at least those of ->hdr_len of its opcode
 * @uc: the connection is of type UC
 * @f: result
 *
 * Return: 0, or -EPROTO: not a frame that may appear on this wire.
 */
int rxtcp_frame_decode(const u8 *buf, unsigned int len, bool uc,
		       struct rxtcp_frame *f)
{
	const struct rxt_tcp_bth *bth = (const void *)buf;

	BUILD_BUG_ON(sizeof(struct rxt_tcp_bth) != 20);
	BUILD_BUG_ON(sizeof(struct rxt_tcp_reth) != 16);
	BUILD_BUG_ON(sizeof(struct rxt_tcp_atomiceth) != 28);
	BUILD_BUG_ON(sizeof(struct rxt_tcp_aeth) != 4);
	BUILD_BUG_ON(sizeof(struct rxt_tcp_atomicacketh) != 8);
	BUILD_BUG_ON(sizeof(struct rxt_tcp_leneth) != 4);
	BUILD_BUG_ON(sizeof(struct rxt_tcp_immdt) != 4);
	BUILD_BUG_ON(sizeof(struct rxt_tcp_ieth) != 4);
	BUILD_BUG_ON(sizeof(struct rxt_tcp_hello) != 96);
	BUILD_BUG_ON(sizeof(struct rxt_tcp_bth) +
		     sizeof(struct rxt_tcp_atomiceth) > RXT_TCP_HDR_MAX);

	memset(f, 0, sizeof(*f));
	if (len < sizeof(*bth))
		return -EPROTO;
	f->info = rxtcp_opcode_info(bth->opcode, uc);
	if (!f->info || len < f->info->hdr_len)
		return -EPROTO;
	if ((bth->flags & ~RXT_TCP_F_SE) != RXT_TCP_VERSION ||
	    bth->pkey != cpu_to_be16(RXT_TCP_PKEY))
		return -EPROTO;

	f->opcode = bth->opcode;
	f->solicited = bth->flags & RXT_TCP_F_SE;
	f->qpn = be32_to_cpu(bth->dst_qpn);
	f->id = be32_to_cpu(bth->msg_id);
	f->ack = be32_to_cpu(bth->ack_id);
	f->len = be32_to_cpu(bth->length);
	if (!get_ext(buf + sizeof(*bth), f))
		return -EPROTO;
	return lengths_ok(f) && syndrome_ok(f) ? 0 : -EPROTO;
}

void rxtcp_hello_encode(const struct rxtcp_hello *h, struct rxt_tcp_hello *wire)
{
	memset(wire, 0, sizeof(*wire));
	wire->magic = cpu_to_be64(RXT_TCP_MAGIC);
	wire->version = cpu_to_be16(RXT_TCP_VERSION);
	wire->length = cpu_to_be16(sizeof(*wire));
	wire->type = h->type;
	wire->status = h->status;
	wire->qp_type = h->qp_type;
	wire->features = cpu_to_be32(h->features);
	wire->max_seg = cpu_to_be32(h->max_seg);
	wire->src_qpn = cpu_to_be32(h->src_qpn);
	wire->dst_qpn = cpu_to_be32(h->dst_qpn);
	memcpy(wire->src_gid, h->src_gid.raw, sizeof(wire->src_gid));
	memcpy(wire->dst_gid, h->dst_gid.raw, sizeof(wire->dst_gid));
}

/* A stream of datagrams is between hosts: it has no QPs. */
static bool hello_kind_ok(const struct rxtcp_hello *h)
{
	switch (h->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
		return (h->src_qpn | h->dst_qpn) <= 0xffffff;
	case IB_QPT_UD:
		return !(h->src_qpn | h->dst_qpn);
	default:
		return false;
	}
}

/**
 * rxtcp_hello_decode - read and check a hello
 * @wire: the hello
 * @type: enum rxt_tcp_hello_type that it should be
 * @h: result
 *
 * Return: enum rxt_tcp_status: what is wrong with the form of it. A status that
 * the peer reports is in @h->status.
 */
u8 rxtcp_hello_decode(const struct rxt_tcp_hello *wire, u8 type,
		      struct rxtcp_hello *h)
{
	memset(h, 0, sizeof(*h));
	if (wire->magic != cpu_to_be64(RXT_TCP_MAGIC))
		return RXT_TCP_BAD_HELLO;
	h->version = be16_to_cpu(wire->version);
	if (h->version != RXT_TCP_VERSION)
		return RXT_TCP_BAD_VERSION;

	h->type = wire->type;
	h->status = wire->status;
	h->qp_type = wire->qp_type;
	h->features = be32_to_cpu(wire->features);
	h->max_seg = be32_to_cpu(wire->max_seg);
	h->src_qpn = be32_to_cpu(wire->src_qpn);
	h->dst_qpn = be32_to_cpu(wire->dst_qpn);
	memcpy(h->src_gid.raw, wire->src_gid, sizeof(wire->src_gid));
	memcpy(h->dst_gid.raw, wire->dst_gid, sizeof(wire->dst_gid));

	if (wire->length != cpu_to_be16(sizeof(*wire)) || h->type != type ||
	    h->max_seg < RXT_TCP_SEG_MIN || !hello_kind_ok(h))
		return RXT_TCP_BAD_HELLO;
	return RXT_TCP_OK;
}

u8 rxtcp_verdict_syndrome(enum rxt_verdict verdict)
{
	switch (verdict) {
	case RXT_BAD_REQUEST:
		return RXT_TCP_SYN_NAK | RXT_TCP_NAK_INV_REQ;
	case RXT_BAD_ACCESS:
		return RXT_TCP_SYN_NAK | RXT_TCP_NAK_REM_ACC;
	default:
		return RXT_TCP_SYN_NAK | RXT_TCP_NAK_REM_OP;
	}
}

enum rxt_verdict rxtcp_syndrome_verdict(u8 syndrome)
{
	switch (syndrome) {
	case RXT_TCP_SYN_NAK | RXT_TCP_NAK_INV_REQ:
		return RXT_BAD_REQUEST;
	case RXT_TCP_SYN_NAK | RXT_TCP_NAK_REM_ACC:
		return RXT_BAD_ACCESS;
	case RXT_TCP_SYN_NAK | RXT_TCP_NAK_REM_OP:
		return RXT_OP_ERROR;
	default:
		return RXT_OK;
	}
}
