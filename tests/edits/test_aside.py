"""Blocks of ours aside, in front of the Thrift footer: added, moved, taken away, and believed only where they fit."""

from __future__ import annotations

import io
import itertools
from importlib import import_module
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import EVERY_PLACE, TABLE, footer_of, parquet_bytes, with_footer

import parquetext
from parquetext import edits, extension, sidecar, wire
from parquetext.edits.footer import parse_end
from parquetext.edits.pieces import Piece
from parquetext.edits.reference_edit import reference_of
from parquetext.errors import Conflict, Damaged, Refused
from parquetext.footer import forms
from parquetext.inspection.integrity.inspection import inspect

ACME, EMCA = UUID("00010203-0405-0607-0809-0a0b0c0d0e0f"), UUID("8d2f9f0e-6c2a-4b25-9a0d-2f3a5f3b7c11")
ORIGINAL = parquet_bytes()
OFFSET = len(ORIGINAL) - 8 - len(footer_of(ORIGINAL))
PLACEMENTS = ("aside", "in-struct", "after-stop")
FORMS = ("flat", "index")

pytestmark = pytest.mark.usefixtures("implementation")


def form_of(path: Path) -> str:
    with parquetext.open(path) as file:
        assert file.findings == []
        assert file.column("b").max.to_pylist() == ["x99", "x199", "x299"]
        assert file.read().equals(TABLE)
        return file.form


def kinds(path: Path) -> set[str]:
    return {finding.kind for finding in parquetext.verify(path).findings}


@pytest.mark.parametrize("form", FORMS)
def test_the_default_stands_aside_and_the_extension_is_text(path, form):
    done = edits.upgrade(path, form=form)
    assert (done.outcome, done.form_after) == ("upgraded", form)
    data = path.read_bytes()
    assert data[:OFFSET] == ORIGINAL[:OFFSET]
    footer = footer_of(data)
    assert bytes(extension.find(footer)).isascii() and len(footer) < len(footer_of(ORIGINAL)) + 4096
    [block] = extension.blocks(footer)
    assert (block.uuid, block.in_text) == (wire.UUID_FOOTER_REFERENCE, True)
    assert pq.read_table(path).equals(TABLE) and form_of(path) == form
    assert parquetext.verify(path, deep=True).findings == []
    shown = inspect(path)
    assert shown.placement == "aside" and shown.aside_bytes == len(data) - 8 - len(footer) - OFFSET
    assert edits.upgrade(path, form=form).outcome == "unchanged"
    assert edits.strip(path).outcome == "stripped" and path.read_bytes() == ORIGINAL


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(PLACEMENTS, 2)))
def test_a_block_is_moved_from_any_placement_to_any_other(path, form, first, second):
    edits.upgrade(path, form=form, placement=second)
    wanted = path.read_bytes()
    path.write_bytes(ORIGINAL)
    edits.upgrade(path, form=form, placement=first)
    assert edits.upgrade(path, form=form, placement=second).outcome == "upgraded"
    assert path.read_bytes() == wanted
    assert inspect(path).placement == second and form_of(path) == form
    edits.strip(path)
    assert path.read_bytes() == ORIGINAL


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_where_auto_adds_nothing_a_block_in_another_placement_is_taken_out(path, placement):
    edits.upgrade(path, form="flat", placement=placement)
    before = path.read_bytes()
    done = edits.upgrade(path)
    if placement == "aside":
        assert (done.outcome, path.read_bytes()) == ("unchanged", before)
    else:
        assert (done.outcome, done.form_after) == ("upgraded", "thrift") and "stood elsewhere" in done.message
        assert path.read_bytes() == ORIGINAL


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("in_place", [False, True])
def test_it_is_edited_finalized_and_restored_in_place_and_by_replacement(path, form, in_place):
    edits.upgrade(path, form=form, in_place=in_place)
    upgraded = path.read_bytes()
    edits.finalize(path, confirm=True, in_place=in_place)
    with parquetext.open(path) as file:
        assert file.form == "par3" and file.read().equals(TABLE)
    assert path.read_bytes()[:OFFSET] == ORIGINAL[:OFFSET]
    edits.restore(path, in_place=in_place)
    assert path.read_bytes() == upgraded
    edits.strip(path, in_place=in_place)
    assert path.read_bytes() == ORIGINAL


def stack(path: Path, kind: UUID, payload: bytes, **where) -> bytes:
    file = path.read_bytes()
    path.write_bytes(with_footer(file, extension.append_block(footer_of(file), kind, payload, **where)))
    return path.read_bytes()


@pytest.mark.parametrize("where", EVERY_PLACE, ids=lambda where: "-".join(where.values()))
def test_it_stands_beside_blocks_of_others_which_keep_their_bytes(path, where):
    below = stack(path, ACME, b"of acme", **where)
    edits.upgrade(path, form="flat")
    ours = path.read_bytes()
    assert [block.uuid for block in extension.blocks(footer_of(ours))] == [ACME, wire.UUID_FOOTER_REFERENCE]
    assert not extension.blocks(footer_of(ours))[1].in_text
    both = stack(path, EMCA, b"of emca" * 1000)
    assert edits.upgrade(path, form="flat").outcome == "unchanged"
    with parquetext.open(path) as file:
        assert file.form == "flat" and file.read().equals(TABLE)
    assert pq.read_table(path).equals(TABLE)
    assert {finding.kind for finding in parquetext.verify(path).findings} == {"unknown-block"}
    edits.finalize(path, confirm=True)
    edits.restore(path)
    assert path.read_bytes() == both
    edits.strip(path, kinds=[EMCA])
    assert path.read_bytes() == ours
    edits.strip(path)
    assert path.read_bytes() == below


@pytest.mark.parametrize("where", EVERY_PLACE, ids=lambda where: "-".join(where.values()))
@pytest.mark.parametrize(
    "remove",
    [
        lambda path: edits.strip(path, kinds=[ACME]),
        lambda path: path.write_bytes(with_footer(path.read_bytes(), extension.strip(footer_of(path), ACME))),
    ],
    ids=["edits", "extension"],
)
def test_it_is_text_within_the_struct_once_the_blocks_of_others_are_gone(path, where, remove):
    stack(path, ACME, b"of acme", **where)
    edits.upgrade(path, form="flat")
    remove(path)
    assert form_of(path) == "flat" and parquetext.verify(path).findings == []
    edits.upgrade(path, form="flat")
    assert extension.blocks(footer_of(path))[0].in_text and edits.upgrade(path, form="flat").outcome == "unchanged"
    edits.strip(path)
    assert path.read_bytes() == ORIGINAL


@pytest.mark.parametrize("text", [False, True])
def test_a_block_stacked_on_the_text_leaves_it_readable(path, text):
    edits.upgrade(path, form="flat")
    ours = path.read_bytes()
    for payload in (b"", b"of acme", bytes(20_000)):
        stacked = stack(path, ACME, payload, text=text)
        with parquetext.open(path) as file:
            assert file.form == "flat"
        assert edits.upgrade(path, form="flat").outcome == "unchanged"
        edits.finalize(path, confirm=True)
        edits.restore(path)
        assert path.read_bytes() == stacked
        edits.strip(path, kinds=[ACME])
        assert path.read_bytes() == ours


def test_a_block_of_others_that_is_aside_behind_ours_stays_unless_it_must_move(path, monkeypatch):
    edits.upgrade(path, form="flat")
    footer = parse_end(path.read_bytes()[OFFSET:], OFFSET)
    aside = [*footer.pieces, Piece.made(b"of acme", ACME)]
    with monkeypatch.context() as patch:
        patch.setitem(forms.BY_UUID, ACME, forms.THRIFT)
        reference = reference_of(OFFSET, footer.bare, aside, is_text=True)
    made = ORIGINAL[:OFFSET] + footer.composed([reference], aside, "spec", is_behind=False).tail
    path.write_bytes(made)
    assert [block.uuid for block in parse_end(made[OFFSET:], OFFSET).pieces] == [wire.UUID_FLAT_FOOTER, ACME]
    assert edits.upgrade(path, form="flat").outcome == edits.upgrade(path).outcome == "unchanged"
    with pytest.raises(Refused, match=f"{ACME} is damaged or outdated"):
        edits.finalize(path, confirm=True)
    assert path.read_bytes() == made
    assert edits.upgrade(path, form="flat", placement="in-struct").outcome == "upgraded"
    assert [block.uuid for block in extension.blocks(footer_of(path))] == [ACME, wire.UUID_FLAT_FOOTER]


def test_the_arrow_dialect_stands_behind_the_reference(path):
    edits.upgrade(path, form="flat")
    edits.upgrade(path, form="arrow")
    assert form_of(path) == "flat" and parquetext.verify(path).forms == ["thrift", "flat", "arrow"]
    before = path.read_bytes()
    assert edits.upgrade(path, form="flat").outcome == "unchanged"
    edits.finalize(path, confirm=True)
    edits.restore(path)
    assert path.read_bytes() == before
    edits.strip(path)
    assert path.read_bytes() == ORIGINAL


def test_every_length_of_the_file_gives_an_aligned_payload(tmp_path):
    for length in range(9):
        table = pa.table({"a": [1], "b": ["x" * length]})
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="none")
        path = tmp_path / f"{length}.parquet"
        path.write_bytes(sink.getvalue())
        edits.upgrade(path, form="flat")
        [block] = [block for block in inspect(path).blocks if block.kind.startswith("FlatBuffers")]
        assert block.offset % 8 == 0 and parquetext.verify(path).findings == []
        edits.strip(path)
        assert path.read_bytes() == sink.getvalue()


def test_placements_are_mixed_in_one_lake(tmp_path):
    for number, placement in enumerate(PLACEMENTS):
        for form in FORMS:
            path = tmp_path / f"n={number}" / f"{form}.parquet"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(ORIGINAL)
            edits.upgrade(path, form=form, placement=placement)
    data = parquetext.dataset(str(tmp_path))
    found = data.to_table(columns=["a", "n"], filter=[("b", "==", "x250")])
    assert found.to_pydict() == {"a": [250] * 6, "n": [0, 0, 1, 1, 2, 2]}
    for path in sorted(tmp_path.glob("*/*.parquet")):
        assert parquetext.verify(path).findings == []
        edits.strip(path)
        assert path.read_bytes() == ORIGINAL


def test_a_sidecar_beside_the_file_is_renewed_with_the_footers_new_offset(path):
    sidecar.build(path)
    edits.upgrade(path, form="flat")
    assert sidecar.compare(path) == []
    assert parquetext.read_table(path, columns=["b"], sidecar=True).equals(TABLE.select(["b"]))


# ---- other programs' results with such a file


def footer_rewritten(data: bytes, struct: bytes, between: bytes = b"") -> bytes:
    """The file with another struct in front of the extension that it has, as a program leaves it that keeps unknown
    fields; `between` contains the bytes appended to the data."""
    footer = footer_of(data)
    held = footer[len(extension.strip(footer)) - 1 :]
    changed = struct[:-1] + held
    return data[: -8 - len(footer)] + between + changed + len(changed).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("between", [b"", b"a row group"])
def test_a_rewritten_footer_that_carries_the_field_along_gives_no_old_answers(path, form, between):
    sink = io.BytesIO()
    pq.write_table(TABLE.replace_schema_metadata({"more": "of it"}), sink, row_group_size=100)
    edits.upgrade(path, form=form)
    path.write_bytes(footer_rewritten(path.read_bytes(), footer_of(sink.getvalue()), between))
    with parquetext.open(path) as file:
        assert file.form == "thrift" and [finding.kind for finding in file.findings] == ["reference-damaged"]
        assert b"more" in file.key_values
    assert "reference-damaged" in kinds(path)
    before = path.read_bytes()
    edits.upgrade(path, form=form)
    with parquetext.open(path) as file:
        assert file.form == form and file.findings == [] and b"more" in file.key_values
    edits.strip(path)
    assert extension.strip(footer_of(path)) == footer_of(sink.getvalue())
    assert path.read_bytes()[:OFFSET] == before[:OFFSET]


def test_bytes_in_front_of_the_footer_that_are_not_ours_are_never_removed(path):
    edits.upgrade(path, form="flat")
    data = bytearray(path.read_bytes())
    footer = len(data) - 8 - len(footer_of(bytes(data)))
    for at in (footer - 1, footer - 20, footer - 28):  # in the trailer of the block aside
        damaged = bytearray(data)
        damaged[at] ^= 1
        path.write_bytes(damaged)
        assert "reference-damaged" in kinds(path)
        edits.strip(path)
        assert path.read_bytes()[:footer] == damaged[:footer]
        assert pq.read_table(path).equals(TABLE)


def test_damage_of_the_payload_is_reported_renewed_and_stripped(path):
    edits.upgrade(path, form="flat")
    upgraded = path.read_bytes()
    damaged = bytearray(upgraded)
    damaged[OFFSET + 200] ^= 1
    path.write_bytes(damaged)
    assert "block-checksum" in kinds(path)
    with pytest.raises(Refused):
        edits.finalize(path, confirm=True)
    assert edits.upgrade(path, form="flat").outcome == "upgraded" and path.read_bytes() == upgraded
    path.write_bytes(damaged)
    edits.strip(path)
    assert path.read_bytes() == ORIGINAL


def test_data_that_reaches_behind_the_start_is_found(path, monkeypatch):
    """A footer whose last chunk claims bytes of the blocks aside, sealed with checksums that hold.

    `upgrade` refuses such a file, so its check is left out here.
    """
    monkeypatch.setattr(import_module("parquetext.edits.upgrade"), "check_end_of_data", lambda scan, end: None)
    sink = io.BytesIO()
    pq.write_table(TABLE, sink, row_group_size=100)
    short = sink.getvalue()[: OFFSET - 10]
    path.write_bytes(short + footer_of(ORIGINAL) + len(footer_of(ORIGINAL)).to_bytes(4, "little") + b"PAR1")
    edits.upgrade(path, form="flat")
    assert any("data extends to" in finding.message for finding in parquetext.verify(path).findings)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("change", [edits.strip, lambda path, **how: edits.finalize(path, confirm=True, **how)])
def test_who_has_the_file_open_while_its_footer_moves_in_place_opens_it_again(path, form, change):
    table = pa.table({f"column {n}": [n, n + 1] for n in range(300)})  # no tail holds its footer
    pq.write_table(table, path)
    edits.upgrade(path, form=form)
    with parquetext.open(path) as file:
        assert file.column("column 7").max.to_pylist() == [8]
        change(path, in_place=True)
        assert file.column("column 200").max.to_pylist() == [201]
        assert [finding.kind for finding in file.findings] == ["changed-in-place"]
        assert file.read(["column 299"]).equals(table.select(["column 299"]))


@pytest.mark.parametrize("form", FORMS)
def test_who_has_a_file_open_that_is_cut_in_place_is_reported_so_until_it_is_whole_again(path, form):
    table = pa.table({f"column {n}": [n, n + 1] for n in range(300)})
    pq.write_table(table, path)
    edits.upgrade(path, form=form)
    data = path.read_bytes()
    with parquetext.open(path) as file:
        path.write_bytes(bytes(50))
        for _ in range(2):
            with pytest.raises(Conflict, match=r"changed in place since.*not a Parquet file") as caught:
                file.column("column 200")
            assert str(path) in str(caught.value) and file.num_columns == 300
        path.write_bytes(data)
        assert file.column("column 200").max.to_pylist() == [201]


def test_chunks_that_lie_in_other_files_do_not_reach_into_the_blocks_aside(tmp_path):
    message: list = []
    pq.write_to_dataset(TABLE, tmp_path, metadata_collector=message)
    summary = tmp_path / "_metadata"
    pq.write_metadata(TABLE.schema, summary, metadata_collector=message)
    edits.upgrade(summary, form="flat")
    assert parquetext.verify(summary).findings == []


def test_every_flipped_bit_of_the_reference_gives_the_same_answers(path):
    edits.upgrade(path, form="flat")
    data = path.read_bytes()
    end = len(data) - 9
    with parquetext.open(path) as file:
        expected = file.column("b").max.to_pylist(), list(file.column("a").null_count)
    for at in range(end - 400, end, 7):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        try:
            with parquetext.open(path) as file:
                assert (file.column("b").max.to_pylist(), list(file.column("a").null_count)) == expected
        except Damaged:
            pytest.fail("Thrift should have taken over")
        assert not parquetext.verify(path).ok
