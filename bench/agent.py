#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What profiling from inside costs, by direct accounting.

usage: agent.py --build DIRECTORY --load FILE --signal FILE [--seconds N]
                [--profiler FILE]

The cost is the CPU time of the sampler thread, as the kernel counts it, plus
that of the helper process from its start to its end, plus what the signal
handlers take: their number times what one takes (agent_signal). gperftools'
profiler (Debian's libprofiler.so) has handlers only. The load and signal
programs are agent_load and agent_signal.
"""
import argparse
import os
import re
import subprocess
import tempfile

AGENT = {"SPLUNK_PROFILER_ENABLED": "true", "OTPROF_AGENT_REPORT": "1"}


class Run:
    """One run of the program: CPU times by thread name, the report."""

    def __init__(self, args, busy, idle, ms, times=1, nap_ms=100):
        env = dict(os.environ)
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            env.update(AGENT, LD_PRELOAD=os.path.join(
                args.build, "libotprof-agent.so"),
                OTPROF_PROGRAM=os.path.join(args.build, "otprof"),
                SPLUNK_PROFILER_CALL_STACK_INTERVAL=str(ms),
                OTPROF_AGENT_OUTPUT=f"file:{out}")
            command = [args.load, str(args.seconds * times), str(busy), str(idle),
                       str(nap_ms)]
            # This waits for the helper, too, which has the same stderr.
            run = subprocess.run(command, env=env, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, check=True)
        self.seconds = args.seconds * times
        self.said = run.stderr
        self.cpu = {}
        for line in run.stdout.splitlines():
            _, name, seconds = line.split()
            self.cpu[name] = self.cpu.get(name, 0) + float(seconds)
        found = re.search(r"(\d+) samples in (\d+) rounds", self.said)
        self.samples, self.rounds = ((int(found[1]), int(found[2]))
                                     if found else (0, 0))
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
    print(f"row|agent, {name}|{figure.split(' of ')[0]}|||{goal}|"
          f"{'yes' if is_met else 'NO'}", flush=True)


def signal_us(args, peer=None):
    """CPU time of one sample in the thread that is sampled."""
    env = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        if peer:
            env.update(LD_PRELOAD=peer,
                       CPUPROFILE=os.path.join(folder, "out"))
        run = subprocess.run([args.signal, "peer" if peer else "ours"],
                             env=env, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=True)
    return float(run.stdout.split()[1])


def busy_row(args):
    run = Run(args, 20, 0, ms=10)
    each = signal_us(args)
    handlers = run.signals * each / 1e6
    cost = run.direct() + run.share(handlers)
    all_us = 1e6 * (run.cpu["otprof-agent"] + run.helper + handlers)
    figure = (f"{cost:.3f} % of the machine (sampler "
              f"{run.share(run.cpu['otprof-agent']):.3f}, helper "
              f"{run.share(run.helper):.3f}, {run.signals} signals of "
              f"{each:.1f} us), {run.samples} samples in {run.rounds} rounds")
    if not args.profiler:
        print(f"20 busy threads, 10 ms: {figure}")
        return
    # It takes a sample per 10 ms of CPU time, of any thread.
    peer = signal_us(args, args.profiler)
    theirs = 100 * peer / 1e6 * 100
    row("20 busy threads, 10 ms", f"{figure}; gperftools {theirs:.3f} %",
        "not more than gperftools", cost <= theirs)
    # It has fewer samples: of what runs, not of what waits for a CPU.
    ours = all_us / run.samples
    row("20 busy threads, per sample", f"{ours:.1f} us, gperftools "
        f"{peer:.1f} us", "not more than gperftools", ours <= peer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--load", required=True)
    parser.add_argument("--signal", required=True)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--profiler")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.quick:
        args.seconds = 3
    args.build = os.path.realpath(args.build)
    for ms, busy, idle, goal in ((1000, 0, 20, 0.05), (10, 0, 20, 0.5)):
        # The start of the helper is part of it, and becomes less with time.
        run = Run(args, busy, idle, ms=ms, times=3)
        row(f"{idle} mostly idle threads, {ms} ms",
            f"{run.direct():.4f} % of the machine (sampler "
            f"{run.share(run.cpu['otprof-agent']):.4f}, helper "
            f"{run.share(run.helper):.4f})", f"< {goal} %",
            run.direct() < goal)
    run = Run(args, 0, 1000, ms=1000, nap_ms=900)
    row("1,000 idle threads, 1 s", f"{run.direct():.3f} % of the machine, "
        f"{1e3 * run.cpu['otprof-agent'] / run.rounds:.1f} ms of CPU time per "
        f"round and for the start, "
        f"spread {run.spread:.1f} ms on average, {run.max_spread:.1f} ms at "
        f"most", "spread < 20 ms", run.max_spread < 20)
    busy_row(args)


if __name__ == "__main__":
    main()
