#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs otprof and its peers in other languages on the same files, as programs.

usage: go_peers.py --otprof FILE --peers FOLDER --gen FILE --work FOLDER
                   [--python FILE] [--quick] OTLP

Work that otprof does not know yet is left out. See programs.py.
"""
import argparse
import os
import subprocess

from programs import MB, Programs


class Bench(Programs):
    def peer(self, name):
        return os.path.join(self.args.peers, name)

    # --- pprof

    def make(self, name, *numbers):
        path = self.path(name)
        with open(path, "wb") as out:
            subprocess.run([self.args.gen, *map(str, numbers)], check=True, stdout=out)
        return path

    def canon(self, path):
        return [self.peer("pproftool"), "canon", path]

    def pprof(self):
        if not self.has_format("pprof"):
            print("go_peers: otprof does not know pprof")
            return
        small, otlp, back = self.make("small.pprof", 2000, 4, 1), self.path("out.otlp"), self.path("back.pprof")
        self.run(self.otprof("convert", small, "-o", otlp))
        self.run(self.otprof("convert", otlp, "-o", back))
        self.same(self.canon(small), self.canon(back), "pprof")
        for what, types, kinds, goal in (("a recording's", 1, 80000, 10), ("4 types", 4, 80000, 0),
                                         ("few repeat", 1, 2000000, 8)):
            big = self.make("big.pprof", 327000, types, 1, kinds)
            self.compare("pprof to OTLP, %.0f MB, %s; Go: to pprof" % (os.path.getsize(big) / MB, what),
                         self.otprof("convert", big, "-o", otlp),
                         [self.peer("gobench"), "pprof", big, self.path("out.pprof")], goal, 5 if goal == 10 else 0)

    def merge(self):
        if not self.has_format("pprof") or not self.has_command("merge"):
            print("go_peers: otprof does not know merge of pprof")
            return
        otlp, out = self.path("out.otlp"), self.path("out.pprof")
        back = self.path("back.pprof")
        small = [self.make("small-%d.pprof" % i, 1000, 1, i) for i in range(8)]
        self.run(self.otprof("merge", *small, "-o", back))
        self.run([self.peer("gobench"), "merge", out, *small])
        self.same(self.canon(out), self.canon(back), "merge")
        big = [self.make("part-%d.pprof" % i, 160000, 1, i) for i in range(8)]
        self.compare("merge 8 pprof of %.0f MB" % (os.path.getsize(big[0]) / MB),
                     self.otprof("merge", *big, "-o", otlp),
                     [self.peer("gobench"), "merge", out, *big], 10, 5, rounds=2)

    # --- JSON

    def json(self):
        if not self.has_format("otlp-json"):
            print("go_peers: otprof does not know otlp-json")
            return
        otlp, json, out = self.path("in.otlp"), self.path("in.json"), self.path("out")
        self.run(self.otprof("convert", self.args.otlp, "-o", otlp))
        self.run(self.otprof("convert", otlp, "-o", json))
        self.run([self.peer("pdatatool"), "equal", otlp, json])
        size = "%.0f MB of OTLP" % (os.path.getsize(otlp) / MB)
        encode = self.otprof("convert", "-t", "otlp-json", otlp, "-o", out)
        decode = self.otprof("convert", "-t", "otlp", json, "-o", out)
        self.compare("JSON encode, %s; Collector" % size, encode, [self.peer("gobench"), "to-json", otlp, out])
        self.compare("JSON decode, %s; Collector" % size, decode, [self.peer("gobench"), "from-json", json, out], 2)
        if self.args.python:
            code = ("import sys; from google.protobuf import json_format as j; "
                    "from opentelemetry.proto.profiles.v1development.profiles_pb2 import ProfilesData as P; ")
            to = code + ("m = P.FromString(open(sys.argv[1], 'rb').read()); "
                         "open(sys.argv[2], 'w').write(j.MessageToJson(m, indent=None))")
            # It reads ids in hex as base64: other bytes, the same work.
            back = code + ("m = j.Parse(open(sys.argv[1]).read(), P()); "
                           "open(sys.argv[2], 'wb').write(m.SerializeToString())")
            self.compare("JSON encode, %s; Python" % size, encode, [self.args.python, "-c", to, otlp, out], rounds=1)
            self.compare("JSON decode, %s; Python" % size, decode, [self.args.python, "-c", back, json, out], rounds=1)


def main():
    parser = argparse.ArgumentParser()
    for name in ("otprof", "peers", "gen", "work", "python"):
        parser.add_argument("--" + name)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("otlp")
    bench = Bench(parser.parse_args())
    os.makedirs(bench.args.work, exist_ok=True)
    bench.pprof()
    bench.merge()
    bench.json()


if __name__ == "__main__":
    main()
