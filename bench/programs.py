# SPDX-License-Identifier: Apache-2.0
"""Measures programs beside each other, for go_peers.py and jfr.py.

What counts is the time on the processor and the most memory of the whole
program, start included; both take turns and the best round of each counts.
"""
import filecmp
import os
import subprocess
import sys
import tempfile
import time

MB = 1e6


def rusage(commands):
    """Seconds on the processor and by the clock of one run of commands, and
    the most memory of one of them in bytes."""
    cpu = memory = 0
    begun = time.monotonic()
    for command in commands:
        with tempfile.TemporaryFile() as errors:
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
            _, status, use = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode:
                errors.seek(0)
                sys.exit("bench: %s: status %d: %s" % (" ".join(command)[:200], child.returncode,
                                                       errors.read(400).decode(errors="replace")))
        cpu += use.ru_utime + use.ru_stime
        memory = max(memory, use.ru_maxrss * 1024)
    return cpu, time.monotonic() - begun, memory


def anonymous(command):
    """The most memory of one run that is no mapped file, in bytes; looked at
    every two milliseconds, so that a peak may be missed by a little."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while child.poll() is None:
        try:
            with open("/proc/%d/status" % child.pid) as f:
                for line in f:
                    if line.startswith("RssAnon:"):
                        most = max(most, int(line.split()[1]) * 1024)
        except OSError:
            break
        time.sleep(0.002)
    child.wait()
    return most


def row(work, ours, peer, ratio, goal, met):
    print("%-58s %12s %12s %6.2fx" % (work, ours, peer, ratio))
    print("row|%s|%s|%s|%.2fx|%s|%s" % (work, ours, peer, ratio, goal, met), flush=True)


def report(work, ours, peer, ratio, goal):
    """goal 0: there is none."""
    met = "-" if not goal else "yes" if ratio >= goal else "NO"
    row(work, ours, peer, ratio, ">= %gx" % goal if goal else "-", met)


class Programs:
    """args: otprof, work (a folder), quick."""

    def __init__(self, args):
        self.args = args
        self.rounds = 2 if args.quick else 5

    def path(self, name):
        return os.path.join(self.args.work, name)

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
            sys.exit("bench: %s: the results differ" % what)

    def best(self, *sides, rounds=None):
        """The least of each figure; a side is a command, or several in turn."""
        seen = [[] for _ in sides]
        for _ in range(rounds or self.rounds):
            for runs, side in zip(seen, sides):
                runs.append(rusage([side] if isinstance(side[0], str) else side))
        return [[min(figure) for figure in zip(*runs)] for runs in seen]

    def compare(self, work, ours, peer, goal=0, memory_goal=0, rounds=None, wall=False):
        """Returns our figures."""
        us, them = self.best(ours, peer, rounds=rounds)
        report(work, "%.3f s" % us[0], "%.3f s" % them[0], them[0] / us[0], goal)
        if wall:
            report(work + ", wall", "%.3f s" % us[1], "%.3f s" % them[1], them[1] / us[1], 0)
        report(work + ", memory", "%.0f MB" % (us[2] / MB), "%.0f MB" % (them[2] / MB), them[2] / us[2], memory_goal)
        return us

    def compare_anonymous(self, work, ours, peers, goal):
        """peers: several commands, of which the largest counts."""
        us, them = anonymous(ours), max(anonymous(peer) for peer in peers)
        report(work + ", anonymous memory", "%.0f MB" % (us / MB), "%.0f MB" % (them / MB), them / us, goal)
