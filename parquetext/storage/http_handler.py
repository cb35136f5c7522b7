"""HTTP as a filesystem of pyarrow's: files are read by their URLs, and nothing is listed or written."""

from __future__ import annotations

from functools import lru_cache
from typing import NoReturn
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.fs as pafs

from ..masking import without_secrets
from .http_file import HttpFile

__all__ = ["HttpHandler", "http_filesystem"]


class HttpHandler(pafs.FileSystemHandler):
    """What pyarrow needs to read files by their URLs; picklable."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HttpHandler)

    __hash__ = None

    def get_type_name(self) -> str:
        return "http"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> list[pafs.FileInfo]:
        return [_info(path) for path in paths]

    def open_input_file(self, path: str) -> pa.NativeFile:
        return HttpFile(path).for_arrow()

    def open_input_stream(self, path: str) -> pa.NativeFile:
        return self.open_input_file(path)

    def get_file_info_selector(self, selector: pafs.FileSelector) -> NoReturn:
        raise NotImplementedError(
            f"{without_secrets(selector.base_dir)}: HTTP lists no directories; give the files' URLs"
        )

    def _refuse(self, *_: object) -> NoReturn:
        raise NotImplementedError("files are read over HTTP, and not written")

    copy_file = create_dir = delete_dir = delete_dir_contents = delete_file = delete_root_dir_contents = _refuse
    move = open_append_stream = open_output_stream = _refuse


def _info(url: str) -> pafs.FileInfo:
    if not urlsplit(url).hostname:  # what a walk through the folders above a file ends in
        return pafs.FileInfo(url, pafs.FileType.NotFound)
    try:
        file = HttpFile(url)
    except FileNotFoundError:
        return pafs.FileInfo(url, pafs.FileType.NotFound)
    with file:
        return pafs.FileInfo(url, pafs.FileType.File, size=file.size(), mtime_ns=file.modified)


@lru_cache(maxsize=1)
def http_filesystem() -> pafs.FileSystem:
    """The one filesystem of all URLs."""
    return pafs.PyFileSystem(HttpHandler())
