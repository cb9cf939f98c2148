#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a stream of profiles and prints the top functions of each service.

    stream_backend.py [--top N] [--every N] [FILE]

The stream, standard input or FILE, is what the Collector's file exporter
writes: OTLP messages behind their lengths, or lines of OTLP/JSON. Only one
message is in memory at a time. The lists are printed at the end of the stream,
at Ctrl-C, and with --every after each N messages.
"""
import argparse
import collections
import sys

import otprof


class Top:
    """Values by service, type of profile, and function at the leaf."""

    def __init__(self):
        self._values = collections.defaultdict(collections.Counter)

    def add(self, profiles):
        for profile in profiles:
            attributes = profile.resource.attributes
            service = attributes.get("service.name", "(no service)")
            counter = self._values[service, profile.type, profile.unit]
            for sample in profile:
                leaf = str(sample.stack[0]) if sample.stack else "(no stack)"
                counter[leaf] += sample.value

    def print(self, nr):
        for (service, kind, unit), counter in sorted(self._values.items()):
            total = sum(counter.values())
            print(f"{service}: {kind}/{unit}, total {total:,}")
            for name, value in counter.most_common(nr):
                share = 100 * value / total if total else 0
                print(f"{value:>15,} {share:6.2f}%  {name}")
        sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(
        description="Prints the top functions of each service of a stream.")
    parser.add_argument("--top", type=int, default=10, metavar="N",
                        help="functions per list (default: %(default)s)")
    parser.add_argument("--every", type=int, default=0, metavar="N",
                        help="print after each N messages too")
    parser.add_argument("file", nargs="?", metavar="FILE")
    args = parser.parse_args()
    top, failed = Top(), None
    try:
        stream = otprof.read_stream(args.file or sys.stdin.fileno())
        for nr, profiles in enumerate(stream, 1):
            top.add(profiles)
            profiles.close()
            if args.every and nr % args.every == 0:
                top.print(args.top)
    except (otprof.Error, OSError) as e:
        failed = f"stream_backend: {e}"
    except KeyboardInterrupt:
        failed = 130
    top.print(args.top)
    return failed


if __name__ == "__main__":
    sys.exit(main())
