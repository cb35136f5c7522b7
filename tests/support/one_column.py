"""A Thrift footer of one column and one row group, to be changed field by field."""

from __future__ import annotations

from parquetext.thrift.values import write

ROOT = {"name": "schema", "num_children": 1}
LEAF = {"type": 2, "repetition_type": 0, "name": "a"}
METADATA = {
    "type": 2,
    "encodings": [0, 3],
    "path_in_schema": ["a"],
    "codec": 1,
    "num_values": 3,
    "total_uncompressed_size": 48,
    "total_compressed_size": 40,
    "data_page_offset": 4,
    "statistics": {"null_count": 0, "max_value": b"\x09" + bytes(7), "min_value": b"\x07" + bytes(7)},
}
GROUP = {"columns": [{"file_offset": 0, "meta_data": METADATA}], "total_byte_size": 48, "num_rows": 3}
FOOTER = {
    "version": 2,
    "schema": [ROOT, LEAF],
    "num_rows": 3,
    "row_groups": [GROUP],
    "created_by": "a test",
    "column_orders": [{"TYPE_ORDER": {}}],
}


def footer(**changes) -> bytes:
    """FOOTER with other fields; None leaves one out."""
    return write("FileMetaData", {name: value for name, value in (FOOTER | changes).items() if value is not None})


def with_metadata(**changes) -> bytes:
    return footer(row_groups=[GROUP | {"columns": [{"meta_data": METADATA | changes}]}])
