"""Readers without support for our footers, old and new, read the same values with them; exceptions are listed."""

from __future__ import annotations

import datetime
import decimal
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.every_type import map_column, nested_columns
from support.readers import AFTER_STOP, ASIDE, CARRIED, JUMP_TABLE, READERS, Reader

import parquetext
from parquetext.edits.options import PLACEMENTS

ROOT = Path(__file__).parents[2]
ROWS = 60


def flat_table() -> pa.Table:
    """Every type that all the readers know, nulls among the values."""
    columns = {
        "int": pa.array(range(ROWS), pa.int32()),
        "long": pa.array([n * 10**12 for n in range(ROWS)], pa.int64()),
        "double": pa.array([n / 3 for n in range(ROWS)], pa.float64()),
        "text": pa.array([f"tä{n % 17}" for n in range(ROWS)], pa.string()),
        "flag": pa.array([n % 3 == 0 for n in range(ROWS)], pa.bool_()),
        "day": pa.array([datetime.date(2020, 1, 1 + n % 28) for n in range(ROWS)], pa.date32()),
        "moment": pa.array([datetime.datetime(2021, 5, 6, 7, 8, 9, n) for n in range(ROWS)], pa.timestamp("us")),
        "zoned": pa.array([datetime.datetime(2021, 5, 6, 7, 8, 9, n) for n in range(ROWS)], pa.timestamp("us", "UTC")),
        "price": pa.array([decimal.Decimal(n).scaleb(-2) for n in range(ROWS)], pa.decimal128(18, 2)),
    }
    nulls = {
        f"{name} or null": pa.array(
            [None if n % 5 == 0 else value for n, value in enumerate(column.to_pylist())], column.type
        )
        for name, column in columns.items()
    }
    return pa.table({**columns, **nulls})


def nested_table() -> pa.Table:
    return pa.table(nested_columns(ROWS))


def maps_table() -> pa.Table:
    return pa.table({"map": map_column(ROWS)})


def groups_table() -> pa.Table:
    """Return a table that is written in many row groups."""
    return pa.table(
        {
            "id": range(ROWS),
            "text": [f"x{n}" for n in range(ROWS)],
            "value or null": [None if n % 5 == 0 else n / 7 for n in range(ROWS)],
        }
    )


# And rows per group.
TABLES = {
    "flat": (flat_table, ROWS),
    "nested": (nested_table, ROWS),
    "maps": (maps_table, ROWS),
    "groups": (groups_table, 2),
}
FORMS = ("flat", "index", "packed")
# Placement and options of `upgrade`; the arrow dialect follows the stop.
VARIANTS = [
    *((placement, {"form": form}) for placement in PLACEMENTS for form in FORMS),
    (ASIDE, {"form": "modular"}),
    (AFTER_STOP, {"form": "arrow"}),
]


# Copies of all columns, by physical type, alone and with our footer on top.
COPIES = {
    "BOOLEAN": "rle",
    "INT32": "pfor",
    "INT64": "delta_binary_packed",
    "DOUBLE": "alp",
    "BYTE_ARRAY": "fsst",
    "FIXED_LEN_BYTE_ARRAY": "byte_stream_split",
}


@dataclass(frozen=True)
class Case:
    """A table as pyarrow wrote it, and the same file with our footer, or with copies of columns."""

    table: str
    placement: str
    plain: str
    upgraded: str

    def __str__(self) -> str:
        return Path(self.upgraded).stem


@pytest.fixture(scope="module")
def cases(tmp_path_factory) -> list[Case]:
    folder = tmp_path_factory.mktemp("readers")
    return [case for name, (table, rows) in TABLES.items() for case in _cases(folder, name, table(), rows)]


def _cases(folder: Path, name: str, table: pa.Table, rows: int) -> list[Case]:
    plain, cases = str(folder / f"{name}.parquet"), []
    pq.write_table(table, plain, compression="snappy", row_group_size=rows)
    for placement, how in VARIANTS:
        upgraded = str(folder / "-".join([name, placement, *how.values()])) + ".parquet"
        shutil.copyfile(plain, upgraded)
        assert parquetext.upgrade(upgraded, placement=placement, **how).outcome == "upgraded"
        cases.append(Case(name, placement, plain, upgraded))
    for forms in (["jump-table"], ["flat", "jump-table"]):
        upgraded = str(folder / "-".join([name, *forms])) + ".parquet"
        shutil.copyfile(plain, upgraded)
        assert [parquetext.upgrade(upgraded, form=form).outcome for form in forms] == ["upgraded"] * len(forms)
        cases.append(Case(name, JUMP_TABLE, plain, upgraded))
    columns = pq.read_metadata(plain).schema
    copies = {tuple(column.path.split(".")): COPIES[column.physical_type] for column in columns}
    encoded, both = (str(folder / f"{name}-{kind}.parquet") for kind in ("encoded", "encoded-flat"))
    parquetext.encode(plain, copies, codec="zstd", out=encoded)
    shutil.copyfile(encoded, both)
    assert parquetext.upgrade(both, "flat").outcome == "upgraded"
    return [*cases, Case(name, CARRIED, plain, encoded), Case(name, CARRIED, plain, both)]


@dataclass(frozen=True)
class Answers:
    """Return a reader's result: the outcome of each case before and after, and two cases that differ in a value."""

    reader: Reader
    outcomes: list[tuple[Case, dict, dict]]
    one: dict
    other: dict


@pytest.fixture(scope="module", params=READERS, ids=str)
def answers(request, cases, tmp_path_factory) -> Answers:
    reader: Reader = request.param
    need(request, reader)
    known = [case for case in cases if case.table in reader.tables and case.placement not in reader.endless]
    paths = list(dict.fromkeys(path for case in known for path in (case.plain, case.upgraded)))
    other = str(tmp_path_factory.mktemp("other") / "groups.parquet")
    pq.write_table(groups_table().set_column(0, "id", pa.array([*range(ROWS - 1), 999])), other)
    found = dict(zip([*paths, other], reader.read([*paths, other]), strict=True))
    outcomes = [(case, found[case.plain], found[case.upgraded]) for case in known]
    one = next(before for case, before, _ in outcomes if case.table == "groups")
    return Answers(reader, outcomes, one, found[other])


def need(request, reader: Reader) -> None:
    if reader.folder.exists():
        return
    if reader.long and not request.config.getoption("--long"):
        pytest.skip(f"{reader} is built for minutes, and run only with --long: `.ci/readers --long` does it")
    message = f"{reader} is not installed: `.ci/readers` does it; it is not compared"
    if os.environ.get("PARQUETEXT_REQUIRE_READERS") == "1":
        pytest.fail(message)
    pytest.skip(message)


def test_readers_return_the_values_from_before(answers):
    reader = answers.reader
    for case, before, after in answers.outcomes:
        assert before.get("rows") == ROWS, f"{reader} cannot read {case.table} as pyarrow wrote it: {before}"
        if case.placement not in (reader.locked_out, *reader.unreliable):
            assert after == before, f"{reader} reads {case} otherwise than before"


def test_a_changed_value_is_detected(answers):
    """The comparison can fail."""
    one, other = answers.one, answers.other
    assert (one["rows"], one["columns"]) == (other["rows"], other["columns"])
    assert one["digest"] != other["digest"]


def test_excluded_readers_raise_an_error(answers):
    """If this fails, the table in docs/compatibility.md reports too little for that reader."""
    for case, _, after in answers.outcomes:
        if case.placement == answers.reader.locked_out:
            assert after.get("error"), f"{answers.reader} reads {case}"


def test_the_page_about_compatibility_lists_these_readers():
    page = (ROOT / "docs" / "compatibility.md").read_text()
    for line in table_lines():
        assert line in page


def table_lines() -> list[str]:
    """Return the table's lines; versions of a reader that behave alike share a line."""
    alike: dict[tuple, list[str]] = {}
    for reader in READERS:
        alike.setdefault((reader.name, reader.locked_out, reader.unreliable), []).append(reader.version)
    return [
        f"| {name} | {', '.join(versions)} | {_not_read(locked_out, unreliable)} |"
        for (name, locked_out, unreliable), versions in alike.items()
    ]


def _not_read(locked_out: str, unreliable: tuple[str, ...]) -> str:
    some = [f"some files: {' and '.join(f'`{placement}`' for placement in unreliable)}"] if unreliable else []
    return "; ".join([f"any file: `{locked_out}`"] * bool(locked_out) + some) or "–"
