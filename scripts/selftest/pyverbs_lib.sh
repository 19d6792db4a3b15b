# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# rdma-core's own tests (python3-pyverbs), a point for each class of tests that has anything to say. Sourced after lib.sh.

TESTS=/usr/share/doc/rdma-core/tests
[ -d $TESTS ] || skip_all "no $TESTS: python3-pyverbs"
cp -r $TESTS "$TMP/tests"
gunzip -f "$TMP"/tests/*.gz

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

# suite DEV LEAST: all of them on that device; none fails, and so many pass.
suite() {
	local log=/results/pyverbs-$1-$TYPE.log n
	[ -d /results ] || log=$TMP/pyverbs.log
	(cd "$TMP" && timeout "$(limit 400)" /usr/bin/python3 tests/run_tests.py --dev "$1" -v) >"$log" 2>&1
	classes "$log"
	n=$(results "$log" | grep -c " ok$")
	note "$TYPE: $(tail -n 1 "$log"), $n ok"
	point "the suite ends" grep -q '^Ran [0-9]* tests' "$log"
	point "at least $2 of them pass: $n" [ "$n" -ge "$2" ]
}
