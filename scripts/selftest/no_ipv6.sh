#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 200
# append: ipv6.disable=1
# A host that was booted without IPv6.
. "$(dirname "$0")/lib.sh"
own_types_only "needs links in namespaces"

data() { run "$(limit 60)" "$BIN/verbs_data" -4 -n "$(scale 8)" -w "$(limit 50)" "$@"; }

check() {
	NS_UP=1
	netns_up 1500 2>/dev/null
	point "links" eval "link_add a && link_add b"
	point "GIDs of IPv4" eval "wait_for 5 gid_index a 4 && wait_for 5 gid_index b 4"
	point "no GID of IPv6" eval "! gid_index a 6"
	point "data" data -a $SPEC_A -b $SPEC_B
	point "perftest" perf "$(limit 60)" 4 ib_write_bw -s 65536 -n "$(scale 200)"
	topo_down
	point "modules unload" unload
}
point "there is no IPv6" test ! -e /proc/net/if_inet6
each_type check
