// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the GID table of a device as a program sees it, one line each:
 * INDEX FAMILY TYPE GID, with FAMILY 4, 6 or ll (link-local). Or runs a command
 * and waits until the table has a GID, or has it no more.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "verbs_util.h"

static const char *family(const union ibv_gid *gid)
{
	static const u8 v4[12] = { [10] = 0xff, [11] = 0xff };

	if (!memcmp(gid->raw, v4, sizeof(v4)))
		return "4";
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80 ? "ll" : "6";
}

static bool has_gid(struct ibv_context *ctx, const char *want)
{
	struct ibv_gid_entry tab[256];
	char txt[INET6_ADDRSTRLEN];
	ssize_t n, i;

	n = ibv_query_gid_table(ctx, tab, VU_ARRAY_SIZE(tab), 0);
	for (i = 0; i < n; i++)
		if (!strcmp(inet_ntop(AF_INET6, &tab[i].gid, txt, sizeof(txt)), want))
			return true;
	return false;
}

static int wait_gid(struct ibv_context *ctx, bool have, const char *gid,
		    const char *cmd, unsigned int ms)
{
	u64 t0;

	if (has_gid(ctx, gid) == have || system(cmd))
		return 1;
	t0 = vu_now_us();
	while (has_gid(ctx, gid) != have) {
		if (vu_now_us() - t0 > ms * 1000ull) {
			printf("not within %u ms\n", ms);
			return 1;
		}
		usleep(1000);
	}
	printf("%llu us\n", (unsigned long long)(vu_now_us() - t0));
	return 0;
}

static int print_gids(struct ibv_context *ctx)
{
	struct ibv_gid_entry tab[256];
	char txt[INET6_ADDRSTRLEN];
	ssize_t n, i;

	n = ibv_query_gid_table(ctx, tab, VU_ARRAY_SIZE(tab), 0);
	for (i = 0; i < n; i++)
		printf("%u %s %s %s\n", tab[i].gid_index, family(&tab[i].gid),
		       tab[i].gid_type == IBV_GID_TYPE_ROCE_V2 ? "v2" : "other",
		       inet_ntop(AF_INET6, &tab[i].gid, txt, sizeof(txt)));
	return n < 0;
}

int main(int argc, char **argv)
{
	struct ibv_context *ctx = NULL;
	struct ibv_device **list;
	int i;

	list = ibv_get_device_list(NULL);
	for (i = 0; argc > 1 && list && list[i] && !ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), argv[1]))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		return 1;
	if (argc == 6)
		return wait_gid(ctx, !strcmp(argv[2], "have"), argv[3], argv[4],
				atoi(argv[5]));
	return print_gids(ctx);
}
