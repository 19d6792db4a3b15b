/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_tcp: where the TCP and fragment interfaces of kernel 6.1 and later ones
 * differ.
 *
 * What lives here: thin inline wrappers with one meaning. What may not: logic.
 */
#ifndef _RXTCP_COMPAT_H
#define _RXTCP_COMPAT_H

#include <linux/bvec.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/version.h>
#include <net/tcp.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#include <linux/page_frag_cache.h>
#endif

/**
 * rxtcp_send_frag - give a piece of memory to the stack without a copy
 * @sk: locked TCP socket
 * @page: page, or head of a compound page; the stack takes a reference
 * @off: first byte
 * @len: bytes
 * @more: more will follow soon, do not push yet
 *
 * Never sleeps for the peer or for memory: sk_allocation is GFP_ATOMIC. Return:
 * bytes taken, or -EAGAIN and others.
 */
static inline int rxtcp_send_frag(struct sock *sk, struct page *page, u32 off,
				  u32 len, bool more)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	struct bio_vec bv;
	struct msghdr msg = {
		.msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_SPLICE_PAGES |
			     (more ? MSG_MORE : 0),
	};

	/* From 16 segments in one call on the stack may run the backlog in the
	 * middle of it, and sleep.
	 */
	if (len > 15 * tcp_sk(sk)->mss_cache) {
		len = 15 * tcp_sk(sk)->mss_cache;
		msg.msg_flags |= MSG_MORE;
	}
	bvec_set_page(&bv, page, len, off);
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, &bv, 1, len);
	return tcp_sendmsg_locked(sk, &msg, len);
#else
	return tcp_sendpage_locked(sk, page, off, len,
				   MSG_DONTWAIT | MSG_NOSIGNAL |
				   (more ? MSG_MORE | MSG_SENDPAGE_NOTLAST : 0));
#endif
}

/* Free a fragment cache's page. */
static inline void rxtcp_frag_cache_drain(struct page_frag_cache *nc)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	page_frag_cache_drain(nc);
#else
	if (nc->va)
		__page_frag_cache_drain(virt_to_head_page(nc->va), nc->pagecnt_bias);
	nc->va = NULL;
#endif
}

#endif /* _RXTCP_COMPAT_H */
