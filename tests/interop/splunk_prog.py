# SPDX-License-Identifier: Apache-2.0
"""A program with Splunk's own library: one thread burns CPU in a span for a
second, another one waits. Prints the IDs of the span."""
import threading
import time

from opentelemetry import _logs, trace
from splunk_otel import init_splunk_otel


def burn(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(1000))


def busy():
    tracer = trace.get_tracer("shop")
    with tracer.start_as_current_span("work") as span:
        ids = span.get_span_context()
        print(f"{ids.trace_id:032x}:{ids.span_id:016x}")
        burn(1)


def main():
    init_splunk_otel()
    over = threading.Event()
    waits = threading.Thread(target=over.wait)
    works = threading.Thread(target=busy)
    waits.start()
    works.start()
    works.join()
    over.set()
    waits.join()
    _logs.get_logger_provider().shutdown()


main()
