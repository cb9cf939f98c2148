"""The same message in other bytes: a protobuf writer of our own that uses every freedom the wire format gives."""
import random
import struct

VARIANTS = {
    # name: options of Writer
    "descending": {"order": "descending"},
    "shuffled": {"order": "shuffled"},
    "unpacked": {"unpacked": True},
    "chunked": {"chunked": True},
    "long-varints": {"long_varints": True},
    "defaults": {"defaults": True},
    "unknown": {"unknown": True},
    "split": {"split": True},
    "last-wins": {"last_wins": True},
    "zero-forms": {"zero_forms": True},
    "everything": {"order": "shuffled", "unpacked": True, "chunked": True, "long_varints": True, "defaults": True,
                   "unknown": True, "split": True, "last_wins": True, "zero_forms": True},
}

# Fields whose unpacked form is the packed form of another dialect's field: always packed.
TELLTALE = {("Sample", "attribute_indices"), ("Sample", "values")}


def is_repeated(f):
    return f.is_repeated if hasattr(f, "is_repeated") else f.label == f.LABEL_REPEATED


class Writer:
    def __init__(self, seed=1, order="ascending", unpacked=False, chunked=False, long_varints=False, defaults=False,
                 unknown=False, split=False, last_wins=False, zero_forms=False):
        self.r = random.Random(seed)
        self.order, self.unpacked, self.chunked, self.long_varints = order, unpacked, chunked, long_varints
        self.defaults, self.unknown, self.split = defaults, unknown, split
        self.last_wins, self.zero_forms = last_wins, zero_forms

    def varint(self, n):
        n &= 2**64 - 1
        out = bytearray()
        while n > 0x7f:
            out.append(n & 0x7f | 0x80)
            n >>= 7
        out.append(n)
        if self.long_varints and self.r.random() < 0.5:
            while len(out) < 10 and self.r.random() < 0.6:
                out[-1] |= 0x80
                out.append(0)
        return bytes(out)

    def tag(self, number, wire):
        # Tags stay short: some decoders take no more than five bytes for one.
        n, out = number << 3 | wire, bytearray()
        while n > 0x7f:
            out.append(n & 0x7f | 0x80)
            n >>= 7
        out.append(n)
        return bytes(out)

    def block(self, number, data):
        return self.tag(number, 2) + self.varint(len(data)) + data

    def scalar(self, f, v):
        """(wire type, bytes) of one value."""
        if f.type in (f.TYPE_FIXED64,):
            return 1, struct.pack("<Q", v)
        if f.type == f.TYPE_DOUBLE:
            return 1, struct.pack("<d", v)
        if f.type in (f.TYPE_INT32, f.TYPE_INT64, f.TYPE_UINT32, f.TYPE_UINT64, f.TYPE_BOOL, f.TYPE_ENUM):
            return 0, self.varint(int(v))
        raise ValueError(f.full_name)

    def field(self, msg, f):
        """A list of byte strings whose order among themselves matters."""
        value = getattr(msg, f.name)
        if f.message_type:
            items = list(value) if is_repeated(f) else [value]
            out = []
            for item in items:
                if self.split and not is_repeated(f) and f.containing_oneof is None and self.r.random() < 0.8:
                    out.extend(self.block(f.number, part) for part in self.parts(item))
                else:
                    out.append(self.block(f.number, self.message(item)))
            return out
        if f.type in (f.TYPE_STRING, f.TYPE_BYTES):
            items = list(value) if is_repeated(f) else [value]
            items = [v.encode() if isinstance(v, str) else v for v in items]
            out = [self.block(f.number, v) for v in items]
            if self.last_wins and not is_repeated(f) and self.r.random() < 0.3:
                out.insert(0, self.block(f.number, b"not this"))
            return out
        if not is_repeated(f):
            wire, data = self.scalar(f, value)
            out = [self.tag(f.number, wire) + data]
            if self.last_wins and self.r.random() < 0.3:
                wire, data = self.scalar(f, 1)
                out.insert(0, self.tag(f.number, wire) + data)
            return out
        encoded = [self.scalar(f, v) for v in value]
        telltale = (f.containing_type.name, f.name) in TELLTALE
        if self.unpacked and not telltale and self.r.random() < 0.8:
            return [self.tag(f.number, wire) + data for wire, data in encoded]
        if self.chunked and len(encoded) > 1:
            cut = self.r.randrange(1, len(encoded))
            out = [self.block(f.number, b"".join(d for _, d in part)) for part in (encoded[:cut], encoded[cut:])]
            out.insert(1, self.block(f.number, b""))
            return out
        return [self.block(f.number, b"".join(d for _, d in encoded))]

    def fields(self, msg):
        """[(descriptor, pieces)] of everything that is set (with defaults: of plain unset fields too)."""
        out = []
        present = {f.number for f, _ in msg.ListFields()}
        for f in msg.DESCRIPTOR.fields:
            if f.number in present:
                out.append((f, self.field(msg, f)))
            elif self.defaults and f.containing_oneof is None and not f.message_type and self.r.random() < 0.5:
                if is_repeated(f):
                    if f.type not in (f.TYPE_STRING, f.TYPE_BYTES):
                        out.append((f, [self.block(f.number, b"")]))
                elif not f.has_presence:
                    out.append((f, self.field(msg, f)))
        if self.last_wins and msg.DESCRIPTOR.name == "AnyValue" and present and self.r.random() < 0.5:
            # Another member of the oneof first: the later one replaces it.
            number = 2 if 2 not in present else 3
            out[0][1].insert(0, self.tag(number, 0) + b"\x01")
        if self.zero_forms and not present:
            name = msg.DESCRIPTOR.name
            empty = {"KeyValueAndUnit": [2], "Link": [1, 2]}.get(name, [])
            out = [(msg.DESCRIPTOR.fields_by_number[n], [self.block(n, b"")]) for n in empty]
        return out

    def interleave(self, fields):
        """Pieces of all fields in the order asked for; a field's own pieces keep theirs."""
        if self.order == "descending":
            fields = fields[::-1]
        if self.order != "shuffled":
            return [piece for _, pieces in fields for piece in pieces]
        slots = [i for i, (_, pieces) in enumerate(fields) for _ in pieces]
        self.r.shuffle(slots)
        queues = [iter(pieces) for _, pieces in fields]
        return [next(queues[i]) for i in slots]

    def noise(self):
        number = self.r.choice((1000, 2047, 2048, 100000, 2**29 - 1))
        return self.r.choice((
            self.tag(number, 0) + self.varint(self.r.randrange(2**64)),
            self.tag(number, 1) + self.r.randbytes(8),
            self.block(number, self.r.randbytes(self.r.choice((0, 3, 200)))),
            self.tag(number, 5) + self.r.randbytes(4)))

    def pieces(self, msg):
        pieces = self.interleave(self.fields(msg))
        if self.unknown:
            for _ in range(self.r.choice((0, 1, 3))):
                pieces.insert(self.r.randrange(len(pieces) + 1), self.noise())
        return pieces

    def message(self, msg):
        return b"".join(self.pieces(msg))

    def parts(self, msg):
        """A message cut in two or three: readers have to join them."""
        pieces = self.pieces(msg)
        cuts = sorted(self.r.randrange(len(pieces) + 1) for _ in range(2))
        return [b"".join(p) for p in (pieces[:cuts[0]], pieces[cuts[0]:cuts[1]], pieces[cuts[1]:])]


def rewrite(message, variant, seed):
    return Writer(seed=seed, **VARIANTS[variant]).message(message)


# Strings that are not UTF-8. A reader shows U+FFFD for each maximal invalid subpart, a writer writes it so.
BAD_STRINGS = (
    b"\xff", b"a\xffb", b"\xc3", b"\xc3(", b"\xe2\x82", b"\xe2\x82a\xe2", b"\xf0\x9f\x98", b"\xf0\x9f\x98x",
    b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xed\xbf\xbfz", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",
    b"\x80\x80", b"ok\xfe\xc3\xbc\xfe", b"\xf1\x80\x80\xe1\x80\xc2", b"\"\xff\\", b"\n\xff\t", b"\xff" * 20,
)


def bad_utf8(classes):
    """(bytes with bad strings in every kind of place, the same message with the strings repaired)."""
    from otlp_gen import minimal
    clean, dirty = minimal(classes), minimal(classes)
    replacements = []

    def both(apply):
        n = len(replacements)
        bad = BAD_STRINGS[n % len(BAD_STRINGS)] + b"-%03d" % n
        mark = ("@%03d" % n).ljust(len(bad), "~")
        replacements.append((mark.encode(), bad))
        apply(dirty, mark)
        apply(clean, bad.decode("utf-8", "replace"))

    def at(m):
        return m.resource_profiles[0], m.resource_profiles[0].scope_profiles[0]

    def table(i):
        def apply(m, s):
            m.dictionary.string_table[i] = s
        return apply

    both(lambda m, s: setattr(at(m)[0], "schema_url", s))
    both(lambda m, s: setattr(at(m)[1], "schema_url", s))
    both(lambda m, s: setattr(at(m)[1].scope, "name", s))
    both(lambda m, s: setattr(at(m)[1].scope, "version", s))
    both(lambda m, s: setattr(at(m)[1].profiles[0], "original_payload_format", s))
    for m in (clean, dirty):
        at(m)[1].profiles[0].original_payload = b"\xff\xfe kept as it is"
    both(lambda m, s: setattr(at(m)[0].resource.attributes.add(), "key", s))
    both(lambda m, s: setattr(at(m)[0].resource.attributes.add(key="v").value, "string_value", s))
    both(lambda m, s: setattr(m.dictionary.attribute_table[1].value.array_value.values.add(), "string_value", s))
    both(lambda m, s: setattr(m.dictionary.attribute_table[1].value.array_value.values.add()
                              .kvlist_value.values.add(), "key", s))
    for i in range(1, 8):
        both(table(i))
    # Every bad string once more, as names in one stack.
    for _ in range(len(BAD_STRINGS)):
        def frame(m, s):
            d = m.dictionary
            d.string_table.append(s)
            d.function_table.add(name_strindex=len(d.string_table) - 1)
            d.location_table.add().lines.add(function_index=len(d.function_table) - 1)
            d.stack_table[1].location_indices.append(len(d.location_table) - 1)
        both(frame)
    data = dirty.SerializeToString(deterministic=True)
    for mark, bad in replacements:
        assert len(bad) == len(mark) and data.count(mark) == 1, mark
        data = data.replace(mark, bad)
    return data, clean
