#!/usr/bin/env python3
"""Profiles in OTLP logs, by the released opentelemetry-proto.

  gen --seed N [--old] [--json FILE] OUT EXPECT   random call stacks as log records; what `show --raw` says of them
  raw RAW                                         lines of `show --raw`, an observation each, sorted
  same A B                                        are the records of B those of A? B is what otprof wrote as text
  pprof A B                                       the same where B has pprof bodies
  equal JSON FILE                                 is our JSON, read by json_format, the message in FILE?

--old is the wire of 2021: a name in field 4, libraries in field 1000.
"""
import argparse
import base64
import gzip
import json
import random
import sys

from google.protobuf import json_format
from opentelemetry.proto.logs.v1 import logs_pb2

START = 1700000000000000000
NAME = "otel.profiling"
# What otprof adds to each record.
ADDED = ("profiling.data.type", "profiling.data.format", "profiling.instrumentation.source",
         "profiling.data.total.frame.count")


def load(path):
    data = logs_pb2.LogsData()
    with open(path, "rb") as f:
        data.ParseFromString(f.read())
    return data


def value(any_value):
    kind = any_value.WhichOneof("value")
    return getattr(any_value, kind) if kind else None


def attributes(kvs):
    return {kv.key: value(kv.value) for kv in kvs}


# --- making ---


def thread(r):
    t = {"name": "worker-%d" % r.randrange(4), "id": r.randrange(1, 9)}
    if r.random() < 0.5:
        t["prio"], t["os_prio"] = r.randrange(1, 9), r.randrange(1, 40)
    if r.random() < 0.3:
        t["cpu"], t["elapsed"] = r.randrange(1, 10**6) * 10**4, r.randrange(1, 10**6) * 10**7
    if r.random() < 0.5:
        t["tid"], t["nid"] = r.randrange(1, 1 << 47), r.randrange(1, 1 << 20)
    if r.random() < 0.5:
        t["status"] = r.choice(["runnable", "waiting on condition  [0x0]", "in Object.wait()"])
    if r.random() < 0.5:
        t["state"] = r.choice(["RUNNABLE", "TIMED_WAITING (sleeping)", "BLOCKED (on object monitor)"])
    return t


def head(t):
    cpu = "%.2fms" % (t["cpu"] / 1e6) if "cpu" in t else "0"
    elapsed = "%.2fs" % (t["elapsed"] / 1e9) if "elapsed" in t else "0"
    line = '"%s" #%d prio=%d os_prio=%d cpu=%s elapsed=%s tid=0x%x nid=0x%x' % (
        t["name"], t["id"], t.get("prio", 0), t.get("os_prio", 0), cpu, elapsed, t.get("tid", 0), t.get("nid", 0))
    if "status" in t:
        line += " " + t["status"]
    state = "   java.lang.Thread.State: " + t["state"] if "state" in t else ""
    return line + "\n" + state + "\n"


def told(t):
    """The attributes of its samples, as show --raw has them."""
    out = {"thread.name": '"%s"' % t["name"], "thread.id": t["id"]}
    for key, name in (("prio", "otprof.thread.prio"), ("os_prio", "otprof.thread.os_prio"),
                      ("tid", "otprof.thread.tid"), ("nid", "thread.os.id")):
        if key in t:
            out[name] = t[key]
    for key, name in (("cpu", "otprof.thread.cpu_time"), ("elapsed", "otprof.thread.elapsed")):
        if key in t:
            out[name] = "%d'ns'" % t[key]
    for key, name in (("status", "otprof.thread.status"), ("state", "thread.state")):
        if key in t:
            out[name] = '"%s"' % t[key]
    return out


def frames(r):
    """Lines of text, and the stack as show --raw has it."""
    lines, stack = [], []
    for _ in range(r.randrange(1, 8)):
        name = "shop.%s.%s" % (r.choice(["Cart", "Item", "Main$1"]), r.choice(["add", "run", "<init>"]))
        file = r.choice(["Cart.java", "C:\\a b\\Item.cs", ""])
        line = r.randrange(1, 500) if r.random() < 0.8 else 0
        column = r.randrange(1, 90) if line and r.random() < 0.3 else 0
        place = file or "unknown"
        text = '"%s"' % name
        if file:
            text += ' "%s"' % file.replace("\\", "\\\\")
        if line:
            place += ":%d" % line
            text += ":%d" % line
        if column:
            place += " %d" % column
            text += ":%d" % column
        lines.append("\tat %s(%s)\n" % (name, place))
        stack.append(text)
    return "".join(lines), " ; ".join(stack)


def put(record, key, v):
    kv = record.attributes.add()
    kv.key = key
    if isinstance(v, int):
        kv.value.int_value = v
    else:
        kv.value.string_value = v


def record_of(r, record):
    t = thread(r)
    text, stack = frames(r)
    is_allocation = r.random() < 0.3
    record.time_unix_nano = START + r.randrange(10**9)
    record.body.string_value = head(t) + text
    put(record, "com.splunk.sourcetype", NAME)
    size = r.randrange(2, 10**6)
    if is_allocation:
        put(record, "memory.allocated", size)
    else:
        put(record, "source.event.period", 1000)
        put(record, "source.event.name", "look")
    link = "-"
    if r.random() < 0.5:
        record.trace_id, record.span_id = r.randbytes(16), r.randbytes(8)
        link = record.trace_id.hex() + ":" + record.span_id.hex()
    attrs = " ".join("%s=%s" % kv for kv in sorted(told(t).items()))
    kind = "alloc_space/bytes" if is_allocation else "samples/count"
    return "\t".join([kind, str(size if is_allocation else 1), str(record.time_unix_nano), link, attrs, stack])


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def field(num, payload):
    return varint(num << 3 | 2) + varint(len(payload)) + payload


def old_bytes(data):
    """The message as it was in 2021."""
    out = b""
    for resource in data.resource_logs:
        libraries = b""
        for scope in resource.scope_logs:
            records = b"".join(
                field(2, r.SerializeToString() + field(4, NAME.encode())) for r in scope.log_records)
            libraries += field(1000, field(1, scope.scope.SerializeToString()) + records)
        out += field(1, field(1, resource.resource.SerializeToString()) + libraries)
    return out


def to_hex(v):
    """json_format's JSON with ids in hex, as OTLP has them."""
    if isinstance(v, list):
        return [to_hex(x) for x in v]
    if not isinstance(v, dict):
        return v
    return {k: base64.b64decode(x).hex() if k in ("traceId", "spanId") else to_hex(x) for k, x in v.items()}


def cmd_gen(a):
    r = random.Random(a.seed)
    data = logs_pb2.LogsData()
    expect = []
    for i in range(r.randrange(1, 3)):
        resource = data.resource_logs.add()
        put(resource.resource, "service.name", "shop-%d" % i)
        scope = resource.scope_logs.add()
        scope.scope.name, scope.scope.version = NAME, "0.1.0"
        for _ in range(r.randrange(1, 40)):
            expect.append(record_of(r, scope.log_records.add()))
    with open(a.out, "wb") as f:
        f.write(old_bytes(data) if a.old else data.SerializeToString())
    if a.json:
        with open(a.json, "w") as f:
            json.dump(to_hex(json_format.MessageToDict(data)), f)
    with open(a.expect, "w") as f:
        f.write("".join(line + "\n" for line in sorted(expect)))


def cmd_raw(a):
    out = []
    for line in open(a.raw):
        _, kind, values, times, link, attrs, stack = line.rstrip("\n").split("\t")
        times = times.split(",")
        values = ["1"] * len(times) if values == "-" else values.split(",")
        out += ["\t".join([kind, v, t, link, attrs, stack]) for v, t in zip(values, times)]
    print("\n".join(sorted(out)))


# --- reading what otprof wrote ---


def records(data):
    """Each record as what must not change."""
    out = []
    for resource in data.resource_logs:
        for scope in resource.scope_logs:
            for r in scope.log_records:
                attrs = attributes(r.attributes)
                for key in ADDED:
                    attrs.pop(key, None)
                out.append((sorted(attributes(resource.resource.attributes).items()), scope.scope.name,
                            scope.scope.version, r.time_unix_nano, r.trace_id, r.span_id,
                            r.body.string_value, sorted(attrs.items())))
    return sorted(out)


def check_names(data):
    for resource in data.resource_logs:
        for scope in resource.scope_logs:
            for r in scope.log_records:
                # Field 4 is reserved today: Python keeps it as an unknown field.
                if r.event_name != NAME or field(4, NAME.encode()) not in r.SerializeToString():
                    sys.exit("a record without its name")


def cmd_same(a):
    want, got = load(a.a), load(a.b)
    if records(want) != records(got):
        for x, y in zip(records(want), records(got)):
            if x != y:
                sys.exit("differs: %s\nand %s" % (x, y))
        sys.exit("%d records, not %d" % (len(records(got)), len(records(want))))
    check_names(got)


def fields(buf):
    """(number, value) of each field of a message, by hand."""
    at = 0

    def number():
        nonlocal at
        n = shift = 0
        while True:
            byte = buf[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    while at < len(buf):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
        else:
            n = number()
            yield tag >> 3, buf[at:at + n]
            at += n


def pprof_samples(body):
    """(ms, trace id, span id, thread name, values) of each sample, and whether there are types."""
    message = list(fields(gzip.decompress(base64.b64decode(body))))
    strings = [v.decode() for n, v in message if n == 6]
    out = []
    for num, sample in message:
        if num != 2:
            continue
        labels, values = {}, []
        for n, v in fields(sample):
            if n == 2:
                values.append(v)
            if n == 3:
                label = dict(fields(v))
                labels[strings[label[1]]] = strings[label[2]] if 2 in label else label.get(3, 0)
        out.append((labels["source.event.time"], labels.get("trace_id", ""), labels.get("span_id", ""),
                    labels["thread.name"], labels.get("source.event.period"), bool(values)))
    return out, any(n == 1 for n, _ in message)


def cmd_pprof(a):
    want, got = [], []
    for resource in load(a.a).resource_logs:
        for scope in resource.scope_logs:
            for r in scope.log_records:
                attrs = attributes(r.attributes)
                want.append((r.time_unix_nano // 10**6, r.trace_id.hex(), r.span_id.hex(),
                             r.body.string_value.split('"')[1], attrs.get("source.event.period"),
                             "memory.allocated" in attrs))
    data = load(a.b)
    check_names(data)
    for resource in data.resource_logs:
        for scope in resource.scope_logs:
            for r in scope.log_records:
                samples, has_types = pprof_samples(r.body.string_value)
                if has_types != (attributes(r.attributes)["profiling.data.type"] == "allocation"):
                    sys.exit("types of CPU data, or none of allocations")
                got += samples
    key = lambda x: tuple(str(y) for y in x)  # noqa: E731
    if sorted(want, key=key) != sorted(got, key=key):
        sys.exit("samples differ")


def to_base64(v):
    if isinstance(v, list):
        return [to_base64(x) for x in v]
    if not isinstance(v, dict):
        return v
    return {k: base64.b64encode(bytes.fromhex(x)).decode() if k in ("traceId", "spanId") else to_base64(x)
            for k, x in v.items()}


def cmd_equal(a):
    data = logs_pb2.LogsData()
    for line in open(a.json):
        part = logs_pb2.LogsData()
        # The name of older releases is no key of today's.
        json_format.ParseDict(to_base64(json.loads(line)), part, ignore_unknown_fields=True)
        data.MergeFrom(part)
    want = load(a.file)
    want.DiscardUnknownFields()
    if data != want:
        sys.exit("the JSON is another message")


def main():
    parser = argparse.ArgumentParser()
    sub = parser.add_subparsers(required=True)
    p = sub.add_parser("gen")
    p.add_argument("--seed", type=int)
    p.add_argument("--old", action="store_true")
    p.add_argument("--json")
    p.add_argument("out")
    p.add_argument("expect")
    p.set_defaults(run=cmd_gen)
    for name, run, names in (("raw", cmd_raw, ["raw"]), ("same", cmd_same, ["a", "b"]),
                             ("pprof", cmd_pprof, ["a", "b"]), ("equal", cmd_equal, ["json", "file"])):
        p = sub.add_parser(name)
        for n in names:
            p.add_argument(n)
        p.set_defaults(run=run)
    a = parser.parse_args()
    a.run(a)


main()
