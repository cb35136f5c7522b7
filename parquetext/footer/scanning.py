"""The whole Thrift footer of a file, into arrays."""

from __future__ import annotations

from .. import kernels
from ..errors import ParquetextError
from ..storage import open_source
from .locate import FIRST_READ_REMOTE, locate, read_tail

__all__ = ["scan"]

MAGIC = b"PAR1"


def scan(source):
    """Read a Thrift footer into flat arrays, one entry per column chunk.

    Parameters
    ----------
    source : path, or bytes-like
        A file, as `parquetext.open` takes it; or the bytes of a footer, or of a whole file.

    Returns
    -------
    Scan
        Facts as memoryviews: `chunks(name)` row group by row group, `elements(name)`, `row_groups(name)`, and others;
        see docs/architecture.md. Offsets of ranges count from the footer's start.

    Raises
    ------
    Malformed, Refused, Unsupported
        There is no footer that can be read.

    Notes
    -----
    One pass over the footer; the time grows with its size.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = memoryview(source)
        if bytes(data[:4]) == MAGIC:
            tail = locate(data, len(data))
            data = data[tail.footer_offset:tail.footer_offset + tail.footer_length]
        return kernels.scan.scan(data)
    with open_source(source) as file:
        tail = read_tail(file, FIRST_READ_REMOTE)
        try:
            return kernels.scan.scan(file.read(tail.footer_offset, tail.footer_length))
        except ParquetextError as error:
            raise error.at(str(source), tail.footer_offset) from None
