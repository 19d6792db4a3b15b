#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# What the device says of itself: attributes, limits that hold, rdma res, statistics, GIDs that follow the addresses.
. "$(dirname "$0")/lib.sh"

guid() { on "$1" ibv_devinfo -d "rx$1" | awk '/'"$2"'/ { print $2 }'; }

# gid have|lack GID CMD: seconds count from the end of CMD.
gid() { "$BIN/verbs_gid" $DEV_A "$1" "$2" "$(if foreign; then echo "$3"; else echo "ip netns exec a $3"; fi)" "$(limit 1000)"; }

addresses() {
	point "GID of a new IPv4 address" gid have ::ffff:10.2.2.2 "ip addr add 10.2.2.2/24 dev va"
	point "GID of a deleted IPv4 address" gid lack ::ffff:10.2.2.2 "ip addr del 10.2.2.2/24 dev va"
	point "GID of a new IPv6 address" gid have fd77::5 "ip addr add fd77::5/64 dev va nodad"
	point "GID of a deleted IPv6 address" gid lack fd77::5 "ip addr del fd77::5/64 dev va"
}

port_is() { on a rdma link show $DEV_A/1 | grep -q "state $1 "; }
mtu_is() { on a ibv_devinfo -d $DEV_A | grep -q "active_mtu:.*$1 "; }

port() {
	on a ip link set va mtu 9000
	point "netdev MTU 9000: active_mtu 4096" wait_for 3 mtu_is 4096
	on a ip link set va mtu 1500
	point "netdev MTU 1500: active_mtu 1024" wait_for 3 mtu_is 1024
	on a ip link set va down
	point "netdev down: port is down" wait_for 3 port_is DOWN
	on a ip link set va up
	point "netdev up: port is active" wait_for 3 port_is ACTIVE
	foreign || on a ip -6 addr add $ADDR6_A/64 dev va nodad
}

held() { # OBJECT EXPECTED-EXTRA
	local n
	# Not by link: a QP in RESET has no port yet.
	n=$(on a rdma res show "$1" | grep -c "$DEV_A.*comm verbs_hold")
	[ "$n" = "$2" ] || { echo "$1: $n"; on a rdma res show "$1"; return 1; }
}

resources() {
	local pid h
	"$BIN/verbs_hold" $SPEC_A $SPEC_B >"$TMP/hold" 2>&1 &
	pid=$!
	point "a program with everything open" wait_for "$(limit 15)" grep -q ready "$TMP/hold"
	on a rdma res show $DEV_A | sed 's/^/# /'
	point "rdma res show qp" held qp 5
	point "rdma res show cq" held cq 5
	point "rdma res show mr" held mr 1
	point "rdma res show pd" held pd 1
	point "rdma res show qp: RTS" eval "on a rdma res show qp link $DEV_A/1 | grep -q 'state RTS.*comm verbs_hold'"
	kill -TERM $pid
	wait $pid
	no_leak
}

counter() { on "$1" rdma -j -p statistic show link "rx$1/1" | awk -F'[:,]' -v n="\"$2\"" '$1 ~ n { print $2 + 0 }'; }

statistics() {
	local c x y
	for c in tx_msgs tx_bytes rx_msgs rx_bytes tx_acks rx_acks; do
		x+=" $(counter a $c)"
	done
	run "$(limit 60)" "$BIN/verbs_data" -a $SPEC_A -b $SPEC_B -n 2 >/dev/null
	for c in tx_msgs tx_bytes rx_msgs rx_bytes tx_acks rx_acks; do
		y=$(counter a $c)
		x=${x# }
		point "counter $c moves (${x%% *} to $y)" test "${y:-0}" -gt "${x%% *}"
		x=${x#* }
	done
}

check() {
	topo_up 1500
	if [ "$SLOW" = 1 ]; then
		points "limits" run 200 "$BIN/verbs_limits" -a $SPEC_A -q 200 -m 2000
	else
		points "limits" run 100 "$BIN/verbs_limits" -a $SPEC_A
	fi
	no_leak
	if ! foreign; then
		point "node GUIDs differ" test "$(guid a node_guid)" != "$(guid b node_guid)"
		point "image GUIDs differ" test "$(guid a sys_image_guid)" != "$(guid b sys_image_guid)"
		resources
		statistics
	fi
	addresses
	port
	topo_down
}
each_type check
