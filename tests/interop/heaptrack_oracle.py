#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What heaptrack says of a program, beside what the agent says of it.

usage: heaptrack_oracle.py HEAPTRACK AGENT-CSV

HEAPTRACK is heaptrack's file, unpacked; AGENT-CSV the output of "otprof top
--cum --csv" for alloc_space. Prints the largest functions and, last, a summary;
fails unless bytes agree within 3 %, and the shares of functions that have 5 % or
more within 1.5 points. Functions without symbols have a name in neither, or in
one only, and are left out; eight at least must be left.
"""
import csv
import sys

MAX_BYTES, MAX_SHARE, LARGE, LEAST = 0.03, 0.015, 0.05, 8


class Heaptrack:
    """Lines that matter; numbers are hexadecimal and count from 1, but those
    of allocations, which count from 0.

    s LENGTH TEXT                                       a string
    i ADDRESS MODULE [FUNCTION FILE LINE]...            a place in the code
    t PLACE CALLER                                      a stack
    a SIZE STACK                                        a kind of allocation
    + ALLOCATION                                        one of them
    """

    def __init__(self, path):
        self.strings, self.places, self.stacks = [""], [()], [()]
        self.kinds = []
        self.bytes = self.allocations = 0
        counts = {}
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                if line.startswith("+ "):
                    i = int(line[2:], 16)
                    counts[i] = counts.get(i, 0) + 1
                else:
                    self.line(line.rstrip("\n"))
        self.functions = {}
        for i, nr in counts.items():
            self.count(i, nr)

    def line(self, line):
        kind, _, rest = line.partition(" ")
        if kind == "s":
            self.strings.append(rest.partition(" ")[2])
            return
        if kind not in ("i", "t", "a"):
            return
        numbers = [int(x, 16) for x in rest.split()]
        if kind == "i":
            self.places.append({self.strings[x] for x in numbers[2::3]})
        elif kind == "t":
            self.stacks.append(numbers)
        else:
            self.kinds.append(numbers)

    def count(self, i, nr):
        size, stack = self.kinds[i]
        names = set()
        while stack:
            place, stack = self.stacks[stack]
            names |= self.places[place]
        self.allocations += nr
        self.bytes += nr * size
        for name in names - {""}:
            self.functions[name] = self.functions.get(name, 0) + nr * size


def main():
    theirs = Heaptrack(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8", newline="") as f:
        ours = {r["name"]: int(r["cum"]) for r in csv.DictReader(f)}
    total = max(ours.values())
    off = total / theirs.bytes - 1
    largest = [n for n, v in theirs.functions.items()
               if v >= LARGE * theirs.bytes and n in ours]
    worst = 0
    for name in largest:
        wanted = theirs.functions[name] / theirs.bytes
        got = ours[name] / total
        worst = max(worst, abs(got - wanted))
        print(f"{wanted:7.2%} {got:7.2%} {name}")
    print(f"{theirs.bytes / 2 ** 30:.2f} GiB in {theirs.allocations} "
          f"allocations, the agent {off:+.2%}; shares of {len(largest)} "
          f"functions within {100 * worst:.2f} points")
    return abs(off) > MAX_BYTES or worst > MAX_SHARE or len(largest) < LEAST


sys.exit(main())
