#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""nfs_exports.py PATH: answers what the kernel's NFS server asks rpc.mountd.

Every client may do everything with PATH, which is the root of NFSv4. It
spares the tests a package that would start a server on the machine they are
developed on.
"""
import os
import select
import sys

NEVER = 0x7fffffff
# insecure port, asynchronous, no subtree check, root of NFSv4; root stays root
FLAGS = 0x2 | 0x10 | 0x400 | 0x2000


def answer(name, words, path):
    if name == "auth.unix.ip":
        return "%s %s %d all" % (words[0], words[1], NEVER)
    if name == "nfsd.fh":
        known = words[1] == "1" and words[2] == "\\x00000000"
        return "%s %s %s %d" % (words[0], words[1], words[2], NEVER) + \
            (" " + path if known else "")
    known = words[1] == path
    return "%s %s %d" % (words[0], words[1], NEVER) + \
        (" %d 65534 65534 0" % FLAGS if known else "")


def main():
    path = sys.argv[1]
    poll = select.poll()
    names = {}
    for name in "auth.unix.ip", "nfsd.export", "nfsd.fh":
        fd = os.open("/proc/net/rpc/%s/channel" % name, os.O_RDWR)
        poll.register(fd, select.POLLIN)
        names[fd] = name
    print("ready", flush=True)
    while True:
        for fd, _ in poll.poll():
            words = os.read(fd, 32768).decode().split()
            if words:
                os.write(fd, (answer(names[fd], words, path) + "\n").encode())


main()
