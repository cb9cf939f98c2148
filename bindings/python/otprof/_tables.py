# SPDX-License-Identifier: Apache-2.0
"""Profiles as a DataFrame of pandas or a Table of pyarrow.

Profiles.to_pandas() lists the columns. What is made here first are lists that
neither of the two is needed for."""
from __future__ import annotations

import json
from typing import Any, Iterator, NamedTuple, Optional

from ._errors import Error, ErrorCode
from ._profiles import Profile, Profiles, Sample
from ._rows import Link, require
from ._values import Attributes

COLUMNS = ("profile", "type", "unit", "value", "time", "stack", "thread_id",
           "thread_name", "process_id", "service", "trace_id", "span_id",
           "attributes")


class _Stacks:
    """Each stack once, numbered."""

    def __init__(self, as_text: bool):
        self.as_text = as_text
        self.all: list[Any] = []
        self._numbers: dict[int, int] = {}

    def number(self, sample: Sample) -> int:
        n = self._numbers.get(sample.stack_id)
        if n is None:
            names = [str(f) for f in sample.stack]
            n = self._numbers[sample.stack_id] = len(self.all)
            self.all.append(";".join(reversed(names)) if self.as_text
                            else names)
        return n


class _Rows(NamedTuple):
    columns: dict[str, list[Any]]
    stacks: _Stacks
    """columns["stack"] has numbers of these."""


def _identity(profile: Profile, sample: Sample,
              link: Optional[Link]) -> tuple[Any, ...]:
    """The columns that all observations of a sample share."""
    attributes, resource = sample.attributes, profile.resource.attributes
    return (attributes.get("thread.id"), attributes.get("thread.name"),
            attributes.get("process.pid", resource.get("process.pid")),
            resource.get("service.name"),
            link.trace_id.hex() if link and link.trace_id else None,
            link.span_id.hex() if link and link.span_id else None, attributes)


def _observations(sample: Sample, per: str
                  ) -> Iterator[tuple[int, Optional[int]]]:
    if per == "sample" or not sample.times:
        yield sample.value, min(sample.times, default=None)
    else:
        yield from zip(sample.values, sample.times)


def _check_time(time: Optional[int]) -> None:
    if time is not None and time >= 1 << 63:
        raise Error(f"the time {time} is after the year 2262, which 64-bit "
                    "timestamps do not have", ErrorCode.ELIMIT)


def _rows(profiles: Profiles, per: str, stack: str) -> _Rows:
    if per not in ("observation", "sample"):
        raise ValueError(f"per must be 'observation' or 'sample', not {per!r}")
    if stack not in ("list", "str"):
        raise ValueError(f"stack must be 'list' or 'str', not {stack!r}")
    stacks = _Stacks(stack == "str")
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    lists = list(columns.values())
    for profile in profiles:
        links: dict[int, Optional[Link]] = {}
        head = (profile.index, profile.type, profile.unit)
        for sample in profile:
            if sample.link_id not in links:
                links[sample.link_id] = sample.link
            tail = (stacks.number(sample),
                    *_identity(profile, sample, links[sample.link_id]))
            for observation in _observations(sample, per):
                _check_time(observation[1])
                for column, cell in zip(lists, head + observation + tail):
                    column.append(cell)
    return _Rows(columns, stacks)


def to_pandas(profiles: Profiles, per: str, stack: str) -> Any:
    pandas = require("pandas", "Profiles.to_pandas()")
    columns, stacks = _rows(profiles, per, stack)
    table: dict[str, Any] = dict(columns)
    table["stack"] = pandas.Series([stacks.all[i] for i in columns["stack"]],
                                   dtype=object)
    table["value"] = pandas.Series(columns["value"], dtype="int64")
    table["time"] = pandas.to_datetime(
        pandas.Series(columns["time"], dtype="Int64"), unit="ns", utc=True)
    table["attributes"] = pandas.Series(
        [dict(a) for a in columns["attributes"]], dtype=object)
    for name in ("type", "unit"):
        table[name] = pandas.Series(columns[name], dtype="category")
    for name in ("thread_id", "process_id"):
        has_only_ints = all(v is None or type(v) is int
                            for v in columns[name])
        table[name] = pandas.Series(
            columns[name], dtype="Int64" if has_only_ints else object)
    return pandas.DataFrame(table, columns=list(COLUMNS))


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
    columns, stacks = _rows(profiles, per, stack)
    form = pa.string() if stacks.as_text else pa.list_(pa.string())
    types = {"profile": pa.int64(), "value": pa.int64(),
             "time": pa.timestamp("ns", "UTC"),
             "attributes": pa.map_(pa.string(), pa.string())}
    table = dict(columns)
    table["attributes"] = [_texts(a) for a in columns["attributes"]]
    for name in ("thread_id", "thread_name", "process_id", "service"):
        table[name] = [_text(v) for v in columns[name]]
    arrays = {name: pa.array(cells, types.get(name, pa.string()))
              for name, cells in table.items() if name != "stack"}
    arrays["stack"] = pa.array(stacks.all, form).take(
        pa.array(columns["stack"], pa.int64()))
    for name in ("type", "unit"):
        arrays[name] = arrays[name].dictionary_encode()
    return pa.table([arrays[name] for name in COLUMNS], names=list(COLUMNS))
