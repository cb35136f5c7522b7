"""The choices of options: listed by the help, checked, and completed by shells."""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "Codec",
    "DiffKind",
    "Encoding",
    "Forceable",
    "ForceableSidecar",
    "Marker",
    "Placement",
    "Reader",
    "RowFormat",
    "SchemaFormat",
    "Stats",
]


class SchemaFormat(StrEnum):
    """How `schema` prints a schema."""

    parquet = "parquet"
    arrow = "arrow"
    spark = "spark"
    duckdb = "duckdb"


class RowFormat(StrEnum):
    """How `head` and `cat` print rows."""

    table = "table"
    csv = "csv"
    json = "json"


class Forceable(StrEnum):
    """Refusals that can be passed over: keys of `edits.FORCEABLE`."""

    table_format = "table-format"
    summary = "summary"
    free_form = "free-form"
    size = "size"
    partition_columns = "partition-columns"
    hard_links = "hard-links"
    attributes = "attributes"
    lock = "lock"


class DiffKind(StrEnum):
    """What `diff` compares: `describe.differences.KINDS`."""

    schema = "schema"
    statistics = "statistics"
    values = "values"


class Codec(StrEnum):
    """What compresses pages."""

    none = "none"
    snappy = "snappy"
    gzip = "gzip"
    brotli = "brotli"
    lz4 = "lz4"
    zstd = "zstd"


class Encoding(StrEnum):
    """Encodings that `rewrite` writes."""

    dictionary = "dictionary"
    plain = "plain"
    rle = "rle"
    delta_binary_packed = "delta_binary_packed"
    delta_length_byte_array = "delta_length_byte_array"
    delta_byte_array = "delta_byte_array"
    byte_stream_split = "byte_stream_split"


class Stats(StrEnum):
    """Bounds of the flat footer."""

    full = "full"
    compact = "compact"


class Placement(StrEnum):
    """Where a block stands."""

    aside = "aside"
    in_struct = "in-struct"
    after_stop = "after-stop"


class Marker(StrEnum):
    """What an extension begins with."""

    spec = "spec"
    thrift = "thrift"


class Reader(StrEnum):
    """Readers that `demo` asks: keys of `demo.readers.READERS`."""

    pyarrow = "pyarrow"
    polars = "polars"
    duckdb = "duckdb"
    spark = "spark"
    fastparquet = "fastparquet"


class ForceableSidecar(StrEnum):
    """Refusals of sidecars that can be passed over."""

    foreign_sidecar = "foreign-sidecar"
    table_format = "table-format"
