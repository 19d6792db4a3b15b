// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: which link an address is of.
 *
 * What may not live here: sockets, streams.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <net/ipv6.h>
#include <net/ipv6_stubs.h>
#include "tcp.h"

/* Are addresses of @ndev those of @link? Those of VLANs and others above it are. */
static bool link_has(struct rxtcp_link *link, struct net_device *ndev)
{
	struct net_device *own = rxt_dev_netdev_get(link->dev);
	bool has;

	if (!own)
		return false;
	has = own == ndev || netdev_has_upper_dev_all_rcu(own, ndev);
	dev_put(own);
	return has;
}

static struct net_device *netdev_of(struct net *net, const struct rxtcp_pair *pair)
{
	const struct in6_addr *own = (const struct in6_addr *)&pair->own;

	if (ipv6_addr_v4mapped(own))
		return __ip_dev_find(net, own->s6_addr32[3], false);
	if (!IS_ENABLED(CONFIG_IPV6))
		return NULL;
	return pair->scope ? dev_get_by_index_rcu(net, pair->scope) :
			     ipv6_stub->ipv6_dev_find(net, own, NULL);
}

/**
 * rxtcp_link_of - the link that an own address belongs to
 * @tn: namespace; caller holds its lock
 * @pair: has the address, and for a link-local one the netdev
 *
 * Context: process. Return: the link; NULL: there is none.
 */
struct rxtcp_link *rxtcp_link_of(struct rxtcp_net *tn, const struct rxtcp_pair *pair)
{
	struct rxtcp_link *link, *found = NULL;
	struct net_device *ndev;

	lockdep_assert_held(&tn->lock);
	rcu_read_lock();
	ndev = netdev_of(tn->net, pair);
	if (!ndev)
		goto out;
	list_for_each_entry(link, &tn->links, node) {
		if (link->ifindex == ndev->ifindex) {
			found = link;
			break;
		}
		if (!found && link_has(link, ndev))
			found = link;
	}
out:
	rcu_read_unlock();
	return found;
}
