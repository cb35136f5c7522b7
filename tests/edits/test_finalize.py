"""PAR3 and the way back: finalize leaves the flat footer alone, restore gives the file back, byte for byte."""

from __future__ import annotations

import io
import uuid
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.parquet_bytes import TABLE, footer_of, parquet_bytes, with_footer
from support.samples import examples, some

import parquetext
from parquetext import edits, extension, kernels, wire
from parquetext.edits.kept_extension import MADE, RAW, SLOT, KeptExtension, parse
from parquetext.edits.pieces import Piece
from parquetext.errors import Damaged, Malformed, ParquetextError, Refused
from parquetext.inspection import integrity

pytestmark = pytest.mark.usefixtures("implementation")
ORIGINAL = parquet_bytes()
FOOTER = footer_of(ORIGINAL)
SMALL = 300_000  # bytes of files of the corpus whose values are compared, too
ACME, OTHER = uuid.UUID(int=7), uuid.UUID("ffffffff-0000-4000-8000-000000000001")


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "x.parquet"
    path.write_bytes(ORIGINAL)
    return path


def there_and_back(path: Path, **options) -> bytes:
    """Finalize and restore a file, which comes back as it was; the PAR3 file's bytes."""
    before = path.read_bytes()
    assert edits.finalize(path, confirm=True, **options).outcome == "finalized"
    par3 = path.read_bytes()
    assert (par3[:4], par3[-4:]) == (b"PAR1", b"PAR3")
    assert integrity.verify(path).ok
    assert edits.restore(path, **options).outcome == "restored"
    assert path.read_bytes() == before
    return par3


def extended(struct: bytes, *blocks: tuple[uuid.UUID, bytes], **options) -> bytes:
    for kind, payload in blocks:
        struct = extension.append_block(struct, kind, payload, **options)
    return struct


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("where", ["aside", "in-struct", "after-stop"])
def test_an_upgraded_file_goes_there_and_back(path, in_place, where):
    edits.upgrade(path, form="flat", placement=where)
    upgraded = path.read_bytes()
    par3 = there_and_back(path, in_place=in_place, keep_mtime=True)
    if where == "in-struct":
        assert len(par3) < len(upgraded) - len(FOOTER)
        payload_at = len(ORIGINAL) - len(FOOTER) - 8
        assert par3[payload_at:-16] in upgraded


@pytest.mark.parametrize("in_place", [False, True])
def test_a_file_without_a_flat_footer_gets_one_in_the_same_change(path, in_place):
    result = edits.finalize(path, in_place=in_place, confirm=True)
    assert (result.form_before, result.form_after) == ("thrift", "par3")
    with parquetext.open(path) as file:
        assert (file.form, file.findings, dict(file.extensions)) == ("par3", [], {})
        assert file.read().equals(TABLE)
    result = edits.restore(path, in_place=in_place)
    assert (result.form_before, result.form_after, path.read_bytes()) == ("par3", "thrift", ORIGINAL)


def test_finalized_files_are_left_unchanged(path):
    assert edits.restore(path).outcome == "unchanged"
    assert edits.finalize(path, dry_run=True).outcome == "would-finalize"
    assert path.read_bytes() == ORIGINAL
    edits.finalize(path, confirm=True)
    done = path.read_bytes()
    assert edits.finalize(path, confirm=True).outcome == "unchanged"
    assert edits.restore(path, dry_run=True).outcome == "would-restore"
    assert path.read_bytes() == done


CODECS = ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]
NESTED = pa.table(
    {
        "key": pa.array([f"key {n}" for n in range(400)]),
        "long": pa.array(["x" * 300 + str(n) for n in range(400)]),
        "list": pa.array([[n, None] for n in range(400)], pa.list_(pa.int32())),
        "struct": pa.array([{"a": n, "b": {"c": [str(n)]}} for n in range(400)]),
        "map": pa.array([[("k", n)] for n in range(400)], pa.map_(pa.string(), pa.int64())),
        "decimal": pa.array(range(400), pa.decimal128(12, 2)),
        "when": pa.array(range(400), pa.timestamp("us", "UTC")),
        "dictionary": pa.array(["a", "b"] * 200).dictionary_encode(),
    }
)


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_and_nested_types_with_indexes_and_bloom_filters(path, codec):
    pq.write_table(
        NESTED,
        path,
        compression=codec,
        row_group_size=100,
        write_page_index=True,
        write_page_checksum=True,
        bloom_filter_options={"key": {"ndv": 400, "fpp": 0.01}},
        sorting_columns=[pq.SortingColumn(0, descending=False)],
        data_page_version="2.0",
    )
    original = path.read_bytes()
    edits.finalize(path, confirm=True)
    ours = parquetext.read_table(path)
    assert ours.equals(pq.read_table(io.BytesIO(original))) and ours.equals(NESTED)
    report = integrity.verify(path, deep=True)
    assert report.ok, report.findings
    with parquetext.open(path) as file:
        assert all(offset > 0 for offset in file.column("key").bloom_filter_offset)
        assert all(offset > 0 for offset in file.column("key").column_index_offset)
    edits.restore(path)
    assert path.read_bytes() == original


@pytest.mark.parametrize(
    ("marker", "placement"),
    [("spec", "in-struct"), ("thrift", "in-struct"), ("spec", "after-stop"), ("thrift", "after-stop")],
)
def test_marker_and_placement_come_back(path, marker, placement):
    edits.upgrade(path, marker=marker, placement=placement, form="flat")
    there_and_back(path)


FLAT = kernels.flat.write(kernels.scan.scan(FOOTER))
STACKS = {
    "foreign alone": [(ACME, b"acme's")],
    "foreign below": [(ACME, b"acme's"), (wire.UUID_FLAT_FOOTER, FLAT)],
    "foreign above": [(wire.UUID_FLAT_FOOTER, FLAT), (ACME, b"acme's"), (OTHER, b"")],
    "one kind twice": [(ACME, b"1"), (ACME, b"2"), (wire.UUID_FLAT_FOOTER, FLAT), (ACME, b"3")],
    "ours among others": [(wire.UUID_WRAPPED, b"free-form"), (wire.UUID_THRIFT_EXTENSION, b"?"), (OTHER, bytes(9999))],
}


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("placement", ["in-struct", "after-stop"])
def test_foreign_blocks_move_into_slots_and_back(path, stack, placement):
    path.write_bytes(with_footer(ORIGINAL, extended(FOOTER, *STACKS[stack], placement=placement)))
    there_and_back(path)
    edits.finalize(path, confirm=True)
    with parquetext.open(path) as file:
        first = {
            kind: payload
            for kind, payload in reversed(STACKS[stack])
            if kind not in (wire.UUID_FLAT_FOOTER, wire.UUID_THRIFT_EXTENSION)
        }
        assert dict(file.extensions) == first


def test_free_form_bytes_and_damaged_foreign_blocks_are_restored(path):
    damaged = bytearray(extended(FOOTER, (ACME, b"acme's bytes")))
    damaged[-35] ^= 1
    for footer in (
        extension.append(FOOTER, b"free-form bytes"),
        extension.append(FOOTER, b""),
        bytes(damaged),
        extended(extension.append(FOOTER, b"free-form"), (ACME, b"!"), wrap=True),
    ):
        path.write_bytes(with_footer(ORIGINAL, footer))
        there_and_back(path)


@pytest.mark.parametrize("both", [False, True])
def test_a_block_of_the_arrow_dialect_comes_back(path, both):
    edits.upgrade(path, form="arrow")
    if both:
        edits.upgrade(path, form="flat")
    there_and_back(path)


@pytest.mark.parametrize("where", ["aside", "in-struct", "after-stop"])
def test_an_index_of_the_thrift_footer_is_made_again(path, where):
    edits.upgrade(path, "index", placement=where)
    there_and_back(path)
    indexed = path.read_bytes()
    path.write_bytes(with_footer(indexed, extended(footer_of(indexed), (ACME, b"acme's"))))
    there_and_back(path)
    edits.finalize(path, confirm=True)
    with parquetext.open(path) as file:
        assert dict(file.extensions) == {ACME: b"acme's"}
    path.write_bytes(with_footer(ORIGINAL, extended(FOOTER, (wire.UUID_FOOTER_INDEX, b"of another version"))))
    there_and_back(path)


def test_restoring_thrift_alone_leaves_every_extension_out(path):
    path.write_bytes(with_footer(ORIGINAL, extended(FOOTER, *STACKS["foreign above"])))
    edits.finalize(path, confirm=True)
    result = edits.restore(path, "thrift")
    assert (result.form_after, path.read_bytes()) == ("thrift", ORIGINAL)
    with pytest.raises(ParquetextError, match="'flat'"):
        edits.restore(path, "flat")


# ---- extension slots


def test_slots_are_given_by_upgrade_and_stay_there_and_back(path):
    edits.upgrade(path, extensions={ACME: b"acme's", str(OTHER): bytearray(3000)}, form="flat")
    with parquetext.open(path) as file:
        assert file.extensions.sizes == {ACME: 6, OTHER: 3000}
        assert (file.extensions[ACME], file.extensions[str(OTHER)]) == (b"acme's", bytes(3000))
        assert ACME in file.extensions and uuid.UUID(int=1) not in file.extensions and "acme" not in file.extensions
    there_and_back(path)
    assert edits.upgrade(path, form="flat").outcome == "unchanged"
    edits.upgrade(path, extensions={ACME: None, OTHER: b"other's"}, form="flat")
    with parquetext.open(path) as file:
        assert dict(file.extensions) == {OTHER: b"other's"}
    assert pq.read_table(path).equals(TABLE)
    edits.strip(path)
    assert path.read_bytes() == ORIGINAL


def test_slots_given_to_finalize_come_back_in_a_flat_footer(path):
    edits.finalize(path, extensions={ACME: b"acme's"}, confirm=True)
    with parquetext.open(path) as file:
        assert (file.form, dict(file.extensions)) == ("par3", {ACME: b"acme's"})
    with pytest.raises(Refused, match="restore it"):
        edits.finalize(path, extensions={ACME: b"others"}, confirm=True)
    assert edits.restore(path).form_after == "flat"
    with parquetext.open(path) as file:
        assert (file.form, dict(file.extensions)) == ("flat", {ACME: b"acme's"})
    edits.strip(path)
    assert path.read_bytes() == ORIGINAL


def test_a_damaged_slot_is_an_error_for_that_slot_alone(path):
    edits.upgrade(path, extensions={ACME: b"acme's bytes", OTHER: b"other's bytes"}, form="flat")
    damaged = path.read_bytes().replace(b"acme's bytes", b"acme's byteS")
    path.write_bytes(damaged)
    with parquetext.open(path) as file:
        with pytest.raises(Damaged, match="checksum") as error:
            file.extensions[ACME]
        assert error.value.file == str(path)
        assert (file.extensions[OTHER], file.form) == (b"other's bytes", "flat")
    for change, options in ((edits.finalize, {"confirm": True}), (edits.upgrade, {"form": "flat"})):
        with pytest.raises(Refused, match="damaged"):
            change(path, **options)
    assert path.read_bytes() == damaged


@pytest.mark.parametrize("form", ["flat", "packed"])
def test_a_change_that_would_lose_a_damaged_slot_is_refused(path, form):
    edits.upgrade(path, extensions={ACME: b"acme's bytes", OTHER: b"other's bytes"}, form=form)
    damaged = path.read_bytes().replace(b"acme's bytes", b"acme's byteS")
    path.write_bytes(damaged)
    with pytest.raises(Refused, match="damaged"):
        edits.upgrade(path, form=form)
    assert path.read_bytes() == damaged


@pytest.mark.parametrize("extensions", [{"acme": b"x"}, {ACME: "text"}, {wire.UUID_THRIFT_EXTENSION: b"x"}, {7: b"x"}])
def test_slots_are_bytes_by_uuid(path, extensions):
    for change, options in ((edits.upgrade, {}), (edits.finalize, {"confirm": True})):
        with pytest.raises(ParquetextError) as error:
            change(path, extensions=extensions, **options)
        assert error.value.code == wire.BAD_ARGUMENT


def test_a_file_with_slots_gets_a_form_that_has_slots(path):
    result = edits.upgrade(path, "auto", extensions={ACME: b"acme's"})
    assert (result.outcome, result.form_after) == ("upgraded", "packed")
    assert edits.upgrade(path, "auto").outcome == "unchanged"
    with parquetext.open(path) as file:
        assert dict(file.extensions) == {ACME: b"acme's"}


# ---- refusals


def test_nothing_is_finalized_unless_it_is_confirmed(path):
    for options in ({}, {"confirm": False}, {"in_place": True}):
        with pytest.raises(Refused, match="only parquetext reads a finalized file, until restore: confirm=True"):
            edits.finalize(path, **options)
    assert path.read_bytes() == ORIGINAL
    assert edits.finalize(path, dry_run=True).outcome == "would-finalize"


def confirmed(path: Path) -> edits.Result:
    return edits.finalize(path, confirm=True)


def refused(path: Path, message: str, action=confirmed, kind: type = Refused) -> None:
    before = path.read_bytes()
    with pytest.raises(kind, match=message) as error:
        action(path)
    assert error.value.file == str(path)
    assert path.read_bytes() == before


def test_a_damaged_flat_footer_is_refused(path):
    damaged = bytearray(extended(FOOTER, (wire.UUID_FLAT_FOOTER, FLAT)))
    damaged[-200] ^= 1
    path.write_bytes(with_footer(ORIGINAL, bytes(damaged)))
    refused(path, "flat footer is damaged.*upgrade with form='flat' renews it")
    edits.upgrade(path, form="flat")
    there_and_back(path)


def test_a_flat_footer_of_another_file_is_refused(path):
    other = kernels.flat.write(kernels.scan.scan(footer_of(parquet_bytes(TABLE.slice(0, 10)))))
    path.write_bytes(with_footer(ORIGINAL, extended(FOOTER, (wire.UUID_FLAT_FOOTER, other))))
    refused(path, "does not give its Thrift footer back; parquetext.upgrade with form='flat' renews it")


def test_compact_statistics_are_refused_until_they_are_renewed(path):
    pq.write_table(pa.table({"text": ["a" * 200 + str(n) for n in range(9)]}), path)
    for original in (path.read_bytes(), ORIGINAL):
        path.write_bytes(original)
        edits.upgrade(path, stats="compact", form="flat")
        refused(path, "footer are compact; parquetext.upgrade with form='flat' renews it")
        edits.upgrade(path, form="flat")
        there_and_back(path)


def test_two_flat_footers_are_refused(path):
    path.write_bytes(with_footer(ORIGINAL, extended(FOOTER, *2 * [(wire.UUID_FLAT_FOOTER, FLAT)])))
    refused(path, "2 flat footers")


def test_files_that_upgrade_refuses_are_refused(path, tmp_path):
    path.write_bytes(with_footer(ORIGINAL, FOOTER + b"?" * 57))
    refused(path, "57 stray bytes")
    path.write_bytes(with_footer(ORIGINAL, FOOTER, b"PARE"))
    refused(path, "encrypted")
    path.write_bytes(with_footer(ORIGINAL, FOOTER[:-1] + bytes.fromhex("1c 1c 00 00 00")))
    refused(path, "encrypted|signed")
    path.write_bytes(ORIGINAL)
    (tmp_path / "_delta_log").mkdir()
    refused(path, "Delta Lake")
    assert edits.finalize(path, ignore="table-format", confirm=True).outcome == "finalized"
    refused(path, "Delta Lake", edits.restore)


def test_a_damaged_par3_footer_is_not_restored(path):
    edits.finalize(path, confirm=True)
    sound = path.read_bytes()
    for at in (len(ORIGINAL) - len(FOOTER), len(sound) - 40, len(sound) - 13):
        damaged = bytearray(sound)
        damaged[at] ^= 1
        path.write_bytes(damaged)
        refused(path, "checksum", edits.restore, Damaged)
        refused(path, "checksum", confirmed, Damaged)


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.integers(0, 60), st.binary(max_size=6))
def test_any_record_of_an_extension_is_read_or_an_error(record, at, bytes_):
    whole = KeptExtension("spec", 0, ((RAW, b"abc"), (SLOT, ACME.bytes), (min(MADE), b""))).record()
    for data in (record, whole[:at], whole[:at] + bytes_ + whole[at + len(bytes_) :]):
        try:
            kept = parse(data, {ACME: b"acme's"})
        except ParquetextError as error:
            assert "record of the Thrift extension" in str(error)
        else:
            assert kept.record() == data
            made = {code: Piece.made(b"payload", spec.uuid) for code, spec in MADE.items()}
            inside, aside = kept.contents(made, {ACME: b"acme's"}, 1000, FOOTER)
            assert all(isinstance(piece.payload, bytes) for piece in (*inside, *aside))


def test_a_broken_record_is_an_error_unless_thrift_is_wanted_alone(path):
    payload = kernels.flat.write(kernels.scan.scan(FOOTER), extensions=[(wire.UUID_THRIFT_EXTENSION.bytes, b"\x09")])
    size = len(payload).to_bytes(4, "little")
    crcs = [zlib.crc32(part).to_bytes(4, "little") for part in (payload, size)]
    path.write_bytes(ORIGINAL[: -8 - len(FOOTER)] + payload + crcs[0] + size + crcs[1] + b"PAR3")
    [finding] = integrity.verify(path).findings
    assert finding.kind == "original-damaged" and "record of the Thrift extension" in finding.message
    refused(path, "record of the Thrift extension.*broken", edits.restore, Malformed)
    edits.restore(path, "thrift")
    assert path.read_bytes() == ORIGINAL


def test_the_arrow_dialect_has_no_slots(path):
    with pytest.raises(ParquetextError, match="no extension slots"):
        edits.upgrade(path, form="arrow", extensions={ACME: b"x"})


def test_other_changes_of_a_par3_file_name_the_way_back(path):
    edits.finalize(path, confirm=True)
    for action in (edits.upgrade, edits.strip):
        refused(path, "restore", action)


# ---- the corpus


def test_every_file_of_the_corpus_that_can_be_upgraded_goes_there_and_back(corpus, expected, path):
    if kernels.implementation() != "native":
        pytest.skip("the twin writes the same bytes, and takes long")
    done = compared = 0
    tried = some(expected, 2)
    for known in tried:
        if not known["footer"]["parses"]:
            continue
        original = (corpus / known["file"]).read_bytes()
        path.write_bytes(original)
        try:
            if done % 2:
                edits.upgrade(path, form="flat")
            before = path.read_bytes()
            edits.finalize(path, confirm=True)
        except ParquetextError:
            assert path.read_bytes() in (original, before)
            continue
        done += 1
        with parquetext.open(path) as file:
            assert (file.form, file.findings) == ("par3", []), known["file"]
            if known["class"] == "readable" and len(original) < SMALL:
                theirs, ours = pq.ParquetFile(io.BytesIO(original)).read(), file.read()
                compared += 1
                assert ours.equals(theirs) or repr(ours.to_pydict()) == repr(theirs.to_pydict()), known["file"]
        edits.restore(path)
        assert path.read_bytes() == before, known["file"]
    assert done > 0.7 * len(tried) and compared > 0.5 * len(tried)
