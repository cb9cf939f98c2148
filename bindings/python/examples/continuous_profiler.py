#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles a Python program from within and exports every ten seconds.

    continuous_profiler.py [OPTION]... PROGRAM.py [ARGUMENT]...

Runs PROGRAM.py. Beside it a thread samples the stacks of all threads, a
hundred times per second, and exports them to an OTLP server, or into a
directory as one file per message.

One builder lives as long as the program: its tables of functions, stacks and
threads are kept from message to message, so that a stack that was seen before
costs a lookup.
"""
import argparse
import os
import pathlib
import runpy
import sys
import threading
import time

import otprof

# The builder is compacted when its tables take more than this.
MAX_BYTES = 16 << 20


class Profiler:
    """Samples all other threads until stop(). send is called with each
    message, an otprof.Profiles."""

    def __init__(self, send, service, hz=100, interval=10.0):
        self._send = send
        self._resource = {"service.name": service, "process.pid": os.getpid()}
        self._period = 1 / hz
        self._interval = interval
        self._builder = otprof.Builder()
        self._samples = []
        self._forget_ids()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="profiler",
                                        daemon=True)

    def start(self):
        self._thread.start()

    def stop(self):
        """Exports what is left, and ends."""
        self._stop.set()
        self._thread.join()
        self._builder.close()

    def _run(self):
        self._begin = time.time_ns()
        due = time.monotonic()
        export_at = due + self._interval
        while not self._stop.wait(max(0, due - time.monotonic())):
            # After a delay, go on from now: no burst of late samples.
            due = max(due + self._period, time.monotonic())
            self._sample()
            if due >= export_at:
                export_at += self._interval
                self._export()
        self._export()

    # --- samples ---

    def _forget_ids(self):
        self._locations, self._stacks, self._threads = {}, {}, {}

    def _location(self, code, line):
        key = code, line
        found = self._locations.get(key)
        if found is None:
            name = getattr(code, "co_qualname", code.co_name)
            found = self._builder.location(
                otprof.Frame(name, code.co_filename, line or 0))
            self._locations[key] = found
        return found

    def _stack(self, frame):
        locations = []
        while frame is not None:
            locations.append(self._location(frame.f_code, frame.f_lineno))
            frame = frame.f_back
        key = tuple(locations)
        found = self._stacks.get(key)
        if found is None:
            found = self._stacks[key] = self._builder.stack(locations)
        return found

    def _attributes(self, ident, names):
        key = ident, names.get(ident, "")
        found = self._threads.get(key)
        if found is None:
            found = self._threads[key] = self._builder.attributes(
                {"thread.id": ident, "thread.name": key[1]})
        return found

    def _sample(self):
        now = time.time_ns()
        names = {t.ident: t.name for t in threading.enumerate()}
        for ident, frame in sys._current_frames().items():
            if ident != threading.get_ident():
                self._samples.append((self._stack(frame),
                                      self._attributes(ident, names), now))

    # --- messages ---

    def _export(self):
        """Makes a message of the samples since the last one."""
        builder, end = self._builder, time.time_ns()
        scope = builder.scope(builder.resource(self._resource),
                              "continuous_profiler", otprof.__version__)
        # Stacks of threads that wait are sampled too: this is wall time.
        profile = builder.profile(
            scope, "samples", "count", period_type="wall",
            period_unit="nanoseconds", period=int(self._period * 1e9),
            time_unix_nano=self._begin, duration_nano=end - self._begin)
        for stack, attributes, when in self._samples:
            builder.observe(profile, stack, 1, when, attributes=attributes)
        self._samples.clear()
        self._begin = end
        message = builder.take()
        if len(message[0]):
            self._send(message)
        if builder.bytes > MAX_BYTES:
            builder.compact()
            self._forget_ids()


class Directory:
    """Writes each message into a file of its own."""

    def __init__(self, path):
        self._path = pathlib.Path(path)
        self._path.mkdir(parents=True, exist_ok=True)
        self._nr = 0

    def send(self, profiles):
        self._nr += 1
        profiles.write(self._path / f"{os.getpid()}-{self._nr:06}.otlp")

    def close(self):
        pass


def parse(arguments):
    parser = argparse.ArgumentParser(
        description="Profiles a Python program and exports the profiles.")
    parser.add_argument("--interval", type=float, default=10, metavar="S",
                        help="seconds per message (default: %(default)s)")
    parser.add_argument("--hz", type=float, default=100, metavar="N",
                        help="samples per second (default: %(default)s)")
    parser.add_argument("--service", metavar="NAME",
                        help="service.name (default: the program's name)")
    sink = parser.add_mutually_exclusive_group()
    sink.add_argument("--endpoint", metavar="URL",
                      help="OTLP server (default: OTEL_EXPORTER_OTLP_* or "
                      "http://localhost:4318)")
    sink.add_argument("--output", metavar="DIR",
                      help="write files into DIR instead")
    parser.add_argument("program", metavar="PROGRAM.py")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args(arguments)


def main():
    args = parse(sys.argv[1:])
    sink = (Directory(args.output) if args.output
            else otprof.Exporter(args.endpoint))
    profiler = Profiler(sink.send,
                        args.service or pathlib.Path(args.program).stem,
                        args.hz, args.interval)
    sys.argv = [args.program, *args.arguments]
    profiler.start()
    try:
        runpy.run_path(args.program, run_name="__main__")
    finally:
        profiler.stop()
        sink.close()


if __name__ == "__main__":
    main()
