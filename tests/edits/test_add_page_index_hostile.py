"""Page indexes of damaged and unusual files: one clear error and an unchanged file, or exact indexes."""

from __future__ import annotations

import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import compact, thrift_trees
from support.changed_metadata import with_footer
from support.list_pages import list_column, list_file, list_page
from support.pages import Column, data_page, data_page_v2, parquet_file
from support.parquet_bytes import footer_of
from support.parquet_bytes import with_footer as ending_with

import parquetext
from parquetext import thrift, wire
from parquetext.errors import ColumnError, ParquetextError, Unsupported

NUMBERS = struct.pack("<4i", 5, -3, 8, 2)


def page(count: int = 4, **statistics: bytes):
    made = data_page(NUMBERS, 4, wire.ENCODING_PLAIN)
    return made.changed(num_values=count, **({"statistics": statistics} if statistics else {}))


def numbers(pages, **metadata) -> bytes:
    return parquet_file([Column("x", wire.PHYSICAL_INT32, pages, metadata=metadata)], 4 * len(pages))


def write_ordered(path, data: bytes) -> None:
    """Write a file of one column whose footer states the order of its bounds."""
    path.write_bytes(data)
    with_footer(path, lambda footer: footer.update(column_orders=[{"TYPE_ORDER": {}}]))


def bounds_of(path, order: str = "little") -> list[tuple[int, int]]:
    """Return the bounds of the pages of "x" in its column index."""
    data = path.read_bytes()
    with parquetext.open(path) as file:
        chunks = file.column("x").chunks
    begin, length = chunks.array("column_index_offset")[0], chunks.array("column_index_length")[0]
    index = thrift.read("ColumnIndex", data[begin : begin + length])
    sides = ([int.from_bytes(one, order, signed=True) for one in index[f"{side}_values"]] for side in ("min", "max"))
    return list(zip(*sides, strict=True))


def long_form(fields: list) -> list:
    """Return a struct with each field's header in the long form, which no writer of ours makes."""

    def changed(type: int, content):
        if type == compact.STRUCT:
            return long_form(content)
        if type == compact.LIST:
            kind, items = content
            return kind, [changed(kind, one) for one in items]
        return content

    return [[id, type, changed(type, content), True] for id, type, content, _ in fields]


@pytest.mark.parametrize("form", [None, "flat", "index"])
def test_strip_restores_thrift_that_is_not_canonical(tmp_path, form):
    path = tmp_path / "x.parquet"
    table = pa.table({"n": pa.array(range(3000), pa.int64()), "t": [str(row % 7) for row in range(3000)]})
    pq.write_table(table, path, row_group_size=1000, data_page_size=512, write_batch_size=64, store_schema=False)
    canonical = footer_of(path)
    footer = compact.fields(long_form(thrift_trees.parse(canonical)[0]))
    assert len(footer) > len(canonical)
    original = ending_with(path.read_bytes(), footer)
    path.write_bytes(original)
    if form:
        parquetext.upgrade(path, form)
    assert parquetext.add_page_index(path, bloom="n").outcome == "indexed"
    assert pq.read_table(path).equals(table)
    parquetext.strip(path)
    assert path.read_bytes() == original


LIES = {
    "more values than the footer": numbers([page(5)], num_values=4),
    "fewer values than the footer": numbers([page(3)], num_values=4),
    "more values than the body": numbers([page(5)], num_values=5),
    "a body beyond the chunk": numbers([page()], total_compressed_size=20),
    "a chunk beyond the file": numbers([page()], total_compressed_size=1 << 40),
    "V2 rows that differ from the footer": list_file(
        [(list_column([list_page([[1], [2]], version=2)]), 3)],
    ),
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("bloom", [False, True])
def test_contradicting_headers_give_one_error_and_leave_the_file_unchanged(tmp_path, lie, bloom):
    path = tmp_path / "x.parquet"
    path.write_bytes(LIES[lie])
    columns = ["x"] if bloom else []
    with pytest.raises(ParquetextError) as caught:
        parquetext.add_page_index(path, bloom=columns)
    assert "row group 0, column x" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == LIES[lie]


def test_a_truncated_chunk_gives_one_error(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": range(5000)}), path, compression="none", use_dictionary=False)
    data = path.read_bytes()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    cut = data[: end - 5000] + data[end:]
    path.write_bytes(cut)
    with pytest.raises(ParquetextError, match="x"):
        parquetext.add_page_index(path)
    assert path.read_bytes() == cut


def int32(number: int) -> bytes:
    return struct.pack("<i", number)


CHUNK = {"statistics": {"min_value": int32(-3), "max_value": int32(8), "null_count": 0}}


@pytest.mark.parametrize(
    "statistics",
    [
        {},
        {"min_value": int32(-3)},
        {"min_value": int32(8), "max_value": int32(-3)},
        {"min_value": int32(9), "max_value": int32(20)},
        {"min_value": b"\0", "max_value": int32(8)},
        {"min_value": int32(-3), "max_value": int32(8), "null_count": 9},
        {"min_value": int32(-3), "max_value": int32(8), "null_count": -1},
    ],
    ids=str,
)
def test_bounds_of_values_replace_absent_or_impossible_bounds_of_headers(tmp_path, statistics):
    path = tmp_path / "x.parquet"
    write_ordered(path, numbers([page(**statistics), page(**statistics)], **CHUNK))
    assert parquetext.add_page_index(path).outcome == "indexed"
    assert bounds_of(path) == [(-3, 8)] * 2
    # Only the headers' own statistics, which stay as they are, may be wrong.
    assert {finding.kind for finding in parquetext.verify(path, deep=True).findings} <= {"page-statistics"}


def test_bounds_of_headers_are_taken_without_decoding(tmp_path):
    path = tmp_path / "x.parquet"
    bounds = {"min_value": int32(-3), "max_value": int32(8), "null_count": 0}
    write_ordered(path, numbers([page(**bounds), page(**bounds)]))
    assert "decoded" not in parquetext.add_page_index(path).message
    assert bounds_of(path) == [(-3, 8)] * 2


@pytest.mark.parametrize("version", [1, 2])
def test_a_page_that_begins_within_a_row_leaves_its_chunk_without_index(tmp_path, version):
    path = tmp_path / "x.parquet"
    pages = [list_page([[1, 2], [3]], version=version), list_page([[5]], continues=[4], version=version)]
    path.write_bytes(list_file([(list_column(pages), 3), (list_column([list_page([[6]], version=version)]), 1)]))
    result = parquetext.add_page_index(path)
    assert result.outcome == "indexed"
    assert "row group 0, column x.list.element gets no index: page 1 begins within a row" in result.message
    with parquetext.open(path) as file:
        places = list(file.column("x.list.element").chunks.array("offset_index_offset"))
    assert places[0] <= 0 < places[1]
    assert parquetext.read_table(path, engine="parquetext")["x"].to_pylist() == [[1, 2], [3, 4], [5], [6]]


def test_decimals_of_varying_length_get_bounds_in_their_order(tmp_path):
    path = tmp_path / "x.parquet"
    stored = [number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True) for number in (1, -300, 70_000, -1)]
    body = b"".join(struct.pack("<i", len(value)) + value for value in stored)
    made = data_page_v2(body, 4, wire.ENCODING_PLAIN)
    write_ordered(path, parquet_file([Column("x", wire.PHYSICAL_BYTE_ARRAY, [made, made])], 8))
    decimal = {"precision": 9, "scale": 0}
    with_footer(
        path,
        lambda footer: footer["schema"][1].update(
            {"converted_type": 5, "logicalType": {"DECIMAL": decimal}, "precision": 9, "scale": 0}
        ),
    )
    parquetext.add_page_index(path)
    assert bounds_of(path, "big") == [(-300, 70_000)] * 2
    assert not parquetext.verify(path, deep=True).findings


def test_booleans_have_no_filters_and_unknown_columns_are_errors(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"b": [True, False]}), path)
    before = path.read_bytes()
    with pytest.raises(Unsupported, match="column b: booleans have no Bloom filters"):
        parquetext.add_page_index(path, bloom=["b"])
    with pytest.raises(ColumnError):
        parquetext.add_page_index(path, bloom=["nosuch"])
    assert path.read_bytes() == before


def test_a_dry_run_leaves_the_file_unchanged(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(numbers([page(), page()]))
    before = path.read_bytes()
    planned = parquetext.add_page_index(path, dry_run=True)
    assert path.read_bytes() == before
    assert planned.bytes_after == parquetext.add_page_index(path).bytes_after == len(path.read_bytes())


def test_strip_refuses_a_footer_that_another_program_has_written_since(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(numbers([page(), page()]))
    parquetext.add_page_index(path)
    with_footer(path, lambda footer: footer.update(created_by="another program"))
    changed = path.read_bytes()
    with pytest.raises(ParquetextError, match="another program has changed its footer"):
        parquetext.strip(path)
    assert path.read_bytes() == changed
