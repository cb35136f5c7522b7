"""Scan the whole Thrift footer of a file into arrays, and check footers as a whole."""

from __future__ import annotations

from .. import kernels
from ..errors import ParquetextError, Refused
from ..storage import open_source
from .forms import MAGICS
from .locate import FIRST_READ_REMOTE, Source, locate, read_tail


def scan(source: object, *, strict: bool = False) -> kernels.scan.Scan:
    """Read a Thrift footer into flat arrays, one entry per column chunk.

    Parameters
    ----------
    source : path, or bytes-like
        A file, as `parquetext.open` takes it; the bytes of a whole file, which end in its magic; or the bytes of a
        Thrift FileMetaData.
    strict : bool
        Raise an error if the footer contradicts its structure: if required fields are absent, or if the schema elements
        are not a tree. If False, scan it as far as possible, and store the first such error in `Scan.problem`.

    Returns
    -------
    Scan
        Its members are memoryviews: `chunks(name)` row group by row group, `elements(name)`, `row_groups(name)`, and
        others; see docs/kernels.md. Offsets of ranges count from the footer's start.

    Raises
    ------
    Malformed, Refused, Unsupported
        If there is no readable footer.

    Notes
    -----
    One pass over the footer; the time grows with its size. A field whose type differs from parquet.thrift counts as an
    unknown one. If a field is repeated, the last one counts, as in Thrift libraries; numbers are taken as they are.

    Examples
    --------
    >>> from parquetext import footer
    >>> scan = footer.scan("wide.parquet")
    >>> scan.num_rows, scan.leaf_count, list(scan.chunks("num_values"))[:2]
    (300, 2, [100, 100])
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        data: bytes | memoryview = memoryview(source).cast("B")
        if bytes(data[-4:]) in MAGICS:
            tail = locate(data, len(data)).thrift_only()
            data = data[tail.footer_offset : tail.footer_offset + tail.footer_length]
        return kernels.scan.scan(data, strict=strict)
    with open_source(source) as file:
        tail = read_tail(file, FIRST_READ_REMOTE).thrift_only()
        if file.is_local:
            data = kernels.local.read_pages(file.fd, tail.footer_offset, tail.footer_length)
        else:
            data = file.read(tail.footer_offset, tail.footer_length)
        try:
            return kernels.scan.scan(data, strict=strict)
        except ParquetextError as error:
            raise error.at(str(source), tail.footer_offset) from None


def has_sound_footer(source: Source) -> bool:
    """Return True if a file ends in a sound footer of any form, or in an encrypted one, which cannot be checked.

    Parameters
    ----------
    source : storage.Source

    Notes
    -----
    Reads the whole footer. Blocks beside a sound Thrift footer are not checked.
    """
    try:
        tail = read_tail(source)
        footer = source.read(tail.footer_offset, tail.footer_length)
        if not tail.is_final:
            kernels.scan.scan(footer, strict=False)
            return True
        tail.form.verify_payload(footer)
        return tail.blocks[0].crc in (None, kernels.checksum.crc32(footer))
    except Refused:
        return True
    except ParquetextError:
        return False
