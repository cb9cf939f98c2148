"""Files in the older dialects, each with the message of today that it stands for.

The message of today is made first, within what the dialect can say; the old form is derived from it. So the
reader under test has to do the reverse, and nothing here shares its way of thinking.
"""
import random

import otlp_gen
from otlp_model import schema

FLAGS = {"pprof.mapping.has_functions": "has_functions", "pprof.mapping.has_filenames": "has_filenames",
         "pprof.mapping.has_line_numbers": "has_line_numbers", "pprof.mapping.has_inline_frames": "has_inline_frames"}
DIALECTS = ("v1.4", "v1.5", "v1.6", "v1.7", "v1.8", "v1.9")


def expected(dialect, seed, size, classes):
    """The message of today, and for dialects with several sample types the number of profiles made of each."""
    old = dialect in ("v1.4", "v1.5", "v1.6", "v1.7")
    limits = otlp_gen.Limits(
        references=False, zero_function=not old, zero_location=not old, unit_by_key=old,
        entities=dialect not in ("v1.4", "v1.5"), big_times=not old, dirty=False)
    data = otlp_gen.generate(classes, seed, size, limits)
    r = random.Random(seed)
    first = True
    groups = {}
    for ri, rp in enumerate(data.resource_profiles):
        for si, sp in enumerate(rp.scope_profiles):
            profiles = list(sp.profiles)
            made = []
            for p in profiles:
                if first:
                    mark(data, p)
                    first = False
                copies = 1
                single = all(len(s.timestamps_unix_nano) <= 1 and len(s.values) == 1 for s in p.samples)
                if old and single:
                    copies = r.choice((1, 2, 3))
                if old:
                    pin_shape(p)
                group = []
                for k in range(copies):
                    q = classes.Profile()
                    q.CopyFrom(p)
                    if k:
                        # An id names one profile and a payload is kept once: with the first.
                        q.profile_id = q.original_payload = b""
                        q.original_payload_format = ""
                        kind, unit = otlp_gen.TYPES[k]
                        q.sample_type.type_strindex = intern(data, kind)
                        q.sample_type.unit_strindex = intern(data, unit)
                        for s in q.samples:
                            s.values[0] = r.choice(otlp_gen.I64)
                    group.append(q)
                made.append(group)
            groups[ri, si] = [len(g) for g in made]
            del sp.profiles[:]
            sp.profiles.extend(q for g in made for q in g)
    return data, groups


def intern(data, text):
    table = data.dictionary.string_table
    if text not in table:
        table.append(text)
    return list(table).index(text)


def mark(data, p):
    """Makes sure that the file can be told from its neighbours: an id, attributes, a link and values."""
    p.profile_id = bytes(range(16, 32))
    p.dropped_attributes_count = 3
    d = data.dictionary
    key = intern(data, "dialect.mark")
    d.attribute_table.add(key_strindex=key).value.bool_value = True
    marked = len(d.attribute_table) - 1
    p.attribute_indices.append(marked)
    if not p.samples:
        p.samples.add(stack_index=1, values=[5])
        if p.sample_type.type_strindex == 0:
            p.sample_type.type_strindex = intern(data, "samples")
            p.sample_type.unit_strindex = intern(data, "count")
    s = p.samples[0]
    s.link_index = len(d.link_table) - 1
    s.attribute_indices.append(marked)


def pin_shape(p):
    """Up to v1.7 one value with several timestamps means one each: such samples have at least two here."""
    for s in p.samples:
        if s.timestamps_unix_nano and not s.values and len(s.timestamps_unix_nano) == 1:
            s.timestamps_unix_nano.append(s.timestamps_unix_nano[0])


# ---------------------------------------------------------------- v1.8, v1.9: other numbers

def later(dialect, data, c):
    """v1.8 and v1.9 differ in numbers, two names, comments, and ValueType.aggregation_temporality."""
    out = c.ProfilesData()
    copy_tables(data, out.dictionary)
    comments = comment_indices(data)
    for rp in data.resource_profiles:
        x = out.resource_profiles.add()
        x.resource.ParseFromString(rp.resource.SerializeToString())
        x.schema_url = rp.schema_url
        for sp in rp.scope_profiles:
            y = x.scope_profiles.add()
            y.scope.ParseFromString(sp.scope.SerializeToString())
            y.schema_url = sp.schema_url
            for p in sp.profiles:
                q = y.profiles.add()
                for name in ("time_unix_nano", "duration_nano", "period", "profile_id", "dropped_attributes_count",
                             "original_payload_format", "original_payload"):
                    setattr(q, name, getattr(p, name))
                q.sample_type.type_strindex = p.sample_type.type_strindex
                q.sample_type.unit_strindex = p.sample_type.unit_strindex
                if p.HasField("period_type"):
                    q.period_type.type_strindex = p.period_type.type_strindex
                    q.period_type.unit_strindex = p.period_type.unit_strindex
                for a in p.attribute_indices:
                    if dialect == "v1.8" and a in comments:
                        q.comment_strindices.extend(comments[a])
                    else:
                        q.attribute_indices.append(a)
                for s in p.samples:
                    (q.sample if dialect == "v1.8" else q.samples).add(
                        stack_index=s.stack_index, values=s.values, attribute_indices=s.attribute_indices,
                        link_index=s.link_index, timestamps_unix_nano=s.timestamps_unix_nano)
    out.dictionary.string_table[:] = data.dictionary.string_table
    return out


def copy_tables(data, d):
    for name in ("mapping_table", "function_table", "link_table", "attribute_table", "stack_table"):
        for e in getattr(data.dictionary, name):
            getattr(d, name).add().ParseFromString(e.SerializeToString())
    for e in data.dictionary.location_table:
        # Same numbers; the field is called line in v1.8.
        d.location_table.add().ParseFromString(e.SerializeToString())


def comment_indices(data):
    """attribute index -> string indexes, of pprof.profile.comment attributes; adds the strings to the table."""
    d, out = data.dictionary, {}
    for i, a in enumerate(d.attribute_table):
        if d.string_table[a.key_strindex] == "pprof.profile.comment":
            out[i] = [intern(data, v.string_value) for v in a.value.array_value.values]
    return out


# ---------------------------------------------------------------- v1.4 to v1.7: no null elements, no stacks

class Tables:
    """Old tables filled from today's: element 0 is left out, so every index is one less."""

    def __init__(self, data, where, units):
        self.d = data.dictionary
        self.flags, self.folded = {}, set()
        for i, a in enumerate(self.d.attribute_table):
            key = self.d.string_table[a.key_strindex]
            if key in FLAGS:
                self.flags[i] = FLAGS[key]
            elif key == "pprof.location.is_folded":
                self.folded.add(i)
        self.comments = comment_indices(data)
        where.string_table.extend(self.d.string_table)
        seen = set()
        for a in list(self.d.attribute_table)[1:]:
            key = self.d.string_table[a.key_strindex]
            kv = where.attribute_table.add(key=key)
            kv.value.ParseFromString(a.value.SerializeToString())
            if a.unit_strindex and key not in seen:
                units.add(attribute_key_strindex=a.key_strindex, unit_strindex=a.unit_strindex)
                seen.add(key)
        for m in list(self.d.mapping_table)[1:]:
            n = where.mapping_table.add(memory_start=m.memory_start, memory_limit=m.memory_limit,
                                        file_offset=m.file_offset, filename_strindex=m.filename_strindex)
            for a in m.attribute_indices:
                if a in self.flags:
                    setattr(n, self.flags[a], True)
                else:
                    n.attribute_indices.append(a - 1)
        for f in list(self.d.function_table)[1:]:
            where.function_table.add().ParseFromString(f.SerializeToString())
        for link in list(self.d.link_table)[1:]:
            where.link_table.add().ParseFromString(link.SerializeToString())
        for loc in list(self.d.location_table)[1:]:
            n = where.location_table.add(address=loc.address)
            if loc.mapping_index:
                n.mapping_index = loc.mapping_index - 1
            for ln in loc.lines:
                n.line.add(function_index=ln.function_index - 1, line=ln.line, column=ln.column)
            for a in loc.attribute_indices:
                if a in self.folded:
                    n.is_folded = True
                else:
                    n.attribute_indices.append(a - 1)


def early(dialect, data, groups, c):
    out = c.ProfilesData()
    own = dialect in ("v1.4", "v1.5")
    tables = None
    if not own:
        where = out.dictionary if dialect == "v1.7" else out
        tables = Tables(data, where, where.attribute_units)
    for ri, rp in enumerate(data.resource_profiles):
        x = out.resource_profiles.add()
        x.resource.ParseFromString(rp.resource.SerializeToString())
        x.schema_url = rp.schema_url
        for si, sp in enumerate(rp.scope_profiles):
            y = x.scope_profiles.add()
            y.scope.ParseFromString(sp.scope.SerializeToString())
            y.schema_url = sp.schema_url
            at = 0
            for count in groups[ri, si]:
                q = y.profiles.add()
                if own:
                    tables = Tables(data, q, q.attribute_units)
                early_profile(dialect, q, list(sp.profiles)[at:at + count], tables, data)
                at += count
    return out


def early_profile(dialect, q, same, tables, data):
    p = same[0]
    d = data.dictionary
    q.time_nanos, q.duration_nanos, q.period = p.time_unix_nano, p.duration_nano, p.period
    for name in ("profile_id", "dropped_attributes_count", "original_payload_format", "original_payload"):
        setattr(q, name, getattr(p, name))
    for one in same:
        q.sample_type.add(type_strindex=one.sample_type.type_strindex, unit_strindex=one.sample_type.unit_strindex)
    if p.HasField("period_type"):
        q.period_type.type_strindex = p.period_type.type_strindex
        q.period_type.unit_strindex = p.period_type.unit_strindex
    for a in p.attribute_indices:
        if a in tables.comments:
            q.comment_strindices.extend(tables.comments[a])
        elif dialect == "v1.4":
            kv = q.attributes.add(key=d.string_table[d.attribute_table[a].key_strindex])
            kv.value.ParseFromString(d.attribute_table[a].value.SerializeToString())
        else:
            q.attribute_indices.append(a - 1)
    starts = {}
    for n, s in enumerate(p.samples):
        if s.stack_index not in starts:
            starts[s.stack_index] = len(q.location_indices)
            q.location_indices.extend(i - 1 for i in d.stack_table[s.stack_index].location_indices)
        length = len(d.stack_table[s.stack_index].location_indices)
        t = q.sample.add(locations_start_index=starts[s.stack_index] if length else 0, locations_length=length)
        t.attribute_indices.extend(a - 1 for a in s.attribute_indices)
        if s.link_index:
            t.link_index = s.link_index - 1
        t.timestamps_unix_nano.extend(s.timestamps_unix_nano)
        if not s.values:
            t.value.append(1)  # the way of the senders of that time: one value, many timestamps
        else:
            for one in same:
                t.value.extend(one.samples[n].values)


def build(dialect, seed, size, current, old=None):
    """(bytes in the dialect, message of today). old: classes of the dialect, from our schema unless given."""
    old = old or schema(dialect)
    data, groups = expected(dialect, seed, size, current)
    if dialect in ("v1.8", "v1.9"):
        message = later(dialect, data, old)
    else:
        message = early(dialect, data, groups, old)
    return message.SerializeToString(deterministic=True), data


# ---------------------------------------------------------------- small files with one doubt each

def corner_cases(current):
    """name -> (dialect, bytes, message of today). Files that can only be told by a close look."""
    out = {}

    # Aggregates without attributes or links: Sample has fields 1 and 2 only.
    def sparse(dialect):
        data = otlp_gen.minimal(current)
        p = data.resource_profiles[0].scope_profiles[0].profiles[0]
        del p.samples[0].attribute_indices[:]
        p.samples[0].link_index = 0
        return later(dialect, data, schema(dialect)).SerializeToString(deterministic=True), data
    out["v1.9-only-values"] = ("v1.9",) + sparse("v1.9")
    out["v1.8-only-values"] = ("v1.8",) + sparse("v1.8")

    # Observations whose values cannot be attribute indexes.
    data = otlp_gen.minimal(current)
    p = data.resource_profiles[0].scope_profiles[0].profiles[0]
    del p.samples[:]
    p.samples.add(stack_index=1, values=[7000, 8000],
                  timestamps_unix_nano=[p.time_unix_nano, p.time_unix_nano + 1])
    out["v1.9-values-and-times"] = (
        "v1.9", later("v1.9", data, schema("v1.9")).SerializeToString(deterministic=True), data)

    # Timestamps and attributes only, as many of one as of the other: today's dialect.
    data = otlp_gen.minimal(current)
    p = data.resource_profiles[0].scope_profiles[0].profiles[0]
    del p.samples[:]
    p.samples.add(stack_index=1, attribute_indices=[1], timestamps_unix_nano=[p.time_unix_nano])
    out["v1.10-attributes-and-times"] = ("v1.10", data.SerializeToString(deterministic=True), data)

    # A sender of v1.7 that put an empty element first in every table: index 0 then means none.
    c = schema("v1.7")
    data = otlp_gen.minimal(current)
    m = c.ProfilesData()
    d, e = m.dictionary, data.dictionary
    for name in ("mapping_table", "function_table", "link_table"):
        for x in getattr(e, name):
            getattr(d, name).add().ParseFromString(x.SerializeToString())
    d.string_table.extend(e.string_table)
    d.attribute_table.add()
    d.attribute_table.add(key="thread.name").value.string_value = "worker"
    d.location_table.add(mapping_index=0)
    loc = d.location_table.add(mapping_index=1, address=0x1234)
    loc.line.add(function_index=1, line=7)
    loc = d.location_table.add(mapping_index=0, address=0x99)
    loc.line.add(function_index=0)
    e.location_table.add(address=0x99).lines.add()
    e.stack_table[1].location_indices.append(2)
    x, rp = m.resource_profiles.add(), data.resource_profiles[0]
    x.resource.ParseFromString(rp.resource.SerializeToString())
    y = x.scope_profiles.add()
    y.scope.name = "scope"
    p = rp.scope_profiles[0].profiles[0]
    q = y.profiles.add(time_nanos=p.time_unix_nano, duration_nanos=p.duration_nano, profile_id=p.profile_id,
                       location_indices=[1, 2])
    q.sample_type.add(type_strindex=1, unit_strindex=2)
    q.sample.add(locations_start_index=0, locations_length=2, value=[3], attribute_indices=[1], link_index=1)
    q.sample.add(value=[4], link_index=0)
    out["v1.7-empty-first"] = ("v1.7", m.SerializeToString(deterministic=True), data)
    return out
