# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests with two nodes: a program on both of them at once, on device DEV.

DEV=rx0
step=0
# What barriers are called; both nodes have to agree.
STEPS=

index() { "$BIN/verbs_gid" $DEV | awk -v f="$1" '$2 == f && $3 == "v2" { print $1; exit }'; }
up() { ss -Hltn "sport = :$PORT" | grep -q .; }

# both TEXT TOOL ARG...: node SERVER serves, the other one is the client; each has a point of its own.
SERVER=1
both() {
	local text=$1 tool=$2 pid rc=0 s
	s=$(limit "${STEP_LIMIT:-60}")
	shift 2
	step=$((step + 1))
	if [ "$NODE" = $SERVER ]; then
		timeout -k 5 "$s" "$tool" -p $PORT -d $DEV "$@" >"$TMP/out" 2>&1 &
		pid=$!
		wait_for 20 up
		rxt-barrier "${STEPS:-$TYPE}-$step-server" 300
		wait $pid || rc=$?
	else
		rxt-barrier "${STEPS:-$TYPE}-$step-server" 300
		timeout -k 5 "$s" "$tool" -p $PORT -d $DEV "$@" "$PEER" >"$TMP/out" 2>&1 || rc=$?
	fi
	[ $rc != 0 ] || case $tool in
	# The passive side of ib_read_lat and ib_atomic_lat has no figures.
	ib_*) [ "$NODE" = $SERVER ] || perf_figures "$TMP/out" || rc=1 ;;
	*) ! grep -qi 'invalid data' "$TMP/out" || rc=1 ;;
	esac
	if [ $rc = 0 ]; then ok "$text"; else not_ok "$text ($rc)" "$TMP/out"; fi
	rxt-barrier "${STEPS:-$TYPE}-$step-end" 300
}
