#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs otprof top beside the programs that others use for the same question.

usage: views.py --otprof FILE --work FOLDER [--java FILE --jfrconv JAR
                --profiled FILE] [--pprof FILE --gen FILE] [--spin FILE]
                [--quick]

jfrconv writes collapsed stacks, which is the least that one needs to add up
functions. Peers that are not given are left out.
"""
import argparse
import json
import os
import re
import subprocess

from jfr import chunks
from perf import Bench as Perf
from programs import MB, row

GOAL = 10
START_MS = 3


class Bench(Perf):
    def output(self, command):
        return subprocess.run(command, check=True, capture_output=True).stdout.decode(errors="replace")

    def same_total(self, theirs, *arguments):
        """Both sides must have read the same before a clock starts."""
        ours = json.loads(self.output(self.otprof("top", "--json", "-n", "1", *arguments)))["total"]
        if ours != theirs:
            raise SystemExit("views: %s: a total of %d, the peer has %d" % (arguments[-1], ours, theirs))

    def jfr(self, size):
        path, written = self.path("grown.jfr"), 0
        with open(path, "wb") as out:
            while written < size:
                for part in chunks(self.args.profiled):
                    written += out.write(part)
        stacks = self.path("theirs.collapsed")
        them = [self.args.java, "-jar", self.args.jfrconv, "--cpu", "-o", "collapsed", path, stacks]
        self.run(them)
        with open(stacks, encoding="utf-8", errors="surrogateescape") as f:
            theirs = sum(int(line.rpartition(" ")[2]) for line in f)
        self.same_total(theirs, "--type", "jdk.ExecutionSample", path)
        what = "top of a JFR of %.0f MB" % (os.path.getsize(path) / MB)
        self.compare(what + ", CPU samples; jfrconv", self.otprof("top", "--cpu", path), them, GOAL, rounds=3)
        self.compare(what + ", all types; jfrconv: CPU", self.otprof("top", path), them, 0, rounds=3)
        os.unlink(path)

    def pprof(self, samples):
        path = self.path("big.pprof")
        with open(path, "wb") as out:
            subprocess.run([self.args.gen, str(samples), "1", "1", "80000"], check=True, stdout=out)
        them = [self.args.pprof, "-symbolize=none", "-top"]
        shown = json.loads(self.output(self.otprof("top", "--json", "-n", "1", path)))
        theirs = self.output([*them, "-unit=" + shown["unit"], "-sample_index=" + shown["type"], path])
        self.same_total(int(re.search(r" of (\d+)\D* total", theirs)[1]), path)
        self.compare("top of a pprof of %.0f MB; pprof -top" % (os.path.getsize(path) / MB), self.otprof("top", path),
                     [*them, path], GOAL, rounds=3)

    def perf(self, size):
        path = self.record("fp-%d.data" % (size / MB), self.args.spin, ["-F", "20000", "-g"], size)
        what = "top of a perf.data of %.0f MB" % (os.path.getsize(path) / MB)
        them = ["perf", "report", "--stdio", "-g", "none", "-i", path]
        samples = self.output([*them, "--no-children", "-F", "sample,symbol", "-t", "|"])
        self.same_total(sum(map(int, re.findall(r"^ *(\d+) *\|", samples, re.M))), path)
        self.compare(what + "; perf report", self.otprof("top", path), them, GOAL, rounds=2)
        self.compare(what + ", with names; perf report", self.otprof("top", "--symbolize", path), them, GOAL, rounds=2)

    def start(self):
        """A file of 3 KB; the peer is true(1)."""
        path = self.path("small.folded")
        with open(path, "w", encoding="utf-8") as out:
            for i in range(64):
                out.write("main;work;step_%d;leaf_of_a_long_name_%d %d\n" % (i % 8, i, i + 1))
        us, them = self.best(self.otprof("top", path), ["true"], rounds=50)
        row("top of %.0f KB, the whole program; true" % (os.path.getsize(path) / 1e3), "%.2f ms" % (us[0] * 1e3),
            "%.2f ms" % (them[0] * 1e3), them[0] / us[0], "<= %d ms" % START_MS,
            "yes" if us[0] * 1e3 <= START_MS else "NO")


def main():
    parser = argparse.ArgumentParser()
    for name in ("otprof", "work"):
        parser.add_argument("--" + name, required=True)
    for name in ("java", "jfrconv", "profiled", "pprof", "gen", "spin"):
        parser.add_argument("--" + name)
    parser.add_argument("--quick", action="store_true")
    bench = Bench(parser.parse_args())
    args = bench.args
    os.makedirs(args.work, exist_ok=True)
    bench.start()
    if args.pprof:
        bench.pprof(40000 if args.quick else 327000)
    if args.jfrconv:
        bench.jfr((30 if args.quick else 171) * MB)
    if args.spin:
        bench.perf((10 if args.quick else 97) * MB)


if __name__ == "__main__":
    main()
