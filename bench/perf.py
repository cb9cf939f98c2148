#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs otprof and perf script on the same recordings.

usage: perf.py --otprof FILE --spin FILE --unwound FILE --work FOLDER [--quick]

Records --spin with frame pointers, 97 MB (10 with --quick), and --unwound with
copies of its stacks. Each has to be the same to both sides before a clock
starts: as many samples.
"""
import argparse
import os
import subprocess

from programs import MB, Programs


class Bench(Programs):
    def record(self, name, program, options, size):
        """A recording of about that size; kept for the next run."""
        path, seconds = self.path(name), 1
        while not os.path.exists(path) or os.path.getsize(path) < size:
            self.run(["perf", "record", "-q", "--no-bpf-event", "-e", "cpu-clock", *options, "-o", path,
                      program, str(seconds)])
            got = os.path.getsize(path)
            if got >= size:
                break
            seconds = int(seconds * size / got) + 2
        return path

    def beside_script(self, what, path, goal):
        text = subprocess.run(["perf", "script", "-i", path, "-F", "time,event"], check=True, capture_output=True,
                              text=True).stdout
        shown = subprocess.run(self.otprof("show", path), check=True, capture_output=True, text=True).stdout
        if "%s observations" % format(text.count("cpu-clock"), ",") not in shown:
            raise SystemExit("perf: %s: perf script has %d samples" % (path, text.count("cpu-clock")))
        self.compare("%s, %.0f MB, to OTLP beside perf script" % (what, os.path.getsize(path) / MB),
                     self.otprof("convert", path, "-t", "otlp"),
                     ["perf", "script", "-i", path], goal, rounds=2 if self.args.quick else 3)


def main():
    parser = argparse.ArgumentParser()
    for name in ("otprof", "spin", "unwound", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--quick", action="store_true")
    bench = Bench(parser.parse_args())
    os.makedirs(bench.args.work, exist_ok=True)
    size = (10 if bench.args.quick else 97) * MB
    fp = bench.record("fp-%d.data" % (size / MB), bench.args.spin, ["-F", "20000", "-g"], size)
    bench.beside_script("perf, frame pointers", fp, 18)
    packed = bench.record("packed.data", bench.args.spin, ["-F", "5000", "-g", "-z"], 1e6)
    bench.beside_script("perf, packed", packed, 0)
    dwarf = bench.record("dwarf.data", bench.args.unwound, ["-F", "499", "--call-graph", "dwarf,8192"], 10e6)
    bench.beside_script("perf, copies of stacks", dwarf, 0)


if __name__ == "__main__":
    main()
