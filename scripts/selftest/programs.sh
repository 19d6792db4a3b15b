#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 900
# Programs from elsewhere that bring their own way of using verbs: UCX, libfabric, qperf, fio's rdma engine.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/cm_lib.sh"
own_types_only "needs links in namespaces"
for p in ucx_perftest fi_pingpong qperf fio; do
	command -v $p >/dev/null || skip_all "no $p"
done

L=$(limit 90)
N=$(scale 200)

# figures: the client of ucx_perftest printed a last line of figures.
figures() { grep -qE '^ *(Final: )? *[0-9]+ +[0-9.]+ ' "$TMP/client" || { cat "$TMP/client"; return 1; }; }

# uct TRANSPORT TEST ARG...: UCX's lower layer. The client tells the server its own device: both are on host a.
uct() {
	local x=$1 t=$2
	shift 2
	PORT=13337 duo "$L" ucx_perftest -- ip netns exec a \
		ucx_perftest -f -d $DEV_A:1 -x "$x" -t "$t" -n "$N" -w 10 "$@" $ADDR_A && figures
}

# ucp TRANSPORT TEST ARG...: UCX's upper layer, which chooses protocols by size, between the hosts.
ucp() {
	local x=$1 t=$2
	shift 2
	PORT=13337 duo "$L" env UCX_TLS="$x" UCX_NET_DEVICES=$DEV_A:1 ucx_perftest -- \
		env UCX_TLS="$x" UCX_NET_DEVICES=$DEV_B:1 ucx_perftest -f -t "$t" -n "$N" -w 10 "$@" $ADDR_A && figures
}

ucx() {
	local t
	for t in am_lat am_bw put_lat put_bw; do
		point "ucx_perftest rc_verbs $t" uct rc_verbs $t
	done
	point "ucx_perftest rc_verbs put_bw, 64 KiB" uct rc_verbs put_bw -D zcopy -s 65536
	point "ucx_perftest rc_verbs get, 64 KiB" uct rc_verbs get -D zcopy -s 65536
	for t in add_mr fadd cswap; do
		point "ucx_perftest rc_verbs $t" uct rc_verbs $t
	done
	for t in am_lat am_bw; do
		point "ucx_perftest ud_verbs $t" uct ud_verbs $t
	done
	point "ucx_perftest ud_verbs am_bw, 1000 bytes" uct ud_verbs am_bw -D zcopy -s 1000
	for t in rc_v ud_v; do
		point "ucx_perftest $t tag_lat" ucp $t tag_lat
		point "ucx_perftest $t tag_bw, 64 KiB" ucp $t tag_bw -s 65536
		point "ucx_perftest $t stream_bw" ucp $t stream_bw -s 3000
		point "ucx_perftest $t ucp_get, 100000 bytes" ucp $t ucp_get -s 100000
		point "ucx_perftest $t ucp_fadd" ucp $t ucp_fadd
	done
}

# fabric PROVIDER ENDPOINT: all sizes, contents compared.
fabric() {
	PORT=47592 duo "$L" fi_pingpong -p "$1" -e "$2" -d $DEV_A -c -I "$(scale 20)" -- \
		fi_pingpong -p "$1" -e "$2" -d $DEV_B -c -I "$(scale 20)" $ADDR_A || return
	grep -qE '^1m ' "$TMP/client" || { cat "$TMP/client"; return 1; }
}

# quick TEST: through the connection manager, the only way in which qperf finds a RoCE device's peer.
quick() {
	timeout -k 5 "$L" ip netns exec b qperf -cm 1 -t 1 -to "$L" "$@" >"$TMP/quick" 2>&1 || { cat "$TMP/quick"; return 1; }
	grep -E '^ +[a-z_]+ += +' "$TMP/quick" || { cat "$TMP/quick"; return 1; }
}

qperfs() {
	local t pid
	on_bg a timeout -k 5 $((L * 12)) "${PIN_A[@]}" qperf >"$TMP/server" 2>&1 &
	pid=$!
	wait_for 20 listening a 19765
	for t in rc_lat rc_bw rc_bi_bw rc_rdma_read_lat rc_rdma_read_bw rc_rdma_write_lat rc_rdma_write_bw \
		rc_fetch_add_mr rc_compare_swap_mr ver_rc_fetch_add ver_rc_compare_swap; do
		point "qperf $t" quick $ADDR_A $t
	done
	kill $pid
	wait $pid 2>/dev/null
}

# fio_rdma VERB: what one end writes the other one reads; sends carry headers with checksums, which the receiver verifies.
fio_rdma() {
	local verify=()
	[ "$1" != send ] || verify=(--verify=crc32c)
	meet "$L" fio --name=server --ioengine=rdma --port=4321 --rw=read --verb="$1" --bs=64k --iodepth=16 \
		--size=16m --output-format=terse "${verify[@]}" -- \
		fio --name=client --ioengine=rdma --hostname=$ADDR_A --port=4321 --verb="$1" --rw=write --bs=64k --iodepth=16 \
		--size=16m --output-format=terse "${verify[@]}"
}

check() {
	local v
	cm_up || return
	ucx
	point "fi_pingpong verbs;ofi_rxm" fabric "verbs;ofi_rxm" rdm
	point "fi_pingpong verbs" fabric verbs msg
	qperfs
	for v in write read send; do
		point "fio rdma, $v" fio_rdma $v
	done
	cm_down
}
each_type check
