/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt core: what the files of core/ share and nobody else sees.
 *
 * What lives here: struct rxt_qp, rxt_mr, rxt_dkey, rxt_rx and the calls
 * between the core's files. What may not: anything of provider or backends.
 *
 * Lock order: qp->mutex > TX token > (backend's connection lock) >
 * qp->req_lock, qp->resp_lock, rq->lock > qp->state_lock > cq->lock
 */
#ifndef _RXT_INTERNAL_H
#define _RXT_INTERNAL_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rxt/core.h>

/* Requests that may be on their way at once; bounds the private copies. */
#define RXT_TX_WINDOW		1024
/* Private copies that an idle QP keeps. */
#define RXT_MSG_KEEP		16
/* Units of the response lane in a row while requests wait. */
#define RXT_RESP_BURST		4
/* Units per engine run in softirq and in process context. */
#define RXT_BUDGET_BH		64
#define RXT_BUDGET_PROC		256

/* IB_WC_ATOMIC_WRITE: kernels before 6.2 have the user space name only. */
#define RXT_WC_ATOMIC_WRITE	((enum ib_wc_opcode)9)

/* Life of a message in the request lane; what an answer is. */
enum rxt_msg_state {
	RXT_MS_QUEUED,		/* built, (again) to be handed over */
	RXT_MS_SENT,		/* handed over whole */
	RXT_MS_ANSWERED,	/* READ, atomics: the response is in; local: done */
	RXT_MS_FAILED,		/* ends with msg->status when it is the oldest */
	RXT_MS_REPLAY,		/* an answer that was asked for again */
};

/* qp->flags */
enum {
	RXT_QP_TX_BUSY,		/* the TX token */
	RXT_QP_TX_PENDING,	/* the owner has to go round again */
	RXT_QP_TX_BLOCKED,	/* ->xmit() said BLOCKED, no rxt_tx_ready() since */
	RXT_QP_REQ_WAIT,	/* the same for WAIT, the request lane alone */
	RXT_QP_TX_WANT,		/* see rxt_tx_wanted() */
	RXT_QP_STOPPED,		/* ->conn_stop() done, not restarted */
	RXT_QP_LOST,		/* RXT_ERR_LOST was reported */
	RXT_QP_DEAD,		/* destroy has begun */
	RXT_QP_FAULT_RX,	/* rxt_qp.fault[]: under way, in this order */
	RXT_QP_FAULT_TX,
};

/* Most bytes that are asked for at a time when a page is missed. */
#define RXT_FAULT_MAX		SZ_4M
/* The RNR time of who has to wait for a page: 1.28 ms (IBTA table 45). */
#define RXT_FAULT_RNR		14

enum rxt_fault_slot {
	RXT_FAULT_RX,
	RXT_FAULT_TX,
	RXT_FAULT_SLOTS
};

/**
 * struct rxt_fault - pages that a QP needs and that a work asks for
 * @work: does so
 * @qp: whose; constant
 * @busy: bit of qp->flags: @work is queued or runs, and owns the rest; constant
 * @bad: there is no such memory
 * @mr: region, with a reference while @busy
 * @key: that it was named by
 * @va: first byte as the process has it
 * @len: bytes
 * @how: RXT_PAGE_*
 */
struct rxt_fault {
	struct work_struct	work;
	struct rxt_qp		*qp;
	u8			busy;
	bool			bad;
	struct rxt_mr		*mr;
	u32			key;
	u64			va;
	u32			len;
	unsigned int		how;
};

/**
 * struct rxt_odp - the pages of a region that are there at the moment
 * @lock: readers touch pages; as a writer pages are taken out of @map, whose own
 *	lock is inside of this one and bh
 * @map: page number in the process -> page, tagged 1 when writable
 * @priv: the provider's
 */
struct rxt_odp {
	rwlock_t		lock;	/* see above */
	struct xarray		map;
	void			*priv;
};

/**
 * struct rxt_bell - how posts to a send queue have come
 * @end: local_clock() when the last post was sent by who posted
 * @run: posts close to each other, less those that were not
 * @need: how many make a trial
 * @batching: posts are left to a worker
 * @last: requests in the last batch of a worker
 * @sample: batches after which that is thought over
 * @batches: so far
 * @requests: that were in these, but for long ones
 */
struct rxt_bell {
	u64	end;
	u32	run;
	u32	need;
	bool	batching;
	u32	last;
	u32	sample;
	u32	batches;
	u32	requests;
};

/**
 * struct rxt_rx - a message that is coming in
 * @qp: whose
 * @active: between begin and end/abort
 * @op: enum rxt_op of the header that began it
 * @msg_id: its number
 * @length: bytes that may arrive: the message's, or the receive WQE's while the
 *	message's is unknown
 * @known: @length is the message's own
 * @err: first local failure of a place, see rxt_rx_place_verdict()
 * @recv: receive WQE in use, or NULL
 * @msg: the request that a READ response answers, or NULL
 * @seg: destination
 * @num_seg: entries of @seg
 * @cur: segment that @cur_pos is in; a cursor for bytes that come in order
 * @cur_pos: message offset where segment @cur begins
 * @one: the destination of a WRITE
 */
struct rxt_rx {
	struct rxt_qp		*qp;
	bool			active;
	bool			known;
	u8			op;
	int			err;
	u32			msg_id;
	u32			length;
	struct rxt_recv		*recv;
	struct rxt_msg		*msg;
	struct rxt_seg		*seg;
	u16			num_seg;
	u16			cur;
	u32			cur_pos;
	struct rxt_seg		one;
};

/*
 * struct rxt_qp - a queue pair, the core's half. What guards what is said at the
 * members. RCU-freed: lookups by number may hold a pointer when it goes.
 */
struct rxt_qp {
	struct rxt_qp_head	head;		/* first, see there */
	struct rxt_dev		*dev;
	struct rxt_conn		*conn;
	const void		*pd;
	struct rxt_cq		*scq;
	struct rxt_cq		*rcq;
	struct rxt_rq		*rq;
	enum ib_qp_type		type;
	bool			user;
	bool			sig_all;
	u32			index;		/* in the table, see core/ids.c */
	size_t			msg_tail;	/* bytes behind struct rxt_msg */

	struct kref		ref;
	struct completion	unused;
	struct rcu_head		rcu;

	/* modify, query, error work and destroy, one at a time */
	struct mutex		mutex;
	struct rxt_qp_attr	attr;		/* mutex */
	bool			flushed;	/* mutex: ERR and all flushed once */

	/* state: written under it (and mutex, but for -> ERR, SQE); read freely */
	spinlock_t		state_lock;
	enum ib_qp_state	state;
	bool			sqd_event;	/* state_lock: SQ_DRAINED is owed */

	/* copies of attr for the fast path, constant while connected */
	int			access;
	u8			max_rd_atomic;
	u8			max_dest_rd_atomic;
	u8			min_rnr_timer;
	u8			rnr_retry;
	u32			qkey;

	unsigned long		flags;
	wait_queue_head_t	tx_wait;	/* for the TX token */
	struct work_struct	tx_work;
	struct work_struct	err_work;
	struct delayed_work	rq_poll;	/* ERR: RQ WQEs that nobody tells of */
	struct timer_list	tx_timer;	/* -ENOBUFS */
	struct hrtimer		rnr_timer;

	struct rxt_bell		bell;		/* hints, see core/bell.c */

	/* TX token */
	unsigned int		burst;
	u64			fetched;	/* payload bytes of all requests */
	struct rxt_mr		*src_mr;	/* used last, see rxt_mr_find_again() */

	/* Requests: the list and all below it. Softirq-safe. */
	spinlock_t		req_lock;
	struct list_head	inflight;	/* by id: built, not completed */
	struct rxt_msg		*req_next;	/* first one not handed over whole */
	struct rxt_msg		*tx_cur;	/* in ->xmit() or BLOCKED; pinned */
	struct rxt_msg		*spare;		/* TX token only */
	struct list_head	pool;
	unsigned int		pool_len;
	unsigned int		inflight_len;
	u32			next_id;
	u32			sent_id;	/* highest id ever handed over whole */
	u32			acked_id;
	u32			rd_out;		/* READs and atomics not answered */
	bool			stalled;	/* engine stopped for fence, ORD, window */
	bool			rnr_hold;
	u8			rnr_left;
	bool			rewind;
	u32			rewind_id;
	u32			rewind_off;

	/* Responses: list, pool. Softirq-safe. */
	spinlock_t		resp_lock;
	struct list_head	resp;
	struct list_head	resp_pool;
	unsigned int		resp_out[2];	/* not in the pool: new, again */
	unsigned int		resp_max;	/* of either */
	void			*resp_mem;	/* mutex: the messages of resp_pool */

	/* RX: serialised by the backend until ->conn_stop() returned */
	struct rxt_rx		rx_req;
	struct rxt_rx		rx_resp;
	struct rxt_mr		*dst_mr;	/* used last: by rkey */
	struct rxt_mr		*recv_mr;	/* and by receive WQEs */
	struct rxt_recv		*recv;
	bool			recv_held;	/* taken, resolved, not consumed */
	struct rxt_fault	fault[RXT_FAULT_SLOTS];
	/* Answers whose bytes wait for a page */
	spinlock_t		bounce_lock;
	struct list_head	bounces;
	struct work_struct	bounce_work;
	bool			bounce_bad;	/* of answer bounce_bad_id */
	u32			bounce_bad_id;
	bool			comm_est;	/* COMM_EST was raised */
};

/**
 * struct rxt_mr - a memory region
 * @ref: owner, messages and lookups
 * @users: 1 while valid, plus those who touch the memory right now; destroy
 *	drops the 1 and waits for 0 on @idle
 * @idle: nobody touches the memory any more
 * @revoked: destroy has begun; keeps steady traffic from delaying it
 * @atomic: it may be revoked in softirq context, or lose pages: its memory is
 *	touched with softirqs off and whoever takes it away can wait by spinning
 * @dev: device
 * @pd: protection domain, by identity
 * @type: where the memory is
 * @access: IB_ACCESS_* granted
 * @key: lkey and rkey
 * @index: in the table
 * @iova: address of the first byte as users name it
 * @length: bytes
 * @offset: of the first byte in the first page
 * @npages: entries of @pages or @block
 * @pages: RXT_MR_PAGES: the memory; the array is the MR's (or @of's)
 * @windows: windows bound to it; -1: none may be any more
 * @qpn: only this QP's peer may use it; 0: any of @pd
 * @shift: RXT_MR_FAST: log2 of the bytes behind each @block
 * @of: a window: the region that it is a part of, with a reference
 * @odp: RXT_MR_PAGED: its pages; @offset is the address of the first byte then
 * @rcu: lookups may hold a pointer when it goes
 * @block: RXT_MR_FAST: kernel addresses, each aligned to its size
 *
 * RCU-freed; messages hold @ref and find out at rxt_mr_enter() that it is over.
 */
struct rxt_mr {
	struct kref		ref;
	refcount_t		users;
	struct completion	idle;
	bool			revoked;
	bool			atomic;
	struct rxt_dev		*dev;
	const void		*pd;
	enum rxt_mr_type	type;
	int			access;
	u32			key;
	u32			index;
	u64			iova;
	u64			length;
	u64			offset;
	u32			npages;
	u32			qpn;
	struct page		**pages;
	atomic_t		windows;
	u8			shift;
	struct rxt_mr		*of;
	struct rxt_odp		*odp;
	struct rcu_head		rcu;
	u64			block[];
};

/**
 * struct rxt_dkey - a key whose memory comes and goes by work requests
 * @ref: owner and those who execute something on it
 * @lock: guards all but the constants; held while memory is taken away
 * @dead: to be destroyed (@lock)
 * @kind: what it is; constant
 * @dev: device; constant
 * @pd: protection domain, by identity; constant
 * @index: in the table; constant
 * @key: as it is now; the low byte changes (@lock)
 * @max_blocks: RXT_DKEY_FAST: most blocks of a mapping; constant
 * @cur: what the key means right now, or NULL; changed under @lock, read by RCU
 * @staged: RXT_DKEY_FAST: mapped and not registered yet; exchanged as a whole
 * @mapped: RXT_DKEY_FAST: mappings so far
 * @rcu: lookups may hold a pointer when it goes
 *
 * Each time that it gets memory, that is a struct rxt_mr of its own: what names
 * the one before never finds the new one.
 */
struct rxt_dkey {
	struct kref		ref;
	spinlock_t		lock;	/* see above */
	bool			dead;
	enum rxt_dkey_kind	kind;
	struct rxt_dev		*dev;
	const void		*pd;
	u32			index;
	u32			key;
	u32			max_blocks;
	struct rxt_mr __rcu	*cur;
	struct rxt_mr		*staged;
	u32			mapped;
	struct rcu_head		rcu;
};

/* An entry of the key table is a struct rxt_mr, or with this tag a rxt_dkey. */
#define RXT_ENTRY_DKEY		1

extern const struct rxt_provider_ops *rxt_provider;
extern struct workqueue_struct *rxt_wq;
extern struct workqueue_struct *rxt_fault_wq;

/* For what belongs to a QP. */
#define rxt_count_qp(qp, name)		rxt_count_conn((qp)->conn, name)
#define rxt_count_qp_add(qp, name, n)	rxt_count_conn_add((qp)->conn, name, n)

/* core/stats.c */
int rxt_dev_stats_init(struct rxt_dev *dev);
void rxt_dev_stats_exit(struct rxt_dev *dev);

/* core/ids.c */
void rxt_ids_init(void);
u32 rxt_id_scramble(u32 index);
u32 rxt_id_unscramble(u32 id);

/* core/bell.c */
void rxt_bell_init(struct rxt_bell *bell);
bool rxt_bell_defer(struct rxt_bell *bell, u64 now);
void rxt_bell_sent(struct rxt_bell *bell, u64 now);
bool rxt_bell_gather(const struct rxt_bell *bell);
void rxt_bell_batch(struct rxt_bell *bell, u32 requests, u64 bytes);

/* core/engine.c */
void rxt_engine_run(struct rxt_qp *qp, bool inline_bh);
void rxt_engine_queue(struct rxt_qp *qp);
void rxt_engine_setup(struct rxt_qp *qp);
void rxt_engine_unblock(struct rxt_qp *qp);
void rxt_tx_token_wait(struct rxt_qp *qp);
void rxt_tx_token_drop(struct rxt_qp *qp);

/* core/req.c */
struct rxt_msg *rxt_req_pick(struct rxt_qp *qp, bool may_fetch);
void rxt_req_xmit_done(struct rxt_qp *qp, struct rxt_msg *msg, int res);
int rxt_req_local(struct rxt_qp *qp, struct rxt_msg *msg);
void rxt_req_fail(struct rxt_qp *qp, struct rxt_msg *msg, enum ib_wc_status st);
struct rxt_msg *rxt_req_find_unanswered(struct rxt_qp *qp, u32 id);
void rxt_req_answered(struct rxt_qp *qp, struct rxt_msg *msg);
void rxt_req_unhold(struct rxt_qp *qp);
void rxt_req_fail_oldest(struct rxt_qp *qp, enum ib_wc_status st);
void rxt_req_flush(struct rxt_qp *qp);
void rxt_req_flush_ring(struct rxt_qp *qp);
void rxt_req_drop(struct rxt_qp *qp);
void rxt_req_restart(struct rxt_qp *qp);
void rxt_req_free(struct rxt_qp *qp);

/* core/resp.c */
struct rxt_msg *rxt_resp_head(struct rxt_qp *qp);
void rxt_resp_done(struct rxt_qp *qp, struct rxt_msg *msg);
int rxt_resp_prepare(struct rxt_qp *qp, unsigned int depth);
void rxt_resp_drop_all(struct rxt_qp *qp);

/* core/msg.c */
void rxt_msg_put_mrs(struct rxt_msg *msg);

/* core/rq.c */
int rxt_rq_take(struct rxt_rq *rq, struct rxt_recv *recv);
enum ib_wc_status rxt_recv_resolve(struct rxt_qp *qp, struct rxt_recv *recv);
void rxt_recv_put_mrs(struct rxt_recv *recv);
void rxt_recv_complete(struct rxt_qp *qp, struct rxt_recv *recv, enum ib_wc_status st);

/* core/rx.c */
void rxt_rx_forget_answer(struct rxt_qp *qp, u32 id);
void rxt_rx_drop_all(struct rxt_qp *qp, bool flush);

/* core/verdict.c */
enum rxt_verdict rxt_rx_bad_access(struct rxt_qp *qp);
enum rxt_verdict rxt_rx_bad_request(struct rxt_qp *qp);
enum rxt_verdict rxt_rx_region(struct rxt_qp *qp, const struct rxt_hdr *hdr, int right,
			       struct rxt_mr **mr);

/* core/mr.c */
struct rxt_mr *rxt_mr_find(const struct rxt_dev *dev, const void *pd, u32 key,
			   u64 addr, u64 len, int access);
struct rxt_mr *rxt_mr_find_again(struct rxt_mr **last, const struct rxt_dev *dev,
				 const void *pd, u32 key, u64 addr, u64 len,
				 int access);
struct rxt_mr *rxt_mr_find_remote(struct rxt_qp *qp, u32 rkey, u64 addr, u64 len,
				  int access);
struct rxt_mr *rxt_mr_find_region(const struct rxt_dev *dev, const void *pd,
				  u32 lkey, u64 addr, u64 len, int access);
void rxt_mr_forget(struct rxt_mr **last);
void rxt_mr_free(struct kref *ref);
void rxt_mr_revoke_now(struct rxt_mr *mr);
int rxt_key_alloc(u32 *index, u32 *key);
void rxt_key_publish(u32 index, void *entry);
void rxt_key_erase(u32 index);
void *rxt_key_load(u32 key);

static inline void rxt_mr_put(struct rxt_mr *mr)
{
	kref_put(&mr->ref, rxt_mr_free);
}

/* Its pages come and go. */
static inline bool rxt_mr_paged(const struct rxt_mr *mr)
{
	return unlikely(mr->type == RXT_MR_PAGED);
}

static inline bool rxt_mr_enter_plain(struct rxt_mr *mr)
{
	return !READ_ONCE(mr->revoked) && refcount_inc_not_zero(&mr->users);
}

static inline void rxt_mr_exit_plain(struct rxt_mr *mr)
{
	if (refcount_dec_and_test(&mr->users))
		complete(&mr->idle);
}

/**
 * rxt_mr_enter - begin to touch the memory of a region
 * @mr: a reference is held
 *
 * Context: any; no sleeping until rxt_mr_exit(). Return: false when revoked.
 */
static inline bool rxt_mr_enter(struct rxt_mr *mr)
{
	if (likely(!mr->atomic))
		return rxt_mr_enter_plain(mr);
	local_bh_disable();
	if (!rxt_mr_enter_plain(mr)) {
		local_bh_enable();
		return false;
	}
	if (rxt_mr_paged(mr)) {
		read_lock(&mr->odp->lock);
		__release(&mr->odp->lock);	/* for sparse */
	}
	return true;
}

static inline void rxt_mr_exit(struct rxt_mr *mr)
{
	if (likely(!mr->atomic)) {
		rxt_mr_exit_plain(mr);
		return;
	}
	if (rxt_mr_paged(mr)) {
		__acquire(&mr->odp->lock);	/* for sparse */
		read_unlock(&mr->odp->lock);
	}
	rxt_mr_exit_plain(mr);
	local_bh_enable();
}

static inline struct page *rxt_va_page(u64 addr, unsigned int *off)
{
	void *va = (void *)(uintptr_t)addr;

	*off = offset_in_page(va);
	return virt_to_page(va);
}

/**
 * rxt_mr_page - the page behind an address
 * @mr: entered; @addr is inside (rxt_mr_find() checked it), and the page is there
 *	(rxt_odp_present())
 * @addr: as users name it
 * @off: result: offset in the page
 * @room: result: bytes from there on that lie in this page one after the other
 *
 * Return: the page.
 */
static inline struct page *rxt_mr_page(const struct rxt_mr *mr, u64 addr,
				       unsigned int *off, unsigned int *room)
{
	struct page *page;
	u64 pos, in_block;

	pos = addr - mr->iova + mr->offset;
	if (likely(mr->type == RXT_MR_PAGES)) {
		*off = offset_in_page(pos);
		*room = PAGE_SIZE - *off;
		return mr->pages[pos >> PAGE_SHIFT];
	}
	if (mr->type == RXT_MR_DMA) {
		page = rxt_va_page(addr, off);
		*room = PAGE_SIZE - *off;
		return page;
	}
	if (rxt_mr_paged(mr)) {
		*off = offset_in_page(pos);
		*room = PAGE_SIZE - *off;
		return xa_untag_pointer(xa_load(&mr->odp->map,
						pos >> PAGE_SHIFT));
	}
	/* A block is larger than a page, or (64 KiB pages) smaller. */
	in_block = pos & (BIT_ULL(mr->shift) - 1);
	page = rxt_va_page(mr->block[pos >> mr->shift] + in_block, off);
	*room = min_t(u64, PAGE_SIZE - *off, BIT_ULL(mr->shift) - in_block);
	return page;
}

/* core/dkey.c */
struct rxt_dkey *rxt_dkey_get(u32 key);
void rxt_dkey_put(struct rxt_dkey *dk);
void rxt_dkey_take_away(struct rxt_dkey *dk);
int rxt_dkey_invalidate(struct rxt_qp *qp, u32 key);

/* core/fast.c */
int rxt_fast_register(struct rxt_qp *qp, const struct rxt_msg *msg);

/* core/mw.c */
int rxt_mw_bind(struct rxt_qp *qp, const struct rxt_msg *msg);

/* core/odp.c */
bool rxt_odp_present(const struct rxt_mr *mr, u64 addr, u32 len, bool write);
int rxt_odp_page_in(struct rxt_mr *mr, u64 va, u64 len, unsigned int how);
int rxt_odp_fault(struct rxt_qp *qp, enum rxt_fault_slot which,
		  struct rxt_mr *mr, u64 addr, u32 len, bool write);
int rxt_odp_msg_check(struct rxt_msg *msg);
int rxt_odp_missed(struct rxt_rx *rx, const struct rxt_seg *seg, u32 off,
		   const void *buf, u32 len);
int rxt_odp_answer_kept(struct rxt_qp *qp, u32 id);
void rxt_odp_setup(struct rxt_qp *qp);
void rxt_odp_stop(struct rxt_qp *qp);

/* core/place.c */
int rxt_seg_write(struct rxt_mr *mr, u64 addr, const void *buf, u32 len);
int rxt_place_buf(struct rxt_rx *rx, u32 off, const void *buf, u32 len);

/* core/atomics.c */
int rxt_atomic_exec(struct rxt_mr *mr, const struct rxt_hdr *hdr, u64 *orig);

/* core/flush.c */
void rxt_qp_fail(struct rxt_qp *qp);
void rxt_qp_fail_sq(struct rxt_qp *qp);
void rxt_qp_stop(struct rxt_qp *qp);
void rxt_qp_flush(struct rxt_qp *qp);
void rxt_err_work(struct work_struct *work);
void rxt_rq_poll_work(struct work_struct *work);
void rxt_sqd_check(struct rxt_qp *qp);

/* core/retry.c */
unsigned int rxt_rnr_timer_us(u8 code);
u64 rxt_ack_timeout_ns(u8 timeout);
bool rxt_rnr_retry_take(u8 limit, u8 *left);

static_assert(offsetof(struct rxt_qp, head) == 0);

/* core/qp_state.c */
#define RXT_MAY_POST_RECV	BIT(0)
#define RXT_MAY_POST_SEND	BIT(1)
#define RXT_MAY_RECEIVE		BIT(2)	/* inbound requests are executed */
#define RXT_MAY_RESPOND		BIT(3)	/* responses, ACKs go out */
#define RXT_MAY_SEND		BIT(4)	/* requests under way go on */
#define RXT_MAY_FETCH		BIT(5)	/* new send WQEs are started */
#define RXT_FLUSH_SQ		BIT(6)	/* posted send WQEs are flushed */
#define RXT_FLUSH_RQ		BIT(7)
int rxt_qp_check(enum ib_qp_type type, enum ib_qp_state cur,
		 enum ib_qp_state next, int mask);
extern const u16 rxt_qp_action_table[IB_QPS_ERR + 1];

/**
 * rxt_qp_actions - what a state permits
 * @state: a QP state
 *
 * Return: RXT_MAY_* and RXT_FLUSH_* bits.
 */
static inline unsigned int rxt_qp_actions(enum ib_qp_state state)
{
	return (unsigned int)state < ARRAY_SIZE(rxt_qp_action_table) ?
	       rxt_qp_action_table[state] : 0;
}

static inline bool rxt_qp_may(const struct rxt_qp *qp, unsigned int action)
{
	return rxt_qp_actions(READ_ONCE(qp->state)) & action;
}

static inline bool rxt_op_is_atomic(u8 op)
{
	return op == RXT_OP_CMP_SWP || op == RXT_OP_FETCH_ADD ||
	       op == RXT_OP_ATOMIC_WRITE;
}

static inline bool rxt_op_is_rd(u8 op)
{
	return op == RXT_OP_READ || op == RXT_OP_CMP_SWP ||
	       op == RXT_OP_FETCH_ADD;
}

/* Carried out by the engine itself, not by a backend. */
static inline bool rxt_op_is_local(u8 op)
{
	return op >= RXT_OP_LOCAL_INV;
}

/* Message numbers wrap: a is before b. */
static inline bool rxt_id_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

#endif /* _RXT_INTERNAL_H */
