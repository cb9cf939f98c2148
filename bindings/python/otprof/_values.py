# SPDX-License-Identifier: Apache-2.0
"""Strings and attributes: from C to Python, and back."""
from __future__ import annotations

import ctypes
import typing
from collections.abc import Mapping
from ctypes import byref
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Union

from . import _library as c
from ._errors import encode, i64, u32
from ._library import lib

Value = Union[None, str, bool, int, float, bytes, "list[Any]",
              "Mapping[str, Any]"]


class Attribute(NamedTuple):
    """One attribute of a set."""

    key: str
    value: Any
    """str, bool, int, float, bytes, None, or a list or dict of such values."""
    unit: str = ""


class Attributes(typing.Mapping[str, Any]):
    """An immutable mapping from keys to values, in the order of the profile.

    A set may have a key more than once, as labels of pprof do: this mapping
    gives its first value, getall() gives all of them.
    """

    __slots__ = ("all", "_first")

    def __init__(self, attributes: Iterable[Attribute] = ()):
        self.all = tuple(attributes)
        """Every Attribute, with its unit."""
        self._first: dict[str, Attribute] = {}
        for attribute in self.all:
            self._first.setdefault(attribute.key, attribute)

    def __getitem__(self, key: str) -> Any:
        return self._first[key].value

    def __iter__(self) -> Iterator[str]:
        return iter(self._first)

    def __len__(self) -> int:
        return len(self._first)

    def getall(self, key: str) -> list[Any]:
        """All values of a key."""
        return [a.value for a in self.all if a.key == key]

    def unit(self, key: str) -> str:
        """The unit of the first value of a key; empty if it has none."""
        return self._first[key].unit

    def __repr__(self) -> str:
        inside = ", ".join(f"{a.key!r}: {a.value!r}" for a in self.all)
        return f"Attributes({{{inside}}})"


NO_ATTRIBUTES = Attributes()


# --- from C ---

def text_of(s: c.Str) -> str:
    if not s.n:
        return ""
    return ctypes.string_at(s.p, s.n).decode("utf-8", "replace")


def bytes_of(s: c.Str) -> bytes:
    return ctypes.string_at(s.p, s.n) if s.n else b""


def _value_of(v: c.Value) -> Any:
    kind = v.kind
    if kind == c.STRING:
        return text_of(v.s)
    if kind == c.INT:
        return v.i
    if kind == c.BOOL:
        return bool(v.i)
    if kind == c.DOUBLE:
        return v.d
    if kind == c.BYTES:
        return bytes_of(v.s)
    if kind == c.ARRAY:
        return [a.value for a in walk(lib.value_elements(byref(v)))]
    if kind == c.MAP:
        return _map_of(list(walk(lib.value_elements(byref(v)))))
    return None


def _map_of(elements: list[Attribute]) -> Any:
    """A dict, unless that would lose a key that is there twice."""
    values = {a.key: a.value for a in elements}
    return values if len(values) == len(elements) else Attributes(elements)


def walk(at: c.Attrs) -> Iterator[Attribute]:
    """The attributes of a walk, whose object the caller keeps alive."""
    out = c.Attr()
    while lib.attr_next(byref(at), byref(out)):
        yield Attribute(text_of(out.key), _value_of(out.value),
                        text_of(out.unit))


def attributes_of(at: c.Attrs) -> Attributes:
    return Attributes(walk(at)) if at.n else NO_ATTRIBUTES


# --- to C ---

AttributeSource = Union["Mapping[str, Any]", Iterable[Attribute]]


class Pool:
    """Attributes for C, and all memory that they point to."""

    def __init__(self, attributes: Optional[AttributeSource] = None):
        self._keep: list[Any] = []
        items = list_of(attributes)
        self.nr = len(items)
        self.attrs = self._attrs(items)

    def string(self, text: Union[str, bytes]) -> c.Str:
        data = encode(text) if isinstance(text, str) else bytes(text)
        self._keep.append(data)
        return c.Str(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p),
                     len(data))

    def _attrs(self, items: list[Attribute]) -> Any:
        array = (c.Attr * len(items))()
        for to, a in zip(array, items):
            if not isinstance(a.key, str):
                raise TypeError("the key of an attribute must be a str, not "
                                f"{type(a.key).__name__}")
            to.key = self.string(a.key)
            to.unit = self.string(a.unit)
            self._fill(to.value, a.value)
        return array

    def _list(self, to: c.Value, kind: int, array: Any) -> None:
        self._keep.append(array)
        to.kind = kind
        to.nr = u32(len(array), "number of elements")
        to.list = ctypes.addressof(array)

    def _fill(self, to: c.Value, value: Any) -> None:
        if value is None:
            to.kind = c.NONE
        elif isinstance(value, str):
            to.kind, to.s = c.STRING, self.string(value)
        elif isinstance(value, bool):
            to.kind, to.i = c.BOOL, int(value)
        elif isinstance(value, int):
            to.kind, to.i = c.INT, i64(value, "attribute value")
        elif isinstance(value, float):
            to.kind, to.d = c.DOUBLE, value
        elif isinstance(value, (bytes, bytearray, memoryview)):
            to.kind, to.s = c.BYTES, self.string(bytes(value))
        elif isinstance(value, Mapping):
            self._list(to, c.MAP, self._attrs(list_of(value)))
        elif isinstance(value, (list, tuple)):
            array = (c.Value * len(value))()
            for element, v in zip(array, value):
                self._fill(element, v)
            self._list(to, c.ARRAY, array)
        else:
            raise TypeError("an attribute cannot have a value of type "
                            f"{type(value).__name__}")


def list_of(attributes: Optional[AttributeSource]) -> list[Attribute]:
    """What a caller gives as attributes: nothing, a mapping, or a list."""
    if attributes is None:
        return []
    if isinstance(attributes, Attributes):
        return list(attributes.all)
    if isinstance(attributes, Mapping):
        return [Attribute(k, v) for k, v in attributes.items()]
    return [Attribute(*a) for a in attributes]
