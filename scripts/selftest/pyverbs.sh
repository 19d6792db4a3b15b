#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 900
# rdma-core's own tests (python3-pyverbs), all of them: none fails, and as many pass as the stock library lets pass.
# One point for each class of tests that has anything to say.
. "$(dirname "$0")/lib.sh"
TESTS=/usr/share/doc/rdma-core/tests
[ -d $TESTS ] || skip_all "no $TESTS: python3-pyverbs"
cp -r $TESTS "$TMP/tests"
gunzip -f "$TMP"/tests/*.gz

# What passes at least; more is welcome, see the table in testing.rst.
least() {
	case $TYPE in
	rxt-*) echo 94 ;;
	*) echo 1 ;;
	esac
}

# From the log: CLASS RESULT for each test; a test that has a description has its result in that line.
results() {
	awk '/^test[^ ]* \(/ { class = $2; gsub(/^\(tests\.|\)$/, "", class); sub(/\.test_[^.]*$/, "", class) }
	     match($0, /\.\.\. (ok|FAIL|ERROR|skipped)/) { print class, substr($0, RSTART + 4, RLENGTH - 4) }' "$1"
}

classes() {
	local class okn bad skipped
	results "$1" | cut -d' ' -f1 | sort -u >"$TMP/classes"
	while read -r class; do
		okn=$(results "$1" | grep -c "^$class ok$")
		bad=$(results "$1" | grep -c "^$class \(FAIL\|ERROR\)$")
		skipped=$(results "$1" | grep -c "^$class skipped$")
		[ $((okn + bad)) = 0 ] && continue
		if [ "$bad" = 0 ]; then
			ok "$class: $okn ok, $skipped skipped"
		else
			grep -A12 "^\(FAIL\|ERROR\): .*$class" "$1" >"$TMP/bad"
			not_ok "$class: $okn ok, $bad bad, $skipped skipped" "$TMP/bad"
		fi
	done <"$TMP/classes"
}

check() {
	local log=/results/pyverbs-$TYPE.log n
	[ -d /results ] || log=$TMP/pyverbs.log
	ip link add va mtu 1500 type veth peer name vb mtu 1500
	ip addr add $ADDR_A/24 dev va
	ip link set va up
	ip link set vb up
	rdma link add rxp type "$TYPE" netdev va || { not_ok "link"; return; }
	sleep 2
	(cd "$TMP" && timeout "$(limit 250)" /usr/bin/python3 tests/run_tests.py --dev rxp -v) >"$log" 2>&1
	classes "$log"
	n=$(results "$log" | grep -c " ok$")
	note "$TYPE: $(tail -n 1 "$log"), $n ok"
	point "the suite ends" grep -q '^Ran [0-9]* tests' "$log"
	point "at least $(least) of them pass: $n" [ "$n" -ge "$(least)" ]
	rdma link del rxp
	ip link del va
}
each_type check
