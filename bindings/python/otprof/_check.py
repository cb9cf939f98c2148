# SPDX-License-Identifier: Apache-2.0
"""Validates files against the OTLP profiles specification."""
from __future__ import annotations

from ctypes import byref
from typing import Any, BinaryIO, NamedTuple, Union

from . import _library as c
from ._errors import Callback, c_string, u64
from ._library import lib
from ._profiles import Bytes, Path, bytes_or_path


class Finding(NamedTuple):
    """A rule of the OTLP specification that a file breaks."""

    rule: str
    """Name of the rule, as in docs/check.md."""
    path: str
    """Where in the message."""
    text: str
    is_error: bool
    """Else it is a warning."""


class CheckResult(NamedTuple):
    """What check() found."""

    nr_errors: int
    nr_warnings: int
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """No errors; there may be warnings."""
        return not self.nr_errors


def check_rules(source: Union[Path, Bytes, BinaryIO], *, strict: bool = False,
                max_bytes: int = 0) -> CheckResult:
    """Validates a file, or bytes, against the OTLP profiles specification. A
    source that breaks rules is no Error, one that cannot be read is.

    strict: warnings are errors.
    max_bytes: limit of the input; 0: 4 GiB.
    """
    findings: list[Finding] = []

    def found(_ctx: object, at: Any) -> None:
        f = at.contents
        rule, path, text = (t.decode("utf-8", "replace")
                            for t in (f.rule, f.path, f.text))
        findings.append(Finding(rule, path, text, bool(f.is_error)))

    callback = Callback(found)
    opts = c.CheckOpts(strict=strict, max_bytes=u64(max_bytes, "max_bytes"),
                       on_finding=c.finding_fn(callback._call))
    what, out, err = bytes_or_path(source), c.CheckResult(), c.Err()
    if isinstance(what, bytes):
        lib.check_memory(what, len(what), byref(opts), byref(out), byref(err))
    else:
        lib.check_file(c_string(what, "path"), byref(opts), byref(out),
                       byref(err))
    callback.finish(err)
    return CheckResult(out.nr_errors, out.nr_warnings, tuple(findings))
