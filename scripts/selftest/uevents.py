#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""uevents.py SECONDS: prints ACTION DEVPATH of the kernel's uevents, one a line."""
import select
import socket
import sys
import time

NETLINK_KOBJECT_UEVENT = 15


def main():
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, NETLINK_KOBJECT_UEVENT)
    sock.bind((0, 1))
    print("listening", flush=True)
    end = time.monotonic() + float(sys.argv[1])
    while (left := end - time.monotonic()) > 0:
        if not select.select([sock], [], [], left)[0]:
            break
        head = sock.recv(8192).split(b"\0")[0].decode(errors="replace")
        print(head.replace("@", " ", 1), flush=True)


main()
