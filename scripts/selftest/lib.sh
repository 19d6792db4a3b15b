# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the self tests share: TAP, two "hosts" (network namespaces a and b) with a link each, running programs on
# them with a time limit, leak checks, clean-up. What a single test checks does not belong here.
#
# From outside: TEST_BIN (where the C programs are), RXT_KERNEL (debug: less of everything), RXT_BACKENDS ("tcp roce"),
# RXT_BRIEF=1 (a part of each matrix; the debug kernel has it always), RXT_TYPE=rxe (try the test on another driver; then
# both hosts are one namespace and one device).
set -u
export LC_ALL=C.UTF-8
# shellcheck disable=SC2034 # for the tests
SELFTEST=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BIN=${TEST_BIN:?where the built programs are}
SLOW=${RXT_SLOW:-0}
BRIEF=${RXT_BRIEF:-0}
[ "${RXT_KERNEL:-stock}" != debug ] || SLOW=1 BRIEF=1
: "${RXT_BACKENDS:=tcp roce}"
TMP=$(mktemp -d)
PORT=18515

# --- TAP -----------------------------------------------------------------------------------------------------------
tap_n=0 tap_bad=0
TYPE=

note() { sed 's/^/# /' <<<"$*"; }

# ok TEXT / not_ok TEXT [FILE-WITH-DETAILS]
ok() { echo "ok $((++tap_n)) - ${TYPE:+$TYPE: }$1"; }
not_ok() {
	echo "not ok $((++tap_n)) - ${TYPE:+$TYPE: }$1"
	tap_bad=1
	[ $# -lt 2 ] || tail -n 30 "$2" | sed 's/^/#   /'
}
skip() { echo "ok $((++tap_n)) - ${TYPE:+$TYPE: }$1 # SKIP $2"; }
skip_all() {
	echo "1..0 # SKIP $1"
	trap - EXIT
	exit 4
}

own_types_only() { [ -z "${RXT_TYPE:-}" ] || skip_all "$1"; }

# point TEXT CMD...: one point, ok when CMD succeeds; its output is shown only when it does not.
point() {
	local text=$1
	shift
	if "$@" >"$TMP/point" 2>&1; then
		ok "$text"
	else
		not_ok "$text" "$TMP/point"
		return 1
	fi
}

# points PREFIX CMD...: CMD prints points itself, without numbers, and notes.
points() {
	local prefix=$1 line bad=$tap_bad rc
	shift
	tap_bad=0
	"$@" >"$TMP/points" 2>&1
	rc=$?
	while IFS= read -r line; do
		case $line in
		"ok - "*) echo "ok $((++tap_n)) - ${TYPE:+$TYPE: }$prefix: ${line#ok - }" ;;
		"not ok - "*) not_ok "$prefix: ${line#not ok - }" ;;
		"#"*) echo "$line" ;;
		*) echo "# $line" ;;
		esac
	done <"$TMP/points"
	[ $rc = 0 ] || [ $tap_bad = 1 ] || not_ok "$prefix: exit status $rc"
	[ $bad = 0 ] || tap_bad=1
}

# --- two hosts -----------------------------------------------------------------------------------------------------
NS_UP=
ADDR_A=10.1.0.1 ADDR_B=10.1.0.2 ADDR6_A=fd01::1 ADDR6_B=fd01::2
DEV_A=rxa DEV_B=rxb SPEC_A=a@rxa SPEC_B=b@rxb

foreign() { [ "$TYPE" = rxe ] || [ "$TYPE" = siw ]; }

# gone PID: a child of this shell has ended.
gone() { ! kill -0 "$1" 2>/dev/null; }

# What a type carries beyond RC and UC.
carries_ud() { [ "$TYPE" != siw ] && [ "$TYPE" != rxt-loop ]; }

# on NS CMD...: run CMD on that host.
on() {
	local ns=$1
	shift
	if foreign; then "$@"; else ip netns exec "$ns" "$@"; fi
}

# on_bg NS CMD... &: the same for the background, so that $! is CMD itself.
on_bg() {
	local ns=$1
	shift
	if foreign; then exec "$@"; else exec ip netns exec "$ns" "$@"; fi
}

# each_type FUNCTION: once for every link type under test.
each_type() {
	local be
	if [ -n "${RXT_TYPE:-}" ]; then
		TYPE=$RXT_TYPE
		"$@"
		TYPE=
		return
	fi
	for be in $RXT_BACKENDS; do
		TYPE=rxt-$be
		"$@"
		TYPE=
	done
}

one_host_up() {
	# shellcheck disable=SC2034 # for the tests
	ADDR_B=$ADDR_A ADDR6_B=$ADDR6_A DEV_B=$DEV_A SPEC_A=$DEV_A SPEC_B=$DEV_A
	ip link add va mtu "$1" type veth peer name vb mtu "$1"
	ip addr add $ADDR_A/24 dev va
	ip addr add $ADDR6_A/64 dev va nodad
	ip link set va up
	ip link set vb up
}

# netns_up MTU [A B]: two namespaces, a wire between them, the addresses; without links.
netns_up() {
	local mtu=$1 a=${2:-a} b=${3:-b}
	ip netns add "$a"
	ip netns add "$b"
	ip -n "$a" link add "v$a" mtu "$mtu" type veth peer name "v$b" mtu "$mtu" netns "$b"
	ip -n "$a" addr add $ADDR_A/24 dev "v$a"
	ip -n "$b" addr add $ADDR_B/24 dev "v$b"
	ip -n "$a" addr add $ADDR6_A/64 dev "v$a" nodad
	ip -n "$b" addr add $ADDR6_B/64 dev "v$b" nodad
	ip -n "$a" link set lo up; ip -n "$b" link set lo up
	ip -n "$a" link set "v$a" up; ip -n "$b" link set "v$b" up
}

# link_add NS, link_del NS: the link rxNS on vNS.
link_add() { on "$1" rdma link add "rx$1" type "$TYPE" netdev "v$1"; }
link_del() { on "$1" rdma link del "rx$1"; }

# topo_up [MTU]: everything, up to GIDs that can be used. Gives up on the whole test when that fails.
topo_up() {
	local mtu=${1:-1500} h
	NS_UP=1
	if foreign; then
		one_host_up "$mtu"
	else
		netns_up "$mtu"
	fi >"$TMP/topo" 2>&1
	for h in a b; do
		foreign && [ $h = b ] && continue
		link_add $h >>"$TMP/topo" 2>&1 || { not_ok "link on host $h" "$TMP/topo"; exit 1; }
	done
	for h in a b; do
		wait_for 5 gid_index $h 4 >/dev/null && wait_for 5 gid_index $h 6 >/dev/null && continue
		not_ok "GIDs of host $h"
		exit 1
	done
	res_before=$(res)
}

topo_down() {
	[ -n "$NS_UP" ] || return 0
	NS_UP=
	if foreign; then
		rdma link del $DEV_A
		ip link del va
	else
		link_del a
		link_del b
		ip netns del a
		ip netns del b
	fi >"$TMP/down" 2>&1
}

# unload: all modules of the project; fails when one stays.
unload() {
	local i m
	for ((i = 0; i < 50; i++)); do
		m=$(lsmod | awk '$1 ~ /^rxt/ { print $1 }')
		[ -n "$m" ] || return 0
		# shellcheck disable=SC2086
		modprobe -r $m 2>"$TMP/unload"
		sleep 0.1
	done
	cat "$TMP/unload"
	lsmod | grep '^rxt'
	return 1
}

# gid_index NS 4|6: the index that perftest's -x takes.
gid_index() {
	local dev=rx$1 i
	foreign && dev=$DEV_A
	i=$(on "$1" "$BIN/verbs_gid" $dev | awk -v f="$2" '$2 == f && $3 == "v2" { print $1; exit }')
	[ -n "$i" ] && echo "$i"
}

# --- waiting and running -----------------------------------------------------------------------------------------------
# wait_for SECONDS CMD...: until CMD succeeds.
wait_for() {
	local end=$((SECONDS + $1 + 1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# run SECONDS CMD...: with a limit that also ends what ignores SIGTERM.
run() { timeout -k 5 "$@"; }

# scale N: N, or a tenth of it when everything is slow.
scale() { if [ "$SLOW" = 1 ]; then echo $((($1 + 9) / 10)); else echo "$1"; fi; }
# some FULL BRIEF: FULL, or BRIEF where a part of each matrix has to do in which every value still occurs.
some() { if [ "$BRIEF" = 1 ]; then echo "$2"; else echo "$1"; fi; }
# turns WORD...: all of them; or each backend its share, where several take turns and a part has to do.
turns() {
	local w i=0 mine=0
	[ "$BRIEF" = 1 ] && [[ $RXT_BACKENDS == *" "* ]] || { echo "$@"; return; }
	[ "$TYPE" = rxt-tcp ] || mine=1
	for w; do [ $((i++ % 2)) != $mine ] || echo "$w"; done
}
# limit S: a time limit for what takes well under S/3 on the stock kernel.
limit() { if [ "$SLOW" = 1 ]; then echo $(($1 * 4)); else echo "$1"; fi; }

listening() { on "$1" ss -Hltn "sport = :$2" | grep -q .; }

# Two programs that poll share a CPU badly: 4 ms each in turn, if the scheduler gets it wrong.
PIN_A=() PIN_B=()
[ "$(nproc)" -lt 2 ] || { PIN_A=(taskset -c 0) PIN_B=(taskset -c 1); }

# duo SECONDS SERVER-CMD... -- CLIENT-CMD...: server on a, client on b once the server listens on PORT. Both have
# to succeed. Output: $TMP/server, $TMP/client.
duo() {
	local s=$1 srv=() pid rc=0
	shift
	while [ "$1" != -- ]; do srv+=("$1"); shift; done
	shift
	on_bg a timeout -k 5 "$s" "${PIN_A[@]}" "${srv[@]}" >"$TMP/server" 2>&1 &
	pid=$!
	if wait_for 20 listening a $PORT; then
		on b timeout -k 5 "$s" "${PIN_B[@]}" "$@" >"$TMP/client" 2>&1 || rc=$?
	else
		echo "server does not listen" >"$TMP/client"
		rc=1
	fi
	[ $rc = 0 ] || kill $pid 2>/dev/null
	wait $pid || rc=$((rc ? rc : $?))
	[ $rc = 0 ] || {
		# Addresses of 128 QPs say nothing about an error.
		echo "status $rc; server:"; grep -vE 'address:|GID:' "$TMP/server" | tail -n 12
		echo "client:"; grep -vE 'address:|GID:' "$TMP/client" | tail -n 12
	}
	return $rc
}

# perf SECONDS 4|6 TOOL ARG...: a perftest program between the hosts; its last result line has to have figures.
perf() {
	local s=$1 fam=$2 tool=$3 xa xb to=$ADDR_A
	shift 3
	xa=$(gid_index a "$fam") && xb=$(gid_index b "$fam") || { echo "no GID"; return 1; }
	duo "$s" "$tool" -p $PORT -F -d $DEV_A -x "$xa" "$@" -- "$tool" -p $PORT -F -d $DEV_B -x "$xb" "$@" "$to" ||
		return
	perf_figures "$TMP/client" || { echo "no figures:"; cat "$TMP/client"; return 1; }
}

perf_figures() {
	# Tiny messages on a slow machine round to 0 MB/s, but then their rate in the last column does not. Where perftest
	# finds the clock too unsteady for a result, it prints 0 for all.
	if grep -q 'Correlation coefficient' "$1"; then
		grep -qE '^ *[0-9]+ +[0-9]+ +[0-9.]+' "$1"
		return
	fi
	awk '/^ *[0-9]+ +[0-9]+ +[0-9.]+/ { n++; if ($4 + $NF <= 0) bad++ } END { exit !(n && !bad) }' "$1"
}

# --- leaks -------------------------------------------------------------------------------------------------------------
res() {
	on a rdma res show $DEV_A | cut -d: -f2-
	foreign || on b rdma res show $DEV_B | cut -d: -f2-
}

same_res() { [ "$(res)" = "$res_before" ]; }

# no_leak [TEXT]: the devices hold what they held right after they were made.
no_leak() {
	if wait_for 5 same_res; then
		ok "${1:-no object is left}"
	else
		printf 'before:\n%s\nnow:\n%s\n' "$res_before" "$(res)" >"$TMP/res"
		not_ok "${1:-no object is left}" "$TMP/res"
	fi
}

# --- end -------------------------------------------------------------------------------------------------------------------
finish() {
	local rc=$? pids
	trap - EXIT
	[ $rc = 0 ] || [ $tap_bad = 1 ] || not_ok "the test ends early with status $rc"
	pids=$(jobs -p)
	# shellcheck disable=SC2086
	[ -z "$pids" ] || { kill $pids; sleep 0.2; kill -KILL $pids; wait; } 2>/dev/null
	topo_down
	echo "1..$tap_n"
	rm -rf "$TMP"
	exit $tap_bad
}
trap finish EXIT
echo "TAP version 13"
