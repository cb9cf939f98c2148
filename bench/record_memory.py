#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much memory recording a host with many processes takes.

usage: record_memory.py --otprof FILE [--seconds N] [--processes N] [--quick]

Starts 300 processes of a dozen different programs, which do a little now and
then, and node, which is large and busy, and records everything. Counts anonymous memory of
otprof and of the process that looks up names, BPF maps by what the kernel
charges for them, and ring buffers. Needs root.
"""
import argparse
import os
import shutil
import signal
import subprocess
import tempfile
import time

import processes

GOAL = 64
MIB = 1 << 20
SLAB = 64 << 10  # a map that is not open, but mapped
# Each runs until it is killed; some do a little now and then.
SMALL = (
    ["python3", "-c", "import time\nwhile 1: sum(range(999)); time.sleep(2)"],
    ["perl", "-e", "while (1) { $s += $_ for 1..999; select(0, 0, 0, 2) }"],
    ["bash", "-c", "while read -t 2 x || :; do for i in {1..99}; do :; done; done"],
    ["sleep", "1000000"],
    ["tail", "-f", "/dev/null"],
    ["vmstat", "2"],
    ["awk", "{ print }"],
    ["sqlite3", ":memory:"],
    ["git", "cat-file", "--batch"],
    ["openssl", "enc", "-base64"],
    ["gdb", "-q", "-nx"],
    ["cat"],
)


LARGE = ["node", "-e", "for (let s = 0, a = [];;) { a[s % 99] = s++ + '' }"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--otprof", required=True)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--processes", type=int, default=300)
    parser.add_argument("--hertz", default="19")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.quick:
        args.seconds = 15
    node = shutil.which(LARGE[0])
    if not node:
        print("record_memory: there is no node")
        return
    path = os.path.realpath(node)
    small = [command for command in SMALL if shutil.which(command[0])]
    running = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for i in range(args.processes):
                running.append(subprocess.Popen(
                    small[i % len(small)], stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            running.append(subprocess.Popen(LARGE))
            measure(args, folder, path)
        finally:
            for process in running:
                process.kill()


def measure(args, folder, path):
    process = subprocess.Popen(
        [args.otprof, "record", "-a", "-F", args.hertz, "-o",
         os.path.join(folder, "host.otlp")],
        stderr=subprocess.PIPE, text=True)
    most = (0,)
    time.sleep(1)
    end = time.monotonic() + args.seconds
    while time.monotonic() < end:
        ours, *helpers = processes.tree(process.pid)
        parts = (processes.anonymous(ours),
                 sum(processes.anonymous(pid) for pid in helpers),
                 processes.bpf_maps(ours),
                 processes.mapped(ours, "bpf-map", SLAB),
                 processes.mapped(ours, "[perf_event]"))
        most = max(most, (sum(parts),) + parts)
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1].strip().splitlines()[-1]
    total, own, helper, maps, slabs, rings = (n / MIB for n in most)
    print(f"{args.processes} processes and {path} "
          f"({os.path.getsize(path) / 1e6:.0f} MB): {total:.1f} MiB at most")
    print(f"    anonymous memory {own:.1f}, of the process that looks up names "
          f"{helper:.1f}, BPF maps {maps:.1f}, unwind tables "
          f"{slabs:.1f}, ring buffers {rings:.1f}")
    print("   ", said)
    print(f"row|record -a, {args.processes} processes, MiB|{total:.1f}||"
          f"|{GOAL}|{'yes' if total <= GOAL else 'NO'}")


if __name__ == "__main__":
    main()
