"""The data source's reader returns the rows of `spark.read.parquet`, and reads less."""

from __future__ import annotations

import datetime
import struct
from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType
from support.pages import Column, data_page, file_of_row_groups

import parquetext
from parquetext import wire
from parquetext.errors import Unsupported
from parquetext.spark import read
from parquetext.spark.source import ParquetextSource

MOMENTS = [datetime.datetime(1600, 1, 1), datetime.datetime(2020, 2, 29, 12, 30, 1, 5), None]
COLUMNS = {
    "i8": pa.array([1, -128, None], pa.int8()),
    "i16": pa.array([1, 2, None], pa.int16()),
    "i32": pa.array([1, 2, None], pa.int32()),
    "i64": pa.array([1, 2**62, None]),
    "u8": pa.array([255, 0, None], pa.uint8()),
    "u16": pa.array([65535, 0, None], pa.uint16()),
    "u32": pa.array([2**32 - 1, 0, None], pa.uint32()),
    "u64": pa.array([2**64 - 1, 0, None], pa.uint64()),
    "f32": pa.array([1.5, float("-inf"), None], pa.float32()),
    "f64": [0.1, -0.0, None],
    "flag": [True, False, None],
    "text": ["", "é\U0001f600", None],
    "large": pa.array(["a", "b", None], pa.large_string()),
    "coded": pa.array(["x", "x", None]).dictionary_encode(),
    "bytes": [b"\xff", b"", None],
    "fixed": pa.array([b"ab", b"cd", None], pa.binary(2)),
    "json": pa.array(["{}", "[1]", None], pa.json_()),
    "money": pa.array([Decimal("1.25"), Decimal("-9.99"), None], pa.decimal128(5, 2)),
    "huge": pa.array([Decimal("1.25"), None, None], pa.decimal128(38, 18)),
    "day": pa.array([datetime.date(1, 1, 1), datetime.date(1582, 10, 10), None]),
    "ntz_us": pa.array(MOMENTS, pa.timestamp("us")),
    "ntz_ms": pa.array([0, -1, None], pa.timestamp("ms")),
    "utc": pa.array(MOMENTS, pa.timestamp("us", "UTC")),
    "zoned": pa.array(MOMENTS, pa.timestamp("us", "Asia/Tokyo")),
    "zoned_ms": pa.array([0, -1, None], pa.timestamp("ms", "America/New_York")),
    "length": pa.array([1, -5, None], pa.duration("us")),
    "nothing": pa.nulls(3),
    "list": pa.array([[1, None], [], None]),
    "lists": pa.array([[["a"], None], None, [[]]]),
    "struct": pa.array([{"x": 1, "y": {"z": "q"}}, None, {"x": None, "y": None}]),
    "structs": pa.array(
        [[{"t": MOMENTS[1], "u": 7}, None], None, []],
        pa.list_(pa.struct([("t", pa.timestamp("ms", "UTC")), ("u", pa.uint8())])),
    ),
    "map": pa.array([[("a", 1), ("b", None)], None, []], pa.map_(pa.string(), pa.int64())),
    "deep_map": pa.array(
        [[(1, [{"k": [0.5]}])], None, []], pa.map_(pa.int32(), pa.list_(pa.struct([("k", pa.list_(pa.float32()))])))
    ),
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """Four files of ten row groups in two folders, one with a flat footer, one with an index."""
    folder = tmp_path_factory.mktemp("lake")
    for number in range(4):
        rows = range(number * 100, number * 100 + 100)
        table = pa.table(
            {
                "n": rows,
                "text": [f"v{row:04}" for row in rows],
                "x": [float("nan") if row == 399 else row / 2 for row in rows],
                "maybe": pa.array([None if row < 200 else row for row in rows], pa.int64()),
            }
        )
        path = folder / f"part={number // 2}" / f"{number}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(table, path, row_group_size=10, bloom_filter_options={"n": True})
    parquetext.upgrade(str(folder / "part=0" / "0.parquet"), form="flat")
    parquetext.upgrade(str(folder / "part=0" / "1.parquet"), "index")
    (folder / "part=1" / "_hidden.parquet").write_bytes(b"not looked at")
    return str(folder)


def source(spark, path, **options):
    reader = spark.read.format("parquetext")
    for name, value in options.items():
        reader = reader.option(name, value)
    return reader.load(path)


def _money(text: str, precision: int) -> pa.Array:
    return pa.array([Decimal(text)], pa.decimal128(precision, 2))


def rows(frame) -> list[str]:
    return sorted(map(repr, frame.collect()))


class TestResults:
    def test_all_types_are_those_of_sparks_own_reader(self, spark, tmp_path):
        path = str(tmp_path / "types.parquet")
        pq.write_table(pa.table(COLUMNS), path)
        ours, sparks = source(spark, path), spark.read.parquet(path)
        assert ours.schema == sparks.schema
        assert ours.toArrow() == sparks.toArrow()

    def test_int96_is_an_instant_of_any_century(self, spark, tmp_path):
        path = str(tmp_path / "t.parquet")
        moments = pa.array([datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1), None], pa.timestamp("ns"))
        nested = pa.StructArray.from_arrays([moments], ["t"])
        pq.write_table(pa.table({"t": moments, "s": nested}), path, use_deprecated_int96_timestamps=True)
        assert source(spark, path).toArrow() == spark.read.parquet(path).toArrow()

    @pytest.mark.parametrize(
        "array",
        [
            pa.array([1], pa.time64("us")),
            pa.array([1], pa.timestamp("ns")),
            pa.array([1.0], pa.float16()),
            pa.array([Decimal(1)], pa.decimal256(50, 2)),
            pa.array([b"0" * 16], pa.uuid()),
        ],
        ids=lambda a: str(a.type),
    )
    def test_a_type_that_spark_refuses_is_an_error_that_names_its_own_reader(self, spark, tmp_path, array):
        path = str(tmp_path / "t.parquet")
        pq.write_table(pa.table({"fine": [1], "c": array}), path)
        with pytest.raises(Exception, match=r"column 'c'.*spark\.read\.parquet"):
            source(spark, path).collect()
        assert source(spark, path, columns="fine").collect() == [(1,)]

    def test_a_variant_known_only_by_annotation_is_refused_too(self, spark, corpus):
        path = str(corpus / "parquet-testing/shredded_variant/case-001.parquet")
        with pytest.raises(Exception, match=r"column 'var': VARIANT.*spark\.read\.parquet"):
            source(spark, path)
        assert source(spark, path, columns="id").collect() == spark.read.parquet(path).select("id").collect()

    def test_instants_and_local_times_convert_if_the_schema_requests_the_other(self, spark, tmp_path):
        path = str(tmp_path / "t.parquet")
        pq.write_table(pa.table({name: COLUMNS[name] for name in ("ntz_us", "ntz_ms", "zoned", "zoned_ms")}), path)
        for names, kind in ((("ntz_us", "ntz_ms"), "timestamp"), (("zoned", "zoned_ms"), "timestamp_ntz")):
            schema = ", ".join(f"{name} {kind}" for name in names)
            sparks = spark.read.schema(schema).parquet(path)
            ours = spark.read.format("parquetext").schema(schema).load(path)
            assert rows(ours) == rows(sparks)
            late = f"{names[0]} > {kind}'2000-01-01'"
            assert rows(ours.where(late)) == rows(sparks.where(late)) != []

    def test_files_written_by_spark_are_read(self, spark, tmp_path):
        path = str(tmp_path / "t")
        frame = spark.range(5).selectExpr(
            "id",
            "cast(id as byte) b",
            "named_struct('a', id, 'c', array(id)) s",
            "timestamp_seconds(id) t",
            "date_add(date'1582-10-14', cast(id as int)) d",
            "cast(id as decimal(20,3)) m",
            "map(id, 'x') k",
            "make_dt_interval(1, 2, 3, -id) i",
            "array(make_dt_interval(0, 1)) j",
        )
        frame.repartition(2).write.parquet(path)
        assert source(spark, path).schema == spark.read.parquet(path).schema
        assert rows(source(spark, path)) == rows(spark.read.parquet(path))

    @pytest.mark.parametrize(
        "alien",
        [
            "make_ym_interval(1, 2)",
            "parse_json('[1]')",
            "ST_GeomFromWKB(X'0101000000000000000000F03F0000000000000040')",
        ],
    )
    def test_types_that_do_not_come_through_arrow_name_sparks_own_reader(self, spark, tmp_path, alien):
        path = str(tmp_path / "t")
        spark.range(0).selectExpr("id", f"array({alien}) c").write.parquet(path)
        with pytest.raises(Exception, match=r"column 'c'.*from Arrow.*spark\.read\.parquet"):
            source(spark, path).schema  # noqa: B018
        assert source(spark, path, columns="id").collect() == []

    def test_days_of_the_old_calendar_are_moved_as_spark_moves_them(self, spark, tmp_path):
        path = str(tmp_path / "t")
        days = [
            datetime.date(year, month, day)
            for year in (1, 99, 100, 200, 300, 900, 1000, 1500, 1582, 1900)
            for month, day in ((1, 1), (2, 28), (3, 1), (10, 4), (12, 31))
        ]
        spark.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", "LEGACY")
        try:
            frame = spark.createDataFrame([(day, [day]) for day in days], "d date, l array<date>")
            frame.coalesce(1).write.parquet(path)
        finally:
            spark.conf.unset("spark.sql.parquet.datetimeRebaseModeInWrite")
        assert source(spark, path).toArrow() == spark.read.parquet(path).toArrow()
        assert set(source(spark, path).toArrow()["d"].to_pylist()) == set(days)

    def test_moments_of_the_old_calendar_are_refused(self, spark, tmp_path):
        path = str(tmp_path / "t.parquet")
        table = pa.table({"t": pa.array([datetime.datetime(1500, 1, 1)], pa.timestamp("us", "UTC"))})
        table = table.replace_schema_metadata({"org.apache.spark.version": "2.4.8"})
        pq.write_table(table, path)
        with pytest.raises(Exception, match=r"timestamps before 1900.*spark\.read\.parquet"):
            source(spark, path).collect()
        assert source(spark, path, datetimeRebaseMode="CORRECTED").schema == spark.read.parquet(path).schema


class TestSchemas:
    def test_a_schema_that_is_given_is_all_that_is_read(self, spark, lake):
        schema = "text string, n long"
        ours = spark.read.format("parquetext").schema(schema).load(lake)
        assert ours.columns == ["text", "n"]
        assert rows(ours) == rows(spark.read.schema(schema).parquet(lake).select("text", "n"))

    def test_columns_are_found_in_another_case_and_are_null_if_missing(self, spark, tmp_path):
        path = str(tmp_path / "t.parquet")
        pq.write_table(pa.table({"Name": ["a"], "S": [{"Inner": 1, "more": 2}]}), path)
        schema = "NAME string, gone int, s struct<inner: long, absent: string>"
        ours = spark.read.format("parquetext").schema(schema).load(path)
        assert ours.collect() == spark.read.schema(schema).parquet(path).collect()

    def test_numbers_are_widened_and_never_narrowed(self, spark, tmp_path):
        path = str(tmp_path / "t.parquet")
        table = pa.table({"i": pa.array([7], pa.int32()), "f": pa.array([0.5], pa.float32()), "l": [2**40]})
        pq.write_table(table, path)
        wide = "i long, f double"
        assert (
            spark.read.format("parquetext").schema(wide).load(path).collect()
            == spark.read.schema(wide).parquet(path).collect()
        )
        with pytest.raises(Exception, match=r"'l' is int64.*spark\.read\.parquet"):
            spark.read.format("parquetext").schema("l int").load(path).collect()

    def test_the_schema_is_that_of_one_file_or_merged(self, spark, tmp_path):
        pq.write_table(pa.table({"a": [1], "s": [{"x": 1}], "m": _money("1.25", 5)}), tmp_path / "1.parquet")
        pq.write_table(
            pa.table({"b": ["q"], "A": [2], "s": [{"x": 2, "y": "w"}], "m": _money("1234567.25", 9)}),
            tmp_path / "2.parquet",
        )
        path = str(tmp_path)
        assert source(spark, path, columns="a,s").columns == ["a", "s"]
        ours, sparks = source(spark, path, mergeSchema="true"), spark.read.option("mergeSchema", "true").parquet(path)
        assert ours.schema == sparks.schema
        assert rows(ours) == rows(sparks)

    def test_types_that_cannot_be_merged_are_an_error(self, spark, tmp_path):
        pq.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
        pq.write_table(pa.table({"a": ["x"]}), tmp_path / "2.parquet")
        with pytest.raises(Exception, match=r"column 'a' is bigint in one file and string in another"):
            source(spark, str(tmp_path), mergeSchema="true").schema  # noqa: B018

    def test_columns_that_are_named_are_all_that_is_read(self, spark, lake):
        assert source(spark, lake, columns="part, text").columns == ["part", "text"]
        assert source(spark, lake, columns='["x"]').columns == ["x"]
        with pytest.raises(Exception, match="no column 'nowhere' in /"):
            source(spark, lake, columns="nowhere").schema  # noqa: B018


class TestDirectories:
    def test_keys_have_the_types_that_spark_gives_them(self, spark, tmp_path):
        values = {
            "i": ["1", "-2"],
            "l": ["1", "3000000000"],
            "d": ["1", "1.5"],
            "day": ["2020-01-02", "1582-10-10"],
            "s": ["a b%2Fc", "__HIVE_DEFAULT_PARTITION__"],
            "mixed": ["1", "x"],
            "none": ["__HIVE_DEFAULT_PARTITION__"] * 2,
            "V": ["7", "8"],
            "mixed_widths": ["9999999999", "2.5"],
            "exponent": ["1e3", "5."],
            "huge": ["1.0E20", "-0099999999999999999999"],
            "java": [" 1", "2.0f"],
            "hex": ["0x1p3", "+1"],
            "no_day": ["2020-02-30", "2020-01-01"],
            "clock": ["12:30", "13:00"],
            "exact": ["2020-01-01 00%3A00%3A00.123456"] * 2,
            "at": ["2020-03-08 02%3A30%3A00", "1800-01-01"],
            "twice": ["2020-11-01 01%3A30%3A00.5"] * 2,
        }
        for row in range(2):
            folder = tmp_path.joinpath(*(f"{key}={texts[row]}" for key, texts in values.items()))
            folder.mkdir(parents=True)
            pq.write_table(pa.table({"v": [row], "mixed": [1.5]}), folder / "f.parquet")
        zone = "America/New_York"
        ours = source(spark, str(tmp_path), timeZone=zone)
        sparks = spark.read.option("timeZone", zone).parquet(str(tmp_path))
        assert ours.schema == sparks.schema
        assert rows(ours) == rows(sparks)
        early = "at < timestamp'1900-01-01'"
        assert rows(ours.where(early)) == rows(sparks.where(early)) != []
        assert rows(read(spark, tmp_path)) == rows(spark.read.parquet(str(tmp_path)))  # of the session's time zone
        one, options = str(tmp_path / "i=1"), {"timeZone": zone, "basePath": str(tmp_path)}
        assert source(spark, one, timeZone=zone).columns == spark.read.parquet(one).columns
        assert rows(source(spark, one, **options)) == rows(spark.read.options(**options).parquet(one))

    def test_exactly_the_names_that_spark_ignores_are_ignored(self, spark, tmp_path):
        for name in (
            "x.parquet",
            "000000_0",
            "_k=1",
            "_meta.parquet",
            ".hidden",
            "y.parquet._COPYING_",
            "_temporary/t.parquet",
            ".staging/s.parquet",
        ):
            path = tmp_path / "_day=1" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.table({"n": [name]}), path)
        (tmp_path / "_day=1" / "empty.parquet").touch()
        found = rows(source(spark, str(tmp_path)))
        assert found == rows(spark.read.parquet(str(tmp_path)))
        assert len(found) == len(("x.parquet", "000000_0", "_k=1"))

    @pytest.mark.parametrize("texts", [("12:00:00", "13:00:00.5"), ("2020-01-01 00:00:00", "2020-01-02")])
    def test_keys_that_only_spark_can_interpret_are_refused(self, spark, tmp_path, texts):
        for text in texts:
            (tmp_path / f"k={text}").mkdir()
            pq.write_table(pa.table({"v": [1]}), tmp_path / f"k={text}" / "f.parquet")
        with pytest.raises(Exception, match=r"directories k=.*spark\.read\.parquet"):
            source(spark, str(tmp_path)).schema  # noqa: B018
        given = spark.read.format("parquetext").schema("v long, k string").load(str(tmp_path))
        assert sorted(row.k for row in given.collect()) == sorted(texts)

    def test_the_files_that_count_are_those_of_sparks_own_reader(self, spark, tmp_path):
        def lay(*names: str) -> str:
            folder = tmp_path / f"{len([*tmp_path.iterdir()])}"
            for name in names:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                pq.write_table(pa.table({"name": [name]}), folder / name)
            return str(folder)

        plain = lay("a.parquet", "b.pq", "deep/c.parquet")
        keyed = lay("x.parquet", "k=1/y.parquet", "k=2/deep/z.parquet")
        for path, options, count in (
            (plain, {}, 2),
            (plain, {"recursiveFileLookup": "true"}, 3),
            (keyed, {}, 2),
            (keyed, {"recursiveFileLookup": "true"}, 3),
            (keyed, {"basePath": tmp_path}, 2),
            (plain, {"pathGlobFilter": "{b,c}.*"}, 1),
            (lay("k=1/deep/j=2/f.parquet"), {}, 1),
        ):
            ours, sparks = ParquetextSource({"path": path, **options}), spark.read.options(**options).parquet(path)
            reader = ours.reader(ours.schema())
            found = [row for share in reader.partitions() for batch in reader.read(share) for row in batch.to_pylist()]
            assert reader.inner.schema == sparks.schema
            assert sorted(map(str, found)) == sorted(str(row.asDict()) for row in sparks.collect()), (path, options)
            assert len(found) == count
        for path in (
            lay("k=1/f.parquet", "j=1/f.parquet"),
            lay("k=1/f.parquet", "k=1/j=1/f.parquet"),
            lay("k=1/f.parquet", "deep/f.parquet"),
            lay("x/k=1/f.parquet", "y/k=1/f.parquet"),
            lay("k=/f.parquet"),
            lay("=1/f.parquet"),
            lay("k=1/k=2/f.parquet"),
        ):
            with pytest.raises(Unsupported, match=r"spark\.read\.parquet"):
                ParquetextSource({"path": path}).schema()
            with pytest.raises(Exception, match=r"(?i)conflicting|EMPTY_PARTITION|ALREADY_EXISTS"):
                spark.read.parquet(path).schema  # noqa: B018

    def test_rows_after_pages_without_values_are_read(self, spark, tmp_path):
        """pyarrow ends a column chunk at such a page, and reads the column's next row group instead."""
        pages = [data_page(struct.pack("<3i", *row), len(row), wire.ENCODING_PLAIN) for row in ([1, 2, 3], [4, 5, 6])]
        empty = data_page(b"", 0, wire.ENCODING_PLAIN)
        x = Column("x", wire.PHYSICAL_INT32, [pages[0], empty, empty, pages[1]])
        y = Column("y", wire.PHYSICAL_INT32, pages)
        (tmp_path / "x.parquet").write_bytes(file_of_row_groups([([x, y], 6), ([replace(y, name="x"), y], 6)]))
        rows = [tuple(row) for row in read(spark, str(tmp_path)).collect()]
        assert sorted(rows) == sorted([(n, n) for n in range(1, 7)] * 2)

    def test_several_paths_are_one_table(self, spark, lake):
        paths = [f"{lake}/part=0/0.parquet", f"{lake}/part=1"]
        assert rows(source(spark, paths)) == rows(spark.read.parquet(*paths))

    def test_patterns_match_the_files_of_sparks_reader(self, spark, tmp_path):
        for name in (
            "day=1/a.parquet",
            "day=1/b.parquet",
            "day=2/a.parquet",
            "day=2/_c.parquet",
            "day=2/.d.parquet",
            "_part=3/a.parquet",
            "x[1].parquet",
            "day=1/deep=5/a.parquet",
        ):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.table({"name": [name]}), tmp_path / name)
        (tmp_path / "day=9").symlink_to(tmp_path / "day=2")
        for pattern, count in (("day=[!1]", 2), ("{day=1,_part=3}/[a-b].*", 3), ("day=*/*", 5)):
            ours, sparks = source(spark, f"{tmp_path}/{pattern}"), spark.read.parquet(f"{tmp_path}/{pattern}")
            assert (ours.schema, rows(ours)) == (sparks.schema, rows(sparks)), pattern
            assert len(rows(ours)) == count
        based = [
            source(spark, f"{tmp_path}/day=*/a*", basePath=str(tmp_path)),
            spark.read.option("basePath", tmp_path).parquet(f"{tmp_path}/day=*/a*"),
        ]
        assert rows(based[0]) == rows(based[1])
        assert rows(read(spark, [f"{tmp_path}/day=1/*.parquet", f"{tmp_path}/x[[]1].parquet"])) == [
            f"Row(name='{name}')" for name in ("day=1/a.parquet", "day=1/b.parquet", "x[1].parquet")
        ]
        assert rows(source(spark, f"{tmp_path}/x[1].parquet")) == ["Row(name='x[1].parquet')"]  # its very name
        with pytest.raises(Exception, match=r"nothing matches.*day=7\*"):
            source(spark, f"{tmp_path}/day=7*").schema  # noqa: B018

    def test_no_file_at_all_is_an_error_unless_a_schema_is_given(self, spark, tmp_path):
        with pytest.raises(Exception, match="no file in"):
            source(spark, str(tmp_path)).schema  # noqa: B018
        assert spark.read.format("parquetext").schema("a int").load(str(tmp_path)).collect() == []


class TestPartitions:
    @pytest.mark.parametrize("most", ["2k", "1g"])
    def test_each_row_is_in_just_one(self, spark, lake, most):
        frame = source(spark, lake, maxPartitionBytes=most, openCostInBytes="1", minPartitionNum="1")
        assert rows(frame.select("n", "part")) == rows(spark.read.parquet(lake).select("n", "part"))
        counts = frame.groupBy(F.spark_partition_id()).count().count()
        assert (counts == 1) == (most == "1g")
        if most == "2k":
            assert counts > 4  # files are cut between their row groups

    def test_wrong_options_are_errors(self, spark, lake):
        for name, value in (("maxPartitionBytes", "many"), ("mergeSchema", "perhaps"), ("datetimeRebaseMode", "x")):
            with pytest.raises(Exception, match=f"option {name}"):
                source(spark, lake, **{name: value}).schema  # noqa: B018
        with pytest.raises(Exception, match="unknown option modifiedbefore: known are columns"):
            source(spark, lake, modifiedBefore="2020-01-01").schema  # noqa: B018


class TestRead:
    def test_it_gives_columns_of_the_rows_that_meet_filters(self, spark, lake):
        wanted = [[("n", "<", 2), ("part", "=", 0)], [("n", "in", [350, 399])]]
        got = read(spark, lake, columns=["text"], filters=wanted)
        assert rows(got) == [f"Row(text='v{row:04}')" for row in (0, 1, 350, 399)]
        above = read(spark, lake, filters=[("x", ">", 198.5)]).select("n")
        assert rows(above) == ["Row(n=398)", "Row(n=399)"]  # the second is a NaN, above all for Spark

    def test_relative_paths_are_seen_from_the_drivers_directory(self, spark, lake, monkeypatch):
        monkeypatch.chdir(f"{lake}/part=0")
        assert read(spark, "../part=1", columns=["n", "part"], filters=[("n", "=", 399)], basePath="..").collect() == [
            (399, 1)
        ]

    def test_names_need_no_quotes(self, spark, tmp_path):
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table({"a.b": [1, 2], "c`d": [3, 4]}), path)
        assert read(spark, path, columns=["c`d"], filters=[("a.b", "!=", 1)]).collect() == [(4,)]

    def test_filters_are_checked(self, spark, lake):
        with pytest.raises(ValueError, match="'~' is no operator"):
            read(spark, lake, filters=[("n", "~", 1)])
        for filters in ("n > 1", [[]], ("n", ">", 1), [("n", ">")]):
            with pytest.raises(TypeError, match="filter"):
                read(spark, lake, filters=filters)
        with pytest.raises(TypeError, match="columns"):
            read(spark, lake, columns="n")

    def test_rows_without_a_column_are_counted(self, spark, lake):
        assert read(spark, lake, columns=[]).count() == spark.read.parquet(lake).select().count() == 400


def test_par3_files_are_read(spark, tmp_path):
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"a": range(30)}), path, row_group_size=10)
    parquetext.upgrade(path, form="flat")
    parquetext.finalize(path, confirm=True)
    assert source(spark, path).agg(F.sum("a")).collect() == [(435,)]


def test_parx_files_are_read(spark, tmp_path):
    path = str(tmp_path / "t.parquet")
    parquetext.write_table(pa.table({"a": range(30)}), path, form="parx", row_group_size=10)
    assert source(spark, path).agg(F.sum("a")).collect() == [(435,)]


def test_a_damaged_file_is_an_error_that_names_it(spark, tmp_path):
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 but no footer at the end")
    with pytest.raises(Exception, match=r"bad\.parquet"):
        spark.read.format("parquetext").schema("a int").load(str(tmp_path)).collect()


def test_reading_a_very_wide_file_whole_is_a_warning(tmp_path, caplog):
    path = str(tmp_path / "wide.parquet")
    pq.write_table(pa.table({f"c{number}": [number] for number in range(1000)}), path)
    assert ParquetextSource({"path": path, "columns": "c7"}).schema().names == ["c7"]
    assert not caplog.records
    assert len(ParquetextSource({"path": path}).schema()) == 1000
    assert "all 1000 columns are read" in caplog.text
    assert "parquetext.spark.read(columns=…)" in caplog.text


def test_a_batch_has_at_most_the_rows_of_the_option(tmp_path):
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"n": range(100)}), path)
    reader = ParquetextSource({"path": path, "batchRows": "30"}).reader(StructType([StructField("n", LongType())]))
    (share,) = reader.partitions()
    assert [batch.num_rows for batch in reader.read(share)] == [30, 30, 30, 10]
