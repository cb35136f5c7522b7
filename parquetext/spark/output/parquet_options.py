"""How pages, dictionaries and Bloom filters are written: parquet-java's options and defaults, for Arrow's writer."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...arrow.writing.dictionaries import DICTIONARY_BYTES, leaf_paths, worth_a_dictionary
from ...errors import ColumnError, ParquetextError, Unsupported
from ...records import frozen

PAGE_BYTES, PAGE_ROWS = 1 << 20, 20_000
BLOOM_BYTES = 1 << 20
BLOOM_FPP = 0.01
UNTOLD_FPP = 0.05  # if the number of values is not given either: a filter of BLOOM_BYTES
UNTOLD_NDV = 1 << 20
ZSTD_LEVEL = 3
_ZLIB = {
    "NO_COMPRESSION": 0,
    "BEST_SPEED": 1,
    "ONE": 1,
    "TWO": 2,
    "THREE": 3,
    "FOUR": 4,
    "FIVE": 5,
    "SIX": 6,
    "DEFAULT_COMPRESSION": 6,
    "SEVEN": 7,
    "EIGHT": 8,
    "NINE": 9,
    "BEST_COMPRESSION": 9,
}
PER_COLUMN = (
    "parquet.enable.dictionary",
    "parquet.bloom.filter.enabled",
    "parquet.bloom.filter.expected.ndv",
    "parquet.bloom.filter.fpp",
)
NAMES = (
    "parquet.page.size",
    "parquet.page.row.count.limit",
    "parquet.dictionary.page.size",
    "parquet.page.write-checksum.enabled",
    "parquet.bloom.filter.max.bytes",
    "parquet.compression.codec.zstd.level",
    "zlib.compress.level",
    *PER_COLUMN,
)
# Arguments of Arrow's writer that have both an option here and a default in Arrow.
OPTION_OF = {
    "compression": "compression",
    "data_page_size": "parquet.page.size",
    "max_rows_per_page": "parquet.page.row.count.limit",
    "dictionary_pagesize_limit": "parquet.dictionary.page.size",
    "use_dictionary": "parquet.enable.dictionary",
}
LEVELS = "parquet.compression.codec.zstd.level", "zlib.compress.level"
_WRITER_KNOWS = {*inspect.signature(pq.ParquetWriter.__init__).parameters}


@frozen
class ParquetOptions:
    """Options for pages, dictionaries and Bloom filters.

    Attributes
    ----------
    page_bytes, page_rows, dictionary_bytes, bloom_bytes : int
    page_checksums : bool
    levels : mapping of str to int
        The codecs' levels, by Arrow's names.
    columns : mapping of str to mapping of str to str
        For each option of `PER_COLUMN` the value by lower-case column, or for all columns (``""``).
    given : frozenset of str
        The lower-case names of the given options, without columns.
    """

    page_bytes: int = PAGE_BYTES
    page_rows: int = PAGE_ROWS
    dictionary_bytes: int = DICTIONARY_BYTES
    bloom_bytes: int = BLOOM_BYTES
    page_checksums: bool = True
    levels: Mapping[str, int] = field(default_factory=lambda: {"zstd": ZSTD_LEVEL})
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    given: frozenset[str] = frozenset()

    @classmethod
    def of(cls, given: Mapping[str, str]) -> ParquetOptions:
        """Parse options by their lower-case names; ignore other options.

        Raises
        ------
        ParquetextError
            If a value is invalid.
        """
        columns: dict[str, dict[str, str]] = {}
        for name, value in given.items():
            option, _, column = name.partition("#")
            if option in PER_COLUMN:
                columns.setdefault(option, {})[column] = _checked(option, value)
        levels = {"zstd": _positive(given, "parquet.compression.codec.zstd.level", ZSTD_LEVEL, 22)}
        if "zlib.compress.level" in given:
            levels["gzip"] = _zlib_level(given["zlib.compress.level"])
        return cls(
            _positive(given, "parquet.page.size", PAGE_BYTES),
            _positive(given, "parquet.page.row.count.limit", PAGE_ROWS),
            _positive(given, "parquet.dictionary.page.size", DICTIONARY_BYTES),
            _positive(given, "parquet.bloom.filter.max.bytes", BLOOM_BYTES),
            flag(given, "parquet.page.write-checksum.enabled", "true"),
            levels,
            columns,
            frozenset(name.partition("#")[0] for name in given),
        )

    def check(self, schema: pa.Schema) -> None:
        """Refuse options that these columns do not support, before anything is written.

        Raises
        ------
        ColumnError
            If an option is for a missing column.
        Unsupported
            If this version of pyarrow does not support it.
        """
        for option in PER_COLUMN:
            self._of_columns(option, schema)
        for asked, parameter, option in (
            (self._blooms(schema), "bloom_filter_options", "parquet.bloom.filter.enabled"),
            (self.page_rows != PAGE_ROWS, "max_rows_per_page", "parquet.page.row.count.limit"),
        ):
            if asked and parameter not in _WRITER_KNOWS:
                raise Unsupported(f"{option}: pyarrow {pa.__version__} cannot do that, a newer one can")

    def for_arrow(self, codec: str, rows: pa.Table) -> dict:
        """Return arguments for Arrow's writer, for a file that begins with these rows."""
        message: dict[str, Any] = {
            "data_page_size": self.page_bytes,
            "max_rows_per_page": self.page_rows,
            "dictionary_pagesize_limit": self.dictionary_bytes,
            "write_page_checksum": self.page_checksums,
            "use_dictionary": self._dictionaries(rows),
            "store_decimal_as_integer": True,
        }
        if codec in self.levels:
            message["compression_level"] = self.levels[codec]
        if blooms := self._blooms(rows.schema):
            message["bloom_filter_options"] = blooms
        return {name: value for name, value in message.items() if name in {*_WRITER_KNOWS, "data_page_size"}}

    def says(self, argument: str) -> bool:
        """Return True if an option says something about an argument of Arrow's writer, or if there is no option."""
        if argument == "compression_level":
            return not self.given.isdisjoint(LEVELS)
        return argument not in OPTION_OF or OPTION_OF[argument] in self.given

    def _dictionaries(self, rows: pa.Table) -> list[str] | bool:
        said = self._of_columns("parquet.enable.dictionary", rows.schema)
        off = [path for path, text in said.items() if text == "false"]
        if len(off) == len(said):
            return False
        return [path for path in worth_a_dictionary(rows, self.dictionary_bytes) if path not in off] or False

    def _blooms(self, schema: pa.Schema) -> dict[str, dict]:
        said = {option: self._of_columns(option, schema) for option in PER_COLUMN}
        kinds = leaf_paths(schema)
        return {
            path: self._bloom(
                said["parquet.bloom.filter.expected.ndv"].get(path), said["parquet.bloom.filter.fpp"].get(path)
            )
            for path, text in said["parquet.bloom.filter.enabled"].items()
            if text == "true" and not pa.types.is_boolean(kinds[path])
        }

    def _bloom(self, values: str | None, share: str | None) -> dict:
        """Return the number of values, limited by the largest filter, and the rate of false positives."""
        fpp = float(share) if share else BLOOM_FPP if values else UNTOLD_FPP
        bits = 8 << (self.bloom_bytes.bit_length() - 1)
        most = int(-bits / 8 * math.log(1 - fpp ** (1 / 8)))  # of a split block filter: 8 bits for each value
        return {"ndv": max(min(int(values or UNTOLD_NDV), most), 1), "fpp": fpp}

    def _of_columns(self, option: str, schema: pa.Schema) -> dict[str, str]:
        """Return the option's value for each leaf, or the value for all leaves."""
        said = self.columns.get(option, {})
        paths = list(leaf_paths(schema))
        lower = [path.lower() for path in paths]
        for column in said:
            if column and lower.count(column) != 1:
                kind = "ambiguous" if column in lower else "none"
                raise ColumnError(f"{option}#{column}: that column is {kind} of {', '.join(paths)}")
        found = {path: said.get(path.lower(), said.get("")) for path in paths}
        default = "true" if option == "parquet.enable.dictionary" else ""
        return {path: text or default for path, text in found.items() if text or default}


def flag(given: Mapping[str, str], name: str, default: str = "false") -> bool:
    """Return the value of an option that is true or false."""
    text = given.get(name, default).lower()
    if text not in ("true", "false"):
        raise ParquetextError(f"{name}={text}: true or false expected")
    return text == "true"


def number(given: Mapping[str, str], name: str, default: int) -> int:
    """Return the value of a numeric option; a negative one counts as 0."""
    text = given.get(name, str(default))
    try:
        return max(int(text), 0)  # Spark, too, takes a negative number for no limit
    except ValueError:
        raise ParquetextError(f"{name}={text}: a number expected") from None


def _positive(given: Mapping[str, str], name: str, default: int, most: int = (1 << 31) - 1) -> int:
    found = number(given, name, default)
    if not 1 <= found <= most:
        raise ParquetextError(f"{name}={given[name]}: a number from 1 to {most} expected")
    return found


def _zlib_level(text: str) -> int:
    level = _ZLIB.get(text.upper())
    if level is None:
        raise ParquetextError(f"zlib.compress.level={text}: one of {', '.join(_ZLIB)} expected")
    return level


def _checked(option: str, value: str) -> str:
    if option.endswith(("enabled", "dictionary")):
        return str(flag({option: value}, option)).lower()
    if option.endswith("ndv"):
        return str(_positive({option: value}, option, 0, 1 << 40))
    try:
        share = float(value)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise ParquetextError(f"{option}={value}: a number between 0 and 1 expected")
    return value
