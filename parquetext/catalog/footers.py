"""Scan a file's Thrift footer, read from its tail only, and list the footer forms in the file."""

from __future__ import annotations

import os
import time
from typing import Any

import pyarrow as pa

from .. import compute as pc
from .. import kernels
from ..errors import ParquetextError
from ..footer.forms import add_referred, names_in
from ..footer.locate import FIRST_READ_REMOTE, locate
from ..footer.tail import Tail
from ..records import frozen
from ..sidecar.naming import candidates
from ..storage import open_source, resolve

SECOND = 10**9
# longer than one tick of a clock of whole seconds, and one tick of a clock of milliseconds
COARSE, FINE = 2 * SECOND, SECOND // 10


def settled(modified: int | None, now: int) -> int | None:
    """Return a file's time in ns, or None if a change after `now` may leave the time unchanged."""
    if not modified:
        return None
    return modified if now - modified > (FINE if modified % SECOND else COARSE) else None


def same_time(kept: pa.Array, recorded: pa.Array) -> pa.Array:
    """Return True for each settled time that equals the filesystem's time.

    The filesystem's time may be finer than a stored time of whole seconds.
    """
    second = pa.scalar(SECOND, pa.int64())
    in_second = pc.equal(pc.multiply(pc.divide(recorded, second), second), kept)
    return pc.and_(pc.greater(kept, 0), pc.or_(pc.equal(kept, recorded), in_second))


FIRST_READ = 128 << 10  # bytes of a local file; most footers fit


@frozen
class Footer:
    """A scanned footer with its forms, the number of bytes read, and the file's size and time.

    Attributes
    ----------
    modified : int or None
        In ns since 1970. None if the file is so young that a later change may have the same time.
    """

    scan: Any
    file_size: int
    forms: tuple[str, ...]
    bytes_read: int
    modified: int | None = None


def read_footer(path, *, sidecars: bool = False) -> Footer:
    """Read the last bytes of a file, and scan its footer.

    Parameters
    ----------
    sidecars : bool
        Also look for the metadata sidecar of a remote file, at one or two requests. The sidecar of a local file is
        always looked for.

    Raises
    ------
    OSError, ParquetextError
        If there is no readable footer.
    """
    target = resolve(path)
    local = target.is_local
    try:
        tail, data, size, read, modified = _local(target.path) if local else _remote(target)
        scan = kernels.scan.scan(tail.form.rebuild(data))
        add_referred(tail, data)
    except ParquetextError as error:
        raise error.at(str(target)) from None
    forms = names_in(tail)
    if (local and any(os.path.exists(each.path) for each in candidates(target.path))) or (
        sidecars and not local and _has_remote_sidecar(path)
    ):
        forms = (*forms, "sidecar")
    return Footer(scan, size, forms, read, modified)


def _local(path: str) -> tuple[Tail, bytes | memoryview, int, int, int | None]:
    now = time.time_ns()
    file = kernels.local.LocalFile(path, FIRST_READ)
    try:
        tail, read = locate(file.tail, file.size), len(file.tail)
        while tail.missing is not None:
            read += tail.missing[1]
            tail.step(file.read(*tail.missing))
        begin = tail.footer_offset - (file.size - len(file.tail))
        if begin >= 0:
            data = memoryview(file.tail)[begin : begin + tail.footer_length]
        else:
            data = kernels.local.read_pages(file.fd, tail.footer_offset, tail.footer_length)
            read += tail.footer_length
        return tail, data, file.size, read, settled(file.mtime_ns, now)
    finally:
        file.close()


def _remote(target) -> tuple[Tail, bytes, int, int, int | None]:
    now = time.time_ns()
    with open_source(target) as source:
        size, last = source.size, source.read_tail(FIRST_READ_REMOTE)[1]
        tail = locate(last, size)
        while tail.missing is not None:
            tail.step(source.read(*tail.missing))
        begin = tail.footer_offset - (size - len(last))
        data = (
            last[begin : begin + tail.footer_length]
            if begin >= 0
            else source.read(tail.footer_offset, tail.footer_length)
        )
        return tail, data, size, source.bytes_read, settled(source.version.modified, now)


def _has_remote_sidecar(path) -> bool:
    from pyarrow.fs import FileType

    return any(each.arrow_filesystem.get_file_info(each.path).type == FileType.File for each in candidates(path))
