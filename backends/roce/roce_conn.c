// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: life of a connection: attributes, start, stop.
 *
 * There is no set-up on the wire: who knows the peer's address, QP number and PSN
 * is connected.
 */
#include <linux/slab.h>
#include <net/dst.h>
#include "roce.h"

struct rxt_conn *roce_conn_alloc(struct rxt_dev *dev, enum ib_qp_type type)
{
	struct roce_conn *rc = kzalloc(sizeof(*rc), GFP_KERNEL);

	BUILD_BUG_ON(sizeof_field(struct rxt_msg, be) < 3 * sizeof(u64));
	if (!rc)
		return ERR_PTR(-ENOMEM);
	rc->link = rxt_dev_priv(dev);
	spin_lock_init(&rc->lock);
	roce_timer_init(rc);
	return &rc->conn;
}

void roce_conn_free(struct rxt_conn *conn)
{
	struct roce_conn *rc = to_roce(conn);

	roce_window_free(&rc->req.w);
	roce_replay_free(&rc->resp.replay);
	kfree(rc);
}

static bool connected(const struct roce_conn *rc)
{
	return rc->conn.type == IB_QPT_RC || rc->conn.type == IB_QPT_UC;
}

/* Where to, and does a packet of the path's MTU get through the first link? */
static int set_path(struct roce_conn *rc, const struct rxt_qp_attr *attr)
{
	int err;

	rc->dest_qpn = attr->dest_qpn;
	rc->mtu_shift = ilog2(ib_mtu_enum_to_int(attr->path_mtu));
	roce_path_ends(&rc->ends, &attr->path);
	err = roce_route_set(rc, &attr->path, attr->dest_qpn);
	if (err)
		return err;
	/* No route yet is the timer's matter. */
	if (!roce_route_get(rc) &&
	    dst_mtu(rc->tx.route.dst) < roce_mtu(rc) + ROCE_OVERHEAD)
		err = -EMSGSIZE;
	roce_route_drop(rc);
	return err;
}

static void set_timer(struct roce_conn *rc, const struct rxt_qp_attr *attr)
{
	spin_lock_bh(&rc->lock);
	rc->timer.timeout = attr->timeout;
	rc->timer.retry_cnt = attr->retry_cnt;
	spin_unlock_bh(&rc->lock);
}

/* INIT to RTR: receive. */
static int start_receive(struct roce_conn *rc, const struct rxt_qp_attr *attr)
{
	int err;

	if (connected(rc)) {
		err = set_path(rc, attr);
		if (err)
			return err;
	}
	roce_resp_reset(rc);
	if (rc->conn.type == IB_QPT_RC) {
		err = roce_replay_init(&rc->resp.replay,
				       attr->max_dest_rd_atomic);
		if (err)
			return err;
	}
	rc->tx.pack.next_ip_id = get_random_u32();
	spin_lock_bh(&rc->lock);
	rc->resp.psn = attr->rq_psn;
	rc->open = true;
	spin_unlock_bh(&rc->lock);
	if (rc->conn.type == IB_QPT_GSI)
		rcu_assign_pointer(rc->link->gsi, rc);
	return 0;
}

/* RTR to RTS: send. */
static int start_send(struct roce_conn *rc, const struct rxt_qp_attr *attr)
{
	struct roce_window w = {};
	int err;

	if (rc->conn.type == IB_QPT_RC) {
		err = roce_window_init(&w, attr->sq_psn);
		if (err)
			return err;
	}
	spin_lock_bh(&rc->lock);
	swap(rc->req.w, w);
	rc->tx.psn = attr->sq_psn;
	roce_cwnd_init(&rc->req.cwnd, rc->mtu_shift);
	rc->req.ready = true;
	spin_unlock_bh(&rc->lock);
	roce_window_free(&w);
	/* The engine may have been here before the PSNs were. */
	rxt_tx_ready(&rc->conn, RXT_TX_DEFER);
	return 0;
}

int roce_conn_modify(struct rxt_conn *conn, const struct rxt_qp_attr *attr, int mask)
{
	struct roce_conn *rc = to_roce(conn);

	set_timer(rc, attr);
	if (!(mask & IB_QP_STATE))
		return 0;
	if (attr->state == IB_QPS_RTR && !rc->open)
		return start_receive(rc, attr);
	if (attr->state == IB_QPS_RTS && !rc->req.ready)
		return start_send(rc, attr);
	return 0;
}

static void forget(struct roce_conn *rc)
{
	struct roce_window w = rc->req.w;

	roce_window_free(&w);
	memset(&rc->req, 0, sizeof(rc->req));
	roce_replay_free(&rc->resp.replay);
	roce_resp_reset(rc);
	rc->timer.waiting = false;
	rc->timer.stalled = false;
	rc->timer.lost = false;
	rc->timer.tries = 0;
	rc->timer.stalls = 0;
	rc->kick = false;
	roce_pack_free(&rc->tx.pack);
	roce_route_drop(rc);
	memset(&rc->tx, 0, sizeof(rc->tx));
}

void roce_conn_stop(struct rxt_conn *conn)
{
	struct roce_conn *rc = to_roce(conn);
	bool was_open;

	if (conn->type == IB_QPT_GSI) {
		RCU_INIT_POINTER(rc->link->gsi, NULL);
		synchronize_net();
	}
	if (conn->type == IB_QPT_RC && rc->open)
		roce_tx_answers(rc, true);

	/* No up-call from packets, no new timer, from here on. */
	spin_lock_bh(&rc->lock);
	was_open = rc->open;
	rc->open = false;
	spin_unlock_bh(&rc->lock);
	del_timer_sync(&rc->timer.t);
	if (was_open)
		forget(rc);
}

void roce_conn_query(struct rxt_conn *conn, struct rxt_conn_info *info)
{
	struct roce_conn *rc = to_roce(conn);

	spin_lock_bh(&rc->lock);
	info->established = rc->open;
	if (rc->req.ready)
		info->unacked = rc->req.w.next_id - rc->req.w.una_id;
	if (!connected(rc))
		snprintf(info->desc, sizeof(info->desc), "datagrams");
	else if (rc->ends.v6)
		snprintf(info->desc, sizeof(info->desc), "%pI6c qp 0x%06x",
			 &rc->ends.dst6, rc->dest_qpn);
	else
		snprintf(info->desc, sizeof(info->desc), "%pI4 qp 0x%06x",
			 &rc->ends.dst4, rc->dest_qpn);
	spin_unlock_bh(&rc->lock);
}
