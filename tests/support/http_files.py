"""An fsspec filesystem over plain HTTP, as those of object stores are built: ranges, and files that read ahead."""

from __future__ import annotations

import urllib.request

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem


class _File(AbstractBufferedFile):
    def _fetch_range(self, start: int, end: int) -> bytes:
        return self.fs.cat_file(self.path, start, end)


class HttpFiles(AbstractFileSystem):
    """Objects below `url`."""

    protocol = "plain-http"
    cachable = False

    def __init__(self, url: str):
        super().__init__()
        self.url = url

    def info(self, path: str, **options) -> dict:
        request = urllib.request.Request(f"{self.url}/{path}", method="HEAD")
        try:
            with urllib.request.urlopen(request) as answer:
                return {"name": path, "type": "file", "size": int(answer.headers["Content-Length"])}
        except urllib.error.HTTPError as error:
            raise FileNotFoundError(path) from error

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options) -> bytes:
        request = urllib.request.Request(f"{self.url}/{path}", headers={"Range": f"bytes={start}-{end - 1}"})
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    def _open(self, path: str, mode: str = "rb", **options) -> _File:
        return _File(self, path, mode, **options)
