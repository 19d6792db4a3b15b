// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: makes the tracepoints of trace.h, and those that backends reach by a call.
 */
#include <linux/export.h>
#define CREATE_TRACE_POINTS
#include "trace.h"

void rxt_conn_up(struct rxt_conn *conn)
{
	trace_rxt_conn_up(conn->qp);
}
EXPORT_SYMBOL_GPL(rxt_conn_up);
