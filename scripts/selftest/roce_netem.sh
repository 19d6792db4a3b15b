#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# RoCE over a bad network: loss, reordering, duplicates, delay, corrupted bytes, packet by packet and super-packet by
# super-packet. Every byte is right, a counter is exact, nothing stands still for 5 seconds.
. "$(dirname "$0")/lib.sh"
own_types_only "about the roce backend"
[[ " $RXT_BACKENDS " == *" roce "* ]] || skip_all "about the roce backend"
TYPE=rxt-roce

counter() { on "$1" rdma -j -p statistic show link "rx$1/1" | awk -F'[:,]' -v n="\"$2\"" '$1 ~ n { print $2 + 0 }'; }

# net ARG...: netem on both ways; none without ARG.
net() {
	local h
	for h in a b; do
		if [ $# = 0 ]; then
			ip netns exec $h tc qdisc del dev v$h root
		else
			ip netns exec $h tc qdisc add dev v$h root netem limit 20000 "$@"
		fi || return
	done
}

# Code 14: 67 ms, the common choice; 10: 4 ms would fire on a slow machine without need.
data() { run "$(limit 80)" "$BIN/verbs_data" -a $SPEC_A -b $SPEC_B -g "$(limit 5)" -T 14 -w "$(limit 75)" "$@"; }
count() { run "$(limit 80)" "$BIN/verbs_count" -g "$(limit 5)" -T 14 $SPEC_A $SPEC_B "$(scale 10000)"; }

# own_address TEXT QDISC-ARG...: data to itself through it: such packets have no ICRC, whatever the loopback device does.
own_address() {
	local text=$1
	shift
	ip netns exec a tc qdisc add dev lo root "$@"
	point "own address: $text" data -b $SPEC_A -n "$(scale 8)" -s 97
	ip netns exec a tc qdisc del dev lo root
}

scene() { # TEXT MIB NETEM-ARG... : data over such a network
	local text=$1 mib=$2
	shift 2
	net "$@"
	point "$text" data -4 -n "$mib" -s "$mib"
	tail -n 2 "$TMP/point" | grep '^#'
	net
}

singles() { # on|off: one packet an skb, or as many as fit
	local h n=65535
	[ "$1" = off ] || n=1
	for h in a b; do ip -n $h link set v$h gso_max_segs $n; done
}

topo_up 1500
for way in on off; do
	singles $way
	if [ $way = on ]; then what="single packets"; else what="super-packets"; fi
	scene "$what: loss 0.1 %" "$(scale 16)" loss 0.1%
	scene "$what: loss 1 %" "$(scale 10)" loss 1%
	scene "$what: loss 5 %" "$(scale 4)" loss 5%
	scene "$what: reordered" "$(scale 8)" delay 2ms reorder 75% 50%
	scene "$what: duplicates" "$(scale 8)" duplicate 10%
	scene "$what: 10 ms" "$(scale 8)" delay 10ms
	before=$(counter b bad_checksum)
	# Of super-packets there are few.
	[ $way = on ] && n=1% || n=10%
	scene "$what: corrupted bytes" "$(scale 8)" corrupt $n
	point "$what: bad checksums are counted" test "$(counter b bad_checksum)" -gt "$before"
done
point "data again over a good network" data -6 -n "$(scale 8)" -s 99
for loss in 1% 5%; do
	net loss $loss
	point "a counter under loss of $loss" count
	grep '^#' "$TMP/point"
	net
done
net loss 1% delay 1ms 1ms duplicate 1%
point "IPv6, all of it at once" data -6 -n "$(scale 4)" -s 98 -q 4
net
before=$(counter a bad_checksum)
for way in on off; do
	if [ $way = on ]; then n=1; else n=65535; fi
	ip -n a link set lo gso_max_segs $n
	own_address "gso_max_segs $n, corrupted bytes" netem limit 20000 corrupt 3%
	own_address "gso_max_segs $n, loss 1 %" netem limit 20000 loss 1%
	own_address "gso_max_segs $n, cut by a short tbf" tbf rate 400mbit burst 20kb latency 1s
done
point "own address: bad checksums are counted" test "$(counter a bad_checksum)" -gt "$before"
no_leak
topo_down
point "modules unload" unload
