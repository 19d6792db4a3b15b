#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# perftest over MTU 1500 and 9000, IPv4 and IPv6 GIDs.
. "$(dirname "$0")/lib.sh"

check() {
	local mtu fam t
	for mtu in 1500 9000; do
		topo_up $mtu
		for fam in 4 6; do
			for t in send write read; do
				point "ib_${t}_bw MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_${t}_bw -s 65536 -n "$(scale 300)"
			done
			point "ib_write_lat MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_write_lat -s 8 -n "$(scale 500)"
			point "ib_atomic_lat MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_atomic_lat -n "$(scale 300)"
		done
		no_leak
		topo_down
	done
}
each_type check
