#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# rxt-roce against rdma_rxe in one guest: every operation in both directions with every byte compared, and each field of what is on
# the wire beside rdma_rxe's own packets.
. "$(dirname "$0")/lib.sh"
own_types_only "about the roce backend"
[[ " $RXT_BACKENDS " == *" roce "* ]] || skip_all "about the roce backend"
modprobe rdma_rxe || skip_all "no rdma_rxe"
TYPE=rxt-roce

# rdma_rxe knows the first namespace only: it is host a here.
up() { # MTU
	ip link add va mtu "$1" type veth peer name vb mtu "$1"
	ip netns add b
	ip link set vb netns b
	ip addr add $ADDR_A/24 dev va
	ip addr add $ADDR6_A/64 dev va nodad
	ip -n b addr add $ADDR_B/24 dev vb
	ip -n b addr add $ADDR6_B/64 dev vb nodad
	ip link set va up
	ip -n b link set vb up
	ip -n b link set lo up
	rdma link add rxa type rxe netdev va && link_add b || return
	wait_for 5 gids a "$BIN/verbs_gid" rxa && wait_for 5 gids b ip netns exec b "$BIN/verbs_gid" rxb
}
gids() { shift; "$@" >"$TMP/gids" && grep -q ' 4 v2' "$TMP/gids" && grep -q ' 6 v2' "$TMP/gids"; }
down() {
	rdma link del rxa
	link_del b
	ip link del va
	ip netns del b
}
data() { run "$(limit 90)" "$BIN/verbs_data" -a rxa -b b@rxb -w "$(limit 80)" "$@"; }

# Each packet by itself is what a capture shows; both sides get along with that anyway.
capture() { # FILTER: everything that two short runs send
	local pid
	ip -n b link set vb gso_max_segs 1
	tcpdump -i va -s 0 -B 32768 -w "$TMP/cap" "udp port 4791" >"$TMP/tcpdump" 2>&1 &
	pid=$!
	wait_for 10 grep -q listening "$TMP/tcpdump" || { cat "$TMP/tcpdump"; return 1; }
	data -4 -n 2 -s 7 -m 3 -x 20000 && data -6 -n 1 -s 8 -x 20000 -q 1
	sleep 1
	kill $pid
	wait $pid
	ip -n b link set vb gso_max_segs 65535
}
# Random payload looks like one of many protocols now and then, and is malformed as such: that is not meant.
malformed() {
	tshark -r "$TMP/cap" -Y '(_ws.malformed && frame.protocols matches "infiniband(:data)?$") || !infiniband' -T fields -e frame.number -e _ws.col.Info >"$TMP/odd" 2>"$TMP/err"
	! [ -s "$TMP/odd" ] || { head "$TMP/odd"; return 1; }
	tail -n 3 "$TMP/err"
	[ "$(tshark -r "$TMP/cap" -c 500 -Y infiniband.bth.opcode -T fields -e infiniband.bth.opcode 2>/dev/null | wc -l)" = 500 ]
}

for mtu in 1500 9000; do
	point "MTU $mtu: links" up $mtu || exit 1
	point "MTU $mtu: all operations, IPv4" data -4 -n "$(scale 8)" -s $mtu
	point "MTU $mtu: all operations, IPv6, 4 queue pairs" data -6 -n "$(scale 8)" -s $mtu -q 4
	point "MTU $mtu: path MTU 256" data -4 -n "$(scale 2)" -s $mtu -m 1
	points "MTU $mtu: 8 MB" run "$(limit 12)" "$BIN/verbs_huge" rxa b@rxb 8000000
	points "MTU $mtu: 8 MB the other way" run "$(limit 12)" "$BIN/verbs_huge" b@rxb rxa 8000000
	if [ $mtu = 1500 ]; then
		point "a capture" capture
		points "on the wire" /usr/bin/python3 "$SELFTEST/roce_frames.py" "$TMP/cap" $ADDR_B $ADDR6_B
		point "tshark finds nothing malformed" malformed
	fi
	point "MTU $mtu: links go" down
done
point "modules unload" unload
modprobe -r rdma_rxe
