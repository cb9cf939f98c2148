# SPDX-License-Identifier: Apache-2.0
"""What refers to an object keeps it; close() and threads are safe."""
import gc
import threading
import weakref

import pytest
from conftest import build_shop, make_shop

import otprof


def test_views_keep_the_memory():
    profiles = otprof.open(make_shop().to_bytes())
    handle = weakref.ref(profiles._handle)
    values, times = profiles[0].columns().values, profiles[0].columns().times
    part = times[1:3]
    expected = (values.tolist(), part.tolist())
    profiles.close()
    del profiles, times
    gc.collect()
    junk = [make_shop() for _ in range(50)]
    assert handle() is not None
    assert (values.tolist(), part.tolist()) == expected
    del junk, values
    assert handle() is not None
    del part
    gc.collect()
    assert handle() is None


def test_numpy_arrays_keep_the_memory():
    pytest.importorskip("numpy")
    profiles = make_shop()
    handle = weakref.ref(profiles._handle)
    values = profiles[0].columns().numpy()["values"]
    del profiles
    gc.collect()
    assert handle() is not None and values.tolist() == [10, 10, 10, 5]
    del values
    gc.collect()
    assert handle() is None


def test_samples_keep_the_memory():
    sample = next(iter(otprof.open(make_shop().to_bytes())[0]))
    gc.collect()
    assert sample.stack[-1].function == "main"
    assert sample.profile.resource.attributes["service.name"] == "shop"


def test_input_is_kept():
    data = bytearray(make_shop().to_bytes())
    profiles = otprof.open(data)
    data[:] = bytes(len(data))
    assert profiles[0].type == "cpu"
    assert next(iter(profiles[0])).stack[-1].function == "main"


def test_closed(shop):
    profile = shop[0]
    sample = next(iter(profile))
    with shop as same:
        assert same is shop and not shop.closed
    assert shop.closed
    shop.close()
    for use in (lambda: len(shop), lambda: shop[0], lambda: profile.type,
                lambda: sample.stack, lambda: shop.to_bytes(),
                lambda: profile.columns(), lambda: profile.id,
                lambda: otprof.merge([shop]), shop.__enter__):
        with pytest.raises(ValueError, match="closed"):
            use()
    assert repr(shop) == "<otprof.Profiles, closed>"


def test_builder_and_what_was_taken():
    builder = otprof.Builder()
    build_shop(builder)
    profiles = builder.take()
    builder.close()
    with pytest.raises(ValueError, match="builder is closed"):
        builder.resource()
    del builder
    gc.collect()
    assert profiles[0].total == 35


def in_threads(function, nr=4):
    errors = []

    def run():
        try:
            function()
        except Exception as e:
            errors.append(e)

    threads = [threading.Thread(target=run) for _ in range(nr)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_many_threads_read(shop):
    expected = shop.to_bytes()

    def work():
        for _ in range(20):
            assert shop.to_bytes() == expected
            assert shop.filter("cpu")[0].total == 35
            assert [s.value for s in shop[0]] == [30, 5]
            assert next(iter(shop[0])).stack[-1].function == "main"

    assert in_threads(work) == []


def test_close_while_others_read():
    data = make_shop().to_bytes()
    for _ in range(20):
        profiles = otprof.open(data)

        def work():
            for _ in range(30):
                assert profiles.to_bytes()
                for sample in profiles[0]:
                    assert sample.stack
            profiles.close()

        errors = in_threads(work)
        assert all(isinstance(e, ValueError) for e in errors)


def test_many_threads_build():
    with otprof.Builder() as b:
        profile = b.profile(b.scope(b.resource()), "cpu", "count")

        def work():
            for i in range(200):
                stack = b.stack([b.location(f"f{i % 10}"), b.location("main")])
                b.add(profile, stack, 1)

        assert in_threads(work) == []
        [built] = b.take()
    assert built.total == 800 and len(built) == 10
