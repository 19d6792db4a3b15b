#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# The right status on the right request, the rest flushed in order, states and events of both sides.
. "$(dirname "$0")/lib.sh"

check() {
	local args=(-w "$(limit 200)")
	topo_up 1500
	if foreign; then
		args+=(-l)
	else
		args+=(-x "ip netns exec a tc qdisc add dev va root netem loss 100%"
		       -X "ip netns exec a tc qdisc del dev va root")
	fi
	points errors run "$(limit 220)" "$BIN/verbs_errors" -a $SPEC_A -b $SPEC_B "${args[@]}"
	no_leak
	topo_down
}
each_type check
