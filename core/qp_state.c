// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: the QP state machine, and nothing else. Pure.
 *
 *	RESET --> INIT --> RTR --> RTS <--> SQD
 *	                            |  ^
 *	             (UC, UD errors) v  |
 *	                            SQE-'
 *	any --> RESET, any but RESET --> ERR
 *
 * Which attributes a transition needs or may carry: IBTA 11.2.5.3 and its
 * tables. What a state permits: IBTA 10.3.1.
 */
#include "internal.h"

#define RC	BIT(0)
#define UC	BIT(1)
#define UD	BIT(2)
#define GSI	BIT(3)
#define ALL	(RC | UC | UD | GSI)

struct transition {
	u8	cur;
	u8	next;
	u8	types;
	int	need;
	int	may;
};

/* What a connected QP needs to know before it receives. */
#define RTR_UC	(IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN)
#define RTR_RC	(RTR_UC | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER)
#define RTS_RC	(IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | \
		 IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC)
/* What may change while it runs. */
#define RUN_DG	(IB_QP_CUR_STATE | IB_QP_QKEY)
#define RUN_UC	(IB_QP_CUR_STATE | IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS | \
		 IB_QP_PATH_MIG_STATE)
#define RUN_RC	(RUN_UC | IB_QP_MIN_RNR_TIMER)
/* What may change while the send queue is drained. */
#define SQD_UC	(IB_QP_AV | IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS | \
		 IB_QP_PKEY_INDEX | IB_QP_PATH_MIG_STATE)
#define SQD_RC	(SQD_UC | IB_QP_PORT | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | \
		 IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC | \
		 IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER)

static const struct transition table[] = {
	{ IB_QPS_RESET, IB_QPS_INIT, RC | UC,
	  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS, 0 },
	{ IB_QPS_RESET, IB_QPS_INIT, UD,
	  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY, 0 },
	{ IB_QPS_RESET, IB_QPS_INIT, GSI, IB_QP_PKEY_INDEX | IB_QP_QKEY, 0 },

	{ IB_QPS_INIT, IB_QPS_INIT, RC | UC, 0,
	  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS },
	{ IB_QPS_INIT, IB_QPS_INIT, UD, 0,
	  IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY },
	{ IB_QPS_INIT, IB_QPS_INIT, GSI, 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },

	{ IB_QPS_INIT, IB_QPS_RTR, RC, RTR_RC,
	  IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX },
	{ IB_QPS_INIT, IB_QPS_RTR, UC, RTR_UC,
	  IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX },
	{ IB_QPS_INIT, IB_QPS_RTR, UD | GSI, 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },

	{ IB_QPS_RTR, IB_QPS_RTS, RC, RTS_RC, RUN_RC },
	{ IB_QPS_RTR, IB_QPS_RTS, UC, IB_QP_SQ_PSN, RUN_UC },
	{ IB_QPS_RTR, IB_QPS_RTS, UD | GSI, IB_QP_SQ_PSN, RUN_DG },

	{ IB_QPS_RTS, IB_QPS_RTS, RC, 0, RUN_RC },
	{ IB_QPS_RTS, IB_QPS_RTS, UC, 0, RUN_UC },
	{ IB_QPS_RTS, IB_QPS_RTS, UD | GSI, 0, RUN_DG },
	{ IB_QPS_RTS, IB_QPS_SQD, ALL, 0, IB_QP_EN_SQD_ASYNC_NOTIFY },

	{ IB_QPS_SQD, IB_QPS_RTS, RC, 0, RUN_RC },
	{ IB_QPS_SQD, IB_QPS_RTS, UC, 0, RUN_UC },
	{ IB_QPS_SQD, IB_QPS_RTS, UD | GSI, 0, RUN_DG },
	{ IB_QPS_SQD, IB_QPS_SQD, RC, 0, SQD_RC },
	{ IB_QPS_SQD, IB_QPS_SQD, UC, 0, SQD_UC },
	{ IB_QPS_SQD, IB_QPS_SQD, UD | GSI, 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },

	{ IB_QPS_SQE, IB_QPS_RTS, UC, 0, IB_QP_CUR_STATE | IB_QP_ACCESS_FLAGS },
	{ IB_QPS_SQE, IB_QPS_RTS, UD | GSI, 0, RUN_DG },
};

/* What a state permits; see rxt_qp_actions(). */
const u16 rxt_qp_action_table[IB_QPS_ERR + 1] = {
	[IB_QPS_RESET]	= 0,
	[IB_QPS_INIT]	= RXT_MAY_POST_RECV,
	[IB_QPS_RTR]	= RXT_MAY_POST_RECV | RXT_MAY_RECEIVE | RXT_MAY_RESPOND,
	[IB_QPS_RTS]	= RXT_MAY_POST_RECV | RXT_MAY_RECEIVE | RXT_MAY_RESPOND |
			  RXT_MAY_POST_SEND | RXT_MAY_SEND | RXT_MAY_FETCH,
	[IB_QPS_SQD]	= RXT_MAY_POST_RECV | RXT_MAY_RECEIVE | RXT_MAY_RESPOND |
			  RXT_MAY_POST_SEND | RXT_MAY_SEND,
	[IB_QPS_SQE]	= RXT_MAY_POST_RECV | RXT_MAY_RECEIVE | RXT_MAY_RESPOND |
			  RXT_MAY_POST_SEND | RXT_FLUSH_SQ,
	[IB_QPS_ERR]	= RXT_MAY_POST_RECV | RXT_MAY_POST_SEND |
			  RXT_FLUSH_SQ | RXT_FLUSH_RQ,
};

static unsigned int type_bit(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return RC;
	case IB_QPT_UC:
		return UC;
	case IB_QPT_UD:
		return UD;
	case IB_QPT_GSI:
		return GSI;
	default:
		return 0;
	}
}

/**
 * rxt_qp_check - may a QP go from one state to another with these attributes?
 * @type: IB_QPT_RC, _UC, _UD or _GSI
 * @cur: state it is in
 * @next: state it shall enter; the same as @cur when only attributes change
 * @mask: IB_QP_* attributes given
 *
 * Return: 0, or -EINVAL.
 */
int rxt_qp_check(enum ib_qp_type type, enum ib_qp_state cur,
		 enum ib_qp_state next, int mask)
{
	unsigned int bit = type_bit(type);
	const struct transition *t;

	if (!bit || cur > IB_QPS_ERR || next > IB_QPS_ERR)
		return -EINVAL;
	mask &= ~IB_QP_STATE;
	/* Out of any state, with nothing else to say (IBTA 10.3.1); but RESET has
	 * nothing that could be in error.
	 */
	if (next == IB_QPS_RESET || (next == IB_QPS_ERR && cur != IB_QPS_RESET))
		return mask ? -EINVAL : 0;

	for (t = table; t < table + ARRAY_SIZE(table); t++) {
		if (t->cur != cur || t->next != next || !(t->types & bit))
			continue;
		if ((mask & t->need) != t->need)
			return -EINVAL;
		return mask & ~(t->need | t->may) ? -EINVAL : 0;
	}
	return -EINVAL;
}
