/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt kunit: builders for tests that go through kernel verbs: a link on a netdev of
 * the test's own, and pairs of connected QPs on it.
 *
 * What lives here: what more than one suite needs. What may not: expectations about
 * a particular backend.
 */
#ifndef _RXT_KUNIT_VERBS_ENV_H
#define _RXT_KUNIT_VERBS_ENV_H

#include <kunit/test.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#define VT_BUF		(256 * 1024)
#define VT_GUARD	0xa5

/**
 * struct vt_link - a link as `rdma link add` makes it
 * @ndev: a netdev that is up and leads nowhere
 * @ibdev: the RDMA device on it, a reference is held
 */
struct vt_link {
	struct net_device	*ndev;
	struct ib_device	*ibdev;
};

int vt_link_up(struct vt_link *link, const char *type);
void vt_link_down(struct vt_link *link);

/**
 * struct vt_opts - what a pair of QPs shall be like; zeroes mean the usual
 * @type: IB_QPT_RC unless set
 * @send_wr: depth of the send queue
 * @recv_wr: depth of the receive queue
 * @cqe: depth of each CQ
 * @rnr_retry: taken as it is
 * @min_rnr_timer: taken as it is (0 is 655 ms)
 * @timeout: taken as it is (0 is for ever)
 * @retry_cnt: taken as it is
 * @access: of both QPs
 * @mr_access: of the memory region, beside local write
 * @rd_atomic: READs and atomics at a time
 * @sig_all: every send WQE wants a CQE
 * @srq: receive queue of both
 * @poll: enum ib_poll_context + 1 for CQs that ib_core polls; 0: vt_poll() does
 * @rdma_ctxs: for the rdma_rw helpers
 */
struct vt_opts {
	enum ib_qp_type	type;
	u32		send_wr;
	u32		recv_wr;
	u32		cqe;
	u8		rnr_retry;
	u8		min_rnr_timer;
	u8		timeout;
	u8		retry_cnt;
	int		access;
	int		mr_access;
	u8		rd_atomic;
	bool		sig_all;
	u8		poll;
	u32		rdma_ctxs;
	struct ib_srq	*srq;
};

#define VT_REMOTE_ALL	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct vt_end - one side
 * @cq: of both queues
 * @qp: the QP
 * @buf: VT_BUF bytes, filled with VT_GUARD
 * @cq_events: completion handler ran
 * @cq_errors: IB_EVENT_CQ_ERR came
 * @qp_events: bit mask of the enum ib_event_type that came
 */
struct vt_end {
	struct ib_cq	*cq;
	struct ib_qp	*qp;
	u8		*buf;
	atomic_t	cq_events;
	atomic_t	cq_errors;
	unsigned long	qp_events;
};

/**
 * struct vt_pair - two QPs of one device
 * @test: where failures go
 * @ibdev: device
 * @pd: of all
 * @mr: all of the kernel's memory
 * @opts: what they were made with
 * @a: the side that mostly sends
 * @b: the other
 */
struct vt_pair {
	struct kunit		*test;
	struct ib_device	*ibdev;
	struct ib_pd		*pd;
	struct ib_mr		*mr;
	struct vt_opts		opts;
	struct vt_end		a;
	struct vt_end		b;
};

/* Made in INIT, not connected. */
struct vt_pair *vt_pair_new(struct kunit *test, struct ib_device *ibdev,
			    const struct vt_opts *opts);
/* Made and in RTS. */
struct vt_pair *vt_pair_connected(struct kunit *test, struct ib_device *ibdev,
				  const struct vt_opts *opts);
/* A test that does not free its pair leaves that to vt_exit(). */
void vt_pair_free(struct vt_pair *p);
void vt_exit(struct kunit *test);
struct ib_mr *vt_dma_mr(struct vt_pair *p, int access);
/* 0 or -errno; @dest is the QP number to name as the peer. */
int vt_to_init(struct vt_pair *p, struct vt_end *e);
int vt_to_rtr(struct vt_pair *p, struct vt_end *e, u32 dest);
int vt_to_rts(struct vt_pair *p, struct vt_end *e);
int vt_to_state(struct vt_end *e, enum ib_qp_state state);
enum ib_qp_state vt_state(struct vt_end *e);

/**
 * struct vt_wr - a send request
 * @op: opcode
 * @id: wr_id
 * @flags: IB_SEND_*
 * @off: payload begins here in the sender's buffer
 * @len: payload bytes
 * @nsge: cut into so many segments, each 3 bytes behind the one before; 0: no
 *	segment at all
 * @lkey: used when set, the right one otherwise
 * @rkey: used when set, the right one otherwise
 * @remote: offset in the peer's buffer
 * @imm: immediate data, host order
 * @compare: CMP_SWP: compare, FETCH_ADD: add
 * @swap: CMP_SWP
 */
struct vt_wr {
	enum ib_wr_opcode	op;
	u64			id;
	int			flags;
	u32			off;
	u32			len;
	u32			nsge;
	u32			lkey;
	u32			rkey;
	s64			remote;
	u32			imm;
	u64			compare;
	u64			swap;
};

int vt_post(struct vt_pair *p, struct vt_end *from, const struct vt_wr *wr);
/* @len bytes at @off of the buffer, in @nsge pieces as struct vt_wr says. */
int vt_post_recv(struct vt_pair *p, struct vt_end *e, u64 id, u32 off, u32 len, u32 nsge);

/* Write or check the payload of such a list of segments: byte i is vt_byte(seed, i). */
u8 vt_byte(u32 seed, u32 i);
void vt_fill(struct vt_end *e, u32 off, u32 len, u32 nsge, u32 seed);
bool vt_is_filled(struct vt_end *e, u32 off, u32 len, u32 nsge, u32 seed);
/* The gaps between segments and @around bytes before and behind are untouched. */
bool vt_is_guarded(struct vt_end *e, u32 off, u32 len, u32 nsge, u32 around);

/* Poll up to @n completions for up to @ms milliseconds; returns how many came. */
int vt_poll(struct vt_end *e, struct ib_wc *wc, int n, unsigned int ms);
/* The next completion is this one. */
void vt_expect(struct vt_pair *p, struct vt_end *e, u64 id, enum ib_wc_status st,
	       struct ib_wc *wc);
/* No completion comes. */
void vt_expect_none(struct vt_pair *p, struct vt_end *e);
/* True as soon as the QP is in @state, false after 5 s. */
bool vt_wait_state(struct vt_end *e, enum ib_qp_state state);

#endif /* _RXT_KUNIT_VERBS_ENV_H */
