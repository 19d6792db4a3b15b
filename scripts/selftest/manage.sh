#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 400
# What an administrator sees and does: details of objects, counters of links and of single QPs, a device moved to another
# namespace, uevents, tracepoints, links that come back with their network device.
. "$(dirname "$0")/lib.sh"
own_types_only "about this driver's details"

TRACE=/sys/kernel/tracing
data() { run "$(limit 60)" "$BIN/verbs_data" -a $SPEC_A -b $SPEC_B -w "$(limit 50)" "$@"; }

# --- objects -----------------------------------------------------------------------------------------------------------
shows() { # OBJECT PATTERN...: details of rxa's objects match all of them
	local object=$1 p
	shift
	on a rdma -dd res show "$object" >"$TMP/shows" 2>&1 || { cat "$TMP/shows"; return 1; }
	for p in "$@"; do
		grep "$DEV_A" "$TMP/shows" | grep -qE "$p" || { echo "no '$p' in:"; cat "$TMP/shows"; return 1; }
	done
}

# The other driver-independent ones are ib_core's.
objects() {
	point "details of QPs" shows qp "state RTS.*drv_inflight [0-9]+ .*drv_acked [0-9]+.*drv_waits_for [a-z]+" \
		"drv_sq_posted [0-9]+" "drv_rq_posted [0-9]+" "drv_established 1.*drv_conn "
	point "details of CQs" shows cq "drv_armed [0-9] .*drv_overflow 0 .*drv_pending [0-9]+"
	point "details of MRs" shows mr "mrlen [0-9]+.*drv_pinned 1"
	point "details of SRQs" shows srq "type BASIC"
	point "details of PDs" shows pd "users [0-9]+"
}

cm_ids() {
	local pid
	on_bg b rping -s -a $ADDR_B -p 7471 -C 1 >"$TMP/rping" 2>&1 &
	pid=$!
	point "rdma res show cm_id" wait_for 10 eval \
		"on b rdma res show cm_id | grep 'state LISTEN' | grep 'comm rping' | grep -q 'src-addr $ADDR_B:7471'"
	kill $pid
	wait $pid 2>/dev/null
}

# --- counters ------------------------------------------------------------------------------------------------------------
counter() { # HOST NAME [OBJECT FILTER...]
	local host=$1 name=$2
	shift 2
	on "$host" rdma statistic "${@:1:1}" show link "rx$host/1" "${@:2}" | grep -oE "\b$name [0-9]+" | cut -d' ' -f2 | head -n 1
}
more() { [ "${2:-0}" -gt "${1:-0}" ] || { echo "from '$1' to '$2'"; return 1; }; }
grows() { # NAME FROM [FILTER...]
	local name=$1 from=$2
	shift 2
	more "$from" "$(counter a "$name" "$@")"
}

lqpn() { on a rdma res show qp | awk -v d="$DEV_A/1" '$2 == d && /state RTS/ && /type RC/ { for (i = 1; i < NF; i++) if ($i == "lqpn") { print $(i + 1); exit } }'; }

manual() {
	local qpn total cnt
	qpn=$(lqpn)
	total=$(counter a tx_msgs)
	point "bind QP $qpn to a counter" on a rdma statistic qp bind link $DEV_A/1 lqpn "$qpn" || return
	point "a QP cannot be bound twice" eval "! on a rdma statistic qp bind link $DEV_A/1 lqpn $qpn"
	cnt=$(on a rdma statistic qp show link $DEV_A/1 | grep -oE 'cntn [0-9]+' | cut -d' ' -f2)
	point "it is shown with its QP" eval "on a rdma statistic qp show link $DEV_A/1 | grep -A1 'cntn $cnt' | grep -q $qpn"
	point "it counts what the QP does" wait_for 5 grows tx_msgs 10 qp cntn "$cnt"
	# Over roce the answer to a READ is its acknowledgement.
	point "it counts answers" wait_for 20 eval "grows rx_acks 0 qp cntn $cnt || grows rx_read_resp 0 qp cntn $cnt"
	point "the link's counters hold it too" wait_for 5 grows tx_msgs "$total"
	point "no automatic counters meanwhile" eval "! on a rdma statistic qp set link $DEV_A/1 auto type on"
	total=$(counter a tx_bytes)
	point "unbind" on a rdma statistic qp unbind link $DEV_A/1 cntn "$cnt" lqpn "$qpn"
	point "nothing of it is lost for the link" eval "[ \$(counter a tx_bytes) -ge $total ]"
	point "no counter is left" eval "! on a rdma statistic qp show link $DEV_A/1 | grep -q cntn"
}

automatic() {
	local before x
	before=$(counter a tx_bytes)
	point "a counter for each type of QP" on a rdma statistic qp set link $DEV_A/1 auto type on
	point "the mode is shown" eval "on a rdma statistic qp mode link $DEV_A/1 | grep -q 'auto type on'"
	data -q 4 -t 4 -x 20000 >"$TMP/auto" 2>&1 &
	x=$!
	point "it counts while they run" wait_for 10 grows tx_msgs 20 qp qp-type RC
	wait $x || not_ok "traffic with counters" "$TMP/auto"
	point "what they counted stays with the link" grows tx_bytes "$before"
	point "off" on a rdma statistic qp set link $DEV_A/1 auto off
}

# A receiver that cannot keep up: both sides say so.
stall() {
	run "$(limit 60)" "$BIN/verbs_errors" -a $SPEC_B -b $SPEC_A "RNR: rnr_retry 7" >"$TMP/stall" 2>&1 ||
		not_ok "a slow receiver" "$TMP/stall"
	point "RNR NAKs are counted where they are sent ($(counter a tx_rnr_nak))" more 0 "$(counter a tx_rnr_nak)"
	point "and where they arrive ($(counter b rx_rnr_nak))" more 0 "$(counter b rx_rnr_nak)"
	point "what went again is counted ($(counter b retransmits))" more 0 "$(counter b retransmits)"
	point "and what was thrown away ($(counter a rx_discarded))" more 0 "$(counter a rx_discarded)"
}

# --- tracing -------------------------------------------------------------------------------------------------------------
traced() { grep -qE "$1" "$TMP/trace" || { tail -n 20 "$TMP/trace"; return 1; }; }

tracing() {
	local e
	[ -d $TRACE/events/rxt ] || { skip "tracepoints" "this kernel has no event tracing"; return; }
	echo 4096 >$TRACE/buffer_size_kb
	echo 1 >$TRACE/events/rxt/enable
	stall
	data -n 1 -q 1 >"$TMP/point" 2>&1
	echo 0 >$TRACE/events/rxt/enable
	cat $TRACE/trace >"$TMP/trace"
	echo >$TRACE/trace
	for e in "qp_new: dev=rxa qp=0x" "qp_state: dev=rxa .* INIT -> RTR" "wr_begin: dev=rxb .*op=SEND wr_id=" \
		"tx_begin: .*length=[1-9]" "tx_end: .*res=1" "acked: dev=rxb .*id=" "wr_end: .*op=(WRITE|READ).*res=0" \
		"cqe: dev=rxa .*status=0" "rx_begin: .*op=SEND.*verdict=(OK|NOT_READY)" "rx_end: .*verdict=OK" \
		"rx_request: .*op=READ.*verdict=OK" "rnr: dev=rxb" "retransmit: dev=rxb" "conn_down: dev=rxa" "qp_gone: dev=rxa"; do
		point "tracepoint rxt_${e%%:*}" traced "rxt_$e"
	done
	[ "$TYPE" = rxt-roce ] || point "tracepoint rxt_conn_up" traced "rxt_conn_up: dev=rxa"
}

# --- uevents, namespaces, boot -------------------------------------------------------------------------------------------
uevents() {
	local pid
	"$SELFTEST/uevents.py" 60 >"$TMP/uevents" &
	pid=$!
	wait_for 10 grep -q listening "$TMP/uevents"
	ip link add ue0 type dummy
	ip link set ue0 up
	point "a link in the first namespace" rdma link add rxu type "$TYPE" netdev ue0
	point "uevent: add" wait_for 5 grep -q "^add .*/infiniband/rxu$" "$TMP/uevents"
	point "uevent: its verbs device" wait_for 5 grep -q "^add .*/infiniband_verbs/uverbs" "$TMP/uevents"
	rdma link del rxu
	point "uevent: remove" wait_for 5 grep -q "^remove .*/infiniband/rxu$" "$TMP/uevents"
	ip link del ue0
	kill $pid
	wait $pid 2>/dev/null
}

move() {
	point "shared mode: a device is not moved" eval "! on a rdma dev set $DEV_A netns b 2>$TMP/move && grep -q . $TMP/move"
}

has_dev() { ip netns exec "$1" rdma dev show | grep -q ": $2:"; }

exclusive() {
	rdma system set netns exclusive
	topo_up 1500
	ip netns add c
	point "exclusive mode: a device is moved" on a rdma dev set $DEV_A netns c
	point "it is there" has_dev c $DEV_A
	point "it is not here" eval "! has_dev a $DEV_A"
	# Its traffic stays with the network device.
	point "it carries data" run "$(limit 60)" "$BIN/verbs_data" -a c@$DEV_A -b $SPEC_B -n 2
	point "moved back" ip netns exec c rdma dev set $DEV_A netns a
	point "it carries data here again" data -n 2
	point "moved away again" on a rdma dev set $DEV_A netns c
	ip netns del a
	point "it goes with the namespace of its network device" wait_for "$(limit 10)" eval "! has_dev c $DEV_A"
	ip netns del c
	topo_down
	wait_for 5 rdma system set netns shared
}

boot() {
	local be=${TYPE#rxt-}
	mkdir -p /etc/rxt
	printf '# name type netdev\n\nrxm0 %s bm0\nrxm1 rxt-%s bm1\nbroken\n' "$TYPE" "$be" >/etc/rxt/links
	ip link add bm0 type dummy
	point "rxt-links: a bad line is said, the others are done" eval \
		"! '$SELFTEST/../boot/rxt-links' 2>$TMP/links && grep -q broken $TMP/links"
	sed -i '/broken/d' /etc/rxt/links
	point "rxt-links: again does no harm" "$SELFTEST/../boot/rxt-links"
	point "the link is there" eval "rdma link show rxm0/1 | grep -q 'netdev bm0'"
	ip link del bm0
	udev
	rm -r /etc/rxt
}

udev() {
	local daemon=/lib/systemd/systemd-udevd
	[ -x $daemon ] || { skip "links made by udev" "no systemd-udevd here"; return; }
	install -D -m 755 "$SELFTEST/../boot/rxt-links" /usr/local/sbin/rxt-links
	install -D -m 644 "$SELFTEST/../boot/90-rxt-links.rules" /etc/udev/rules.d/90-rxt-links.rules
	$daemon --daemon >"$TMP/udevd" 2>&1
	if wait_for 10 udevadm control --ping 2>/dev/null; then
		ip link add bm1 type dummy
		point "udev: a network device brings its link along" wait_for "$(limit 10)" eval \
			"rdma link show rxm1/1 2>/dev/null | grep -q 'netdev bm1'"
		ip link del bm1
		point "and takes it away" wait_for 5 eval "! rdma link show | grep -q rxm1"
		ip link add other type dummy
		ip link set other name bm0
		point "udev: a network device that is renamed gets its link" wait_for "$(limit 10)" eval \
			"rdma link show rxm0/1 2>/dev/null | grep -q 'netdev bm0'"
		ip link del bm0
	else
		not_ok "systemd-udevd does not start" "$TMP/udevd"
	fi
	udevadm control --exit
	rm -f /etc/udev/rules.d/90-rxt-links.rules /usr/local/sbin/rxt-links
}

check() {
	local pid
	topo_up 1500
	"$BIN/verbs_hold" $SPEC_A $SPEC_B >"$TMP/hold" 2>&1 &
	pid=$!
	point "a program with everything open" wait_for "$(limit 15)" grep -q ready "$TMP/hold"
	objects
	manual
	kill -TERM $pid
	wait $pid
	cm_ids
	automatic
	tracing
	move
	no_leak
	topo_down
	uevents
	boot
	exclusive
	point "modules unload" unload
}
each_type check
