"""Sources: files that are read by exact ranges, from any storage."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from .. import systems, wire
from ..errors import Conflict, Malformed, wire_error
from ..records import frozen
from ..threads import Pool
from .backend import Capability
from .capabilities import can_read_many
from .folder import Folder, at, naming, status_of
from .paths import OpenTarget, Target, resolve
from .ranged_file import RangedFile

if TYPE_CHECKING:
    import pyarrow as pa

SLOW = 0.001  # seconds per request above which parallel requests are faster
AT_ONCE = 16
TICK_NS, SECOND_NS = 20_000_000, 1_000_000_000  # longer than the clock tick of local filesystems
_OPEN_FLAGS = systems.O_CLOEXEC | systems.O_NONBLOCK  # a FIFO must not block the open


@frozen
class Version:
    """The identity of a file's content: equal versions mean that the file has not changed.

    Local files have a device and inode, a size, and times of the last change of content and attributes, in ns. Remote
    files have a size, a time in ns if there is one, and the ETag and Google's generation if the filesystem reports
    them; for fsspec, all attributes that change with the content.
    """

    identity: tuple
    size: int
    modified: int | None
    changed: int | None = None

    @classmethod
    def of_stat(cls, status: os.stat_result) -> Version:
        return cls((status.st_dev, status.st_ino), status.st_size, status.st_mtime_ns, systems.change_time(status))

    @property
    def settled_at(self) -> int | None:
        """The time (ns) after which any further change of a local file changes its times; None if that is uncertain.

        A change within the same clock tick as the last one leaves the times unchanged, and so does a change within the
        same second if the filesystem stores whole seconds.
        """
        times: Any = self.modified, self.changed
        if None in times or all(time % SECOND_NS == 0 for time in times):
            return None
        return max(times) + TICK_NS


class Source:
    """Base class of sources.

    Attributes
    ----------
    name : str
        For messages.
    size : int
        Size in bytes when the file was opened.
    version : Version
    requests, bytes_read : int
        Counters of `read`.
    """

    __slots__ = ("bytes_read", "name", "requests", "size", "version")

    can_reopen = True

    @property
    def is_local(self) -> bool:
        """True if the file has a descriptor."""
        return False

    def __init__(self, name: str, version: Version):
        self.name, self.version, self.size = name, version, version.size
        self.requests = self.bytes_read = 0

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly the bytes [offset, offset + length).

        Raises
        ------
        Malformed
            If the file is too short.
        """
        self.check(offset, length)
        self.requests += 1
        try:
            data = self._read(offset, length)
        except OSError as error:
            if error.errno is not None:  # without errno, a file name would replace the message
                error.filename = error.filename or self.name
            raise
        if len(data) != length:
            raise self._ends(offset, length, len(data))
        self.bytes_read += length
        return data

    def check(self, offset: int, length: int) -> None:
        """Raise Malformed if the file ends before [offset, offset + length) does."""
        if offset < 0 or length < 0 or length > self.size - offset:
            raise self._ends(offset, length, max(0, self.size - offset))

    @property
    def owner(self) -> int:
        """The user that the file belongs to: the process's user if its storage has no owners."""
        return systems.user()

    def read_tail(self, length: int) -> tuple[int, bytes]:
        """Return the offset of the last `length` bytes, and the bytes; all of them if the file is shorter."""
        length = min(length, self.size)
        return self.size - length, self.read(self.size - length, length)

    def _ends(self, offset: int, length: int, left: int) -> Exception:
        return wire_error(wire.TRUNCATED, offset, length, left, file=self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def identify(self) -> None:
        """Determine `version`, if it is not known since the file was opened."""

    def close(self) -> None:
        """Close the file, and stop the threads that read it."""
        raise NotImplementedError

    def _read(self, offset: int, length: int) -> bytes:
        """Return the bytes of a range, which has been checked, or fewer if the file has become shorter."""
        raise NotImplementedError


class LocalSource(Source):
    """A local file, read by pread. `fd` may be used for reading until `close`.

    Attributes
    ----------
    folder : Folder or None
        The open folder in which the name was looked up, without following a link. `close` does not close it.
    """

    __slots__ = ("fd", "folder")

    is_local: ClassVar[Literal[True]] = True

    def __init__(self, path: str, flags: int = os.O_RDONLY, folder: Folder | None = None):
        self.folder, flags = folder, flags | _OPEN_FLAGS
        name, within = at(path, folder)
        if folder is None:
            self.fd = systems.open_file(path, flags)
        else:
            with naming(path):
                self.fd = systems.open_file(name, flags | systems.O_NOFOLLOW, dir_fd=within)
        try:
            status = os.fstat(self.fd)
            if not stat.S_ISREG(status.st_mode):
                is_folder = stat.S_ISDIR(status.st_mode)
                message = "a directory, not a regular file: name a file in it" if is_folder else "not a regular file"
                raise Malformed(message, file=path)
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

    def make_way(self) -> None:
        """Check that the file is unchanged, immediately before another one replaces it.

        The file is closed if the system does not replace open ones. Its lock ends then, but writers conflict with the
        new file, which is locked.
        """
        self.check_unchanged()
        if not systems.replaces_open_files():
            self.close()

    def check_unchanged(self) -> None:
        """Raise Conflict if the name now leads to another file, or if the size or times have changed."""
        try:
            now = Version.of_stat(status_of(self.name, self.folder))
        except FileNotFoundError:
            raise Conflict("it was removed in the meantime", file=self.name) from None
        if now != self.version:
            what = "replaced" if now.identity != self.version.identity else "changed"
            raise Conflict(f"it was {what} by another process in the meantime", file=self.name)

    def refresh(self) -> None:
        """Update the version and size."""
        self.version = Version.of_stat(os.fstat(self.fd))
        self.size = self.version.size

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)


class SourceInFolder(LocalSource):
    """A local file that was looked up in an open folder, which changes of it use, too."""

    __slots__ = ()

    folder: Folder

    def __init__(self, path: str, folder: Folder, flags: int = os.O_RDONLY):
        super().__init__(path, flags, folder)


class RemoteSource(Source):
    """A file in a store or another filesystem. Each `read` is one request.

    Parameters
    ----------
    versioned : bool
        Determine `version` when opening, which may take another request.

    Attributes
    ----------
    file : pyarrow.NativeFile or RangedFile
        Open for reading from any thread.
    """

    __slots__ = ("_modified_before", "_quickest", "file", "metadata", "target")

    is_local: ClassVar[Literal[False]] = False

    def __init__(self, target: Target, *, versioned: bool = True):
        self.target, self._quickest = target, float("inf")
        # The time is read before the file is opened, so that a file replaced in between does not match it.
        self._modified_before = None if not versioned or target.can(Capability.VERSION_TAGS) else self._modified()
        self.file = target.backend.open(target)
        self.metadata: dict[str, str] = {}
        version = self._version() if versioned else Version((), self.file.size(), None)
        super().__init__(str(target), version)

    def identify(self) -> None:
        """Determine `version`, if the file was opened without."""
        self.version = self._version()

    def _version(self) -> Version:
        if isinstance(self.file, RangedFile):  # fsspec's ETag may be from an earlier list
            return Version((None, self.file.attributes, None), self.file.size(), self.file.modified)
        self.metadata = {_text(key).lower(): _text(value) for key, value in (self.file.metadata() or {}).items()}
        dated = self.metadata.get("last-modified") or self.metadata.get("timecreated")  # the latter in lists
        tag = self.metadata.get("etag")
        modified = _nanoseconds(dated) if tag else self._modified_before or self._modified()
        return Version((tag, dated, self.metadata.get("generation")), self.file.size(), modified)

    def _modified(self) -> int | None:
        entry = self.target.backend.info(self.target)
        return None if entry is None else entry.modified

    def make_way(self) -> None:
        self.check_unchanged()

    def check_unchanged(self) -> None:
        """Raise Conflict if the name now leads to another object than the one that was opened."""
        self.target.backend.forget(self.target)
        try:
            with RemoteSource(self.target) as now:
                unchanged = now.version == self.version
        except FileNotFoundError:
            raise Conflict("it was removed in the meantime", file=self.name) from None
        if not unchanged:
            raise Conflict("it was changed by another process in the meantime", file=self.name)

    def read_many(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several ranges (offset, length), one request each; at the same time if requests are slow."""
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
        """Return the file as pyarrow's readers expect it."""
        return self.file.for_arrow() if isinstance(self.file, RangedFile) else self.file

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        self.file.close()


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _nanoseconds(dated: str | None) -> int | None:
    """Parse a time from pyarrow's metadata of an object."""
    try:
        time = datetime.fromisoformat(dated or "")
    except ValueError:
        return None
    return int(time.timestamp()) * 10**9 + time.microsecond * 1000


def open_source(path: object) -> LocalSource | RemoteSource:
    """Open a file for reading; see `paths.resolve` for the types of paths.

    Raises
    ------
    OSError
        If it cannot be opened.
    Malformed
        If it is not a regular file.
    """
    target = resolve(path)
    return LocalSource(target.path) if target.is_local else RemoteSource(target)


class Overlay(Source):
    """The first `keep` bytes of `source`, then `tail`: the view of a reader under a journal."""

    __slots__ = ("_source", "_tail", "keep")

    def __init__(self, source: Source, keep: int, tail: bytes | memoryview):
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


@frozen
class TailEdit:
    """Keep the first `keep` bytes of a file, and replace the rest by `tail`.

    Attributes
    ----------
    keep : int
    tail : bytes-like
    """

    keep: int
    tail: bytes | memoryview

    @property
    def size(self) -> int:
        """The file's size afterwards."""
        return self.keep + len(self.tail)

    def applied(self, end: bytes, start: int) -> bytes:
        """Return the file's bytes from `start` on after the edit; `end` are those before it."""
        return end[: self.keep - start] + self.tail


class OpenSource(Source):
    """The bytes of an `OpenTarget`. `close` does not close the caller's file."""

    __slots__ = ("_target", "file")

    can_reopen = False

    def __init__(self, target: OpenTarget):
        self.file, self._target = target.file, target
        super().__init__(target.name, Version((id(target.file),), target.file.size(), None))

    def _read(self, offset: int, length: int) -> bytes:
        return self.file.read_at(length, offset)

    def for_arrow(self) -> pa.NativeFile:
        """Return the file as pyarrow's readers expect it."""
        return self._target.for_arrow()

    def close(self) -> None:
        """Do nothing: the file belongs to the caller."""
