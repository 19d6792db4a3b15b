#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# Random data with every operation, every byte compared; one message of 1 GiB.
. "$(dirname "$0")/lib.sh"

data() { run "$(limit 90)" "$BIN/verbs_data" -a $SPEC_A -b $SPEC_B -w "$(limit 80)" "${atomic_write[@]}" "$@"; }

check() {
	local atomic_write=() huge=1073741824
	foreign || atomic_write=(-W)
	[ "$SLOW" = 0 ] || huge=16777216
	! foreign || huge=8000000

	topo_up 1500
	point "all operations, IPv4, MTU 1500" data -4 -n "$(scale 24)" -s 1
	point "path MTU 256" data -4 -n "$(scale 4)" -s 2 -m 1
	point "small messages" data -4 -n "$(scale 10)" -s 3 -x 300 -q 1
	point "8 queue pairs, IPv6" data -6 -n "$(scale 24)" -s 4 -q 8
	foreign || point "to the own address" data -b $SPEC_A -n "$(scale 24)" -s 8
	no_leak
	topo_down

	topo_up 9000
	point "MTU 9000, IPv4" data -4 -n "$(scale 24)" -s 5
	point "MTU 9000, IPv6" data -6 -n "$(scale 24)" -s 6
	points "huge" run "$(limit 90)" "$BIN/verbs_huge" $SPEC_A $SPEC_B $huge
	no_leak
	topo_down
}
each_type check
