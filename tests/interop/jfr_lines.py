"""The JSON of "jfr print --json" on stdin as one line an event: type, then each field. Times are nanoseconds since
1700000000 s, spans are nanoseconds, stacks begin at the root, a thread is name/os id/Java id and its groups."""
import datetime
import json
import re
import sys

EPOCH = 1700000000


def time_ns(match):
    date, fraction = match.groups()
    at = datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.timezone.utc)
    return (int(at.timestamp()) - EPOCH) * 10**9 + int((fraction or "").ljust(9, "0"))


def span_ns(match):
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return round((hours * 3600 + minutes * 60 + seconds) * 10**9)


def groups(group):
    return "" if group is None else groups(group["parent"]) + "/" + group["name"]


def frame(f):
    method = f["method"]
    klass = method["type"]
    text = (klass["name"] + "." if klass else "") + method["name"] + method["descriptor"]
    if f["lineNumber"]:
        text += f":{f['lineNumber']}"
    if f["bytecodeIndex"]:
        text += f"@{f['bytecodeIndex']}"
    return text + "+" + str(f["type"]).replace(" ", "_")


def show(value):
    if isinstance(value, dict):
        if "javaThreadId" in value:
            return f"{value['javaName']}/{value['osThreadId']}/{value['javaThreadId']}" + groups(value.get("group"))
        if "frames" in value:
            return "...;" * value["truncated"] + ";".join(frame(f) for f in reversed(value["frames"]))
        if "package" in value:
            return value["name"]
    if isinstance(value, str):
        match = re.fullmatch(r"(\d+-\d+-\d+T\d+:\d+:\d+)(?:\.(\d+))?(?:Z|\+00:00)", value)
        if match:
            return str(time_ns(match))
        match = re.fullmatch(r"PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?", value)
        if match:
            return str(span_ns(match))
        return json.dumps(value, ensure_ascii=False)[1:-1].replace(" ", "_")
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


for event in json.load(sys.stdin)["recording"]["events"]:
    fields = (f"{key}={show(value)}" for key, value in event["values"].items())
    print(event["type"], *fields)
