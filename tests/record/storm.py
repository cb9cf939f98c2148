#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a recording survives storms: many processes, mappings, threads and
libraries, and a recorder that is stopped.

usage: storm.py OTPROF PROGRAMS [SECONDS [NAME...]]

PROGRAMS is the directory of busy, storm and storm_part*.so. For each storm: the
recorder ends well, its file is whole, every sample that BPF took is recorded,
lost or filtered, and from a third of the time on its memory does not grow.
Prints "ok NAME" or "not ok NAME" with the figures, and the sum.
"""
import glob
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

MAX_GROWTH = 4 << 20
counts = {"ok": 0, "not ok": 0}


def say(is_ok, name, figures):
    word = "ok" if is_ok else "not ok"
    counts[word] += 1
    print(f"{word} {name}: {figures}", flush=True)


def read(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ""


def anonymous(pid):
    found = re.search(r"Anonymous: +(\d+)", read(f"/proc/{pid}/smaps_rollup"))
    return int(found[1]) << 10 if found else 0


def helpers(pid):
    """The processes that look up names."""
    for task in os.listdir(f"/proc/{pid}/task"):
        children = read(f"/proc/{pid}/task/{task}/children").split()
        for child in children:
            if "--symbol-helper" in read(f"/proc/{child}/cmdline"):
                yield int(child)


class Watch:
    """A recorder, and how much memory it takes over time."""

    def __init__(self, otprof, path, options):
        self.path = path
        self.process = subprocess.Popen(
            [otprof, "record", "--interval", "2s", "-o", path, *options],
            stderr=subprocess.PIPE, text=True)
        self.memory = []

    def look(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            pid = self.process.pid
            try:
                self.memory.append(anonymous(pid) +
                                   sum(anonymous(p) for p in helpers(pid)))
            except OSError:
                break
            time.sleep(0.2)

    def finish(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.said = self.process.communicate(timeout=120)[1].strip()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.said = "it did not end"
        return self.process.returncode

    def growth(self):
        """From a third of the time on: the most of the last quarter, less the
        most before."""
        n = len(self.memory)
        early, late = self.memory[n // 3:n * 3 // 4], self.memory[n * 3 // 4:]
        return max(late) - max(early) if early and late else 0


def check(name, otprof, watch, happened):
    status = watch.finish()
    whole = subprocess.run([otprof, "check", watch.path],
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
    found = re.search(r"(\d+) samples, .*?(\d+) lost", watch.said)
    say(status == 0 and found and int(found[1]) > 0 and
        "accounted" not in watch.said, name,
        f"{happened}; {watch.said} (status {status})")
    say(whole.returncode == 0, f"{name}-file", whole.stderr.strip() or "whole")
    say(watch.growth() <= MAX_GROWTH, f"{name}-memory",
        f"{max(watch.memory) / 2**20:.1f} MiB, grew by "
        f"{watch.growth() / 2**20:.1f}")
    return found


def storm(name, run, command, options=("-a", "-F", "997")):
    """Records everything while a command runs."""
    watch = Watch(run.otprof, run.file(name), options)
    time.sleep(1)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    watch.look(run.seconds)
    happened = process.communicate()[0].strip()
    check(name, run.otprof, watch, happened)


def threads_copied(run):
    """Threads that are there already, without BPF: as many as files may be
    open, and then more."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    nr = min(10000, (most - 100) // os.cpu_count())
    process = subprocess.Popen([run.storm, "threads", str(run.seconds + 60),
                                str(nr)], stdout=subprocess.PIPE, text=True)
    happened = process.stdout.readline().strip()
    watch = Watch(run.otprof, run.file("threads-copied"),
                  ("--no-bpf", "-F", "99", "-p", str(process.pid)))
    watch.look(run.seconds)
    check("threads-copied", run.otprof, watch, happened)
    few = subprocess.run(["prlimit", "--nofile=200:200", run.otprof, "record",
                          "--no-bpf", "-p", str(process.pid), "-d", "1"],
                         stderr=subprocess.PIPE, text=True)
    # Who may raise limits does.
    say(few.returncode == 0 or "ulimit -n" in few.stderr, "threads-limit",
        few.stderr.strip())
    process.kill()
    process.wait()


def full_ring(run):
    """The recorder stands still; what there is no room for is counted."""
    busy = [subprocess.Popen([run.busy, "recurse", "50", str(run.seconds + 30)])
            for _ in range(os.cpu_count())]
    watch = Watch(run.otprof, run.file("full"), ("-a", "-F", "9999"))
    watch.look(run.seconds / 2)
    watch.process.send_signal(signal.SIGSTOP)
    time.sleep(8)
    watch.process.send_signal(signal.SIGCONT)
    watch.look(run.seconds / 2)
    found = check("full", run.otprof, watch, "stopped for 8 s")
    say(found and int(found[2]) > 0, "full-lost",
        f"{found[2] if found else 'nothing'} lost")
    for process in busy:
        process.kill()
        process.wait()


class Run:
    def __init__(self, folder):
        self.otprof, programs = sys.argv[1:3]
        self.seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 60
        self.storm = os.path.join(programs, "storm")
        self.busy = os.path.join(programs, "busy")
        self.parts = sorted(glob.glob(os.path.join(programs, "storm_part*.so")))
        self.folder = folder

    def file(self, name):
        return os.path.join(self.folder, f"{name}.otlp")

    def command(self, name, *more):
        return [self.storm, name, str(self.seconds), *more]


def main():
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder)
        storms = {
            "spawn": lambda: storm("spawn", run, run.command("spawn", "2000")),
            "spawn-fast": lambda: storm("spawn-fast", run,
                                        run.command("spawn", "60000")),
            "exec": lambda: storm("exec", run, run.command("exec")),
            "maps": lambda: storm("maps", run, run.command("maps", "100000")),
            "threads": lambda: storm("threads", run,
                                     run.command("threads", "10000")),
            "load": lambda: storm("load", run, run.command("load", *run.parts)),
            "threads-copied": lambda: threads_copied(run),
            "full": lambda: full_ring(run),
        }
        for name in sys.argv[4:] or storms:
            storms[name]()
    print(f"{counts['ok']} passed, {counts['not ok']} failed, 0 skipped")
    return 1 if counts["not ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
