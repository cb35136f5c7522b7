"""The choices of options: listed by the help, checked, and completed by shells."""

from __future__ import annotations

from enum import StrEnum


def _choice(name: str, *values: str) -> type[StrEnum]:
    return StrEnum(name, {value.replace("-", "_"): value for value in values}, module=__name__)


SchemaFormat = _choice("SchemaFormat", "parquet", "arrow", "spark", "duckdb")
RowFormat = _choice("RowFormat", "table", "csv", "json")
DiffKind = _choice("DiffKind", "schema", "statistics", "values")  # inspection.content.differences.KINDS
Reader = _choice("Reader", "pyarrow", "polars", "duckdb", "spark", "fastparquet")  # demo.readers.READERS

Stats = _choice("Stats", "full", "compact")
Placement = _choice("Placement", "aside", "in-struct", "after-stop")
Marker = _choice("Marker", "spec", "thrift")

Codec = _choice("Codec", "none", "snappy", "gzip", "brotli", "lz4", "zstd")
Encoding = _choice(  # encodings that `rewrite` writes
    "Encoding",
    "dictionary",
    "plain",
    "rle",
    "delta_binary_packed",
    "delta_length_byte_array",
    "delta_byte_array",
    "byte_stream_split",
)
Ignorable = _choice(  # edits.IGNORABLE
    "Ignorable",
    "table-format",
    "summary",
    "free-form",
    "size",
    "partition-columns",
    "hard-links",
    "attributes",
    "lock",
)
IgnorableSidecar = _choice("IgnorableSidecar", "foreign-sidecar", "table-format")  # sidecar.foreign_sidecars.IGNORABLE
