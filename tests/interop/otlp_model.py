"""Loading of ProfilesData messages, their --raw lines, and equality by resolved content.

Everything here works on messages of protobuf's own runtime, whether their classes come from a released
package or from the schemas in schema/.
"""
import collections
import importlib
import os
import re
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "schema")
RELEASE = "opentelemetry.proto.profiles.v1development.profiles_pb2"


# ---------------------------------------------------------------- message classes

class Classes:
    """Message classes of one dialect by plain name: c.ProfilesData, c.Sample, c.AnyValue, ..."""

    def __init__(self, file_descriptor, get_class):
        self._types = {}
        files, seen = [file_descriptor], set()
        while files:
            fd = files.pop()
            if fd.name in seen:
                continue
            seen.add(fd.name)
            files.extend(fd.dependencies)
            for name, desc in fd.message_types_by_name.items():
                self._types[name] = (desc, get_class(desc))

    def __getattr__(self, name):
        try:
            return self._types[name][1]
        except KeyError:
            raise AttributeError(name)

    def descriptors(self):
        return {name: pair[0] for name, pair in self._types.items()}


def release():
    """The classes of the opentelemetry-proto release on sys.path."""
    from google.protobuf import message_factory
    module = importlib.import_module(RELEASE)
    return Classes(module.DESCRIPTOR, message_factory.GetMessageClass)


def descriptor_file(path, name):
    """Classes from a serialized FileDescriptorSet, in a pool of their own."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    pool = descriptor_pool.DescriptorPool()
    files = descriptor_pb2.FileDescriptorSet()
    with open(path, "rb") as f:
        files.ParseFromString(f.read())
    for fd in files.file:
        pool.Add(fd)
    return Classes(pool.FindFileByName(name), message_factory.GetMessageClass)


def schema(dialect):
    """The classes of one of our schemas: "v1.9" is schema/otlp_v1_9.proto."""
    name = "otlp_" + dialect.replace(".", "_") + ".proto"
    if dialect == "v1.5":
        name = "otlp_v1_4.proto"
    out = os.path.join(os.environ.get("TMPDIR", "/tmp"), "otlp-%d-%s.pb" % (os.getpid(), dialect))
    subprocess.run(["protoc", "-I", SCHEMA, "--include_imports", "-o", out, name], check=True)
    try:
        return descriptor_file(out, name)
    finally:
        os.unlink(out)


def current(from_schema=False):
    """The classes of today's dialect; the release must really be of that dialect."""
    classes = schema("v1.10") if from_schema else release()
    number = classes.Sample.DESCRIPTOR.fields_by_name["values"].number
    if number != 4:
        sys.exit("oracle: this opentelemetry-proto has Sample.values = %d, want 4 (v1.10)" % number)
    return classes


def load(classes, path):
    with open(path, "rb") as f:
        data = f.read()
    message = classes.ProfilesData()
    message.ParseFromString(data)
    return message


def save(path, data):
    with open(path, "wb") as f:
        f.write(data)


# ---------------------------------------------------------------- text of values

BARE = re.compile(r"[A-Za-z0-9_.:-]+\Z")


def is_unprintable(code):
    """Control characters, and those that change the direction of text."""
    return code < 0x20 or 0x7f <= code < 0xa0 or 0x202a <= code <= 0x202e or 0x2066 <= code <= 0x2069


def quote(s):
    out = ['"']
    for ch in s:
        if ch in '"\\':
            out.append("\\" + ch)
        elif is_unprintable(ord(ch)):
            out.append("\\u%04x" % ord(ch))
        else:
            out.append(ch)
    out.append('"')
    return "".join(out)


def bare(s):
    return s if BARE.match(s) else quote(s)


def double_text(d):
    if d != d:
        return "nan"
    for digits in (15, 16, 17):
        text = "%.*g" % (digits, d)
        if float(text) == d:
            break
    if not any(ch in text for ch in ".eni"):
        text += ".0"
    return text


class Resolved:
    """A message together with its tables: turns indexes into what they stand for."""

    def __init__(self, data):
        self.data = data
        self.d = data.dictionary
        self._attrs = {}
        self._frames = {}

    def string(self, index):
        return self.d.string_table[index] if index else ""

    def key(self, kv):
        return self.string(kv.key_strindex) if kv.key_strindex else kv.key

    # --raw texts

    def value_text(self, v):
        kind = v.WhichOneof("value")
        if kind is None:
            return "null"
        if kind == "string_value":
            return quote(v.string_value)
        if kind == "string_value_strindex":
            return quote(self.string(v.string_value_strindex))
        if kind == "bool_value":
            return "true" if v.bool_value else "false"
        if kind == "int_value":
            return str(v.int_value)
        if kind == "double_value":
            return double_text(v.double_value)
        if kind == "bytes_value":
            return "0x" + v.bytes_value.hex()
        if kind == "array_value":
            return "[" + ",".join(self.value_text(e) for e in v.array_value.values) + "]"
        if kind == "kvlist_value":
            return "{" + ",".join(bare(self.key(e)) + ":" + self.value_text(e.value)
                                  for e in v.kvlist_value.values) + "}"
        raise ValueError(kind)

    def attrs_text(self, indices):
        items = []
        for i in indices:
            a = self.d.attribute_table[i]
            key = self.string(a.key_strindex)
            text = self.value_text(a.value)
            if a.unit_strindex:
                text += "'" + bare(self.string(a.unit_strindex)) + "'"
            items.append((key.encode(), text.encode(), bare(key) + "=" + text))
        return " ".join(item[2] for item in sorted(items))

    def line_text(self, line):
        if line.function_index == 0:
            text, start = "?", 0
        else:
            f = self.d.function_table[line.function_index]
            name = self.string(f.name_strindex)
            system = self.string(f.system_name_strindex)
            text = quote(name)
            if system and system != name:
                text += "/" + quote(system)
            if self.string(f.filename_strindex):
                text += " " + quote(self.string(f.filename_strindex))
            start = f.start_line
        if line.line or line.column:
            text += ":%d" % line.line
        if line.column:
            text += ":%d" % line.column
        if start:
            text += "^%d" % start
        return text

    def frame_text(self, index):
        if index in self._frames:
            return self._frames[index]
        loc = self.d.location_table[index]
        parts = []
        if loc.lines:
            parts.append(" < ".join(self.line_text(line) for line in loc.lines))
        if loc.address:
            parts.append("@0x%x" % loc.address)
        if loc.mapping_index:
            m = self.d.mapping_table[loc.mapping_index]
            text = "%s[0x%x-0x%x+0x%x]" % (quote(self.string(m.filename_strindex)), m.memory_start,
                                           m.memory_limit, m.file_offset)
            if m.attribute_indices:
                text += "{" + self.attrs_text(m.attribute_indices) + "}"
            parts.append(text)
        if loc.attribute_indices:
            parts.append("{" + self.attrs_text(loc.attribute_indices) + "}")
        self._frames[index] = " ".join(parts) or "??"
        return self._frames[index]

    def link_text(self, index):
        if index == 0:
            return "-"
        link = self.d.link_table[index]
        if not any(link.trace_id) and not any(link.span_id):
            return "-"
        return "%s:%s" % (link.trace_id.hex(), link.span_id.hex())

    def stack_text(self, index):
        if not self.d.stack_table:
            return "-"
        return " ; ".join(self.frame_text(i) for i in self.d.stack_table[index].location_indices) or "-"

    def raw(self):
        for r, rp in enumerate(self.data.resource_profiles):
            for s, sp in enumerate(rp.scope_profiles):
                for p, profile in enumerate(sp.profiles):
                    kind = "%s/%s" % (bare(self.string(profile.sample_type.type_strindex)),
                                      bare(self.string(profile.sample_type.unit_strindex)))
                    for sample in profile.samples:
                        yield "\t".join((
                            "%d.%d.%d" % (r, s, p), kind,
                            ",".join(map(str, sample.values)) or "-",
                            ",".join(map(str, sample.timestamps_unix_nano)) or "-",
                            self.link_text(sample.link_index),
                            self.attrs_text(sample.attribute_indices) or "-",
                            self.stack_text(sample.stack_index)))

    # resolved content, for equality: only tuples, strings, numbers

    def c_value(self, v):
        kind = v.WhichOneof("value")
        if kind is None:
            return ("null",)
        if kind in ("string_value", "string_value_strindex"):
            return ("string", v.string_value if kind == "string_value" else self.string(v.string_value_strindex))
        if kind == "double_value":
            d = v.double_value
            return ("double", "nan" if d != d else struct.pack(">d", d).hex())
        if kind == "bytes_value":
            return ("bytes", v.bytes_value.hex())
        if kind == "array_value":
            return ("array",) + tuple(self.c_value(e) for e in v.array_value.values)
        if kind == "kvlist_value":
            return ("kvlist",) + tuple((self.key(e), self.c_value(e.value)) for e in v.kvlist_value.values)
        return (kind, getattr(v, kind))

    def c_keyvalues(self, kvs):
        return tuple(sorted(((self.key(kv), self.c_value(kv.value)) for kv in kvs), key=repr))

    def c_attrs(self, indices):
        indices = tuple(sorted(set(indices)))
        if indices not in self._attrs:
            items = []
            for i in indices:
                a = self.d.attribute_table[i]
                items.append((self.string(a.key_strindex), self.c_value(a.value), self.string(a.unit_strindex)))
            self._attrs[indices] = tuple(sorted(items, key=repr))
        return self._attrs[indices]

    def c_function(self, index):
        if not index:
            return None
        f = self.d.function_table[index]
        content = (self.string(f.name_strindex), self.string(f.system_name_strindex),
                   self.string(f.filename_strindex), f.start_line)
        return content if any(content) else None

    def c_mapping(self, index):
        if not index:
            return None
        m = self.d.mapping_table[index]
        content = (m.memory_start, m.memory_limit, m.file_offset, self.string(m.filename_strindex),
                   self.c_attrs(m.attribute_indices))
        return content if any(content) else None

    def c_location(self, index):
        loc = self.d.location_table[index]
        return (self.c_mapping(loc.mapping_index), loc.address,
                tuple((self.c_function(line.function_index), line.line, line.column) for line in loc.lines),
                self.c_attrs(loc.attribute_indices))

    def c_stack(self, index):
        if not self.d.stack_table:
            return ()
        return tuple(self.c_location(i) for i in self.d.stack_table[index].location_indices)

    def c_type(self, vt):
        return (self.string(vt.type_strindex), self.string(vt.unit_strindex))

    def c_samples(self, profile, merge):
        """A multiset of samples; with merge, one entry an identity, observations put together."""
        if not merge:
            out = collections.Counter()
            for s in profile.samples:
                out[(self.c_stack(s.stack_index), self.c_attrs(s.attribute_indices), self.link_text(s.link_index),
                     tuple(s.values), tuple(s.timestamps_unix_nano))] += 1
            return out
        seen = {}
        for s in profile.samples:
            identity = (self.c_stack(s.stack_index), self.c_attrs(s.attribute_indices), self.link_text(s.link_index))
            entry = seen.setdefault(identity, [0, []])
            if s.timestamps_unix_nano:
                entry[1].extend(zip(s.timestamps_unix_nano, s.values or [1] * len(s.timestamps_unix_nano)))
            else:
                entry[0] += sum(s.values)
                # A sum stops at the ends of int64.
                entry[0] = max(-2**63, min(2**63 - 1, entry[0]))
        return collections.Counter((i, e[0], tuple(sorted(e[1]))) for i, e in seen.items())


# ---------------------------------------------------------------- equality

class Different(Exception):
    pass


def same(path, a, b):
    if a != b:
        raise Different("%s: %s | %s" % (path, short(a), short(b)))


def short(x):
    text = repr(x)
    return text if len(text) <= 1500 else text[:1500] + "..."


def equal(a, b, merge=False, loose=False):
    """Raises Different with the first difference. loose: profile ids, profile and scope attributes may differ."""
    ra, rb = Resolved(a), Resolved(b)
    same("resources", len(a.resource_profiles), len(b.resource_profiles))
    for r, (x, y) in enumerate(zip(a.resource_profiles, b.resource_profiles)):
        at = "resource %d" % r
        same(at + " schema_url", x.schema_url, y.schema_url)
        same(at + " attributes", ra.c_keyvalues(x.resource.attributes), rb.c_keyvalues(y.resource.attributes))
        same(at + " dropped", x.resource.dropped_attributes_count, y.resource.dropped_attributes_count)
        refs = [[(e.schema_url, e.type, tuple(e.id_keys), tuple(e.description_keys))
                 for e in z.resource.entity_refs] for z in (x, y)]
        same(at + " entity_refs", refs[0], refs[1])
        same(at + " scopes", len(x.scope_profiles), len(y.scope_profiles))
        for s, (u, v) in enumerate(zip(x.scope_profiles, y.scope_profiles)):
            at = "scope %d.%d" % (r, s)
            same(at + " schema_url", u.schema_url, v.schema_url)
            same(at + " name", u.scope.name, v.scope.name)
            same(at + " version", u.scope.version, v.scope.version)
            same(at + " dropped", u.scope.dropped_attributes_count, v.scope.dropped_attributes_count)
            if not loose:
                same(at + " attributes", ra.c_keyvalues(u.scope.attributes), rb.c_keyvalues(v.scope.attributes))
            same(at + " profiles", len(u.profiles), len(v.profiles))
            for p, (f, g) in enumerate(zip(u.profiles, v.profiles)):
                equal_profiles("profile %d.%d.%d" % (r, s, p), ra, f, rb, g, merge, loose)


def equal_profiles(at, ra, f, rb, g, merge, loose):
    for name in ("time_unix_nano", "duration_nano", "period", "dropped_attributes_count",
                 "original_payload_format", "original_payload"):
        same(at + " " + name, getattr(f, name), getattr(g, name))
    same(at + " sample_type", ra.c_type(f.sample_type), rb.c_type(g.sample_type))
    same(at + " period_type", ra.c_type(f.period_type), rb.c_type(g.period_type))
    if not loose:
        # A missing id may be filled in; a given one must stay.
        if f.profile_id:
            same(at + " profile_id", f.profile_id, g.profile_id)
        same(at + " attributes", ra.c_attrs(f.attribute_indices), rb.c_attrs(g.attribute_indices))
    one, two = ra.c_samples(f, merge), rb.c_samples(g, merge)
    if one != two:
        only_a = sorted(map(repr, one - two))
        only_b = sorted(map(repr, two - one))
        raise Different("%s samples: %d only in the first, %d only in the second\n  first:  %s\n  second: %s" % (
            at, len(only_a), len(only_b), (only_a or ["-"])[0][:1500], (only_b or ["-"])[0][:1500]))


# ---------------------------------------------------------------- summary

def summary_differences(data, report):
    """What `show --json` says about a message against what is in it. Yields messages."""
    res = Resolved(data)
    resources = report.get("resources", [])
    if len(resources) != len(data.resource_profiles):
        yield "resources: %d, want %d" % (len(resources), len(data.resource_profiles))
        return
    for r, (x, jx) in enumerate(zip(data.resource_profiles, resources)):
        if len(jx["scopes"]) != len(x.scope_profiles):
            yield "resource %d: %d scopes, want %d" % (r, len(jx["scopes"]), len(x.scope_profiles))
            return
        for s, (u, ju) in enumerate(zip(x.scope_profiles, jx["scopes"])):
            for name in ("name", "version"):
                if ju[name] != getattr(u.scope, name):
                    yield "scope %d.%d %s: %r, want %r" % (r, s, name, ju[name], getattr(u.scope, name))
            if len(ju["profiles"]) != len(u.profiles):
                yield "scope %d.%d: %d profiles, want %d" % (r, s, len(ju["profiles"]), len(u.profiles))
                return
            for p, (f, jf) in enumerate(zip(u.profiles, ju["profiles"])):
                kind, unit = res.c_type(f.sample_type)
                ptype, punit = res.c_type(f.period_type)
                want = {"type": kind, "unit": unit, "period_type": ptype, "period_unit": punit,
                        "period": f.period, "time_unix_nano": f.time_unix_nano,
                        "duration_nano": f.duration_nano, "samples": len(f.samples),
                        "observations": sum(len(z.timestamps_unix_nano) or len(z.values) for z in f.samples)}
                if f.profile_id:
                    want["profile_id"] = f.profile_id.hex()
                total = sum(sum(z.values) if z.values else len(z.timestamps_unix_nano) for z in f.samples)
                if -2**63 <= total < 2**63:
                    want["total"] = total
                for name, value in want.items():
                    if jf.get(name) != value:
                        yield "profile %d.%d.%d %s: %r, want %r" % (r, s, p, name, jf.get(name), value)


# ---------------------------------------------------------------- schemas

def schema_differences(ours, theirs, skip=()):
    """Field by field: number, name, type, label, oneof. Only messages that the other side has."""
    mine, other = ours.descriptors(), theirs.descriptors()
    for name, want in sorted(other.items()):
        if name in skip:
            continue
        if name not in mine:
            yield "%s: missing" % name
            continue
        have = mine[name]
        for f in want.fields:
            g = have.fields_by_number.get(f.number)
            if g is None:
                yield "%s.%d: missing, theirs is %s" % (name, f.number, f.name)
            elif describe(f) != describe(g):
                yield "%s.%d: %s, theirs is %s" % (name, f.number, describe(g), describe(f))
        for g in have.fields:
            if g.number not in want.fields_by_number and "%s.%d" % (name, g.number) not in skip:
                yield "%s.%d: %s is ours only" % (name, g.number, g.name)
    for name in mine:
        if name not in other and name not in skip:
            yield "%s: ours only" % name


def describe(f):
    kind = f.message_type.name if f.message_type else f.enum_type.name if f.enum_type else f.type
    repeated = f.is_repeated if hasattr(f, "is_repeated") else f.label == f.LABEL_REPEATED
    return (f.name, kind, repeated, f.has_presence and f.message_type is None)
