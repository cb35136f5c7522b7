"""The bounds of all chunks as columns: both implementations alike, on real footers and for every reading."""

from __future__ import annotations

import io
import struct
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.corpus_files import readable
from support.footers import damaged, footer_of
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import ParquetextError, Unsupported

VALUES = (
    wire.READING_SIGNED,
    wire.READING_UNSIGNED,
    wire.READING_BOOLEAN,
    wire.READING_FLOAT,
    wire.READING_TEXT,
    wire.READING_DECIMAL,
)
UNITS = (wire.READING_DAYS, wire.READING_MILLISECONDS, wire.READING_MICROSECONDS, wire.READING_NANOSECONDS)
READINGS = (0, 15, *VALUES, *(wire.READING_SIGNED | unit for unit in UNITS))


def footer_for(table: pa.Table, **options) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return footer_of(file.getvalue())


def bounds_of(array: pa.Array, reading: int, rows: int = 1) -> tuple[dict, dict]:
    """The columns of the minima and of the maxima."""
    scan = kernels.scan.scan(footer_for(pa.table({"c": array}), row_group_size=rows))
    return tuple(map(columns, kernels.catalog.bound_columns(scan, bytes([reading])), (scan.chunk_count,) * 2))


def columns(end: tuple, count: int) -> dict:
    numbers, moments, offsets, data, bitmaps = map(pa.py_buffer, end)
    size = (count + 7) // 8
    valid = [bitmaps.slice(number * size, size) for number in range(5)]
    kinds = {
        "integer": (pa.int64(), 1, [numbers]),
        "double": (pa.float64(), 2, [numbers]),
        "time": (pa.int64(), 4, [moments]),
        "text": (pa.string(), 3, [offsets, data]),
        "stored": (pa.binary(), 0, [offsets, data]),
    }
    arrays = {
        name: pa.Array.from_buffers(kind, count, [valid[bitmap], *buffers])
        for name, (kind, bitmap, buffers) in kinds.items()
    }
    for array in arrays.values():
        array.validate(full=True)
    return {name: array.to_pylist() for name, array in arrays.items()}


@pytest.mark.usefixtures("implementation")
class TestReadings:
    def test_integers_of_both_widths(self):
        low, high = bounds_of(pa.array([-5, 2**63 - 1, None]), wire.READING_SIGNED)
        assert low["integer"] == high["integer"] == [-5, 2**63 - 1, None]
        assert bounds_of(pa.array([-5, 7], pa.int32()), wire.READING_SIGNED, 2)[1]["integer"] == [7]

    def test_an_unsigned_number_beyond_int64_is_bytes_only(self):
        low, _ = bounds_of(pa.array([2**63, 2**63 - 1], pa.uint64()), wire.READING_UNSIGNED)
        assert low["integer"] == [None, 2**63 - 1]
        assert low["stored"][0] == struct.pack("<Q", 2**63)
        assert bounds_of(pa.array([2**32 - 1], pa.uint32()), wire.READING_UNSIGNED)[0]["integer"] == [2**32 - 1]

    def test_booleans(self):
        low, high = bounds_of(pa.array([False, True]), wire.READING_BOOLEAN, 2)
        assert (low["integer"], high["integer"]) == ([0], [1])

    @pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
    def test_floats_of_all_widths(self, kind):
        numbers = [-2.5, 2.0**-24 if kind == pa.float16() else 1.5e-40, 65504.0, float("inf"), float("-inf"), 1.0]
        array = pa.array(numbers, pa.float64()).cast(kind)
        low, high = bounds_of(array, wire.READING_FLOAT)
        assert low["double"] == high["double"] == array.cast(pa.float64()).to_pylist()
        assert low["integer"] == [None] * 6

    def test_decimals_of_any_length(self):
        wanted = [1, -1, 127, -128, 10**18, -(10**18), 2**63 - 1, -(2**63), 2**63, None]
        array = pa.array([None if n is None else Decimal(n) for n in wanted], pa.decimal128(38, 0))
        low, _ = bounds_of(array, wire.READING_DECIMAL)
        assert low["integer"] == [*wanted[:8], None, None]

    def test_text_that_is_not_utf_8_is_bytes(self):
        good = ["", "a", "é", "\u0800", "\ud7ff", "\ue000", "\U00010000", "\U0010ffff"]
        bad = [
            b"\x80",
            b"\xc0\xaf",
            b"\xc3",
            b"\xe0\x9f\xbf",
            b"\xed\xa0\x80",
            b"\xf0\x8f\xbf\xbf",
            b"\xf4\x90\x80\x80",
            b"\xf5\x80\x80\x80",
            b"a\xe2\x82",
            b"\xc3a",
        ]
        low, high = bounds_of(pa.array([text.encode() for text in good] + bad), wire.READING_TEXT)
        assert low["text"] == high["text"] == good + [None] * len(bad)
        assert low["stored"][len(good) :] == bad

    def test_moments_enclose_the_bound(self):
        for unit, factor in (
            (wire.READING_MICROSECONDS, 1),
            (wire.READING_MILLISECONDS, 1000),
            (wire.READING_DAYS, 86_400_000_000),
        ):
            low, high = bounds_of(pa.array([-3, 5]), wire.READING_SIGNED | unit)
            assert low["time"] == high["time"] == [-3 * factor, 5 * factor]
        low, high = bounds_of(pa.array([-1, 1, 1999, -1000]), wire.READING_SIGNED | wire.READING_NANOSECONDS)
        assert (low["time"], high["time"]) == ([-1, 0, 1, -1], [0, 1, 2, -1])

    def test_a_timestamp_beyond_64_bits_is_null(self):
        edge = (2**63 - 1) // 1000
        low, _ = bounds_of(pa.array([edge, edge + 1, -edge - 1]), wire.READING_SIGNED | wire.READING_MILLISECONDS)
        assert low["time"] == [edge * 1000, None, None]
        assert low["integer"] == [edge, edge + 1, -edge - 1]

    def test_timestamps_of_12_bytes_are_those_that_64_bits_hold(self):
        numbers = [-1, 2**63 - 1, 2**63, -(2**63) - 1]
        array = pa.array([number.to_bytes(12, "little", signed=True) for number in numbers], pa.binary(12))
        low, high = bounds_of(array, wire.READING_SIGNED | wire.READING_NANOSECONDS)
        assert low["integer"] == high["integer"] == [-1, 2**63 - 1, None, None]
        assert low["time"] == [-1, (2**63 - 1) // 1000, None, None]

    def test_a_reading_of_another_width_gives_bytes_only(self):
        low, _ = bounds_of(pa.array([b"123"]), wire.READING_SIGNED)
        assert low == {"integer": [None], "double": [None], "time": [None], "text": [None], "stored": [b"123"]}

    def test_there_is_one_reading_per_leaf(self):
        scan = kernels.scan.scan(footer_for(pa.table({"a": [1], "b": [2]})))
        with pytest.raises(ParquetextError) as caught:
            kernels.catalog.bound_columns(scan, b"\1")
        assert (caught.value.code, caught.value.expected, caught.value.found) == (wire.BAD_ARGUMENT, 2, 1)


def test_both_implementations_read_real_footers_equally(corpus, expected):
    native, pure = both("catalog")
    scans = [kernel.scan for kernel in both("scan")]
    for path in readable(corpus, expected):
        if path.stat().st_size > 1 << 20:
            continue
        footer = footer_of(path.read_bytes())
        one, other = (scan(footer, strict=False) for scan in scans)
        for reading in READINGS:
            readings = bytes([reading]) * one.leaf_count
            assert outcome(native.bound_columns, one, readings) == outcome(pure.bound_columns, other, readings), path


def test_both_implementations_read_damaged_footers_equally():
    native, pure = both("catalog")
    scans = [kernel.scan for kernel in both("scan")]
    footer = footer_for(pa.table({"a": range(40), "b": [f"text {n}" for n in range(40)]}), row_group_size=10)
    compared = irregular = 0
    for seed in range(400):
        try:
            one, other = (scan(damaged(footer, seed), strict=False) for scan in scans)
        except ParquetextError:
            continue
        said = [
            outcome(kernel.bound_columns, scan, bytes([READINGS[seed % len(READINGS)]]) * one.leaf_count)
            for kernel, scan in ((native, one), (pure, other))
        ]
        assert said[0] == said[1], seed
        compared += 1
        irregular += said[0][0] == "error" and said[0][1] is Unsupported
    assert compared > 50
    assert irregular
