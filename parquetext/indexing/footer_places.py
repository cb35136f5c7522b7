"""Add the places of indexes and Bloom filters to a Thrift footer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import wire
from ..errors import Malformed
from ..records import frozen
from ..rewrite.chunks import BLOOM, COLUMN_INDEX_IDS, OFFSET_INDEX_IDS
from ..rewrite.structs import Fields, row_groups_of, struct_list, structs, with_fields, with_row_groups
from ..thrift import integer
from .chunk_index import ChunkIndex

Place = tuple[int, int]  # offset, length
Chunk = tuple[int, int]  # row group, leaf


@frozen
class Placed:
    """The bytes of all indexes, and the footer's structs that lead to them."""

    data: bytes
    footer: bytes


def placed(footer: bytes, indexes: Sequence[ChunkIndex], start: int) -> Placed:
    """Place Bloom filters, then column indexes, then offset indexes at `start`, and patch the Thrift footer.

    Readers fetch the column indexes, or the offset indexes, of several chunks at once, so each kind is contiguous.
    """
    parts: list[bytes] = []
    places: dict[Chunk, dict[str, Place]] = {}
    for kind in ("bloom", "column_index", "offset_index"):
        for index in indexes:
            if (data := getattr(index, kind)) is not None:
                places.setdefault((index.wanted.row_group, index.wanted.leaf), {})[kind] = start, len(data)
                parts.append(data)
                start += len(data)
    return Placed(b"".join(parts), _patched(footer, places))


def _patched(footer: bytes, places: Mapping[Chunk, Mapping[str, Place]]) -> bytes:
    changed = {row_group for row_group, _ in places}
    groups = row_groups_of(footer)
    for row_group in changed:
        group = Fields(groups[row_group])
        if wire.ROW_GROUP_COLUMNS not in group.places:
            raise Malformed(f"row group {row_group} has no columns")
        chunks = structs(groups[row_group], group.places[wire.ROW_GROUP_COLUMNS][0])
        for leaf, chunk in enumerate(chunks):
            if (new := places.get((row_group, leaf))) is not None:
                chunks[leaf] = _with_places(chunk, new)
        group.put(wire.ROW_GROUP_COLUMNS, struct_list(chunks))
        groups[row_group] = group.to_bytes()
    return with_row_groups(footer, groups)


def _with_places(chunk: bytes, new: Mapping[str, Place]) -> bytes:
    fields: dict[int, tuple[int, bytes]] = {}
    if "bloom" in new:
        begin, end = Fields(chunk).places[wire.COLUMN_CHUNK_META_DATA]
        metadata = with_fields(chunk[begin:end], _place(BLOOM, new["bloom"]))
        fields[wire.COLUMN_CHUNK_META_DATA] = wire.TYPE_STRUCT, metadata
    for kind, ids in (("offset_index", OFFSET_INDEX_IDS), ("column_index", COLUMN_INDEX_IDS)):
        if kind in new:
            fields |= _place(ids, new[kind])
    return with_fields(chunk, fields)


def _place(ids: tuple[int, int], place: Place) -> dict[int, tuple[int, bytes]]:
    return {
        id: (type, integer(value)) for id, type, value in zip(ids, (wire.TYPE_I64, wire.TYPE_I32), place, strict=True)
    }
