// SPDX-License-Identifier: GPL-2.0
/*
 * All-to-all in MPI, in sizes for each protocol of the library below; every rank checks
 * every byte of what it gets.
 *	mpi_alltoall [ROUNDS]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define NUM_LENS	5

static int rank, ranks;

static unsigned char byte_of(int from, int to, int round, int i)
{
	return from * 31 + to * 17 + round * 7 + i + (i >> 8);
}

static void fill(unsigned char *out, int len, int round)
{
	int to, i;

	for (to = 0; to < ranks; to++)
		for (i = 0; i < len; i++)
			out[to * len + i] = byte_of(rank, to, round, i);
}

static int wrong(const unsigned char *in, int len, int round)
{
	int from, i;

	for (from = 0; from < ranks; from++)
		for (i = 0; i < len; i++)
			if (in[from * len + i] != byte_of(from, rank, round, i)) {
				fprintf(stderr,
					"rank %d, round %d, %d bytes: byte %d of rank %d is not right\n",
					rank, round, len, i, from);
				return 1;
			}
	return 0;
}

/* Returns how many ranks got something wrong. */
static int exchange(int len, int round, int collective)
{
	unsigned char *out = malloc(ranks * len), *in = calloc(ranks, len);
	MPI_Request req[2 * ranks];
	int bad, all, i;

	fill(out, len, round);
	if (collective) {
		MPI_Alltoall(out, len, MPI_BYTE, in, len, MPI_BYTE,
			     MPI_COMM_WORLD);
	} else {
		/* All of them at once, the last ones first. */
		for (i = 0; i < ranks; i++)
			MPI_Irecv(in + i * len, len, MPI_BYTE, i, round,
				  MPI_COMM_WORLD, &req[i]);
		for (i = ranks - 1; i >= 0; i--)
			MPI_Isend(out + i * len, len, MPI_BYTE, i, round,
				  MPI_COMM_WORLD, &req[ranks + i]);
		MPI_Waitall(2 * ranks, req, MPI_STATUSES_IGNORE);
	}
	bad = wrong(in, len, round);
	MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	free(out);
	free(in);
	return all;
}

int main(int argc, char **argv)
{
	static const int lens[NUM_LENS] = { 1, 100, 3000, 20000, 200000 };
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	int round, bad = 0;
	unsigned int i;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (i = 0; i < NUM_LENS; i++)
		for (round = 0; round < rounds; round++)
			bad += exchange(lens[i], round, round % 2);
	if (rank == 0)
		printf("%d ranks, %d rounds, %d wrong\n", ranks, rounds, bad);
	MPI_Finalize();
	return !!bad;
}
