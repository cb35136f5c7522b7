"""Small Thrift footers to start from: of tables of several shapes, and of small files in PARQUETEXT_CORPUS."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from support.flat_footers import element, footer
from support.footers import footer_of
from support.paths_omitted import without_paths

__all__ = ["footers"]

LARGEST_FILE, LARGEST = 1 << 15, 2500
OF_CORPUS = 24


def _file(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **{"row_group_size": 2, "store_schema": False} | options)
    return sink.getvalue()


def _tables() -> Iterator[bytes]:
    numbers = pa.table({"a": [1, 2, 3, None], "b": [4, 5, 6, 7]})
    ids = pa.schema(
        [pa.field(name, pa.int64(), metadata={"PARQUET:field_id": id}) for name, id in (("a", "2"), ("b", "0"))]
    )
    nested = pa.table({"p": [{"x": 1, "Y": [1.5, None]}, None, {"x": None, "Y": []}], "p.x": ["u", None, "v"]})
    yield _file(numbers)
    yield _file(numbers.cast(ids), write_page_index=True, sorting_columns=[pq.SortingColumn(1, descending=True)])
    yield _file(nested, store_schema=True)
    yield _file(nested.slice(0, 0))
    yield _file(pa.table({}))
    yield _file(pa.table({name: [name, None] for name in "abcde"}).replace_schema_metadata({"key": "value"}))
    yield without_paths(_file(numbers))
    yield without_paths(_file(pa.table({name: [1, 2] for name in "abc"}), row_group_size=1))


def _corpus() -> Iterator[bytes]:
    folder = os.environ.get("PARQUETEXT_CORPUS")
    for path in sorted(Path(folder).rglob("*.parquet")) if folder else ():
        if path.stat().st_size <= LARGEST_FILE:
            data = path.read_bytes()
            if data[-4:] == b"PAR1" and 0 < int.from_bytes(data[-8:-4], "little") <= min(LARGEST, len(data) - 12):
                yield data


@cache
def footers(corpus: bool = True) -> list[bytes]:
    """Return the footers, each once."""
    found = [footer_of(data) for data in _tables()]
    found.append(
        footer([element(b"schema", children=3), *(element(name, type=1) for name in (b"a.b", b"a", b"a.b"))], [])
    )
    if corpus:
        several = [footer_of(data) for data in _corpus()]
        found += several[:: max(1, len(several) // OF_CORPUS)]
    return [*dict.fromkeys(found)]
