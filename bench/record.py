#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs, by direct accounting.

usage: record.py --otprof FILE --load FILE [--seconds N] [--rounds N] [--quick]

LOAD is bench/record_load.c, compiled with frame pointers; one runs on every
CPU, 20 frames deep, while the machine is recorded. Two runs of the same program
differ by more than recording costs, so the cost is added up from its parts:

otprof   CPU time of the program and its helper process, from the kernel's
         scheduler (exact), plus run time of the BPF programs, from the kernel's
         statistics (exact but for some 30 ns a run that counting takes), plus
         samples times what an event with an empty BPF program costs.
perf     CPU time of its process (exact), plus samples times what it does in
         an interrupt. The kernel does not count that; it is charged to the
         program that was interrupted.

What interrupts cost is measured at 10,000 a second: a fixed amount of work, on
one CPU, with and without; the least CPU time of several rounds each. What one
sample costs is the difference by the number of samples. On a quiet machine it is
good to about 2 us, or 0.2 % of a CPU at 997 Hz; on a busy one to several. The
same is done with otprof, to compare with what the statistics say.

perf record looks up no names; otprof is compared without (--no-symbols), and its
cost with names is given apart: most of that is to read each binary once.

The start (loading programs, reading processes) is what the first two seconds
cost more than two others. The end (writing the file) is counted too. Needs root.
"""
import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

import processes

GOALS = {19: 0.05, 99: 0.3, 997: None}  # without the start
BOUNDS = {997: {"fp": 1.25, "dwarf": 1}}  # of what perf takes
FAST = 10000
LOOPS = 1000000000
DEPTH = "20"
CPU = str(os.cpu_count() - 1)
START = 2


def children_ns():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return int((used.ru_utime + used.ru_stime) * 1e9)


class Cost:
    """In seconds of CPU time."""

    def __init__(self):
        self.own = self.start = self.bpf = self.samples = 0

    def total(self, per_sample):
        return self.own + self.bpf + self.samples * per_sample


def watch(command, args):
    """Runs a recorder for a while; what it used."""
    before = children_ns()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    time.sleep(START)
    first = processes.cpu_ns(processes.tree(process.pid))
    time.sleep(args.seconds - START)
    last = processes.cpu_ns(processes.tree(process.pid))
    bpf, runs = processes.bpf_run(process.pid)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    cost = Cost()
    cost.own = (children_ns() - before) / 1e9
    cost.start = (first - (last - first) / (args.seconds - START) * START) / 1e9
    cost.bpf = bpf / 1e9
    cost.samples = runs  # with those that are filtered or foreign
    return cost, said


def otprof_command(args, hertz, *more):
    return [args.otprof, "record", "-a", "-F", str(hertz), "-o",
            os.path.join(args.folder, "ours.otlp"), *more]


def perf_command(args, hertz, mode):
    return ["perf", "record", "-q", "-F", str(hertz), "-e", "cpu-clock",
            "--call-graph", mode, "-o", os.path.join(args.folder, "perf.data")]


def ours(args, hertz, *more):
    cost, said = watch(otprof_command(args, hertz, *more), args)
    return cost, said.strip().splitlines()[-1]


def perf(args, hertz, mode):
    cost, _ = watch(perf_command(args, hertz, mode) + ["-a"], args)
    cost.samples = hertz * os.cpu_count() * args.seconds
    return cost


def work_ns(args, *more):
    """CPU time of the fixed work."""
    return int(subprocess.run(["taskset", "-c", CPU, args.load, DEPTH,
                               str(LOOPS), *more], check=True,
                              stdout=subprocess.PIPE).stdout)


def beside(args, command):
    """CPU time of the fixed work while a command runs on other CPUs."""
    others = f"0-{int(CPU) - 1}" if CPU != "0" else "0"
    process = subprocess.Popen(["taskset", "-c", others, *command],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(START)
    took = work_ns(args)
    process.send_signal(signal.SIGINT)
    process.wait()
    return took


def per_sample(args, has_perf):
    """Seconds that the interrupt of a sample takes, by who takes it."""
    ways = {"none": lambda: work_ns(args),
            "empty": lambda: work_ns(args, str(FAST)),
            "otprof": lambda: beside(args, otprof_command(args, FAST,
                                                          "--no-symbols"))}
    if has_perf:
        for mode in ("fp", "dwarf"):
            command = perf_command(args, FAST, mode) + ["-C", CPU]
            ways[mode] = lambda command=command: beside(args, command)
    least = {}
    for _ in range(args.rounds):
        for name, run in ways.items():
            least[name] = min(run(), least.get(name, sys.maxsize))
    base = least.pop("none")
    return {name: (ns - base) / ns / FAST for name, ns in least.items()}


def row(name, ours, theirs, goal, reached):
    """A line of the table of bench/run."""
    print(f"row|{name}|{ours:.3f}|"
          + (f"{theirs:.3f}|{reached:.2f}" if theirs else "|")
          + f"|{goal}|{'yes' if reached <= goal else 'NO'}", flush=True)


def compare(args, hertz, interrupt, has_perf):
    def share(seconds):
        return 100 * seconds / (args.seconds * os.cpu_count())

    cost, _ = ours(args, hertz)
    print(f"with names of functions: {share(cost.total(interrupt['empty'])):.3f}"
          " % of the CPUs")
    cost, said = ours(args, hertz, "--no-symbols")
    mine = cost.total(interrupt["empty"])
    steady = mine - cost.start
    print(f"otprof record -a -F {hertz}: {share(mine):.3f} % of the CPUs; "
          f"without the start {share(steady):.3f} %")
    print(f"    own CPU {share(cost.own):.3f} % (start {share(cost.start):.3f}"
          f" % or {cost.start * 1e3:.0f} ms), BPF {share(cost.bpf):.3f} %, "
          f"interrupts {share(cost.samples * interrupt['empty']):.3f} %")
    print("   ", said)
    if GOALS[hertz]:
        row(f"record -a -F {hertz}, % of the CPUs", share(steady), "",
            GOALS[hertz], share(steady))
    for mode in ("fp", "dwarf") if has_perf else ():
        cost = perf(args, hertz, mode)
        theirs = cost.total(interrupt[mode])
        print(f"    perf record --call-graph {mode}: {share(theirs):.3f} %, "
              f"of which own CPU {share(cost.own):.3f} %; otprof takes "
              f"{mine / theirs:.2f} of it, without starts "
              f"{steady / (theirs - cost.start):.2f}", flush=True)
        if hertz in BOUNDS:
            row(f"record -a -F {hertz}, % beside perf {mode}", share(mine),
                share(theirs), BOUNDS[hertz][mode], mine / theirs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--otprof", required=True)
    parser.add_argument("--load", required=True)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.quick:
        args.seconds, args.rounds = 10, 2
    has_perf = not subprocess.run(["perf", "record", "-q", "-a", "-o",
                                   "/dev/null", "true"],
                                  stderr=subprocess.DEVNULL).returncode
    with tempfile.TemporaryDirectory() as args.folder:
        interrupt = per_sample(args, has_perf)
        for name, seconds in interrupt.items():
            print(f"one sample, {name}: {seconds * 1e6:.2f} us", flush=True)
        busy = [subprocess.Popen([args.load, DEPTH, str(LOOPS * 10000)])
                for _ in range(os.cpu_count())]
        try:
            for hertz in GOALS:
                compare(args, hertz, interrupt, has_perf)
        finally:
            for process in busy:
                process.kill()


if __name__ == "__main__":
    main()
