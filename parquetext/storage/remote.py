"""A commit on an object store: the new object is uploaded whole, then copied over the old one by the store.

Uploading straight to the object's name would be shorter, but whatever fails half-way, pyarrow finishes an upload
when its stream goes away, and a part of the new object would then be in place of the old one.
"""

from __future__ import annotations

import errno
import uuid

from ..errors import Conflict, Refused
from .edit import TailEdit
from .names import NEW, beside
from .source import RemoteSource

__all__ = ["commit_remote"]

_PIECE_BYTES = 8 << 20
_S3_COPY_LIMIT = 5 << 30


def commit_remote(source: RemoteSource, edit: TailEdit) -> None:
    """Put the new object in `source`'s place, if that is still the one that was read."""
    filesystem, path = source.target.filesystem, source.target.path
    if filesystem.type_name == "s3" and edit.size > _S3_COPY_LIMIT:
        raise Refused(f"{edit.size} bytes: S3 copies objects of up to {_S3_COPY_LIMIT} bytes", file=source.name)
    staged = beside(path, f"{uuid.uuid4().hex}.{NEW}")
    try:
        _upload(source, edit, staged)
        _check_unchanged(source)
        filesystem.copy_file(staged, path)
    finally:
        if filesystem.get_file_info(staged).is_file:
            filesystem.delete_file(staged)


def _upload(source: RemoteSource, edit: TailEdit, staged: str) -> None:
    content_type = source.metadata.get("content-type")
    metadata = {"Content-Type": content_type} if content_type else None
    with source.target.filesystem.open_output_stream(staged, metadata=metadata) as stream:
        for at in range(0, edit.keep, _PIECE_BYTES):
            stream.write(source.read(at, min(_PIECE_BYTES, edit.keep - at)))
        stream.write(edit.tail)
    size = source.target.filesystem.get_file_info(staged).size
    if size != edit.size:
        raise OSError(errno.EIO, f"{edit.size} bytes uploaded, {size} are there", staged)


def _check_unchanged(source: RemoteSource) -> None:
    try:
        with RemoteSource(source.target) as now:
            unchanged = now.version == source.version
    except FileNotFoundError:
        raise Conflict("it was removed meanwhile", file=source.name) from None
    if not unchanged:
        raise Conflict("it was changed by somebody else meanwhile", file=source.name)
