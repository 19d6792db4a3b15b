#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# Links, netdevs, namespaces and modules go away under traffic, with one of everything open. It takes seconds, programs
# can still close what they hold, and nothing is left.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hold_lib.sh"
own_types_only "other drivers wait for programs to close"

module_netns_gone() { ip netns del a; ip netns del b; modprobe -r "${TYPE//-/_}"; }

scene() { # TEXT CMD...
	local text=$1
	shift
	topo_up 1500
	point "$text: traffic" hold || return
	point "$text: back in seconds" timed "$(limit 10)" "$@"
	point "$text: the program notices" wait_for "$(limit 10)" traffic_ended
	point "$text: the program can close everything" let_go
	topo_down
	point "$text: modules unload" unload
}

killed() {
	topo_up 1500
	point "kill -9: traffic" hold || return
	kill -KILL $holder
	point "kill -9: the program is gone" wait_for "$(limit 10)" dead $holder
	wait $holder 2>/dev/null
	no_leak "kill -9: no object is left"
	point "idle objects: open" hold -n
	point "idle objects: link del" timed "$(limit 10)" both_links
	point "idle objects: close" let_go
	topo_down
}

# Links come and go while others look.
churn() {
	local i n pid
	n=$(scale 20)
	netns_up 1500
	NS_UP=1
	while :; do
		rdma res show qp; rdma res; rdma link; rdma statistic
		cat /sys/class/infiniband/*/ports/1/{state,rate,gids/0}
	done >/dev/null 2>&1 &
	pid=$!
	for ((i = 0; i < n; i++)); do
		link_add a && link_add b || break
		case $((i % 3)) in
		0) ip -n a link set va down; link_del a; ip -n a link set va up ;;
		1) ip -n a addr flush dev va; link_del a; ip -n a addr add $ADDR_A/24 dev va ;;
		2) link_del a ;;
		esac
		link_del b || break
	done
	kill $pid
	wait $pid 2>/dev/null
	topo_down
	[ $i = "$n" ] || { echo "round $i of $n"; return 1; }
}

check() {
	scene "link del" both_links
	scene "netdev del" netdev
	scene "netns del" netns
	scene "modprobe -r" module
	scene "netns del and modprobe -r" module_netns_gone
	killed
	point "links come and go" churn
	point "modules unload" unload
}
each_type check
