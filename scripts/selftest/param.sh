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

listeners() { ip netns exec a ss -Hltn | wc -l; }
add() { on a rdma link add rxa type "$1" netdev va; }
data() { run "$(limit 40)" "$BIN/verbs_data" -n 1 "$@"; }

parameter() {
	mark
	point "backend=nosuch does not load" fails modprobe rxt backend=nosuch
	point "the log names the backends" said "nosuch.*loop.*tcp"
	point "nothing is loaded after that" none_loaded
	point "backend=tcp loads" modprobe rxt backend=tcp
	point "the backend's module comes along" wait_for 5 loaded rxt_tcp
	point "the parameter can be read" grep -qx tcp /sys/module/rxt/parameters/backend
	mark
	point "the parameter refuses an unknown name" fails eval 'echo nosuch >/sys/module/rxt/parameters/backend'
	point "the log names the backends again" said "nosuch.*loop.*tcp"
	point "no socket without a link" test "$(ss -Hltn | wc -l; ss -Hlun | wc -l)" = "$sockets"
	point "type rxt makes a link" add rxt
	point "it is a tcp link: it listens" test "$(listeners)" -gt 0
	point "link del" link_del a
	point "nothing listens any more" wait_for 3 test "$(listeners)" = 0
	point "backend=loop at run time" eval 'echo loop >/sys/module/rxt/parameters/backend'
	point "type rxt makes a loop link" add rxt
	point "a loop link has no socket" test "$(listeners)" = 0
	point "the loop backend is loaded" loaded rxt_loop
	link_del a
	point "modprobe -r leaves nothing" unload
}

autoload() {
	local t
	for t in rxt rxt-tcp rxt-loop; do
		point "rdma link add type $t loads what it needs" add $t
		link_del a
		point "$t: unload" unload
	done
}

refusals() {
	point "type rxt-nosuch is refused" fails add rxt-nosuch
	point "a netdev that is not there is refused" fails on a rdma link add rxa type rxt-tcp netdev nosuch
	point "a link" add rxt-tcp
	point "the same name again is refused" fails on a rdma link add rxa type rxt-tcp netdev va
	point "two names of one netdev: refused or made" eval \
		'on a rdma link add rxz type rxt-tcp netdev va && on a rdma link del rxz || true'
	link_del a
	point "link on lo: refused or made" eval 'on a rdma link add rxl type rxt-tcp netdev lo && on a rdma link del rxl || true'
	point "unload" unload
}

# Somebody else has the port in this namespace.
used_port() {
	local pid
	on_bg a python3 -c 'import socket, time
s = socket.socket(); s.bind(("0.0.0.0", 4792)); s.listen(); print("up", flush=True); time.sleep(100)' >"$TMP/squat" &
	pid=$!
	wait_for 10 grep -q up "$TMP/squat"
	modprobe rxt_tcp
	mark
	point "a used port: no link" fails add rxt-tcp
	point "the log says why" said "4792"
	kill $pid
	wait $pid 2>/dev/null
	point "the port is free again: a link" add rxt-tcp
	link_del a
	unload
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

no_ipv6() {
	on a sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	on b sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	point "IPv6 disabled: link" add rxt-tcp
	link_add b
	wait_for 5 gid_index a 4 >/dev/null
	wait_for 5 gid_index b 4 >/dev/null
	point "IPv6 disabled: data" data -4 -a $SPEC_A -b $SPEC_B
	link_del a
	link_del b
	point "IPv6 disabled: unload" unload
}

reload() {
	local i
	for ((i = 0; i < $(scale 20); i++)); do
		modprobe rxt && modprobe -r rxt || return
		modprobe rxt_tcp && modprobe -r rxt_tcp || return
	done
	none_loaded
}

unload
sockets=$(ss -Hltn | wc -l; ss -Hlun | wc -l)
NS_UP=1
TYPE=rxt-tcp
netns_up 1500
parameter
autoload
refusals
used_port
no_ipv6
point "load and unload, again and again" reload
