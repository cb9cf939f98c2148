# SPDX-License-Identifier: Apache-2.0
"""Builder: makes profiles, message after message."""
from __future__ import annotations

import ctypes
import threading
from ctypes import byref
from typing import Any, Iterable, Optional, Union

from . import _library as c
from ._errors import Error, c_string, check, i64, u32, u64
from ._library import lib
from ._profiles import Profiles, made
from ._rows import Frame, Handle
from ._values import AttributeSource, Pool

# Attributes, or the id of a set that was built before.
AttributeSet = Union[AttributeSource, int, None]
AnyFrame = Union[Frame, str]
# Builder.bytes hides the type within the class.
Bytes = bytes


class Builder:
    """Collects profiles and the tables that they share.

    A profiler keeps one for as long as it runs: it calls observe() for each
    sample, take() for each message, and compact() now and then.

    Methods that add something return its id, an int. An id of a resource,
    scope or profile is valid until take(), any other until compact(). An id
    that is invalid, and memory above the quota, raise Error in the same call
    if it returns the id of a resource, scope or profile, else in take() or
    compact(). After an Error the builder can only be closed.

    Any number of threads may use a builder; each call locks it.
    """

    def __init__(self, mem_quota: int = 0):
        """mem_quota: bytes that the builder may take; 0: no limit."""
        out, err = ctypes.c_void_p(), c.Err()
        lib.builder_new(u64(mem_quota, "mem_quota"), byref(out), byref(err))
        check(err)
        self._owned: Optional[Handle] = Handle(out.value, lib.builder_free)
        # A signal handler of Python may interrupt a call between two steps of
        # the interpreter, but never within the library.
        self._lock = threading.RLock()

    @property
    def _handle(self) -> Handle:
        if self._owned is None:
            raise ValueError("the builder is closed")
        return self._owned

    def close(self) -> None:
        """Frees the builder. Objects that were taken stay."""
        self._owned = None

    def __enter__(self) -> Builder:
        self._handle
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _call(self, function: Any, *args: Any) -> Any:
        with self._lock:
            return function(self._handle, *args)

    def _added(self, function: Any, *args: Any) -> int:
        """Calls a function that returns 0 only if something failed."""
        with self._lock:
            added = int(function(self._handle, *args))
            if not added:
                self._fail()
            return added

    def _fail(self) -> None:
        """Raises what a call before has failed for."""
        err = c.Err()
        lib.builder_compact(self._handle, byref(err))
        check(err)
        raise Error("the builder has failed")

    # --- messages ---

    def take(self) -> Profiles:
        """What was built since the last call, with the rows that it uses. The
        builder goes on without resources, scopes and profiles; ids of all
        other rows stay valid, and adding an equal row again gives the same id.
        """
        with self._lock:
            return made(lib.builder_take, self._handle)

    def compact(self) -> None:
        """Drops the rows that the object last taken does not use, right after
        take(). All ids that were returned before are invalid from now on."""
        err = c.Err()
        self._call(lib.builder_compact, byref(err))
        check(err)

    @property
    def bytes(self) -> int:
        """Bytes that the builder takes, to decide when to compact it."""
        return int(self._call(lib.builder_bytes))

    # --- resources, scopes and profiles ---

    def resource(self, attributes: Optional[AttributeSource] = None) -> int:
        """Adds a resource: {"service.name": "shop"}."""
        pool = Pool(attributes)
        return self._added(lib.build_resource, pool.attrs, pool.nr)

    def scope(self, resource: int, name: str = "", version: str = "",
              attributes: Optional[AttributeSource] = None) -> int:
        """Adds a scope, which names the profiler, to a resource."""
        pool = Pool(attributes)
        return self._added(lib.build_scope, u32(resource, "resource"),
                           c_string(name, "name"),
                           c_string(version, "version"), pool.attrs, pool.nr)

    def profile(self, scope: int, type: str = "", unit: str = "", *,
                period_type: str = "", period_unit: str = "", period: int = 0,
                time_unix_nano: int = 0, duration_nano: int = 0,
                id: Optional[Bytes] = None, attributes: AttributeSet = None,
                payload: Bytes = b"", payload_format: str = "") -> int:
        """Adds a profile to a scope. id is 16 bytes."""
        pool = Pool()
        head = c.Profile(
            type=pool.string(type), unit=pool.string(unit),
            period_type=pool.string(period_type),
            period_unit=pool.string(period_unit),
            period=i64(period, "period"),
            time_unix_nano=u64(time_unix_nano, "time"),
            duration_nano=u64(duration_nano, "duration"),
            payload=pool.string(payload),
            payload_format=pool.string(payload_format),
            attrs=self._set(attributes))
        if id is not None:
            head.id = pool.string(_id_bytes(id, 16, "profile id")).p
        return self._added(lib.build_profile, u32(scope, "scope"), byref(head))

    # --- tables ---

    def mapping(self, file: str, start: int = 0, limit: int = 0,
                offset: int = 0, build_id: str = "",
                attributes: AttributeSet = None) -> int:
        """Adds a binary or library. build_id is hexadecimal."""
        pool = Pool()
        m = c.Mapping(file=pool.string(file), start=u64(start, "start"),
                      limit=u64(limit, "limit"), offset=u64(offset, "offset"),
                      build_id=pool.string(build_id),
                      attrs=self._set(attributes))
        return int(self._call(lib.build_mapping, byref(m)))

    def location(self, frames: Union[AnyFrame, Iterable[AnyFrame]],
                 mapping: int = 0) -> int:
        """Adds a place in the code of a mapping, or of none.

        frames is a Frame or the name of a function, or a list of these for
        calls that are inlined there, innermost first. Address and attributes
        are those of the last frame; mapping and ids in them are ignored.
        """
        if isinstance(frames, (Frame, str)):
            frames = [frames]
        rows = [f if isinstance(f, Frame) else Frame(f) for f in frames]
        pool, array = Pool(), (c.Frame * len(rows))()
        for to, f in zip(array, rows):
            to.sz = ctypes.sizeof(to)
            to.function = pool.string(f.function)
            to.system_name = pool.string(f.system_name)
            to.file = pool.string(f.file)
            to.line = i64(f.line, "line")
            to.column = i64(f.column, "column")
            to.address = u64(f.address, "address")
            to.attrs = self._set(f.attributes)
        return int(self._call(lib.build_location, u32(mapping, "mapping"),
                              array, len(rows)))

    def stack(self, locations: Iterable[int]) -> int:
        """Adds a stack of locations, leaf first."""
        ids = [u32(i, "location") for i in locations]
        array = (ctypes.c_uint32 * len(ids))(*ids)
        return int(self._call(lib.build_stack, array, len(ids)))

    def attributes(self, attributes: AttributeSource) -> int:
        """Adds an attribute set: a mapping from keys to str, bool, int, float,
        bytes, None, lists and mappings; or a list of Attribute, which can have
        units."""
        pool = Pool(attributes)
        return int(self._call(lib.build_attrs, pool.attrs, pool.nr))

    def _set(self, attributes: AttributeSet) -> int:
        if isinstance(attributes, int):
            return u32(attributes, "attributes")
        return self.attributes(attributes) if attributes else 0

    def link(self, trace_id: Bytes, span_id: Bytes) -> int:
        """Adds a link to a span: 16 and 8 bytes."""
        return int(self._call(lib.build_link,
                              _id_bytes(trace_id, 16, "trace_id"),
                              _id_bytes(span_id, 8, "span_id")))

    # --- samples ---

    def add(self, profile: int, stack: int, value: int, *,
            attributes: AttributeSet = None, link: int = 0) -> None:
        """Adds a value to the total of a sample. All samples of a profile are
        totals, or all are observed."""
        self._call(lib.build_add, u32(profile, "profile"),
                   self._identity(stack, attributes, link),
                   i64(value, "value"))

    def observe(self, profile: int, stack: int, value: int,
                time_unix_nano: int, *, attributes: AttributeSet = None,
                link: int = 0) -> None:
        """Adds an observation at a time."""
        self._call(lib.build_observe, u32(profile, "profile"),
                   self._identity(stack, attributes, link),
                   i64(value, "value"), u64(time_unix_nano, "time"))

    def _identity(self, stack: int, attributes: AttributeSet,
                  link: int) -> c.Identity:
        return c.Identity(u32(stack, "stack"), self._set(attributes),
                          u32(link, "link"))


def _id_bytes(data: bytes, n: int, what: str) -> bytes:
    if len(data) != n:
        raise ValueError(f"{what} must have {n} bytes, not {len(data)}")
    return bytes(data)
