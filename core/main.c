// SPDX-License-Identifier: GPL-2.0
/*
 * rxt.ko: init and exit order, nothing else.
 */
#include <linux/module.h>
#include "internal.h"

const struct rxt_provider_ops *rxt_provider;
struct workqueue_struct *rxt_wq;
struct workqueue_struct *rxt_fault_wq;

/**
 * rxt_core_init - start the core
 * @ops: the provider's table; must stay until rxt_core_exit()
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int rxt_core_init(const struct rxt_provider_ops *ops)
{
	/* Memory reclaim may depend on storage that runs over us. */
	rxt_wq = alloc_workqueue("rxt", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!rxt_wq)
		return -ENOMEM;
	/* Page faults wait for memory and for disks: not in the way of the others, who
	 * wait for them when a QP ends.
	 */
	rxt_fault_wq = alloc_workqueue("rxt_fault", WQ_UNBOUND | WQ_MEM_RECLAIM,
				       0);
	if (!rxt_fault_wq) {
		destroy_workqueue(rxt_wq);
		return -ENOMEM;
	}
	rxt_provider = ops;
	rxt_ids_init();
	return 0;
}

/**
 * rxt_core_exit - stop the core; no backend and no device is left
 */
void rxt_core_exit(void)
{
	/* QPs and MRs are freed by RCU. */
	rcu_barrier();
	destroy_workqueue(rxt_fault_wq);
	destroy_workqueue(rxt_wq);
}

static int __init rxt_init(void)
{
	int err;

	err = rxt_core_init(&rxt_verbs_provider);
	if (err)
		return err;
	err = rxt_provider_init();
	if (err)
		rxt_core_exit();
	return err;
}

static void __exit rxt_exit(void)
{
	rxt_provider_exit();
	rxt_core_exit();
}

module_init(rxt_init);
module_exit(rxt_exit);

MODULE_DESCRIPTION("Soft RDMA over exchangeable transports");
MODULE_LICENSE("GPL");
