/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_tcp: datagrams as structs.
 *
 * What lives here: the interface of tcp_dgram_frame.c, which is pure (no sockets, no
 * packet buffers) and may be linked into a test. What may not: anything of a stream's
 * life (tcp_peer.c).
 */
#ifndef _RXTCP_DGRAM_FRAME_H
#define _RXTCP_DGRAM_FRAME_H

#include <rxt/types.h>
#include <rxt/wire_tcp.h>

/**
 * struct rxtcp_dgram - header of a datagram in host order
 * @op: RXT_OP_SEND or RXT_OP_SEND_IMM
 * @solicited: SE bit
 * @tclass: traffic class
 * @dst_qpn: for whom
 * @src_qpn: from whom
 * @qkey: Q_Key
 * @flow_label: 20 bits
 * @len: payload bytes
 * @imm: ImmDt
 */
struct rxtcp_dgram {
	u8	op;
	bool	solicited;
	u8	tclass;
	u32	dst_qpn;
	u32	src_qpn;
	u32	qkey;
	u32	flow_label;
	u32	len;
	__be32	imm;
};

/**
 * struct rxtcp_dgram_rx - a stream of datagrams, cut anywhere
 * @hdr: header bytes had so far
 * @hdr_len: valid bytes of @hdr
 * @body: @dg is valid, its payload comes next
 * @dg: header of the datagram under way
 */
struct rxtcp_dgram_rx {
	u8			hdr[RXT_TCP_DGRAM_HDR_MAX];
	u8			hdr_len;
	bool			body;
	struct rxtcp_dgram	dg;
};

unsigned int rxtcp_dgram_encode(const struct rxtcp_dgram *dg, u8 *buf);
int rxtcp_dgram_decode(const u8 *buf, unsigned int len, struct rxtcp_dgram *dg);
int rxtcp_dgram_head(struct rxtcp_dgram_rx *rx, const u8 *data, unsigned int len);

#endif /* _RXTCP_DGRAM_FRAME_H */
