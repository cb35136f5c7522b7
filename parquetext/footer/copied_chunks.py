"""Find the copies of column chunks in another encoding, by a Thrift footer or by a slot of a flat footer."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from .. import kernels, wire
from ..encoding.carried import Carried, copy_of, may_have_copies
from ..errors import Damaged, Unsupported
from .chunk_copies import copies_by_chunk
from .projection import whole_leaves

VERSION = 1
_HEAD = struct.Struct("<HHI")
_ENTRY = struct.Struct("<IIII")


def copy_in(chunks, row_group: int, footer) -> Carried | None:
    """Return the copy of one of a leaf's chunks by its ColumnMetaData in Thrift, or None.

    Parameters
    ----------
    chunks
        The leaf's chunks of a form or scan of `footer`.

    Raises
    ------
    Malformed, Damaged, Unsupported
        If a block violates its format, or has another version.
    """
    start, length = (chunks.array(f"metadata_{part}")[row_group] for part in ("offset", "length"))
    metadata = bytes(footer[start : start + length])
    return copy_of(metadata) if may_have_copies(metadata) else None


def copies_of_leaf(form, leaf: int) -> list[Carried | None]:
    """Return the last copy of each of a leaf's chunks, in any form; None for a chunk without a copy.

    Raises
    ------
    Malformed, Damaged, Unsupported
        If a reference to a copy violates its format, or has another version.
    """
    row_groups, chunks, table = range(form.row_group_count), form.column(leaf), copy_table_of(form)
    if table is not None:
        found = [table.find(leaf, number) for number in row_groups]
    else:
        leaves = whole_leaves(form, [leaf])
        footer = form.slice(leaves, row_groups)
        sliced = kernels.scan.scan(footer).column(leaves.index(leaf))
        found = [copy_in(sliced, number, footer) for number in row_groups]
    fields = zip(found, chunks.begins(), chunks.array("total_compressed_size"), chunks.array("num_values"), strict=True)
    return [copy if copy is not None and copy.fits(*position) else None for copy, *position in fields]


def copy_table_of(form) -> CopyTable | None:
    """Return the table in a flat footer's slot; None for other forms, and if it has none.

    Raises
    ------
    Damaged, Unsupported
        As `CopyTable` raises them.
    """
    payload = payload_in(form) if hasattr(form, "extensions") else None
    return None if payload is None else CopyTable(payload)


def payload_in(flat) -> bytes | None:
    """Return the slot of a flat footer with the table of copies, or None."""
    slots = (index for index, (uuid, _) in enumerate(flat.extensions()) if uuid == wire.UUID_COPY_TABLE.bytes)
    index = next(slots, None)
    return None if index is None else bytes(flat.extension(index))


class CopyTable:
    """The slot of a flat footer that lists the chunks with copies (docs/formats.md, 9.5).

    Raises
    ------
    Unsupported
        If the version is unknown.
    Damaged
        If the slot violates its format.
    """

    def __init__(self, payload):
        data = memoryview(payload).cast("B")
        if len(data) < _HEAD.size:
            raise Damaged(f"a table of copies in {len(data)} bytes", offset=0)
        version, _, count = _HEAD.unpack_from(data)
        if version != VERSION:
            raise Unsupported(f"a table of copies by version {version}", expected=VERSION, found=version)
        if count > (len(data) - _HEAD.size) // _ENTRY.size:
            raise Damaged(f"a table of {count} copies in {len(data)} bytes", offset=4)
        self._data, entries = data, data[_HEAD.size : _HEAD.size + count * _ENTRY.size]
        self._places = {(leaf, group): (at, size) for leaf, group, at, size in _ENTRY.iter_unpack(entries)}

    def find(self, leaf: int, row_group: int) -> Carried | None:
        """Return the copy of a chunk, or None.

        Raises
        ------
        Damaged, Unsupported
            It is not as it must be, or of another version.
        """
        if (leaf, row_group) not in self._places:
            return None
        at, size = self._places[leaf, row_group]
        if at + size > len(self._data):
            raise Damaged(f"{size} bytes at {at} of a table of copies of {len(self._data)}", offset=at)
        return Carried.from_payload(self._data[at : at + size])


def table_of(scan) -> bytes | None:
    """Return the slot for a flat footer of this scanned Thrift footer; None if no chunk has a copy.

    Return None also if the footer contradicts itself, because the columns of its chunks are unknown then.
    """
    found = sorted(_payloads(scan))
    if not found:
        return None
    at, entries = _HEAD.size + len(found) * _ENTRY.size, []
    for leaf, row_group, payload in found:
        entries.append(_ENTRY.pack(leaf, row_group, at, len(payload)))
        at += len(payload)
    return b"".join((_HEAD.pack(VERSION, 0, len(found)), *entries, *(payload for _, _, payload in found)))


def _payloads(scan) -> Iterator[tuple[int, int, bytes]]:
    if any(count != scan.leaf_count for count in scan.row_groups("chunk_count")):
        return
    for chunk in copies_by_chunk(scan):
        if chunk.copies and not chunk.problems:  # a damaged reference is ignored
            yield chunk.leaf, chunk.row_group, chunk.copies[-1].to_payload()
