"""PFOR and FSST: registered as any program registers its own, and refused outside of extensions."""

from __future__ import annotations

import struct
from dataclasses import replace
from uuid import UUID

import pyarrow as pa
import pytest
from support.pages import Column, data_page, data_page_v2, levels, parquet_file

import parquetext
from parquetext import kernels, wire
from parquetext.encoding import find, register, registry
from parquetext.encoding.experimental import FSST, PFOR
from parquetext.encoding.foreign_pages import made_plain
from parquetext.encoding.pages import read_pages
from parquetext.errors import OutOfProportion, ParquetextError, Unsupported

INT32, TEXT, FIXED = wire.PHYSICAL_INT32, wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
NUMBERS = struct.pack("<4i", 7, 8, 1 << 30, 9)
TEXTS = struct.pack("<5i", 0, 3, 6, 6, 9), b"onetwoone"


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(registry, "_known", dict(registry._known))


class Source:
    def __init__(self, data: bytes):
        self.data, self.size = data, len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


def test_experimental_encodings_are_registered_on_import(implementation):
    assert find(wire.ENCODING_PFOR) is PFOR and find(wire.ENCODING_FSST) is FSST
    assert not PFOR.is_built_in and PFOR.only_in_extension and FSST.only_in_extension
    stored = PFOR.encode(NUMBERS, 4, INT32, 0)
    assert bytes(PFOR.decode(stored, 4, INT32, 0)) == NUMBERS
    stored = FSST.encode(TEXTS, 4, TEXT, 0)
    assert tuple(map(bytes, FSST.decode(stored, 4, TEXT, 0))) == TEXTS
    stored = FSST.encode(b"onetwoone", 3, FIXED, 3)
    assert bytes(FSST.decode(memoryview(stored), 3, FIXED, 3)) == b"onetwoone"


def test_a_number_below_64_is_for_extensions_alone():
    one = replace(PFOR, id=12, name="OTHER", uuid=UUID(int=1))
    with pytest.raises(ParquetextError, match="parquet-format's to name"):
        register(replace(one, only_in_extension=False))
    with pytest.raises(ParquetextError, match="by a UUID"):
        register(replace(one, uuid=None))
    register(one)
    assert find(12) is one


@pytest.mark.parametrize("codec", [wire.CODEC_UNCOMPRESSED, wire.CODEC_SNAPPY])
@pytest.mark.parametrize(
    "name, encoding, type, values", [("PFOR", PFOR, INT32, NUMBERS), ("FSST", FSST, TEXT, TEXTS)], ids=["pfor", "fsst"]
)
def test_a_reader_refuses_them_by_name_in_ordinary_columns(
    implementation, tmp_path, name, encoding, type, values, codec
):
    page = data_page(encoding.encode(values, 4, type, 0), 4, encoding.id, codec=codec)
    path = tmp_path / "declared.parquet"
    path.write_bytes(parquet_file([Column("x", type, [page], codec=codec)], 4))
    with pytest.raises(Unsupported, match=f"column x.*: encoding {name} in a page of an ordinary column"):
        parquetext.read_table(path, engine="parquetext")


@pytest.mark.parametrize("make", [data_page, data_page_v2])
def test_pages_of_an_extension_become_plain(implementation, make):
    options = {"nulls": 1} if make is data_page_v2 else {}
    there = levels([1, 1, 0, 1, 1], 1)
    for encoding, type, values in ((PFOR, INT32, NUMBERS), (FSST, TEXT, TEXTS)):
        stored = make(encoding.encode(values, 4, type, 0), 5, encoding.id, definition=there, **options).to_bytes()
        [page] = read_pages(Source(stored), 0, len(stored), wire.CODEC_UNCOMPRESSED)
        with pytest.raises(Unsupported, match="in extensions alone"):
            made_plain(page, type, 0, 1, 0)
        plain = made_plain(page, type, 0, 1, 0, in_extension=True)
        assert plain.header.encoding == wire.ENCODING_PLAIN
        assert bytes(plain.values).endswith(kernels.encode.encode(wire.ENCODING_PLAIN, type, 0, values, 4))


def test_a_page_of_very_many_values_in_few_bytes_is_refused_on_request():
    def decoded(vectors: int, **options):
        count = vectors << 15
        offsets = struct.pack(f"<{vectors}I", *(4 * vectors + 7 * number for number in range(vectors)))
        stored = struct.pack("<3BI", 0, 15, 4, count) + offsets + struct.pack("<iBH", 7, 0, 0) * vectors
        data = data_page_v2(stored, count, PFOR.id).to_bytes()
        [page] = read_pages(Source(data), 0, len(data), wire.CODEC_UNCOMPRESSED)
        return bytes(made_plain(page, INT32, 4, 0, 0, in_extension=True, **options).values)

    assert decoded(100, most_page=1 << 24) == struct.pack("<i", 7) * (100 << 15)
    with pytest.raises(OutOfProportion, match=f"decodes to up to {800 << 15}"):
        decoded(200, most_page=1 << 24)
    assert len(decoded(200)) == 800 << 15


@pytest.mark.parametrize("name", ["PFOR", "FSST"])
def test_no_ordinary_column_is_written_in_them(implementation, tmp_path, name):
    table = pa.table({"x": pa.array([1, 2, 3], pa.int32())})
    with pytest.raises((ValueError, OSError)):
        parquetext.write_table(table, tmp_path / "x.parquet", use_dictionary=False, column_encoding={"x": name})
    with pytest.raises(Unsupported, match="is not written"):
        kernels.encode.encode(find(getattr(wire, f"ENCODING_{name}")).id, INT32, 0, NUMBERS, 4)
