"""Blocks of several vendors in one footer, and free-form bytes of somebody else: all found, nothing lost."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import UUID

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.memory_files import Memory
from support.parquet_bytes import EVERY_PLACE, TABLE, footer_of, parquet_bytes, with_footer
from support.samples import examples

import parquetext
from parquetext import edits, extension, kernels, wire
from parquetext.edits.footer import read_footer
from parquetext.edits.options import Options
from parquetext.edits.strip import without_blocks
from parquetext.edits.upgrade import with_form
from parquetext.errors import ParquetextError, Refused
from parquetext.footer.forms import BY_NAME
from parquetext.inspection.integrity.inspection import inspect

ACME, EMCA = UUID("00010203-0405-0607-0809-0a0b0c0d0e0f"), UUID("8d2f9f0e-6c2a-4b25-9a0d-2f3a5f3b7c11")
FLAT, WRAPPED = wire.UUID_FLAT_FOOTER, wire.UUID_WRAPPED
ORIGINAL = parquet_bytes()
WITHIN = extension.IN_STRUCT  # an extension of others keeps the placement that it has

pytestmark = pytest.mark.usefixtures("implementation")


@pytest.fixture(params=EVERY_PLACE, ids=lambda where: "-".join(where.values()))
def where(request) -> dict:
    return request.param


def stack(path: Path, kind: UUID, payload: bytes, **where) -> bytes:
    """Return a file as another vendor's writer makes it: with its block on top of the existing ones."""
    file = path.read_bytes()
    path.write_bytes(with_footer(file, extension.append_block(footer_of(file), kind, payload, **where)))
    return path.read_bytes()


def put_free_form(path: Path, content: bytes, **where) -> bytes:
    path.write_bytes(with_footer(ORIGINAL, extension.append(footer_of(ORIGINAL), content, **where)))
    return path.read_bytes()


def blocks(path: Path) -> list[tuple[UUID, bytes]]:
    return [(block.uuid, bytes(block.payload)) for block in extension.blocks(footer_of(path))]


def kinds(path: Path) -> list[UUID]:
    return [uuid for uuid, _ in blocks(path)]


def test_every_vendor_finds_its_own_block_and_all_readers_the_table(path, where):
    stack(path, ACME, b"of acme", **where)
    edits.upgrade(path, form="flat", placement=WITHIN)
    stack(path, EMCA, b"of emca" * 1000)
    assert kinds(path) == [ACME, FLAT, EMCA]
    assert dict(blocks(path))[ACME] == b"of acme" and dict(blocks(path))[EMCA] == b"of emca" * 1000
    with parquetext.open(path) as file:
        assert file.form == "flat"
        assert file.read().equals(TABLE)
    assert pq.read_table(path).equals(TABLE)
    shown = inspect(path)
    assert [(UUID(block.uuid), block.bytes) for block in shown.blocks][::2] == [(EMCA, 7000), (ACME, 7)]
    assert (shown.marker, shown.placement) == tuple(where.values())


def test_a_sound_block_of_another_vendor_is_noted_and_a_damaged_one_is_wrong(path, where):
    stack(path, ACME, b"of acme", **where)
    edits.upgrade(path, form="flat", placement=WITHIN)
    stack(path, EMCA, b"of emca")
    report = parquetext.verify(path, deep=True)
    assert report.ok and [finding.kind for finding in report.findings] == ["unknown-block"] * 2
    data = path.read_bytes()
    path.write_bytes(data.replace(b"of acme", b"OF acme"))
    report = parquetext.verify(path)
    assert not report.ok and [finding.kind for finding in report.findings if not finding.is_note] == ["block-checksum"]


@pytest.mark.parametrize("size", [0, 10, 3900, 4020, 4059, 4060, 4061, 4096, 20_000])
def test_the_flat_footer_is_found_under_a_foreign_block_of_any_size(path, where, size):
    edits.upgrade(path, form="flat", **where)
    stack(path, ACME, bytes(size))
    with parquetext.open(str(path)) as file:
        assert file.form == "flat" and "flat-damaged" not in {finding.kind for finding in file.findings}
        assert file.column("b").min.to_pylist() == ["x0", "x100", "x200"]


def test_each_block_is_removed_without_changing_the_others(path, where):
    stack(path, ACME, b"of acme", **where)
    edits.upgrade(path, form="flat", placement=WITHIN)
    stack(path, EMCA, b"of emca")
    every = dict(blocks(path))
    for removed in (ACME, FLAT, EMCA):
        before = path.read_bytes()
        done = edits.strip(path, kinds=[removed])
        assert done.outcome == "stripped"
        assert (done.form_before, done.form_after) == ("flat", "thrift" if removed == FLAT else "flat")
        assert blocks(path) == [(kind, payload) for kind, payload in every.items() if kind != removed]
        assert edits.strip(path, kinds=str(removed)).outcome == "unchanged"
        path.write_bytes(before)
    for removed in every:
        edits.strip(path, kinds=removed)
    assert path.read_bytes() == ORIGINAL


def test_upgrading_renews_ours_alone_and_puts_it_on_top(path, where):
    stack(path, ACME, b"of acme", **where)
    stack(path, FLAT, b"an older layout")
    theirs = stack(path, EMCA, b"of emca")
    assert edits.upgrade(path, form="flat", placement=WITHIN).outcome == "upgraded"
    assert kinds(path) == [ACME, EMCA, FLAT]
    assert edits.upgrade(path, form="flat", placement=WITHIN).outcome == "unchanged"
    with parquetext.open(path) as file:
        assert file.form == "flat" and not file.findings
    path.write_bytes(theirs)
    assert edits.strip(path).outcome == "stripped"
    assert blocks(path) == [(ACME, b"of acme"), (EMCA, b"of emca")]


def test_a_damaged_foreign_block_stays_unchanged_and_hides_nothing(path, where):
    damaged = bytearray(stack(path, ACME, b"of acme" * 100, **where))
    damaged[damaged.rindex(b"of acme")] ^= 1
    path.write_bytes(damaged)
    edits.upgrade(path, form="flat", placement=WITHIN)
    with parquetext.open(path) as file:
        assert file.form == "flat"
    shown = inspect(path)
    assert [UUID(block.uuid) for block in shown.blocks] == [FLAT, ACME]
    assert "block-checksum" in {finding.kind for finding in parquetext.verify(path).findings}
    edits.strip(path)
    assert path.read_bytes() == damaged


def test_all_means_all(path, where):
    assert edits.strip(path, kinds="all").outcome == "unchanged"
    put_free_form(path, b"whatever", **where)
    edits.upgrade(path, wrap=True, form="flat", placement=WITHIN)
    stack(path, ACME, b"of acme")
    done = edits.strip(path, kinds="all")
    assert (done.outcome, done.form_after) == ("stripped", "thrift")
    assert path.read_bytes() == ORIGINAL


def test_an_unknown_kind_is_an_error_before_anything_is_opened(tmp_path):
    with pytest.raises(ParquetextError, match="UUIDs"):
        edits.strip(tmp_path / "absent.parquet", kinds=["acme"])


@pytest.mark.parametrize("content", [b"", b"\0", b"whatever", bytes(70_000)], ids=len)
def test_free_form_bytes_are_refused_or_wrapped_and_strip_gives_them_back(path, where, content):
    theirs = put_free_form(path, content, **where)
    with pytest.raises(Refused, match="wrap") as error:
        edits.upgrade(path, form="flat", placement=WITHIN)
    assert error.value.code == wire.FREE_FORM
    assert path.read_bytes() == theirs and os.listdir(path.parent) == [path.name]

    assert edits.upgrade(path, wrap=True, form="flat", placement=WITHIN).outcome == "upgraded"
    assert blocks(path)[0] == (WRAPPED, content) and kinds(path) == [WRAPPED, FLAT]
    for wrap in (False, True):
        assert edits.upgrade(path, wrap=wrap, form="flat", placement=WITHIN).outcome == "unchanged"
    assert pq.read_table(path).equals(TABLE)
    with parquetext.open(path) as file:
        assert file.form == "flat" and not file.findings
    assert [block.kind for block in inspect(path).blocks] == ["FlatBuffers footer, v1", "wrapped free-form bytes"]

    assert edits.strip(path).outcome == "stripped"
    assert path.read_bytes() == theirs
    assert edits.strip(path).outcome == "unchanged"


@pytest.mark.parametrize("content", [b"", b"whatever"], ids=len)
def test_forced_ours_is_stacked_on_free_form_bytes_and_comes_off_exactly(path, content):
    theirs = put_free_form(path, content)
    edits.upgrade(path, ignore="free-form", form="flat", placement=WITHIN)
    with parquetext.open(path) as file:
        assert file.form == "flat"
    assert [finding.kind for finding in inspect(path).findings] == ["free-form"] * bool(content)
    edits.strip(path)
    assert path.read_bytes() == theirs


def test_a_block_on_free_form_bytes_stays(path):
    put_free_form(path, b"whatever")
    file = path.read_bytes()
    theirs = with_footer(
        file,
        extension.replace(
            footer_of(file),
            b"whatever" + bytes(extension.find(extension.append_block(footer_of(ORIGINAL), ACME, b"of acme"))),
        ),
    )
    path.write_bytes(theirs)
    with pytest.raises(Refused):
        edits.upgrade(path, form="flat", placement=WITHIN)
    edits.upgrade(path, wrap=True, form="flat", placement=WITHIN)
    assert kinds(path) == [ACME, FLAT]
    assert extension.blocks(footer_of(path)).free_form == b"whatever"
    edits.strip(path)
    assert path.read_bytes() == theirs


def test_wrapped_bytes_stay_wrapped_under_another_block(path):
    theirs = put_free_form(path, b"whatever")
    edits.upgrade(path, wrap=True, form="flat", placement=WITHIN)
    stack(path, ACME, b"of acme")
    edits.strip(path)
    assert blocks(path) == [(WRAPPED, b"whatever"), (ACME, b"of acme")]
    assert edits.strip(path).outcome == "unchanged"
    file = path.read_bytes()
    assert with_footer(file, extension.strip(footer_of(file), ACME)) == theirs
    edits.strip(path, kinds=[ACME])
    assert path.read_bytes() == theirs


FLAT_PAYLOAD = kernels.flat.write(kernels.scan.scan(footer_of(ORIGINAL)))
VENDORS = st.sampled_from((ACME, EMCA))
STEPS = st.lists(
    st.one_of(
        st.tuples(VENDORS, st.binary(max_size=40)),
        st.just(("upgrade",)),
        st.just(("strip",)),
        st.tuples(st.just("strip"), VENDORS),
    ),
    max_size=10,
)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.none(), st.binary(max_size=40)), st.sampled_from(EVERY_PLACE), STEPS)
def test_any_sequence_of_changes_keeps_foreign_bytes(free, where, steps):
    """Against a list of blocks, and free-form bytes under them or None."""
    bare, pile, file = footer_of(ORIGINAL), [], ORIGINAL
    if free is not None:
        file = with_footer(ORIGINAL, extension.append(bare, free, **where))
    for step in steps:
        footer = read_footer(Memory(file))
        if step[0] == "upgrade":
            edit = with_form(footer, BY_NAME["flat"], Options(**where, wrap=True), frozenset()).edit
            if FLAT not in dict(pile):
                if free is not None and not pile:
                    pile, free = [(WRAPPED, free)], None
                pile.append((FLAT, FLAT_PAYLOAD))
        elif step[0] == "strip":
            edit = without_blocks(footer, {step[1]}) if len(step) > 1 else without_blocks(footer)
            removed = {step[1]} if len(step) > 1 else {FLAT}
            left = [block for block in pile if block[0] not in removed]
            if [kind for kind, _ in left] == [WRAPPED] and (left != pile or FLAT in removed):
                left, free = [], left[0][1]
            pile = left
        else:
            if free is not None and not pile:
                continue
            pile.append(step)
            file, edit = with_footer(file, extension.append_block(footer.data, *step, **where)), None
        if edit is not None:
            file = file[: edit.keep] + edit.tail
        content = b"".join(
            [free or b"", *(payload + kernels.extension.trailer(payload, kind.bytes) for kind, payload in pile)]
        )
        expected = extension.append(bare, content, **where) if pile or free is not None else bare
        assert file == with_footer(ORIGINAL, expected)


def test_auto_that_takes_its_block_out_gives_free_form_bytes_back(path, where):
    theirs = put_free_form(path, b"whatever", **where)
    edits.upgrade(path, wrap=True, form="flat", placement=WITHIN)
    assert "stood elsewhere" in edits.upgrade(path).message
    assert path.read_bytes() == theirs
