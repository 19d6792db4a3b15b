// SPDX-License-Identifier: GPL-2.0
/*
 * What fsx does, in short: random reads, writes, truncations and mapped accesses of a
 * file, each compared with a copy in memory.
 *	file_ops FILE OPERATIONS [SEED]
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_MAX	0x100000u
#define CHUNK_MAX	0x20000u
#define NUM_OPS		7

static unsigned char model[FILE_MAX], buf[CHUNK_MAX];
static unsigned int size, step;
static const char *path;
static unsigned long long rng;
static int fd;

static unsigned int rnd(unsigned int below)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (rng >> 11) % below;
}

static void compare(const unsigned char *got, unsigned int off,
		    unsigned int len, const char *how)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		if (got[i] != model[off + i])
			errx(1, "step %u, %s: byte %u of %u is %02x, not %02x",
			     step, how, off + i, size, got[i], model[off + i]);
}

/* A part of the file that is there, seldom empty. */
static unsigned int part(unsigned int *off)
{
	*off = rnd(size);
	return 1 + rnd(size - *off < CHUNK_MAX ? size - *off : CHUNK_MAX);
}

static void grow(unsigned int to)
{
	if (to > size) {
		memset(model + size, 0, to - size);
		size = to;
	}
}

static void fill(unsigned char *to, unsigned int off, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++) {
		model[off + i] = step * 7 + i * 3 + (i >> 8);
		to[i] = model[off + i];
	}
}

static void do_write(void)
{
	unsigned int off = rnd(FILE_MAX - CHUNK_MAX), len = 1 + rnd(CHUNK_MAX);

	grow(off + len);
	fill(buf, off, len);
	if (pwrite(fd, buf, len, off) != (ssize_t)len)
		err(1, "step %u: pwrite", step);
}

static void do_read(void)
{
	unsigned int off, len = part(&off);

	if (pread(fd, buf, len, off) != (ssize_t)len)
		err(1, "step %u: pread", step);
	compare(buf, off, len, "read");
}

static void do_truncate(void)
{
	unsigned int to = 1 + rnd(FILE_MAX);

	grow(to);
	size = to;
	if (ftruncate(fd, to))
		err(1, "step %u: ftruncate", step);
}

static void do_map(void)
{
	unsigned int off, len = part(&off);
	unsigned char *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		err(1, "step %u: mmap", step);
	compare(map + off, off, len, "mapped read");
	fill(map + off, off, len);
	if (msync(map, size, MS_SYNC))
		err(1, "step %u: msync", step);
	munmap(map, size);
}

/* What the server has, not what the client's cache has. */
static void do_reopen(void)
{
	if (fsync(fd))
		err(1, "step %u: fsync", step);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
	fd = open(path, O_RDWR);
	if (fd < 0)
		err(1, "step %u: %s", step, path);
	if (lseek(fd, 0, SEEK_END) != (off_t)size)
		errx(1, "step %u: the size is not %u", step, size);
}

static void all(void)
{
	unsigned int off, len;

	do_reopen();
	for (off = 0; off < size; off += len) {
		len = size - off < CHUNK_MAX ? size - off : CHUNK_MAX;
		if (pread(fd, buf, len, off) != (ssize_t)len)
			err(1, "at the end: pread");
		compare(buf, off, len, "at the end");
	}
}

int main(int argc, char **argv)
{
	static void (*const ops[NUM_OPS])(void) = {
		do_write, do_write, do_read, do_read, do_truncate, do_map,
		do_reopen,
	};
	unsigned int n;

	if (argc < 3)
		errx(2, "usage: file_ops FILE OPERATIONS [SEED]");
	path = argv[1];
	n = strtoul(argv[2], NULL, 0);
	rng = 88172645463325252ull + (argc > 3 ? strtoul(argv[3], NULL, 0) : 0);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		err(1, "%s", path);
	do_write();
	for (step = 1; step <= n; step++)
		ops[rnd(NUM_OPS)]();
	all();
	printf("%u operations, %u bytes at the end\n", n, size);
	return 0;
}
