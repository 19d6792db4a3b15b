// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: encode and decode datagrams; where one ends and the next begins.
 *
 * What lives here: pure functions over buffers. What may not: state beyond a header
 * that comes in pieces, sockets, packet buffers.
 *
 * A header from the wire is checked here as far as it can be without knowing who is
 * there; lengths are unsigned and checked before any is used.
 */
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "tcp_dgram_frame.h"

#define LABEL_BITS	20
#define LABEL_MASK	(BIT(LABEL_BITS) - 1)
#define QPN_MASK	0xffffffU

/* Bytes of headers; 0: no such opcode. */
static unsigned int head_len(u8 opcode)
{
	switch (opcode) {
	case RXT_TCP_UD_SEND_ONLY:
		return sizeof(struct rxt_tcp_dgram);
	case RXT_TCP_UD_SEND_ONLY_IMM:
		return sizeof(struct rxt_tcp_dgram) +
		       sizeof(struct rxt_tcp_immdt);
	default:
		return 0;
	}
}

/**
 * rxtcp_dgram_encode - write the headers of a datagram
 * @dg: what they say; all values are in range
 * @buf: room for RXT_TCP_DGRAM_HDR_MAX bytes
 *
 * Return: bytes written.
 */
unsigned int rxtcp_dgram_encode(const struct rxtcp_dgram *dg, u8 *buf)
{
	bool with_imm = dg->op == RXT_OP_SEND_IMM;
	struct rxt_tcp_dgram *h = (void *)buf;

	h->opcode = with_imm ? RXT_TCP_UD_SEND_ONLY_IMM : RXT_TCP_UD_SEND_ONLY;
	h->flags = RXT_TCP_VERSION | (dg->solicited ? RXT_TCP_F_SE : 0);
	h->pkey = cpu_to_be16(RXT_TCP_PKEY);
	h->dst_qpn = cpu_to_be32(dg->dst_qpn);
	h->qkey = cpu_to_be32(dg->qkey);
	h->src_qpn = cpu_to_be32(dg->src_qpn);
	h->class_label = cpu_to_be32((u32)dg->tclass << LABEL_BITS |
				     (dg->flow_label & LABEL_MASK));
	h->length = cpu_to_be32(dg->len);
	if (with_imm) {
		struct rxt_tcp_immdt *imm = (void *)(buf + sizeof(*h));

		imm->imm = dg->imm;
	}
	return head_len(h->opcode);
}

/**
 * rxtcp_dgram_decode - read and check the headers of a datagram
 * @buf: headers, of any alignment
 * @len: bytes in @buf; what is behind the headers is not looked at
 * @dg: result
 *
 * Return: bytes of headers, or -EPROTO: not a datagram.
 */
int rxtcp_dgram_decode(const u8 *buf, unsigned int len, struct rxtcp_dgram *dg)
{
	const struct rxt_tcp_dgram *h = (const void *)buf;
	unsigned int need;
	u32 class_label;

	BUILD_BUG_ON(sizeof(struct rxt_tcp_dgram) != 24);
	BUILD_BUG_ON(sizeof(struct rxt_tcp_dgram) +
		     sizeof(struct rxt_tcp_immdt) > RXT_TCP_DGRAM_HDR_MAX);

	memset(dg, 0, sizeof(*dg));
	need = len ? head_len(h->opcode) : 0;
	if (!need || len < need)
		return -EPROTO;
	if ((h->flags & ~RXT_TCP_F_SE) != RXT_TCP_VERSION ||
	    h->pkey != cpu_to_be16(RXT_TCP_PKEY))
		return -EPROTO;

	dg->op = RXT_OP_SEND;
	if (h->opcode == RXT_TCP_UD_SEND_ONLY_IMM) {
		const struct rxt_tcp_immdt *imm = (const void *)(buf + sizeof(*h));

		dg->op = RXT_OP_SEND_IMM;
		dg->imm = imm->imm;
	}
	dg->solicited = h->flags & RXT_TCP_F_SE;
	dg->dst_qpn = be32_to_cpu(h->dst_qpn);
	dg->qkey = be32_to_cpu(h->qkey);
	dg->src_qpn = be32_to_cpu(h->src_qpn);
	class_label = be32_to_cpu(h->class_label);
	dg->tclass = class_label >> LABEL_BITS;
	dg->flow_label = class_label & LABEL_MASK;
	dg->len = be32_to_cpu(h->length);
	if (dg->len > RXT_TCP_DGRAM_MAX || class_label >> (LABEL_BITS + 8) ||
	    (dg->dst_qpn | dg->src_qpn) > QPN_MASK)
		return -EPROTO;
	return need;
}

/**
 * rxtcp_dgram_head - some bytes of a stream, between the payload of two datagrams
 * @rx: where the stream stands; not ->body
 * @data: the bytes
 * @len: how many, not 0
 *
 * When the header is complete ->body is set, and the caller takes ->dg.len bytes of
 * payload, then clears it.
 *
 * Return: bytes used, or -EPROTO: the stream is no good.
 */
int rxtcp_dgram_head(struct rxtcp_dgram_rx *rx, const u8 *data, unsigned int len)
{
	unsigned int need, take;

	/* The first byte tells how many there are. */
	need = head_len(rx->hdr_len ? rx->hdr[0] : data[0]);
	if (!need)
		return -EPROTO;
	take = min(need - rx->hdr_len, len);
	memcpy(rx->hdr + rx->hdr_len, data, take);
	rx->hdr_len += take;
	if (rx->hdr_len < need)
		return take;

	rx->hdr_len = 0;
	if (rxtcp_dgram_decode(rx->hdr, need, &rx->dg) < 0)
		return -EPROTO;
	rx->body = true;
	return take;
}
