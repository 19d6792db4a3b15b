// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: life of a link: from its netdev to a registered device, and all the
 * ways to its end.
 *
 * What lives here: the list of links, netdev and namespace events. What may not:
 * link types and the module parameter (link.c), what the port says (port.c).
 *
 * Ends of a link, which may all come at once:
 *  - `rdma link del`: ib_core unregisters;
 *  - the netdev is unregistered or leaves its namespace: the notifier queues it;
 *  - the namespace ends: link_net_exit() waits for it;
 *  - the backend goes: rxt_links_down() waits for it.
 * ib_core lets one of them through and has the others wait. When no object is left
 * it calls rxt_dealloc_driver(), which detaches from the backend and only then gives
 * the netdev back: so neither netdev nor namespace goes while the backend uses them.
 * The list's entry goes last, by a work: who waits for the list to be empty of
 * something knows that no code of this module runs for it any more.
 */
#include <linux/delay.h>
#include <linux/idr.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include "provider.h"

#define RETRY_MS	10

/* Guards the list and the flags of its entries. Inside of RTNL. */
static DEFINE_MUTEX(links_lock);
static LIST_HEAD(links);
static DEFINE_IDA(link_ids);
static struct workqueue_struct *reap_wq;

/* ---- end ---- */

/* ib_core is done with it, or nearly: unregistering once more waits for whoever
 * is still in there.
 */
static void reap_work(struct work_struct *work)
{
	struct rxt_link *link = container_of(work, struct rxt_link, reap);

	ib_unregister_device(&link->ibdev);
	mutex_lock(&links_lock);
	list_del_init(&link->node);
	mutex_unlock(&links_lock);
	put_device(&link->ibdev.dev);
}

/**
 * rxt_dealloc_driver - ib_core has no use for the device any more
 * @ibdev: unregistered, or never registered
 *
 * Context: process, sleeps.
 */
void rxt_dealloc_driver(struct ib_device *ibdev)
{
	struct rxt_link *link = to_link(ibdev);
	bool attached;

	mutex_lock(&links_lock);
	attached = link->attached;
	link->attached = false;
	link->gone = true;	/* makes room for a new one */
	mutex_unlock(&links_lock);

	if (attached)
		rxt_dev_detach(&link->dev);
	rxt_dev_exit(&link->dev);
	xa_destroy(&link->ahs);
	xa_destroy(&link->counters);
	ida_free(&link_ids, link->id);
	netdev_put(link->ndev, &link->ndev_tracker);
	queue_work(reap_wq, &link->reap);
}

/* Take down every link that @net or @be (the one not NULL) is of, and wait. */
static void links_down(const struct net *net, const struct rxt_backend *be)
{
	struct rxt_link *link, *found;

	for (;;) {
		found = NULL;
		mutex_lock(&links_lock);
		list_for_each_entry(link, &links, node) {
			if (net ? link->dev.net != net : link->dev.be != be)
				continue;
			found = link;
			found->gone = true;
			get_device(&found->ibdev.dev);
			break;
		}
		mutex_unlock(&links_lock);
		if (!found)
			return;
		ib_unregister_device(&found->ibdev);
		flush_work(&found->reap);
		/* One that is just being made ends by link_check_gone(). */
		if (!list_empty_careful(&found->node))
			msleep(RETRY_MS);
		put_device(&found->ibdev.dev);
	}
}

/**
 * rxt_links_down - take down all links of a backend
 * @be: no new links come
 *
 * Context: process, sleeps until they are gone, whoever has objects open.
 */
void rxt_links_down(const struct rxt_backend *be)
{
	links_down(NULL, be);
}

/* ---- begin ---- */

static bool link_exists(const struct rxt_backend *be,
			const struct net_device *ndev)
{
	struct rxt_link *link;

	lockdep_assert_held(&links_lock);
	list_for_each_entry(link, &links, node)
		if (link->ndev == ndev && link->dev.be == be && !link->gone)
			return true;
	return false;
}

/* From here on netdev events find the link. */
static int link_publish(struct rxt_link *link, const struct rxt_backend *be)
{
	int err = 0;

	rtnl_lock();
	mutex_lock(&links_lock);
	if (link->ndev->reg_state != NETREG_REGISTERED)
		err = -ENODEV;
	else if (link_exists(be, link->ndev))
		err = -EEXIST;
	if (!err) {
		get_device(&link->ibdev.dev);
		list_add_tail(&link->node, &links);
		link->active = rxt_netdev_active(link->ndev);
	}
	mutex_unlock(&links_lock);
	rtnl_unlock();
	return err;
}

/* The device belongs where its netdev is. In shared mode it has to be registered
 * in the initial namespace to be seen in all: ib_core shows it in the others by
 * itself, but has no such copies for the initial one.
 */
static void set_namespace(struct ib_device *ibdev, struct net *net)
{
	if (!net_eq(net, &init_net) && !rdma_dev_access_netns(ibdev, net))
		write_pnet(&ibdev->coredev.rdma_net, net);
}

static void setup_ibdev(struct rxt_link *link, const struct rxt_backend *be)
{
	struct ib_device *ibdev = &link->ibdev;

	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	ibdev->node_guid = link->guid;
	/* Gives tools the NUMA node and the netdev of real hardware. */
	ibdev->dev.parent = link->ndev->dev.parent;
	snprintf(ibdev->node_desc, sizeof(ibdev->node_desc), "rxt %s", be->name);
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				  BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	ib_set_device_ops(ibdev, &rxt_device_ops);
	/* Who has a context open keeps the backend, which keeps us. */
	ibdev->ops.owner = be->owner;
	set_namespace(ibdev, dev_net(link->ndev));
}

static struct rxt_link *link_alloc(const struct rxt_backend *be,
				   const char *name, struct net_device *ndev)
{
	struct rxt_link *link;
	int err;

	link = ib_alloc_device(rxt_link, ibdev);
	if (!link)
		return ERR_PTR(-ENOMEM);
	INIT_WORK(&link->reap, reap_work);
	INIT_LIST_HEAD(&link->node);
	xa_init_flags(&link->ahs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&link->counters, XA_FLAGS_ALLOC1);

	link->id = ida_alloc_max(&link_ids, 0xfff0, GFP_KERNEL);
	if (link->id < 0) {
		err = link->id;
		goto free_link;
	}
	err = rxt_dev_init(&link->dev, be, dev_net(ndev), name);
	if (err)
		goto free_id;
	link->ndev = ndev;
	netdev_hold(ndev, &link->ndev_tracker, GFP_KERNEL);
	rxt_make_guid(link);
	setup_ibdev(link, be);
	return link;

free_id:
	ida_free(&link_ids, link->id);
free_link:
	ib_dealloc_device(&link->ibdev);	/* no ops yet: frees, no more */
	return ERR_PTR(err);
}

static int link_attach(struct rxt_link *link)
{
	int err;

	err = rxt_dev_attach(&link->dev);
	if (err)
		return err;
	mutex_lock(&links_lock);
	link->attached = true;
	mutex_unlock(&links_lock);
	return 0;
}

/* The netdev may have gone before there was a device to unregister. */
static void link_check_gone(struct rxt_link *link)
{
	bool gone;

	mutex_lock(&links_lock);
	gone = link->gone;
	mutex_unlock(&links_lock);
	if (gone)
		ib_unregister_device(&link->ibdev);
}

/* ib_core takes the addresses of a VLAN for those of a port on the netdev below it
 * (IBTA A17: the VLAN is part of the address), and a port on the VLAN for one
 * without any.
 */
static int check_netdev(const char *name, const struct net_device *ndev)
{
	if (!is_vlan_dev(ndev))
		return 0;
	pr_err_ratelimited("%s: %s is a VLAN: make the link on %s, its addresses are GIDs there\n",
			   name, netdev_name(ndev),
			   netdev_name(vlan_dev_real_dev(ndev)));
	return -EOPNOTSUPP;
}

/**
 * rxt_link_add - make a link
 * @be: backend; the caller has a reference while this runs, the link has none
 * @name: of the device
 * @ndev: netdev, a reference is the caller's
 *
 * Context: process, sleeps. Return: 0; -EEXIST: there is one of that backend;
 * -ENODEV: the netdev is going; -ENFILE: the name is taken; -EOPNOTSUPP: a VLAN;
 * the backend's -errno.
 */
int rxt_link_add(const struct rxt_backend *be, const char *name,
		 struct net_device *ndev)
{
	struct rxt_link *link;
	int err;

	err = check_netdev(name, ndev);
	if (err)
		return err;
	link = link_alloc(be, name, ndev);
	if (IS_ERR(link))
		return PTR_ERR(link);
	/* Keeps it here while it may go at any time from link_publish() on. */
	get_device(&link->ibdev.dev);

	err = link_publish(link, be);
	if (err) {
		/* Not on the list: its work has an entry to take off all the same. */
		get_device(&link->ibdev.dev);
		goto dealloc;
	}
	err = ib_device_set_netdev(&link->ibdev, ndev, 1);
	if (err)
		goto dealloc;
	err = link_attach(link);
	if (err)
		goto dealloc;
	err = ib_register_device(&link->ibdev, name, NULL);
	if (err)
		goto dealloc;
	link_check_gone(link);
	put_device(&link->ibdev.dev);
	return 0;

dealloc:
	ib_dealloc_device(&link->ibdev);
	put_device(&link->ibdev.dev);
	return err;
}

struct net_device *rxt_link_netdev_get(struct rxt_dev *dev)
{
	struct net_device *ndev = dev_to_link(dev)->ndev;

	if (READ_ONCE(ndev->reg_state) != NETREG_REGISTERED)
		return NULL;
	dev_hold(ndev);
	return ndev;
}

/* ---- events ---- */

static void report_state(struct rxt_link *link)
{
	bool active = rxt_netdev_active(link->ndev);
	struct ib_event ev = {
		.device			= &link->ibdev,
		.element.port_num	= 1,
		.event = active ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};

	lockdep_assert_held(&links_lock);
	if (link->active == active)
		return;
	link->active = active;
	if (!ib_device_try_get(&link->ibdev))
		return;
	ib_dispatch_event(&ev);
	ib_device_put(&link->ibdev);
}

static void netdev_gone(struct rxt_link *link)
{
	lockdep_assert_held(&links_lock);
	link->gone = true;
	/* Otherwise it is not registered yet (link_check_gone()) or any more. */
	if (ib_device_try_get(&link->ibdev)) {
		ib_unregister_device_queued(&link->ibdev);
		ib_device_put(&link->ibdev);
	}
}

static void link_event(struct rxt_link *link, unsigned long event)
{
	const struct rxt_backend *be = link->dev.be;

	lockdep_assert_held(&links_lock);
	if (link->attached && be->dev_event)
		be->dev_event(&link->dev, event);
	switch (event) {
	case NETDEV_UNREGISTER:
		netdev_gone(link);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		report_state(link);
		break;
	}
}

static int netdev_event(struct notifier_block *nb, unsigned long event,
			void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct rxt_link *link;

	mutex_lock(&links_lock);
	list_for_each_entry(link, &links, node)
		if (link->ndev == ndev && !link->gone)
			link_event(link, event);
	mutex_unlock(&links_lock);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_nb = {
	.notifier_call = netdev_event,
};

/* After the netdevs of the namespace went or were moved out of it; before its
 * last users must be gone.
 */
static void __net_exit link_net_exit(struct net *net)
{
	links_down(net, NULL);
}

static struct pernet_operations link_net_ops = {
	.exit = link_net_exit,
};

int rxt_netdev_init(void)
{
	int err;

	reap_wq = alloc_workqueue("rxt_reap", WQ_UNBOUND, 0);
	if (!reap_wq)
		return -ENOMEM;
	err = register_pernet_subsys(&link_net_ops);
	if (err)
		goto free_wq;
	err = register_netdevice_notifier(&netdev_nb);
	if (err)
		goto unregister_net;
	return 0;

unregister_net:
	unregister_pernet_subsys(&link_net_ops);
free_wq:
	destroy_workqueue(reap_wq);
	return err;
}

void rxt_netdev_exit(void)
{
	unregister_netdevice_notifier(&netdev_nb);
	unregister_pernet_subsys(&link_net_ops);
	/* Waits for the last links' works. */
	destroy_workqueue(reap_wq);
	ida_destroy(&link_ids);
}
