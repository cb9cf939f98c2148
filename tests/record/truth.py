#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether recordings of programs that spend CPU time in a known way say so.

usage: truth.py OTPROF PROGRAMS [SECONDS]
       truth.py OTPROF --split FILE

PROGRAMS is the directory of busy and throw. FILE is a recording of "busy
split", made elsewhere. Prints "ok NAME" or "not ok NAME"
with the figures, and the sum.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

HERTZ = 997
counts = {"ok": 0, "not ok": 0}


def say(is_ok, name, figures):
    word = "ok" if is_ok else "not ok"
    counts[word] += 1
    print(f"{word} {name}: {figures}", flush=True)


def view(otprof, path, *args):
    """The answer; nothing if no sample has such a label."""
    run = subprocess.run([otprof, *args, "--json", path],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if b"no sample has the label" in run.stderr:
        return None
    run.check_returncode()
    return json.loads(run.stdout)


def stacks(otprof, path):
    """Pairs of frames, the outermost first, and weight."""
    run = subprocess.run([otprof, "convert", path, "-t", "folded", "-o", "-"],
                         check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    for line in run.stdout.decode(errors="replace").splitlines():
        text, _, weight = line.rpartition(" ")
        yield text.split(";"), int(weight)


class Recording:
    def __init__(self, otprof, path, command=None):
        self.otprof = otprof
        self.path = path
        if command:
            subprocess.run([otprof, "record", "-F", str(HERTZ), "-o", path,
                            "--", *command], check=True,
                           stderr=subprocess.DEVNULL)
        self.stacks = list(stacks(otprof, self.path))
        self.all = sum(weight for _, weight in self.stacks)

    def complete(self):
        """The share of stacks that no label says anything against."""
        answer = view(self.otprof, self.path, "top", "--by", "thread,quality",
                      "-n", "0")
        if not answer:
            return 1
        good = sum(row["value"] for row in answer["rows"]
                   if row["quality"] == "(no quality)")
        return good / answer["total"]

    def share(self, matches):
        return sum(w for frames, w in self.stacks if matches(frames)) / self.all

    def samples(self):
        return self.all * HERTZ / 1e9


def in_order(frames, wanted):
    """Whether the frames have those wanted, in this order; inlined functions
    and the kernel's may come between and after them."""
    rest = iter(frames)
    return all(frame in rest for frame in wanted)


def check_complete(name, r):
    share = r.complete()
    say(share >= 0.99, f"{name}-complete", f"{share:.2%} of {r.samples():.0f}")


def margin(share, r):
    """Of a share with so many samples, 95 %."""
    return 1.96 * math.sqrt(share * (1 - share) / max(r.samples(), 1))


def split(r):
    for function, wanted in (("sixty", 0.6), ("thirty", 0.3), ("ten", 0.1)):
        share = r.share(lambda f: in_order(f, ["main", function, "work"]))
        # A virtual machine that has to wait for a CPU has fewer samples.
        allowed = min(max(0.02, 1.7 * margin(wanted, r)), 0.04)
        say(abs(share - wanted) <= allowed, f"split-{function}",
            f"{share:.2%} +- {margin(wanted, r):.2%}")
    check_complete("split", r)


def recurse(r, depth):
    wanted = ["main"] + ["recurse"] * depth + ["work"]
    share = r.share(lambda f: in_order(f, wanted) and
                    f.count("recurse") == depth)
    say(share >= 0.97, f"recurse-{depth}", f"{share:.2%} have all frames")
    check_complete(f"recurse-{depth}", r)


def handler(r):
    share = r.share(lambda f: "interrupted" in f and
                    in_order(f, ["in_handler", "work"]))
    say(share >= 0.97, "signal", f"{share:.2%} lead through the handler")
    check_complete("signal", r)


def forks(r):
    """The kernel's part, to start and end processes, depends on the machine."""
    share = r.share(lambda f: in_order(f, ["main", "forks", "work"]))
    work = r.share(lambda f: "work" in f)
    say(share >= 0.97 * work and work >= 0.5, "fork",
        f"{share:.2%} in short processes, {work:.2%} in their work")
    check_complete("fork", r)


def throws(r):
    share = r.share(lambda f: "main" in f and
                    any(frame.startswith("Guard::~Guard") for frame in f))
    say(share >= 0.9, "throw", f"{share:.2%} in destructors")
    check_complete("throw", r)


def spans(r):
    """Of samples with a span: the context is found after the first few."""
    answer = view(r.otprof, r.path, "top", "--by", "span", "-n", "0")
    found = {row["span"]: row["value"] for row in answer["rows"]
             if row["span"] != "(no span)"} if answer else {}
    all_found = max(sum(found.values()), 1)
    say(answer and all_found >= 0.9 * answer["total"], "span",
        f"{all_found / max(r.all, 1):.2%} have one")
    for span, wanted in (("0000000000000001", 0.75),
                         ("0000000000000002", 0.25)):
        share = found.get(span, 0) / all_found
        say(abs(share - wanted) <= 0.03, f"span-{span[-1]}", f"{share:.2%}")


def main():
    otprof, programs = sys.argv[1:3]
    if programs == "--split":
        split(Recording(otprof, sys.argv[3]))
        return finish()
    seconds = sys.argv[3] if len(sys.argv) > 3 else "10"
    busy = os.path.join(programs, "busy")
    with tempfile.TemporaryDirectory() as folder:
        def record(*command):
            path = os.path.join(folder, "recording.otlp")
            return Recording(otprof, path, command)

        split(record(busy, "split", seconds))
        for depth in (50, 200, 1000):
            recurse(record(busy, "recurse", str(depth), seconds), depth)
        handler(record(busy, "signal", seconds))
        forks(record(busy, "fork", "2"))
        throws(record(os.path.join(programs, "throw"), seconds))
        spans(record(os.path.join(programs, "spans"), seconds))
    return finish()


def finish():
    print(f"{counts['ok']} passed, {counts['not ok']} failed, 0 skipped")
    return 1 if counts["not ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
