"""Stored values as Arrow buffers: the result for each type, and equal bytes from both implementations."""

from __future__ import annotations

import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.footers import damaged, footer_of
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Malformed, ParquetextError, Unsupported
from parquetext.footer.leaf_types import LeafType
from parquetext.thrift import write

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY = range(8)
DAY = 86_400_000_000_000
EPOCH = 2_440_588  # the Julian day of 1970-01-01


def little(value: int, width: int) -> bytes:
    return value.to_bytes(width, "little", signed=True)


def big(value: int, width: int) -> bytes:
    return value.to_bytes(width, "big", signed=True)


def int96(days: int, nanoseconds: int) -> bytes:
    return struct.pack("<qi", nanoseconds, days + EPOCH)


def decimals(kind: pa.DataType, unscaled: list[int | None]) -> pa.Array:
    width = kind.byte_width
    stored = [None if number is None else little(number, width) for number in unscaled]
    return pa.array(stored, pa.binary(width)).view(kind)


def array_of(physical: int, width: int, arrow: pa.DataType, stored: list[bytes | None]) -> pa.Array:
    made = LeafType(physical, width, arrow).array(stored)
    made.validate(full=not pa.types.is_time(arrow))  # a time may be none of a day
    assert made.type == arrow and made.null_count == sum(not value.is_valid for value in made)
    return made


@pytest.mark.usefixtures("implementation")
class TestKinds:
    @pytest.mark.parametrize(
        "arrow",
        [
            pa.int32(),
            pa.date32(),
            pa.time32("ms"),
            pa.int64(),
            pa.time64("us"),
            pa.timestamp("ms"),
            pa.timestamp("us", tz="UTC"),
            pa.timestamp("ns"),
        ],
        ids=str,
    )
    def test_numbers_of_the_stored_width_are_themselves(self, arrow):
        width = arrow.byte_width
        numbers = [0, -1, 5, (1 << 8 * width - 1) - 1, -1 << 8 * width - 1]
        stored = [*(little(number, width) for number in numbers), None, bytes(width - 1), bytes(width + 1)]
        made = array_of(INT32 if width == 4 else INT64, width, arrow, stored)
        assert made.view(f"int{8 * width}").to_pylist() == [*numbers, None, None, None]

    @pytest.mark.parametrize("arrow", [pa.uint32(), pa.uint64()], ids=str)
    def test_unsigned_numbers_of_the_stored_width_go_to_the_end(self, arrow):
        width = arrow.byte_width
        made = array_of(INT32 if width == 4 else INT64, width, arrow, [b"\xff" * width, bytes(width)])
        assert made.to_pylist() == [(1 << 8 * width) - 1, 0]

    @pytest.mark.parametrize(
        "arrow, low, high",
        [(pa.int8(), -128, 127), (pa.uint8(), 0, 255), (pa.int16(), -32768, 32767), (pa.uint16(), 0, 65535)],
        ids=str,
    )
    def test_numbers_beyond_a_narrow_type_are_null(self, arrow, low, high):
        stored = [little(number, 4) for number in (low - 1, low, 0, high, high + 1, 2**31 - 1, -(2**31))]
        assert array_of(INT32, 4, arrow, stored).to_pylist() == [None, low, 0, high, None, None, None]

    def test_floats_keep_their_bits(self):
        numbers = [0.0, -0.0, 1.5, float("inf"), None]
        for physical, arrow, code in (
            (FLOAT, pa.float32(), "<f"),
            (DOUBLE, pa.float64(), "<d"),
            (FIXED_LEN_BYTE_ARRAY, pa.float16(), "<e"),
        ):
            stored = [None if number is None else struct.pack(code, number) for number in numbers]
            made = array_of(physical, arrow.byte_width, arrow, stored)
            assert list(map(str, made.cast(pa.float64()).to_pylist())) == list(map(str, numbers))

    def test_a_boolean_is_true_if_its_byte_is_not_0(self):
        made = array_of(BOOLEAN, 1, pa.bool_(), [b"\0", b"\1", b"\2", None, b"", b"\1\1", *[b"\1"] * 5])
        assert made.to_pylist() == [False, True, True, None, None, None, *[True] * 5]

    @pytest.mark.parametrize("precision, width", [(1, 16), (9, 16), (18, 16), (38, 16), (39, 32), (76, 32)])
    def test_decimals_of_any_length_are_checked_against_their_precision(self, precision, width):
        arrow = pa.decimal128(precision, 1) if width == 16 else pa.decimal256(precision, 1)
        most = 10**precision - 1
        numbers = [0, 1, -1, most, -most, most + 1, -most - 1, 1 << 255, -1 << 255, (1 << 300) + 1, -1 << 300]
        lengths = [number.bit_length() // 8 + 1 for number in numbers]
        wanted = decimals(arrow, [*numbers[:5], *[None] * 6, None, None, 5])  # no bytes are no number
        stored = [*map(big, numbers, lengths), None, b"", bytes(60) + b"\5"]
        assert array_of(BYTE_ARRAY, 0, arrow, stored).equals(wanted)
        fixed = [big(number, 40) for number in numbers]
        assert array_of(FIXED_LEN_BYTE_ARRAY, 40, arrow, [*fixed, big(1, 41)]).equals(
            decimals(arrow, [*numbers[:5], *[None] * 7])
        )

    @pytest.mark.parametrize("physical, width", [(INT32, 4), (INT64, 8)])
    def test_decimals_in_integers(self, physical, width):
        numbers = [99999, -99999, 100000, -100000, 0, (1 << 8 * width - 1) - 1, -1 << 8 * width - 1]
        wanted = decimals(pa.decimal128(5, 2), [99999, -99999, None, None, 0, None, None, None])
        stored = [*(little(number, width) for number in numbers), None]
        assert array_of(physical, width, pa.decimal128(5, 2), stored).equals(wanted)

    def test_int96_is_nanoseconds_as_far_as_64_bits_hold_them(self):
        edges = [
            (0, 0),
            (0, -1),
            (-1, 0),
            (1, -1),
            (-1, DAY + 7),
            (106751, 85_636_854_775_807),
            (106751, 85_636_854_775_808),
            (-106752, 763_145_224_192),
            (-106752, 763_145_224_191),
            (-106751, -85_636_854_775_808),
            (-106751, -85_636_854_775_809),
            (2**31 - 1 - EPOCH, 0),
            (-(2**31) - EPOCH, 2**63 - 1),
            (0, 2**63 - 1),
            (0, -(2**63)),
            (1, 2**63 - 1),
            (-1, -(2**63)),
            (-106752, 2**63 - 1),
        ]
        wanted = [days * DAY + time for days, time in edges]
        wanted = [number if -(2**63) <= number < 2**63 else None for number in wanted]
        assert None in wanted and 2**63 - 1 in wanted and -(2**63) in wanted
        made = array_of(INT96, 12, pa.timestamp("ns"), [*(int96(*edge) for edge in edges), None, bytes(11)])
        assert made.view(pa.int64()).to_pylist() == [*wanted, None, None]

    def test_timestamps_of_12_bytes_are_those_that_64_bits_hold(self):
        numbers = [0, -1, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**95 - 1, -(2**95)]
        made = array_of(FIXED_LEN_BYTE_ARRAY, 12, pa.timestamp("ns", "UTC"), [little(n, 12) for n in numbers])
        assert made.view(pa.int64()).to_pylist() == [*numbers[:4], None, None, None, None]

    def test_text_that_is_not_utf_8_is_null(self):
        stored = [b"", b"a", "\u0800é\U0010ffff".encode(), None, b"\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"z"]
        assert array_of(BYTE_ARRAY, 0, pa.string(), stored).to_pylist() == [
            "",
            "a",
            "\u0800é\U0010ffff",
            None,
            None,
            None,
            None,
            "z",
        ]
        assert array_of(BYTE_ARRAY, 0, pa.binary(), stored).to_pylist() == stored

    def test_bytes_of_a_fixed_length(self):
        assert array_of(FIXED_LEN_BYTE_ARRAY, 2, pa.binary(2), [b"ab", None, b"abc", b"\0\xff"]).to_pylist() == [
            b"ab",
            None,
            None,
            b"\0\xff",
        ]

    def test_there_may_be_none_or_nulls_alone(self):
        for arrow in (pa.int32(), pa.string(), pa.bool_(), pa.null()):
            physical, width = (BYTE_ARRAY, 0) if arrow == pa.string() else (INT32, 4)
            physical, width = (BOOLEAN, 1) if arrow == pa.bool_() else (physical, width)
            assert array_of(physical, width, arrow, []).equals(pa.array([], arrow))
            assert array_of(physical, width, arrow, [None] * 9).equals(pa.nulls(9, arrow))

    def test_a_schema_that_claims_long_values_takes_no_memory_for_them(self):
        with pytest.raises(Unsupported, match="the limit is 2147483647"):
            LeafType(FIXED_LEN_BYTE_ARRAY, 2**31 - 1, pa.binary(2**31 - 1)).array([None, None])

    @pytest.mark.parametrize(
        "kind",
        [
            (0, 4, 8, 0),
            (wire.READING_SIGNED, 3, 3, 0),
            (wire.READING_SIGNED, 4, 8, 0),
            (wire.READING_UNSIGNED, 8, 3, 0),
            (wire.READING_DECIMAL, 0, 16, 0),
            (wire.READING_DECIMAL, 0, 16, 39),
            (wire.READING_DECIMAL, 0, 32, 77),
            (wire.READING_DECIMAL, 0, 8, 5),
            (wire.READING_SIGNED, 5, 16, 5),
            (wire.READING_FLOAT, 0, 0, 0),
            (wire.READING_BOOLEAN, 1, 1, 0),
            (wire.READING_INT96, 12, 12, 0),
            (wire.READING_TEXT, 4, 4, 0),
            (99, 0, 0, 0),
        ],
    )
    def test_an_unknown_kind_is_an_error(self, kind):
        with pytest.raises(ParquetextError) as caught:
            kernels.values.buffers([], kind)
        assert caught.value.code == wire.BAD_ARGUMENT


KINDS = [
    LeafType(*kind).kind
    for kind in (
        (BOOLEAN, 1, pa.bool_()),
        (INT32, 4, pa.int32()),
        (INT32, 4, pa.int8()),
        (INT32, 4, pa.uint16()),
        (INT64, 8, pa.uint64()),
        (INT64, 8, pa.decimal128(7, 2)),
        (INT96, 12, pa.timestamp("ns")),
        (FLOAT, 4, pa.float32()),
        (BYTE_ARRAY, 0, pa.binary()),
        (BYTE_ARRAY, 0, pa.string()),
        (BYTE_ARRAY, 0, pa.decimal128(20, 2)),
        (BYTE_ARRAY, 0, pa.decimal256(76, 2)),
        (FIXED_LEN_BYTE_ARRAY, 5, pa.binary(5)),
        (FIXED_LEN_BYTE_ARRAY, 12, pa.timestamp("us")),
        (FIXED_LEN_BYTE_ARRAY, 12, pa.decimal128(3, 0)),
    )
]
sizes = st.sampled_from([0, 1, 4, 5, 8, 12, 33])
filling = st.sampled_from([b"\0", b"\xff", b"\x7f", b"\x80"])
stored_values = st.one_of(
    st.none(),
    st.binary(max_size=40),
    sizes.flatmap(lambda size: st.binary(min_size=size, max_size=size)),
    st.builds(lambda fill, size, end: (fill * size + end)[:size], filling, sizes, st.binary(max_size=3)),
    st.builds(lambda fill, size, end: (end + fill * size)[:size], filling, sizes, st.binary(max_size=3)),
)


@settings(max_examples=examples(400), deadline=None)
@given(st.sampled_from(KINDS), st.lists(stored_values, max_size=20))
def test_both_implementations_give_equal_buffers(kind, stored):
    native, pure = both("values")
    assert native.buffers(stored, kind) == pure.buffers(stored, kind)


@pytest.mark.parametrize("seed", range(20))
def test_both_implementations_give_equal_bounds_of_real_footers(tmp_path, seed):
    path = tmp_path / "bounds.parquet"
    table = pa.table(
        {
            "i": pa.array([3, None, 1, 2], pa.int16()),
            "t": ["b", "ä", None, "c"],
            "f": [1.5, 2.5, None, 0.0],
            "d": pa.array([1, 2, 3, 4], pa.decimal128(5, 0)),
            "b": [True, False, None, True],
        }
    )
    pq.write_table(table, path, row_group_size=1)
    footer = footer_of(path.read_bytes())
    footer = damaged(footer, seed) if seed else footer
    scans = [outcome(kernel.scan, footer) for kernel in both("scan")]
    if scans[0][0] == "error":
        assert scans[0] == scans[1]
        return
    for leaf in range(scans[0][1].leaf_count):
        for kind in KINDS:
            columns = [outcome(scan.column, leaf) for _, scan in scans]
            if columns[0][0] == "result":
                found = [
                    outcome(kernel.bound_buffers, chunks, kind)
                    for kernel, (_, chunks) in zip(both("values"), columns, strict=True)
                ]
                assert found[0] == found[1] and found[0][0] == "result"


# ---- properties of all columns of one type


ELEMENT = {"type": 1, "repetition_type": 1, "name": "a long name", "field_id": 77, "logicalType": {"DATE": {}}}


@pytest.mark.usefixtures("implementation")
class TestBlanked:
    def test_elements_that_differ_in_name_and_field_id_are_one(self):
        ids = wire.SCHEMA_ELEMENT_NAME, wire.SCHEMA_ELEMENT_FIELD_ID
        one, other = (write("SchemaElement", ELEMENT | changes) for changes in ({}, {"name": "b", "field_id": -5}))
        assert kernels.thrift.blanked(one, ids) == kernels.thrift.blanked(other, ids)
        assert kernels.thrift.blanked(one, ids) == write("SchemaElement", ELEMENT | {"name": "", "field_id": 0})
        assert kernels.thrift.blanked(one, ()) == one
        assert kernels.thrift.blanked(one, ids[:1]) != kernels.thrift.blanked(other, ids[:1])

    def test_booleans_stay(self):
        assert kernels.thrift.blanked(b"\x11\x12\x15\x06\0", (1, 2, 3)) == b"\x11\x12\x15\0\0"

    def test_bytes_that_are_not_a_struct_are_an_error_with_their_offset(self):
        for data in (b"", b"\x15", b"\x18\x05ab", write("SchemaElement", ELEMENT)[:-1]):
            results = [outcome(kernel.blanked, data, (4,)) for kernel in both("thrift")]
            assert results[0] == results[1]
            assert issubclass(results[0][1], Malformed)
