#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server of OTLP/gRPC that answers as told.

usage: grpcio_server.py FOLDER [ANSWER...]

FOLDER/port holds the port once it listens, FOLDER/message-N the N-th request as it came, FOLDER/times when each came.
An ANSWER is the name of a status, with +SECONDS for a RetryInfo in its details, or PARTIAL or WARNING; after the last
one every answer is OK. GRPCIO_TLS=server|both takes the certificates in FOLDER.
"""
import os
import sys
import threading
import time
from concurrent import futures

import grpc

SERVICES = ("opentelemetry.proto.collector.profiles.v1development.ProfilesService",
            "opentelemetry.proto.collector.logs.v1.LogsService")


def field(number, data):
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data


def varint(number, value):
    out = bytes([number << 3])
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def status_with_delay(code, seconds):
    """google.rpc.Status with a RetryInfo."""
    duration = varint(1, int(seconds)) + varint(2, int(seconds % 1 * 1e9))
    info = field(1, b"type.googleapis.com/google.rpc.RetryInfo") + field(2, field(1, duration))
    return varint(1, code) + field(2, b"wait") + field(3, info)


class Export:
    def __init__(self, folder, answers):
        self.folder, self.answers, self.nr = folder, answers, 0
        self.lock = threading.Lock()

    def __call__(self, request, context):
        with self.lock:
            self.nr += 1
            with open(f"{self.folder}/message-{self.nr}", "wb") as f:
                f.write(request)
            with open(f"{self.folder}/times", "a") as f:
                f.write(f"{time.monotonic()}\n")
            answer = self.answers.pop(0) if self.answers else "OK"
        name, _, delay = answer.partition("+")
        if name == "OK":
            return b""
        if name == "PARTIAL":
            return field(1, varint(1, 1) + field(2, b"not today"))
        if name == "WARNING":
            return field(1, field(2, b"nearly full"))
        code = grpc.StatusCode[name]
        if delay:
            context.set_trailing_metadata((
                ("grpc-status-details-bin", status_with_delay(code.value[0], float(delay))),))
        context.abort(code, f"told to say {name}, 100% so")


class Handler(grpc.GenericRpcHandler):
    def __init__(self, export):
        self.export = export

    def service(self, call):
        if call.method in [f"/{s}/Export" for s in SERVICES]:
            return grpc.unary_unary_rpc_method_handler(self.export)
        return None


def listen(server, folder):
    how = os.environ.get("GRPCIO_TLS")
    if not how:
        return server.add_insecure_port("127.0.0.1:0")

    def read(name):
        with open(f"{folder}/{name}", "rb") as f:
            return f.read()

    both = how == "both"
    return server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials(
        [(read("server.key"), read("server.pem"))], read("ca.pem") if both else None, both))


def main():
    folder, answers = sys.argv[1], sys.argv[2:]
    server = grpc.server(futures.ThreadPoolExecutor(2), handlers=(Handler(Export(folder, answers)),),
                         options=(("grpc.max_receive_message_length", 64 << 20),))
    port = listen(server, folder)
    server.start()
    with open(f"{folder}/port.new", "w") as f:
        f.write(str(port))
    os.rename(f"{folder}/port.new", f"{folder}/port")
    server.wait_for_termination()


main()
