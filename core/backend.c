// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: the registry of backends. No backend is known by name here.
 */
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include "internal.h"

static DEFINE_MUTEX(backends_lock);	/* guards the list */
static LIST_HEAD(backends);

static bool backend_complete(const struct rxt_backend *be)
{
	return be->name && be->owner && be->max_mtu &&
	       (be->caps & (RXT_CAP_RC | RXT_CAP_UC | RXT_CAP_UD)) &&
	       be->xmit && be->xmit_end && be->conn_alloc && be->conn_modify &&
	       be->conn_stop && be->conn_free && be->dev_attach &&
	       be->dev_detach &&
	       (!(be->caps & RXT_CAP_MCAST) ||
		(be->mcast_join && be->mcast_leave));
}

static struct rxt_backend *find_locked(const char *name)
{
	struct rxt_backend *be;

	lockdep_assert_held(&backends_lock);
	list_for_each_entry(be, &backends, node)
		if (!strcmp(be->name, name))
			return be;
	return NULL;
}

/**
 * rxt_backend_register - make a transport available
 * @be: its table; must stay until rxt_backend_unregister()
 *
 * Context: process, sleeps. Return: 0; -EINVAL a required member is missing;
 * -EEXIST the name is taken; what offering the link type returned.
 */
int rxt_backend_register(struct rxt_backend *be)
{
	int err = 0;

	if (!backend_complete(be)) {
		pr_err("rxt: backend %s lacks a required function\n",
		       be->name ?: "(unnamed)");
		return -EINVAL;
	}

	mutex_lock(&backends_lock);
	if (find_locked(be->name))
		err = -EEXIST;
	else
		list_add_tail(&be->node, &backends);
	mutex_unlock(&backends_lock);
	if (err)
		return err;

	err = rxt_provider->backend_added(be);
	if (err) {
		mutex_lock(&backends_lock);
		list_del(&be->node);
		mutex_unlock(&backends_lock);
	}
	return err;
}
EXPORT_SYMBOL_GPL(rxt_backend_register);

/**
 * rxt_backend_unregister - take a transport away
 * @be: registered
 *
 * Takes down every link of it and waits. Context: process, sleeps.
 */
void rxt_backend_unregister(struct rxt_backend *be)
{
	/* Unpublish first: no new link finds it. */
	mutex_lock(&backends_lock);
	list_del(&be->node);
	mutex_unlock(&backends_lock);
	rxt_provider->backend_gone(be);
}
EXPORT_SYMBOL_GPL(rxt_backend_unregister);

static const struct rxt_backend *get_loaded(const char *name)
{
	struct rxt_backend *be;

	mutex_lock(&backends_lock);
	be = find_locked(name);
	if (be && !try_module_get(be->owner))
		be = NULL;
	mutex_unlock(&backends_lock);
	return be;
}

/**
 * rxt_backend_get - a backend by name, loading its module if need be
 * @name: e.g. of the backend parameter
 *
 * Context: process, sleeps, may run modprobe. Return: the backend with a module
 * reference that rxt_backend_put() gives back, or NULL.
 */
const struct rxt_backend *rxt_backend_get(const char *name)
{
	const struct rxt_backend *be = get_loaded(name);

	if (be)
		return be;
	request_module("rxt-backend-%s", name);
	return get_loaded(name);
}

void rxt_backend_put(const struct rxt_backend *be)
{
	module_put(be->owner);
}

/**
 * rxt_backend_list - names of the registered backends
 * @buf: result, separated by blanks
 * @size: of @buf, bytes
 */
void rxt_backend_list(char *buf, size_t size)
{
	struct rxt_backend *be;
	size_t len = 0;

	if (!size)
		return;
	buf[0] = '\0';
	mutex_lock(&backends_lock);
	list_for_each_entry(be, &backends, node)
		len += scnprintf(buf + len, size - len, "%s%s",
				 len ? " " : "", be->name);
	mutex_unlock(&backends_lock);
}
