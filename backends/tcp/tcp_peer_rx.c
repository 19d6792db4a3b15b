// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_tcp: datagrams out of a stream.
 *
 * What lives here: socket callbacks of a stream that is up, cutting it into datagrams.
 * What may not: whose a datagram is (tcp_ud.c). All of it runs with the socket locked,
 * mostly in softirq.
 *
 * Payload that lies in one packet buffer is delivered from there; what comes in pieces
 * is put together in a buffer that each stream has.
 */
#include <net/tcp.h>
#include "tcp.h"

static void deliver(struct rxtcp_peer *p, struct sk_buff *skb, unsigned int off)
{
	p->rx.body = false;
	p->carrier_len = 0;
	rxtcp_ud_deliver(p->link, &p->pair, &p->rx.dg, skb, off);
}

/* Bytes between two payloads. Return: how many were used, or -errno. */
static int header(struct rxtcp_peer *p, struct sk_buff *skb, unsigned int off,
		  unsigned int len)
{
	u8 buf[RXT_TCP_DGRAM_HDR_MAX];
	int used;

	len = min_t(unsigned int, len, sizeof(buf));
	if (skb_copy_bits(skb, off, buf, len))
		return -EFAULT;
	used = rxtcp_dgram_head(&p->rx, buf, len);
	if (p->rx.body && !p->rx.dg.len)
		deliver(p, skb, off + used);
	return used;
}

static int payload(struct rxtcp_peer *p, struct sk_buff *skb, unsigned int off,
		   unsigned int len)
{
	unsigned int want = p->rx.dg.len - p->carrier_len;

	if (!p->carrier_len && len >= want) {
		deliver(p, skb, off);
		return want;
	}
	/* The decoder saw to it that all of it has room. */
	len = min(len, want);
	if (skb_copy_bits(skb, off, p->carrier->data + p->carrier_len, len))
		return -EFAULT;
	p->carrier_len += len;
	if (len == want)
		deliver(p, p->carrier, 0);
	return len;
}

/* tcp_read_sock()'s actor: takes everything, always. */
static int actor(read_descriptor_t *desc, struct sk_buff *skb, unsigned int off,
		 size_t len)
{
	struct rxtcp_peer *p = desc->arg.data;
	unsigned int done = 0;
	int n;

	while (done < len && !p->bad) {
		if (p->rx.body)
			n = payload(p, skb, off + done, len - done);
		else
			n = header(p, skb, off + done, len - done);
		if (n < 0) {
			p->bad = true;
			rxt_count(p->link->dev, bad_header);
			break;
		}
		done += n;
	}
	return len;
}

/**
 * rxtcp_peer_rx_run - take what the socket has got
 * @p: UP, or just about to be
 * @sk: its socket, locked
 */
void rxtcp_peer_rx_run(struct rxtcp_peer *p, struct sock *sk)
{
	read_descriptor_t desc = { .arg.data = p, .count = 1 };

	if (tcp_read_sock(sk, &desc, actor) > 0)
		WRITE_ONCE(p->used, jiffies);
	if (p->bad || (sk->sk_shutdown & RCV_SHUTDOWN) || sk->sk_state == TCP_CLOSE)
		rxtcp_peer_kick(p, 0);
}

/* sk->sk_data_ready */
void rxtcp_peer_data_ready(struct sock *sk)
{
	struct rxtcp_peer *p = rxtcp_sk_user(sk);

	if (p)
		rxtcp_peer_rx_run(p, sk);
}

/* sk->sk_state_change; a FIN is also followed by sk_data_ready. */
void rxtcp_peer_state_change(struct sock *sk)
{
	struct rxtcp_peer *p = rxtcp_sk_user(sk);

	if (p && sk->sk_state == TCP_CLOSE)
		rxtcp_peer_rx_run(p, sk);
}

/* Socket lock, or none while there is no socket. */
void rxtcp_peer_rx_reset(struct rxtcp_peer *p)
{
	memset(&p->rx, 0, sizeof(p->rx));
	p->carrier_len = 0;
	p->bad = false;
}
