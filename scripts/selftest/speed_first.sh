#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock
# timeout: 600
# boot: own
# Speed against siw, the other RDMA over TCP: same guest, same run, taking turns, medians of three; 100 % is as fast as
# siw. A report: that all of it runs is what passes or fails, the figures are for people (Documentation/testing.rst).
. "$(dirname "$0")/lib.sh"
[[ " $RXT_BACKENDS " == *" tcp "* ]] || skip_all "about the tcp backend"
[ -e "$BIN/siw.ko" ] || { not_ok "siw.ko was not built: see siw.log beside the programs"; exit 1; }

declare -A figures

# One machine with one address: what siw can do. Its QPs come from rdma_cm (-R), the address picks the device.
measure() { # NAME TOOL ARG...: appends the figure of one run
	local who=$1 what=$2 tool=$3 extra=() to=$ADDR_A
	shift 3
	if [ "$who" = siw ]; then extra=(-R); else extra=(-x "$gid"); fi
	"${PIN_A[@]}" "$tool" -p $PORT -F -d rxa "${extra[@]}" "$@" >"$TMP/server" 2>&1 &
	wait_for 20 listening a $PORT
	run 150 "${PIN_B[@]}" "$tool" -p $PORT -F -d rxa "${extra[@]}" "$@" $to >"$TMP/client" 2>&1 || { cat "$TMP/client"; return 1; }
	wait
	figures[$who.$what]+=" $(awk '/^ *[0-9]+ +[0-9]+ +[0-9.]+/ { print ENVIRON["lat"] ? $5 : $4 }' "$TMP/client")"
}

turn() { # rxt|siw
	local who=$1
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
		lat=1 measure "$who" lat8 ib_write_lat -s 8 -n 1000
	rc=$?
	rdma link del rxa
	if [ "$who" = siw ]; then rmmod siw; else unload; fi
	return $rc
}
gid() { "$BIN/verbs_gid" rxa | awk '$2 == 4 { print $1; exit }' | grep .; }

median() { tr ' ' '\n' <<<"${figures[$1]}" | grep . | sort -g | sed -n 2p; }

all_turns() {
	local i
	figures=()
	for i in 1 2 3; do
		turn rxt && turn siw || return
	done
}

# ratio WHAT: rxt / siw in percent, for latency the other way round: 100 and more is good.
ratio() {
	local r s
	r=$(median "rxt.$1") s=$(median "siw.$1")
	if [ "$1" = lat8 ]; then set -- "$s" "$r"; else set -- "$r" "$s"; fi
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%d\n", (b > 0 ? 100 * a / b : 0) }'
}

show() {
	local w
	for w in bw64k bw1m lat8; do
		note "$w: rxt-tcp$(printf ' %s' ${figures[rxt.$w]}), siw$(printf ' %s' ${figures[siw.$w]}): $(ratio $w) %"
	done
}

ip link add va type veth peer name vb
ip addr add $ADDR_A/24 dev va
ip link set va up
ip link set vb up
TYPE=siw	# on() then stays in this namespace
point "three turns each" all_turns || exit 1
show
TYPE=
ip link del va
