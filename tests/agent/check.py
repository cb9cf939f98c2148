#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the agent harms no program, and says what programs do.

usage: check.py BUILD PROGRAMS SECONDS

Prints "ok NAME", "not ok NAME" or "skip NAME" with figures, and the sum.
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MS = 10
BUILD, PROGRAMS, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
OTPROF = os.path.join(BUILD, "otprof")
AGENT = os.path.join(BUILD, "libotprof-agent.so")
TORTURE = os.path.join(PROGRAMS, "torture")
counts = {"ok": 0, "not ok": 0, "skip": 0}


def say(result, name, figures=""):
    word = {True: "ok", False: "not ok"}.get(bool(result), result)
    if result is None:
        word = "skip"
    counts[word] += 1
    print(f"{word} {name}: {figures}" if figures else f"{word} {name}",
          flush=True)


def agent_env(path, ms=MS, **more):
    return {**os.environ, "LD_PRELOAD": AGENT, "OTPROF_PROGRAM": OTPROF,
            "SPLUNK_PROFILER_ENABLED": "true", "OTPROF_AGENT_REPORT": "1",
            "SPLUNK_PROFILER_CALL_STACK_INTERVAL": str(ms),
            "OTPROF_AGENT_OUTPUT": f"file:{path}", **more}


def is_written(path):
    """Waits for the helper, which goes on when its program has ended."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if os.path.exists(path):
            return True
        time.sleep(0.02)
    return False


class Samples:
    """Samples of a file: thread name, state, quality, span, functions."""

    def __init__(self, path):
        run = subprocess.run([OTPROF, "convert", path, "-t", "otlp-json", "-o",
                              "-"], check=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
        data = json.loads(run.stdout)
        self.words = data["dictionary"]
        self.text = self.words["stringTable"]
        self.samples = []
        for resource in data["resourceProfiles"]:
            for scope in resource["scopeProfiles"]:
                for profile in scope["profiles"]:
                    for sample in profile["samples"]:
                        self.add(sample)

    def add(self, sample):
        words = self.words
        labels = {}
        for i in sample.get("attributeIndices", []):
            entry = words["attributeTable"][i]
            labels[self.text[entry["keyStrindex"]]] = next(
                iter(entry["value"].values()))
        names = []
        stack = words["stackTable"][sample.get("stackIndex", 0)]
        for i in stack.get("locationIndices", []):
            for line in words["locationTable"][i].get("lines", []):
                function = words["functionTable"][line["functionIndex"]]
                names.append(self.text[function["nameStrindex"]])
        link = words["linkTable"][sample.get("linkIndex", 0)]
        labels["span"] = link.get("spanId")
        labels["trace"] = link.get("traceId")
        labels["names"] = names
        nr = len(sample.get("timestampsUnixNano", [])) or int(
            sample.get("values", [1])[0])
        self.samples.append((labels, nr))

    def count(self, wanted=lambda labels: True):
        return sum(nr for labels, nr in self.samples if wanted(labels))

    def complete(self):
        """The share of stacks that begin where a thread begins."""
        return self.count(lambda l: "otprof.stack.end" not in l) \
            / max(1, self.count())


# --- torture ---

def torture(folder, what, *args, said=None, ms=MS, env=None):
    """Runs it in the agent; what it must have said, as a regular expression."""
    path = os.path.join(folder, f"{what}-%p-%t.otlp")
    run = subprocess.Popen([TORTURE, what, str(SECONDS), *args], cwd=folder,
                           env=env or agent_env(path, ms),
                           stderr=subprocess.PIPE, text=True)
    try:
        text = run.communicate(timeout=SECONDS + 60)[1]
    except subprocess.TimeoutExpired:
        run.kill()
        say(False, what, "hangs")
        return None, ""
    figures = f"status {run.returncode}"
    complaint = [line for line in text.splitlines()
                 if not line.startswith("otprof agent:")]
    if complaint:
        figures += f", {len(complaint)} times like '{complaint[0]}'"
    report = re.findall(r"otprof agent: (\d+ samples in .*)", text)
    if report:
        figures += f"; {report[-1]}"
    good = run.returncode == 0
    if said and not re.search(said, text):
        good = False
        figures += f"; it did not say '{said}' but '{text[-300:]}'"
    say(good, f"{what}{'-' + args[0] if args and '/' not in args[0] else ''}",
        figures)
    files = glob.glob(os.path.join(folder, f"{what}-*.otlp"))
    return files, text


def all_torture(folder):
    library = os.path.join(PROGRAMS, "library.so")
    taken = r"the program has taken signal \d+"
    for what, args, said in (
            ("eintr", (), None), ("dl", (library,), None),
            ("threads", (), None), ("fork", (library,), None),
            ("fork-only", (), None), ("exec", (), None),
            ("block", (), None), ("sigprof", (), None), ("take", (), taken),
            ("altstack", (), None),
            ("seccomp", (), "process_vm_readv is not allowed here"),
            ("seccomp", ("later",), None),
            ("idle-1000", (), None), ("few-files", (), None),
            ("files", (), "has closed descriptors")):
        torture(folder, what, *args, said=said)
    files, _ = torture(folder, "recursion", "3000")
    samples = Samples(files[0])
    deepest = max((len(l["names"]) for l, _ in samples.samples), default=0)
    marked = samples.count(
        lambda l: l.get("otprof.stack.end") == "too many frames")
    say(deepest >= 1000 and marked == samples.count(), "recursion-is-marked",
        f"{deepest} frames, {marked} of {samples.count()} marked as cut")
    files, _ = torture(folder, "block")
    samples = Samples(files[0])
    marked = samples.count(
        lambda l: l.get("otprof.stack.end") == "the thread blocks the signal")
    say(marked > 0.4 * samples.count(), "block-is-marked",
        f"{marked} of {samples.count()}")


# --- the helper ---

def helper_of(pid):
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if words[1:4] == [b"agent", b"--pid", str(pid).encode()]:
            return int(entry)
    return None


def with_helper(folder, name, what, *args, ms=MS):
    """Starts a program; gives it and its helper, when that has begun."""
    path = os.path.join(folder, f"{name}.otlp")
    run = subprocess.Popen([TORTURE, what, str(SECONDS + 2), *args],
                           env=agent_env(path, ms), stderr=subprocess.PIPE,
                           text=True)
    end = time.monotonic() + 10
    while not helper_of(run.pid) and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.5)
    return run, helper_of(run.pid), path


def helper_killed(folder):
    run, helper, _ = with_helper(folder, "killed", "busy")
    os.kill(helper, signal.SIGKILL)
    text = run.communicate(timeout=SECONDS + 60)[1]
    say(run.returncode == 0 and "the helper has ended" in text,
        "helper-killed", text.strip())


def helper_stopped(folder):
    """The ring is full after a while: samples are lost, and counted."""
    run, helper, _ = with_helper(folder, "stopped", "recursion", "900", ms=1)
    os.kill(helper, signal.SIGSTOP)
    time.sleep(SECONDS)
    os.kill(helper, signal.SIGCONT)
    text = run.communicate(timeout=SECONDS + 60)[1]
    lost = re.search(r"(\d+) samples lost", text)
    say(run.returncode == 0 and lost and int(lost[1]) > 0, "helper-stopped",
        text.strip())


# --- nothing when off ---

def calls(folder, env):
    """System calls of a program, and the objects that it maps."""
    log = os.path.join(folder, "strace")
    run = subprocess.run(["strace", "-f", "-o", log, "/bin/cat",
                          "/proc/self/maps"], env=env, check=True,
                         stdout=subprocess.PIPE, text=True)
    with open(log, encoding="utf-8", errors="replace") as f:
        lines = f.read().splitlines()
    objects = {line.split()[-1] for line in run.stdout.splitlines()
               if "/" in line}
    names = [re.match(r"\d+ +(\w+)", line) for line in lines]
    return [m[1] for m in names if m], objects


def off(folder):
    if not shutil.which("strace"):
        say(None, "off", "there is no strace here")
        return
    plain, before = calls(folder, dict(os.environ))
    preloaded, after = calls(folder, {**os.environ, "LD_PRELOAD": AGENT})
    more = after - before
    say(more == {AGENT}, "off-objects", f"more: {sorted(more)}")
    bad = {"clone", "clone3", "rt_sigaction", "brk", "memfd_create", "socket",
           "socketpair", "eventfd2", "prctl"}
    said = {c: (plain.count(c), preloaded.count(c)) for c in bad}
    say(all(a == b for a, b in said.values()), "off-calls", str(said))


def needs():
    text = subprocess.run(["readelf", "-d", AGENT], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    libs = set(re.findall(r"NEEDED.*\[(.*)\]", text))
    say(libs <= {"libc.so.6", "ld-linux-x86-64.so.2"}, "needs", str(libs))
    say("NODELETE" in text, "stays-loaded")
    text = subprocess.run(["readelf", "-Ws", "--dyn-syms", AGENT], check=True,
                          text=True, stdout=subprocess.PIPE).stdout
    names = {line.split()[7].split("@")[0] for line in text.splitlines()
             if re.match(r" *\d+:", line) and len(line.split()) > 7
             and line.split()[4] in ("GLOBAL", "WEAK")
             and line.split()[6] != "UND"}
    say(all(n.startswith(("otprof_", "otel_", "OTPROF")) for n in names),
        "exports", str(sorted(names)))


def secure():
    """A program with more privileges than its user ignores the variables."""
    if os.getuid() or not shutil.which("setpriv"):
        say(None, "secure", "needs root and setpriv")
        return
    where = tempfile.mkdtemp(prefix="otprof-", dir="/var/tmp")
    program = os.path.join(where, "torture")
    try:
        shutil.copy(TORTURE, program)
        os.chmod(where, 0o755)
        os.chown(program, 0, 0)
        os.chmod(program, 0o4755)
        env = agent_env(os.path.join(where, "secure.otlp"))
        run = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups",
                              "env", *[f"{k}={v}" for k, v in env.items()
                                       if k not in os.environ],
                              program, "busy", "0.5"],
                             stderr=subprocess.PIPE, text=True)
        say(run.returncode == 0 and "samples in" not in run.stderr and
            not os.path.exists(os.path.join(where, "secure.otlp")), "secure",
            run.stderr.strip()[-200:])
    finally:
        shutil.rmtree(where)


# --- truth ---

SPANS = {"sixty": "000000000000003c", "thirty": "000000000000001e",
         "ten": "000000000000000a"}


def truth(folder):
    path = os.path.join(folder, "truth.otlp")
    run = subprocess.run([os.path.join(PROGRAMS, "truth"), str(5 * SECONDS)],
                         env=agent_env(path), check=True, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    is_written(path)
    samples = Samples(path)
    spent = {}
    for line in run.stdout.splitlines():
        thread, function, seconds = line.split()
        spent.setdefault(thread, {})[function] = float(seconds)
    for thread, parts in spent.items():
        of_thread = Samples.__new__(Samples)
        of_thread.samples = [(l, nr) for l, nr in samples.samples
                             if l.get("thread.name") == thread]
        one_thread(thread, parts, of_thread)
    say(samples.complete() > 0.99, "truth-complete",
        f"{samples.complete():.2%} of {samples.count()} stacks")
    print(run.stderr.strip())


def one_thread(thread, parts, samples):
    total = samples.count()
    worst, text = 0, []
    for function, seconds in parts.items():
        wanted = seconds / sum(parts.values())
        got = samples.count(lambda l, f=function: f in l["names"]) / total
        worst = max(worst, abs(got - wanted))
        text.append(f"{function} {got:.2%} of {wanted:.2%}")
    say(worst <= 0.02, f"truth-{thread}", f"{total} samples, "
        + ", ".join(text))
    right = wrong = 0
    for labels, nr in samples.samples:
        inside = [f for f in SPANS if f in labels["names"]]
        if inside:
            good = labels["span"] == SPANS[inside[0]] and \
                labels["trace"] == "ab" + 28 * "0" + "01"
            right += nr if good else 0
            wrong += 0 if good else nr
    say(right and not wrong, f"truth-{thread}-spans",
        f"{right} right, {wrong} wrong")
    states = {}
    for labels, nr in samples.samples:
        key = labels.get("thread.state")
        states[key] = states.get(key, 0) + nr
    say(states.get(thread, 0) >= 0.97 * total, f"truth-{thread}-state",
        str(states))


# --- languages ---

def language(folder, name, command):
    if not shutil.which(command[0]):
        say(None, name, f"there is no {command[0]} here")
        return
    path = os.path.join(folder, f"{name}.otlp")
    run = subprocess.run(command, env=agent_env(path), text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=SECONDS + 60)
    if not is_written(path) or run.returncode:
        say(False, name, f"status {run.returncode}, {run.stderr[-300:]}")
        return
    samples = Samples(path)
    blocked = Samples.__new__(Samples)
    blocked.samples = [(l, n) for l, n in samples.samples
                       if l.get("thread.state") != "running"]
    say(samples.count() > 0 and "hello" in run.stdout, name,
        f"{samples.count()} samples, {samples.complete():.1%} complete; "
        f"{blocked.count()} of threads that wait, {blocked.complete():.1%}")


def languages(folder):
    language(folder, "python", ["python3", "-c", f"""
import threading, time, queue
end = time.monotonic() + {SECONDS}
def spin():
    while time.monotonic() < end: sum(range(1000))
q = queue.Queue()
threads = [threading.Thread(target=spin),
           threading.Thread(target=lambda: time.sleep({SECONDS})),
           threading.Thread(target=q.get)]
for t in threads: t.start()
threads[0].join(); q.put(1)
for t in threads: t.join()
print('hello')"""])
    language(folder, "node", ["node", "-e", f"""
const end = Date.now() + {SECONDS * 1000};
(function step() {{ for (let i = 0; i < 1e6; i++) Math.sqrt(i);
  if (Date.now() < end) setTimeout(step, 5); else console.log('hello'); }})();
"""])
    source = os.path.join(folder, "Hello.java")
    with open(source, "w", encoding="utf-8") as f:
        f.write("""public class Hello { public static void main(String[] a)
throws Exception { long end = System.currentTimeMillis() + %d;
Thread t = new Thread(() -> { try { Thread.sleep(%d); }
catch (Exception e) {} }); t.start(); double x = 0;
while (System.currentTimeMillis() < end) x += Math.sqrt(x + 1);
t.join(); System.out.println("hello " + (x > 0)); } }
""" % (SECONDS * 1000, SECONDS * 1000))
    language(folder, "java", ["java", source])


def main():
    with tempfile.TemporaryDirectory(prefix="otprof-agent-") as folder:
        needs()
        off(folder)
        secure()
        all_torture(folder)
        helper_killed(folder)
        helper_stopped(folder)
        truth(folder)
        languages(folder)
    print(f"{counts['ok']} passed, {counts['not ok']} failed, "
          f"{counts['skip']} skipped")
    return counts["not ok"] != 0


sys.exit(main())
