#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs otprof and its peers in other languages on the same files, as programs.

usage: go_peers.py --otprof FILE --peers FOLDER --gen FILE --work FOLDER
                   [--python FILE] [--quick] OTLP

What counts is the time on the processor and the most memory of the whole
program, start included; both take turns and the best round of each counts.
Work that otprof does not know yet is left out.
"""
import argparse
import filecmp
import os
import subprocess
import sys

MB = 1e6


def rusage(command):
    """Seconds on the processor and bytes of memory of one run."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, use = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit("go_peers: %s: status %d" % (" ".join(command)[:200], child.returncode))
    return use.ru_utime + use.ru_stime, use.ru_maxrss * 1024


class Bench:
    def __init__(self, args):
        self.args = args
        self.rounds = 2 if args.quick else 5

    def path(self, name):
        return os.path.join(self.args.work, name)

    def peer(self, name):
        return os.path.join(self.args.peers, name)

    def otprof(self, *args):
        return [self.args.otprof, *args]

    def knows(self, kind, name):
        shown = subprocess.run(self.otprof(*kind), capture_output=True, text=True).stdout
        return any(line.split()[:1] == [name] for line in shown.splitlines())

    def has_format(self, name):
        return self.knows(("help", "formats"), name)

    def has_command(self, name):
        return self.knows(("help",), name)

    def run(self, command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def same(self, one, two, what):
        """Both sides must do the same before a clock starts. Nothing is kept
        in memory here: a child's begins with that of its parent."""
        files = [self.path("one.txt"), self.path("two.txt")]
        for command, path in zip((one, two), files):
            with open(path, "wb") as out:
                subprocess.run(command, check=True, stdout=out)
        if not filecmp.cmp(*files, shallow=False):
            sys.exit("go_peers: %s: the results differ" % what)

    def compare(self, work, ours, peer, goal=0, memory_goal=0, rounds=None):
        best = [[], []]
        for _ in range(rounds or self.rounds):
            for side, command in enumerate((ours, peer)):
                best[side].append(rusage(command))
        cpu = [min(run[0] for run in side) for side in best]
        memory = [min(run[1] for run in side) for side in best]
        report(work, "%.3f s" % cpu[0], "%.3f s" % cpu[1], cpu[1] / cpu[0], goal)
        report(work + ", memory", "%.0f MB" % (memory[0] / MB), "%.0f MB" % (memory[1] / MB), memory[1] / memory[0],
               memory_goal)

    # --- pprof

    def make(self, name, *numbers):
        path = self.path(name)
        with open(path, "wb") as out:
            subprocess.run([self.args.gen, *map(str, numbers)], check=True, stdout=out)
        return path

    def canon(self, path):
        return [self.peer("pproftool"), "canon", path]

    def pprof(self):
        if not self.has_format("pprof"):
            print("go_peers: otprof does not know pprof")
            return
        small, otlp, back = self.make("small.pprof", 2000, 4, 1), self.path("out.otlp"), self.path("back.pprof")
        self.run(self.otprof("convert", small, "-o", otlp))
        self.run(self.otprof("convert", otlp, "-o", back))
        self.same(self.canon(small), self.canon(back), "pprof")
        for what, types, kinds, goal in (("a recording's", 1, 80000, 10), ("4 types", 4, 80000, 0),
                                         ("few repeat", 1, 2000000, 0)):
            big = self.make("big.pprof", 327000, types, 1, kinds)
            self.compare("pprof to OTLP, %.0f MB, %s; Go: to pprof" % (os.path.getsize(big) / MB, what),
                         self.otprof("convert", big, "-o", otlp),
                         [self.peer("gobench"), "pprof", big, self.path("out.pprof")], goal, goal and 5)

    def merge(self):
        if not self.has_format("pprof") or not self.has_command("merge"):
            print("go_peers: otprof does not know merge of pprof")
            return
        otlp, out = self.path("out.otlp"), self.path("out.pprof")
        back = self.path("back.pprof")
        small = [self.make("small-%d.pprof" % i, 1000, 1, i) for i in range(8)]
        self.run(self.otprof("merge", *small, "-o", back))
        self.run([self.peer("gobench"), "merge", out, *small])
        self.same(self.canon(out), self.canon(back), "merge")
        big = [self.make("part-%d.pprof" % i, 160000, 1, i) for i in range(8)]
        self.compare("merge 8 pprof of %.0f MB" % (os.path.getsize(big[0]) / MB),
                     self.otprof("merge", *big, "-o", otlp),
                     [self.peer("gobench"), "merge", out, *big], 10, 5, rounds=2)

    # --- JSON

    def json(self):
        if not self.has_format("otlp-json"):
            print("go_peers: otprof does not know otlp-json")
            return
        otlp, json, out = self.path("in.otlp"), self.path("in.json"), self.path("out")
        self.run(self.otprof("convert", self.args.otlp, "-o", otlp))
        self.run(self.otprof("convert", otlp, "-o", json))
        self.run([self.peer("pdatatool"), "equal", otlp, json])
        size = "%.0f MB of OTLP" % (os.path.getsize(otlp) / MB)
        encode = self.otprof("convert", "-t", "otlp-json", otlp, "-o", out)
        decode = self.otprof("convert", "-t", "otlp", json, "-o", out)
        self.compare("JSON encode, %s; Collector" % size, encode, [self.peer("gobench"), "to-json", otlp, out])
        self.compare("JSON decode, %s; Collector" % size, decode, [self.peer("gobench"), "from-json", json, out])
        if self.args.python:
            code = ("import sys; from google.protobuf import json_format as j; "
                    "from opentelemetry.proto.profiles.v1development.profiles_pb2 import ProfilesData as P; ")
            to = code + ("m = P.FromString(open(sys.argv[1], 'rb').read()); "
                         "open(sys.argv[2], 'w').write(j.MessageToJson(m, indent=None))")
            # It reads ids in hex as base64: other bytes, the same work.
            back = code + ("m = j.Parse(open(sys.argv[1]).read(), P()); "
                           "open(sys.argv[2], 'wb').write(m.SerializeToString())")
            self.compare("JSON encode, %s; Python" % size, encode, [self.args.python, "-c", to, otlp, out], rounds=1)
            self.compare("JSON decode, %s; Python" % size, decode, [self.args.python, "-c", back, json, out], rounds=1)


def report(work, ours, peer, ratio, goal):
    """goal 0: there is none."""
    met = "-" if not goal else "yes" if ratio >= goal else "NO"
    print("%-58s %12s %12s %6.2fx" % (work, ours, peer, ratio))
    print("row|%s|%s|%s|%.2fx|%s|%s" % (work, ours, peer, ratio, ">= %dx" % goal if goal else "-", met), flush=True)


def main():
    parser = argparse.ArgumentParser()
    for name in ("otprof", "peers", "gen", "work", "python"):
        parser.add_argument("--" + name)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("otlp")
    bench = Bench(parser.parse_args())
    os.makedirs(bench.args.work, exist_ok=True)
    bench.pprof()
    bench.merge()
    bench.json()


if __name__ == "__main__":
    main()
