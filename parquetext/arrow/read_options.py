"""The read options of a dataset's files: engine, use of sidecars, and options of pyarrow's reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..footer.arrow_errors import ArrowUnsupported
from ..reading.request.read_request import DEFAULTS, check_types
from ..records import frozen

if TYPE_CHECKING:
    import pyarrow.dataset as ds

LIMITS = ("thrift_string_size_limit", "thrift_container_size_limit", "schema_depth_limit")
EXTENSIONS = {"arrow_extensions_enabled": True}  # the default of readers of tables, but not of datasets
DECRYPTION = ("decryption_properties", "parquet_decryption_config")


@frozen
class Reading:
    """The options for every file: `options` are those of `File.read`, without defaults."""

    sidecar: bool | str = "auto"
    engine: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """True if files are read with the default engine, without options, and not through required sidecars."""
        return self.engine is None and not self.options and self.sidecar is not True

    def with_options(self, options: Mapping[str, Any]) -> Reading:
        """Return a copy with more options, which override the present ones."""
        return replace(self, options={**self.options, **options}) if options else self


def options_given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call that are options of pyarrow's reader, without defaults."""
    given = {name: arguments[name] for name in DEFAULTS}
    check_types(given)
    return {name: value for name, value in given.items() if value is not None and value != DEFAULTS[name]}


def is_ours(format: str | ds.FileFormat | None) -> bool:
    """Return True if files of a format are read by our footers."""
    if format is None or isinstance(format, str):
        return format in (None, "parquet")
    import pyarrow.dataset as ds

    return isinstance(format, ds.ParquetFileFormat)


def format_of(options: Mapping[str, Any]) -> ds.ParquetFileFormat:
    """Return the format with these options."""
    import pyarrow.dataset as ds

    names = {"read_dictionary": "dictionary_columns"}
    buffered = {"use_buffered_stream": True} if "buffer_size" in options else {}
    return ds.ParquetFileFormat(**{names.get(name, name): value for name, value in options.items()}, **buffered)


def options_of_format(format: str | ds.ParquetFileFormat | None) -> dict[str, Any]:
    """Return the options of a format and of its scans that are not the defaults."""
    if format is None or isinstance(format, str):
        return {}
    read = format.read_options
    options: dict[str, Any] = {}
    if read.dictionary_columns:
        options["read_dictionary"] = sorted(read.dictionary_columns)
    if read.coerce_int96_timestamp_unit != "ns":
        options["coerce_int96_timestamp_unit"] = read.coerce_int96_timestamp_unit
    if read.binary_type != pa.binary():
        options["binary_type"] = read.binary_type
    if read.list_type is not pa.ListType:
        options["list_type"] = read.list_type
    return options | options_of_scan(format.default_fragment_scan_options)


def options_of_scan(scan: ds.ParquetFragmentScanOptions | None) -> dict[str, Any]:
    """Return the options of a scan that are not the defaults."""
    if scan is None:
        return {}
    usual = type(scan)()
    options = {name: getattr(scan, name) for name in LIMITS if getattr(scan, name, None) != getattr(usual, name, None)}
    if scan.use_buffered_stream:
        options["buffer_size"] = scan.buffer_size
    if not scan.pre_buffer:
        options["pre_buffer"] = False
    if scan.page_checksum_verification:
        options["page_checksum_verification"] = True
    if not scan.arrow_extensions_enabled:
        options["arrow_extensions_enabled"] = False
    if any(getattr(scan, name, None) is not None for name in DECRYPTION):
        raise ArrowUnsupported(
            f"{' or '.join(DECRYPTION)} in the options of a scan: give them to parquetext.dataset, in a "
            "pyarrow.dataset.ParquetFileFormat; pyarrow then reads the files"
        )
    return options


def whole(number: int) -> int:
    """Convert a count that may be a float, such as ``1e5``, to int: pyarrow accepts floats, too."""
    return int(number) if isinstance(number, float) else number
