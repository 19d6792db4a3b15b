#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# A peer that sends RoCE packets which no peer would send: all opcodes, lengths, paddings and QP numbers, wrong checksums, sources
# and sequence numbers, answers to nothing. They are dropped and counted, and the data of others stays right.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/good_lib.sh"
own_types_only "about the roce backend"
[[ " $RXT_BACKENDS " == *" roce "* ]] || skip_all "about the roce backend"
TYPE=rxt-roce

attack() { # GROUP COUNT
	run "$(limit 100)" ip netns exec a "$SELFTEST/roce_hostile_peer.py" "$1" va $ADDR_A $ADDR_B "$mac" "$2" \
		"$BIN/verbs_victim" $SPEC_B $ADDR_A 0x4242
}
group() { # TEXT GROUP COUNT
	point "$1" attack "$2" "$3" && grep packets "$TMP/point" | sed 's/^/# /'
	point "$1: other connections work" connects_still
}
counter() { on b rdma statistic show link $DEV_B/1 | grep -oE "$1 [0-9]+" | cut -d' ' -f2; }

topo_up 1500
mac=$(ip netns exec b cat /sys/class/net/vb/address)
good_start

group "opcodes, lengths, QP numbers" opcodes "$(scale 2000)"
group "no packets at all" cut "$(scale 2000)"
group "one thing wrong" checks 0
group "out of sequence" sequence "$(scale 1500)"
group "no message" order "$(scale 1500)"
group "answers" responses "$(scale 400)"

good_end
for c in bad_header bad_checksum bad_source bad_qpn bad_key duplicates out_of_order rx_discarded tx_nak; do
	point "$c is counted ($(counter $c))" test "$(counter $c)" -gt 0
done
no_leak
topo_down
point "modules unload" unload
