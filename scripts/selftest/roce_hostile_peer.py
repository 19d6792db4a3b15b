#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""roce_hostile_peer.py GROUP NETDEV ADDRESS PEER-ADDRESS PEER-MAC COUNT VICTIM-COMMAND...: sends what no RoCE peer would send.

The victim (verbs_victim) is a queue pair that takes this program for its peer. Every group ends with a look whether it still answers; that,
and what the victim says of the memory that nobody may touch, is the exit status.
"""
import ctypes
import random
import select
import socket
import struct
import subprocess
import sys
import time

import roce_frames as rf

GROUP, NETDEV, ADDR, PEER, MAC, COUNT = sys.argv[1:6] + [int(sys.argv[6])]
MY_QPN, PSN = 0x4242, 0xFFFFF0
LENGTHS = [0, 1, 2, 3, 4, 7, 8, 11, 12, 15, 16, 20, 24, 28, 31, 32, 40, 44, 60, 100, 256, 1023, 1024, 1025, 1028, 1300]
EDGES = [0, 1, 2, 3, 4, 255, 256, 1023, 1024, 1025, 4096, 65535, 65536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF]
EDGES64 = [0, 1, 0xFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFF800000000000, 0xFFFFFFFFFFFFFFFF]
rng = random.Random(815)


class Victim:
    def __init__(self, argv):
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.psn = PSN
        self.read()

    def read(self):
        line = self.p.stdout.readline()
        try:
            self.qpn, self.rkey, self.va, self.len, self.guard_key, self.guard_va, _ = map(int, line.split())
        except ValueError:
            sys.exit("the victim says: " + line + self.p.stdout.read())
        self.psn = PSN

    def again(self):
        self.p.stdin.write("\n")
        self.p.stdin.flush()
        self.read()

    def end(self):
        out, _ = self.p.communicate(timeout=60)
        if self.p.returncode:
            sys.exit("the victim ended with %d: %s" % (self.p.returncode, out))


def only_to(s, qpn):
    """Have the kernel drop all but packets to this QP number: there is traffic of others that would fill the buffer."""
    code = [(0x28, 0, 0, 36), (0x15, 0, 4, rf.PORT), (0x20, 0, 0, 46), (0x54, 0, 0, 0xFFFFFF), (0x15, 0, 1, qpn),
            (0x06, 0, 0, 0xFFFF), (0x06, 0, 0, 0)]
    prog = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
    so_attach_filter = 26
    s.setsockopt(socket.SOL_SOCKET, so_attach_filter, struct.pack("HL", len(code), ctypes.addressof(prog)))
    while select.select([s], [], [], 0)[0]:
        s.recv(65536)


def mac(text):
    return bytes(int(b, 16) for b in text.split(":"))


sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
sock.bind((NETDEV, 0x0800))
only_to(sock, MY_QPN)
with open("/sys/class/net/%s/address" % NETDEV) as f:
    wire = rf.Wire(ADDR, PEER, mac(f.read().strip()), mac(MAC))
sent = 0


def send(ib, **over):
    global sent
    sock.send(wire.frame(ib, **over))
    sent += 1


def drain():
    while select.select([sock], [], [], 0)[0]:
        sock.recv(65536)


def answer(opcodes, seconds=5):
    """The next packet from the victim with one of these opcodes, or None."""
    end = time.time() + seconds
    while time.time() < end:
        if not select.select([sock], [], [], 0.2)[0]:
            continue
        try:
            p = rf.Packet(sock.recv(65536))
        except (ValueError, struct.error):
            continue
        if str(p.src) == PEER and p.qpn == MY_QPN and p.opcode in opcodes:
            return p
    return None


def alive(v, what):
    """The victim answers a READ of its memory, at the PSN that it has to be at."""
    drain()
    send(rf.bth(rf.READ_REQ, v.qpn, v.psn, 1) + rf.reth(v.va, v.rkey, 8))
    p = answer({rf.READ_ONLY, rf.ACK})
    if p is None or p.opcode != rf.READ_ONLY or p.psn != v.psn & 0xFFFFFF:
        sys.exit("after %s the victim does not answer (%s)" % (what, p and rf.name(p.opcode) + " %#x" % p.psn))
    v.psn += 1


def noise(n):
    return rng.randbytes(n)


def right_ext(v, opcode, **over):
    """Extension headers that the victim would take."""
    n = rf.EXT.get(opcode, 0)
    if opcode & 0xE0 == rf.UD:
        return struct.pack(">II", 0x80010000, 1) + noise(max(n - 8, 0))
    if n >= 16 and opcode not in (rf.CMP_SWP, rf.FETCH_ADD):
        return rf.reth(over.get("va", v.va), over.get("rkey", v.rkey), over.get("length", 8)) + noise(n - 16)
    if n == 28:
        return struct.pack(">QIQQ", v.va, v.rkey, 1, 2)
    if opcode in (rf.READ_FIRST, rf.READ_LAST, rf.READ_ONLY, rf.ACK, rf.ATOMIC_ACK):
        return rf.aeth(rng.choice([0, 0x1F, 0x20, 0x2C, 0x60, 0x61, 0x62, 0x63, 0x64, 0x80, 0xFF]), rng.choice(EDGES)) + noise(n - 4)
    return noise(n)


def classes(v):
    return [0, 1, 0x777777, 0xFFFFFF, v.qpn]


def opcodes(v):
    """All opcodes, lengths and paddings, to all kinds of QP numbers."""
    for opcode in range(256):
        for qpn in classes(v):
            send(rf.bth(opcode, qpn, v.psn, rng.getrandbits(1)) + right_ext(v, opcode))
            if qpn == v.qpn:
                v.again()
    for i in range(COUNT):
        opcode = rng.choice(list(rf.EXT)) if i & 1 else rng.randrange(256)
        body = noise(rng.choice(LENGTHS))
        if i & 2:
            body = right_ext(v, opcode) + body
        send(rf.bth(opcode, rng.choice(classes(v)), v.psn + rng.choice([0, 0, 0, 1, -1, 100]), rng.getrandbits(1), pad=rng.randrange(4),
                    se=rng.getrandbits(1), migreq=rng.getrandbits(1), tver=rng.choice([0, 0, 0, 1, 15]),
                    pkey=rng.choice([0xFFFF, 0xFFFF, 0x7FFF, 0, 0x8000, 0x1234])) + body)
        if i % 8 == 7:
            v.again()
    v.again()
    alive(v, "all opcodes")


def cut(v):
    """What is not even a packet: short, wrong lengths, IP options, fragments."""
    whole = rf.bth(rf.WRITE_ONLY, v.qpn, v.psn, 1) + rf.reth(v.va, v.rkey, 8) + noise(8)
    # With all headers it is a packet of the wrong length, see order().
    for n in range(28):
        send(whole[:n])
    for n in EDGES[:13] + [8, 9, 11, 12, 19, 20, 23, 24]:
        send(whole, udp_len=n & 0xFFFF)
    for n in range(4, 41, 4):
        send(whole, options=b"\x01" * n)
    for frag in (0x2000, 0x2001, 0x0001, 0x1FFF, 0x4001):
        for n in (0, 4, 8, 12, 40):
            send(whole[:n], frag=frag)
    for _ in range(COUNT // 10):
        send(noise(rng.randrange(0, 200)))
    alive(v, "what is no packet")


def checks(v):
    """Right but for one thing: ICRC, source, partition, version."""
    write = rf.reth(v.va, v.rkey, 8) + b"\xee" * 8
    good = rf.bth(rf.WRITE_ONLY, v.qpn, v.psn, 1) + write
    for bit in range(32):
        frame = bytearray(wire.frame(good))
        frame[-1 - bit // 8] ^= 1 << bit % 8
        sock.send(frame)
    # Any bit behind the UDP header; the byte that the ICRC does not cover is not among them.
    for pos in [i for i in range(42, 42 + len(good)) if i != 46]:
        frame = bytearray(wire.frame(good))
        frame[pos] ^= 1 << rng.randrange(8)
        sock.send(frame)
    for src in ("10.1.0.77", "10.1.0.2", "127.0.0.1", "224.0.0.1", "0.0.0.0", "255.255.255.255"):
        send(good, src=socket.inet_aton(src))
    for pkey in (0, 1, 0x7FFE, 0x8000, 0xFFFE):
        send(rf.bth(rf.WRITE_ONLY, v.qpn, v.psn, 1, pkey=pkey) + write)
    for tver in range(1, 16):
        send(rf.bth(rf.WRITE_ONLY, v.qpn, v.psn, 1, tver=tver) + write)
    alive(v, "packets with one thing wrong")


def sequence(v):
    """Requests of the past and the future."""
    send(rf.bth(rf.WRITE_ONLY, v.qpn, v.psn, 1) + rf.reth(v.va, v.rkey, 8) + noise(8))
    v.psn += 1
    alive(v, "a WRITE")
    for i in range(COUNT):
        opcode = rng.choice([op for op in rf.EXT if op < 0x20 and not 0x0D <= op <= 0x12])
        dist = rng.choice([-1, -2, -3, -4, -5, -100, -0x7FFFFF, 1, 2, 3, 1000, 0x7FFFFE])
        body = noise(rng.choice([0, 4, 8, 1024])) if opcode not in (rf.READ_REQ, rf.CMP_SWP, rf.FETCH_ADD) else b""
        send(rf.bth(opcode, v.qpn, v.psn + dist, 1) + right_ext(v, opcode, length=rng.choice(EDGES), va=v.va + rng.choice([0, 8, 1 << 40])) +
             body)
        if i % 64 == 63:
            alive(v, "PSNs out of sequence")
    alive(v, "PSNs out of sequence")


def order(v):
    """Packets in sequence that make no message, wrong lengths, keys and addresses: refused, and that is it for this connection."""
    first = rf.bth(rf.WRITE_FIRST, v.qpn, PSN) + rf.reth(v.va, v.rkey, 3000) + noise(1024)
    whole = rf.reth(v.va, v.rkey, 8) + noise(8)
    for n in range(16, len(whole)):
        send(rf.bth(rf.WRITE_ONLY, v.qpn, PSN, 1) + whole[:n])
        v.again()
    starts = [b"", first]
    for start in starts:
        for opcode in [op for op in rf.EXT if op < 0x20 and not 0x0D <= op <= 0x12]:
            for n in (0, 8, 1024, 1028):
                if start:
                    send(start)
                send(rf.bth(opcode, v.qpn, PSN + bool(start), 1) + right_ext(v, opcode, length=n) + noise(n))
                v.again()
    for _ in range(COUNT // 8):
        opcode = rng.choice([rf.WRITE_FIRST, rf.WRITE_ONLY, 0x0B, rf.READ_REQ])
        body = b"" if opcode == rf.READ_REQ else noise(rng.choice([0, 8, 1024]))
        send(rf.bth(opcode, v.qpn, v.psn, 1) + rf.reth(rng.choice([v.va, v.guard_va, v.va + v.len - 4] + EDGES64),
             rng.choice([v.rkey, v.guard_key, rng.choice(EDGES)]), rng.choice(EDGES)) + body)
        v.again()
    alive(v, "packets that make no message")


def responses(v):
    """The victim waits for 8000 bytes: answers that are too long, too short, out of place, to nothing."""
    for i in range(COUNT // 4):
        psn, opcode = PSN, rng.choice([rf.READ_FIRST, rf.READ_ONLY, rf.READ_MIDDLE, rf.READ_LAST])
        for _ in range(rng.randrange(1, 20)):
            n = rng.choice([0, 4, 8, 832, 1020, 1024, 1024, 1024, 1028, 1300])
            ext = rf.aeth(rng.choice([0, 0, 0x1F, 0x60]), 1) if rf.EXT[opcode] else b""
            send(rf.bth(opcode, v.qpn, psn) + ext + noise(n))
            psn += rng.choice([1, 1, 1, 1, 0, 2, -1, 1000])
            opcode = rng.choice([rf.READ_MIDDLE, rf.READ_MIDDLE, rf.READ_MIDDLE, rf.READ_LAST, rf.READ_FIRST, rf.READ_ONLY])
        for opcode in (rf.ACK, rf.ATOMIC_ACK):
            send(rf.bth(opcode, v.qpn, PSN + rng.choice([-1, 0, 1, 7, 8, 100])) + right_ext(v, opcode))
        v.again()
    alive(v, "answers that nobody asked for")


def main():
    groups = {"opcodes": opcodes, "cut": cut, "checks": checks, "sequence": sequence, "order": order, "responses": responses}
    v = Victim(sys.argv[7:] + (["read"] if GROUP == "responses" else []))
    alive(v, "nothing at all")
    groups[GROUP](v)
    v.end()
    print("%d packets" % sent)


main()
