# SPDX-License-Identifier: Apache-2.0
"""What profiles consist of: immutable rows and columns.

Lifetimes: all that refers to memory of the library holds a Handle, and the
last one to go frees that memory.
"""
from __future__ import annotations

import ctypes
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from ._values import NO_ATTRIBUTES, Attributes


class Handle:
    """Owns an object of the library. The arguments of a running call hold it
    too, so that no other thread can free it meanwhile."""

    __slots__ = ("_as_parameter_", "_free", "_keep", "__weakref__")

    def __init__(self, pointer: Optional[int], free: Callable[[Any], Any],
                 keep: object = None):
        self._as_parameter_ = ctypes.c_void_p(pointer)
        self._free = free
        self._keep = keep

    def __del__(self) -> None:
        self._free(self._as_parameter_)


# --- rows ---

class Frame(NamedTuple):
    """A frame of a stack. An inlined call is a frame of its own."""

    function: str = ""
    """Name as in the source."""
    file: str = ""
    line: int = 0
    """From 1; 0: unknown."""
    column: int = 0
    system_name: str = ""
    """Name as in the binary."""
    address: int = 0
    mapping: str = ""
    """File name of the binary."""
    attributes: Any = NO_ATTRIBUTES
    """Attributes of the location."""
    is_inlined: bool = False
    """Inlined into the next frame."""
    location_id: int = 0
    function_id: int = 0
    mapping_id: int = 0

    def __str__(self) -> str:
        """The name, or else the address."""
        return self.function or self.system_name or hex(self.address)


class TopRow(NamedTuple):
    """A row of a ranked list."""

    name: str
    """Of the frame; empty if the list has only labels of samples."""
    labels: Tuple[str, ...]
    flat: int
    """Of samples whose stack ends in the frame."""
    cum: int
    """Of samples that have it anywhere in their stack."""


class Top(NamedTuple):
    """A ranked list of functions, threads or other labels."""

    type: str
    unit: str
    total: int
    rows: List[TopRow]


class TreeNode(NamedTuple):
    """A node of a call tree."""

    name: str
    parent: int
    """Index of the caller's node; the root is its own."""
    depth: int
    flat: int
    """Of stacks that end here."""
    cum: int
    """Of this and all nodes below."""


class Tree(NamedTuple):
    """A call tree. Node 0 is the root, which has no name; a node is followed
    by those below it, the largest first."""

    type: str
    unit: str
    total: int
    nodes: List[TreeNode]


class Total(NamedTuple):
    """What the samples of one group add up to."""

    labels: Tuple[str, ...]
    value: int
    nr_samples: int
    nr_observations: int
    from_unix_nano: int
    to_unix_nano: int
    """The end of the last observation; 0: none has a time."""


class Totals(NamedTuple):
    """Totals by label, the largest first."""

    type: str
    unit: str
    total: int
    rows: List[Total]


class SeriesRow(NamedTuple):
    """The values of one group over time."""

    labels: Optional[Tuple[str, ...]]
    """None: all other groups."""
    value: int
    """In all, also outside the range and without a time."""
    values: List[int]
    """One per bucket."""
    counts: List[int]
    """Observations, one number per bucket."""


class Series(NamedTuple):
    """Values over time. Bucket i begins at from_unix_nano + i * step_nano."""

    type: str
    unit: str
    total: int
    from_unix_nano: int
    to_unix_nano: int
    step_nano: int
    rows: List[SeriesRow]
    """The largest first; none if there are no times."""
    nr_untimed: int
    """Observations without a time, which are in no bucket."""
    nr_outside: int
    """Observations that are not in the range."""


class Mapping(NamedTuple):
    """A binary or library, or a part of one, in memory."""

    file: str
    start: int
    limit: int
    offset: int
    build_id: str
    """GNU build ID, hexadecimal; may be empty."""
    attributes: Attributes


class Link(NamedTuple):
    """The trace and span during which a sample was taken."""

    trace_id: bytes
    """16 bytes, or empty."""
    span_id: bytes
    """8 bytes, or empty."""


class Resource(NamedTuple):
    """What was profiled: a service, a process, a host."""

    id: int
    attributes: Attributes


class Scope(NamedTuple):
    """The profiler."""

    name: str
    version: str
    attributes: Attributes


class Columns(NamedTuple):
    """All samples of a profile as read-only memoryviews, which are not copied
    and keep the profile's memory alive.

    Sample i has values[value_at[i]:value_at[i + 1]], and times likewise.
    Without time_at a sample has one value, its total; without value_at each
    time counts 1.
    """

    stacks: memoryview
    """Ids, for Profiles.stack()."""
    attributes: memoryview
    """Ids, for Profiles.attributes()."""
    links: memoryview
    """Ids, for Profile.link()."""
    value_at: Optional[memoryview]
    values: memoryview
    time_at: Optional[memoryview]
    times: memoryview
    """Nanoseconds since 1970."""

    def numpy(self) -> dict[str, Any]:
        """The columns as numpy arrays over the same memory; those that are
        missing are left out."""
        numpy = require("numpy", "Columns.numpy()")
        return {name: numpy.frombuffer(view, view.format)
                for name, view in self._asdict().items() if view is not None}


def require(module: str, what: str) -> Any:
    """Imports what is not a requirement of the package."""
    try:
        return __import__(module)
    except ImportError:
        raise ImportError(f"{what} needs {module}, which is not installed"
                          ) from None


def view(handle: Handle, address: Optional[int], n: int,
          form: str) -> memoryview:
    """n elements at an address as a memoryview that keeps the handle."""
    if not address or not n:
        return _cast(memoryview(b""), form)
    size = n * (4 if form == "I" else 8)
    array = (ctypes.c_ubyte * size).from_address(address)
    array.handle = handle  # type: ignore[attr-defined]
    return _cast(memoryview(array).toreadonly().cast("B"), form)


def _cast(view: memoryview, form: Any) -> memoryview:
    return view.cast(form)
