"""Files optimized for one use: the same values, pages within limits, and encodings that the data decides."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.arrow.writing import layouts
from parquetext.arrow.writing.rewriting import rewrite_file
from parquetext.edits.options import OPTIMIZED_FOR
from parquetext.errors import ParquetextError

ROWS = 8_000
USES = ["random_access", "size"]
CODECS = {"random_access": {"LZ4", "UNCOMPRESSED"}, "size": {"ZSTD"}}
RANDOM = random.Random(31)
WIDE = pa.array([f"https://www.example/{RANDOM.getrandbits(200):x}" for _ in range(ROWS)])
TABLE = pa.table(
    {
        "id": range(ROWS),
        "random": pa.array([RANDOM.getrandbits(63) for _ in range(ROWS)]),
        "float": [RANDOM.random() for _ in range(ROWS)],
        "half": pa.array([n / 2 for n in range(ROWS)], pa.float16()),
        "tiny": pa.array([None if n % 7 == 0 else RANDOM.choice((-128, 0, 127)) for n in range(ROWS)], pa.int8()),
        "unsigned": pa.array(range(ROWS), pa.uint32()),
        "at": pa.array([datetime(2024, 1, 1) + timedelta(seconds=n) for n in range(ROWS)], pa.timestamp("us", "UTC")),
        "nanoseconds": pa.array(range(ROWS), pa.timestamp("ns")),
        "day": [date(2024, 1, 1) + timedelta(n % 900) for n in range(ROWS)],
        "flag": [None if n % 5 == 0 else n % 3 == 0 for n in range(ROWS)],
        "text": WIDE,
        "bytes": pa.array([bytes([n % 256]) * (n % 50) for n in range(ROWS)]),
        "fixed": pa.array([(n % 999).to_bytes(7, "big") for n in range(ROWS)], pa.binary(7)),
        "price": pa.array([Decimal(n) / 100 for n in range(ROWS)], pa.decimal128(9, 2)),
        "total": pa.array([Decimal(n) for n in range(ROWS)], pa.decimal128(30, 2)),
        "nothing": pa.nulls(ROWS),
        "category": [f"category {RANDOM.randrange(10)}" for _ in range(ROWS)],
        "word": pa.array([f"word {RANDOM.randrange(9)}" for _ in range(ROWS)]).dictionary_encode(),
        "list": [None if n % 11 == 0 else [n, None] * (n % 3) for n in range(ROWS)],
        "struct": [{"x": n, "y": [str(n)]} for n in range(ROWS)],
        "map": pa.array([[(str(n), n)] for n in range(ROWS)], pa.map_(pa.string(), pa.int32())),
        "with.dot": range(ROWS),
    }
).replace_schema_metadata({"made by": "a test"})
FLAT = TABLE.drop_columns(["half", "nothing", "word", "list", "struct", "map", "total", "with.dot"])


def same(table, other=TABLE) -> bool:
    """Compare tables; arrays with dictionaries by their values."""
    at = table.schema.get_field_index("word")
    tables = [each.set_column(at, "word", each["word"].cast(pa.string())) for each in (table, other)]
    return tables[0].equals(tables[1])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new.parquet"


def encodings(path) -> dict[str, str]:
    """Return the encoding of each column's values in the first row group."""
    group = pq.read_metadata(path).row_group(0)
    chunks = [group.column(number) for number in range(group.num_columns)]
    levels = {"RLE", "BIT_PACKED"}
    return {
        chunk.path_in_schema: "DICTIONARY" if chunk.has_dictionary_page else "".join({*chunk.encodings} - levels)
        for chunk in chunks
    }


def codecs(path) -> set[str]:
    group = pq.read_metadata(path).row_group(0)
    return {group.column(number).compression for number in range(group.num_columns)}


def pages(path, column) -> list[dict]:
    with parquetext.open(path) as file:
        return [page for page in file.pages(column).to_pylist() if page["type"] != "DICTIONARY_PAGE"]


@pytest.mark.parametrize("use", OPTIMIZED_FOR)
@pytest.mark.parametrize("row_group_size", [None, 3_000])
def test_values_of_all_types_are_equal(path, use, row_group_size):
    parquetext.write_table(TABLE, path, row_group_size, optimize_for=use)
    for engine in ("pyarrow", "parquetext"):
        assert same(parquetext.read_table(path, engine=engine)), engine
    assert same(pq.read_table(path)) and pq.read_schema(path).metadata == TABLE.schema.metadata


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    "table",
    [TABLE.drop_columns("word").slice(0, 0), TABLE.drop_columns("word").slice(0, 1), pa.table({"a": [None, None]})],
)
def test_few_rows_are_written(path, use, table):
    parquetext.write_table(table, path, optimize_for=use)
    assert pq.read_table(path).equals(table)


@pytest.mark.parametrize("use", USES)
def test_columns_of_one_name_and_several_types_are_written(path, use):
    table = pa.table([pa.array(range(3000)), WIDE.slice(0, 3000)], names=["a", "a"])
    parquetext.write_table(table, path, optimize_for=use)
    assert pq.ParquetFile(path).read().equals(table)


def test_random_access_limits_bytes_and_rows_of_pages(path):
    parquetext.write_table(TABLE, path, optimize_for="random_access")
    for column in FLAT.column_names:
        found = pages(path, column)
        assert sum(page["num_rows"] for page in found) == ROWS
        assert max(page["num_rows"] for page in found) <= 1 << 9, column
        assert max(page["uncompressed_size"] for page in found) <= (8 << 10) * 1.05, column  # with levels
    assert len(pages(path, "text")) > ROWS / (1 << 9) + 10, "the bytes limit these pages, not the rows"
    for column in (("list", "list", "element"), ("map", "key_value", "value")):
        assert max(page["num_rows"] for page in pages(path, column)) <= 1 << 9


def test_pages_of_values_larger_than_a_page_have_one_row(path):
    table = pa.table({"id": range(40), "blob": [bytes([n]) * 20_000 for n in range(40)]})
    parquetext.write_table(table, path, optimize_for="random_access", use_dictionary=False)
    assert [page["num_rows"] for page in pages(path, "blob")] == [1] * 40


def test_an_older_pyarrow_limits_the_rows_of_pages(path, monkeypatch):
    monkeypatch.setattr(layouts, "ROWS_LIMITED", False)
    parquetext.write_table(TABLE, path, optimize_for="random_access")
    for column in FLAT.column_names:
        assert max(page["num_rows"] for page in pages(path, column)) <= 1 << 9, column
    assert max(page["uncompressed_size"] for page in pages(path, "text")) <= 10 << 10


@pytest.mark.parametrize("use", USES)
def test_each_page_has_bounds_in_a_page_index(path, use):
    parquetext.write_table(FLAT, path, optimize_for=use)
    group = pq.read_metadata(path).row_group(0)
    assert all(group.column(n).has_offset_index and group.column(n).has_column_index for n in range(group.num_columns))
    for page in pages(path, "id"):
        last = page["first_row"] + page["num_rows"] - 1
        assert (page["min"], page["max"]) == (page["first_row"], last)


def test_size_writes_pages_of_more_rows_and_fewer_bytes(path, tmp_path):
    table = pa.concat_tables([FLAT] * 3)
    parquetext.write_table(table, path, optimize_for="size")
    assert [page["num_rows"] for page in pages(path, "category")] == [3 * ROWS]
    for other in ({}, {"optimize_for": "random_access"}, {"compression": "zstd"}):
        parquetext.write_table(table, tmp_path / "other", **other)
        assert path.stat().st_size < (tmp_path / "other").stat().st_size, other


def test_data_decide_about_encodings(path):
    parquetext.write_table(TABLE, path, optimize_for="random_access")
    found = encodings(path)
    assert {found[name] for name in ("random", "float", "text", "flag")} == {"PLAIN"}
    assert {found[name] for name in ("id", "at", "nanoseconds", "unsigned", "with.dot")} == {"DELTA_BINARY_PACKED"}
    assert {found[name] for name in ("category", "word", "tiny")} == {"DICTIONARY"}
    parquetext.write_table(TABLE, path, optimize_for="size")
    assert found.items() >= {name: encodings(path)[name] for name in ("float", "id", "at", "category")}.items()


def test_texts_of_a_dictionary_type_get_encodings_that_pyarrow_reads(path, tmp_path):
    words = pa.array([f"word {number:06}" for number in range(ROWS)])
    word = words.dictionary_encode()
    table = pa.table(
        {
            "word": word,
            "bytes": words.cast(pa.binary()).dictionary_encode(),
            "struct": pa.StructArray.from_arrays([word], ["x"]),
            "list": pa.ListArray.from_arrays(pa.array(range(ROWS + 1), pa.int32()), word),
            "number": pa.array(range(ROWS)).dictionary_encode(),
            "text": words,
        }
    )
    parquetext.write_table(table, path, optimize_for="size")
    rewrite_file(path, tmp_path / "rewritten.parquet", optimize_for="size")
    for written in (path, tmp_path / "rewritten.parquet"):
        assert pq.ParquetFile(written).read().to_pydict() == table.to_pydict()
    assert encodings(path)["text"] == "DELTA_BYTE_ARRAY"


def test_only_columns_that_become_smaller_are_compressed_for_random_access(path):
    names = ["random", "float", "text", "bytes"]
    parquetext.write_table(FLAT.select(names), path, optimize_for="random_access")
    group = pq.read_metadata(path).row_group(0)
    assert [group.column(n).compression for n in range(4)] == ["UNCOMPRESSED", "UNCOMPRESSED", "LZ4", "LZ4"]
    parquetext.write_table(FLAT.select(["text", "bytes"]), path, optimize_for="random_access")
    assert codecs(path) == {"LZ4"}
    for options in ({"compression": "lz4"}, {"compression_level": 3}):
        parquetext.write_table(FLAT.select(names), path, optimize_for="random_access", **options)
        assert codecs(path) == {"LZ4"}, "the caller's codec compresses all columns"


def test_a_dictionary_larger_than_sixteen_pages_is_not_written_for_random_access(path):
    values = [f"a value with several bytes {RANDOM.randrange(5000):05}" for _ in range(ROWS)]
    table = pa.table({"large": values, "small": [f"{value[-1]} at the end" for value in values]})
    for column in (table, table.set_column(0, "large", table["large"].dictionary_encode())):
        parquetext.write_table(column, path, optimize_for="random_access")
        assert encodings(path) == {"large": "PLAIN", "small": "DICTIONARY"}


def test_size_tries_the_encodings_of_texts(path):
    common = pa.table({"path": [f"/a/long/folder/with/many/parts/{n:09}" for n in range(ROWS)]})
    parquetext.write_table(common, path, optimize_for="size", compression="none")
    assert encodings(path) == {"path": "DELTA_BYTE_ARRAY"}


@pytest.mark.parametrize("use", USES)
def test_no_column_gets_an_encoding_that_spark_3_does_not_read(path, use):
    parquetext.write_table(TABLE, path, optimize_for=use)
    assert "BYTE_STREAM_SPLIT" not in "".join(encodings(path).values())


@pytest.mark.parametrize("use", USES)
def test_options_of_the_caller_win(path, use):
    write = lambda **options: parquetext.write_table(FLAT, path, optimize_for=use, **options)  # noqa: E731
    write(compression="snappy")  # also if it is pyarrow's default
    assert codecs(path) == {"SNAPPY"}
    write(use_dictionary=True)
    assert {*encodings(path).values()} == {"DICTIONARY", "PLAIN"} and encodings(path)["float"] == "DICTIONARY"
    write(use_dictionary=False, column_encoding={"id": "PLAIN"})
    assert {*encodings(path).values()} == {"PLAIN"}
    write(use_dictionary=["text"])
    assert [name for name, encoding in encodings(path).items() if encoding == "DICTIONARY"] == ["text"]
    write(column_encoding={"id": "PLAIN"}, use_byte_stream_split=["float"])
    found = encodings(path)
    assert (found["id"], found["float"]) == ("PLAIN", "BYTE_STREAM_SPLIT")
    assert (found["at"], found["category"]) == ("DELTA_BINARY_PACKED", "DICTIONARY"), "the others are chosen"
    write(write_page_index=False)
    assert not pq.read_metadata(path).row_group(0).column(0).has_column_index
    write(form="flat")
    assert parquetext.open(path).form == "flat"
    if layouts.ROWS_LIMITED:
        write(max_rows_per_page=100)
        assert max(page["num_rows"] for page in pages(path, "id")) == 100


def test_a_level_of_the_caller_wins(path):
    files = []
    for options in ({}, {"compression": "zstd"}, {"compression_level": 12}, {"compression_level": 1}):
        parquetext.write_table(FLAT, path, optimize_for="size", **options)
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2] != files[3]


def test_pyarrows_parameters_by_position_win(path):
    with parquetext.ParquetWriter(path, FLAT.schema, None, None, "2.6", True, "snappy", optimize_for="size") as writer:
        writer.write_table(FLAT)
    assert codecs(path) == {"SNAPPY"} and encodings(path)["float"] == "DICTIONARY"


def test_scan_is_pyarrows_file(path, tmp_path):
    pq.write_table(TABLE, tmp_path / "theirs", write_page_index=True)
    for options in ({}, {"optimize_for": "scan"}, {"optimize_for": "scan", "compression": "snappy"}):
        parquetext.write_table(TABLE, path, form="thrift", **options)
        assert path.read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize("use", ["fast", None, "SCAN", ""])
def test_an_unknown_use_is_one_clear_error(tmp_path, path, use):
    message = rf"optimize_for {use!r}: one of scan, random_access, size expected"
    pq.write_table(FLAT, path)
    out = tmp_path / "out"
    for write in (
        lambda: parquetext.write_table(FLAT, out, optimize_for=use),
        lambda: parquetext.ParquetWriter(out, FLAT.schema, optimize_for=use),
        lambda: parquetext.write_to_dataset(FLAT, out, optimize_for=use),
        lambda: rewrite_file(path, out, optimize_for=use),
        lambda: parquetext.merge([path], out, optimize_for=use),
    ):
        with pytest.raises(ParquetextError, match=message):
            write()
        assert not out.exists()


@pytest.mark.parametrize("use", USES)
def test_impossible_options_fail_before_rows_are_written(path, use):
    with pytest.raises(pa.ArrowException, match=r"Unsupported compression|not supported"):
        parquetext.ParquetWriter(path, FLAT.schema, compression="nonsense", optimize_for=use)
    assert not path.exists()


@pytest.mark.parametrize("use", USES)
def test_a_writer_decides_by_its_first_table(path, use):
    with parquetext.ParquetWriter(path, TABLE.schema, optimize_for=use) as writer:
        writer.add_key_value_metadata({"early": "1"})
        writer.write_batch(TABLE.slice(0, 2_000).combine_chunks().to_batches()[0])
        writer.write_table(TABLE.slice(2_000))
        writer.add_key_value_metadata({"late": "2"})
    assert same(pq.read_table(path))
    assert encodings(path)["id"] == "DELTA_BINARY_PACKED"
    pairs = pq.read_metadata(path).metadata
    assert (pairs[b"early"], pairs[b"late"]) == (b"1", b"2")


@pytest.mark.parametrize("use", USES)
def test_a_writer_without_rows_writes_an_empty_file(path, use):
    parquetext.ParquetWriter(path, TABLE.schema, optimize_for=use).close()
    assert pq.read_table(path).equals(TABLE.schema.empty_table())


@pytest.mark.parametrize("use", USES)
def test_a_table_of_another_schema_is_an_error_and_leaves_no_file(path, use):
    message = "Table schema does not match"
    with pytest.raises(ValueError, match=message), parquetext.ParquetWriter(path, FLAT.schema, optimize_for=use) as new:
        new.write_table(FLAT.select(["text"]))
    assert not path.exists()


@pytest.mark.parametrize("use", USES)
def test_files_of_a_dataset_have_the_layout(tmp_path, use):
    table = FLAT.append_column("part", pa.array([n % 2 for n in range(ROWS)]))
    parquetext.write_to_dataset(table, tmp_path / "lake", ["part"], optimize_for=use)
    files = sorted((tmp_path / "lake").rglob("*.parquet"))
    assert len(files) == 2
    for file in files:
        assert codecs(file) == CODECS[use] and encodings(file)["id"] == "DELTA_BINARY_PACKED"
        if use == "random_access":
            assert max(page["num_rows"] for page in pages(file, "id")) <= 1 << 9
    found = parquetext.read_table(tmp_path / "lake").select(FLAT.column_names).sort_by("id")
    assert found.equals(FLAT)
    parquetext.write_to_dataset(table, tmp_path / "list", partitioning=["part"], optimize_for=use, compression="gzip")
    assert {codec for file in (tmp_path / "list").rglob("*.parquet") for codec in codecs(file)} == {"GZIP"}


@pytest.mark.parametrize("use", USES)
def test_rewrite_changes_the_layout(path, tmp_path, use):
    pq.write_table(FLAT, path, compression="gzip", row_group_size=6_000)
    out = tmp_path / "out.parquet"
    rewrite_file(path, out, optimize_for=use, encodings={"float": "byte_stream_split", "text": "dictionary"})
    found = encodings(out)
    assert pq.read_table(out).equals(FLAT) and codecs(out) == CODECS[use]
    assert (found["float"], found["text"], found["id"]) == ("BYTE_STREAM_SPLIT", "DICTIONARY", "DELTA_BINARY_PACKED")
    assert pq.read_metadata(out).num_row_groups == 2
    if use == "random_access":
        assert max(page["num_rows"] for page in pages(out, "id")) <= 1 << 9
    rewrite_file(path, out, optimize_for=use, codec="lz4")
    assert codecs(out) == {"LZ4"}


@pytest.mark.parametrize("use", USES)
def test_merge_refuses_to_change_pages_and_names_rewrite(path, tmp_path, use):
    pq.write_table(FLAT, path)
    with pytest.raises(ParquetextError, match=f"rewrite the new file with optimize_for='{use}'"):
        parquetext.merge([path, path], tmp_path / "out", optimize_for=use)
    assert not (tmp_path / "out").exists()
    assert parquetext.merge([path, path], tmp_path / "out", optimize_for="scan").rows == 2 * ROWS


@pytest.mark.parametrize("use", OPTIMIZED_FOR)
def test_polars_reads_the_values(path, use):
    polars = pytest.importorskip("polars")
    parquetext.write_table(FLAT, path, optimize_for=use)
    assert polars.read_parquet(path).equals(polars.from_arrow(FLAT))


@pytest.mark.parametrize("use", OPTIMIZED_FOR)
def test_duckdb_reads_the_values(path, use):
    duckdb = pytest.importorskip("duckdb")
    columns = ["id", "text", "float", "tiny", "flag", "category", "price"]
    parquetext.write_table(FLAT, path, optimize_for=use)
    with duckdb.connect() as con:
        found = con.sql(f"select {', '.join(columns)} from '{path}' order by id").to_arrow_table()
    assert found.equals(FLAT.select(columns).replace_schema_metadata())
