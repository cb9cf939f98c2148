#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what otprof's views say with what other programs say, number by number.

usage: views_oracle.py pprof OTPROF PPROF FILE [ORIGINAL]
                                                    top, tree, peek and list, of each sample type; by us of the file that
                                                    FILE was converted from
       views_oracle.py source OTPROF PPROF FILE FOLDER
                                                    list, with source files made in FOLDER
       views_oracle.py diff OTPROF PPROF OLD NEW    top of a difference
       views_oracle.py collapsed OTPROF FILE STACKS [--class] OPTION...
                                                    top by function, thread and class against jfrconv's stacks
       views_oracle.py perf OTPROF FILE REPORT [FUNCTION...]
                                                    top by function against perf report

What pprof does otherwise, and how it is compared all the same:
- A frame without a function is one row per binary ("[lib.so]", "<unknown>"); by line it is its address here, which is
  compared with -addresses.
- It cleans paths ("a/../b"), and shows the file alone for a function without a name.
- Samples without frames have no row there, and "(no stack)" here.
- With -files a file has as many rows as its functions have first lines, of which nothing is shown. Their flat is added
  up; cum of such files is that of our tree, whose numbers are those of pprof by function and by line.
- What adds up to 0 may have a row or none.
- A binary that has brackets of its own, as [vdso], gets more of them there.
- The name of an inlined call has " (inline)" or " (partial-inline)" behind it there.
- It takes frames that match drop_frames off stacks, and we show them. Those of these files match nothing, since they
  are of frames without names.
"""
import collections
import json
import os
import re
import subprocess
import sys

EXACT = ["-symbolize=none", "-trim=false", "-nodecount=1000000"]
ADDRESS = re.compile(r"(?:(.*)\+)?0x([0-9a-f]+)")
INLINE = re.compile(r" \((?:partial-)?inline\)$")
BRACKETS = re.compile(r"\[(\[.*\])\]$")
UNKNOWN = "<unknown>"


def fail(*lines):
    print("\n".join(lines))
    sys.exit(1)


def output(*command):
    done = subprocess.run(command, capture_output=True, env=dict(os.environ, PPROF_TMPDIR=os.environ.get("TMPDIR", ".")))
    if done.returncode:
        fail("%s: status %d" % (" ".join(command)[:300], done.returncode), done.stderr.decode(errors="replace")[-300:])
    return done.stdout.decode("utf-8", "surrogateescape")


def same(what, want, got):
    """Dictionaries of numbers; those that are all 0 need not be there."""
    def kept(rows):
        return {key: value for key, value in rows.items() if any(value if isinstance(value, tuple) else (value,))}
    want, got = kept(want), kept(got)
    wrong = sorted(key for key in want.keys() | got.keys() if want.get(key) != got.get(key))
    if wrong:
        fail("%s: %d of %d differ" % (what, len(wrong), len(want)),
             *("%r: %s, ours %s" % (key, want.get(key), got.get(key)) for key in wrong[:3]))
    return len(want)


# --- pprof

def number(text):
    """1250ns, 0, -3B, or a dot for nothing."""
    if text == ".":
        return 0
    return int(re.fullmatch(r"(-?\d+)[^\d.]*", text)[1])


def plain(name):
    return BRACKETS.sub(r"\1", INLINE.sub("", name))


ROW = re.compile(r" *(\S+) +\S+% +\S+% +(\S+) +\S+%  (.*)")
PEEK_ROW = re.compile(r" *(\S+) +\S+% +\S+% +(\S+) +\S+% +\| (.*)")
CALL_ROW = re.compile(r" +(\S+) +\S+% \|   (.*)")


class Pprof:
    def __init__(self, program, path, unit, options):
        self.program, self.path, self.unit, self.options = program, path, unit, options

    def run(self, *options):
        return output(self.program, *EXACT, "-unit=" + self.unit, *self.options, *options, self.path)

    def top(self, *options):
        rows, begun = {}, False
        self.split = set()
        for line in self.run("-top", *options).split("\n"):
            if begun and line:
                flat, cum, name = ROW.fullmatch(line).groups()
                name = plain(name)
                if name in rows:
                    self.split.add(name)
                old = rows.get(name, (0, 0))
                rows[name] = (old[0] + number(flat), old[1] + number(cum))
            begun = begun or line.split()[:2] == ["flat", "flat%"]
        return rows

    def calls(self, *options):
        """Of functions flat and cum, and of calls their value, each seen from both sides."""
        functions, seen = {}, (collections.Counter(), collections.Counter())
        for block in re.split("-{50,}[+]-+\n", self.run(*options))[2:]:
            before, name = [], None
            for line in block.split("\n"):
                row, call = PEEK_ROW.fullmatch(line), CALL_ROW.fullmatch(line)
                if call and not row:
                    value, other = number(call[1]), plain(call[2])
                    if name is None:
                        before.append((other, value))
                    else:
                        seen[1][name, other] += value
                elif row:
                    name = plain(row[3])
                    functions[name] = (number(row[1]), number(row[2]))
                elif line.strip():
                    fail("a line of pprof that is not known: " + line)
            for other, value in before:
                seen[0][other, name] += value
        if seen[0] != seen[1]:
            fail("pprof says different things of calls")
        return functions, dict(seen[0])


# --- otprof

def binary(name):
    """What pprof calls a frame without a function."""
    found = ADDRESS.fullmatch(name)
    if not found:
        return name
    return plain("[%s]" % found[1]) if found[1] else UNKNOWN


def clean(path):
    return os.path.normpath(path) if path else path


class Otprof:
    def __init__(self, program, path, options):
        self.program, self.path, self.options = program, path, options

    def run(self, command, *arguments):
        return json.loads(output(self.program, command, "--json", "--budget", "0", *self.options, *arguments, self.path))

    def top(self, by, *options):
        rows = self.run("top", "-n", "0", "--by", by, *options)["rows"]
        return {row["name"]: (row["flat"], row["cum"]) for row in rows if row["name"] != "(no stack)"}

    def paths(self, by="function"):
        """Each path of the tree with its own value."""
        pending = [(child, ()) for child in self.run("tree", "--min-share", "0", "--by", by)["children"]]
        while pending:
            node, callers = pending.pop()
            if node["name"] == "(no stack)":
                continue
            if "left_out" in node:
                fail("tree --min-share 0 leaves out %s" % node["left_out"])
            path = callers + (node["name"],)
            children = node["children"]
            if node["flat"]:
                yield path, node["flat"]
            if node["cum"] != node["flat"] + sum(child["cum"] for child in children):
                fail("%s: children do not add up" % node["name"])
            pending += [(child, path) for child in children]

    def joined(self, by="function", rename=binary):
        """Functions and calls as the tree has them, with other names: each once a path."""
        functions, calls = collections.defaultdict(lambda: (0, 0)), collections.Counter()
        for path, value in self.paths(by):
            path = tuple(map(rename, path))
            for name in set(path):
                flat, cum = functions[name]
                functions[name] = (flat + value * (name == path[-1]), cum + value)
            for call in set(zip(path, path[1:])):
                if call[0] != call[1]:
                    calls[call] += value
        return dict(functions), calls

    def peek(self):
        functions, callers, callees = {}, {}, {}
        for row in self.run("peek", ".")["functions"]:
            functions[row["name"]] = (row["flat"], row["cum"])
            for call in row["callers"]:
                callers[call["name"], row["name"]] = call["value"]
            for call in row["callees"]:
                callees[row["name"], call["name"]] = call["value"]
        same("peek: callees against callers", callers, callees)
        return functions, callers

    def list(self):
        rows = {}
        if not known(self.top("function")):
            return rows  # "no function matches"
        for function in self.run("list", ".")["functions"]:
            if function["flat"] != sum(line["flat"] for line in function["lines"]):
                fail("list: lines of %s do not add up" % function["name"])
            for line in function["lines"]:
                key = function["name"], clean(function["file"]), line.get("line", 0)
                old = rows.get(key, (0, 0))
                rows[key] = (old[0] + line["flat"], old[1] + line["cum"])
        return rows


# --- comparisons

def named(rows):
    return {name: value for name, value in rows.items() if not ADDRESS.fullmatch(name)}


def known(rows):
    return {name: value for name, value in rows.items() if name != UNKNOWN and not re.fullmatch(r"\[.*\]", name)}


def line_name(key):
    """As pprof writes a function, a file and a line."""
    name, file, line = key
    return name + (" %s:%d" % (file, line) if line else " " + file if file else "")


def our_line(name):
    return re.sub(r"(?<= )\S*/\S*:\d+$", lambda path: clean(path[0]), name)


def views(them, us):
    """Returns how many numbers were compared."""
    functions, calls = them.calls("-tree")
    peeked = them.calls("-peek=.")
    top = them.top()
    ours, our_calls = us.joined()
    nr = same("top by function, frames without one by binary", top, ours)
    nr += same("tree: functions", functions, ours)
    nr += same("tree: calls", calls, our_calls)
    if peeked != (functions, calls):
        fail("pprof's -peek differs from its -tree")
    direct = us.top("function")
    nr += same("top by function", top, direct)
    peek, peek_calls = us.peek()
    nr += same("peek: functions", direct, peek)
    nr += same("peek: calls", calls, peek_calls)
    nr += addresses(them, us.top("line"))
    nr += lines(them, us)
    nr += files(them, us)
    return nr


def addresses(them, direct):
    """Frames without a function, each by itself."""
    ours = {}
    for name, value in direct.items():
        found = ADDRESS.fullmatch(name)
        if found:
            ours[(found[1] or "").strip("[]"), int(found[2], 16)] = value
    if not ours:
        return 0
    theirs = {}
    for name, value in them.top("-addresses").items():
        found = re.fullmatch(r"(?:([0-9a-f]{16}) )?(?:\[(.*)\]|<unknown>)", name)
        if found:
            theirs[found[2] or "", int(found[1] or "0", 16)] = value
    return same("top by function: addresses", theirs, ours)


def lines(them, us):
    want = known(them.top("-lines"))
    ours, _ = us.joined("line", lambda name: our_line(binary(name)))
    nr = same("top by line", want, known(ours))
    listed = collections.defaultdict(lambda: (0, 0))
    for key, value in us.list().items():
        old = listed[line_name(key)]
        listed[line_name(key)] = (old[0] + value[0], old[1] + value[1])
    return nr + same("list", want, listed)


def files(them, us):
    want = known(them.top("-files"))

    def fair(rows):
        """What several rows of pprof say of a file can be added up for flat alone."""
        return {name: (flat, 0 if name in them.split else cum) for name, (flat, cum) in rows.items()}
    joined, _ = us.joined("file", lambda name: UNKNOWN if name == "(no file)" else clean(name))
    direct = us.top("file")
    direct.pop("(no file)", None)
    if len(direct) == len(set(map(clean, direct))):
        same("top by file, against our tree", {clean(name): value for name, value in direct.items()}, known(joined))
    return same("top by file", fair(want), fair(known(joined)))


def types(otprof, path):
    """Type and unit of each profile."""
    shown = json.loads(output(otprof, "top", "--json", "-n", "1", path))
    return [(row["type"], row["unit"]) for row in [shown] + shown["other_types"]]


def pprof(otprof, program, path, original=None):
    nr = 0
    for name, unit in types(otprof, path):
        them = Pprof(program, path, unit, ["-sample_index=" + name])
        nr += views(them, Otprof(otprof, original or path, ["--no-symbols", "--type", "%s/%s" % (name, unit)]))
    print("%d numbers" % nr)


# --- list, with source files

def source(otprof, program, path, folder):
    """pprof needs files to print lines of: ours are empty, and long enough."""
    nr = 0
    for name, unit in types(otprof, path):
        us = Otprof(otprof, path, ["--type", "%s/%s" % (name, unit)])
        want = {(function, file.lstrip("/"), line): value for (function, file, line), value in us.list().items()
                if file and line > 0 and any(value)}
        for _, file, line in want:
            made = os.path.join(folder, file)
            os.makedirs(os.path.dirname(made), exist_ok=True)
            with open(made, "a+", encoding="utf-8") as out:
                out.seek(0)
                out.write("\n" * (line + 10 - len(out.read())))
        them = Pprof(program, path, unit, ["-sample_index=" + name, "-trim_path=/", "-source_path=" + folder])
        got, routine = {}, None
        for line in them.run("-list=.").split("\n"):
            begun = re.fullmatch("ROUTINE =+ (.*) in (.*)", line)
            row = re.fullmatch(r" *(\S+) +(\S+) +(\d+):.*", line)
            if begun:
                routine = begun.groups()
            elif row and routine:
                got[routine[0], routine[1].lstrip("/"), int(row[3])] = (number(row[1]), number(row[2]))
            elif "Error:" in line:
                fail(line)
        # -list begins at a function's first line, but inlined code may come from before.
        first = {}
        for function, file, line in got:
            first[function, file] = min(line, first.get((function, file), line))
        missing = [key for key in want if key not in got and key[2] < first.get(key[:2], key[2] + 1)]
        by_line = them.top("-lines") if missing else {}
        same("list, lines in front of functions", {key: by_line.get(line_name(key)) for key in missing},
             {key: want.pop(key) for key in missing})
        nr += same("list, %s" % name, got, want)
    print("%d numbers" % nr)


# --- differences

def diff(otprof, program, before, after):
    nr = 0
    for name, unit in types(otprof, after):
        them = Pprof(program, after, unit, ["-sample_index=" + name, "-diff_base=" + before])
        shown = json.loads(output(otprof, "diff", "--json", "--by", "function", "--top", "1000000", "--type",
                                  "%s/%s" % (name, unit), before, after))
        ours = {row["name"]: (row["flat"], row["cum"]) for row in shown["rows"] if row["name"] != "(no stack)"}
        nr += same("diff, %s" % name, known(them.top()), named(ours))
    print("%d numbers" % nr)


# --- collapsed stacks of jfrconv --dot --threads

THREAD = re.compile(r"\[(?:(.*) )?tid=\d+\]")
COMPILED = re.compile(r"_\[[0ijk1]\]$")


class Collapsed:
    """Sums by function, thread and class; the class of an object is its innermost frame."""

    def __init__(self, path, has_class):
        self.functions = collections.defaultdict(lambda: (0, 0))
        self.threads, self.classes = collections.Counter(), collections.Counter()
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                stack, _, value = line.rstrip("\n").rpartition(" ")
                frames = [COMPILED.sub("", frame) for frame in stack.split(";")]
                self.add(frames, int(value), has_class)

    def add(self, frames, value, has_class):
        thread = frames.pop(0)
        self.threads[THREAD.fullmatch(thread)[1] or thread] += value
        if has_class:
            self.classes[frames.pop()] += value
        for name in set(frames):
            flat, cum = self.functions[name]
            self.functions[name] = (flat + value * (name == frames[-1]), cum + value)


def by_label(us, label, clean_label=lambda text: text):
    """Sums by a label, of samples that have a stack; all of them are what --by LABEL alone says."""
    with_stack, everything = collections.Counter(), collections.Counter()
    for row in us.run("top", "-n", "0", "--by", label + ",function")["rows"]:
        everything[row[label]] += row["flat"]
        if row["name"] != "(no stack)":
            with_stack[clean_label(row[label])] += row["flat"]
    alone = us.run("top", "-n", "0", "--by", label)["rows"]
    same("top by %s" % label, everything, {row[label]: row["value"] for row in alone})
    return with_stack


def collapsed(otprof, path, stacks, *options):
    us, has_class = Otprof(otprof, path, options), "--class" in options
    us.options = [option for option in options if option != "--class"]
    them = Collapsed(stacks, has_class)
    nr = same("top by function", them.functions, us.top("function"))
    # Java's number of a thread, or the system's, is behind its name.
    nr += same("top by thread", them.threads, by_label(us, "thread", lambda text: re.sub(r" \(\d+\)$", "", text)))
    if has_class:
        nr += same("top by class", them.classes, by_label(us, "class"))
    if not nr:
        fail("nothing was compared")
    print("%d numbers" % nr)


# --- perf report -F overhead_children,sample,symbol -t '|'

def perf(otprof, path, report, *functions):
    """Of functions, or of some, flat as a number of samples, and cum in hundredths of a percent, which is all that perf
    says. With functions the names are by --symbolize, which tells inlined calls, so that not all can be compared."""
    want, percent = collections.Counter(), {}
    with open(report, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            row = re.fullmatch(r" *([\d.]+)% *\| *(\d+) *\|\[.\] (.*?) *\n", line)
            if row:
                name = row[3]
                percent[name] = None if name in percent else float(row[1])
                want[name] += int(row[2])
    us = Otprof(otprof, path, ["--symbolize"] if functions else [])
    rows, total = us.top("function"), us.run("top", "-n", "1")["total"]
    nr = same("flat", {name: n for name, n in want.items() if name in functions or not functions and is_name(name)},
              {name: flat for name, (flat, _) in rows.items() if name in functions or not functions and is_name(name)})
    for name, share in percent.items():
        if share is not None and name in rows and (name in functions or not functions):
            nr += 1
            if abs(rows[name][1] / total * 100 - share) > 0.00501:
                fail("cum of %s: %s%%, ours %d of %d" % (name, share, rows[name][1], total))
    if nr < 6:
        fail("only %d numbers were compared" % nr)
    print("%d numbers" % nr)


def is_name(text):
    return not ADDRESS.fullmatch(text) and text != "[unknown]"


def main():
    commands = {"pprof": pprof, "source": source, "diff": diff, "collapsed": collapsed, "perf": perf}
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
