"""A footer index against the Thrift footer that it leads into."""

from __future__ import annotations

from collections.abc import Iterator

from .. import kernels, wire
from ..errors import ParquetextError
from ..findings import Finding

__all__ = ["check_index"]


def check_index(footer: bytes, offset: int, place: tuple[int, int]) -> Iterator[Finding]:
    """Every cell, every checksum over Thrift bytes, and that the index is the one of this footer.

    Parameters
    ----------
    footer : bytes
        The Thrift footer, extension and all, which begins at `offset` of the file.
    place : (int, int)
        Where in it the payload is, and its length.
    """
    try:
        kernels.index.verify(footer, *place)
    except ParquetextError as error:
        is_thrift = error.code == wire.THRIFT_CHECKSUM
        kind, where = ("thrift-checksum", "Thrift footer") if is_thrift else ("index-damaged", "footer index")
        yield Finding.of(kind, error.at(None, offset), where)
