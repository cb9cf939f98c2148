#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the agent harms no program, and says what programs do.

usage: check.py BUILD PROGRAMS SECONDS

Prints "ok NAME", "not ok NAME" or "skip NAME" with figures, and the sum.
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from harness import (AGENT, MS, PROGRAMS, Samples, TORTURE, agent_env, counts,
                     helper_of, is_written, say)

SECONDS = float(sys.argv[3])


# --- torture ---

def torture(folder, what, *args, said=None, ms=MS, has_memory=False,
            has_agent=True):
    """Runs it with the agent, or lets it start that; what it must have said,
    as a regular expression."""
    path = os.path.join(folder, f"{what}-%p-%t.otlp")
    memory = {"SPLUNK_PROFILER_MEMORY_ENABLED": "true"} if has_memory else {}
    env = agent_env(path, ms, **memory)
    if not has_agent:
        del env["SPLUNK_PROFILER_ENABLED"]
    run = subprocess.Popen([TORTURE, what, str(SECONDS), *args], cwd=folder,
                           env=env, stderr=subprocess.PIPE, text=True)
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
    name = what + ("-" + args[0] if args and "/" not in args[0] else "") \
        + ("-memory" if has_memory else "")
    say(good, name, figures)
    files = glob.glob(os.path.join(folder, f"{what}-*.otlp"))
    return files, text


def all_torture(folder):
    library = os.path.join(PROGRAMS, "library.so")
    taken = r"the program has installed a handler for signal \d+"
    for what, args, said in (
            ("eintr", (), None), ("dl", (library,), None),
            ("threads", (), None), ("fork", (library,), None),
            ("fork-only", (), None), ("exec", (), None),
            ("block", (), None), ("sigprof", (), None), ("take", (), taken),
            ("altstack", (), None), ("await-signals", (), None),
            ("reaper", (), None),
            ("seccomp", ("later",), None),
            ("idle-1000", (), None), ("few-files", (), None),
            ("files", (), None), ("lowest", (), None),
            ("file-size", (), "cannot resize a memory file: File too large")):
        _, text = torture(folder, what, *args, said=said)
        if what == "files":
            say("descriptors" not in text, "files-are-separate")
    torture(folder, "files", "shared", said="has closed descriptors",
            has_agent=False)
    torture(folder, "seccomp", said="process_vm_readv is not allowed here",
            has_agent=False)
    if os.getuid():
        say(None, "root", "needs root")
    else:
        _, text = torture(folder, "root")
        say("cannot be listed" not in text, "root-is-separate")
        torture(folder, "pid-space", said="is not that of this PID namespace")
        files, _ = torture(folder, "user")
        samples = Samples(files[0])
        marked = samples.count(lambda l: l.get("thread.name") == "waits" and
                               "does not say" in l.get("otprof.stack.end", ""))
        say(marked > 0, "user-is-marked", f"{marked} of {samples.count()}")
    for what, args in (("alloc", ()), ("dl", (library,)), ("fork", (library,))):
        torture(folder, what, *args, has_memory=True)
    killed = "a seccomp filter of this process ends programs"
    torture(folder, "seccomp-kill", said=killed, has_agent=False)
    torture(folder, "seccomp-kill", "exec", has_agent=False)
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
    # On a busy machine rounds are missing, and what was then is not known.
    rounds = sum(parts.values()) * 1000 / MS
    missing = max(0, 1 - total / rounds)
    say(worst <= 0.02 + missing, f"truth-{thread}", f"{total} samples of "
        f"{rounds:.0f} rounds, " + ", ".join(text))
    right, wrong = samples.spans()
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
