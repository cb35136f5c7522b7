"""Columns with a copy in another encoding: the readers' view, the positions of all parts, and the way back."""

from __future__ import annotations

import io
import random
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import edits, kernels, wire
from parquetext.encoding import find
from parquetext.encoding.carried import copies_of
from parquetext.encoding.chunk_reader import ChunkReader, Stretch, chunk_of
from parquetext.errors import ColumnError, Conflict, ParquetextError, Refused, Unsupported
from parquetext.footer.locate import read_tail
from parquetext.rewrite.recode import leaves_of
from parquetext.storage import LocalSource

NUMBERS = random.Random(7)
ROWS = 3000
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "price": pa.array([NUMBERS.random() if row % 7 else None for row in range(ROWS)]),
        "name": pa.array([f"name {row % 50}" * (row % 3) if row % 5 else None for row in range(ROWS)]),
        "list": pa.array([[*range(row % 4)] if row % 6 else None for row in range(ROWS)], pa.list_(pa.int32())),
        "flag": pa.array([row % 3 == 0 if row % 4 else None for row in range(ROWS)]),
    }
)
ENCODINGS = {
    "id": "DELTA_BINARY_PACKED",
    "price": "byte_stream_split",
    "name": "delta_byte_array",
    "list": "delta_binary_packed",
    "flag": "rle",
}
INDEXES = {"write_page_index": True, "bloom_filter_options": {"id": True, "name": True}}


@pytest.fixture
def path(tmp_path) -> Path:
    file = tmp_path / "x.parquet"
    write(file)
    return file


def write(file, table=TABLE, **options) -> None:
    pq.write_table(table, file, row_group_size=1000, **{**INDEXES, **options})


def bare_footer(path) -> bytes:
    with LocalSource(str(path)) as source:
        return edits.footer.read_footer(source).bare


def copies(path) -> list[list]:
    """Of each leaf, row group by row group, the copies that its metadata leads to."""
    scan = kernels.scan.scan(bare_footer(path))
    positions = zip(scan.chunks("metadata_offset"), scan.chunks("metadata_length"), strict=True)
    found = [copies_of(bytes(scan.data[offset : offset + length])) for offset, length in positions]
    return [found[leaf :: scan.leaf_count] for leaf in range(scan.leaf_count)]


def values(path, copied=None) -> list:
    """Return the chunk reader's values of every chunk, or those of copy number `copied` if there is one."""
    found, message = [], copies(path)
    with LocalSource(str(path)) as source:
        scan = kernels.scan.scan(bare_footer(path))
        for leaf in leaves_of(scan):
            for group in range(scan.row_group_count):
                chunk = chunk_of(scan, leaf, group, group, source.size)
                begin, end = chunk.begin, chunk.end
                if copied is not None and message[leaf.leaf][group]:
                    chunk = chunk.by(message[leaf.leaf][group][copied])
                    begin, end = chunk.begin, chunk.end
                reader = ChunkReader(leaf, source, levels=True, checks_crc=True)
                reader.begin(chunk)
                reader.open(Stretch(begin, end, 0, chunk.num_rows))
                reader.read(chunk.num_rows)
                reader.close()
                [taken] = reader.take()
                found.append([None if part is None else bytes(part) for part in taken[4:]])
    return found


@pytest.mark.parametrize("codec", ["none", "zstd", "snappy", "lz4"])
def test_the_copies_hold_the_values_of_the_columns(implementation, path, codec):
    before = values(path)
    done = edits.encode(path, ENCODINGS, codec=codec)
    assert (done.outcome, done.form_after) == ("encoded", "thrift")
    assert values(path) == before
    assert values(path, copied=0) == before


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_copies_may_use_extension_only_encodings(implementation, path, codec):
    before, original = values(path), path.read_bytes()
    edits.encode(path, {"id": "pfor", "list": "pfor", "name": "fsst"}, codec=codec)
    assert values(path) == values(path, copied=0) == before
    message = {copy.uuid for leaf in copies(path) for group in leaf for copy in group}
    assert message == {find(wire.ENCODING_PFOR).uuid, find(wire.ENCODING_FSST).uuid}
    assert pq.read_table(path).equals(TABLE)
    edits.strip(path)
    assert path.read_bytes() == original


def test_a_copy_is_described_with_its_encoding(path):
    edits.encode(path, {"price": "byte_stream_split"}, codec="zstd")
    data, scan = path.read_bytes(), kernels.scan.scan(bare_footer(path))
    for group, [copy] in enumerate(copies(path)[1]):
        metadata = pq.read_metadata(path).row_group(group).column(1)
        begin, size = scan.column(1).begins()[group], metadata.total_compressed_size
        assert copy.fits(begin, size, metadata.num_values)
        assert (copy.encoding, copy.uuid, copy.codec) == (wire.ENCODING_BYTE_STREAM_SPLIT, None, wire.CODEC_ZSTD)
        assert copy.crc == kernels.checksum.crc32(data[copy.offset : copy.end])
        assert copy.chunk_crc == kernels.checksum.crc32(data[begin : begin + size])
        assert (copy.num_values, copy.null_count) == (1000, metadata.statistics.null_count)
        headers = kernels.page.walk(data[copy.offset : copy.end])
        assert headers.end == copy.length and headers.problem is None
        assert len(headers) == len(copy.page_lengths)
        assert {*headers.array("type")} == {wire.PAGE_DATA_PAGE_V2}
        assert {*headers.array("encoding")} == {copy.encoding}


@pytest.mark.parametrize("form", [None, "flat", "index"])
def test_strip_gives_the_original_back(path, form):
    if form:
        edits.upgrade(path, form=form)
    original = path.read_bytes()
    done = edits.encode(path, ENCODINGS)
    assert done.form_after == (form or "thrift")
    with parquetext.open(path) as file:
        assert (file.form, [*file.findings]) == (form or "thrift", [])
    assert parquetext.verify(path).ok
    assert pq.read_table(path).equals(TABLE)
    undone = edits.strip(path)
    assert (undone.outcome, undone.form_after) == ("stripped", form or "thrift")
    assert path.read_bytes() == original


def test_strip_undoes_one_encode_at_a_time(path):
    original = path.read_bytes()
    edits.encode(path, {"price": "byte_stream_split"})
    once = path.read_bytes()
    edits.encode(path, {"id": "delta_binary_packed", "price": "plain"}, codec="zstd")
    assert [len(groups[0]) for groups in copies(path)] == [1, 2, 0, 0, 0]
    assert pq.read_table(path).equals(TABLE)
    edits.upgrade(path, form="flat")
    edits.strip(path)
    assert path.read_bytes() == once
    edits.strip(path)
    assert path.read_bytes() == original


def test_a_column_that_has_its_copy_gets_no_other_one(path):
    edits.encode(path, {"price": "byte_stream_split"})
    before = path.stat()
    again = edits.encode(path, {"price": "BYTE_STREAM_SPLIT"})
    assert (again.outcome, again.bytes_written) == ("unchanged", 0)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_new_file_leaves_the_old_one_alone(path, tmp_path):
    original, out = path.read_bytes(), tmp_path / "out.parquet"
    done = edits.encode(path, {"price": "byte_stream_split"}, out=out)
    stream = io.BytesIO()
    edits.encode(path, {"price": "byte_stream_split"}, out=stream)
    assert path.read_bytes() == original
    assert out.read_bytes() == stream.getvalue()
    assert done.bytes_after == out.stat().st_size
    edits.strip(out)
    assert out.read_bytes() == original


def test_a_byte_is_read_once_for_the_copy_and_the_digest(path):
    result = edits.encode(path, {"flag": "plain"}, out=io.BytesIO())
    assert result.bytes_read < 1.5 * path.stat().st_size


def test_a_file_object_that_writes_into_the_file_itself_is_refused(path):
    before = path.read_bytes()
    with open(path, "r+b") as out, pytest.raises(Refused, match="the file itself"):
        edits.encode(path, {"price": "plain"}, out=out)
    assert path.read_bytes() == before


def test_a_file_that_changes_meanwhile_makes_no_new_file(path, tmp_path, monkeypatch):
    plain, out = find(wire.ENCODING_PLAIN), tmp_path / "out.parquet"

    def meddling(*given):
        with open(path, "r+b") as file:
            file.seek(100)
            file.write(b"changed")
        return plain.encode(*given)

    monkeypatch.setattr(sys.modules[edits.encode.__module__], "encoding_of", lambda _: replace(plain, encode=meddling))
    with pytest.raises(Conflict, match="in the meantime"):
        edits.encode(path, {"price": "plain"}, out=out)
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("leaf", range(TABLE.num_columns))
def test_row_groups_hold_the_places_by_which_splits_find_them(path, leaf):
    """parquet-java gives a row group to the split that holds its first column's offset plus half its size."""
    name = TABLE.column_names[leaf]
    edits.encode(path, {name: ENCODINGS[name]})
    scan, file = kernels.scan.scan(bare_footer(path)), pq.read_metadata(path)
    begins = [[scan.column(column).begins()[group] for column in range(5)] for group in range(3)]
    middles = []
    for group in range(3):
        sizes = [file.row_group(group).column(column).total_compressed_size for column in range(5)]
        starts = [copy.offset for found in copies(path) for copy in found[group]] + begins[group]
        ends = [begin + size for begin, size in zip(begins[group], sizes, strict=True)]
        middles.append(begins[group][0] + sum(sizes) // 2)
        assert min(starts) <= middles[-1] < max(ends)
        assert begins[group][0] == min(begins[group]), "the first column stands before the others"
        [[copy]] = [found[group] for found in copies(path) if found[group]]
        assert copy.end == begins[group][0]
        if leaf:
            assert begins[group][leaf] == max(begins[group]), "chunks with a copy follow those without one"
    assert middles == sorted(middles)


def test_only_columns_that_are_there_and_encodings_that_serve_them_are_taken(path):
    original = path.read_bytes()
    for error, columns, codec in [
        (ColumnError, {"nothing": "plain"}, None),
        (Unsupported, {"price": "delta_binary_packed"}, None),
        (Unsupported, {"price": "rle_dictionary"}, None),
        (Unsupported, {"price": "no such"}, None),
        (ParquetextError, {"price": "plain"}, "lzo"),
        (ParquetextError, {}, None),
    ]:
        with pytest.raises(error):
            edits.encode(path, columns, codec=codec)
    assert path.read_bytes() == original
    assert [file.name for file in path.parent.iterdir()] == ["x.parquet"]


def test_strip_refuses_if_the_original_cannot_be_restored(path):
    edits.encode(path, {"price": "byte_stream_split"})
    whole = bytearray(path.read_bytes())
    begin = kernels.scan.scan(bare_footer(path)).column(1).begins()[0]
    whole[begin + 40] ^= 1
    path.write_bytes(whole)
    with pytest.raises(ParquetextError, match="SHA-256"):
        edits.strip(path)
    assert path.read_bytes() == whole
    assert [file.name for file in path.parent.iterdir()] == ["x.parquet"]


def test_strip_refuses_if_another_program_has_written_the_footer(path):
    edits.encode(path, {"price": "byte_stream_split"})
    data = path.read_bytes()
    with LocalSource(str(path)) as source:
        begin = read_tail(source).footer_offset
    changed = data.replace(b"parquet-cpp-arrow", b"parquet-cpp-arroW")
    assert data[:begin] == changed[:begin] and data != changed
    path.write_bytes(changed)
    with pytest.raises(ParquetextError, match="another program"):
        edits.strip(path)


def test_a_damaged_chunk_or_copy_is_not_carried_on(path, tmp_path):
    edits.encode(path, {"price": "byte_stream_split"})
    [copy], *_ = copies(path)[1]
    for at in (copy.offset + 50, copy.chunk_offset + 60):
        other = tmp_path / "other.parquet"
        shutil.copyfile(path, other)
        whole = bytearray(path.read_bytes())
        whole[at] ^= 4
        other.write_bytes(whole)
        with pytest.raises(ParquetextError, match="checksum"):
            edits.encode(other, {"id": "plain"})
        assert other.read_bytes() == whole
