"""A footer index against the Thrift footer that it leads into."""

from __future__ import annotations

from collections.abc import Iterator

from .. import kernels, wire
from ..errors import ParquetextError
from ..findings import Finding

__all__ = ["check_index"]

PLACE = "footer index"


class _Footer:
    """A footer in memory as a source."""

    def __init__(self, data: bytes):
        self.data, self.size = data, len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


def check_index(footer: bytes, offset: int, place: tuple[int, int], scan) -> Iterator[Finding]:
    """Every cell, every checksum over Thrift bytes, and that the index is the one of this footer.

    Parameters
    ----------
    footer : bytes
        The Thrift footer, extension and all, which begins at `offset` of the file.
    place : (int, int)
        Where in it the payload is, and its length.
    scan : Scan
        Of the footer.
    """
    start, length = place
    try:
        reader = kernels.index.Reader(_Footer(footer), 0, start, length, footer)
        _read_all(reader)
    except ParquetextError as error:
        is_thrift = error.code == wire.THRIFT_CHECKSUM
        kind, where = ("thrift-checksum", "Thrift footer") if is_thrift else ("index-damaged", PLACE)
        yield Finding.of(kind, error.at(None, offset), where)
        return
    try:
        expected = kernels.index.write(scan)
    except ParquetextError as error:
        yield Finding.of("forms-differ", error.at(None, offset), PLACE)
        return
    payload = footer[start : start + length]
    if payload != expected:
        at = next((at for at, (ours, theirs) in enumerate(zip(payload, expected, strict=False)) if ours != theirs),
                  min(len(payload), len(expected)))  # fmt: skip
        yield Finding("forms-differ", "it is not the index of this Thrift footer", offset + start + at, PLACE)


def _read_all(reader) -> None:
    """Whatever can be asked, so that every checksum is compared."""
    group = kernels.index.GROUP
    for node in range(reader.node_count):
        reader.node(group | node)
    for leaf in range(reader.leaf_count):
        if leaf not in reader.find_name(reader.node(leaf).path):
            raise ParquetextError(f"leaf {leaf} is not found by its name")
        reader.column(leaf)
    reader.row_groups("num_rows")
    for index in range(reader.key_value_count):
        reader.key_value(index)
    reader.created_by  # noqa: B018 - reading it is the check
