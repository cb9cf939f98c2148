#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs, by direct accounting.

usage: record.py --otprof FILE --busy FILE [--seconds N]

A busy program runs on every CPU while the machine is recorded. The cost is the
run time of the BPF programs, which the kernel counts, plus the CPU time of
otprof and its helper process, as a share of all CPUs; the first seconds, in
which binaries are read, are counted too, and also given apart. What the timer
interrupt itself takes, about a microsecond a sample, is in neither.

perf record is measured beside it by the CPU time of its own process: its work
in the interrupt is charged to whoever was interrupted, so this is its lower
bound. Run it as root and on a machine that does nothing else.
"""
import argparse
import os
import re
import resource
import shutil
import subprocess
import tempfile

RATES = ((19, 0.05), (99, 0.3), (997, None))


def cpu_of(command):
    """CPU seconds of a command and its children, and what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = (after.ru_utime + after.ru_stime) - (before.ru_utime +
                                                before.ru_stime)
    return used, run.stderr.decode(errors="replace")


def share(seconds, args):
    return 100 * seconds / (args.seconds * os.cpu_count())


def ours(args, hertz, folder, *more):
    out = os.path.join(folder, "ours.otlp")
    _, said = cpu_of([args.otprof, "record", "-a", "-F", str(hertz), "-d",
                      str(args.seconds), "-o", out, *more])
    return float(re.search(r"([\d.]+)% of the CPUs", said)[1]), said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--otprof", required=True)
    parser.add_argument("--busy", required=True)
    parser.add_argument("--seconds", type=int, default=30)
    args = parser.parse_args()
    busy = [subprocess.Popen([args.busy, "recurse", "20",
                              str(args.seconds * 30)])
            for _ in range(os.cpu_count())]
    try:
        with tempfile.TemporaryDirectory() as folder:
            start, _ = ours(argparse.Namespace(**{**vars(args), "seconds": 1}),
                            19, folder, "--no-symbols")
            start *= 1 / args.seconds
            for hertz, goal in RATES:
                percent, said = ours(args, hertz, folder, "--no-symbols")
                print(f"otprof record -a -F {hertz}: {percent:.3f} % of the "
                      f"CPUs, of which {start:.3f} to start"
                      + (f"; goal {goal}" if goal else ""))
                print("   ", said.strip().splitlines()[-1])
                if not shutil.which("perf"):
                    continue
                for mode in ("fp", "dwarf"):
                    used, _ = cpu_of(["perf", "record", "-q", "-a", "-F",
                                      str(hertz), "--call-graph", mode, "-o",
                                      os.path.join(folder, "perf.data"), "--",
                                      "sleep", str(args.seconds)])
                    print(f"    perf record --call-graph {mode}: at least "
                          f"{share(used, args):.3f} %")
    finally:
        for process in busy:
            process.kill()


if __name__ == "__main__":
    main()
