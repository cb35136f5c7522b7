"""V2 pages whose headers contradict their levels: the levels count, and `verify` and `layout` report the headers."""

from __future__ import annotations

import struct
from itertools import chain

import duckdb
import pyarrow.parquet as pq
import pytest
from support.pages import Column, data_page, data_page_v2, levels, parquet_file

import parquetext
from parquetext import wire
from parquetext.thrift import read, write

ENGINES = [None, "auto", "parquetext"]
OPTIONAL, REPEATED = wire.REPETITION_OPTIONAL, wire.REPETITION_REPEATED
LIST = [
    {"name": "schema", "num_children": 1},
    {
        "repetition_type": OPTIONAL,
        "name": "x",
        "num_children": 1,
        "converted_type": wire.CONVERTED_LIST,
        "logicalType": {"LIST": {}},
    },
    {"repetition_type": REPEATED, "name": "list", "num_children": 1},
    {"type": wire.PHYSICAL_INT32, "repetition_type": OPTIONAL, "name": "item"},
]


def integers(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


def flat_page(values: list, **wrong):
    present = [value for value in values if value is not None]
    definition = levels([int(value is not None) for value in values], 1)
    page = data_page_v2(integers(*present), len(values), wire.ENCODING_PLAIN, definition=definition)
    return page.changed(num_nulls=len(values) - len(present), num_rows=len(values)).changed(**wrong)


def list_page(repetition: list[int], values: list[int], **wrong):
    page = data_page_v2(
        integers(*values),
        len(values),
        wire.ENCODING_PLAIN,
        definition=levels([3] * len(values), 3),
        repetition=levels(repetition, 1),
    )
    return page.changed(num_rows=repetition.count(0)).changed(**wrong)


def flat(*pages) -> tuple[Column, None]:
    return Column("x", wire.PHYSICAL_INT32, pages, repetition=OPTIONAL), None


def lists(*pages) -> tuple[Column, list[dict]]:
    return Column("x.list.item", wire.PHYSICAL_INT32, pages), LIST


FILES = {
    "nulls that are not counted": (flat(flat_page([1, None, 2, 3], num_nulls=0)), [1, None, 2, 3]),
    "more nulls than values": (flat(flat_page([1, None, 2, 3], num_nulls=1000)), [1, None, 2, 3]),
    "nulls below zero": (flat(flat_page([1, None], num_nulls=-1)), [1, None]),
    "rows of a flat column": (flat(flat_page([1, None], num_rows=9), flat_page([2])), [1, None, 2]),
    "values in place of rows": (
        lists(list_page([0, 1, 1, 0, 1], [1, 2, 3, 4, 5], num_rows=5), list_page([0, 0], [6, 7], num_rows=2)),
        [[1, 2, 3], [4, 5], [6], [7]],
    ),
    "a page that begins within a row": (
        lists(list_page([0, 1], [1, 2]), list_page([1, 0, 1], [3, 4, 5])),
        [[1, 2, 3], [4, 5]],
    ),
}


@pytest.fixture(params=FILES)
def made(request, tmp_path):
    (column, schema), expected = FILES[request.param]
    path = tmp_path / "made.parquet"
    path.write_bytes(parquet_file([column], len(expected), schema=schema))
    return path, expected


@pytest.mark.parametrize("engine", ENGINES)
def test_every_reader_returns_the_rows_of_the_levels(made, implementation, engine):
    path, expected = made
    assert parquetext.read_table(path, engine=engine)["x"].to_pylist() == expected
    assert pq.read_table(path)["x"].to_pylist() == expected
    with parquetext.open(path) as file:
        for size in (1, 2, 3, 100):
            batches = [batch["x"].to_pylist() for batch in file.iter_batches(size, engine=engine)]
            assert list(chain.from_iterable(batches)) == expected
    assert parquetext.dataset(path, engine=engine).to_table()["x"].to_pylist() == expected
    assert duckdb.sql(f"select x from '{path}'").fetchall() == [(value,) for value in expected]


def test_verify_and_layout_report_the_headers(made, implementation):
    path, _ = made
    found = parquetext.verify(path, pages=True).findings
    assert [finding.kind for finding in found] == ["page-counts"] and found[0].offset is not None
    deep = parquetext.verify(path, deep=True)
    assert [finding.kind for finding in deep.findings] == ["page-counts"]
    assert deep.rows == pq.read_metadata(path).num_rows
    layout = parquetext.layout(path)
    assert [finding.kind for finding in layout.findings if not finding.is_note] == ["page-counts"]


def test_the_finding_counts_pages_and_names_the_first(tmp_path, implementation):
    path = tmp_path / "made.parquet"
    pages = [flat_page([1]), *[flat_page([None, 2], num_nulls=0)] * 3]
    path.write_bytes(parquet_file([flat(*pages)[0]], 7))
    [finding] = parquetext.verify(path, pages=True).findings
    assert finding.offset == 4 + len(pages[0].to_bytes())
    message, found = "page 1: its header says 2 rows and 0 nulls", "its levels have 2 rows and 1 nulls"
    assert finding.message == f"{message}, {found}; 2 more of 4 pages are wrong"


def test_right_counts_are_no_finding(tmp_path, implementation):
    path = tmp_path / "made.parquet"
    column, schema = lists(list_page([0, 1, 0], [1, 2, 3]), list_page([0, 1], [4, 5]))
    path.write_bytes(parquet_file([column], 3, schema=schema))
    assert not parquetext.verify(path, deep=True).findings and parquetext.layout(path).ok


def test_levels_that_end_early_are_a_finding_of_the_pages(tmp_path, implementation):
    path = tmp_path / "made.parquet"
    page = data_page_v2(integers(1), 5, wire.ENCODING_PLAIN, definition=levels([1], 1))
    path.write_bytes(parquet_file([flat(page)[0]], 5))
    assert [finding.kind for finding in parquetext.verify(path, pages=True).findings] == ["page"]
    assert "page" in [finding.kind for finding in parquetext.layout(path).findings]


def test_a_row_before_the_first_page_is_refused(tmp_path, implementation):
    path = tmp_path / "made.parquet"
    for page in (
        list_page([1, 0], [1, 2]),
        data_page(integers(1, 2), 2, wire.ENCODING_PLAIN, definition=levels([3, 3], 3), repetition=levels([1, 0], 1)),
    ):
        column, schema = lists(page)
        path.write_bytes(parquet_file([column], 2, schema=schema))
        with pytest.raises(parquetext.errors.Malformed, match="begins within a row"):
            parquetext.read_table(path, engine="parquetext")


def test_filters_skip_pages_by_the_rows_of_the_index_not_of_the_headers(tmp_path, implementation):
    """The pages of two columns do not begin at the same rows, and the headers of the lists count values."""
    rows, columns = 12, []
    keys = [data_page(integers(*range(n, n + 4)), 4, wire.ENCODING_PLAIN) for n in range(0, rows, 4)]
    columns.append(Column("k", wire.PHYSICAL_INT32, keys))
    of_lists = [list_page([0, 1, 1] * 2, [10 * n + i for i in range(6)], num_rows=6) for n in range(0, rows, 2)]
    columns.append(Column("x.list.item", wire.PHYSICAL_INT32, of_lists))
    schema = [{"name": "schema", "num_children": 2}, {"type": 1, "repetition_type": 0, "name": "k"}, *LIST[1:]]
    path = tmp_path / "made.parquet"
    path.write_bytes(with_indexes(parquet_file(columns, rows, schema=schema), columns, [4, 2]))
    for engine in ENGINES:
        found = parquetext.read_table(path, engine=engine, filters=[("k", ">=", 5), ("k", "<", 7)])
        assert found["k"].to_pylist() == [5, 6]
        assert found["x"].to_pylist() == [[43, 44, 45], [60, 61, 62]]


def with_indexes(file: bytes, columns: list[Column], rows_of_a_page: list[int]) -> bytes:
    """The file with page indexes; the first column has ascending INT32 values, the others have no bounds."""
    size = int.from_bytes(file[-8:-4], "little")
    body, footer = bytearray(file[: -8 - size]), read("FileMetaData", file[-8 - size : -8])
    at = 4
    for chunk, column, rows in zip(footer["row_groups"][0]["columns"], columns, rows_of_a_page, strict=True):
        positions = []
        for number, page in enumerate(column.pages):
            stored = page.to_bytes()
            positions.append({"offset": at, "compressed_page_size": len(stored), "first_row_index": rows * number})
            at += len(stored)
        bounds = [integers(rows * number) for number in range(len(positions))]
        tops = [integers(rows * number + rows - 1) for number in range(len(positions))]
        if column is columns[0]:
            index = write(
                "ColumnIndex",
                {"null_pages": [False] * len(positions), "min_values": bounds, "max_values": tops, "boundary_order": 1},
            )
            chunk |= {"column_index_offset": len(body), "column_index_length": len(index)}
            body += index
        index = write("OffsetIndex", {"page_locations": positions})
        chunk |= {"offset_index_offset": len(body), "offset_index_length": len(index)}
        body += index
    footer["column_orders"] = [{"TYPE_ORDER": {}} for _ in columns]
    made = write("FileMetaData", footer)
    return bytes(body) + made + len(made).to_bytes(4, "little") + b"PAR1"
