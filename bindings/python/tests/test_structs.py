# SPDX-License-Identifier: Apache-2.0
"""The declarations for ctypes agree with include/otprof.h."""
import ctypes
import re
import shutil
import subprocess

import pytest

import otprof
from otprof import _library as c

STRUCTS = {
    "otprof_err": c.Err, "otprof_str": c.Str,
    "otprof_open_opts": c.OpenOpts, "otprof_profile": c.Profile,
    "otprof_columns": c.Columns, "otprof_sample": c.Sample,
    "otprof_ids": c.Ids, "otprof_frame": c.Frame, "otprof_frames": c.Frames,
    "otprof_mapping": c.Mapping, "otprof_value": c.Value,
    "otprof_attr": c.Attr, "otprof_attrs": c.Attrs,
    "otprof_identity": c.Identity, "otprof_filter_opts": c.FilterOpts,
    "otprof_top_opts": c.TopOpts, "otprof_top_row": c.TopRow,
    "otprof_top_info": c.TopInfo, "otprof_view_opts": c.ViewOpts,
    "otprof_tree_node": c.TreeNode, "otprof_tree_info": c.TreeInfo,
    "otprof_peek_call": c.PeekCall, "otprof_peek_row": c.PeekRow,
    "otprof_peek_info": c.PeekInfo, "otprof_line": c.Line,
    "otprof_lines_row": c.LinesRow, "otprof_lines_info": c.LinesInfo,
    "otprof_total": c.Total, "otprof_totals_info": c.TotalsInfo,
    "otprof_cell": c.Cell, "otprof_series_row": c.SeriesRow,
    "otprof_series_info": c.SeriesInfo,
    "otprof_heatmap_info": c.HeatmapInfo, "otprof_interval": c.Interval,
    "otprof_lane_state": c.LaneState, "otprof_lane": c.Lane,
    "otprof_lanes_info": c.LanesInfo,
    "otprof_diff_opts": c.DiffOpts, "otprof_symbolize_opts": c.SymbolizeOpts,
    "otprof_finding": c.Finding, "otprof_check_opts": c.CheckOpts,
    "otprof_check_result": c.CheckResult, "otprof_write_opts": c.WriteOpts,
    "otprof_exporter_opts": c.ExporterOpts, "otprof_message": c.Message,
    "otprof_exporter_stats": c.ExporterStats,
}

CONSTANTS = {
    "OTPROF_NO_BUDGET": c.NO_BUDGET,
    "OTPROF_MAPPINGS": c.MAPPINGS, "OTPROF_LOCATIONS": c.LOCATIONS,
    "OTPROF_FUNCTIONS": c.FUNCTIONS, "OTPROF_LINKS": c.LINKS,
    "OTPROF_STACKS": c.STACKS, "OTPROF_ATTRS": c.ATTRS,
    "OTPROF_NONE": c.NONE, "OTPROF_STRING": c.STRING, "OTPROF_BOOL": c.BOOL,
    "OTPROF_INT": c.INT, "OTPROF_DOUBLE": c.DOUBLE, "OTPROF_ARRAY": c.ARRAY,
    "OTPROF_MAP": c.MAP, "OTPROF_BYTES": c.BYTES,
    "OTPROF_PROFILES": c.PROFILES, "OTPROF_LOGS": c.LOGS,
    **{"OTPROF_" + e.name: e.value for e in otprof.ErrorCode},
}

# Python makes structs of values itself, and the agent is in another library.
UNUSED = {"str", "string", "bool", "int", "double", "bytes", "array", "map",
          "agent_start", "agent_stop"}


@pytest.fixture
def header(top):
    path = top / "include" / "otprof.h"
    if not path.exists():
        pytest.skip("the header is not there")
    return path


def members(struct):
    return [name for name, *_ in struct._fields_]


def test_layout(header, tmp_path):
    cc = shutil.which("cc") or shutil.which("gcc")
    if not cc:
        pytest.skip("there is no C compiler")
    ours, lines = {}, []
    for name, struct in STRUCTS.items():
        ours[name] = ctypes.sizeof(struct)
        lines.append(f'P("{name}", sizeof(struct {name}));')
        for member in members(struct):
            field = getattr(struct, member)
            real = f"{name}.{member.rstrip('_')}"
            ours[real] = field.offset
            ours[real + " size"] = field.size
            s, m = real.split(".")
            lines.append(f'P("{real}", offsetof(struct {s}, {m}));')
            lines.append(f'P("{real} size", sizeof(((struct {s} *)0)->{m}));')
    for name, value in CONSTANTS.items():
        ours[name] = value
        lines.append(f'P("{name}", {name});')
    source = tmp_path / "layout.c"
    source.write_text("#include <stdio.h>\n#include <otprof.h>\n"
                      '#define P(s, v) printf("%s=%lld\\n", s, (long long)(v))'
                      "\nint main(void)\n{\n" + "\n".join(lines)
                      + "\nreturn 0;\n}\n")
    program = tmp_path / "layout"
    subprocess.run([cc, "-I", header.parent, "-o", program, source],
                   check=True)
    out = subprocess.run([program], check=True, capture_output=True, text=True)
    theirs = dict(line.split("=") for line in out.stdout.splitlines())
    assert {k: int(v) for k, v in theirs.items()} == ours


def test_every_struct_and_member_is_declared(header):
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    found = dict(re.findall(r"^struct (\w+) \{(.*?)^\}", text, re.S | re.M))
    # The agent is for programs in C and C++, and in a library of its own.
    found.pop("otprof_agent_opts")
    assert set(found) == set(STRUCTS)
    for name, body in found.items():
        body = body.replace("OTPROF_ZERO_", "")
        body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", body)
        declared = [re.search(r"(\w+)\s*(\[\d+\])?\s*$", part).group(1)
                    for line in body.split(";") if line.strip()
                    for part in line.split(",")]
        assert declared == [m.rstrip("_") for m in members(STRUCTS[name])]


def test_every_function_is_declared(header):
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    found = set(re.findall(r"OTPROF_API[^;]*?\botprof_(\w+)\(", text))
    found = {name for name in found if not name.endswith("_")}
    assert found - UNUSED == set(c._FUNCTIONS)


def test_version_is_that_of_the_header(header):
    numbers = re.findall(r"#define OTPROF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                         header.read_text())
    assert otprof.__version__ == ".".join(numbers)
    assert otprof.library_version.split(".")[0] == c.MAJOR
