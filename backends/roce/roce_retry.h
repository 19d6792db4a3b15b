/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt_roce: how long to wait and how much to send. Pure functions.
 */
#ifndef _ROCE_RETRY_H
#define _ROCE_RETRY_H

#include <linux/types.h>

/**
 * struct roce_cwnd - how many packets may be under way
 * @packets: now
 * @max: at most
 * @slow_start: below this it grows with every packet that is acknowledged
 * @credit: packets acknowledged since it grew last
 */
struct roce_cwnd {
	u32	packets;
	u32	max;
	u32	slow_start;
	u32	credit;
};

unsigned long roce_timeout_jiffies(u8 timeout, unsigned int tries);
unsigned long roce_stall_jiffies(unsigned int tries);
void roce_cwnd_init(struct roce_cwnd *c, u32 mtu_shift);
void roce_cwnd_acked(struct roce_cwnd *c, u32 packets);
void roce_cwnd_lost(struct roce_cwnd *c, u32 floor);
u32 roce_cwnd_ack_every(const struct roce_cwnd *c);

#endif /* _ROCE_RETRY_H */
