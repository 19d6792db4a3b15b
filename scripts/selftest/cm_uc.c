// SPDX-License-Identifier: GPL-2.0
/*
 * An unreliable connection (UC) through the connection manager.
 *	cm_uc ADDRESS		waits for the other one
 *	cm_uc -c ADDRESS	connects, sends one message, gets it back
 * Both end with status 0 when all bytes were right.
 */
#define _GNU_SOURCE
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "verbs_util.h"

#define LEN	10000u
#define SERVICE	"7471"

static unsigned char out[LEN], in[LEN];

static struct rdma_cm_id *endpoint(const char *addr, int passive,
				   struct ibv_qp_init_attr *qp)
{
	struct rdma_addrinfo hints = {
		.ai_flags	= passive ? RAI_PASSIVE : 0,
		.ai_qp_type	= IBV_QPT_UC,
		.ai_port_space	= RDMA_PS_IB,
	}, *res;
	struct rdma_cm_id *id;

	if (rdma_getaddrinfo(addr, SERVICE, &hints, &res))
		vu_die("rdma_getaddrinfo");
	if (rdma_create_ep(&id, res, NULL, qp))
		vu_die("rdma_create_ep");
	rdma_freeaddrinfo(res);
	return id;
}

static struct ibv_mr *prepare(struct rdma_cm_id *id)
{
	struct ibv_mr *mr = rdma_reg_msgs(id, in, LEN);

	if (!mr || rdma_post_recv(id, NULL, in, LEN, mr))
		vu_die("post_recv");
	if (id->qp->qp_type != IBV_QPT_UC)
		vu_die("not an UC queue pair");
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

int main(int argc, char **argv)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UC,
		.sq_sig_all = 1,
	};
	int client = argc == 3 && !strcmp(argv[1], "-c");
	struct rdma_cm_id *id, *listener = NULL;
	struct ibv_mr *mr;
	unsigned int i;

	if (argc != 2 && !client) {
		fprintf(stderr, "usage: cm_uc [-c] ADDRESS\n");
		return 2;
	}
	for (i = 0; client && i < LEN; i++)
		out[i] = i * 7 + (i >> 8);
	if (client) {
		id = endpoint(argv[2], 0, &attr);
		mr = prepare(id);
		if (rdma_connect(id, NULL))
			vu_die("rdma_connect");
		send_out(id);
		take_in(id);
		if (memcmp(in, out, LEN))
			vu_die("the message came back wrong");
	} else {
		listener = endpoint(argv[1], 1, &attr);
		if (rdma_listen(listener, 1) || rdma_get_request(listener, &id))
			vu_die("rdma_get_request");
		mr = prepare(id);
		if (rdma_accept(id, NULL))
			vu_die("rdma_accept");
		take_in(id);
		memcpy(out, in, LEN);
		send_out(id);
	}
	/* UC: nobody says that the last message has arrived. The client ends first. */
	if (!client)
		wait_for_end(id);
	rdma_disconnect(id);
	rdma_dereg_mr(mr);
	rdma_destroy_ep(id);
	if (listener)
		rdma_destroy_ep(listener);
	return 0;
}
