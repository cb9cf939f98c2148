# SPDX-License-Identifier: Apache-2.0
"""Streams, message by message."""
import io
import os
import signal
import struct
import threading

import pytest
from conftest import make_shop

import otprof


def framed(*scales):
    messages = [make_shop(s).to_bytes() for s in scales]
    return b"".join(struct.pack(">I", len(m)) + m for m in messages)


def totals(reader):
    return [profiles[0].total for profiles in reader]


def test_from_path_file_and_descriptor(tmp_path):
    path = tmp_path / "stream"
    path.write_bytes(framed(1, 2, 3))
    expected = [35, 70, 105]
    assert totals(otprof.read_stream(path)) == expected
    assert totals(otprof.read_stream(str(path))) == expected
    with open(path, "rb") as file:
        assert totals(otprof.read_stream(file)) == expected
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        assert totals(otprof.read_stream(file.fileno())) == expected
    assert totals(otprof.read_stream(io.BytesIO(framed(1, 2, 3)))) == expected


def test_json_lines():
    lines = b"\n".join(make_shop(s).to_bytes("otlp-json", settings=None)
                       for s in (1, 2))
    assert totals(otprof.read_stream(io.BytesIO(lines))) == [35, 70]


def test_objects_outlive_the_reader():
    with otprof.read_stream(io.BytesIO(framed(1, 2))) as reader:
        first = next(reader)
    assert first[0].total == 35
    with pytest.raises(StopIteration):
        next(reader)


def test_pipe_gives_each_message_when_it_is_there():
    got, put = os.pipe()
    seen, step = [], threading.Semaphore(0)

    def write():
        for scale in (1, 2):
            os.write(put, framed(scale))
            step.acquire()
        os.close(put)

    writer = threading.Thread(target=write)
    writer.start()
    for profiles in otprof.read_stream(got):
        seen.append(profiles[0].total)
        step.release()
    writer.join()
    os.close(got)
    assert seen == [35, 70]


def test_source_is_closed_early(tmp_path):
    path = tmp_path / "stream"
    path.write_bytes(framed(1, 2))
    with open(path, "rb") as file:
        reader = otprof.read_stream(file)
    assert totals(reader) == [35, 70]


def test_in_another_thread():
    seen = []
    thread = threading.Thread(target=lambda: seen.extend(
        totals(otprof.read_stream(io.BytesIO(framed(1, 2))))))
    thread.start()
    thread.join()
    assert seen == [35, 70]


def test_signal_handler_that_raises():
    """It ends the wait, and the reader, but not what the reader gave."""
    class Stop(Exception):
        pass

    def handler(*_args):
        raise Stop

    got, put = os.pipe()
    before = signal.signal(signal.SIGALRM, handler)
    try:
        os.write(put, framed(1) + framed(2)[:10])
        reader = otprof.read_stream(got)
        first = next(reader)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Stop):
            next(reader)
        assert list(reader) == [] and first[0].total == 35
    finally:
        signal.signal(signal.SIGALRM, before)
        os.close(put)
        os.close(got)


def test_empty():
    assert totals(otprof.read_stream(io.BytesIO(b""))) == []


def test_error_in_a_message():
    data = framed(1) + struct.pack(">I", 4) + b"\xff\xff\xff\xff"
    reader = otprof.read_stream(io.BytesIO(data))
    assert next(reader)[0].total == 35
    with pytest.raises(otprof.Error) as caught:
        next(reader)
    assert caught.value.offset >= len(framed(1))
    assert list(reader) == []


def test_cut_off():
    reader = otprof.read_stream(io.BytesIO(framed(1, 2)[:-1]))
    next(reader)
    with pytest.raises(otprof.Error):
        next(reader)


def test_wrong_arguments():
    with pytest.raises(TypeError, match="expected a descriptor"):
        otprof.read_stream(1.5)
    with pytest.raises(TypeError):
        otprof.read_stream(0, nope=1)
    with pytest.raises(otprof.Error, match="unknown format 'nope'"):
        otprof.read_stream(io.BytesIO(), format="nope")
    with pytest.raises(FileNotFoundError):
        otprof.read_stream("/nonexistent/stream")


def test_reader_is_not_reentrant():
    """A callback runs in the middle of a message."""
    lines = b"main;parse 3\nnonsense\n"
    errors = []

    def on_note(_text):
        try:
            next(reader)
        except ValueError as e:
            errors.append(str(e))

    reader = otprof.read_stream(io.BytesIO(lines), format="folded",
                                on_note=on_note)
    assert totals(reader) == [3]
    assert errors == ["the reader is already waiting for a message"]
