#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 3600
# NVMe over RDMA in one host, to its own address: fio with verification in many sizes and depths, many queues, connections
# and discoveries without pause. (The kernel's drivers use the first network namespace only, and there rdma_cm finds no way
# from one device to another one of the same host.)
# RXT_NVME_CONNS: how often to connect and disconnect (400, or 20 in the brief form).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nvme_lib.sh"
own_types_only "link type of this project only"
nvme_here || skip_all "no nvme-cli, fio or nvme_rdma"

link_up() {
	ip link add va mtu 1500 type veth peer name vb mtu 1500
	ip addr add $ADDR_A/24 dev va
	ip link set va up
	ip link set vb up
	rdma link add $DEV_A type "$TYPE" netdev va && wait_for 5 has_v4
}
has_v4() { "$BIN/verbs_gid" $DEV_A | grep -q ' 4 v2'; }

link_down() { rdma link del $DEV_A && ip link del va; }

# The kernel keeps the CQs of its consumers in a pool of the device.
now() { rdma res show | sed 's/^[^:]*://; s/ cq [0-9]*//'; }
as_before() { [ "$(now)" = "$before" ]; }

# conns N: every one of them is used, if only to find the disk.
conns() {
	local i
	for ((i = 0; i < $1; i++)); do
		attach $ADDR_A && detach || { echo "connection $i"; return 1; }
	done
}

discoveries() {
	local i
	for ((i = 0; i < $1; i++)); do
		discover $ADDR_A || { echo "discovery $i"; return 1; }
	done
}

sizes() {
	local bs depth mib
	for bs in 4k 128k 1m; do
		case $bs in
		4k) mib=$(some 8 1) ;;
		128k) mib=$(some 64 16) ;;
		1m) mib=$(some 256 32) ;;
		esac
		for depth in 1 32 128; do
			point "fio verifies, $bs, depth $depth" verified $bs $depth "$mib"
		done
	done
}

check() {
	local before n
	point "link" link_up || return
	before=$(now)
	point "target" target_up $ADDR_A || return
	point "host drivers" host_up || return
	point "connect with 32 queues of each kind" attach $ADDR_A -i 32 -W 32 -P 32 || return
	note "queues: $(cat "/sys/class/nvme/$(controller)/queue_count"), CPUs: $(nproc)"
	sizes
	point "disconnect" detach
	point "20 discoveries" discoveries 20
	n=${RXT_NVME_CONNS:-$(some 400 20)}
	point "$n connects and disconnects" conns "$n"
	point "target goes" target_down
	point "host drivers unload" host_down
	if wait_for 10 as_before; then
		ok "no object is left"
	else
		printf 'before:\n%s\nnow:\n%s\n' "$before" "$(now)" >"$TMP/res"
		not_ok "no object is left" "$TMP/res"
	fi
	point "link goes" link_down
	point "modules unload" unload
}
each_type check
