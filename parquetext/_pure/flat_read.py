"""Read only the parts of a flat footer that a projection uses, each byte checksummed (docs/formats.md, 3.7)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import groupby

from .. import wire
from ..errors import ParquetextError
from . import flat_extensions, flat_names, flat_slice
from .chunks import CHUNK_MEMBERS, PLACES_MEMBERS, Chunks
from .flat_bounds import Bounds
from .flat_cells import IS_VERBATIM, Cell, Footer
from .flat_heads import PART_TABLES, TABLES_AT, Head, read_head, read_list
from .flat_names import GROUP
from .flat_pool import pool_position
from .name_table import CellReader, NameTable
from .records import ABSENT, checked
from .scan import ARROW_SCHEMA, ROW_GROUP_MEMBERS

_NODES, _COLUMNS = (wire.KIND_NODE, False), (wire.KIND_COLUMN, False)
IS_COMPACT = 16  # in the tail block's flags
LISTS = 28  # offset of the list in a ROW_GROUPS cell
KEY_HINT = 64  # a cell's header, the table of a pair, and a key of 12 bytes
CREATED_BY = 32  # its offset in the ROOT cell
_ABSENT = -1

_ROW_GROUP_FIELDS = {  # name: (struct code, value of an absent field)
    "num_rows": ("q", 0),
    "total_byte_size": ("q", 0),
    "file_offset": ("q", _ABSENT),
    "total_compressed_size": ("q", _ABSENT),
    "ordinal": ("h", _ABSENT),
}
NO_MEMBERS = {name: ABSENT[code] for name, code in (CHUNK_MEMBERS | PLACES_MEMBERS).items()}

# Members of a chunk -> (table, field, struct code, presence bit).
_CHUNK_FIELDS = {
    name: (table, name, "b" if name == "codec" else "q", getattr(wire, f"PRESENT_{name.upper()}"))
    for table, names in (
        (
            "ColumnMetadata",
            "codec num_values total_uncompressed_size total_compressed_size data_page_offset index_page_offset"
            " dictionary_page_offset",
        ),
        ("Statistics", "null_count distinct_count"),
    )
    for name in names.split()
} | {
    "bloom_filter_offset": ("BloomFilterInfo", "offset", "q", wire.PRESENT_BLOOM_FILTER_OFFSET),
    "bloom_filter_length": ("BloomFilterInfo", "length", "i", wire.PRESENT_BLOOM_FILTER_LENGTH),
    "offset_index_offset": ("OwnChunk", "offset_index_offset", "q", wire.PRESENT_OFFSET_INDEX),
    "column_index_offset": ("OwnChunk", "column_index_offset", "q", wire.PRESENT_COLUMN_INDEX),
    "offset_index_length": ("OwnChunk", "offset_index_length", "i", 0),
    "column_index_length": ("OwnChunk", "column_index_length", "i", 0),
}


class Reader(CellReader):
    """A flat footer, opened by its tail block. All other parts are read and checked on demand.

    Parameters
    ----------
    source : (int, int) or object
        A file descriptor and the file's size, or an object with `size` and `read(offset, length) -> bytes`.
    payload, length : int
        The position of the payload in the source.
    known : bytes-like
        Bytes of the source that have been read already; any number.
    known_end : int, optional
        The position of their end in the source; by default the source's end.
    """

    def __init__(
        self, source, payload: int, length: int, known, known_end: int | None = None, *, allow_verbatim: bool = False
    ):
        self._open = Footer(source, payload, length, known, known_end)
        self._names = NameTable()
        self._late_rows: dict[int, int] = {}  # num_rows of row groups that the tail block has no room for
        if self.flags & IS_VERBATIM and not allow_verbatim:
            raise self.fail(wire.VERBATIM, self.file.tail + 24, 0, self.flags)
        counts = self.file.counts
        self.version, self.num_rows = counts.version, counts.num_rows
        self.leaf_count, self.node_count = counts.leaves, counts.nodes
        self.row_group_count, self.key_value_count = counts.row_groups, counts.key_values

    def fail(self, code: int, position: int, expected: int, found: int) -> Exception:
        """Return the error for the content at a payload offset."""
        return self.file.fail(code, position, expected, found)

    @property
    def flags(self) -> int:
        """Return the tail block's flags."""
        return self.file.counts.flags

    @property
    def is_lossless(self) -> bool:
        """Return True if the Thrift footer can be rebuilt exactly, because no bounds are shortened."""
        return not self.flags & IS_COMPACT

    def hold(self) -> None:
        """Read the whole payload into memory, once. This pays off for projections of many columns."""
        self.file.hold(0)

    # ---- names

    def _candidates(self, hash: int):
        buckets = self.file.counts.bucket_count
        if not buckets:
            yield self.file.listed, True
        for step in range(buckets):
            entries, is_full = self.file.bucket((flat_names.home_of(hash, buckets) + step) % buckets)
            yield entries, not is_full or step + 1 == buckets

    def _bearer_of(self, id: int) -> Head:
        return self.head(id)

    @staticmethod
    def _id(head: Head) -> int:
        return head.id

    @staticmethod
    def _field_id(head: Head) -> int | None:
        return head.cell.number_at(head.fields, "field_id", "i", 0) if "field_id" in head.fields else None

    def _is_called(self, head: Head, wanted: bytes | int) -> bool:
        return (flat_names.dotted(head.path) if isinstance(wanted, bytes) else self._field_id(head)) == wanted

    def _all_names(self):
        for id in self._all_ids():
            head = self.head(id)
            yield head.path, self._field_id(head), id

    def _bearer(self, word: int) -> Head:
        """Return the head of an entry, which contains a cell's position and the number of the head in it."""
        footer, which = self.file, word % 8
        position = word - which
        cell = footer.kept(position, _NODES, _COLUMNS) or footer.load(position, footer.counts.column_hint)
        if cell.kind not in (wire.KIND_COLUMN, wire.KIND_NODE):
            raise cell.fail(wire.BAD_CELL, 8, wire.KIND_COLUMN, cell.kind)
        if cell.kind == wire.KIND_COLUMN and cell.part:
            raise cell.fail(wire.BAD_CELL, 10, 0, cell.part)
        footer.keep(cell)
        is_node = cell.kind == wire.KIND_NODE
        count = self.node_count if is_node else footer.column_cells
        if cell.number >= count:
            raise cell.fail(wire.BAD_CELL, 12, count, cell.number)
        leaves = 1 if is_node else len(self._leaves_of(cell.number))
        if which >= leaves:
            raise cell.fail(wire.BAD_CELL, 12, leaves, which)
        id = GROUP | cell.number if is_node else self._leaves_of(cell.number)[which]
        return read_head(cell, footer.counts, id, which)

    def _leaves_of(self, cell: int) -> range:
        """Return the leaves of a COLUMN cell."""
        step = self.file.cell_leaves
        return range(cell * step, min(cell * step + step, self.leaf_count))

    # ---- positions in the schema

    def head(self, id: int) -> Head:
        """Return the head of a leaf or group from its cell."""
        kind, count = (wire.KIND_NODE, self.node_count) if id & GROUP else (wire.KIND_COLUMN, self.leaf_count)
        number, footer = id & ~GROUP, self.file
        checked(number, count)
        at, which = (number, 0) if id & GROUP else divmod(number, footer.cell_leaves)
        return read_head(footer.listed_cell(kind, at, footer.counts.column_hint), footer.counts, id, which)

    named = head

    # ---- parts of 64 row groups

    def _part_range(self, part: int) -> range:
        step = wire.FLAT_PART_ROW_GROUPS
        return range(step * part, min(step * part + step, self.row_group_count))

    def _list(self, cell: Cell, first: int, part: int) -> Cell:
        """Check the two words and the list of a part above 0, or of a ROW_GROUPS cell."""
        cell.require(LISTS)
        cell.equals(16, first)
        cell.equals(20, len(self._part_range(part)))
        cell.require(LISTS + 4 * len(self._part_range(part)))
        return cell

    def part(self, head: Head, part: int) -> tuple[Cell, list[int], int]:
        """Return the cell of a leaf's part, the offsets of its chunks, and, above 0, the end of the list of them."""
        if not part:
            return head.cell, head.chunks, 0
        cell = self.file.cell(head.cell.u32(TABLES_AT + 4 * (part - 1)), wire.KIND_COLUMN, head.id, part)
        cell.require(PART_TABLES)
        cell.equals(16, part)
        return cell, *read_list(cell, len(self._part_range(part)))

    def _row_group(self, index: int) -> tuple[Cell, dict[str, int]]:
        part, entry = divmod(index, wire.FLAT_PART_ROW_GROUPS)
        cell = self.file.listed_cell(wire.KIND_ROW_GROUPS, part)
        self._list(cell, self._part_range(part).start, part)
        return cell, cell.table("RowGroup", cell.u32(LISTS + 4 * entry))

    # ---- row groups

    def row_groups(self, name: str) -> memoryview:
        """Return one member of all row groups, such as num_rows, total_byte_size, file_offset or ordinal."""
        self.begin()
        fields = [self.row_group(index) for index in range(self.row_group_count)]
        return memoryview(array(ROW_GROUP_MEMBERS[name], [fact[name] for fact in fields]))

    def row_group(self, index: int) -> dict[str, int]:
        """Return the members of one row group; those of the first row groups are in the tail block."""
        if index >= len(self.file.first_row_groups):
            return self.row_group_table(index)
        fields = zip(_ROW_GROUP_FIELDS, self.file.first_row_groups[index], strict=True)
        return {**dict(fields), "chunk_count": self.leaf_count}

    def row_group_table(self, index: int) -> dict[str, int]:
        """Return the members of one row group from its table."""
        cell, fields = self._row_group(index)
        statistics = {
            name: cell.number_at(fields, name, code, absent) for name, (code, absent) in _ROW_GROUP_FIELDS.items()
        }
        return statistics | {"chunk_count": self.leaf_count}

    def sorting_columns(self, row_group: int) -> list[tuple[int, ...]]:
        """Return (column_idx, descending, nulls_first) of each column that a row group is sorted by."""
        checked(row_group, self.row_group_count)
        self.begin()
        cell, fields = self._row_group(row_group)
        if "sorting_columns" not in fields:
            return []
        vector, columns = cell.follow(fields["sorting_columns"]), []
        for entry in range(cell.blob_length(vector, 4)):
            column = cell.table("SortingColumn", cell.follow(vector + 4 + 4 * entry))
            index = cell.number_at(column, "column_idx", "i", 0)
            flags = [bool(cell.number_at(column, flag, "B", 0)) for flag in ("descending", "nulls_first")]
            columns.append((index, *flags))
        return columns

    def _num_rows(self, row_group: int) -> int:
        """Return a row group's num_rows, from the tail block if it is there; every column asks for it."""
        if row_group < len(self.file.first_row_groups):
            return self.file.first_row_groups[row_group][0]
        if row_group not in self._late_rows:
            self._late_rows[row_group] = self.row_group(row_group)["num_rows"]
        return self._late_rows[row_group]

    # ---- chunks

    def column(self, leaf: int, first: int = 0, count: int | None = None) -> Chunks:
        """Return a leaf's chunks in the row groups [first, first + count)."""
        checked(leaf, self.leaf_count)
        wanted, arena = self.check_range(first, count), bytearray()
        self.begin()
        self.head(leaf)
        fields = [fact for _, fact in self._fields(leaf, wanted, arena)]
        return Chunks.from_fields(fields, bytes(arena))

    def chunks(self, leaf: int, row_groups: Sequence[int]):
        """Yield (row group, all members) of a leaf's chunks in these row groups, which ascend."""
        for row_group, fact in self._fields(leaf, row_groups, bytearray()):
            yield row_group, {**NO_MEMBERS, **fact}

    def _fields(self, leaf: int, row_groups, arena: bytearray):
        """Yield (row group, members) of a leaf's chunks in these row groups, which ascend."""
        head = self.head(leaf)
        for part, numbers in groupby(row_groups, lambda row_group: row_group // wire.FLAT_PART_ROW_GROUPS):
            cell, positions, _ = self.part(head, part)
            bounds = Bounds(cell, head.type, arena)
            for row_group in numbers:
                position = positions[row_group % wire.FLAT_PART_ROW_GROUPS]
                yield row_group, self._chunk(cell, position, row_group, head.type, bounds)

    def _chunk(self, cell: Cell, position: int, row_group: int, type: int, bounds: Bounds) -> dict[str, int]:
        """Return the members of pqx_chunk and pqx_places from a ColumnChunk and the tables it refers to."""
        chunk = cell.table("ColumnChunk", position)
        metadata = cell.child(chunk, "metadata", "ColumnMetadata")
        present, fact, tables = 0, {}, {"ColumnMetadata": metadata or {}}
        if metadata is not None:
            present |= wire.PRESENT_METADATA | wire.PRESENT_NUM_VALUES
            if type <= wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
                present |= wire.PRESENT_TYPE
                fact["type"] = type
            fact["encodings"] = (
                cell.number_at(metadata, "encodings", "H", 0) | cell.number_at(metadata, "more_encodings", "H", 0) << 16
            )
            if "num_values" not in metadata:
                fact["num_values"] = self._num_rows(row_group)
            if cell.number_at(metadata, "is_fully_dict_encoded", "B", 0):
                present |= wire.PRESENT_FULLY_DICTIONARY_ENCODED
            if "key_value_metadata" in metadata:
                present |= wire.PRESENT_KEY_VALUES
            statistics = cell.child(metadata, "statistics", "Statistics")
            if statistics is not None:
                present |= wire.PRESENT_STATISTICS
                present |= bounds.unpack(statistics, fact)
            tables["Statistics"] = statistics or {}
            tables["BloomFilterInfo"] = cell.child(metadata, "bloom_filter", "BloomFilterInfo") or {}
        if "crypto_metadata_type" in chunk or "encrypted_column_metadata" in chunk:
            present |= wire.PRESENT_CRYPTO
        tables["OwnChunk"] = cell.child(chunk, "own", "OwnChunk") or {}
        if "file_path" in tables["OwnChunk"]:
            present |= wire.PRESENT_FILE_PATH
        for member, (table, field, code, bit) in _CHUNK_FIELDS.items():
            fields = tables.get(table, {})
            if field in fields:
                fact[member] = cell.number_at(fields, field, code, _ABSENT)
                present |= bit
        fact["present"] = present
        return fact

    # ---- key-values and the rest

    def key_value(self, index: int) -> tuple[bytes, bytes | None]:
        """Return the key and the value of a pair; the value is None if it is absent."""
        checked(index, self.key_value_count)
        self.begin()
        return self.pair(index)

    def pair(self, index: int) -> tuple[bytes, bytes | None]:
        """Return the key and the value of a pair within a call that has begun."""
        cell = self.file.listed_cell(wire.KIND_KEY_VALUE, index)
        pair = cell.table("KeyValue", wire.FLAT_CELL_HEADER_BYTES)
        return cell.text(pair, "key") or b"", cell.text(pair, "val")

    def is_arrow_schema(self, index: int) -> bool:
        """Return True if a pair is ARROW:schema, judged by the first bytes of its cell: loading it is avoided."""
        head = self.file.peek_listed(wire.KIND_KEY_VALUE, index, KEY_HINT)
        if head.size <= wire.FLAT_CELL_HEADER_BYTES + 4:
            return False
        try:
            return head.text(head.table("KeyValue", wire.FLAT_CELL_HEADER_BYTES), "key") == ARROW_SCHEMA
        except ParquetextError:  # damaged; loading the cell raises the error
            return False

    @property
    def created_by(self) -> bytes | None:
        """Return the name of the writer, or None if the footer has none."""
        if not self.file.counts.flags & 1:
            return None
        self.begin()
        cell = self.file.listed_cell(wire.KIND_ROOT, 0)
        if cell.size < CREATED_BY + 4:
            raise cell.fail(wire.BAD_OFFSET, CREATED_BY, cell.size, CREATED_BY)
        return cell.blob(CREATED_BY)

    def extensions(self) -> list[tuple[bytes, int]]:
        """Return the UUID and the content's length of each extension slot, ascending."""
        self.begin()
        return [(uuid, length) for uuid, _, length in flat_extensions.entries(self.file)]

    def extension(self, index: int) -> bytes:
        """Return the bytes in an extension slot."""
        self.begin()
        return flat_extensions.load(self.file, index)[1]

    def pool_item(self, named: int, position: int) -> bytes:
        """Return the item at a pool reference, which is stored at payload offset `named`."""
        page, at = pool_position(position)
        pool = self.pool_page(named, page)
        item = self.item_of(pool, named, at)
        self.file.spend(pool.position + at, len(item))  # many elements may share one long item
        return item

    def pool_page(self, named: int, page: int) -> Cell:
        """Return a page of the pool, whose reference is stored at payload offset `named`."""
        pages = self.file.counts.pool_pages
        if page >= pages:
            raise self.fail(wire.BAD_VALUE, named, pages, page)
        return self.file.listed_cell(wire.KIND_POOL, page, self.file.counts.pool_hint)

    def item_of(self, pool: Cell, named: int, at: int) -> bytes:
        """Return an item of a page, whose reference is stored at payload offset `named`."""
        if at % 8 or not wire.FLAT_CELL_HEADER_BYTES <= at <= pool.size - 8:
            raise self.fail(wire.BAD_OFFSET, named, pool.size, at)
        length = pool.u32(at)
        if length > pool.size - at - 8:
            raise pool.fail(wire.BAD_OFFSET, at, pool.size, length)
        return bytes(pool.data[at + 8 : at + 8 + length])

    def slice(self, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes:
        """Return the Thrift footer for a projection, like `slice.slice_footer`."""
        return flat_slice.slice_reader(self, leaves, row_groups, arrow_schema, key_values)
