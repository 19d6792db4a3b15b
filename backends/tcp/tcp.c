// SPDX-License-Identifier: GPL-2.0
/*
 * rxt: the TCP backend. RC, UC and UD over the kernel's own TCP.
 *
 * What lives here: the ops table, parameters, init and exit order. What may not:
 * anything else; see Documentation/wire-tcp.rst for what is on the wire.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/workqueue.h>
#include <rdma/rdma_netlink.h>
#include "tcp.h"

struct workqueue_struct *rxtcp_wq;

unsigned short rxtcp_port = RXT_TCP_PORT;
module_param_named(port, rxtcp_port, ushort, 0444);
MODULE_PARM_DESC(port, "TCP port to listen on and to connect to (default 4792)");

/* A QP has a stream of its own, or its datagrams travel in those of its link. */

static int xmit(struct rxt_conn *conn, struct rxt_msg *msg)
{
	if (unlikely(rxtcp_is_ud(conn->type)))
		return rxtcp_ud_xmit(conn, msg);
	return rxtcp_xmit(conn, msg);
}

static void xmit_begin(struct rxt_conn *conn, bool inline_bh)
{
	if (likely(!rxtcp_is_ud(conn->type)))
		rxtcp_xmit_begin(conn, inline_bh);
}

static void xmit_end(struct rxt_conn *conn)
{
	if (unlikely(rxtcp_is_ud(conn->type)))
		rxtcp_ud_xmit_end(conn);
	else
		rxtcp_xmit_end(conn);
}

static struct rxt_conn *conn_alloc(struct rxt_dev *dev, enum ib_qp_type type)
{
	return rxtcp_is_ud(type) ? rxtcp_ud_alloc(dev, type) :
				   rxtcp_conn_alloc(dev, type);
}

static int conn_modify(struct rxt_conn *conn, const struct rxt_qp_attr *attr, int mask)
{
	return rxtcp_is_ud(conn->type) ? rxtcp_ud_modify(conn, attr, mask) :
					 rxtcp_conn_modify(conn, attr, mask);
}

static void conn_stop(struct rxt_conn *conn)
{
	if (rxtcp_is_ud(conn->type))
		rxtcp_ud_stop(conn);
	else
		rxtcp_conn_stop(conn);
}

static void conn_free(struct rxt_conn *conn)
{
	if (rxtcp_is_ud(conn->type))
		rxtcp_ud_free(conn);
	else
		rxtcp_conn_free(conn);
}

static void conn_query(struct rxt_conn *conn, struct rxt_conn_info *info)
{
	if (rxtcp_is_ud(conn->type))
		rxtcp_ud_query(conn, info);
	else
		rxtcp_conn_query(conn, info);
}

static struct rxt_backend rxtcp_backend = {
	.xmit		= xmit,
	.xmit_begin	= xmit_begin,
	.xmit_end	= xmit_end,
	.conn_alloc	= conn_alloc,
	.conn_modify	= conn_modify,
	.conn_stop	= conn_stop,
	.conn_free	= conn_free,
	.conn_query	= conn_query,
	.dev_attach	= rxtcp_dev_attach,
	.dev_detach	= rxtcp_dev_detach,
	.name		= "tcp",
	.owner		= THIS_MODULE,
	.caps		= RXT_CAP_RC | RXT_CAP_UC | RXT_CAP_UD | RXT_CAP_XMIT_BH,
	.max_mtu	= IB_MTU_4096,
};

static int __init rxtcp_init(void)
{
	int ret;

	if (!rxtcp_port) {
		pr_err("parameter port: must not be 0\n");
		return -EINVAL;
	}
	rxtcp_wq = alloc_workqueue("rxt_tcp", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!rxtcp_wq)
		return -ENOMEM;
	ret = rxtcp_net_init();
	if (ret)
		goto err_wq;
	ret = rxt_backend_register(&rxtcp_backend);
	if (ret)
		goto err_net;
	return 0;

err_net:
	rxtcp_net_exit();
err_wq:
	destroy_workqueue(rxtcp_wq);
	return ret;
}

static void __exit rxtcp_exit(void)
{
	rxt_backend_unregister(&rxtcp_backend);
	rxtcp_net_exit();
	destroy_workqueue(rxtcp_wq);
	rxtcp_stage_exit();
}

module_init(rxtcp_init);
module_exit(rxtcp_exit);

MODULE_DESCRIPTION("rxt: RDMA over TCP");
MODULE_LICENSE("GPL");
MODULE_ALIAS("rxt-backend-tcp");
MODULE_ALIAS_RDMA_LINK("rxt-tcp");
