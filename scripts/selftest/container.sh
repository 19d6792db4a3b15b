#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 300
# What runs in containers: a user without any privilege in a network namespace of its own, with the device files passed in;
# limits of the rdma cgroup; nothing of the administration.
. "$(dirname "$0")/lib.sh"
own_types_only "needs links in namespaces"

# as_user CMD...: nobody, without capabilities and without a way to get some.
NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --ambient-caps=-all --bounding-set=-all
	--no-new-privs)
as_user() { on a "${NOBODY[@]}" "$@"; }

pingpong() { # TOOL ARG...
	local xa xb
	xa=$(gid_index a 4) && xb=$(gid_index b 4) || return
	duo "$(limit 60)" "${NOBODY[@]}" "$1" -p $PORT -d $DEV_A -g "$xa" -c "${@:2}" -- \
		"${NOBODY[@]}" "$1" -p $PORT -d $DEV_B -g "$xb" -c "${@:2}" $ADDR_A
}

fails() { ! "$@"; }

unprivileged() {
	local n
	n=$(scale 300)
	chmod 600 /dev/infiniband/uverbs*
	point "no device file, no device" fails as_user ibv_devinfo -d $DEV_A
	chmod 666 /dev/infiniband/uverbs* /dev/infiniband/rdma_cm
	point "a user sees the device" as_user ibv_devinfo -d $DEV_A
	point "RC between two users" pingpong ibv_rc_pingpong -n "$n"
	point "with events" pingpong ibv_rc_pingpong -e -n "$n"
	! carries_ud || point "UD between two users" pingpong ibv_ud_pingpong -s 1024 -n "$n"
	point "a user makes no link" fails as_user rdma link add rxn type "$TYPE" netdev lo
	point "a user deletes no link" fails as_user rdma link del $DEV_A
	point "a user moves no device" fails as_user rdma dev set $DEV_A name other
	point "a user binds no counter" fails as_user rdma statistic qp set link $DEV_A/1 auto type on
	# Root inside of a user namespace only.
	point "root of a user namespace makes no link" fails on a "${NOBODY[@]}" unshare -Ur rdma link add rxn type "$TYPE" netdev lo
	point "root of a user namespace deletes no link" fails on a "${NOBODY[@]}" unshare -Urn rdma link del $DEV_A
	point "the limit of locked memory holds" fails as_user bash -c "ulimit -l 64 && exec ibv_rc_pingpong -d $DEV_A -g 1 -s 1048576"
}

# in_group CMD...: as a user, in the cgroup under test.
in_group_bg() { exec bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" ip netns exec a "${NOBODY[@]}" "$@"; }
in_group() { (in_group_bg "$@"); }
current() { grep -q "^$DEV_A $1" "$group/rdma.current" || { cat "$group/rdma.current"; return 1; }; }
max() { echo "$DEV_A $1" >"$group/rdma.max"; }

limits() {
	local root=/sys/fs/cgroup pid
	group=$root/rxt-test
	mkdir -p "$group" 2>/dev/null
	if ! grep -qw rdma $root/cgroup.controllers 2>/dev/null || ! echo +rdma >$root/cgroup.subtree_control; then
		skip "limits of a cgroup" "this kernel has no rdma controller"
		rmdir "$group"
		return
	fi
	point "rdma.max takes limits for the device" max "hca_handle=1 hca_object=40"
	point "within the limits" in_group "$BIN/verbs_gid" $DEV_A
	in_group_bg ibv_rc_pingpong -d $DEV_A -g "$(gid_index a 4)" -p $PORT >"$TMP/held" 2>&1 &
	pid=$!
	point "what is in use is counted" wait_for 10 current "hca_handle=1 hca_object=[1-9]"
	point "a second context is one too many" fails in_group "$BIN/verbs_gid" $DEV_A
	kill $pid
	wait $pid 2>/dev/null
	point "and counted back" wait_for 5 current "hca_handle=0 hca_object=0"
	max "hca_handle=max hca_object=2"
	point "too few objects for a program" fails in_group timeout 5 ibv_rc_pingpong -d $DEV_A -g "$(gid_index a 4)" -p $PORT
	max "hca_handle=0 hca_object=max"
	point "no context at all" fails in_group "$BIN/verbs_gid" $DEV_A
	max "hca_handle=max hca_object=max"
	point "no limit again" in_group "$BIN/verbs_gid" $DEV_A
	point "others were never limited" on a "$BIN/verbs_gid" $DEV_A
	point "the group can go" wait_for 5 rmdir "$group"
}

check() {
	topo_up 1500
	unprivileged
	limits
	no_leak
	topo_down
	point "modules unload" unload
}
each_type check
