// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: the only copy of inbound payload (S7): into the pages of a region, at
 * any offset of the message, in any order.
 *
 * The one file of the core that looks into an skb. No protocol here.
 */
#include <linux/export.h>
#include <linux/highmem.h>
#include <linux/skbuff.h>
#include <rxt/compat.h>
#include "internal.h"

/* Programs poll the last byte of what they expect, and what they do next may be to
 * write there. So it has to come last and once, which memcpy() does not promise: the
 * compiler's own form of it stores the last word first, and once more at the end.
 */
static void copy_last_byte_last(u8 *to, const u8 *from, u32 len)
{
	u32 head = len >= sizeof(u64) ? len - sizeof(u64) : 0;
	u64 word;

	if (head) {
		memcpy(to, from, head);
		smp_wmb();	/* pairs with the program's load of the last byte */
	}
	if (len - head == sizeof(word)) {
		word = get_unaligned((const u64 *)(from + head));
		put_unaligned(word, (u64 *)(to + head));
		return;
	}
	for (; head < len; head++)
		WRITE_ONCE(to[head], from[head]);
}

/**
 * rxt_seg_write - one run of bytes into one region
 * @mr: region; range and rights are checked
 * @addr: where to, as users name it
 * @buf: the bytes
 * @len: of @buf
 *
 * Return: 0, -EFAULT: revoked; -EAGAIN: a page is not there.
 */
int rxt_seg_write(struct rxt_mr *mr, u64 addr, const void *buf, u32 len)
{
	if (!rxt_mr_enter(mr))
		return -EFAULT;
	if (rxt_mr_paged(mr) && !rxt_odp_present(mr, addr, len, true)) {
		rxt_mr_exit(mr);
		return -EAGAIN;
	}
	while (len) {
		unsigned int poff, room;
		struct page *page = rxt_mr_page(mr, addr, &poff, &room);
		u32 n = min_t(u32, len, room);
		u8 *va = kmap_local_page(page);

		copy_last_byte_last(va + poff, buf, n);
		flush_dcache_page(page);
		kunmap_local(va);
		buf += n;
		addr += n;
		len -= n;
	}
	rxt_mr_exit(mr);
	return 0;
}

/* Move the cursor to the segment that holds message offset @off. */
static int seek(struct rxt_rx *rx, u32 off)
{
	if (off < rx->cur_pos) {
		rx->cur = 0;
		rx->cur_pos = 0;
	}
	while (rx->cur < rx->num_seg &&
	       off - rx->cur_pos >= rx->seg[rx->cur].length)
		rx->cur_pos += rx->seg[rx->cur++].length;
	return rx->cur < rx->num_seg ? 0 : -EMSGSIZE;
}

/**
 * rxt_place_buf - put bytes where the message belongs
 * @rx: inbound context; @off + @len was checked against rx->length
 * @off: of the message
 * @buf: kernel memory
 * @len: bytes
 *
 * Context: process or softirq, serialised by the backend.
 * Return: 0, -EFAULT (revoked), -EMSGSIZE (no memory behind that offset), -EAGAIN
 * (a page is not there; not for answers).
 */
int rxt_place_buf(struct rxt_rx *rx, u32 off, const void *buf, u32 len)
{
	while (len) {
		int err = seek(rx, off);
		const struct rxt_seg *seg;
		u32 in_seg, n;

		if (err)
			return err;
		seg = &rx->seg[rx->cur];
		in_seg = off - rx->cur_pos;
		n = min(len, seg->length - in_seg);
		err = rxt_seg_write(seg->mr, seg->addr + in_seg, buf, n);
		if (unlikely(err == -EAGAIN))
			err = rxt_odp_missed(rx, seg, in_seg, buf, n);
		if (err)
			return err;
		buf += n;
		off += n;
		len -= n;
	}
	return 0;
}

static int check_place(struct rxt_rx *rx, u32 off, u32 len)
{
	if (off > rx->length || len > rx->length - off)
		return -EMSGSIZE;
	return 0;
}

static int latch(struct rxt_rx *rx, int err)
{
	if (err && !rx->err)
		rx->err = err;
	return err;
}

int rxt_rx_place_buf(struct rxt_rx *rx, u32 off, const void *buf, u32 len)
{
	int err = check_place(rx, off, len);

	if (!err)
		err = rxt_place_buf(rx, off, buf, len);
	return latch(rx, err);
}
EXPORT_SYMBOL_GPL(rxt_rx_place_buf);

/**
 * rxt_rx_place_skb - put a part of an skb where the message belongs
 * @rx: inbound context
 * @off: of the message
 * @skb: linear, with fragments or a fragment list; not changed
 * @skb_off: first byte of the payload in @skb
 * @len: bytes
 *
 * Context: process or softirq, serialised by the backend.
 * Return: 0, -EFAULT (revoked, or @skb is too short), -EMSGSIZE (beyond the
 * message or the receive WQE), -EAGAIN (a page is not there).
 */
int rxt_rx_place_skb(struct rxt_rx *rx, u32 off, struct sk_buff *skb,
		     unsigned int skb_off, u32 len)
{
	struct skb_seq_state st;
	const u8 *data;
	u32 done = 0;
	int err = check_place(rx, off, len);

	if (err || !len)
		return latch(rx, err);
	if (skb_off > skb->len || len > skb->len - skb_off)
		return latch(rx, -EFAULT);

	/* One walk over the source, whatever its shape. */
	skb_prepare_seq_read(skb, skb_off, skb_off + len, &st);
	while (done < len) {
		u32 n = skb_seq_read(done, &data, &st);

		if (!n)
			return latch(rx, -EFAULT);
		n = min(n, len - done);
		err = rxt_place_buf(rx, off + done, data, n);
		if (err)
			break;
		done += n;
	}
	skb_abort_seq_read(&st);
	return latch(rx, err);
}
EXPORT_SYMBOL_GPL(rxt_rx_place_skb);
