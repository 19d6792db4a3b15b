// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: the payload of an outgoing message: as page fragments or as a copy,
 * at any offset, as often as asked (retransmission is the backend's matter).
 */
#include <linux/export.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include "internal.h"

void rxt_msg_put_mrs(struct rxt_msg *msg)
{
	unsigned int i;

	for (i = 0; i < msg->num_seg; i++) {
		if (msg->seg[i].mr)
			rxt_mr_put(msg->seg[i].mr);
		msg->seg[i].mr = NULL;
	}
	msg->num_seg = 0;
}

/**
 * rxt_msg_enter - begin to read a message's payload
 * @msg: message
 *
 * Context: any; no sleeping until rxt_msg_exit().
 * Return: 0; -EFAULT when a region was revoked or has no such memory; -ENOBUFS when
 * a page is not there at the moment.
 */
int rxt_msg_enter(struct rxt_msg *msg)
{
	unsigned int i;

	for (i = 0; i < msg->num_seg; i++)
		if (msg->seg[i].mr && !rxt_mr_enter(msg->seg[i].mr))
			goto revoked;
	/* Where an answer goes is not looked at here, see xmit_one(). */
	if (unlikely(msg->flags & RXT_MSG_PAGED) && !rxt_op_is_rd(msg->op))
		return rxt_odp_msg_check(msg);
	return 0;
revoked:
	while (i-- > 0)
		if (msg->seg[i].mr)
			rxt_mr_exit(msg->seg[i].mr);
	return -EFAULT;
}
EXPORT_SYMBOL_GPL(rxt_msg_enter);

void rxt_msg_exit(struct rxt_msg *msg)
{
	unsigned int i;

	for (i = 0; i < msg->num_seg; i++)
		if (msg->seg[i].mr)
			rxt_mr_exit(msg->seg[i].mr);
}
EXPORT_SYMBOL_GPL(rxt_msg_exit);

/**
 * rxt_msg_spliceable - can the payload be handed out as page fragments?
 * @msg: message
 *
 * Return: false for inline payload, which lives in the message itself, and for pages
 * that may come and go.
 */
bool rxt_msg_spliceable(const struct rxt_msg *msg)
{
	return !(msg->flags & (RXT_MSG_INLINE | RXT_MSG_PAGED));
}
EXPORT_SYMBOL_GPL(rxt_msg_spliceable);

/* Pages that follow each other in memory make one fragment as long as they are
 * of one compound page: a reference to its head then keeps all of them.
 */
static u32 extend_in_folio(const struct rxt_mr *mr, u64 addr, u32 len,
			   struct page *page, u32 have)
{
	struct page *head = compound_head(page);
	unsigned int off, room;

	if (mr->type != RXT_MR_PAGES || !PageCompound(page))
		return have;
	while (have < len) {
		struct page *next = rxt_mr_page(mr, addr + have, &off, &room);

		if (next != ++page || compound_head(next) != head)
			break;
		have += min_t(u32, len - have, PAGE_SIZE);
	}
	return have;
}

static u32 seg_bvec(const struct rxt_seg *seg, u32 off, u32 len,
		    struct bio_vec *bv)
{
	u64 addr = seg->addr + off;
	unsigned int poff, room;
	struct page *page = rxt_mr_page(seg->mr, addr, &poff, &room);
	u32 n = min_t(u32, len, room);

	bv->bv_page = page;
	bv->bv_offset = poff;
	bv->bv_len = extend_in_folio(seg->mr, addr, len, page, n);
	return bv->bv_len;
}

/**
 * rxt_msg_bvecs - payload as page fragments
 * @msg: entered, spliceable
 * @off: first byte, of the payload
 * @len: bytes wanted, @off + @len within msg->length
 * @bv: result
 * @max: room in @bv
 * @got: result: bytes that @bv covers
 *
 * No page references are taken: who keeps a page past rxt_msg_exit() takes one.
 *
 * Return: entries of @bv used.
 */
unsigned int rxt_msg_bvecs(struct rxt_msg *msg, u32 off, u32 len,
			   struct bio_vec *bv, unsigned int max, u32 *got)
{
	unsigned int i = 0, n = 0;
	u32 done = 0;

	while (i < msg->num_seg && off >= msg->seg[i].length)
		off -= msg->seg[i++].length;

	while (done < len && n < max && i < msg->num_seg) {
		const struct rxt_seg *seg = &msg->seg[i];
		u32 room = min(seg->length - off, len - done);
		u32 step;

		if (!room) {
			i++;
			off = 0;
			continue;
		}
		step = seg_bvec(seg, off, room, &bv[n++]);
		done += step;
		off += step;
	}
	*got = done;
	return n;
}
EXPORT_SYMBOL_GPL(rxt_msg_bvecs);

static void copy_pieces(struct rxt_msg *msg, u32 off, u32 len, void *dst)
{
	struct bio_vec bv[8];
	unsigned int i, n;
	u32 got;

	while (len) {
		n = rxt_msg_bvecs(msg, off, len, bv, ARRAY_SIZE(bv), &got);
		if (WARN_ON_ONCE(!n))
			return;
		for (i = 0; i < n; i++) {
			memcpy_from_bvec(dst, &bv[i]);
			dst += bv[i].bv_len;
		}
		off += got;
		len -= got;
	}
}

/**
 * rxt_msg_copy - payload as a copy
 * @msg: entered
 * @off: first byte, of the payload
 * @len: bytes, @off + @len within msg->length
 * @dst: kernel memory
 */
void rxt_msg_copy(struct rxt_msg *msg, u32 off, u32 len, void *dst)
{
	struct bio_vec bv;

	if (msg->flags & RXT_MSG_INLINE) {
		memcpy(dst, msg->data + off, len);
		return;
	}
	if (msg->num_seg == 1 && len) {
		seg_bvec(&msg->seg[0], off, len, &bv);
		if (bv.bv_len == len) {
			memcpy_from_bvec(dst, &bv);
			return;
		}
	}
	copy_pieces(msg, off, len, dst);
}
EXPORT_SYMBOL_GPL(rxt_msg_copy);
