# SPDX-License-Identifier: Apache-2.0
"""Read, build, convert and send OpenTelemetry profiles.

    import otprof

    with otprof.open("app.otlp") as profiles:
        for profile in profiles:
            for sample in profile:
                print(sample.value, [str(f) for f in sample.stack])

The package calls libotprof.so.1, or the library that OTPROF_LIBRARY names.
"""
from ._build import Builder
from ._check import CheckResult, Finding
from ._check import check_rules as check
from ._errors import Error, ErrorCode, ProfileWarning
from ._export import Exporter, ExporterStats
from ._library import lib as _lib
from ._profiles import Profile, Profiles, Sample, diff, merge, open
from ._rows import (Columns, Frame, Link, Mapping, Resource, Scope, Series,
                    SeriesRow, Top, TopRow, Total, Totals, Tree, TreeNode)
from ._stream import Reader, read_stream
from ._values import Attribute, Attributes
from ._version import __version__

library_version: str = _lib.text
"""The version of the library."""

__all__ = [
    "Attribute", "Attributes", "Builder", "CheckResult", "Columns", "Error",
    "ErrorCode", "Exporter", "ExporterStats", "Finding", "Frame", "Link",
    "Mapping", "Profile", "ProfileWarning", "Profiles", "Reader", "Resource",
    "Sample", "Scope", "Series", "SeriesRow", "Top", "TopRow", "Total",
    "Totals", "Tree", "TreeNode", "__version__", "check", "diff",
    "library_version", "merge", "open", "read_stream",
]
