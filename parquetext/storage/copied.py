"""A commit on S3 that moves only the tail: an upload in parts, of which the store itself copies all but the last.

It is finished under the condition that the object is still the one that was read, so that of two writers one loses,
not its object.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ..errors import Conflict, ParquetextError
from ..threads import Pool
from .edit import TailEdit
from .s3 import AT_ONCE, LEAST_PART, S3Object, S3Upload
from .s3_checksums import NO_CHECKSUM, NotOfThePart, ObjectChecksum
from .source import RemoteSource

__all__ = ["commit_copied"]

_PART = 1 << 30


def commit_copied(source: RemoteSource, goal: S3Object, edit: TailEdit) -> int:
    """Put the new object in the place of the one that was read; returns the bytes sent.

    Raises
    ------
    Conflict
        It is not there any more, or another one is: nothing was done.
    """
    tag = source.version.identity[0]
    try:
        found, attributes, checksum = goal.look()
        _check(goal, found, tag)
        if edit.keep < LEAST_PART or not edit.tail:
            _commit_whole(source, goal, edit, tag, attributes, checksum)
            return edit.size
        try:
            _commit_parts(goal, edit, tag, attributes, checksum)
        except NotOfThePart:  # without a checksum of its own the new object has a right one, or none
            _commit_parts(goal, edit, tag, attributes, NO_CHECKSUM)
        return len(edit.tail)
    except FileNotFoundError:
        raise Conflict("it was removed meanwhile", file=source.name) from None


def _commit_whole(
    source: RemoteSource, goal: S3Object, edit: TailEdit, tag: str, attributes: dict, checksum: ObjectChecksum
) -> None:
    data = source.read(0, edit.keep) + edit.tail
    if not checksum.is_of_parts:
        with _settled(goal, edit):
            goal.put(data, checksum, IfMatch=tag, **attributes)
        return
    with _uploading(goal, edit, tag, attributes, checksum) as upload:  # such a checksum only an object of parts has
        upload.send(1, data)


def _commit_parts(goal: S3Object, edit: TailEdit, tag: str, attributes: dict, checksum: ObjectChecksum) -> None:
    with _uploading(goal, edit, tag, attributes, checksum) as upload:
        ranges = list(_parts(edit.keep))
        with Pool(min(len(ranges), AT_ONCE)) as pool:
            for copied in [
                pool.submit(upload.copy, number, begin, end, tag) for number, (begin, end) in enumerate(ranges, 1)
            ]:
                copied.result()
        upload.send(len(ranges) + 1, edit.tail)


@contextlib.contextmanager
def _uploading(
    goal: S3Object, edit: TailEdit, tag: str, attributes: dict, checksum: ObjectChecksum
) -> Iterator[S3Upload]:
    """An upload that is put in the object's place at the end of the block."""
    upload = goal.upload(checksum, **attributes)
    try:
        yield upload
        _check(goal, goal.tag(), tag)  # for stores that know no conditions
        with _settled(goal, edit):
            upload.finish(IfMatch=tag)
    except BaseException:
        upload.abort()
        raise


@contextlib.contextmanager
def _settled(goal: S3Object, edit: TailEdit) -> Iterator[None]:
    """If a response was lost, the retry fails although the first request succeeded: look at the object first."""
    try:
        yield
    except (OSError, ParquetextError):
        if not goal.ends_with(edit.keep, edit.tail):
            raise


def _check(goal: S3Object, found: str, expected: str) -> None:
    if found.strip('"') != expected.strip('"'):
        raise Conflict("it was changed by somebody else meanwhile", file=goal.name)


def _parts(size: int) -> Iterator[tuple[int, int]]:
    """[begin, end) of parts of at most 1 GiB, alike in size and so never too small."""
    count = -(-size // _PART)
    return ((size * part // count, size * (part + 1) // count) for part in range(count))
