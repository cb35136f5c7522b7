"""Files of the form PARX, made in the test from the bytes of a Parquet file."""

from __future__ import annotations

import zlib

from .footers import footer_of

__all__ = ["as_parx", "assert_metadata_equal", "parx_end"]


def parx_end(thrift: bytes, flags: int = 0, version: int = 2) -> bytes:
    """The end of a PARX file with this metadata."""
    checked = thrift + len(thrift).to_bytes(4, "little") + flags.to_bytes(4, "little") + bytes([version])
    return checked + zlib.crc32(checked).to_bytes(4, "little") + b"PARX"


def as_parx(data: bytes, flags: int = 0, version: int = 2) -> bytes:
    """A Parquet file's bytes in the form PARX."""
    thrift = footer_of(data)
    return b"PARX" + data[4 : -8 - len(thrift)] + parx_end(thrift, flags, version)


def assert_metadata_equal(ours, thrift, form: str) -> None:
    """Check that a file with a final form has the facts of the same file with a Thrift footer."""
    assert (ours.form, ours.findings, ours.num_rows) == (form, [], thrift.num_rows)
    assert ours.schema.equals(thrift.schema, check_metadata=True)
    assert (ours.created_by, ours.key_values) == (thrift.created_by, thrift.key_values)
    assert ours.to_arrow().equals(thrift.to_arrow())
