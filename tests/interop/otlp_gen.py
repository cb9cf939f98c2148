"""Random but valid ProfilesData messages that use everything the format has."""
import random

I64 = (-2**63, -2**63 + 1, -1, 0, 1, 127, 128, 2**31, 2**32, 2**53 + 1, 2**63 - 1)
U64 = (0, 1, 127, 128, 16383, 16384, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1)
DOUBLES = (0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 1e15, 1e16, 1e17, 123456789012345680.0, 5e-324, 1.7976931348623157e308,
           2.0**53, 1e-7, float("inf"), float("-inf"), float("nan"), 3.141592653589793, 1e100, 100.0)
STRINGS = ('a "quoted" word', "back\\slash", "tab\there", "new\nline", "\x7f\x1b[0m", "nul\0inside", "süß", "日本語",
           "\U0001f525\U0001f9ef", "\ufeffbom", "\ufffd", "\u2028", "\x80\x9f", " lead and trail ", "; < @0x1 {x}", "-",
           "a=b c=d", "'", "std::vector<int, std::allocator<int>>::push_back(int&&)", "long" * 80, "x" * 128, "%s%n%d",
           "[vdso]", "//anon", "e\u0301", "a" * 16390, "\t", "?", "??", "\\u0041", "0x", "null")
UNITS = ("By", "ns", "count", "{request}", "1", "m s", "µs", "1/\"s\"")
FRAME_TYPES = ("native", "kernel", "jvm", "cpython", "go", "v8js", "custom-runtime")
TYPES = (("samples", "count"), ("cpu", "nanoseconds"), ("off_cpu", "nanoseconds"), ("alloc_space", "bytes"),
         ("alloc_objects", "count"), ("a type", "µs"), ("events", ""), ("", ""))


class Limits:
    """What an older dialect cannot say; all allowed by default."""

    def __init__(self, references=True, zero_function=True, zero_location=True, unit_by_key=False, entities=True,
                 big_times=True, dirty=True):
        self.references = references
        self.zero_function = zero_function
        self.zero_location = zero_location
        self.unit_by_key = unit_by_key
        self.entities = entities
        self.big_times = big_times
        self.dirty = dirty


class Gen:
    def __init__(self, classes, seed, size, limits=None):
        self.c = classes
        self.r = random.Random("%d/%d" % (seed, size))
        self.seed, self.size = seed, size
        self.lim = limits or Limits()
        self.data = classes.ProfilesData()
        self.d = self.data.dictionary
        self.strings = {}
        self.units = {}

    # small things

    def chance(self, p):
        return self.r.random() < p

    def string(self, s):
        if s not in self.strings:
            self.strings[s] = len(self.d.string_table)
            self.d.string_table.append(s)
        return self.strings[s]

    def text(self, empty=0.05):
        x = self.r.random()
        if x < empty:
            return ""
        if x < 0.35:
            return self.r.choice(STRINGS)
        return "%s_%d" % (self.r.choice(("fn", "do_work", "Main.run", "ns::f", "x.c")), self.r.randrange(self.size + 5))

    def u64(self):
        return self.r.choice(U64) if self.chance(0.4) else self.r.randrange(2**self.r.randrange(1, 64))

    def i64(self):
        return self.r.choice(I64) if self.chance(0.3) else self.r.randrange(-1000, 100000)

    def line(self):
        return self.r.choice((0, 0, 1, 42, 127, 128, 70000, 2**31, 2**63 - 1))

    def fill_value(self, v, depth=0):
        kind = self.r.randrange(6 if depth >= 3 else 9)
        if kind == 0:
            if self.lim.references and self.chance(0.5):
                v.string_value_strindex = self.string(self.text())
            else:
                v.string_value = self.text(0.2)
        elif kind == 1:
            v.bool_value = self.chance(0.5)
        elif kind == 2:
            v.int_value = self.i64()
        elif kind == 3:
            v.double_value = self.r.choice(DOUBLES) if self.chance(0.7) else self.r.uniform(-1e6, 1e6)
        elif kind == 4:
            v.bytes_value = self.r.randbytes(self.r.choice((0, 1, 5, 200)))
        elif kind == 5:
            pass
        elif kind == 6:
            v.array_value.SetInParent()
            for _ in range(self.r.randrange(4)):
                self.fill_value(v.array_value.values.add(), depth + 1)
        else:
            v.kvlist_value.SetInParent()
            for i in range(self.r.randrange(4)):
                self.fill_keyvalue(v.kvlist_value.values.add(), "%s%d" % (self.text(), i), depth + 1)

    def fill_keyvalue(self, kv, key, depth=0):
        if self.lim.references and self.chance(0.5):
            kv.key_strindex = self.string(key)
        else:
            kv.key = key
        self.fill_value(kv.value, depth)
        if kv.value.WhichOneof("value") is None and self.chance(0.5):
            kv.value.SetInParent()

    # tables

    def unit(self, key):
        if not self.lim.unit_by_key:
            return self.string(self.r.choice(UNITS)) if self.chance(0.3) else 0
        if key not in self.units:
            self.units[key] = self.string(self.r.choice(UNITS)) if self.chance(0.4) else 0
        return self.units[key]

    def attribute(self, key, fill, unit=None):
        a = self.d.attribute_table.add()
        a.key_strindex = self.string(key)
        a.value.SetInParent()
        fill(a.value)
        a.unit_strindex = self.unit(key) if unit is None else unit
        return len(self.d.attribute_table) - 1

    def string_attribute(self, key, value):
        def fill(v):
            v.string_value = value
        return self.attribute(key, fill, 0)

    def bool_attribute(self, key):
        def fill(v):
            v.bool_value = True
        return self.attribute(key, fill, 0)

    def int_attribute(self, key, value):
        def fill(v):
            v.int_value = value
        return self.attribute(key, fill, 0)

    def pick_attributes(self, groups, most):
        """At most one attribute of each group: the keys in one list must be unique."""
        count = self.r.randrange(most + 1)
        return [self.r.choice(g) for g in self.r.sample(groups, min(count, len(groups)))]

    def tables(self):
        d, n = self.d, self.size
        d.mapping_table.add()
        d.location_table.add()
        d.function_table.add()
        zero = d.link_table.add()
        if self.chance(0.5):
            zero.trace_id, zero.span_id = bytes(16), bytes(8)
        self.string("")
        d.attribute_table.add()
        d.stack_table.add()

        self.attr_groups = []
        for i in range(6 + n // 20):
            key = "key.%d" % i if self.chance(0.7) else self.r.choice(STRINGS) + str(i)
            self.attr_groups.append([self.attribute(key, self.fill_value) for _ in range(self.r.randrange(1, 4))])
        self.attr_groups.append([self.int_attribute("thread.id", t) for t in (1, 2, 2**31, 4242)])
        self.attr_groups.append([self.string_attribute("thread.name", t) for t in ("main", "worker 1", "süß")])
        self.attr_groups.append([self.attribute("alloc", lambda v: setattr(v, "int_value", 42))])
        frame_types = [self.string_attribute("profile.frame.type", t) for t in FRAME_TYPES]
        folded = self.bool_attribute("pprof.location.is_folded")
        flags = [self.bool_attribute("pprof.mapping.has_" + f)
                 for f in ("functions", "filenames", "line_numbers", "inline_frames")]

        for i in range(3 + n // 10):
            m = d.mapping_table.add()
            if self.chance(0.8):
                low = self.r.choice((0, 0x400000, 0x7f0000000000, 2**63, 2**64 - 4096)) + i
                m.memory_start = low
                m.memory_limit = min(2**64 - 1, low + self.r.choice((1, 4096, 2**40)))
            m.file_offset = self.u64()
            m.filename_strindex = self.string("/usr/lib/lib%d.so" % i if self.chance(0.7) else self.text(0) + str(i))
            if self.chance(0.7):
                m.attribute_indices.append(
                    self.string_attribute("process.executable.build_id.gnu", self.r.randbytes(20).hex()))
            if self.chance(0.3):
                m.attribute_indices.append(
                    self.string_attribute("process.executable.build_id.htlhash", self.r.randbytes(16).hex()))
            m.attribute_indices.extend(f for f in flags if self.chance(0.2))
            if self.chance(0.2):
                m.attribute_indices.extend(self.pick_attributes(self.attr_groups[:3], 2))

        for _ in range(5 + n):
            f = d.function_table.add()
            f.name_strindex = self.string(self.text())
            if self.chance(0.5):
                f.system_name_strindex = self.string("_Z" + self.text()) if self.chance(0.7) else f.name_strindex
            if self.chance(0.6) or not (f.name_strindex or f.system_name_strindex):
                f.filename_strindex = self.string("src/%s.c" % self.text())
            f.start_line = self.line()

        for _ in range(8 + 2 * n):
            loc = d.location_table.add()
            if self.chance(0.7):
                loc.mapping_index = self.r.randrange(1, len(d.mapping_table))
            if self.chance(0.8):
                loc.address = self.u64()
            for _ in range(self.r.choice((0, 0, 1, 1, 1, 2, 4))):
                ln = loc.lines.add()
                low = 0 if self.lim.zero_function and self.chance(0.1) else 1
                ln.function_index = self.r.randrange(low, len(d.function_table))
                ln.line = self.line()
                ln.column = self.line() if self.chance(0.4) else 0
            if self.chance(0.5):
                loc.attribute_indices.append(self.r.choice(frame_types))
            if self.chance(0.15):
                loc.attribute_indices.append(folded)
            if self.chance(0.15):
                loc.attribute_indices.extend(self.pick_attributes(self.attr_groups[:4], 2))

        for _ in range(3 + n // 5):
            link = d.link_table.add()
            link.trace_id, link.span_id = self.r.randbytes(16), self.r.randbytes(8)

        low = 0 if self.lim.zero_location else 1
        for _ in range(4 + n // 2):
            stack = d.stack_table.add()
            depth = self.r.choice((1, 2, 3, 8, 40, 130 if n > 30 else 5))
            stack.location_indices.extend(self.r.randrange(low, len(d.location_table)) for _ in range(depth))

    # messages

    def keyvalues(self, where, keys):
        for key in keys:
            self.fill_keyvalue(where.add(), key)

    def resource(self, rp):
        if self.chance(0.1):
            return
        rp.schema_url = self.r.choice(("", "https://example.org/schema/1.2.3", "süß"))
        res = rp.resource
        for key, value in (("service.name", self.text(0)), ("host.name", "box")):
            kv = res.attributes.add()
            self.fill_keyvalue(kv, key)
            kv.value.Clear()
            kv.value.string_value = value
        if self.lim.references and self.chance(0.7):
            kv = res.attributes.add()
            kv.key_strindex = self.string("service.version")
            kv.value.string_value_strindex = self.string("1.2.3")
        self.keyvalues(res.attributes, ["r%d.%s" % (i, self.text()) for i in range(self.r.randrange(5))])
        res.dropped_attributes_count = self.r.choice((0, 0, 1, 2**32 - 1))
        if self.lim.entities and self.chance(0.6):
            e = res.entity_refs.add(type="service", id_keys=["service.name"])
            if self.chance(0.5):
                e.schema_url = "https://example.org/entity"
                e.description_keys.append("host.name")
            if self.chance(0.3):
                res.entity_refs.add(type="host", id_keys=["host.name"])

    def scope(self, sp):
        sp.schema_url = self.r.choice(("", "https://example.org/scope"))
        if self.chance(0.2):
            return
        sp.scope.name = self.text(0.1)
        sp.scope.version = self.r.choice(("", "1.0", "süß"))
        self.keyvalues(sp.scope.attributes, ["s%d" % i for i in range(self.r.randrange(3))])
        sp.scope.dropped_attributes_count = self.r.choice((0, 0, 7))

    def profile(self, pr, shape):
        kind, unit = self.r.choice(TYPES)
        if (kind, unit) != ("", ""):
            pr.sample_type.type_strindex = self.string(kind)
            pr.sample_type.unit_strindex = self.string(unit)
        if self.lim.big_times and self.chance(0.2):
            pr.time_unix_nano, pr.duration_nano = self.r.choice(((0, 2**64 - 1), (2**63, 2**63 - 1), (2**64 - 100, 99)))
        else:
            pr.time_unix_nano = 1700000000000000000 + self.r.randrange(10**15)
            pr.duration_nano = self.r.choice((1, 10**9, 60 * 10**9))
        if self.chance(0.6):
            pr.period_type.type_strindex = self.string("cpu")
            pr.period_type.unit_strindex = self.string("nanoseconds")
            pr.period = self.r.choice((0, 1, 52631578, 2**63 - 1))
        if self.chance(0.7):
            pr.profile_id = self.r.randbytes(15) + b"\x01"
        pr.dropped_attributes_count = self.r.choice((0, 0, 3, 2**32 - 1))
        if self.chance(0.3):
            pr.original_payload_format = self.r.choice(("pprof", "jfr", "own/format"))
            pr.original_payload = self.r.randbytes(self.r.choice((1, 100, 1000)))
        pr.attribute_indices.extend(self.pick_attributes(self.attr_groups, 3))
        if self.chance(0.2):
            def fill(v):
                v.array_value.values.add(string_value="first remark")
                v.array_value.values.add(string_value="second, süß")
            pr.attribute_indices.append(self.attribute("pprof.profile.comment", fill, 0))

        seen = set()
        for _ in range(self.r.randrange(self.size + 1) if self.chance(0.9) else 0):
            stack = 0 if self.chance(0.05) else self.r.randrange(1, len(self.d.stack_table))
            attrs = self.pick_attributes(self.attr_groups, 3) if self.chance(0.7) else []
            link = self.r.randrange(1, len(self.d.link_table)) if self.chance(0.3) else 0
            identity = (stack, tuple(sorted(attrs)), link)
            if identity in seen and not (self.lim.dirty and self.seed % 4 == 3):
                continue
            seen.add(identity)
            s = pr.samples.add(stack_index=stack, attribute_indices=attrs, link_index=link)
            count = self.r.choice((1, 1, 2, 5, 40))
            if shape == "aggregate":
                s.values.append(self.i64())
                continue
            for _ in range(count):
                s.timestamps_unix_nano.append(pr.time_unix_nano + self.r.randrange(pr.duration_nano))
                if shape == "observations":
                    s.values.append(self.i64())

    def run(self):
        self.tables()
        shapes = ["aggregate", "timestamps", "observations"]
        for _ in range(self.r.randrange(1, 4)):
            rp = self.data.resource_profiles.add()
            self.resource(rp)
            for _ in range(self.r.randrange(1, 3)):
                sp = rp.scope_profiles.add()
                self.scope(sp)
                for _ in range(self.r.randrange(1, 4)):
                    self.profile(sp.profiles.add(), self.r.choice(shapes))
        return self.data


def generate(classes, seed, size, limits=None):
    return Gen(classes, seed, size, limits).run()


def minimal(classes):
    """Smallest useful message, for tests that craft bytes: one profile, two samples, every table in use."""
    data = classes.ProfilesData()
    d = data.dictionary
    d.mapping_table.add()
    d.location_table.add()
    d.function_table.add()
    d.link_table.add(trace_id=bytes(16), span_id=bytes(8))
    d.attribute_table.add()
    d.stack_table.add()
    d.string_table.extend(["", "samples", "count", "main", "main.c", "/bin/app", "thread.name", "service.name"])
    a = d.attribute_table.add(key_strindex=6)
    a.value.string_value = "worker"
    d.mapping_table.add(memory_start=0x1000, memory_limit=0x2000, filename_strindex=5)
    d.function_table.add(name_strindex=3, filename_strindex=4)
    loc = d.location_table.add(mapping_index=1, address=0x1234)
    loc.lines.add(function_index=1, line=7)
    d.stack_table.add(location_indices=[1])
    d.link_table.add(trace_id=bytes(range(1, 17)), span_id=bytes(range(1, 9)))
    rp = data.resource_profiles.add()
    rp.resource.attributes.add(key="service.name").value.string_value = "shop"
    sp = rp.scope_profiles.add()
    sp.scope.name = "scope"
    p = sp.profiles.add(time_unix_nano=1700000000000000000, duration_nano=10**9, profile_id=bytes(range(1, 17)))
    p.sample_type.type_strindex, p.sample_type.unit_strindex = 1, 2
    p.samples.add(stack_index=1, attribute_indices=[1], link_index=1, values=[3])
    p.samples.add(stack_index=0, values=[4])
    return data
