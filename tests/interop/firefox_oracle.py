#!/usr/bin/env python3
"""What functions weigh, by the Firefox Profiler's own code and by otprof.

profiler CLI FILE    of the profile, by @firefox-devtools/profiler-cli: a line for each function that has a self weight: name,
                     TAB, the sum over all threads. Functions without a name are one line per library.
ours TOP...          the same of what `otprof show --json --top N` printed
events SUMMARY       of `otprof show --json`: of each event its name, samples and the sum of periods, with TABs between
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

ADDRESS = re.compile(r"(?:(.*)\+)?0x[0-9a-f]+")


def show(sums):
    for name in sorted(sums):
        if round(sums[name], 6):
            print(f"{name}\t{sums[name]:g}")


def add(sums, name, library, weight):
    found = ADDRESS.fullmatch(name)
    if found:
        name = "in " + (found[1] or library or "no library")
    sums[name] = sums.get(name, 0) + weight


class Session:
    """A process of profiler-cli that has a profile loaded. It is given half a second to start, which may be too little."""

    def __init__(self, cli, path):
        self.cli = cli
        os.environ["PROFILER_CLI_SESSION_DIR"] = os.path.join(os.path.dirname(os.path.abspath(path)), "session")
        for turn in range(8):
            done = self.try_run("load", path)
            if not done.returncode:
                return
            late = re.search(r"still be running as pid (\d+)", done.stderr + done.stdout)
            if not late or turn == 7:
                raise SystemExit(f"profiler-cli load: {done.stderr or done.stdout}")
            os.kill(int(late[1]), signal.SIGTERM)
            time.sleep(1)

    def try_run(self, *args):
        return subprocess.run(["node", self.cli, *args], capture_output=True, text=True, timeout=120, check=False)

    def json(self, *args):
        done = self.try_run(*args, "--json", "--limit", "0")
        if done.returncode:
            raise SystemExit(f"profiler-cli {args[0]}: {done.stderr or done.stdout}")
        return json.loads(done.stdout)


def profiler(cli, path):
    session, sums = Session(cli, path), {}
    try:
        for thread in session.json("thread", "list")["threads"]:
            for f in session.json("thread", "functions", "--thread", thread["threadHandle"], "--include-idle")["functions"]:
                add(sums, f["name"], f.get("library"), f["selfSamples"])
    finally:
        session.try_run("stop", "--all")
    show(sums)


def rows(node):
    if isinstance(node, dict):
        if "self" in node and "name" in node:
            yield node
        else:
            for value in node.values():
                yield from rows(value)
    elif isinstance(node, list):
        for value in node:
            yield from rows(value)


def ours(*paths):
    sums = {}
    for path in paths:
        for row in rows(json.load(open(path, encoding="utf-8"))):
            add(sums, row["name"], None, int(row["self"]))
    show(sums)


def events(path):
    found = {}
    for resource in json.load(open(path, encoding="utf-8"))["resources"]:
        for scope in resource["scopes"]:
            for p in scope["profiles"]:
                event = found.setdefault(p["attributes"]["otprof.event.type"], {})
                if p["type"] == "samples":
                    event["samples"] = int(p["total"])
                    event.setdefault("periods", int(p["total"]) * int(p["period"]))
                else:
                    event["periods"] = int(p["total"])
    for name in sorted(found):
        print(name, found[name]["samples"], found[name]["periods"], sep="\t")


if __name__ == "__main__":
    {"profiler": profiler, "ours": ours, "events": events}[sys.argv[1]](*sys.argv[2:])
