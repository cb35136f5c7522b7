"""The chunks of a modular footer as structs of Thrift (docs/formats.md, 16.3)."""

from __future__ import annotations

from array import array

from .. import wire
from ..errors import wire_error
from . import varint
from .bits import signed
from .modular_arrays import EncodedArray, read_array, required, struct_fields
from .thrift_write import binary

(
    DATA_PAGES,
    FIRST_DICTIONARIES,
    DICTIONARIES,
    COMPRESSED,
    UNCOMPRESSED,
    NUM_VALUES,
    CODECS,
    TYPES,
    FULLY_DICTIONARY,
    ROWS,
) = range(1, 11)  # fields of PLACEMENT
OPTIONAL = (FIRST_DICTIONARIES, DICTIONARIES, FULLY_DICTIONARY)
NULL_COUNTS, PREFIXES, MIN_SUFFIXES, MAX_SUFFIXES, MIN_EXACT, MAX_EXACT, NAN_COUNTS = range(1, 8)  # of statistics
TEXTS = (PREFIXES, MIN_SUFFIXES, MAX_SUFFIXES)
MOST_I32 = (1 << 31) - 1
STOP = b"\0"
# The values of the list of encodings: with a dictionary for all pages, for some, and without one.
ALL_INDEXES, SOME_INDEXES, NO_INDEXES = b"\x25\x06\x10", b"\x35\x00\x06\x10", b"\x25\x00\x06"


def integer(value: int) -> bytes:
    return varint.encode(varint.zigzag_encode(signed(value)))


def statistics_directory(data, leaf: int, leaves: int) -> tuple[int, int]:
    """Return the offsets, as they are stored, of the begin and the end of a column's statistics.

    `data` is the module ROW_GROUP_STATISTICS.
    """
    data = memoryview(data).cast("B")
    if not 0 <= leaf < leaves:
        raise wire_error(wire.BAD_ARGUMENT, 0, leaves, leaf)
    found = struct_fields(data, 0, {1: wire.TYPE_STRUCT})
    offsets = EncodedArray(data, required(found, 1, 0)[2], leaves + 1).check_numbers()
    begin, end = offsets.present(leaf), offsets.present(leaf + 1)
    if begin > end:
        raise wire_error(wire.BAD_OFFSET, offsets.values_at, end, begin)
    return begin, end


class Statistics:
    """The statistics of one column, an array for each fact, by row group."""

    def __init__(self, data, row_groups: int):
        self.data = memoryview(data).cast("B")
        found = struct_fields(self.data, 0, dict.fromkeys(range(NULL_COUNTS, NAN_COUNTS + 1), wire.TYPE_STRUCT))
        self.arrays: dict[int, EncodedArray] = {}
        for id in range(NULL_COUNTS, NAN_COUNTS + 1):
            found_array = read_array(self.data, found.get(id), row_groups)
            if found_array is not None:
                self.arrays[id] = found_array.check_texts() if id in TEXTS else found_array.check_numbers()
        missing = [id for id in TEXTS if id not in self.arrays]
        if missing and len(missing) < len(TEXTS):
            raise wire_error(wire.MISSING_FIELD, 0, missing[0], 0)

    def number(self, id: int, row_group: int) -> int | None:
        return self.arrays[id].number(row_group) if id in self.arrays else None

    def bounds(self, row_group: int) -> tuple[bytes, bytes] | None:
        """Return the minimum and the maximum of a row group, or None."""
        if PREFIXES not in self.arrays:
            return None
        prefix, low, high = (self.arrays[id].text(row_group) for id in TEXTS)
        if prefix is None or low is None or high is None:
            return None
        return prefix + low, prefix + high

    def struct(self, row_group: int, deprecated: bool) -> bytes:
        """Return the fields and the stop of a Statistics struct; only the stop if there are none."""
        fields: list[tuple[int, int, bytes]] = []
        nulls, bounds = self.number(NULL_COUNTS, row_group), self.bounds(row_group)
        if nulls is not None:
            fields.append((wire.STATISTICS_NULL_COUNT, wire.TYPE_I64, integer(nulls)))
        if bounds is not None:
            high, low = (
                (wire.STATISTICS_MAX, wire.STATISTICS_MIN)
                if deprecated
                else (wire.STATISTICS_MAX_VALUE, wire.STATISTICS_MIN_VALUE)
            )
            fields.append((high, wire.TYPE_BINARY, binary(bounds[1])))
            fields.append((low, wire.TYPE_BINARY, binary(bounds[0])))
            for id, exact in (
                (wire.STATISTICS_IS_MAX_VALUE_EXACT, self.number(MAX_EXACT, row_group)),
                (wire.STATISTICS_IS_MIN_VALUE_EXACT, self.number(MIN_EXACT, row_group)),
            ):
                if exact is not None:
                    fields.append((id, wire.TYPE_TRUE if exact else wire.TYPE_FALSE, b""))
        nans = self.number(NAN_COUNTS, row_group)
        if nans is not None:
            fields.append((wire.STATISTICS_NAN_COUNT, wire.TYPE_I64, integer(nans)))
        made, last = b"", 0
        for id, type, value in sorted(fields):
            made += bytes([id - last << 4 | type]) + value
            last = id
        return made + STOP


class Placement:
    """The module PLACEMENT, whose sizes have been checked.

    Parameters
    ----------
    data : bytes-like
        The module.
    leaves, row_groups : int
    """

    def __init__(self, data, leaves: int, row_groups: int):
        self.data, self.leaves, self.row_groups = memoryview(data).cast("B"), leaves, row_groups
        found = struct_fields(self.data, 0, dict.fromkeys(range(DATA_PAGES, ROWS + 1), wire.TYPE_STRUCT))
        chunks = leaves * row_groups
        counts: dict[int, int | None] = dict.fromkeys(range(DATA_PAGES, ROWS + 1), chunks)
        counts |= {FIRST_DICTIONARIES: chunks + 1, DICTIONARIES: None, TYPES: leaves, ROWS: row_groups}
        self.arrays: dict[int, EncodedArray] = {}
        for id, count in counts.items():
            if id in OPTIONAL and id not in found:
                continue
            self.arrays[id] = EncodedArray(self.data, required(found, id, 0)[2], count).check_numbers()
        if (FIRST_DICTIONARIES in self.arrays) != (DICTIONARIES in self.arrays):
            raise wire_error(
                wire.MISSING_FIELD, 0, DICTIONARIES if FIRST_DICTIONARIES in self.arrays else FIRST_DICTIONARIES, 0
            )

    @property
    def dictionary_count(self) -> int:
        """Return the number of dictionary pages."""
        return self.arrays[DICTIONARIES].count if DICTIONARIES in self.arrays else 0

    def rows(self) -> memoryview:
        """Return the number of rows of each row group."""
        return memoryview(array("q", map(signed, self.arrays[ROWS].numbers()))).toreadonly()

    def row_group_bytes(self) -> memoryview:
        """Return the uncompressed bytes of each row group: the sum of its chunks."""
        sums = [0] * self.row_groups
        for chunk, size in enumerate(self.arrays[UNCOMPRESSED].numbers()):
            sums[chunk % self.row_groups] += size
        return memoryview(array("q", [signed(size) for size in sums])).toreadonly()

    def structs(
        self,
        leaf: int,
        first: int,
        count: int,
        statistics=b"",
        path: bytes = b"",
        deprecated: bool = False,
        in_row_groups: bool = False,
    ) -> tuple[bytes, memoryview]:
        """Return the ColumnChunk structs of a leaf in row groups ``[first, first + count)``, and the length of each.

        Parameters
        ----------
        leaf, first, count : int
        statistics : bytes-like
            The column's statistics; empty if it has none.
        path : bytes
            The value of path_in_schema, a list; the field is omitted if it is empty.
        deprecated : bool
            Store bounds in the deprecated fields: the column has no order.
        in_row_groups : bool
            Return RowGroup structs, each with this chunk, no size, and its number of rows.
        """
        if not 0 <= leaf < self.leaves:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.leaves, leaf)
        if not 0 <= first <= self.row_groups or not 0 <= count <= self.row_groups - first:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.row_groups, first if first > self.row_groups else first + count)
        found = Statistics(statistics, self.row_groups) if len(statistics) else None
        pieces = []
        for row_group in range(first, first + count):
            struct = self._struct(leaf, row_group, found, path, deprecated)
            if in_row_groups:
                rows = integer(self.arrays[ROWS].present(row_group))
                struct = b"\x19\x1c" + struct + b"\x16\x00\x16" + rows + STOP
            pieces.append(struct)
        return b"".join(pieces), memoryview(array("I", map(len, pieces))).toreadonly()

    def _small(self, id: int, position: int) -> bytes:
        """Return a number as an i32."""
        value = self.arrays[id].present(position)
        if value > MOST_I32:
            raise wire_error(wire.BAD_VALUE, self.arrays[id].at, MOST_I32, value)
        return integer(value)

    def _dictionary(self, chunk: int) -> int | None:
        """Return the offset of a chunk's first dictionary page, or None."""
        if FIRST_DICTIONARIES not in self.arrays:
            return None
        firsts, offsets = self.arrays[FIRST_DICTIONARIES], self.arrays[DICTIONARIES]
        begin, end = firsts.present(chunk), firsts.present(chunk + 1)
        if begin > end or end > offsets.count:
            raise wire_error(wire.BAD_OFFSET, firsts.values_at, offsets.count, end)
        return offsets.present(begin) if begin < end else None

    def _struct(self, leaf: int, row_group: int, statistics: Statistics | None, path: bytes, deprecated: bool) -> bytes:
        chunk = leaf * self.row_groups + row_group
        dictionary = self._dictionary(chunk)
        is_full = FULLY_DICTIONARY in self.arrays and self.arrays[FULLY_DICTIONARY].present(chunk)
        encodings = NO_INDEXES if dictionary is None else ALL_INDEXES if is_full else SOME_INDEXES
        pieces = [b"\x26\x00\x1c\x15", self._small(TYPES, leaf), b"\x19", encodings]
        pieces += [b"\x19", path, b"\x15"] if path else [b"\x25"]
        pieces.append(self._small(CODECS, chunk))
        for id in (NUM_VALUES, UNCOMPRESSED, COMPRESSED):
            pieces += [b"\x16", integer(self.arrays[id].present(chunk))]
        pieces += [b"\x26", integer(self.arrays[DATA_PAGES].present(chunk))]
        if dictionary is not None:
            pieces += [b"\x26", integer(dictionary)]
        found = STOP if statistics is None else statistics.struct(row_group, deprecated)
        if found != STOP:
            pieces += [b"\x3c" if dictionary is None else b"\x1c", found]
        return b"".join([*pieces, STOP, STOP])
