// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: payload out (fragments, copies) and in (placement) at odd offsets, over
 * many segments, from and to every shape of memory and skb.
 *
 * What lives here: core/msg.c and core/place.c on a private copy. What may not:
 * what a message means.
 */
#include <kunit/test.h>
#include <linux/skbuff.h>
#include "private.h"
#include "../core/internal.h"

/* No region here has pages that come and go. */
bool rxt_odp_present(const struct rxt_mr *mr, u64 addr, u32 len, bool write)
{
	return false;
}

int rxt_odp_msg_check(struct rxt_msg *msg)
{
	return -EFAULT;
}

int rxt_odp_missed(struct rxt_rx *rx, const struct rxt_seg *seg, u32 off,
		   const void *buf, u32 len)
{
	return -EFAULT;
}

#include "../core/ids.c"
#include "../core/mr.c"
#include "../core/msg.c"
#include "../core/place.c"

static const int pd;
static struct rxt_dev dev;

#define MAX_SEGS	8
#define GUARD		0xa5

/**
 * struct seg_case - how a message's memory is cut
 * @name: for the log
 * @type: kind of region
 * @order: RXT_MR_PAGES: allocation order of its (compound) pages
 * @offset: of a segment's first byte in its region
 * @len: bytes of each segment, up to the first 0 behind @num
 * @num: segments
 */
struct seg_case {
	const char		*name;
	enum rxt_mr_type	type;
	unsigned int		order;
	unsigned int		offset;
	unsigned int		num;
	u32			len[MAX_SEGS];
};

static const struct seg_case seg_cases[] = {
	{ "one byte", RXT_MR_PAGES, 0, 0, 1, { 1 } },
	{ "one page", RXT_MR_PAGES, 0, 0, 1, { PAGE_SIZE } },
	{ "page end", RXT_MR_PAGES, 0, PAGE_SIZE - 1, 1, { 2 } },
	{ "three pages odd", RXT_MR_PAGES, 0, 5, 1, { 3 * PAGE_SIZE + 1 } },
	{ "tiny segments", RXT_MR_PAGES, 0, 4093, 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ "empty segments", RXT_MR_PAGES, 0, 11, 8, { 0, 0, 700, 0, 1, 0, 5000, 0 } },
	{ "mixed", RXT_MR_PAGES, 0, 100, 5, { 4096, 1, 8191, 17, 12289 } },
	{ "compound", RXT_MR_PAGES, 2, 3, 2, { 30000, 9000 } },
	{ "direct map", RXT_MR_DMA, 0, 13, 3, { 5000, 3, 9001 } },
};

static void seg_desc(const struct seg_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(seg, seg_cases, seg_desc);

/**
 * struct region - memory with its MR, and guard bytes all around
 * @mr: the region
 * @va: RXT_MR_DMA: its memory
 * @pages: RXT_MR_PAGES: its memory, never adjacent by plan
 * @num: pages
 * @order: allocation order of @pages
 * @addr: IOVA of byte 0
 */
struct region {
	struct rxt_mr	*mr;
	u8		*va;
	struct page	**pages;
	unsigned int	num;
	unsigned int	order;
	u64		addr;
};

struct payload {
	unsigned int	num;
	u32		length;
	unsigned int	offset;
	struct region	region[MAX_SEGS];
	struct rxt_msg	*msg;
};

static u8 pattern(u32 pos)
{
	return pos * 7 + (pos >> 8) * 3 + (pos >> 16);
}

static u8 *region_byte(struct region *r, u32 pos)
{
	if (r->va)
		return r->va + pos;
	return (u8 *)page_address(r->pages[pos >> PAGE_SHIFT]) + offset_in_page(pos);
}

static void region_pages(struct kunit *test, struct region *r, u32 size)
{
	unsigned int per = 1U << r->order, i, j;
	struct page **table;

	r->num = DIV_ROUND_UP(size, PAGE_SIZE << r->order) << r->order;
	r->pages = kunit_kcalloc(test, r->num, sizeof(*r->pages), GFP_KERNEL);
	table = kvcalloc(r->num, sizeof(*table), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r->pages);
	KUNIT_ASSERT_NOT_NULL(test, table);
	for (i = 0; i < r->num; i += per) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, r->order);

		KUNIT_ASSERT_NOT_NULL(test, page);
		memset(page_address(page), GUARD, PAGE_SIZE << r->order);
		for (j = 0; j < per; j++)
			r->pages[i + j] = page + j;
	}
	memcpy(table, r->pages, r->num * sizeof(*table));
	r->mr = rxt_mr_alloc(&dev, &pd, RXT_MR_PAGES, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, r->mr);
	r->addr = 0x7f0000000000ULL;
	KUNIT_ASSERT_EQ(test, rxt_mr_set_pages(r->mr, r->addr, (u64)r->num << PAGE_SHIFT, 0,
					       table, r->num), 0);
}

static void region_dma(struct kunit *test, struct region *r, u32 size)
{
	r->va = kmalloc(size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r->va);
	memset(r->va, GUARD, size);
	r->num = size;
	r->mr = rxt_mr_alloc(&dev, &pd, RXT_MR_DMA, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, r->mr);
	rxt_mr_set_dma(r->mr);
	r->addr = (uintptr_t)r->va;
}

static struct payload *make_payload(struct kunit *test, const struct seg_case *c)
{
	struct payload *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->msg = kunit_kzalloc(test, struct_size(p->msg, seg, MAX_SEGS), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p->msg);
	p->num = c->num;
	p->offset = c->offset;
	for (i = 0; i < c->num; i++) {
		struct region *r = &p->region[i];
		struct rxt_seg *seg = &p->msg->seg[i];
		u32 size = c->offset + c->len[i] + 64;

		r->order = c->order;
		if (c->type == RXT_MR_DMA)
			region_dma(test, r, size);
		else
			region_pages(test, r, size);
		seg->addr = r->addr + c->offset;
		seg->length = c->len[i];
		if (seg->length) {
			seg->mr = r->mr;
			kref_get(&r->mr->ref);
		}
		p->length += seg->length;
	}
	p->msg->num_seg = c->num;
	p->msg->length = p->length;
	return p;
}

static void free_payload(struct kunit *test, struct payload *p)
{
	unsigned int i, j;

	rxt_msg_put_mrs(p->msg);
	for (i = 0; i < p->num; i++) {
		struct region *r = &p->region[i];

		KUNIT_EXPECT_EQ(test, kref_read(&r->mr->ref), 1);
		rxt_mr_destroy(r->mr);
		for (j = 0; r->pages && j < r->num; j += 1U << r->order)
			__free_pages(r->pages[j], r->order);
		kfree(r->va);
	}
}

static void fill(struct payload *p)
{
	u32 pos = 0, i, j;

	for (i = 0; i < p->num; i++)
		for (j = 0; j < p->msg->seg[i].length; j++)
			*region_byte(&p->region[i], p->offset + j) = pattern(pos++);
}

/* [@from, @to) is the pattern, all else is as it was. */
static void check_filled(struct kunit *test, struct payload *p, u32 from, u32 to)
{
	u32 pos = 0, bad = 0, i, j;

	for (i = 0; i < p->num; i++) {
		struct region *r = &p->region[i];
		u32 size = r->va ? r->num : r->num << PAGE_SHIFT;

		for (j = 0; j < size; j++) {
			bool in = j >= p->offset && j < p->offset + p->msg->seg[i].length;
			u8 want = GUARD;

			if (in && pos >= from && pos < to)
				want = pattern(pos);
			if (in)
				pos++;
			if (*region_byte(r, j) != want && !bad++)
				KUNIT_FAIL(test, "segment %u byte %u: %#x, expected %#x", i, j,
					   *region_byte(r, j), want);
		}
	}
}

static u32 odd_step(u32 i)
{
	static const u32 steps[] = { 1, 63, 1448, 4096, 4097, 2, 16000, 509 };

	return steps[i % ARRAY_SIZE(steps)];
}

static bool is_pattern(const u8 *buf, u32 from, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (buf[i] != pattern(from + i))
			return false;
	return true;
}

static void msg_copy(struct kunit *test)
{
	struct payload *p = make_payload(test, test->param_value);
	u8 *buf = kunit_kmalloc(test, p->length + 1, GFP_KERNEL);
	u32 off, len, i = 0;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	fill(p);
	KUNIT_EXPECT_TRUE(test, rxt_msg_spliceable(p->msg));
	KUNIT_ASSERT_EQ(test, rxt_msg_enter(p->msg), 0);
	for (off = 0; off <= p->length; off += odd_step(i++)) {
		len = min(odd_step(i + 3), p->length - off);
		memset(buf, GUARD, p->length + 1);
		rxt_msg_copy(p->msg, off, len, buf);
		KUNIT_EXPECT_TRUE_MSG(test, is_pattern(buf, off, len), "%u + %u", off, len);
		KUNIT_EXPECT_EQ(test, buf[len], GUARD);
	}
	rxt_msg_copy(p->msg, 0, p->length, buf);
	KUNIT_EXPECT_TRUE(test, is_pattern(buf, 0, p->length));
	rxt_msg_exit(p->msg);
	free_payload(test, p);
}

/* Fragments cover just what was asked, each inside one page or compound page. */
static void bvecs_range(struct kunit *test, struct payload *p, u32 off, u32 len,
			unsigned int max)
{
	struct bio_vec bv[16];
	u32 got, done = 0;
	unsigned int i, n;

	while (done < len) {
		n = rxt_msg_bvecs(p->msg, off + done, len - done, bv, max, &got);
		KUNIT_ASSERT_GT(test, n, 0U);
		KUNIT_ASSERT_LE(test, n, max);
		KUNIT_ASSERT_LE(test, got, len - done);
		for (i = 0; i < n; i++) {
			struct page *head = compound_head(bv[i].bv_page);
			u32 in_head = (bv[i].bv_page - head) * PAGE_SIZE + bv[i].bv_offset;

			KUNIT_ASSERT_GT(test, bv[i].bv_len, 0U);
			KUNIT_ASSERT_LT(test, bv[i].bv_offset, (unsigned int)PAGE_SIZE);
			KUNIT_ASSERT_LE(test, (size_t)in_head + bv[i].bv_len, page_size(head));
			KUNIT_ASSERT_LE(test, bv[i].bv_len, got);
			KUNIT_ASSERT_TRUE(test, is_pattern(page_address(bv[i].bv_page) +
							   bv[i].bv_offset, off + done,
							   bv[i].bv_len));
			done += bv[i].bv_len;
			got -= bv[i].bv_len;
		}
		KUNIT_ASSERT_EQ(test, got, 0U);
	}
}

static void msg_bvecs(struct kunit *test)
{
	struct payload *p = make_payload(test, test->param_value);
	u32 off, i = 0, got = 1;
	struct bio_vec bv;

	fill(p);
	KUNIT_ASSERT_EQ(test, rxt_msg_enter(p->msg), 0);
	for (off = 0; off < p->length; off += odd_step(i++))
		bvecs_range(test, p, off, min(odd_step(i + 5), p->length - off), 1 + i % 16);
	bvecs_range(test, p, 0, p->length, 16);
	bvecs_range(test, p, 0, p->length, 1);
	KUNIT_EXPECT_EQ(test, rxt_msg_bvecs(p->msg, p->length, 0, &bv, 1, &got), 0U);
	KUNIT_EXPECT_EQ(test, got, 0U);
	rxt_msg_exit(p->msg);
	free_payload(test, p);
}

/* Pages of one compound page that follow each other are one fragment. */
static void msg_bvecs_compound(struct kunit *test)
{
	static const struct seg_case c = {
		"compound", RXT_MR_PAGES, 2, 100, 1, { 3 * PAGE_SIZE },
	};
	struct payload *p = make_payload(test, &c);
	struct bio_vec bv[4];
	u32 got;

	fill(p);
	KUNIT_ASSERT_EQ(test, rxt_msg_enter(p->msg), 0);
	KUNIT_EXPECT_EQ(test, rxt_msg_bvecs(p->msg, 0, p->length, bv, 4, &got), 1U);
	KUNIT_EXPECT_EQ(test, got, p->length);
	rxt_msg_exit(p->msg);
	free_payload(test, p);
}

static void msg_inline(struct kunit *test)
{
	struct rxt_msg *msg = kunit_kzalloc(test, sizeof(*msg) + RXT_MAX_INLINE, GFP_KERNEL);
	u8 buf[64];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, msg);
	msg->flags = RXT_MSG_INLINE;
	msg->length = RXT_MAX_INLINE;
	for (i = 0; i < RXT_MAX_INLINE; i++)
		msg->data[i] = pattern(i);
	KUNIT_EXPECT_FALSE(test, rxt_msg_spliceable(msg));
	KUNIT_EXPECT_EQ(test, rxt_msg_enter(msg), 0);
	rxt_msg_copy(msg, RXT_MAX_INLINE - 61, 61, buf);
	KUNIT_EXPECT_TRUE(test, is_pattern(buf, RXT_MAX_INLINE - 61, 61));
	rxt_msg_exit(msg);
}

/* One revoked region refuses the message and leaves the others as they were. */
static void msg_revoked(struct kunit *test)
{
	static const struct seg_case c = {
		"three", RXT_MR_PAGES, 0, 0, 3, { 10, 10, 10 },
	};
	struct payload *p = make_payload(test, &c);
	struct region *r = &p->region[1];

	rxt_mr_destroy(r->mr);
	KUNIT_EXPECT_EQ(test, rxt_msg_enter(p->msg), -EFAULT);
	KUNIT_EXPECT_EQ(test, refcount_read(&p->region[0].mr->users), 1U);
	KUNIT_EXPECT_EQ(test, refcount_read(&p->region[2].mr->users), 1U);
	KUNIT_EXPECT_EQ(test, kref_read(&r->mr->ref), 1U);	/* the message's */
	rxt_msg_put_mrs(p->msg);
	__free_pages(r->pages[0], 0);
	*r = p->region[2];
	p->num = 2;
	free_payload(test, p);
}

static struct rxt_rx *make_rx(struct kunit *test, struct payload *p)
{
	struct rxt_rx *rx = kunit_kzalloc(test, sizeof(*rx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rx);
	rx->active = true;
	rx->known = true;
	rx->length = p->length;
	rx->seg = p->msg->seg;
	rx->num_seg = p->num;
	return rx;
}

static u8 *make_pattern(struct kunit *test, u32 len)
{
	u8 *buf = kunit_kmalloc(test, len + 1, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (i = 0; i < len; i++)
		buf[i] = pattern(i);
	return buf;
}

static void place_buf_in_order(struct kunit *test)
{
	struct payload *p = make_payload(test, test->param_value);
	struct rxt_rx *rx = make_rx(test, p);
	u8 *buf = make_pattern(test, p->length);
	u32 off = 0, len, i = 0;

	while (off < p->length) {
		len = min(odd_step(i++), p->length - off);
		KUNIT_ASSERT_EQ(test, rxt_rx_place_buf(rx, off, buf + off, len), 0);
		off += len;
		if (i % 8 == 0)
			check_filled(test, p, 0, off);
	}
	check_filled(test, p, 0, p->length);
	free_payload(test, p);
}

static void place_buf_backwards(struct kunit *test)
{
	struct payload *p = make_payload(test, test->param_value);
	struct rxt_rx *rx = make_rx(test, p);
	u8 *buf = make_pattern(test, p->length);
	u32 off = p->length, len, i = 0;

	while (off) {
		len = min(odd_step(i++), off);
		off -= len;
		KUNIT_ASSERT_EQ(test, rxt_rx_place_buf(rx, off, buf + off, len), 0);
		check_filled(test, p, off, p->length);
	}
	free_payload(test, p);
}

static void place_bounds(struct kunit *test)
{
	struct payload *p = make_payload(test, test->param_value);
	struct rxt_rx *rx = make_rx(test, p);
	u8 *buf = make_pattern(test, p->length);
	u32 n = p->length;

	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, 0, buf, n + 1), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, n, buf, 1), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, n + 1, buf, 0), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, U32_MAX, buf, 1), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, 1, buf, U32_MAX), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rx->err, -EMSGSIZE);
	/* A context that believes in more memory than the segments have. */
	rx->length = U32_MAX;
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, n, buf, 1), -EMSGSIZE);
	check_filled(test, p, 0, 0);
	rx->length = n;
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, n, buf, 0), 0);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, 0, buf, n), 0);
	check_filled(test, p, 0, n);
	free_payload(test, p);
}

static void place_revoked(struct kunit *test)
{
	static const struct seg_case c = {
		"two", RXT_MR_PAGES, 0, 7, 2, { 100, 100 },
	};
	struct payload *p = make_payload(test, &c);
	struct rxt_rx *rx = make_rx(test, p);
	u8 *buf = make_pattern(test, p->length);
	struct rxt_mr *mr = p->region[1].mr;

	kref_get(&mr->ref);
	rxt_mr_destroy(mr);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, 0, buf, 100), 0);
	KUNIT_EXPECT_EQ(test, rx->err, 0);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, 100, buf + 100, 1), -EFAULT);
	KUNIT_EXPECT_EQ(test, rx->err, -EFAULT);
	check_filled(test, p, 0, 100);
	/* The first failure is what is remembered. */
	KUNIT_EXPECT_EQ(test, rxt_rx_place_buf(rx, 500, buf, 1), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rx->err, -EFAULT);

	rxt_msg_put_mrs(p->msg);
	KUNIT_EXPECT_EQ(test, kref_read(&mr->ref), 1U);
	rxt_mr_put(mr);
	__free_pages(p->region[1].pages[0], 0);
	p->num = 1;
	free_payload(test, p);
}

/* Shapes of the skb that the payload arrives in. */
enum skb_shape {
	SKB_LINEAR	= 0,
	SKB_FRAGS	= 1,
	SKB_FRAG_LIST	= 2,	/* combines with SKB_FRAGS */
};

#define SKB_HEAD	43	/* bytes in front of the payload */

static struct sk_buff *skb_piece(struct kunit *test, const u8 *data, u32 len, bool frags)
{
	u32 linear = frags ? min(len, 50U) : len, at = linear, n;
	struct sk_buff *skb = alloc_skb(linear, GFP_KERNEL);
	int i = 0;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, data, linear);
	while (at < len) {
		u32 off = 97 * i;
		struct page *page = alloc_page(GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, page);
		KUNIT_ASSERT_LT(test, i, (int)MAX_SKB_FRAGS);
		n = min_t(u32, len - at, PAGE_SIZE - off);
		memcpy(page_address(page) + off, data + at, n);
		skb_add_rx_frag(skb, i++, page, off, n, PAGE_SIZE);
		at += n;
	}
	return skb;
}

static struct sk_buff *make_skb(struct kunit *test, const u8 *data, u32 len, int shape)
{
	bool frags = shape & SKB_FRAGS;
	struct sk_buff *skb, **tail;
	u32 first, at, n;

	if (!(shape & SKB_FRAG_LIST))
		return skb_piece(test, data, len, frags);
	first = len / 3 + 1;
	skb = skb_piece(test, data, first, frags);
	tail = &skb_shinfo(skb)->frag_list;
	for (at = first; at < len; at += n) {
		n = min(len - at, len / 4 + 1);
		*tail = skb_piece(test, data + at, n, frags);
		skb->len += (*tail)->len;
		skb->data_len += (*tail)->len;
		skb->truesize += (*tail)->truesize;
		tail = &(*tail)->next;
	}
	return skb;
}

static void place_skb_shape(struct kunit *test, const struct seg_case *c, int shape, u32 step)
{
	struct payload *p = make_payload(test, c);
	struct rxt_rx *rx = make_rx(test, p);
	u8 *buf = kunit_kmalloc(test, SKB_HEAD + p->length + 9, GFP_KERNEL);
	struct sk_buff *skb;
	u32 i, off, len;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	memset(buf, 0x11, SKB_HEAD + p->length + 9);
	for (i = 0; i < p->length; i++)
		buf[SKB_HEAD + i] = pattern(i);
	skb = make_skb(test, buf, SKB_HEAD + p->length + 9, shape);
	KUNIT_ASSERT_EQ(test, skb->len, SKB_HEAD + p->length + 9);

	/* Every second piece first: with gaps, then the gaps. */
	for (i = 0; i < 2; i++) {
		for (off = i * step; off < p->length; off += 2 * step) {
			len = min(step, p->length - off);
			KUNIT_ASSERT_EQ(test, rxt_rx_place_skb(rx, off, skb, SKB_HEAD + off, len),
					0);
		}
	}
	check_filled(test, p, 0, p->length);

	KUNIT_EXPECT_EQ(test, rxt_rx_place_skb(rx, p->length, skb, 0, 1), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_skb(rx, 0, skb, skb->len, 1), -EFAULT);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_skb(rx, 0, skb, U32_MAX, 1), -EFAULT);
	KUNIT_EXPECT_EQ(test, rxt_rx_place_skb(rx, 0, skb, SKB_HEAD + 10, p->length), -EFAULT);
	check_filled(test, p, 0, p->length);
	kfree_skb(skb);
	free_payload(test, p);
}

static void place_skb(struct kunit *test)
{
	const struct seg_case *c = test->param_value;
	int shape;

	for (shape = SKB_LINEAR; shape <= (SKB_FRAGS | SKB_FRAG_LIST); shape++) {
		place_skb_shape(test, c, shape, 1448);
		place_skb_shape(test, c, shape, 4099);
		place_skb_shape(test, c, shape, 1U << 20);
	}
	place_skb_shape(test, c, SKB_FRAGS | SKB_FRAG_LIST, 61);
}

static int payload_suite_init(struct kunit_suite *suite)
{
	rxt_ids_init();
	return 0;
}

static void payload_suite_exit(struct kunit_suite *suite)
{
	WARN_ON(!xa_empty(&mr_table));
	rcu_barrier();
}

static struct kunit_case payload_test_cases[] = {
	KUNIT_CASE_PARAM(msg_copy, seg_gen_params),
	KUNIT_CASE_PARAM(msg_bvecs, seg_gen_params),
	KUNIT_CASE(msg_bvecs_compound),
	KUNIT_CASE(msg_inline),
	KUNIT_CASE(msg_revoked),
	KUNIT_CASE_PARAM(place_buf_in_order, seg_gen_params),
	KUNIT_CASE_PARAM(place_buf_backwards, seg_gen_params),
	KUNIT_CASE_PARAM(place_bounds, seg_gen_params),
	KUNIT_CASE(place_revoked),
	KUNIT_CASE_PARAM(place_skb, seg_gen_params),
	{ }
};

static struct kunit_suite payload_test_suite = {
	.name = "rxt_payload",
	.suite_init = payload_suite_init,
	.suite_exit = payload_suite_exit,
	.test_cases = payload_test_cases,
};

kunit_test_suite(payload_test_suite);

MODULE_DESCRIPTION("rxt: tests of payload out and in");
MODULE_LICENSE("GPL");
