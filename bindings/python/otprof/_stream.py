# SPDX-License-Identifier: Apache-2.0
"""Reader: reads a stream message by message."""
from __future__ import annotations

import builtins
import ctypes
import os
import shutil
import tempfile
import threading
from ctypes import byref
from typing import Any, BinaryIO, Iterator, Optional, Union

from . import _library as c
from ._errors import Notes, OnNote, check
from ._library import lib
from ._profiles import Path, Profiles, open_opts
from ._rows import Handle


class _Input:
    """A descriptor with what a source has. Closes what it opened itself."""

    def __init__(self, source: Any):
        self._source = source
        self._own: Any = None
        if isinstance(source, int):
            self.fd = source
        elif isinstance(source, (str, os.PathLike)):
            self._own = builtins.open(source, "rb", buffering=0)
            self.fd = self._own.fileno()
        elif hasattr(source, "read"):
            self.fd = self._fileno()
        else:
            raise TypeError("expected a descriptor, a path or a binary file, "
                            f"not {type(source).__name__}")

    def _fileno(self) -> int:
        try:
            return int(self._source.fileno())
        except (AttributeError, OSError):
            self._own = tempfile.TemporaryFile()
            shutil.copyfileobj(self._source, self._own)
            self._own.seek(0)
            return int(self._own.fileno())

    def __del__(self) -> None:
        if self._own is not None:
            self._own.close()


class Reader(Iterator[Profiles]):
    """Gives a Profiles object for each message of a stream: see read_stream().
    """

    def __init__(self, file: _Input, opts: c.OpenOpts, notes: Notes):
        """Not for users."""
        out, err = ctypes.c_void_p(), c.Err()
        lib.reader_new(file.fd, byref(opts), byref(out), byref(err))
        check(err)
        # File and options must outlive the reader.
        self._owned: Optional[Handle] = Handle(out.value, lib.reader_free,
                                               (file, opts))
        self._notes = notes
        self._is_busy = threading.Lock()

    def __iter__(self) -> Reader:
        return self

    def __next__(self) -> Profiles:
        """Waits for the next message."""
        if not self._is_busy.acquire(blocking=False):
            raise ValueError("the reader is already waiting for a message")
        try:
            return self._next()
        finally:
            self._is_busy.release()

    def _next(self) -> Profiles:
        if self._owned is None:
            raise StopIteration
        out, err = ctypes.c_void_p(), c.Err()
        got = lib.reader_next(self._owned, byref(out), byref(err))
        if got <= 0:
            self.close()
        profiles = Profiles(Handle(out.value, lib.free))
        self._notes.finish(err, level=4)
        if got == 0:
            raise StopIteration
        return profiles

    def close(self) -> None:
        """Ends the reader; objects that it gave stay."""
        self._owned = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def read_stream(source: Union[int, Path, BinaryIO], *,
                on_note: Optional[OnNote] = None, **options: Any) -> Reader:
    """Reads a stream message by message, with only one message in memory.

    A stream has OTLP messages that each follow their length (four bytes,
    big-endian), or OTLP/JSON objects one after the other, as the Collector's
    file exporter writes both. Any other input is one message.

    source: a file descriptor, a path, or a file. The descriptor of a file is
    read directly: what the file has buffered is not seen. A file without a
    descriptor is copied first. The caller closes what it opened.
    options: format, settings, root, strict, threads, max_bytes, mem_quota and
    budget, as of open().

    While the library waits for input, Python does not handle signals.
    """
    notes = Notes(on_note)
    opts = open_opts(notes, **options)
    return Reader(_Input(source), opts, notes)
