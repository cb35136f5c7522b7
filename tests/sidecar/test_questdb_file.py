"""A Parquet file that QuestDB has written (`support.questdb` says how): its types, its bounds, filters on it."""

from __future__ import annotations

import json
import operator
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import questdb

import parquetext
from parquetext import sidecar
from parquetext.pruning import predicate_of

pytestmark = pytest.mark.usefixtures("implementation")

TYPES = {
    "ts": "TIMESTAMP",
    "d8": "DECIMAL8(2,1)",
    "d16": "DECIMAL16(4,2)",
    "d32": "DECIMAL32(9,3)",
    "d64": "DECIMAL64(18,3)",
    "d128": "DECIMAL128(38,10)",
    "d256": "DECIMAL256(76,30)",
    "ip": "IPv4",
    "l": "LONG",
    "s": "SYMBOL",
    "v": "VARCHAR",
    "a": "DOUBLE[]",
    "sh": "SHORT",
    "u": "UUID",
    "da": "DATE",
}
ORDERED = ("d8", "d16", "d32", "d64", "d128", "d256", "ip", "l", "sh")
COMPARE = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
ROWS = questdb.ROW_GROUP_SIZE


@pytest.fixture
def path(tmp_path) -> Path:
    return Path(shutil.copy(questdb.FILE, tmp_path / "data.parquet"))


@pytest.fixture
def plan(path):
    sidecar.build(path)
    with sidecar.open(path) as plan:
        yield plan


def test_types_are_those_of_the_engine(plan):
    said = json.loads(pq.read_metadata(questdb.FILE).metadata[b"questdb"])["schema"]
    assert [column.type_code for column in plan.columns] == [column["column_type"] for column in said]
    assert {column.name: column.type for column in plan.columns} == TYPES
    assert plan.column(plan.designated_timestamp).name == "ts"
    assert [column.id for column in plan.columns] == list(range(len(TYPES)))


def test_bounds_are_those_of_the_values(plan):
    table = pq.read_table(questdb.FILE)
    for name in ORDERED:
        groups = [
            [value for value in table[name].slice(at, ROWS).to_pylist() if value is not None]
            for at in range(0, len(table), ROWS)
        ]
        assert plan.column(name).min.to_pylist() == [min(values) for values in groups], name
        assert plan.column(name).max.to_pylist() == [max(values) for values in groups], name


def test_filters_leave_out_no_row_that_meets_them(plan):
    table = pq.read_table(questdb.FILE)
    for name in ORDERED:
        values, skipped = table[name].to_pylist(), 0
        for literal in {values[at] for at in (0, 17, 45, 89)} - {None}:
            for sign, is_met in COMPARE.items():
                left = plan.surviving(predicate_of([(name, sign, literal)]))
                for group in range(plan.num_row_groups):
                    found = any(
                        value is not None and is_met(value, literal)
                        for value in values[group * ROWS : (group + 1) * ROWS]
                    )
                    skips = plan.can_skip(group, [(name, sign, literal)])
                    assert not (found and (skips or group not in left)), (name, sign, literal, group)
                    skipped += skips
        assert skipped, f"no filter on {name} leaves anything out"


def test_reading_by_the_sidecar_gives_pyarrows_values(plan, path):
    for name, literal in (("d64", 45), ("d32", 0), ("ip", 3_000_000_000), ("l", 70)):
        kind = pq.read_schema(path).field(name).type
        filters = [(name, ">", pa.scalar(literal, kind).as_py())]
        expected = pq.read_table(path, filters=filters, columns=[name, "ts"], partitioning=None)
        for how in (plan, True):
            assert parquetext.read_table(path, [name, "ts"], filters, sidecar=how).equals(expected), (name, how)
