#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""json_peer.py FILE...: what Python's json takes for the same texts.

It makes dicts and lists where we make a model with every id checked, and
prints rows for the table of bench/run.
"""
import json
import sys
import time


def best(run, rounds):
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def row(what, n, seconds):
    print("row|JSON %s by Python, %.2f MB of text|-|%.0f MB/s|-|-|-"
          % (what, n / 1e6, n / 1e6 / seconds))


def main():
    for path in sys.argv[1:]:
        if path.startswith("-"):
            continue
        with open(path, encoding="utf-8") as f:
            text = f.read()
        rounds = 5 if len(text) < 1e7 else 1
        value = json.loads(text)
        row("encode", len(text), best(
            lambda: json.dumps(value, separators=(",", ":"),
                               ensure_ascii=False), rounds))
        row("decode", len(text), best(lambda: json.loads(text), rounds))


main()
