# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests of NVMe over RDMA: a target in memory, connections to it, fio that verifies. The kernel's drivers use the first
# network namespace only. Sourced after lib.sh.

NQN=nqn.2024-01.org.example:rxt
HOSTNQN=nqn.2014-08.org.nvmexpress:uuid:6ad26742-8ba1-4b62-9d2d-5a8ad43cb5be
NVMET=/sys/kernel/config/nvmet
SUBSYS=$NVMET/subsystems/$NQN
SVC=4420
# Where fio writes; more of it is never used.
DISK_MIB=256

nvme_here() { command -v nvme >/dev/null && command -v fio >/dev/null && modinfo nvmet-rdma nvme-rdma brd >/dev/null 2>&1; }

# target_up ADDRESS: a namespace in memory behind a port.
target_up() {
	local port=$NVMET/ports/1
	modprobe brd rd_nr=1 rd_size=$((DISK_MIB * 1024)) || return
	modprobe -a configfs nvmet nvmet-rdma || return
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config || return
	mkdir -p "$SUBSYS" "$port" || return
	mkdir "$SUBSYS/namespaces/1"
	echo 1 >"$SUBSYS/attr_allow_any_host"
	echo /dev/ram0 >"$SUBSYS/namespaces/1/device_path"
	echo 1 >"$SUBSYS/namespaces/1/enable"
	echo rdma >$port/addr_trtype
	echo ipv4 >$port/addr_adrfam
	echo "$1" >$port/addr_traddr
	echo $SVC >$port/addr_trsvcid
	ln -s "$SUBSYS" "$port/subsystems/$NQN"
}

target_down() {
	rm -f "$NVMET/ports/1/subsystems/$NQN"
	rmdir $NVMET/ports/1
	echo 0 >"$SUBSYS/namespaces/1/enable"
	rmdir "$SUBSYS/namespaces/1" "$SUBSYS"
	wait_for 20 modprobe -r nvmet-rdma nvmet brd
}

host_up() { modprobe -a nvme-fabrics nvme-rdma; }
host_down() { modprobe -r nvme-rdma nvme-fabrics; }

controller() { grep -lx "$NQN" /sys/class/nvme/nvme*/subsysnqn 2>/dev/null | cut -d/ -f5; }
live() { [ "$(cat "/sys/class/nvme/$(controller)/state" 2>/dev/null)" = live ]; }
disk() { find /sys/block -name 'nvme*n1' -printf '%f\n' | grep -E '^nvme[0-9]+n1$'; }
has_disk() { [ -b "/dev/$(disk)" ]; }

# attach ADDRESS [ARG...], until the disk is there; detach.
attach() {
	local to=$1
	shift
	timeout -k 5 "$(limit 60)" nvme connect -t rdma -a "$to" -s $SVC -n $NQN -q $HOSTNQN "$@" &&
		wait_for 20 has_disk
}
detach() { timeout -k 5 "$(limit 60)" nvme disconnect -n $NQN && [ -z "$(controller)" ]; }

discover() { timeout -k 5 "$(limit 60)" nvme discover -t rdma -a "$1" -s $SVC -q $HOSTNQN | grep -q "subnqn:.*$NQN"; }

# verified BLOCK-SIZE IODEPTH MIB [ARG...]: random writes, all read back and compared by their checksums.
verified() {
	local bs=$1 depth=$2 mib=$3
	shift 3
	timeout -k 5 "$(limit 120)" fio --name=v --thread --filename="/dev/$(disk)" --ioengine=libaio --direct=1 --rw=randwrite \
		--bs="$bs" --iodepth="$depth" --size="${mib}m" --verify=crc32c --verify_fatal=1 --verify_state_save=0 "$@"
}
