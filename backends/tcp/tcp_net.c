// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: a network namespace: its listeners, and sockets that belong to no
 * connection.
 *
 * What lives here: accepting, hellos that arrive, parking until a QP is ready for
 * one, sockets that only wait for their FIN to be acknowledged, the namespace's
 * end. What may not: the connections' own sockets (tcp_conn.c).
 *
 * Sockets of the kernel do not keep a namespace alive. So when it goes, all of
 * them are closed here, before the stack's own per-namespace parts go.
 *
 * Everything from outside is bounded: pending sockets in all and per source
 * address (the oldest goes), time to say hello, time to be parked.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/tcp.h>
#include "tcp.h"

#define BACKLOG		1024
#define PEND_MAX	2048
#define PEND_MAX_SOURCE	1024
#define HELLO_TIME	(3 * HZ)	/* from accept to a whole hello */
#define PARK_TIME	(5 * HZ)	/* until the QP is RTR */
#define LINGER_TIME	(5 * HZ)	/* until the peer has closed too */
/* Accepts and news in a row: others want the lock as well. */
#define WORK_BUDGET	128

enum pend_state {
	PEND_HELLO,
	PEND_PARKED,
	PEND_LINGER,
};

/**
 * struct rxtcp_pend - a socket without a connection
 * @node: in rxtcp_net.pend, if @listed
 * @ready: in rxtcp_net.ready, if not empty; rxtcp_net.ready_lock
 * @net: namespace
 * @sock: the socket
 * @state: enum pend_state
 * @listed: it is in rxtcp_net.pend
 * @held: the work is not to see it yet; rxtcp_net.ready_lock
 * @deadline: jiffies when its time is over
 * @own: address of ours
 * @peer: address of the peer
 * @wire: hello, as far as received
 * @have: bytes of @wire
 * @hello: PARKED: what it says
 *
 * All but @ready and @held is guarded by rxtcp_net.lock.
 */
struct rxtcp_pend {
	struct list_head	node;
	struct list_head	ready;
	struct rxtcp_net	*net;
	struct socket		*sock;
	enum pend_state		state;
	bool			listed;
	bool			held;
	unsigned long		deadline;
	union ib_gid		own;
	union ib_gid		peer;
	struct rxt_tcp_hello	wire;
	unsigned int		have;
	struct rxtcp_hello	hello;
};

static unsigned int rxtcp_net_id;

struct net_slot {
	struct rxtcp_net *tn;
};

static void net_put(struct rxtcp_net *tn)
{
	if (refcount_dec_and_test(&tn->ref)) {
		xa_destroy(&tn->conns);
		kfree(tn);
	}
}

static void net_wake(struct rxtcp_net *tn)
{
	mod_delayed_work(rxtcp_wq, &tn->work, 0);
}

/* Callback of a pending socket, socket locked. */
static void pend_callback(struct sock *sk)
{
	struct rxtcp_pend *p = rxtcp_sk_user(sk);
	struct rxtcp_net *tn;
	bool held;

	if (!p)
		return;
	tn = p->net;
	spin_lock_bh(&tn->ready_lock);
	held = p->held;
	if (!held && list_empty(&p->ready))
		list_add_tail(&p->ready, &tn->ready);
	spin_unlock_bh(&tn->ready_lock);
	if (!held)
		net_wake(tn);
}

static struct rxtcp_pend *pend_new(struct rxtcp_net *tn, struct socket *sock,
				   enum pend_state state, unsigned long time)
{
	struct rxtcp_pend *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	INIT_LIST_HEAD(&p->node);
	INIT_LIST_HEAD(&p->ready);
	p->net = tn;
	p->sock = sock;
	p->state = state;
	p->deadline = jiffies + time;
	return p;
}

static void pend_list(struct rxtcp_net *tn, struct rxtcp_pend *p)
{
	lockdep_assert_held(&tn->lock);
	list_add_tail(&p->node, &tn->pend);
	tn->pend_num++;
	p->listed = true;
}

static void sock_callbacks(struct socket *sock, void *user,
			   void (*callback)(struct sock *sk))
{
	lock_sock(sock->sk);
	rxtcp_sock_callbacks(sock->sk, user, callback, callback, NULL);
	release_sock(sock->sk);
}

/* No callback runs after this. The socket is the caller's. */
static struct socket *pend_free(struct rxtcp_net *tn, struct rxtcp_pend *p)
{
	struct socket *sock = p->sock;

	lockdep_assert_held(&tn->lock);
	sock_callbacks(sock, NULL, NULL);
	spin_lock_bh(&tn->ready_lock);
	list_del_init(&p->ready);
	spin_unlock_bh(&tn->ready_lock);
	if (p->listed) {
		list_del(&p->node);
		tn->pend_num--;
	}
	kfree(p);
	return sock;
}

/* Away with it; a reset unless all was said. */
static void pend_close(struct rxtcp_net *tn, struct rxtcp_pend *p)
{
	struct socket *sock = pend_free(tn, p);

	if (sock->sk->sk_state != TCP_CLOSE)
		sock_no_linger(sock->sk);
	sock_release(sock);
}

/* Wait for the peer to have got everything and closed. The FIN goes out now. */
static void pend_linger(struct rxtcp_net *tn, struct rxtcp_pend *p)
{
	lockdep_assert_held(&tn->lock);
	p->state = PEND_LINGER;
	p->deadline = jiffies + LINGER_TIME;
	kernel_sock_shutdown(p->sock, SHUT_WR);
	/* Youngest again: the list is in order of age. */
	if (p->listed)
		list_move_tail(&p->node, &tn->pend);
}

/**
 * rxtcp_net_linger - a connection is done with its socket
 * @tn: namespace
 * @sock: the socket, without callbacks; belongs to @tn from here on
 *
 * What was written to it gets to the peer, if that is possible in a few seconds.
 * Context: process; the connection's lock may be held.
 */
void rxtcp_net_linger(struct rxtcp_net *tn, struct socket *sock)
{
	struct rxtcp_pend *p = NULL;
	bool dead;

	if (sock->sk->sk_state != TCP_CLOSE)
		p = pend_new(tn, sock, PEND_LINGER, LINGER_TIME);
	if (!p) {
		sock_release(sock);
		return;
	}
	kernel_sock_shutdown(sock, SHUT_WR);
	rxtcp_sock_gids(sock->sk, &p->own, &p->peer);
	p->held = true;
	sock_callbacks(sock, p, pend_callback);
	/* The work lists it: our caller is inside of tn->lock or below. Once it can, it
	 * may be through with both @p and @sock at any moment.
	 */
	spin_lock_bh(&tn->ready_lock);
	dead = tn->dead;
	if (!dead) {
		p->held = false;
		list_add_tail(&p->ready, &tn->ready);
	}
	spin_unlock_bh(&tn->ready_lock);
	if (!dead) {
		net_wake(tn);
		return;
	}
	sock_callbacks(sock, NULL, NULL);
	kfree(p);
	sock_no_linger(sock->sk);
	sock_release(sock);
}

static void net_count_rejected(struct rxtcp_net *tn)
{
	struct rxtcp_link *link;

	lockdep_assert_held(&tn->lock);
	link = list_first_entry_or_null(&tn->links, struct rxtcp_link, node);
	if (link)
		rxt_count(link->dev, hello_rejected);
}

static void pend_reject(struct rxtcp_net *tn, struct rxtcp_pend *p, u8 status)
{
	struct rxtcp_hello reply = {
		.type = RXT_TCP_HELLO_REP,
		.status = status,
		.qp_type = p->hello.qp_type,
		.max_seg = RXT_TCP_SEG_MAX,
		.src_qpn = p->hello.dst_qpn,
		.dst_qpn = p->hello.src_qpn,
		.src_gid = p->own,
		.dst_gid = p->peer,
	};

	net_count_rejected(tn);
	if (rxtcp_hello_send(p->sock, &reply))
		pend_close(tn, p);
	else
		pend_linger(tn, p);
}

/* Who came back with the same question will not read the answer to the first. */
static void park(struct rxtcp_net *tn, struct rxtcp_pend *p)
{
	struct rxtcp_pend *old, *next;

	lockdep_assert_held(&tn->lock);
	list_for_each_entry_safe(old, next, &tn->pend, node)
		if (old->state == PEND_PARKED &&
		    old->hello.dst_qpn == p->hello.dst_qpn &&
		    old->hello.src_qpn == p->hello.src_qpn &&
		    !memcmp(&old->peer, &p->peer, sizeof(p->peer)))
			pend_close(tn, old);
	p->state = PEND_PARKED;
	p->deadline = jiffies + PARK_TIME;
	list_move_tail(&p->node, &tn->pend);
}

/* A hello of a stream of datagrams. Return: as rxtcp_peer_attach(). */
static int attach_dgram(struct rxtcp_net *tn, struct rxtcp_pend *p)
{
	const struct in6_addr *peer = (const struct in6_addr *)&p->peer;
	struct rxtcp_pair pair = { .own = p->own, .peer = p->peer };
	struct rxtcp_link *link;

	if (ipv6_addr_type(peer) & IPV6_ADDR_LINKLOCAL)
		pair.scope = READ_ONCE(p->sock->sk->sk_bound_dev_if);
	link = rxtcp_link_of(tn, &pair);
	return link ? rxtcp_peer_attach(link, p->sock, &pair) : RXT_TCP_NOT_READY;
}

/* Hand the socket of a PARKED (or just arrived) hello to @tc, or if that is NULL to
 * the streams of datagrams.
 */
static void pend_attach(struct rxtcp_net *tn, struct rxtcp_pend *p, struct rxtcp_conn *tc)
{
	int status;

	lockdep_assert_held(&tn->lock);
	sock_callbacks(p->sock, NULL, NULL);
	status = tc ? rxtcp_conn_attach(tc, p->sock, &p->hello) :
		      attach_dgram(tn, p);
	if (status == RXT_TCP_OK) {
		/* Not pend_free(): the callbacks are the connection's. */
		spin_lock_bh(&tn->ready_lock);
		list_del_init(&p->ready);
		spin_unlock_bh(&tn->ready_lock);
		list_del(&p->node);
		tn->pend_num--;
		kfree(p);
		return;
	}
	if (status < 0) {
		pend_close(tn, p);
		return;
	}
	sock_callbacks(p->sock, p, pend_callback);
	pend_reject(tn, p, status);
}

/**
 * rxtcp_net_claim - a connection waits for its peer: was it here already?
 * @tc: connection, WAIT
 *
 * Context: process, sleeps.
 */
void rxtcp_net_claim(struct rxtcp_conn *tc)
{
	struct rxtcp_net *tn = tc->net;
	struct rxtcp_pend *p;

	mutex_lock(&tn->lock);
	list_for_each_entry(p, &tn->pend, node)
		if (p->state == PEND_PARKED && p->hello.dst_qpn == tc->conn.qpn &&
		    p->hello.src_qpn == tc->dest_qpn &&
		    !memcmp(&p->peer, &tc->path.dgid, sizeof(p->peer))) {
			pend_attach(tn, p, tc);
			break;
		}
	mutex_unlock(&tn->lock);
}

static void pend_hello(struct rxtcp_net *tn, struct rxtcp_pend *p)
{
	struct rxtcp_conn *tc;
	u8 status;
	int ret;

	ret = rxtcp_hello_recv(p->sock, &p->wire, &p->have);
	/* What does not begin like a hello need not be waited for. */
	if (!ret && p->have >= sizeof(p->wire.magic) &&
	    p->wire.magic != cpu_to_be64(RXT_TCP_MAGIC)) {
		pend_reject(tn, p, RXT_TCP_BAD_HELLO);
		return;
	}
	if (ret < 0)
		pend_close(tn, p);
	if (ret <= 0)
		return;

	status = rxtcp_hello_decode(&p->wire, RXT_TCP_HELLO_REQ, &p->hello);
	if (status == RXT_TCP_OK &&
	    (memcmp(&p->hello.src_gid, &p->peer, sizeof(p->peer)) ||
	     memcmp(&p->hello.dst_gid, &p->own, sizeof(p->own))))
		status = RXT_TCP_BAD_SOURCE;
	if (status != RXT_TCP_OK) {
		pend_reject(tn, p, status);
		return;
	}
	/* Nobody has QPN 0, that of streams of datagrams. */
	tc = xa_load(&tn->conns, p->hello.dst_qpn);
	if (tc || p->hello.qp_type == IB_QPT_UD)
		pend_attach(tn, p, tc);
	else
		park(tn, p);
}

/* Make room for one more from @peer: the oldest goes. */
static void pend_bound(struct rxtcp_net *tn, const union ib_gid *peer)
{
	struct rxtcp_pend *p, *oldest = NULL;
	unsigned int num = 0;

	lockdep_assert_held(&tn->lock);
	list_for_each_entry(p, &tn->pend, node) {
		if (memcmp(&p->peer, peer, sizeof(*peer)))
			continue;
		if (!oldest)
			oldest = p;
		num++;
	}
	if (num >= PEND_MAX_SOURCE)
		pend_close(tn, oldest);
	if (tn->pend_num >= PEND_MAX)
		pend_close(tn, list_first_entry(&tn->pend, struct rxtcp_pend, node));
}

/* Drop what comes. True: the peer has closed. */
static bool pend_drain(struct rxtcp_pend *p)
{
	struct msghdr msg = { };
	struct kvec kv = { };
	unsigned int i;
	int ret;

	/* MSG_TRUNC: nothing is copied. Should more than this be there, then
	 * more will come, or the deadline.
	 */
	for (i = 0; i < 16; i++) {
		ret = kernel_recvmsg(p->sock, &msg, &kv, 1, SZ_1M,
				     MSG_DONTWAIT | MSG_TRUNC);
		if (ret == -EAGAIN)
			break;
		if (ret <= 0)
			return true;
	}
	return p->sock->sk->sk_state == TCP_CLOSE;
}

/* Open, and nothing has come behind what was read? */
static bool pend_quiet(struct rxtcp_pend *p)
{
	struct msghdr msg = { };
	struct kvec kv = { };

	return kernel_recvmsg(p->sock, &msg, &kv, 1, 1, MSG_DONTWAIT | MSG_PEEK |
			      MSG_TRUNC) == -EAGAIN;
}

static void pend_news(struct rxtcp_net *tn, struct rxtcp_pend *p)
{
	if (!p->listed) {
		pend_bound(tn, &p->peer);
		pend_list(tn, p);
	}
	switch (p->state) {
	case PEND_HELLO:
		pend_hello(tn, p);
		break;
	case PEND_PARKED:
		/* It must wait for the answer: closed, or not what it says. The news may
		 * also be the hello's own, that was read meanwhile.
		 */
		if (!pend_quiet(p))
			pend_close(tn, p);
		break;
	case PEND_LINGER:
		if (pend_drain(p))
			pend_close(tn, p);
		break;
	}
}

static struct rxtcp_pend *pend_next_ready(struct rxtcp_net *tn)
{
	struct rxtcp_pend *p;

	spin_lock_bh(&tn->ready_lock);
	p = list_first_entry_or_null(&tn->ready, struct rxtcp_pend, ready);
	if (p)
		list_del_init(&p->ready);
	spin_unlock_bh(&tn->ready_lock);
	return p;
}

static bool net_accept(struct rxtcp_net *tn, struct socket *listener)
{
	struct rxtcp_pend *p;
	struct socket *sock;

	if (kernel_accept(listener, &sock, O_NONBLOCK))
		return false;
	p = pend_new(tn, sock, PEND_HELLO, HELLO_TIME);
	if (!p) {
		sock_release(sock);
		return true;
	}
	rxtcp_sock_gids(sock->sk, &p->own, &p->peer);
	pend_bound(tn, &p->peer);
	pend_list(tn, p);
	sock_callbacks(sock, p, pend_callback);
	/* It may have been there before the callback was. */
	pend_hello(tn, p);
	return true;
}

static void net_expire(struct rxtcp_net *tn)
{
	struct rxtcp_pend *p, *next;

	list_for_each_entry_safe(p, next, &tn->pend, node) {
		if (time_before(jiffies, p->deadline))
			continue;
		if (p->state == PEND_PARKED)
			pend_reject(tn, p, RXT_TCP_NOT_READY);
		else
			pend_close(tn, p);
	}
}

static void net_work(struct work_struct *work)
{
	struct rxtcp_net *tn = container_of(work, struct rxtcp_net, work.work);
	unsigned int i, budget = WORK_BUDGET;
	struct rxtcp_pend *p;

	mutex_lock(&tn->lock);
	if (tn->dead)
		goto out;
	for (i = 0; i < ARRAY_SIZE(tn->listener); i++)
		while (budget && tn->listener[i] &&
		       net_accept(tn, tn->listener[i]))
			budget--;
	while (budget && (p = pend_next_ready(tn))) {
		pend_news(tn, p);
		budget--;
	}
	net_expire(tn);
	if (!budget)
		net_wake(tn);
	else if (tn->pend_num)
		queue_delayed_work(rxtcp_wq, &tn->work, HZ);
out:
	mutex_unlock(&tn->lock);
}

/* sk_data_ready of a listener: its lock is not held. */
static void listen_callback(struct sock *sk)
{
	struct rxtcp_net *tn;

	read_lock_bh(&sk->sk_callback_lock);
	tn = (void *)((uintptr_t)__sk_user_data(sk) & SK_USER_DATA_PTRMASK);
	if (tn)
		net_wake(tn);
	read_unlock_bh(&sk->sk_callback_lock);
}

static int listen_on(struct rxtcp_net *tn, int family, struct socket **res)
{
	union ib_gid any = { };
	struct sockaddr_storage addr;
	struct socket *sock;
	int len, ret;

	ret = sock_create_kern(tn->net, family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (ret)
		return ret;
	rxtcp_sock_setup(sock);
	sock_set_reuseaddr(sock->sk);
	if (family == AF_INET)
		ipv6_addr_set_v4mapped(htonl(INADDR_ANY), (struct in6_addr *)any.raw);
	else
		ip6_sock_set_v6only(sock->sk);
	len = rxtcp_sock_addr(&any, 0, rxtcp_port, &addr);
	ret = kernel_bind(sock, (struct sockaddr *)&addr, len);
	if (ret)
		goto err;
	lock_sock(sock->sk);
	rxtcp_sock_callbacks(sock->sk, tn, listen_callback, NULL, NULL);
	release_sock(sock->sk);
	ret = kernel_listen(sock, BACKLOG);
	if (ret)
		goto err_callbacks;
	*res = sock;
	return 0;

err_callbacks:
	sock_callbacks(sock, NULL, NULL);
err:
	sock_release(sock);
	return ret;
}

static void net_unlisten(struct rxtcp_net *tn)
{
	unsigned int i;

	lockdep_assert_held(&tn->lock);
	for (i = 0; i < ARRAY_SIZE(tn->listener); i++) {
		if (!tn->listener[i])
			continue;
		sock_callbacks(tn->listener[i], NULL, NULL);
		sock_release(tn->listener[i]);
		tn->listener[i] = NULL;
	}
}

static int net_listen(struct rxtcp_net *tn)
{
	int ret;

	lockdep_assert_held(&tn->lock);
	ret = listen_on(tn, AF_INET, &tn->listener[0]);
	if (ret)
		return ret;
	ret = listen_on(tn, AF_INET6, &tn->listener[1]);
	/* No IPv6 here, then without. */
	if (!ret || ret == -EAFNOSUPPORT || ret == -EADDRNOTAVAIL)
		return 0;
	net_unlisten(tn);
	return ret;
}

int rxtcp_dev_attach(struct rxt_dev *dev)
{
	struct net_slot *slot = net_generic(rxt_dev_net(dev), rxtcp_net_id);
	struct rxtcp_net *tn = slot->tn;
	struct rxtcp_link *link;
	struct net_device *ndev;
	int ret = 0;

	link = kzalloc(sizeof(*link), GFP_KERNEL);
	if (!link)
		return -ENOMEM;
	link->dev = dev;
	link->net = tn;
	rxtcp_peers_init(&link->peers);
	ndev = rxt_dev_netdev_get(dev);
	if (ndev) {
		link->ifindex = ndev->ifindex;
		dev_put(ndev);
	}

	mutex_lock(&tn->lock);
	if (tn->dead)
		ret = -ENETDOWN;
	else if (list_empty(&tn->links))
		ret = net_listen(tn);
	if (!ret) {
		list_add_tail(&link->node, &tn->links);
		refcount_inc(&tn->ref);
		rxt_dev_set_priv(dev, link);
	}
	mutex_unlock(&tn->lock);
	if (ret) {
		pr_err("%s: cannot listen on TCP port %u: %s (%d)\n",
		       rxt_dev_name(dev), rxtcp_port,
		       ret == -EADDRINUSE ? "in use" : "error", ret);
		kfree(link);
	}
	return ret;
}

void rxtcp_dev_detach(struct rxt_dev *dev)
{
	struct rxtcp_link *link = rxt_dev_priv(dev);
	struct rxtcp_net *tn = link->net;

	mutex_lock(&tn->lock);
	list_del(&link->node);
	if (list_empty(&tn->links))
		net_unlisten(tn);
	mutex_unlock(&tn->lock);
	/* No hello finds it any more. */
	rxtcp_peers_stop(link);
	rxt_dev_set_priv(dev, NULL);
	kfree(link);
	net_put(tn);
}

/**
 * rxtcp_net_add - a connection leaves IDLE: hellos for it are welcome
 * @tc: connection
 *
 * Return: 0, -ENETDOWN the namespace is going, -ENOMEM.
 */
int rxtcp_net_add(struct rxtcp_conn *tc)
{
	struct rxtcp_net *tn = tc->net;
	int ret;

	mutex_lock(&tn->lock);
	ret = tn->dead ? -ENETDOWN :
			 xa_insert(&tn->conns, tc->conn.qpn, tc, GFP_KERNEL);
	mutex_unlock(&tn->lock);
	return ret;
}

/* After this no hello and no end of the namespace finds it. */
void rxtcp_net_del(struct rxtcp_conn *tc)
{
	struct rxtcp_net *tn = tc->net;

	mutex_lock(&tn->lock);
	if (xa_load(&tn->conns, tc->conn.qpn) == tc)
		xa_erase(&tn->conns, tc->conn.qpn);
	mutex_unlock(&tn->lock);
}

static int __net_init net_init(struct net *net)
{
	struct net_slot *slot = net_generic(net, rxtcp_net_id);
	struct rxtcp_net *tn = kzalloc(sizeof(*tn), GFP_KERNEL);

	if (!tn)
		return -ENOMEM;
	tn->net = net;
	refcount_set(&tn->ref, 1);
	mutex_init(&tn->lock);
	INIT_LIST_HEAD(&tn->links);
	xa_init(&tn->conns);
	INIT_LIST_HEAD(&tn->pend);
	spin_lock_init(&tn->ready_lock);
	INIT_LIST_HEAD(&tn->ready);
	INIT_DELAYED_WORK(&tn->work, net_work);
	slot->tn = tn;
	return 0;
}

static void __net_exit net_exit(struct net *net)
{
	struct net_slot *slot = net_generic(net, rxtcp_net_id);
	struct rxtcp_net *tn = slot->tn;
	struct rxtcp_pend *p, *next;
	struct rxtcp_link *link;
	struct rxtcp_conn *tc;
	unsigned long qpn;

	mutex_lock(&tn->lock);
	spin_lock_bh(&tn->ready_lock);
	tn->dead = true;
	spin_unlock_bh(&tn->ready_lock);
	net_unlisten(tn);
	/* Some of these leave a socket in ->ready. */
	xa_for_each(&tn->conns, qpn, tc)
		rxtcp_conn_abandon(tc);
	list_for_each_entry(link, &tn->links, node)
		rxtcp_peers_abandon(link);
	while ((p = pend_next_ready(tn)))
		pend_close(tn, p);
	list_for_each_entry_safe(p, next, &tn->pend, node)
		pend_close(tn, p);
	mutex_unlock(&tn->lock);
	cancel_delayed_work_sync(&tn->work);
	net_put(tn);
}

static struct pernet_operations net_ops = {
	.init = net_init,
	.exit = net_exit,
	.id = &rxtcp_net_id,
	.size = sizeof(struct net_slot),
};

int rxtcp_net_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void rxtcp_net_exit(void)
{
	unregister_pernet_subsys(&net_ops);
	/* A listener's callback may be at its last instruction. */
	synchronize_net();
}
