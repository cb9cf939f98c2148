#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that run for long with the agent, beside each other, while the
server that they send to is killed again and again.

usage: soak.py BUILD PROGRAMS MINUTES

Some programs run all the time: their memory, files and samples are watched, and
those of their helpers. Beside them short ones follow each other: programs that
end in many ways, helpers that are killed, builds with sanitizers. Prints "ok
NAME", "not ok NAME" or "skip NAME" with figures, and the sum.
"""
import glob
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from harness import (AGENT, BUILD, MS, OTPROF, PROGRAMS, Samples, TORTURE,
                     agent_env, counts, helper_of, is_written, say)

HOSTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hosts")
LIBRARY = os.path.join(PROGRAMS, "library.so")
SERVE = os.path.join(BUILD, "tests/serve/serve")
SECONDS = 60 * float(sys.argv[3])
LOOK_S = 5
# How long a program may take to end, and then its helper, which sends for 10 s.
END_S, HELPER_S = 60, 30
# What may be more after half of the time, for noise: bytes, share, files.
MORE_BYTES, MORE_SHARE, MORE_FILES = 4 << 20, 0.1, 4
# The heap of node is between 18 and 33 MiB, without the agent too.
HEAP_BYTES = {"node-program": 16 << 20}
# Below that memory is not compared: much of it is still warming up.
GROWTH_S = 600
# The share of calls that may be interrupted.
MORE_EINTR = 0.002
# The share of samples that may be not taken: of threads that wait for a CPU for
# more than 1,024 rounds, or until the program ends.
MORE_LATE = 0.03

# Name, output, whether allocations are sampled, the number of threads if it is
# fixed, and the command, with None for the time.
LONG = (
    ("dl", "splunk-text", False, 4, [TORTURE, "dl", None, LIBRARY]),
    ("dl-memory", "otlp", True, 4, [TORTURE, "dl", None, LIBRARY]),
    ("threads", "splunk-pprof", False, None, [TORTURE, "threads", None]),
    ("fork", "otlp,splunk-text", True, 4, [TORTURE, "fork", None, LIBRARY]),
    ("eintr", "splunk-text", False, 8, [TORTURE, "eintr", None]),
    ("sigprof", "splunk-pprof", False, 1, [TORTURE, "sigprof", None]),
    ("block", "otlp", False, 4, [TORTURE, "block", None]),
    ("altstack", "splunk-text", False, 3, [TORTURE, "altstack", None]),
    ("alloc", "otlp,splunk-pprof", True, None, [TORTURE, "alloc", None]),
    ("python", "splunk-pprof", True, None,
     ["python3", os.path.join(HOSTS, "load.py"), None]),
    ("node", "otlp", False, None,
     ["node", "--max-old-space-size=64", os.path.join(HOSTS, "load.js"),
      None]),
    ("java", "otlp", True, None,
     ["java", "-Xms64m", "-Xmx64m", os.path.join(HOSTS, "Load.java"), None]),
)
OUTPUTS = ("splunk-text", "splunk-pprof", "otlp", "otlp,splunk-text")


# --- the server ---

class Server(threading.Thread):
    """Runs for a while, is killed, and comes back."""

    ANSWERS = ("grpc=0",) * 6 + ("grpc=14", "grpc=0 delay=500", "hang",
                                 "garbage")

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.kills, self.requests, self.bad = folder, 0, 0, []
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.is_set():
            self.once()
            self.is_over.wait(random.choice((0, 1, 3, 15)))

    def once(self):
        where = tempfile.mkdtemp(dir=self.folder, prefix="served-")
        script = os.path.join(where, "script")
        with open(script, "w", encoding="utf-8") as f:
            f.write(random.choice(self.ANSWERS) + "\n")
        run = subprocess.Popen([SERVE, "--port", str(self.port), where,
                                script], stderr=subprocess.DEVNULL)
        self.is_over.wait(random.uniform(2, 25))
        run.kill()
        run.wait()
        self.kills += 1
        for head in glob.glob(os.path.join(where, "*.head")):
            if os.path.getsize(head):
                self.look(head[:-len("head")] + "body")
        shutil.rmtree(where)

    def look(self, path):
        """A request is a message of gRPC that otprof understands."""
        self.requests += 1
        with open(path, "rb") as f:
            body = f.read()
        if len(body) < 5 or body[0] or \
                int.from_bytes(body[1:5], "big") != len(body) - 5:
            self.bad.append("frame")
            return
        if self.requests % 10:
            return
        run = subprocess.run([OTPROF, "show", "-"], input=body[5:],
                             stdout=subprocess.DEVNULL, check=False,
                             stderr=subprocess.PIPE)
        if run.returncode:
            self.bad.append(run.stderr.decode(errors="replace")[-200:])


# --- programs ---

def environment(server, output, **more):
    return {**agent_env(""), "OTPROF_AGENT_OUTPUT": output,
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{server.port}",
            **more}


def memory_and_files(pid):
    """Private bytes and open files of a process; None if there is none."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii",
                  errors="replace") as f:
            kb = int(re.search(r"RssAnon:\s+(\d+)", f.read())[1])
        return kb << 10, len(os.listdir(f"/proc/{pid}/fd"))
    except (OSError, TypeError):
        return None


def where_threads_are(pid):
    for path in glob.glob(f"/proc/{pid}/task/*/syscall"):
        try:
            with open(path, encoding="ascii") as f:
                print(f"  {path}: {f.read().strip()}")
        except OSError:
            pass


def is_gone(pid):
    """Whether the helper of an ended process ends, too."""
    end = time.monotonic() + HELPER_S
    while helper_of(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


class Run:
    """A program with the agent; what it says goes to a file."""

    def __init__(self, folder, name, command, env):
        self.name = name
        self.log = os.path.join(folder, f"{name}.log")
        with open(self.log, "w", encoding="utf-8") as f:
            self.run = subprocess.Popen(command, env=env, stdout=f, stderr=f,
                                        cwd=folder)
        self.since = time.monotonic()
        self.pid = self.run.pid

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read()

    def finish(self, seconds):
        """Its status, or what is wrong with how it ended."""
        try:
            status = self.run.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            where_threads_are(self.pid)
            self.run.kill()
            self.run.wait()
            return "hangs"
        if not is_gone(self.pid):
            return "its helper is still there"
        return status

    def complaints(self):
        return [line for line in self.text().splitlines()
                if not line.startswith(("otprof agent:", "wrong: nothing"))]

    def figures(self):
        """Samples, rounds, skipped rounds and what was lost or not taken.
        Its children have helpers that say the same, of less."""
        text = self.text()
        told = re.findall(r"(\d+) samples in (\d+) rounds, (\d+) skipped",
                          text)
        lost = re.findall(r"(\d+) samples lost, (\d+) not taken", text)
        return [max(column) for column in zip(
            *([tuple(map(int, one)) for one in told] or [(0, 0, 0)]))] + \
            [max(column) for column in zip(
                *([tuple(map(int, one)) for one in lost] or [(0, 0)]))]


class LongRun(Run):
    def __init__(self, folder, server, host):
        name, output, has_memory, self.threads, command = host
        more = {"SPLUNK_PROFILER_MEMORY_ENABLED": "true"} if has_memory else {}
        command = [str(SECONDS) if word is None else word for word in command]
        super().__init__(folder, name, command,
                         environment(server, output, **more))
        self.lived, self.is_early = None, False
        self.helper, self.seen = None, {"program": [], "helper": []}

    def has_ended(self):
        if not self.lived and self.run.poll() is not None:
            self.lived = time.monotonic() - self.since
        return self.lived

    def look(self):
        self.helper = self.helper or helper_of(self.pid)
        for name, pid in (("program", self.pid), ("helper", self.helper)):
            now = memory_and_files(pid) if pid else None
            if now:
                self.seen[name].append(now)

    def check(self):
        status = self.finish(END_S)
        complaints = self.complaints()
        if self.name == "eintr":
            status, complaints = self.interrupted(status, complaints)
        say(status == 0 and not complaints, self.name,
            f"status {status}" + (f", {len(complaints)} times like "
                                  f"'{complaints[0]}'" if complaints else ""))
        if not self.lived:
            return
        self.check_samples()
        for who, seen in self.seen.items():
            self.check_growth(who, seen)

    def interrupted(self, status, complaints):
        """A thread that was asked just when it began a call is interrupted in
        it. That is rare; a thread that is blocked is never interrupted."""
        calls = re.search(r"(\d+) calls", self.text())
        nr = sum(line.endswith("(errno 4)") for line in complaints)
        rest = [line for line in complaints
                if not line.endswith(("(errno 4)", " calls"))]
        print(f"eintr: {nr} of {calls and calls[1]} calls were interrupted")
        if calls and nr <= MORE_EINTR * int(calls[1]) and status == (nr > 0):
            status = 0
        return status, rest

    def check_samples(self):
        samples, rounds, skipped, lost, late = self.figures()
        wanted = self.lived * 1000 / MS
        good = abs(rounds + skipped - wanted) <= 100 + 0.02 * wanted and \
            late <= 100 + MORE_LATE * (samples + lost + late)
        text = f"{samples} samples in {rounds} rounds, {skipped} skipped of " \
            f"{wanted:.0f}, {lost} lost, {late} not taken"
        if self.threads:
            all_of = rounds * self.threads
            share = (samples + lost + late) / max(1, all_of)
            good = good and 0.97 <= share <= 1.01
            text += f"; {share:.2%} of {self.threads} threads"
        say(good, f"{self.name}-samples", text)

    def check_growth(self, who, seen):
        """The least in the last quarter of the time and in the second one:
        what waits for the server while that is down is no leak."""
        nr = len(seen) // 4
        figures = f"at most {max(m for m, _ in seen) / 1048576:.1f} MiB" \
            if seen else "never seen"
        if SECONDS < GROWTH_S or not nr:
            say(None, f"{self.name}-{who}", "too short; " + figures)
            return
        (early, early_files), (late, late_files) = (
            [min(column) for column in zip(*part)]
            for part in (seen[nr:2 * nr], seen[-nr:]))
        more = HEAP_BYTES.get(f"{self.name}-{who}", MORE_BYTES)
        good = late - early <= max(more, MORE_SHARE * early) and \
            late_files - early_files <= MORE_FILES
        say(good, f"{self.name}-{who}",
            f"{early / 1048576:.1f} MiB, then {late / 1048576:.1f}, {figures}; "
            f"{early_files} files, then {late_files}")


# --- short programs, again and again ---

class Rotation(threading.Thread):
    """Runs each in turn until the time is over; counts what went wrong."""

    def __init__(self, folder, server, until):
        super().__init__()
        self.folder, self.server, self.until = folder, server, until
        self.results, self.right, self.wrong = {}, 0, 0
        self.all = [
            ("truth", self.truth), ("exec", self.plain("exec", 5)),
            ("fork-only", self.plain("fork-only", 3)),
            ("few-files", self.plain("few-files", 3)),
            ("recursion", self.plain("recursion", 3)),
            ("host-killed", self.host_killed),
            ("helper-killed", self.helper_killed),
            ("helper-stopped", self.helper_stopped),
        ] + [(f"{kind}-{what}", self.sanitized(kind, what, args))
             for kind in ("address", "thread")
             for what, args in (("dl", [LIBRARY]), ("threads", []),
                                ("alloc", []), ("fork", [LIBRARY]),
                                ("busy", []))]

    def run(self):
        random.shuffle(self.all)
        while time.monotonic() < self.until:
            for name, fn in self.all:
                if time.monotonic() < self.until:
                    try:
                        why = fn(name)
                    except Exception as e:  # counts like any other failure
                        why = repr(e)
                    self.results.setdefault(name, []).append(why)

    def start_one(self, name, command, **more):
        return Run(self.folder, f"short-{name}", command, environment(
            self.server, random.choice(OUTPUTS), **more))

    @staticmethod
    def verdict(run, status, wanted=0):
        """What is wrong, or None."""
        complaints = run.complaints()
        if status != wanted or complaints:
            return f"status {status}, " + "; ".join(complaints[:40])
        return None

    def plain(self, what, seconds):
        def fn(name):
            run = self.start_one(name, [TORTURE, what, str(seconds)])
            return self.verdict(run, run.finish(seconds + END_S))
        return fn

    def sanitized(self, kind, what, args):
        """Built with a sanitizer, and the helper too."""
        program = os.path.join(PROGRAMS, f"torture-{kind}")
        helper = os.path.join(BUILD, "san" if kind == "address" else "tsan",
                              "otprof")
        # In a forked child other threads cannot be stopped. What the dynamic
        # linker does looks like races, and reports of them hang in dlclose().
        more = {"ASAN_OPTIONS": f"detect_leaks={int(what != 'fork')}",
                "TSAN_OPTIONS": f"die_after_fork=0 report_bugs={int(not args)}"}
        if os.path.exists(helper):
            more["OTPROF_PROGRAM"] = helper

        def fn(name):
            if not os.path.exists(program):
                return "skip"
            with open(program + ".library", encoding="utf-8") as f:
                library = f.read().strip()
            run = self.start_one(name, [program, what, "4", *args],
                                 LD_PRELOAD=f"{library} {AGENT}",
                                 SPLUNK_PROFILER_MEMORY_ENABLED="true",
                                 **more)
            return self.verdict(run, run.finish(4 + 2 * END_S))
        return fn

    def truth(self, name):
        path = os.path.join(self.folder, "truth-%p.otlp")
        run = self.start_one(name, [os.path.join(PROGRAMS, "truth"), "15"],
                             OTPROF_AGENT_OUTPUT=f"file:{path},otlp")
        status = run.finish(15 + END_S)
        path = path.replace("%p", str(run.pid))
        if status or not is_written(path):
            return f"status {status}, {run.text()[-300:]}"
        right, wrong = Samples(path).spans()
        os.unlink(path)
        self.right += right
        self.wrong += wrong
        return None if right and not wrong else f"{wrong} of {right + wrong}"

    def with_helper(self, name):
        run = self.start_one(name, [TORTURE, "busy", "4"])
        end = time.monotonic() + 10
        while not helper_of(run.pid) and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(random.uniform(0, 1))
        return run, helper_of(run.pid)

    def host_killed(self, name):
        run, _ = self.with_helper(name)
        run.run.kill()
        return self.verdict(run, run.finish(END_S), -signal.SIGKILL)

    def helper_killed(self, name):
        run, helper = self.with_helper(name)
        os.kill(helper, signal.SIGKILL)
        why = self.verdict(run, run.finish(4 + END_S))
        return why or (None if "the helper has ended" in run.text() else
                       "it did not say that the helper has ended")

    def helper_stopped(self, name):
        run, helper = self.with_helper(name)
        os.kill(helper, signal.SIGSTOP)
        time.sleep(2)
        os.kill(helper, signal.SIGCONT)
        return self.verdict(run, run.finish(4 + END_S))

    def report(self):
        for name, results in sorted(self.results.items()):
            bad = [why for why in results if why]
            if bad == ["skip"] * len(results):
                say(None, f"short-{name}", "not built")
                continue
            say(not bad, f"short-{name}", f"{len(results)} times"
                + (f", {len(bad)} wrong: {bad[0]}" if bad else ""))
        print(f"truth: {self.right} samples with the right span, "
              f"{self.wrong} with a wrong one")


def helpers_left():
    left = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if words[0].startswith(BUILD.encode()) and words[1:2] == [b"agent"]:
            left.append(int(entry))
    return left


def main():
    with tempfile.TemporaryDirectory(prefix="otprof-soak-") as folder:
        server = Server(folder)
        server.start()
        until = time.monotonic() + SECONDS
        hosts = [LongRun(folder, server, host)
                 for host in LONG if shutil.which(host[-1][0])]
        rotation = Rotation(folder, server, until)
        rotation.start()
        while time.monotonic() < until:
            for host in hosts:
                host.look()
                if host.has_ended() and not host.is_early:
                    host.is_early = True
                    print(f"{host.name} has ended early", flush=True)
            time.sleep(min(LOOK_S, max(0, until - time.monotonic())))
        end = time.monotonic() + END_S
        while not all([host.has_ended() for host in hosts]) and \
                time.monotonic() < end:
            time.sleep(0.05)
        for host in hosts:
            host.check()
        rotation.join()
        rotation.report()
        end = time.monotonic() + HELPER_S
        while helpers_left() and time.monotonic() < end:
            time.sleep(0.5)
        say(not helpers_left(), "helpers-left", str(len(helpers_left())))
        server.is_over.set()
        server.join()
        say(server.requests and not server.bad, "server",
            f"killed {server.kills} times, {server.requests} requests"
            + (f", {len(server.bad)} bad: {server.bad[0]}"
               if server.bad else ""))
    print(f"{counts['ok']} passed, {counts['not ok']} failed, "
          f"{counts['skip']} skipped")
    return counts["not ok"] != 0


sys.exit(main())
