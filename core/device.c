// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: the device as core and backends see it.
 *
 * What lives here: life of struct rxt_dev and what backends may ask of it.
 * What may not: struct ib_device (provider), netdev events (provider).
 */
#include <linux/export.h>
#include <net/net_namespace.h>
#include "internal.h"

/**
 * rxt_dev_init - prepare the core's part of a device
 * @dev: embedded in the provider's object, zeroed
 * @be: backend, a reference is the caller's
 * @net: namespace of the netdev; must stay until rxt_dev_detach() returned
 * @name: for messages
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int rxt_dev_init(struct rxt_dev *dev, const struct rxt_backend *be,
		 struct net *net, const char *name)
{
	int err = rxt_dev_stats_init(dev);

	if (err)
		return err;
	dev->be = be;
	dev->net = net;
	strscpy(dev->name, name, sizeof(dev->name));
	return 0;
}

/**
 * rxt_dev_exit - undo rxt_dev_init()
 * @dev: detached, with no QP or MR left
 */
void rxt_dev_exit(struct rxt_dev *dev)
{
	rxt_dev_stats_exit(dev);
}

/**
 * rxt_dev_attach - let the backend open what it needs for this link
 * @dev: initialised
 *
 * Context: process. Return: 0 or the backend's -errno.
 */
int rxt_dev_attach(struct rxt_dev *dev)
{
	return dev->be->dev_attach(dev);
}

/**
 * rxt_dev_detach - undo rxt_dev_attach()
 * @dev: no QP left
 *
 * Context: process.
 */
void rxt_dev_detach(struct rxt_dev *dev)
{
	dev->be->dev_detach(dev);
}

struct net *rxt_dev_net(const struct rxt_dev *dev)
{
	return dev->net;
}
EXPORT_SYMBOL_GPL(rxt_dev_net);

const char *rxt_dev_name(const struct rxt_dev *dev)
{
	return dev->name;
}
EXPORT_SYMBOL_GPL(rxt_dev_name);

struct net_device *rxt_dev_netdev_get(struct rxt_dev *dev)
{
	return rxt_provider->netdev_get(dev);
}
EXPORT_SYMBOL_GPL(rxt_dev_netdev_get);

void *rxt_dev_priv(const struct rxt_dev *dev)
{
	return dev->be_priv;
}
EXPORT_SYMBOL_GPL(rxt_dev_priv);

void rxt_dev_set_priv(struct rxt_dev *dev, void *priv)
{
	dev->be_priv = priv;
}
EXPORT_SYMBOL_GPL(rxt_dev_set_priv);
