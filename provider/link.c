// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: how a user chooses a backend: link types and the module parameter.
 *
 * What lives here: type "rxt" (the parameter says which backend) and one type
 * "rxt-NAME" for each backend that registers. What may not: what a link is
 * (netdev.c).
 *
 * Loading a backend's module on demand has two traps. While our own module is being
 * loaded nothing that needs our symbols can be, so what the parameter names is loaded
 * by a work. And ->newlink() is called with ib_core's lock on the list of types held,
 * which the module that it loads has to take to register its own: so that is done by
 * a work as well, and who registers waits for it unless a ->newlink() is waiting for
 * a module in turn.
 */
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/wait.h>
#include <rdma/rdma_netlink.h>
#include "provider.h"

#define BACKEND_NAME_MAX	32
#define LIST_MAX		160

/* Kbuild knows which backends are built with this module, and the usual one. */
static const char shipped[] = RXT_SHIPPED_BACKENDS;

/* ---- parameter ---- */

static DEFINE_MUTEX(name_lock);		/* guards the next three */
static char backend_name[BACKEND_NAME_MAX] = RXT_DEFAULT_BACKEND;
static bool name_given;
static bool started;

static void load_work_fn(struct work_struct *work);
static DECLARE_WORK(load_work, load_work_fn);

static void get_name(char *name)
{
	mutex_lock(&name_lock);
	strscpy(name, backend_name, BACKEND_NAME_MAX);
	mutex_unlock(&name_lock);
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *p = list;

	while ((p = strstr(p, word))) {
		if ((p == list || p[-1] == ' ') && (!p[len] || p[len] == ' '))
			return true;
		p += len;
	}
	return false;
}

/* Shipped ones, and what others registered. */
static void list_backends(char *list)
{
	char others[LIST_MAX], *rest = others, *word;

	strscpy(list, shipped, LIST_MAX);
	rxt_backend_list(others, sizeof(others));
	while ((word = strsep(&rest, " "))) {
		if (!*word || has_word(list, word))
			continue;
		strlcat(list, " ", LIST_MAX);
		strlcat(list, word, LIST_MAX);
	}
}

static int backend_param_set(const char *val, const struct kernel_param *kp)
{
	char name[BACKEND_NAME_MAX], list[LIST_MAX], *word;

	if (strscpy(name, val, sizeof(name)) < 0)
		return -EINVAL;
	word = strim(name);
	list_backends(list);
	if (!*word || strchr(word, ' ') || !has_word(list, word)) {
		pr_err("no backend \"%s\"; there are: %s\n", word, list);
		return -EINVAL;
	}
	mutex_lock(&name_lock);
	strscpy(backend_name, word, sizeof(backend_name));
	name_given = true;
	if (started)
		schedule_work(&load_work);
	mutex_unlock(&name_lock);
	return 0;
}

static int backend_param_get(char *buf, const struct kernel_param *kp)
{
	char name[BACKEND_NAME_MAX];

	get_name(name);
	return sysfs_emit(buf, "%s\n", name);
}

static const struct kernel_param_ops backend_param_ops = {
	.set = backend_param_set,
	.get = backend_param_get,
};
module_param_cb(backend, &backend_param_ops, NULL, 0644);
MODULE_PARM_DESC(backend, "transport of links of type rxt (default: "
		 RXT_DEFAULT_BACKEND ")");

static void load_work_fn(struct work_struct *work)
{
	char name[BACKEND_NAME_MAX];
	const struct rxt_backend *be;

	get_name(name);
	be = rxt_backend_get(name);
	if (be)
		rxt_backend_put(be);
	else
		pr_err("backend %s cannot be loaded\n", name);
}

/* ---- making links ---- */

/* ->newlink()s that wait for a module. */
static atomic_t loading = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(register_wait);

static int add_link(const struct rxt_backend *be, const char *name,
		    struct net_device *ndev)
{
	int err = rxt_link_add(be, name, ndev);

	if (err)
		pr_err_ratelimited("%s: no link on %s by %s: %d\n", name,
				   netdev_name(ndev), be->name, err);
	return err;
}

static int newlink_default(const char *name, struct net_device *ndev)
{
	char be_name[BACKEND_NAME_MAX];
	const struct rxt_backend *be;
	int err;

	get_name(be_name);
	atomic_inc(&loading);
	wake_up_all(&register_wait);
	be = rxt_backend_get(be_name);
	atomic_dec(&loading);
	if (!be) {
		pr_err_ratelimited("%s: backend %s cannot be loaded\n", name,
				   be_name);
		return -ENOENT;
	}
	err = add_link(be, name, ndev);
	rxt_backend_put(be);
	return err;
}

static struct rdma_link_ops default_type = {
	.type		= "rxt",
	.newlink	= newlink_default,
};
MODULE_ALIAS_RDMA_LINK("rxt");

/* ---- a type for each backend ---- */

/**
 * struct link_type - type "rxt-NAME"
 * @ops: ib_core's
 * @be: which backend; constant while registered
 * @name: the type
 * @work: registers it
 * @done: @work did
 * @used: taken (types_lock)
 */
struct link_type {
	struct rdma_link_ops	ops;
	const struct rxt_backend *be;
	char			name[BACKEND_NAME_MAX + 4];
	struct work_struct	work;
	struct completion	done;
	bool			used;
};

/* ->newlink() is not told which type it is called for: each has its own. */
#define LINK_TYPES	8
static struct link_type link_types[LINK_TYPES];
static DEFINE_MUTEX(types_lock);

static int newlink_type(const struct link_type *type, const char *name,
			struct net_device *ndev)
{
	int err;

	if (!try_module_get(type->be->owner))
		return -ENODEV;
	err = add_link(type->be, name, ndev);
	module_put(type->be->owner);
	return err;
}

#define NEWLINK(n)							\
static int newlink_##n(const char *name, struct net_device *ndev)	\
{									\
	return newlink_type(&link_types[n], name, ndev);		\
}

NEWLINK(0) NEWLINK(1) NEWLINK(2) NEWLINK(3)
NEWLINK(4) NEWLINK(5) NEWLINK(6) NEWLINK(7)

static int (*const newlinks[LINK_TYPES])(const char *, struct net_device *) = {
	newlink_0, newlink_1, newlink_2, newlink_3,
	newlink_4, newlink_5, newlink_6, newlink_7,
};

static void register_work(struct work_struct *work)
{
	struct link_type *type = container_of(work, struct link_type, work);

	rdma_link_register(&type->ops);
	complete_all(&type->done);
	wake_up_all(&register_wait);
}

static bool may_return(struct link_type *type)
{
	return completion_done(&type->done) || atomic_read(&loading);
}

static struct link_type *type_take(void)
{
	int i;

	mutex_lock(&types_lock);
	for (i = 0; i < LINK_TYPES && link_types[i].used; i++)
		;
	if (i < LINK_TYPES)
		link_types[i].used = true;
	mutex_unlock(&types_lock);
	return i < LINK_TYPES ? &link_types[i] : NULL;
}

/**
 * rxt_link_type_add - offer links of a backend
 * @be: just registered
 *
 * Context: process, sleeps; often its module's init. Return: 0 or -ENOSPC.
 */
int rxt_link_type_add(struct rxt_backend *be)
{
	struct link_type *type = type_take();

	if (!type) {
		pr_err("more than %d backends\n", LINK_TYPES);
		return -ENOSPC;
	}
	snprintf(type->name, sizeof(type->name), "rxt-%s", be->name);
	type->be = be;
	type->ops.type = type->name;
	type->ops.newlink = newlinks[type - link_types];
	INIT_WORK(&type->work, register_work);
	init_completion(&type->done);
	be->link_ops = type;

	schedule_work(&type->work);
	wait_event(register_wait, may_return(type));
	return 0;
}

/**
 * rxt_link_type_del - no new links of a backend
 * @be: to be unregistered; those that are being made have ended on return
 */
void rxt_link_type_del(struct rxt_backend *be)
{
	struct link_type *type = be->link_ops;

	flush_work(&type->work);
	rdma_link_unregister(&type->ops);
	be->link_ops = NULL;
	mutex_lock(&types_lock);
	type->used = false;
	mutex_unlock(&types_lock);
}

int rxt_link_types_init(void)
{
	rdma_link_register(&default_type);

	mutex_lock(&name_lock);
	started = true;
	if (name_given)
		schedule_work(&load_work);
	mutex_unlock(&name_lock);
	return 0;
}

void rxt_link_types_exit(void)
{
	mutex_lock(&name_lock);
	started = false;
	mutex_unlock(&name_lock);
	cancel_work_sync(&load_work);
	rdma_link_unregister(&default_type);
}
