#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tun_pump.py NS NAME NS NAME: makes a tun device in each of two network
namespaces and carries packets between them until it is killed."""
import ctypes
import fcntl
import os
import select
import struct
import sys

TUNSETIFF = 0x400454ca
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
CLONE_NEWNET = 0x40000000


def make(ns, name):
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/run/netns/" + ns) as f:
        if libc.setns(f.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns " + ns)
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    os.set_blocking(tun, False)
    return tun


def pump(src, dst):
    """As much as there is; what the other side cannot take is lost, as on a wire."""
    for _ in range(64):
        try:
            packet = os.read(src, 65536)
        except BlockingIOError:
            return
        except OSError:
            return
        try:
            os.write(dst, packet)
        except OSError:
            pass


def main():
    a, b = make(*sys.argv[1:3]), make(*sys.argv[3:5])
    print("up", flush=True)
    while True:
        for fd in select.select([a, b], [], [])[0]:
            pump(fd, b if fd == a else a)


main()
