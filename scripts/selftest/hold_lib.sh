# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests that take things away under a program with one of everything open (verbs_hold).

holder=
hold() { # [-n]
	: >"$TMP/hold"
	"$BIN/verbs_hold" "$@" $SPEC_A $SPEC_B >"$TMP/hold" 2>&1 &
	holder=$!
	wait_for "$(limit 15)" grep -q ready "$TMP/hold" || { cat "$TMP/hold"; return 1; }
}

# What the program holds it can close, errors or not.
let_go() {
	kill -TERM $holder
	wait_for "$(limit 10)" dead $holder || { cat "$TMP/hold"; cat "/proc/$holder/stack"; return 1; }
	wait $holder || { cat "$TMP/hold"; return 1; }
}
dead() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; }
traffic_ended() { grep -q 'traffic ended' "$TMP/hold"; }

no_links() { ! rdma link show | grep -q . && ! { ip netns exec b rdma link show 2>/dev/null || true; } | grep -q .; }

timed() { # SECONDS CMD...
	local t0=$SECONDS max=$1
	shift
	"$@" || return
	[ $((SECONDS - t0)) -le "$max" ] || { echo "it took $((SECONDS - t0)) s"; return 1; }
}

both_links() { link_del a && link_del b; }
netdev() { ip -n a link del va && wait_for "$(limit 10)" no_links; }
netns() { ip netns del a && wait_for "$(limit 10)" no_links; }
module() { modprobe -r "${TYPE//-/_}" && ! rdma link show | grep -q .; }
