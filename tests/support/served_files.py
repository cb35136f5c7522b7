"""Files on a web server of Python's own, with ranges and without."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Whole(SimpleHTTPRequestHandler):
    """Answers as `python -m http.server` does: with the whole file, whatever range is asked for."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments, log: list, **options):
        self.log = log
        super().__init__(*arguments, **options)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.log.append((self.path, self.headers.get("Range"), self.client_address))
        super().do_GET()


class Ranged(Whole):
    """Answers one range per request, and the special cases of these tests: redirects, logins, no suffix ranges."""

    def do_GET(self) -> None:
        self.log.append((self.path, self.headers.get("Range"), self.client_address))
        if self.path.startswith("/moved/"):
            return self._answer(302, b"", Location=self.path.removeprefix("/moved"))
        if self.path.startswith("/private/") and self.headers.get("Authorization") != "Basic YW5uOnNlY3JldA==":
            return self._answer(401, b"")
        path = Path(self.translate_path(re.sub("^/(private|no-suffix)", "", self.path)))
        if not path.is_file():
            return self._answer(404, b"")
        data = path.read_bytes()
        first, last = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers["Range"]).groups()
        if not first and self.path.startswith("/no-suffix"):
            return self._answer(200, data)
        begin = int(first) if first else max(0, len(data) - int(last))
        end = min(int(last) + 1, len(data)) if first and last else len(data)
        if begin >= len(data):
            return self._answer(416, b"", **{"Content-Range": f"bytes */{len(data)}"})
        message = f"bytes {begin}-{end - 1}/{len(data)}"
        return self._answer(206, data[begin:end], ETag=f'"{hash(data)}"', **{"Content-Range": message})

    def _answer(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def served(folder: Path, kind: type[Whole]) -> Iterator[tuple[str, list]]:
    """Yield the URL of a folder, and the log of requests: path, range, and the connection's address."""
    log: list = []
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(kind, directory=str(folder), log=log)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", log
        finally:
            server.shutdown()
            thread.join()
