#!/usr/bin/env python3
"""Totals of viewers' files, by another hand.

totals SUMMARY          of `otprof show --json`: a line for each unit of speedscope's, TAB, the total; trace: all as microseconds;
                        values: as they are, without the period
sums                    the same of what speedscope_import.js prints (on stdin)
cpuprofile FILE         the nanoseconds of a CPU profile of V8
gecko                   of `otprof show --raw` (on stdin): the microseconds from each sample with a function f... to the next, like sums
nested FILE OLD COUNTS  writes a CPU profile in the older form, with times and without; prints the total of the latter like sums
heapprofile FILE        the bytes of a heap profile of V8, like sums
firefox FILE            checks a processed profile as its viewer's types have it, and prints the totals like sums
"""
import json
import sys
from fractions import Fraction

UNITS = {"nanoseconds": "nanoseconds", "bytes": "bytes"}
# The columns that version 48 must have.
TABLES = {
    "samples": {"stack", "time", "weight"},
    "stackTable": {"frame", "prefix", "category", "subcategory"},
    "frameTable": {"address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID",
                   "implementation", "line", "column"},
    "funcTable": {"name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber", "columnNumber"},
    "resourceTable": {"lib", "name", "host", "type"},
    "nativeSymbols": {"libIndex", "address", "name", "functionSize"},
    "markers": {"data", "name", "startTime", "endTime", "phase", "category"},
}


def show(totals):
    for unit in sorted(totals):
        print(f"{unit}\t{totals[unit]}")


def profiles(node):
    if isinstance(node, dict):
        if "total" in node and "unit" in node:
            yield node
        else:
            for value in node.values():
                yield from profiles(value)
    elif isinstance(node, list):
        for value in node:
            yield from profiles(value)


def totals(path, kind):
    sums = {}
    for p in profiles(json.load(open(path))):
        unit, total = p["unit"], int(p["total"])
        # A count of samples taken at a period of time is shown as that time.
        if kind != "values" and unit == "count" and p["period_unit"] == "nanoseconds" and p["period"] > 0:
            unit, total = "nanoseconds", total * p["period"]
        unit = "time" if kind == "trace" else UNITS.get(unit, "none")
        sums[unit] = sums.get(unit, 0) + total
    show(sums)


def sums(kind):
    found = {}
    for line in sys.stdin.read().splitlines():
        _, unit, value = line.split("\t")
        unit, scale = ("time", 1000) if kind == "trace" else (unit, 1)
        found[unit] = found.get(unit, 0) + float(value) * scale
    show({unit: round(value) for unit, value in found.items()})


def cpuprofile(path):
    p = json.load(open(path))
    root = {n["id"] for n in p["nodes"] if n["callFrame"]["functionName"] == "(root)"}
    times, now = [], p["startTime"]
    for delta in p["timeDeltas"]:
        now += delta
        times.append(max(now, times[-1]) if times else now)
    times.append(max(p["endTime"], times[-1]))
    print(1000 * sum(times[i + 1] - times[i] for i, node in enumerate(p["samples"]) if node not in root))


def gecko():
    samples = []
    for line in sys.stdin.read().splitlines():
        fields = line.split("\t")
        samples += [(int(at), '"f' in fields[6]) for at in fields[3].split(",")]
    samples.sort()
    show({"time": round(sum(b[0] - a[0] for a, b in zip(samples, samples[1:]) if a[1]) / 1000)})


def nested(path, old, counts):
    p = json.load(open(path))
    nodes = {}
    for n in p["nodes"]:
        frame = n["callFrame"]
        nodes[n["id"]] = {"functionName": frame["functionName"], "url": frame["url"], "lineNumber": frame["lineNumber"],
                          "id": n["id"], "scriptId": 0, "hitCount": p["samples"].count(n["id"]), "children": []}
    for n in p["nodes"]:
        nodes[n["id"]]["children"] = [nodes[c] for c in n.get("children", [])]
    times, now = [], p["startTime"]
    for delta in p["timeDeltas"]:
        now += delta
        times.append(max(now, times[-1]) if times else now)
    profile = {"typeId": "CPU", "head": nodes[p["nodes"][0]["id"]], "startTime": p["startTime"] // 1000000,
               "endTime": p["endTime"] // 1000000}
    json.dump(profile, open(counts, "w"))
    json.dump(dict(profile, samples=p["samples"], timestamps=times), open(old, "w"))
    show({"none": len(p["samples"])})


def heapprofile(path):
    total, left = 0, [json.load(open(path))["head"]]
    while left:
        node = left.pop()
        total += node["selfSize"]
        left += node["children"]
    show({"bytes": total})


def check_thread(t):
    for name, columns in TABLES.items():
        table = t[name]
        assert columns <= table.keys(), f"{name} lacks {columns - table.keys()}"
        for column in columns:
            assert len(table[column]) == table["length"], f"{name}.{column}"
    stacks, frames, funcs = t["stackTable"], t["frameTable"], t["funcTable"]
    assert all(p is None or 0 <= p < i for i, p in enumerate(stacks["prefix"]))
    assert all(s is None or 0 <= s < stacks["length"] for s in t["samples"]["stack"])
    assert all(0 <= f < frames["length"] for f in stacks["frame"])
    assert all(0 <= f < funcs["length"] for f in frames["func"])
    assert all(0 <= s < len(t["stringArray"]) for s in funcs["name"])
    assert all(s is None or 0 <= s < len(t["stringArray"]) for s in funcs["fileName"])
    assert len(set(t["stringArray"])) == len(t["stringArray"])
    assert t["samples"]["time"] == sorted(t["samples"]["time"])
    assert isinstance(t["pid"], str)


def firefox(path):
    p = json.load(open(path), parse_float=Fraction)
    assert p["meta"]["preprocessedProfileVersion"] == 48
    assert p["meta"]["categories"][0]["subcategories"]
    found = {}
    for t in p["threads"]:
        check_thread(t)
        unit, scale = {"tracing-ms": ("nanoseconds", 10**6), "bytes": ("bytes", 1)}.get(t["samples"]["weightType"],
                                                                                        ("none", 1))
        found[unit] = found.get(unit, 0) + sum(t["samples"]["weight"]) * scale
    show(found)


if __name__ == "__main__":
    {"totals": totals, "sums": sums, "cpuprofile": cpuprofile, "nested": nested, "heapprofile": heapprofile,
     "firefox": firefox, "gecko": gecko}[sys.argv[1]](*sys.argv[2:])
