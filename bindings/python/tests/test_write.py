# SPDX-License-Identifier: Apache-2.0
"""Writing every format; merge, filter, diff, normalize, symbolize, check."""
import errno
import gzip
import json

import pytest
from conftest import START, make_shop

import otprof

FORMATS = ["otlp", "otlp-json", "pprof", "folded", "chrome-trace",
           "cpuprofile", "speedscope", "firefox", "otep239", "otep-arrays",
           "otlp-events", "otlp-events-text", "splunk-text", "splunk-pprof"]


def ignore(_text):
    pass


@pytest.mark.parametrize("format", FORMATS)
def test_formats(shop, format):
    cpu = shop.filter("cpu", aggregate=format in ("pprof", "folded"))
    data = cpu.to_bytes(format, on_note=ignore)
    assert len(otprof.open(data, format=format, on_note=ignore)) >= 1


def test_pages(shop):
    assert shop.to_bytes("html", on_note=ignore).startswith(b"<!DOCTYPE html")
    assert b"<svg" in shop.filter("cpu").to_bytes("svg", on_note=ignore)


def test_otlp_is_lossless(shop):
    data = shop.to_bytes()
    assert otprof.open(data).to_bytes() == data
    again = otprof.open(shop.to_bytes("otlp-json"))
    assert again.to_bytes() == data


def test_format_by_file_name(shop, tmp_path):
    shop.write(tmp_path / "a.json")
    assert "resourceProfiles" in json.loads((tmp_path / "a.json").read_text())
    shop.write(tmp_path / "a.otlp.gz")
    data = gzip.decompress((tmp_path / "a.otlp.gz").read_bytes())
    assert data == shop.to_bytes()
    shop.write(str(tmp_path / "b"), format="otlp", pack="none")
    assert (tmp_path / "b").read_bytes() == data


def test_settings(shop):
    text = shop.filter("cpu").to_bytes("html", settings={"title": "Hello <x>"},
                                       on_note=ignore)
    assert b"Hello" in text


def test_notes(shop):
    with pytest.warns(otprof.ProfileWarning):
        shop.to_bytes("folded")
    notes = []
    shop.to_bytes("folded", on_note=notes.append)
    assert notes and all(isinstance(n, str) for n in notes)


def test_errors(shop, tmp_path):
    with pytest.raises(otprof.Error, match="unknown format 'nope'"):
        shop.to_bytes("nope")
    with pytest.raises(otprof.Error, match="no packing 'nope'"):
        shop.to_bytes(pack="nope")
    with pytest.raises(otprof.Error) as caught:
        shop.write(tmp_path / "no" / "such.otlp")
    assert caught.value.errno == errno.ENOENT
    assert list(tmp_path.iterdir()) == []


def test_merge(shop):
    merged = otprof.merge([shop, make_shop(2)])
    assert [p.total for p in merged] == [35 * 3, 151 * 3]
    assert len(otprof.merge([])) == 0


def test_filter(shop):
    assert [p.type for p in shop.filter(["alloc_space/bytes"])] == [
        "alloc_space"]
    assert shop.filter("cpu", focus="^parse$")[0].total == 30
    assert shop.filter("cpu", ignore="^parse$")[0].total == 5
    ranged = shop.filter("cpu", from_unix_nano=START + 1,
                         to_unix_nano=START + 3, on_note=ignore)
    assert ranged[0].columns().times.tolist() == [START + 1, START + 2]
    assert shop.filter("cpu", aggregate=True)[0].columns().time_at is None
    with pytest.raises(otprof.Error) as caught:
        shop.filter("nope")
    assert caught.value.code is otprof.ErrorCode.EUSAGE


def test_filter_by_labels(shop):
    assert shop.filter("cpu", where="function=parse")[0].total == 30
    assert shop.filter("cpu", where='function!="parse"')[0].total == 5
    assert shop.filter("cpu", hide=".")[0].total == 35
    assert shop.filter("cpu", show_from="^parse$")[0].total == 30
    assert shop.filter("cpu", collapse_recursion=True)[0].total == 35
    with pytest.raises(otprof.Error) as caught:
        shop.filter(where="function")
    assert caught.value.code is otprof.ErrorCode.EUSAGE


def test_top(shop):
    top = shop.top()
    assert (top.type, top.total) == ("cpu", 35)
    assert ("parse", 30) in [(r.name, r.cum) for r in top.rows]
    assert sum(r.flat for r in top.rows) == 35
    top = shop.top("type,function", by_cum=True)
    assert top.rows[0].labels == ("cpu/nanoseconds",)
    assert top.rows[0].cum == 35
    with pytest.raises(otprof.Error):
        shop.top(type="nope")
    with pytest.raises(otprof.Error):
        shop.top(by="")


def test_tree(shop):
    tree = shop.tree()
    assert (tree.type, tree.unit, tree.total) == ("cpu", "nanoseconds", 35)
    assert [(n.name, n.parent, n.depth, n.flat, n.cum)
            for n in tree.nodes] == [("", 0, 0, 0, 35), ("main", 0, 1, 5, 35),
                                     ("parse", 1, 2, 0, 30),
                                     ("inlined", 2, 3, 30, 30)]
    names = [n.name for n in shop.tree(inverted=True).nodes]
    assert names[:4] == ["", "inlined", "parse", "main"]
    assert shop.tree("thread,function").nodes[1].name == "worker (42)"
    with pytest.raises(otprof.Error, match="no profile of type nope"):
        shop.tree(type="nope")


def test_totals(shop):
    totals = shop.totals("thread")
    assert (totals.type, totals.total) == ("cpu", 35)
    assert [(r.labels, r.value) for r in totals.rows] == [
        (("worker (42)",), 30), (("(no thread)",), 5)]
    first = totals.rows[0]
    assert (first.nr_samples, first.nr_observations) == (1, 3)
    assert (first.from_unix_nano, first.to_unix_nano) == (START, START + 3)
    assert [r.value for r in shop.totals(type="alloc_space").rows] == [151]
    with pytest.raises(otprof.Error, match="labels of samples"):
        shop.totals("function")


def test_series(shop):
    series = shop.series("thread", step_nano=5)
    assert (series.from_unix_nano, series.step_nano) == (START, 5)
    assert [(r.labels, r.values, r.counts) for r in series.rows] == [
        (("worker (42)",), [30, 0], [3, 0]),
        (("(no thread)",), [0, 5], [0, 1])]
    assert series.nr_untimed == 0
    series = shop.series("thread", buckets=1, max_rows=1)
    assert [(r.labels, r.values) for r in series.rows] == [
        (("worker (42)",), [30]), (None, [5])]
    series = shop.series(from_unix_nano=START + 1, to_unix_nano=START + 2,
                         buckets=1)
    assert (series.rows[0].values, series.nr_outside) == ([10], 3)
    none = shop.series(type="alloc_space")
    assert (none.rows, none.total, none.nr_untimed > 0) == ([], 151, True)


def test_diff(shop):
    totals = {p.type: p.total for p in otprof.diff(shop, make_shop(3))}
    assert totals == {"cpu": 70, "alloc_space": 302}
    assert {p.type: p.total for p in shop.diff(shop)} == {
        "cpu": 0, "alloc_space": 0}
    same = otprof.diff(shop, make_shop(3), normalize=True, exact=True)
    assert {p.total for p in same} == {0}


def test_normalize(shop):
    again = shop.normalize()
    assert again.to_bytes() == shop.to_bytes()


def test_symbolize(shop, tmp_path):
    notes = []
    with otprof.Builder() as b:
        mapping = b.mapping("/nonexistent/binary", 0x1000, 0x2000)
        profile = b.profile(b.scope(b.resource()), "cpu", "count")
        location = b.location(otprof.Frame(address=0x1234), mapping)
        b.add(profile, b.stack([location]), 1)
        bare = b.take()
    named = bare.symbolize(root=tmp_path, path=[tmp_path, tmp_path],
                           on_note=notes.append)
    [frame] = next(iter(named[0])).stack
    assert "otprof.location.unresolved" in frame.attributes
    assert len(notes) == 1 and "/nonexistent/binary" in notes[0]


def test_check(shop, tmp_path):
    good = shop.to_bytes()
    result = otprof.check(good)
    assert result.ok and result.nr_errors == 0
    (tmp_path / "good.otlp").write_bytes(good)
    assert otprof.check(tmp_path / "good.otlp") == result
    # A sample with a stack that is not there.
    bad = json.loads(shop.to_bytes("otlp-json"))
    scope = bad["resourceProfiles"][0]["scopeProfiles"][0]
    scope["profiles"][0]["samples"][0]["stackIndex"] = 99
    result = otprof.check(json.dumps(bad).encode())
    assert not result.ok and result.nr_errors == 1
    [finding] = [f for f in result.findings if f.is_error]
    assert finding.rule and "samples" in finding.path and finding.text


def test_check_of_what_cannot_be_read(tmp_path):
    with pytest.raises(otprof.Error) as caught:
        otprof.check(tmp_path / "nope")
    assert caught.value.errno == errno.ENOENT
    with pytest.raises(otprof.Error):
        otprof.check(b"\xff\xff\xff\xff")
