#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 2
# kernels: stock debug
# timeout: 1200
# NVMe over RDMA between two machines: fio with verification, also while the network is gone for 30 seconds: once packets
# vanish without a word, once the network device is down (12 seconds when brief: longer than the keep-alive).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nodes_lib.sh"
. "$(dirname "$0")/nvme_lib.sh"
own_types_only "link type of this project only"
nvme_here || skip_all "no nvme-cli, fio or nvme_rdma"

CUT=$(some 30 12)

# across TEXT CUT-COMMAND RESTORE-COMMAND: fio writes and verifies while there is no network for CUT seconds.
across() {
	local text=$1 pid rc=0
	verified 16k 16 32 --rate=2m --output="$TMP/fio" &
	pid=$!
	sleep 4
	$2
	sleep $CUT
	gone $pid && rc=1
	$3
	wait $pid || rc=1
	if [ $rc = 0 ]; then ok "$text"; else not_ok "$text" "$TMP/fio"; fi
	point "$text: the controller is live again" wait_for 60 live
}

swallow() { tc qdisc add dev eth0 root netem loss 100%; }
spit() { tc qdisc del dev eth0 root; }
down() { ip link set eth0 down; }
up_again() { ip link set eth0 up; }

initiator() {
	local bs
	point "host drivers" host_up || return
	point "connect" attach "$PEER" -i 32 -W 32 --keep-alive-tmo=5 --reconnect-delay=2 --ctrl-loss-tmo=600 || return
	note "queues: $(cat "/sys/class/nvme/$(controller)/queue_count"), CPUs: $(nproc)"
	for bs in 4k:1:1 4k:128:2 128k:32:16 1m:32:32; do
		IFS=: read -ra bs <<<"$bs"
		point "fio verifies, ${bs[0]}, depth ${bs[1]}" verified "${bs[@]}"
	done
	across "packets vanish for $CUT s" swallow spit
	across "the device is down for $CUT s" down up_again
	point "disconnect" detach
	point "discovery" discover "$PEER"
	point "host drivers unload" host_down
}

check() {
	point "link" rdma link add $DEV type "$TYPE" netdev eth0 || return
	wait_for 5 index 4 >/dev/null
	[ "$NODE" != 1 ] || point "target" target_up "10.9.0.1"
	rxt-barrier "$TYPE-target" 300
	[ "$NODE" = 1 ] || initiator
	rxt-barrier "$TYPE-done" 1100
	[ "$NODE" != 1 ] || point "target goes" target_down
	point "link del" rdma link del $DEV
	point "modules unload" unload
}
each_type check
