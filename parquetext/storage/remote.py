"""A commit on an object store: on S3, where boto3 is there, by the tail alone; else the new object is uploaded whole,
then copied over the old one by the store, or on HDFS renamed over it."""

from __future__ import annotations

import errno

from ..errors import Conflict, Refused
from .copied import commit_copied
from .edit import TailEdit
from .fsspec_file import FsspecFile, forget
from .hdfs import MODE, keep_attributes, native_client
from .s3 import s3_object
from .source import RemoteSource
from .staged import Staged, check_size

__all__ = ["check_same", "commit_remote"]

_PIECE_BYTES = 8 << 20


def commit_remote(source: RemoteSource, edit: TailEdit, ignored: frozenset[str] = frozenset()) -> int:
    """Put the new object in `source`'s place, if that is still the one that was read; returns the bytes sent."""
    goal = s3_object(source.target)
    if goal is not None and source.version.identity[0]:
        return commit_copied(source, goal, edit)
    check_size(source.target, edit.size)
    staged = Staged(source.target)
    try:
        _stage(source, edit, staged, ignored)
        check_same(source)
        _publish(source, staged, edit)
        return edit.size
    finally:
        staged.discard()


def _stage(source: RemoteSource, edit: TailEdit, staged: Staged, ignored: frozenset[str]) -> None:
    try:
        _upload(source, edit, staged.path)
        staged.check(edit.size)
        if client := native_client(source.target.filesystem):
            keep_attributes(client, source.target.path, staged.path, ignored)
    except OSError:
        check_same(source)  # what is gone is not read; Google's store reads what was opened and nothing else
        raise


def _upload(source: RemoteSource, edit: TailEdit, staged: str) -> None:
    content_type = source.metadata.get("content-type")
    metadata = {"Content-Type": content_type} if content_type else None
    if native_client(source.target.filesystem):
        metadata = {MODE: "600"}  # nobody sees more of it than of the old one
    with source.target.filesystem.open_output_stream(staged, metadata=metadata) as stream:
        for at in range(0, edit.keep, _PIECE_BYTES):
            stream.write(source.read(at, min(_PIECE_BYTES, edit.keep - at)))
        stream.write(edit.tail)


def _publish(source: RemoteSource, staged: Staged, edit: TailEdit) -> None:
    try:
        staged.publish()
    except NotImplementedError:
        raise Refused("its store cannot put a file in the place of another at once", file=source.name) from None
    if not isinstance(source.file, FsspecFile):
        return
    # What fsspec's filesystems call a copy may be a rename that fails in silence: that of WebHDFS is.
    if source.file.reread(edit.keep) != edit.tail:
        raise OSError(errno.EIO, "its filesystem has not put the new file in its place", source.name)


def check_same(source: RemoteSource) -> None:
    """Conflict unless the object is still the one that was read."""
    forget(source.target)
    try:
        with RemoteSource(source.target) as now:
            unchanged = now.version == source.version
    except FileNotFoundError:
        raise Conflict("it was removed meanwhile", file=source.name) from None
    if not unchanged:
        raise Conflict("it was changed by somebody else meanwhile", file=source.name)
