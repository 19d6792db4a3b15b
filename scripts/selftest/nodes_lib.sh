# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests with two nodes: a program on both of them at once, on device DEV.

DEV=rx0
step=0
# What barriers are called; both nodes have to agree.
STEPS=

index() { "$BIN/verbs_gid" $DEV | awk -v f="$1" '$2 == f && $3 == "v2" { print $1; exit }'; }
up() { ss -Hltn "sport = :$PORT" | grep -q .; }

# listens: a program waits for connections through rdma_cm.
listens() { rdma res show cm_id | grep -q 'state LISTEN'; }

# both_cm TEXT SERVER-COMMAND -- CLIENT-COMMAND: the same for programs that meet through rdma_cm. What the server ends with
# says nothing with rdma-core's programs.
both_cm() {
	local text=$1 srv=() pid rc=0 s
	s=$(limit "${STEP_LIMIT:-60}")
	shift
	while [ "$1" != -- ]; do srv+=("$1"); shift; done
	shift
	step=$((step + 1))
	if [ "$NODE" = "$SERVER" ]; then
		timeout -k 5 "$s" "${srv[@]}" >"$TMP/out" 2>&1 &
		pid=$!
		wait_for 20 listens || rc=1
		rxt-barrier "${STEPS:-$TYPE}-$step-server" 300
		wait $pid || [ $? -lt 124 ] || rc=124
	else
		rxt-barrier "${STEPS:-$TYPE}-$step-server" 300
		timeout -k 5 "$s" "$@" >"$TMP/out" 2>&1 || rc=$?
	fi
	! grep -qiE 'error|fail|mismatch' "$TMP/out" || rc=1
	if [ $rc = 0 ]; then ok "$text"; else not_ok "$text ($rc)" "$TMP/out"; fi
	rxt-barrier "${STEPS:-$TYPE}-$step-end" 300
}

# pair TOOL ARG...: node SERVER serves, the other one is the client. Output: $TMP/out. Fails when this node's program did.
SERVER=1
pair() {
	local tool=$1 pid rc=0 s
	s=$(limit "${STEP_LIMIT:-60}")
	shift
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
	rxt-barrier "${STEPS:-$TYPE}-$step-end" 300
	return $rc
}

# both TEXT TOOL ARG...: the same as a point of each node.
both() {
	local text=$1 rc=0
	shift
	pair "$@" || rc=$?
	if [ $rc = 0 ]; then ok "$text"; else not_ok "$text ($rc)" "$TMP/out"; fi
}
