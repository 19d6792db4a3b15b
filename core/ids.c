// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: QP numbers and memory keys that cannot be guessed by counting.
 *
 * Objects are kept under a dense 24-bit index that is handed out in a circle, so
 * that a number comes again only after 2^24 others. What a peer sees is the
 * index sent through a keyed permutation. No object handling here.
 */
#include <linux/hash.h>
#include <linux/random.h>
#include "internal.h"

#define HALF_BITS	12
#define HALF_MASK	(BIT(HALF_BITS) - 1)
#define ROUNDS		4

static u32 round_key[ROUNDS] __read_mostly;

void rxt_ids_init(void)
{
	get_random_bytes(round_key, sizeof(round_key));
}

static u32 half_mix(u32 half, unsigned int round)
{
	return hash_32(half ^ round_key[round], HALF_BITS);
}

/**
 * rxt_id_scramble - index to public number
 * @index: 24 bits
 *
 * A four-round Feistel network: a bijection on 24 bits, keyed at load time.
 *
 * Return: 24 bits.
 */
u32 rxt_id_scramble(u32 index)
{
	u32 l = (index >> HALF_BITS) & HALF_MASK;
	u32 r = index & HALF_MASK;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		u32 t = r;

		r = l ^ half_mix(r, i);
		l = t;
	}
	return l << HALF_BITS | r;
}

/**
 * rxt_id_unscramble - public number to index
 * @id: 24 bits
 *
 * Return: the index that rxt_id_scramble() maps to @id.
 */
u32 rxt_id_unscramble(u32 id)
{
	u32 l = (id >> HALF_BITS) & HALF_MASK;
	u32 r = id & HALF_MASK;
	unsigned int i;

	for (i = ROUNDS; i-- > 0; ) {
		u32 t = l;

		l = r ^ half_mix(l, i);
		r = t;
	}
	return l << HALF_BITS | r;
}
