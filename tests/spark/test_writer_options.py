"""Pages, dictionaries and Bloom filters as parquet-java's options say, found in the bytes of the files."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import parquetext
from parquetext.errors import ColumnError, ParquetextError
from parquetext.spark import ship, write
from parquetext.spark.output.parquet_options import NAMES, PER_COLUMN, ParquetOptions
from parquetext.spark.output.write_options import OutputOptions

pytestmark = pytest.mark.slow

ROWS = 60_000


@pytest.fixture(scope="module")
def frame(spark):
    """Sales, in one task."""
    ship(spark)
    return spark.range(0, ROWS, 1, 1).select(
        "id",
        (F.col("id") % 50).cast("int").alias("Quantity"),
        F.expr("cast(id % 7919 as decimal(9, 2))").alias("tax"),
        F.expr("cast(id as decimal(18, 2))").alias("amount"),
        F.expr("cast(id as decimal(19, 2))").alias("total"),
        F.expr("sha1(cast(id as string))").alias("key"),
        F.struct((F.col("id") % 3).alias("a")).alias("nested"),
        (F.col("id") % 2 == 0).alias("flag"),
    )


def file_of(folder: Path) -> Path:
    (path,) = folder.glob("*.parquet")
    return path


def chunks(path: Path) -> dict[str, pq.ColumnChunkMetaData]:
    row_group = pq.read_metadata(path).row_group(0)
    return {row_group.column(n).path_in_schema: row_group.column(n) for n in range(row_group.num_columns)}


def pages(path: Path, column: str) -> list[dict]:
    with parquetext.open(path) as file:
        return [page for page in file.pages(column).to_pylist() if page["num_rows"] is not None]


def blooms(path: Path) -> dict[str, int]:
    """Columns with Bloom filters, and their bytes."""
    batches = parquetext.catalog.batches_of([str(path)])
    rows = pa.Table.from_batches(batches).to_pylist()
    return {row["column"]: row["bloom_filter_length"] for row in rows if row["bloom_filter_offset"] is not None}


def test_defaults_are_those_of_sparks_writer(spark, frame, tmp_path):
    """Types, dictionaries, page indexes, checksums and sizes; and the rows of a look-up by Spark's reader."""
    write(frame, tmp_path / "ours")
    frame.write.parquet(str(tmp_path / "theirs"))
    ours, theirs = file_of(tmp_path / "ours"), file_of(tmp_path / "theirs")
    mine, other = chunks(ours), chunks(theirs)
    assert [*mine] == [*other]
    for name, chunk in mine.items():
        assert chunk.physical_type == other[name].physical_type, name
        assert chunk.has_dictionary_page == other[name].has_dictionary_page, name
        assert chunk.has_column_index and chunk.has_offset_index
        assert len(pages(ours, name)) == len(pages(theirs, name)), name
        assert all(page["crc"] is not None for page in pages(ours, name))
    assert ours.stat().st_size <= 1.02 * theirs.stat().st_size
    assert blooms(ours) == {}


def test_a_look_up_by_sparks_reader_takes_the_rows_of_a_page(spark, frame, tmp_path):
    write(frame, tmp_path / "ours")
    frame.write.parquet(str(tmp_path / "theirs"))
    assert scanned(spark, tmp_path / "ours") == scanned(spark, tmp_path / "theirs") < ROWS


def scanned(spark, folder: Path) -> int:
    """Rows that come out of the scan of a look-up."""
    found = spark.read.parquet(str(folder)).where("id = 31415").select("key")
    assert len(found.collect()) == 1
    plans = [found._jdf.queryExecution().executedPlan()]
    for plan in plans:
        if re.match(r"(File)?Scan parquet", plan.nodeName()):
            return plan.metrics().apply("numOutputRows").value()
        below = plan.children()
        plans += [below.apply(number) for number in range(below.size())]
        if plan.nodeName() == "AdaptiveSparkPlan":
            plans.append(plan.executedPlan())
    raise AssertionError("no scan")


def test_options_arrive_in_the_files_bytes(frame, tmp_path):
    options = {
        "parquet.page.size": 4096,
        "parquet.page.row.count.limit": 3000,
        "parquet.dictionary.page.size": 64,
        "parquet.enable.dictionary#Quantity": False,
        "parquet.page.write-checksum.enabled": False,
        "parquet.bloom.filter.enabled#key": True,
        "parquet.bloom.filter.expected.ndv#KEY": ROWS,
        "parquet.bloom.filter.enabled#nested.a": True,
    }
    writer = frame.write.format("parquetext").mode("append")
    for name, value in options.items():
        writer = writer.option(name, value)
    writer.save(str(tmp_path / "x"))
    path = file_of(tmp_path / "x")
    assert not chunks(path)["Quantity"].has_dictionary_page and chunks(path)["nested.a"].has_dictionary_page
    assert max(page["num_values"] for page in pages(path, "Quantity")) <= 3072  # whole batches of 1,024
    assert max(page["uncompressed_size"] for page in pages(path, "key")) < 3 * 4096 * 11
    assert all(page["crc"] is None for page in pages(path, "key"))
    assert blooms(path).keys() == {"key", "nested.a"}
    assert blooms(path)["nested.a"] <= (1 << 20) + 64 and blooms(path)["key"] <= (1 << 17) + 64
    with parquetext.open(path) as file:
        assert file.read(["id"], filters=[("key", "=", "no such key")]).num_rows == 0


def test_files_are_optimized_for_a_use(spark, frame, tmp_path):
    write(frame, tmp_path / "rows", optimizeFor="random_access")
    frame.write.format("parquetext").mode("append").option("optimizeFor", "size").save(str(tmp_path / "size"))
    rows, size = file_of(tmp_path / "rows"), file_of(tmp_path / "size")
    assert max(page["num_rows"] for page in pages(rows, "id")) <= 512
    assert max(page["uncompressed_size"] for page in pages(rows, "key")) <= 8 << 10
    assert (rows.name.endswith(".lz4.parquet"), size.name.endswith(".zstd.parquet")) == (True, True)
    assert {chunk.compression for chunk in chunks(size).values()} == {"ZSTD"}
    assert chunks(rows)["key"].compression == "UNCOMPRESSED", "its codec is chosen, too"
    assert size.stat().st_size < rows.stat().st_size
    for path in (rows, size):
        assert "DELTA_BINARY_PACKED" in chunks(path)["id"].encodings
        assert spark.read.parquet(str(path)).exceptAll(frame).count() == 0
        assert spark.read.parquet(str(path)).count() == ROWS


def test_sparks_options_win_over_the_use_of_a_file(frame, tmp_path):
    options = {"compression": "gzip", "parquet.page.row.count.limit": 100, "parquet.enable.dictionary": "false"}
    write(frame, tmp_path / "x", optimizeFor="random_access", **options)
    path = file_of(tmp_path / "x")
    assert max(page["num_rows"] for page in pages(path, "id")) == 100
    assert {chunk.compression for chunk in chunks(path).values()} == {"GZIP"}
    assert not any(chunk.has_dictionary_page for chunk in chunks(path).values())


def test_levels_of_codecs_make_smaller_files(frame, tmp_path):
    sizes = {}
    for codec, name, levels in (
        ("zstd", "parquet.compression.codec.zstd.level", ("1", "19")),
        ("gzip", "zlib.compress.level", ("BEST_SPEED", "BEST_COMPRESSION")),
    ):
        for level in levels:
            folder = tmp_path / f"{codec}-{level}"
            write(frame.where("id < 20000").select("key", "amount"), folder, compression=codec, **{name: level})
            sizes[codec, level] = file_of(folder).stat().st_size
    assert sizes["zstd", "19"] < sizes["zstd", "1"] and sizes["gzip", "BEST_COMPRESSION"] < sizes["gzip", "BEST_SPEED"]


def test_bloom_filters_for_all_columns_leave_those_out_that_cannot_have_one(frame, tmp_path):
    write(
        frame.limit(10),
        tmp_path / "x",
        **{"parquet.bloom.filter.enabled": "true", "parquet.bloom.filter.max.bytes": 4096},
    )
    found = blooms(file_of(tmp_path / "x"))
    assert found.keys() == {"id", "Quantity", "tax", "amount", "total", "key", "nested.a"}
    assert max(found.values()) <= 4096 + 64


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("parquet.page.size", "0", "from 1"),
        ("parquet.page.row.count.limit", "many", "a number expected"),
        ("parquet.compression.codec.zstd.level", "23", "from 1 to 22"),
        ("zlib.compress.level", "10", "BEST_COMPRESSION"),
        ("parquet.enable.dictionary", "perhaps", "true or false"),
        ("parquet.bloom.filter.fpp#a", "1.5", "between 0 and 1"),
        ("parquet.bloom.filter.expected.ndv#a", "0", "from 1"),
        ("parquet.page.size#a", "9", "unknown option"),
        ("optimizeFor", "speed", "one of scan, random_access, size expected"),
    ],
)
def test_a_value_that_makes_no_sense_is_an_error(name, value, message):
    with pytest.raises(ParquetextError, match=message):
        OutputOptions.of({name: value})


def test_an_option_for_a_missing_column_is_an_error_before_anything_is_written(frame, tmp_path):
    with pytest.raises(ColumnError, match="keys: that column is none of"):
        write(frame, tmp_path / "x", **{"parquet.bloom.filter.enabled#keys": True})
    assert [*tmp_path.iterdir()] == []


def test_options_that_arrow_does_not_support_are_errors(monkeypatch):
    monkeypatch.setattr(
        "parquetext.spark.output.parquet_options._WRITER_KNOWS", {"compression_level", "use_dictionary"}
    )
    schema = pa.schema({"a": pa.int64()})
    for name in ("parquet.bloom.filter.enabled", "parquet.page.row.count.limit"):
        with pytest.raises(ParquetextError, match=rf"{name}: pyarrow .* cannot"):
            ParquetOptions.of({name: "true" if "bloom" in name else "100"}).check(schema)
    message = ParquetOptions.of({}).for_arrow("zstd", schema.empty_table())
    assert message == {"compression_level": 3, "use_dictionary": False, "data_page_size": 1 << 20}


def test_every_option_is_named_in_the_documentation():
    text = (Path(__file__).parents[2] / "docs" / "spark.md").read_text()
    assert [name for name in NAMES if name not in text] == []
    assert {*PER_COLUMN} < {*NAMES}
