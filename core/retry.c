// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: retry arithmetic of IBTA 9.7.5.2.8 and 9.9.2.1. Pure functions.
 */
#include <linux/export.h>
#include <linux/math64.h>
#include "internal.h"

/* IBTA table 45: RNR timer codes, in units of 10 us. */
static const u32 rnr_10us[32] = {
	65536,     1,     2,     3,     4,     6,     8,    12,
	   16,    24,    32,    48,    64,    96,   128,   192,
	  256,   384,   512,   768,  1024,  1536,  2048,  3072,
	 4096,  6144,  8192, 12288, 16384, 24576, 32768, 49152,
};

/**
 * rxt_rnr_timer_us - how long to wait after an RNR NAK
 * @code: timer field of the AETH, 5 bits
 *
 * Return: microseconds, 10 to 655360.
 */
unsigned int rxt_rnr_timer_us(u8 code)
{
	return rnr_10us[code & 31] * 10;
}

/**
 * rxt_ack_timeout_ns - local ACK timeout
 * @timeout: exponent, 5 bits; 4.096 us * 2^timeout
 *
 * Return: nanoseconds; 0 means never (IBTA 11.2.5.2).
 */
u64 rxt_ack_timeout_ns(u8 timeout)
{
	timeout &= 31;
	return timeout ? 4096ULL << timeout : 0;
}
EXPORT_SYMBOL_GPL(rxt_ack_timeout_ns);

/**
 * rxt_rnr_retry_take - use up one RNR retry
 * @limit: rnr_retry of the QP; 7 means without end
 * @left: tries left
 *
 * Return: false when there is none left.
 */
bool rxt_rnr_retry_take(u8 limit, u8 *left)
{
	if (limit == 7)
		return true;
	if (!*left)
		return false;
	--*left;
	return true;
}
