"""Row groups that a plan excludes: QuestDB's rules on the columns of a sidecar, one row group at a time."""

from __future__ import annotations

import datetime
import math
import uuid
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from parquetext import sidecar
from parquetext.errors import ColumnError

pytestmark = pytest.mark.usefixtures("implementation")

DAY = datetime.date(2024, 1, 1)
GROUPS = range(3)


def at(day: int) -> datetime.datetime:
    return datetime.datetime(2024, 1, 1) + datetime.timedelta(days=day)


def group(number: int) -> pa.Table:
    """Values from 10 × number on; nulls in the second row group, nothing but nulls in the third one's `gaps`."""
    rows = range(10 * number, 10 * number + 10)
    gaps = [None if number == 2 or (number == 1 and n % 2) else n for n in rows]
    return pa.table(
        {
            "long": pa.array(rows, pa.int64()),
            "int": pa.array([n - 15 for n in rows], pa.int32()),
            "short": pa.array(gaps, pa.int16()),
            "gaps": pa.array(gaps, pa.int64()),
            "double": [n / 2 for n in rows],
            "float": pa.array([n / 2 for n in rows], pa.float32()),
            "text": [f"t{n:02}" for n in rows],
            "bytes": pa.array([bytes([n]) for n in rows], pa.binary()),
            "day": [DAY + datetime.timedelta(n) for n in rows],
            "time": pa.array(map(at, rows), pa.timestamp("us")),
            "price": pa.array([Decimal(n - 15) / 4 for n in rows], pa.decimal128(9, 2)),
            "uuid": pa.array([bytes(15) + bytes([n]) for n in rows], pa.binary(16)),
            "flag": [n % 2 == 0 for n in rows],
            "list": [[n] for n in rows],
            "place": [{"x": n} for n in rows],
        }
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("skipping") / "a.parquet")
    with pq.ParquetWriter(path, group(0).schema, bloom_filter_options={"text": True, "double": True}) as writer:
        for number in GROUPS:
            writer.write_table(group(number))
    sidecar.build(path)
    return path


@pytest.fixture
def plan(path):
    with sidecar.open(path) as plan:
        yield plan


def kept(plan, filters) -> list[int]:
    return [number for number in GROUPS if not plan.can_skip(number, filters)]


@pytest.mark.parametrize(
    ("column", "operator", "value", "left"),
    [
        ("long", "=", 12, [1]),
        ("long", "==", 99, []),
        ("long", "<", 10, [0]),
        ("long", "<=", 10, [0, 1]),
        ("long", ">", 19, [2]),
        ("long", ">=", 19, [1, 2]),
        ("long", "in", [1, 25, 99], [0, 2]),
        ("long", "in", [-1], []),
        ("long", "between", (5, 12), [0, 1]),
        ("long", "between", (12, 5), [0, 1]),
        ("long", "between", (30, 40), []),
        ("long", "!=", 5, [0, 1, 2]),
        ("long", "not in", [5], [0, 1, 2]),
        ("int", "<", -10, [0]),
        ("int", ">", 4, [2]),
        ("double", ">=", 10.0, [2]),
        ("float", "<", 4.0, [0]),
        ("text", ">", "t19x", [2]),
        ("text", "<", "t1", [0]),
        ("bytes", "=", b"\x0b", [1]),
        ("day", "=", DAY, [0]),
        ("day", ">", DAY + datetime.timedelta(19), [2]),
        ("time", "<", at(10), [0]),
        ("time", "between", (at(10), at(11)), [1]),
        ("price", "<", Decimal("-1.25"), [0]),
        ("price", "=", Decimal("0.25"), [1]),
        ("uuid", "=", uuid.UUID(int=25), [2]),
        ("uuid", "=", bytes(16), [0]),
        ("gaps", "is null", None, [1, 2]),
        ("gaps", "is not null", None, [0, 1]),
        ("long", "is null", None, []),
        ("flag", "=", True, [0, 1, 2]),
    ],
    ids=str,
)
def test_bounds_and_null_counts_rule_out(plan, column, operator, value, left):
    assert kept(plan, [(column, operator, value)]) == left


@pytest.mark.parametrize(
    ("column", "operator", "value", "left"),
    [
        ("double", "is null", None, [0, 1, 2]),  # infinities are nulls that are not counted
        ("short", "is not null", None, [0, 1, 2]),  # shorts have no nulls: they show as 0
        ("short", "=", 0, [0, 1, 2]),
        ("short", "<", 1, [0, 1, 2]),
        ("long", "=", None, []),
        ("gaps", "=", None, [1, 2]),
        ("double", "=", math.nan, [0, 1, 2]),
        ("long", "<", None, [0, 1, 2]),
        ("long", "=", 1 << 70, [0, 1, 2]),
        ("int", "=", -(1 << 31), []),
        ("double", "=", "text", [0, 1, 2]),
        ("float", "<", 0.1, [0, 1, 2]),
        ("list", "=", 1, [0, 1, 2]),
        ("place", "is null", None, [0, 1, 2]),
    ],
    ids=str,
)
def test_values_that_questdb_shows_differently_exclude_nothing(plan, column, operator, value, left):
    """Conditions for which null sentinels, or a literal's type, weaken bounds and counts."""
    assert kept(plan, [(column, operator, value)]) == left


def test_bloom_filters_exclude_values_within_bounds(plan):
    assert kept(plan, [("text", "=", "t11x")]) == kept(plan, [("double", "in", [5.25, 8.125])]) == []
    assert kept(plan, [("text", "in", ["t11x", "t12"])]) == [1]


def test_alternatives_are_an_or_of_ands(plan):
    assert kept(plan, [[("long", "<", 5), ("text", ">", "t1")], [("long", "=", 25)]]) == [2]
    assert kept(plan, [("long", ">", 5), ("long", "<", 12)]) == [0, 1]


@pytest.mark.parametrize(
    ("expression", "left"),
    [
        (pc.field("long") > 19, [2]),
        ((pc.field("day") == DAY) | (pc.field("price") > Decimal("3.00")), [0, 2]),
        (pc.field("gaps").is_null(), [1, 2]),
        (pc.field("double").is_null(), [0, 1, 2]),
        (pc.field("nope") == 1, [0, 1, 2]),
    ],
    ids=str,
)
def test_an_expression_is_looked_at_by_arrow(plan, expression, left):
    assert kept(plan, expression) == left


def test_bounds_for_pruning_are_typed(plan):
    bounds = plan.column("day").bounds
    assert bounds.min.to_pylist() == [DAY, DAY + datetime.timedelta(10), DAY + datetime.timedelta(20)]
    assert bounds.no_nulls.to_pylist() == [True] * 3
    assert plan.column("gaps").bounds.only_nulls.to_pylist() == [False, False, True]
    assert plan.column("double").bounds.no_nulls.to_pylist() == [False] * 3
    assert plan.column("flag").bounds is None
    assert plan.column("list").bounds is None


def test_invalid_conditions_are_refused(plan):
    with pytest.raises(IndexError):
        plan.can_skip(3, [("long", "=", 1)])
    with pytest.raises(ColumnError):
        plan.can_skip(0, [("nope", "=", 1)])
    for wrong in ([], [("long", "~", 1)], "long = 1", [[]]):
        with pytest.raises((ValueError, TypeError)):
            plan.can_skip(0, wrong)
