#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# Programs that meet through the connection manager: ucmatose, udaddy, mckey, riostream, rcopy, rstream over rsocket's
# preload library, perftest -R, unreliable connections.
# RXT_CM_FILE: MiB of the file that rcopy copies (32).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cm_lib.sh"
own_types_only "needs links in namespaces"

L=$(limit 60)
PRELOAD=$(echo /usr/lib/*/rsocket/librspreload.so)

# perf_cm TOOL ARG...: perftest's server closes the listener of its first connection and opens another for the rest without
# telling the client, which may ask in between and is told that nobody listens. Then once more; any other answer stands.
TOO_SOON='REJECTED; error: 8|UNREACHABLE; error: 1\.'
perf_cm() {
	local tool=$1 i
	shift
	for i in 1 2 3 4 5; do
		meet "$L" "$tool" -p $PORT -F -R "$@" -- "$tool" -p $PORT -F -R "$@" $ADDR_A && break
		[ "$i" -lt 5 ] && grep -qE "$TOO_SOON" "$TMP/client" || return 1
	done
	perf_figures "$TMP/client" || { echo "no figures:"; cat "$TMP/client"; return 1; }
}

streams() { # TOOL-WITH-ENV... : with sizes of our own, the default takes minutes
	local s
	for s in 64 65536; do
		meet "$L" "$@" -S $s -I "$(scale 20)" -C 1 -- "$@" -S $s -I "$(scale 20)" -C 1 -s $ADDR_A || return
	done
}

check() {
	cm_up || return
	point "ucmatose" meet "$L" ucmatose -- ucmatose -s $ADDR_A
	point "ucmatose, 10 connections, 4000 bytes" meet "$L" ucmatose -c 10 -S 4000 -- ucmatose -c 10 -S 4000 -s $ADDR_A
	point "ucmatose IPv6" meet "$L" ucmatose -b $ADDR6_A -- ucmatose -s $ADDR6_A
	point "udaddy" meet "$L" udaddy -- udaddy -s $ADDR_A
	# Soon: an idle one is closed.
	if [ "$TYPE" = rxt-tcp ]; then
		point "all datagrams between two addresses take one stream" test "$(streams_open -4)" = 1
	fi
	point "udaddy, 5 connections, IPv6" meet "$L" udaddy -c 5 -b $ADDR6_A -- udaddy -c 5 -s $ADDR6_A
	if [ "$TYPE" = rxt-roce ]; then
		point "mckey" mckeys 239.1.1.1 $ADDR_A $ADDR_B
	fi
	point "riostream" streams riostream
	point "rcopy" copied $ADDR_A "${RXT_CM_FILE:-$(scale 32)}"
	point "rstream through the preload library" streams env LD_PRELOAD="$PRELOAD" rstream -T s
	point "ib_send_bw -R" perf_cm ib_send_bw -s 65536 -n "$(scale 200)"
	point "ib_write_bw -R -q 8" perf_cm ib_write_bw -s 65536 -q 8 -n "$(scale 100)"
	point "ib_read_lat -R" perf_cm ib_read_lat -s 8 -n "$(scale 100)"
	point "ib_send_lat -R -c UD" perf_cm ib_send_lat -c UD -s 64 -n "$(scale 100)"
	point "unreliable connections" meet "$L" "$BIN/cm_conn" -u -n 3 $ADDR_A -- "$BIN/cm_conn" -u -n 3 -c $ADDR_A
	point "an unreliable connection, IPv6" meet "$L" "$BIN/cm_conn" -u $ADDR6_A -- "$BIN/cm_conn" -u -c $ADDR6_A
	[ "$TYPE" != rxt-tcp ] || point "an idle stream is closed" wait_for 25 no_stream
	cm_down
}

streams_open() { on a ss -Htn "$@" state established '( sport = :4792 or dport = :4792 )' | wc -l; }
no_stream() { [ "$(streams_open)" = 0 ]; }

# mckeys GROUP RECEIVER SENDER: the receiver ends when it has all.
mckeys() {
	local pid rc=0
	on_bg a timeout -k 5 "$L" mckey -m "$1" -b "$2" >"$TMP/server" 2>&1 &
	pid=$!
	sleep 3
	on b timeout -k 5 "$L" mckey -m "$1" -b "$3" -s >"$TMP/client" 2>&1 || rc=$?
	wait $pid || rc=$?
	[ $rc = 0 ] || cat "$TMP/server" "$TMP/client"
	return $rc
}
each_type check
