"""Upgrading to the arrow dialect: only when asked for, with its losses named, beside everything else that is there."""

from __future__ import annotations

import itertools
import json
from uuid import UUID

import pyarrow.parquet as pq
import pytest
from support.arrow_dialect import LZ4, framed, with_block
from support.parquet_bytes import TABLE, footer_of, parquet_bytes, with_footer
from support.typer_runner import CliRunner

import parquetext
from parquetext import edits, extension
from parquetext.cli.app import app
from parquetext.errors import ParquetextError, Refused, Unsupported
from parquetext.footer.dialect.field_differences import prepare
from parquetext.inspection.integrity.inspection import inspect

ACME = UUID("00010203-0405-0607-0809-0a0b0c0d0e0f")
ORIGINAL = parquet_bytes()
UUID_PLACE = slice(-25, -9)  # where the public readers look: from the end of the file
DIALECT = bytes.fromhex("deadbeef" * 4)

pytestmark = pytest.mark.usefixtures("implementation")


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "x.parquet"
    file.write_bytes(ORIGINAL)
    return file


def test_the_dialect_is_written_only_on_request(path):
    result = edits.upgrade(path, form="flat")
    assert (result.form_after, result.omitted) == ("flat", ())
    assert DIALECT not in path.read_bytes()


def test_losses_are_known_before_anything_is_written(path):
    result = edits.upgrade(path, form="arrow", dry_run=True)
    assert result.outcome == "would-upgrade" and path.read_bytes() == ORIGINAL
    assert result.omitted == edits.upgrade(path, form="arrow").omitted != ()
    assert set(parquetext.verify(path).omitted) == {str(loss) for loss in result.omitted}


@pytest.mark.parametrize(
    ("placement", "marker", "in_place"),
    list(itertools.product([None, *extension.PLACEMENTS], extension.MARKERS, [False, True])),
)
def test_the_dialect_is_written_for_its_readers_and_strip_restores_the_original(path, placement, marker, in_place):
    result = edits.upgrade(path, form="arrow", placement=placement, marker=marker, in_place=in_place)
    assert (result.outcome, result.form_before, result.form_after) == ("upgraded", "thrift", "arrow")
    assert path.read_bytes()[UUID_PLACE] == DIALECT
    assert (inspect(path).placement, inspect(path).marker) == (placement or "after-stop", marker)
    assert edits.upgrade(path, form="arrow").outcome == "unchanged"
    assert pq.read_table(path).equals(TABLE) and parquetext.verify(path, deep=True).ok
    assert edits.strip(path, in_place=in_place).form_after == "thrift"
    assert path.read_bytes() == ORIGINAL


def test_it_is_byte_for_byte_a_block_as_the_public_writers_frame_it(path):
    edits.upgrade(path, form="arrow")
    assert path.read_bytes() == with_block(ORIGINAL, framed(prepare(footer_of(ORIGINAL))[0], LZ4))


def test_an_outdated_dialect_of_a_public_writer_is_renewed_and_removed(path):
    footer, other = footer_of(ORIGINAL), parquet_bytes(row_group_size=50)
    path.write_bytes(with_block(ORIGINAL, framed(prepare(footer_of(other))[0])))
    assert not parquetext.verify(path).ok
    assert edits.upgrade(path, form="arrow").outcome == "upgraded"
    assert parquetext.verify(path).ok and footer_of(path).startswith(footer)
    edits.strip(path)
    assert path.read_bytes() == ORIGINAL


@pytest.mark.parametrize("order", list(itertools.permutations(["flat", "arrow", "acme"])))
def test_all_blocks_are_found_by_their_readers_in_whichever_order_they_came(path, order):
    for kind in order:
        if kind == "flat":
            edits.upgrade(path, form="flat")
        elif kind == "arrow":
            edits.upgrade(path, form="arrow")
        elif path.read_bytes()[UUID_PLACE] != DIALECT:
            path.write_bytes(with_footer(path.read_bytes(), extension.append_block(footer_of(path), ACME, b"of acme")))
    assert path.read_bytes()[UUID_PLACE] == DIALECT
    with parquetext.open(path) as file:
        assert file.form == "flat" and file.read().equals(TABLE)
    with parquetext.open(path, form="arrow") as file:
        assert file.read().equals(TABLE)
    assert parquetext.verify(path).forms == ["thrift", "flat", "arrow"]
    edits.upgrade(path, form="flat")
    assert edits.upgrade(path, form="arrow").outcome == edits.upgrade(path, form="flat").outcome == "unchanged"
    edits.strip(path)
    left = footer_of(path)
    assert extension.strip(left, ACME) == footer_of(ORIGINAL)


def test_it_comes_back_from_a_file_without_thrift(path):
    edits.upgrade(path, form="arrow")
    before = path.read_bytes()
    assert edits.finalize(path, confirm=True).form_after == "par3"
    edits.restore(path)
    assert path.read_bytes() == before


def test_another_vendors_block_above_it_does_not_hide_it_from_us(path):
    """Whoever stacks without knowing the dialect hides it from its own readers; upgrading brings it to the end."""
    edits.upgrade(path, form="arrow")
    footer, thrift = footer_of(path), footer_of(ORIGINAL)
    content = bytes(extension.find(footer))
    acme = bytes(extension.find(extension.append_block(thrift, ACME, b"of acme")))
    path.write_bytes(with_footer(ORIGINAL, extension.append(thrift, content + acme, placement="after-stop")))
    with parquetext.open(path, form="arrow") as file:
        assert file.read().equals(TABLE)
    assert edits.upgrade(path, form="arrow").outcome == "upgraded"
    assert path.read_bytes()[UUID_PLACE] == DIALECT
    assert [block.kind for block in inspect(path).blocks] == ["FlatBuffers footer, arrow dialect", f"unknown {ACME}"]


def test_free_form_bytes_are_refused_or_wrapped(path):
    free = with_footer(ORIGINAL, extension.append(footer_of(ORIGINAL), b"free", placement="after-stop"))
    path.write_bytes(free)
    with pytest.raises(Refused):
        edits.upgrade(path, form="arrow")
    edits.upgrade(path, form="arrow", wrap=True)
    assert path.read_bytes()[UUID_PLACE] == DIALECT
    edits.upgrade(path, form="flat")
    edits.strip(path)
    assert path.read_bytes() == free


def test_an_unknown_dialect_is_an_error(path):
    with pytest.raises(ParquetextError, match="unknown footer form 'klingon'"):
        edits.upgrade(path, form="klingon")


def test_what_the_dialect_cannot_carry_is_refused_and_the_file_is_left(tmp_path, corpus):
    path = tmp_path / "x.parquet"
    original = (corpus / "parquet-testing/data/unknown-logical-type.parquet").read_bytes()
    path.write_bytes(original)
    with pytest.raises(Unsupported, match="no logical type"):
        edits.upgrade(path, form="arrow")
    assert path.read_bytes() == original


def test_a_writers_name_that_is_no_text_is_left_out_and_said_to_be(path):
    footer = footer_of(ORIGINAL)
    at = footer.index(b"parquet-cpp")
    odd = footer[:at] + b"\xff" + footer[at + 1 :]
    path.write_bytes(with_footer(ORIGINAL, odd))
    result = edits.upgrade(path, form="arrow")
    assert "FileMetaData.created_by" in {loss.field for loss in result.omitted}
    with parquetext.open(path, form="arrow") as file:
        assert file.created_by is None and file.column("b").max.to_pylist()[0] is not None
    assert parquetext.verify(path).ok


def test_files_of_the_corpus_come_back(tmp_path, corpus, expected):
    path, upgraded = tmp_path / "x.parquet", 0
    for known in expected[::6]:  # all of them go through the dialect in tests/interop
        if not known["footer"]["parses"]:
            continue
        original = (corpus / known["file"]).read_bytes()
        path.write_bytes(original)
        try:
            edits.upgrade(path, form="arrow")
        except ParquetextError:
            assert path.read_bytes() == original
            continue
        upgraded += 1
        findings = {finding.kind for finding in parquetext.verify(path).findings}
        assert not findings & {"forms-differ", "dialect-damaged", "block-checksum"}, known["file"]
        edits.strip(path)
        assert path.read_bytes() == original, known["file"]
    assert upgraded > 60


def test_the_command_line_lists_what_is_lost(path):
    run = CliRunner().invoke(app, ["upgrade", "--form", "arrow", "--dry-run", str(path)])
    assert run.exit_code == 0 and "the arrow dialect: ColumnMetaData.encodings is lost" in run.stdout
    run = CliRunner().invoke(app, ["upgrade", "--form", "arrow", "--json", str(path)])
    [record] = [json.loads(line) for line in run.stdout.splitlines()]
    assert record["form_after"] == "arrow" and record["omitted"][0]["field"] == "ColumnMetaData.encodings"
    run = CliRunner().invoke(app, ["verify", str(path)])
    assert run.exit_code == 0 and "thrift + arrow" in run.stdout and "is lost" in run.stdout
