#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether recordings of programs in several languages say where the CPU time
went, which is known.

usage: check.py OTPROF PROGRAMS SECONDS SKIPPED LANGUAGE...

Each program prints "ready" when all of it is compiled, and runs for SECONDS
from then on. Prints "ok NAME" or "not ok NAME" with the figures, and the sum.
"""
import bisect
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from truth import HERTZ, Recording, check_complete, counts, in_order, \
    margin, say  # noqa: E402

SHARES = (("sixty", 0.6), ("thirty", 0.3), ("ten", 0.1))


class Language:
    """A program, how its frames are called, and those to be found."""

    def __init__(self, programs, command):
        self.programs = programs
        self.command = command

    def warm(self, pid):
        """What is to be done when the program is ready."""

    def name(self, frame):
        """A frame as its source calls it."""
        return frame

    def wanted(self, function):
        return ["main", function, "work"]

    def check(self, name, r):
        """What else is to be found."""


class Cc(Language):
    PATH = {"sixty": ["sixty"], "thirty": ["sixty", "thirty"],
            "ten": ["sixty", "thirty", "ten"]}
    WORK = {"sixty": 600000, "thirty": 300000, "ten": 100000}

    def __init__(self, programs):
        super().__init__(programs, [os.path.join(programs, "split-cc")])

    def name(self, frame):
        found = re.match(r"Guard<(\d+)ul>::~Guard", frame)
        return f"~{found[1]}" if found else re.sub(r"(\.cold|\(\))$", "", frame)

    def wanted(self, function):
        return ["main", *self.PATH[function], f"~{self.WORK[function]}"]


class Java(Language):
    def __init__(self, programs):
        super().__init__(programs, [
            "java", "-XX:+PreserveFramePointer", "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=dontinline,Split::*", "-cp", programs, "Split"])

    def warm(self, pid):
        subprocess.run(["jcmd", str(pid), "Compiler.perfmap"], check=True,
                       stdout=subprocess.DEVNULL)

    def name(self, frame):
        found = re.match(r"\S+ Split\.(\w+)\(", frame)
        return found[1] if found else frame

    def wanted(self, function):
        return ["start_thread", "JavaMain", "round", function, "work"]


class Node(Language):
    def __init__(self, programs):
        super().__init__(programs, [
            "node", "--perf-basic-prof", "--interpreted-frames-native-stack",
            "--no-turbo-inlining", "--no-maglev-inlining",
            os.path.join(programs, "split.js")])

    def name(self, frame):
        found = re.match(r"JS:[~^*+]*(\w+) \S*split\.js:", frame)
        return found[1] if found else frame

    def wanted(self, function):
        return ["_start", "Builtins_JSEntry", "run", "round", function, "work"]


class Go(Language):
    """Stripped: names come from .gopclntab. Where they do not, unwinding is
    still judged, by the symbols of a copy that is not stripped."""

    def __init__(self, programs):
        super().__init__(programs, [os.path.join(programs, "split-go")])
        with open(os.path.join(programs, "split-go.names")) as f:
            rows = [line.split() for line in f]
        self.at = [int(row[0], 16) for row in rows if row[1] in "Tt"]
        self.names = [row[2] for row in rows if row[1] in "Tt"]

    def name(self, frame):
        found = re.match(r"split-go\+0x([0-9a-f]+)$", frame)
        if not found:
            return frame
        return self.names[bisect.bisect(self.at, int(found[1], 16)) - 1]

    def wanted(self, function):
        return ["runtime.main", "main.main", f"main.{function}", "main.work"]

    def check(self, name, r):
        share = r.share(lambda f: "main.main" in f)
        say(share >= 0.97, f"{name}-names",
            f"{share:.2%} have names of a stripped program")


LANGUAGES = {"cc": Cc, "java": Java, "node": Node, "go": Go}


def run(otprof, path, language, seconds):
    """Records a program from when it is ready until shortly before its end."""
    command = [*language.command, str(seconds + 10)]
    with subprocess.Popen(command, stdout=subprocess.PIPE,
                          cwd=language.programs) as program:
        try:
            while b"ready" not in program.stdout.readline():
                if program.poll() is not None:
                    raise RuntimeError(f"{command[0]} does not run")
            language.warm(program.pid)
            subprocess.run([otprof, "record", "-F", str(HERTZ), "-o", path,
                            "-d", str(seconds), "-p", str(program.pid)],
                           check=True, stderr=subprocess.DEVNULL)
        finally:
            program.kill()
    return Recording(otprof, path)


def check(name, language, r):
    # Before names are translated.
    language.check(name, r)
    r.stacks = [([language.name(f) for f in frames], w)
                for frames, w in r.stacks]
    for function, wanted in SHARES:
        path = language.wanted(function)
        share = r.share(lambda f: in_order(f, path))
        say(abs(share - wanted) <= 0.02, f"{name}-{function}",
            f"{share:.2%} +- {margin(wanted, r):.2%} in {';'.join(path)}")
    check_complete(name, r)


def main():
    otprof, programs, seconds, skipped = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[5:]:
            language = LANGUAGES[name](programs)
            path = os.path.join(folder, f"{name}.otlp")
            check(name, language, run(otprof, path, language, float(seconds)))
    print(f"{counts['ok']} passed, {counts['not ok']} failed, "
          f"{skipped} skipped")
    return 1 if counts["not ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
