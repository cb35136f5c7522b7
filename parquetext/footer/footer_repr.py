"""Represent files, columns, schemas and row groups at a prompt and in a notebook, with a few of their entries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from ..errors import ParquetextError, kind_of
from ..logical_types import parquet_text
from ..masking import without_secrets
from ..tabular import Listing, Shown, chosen
from .columns import bounds_or_nulls, extremes
from .wire_names import name_of_codec, names_of_encodings

if TYPE_CHECKING:
    from .columns import Column
    from .facade import File
    from .row_groups import RowGroups
    from .schema import ParquetSchema, SchemaNode

OF_FILES = "column", "type", "codec", "encodings", "nulls", "min", "max", "bytes"
OF_COLUMNS = "row group", "values", "nulls", "min", "max", "codec", "encodings", "bytes", "uncompressed", "offset"
OF_SCHEMAS = "leaf", "path", "type", "logical type", "repetition", "field id", "max definition", "max repetition"
MOST_BYTES = 64  # of a value


def show_file(file: File) -> Shown:
    """Represent a file, with its first and last columns; for a remote file, without reading more of it."""
    shown = Shown(
        f"parquetext.File {without_secrets(str(file.path))}",
        [
            ("footer", file.form),
            ("rows", file.num_rows),
            ("row groups", len(file.row_groups)),
            ("columns", file.num_columns),
        ],
    )
    if file._is_batched():
        return shown
    with _telling(shown):
        shown.facts.append(("created by", file.created_by))
        rows = [_column_of_file(file, leaf) for leaf in chosen(file.num_columns)]
        shown.listings.append(Listing(OF_FILES, rows, file.num_columns, "columns"))
    shown.facts.extend(("finding", finding) for finding in file.findings)
    return shown


def show_column(column: Column) -> Shown:
    """Represent a column, with its first and last row groups."""
    count = len(column)
    shown = Shown("parquetext.Column", [("leaf", column.leaf), ("row groups", count)])
    with _telling(shown):
        shown.facts[:0] = [("name", column.name), ("type", _type(column.physical_type, column.logical_type))]
        minima, maxima = bounds_or_nulls(column)
        rows = [
            (
                number,
                column.num_values[number],
                _known(column.null_count[number]),
                text_of(minima[number]),
                text_of(maxima[number]),
                name_of_codec(column.codec[number]),
                _joined(names_of_encodings([column.encodings[number]])),
                _known(column.total_compressed_size[number]),
                _known(column.total_uncompressed_size[number]),
                column.chunks.begins()[number],
            )
            for number in chosen(count)
        ]
        shown.listings.append(Listing(OF_COLUMNS, rows, count, "row groups"))
    return shown


def show_schema(schema: ParquetSchema) -> Shown:
    """Represent a schema, with its first and last leaves."""
    shown = Shown("parquetext.footer.ParquetSchema")
    with _telling(shown):
        count = schema.num_leaves
        shown.facts.append(("leaves", count))
        rows = [_leaf(number, schema.leaf(number)) for number in chosen(count)]
        shown.listings.append(Listing(OF_SCHEMAS, rows, count, "leaves"))
    return shown


def show_row_groups(row_groups: RowGroups) -> Shown:
    """Represent row groups, with the first and last ones."""
    shown = Shown("parquetext.RowGroups")
    with _telling(shown):
        count = len(row_groups)
        shown.facts.append(("row groups", count))
        fields = {
            "rows": row_groups.num_rows,
            "bytes": row_groups.total_compressed_size,
            "uncompressed": row_groups.total_byte_size,
            "offset": row_groups.file_offset,
        }
        rows = [(number, *(_known(fact[number]) for fact in fields.values())) for number in chosen(count)]
        shown.listings.append(Listing(("row group", *fields), rows, count, "row groups"))
    return shown


def text_of(value: pa.Scalar) -> str | None:
    """Return a value as text; bytes as hexadecimal digits."""
    if not value.is_valid:
        return None
    if pa.types.is_string(value.type):
        return value.as_buffer().to_pybytes().decode("utf-8", "replace")
    if pa.types.is_binary(value.type) or pa.types.is_fixed_size_binary(value.type):
        return value.as_buffer()[:MOST_BYTES].to_pybytes().hex()
    try:
        return value.cast(pa.string()).as_py()
    except (pa.ArrowException, NotImplementedError):
        return str(value)


def _column_of_file(file: File, leaf: int) -> tuple:
    from .columns import Column

    column = Column(file, leaf, file._on_form(lambda form: form.column(leaf)))
    nulls, sizes = column.null_count, column.total_compressed_size
    return (
        column.name,
        _type(column.physical_type, column.logical_type),
        _joined(dict.fromkeys(map(name_of_codec, column.codec))),
        _joined(names_of_encodings(column.encodings)),
        None if any(count < 0 for count in nulls) else sum(nulls),
        *map(text_of, extremes(column)),
        None if any(size < 0 for size in sizes) else sum(sizes),
    )


def _leaf(number: int, node: SchemaNode) -> tuple:
    logical = None if node.logical_type is None else parquet_text(node.logical_type)
    kind = node.physical_type
    if node.type_length:
        kind = f"{kind}({node.type_length})"
    levels = node.max_definition, node.max_repetition
    return number, ".".join(node.path), kind, logical, node.repetition, node.field_id, *levels


def _type(physical: str, logical) -> str:
    return physical if logical is None else f"{physical} ({parquet_text(logical)})"


def _joined(names) -> str:
    return ", ".join(names)


def _known(number: int) -> int | None:
    return None if number < 0 else number


@contextmanager
def _telling(shown: Shown) -> Iterator[None]:
    """Show errors as entries, because representing an object must not raise."""
    try:
        yield
    except (ParquetextError, pa.ArrowException, OSError, ValueError) as error:
        shown.facts.append(("cannot be read", f"{kind_of(error)}: {without_secrets(str(error))}"))
