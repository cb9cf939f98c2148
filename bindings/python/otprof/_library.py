# SPDX-License-Identifier: Apache-2.0
"""Loads libotprof and declares its structs and functions for ctypes.

Everything here mirrors include/otprof.h, name by name and in its order. A test
compares the sizes and offsets of the structs with those of a C compiler.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_int, c_int64, c_size_t, c_uint32, c_uint64,
                    c_void_p)
from typing import Any

SONAME = "libotprof.so.1"
MAJOR = "1"

NO_BUDGET = 0xFFFFFFFF
NO_TIMEOUT = 0xFFFFFFFFFFFFFFFF

# enum otprof_table
MAPPINGS, LOCATIONS, FUNCTIONS, LINKS, STACKS, ATTRS = range(6)

# enum otprof_kind
NONE, STRING, BOOL, INT, DOUBLE, ARRAY, MAP, BYTES = range(8)

# enum otprof_signal
PROFILES, LOGS = range(2)

note_fn = CFUNCTYPE(None, c_void_p, c_char_p)


class Sized(Structure):
    """A struct whose first member is its size, as OTPROF_INIT() sets it."""

    def __init__(self, **members: Any):
        super().__init__(sz=ctypes.sizeof(self), **members)


class Err(Structure):
    _fields_ = [("code", c_int), ("sys", c_int), ("has_at", c_int),
                ("at", c_uint64), ("text", c_char * 384)]


class Str(Structure):
    _fields_ = [("p", c_void_p), ("n", c_size_t)]


class OpenOpts(Sized):
    _fields_ = [("sz", c_size_t), ("max_bytes", c_uint64),
                ("mem_quota", c_uint64), ("format", c_char_p),
                ("settings", POINTER(c_char_p)), ("strict", c_int),
                ("budget", c_uint32), ("root", c_char_p),
                ("threads", c_uint32), ("on_note", note_fn),
                ("ctx", c_void_p)]


class Profile(Sized):
    _fields_ = [("sz", c_size_t), ("type", Str), ("unit", Str),
                ("period_type", Str), ("period_unit", Str),
                ("period", c_int64), ("time_unix_nano", c_uint64),
                ("duration_nano", c_uint64), ("id", c_void_p),
                ("nr_samples", c_uint32), ("attrs", c_uint32),
                ("resource", c_uint32), ("scope", c_uint32),
                ("scope_name", Str), ("scope_version", Str),
                ("total", c_int64), ("payload", Str),
                ("payload_format", Str)]


class Columns(Sized):
    _fields_ = [("sz", c_size_t), ("nr", c_uint32), ("stacks", c_void_p),
                ("attrs", c_void_p), ("links", c_void_p),
                ("value_at", c_void_p), ("values", c_void_p),
                ("time_at", c_void_p), ("times", c_void_p)]


class Sample(Sized):
    _fields_ = [("sz", c_size_t), ("stack", c_uint32), ("attrs", c_uint32),
                ("trace_id", c_void_p), ("span_id", c_void_p),
                ("values", c_void_p), ("nr_values", c_uint32),
                ("times", c_void_p), ("nr_times", c_uint32),
                ("link", c_uint32)]


class Ids(Structure):
    _fields_ = [("p", c_void_p), ("n", c_uint32)]


class Frame(Sized):
    _fields_ = [("sz", c_size_t), ("function", Str), ("system_name", Str),
                ("file", Str), ("line", c_int64), ("column", c_int64),
                ("address", c_uint64), ("mapping", Str), ("attrs", c_uint32),
                ("is_inlined", c_int), ("location_id", c_uint32),
                ("function_id", c_uint32), ("mapping_id", c_uint32)]


class Frames(Structure):
    _fields_ = [("p", c_void_p), ("locations", Ids), ("at", c_uint32),
                ("line", c_uint32), ("one", c_uint32)]


class Mapping(Sized):
    _fields_ = [("sz", c_size_t), ("file", Str), ("start", c_uint64),
                ("limit", c_uint64), ("offset", c_uint64), ("build_id", Str),
                ("attrs", c_uint32)]


class Value(Structure):
    _fields_ = [("kind", c_int), ("nr", c_uint32), ("s", Str), ("i", c_int64),
                ("d", c_double), ("list", c_void_p), ("from_", c_void_p)]


class Attr(Structure):
    _fields_ = [("key", Str), ("unit", Str), ("value", Value)]


class Attrs(Structure):
    _fields_ = [("p", c_void_p), ("list", c_void_p), ("i", c_uint32),
                ("n", c_uint32), ("kind", c_int)]


class Identity(Structure):
    _fields_ = [("stack", c_uint32), ("attrs", c_uint32), ("link", c_uint32)]


class FilterOpts(Sized):
    _fields_ = [("sz", c_size_t), ("types", c_char_p), ("focus", c_char_p),
                ("ignore", c_char_p), ("from_unix_nano", c_uint64),
                ("to_unix_nano", c_uint64), ("aggregate", c_int),
                ("drop_payloads", c_int), ("on_note", note_fn),
                ("ctx", c_void_p), ("where", c_char_p), ("hide", c_char_p),
                ("show_from", c_char_p), ("collapse_recursion", c_int)]


class DiffOpts(Sized):
    _fields_ = [("sz", c_size_t), ("exact", c_int), ("normalize", c_int)]


class SymbolizeOpts(Sized):
    _fields_ = [("sz", c_size_t), ("root", c_char_p), ("path", c_char_p),
                ("program", c_char_p), ("on_note", note_fn),
                ("ctx", c_void_p)]


class Finding(Structure):
    _fields_ = [("rule", c_char_p), ("path", c_char_p), ("text", c_char_p),
                ("is_error", c_int)]


finding_fn = CFUNCTYPE(None, c_void_p, POINTER(Finding))


class TopOpts(Sized):
    _fields_ = [("sz", c_size_t), ("type", c_char_p), ("by", c_char_p),
                ("by_cum", c_int)]


class TopRow(Structure):
    _fields_ = [("name", Str), ("labels", POINTER(Str)), ("flat", c_int64),
                ("cum", c_int64)]


class TopInfo(Sized):
    _fields_ = [("sz", c_size_t), ("type", Str), ("unit", Str),
                ("total", c_int64), ("nr_labels", c_size_t),
                ("nr_rows", c_size_t), ("rows", POINTER(TopRow))]


class ViewOpts(Sized):
    _fields_ = [("sz", c_size_t), ("type", c_char_p), ("by", c_char_p),
                ("match", c_char_p), ("inverted", c_int),
                ("from_unix_nano", c_uint64), ("to_unix_nano", c_uint64),
                ("step_nano", c_uint64), ("nr_steps", c_uint32),
                ("max_rows", c_uint32)]


class TreeNode(Structure):
    _fields_ = [("sz", c_size_t), ("name", Str), ("parent", c_size_t),
                ("depth", c_size_t), ("flat", c_int64), ("cum", c_int64)]


class TreeInfo(Sized):
    _fields_ = [("sz", c_size_t), ("type", Str), ("unit", Str),
                ("total", c_int64), ("nr_nodes", c_size_t),
                ("nodes", c_void_p)]


class PeekCall(Structure):
    _fields_ = [("sz", c_size_t), ("name", Str), ("value", c_int64)]


class PeekRow(Structure):
    _fields_ = [("sz", c_size_t), ("name", Str), ("flat", c_int64),
                ("cum", c_int64), ("nr_callers", c_size_t),
                ("callers", c_void_p), ("nr_callees", c_size_t),
                ("callees", c_void_p)]


class PeekInfo(Sized):
    _fields_ = [("sz", c_size_t), ("type", Str), ("unit", Str),
                ("total", c_int64), ("nr_rows", c_size_t),
                ("rows", c_void_p)]


class Line(Structure):
    _fields_ = [("sz", c_size_t), ("line", c_int64), ("flat", c_int64),
                ("cum", c_int64)]


class LinesRow(Structure):
    _fields_ = [("sz", c_size_t), ("function", Str), ("file", Str),
                ("flat", c_int64), ("cum", c_int64), ("nr_lines", c_size_t),
                ("lines", c_void_p)]


class LinesInfo(Sized):
    _fields_ = [("sz", c_size_t), ("type", Str), ("unit", Str),
                ("total", c_int64), ("nr_rows", c_size_t),
                ("rows", c_void_p)]


class Total(Structure):
    _fields_ = [("sz", c_size_t), ("labels", POINTER(Str)),
                ("value", c_int64), ("nr_samples", c_uint64),
                ("nr_observations", c_uint64), ("from_unix_nano", c_uint64),
                ("to_unix_nano", c_uint64)]


class TotalsInfo(Sized):
    _fields_ = [("sz", c_size_t), ("type", Str), ("unit", Str),
                ("total", c_int64), ("nr_labels", c_size_t),
                ("nr_rows", c_size_t), ("rows", c_void_p)]


class Cell(Structure):
    _fields_ = [("value", c_int64), ("nr_observations", c_uint64)]


class SeriesRow(Structure):
    _fields_ = [("sz", c_size_t), ("labels", POINTER(Str)),
                ("value", c_int64), ("cells", POINTER(Cell))]


class SeriesInfo(Sized):
    _fields_ = [("sz", c_size_t), ("type", Str), ("unit", Str),
                ("total", c_int64), ("from_unix_nano", c_uint64),
                ("to_unix_nano", c_uint64), ("step_nano", c_uint64),
                ("nr_buckets", c_size_t), ("nr_labels", c_size_t),
                ("nr_rows", c_size_t), ("rows", c_void_p),
                ("nr_untimed", c_uint64), ("nr_outside", c_uint64)]


class HeatmapInfo(Sized):
    _fields_ = [("sz", c_size_t), ("type", Str), ("unit", Str),
                ("total", c_int64), ("from_unix_nano", c_uint64),
                ("to_unix_nano", c_uint64), ("step_nano", c_uint64),
                ("nr_columns", c_size_t), ("nr_rows", c_size_t),
                ("cells", POINTER(Cell)), ("max_value", c_int64),
                ("nr_untimed", c_uint64), ("nr_outside", c_uint64)]


class Interval(Structure):
    _fields_ = [("from_unix_nano", c_uint64), ("to_unix_nano", c_uint64)]


class LaneState(Structure):
    _fields_ = [("sz", c_size_t), ("state", Str), ("waits", c_int),
                ("time_nano", c_uint64), ("nr_points", c_uint64),
                ("points", POINTER(c_uint64)), ("nr_intervals", c_size_t),
                ("intervals", POINTER(Interval))]


class Lane(Structure):
    _fields_ = [("sz", c_size_t), ("process", Str), ("thread", Str),
                ("from_unix_nano", c_uint64), ("to_unix_nano", c_uint64),
                ("busy_nano", c_uint64), ("waiting_nano", c_uint64),
                ("nr_states", c_size_t), ("states", c_void_p)]


class LanesInfo(Sized):
    _fields_ = [("sz", c_size_t), ("from_unix_nano", c_uint64),
                ("to_unix_nano", c_uint64), ("step_nano", c_uint64),
                ("nr_buckets", c_size_t), ("nr_rows", c_size_t),
                ("rows", c_void_p), ("nr_untimed", c_uint64)]


class CheckOpts(Sized):
    _fields_ = [("sz", c_size_t), ("strict", c_int), ("max_bytes", c_uint64),
                ("on_finding", finding_fn), ("ctx", c_void_p)]


class CheckResult(Sized):
    _fields_ = [("sz", c_size_t), ("nr_errors", c_uint64),
                ("nr_warnings", c_uint64)]


class WriteOpts(Sized):
    _fields_ = [("sz", c_size_t), ("format", c_char_p),
                ("settings", POINTER(c_char_p)), ("on_note", note_fn),
                ("ctx", c_void_p), ("pack", c_char_p)]


class ExporterOpts(Sized):
    _fields_ = [("sz", c_size_t), ("endpoint", c_char_p),
                ("protocol", c_char_p), ("compression", c_char_p),
                ("headers", c_char_p), ("ca_file", c_char_p),
                ("cert_file", c_char_p), ("key_file", c_char_p),
                ("timeout_ms", c_uint64), ("max_request", c_uint64),
                ("queue_bytes", c_uint64), ("spool", c_char_p),
                ("spool_bytes", c_uint64), ("retry_ms", c_uint64),
                ("logs", c_int), ("logs_endpoint", c_char_p),
                ("on_log", note_fn), ("ctx", c_void_p)]


class Message(Sized):
    _fields_ = [("sz", c_size_t), ("signal", c_int), ("bytes", c_void_p),
                ("n", c_size_t), ("release", CFUNCTYPE(None, c_void_p)),
                ("ctx", c_void_p)]


class ExporterStats(Sized):
    _fields_ = [("sz", c_size_t), ("put", c_uint64), ("put_bytes", c_uint64),
                ("sent", c_uint64), ("sent_bytes", c_uint64),
                ("refused", c_uint64), ("rejected", c_uint64),
                ("dropped", c_uint64), ("tries", c_uint64),
                ("waiting", c_uint64), ("waiting_bytes", c_uint64),
                ("spooled", c_uint64), ("spooled_bytes", c_uint64)]


_err = POINTER(Err)
_out = POINTER(c_void_p)
_object = c_void_p

# Name: (result, arguments).
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_char_p, []),
    "open_file": (c_int, [c_char_p, POINTER(OpenOpts), _out, _err]),
    "open_memory": (c_int, [c_char_p, c_size_t, POINTER(OpenOpts), _out,
                            _err]),
    "free": (None, [_object]),
    "reader_new": (c_int, [c_int, POINTER(OpenOpts), _out, _err]),
    "reader_next": (c_int, [_object, _out, _err]),
    "reader_free": (None, [_object]),
    "nr_profiles": (c_size_t, [_object]),
    "profile": (c_int, [_object, c_size_t, POINTER(Profile), _err]),
    "columns": (c_int, [_object, c_size_t, POINTER(Columns), _err]),
    "sample": (c_int, [_object, c_size_t, c_uint32, POINTER(Sample), _err]),
    "nr_rows": (c_uint32, [_object, c_int]),
    "stack": (Ids, [_object, c_uint32]),
    "frames": (Frames, [_object, c_uint32]),
    "location_frames": (Frames, [_object, c_uint32]),
    "frame_next": (c_int, [POINTER(Frames), POINTER(Frame)]),
    "mapping": (c_int, [_object, c_uint32, POINTER(Mapping), _err]),
    "attrs": (Attrs, [_object, c_uint32]),
    "resource_attrs": (Attrs, [_object, c_uint32]),
    "scope_attrs": (Attrs, [_object, c_uint32, c_uint32]),
    "value_elements": (Attrs, [POINTER(Value)]),
    "attr_next": (c_int, [POINTER(Attrs), POINTER(Attr)]),
    "builder_new": (c_int, [c_uint64, _out, _err]),
    "builder_free": (None, [_object]),
    "builder_take": (c_int, [_object, _out, _err]),
    "builder_compact": (c_int, [_object, _err]),
    "builder_bytes": (c_uint64, [_object]),
    "build_resource": (c_uint32, [_object, POINTER(Attr), c_size_t]),
    "build_scope": (c_uint32, [_object, c_uint32, c_char_p, c_char_p,
                               POINTER(Attr), c_size_t]),
    "build_profile": (c_uint32, [_object, c_uint32, POINTER(Profile)]),
    "build_mapping": (c_uint32, [_object, POINTER(Mapping)]),
    "build_location": (c_uint32, [_object, c_uint32, POINTER(Frame),
                                  c_size_t]),
    "build_stack": (c_uint32, [_object, POINTER(c_uint32), c_size_t]),
    "build_attrs": (c_uint32, [_object, POINTER(Attr), c_size_t]),
    "build_link": (c_uint32, [_object, c_char_p, c_char_p]),
    "build_add": (None, [_object, c_uint32, Identity, c_int64]),
    "build_observe": (None, [_object, c_uint32, Identity, c_int64, c_uint64]),
    "normalize": (c_int, [_object, _out, _err]),
    "merge": (c_int, [POINTER(c_void_p), c_size_t, _out, _err]),
    "filter": (c_int, [_object, POINTER(FilterOpts), _out, _err]),
    "diff": (c_int, [_object, _object, POINTER(DiffOpts), _out, _err]),
    "symbolize": (c_int, [_object, POINTER(SymbolizeOpts), _out, _err]),
    "top_new": (c_int, [_object, POINTER(TopOpts), _out, _err]),
    "top_free": (None, [_object]),
    "top_info": (c_int, [_object, POINTER(TopInfo), _err]),
    "tree_new": (c_int, [_object, POINTER(ViewOpts), _out, _err]),
    "tree_info": (c_int, [_object, POINTER(TreeInfo), _err]),
    "tree_free": (None, [_object]),
    "peek_new": (c_int, [_object, POINTER(ViewOpts), _out, _err]),
    "peek_info": (c_int, [_object, POINTER(PeekInfo), _err]),
    "peek_free": (None, [_object]),
    "lines_new": (c_int, [_object, POINTER(ViewOpts), _out, _err]),
    "lines_info": (c_int, [_object, POINTER(LinesInfo), _err]),
    "lines_free": (None, [_object]),
    "totals_new": (c_int, [_object, POINTER(ViewOpts), _out, _err]),
    "totals_info": (c_int, [_object, POINTER(TotalsInfo), _err]),
    "totals_free": (None, [_object]),
    "series_new": (c_int, [_object, POINTER(ViewOpts), _out, _err]),
    "series_info": (c_int, [_object, POINTER(SeriesInfo), _err]),
    "series_free": (None, [_object]),
    "heatmap_new": (c_int, [_object, POINTER(ViewOpts), _out, _err]),
    "heatmap_info": (c_int, [_object, POINTER(HeatmapInfo), _err]),
    "heatmap_free": (None, [_object]),
    "lanes_new": (c_int, [_object, POINTER(ViewOpts), _out, _err]),
    "lanes_info": (c_int, [_object, POINTER(LanesInfo), _err]),
    "lanes_free": (None, [_object]),
    "check_file": (c_int, [c_char_p, POINTER(CheckOpts), POINTER(CheckResult),
                           _err]),
    "check_memory": (c_int, [c_char_p, c_size_t, POINTER(CheckOpts),
                             POINTER(CheckResult), _err]),
    "write_file": (c_int, [_object, c_char_p, POINTER(WriteOpts), _err]),
    "write_memory": (c_int, [_object, POINTER(WriteOpts), _out,
                             POINTER(c_size_t), _err]),
    "bytes_free": (None, [c_void_p]),
    "exporter_new": (c_int, [POINTER(ExporterOpts), _out, _err]),
    "exporter_send": (c_int, [_object, _object, _err]),
    "exporter_send_bytes": (c_int, [_object, POINTER(Message), _err]),
    "exporter_flush": (c_int, [_object, c_uint64]),
    "exporter_stats": (None, [_object, POINTER(ExporterStats)]),
    "exporter_free": (None, [_object, c_uint64]),
}


class Library:
    """The functions of libotprof, without the prefix otprof_."""

    def __init__(self, name: str):
        try:
            handle = ctypes.CDLL(name)
        except OSError as e:
            raise ImportError(
                f"cannot load the otprof library: {e} (install libotprof, or "
                f"set OTPROF_LIBRARY to the path of {SONAME})") from None
        for function, (result, arguments) in _FUNCTIONS.items():
            try:
                f = getattr(handle, "otprof_" + function)
            except AttributeError:
                raise ImportError(f"{name} is not a version {MAJOR} of "
                                  "libotprof: it has no function "
                                  f"otprof_{function}") from None
            f.restype = result
            f.argtypes = arguments
            setattr(self, function, f)
            if function == "version":
                self._check_version(name)

    def _check_version(self, name: str) -> None:
        self.text = self.version().decode()
        if self.text.split(".")[0] != MAJOR:
            raise ImportError(f"{name} is version {self.text} of libotprof; "
                              f"this package needs version {MAJOR}")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


lib = Library(os.environ.get("OTPROF_LIBRARY") or SONAME)
