#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a trace as Chromium does.

usage: trace_gen.py BYTES [SEED] >FILE

Nested complete events of a few processes with their arguments, and some of
the other kinds: about a fifth are async, counter, instant and flow events.
Keys are sorted, as Chromium has them. The seed is told in the file.
"""
import random
import sys

THREADS = ["CrBrowserMain", "Chrome_ChildIOThread", "CrRendererMain", "Compositor", "ThreadPoolForegroundWorker"]
NAMES = ["ThreadControllerImpl::RunTask", "SimpleWatcher::OnHandleReady", "Receive mojo message", "FunctionCall",
         "EvaluateScript", "v8.compile", "LocalFrameView::RunStyleAndLayoutLifecyclePhases", "UpdateLayoutTree",
         "Blink.ForcedStyleAndLayout.UpdateTime", "LayerTreeHostImpl::PrepareToDraw", "RunMicrotasks", "MajorGC"]
CATS = ["toplevel", "disabled-by-default-devtools.timeline", "v8,devtools.timeline", "blink", "cc,benchmark"]
ARGS = ['{}', '{"src_file":"mojo/public/cpp/system/simple_watcher.cc","src_func":"Notify"}',
        '{"chrome_task_annotator":{"delay_policy":"PRECISE","task_delay_us":0},"src":{"file_name":"ipc/ipc_mojo.cc",'
        '"function_name":"Accept","line_number":%d}}',
        '{"data":{"columnNumber":%d,"frame":"5A1B","functionName":"render","isolate":"2917438","lineNumber":17,'
        '"scriptId":"31","url":"https://example.com/static/js/main.0f3a.js"}}']


class Thread:
    def __init__(self, pid, tid, start):
        self.pid, self.tid, self.now, self.ends = pid, tid, start, []


def line(r, t, others):
    """The next event of a thread; it lies in those that are open."""
    t.now += r.randint(1, 40)
    while t.ends and t.ends[-1] <= t.now:
        t.ends.pop()
    which = r.randrange(len(NAMES))
    name, cat, args = NAMES[which], CATS[which % len(CATS)], ARGS[which % len(ARGS)]
    if "%d" in args:
        args %= r.randint(1, 500)
    if r.random() < 0.2:
        return ('{"args":%s,"cat":"%s","id":"0x%x","name":"%s","ph":"%s","pid":%d,"tid":%d,"ts":%d}' %
                (args, cat, r.randint(1, 9999), name, r.choice(others), t.pid, t.tid, t.now))
    start = t.now
    dur = r.randint(0, t.ends[-1] - start if t.ends else r.randint(100, 20000))
    if dur > 60 and len(t.ends) < 6:
        t.ends.append(start + dur)
    else:
        t.now += dur
    return ('{"args":%s,"cat":"%s","dur":%d,"name":"%s","ph":"X","pid":%d,"tdur":%d,"tid":%d,"ts":%d,"tts":%d}' %
            (args, cat, dur, name, t.pid, dur * 9 // 10, t.tid, start, start // 3))


def main():
    size, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    r = random.Random(seed)
    out, written = sys.stdout, 0
    out.write('{"otherData":{"seed":"%d"},"traceEvents":[' % seed)
    threads, lines = [], []
    for pid in (1204, 1311, 1377):
        lines.append('{"args":{"name":"process %d"},"cat":"__metadata","name":"process_name","ph":"M","pid":%d,"tid":0,"ts":0}'
                     % (pid, pid))
        for i, name in enumerate(THREADS):
            threads.append(Thread(pid, pid + i, 81000000000 + r.randint(0, 500)))
            lines.append('{"args":{"name":"%s"},"cat":"__metadata","name":"thread_name","ph":"M","pid":%d,"tid":%d,"ts":0}'
                         % (name, pid, pid + i))
    while written < size:
        t = r.choice(threads)
        for _ in range(r.randint(1, 30)):
            lines.append(line(r, t, "bneCisf"))
        text = ",\n".join(lines)
        written += out.write(text)
        lines = []
        out.write(",\n" if written < size else "]}\n")


main()
