// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast: who has attached to a group gets each datagram once and whole, on the
 * sender's device as well; nobody else gets any, and nobody after he has detached.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "verbs_util.h"

#define GRH	40
#define QKEY	0x11223344
#define QPS	3u	/* of each device */
#define NUM	100u	/* datagrams a round */
#define SLOT	1088u
#define MCAST_QPN 0xffffff

static struct vu_dev dev[2];
static struct vu_buf in[2], out;

struct ud {
	struct vu_dev	*dev;
	struct vu_buf	*buf;
	u32		base;
	struct ibv_cq	*cq;
	struct ibv_qp	*qp;
	u32		got;
	bool		twice;
};

static struct ud ud[2 * QPS], sender;
static struct vu_rng rng;

static void ud_open(struct ud *u, struct vu_dev *d, struct vu_buf *buf, u32 base,
		    u32 qkey)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 32, .max_recv_wr = 2 * NUM,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp_attr at = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = qkey,
	};

	memset(u, 0, sizeof(*u));
	u->dev = d;
	u->buf = buf;
	u->base = base;
	u->cq = ibv_create_cq(d->ctx, 4 * NUM, NULL, NULL, 0);
	init.send_cq = u->cq;
	init.recv_cq = u->cq;
	u->qp = u->cq ? ibv_create_qp(d->pd, &init) : NULL;
	if (!u->qp)
		vu_die("create_qp");
	if (ibv_modify_qp(u->qp, &at, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			  IBV_QP_PORT | IBV_QP_QKEY))
		vu_die("INIT");
	at.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(u->qp, &at, IBV_QP_STATE))
		vu_die("RTR");
	at.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(u->qp, &at, IBV_QP_STATE | IBV_QP_SQ_PSN))
		vu_die("RTS");
}

static void ud_close(struct ud *u)
{
	if (ibv_destroy_qp(u->qp) || ibv_destroy_cq(u->cq))
		vu_die("destroy");
}

static void ud_recvs(struct ud *u)
{
	u32 i;

	for (i = 0; i < NUM; i++) {
		struct ibv_sge sge = vu_sge(u->buf, (u->base + i) * SLOT, SLOT);
		struct ibv_recv_wr *bad, wr = {
			.wr_id = u->base + i, .sg_list = &sge, .num_sge = 1,
		};

		if (ibv_post_recv(u->qp, &wr, &bad))
			vu_die("post_recv");
	}
}

/* Message @n: its number, then what follows from it. */
static u32 message(u32 n, u8 *p)
{
	u32 i, len = 4 + (n * 37) % 1000;

	memcpy(p, &n, 4);
	for (i = 4; i < len; i++)
		p[i] = n + i * 7;
	return len;
}

static void check(struct ud *u, const struct ibv_wc *wc, u32 first,
		  const union ibv_gid *group)
{
	const u8 *p = u->buf->p + wc->wr_id * SLOT;
	static u8 want[SLOT];
	u32 n, len;

	if (wc->status || !(wc->wc_flags & IBV_WC_GRH) ||
	    wc->src_qp != sender.qp->qp_num || wc->byte_len < GRH + 4)
		vu_die("a receive that is wrong: %s, flags %#x, from %#x, %u bytes",
		       ibv_wc_status_str(wc->status), wc->wc_flags, wc->src_qp,
		       wc->byte_len);
	memcpy(&n, p + GRH, 4);
	len = message(n, want);
	if (n - first >= NUM || wc->byte_len != GRH + len ||
	    memcmp(p + GRH, want, len))
		vu_die("datagram %u, %u bytes: not what was sent", n, wc->byte_len);
	/* IPv4: the header is in the last 20 bytes. */
	if (memcmp(p + 24 + (group->raw[0] ? 0 : 12),
		   group->raw + (group->raw[0] ? 0 : 12), group->raw[0] ? 16 : 4))
		vu_die("the header in front of it names another group");
	if (n - first != u->got)
		u->twice = true;
	u->got++;
}

static void send_all(struct ibv_ah *ah, u32 first)
{
	struct ibv_wc wc;
	u32 i;

	for (i = 0; i < NUM; i++) {
		u32 len = message(first + i, out.p + (i % 16) * SLOT);
		struct ibv_sge sge = vu_sge(&out, (i % 16) * SLOT, len);
		struct ibv_send_wr *bad, wr = {
			.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
			.sg_list = &sge, .num_sge = 1,
			.wr.ud = { .ah = ah, .remote_qpn = MCAST_QPN,
				   .remote_qkey = QKEY },
		};

		if (ibv_post_send(sender.qp, &wr, &bad))
			vu_die("post_send");
		if (!vu_poll(sender.cq, &wc, 5000) || wc.status)
			vu_die("send %u: %s", i, ibv_wc_status_str(wc.status));
	}
}

/* One round: @expect says who has to get all of it; the others nothing. */
static void round_of(const char *what, struct ibv_ah *ah, u32 first,
		     const union ibv_gid *group, const bool *expect)
{
	u64 end = vu_now_us() + 5000000;
	bool good = true, all = false;
	struct ibv_wc wc;
	u32 i;

	for (i = 0; i < 2 * QPS; i++) {
		ud[i].got = 0;
		ud[i].twice = false;
	}
	send_all(ah, first);
	while (!all && vu_now_us() < end) {
		all = true;
		for (i = 0; i < 2 * QPS; i++) {
			while (ibv_poll_cq(ud[i].cq, 1, &wc) > 0)
				check(&ud[i], &wc, first, group);
			all &= !expect[i] || ud[i].got >= NUM;
		}
	}
	/* What must not come would have been there by now, nearly. */
	for (i = 0; i < 2 * QPS; i++) {
		while (vu_poll(ud[i].cq, &wc, 20))
			check(&ud[i], &wc, first, group);
		if (ud[i].got == (expect[i] ? NUM : 0) && !ud[i].twice)
			continue;
		good = false;
		vu_note("QP %u of device %u got %u, want %u", i % QPS, i / QPS,
			ud[i].got, expect[i] ? NUM : 0);
	}
	vu_point(good, "%s", what);
}

static struct ibv_ah *group_ah(const union ibv_gid *group)
{
	struct ibv_ah_attr at = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = *group, .sgid_index = dev[0].gid_idx, .hop_limit = 2 },
	};
	struct ibv_ah *ah = ibv_create_ah(dev[0].pd, &at);

	if (!ah)
		vu_die("create_ah of a group");
	return ah;
}

/* Does the netdev of device 1 listen to the group? */
static bool netdev_hears(const char *cmd, const char *text)
{
	char line[256];
	bool found = false;
	FILE *f = popen(cmd, "r");

	while (f && fgets(line, sizeof(line), f))
		found |= !!strstr(line, text);
	if (f)
		pclose(f);
	return found;
}

int main(int argc, char **argv)
{
	bool expect[2 * QPS] = { };
	union ibv_gid group, other;
	struct ibv_ah *ah;
	int family;
	u32 i;

	if (argc != 6 || !inet_pton(AF_INET6, argv[4], group.raw)) {
		fprintf(stderr, "usage: verbs_mcast 4|6 DEV-A DEV-B GROUP COMMAND\n"
			"COMMAND prints the groups of the netdev of DEV-B\n");
		return 2;
	}
	family = atoi(argv[1]);
	vu_watchdog(120);
	vu_seed(&rng, 1);
	for (i = 0; i < 2; i++) {
		vu_open(&dev[i], argv[2 + i], family);
		vu_buf_alloc(&in[i], &dev[i], QPS * NUM * SLOT, IBV_ACCESS_LOCAL_WRITE);
	}
	vu_buf_alloc(&out, &dev[0], 16 * SLOT, IBV_ACCESS_LOCAL_WRITE);
	other = group;
	other.raw[15]++;
	for (i = 0; i < 2 * QPS; i++)
		ud_open(&ud[i], &dev[i / QPS], &in[i / QPS], i % QPS * NUM, QKEY);
	ud_open(&sender, &dev[0], &in[0], 0, QKEY);
	for (i = 0; i < 2 * QPS; i++)
		ud_recvs(&ud[i]);
	ah = group_ah(&group);

	vu_point(!netdev_hears(argv[5], strchr(argv[4], '.') ? argv[4] + 7 : argv[4]),
		 "the netdev is in no group");
	round_of("nobody is in the group", ah, 0, &group, expect);
	/* One on the sender's device, two on the other; the rest is in another group. */
	for (i = 0; i < 2 * QPS; i++) {
		expect[i] = i == 0 || i == 3 || i == 4;
		if (ibv_attach_mcast(ud[i].qp, expect[i] ? &group : &other, 0))
			vu_die("attach_mcast");
	}
	vu_point(netdev_hears(argv[5], strchr(argv[4], '.') ? argv[4] + 7 : argv[4]),
		 "the netdev is in the group");
	round_of("members get all, others nothing", ah, 1000, &group, expect);
	for (i = 0; i < 2 * QPS; i++)
		if (expect[i])
			ud_recvs(&ud[i]);
	if (ibv_detach_mcast(ud[3].qp, &group, 0))
		vu_die("detach_mcast");
	vu_point(ibv_detach_mcast(ud[3].qp, &group, 0) != 0, "one cannot leave twice");
	expect[3] = false;
	round_of("who has left gets nothing", ah, 2000, &group, expect);
	vu_point(ibv_destroy_qp(ud[4].qp) != 0, "a QP that is in a group is not destroyed");
	for (i = 0; i < 2 * QPS; i++)
		if (i != 3 && ibv_detach_mcast(ud[i].qp, i == 0 || i == 4 ? &group : &other, 0))
			vu_die("detach_mcast");
	vu_point(!netdev_hears(argv[5], strchr(argv[4], '.') ? argv[4] + 7 : argv[4]),
		 "the netdev is in no group any more");
	if (ibv_destroy_ah(ah))
		vu_die("destroy_ah");
	for (i = 0; i < 2 * QPS; i++)
		ud_close(&ud[i]);
	ud_close(&sender);
	vu_buf_free(&out);
	for (i = 0; i < 2; i++) {
		vu_buf_free(&in[i]);
		vu_close(&dev[i]);
	}
	return vu_exit_status();
}
