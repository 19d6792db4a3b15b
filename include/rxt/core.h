/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt: what the provider may call in the core, and the few things that the core
 * asks of the provider.
 *
 * What lives here: object life, posting, the provider table. What may not:
 * anything a backend needs (rxt/backend.h), ring layouts, struct ib_*.
 *
 * The provider embeds struct rxt_cq, rxt_rq and rxt_dev in its own objects and
 * gets back by container_of. QPs and MRs are the core's own memory (RCU-freed,
 * they outlive struct ib_qp/ib_mr), with a priv pointer.
 */
#ifndef _RXT_CORE_H
#define _RXT_CORE_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/refcount.h>
#include <linux/scatterlist.h>
#include <rxt/types.h>
#include <rxt/backend.h>

#define RXT_MAX_SGE		32
#define RXT_MAX_INLINE		960
#define RXT_MAX_QP_WR		65536U
#define RXT_MAX_SRQ_WR		1048576U
#define RXT_MAX_CQE		4194304U
#define RXT_MAX_QP		1048576U
#define RXT_MAX_MR		((1U << 24) - 1)
#define RXT_MAX_RD_ATOMIC	128
#define RXT_MAX_FAST_BLOCKS	512

/* init/exit around registration; attach calls the backend's dev_attach. */
int rxt_dev_init(struct rxt_dev *dev, const struct rxt_backend *be,
		 struct net *net, const char *name);
void rxt_dev_exit(struct rxt_dev *dev);
int rxt_dev_attach(struct rxt_dev *dev);
void rxt_dev_detach(struct rxt_dev *dev);
u64 rxt_stats_sum(const struct rxt_stats __percpu *stats, enum rxt_counter c);
struct rxt_stats_set *rxt_stats_set_get(struct rxt_dev *dev);
void rxt_stats_set_put(struct rxt_dev *dev, struct rxt_stats_set *set);
void rxt_qp_count_in(struct rxt_qp *qp, const struct rxt_stats_set *set);
extern const char * const rxt_counter_names[RXT_CNT_NUM];

/* Registry lookups; get takes a module reference, loads "rxt-backend-NAME". */
const struct rxt_backend *rxt_backend_get(const char *name);
void rxt_backend_put(const struct rxt_backend *be);
/* "loop tcp roce": the registered ones, for messages. */
void rxt_backend_list(char *buf, size_t size);

/**
 * struct rxt_cq - completion queue
 * @lock: guards the ring's producer side, @armed and the provider's notify
 *	state; irq-safe leaf lock
 * @armed: 0, IB_CQ_SOLICITED or IB_CQ_NEXT_COMP as asked by req_notify
 * @overflow: a CQE was lost; sticky
 * @dead: being destroyed, push is ignored
 * @dev: device
 */
struct rxt_cq {
	spinlock_t		lock;		/* producer side, arming */
	u8			armed;
	bool			overflow;
	bool			dead;
	struct rxt_dev		*dev;
};

void rxt_cq_init(struct rxt_cq *cq, struct rxt_dev *dev);
/* Push one CQE and notify when armed. Any context, also with other core locks. */
void rxt_cq_push(struct rxt_cq *cq, const struct rxt_wc *wc);

/**
 * struct rxt_rq - a receive queue: of one QP, or shared (SRQ)
 * @lock: guards the consumer side of the ring and @limit; irq-safe
 * @limit: SRQ limit, 0 = not armed
 * @shared: an SRQ
 * @max_sge: most segments that a receive WQE may have
 * @pd: lkeys must belong to it
 * @dev: device
 */
struct rxt_rq {
	spinlock_t		lock;		/* consumer side, limit */
	u32			limit;
	bool			shared;
	u16			max_sge;
	const void		*pd;
	struct rxt_dev		*dev;
};

void rxt_rq_init(struct rxt_rq *rq, struct rxt_dev *dev, const void *pd,
		 bool shared, u16 max_sge);

/**
 * struct rxt_qp_init - what a new QP is made of
 * @type: IB_QPT_RC, _UC, _UD or _GSI
 * @pd: identity of the protection domain (pointer compare only)
 * @priv: the provider's object, see rxt_qp_priv()
 * @scq: completions of the send queue
 * @rcq: completions of the receive queue
 * @rq: own receive queue or an SRQ; NULL: no receive at all
 * @max_send_wr: depth of the send queue
 * @max_send_sge: most segments of a send WQE
 * @max_inline: most inline bytes of a send WQE
 * @sq_sig_all: every send WQE completes
 * @user: WQEs come from a ring that a process shares with us
 * @qpn: 1 for the GSI QP, 0 = the core chooses
 */
struct rxt_qp_init {
	enum ib_qp_type	type;
	const void	*pd;
	void		*priv;
	struct rxt_cq	*scq;
	struct rxt_cq	*rcq;
	struct rxt_rq	*rq;
	u32		max_send_wr;
	u32		max_send_sge;
	u32		max_inline;
	u32		qpn;
	bool		sq_sig_all;
	bool		user;
};

/* Context of all four: process, sleeps. create: published on return (RESET).
 * modify: checks the transition against the table in core/qp_state.c; -EINVAL
 * otherwise. query: merged attributes. destroy: returns when nothing of the QP
 * is in use any more; never gives up waiting.
 */
struct rxt_qp *rxt_qp_create(struct rxt_dev *dev, const struct rxt_qp_init *init);
int rxt_qp_modify(struct rxt_qp *qp, const struct rxt_qp_attr *attr, int mask);
void rxt_qp_query(struct rxt_qp *qp, struct rxt_qp_attr *attr);
void rxt_qp_conn_query(struct rxt_qp *qp, struct rxt_conn_info *info);
void rxt_qp_destroy(struct rxt_qp *qp);
/* UD: join or leave multicast group @gid. Process, sleeps. A QP leaves its groups before
 * it is destroyed. 0; -EOPNOTSUPP: not with this backend; what the backend says.
 */
int rxt_qp_mcast_join(struct rxt_qp *qp, const union ib_gid *gid);
int rxt_qp_mcast_leave(struct rxt_qp *qp, const union ib_gid *gid);
enum ib_qp_state rxt_qp_state(const struct rxt_qp *qp);
/* There are new send WQEs. @may_run: the caller is a plain system call, so the
 * engine may run right here; otherwise (kernel consumers, any context) a work.
 * -EINVAL: the state forbids posting.
 */
int rxt_qp_kick(struct rxt_qp *qp, bool may_run);
/* In state ERR: flush what a kernel consumer just posted to the RQ. Any context. */
void rxt_qp_kick_rq(struct rxt_qp *qp);
/* True when post_send/post_recv may be used in the current state (IBTA 10.3.1). */
bool rxt_qp_may_post_send(const struct rxt_qp *qp);
bool rxt_qp_may_post_recv(const struct rxt_qp *qp);

/**
 * enum rxt_mr_type - where the memory of a region is
 * @RXT_MR_DMA: kernel direct map; an address is a kernel virtual address
 * @RXT_MR_PAGES: an array of pages (user memory)
 * @RXT_MR_FAST: an array of kernel addresses (a kernel consumer's scatterlist)
 * @RXT_MR_PAGED: pages that come and go (on-demand paging)
 */
enum rxt_mr_type {
	RXT_MR_DMA,
	RXT_MR_PAGES,
	RXT_MR_FAST,
	RXT_MR_PAGED,
};

struct rxt_mr *rxt_mr_alloc(struct rxt_dev *dev, const void *pd,
			    enum rxt_mr_type type, int access);
/* Give an RXT_MR_PAGES region its memory: @iova and @length in bytes, @offset
 * into the first page; @pages is kvmalloc'ed, owned by the MR from here on
 * (the page references stay the caller's until rxt_mr_destroy returned).
 * Publishes the MR.
 */
int rxt_mr_set_pages(struct rxt_mr *mr, u64 iova, u64 length,
		     unsigned int offset, struct page **pages, u32 npages);
/* On-demand paging (core/odp.c). The table is the caller's: made before the region,
 * freed after it and after the last zap. set, zap: see there.
 */
struct rxt_odp *rxt_odp_alloc(void *priv);
void rxt_odp_free(struct rxt_odp *odp);
int rxt_odp_set(struct rxt_odp *odp, u64 va, struct page *page, bool writable);
void rxt_odp_zap(struct rxt_odp *odp, u64 from, u64 to);
/* Publish an RXT_MR_PAGED. */
int rxt_mr_set_paged(struct rxt_mr *mr, u64 iova, u64 length, u64 va,
		     struct rxt_odp *odp);

#define RXT_PAGE_WRITE		BIT(0)	/* to be written to */
#define RXT_PAGE_RESIDENT	BIT(1)	/* only what is in memory anyway */

int rxt_odp_prefetch(struct rxt_dev *dev, const void *pd, u32 lkey, u64 addr,
		     u64 len, unsigned int how, bool wait);
/* Publish an RXT_MR_DMA. */
void rxt_mr_set_dma(struct rxt_mr *mr);
u32 rxt_mr_key(const struct rxt_mr *mr);
/* Revoke: on return nobody touches the memory. Messages that still name it fail
 * with LOC_PROT_ERR or a remote error when they get there. -EBUSY: windows are
 * bound to it, nothing has happened.
 */
int rxt_mr_destroy(struct rxt_mr *mr);

/**
 * enum rxt_dkey_kind - keys whose memory comes and goes by work requests
 * @RXT_DKEY_FAST: a region of a kernel consumer (REG_MR, LOCAL_INV, SEND_INV)
 * @RXT_DKEY_MW1: a window of type 1 (BIND_MW); for all QPs of its PD
 * @RXT_DKEY_MW2: a window of type 2B (BIND_MW, LOCAL_INV, SEND_INV); for the QP
 *	that bound it
 */
enum rxt_dkey_kind {
	RXT_DKEY_FAST,
	RXT_DKEY_MW1,
	RXT_DKEY_MW2,
};

/* Process, sleeps. @max_blocks: RXT_DKEY_FAST only. destroy takes the memory away
 * first, if it has any.
 */
struct rxt_dkey *rxt_dkey_create(struct rxt_dev *dev, const void *pd,
				 enum rxt_dkey_kind kind, u32 max_blocks);
void rxt_dkey_destroy(struct rxt_dkey *dk);
u32 rxt_dkey_key(const struct rxt_dkey *dk);

/* A mapping of a RXT_DKEY_FAST, block by block; any context. begin: room for
 * max_blocks of 1 << @shift bytes, or NULL: no memory. add: -ENOMEM when that is
 * full. stage: it waits for REG_MR in place of an older one; @offset into the first
 * block, @length in bytes. Return: its number, which REG_MR has to name.
 */
struct rxt_mr *rxt_fast_begin(struct rxt_dkey *dk, unsigned int shift);
int rxt_fast_add(struct rxt_dkey *dk, struct rxt_mr *map, u64 addr);
void rxt_fast_stage(struct rxt_dkey *dk, struct rxt_mr *map, u64 offset,
		    u64 length);
u32 rxt_fast_staged(const struct rxt_dkey *dk);

/**
 * struct rxt_qp_head - what the provider reads of a QP without a call
 * @priv: the provider's; constant
 * @qpn: number; constant
 *
 * The core's struct rxt_qp begins with it.
 */
struct rxt_qp_head {
	void	*priv;
	u32	qpn;
};

static inline void *rxt_qp_priv(const struct rxt_qp *qp)
{
	return ((const struct rxt_qp_head *)qp)->priv;
}

static inline u32 rxt_qp_num(const struct rxt_qp *qp)
{
	return ((const struct rxt_qp_head *)qp)->qpn;
}

/**
 * enum rxt_qp_wait - what the requests of a QP wait for
 * @RXT_WAIT_NOTHING: for none of the below
 * @RXT_WAIT_ROOM: for room in the transport
 * @RXT_WAIT_PEER: for the peer to answer, before the transport takes more
 * @RXT_WAIT_RNR: for the time that a peer without receive requests asked for
 * @RXT_WAIT_ORDER: for answers to READs and atomics, or for acknowledgements: a
 *	fence, the limit of READs, the limit of requests under way
 */
enum rxt_qp_wait {
	RXT_WAIT_NOTHING,
	RXT_WAIT_ROOM,
	RXT_WAIT_PEER,
	RXT_WAIT_RNR,
	RXT_WAIT_ORDER,
};

/**
 * struct rxt_qp_progress - how far a QP is, to see why it does not move
 * @inflight: requests taken from the send queue and not completed
 * @sent_id: message number of the newest request that was handed over whole
 * @acked_id: of the newest one that is acknowledged
 * @rd_out: READs and atomics not answered yet
 * @responses: answers to the peer that wait to go out
 * @rnr_left: RNR NAKs that are still borne; 7 for ever
 * @wait: what for
 */
struct rxt_qp_progress {
	u32			inflight;
	u32			sent_id;
	u32			acked_id;
	u32			rd_out;
	u32			responses;
	u8			rnr_left;
	enum rxt_qp_wait	wait;
};

void rxt_qp_progress(struct rxt_qp *qp, struct rxt_qp_progress *p);

/* An empty private copy of a send WQE; its tail is not touched. */
static inline void rxt_msg_init(struct rxt_msg *msg, struct rxt_qp *qp)
{
	memset(msg, 0, sizeof(*msg));
	msg->qp = qp;
}

/**
 * struct rxt_provider_ops - what the core asks of the provider
 *
 * Set once at module init by rxt_core_set_provider().
 */
struct rxt_provider_ops {
	/**
	 * @sq_fetch: copy the send WQE at the fetch position into @msg and step
	 * on. Called by the TX token owner only. When there is one, begin with
	 * rxt_msg_init(); the tail of @msg has room for max_send_sge segments
	 * or max_inline bytes. Fill op, flags (SIGNALED by the WQE alone,
	 * sq_sig_all is the core's), length (payload out; READ: rd_length
	 * instead, length 0), imm/inv_rkey, raddr, rkey, compare, swap_add,
	 * wr_id, num_seg + seg[] (addr, length, lkey; mr = NULL) or data[] with
	 * RXT_MSG_INLINE, and for UD remote_qpn, remote_qkey, av (kmalloc'ed
	 * GFP_ATOMIC; the core kfrees).
	 * Return: 1 got one; 0 empty; -EINVAL the WQE is malformed: wr_id and
	 * op are as good as known, the core ends it with LOC_QP_OP_ERR.
	 */
	int (*sq_fetch)(struct rxt_qp *qp, struct rxt_msg *msg);
	/** @sq_release: the oldest @n fetched slots are free again. */
	void (*sq_release)(struct rxt_qp *qp, unsigned int n);
	/**
	 * @rq_fetch: copy the next receive WQE and free its slot. rq->lock held.
	 * Return 1, 0 (empty), -EINVAL (malformed; wr_id valid, num_seg 0).
	 */
	int (*rq_fetch)(struct rxt_rq *rq, struct rxt_recv *recv);
	/** @rq_count: WQEs posted and not fetched. rq->lock held. */
	u32 (*rq_count)(struct rxt_rq *rq);
	/** @cq_push: write a CQE. cq->lock held. 0 or -ENOSPC (full). */
	int (*cq_push)(struct rxt_cq *cq, const struct rxt_wc *wc);
	/** @cq_notify: run the completion handler. No lock of the CQ held. */
	void (*cq_notify)(struct rxt_cq *cq);
	/** @cq_event: asynchronous event of a CQ. Any context. */
	void (*cq_event)(struct rxt_cq *cq, enum ib_event_type ev);
	/** @qp_event: asynchronous event of a QP. Any context. */
	void (*qp_event)(struct rxt_qp *qp, enum ib_event_type ev);
	/** @rq_event: asynchronous event of an SRQ. Any context. */
	void (*rq_event)(struct rxt_rq *rq, enum ib_event_type ev);
	/** @netdev_get: the link's netdev with a reference, or NULL. */
	struct net_device *(*netdev_get)(struct rxt_dev *dev);
	/**
	 * @page_in: have the pages of [@va, @va + @len) brought, and tell
	 * rxt_odp_set() of them; @priv is that of the table, @how RXT_PAGE_*.
	 * Process, sleeps. 0; -EFAULT: there is no such memory; other: later.
	 */
	int (*page_in)(void *priv, u64 va, u64 len, unsigned int how);
	/** @backend_added: a backend registered: offer its link type. Process. */
	int (*backend_added)(struct rxt_backend *be);
	/** @backend_gone: take down its links, wait for them. Process. */
	void (*backend_gone)(struct rxt_backend *be);
};

/* core/main.c: init order. */
int rxt_core_init(const struct rxt_provider_ops *ops);
void rxt_core_exit(void);
/* provider/main.c; called by core/main.c's module init. */
int rxt_provider_init(void);
void rxt_provider_exit(void);
extern const struct rxt_provider_ops rxt_verbs_provider;

#endif /* _RXT_CORE_H */
