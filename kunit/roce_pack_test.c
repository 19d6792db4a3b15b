// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: super-packets against a naive packetiser: the bytes of each packet, cut
 * out by length as the stack does it, and what the stack needs to cut them.
 */
#include <kunit/test.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include "private.h"

/* The core's half: payload is in the pages of a buffer of the test. */
#define rxt_msg_copy fake_copy
#define rxt_msg_bvecs fake_bvecs
#include "../backends/roce/roce_pack.c"
#include "../backends/roce/roce_hdr.c"
#include "../backends/roce/roce_icrc.c"

#define PAYLOAD_MAX	(16 * PAGE_SIZE)

static u8 *payload;		/* PAYLOAD_MAX bytes, physically scattered is fine */
static u32 skew;		/* where in it the message begins */

void fake_copy(struct rxt_msg *msg, u32 off, u32 len, void *dst)
{
	memcpy(dst, payload + skew + off, len);
}

unsigned int fake_bvecs(struct rxt_msg *msg, u32 off, u32 len, struct bio_vec *bv,
			unsigned int max, u32 *got)
{
	unsigned int n = 0;
	u32 done = 0;

	while (done < len && n < max) {
		void *at = payload + skew + off + done;

		bv[n].bv_page = vmalloc_to_page(at);
		bv[n].bv_offset = offset_in_page(at);
		bv[n].bv_len = min_t(u32, len - done,
				     PAGE_SIZE - offset_in_page(at));
		done += bv[n++].bv_len;
	}
	*got = done;
	return n;
}

static const struct roce_flow flow4 = {
	.ends = { .src4 = htonl(0x0a000001), .dst4 = htonl(0x0a000002),
		  .frag_off = htons(IP_DF), .sport = htons(0xc123),
		  .dport = htons(ROCE_PORT) },
	.tos = 0x12,
};

static const struct roce_flow flow6 = {
	.ends = { .v6 = true, .sport = htons(0xc123), .dport = htons(ROCE_PORT),
		  .src6 = { { { 0xfd, 1 } } }, .dst6 = { { { 0xfd, 2 } } } },
	.flow_label = 0x12345,
};

/* The packet alone, as simply as can be. */
static u32 naive(const struct roce_flow *f, const struct roce_hdr *h, u32 off,
		 u16 ip_id, u8 *out)
{
	u32 n = roce_hdr_encode(h, out), crc;

	memcpy(out + n, payload + skew + off, h->len);
	n += h->len;
	memset(out + n, 0, h->pad);
	n += h->pad;
	crc = roce_icrc_begin(&f->ends, ip_id, n + ROCE_ICRC_LEN, out);
	crc = roce_icrc_add(crc, out + 12, n - 12);
	put_unaligned_le32(f->stays ? 0 : ~crc, out + n);
	return n + ROCE_ICRC_LEN;
}

struct layout {
	u32	mtu;
	u32	length;
	bool	splice;
	bool	v6;
	bool	stays;
};

static struct roce_flow flow_of(const struct layout *l)
{
	struct roce_flow f = l->v6 ? flow6 : flow4;

	f.stays = l->stays;
	return f;
}

static struct roce_hdr packet(const struct layout *l, u32 off)
{
	u32 len = min(l->length - off, l->mtu);
	u8 op = roce_data_opcode(ROCE_RC, RXT_OP_WRITE, !off,
				 off + len == l->length);

	return (struct roce_hdr) {
		.info = &roce_opcodes[op], .opcode = op, .len = len,
		.pad = roce_pad(len), .pkey = 0xffff, .qpn = 0x4711,
		.psn = off / l->mtu, .va = 0x1000, .rkey = 1,
		.dma_len = l->length,
	};
}

static void check_skb(struct kunit *test, const struct layout *l,
		      struct sk_buff *skb, u32 *off, u16 *ip_id, u8 *want, u8 *got)
{
	struct roce_flow flow = flow_of(l), *f = &flow;
	u32 at = net_len(f), left = skb->len - at;
	u32 size = skb_is_gso(skb) ? skb_shinfo(skb)->gso_size : left;
	u32 packets = 0, first_id = l->v6 ? *ip_id : ntohs(ip_hdr(skb)->id);

	KUNIT_EXPECT_PTR_EQ(test, skb->csum_start + skb->head, skb_transport_header(skb));
	KUNIT_EXPECT_EQ(test, first_id, *ip_id);
	KUNIT_EXPECT_LE(test, skb->len, 65535);
	KUNIT_EXPECT_LE(test, skb_shinfo(skb)->nr_frags, MAX_SKB_FRAGS);
	KUNIT_EXPECT_EQ(test, ntohs(udp_hdr(skb)->len), left + 8);
	while (left) {
		struct roce_hdr h = packet(l, *off);
		u32 n = naive(f, &h, *off, *ip_id, want);
		u32 cut = min(left, size);

		KUNIT_ASSERT_EQ(test, n, cut);
		KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, at, got, cut), 0);
		KUNIT_ASSERT_EQ_MSG(test, memcmp(got, want, n), 0,
				    "mtu %u length %u offset %u", l->mtu,
				    l->length, *off);
		*off += h.len;
		at += cut;
		left -= cut;
		(*ip_id)++;
		packets++;
	}
	KUNIT_EXPECT_EQ(test, packets, skb_shinfo(skb)->gso_segs ?: 1);
}

/* The stack's own cut, in software. */
static void check_gso(struct kunit *test, const struct layout *l,
		      struct sk_buff *skb)
{
	u32 len = net_len(l->v6 ? &flow6 : &flow4), n = 0, total = 0;
	struct sk_buff *segs, *next;

	if (!skb_is_gso(skb))
		return;
	skb_push(skb, ETH_HLEN);
	skb_reset_mac_header(skb);
	memset(skb->data, 0, ETH_HLEN);
	((struct ethhdr *)skb->data)->h_proto = skb->protocol;
	skb_reset_mac_len(skb);
	skb_pull(skb, ETH_HLEN);
	skb_push(skb, ETH_HLEN);
	segs = skb_gso_segment(skb, NETIF_F_SG | NETIF_F_HW_CSUM);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(segs));
	skb_list_walk_safe(segs, segs, next) {
		skb_mark_not_on_list(segs);
		n++;
		total += segs->len - len - ETH_HLEN;
		kfree_skb(segs);
	}
	KUNIT_EXPECT_EQ(test, n, skb_shinfo(skb)->gso_segs);
	KUNIT_EXPECT_EQ(test, total, skb->len - len - ETH_HLEN);
}

static void one_message(struct kunit *test, struct roce_pack *p,
			const struct layout *l, u8 *want, u8 *got)
{
	struct roce_flow flow = flow_of(l), *f = &flow;
	u32 off = 0, checked = 0;
	u16 id = p->next_ip_id;

	do {
		struct roce_hdr h = packet(l, off);
		/* Any pointer will do: the fakes do not look at it. */
		struct roce_payload pl = {
			.msg = (void *)&h, .off = off, .splice = l->splice,
		};
		u32 wire = roce_wire_len(&h);

		if (!roce_pack_takes(p, wire)) {
			struct sk_buff *skb = roce_pack_close(p, f, 64, true);

			check_skb(test, l, skb, &checked, &id, want, got);
			check_gso(test, l, skb);
			kfree_skb(skb);
		}
		KUNIT_ASSERT_EQ(test, roce_pack_open(p, f, wire, 64, 1000), 0);
		KUNIT_ASSERT_EQ(test, roce_pack_add(p, f, &h, &pl), 0);
		off += h.len;
	} while (off < l->length);
	if (p->skb) {
		struct sk_buff *skb = roce_pack_close(p, f, 64, true);

		check_skb(test, l, skb, &checked, &id, want, got);
		check_gso(test, l, skb);
		kfree_skb(skb);
	}
	KUNIT_EXPECT_EQ(test, checked, l->length);
	KUNIT_EXPECT_EQ(test, p->next_ip_id, id);
}

static void pack_layouts(struct kunit *test)
{
	static const u32 lengths[] = {
		0, 1, 255, 256, 257, 1024, 1025, 4096, 5000, 16384, 60000,
		15 * 4096,
	};
	u8 *want = kunit_kzalloc(test, 8192, GFP_KERNEL);
	u8 *got = kunit_kzalloc(test, 8192, GFP_KERNEL);
	struct roce_pack p = { .next_ip_id = 0xfff0 };
	struct layout l;
	unsigned int i;

	payload = vmalloc(PAYLOAD_MAX);
	KUNIT_ASSERT_NOT_NULL(test, payload);
	get_random_bytes(payload, PAYLOAD_MAX);
	for (i = 0; i < 5 * ARRAY_SIZE(lengths) * 8; i++) {
		skew = i % 4;
		l.splice = skew & 1;
		l.v6 = skew & 2;
		l.stays = i & 4;
		l.length = lengths[i / 8 % ARRAY_SIZE(lengths)];
		l.mtu = 256 << i / 8 / ARRAY_SIZE(lengths);
		one_message(test, &p, &l, want, got);
	}
	roce_pack_free(&p);
	vfree(payload);
}

/* A shorter packet ends a super-packet, a longer one does not go in at all. */
static void pack_takes(struct kunit *test)
{
	struct roce_pack p = {};
	struct roce_payload pl = {};
	struct layout l = { .mtu = 256, .length = 0 };
	struct roce_hdr h = packet(&l, 0);
	struct sk_buff *skb;
	int i;

	KUNIT_EXPECT_TRUE(test, roce_pack_takes(&p, 5000));
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, roce_pack_open(&p, &flow4, roce_wire_len(&h),
						     64, 3), 0);
		KUNIT_ASSERT_EQ(test, roce_pack_add(&p, &flow4, &h, &pl), 0);
		KUNIT_EXPECT_EQ(test, roce_pack_takes(&p, roce_wire_len(&h)),
				i < 2);
		KUNIT_EXPECT_FALSE(test, roce_pack_takes(&p, roce_wire_len(&h) + 4));
		KUNIT_EXPECT_EQ(test, roce_pack_takes(&p, 20), i < 2);
	}
	skb = roce_pack_close(&p, &flow4, 64, false);
	KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->gso_segs, 3);
	/* Several packets cannot do without a checksum. */
	KUNIT_EXPECT_TRUE(test, skb->ip_summed == CHECKSUM_PARTIAL);
	kfree_skb(skb);

	KUNIT_ASSERT_EQ(test, roce_pack_open(&p, &flow4, roce_wire_len(&h), 64, 3), 0);
	KUNIT_ASSERT_EQ(test, roce_pack_add(&p, &flow4, &h, &pl), 0);
	skb = roce_pack_close(&p, &flow4, 64, false);
	KUNIT_EXPECT_FALSE(test, skb_is_gso(skb));
	KUNIT_EXPECT_EQ(test, udp_hdr(skb)->check, 0);
	kfree_skb(skb);
	roce_pack_free(&p);
}

/* Without an ICRC: only from the loopback device, and only if no byte has changed. */
static void pack_stays(struct kunit *test)
{
	static const u8 data[8] = "12345678";
	struct layout l = { .mtu = 256, .length = sizeof(data), .stays = true };
	struct roce_payload pl = { .data = data };
	struct roce_hdr h = packet(&l, 0);
	struct net_device *dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);
	struct roce_pack p = {};
	struct roce_flow f;
	struct sk_buff *skb;

	KUNIT_ASSERT_NOT_NULL(test, dev);
	for (l.v6 = false;; l.v6 = true) {
		f = flow_of(&l);
		KUNIT_ASSERT_EQ(test, roce_pack_open(&p, &f, roce_wire_len(&h), 64, 3), 0);
		KUNIT_ASSERT_EQ(test, roce_pack_add(&p, &f, &h, &pl), 0);
		skb = roce_pack_close(&p, &f, 64, false);
		skb->dev = dev;
		dev->flags = IFF_UP;
		KUNIT_EXPECT_FALSE(test, roce_skb_did_stay(skb));
		dev->flags = IFF_UP | IFF_LOOPBACK;
		KUNIT_EXPECT_TRUE(test, roce_skb_did_stay(skb));
		KUNIT_ASSERT_EQ(test, skb_checksum_help(skb), 0);
		KUNIT_EXPECT_TRUE(test, roce_skb_did_stay(skb));
		udp_hdr(skb)->dest ^= htons(1);
		KUNIT_EXPECT_FALSE(test, roce_skb_did_stay(skb));
		udp_hdr(skb)->dest ^= htons(1);
		KUNIT_EXPECT_TRUE(test, roce_skb_did_stay(skb));
		udp_hdr(skb)->check = 0;
		KUNIT_EXPECT_FALSE(test, roce_skb_did_stay(skb));
		kfree_skb(skb);
		if (l.v6)
			break;
	}
	roce_pack_free(&p);
}

static struct kunit_case roce_pack_cases[] = {
	KUNIT_CASE(pack_stays),
	KUNIT_CASE(pack_layouts),
	KUNIT_CASE(pack_takes),
	{}
};

static struct kunit_suite roce_pack_suite = {
	.name = "rxt_roce_pack",
	.test_cases = roce_pack_cases,
};

kunit_test_suite(roce_pack_suite);

MODULE_LICENSE("GPL");
