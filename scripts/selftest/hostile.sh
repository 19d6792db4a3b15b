#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# Peers that are none talk to the listener: random bytes, every field at its edges, byte by byte, half hellos, floods of
# connections; meanwhile the data of others stays right.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/good_lib.sh"

PEER="$SELFTEST/hostile_peer.py"
own_types_only "about the tcp backend"
[[ " $RXT_BACKENDS " == *" tcp "* ]] || skip_all "about the tcp backend"
TYPE=rxt-tcp

attack() { run "$(limit 100)" ip netns exec a "$PEER" "$1" $ADDR_B 4792 "$2" "${@:3}"; }

group() { # TEXT GROUP COUNT [VICTIM...]
	local text=$1
	shift
	point "$text" attack "$@"
	point "$text: new connections work" connects_still
}

# The sockets of strangers are gone.
settled() { [ "$(on b ss -Htn state established | wc -l)" -le "$1" ]; }
counter() { on b rdma statistic show link $DEV_B/1 | grep -oE "$1 [0-9]+" | cut -d' ' -f2; }

ulimit -n 20000
topo_up 1500
good_start

group "random bytes" garbage "$(scale 300)"
group "hello: every field at its edges" hello "$(scale 400)"
if [ "$SLOW" = 1 ]; then
	group "half hellos" half 300
	group "1,000 connects" connects 1000
else
	group "half hellos" half 3000
	group "10,000 connects" connects 10000
fi
group "frames: every field at its edges" frames "$(scale 1500)" "$BIN/verbs_victim" $SPEC_B $ADDR_A 0x4242
group "datagrams: every field at its edges" dgrams "$(scale 600)"
ud_works() {
	local xa xb
	xa=$(gid_index a 4) && xb=$(gid_index b 4) || return
	duo "$(limit 40)" ibv_ud_pingpong -p $PORT -d $DEV_A -g "$xa" -c -s 1024 -n 20 -- \
		ibv_ud_pingpong -p $PORT -d $DEV_B -g "$xb" -c -s 1024 -n 20 $ADDR_A
}
point "datagrams: those of others arrive" ud_works

good_end
for c in hello_rejected bad_header tx_nak remote_access_errors; do
	point "$c is counted ($(counter $c))" test "$(counter $c)" -gt 0
done
point "no socket of a stranger is left" wait_for "$(limit 15)" settled 0
no_leak
topo_down
point "modules unload" unload
