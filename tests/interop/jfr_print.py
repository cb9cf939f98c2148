"""What the JDK's own `jfr` says of a recording, as the observations that otprof is to make of it.

An observation is (time, value, stack, attributes), all of them plain values, and belongs to the key
(event type, sample type, unit, is it a leak).
"""
import calendar
import collections
import json
import os
import re
import struct
import subprocess
import time

NS = 1000000000
DURATION = "duration"
# event type: (sample type, unit, the field that is the value, or 1)
MEASURES = {
    "jdk.ExecutionSample": [("samples", "count", 1)],
    "jdk.NativeMethodSample": [("samples", "count", 1)],
    "jdk.CPUTimeSample": [("cpu", "nanoseconds", "samplingPeriod")],
    "profiler.WallClockSample": [("samples", "count", "samples")],
    "jdk.ObjectAllocationInNewTLAB": [("alloc_objects", "count", 1), ("alloc_space", "bytes", "tlabSize")],
    "jdk.ObjectAllocationOutsideTLAB": [("alloc_objects", "count", 1), ("alloc_space", "bytes", "allocationSize")],
    "jdk.ObjectAllocationSample": [("alloc_objects", "count", 1), ("alloc_space", "bytes", "weight")],
    "jdk.OldObjectSample": [("inuse_objects", "count", 1), ("inuse_space", "bytes", "objectSize")],
    "profiler.LiveObject": [("inuse_objects", "count", 1), ("inuse_space", "bytes", "allocationSize")],
    "profiler.Malloc": [("malloc_objects", "count", 1), ("malloc_space", "bytes", "size")],
    "profiler.Free": [("free_objects", "count", 1)],
    "jdk.JavaMonitorEnter": [("lock", "nanoseconds", DURATION)],
    "jdk.JavaMonitorWait": [("wait", "nanoseconds", DURATION)],
    "jdk.ThreadPark": [("park", "nanoseconds", DURATION)],
    "jdk.ThreadSleep": [("sleep", "nanoseconds", DURATION)],
    "jdk.VirtualThreadPinned": [("pinned", "nanoseconds", DURATION)],
    "profiler.NativeLock": [("native_lock", "nanoseconds", DURATION)],
    "profiler.Span": [("span", "nanoseconds", DURATION)],
    "jdk.FileRead": [("file_read", "nanoseconds", DURATION), ("file_read", "bytes", "bytesRead")],
    "jdk.FileWrite": [("file_write", "nanoseconds", DURATION), ("file_write", "bytes", "bytesWritten")],
    "jdk.SocketRead": [("socket_read", "nanoseconds", DURATION), ("socket_read", "bytes", "bytesRead")],
    "jdk.SocketWrite": [("socket_write", "nanoseconds", DURATION), ("socket_write", "bytes", "bytesWritten")],
    "jdk.JavaExceptionThrow": [("exceptions", "count", 1)],
    "jdk.JavaErrorThrow": [("exceptions", "count", 1)],
    "jdk.GCPhasePause": [("gc_pause", "nanoseconds", DURATION)],
    "jdk.GarbageCollection": [("gc", "nanoseconds", DURATION)],
    "jdk.ExecuteVMOperation": [("vm_operation", "nanoseconds", DURATION)],
    "jdk.MethodTrace": [("method", "nanoseconds", DURATION)],
}
CLASS_FIELDS = ("objectClass", "monitorClass", "parkedClass", "thrownClass")
THREAD_FIELDS = ("eventThread", "sampledThread")
COMMON = ("startTime", "duration", "stackTrace")
NUMBERS = {"byte", "char", "short", "int", "long", "float", "double"}
ALWAYS_TOLD = {"path", "host", "port", "cause", "operation"}
NO_PROFILE = {"jdk.ActiveSetting"}  # it tells the periods
ARRAY_OF = dict(zip("BCDFIJSZ", "byte char double float int long short boolean".split()))
# async-profiler gives frames that are not Java's a descriptor that no Java method can have.
DESCRIPTOR = re.compile(r"\((\[*([BCDFIJSZ]|L[^;]+;))*\)\[*([BCDFIJSZV]|L[^;]+;)\Z")
PERIOD = re.compile(r"PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?)(\d+)(?:\.(\d+))?S)?\Z")


def chunks(path):
    """(start, end, ticks a second, bytes) of each chunk: nanoseconds since 1970."""
    out, at = [], 0
    with open(path, "rb") as f:
        data = f.read()
    while at < len(data):
        magic, _, size, _, _, start, length, _, rate = struct.unpack_from(">4sIQQQQQQQ", data, at)
        if magic != b"FLR\0":
            raise SystemExit("no chunk at byte %d of %s" % (at, path))
        out.append((start, start + length, rate, data[at:at + size]))
        at += size
    return out


def split(path, folder):
    """A file in the folder for each chunk. In a file of several, `jfr print` tells all times by the clock of the
    first: nanoseconds off, or hours if the chunks are of several writers, of which `jfr summary` also takes one's type
    ids for all. Of each chunk by itself both are right."""
    out = []
    for i, chunk in enumerate(chunks(path)):
        out.append(os.path.join(folder, "chunk-%d.jfr" % i))
        with open(out[-1], "wb") as f:
            f.write(chunk[3])
    return out


class Tool:
    """The program `jfr` of a JDK."""

    def __init__(self, program, path):
        self.program, self.path = program, path
        self.environment = dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8")

    def lines(self, *args):
        child = subprocess.Popen([self.program, *args, self.path], stdout=subprocess.PIPE, encoding="utf-8",
                                 env=self.environment)
        yield from child.stdout
        if child.wait():
            raise SystemExit("jfr %s %s: status %d" % (args[0], self.path, child.returncode))

    def summary(self):
        """Event type: how many."""
        rows = (line.split() for line in self.lines("summary"))
        return {row[0]: int(row[1]) for row in rows if len(row) == 3 and row[1].isdigit() and row[2].isdigit()}

    def fields(self):
        """Event type: {field: type}."""
        out, name, fields = {}, None, None
        for line in self.lines("metadata"):
            if line.startswith('@Name("'):
                name = line.split('"')[1]
            elif line.startswith("class "):
                fields = out.setdefault(name, {}) if " extends jdk.jfr.Event" in line and name else None
                name = None
            elif fields is not None and line.startswith("  ") and line.endswith(";\n") and "@" not in line:
                kind, field = line.strip(" ;\n").rsplit(None, 1)
                fields[field] = kind.split(".")[-1]
        return out

    def events(self):
        """(type, values) one by one, never the whole text in memory: each begins and ends on lines of its own."""
        text = []
        for line in self.lines("print", "--json", "--stack-depth", "2048"):
            if line.startswith("    }"):
                event = json.loads("{" + "".join(text) + "}")
                yield event["type"], event["values"]
                text = []
            elif line.startswith("      "):
                text.append(line)


def nanoseconds(text):
    """Of an ISO 8601 duration."""
    hours, minutes, sign, seconds, part = PERIOD.match(text).groups("0")
    ns = int(seconds) * NS + int((part + "000000000")[:9])
    return (int(hours) * 60 + int(minutes)) * 60 * NS + (-ns if sign == "-" else ns)


def instant(text, seen={}):
    """Of an ISO 8601 time with a zone."""
    day, clock = text[:16], text[16:]
    if day not in seen:
        seen[day] = calendar.timegm(time.strptime(day, "%Y-%m-%dT%H:%M"))
    seconds, zone = re.match(r"(?::([\d.]+))?(Z|[-+]\d\d:\d\d)\Z", clock).groups("0")
    whole, _, part = seconds.partition(".")
    shift = 0 if zone == "Z" else (int(zone[1:3]) * 60 + int(zone[4:])) * (-60 if zone[0] == "-" else 60)
    return (seen[day] + int(whole) - shift) * NS + int((part + "000000000")[:9])


def class_name(name):
    depth = len(name) - len(name.lstrip("["))
    if depth:
        name = name[depth + 1:-1] if name[depth] == "L" else ARRAY_OF.get(name[depth], name)
    return name.replace("/", ".") + "[]" * depth


def snake(event):
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", event.split(".")[-1])
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def thread_state(state):
    if state in ("STATE_RUNNABLE", "STATE_DEFAULT"):
        return "running"
    if state.startswith(("STATE_SLEEPING", "STATE_IN_OBJECT_WAIT", "STATE_PARKED")):
        return "sleeping"
    return "mutex" if state.startswith("STATE_BLOCKED_ON_MONITOR_ENTER") else "blocked"


def frame(f, seen={}):
    """(name, system name, line, frame type, kind, bci, library)."""
    method = f["method"] or {}
    holder = (method.get("type") or {}).get("name") or ""
    name, descriptor = method.get("name") or "", method.get("descriptor") or ""
    key = holder, name, descriptor, f["lineNumber"], f["bytecodeIndex"], f["type"]
    if key not in seen:
        line, bci = max(0, key[3]), max(0, key[4]) if key[3] <= 0 else 0
        if DESCRIPTOR.match(descriptor):
            shown = holder.replace("/", ".") + "." + name if holder else name
            seen[key] = shown, holder + "." + name + descriptor, line, "jvm", f["type"], bci, ""
        else:
            kind = "kernel" if f["type"] == "Kernel" else "native"
            seen[key] = name, "", line, kind, f["type"], bci, holder
    return seen[key]


def thread(t):
    if not t:
        return {}
    number = t["javaThreadId"] if t["javaThreadId"] > 0 else t["osThreadId"]
    out = {"thread.id": number, "thread.name": t["javaName"] or t["osName"] or ""}
    if t["osThreadId"] > 0:
        out["jfr.thread.os_id"] = t["osThreadId"]
    if t.get("group"):
        out["jfr.thread.group"] = t["group"]["name"] or ""
    if t.get("virtual"):
        out["jfr.thread.virtual"] = True
    return out


def told(kind, field, value):
    """A field as an attribute; None if it cannot be one: numbers and structures. `jfr metadata` calls words out of a
    short list String too."""
    if kind == "boolean" or kind == "String":
        return value
    if field == "port":
        return value or None
    if kind in NUMBERS or not isinstance(value, dict):
        return None
    if "javaThreadId" in value:
        return value["javaName"] or value["osName"] or ""
    if "descriptor" in value:
        return frame({"method": value, "lineNumber": 0, "bytecodeIndex": 0, "type": ""})[0]
    return None


def attributes(values, kinds):
    """Attributes of an observation, with all that a field can tell."""
    out = {}
    for field, value in values.items():
        if value is None or field in COMMON:
            continue
        if field in THREAD_FIELDS:
            out.update(thread(value))
        elif field in CLASS_FIELDS:
            out["jfr.class"] = class_name(value["name"])
        elif field == "state" and value.startswith("STATE_"):
            out["thread.state"] = thread_state(value)
        elif told(kinds.get(field), field, value) is not None:
            out["jfr." + field] = told(kinds.get(field), field, value)
    if values.get("stackTrace") and values["stackTrace"]["truncated"]:
        out["jfr.stack.truncated"] = True
    return out


def frozen(attributes):
    """Comparable, without what says nothing: empty texts, and truths that are false. True is not 1."""
    return tuple(sorted((k, type(v).__name__, v) for k, v in attributes.items() if v != "" and v is not False))


def is_timed(values):
    """Does a park end by itself? Without a time limit the fields hold the least number there is."""
    return nanoseconds(values["timeout"]) > 0 or re.match(r"\d{4}-", values["until"]) and instant(values["until"]) > 0


def measures(event, values, kinds):
    if event in NO_PROFILE:
        return []
    if event in MEASURES:
        rows = [row for row in MEASURES[event] if row[2] == 1 or row[2] in values]
        if event == "jdk.ThreadPark" and is_timed(values):
            rows = [("park_timed",) + rows[0][1:]]
        return rows
    if kinds.get("stackTrace") != "StackTrace":
        return []
    timed = DURATION in kinds
    return [(snake(event), "nanoseconds" if timed else "count", DURATION if timed else 1)]


def number(value):
    return nanoseconds(value) if isinstance(value, str) else value


class Expected:
    """All that otprof has to make of a recording."""

    def __init__(self, program, path):
        self.observations = collections.defaultdict(collections.Counter)
        self.events = collections.Counter()
        self.fields = collections.defaultdict(dict)  # of an event type: what may become of each
        self.facts = collections.defaultdict(list)  # of each JVM
        self.memory = []
        for part in split(path, os.path.dirname(path)):
            self.read(Tool(program, part))
            os.unlink(part)
        self.leaks()
        self.without_stacks()

    def read(self, tool):
        kinds, seen = tool.fields(), collections.Counter()
        for event, values in tool.events():
            seen[event] += 1
            self.add(event, values, kinds.get(event, {}))
            if event in ("jdk.JVMInformation", "jdk.OSInformation", "jdk.CPUInformation"):
                self.facts[event].append(values)
        counted = {event: n for event, n in tool.summary().items() if n and event not in ("jdk.Metadata",
                                                                                         "jdk.Checkpoint")}
        if counted != seen:
            raise SystemExit("jfr disagrees with itself: %s" % (set(counted.items()) ^ set(seen.items())))
        self.events.update(seen)

    def add(self, event, values, kinds):
        rows = measures(event, values, kinds)
        if not rows:
            return
        attrs = attributes(values, kinds)
        self.note(event, rows, values, kinds)
        trace = values.get("stackTrace")
        stack = tuple(frame(f) for f in trace["frames"]) if trace else ()
        if event == "jdk.Shutdown" and not stack:
            return
        at = instant(values["startTime"])
        for kind, unit, field in rows:
            seen = at, 1 if field == 1 else number(values[field]), stack, frozen(attrs)
            self.observations[event, kind, unit, False][seen] += 1
        if event in ("profiler.Malloc", "profiler.Free"):
            self.memory.append((at, values["address"], values.get("size"), stack, frozen(attrs)))

    def note(self, event, rows, values, kinds):
        """Which fields have to be told, or left out, or may be either."""
        fields = self.fields[event]
        for field, value in values.items():
            if field in COMMON + THREAD_FIELDS + CLASS_FIELDS or field == "state":
                continue
            if field in (row[2] for row in rows) or event == "jdk.ThreadPark" and field in ("timeout", "until"):
                fields[field] = "either"
            elif kinds.get(field) == "boolean" or field in ALWAYS_TOLD:
                fields[field] = "told"
            elif fields.get(field) != "either":
                can = value is None and kinds.get(field) not in NUMBERS or told(kinds.get(field), field, value) is not None
                fields[field] = "either" if can else "left out"

    def without_stacks(self):
        """Event types that are not in the table make a profile only if one of them has a stack."""
        for key in list(self.observations):
            if key[0] not in MEASURES and not any(stack for _, _, stack, _ in self.observations[key]):
                del self.observations[key]

    def leaks(self):
        """The last allocation at an address, if nothing freed it since."""
        live = {}
        for at, address, size, stack, attrs in sorted(self.memory, key=lambda row: row[0]):
            if size is None:
                live.pop(address, None)
            else:
                live[address] = at, size, stack, attrs
        for at, size, stack, attrs in live.values():
            self.observations["profiler.Malloc", "leak_objects", "count", True][at, 1, stack, attrs] += 1
            self.observations["profiler.Malloc", "leak_space", "bytes", True][at, size, stack, attrs] += 1
