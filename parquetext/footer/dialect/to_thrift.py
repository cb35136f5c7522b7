"""From a buffer of the dialect to the Thrift footer that it stands for."""

from __future__ import annotations

from collections.abc import Iterator

from ... import thrift, wire
from ...errors import Unsupported, wire_error
from .annotations import converted_type, from_union
from .buffer import Buffer, Table
from .packed_bounds import Column, Packed, unpack
from .slots import Reading, tell_layout

__all__ = ["CODED", "Decoded"]

CODED = {"f951a6d", "a77d277"}  # layouts for which the public code exists
MOST_INT32 = (1 << 31) - 1
# What the reader of the public code makes of `is_fully_dict_encoded`: pages without a number.
DICTIONARY_ONLY = [{"page_type": 2, "encoding": 0, "count": 0}, {"page_type": 0, "encoding": 8, "count": 0}]


class Decoded:
    """A buffer's facts in the shape of `parquetext.thrift`: dicts with parquet.thrift's names.

    The schema is read at once, row groups when they are asked for. What the dialect leaves out is derived where that
    can be done: types and paths from the schema, ConvertedType from LogicalType; lists of encodings stay empty.

    Attributes
    ----------
    layout : str
        The commit of parquet-format pull request 544 whose schema the buffer is of.
    footer : dict
        FileMetaData without its row groups.
    columns : list of Column
        What each leaf's bounds depend on.
    paths : list of list of str
        Each leaf's names, from below the root down.

    Raises
    ------
    Damaged, Unsupported
        Also by the methods; offsets count from the buffer's start. See docs/formats.md.
    """

    def __init__(self, data: bytes):
        layout = tell_layout(data)
        self.layout = layout.name
        self._reading = Reading(Buffer(data), layout)
        self._root = self._reading.checked("FileMetaData", self._reading.buffer.root())
        self.columns: list[Column] = []
        self.paths: list[list[str]] = []
        self._path_bytes: list[int] = []
        get = self._reading.get
        if get("FileMetaData", self._root, "encryption_type", 0):
            raise Unsupported("the buffer is of an encrypted footer", offset=self._root.at, code=wire.ENCRYPTED)
        self.footer: dict = {"version": get("FileMetaData", self._root, "version", 0)}
        self.footer["schema"], orders = self._schema()
        self.footer["num_rows"] = get("FileMetaData", self._root, "num_rows", 0)
        pairs = self._key_values("FileMetaData", self._root, "kv")
        if pairs is not None:
            self.footer["key_value_metadata"] = pairs
        created_by = get("FileMetaData", self._root, "created_by")
        if created_by:
            self.footer["created_by"] = _text(created_by)
        if any(orders):
            self.footer["column_orders"] = [{"TYPE_ORDER": {}} if order else {} for order in orders]

    def to_thrift(self) -> bytes:
        """The bytes of the whole FileMetaData."""
        groups = [thrift.write("RowGroup", group) for group in self.row_groups()]
        names = ("version", "schema", "num_rows", "row_groups", "key_value_metadata", "created_by", "column_orders")
        fields = {**self.footer, "row_groups": groups}
        return thrift.write("FileMetaData", {name: fields[name] for name in names if name in fields})

    def name_of(self, leaf: int) -> str:
        """A leaf's path for people: dotted, bytes that are no UTF-8 replaced."""
        return ".".join(self.paths[leaf]).encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    # ---- schema -------------------------------------------------------------------------------------------------

    def _schema(self) -> tuple[list[dict], list[int]]:
        """The elements in preorder, and the leaves' column orders."""
        elements, orders = [], []
        names: list[str] = []
        open_groups: list[int] = []  # children still to come, from the root down
        for table in self._reading.all("FileMetaData", self._root, "schema"):
            element, children = self._element(table, is_root=not elements)
            if elements and not open_groups:
                raise wire_error(wire.BAD_VALUE, table.at, len(elements), len(elements) + 1)
            elements.append(element)
            if len(elements) > 1:
                open_groups[-1] -= 1
            if children:
                names.append(element["name"])
                open_groups.append(children)
                continue
            if "type" in element:
                self._add_leaf(table, element, [*names[1:], element["name"]])
                orders.append(self._column_order(table))
            while open_groups and open_groups[-1] == 0:
                open_groups.pop()
                names.pop()
        if open_groups:
            raise wire_error(wire.BAD_VALUE, self._root.at, len(elements) + sum(open_groups), len(elements))
        return elements, orders

    def _element(self, table: Table, is_root: bool) -> tuple[dict, int]:
        """A SchemaElement, and how many children follow it."""
        reading, (kind, get) = self._reading, ("SchemaElement", self._reading.get)
        annotation = from_union(reading, table)
        name, children = get(kind, table, "name"), get(kind, table, "num_children", 0)
        if name is None:
            raise wire_error(wire.BAD_VALUE, table.at, 1, 0)
        repetition = get(kind, table, "repetition_type", None if is_root or self.layout == "c938fc7" else 0)
        is_leaf = get(kind, table, "type") is not None
        if children < 0 or (children and is_leaf):
            raise wire_error(wire.BAD_VALUE, table.at, 0, children)
        decimal = next(iter((annotation or {}).values()), {})
        found = {
            "type": get(kind, table, "type"),
            "type_length": get(kind, table, "type_length"),
            "repetition_type": repetition,
            "name": _text(name),
            "num_children": None if is_leaf else children,
            "converted_type": converted_type(annotation),
            "scale": decimal.get("scale"),
            "precision": decimal.get("precision"),
            "field_id": get(kind, table, "field_id"),
            "logicalType": annotation,
        }
        return {field: value for field, value in found.items() if value is not None}, children

    def _add_leaf(self, table: Table, element: dict, path: list[str]) -> None:
        size = sum(len(name) for name in path) + 4 * len(path)
        self._reading.buffer.copied(table.at, size)
        self.paths.append(path)
        self._path_bytes.append(size)
        annotation = next(iter(element.get("logicalType") or {None: None}))
        self.columns.append(Column(element["type"], element.get("type_length"), annotation))

    def _column_order(self, table: Table) -> int:
        order = self._reading.get("SchemaElement", table, "column_order_type", 0)
        if order > 1:
            raise Unsupported(
                f"an unknown column order {order}",
                offset=table.at,
                expected=1,
                found=order,
                code=wire.UNSUPPORTED_VALUE,
            )
        return order

    def _key_values(self, kind: str, table: Table, field: str) -> list[dict] | None:
        reading = self._reading
        if table.count(reading.layout.tables[kind][field].slot) is None:
            return None
        pairs = []
        for pair in reading.all(kind, table, field):
            key, value = reading.get("KeyValue", pair, "key"), reading.get("KeyValue", pair, "val")
            if key is None:
                raise wire_error(wire.BAD_VALUE, pair.at, 1, 0)
            pairs.append({"key": _text(key)} | ({} if value is None else {"value": _text(value)}))
        return pairs

    # ---- row groups ---------------------------------------------------------------------------------------------

    def row_groups(self) -> Iterator[dict]:
        """The RowGroup structs, one after the other. To be asked for once."""
        reading, (kind, get) = self._reading, ("RowGroup", self._reading.get)
        for group in reading.all("FileMetaData", self._root, "row_groups"):
            count = group.count(reading.layout.tables[kind]["columns"].slot) or 0
            if count != len(self.columns):
                raise wire_error(wire.IRREGULAR, group.at, len(self.columns), count)
            rows, file_offset = get(kind, group, "num_rows", 0), get(kind, group, "file_offset", 0)
            chunks = [
                self._chunk(leaf, chunk, rows, file_offset)
                for leaf, chunk in enumerate(reading.all(kind, group, "columns"))
            ]
            found = {
                "columns": chunks,
                "total_byte_size": get(kind, group, "total_byte_size", 0),
                "num_rows": rows,
                "sorting_columns": self._sorting_columns(group),
                "file_offset": file_offset or None,
                "total_compressed_size": get(kind, group, "total_compressed_size", 0) or None,
                "ordinal": get(kind, group, "ordinal"),
            }
            yield {field: value for field, value in found.items() if value is not None}

    def _sorting_columns(self, group: Table) -> list[dict] | None:
        reading, (kind, get) = self._reading, ("SortingColumn", self._reading.get)
        if group.count(reading.layout.tables["RowGroup"]["sorting_columns"].slot) is None:
            return None
        return [
            {
                "column_idx": get(kind, column, "column_idx", 0),
                "descending": bool(get(kind, column, "descending", 0)),
                "nulls_first": bool(get(kind, column, "nulls_first", 0)),
            }
            for column in reading.all("RowGroup", group, "sorting_columns")
        ]

    def _chunk(self, leaf: int, chunk: Table, rows: int, file_offset: int) -> dict:
        reading = self._reading
        if reading.get("ColumnChunk", chunk, "crypto_type", 0):
            raise Unsupported("a column chunk is encrypted", offset=chunk.at, code=wire.ENCRYPTED)
        if reading.get("ColumnChunk", chunk, "file_path"):
            raise Unsupported("a column chunk in another file", offset=chunk.at, code=wire.UNSUPPORTED_VALUE)
        table = reading.one("ColumnChunk", chunk, "metadata")
        if table is None:
            raise wire_error(wire.NO_METADATA, chunk.at)
        kind, get = "ColumnMetadata", reading.get
        reading.buffer.copied(table.at, self._path_bytes[leaf])
        bloom_offset, bloom_length = self._bloom_filter(table)
        values = get(kind, table, "num_values", rows)
        is_dictionary = get(kind, table, "is_fully_dict_encoded", 0)
        metadata = {
            "type": self.columns[leaf].type,
            "encodings": [],
            "path_in_schema": self.paths[leaf],
            "codec": get(kind, table, "codec", 0),
            "num_values": values,
            "total_uncompressed_size": get(kind, table, "total_uncompressed_size", 0),
            "total_compressed_size": get(kind, table, "total_compressed_size", 0),
            "key_value_metadata": self._key_values(kind, table, "key_value_metadata"),
            # No page begins at 0: the C++ writer leaves out what is the row group's own offset.
            "data_page_offset": get(kind, table, "data_page_offset", 0) or file_offset,
            "index_page_offset": get(kind, table, "index_page_offset"),
            "dictionary_page_offset": get(kind, table, "dictionary_page_offset"),
            "statistics": self._statistics(self.columns[leaf], table, values),
            "encoding_stats": DICTIONARY_ONLY if is_dictionary else None,
            "bloom_filter_offset": bloom_offset,
            "bloom_filter_length": bloom_length,
        }
        return {"file_offset": 0, "meta_data": {name: value for name, value in metadata.items() if value is not None}}

    def _bloom_filter(self, table: Table) -> tuple[int | None, int | None]:
        get = self._reading.get
        info = self._reading.one("ColumnMetadata", table, "bloom_filter")
        if info is not None:
            return get("BloomFilterInfo", info, "offset", 0) or None, get("BloomFilterInfo", info, "length", 0) or None
        return get("ColumnMetadata", table, "bloom_filter_offset"), get("ColumnMetadata", table, "bloom_filter_length")

    def _statistics(self, column: Column, metadata: Table, values: int) -> dict | None:
        table = self._reading.one("ColumnMetadata", metadata, "statistics")
        if table is None:
            return None
        kind, get = "Statistics", self._reading.get
        nulls = get(kind, table, "null_count")
        if nulls is not None and self.layout in CODED and (nulls < 0 or values > MOST_INT32):
            nulls = None  # 32 bits of a larger number
        found = {"null_count": nulls, "distinct_count": get(kind, table, "distinct_count")}
        prefix = get(kind, table, "prefix", b"")
        for side in ("max", "min"):
            packed = Packed(
                *(get(kind, table, f"{side}_{slot}", 0) for slot in ("lo4", "lo8", "hi8")),
                get(kind, table, f"{side}_len"),
            )
            value = unpack(column, packed, prefix, upper=side == "max", coded=self.layout in CODED, at=table.at)
            found[f"{side}_value"] = value
            if value is not None and packed.len:
                found[f"is_{side}_value_exact"] = packed.len > 0
        order = ("null_count", "distinct_count", "max_value", "min_value", "is_max_value_exact", "is_min_value_exact")
        return {name: found[name] for name in order if found.get(name) is not None}


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")
