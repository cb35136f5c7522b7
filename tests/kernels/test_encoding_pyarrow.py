"""Pages that pyarrow writes: the values, levels and booleans that it wrote come out of both implementations."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from parquetext import kernels, wire

pytestmark = pytest.mark.usefixtures("implementation")

COUNT = 5003
NUMBERS = [(i * i * 2654435761) % 1000 - 500 for i in range(COUNT)]
FIXED = {
    "int32": (wire.PHYSICAL_INT32, pa.array(NUMBERS, pa.int32())),
    "int64": (wire.PHYSICAL_INT64, pa.array([n << 33 for n in NUMBERS], pa.int64())),
    "float": (wire.PHYSICAL_FLOAT, pa.array([n / 7 for n in NUMBERS], pa.float32())),
    "double": (wire.PHYSICAL_DOUBLE, pa.array([n / 7 for n in NUMBERS], pa.float64())),
    "fixed": (wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, pa.array([b"%7d" % n for n in NUMBERS], pa.binary(7))),
}
BOOLEANS = [n % 3 == 0 or 1000 < i < 3000 for i, n in enumerate(NUMBERS)]


def pages(array: pa.Array, nullable: bool = False, **options) -> list[tuple[bool, int, bytes]]:
    """(whether it is the dictionary, values and nulls, body) of each page that pyarrow writes of one column."""
    file = io.BytesIO()
    table = pa.table([array], schema=pa.schema([pa.field("x", array.type, nullable)]))
    pq.write_table(table, file, compression="none", data_page_size=4096, write_batch_size=500, **options)
    data = file.getvalue()
    chunk = pq.read_metadata(file).row_group(0).column(0)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    walked = kernels.page.walk(data, start, start + chunk.total_compressed_size)
    assert walked.problem is None
    return [read(data, walked.header(i)) for i in range(len(walked))]


def read(data: bytes, page) -> tuple[bool, int, bytes]:
    body = page.offset + page.header_size
    is_dictionary = page.type == wire.PAGE_DICTIONARY_PAGE
    return is_dictionary, page.num_values, data[body : body + page.compressed_size]


def raw(array: pa.Array) -> bytes:
    return array.buffers()[1].to_pybytes()[: len(array) * array.type.bit_width // 8]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("encoding", [wire.ENCODING_PLAIN, wire.ENCODING_BYTE_STREAM_SPLIT])
@pytest.mark.parametrize("name", FIXED)
def test_values_as_pyarrow_writes_them(name, encoding, version):
    type, array = FIXED[name]
    options = {"use_dictionary": False, "column_encoding": {"x": wire.NAMES_OF_ENCODING[encoding]}}
    written = pages(array, data_page_version=version, **options)
    decoded = [kernels.encoding.decode(encoding, type, 7, body, count) for _, count, body in written]
    assert b"".join(values for values, _ in decoded) == raw(array)
    assert [end for _, end in decoded] == [len(body) for *_, body in written]
    assert len(written) > 2


@pytest.mark.parametrize("name", FIXED)
def test_dictionaries_as_pyarrow_writes_them(name):
    type, array = FIXED[name]
    (_, entries, plain), *written = pages(array, use_dictionary=True)
    values, _ = kernels.encoding.decode(wire.ENCODING_PLAIN, type, 7, plain, entries)
    decoded = [
        kernels.encoding.decode(wire.ENCODING_RLE_DICTIONARY, type, 7, body, count, dictionary=(values, entries))
        for _, count, body in written
    ]
    assert b"".join(values for values, _ in decoded) == raw(array)
    assert [end for _, end in decoded] == [len(body) for *_, body in written]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("encoding", [wire.ENCODING_PLAIN, wire.ENCODING_RLE])
def test_booleans_as_pyarrow_writes_them(encoding, version):
    options = {"use_dictionary": False, "column_encoding": {"x": wire.NAMES_OF_ENCODING[encoding]}}
    found = []
    for _, count, body in pages(pa.array(BOOLEANS), data_page_version=version, **options):
        bits, end = kernels.encoding.decode(encoding, wire.PHYSICAL_BOOLEAN, 0, body, count)
        assert end == len(body)
        found += [bool(bits[i // 8] >> i % 8 & 1) for i in range(count)]
    assert found == BOOLEANS


def test_levels_as_pyarrow_writes_them():
    array = pa.array([n if valid else None for n, valid in zip(NUMBERS, BOOLEANS, strict=True)], pa.int64())
    levels, values = [], b""
    for _, count, body in pages(array, nullable=True, use_dictionary=False, data_page_version="1.0"):
        end = 4 + int.from_bytes(body[:4], "little")
        decoded, after = kernels.encoding.decode_levels(wire.ENCODING_RLE, 1, body, count, 4, end)
        assert after == end
        found = memoryview(decoded).cast("B").cast("H").tolist()
        levels += found
        page, end = kernels.encoding.decode(wire.ENCODING_PLAIN, wire.PHYSICAL_INT64, 0, body, sum(found), end)
        values += page
        assert end == len(body)
    assert levels == [int(valid) for valid in BOOLEANS]
    assert values == raw(array.drop_null())
