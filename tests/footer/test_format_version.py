"""The version of the format that a footer declares by fields 10 and 11 (parquet-format 581, 582)."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.changed_metadata import with_footer
from support.cli_runs import run

import parquetext
from parquetext import wire
from parquetext.errors import Refused
from parquetext.footer import forms
from parquetext.footer.format_version import FormatVersion, declared_version
from parquetext.inspection.integrity.inspection import inspect
from parquetext.thrift import integer
from parquetext.thrift.values import Unknown


@pytest.fixture
def declared(tmp_path):
    """A file that declares version 2.14."""
    path = tmp_path / "declared.parquet"
    pq.write_table(pa.table({"a": range(100), "b": ["x"] * 100}), path, row_group_size=10)
    with_footer(path, lambda footer: footer.update({10: i32(2), 11: i32(14)}))
    return path


def i32(value: int) -> Unknown:
    return Unknown(wire.TYPE_I32, integer(value))


@pytest.mark.parametrize(
    "fields, expected",
    [
        (b"\x05\x14\x04\x15\x1c\x00", FormatVersion(2, 14)),
        (b"\x05\x14\x04\x00", FormatVersion(2)),
        (b"\x05\x14\x01\x00", FormatVersion(-1)),
        (b"\x05\x16\x1c\x00", None),
        (b"\x08\x14\x01x\x15\x1c\x00", None),  # the pointer of a jump table
        (b"\x06\x14\x04\x00", None),  # i64
        (b"\x00", None),
    ],
)
def test_only_numbers_of_32_bits_are_a_version(implementation, fields, expected):
    assert declared_version(fields) == expected


def test_a_version_is_printed_with_the_numbers_that_are_there():
    assert (str(FormatVersion(2, 14)), str(FormatVersion(3))) == ("2.14", "3")


@pytest.mark.parametrize("form", ["thrift", "flat", "index", "packed", "par3"])
def test_every_form_shows_the_declared_version(declared, form):
    if form == "par3":
        parquetext.finalize(declared, confirm=True)
    elif form != "thrift":
        parquetext.upgrade(declared, form=form)
    with parquetext.open(declared) as file:
        assert file.form == form
        assert file.metadata.declared_version == (2, 14)
    # PAR3 has no Thrift footer, and inspect does not rebuild it.
    assert inspect(declared).declared_version == (None if form == "par3" else "2.14")
    for command in ("meta",) if form == "par3" else ("inspect", "meta"):
        assert json.loads(run(command, declared, "--json").stdout)["declared_version"] == "2.14"
        assert "format 2.14" in run(command, declared).stdout


def test_a_file_without_the_fields_declares_nothing(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    assert inspect(path).declared_version is None
    with parquetext.open(path) as file:
        assert file.metadata.declared_version is None
    assert "declares" not in run("inspect", path).stdout + run("meta", path).stdout


def test_edits_preserve_the_declared_version(declared, tmp_path):
    original = declared.read_bytes()
    parquetext.upgrade(declared, form="flat")
    parquetext.strip(declared)
    assert declared.read_bytes() == original
    parquetext.encode(declared, {"a": "delta_binary_packed"})
    assert inspect(declared).declared_version == "2.14"
    parquetext.strip(declared)
    assert declared.read_bytes() == original
    parquetext.add_page_index(declared)
    assert inspect(declared).declared_version == "2.14"


def test_a_jump_table_is_refused_beside_a_declared_version(declared):
    assert "jump-table" in forms.BY_NAME
    with pytest.raises(Refused, match="format_major_version"):
        parquetext.upgrade(declared, form="jump-table")
