#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# Loading and unloading: the backend parameter, link types, aliases, what cannot work says why, nothing stays behind.
. "$(dirname "$0")/lib.sh"
own_types_only "about this project's modules"

fails() { ! "$@"; }
loaded() { lsmod | grep -q "^$1 "; }
none_loaded() { ! lsmod | grep -q '^rxt'; }
# said TEXT: in the kernel log since mark().
mark() { echo "selftest: mark $((++marks))" >/dev/kmsg; }
said() { dmesg | sed "0,/selftest: mark $marks\$/d" | grep -q "$1" || { dmesg | tail -n 5; return 1; }; }
marks=0

listeners() { ip netns exec a ss -Hltun | wc -l; }
add() { on a rdma link add rxa type "$1" netdev va; }
data() { run "$(limit 40)" "$BIN/verbs_data" -n 1 "$@"; }

parameter() {
	local be=${TYPE#rxt-}
	mark
	point "backend=nosuch does not load" fails modprobe rxt backend=nosuch
	point "the log names the backends" said "nosuch.*loop.*tcp.*roce"
	point "nothing is loaded after that" none_loaded
	point "backend=$be loads" modprobe rxt backend=$be
	point "the backend's module comes along" wait_for 5 loaded rxt_$be
	point "the parameter can be read" grep -qx $be /sys/module/rxt/parameters/backend
	mark
	point "the parameter refuses an unknown name" fails eval 'echo nosuch >/sys/module/rxt/parameters/backend'
	point "the log names the backends again" said "nosuch.*loop.*tcp.*roce"
	point "no socket without a link" test "$(ss -Hltn | wc -l; ss -Hlun | wc -l)" = "$sockets"
	point "type rxt makes a link" add rxt
	point "it is a $be link: its port is open" test "$(listeners)" -gt 0
	point "link del" link_del a
	point "no port is open any more" wait_for 3 test "$(listeners)" = 0
	point "backend=loop at run time" eval 'echo loop >/sys/module/rxt/parameters/backend'
	point "type rxt makes a loop link" add rxt
	point "a loop link has no socket" test "$(listeners)" = 0
	point "the loop backend is loaded" loaded rxt_loop
	link_del a
	point "modprobe -r leaves nothing" unload
}

autoload() {
	local t
	for t in rxt rxt-tcp rxt-roce rxt-loop; do
		point "rdma link add type $t loads what it needs" add $t
		link_del a
		point "$t: unload" unload
	done
}

refusals() {
	point "type rxt-nosuch is refused" fails add rxt-nosuch
	point "a netdev that is not there is refused" fails on a rdma link add rxa type $TYPE netdev nosuch
	point "a link" add "$TYPE"
	point "the same name again is refused" fails on a rdma link add rxa type $TYPE netdev va
	point "two names of one netdev: refused or made" eval \
		"on a rdma link add rxz type $TYPE netdev va && on a rdma link del rxz || true"
	link_del a
	point "link on lo: refused or made" eval "on a rdma link add rxl type $TYPE netdev lo && on a rdma link del rxl || true"
	point "unload" unload
}

# Somebody else has the port in this namespace.
squat() { # STREAM|DGRAM PORT
	exec ip netns exec a python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_INET, getattr(socket, "SOCK_" + sys.argv[1]))
s.bind(("0.0.0.0", int(sys.argv[2])))
if sys.argv[1] == "STREAM": s.listen()
print("up", flush=True); time.sleep(100)' "$@" >"$TMP/squat"
}

used_port() {
	local pid port=(STREAM 4792)
	[ "$TYPE" != rxt-roce ] || port=(DGRAM 4791)
	squat "${port[@]}" &
	pid=$!
	wait_for 10 grep -q up "$TMP/squat"
	modprobe "${TYPE//-/_}"
	mark
	point "a used port: no link" fails add "$TYPE"
	point "the log says why" said "${port[1]}"
	link_add b
	point "the other namespace does not care" link_del b
	kill $pid
	wait $pid 2>/dev/null
	point "the port is free again: a link" add "$TYPE"
	link_del a
	unload
}

other_port() {
	point "another port" modprobe rxt_tcp port=5999
	point "link on another port" add rxt-tcp
	point "it listens there" listening a 5999
	link_add b
	wait_for 5 gid_index b 4 >/dev/null
	point "data over another port" data -a $SPEC_A -b $SPEC_B
	link_del a
	link_del b
	point "unload" unload
}

# Two links of two types on one netdev.
side_by_side() {
	local t
	for t in tcp roce; do
		for h in a b; do on $h rdma link add rx$h$t type rxt-$t netdev v$h || return; done
	done
	for t in tcp roce; do
		for h in a b; do wait_for 5 own_gid $h rx$h$t || return; done
		data -4 -a a@rxa$t -b b@rxb$t || return
	done
	for t in tcp roce; do
		for h in a b; do on $h rdma link del rx$h$t || return; done
	done
}
own_gid() { on "$1" "$BIN/verbs_gid" "$2" | grep -q ' 4 v2'; }

no_ipv6() {
	on a sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	on b sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	point "IPv6 disabled: link" add "$TYPE"
	link_add b
	wait_for 5 gid_index a 4 >/dev/null
	wait_for 5 gid_index b 4 >/dev/null
	point "IPv6 disabled: data" data -4 -a $SPEC_A -b $SPEC_B
	link_del a
	link_del b
	point "IPv6 disabled: unload" unload
	on a sysctl -qw net.ipv6.conf.all.disable_ipv6=0
	on b sysctl -qw net.ipv6.conf.all.disable_ipv6=0
}

reload() {
	local i
	for ((i = 0; i < $(scale 20); i++)); do
		modprobe rxt && modprobe -r rxt || return
		modprobe rxt_tcp && modprobe -r rxt_tcp || return
		modprobe rxt_roce && modprobe -r rxt_roce || return
	done
	none_loaded
}

unload
sockets=$(ss -Hltn | wc -l; ss -Hlun | wc -l)
NS_UP=1
netns_up 1500

each() {
	parameter
	refusals
	used_port
	no_ipv6
	[ "$TYPE" != rxt-tcp ] || other_port
}
each_type each
autoload
point "links of two types on one netdev" side_by_side
point "unload" unload
point "load and unload, again and again" reload
