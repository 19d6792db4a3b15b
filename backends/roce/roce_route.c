// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: addresses and routes: from a path in GIDs to headers and a dst.
 *
 * What may not live here: connections' states, packets.
 */
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ipv6_stubs.h>
#include <net/route.h>
#include "roce.h"

static bool gid_v4(const union ib_gid *gid, __be32 *addr)
{
	const struct in6_addr *a = (const struct in6_addr *)gid;

	*addr = a->s6_addr32[3];
	return ipv6_addr_v4mapped(a);
}

/**
 * roce_path_ends - addresses of packets along a path
 * @ends: result; ports are the caller's
 * @path: path
 */
void roce_path_ends(struct roce_ends *ends, const struct rxt_path *path)
{
	memset(ends, 0, sizeof(*ends));
	ends->v6 = !gid_v4(&path->dgid, &ends->dst4);
	gid_v4(&path->sgid, &ends->src4);
	ends->frag_off = htons(IP_DF);
	memcpy(&ends->src6, &path->sgid, sizeof(ends->src6));
	memcpy(&ends->dst6, &path->dgid, sizeof(ends->dst6));
}

static struct net_device *dev_of(struct net *net, bool v6, __be32 addr4,
				 const struct in6_addr *addr6)
{
	if (!v6)
		return __ip_dev_find(net, addr4, false);
	if (!IS_ENABLED(CONFIG_IPV6))
		return NULL;
	return ipv6_stub->ipv6_dev_find(net, addr6, NULL);
}

/**
 * roce_lower_ifindex - the netdev that may have a link
 * @ndev: a VLAN's is the one below it
 *
 * Context: RCU read side. Return: interface index.
 */
int roce_lower_ifindex(struct net_device *ndev)
{
	return is_vlan_dev(ndev) ? vlan_dev_real_dev(ndev)->ifindex :
				   ndev->ifindex;
}

/**
 * roce_link_ifindex - the link's netdev that a packet's destination belongs to
 * @net: namespace
 * @ends: addresses
 *
 * An address on a VLAN is the link's below it.
 *
 * Context: RCU read side. Return: interface index, 0: it is not ours.
 */
int roce_link_ifindex(struct net *net, const struct roce_ends *ends)
{
	struct net_device *ndev = dev_of(net, ends->v6, ends->dst4, &ends->dst6);

	return ndev ? roce_lower_ifindex(ndev) : 0;
}

static int source_ifindex(struct net *net, const struct roce_ends *ends)
{
	struct net_device *ndev;
	int ifindex;

	rcu_read_lock();
	ndev = dev_of(net, ends->v6, ends->src4, &ends->src6);
	ifindex = ndev ? ndev->ifindex : 0;
	rcu_read_unlock();
	return ifindex;
}

/**
 * roce_route_set - from here on packets go to someone else
 * @rc: connection, TX token held or not in use yet
 * @path: to whom
 * @qpn: the peer's QP
 *
 * Context: any. Return: 0, or -EADDRNOTAVAIL: the source address is gone.
 */
int roce_route_set(struct roce_conn *rc, const struct rxt_path *path, u32 qpn)
{
	struct roce_route *r = &rc->tx.route;
	struct roce_flow *f = &r->flow;

	roce_route_drop(rc);
	roce_path_ends(&f->ends, path);
	f->ends.sport = htons(rdma_get_udp_sport(path->flow_label,
						 rc->conn.qpn, qpn));
	f->ends.dport = htons(ROCE_PORT);
	f->tos = path->tclass;
	f->ttl = path->hop_limit;
	f->prio = rxt_path_prio(path);
	f->flow_label = path->flow_label;
	r->oif = path->scope_ifindex ?:
		 source_ifindex(rc->link->rn->net, &f->ends);
	return r->oif ? 0 : -EADDRNOTAVAIL;
}

static struct dst_entry *lookup4(struct net *net, const struct roce_route *r)
{
	const struct roce_ends *e = &r->flow.ends;
	struct flowi4 fl = {
		.flowi4_oif	= r->oif,
		.flowi4_tos	= RT_TOS(r->flow.tos),
		.flowi4_proto	= IPPROTO_UDP,
		.saddr		= e->src4,
		.daddr		= e->dst4,
		.fl4_sport	= e->sport,
		.fl4_dport	= e->dport,
	};
	struct rtable *rt = ip_route_output_flow(net, &fl, NULL);

	return IS_ERR(rt) ? ERR_CAST(rt) : &rt->dst;
}

static struct dst_entry *lookup6(struct net *net, const struct roce_route *r)
{
#if IS_ENABLED(CONFIG_IPV6)
	const struct roce_ends *e = &r->flow.ends;
	struct flowi6 fl = {
		.flowi6_oif	= r->oif,
		.flowi6_proto	= IPPROTO_UDP,
		.flowlabel	= ip6_make_flowinfo(r->flow.tos,
						    htonl(r->flow.flow_label)),
		.saddr		= e->src6,
		.daddr		= e->dst6,
		.fl6_sport	= e->sport,
		.fl6_dport	= e->dport,
	};

	return ipv6_stub->ipv6_dst_lookup_flow(net, NULL, &fl, NULL);
#else
	return ERR_PTR(-EAFNOSUPPORT);
#endif
}

static void take_dst(struct roce_route *r, struct dst_entry *dst)
{
	struct net_device *ndev = dst->dev;
	netdev_features_t f = ndev->features;

	r->dst = dst;
	r->cookie = 0;
	r->ttl = r->flow.ttl;
	if (r->flow.ends.v6) {
#if IS_ENABLED(CONFIG_IPV6)
		r->cookie = rt6_get_cookie((struct rt6_info *)dst);
		if (!r->ttl)
			r->ttl = ip6_dst_hoplimit(dst);
#endif
	} else if (!r->ttl) {
		r->ttl = ip4_dst_hoplimit(dst);
	}
	r->headroom = LL_RESERVED_SPACE(ndev) + dst->header_len;
	r->csum = f & NETIF_F_CSUM_MASK;
	r->flow.stays = r->csum && (ndev->flags & IFF_LOOPBACK);
	r->splice = r->csum && (f & NETIF_F_SG);
	r->segs = READ_ONCE(ndev->gso_max_segs);
}

/**
 * roce_route_get - have a valid route
 * @rc: connection, TX token held
 *
 * Context: any. Return: 0, or -errno of the lookup.
 */
int roce_route_get(struct roce_conn *rc)
{
	struct roce_route *r = &rc->tx.route;
	struct net *net = rc->link->rn->net;
	struct dst_entry *dst;

	if (likely(r->dst)) {
		if (!r->dst->obsolete || dst_check(r->dst, r->cookie))
			return 0;
		roce_route_drop(rc);
	}
	dst = r->flow.ends.v6 ? lookup6(net, r) : lookup4(net, r);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	if (dst->error) {
		int err = dst->error;

		dst_release(dst);
		return err < 0 ? err : -EHOSTUNREACH;
	}
	take_dst(r, dst);
	return 0;
}

/**
 * roce_route_drop - forget the route
 * @rc: connection, TX token held
 */
void roce_route_drop(struct roce_conn *rc)
{
	dst_release(rc->tx.route.dst);
	rc->tx.route.dst = NULL;
}
