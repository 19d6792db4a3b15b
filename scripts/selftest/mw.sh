#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 300
# Memory windows, local and remote invalidate, through the library.
. "$(dirname "$0")/lib.sh"
own_types_only "rdma_rxe has other statuses and does not wait for copies under way"

check() {
	topo_up 1500
	points mw run "$(limit 100)" "$BIN/verbs_mw" -a $SPEC_A -b $SPEC_B -w "$(limit 90)"
	points mw run "$(limit 30)" "$BIN/verbs_mw" -k -a $SPEC_A -b $SPEC_B
	no_leak
	topo_down
}
each_type check
