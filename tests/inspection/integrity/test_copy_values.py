"""verify --deep compares the values of copies in other encodings with those of their chunks."""

from __future__ import annotations

import struct
from dataclasses import replace
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.copied_files import TABLE, change_blocks, copied_file, copies
from support.pages import Column, data_page, parquet_file

from parquetext import edits, kernels, wire
from parquetext.encoding import Encoding, registry
from parquetext.inspection.integrity import verify

NANS = struct.unpack("<4d", struct.pack("<4Q", 0x7FF8000000000001, 0xFFF0000000000000, 1 << 63, 0x7FF0000000000002))
NUMBERS = pa.table(
    {
        "double": pa.array([*NANS, 0.0, None, 1.25] * 90),
        "int": pa.array([1 << 40, -5, None, 7, 7, 7, 9] * 90, pa.int64()),
        "text": ["", "http://example.org/a", None, "http://example.org/b", "ü", "x", "y"] * 90,
        "bytes": pa.array([b"abcd", None, b"efgh", b"\0\0\0\0", b"ijkl", b"mnop", b"qrst"] * 90, pa.binary(4)),
        "flag": [True, None, False, True, True, False, True] * 90,
        "nested": [[{"a": 1.5, "b": ["x"]}, {"a": None, "b": []}], None, [], [None], [{"a": -0.0, "b": None}]] * 126,
    }
)
ENCODINGS = {
    "double": "alp",
    "int": "pfor",
    "text": "fsst",
    "bytes": "fsst",
    "flag": "rle",
    "nested.list.element.a": "alp",
    "nested.list.element.b": "fsst",
}


def different(path, **tier) -> list[str]:
    return [str(finding) for finding in verify(path, **tier).findings if finding.kind.startswith("copy-")]


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_copies_in_every_new_encoding_have_the_values_of_their_chunks(implementation, tmp_path, codec):
    path = copied_file(tmp_path / "x.parquet", ENCODINGS, NUMBERS, codec, 300)
    assert len(copies(path)) == 3 * len(ENCODINGS)
    assert verify(path, deep=True).findings == []


@pytest.fixture
def flipping(monkeypatch):
    """Let encoders of copies write other values than they were given, unnoticed."""
    monkeypatch.setattr("parquetext.rewrite.recode._compare", lambda *_: None)

    def flip(id: int, change) -> None:
        known = registry.find(id)

        def encode(values, count, type, type_length):
            return known.encode(change(values), count, type, type_length)

        monkeypatch.setitem(registry._known, id, replace(known, encode=encode))

    return flip


def with_bit(values, bit: int) -> bytes:
    changed = bytearray(values)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize("bit", [0, 52, 63])
def test_a_bit_of_one_value_that_differs_is_found(implementation, tmp_path, flipping, bit):
    """With all checksums right: of a NaN's payload, of an exponent, of the sign of zero."""
    flipping(wire.ENCODING_BYTE_STREAM_SPLIT, lambda values: with_bit(values, 64 * 5 + bit))
    table = pa.table({"double": pa.array([None, *NANS, 0.0, 0.0, 1.5] * 30)})
    path = copied_file(tmp_path / "x.parquet", {"double": "byte_stream_split"}, table)
    assert verify(path, pages=True).ok
    [message] = different(path, deep=True)
    assert message.startswith("copy-differs: row group 0, column double, copy in byte_stream_split, rows ")
    assert "value 6 is" in message and not verify(path, deep=True).ok


def test_texts_that_differ_are_found_in_the_row_group_that_has_them(tmp_path, flipping):
    def change(values):
        offsets, data = values
        return offsets, bytes(data).replace(b"name 7", b"name 8")

    flipping(wire.ENCODING_DELTA_BYTE_ARRAY, change)
    path = copied_file(tmp_path / "x.parquet", {"text": "delta_byte_array"}, TABLE)
    message = different(path, deep=True)
    assert [line.split(",")[0] for line in message] == ["copy-differs: row group 0", "copy-differs: row group 1"]


def test_levels_that_differ_are_found(tmp_path, monkeypatch):
    """A copy of another chunk of the same length: only the offset in its block is wrong."""
    lists = [[1, 2], [3]] * 100
    table = pa.table({"list": pa.array(lists, pa.list_(pa.int32()))})
    path = copied_file(tmp_path / "x.parquet", {"list": "delta_binary_packed"}, table, row_group_size=200)
    assert verify(path, deep=True).ok
    monkeypatch.setattr(kernels.encode, "levels", swapped(kernels.encode.levels))
    path = copied_file(tmp_path / "y.parquet", {"list": "delta_binary_packed"}, table, row_group_size=200)
    assert verify(path, pages=True).ok
    [message] = different(path, deep=True)
    assert "repetition levels are not those of the chunk" in message


def swapped(levels):
    """Repetition levels 0 1 0 as 0 0 1."""

    def changed(found, count, highest):
        numbers = memoryview(bytes(found)).cast("B").cast("H").tolist()
        if highest == 1 and 0 in numbers:
            numbers[:3] = [0, 0, 1]
        return levels(memoryview(struct.pack(f"<{len(numbers)}H", *numbers)).cast("B").cast("H"), count, highest)

    return changed


def test_an_encoding_that_a_program_registers_is_decoded(tmp_path, monkeypatch):
    def turned(data, count, type, type_length):
        return bytes(255 - byte for byte in bytes(data))

    own = Encoding(90, "TURNED", UUID(int=90), frozenset({wire.PHYSICAL_DOUBLE}), turned, turned)
    monkeypatch.setitem(registry._known, 90, own)
    path = copied_file(tmp_path / "x.parquet", {"price": "turned"})
    assert verify(path, deep=True).findings == []
    monkeypatch.undo()
    assert {finding.kind for finding in verify(path, deep=True).findings} == {"copy-unknown"}


def test_values_that_cannot_be_decoded_are_a_finding(tmp_path):
    path = copied_file(tmp_path / "x.parquet", {"price": "byte_stream_split"})
    whole, one = bytearray(path.read_bytes()), copies(path)[0]
    whole[one.end - 1] ^= 1
    path.write_bytes(whole)
    crc = kernels.checksum.crc32(bytes(whole[one.offset : one.end]))

    def change(copy):
        return replace(copy, crc=crc) if copy.offset == one.offset else copy

    change_blocks(path, change)
    assert any(line.startswith("copy-uncompared") for line in different(path, deep=True))


def test_bytes_after_the_last_page_of_a_chunk_are_ignored(implementation, tmp_path):
    """Impala's test files have a chunk of 23 bytes more than its pages take."""
    text = wire.PHYSICAL_BYTE_ARRAY
    values = [b"%d" % (row % 7) for row in range(100)]
    plain = b"".join(struct.pack("<I", len(value)) + value for value in values)
    page = data_page(plain, len(values), wire.ENCODING_PLAIN)
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet_file([Column("text", text, [replace(page, body=page.body + bytes(23))])], len(values)))
    edits.encode(path, {"text": "delta_byte_array"})
    assert [finding.kind for finding in verify(path, deep=True).findings] == ["chunk-size"]


def test_many_values_in_plain_python_are_left_out_with_a_note(tmp_path, monkeypatch):
    path = copied_file(tmp_path / "x.parquet", {"price": "byte_stream_split"})
    monkeypatch.setattr("parquetext.reading.execute.proportion.MOST_PURE_VALUES", 100)
    before = kernels.implementation()
    kernels.use("pure")
    try:
        report = verify(path, deep=True)
    finally:
        kernels.use(before)
    assert report.ok and "copy-uncompared" in {finding.kind for finding in report.findings}


def test_texts_that_few_bytes_repeat_are_compared_in_small_batches(tmp_path):
    table = pa.table({"text": ["x" * 30_000] * 3000})
    pq.write_table(table, tmp_path / "x.parquet", compression="zstd")
    edits.encode(tmp_path / "x.parquet", {"text": "delta_byte_array"}, codec="zstd")
    before = pa.total_allocated_bytes()
    assert different(tmp_path / "x.parquet", deep=True) == []
    assert pa.total_allocated_bytes() <= before + (1 << 20)
