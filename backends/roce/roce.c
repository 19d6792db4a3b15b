// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: RoCEv2, the same on the wire as RoCE hardware and rdma_rxe.
 *
 * What lives here: the ops table, module init and exit.
 */
#include <linux/module.h>
#include "roce.h"

static struct rxt_backend roce_backend = {
	.xmit		= roce_xmit,
	.xmit_begin	= roce_xmit_begin,
	.xmit_end	= roce_xmit_end,
	.conn_alloc	= roce_conn_alloc,
	.conn_modify	= roce_conn_modify,
	.conn_stop	= roce_conn_stop,
	.conn_free	= roce_conn_free,
	.conn_query	= roce_conn_query,
	.mcast_join	= roce_mcast_join,
	.mcast_leave	= roce_mcast_leave,
	.dev_attach	= roce_dev_attach,
	.dev_detach	= roce_dev_detach,
	.name		= "roce",
	.owner		= THIS_MODULE,
	.caps		= RXT_CAP_RC | RXT_CAP_UC | RXT_CAP_UD | RXT_CAP_MCAST |
			  RXT_CAP_XMIT_BH,
	.max_mtu	= IB_MTU_4096,
	.hdr_room	= ROCE_OVERHEAD,
};

static int __init roce_init(void)
{
	roce_pack_init();
	return rxt_backend_register(&roce_backend);
}

static void __exit roce_exit(void)
{
	rxt_backend_unregister(&roce_backend);
	/* Softirqs that freed things by RCU. */
	rcu_barrier();
}

module_init(roce_init);
module_exit(roce_exit);

MODULE_DESCRIPTION("rxt: RDMA over Converged Ethernet v2");
MODULE_LICENSE("GPL");
MODULE_ALIAS("rxt-backend-roce");
MODULE_ALIAS("rdma-link-rxt-roce");
