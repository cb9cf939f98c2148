# SPDX-License-Identifier: Apache-2.0
"""What the checks of the agent share: the environment of a profiled program,
the samples of a file, helpers. The arguments are BUILD and PROGRAMS, the
directories of otprof and of the programs to profile, and a time.
"""
import json
import os
import subprocess
import sys
import time

MS = 10
BUILD, PROGRAMS = sys.argv[1], sys.argv[2]
OTPROF = os.path.join(BUILD, "otprof")
AGENT = os.path.join(BUILD, "libotprof-agent.so")
TORTURE = os.path.join(PROGRAMS, "torture")
# The spans of tests/agent/truth.c, by function.
SPANS = {"sixty": "000000000000003c", "thirty": "000000000000001e",
         "ten": "000000000000000a"}
TRACE = "ab" + 28 * "0" + "01"
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

    def spans(self):
        """How many samples of the program truth have the right span, and how
        many another or none."""
        right = wrong = 0
        for labels, nr in self.samples:
            inside = [f for f in SPANS if f in labels["names"]]
            if not inside:
                continue
            good = labels["span"] == SPANS[inside[0]] and \
                labels["trace"] == TRACE
            right += nr if good else 0
            wrong += 0 if good else nr
        return right, wrong


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
