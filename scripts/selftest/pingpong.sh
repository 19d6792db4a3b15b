#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# The pingpong programs of libibverbs check the data (-c), polling and with events, over IPv4 and IPv6.
. "$(dirname "$0")/lib.sh"

pingpong() { # 4|6 TOOL ARG...
	local fam=$1 tool=$2 xa xb
	shift 2
	xa=$(gid_index a "$fam") && xb=$(gid_index b "$fam") || return
	duo "$(limit 60)" "$tool" -p $PORT -d $DEV_A -g "$xa" -c "$@" -- "$tool" -p $PORT -d $DEV_B -g "$xb" -c "$@" $ADDR_A &&
		! grep -i "invalid data" "$TMP/server" "$TMP/client"
}

check() {
	local fam n
	n=$(scale 500)
	topo_up 1500
	for fam in 4 6; do
		point "ibv_rc_pingpong IPv$fam" pingpong $fam ibv_rc_pingpong -n "$n"
		point "ibv_rc_pingpong IPv$fam, events" pingpong $fam ibv_rc_pingpong -e -n "$n"
		point "ibv_srq_pingpong IPv$fam" pingpong $fam ibv_srq_pingpong -n "$n"
		point "ibv_srq_pingpong IPv$fam, events" pingpong $fam ibv_srq_pingpong -e -n "$n"
	done
	point "ibv_rc_pingpong, 1 MiB" pingpong 4 ibv_rc_pingpong -s 1048576 -n "$(scale 50)"
	point "ibv_rc_pingpong, path MTU 256" pingpong 4 ibv_rc_pingpong -m 256 -s 65537 -n "$(scale 50)"
	point "ibv_rc_pingpong, 1 receive" pingpong 4 ibv_rc_pingpong -r 1 -n "$n"
	point "ibv_srq_pingpong, 64 QPs" pingpong 4 ibv_srq_pingpong -q 64 -r 128 -n "$n"
	point "ibv_uc_pingpong" pingpong 4 ibv_uc_pingpong -n "$n"
	point "ibv_uc_pingpong IPv6, events, 64 KiB" pingpong 6 ibv_uc_pingpong -e -s 65536 -n "$n"
	if carries_ud; then
		point "ibv_ud_pingpong" pingpong 4 ibv_ud_pingpong -s 1024 -n "$n"
		point "ibv_ud_pingpong IPv6, events" pingpong 6 ibv_ud_pingpong -e -s 1000 -n "$n"
	fi
	no_leak
	topo_down
}
each_type check
