#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# Network namespaces: two pairs of hosts with the same addresses, rdma system in shared and exclusive mode, sockets
# only where and while links exist. Each backend takes its turn.
. "$(dirname "$0")/lib.sh"
own_types_only "needs links in namespaces"

sockets() { ss -Hltn; ss -Hlun; }
ns_sockets() { ip netns exec "$1" ss -Hltun | wc -l; }
no_socket() { [ "$(ns_sockets "$1")" = 0 ]; }
has_dev() { ip netns exec "$1" rdma dev show | grep -q ": $2:"; }

all_down() {
	local n
	for n in a b c d; do link_del $n; done
	for n in a b c d; do ip netns del $n; done
} >/dev/null 2>&1

both_pairs() {
	local pid rc=0
	run "$(limit 60)" "$BIN/verbs_data" -a c@rxc -b d@rxd -n "$(scale 16)" -s 21 >"$TMP/second" 2>&1 &
	pid=$!
	run "$(limit 60)" "$BIN/verbs_data" -a a@rxa -b b@rxb -n "$(scale 16)" -s 20 || rc=$?
	wait $pid || { rc=1; cat "$TMP/second"; }
	return $rc
}

mode() { # shared|exclusive
	local before n seen
	before=$(sockets)
	point "rdma system set netns $1" rdma system set netns "$1" || return
	netns_up 1500 a b
	netns_up 1500 c d
	point "$1: no socket before there is a link" no_socket a
	for n in a b c d; do
		point "$1: link in namespace $n" link_add $n
		wait_for 5 gid_index $n 4 >/dev/null || not_ok "$1: GID in $n"
	done
	point "$1: the link has its port open" test "$(ns_sockets a)" -gt 0
	if [ "$1" = exclusive ]; then
		seen=$(ip netns exec a rdma dev show | wc -l)
		point "$1: a namespace sees its own device only ($seen)" test "$seen" = 1
	fi
	has_dev a rxa && ok "$1: the device is visible where it was made" ||
		not_ok "$1: the device is visible where it was made"
	point "$1: two pairs with the same addresses at once" both_pairs
	point "$1: nothing listens in the first namespace" test "$(sockets)" = "$before"
	# Two links in one namespace share the listener.
	ip -n a link add second type dummy
	ip -n a addr add 10.3.0.1/24 dev second
	ip -n a link set second up
	point "$1: a second link in a namespace" on a rdma link add rxs type "$TYPE" netdev second
	point "$1: delete the first one" link_del a
	point "$1: the port is still open" test "$(ns_sockets a)" -gt 0
	on a rdma link del rxs
	point "$1: the last link takes the sockets along" wait_for 5 no_socket a
	point "$1: the other pair does not care" run "$(limit 60)" "$BIN/verbs_data" -a c@rxc -b d@rxd -n 2 -s 22
	all_down
	point "$1: unload" unload
}

check() {
	modprobe ib_uverbs
	mode shared
	mode exclusive
	rdma system set netns shared
}
each_type check
