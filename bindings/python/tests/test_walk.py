# SPDX-License-Identifier: Apache-2.0
"""Profiles, samples, frames, mappings, attributes, columns."""
import array

import pytest
from conftest import SPAN, START, TRACE

import otprof


def test_profiles_are_a_sequence(shop):
    assert len(shop) == 2
    assert [p.index for p in shop] == [0, 1]
    assert shop[-1].type == "alloc_space"
    assert [p.type for p in shop[:1]] == ["cpu"]
    for index in (2, -3):
        with pytest.raises(IndexError):
            shop[index]


def test_profile(shop):
    cpu = shop[0]
    assert (cpu.type, cpu.unit) == ("cpu", "nanoseconds")
    assert (cpu.period_type, cpu.period_unit, cpu.period) == (
        "cpu", "nanoseconds", 10)
    assert (cpu.time_unix_nano, cpu.duration_nano) == (START, 1000)
    assert cpu.id == TRACE
    assert shop[1].id is None
    assert cpu.attributes == {"profile.key": "v"}
    assert (cpu.total, len(cpu)) == (35, 2)
    assert (cpu.payload, cpu.payload_format) == (b"", "")
    assert repr(cpu) == ("<otprof.Profile 0 cpu/nanoseconds, 2 samples, "
                         "total 35>")


def test_resource_and_scope(shop):
    assert shop.resources == (shop[0].resource,)
    assert shop[0].resource.attributes == {"service.name": "shop",
                                           "process.pid": 7}
    assert shop[0].scope == otprof.Scope("test", "1.0",
                                         shop[0].scope.attributes)
    assert shop[0].scope.attributes == {"scope.key": True}


def test_observations(shop):
    deep, flat = shop[0]
    assert deep.values == (10, 10, 10) and deep.value == 30
    assert deep.times == (START, START + 1, START + 2)
    assert deep.attributes == {"thread.id": 42, "thread.name": "worker"}
    assert deep.link == otprof.Link(TRACE, SPAN)
    assert (flat.values, flat.times) == ((5,), (START + 9,))
    assert flat.link is None and flat.attributes == {}
    assert repr(deep) == "<otprof.Sample main;parse;inlined 30>"


def test_totals(shop):
    assert [(s.values, s.times) for s in shop[1]] == [((150,), ()), ((1,), ())]


def test_values_of_one_are_there():
    with otprof.Builder() as b:
        scope = b.scope(b.resource())
        profile = b.profile(scope, "samples", "count")
        stack = b.stack([b.location("main")])
        b.observe(profile, stack, 1, START)
        b.observe(profile, stack, 1, START + 5)
        profiles = b.take()
    assert profiles[0].columns().value_at is None
    [sample] = profiles[0]
    assert sample.values == (1, 1) and sample.value == 2


def test_frames(shop):
    inlined, parse, main = next(iter(shop[0])).stack
    assert (inlined.function, inlined.line, inlined.is_inlined) == (
        "inlined", 21, True)
    assert (parse.function, parse.is_inlined, parse.address) == (
        "parse", False, 0x2020)
    assert parse.attributes == {"frame.type": "native"}
    assert inlined.location_id == parse.location_id
    assert shop.location(parse.location_id) == (inlined, parse)
    assert main[:7] == ("main", "shop.c", 10, 3, "_main", 0x1010,
                        "/usr/bin/shop")
    assert str(main) == "main"
    assert str(otprof.Frame(address=0x10)) == "0x10"
    assert shop.stack(0) == shop.stack(99999) == shop.location(99999) == ()


def test_mappings(shop):
    [mapping] = shop.mappings
    assert mapping[:5] == ("/usr/bin/shop", 0x1000, 0x9000, 0x10,
                           "abcdef0123456789")
    frame = next(iter(shop[0])).stack[-1]
    assert shop.mapping(frame.mapping_id) == mapping
    with pytest.raises(otprof.Error, match="no mapping 99"):
        shop.mapping(99)


def test_rows(shop):
    rows = shop.nr_rows
    assert rows["stacks"] == 3 and rows["mappings"] == 2
    assert set(rows) == {"mappings", "locations", "functions", "links",
                         "stacks", "attributes"}


VALUES = {
    "none": None, "string": "gr\u00fc\u00df \U0001f600", "empty": "",
    "true": True, "false": False, "int": -(1 << 63), "big": (1 << 63) - 1,
    "double": 1.5, "bytes": b"\0\xff", "no bytes": b"",
    "array": [1, "two", [3.0, None], {"four": b"5"}], "no array": [],
    "map": {"a": {"b": [True]}, "c": "d"}, "no map": {},
}


def test_attributes_of_every_kind():
    with otprof.Builder() as b:
        scope = b.scope(b.resource(VALUES), "s", "", VALUES)
        profile = b.profile(scope, "cpu", "count", attributes=VALUES)
        b.add(profile, b.stack([b.location("main")]), 1, attributes=VALUES)
        built = b.take()
    for profiles in (built, otprof.open(built.to_bytes()),
                     otprof.open(built.to_bytes("otlp-json"))):
        [profile] = profiles
        [sample] = profile
        for found in (profile.attributes, profile.resource.attributes,
                      profile.scope.attributes, sample.attributes):
            assert dict(found) == VALUES
            assert all(type(found[k]) is type(v) for k, v in VALUES.items())


def test_attributes_with_units_and_twice():
    attributes = [otprof.Attribute("bytes", 5, "By"),
                  otprof.Attribute("bytes", 6), otprof.Attribute("x", "y")]
    with otprof.Builder() as b:
        profile = b.profile(b.scope(b.resource()), "cpu", "count")
        b.add(profile, b.stack([b.location("main")]), 1,
              attributes=b.attributes(attributes))
        [[sample]] = b.take()
    found = sample.attributes
    assert found.all == tuple(attributes)
    assert found["bytes"] == 5 and found.getall("bytes") == [5, 6]
    assert found.unit("bytes") == "By" and found.unit("x") == ""
    assert len(found) == 2 and list(found) == ["bytes", "x"]
    assert "nope" not in found and found.get("nope") is None
    assert repr(found) == "Attributes({'bytes': 5, 'bytes': 6, 'x': 'y'})"


def test_map_with_a_key_twice():
    """Such a map is no dict: that would lose a value."""
    twice = otprof.Attributes([otprof.Attribute("k", 1),
                               otprof.Attribute("k", 2)])
    with otprof.Builder() as b:
        b.profile(b.scope(b.resource({"map": twice})), "cpu", "count")
        [profile] = b.take()
    assert profile.resource.attributes["map"].getall("k") == [1, 2]


def test_columns(shop):
    cols = shop[0].columns()
    assert list(cols.stacks) == [s.stack_id for s in shop[0]]
    assert list(cols.attributes) == [s.attributes_id for s in shop[0]]
    assert list(cols.links) == [s.link_id for s in shop[0]]
    assert list(cols.value_at) == list(cols.time_at) == [0, 3, 4]
    assert cols.values.tolist() == [10, 10, 10, 5]
    assert cols.times.tolist() == [START, START + 1, START + 2, START + 9]
    assert array.array("q", cols.values).tolist() == cols.values.tolist()
    with pytest.raises(TypeError):
        cols.values[0] = 1
    assert shop[1].columns().time_at is None
    assert shop[0].link(cols.links[0]) == otprof.Link(TRACE, SPAN)
    with pytest.raises(otprof.Error, match="has link 9"):
        shop[0].link(9)


def test_columns_of_nothing():
    with otprof.Builder() as b:
        b.profile(b.scope(b.resource()), "cpu", "count")
        [profile] = b.take()
    cols = profile.columns()
    assert len(cols.stacks) == len(cols.values) == len(cols.times) == 0
    assert list(profile) == []


def test_columns_as_numpy(shop):
    numpy = pytest.importorskip("numpy")
    cols = shop[0].columns().numpy()
    assert cols["values"].sum() == 35 and cols["values"].dtype == numpy.int64
    assert cols["times"].dtype == numpy.uint64
    assert not cols["values"].flags.writeable
    assert "time_at" not in shop[1].columns().numpy()
