"""A storage backend that keeps files in a dict: all that a new backend has to define."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from parquetext.storage import backend
from parquetext.storage.backend import Capability, Entry
from parquetext.storage.objects import Store
from parquetext.storage.paths import Target
from parquetext.storage.ranged_file import RangedFile

__all__ = ["DictBackend", "registered"]

VERSIONS = itertools.count()


class DictFile(RangedFile):
    """One version of a file; it does not change when the dict does."""

    modified = None

    def __init__(self, version: int, data: bytes):
        super().__init__(len(data))
        self.attributes, self._data = (version,), data

    def read_at(self, length: int, offset: int) -> bytes:
        return self._data[offset : offset + length]


class DictBackend(Store):
    """The files of ``dict://`` URLs."""

    schemes, type_names = ("dict",), ("py::dict",)
    capabilities = Capability.REPLACE | Capability.ATOMIC_RENAME | Capability.LIST_FOLDERS

    def __init__(self) -> None:
        self.files: dict[str, tuple[int, bytes]] = {}

    def open(self, target: Target) -> DictFile:
        if target.path not in self.files:
            raise FileNotFoundError(2, "no such key", target.path)
        return DictFile(*self.files[target.path])

    def info(self, target: Target) -> Entry | None:
        path = target.path.rstrip("/")
        if path in self.files:
            return Entry(path, False, len(self.files[path][1]), None)
        return Entry(path, True, None, None) if any(name.startswith(f"{path}/") for name in self.files) else None

    def list(self, target: Target, *, recursive: bool = False) -> list[Entry]:
        base = target.path.rstrip("/") + "/"
        inside = [name.removeprefix(base) for name in self.files if name.startswith(base)]
        if not inside:
            raise FileNotFoundError(2, "no such folder", target.path)
        names = inside if recursive else {name.partition("/")[0] for name in inside}
        return [self.info(target.at(base + name)) for name in names]

    def create(self, target: Target, replaces: object = None) -> pa.NativeFile:
        return pa.PythonFile(_Written(self, target.path), "w")

    def rename(self, target: Target, path: str) -> None:
        self.files[path] = self.files.pop(target.path)

    def delete(self, target: Target) -> None:
        del self.files[target.path]


class _Written(io.BytesIO):
    def __init__(self, backend: DictBackend, path: str):
        super().__init__()
        self._backend, self._path = backend, path

    def close(self) -> None:
        if not self.closed:
            self._backend.files[self._path] = next(VERSIONS), self.getvalue()
        super().close()


@contextmanager
def registered() -> Iterator[DictBackend]:
    """Add a new, empty backend to the registry for the time of a block."""
    added = DictBackend()
    backend.register(added)
    try:
        yield added
    finally:
        del backend._SCHEMES["dict"], backend._TYPES["py::dict"]
