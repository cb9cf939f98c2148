#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""otprof record beside the OpenTelemetry eBPF profiler.

usage: record_peer.py --build DIR [--seconds N] [--hertz N]

Needs root, and what tests/record/peer/run has built in DIR. Both profile the
whole machine at the same rate while the same programs run: one that spends 60,
30 and 10 % of its time in three functions, Python and Node.js. The profiler
sends to a server, otprof writes a file.

stacks complete: of these programs, those whose first frame is where the program
or a thread begins, by names that otprof finds for both. CPU: run time of BPF
programs, by the kernel's statistics, and of the process itself, as a share of
all CPUs, from five seconds after the start on; names are not looked up. Memory:
anonymous memory and BPF maps at the end.
"""
import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "record", "peer"))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "record"))
from peer import Peer  # noqa: E402
from truth import in_order  # noqa: E402

STATISTICS = "/proc/sys/kernel/bpf_stats_enabled"
SYS_BPF, MAP_NEXT, MAP_FD, INFO = 321, 12, 14, 15
WARM = 5
PYTHON = """import json
while True:
    text = json.dumps([{"a": i, "b": list(range(50))} for i in range(20)])
    sorted(json.loads(text), key=lambda x: -x["a"])"""
BEGINS = ("_start", "clone3", "__clone3", "start_thread", "_dl_start_user")


# --- BPF --------------------------------------------------------------------

def bpf(command, *words):
    attr = (ctypes.c_uint32 * 32)(*words)
    rc = ctypes.CDLL(None, use_errno=True).syscall(
        SYS_BPF, command, ctypes.byref(attr), ctypes.sizeof(attr))
    return rc, attr


def fd_fields(pid, fd):
    try:
        with open(f"/proc/{pid}/fdinfo/{fd}") as f:
            return dict(line.split(":", 1) for line in f if ":" in line)
    except OSError:
        return {}


def all_maps():
    """{id: (bytes, name)} of the machine."""
    found = {}
    rc, attr = bpf(MAP_NEXT, 0)
    while rc == 0:
        at = attr[1]
        fd, _ = bpf(MAP_FD, at)
        if fd >= 0:
            info = ctypes.create_string_buffer(88)
            where = ctypes.addressof(info)
            bpf(INFO, fd, 88, where & 0xffffffff, where >> 32)
            name = info.raw[24:40].split(b"\0")[0].decode()
            found[at] = (int(fd_fields("self", fd).get("memlock", 0)), name)
            os.close(fd)
        rc, attr = bpf(MAP_NEXT, at)
    return found


def open_fields(pid, key):
    """Fields of the open BPF objects of a process, one for each id."""
    found = {}
    for fd in os.listdir(f"/proc/{pid}/fd"):
        fields = fd_fields(pid, fd)
        if key in fields:
            found[int(fields[key])] = fields
    return found


def map_bytes(pid, before):
    """Maps that the process has open, and those inside of them with unwind
    tables: ours are mapped, those of others are new and not ours."""
    own = {i: int(f["memlock"]) for i, f in open_fields(pid, "map_id").items()}
    slabs = 0
    with open(f"/proc/{pid}/maps") as f:
        for line in f:
            if "bpf-map" in line:
                start, end = (int(x, 16) for x in line.split()[0].split("-"))
                slabs += end - start if end - start == 1 << 16 else 0
    others = set()
    for other in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(other) not in (pid, os.getpid()):
                others |= set(open_fields(other, "map_id"))
        except OSError:
            pass
    inner = slabs or sum(
        n for i, (n, name) in all_maps().items()
        if i not in before and i not in own and i not in others
        and name != "otprof_slab")
    return sum(own.values()), inner


def bpf_seconds(pid):
    return sum(int(f.get("run_time_ns", 0))
               for f in open_fields(pid, "prog_id").values()) / 1e9


# --- a process --------------------------------------------------------------

def cpu_seconds(pid):
    """Of it and of its children that live."""
    total = 0
    for at in [pid, *children(pid)]:
        with open(f"/proc/{at}/stat") as f:
            words = f.read().rpartition(")")[2].split()
        total += int(words[11]) + int(words[12])
    return total / os.sysconf("SC_CLK_TCK")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(word) for word in f.read().split()]


def anonymous(pid):
    total = 0
    for at in [pid, *children(pid)]:
        with open(f"/proc/{at}/status") as f:
            total += int(re.search(r"RssAnon:\s+(\d+)", f.read())[1])
    return total * 1024


def measure(pid, seconds, before):
    """Costs of a profiler that runs: what it did before is not counted."""
    start_cpu, start_bpf = cpu_seconds(pid), bpf_seconds(pid)
    start = time.monotonic()
    time.sleep(seconds)
    elapsed = (time.monotonic() - start) * os.cpu_count()
    maps, tables = map_bytes(pid, before)
    return {"CPU of BPF, %": 100 * (bpf_seconds(pid) - start_bpf) / elapsed,
            "own CPU, %": 100 * (cpu_seconds(pid) - start_cpu) / elapsed,
            "anonymous memory, MiB": anonymous(pid) / (1 << 20),
            "BPF maps, MiB": maps / (1 << 20),
            "BPF maps of unwind tables, MiB": tables / (1 << 20)}


# --- what it says -----------------------------------------------------------

def stacks(otprof, files, pid):
    """Frames and weights of a process."""
    run = subprocess.run(
        [otprof, "convert", *files, "--where", f"process.pid={pid}", "-t",
         "folded", "-o", "-"], check=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    for line in run.stdout.decode(errors="replace").splitlines():
        text, _, weight = line.rpartition(" ")
        yield text.split(";"), int(weight)


def judge(otprof, files, programs):
    rows = {}
    files = list(files)
    for name, pid in programs.items():
        found = list(stacks(otprof, files, pid))
        weight = max(sum(w for _, w in found), 1)
        good = sum(w for frames, w in found if frames[0] in BEGINS)
        rows[f"stacks complete, {name}, %"] = 100 * good / weight
        if name != "split":
            continue
        for function in ("sixty", "thirty", "ten"):
            part = sum(w for frames, w in found
                       if in_order(frames, ["main", function, "work"]))
            rows[f"share of {function}, %"] = 100 * part / weight
    return rows


# --- both -------------------------------------------------------------------

def ours(args, folder, programs):
    out = os.path.join(folder, "ours.otlp")
    before = all_maps()
    otprof = os.path.join(args.build, "otprof")
    with subprocess.Popen(
            [otprof, "record", "-a", "-F", str(args.hertz), "-o", out,
             "--no-symbols"], stderr=subprocess.DEVNULL) as process:
        time.sleep(WARM)
        rows = measure(process.pid, args.seconds, before)
        process.send_signal(2)
        process.wait(60)
    return {**judge(otprof, [out], programs), **rows}


def peers(args, folder, programs):
    before = all_maps()
    peer = Peer(os.path.join(args.build, "record", "peer"),
                os.path.join(args.build, "tests", "serve", "serve"), folder,
                args.hertz)
    time.sleep(WARM)
    rows = measure(peer.process.pid, args.seconds, before)
    peer.stop()
    return {**judge(os.path.join(args.build, "otprof"), peer.messages(),
                    programs), **rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--hertz", type=int, default=97)
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    work = os.path.join(HERE, "..", "tests", "interop", "unwind", "work.js")
    commands = {
        "split": [os.path.join(args.build, "record", "peer", "busy"), "split",
                  "100000"],
        "python3": ["/usr/bin/python3", "-c", PYTHON],
        "node": ["node", work],
    }
    programs = {name: subprocess.Popen(command, stdout=subprocess.DEVNULL)
                for name, command in commands.items()}
    pids = {name: program.pid for name, program in programs.items()}
    with open(STATISTICS) as f:
        counted = f.read()
    try:
        with open(STATISTICS, "w") as f:
            f.write("1")
        columns = {}
        for name, run in (("otprof", ours), ("eBPF profiler", peers)):
            with tempfile.TemporaryDirectory() as folder:
                columns[name] = run(args, folder, pids)
    finally:
        with open(STATISTICS, "w") as f:
            f.write(counted)
        for program in programs.values():
            program.kill()
    print(f"| {args.hertz} Hz, {args.seconds:.0f} s | {' | '.join(columns)} |")
    print("|---|---|---|")
    for row in columns["otprof"]:
        print(f"| {row} | " + " | ".join(f"{column[row]:.3f}" for column in
                                         columns.values()) + " |")


if __name__ == "__main__":
    main()
