# SPDX-License-Identifier: Apache-2.0
"""Reader: reads a stream message by message."""
from __future__ import annotations

import ctypes
import io
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
    """A descriptor of our own for what a source has: the library may still
    read when the caller has closed the source."""

    def __init__(self, source: Any):
        self.fd = -1
        if isinstance(source, int):
            self.fd = os.dup(source)
        elif isinstance(source, (str, os.PathLike)):
            self.fd = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
        elif hasattr(source, "read"):
            self.fd = self._dup(source)
        else:
            raise TypeError("expected a descriptor, a path or a binary file, "
                            f"not {type(source).__name__}")

    def _dup(self, source: Any) -> int:
        try:
            return os.dup(source.fileno())
        except (AttributeError, io.UnsupportedOperation):
            with tempfile.TemporaryFile() as copy:
                shutil.copyfileobj(source, copy)
                copy.seek(0)
                return os.dup(copy.fileno())

    def __del__(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)


class _Waiting:
    """One call of the library that may wait for input. In the main thread,
    where Python handles signals between two steps of the interpreter only, it
    is made in another thread; a signal handler that raises leaves that behind.
    """

    def __init__(self, reader: Handle):
        self._reader = reader
        self.got = 0
        self.err = c.Err()
        self.profiles: Profiles
        self._error: Optional[BaseException] = None

    def _call(self) -> None:
        out = ctypes.c_void_p()
        self.got = lib.reader_next(self._reader, byref(out), byref(self.err))
        self.profiles = Profiles(Handle(out.value, lib.free))

    def _call_in_thread(self) -> None:
        try:
            self._call()
        except BaseException as e:
            self._error = e

    def run(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            self._call()
            return
        thread = threading.Thread(target=self._call_in_thread, daemon=True)
        thread.start()
        thread.join()
        if self._error is not None:
            raise self._error


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
        waiting = _Waiting(self._owned)
        try:
            waiting.run()
        except BaseException:
            self.close()
            raise
        if waiting.got <= 0:
            self.close()
        self._notes.finish(waiting.err, level=4)
        if waiting.got == 0:
            raise StopIteration
        return waiting.profiles

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
    descriptor is copied first. The caller closes what it opened, at any time.
    options: format, settings, root, strict, threads, max_bytes, mem_quota and
    budget, as of open().

    A signal handler that raises while the reader waits, as that of Ctrl-C
    does, ends the reader: what it has read of the next message is lost.
    """
    notes = Notes(on_note)
    opts = open_opts(notes, **options)
    return Reader(_Input(source), opts, notes)
