# SPDX-License-Identifier: Apache-2.0
"""The exporter, against a server in a thread of this process."""
import gc
import logging
import os
import pathlib
import subprocess
import sys
import threading
import time

import pytest
from conftest import make_shop

import otprof

PACKAGE = pathlib.Path(otprof.__file__).parents[1]


@pytest.fixture
def exporter(server):
    e = otprof.Exporter(server.url, compression="none",
                        headers={"x-key": "a b"})
    yield e
    e.close(0)


def test_send(exporter, server, shop):
    exporter.send(shop)
    assert exporter.flush(10)
    [(path, headers, body)] = server.requests
    assert path == "/v1development/profiles"
    assert headers["x-key"] == "a b"
    assert [p.total for p in otprof.open(body)] == [35, 151]
    stats = exporter.stats
    assert (stats.put, stats.sent, stats.waiting, stats.dropped) == (1, 1, 0,
                                                                     0)
    assert stats.sent_bytes == len(body)


def test_send_bytes(exporter, server, shop):
    exporter.send_bytes(shop.to_bytes())
    assert exporter.flush(10)
    assert otprof.open(server.requests[0][2])[0].total == 35
    with pytest.raises(otprof.Error):
        exporter.send_bytes(b"\xff\xff")
    with pytest.raises(otprof.Error, match="not told to send logs"):
        exporter.send_bytes(b"", logs=True)


def test_flush_that_takes_too_long(exporter, server, shop):
    server.status = 503
    exporter.send(shop)
    start = time.monotonic()
    assert not exporter.flush(0.2)
    assert time.monotonic() - start >= 0.2
    assert exporter.stats.waiting == 1


def test_closed(exporter, shop):
    exporter.close()
    exporter.close()
    for use in (lambda: exporter.send(shop), exporter.flush,
                lambda: exporter.stats):
        with pytest.raises(ValueError, match="exporter is closed"):
            use()


def test_refused_is_logged(server, shop, caplog):
    server.status = 400
    with caplog.at_level(logging.WARNING, "otprof"):
        with otprof.Exporter(server.url) as e:
            e.send(shop)
            e.flush(10)
            assert e.stats.refused == 1
    assert any("400" in r.getMessage() for r in caplog.records)


def test_on_log(server, shop):
    texts = []

    def on_log(text):
        texts.append(text)
        raise KeyError("ignored, but logged")

    server.status = 400
    with otprof.Exporter(server.url, on_log=on_log) as e:
        e.send(shop)
        e.flush(10)
    assert texts and "400" in texts[0]


def test_spool(server, shop, tmp_path):
    spool = tmp_path / "spool"
    spool.mkdir(mode=0o700)
    server.status = 503
    e = otprof.Exporter(server.url, spool=spool, on_log=lambda text: None)
    e.send(shop)
    assert e.stats.spooled == 1
    e.close(0)
    server.status = 200
    server.requests.clear()
    with otprof.Exporter(server.url, spool=spool) as e:
        assert e.flush(10)
    assert otprof.open(server.requests[-1][2])[0].total == 35


def test_dropped_without_close(server):
    e = otprof.Exporter(server.url)
    owned = e._owned
    del e
    gc.collect()
    assert owned.is_closed


def test_wrong_arguments(server):
    with pytest.raises(otprof.Error):
        otprof.Exporter("ftp://host")
    with pytest.raises(ValueError, match="negative"):
        otprof.Exporter(server.url, timeout=-1)
    with pytest.raises(ValueError, match="negative"):
        otprof.Exporter(server.url).flush(-1)


def test_many_threads_send_and_one_closes(server):
    e = otprof.Exporter(server.url)
    profiles, errors = make_shop(), []

    def send():
        try:
            for _ in range(200):
                e.send(profiles)
                e.flush(0)
                e.stats
        except ValueError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=send) for _ in range(3)]
    for thread in threads:
        thread.start()
    e.close(0)
    for thread in threads:
        thread.join()
    assert set(errors) <= {"the exporter is closed"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_child_process(exporter, shop):
    pid = os.fork()
    if not pid:
        try:
            exporter.send(shop)
        except otprof.Error:
            exporter.close(0)
            os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7


def test_exit_with_an_open_exporter(server):
    """The thread of an exporter must not call into an interpreter that has
    ended."""
    program = ("import otprof, sys\n"
               "e = otprof.Exporter('http://127.0.0.1:1')\n"
               "b = otprof.Builder()\n"
               "b.profile(b.scope(b.resource()), 'cpu')\n"
               "e.send(b.take())\n")
    done = subprocess.run([sys.executable, "-c", program], timeout=60,
                          capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert done.returncode == 0, done.stderr
    assert "messages dropped at exit, not yet sent: 1" in done.stderr
