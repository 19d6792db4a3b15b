#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock
# mem: 4G
# timeout: 7200
# Much of what the connection manager does: thousands of runs of rping to one server without a drift of memory or objects,
# a thousand round trips for each of several sizes, a file of 1 GiB by rcopy.
# RXT_CM_RPINGS, RXT_CM_PINGS, RXT_CM_FILE: how many of each (5000 runs, 1000 round trips, 1024 MiB; brief: 200, 100, 32).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cm_lib.sh"
own_types_only "needs links in namespaces"

L=$(limit 60)
RUNS=${RXT_CM_RPINGS:-$(some 5000 200)}
PINGS=${RXT_CM_PINGS:-$(some 1000 100)}
FILE_MIB=${RXT_CM_FILE:-$(some 1024 32)}

slab() { awk '/^(SUnreclaim|Percpu|KernelStack|VmallocUsed):/ { n += $2 } END { print n }' /proc/meminfo; }

# runs N: so many clients to one server that stays, four at a time.
runs() {
	seq "$1" | on b xargs -P 4 -I{} timeout -k 5 "$L" rping -c -a $ADDR_A -C 1 >"$TMP/client" 2>&1
}

# none_left: neither device has a connection but for the listener, nor memory of one.
none_left() { [ "$(res)" = "$idle" ]; }

# drift: many runs, and what they leave behind.
drift() {
	local before after kernel unreclaimable
	# What is allocated once is there after a few of them.
	point "20 runs of rping" runs 20
	point "their objects go" wait_for 20 none_left
	before=$(memory) kernel=$(slab)
	if runs "$RUNS"; then ok "$RUNS runs of rping to one server"; else not_ok "$RUNS runs of rping" "$TMP/client"; fi
	point "their objects go" wait_for 20 none_left
	after=$(memory) unreclaimable=$(($(slab) - kernel))
	# Of 5,000 connections, one page each would be 20 MiB.
	point "memory does not go away ($((before - after)) KiB)" test $((before - after)) -lt $((8192 + RUNS))
	point "the kernel's does not grow ($unreclaimable KiB)" test $unreclaimable -lt $((4096 + RUNS / 2))
}

many() {
	local pid idle
	on_bg a rping -s -a $ADDR_A -P >"$TMP/server" 2>&1 &
	pid=$!
	wait_for 10 cm_listens a
	idle=$(res)
	point "5 runs of rping" runs 5
	point "their objects go" wait_for 20 none_left
	drift
	kill $pid
	wait $pid 2>/dev/null
}

pings() {
	local size
	for size in 64 1024 4096 16384 65535; do
		point "rping, $PINGS round trips of $size bytes" meet $((L + PINGS)) rping -s -a $ADDR_A -V -S $size -C "$PINGS" -- \
			rping -c -a $ADDR_A -V -S $size -C "$PINGS"
	done
}

check() {
	cm_up || return
	pings
	many
	point "rcopy, $FILE_MIB MiB" copied $ADDR_A "$FILE_MIB"
	cm_down
}
each_type check
