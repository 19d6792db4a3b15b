// SPDX-License-Identifier: GPL-2.0
/*
 * Shared by the C programs of the self tests; see verbs_util.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include "verbs_util.h"

static int failed_points;

void vu_point(bool ok, const char *fmt, ...)
{
	va_list ap;

	printf("%sok - ", ok ? "" : "not ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	if (!ok)
		failed_points++;
}

void vu_skip(const char *name, const char *why)
{
	printf("ok - %s # SKIP %s\n", name, why);
	fflush(stdout);
}

void vu_note(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

void vu_die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(" (errno: %s)\n", strerror(err));
	fflush(stdout);
	exit(1);
}

int vu_exit_status(void)
{
	return failed_points ? 1 : 0;
}

u64 vu_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ull + ts.tv_nsec / 1000;
}

static void watchdog_fired(int sig)
{
	static const char msg[] = "# watchdog: the program hangs\n";

	(void)sig;
	if (write(STDOUT_FILENO, msg, sizeof(msg) - 1) < 0)
		_exit(2);
	_exit(1);
}

void vu_watchdog(unsigned int seconds)
{
	signal(SIGALRM, watchdog_fired);
	alarm(seconds);
}

void vu_seed(struct vu_rng *r, u64 seed)
{
	r->s = seed * 0x9e3779b97f4a7c15ull + 1;
	if (!r->s)
		r->s = 1;
}

u64 vu_rand(struct vu_rng *r)
{
	r->s ^= r->s >> 12;
	r->s ^= r->s << 25;
	r->s ^= r->s >> 27;
	return r->s * 0x2545f4914f6cdd1dull;
}

u32 vu_below(struct vu_rng *r, u32 n)
{
	return (vu_rand(r) >> 32) % n;
}

void vu_fill(struct vu_rng *r, void *p, size_t len)
{
	u8 *c = p;
	u64 v;

	for (; len >= sizeof(v); len -= sizeof(v), c += sizeof(v)) {
		v = vu_rand(r);
		memcpy(c, &v, sizeof(v));
	}
	v = vu_rand(r);
	memcpy(c, &v, len);
}

void vu_enter_netns(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		vu_die("open %s", path);
	if (setns(fd, CLONE_NEWNET))
		vu_die("setns %s", name);
	close(fd);
	/* sysfs shows the namespace that it was mounted in. */
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) ||
	    umount2("/sys", MNT_DETACH) ||
	    mount(name, "/sys", "sysfs", 0, NULL))
		vu_die("mount /sys in %s", name);
}

static bool gid_fits(const struct ibv_gid_entry *e, int family)
{
	static const u8 v4[12] = { [10] = 0xff, [11] = 0xff };
	bool is_v4 = !memcmp(e->gid.raw, v4, sizeof(v4));
	bool link_local = e->gid.raw[0] == 0xfe && (e->gid.raw[1] & 0xc0) == 0x80;

	if (e->gid_type != IBV_GID_TYPE_ROCE_V2 || link_local)
		return false;
	return family == 4 ? is_v4 : !is_v4;
}

static bool find_gid(struct vu_dev *dev, int family)
{
	struct ibv_gid_entry tab[64];
	ssize_t n, i;

	n = ibv_query_gid_table(dev->ctx, tab, VU_ARRAY_SIZE(tab), 0);
	for (i = 0; i < n; i++) {
		if (!gid_fits(&tab[i], family))
			continue;
		dev->gid = tab[i].gid;
		dev->gid_idx = tab[i].gid_index;
		return true;
	}
	return false;
}

static struct ibv_context *open_by_name(const char *name)
{
	struct ibv_context *ctx = NULL;
	struct ibv_device **list;
	int i, n;

	list = ibv_get_device_list(&n);
	for (i = 0; list && i < n; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name))
			continue;
		ctx = ibv_open_device(list[i]);
		break;
	}
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

void vu_open(struct vu_dev *dev, const char *spec, int family)
{
	const char *at = strchr(spec, '@');
	int home = -1;
	char ns[64];

	memset(dev, 0, sizeof(*dev));
	if (at) {
		home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
		snprintf(ns, sizeof(ns), "%.*s", (int)(at - spec), spec);
		vu_enter_netns(ns);
		spec = at + 1;
	}
	snprintf(dev->name, sizeof(dev->name), "%s", spec);
	dev->ctx = open_by_name(spec);
	if (!dev->ctx)
		vu_die("cannot open device %s", spec);
	/* To stay would keep the namespace alive. */
	if (home >= 0) {
		if (setns(home, CLONE_NEWNET))
			vu_die("setns back");
		close(home);
	}
	if (ibv_query_device(dev->ctx, &dev->attr) ||
	    ibv_query_port(dev->ctx, 1, &dev->port))
		vu_die("query of %s", spec);
	if (family ? !find_gid(dev, family) :
	    !find_gid(dev, 4) && !find_gid(dev, 6))
		vu_die("%s has no GID of family %d", spec, family);
	dev->pd = ibv_alloc_pd(dev->ctx);
	if (!dev->pd)
		vu_die("alloc_pd on %s", spec);
}

void vu_close(struct vu_dev *dev)
{
	if (ibv_dealloc_pd(dev->pd) || ibv_close_device(dev->ctx))
		vu_die("close of %s", dev->name);
}

void vu_cfg_default(struct vu_cfg *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	cfg->send_wr = 64;
	cfg->recv_wr = 64;
	cfg->send_sge = 4;
	cfg->recv_sge = 4;
	cfg->access = VU_ALL_ACCESS;
	cfg->timeout = 18;
	cfg->retry = 7;
	cfg->rnr_retry = 7;
	cfg->min_rnr = 12;
	cfg->rd_atomic = 16;
	cfg->psn = 0xfffff0;	/* wraps early */
}

static struct ibv_qp *create_qp(struct vu_qp *q, const struct vu_cfg *cfg)
{
	struct ibv_qp_init_attr_ex at = {
		.qp_context = q,
		.send_cq = q->cq,
		.recv_cq = q->cq,
		.srq = cfg->srq,
		.cap = {
			.max_send_wr = cfg->send_wr,
			.max_recv_wr = cfg->srq ? 0 : cfg->recv_wr,
			.max_send_sge = cfg->send_sge,
			.max_recv_sge = cfg->srq ? 0 : cfg->recv_sge,
			.max_inline_data = cfg->inline_bytes,
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = cfg->sig_all,
		.pd = q->dev->pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.send_ops_flags = cfg->ex_ops,
	};

	if (cfg->ex_ops)
		at.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	return ibv_create_qp_ex(q->dev->ctx, &at);
}

void vu_qp_create(struct vu_qp *q, struct vu_dev *dev, const struct vu_cfg *cfg)
{
	memset(q, 0, sizeof(*q));
	q->dev = dev;
	q->cfg = *cfg;
	q->cq = cfg->cq;
	if (!q->cq) {
		q->cq = ibv_create_cq(dev->ctx, cfg->send_wr + cfg->recv_wr + 16,
				      NULL, NULL, 0);
		if (!q->cq)
			vu_die("create_cq on %s", dev->name);
		q->own_cq = true;
	}
	q->qp = create_qp(q, cfg);
	if (!q->qp)
		vu_die("create_qp on %s", dev->name);
}

void vu_qp_destroy(struct vu_qp *q)
{
	if (ibv_destroy_qp(q->qp))
		vu_die("destroy_qp on %s", q->dev->name);
	if (q->own_cq && ibv_destroy_cq(q->cq))
		vu_die("destroy_cq on %s", q->dev->name);
}

int vu_qp_init(struct vu_qp *q)
{
	struct ibv_qp_attr at = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = q->cfg.access,
	};

	return ibv_modify_qp(q->qp, &at, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			     IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

int vu_qp_rtr(struct vu_qp *q, u32 dest_qpn, const union ibv_gid *dgid)
{
	struct ibv_qp_attr at = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = q->cfg.mtu ? q->cfg.mtu : q->dev->port.active_mtu,
		.dest_qp_num = dest_qpn,
		.rq_psn = q->cfg.psn,
		.max_dest_rd_atomic = q->cfg.rd_atomic,
		.min_rnr_timer = q->cfg.min_rnr,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = {
				.dgid = *dgid,
				.sgid_index = q->dev->gid_idx,
				.hop_limit = 64,
			},
		},
	};

	return ibv_modify_qp(q->qp, &at, IBV_QP_STATE | IBV_QP_AV |
			     IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

int vu_qp_rts(struct vu_qp *q)
{
	struct ibv_qp_attr at = {
		.qp_state = IBV_QPS_RTS,
		.timeout = q->cfg.timeout,
		.retry_cnt = q->cfg.retry,
		.rnr_retry = q->cfg.rnr_retry,
		.sq_psn = q->cfg.psn,
		.max_rd_atomic = q->cfg.rd_atomic,
	};

	return ibv_modify_qp(q->qp, &at, IBV_QP_STATE | IBV_QP_TIMEOUT |
			     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

int vu_qp_to(struct vu_qp *q, enum ibv_qp_state state)
{
	struct ibv_qp_attr at = { .qp_state = state };

	return ibv_modify_qp(q->qp, &at, IBV_QP_STATE);
}

enum ibv_qp_state vu_qp_state(struct vu_qp *q)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr at;

	if (ibv_query_qp(q->qp, &at, IBV_QP_STATE, &init))
		return IBV_QPS_UNKNOWN;
	return at.qp_state;
}

void vu_connect(struct vu_qp *a, struct vu_qp *b)
{
	if (vu_qp_init(a) || vu_qp_init(b))
		vu_die("modify_qp INIT");
	if (vu_qp_rtr(a, b->qp->qp_num, &b->dev->gid) ||
	    vu_qp_rtr(b, a->qp->qp_num, &a->dev->gid))
		vu_die("modify_qp RTR");
	if (vu_qp_rts(a) || vu_qp_rts(b))
		vu_die("modify_qp RTS");
}

void vu_make_pair(struct vu_qp *a, struct vu_dev *da, struct vu_qp *b,
		  struct vu_dev *db, const struct vu_cfg *cfg)
{
	vu_qp_create(a, da, cfg);
	vu_qp_create(b, db, cfg);
	vu_connect(a, b);
}

void vu_buf_alloc(struct vu_buf *b, struct vu_dev *dev, size_t len, int access)
{
	b->len = len;
	b->p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b->p == MAP_FAILED)
		vu_die("mmap of %zu bytes", len);
	b->mr = ibv_reg_mr(dev->pd, b->p, len, access);
	if (!b->mr)
		vu_die("reg_mr of %zu bytes on %s", len, dev->name);
}

void vu_buf_free(struct vu_buf *b)
{
	if (ibv_dereg_mr(b->mr))
		vu_die("dereg_mr");
	munmap(b->p, b->len);
}

bool vu_poll(struct ibv_cq *cq, struct ibv_wc *wc, int ms)
{
	u64 end = vu_now_us() + ms * 1000ull;
	unsigned int spins = 0;
	int n;

	for (;;) {
		n = ibv_poll_cq(cq, 1, wc);
		if (n < 0)
			vu_die("poll_cq");
		if (n)
			return true;
		if (vu_now_us() > end)
			return false;
		/* The peer may need this CPU. */
		if (++spins > 200)
			usleep(spins > 2000 ? 1000 : 50);
		else
			sched_yield();
	}
}

bool vu_event(struct ibv_context *ctx, struct ibv_async_event *ev, int ms)
{
	struct pollfd pfd = { .fd = ctx->async_fd, .events = POLLIN };

	if (poll(&pfd, 1, ms) <= 0 || ibv_get_async_event(ctx, ev))
		return false;
	ibv_ack_async_event(ev);
	return true;
}

struct ibv_sge vu_sge(const struct vu_buf *b, size_t off, u32 len)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)b->p + off,
		.length = len,
		.lkey = b->mr->lkey,
	};
}

int vu_post_send(struct vu_qp *q, enum ibv_wr_opcode op, u64 wr_id,
		 const struct ibv_sge *sge, int num_sge, int flags,
		 u64 raddr, u32 rkey)
{
	struct ibv_send_wr *bad, wr = {
		.wr_id = wr_id,
		.sg_list = (struct ibv_sge *)sge,
		.num_sge = num_sge,
		.opcode = op,
		.send_flags = flags,
	};

	if (op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = raddr;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = raddr;
		wr.wr.rdma.rkey = rkey;
	}
	return ibv_post_send(q->qp, &wr, &bad);
}

int vu_post_recv(struct vu_qp *q, u64 wr_id, const struct ibv_sge *sge,
		 int num_sge)
{
	struct ibv_recv_wr *bad, wr = {
		.wr_id = wr_id,
		.sg_list = (struct ibv_sge *)sge,
		.num_sge = num_sge,
	};

	return ibv_post_recv(q->qp, &wr, &bad);
}
