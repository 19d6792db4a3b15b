#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 900
# The suite of rdma-core on a veth, where the tests of rdma_cm skip themselves: a veth has no parent device.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pyverbs_lib.sh"

# What passes at least; more is welcome, see the table in testing.rst.
least() {
	case $TYPE in
	rxt-*) echo 94 ;;
	*) echo 1 ;;
	esac
}

check() {
	ip link add va mtu 1500 type veth peer name vb mtu 1500
	ip addr add $ADDR_A/24 dev va
	ip link set va up
	ip link set vb up
	rdma link add rxp type "$TYPE" netdev va || { not_ok "link"; return; }
	sleep 2
	suite rxp "$(least)"
	rdma link del rxp
	ip link del va
}
each_type check
