# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests of the connection manager: two namespaces that see their own device only, and pairs of programs that meet
# through rdma_cm. Sourced after lib.sh.

cm_up() {
	modprobe rdma_ucm
	point "rdma system set netns exclusive" rdma system set netns exclusive || return
	topo_up 1500
}

cm_down() {
	wait_for 10 no_cm_id
	no_leak
	topo_down
	# Namespaces that go count until they are gone.
	wait_for 10 shared
}

shared() { rdma system set netns shared 2>/dev/null; }

cm_ids() { on "$1" rdma res show cm_id 2>/dev/null; }
no_cm_id() { [ -z "$(cm_ids a; cm_ids b)" ]; }

# cm_listens NS [NUMBER]: so many listeners are there.
cm_listens() { [ "$(cm_ids "$1" | grep -c 'state LISTEN')" -ge "${2:-1}" ]; }

# meet SECONDS [-ns NS] SERVER-CMD... -- CLIENT-CMD...: as duo, but the server listens through rdma_cm. With -ns both
# are on that host. Servers of rdma-core end with a status that says nothing: it is the text of CM_ERRORS that counts.
CM_ERRORS='error|fail|invalid|mismatch|denied|refused|unable|aborted'
meet() {
	local s=$1 srv=() pid rc=0 ns=a nc=b before
	shift
	[ "$1" != -ns ] || { ns=$2 nc=$2; shift 2; }
	while [ "$1" != -- ]; do srv+=("$1"); shift; done
	shift
	before=$(cm_ids "$ns" | grep -c 'state LISTEN')
	on_bg "$ns" timeout -k 5 "$s" "${PIN_A[@]}" "${srv[@]}" >"$TMP/server" 2>&1 &
	pid=$!
	if wait_for 20 cm_listens "$ns" $((before + 1)); then
		on "$nc" timeout -k 5 "$s" "${PIN_B[@]}" "$@" >"$TMP/client" 2>&1 || rc=$?
	else
		echo "server does not listen" >"$TMP/client"
		rc=1
	fi
	if [ $rc = 0 ] && [ -z "${STAYS:-}" ]; then
		wait_for "$s" gone $pid || rc=124
	fi
	kill $pid 2>/dev/null
	wait $pid 2>/dev/null
	grep -qiE "$CM_ERRORS" "$TMP/server" "$TMP/client" && rc=1
	[ $rc = 0 ] || {
		echo "status $rc; server:"; tail -n 12 "$TMP/server"
		echo "client:"; tail -n 12 "$TMP/client"
	}
	return $rc
}

# memory: KiB that are free or could be.
memory() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.2
	awk '/^(MemFree|Buffers|Cached|SReclaimable)/ { n += $2 } END { print n }' /proc/meminfo
}

# copied ADDRESS MIB: a file by rcopy, of a length that no page or message divides.
copied() {
	local i rc to=$1 mib=$2
	# Random data is slow: the same again, but never at the same place.
	head -c 16M /dev/urandom >"$TMP/part"
	for ((i = 0; i < mib; i += 16)); do
		echo $i
		head -c "$((mib - i > 16 ? 16 : mib - i))M" "$TMP/part"
	done >"$TMP/file"
	rm "$TMP/part"
	STAYS=1 meet "$((${L:-60} + mib))" rcopy -- rcopy "$TMP/file" "$to:$TMP/copy" &&
		cmp "$TMP/file" "$TMP/copy"
	rc=$?
	rm -f "$TMP/file" "$TMP/copy"
	return $rc
}
