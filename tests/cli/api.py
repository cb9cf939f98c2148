# SPDX-License-Identifier: Apache-2.0
"""Asks the API of otprof view, and compares with what the commands print.

    api.py write SEED >FILE      makes a profile (OTLP JSON)
    api.py ask FILE FILE         prints "ok NAME" or "not ok NAME: why" a case
"""
import json
import os
import random
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

START = 1714566600 * 10**9
SPAN = 3 * 10**9
THREADS, STACKS = 4, 12
OTPROF = os.environ.get("OTPROF", "otprof")


# --- a profile ---

def sample(rng, nr, most, links):
    times = sorted(START + rng.randrange(SPAN) for _ in range(nr))
    thread = rng.randrange(THREADS)
    return {"stackIndex": 1 + rng.randrange(STACKS), "linkIndex": rng.randrange(links),
            "attributeIndices": [1 + 2 * thread, 2 + 2 * thread],
            "values": [str(1 + rng.randrange(most)) for _ in times],
            "timestampsUnixNano": [str(t) for t in times]}


def profile(rng, kind, nr, most):
    return {"sampleType": {"typeStrindex": kind, "unitStrindex": 2},
            "timeUnixNano": str(START), "durationNano": str(SPAN),
            "samples": [sample(rng, 1 + rng.randrange(nr), most, 4) for _ in range(40)]}


def write(seed):
    rng = random.Random(seed)
    strings = ["", "cpu", "nanoseconds", "off_cpu", "thread.name", "thread.id"]
    strings += ["f%d" % i for i in range(8)]
    attrs = [{}]
    for i in range(THREADS):
        attrs.append({"keyStrindex": 4, "value": {"stringValue": "worker %d" % i}})
        attrs.append({"keyStrindex": 5, "value": {"intValue": str(100 + i)}})
    links = [{}] + [{"traceId": "%032x" % (i // 2 + 1), "spanId": "%016x" % (i + 1)} for i in range(3)]
    stacks = [{}] + [{"locationIndices": [1 + rng.randrange(8) for _ in range(1 + rng.randrange(6))]}
                     for _ in range(STACKS)]
    json.dump({"resourceProfiles": [{"scopeProfiles": [{"profiles": [
        profile(rng, 1, 9, 9000000), profile(rng, 3, 3, 70000000)]}]}],
        "dictionary": {"mappingTable": [{}], "stringTable": strings, "linkTable": links,
                       "locationTable": [{}] + [{"lines": [{"functionIndex": 1 + i, "line": str(10 + i)}]}
                                                for i in range(8)],
                       "functionTable": [{}] + [{"nameStrindex": 6 + i} for i in range(8)],
                       "attributeTable": attrs, "stackTable": stacks}}, sys.stdout)


# --- the server and the commands ---

class Page:
    def __init__(self, *files):
        self.process = subprocess.Popen([OTPROF, "view", "--no-browser", *files], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        found = re.search(r"http://\S+/", self.process.stdout.readline())
        if not found:
            why = self.process.stderr.read().strip()
            print("skip api/asked: %s" % why)
            sys.exit("built without libevent" not in why)
        self.address = found.group(0)
        self.events = urllib.request.urlopen(self.address + "api/events")

    def ask(self, name, **params):
        params = {k.replace("__", "."): v for k, v in params.items()}
        try:
            with urllib.request.urlopen(self.address + "api/%s?%s" % (name, urllib.parse.urlencode(params))) as r:
                text = r.read()
                return json.loads(text) if r.headers["Content-Type"].startswith("application/json") else text
        except urllib.error.HTTPError as e:
            return dict(json.loads(e.read()), status=e.code)

    def end(self):
        self.events.close()
        self.process.terminate()
        self.process.wait()


def run(*args):
    return json.loads(subprocess.run([OTPROF, *args], check=True, stdout=subprocess.PIPE).stdout)


def check(name, got, want):
    if got == want:
        print("ok api/%s" % name)
    else:
        print("not ok api/%s: %s" % (name, ("is %r, not %r" % (got, want))[:300].replace("\n", " ")))


# --- the answers in the form of the commands ---

def tree_sums(answer):
    """The self of each function and the sum of all."""
    sums, strings, frames = {}, answer["strings"], answer["frames"]
    nodes = answer["nodes"]
    for i in range(0, len(nodes), 3):
        name = strings[frames[4 * nodes[i + 1]]]
        sums[name] = sums.get(name, 0) + nodes[i + 2]
    return {k: v for k, v in sums.items() if v}


def flats(rows, key="flat"):
    return {r["name"]: r[key] for r in rows if r[key]}


# Parameters, and the options that mean the same.
SELECTIONS = {
    "all": ({}, []),
    "thread": ({"where": "thread=\"worker 1 (101)\""}, ["--where", "thread.id=101"]),
    "range": ({"from": "+1s", "to": "+2s"}, ["--from", "+1s", "--to", "+2s"]),
    "focus": ({"focus": "f3"}, ["--focus", "f3"]),
    "hide": ({"hide": "f3", "collapse": "1"}, ["--hide", "f3", "--collapse-recursion"]),
    "waits": ({"type": "off_cpu"}, ["--type", "off_cpu"]),
    "waits-range": ({"type": "off_cpu", "from": "+1s"}, ["--type", "off_cpu", "--from", "+1s"]),
}


def calls(page, one, name, params, options):
    top = run("top", "--json", "-n", "0", *options, one)
    got = page.ask("top", file=0, **params)
    check(name + "-top", [(r["name"], r["flat"], r["cum"]) for r in got["rows"]],
          [(r["name"], r["flat"], r["cum"]) for r in top["rows"]])
    check(name + "-total", got["total"], top["total"])
    flame = page.ask("flame", file=0, **params)
    check(name + "-flame", tree_sums(flame), flats(top["rows"]))
    check(name + "-flame-total", flame["total"], top["total"])
    by = run("top", "--json", "-n", "0", "--by", "thread", *options, one)
    got = page.ask("values", file=0, label="thread", **params)
    check(name + "-values", [(v["text"], v["value"]) for v in got["values"]],
          [(r["thread"], r["value"]) for r in by["rows"]])
    peek = run("peek", "--json", "f[12]", *options, one)
    got = page.ask("peek", file=0, function="f[12]", **params)
    check(name + "-peek", got["functions"], peek["functions"])


def times(page, one, name, params, options):
    series = run("stat", "--series", "--by", "thread", "--buckets", "30", "--json", "-n", "0", *options, one)
    got = page.ask("series", file=0, by="thread", columns=30, limit=100, **params)
    want = {}
    for r in series["rows"]:
        want.setdefault(r["thread"], []).append((r["value"], r["observations"]))
    check(name + "-series", {s["text"]: list(zip(s["values"], s["counts"])) for s in got["series"]},
          {k: [tuple(x) for x in v] for k, v in want.items()})
    heat = run("stat", "--heatmap", "--column", "500ms", "--fractions", "5", "--json", *options, one)
    cells = page.ask("heatmap", file=0, rows=5, width=500000000, **params)
    check(name + "-heatmap", list(zip(cells["values"], cells["counts"])),
          [(r["value"], r["observations"]) for r in heat["rows"]])
    check(name + "-counts", sum(cells["counts"]), sum(sum(s["counts"]) for s in got["series"]))
    chart = page.ask("chart", file=0, **params)
    check(name + "-chart", chart["shown"], chart["nr"])
    # A chart has intervals that only reach into the range, too.
    check(name + "-chart-count", chart["nr"], sum(cells["counts"]))
    threads = run("stat", "--threads", "--json", "-n", "0", *options, one)
    lanes = page.ask("lanes", file=0, columns=10, intervals="type" if "type" in params else "all", **params)
    states = [s["text"] for s in lanes["states"]]
    check(name + "-lanes", [(lane["thread"], states[p["state"]], p["time"], p["points"])
                            for lane in lanes["lanes"] for p in lane["parts"]],
          [(r["thread"], r["state"], r["state_nano"], r["points"]) for r in threads["rows"]])
    for lane in lanes["lanes"][:1]:
        rest = dict(params)
        where = ",".join(w for w in (rest.pop("where", ""), lane["where"]) if w)
        check(name + "-lane-where", page.ask("lanes", file=0, where=where, columns=10,
                                             intervals="type" if "type" in params else "all", **rest)["nr"], 1)


def differences(page, one, two):
    diff = run("diff", "--json", "--by", "function", "--top", "1000", one, two)
    top = page.ask("top", file=1, before__file=0)
    check("diff-totals", (top["before_total"], top["total"]), (diff["before"], diff["after"]))
    change = {r["name"]: r["flat"] - r["before_flat"] for r in top["rows"] if r["flat"] != r["before_flat"]}
    check("diff-top", change, flats(diff["rows"]))
    check("diff-flame", tree_sums(page.ask("flame", file=1, before__file=0)), change)
    size = [abs(r["flat"] - r["before_flat"]) for r in top["rows"]]
    check("diff-order", size, sorted(size, reverse=True))
    scaled = run("diff", "--json", "--by", "function", "--normalize", "--top", "1000", one, two)
    top = page.ask("top", file=1, before__file=0, normalize=1)
    check("diff-normalized", {r["name"]: r["flat"] - r["before_flat"] for r in top["rows"]
                              if r["flat"] != r["before_flat"]}, flats(scaled["rows"]))


def spans(page, one):
    traces = page.ask("traces", file=0)
    by = {r["trace"]: r["value"] for r in run("top", "--json", "-n", "0", "--by", "trace", one)["rows"]}
    by.pop("(no trace)", None)
    check("traces", {t["trace"]: t["value"] for t in traces["traces"]}, by)
    for t in traces["traces"]:
        found = page.ask("spans", file=0, trace=t["trace"])["spans"]
        check("spans-of-%s" % t["trace"][-1], (len(found), sum(s["value"] for s in found)), (t["spans"], t["value"]))


def downloads(page, one):
    text = page.ask("download", file=0, format="folded", type="cpu", **{"where": "thread.id=101"}).decode()
    want = subprocess.run([OTPROF, "convert", "--type", "cpu", "--where", "thread.id=101", "-t", "folded", one],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    check("download", sorted(text.split("\n")), sorted(want.split("\n")))


def ask(one, two):
    page = Page(one, two)
    try:
        for name, (params, options) in SELECTIONS.items():
            calls(page, one, name, params, options)
            times(page, one, name, params, options)
        differences(page, one, two)
        spans(page, one)
        downloads(page, one)
        check("error", page.ask("flame", nosuch="1")["status"], 400)
    finally:
        page.end()


if sys.argv[1] == "write":
    write(int(sys.argv[2]))
else:
    ask(*sys.argv[2:])
