// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: network namespaces and links: who holds port 4791, and how packets get
 * from there to roce_rx().
 *
 * What lives here: sockets, hooks, the lists. What may not: what is in a packet.
 *
 * There are two ways in. The socket's encap_rcv() is the plain one. But the stack
 * cuts every super-packet before it gives it to a socket with encap_rcv(), so a
 * netfilter hook behind all others of LOCAL_IN takes packets for the port before
 * that; what it leaves (an IPv6 extension header, a kernel without netfilter) comes
 * through the socket. The socket also keeps others off the port, keeps ICMP quiet,
 * and asks for GRO.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mutex.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>
#include <net/xfrm.h>
#include "roce.h"

/* Guards roce_nets, their links (RCU to read) and sockets. */
static DEFINE_MUTEX(roce_nets_lock);
static LIST_HEAD(roce_nets);

/* ---- the way in ---- */

static int encap_rcv(struct sock *sk, struct sk_buff *skb)
{
	struct roce_net *rn = rcu_dereference_sk_user_data(sk);

	if (rn)
		roce_rx(rn, skb);
	else
		kfree_skb(skb);
	return 0;
}

#if IS_ENABLED(CONFIG_NETFILTER)
/* Is there a UDP header for our port at @off, in front of all else? */
static bool for_us(const struct sk_buff *skb, unsigned int off)
{
	const struct udphdr *udp;
	struct udphdr buf;

	udp = skb_header_pointer(skb, off, sizeof(buf), &buf);
	return udp && udp->dest == htons(ROCE_PORT);
}

static unsigned int hook4(void *priv, struct sk_buff *skb,
			  const struct nf_hook_state *state)
{
	const struct iphdr *ip = ip_hdr(skb);

	if (ip->protocol != IPPROTO_UDP || !for_us(skb, ip_hdrlen(skb)))
		return NF_ACCEPT;
	if (!xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_DROP;
	roce_rx(priv, skb);
	return NF_STOLEN;
}

static unsigned int hook6(void *priv, struct sk_buff *skb,
			  const struct nf_hook_state *state)
{
	if (ipv6_hdr(skb)->nexthdr != IPPROTO_UDP ||
	    !for_us(skb, sizeof(struct ipv6hdr)))
		return NF_ACCEPT;
	if (!xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_DROP;
	roce_rx(priv, skb);
	return NF_STOLEN;
}

static void hooks_add(struct roce_net *rn)
{
	unsigned int n = 1;

	rn->hooks[0] = (struct nf_hook_ops) {
		.hook		= hook4,
		.priv		= rn,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP_PRI_LAST,
	};
	if (IS_ENABLED(CONFIG_IPV6))
		rn->hooks[n++] = (struct nf_hook_ops) {
			.hook		= hook6,
			.priv		= rn,
			.pf		= NFPROTO_IPV6,
			.hooknum	= NF_INET_LOCAL_IN,
			.priority	= NF_IP6_PRI_LAST,
		};
	/* Slower without, no more. */
	rn->hooked = !nf_register_net_hooks(rn->net, rn->hooks, n);
}

static void hooks_del(struct roce_net *rn)
{
	if (rn->hooked)
		nf_unregister_net_hooks(rn->net, rn->hooks,
					IS_ENABLED(CONFIG_IPV6) ? 2 : 1);
}
#else
static void hooks_add(struct roce_net *rn)
{
}

static void hooks_del(struct roce_net *rn)
{
}
#endif

/* ---- sockets ---- */

/* Have the stack merge what comes in; nothing depends on it. */
static void ask_for_gro(struct socket *sock)
{
	int on = 1;

	sock->ops->setsockopt(sock, SOL_UDP, UDP_GRO, KERNEL_SOCKPTR(&on),
			      sizeof(on));
}

static struct socket *sock_open(struct roce_net *rn, bool v6)
{
	struct udp_port_cfg cfg = {
		.family		= v6 ? AF_INET6 : AF_INET,
		.local_udp_port	= htons(ROCE_PORT),
		.ipv6_v6only	= v6,
	};
	struct udp_tunnel_sock_cfg tunnel = {
		.sk_user_data	= rn,
		.encap_type	= 1,
		.encap_rcv	= encap_rcv,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(rn->net, &cfg, &sock);
	if (err)
		return ERR_PTR(err);
	setup_udp_tunnel_sock(rn->net, sock, &tunnel);
	ask_for_gro(sock);
	return sock;
}

static void net_close(struct roce_net *rn)
{
	unsigned int i;

	hooks_del(rn);
	for (i = 0; i < ARRAY_SIZE(rn->sock); i++)
		if (rn->sock[i])
			udp_tunnel_sock_release(rn->sock[i]);
	/* Nobody is in the hooks any more. */
	synchronize_net();
}

static int net_open(struct roce_net *rn, const char *name)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(rn->sock); i++) {
		struct socket *sock = sock_open(rn, i);

		if (!IS_ERR(sock)) {
			rn->sock[i] = sock;
			continue;
		}
		err = PTR_ERR(sock);
		/* A host may do without IPv6. */
		if (i && (err == -EAFNOSUPPORT || err == -EPFNOSUPPORT))
			continue;
		if (err == -EADDRINUSE)
			pr_err("%s: UDP port %u is taken in this network namespace (by rdma_rxe?)\n",
			       name, ROCE_PORT);
		else
			pr_err("%s: no UDP socket for IPv%u: %d\n", name,
			       i ? 6 : 4, err);
		net_close(rn);
		return err;
	}
	hooks_add(rn);
	return 0;
}

/* ---- links ---- */

static struct roce_net *net_get(struct net *net, const char *name)
{
	struct roce_net *rn;
	int err;

	lockdep_assert_held(&roce_nets_lock);
	list_for_each_entry(rn, &roce_nets, node) {
		if (rn->net == net) {
			rn->users++;
			return rn;
		}
	}
	rn = kzalloc(sizeof(*rn), GFP_KERNEL);
	if (!rn)
		return ERR_PTR(-ENOMEM);
	rn->net = net;
	rn->users = 1;
	INIT_LIST_HEAD(&rn->links);
	err = net_open(rn, name);
	if (err) {
		kfree_rcu(rn, rcu);
		return ERR_PTR(err);
	}
	list_add_tail(&rn->node, &roce_nets);
	return rn;
}

static void net_put(struct roce_net *rn)
{
	lockdep_assert_held(&roce_nets_lock);
	if (--rn->users)
		return;
	list_del(&rn->node);
	net_close(rn);
	kfree_rcu(rn, rcu);
}

/**
 * roce_dev_attach - a link comes up
 * @dev: device
 *
 * The first link of a namespace opens the port there.
 *
 * Context: process. Return: 0; -EADDRINUSE: somebody has the port; -ENODEV: the
 * netdev is gone; -ENOMEM.
 */
int roce_dev_attach(struct rxt_dev *dev)
{
	struct net_device *ndev = rxt_dev_netdev_get(dev);
	struct roce_link *link;
	struct roce_net *rn;
	int ifindex;

	if (!ndev)
		return -ENODEV;
	ifindex = ndev->ifindex;
	dev_put(ndev);

	link = kzalloc(sizeof(*link), GFP_KERNEL);
	if (!link)
		return -ENOMEM;
	mutex_lock(&roce_nets_lock);
	rn = net_get(rxt_dev_net(dev), rxt_dev_name(dev));
	if (IS_ERR(rn)) {
		mutex_unlock(&roce_nets_lock);
		kfree(link);
		return PTR_ERR(rn);
	}
	link->rn = rn;
	link->dev = dev;
	link->ifindex = ifindex;
	INIT_LIST_HEAD(&link->groups);
	rxt_dev_set_priv(dev, link);
	list_add_tail_rcu(&link->node, &rn->links);
	mutex_unlock(&roce_nets_lock);
	return 0;
}

/**
 * roce_dev_detach - a link goes; it has no connections
 * @dev: device
 *
 * Context: process, sleeps.
 */
void roce_dev_detach(struct rxt_dev *dev)
{
	struct roce_link *link = rxt_dev_priv(dev);

	mutex_lock(&roce_nets_lock);
	list_del_rcu(&link->node);
	net_put(link->rn);
	mutex_unlock(&roce_nets_lock);
	rxt_dev_set_priv(dev, NULL);
	/* Softirqs may count on the device. */
	synchronize_net();
	kfree(link);
}
