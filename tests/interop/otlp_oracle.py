#!/usr/bin/env python3
"""An independent reading of OTLP Profiles files, by protobuf's own runtime.

  raw FILE                               the lines of `otprof show --raw FILE`
  gen --seed N --size S -o FILE          a random valid file
  equal [--merge] [--loose] A B          are they the same by resolved content?
  rewrite --variant V [--seed N] IN OUT  the same message in other bytes
  bad-utf8 OUT CLEAN                     a file with broken strings, and what a reader makes of it
  legacy --dialect D [--release] --seed N --size S -o FILE --expect FILE
  corner-cases DIR                       DIR/NAME.otlp, NAME.expect, NAME.dialect
  frame IN OUT                           4-byte big-endian length in front
  summary FILE JSON [--dialect D]        does `show --json` say what is in FILE?
  schema-check DIALECT [--descriptors F FILE.proto]   our schema against the release on PYTHONPATH (or F)
"""
import argparse
import json
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import otlp_gen  # noqa: E402
import otlp_legacy  # noqa: E402
import otlp_model as model  # noqa: E402
import otlp_rewrite  # noqa: E402


def cmd_raw(a):
    data = model.load(model.current(), a.file)
    out = "".join(line + "\n" for line in model.Resolved(data).raw())
    sys.stdout.buffer.write(out.encode())


def cmd_gen(a):
    data = otlp_gen.generate(model.current(), a.seed, a.size)
    model.save(a.output, data.SerializeToString(deterministic=True))


def cmd_equal(a):
    classes = model.current()
    try:
        model.equal(model.load(classes, a.a), model.load(classes, a.b), a.merge, a.loose)
    except model.Different as difference:
        sys.exit("differs at " + str(difference))


def cmd_rewrite(a):
    data = model.load(model.current(), a.input)
    out = otlp_rewrite.rewrite(data, a.variant, a.seed)
    again = type(data)()
    again.ParseFromString(out)
    again.DiscardUnknownFields()
    if list(model.Resolved(again).raw()) != list(model.Resolved(data).raw()):
        sys.exit("oracle: the variant %s does not read back equal" % a.variant)
    model.save(a.output, out)


def cmd_bad_utf8(a):
    data, clean = otlp_rewrite.bad_utf8(model.current())
    model.save(a.output, data)
    model.save(a.clean, clean.SerializeToString(deterministic=True))


def cmd_legacy(a):
    # Two releases of one package do not go together in one process: today's classes come from our schema.
    today = model.current(from_schema=True)
    old = model.release() if a.release else None
    data, expect = otlp_legacy.build(a.dialect, a.seed, a.size, today, old)
    model.save(a.output, data)
    model.save(a.expect, expect.SerializeToString(deterministic=True))


def cmd_corner_cases(a):
    for name, (dialect, data, expect) in otlp_legacy.corner_cases(model.current(from_schema=True)).items():
        base = os.path.join(a.dir, name)
        model.save(base + ".otlp", data)
        model.save(base + ".expect", expect.SerializeToString(deterministic=True))
        model.save(base + ".dialect", dialect.encode())


def cmd_frame(a):
    with open(a.input, "rb") as f:
        data = f.read()
    model.save(a.output, struct.pack(">I", len(data)) + data)


def cmd_summary(a):
    data = model.load(model.current(), a.file)
    with open(a.json, encoding="utf-8") as f:
        report = json.load(f)
    wrong = list(model.summary_differences(data, report))
    if a.dialect and report.get("dialect") != a.dialect:
        wrong.insert(0, "dialect: %r, want %r" % (report.get("dialect"), a.dialect))
    if wrong:
        sys.exit(wrong[0])


def cmd_schema_check(a):
    skip = set()
    if a.descriptors:
        theirs = model.descriptor_file(*a.descriptors)
    else:
        theirs = model.release()
    if a.dialect != "v1.10":
        skip |= {"AnyValue.8", "KeyValue.3"}
    if a.dialect in ("v1.4", "v1.5"):
        skip |= {"EntityRef", "Label", "Resource.3", "Profile.22" if a.dialect == "v1.4" else "Profile.18"}
    wrong = list(model.schema_differences(model.schema(a.dialect), theirs, skip))
    if wrong:
        sys.exit("\n".join(wrong))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(required=True)

    def command(name, run, *args):
        q = sub.add_parser(name)
        q.set_defaults(run=run)
        for flags, options in args:
            q.add_argument(*flags, **options)

    def arg(*flags, **options):
        return flags, options

    seed = arg("--seed", type=int, default=1)
    size = arg("--size", type=int, default=10)
    output = arg("-o", "--output", required=True)
    command("raw", cmd_raw, arg("file"))
    command("gen", cmd_gen, seed, size, output)
    command("equal", cmd_equal, arg("--merge", action="store_true"), arg("--loose", action="store_true"), arg("a"), arg("b"))
    command("rewrite", cmd_rewrite, arg("--variant", choices=otlp_rewrite.VARIANTS, required=True), seed,
            arg("input"), arg("output"))
    command("bad-utf8", cmd_bad_utf8, arg("output"), arg("clean"))
    command("legacy", cmd_legacy, arg("--dialect", choices=otlp_legacy.DIALECTS, required=True),
            arg("--release", action="store_true"), seed, size, output, arg("--expect", required=True))
    command("corner-cases", cmd_corner_cases, arg("dir"))
    command("frame", cmd_frame, arg("input"), arg("output"))
    command("summary", cmd_summary, arg("file"), arg("json"), arg("--dialect"))
    command("schema-check", cmd_schema_check, arg("dialect"), arg("--descriptors", nargs=2))
    a = p.parse_args()
    a.run(a)


if __name__ == "__main__":
    main()
