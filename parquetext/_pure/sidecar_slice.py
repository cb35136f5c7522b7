"""Read the note in our sidecars that provides slices of the Parquet file's footer."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from itertools import pairwise

from .. import wire
from ..errors import ParquetextError, wire_error
from . import varint
from .bounds import Leaf
from .chunks import CHUNK_MEMBERS, PLACES_MEMBERS, Chunks
from .records import Records, checked
from .sidecar_facts import range_start
from .slice import Slicer, slice_with
from .slice_write import Chunk, RowGroup
from .varint import zigzag_decode, zigzag_encode

LAYOUT = 1
FIXED = struct.Struct("<IIIIII")  # layout; size of the schema; number and size of key-values; leaves; row groups
HAS_DICTIONARY = 1
FARTHEST = 1 << 60
NEEDED = wire.PRESENT_PLACED | wire.PRESENT_TYPE | wire.PRESENT_CODEC
ELSEWHERE = wire.PRESENT_FILE_PATH | wire.PRESENT_CRYPTO
SIDES = [
    (
        bit,
        f"{side.lower()}_value",
        getattr(wire, f"PM_STAT_{side}_EXACT"),
        getattr(wire, f"PRESENT_{side}_VALUE") | getattr(wire, f"PRESENT_{side}_EXACT_SET"),
        getattr(wire, f"PRESENT_{side}_EXACT"),
    )
    for bit, side in ((1, "MIN"), (2, "MAX"))
]
COUNTS = (("null_count", wire.PRESENT_NULL_COUNT), ("distinct_count", wire.PRESENT_DISTINCT_COUNT))


def runs(scan) -> tuple[bytes, bytes] | None:
    """Return the data of a scanned footer's chunks that `_pm` lacks, leaf by leaf.

    Returns
    -------
    (bytes, bytes) or None
        The end of each leaf's run (``uint32``), and the runs: docs/sidecar.md. None if a chunk is in another file, is
        encrypted, or lacks members that readers need.
    """
    if not scan.regular:
        return None
    out, ends = bytearray(), array("I")
    for leaf in range(scan.leaf_count):
        chunks = scan.column(leaf)
        names = (
            "present",
            "num_values",
            "total_compressed_size",
            "total_uncompressed_size",
            "data_page_offset",
            "dictionary_page_offset",
            "encodings",
        )
        for present, values, compressed, plain, page, dictionary, encodings in zip(
            *(chunks.array(name) for name in names), strict=True
        ):
            has_dictionary = bool(present & wire.PRESENT_DICTIONARY_PAGE_OFFSET)
            start = range_start(present, page, dictionary)
            if present & NEEDED != NEEDED or present & ELSEWHERE or min(values, compressed, plain, start, page) < 0:
                return None
            if max(start, page) >= FARTHEST:
                return None
            position = zigzag_encode(page - start) << 1 | has_dictionary
            out += varint.encode_many((zigzag_encode(plain - compressed), encodings, position))
        if len(out) > 0xFFFFFFFF:
            return None
        ends.append(len(out))
    return ends.tobytes(), bytes(out)


class Slices:
    """The note of a sidecar for slices of its file's footer.

    Parameters
    ----------
    reader : Reader
    note : bytes
        As stored in the scratchpad.

    Attributes
    ----------
    schema : bytes
        A Thrift FileMetaData without row groups; ``ARROW:schema`` is its only key-value.
    key_values : bytes
        The other key-values, as concatenated Thrift structs.
    key_value_count : int

    Raises
    ------
    Damaged
        If the note's parts do not fill it, or if its layout is unknown.
    """

    def __init__(self, reader, note: bytes):
        self._reader = reader
        if len(note) < FIXED.size:
            raise wire_error(wire.PM_SLICES, 0, FIXED.size, len(note))
        layout, schema, self.key_value_count, pairs, self.leaf_count, self.row_group_count = FIXED.unpack_from(note)
        if layout != LAYOUT:
            raise wire_error(wire.PM_SLICES, 0, LAYOUT, layout)
        at = FIXED.size + 4 * self.leaf_count
        begin = at + schema + pairs
        if begin > len(note):
            raise wire_error(wire.PM_SLICES, 4, len(note), begin)
        self.schema, self.key_values = note[at : at + schema], note[at + schema : begin]
        self._runs, self._ends = note[begin:], [0, *memoryview(note[FIXED.size : at]).cast("I")]
        for index, (last, end) in enumerate(pairwise(self._ends)):
            if not last <= end <= len(self._runs):
                raise wire_error(wire.PM_SLICES, FIXED.size + 4 * index, len(self._runs), end)
        if self._ends[-1] != len(self._runs):
            raise wire_error(wire.PM_SLICES, FIXED.size, len(self._runs), self._ends[-1])

    def column(self, schema, leaf: int) -> Chunks:
        """Return the `Chunks` of a leaf as from a Thrift footer; raise Damaged if the scanned schema does not fit."""
        checked(leaf, schema.leaf_count)
        fields = {name: schema.elements(name)[schema.leaves[leaf]] for name in Leaf._fields}
        records = Records(CHUNK_MEMBERS | PLACES_MEMBERS)
        reader = self._reader
        for row_group, chunk in enumerate(self.places(fields["type"], leaf)):
            more = statistics(reader.chunks(leaf, row_group, 1)) | bloom(reader, row_group, leaf)
            present = chunk["present"] | more.pop("present") | more.pop("has_bloom")
            records.append(chunk | more | {"present": present})
        return Chunks(records, reader.data, Leaf(**fields))

    def places(self, physical: int, leaf: int) -> Iterator[dict[str, int]]:
        """Yield the locations and the storage of a leaf's chunks, one after the other."""
        reader = self._reader
        column = reader.column(leaf)
        if (self.leaf_count, self.row_group_count) != (reader.column_count, reader.row_group_count):
            raise contradiction(leaf)
        if physical != column.physical_type or len(memoryview(reader.data).cast("B")) > 0xFFFFFFFF:
            raise contradiction(leaf)
        at, end = self._ends[leaf : leaf + 2]
        for row_group in range(self.row_group_count):
            run, at = self._run(at, end)
            yield placed(physical, reader.chunks(leaf, row_group, 1), run, leaf)

    def _run(self, at: int, end: int) -> tuple[tuple[int, int, int], int]:
        data, begin = self._runs[:end], at
        try:
            overhead, at = varint.decode64(data, at)
            encodings, at = varint.decode32(data, at)
            position, at = varint.decode64(data, at)
        except ParquetextError:
            raise wire_error(wire.PM_SLICES, begin, end, begin) from None
        return (zigzag_decode(overhead), encodings, position), at

    def slice(self, schema, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes:
        """Return the slice of the footer; see `slice.slice_footer`.

        Raise Damaged if schema and sidecar do not match.
        """
        leaves, row_groups = [int(leaf) for leaf in leaves], [int(index) for index in row_groups]
        slicer = SidecarSlicer(schema, leaves, row_groups, self, self._reader)
        return slice_with(slicer, arrow_schema, key_values)


class SidecarSlicer(Slicer):
    """A projection whose chunks are in a sidecar."""

    def __init__(self, schema, leaves, row_groups, slices: Slices, reader):
        super().__init__(schema, leaves, row_groups)
        self.slices, self.reader = slices, reader
        self.row_group_count = reader.row_group_count

    def check_row_groups(self) -> None:
        """Check nothing more: a sidecar has one chunk per leaf."""

    def chunks(self) -> list[list[Chunk]]:
        if not self.row_groups:
            return []
        kinds = self.scan.elements("type")
        columns = [list(self.slices.places(kinds[self.scan.leaves[leaf]], leaf)) for leaf in self.leaves]
        return [[Chunk(column[index]) for column in columns] for index in self.row_groups]

    def row_group_fields(self) -> list[RowGroup]:
        counts = self.reader.row_counts if self.row_groups else []
        return [RowGroup(counts[index], -1, -1) for index in self.row_groups]


def contradiction(leaf: int) -> Exception:
    return wire_error(wire.PM_SLICES, 0, leaf, leaf)


def placed(physical: int, stored, run: tuple[int, int, int], leaf: int) -> dict[str, int]:
    """Return the location and the storage of a chunk."""
    overhead, encodings, position = run
    page = zigzag_decode(position >> 1)
    names = "num_values", "byte_range_start", "total_compressed_size"
    values, start, size = (stored.array(name)[0] for name in names)
    try:
        codec = stored.array("codec")[0]
    except ParquetextError:
        raise contradiction(leaf) from None
    if values < 0 or not 0 <= start < FARTHEST or not 0 <= size < FARTHEST:
        raise contradiction(leaf)
    if abs(overhead) >= FARTHEST or abs(page) >= FARTHEST or start + page < 0 or size + overhead < 0:
        raise contradiction(leaf)
    present = NEEDED | (wire.PRESENT_DICTIONARY_PAGE_OFFSET if position & HAS_DICTIONARY else 0)
    return {
        "num_values": values,
        "total_compressed_size": size,
        "total_uncompressed_size": size + overhead,
        "data_page_offset": start + page,
        "dictionary_page_offset": start if position & HAS_DICTIONARY else -1,
        "type": physical,
        "codec": codec,
        "encodings": encodings,
        "present": present,
    }


def statistics(stored) -> dict[str, int]:
    """Return the counts and bounds in the sidecar, and the bits of `present` that they add."""
    flags, present = stored.array("flags")[0], 0
    fields = {name: stored.array(name)[0] for name, _ in COUNTS}
    for name, bit in COUNTS:
        present |= bit if fields[name] >= 0 else 0
    has, *positions = stored.bounds()
    for side, name, exact, bits, exact_bit in SIDES:
        if has[0] & side:
            offset, length = positions[:2] if side == 1 else positions[2:]
            fields |= {f"{name}_offset": offset[0], f"{name}_length": length[0]}
            present |= bits | (exact_bit if flags & exact else 0)
    return fields | {"present": present | (wire.PRESENT_STATISTICS if present else 0)}


def bloom(reader, row_group: int, leaf: int) -> dict[str, int]:
    """Return an external Bloom filter's location; an inline one is not in the Parquet file."""
    kind, offset, length = reader.bloom(row_group, leaf)
    if kind != "external" or offset >= 1 << 63 or length >= 1 << 31:
        return {"has_bloom": 0}
    return {
        "bloom_filter_offset": offset,
        "bloom_filter_length": length,
        "has_bloom": wire.PRESENT_BLOOM_FILTER_OFFSET | wire.PRESENT_BLOOM_FILTER_LENGTH,
    }
