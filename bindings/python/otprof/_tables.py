# SPDX-License-Identifier: Apache-2.0
"""Profiles as a DataFrame of pandas or a Table of pyarrow.

Profiles.to_pandas() lists the columns. What all observations of a sample share
is converted once per sample; then the rows are repeated.
"""
from __future__ import annotations

import json
from typing import Any, Optional

from ._errors import Error, ErrorCode
from ._profiles import Profile, Profiles, Sample
from ._rows import Link, require
from ._values import Attributes

COLUMNS = ("profile", "type", "unit", "value", "time", "stack", "thread_id",
           "thread_name", "process_id", "service", "trace_id", "span_id",
           "attributes")

# Those that all observations of a sample share.
_SHARED = [name for name in COLUMNS if name not in ("value", "time")]


class _Rows:
    """Lists that neither of the two packages is needed for."""

    def __init__(self, profiles: Profiles, per: str, stack: str):
        if per not in ("observation", "sample"):
            raise ValueError("per must be 'observation' or 'sample', not "
                             f"{per!r}")
        if stack not in ("list", "str"):
            raise ValueError(f"stack must be 'list' or 'str', not {stack!r}")
        self._per_sample = per == "sample"
        self._as_text = stack == "str"
        self._stacks: dict[int, Any] = {}
        self.values: list[int] = []
        self.times: list[Optional[int]] = []
        self.sample_of_row: list[int] = []
        self.shared: dict[str, list[Any]] = {name: [] for name in _SHARED}
        for profile in profiles:
            self._add(profile)

    def _add(self, profile: Profile) -> None:
        links: dict[int, Optional[Link]] = {}
        head = (profile.index, profile.type, profile.unit)
        resource = profile.resource.attributes
        for sample in profile:
            if sample.link_id not in links:
                links[sample.link_id] = sample.link
            cells = head + self._cells(sample, resource, links[sample.link_id])
            self._observations(sample, len(self.shared["profile"]))
            for column, cell in zip(self.shared.values(), cells):
                column.append(cell)

    def _cells(self, sample: Sample, resource: Attributes,
               link: Optional[Link]) -> tuple[Any, ...]:
        own = sample.attributes
        return (self._stack(sample), own.get("thread.id"),
                own.get("thread.name"),
                own.get("process.pid", resource.get("process.pid")),
                resource.get("service.name"),
                link.trace_id.hex() if link and link.trace_id else None,
                link.span_id.hex() if link and link.span_id else None, own)

    def _stack(self, sample: Sample) -> Any:
        found = self._stacks.get(sample.stack_id)
        if found is None:
            names = [str(f) for f in sample.stack]
            found = ";".join(reversed(names)) if self._as_text else names
            self._stacks[sample.stack_id] = found
        return found

    def _observations(self, sample: Sample, nr: int) -> None:
        times = sample.times
        if times and max(times) >= 1 << 63:
            raise Error(f"the time {max(times)} is after the year 2262, which "
                        "64-bit timestamps do not have", ErrorCode.ELIMIT)
        if self._per_sample or not times:
            self.values.append(sample.value)
            self.times.append(min(times, default=None))
            self.sample_of_row.append(nr)
        else:
            self.values.extend(sample.values)
            self.times.extend(times)
            self.sample_of_row.extend([nr] * len(times))


def to_pandas(profiles: Profiles, per: str, stack: str) -> Any:
    pandas = require("pandas", "Profiles.to_pandas()")
    rows = _Rows(profiles, per, stack)
    shared: dict[str, Any] = dict(rows.shared)
    shared["attributes"] = [dict(a) for a in rows.shared["attributes"]]
    for name in ("stack", "attributes"):
        shared[name] = pandas.Series(shared[name], dtype=object)
    for name in ("type", "unit"):
        shared[name] = pandas.Series(shared[name], dtype="category")
    for name in ("thread_id", "process_id"):
        has_only_ints = all(v is None or type(v) is int for v in shared[name])
        shared[name] = pandas.Series(
            shared[name], dtype="Int64" if has_only_ints else object)
    table = pandas.DataFrame(shared).take(rows.sample_of_row)
    table = table.reset_index(drop=True)
    table["value"] = pandas.Series(rows.values, dtype="int64")
    table["time"] = pandas.to_datetime(
        pandas.Series(rows.times, dtype="Int64"), unit="ns", utc=True)
    return table[list(COLUMNS)]


def _texts(attributes: Attributes) -> list[tuple[str, str]]:
    return [(a.key, a.value if isinstance(a.value, str)
             else json.dumps(a.value, default=_plain))
            for a in attributes.all]


def _plain(value: Any) -> Any:
    """What JSON has no form for."""
    if isinstance(value, bytes):
        return value.hex()
    return dict(value)


def _text(value: Any) -> Optional[str]:
    return None if value is None else str(value)


def to_arrow(profiles: Profiles, per: str, stack: str) -> Any:
    pa = require("pyarrow", "Profiles.to_arrow()")
    rows = _Rows(profiles, per, stack)
    string = pa.string()
    types = {"profile": pa.int64(), "attributes": pa.map_(string, string),
             "stack": string if stack == "str" else pa.list_(string)}
    shared = dict(rows.shared)
    shared["attributes"] = [_texts(a) for a in shared["attributes"]]
    for name in ("thread_id", "thread_name", "process_id", "service"):
        shared[name] = [_text(v) for v in shared[name]]
    sample_of_row = pa.array(rows.sample_of_row, pa.int64())
    arrays = {name: pa.array(cells, types.get(name, string))
              for name, cells in shared.items()}
    for name in ("type", "unit"):
        arrays[name] = arrays[name].dictionary_encode()
    arrays = {name: a.take(sample_of_row) for name, a in arrays.items()}
    arrays["value"] = pa.array(rows.values, pa.int64())
    arrays["time"] = pa.array(rows.times, pa.timestamp("ns", "UTC"))
    return pa.table([arrays[name] for name in COLUMNS], names=list(COLUMNS))
