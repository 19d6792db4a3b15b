#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 2
# kernels: stock debug
# timeout: 900
# Open MPI with UCX between two machines: all-to-all with more ranks than CPUs, every byte compared.
# RXT_MPI_RANKS: ranks on each machine (4).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/nodes_lib.sh"
own_types_only "link type of this project only"
if ! command -v mpirun >/dev/null || [ ! -e "$BIN/mpi_alltoall" ]; then skip_all "no Open MPI"; fi

RANKS=${RXT_MPI_RANKS:-4}
AGENT=$(command -v rxt-on)

# Rank to rank, on one machine as well, goes over the device: no shared memory.
alltoall() { # TRANSPORT ROUNDS
	timeout -k 5 "$(limit 200)" mpirun --allow-run-as-root --oversubscribe -np $((2 * RANKS)) \
		--host "10.9.0.1:$RANKS,10.9.0.2:$RANKS" --mca plm_rsh_agent "$AGENT" --mca oob_tcp_if_include eth0 \
		--mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any --mca osc '^ucx' --mca btl '^openib' \
		-x UCX_NET_DEVICES=$DEV:1 -x UCX_TLS="$1,self" "$BIN/mpi_alltoall" "$2" >"$TMP/mpi" 2>&1 </dev/null &&
		grep -q " 0 wrong" "$TMP/mpi" || { tail -n 40 "$TMP/mpi"; return 1; }
}

check() {
	local pid
	point "link" rdma link add $DEV type "$TYPE" netdev eth0 || return
	wait_for 5 index 4 >/dev/null
	if [ "$NODE" != 1 ]; then
		"$AGENT" --serve "10.9.0.$NODE" >"$TMP/agent" 2>&1 &
		pid=$!
		wait_for 20 grep -q ready "$TMP/agent"
	fi
	rxt-barrier "$TYPE-agent" 300
	if [ "$NODE" = 1 ]; then
		point "$((2 * RANKS)) ranks, rc_verbs" alltoall rc_v "$(some 20 4)"
		point "$((2 * RANKS)) ranks, ud_verbs" alltoall ud_v "$(some 10 2)"
	fi
	rxt-barrier "$TYPE-done" 1100
	[ "$NODE" = 1 ] || kill $pid
	point "link del" rdma link del $DEV
	point "modules unload" unload
}
each_type check
