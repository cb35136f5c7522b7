"""Sources: files that are read by exact ranges, from any storage."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING

from .. import systems, wire
from ..errors import Conflict, Malformed, wire_error
from ..threads import Pool
from .backend import Capability
from .capabilities import can_read_many
from .folder import Folder, at, naming, status_of
from .paths import OpenTarget, Target, resolve
from .ranged_file import RangedFile

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "LocalSource",
    "OpenSource",
    "Overlay",
    "RemoteSource",
    "Source",
    "TICK_NS",
    "TailEdit",
    "Version",
    "open_source",
]

SLOW = 0.001  # seconds of a request, from which on a thread for each of several pays
AT_ONCE = 16
TICK_NS, SECOND_NS = 20_000_000, 1_000_000_000  # the tick: longer than that by which local filesystems date a change
_OPEN_FLAGS = systems.O_CLOEXEC | systems.O_NONBLOCK  # a FIFO must not block the open


@dataclass(frozen=True, slots=True)
class Version:
    """What tells a file from another one, or from itself before a change.

    Local: device and inode, size, times of the last change of content and of attributes, in ns.
    Remote: size, time in ns where there is one, and ETag and Google's generation where the filesystem tells; of fsspec
    whatever it tells that is another for another content.
    """

    identity: tuple
    size: int
    modified: int | None
    changed: int | None = None

    @classmethod
    def of_stat(cls, status: os.stat_result) -> Version:
        return cls((status.st_dev, status.st_ino), status.st_size, status.st_mtime_ns, status.st_ctime_ns)

    @property
    def settled_at(self) -> int | None:
        """From when on another change of a local file shows in its times, in ns; None where it may never.

        A change within the same tick of the clock as the last one leaves the times as they are; so do changes within
        the same second where a filesystem dates by whole seconds.
        """
        times = self.modified, self.changed
        if None in times or all(time % SECOND_NS == 0 for time in times):
            return None
        return max(times) + TICK_NS


class Source:
    """What local and remote sources share.

    Attributes
    ----------
    name : str
        For messages.
    size : int
        In bytes, when it was opened.
    version : Version
    requests, bytes_read : int
        Counters of `read`.
    """

    __slots__ = ("bytes_read", "name", "requests", "size", "version")

    is_local = False
    can_reopen = True

    def __init__(self, name: str, version: Version):
        self.name, self.version, self.size = name, version, version.size
        self.requests = self.bytes_read = 0

    def read(self, offset: int, length: int) -> bytes:
        """Exactly the bytes [offset, offset + length).

        Raises
        ------
        Malformed
            The file ends before.
        """
        self.check(offset, length)
        self.requests += 1
        try:
            data = self._read(offset, length)
        except OSError as error:
            if error.errno is not None:  # without, a name would take the message's place
                error.filename = error.filename or self.name
            raise
        if len(data) != length:
            raise self._ends(offset, length, len(data))
        self.bytes_read += length
        return data

    def check(self, offset: int, length: int) -> None:
        """Raise Malformed where the file ends before [offset, offset + length) does."""
        if offset < 0 or length < 0 or length > self.size - offset:
            raise self._ends(offset, length, max(0, self.size - offset))

    @property
    def owner(self) -> int:
        """The user that the file belongs to: the process's user if its storage has no owners."""
        return systems.user()

    def read_tail(self, length: int) -> tuple[int, bytes]:
        """The last `length` bytes, or all there are, and the offset where they begin."""
        length = min(length, self.size)
        return self.size - length, self.read(self.size - length, length)

    def _ends(self, offset: int, length: int, left: int) -> Exception:
        return wire_error(wire.TRUNCATED, offset, length, left).at(self.name)

    def __enter__(self):
        return self

    def __exit__(self, *exception) -> None:
        self.close()


class LocalSource(Source):
    """A local file, read by pread; `fd` may be used for reading until `close`.

    Attributes
    ----------
    folder : Folder or None
        What it was looked up in, by its name alone and without following a link. `close` does not close it.
    """

    __slots__ = ("fd", "folder")

    is_local = True

    def __init__(self, path: str, flags: int = os.O_RDONLY, folder: Folder | None = None):
        self.folder, flags = folder, flags | _OPEN_FLAGS
        name, within = at(path, folder)
        if folder is None:
            self.fd = os.open(path, flags)
        else:
            with naming(path):
                self.fd = os.open(name, flags | systems.O_NOFOLLOW, dir_fd=within)
        try:
            status = os.fstat(self.fd)
            if not stat.S_ISREG(status.st_mode):
                is_folder = stat.S_ISDIR(status.st_mode)
                told = "a directory, not a regular file: name a file in it" if is_folder else "not a regular file"
                raise Malformed(told, file=path)
            super().__init__(path, Version.of_stat(status))
        except BaseException:
            os.close(self.fd)
            raise

    def _read(self, offset: int, length: int) -> bytes:
        data = systems.pread(self.fd, length, offset)
        if len(data) == length or not data:
            return data
        pieces = [data]
        at = len(data)
        while at < length and (piece := systems.pread(self.fd, length - at, offset + at)):
            pieces.append(piece)
            at += len(piece)
        return b"".join(pieces)

    @property
    def owner(self) -> int:
        """The user that the file belongs to."""
        return os.fstat(self.fd).st_uid

    def check_unchanged(self) -> None:
        """Raise Conflict if the name now leads to another file, or if the size or times have changed."""
        try:
            now = Version.of_stat(status_of(self.name, self.folder))
        except FileNotFoundError:
            raise Conflict("it was removed meanwhile", file=self.name) from None
        if now != self.version:
            what = "replaced" if now.identity != self.version.identity else "changed"
            raise Conflict(f"it was {what} by somebody else meanwhile", file=self.name)

    def refresh(self) -> None:
        """Take over the size and times that the file has now."""
        self.version = Version.of_stat(os.fstat(self.fd))
        self.size = self.version.size

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)


class RemoteSource(Source):
    """A file of a pyarrow.fs filesystem, one request for each `read`.

    Parameters
    ----------
    versioned : bool
        Whether `version` tells the file from another one under its name, which may cost a request.

    Attributes
    ----------
    file : pyarrow.NativeFile or RangedFile
        Open for reading, from any thread.
    """

    __slots__ = ("_quickest", "_seen", "file", "metadata", "target")

    def __init__(self, target: Target, *, versioned: bool = True):
        self.target, self._quickest = target, float("inf")
        # The time is read before the file is opened, so that a file replaced in between does not match it.
        self._seen = None if not versioned or target.can(Capability.VERSION_TAGS) else self._modified()
        self.file = target.backend.open(target)
        self.metadata: dict[str, str] = {}
        version = self._version() if versioned else Version((), self.file.size(), None)
        super().__init__(str(target), version)

    def identify(self) -> None:
        """Let `version` tell the file from another one, where it was opened without."""
        self.version = self._version()

    def _version(self) -> Version:
        if isinstance(self.file, RangedFile):  # of fsspec's an ETag may be one that was listed earlier
            return Version((None, self.file.attributes, None), self.file.size(), self.file.modified)
        self.metadata = {_text(key).lower(): _text(value) for key, value in (self.file.metadata() or {}).items()}
        dated = self.metadata.get("last-modified") or self.metadata.get("timecreated")  # the latter as listings tell it
        tag = self.metadata.get("etag")
        modified = _nanoseconds(dated) if tag else self._seen or self._modified()
        return Version((tag, dated, self.metadata.get("generation")), self.file.size(), modified)

    def _modified(self) -> int | None:
        entry = self.target.backend.info(self.target)
        return None if entry is None else entry.modified

    def check_unchanged(self) -> None:
        """Raise Conflict if the name now leads to another object than the one that was opened."""
        self.target.backend.forget(self.target)
        try:
            with RemoteSource(self.target) as now:
                unchanged = now.version == self.version
        except FileNotFoundError:
            raise Conflict("it was removed meanwhile", file=self.name) from None
        if not unchanged:
            raise Conflict("it was changed by somebody else meanwhile", file=self.name)

    def read_many(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Several ranges (offset, length), a request for each; at the same time where requests take long."""
        for offset, length in ranges:
            self.check(offset, length)
        if len(ranges) < 2 or self._quickest < SLOW:
            return [Source.read(self, offset, length) for offset, length in ranges]
        if can_read_many(self.file):
            read = self.file.read_many(ranges)
        else:
            with Pool(min(len(ranges), AT_ONCE)) as pool:
                read = pool.map(lambda each: self._read(*each), ranges)
        self.requests += len(ranges)
        for (offset, length), data in zip(ranges, read, strict=True):
            if len(data) != length:
                raise self._ends(offset, length, len(data))
            self.bytes_read += length
        return read

    def _read(self, offset: int, length: int) -> bytes:
        began = perf_counter()
        data = self.file.read_at(length, offset)
        self._quickest = min(self._quickest, perf_counter() - began)
        return data

    def for_arrow(self) -> pa.NativeFile:
        """The same file as pyarrow's readers take it."""
        return self.file.for_arrow() if isinstance(self.file, RangedFile) else self.file

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self.file.close()


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _nanoseconds(dated: str | None) -> int | None:
    """A time as pyarrow tells it of an object, in seconds or fractions of them."""
    try:
        told = datetime.fromisoformat(dated or "")
    except ValueError:
        return None
    return int(told.timestamp()) * 10**9 + told.microsecond * 1000


def open_source(path: object) -> LocalSource | RemoteSource:
    """Open a file for reading; see `paths.resolve` for what a path may be.

    Raises
    ------
    OSError
        It cannot be opened.
    Malformed
        It is no regular file.
    """
    target = resolve(path)
    return LocalSource(target.path) if target.is_local else RemoteSource(target)


class Overlay(Source):
    """The first `keep` bytes of `source`, then `tail`."""

    __slots__ = ("_source", "_tail", "keep")

    def __init__(self, source: Source, keep: int, tail: bytes):
        self._source, self.keep, self._tail = source, keep, memoryview(tail)
        old = source.version
        super().__init__(source.name, Version(old.identity, keep + len(tail), old.modified, old.changed))

    def _read(self, offset: int, length: int) -> bytes:
        kept = max(0, min(length, self.keep - offset))
        head = self._source.read(offset, kept) if kept else b""
        start = max(0, offset - self.keep)
        return head + bytes(self._tail[start : start + length - kept])

    @property
    def is_local(self) -> bool:
        return self._source.is_local

    def close(self) -> None:
        self._source.close()


@dataclass(frozen=True, slots=True)
class TailEdit:
    """Keep the first `keep` bytes of a file and put `tail` behind them.

    Attributes
    ----------
    keep : int
    tail : bytes-like
    """

    keep: int
    tail: bytes | memoryview

    @property
    def size(self) -> int:
        """The file's length afterwards."""
        return self.keep + len(self.tail)


class OpenSource(Source):
    """The bytes of a `OpenTarget`. To close it does not close what the caller has opened."""

    __slots__ = ("_target", "file")

    can_reopen = False

    def __init__(self, target: OpenTarget):
        self.file, self._target = target.file, target
        super().__init__(target.name, Version((id(target.file),), target.file.size(), None))

    def _read(self, offset: int, length: int) -> bytes:
        return self.file.read_at(length, offset)

    def for_arrow(self) -> pa.NativeFile:
        """The same file as pyarrow's readers take it."""
        return self._target.for_arrow()

    def close(self) -> None:
        """Nothing: the file is the caller's."""
