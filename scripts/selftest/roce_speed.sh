#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock
# timeout: 300
# boot: own
# Speed against rdma_rxe: same guest, same address, taking turns, medians.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/speed_lib.sh"
own_types_only "compares two drivers by itself"
[[ " $RXT_BACKENDS " == *" roce "* ]] || skip_all "about the roce backend"
modinfo rdma_rxe >/dev/null 2>&1 || skip_all "no rdma_rxe"

# rdma_rxe knows the first namespace only, and one of the two can have the port: so one address, one device at a time.
measure() { # DRIVER WHAT TOOL ARG...
	local who=$1 what=$2 tool=$3 rc=0
	shift 3
	"${PIN_A[@]}" "$tool" -p $PORT -F -d rxa -x "$gid" "$@" >"$TMP/server" 2>&1 &
	wait_for 20 listening a $PORT
	run 60 "${PIN_B[@]}" "$tool" -p $PORT -F -d rxa -x "$gid" "$@" $ADDR_A >"$TMP/client" 2>&1 || { rc=1; cat "$TMP/client"; kill $!; }
	wait $!
	[ $rc != 0 ] || figure "$who" "$what" "$TMP/client"
	return $rc
}

turn() { # TYPE
	local rc
	# Loaded, it has the port.
	[ "$1" != rxe ] || modprobe rdma_rxe
	rdma link add rxa type "$1" netdev va || return
	wait_for 5 gid >/dev/null
	gid=$(gid)
	measure "$1" write64k ib_write_bw -s 65536 -n 1000 &&
		measure "$1" read64k ib_read_bw -s 65536 -n 1000 &&
		measure "$1" send64k ib_send_bw -s 65536 -n 1000 &&
		measure "$1" lat8 ib_write_lat -s 8 -n 1000
	rc=$?
	rdma link del rxa
	if [ "$1" = rxe ]; then modprobe -r rdma_rxe; else unload; fi
	return $rc
}

one_address_up
TYPE=rxe	# on() then stays in this namespace
# Latency is reported only: in one guest rdma_rxe copies between its QPs and sends no packet.
compare rxt-roce rxe write64k:220 read64k:220 send64k:220
note "lat8: rxt-roce${figures[rxt-roce.lat8]-}, rdma_rxe${figures[rxe.lat8]-}"
TYPE=
ip link del va
