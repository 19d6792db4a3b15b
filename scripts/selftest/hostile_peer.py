#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""hostile_peer.py GROUP HOST PORT COUNT [VICTIM-COMMAND...]: talks nonsense to a listener of the TCP backend.

Every group ends with a look whether the listener still answers; that, and what the victim says, is the exit status.
The formats are those of Documentation/wire-tcp.rst; what is wrong with them here is wrong on purpose.
"""
import random
import socket
import struct
import subprocess
import sys
import time

MAGIC = 0x5258542F5443500A
VERSION, REQ = 1, 1
MY_QPN = 0x4242
HELLO = struct.Struct(">QHHBBBBIIII16s16s32s")
BTH = struct.Struct(">BBHIIII")
DGRAM = struct.Struct(">BBHIIIII")
EDGES = [0, 1, 2, 3, 19, 20, 21, 47, 48, 49, 1023, 1024, 4096, 65535, 65536, 65537,
         0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF]
EDGES64 = [0, 1, 0xFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFF800000000000, 0xFFFFFFFFFFFFFFFF]
# Extension headers of the opcodes that exist.
RETH = {0x06, 0x0A, 0x0B, 0x0C, 0x1D}
LENETH = {0x00, 0x0D}
ATOMIC = {0x13, 0x14}
AETH = {0x0D, 0x0F, 0x10, 0x11, 0x12}
IMM = {0x03, 0x05, 0x09, 0x0B}
INV = {0x16, 0x17}

GROUP, HOST, PORT, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(4711)


def mapped(ip):
    return b"\0" * 10 + b"\xff\xff" + socket.inet_aton(ip)


def connect(timeout=10):
    s = socket.create_connection((HOST, PORT), timeout=timeout)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def reset(s):
    """Close with a RST."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def hello(own, **over):
    f = dict(magic=MAGIC, version=VERSION, length=HELLO.size, type=REQ, status=0, qp_type=2, rsvd0=0, features=0,
             max_seg=65536, src_qpn=MY_QPN, dst_qpn=0x777777, src=mapped(own), dst=mapped(HOST), rsvd1=b"\0" * 32)
    f.update(over)
    return HELLO.pack(*f.values())


def answer(s, seconds):
    """What comes back within SECONDS; b"" for a close, None for silence."""
    s.settimeout(seconds)
    try:
        return s.recv(4096)
    except (socket.timeout, TimeoutError):
        return None
    except OSError:
        return b""


def send(s, data, piecewise=False):
    """True unless the other side has closed."""
    try:
        if piecewise:
            for i in range(len(data)):
                s.sendall(data[i:i + 1])
        else:
            s.sendall(data)
        return True
    except OSError:
        return False


def alive():
    """A wrong magic is answered at once."""
    for _ in range(50):
        try:
            s = connect()
            send(s, hello(s.getsockname()[0], magic=1))
            got = answer(s, 10)
            s.close()
        except OSError:
            got = None
        if got and len(got) == HELLO.size and HELLO.unpack(got)[0] == MAGIC:
            return
        time.sleep(0.1)
    sys.exit("the listener does not answer any more")


def garbage():
    for i in range(COUNT):
        s = connect()
        data = rng.randbytes(rng.choice([1, 7, 8, 95, 96, 97, 200, 5000]))
        if i % 3 == 0:
            data = struct.pack(">Q", MAGIC) + data
        send(s, data, piecewise=len(data) < 100 and i % 2)
        if i % 2:
            answer(s, 0.05)
        if i % 3:
            s.close()
        else:
            reset(s)


def hello_fields():
    wild = [("version", [0, 2, 255, 65535]), ("length", [0, 1, 95, 97, 65535]), ("type", [0, 2, 3, 255]),
            ("status", [1, 2, 255]), ("qp_type", [0, 1, 3, 4, 255]), ("rsvd0", [1, 255]),
            ("features", [1, 0x80000000, 0xFFFFFFFF]), ("max_seg", EDGES), ("src_qpn", EDGES + [0xFFFFFF, 0x1000000]),
            ("dst_qpn", EDGES + [0xFFFFFF, 0x1000000]), ("src", [b"\0" * 16, b"\xff" * 16, mapped("10.1.0.99")]),
            ("dst", [b"\0" * 16, b"\xff" * 16, mapped("127.0.0.1")]), ("rsvd1", [b"\xff" * 32])]
    cases = [(k, v) for k, vals in wild for v in vals]
    for n in range(COUNT):
        k, v = cases[n % len(cases)]
        s = connect()
        send(s, hello(s.getsockname()[0], **{k: v}) + b"\0" * (n % 3), piecewise=n % 4 == 0)
        if n % 2:
            answer(s, 0.02)
        s.close()


def half_hellos():
    """Many that stop half way and stay: more than the listener keeps."""
    held = []
    for n in range(COUNT):
        try:
            s = connect(2)
        except OSError:
            # No more sockets for us: fine. Those that are held must go by themselves.
            continue
        send(s, hello(s.getsockname()[0])[:n % HELLO.size])
        held.append(s)
    alive()
    for s in held[:8]:
        if answer(s, 15) is None:
            sys.exit("a half hello is kept for ever")
    for n, s in enumerate(held):
        if n % 2:
            s.close()
        else:
            reset(s)


def connects():
    for n in range(COUNT):
        s = connect()
        if n % 2:
            reset(s)
        else:
            s.close()


class Victim:
    """A program with a QP that waits for us."""

    def __init__(self, cmd):
        self.p = subprocess.Popen(cmd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.read()

    def read(self):
        line = self.p.stdout.readline()
        if not line or line.startswith("#"):
            sys.exit(f"victim: {line.strip()} {self.p.wait()}")
        v = [int(x) for x in line.split()]
        self.qpn, self.rkey, self.addr, self.len, self.guard_key, self.guard_addr, _ = v

    def again(self):
        self.p.stdin.write("\n")
        self.p.stdin.flush()
        self.read()

    def end(self):
        self.p.stdin.close()
        rc = self.p.wait(30)
        if rc:
            sys.exit(f"victim ended with {rc}: {self.p.stdout.read()}")

    def connection(self):
        """A connection on which frames may go."""
        for _ in range(100):
            s = connect()
            send(s, hello(s.getsockname()[0], dst_qpn=self.qpn))
            got = answer(s, 10)
            if got and len(got) >= HELLO.size and HELLO.unpack(got[:HELLO.size])[4] == 0:
                return s
            s.close()
            time.sleep(0.02)
        sys.exit("no connection to the victim")


def frame(v, op, payload=b"", **over):
    f = dict(flags=VERSION, pkey=0xFFFF, qpn=v.qpn, msg=1, ack=0, length=len(payload), va=v.addr, rkey=v.rkey,
             total=len(payload), syndrome=0x1F << 24, imm=7, inv=v.rkey, compare=0, swap=1)
    f.update(over)
    out = BTH.pack(op, f["flags"], f["pkey"], f["qpn"], f["msg"], f["ack"], f["length"])
    base = op & 0x1F
    if base in RETH:
        out += struct.pack(">QII", f["va"], f["rkey"], f["total"])
    if base in ATOMIC:
        out += struct.pack(">QIQQ", f["va"], f["rkey"], f["swap"], f["compare"])
    if base in AETH:
        out += struct.pack(">I", f["syndrome"])
    if base == 0x12:
        out += struct.pack(">Q", 1)
    if base in LENETH:
        out += struct.pack(">I", f["total"])
    if base in IMM:
        out += struct.pack(">I", f["imm"])
    if base in INV:
        out += struct.pack(">I", f["inv"])
    return out + payload


def attacks(v):
    """Endless: every opcode, then every field of every opcode at its edges, then sequences that are none."""
    real = sorted(RETH | LENETH | ATOMIC | AETH | IMM | INV | {0x01, 0x02, 0x04, 0x07, 0x08, 0x0E})
    while True:
        for op in range(256):
            yield frame(v, op, rng.randbytes(rng.choice([0, 8, 64])))
        fields = [("length", EDGES), ("total", EDGES), ("rkey", EDGES + [v.guard_key]), ("va", EDGES64),
                  ("msg", EDGES), ("ack", EDGES), ("qpn", EDGES + [v.qpn | 0x1000000]),
                  ("flags", [0, 2, 0x0F, 0x7F, 0x81, 0xFF]), ("pkey", [0, 1, 0x7FFF, 0x8000]),
                  ("syndrome", [x << 24 for x in (0, 0x20, 0x3F, 0x40, 0x60, 0x61, 0x62, 0x63, 0x64, 0x7F, 0x80, 0xFF)])]
        cases = [(op, k, e) for op in real for k, edges in fields for e in edges]
        rng.shuffle(cases)
        for op, k, e in cases[:COUNT]:
            yield frame(v, op, rng.randbytes(8 if op == 0x1D else 64), **{k: e})
        for op in (0x06, 0x0A, 0x0C, 0x13, 0x1D):
            # Into memory that is not for us, and around the edges of what is.
            yield frame(v, op, b"x" * 8, va=v.guard_addr, rkey=v.guard_key, total=8)
            for va in (v.addr - 1, v.addr - 8, v.addr + v.len - 7, v.addr + v.len, v.addr + (1 << 63), 2 ** 64 - 4):
                yield frame(v, op, b"x" * 8, va=va % 2 ** 64, total=8)
        for first in real:
            second = rng.choice(real)
            yield frame(v, first, b"a" * 1024, total=3000) + frame(v, second, b"b" * 1024, total=3000, msg=2)
        # A FIRST that promises more than it may, and the rest of it for ever.
        for total in (0, 1, 1023, 1024, 0x80000000, 0xFFFFFFFF):
            data = frame(v, 0x06, b"c" * 1024, total=total)
            yield data + frame(v, 0x07, b"d" * 1024) * 70
        # More READs than were agreed on, and answers that nobody asked for.
        yield b"".join(frame(v, 0x0C, total=65536, msg=1 + i) for i in range(64))
        yield b"".join(frame(v, 0x10, b"e" * 64, msg=i) for i in range(8))
        # Right, but for the end that is missing.
        whole = frame(v, 0x0A, b"f" * 4096)
        yield whole[:rng.randrange(len(whole))]
        yield rng.randbytes(3000)


def frames():
    v = Victim(sys.argv[5:])
    todo = attacks(v)
    for n in range(COUNT):
        s = v.connection()
        data = next(todo)
        send(s, data, piecewise=n % 5 == 0 and len(data) < 200)
        if n % 4:
            answer(s, 0.01)
        if n % 3:
            s.close()
        else:
            reset(s)
        v.again()
    v.end()


def dgram(payload, **over):
    f = dict(op=0x64, flags=VERSION, pkey=0xFFFF, dst=1, qkey=0x80010000, src=1, label=0, length=len(payload))
    f.update(over)
    return DGRAM.pack(*f.values()) + (b"\0\0\0\7" if f["op"] == 0x65 else b"") + payload


def dgram_attacks():
    """Endless: every opcode, every field at its edges, management datagrams full of noise, ends that are missing."""
    fields = [("flags", [0, 2, 0x0F, 0x7F, 0x81, 0xFF]), ("pkey", [0, 1, 0x7FFF, 0x8000]),
              ("dst", EDGES + [0xFFFFFF, 0x1000000]), ("qkey", EDGES), ("src", EDGES + [0xFFFFFF, 0x1000000]),
              ("label", EDGES + [0x0FFFFFFF, 0x10000000]), ("length", EDGES)]
    cases = [(op, k, e) for op in (0x64, 0x65) for k, edges in fields for e in edges]
    while True:
        for op in range(256):
            yield dgram(rng.randbytes(rng.choice([0, 8, 256])), op=op)
        for op, k, e in cases:
            yield dgram(rng.randbytes(rng.choice([0, 64, 256])), op=op, **{k: e})
        for size in (0, 1, 23, 24, 255, 256, 257, 1024, 4096, 4097):
            yield dgram(rng.randbytes(size))
        for mgmt_class in range(256):
            # A MAD's header is right, what it is about is not.
            yield dgram(struct.pack(">BBBBHHQHHI", 1, mgmt_class, rng.choice([1, 2]), rng.choice([1, 2, 3, 0x81]),
                                    0, 0, rng.getrandbits(64), rng.randrange(0x10, 0x20), 0, 0) + rng.randbytes(232))
        whole = dgram(b"x" * 4096)
        yield whole * 20 + whole[:rng.randrange(len(whole))]
        yield rng.randbytes(3000)


def dgrams():
    todo = dgram_attacks()
    for n in range(COUNT):
        s = connect()
        send(s, hello(s.getsockname()[0], qp_type=4, src_qpn=0, dst_qpn=0))
        got = answer(s, 10)
        if not got or len(got) < HELLO.size or HELLO.unpack(got[:HELLO.size])[4]:
            sys.exit(f"no stream of datagrams: {got}")
        for _ in range(1 + n % 8):
            data = next(todo)
            if not send(s, data, piecewise=n % 5 == 0 and len(data) < 200):
                break
        if n % 4 == 0:
            answer(s, 0.01)
        if n % 3:
            s.close()
        else:
            reset(s)


GROUPS = {"garbage": garbage, "hello": hello_fields, "half": half_hellos, "connects": connects, "frames": frames,
          "dgrams": dgrams}
GROUPS[GROUP]()
alive()
