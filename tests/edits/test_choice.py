"""The form that a file is worth."""

from __future__ import annotations

import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.typer_runner import CliRunner

import parquetext
from parquetext.cli.app import app
from parquetext.edits.choice import choices
from parquetext.footer.form_spec import Shape

MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("footer", "file", "columns", "row_groups", "form"),
    [
        (900, 4000, 3, 1, "thrift"),
        (16 << 10, MEGABYTE, 100, 1, "thrift"),
        (3 * MEGABYTE, 900 * MEGABYTE, 2, 20_000, "thrift"),
        (12 * MEGABYTE, 4000 * MEGABYTE, 10_000, 10, "packed"),
        (12 * MEGABYTE, 100 * MEGABYTE, 10_000, 10, "packed"),
        (12 * MEGABYTE, 50 * MEGABYTE, 10_000, 10, "index"),
        (60 * MEGABYTE, 90_000 * MEGABYTE, 50_000, 10, "packed"),
    ],
)
def test_the_form_follows_from_size_and_shape(footer, file, columns, row_groups, form):
    choice = choices(Shape(footer, file, columns, row_groups))[0]
    assert choice.form == form
    assert choice.reason


def test_a_footer_that_would_be_too_large_within_thrift_gets_an_index_there():
    assert choices(Shape(600 * MEGABYTE, 90_000 * MEGABYTE, 50_000, 10, "in-struct"))[0].form == "index"


def test_an_empty_file_has_a_choice_too():
    assert choices(Shape(0, 0, 0, 0))[0].form == "thrift"


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


def with_data(footer: bytes, size: int) -> bytes:
    """A file with so many bytes in front of a Thrift footer."""
    return b"PAR1" + bytes(size - 4) + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def footer_of(file: bytes) -> bytes:
    return file[-8 - int.from_bytes(file[-8:-4], "little") : -8]


def test_a_packed_footer_that_becomes_larger_than_expected_is_not_chosen(tmp_path):
    """Random bounds of texts cannot be compressed; the estimate is an eighth of the footer."""
    draw, path = random.Random(3), tmp_path / "x.parquet"
    texts = pa.table({f"c{n}": [draw.randbytes(200).hex() for _ in range(8)] for n in range(40)})
    buffer = io.BytesIO()
    pq.write_table(texts, buffer, row_group_size=1)
    footer = footer_of(buffer.getvalue())
    path.write_bytes(with_data(footer, 10 * len(footer)))
    done = parquetext.upgrade(path)
    assert done.form_after == "index"
    assert done.message.startswith("index: the packed form is not used: its ")
    path.write_bytes(with_data(footer, 30 * len(footer)))
    assert parquetext.upgrade(path).form_after == "packed"


def test_a_footer_that_the_packed_form_refuses_gets_the_flat_one(tmp_path):
    """Almost nothing is left of thousands of equal chunks."""
    path, buffer = tmp_path / "x.parquet", io.BytesIO()
    pq.write_table(pa.table({f"c{n}": pa.nulls(400, pa.int64()) for n in range(40)}), buffer, row_group_size=1)
    footer = footer_of(buffer.getvalue())
    path.write_bytes(with_data(footer, 60 * len(footer)))
    done = parquetext.upgrade(path)
    assert done.form_after == "flat"
    assert "the packed form is not used" in done.message
    path.write_bytes(with_data(footer, 30 * len(footer)))
    assert parquetext.upgrade(path).form_after == "index"
