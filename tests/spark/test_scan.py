"""Spark's own scans with slices of footers: the same rows, from less."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError
from support.changed_metadata import with_footer, with_indexes
from support.flat_files import ADD_FORM, with_flat_footer
from support.later_layouts import with_later_layout
from support.spark_scans import footers, formats

import parquetext

pytestmark = pytest.mark.usefixtures("needed_scan_jar")

COLUMNS, ROWS, GROUP = 200, 1000, 100


@pytest.fixture
def spark(spark):
    """A session of this test alone: its settings may be changed."""
    return spark.newSession()


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return pa.table({f"c{number}": np.arange(ROWS) * (number + 1) for number in range(COLUMNS)})


@pytest.fixture(scope="module")
def upgraded(table, tmp_path_factory) -> str:
    path = str(tmp_path_factory.mktemp("upgraded") / "x.parquet")
    pq.write_table(table, path, row_group_size=GROUP)
    parquetext.upgrade(path, form="flat")
    return path


@pytest.fixture(scope="module")
def plain(table, tmp_path_factory) -> str:
    path = str(tmp_path_factory.mktemp("plain") / "x.parquet")
    pq.write_table(table, path, row_group_size=GROUP)
    return path


def test_a_query_reads_a_slice_of_the_footer(spark, upgraded, table):
    frame = spark.read.parquet(upgraded).where("c3 >= 400").select("c7", "c199")
    rows = [tuple(row) for row in frame.collect()]
    assert rows == [(number * 8, number * 200) for number in range(100, ROWS)]
    counted = footers(frame)
    assert (counted["sliced"], counted["whole"], counted["fell back"]) == (1, 0, 0)
    assert 0 < counted["bytes"] < 300_000


def test_filters_on_nested_columns_are_pushed_down_as_by_stock_spark(spark, tmp_path):
    table = pa.table({"place": [{"x": number} for number in range(ROWS)], **{f"c{n}": range(ROWS) for n in range(50)}})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=GROUP)
    parquetext.upgrade(tmp_path / "x.parquet", form="flat")
    pushed, rows = [], []
    for enabled in ("true", "false"):
        spark.conf.set("spark.parquetext.scan.enabled", enabled)
        frame = spark.read.parquet(str(tmp_path / "x.parquet")).where("place.x >= 950").select("c7")
        scan = frame._jdf.queryExecution().executedPlan().collectLeaves().apply(0)
        pushed.append(scan.metadata().apply("PushedFilters"))
        rows.append(frame.collect())
    assert pushed[0] == pushed[1] == "[IsNotNull(place.x), GreaterThanOrEqual(place.x,950)]"
    assert rows[0] == rows[1] and len(rows[0]) == 50


def test_a_table_keeps_its_name_in_plans(spark, upgraded):
    spark.sql(f"CREATE TABLE named_of_scan USING parquet LOCATION '{upgraded}'")
    try:
        plan = spark.sql("SELECT c7 FROM named_of_scan")._jdf.queryExecution().executedPlan().toString()
        assert "Scan parquet spark_catalog.default.named_of_scan (footers sliced by parquetext)[" in plan
    finally:
        spark.sql("DROP TABLE named_of_scan")


def test_of_a_narrow_local_file_only_16_kib_are_read_for_its_footer(spark, table, tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(table.select(range(20)), path, compression="none")
    parquetext.upgrade(str(path), form="flat")
    assert path.stat().st_size > 1 << 16
    frame = spark.read.parquet(str(path)).select("c7")
    assert len(frame.collect()) == len(table)
    counted = footers(frame)
    assert (counted["sliced"], counted["bytes"]) == (1, 1 << 14)


def test_sql_over_a_view_does_too(spark, upgraded):
    spark.read.parquet(upgraded).createOrReplaceTempView("upgraded")
    frame = spark.sql("SELECT sum(c7) FROM upgraded WHERE c3 >= 400")
    assert frame.collect()[0][0] == sum(range(100, ROWS)) * 8
    assert footers(frame)["sliced"] == 1


@pytest.mark.parametrize("most", [1, 5_000, 100_000, 1 << 30])
@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_every_row_group_is_read_exactly_once(spark, upgraded, most, vectorized):
    if most == 1:
        most = max(1, Path(upgraded).stat().st_size // 300)  # more splits than there are row groups, by far
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(most))
    spark.conf.set("spark.sql.files.openCostInBytes", "0")
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    frame = spark.read.parquet(upgraded).selectExpr("c42", "_metadata.row_index AS row", "input_file_name() AS file")
    rows = sorted((row.row, row.c42, row.file) for row in frame.collect())
    assert rows == [(number, number * 43, f"file://{upgraded}") for number in range(ROWS)]
    counted = footers(frame)
    assert counted["sliced"] >= 1 and counted["whole"] == 0


def test_more_than_half_of_the_columns_come_by_the_whole_footer(spark, upgraded, table):
    frame = spark.read.parquet(upgraded)
    assert frame.toArrow().sort_by("c0").equals(table)
    assert (footers(frame)["sliced"], footers(frame)["whole"]) == (0, 1)


def test_a_file_without_a_flat_footer_is_read_as_it_is(spark, plain):
    frame = spark.read.parquet(plain).where("c3 >= 400").select("c7")
    assert frame.agg({"c7": "sum"}).first()[0] == sum(range(100, ROWS)) * 8
    assert frame.count() == ROWS - 100
    assert len(frame.collect()) == ROWS - 100
    counted = footers(frame)
    assert (counted["sliced"], counted["whole"], counted["fell back"]) == (0, 1, 0)


def test_a_damaged_file_counts_once_however_many_splits_read_it(spark, upgraded, tmp_path):
    content = bytearray(Path(upgraded).read_bytes())
    thrift = len(content) - 8 - pq.read_metadata(upgraded).serialized_size
    content[thrift - 3000 : thrift - 2000] = bytes(1000)  # of the flat footer, in front of the Thrift footer
    (tmp_path / "x.parquet").write_bytes(content)
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(len(content) // 5))
    spark.conf.set("spark.sql.files.openCostInBytes", "0")
    frame = spark.read.schema("c7 long").parquet(str(tmp_path)).agg({"c7": "sum"})
    assert frame.collect()[0][0] == 8 * sum(range(ROWS))
    counted = footers(frame)
    assert (counted["sliced"], counted["fell back"]) == (0, 1) and counted["whole"] >= 5


@pytest.mark.parametrize("form", ADD_FORM)
def test_a_block_in_a_layout_of_a_later_version_is_ignored(spark, plain, table, tmp_path, form):
    add = ADD_FORM[form]
    known = tmp_path / "known.parquet"
    known.write_bytes(add(Path(plain).read_bytes()))
    later = tmp_path / "later.parquet"
    later.write_bytes(with_later_layout(known.read_bytes(), form))
    for path, expected in ((known, [1, 0, 0]), (later, [0, 1, 1])):
        frame = spark.read.parquet(str(path))
        assert frame.columns == table.column_names
        chosen = frame.where("c3 >= 400").select("c7")
        assert [row.c7 for row in chosen.collect()] == [number * 8 for number in range(100, ROWS)]
        counted = footers(chosen)
        assert [counted[name] for name in ("sliced", "whole", "fell back")] == expected


def test_the_switch_is_read_when_a_query_is_planned(spark, plain):
    spark.conf.set("spark.parquetext.scan.enabled", "false")
    assert formats(spark.read.parquet(plain)) == ["ParquetFileFormat"]
    spark.conf.set("spark.parquetext.scan.enabled", "true")
    assert formats(spark.read.parquet(plain)) == ["SlicingFormat"]
    spark.conf.unset("spark.parquetext.scan.enabled")
    assert formats(spark.read.parquet(plain)) == ["SlicingFormat"]


@pytest.mark.parametrize("merged", ["false", "true"])
def test_the_schema_is_inferred_from_a_slice_and_equals_sparks_own(spark, upgraded, plain, merged):
    own = spark.newSession()
    own.conf.set("spark.parquetext.scan.enabled", "false")
    paths = [upgraded, plain]
    frame = spark.read.option("mergeSchema", merged).parquet(*paths)
    assert frame.schema.json() == own.read.option("mergeSchema", merged).parquet(*paths).schema.json()
    relation = frame._jdf.queryExecution().analyzed().relation()
    assert relation.fileFormat().getClass().getSimpleName() == "ParquetFileFormat"
    assert "parquetext" not in relation.options().toString()


def test_inference_reads_no_row_groups(spark, upgraded, table, tmp_path):
    """Where they stand in the Thrift footer is nothing that can be read; Spark's own inference steps over them."""
    content = bytearray(Path(upgraded).read_bytes())
    thrift = pq.read_metadata(upgraded).serialized_size
    middle = len(content) - 8 - thrift // 2
    content[middle - 500 : middle + 500] = b"\xff" * 1000
    damaged = tmp_path / "x.parquet"
    damaged.write_bytes(content)
    assert spark.read.parquet(str(damaged)).columns == table.column_names
    spark.conf.set("spark.parquetext.scan.enabled", "false")
    with pytest.raises(Py4JJavaError, match=r"FOOTER|footer"):
        spark.read.parquet(str(damaged))


def test_the_ui_shows_the_metrics_of_footers(spark, upgraded):
    """The metrics on the page of a query are those that this store has of its plan."""
    spark.read.schema("c5 long").parquet(upgraded).agg({"c5": "max"}).collect()
    store = spark._jsparkSession.sharedState().statusStore()
    spark._jsc.sc().listenerBus().waitUntilEmpty()
    last = store.executionsList().last()
    metrics = [last.metrics().apply(position) for position in range(last.metrics().size())]
    assert {"footers sliced", "footers whole", "files that fell back"} < {metric.name() for metric in metrics}
    values = store.executionMetrics(last.executionId())
    found = {metric.name(): values.get(metric.accumulatorId()) for metric in metrics}
    assert found["footers sliced"].get() == "1"
    assert found["bytes of footers read"].isDefined()


@pytest.fixture
def unlike(tmp_path) -> Path:
    """Two row groups of four columns that are never null, with page indexes; the first one is required."""
    path = tmp_path / "x.parquet"
    fields = [pa.field(name, pa.int64(), nullable=name != "n") for name in "nabc"]
    pq.write_table(
        pa.table([pa.array(range(400))] * 4, pa.schema(fields)), path, row_group_size=200, write_page_index=True
    )
    return path


def invert(group: int, bounds: dict, places: dict) -> tuple[dict, dict]:
    return bounds | {"min_values": bounds["max_values"], "max_values": [bytes(8)] * len(bounds["max_values"])}, places


IMPOSSIBLE = {
    "nulls of a required column": ("n", {"null_count": 200}),
    "more nulls than values": ("a", {"null_count": 201}),
    "as many nulls as values": ("a", {"null_count": 200}),
    "inverted bounds": ("a", {"min_value": (9999).to_bytes(8, "little"), "max_value": bytes(8)}),
    "short bounds": ("a", {"min_value": bytes(4), "max_value": bytes(4)}),
}


@pytest.mark.parametrize("form", ADD_FORM)
@pytest.mark.parametrize("name, statistics", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_statistics_that_cannot_be_right_rule_no_rows_out(spark, unlike, form, name, statistics):
    if "max_value" in statistics:
        with_indexes(unlike, "nabc".index(name), invert)

    def change(footer: dict) -> None:
        for group in footer["row_groups"]:
            group["columns"]["nabc".index(name)]["meta_data"]["statistics"] |= statistics

    with_footer(unlike, change)
    unlike.write_bytes(ADD_FORM[form](unlike.read_bytes()))
    frame = spark.read.parquet(str(unlike)).where(f"{name} = 137").select(name)
    assert [tuple(row) for row in frame.collect()] == [(137,)]
    assert footers(frame)["sliced"] == 1


NESTED = pa.struct([pa.field("x.y", pa.int64()), pa.field("z", pa.int64())])
FILTERS = {"n": "n = 137", "A.b": "`a.B` = 137", "s": "s.`x.y` = 137"}  # case does not count


@pytest.fixture
def indexed(tmp_path) -> Path:
    """Two row groups of four pages each: a required column, one with a dot in its name, a struct, and two others."""
    path = tmp_path / "x.parquet"
    numbers = pa.array(range(400), pa.int64())
    struct = pa.array([{"x.y": n, "z": n} for n in range(400)], NESTED)
    fields = [pa.field("n", pa.int64(), nullable=False), pa.field("A.b", pa.int64()), pa.field("s", NESTED)]
    fields += [pa.field(name, pa.int64()) for name in "cdefg"]
    columns = [numbers, numbers, struct, *[numbers] * 5]
    options = dict(data_page_size=1, write_batch_size=50, use_dictionary=False, write_page_index=True)
    pq.write_table(pa.table(columns, pa.schema(fields)), path, row_group_size=200, **options)
    return path


def elsewhere(group: int, bounds: dict, places: dict) -> tuple[dict, dict]:
    """Say that all pages have the chunk's greatest value alone, in an order that is not told."""
    greatest = [bounds["max_values"][-1]] * len(bounds["max_values"])
    return bounds | {"min_values": greatest, "max_values": greatest, "boundary_order": 0}, places


@pytest.mark.parametrize("form", ADD_FORM)
@pytest.mark.parametrize("vectorized", ["true", "false"])
@pytest.mark.parametrize("name", FILTERS)
def test_a_column_index_that_contradicts_the_statistics_rules_no_rows_out(spark, indexed, form, vectorized, name):
    with_indexes(indexed, list(FILTERS).index(name), elsewhere)
    indexed.write_bytes(ADD_FORM[form](indexed.read_bytes()))
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
    for most in ("100m", "5k"):
        spark.conf.set("spark.sql.files.maxPartitionBytes", most)
        frame = spark.read.parquet(str(indexed)).where(FILTERS[name]).select("c", "`a.B`")
        assert [tuple(row) for row in frame.collect()] == [(137, 137)]
        assert footers(frame)["sliced"] >= 1
    spark.conf.set("spark.parquetext.scan.enabled", "false")
    assert spark.read.parquet(str(indexed)).where(FILTERS[name]).count() == 0, "Spark's own scan loses the row"


def test_sound_page_indexes_still_skip_pages(spark, indexed):
    """Reading a page that no row is wanted of would fail."""
    data = bytearray(indexed.read_bytes())
    with parquetext.open(indexed) as file:
        first, last = (file.pages("c")["offset"].to_pylist()[page] for page in (0, 7))
    for offset in (first, last):
        data[offset : offset + 8] = b"\xff" * 8
    indexed.write_bytes(with_flat_footer(bytes(data)))
    frame = spark.read.parquet(str(indexed)).where("n = 137").select("c")
    assert [tuple(row) for row in frame.collect()] == [(137,)]
    with pytest.raises(Py4JJavaError):
        spark.read.parquet(str(indexed)).where("n >= 0").select("c").collect()
