// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: regions whose pages come and go (on-demand paging): which pages are
 * there, asking for those that are not, and bytes that cannot wait.
 *
 * What lives here: struct rxt_odp, struct rxt_fault, struct rxt_bounce. What may
 * not: struct mm and its notifiers (provider), what a missing page means to a peer
 * (rx.c, resp.c).
 *
 * Memory is touched in softirq context and pages come in process context, so nobody
 * waits for a page where it is missed:
 *
 *	what goes out	rxt_msg_enter() says -ENOBUFS; the engine calls again
 *	requests in	the verdict NOT_READY: the peer sends them again
 *	answers in	cannot be asked for again: kept in a bounce buffer, and the
 *			request completes when the bytes are where they belong
 *
 * and a work asks for the page meanwhile. Taking pages away waits for those who
 * touch them, and for nothing else: they hold @lock as readers with softirqs off,
 * and never wait for a page.
 */
#include <linux/delay.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include "internal.h"

#define BATCH_BYTES	(64UL * PAGE_SIZE)
/* Pages that go away are looked at in pieces: readers wait for one of them. */
#define ZAP_BYTES	SZ_2M

/* ---- the pages ---- */

/**
 * rxt_odp_alloc - a table without pages
 * @priv: handed back to ->page_in()
 *
 * Return: the caller's, rxt_odp_free(); NULL: no memory.
 */
struct rxt_odp *rxt_odp_alloc(void *priv)
{
	struct rxt_odp *odp = kzalloc(sizeof(*odp), GFP_KERNEL);

	if (!odp)
		return NULL;
	rwlock_init(&odp->lock);
	xa_init(&odp->map);
	odp->priv = priv;
	return odp;
}

/**
 * rxt_odp_free - end a table
 * @odp: its region is destroyed and nobody calls rxt_odp_zap() any more; or NULL
 */
void rxt_odp_free(struct rxt_odp *odp)
{
	if (!odp)
		return;
	xa_destroy(&odp->map);
	kfree(odp);
}

/**
 * rxt_odp_set - a page is there
 * @odp: table
 * @va: address of its first byte as the process has it
 * @page: it
 * @writable: it may be written to
 *
 * Caller sees to it that rxt_odp_zap() comes after this when the page goes away.
 *
 * Context: process; does not reclaim, as reclaim may take pages away.
 * Return: 0 or -ENOMEM.
 */
int rxt_odp_set(struct rxt_odp *odp, u64 va, struct page *page, bool writable)
{
	return xa_err(xa_store_bh(&odp->map, va >> PAGE_SHIFT,
				  xa_tag_pointer(page, writable),
				  GFP_ATOMIC | __GFP_NOWARN));
}

/* Who is inside finds what it found before until it leaves; then nobody does. */
static void zap_some(struct rxt_odp *odp, unsigned long first, unsigned long last)
{
	unsigned long i = first;
	void *entry;

	if (!xa_find(&odp->map, &i, last, XA_PRESENT))
		return;
	write_lock_bh(&odp->lock);
	xa_for_each_range(&odp->map, i, entry, first, last)
		xa_erase(&odp->map, i);
	write_unlock_bh(&odp->lock);
}

/**
 * rxt_odp_zap - pages go away
 * @odp: table
 * @from: first address
 * @to: behind the last address
 *
 * On return nobody touches them any more.
 *
 * Context: process; waits for copies under way, by spinning.
 */
void rxt_odp_zap(struct rxt_odp *odp, u64 from, u64 to)
{
	while (from < to) {
		u64 end = min(to, (from | (ZAP_BYTES - 1)) + 1);

		zap_some(odp, from >> PAGE_SHIFT, (end - 1) >> PAGE_SHIFT);
		from = end;
	}
}

static u64 va_of(const struct rxt_mr *mr, u64 addr)
{
	return addr - mr->iova + mr->offset;
}

/**
 * rxt_odp_present - may memory be touched right now?
 * @mr: entered, with @mr->odp
 * @addr: first byte, as users name it
 * @len: bytes, not 0
 * @write: it is to be written to
 *
 * What is there stays until rxt_mr_exit().
 */
bool rxt_odp_present(const struct rxt_mr *mr, u64 addr, u32 len, bool write)
{
	unsigned long i = va_of(mr, addr) >> PAGE_SHIFT;
	unsigned long last = (va_of(mr, addr) + len - 1) >> PAGE_SHIFT;

	for (; i <= last; i++) {
		void *entry = xa_load(&mr->odp->map, i);

		if (!entry || (write && !xa_pointer_tag(entry)))
			return false;
	}
	return true;
}

/* The region that the pages are of; a window has none of its own. */
static struct rxt_mr *owner(struct rxt_mr *mr)
{
	return mr->of ?: mr;
}

/**
 * rxt_odp_page_in - ask for pages, and wait
 * @mr: region with @mr->odp; a reference is held
 * @va: first address as the process has it
 * @len: bytes
 * @how: RXT_PAGE_*
 *
 * They may be gone again when this returns. The region cannot end meanwhile.
 *
 * Context: process, sleeps. Return: 0; -EFAULT: no such memory, or the region is
 * revoked; -ENOMEM and others: later perhaps.
 */
int rxt_odp_page_in(struct rxt_mr *mr, u64 va, u64 len, unsigned int how)
{
	int err = 0;

	if (!rxt_mr_enter_plain(mr))
		return -EFAULT;
	while (len && !err) {
		u64 n = min_t(u64, len, BATCH_BYTES - (va & ~PAGE_MASK));

		err = READ_ONCE(mr->revoked) ? -EFAULT :
		      rxt_provider->page_in(mr->odp->priv, va, n, how);
		va += n;
		len -= n;
	}
	rxt_mr_exit_plain(mr);
	return err;
}

/**
 * struct rxt_advice - pages that a process expects to need
 * @work: asks for them
 * @mr: region, with a reference
 * @va: first address
 * @len: bytes
 * @how: RXT_PAGE_*
 */
struct rxt_advice {
	struct work_struct	work;
	struct rxt_mr		*mr;
	u64			va;
	u64			len;
	unsigned int		how;
};

static void advice_work(struct work_struct *work)
{
	struct rxt_advice *a = container_of(work, struct rxt_advice, work);

	rxt_odp_page_in(a->mr, a->va, a->len, a->how);
	rxt_mr_put(a->mr);
	kfree(a);
}

static int prefetch_later(struct rxt_mr *mr, u64 va, u64 len, unsigned int how)
{
	struct rxt_advice *a = kmalloc(sizeof(*a), GFP_KERNEL);

	if (!a)
		return -ENOMEM;
	INIT_WORK(&a->work, advice_work);
	kref_get(&mr->ref);
	a->mr = mr;
	a->va = va;
	a->len = len;
	a->how = how;
	queue_work(rxt_fault_wq, &a->work);
	return 0;
}

/**
 * rxt_odp_prefetch - a process expects to need memory (ibv_advise_mr)
 * @dev: device
 * @pd: protection domain, by identity
 * @lkey: region
 * @addr: first byte
 * @len: bytes
 * @how: RXT_PAGE_*
 * @wait: for the pages; otherwise they come when they come
 *
 * Context: process, sleeps. Return: 0; -EINVAL: not such memory of such a region;
 * -EFAULT, -ENOMEM: not all of it could be had.
 */
int rxt_odp_prefetch(struct rxt_dev *dev, const void *pd, u32 lkey, u64 addr,
		     u64 len, unsigned int how, bool wait)
{
	int access = how & RXT_PAGE_WRITE ? IB_ACCESS_LOCAL_WRITE : 0;
	struct rxt_mr *mr = rxt_mr_find(dev, pd, lkey, addr, len, access);
	int err = -EINVAL;

	if (!mr)
		return -EINVAL;
	if (rxt_mr_paged(mr) && wait)
		err = rxt_odp_page_in(mr, va_of(mr, addr), len, how);
	else if (rxt_mr_paged(mr))
		err = prefetch_later(mr, va_of(mr, addr), len, how);
	rxt_mr_put(mr);
	return err;
}

/* ---- asking without waiting ---- */

/* Not for lack of something that may be there the next time. */
static bool is_final(int err)
{
	return err && err != -ENOMEM && err != -EBUSY && err != -EAGAIN;
}

static void fault_done(struct rxt_fault *f)
{
	rxt_mr_put(f->mr);
	/* What is in @f comes before the bit, see rxt_odp_fault(). */
	clear_bit_unlock(f->busy, &f->qp->flags);
}

static void fault_work(struct work_struct *work)
{
	struct rxt_fault *f = container_of(work, struct rxt_fault, work);
	struct rxt_qp *qp = f->qp;
	int err;

	err = rxt_odp_page_in(f->mr, f->va, f->len, f->how);
	/* Whatever it is that failed for now, the next attempt asks again. */
	f->bad = is_final(err);
	fault_done(f);
	if (f == &qp->fault[RXT_FAULT_TX])
		rxt_engine_queue(qp);
}

/**
 * rxt_odp_fault - pages are missing: have them brought
 * @qp: who needs them
 * @which: RXT_FAULT_TX: caller has the TX token; RXT_FAULT_RX: caller is inbound
 *	processing
 * @mr: region, not entered
 * @addr: first byte that is needed
 * @len: bytes that will be needed
 * @write: to be written to
 *
 * Context: any. Return: -EAGAIN: it is under way; -EFAULT: it was tried, there is no
 * such memory.
 */
int rxt_odp_fault(struct rxt_qp *qp, enum rxt_fault_slot which,
		  struct rxt_mr *mr, u64 addr, u32 len, bool write)
{
	struct rxt_fault *f = &qp->fault[which];
	unsigned int how = write ? RXT_PAGE_WRITE : 0;

	if (test_bit_acquire(f->busy, &qp->flags))
		return -EAGAIN;
	if (f->bad && f->va == va_of(mr, addr) && f->key == mr->key &&
	    f->how == how) {
		f->bad = false;
		return -EFAULT;
	}
	rxt_count_qp(qp, page_faults);
	f->bad = false;
	f->mr = owner(mr);
	f->key = mr->key;
	f->va = va_of(mr, addr);
	f->len = min_t(u32, len, RXT_FAULT_MAX);
	f->how = how;
	kref_get(&f->mr->ref);
	set_bit(f->busy, &qp->flags);
	queue_work(rxt_fault_wq, &f->work);
	return -EAGAIN;
}

/* The first byte of @msg that the next unit needs and that is missing. */
static struct rxt_seg *missing(struct rxt_msg *msg, u64 *addr, u32 *len)
{
	bool sink = rxt_op_is_rd(msg->op);
	u32 off = msg->tx_off, left = RXT_TX_UNIT;
	unsigned int i;

	for (i = 0; i < msg->num_seg && left; i++) {
		struct rxt_seg *seg = &msg->seg[i];
		u32 n;

		if (off >= seg->length) {
			off -= seg->length;
			continue;
		}
		n = min(seg->length - off, left);
		if (seg->mr && rxt_mr_paged(seg->mr) &&
		    !rxt_odp_present(seg->mr, seg->addr + off, n, sink)) {
			*addr = seg->addr + off;
			*len = seg->length - off;
			return seg;
		}
		left -= n;
		off = 0;
	}
	return NULL;
}

/**
 * rxt_odp_msg_check - are the pages of a message's next unit there?
 * @msg: entered; it is left when they are not
 *
 * Context: TX token held. Return: 0: they are, until rxt_msg_exit(); -ENOBUFS: not
 * now; -EFAULT: there is no such memory.
 */
int rxt_odp_msg_check(struct rxt_msg *msg)
{
	struct rxt_seg *seg;
	struct rxt_mr *mr;
	u64 addr;
	u32 len;
	int err;

	seg = missing(msg, &addr, &len);
	if (!seg)
		return 0;
	mr = seg->mr;
	rxt_msg_exit(msg);
	err = rxt_odp_fault(msg->qp, RXT_FAULT_TX, mr, addr, len,
			    rxt_op_is_rd(msg->op));
	return err == -EAGAIN ? -ENOBUFS : err;
}

/* ---- answers ---- */

/**
 * struct rxt_bounce - bytes of an answer that found no page
 * @node: in rxt_qp.bounces, oldest first
 * @id: request that is answered
 * @mr: where they belong, with a reference
 * @addr: and where in it
 * @len: of @data
 * @ends: with these the answer is complete
 * @data: the bytes
 */
struct rxt_bounce {
	struct list_head	node;
	u32			id;
	struct rxt_mr		*mr;
	u64			addr;
	u32			len;
	bool			ends;
	u8			data[];
};

static int bounce(struct rxt_rx *rx, const struct rxt_seg *seg, u64 addr,
		  const void *buf, u32 len)
{
	struct rxt_qp *qp = rx->qp;
	struct rxt_bounce *b;

	b = kmalloc(struct_size(b, data, len), GFP_ATOMIC | __GFP_NOWARN);
	if (!b)
		return -EFAULT;
	b->id = rx->msg->id;
	b->mr = seg->mr;
	kref_get(&b->mr->ref);
	b->addr = addr;
	b->len = len;
	b->ends = false;
	memcpy(b->data, buf, len);
	rxt_count_qp(qp, page_bounces);
	spin_lock_bh(&qp->bounce_lock);
	list_add_tail(&b->node, &qp->bounces);
	spin_unlock_bh(&qp->bounce_lock);
	queue_work(rxt_fault_wq, &qp->bounce_work);
	return 0;
}

/**
 * rxt_odp_missed - inbound bytes found no page
 * @rx: context
 * @seg: where they belong
 * @off: in @seg
 * @buf: them
 * @len: of @buf
 *
 * Context: inbound processing. Return: 0: they are kept; -EAGAIN: they have to come
 * again; -EFAULT: they never can be placed.
 */
int rxt_odp_missed(struct rxt_rx *rx, const struct rxt_seg *seg, u32 off,
		   const void *buf, u32 len)
{
	u64 addr = seg->addr + off;

	if (rx->msg)
		return bounce(rx, seg, addr, buf, len);
	return rxt_odp_fault(rx->qp, RXT_FAULT_RX, seg->mr, addr,
			     seg->length - off, true);
}

/* The newest bytes of an answer that are kept. */
static struct rxt_bounce *newest(struct rxt_qp *qp, u32 id)
{
	struct rxt_bounce *b;

	lockdep_assert_held(&qp->bounce_lock);
	list_for_each_entry_reverse(b, &qp->bounces, node)
		if (b->id == id)
			return b;
	return NULL;
}

/* Some bytes of answer @id could not be placed; the question is asked once. */
static bool was_bad(struct rxt_qp *qp, u32 id)
{
	lockdep_assert_held(&qp->bounce_lock);
	if (!qp->bounce_bad || qp->bounce_bad_id != id)
		return false;
	qp->bounce_bad = false;
	return true;
}

/**
 * rxt_odp_answer_kept - is a part of an answer still on its way to its place?
 * @qp: QP
 * @id: request
 *
 * Context: inbound processing, all of the answer is there. Return: 0: all of it is in
 * place; 1: the request will be completed by a work; -EFAULT: there is no such memory.
 */
int rxt_odp_answer_kept(struct rxt_qp *qp, u32 id)
{
	struct rxt_bounce *b;
	int ret = 0;

	if (likely(list_empty_careful(&qp->bounces) &&
		   !READ_ONCE(qp->bounce_bad)))
		return 0;
	spin_lock_bh(&qp->bounce_lock);
	b = newest(qp, id);
	if (b) {
		b->ends = true;
		ret = 1;
	} else if (was_bad(qp, id)) {
		ret = -EFAULT;
	}
	spin_unlock_bh(&qp->bounce_lock);
	return ret;
}

/* 1: the bytes are where they belong; 0: the page was gone again. */
static int bounce_place(struct rxt_bounce *b)
{
	int err;

	err = rxt_odp_page_in(owner(b->mr), va_of(b->mr, b->addr), b->len,
			      RXT_PAGE_WRITE);
	if (err)
		return is_final(err) ? -EFAULT : 0;
	err = rxt_seg_write(b->mr, b->addr, b->data, b->len);
	return err == -EAGAIN ? 0 : err ?: 1;
}

/* All of the answer was there and is dealt with. */
static void answer_done(struct rxt_qp *qp, u32 id, bool bad)
{
	struct rxt_msg *msg = rxt_req_find_unanswered(qp, id);

	if (!msg)
		return;
	if (bad) {
		rxt_count_qp(qp, local_prot_errors);
		rxt_req_fail(qp, msg, IB_WC_LOC_PROT_ERR);
	} else {
		rxt_req_answered(qp, msg);
	}
	rxt_engine_queue(qp);
}

/* Until the answer is all there its context holds on to the request: so nothing
 * but a note is made of bytes that could not be placed.
 */
static void bounce_end(struct rxt_qp *qp, struct rxt_bounce *b, bool bad)
{
	bool ends;

	spin_lock_bh(&qp->bounce_lock);
	list_del(&b->node);
	if (bad) {
		WRITE_ONCE(qp->bounce_bad, true);
		qp->bounce_bad_id = b->id;
	}
	ends = b->ends;
	bad = ends && was_bad(qp, b->id);
	spin_unlock_bh(&qp->bounce_lock);
	if (ends)
		answer_done(qp, b->id, bad);
	rxt_mr_put(b->mr);
	kfree(b);
}

static void bounce_work(struct work_struct *work)
{
	struct rxt_qp *qp = container_of(work, struct rxt_qp, bounce_work);
	struct rxt_bounce *b;
	int res;

	for (;;) {
		spin_lock_bh(&qp->bounce_lock);
		b = list_first_entry_or_null(&qp->bounces, struct rxt_bounce,
					     node);
		spin_unlock_bh(&qp->bounce_lock);
		if (!b || test_bit(RXT_QP_STOPPED, &qp->flags))
			return;
		res = bounce_place(b);
		if (res)
			bounce_end(qp, b, res < 0);
		else
			usleep_range(500, 1000);
	}
}

/* ---- life of a QP ---- */

/**
 * rxt_odp_setup - prepare a new QP
 * @qp: zeroed
 */
void rxt_odp_setup(struct rxt_qp *qp)
{
	unsigned int i;

	for (i = 0; i < RXT_FAULT_SLOTS; i++) {
		INIT_WORK(&qp->fault[i].work, fault_work);
		qp->fault[i].qp = qp;
		qp->fault[i].busy = RXT_QP_FAULT_RX + i;
	}
	spin_lock_init(&qp->bounce_lock);
	INIT_LIST_HEAD(&qp->bounces);
	INIT_WORK(&qp->bounce_work, bounce_work);
}

/**
 * rxt_odp_stop - forget all that was asked for
 * @qp: TX token held, no up-call can come
 *
 * Context: process, sleeps for the page that is being brought.
 */
void rxt_odp_stop(struct rxt_qp *qp)
{
	struct rxt_bounce *b, *tmp;
	unsigned int i;

	for (i = 0; i < RXT_FAULT_SLOTS; i++) {
		if (cancel_work_sync(&qp->fault[i].work))
			fault_done(&qp->fault[i]);
		qp->fault[i].bad = false;
	}
	cancel_work_sync(&qp->bounce_work);
	list_for_each_entry_safe(b, tmp, &qp->bounces, node) {
		rxt_mr_put(b->mr);
		kfree(b);
	}
	INIT_LIST_HEAD(&qp->bounces);
	qp->bounce_bad = false;
}
