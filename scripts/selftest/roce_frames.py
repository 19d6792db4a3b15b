#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""RoCEv2 frames for the self tests: building them, right or wrong, and taking them apart.

As a program: roce_frames.py FILE.pcap OUR-ADDRESS... checks every RoCEv2 frame of a capture (lengths, padding, ICRC, fields) and
compares ours with the peer's, opcode by opcode. Prints a TAP point for each check, without numbers.
The formats are IBTA's; what is wrong with a frame that a test builds is wrong on purpose.
"""
import ipaddress
import struct
import sys
import zlib

PORT = 4791
RC, UC, UD = 0x00, 0x20, 0x60
SEND_ONLY, WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY = 0x04, 0x06, 0x07, 0x08, 0x0A
READ_REQ, READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY, ACK, ATOMIC_ACK = 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12
CMP_SWP, FETCH_ADD = 0x13, 0x14
# Bytes of the extension headers.
_RETH, _ATOMIC, _AETH, _IMM, _INV, _DETH, _RESULT = 16, 28, 4, 4, 4, 8, 8
EXT = {0x00: 0, 0x01: 0, 0x02: 0, 0x03: _IMM, 0x04: 0, 0x05: _IMM, 0x06: _RETH, 0x07: 0, 0x08: 0, 0x09: _IMM, 0x0A: _RETH,
       0x0B: _RETH + _IMM, 0x0C: _RETH, 0x0D: _AETH, 0x0E: 0, 0x0F: _AETH, 0x10: _AETH, 0x11: _AETH, 0x12: _AETH + _RESULT,
       0x13: _ATOMIC, 0x14: _ATOMIC, 0x16: _INV, 0x17: _INV, 0x1D: _RETH}
EXT.update({UC + op: EXT[op] for op in range(0x0C)})
EXT.update({UD + 0x04: _DETH, UD + 0x05: _DETH + _IMM})
NAMES = {0x00: "SEND first", 0x01: "SEND middle", 0x02: "SEND last", 0x03: "SEND last imm", 0x04: "SEND only", 0x05: "SEND only imm",
         0x06: "WRITE first", 0x07: "WRITE middle", 0x08: "WRITE last", 0x09: "WRITE last imm", 0x0A: "WRITE only",
         0x0B: "WRITE only imm", 0x0C: "READ request", 0x0D: "READ resp first", 0x0E: "READ resp middle", 0x0F: "READ resp last",
         0x10: "READ resp only", 0x11: "ACK", 0x12: "ATOMIC ACK", 0x13: "CMP_SWP", 0x14: "FETCH_ADD", 0x16: "SEND last inv",
         0x17: "SEND only inv", 0x1D: "ATOMIC WRITE"}


def name(opcode):
    kind = {RC: "RC", UC: "UC", UD: "UD"}.get(opcode & 0xE0, "?")
    return "%s %s" % (kind, NAMES.get(opcode & 0x1F, "0x%02x" % opcode))


def icrc(ip, udp, ib):
    """Of a packet without ICRC: IP and UDP header as they are, IB from the BTH on; as on the wire."""
    ip, udp, ib = bytearray(ip), bytearray(udp), bytearray(ib)
    if ip[0] >> 4 == 4:
        ip[1] = ip[8] = 0xFF
        ip[10:12] = b"\xff\xff"
    else:
        ip[0:4] = b"\x6f\xff\xff\xff"
        ip[7] = 0xFF
    udp[6:8] = b"\xff\xff"
    if len(ib) > 4:
        ib[4] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(ip) + bytes(udp) + bytes(ib)))


def bth(opcode, qpn, psn, ackreq=0, pad=0, se=0, migreq=1, tver=0, pkey=0xFFFF):
    return struct.pack(">BBHII", opcode, se << 7 | migreq << 6 | pad << 4 | tver, pkey, qpn & 0xFFFFFF, ackreq << 31 | psn & 0xFFFFFF)


def reth(va, rkey, length):
    return struct.pack(">QII", va & (1 << 64) - 1, rkey, length)


def aeth(syndrome, msn=0):
    return struct.pack(">I", syndrome << 24 | msn & 0xFFFFFF)


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    s = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    while s >> 16:
        s = (s & 0xFFFF) + (s >> 16)
    return ~s & 0xFFFF


class Wire:
    """IPv4 frames from SRC to DST between two MAC addresses."""

    def __init__(self, src, dst, smac, dmac):
        self.src, self.dst = ipaddress.ip_address(src).packed, ipaddress.ip_address(dst).packed
        self.eth = dmac + smac + b"\x08\x00"
        self.ident = 0

    def frame(self, ib, crc=None, src=None, udp_len=None, sport=0xC123, frag=0x4000, options=b"", ident=None):
        """IB from the BTH on, without ICRC; CRC: instead of the right one."""
        self.ident = self.ident + 1 & 0xFFFF
        ident = self.ident if ident is None else ident
        total = 20 + len(options) + 8 + len(ib) + 4
        ip = struct.pack(">BBHHHBBH4s4s", 0x45 + len(options) // 4, 0, total, ident, frag, 64, 17, 0, src or self.src, self.dst)
        ip += options
        udp = struct.pack(">HHHH", sport, PORT, 8 + len(ib) + 4 if udp_len is None else udp_len, 0)
        tail = icrc(ip, udp, ib) if crc is None else crc
        ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
        return self.eth + ip + udp + ib + tail


class Packet:
    """A RoCEv2 packet of a captured Ethernet frame; None of it is believed. ValueError: it is none."""

    def __init__(self, frame):
        kind, = struct.unpack_from(">H", frame, 12)
        ip = frame[14:]
        if kind == 0x0800:
            if ip[9] != 17 or ip[0] != 0x45:
                raise ValueError
            total, = struct.unpack_from(">H", ip, 2)
            self.ip, self.v6 = ip[:20], False
            self.src, self.dst = ipaddress.ip_address(ip[12:16]), ipaddress.ip_address(ip[16:20])
            self.ttl, self.df = ip[8], ip[6] == 0x40
        elif kind == 0x86DD:
            if ip[6] != 17:
                raise ValueError
            total = 40 + struct.unpack_from(">H", ip, 4)[0]
            self.ip, self.v6 = ip[:40], True
            self.src, self.dst = ipaddress.ip_address(ip[8:24]), ipaddress.ip_address(ip[24:40])
            self.ttl, self.df = ip[7], True
        else:
            raise ValueError
        n = len(self.ip)
        self.udp, self.ib = ip[n:n + 8], ip[n + 8:total]
        sport, dport, self.udp_len, self.udp_sum = struct.unpack(">HHHH", self.udp)
        if dport != PORT:
            raise ValueError
        self.sport = sport
        self.whole = total <= len(ip) and self.udp_len == total - n
        if len(self.ib) < 16:
            raise ValueError
        self.opcode, flags, self.pkey, qpn, psn = struct.unpack_from(">BBHII", self.ib)
        self.se, self.migreq, self.pad, self.tver = flags >> 7, flags >> 6 & 1, flags >> 4 & 3, flags & 15
        self.reserved = qpn >> 24, psn >> 24 & 0x7F
        self.qpn, self.psn, self.ackreq = qpn & 0xFFFFFF, psn & 0xFFFFFF, psn >> 31
        self.body, self.crc = self.ib[12:-4], self.ib[-4:]

    def crc_good(self):
        return icrc(self.ip, self.udp, self.ib[:-4]) == self.crc

    def sum_good(self):
        """None, the right one, or what is left for the device to finish, where a capture is in front of that."""
        pseudo = self.src.packed + self.dst.packed + struct.pack(">II", self.udp_len, 17)
        return not self.udp_sum or checksum(pseudo + self.udp + self.ib) == 0 or self.udp_sum == ~checksum(pseudo) & 0xFFFF

    def shape_good(self):
        ext = EXT.get(self.opcode)
        if ext is None or len(self.ib) % 4 or len(self.body) < ext + self.pad:
            return False
        return not any(self.body[len(self.body) - self.pad:]) if self.pad else True


def frames(path):
    """(snap length too short?, frame) of a pcap file."""
    with open(path, "rb") as f:
        head = f.read(24)
        order = "<" if head[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
        while True:
            rec = f.read(16)
            if len(rec) < 16:
                return
            have, length = struct.unpack(order + "II", rec[8:])
            yield have < length, f.read(have)


def point(good, text):
    print("%sok - %s" % ("" if good else "not ", text))


# What the two may differ in, Documentation/roce.rst: who asks for an ACK when, path migration, and what is a matter of the route.
FIELDS = ("tver", "pkey", "df", "reserved")


def main():
    ours = {ipaddress.ip_address(a) for a in sys.argv[2:]}
    bad = {k: 0 for k in ("cut", "shape", "crc", "sum")}
    seen = {True: {}, False: {}}
    total = 0
    for cut, frame in frames(sys.argv[1]):
        try:
            p = Packet(frame)
        except (ValueError, struct.error):
            continue
        total += 1
        bad["cut"] += cut or not p.whole
        bad["shape"] += not p.shape_good()
        bad["crc"] += not p.crc_good()
        bad["sum"] += not p.sum_good()
        fields = tuple(getattr(p, f) for f in FIELDS)
        if p.opcode in (ACK, READ_FIRST, READ_LAST, READ_ONLY, ATOMIC_ACK) and p.body:
            fields += (p.body[0] >> 5,)
        rows = seen[p.src in ours].setdefault(p.opcode, {})
        rows[fields] = rows.get(fields, 0) + 1
    print("# %d packets" % total)
    point(total > 0, "packets were captured")
    point(not bad["cut"], "lengths of IP and UDP agree (%d do not)" % bad["cut"])
    point(not bad["shape"], "opcodes, header lengths and padding are right (%d are not)" % bad["shape"])
    point(not bad["crc"], "every ICRC is right (%d are not)" % bad["crc"])
    point(not bad["sum"], "UDP checksums are right, absent or left to the device (%d are not)" % bad["sum"])
    for opcode in sorted(set(seen[True]) | set(seen[False])):
        mine, his = seen[True].get(opcode, {}), seen[False].get(opcode, {})
        print("# %-20s %6d ours, %6d the peer's" % (name(opcode), sum(mine.values()), sum(his.values())))
        if not mine or not his:
            continue
        strange = set(mine) - set(his)
        point(not strange, "%s: fields as the peer has them%s" % (name(opcode), " but %s, not %s" % (strange, set(his)) if strange else ""))


if __name__ == "__main__":
    main()
