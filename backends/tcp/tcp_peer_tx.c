// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: datagrams on their way into a stream.
 *
 * What lives here: the bounded queue and writing it out. What may not: how the stream
 * comes about (tcp_peer.c).
 *
 * Whoever queues also writes, if nobody else does at the moment, so a sender pays for
 * what it sends. What finds the queue full is dropped.
 */
#include <linux/sizes.h>
#include <net/tcp.h>
#include "tcp.h"

/* Bytes of memory in the queue of one stream, and in all of a link together. */
#define QUEUE_MAX	SZ_4M
#define QUEUE_MAX_LINK	SZ_64M
/* Datagrams that are given to the socket at once. */
#define IOV_MAX_NUM	16
/* Times that the queue is emptied before others have to go on. */
#define ROUNDS		4

/**
 * rxtcp_peer_queue - a datagram is to go
 * @p: to this peer
 * @skb: the datagram with its headers; the queue's when 0 is returned
 *
 * rxtcp_peer_flush() has to follow, for many at once. Context: any but hardirq.
 * Return: 0; -ENOSPC: the queue is full; -ESHUTDOWN: @p takes no more.
 */
int rxtcp_peer_queue(struct rxtcp_peer *p, struct sk_buff *skb)
{
	atomic_t *queued = &p->link->peers.queued;
	int ret = -ENOSPC;

	spin_lock_bh(&p->queue.lock);
	if (p->gone) {
		ret = -ESHUTDOWN;
	} else if (p->queue_bytes + skb->truesize <= QUEUE_MAX &&
		   atomic_read(queued) + (int)skb->truesize <= QUEUE_MAX_LINK) {
		__skb_queue_tail(&p->queue, skb);
		p->queue_bytes += skb->truesize;
		atomic_add(skb->truesize, queued);
		ret = 0;
	}
	spin_unlock_bh(&p->queue.lock);
	return ret;
}

static void done_with(struct rxtcp_peer *p, struct sk_buff *skb)
{
	atomic_sub(skb->truesize, &p->link->peers.queued);
	kfree_skb(skb);
}

static void drop(struct rxtcp_peer *p, struct sk_buff *skb)
{
	rxt_count(p->link->dev, ud_dropped);
	done_with(p, skb);
}

/* What is queued becomes what is being written. */
static void take_queue(struct rxtcp_peer *p)
{
	lockdep_assert_held(&p->lock);
	spin_lock_bh(&p->queue.lock);
	skb_queue_splice_tail_init(&p->queue, &p->out);
	p->queue_bytes = 0;
	spin_unlock_bh(&p->queue.lock);
}

/**
 * rxtcp_peer_purge - the stream is no more
 * @p: caller holds its lock
 * @all: nothing is kept for another stream
 *
 * A datagram that is written in part is dropped in any case.
 */
void rxtcp_peer_purge(struct rxtcp_peer *p, bool all)
{
	struct sk_buff *skb;

	lockdep_assert_held(&p->lock);
	if (all)
		take_queue(p);
	while ((skb = skb_peek(&p->out)) && (all || p->out_part)) {
		__skb_unlink(skb, &p->out);
		p->out_part = false;
		drop(p, skb);
	}
	spin_lock_bh(&p->queue.lock);
	skb_queue_walk(&p->out, skb)
		p->queue_bytes += skb->truesize;
	skb_queue_splice_init(&p->out, &p->queue);
	spin_unlock_bh(&p->queue.lock);
}

/**
 * rxtcp_peer_idle - take no more datagrams, if there are none
 * @p: caller holds its lock
 *
 * Return: false: there are some.
 */
bool rxtcp_peer_idle(struct rxtcp_peer *p)
{
	bool idle;

	lockdep_assert_held(&p->lock);
	spin_lock_bh(&p->queue.lock);
	idle = skb_queue_empty(&p->queue) && skb_queue_empty(&p->out);
	if (idle)
		WRITE_ONCE(p->gone, true);
	spin_unlock_bh(&p->queue.lock);
	return idle;
}

/* @n bytes of p->out were taken. */
static void written(struct rxtcp_peer *p, unsigned int n)
{
	struct sk_buff *skb;

	while (n) {
		skb = skb_peek(&p->out);
		if (n < skb->len) {
			skb_pull(skb, n);
			p->out_part = true;
			return;
		}
		n -= skb->len;
		__skb_unlink(skb, &p->out);
		p->out_part = false;
		rxt_count(p->link->dev, tx_packets);
		done_with(p, skb);
	}
}

/* Once more for some of p->out. Return: bytes, or -errno. */
static int write_some(struct rxtcp_peer *p)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct kvec kv[IOV_MAX_NUM];
	unsigned int num = 0;
	struct sk_buff *skb;
	size_t bytes = 0;

	skb_queue_walk(&p->out, skb) {
		if (num == IOV_MAX_NUM) {
			msg.msg_flags |= MSG_MORE;
			break;
		}
		kv[num].iov_base = skb->data;
		kv[num].iov_len = skb->len;
		bytes += skb->len;
		num++;
	}
	return kernel_sendmsg(p->sock, &msg, kv, num, bytes);
}

/* False: the socket has no room, or is no good. */
static bool write_out(struct rxtcp_peer *p)
{
	int n = 0;

	while (!skb_queue_empty(&p->out)) {
		n = write_some(p);
		if (n <= 0)
			break;
		WRITE_ONCE(p->used, jiffies);
		written(p, n);
	}
	if (skb_queue_empty(&p->out))
		return true;
	if (n != -EAGAIN && n != -ENOMEM && n != -ENOBUFS)
		rxtcp_peer_kick(p, 0);
	else if (sk_stream_memory_free(p->sock->sk))
		/* Room but no memory: nobody will call. */
		rxtcp_peer_kick(p, 1);
	return false;
}

/* To the own address. */
static bool hand_over(struct rxtcp_peer *p)
{
	struct rxtcp_dgram dg;
	struct sk_buff *skb;
	int head;

	while ((skb = __skb_dequeue(&p->out))) {
		head = rxtcp_dgram_decode(skb->data, skb->len, &dg);
		if (!WARN_ON_ONCE(head < 0))
			rxtcp_ud_deliver(p->link, &p->pair, &dg, skb, head);
		rxt_count(p->link->dev, tx_packets);
		done_with(p, skb);
	}
	WRITE_ONCE(p->used, jiffies);
	return true;
}

/**
 * rxtcp_peer_push - write what is queued
 * @p: UP or SELF; caller holds its lock
 *
 * Context: process, sleeps, but not for the peer.
 */
void rxtcp_peer_push(struct rxtcp_peer *p)
{
	unsigned int rounds = ROUNDS;
	bool go_on = true;

	lockdep_assert_held(&p->lock);
	while (go_on && rounds--) {
		/* Of a stream that stands still, the queue has the bound. */
		if (skb_queue_empty(&p->out))
			take_queue(p);
		if (skb_queue_empty(&p->out))
			return;
		go_on = p->state == RXTCP_PEER_SELF ? hand_over(p) : write_out(p);
	}
	if (go_on)
		rxtcp_peer_kick(p, 0);
}

/**
 * rxtcp_peer_flush - what was queued may go now
 * @p: peer
 *
 * Context: process, sleeps, but not for the peer.
 */
void rxtcp_peer_flush(struct rxtcp_peer *p)
{
	bool done = false;

	if (skb_queue_empty_lockless(&p->queue))
		return;
	if (mutex_trylock(&p->lock)) {
		done = p->state == RXTCP_PEER_UP || p->state == RXTCP_PEER_SELF;
		if (done)
			rxtcp_peer_push(p);
		mutex_unlock(&p->lock);
	}
	if (!done)
		rxtcp_peer_kick(p, 0);
}

/* sk->sk_write_space; socket locked. Also called from inside of our own sends. */
void rxtcp_peer_write_space(struct sock *sk)
{
	struct rxtcp_peer *p = rxtcp_sk_user(sk);

	if (!p || !sk_stream_is_writeable(sk))
		return;
	if (sk->sk_socket)
		clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	rxtcp_peer_kick(p, 0);
}
