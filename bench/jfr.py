#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs otprof and async-profiler's jfrconv on the same recordings.

usage: jfr.py --otprof FILE --java FILE --jfrconv JAR --recorded FILE
              --profiled FILE --chunked FILE --stacks FOLDER --work FOLDER
              [--quick] [--large]

FILEs are recordings, by the JDK's Flight Recorder and by async-profiler, the
last in several chunks; in the folder are stacks-DEPTH-KINDS.jfr.
Larger ones are made of their chunks: a file of chunks behind each other is a
recording. --large adds one of 1 GB.
"""
import argparse
import os
import re
import struct
import subprocess
import sys

from programs import MB, Programs, anonymous, report, row

EVERYTHING = ([], ["--alloc"], ["--lock"])  # jfrconv takes a pass for each
CHUNKED_GOALS = {"otlp": 12, "pprof": 14}
EVENT_BYTES, SUMS_MB = 9, 8  # goals for memory beyond the size of the file
SUMS = {"otlp": [], "pprof": ["--aggregate"]}  # its pprof has no times


def chunks(path):
    """One at a time: a child's memory begins with that of its parent."""
    with open(path, "rb") as f:
        while head := f.read(16):
            size, = struct.unpack_from(">Q", head, 8)
            yield head + f.read(size - len(head))


class Bench(Programs):
    def grown(self, source, size):
        """A recording of about that size; at least one chunk."""
        path, written = self.path("grown.jfr"), 0
        with open(path, "wb") as out:
            while written < size:
                for part in chunks(source):
                    if written < size:
                        written += out.write(part)
        return path

    def jfrconv(self, options, kind, recording, out):
        return [self.args.java, "-jar", self.args.jfrconv, *options, "-o", kind, recording, out]

    def passes(self, kind, recording):
        """All that jfrconv knows of, pass by pass."""
        return [self.jfrconv(options, kind, recording, self.path("theirs-%d.%s" % (i, kind)))
                for i, options in enumerate(EVERYTHING)]

    def total(self, path):
        with open(path, encoding="utf-8") as f:
            return sum(int(line.rpartition(" ")[2]) for line in f)

    def events(self, recording):
        """How many of each type the recording has."""
        shown = subprocess.run(self.otprof("show", recording), check=True, capture_output=True, text=True).stdout
        return {name: int(count.replace(",", ""))
                for count, name in re.findall("^ +([0-9,]+) +[0-9,]+  ([^ ]+)$", shown, re.M)}

    def same_samples(self, recording, option):
        """Both sides see as many samples; ours are of two types, and folded stacks hold one."""
        ours, theirs = self.path("ours.folded"), self.path("theirs.collapsed")
        total = 0
        for event in {"jdk.ExecutionSample", "jdk.NativeMethodSample"} & self.events(recording).keys():
            self.run(self.otprof("convert", "--event", event, recording, "-o", ours))
            total += self.total(ours)
        self.run(self.jfrconv([option], "collapsed", recording, theirs))
        if total != self.total(theirs):
            sys.exit("jfr: %s: %d samples, jfrconv has %d" % (recording, total, self.total(theirs)))

    def start(self):
        """What a JVM takes to begin: one chunk."""
        tiny = self.path("tiny.jfr")
        with open(tiny, "wb") as out:
            out.write(min(chunks(self.args.recorded), key=len))
        self.compare("JFR, one chunk of %.1f MB: start" % (os.path.getsize(tiny) / MB),
                     self.otprof("convert", tiny, "-o", self.path("ours.otlp")),
                     self.jfrconv([], "otlp", tiny, self.path("theirs.otlp")), wall=True)

    def samples(self, size):
        """The same content: samples of the processor, each with its time."""
        recording = self.grown(self.args.profiled, size)
        ours, theirs = self.path("ours.otlp"), self.path("theirs.otlp")
        what = "JFR %.0f MB, ExecutionSample to OTLP" % (os.path.getsize(recording) / MB)
        us = self.otprof("convert", "--event", "jdk.ExecutionSample", recording, "-o", ours)
        them = self.jfrconv(["--cpu"], "otlp", recording, theirs)
        self.compare(what, us, them, 8, wall=True)
        self.compare_anonymous(what, us, [them], 5)
        sizes = os.path.getsize(ours), os.path.getsize(theirs)
        report(what + ", size", "%.2f MB" % (sizes[0] / MB), "%.2f MB" % (sizes[1] / MB), sizes[1] / sizes[0], 0)

    def all_memory(self, what, recording, us, kind):
        """The goal allows for the file, which need not be in memory as a whole."""
        used = anonymous(us)
        goal = os.path.getsize(recording) + (SUMS_MB * MB if SUMS[kind] else
                                             EVENT_BYTES * sum(self.events(recording).values()))
        row(what + ", all memory", "%.0f MB" % (used / MB), "-", 0, "<= %.0f MB" % (goal / MB),
            "yes" if used <= goal else "NO")

    def everything(self, size, goal):
        """jfrconv cannot write OTLP of the JDK's allocations; pprof it can."""
        recording = self.grown(self.args.profiled, size)
        what = "JFR %.0f MB, everything to " % (os.path.getsize(recording) / MB)
        for kind, name in (("otlp", "OTLP"), ("pprof", "pprof, aggregated")):
            us = self.otprof("convert", recording, "-o", self.path("ours." + kind), *SUMS[kind])
            self.compare(what + name, us, self.passes(kind, recording), goal, rounds=2, wall=True)
            self.compare_anonymous(what + name, us, self.passes(kind, recording), 0)
            self.all_memory(what + name, recording, us, kind)

    def in_chunks(self):
        """Chunks as they were recorded: a copy of a chunk flatters whoever remembers the one before."""
        recording = self.args.chunked
        what = "JFR %.0f MB in %d chunks, everything to " % (os.path.getsize(recording) / MB,
                                                             sum(1 for _ in chunks(recording)))
        for kind, name in (("otlp", "OTLP"), ("pprof", "pprof, aggregated")):
            self.compare(what + name, self.otprof("convert", recording, "-o", self.path("ours." + kind), *SUMS[kind]),
                         self.passes(kind, recording), CHUNKED_GOALS[kind], rounds=3, wall=True)

    def of_the_jdk(self, size):
        recording = self.grown(self.args.recorded, size)
        self.compare("JFR of the JDK %.0f MB, everything to pprof" % (os.path.getsize(recording) / MB),
                     self.otprof("convert", recording, "-o", self.path("ours.pprof"), *SUMS["pprof"]),
                     self.passes("pprof", recording), 10, rounds=2, wall=True)

    def sweep(self, size):
        """Stacks of several depths, of few kinds and of many."""
        for name in sorted(os.listdir(self.args.stacks), key=lambda name: [int(n) for n in re.findall("[0-9]+", name)]):
            made = re.fullmatch("stacks-([0-9]+)-([0-9]+).jfr", name)
            if not made:
                continue
            recording = self.grown(os.path.join(self.args.stacks, name), size)
            self.compare("JFR %.0f MB, stacks of %s frames, %s kinds" %
                         (os.path.getsize(recording) / MB, made[1], made[2]),
                         self.otprof("convert", recording, "-o", self.path("ours.otlp")),
                         self.jfrconv(["--alloc", "--total"], "otlp", recording, self.path("theirs.otlp")), 6, rounds=3)

    def rates(self, sizes):
        """Megabytes a second, and whether twice the bytes take twice the time."""
        for name, source, options in (("JDK", self.args.recorded, []),
                                      ("JDK, samples of the processor", self.args.recorded, ["--event", "cpu"]),
                                      ("async-profiler", self.args.profiled, [])):
            costs = []
            for size in sizes:
                recording = self.grown(source, size)
                size = os.path.getsize(recording)
                us, = self.best(self.otprof("convert", recording, "-o", self.path("ours.otlp"), *options), rounds=3)
                costs.append(us[0] / size * 1e9)
                rate = size / us[1] / 1e9
                goal = options and size > 100 * MB
                row("JFR (%s) %.0f MB to OTLP, rate" % (name, size / MB), "%.2f GB/s" % rate, "-", rate,
                    ">= 1 GB/s" if goal else "-", "-" if not goal else "yes" if rate >= 1 else "NO")
            ratio = costs[-1] / costs[0]
            row("JFR (%s), a byte at %.0f MB against %.0f MB" % (name, sizes[-1] / MB, sizes[0] / MB),
                "%.2f ns" % costs[-1], "%.2f ns" % costs[0], ratio, "<= 1.3x", "yes" if ratio <= 1.3 else "NO")
        os.unlink(self.path("grown.jfr"))


def main():
    parser = argparse.ArgumentParser()
    for name in ("otprof", "java", "jfrconv", "recorded", "profiled", "chunked", "stacks", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--large", action="store_true")
    bench = Bench(parser.parse_args())
    os.makedirs(bench.args.work, exist_ok=True)
    sizes = [3 * MB, 30 * MB] if bench.args.quick else [3 * MB, 30 * MB, 171 * MB]
    bench.same_samples(bench.args.recorded, "--wall")
    bench.same_samples(bench.args.profiled, "--cpu")
    bench.start()
    bench.in_chunks()
    for size in sizes:
        bench.samples(size)
        bench.everything(size, 12 if size == 30 * MB else 10)
        bench.of_the_jdk(size)
    bench.sweep(sizes[1])
    bench.rates(sizes + [1000 * MB] if bench.args.large else sizes)


if __name__ == "__main__":
    main()
