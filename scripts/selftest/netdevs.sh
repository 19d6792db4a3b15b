#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 500
# Links on every kind of network device that carries IP, and on devices whose addresses, MTU, name and IPv6 change while
# links exist.
#
# A kind is a function dev_KIND that makes "na" in namespace a and "nb" in b, on top of the wire va - vb where it needs one;
# what this kernel cannot make is skipped. A kind in ALONE has one device, whose own address is both ends. The addresses of a
# VLAN belong to the link on the device below.
. "$(dirname "$0")/lib.sh"
own_types_only "needs links in namespaces"

KINDS="vlan bond bridge macvlan ipvlan vxlan gre tun wireguard"
ALONE="dummy lo"
IP_A=10.8.0.1 IP_B=10.8.0.2 IP6_A=fd08::1 IP6_B=fd08::2
pump=

h() { ip -n "$1" "${@:2}"; }
each_host() { "$@" a && "$@" b; } # CMD gets the host as its last argument

vlan() { h "$1" link add link "v$1" name "n$1" type vlan id 5 && h "$1" addr flush dev "v$1"; }
dev_vlan() { each_host vlan; }
bond() { h "$1" link add "n$1" type bond mode active-backup && h "$1" link set "v$1" down && h "$1" link set "v$1" master "n$1"; }
dev_bond() { each_host bond; }
bridge() { h "$1" link add "n$1" type bridge && h "$1" link set "v$1" master "n$1"; }
dev_bridge() { each_host bridge; }
macvlan() { h "$1" link add link "v$1" name "n$1" type macvlan mode bridge; }
dev_macvlan() { each_host macvlan; }
ipvlan() { h "$1" link add link "v$1" name "n$1" type ipvlan mode l2; }
dev_ipvlan() { each_host ipvlan; }
vxlan() { h "$1" link add "n$1" type vxlan id 7 local "$2" remote "$3" dstport 4789; }
dev_vxlan() { vxlan a $ADDR_A $ADDR_B && vxlan b $ADDR_B $ADDR_A; }
gre() { h "$1" link add "n$1" type gre local "$2" remote "$3"; }
dev_gre() { gre a $ADDR_A $ADDR_B && gre b $ADDR_B $ADDR_A; }

dev_tun() {
	modprobe tun || return
	"$SELFTEST/tun_pump.py" a na b nb >"$TMP/pump" 2>&1 &
	pump=$!
	wait_for 10 grep -q up "$TMP/pump" || { cat "$TMP/pump"; return 1; }
}

dev_wireguard() {
	local n
	command -v wg >/dev/null || { echo "no wg (package wireguard-tools)"; return 1; }
	for n in a b; do
		h $n link add "n$n" type wireguard || return
		wg genkey >"$TMP/key.$n"
		wg pubkey <"$TMP/key.$n" >"$TMP/pub.$n"
	done
	on a wg set na listen-port 5001 private-key "$TMP/key.a" peer "$(cat "$TMP/pub.b")" \
		endpoint $ADDR_B:5001 allowed-ips $IP_B/32,$IP6_B/128 &&
		on b wg set nb listen-port 5001 private-key "$TMP/key.b" peer "$(cat "$TMP/pub.a")" \
			endpoint $ADDR_A:5001 allowed-ips $IP_A/32,$IP6_A/128
}

dev_dummy() { h a link add na type dummy; }
dev_lo() { :; }

config() { # NS DEV IP IP6
	h "$1" addr add "$3/24" dev "$2"
	h "$1" addr add "$4/64" dev "$2" nodad
	h "$1" link set "$2" up
}

link_on() { on "$1" rdma link add "rx$1" type "$TYPE" netdev "$2"; }
ready() { wait_for 5 gid_index "$1" "$2" >/dev/null; }
data() { run "$(limit 60)" "$BIN/verbs_data" -n "$(scale 8)" -q 2 -x 100000 -w "$(limit 50)" "$@"; }

# up KIND: skips and fails when it cannot be made.
up() {
	NS_UP=1
	netns_up 1500
	"dev_$1" >"$TMP/make" 2>&1 && return
	skip "$1" "cannot be made here: $(tail -n 1 "$TMP/make")"
	down
	return 1
}

down() {
	[ -z "$pump" ] || { kill $pump; wait $pump; } 2>/dev/null
	pump=
	topo_down
}

refused() {
	! link_on a na || return
	dmesg | tail -n 5 | grep "na is a VLAN: .* on va"
}

pair() { # KIND
	local n=n
	up "$1" || return
	if [ "$1" = vlan ]; then
		n=v
		point "vlan: no link on it, and the log says why" refused
	fi
	config a na $IP_A $IP6_A
	config b nb $IP_B $IP6_B
	if point "$1: links" eval "link_on a ${n}a && link_on b ${n}b && ready a 4 && ready b 4 && ready a 6 && ready b 6"; then
		point "$1: data over IPv4" data -4 -a $SPEC_A -b $SPEC_B
		point "$1: data over IPv6" data -6 -a $SPEC_A -b $SPEC_B
	fi
	down
}

alone() { # KIND
	local dev=na
	up "$1" || return
	[ "$1" != lo ] || dev=lo
	config a $dev $IP_A $IP6_A
	if point "$1: a link" eval "link_on a $dev && ready a 4 && ready a 6"; then
		point "$1: data over IPv4" data -4 -a $SPEC_A -b $SPEC_A
		point "$1: data over IPv6" data -6 -a $SPEC_A -b $SPEC_A
	fi
	down
}

# --- what changes under a link -----------------------------------------------------------------------------------------
mtu() { h a link set va mtu "$1" && h b link set vb mtu "$1"; }
gid() { on a "$BIN/verbs_gid" $DEV_A | grep -q " $1\$"; }
parent_is() { [ "$(on a cat /sys/class/infiniband/$DEV_A/parent)" = "$1" ] && on a rdma link show $DEV_A/1 | grep -q "netdev $1"; }

changes() {
	topo_up 1500
	for m in 9000 1280 576 1500; do
		# IPv6 ends below 1280.
		mtu $m
		point "MTU $m: data" data -4 -a $SPEC_A -b $SPEC_B
	done
	h a addr add $ADDR6_A/64 dev va nodad 2>/dev/null
	h b addr add $ADDR6_B/64 dev vb nodad 2>/dev/null
	data -t 4 -4 -a $SPEC_A -b $SPEC_B >"$TMP/during" 2>&1 &
	m=$!
	for _ in 1 2 3; do mtu 1400; sleep 0.3; mtu 9000; sleep 0.3; done
	point "MTU changes under traffic" wait $m
	mtu 1500

	# Another address of another network instead of the first one, while the first one is in use.
	data -t 4 -6 -a $SPEC_A -b $SPEC_B >"$TMP/during" 2>&1 &
	m=$!
	h a addr add 10.9.9.1/24 dev va; h b addr add 10.9.9.2/24 dev vb
	h a addr del $ADDR_A/24 dev va; h b addr del $ADDR_B/24 dev vb
	point "addresses change: new GIDs" wait_for 3 gid ::ffff:10.9.9.1
	point "the old ones are gone" wait_for 3 eval "! gid ::ffff:$ADDR_A"
	point "data between the new ones" data -4 -a $SPEC_A -b $SPEC_B
	point "connections over other addresses do not care" wait $m

	h a link set va down; h a link set va name vx; h a link set vx up
	point "a network device with a new name" wait_for 3 parent_is vx
	point "carries data" data -4 -a $SPEC_A -b $SPEC_B

	on a sysctl -qw net.ipv6.conf.vx.disable_ipv6=1
	point "IPv6 disabled on it: its GIDs go" wait_for 3 eval "! gid_index a 6"
	point "IPv4 goes on" data -4 -a $SPEC_A -b $SPEC_B
	on a sysctl -qw net.ipv6.conf.vx.disable_ipv6=0
	h a addr add $ADDR6_A/64 dev vx nodad
	point "IPv6 is back" wait_for 3 gid_index a 6
	# ib_core waits for a neighbour for a second only, as long as the stack may wait to ask again.
	wait_for 10 on b ping -qc 1 -W 1 $ADDR6_A >/dev/null
	wait_for 10 on a ping -qc 1 -W 1 $ADDR6_B >/dev/null
	point "and carries data" data -6 -a $SPEC_A -b $SPEC_B
	no_leak
	topo_down
}

check() {
	local k m
	for k in $(turns $KINDS); do pair "$k"; done
	for k in $(turns $ALONE); do alone "$k"; done
	changes
	point "modules unload" unload
}
each_type check
