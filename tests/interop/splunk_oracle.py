# SPDX-License-Identifier: Apache-2.0
"""Logs of Splunk's own library beside those of the agent.

usage: splunk_oracle.py fields LOGS SERVICE     what both have, or only one of them
       splunk_oracle.py samples LOGS SERVICE    each sample of the service

LOGS is what the Collector's file exporter writes: lines of JSON. SERVICE is the
service.name of the program with Splunk's library, which has the decoder of pprof
that is used here.
"""
import base64
import gzip
import json
import sys

from splunk_otel import profile_pb2

# Of a resource, only what does not depend on the machine.
RESOURCE = ("telemetry.", "splunk.", "service.name")


def attributes(x):
    return {a["key"]: next(iter(a["value"].values()))
            for a in x.get("attributes", [])}


def records(path):
    """Of each: the service, the resource, the scope, the record."""
    with open(path, encoding="utf-8") as f:
        for line in f:
            for r in json.loads(line)["resourceLogs"]:
                resource = attributes(r["resource"])
                for s in r["scopeLogs"]:
                    for x in s["logRecords"]:
                        yield (resource["service.name"], resource,
                               s["scope"], x)


def pprof_of(record):
    profile = profile_pb2.Profile()
    profile.ParseFromString(gzip.decompress(base64.b64decode(
        record["body"]["stringValue"])))
    return profile


def facts_of(resource, scope, record):
    facts = {f"scope {scope['name']} {scope['version']}"}
    facts |= {f"resource {k}" for k in resource if k.startswith(RESOURCE)}
    facts |= {f"scope attribute {k}" for k in attributes(scope)}
    facts |= {f"attribute {k}" for k in attributes(record)}
    facts |= {f"field {k}" for k in ("timeUnixNano", "observedTimeUnixNano",
                                     "eventName", "traceId", "spanId")
              if record.get(k, "0") not in ("", "0")}
    kind = attributes(record)["profiling.data.format"]
    facts.add(f"format {kind}")
    if kind == "pprof-gzip-base64":
        profile = pprof_of(record)
        text = profile.string_table
        facts.add(f"first string '{text[0]}'")
        labels = [x for sample in profile.sample for x in sample.label]
        facts |= {f"label {text[x.key]}" for x in labels}
        times = {x.num for x in labels if text[x.key] == "source.event.time"}
        facts.add(f"{'one round' if len(times) == 1 else 'many'} in a record")
    return facts


def fields(path, service):
    """Text bodies are of the agent only, and a form of their own."""
    theirs, ours, text = set(), set(), set()
    for name, resource, scope, record in records(path):
        facts = facts_of(resource, scope, record)
        if name == service:
            theirs |= facts
        elif "format text" in facts:
            text |= facts
        else:
            ours |= facts
    for fact in theirs | ours | text:
        who = "both" if fact in theirs and fact in ours else \
            "theirs" if fact in theirs else \
            "ours" if fact in ours else "text"
        print(who, fact)


def samples(path, service):
    """Time, thread, span, frames, as "otprof show --raw" has them."""
    for name, _, _, record in records(path):
        if name != service:
            continue
        profile = pprof_of(record)
        text = profile.string_table
        functions = {f.id: f for f in profile.function}
        frames = {
            x.id: f'"{text[functions[x.line[0].function_id].name]}" '
                  f'"{text[functions[x.line[0].function_id].filename]}"'
                  f":{x.line[0].line}"
            for x in profile.location}
        for sample in profile.sample:
            labels = {text[label.key]: label.num or text[label.str]
                      for label in sample.label}
            # The library writes numbers: one ID in 16 is shorter.
            span = f"{labels['trace_id']:0>32}:{labels['span_id']:0>16}" \
                if "trace_id" in labels else "-"
            print(labels["source.event.time"] * 10 ** 6, span,
                  f"thread.id={labels['thread.id']}",
                  " ; ".join(frames[i] for i in sample.location_id),
                  sep="\t")


{"fields": fields, "samples": samples}[sys.argv[1]](*sys.argv[2:])
