#!/usr/bin/env python3
"""OTLP/JSON by protobuf's own json_format.

  write [--dialect D | --release] [--names proto] [--indent N] IN OUT   binary to JSON
  equal JSON FILE      is our JSON, read by json_format, the message in FILE, bit for bit?
  lines IN... OUT      messages as JSON lines

json_format has bytes as base64 everywhere, where OTLP wants ids in hex: `equal` rewrites them first.
"""
import argparse
import base64
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from google.protobuf import json_format  # noqa: E402

import otlp_model as model  # noqa: E402

IDS = ("traceId", "spanId", "profileId")


def to_base64(value):
    """The same JSON with ids in base64."""
    if isinstance(value, list):
        return [to_base64(v) for v in value]
    if not isinstance(value, dict):
        return value
    return {k: base64.b64encode(bytes.fromhex(v)).decode() if k in IDS else to_base64(v) for k, v in value.items()}


def classes(a):
    if a.release:
        return model.release()
    return model.schema(a.dialect) if a.dialect else model.current()


def cmd_write(a):
    message = model.load(classes(a), a.input)
    text = json_format.MessageToJson(message, indent=a.indent, ensure_ascii=a.ascii,
                                     preserving_proto_field_name=a.names == "proto")
    model.save(a.output, text.encode())


def drop_empty(message):
    """Clears values that are present and empty: in JSON they are written as {}, in bytes they are left out."""
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.is_repeated:
            for v in value:
                drop_empty(v)
        elif field.name == "value" and value.WhichOneof("value") is None:
            message.ClearField("value")
        else:
            drop_empty(value)
    return message


def cmd_equal(a):
    with open(a.json, encoding="utf-8") as f:
        text = json.dumps(to_base64(json.load(f)))
    message = json_format.Parse(text, model.current().ProfilesData())
    want = model.load(model.current(), a.file)
    if drop_empty(message).SerializeToString(deterministic=True) != want.SerializeToString(deterministic=True):
        sys.exit("the message that json_format reads is another")


def cmd_lines(a):
    with open(a.output, "wb") as f:
        for path in a.inputs:
            message = model.load(model.current(), path)
            f.write(json_format.MessageToJson(message, indent=None).encode() + b"\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(required=True)
    q = sub.add_parser("write")
    q.set_defaults(run=cmd_write)
    q.add_argument("--dialect")
    q.add_argument("--release", action="store_true")
    q.add_argument("--names", choices=("json", "proto"), default="json")
    q.add_argument("--indent", type=int)
    q.add_argument("--ascii", action="store_true")
    q.add_argument("input")
    q.add_argument("output")
    q = sub.add_parser("equal")
    q.set_defaults(run=cmd_equal)
    q.add_argument("json")
    q.add_argument("file")
    q = sub.add_parser("lines")
    q.set_defaults(run=cmd_lines)
    q.add_argument("inputs", nargs="+")
    q.add_argument("output")
    a = p.parse_args()
    a.run(a)


if __name__ == "__main__":
    main()
