"""Plans of queries over wide relations, with and without the rules that hide these from a part of the optimizer."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import parquetext

__all__ = [
    "HIDDEN",
    "check_compared_plans",
    "compared_plans",
    "explained",
    "hidden_relations",
    "make_wide_files",
    "views",
]

COLUMNS, ROWS = 600, 20

# By whether they hide a relation.
HIDDEN = {
    "one column": "SELECT sum(c7) FROM flat",
    "filter": "SELECT c1, c2 + c3 FROM flat WHERE c7 > 5 AND c3 IS NOT NULL ORDER BY c1",
    "all columns": "SELECT * FROM flat",
    "join": "SELECT a.c1, b.c2 FROM flat a JOIN flat b ON a.c1 = b.c2 WHERE a.c3 > 7",
    "outer join": "SELECT a.c1, b.c2 FROM flat a LEFT JOIN nested b ON a.c1 = b.c2 + 15 WHERE b.c2 IS NULL",
    "union": "SELECT c1 FROM flat UNION ALL SELECT c2 FROM flat WHERE c1 = 3",
    "common expression": "WITH w AS (SELECT c1, c2 FROM flat) SELECT * FROM w a JOIN w b ON a.c1 = b.c2",
    "equal parts": "SELECT * FROM (SELECT sum(c1) FROM flat) CROSS JOIN (SELECT max(c2) FROM flat)",
    "dynamic pruning": "SELECT p.c1 FROM parts p JOIN flat f ON p.part = f.c1 WHERE f.c2 = 3",
    "window": "SELECT c1, row_number() OVER (PARTITION BY c2 ORDER BY c3) FROM flat",
}
QUERIES = HIDDEN | {
    "nested column": "SELECT nested.a FROM nested WHERE c3 = 5",
    "partitions": "SELECT c1, part FROM parts WHERE part = 1",
    "metadata": "SELECT c1, _metadata.file_name FROM parquet.`{folder}/flat`",
    "scalar subquery": "SELECT sum(c1), (SELECT max(c2) FROM flat) FROM flat",
    "subquery": "SELECT c1 FROM flat WHERE c1 IN (SELECT c2 FROM flat WHERE c3 = 4)",
}


def make_wide_files(folder: Path) -> None:
    """Make folders for `views`: of flat columns, of these and a nested one, and of these by a partition column."""
    table = pa.table({f"c{number}": pa.array(range(number, number + ROWS)) for number in range(COLUMNS)})
    nested = pa.array([{"a": number, "b": str(number)} for number in range(ROWS)])
    for name, content in (
        ("flat", table),
        ("nested", table.append_column("nested", nested)),
        ("parts/part=1", table),
        ("parts/part=3", table),
    ):
        (folder / name).mkdir(parents=True)
        pq.write_table(content, folder / name / "0.parquet", row_group_size=10)
        parquetext.upgrade(str(folder / name / "0.parquet"), "flat")


def views(spark: SparkSession, folder: str) -> None:
    """Create the views `flat`, `nested` and `parts` of these folders."""
    for name in ("flat", "nested", "parts"):
        spark.read.parquet(f"{folder}/{name}").createOrReplaceTempView(name)


def compared_plans(spark: SparkSession, folder: str) -> dict[str, list[bool]]:
    """Compare plans, statistics and rows of each query with those of stock Spark, and tell if a relation was hidden.

    The views and the settings of the session are changed.
    """
    views(spark, folder)
    told = {}
    for name, text in QUERIES.items():
        query = text.format(folder=folder)
        seen = []
        for enabled in ("true", "false"):
            spark.conf.set("spark.parquetext.scan.enabled", enabled)
            seen.append([*map(explained, [spark] * 2, [query] * 2, ["extended", "cost"]), _rows(spark, query)])
        spark.conf.set("spark.parquetext.scan.enabled", "true")
        told[name] = [ours == stock for ours, stock in zip(*seen, strict=True)] + [hidden_relations(spark, query)]
    spark.conf.unset("spark.parquetext.scan.enabled")
    return told


def check_compared_plans(told: dict[str, list[bool]], hides: bool = True) -> None:
    """Assert that all are equal, and that relations were hidden where it has no effect on plans."""
    assert told == {name: [True, True, True, hides and name in HIDDEN] for name in QUERIES}


def hidden_relations(spark: SparkSession, query: str) -> bool:
    """Return whether the optimizer hid a relation, and showed it again."""
    executor = spark._jvm.org.apache.spark.sql.catalyst.rules.RuleExecutor
    executor.resetMetrics()
    spark.sql(query)._jdf.queryExecution().optimizedPlan()
    runs = re.findall(r"FlatRules\$(Before|After) .* (\d+) / \d+ *$", executor.dumpTimeSpent(), re.MULTILINE)
    effective = {rule for rule, count in runs if int(count)}
    assert effective in ({"Before", "After"}, set())
    return bool(effective)


def explained(spark: SparkSession, query: str, mode: str) -> str:
    """Return the text of `explain` without the numbers that differ between two equal queries."""
    execution = spark.sql(query)._jdf.queryExecution()
    text = spark._jvm.PythonSQLUtils.explainString(execution, mode)
    text = re.sub(r"#\d+|plan_id=\d+|CTERelation(Def|Ref) \[?\d+|_extract_\w+", "#", text)
    mark = "(footers sliced by parquetext)"  # in place of a table's name, or behind it
    return text.replace(f"Scan parquet {mark}", "Scan parquet ").replace(f" {mark}", "")


def _rows(spark: SparkSession, query: str) -> list[str]:
    return sorted(map(repr, spark.sql(query).collect()))
