/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt: the counters, one list for enum and names.
 *
 * What lives here: every counter of a link, as `rdma statistic show link`
 * prints it. What may not: anything else.
 */
#ifndef _RXT_STATS_H
#define _RXT_STATS_H

#define RXT_COUNTERS(X)			\
	X(tx_msgs)			\
	X(tx_bytes)			\
	X(rx_msgs)			\
	X(rx_bytes)			\
	X(tx_acks)			\
	X(rx_acks)			\
	X(tx_read_resp)			\
	X(rx_read_resp)			\
	X(rx_atomics)			\
	X(tx_packets)			\
	X(rx_packets)			\
	X(tx_rnr_nak)			\
	X(rx_rnr_nak)			\
	X(rnr_retry_exceeded)		\
	X(tx_nak)			\
	X(rx_nak)			\
	X(retransmits)			\
	X(timeouts)			\
	X(retry_exceeded)		\
	X(duplicates)			\
	X(out_of_order)			\
	X(rx_discarded)			\
	X(local_prot_errors)		\
	X(remote_access_errors)		\
	X(remote_invalid_requests)	\
	X(remote_op_errors)		\
	X(cqe_overflows)		\
	X(flushed)			\
	X(tx_blocked)			\
	X(tx_nomem)			\
	X(tx_deferred)			\
	X(zc_bytes)			\
	X(copied_bytes)			\
	X(connects)			\
	X(accepts)			\
	X(connect_retries)		\
	X(hello_rejected)		\
	X(conn_lost)			\
	X(bad_header)			\
	X(bad_checksum)			\
	X(bad_source)			\
	X(bad_qpn)			\
	X(bad_key)			\
	X(ud_dropped)

#define RXT_COUNTER_ENUM(name) RXT_CNT_##name,
enum rxt_counter {
	RXT_COUNTERS(RXT_COUNTER_ENUM)
	RXT_CNT_NUM
};

#undef RXT_COUNTER_ENUM

/**
 * struct rxt_stats - one CPU's share of a link's counters
 * @cnt: monotonic, indexed by enum rxt_counter
 */
struct rxt_stats {
	u64 cnt[RXT_CNT_NUM];
};

#endif /* _RXT_STATS_H */
