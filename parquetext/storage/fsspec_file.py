"""Files of fsspec's filesystems, read range by range: fsspec's own files fetch megabytes ahead of small reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from ..errors import Unsupported
from .paths import Target
from .ranged_file import RangedFile

__all__ = ["FsspecFile", "forget", "modified_of"]

# What filesystems call the time of the last change, and the one that tells it in ms.
_TIMES = ("mtime", "LastModified", "last_modified", "modified", "updated", "modificationTime", "created")
_IN_MS = "modificationTime"
_OF_CONTENT = re.compile(r"e_?tag|md5|sha|generation|version|modif|mtime|updated|created", re.IGNORECASE)


class FsspecFile(RangedFile):
    """A file of an fsspec filesystem, with the methods of `pyarrow.NativeFile` that sources use.

    Parameters
    ----------
    facts : mapping
        What the filesystem tells of it, its size among that.
    """

    def __init__(self, filesystem, path: str, facts: Mapping):
        super().__init__(facts["size"])
        self._filesystem, self._path = filesystem, path
        self.attributes = tuple(sorted((name, str(fact)) for name, fact in facts.items() if _OF_CONTENT.search(name)))
        self.modified = modified_of(facts)

    @classmethod
    def of(cls, target: Target) -> FsspecFile | None:
        """The file of a target; None where its filesystem is another one, or does not tell of a file's size."""
        import pyarrow.fs

        handler = getattr(target.filesystem, "handler", None)
        if not isinstance(handler, pyarrow.fs.FSSpecHandler):
            return None
        facts = handler.fs.info(target.path)
        known = facts.get("type") == "file" and facts.get("size") is not None
        return cls(handler.fs, target.path, facts) if known else None

    def read_at(self, length: int, offset: int) -> bytes:
        """The bytes [offset, offset + length).

        Raises
        ------
        Unsupported
            More came: the server behind the filesystem does not serve ranges.
        """
        data = self._filesystem.cat_file(self._path, start=offset, end=offset + length)
        if len(data) > length:
            raise Unsupported(
                f"the server does not serve ranges: asked for {length} bytes, it has sent {len(data)}; "
                "download the file, or give its bytes",
                file=self._path,
            )
        return data

    def reread(self, offset: int) -> bytes:
        """What the file's name now leads to, from there on."""
        self._filesystem.invalidate_cache()
        return self._filesystem.cat_file(self._path, start=offset)

    def read_many(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Ranges (offset, length); at the same time where the filesystem is an asynchronous one."""
        begins, ends = [offset for offset, _ in ranges], [offset + length for offset, length in ranges]
        return self._filesystem.cat_ranges([self._path] * len(ranges), begins, ends, on_error="raise")


def forget(target: Target) -> None:
    """Let the next look at a target be one at what is there: fsspec's filesystems may tell what they listed earlier."""
    fsspecs = getattr(getattr(target.filesystem, "handler", None), "fs", None)
    if hasattr(fsspecs, "invalidate_cache"):
        fsspecs.invalidate_cache()


def modified_of(facts: Mapping) -> int | None:
    """When a file was changed last, in ns since 1970, of what its filesystem tells; None where it does not tell."""
    name = next((name for name in _TIMES if facts.get(name)), None)
    told = facts.get(name)
    if isinstance(told, (int, float)):
        return int(told * 10 ** (6 if name == _IN_MS else 9))
    try:
        time = told if isinstance(told, datetime) else datetime.fromisoformat(told or "")
    except (TypeError, ValueError):
        return None
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    return int(time.timestamp()) * 10**9 + time.microsecond * 1000
