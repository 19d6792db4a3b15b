#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock
# timeout: 600
# boot: own
# Speed against siw, the other RDMA over TCP: same guest, same run, taking turns, medians.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/speed_lib.sh"
[[ " $RXT_BACKENDS " == *" tcp "* ]] || skip_all "about the tcp backend"
[ -e "$BIN/siw.ko" ] || { not_ok "siw.ko was not built: see siw.log beside the programs"; exit 1; }

# One machine with one address: what siw can do. Its QPs come from rdma_cm (-R), the address picks the device.
# Its server goes with its client, or `rdma link del` would wait for it for ever.
measure() { # DRIVER WHAT TOOL ARG...
	local who=$1 what=$2 tool=$3 extra rc=0
	shift 3
	if [ "$who" = siw ]; then extra=(-R); else extra=(-x "$gid"); fi
	"${PIN_A[@]}" "$tool" -p $PORT -F -d rxa "${extra[@]}" "$@" >"$TMP/server" 2>&1 &
	wait_for 20 listening a $PORT
	run 60 "${PIN_B[@]}" "$tool" -p $PORT -F -d rxa "${extra[@]}" "$@" $ADDR_A >"$TMP/client" 2>&1 || { rc=1; cat "$TMP/client"; kill -9 $!; }
	wait $!
	if [ $rc = 0 ]; then
		figure "$who" "$what" "$TMP/client"
	elif [ "$who" = siw ]; then
		# Its connects get lost now and then: a figure less, and no fault of ours.
		note "$what: siw has not got through"
		rc=0
	fi
	return $rc
}

turn() { # rxt-tcp|siw
	local who=$1 rc
	if [ "$who" = siw ]; then
		modprobe -a iw_cm rdma_ucm libcrc32c
		insmod "$BIN/siw.ko"
		rdma link add rxa type siw netdev va
	else
		rdma link add rxa type rxt-tcp netdev va
		wait_for 5 gid >/dev/null
		gid=$(gid)
	fi
	sleep 1
	measure "$who" bw64k ib_write_bw -s 65536 -n 2000 &&
		measure "$who" bw1m ib_write_bw -s 1048576 -n 200 &&
		measure "$who" lat8 ib_write_lat -s 8 -n 2000
	rc=$?
	rdma link del rxa
	if [ "$who" = siw ]; then rmmod siw; else unload; fi
	return $rc
}

one_address_up
TYPE=siw	# on() then stays in this namespace
# Guards against getting slower, with room for a noisy machine; Documentation/testing.rst has the figures of a quiet one.
compare rxt-tcp siw bw64k:50 bw1m:90 lat8:45
TYPE=
ip link del va
