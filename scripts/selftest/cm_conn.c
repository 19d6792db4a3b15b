// SPDX-License-Identifier: GPL-2.0
/*
 * Connections through the connection manager, one after the other: on each a message
 * goes and comes back.
 *	cm_conn [-u] [-n COUNT] ADDRESS		waits for the other one
 *	cm_conn [-u] [-n COUNT] -c ADDRESS	connects
 * -u: unreliable connections (UC). Both end with status 0 when all bytes were right.
 */
#define _GNU_SOURCE
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "verbs_util.h"

#define LEN	10000u
#define SERVICE	"7471"

static unsigned char out[LEN], in[LEN];
static bool unreliable;

static struct ibv_qp_init_attr qp_attr = {
	.cap = { .max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1,
		 .max_recv_sge = 1 },
	.sq_sig_all = 1,
};

static struct rdma_cm_id *endpoint(const char *addr, bool passive)
{
	struct rdma_addrinfo hints = {
		.ai_flags	= passive ? RAI_PASSIVE : 0,
		.ai_qp_type	= unreliable ? IBV_QPT_UC : IBV_QPT_RC,
		.ai_port_space	= unreliable ? RDMA_PS_IB : RDMA_PS_TCP,
	}, *res;
	struct ibv_qp_init_attr attr = qp_attr;
	struct rdma_cm_id *id;

	attr.qp_type = hints.ai_qp_type;
	if (rdma_getaddrinfo(addr, SERVICE, &hints, &res))
		vu_die("rdma_getaddrinfo");
	if (rdma_create_ep(&id, res, NULL, &attr))
		vu_die("rdma_create_ep");
	rdma_freeaddrinfo(res);
	return id;
}

static struct ibv_mr *prepare(struct rdma_cm_id *id)
{
	struct ibv_mr *mr = rdma_reg_msgs(id, in, LEN);

	memset(in, 0, LEN);
	if (!mr || rdma_post_recv(id, NULL, in, LEN, mr))
		vu_die("post_recv");
	if (id->qp->qp_type != (unreliable ? IBV_QPT_UC : IBV_QPT_RC))
		vu_die("not the queue pair that was asked for");
	return mr;
}

static void send_out(struct rdma_cm_id *id)
{
	struct ibv_mr *mr = rdma_reg_msgs(id, out, LEN);
	struct ibv_wc wc;

	if (!mr || rdma_post_send(id, NULL, out, LEN, mr, IBV_SEND_SIGNALED))
		vu_die("post_send");
	if (rdma_get_send_comp(id, &wc) != 1 || wc.status)
		vu_die("send completion");
	rdma_dereg_mr(mr);
}

static void take_in(struct rdma_cm_id *id)
{
	struct ibv_wc wc;

	if (rdma_get_recv_comp(id, &wc) != 1 || wc.status || wc.byte_len != LEN)
		vu_die("receive completion");
}

static void wait_for_end(struct rdma_cm_id *id)
{
	enum rdma_cm_event_type type;
	struct rdma_cm_event *ev;

	do {
		if (rdma_get_cm_event(id->channel, &ev))
			vu_die("rdma_get_cm_event");
		type = ev->event;
		rdma_ack_cm_event(ev);
	} while (type != RDMA_CM_EVENT_DISCONNECTED);
}

static void call(const char *addr, unsigned int seed)
{
	struct rdma_cm_id *id = endpoint(addr, false);
	struct ibv_mr *mr = prepare(id);
	unsigned int i;

	for (i = 0; i < LEN; i++)
		out[i] = i * 7 + (i >> 8) + seed;
	if (rdma_connect(id, NULL))
		vu_die("rdma_connect");
	send_out(id);
	take_in(id);
	if (memcmp(in, out, LEN))
		vu_die("the message came back wrong");
	rdma_disconnect(id);
	rdma_dereg_mr(mr);
	rdma_destroy_ep(id);
}

static void answer(struct rdma_cm_id *listener)
{
	struct rdma_cm_id *id;
	struct ibv_mr *mr;

	if (rdma_get_request(listener, &id))
		vu_die("rdma_get_request");
	mr = prepare(id);
	if (rdma_accept(id, NULL))
		vu_die("rdma_accept");
	take_in(id);
	memcpy(out, in, LEN);
	send_out(id);
	/* UC: nobody says that the last message has arrived. The client ends first. */
	wait_for_end(id);
	rdma_disconnect(id);
	rdma_dereg_mr(mr);
	rdma_destroy_ep(id);
}

int main(int argc, char **argv)
{
	unsigned int count = 1, i;
	struct rdma_cm_id *listener;
	bool client = false;
	int c;

	while ((c = getopt(argc, argv, "ucn:")) != -1) {
		if (c == 'u')
			unreliable = true;
		else if (c == 'c')
			client = true;
		else if (c == 'n')
			count = atoi(optarg);
		else
			return 2;
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: cm_conn [-u] [-n COUNT] [-c] ADDRESS\n");
		return 2;
	}
	if (client) {
		for (i = 0; i < count; i++)
			call(argv[optind], i);
		return 0;
	}
	listener = endpoint(argv[optind], true);
	if (rdma_listen(listener, 16))
		vu_die("rdma_listen");
	for (i = 0; i < count; i++)
		answer(listener);
	rdma_destroy_ep(listener);
	return 0;
}
