"""Files that must not be touched, each with its own message."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support.flat_files import as_par3
from support.parquet_bytes import TABLE, footer_of, parquet_bytes, with_footer

import parquetext
from parquetext import edits, extension, kernels, thrift, wire
from parquetext.errors import Malformed, Refused
from parquetext.footer import forms

ORIGINAL = parquet_bytes()
FOOTER = footer_of(ORIGINAL)
FOOTER_OFFSET = len(ORIGINAL) - 8 - len(FOOTER)
ENCRYPTION_ALGORITHM = bytes.fromhex("1c 1c 00 00")  # field 8, AES_GCM_V1 without content

pytestmark = pytest.mark.usefixtures("implementation")


def add_flat(path: Path, **options) -> edits.Result:
    return edits.upgrade(path, form="flat", **options)


def refused(tmp_path: Path, content: bytes, kind: type, message: str, actions=(add_flat, edits.strip)):
    """Every action refuses the file and leaves it as it is; gives the last error."""
    path = tmp_path / "x.parquet"
    path.write_bytes(content)
    for action in actions:
        with pytest.raises(kind, match=message) as error:
            action(path)
        assert error.value.file == str(path)
        assert path.read_bytes() == content and os.listdir(tmp_path) == ["x.parquet"]
    return error.value


def test_an_encrypted_footer(tmp_path):
    refused(tmp_path, with_footer(ORIGINAL, FOOTER, b"PARE"), Refused, "encrypted")


def test_a_signed_plaintext_footer(tmp_path):
    signed = FOOTER[:-1] + ENCRYPTION_ALGORITHM + b"\0" + bytes(28)
    error = refused(tmp_path, with_footer(ORIGINAL, signed), Refused, "signed: 28 bytes follow")
    assert error.offset == FOOTER_OFFSET + len(signed) - 28


def test_a_plaintext_footer_that_names_an_encryption(tmp_path):
    crypto = FOOTER[:-1] + ENCRYPTION_ALGORITHM + b"\0"
    refused(tmp_path, with_footer(ORIGINAL, crypto), Refused, "encrypted, or parts of it", (add_flat,))


@pytest.mark.parametrize("count", [1, 57])
def test_stray_bytes_after_the_footer_are_refused(tmp_path, count):
    error = refused(tmp_path, with_footer(ORIGINAL, FOOTER + b"?" * count), Refused, f"{count} stray bytes")
    assert (error.offset, error.code) == (FOOTER_OFFSET + len(FOOTER), wire.STRAY_BYTES)


def test_stray_bytes_after_an_extension_are_refused(tmp_path):
    footer = extension.append_block(FOOTER, wire.UUID_FLAT_FOOTER, b"payload") + b"??"
    error = refused(tmp_path, with_footer(ORIGINAL, footer), Refused, "2 stray bytes")
    assert error.offset == FOOTER_OFFSET + len(footer) - 2


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        pytest.param(as_par3(ORIGINAL), Refused, "PAR3 file has no Thrift footer.*restore", id="PAR3"),
        pytest.param(with_footer(ORIGINAL, FOOTER, b"ORC!"), Malformed, "not in b'PAR1'", id="unknown magic"),
        pytest.param(b"PAR1PAR1", Malformed, "at least 12 are needed", id="too short"),
        pytest.param(b"", Malformed, "at least 12 are needed", id="empty"),
        pytest.param(b"PAR1" + bytes(20) + b"\xff\xff\xff\x7fPAR1", Malformed, "does not fit", id="footer too long"),
        pytest.param(with_footer(ORIGINAL, FOOTER[:-40]), Malformed, "input ends", id="footer cut"),
    ],
)
def test_files_that_are_not_parquet_are_refused(tmp_path, content, kind, message):
    refused(tmp_path, content, kind, message)


def test_a_foreign_extension_without_blocks_is_refused_unless_forced(tmp_path):
    theirs = with_footer(ORIGINAL, extension.append(FOOTER, b"free-form bytes"))
    message = "another program: 15 bytes.*wrap=True.*ignore 'free-form'"
    error = refused(tmp_path, theirs, Refused, message, (add_flat,))
    assert error.code == wire.FREE_FORM
    path = tmp_path / "x.parquet"
    assert edits.strip(path).outcome == "unchanged"
    edits.upgrade(path, ignore="free-form", form="flat")
    assert pq.read_table(path).equals(TABLE)
    assert edits.upgrade(path, ignore="free-form", form="flat").outcome == "unchanged"
    edits.strip(path)
    assert path.read_bytes() == theirs


def test_a_length_that_is_not_minimally_encoded(tmp_path):
    footer = FOOTER[:-1] + extension.MARKERS["spec"] + b"\x81\x00x\x00"
    error = refused(tmp_path, with_footer(ORIGINAL, footer), Malformed, "not minimally encoded")
    assert error.offset == FOOTER_OFFSET + len(FOOTER) - 1 + 4


def test_fields_after_the_extension_are_refused(tmp_path):
    footer = extension.append(FOOTER, b"x")[:-1] + bytes.fromhex("05 e2 0f 02 00")
    refused(tmp_path, with_footer(ORIGINAL, footer), Refused, "fields follow the extension")


def test_an_extension_larger_than_readers_take_unless_forced(tmp_path, monkeypatch):
    monkeypatch.setattr(wire, "MAX_EXTENSION_BYTES", 1000)
    within = functools.partial(add_flat, placement="in-struct")
    error = refused(tmp_path, ORIGINAL, Refused, "pyarrow and Spark.*1000.*ignore 'size'", (within,))
    assert error.expected == 1000 < error.found
    assert within(tmp_path / "x.parquet", ignore=["size"]).outcome == "upgraded"


def test_a_footer_of_any_size_is_placed_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(wire, "MAX_EXTENSION_BYTES", 1000)
    path = tmp_path / "x.parquet"
    path.write_bytes(ORIGINAL)
    assert add_flat(path).outcome == "upgraded"


TABLE_FORMATS = {
    "Delta Lake": "_delta_log/00000000000000000000.json",
    "Hudi": ".hoodie/hoodie.properties",
    "Iceberg": "metadata/00000-5d0f.metadata.json",
}


@pytest.mark.parametrize("kind", TABLE_FORMATS)
def test_a_file_of_a_table_format_unless_forced(tmp_path, kind):
    log = tmp_path / "table" / TABLE_FORMATS[kind]
    log.parent.mkdir(parents=True)
    log.write_text("{}")
    path = tmp_path / "table" / "data" / "day=1" / "x.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes(ORIGINAL)
    link = tmp_path / "link.parquet"
    link.symlink_to(path)
    for name in (path, link):
        for action in (add_flat, edits.strip):
            with pytest.raises(Refused, match=rf"{kind} table at {tmp_path}/table, whose log .*ignore 'table-format'"):
                action(name)
    assert path.read_bytes() == ORIGINAL
    assert edits.upgrade(path, ignore={"table-format"}, form="flat").outcome == "upgraded"


def test_a_folder_of_metadata_that_is_not_icebergs_refuses_nothing(tmp_path):
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "notes.json").write_text("{}")
    (tmp_path / "x.parquet").write_bytes(ORIGINAL)
    assert edits.upgrade(tmp_path / "x.parquet", form="flat").outcome == "upgraded"


# ---- data behind their end ----------------------------------------------------------------------------------------


def with_last_chunk(change, part: str = "meta_data") -> bytes:
    """The file's bytes, after a change of its last chunk."""
    fields = thrift.read("FileMetaData", FOOTER)
    chunk = fields["row_groups"][-1]["columns"][-1]
    change(chunk["meta_data"] if part == "meta_data" else chunk)
    return with_footer(ORIGINAL, thrift.write("FileMetaData", fields))


BEHIND = {
    "size": (lambda meta: meta.update(total_compressed_size=FOOTER_OFFSET), "meta_data"),
    "begin": (lambda meta: meta.update(data_page_offset=FOOTER_OFFSET - 1, dictionary_page_offset=-5), "meta_data"),
    "Bloom filter": (
        lambda meta: meta.update(bloom_filter_offset=FOOTER_OFFSET - 1, bloom_filter_length=2),
        "meta_data",
    ),
    "page index": (lambda chunk: chunk.update(offset_index_offset=FOOTER_OFFSET, offset_index_length=1), "chunk"),
}


@pytest.mark.parametrize("form", [*forms.WRITABLE])
@pytest.mark.parametrize("name", BEHIND)
def test_data_that_reach_into_the_footer_are_malformed(tmp_path, name, form):
    content = with_last_chunk(*BEHIND[name])
    where = {"Bloom filter": ", bloom filter", "page index": ", offset index"}.get(name, "")
    message = rf"row group 2, leaf 2{where}: bytes \d+ to \d+ leave the data, which ends at {FOOTER_OFFSET} \(at"
    error = refused(tmp_path, content, Malformed, message, [functools.partial(edits.upgrade, form=form)])
    chunk = kernels.scan.scan(footer_of(content)).chunks("chunk_offset")[-1]
    assert (error.offset, error.expected) == (FOOTER_OFFSET + chunk, FOOTER_OFFSET)
    assert error.found > FOOTER_OFFSET and str(error.found) in str(error)
    path = tmp_path / "x.parquet"
    assert edits.upgrade(path).outcome == "unchanged" and path.read_bytes() == content  # it is too small to gain


def test_data_that_end_where_the_footer_begins_are_not(tmp_path):
    path = tmp_path / "x.parquet"
    for content in (
        ORIGINAL,
        with_last_chunk(lambda meta: meta.update(bloom_filter_offset=FOOTER_OFFSET - 2, bloom_filter_length=2)),
    ):
        path.write_bytes(content)
        for form in forms.WRITABLE:
            assert edits.upgrade(path, form=form).outcome == "upgraded", form
        assert parquetext.verify(path).ok
        edits.strip(path)
        assert path.read_bytes() == content


def test_an_error_in_pages_has_their_offset_in_the_file(tmp_path):
    content = with_last_chunk(lambda meta: meta.update(total_compressed_size=-3))
    error = refused(
        tmp_path,
        content,
        Malformed,
        "-3 bytes of pages at",
        [functools.partial(edits.add_page_index, bloom=[TABLE.column_names[-1]])],
    )
    assert 4 <= error.offset < FOOTER_OFFSET
