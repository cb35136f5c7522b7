"""Modular footers and files with them, made from Parquet files, and edited module by module."""

from __future__ import annotations

import io
import struct

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext import kernels
from parquetext.footer.form_spec import BuildOptions
from parquetext.footer.forms.modular import SPEC
from parquetext.thrift import binary, integer, list_header
from parquetext.thrift.values import joined

from .footers import footer_of

__all__ = [
    "FILE",
    "FLAT",
    "SPEC",
    "TABLE",
    "written",
    "node_facts",
    "alone",
    "array_of",
    "assembled",
    "modular_payload",
    "modules_of",
    "older_placement",
    "root_of",
    "whole_file",
]

ROWS = 60
TABLE = pa.table(
    {
        "id": range(ROWS),
        "price": [None if n % 3 else n / 7 for n in range(ROWS)],
        "name": [f"value {n * 7919 % 1000:04d}" for n in range(ROWS)],
        "flag": [n % 2 == 0 for n in range(ROWS)],
        "tags": [[str(n)] * (n % 3) for n in range(ROWS)],
        "point": [{"x": n, "y": {"z": -n}} for n in range(ROWS)],
    }
)
FLAT = TABLE.select(["id", "price", "name", "flag"])


def written(table: pa.Table = TABLE, **options) -> bytes:
    """Return the bytes of a file of this table, by pyarrow."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **({"row_group_size": 10} | options))
    return sink.getvalue()


FILE = written()

BYTE, I32, I64, BINARY, LIST, STRUCT = 3, 5, 6, 8, 9, 12


def modular_payload(footer: bytes, offset: int | None = None) -> bytes:
    """Return the payload for a Thrift footer."""
    return SPEC.build(kernels.scan.scan(footer), BuildOptions(offset=offset)).payload


def alone(file: bytes) -> bytes:
    """Return a Parquet file's bytes with a modular footer instead of its Thrift footer."""
    end = len(file) - 8 - len(footer_of(file))
    return file[:end] + modular_payload(footer_of(file), end) + b"MFP1"


def modules_of(payload: bytes) -> dict[int, bytes]:
    """Return the modules of a payload by kind."""
    form = SPEC.open_payload(payload)
    return {kind: bytes(form.module(kind)) for kind in form.modules}


def array_of(count: int, values: bytes, encoding: int | None = None, presence: bytes | None = None) -> bytes:
    """Return an EncodedArray."""
    fields = [(1, I32, integer(count)), (2, BINARY, binary(values))]
    if encoding is not None:
        fields.append((3, I32, integer(encoding)))
    if presence is not None:
        fields.append((4, BINARY, binary(presence)))
    return joined(fields) + b"\0"


def root_of(counts: tuple[int, int, int, int], modules: dict[int, tuple[int, int]], extra: tuple = ()) -> bytes:
    """Return a root: version, row groups, columns, rows; (offset, length) by kind."""
    entries = []
    for kind, (offset, length) in modules.items():
        location = joined([(1, I64, integer(offset)), (2, I64, integer(length))]) + b"\0"
        entries.append(joined([(1, I32, integer(kind)), (2, STRUCT, location)]) + b"\0")
    version, row_groups, columns, rows = counts
    fields = [
        (1, I32, integer(version)),
        (2, I32, integer(row_groups)),
        (3, I32, integer(columns)),
        (4, I64, integer(rows)),
        (5, LIST, list_header(len(entries)) + b"".join(entries)),
    ]
    return joined([*fields, *extra]) + b"\0"


def assembled(
    modules: dict[int, bytes], counts: tuple[int, int, int, int], start: int | None = None, base: int = 0
) -> bytes:
    """Return a payload of these modules; `base` is added to all offsets. Column statistics are left out."""
    locations, data = {}, b""
    for kind, module in modules.items():
        locations[kind] = base + len(data), len(module)
        data += module
    root = len(data)
    data += root_of(counts, locations)
    return data + (struct.pack("<q4s", root, b"MFT1") if start is None else struct.pack("<qq", start, root + base))


def whole_file(data: bytes, payload: bytes) -> bytes:
    """Return a file whose pages are those of `data`, which has a Thrift footer, before a payload."""
    return data[: len(data) - 8 - len(footer_of(data))] + payload + b"MFP1"


def older_placement(arrays_as_pages: bool) -> bytes:
    """Return a PLACEMENT module of an older generation."""
    page = joined([(1, BINARY, binary(b"\x01")), (2, I32, integer(0)), (3, I32, integer(1))]) + b"\0"
    return joined([(1, STRUCT, page if arrays_as_pages else array_of(1, b"\x08\x04"))]) + b"\0"


def node_facts(node) -> list:
    """Return the facts of a schema node."""
    names = ("thrift", "path", "parent", "schema_index", "first_leaf", "leaf_count", "column_order")
    return [getattr(node, name) for name in (*names, "max_definition", "max_repetition")]
