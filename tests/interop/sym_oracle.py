#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names and lines of addresses, as binutils and LLVM give them.

make BINARY COUNT SEED      an OTLP/JSON profile with addresses of its code
check BINARY PROFILE WHAT   compares a symbolized profile with theirs:
                            names (readelf), lines (llvm-symbolizer),
                            text (c++filt)
same PROFILE PROFILE        compares two symbolized profiles of the same Go
                            code, one by DWARF and one by its own table
"""
import bisect
import json
import random
import re
import subprocess
import sys


def run(*args, text=None):
    done = subprocess.run(args, capture_output=True, text=True, input=text,
                          errors="replace")
    if done.returncode:
        raise SystemExit(f"{args[0]}: {done.stderr[:200]}")
    return done.stdout


class Symbols:
    """Functions of .symtab and .dynsym: start -> (end, names)."""

    def __init__(self, binary):
        self.at = {}
        for line in run("readelf", "-sW", binary).splitlines():
            f = line.split()
            if len(f) < 8 or f[3] not in ("FUNC", "IFUNC") or f[6] == "UND":
                continue
            start, size = int(f[1], 16), int(f[2], 0)
            end, names = self.at.get(start, (0, set()))
            names.add(" ".join(f[7:]).split("@")[0])
            self.at[start] = max(end, start + size), names
        self.starts = sorted(self.at)

    def names(self, address):
        """Of the innermost symbols with a size that have the address."""
        i = bisect.bisect_right(self.starts, address)
        for start in reversed(self.starts[max(0, i - 200):i]):
            if self.at[start][0] > address:
                return self.at[start][1]
        return set()


def code_sections(binary):
    for line in run("readelf", "-SW", binary).splitlines():
        m = re.match(r"\s*\[\s*\d+\] (\S+)\s+PROGBITS\s+(\w+) \w+ (\w+) \w+\s+"
                     r"(\w+)", line)
        if m and "X" in m[4]:
            yield m[1], int(m[2], 16), int(m[3], 16)


def build_id(binary):
    m = re.search(r"Build ID: (\w+)", run("readelf", "-n", binary))
    return m[1] if m else ""


def addresses(binary, count, seed):
    rng = random.Random(seed)
    sections = [s for s in code_sections(binary) if s[2]]
    weights = [s[2] for s in sections]
    picked = set()
    for _, start, size in rng.choices(sections, weights, k=count):
        picked.add(start + rng.randrange(size))
    return sorted(picked)


def profile(binary, count, seed):
    picked = addresses(binary, count, seed)
    strings = ["", "samples", "count", binary,
               "process.executable.build_id.gnu", build_id(binary)]
    attrs = [0] if not strings[5] else [1]
    return {
        "resourceProfiles": [{"scopeProfiles": [{"profiles": [{
            "sampleType": {"typeStrindex": 1, "unitStrindex": 2},
            "samples": [{"stackIndex": 1, "values": ["1"]}]}]}]}],
        "dictionary": {
            "stringTable": strings,
            "mappingTable": [{}, {"filenameStrindex": 3,
                                  "attributeIndices": attrs}],
            "locationTable": [{}] + [{"mappingIndex": 1, "address": str(a)}
                                     for a in picked],
            "functionTable": [{}], "linkTable": [{}],
            "attributeTable": [{}, {"keyStrindex": 4, "value":
                                    {"stringValueStrindex": 5}}],
            "stackTable": [{}, {"locationIndices":
                                list(range(1, len(picked) + 1))}],
        }}


def frames(path):
    """address -> [(name, linker's name, file, line)], innermost first."""
    with open(path, encoding="utf-8") as f:
        d = json.load(f)["dictionary"]
    strings, functions = d["stringTable"], d["functionTable"]
    out = {}
    for loc in d["locationTable"][1:]:
        rows = []
        for line in loc.get("lines", []):
            f = functions[line.get("functionIndex", 0)]
            name = strings[f.get("nameStrindex", 0)]
            system = strings[f.get("systemNameStrindex", 0)] or name
            rows.append((name, system, strings[f.get("filenameStrindex", 0)],
                         int(line.get("line", 0))))
        out[int(loc["address"])] = rows
    return out


def check_names(binary, got):
    symbols = Symbols(binary)
    wrong = []
    named = 0
    for address, rows in got.items():
        want = symbols.names(address)
        name = rows[-1][1] if rows else None
        named += name is not None
        if want and name not in want:
            wrong.append(f"{address:#x}: {name}, not {sorted(want)[:3]}")
    return named, wrong


def symbolizer(binary, picked):
    """address -> [(function, file, line)] by llvm-symbolizer."""
    text = run("llvm-symbolizer-14", "--obj=" + binary, "--inlines",
               "--functions=linkage", "--no-demangle", "--output-style=JSON",
               text="".join(f"{a:#x}\n" for a in picked))
    out = {}
    for line in text.splitlines():
        row = json.loads(line)
        out[int(row["Address"], 16)] = [
            (s["FunctionName"], s["FileName"], s["Line"])
            for s in row["Symbol"]]
    return out


def same_frame(mine, theirs):
    """Lines must be the same; so must names of the linker's. Where DWARF has
    only the name in the source, symbolizers make do with another."""
    if mine[3] != theirs[2]:
        return False
    return (mine[1] == theirs[0] or not theirs[0].startswith("_")
            or not mine[1].startswith("_"))


def check_lines(binary, got):
    """Lines of every frame, and names of the inlined ones."""
    want = symbolizer(binary, got)
    wrong = []
    known = 0
    for address, rows in got.items():
        theirs = want.get(address, [])
        # Between functions there is only padding.
        if not rows or not theirs or not theirs[0][2]:
            continue
        known += 1
        last = len(theirs) - 1
        theirs[last] = ("",) + theirs[last][1:]
        if len(rows) != len(theirs) or not all(map(same_frame, rows, theirs)):
            wrong.append(f"{address:#x}: {[(r[1], r[3]) for r in rows][:4]}, "
                         f"not {[(t[0], t[2]) for t in theirs][:4]}")
    return known, wrong


def check_text(_, got):
    pairs = sorted({(r[1], r[0]) for rows in got.values() for r in rows
                    if r[1].startswith(("_Z", "_R"))})
    if not pairs:
        return 0, []
    text = run("c++filt", "-i", text="".join(p[0] + "\n" for p in pairs))
    wrong = [f"{p[0]}: {p[1]}, not {t}"
             for p, t in zip(pairs, text.splitlines()) if p[1] != t]
    return len(pairs), wrong


def go_name(name):
    """As the table has it: without type arguments and calling conventions."""
    name = re.sub(r"\[.*\]", "[...]", name).replace("\u00b7", ".")
    return name.removesuffix(".abi0")


def check_same(dwarf, table):
    """Generated code has no line in DWARF."""
    wrong = []
    for address, rows in frames(dwarf).items():
        a = [(go_name(r[0]), r[3]) for r in rows]
        b = [(go_name(r[0]), r[3]) for r in table[address]]
        if len(a) != len(b) or any(x[0] != y[0] or x[1] not in (0, y[1])
                                   for x, y in zip(a, b)):
            wrong.append(f"{address:#x}: {b[:4]}, not {a[:4]}")
    return len(table), wrong


def main():
    if sys.argv[1] == "make":
        json.dump(profile(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])),
                  sys.stdout)
        return
    if sys.argv[1] == "same":
        sys.argv.append("same")
    _, _, binary, path, what = sys.argv
    checks = {"names": check_names, "lines": check_lines, "text": check_text,
              "same": check_same}
    got = frames(path)
    known, wrong = checks[what](binary, got)
    print(f"{what}: {known} of {len(got)} known, {len(wrong)} differ")
    for text in wrong[:5]:
        print(text[:400])
    # Two of a thousand may be what DWARF readers see differently.
    sys.exit(len(wrong) * 500 > known)


main()
