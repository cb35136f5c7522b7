"""A catalog's rows: one per column chunk, from tails alone, for every footer form."""

from __future__ import annotations

import datetime
import os
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.blown_up import nested, write_footer
from support.corpus_files import readable
from support.parquet_bytes import footer_of, with_footer

import parquetext
from parquetext.catalog import SCHEMA, batches_of
from parquetext.catalog.footers import FIRST_READ, read_footer
from parquetext.inspection.content.footer_facts import columns_in_sum
from parquetext.thrift import values

UTC = datetime.UTC


def catalog(*paths) -> pa.Table:
    batches = list(batches_of(paths))
    for batch in batches:
        batch.validate(full=True)
    return pa.Table.from_batches(batches, SCHEMA)


def test_of_a_large_file_the_end_alone_is_read(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [os.urandom(1 << 20)]}), path)
    footer = read_footer(path)
    assert footer.file_size > 1 << 20
    assert footer.bytes_read <= FIRST_READ <= 1 << 17


def test_a_schema_whose_paths_are_out_of_proportion_is_one_row_with_its_error(tmp_path):
    hostile, deep = tmp_path / "hostile.parquet", tmp_path / "deep.parquet"
    write_footer(hostile, nested(2000, 20_000))
    write_footer(deep, nested(40_000))
    found = catalog(hostile, deep)
    assert found["file"].to_pylist() == [str(hostile)]  # the other one has no row groups, and its groups no paths
    assert found["error"].to_pylist()[0].startswith("Unsupported: its names and tables would take 80")


def of_column(table: pa.Table, name: str, *fields: str) -> list:
    rows = table.filter(pc.field("column") == name).select(list(fields)).to_pylist()
    return [tuple(row.values()) if len(fields) > 1 else row[fields[0]] for row in rows]


@pytest.mark.usefixtures("implementation")
class TestRows:
    def test_rows_are_ordered_by_file_row_group_and_leaf(self, tmp_path):
        table = pa.table({"n": [1, 2, None], "s": [{"x": 1.5, "y": ["a"]}] * 3})
        paths = [str(tmp_path / name) for name in ("b.parquet", "a.parquet")]
        for path in paths:
            pq.write_table(table, path, row_group_size=2, compression="zstd")
        found = catalog(*paths)
        assert found["file"].to_pylist() == [path for path in paths for _ in range(6)]
        assert found["row_group"].to_pylist() == [0, 0, 0, 1, 1, 1] * 2
        assert found["row_group_rows"].to_pylist() == [2, 2, 2, 1, 1, 1] * 2
        assert found["leaf"].to_pylist() == [0, 1, 2] * 4
        assert found["column"].to_pylist() == ["n", "s.x", "s.y.list.element"] * 4
        assert found["depth"].to_pylist() == [1, 2, 4] * 4
        assert found["max_repetition_level"].to_pylist() == [0, 0, 1] * 4
        assert found["physical_type"].to_pylist() == ["INT64", "DOUBLE", "BYTE_ARRAY"] * 4
        assert set(found["codec"].to_pylist()) == {"ZSTD"}
        assert found["error"].null_count == 12
        assert set(found["file_size"].to_pylist()) == {(tmp_path / "a.parquet").stat().st_size}

    def test_chunk_values_equal_those_of_pyarrow(self, tmp_path):
        path = str(tmp_path / "t.parquet")
        table = pa.table({"n": [1, 2, 3, None], "s": pa.array(["a", "b", "c", None])})
        pq.write_table(table, path, row_group_size=2, bloom_filter_options={"n": True}, write_page_index=True)
        metadata = pq.read_metadata(path)
        for row in catalog(path).to_pylist():
            chunk = metadata.row_group(row["row_group"]).column(row["leaf"])
            assert row["encodings"] == sorted(chunk.encodings, key=row["encodings"].index)
            for fact in (
                "num_values",
                "total_compressed_size",
                "total_uncompressed_size",
                "data_page_offset",
                "dictionary_page_offset",
                "bloom_filter_offset",
                "bloom_filter_length",
            ):
                assert row[fact] == getattr(chunk, fact, row[fact]), fact
            assert row["null_count"] == chunk.statistics.null_count
            assert (row["offset_index_offset"] is not None) == chunk.has_offset_index
            assert (row["bloom_filter_offset"] is not None) == (row["column"] == "n")

    def test_bounds_are_typed_and_raw(self, tmp_path):
        path = str(tmp_path / "t.parquet")
        day, moment = datetime.date(1969, 12, 31), datetime.datetime(2020, 1, 2, 3, 4, 5, 6)
        pq.write_table(
            pa.table(
                {
                    "integer": [7],
                    "small": pa.array([200], pa.uint8()),
                    "double": [0.25],
                    "text": ["é"],
                    "bytes": [b"\xff"],
                    "day": [day],
                    "moment": [moment],
                    "zoned": pa.array([moment], pa.timestamp("ms", "Europe/Berlin")),
                    "money": pa.array([Decimal("1.25")], pa.decimal128(9, 2)),
                    "flag": [True],
                    "empty": pa.array([None], pa.int64()),
                }
            ),
            path,
        )
        found = catalog(path)

        def typed(name: str) -> tuple:
            ends = {
                tuple(of_column(found, name, *(f"{end}_{kind}" for kind in ("integer", "double", "text", "time"))))
                for end in ("min", "max")
            }
            assert len(ends) == 1
            return ends.pop()[0]

        assert typed("integer") == (7, None, None, None)
        assert typed("small") == (200, None, None, None)
        assert typed("double") == (None, 0.25, None, None)
        assert typed("text") == (None, None, "é", None)
        assert typed("bytes") == typed("empty") == (None,) * 4
        assert typed("day") == (-1, None, None, datetime.datetime(1969, 12, 31, tzinfo=UTC))
        assert typed("moment")[3] == moment.replace(tzinfo=UTC)
        assert typed("zoned")[3] == moment.replace(microsecond=0, tzinfo=UTC)
        assert typed("money") == (125, None, None, None)
        assert typed("flag") == (1, None, None, None)
        assert of_column(found, "integer", "min", "max") == [(b"\7" + bytes(7),) * 2]
        assert of_column(found, "bytes", "min") == [b"\xff"]
        assert of_column(found, "empty", "min", "max") == [(None, None)]
        logical = dict(zip(found["column"].to_pylist(), found["logical_type"].to_pylist(), strict=True))
        assert logical["small"] == "INTEGER(8,unsigned)"
        assert logical["money"] == "DECIMAL(9,2)"
        assert (logical["moment"], logical["zoned"]) == ("TIMESTAMP(us,local)", "TIMESTAMP(ms,utc)")

    def test_a_file_that_cannot_be_read_is_one_row_with_its_error(self, tmp_path):
        good, bad, gone = (str(tmp_path / name) for name in ("good", "bad", "gone"))
        pq.write_table(pa.table({"a": [1]}), good)
        (tmp_path / "bad").write_bytes(b"PAR1 this is no footer PARQ")
        found = catalog(bad, good, gone)
        errors = dict(zip(found["file"].to_pylist(), found["error"].to_pylist(), strict=True))
        assert errors[good] is None
        assert errors[bad].startswith("Malformed: ")
        assert errors[gone].startswith("FileNotFoundError: ")
        assert of_column(found, "a", "file") == [good]

    def test_files_with_different_schemas_share_one_catalog(self, tmp_path):
        paths = [str(tmp_path / str(number)) for number in range(4)]
        for number, path in enumerate(paths):
            pq.write_table(pa.table({"a" if number % 2 else "b": [number]}), path)
        found = catalog(*paths)
        assert found.select(["file", "column"]).to_pylist() == [
            {"file": path, "column": "a" if number % 2 else "b"} for number, path in enumerate(paths)
        ]


@pytest.mark.parametrize(
    ("form", "forms"),
    [
        (None, ["thrift"]),
        *((form, ["thrift", form]) for form in ("flat", "index", "packed", "modular", "jump-table")),
        ("par3", ["par3"]),
    ],
)
def test_every_form_gives_the_same_rows_and_its_name(tmp_path, form, forms):
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"a": range(50), "b": ["x"] * 50}), path, row_group_size=10)
    before = catalog(path)
    if form == "par3":
        parquetext.upgrade(path, form="flat")
        parquetext.finalize(path, confirm=True)
    elif form:
        parquetext.upgrade(path, form)
    after = catalog(path)
    same = [name for name in SCHEMA.names if name not in ("file_size", "forms")]
    assert after.select(same) == before.select(same)
    assert after["forms"].to_pylist() == [forms] * 10


def test_a_sidecar_next_to_the_file_is_listed_as_a_form(tmp_path):
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"a": [1]}), path)
    parquetext.sidecar.build(path)
    assert catalog(path)["forms"].to_pylist() == [["thrift", "sidecar"]]


def test_a_footer_larger_than_the_first_read_is_read_whole(tmp_path):
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({f"column_{n:06}": ["a long value " * 5] for n in range(2000)}), path)
    found = catalog(path)
    assert found.num_rows == 2000
    assert len(set(found["column"].to_pylist())) == 2000


def test_no_data_is_read(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": range(1000)}), str(path), compression="none")
    before = catalog(path)
    content = bytearray(path.read_bytes())
    content[4:2000] = bytes(1996)
    path.write_bytes(content)
    assert catalog(path) == before


def test_it_has_every_chunk_of_the_corpus(corpus, expected):
    paths = [str(path) for path in readable(corpus, expected)]
    found = catalog(*paths)
    rows = found.group_by("file").aggregate([([], "count_all")])
    counts = dict(zip(rows["file"].to_pylist(), rows["count_all"].to_pylist(), strict=True))
    failed = found.filter(pc.field("error").is_valid())["file"].to_pylist()
    for path in set(paths) - set(failed):
        with parquetext.open(path) as file:
            assert counts.get(path, 0) == file.num_columns * len(file.row_groups)
    assert len(failed) < 5


def test_the_benchmark_compares_equal_rows(tmp_path):
    from benchmarks.lakes import FILES, rows_by_metadata
    from benchmarks.shapes import write

    path = str(tmp_path / "t.parquet")
    write(FILES, path)
    fields = [
        "row_group",
        "leaf",
        "column",
        "physical_type",
        "codec",
        "num_values",
        "null_count",
        "total_compressed_size",
        "data_page_offset",
        "dictionary_page_offset",
        "max_repetition_level",
    ]
    theirs = pa.Table.from_pylist(list(rows_by_metadata(path)), schema=SCHEMA)
    assert catalog(path).select(fields).equals(theirs.select(fields))


def test_encodings_are_named_as_everywhere(tmp_path):
    """An encoding registered by its name, one that parquet.thrift had once, and an unknown one."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1, 2]}), path)
    data = path.read_bytes()
    footer = values.read("FileMetaData", footer_of(data))
    footer["row_groups"][0]["columns"][0]["meta_data"]["encodings"] = [0, 1, 10, 30]
    path.write_bytes(with_footer(data, values.write("FileMetaData", footer)))
    names = ["PLAIN", "GROUP_VAR_INT", "ALP", "UNKNOWN_30"]
    assert catalog(path)["encodings"].to_pylist() == [names]
    with parquetext.open(path) as file:
        (column,) = columns_in_sum(file.columns())
    assert column["encodings"] == names
