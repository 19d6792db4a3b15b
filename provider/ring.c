// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: queues in memory that is shared with a process.
 *
 * What lives here: allocating, mapping, index arithmetic. What may not: the
 * meaning of a slot, locking.
 *
 * How the sides meet: who fills a slot publishes it with a store-release of its
 * index, who empties one does the same with the other index; each reads the
 * other's with load-acquire. The kernel believes nothing else: it keeps its own
 * index privately and masks what it reads, so the worst that a process can do is
 * to garble its own queue.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/uverbs_ioctl.h>
#include "ring.h"

/* Slots that a resize may copy with the queue's lock held. */
#define RING_TAIL_MAX	1024

/**
 * struct rxt_ring_map - memory of a ring, as a process maps it
 * @entry: owns the memory: it goes with the last reference of this
 * @buf: the memory
 */
struct rxt_ring_map {
	struct rdma_user_mmap_entry	entry;
	void				*buf;
};

static size_t ring_bytes(const struct rxt_ring *ring)
{
	return PAGE_ALIGN(sizeof(struct rxe_queue_buf) +
			  (((size_t)ring->mask + 1) << ring->shift));
}

static int ring_alloc_shared(struct rxt_ring *ring, struct ib_ucontext *uctx)
{
	struct rxt_ring_map *map;
	int err;

	map = kzalloc(sizeof(*map), GFP_KERNEL);
	if (!map)
		return -ENOMEM;
	map->buf = vmalloc_user(ring_bytes(ring));
	if (!map->buf) {
		kfree(map);
		return -ENOMEM;
	}
	ring->map = map;
	ring->buf = map->buf;
	ring->buf->log2_elem_size = ring->shift;
	ring->buf->index_mask = ring->mask;

	/* From here on the process can map it: it has to be complete. */
	err = rdma_user_mmap_entry_insert(uctx, &map->entry, ring_bytes(ring));
	if (err) {
		vfree(map->buf);
		kfree(map);
		ring->map = NULL;
		ring->buf = NULL;
	}
	return err;
}

/**
 * rxt_ring_init - allocate a queue
 * @ring: to be filled in; on failure rxt_ring_free() is not needed, and harmless
 * @num: entries that must fit
 * @elem_size: bytes of one
 * @uctx: whose process shares it; NULL: kernel only
 *
 * Slots are at least a cache line, sizes and numbers are powers of two, and one
 * slot stays empty to tell full from empty: the layout that librxe expects.
 *
 * Context: process, sleeps. Return: 0, -EINVAL (too large), -ENOMEM.
 */
int rxt_ring_init(struct rxt_ring *ring, u32 num, size_t elem_size,
		  struct ib_ucontext *uctx)
{
	memset(ring, 0, sizeof(*ring));
	if (num >= BIT(30))
		return -EINVAL;
	ring->mask = roundup_pow_of_two(num + 1) - 1;
	ring->shift = order_base_2(max_t(size_t, elem_size, cache_line_size()));
	if (ring_bytes(ring) > U32_MAX)
		return -EINVAL;
	if (uctx)
		return ring_alloc_shared(ring, uctx);
	ring->buf = vzalloc(ring_bytes(ring));
	return ring->buf ? 0 : -ENOMEM;
}

/**
 * rxt_ring_free - give a queue back
 * @ring: nobody uses it any more; the process may still have it mapped
 */
void rxt_ring_free(struct rxt_ring *ring)
{
	if (ring->map)
		rdma_user_mmap_entry_remove(&ring->map->entry);
	else
		vfree(ring->buf);
	ring->map = NULL;
	ring->buf = NULL;
}

/**
 * rxt_ring_mminfo - what the library needs to map a queue
 * @ring: shared
 * @mi: result
 */
void rxt_ring_mminfo(const struct rxt_ring *ring, struct mminfo *mi)
{
	mi->offset = rdma_user_mmap_get_offset(&ring->map->entry);
	mi->size = ring_bytes(ring);
	mi->pad = 0;
}

/**
 * rxt_ring_drop_all - forget all that was posted
 * @ring: a queue that the other side fills; nobody reads it now
 */
void rxt_ring_drop_all(struct rxt_ring *ring)
{
	u32 prod = rxt_ring_shared_prod(ring);

	WRITE_ONCE(ring->fetch, prod);
	WRITE_ONCE(ring->cons, prod);
	ring->bad = false;
	/* Our reads of the slots come first. */
	smp_store_release(&ring->buf->consumer_index, prod);
}

/**
 * rxt_ring_copy - first part of a resize: copy entries, no lock needed
 * @dst: new queue, unused
 * @src: old queue; entries that are read meanwhile are skipped later
 * @base: index in @src that becomes index 0 in @dst
 * @from: first entry
 * @to: entry behind the last
 */
void rxt_ring_copy(struct rxt_ring *dst, const struct rxt_ring *src, u32 base,
		   u32 from, u32 to)
{
	u32 i;

	for (i = from & src->mask; i != (to & src->mask);
	     i = (i + 1) & src->mask)
		memcpy(rxt_ring_slot(dst, (i - base) & src->mask),
		       rxt_ring_slot(src, i), BIT(src->shift));
}

/**
 * rxt_ring_take_over - last part of a resize
 * @dst: new queue, has the entries [@base, @copied)
 * @src: old queue, locked
 * @base: as in rxt_ring_copy()
 * @copied: first entry that is not in @dst yet
 * @cons: oldest entry in use
 * @prod: entry behind the newest
 *
 * Return: 0: @dst has it all; -EINVAL: it does not fit; -EAGAIN: too much came
 * since rxt_ring_copy(), copy again from @copied to @prod without the lock.
 */
int rxt_ring_take_over(struct rxt_ring *dst, const struct rxt_ring *src,
		       u32 base, u32 copied, u32 cons, u32 prod)
{
	if (((prod - cons) & src->mask) > dst->mask)
		return -EINVAL;
	if (((prod - copied) & src->mask) > RING_TAIL_MAX)
		return -EAGAIN;
	rxt_ring_copy(dst, src, base, copied, prod);

	dst->cons = ((cons - base) & src->mask) & dst->mask;
	dst->fetch = dst->cons;
	dst->prod = ((prod - base) & src->mask) & dst->mask;
	dst->buf->consumer_index = dst->cons;
	dst->buf->producer_index = dst->prod;
	return 0;
}

/**
 * rxt_mmap - map a queue into the process
 * @uctx: whose
 * @vma: where; the offset is of struct mminfo, the length must be all of it
 *
 * The pages themselves are counted, by each page table that has them: the
 * mapping outlives the queue, the device and this module, and so nothing of this
 * module may hang on it.
 */
int rxt_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	struct rxt_ring_map *map;
	int err;

	entry = rdma_user_mmap_entry_get(uctx, vma);
	if (!entry)
		return -EINVAL;
	map = container_of(entry, struct rxt_ring_map, entry);
	err = remap_vmalloc_range(vma, map->buf, 0);
	rdma_user_mmap_entry_put(entry);
	return err;
}

void rxt_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct rxt_ring_map *map = container_of(entry, struct rxt_ring_map,
						entry);

	vfree(map->buf);
	kfree(map);
}
