#!/usr/bin/env python3
"""Judges what otprof makes of a JFR recording by what the JDK and jfrconv make of it.

  check JFR OTLP --jfr PROGRAM [--period EVENT=NS]...
        each event of `jfr print`, field by field, is one observation in OTLP, and there are no others
  times JFR OTLP            the profiles' time and duration, from the headers of the chunks
  split JFR FOLDER          each chunk in a file of its own
  collapsed [--class] THEIRS OURS...   do the sums of folded files agree stack by stack?
  total FILE...             the sum of folded files
"""
import argparse
import collections
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import jfr_print  # noqa: E402
import otlp_model as model  # noqa: E402

FRAME_KEYS = {"profile.frame.type", "jfr.frame.kind", "jfr.frame.bci"}
# resource attribute: the event and its field
FACTS = {
    "process.pid": ("jdk.JVMInformation", "pid"),
    "process.runtime.name": ("jdk.JVMInformation", "jvmName"),
    "process.runtime.description": ("jdk.JVMInformation", "jvmVersion"),
    "jfr.jvm.arguments": ("jdk.JVMInformation", "jvmArguments"),
    "jfr.java.arguments": ("jdk.JVMInformation", "javaArguments"),
    "process.creation.time": ("jdk.JVMInformation", "jvmStartTime"),
    "os.description": ("jdk.OSInformation", "osVersion"),
    "host.cpu.model.name": ("jdk.CPUInformation", "cpu"),
}
PERIOD_TYPES = {
    "jdk.ExecutionSample": ("cpu", "nanoseconds"),
    "jdk.CPUTimeSample": ("cpu", "nanoseconds"),
    "jdk.NativeMethodSample": ("wall", "nanoseconds"),
    "profiler.WallClockSample": ("wall", "nanoseconds"),
}


def plain(value):
    """Of the tuples of otlp_model."""
    return [plain(v) for v in value[1:]] if value[0] == "array" else value[1] if len(value) > 1 else None


class Wrong(Exception):
    pass


class Made:
    """A message by the keys and observations of jfr_print."""

    def __init__(self, path):
        self.r = model.Resolved(model.load(model.current(), path))
        self.frames, self.stacks, self.attrs = {}, {}, {}
        self.profiles = {}
        resources = self.r.data.resource_profiles
        if len(resources) != 1 or len(resources[0].scope_profiles) != 1:
            raise Wrong("not one resource with one scope")
        scope = resources[0].scope_profiles[0]
        if scope.scope.name != "jfr":
            raise Wrong("the scope is %r" % scope.scope.name)
        self.resource = {key: plain(value) for key, value in self.r.c_keyvalues(resources[0].resource.attributes)}
        for profile in scope.profiles:
            self.put(profile)

    def put(self, profile):
        facts = self.attributes(profile.attribute_indices)
        key = (facts.get("otprof.event.type"), *self.r.c_type(profile.sample_type),
               facts.get("otprof.event.leak", False))
        if key in self.profiles:
            raise Wrong("two profiles of %s" % (key,))
        self.profiles[key] = profile

    def attributes(self, indices):
        return {key: plain(value) for key, value, _ in self.r.c_attrs(indices)}

    def left_out(self, profile):
        return set(self.attributes(profile.attribute_indices).get("otprof.event.fields_left_out") or ())

    def frame(self, index):
        if index not in self.frames:
            mapping, address, lines, attrs = self.r.c_location(index)
            if len(lines) != 1 or address:
                raise Wrong("location %d has %d lines and address %d" % (index, len(lines), address))
            function, line, _ = lines[0]
            name, system, filename, start = function or ("", "", "", 0)
            facts = {key: plain(value) for key, value, _ in attrs}
            if filename or start or set(facts) - FRAME_KEYS:
                raise Wrong("what is this: %s %s" % (function, facts))
            self.frames[index] = (name, "" if system == name else system, line, facts.get("profile.frame.type"),
                                  facts.get("jfr.frame.kind"), facts.get("jfr.frame.bci", 0),
                                  mapping[3] if mapping else "")
        return self.frames[index]

    def stack(self, index):
        if index not in self.stacks:
            table = self.r.d.stack_table
            self.stacks[index] = tuple(map(self.frame, table[index].location_indices)) if table else ()
        return self.stacks[index]

    def observations(self, profile):
        out = collections.Counter()
        for sample in profile.samples:
            times = sample.timestamps_unix_nano
            if not times or sample.values and len(sample.values) != len(times):
                raise Wrong("a sample of %s has %d times, %d values" % (
                    self.r.c_type(profile.sample_type), len(times), len(sample.values)))
            attrs = tuple(sample.attribute_indices)
            if attrs not in self.attrs:
                self.attrs[attrs] = jfr_print.frozen(self.attributes(attrs))
            stack = self.stack(sample.stack_index)
            for at, value in zip(times, sample.values or [1] * len(times)):
                out[at, value, stack, self.attrs[attrs]] += 1
        return out


# ---------------------------------------------------------------- comparison

def first_difference(want, got):
    """Names what differs between two tuples."""
    for name, a, b in zip(("time", "value", "stack", "attributes"), want, got):
        if a == b:
            continue
        if name == "stack":
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            return "frame %d of %d is %s, wanted %s of %d" % (at, len(b), b[at:at + 1], a[at:at + 1], len(a))
        if name == "attributes":
            return "without %s, with %s" % (sorted(set(a) - set(b)), sorted(set(b) - set(a)))
        return "%s %s, wanted %s" % (name, b, a)
    return "nothing"


def shown(observation):
    return repr(observation[:2] + observation[2][:1] + observation[3])[:300]


def nearly(want, got):
    """Rates other than a nanosecond a tick: the JDK divides in floating point and may be one off in times and
    durations. What then agrees is taken away from both."""
    index = collections.defaultdict(list)
    for at, value, *rest in sorted(got.elements(), key=lambda row: row[:2]):
        index[tuple(rest)].append((at, value))
    for seen in sorted(want.elements(), key=lambda row: row[:2]):
        near = index[seen[2:]]
        for i, (at, value) in enumerate(near):
            if abs(at - seen[0]) <= 1 and abs(value - seen[1]) <= 1:
                want[seen] -= 1
                got[(at, value) + seen[2:]] -= 1
                del near[i]
                break
            if at > seen[0] + 1:
                break
    return +want, +got


def compare(key, want, got, exact):
    missing, extra = want - got, got - want
    if not exact and (missing or extra):
        missing, extra = nearly(missing, extra)
    if not missing and not extra:
        return
    text = "%s: %d of %d are missing, %d too many" % (key, missing.total(), want.total(), extra.total())
    for seen in missing:
        near = [other for other in extra if other[0] == seen[0]]
        if near:
            raise Wrong("%s; at %d: %s" % (text, seen[0], first_difference(seen, near[0])))
    first = next(iter(missing or extra))
    raise Wrong("%s; %s: %s" % (text, "missing" if missing else "too many", shown(first)))


def without(observations, fields):
    """Attributes of fields that a profile says it leaves out need not be there."""
    gone, seen, out = {"jfr." + field for field in fields}, {}, collections.Counter()
    for (at, value, stack, attrs), n in observations.items():
        if attrs not in seen:
            seen[attrs] = tuple(item for item in attrs if item[0] not in gone)
        out[at, value, stack, seen[attrs]] += n
    return out


def check_facts(made, expected, key, a):
    profile, event = made.profiles[key], key[0]
    left = made.left_out(profile)
    fields = expected.fields[event]
    must = {field for field, fate in fields.items() if fate == "left out"}
    may = must | {field for field, fate in fields.items() if fate == "either"}
    if must - left or left - may:
        raise Wrong("%s: fields left out are %s; at least %s, at most %s" % (key, sorted(left), sorted(must), sorted(may)))
    if event in PERIOD_TYPES and made.r.c_type(profile.period_type) != PERIOD_TYPES[event]:
        raise Wrong("%s: its period is of type %s" % (key, made.r.c_type(profile.period_type)))
    if profile.period != a.periods.get(event, profile.period):
        raise Wrong("%s: its period is %d, wanted %d" % (key, profile.period, a.periods[event]))


def check_samples(made, expected, key, a):
    """Of fields that can be told or not, a profile names those that are not."""
    profile = made.profiles[key]
    left = made.left_out(profile)
    compare(key, without(expected.observations[key], left), made.observations(profile), a.exact)


def check_resource(made, expected):
    for key, (event, field) in FACTS.items():
        want = [values[field] for values in expected.facts[event] if values.get(field) not in (None, "")]
        got = made.resource.get(key)
        if key == "process.creation.time":
            want, got = list(map(jfr_print.instant, want)), got and jfr_print.instant(got)
        if want and got not in want:
            raise Wrong("%s is %r, wanted %r" % (key, got, want[0]))


def cmd_check(a):
    expected, made = jfr_print.Expected(a.jfr, a.recording), Made(a.otlp)
    want, got, wrong = set(expected.observations), set(made.profiles), []
    if want != got:
        wrong.append("profiles missing: %s; too many: %s" % (sorted(want - got), sorted(got - want, key=repr)))
    a.exact = all(rate == jfr_print.NS for _, _, rate, _ in jfr_print.chunks(a.recording))
    a.periods = {event: int(ns) for event, _, ns in (text.partition("=") for text in a.period)}
    for run, args in [(check, (made, expected, key, a)) for check in (check_samples, check_facts)
                      for key in sorted(want & got)] + [(check_resource, (made, expected))]:
        try:
            run(*args)
        except Wrong as e:
            wrong.append(str(e))
    if wrong:
        raise Wrong("\n".join(["%d findings" % len(wrong)] + [line[:600] for line in wrong]))
    for key in sorted(want):
        print("%7d %s %s/%s" % (expected.observations[key].total(), *key[:3]))


def cmd_times(a):
    chunks, made = jfr_print.chunks(a.recording), Made(a.otlp)
    for key, profile in made.profiles.items():
        times = [at for sample in profile.samples for at in sample.timestamps_unix_nano]
        start, end = profile.time_unix_nano, profile.time_unix_nano + profile.duration_nano
        first, last = min(chunk[0] for chunk in chunks), max(chunk[1] for chunk in chunks)
        if start > min(times) or start > first or start < first and start != min(times):
            raise Wrong("%s begins at %d; the chunks at %d, its times at %d" % (key, start, first, min(times)))
        if end < max(times) or end < last:
            raise Wrong("%s ends at %d; the chunks at %d, its times at %d" % (key, end, last, max(times)))


# ---------------------------------------------------------------- folded files

SUFFIX = re.compile(r"_\[[0-9a-z]\](?=;|\Z)")


def folded(path, with_class=False):
    """Sums by stack, in one spelling: jfrconv writes slashes in names of classes, and a suffix for how most calls
    of a frame were compiled. With --class its last frame is the class of the object; parks may have none. It leaves
    out what has no stack, which we call [unknown]."""
    out = collections.Counter()
    with open(path, encoding="utf-8") as f:
        for line in f:
            stack, _, value = line.rstrip("\n").rpartition(" ")
            frames = SUFFIX.sub("", stack).split(";")
            if with_class and "/" not in frames[-1]:
                frames.pop()
            if frames and frames not in ([""], ["[unknown]"]):
                out[";".join(frames).replace("/", ".")] += int(value)
    return out


def cmd_collapsed(a):
    want, got = folded(a.theirs, a.with_class), sum((folded(path) for path in a.ours), collections.Counter())
    for stack in sorted(set(want) | set(got)):
        if want[stack] != got[stack]:
            raise Wrong("%d in all, wanted %d; %d, wanted %d: %s" % (
                got.total(), want.total(), got[stack], want[stack], stack[-400:]))
    print(want.total())


def cmd_total(a):
    total = 0
    for path in a.file:
        with open(path, encoding="utf-8") as f:
            total += sum(int(line.rpartition(" ")[2]) for line in f)
    print(total)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = parser.add_subparsers(required=True)
    check = sub.add_parser("check")
    check.add_argument("--jfr", required=True)
    check.add_argument("--period", action="append", default=[])
    times = sub.add_parser("times")
    for q, run in ((check, cmd_check), (times, cmd_times)):
        q.add_argument("recording")
        q.add_argument("otlp")
        q.set_defaults(run=run)
    split = sub.add_parser("split")
    split.add_argument("recording")
    split.add_argument("folder")
    split.set_defaults(run=lambda a: jfr_print.split(a.recording, a.folder))
    collapsed = sub.add_parser("collapsed")
    collapsed.add_argument("--class", dest="with_class", action="store_true")
    collapsed.add_argument("theirs")
    collapsed.add_argument("ours", nargs="+")
    collapsed.set_defaults(run=cmd_collapsed)
    total = sub.add_parser("total")
    total.add_argument("file", nargs="+")
    total.set_defaults(run=cmd_total)
    a = parser.parse_args()
    try:
        a.run(a)
    except Wrong as wrong:
        sys.exit(str(wrong))


if __name__ == "__main__":
    main()
