"""Convert a buffer of the dialect to the Thrift footer that it represents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ... import thrift, wire
from ...errors import Unsupported, wire_error
from .annotations import converted_type, from_union
from .buffer import Buffer
from .packed_bounds import Column, Packed, unpack
from .slots import Row, tell_layout

CODED = {"f951a6d", "a77d277"}  # layouts for which the public code exists
MOST_INT32 = (1 << 31) - 1
# The public code reads `is_fully_dict_encoded` as these pages, without their numbers.
DICTIONARY_ONLY = [{"page_type": 2, "encoding": 0, "count": 0}, {"page_type": 0, "encoding": 8, "count": 0}]


class Decoded:
    """A buffer as dicts with the names of parquet.thrift, as `parquetext.thrift` reads them.

    The schema is read at once, row groups on request. Fields that the dialect omits are derived if possible: types and
    paths from the schema, ConvertedType from LogicalType. Lists of encodings stay empty.

    Attributes
    ----------
    layout : str
        The commit of parquet-format pull request 544 that defines the buffer's schema.
    footer : dict
        FileMetaData; its list of row groups is empty.
    columns : list of Column
        The properties of each leaf on which its bounds depend.
    paths : list of list of str
        Each leaf's names, from below the root.

    Raises
    ------
    Damaged, Unsupported
        Also by the methods; offsets count from the buffer's start. See docs/formats.md.
    """

    def __init__(self, data: bytes):
        layout = tell_layout(data)
        self.layout, self._buffer = layout.name, Buffer(data)
        self._root = root = Row.root(self._buffer, layout)
        self.columns: list[Column] = []
        self.paths: list[list[str]] = []
        self._path_bytes: list[int] = []
        if root.get("encryption_type", 0):
            raise Unsupported("the buffer is of an encrypted footer", offset=root.at, code=wire.ENCRYPTED)
        version, (schema, orders) = root.get("version", 0), self._schema()
        self.footer: dict = present(
            version=version,
            schema=schema,
            num_rows=root.get("num_rows", 0),
            key_value_metadata=_key_values(root, "kv"),
            created_by=_text(root.get("created_by")) or None,
            column_orders=[{"TYPE_ORDER": {}} if order else {} for order in orders] if any(orders) else None,
        )

    def to_thrift(self) -> bytes:
        """Return the bytes of the whole FileMetaData."""
        groups = [thrift.write("RowGroup", group) for group in self.row_groups()]
        names = ("version", "schema", "num_rows", "row_groups", "key_value_metadata", "created_by", "column_orders")
        fields = self.footer | {"row_groups": groups}
        return thrift.write("FileMetaData", {name: fields[name] for name in names if name in fields})

    def name_of(self, leaf: int) -> str:
        """Return a leaf's dotted path for messages; bytes that are not UTF-8 are replaced."""
        return ".".join(self.paths[leaf]).encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    # ---- schema -------------------------------------------------------------------------------------------------

    def _schema(self) -> tuple[list[dict], list[int]]:
        """Return the elements in preorder, and the leaves' column orders."""
        orders = []
        elements: list = []
        names: list[str] = []
        open_groups: list[int] = []  # the numbers of children to come, from the root down
        for row in self._root.rows("schema"):
            element, children = self._element(row, is_root=not elements)
            if elements and not open_groups:
                raise wire_error(wire.BAD_VALUE, row.at, len(elements), len(elements) + 1)
            elements.append(element)
            if len(elements) > 1:
                open_groups[-1] -= 1
            if children:
                names.append(element["name"])
                open_groups.append(children)
                continue
            if "type" in element:
                self._add_leaf(row, element, [*names[1:], element["name"]])
                orders.append(_column_order(row))
            while open_groups and open_groups[-1] == 0:
                open_groups.pop()
                names.pop()
        if open_groups:
            raise wire_error(wire.BAD_VALUE, self._root.at, len(elements) + sum(open_groups), len(elements))
        return elements, orders

    def _element(self, row: Row, is_root: bool) -> tuple[dict, int]:
        """Return a SchemaElement, and the number of its children."""
        annotation, name, children = from_union(row), row.get("name"), row.get("num_children", 0)
        if name is None:
            raise wire_error(wire.BAD_VALUE, row.at, 1, 0)
        physical = row.get("type")
        if children < 0 or (children and physical is not None):
            raise wire_error(wire.BAD_VALUE, row.at, 0, children)
        decimal: Any = next(iter((annotation or {}).values()), {})
        element = present(
            type=physical,
            type_length=row.get("type_length"),
            repetition_type=row.get("repetition_type", None if is_root or self.layout == "c938fc7" else 0),
            name=_text(name),
            num_children=children if physical is None else None,
            converted_type=converted_type(annotation),
            scale=decimal.get("scale"),
            precision=decimal.get("precision"),
            field_id=row.get("field_id"),
            logicalType=annotation,
        )
        return element, children

    def _add_leaf(self, row: Row, element: dict, path: list[str]) -> None:
        size = sum(len(name) for name in path) + 4 * len(path)
        self._buffer.copied(row.at, size)
        self.paths.append(path)
        self._path_bytes.append(size)
        annotation = next(iter(element.get("logicalType") or {None: None}))
        self.columns.append(Column(element["type"], element.get("type_length"), annotation))

    # ---- row groups ---------------------------------------------------------------------------------------------

    def row_groups(self) -> Iterator[dict]:
        """Yield the RowGroup structs. They can be read once."""
        for group in self._root.rows("row_groups"):
            count = group.count("columns") or 0
            if count != len(self.columns):
                raise wire_error(wire.IRREGULAR, group.at, len(self.columns), count)
            rows, file_offset = group.get("num_rows", 0), group.get("file_offset", 0)
            yield present(
                columns=[
                    self._chunk(leaf, chunk, rows, file_offset) for leaf, chunk in enumerate(group.rows("columns"))
                ],
                total_byte_size=group.get("total_byte_size", 0),
                num_rows=rows,
                sorting_columns=_sorting_columns(group),
                file_offset=file_offset or None,
                total_compressed_size=group.get("total_compressed_size") or None,
                ordinal=group.get("ordinal"),
            )

    def _chunk(self, leaf: int, chunk: Row, rows: int, file_offset: int) -> dict:
        if chunk.get("crypto_type", 0):
            raise Unsupported("a column chunk is encrypted", offset=chunk.at, code=wire.ENCRYPTED)
        if chunk.get("file_path"):
            raise Unsupported("a column chunk in another file", offset=chunk.at, code=wire.UNSUPPORTED_VALUE)
        row = chunk.child("metadata")
        if row is None:
            raise wire_error(wire.NO_METADATA, chunk.at)
        self._buffer.copied(row.at, self._path_bytes[leaf])
        bloom, values = row.child("bloom_filter"), row.get("num_values", rows)
        metadata = present(
            type=self.columns[leaf].type,
            encodings=[],
            path_in_schema=self.paths[leaf],
            codec=row.get("codec", 0),
            num_values=values,
            total_uncompressed_size=row.get("total_uncompressed_size", 0),
            total_compressed_size=row.get("total_compressed_size", 0),
            key_value_metadata=_key_values(row, "key_value_metadata"),
            # No page begins at 0: the C++ writer omits an offset that equals the row group's.
            data_page_offset=row.get("data_page_offset") or file_offset,
            index_page_offset=row.get("index_page_offset"),
            dictionary_page_offset=row.get("dictionary_page_offset"),
            statistics=self._statistics(self.columns[leaf], row.child("statistics"), values),
            encoding_stats=DICTIONARY_ONLY if row.get("is_fully_dict_encoded") else None,
            bloom_filter_offset=row.get("bloom_filter_offset") if bloom is None else bloom.get("offset") or None,
            bloom_filter_length=row.get("bloom_filter_length") if bloom is None else bloom.get("length") or None,
        )
        return {"file_offset": 0, "meta_data": metadata}

    def _statistics(self, column: Column, row: Row | None, values: int) -> dict | None:
        if row is None:
            return None
        nulls = row.get("null_count")
        if nulls is not None and self.layout in CODED and (nulls < 0 or values > MOST_INT32):
            nulls = None  # 32 bits of a larger number
        found, exactness = {}, {}
        prefix = row.get("prefix", b"")
        for side in ("max", "min"):
            slots = [row.get(f"{side}_{slot}", 0) for slot in ("lo4", "lo8", "hi8")]
            packed = Packed._make((*slots, row.get(f"{side}_len")))
            value = unpack(column, packed, prefix, upper=side == "max", coded=self.layout in CODED, at=row.at)
            found[f"{side}_value"] = value
            exactness[f"is_{side}_value_exact"] = packed.len > 0 if value is not None and packed.len else None
        return present(null_count=nulls, distinct_count=row.get("distinct_count"), **found, **exactness)


def present(**fields) -> dict:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def _column_order(row: Row) -> int:
    order = row.get("column_order_type", 0)
    if order > 1:
        message, code = f"an unknown column order {order}", wire.UNSUPPORTED_VALUE
        raise Unsupported(message, offset=row.at, expected=1, found=order, code=code)
    return order


def _key_values(row: Row, field: str) -> list[dict] | None:
    if row.count(field) is None:
        return None
    pairs = []
    for pair in row.rows(field):
        key, value = pair.get("key"), pair.get("val")
        if key is None:
            raise wire_error(wire.BAD_VALUE, pair.at, 1, 0)
        pairs.append(present(key=_text(key), value=None if value is None else _text(value)))
    return pairs


def _sorting_columns(group: Row) -> list[dict] | None:
    if group.count("sorting_columns") is None:
        return None
    return [
        {
            "column_idx": column.get("column_idx", 0),
            "descending": bool(column.get("descending", 0)),
            "nulls_first": bool(column.get("nulls_first", 0)),
        }
        for column in group.rows("sorting_columns")
    ]


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "surrogateescape")
