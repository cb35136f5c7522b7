"""Write the flat footer of a scanned Thrift footer, in the order of the payload (docs/formats.md, section 3)."""

from __future__ import annotations

import struct
from typing import Any

from .. import wire
from ..errors import ParquetextError, wire_error
from . import flat_extensions, varint
from .flat_cells import cell_leaves
from .flat_chunk import Column, Crypto, algorithm, key_value
from .flat_ending import HAS_COLUMN_ORDERS, HAS_CREATED_BY, HAS_KEY_VALUES, IS_COMPACT, IS_VERBATIM, Ending
from .flat_heads import TABLES_AT
from .flat_names import bucket_count, check_paths, fill_buckets, limit_of
from .flat_pool import Pool
from .flat_residue import FOOTER, ROW_GROUP, Residue, Residues, Skeletons, footer_fields, group_fields, residue_of
from .flat_schema import ABSENT, NO_FIELD_ID, Elements, Struct, list_header, list_structs
from .flat_tables import LATER, Payload, Table, table_of
from .scan import ROW_GROUP_MEMBERS

NO_TYPE = 255
UNSPEAKABLE = (
    wire.ENCRYPTED,
    wire.IRREGULAR,
    wire.MISMATCH,
    wire.MISSING_FIELD,
    wire.UNSUPPORTED_VALUE,
    wire.FIELD_TYPE,
    wire.SCHEMA,
)  # errors for which a footer is stored verbatim


def write(scan, stats: str = "full", *, verbatim: bool = True, extensions=()) -> bytes:
    """Return the payload of the flat footer for a scanned footer.

    Parameters
    ----------
    scan : Scan
    stats : str
        ``"full"``, or ``"compact"``: shorten bounds of more than 16 bytes if this is valid.
    verbatim : bool
        Store a footer that the tables cannot represent unchanged, for `to_thrift` only. If False, refuse it: ENCRYPTED,
        IRREGULAR, MISMATCH, MISSING_FIELD, UNSUPPORTED_VALUE, FIELD_TYPE, SCHEMA.
    extensions : iterable of (bytes, bytes)
        UUID and bytes of each extension slot; the UUIDs ascend. With extensions, no footer is stored verbatim.

    Raises
    ------
    Unsupported
        TOO_LARGE, if the payload has 2 GiB, or if the footer exceeds 16 times the payload. OUT_OF_PROPORTION, if the
        payload exceeds 16 times the footer and 4 MiB.
    """
    extensions = [(bytes(uuid), bytes(data)) for uuid, data in extensions]
    if stats not in ("full", "compact"):
        raise ParquetextError(
            f"no such choice of statistics: {stats!r} (known: 'full', 'compact')", code=wire.BAD_ARGUMENT
        )
    most = limit_of(scan.end + sum(len(data) for _, data in extensions))
    try:
        _check(scan)
        flat_extensions.check(extensions)
        check_paths(scan, most)
        writer: _Writer | _Verbatim = _Writer(scan, stats == "compact", extensions)
        payload = writer.write()
    except ParquetextError as error:
        if not verbatim or extensions or error.code not in UNSPEAKABLE:
            raise
        writer = _Verbatim(scan)
        payload = writer.write()
    if len(payload) > most:
        raise wire_error(wire.OUT_OF_PROPORTION, 0, most, most + 1)
    limit, rebuilt = wire.FLAT_WRITTEN_LIMIT * len(payload), scan.end - writer.left_out
    if rebuilt > limit:
        raise wire_error(wire.TOO_LARGE, 0, limit, rebuilt)
    return payload


def _check(scan) -> None:
    if scan.problem is not None:
        raise scan.problem
    scan.check_regular()
    if scan.has_column_orders:
        position, _ = scan.column_orders
        _, count, _ = list_header(scan.data, position)
        if count != scan.leaf_count:
            raise wire_error(wire.MISMATCH, position, scan.leaf_count, count)


def footer_crypto(scan) -> Crypto:
    """Return the crypto fields of FileMetaData; refuse unknown ones, because readers must not lose them."""
    if not scan.encrypted & 1:
        return Crypto(0, None, None)
    crypto = Crypto.find(
        Struct(scan.data, 0), wire.FILE_META_DATA_ENCRYPTION_ALGORITHM, wire.FILE_META_DATA_FOOTER_SIGNING_KEY_METADATA
    )
    if not crypto.tag and crypto.bytes is None:
        raise wire_error(wire.ENCRYPTED, 0, 0, scan.encrypted)
    return crypto


def wrapped16(number: int) -> int:
    """Wrap a number to 16 bits."""
    return (number + 2**15) % 2**16 - 2**15


def parts_of(row_groups: int) -> list[range]:
    """Return the row groups of each part of a column."""
    step = wire.FLAT_PART_ROW_GROUPS
    return [range(first, min(first + step, row_groups)) for first in range(0, row_groups, step)]


class Heads:
    """The heads of one cell, or the list of a part above 0, collected while its tables are written."""

    def __init__(self, payload: Payload, parts: int = 0):
        self.payload, self.word = payload, payload.append(bytes(4 + 4 * parts))
        self.out, self.last = bytearray(), len(payload.out)

    def add(self, content: bytes) -> None:
        self.out += content

    def add_numbers(self, *numbers: int) -> None:
        for number in numbers:
            self.out += varint.encode(number)

    def list_table(self, position: int) -> None:
        """Add the position of the next table."""
        self.add_numbers((position - self.last) // 4)
        self.last = position

    def write(self, cell: int) -> None:
        self.payload.u32(self.word, self.payload.append(self.out) - cell)


class _Verbatim(Ending):
    """A payload that contains only the instructions to write the Thrift footer."""

    def write(self) -> bytes:
        payload = self.payload
        payload.append(bytes(8))
        payload.link(0, payload.table(table_of("FileMetaData")).position)
        self.reserve_directory(1)
        self.write_root_cell(residue_of(self.scan.data, 0, FOOTER, {}))
        self.fill_directory([self.root_cell])
        self.write_tail((0,) * 6, IS_VERBATIM, 0)
        return payload.sign()


class _Writer(Ending):
    def __init__(self, scan, is_compact: bool, extensions: list[tuple[bytes, bytes]]):
        super().__init__(scan)
        self.is_compact, self.extensions = is_compact, extensions
        self.elements: Any = Elements(scan)
        self.pool = Pool(scan, self.elements)
        self.skeletons = Skeletons(self.pool)
        self.rows = list(scan.row_groups("num_rows"))
        self.parts = parts_of(scan.row_group_count)
        self.column_cells: list[int] = []
        self.node_cells = [0] * len(self.elements.nodes)
        self.key_value_cells: list[int] = []
        self.pool_cells: list[int] = []

    def write(self) -> bytes:
        payload, scan = self.payload, self.scan
        self.write_root()
        row_groups = self.write_row_groups()
        step = cell_leaves(scan.row_group_count)
        for number, leaf in enumerate(range(0, scan.leaf_count, step)):
            self.write_columns(number, range(leaf, min(leaf + step, scan.leaf_count)))
        for index in range(scan.key_value_count):
            self.write_key_value(index)
        self.extensions_cell = flat_extensions.write(payload, self.extensions, self.first_entry.get("extensions", 0))
        buckets = self.reserve_buckets()
        listed_before = len(self.column_cells) + len(self.node_cells) + len(row_groups) + scan.key_value_count + 1
        self.reserve_directory(listed_before + len(self.pool.pages))
        self.write_pool()  # from here on: needed by every projection, read with the tail
        for node in reversed(range(len(self.elements.nodes))):
            self.write_node(node)
        for field, position in self.write_root_cell(
            self.footer_residue(),
            created_by=scan.created_by,
            encryption_algorithm=algorithm(self.crypto),
            footer_signing_key_metadata=self.crypto.bytes,
        ).items():
            payload.link(self.root.field(field), position)
        self.fill_directory(
            self.column_cells + self.node_cells + row_groups + self.key_value_cells + [self.root_cell] + self.pool_cells
        )
        entries = self.name_entries()
        if buckets[1]:
            self.fill_buckets(buckets[0], entries)
        counts = (
            scan.leaf_count,
            len(self.elements.nodes),
            scan.row_group_count,
            scan.key_value_count,
            len(self.pool.pages),
            len(self.parts),
        )
        flags = (
            HAS_CREATED_BY * (scan.created_by is not None)
            | HAS_KEY_VALUES * bool(scan.has_key_values)
            | HAS_COLUMN_ORDERS * bool(scan.has_column_orders)
            | IS_COMPACT * self.is_compact
        )
        self.write_tail(counts, flags, scan.version, self.row_group_fields(), buckets, [] if buckets[1] else entries)
        return payload.sign()

    def footer_residue(self) -> Residue:
        """Return the residue of FileMetaData: the values that the tables do not contain."""
        scan, elements = self.scan, self.elements
        orders = [elements.column_order[leaf] for leaf in elements.leaves] if scan.has_column_orders else None
        fields = footer_fields(scan, map(scan.pair, range(scan.key_value_count)), orders)
        lists = {}
        for list_of, field in (
            (scan.elements, wire.FILE_META_DATA_SCHEMA),
            (scan.row_groups, wire.FILE_META_DATA_ROW_GROUPS),
        ):
            offsets = list_of("bytes_offset")
            if len(offsets):
                lists[FOOTER, field] = offsets[0], offsets[-1] + list_of("bytes_length")[-1]
        return residue_of(scan.data, 0, FOOTER, fields, lists=lists)

    def write_root(self) -> None:
        """Write the root table and the vectors that only other readers use; their targets follow later."""
        scan, payload = self.scan, self.payload
        crypto = self.crypto = footer_crypto(scan)
        payload.append(bytes(8))
        root = payload.table(
            table_of(
                "FileMetaData",
                version=scan.version,
                schema=[LATER] * scan.element_count,
                num_rows=scan.num_rows,
                row_groups=[LATER] * scan.row_group_count,
                kv=[LATER] * scan.key_value_count if scan.has_key_values else None,
                created_by=None if scan.created_by is None else LATER,
                encryption_algorithm_type=crypto.tag or None,
                encryption_algorithm=LATER if crypto.tag else None,
                footer_signing_key_metadata=None if crypto.bytes is None else LATER,
                extensions=[LATER] * len(self.extensions) or None,
            )
        )
        payload.link(0, root.position)
        self.root = root
        self.first_entry = {}
        for name in ("schema", "row_groups", "kv", "extensions"):
            if name in root.at:
                (offset,) = struct.unpack_from("<I", payload.out, root.field(name))
                self.first_entry[name] = root.field(name) + offset + 4

    def write_row_groups(self) -> list[int]:
        """Write the ROW_GROUPS cells, then a `columns` vector per row group; return the positions of the cells."""
        payload, cells, fields = self.payload, [], []
        for number, part in enumerate(self.parts):
            residues = Residues(self.skeletons, self.scan.data)
            with payload.cell(wire.KIND_ROW_GROUPS, number) as cell:
                positions = payload.append(struct.pack("<3I", part.start, len(part), 0) + bytes(4 * len(part))) + 12
                for entry, index in enumerate(part):
                    table = payload.table(self.row_group(index))
                    payload.u32(positions + 4 * entry, table.position - cell)
                    payload.link(self.first_entry["row_groups"] + 4 * index, table.position)
                    fields.append(table.field("columns"))
                    self.add_group_residue(residues, index)
                payload.u32(positions - 4, payload.append(residues.records) - cell)
            cells.append(cell)
        self.columns_vectors = []
        for field in fields:
            vector = payload.vector([LATER] * self.scan.leaf_count)
            payload.link(field, vector)
            self.columns_vectors.append(vector)
        return cells

    def add_group_residue(self, residues: Residues, index: int) -> None:
        """Add the residue of a row group: the values that its table does not contain."""
        scan = self.scan
        fact = {name: scan.row_groups(name)[index] for name in ROW_GROUP_MEMBERS}
        first, end, lists = 0, fact["columns_offset"] + fact["columns_length"], {}
        if fact["chunk_count"]:
            first = scan.chunks("chunk_offset")[index * scan.leaf_count]
            lists[ROW_GROUP, wire.ROW_GROUP_COLUMNS] = first, end
        fields = group_fields(fact, scan.data[first:end] if first else b"")
        begin = fact["bytes_offset"]
        residues.add(begin, begin + fact["bytes_length"], ROW_GROUP, fields, lists=lists)

    def row_group(self, index: int) -> Table:
        scan = self.scan

        def optional(name: str) -> int | None:
            value = scan.row_groups(name)[index]
            return None if value == ABSENT else value

        has_sorting = scan.row_groups("sorting_columns_length")[index]
        sorting = list_structs(scan.data, scan.row_groups("sorting_columns_offset")[index]) if has_sorting else None
        return table_of(
            "RowGroup",
            columns=LATER,
            total_byte_size=scan.row_groups("total_byte_size")[index],
            num_rows=self.rows[index],
            sorting_columns=None if sorting is None else [self.sorting_column(position) for position in sorting],
            file_offset=optional("file_offset"),
            total_compressed_size=optional("total_compressed_size"),
            ordinal=optional("ordinal"),
        )

    def sorting_column(self, position: int) -> Table:
        thrift = Struct(self.scan.data, position)
        return table_of(
            "SortingColumn",
            column_idx=thrift.integer(wire.SORTING_COLUMN_COLUMN_IDX),
            descending=thrift.boolean(wire.SORTING_COLUMN_DESCENDING),
            nulls_first=thrift.boolean(wire.SORTING_COLUMN_NULLS_FIRST),
        )

    def write_node(self, node: int) -> None:
        elements, index = self.elements, self.elements.nodes[node]
        with self.payload.cell(wire.KIND_NODE, node) as cell:
            heads = Heads(self.payload)
            self.begin_head(heads, index)
            self.end_head(heads, index, node, elements.first_leaf[index], elements.leaf_count[index])
            heads.write(cell)
        self.node_cells[node] = cell

    def write_columns(self, number: int, leaves: range) -> None:
        """Write a COLUMN cell, and then the further parts if the cell has a single leaf."""
        payload, elements = self.payload, self.elements
        first, more = (self.parts or [range(0)])[0], self.parts[1:]
        with payload.cell(wire.KIND_COLUMN, number) as cell:
            heads, residues = Heads(payload, len(more)), Residues(self.skeletons, self.scan.data)
            for leaf in leaves:
                index = elements.leaves[leaf]
                column = Column(self.scan, leaf, elements, self.rows, self.is_compact)
                self.begin_head(heads, index)
                self.write_chunks(column, leaf, first, heads, residues)
                self.end_head(heads, index, leaf)
            heads.write(cell)
            payload.append(residues.records)
        self.longest_column = max(self.longest_column, len(payload.out) - cell)
        self.column_cells.append(cell)
        for part, row_groups in enumerate(more, 1):
            with payload.cell(wire.KIND_COLUMN, number, part) as part_cell:
                payload.append(struct.pack("<I", part))
                heads, residues = Heads(payload), Residues(self.skeletons, self.scan.data)
                self.write_chunks(column, number, row_groups, heads, residues)
                heads.write(part_cell)
                payload.append(residues.records)
            payload.u32(cell + TABLES_AT + 4 * (part - 1), part_cell)

    def write_chunks(self, column: Column, leaf: int, row_groups: range, heads: Heads, residues: Residues) -> None:
        """Write the chunks' tables and residues, and refer to them from the heads and the row groups' `columns`."""
        for row_group in row_groups:
            table = self.payload.table(column.table(row_group))
            self.payload.link(self.columns_vectors[row_group] + 4 + 4 * leaf, table.position)
            column.add_residue(residues, row_group)
            heads.list_table(table.position)

    def begin_head(self, heads: Heads, index: int) -> None:
        """Write the SchemaElement, and the head up to the chunks."""
        elements = self.elements
        table = self.payload.table(elements.table(index))
        self.payload.link(self.first_entry["schema"] + 4 * index, table.position)
        is_leaf = elements.is_leaf[index]
        order, type = (elements.column_order[index], elements.type[index] & 0xFF) if is_leaf else (0, NO_TYPE)
        heads.add(bytes((order, elements.max_definition[index], elements.max_repetition[index], type)))
        heads.list_table(table.position)

    def end_head(self, heads: Heads, index: int, number: int, *leaves: int) -> None:
        """Write the rest of the head of a leaf, or of a group with its `leaves`: (first, count)."""
        elements, above = self.elements, b""
        prefix, suffix = elements.around_name(index)
        parent = elements.node_of[elements.parent[index]] if index else 0
        if elements.parent[index] > 0:
            above = elements.paths[elements.parent[index]]
            position = [elements.position[index], len(above)]
        else:
            position = [self.pool.arrow.get(index, 0)]
        heads.add_numbers(index - number, parent, *position, *leaves, len(prefix), len(suffix))
        heads.add(prefix + suffix + above)

    def write_key_value(self, index: int) -> None:
        with self.payload.cell(wire.KIND_KEY_VALUE, index) as cell:
            table = self.payload.table(key_value(*self.scan.pair(index)))
            self.payload.link(self.first_entry["kv"] + 4 * index, table.position)
        self.key_value_cells.append(cell)

    def write_pool(self) -> None:
        for number, page in reversed(list(enumerate(self.pool.pages))):
            with self.payload.cell(wire.KIND_POOL, number) as cell:
                self.payload.append(page)
            self.longest_page = max(self.longest_page, len(self.payload.out) - cell)
            self.pool_cells.insert(0, cell)

    def name_entries(self) -> list[tuple[int, int]]:
        """Return (hash, cell and number in it) of leaves and groups by path, then of those with a field id by id."""
        elements, step = self.elements, cell_leaves(self.scan.row_group_count)
        words = [self.column_cells[leaf // step] + leaf % step for leaf in range(self.scan.leaf_count)]
        cells = zip(elements.leaves + elements.nodes[1:], words + self.node_cells[1:], strict=True)
        return elements.name_entries(list(cells))

    def reserve_buckets(self) -> tuple[int, int]:
        """Reserve the BUCKET cells, if there are any; return the position of the first one, and their number."""
        ids = sum(id != NO_FIELD_ID for id in self.elements.field_id[1:])
        count = bucket_count(self.elements.count - 1 + ids)
        return (self.reserve_pages(wire.KIND_BUCKET, count), count) if count else (0, 0)

    def fill_buckets(self, first: int, entries: list[tuple[int, int]]) -> None:
        self.fill_pages(first, [[struct.pack("<II", *entry) for entry in bucket] for bucket in fill_buckets(entries)])

    def row_group_fields(self) -> list[tuple[int, ...]]:
        """Return the members of row groups for the tail block."""
        numbers = [
            self.scan.row_groups(name)
            for name in ("num_rows", "total_byte_size", "file_offset", "total_compressed_size")
        ]
        return list(zip(*numbers, map(wrapped16, self.scan.row_groups("ordinal")), strict=True))
