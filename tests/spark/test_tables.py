"""Tables of Spark's catalog that are `USING parquetext`: read where their location is, written where it is said."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from parquetext.spark import ship

pytestmark = pytest.mark.slow

NAMES = ("t", "u", "declared")


@pytest.fixture
def sql(spark):
    """Run `spark.sql` and collect the rows; created tables are dropped."""
    ship(spark)
    yield lambda text: sorted(map(tuple, spark.sql(text).collect()))
    for name in NAMES:
        spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture
def lake(tmp_path):
    for day in (1, 2):
        folder = tmp_path / "lake" / f"day={day}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"id": [day * 10, day * 10 + 1], "name": ["a", None]}), folder / "x.parquet")
    return tmp_path / "lake"


ROWS = [(10, "a", 1), (11, None, 1), (20, "a", 2), (21, None, 2)]


@pytest.mark.parametrize(
    "where",
    ["LOCATION '{}' COMMENT 'c' TBLPROPERTIES ('made.by' = 'us')", "OPTIONS (path '{}', pathGlobFilter '*.parquet')"],
)
def test_a_table_with_a_location_is_read(spark, sql, lake, where):
    sql(f"CREATE TABLE t USING parquetext {where.format(lake)}")
    assert sorted(sql("SELECT * FROM t"), key=repr) == sorted(ROWS, key=repr)
    assert sql("SELECT name, id FROM t WHERE day = 2 AND id < 21") == [("a", 20)]
    assert spark.table("t").count() == 4 and spark.table("t").columns == ["id", "name", "day"]


def test_the_options_of_a_table_count(sql, lake):
    sql(f"CREATE TABLE t USING parquetext OPTIONS (path '{lake}', columns 'id')")
    assert sql("SELECT * FROM t") == [(10,), (11,), (20,), (21,)]
    with pytest.raises(Exception, match="unknown option colour"):
        sql(f"CREATE TABLE u USING parquetext OPTIONS (path '{lake}', colour 'red')")


def test_names_of_options_are_found_in_small_letters(sql, lake):
    """As Spark gives them, of a table and in a query."""
    sql(f"CREATE TABLE t USING parquetext OPTIONS (path '{lake}', recursiveFileLookup 'true', pathGlobFilter 'x*')")
    assert sql("SELECT id FROM t") == [(10,), (11,), (20,), (21,)]
    sql("CREATE TABLE u (id BIGINT) USING parquetext")
    assert sql(f"SELECT id FROM u WITH (path '{lake}', pathGlobFilter 'none*')") == []


def test_insert_into_a_table_needs_a_path(spark, sql, lake, tmp_path):
    sql(f"CREATE TABLE t USING parquetext LOCATION '{lake}'")
    sql(f"INSERT INTO t WITH (path '{lake}', partitionBy 'day') VALUES (30, 'b', 2), (40, 'c', 3)")
    assert sql("SELECT id FROM t WHERE day > 1") == [(20,), (21,), (30,), (40,)]
    assert sorted(path.name for path in lake.iterdir()) == ["_SUCCESS", "day=1", "day=2", "day=3"]
    sql(
        f"INSERT OVERWRITE t WITH (path '{lake}', partitionBy 'day', partitionOverwriteMode 'dynamic') "
        "SELECT id + 5, name, day FROM t WHERE day = 3"
    )
    assert sql("SELECT id FROM t") == [(10,), (11,), (20,), (21,), (30,), (45,)]
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        with pytest.raises(Exception, match="does not support dynamic overwrite"):
            sql(f"INSERT OVERWRITE t WITH (path '{lake}') VALUES (1, 'x', 1)")
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    for path in lake.rglob("part-*.parquet"):
        assert b"parquetext.options" not in path.read_bytes()


def test_rows_of_one_table_never_go_into_the_files_of_another(sql, lake, tmp_path):
    """Their schema is that of the table that they come from: no writer goes by it."""
    before = sorted(lake.rglob("*"))
    pq.write_table(pa.table({"id": [7], "name": ["z"], "day": pa.array([1], pa.int32())}), tmp_path / "one.parquet")
    sql(f"CREATE TABLE t USING parquetext LOCATION '{lake}'")
    sql(f"CREATE TABLE u USING parquetext LOCATION '{tmp_path / 'one.parquet'}'")
    for text in (
        "INSERT INTO u SELECT * FROM t",
        "INSERT INTO t TABLE u",
        "INSERT OVERWRITE t SELECT * FROM u",
        "INSERT INTO t VALUES (1, 'x', 1)",
    ):
        with pytest.raises(Exception, match=r"a path is missing.*INSERT INTO table WITH \(path"):
            sql(text)
    assert sorted(lake.rglob("*")) == before and len(sql("SELECT * FROM t")) == 4


def test_without_a_location_columns_are_declared_and_the_path_is_said(sql, tmp_path):
    with pytest.raises(Exception, match="a table without a location has no files to take columns from"):
        sql("CREATE TABLE t USING parquetext")
    sql("CREATE TABLE declared (id BIGINT, name STRING) USING parquetext")
    for text in ("SELECT * FROM declared", "INSERT INTO declared VALUES (1, 'x')"):
        with pytest.raises(Exception, match=r"(?s)path.*WITH \(path"):
            sql(text)
    where = f"WITH (path '{tmp_path / 'new'}')"
    sql(f"INSERT INTO declared {where} VALUES (1, 'x'), (2, NULL)")
    assert sql(f"SELECT id FROM declared {where} WHERE name IS NULL") == [(2,)]
