#!/usr/bin/env python3
"""Random profiles in the formats of the Firefox Profiler, for readers to agree on.

gecko_gen.py SEED KIND    prints a profile

KIND is raw (Gecko: rows with a schema, child processes as objects), old-raw (version 4: other processes as strings among
the threads), tools (raw inside of a recording of the developer tools, one thread) or the version of a processed profile:
29 to 59 have their tables in the threads, 60 and later share them.
"""
import json
import random
import sys

LIBS = [{"name": f"lib{i}.so", "path": f"/usr/lib/lib{i}.so", "debugName": f"lib{i}", "debugPath": f"/usr/lib/lib{i}.so",
         "breakpadId": f"{i + 1:032X}0", "codeId": None, "arch": "x86_64", "start": 4096 * (1 + 16 * i),
         "end": 4096 * (1 + 16 * i) + 8192, "offset": 0} for i in range(3)]
CATEGORIES = [{"name": "Other", "color": "grey", "subcategories": ["Other"]}]


class Thread:
    """A call tree and rows of samples, in no format yet. A frame is a function of a script or an address."""

    def __init__(self, rnd, name, pid, tid):
        self.name, self.pid, self.tid = name, pid, tid
        self.frames = [("js", f"f{i}", f"http://example.com/s{i % 3}.js", 10 * i + 1) for i in range(12)]
        self.frames += [("native", i % len(LIBS), 64 * i + 16) for i in range(8)]
        self.stacks = [(None, rnd.randrange(len(self.frames)))]
        for i in range(1, 60):
            self.stacks.append((rnd.choice([None, rnd.randrange(i)]), rnd.randrange(len(self.frames))))
        self.samples = []
        for i in range(rnd.randrange(1, 200)):
            self.samples.append((rnd.randrange(len(self.stacks)), i * 1.0 + rnd.randrange(900) / 1000, rnd.randrange(1, 9)))
        # The last has no script: speedscope wants everything to end.
        self.stacks.append((None, len(self.frames) - 1))
        self.samples.append((len(self.stacks) - 1, len(self.samples) * 1.0, 1))


def location(frame):
    if frame[0] == "js":
        return f"{frame[1]} ({frame[2]}:{frame[3]})"
    return hex(LIBS[frame[1]]["start"] + frame[2])


def raw_thread(t):
    return {"name": t.name, "tid": t.tid, "pid": t.pid, "processType": "default", "registerTime": 0, "unregisterTime": None,
            "samples": {"schema": {"stack": 0, "time": 1, "eventDelay": 2}, "data": [[s, at, 0] for s, at, _ in t.samples]},
            "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [list(s) for s in t.stacks]},
            "frameTable": {"schema": {"location": 0, "relevantForJS": 1, "innerWindowID": 2, "implementation": 3, "line": 4,
                                      "column": 5, "category": 6, "subcategory": 7},
                           "data": [[i, False, None, None, None, None, 0, 0] for i in range(len(t.frames))]},
            "stringTable": [location(f) for f in t.frames],
            "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3, "category": 4, "data": 5},
                        "data": []}}


def raw_meta(version, start):
    return {"version": version, "startTime": start, "interval": 1, "stackwalk": 1, "processType": 0, "categories": CATEGORIES,
            "markerSchema": [], "product": "Firefox", "abi": "x86_64-gcc3", "shutdownTime": None}


def raw(threads, children, start):
    return {"meta": raw_meta(24, start), "libs": LIBS, "threads": [raw_thread(t) for t in threads], "pausedRanges": [],
            "processes": [raw([t], [], start + 1000) for t in children]}


def old_raw(threads, children, start):
    inner = [json.dumps(old_raw([t], [], start + 1000)) for t in children]
    return {"meta": raw_meta(4, start), "libs": LIBS, "threads": [raw_thread(t) for t in threads] + inner}


def table(columns):
    return dict(columns, length=len(next(iter(columns.values()))))


def tables(t, strings, libs_in_frames, offsets):
    def string(text):
        if text not in strings:
            strings.append(text)
        return strings.index(text)
    js = [f[0] == "js" for f in t.frames]
    n = len(t.frames)
    prefix = [p for p, _ in t.stacks]
    column = {"prefixOffset": [0 if p is None else i - p for i, p in enumerate(prefix)]} if offsets else {"prefix": prefix}
    lib = [-1 if j else f[1] for j, f in zip(js, t.frames)]
    out = {
        "stackTable": table(dict(column, frame=[f for _, f in t.stacks], category=[0] * len(prefix),
                                 subcategory=[0] * len(prefix))),
        "frameTable": table({"address": [-1 if j else f[2] for j, f in zip(js, t.frames)], "inlineDepth": [0] * n,
                             "category": [0] * n, "subcategory": [0] * n, "func": list(range(n)),
                             "nativeSymbol": [None] * n, "innerWindowID": [0] * n, "implementation": [None] * n,
                             "line": [f[3] + 1 if j else None for j, f in zip(js, t.frames)], "column": [None] * n,
                             "optimizations": [None] * n, "originalLocation": [None] * n}),
        "funcTable": table({"name": [string(f[1] if j else hex(f[2])) for j, f in zip(js, t.frames)], "isJS": js,
                            "relevantForJS": [False] * n, "resource": lib, "address": [-1] * n,
                            "lineNumber": [f[3] if j else None for j, f in zip(js, t.frames)], "columnNumber": [None] * n,
                            "originalLocation": [None] * n}),
        "resourceTable": table({"lib": list(range(len(LIBS))), "name": [string(x["name"]) for x in LIBS],
                                "host": [None] * len(LIBS), "type": [1] * len(LIBS)}),
        "nativeSymbols": {"libIndex": [], "address": [], "name": [], "functionSize": [], "length": 0},
    }
    if libs_in_frames:
        out["frameTable"]["lib"] = lib
        del out["resourceTable"]["lib"]
    return out, [string(f[2]) if j else None for j, f in zip(js, t.frames)]


def processed(threads, version, start):
    def times(t):
        at = [x for _, x, _ in t.samples]
        if version < 50:
            return {"time": at}
        return {"timeDeltas": [round(x - y, 3) for x, y in zip(at, [0.0] + at)]}
    shared = []
    profile = {"meta": {"interval": 1, "startTime": start, "processType": 0, "product": "Firefox", "stackwalk": 1,
                        "version": 27, "preprocessedProfileVersion": version, "categories": CATEGORIES, "markerSchema": [],
                        "symbolicated": True},
               "libs": LIBS, "pages": [], "threads": []}
    for t in threads:
        rows = table(dict(times(t), stack=[s for s, _, _ in t.samples], weight=[w for _, _, w in t.samples],
                          eventDelay=[0] * len(t.samples)))
        strings = shared if version >= 56 else []
        parts, files = tables(t, strings, version >= 70, version >= 66)
        if version >= 58:
            names = sorted({f for f in files if f is not None})
            parts["funcTable"]["source"] = [None if f is None else names.index(f) for f in files]
            sources = table({"id": [None] * len(names), "uuid": [None] * len(names), "filename": names,
                             "startLine": [1] * len(names), "startColumn": [1] * len(names),
                             "sourceMapURL": [None] * len(names), "content": [None] * len(names)})
        else:
            parts["funcTable"]["fileName"] = files
        thread = {"name": t.name, "tid": t.tid, "pid": str(t.pid), "processType": "default", "processStartupTime": 0,
                  "processShutdownTime": None, "registerTime": 0, "unregisterTime": None, "pausedRanges": [],
                  "isMainThread": True, "samples": dict(rows, weightType="samples"),
                  "markers": {"data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": [], "length": 0}}
        if version < 60:
            thread.update(parts)
        if version < 56:
            thread["stringArray"] = strings
        if version < 41:
            thread["libs"] = LIBS
        profile["threads"].append(thread)
    if version >= 56:
        profile["shared"] = {"stringArray": shared}
    if version >= 58:
        profile["shared"]["sources"] = sources
    if version >= 60:
        profile["shared"].update(parts, sourceLocationTable={"source": [], "line": [], "column": [], "length": 0})
    return profile


def main(seed, kind):
    rnd = random.Random(int(seed))
    start = 1700000000000.25
    threads = [Thread(rnd, "GeckoMain", 100, 100), Thread(rnd, "Compositor", 100, 101)]
    children = [Thread(rnd, "GeckoMain", 200, 200)]
    if kind == "raw":
        out = raw(threads, children, start)
    elif kind == "old-raw":
        out = old_raw(threads, children, start)
    elif kind == "tools":
        out = {"label": "x", "duration": 1000, "markers": [], "frames": [], "profile": raw(threads[:1], [], start),
               "systemHost": {"name": "Firefox"}, "version": 2}
    else:
        # Tables that are shared are one thread's here: the others have its stacks.
        all_threads = threads + children
        if int(kind) >= 58:
            for t in all_threads[1:]:
                t.stacks, t.frames = threads[0].stacks, threads[0].frames
        out = processed(all_threads, int(kind), start)
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
