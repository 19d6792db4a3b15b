// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: multicast groups: which datagram QPs of a link are in which, and that the
 * link's netdev listens to them.
 *
 * What lives here: the groups of each link. What may not: what is in a datagram
 * (roce_ud.c).
 *
 * A group has a socket of its own, bound to no port, that is a member of the IP group
 * on the link's netdev: IGMP or MLD, the netdev's address filter and the end of it all
 * are the stack's business.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/slab.h>
#include "roce.h"

/**
 * struct roce_group - a multicast group in which QPs of a link are
 * @node: in roce_link.groups
 * @gid: its address
 * @sock: member of the IP group
 * @members: struct roce_member; RCU, written under roce_mcast_lock
 * @rcu: softirqs may still look at it
 */
struct roce_group {
	struct list_head	node;
	union ib_gid		gid;
	struct socket		*sock;
	struct list_head	members;
	struct rcu_head		rcu;
};

/**
 * struct roce_member - a QP in a group
 * @node: in roce_group.members
 * @rc: the QP; it stays until it has left
 */
struct roce_member {
	struct list_head	node;
	struct roce_conn	*rc;
};

/* Guards the groups of all links and their members. RTNL is taken inside. */
static DEFINE_MUTEX(roce_mcast_lock);

static struct roce_group *find_group(const struct roce_link *link,
				     const union ib_gid *gid)
{
	struct roce_group *g;

	list_for_each_entry_rcu(g, &link->groups, node,
				lockdep_is_held(&roce_mcast_lock))
		if (!memcmp(&g->gid, gid, sizeof(*gid)))
			return g;
	return NULL;
}

static struct roce_member *find_member(const struct roce_group *g,
				       const struct roce_conn *rc)
{
	struct roce_member *m;

	lockdep_assert_held(&roce_mcast_lock);
	list_for_each_entry(m, &g->members, node)
		if (m->rc == rc)
			return m;
	return NULL;
}

static int join4(struct socket *sock, int ifindex, const struct in6_addr *addr)
{
	struct ip_mreqn req = {
		.imr_multiaddr.s_addr = addr->s6_addr32[3],
		.imr_ifindex = ifindex,
	};

	return sock->ops->setsockopt(sock, SOL_IP, IP_ADD_MEMBERSHIP,
				     KERNEL_SOCKPTR(&req), sizeof(req));
}

static int join6(struct socket *sock, int ifindex, const struct in6_addr *addr)
{
	struct ipv6_mreq req = {
		.ipv6mr_multiaddr = *addr,
		.ipv6mr_ifindex = ifindex,
	};

	return sock->ops->setsockopt(sock, SOL_IPV6, IPV6_ADD_MEMBERSHIP,
				     KERNEL_SOCKPTR(&req), sizeof(req));
}

static int join_ip(struct roce_group *g, const struct roce_link *link)
{
	const struct in6_addr *addr = (const struct in6_addr *)&g->gid;
	bool v4 = ipv6_addr_v4mapped(addr);
	int err;

	err = sock_create_kern(link->rn->net, v4 ? AF_INET : AF_INET6,
			       SOCK_DGRAM, IPPROTO_UDP, &g->sock);
	if (err)
		return err;
	err = v4 ? join4(g->sock, link->ifindex, addr) :
		   join6(g->sock, link->ifindex, addr);
	if (err)
		sock_release(g->sock);
	return err;
}

static struct roce_group *make_group(struct roce_link *link,
				     const union ib_gid *gid)
{
	struct roce_group *g = kzalloc(sizeof(*g), GFP_KERNEL);
	int err;

	lockdep_assert_held(&roce_mcast_lock);
	if (!g)
		return ERR_PTR(-ENOMEM);
	g->gid = *gid;
	INIT_LIST_HEAD(&g->members);
	err = join_ip(g, link);
	if (err) {
		kfree(g);
		return ERR_PTR(err);
	}
	list_add_tail_rcu(&g->node, &link->groups);
	return g;
}

/* The last member has left. */
static void drop_group(struct roce_group *g)
{
	lockdep_assert_held(&roce_mcast_lock);
	list_del_rcu(&g->node);
	sock_release(g->sock);
	kfree_rcu(g, rcu);
}

int roce_mcast_join(struct rxt_conn *conn, const union ib_gid *gid)
{
	struct roce_conn *rc = to_roce(conn);
	struct roce_group *g;
	struct roce_member *m;
	int err = 0;

	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	m->rc = rc;
	mutex_lock(&roce_mcast_lock);
	g = find_group(rc->link, gid) ?: make_group(rc->link, gid);
	if (IS_ERR(g)) {
		err = PTR_ERR(g);
	} else if (find_member(g, rc)) {
		err = -EEXIST;
	} else {
		list_add_tail_rcu(&m->node, &g->members);
		m = NULL;
	}
	mutex_unlock(&roce_mcast_lock);
	kfree(m);
	return err;
}

int roce_mcast_leave(struct rxt_conn *conn, const union ib_gid *gid)
{
	struct roce_conn *rc = to_roce(conn);
	struct roce_member *m = NULL;
	struct roce_group *g;

	mutex_lock(&roce_mcast_lock);
	g = find_group(rc->link, gid);
	if (g)
		m = find_member(g, rc);
	if (m) {
		list_del_rcu(&m->node);
		if (list_empty(&g->members))
			drop_group(g);
	}
	mutex_unlock(&roce_mcast_lock);
	if (!m)
		return -EINVAL;
	/* The QP may go now: no softirq has it from here any more. */
	synchronize_net();
	kfree(m);
	return 0;
}

/**
 * roce_mcast_rx - a datagram for a group
 * @link: a link on the netdev that it came in by
 * @ends: addresses
 * @pkt: packet
 *
 * Context: softirq, RCU read side; no connection is locked. Return: whether a QP of
 * the link is in the group.
 */
bool roce_mcast_rx(struct roce_link *link, const struct roce_ends *ends,
		   const struct roce_pkt *pkt)
{
	struct roce_member *m;
	struct roce_group *g;
	union ib_gid gid;

	if (ends->v6)
		memcpy(&gid, &ends->dst6, sizeof(gid));
	else
		ipv6_addr_set_v4mapped(ends->dst4, (struct in6_addr *)&gid);
	g = find_group(link, &gid);
	if (!g)
		return false;
	list_for_each_entry_rcu(m, &g->members, node) {
		struct roce_conn *rc = m->rc;

		spin_lock_bh(&rc->lock);
		if (rc->open) {
			rxt_count_conn(&rc->conn, rx_packets);
			roce_ud_rx(rc, pkt);
		}
		spin_unlock_bh(&rc->lock);
	}
	return true;
}
