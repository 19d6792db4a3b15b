#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 600
# perftest's options: many QPs, both directions, events, inline, SRQ, a region per QP.
. "$(dirname "$0")/lib.sh"

check() {
	local t q n l
	n=$(scale 400)
	l=$(limit 60)
	topo_up 1500
	for t in send write read; do
		for q in $(some "16 128" 128); do
			point "ib_${t}_bw -q $q" perf "$l" 4 ib_${t}_bw -q $q -s 4096 -t 8 -n "$(scale 100)"
		done
		point "ib_${t}_bw -b" perf "$l" 4 ib_${t}_bw -b -s 65536 -n "$n"
		point "ib_${t}_bw -b -q 4" perf "$l" 4 ib_${t}_bw -b -q 4 -s 8192 -n "$n"
		point "ib_${t}_bw --mr_per_qp -q 8" perf "$l" 4 ib_${t}_bw --mr_per_qp -q 8 -s 16384 -n "$(scale 100)"
	done
	point "ib_send_bw -e" perf "$l" 4 ib_send_bw -e -s 4096 -n "$n"
	point "ib_read_bw -e" perf "$l" 4 ib_read_bw -e -s 4096 -n "$n"
	point "ib_send_lat -e" perf "$l" 4 ib_send_lat -e -s 64 -n "$n"
	point "ib_send_bw -I 64" perf "$l" 4 ib_send_bw -I 64 -s 64 -n "$n"
	point "ib_write_bw -I 200" perf "$l" 4 ib_write_bw -I 200 -s 200 -n "$n"
	point "ib_write_lat -I 0" perf "$l" 4 ib_write_lat -I 0 -s 64 -n "$n"
	point "ib_send_lat -I 128" perf "$l" 4 ib_send_lat -I 128 -s 128 -n "$n"
	point "ib_send_bw --use-srq" perf "$l" 4 ib_send_bw --use-srq -s 4096 -n "$n"
	point "ib_send_bw --use-srq -q 8" perf "$l" 4 ib_send_bw --use-srq -q 8 -s 4096 -n "$n"
	point "ib_send_lat --use-srq" perf "$l" 4 ib_send_lat --use-srq -s 64 -n "$n"
	point "ib_write_bw -l 8 -Q 8" perf "$l" 4 ib_write_bw -l 8 -Q 8 -s 1024 -n "$n"
	point "ib_send_bw --recv_post_list 8 -b" perf "$l" 4 ib_send_bw --recv_post_list=8 -b -s 1024 -n "$n"
	point "ib_atomic_bw -q 16 -o 4" perf "$l" 4 ib_atomic_bw -q 16 -o 4 -n "$(scale 100)"
	no_leak
	topo_down
}
each_type check
