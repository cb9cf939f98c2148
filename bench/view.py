#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs otprof view on a large recording beside async-profiler's jfrconv, which
writes a page.

usage: view.py --otprof FILE --work FOLDER --recording FILE
               [--java FILE --jfrconv JAR] [--size MB] [--rounds N]

The recording grows to the size by copies of its chunks. otprof view is ready
when it has printed its address; the first flame graph takes a request more.
Without jfrconv only our own figures are printed.
"""
import argparse
import http.client
import os
import re
import subprocess
import sys
import time

from jfr import chunks
from programs import MB, report, row, rusage

GOAL = 1  # ready sooner than the other has written its page
TICKS = os.sysconf("SC_CLK_TCK")


def grown(source, path, size):
    written = 0
    with open(path, "wb") as out:
        while written < size:
            for part in chunks(source):
                if written < size:
                    written += out.write(part)
    return path


class Viewing:
    """A server that runs, and what it took until now."""

    def __init__(self, otprof, recording):
        self.begun = time.monotonic()
        self.child = subprocess.Popen([otprof, "view", "--no-browser", recording], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        address = re.search(r"http://(127\.0\.0\.1:\d+)(/\w+/)", self.child.stdout.readline())
        if not address:
            sys.exit("view: otprof view has not printed its address")
        self.host, self.path = address.groups()

    def figures(self):
        """Seconds by the clock and on the processor, and the most memory in bytes."""
        with open("/proc/%d/stat" % self.child.pid) as f:
            fields = f.read().rpartition(")")[2].split()
        with open("/proc/%d/status" % self.child.pid) as f:
            memory = int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) * 1024
        return time.monotonic() - self.begun, (int(fields[11]) + int(fields[12])) / TICKS, memory

    def ask(self, what):
        """How long an answer takes."""
        begun = time.monotonic()
        client = http.client.HTTPConnection(self.host)
        client.request("GET", self.path + what)
        reply = client.getresponse()
        if reply.status != 200:
            sys.exit("view: %s: status %d" % (what, reply.status))
        reply.read()
        return time.monotonic() - begun

    def end(self):
        self.child.terminate()
        self.child.wait()


def ours(args, recording):
    """The least of each figure: ready by the clock, CPU, memory; overview and flame graph by the clock."""
    seen = []
    for _ in range(args.rounds):
        view = Viewing(args.otprof, recording)
        ready = view.figures()
        answers = view.ask("api/overview"), view.ask("api/flame")
        seen.append((*ready, *answers, view.figures()[2]))
        view.end()
    return [min(figure) for figure in zip(*seen)]


def main():
    parser = argparse.ArgumentParser()
    for name in ("otprof", "work", "recording"):
        parser.add_argument("--" + name, required=True)
    for name in ("java", "jfrconv"):
        parser.add_argument("--" + name)
    parser.add_argument("--size", type=float, default=171, help="MB")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    recording = grown(args.recording, os.path.join(args.work, "view.jfr"), args.size * MB)
    what = "view of JFR %.0f MB" % (os.path.getsize(recording) / MB)
    wall, cpu, memory, overview, flame, peak = ours(args, recording)
    if args.jfrconv:
        page = os.path.join(args.work, "theirs.html")
        runs = [rusage([[args.java, "-jar", args.jfrconv, recording, page]]) for _ in range(args.rounds)]
        their_cpu, their_wall, their_memory = [min(figure) for figure in zip(*runs)]
        report(what + ", ready, wall", "%.3f s" % wall, "%.3f s" % their_wall, their_wall / wall, GOAL)
        report(what + ", ready, CPU", "%.3f s" % cpu, "%.3f s" % their_cpu, their_cpu / cpu, 0)
        report(what + ", memory", "%.0f MB" % (memory / MB), "%.0f MB" % (their_memory / MB),
               their_memory / memory, 0)
        os.unlink(page)
    else:
        row(what + ", ready, wall", "%.3f s" % wall, "-", 0, "-", "-")
        row(what + ", memory", "%.0f MB" % (memory / MB), "-", 0, "-", "-")
    row(what + ", first overview", "%.3f s" % overview, "-", 0, "-", "-")
    row(what + ", first flame graph", "%.3f s" % flame, "-", 0, "-", "-")
    row(what + ", memory with flame graph", "%.0f MB" % (peak / MB), "-", 0, "-", "-")
    os.unlink(recording)


if __name__ == "__main__":
    main()
