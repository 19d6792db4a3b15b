#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 2
# kernels: stock debug
# timeout: 600
# perftest with its defaults and the pingpong programs between two machines, MTU 1500 and 9000, IPv4 and IPv6 GIDs.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nodes_lib.sh"
own_types_only "link type of this project only"

check() {
	local mtu f t n x
	n=$(scale 200)
	for mtu in 1500 9000; do
		ip link set eth0 mtu $mtu
		point "MTU $mtu: link" rdma link add $DEV type "$TYPE" netdev eth0
		for f in $(some "4 6" "$([ $mtu = 1500 ] && echo 4 || echo 6)"); do
			wait_for 5 index $f >/dev/null
			x=$(index $f)
			for t in send write read; do
				both "MTU $mtu IPv$f: ib_${t}_bw" ib_${t}_bw -F -x "$x" -s 65536 -n "$n"
				both "MTU $mtu IPv$f: ib_${t}_lat" ib_${t}_lat -F -x "$x" -s 8 -n "$n"
			done
			both "MTU $mtu IPv$f: ib_atomic_lat" ib_atomic_lat -F -x "$x" -n "$n"
			both "MTU $mtu IPv$f: ibv_rc_pingpong -c" ibv_rc_pingpong -g "$x" -c -n "$n" -s 20000
			both "MTU $mtu IPv$f: ibv_uc_pingpong -c" ibv_uc_pingpong -g "$x" -c -n "$n" -s 2000
			if carries_ud; then
				both "MTU $mtu IPv$f: ibv_ud_pingpong -c" ibv_ud_pingpong -g "$x" -c -n "$n" -s 1000
				both "MTU $mtu IPv$f: ib_send_lat -c UD" ib_send_lat -F -x "$x" -c UD -s 64 -n "$n"
			fi
		done
		if [ $mtu = 1500 ]; then
			x=$(index 4)
			for t in send write read; do
				both "ib_${t}_bw -a" ib_${t}_bw -F -x "$x" -a -n "$(scale 20)"
			done
			both "ib_send_bw -b -e" ib_send_bw -F -x "$x" -b -e -s 16384 -n "$n"
			both "ib_write_bw -q 16" ib_write_bw -F -x "$x" -q 16 -s 16384 -n "$(scale 50)"
			both "ib_send_bw --use-srq -q 4" ib_send_bw -F -x "$x" --use-srq -q 4 -s 4096 -n "$n"
		fi
		rxt-barrier "$TYPE-$mtu-done" 300
		point "MTU $mtu: link del" rdma link del $DEV
	done
	ip link set eth0 mtu 1500
	point "modules unload" unload
}
each_type check
