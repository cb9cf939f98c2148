#!/usr/bin/env python3
"""Reports of simpleperf, written and read by a plain hand.

simpleperf_gen.py gen SEED     prints a random report
simpleperf_gen.py read FILE    prints of each event its name, samples and the sum of event_count, with TABs between
"""
import random
import struct
import sys

MAGIC = b"SIMPLEPERF"


def varint(v):
    v &= (1 << 64) - 1
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def number(field, v):
    return varint(field << 3) + varint(v)


def message(field, v):
    v = v.encode() if isinstance(v, str) else v
    return varint(field << 3 | 2) + varint(len(v)) + v


def record(field, v):
    data = message(field, v)
    return struct.pack("<I", len(data)) + data


def gen(seed):
    rnd = random.Random(int(seed))
    events = ["cpu-clock", "sched:sched_switch", "cpu-cycles"]
    files = [(f"/lib/lib{i}.so", [f"f{i}_{k}" for k in range(5)]) for i in range(4)]
    out = [MAGIC, struct.pack("<H", 1), record(5, b"".join(message(1, e) for e in events) + message(2, "app") + number(6, 1))]
    now, nr = 10**9, rnd.randrange(1, 400)
    for _ in range(nr):
        now += rnd.randrange(1000, 10**6)
        event = rnd.randrange(len(events))
        count = [250000, 1, rnd.randrange(1, 10**6)][event]
        calls = b""
        for _ in range(rnd.randrange(1, 12)):
            f = rnd.randrange(len(files))
            calls += message(3, number(1, rnd.randrange(1 << 20)) + number(2, f) + number(3, rnd.randrange(-1, 5)))
        out.append(record(1, number(1, now) + number(2, 10 + rnd.randrange(3)) + calls + number(4, count) + number(5, event)))
        if rnd.random() < 0.1:
            out.append(record(6, number(1, 1) + number(2, now) + number(3, 10)))
    # A sample at the end of the time that a viewer shows may be missing there.
    out.append(record(1, number(1, now + 10**9) + number(2, 10) + number(4, 1) + number(5, 1)))
    out.append(record(2, number(1, nr + 1) + number(2, 0)))
    for i, (path, symbols) in enumerate(files):
        out.append(record(3, number(1, i) + message(2, path) + b"".join(message(3, s) for s in symbols) +
                          b"".join(message(4, "_" + s) for s in symbols)))
    for i in range(3):
        out.append(record(4, number(1, 10 + i) + number(2, 10) + message(3, f"thread {i}")))
    out.append(struct.pack("<I", 0))
    sys.stdout.buffer.write(b"".join(out))


def fields(data):
    at = 0

    def take():
        nonlocal at
        v = shift = 0
        while True:
            byte = data[at]
            at += 1
            v |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return v
    while at < len(data):
        tag = take()
        if tag & 7 == 2:
            n = take()
            yield tag >> 3, data[at:at + n]
            at += n
        else:
            assert tag & 7 == 0
            yield tag >> 3, take()


def read(path):
    data = open(path, "rb").read()
    assert data.startswith(MAGIC)
    at, names, sums = 12, [], {}
    while True:
        n, = struct.unpack_from("<I", data, at)
        if not n:
            break
        for kind, inner in fields(data[at + 4:at + 4 + n]):
            if kind == 5:
                names = [v.decode() for f, v in fields(inner) if f == 1]
            elif kind == 1:
                got = dict(fields(inner))
                nr, total = sums.get(got.get(5, 0), (0, 0))
                sums[got.get(5, 0)] = nr + 1, total + got.get(4, 0)
        at += 4 + n
    for event in sorted(sums, key=lambda e: names[e]):
        print(names[event], *sums[event], sep="\t")


if __name__ == "__main__":
    {"gen": gen, "read": read}[sys.argv[1]](*sys.argv[2:])
