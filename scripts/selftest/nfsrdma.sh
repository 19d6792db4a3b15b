#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# boot: own
# timeout: 900
# NFS over RDMA between two hosts: an archive unpacked and compared, checksums from the server's side, random operations
# against a copy in memory, direct I/O that verifies, mounts and unmounts.
# A boot of its own: the kernel's NFS over RDMA (not over TCP) never lets go of the network namespaces, even after all of its
# modules and ours are unloaded, and with them there the rdma subsystem cannot be told to share devices again.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cm_lib.sh"
own_types_only "needs links in namespaces"
modinfo nfsd rpcrdma nfsv4 >/dev/null 2>&1 || skip_all "no nfsd or rpcrdma"

L=$(limit 120)
EXPORT=$TMP/export
MNT=$TMP/mnt
SERVER_PID=

# at NS CMD...: in the host's network, but with the mounts of this shell.
at() {
	local ns=$1
	shift
	nsenter --net=/run/netns/"$ns" "$@"
}

# The files of nfsd are those of the network that they are mounted in.
server_up() {
	local d=/proc/fs/nfsd
	modprobe -a nfsd rpcrdma nfsv4 || return
	mkdir -p "$EXPORT" "$MNT"
	mountpoint -q "$EXPORT" || mount -t tmpfs -o size=512m export "$EXPORT" || return
	at a mount -t nfsd nfsd $d || return
	# Not by at(): $! is to be the program.
	nsenter --net=/run/netns/a "$SELFTEST/nfs_exports.py" "$EXPORT" >"$TMP/exports" 2>&1 &
	SERVER_PID=$!
	wait_for 10 grep -q ready "$TMP/exports" || return
	echo "-2 -3 +4 +4.1 +4.2" >$d/versions
	echo 10 >$d/nfsv4leasetime
	echo 10 >$d/nfsv4gracetime
	echo "rdma 20049" >$d/portlist && echo 4 >$d/threads || return
	echo Y >$d/v4_end_grace
	cat $d/portlist $d/versions
}

server_down() {
	local rc=0
	echo 0 >/proc/fs/nfsd/threads || rc=1
	kill "$SERVER_PID" 2>/dev/null
	wait "$SERVER_PID" 2>/dev/null
	umount /proc/fs/nfsd || rc=1
	umount "$EXPORT" || rc=1
	return $rc
}

# The kernel's own mount interface: mount.nfs is in a package that starts daemons.
mounted() {
	at b timeout -k 5 "$L" mount -i -t nfs4 \
		-o "vers=4.2,proto=rdma,port=20049,sec=sys,hard,addr=$ADDR_A,clientaddr=$ADDR_B" $ADDR_A:/ "$MNT" &&
		grep " $MNT nfs4 .*proto=rdma" /proc/mounts
}
unmounted() { umount "$MNT"; }

unpacked() {
	local p part=(core provider backends include kunit Documentation)
	[ "$BRIEF" = 0 ] || part=(core Documentation)
	tar -C "$SELFTEST/../.." -cf - "${part[@]}" | tar -C "$MNT" -xf - || return
	echo 3 >/proc/sys/vm/drop_caches
	for p in "${part[@]}"; do
		diff -r "$SELFTEST/../../$p" "$MNT/$p" || return
	done
	rm -r "${part[@]/#/$MNT/}"
}

# sums MIB: what the client writes the server has, and the client reads again.
sums() {
	local there here again
	head -c "$1M" /dev/urandom >"$TMP/data"
	dd if="$TMP/data" of="$MNT/data" bs=1M conv=fsync status=none || return
	here=$(sha1sum <"$TMP/data") there=$(sha1sum <"$EXPORT/data")
	echo 3 >/proc/sys/vm/drop_caches
	again=$(sha1sum <"$MNT/data")
	rm "$TMP/data" "$MNT/data"
	echo "$here $there $again"
	[ "$here" = "$there" ] && [ "$here" = "$again" ]
}

remounts() {
	local i
	for ((i = 0; i < $1; i++)); do
		mounted && ls "$MNT" && unmounted || return
	done
}

check() {
	local d
	cm_up || return
	if point "server" server_up && point "mount" mounted; then
		point "an archive, unpacked and compared" unpacked
		point "checksums on both sides" sums "$(some 64 16)"
		point "random operations" timeout -k 5 $((L * 4)) "$BIN/file_ops" "$MNT/ops" "$(some 2000 200)"
		if command -v fio >/dev/null; then
			for d in 1 16; do
				point "fio verifies, direct I/O, depth $d" timeout -k 5 "$L" fio --name=v --thread --directory="$MNT" \
					--ioengine=libaio --direct=1 --rw=randwrite --bs=256k --iodepth=$d --size="$(some 64 16)m" \
					--verify=crc32c --verify_fatal=1 --verify_state_save=0 --unlink=1
			done
		fi
		point "unmount" unmounted
		point "mounts and unmounts" remounts "$(some 20 3)"
	fi
	umount "$MNT" 2>/dev/null
	point "server goes" server_down
	cm_down
}
each_type check
