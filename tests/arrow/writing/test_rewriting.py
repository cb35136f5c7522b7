"""A file written anew: the same values in another codec, order, encoding or size of row groups."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.changed_metadata import with_footer
from support.described import ROWS, table, write

import parquetext
from parquetext import errors, wire
from parquetext.arrow.writing.rewriting import rewrite_file
from parquetext.inspection.content.bloom_answers import bloom_answers
from parquetext.thrift import integer
from parquetext.thrift.values import Unknown


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "a.parquet")


def codecs(path) -> list[str]:
    group = pq.read_metadata(path).row_group(0)
    return [group.column(leaf).compression for leaf in range(group.num_columns)]


def sizes(path) -> list[int]:
    metadata = pq.read_metadata(path)
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


def test_without_options_all_stays_but_the_footers_form(path, tmp_path):
    out = tmp_path / "out.parquet"
    made = rewrite_file(path, out, form="flat")
    assert pq.read_table(out).equals(table()) and pq.read_schema(out).metadata[b"owner"] == b"me"
    assert (codecs(out), sizes(out)) == (codecs(path), sizes(path))
    assert (made.rows, made.row_groups, made.form, made.notes) == (ROWS, 4, "flat", ())
    assert (made.bytes_before, made.bytes_after) == (path.stat().st_size, out.stat().st_size)


@pytest.mark.parametrize(("size", "expected"), [(1000, [1000]), (450, [450, 450, 100]), (100, [100] * 10)])
def test_row_groups_get_the_requested_size(path, tmp_path, size, expected):
    rewrite_file(path, tmp_path / "out.parquet", row_group_size=size)
    assert sizes(tmp_path / "out.parquet") == expected
    assert pq.read_table(tmp_path / "out.parquet").equals(table())


def test_a_codec_for_all_columns_or_each_its_own(path, tmp_path):
    out, mixed = tmp_path / "out.parquet", tmp_path / "mixed.parquet"
    rewrite_file(path, out, codec="zstd", level=9)
    assert set(codecs(out)) == {"ZSTD"} and out.stat().st_size < path.stat().st_size
    pq.write_table(table(), mixed, compression={"id": "gzip", "tags.list.element": "zstd"})
    rewrite_file(mixed, out)
    assert codecs(out) == codecs(mixed) and {"GZIP", "ZSTD"} < set(codecs(out))
    with pytest.raises(errors.ParquetextError, match="a compression level needs a codec"):
        rewrite_file(path, out, level=3)


def test_rows_are_sorted_and_the_footer_declares_it(path, tmp_path):
    out = tmp_path / "out.parquet"
    rewrite_file(path, out, sort=[("price", "descending"), ("id", "ascending")], row_group_size=400)
    expected = table().sort_by([("price", "descending"), ("id", "ascending")])
    assert pq.read_table(out).equals(expected) and sizes(out) == [400, 400, 200]
    (first, second) = pq.read_metadata(out).row_group(1).sorting_columns
    assert (first, second) == (pq.SortingColumn(1, descending=True), pq.SortingColumn(0))
    again = tmp_path / "again.parquet"
    rewrite_file(out, again, codec="gzip")
    assert pq.read_metadata(again).row_group(0).sorting_columns == (first, second)
    rewrite_file(out, again, row_group_size=1000)
    assert pq.read_metadata(again).row_group(0).sorting_columns == ()


def test_columns_get_their_encodings(path, tmp_path):
    out = tmp_path / "out.parquet"
    asked = {"price": "byte_stream_split", "name": "delta_byte_array", "pos.x": "delta_binary_packed", "id": "plain"}
    rewrite_file(path, out, encodings=asked)
    with parquetext.open(out) as file:
        for name, encoding in asked.items():
            pages = file.pages(name).to_pylist()
            assert {page["encoding"] for page in pages} == {encoding.upper()}, name
        assert "RLE_DICTIONARY" in {page["encoding"] for page in file.pages("small").to_pylist()}
    assert pq.read_table(out).equals(table())


def test_the_old_file_may_be_the_new_one(path):
    rewrite_file(path, path, codec="gzip")
    assert set(codecs(path)) == {"GZIP"} and pq.read_table(path).equals(table())


def test_a_file_that_changed_meanwhile_stays(path, tmp_path, monkeypatch):
    from parquetext.arrow.writing import rewriting

    tables = rewriting._tables

    def changing(*arguments):
        yield from tables(*arguments)
        path.write_bytes(path.read_bytes() + b"x")

    monkeypatch.setattr(rewriting, "_tables", changing)
    with pytest.raises(errors.Conflict):
        rewrite_file(path, tmp_path / "out.parquet")
    assert [found.name for found in tmp_path.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sort": [("prise", "ascending")]}, "no column 'prise'; the nearest: 'price'"),
        ({"sort": [("pos", "ascending")]}, "column 'pos' is nested"),
        ({"encodings": {"pos.y": "plain"}}, "no column 'pos.y'"),
        ({"encodings": {"name": "byte_stream_split"}}, ""),
    ],
    ids=str,
)
def test_impossible_rewrites_raise_and_leave_no_file(path, tmp_path, options, message):
    with pytest.raises((errors.ParquetextError, OSError)) as raised:
        rewrite_file(path, tmp_path / "out.parquet", **options)
    assert message in str(raised.value)
    assert [found.name for found in tmp_path.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize(
    ("options", "groups"), [({}, 4), ({"row_group_size": 500}, 2), ({"sort": [("id", "descending")]}, 4)], ids=str
)
def test_columns_with_bloom_filters_get_new_ones_for_the_rows_they_now_have(path, tmp_path, options, groups):
    filters = {name: {"ndv": 250, "fpp": 0.01} for name in ("id", "pos.x", "name")}
    pq.write_table(table(), path, row_group_size=250, bloom_filter_options=filters)
    out = tmp_path / "out.parquet"
    assert rewrite_file(path, out, **options).notes == ()
    found = {}
    for each in (path, out):
        metadata = pq.read_metadata(each)
        chunks = [metadata.row_group(at).column(leaf) for leaf in range(15) for at in range(metadata.num_row_groups)]
        found[each] = {chunk.path_in_schema: chunk.bloom_filter_length for chunk in chunks if chunk.bloom_filter_offset}
    assert found[out].keys() == filters.keys()
    factor = 2 if "row_group_size" in options else 1
    with parquetext.open(out) as file:
        assert len(file.row_groups) == groups
        answers = [each["answer"] for value in range(1000, 1400) for each in bloom_answers(file, "id", str(value))]
        assert answers.count("maybe") < len(answers) * 0.05
        there = [[each["answer"] for each in bloom_answers(file, "id", str(value))] for value in range(0, 1000, 17)]
        assert all("maybe" in answers for answers in there)
    assert found[out]["id"] >= factor * (found[path]["id"] - 20)
    assert parquetext.verify(out, pages=True, deep=True).ok


def test_omitted_parts_are_reported(tmp_path):
    path = tmp_path / "a.parquet"
    filters = {"id": {"ndv": 100, "fpp": 0.1}}
    pq.write_table(table(), path, bloom_filter_options=filters, use_deprecated_int96_timestamps=True)
    data = bytearray(path.read_bytes())
    with parquetext.open(path) as file:
        at = file.column("id").bloom_filter_offset[0]
    data[at : at + 2] = b"\x25\x00"  # another kind of filter: its header's first field is no number
    path.write_bytes(data)
    parquetext.encode(path, {"price": "plain"})
    assert rewrite_file(path, tmp_path / "out.parquet").notes == (
        "Bloom filters are not written again: id",
        "INT96 timestamps become INT64",
        "copies of columns in other encodings are not written again; encode makes them anew",
    )


def test_facts_of_later_formats_that_pyarrow_does_not_write_are_reported(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"f": [1.5], "n": pa.nulls(1), "u": [1]}), path, store_schema=False)

    def changed(footer: dict) -> None:
        footer["column_orders"] = [{"IEEE_754_TOTAL_ORDER": {}}, {"TYPE_ORDER": {}}, {"TYPE_ORDER": {}}]
        footer["schema"][3]["logicalType"] = {30: Unknown(wire.TYPE_STRUCT, b"\0")}
        footer.update({10: Unknown(wire.TYPE_I32, integer(2)), 11: Unknown(wire.TYPE_I32, integer(14))})

    with_footer(path, changed)
    assert rewrite_file(path, tmp_path / "out.parquet", form="thrift").notes == (
        "pyarrow does not write annotations, so columns become plain ones: u (UNKNOWN_30)",
        "pyarrow does not write the order IEEE_754_TOTAL_ORDER and counts of NaN: f",
        "the declared version of the format, 2.14, is not written again",
    )
    assert rewrite_file(tmp_path / "out.parquet", path, form="thrift").notes == ()


def test_files_without_rows(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": pa.array([], pa.int8())}), path)
    for options in ({}, {"sort": [("a", "ascending")]}, {"row_group_size": 3}):
        assert rewrite_file(path, tmp_path / "out.parquet", **options).rows == 0
        assert pq.read_schema(tmp_path / "out.parquet").names == ["a"]
