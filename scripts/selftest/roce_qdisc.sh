#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# RoCE and local queues: one that is short and slow refuses packets, and data is right all the same; one parks packets
# for 8 seconds while queue pair, link, netdev, namespace or module go away, which waits for none of them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hold_lib.sh"
own_types_only "about the roce backend"
[[ " $RXT_BACKENDS " == *" roce "* ]] || skip_all "about the roce backend"
TYPE=rxt-roce
PARK=8

qdisc() { # add|del ARG...: on both hosts
	local h what=$1
	shift
	for h in a b; do ip netns exec $h tc qdisc "$what" dev v$h "$@" || return; done
}
dropped() { ip netns exec a tc -s qdisc show dev va | grep -oE 'dropped [0-9]+' | awk '{ n += $2 } END { print n + 0 }'; }
data() { run "$(limit 90)" "$BIN/verbs_data" -a $SPEC_A -b $SPEC_B -T 14 -w "$(limit 80)" "$@"; }

refusing() { # TEXT ARG...: after the qdisc was set up
	local text=$1 n
	shift
	point "$text: data" data "$@"
	grep '^#' "$TMP/point"
	n=$(dropped)
	point "$text: packets were refused ($n)" test "$n" -gt 0
}

short_queues() {
	local rate=200mbit
	# The debug kernel is too slow to send that much.
	[ "$SLOW" = 0 ] || rate=20mbit
	topo_up 1500
	for h in a b; do ip -n $h link set v$h gso_max_segs 1; done
	qdisc add root handle 1: tbf rate 200mbit burst 16kb latency 1s
	qdisc add parent 1:1 handle 10: pfifo limit 2
	refusing "tbf, pfifo of 2 packets" -4 -n "$(scale 4)" -s 1
	qdisc del root
	qdisc add root handle 1: tbf rate $rate burst 10kb limit 20kb
	refusing "tbf with 20 KB" -6 -n "$(scale 4)" -s 2 -q 4
	qdisc del root
	for h in a b; do ip -n $h link set v$h gso_max_segs 65535; done
	qdisc add root handle 1: tbf rate 200mbit burst 100kb latency 1s
	qdisc add parent 1:1 handle 10: pfifo limit 2
	refusing "tbf, pfifo of 2 super-packets" -4 -n "$(scale 8)" -s 3
	qdisc del root
	point "and without" data -n "$(scale 8)" -s 4
	no_leak
	topo_down
}

parked() { # TEXT CMD...: CMD while packets are parked
	local text=$1
	shift
	topo_up 1500
	point "parked, $text: traffic" hold || return
	qdisc add root netem limit 100000 delay ${PARK}s
	sleep 0.5
	point "parked, $text: back in seconds" timed "$(limit 5)" "$@"
	dead $holder || point "parked, $text: the program can close everything" let_go
	# What is parked comes out where there is nobody any more.
	[ -e /run/netns/a ] && sleep $((PARK + 1))
	topo_down
	point "parked, $text: modules unload" unload
}

short_queues
parked "QPs closed" let_go
parked "link del" both_links
parked "netdev del" netdev
parked "netns del" netns
parked "modprobe -r" module
