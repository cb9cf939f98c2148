"""One message that keeps every rule, and breaks of one rule each: name, rule of otprof check, what is done.

The pinned release of profcheck is older than its rules for what is in UNKNOWN.

  otlp_broken.py list                 names, rules, and who complains: both or ours
  otlp_broken.py make NAME OUT        "sound" is the message that is not broken
"""
import sys

import otlp_model as model


def sound(c):
    data = c.ProfilesData()
    d = data.dictionary
    d.string_table.extend(["", "cpu", "nanoseconds", "main", "app.c", "app", "thread.name",
                           "process.executable.build_id.gnu"])
    d.mapping_table.add()
    d.mapping_table.add(memory_start=4096, memory_limit=8192, filename_strindex=5, attribute_indices=[2])
    d.location_table.add()
    d.location_table.add(mapping_index=1, address=5000).lines.add(function_index=1, line=7, column=3)
    d.function_table.add()
    d.function_table.add(name_strindex=3, filename_strindex=4, start_line=5)
    d.link_table.add()
    d.link_table.add(trace_id=bytes(range(1, 17)), span_id=bytes(range(1, 9)))
    d.attribute_table.add()
    d.attribute_table.add(key_strindex=6).value.string_value = "worker"
    d.attribute_table.add(key_strindex=7).value.string_value = "abcd"
    d.stack_table.add()
    d.stack_table.add(location_indices=[1])
    p = data.resource_profiles.add().scope_profiles.add().profiles.add(
        time_unix_nano=1000, duration_nano=100, profile_id=bytes(range(16)))
    p.sample_type.type_strindex, p.sample_type.unit_strindex = 1, 2
    p.samples.add(stack_index=1, link_index=1, attribute_indices=[1], values=[3, 4], timestamps_unix_nano=[1000, 1099])
    return data


def profile(m):
    return m.resource_profiles[0].scope_profiles[0].profiles[0]


def sample(m):
    return profile(m).samples[0]


def table(m, name):
    return getattr(m.dictionary, name + "_table")


def put(get, field, value):
    return lambda m: setattr(get(m), field, value)


def row(name):
    return lambda m: table(m, name)[1]


def again(name):
    return lambda m: table(m, name).append(table(m, name)[1])


BROKEN = (
    ("no-resource", "resource-missing", lambda m: m.ClearField("resource_profiles")),
    ("no-scope", "scope-missing", lambda m: m.resource_profiles[0].ClearField("scope_profiles")),
    ("no-profile", "profile-missing", lambda m: m.resource_profiles[0].scope_profiles[0].ClearField("profiles")),
    ("zero-string", "zero-element", lambda m: table(m, "string").__setitem__(0, "zero")),
    ("zero-mapping", "zero-element", lambda m: setattr(table(m, "mapping")[0], "memory_limit", 1)),
    ("zero-location", "zero-element", lambda m: setattr(table(m, "location")[0], "address", 1)),
    ("zero-function", "zero-element", lambda m: setattr(table(m, "function")[0], "start_line", 1)),
    ("zero-link", "zero-element", lambda m: setattr(table(m, "link")[0], "span_id", b"12345678")),
    ("zero-attribute", "zero-element", lambda m: setattr(table(m, "attribute")[0], "key_strindex", 1)),
    ("zero-stack", "zero-element", lambda m: table(m, "stack")[0].location_indices.append(1)),
    ("sample-type", "string-index", lambda m: setattr(profile(m).sample_type, "type_strindex", 99)),
    ("period-type", "string-index", lambda m: setattr(profile(m).period_type, "unit_strindex", -1)),
    ("file-string", "string-index", put(row("mapping"), "filename_strindex", 8)),
    ("function-string", "string-index", put(row("function"), "system_name_strindex", 8)),
    ("key-string", "string-index", put(row("attribute"), "key_strindex", 8)),
    ("unit-string", "string-index", put(row("attribute"), "unit_strindex", 8)),
    ("profile-attribute", "attribute-index", lambda m: profile(m).attribute_indices.append(9)),
    ("sample-attribute", "attribute-index", lambda m: sample(m).attribute_indices.append(-1)),
    ("mapping-attribute", "attribute-index", lambda m: table(m, "mapping")[1].attribute_indices.append(3)),
    ("location-attribute", "attribute-index", lambda m: table(m, "location")[1].attribute_indices.append(3)),
    ("stack", "stack-index", put(sample, "stack_index", 2)),
    ("link", "link-index", put(sample, "link_index", 2)),
    ("location", "location-index", lambda m: table(m, "stack")[1].location_indices.append(2)),
    ("mapping", "mapping-index", put(row("location"), "mapping_index", 2)),
    ("function", "function-index", lambda m: setattr(table(m, "location")[1].lines[0], "function_index", 2)),
    ("key-twice", "key-twice", lambda m: sample(m).attribute_indices.append(1)),
    ("sample-empty", "sample-empty", lambda m: (sample(m).ClearField("values"),
                                                sample(m).ClearField("timestamps_unix_nano"))),
    ("sample-counts", "sample-counts", lambda m: sample(m).values.append(1)),
    ("sample-values", "sample-values", lambda m: sample(m).ClearField("timestamps_unix_nano")),
    ("time-early", "time-range", lambda m: sample(m).timestamps_unix_nano.__setitem__(0, 999)),
    ("time-late", "time-range", lambda m: sample(m).timestamps_unix_nano.__setitem__(1, 1100)),
    ("shapes", "sample-shapes", lambda m: profile(m).samples.add(stack_index=1, timestamps_unix_nano=[1001])),
    ("mapping-range", "mapping-range", put(row("mapping"), "memory_limit", 4096)),
    ("line", "line-negative", lambda m: setattr(table(m, "location")[1].lines[0], "line", -1)),
    ("column", "line-negative", lambda m: setattr(table(m, "location")[1].lines[0], "column", -1)),
    ("start-line", "line-negative", put(row("function"), "start_line", -1)),
    ("trace-id", "id-length", put(row("link"), "trace_id", b"short")),
    ("span-id", "id-length", put(row("link"), "span_id", b"123456789")),
    ("string-twice", "duplicate", again("string")),
    ("mapping-twice", "duplicate", again("mapping")),
)

UNKNOWN = ("sample-values", "mapping-twice")


def main():
    if sys.argv[1:] == ["list"]:
        for name, rule, _ in BROKEN:
            print(name, rule, "ours" if name in UNKNOWN else "both")
        return
    _, command, name, out = sys.argv
    if command != "make":
        sys.exit(__doc__)
    message = sound(model.current())
    if name != "sound":
        {n: change for n, _, change in BROKEN}[name](message)
    model.save(out, message.SerializeToString())


if __name__ == "__main__":
    main()
