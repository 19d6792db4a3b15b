// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: what a request of the peer may not do: refusals, counted, and the check of
 * the region that READs and WRITEs name.
 *
 * What lives here: checks that several kinds of requests share. What may not: what is
 * done for a request (rx.c, resp.c).
 */
#include "internal.h"

/**
 * rxt_rx_bad_access - no such right
 * @qp: responder
 *
 * Context: any. Return: the verdict.
 */
enum rxt_verdict rxt_rx_bad_access(struct rxt_qp *qp)
{
	rxt_count_qp(qp, remote_access_errors);
	return RXT_BAD_ACCESS;
}

/**
 * rxt_rx_bad_request - no such request
 * @qp: responder
 *
 * Context: any. Return: the verdict.
 */
enum rxt_verdict rxt_rx_bad_request(struct rxt_qp *qp)
{
	rxt_count_qp(qp, remote_invalid_requests);
	return RXT_BAD_REQUEST;
}

/**
 * rxt_rx_region - the region that a READ or WRITE is about
 * @qp: responder
 * @hdr: the request
 * @right: IB_ACCESS_REMOTE_READ or IB_ACCESS_REMOTE_WRITE
 * @mr: result, with a reference that the caller drops; NULL for zero bytes
 *
 * Context: any. Return: RXT_OK; RXT_DROP: the QP does not receive now; a refusal.
 */
enum rxt_verdict rxt_rx_region(struct rxt_qp *qp, const struct rxt_hdr *hdr, int right,
			       struct rxt_mr **mr)
{
	*mr = NULL;
	if (!rxt_qp_may(qp, RXT_MAY_RECEIVE))
		return RXT_DROP;
	if (hdr->length > RXT_MAX_MSG)
		return rxt_rx_bad_request(qp);
	/* IBTA 9.7.4.1.3: an operation that the QP does not offer. */
	if (!(qp->access & right))
		return rxt_rx_bad_request(qp);
	/* IBTA 9.7.4.1.4.2: the key is not checked for zero bytes. */
	if (!hdr->length)
		return RXT_OK;
	*mr = rxt_mr_find_remote(qp, hdr->rkey, hdr->raddr, hdr->length, right);
	return *mr ? RXT_OK : rxt_rx_bad_access(qp);
}
