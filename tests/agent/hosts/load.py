# SPDX-License-Identifier: Apache-2.0
"""load.py SECONDS: threads that compute, wait, and end; exits with 1 if any
result is wrong."""
import queue
import subprocess
import sys
import threading
import time
import zlib

END = time.monotonic() + float(sys.argv[1])
TEXT = b"what threads have in common" * 100
CRC = zlib.crc32(TEXT)
wrong = []
jobs = queue.Queue(10)


def is_time():
    return time.monotonic() < END


def compute():
    while is_time():
        if sum(range(1000)) != 499500 or zlib.crc32(TEXT) != CRC:
            wrong.append("sum")
        time.sleep(0.002)


def put():
    while is_time():
        jobs.put(bytearray(50000))
        time.sleep(0.001)
    jobs.put(None)


def get():
    while (job := jobs.get()) is not None:
        if len(job) != 50000:
            wrong.append("queue")


def short_ones():
    while is_time():
        done = []
        t = threading.Thread(target=lambda: done.append(1))
        t.start()
        t.join()
        if done != [1]:
            wrong.append("thread")
        time.sleep(0.005)


def children():
    while is_time():
        said = subprocess.run(["echo", "hello"], stdout=subprocess.PIPE,
                              check=True).stdout
        if said != b"hello\n":
            wrong.append("child")
        time.sleep(0.2)


threads = [threading.Thread(target=f)
           for f in (compute, compute, put, get, short_ones, children)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("wrong:", wrong[:3] if wrong else "nothing")
sys.exit(bool(wrong))
