"""Serve files over HTTP by ranges, as stores do: a server with a delay, and a filesystem for readers."""

from __future__ import annotations

import threading
import time
import urllib.request
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow.fs
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

__all__ = ["RangeServer"]

REQUEST_SECONDS = 0.01
BYTES_PER_SECOND = 100e6
STEP = 1 << 16


class RangeServer:
    """Serves a folder on the loopback interface, and counts; a context manager.

    Attributes
    ----------
    requests, bytes : int
        Answered ranges, and their bytes.
    filesystem : pyarrow.fs.FileSystem
        The folder as readers see it.
    """

    def __init__(self, folder: Path):
        self.requests = self.bytes = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, self, folder))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        files = _Files(f"http://127.0.0.1:{self._server.server_port}")
        self.filesystem = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(files))

    def __enter__(self) -> RangeServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def count(self, size: int) -> None:
        with self._lock:
            self.requests, self.bytes = self.requests + 1, self.bytes + size


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, counter: RangeServer, folder: Path, *arguments):
        self._counter, self._folder = counter, folder
        super().__init__(*arguments)

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_HEAD(self) -> None:
        path = self._folder / Path(self.path).name
        self.send_response(200 if path.is_file() else 404)
        self.send_header("Content-Length", str(path.stat().st_size if path.is_file() else 0))
        self.end_headers()

    def do_GET(self) -> None:
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        with (self._folder / Path(self.path).name).open("rb") as file:
            file.seek(int(first))
            data = file.read(int(last) + 1 - int(first))
        self._counter.count(len(data))
        self.send_response(206)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        start = time.perf_counter()
        for at in range(0, len(data), STEP):
            due = start + REQUEST_SECONDS + at / BYTES_PER_SECOND
            time.sleep(max(0.0, due - time.perf_counter()))
            self.wfile.write(data[at : at + STEP])


class _Files(AbstractFileSystem):
    protocol = "ranges"
    cachable = False

    def __init__(self, url: str):
        super().__init__()
        self._url = url

    def info(self, path: str, **_: object) -> dict:
        with urllib.request.urlopen(urllib.request.Request(f"{self._url}/{path}", method="HEAD")) as answer:
            return {"name": path, "type": "file", "size": int(answer.headers["Content-Length"])}

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: object) -> bytes:
        request = urllib.request.Request(f"{self._url}/{path}", headers={"Range": f"bytes={start}-{end - 1}"})
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    def _open(self, path: str, mode: str = "rb", **_: object) -> _File:
        return _File(self, path, mode, cache_type="none")


class _File(AbstractBufferedFile):
    def _fetch_range(self, start: int, end: int) -> bytes:
        return self.fs.cat_file(self.path, start, end)
