"""fsspec's filesystems for pyarrow: with the times that they tell, and without folders that only seem to be empty."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.fs as pafs

from .fsspec_file import modified_of

__all__ = ["FsspecHandler"]


class FsspecHandler(pafs.FSSpecHandler):
    """pyarrow's own takes times of one name only, and any folder that cannot be listed for an empty one."""

    def get_file_info(self, paths: list[str]) -> list[pafs.FileInfo]:
        return [self._info(path) for path in paths]

    def _info(self, path: str) -> pafs.FileInfo:
        try:
            return _told(path, self.fs.info(path))
        except FileNotFoundError:
            return pafs.FileInfo(path, pafs.FileType.NotFound)

    def get_file_info_selector(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        try:
            return [_told(facts["name"], facts) for facts in self.inside(selector.base_dir, selector.recursive)]
        except FileNotFoundError:
            if selector.allow_not_found:
                return []
            raise

    def copy_file(self, src: str, dest: str) -> None:
        if "webhdfs" in self.fs.protocol:
            raise NotImplementedError("WebHDFS copies nothing, and renames no file over another")
        super().copy_file(src, dest)

    def inside(self, folder: str, recursive: bool) -> list[dict]:
        """What the filesystem tells of all that is in a folder, or below it.

        Raises
        ------
        FileNotFoundError
            It is not there.
        NotADirectoryError
            It is no folder.
        """
        if self.fs.info(folder)["type"] != "directory" and not self.fs.isdir(folder):
            raise NotADirectoryError(folder)
        if not recursive:
            return self._in(folder)
        if _finds_by_itself(type(self.fs)):
            found = self.fs.find(folder, withdirs=True, detail=True)
            return [facts for name, facts in found.items() if name.strip("/") != folder.strip("/")]
        return list(self._below(folder))

    def _below(self, folder: str) -> Iterator[dict]:
        left = [folder]
        while left:
            try:
                found = self._in(left.pop())
            except FileNotFoundError:  # removed meanwhile
                continue
            yield from found
            left += [facts["name"] for facts in found if facts["type"] == "directory"]

    def _in(self, folder: str) -> list[dict]:
        return [facts for facts in self.fs.ls(folder, detail=True) if facts["name"].strip("/") != folder.strip("/")]


def _finds_by_itself(kind: type) -> bool:
    """Whether it has a listing of all below a folder of its own: fsspec's passes over what it cannot list."""
    from fsspec import AbstractFileSystem
    from fsspec.asyn import AsyncFileSystem

    if issubclass(kind, AsyncFileSystem):
        return kind._find is not AsyncFileSystem._find
    return kind.find is not AbstractFileSystem.find


def _told(path: str, facts: dict) -> pafs.FileInfo:
    if facts["type"] == "directory":
        return pafs.FileInfo(path, pafs.FileType.Directory, mtime_ns=modified_of(facts))
    kind = pafs.FileType.File if facts["type"] == "file" else pafs.FileType.Unknown
    return pafs.FileInfo(path, kind, size=facts["size"], mtime_ns=modified_of(facts))
