"""Decide if a sidecar belongs to the current content of its Parquet file, by the note in the sidecar."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any

from .. import kernels
from ..errors import Damaged, Unsupported
from ..footer.tail import LENGTH_AND_MAGIC
from ..storage import Target, Version, has_descriptor, open_source
from .foreign_sidecars import has_own_note
from .origin import CODE, Belongs, Origin


def origin_of(reader: kernels.sidecar.Reader) -> Origin | None:
    """Return our note in a sidecar, or None if this snapshot has none or its layout is unknown."""
    note = reader.note(CODE)
    return None if note is None or not _is_own(reader) else Origin.from_bytes(note)


def _is_own(reader: kernels.sidecar.Reader) -> bool:
    """Return True if a note was written for the snapshot; trust it if earlier commits are damaged."""
    try:
        return has_own_note(reader)
    except Damaged:
        return True


def belonging(
    target: Target | None, reader: kernels.sidecar.Reader, origin: Origin | None, source: Any = None
) -> Belongs:
    """Decide if a sidecar belongs to the current file at `target`, or to the one open as `source`.

    Compare the size and times (of an object: its ETag), or else the bytes of the footer.

    Raises
    ------
    Unsupported
        If the sidecar has no note of ours.
    """
    if origin is None:
        raise Unsupported(
            "the sidecar does not record to which version of the Parquet file it belongs: "
            "pass its version token as parquet_size"
        )
    offset, length = reader.parquet_footer
    size = offset + length + LENGTH_AND_MAGIC
    if length != origin.footer_length:
        return Belongs.NO
    if source is None and target is not None and target.is_local:
        status = os.stat(target.path)
        if status.st_size != size:
            return Belongs.NO
        if origin.is_untouched(Version.of_stat(status)):
            return Belongs.YES
    with open_source(target) if source is None else nullcontext(source) as file:
        if file.size != size:
            return Belongs.NO
        if origin.is_untouched(_version_of(file)):
            return Belongs.YES
        bytes_there = file.read(offset, length)
    return Belongs.BY_FOOTER if origin.has_footer(bytes_there) else Belongs.NO


def _version_of(source: Any) -> Version:
    """Return an open file's version, as of now if it is local."""
    if has_descriptor(source):
        return Version.of_stat(os.fstat(source.fd))
    if not source.version.identity:
        source.identify()
    version: Version = source.version
    return version
