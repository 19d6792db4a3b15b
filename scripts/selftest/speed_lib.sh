# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the tests that compare drivers share: figures of several turns, medians, ratios and goals. How a driver is
# measured does not belong here.

declare -A figures	# DRIVER.WHAT: one figure a turn

# figure DRIVER WHAT FILE: add the figure in perftest's output; WHATs that begin with "lat" are latencies (typical).
figure() {
	figures[$1.$2]+=" $(awk -v col="$([[ $2 == lat* ]] && echo 5 || echo 4)" \
		'/^ *[0-9]+ +[0-9]+ +[0-9.]+/ { print $col }' "$3")"
}

median() { tr ' ' '\n' <<<"${figures[$1]:-0}" | grep . | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# ratio WHAT OURS THEIRS: in percent, for latency the other way round: 100 and more is good.
ratio() {
	local a b
	a=$(median "$2.$1") b=$(median "$3.$1")
	[[ $1 != lat* ]] || { local t=$a; a=$b b=$t; }
	awk -v a="$a" -v b="$b" 'BEGIN { printf "%d\n", (b > 0 ? 100 * a / b : 0) }'
}

# One machine, one address, one device "rxa" at a time: what drivers that know the first namespace only can do.
one_address_up() {
	ip link add va type veth peer name vb
	ip addr add "$ADDR_A/24" dev va
	ip link set va up
	ip link set vb up
}

# The index of rxa's IPv4 GID.
gid() { "$BIN/verbs_gid" rxa | awk '$2 == 4 { print $1; exit }' | grep .; }

# some_turns OURS THEIRS: the test's own turn() measures a driver. RXT_TURNS: how often, for medians that are to be quoted.
some_turns() {
	local i
	for ((i = 0; i < ${RXT_TURNS:-3}; i++)); do
		turn "$1" && turn "$2" || return
	done
}

# compare OURS THEIRS WHAT:GOAL...: points "WHAT: at least GOAL % of THEIRS". As many turns are made again before anything is
# called too slow, and the medians are then of all turns.
compare() {
	local ours=$1 theirs=$2 g short=0
	shift 2
	point "turns of $ours and $theirs" some_turns "$ours" "$theirs" || return
	for g in "$@"; do
		[ "$(ratio "${g%:*}" "$ours" "$theirs")" -ge "${g#*:}" ] || short=1
	done
	[ $short = 0 ] || some_turns "$ours" "$theirs" >/dev/null 2>&1
	for g in "$@"; do
		note "${g%:*}: $ours${figures[$ours.${g%:*}]}, $theirs${figures[$theirs.${g%:*}]}"
		point "${g%:*}: $(ratio "${g%:*}" "$ours" "$theirs") % of $theirs, at least ${g#*:} %" \
			[ "$(ratio "${g%:*}" "$ours" "$theirs")" -ge "${g#*:}" ]
	done
}
