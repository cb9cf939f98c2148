# SPDX-License-Identifier: Apache-2.0
"""The OpenTelemetry eBPF profiler: runs it and keeps what it sends.

Its messages go to the server of tests/serve. It stops where it may not raise
limits, which a kernel with BPF memory in control groups does not need, so it
runs below no_rlimit; and it wants tracefs, which is mounted for it alone.
"""
import os
import shlex
import subprocess
import time

READY = b"Attached tracer program"


def wait_for(what, seconds, process, why):
    """Until what() is true; the process must not end before."""
    end = time.monotonic() + seconds
    while not what():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(why())
        time.sleep(0.05)


class Peer:
    def __init__(self, programs, serve, folder, hertz):
        """PROGRAMS has ebpf-profiler and no_rlimit; FOLDER is empty."""
        self.folder = folder
        self.log = os.path.join(folder, "log")
        script = os.path.join(folder, "script")
        port = os.path.join(folder, "port")
        with open(script, "w") as f:
            f.write("grpc=0\n")
        self.server = subprocess.Popen([serve, folder, script])
        wait_for(lambda: os.path.exists(port), 10, self.server,
                 lambda: "the server does not start")
        with open(port) as f:
            address = f"127.0.0.1:{f.read().strip()}"
        command = [os.path.join(programs, "no_rlimit"),
                   os.path.join(programs, "ebpf-profiler"),
                   "-collection-agent", address, "-disable-tls",
                   "-samples-per-second", str(hertz),
                   "-reporter-interval", "1s", "-reporter-jitter", "0"]
        mounted = "mountpoint -q /sys/kernel/tracing || " \
            "mount -t tracefs tracefs /sys/kernel/tracing && exec "
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["unshare", "-m", "sh", "-c", mounted + shlex.join(command)],
                stdout=log, stderr=log)
        wait_for(lambda: READY in self.said(), 120, self.process,
                 lambda: self.said().decode(errors="replace")[-500:])

    def said(self):
        with open(self.log, "rb") as f:
            return f.read()

    def stop(self):
        for process in (self.process, self.server):
            process.terminate()
            process.wait(20)

    def messages(self):
        """OTLP, one per message, as files. Those of gRPC begin with a byte that
        says whether the rest is compressed, and four with its length."""
        at = 1
        while True:
            body = os.path.join(self.folder, f"{at}.body")
            if not os.path.exists(body):
                return
            out = os.path.join(self.folder, f"{at}.otlp")
            with open(body, "rb") as f:
                head, rest = f.read(5), f.read()
            if head[0]:
                rest = subprocess.run(["gzip", "-dc"], input=rest, check=True,
                                      stdout=subprocess.PIPE).stdout
            with open(out, "wb") as f:
                f.write(rest)
            yield out
            at += 1
