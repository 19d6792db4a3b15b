#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# Programs that write garbage into the rings that they share with the kernel hurt only themselves.
. "$(dirname "$0")/lib.sh"
own_types_only "other drivers crash"

check() {
	local pid
	topo_up 1500
	"$BIN/verbs_data" -a $SPEC_A -b $SPEC_B -t 30 -x 100000 -w "$(limit 120)" >"$TMP/good" 2>&1 &
	pid=$!
	points "scribbler" run "$(limit 80)" "$BIN/verbs_scribble" $SPEC_A $SPEC_B 25
	if wait $pid; then
		ok "the others' data is right all the time"
	else
		not_ok "the others' data is right all the time" "$TMP/good"
	fi
	sed 's/^/#/' "$TMP/good"
	no_leak
	topo_down
	point "modules unload" unload
}
each_type check
