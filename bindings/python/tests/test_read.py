# SPDX-License-Identifier: Apache-2.0
"""Opening files, bytes and streams of bytes; errors."""
import errno
import gzip
import io
import pathlib
import pickle

import pytest

import otprof
from otprof import _errors, _library

FOLDED = b"main;parse 3\nmain;render 4\n"


def test_from_path_bytes_and_file(shop, tmp_path):
    path = tmp_path / "shop.otlp"
    shop.write(path)
    data = path.read_bytes()
    with open(path, "rb") as file:
        sources = [path, str(path), data, bytearray(data), memoryview(data),
                   io.BytesIO(data), file, gzip.compress(data)]
        for source in sources:
            with otprof.open(source) as profiles:
                assert [p.type for p in profiles] == ["cpu", "alloc_space"]


def test_format_is_detected_or_given():
    assert otprof.open(FOLDED)[0].total == 7
    assert otprof.open(FOLDED, format="folded")[0].total == 7
    with pytest.raises(otprof.Error, match="unknown format 'nope'"):
        otprof.open(FOLDED, format="nope")


def test_settings():
    for settings in ({"as": "lock/nanoseconds"}, ["as=lock/nanoseconds"]):
        profile = otprof.open(FOLDED, format="folded", settings=settings)[0]
        assert (profile.type, profile.unit) == ("lock", "nanoseconds")
    with pytest.raises(TypeError, match="settings must be a mapping"):
        otprof.open(FOLDED, settings="as=x")


def test_missing_file():
    with pytest.raises(otprof.Error) as caught:
        otprof.open("/nonexistent/file")
    error = caught.value
    assert error.code is otprof.ErrorCode.EIO
    assert error.errno == errno.ENOENT
    assert error.offset is None
    assert str(error) == error.text == ("cannot open '/nonexistent/file': "
                                        "No such file or directory")


def test_error_has_the_offset(shop):
    data = shop.to_bytes()
    with pytest.raises(otprof.Error) as caught:
        otprof.open(data[:-3], format="otlp")
    error = caught.value
    assert error.code is otprof.ErrorCode.EFORMAT
    assert error.offset is not None and error.offset <= len(data)
    assert f"(at byte {error.offset})" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (again.text, again.code, again.offset) == (
        error.text, error.code, error.offset)


def test_limits(shop):
    data = shop.to_bytes()
    for source, options in ((gzip.compress(data), {"max_bytes": 10}),
                            (data, {"mem_quota": 10})):
        with pytest.raises(otprof.Error) as caught:
            otprof.open(source, **options)
        assert caught.value.code in (otprof.ErrorCode.ELIMIT,
                                     otprof.ErrorCode.ENOMEM)
    assert len(otprof.open(data, budget=None, threads=2)) == 2


def test_wrong_arguments():
    with pytest.raises(TypeError, match="expected a path, bytes"):
        otprof.open(3)
    with pytest.raises(TypeError, match="binary mode"):
        otprof.open(io.StringIO("main 1"))
    with pytest.raises(ValueError, match="NUL"):
        otprof.open("a\0b")
    with pytest.raises(OverflowError, match="threads -1 is not between"):
        otprof.open(FOLDED, threads=-1)
    with pytest.raises(OverflowError):
        otprof.open(FOLDED, max_bytes=1 << 64)


# A line without a number is skipped, which is a note, or an error if strict.
BAD = b"main;parse 3\nnonsense\n"


def test_notes():
    notes = []
    profiles = otprof.open(BAD, format="folded", on_note=notes.append)
    assert profiles[0].total == 3
    assert len(notes) == 1 and isinstance(notes[0], str)
    with pytest.warns(otprof.ProfileWarning) as caught:
        otprof.open(BAD, format="folded")
    assert [str(w.message) for w in caught] == notes
    assert pathlib.Path(caught[0].filename).name == "test_read.py"
    with pytest.raises(otprof.Error):
        otprof.open(BAD, format="folded", strict=True)


def test_exception_in_on_note():
    def on_note(text):
        raise KeyError(text)

    with pytest.raises(KeyError):
        otprof.open(BAD, format="folded", on_note=on_note)


def test_notes_before_a_failure():
    """What was noted before a call failed is not lost."""
    err = _library.Err(code=-1, text=b"broken")
    notes = _errors.Notes(None)
    notes.c(None, b"skipped a line")
    with pytest.warns(otprof.ProfileWarning, match="skipped a line"):
        with pytest.raises(otprof.Error, match="broken"):
            notes.finish(err)


def test_exception_before_a_failure():
    err = _library.Err(code=-1, text=b"broken")
    notes = _errors.Notes(lambda text: 1 / 0)
    notes.c(None, b"text")
    with pytest.raises(otprof.Error, match="broken") as caught:
        notes.finish(err)
    assert isinstance(caught.value.__context__, ZeroDivisionError)
