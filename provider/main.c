// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: the two tables: what ib_core calls, and what the core calls.
 *
 * What lives here: tables, init and exit order. What may not: anything else.
 */
#include <uapi/rdma/ib_user_ioctl_verbs.h>
#include "provider.h"

const struct ib_device_ops rxt_device_ops = {
	.driver_id		= RDMA_DRIVER_RXE,
	.uverbs_abi_ver		= RXT_UVERBS_ABI,

	.advise_mr		= rxt_advise_mr,
	.alloc_hw_port_stats	= rxt_alloc_hw_port_stats,
	.alloc_mr		= rxt_alloc_mr,
	.alloc_mw		= rxt_alloc_mw,
	.alloc_pd		= rxt_alloc_pd,
	.alloc_ucontext		= rxt_alloc_ucontext,
	.attach_mcast		= rxt_attach_mcast,
	.counter_alloc_stats	= rxt_counter_alloc_stats,
	.counter_bind_qp	= rxt_counter_bind_qp,
	.counter_dealloc	= rxt_counter_dealloc,
	.counter_unbind_qp	= rxt_counter_unbind_qp,
	.counter_update_stats	= rxt_counter_update_stats,
	.create_ah		= rxt_create_ah,
	.create_cq		= rxt_create_cq,
	.create_qp		= rxt_create_qp,
	.create_srq		= rxt_create_srq,
	.create_user_ah		= rxt_create_ah,
	.dealloc_driver		= rxt_dealloc_driver,
	.dealloc_mw		= rxt_dealloc_mw,
	.dealloc_pd		= rxt_dealloc_pd,
	.dealloc_ucontext	= rxt_dealloc_ucontext,
	.dereg_mr		= rxt_dereg_mr,
	.destroy_ah		= rxt_destroy_ah,
	.destroy_cq		= rxt_destroy_cq,
	.destroy_qp		= rxt_destroy_qp,
	.destroy_srq		= rxt_destroy_srq,
	.detach_mcast		= rxt_detach_mcast,
	.device_group		= &rxt_device_group,
	.disassociate_ucontext	= rxt_disassociate_ucontext,
	.fill_res_cq_entry	= rxt_fill_res_cq,
	.fill_res_mr_entry	= rxt_fill_res_mr,
	.fill_res_qp_entry	= rxt_fill_res_qp,
	.get_dma_mr		= rxt_get_dma_mr,
	.get_hw_stats		= rxt_get_hw_stats,
	.get_link_layer		= rxt_link_layer,
	.get_port_immutable	= rxt_port_immutable,
	.map_mr_sg		= rxt_map_mr_sg,
	.mmap			= rxt_mmap,
	.mmap_free		= rxt_mmap_free,
	.modify_device		= rxt_modify_device,
	.modify_qp		= rxt_modify_qp,
	.modify_srq		= rxt_modify_srq,
	.poll_cq		= rxt_poll_cq,
	.post_recv		= rxt_post_recv,
	.post_send		= rxt_post_send,
	.post_srq_recv		= rxt_post_srq_recv,
	.query_ah		= rxt_query_ah,
	.query_device		= rxt_query_device,
	.query_pkey		= rxt_query_pkey,
	.query_port		= rxt_query_port,
	.query_qp		= rxt_query_qp,
	.query_srq		= rxt_query_srq,
	.reg_user_mr		= rxt_reg_user_mr,
	.req_notify_cq		= rxt_req_notify_cq,
	.resize_cq		= rxt_resize_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, rxt_ibah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, rxt_ibcq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, rxt_ibmw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, rxt_ibpd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, rxt_ibqp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, rxt_ibsrq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, rxt_ucontext, ibuc),
};

static int backend_added(struct rxt_backend *be)
{
	return rxt_link_type_add(be);
}

static void backend_gone(struct rxt_backend *be)
{
	/* First the way to new links, then the links. */
	rxt_link_type_del(be);
	rxt_links_down(be);
}

const struct rxt_provider_ops rxt_verbs_provider = {
	.sq_fetch	= rxt_prov_sq_fetch,
	.sq_release	= rxt_prov_sq_release,
	.rq_fetch	= rxt_prov_rq_fetch,
	.rq_count	= rxt_prov_rq_count,
	.cq_push	= rxt_prov_cq_push,
	.cq_notify	= rxt_prov_cq_notify,
	.cq_event	= rxt_prov_cq_event,
	.qp_event	= rxt_prov_qp_event,
	.rq_event	= rxt_prov_rq_event,
	.netdev_get	= rxt_link_netdev_get,
	.page_in	= rxt_prov_page_in,
	.backend_added	= backend_added,
	.backend_gone	= backend_gone,
};

/**
 * rxt_provider_init - start the provider; the core is ready
 *
 * Link types come last: with them the first link may come.
 *
 * Context: module init. Return: 0 or -errno.
 */
int rxt_provider_init(void)
{
	int err;

	err = rxt_cq_init_wq();
	if (err)
		return err;
	err = rxt_netdev_init();
	if (err)
		goto exit_cq;
	err = rxt_link_types_init();
	if (err)
		goto exit_netdev;
	return 0;

exit_netdev:
	rxt_netdev_exit();
exit_cq:
	rxt_cq_exit_wq();
	return err;
}

/**
 * rxt_provider_exit - stop the provider; all backends are gone
 */
void rxt_provider_exit(void)
{
	rxt_link_types_exit();
	rxt_netdev_exit();
	rxt_cq_exit_wq();
}
