#!/usr/bin/env python3
"""Folded stacks, read and made by another hand.

gen SEED      a plain file: names with blanks, repeated stacks, comments
sums FILE     one line a stack, TAB-separated total, sorted: the meaning of a plain file
raw-sums      the same what `otprof show --raw` prints (on stdin)
"""
import json
import random
import sys


def gen(seed):
    r = random.Random(seed)
    names = ["main", "a b", "operator new(unsigned long)", "Foo::bar<int, 3>", "[unknown]", "x_[k]", "Lambda$12", "ü",
             "do=it", "100%", "sys call 5 x", "\\n", '"q"']
    names += [f"f{i}" for i in range(r.randint(1, 200))]
    out = []
    for _ in range(r.randint(1, 2000)):
        stack = [r.choice(names) for _ in range(r.randint(1, 30))]
        for _ in range(r.choice([1, 1, 1, 3])):
            out.append(";".join(stack) + " " + str(r.choice([1, r.randint(0, 50), r.randint(0, 10**12), -r.randint(1, 9)])))
    r.shuffle(out)
    for comment in ("", "# made for a test", "#x;y 5"):
        out.insert(r.randint(0, len(out)), comment)
    end = r.choice(["\n", "\r\n"])
    text = end.join(out) + r.choice(["", end])
    sys.stdout.buffer.write(text.encode())


def show(sums):
    for stack in sorted(sums):
        sys.stdout.buffer.write(f"{stack}\t{sums[stack]}\n".encode())


def sums(path):
    totals = {}
    with open(path, "rb") as f:
        for line in f.read().decode().split("\n"):
            line = line.rstrip("\r")
            if not line or line.startswith("#"):
                continue
            stack, count = line.rsplit(" ", 1)
            totals[stack] = totals.get(stack, 0) + int(count)
    show(totals)


def raw_sums():
    totals = {}
    for line in sys.stdin.buffer.read().decode().splitlines():
        fields = line.split("\t")
        decoder, at, names, stack = json.JSONDecoder(), 0, [], fields[6]
        while at < len(stack):
            name, at = decoder.raw_decode(stack, at)
            names.append(name)
            at += len(" ; ")
        key = ";".join(reversed(names))
        totals[key] = totals.get(key, 0) + int(fields[2])
    show(totals)


if __name__ == "__main__":
    {"gen": gen, "sums": sums, "raw-sums": raw_sums}[sys.argv[1]](*sys.argv[2:])
