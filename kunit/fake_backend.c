// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: a backend that does as a script says and remembers what it was asked.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include "fake_backend.h"

static DEFINE_SPINLOCK(fake_lock);	/* guards fake_conns */
static LIST_HEAD(fake_conns);

static struct fake_conn *to_fake(const struct rxt_conn *conn)
{
	return container_of(conn, struct fake_conn, conn);
}

static void fake_check(struct fake_conn *fc, bool good, const char *what)
{
	if (!good && !fc->broken)
		fc->broken = what;
}

static void fake_xmit_begin(struct rxt_conn *conn, bool inline_bh)
{
	struct fake_conn *fc = to_fake(conn);

	spin_lock_bh(&fc->lock);
	fake_check(fc, !fc->open, "batch inside of a batch");
	fc->open = true;
	fc->inline_bh = inline_bh;
	fc->batches++;
	spin_unlock_bh(&fc->lock);
	if (fc->begin_hook)
		fc->begin_hook(fc);
}

static void fake_xmit_end(struct rxt_conn *conn)
{
	struct fake_conn *fc = to_fake(conn);

	spin_lock_bh(&fc->lock);
	fake_check(fc, fc->open, "end without a batch");
	fc->open = false;
	spin_unlock_bh(&fc->lock);
}

/* The script's next step; its end means DONE. */
static struct fake_step fake_next(struct fake_conn *fc, const struct rxt_msg *msg)
{
	struct fake_step step = { RXT_TX_DONE, 0 };

	lockdep_assert_held(&fc->lock);
	if (fc->calls < FAKE_CALLS) {
		fc->call[fc->calls++] = (struct fake_call) {
			.op = msg->op, .id = msg->id, .tx_off = msg->tx_off,
			.length = msg->length, .cookie = msg->cookie,
			.inline_bh = fc->inline_bh,
		};
	}
	if (fc->steps) {
		step = *fc->script++;
		fc->steps--;
	}
	if (step.ret == RXT_TX_DONE)
		step.take = msg->length - msg->tx_off;
	return step;
}

static int fake_xmit(struct rxt_conn *conn, struct rxt_msg *msg)
{
	struct fake_conn *fc = to_fake(conn);
	struct fake_step step;

	spin_lock_bh(&fc->lock);
	fake_check(fc, fc->open, "xmit without a batch");
	fake_check(fc, !fc->inside, "xmit inside of xmit");
	fake_check(fc, !fc->stops || fc->state == IB_QPS_RTS, "xmit after stop");
	fc->inside = true;
	step = fake_next(fc, msg);
	spin_unlock_bh(&fc->lock);

	if (fc->hook)
		fc->hook(fc, fc->calls);
	if (rxt_msg_enter(msg))
		step.ret = -EFAULT;
	else
		rxt_msg_exit(msg);
	if (step.ret >= 0)
		msg->tx_off += step.take;

	spin_lock_bh(&fc->lock);
	fc->inside = false;
	spin_unlock_bh(&fc->lock);
	return step.ret;
}

static struct rxt_conn *fake_conn_alloc(struct rxt_dev *dev, enum ib_qp_type type)
{
	struct fake_conn *fc = kzalloc(sizeof(*fc), GFP_KERNEL);

	if (!fc)
		return ERR_PTR(-ENOMEM);
	fc->call = kvcalloc(FAKE_CALLS, sizeof(*fc->call), GFP_KERNEL);
	if (!fc->call) {
		kfree(fc);
		return ERR_PTR(-ENOMEM);
	}
	spin_lock_init(&fc->lock);
	spin_lock_bh(&fake_lock);
	list_add(&fc->node, &fake_conns);
	spin_unlock_bh(&fake_lock);
	return &fc->conn;
}

static int fake_conn_modify(struct rxt_conn *conn, const struct rxt_qp_attr *attr, int mask)
{
	struct fake_conn *fc = to_fake(conn);

	fc->mask |= mask;
	if (mask & IB_QP_STATE)
		fc->state = attr->state;
	return 0;
}

static void fake_conn_stop(struct rxt_conn *conn)
{
	struct fake_conn *fc = to_fake(conn);

	spin_lock_bh(&fc->lock);
	fake_check(fc, !fc->open, "stop inside of a batch");
	fc->stops++;
	fc->state = IB_QPS_RESET;
	spin_unlock_bh(&fc->lock);
}

static void fake_conn_free(struct rxt_conn *conn)
{
	struct fake_conn *fc = to_fake(conn);

	spin_lock_bh(&fake_lock);
	list_del(&fc->node);
	spin_unlock_bh(&fake_lock);
	kvfree(fc->call);
	kfree(fc);
}

static int fake_dev_attach(struct rxt_dev *dev)
{
	return 0;
}

static void fake_dev_detach(struct rxt_dev *dev)
{
}

static struct rxt_backend fake_backend = {
	.xmit		= fake_xmit,
	.xmit_begin	= fake_xmit_begin,
	.xmit_end	= fake_xmit_end,
	.conn_alloc	= fake_conn_alloc,
	.conn_modify	= fake_conn_modify,
	.conn_stop	= fake_conn_stop,
	.conn_free	= fake_conn_free,
	.dev_attach	= fake_dev_attach,
	.dev_detach	= fake_dev_detach,
	.name		= "fake",
	.owner		= THIS_MODULE,
	.caps		= RXT_CAP_RC | RXT_CAP_UC | RXT_CAP_XMIT_BH,
	.max_mtu	= IB_MTU_4096,
};

int fake_register(void)
{
	return rxt_backend_register(&fake_backend);
}

void fake_unregister(void)
{
	rxt_backend_unregister(&fake_backend);
	WARN_ON(!list_empty(&fake_conns));
}

/* The test owns the QP: it stays as long as the test wants. */
struct fake_conn *fake_find(u32 qpn)
{
	struct fake_conn *fc, *found = NULL;

	spin_lock_bh(&fake_lock);
	list_for_each_entry(fc, &fake_conns, node)
		if (fc->conn.qpn == qpn)
			found = fc;
	spin_unlock_bh(&fake_lock);
	return found;
}

void fake_script(struct fake_conn *fc, const struct fake_step *script, unsigned int steps)
{
	spin_lock_bh(&fc->lock);
	fc->script = script;
	fc->steps = steps;
	spin_unlock_bh(&fc->lock);
}

bool fake_wait(struct fake_conn *fc, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		if (READ_ONCE(fc->calls) >= n && !READ_ONCE(fc->open))
			return true;
		usleep_range(500, 1500);
	}
	return false;
}

bool fake_quiet(struct fake_conn *fc, unsigned int n)
{
	msleep(30);
	return READ_ONCE(fc->calls) == n;
}

void fake_ready_inline(struct fake_conn *fc)
{
	local_bh_disable();
	rxt_tx_ready(&fc->conn, RXT_TX_INLINE);
	local_bh_enable();
}
