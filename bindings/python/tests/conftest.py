# SPDX-License-Identifier: Apache-2.0
"""What the tests share. OTPROF_LIBRARY names the library to test."""
import http.server
import os
import pathlib
import threading

import pytest

import otprof

START = 1_767_225_600_000_000_000
TRACE, SPAN = bytes(range(16)), bytes(range(8))


@pytest.fixture
def top():
    """The root of the source tree."""
    return pathlib.Path(__file__).parents[3]


def build_shop(builder, scale=1):
    """A service with a CPU profile of observations and an allocation profile
    of totals."""
    resource = builder.resource({"service.name": "shop", "process.pid": 7})
    scope = builder.scope(resource, "test", "1.0", {"scope.key": True})
    mapping = builder.mapping("/usr/bin/shop", 0x1000, 0x9000, 0x10,
                              "abcdef0123456789")
    main = builder.location(
        otprof.Frame("main", "shop.c", 10, 3, "_main", 0x1010), mapping)
    parse = builder.location(
        [otprof.Frame("inlined", "shop.c", 21),
         otprof.Frame("parse", "shop.c", 20, address=0x2020,
                      attributes={"frame.type": "native"})], mapping)
    deep, flat = builder.stack([parse, main]), builder.stack([main])
    thread = builder.attributes({"thread.id": 42, "thread.name": "worker"})
    link = builder.link(TRACE, SPAN)
    cpu = builder.profile(
        scope, "cpu", "nanoseconds", period_type="cpu",
        period_unit="nanoseconds", period=10, time_unix_nano=START,
        duration_nano=1000, attributes={"profile.key": "v"}, id=TRACE)
    for i in range(3):
        builder.observe(cpu, deep, 10 * scale, START + i, attributes=thread,
                        link=link)
    builder.observe(cpu, flat, 5 * scale, START + 9)
    alloc = builder.profile(scope, "alloc_space", "bytes")
    builder.add(alloc, deep, 100 * scale)
    builder.add(alloc, deep, 50 * scale)
    builder.add(alloc, flat, 1 * scale)


def make_shop(scale=1):
    with otprof.Builder() as builder:
        build_shop(builder, scale)
        return builder.take()


@pytest.fixture
def shop():
    return make_shop()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    """An OTLP/HTTP server that answers with status and keeps requests. Tests
    that need it are skipped where the library cannot send."""
    for name in list(os.environ):
        if name.startswith("OTEL_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    try:
        otprof.Exporter().close(0)
    except otprof.Error as e:
        if "libcurl" in str(e):
            pytest.skip(str(e))
        raise
    s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    s.requests, s.status = [], 200
    s.url = f"http://127.0.0.1:{s.server_port}"
    thread = threading.Thread(target=s.serve_forever, args=(0.01,))
    thread.start()
    yield s
    s.shutdown()
    thread.join()
    s.server_close()


def pytest_terminal_summary(terminalreporter):
    """The line that .ci/run adds up."""
    counts = {name: len(terminalreporter.stats.get(name, []))
              for name in ("passed", "failed", "error", "skipped")}
    failed = counts["failed"] + counts["error"]
    terminalreporter.write_line(
        f"{counts['passed']} passed, {failed} failed, "
        f"{counts['skipped']} skipped")
