#!/usr/bin/env python3
"""Compares what otprof reads of a recording with what perf script prints of it.

    perf_oracle.py [--unwound] SCRIPT EVENT=RAW...
    perf_oracle.py --folded SCRIPT FOLDED
    perf_oracle.py --names SCRIPT RAW

SCRIPT is the output of perf script --ns -F comm,pid,tid,time,event,ip,sym,dso; RAW is otprof show --raw --event EVENT of
the same recording. Each sample must be there once, with its thread, time and event, and its frames must be the same
places: perf prints the offset in the file of what a process has mapped, and the address of everything else. Callers are
one less here, inside of the call. Of a sample without callers perf prints the address in the process, which is not
compared; and of a chain with a mark that it does not know it prints nothing, where the frames before that are kept here.
A call does not end where a mapping begins: what is there is no caller but the address of a mapping that was left in a
register. perf takes it for one of that mapping, and otprof for one of what is before it: the end of a page is only that.
"""
import argparse
import collections
import re
import sys

HEAD = re.compile(r"^(.*?)\s+(-?\d+)/(-?\d+)\s+(?:\[\d+\]\s+)?(\d+)\.(\d{9}):\s+(?:\d+\s+)?(\S.*?):\s*(?:$|([0-9a-f]+ .*))")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*) \(((?:[^()]|\((?:deleted)\))*)\)$")
STRING = r'"((?:[^"\\]|\\.)*)"'
RAW_FRAME = re.compile(r"@0x([0-9a-f]+)(?: " + STRING + r"\[0x([0-9a-f]+)-0x([0-9a-f]+)\+0x([0-9a-f]+)\])?")
ATTRIBUTE = re.compile(r'([\w.]+)=(?:' + STRING + r'|(-?\d+))')
NOT_FILES = ("[kernel", "/tmp/perf-", "[heap", "[stack", "[vsys", "[uprobes", "bpf_")


def script_samples(path):
    """(event, pid, tid, ns, name), frames as (dso, place); None for frames that are not told."""
    head, frames = None, []
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            line = line.rstrip("\n")
            m = FRAME.match(line)
            if head and m:
                frames.append((m[3], int(m[1], 16)))
                continue
            if head:
                yield head, frames
                head, frames = None, []
            if not line.strip():
                continue
            m = HEAD.match(line)
            if not m:
                sys.exit("cannot read: " + line)
            head = (m[6], int(m[2]), int(m[3]), int(m[4]) * 10**9 + int(m[5]), m[1].strip())
            frames = None if m[7] else []
            if frames is None:
                yield head, None
                head = None
    if head:
        yield head, frames


def called(frames, unwound):
    """Callers point into the call: all but the first frame of the kernel and of the user. What perf unwinds does so."""
    out = []
    for i, (dso, place) in enumerate(frames):
        is_user = not dso.startswith("[kernel")
        exact = i == 0 or (is_user and (unwound or frames[i - 1][0].startswith("[kernel")))
        out.append((dso, place - (0 if exact or not place else 1)))
    return tuple(out)


def at_page_end(frames):
    """Frames without their file where they are the last byte of a page."""
    return tuple(("[page end]", 0xfff) if place & 0xfff == 0xfff and not dso.startswith("[kernel") else (dso, place)
                 for dso, place in frames)


def raw_frame(text):
    m = RAW_FRAME.search(text)
    if not m:
        return "[unknown]", 0
    address, dso = int(m[1], 16), m[2] or "[unknown]"
    if m[2] and not dso.startswith(NOT_FILES):
        address += int(m[5], 16) - int(m[3], 16)
    return dso, address


def raw_samples(event, path):
    with open(path, encoding="utf-8") as f:
        for line in f:
            _, kind, _, times, _, attributes, stack = line.rstrip("\n").split("\t")
            if kind != "samples/count":
                continue
            a = {k: s or n for k, s, n in ATTRIBUTE.findall(attributes)}
            frames = [raw_frame(text) for text in stack.split(" ; ")] if stack != "-" else []
            for time in times.split(","):
                yield (event, int(a["process.pid"]), int(a["thread.id"]), int(time),
                       a.get("thread.name", ":" + a["thread.id"])), tuple(frames)


NAMED = re.compile(r'(?:^|< )' + STRING + r'(?:/' + STRING + r')?(?: ' + STRING + r')?(?::\d+)*(?:\^\d+)? @0x')


def names(script, path):
    """Functions by place: RAW is with --symbolize. perf looks a caller up behind its call, so that the end of a function is
    the next to it; and of several names for a place either is right. So few may differ, and none of the program's own."""
    want, bad, nr = {}, [], 0
    with open(script, encoding="utf-8", errors="replace") as f:
        for line in f:
            m = FRAME.match(line.rstrip("\n"))
            if m and m[2] != "[unknown]":
                want[m[3], int(m[1], 16)] = re.sub(r"\+0x[0-9a-f]+$", "", m[2])
    with open(path, encoding="utf-8") as f:
        frames = {text for line in f for text in line.rstrip("\n").split("\t")[6].split(" ; ")}
    for text in frames:
        dso, place = raw_frame(text)
        m = NAMED.search(text)
        name = want.get((dso, place)) or want.get((dso, place + 1))
        if name and m:
            nr += 1
            if name not in (m[1], m[2]):
                bad.append((dso, hex(place), m[1], name))
    print("%d places with names, %d differ: %s" % (nr, len(bad), bad[:5]))
    if nr < 10 or len(bad) > nr / 20 or any("/spin" in b[0] for b in bad):
        sys.exit(1)


def folded(script, path):
    """The sums of stacks by their names: FOLDED is what otprof makes of SCRIPT, of its first event."""
    want, got, first = collections.Counter(), collections.Counter(), None
    names = []
    with open(script, encoding="utf-8", errors="replace") as f:
        for line in list(f) + ["\n"]:
            m = FRAME.match(line.rstrip("\n"))
            head = HEAD.match(line.rstrip("\n"))
            if m and names is not None:
                names.append(re.sub(r"\+0x[0-9a-f]+$", "", m[2]))
                continue
            if first and names is not None:
                want[tuple(reversed(names))] += 1
            names = None
            if head:
                first = first or head[6]
                names = [] if head[6] == first else None
                one = FRAME.match(" " + head[7]) if head[7] else None
                if one and names is not None:
                    want[re.sub(r"\+0x[0-9a-f]+$", "", one[2]),] += 1
                    names = None
    with open(path, encoding="utf-8") as f:
        for line in f:
            stack, _, n = line.rstrip("\n").rpartition(" ")
            got[tuple(stack.split(";"))] += int(n)
    print("%d samples in %d stacks" % (sum(want.values()), len(want)))
    if sum(want.values()) != sum(got.values()):
        sys.exit("the text has %d samples, not %d" % (sum(got.values()), sum(want.values())))
    for stack, n in want.items():
        # A frame without a name is written in another way.
        if stack and "[unknown]" not in stack and got[stack] != n:
            sys.exit("%s: %d, not %d" % (";".join(stack), got[stack], n))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("script")
    parser.add_argument("raw", nargs="+", help="EVENT=FILE")
    parser.add_argument("--unwound", action="store_true", help="recorded with --call-graph dwarf")
    parser.add_argument("--folded", action="store_true")
    parser.add_argument("--names", action="store_true")
    args = parser.parse_args()
    if args.names:
        names(args.script, args.raw[0])
        return
    if args.folded:
        folded(args.script, args.raw[0])
        return
    want, got = collections.Counter(), collections.Counter()
    places = [collections.Counter(), collections.Counter()]
    has_frames = True
    for head, frames in script_samples(args.script):
        has_frames = has_frames and frames is not None
        frames = at_page_end(called(frames or [], args.unwound))
        want[head, frames] += 1
        places[0].update(frames)
    for raw in args.raw:
        event, _, path = raw.partition("=")
        for head, frames in raw_samples(event, path):
            frames = at_page_end(frames) if has_frames else ()
            got[head, frames] += 1
            places[1].update(frames)
    missing, extra = want - got, got - want
    for head, frames in [key for key in missing if not key[1]]:
        longer = [key for key in extra if key[0] == head]
        if longer:
            del missing[head, frames], extra[longer[0]]
    for title, rows in (("missing", missing), ("extra", extra)):
        for (head, frames), _ in list(rows.items())[:2]:
            print(title, head, [(d, hex(p)) for d, p in frames][:40])
    print("%d samples, %d missing, %d extra; %d places, %d differ" % (
        sum(want.values()), sum(missing.values()), sum(extra.values()), len(places[0]),
        len((places[0] - places[1]) + (places[1] - places[0]))))
    sys.exit(1 if missing or extra or not want else 0)


main()
