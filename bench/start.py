#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program takes to begin and to end: a file of one line.

usage: start.py --otprof FILE --work FOLDER [--quick]

The peer is true(1), which does nothing: what the system takes for any program.
"""
import argparse
import os

from programs import Programs, row

GOAL_MS = 2


def main():
    parser = argparse.ArgumentParser()
    for name in ("otprof", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--quick", action="store_true")
    bench = Programs(parser.parse_args())
    os.makedirs(bench.args.work, exist_ok=True)
    tiny = bench.path("tiny.folded")
    with open(tiny, "w", encoding="utf-8") as out:
        out.write("main;work 1\n")
    us, them = bench.best(bench.otprof("show", tiny), ["true"], rounds=50)
    row("a file of one line, the whole program; true", "%.2f ms" % (us[0] * 1e3), "%.2f ms" % (them[0] * 1e3),
        them[0] / us[0], "<= %d ms" % GOAL_MS, "yes" if us[0] * 1e3 <= GOAL_MS else "NO")


if __name__ == "__main__":
    main()
