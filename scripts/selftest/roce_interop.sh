#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 2
# kernels: stock debug
# timeout: 600
# rxt-roce on one machine, rdma_rxe on the other, each of them as server and as client: perftest and the pingpong programs with RC,
# UC and UD, the connection manager, path MTU 1024 and 4096, IPv4 and IPv6.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nodes_lib.sh"
own_types_only "about the roce backend"
[[ " $RXT_BACKENDS " == *" roce "* ]] || skip_all "about the roce backend"
if [ "$NODE" = 1 ]; then TYPE=rxt-roce; else TYPE=rxe; fi
STEPS=interop
STEP_LIMIT=100

programs() { # MTU FAMILY
	local mtu=$1 f=$2 t n x w
	n=$(scale 50)
	x=$(index "$f")
	w="node $SERVER serves, MTU $mtu, IPv$f"
	for t in send write read; do
		both "$w: ib_${t}_bw" ib_${t}_bw -F -x "$x" -s 65536 -n "$n"
	done
	both "$w: ib_write_lat" ib_write_lat -F -x "$x" -s 8 -n "$n"
	both "$w: ib_atomic_lat" ib_atomic_lat -F -x "$x" -n "$n"
	both "$w: ibv_rc_pingpong" ibv_rc_pingpong -g "$x" -c -n "$n" -s 20000
	both "$w: ibv_uc_pingpong" ibv_uc_pingpong -g "$x" -c -n "$n" -s 2000
	both "$w: ibv_ud_pingpong" ibv_ud_pingpong -g "$x" -c -n "$n" -s 1000
	both "$w: ib_send_lat -c UD" ib_send_lat -F -x "$x" -c UD -s 64 -n "$n"
}

sizes() { # TOOL...
	local t x
	x=$(index 4)
	for t in "$@"; do
		both "node $SERVER serves: ib_${t}_lat -a" ib_${t}_lat -F -x "$x" -a -n 5
	done
}

# The connection manager of either side with that of the other.
managed() { # ADDRESS-OF-NODE-1 ADDRESS-OF-NODE-2
	local to=${!SERVER} n w="node $SERVER serves, $1"
	n=$(scale 30)
	both_cm "$w: rping" rping -s -a "$to" -V -C "$n" -- rping -c -a "$to" -V -C "$n"
	both_cm "$w: rping, 64 KiB" rping -s -a "$to" -V -S 65535 -C 5 -- rping -c -a "$to" -V -S 65535 -C 5
	both_cm "$w: ucmatose" ucmatose -b "$to" -- ucmatose -s "$to"
	both_cm "$w: udaddy" udaddy -b "$to" -- udaddy -s "$to"
}

[ "$NODE" = 1 ] || modprobe rdma_rxe
for mtu in 1500 9000; do
	ip link set eth0 mtu $mtu
	point "MTU $mtu: link" rdma link add $DEV type "$TYPE" netdev eth0
	wait_for 5 index 4 >/dev/null
	wait_for 5 index 6 >/dev/null
	rxt-barrier "$STEPS-$mtu" 300
	SERVER=1 && programs $mtu 4 && SERVER=2 && programs $mtu 6
	for SERVER in 1 2; do
		if [ $mtu = 1500 ]; then managed 10.9.0.1 10.9.0.2; else managed fd09::1 fd09::2; fi
	done
	[ $mtu = 9000 ] || { SERVER=1 && sizes send read && SERVER=2 && sizes write read; }
	rxt-barrier "$STEPS-$mtu-done" 300
	point "MTU $mtu: link del" rdma link del $DEV
done
ip link set eth0 mtu 1500
if [ "$NODE" = 1 ]; then point "modules unload" unload; else modprobe -r rdma_rxe; fi
