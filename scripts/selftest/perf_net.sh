#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# perftest over MTU 1500 and 9000, IPv4 and IPv6 GIDs: RC, and the unreliable types that a backend carries.
. "$(dirname "$0")/lib.sh"

# All receives are posted before the first message comes: what is not lost arrives.
unreliable() {
	local n
	n=$(scale 300)
	point "ib_send_bw -c UC MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_send_bw -c UC -s 16384 -r 512 -n "$n"
	point "ib_write_bw -c UC MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_write_bw -c UC -s 65536 -n "$n"
	point "ib_write_lat -c UC MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_write_lat -c UC -s 8 -n "$n"
	carries_ud || return 0
	point "ib_send_bw -c UD MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_send_bw -c UD -s 1024 -r 512 -n "$n"
	point "ib_send_lat -c UD MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_send_lat -c UD -s 64 -n "$n"
}

check() {
	local mtu fam t
	for mtu in 1500 9000; do
		topo_up $mtu
		for fam in $(some "4 6" "$([ $mtu = 1500 ] && echo 4 || echo 6)"); do
			for t in send write read; do
				point "ib_${t}_bw MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_${t}_bw -s 65536 -n "$(scale 300)"
			done
			point "ib_write_lat MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_write_lat -s 8 -n "$(scale 500)"
			point "ib_atomic_lat MTU $mtu IPv$fam" perf "$(limit 60)" $fam ib_atomic_lat -n "$(scale 300)"
			unreliable
		done
		no_leak
		topo_down
	done
}
each_type check
