"""An S3 server on loopback."""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow.fs as pafs

BUCKET = "lake"


class Recorder:
    """Stands before a server's application: notes each request, and holds it up.

    Attributes
    ----------
    latency : float
        Seconds before a request is answered.
    requests : list of (str, str, (int, int) or None)
        Method, path, and the range of bytes [begin, end) that was asked for.
    url : str
        Of the server.
    begun : list of float
        When each of them came, by `time.monotonic`.
    most_at_once : int
        Requests that were under way at the same time.
    conditions : Conditions
    """

    conditions: Conditions

    def __init__(self, application, url: str):
        self.url = url
        self._application, self._lock, self._under_way = application, threading.Lock(), 0
        self.latency = 0.0
        self.forget()

    def forget(self) -> None:
        self.requests: list[tuple[str, str, tuple[int, int] | None]] = []
        self.begun: list[float] = []
        self.most_at_once = self.bytes_sent = 0

    def __call__(self, environ, start_response):
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", environ.get("HTTP_RANGE", ""))
        with self._lock:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            self.bytes_sent += int(environ.get("CONTENT_LENGTH") or 0)
            self.begun.append(time.monotonic())
            self.requests.append(
                (environ["REQUEST_METHOD"], environ["PATH_INFO"], asked and (int(asked[1]), int(asked[2]) + 1))
            )
        time.sleep(self.latency)
        try:
            return self._application(environ, start_response)
        finally:
            with self._lock:
                self._under_way -= 1

    def ranges(self) -> list[tuple[int, int]]:
        """The ranges that were read, in the order of the requests."""
        return [asked for method, _, asked in self.requests if method == "GET"]

    def count(self, method: str) -> int:
        return sum(each == method for each, _, _ in self.requests)


class Conditions:
    """Wraps moto's application and adds missing features: conditions on copied parts and on finished uploads.

    Attributes
    ----------
    lost_answers : int
        Answers to finished uploads, and to objects put whole under a condition, that errors are yet to replace.
    """

    def __init__(self, application):
        self._application = application
        self.lost_answers = 0

    def __call__(self, environ, start_response):
        wanted = environ.get("HTTP_X_AMZ_COPY_SOURCE_IF_MATCH") or environ.get("HTTP_IF_MATCH")
        whole = environ["REQUEST_METHOD"] == "PUT" and not environ["QUERY_STRING"] and bool(wanted)
        finishes = whole or (environ["REQUEST_METHOD"] == "POST" and "uploadId=" in environ["QUERY_STRING"])
        if wanted and environ["REQUEST_METHOD"] in ("POST", "PUT") and wanted != self._tag(environ):
            return self._error(start_response, "412 Precondition Failed", "PreconditionFailed")
        if finishes and self.lost_answers:
            self.lost_answers -= 1
            list(self._application(environ, lambda *_: None))
            return self._error(start_response, "500 Internal Server Error", "InternalError")
        return self._application(environ, start_response)

    def _tag(self, environ) -> str | None:
        answer: list[tuple[str, str]] = []
        asked = {**environ, "REQUEST_METHOD": "HEAD", "QUERY_STRING": "", "CONTENT_LENGTH": "0"}
        list(self._application(asked, lambda _, headers, *__: answer.extend(headers)))
        return next((value for name, value in answer if name.lower() == "etag"), None)

    @staticmethod
    def _error(start_response, status: str, code: str):
        body = f"<Error><Code>{code}</Code><Message>{status}</Message></Error>".encode()
        start_response(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]


@contextmanager
def stored(filesystem: pafs.S3FileSystem, path: str, content: bytes) -> Iterator[None]:
    """Put an object into the bucket, which is empty afterwards."""
    put(filesystem, path, content)
    yield
    filesystem.delete_dir_contents(BUCKET)


@contextmanager
def s3_server() -> Iterator[pafs.S3FileSystem]:
    """A filesystem with one empty bucket, BUCKET."""
    with recorded_s3_server() as (filesystem, _):
        yield filesystem


@contextmanager
def recorded_s3_server() -> Iterator[tuple[pafs.S3FileSystem, Recorder]]:
    """The same, with the `Recorder` that all requests pass."""
    from moto.moto_api._internal.models import moto_api_backend
    from moto.server import ThreadedMotoServer

    moto_api_backend.reset()  # all servers of a process have the same objects, and the uploads of killed processes
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    conditions = Conditions(server._server.app)
    recorder = server._server.app = Recorder(conditions, f"http://{host}:{port}")
    recorder.conditions = conditions
    try:
        filesystem = pafs.S3FileSystem(
            endpoint_override=f"{host}:{port}",
            scheme="http",
            access_key="any",
            secret_key="any",
            region="us-east-1",
            allow_bucket_creation=True,
            background_writes=False,
            connect_timeout=60,
            request_timeout=60,
        )  # a slow machine's requests are not sent again after 3 seconds
        filesystem.create_dir(BUCKET)
        recorder.forget()
        yield filesystem, recorder
    finally:
        server.stop()


def put(filesystem: pafs.FileSystem, path: str, content: bytes) -> None:
    with filesystem.open_output_stream(path) as stream:
        stream.write(content)


def get(filesystem: pafs.FileSystem, path: str) -> bytes:
    with filesystem.open_input_file(path) as file:
        return file.read()


def names(filesystem: pafs.FileSystem, folder: str) -> list[str]:
    return sorted(
        os.path.relpath(info.path, folder)
        for info in filesystem.get_file_info(pafs.FileSelector(folder, recursive=True))
        if info.is_file
    )
