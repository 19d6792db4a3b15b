#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 2
# kernels: stock debug
# timeout: 1500
# The suite of rdma-core on a virtio-net device, with the tests of rdma_cm. Each machine is alone with its own address: they
# take turns, so that every backend runs on one of them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/pyverbs_lib.sh"
own_types_only "link type of this project only"

# What passes at least: all but what testing.rst explains. Groups are RoCE's.
least() { if [ "$TYPE" = rxt-tcp ]; then echo 103; else echo 106; fi; }

turn=0
check() {
	turn=$((turn % NODES + 1))
	[ $turn = "$NODE" ] || return
	point "link" rdma link add rxp type "$TYPE" netdev eth0 || return
	sleep 2
	suite rxp "$(least)"
	point "link del" rdma link del rxp
}
# The tests of huge pages want some.
echo 32 >/proc/sys/vm/nr_hugepages
each_type check
echo 0 >/proc/sys/vm/nr_hugepages
[ $tap_n -gt 0 ] || skip_all "the other machine has the only turn"
