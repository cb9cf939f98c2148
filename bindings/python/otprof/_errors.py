# SPDX-License-Identifier: Apache-2.0
"""Errors, and the conversions at the border to C that must not go wrong
silently: ctypes would truncate integers and cut strings at a NUL."""
from __future__ import annotations

import ctypes
import enum
import os
import warnings
from typing import Any, Callable, Iterable, Mapping, Optional, Union

from . import _library as c

Settings = Union[Mapping[str, object], Iterable[str]]
OnNote = Callable[[str], object]


class ErrorCode(enum.IntEnum):
    """What kind of failure an Error is."""

    EFORMAT = -1
    """The input is not what it claims to be."""
    ENOMEM = -2
    """Out of memory, or over a quota."""
    ELIMIT = -3
    """Larger or deeper than a limit allows."""
    EIO = -4
    """A system call failed; Error.errno says why."""
    EUSAGE = -5
    """Invalid argument or call order."""


class Error(Exception):
    """A call of libotprof failed. str() is the complete message."""

    def __init__(self, text: str, code: int = ErrorCode.EUSAGE,
                 errno: Optional[int] = None, offset: Optional[int] = None):
        super().__init__(text)
        self.text = text
        """The message, on one line, with path, offset and text of errno."""
        self.code = ErrorCode(code)
        self.errno = errno
        """The number of the system's error, or None."""
        self.offset = offset
        """Offset in the input in bytes, or None."""

    def __reduce__(self) -> Any:
        return type(self), (self.text, self.code, self.errno, self.offset)


class ProfileWarning(UserWarning):
    """A diagnostic about an input or output, if there is no on_note."""


def check(err: c.Err) -> None:
    """Raises what a call failed for, if it did."""
    if err.code:
        raise Error(err.text.decode("utf-8", "replace"), err.code,
                    err.sys or None, err.at if err.has_at else None)


# --- values for C ---

def _integer(value: int, low: int, high: int, what: str) -> int:
    if not low <= value <= high:
        raise OverflowError(f"{what} {value} is not between {low} and {high}")
    return value


def i64(value: int, what: str) -> int:
    return _integer(value, -(1 << 63), (1 << 63) - 1, what)


def u64(value: int, what: str) -> int:
    return _integer(value, 0, (1 << 64) - 1, what)


def u32(value: int, what: str) -> int:
    return _integer(value, 0, (1 << 32) - 1, what)


def encode(text: str) -> bytes:
    """A string in UTF-8. What os.fsdecode() could not decode becomes its bytes
    again, which the library replaces."""
    return text.encode("utf-8", "surrogateescape")


def c_string(text: Union[str, "os.PathLike[str]", bytes, None],
             what: str) -> Optional[bytes]:
    """A NUL-terminated string or path; None stays None."""
    if text is None:
        return None
    data = os.fsencode(text)
    if b"\0" in data:
        raise ValueError(f"{what} has a NUL character")
    return data


def c_settings(settings: Optional[Settings]) -> Any:
    """Options of a format as an array of "name=value" that ends in NULL."""
    if settings is None:
        return None
    if isinstance(settings, str):
        raise TypeError("settings must be a mapping or a list of strings")
    if isinstance(settings, Mapping):
        settings = [f"{k}={_setting(v)}" for k, v in settings.items()]
    texts = [c_string(s, "a setting") for s in settings]
    return (ctypes.c_char_p * (len(texts) + 1))(*texts)


def _setting(value: object) -> object:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (list, tuple)):
        return ",".join(str(v) for v in value)
    return value


# --- callbacks ---

class Callback:
    """A Python function for C. What it raises is raised by finish(), after the
    call, since it cannot pass through C. If the call failed too, that is the
    Error's context."""

    def __init__(self, function: Callable[..., object]):
        self.error: Optional[BaseException] = None
        self._function = function

    def _call(self, *args: Any) -> None:
        try:
            self._function(*args)
        except BaseException as e:
            self.error = self.error or e

    def finish(self, err: c.Err) -> None:
        """Raises what the function raised, or what the call failed for."""
        error, self.error = self.error, None
        try:
            if error is not None:
                raise error
        finally:
            check(err)


class Notes(Callback):
    """An on_note; without one, the notes are issued as warnings."""

    def __init__(self, on_note: Optional[OnNote]):
        self._texts: list[str] = []
        super().__init__(on_note or self._texts.append)
        self.c = c.note_fn(self._note)

    def _note(self, _ctx: object, text: bytes) -> None:
        self._call(text.decode("utf-8", "replace"))

    def finish(self, err: c.Err, level: int = 3) -> None:
        """level is 3 in the function that the user called."""
        texts, self._texts[:] = list(self._texts), []
        try:
            for text in texts:
                warnings.warn(text, ProfileWarning, stacklevel=level)
        finally:
            super().finish(err)
