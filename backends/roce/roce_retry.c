// SPDX-License-Identifier: GPL-2.0
/*
 * rxt_roce: retry arithmetic: transport timer (IBTA 9.7.6.1.3), back-off after the
 * local stack refused a packet, and the window of packets.
 *
 * Pure functions.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include "roce_retry.h"

/* Bytes under way at most, when nothing gets lost. */
#define WINDOW_BYTES	SZ_1M
#define WINDOW_START	64
#define GROW_EVERY	8
#define ACK_EVERY_MAX	64
#define STALL_MAX_MS	64

/**
 * roce_timeout_jiffies - wait for an answer
 * @timeout: attribute of the QP, 5 bits: 4.096 us * 2^timeout, 0: for ever
 * @tries: resends so far without an answer
 *
 * The specification allows one to four times the nominal time: the wait is
 * doubled with the first two resends.
 *
 * Return: jiffies, 0 for ever.
 */
unsigned long roce_timeout_jiffies(u8 timeout, unsigned int tries)
{
	u64 ns, j;

	timeout &= 31;
	if (!timeout)
		return 0;
	ns = (4096ULL << timeout) << min(tries, 2U);
	j = div_u64(ns, NSEC_PER_SEC / HZ) + 1;
	return min_t(u64, j, MAX_JIFFY_OFFSET);
}

/**
 * roce_stall_jiffies - leave the local stack alone after it refused a packet
 * @tries: refusals in a row before this one
 *
 * Return: jiffies, doubled each time up to a limit.
 */
unsigned long roce_stall_jiffies(unsigned int tries)
{
	unsigned int ms = min_t(unsigned int, 1U << min(tries, 16U), STALL_MAX_MS);

	return msecs_to_jiffies(ms) ?: 1;
}

/**
 * roce_cwnd_init - begin
 * @c: result
 * @mtu_shift: path MTU, log 2
 */
void roce_cwnd_init(struct roce_cwnd *c, u32 mtu_shift)
{
	c->max = WINDOW_BYTES >> mtu_shift;
	c->packets = min_t(u32, WINDOW_START, c->max);
	c->slow_start = c->max;
	c->credit = 0;
}

/**
 * roce_cwnd_acked - packets were acknowledged
 * @c: window
 * @packets: how many
 */
void roce_cwnd_acked(struct roce_cwnd *c, u32 packets)
{
	if (c->packets >= c->max)
		return;
	if (c->packets < c->slow_start) {
		c->packets = min(c->packets + min(packets, c->packets), c->max);
		return;
	}
	/* An eighth more with each window that got through. */
	c->credit += packets;
	if (c->credit >= GROW_EVERY) {
		c->packets = min(c->packets + c->credit / GROW_EVERY, c->max);
		c->credit %= GROW_EVERY;
	}
}

/**
 * roce_cwnd_lost - a packet was lost
 * @c: window
 * @floor: do not go below
 */
void roce_cwnd_lost(struct roce_cwnd *c, u32 floor)
{
	c->packets = max(c->packets / 2, min(floor, c->packets));
	c->packets = max(c->packets, 1U);
	c->slow_start = c->packets;
	c->credit = 0;
}

/**
 * roce_cwnd_ack_every - packets after which to ask for an ACK
 * @c: window
 *
 * Return: often enough that the window moves on before it is used up.
 */
u32 roce_cwnd_ack_every(const struct roce_cwnd *c)
{
	return clamp_t(u32, c->packets / 4, 1, ACK_EVERY_MAX);
}
