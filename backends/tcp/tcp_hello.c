// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: kernel sockets the way this backend wants them, and the exchange of
 * hellos over them.
 *
 * What lives here: helpers without state of their own, in process context. What
 * may not: decisions about connections (tcp_conn.c, tcp_net.c).
 *
 * The sockets come from sock_create_kern(): they have the lock classes that the
 * kernel keeps for its own sockets, apart from those of user space. Classes of
 * this module would have to outlive it, as a socket may, and so pin it.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/tcp.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include "tcp.h"

/* Seconds until an idle connection is probed, between probes, and how many. */
#define KEEP_IDLE	30
#define KEEP_INTVL	10
#define KEEP_COUNT	6

/* What a TCP socket is born with, the same for all. Set with the first listener. */
static struct {
	void (*data_ready)(struct sock *sk);
	void (*state_change)(struct sock *sk);
	void (*write_space)(struct sock *sk);
} born;

/**
 * rxtcp_sock_setup - a socket that this module made, before anything else
 * @sock: TCP socket, not connected, not listening
 */
void rxtcp_sock_setup(struct socket *sock)
{
	struct sock *sk = sock->sk;

	WRITE_ONCE(born.data_ready, sk->sk_data_ready);
	WRITE_ONCE(born.state_change, sk->sk_state_change);
	WRITE_ONCE(born.write_space, sk->sk_write_space);
}

/**
 * rxtcp_sock_callbacks - who hears of this socket
 * @sk: TCP socket; caller holds its lock, so that no callback runs
 * @user: goes into sk_user_data; NULL with three NULLs: as it was born
 * @data_ready: or NULL, as with the others, for the one it was born with
 * @state_change: see above
 * @write_space: see above
 */
void rxtcp_sock_callbacks(struct sock *sk, void *user,
			  void (*data_ready)(struct sock *sk),
			  void (*state_change)(struct sock *sk),
			  void (*write_space)(struct sock *sk))
{
	write_lock_bh(&sk->sk_callback_lock);
	/* Not for the children of a listener. */
	__rcu_assign_sk_user_data_with_flags(sk, user, SK_USER_DATA_NOCOPY);
	sk->sk_data_ready = data_ready ?: READ_ONCE(born.data_ready);
	sk->sk_state_change = state_change ?: READ_ONCE(born.state_change);
	sk->sk_write_space = write_space ?: READ_ONCE(born.write_space);
	write_unlock_bh(&sk->sk_callback_lock);
}

static void set_int(struct socket *sock, int level, int name, int val)
{
	/* Tuning: one that is refused does no harm. */
	(void)sock->ops->setsockopt(sock, level, name, KERNEL_SOCKPTR(&val),
				    sizeof(val));
}

/**
 * rxtcp_sock_tune - options of a socket that carries frames
 * @sock: TCP socket
 * @path: service level, traffic class, hop limit
 *
 * Buffers are left to the stack's own tuning. Context: process, sleeps.
 */
void rxtcp_sock_tune(struct socket *sock, const struct rxt_path *path)
{
	struct sock *sk = sock->sk;

	lock_sock(sk);
	/* ->xmit() runs in softirq: no sleeping, no fragment of a task. */
	sk->sk_allocation = GFP_ATOMIC;
	sk->sk_use_task_frag = false;
	release_sock(sk);

	tcp_sock_set_nodelay(sk);
	sock_set_keepalive(sk);
	tcp_sock_set_keepidle(sk, KEEP_IDLE);
	tcp_sock_set_keepintvl(sk, KEEP_INTVL);
	tcp_sock_set_keepcnt(sk, KEEP_COUNT);

	if (rxt_path_prio(path))
		sock_set_priority(sk, rxt_path_prio(path));
	if (sk->sk_family == AF_INET) {
		if (path->tclass)
			ip_sock_set_tos(sk, path->tclass);
		if (path->hop_limit)
			set_int(sock, SOL_IP, IP_TTL, path->hop_limit);
		return;
	}
	if (path->tclass)
		set_int(sock, SOL_IPV6, IPV6_TCLASS, path->tclass);
	if (path->hop_limit)
		set_int(sock, SOL_IPV6, IPV6_UNICAST_HOPS, path->hop_limit);
}

/**
 * rxtcp_sock_patience - how long TCP itself waits for a silent peer
 * @sock: TCP socket
 * @patient: longer than by itself, as tcp_timer.c (or nobody) gives up later
 */
void rxtcp_sock_patience(struct socket *sock, bool patient)
{
	tcp_sock_set_user_timeout(sock->sk, patient ? INT_MAX : 0);
}

/**
 * rxtcp_sock_addr - a GID as a socket address
 * @gid: IPv6 address, IPv4-mapped or not
 * @scope: netdev index for a link-local one
 * @port: host order
 * @addr: result
 *
 * Return: length of the address.
 */
int rxtcp_sock_addr(const union ib_gid *gid, int scope, u16 port,
		    struct sockaddr_storage *addr)
{
	const struct in6_addr *ip = (const struct in6_addr *)gid->raw;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	memset(addr, 0, sizeof(*addr));
	if (ipv6_addr_v4mapped(ip)) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		in->sin_addr.s_addr = ip->s6_addr32[3];
		return sizeof(*in);
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	in6->sin6_addr = *ip;
	if (ipv6_addr_type(ip) & IPV6_ADDR_LINKLOCAL)
		in6->sin6_scope_id = scope;
	return sizeof(*in6);
}

/**
 * rxtcp_sock_open - a socket that is to connect two addresses
 * @net: namespace
 * @own: from here; the port is the stack's choice
 * @peer: to there, with rxtcp_sock_connect()
 * @scope: netdev index for link-local ones
 * @res: result
 *
 * Context: process, sleeps; a worker, so that the socket is nobody's memory cgroup's:
 * sends may charge it where sleeping is forbidden. Return: 0; -EHOSTUNREACH: they are
 * not of one family; -errno.
 */
int rxtcp_sock_open(struct net *net, const union ib_gid *own,
		    const union ib_gid *peer, int scope, struct socket **res)
{
	struct sockaddr_storage from, to;
	struct socket *sock;
	int len, ret;

	len = rxtcp_sock_addr(own, scope, 0, &from);
	rxtcp_sock_addr(peer, scope, 0, &to);
	if (from.ss_family != to.ss_family)
		return -EHOSTUNREACH;
	ret = sock_create_kern(net, from.ss_family, SOCK_STREAM, IPPROTO_TCP,
			       &sock);
	if (ret)
		return ret;
	rxtcp_sock_setup(sock);
	/* The port is chosen when the peer is known: more than 28,000 of them. */
	set_int(sock, SOL_IP, IP_BIND_ADDRESS_NO_PORT, 1);
	ret = kernel_bind(sock, (struct sockaddr *)&from, len);
	if (ret)
		sock_release(sock);
	else
		*res = sock;
	return ret;
}

/**
 * rxtcp_sock_connect - begin to connect
 * @sock: from rxtcp_sock_open(), with callbacks: they tell when there is news
 * @peer: to whom, as given there
 * @scope: as given there
 *
 * Return: 0: it is under way, or done; -errno.
 */
int rxtcp_sock_connect(struct socket *sock, const union ib_gid *peer, int scope)
{
	struct sockaddr_storage to;
	int len, ret;

	len = rxtcp_sock_addr(peer, scope, rxtcp_port, &to);
	ret = kernel_connect(sock, (struct sockaddr *)&to, len, O_NONBLOCK);
	return ret == -EINPROGRESS ? 0 : ret;
}

/**
 * rxtcp_sock_connect_self - begin to connect a socket to itself
 * @sock: from rxtcp_sock_open(), with callbacks
 * @own: its address, as given there
 * @scope: as given there
 *
 * TCP's simultaneous open (RFC 9293, 3.5), with one end: what is sent is received.
 *
 * Return: 0: it is under way, or done; -errno.
 */
int rxtcp_sock_connect_self(struct socket *sock, const union ib_gid *own, int scope)
{
	struct sockaddr_storage addr;
	int len, ret;

	/* The port has to be known before. */
	set_int(sock, SOL_IP, IP_BIND_ADDRESS_NO_PORT, 0);
	len = rxtcp_sock_addr(own, scope, 0, &addr);
	ret = kernel_bind(sock, (struct sockaddr *)&addr, len);
	if (ret)
		return ret;
	len = rxtcp_sock_addr(own, scope, ntohs(inet_sk(sock->sk)->inet_sport),
			      &addr);
	ret = kernel_connect(sock, (struct sockaddr *)&addr, len, O_NONBLOCK);
	return ret == -EINPROGRESS ? 0 : ret;
}

/**
 * rxtcp_sock_connected - how far is it?
 * @sock: after rxtcp_sock_connect()
 *
 * Return: 1: connected; 0: not yet; -errno: it will not be.
 */
int rxtcp_sock_connected(struct socket *sock)
{
	struct sock *sk = sock->sk;

	switch (READ_ONCE(sk->sk_state)) {
	case TCP_ESTABLISHED:
		return 1;
	case TCP_SYN_SENT:
	case TCP_SYN_RECV:
		return 0;
	default:
		return sock_error(sk) ?: -ECONNRESET;
	}
}

/**
 * rxtcp_sock_gids - both ends of an accepted connection as GIDs
 * @sk: connected TCP socket
 * @own: result
 * @peer: result
 */
void rxtcp_sock_gids(const struct sock *sk, union ib_gid *own, union ib_gid *peer)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6) {
		memcpy(own->raw, &sk->sk_v6_rcv_saddr, sizeof(own->raw));
		memcpy(peer->raw, &sk->sk_v6_daddr, sizeof(peer->raw));
		return;
	}
#endif
	ipv6_addr_set_v4mapped(sk->sk_rcv_saddr, (struct in6_addr *)own->raw);
	ipv6_addr_set_v4mapped(sk->sk_daddr, (struct in6_addr *)peer->raw);
}

/* Return: 0 or -errno; the first bytes of a connection always find room. */
int rxtcp_hello_send(struct socket *sock, const struct rxtcp_hello *h)
{
	struct rxt_tcp_hello wire;
	struct kvec kv = { .iov_base = &wire, .iov_len = sizeof(wire) };
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	int ret;

	rxtcp_hello_encode(h, &wire);
	ret = kernel_sendmsg(sock, &msg, &kv, 1, sizeof(wire));
	if (ret < 0)
		return ret;
	return ret == sizeof(wire) ? 0 : -ENOBUFS;
}

/**
 * rxtcp_hello_recv - take what is there of a hello and not a byte more
 * @sock: TCP socket
 * @wire: the hello
 * @have: bytes of it, updated
 *
 * Return: 1 complete, 0 not yet, -ECONNRESET the peer closed, other -errno.
 */
int rxtcp_hello_recv(struct socket *sock, struct rxt_tcp_hello *wire,
		     unsigned int *have)
{
	int ret;

	while (*have < sizeof(*wire)) {
		struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
		struct kvec kv = {
			.iov_base = (u8 *)wire + *have,
			.iov_len = sizeof(*wire) - *have,
		};

		ret = kernel_recvmsg(sock, &msg, &kv, 1, kv.iov_len,
				     MSG_DONTWAIT);
		if (ret == -EAGAIN)
			return 0;
		if (ret <= 0)
			return ret ?: -ECONNRESET;
		*have += ret;
	}
	return 1;
}
