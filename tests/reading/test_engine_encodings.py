"""Columns in encodings that the kernels do not know: whoever registers one reads them by our decoder."""

from __future__ import annotations

from uuid import UUID

import pyarrow as pa
import pytest
from support.pages import Column, data_page, data_page_v2, dictionary_page, levels, parquet_file

import parquetext
from parquetext import wire
from parquetext.encoding import registry
from parquetext.encoding.registry import Encoding, register
from parquetext.errors import Unsupported

NEGATED = 1000
INTEGERS = b"".join(value.to_bytes(4, "little") for value in (7, 8, 9))
FLIPPED = bytes(255 - byte for byte in INTEGERS)
TEXTS = b"one/two/three"


def _negated(data, count: int, type: int, type_length: int):
    if type == wire.PHYSICAL_INT32:
        return bytes(255 - byte for byte in data)
    parts = bytes(data).split(b"/")
    assert len(parts) == count
    ends = [sum(map(len, parts[:number])) for number in range(count + 1)]
    return b"".join(end.to_bytes(4, "little") for end in ends), b"".join(parts)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(registry, "_known", dict(registry._known))
    types = frozenset({wire.PHYSICAL_INT32, wire.PHYSICAL_BYTE_ARRAY})
    uuid = UUID("0a7c6f8e-24f5-4a6c-bb41-5a9ad3b5a6d0")
    register(Encoding(id=NEGATED, name="NEGATED", uuid=uuid, types=types, encode=None, decode=_negated))


def read(tmp_path, columns: list[Column], rows: int) -> dict:
    path = tmp_path / "own.parquet"
    path.write_bytes(parquet_file(columns, rows))
    return parquetext.read_table(path, engine="parquetext").to_pydict()


@pytest.mark.parametrize("codec", [wire.CODEC_UNCOMPRESSED, wire.CODEC_SNAPPY])
def test_pages_of_a_registered_encoding_mix_with_others(implementation, tmp_path, codec):
    pages = [
        data_page(INTEGERS, 3, wire.ENCODING_PLAIN, codec=codec),
        data_page(FLIPPED, 3, NEGATED, codec=codec),
        data_page_v2(FLIPPED, 3, NEGATED, codec=codec),
        data_page(INTEGERS, 3, wire.ENCODING_PLAIN, codec=codec),
    ]
    found = read(tmp_path, [Column("x", wire.PHYSICAL_INT32, pages, codec=codec)], 12)
    assert found == {"x": [7, 8, 9] * 4}


def test_nulls_take_no_values(implementation, tmp_path):
    there = levels([1, 0, 1, 1], 1)
    pages = [
        data_page(FLIPPED, 4, NEGATED, definition=there),
        data_page_v2(FLIPPED, 4, NEGATED, definition=there, nulls=1),
    ]
    column = Column("x", wire.PHYSICAL_INT32, pages, repetition=wire.REPETITION_OPTIONAL)
    assert read(tmp_path, [column], 8) == {"x": [7, None, 8, 9] * 2}


def test_byte_arrays_come_too(implementation, tmp_path):
    element = {"converted_type": wire.CONVERTED_UTF8}
    column = Column("x", wire.PHYSICAL_BYTE_ARRAY, [data_page(TEXTS, 3, NEGATED)], element=element)
    assert read(tmp_path, [column], 3) == {"x": ["one", "two", "three"]}


def test_a_dictionary_before_them_stays(implementation, tmp_path):
    pages = [
        dictionary_page(INTEGERS, 3),
        data_page(FLIPPED, 3, NEGATED),
        data_page(b"\x02\x03\x24", 3, wire.ENCODING_RLE_DICTIONARY),
    ]
    assert read(tmp_path, [Column("x", wire.PHYSICAL_INT32, pages)], 6) == {"x": [7, 8, 9] * 2}


def test_values_of_another_type_are_refused(implementation, tmp_path):
    column = Column("x", wire.PHYSICAL_INT64, [data_page(bytes(24), 3, NEGATED)])
    with pytest.raises(Unsupported, match="column x: encoding 1000 of values of type 2"):
        read(tmp_path, [column], 3)


def test_an_unregistered_encoding_is_refused(implementation, tmp_path):
    column = Column("x", wire.PHYSICAL_INT32, [data_page(FLIPPED, 3, 1001)])
    with pytest.raises(Unsupported, match="encoding 1001"):
        read(tmp_path, [column], 3)


def test_nulls_of_a_struct_are_those_of_its_first_leaf(implementation, tmp_path):
    parts = pa.array([{"a": 1, "b": {"c": None, "d": 2}}, None, {"a": None, "b": None}, {"a": 3, "b": {"c": 4}}])
    table = pa.table({"s": parts, "l": pa.array([[{"x": 1, "y": None}, None], None, [], [{"x": None, "y": 2}]])})
    path = tmp_path / "structs.parquet"
    parquetext.write_table(table, path)
    for columns in (None, ["s.b.d"], ["s.b.c", "l.list.element.y"], ["s.a"]):
        expected = parquetext.read_table(path, columns=columns)
        assert parquetext.read_table(path, columns=columns, engine="parquetext").equals(expected)
