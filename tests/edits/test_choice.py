"""The form that a file is worth."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import parquetext
from parquetext.cli.app import app
from parquetext.edits.choice import choose_form

MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("footer", "file", "columns", "row_groups", "form"),
    [
        (900, 4000, 3, 1, "thrift"),
        (16 << 10, MEGABYTE, 100, 1, "thrift"),
        (3 * MEGABYTE, 900 * MEGABYTE, 2, 20_000, "thrift"),
        (12 * MEGABYTE, 4000 * MEGABYTE, 10_000, 10, "flat"),
        (12 * MEGABYTE, 50 * MEGABYTE, 10_000, 10, "index"),
        (60 * MEGABYTE, 90_000 * MEGABYTE, 50_000, 10, "flat"),
    ],
)
def test_the_form_follows_from_size_and_shape(footer, file, columns, row_groups, form):
    choice = choose_form(footer, file, columns, row_groups)
    assert choice.form == form
    assert choice.reason


def test_a_footer_that_would_be_too_large_within_thrift_gets_an_index_there():
    assert choose_form(60 * MEGABYTE, 90_000 * MEGABYTE, 50_000, 10, "in-struct").form == "index"


def test_an_empty_file_has_a_choice_too():
    assert choose_form(0, 0, 0, 0).form == "thrift"


SMALL = pa.table({"a": range(1000), "b": [f"x{n}" for n in range(1000)]})
WIDE = pa.table({f"column {n}": pa.array(range(10), pa.int64()) for n in range(400)})


def written(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def test_a_small_file_is_left_alone_by_default_and_told_why(tmp_path):
    path, original = tmp_path / "small.parquet", written(SMALL)
    path.write_bytes(original)
    done = parquetext.upgrade(path)
    assert (done.outcome, done.form_after) == ("unchanged", "thrift")
    assert done.message.startswith("nothing is gained: a footer of ")
    assert path.read_bytes() == original
    assert parquetext.upgrade(path, form="flat").outcome == "upgraded"


def test_the_default_of_upgrade_and_of_the_writer_is_the_same_form(tmp_path):
    for table in (SMALL, WIDE):
        upgraded, new = tmp_path / "upgraded.parquet", tmp_path / "new.parquet"
        upgraded.write_bytes(written(table))
        parquetext.upgrade(upgraded)
        parquetext.write_table(table, new)
        with parquetext.open(upgraded) as one, parquetext.open(new) as other:
            assert one.form == other.form == ("thrift" if table is SMALL else "index")


def test_upgrade_says_why_a_file_was_left_alone(tmp_path):
    path = tmp_path / "small.parquet"
    path.write_bytes(written(SMALL))

    def told(*arguments: str) -> str:
        return CliRunner().invoke(app, ["upgrade", *arguments, str(path)]).stdout

    assert " unchanged  " in told() and "nothing is gained: a footer of" in told()
    assert json.loads(told("--json"))["message"].startswith("nothing is gained: a footer of")
    assert "would-upgrade" in told("--dry-run", "--form", "flat")
    told("--form", "flat")
    assert "it has its flat footer" in told("--form", "flat")
    assert json.loads(told("--form", "flat", "--json"))["message"] == "it has its flat footer"


def test_the_arrow_dialect_is_a_form(tmp_path):
    path = tmp_path / "small.parquet"
    path.write_bytes(written(SMALL))
    assert parquetext.upgrade(path, form="arrow", dry_run=True).form_after == "arrow"
