/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_roce: super-packets: several wire packets in one skb that the stack, or the
 * NIC, cuts into them.
 */
#ifndef _ROCE_PACK_H
#define _ROCE_PACK_H

#include <linux/mm_types_task.h>
#include <linux/skbuff.h>
#include <rxt/backend.h>
#include "roce_hdr.h"
#include "roce_icrc.h"

/**
 * struct roce_flow - everything below UDP that the packets of a flow share
 * @ends: addresses and ports
 * @tos: TOS or traffic class
 * @ttl: TTL or hop limit, 0: what the route says
 * @flow_label: IPv6
 * @prio: skb priority (VLAN), 0: from @tos
 * @stays: the way ends in this namespace: the UDP checksum, which nobody has to
 *	make there, does for the ICRC
 */
struct roce_flow {
	struct roce_ends	ends;
	u8			tos;
	u8			ttl;
	u8			prio;
	bool			stays;
	u32			flow_label;
};

/**
 * struct roce_pack - a super-packet under construction
 * @skb: it, NULL: none
 * @tail: @skb or the last of its fragment list: gets the next fragment
 * @frag: memory for headers and copied payload
 * @size: wire length of each packet but the last
 * @count: packets in @skb
 * @limit: packets that fit
 * @closed: a shorter packet was added: it is the last
 * @ip_id: identification of the first packet, IPv4
 * @next_ip_id: for the next super-packet
 */
struct roce_pack {
	struct sk_buff		*skb;
	struct sk_buff		*tail;
	struct page_frag	frag;
	u16			size;
	u16			count;
	u16			limit;
	bool			closed;
	u16			ip_id;
	u16			next_ip_id;
};

/**
 * struct roce_payload - payload of a packet to be built
 * @msg: message, entered; NULL: no payload but @data
 * @off: where in the message
 * @splice: hand out the pages instead of copying
 * @data: kernel memory (with @msg NULL)
 */
struct roce_payload {
	struct rxt_msg	*msg;
	u32		off;
	bool		splice;
	const void	*data;
};

void roce_pack_init(void);
bool roce_pack_takes(const struct roce_pack *p, u32 wire_len);
int roce_pack_open(struct roce_pack *p, const struct roce_flow *flow,
		   u32 wire_len, unsigned int headroom, u32 limit);
int roce_pack_add(struct roce_pack *p, const struct roce_flow *flow,
		  const struct roce_hdr *h, const struct roce_payload *pl);
struct sk_buff *roce_pack_close(struct roce_pack *p, const struct roce_flow *flow,
				u8 ttl, bool csum);
void roce_pack_drop(struct roce_pack *p);
void roce_pack_free(struct roce_pack *p);
bool roce_skb_is_local(const struct sk_buff *skb);
bool roce_skb_did_stay(const struct sk_buff *skb);

#endif /* _ROCE_PACK_H */
