"""The choices of options: listed by the help, checked, and completed by shells."""

from __future__ import annotations

from enum import StrEnum

SchemaFormat = StrEnum("SchemaFormat", ["parquet", "arrow", "spark", "duckdb"])
RowFormat = StrEnum("RowFormat", ["table", "csv", "json"])
DiffKind = StrEnum("DiffKind", ["schema", "statistics", "values"])  # inspection.content.differences.KINDS
Reader = StrEnum("Reader", ["pyarrow", "polars", "duckdb", "spark", "fastparquet"])  # demo.readers.READERS

Stats = StrEnum("Stats", ["full", "compact"])
Placement = StrEnum("Placement", ["aside", "in-struct", "after-stop"])
Marker = StrEnum("Marker", ["spec", "thrift"])

OptimizeFor = StrEnum("OptimizeFor", ["scan", "random_access", "size"])  # edits.options.OPTIMIZED_FOR
Codec = StrEnum("Codec", ["none", "snappy", "gzip", "brotli", "lz4", "zstd"])
Encoding = StrEnum(  # encodings that `rewrite` writes
    "Encoding", "dictionary plain rle delta_binary_packed delta_length_byte_array delta_byte_array byte_stream_split"
)
Ignorable = StrEnum(  # edits.IGNORABLE
    "Ignorable", "table-format summary free-form size partition-columns hard-links attributes lock"
)
# sidecar.foreign_sidecars.IGNORABLE
IgnorableSidecar = StrEnum("IgnorableSidecar", ["foreign-sidecar", "table-format"])
