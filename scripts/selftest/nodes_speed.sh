#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 2
# kernels: stock
# timeout: 900
# boot: own
# tcp, roce and rdma_rxe between two machines, taking turns: latency on a good network, throughput on worse and worse ones.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nodes_lib.sh"
. "$(dirname "$0")/speed_lib.sh"
own_types_only "compares drivers by itself"
modinfo rdma_rxe >/dev/null 2>&1 || skip_all "no rdma_rxe"
STEPS=speed

types="rxe"
for be in $RXT_BACKENDS; do types+=" rxt-$be"; done

# network NETEM-ARG...: what both machines send goes through it; none: a good one.
network() {
	tc qdisc del dev eth0 root 2>/dev/null
	[ $# = 0 ] || tc qdisc add dev eth0 root netem limit 10000 "$@"
}

begin() { # TYPE
	TYPE=$1
	# Loaded, it has the port.
	[ "$1" != rxe ] || modprobe rdma_rxe
	rdma link add $DEV type "$1" netdev eth0 && wait_for 5 index 4 >/dev/null
	step=$((step + 1))
	rxt-barrier "$STEPS-$step-link" 300
}

end() {
	step=$((step + 1))
	rxt-barrier "$STEPS-$step-done" 300
	rdma link del $DEV
	if [ "$TYPE" = rxe ]; then modprobe -r rdma_rxe; else unload; fi
	TYPE=
}

# measure WHAT TOOL ARG...: the client's figure. What rdma_rxe cannot do is 0 and no error of ours.
measure() {
	local what=$1 text="$1" rc=0
	shift
	pair "$@" -F -x "$(index 4)" || rc=$?
	if [ "$NODE" != $SERVER ]; then
		if [ $rc = 0 ]; then figure "$TYPE" "$what" "$TMP/out"; else figures[$TYPE.$what]+=" 0"; fi
	fi
	[ "$TYPE" = rxe ] || point "$text" [ $rc = 0 ] || cat "$TMP/out"
}

for _ in 1 2 3; do
	for t in $types; do
		begin "$t"
		measure "lat8" ib_write_lat -s 8 -n 1000
		end
	done
done
networks=("good" "loss 0.1%" "loss 1%" "loss 5%" "delay 10ms")
[ "$BRIEF" = 0 ] || networks=("good" "loss 1%")
for net in "${networks[@]}"; do
	# shellcheck disable=SC2086 # words
	[ "$net" = good ] || network $net
	for t in $types; do
		begin "$t"
		measure "$net" ib_write_bw -s 65536 -D 6 -f 1
		end
	done
	network
done

[ "$NODE" != $SERVER ] || exit 0
note "ib_write_lat -s 8, us, typical, medians of 3; ib_write_bw -s 65536, MB/s:"
note "$(printf '%-12s' network; printf '%12s' $types)"
for what in lat8 "${networks[@]}"; do
	note "$(printf '%-12s' "$what"; for t in $types; do printf '%12s' "$(median "$t.$what")"; done)"
done
# A guard with room for a noisy machine; Documentation/testing.rst has the figures of a quiet one.
for t in $types; do
	[ "$t" = rxe ] || point "$t: latency at least 60 % as good as rdma_rxe's" [ "$(ratio lat8 "$t" rxe)" -ge 60 ]
done
