#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs otprof send and curl on the same messages, to a server that takes all.

usage: send.py --otprof FILE --idle FILE --message FILE --work FOLDER [--quick]

FILE is an OTLP message of some 50 MB, whose profiles have ids. It is sent again
and again, over one connection; 1 GB in all, 200 MB with --quick. Then the
program idle (idle.c) sends one small message.
"""
import argparse
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys

from programs import MB, Programs, report

HTTP = ("HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n"
        "Content-Length: 0\r\n\r\n").encode()


def head_of(connection, buffer):
    """The length of the body, and how much of it came with the head."""
    data = b""
    while b"\r\n\r\n" not in data:
        n = connection.recv_into(buffer)
        if not n:
            return None, 0
        data += buffer[:n].tobytes()
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    if b"expect: 100-continue" in lines:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    return int(next(x for x in lines if x.startswith(b"content-length:")).split()[1]), len(body)


def take_all(listener):
    """One connection after the other; bodies go nowhere."""
    buffer = memoryview(bytearray(1 << 20))
    while True:
        connection, _ = listener.accept()
        while True:
            length, got = head_of(connection, buffer)
            if length is None:
                break
            while got < length:
                got += connection.recv_into(buffer)
            connection.sendall(HTTP)
        connection.close()


class Bench(Programs):
    def times(self, url, path, n):
        """The message n times: by us, and by curl, which reads it anew each time as we do."""
        curl = [shutil.which("curl"), "-sS"]
        for i in range(n):
            curl += ["--next"] * (i > 0) + ["-o", "/dev/null", "-H", "Content-Type: application/x-protobuf",
                                           "--data-binary", "@" + path, url]
        ours = self.otprof("send", "--protocol", "http/protobuf", "--compression", "none", "--endpoint", url)
        return ours + n * [path], curl


def main():
    parser = argparse.ArgumentParser()
    for name in "otprof", "idle", "message", "work":
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    bench = Bench(args)
    if not bench.has_command("send") or not shutil.which("curl"):
        sys.exit("bench: no otprof send, or no curl")
    os.makedirs(args.work, exist_ok=True)
    path = bench.path("message.otlp")
    bench.run(bench.otprof("convert", args.message, "-o", path))
    size = os.path.getsize(path)
    n = max(1, int((200 if args.quick else 1000) * MB / size))
    listener = socket.create_server(("127.0.0.1", 0))
    server = multiprocessing.Process(target=take_all, args=(listener,), daemon=True)
    server.start()
    url = "http://127.0.0.1:%d/v1development/profiles" % listener.getsockname()[1]
    ours, curl = bench.times(url, path, n)
    us, them = bench.best(ours, curl)
    work = "send %.0f MB as %d messages, CPU" % (n * size / MB, n)
    report(work, "%.3f s" % us[0], "%.3f s" % them[0], them[0] / us[0], 1 / 1.3)
    report(work.replace("CPU", "memory"), "%.0f MB" % (us[2] / MB), "%.0f MB" % (them[2] / MB), them[2] / us[2], 0)
    small = bench.path("small.otlp")
    with open(bench.path("small.folded"), "w", encoding="utf-8") as f:
        f.write("main;work 1\n")
    bench.run(bench.otprof("convert", f.name, "-o", small))
    subprocess.run([args.idle, url, small], check=True)
    server.terminate()


main()
