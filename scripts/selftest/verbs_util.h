/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the C programs of the self tests: devices, queue pairs that are
 * connected without a connection manager, polling with a deadline, TAP points,
 * reproducible random data. What a single test checks does not belong here.
 *
 * A program drives both sides of a connection itself. A device is named
 * "NAME" or "NETNS@NAME"; the second form opens it inside of that namespace.
 */
#ifndef VERBS_UTIL_H
#define VERBS_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

/* The kernel's names, as in the rest of the project. */
typedef __u8	u8;
typedef __u16	u16;
typedef __u32	u32;
typedef __u64	u64;
typedef __s64	s64;

#define VU_ALL_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

#include <linux/types.h>
#define VU_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/**
 * struct vu_dev - an open device with a protection domain
 * @gid: the address that QPs of this device use, at @gid_idx
 */
struct vu_dev {
	char			name[64];
	struct ibv_context	*ctx;
	struct ibv_pd		*pd;
	struct ibv_device_attr	attr;
	struct ibv_port_attr	port;
	union ibv_gid		gid;
	int			gid_idx;
};

/* Open @spec; @family 4 or 6 picks the GID, 0 takes what there is (4 first). */
void vu_open(struct vu_dev *dev, const char *spec, int family);
void vu_close(struct vu_dev *dev);
/* Enter network namespace @name, with a /sys that shows it. */
void vu_enter_netns(const char *name);

/**
 * struct vu_cfg - how to make and connect a QP; vu_cfg_default() first
 * @ex_ops: IBV_QP_EX_WITH_* or 0 for a QP without the extended post interface
 * @access: IBV_ACCESS_* that the QP grants to its peer
 * @timeout: 4.096 us * 2^timeout
 * @min_rnr: IBTA code of the RNR timer
 */
struct vu_cfg {
	struct ibv_srq		*srq;
	struct ibv_cq		*cq;
	u64		ex_ops;
	u32		send_wr, recv_wr;
	u32		send_sge, recv_sge;
	u32		inline_bytes;
	bool			sig_all;
	int			access;
	enum ibv_mtu		mtu;
	u8			timeout, retry, rnr_retry, min_rnr;
	u8			rd_atomic;
	u32		psn;
};

/**
 * struct vu_qp - a QP and the CQ that is both its send and receive CQ
 */
struct vu_qp {
	struct vu_dev	*dev;
	struct ibv_cq	*cq;
	struct ibv_qp	*qp;
	struct vu_cfg	cfg;
	bool		own_cq;
};

void vu_cfg_default(struct vu_cfg *cfg);
void vu_qp_create(struct vu_qp *q, struct vu_dev *dev, const struct vu_cfg *cfg);
void vu_qp_destroy(struct vu_qp *q);
/* The steps of a connection; each returns 0 or an errno. */
int vu_qp_init(struct vu_qp *q);
int vu_qp_rtr(struct vu_qp *q, u32 dest_qpn, const union ibv_gid *dgid);
int vu_qp_rts(struct vu_qp *q);
int vu_qp_to(struct vu_qp *q, enum ibv_qp_state state);
enum ibv_qp_state vu_qp_state(struct vu_qp *q);
/* RESET to RTS on both sides; dies when it does not work. */
void vu_connect(struct vu_qp *a, struct vu_qp *b);
void vu_make_pair(struct vu_qp *a, struct vu_dev *da, struct vu_qp *b,
		  struct vu_dev *db, const struct vu_cfg *cfg);

/**
 * struct vu_buf - page-aligned memory and a region over it
 */
struct vu_buf {
	u8		*p;
	size_t		len;
	struct ibv_mr	*mr;
};

void vu_buf_alloc(struct vu_buf *b, struct vu_dev *dev, size_t len, int access);
void vu_buf_free(struct vu_buf *b);

/* One completion within @ms; false when none came. */
bool vu_poll(struct ibv_cq *cq, struct ibv_wc *wc, int ms);
/* One asynchronous event within @ms, acknowledged; false when none came. */
bool vu_event(struct ibv_context *ctx, struct ibv_async_event *ev, int ms);
int vu_post_send(struct vu_qp *q, enum ibv_wr_opcode op, u64 wr_id,
		 const struct ibv_sge *sge, int num_sge, int flags,
		 u64 raddr, u32 rkey);
int vu_post_recv(struct vu_qp *q, u64 wr_id, const struct ibv_sge *sge,
		 int num_sge);
struct ibv_sge vu_sge(const struct vu_buf *b, size_t off, u32 len);

u64 vu_now_us(void);
/* Kill the program with a message when it runs longer than this. */
void vu_watchdog(unsigned int seconds);

/* xorshift64*: the same seed gives the same test. */
struct vu_rng { u64 s; };
void vu_seed(struct vu_rng *r, u64 seed);
u64 vu_rand(struct vu_rng *r);
u32 vu_below(struct vu_rng *r, u32 n);
void vu_fill(struct vu_rng *r, void *p, size_t len);

/* One TAP point, without a number: the calling script numbers them. */
void vu_point(bool ok, const char *fmt, ...)
	__printf(2, 3);
void vu_skip(const char *name, const char *why);
void vu_note(const char *fmt, ...) __printf(1, 2);
/* The set-up failed: one line, exit status 1. */
void vu_die(const char *fmt, ...)
	__printf(1, 2) __noreturn;
/* 0 when no point failed. */
int vu_exit_status(void);

#endif /* VERBS_UTIL_H */
