// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the GID table of a device as a program sees it, one line each:
 * INDEX FAMILY TYPE GID, with FAMILY 4, 6 or ll (link-local).
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include "verbs_util.h"

static const char *family(const union ibv_gid *gid)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };

	if (!memcmp(gid->raw, v4, sizeof(v4)))
		return "4";
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80 ? "ll" : "6";
}

int main(int argc, char **argv)
{
	struct ibv_gid_entry tab[256];
	char txt[INET6_ADDRSTRLEN];
	struct ibv_device **list;
	struct ibv_context *ctx = NULL;
	ssize_t n, i;

	list = ibv_get_device_list(NULL);
	for (i = 0; argc == 2 && list && list[i] && !ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), argv[1]))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		return 1;
	n = ibv_query_gid_table(ctx, tab, VU_ARRAY_SIZE(tab), 0);
	for (i = 0; i < n; i++)
		printf("%u %s %s %s\n", tab[i].gid_index, family(&tab[i].gid),
		       tab[i].gid_type == IBV_GID_TYPE_ROCE_V2 ? "v2" : "other",
		       inet_ntop(AF_INET6, &tab[i].gid, txt, sizeof(txt)));
	return n < 0;
}
