"""Options for writing a dataset: Spark's, and those of the footer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import pyarrow as pa

from ...arrow.writing.layouts import LAYOUTS
from ...edits.options import PLACEMENTS, SCAN, check_optimize_for
from ...errors import ColumnError, ParquetextError, Unsupported
from ...extension import ASIDE
from ...footer.forms import AUTO, THRIFT, check_writable
from ...records import frozen
from .parquet_options import NAMES as PARQUET_NAMES
from .parquet_options import PER_COLUMN, ParquetOptions, flag, number

# Spark's names of codecs: pyarrow's names, and suffixes of file names.
CODECS = {
    "none": ("none", ""),
    "uncompressed": ("none", ""),
    "snappy": ("snappy", ".snappy"),
    "gzip": ("gzip", ".gz"),
    "brotli": ("brotli", ".br"),
    "zstd": ("zstd", ".zstd"),
    "lz4": ("lz4", ".lz4"),
    "lz4_raw": ("lz4", ".lz4"),
}
NAMES = (
    "compression",
    "maxRecordsPerFile",
    "parquet.block.size",
    "partitionBy",
    "partitionOverwriteMode",
    "form",
    "placement",
    "optimizeFor",
    "sidecar",
    *PARQUET_NAMES,
)
STATIC, DYNAMIC = "static", "dynamic"
BLOCK_BYTES = 128 << 20  # as in Spark's writer


@frozen
class OutputOptions:
    """Options for writing a dataset.

    Attributes
    ----------
    compression : str
        A codec, by Spark's name.
    max_records : int
        Maximum number of rows of a file; 0 for no limit.
    block_bytes : int
        Approximate size of a row group, in bytes in memory.
    form : str
        Form of the footer; see `parquetext.ParquetWriter`.
    placement : str
        Placement of the footer; see `parquetext.ParquetWriter`.
    sidecar : bool
        True to write a sidecar for each file.
    partition_overwrite : str
        `STATIC`: mode ``"overwrite"`` replaces the dataset; `DYNAMIC`: only the partitions that get rows. If empty, the
        session's setting.
    parquet : ParquetOptions
        Options for pages, dictionaries and Bloom filters.
    optimize_for : str
        Use of the files; see `parquetext.ParquetWriter`.
    """

    compression: str = "snappy"
    max_records: int = 0
    block_bytes: int = BLOCK_BYTES
    form: str = AUTO
    sidecar: bool = False
    partition_overwrite: str = ""
    placement: str = ASIDE
    parquet: ParquetOptions = field(default_factory=ParquetOptions)
    optimize_for: str = SCAN

    def __post_init__(self):
        if self.compression not in CODECS:
            raise Unsupported(f"compression {self.compression!r}: one of {', '.join(CODECS)} expected")
        check_optimize_for(self.optimize_for)
        check_writable(self.form, THRIFT.name)
        if self.placement not in PLACEMENTS:
            raise ParquetextError(f"placement {self.placement!r}: one of {', '.join(PLACEMENTS)} expected")
        if self.partition_overwrite not in ("", STATIC, DYNAMIC):
            raise ParquetextError(
                f"partitionOverwriteMode {self.partition_overwrite!r}: {STATIC} or {DYNAMIC} expected"
            )

    @classmethod
    def of(cls, options: Mapping[str, str]) -> OutputOptions:
        """Parse options of `DataFrameWriter.option`; names are compared without case.

        Raises
        ------
        ParquetextError
            If an option is unknown, or has an invalid value.
        """
        given = {name.lower(): str(value) for name, value in options.items()}
        known = {name.lower() for name in NAMES} | {"path"}
        plain = {name.partition("#")[0] if name.startswith(PER_COLUMN) else name for name in given}
        if unknown := sorted(plain - known):
            raise ParquetextError(f"unknown option {', '.join(unknown)}: known are {', '.join(NAMES)}")
        use = given.get("optimizefor", SCAN).lower()
        return cls(
            given.get("compression", LAYOUTS[use].codec if use in LAYOUTS else "snappy").lower(),
            number(given, "maxrecordsperfile", 0),
            number(given, "parquet.block.size", BLOCK_BYTES) or BLOCK_BYTES,
            given.get("form", AUTO),
            flag(given, "sidecar"),
            given.get("partitionoverwritemode", "").lower(),
            given.get("placement", ASIDE),
            ParquetOptions.of(given),
            use,
        )

    @property
    def codec(self) -> str:
        """Return the codec's name in pyarrow."""
        return CODECS[self.compression][0]

    def for_arrow(self, rows: pa.Table) -> dict:
        """Return arguments for `parquetext.ParquetWriter`, for a file that begins with these rows."""
        options = {"compression": self.codec} | self.parquet.for_arrow(self.codec, rows)
        if self.optimize_for != SCAN:  # which chooses everything that no option says
            options = {name: value for name, value in options.items() if self.parquet.says(name)}
        return options | {"form": self.form, "placement": self.placement, "optimize_for": self.optimize_for}

    @property
    def suffix(self) -> str:
        """Return the suffix of file names."""
        return f"{CODECS[self.compression][1]}.parquet"


def partition_columns(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns named by `names`, in that order; case is ignored if the name remains unique, as in Spark.

    Raises
    ------
    ColumnError
        If there is no such column, or if it is ambiguous.
    ParquetextError
        If a column is named twice, or if no column is left for the files.
    """
    found = []
    for name in names:
        same = [column for column in columns if column == name] or [
            column for column in columns if column.lower() == name.lower()
        ]
        if len(same) != 1:
            raise ColumnError(f"partition column {name!r} is {'ambiguous' if same else 'none'} of {', '.join(columns)}")
        found += same
    if len({*found}) != len(found):
        raise ParquetextError(f"a partition column is named twice: {', '.join(found)}")
    if len(found) == len(columns):
        raise ParquetextError("all columns are partition columns: none is left for the files")
    return found
