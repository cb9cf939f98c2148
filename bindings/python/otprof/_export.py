# SPDX-License-Identifier: Apache-2.0
"""Exporter: sends profiles to an OTLP server."""
from __future__ import annotations

import ctypes
import logging
import os
import threading
import time
import weakref
from ctypes import byref
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Union
from contextlib import contextmanager
from urllib.parse import quote

from . import _library as c
from ._errors import Error, OnNote, c_string, check, u64
from ._library import lib
from ._profiles import Path, Profiles

logger = logging.getLogger("otprof")

# How long a call of the library waits before Python handles signals.
_SLICE = 0.05


class ExporterStats(NamedTuple):
    """In messages, unless it says otherwise."""

    put: int
    put_bytes: int
    sent: int
    sent_bytes: int
    refused: int
    """The server will never take them."""
    rejected: int
    """Profiles or records of messages that it took."""
    dropped: int
    """At a limit of the queue or spool, or after retry_for."""
    tries: int
    waiting: int
    """In memory and in the spool."""
    waiting_bytes: int
    spooled: int
    """Of these, in the spool."""
    spooled_bytes: int


def _milliseconds(seconds: Optional[float]) -> int:
    """For C, where None is without end; what is more than 0 stays so."""
    if seconds is None:
        return c.NO_TIMEOUT
    if not seconds >= 0:
        raise ValueError(f"a time of {seconds} seconds is negative")
    if seconds > 1e15:
        return c.NO_TIMEOUT
    return -int(-seconds * 1000 // 1)


class _Owned:
    """The exporter of the library, and who is in it."""

    def __init__(self, pointer: Optional[int], log: Any):
        self.pointer = ctypes.c_void_p(pointer)
        self.log = log
        self.pid = os.getpid()
        self.is_closed = False
        self._nr_calls = 0
        self._idle = threading.Condition()

    def is_usable(self) -> bool:
        return not self.is_closed and self.pid == os.getpid()

    @contextmanager
    def call(self) -> Iterator[ctypes.c_void_p]:
        """The pointer, which stays valid meanwhile."""
        if self.pid != os.getpid():
            raise Error("an exporter cannot be used in a child process; make "
                        "a new one")
        with self._idle:
            if self.is_closed:
                raise ValueError("the exporter is closed")
            self._nr_calls += 1
        try:
            yield self.pointer
        finally:
            with self._idle:
                self._nr_calls -= 1
                self._idle.notify_all()

    def end(self, timeout_ms: int) -> None:
        """Waits for calls of other threads, then ends the exporter. A child
        process must not even do that."""
        with self._idle:
            if not self.is_usable():
                return
            self.is_closed = True
            self._idle.wait_for(lambda: not self._nr_calls)
        lib.exporter_free(self.pointer, timeout_ms)


class Exporter:
    """Sends profiles to an OpenTelemetry Collector or another OTLP server,
    from a thread of its own. What cannot be sent waits and is tried again.

    Where an argument is None, the variables OTEL_EXPORTER_OTLP_PROFILES_* and
    OTEL_EXPORTER_OTLP_* are used, then the default. Any number of threads may
    use an exporter. After a fork the child makes its own.

    As a context manager it flushes for up to 5 seconds at the end. An exporter
    that nobody closes ends without a flush.
    """

    def __init__(self, endpoint: Optional[str] = None, *,
                 protocol: Optional[str] = None,
                 compression: Optional[str] = None,
                 headers: Union[str, Mapping[str, str], None] = None,
                 ca_file: Optional[Path] = None,
                 cert_file: Optional[Path] = None,
                 key_file: Optional[Path] = None,
                 timeout: float = 0, max_request: int = 0,
                 queue_bytes: int = 0, spool: Optional[Path] = None,
                 spool_bytes: int = 0, retry_for: float = 0,
                 logs: bool = False, logs_endpoint: Optional[str] = None,
                 on_log: Optional[OnNote] = None):
        """
        endpoint: URL; default http://localhost:4318.
        protocol: "http/protobuf", "grpc" or "http/json".
        compression: "none", "gzip" or "zstd".
        headers: {"name": "value"}, or "name=value,..." percent-encoded.
        ca_file, cert_file, key_file: PEM files.
        timeout: seconds for one try; 0: 10 seconds.
        max_request: bytes; what is larger is split. 0: 64 MiB.
        queue_bytes: that may wait in memory; 0: 64 MiB.
        spool: directory in which messages wait, and outlive the process.
        spool_bytes: that may wait there; 0: 1 GiB.
        retry_for: seconds to try a message that is in no spool; 0: 5 minutes.
        logs: sends logs too, by send_bytes().
        on_log: called, from any thread, with a sentence that says what went
        wrong and what becomes of the data. It must not use the exporter.
        None: the logger "otprof" gets it as a warning.
        """
        log = c.note_fn(_log_function(on_log or logger.warning))
        if headers is not None and not isinstance(headers, str):
            headers = ",".join(f"{quote(k)}={quote(v)}"
                               for k, v in headers.items())
        opts = c.ExporterOpts(
            endpoint=c_string(endpoint, "endpoint"),
            protocol=c_string(protocol, "protocol"),
            compression=c_string(compression, "compression"),
            headers=c_string(headers, "headers"),
            ca_file=c_string(ca_file, "ca_file"),
            cert_file=c_string(cert_file, "cert_file"),
            key_file=c_string(key_file, "key_file"),
            timeout_ms=_milliseconds(timeout),
            max_request=u64(max_request, "max_request"),
            queue_bytes=u64(queue_bytes, "queue_bytes"),
            spool=c_string(spool, "spool"),
            spool_bytes=u64(spool_bytes, "spool_bytes"),
            retry_ms=_milliseconds(retry_for), logs=logs,
            logs_endpoint=c_string(logs_endpoint, "logs_endpoint"),
            on_log=log)
        out, err = ctypes.c_void_p(), c.Err()
        lib.exporter_new(byref(opts), byref(out), byref(err))
        check(err)
        self._owned = _Owned(out.value, log)
        # Also when the interpreter ends: its thread must not call into what
        # is no more.
        self._finalizer = weakref.finalize(self, self._owned.end, 0)

    def send(self, profiles: Profiles) -> None:
        """Takes profiles, to be sent soon. Does not wait for the server. With
        a spool the profiles are in it, and outlive the process, when this
        returns."""
        err = c.Err()
        with self._owned.call() as e:
            lib.exporter_send(e, profiles._handle, byref(err))
        check(err)

    def send_bytes(self, message: bytes, *, logs: bool = False) -> None:
        """Takes a message in protobuf: ProfilesData, or LogsData if logs."""
        data, err = bytes(message), c.Err()
        m = c.Message(signal=c.LOGS if logs else c.PROFILES, n=len(data))
        m.bytes = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
        with self._owned.call() as e:
            lib.exporter_send_bytes(e, byref(m), byref(err))
        check(err)

    def flush(self, timeout: Optional[float] = None) -> bool:
        """Waits until nothing waits any more, for at most so many seconds;
        False if something still does."""
        _milliseconds(timeout)
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _SLICE if end is None else max(0, end - time.monotonic())
            with self._owned.call() as e:
                if lib.exporter_flush(e, _milliseconds(min(left, _SLICE))):
                    return True
            if not left:
                return False

    @property
    def stats(self) -> ExporterStats:
        out = c.ExporterStats()
        with self._owned.call() as e:
            lib.exporter_stats(e, byref(out))
        return ExporterStats(*(getattr(out, name)
                               for name in ExporterStats._fields))

    def close(self, timeout: Optional[float] = 5.0) -> None:
        """Flushes for at most so many seconds, then ends the exporter. What is
        left stays in the spool; without one it is lost, and reported."""
        if self._owned.is_usable():
            self.flush(timeout)
        self._owned.end(0)
        self._finalizer.detach()

    def __enter__(self) -> Exporter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _log_function(on_log: OnNote) -> Any:
    def log(_ctx: object, text: bytes) -> None:
        try:
            on_log(text.decode("utf-8", "replace"))
        except Exception:
            logger.exception("on_log failed")
    return log
