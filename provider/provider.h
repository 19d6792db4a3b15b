/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt provider: what the files of provider/ share.
 *
 * What lives here: the verbs objects and the functions of the device table. What
 * may not: anything of core/internal.h, names of transports.
 *
 * Each verbs object embeds its core half or points to it, and the ib_core object
 * comes first (ib_core allocates them). Lock order: RTNL > links_lock > the
 * locks of core/internal.h; post_lock of a queue > none.
 */
#ifndef _RXT_PROVIDER_H
#define _RXT_PROVIDER_H

#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rxt/compat.h>
#include <rxt/core.h>
#include "ring.h"

#undef pr_fmt
#define pr_fmt(fmt) "rxt: " fmt

/* The revision of the rxe user ABI that is spoken. */
#define RXT_UVERBS_ABI		2

#define RXT_GID_TABLE_LEN	256
#define RXT_MAX_AH		BIT(20)
#define RXT_MAX_OBJ		BIT(20)
/* Multicast groups, and QPs in one: nothing but memory limits them. */
#define RXT_MAX_MCAST		BIT(13)

/* Numbers that kernels before 6.2 have no names for. */
#define RXT_WR_ATOMIC_WRITE	15
#define RXT_DEV_ATOMIC_WRITE	BIT_ULL(40)

/**
 * struct rxt_link - one RDMA device, on one netdev, with one backend
 * @ibdev: ib_core's half
 * @dev: the core's half
 * @ndev: the netdev; the reference is held until @dev is detached
 * @ndev_tracker: of that reference
 * @node: in the list of all links (links_lock); holds a reference of
 *	@ibdev.dev until @reap has run
 * @reap: takes it off the list when ib_core is done with it
 * @attached: events go to the backend (links_lock)
 * @gone: its end has begun: events and checks pass it over (links_lock)
 * @active: port state as last reported (links_lock)
 * @id: small number, unique among the links there are
 * @guid: node and system image GUID
 * @ahs: struct rxt_ibah by number, for datagram WQEs; its lock is irq-safe
 * @ah_next: where to look for the next free number (@ahs' lock)
 * @counters: struct rxt_stats_set by number of the counter that QPs are bound to
 */
struct rxt_link {
	struct ib_device	ibdev;
	struct rxt_dev		dev;
	struct net_device	*ndev;
	netdevice_tracker	ndev_tracker;
	struct list_head	node;
	struct work_struct	reap;
	bool			attached;
	bool			gone;
	bool			active;
	int			id;
	__be64			guid;
	struct xarray		ahs;
	u32			ah_next;
	struct xarray		counters;
};

struct rxt_ucontext {
	struct ib_ucontext	ibuc;
};

struct rxt_ibpd {
	struct ib_pd		ibpd;
};

/**
 * struct rxt_ibcq - completion queue
 * @ibcq: ib_core's half
 * @cq: the core's half
 * @ring: of struct ib_uverbs_wc (user) or struct ib_wc (kernel); cq.lock
 * @user: a process polls it
 * @notify: runs the handler of a kernel consumer
 * @resize_lock: one resize at a time
 */
struct rxt_ibcq {
	struct ib_cq		ibcq;
	struct rxt_cq		cq;
	struct rxt_ring		ring;
	bool			user;
	struct work_struct	notify;
	struct mutex		resize_lock;	/* see above */
};

/**
 * struct rxt_ibrq - receive queue of a QP or SRQ
 * @rq: the core's half; rq.lock guards reading from @ring
 * @ring: of struct rxe_recv_wqe
 * @post_lock: kernel consumers: guards filling @ring; irq-safe
 * @warned: a broken index was reported
 */
struct rxt_ibrq {
	struct rxt_rq		rq;
	struct rxt_ring		ring;
	spinlock_t		post_lock;	/* see above */
	bool			warned;
};

/**
 * struct rxt_ibsrq - shared receive queue
 * @ibsrq: ib_core's half
 * @rq: the queue
 * @user: a process fills it
 * @resize_lock: one resize at a time
 */
struct rxt_ibsrq {
	struct ib_srq		ibsrq;
	struct rxt_ibrq		rq;
	bool			user;
	struct mutex		resize_lock;	/* see above */
};

/**
 * struct rxt_ibqp - queue pair
 * @ibqp: ib_core's half
 * @qp: the core's half
 * @sq: send queue, of struct rxe_send_wqe; read by the owner of the TX token
 * @wqe: copy of the WQE that is being read; TX token
 * @rq: own receive queue, unused with an SRQ
 * @post_lock: kernel consumers: guards filling @sq; irq-safe
 * @modify_lock: a move to RESET and emptying the queues are one step
 * @cap: what was granted
 * @user: a process fills the queues
 * @sig_all: as created
 * @warned: a broken index of @sq was reported
 */
struct rxt_ibqp {
	struct ib_qp		ibqp;
	struct rxt_qp		*qp;
	struct rxt_ring		sq;
	struct rxe_send_wqe	wqe;
	struct rxt_ibrq		rq;
	spinlock_t		post_lock;	/* see above */
	struct mutex		modify_lock;	/* see above */
	struct ib_qp_cap	cap;
	bool			user;
	bool			sig_all;
	bool			warned;
};

/**
 * struct rxt_ibmr - memory region
 * @ibmr: ib_core's half
 * @mr: the core's half, or
 * @dkey: the same for one of fast registration
 * @map: its mapping while it is being made
 * @umem: pinned memory of a process, or
 * @paging: memory of a process that is not
 */
struct rxt_ibmr {
	struct ib_mr		ibmr;
	struct rxt_mr		*mr;
	struct rxt_dkey		*dkey;
	struct rxt_mr		*map;
	struct ib_umem		*umem;
	struct rxt_paging	*paging;
};

/**
 * struct rxt_ibmw - memory window
 * @ibmw: ib_core's half
 * @dkey: the core's half
 */
struct rxt_ibmw {
	struct ib_mw		ibmw;
	struct rxt_dkey		*dkey;
};

/**
 * struct rxt_ibah - address handle
 * @ibah: ib_core's half
 * @path: where to
 * @sgid_index: as created
 * @num: in rxt_link.ahs
 */
struct rxt_ibah {
	struct ib_ah		ibah;
	struct rxt_path		path;
	u8			sgid_index;
	u32			num;
};

static inline struct rxt_link *to_link(const struct ib_device *ibdev)
{
	return container_of(ibdev, struct rxt_link, ibdev);
}

static inline struct rxt_link *dev_to_link(const struct rxt_dev *dev)
{
	return container_of(dev, struct rxt_link, dev);
}

static inline struct rxt_ibcq *to_ibcq(const struct ib_cq *ibcq)
{
	return container_of(ibcq, struct rxt_ibcq, ibcq);
}

static inline struct rxt_ibqp *to_ibqp(const struct ib_qp *ibqp)
{
	return container_of(ibqp, struct rxt_ibqp, ibqp);
}

static inline struct rxt_ibsrq *to_ibsrq(const struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct rxt_ibsrq, ibsrq);
}

static inline struct rxt_ibmr *to_ibmr(const struct ib_mr *ibmr)
{
	return container_of(ibmr, struct rxt_ibmr, ibmr);
}

static inline struct rxt_ibmw *to_ibmw(const struct ib_mw *ibmw)
{
	return container_of(ibmw, struct rxt_ibmw, ibmw);
}

static inline struct rxt_ibah *to_ibah(const struct ib_ah *ibah)
{
	return container_of(ibah, struct rxt_ibah, ibah);
}

static inline struct rxt_ibrq *to_ibrq(const struct rxt_rq *rq)
{
	return container_of(rq, struct rxt_ibrq, rq);
}

/* Does the device do this kind of QP? */
static inline bool rxt_link_has(const struct rxt_link *link, u32 cap)
{
	return link->dev.be->caps & cap;
}

/* main.c */
extern const struct ib_device_ops rxt_device_ops;

/* netdev.c */
int rxt_netdev_init(void);
void rxt_netdev_exit(void);
int rxt_link_add(const struct rxt_backend *be, const char *name,
		 struct net_device *ndev);
void rxt_links_down(const struct rxt_backend *be);
void rxt_dealloc_driver(struct ib_device *ibdev);
struct net_device *rxt_link_netdev_get(struct rxt_dev *dev);

/* link.c */
int rxt_link_types_init(void);
void rxt_link_types_exit(void);
int rxt_link_type_add(struct rxt_backend *be);
void rxt_link_type_del(struct rxt_backend *be);

/* port.c */
extern const struct attribute_group rxt_device_group;
int rxt_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		     struct ib_udata *uhw);
int rxt_modify_device(struct ib_device *ibdev, int mask,
		      struct ib_device_modify *attr);
int rxt_query_port(struct ib_device *ibdev, u32 port,
		   struct ib_port_attr *attr);
int rxt_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
int rxt_port_immutable(struct ib_device *ibdev, u32 port,
		       struct ib_port_immutable *imm);
enum rdma_link_layer rxt_link_layer(struct ib_device *ibdev, u32 port);
bool rxt_netdev_active(const struct net_device *ndev);
void rxt_make_guid(struct rxt_link *link);

/* uctx.c */
int rxt_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
void rxt_dealloc_ucontext(struct ib_ucontext *ibuc);
void rxt_disassociate_ucontext(struct ib_ucontext *ibuc);
struct ib_ucontext *rxt_udata_uctx(struct ib_udata *udata);
int rxt_udata_check(struct ib_udata *udata, size_t resp_size);

/* pd.c */
int rxt_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int rxt_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

/* cq.c */
int rxt_cq_init_wq(void);
void rxt_cq_exit_wq(void);
int rxt_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  RXT_CQ_UDATA *attrs);
int rxt_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata);
int rxt_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int rxt_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int rxt_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
void rxt_cq_purge(struct ib_cq *ibcq, const struct ib_qp *ibqp);
int rxt_prov_cq_push(struct rxt_cq *cq, const struct rxt_wc *wc);
void rxt_prov_cq_notify(struct rxt_cq *cq);
void rxt_prov_cq_event(struct rxt_cq *cq, enum ib_event_type ev);

/* qp.c */
int rxt_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata);
int rxt_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int rxt_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int rxt_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int rxt_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int rxt_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
void rxt_prov_qp_event(struct rxt_qp *qp, enum ib_event_type ev);

/* srq.c */
int rxt_ibrq_init(struct rxt_ibrq *rq, struct rxt_link *link,
		  const struct ib_pd *pd, bool shared, u32 max_wr, u32 max_sge,
		  struct ib_ucontext *uctx);
int rxt_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		   struct ib_udata *udata);
int rxt_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata);
int rxt_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int rxt_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
void rxt_prov_rq_event(struct rxt_rq *rq, enum ib_event_type ev);

/* mr.c */
struct ib_mr *rxt_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *rxt_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata);
int rxt_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

/* fast.c */
struct ib_mr *rxt_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			   u32 max_num_sg);
int rxt_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		  unsigned int *sg_offset);

/* odp.c */
#if IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING)
int rxt_paging_start(struct rxt_ibmr *mr, struct ib_device *ibdev, u64 start,
		     u64 length, u64 iova, int access);
void rxt_paging_end(struct rxt_paging *paging);
void rxt_paging_caps(struct ib_device_attr *attr);
int rxt_prov_page_in(void *priv, u64 va, u64 len, unsigned int how);
int rxt_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice,
		  u32 flags, struct ib_sge *sg_list, u32 num_sge,
		  struct uverbs_attr_bundle *attrs);
#else
static inline int rxt_paging_start(struct rxt_ibmr *mr, struct ib_device *ibdev,
				   u64 start, u64 length, u64 iova, int access)
{
	return -EOPNOTSUPP;
}

static inline void rxt_paging_end(struct rxt_paging *paging) {}
static inline void rxt_paging_caps(struct ib_device_attr *attr) {}
#define rxt_prov_page_in	NULL
#define rxt_advise_mr		NULL
#endif

/* mw.c */
int rxt_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int rxt_dealloc_mw(struct ib_mw *ibmw);

/* ah.c */
int rxt_path_from_ah(struct rxt_path *path, const struct rdma_ah_attr *attr);
void rxt_path_to_ah(struct ib_device *ibdev, const struct rxt_path *path,
		    u8 sgid_index, struct rdma_ah_attr *attr);
int rxt_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata);
int rxt_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int rxt_destroy_ah(struct ib_ah *ibah, u32 flags);
struct rxt_path *rxt_wqe_path(const struct rxt_ibqp *qp,
			      const struct rxe_send_wr *wr);

/* post.c */
int rxt_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int rxt_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);
int rxt_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

/* fetch.c */
bool rxt_wr_valid(enum ib_qp_type type, u32 opcode);
bool rxt_wr_may_inline(u32 opcode);
bool rxt_wr_has_payload(u32 opcode);
int rxt_prov_sq_fetch(struct rxt_qp *qp, struct rxt_msg *msg);
void rxt_prov_sq_release(struct rxt_qp *qp, unsigned int n);
int rxt_prov_rq_fetch(struct rxt_rq *rq, struct rxt_recv *recv);
u32 rxt_prov_rq_count(struct rxt_rq *rq);

/* counters.c */
struct rdma_hw_stats *rxt_alloc_hw_port_stats(struct ib_device *ibdev,
					      u32 port);
int rxt_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port, int index);
struct rdma_hw_stats *rxt_counter_alloc_stats(struct rdma_counter *counter);
int rxt_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp);
int rxt_counter_unbind_qp(struct ib_qp *ibqp);
int rxt_counter_update_stats(struct rdma_counter *counter);
int rxt_counter_dealloc(struct rdma_counter *counter);

/* restrack.c */
int rxt_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp);
int rxt_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq);
int rxt_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr);

#endif /* _RXT_PROVIDER_H */
