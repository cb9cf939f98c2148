#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What profiling from inside costs, by direct accounting.

usage: agent.py --build DIRECTORY --load FILE [--seconds N] [--profiler FILE]

The cost is the CPU time of the sampler thread, as the kernel counts it, plus
that of the helper process from its start to its end. Of threads that run, it is
also what the signal handlers take: all CPU time per unit of work, with and
without the profiler, the best of several runs. gperftools' profiler (Debian's libprofiler.so) runs the
same program at the same rate; all that it costs is in the threads.
"""
import argparse
import os
import re
import subprocess
import tempfile

AGENT = {"SPLUNK_PROFILER_ENABLED": "true", "OTPROF_AGENT_REPORT": "1"}


class Run:
    """One run of the program: CPU times by thread name, work, the report."""

    def __init__(self, args, busy, idle, ms=None, profiler=None, times=1):
        env = dict(os.environ)
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            if ms:
                env.update(AGENT, LD_PRELOAD=os.path.join(
                    args.build, "libotprof-agent.so"),
                    OTPROF_PROGRAM=os.path.join(args.build, "otprof"),
                    SPLUNK_PROFILER_CALL_STACK_INTERVAL=str(ms),
                    OTPROF_AGENT_OUTPUT=f"file:{out}")
            if profiler:
                env.update(LD_PRELOAD=profiler, CPUPROFILE=out,
                           CPUPROFILE_FREQUENCY="100")
            command = [args.load, str(args.seconds * times), str(busy), str(idle)]
            # This waits for the helper, too, which has the same stderr.
            run = subprocess.run(command, env=env, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, check=True)
        self.seconds = args.seconds * times
        self.said = run.stderr
        self.cpu = {}
        self.work = 0
        for line in run.stdout.splitlines():
            words = line.split()
            if words[0] == "cpu":
                self.cpu[words[1]] = self.cpu.get(words[1], 0) + float(
                    words[2])
            elif words[0] == "work":
                self.work = int(words[1])
            elif words[0] == "self":
                self.all = float(words[1])
        found = re.search(r"(\d+) signals, spread ([\d.]+) ms on average, "
                          r"([\d.]+) ms at most", self.said)
        self.signals, self.spread, self.max_spread = (
            (int(found[1]), float(found[2]), float(found[3]))
            if found else (0, 0, 0))
        found = re.search(r"([\d.]+) s of CPU time in", self.said)
        self.helper = float(found[1]) if found else 0

    def share(self, seconds):
        return 100 * seconds / (self.seconds * os.cpu_count())

    def direct(self):
        return self.share(self.cpu.get("otprof-agent", 0) + self.helper)


def row(name, figure, goal, is_met):
    print(f"{name}: {figure}; goal {goal}: {'met' if is_met else 'MISSED'}",
          flush=True)


def per_work(run):
    """All CPU time that was spent, in microseconds per unit of work."""
    return 1e6 * (run.all + run.helper) / run.work


def busy_rows(args):
    """The best of several runs each, one after the other."""
    plain, ours, theirs = [], [], []
    for _ in range(args.runs):
        plain.append(per_work(Run(args, 20, 0)))
        agent = Run(args, 20, 0, ms=10)
        ours.append(per_work(agent))
        if args.profiler:
            theirs.append(per_work(Run(args, 20, 0, profiler=args.profiler)))
    cost = 100 * (min(ours) / min(plain) - 1)
    figure = (f"{cost:.2f} % more CPU time per unit of work, of which sampler "
              f"and helper {agent.direct():.2f} % of the machine, "
              f"{agent.signals / agent.seconds:.0f} signals/s")
    if not theirs:
        print(f"20 busy threads, 10 ms: {figure}")
        return
    peer = 100 * (min(theirs) / min(plain) - 1)
    row("20 busy threads, 10 ms", f"{figure}; gperftools {peer:.2f} %",
        "not more than gperftools", cost <= peer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--load", required=True)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--profiler")
    args = parser.parse_args()
    args.build = os.path.realpath(args.build)
    for ms, busy, idle, goal in ((1000, 0, 20, 0.05), (10, 0, 20, 0.5)):
        # The start of the helper is part of it, and becomes less with time.
        run = Run(args, busy, idle, ms=ms, times=3)
        row(f"{idle} mostly idle threads, {ms} ms",
            f"{run.direct():.4f} % of the machine (sampler "
            f"{run.share(run.cpu['otprof-agent']):.4f}, helper "
            f"{run.share(run.helper):.4f})", f"< {goal} %",
            run.direct() < goal)
    run = Run(args, 0, 1000, ms=1000)
    row("1,000 idle threads, 1 s", f"{run.direct():.3f} % of the machine, "
        f"spread {run.spread:.1f} ms on average, {run.max_spread:.1f} ms at "
        f"most", "spread < 20 ms", run.max_spread < 20)
    busy_rows(args)


if __name__ == "__main__":
    main()
