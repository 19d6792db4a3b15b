// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: a link made the way `rdma link add` makes it: by a netlink message.
 *
 * What lives here: the netdev and the link of a suite. What may not: QPs.
 */
#include <linux/etherdevice.h>
#include <linux/file.h>
#include <linux/net.h>
#include <linux/rtnetlink.h>
#include <linux/socket.h>
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include "verbs_env.h"

#define VT_IBDEV	"rxt_kunit"

static netdev_tx_t vt_netdev_xmit(struct sk_buff *skb, struct net_device *dev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops vt_netdev_ops = {
	.ndo_start_xmit		= vt_netdev_xmit,
	.ndo_set_mac_address	= eth_mac_addr,
};

static void vt_netdev_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &vt_netdev_ops;
	dev->needs_free_netdev = true;
	dev->flags |= IFF_NOARP;
	eth_hw_addr_random(dev);
}

static struct net_device *vt_netdev_up(void)
{
	struct net_device *dev;
	int err;

	dev = alloc_netdev(0, "rxtk%d", NET_NAME_UNKNOWN, vt_netdev_setup);
	if (!dev)
		return NULL;
	err = register_netdev(dev);
	if (err) {
		free_netdev(dev);
		return NULL;
	}
	rtnl_lock();
	err = dev_open(dev, NULL);
	rtnl_unlock();
	if (!err)
		return dev;
	unregister_netdev(dev);
	return NULL;
}

/* The permission check looks at who opened the socket's file, so it needs one. */
static struct file *vt_nl_open(void)
{
	struct socket *sock;
	int err;

	err = sock_create_kern(&init_net, PF_NETLINK, SOCK_RAW, NETLINK_RDMA, &sock);
	if (err)
		return ERR_PTR(err);
	return sock_alloc_file(sock, 0, NULL);
}

/* Send @skb, a whole request that asks for an ACK; returns what the ACK says. */
static int vt_nl_request(struct sk_buff *skb)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct msghdr out = { .msg_name = &kernel, .msg_namelen = sizeof(kernel) };
	struct msghdr in = { };
	struct file *file = vt_nl_open();
	struct socket *sock;
	struct kvec vec;
	struct {
		struct nlmsghdr	hdr;
		struct nlmsgerr	err;
		char		more[128];
	} reply;
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	sock = sock_from_file(file);
	vec = (struct kvec) { skb->data, skb->len };
	ret = kernel_sendmsg(sock, &out, &vec, 1, skb->len);
	if (ret < 0)
		goto out;
	vec = (struct kvec) { &reply, sizeof(reply) };
	ret = kernel_recvmsg(sock, &in, &vec, 1, sizeof(reply), 0);
	if (ret < 0)
		goto out;
	if (ret < (int)sizeof(reply.err) + NLMSG_HDRLEN || reply.hdr.nlmsg_type != NLMSG_ERROR)
		ret = -EPROTO;
	else
		ret = reply.err.error;
out:
	fput(file);
	return ret;
}

static struct sk_buff *vt_nl_new(int cmd)
{
	struct sk_buff *skb = nlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (skb && nlmsg_put(skb, 0, 1, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), 0,
			     NLM_F_REQUEST | NLM_F_ACK))
		return skb;
	kfree_skb(skb);
	return NULL;
}

static int vt_nl_finish(struct sk_buff *skb, int err)
{
	if (!err) {
		nlmsg_end(skb, nlmsg_hdr(skb));
		err = vt_nl_request(skb);
	}
	kfree_skb(skb);
	return err;
}

static int vt_newlink(const char *type, const char *ndev)
{
	struct sk_buff *skb = vt_nl_new(RDMA_NLDEV_CMD_NEWLINK);
	int err;

	if (!skb)
		return -ENOMEM;
	err = nla_put_string(skb, RDMA_NLDEV_ATTR_DEV_NAME, VT_IBDEV) ?:
	      nla_put_string(skb, RDMA_NLDEV_ATTR_LINK_TYPE, type) ?:
	      nla_put_string(skb, RDMA_NLDEV_ATTR_NDEV_NAME, ndev);
	return vt_nl_finish(skb, err);
}

static int vt_dellink(u32 index)
{
	struct sk_buff *skb = vt_nl_new(RDMA_NLDEV_CMD_DELLINK);

	if (!skb)
		return -ENOMEM;
	return vt_nl_finish(skb, nla_put_u32(skb, RDMA_NLDEV_ATTR_DEV_INDEX, index));
}

/**
 * vt_link_up - a netdev and a link of @type on it
 * @link: to fill
 * @type: as `rdma link add … type` takes it
 *
 * Return: 0 or -errno.
 */
int vt_link_up(struct vt_link *link, const char *type)
{
	int err;

	link->ndev = vt_netdev_up();
	if (!link->ndev)
		return -ENOMEM;
	err = vt_newlink(type, link->ndev->name);
	if (err) {
		pr_err("rxt kunit: link of type %s: error %d\n", type, err);
		goto err_netdev;
	}
	link->ibdev = ib_device_get_by_name(VT_IBDEV, RDMA_DRIVER_UNKNOWN);
	if (link->ibdev)
		return 0;
	err = -ENODEV;
err_netdev:
	unregister_netdev(link->ndev);
	return err;
}

/**
 * vt_link_down - take the link down, then the netdev
 * @link: up, all objects on it are gone
 */
void vt_link_down(struct vt_link *link)
{
	u32 index;

	if (!link->ibdev)
		return;
	index = link->ibdev->index;
	ib_device_put(link->ibdev);
	link->ibdev = NULL;
	WARN_ON(vt_dellink(index));
	unregister_netdev(link->ndev);
}
