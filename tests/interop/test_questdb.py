"""A running QuestDB: its partition and our sidecar of it agree, and it continues next to the sidecar."""

from __future__ import annotations

import random
import shutil
from decimal import Decimal
from pathlib import Path

import pytest
from support import questdb

import parquetext
from parquetext import sidecar

UNITS = {"d8": "0.1", "d16": "0.25", "d32": "0.125", "d64": "1000.125", "d128": "0.0000000001", "d256": "1E-30"}
FIRST = {"d8": 1, "d16": -44, "d32": -44, "d64": 1, "d128": -45, "d256": 1}
ROWS = 90


@pytest.fixture
def database(tmp_path, long) -> Path:
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program}: QuestDB does not run")
    root = tmp_path / "db"
    root.mkdir()
    questdb.run(root, questdb.STATEMENTS.read_text().splitlines(), [])
    return root


def predicates() -> list[tuple[str, str, Decimal | int]]:
    """Ten at random on every decimal, and on addresses of both halves."""
    chosen = random.Random(18)
    found = [
        (
            name,
            chosen.choice(["<", "<=", ">", ">=", "="]),
            Decimal(unit) * chosen.randint(FIRST[name] - 1, FIRST[name] + ROWS),
        )
        for name, unit in UNITS.items()
        for _ in range(10)
    ]
    found += [("ip", chosen.choice(["<", "<=", ">", ">="]), 45_000_000 * chosen.randint(1, ROWS)) for _ in range(10)]
    # The engine has no constants of more digits than the column.
    return [part for part in found if part[0] != "d8" or part[2] < 10]


def query(name: str, sign: str, value: Decimal | int) -> str:
    literal = f"{value:f}m" if isinstance(value, Decimal) else "'{}.{}.{}.{}'".format(*value.to_bytes(4, "big"))
    return f"SELECT count() FROM t WHERE {name} {sign} {literal} AND ts < '2024-01-02'"


def test_the_engine_counts_the_rows_that_we_read(database):
    [path] = database.rglob("data.parquet")
    filters = predicates()
    queries = [query(*part) for part in filters]
    counts = questdb.run(database, [], queries)
    assert any(counts) and not all(counts)
    sidecar.build(path)
    with sidecar.open(path) as plan:
        for part, count in zip(filters, counts, strict=True):
            for how in (plan, True):
                assert parquetext.read_table(path, ["l"], [part], sidecar=how).num_rows == count, part
        left_out = sum(plan.can_skip(group, [part]) for part in filters for group in range(plan.num_row_groups))
    assert left_out > len(filters) // 2
    late = ["INSERT INTO t (ts, l) VALUES ('2024-01-01T12:00:00', 1000)"]
    assert questdb.run(database, late, queries[:1]) == counts[:1]
    [path] = database.rglob("data.parquet")
    assert parquetext.read_table(path, ["l"], [("l", "=", 1000)], sidecar=True).num_rows == 1


def test_the_sample_equals_the_output_of_the_engine(database):
    """Return the content without its random parts."""
    [path] = database.rglob("data.parquet")
    names = [*UNITS, "ip", "l", "ts", "sh", "da", "a"]
    assert parquetext.read_table(path, names).equals(parquetext.read_table(questdb.FILE, names))
