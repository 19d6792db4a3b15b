# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests that misbehave on one side of a link: the traffic of others, which has to stay right meanwhile.

good_pid=
good_start() {
	good_stop=$TMP/good-stop
	(
		n=0
		while [ ! -e "$good_stop" ]; do
			"$BIN/verbs_data" -a $SPEC_A -b $SPEC_B -t 5 -x 50000 -s $((++n)) -w "$(limit 100)" >"$TMP/good" 2>&1 ||
				exit 1
		done
	) &
	good_pid=$!
}

# good_end: ends it; one point.
good_end() {
	touch "$good_stop"
	if wait $good_pid; then
		ok "the others' data is right all the time"
	else
		not_ok "the others' data is right all the time" "$TMP/good"
	fi
}

# New connections work as well, in spite of it all.
connects_still() { run "$(limit 40)" "$BIN/verbs_data" -a $SPEC_A -b $SPEC_B -n 1 -q 4; }
