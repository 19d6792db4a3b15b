#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# Every RC test of perftest with its default arguments, over all sizes from 2 B to 8 MiB.
. "$(dirname "$0")/lib.sh"

check() {
	local t n
	n=$(scale 20)
	topo_up 1500
	for t in send write read; do
		point "ib_${t}_bw -a" perf "$(limit 150)" 4 ib_${t}_bw -a -n "$n"
		point "ib_${t}_lat -a" perf "$(limit 150)" 4 ib_${t}_lat -a -n "$n"
	done
	point "ib_atomic_bw fetch_add" perf "$(limit 60)" 4 ib_atomic_bw -A FETCH_AND_ADD -n "$(scale 1000)"
	point "ib_atomic_bw cmp_swp" perf "$(limit 60)" 4 ib_atomic_bw -A CMP_AND_SWAP -n "$(scale 1000)"
	point "ib_atomic_lat fetch_add" perf "$(limit 60)" 4 ib_atomic_lat -A FETCH_AND_ADD -n "$(scale 500)"
	point "ib_atomic_lat cmp_swp" perf "$(limit 60)" 4 ib_atomic_lat -A CMP_AND_SWAP -n "$(scale 500)"
	no_leak
	topo_down
}
each_type check
