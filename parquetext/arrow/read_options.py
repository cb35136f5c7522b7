"""How the files of a dataset are read: by which engine, with or without sidecars, with which options of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pyarrow as pa

from ..footer.arrow_errors import ArrowUnsupported
from .engine import PYARROW

if TYPE_CHECKING:
    import pyarrow.dataset as ds

__all__ = ["Reading", "format_of", "is_ours", "options_of_format", "options_of_scan"]

LIMITS = ("thrift_string_size_limit", "thrift_container_size_limit", "schema_depth_limit")
OF_SCANS = (
    "pre_buffer",
    "buffer_size",
    "page_checksum_verification",
    "arrow_extensions_enabled",
)
DECRYPTION = ("decryption_properties", "parquet_decryption_config")
OF_VALUES = ("coerce_int96_timestamp_unit", "binary_type", "list_type")


@dataclass(frozen=True, slots=True)
class Reading:
    """What holds for every file: `options` are those of `File.read`, the defaults left out."""

    sidecar: bool | str = "auto"
    engine: str = PYARROW
    options: Mapping[str, object] = field(default_factory=dict)

    def with_options(self, options: Mapping[str, object]) -> Reading:
        """The same with more options, which count for more."""
        return replace(self, options={**self.options, **options}) if options else self


def is_ours(format: str | ds.FileFormat | None) -> bool:
    """Whether files of a format are read by our footers."""
    if format is None or isinstance(format, str):
        return format in (None, "parquet")
    import pyarrow.dataset as ds

    return isinstance(format, ds.ParquetFileFormat)


def format_of(options: Mapping[str, object]) -> ds.ParquetFileFormat:
    """The format that gives these options."""
    import pyarrow.dataset as ds

    scan = {name: options[name] for name in (*LIMITS, *OF_SCANS) if name in options}
    if "buffer_size" in scan:
        scan["use_buffered_stream"] = True
    read = {name: options[name] for name in OF_VALUES if name in options}
    if "read_dictionary" in options:
        read["dictionary_columns"] = options["read_dictionary"]
    return ds.ParquetFileFormat(
        read_options=ds.ParquetReadOptions(**read),
        default_fragment_scan_options=ds.ParquetFragmentScanOptions(**scan),
    )


def options_of_format(format: str | ds.ParquetFileFormat | None) -> dict[str, object]:
    """Those of a format and of its scans that are not the defaults."""
    if format is None or isinstance(format, str):
        return {}
    read = format.read_options
    options: dict[str, object] = {}
    if read.dictionary_columns:
        options["read_dictionary"] = sorted(read.dictionary_columns)
    if read.coerce_int96_timestamp_unit != "ns":
        options["coerce_int96_timestamp_unit"] = read.coerce_int96_timestamp_unit
    if read.binary_type != pa.binary():
        options["binary_type"] = read.binary_type
    if read.list_type is not pa.ListType:
        options["list_type"] = read.list_type
    return options | options_of_scan(format.default_fragment_scan_options)


def options_of_scan(scan: ds.ParquetFragmentScanOptions | None) -> dict[str, object]:
    """Those of a scan that are not the defaults."""
    if scan is None:
        return {}
    usual = type(scan)()
    options = {name: getattr(scan, name) for name in LIMITS if getattr(scan, name) != getattr(usual, name)}
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
