/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt provider: queues in memory that is shared with a process.
 *
 * What lives here: struct rxt_ring and its calls. What may not: the meaning of a
 * slot (post.c, cq.c).
 */
#ifndef _RXT_RING_H
#define _RXT_RING_H

#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdma_user_rxe.h>

struct rxt_ring_map;

/**
 * struct rxt_ring - a circular queue in the layout of struct rxe_queue_buf
 * @buf: header and slots; hostile memory when @map is set
 * @map: the memory as a process may map it; NULL: kernel only
 * @mask: slots - 1; also the most entries that fit
 * @shift: log2 of the bytes of a slot
 * @prod: next slot to fill, where the kernel fills
 * @cons: oldest slot in use, where the kernel empties
 * @fetch: next slot to read, @cons <= @fetch (send queues release late)
 * @bad: the other side broke an index, see rxt_ring_posted()
 *
 * @mask, @shift and the kernel's own indices are never read from @buf. Indices
 * count slots and are kept masked, which is how the libraries compare them.
 * Whoever owns the queue serialises filling, reading and releasing.
 */
struct rxt_ring {
	struct rxe_queue_buf	*buf;
	struct rxt_ring_map	*map;
	u32			mask;
	u32			shift;
	u32			prod;
	u32			cons;
	u32			fetch;
	bool			bad;
};

int rxt_ring_init(struct rxt_ring *ring, u32 num, size_t elem_size,
		  struct ib_ucontext *uctx);
void rxt_ring_free(struct rxt_ring *ring);
void rxt_ring_mminfo(const struct rxt_ring *ring, struct mminfo *mi);

void rxt_ring_drop_all(struct rxt_ring *ring);

void rxt_ring_copy(struct rxt_ring *dst, const struct rxt_ring *src, u32 base,
		   u32 from, u32 to);
int rxt_ring_take_over(struct rxt_ring *dst, const struct rxt_ring *src,
		       u32 base, u32 copied, u32 cons, u32 prod);

int rxt_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma);
void rxt_mmap_free(struct rdma_user_mmap_entry *entry);

static inline void *rxt_ring_slot(const struct rxt_ring *ring, u32 index)
{
	return ring->buf->data + ((size_t)(index & ring->mask) << ring->shift);
}

/* The slot that rxt_ring_posted() said is there has been copied. */
static inline void rxt_ring_step(struct rxt_ring *ring)
{
	WRITE_ONCE(ring->fetch, (ring->fetch + 1) & ring->mask);
}

static inline u32 rxt_ring_shared_prod(const struct rxt_ring *ring)
{
	/* Pairs with the release of who fills: slots before it are written. */
	return smp_load_acquire(&ring->buf->producer_index) & ring->mask;
}

static inline u32 rxt_ring_shared_cons(const struct rxt_ring *ring)
{
	/* Pairs with the release of who empties: slots before it were read. */
	return smp_load_acquire(&ring->buf->consumer_index) & ring->mask;
}

/**
 * rxt_ring_posted - entries that wait to be read
 * @ring: a queue that the other side fills
 *
 * More entries in use than there are slots can only come from a producer index
 * that moved backwards: then @ring->bad is set and nothing is there to read.
 *
 * Return: entries.
 */
static inline u32 rxt_ring_posted(struct rxt_ring *ring)
{
	/* The producer first: who released slots after this only makes room. */
	u32 prod = rxt_ring_shared_prod(ring);
	u32 fetch = READ_ONCE(ring->fetch);
	u32 held = (fetch - READ_ONCE(ring->cons)) & ring->mask;
	u32 posted = (prod - fetch) & ring->mask;

	if (unlikely(held + posted > ring->mask)) {
		ring->bad = true;
		return 0;
	}
	return posted;
}

/**
 * rxt_ring_release - let the other side fill slots again
 * @ring: a queue that the other side fills
 * @n: slots, the oldest
 */
static inline void rxt_ring_release(struct rxt_ring *ring, u32 n)
{
	u32 cons = (ring->cons + n) & ring->mask;

	WRITE_ONCE(ring->cons, cons);
	/* Our reads of the slots come first. */
	smp_store_release(&ring->buf->consumer_index, cons);
}

/**
 * rxt_ring_room - the slot to fill next
 * @ring: a queue that the kernel fills
 *
 * Return: the slot, or NULL when the queue is full.
 */
static inline void *rxt_ring_room(struct rxt_ring *ring)
{
	u32 cons = rxt_ring_shared_cons(ring);

	if (((ring->prod + 1 - cons) & ring->mask) == 0)
		return NULL;
	return rxt_ring_slot(ring, ring->prod);
}

/**
 * rxt_ring_push - publish the slot that rxt_ring_room() gave
 * @ring: a queue that the kernel fills
 */
static inline void rxt_ring_push(struct rxt_ring *ring)
{
	ring->prod = (ring->prod + 1) & ring->mask;
	/* The slot is written first. */
	smp_store_release(&ring->buf->producer_index, ring->prod);
}

#endif /* _RXT_RING_H */
