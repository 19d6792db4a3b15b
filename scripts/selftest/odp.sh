#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 400
# On-demand paging: all operations on memory that is not pinned, goes away, is copied or never was there.
. "$(dirname "$0")/lib.sh"
own_types_only "rdma_rxe of 6.1 has no on-demand paging"

check() {
	local huge n=20
	[ "$SLOW" = 0 ] || n=5
	huge=$(cat /proc/sys/vm/nr_hugepages)
	echo 4 >/proc/sys/vm/nr_hugepages
	topo_up 1500
	points odp run "$(limit 150)" "$BIN/verbs_odp" -a $SPEC_A -b $SPEC_B -n $n -w "$(limit 140)"
	points odp run "$(limit 30)" "$BIN/verbs_odp" -k -a $SPEC_A -b $SPEC_B
	no_leak
	topo_down
	echo "$huge" >/proc/sys/vm/nr_hugepages
}
each_type check
