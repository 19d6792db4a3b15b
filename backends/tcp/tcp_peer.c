// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: the stream of datagrams between two hosts: one for each pair of addresses.
 *
 * What lives here: a link's table of streams; opening, taking over what the peer opened,
 * closing. What may not: datagrams (tcp_peer_tx.c, tcp_peer_rx.c), accepting (tcp_net.c).
 *
 *            a datagram is queued          connected
 *   OFF ------------------------> SYN --------------> HELLO
 *    ^ ^                           |                    | hello back
 *    | +---------------------------+---- no way: drop --+--> UP
 *    |            closed, lost, idle                          ^
 *    +--------------------------------------------------------+
 *   A hello of the peer leads to UP from OFF, SYN, HELLO, and from UP to UP with the new
 *   socket: the peer has none, or it would not ask. When both connect at once the side
 *   with the smaller address wins: it answers BUSY, and the other one waits for it.
 *
 * What is OFF with nothing to send is freed. All is driven by the stream's work.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include "tcp.h"

#define PEERS_MAX	4096		/* streams of a link */
#define ACCEPTED_MAX	1024		/* of these, opened by peers */
#define TRY_TIME	(4 * HZ)	/* from a datagram to UP */
#define BUSY_PAUSE	(HZ / 20)	/* the peer's own try is coming */
#define HOLD_OFF	(HZ / 10)	/* between tries that failed */
#define IDLE_TIME	(10 * HZ)	/* without a datagram; who accepted: twice that */
#define DEAD_TIME_MS	10000		/* nothing acknowledged by the peer's TCP */

/* ---- table ---- */

void rxtcp_peers_init(struct rxtcp_peers *peers)
{
	spin_lock_init(&peers->lock);
	hash_init(peers->table);
	init_waitqueue_head(&peers->gone);
	peers->seed = get_random_u32();
}

static u32 pair_hash(const struct rxtcp_peers *peers, const struct rxtcp_pair *pair)
{
	BUILD_BUG_ON(sizeof(*pair) != 40);	/* no holes */
	return jhash(pair, sizeof(*pair), peers->seed);
}

static struct rxtcp_peer *find(struct rxtcp_peers *peers,
			       const struct rxtcp_pair *pair, u32 hash)
{
	struct rxtcp_peer *p;

	lockdep_assert_held(&peers->lock);
	hash_for_each_possible(peers->table, p, node, hash)
		if (!memcmp(&p->pair, pair, sizeof(*pair)) && !READ_ONCE(p->gone))
			return p;
	return NULL;
}

/* The one of those that peers opened which nobody used for longest has to go. */
static void evict_one(struct rxtcp_peers *peers)
{
	struct rxtcp_peer *p, *oldest = NULL;
	unsigned int i;

	lockdep_assert_held(&peers->lock);
	hash_for_each(peers->table, i, p, node)
		if (p->accepted && !READ_ONCE(p->gone) && !READ_ONCE(p->evict) &&
		    (!oldest || time_before(READ_ONCE(p->used), READ_ONCE(oldest->used))))
			oldest = p;
	if (!oldest)
		return;
	WRITE_ONCE(oldest->evict, true);
	rxtcp_peer_kick(oldest, 0);
}

static bool room(struct rxtcp_peers *peers, bool accepted)
{
	lockdep_assert_held(&peers->lock);
	if (peers->dead)
		return false;
	if (accepted && peers->accepted >= ACCEPTED_MAX) {
		evict_one(peers);
		return false;
	}
	return peers->num < PEERS_MAX;
}

static void peer_work(struct work_struct *work);

static struct rxtcp_peer *peer_new(struct rxtcp_link *link,
				   const struct rxtcp_pair *pair)
{
	struct rxtcp_peer *p = kzalloc(sizeof(*p), GFP_ATOMIC | __GFP_NOWARN);

	if (!p)
		return NULL;
	refcount_set(&p->ref, 1);
	p->link = link;
	p->pair = *pair;
	p->used = jiffies;
	p->deadline = jiffies;
	mutex_init(&p->lock);
	INIT_DELAYED_WORK(&p->work, peer_work);
	skb_queue_head_init(&p->queue);
	__skb_queue_head_init(&p->out);
	if (!memcmp(&pair->own, &pair->peer, sizeof(pair->own)))
		p->state = RXTCP_PEER_SELF;
	return p;
}

/**
 * rxtcp_peer_get - the stream between two addresses
 * @link: on this link
 * @pair: the addresses
 * @accepted: because the peer has opened it
 *
 * It is made if there is none; nothing is opened yet.
 *
 * Context: any but hardirq. Return: with a reference, or NULL: no room, no memory, or
 * the link goes.
 */
struct rxtcp_peer *rxtcp_peer_get(struct rxtcp_link *link,
				  const struct rxtcp_pair *pair, bool accepted)
{
	struct rxtcp_peers *peers = &link->peers;
	u32 hash = pair_hash(peers, pair);
	struct rxtcp_peer *p;

	spin_lock_bh(&peers->lock);
	p = find(peers, pair, hash);
	if (!p && room(peers, accepted)) {
		p = peer_new(link, pair);
		if (p) {
			hash_add(peers->table, &p->node, hash);
			p->accepted = accepted;
			peers->accepted += accepted;
			peers->num++;
			peers->memory++;
			/* Should nobody have a use for it after all. */
			queue_delayed_work(rxtcp_wq, &p->work, HOLD_OFF);
		}
	}
	if (p)
		refcount_inc(&p->ref);
	spin_unlock_bh(&peers->lock);
	return p;
}

/* Context: any but hardirq. */
void rxtcp_peer_put(struct rxtcp_peer *p)
{
	struct rxtcp_peers *peers = &p->link->peers;

	if (!refcount_dec_and_test(&p->ref))
		return;
	kfree_skb(p->carrier);
	kfree(p);
	spin_lock_bh(&peers->lock);
	if (!--peers->memory)
		wake_up(&peers->gone);
	spin_unlock_bh(&peers->lock);
}

static void unhash(struct rxtcp_peers *peers, struct rxtcp_peer *p)
{
	lockdep_assert_held(&peers->lock);
	hash_del(&p->node);
	peers->accepted -= p->accepted;
	peers->num--;
}

/* Take it off the table. False: someone else did; else its reference is the caller's. */
static bool take_off(struct rxtcp_peer *p)
{
	struct rxtcp_peers *peers = &p->link->peers;
	bool hashed;

	spin_lock_bh(&peers->lock);
	hashed = hash_hashed(&p->node);
	if (hashed)
		unhash(peers, p);
	spin_unlock_bh(&peers->lock);
	return hashed;
}

/* ---- work ---- */

/**
 * rxtcp_peer_kick - there is something to do
 * @p: peer
 * @delay: jiffies until then
 *
 * Context: any but hardirq.
 */
void rxtcp_peer_kick(struct rxtcp_peer *p, unsigned long delay)
{
	spin_lock_bh(&p->queue.lock);
	if (!p->gone)
		mod_delayed_work(rxtcp_wq, &p->work, delay);
	spin_unlock_bh(&p->queue.lock);
}

/* Look again at @when, unless a kick makes it earlier. From the work. */
static void look_at(struct rxtcp_peer *p, unsigned long when)
{
	long delay = when - jiffies;

	spin_lock_bh(&p->queue.lock);
	if (!p->gone)
		queue_delayed_work(rxtcp_wq, &p->work, max(delay, 1L));
	spin_unlock_bh(&p->queue.lock);
}

/* While the hellos go. */
static void news(struct sock *sk)
{
	struct rxtcp_peer *p = rxtcp_sk_user(sk);

	if (p)
		rxtcp_peer_kick(p, 0);
}

/* The socket is nobody's after this. @graceful: a FIN rather than a reset. */
static void drop_sock(struct rxtcp_peer *p, bool graceful)
{
	struct socket *sock = p->sock;

	lockdep_assert_held(&p->lock);
	if (!sock)
		return;
	lock_sock(sock->sk);
	rxtcp_sock_callbacks(sock->sk, NULL, NULL, NULL, NULL);
	rxtcp_peer_rx_reset(p);
	release_sock(sock->sk);
	p->sock = NULL;
	if (graceful) {
		rxtcp_net_linger(p->link->net, sock);
		return;
	}
	sock_no_linger(sock->sk);
	sock_release(sock);
}

/* Datagrams may flow over p->sock. 0, or -ENOMEM. */
static int go_up(struct rxtcp_peer *p)
{
	struct sock *sk = p->sock->sk;

	lockdep_assert_held(&p->lock);
	if (!p->carrier) {
		p->carrier = alloc_skb(RXT_TCP_DGRAM_MAX, GFP_KERNEL);
		if (!p->carrier)
			return -ENOMEM;
		skb_put_zero(p->carrier, RXT_TCP_DGRAM_MAX);
	}
	p->state = RXTCP_PEER_UP;
	p->give_up = 0;
	WRITE_ONCE(p->used, jiffies);
	tcp_sock_set_user_timeout(sk, DEAD_TIME_MS);
	lock_sock(sk);
	rxtcp_peer_rx_reset(p);
	rxtcp_sock_callbacks(sk, p, rxtcp_peer_data_ready,
			     rxtcp_peer_state_change, rxtcp_peer_write_space);
	/* What came before the callbacks were ours. */
	rxtcp_peer_rx_run(p, sk);
	release_sock(sk);
	return 0;
}

static void fill_hello(const struct rxtcp_peer *p, u8 type, struct rxtcp_hello *h)
{
	*h = (struct rxtcp_hello) {
		.type = type,
		.qp_type = IB_QPT_UD,
		.max_seg = RXT_TCP_SEG_MAX,
		.src_gid = p->pair.own,
		.dst_gid = p->pair.peer,
	};
}

static const struct rxt_path plain_path;

static int start(struct rxtcp_peer *p)
{
	const struct in6_addr *own = (const struct in6_addr *)&p->pair.own;
	int scope = p->pair.scope, ret;
	struct socket *sock;

	if (!scope && (ipv6_addr_type(own) & IPV6_ADDR_LINKLOCAL))
		scope = p->link->ifindex;
	if (!p->give_up)
		p->give_up = (jiffies + TRY_TIME) ?: 1;
	ret = rxtcp_sock_open(p->link->net->net, &p->pair.own, &p->pair.peer,
			      scope, &sock);
	if (ret)
		return ret;
	rxtcp_sock_tune(sock, &plain_path);
	p->sock = sock;
	p->state = RXTCP_PEER_SYN;
	lock_sock(sock->sk);
	rxtcp_sock_callbacks(sock->sk, p, news, news, NULL);
	release_sock(sock->sk);
	return rxtcp_sock_connect(sock, &p->pair.peer, scope);
}

/* Connected yet? Then the hello goes out. */
static int step_syn(struct rxtcp_peer *p)
{
	struct rxtcp_hello h;
	int ret;

	ret = rxtcp_sock_connected(p->sock);
	if (ret <= 0)
		return ret;
	fill_hello(p, RXT_TCP_HELLO_REQ, &h);
	ret = rxtcp_hello_send(p->sock, &h);
	if (ret)
		return ret;
	p->reply_len = 0;
	p->state = RXTCP_PEER_HELLO;
	return 0;
}

/* Is the peer's hello there? -EBUSY: it connects itself. */
static int step_hello(struct rxtcp_peer *p)
{
	struct rxtcp_hello h;
	int ret;

	ret = rxtcp_hello_recv(p->sock, &p->reply, &p->reply_len);
	if (ret <= 0)
		return ret;
	if (rxtcp_hello_decode(&p->reply, RXT_TCP_HELLO_REP, &h) != RXT_TCP_OK ||
	    h.qp_type != IB_QPT_UD)
		return -EPROTO;
	if (h.status == RXT_TCP_BUSY)
		return -EBUSY;
	if (h.status != RXT_TCP_OK)
		return -ECONNREFUSED;
	ret = go_up(p);
	if (!ret)
		rxt_count(p->link->dev, connects);
	return ret;
}

/* It did not work out. A datagram may be lost: only for the peer's own try it waits. */
static void no_way(struct rxtcp_peer *p, int err)
{
	bool again = err == -EBUSY && time_before(jiffies, p->give_up);

	drop_sock(p, false);
	p->state = RXTCP_PEER_OFF;
	p->deadline = jiffies + (again ? BUSY_PAUSE : HOLD_OFF);
	if (again) {
		rxt_count(p->link->dev, connect_retries);
		return;
	}
	if (err == -EPROTO || err == -ECONNREFUSED)
		rxt_count(p->link->dev, hello_rejected);
	p->give_up = 0;
	rxtcp_peer_purge(p, true);
}

/* OFF, SYN, HELLO: on the way up. */
static void climb(struct rxtcp_peer *p)
{
	int ret = 0;

	lockdep_assert_held(&p->lock);
	if (p->state == RXTCP_PEER_OFF)
		ret = start(p);
	if (!ret && p->state == RXTCP_PEER_SYN)
		ret = step_syn(p);
	if (!ret && p->state == RXTCP_PEER_HELLO)
		ret = step_hello(p);
	if (!ret && p->state != RXTCP_PEER_UP &&
	    !time_before(jiffies, p->give_up))
		ret = -ETIMEDOUT;
	if (ret < 0)
		no_way(p, ret);
}

/* Has the stream ended, and how? */
static int stream_over(struct rxtcp_peer *p, bool *graceful)
{
	struct sock *sk = p->sock->sk;
	bool over;

	lock_sock(sk);
	*graceful = !p->bad && sk->sk_state != TCP_CLOSE;
	over = p->bad || (sk->sk_shutdown & RCV_SHUTDOWN) ||
	       sk->sk_state == TCP_CLOSE;
	release_sock(sk);
	return over;
}

/* jiffies when an unused stream is closed */
static unsigned long idle_at(const struct rxtcp_peer *p)
{
	return READ_ONCE(p->used) + (p->accepted ? 2 * IDLE_TIME : IDLE_TIME);
}

/* When to see about that; not all the time while there is something to send. */
static unsigned long when_idle(const struct rxtcp_peer *p)
{
	unsigned long at = idle_at(p), next = jiffies + HZ;

	return time_before(at, next) ? next : at;
}

/* Nothing to do for a while? Then it may be freed. Sets ->gone. */
static bool unused(struct rxtcp_peer *p)
{
	return (READ_ONCE(p->evict) || !time_before(jiffies, idle_at(p))) &&
	       rxtcp_peer_idle(p);
}

/* Return: it is not needed any more. */
static bool step_up(struct rxtcp_peer *p)
{
	bool graceful;

	if (stream_over(p, &graceful)) {
		drop_sock(p, graceful);
		rxtcp_peer_purge(p, false);
		p->state = RXTCP_PEER_OFF;
		p->deadline = jiffies;
		return false;
	}
	rxtcp_peer_push(p);
	if (unused(p)) {
		drop_sock(p, true);
		p->state = RXTCP_PEER_OFF;
		return true;
	}
	look_at(p, when_idle(p));
	return false;
}

/* Return: it is not needed any more. */
static bool step(struct rxtcp_peer *p)
{
	lockdep_assert_held(&p->lock);
	if (p->state == RXTCP_PEER_UP && step_up(p))
		return true;
	if (p->state == RXTCP_PEER_OFF) {
		/* For a pause it stays, so that there is one. */
		if (time_before(jiffies, p->deadline)) {
			look_at(p, p->deadline);
			return false;
		}
		if (rxtcp_peer_idle(p))
			return true;
	}
	switch (p->state) {
	case RXTCP_PEER_OFF:
	case RXTCP_PEER_SYN:
	case RXTCP_PEER_HELLO:
		climb(p);
		if (p->state == RXTCP_PEER_UP)
			rxtcp_peer_kick(p, 0);
		else
			look_at(p, p->state == RXTCP_PEER_OFF ? p->deadline : p->give_up);
		return false;
	case RXTCP_PEER_SELF:
		rxtcp_peer_push(p);
		if (unused(p))
			return true;
		look_at(p, when_idle(p));
		return false;
	default:
		return false;
	}
}

static void peer_work(struct work_struct *work)
{
	struct rxtcp_peer *p = container_of(work, struct rxtcp_peer, work.work);
	bool over;

	mutex_lock(&p->lock);
	over = step(p);
	mutex_unlock(&p->lock);
	/* It is ->gone, so nobody queues the work, and this run is the last. */
	if (!over || !take_off(p))
		return;
	cancel_delayed_work(&p->work);
	rxtcp_peer_put(p);
}

/* ---- what the peer opened ---- */

static int take_over(struct rxtcp_peer *p, struct socket *sock)
{
	struct rxtcp_hello reply;
	int ret;

	lockdep_assert_held(&p->lock);
	if (p->state == RXTCP_PEER_SELF)
		return RXT_TCP_MISMATCH;
	if (p->state == RXTCP_PEER_DEAD)
		return RXT_TCP_NOT_READY;
	/* Both at once: ours. */
	if ((p->state == RXTCP_PEER_SYN || p->state == RXTCP_PEER_HELLO) &&
	    memcmp(&p->pair.own, &p->pair.peer, sizeof(p->pair.own)) < 0)
		return RXT_TCP_BUSY;
	/* It closed meanwhile: this is an old one. */
	if (READ_ONCE(sock->sk->sk_state) != TCP_ESTABLISHED)
		return -ECONNRESET;

	rxtcp_sock_tune(sock, &plain_path);
	fill_hello(p, RXT_TCP_HELLO_REP, &reply);
	ret = rxtcp_hello_send(sock, &reply);
	if (ret)
		return ret;
	drop_sock(p, false);
	rxtcp_peer_purge(p, false);
	p->sock = sock;
	ret = go_up(p);
	if (ret) {
		/* The caller closes it. */
		p->sock = NULL;
		p->state = RXTCP_PEER_OFF;
		return ret;
	}
	rxt_count(p->link->dev, accepts);
	rxtcp_peer_kick(p, 0);
	return RXT_TCP_OK;
}

/**
 * rxtcp_peer_attach - a peer has opened a stream
 * @link: on this link
 * @sock: the socket that its hello came by, without callbacks; taken over if OK
 * @pair: between these
 *
 * Context: process, sleeps; rxtcp_net.lock is held. Return: enum rxt_tcp_status, OK:
 * the answer is sent; or -errno: close @sock.
 */
int rxtcp_peer_attach(struct rxtcp_link *link, struct socket *sock,
		      const struct rxtcp_pair *pair)
{
	struct rxtcp_peer *p;
	int status;
	bool gone;

	do {
		p = rxtcp_peer_get(link, pair, true);
		if (!p)
			return RXT_TCP_BUSY;
		mutex_lock(&p->lock);
		gone = READ_ONCE(p->gone);
		status = gone ? RXT_TCP_BUSY : take_over(p, sock);
		/* One that was made for this has to go by itself. */
		if (status != RXT_TCP_OK)
			rxtcp_peer_kick(p, 0);
		mutex_unlock(&p->lock);
		rxtcp_peer_put(p);
	} while (gone);
	return status;
}

/* ---- the end of a link ---- */

static struct rxtcp_peer *take_any(struct rxtcp_peers *peers)
{
	struct rxtcp_peer *p, *found = NULL;
	unsigned int i;

	spin_lock_bh(&peers->lock);
	peers->dead = true;
	hash_for_each(peers->table, i, p, node)
		found = p;
	if (found)
		unhash(peers, found);
	spin_unlock_bh(&peers->lock);
	return found;
}

/**
 * rxtcp_peers_abandon - no stream any more, and no socket
 * @link: link
 *
 * Context: process, sleeps; rxtcp_net.lock may be held.
 */
void rxtcp_peers_abandon(struct rxtcp_link *link)
{
	struct rxtcp_peer *p;

	while ((p = take_any(&link->peers))) {
		mutex_lock(&p->lock);
		spin_lock_bh(&p->queue.lock);
		WRITE_ONCE(p->gone, true);
		spin_unlock_bh(&p->queue.lock);
		drop_sock(p, false);
		rxtcp_peer_purge(p, true);
		p->state = RXTCP_PEER_DEAD;
		mutex_unlock(&p->lock);
		cancel_delayed_work_sync(&p->work);
		rxtcp_peer_put(p);
	}
}

/**
 * rxtcp_peers_stop - the link goes; it has no QPs
 * @link: link
 *
 * Context: process, sleeps until none of its streams has memory.
 */
void rxtcp_peers_stop(struct rxtcp_link *link)
{
	struct rxtcp_peers *peers = &link->peers;

	rxtcp_peers_abandon(link);
	wait_event(peers->gone, !READ_ONCE(peers->memory));
	/* Who woke us up has left the lock. */
	spin_lock_bh(&peers->lock);
	spin_unlock_bh(&peers->lock);
}
