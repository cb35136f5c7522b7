"""A footer index against the Thrift footer that it leads into."""

from __future__ import annotations

from collections.abc import Iterator

from ... import kernels, wire
from ...errors import ParquetextError
from ...findings import Finding

__all__ = ["check_index"]


def check_index(end: bytes, tail, place: tuple[int, int]) -> Iterator[Finding]:
    """Every cell, every checksum over Thrift bytes, and that the index is the one of this footer.

    Parameters
    ----------
    end : bytes
        The file from `tail.start` to the end of its footer.
    tail : Tail
    place : (int, int)
        Offset of the payload in `end`, and its length in bytes.
    """
    footer = tail.footer_offset - tail.start
    thrift_length = tail.reference.struct_length - 1 if place[0] < footer else None
    try:
        kernels.index.verify(end, *place, footer, thrift_length)
    except ParquetextError as error:
        is_thrift = error.code == wire.THRIFT_CHECKSUM
        kind, where = ("thrift-checksum", "Thrift footer") if is_thrift else ("index-damaged", "footer index")
        yield Finding.of(kind, error.at(None, tail.start), where)
