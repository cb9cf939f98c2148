# SPDX-License-Identifier: Apache-2.0
"""pandas and pyarrow, where they are installed."""
import datetime
import sys

import pytest
from conftest import SPAN, START, TRACE

import otprof
from otprof._tables import COLUMNS


def test_pandas(shop):
    pandas = pytest.importorskip("pandas")
    table = shop.to_pandas()
    assert tuple(table.columns) == COLUMNS
    assert len(table) == 6
    assert table.groupby("type", observed=True)["value"].sum().to_dict() == {
        "cpu": 35, "alloc_space": 151}
    assert table["value"].dtype == "int64"
    row = table.iloc[0]
    assert row["time"] == pandas.Timestamp(START, unit="ns", tz="UTC")
    assert table["time"].isna().tolist() == [False] * 4 + [True] * 2
    assert row["stack"] == ["inlined", "parse", "main"]
    assert row["thread_id"] == 42 and row["thread_name"] == "worker"
    assert row["process_id"] == 7 and row["service"] == "shop"
    assert (row["trace_id"], row["span_id"]) == (TRACE.hex(), SPAN.hex())
    assert row["attributes"] == {"thread.id": 42, "thread.name": "worker"}


def test_pandas_per_sample(shop):
    pytest.importorskip("pandas")
    table = shop.to_pandas(per="sample", stack="str")
    assert table["value"].tolist() == [30, 5, 150, 1]
    assert table["stack"].tolist() == ["main;parse;inlined", "main"] * 2
    assert table["time"].iloc[1].value == START + 9


def test_arrow(shop):
    pyarrow = pytest.importorskip("pyarrow")
    table = shop.to_arrow()
    assert tuple(table.column_names) == COLUMNS
    assert table["value"].to_pylist() == [10, 10, 10, 5, 150, 1]
    assert table["stack"].to_pylist()[0] == ["inlined", "parse", "main"]
    assert table.schema.field("time").type == pyarrow.timestamp("ns", "UTC")
    assert table["time"].cast(pyarrow.int64()).to_pylist() == [
        START, START + 1, START + 2, START + 9, None, None]
    assert dict(table["attributes"].to_pylist()[0]) == {
        "thread.id": "42", "thread.name": "worker"}
    per_sample = shop.to_arrow(per="sample", stack="str")
    assert per_sample["stack"].to_pylist()[0] == "main;parse;inlined"


def test_nothing():
    pytest.importorskip("pandas")
    assert len(otprof.merge([]).to_pandas()) == 0


def test_wrong_arguments(shop):
    pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="per must be"):
        shop.to_pandas(per="week")
    with pytest.raises(ValueError, match="stack must be"):
        shop.to_pandas(stack="tuple")


def test_time_out_of_range():
    pytest.importorskip("pandas")
    with otprof.Builder() as b:
        profile = b.profile(b.scope(b.resource()), "cpu", "count")
        b.observe(profile, b.stack([b.location("main")]), 1, (1 << 64) - 1)
        profiles = b.take()
    with pytest.raises(otprof.Error, match="after the year 2262"):
        profiles.to_pandas()


@pytest.mark.parametrize("module, call", [
    ("pandas", lambda p: p.to_pandas()), ("pyarrow", lambda p: p.to_arrow()),
    ("numpy", lambda p: p[0].columns().numpy())])
def test_without_the_package(shop, monkeypatch, module, call):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"needs {module}, which is not"):
        call(shop)


def test_start_is_a_date():
    """START is what the tests above take it for."""
    start = datetime.datetime.fromtimestamp(START / 1e9, datetime.timezone.utc)
    assert start.isoformat() == "2026-01-01T00:00:00+00:00"
