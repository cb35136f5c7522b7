"""Files whose column chunks do not say their path_in_schema, as newer writers may leave it out."""

from __future__ import annotations

from pathlib import Path

from parquetext import thrift

from .footers import footer_of


def omit_paths(source: Path, target: Path) -> Path:
    """A copy of a file, its Thrift footer written anew without field 3 of any ColumnMetaData."""
    target.write_bytes(without_paths(source.read_bytes()))
    return target


def without_paths(data: bytes) -> bytes:
    """The bytes of such a copy."""
    old = footer_of(data)
    fields = thrift.read("FileMetaData", old)
    for row_group in fields["row_groups"]:
        for chunk in row_group["columns"]:
            del chunk["meta_data"]["path_in_schema"]
    new = thrift.write("FileMetaData", fields)
    return data[: -8 - len(old)] + new + len(new).to_bytes(4, "little") + b"PAR1"
