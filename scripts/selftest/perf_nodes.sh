#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 2
# kernels: stock debug
# timeout: 600
# perftest with its defaults and ibv_rc_pingpong between two machines, MTU 1500 and 9000, IPv4 and IPv6 GIDs.
. "$(dirname "$0")/lib.sh"
own_types_only "link type of this project only"

DEV=rx0
step=0

index() { "$BIN/verbs_gid" $DEV | awk -v f="$1" '$2 == f && $3 == "v2" { print $1; exit }'; }
up() { ss -Hltn "sport = :$PORT" | grep -q .; }

# both TEXT TOOL ARG...: node 1 serves, node 2 is the client; each has a point of its own.
both() {
	local text=$1 tool=$2 pid rc=0 s
	s=$(limit 60)
	shift 2
	step=$((step + 1))
	if [ "$NODE" = 1 ]; then
		timeout -k 5 "$s" "$tool" -p $PORT -d $DEV "$@" >"$TMP/out" 2>&1 &
		pid=$!
		wait_for 20 up
		rxt-barrier "$TYPE-$step-server" 300
		wait $pid || rc=$?
	else
		rxt-barrier "$TYPE-$step-server" 300
		timeout -k 5 "$s" "$tool" -p $PORT -d $DEV "$@" "$PEER" >"$TMP/out" 2>&1 || rc=$?
	fi
	[ $rc != 0 ] || case $tool in
	# The passive side of ib_read_lat and ib_atomic_lat has no figures.
	ib_*) [ "$NODE" = 1 ] || perf_figures "$TMP/out" || rc=1 ;;
	*) ! grep -qi 'invalid data' "$TMP/out" || rc=1 ;;
	esac
	if [ $rc = 0 ]; then ok "$text"; else not_ok "$text ($rc)" "$TMP/out"; fi
	rxt-barrier "$TYPE-$step-end" 300
}

check() {
	local mtu f t n x
	n=$(scale 200)
	for mtu in 1500 9000; do
		ip link set eth0 mtu $mtu
		point "MTU $mtu: link" rdma link add $DEV type "$TYPE" netdev eth0
		for f in 4 6; do
			wait_for 5 index $f >/dev/null
			x=$(index $f)
			for t in send write read; do
				both "MTU $mtu IPv$f: ib_${t}_bw" ib_${t}_bw -F -x "$x" -s 65536 -n "$n"
				both "MTU $mtu IPv$f: ib_${t}_lat" ib_${t}_lat -F -x "$x" -s 8 -n "$n"
			done
			both "MTU $mtu IPv$f: ib_atomic_lat" ib_atomic_lat -F -x "$x" -n "$n"
			both "MTU $mtu IPv$f: ibv_rc_pingpong -c" ibv_rc_pingpong -g "$x" -c -n "$n" -s 20000
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
