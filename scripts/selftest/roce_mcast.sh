#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nodes: 1
# kernels: stock debug
# timeout: 120
# Multicast for datagrams: IPv4 and IPv6 groups, several QPs on two devices; the netdev listens as long as somebody does.
. "$(dirname "$0")/lib.sh"
own_types_only "about the roce backend"
[[ " $RXT_BACKENDS " == *" roce "* ]] || skip_all "about the roce backend"
TYPE=rxt-roce

mcast() { run "$(limit 50)" "$BIN/verbs_mcast" "$1" $SPEC_A $SPEC_B "$2" "ip netns exec b ip maddr show dev vb"; }

topo_up 1500
ip -n a route add 239.0.0.0/8 dev va
points "IPv4" mcast 4 ::ffff:239.1.2.3
points "IPv6" mcast 6 ff0e::1:2:3
no_leak
point "no address of a group is left" eval '! ip netns exec b ip maddr show dev vb | grep -E "239\.|ff0e|01:00:5e:01:02|33:33:00:02:00:03"'
# In a group with everything else gone.
topo_down
point "modules unload" unload
