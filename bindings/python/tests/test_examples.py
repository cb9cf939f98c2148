# SPDX-License-Identifier: Apache-2.0
"""The examples do what they say, and so does README.md."""
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys

import pytest
from conftest import build_shop

import otprof

PACKAGE = pathlib.Path(otprof.__file__).parents[1]
EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"

PROGRAM = """
import sys, threading, time

def busy(until):
    while time.monotonic() < until:
        sum(range(100))

end = time.monotonic() + float(sys.argv[1])
thread = threading.Thread(target=busy, args=(end,), name="worker")
thread.start()
busy(end)
thread.join()
"""


def run(example, *arguments, stdin=b"", status=0):
    done = subprocess.run(
        [sys.executable, EXAMPLES / example, *map(str, arguments)],
        input=stdin, capture_output=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert done.returncode == status, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "shop.py"
    path.write_text(PROGRAM)
    return path


def check_messages(messages):
    """What holds however fast the machine is."""
    names, threads = set(), set()
    for profiles in messages:
        [profile] = profiles
        assert otprof.check(profiles.to_bytes()).ok
        assert profile.resource.attributes["service.name"] == "shop"
        assert profile.duration_nano > 0
        end = profile.time_unix_nano + profile.duration_nano
        for sample in profile:
            assert all(profile.time_unix_nano <= t <= end
                       for t in sample.times)
            names |= {f.function for f in sample.stack}
            threads.add(sample.attributes["thread.name"])
    assert "busy" in names and threads == {"MainThread", "worker"}


def test_profiler_writes_files(program, tmp_path):
    out = tmp_path / "out"
    run("continuous_profiler.py", "--interval", 0.3, "--output", out, program,
        1)
    paths = sorted(out.iterdir())
    assert len(paths) >= 2
    messages = [otprof.open(path) for path in paths]
    check_messages(messages)
    times = [m[0].time_unix_nano for m in messages]
    ends = [m[0].time_unix_nano + m[0].duration_nano for m in messages]
    assert times[1:] == ends[:-1]


def test_profiler_sends(program, server):
    run("continuous_profiler.py", "--interval", 0.3, "--endpoint", server.url,
        program, 1)
    check_messages(otprof.open(body) for _, _, body in server.requests)


def test_profiler_compacts(monkeypatch):
    """Ids of before are not used again."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import continuous_profiler
    monkeypatch.setattr(continuous_profiler, "MAX_BYTES", 0)
    messages = []
    profiler = continuous_profiler.Profiler(messages.append, "s")
    profiler._begin = 0
    for _ in range(3):
        frame = sys._getframe()
        profiler._samples.append((profiler._stack(frame),
                                  profiler._attributes(1, {}), 5))
        profiler._export()
    assert [m[0].total for m in messages] == [1, 1, 1]


def stream(tmp_path):
    data = b""
    for scale in (1, 2):
        with otprof.Builder() as b:
            build_shop(b, scale)
            other = b.scope(b.resource({"service.name": "bank"}))
            b.add(b.profile(other, "cpu", "count"),
                  b.stack([b.location("main")]), scale)
            message = b.take().to_bytes()
        data += struct.pack(">I", len(message)) + message
    return data


EXPECTED = """\
bank: cpu/count, total 3
              3 100.00%  main
shop: alloc_space/bytes, total 453
            450  99.34%  inlined
              3   0.66%  main
shop: cpu/nanoseconds, total 105
             90  85.71%  inlined
             15  14.29%  main
"""


def test_backend(tmp_path):
    data = stream(tmp_path)
    assert run("stream_backend.py", stdin=data)[0] == EXPECTED
    (tmp_path / "file").write_bytes(data)
    assert run("stream_backend.py", tmp_path / "file")[0] == EXPECTED
    out = run("stream_backend.py", "--every", 1, "--top", 1, stdin=data)[0]
    assert out.count("bank: cpu/count, total 1\n") == 1
    assert out.count("inlined") == 6


def test_backend_fails(tmp_path):
    out, err = run("stream_backend.py", stdin=stream(tmp_path)[:-1], status=1)
    assert out.startswith("bank: cpu/count, total 1\n")
    assert err.startswith("stream_backend: ") and err.count("\n") == 1
    _, err = run("stream_backend.py", "/nonexistent", status=1)
    assert "/nonexistent" in err


def test_backend_is_interrupted(tmp_path):
    """Ctrl-C ends the wait for a message, and the lists are printed."""
    backend = subprocess.Popen(
        [sys.executable, EXAMPLES / "stream_backend.py", "--every", "2"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False,
        # A shell ignores it for commands in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    with backend:
        backend.stdin.write(stream(tmp_path))
        backend.stdin.flush()
        first = backend.stdout.read(len(EXPECTED))
        backend.send_signal(signal.SIGINT)
        out = first + backend.stdout.read()
        assert backend.wait(60) == 130
    assert out.decode() == 2 * EXPECTED


def test_readme(tmp_path, monkeypatch, capsys):
    """The examples that read print what README.md says."""
    pytest.importorskip("pandas")
    sample = os.environ.get("OTPROF_SAMPLE")
    if not sample:
        pytest.skip("OTPROF_SAMPLE is not set")
    text = (EXAMPLES.parent / "README.md").read_text()
    text = text.replace("build/example.otlp", sample)
    text = text.replace("/tmp/cart.svg", str(tmp_path / "cart.svg"))
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.M)
    blocks = [re.sub("^    ", "", b, flags=re.M).strip() for b in blocks]
    for source, output in zip(blocks, blocks[1:]):
        if "otprof.open(" in source:
            exec(source, {"otprof": otprof})
            assert capsys.readouterr().out.strip() == output
    assert (tmp_path / "cart.svg").exists()
