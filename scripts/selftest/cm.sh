#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# The connection manager, by rping: sizes, address families, link-local addresses with scope, the own address, wildcard
# listeners, several links and addresses on a host, servers that come and go, connections without end.
# RXT_CM_CONNS, RXT_CM_RPINGS: how many of the last (40, 8). RXT_CM_PINGS: round trips with 64 bytes (50).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cm_lib.sh"
own_types_only "needs links in namespaces"

L=$(limit 60)

# rpings TEXT SERVER-ADDRESS CLIENT-ADDRESS SIZE COUNT [CLIENT-ARG...]
rpings() {
	local text=$1 to=$2 from=$3 size=$4 n=$5
	shift 5
	point "rping $text" meet "$L" rping -s -a "$to" -V -S "$size" -C "$n" -- \
		rping -c -a "$from" -v -V -S "$size" -C "$n" "$@" || return
	[ "$(grep -c 'rdma-ping-[0-9]' "$TMP/client")" = "$n" ] || not_ok "rping $text: $n answers" "$TMP/client"
}

link_local() { ip -n "$1" -6 -o addr show dev "$2" scope link | awk '{ sub("/.*", "", $4); print $4; exit }'; }

second_links() {
	ip -n a link add va2 mtu 1500 type veth peer name vb2 mtu 1500 netns b
	ip -n a addr add 10.2.0.1/24 dev va2
	ip -n b addr add 10.2.0.2/24 dev vb2
	ip -n a addr add 10.1.0.11/24 dev va
	ip -n a link set va2 up
	ip -n b link set vb2 up
	on a rdma link add rxa2 type "$TYPE" netdev va2 && on b rdma link add rxb2 type "$TYPE" netdev vb2 &&
		wait_for 5 has_gid rxa2 10.2.0.1 && wait_for 5 has_gid rxa 10.1.0.11
}

has_gid() { # DEV IPV4
	local b
	IFS=. read -ra b <<<"$2"
	on a grep -qr "$(printf 'ffff:%02x%02x:%02x%02x' "${b[@]}")" "/sys/class/infiniband/$1/ports/1/gids/"
}

several() {
	local pid rc=0
	point "a second link on each host" second_links || return
	rpings "over the second link" 10.2.0.1 10.2.0.1 64 10
	rpings "to 0.0.0.0, first link" 0.0.0.0 10.1.0.1 64 10
	rpings "to 0.0.0.0, second link" 0.0.0.0 10.2.0.1 64 10
	rpings "to ::, first link" :: $ADDR6_A 64 10
	point "rping between two addresses of one link" meet "$L" -ns a rping -s -a 10.1.0.1 -C 10 -- \
		rping -c -I 10.1.0.11 -a 10.1.0.1 -v -C 10
	# Two servers, two addresses, one port.
	on_bg a timeout -k 5 "$L" rping -s -a 10.1.0.11 -C 10 >"$TMP/other" 2>&1 &
	pid=$!
	wait_for 20 cm_listens a
	rpings "with another server on that port" 10.1.0.1 10.1.0.1 64 10
	on b timeout -k 5 "$L" rping -c -a 10.1.0.11 -v -C 10 >"$TMP/client" 2>&1 || rc=$?
	if [ $rc = 0 ]; then ok "rping to the other server"; else not_ok "rping to the other server" "$TMP/client"; fi
	kill $pid 2>/dev/null
	wait $pid 2>/dev/null
	on a rdma link del rxa2
	on b rdma link del rxb2
	ip -n a link del va2
	ip -n a addr del 10.1.0.11/24 dev va
}

# A server killed in all its states, and its successor on the same port at once.
restarts() {
	local i pid n
	n=$(scale 4)
	for ((i = 0; i < n; i++)); do
		on_bg a rping -s -a $ADDR_A -P >/dev/null 2>&1 &
		pid=$!
		wait_for 10 cm_listens a || { echo "server $i does not listen"; return 1; }
		on b timeout -k 5 "$L" rping -c -a $ADDR_A -v -C 2 || return 1
		on_bg b timeout -k 5 "$L" rping -c -a $ADDR_A -C 100000 >/dev/null 2>&1 &
		sleep 0.2
		kill -KILL $pid
		wait $pid 2>/dev/null
		wait $! 2>/dev/null
	done
	return 0
}

# Processes for some of them, a pair of processes for many.
connections() {
	local i pid n=${RXT_CM_RPINGS:-$(scale 8)} many=${RXT_CM_CONNS:-$(scale 40)} before after
	on_bg a rping -s -a $ADDR_A -P >"$TMP/server" 2>&1 &
	pid=$!
	wait_for 10 cm_listens a
	for ((i = 0; i < n; i++)); do
		on b timeout -k 5 "$L" rping -c -a $ADDR_A -C 1 >"$TMP/client" 2>&1 || break
	done
	if [ $i = "$n" ]; then ok "$n runs of rping to one server"; else not_ok "run $i of $n" "$TMP/client"; fi
	kill $pid
	wait $pid 2>/dev/null
	before=$(memory)
	point "$many connections one after the other" meet $((L + 2 * many)) "$BIN/cm_conn" -n "$many" $ADDR_A -- \
		"$BIN/cm_conn" -n "$many" -c $ADDR_A
	after=$(memory)
	# 8 MiB are other people's; 4 KiB a connection would be ours.
	point "memory does not go away ($((before - after)) KiB)" test $((before - after)) -lt $((8192 + 4 * many))
}

check() {
	local n ll
	n=${RXT_CM_PINGS:-$(scale 50)}
	cm_up || return
	rpings "64 bytes" $ADDR_A $ADDR_A 64 "$n"
	rpings "1 byte more than fits a packet" $ADDR_A $ADDR_A 1025 "$(scale 20)"
	rpings "64 KiB" $ADDR_A $ADDR_A 65535 "$(scale 10)"
	rpings "IPv6" $ADDR6_A $ADDR6_A 100 "$n"
	ll=$(link_local a va)
	rpings "link-local" "$ll%va" "$ll%vb" 100 10
	point "rping to the own address" meet "$L" -ns a rping -s -a $ADDR_A -C 10 -- rping -c -a $ADDR_A -v -C 10
	point "rping to the own IPv6 address" meet "$L" -ns a rping -s -a $ADDR6_A -C 10 -- rping -c -a $ADDR6_A -v -C 10
	several
	point "rping -s killed and restarted" restarts
	connections
	cm_down
}
each_type check
