# SPDX-License-Identifier: Apache-2.0
"""The builder: messages, ids, quotas, wrong arguments."""
import pytest
from conftest import START, build_shop

import otprof


def begin(b):
    scope = b.scope(b.resource({"service.name": "s"}))
    return b.profile(scope, "cpu", "count")


def test_take_keeps_rows():
    with otprof.Builder() as b:
        stack = b.stack([b.location("main")])
        for i in (1, 2):
            profile = begin(b)
            b.add(profile, stack, i)
            profiles = b.take()
            assert profiles[0].total == i
            assert next(iter(profiles[0])).stack[0].function == "main"
        assert b.stack([b.location("main")]) == stack
        assert len(b.take()) == 0


def test_ids_end_with_take():
    with otprof.Builder() as b:
        profile = begin(b)
        b.take()
        stack = b.stack([b.location("main")])
        b.add(profile, stack, 1)
        with pytest.raises(otprof.Error) as caught:
            b.take()
        assert caught.value.code is otprof.ErrorCode.EUSAGE


def test_compact():
    with otprof.Builder() as b:
        for i in range(2000):
            b.location(otprof.Frame(f"function number {i}", "file.c", i))
        stack = b.stack([b.location("main")])
        b.add(begin(b), stack, 1)
        b.take()
        before = b.bytes
        b.compact()
        assert b.bytes < before / 2
        b.add(begin(b), stack, 1)
        with pytest.raises(otprof.Error, match="compact"):
            b.take()


def test_compact_at_the_wrong_time():
    with otprof.Builder() as b:
        begin(b)
        with pytest.raises(otprof.Error, match="while profiles are built"):
            b.compact()


def test_wrong_id_is_reported_at_once():
    with otprof.Builder() as b:
        with pytest.raises(otprof.Error, match="no resource 9 was built"):
            b.scope(9)
    with otprof.Builder() as b:
        with pytest.raises(otprof.Error, match="no scope 9 was built"):
            b.profile(9)
    with otprof.Builder() as b:
        with pytest.raises(otprof.Error, match="no attribute set 9 was built"):
            b.profile(b.scope(b.resource()), attributes=9)


def test_wrong_id_is_reported_by_take():
    with otprof.Builder() as b:
        b.stack([77])
        with pytest.raises(otprof.Error, match="no location 77 was built"):
            b.take()


def test_totals_and_observations_do_not_mix():
    with otprof.Builder() as b:
        profile, stack = begin(b), b.stack([b.location("main")])
        b.add(profile, stack, 1)
        b.observe(profile, stack, 1, START)
        with pytest.raises(otprof.Error):
            b.take()


def test_quota():
    with otprof.Builder(mem_quota=100_000) as b:
        for i in range(10_000):
            b.location(f"function {i}")
        with pytest.raises(otprof.Error) as caught:
            b.take()
        assert caught.value.code is otprof.ErrorCode.ENOMEM


def test_numbers_are_not_truncated():
    with otprof.Builder() as b:
        profile, stack = begin(b), b.stack([b.location("main")])
        for call in (lambda: b.add(profile, stack, 1 << 63),
                     lambda: b.add(profile + (1 << 32), stack, 1),
                     lambda: b.add(profile, stack, 1, link=-1),
                     lambda: b.observe(profile, stack, 1, -1),
                     lambda: b.observe(profile, stack, 1, 1 << 64),
                     lambda: b.attributes({"a": 1 << 63}),
                     lambda: b.location(otprof.Frame("f", address=-1)),
                     lambda: b.mapping("f", start=1 << 64),
                     lambda: otprof.Builder(mem_quota=-1)):
            with pytest.raises(OverflowError, match="is not between"):
                call()
        b.add(profile, stack, -(1 << 63))
        assert b.take()[0].total == -(1 << 63)


def test_wrong_types():
    with otprof.Builder() as b:
        with pytest.raises(TypeError, match="value of type set"):
            b.attributes({"a": set()})
        with pytest.raises(TypeError, match="must be a str, not int"):
            b.attributes({1: "a"})
        with pytest.raises(ValueError, match="trace_id must have 16 bytes"):
            b.link(b"short", bytes(8))
        with pytest.raises(ValueError, match="profile id must have 16"):
            b.profile(b.scope(b.resource()), id=b"short")
        with pytest.raises(ValueError, match="name has a NUL"):
            b.scope(b.resource(), "a\0b")
        with pytest.raises(TypeError):
            b.stack(["main"])
        assert len(b.take()) == 0


def test_deep_attributes():
    def nested(depth):
        value = 1
        for _ in range(depth):
            value = [value]
        return value

    with otprof.Builder() as b:
        b.resource({"deep": nested(60)})
        with pytest.raises(otprof.Error) as caught:
            b.resource({"deep": nested(70)})
        assert caught.value.code is otprof.ErrorCode.ELIMIT


def test_payload():
    with otprof.Builder() as b:
        profile = b.profile(b.scope(b.resource()), "cpu", payload=b"\0raw",
                            payload_format="jfr")
        b.add(profile, b.stack([b.location("main")]), 1)
        [profile] = otprof.open(b.take().to_bytes())
    assert (profile.payload, profile.payload_format) == (b"\0raw", "jfr")


def test_names_that_are_no_utf8():
    """As os.fsdecode() gives them; the library replaces the bytes."""
    with otprof.Builder() as b:
        b.add(begin(b), b.stack([b.location("a\udcffb")]), 1)
        [[sample]] = b.take()
    assert sample.stack[0].function == "a\ufffdb"


def test_frames_of_one_profile_in_another(shop):
    with otprof.Builder() as b:
        mapping = b.mapping(*shop.mappings[0])
        profile = begin(b)
        for sample in shop[1]:
            b.add(profile, b.stack(
                b.location(shop.location(row), mapping)
                for row in dict.fromkeys(f.location_id
                                         for f in sample.stack)),
                sample.value)
        [copy] = b.take()
    assert [[f[:8] for f in s.stack] for s in copy] == [
        [f[:8] for f in s.stack] for s in shop[1]]


def test_equal_builds_are_equal_bytes():
    def built():
        with otprof.Builder() as b:
            build_shop(b)
            return b.take().to_bytes()

    assert built() == built()
