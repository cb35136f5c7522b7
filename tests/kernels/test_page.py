"""Page headers, one or those of a column chunk, and the parts of a page's body."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.twins import both, outcome

from parquetext import kernels, thrift, wire
from parquetext.errors import Malformed, ParquetextError, Unsupported

NUMBERS = st.integers(-(1 << 31), (1 << 31) - 1)
SMALL = st.integers(0, 300)
STATISTICS = st.fixed_dictionaries(
    {},
    optional={
        "max": st.binary(max_size=9),
        "min": st.binary(max_size=9),
        "null_count": st.integers(-(1 << 63), (1 << 63) - 1),
        "distinct_count": st.integers(0, 9),
        "max_value": st.binary(max_size=9),
        "min_value": st.binary(max_size=9),
        "is_max_value_exact": st.booleans(),
        "is_min_value_exact": st.booleans(),
    },
)


def fields(*required: str, **optional) -> st.SearchStrategy:
    """Structs that now and then lack a field or have a negative one."""
    usual = st.fixed_dictionaries({name: SMALL for name in required}, optional=optional)
    any = st.fixed_dictionaries({}, optional={name: NUMBERS for name in required} | optional)
    return st.one_of(usual, usual, usual, any)


V1 = fields("num_values", "encoding", "definition_level_encoding", "repetition_level_encoding", statistics=STATISTICS)
DICTIONARY = fields("num_values", "encoding", is_sorted=st.booleans())
V2 = fields(
    "num_values",
    "num_nulls",
    "num_rows",
    "encoding",
    "definition_levels_byte_length",
    "repetition_levels_byte_length",
    is_compressed=st.booleans(),
    statistics=STATISTICS,
)
HEADERS = st.builds(
    dict.__or__,
    fields("uncompressed_page_size", "compressed_page_size", crc=NUMBERS),
    st.one_of(
        st.fixed_dictionaries({"type": st.just(0), "data_page_header": V1}),
        st.fixed_dictionaries({"type": st.just(2), "dictionary_page_header": DICTIONARY}),
        st.fixed_dictionaries({"type": st.just(3), "data_page_header_v2": V2}),
        st.fixed_dictionaries({"type": NUMBERS}, optional={"index_page_header": st.just({}), "data_page_header": V1}),
    ),
).map(lambda fields: thrift.write("PageHeader", fields))

MEMBERS = both("page")[1].MEMBERS
EXTENSION = bytes.fromhex("08ffff01") + b"\x05hello"


def header_bytes(
    type: str = "v1", crc: int | None = None, compressed: int = 10, uncompressed: int = 20, **more
) -> bytes:
    """A right header of a page, with other or more fields of the header inside."""
    v1 = {"num_values": 7, "encoding": 0, "definition_level_encoding": 3, "repetition_level_encoding": 3}
    v2 = {
        "num_values": 7,
        "num_nulls": 1,
        "num_rows": 5,
        "encoding": 0,
        "definition_levels_byte_length": 3,
        "repetition_levels_byte_length": 2,
    }
    number, name, inner = {
        "v1": (0, "data_page_header", v1),
        "dictionary": (2, "dictionary_page_header", {"num_values": 7, "encoding": 0}),
        "v2": (3, "data_page_header_v2", v2),
    }[type]
    fields = {"type": number, "uncompressed_page_size": uncompressed, "compressed_page_size": compressed}
    if crc is not None:
        fields["crc"] = crc
    inner = {field: value for field, value in (inner | more).items() if value is not None}
    return thrift.write("PageHeader", fields | {name: inner})


def seen(pages) -> tuple:
    """A walk's result in a form that two implementations can be compared by."""
    problem = pages.problem and (type(pages.problem), str(pages.problem), pages.problem.code, pages.problem.offset)
    members = {name: (pages.array(name).format, pages.array(name).tolist()) for name in MEMBERS}
    return len(pages), pages.end, problem, members, [tuple(pages.header(i)) for i in range(len(pages))]


@settings(deadline=None)
@given(HEADERS, st.integers(0, 3), st.binary(max_size=3))
def test_both_implementations_read_the_same_of_any_header(header, at, behind):
    native, pure = both("page")
    data = b"\xff" * at + header + behind
    assert outcome(native.header, data, at) == outcome(pure.header, data, at)
    assert seen(native.walk(data, at)) == seen(pure.walk(data, at))


@settings(deadline=None)
@given(HEADERS, st.lists(st.tuples(st.integers(0, 1 << 30), st.integers(0, 255)), max_size=3), st.integers(0, 99))
def test_both_implementations_read_changed_bytes_equally(header, changes, cut):
    native, pure = both("page")
    data = bytearray(header)
    for position, byte in changes:
        data[position % len(data)] = byte
    data = bytes(data[: len(data) - cut if cut < 20 else len(data)])
    assert outcome(native.header, data) == outcome(pure.header, data)
    for end in (len(data), len(data) + 50):
        assert seen(native.walk(data, 0, end)) == seen(pure.walk(data, 0, end))


@pytest.mark.parametrize("depth", range(52, 66))
@pytest.mark.parametrize("type", ["v1", "v2"])
def test_both_implementations_allow_the_same_depth_of_unknown_fields_in_page_statistics(type, depth):
    native, pure = both("page")
    header = header_bytes(type, statistics={"null_count": 1})
    end = header.rindex(b"\x36\x02\x00") + 2  # field 3 of the statistics
    nested = b"\xfc" + b"\x1c" * (depth - 1) + bytes(depth)  # field 18, a struct in a struct
    data = header[:end] + nested + header[end:]
    assert outcome(native.header, data) == outcome(pure.header, data)
    assert seen(native.walk(data)) == seen(pure.walk(data))


def test_rows_and_nulls_of_a_header_may_be_any_number(implementation):
    header = kernels.page.header(header_bytes("v2", num_nulls=-3, num_rows=-9))
    assert (header.num_nulls, header.num_rows, header.num_values) == (-3, -9, 7)


LEVELS = {
    "runs": bytes([4 << 1, 0, 3 << 1, 1]),  # four 0, three 1
    "bits": bytes([3, 0b1011001, 6 << 1, 1]),  # 1 0 0 1 1 0 1 and more
    "one run of very many": bytes([0xFE, 0xFF, 0xFF, 0xFF, 0x0F, 1]),
}


@pytest.mark.parametrize(
    ("name", "count", "ones"),
    [("runs", 7, 3), ("runs", 5, 1), ("bits", 7, 4), ("one run of very many", (1 << 31) - 1, (1 << 31) - 1)],
)
def test_levels_count_rows_and_values(implementation, name, count, ones):
    levels = LEVELS[name]
    sizes = {"definition_levels_byte_length": len(levels), "repetition_levels_byte_length": 0}
    header = kernels.page.header(header_bytes("v2", num_values=count, compressed=99, uncompressed=99, **sizes))
    assert kernels.page.count_levels(header, levels, 1, 0) == (count, ones)
    assert kernels.page.count_levels(header._replace(definition_size=0), b"", 0, 0) == (count, count)
    lists = header._replace(repetition_size=len(levels))
    assert kernels.page.count_levels(lists, levels + levels, 1, 1) == (count - ones, ones)
    v1 = header._replace(type=wire.PAGE_DATA_PAGE, definition_encoding=wire.ENCODING_RLE)
    assert kernels.page.count_levels(v1, len(levels).to_bytes(4, "little") + levels + b"values", 1, 0) == (count, ones)


def changed(type: int, num_values: int, definition_size: int, repetition_size: int, definition_encoding: int):
    """A header with other numbers."""
    return both("page")[1].header(header_bytes())._replace(**locals())


@settings(deadline=None)
@given(
    st.binary(max_size=40),
    st.integers(0, 40),
    st.integers(0, 40),
    st.sampled_from([-1, 0, 1, 8, 100, 1 << 20, (1 << 31) - 1]),
    st.sampled_from([0, 3]),
    st.sampled_from([3, 4, 5]),
    st.sampled_from([0, 1, 2, 3, 300]),
    st.sampled_from([0, 1, 2]),
)
def test_both_implementations_count_levels_equally(
    body, size, other, num_values, type, encoding, definition, repetition
):
    native, pure = both("page")
    header = changed(type, num_values, size, other, encoding)._replace(repetition_encoding=wire.ENCODING_RLE)
    found = outcome(native.count_levels, header, body, definition, repetition)
    assert found == outcome(pure.count_levels, header, body, definition, repetition)


@settings(deadline=None)
@given(
    st.tuples(*[SMALL | NUMBERS] * 4, st.sampled_from([0, 2, 3, 9]), st.sampled_from([3, 4, 5, -1])),
    st.binary(max_size=40),
    st.sampled_from([0, 1, 2, 3, 255, 65535, 65536]),
    st.sampled_from([0, 1, 2, 7]),
)
def test_both_implementations_divide_any_body_equally(numbers, body, definition, repetition):
    native, pure = both("page")
    num_values, definition_size, repetition_size, _, type, encoding = numbers
    header = changed(type, num_values, definition_size, repetition_size, encoding)
    found = outcome(native.level_parts, header, body, definition, repetition)
    assert found == outcome(pure.level_parts, header, body, definition, repetition)
    if found[0] == "result":
        (a, b), (c, d), values = found[1]
        assert 0 <= a <= b <= len(body) and 0 <= c <= d <= values <= len(body)


def test_a_header_contains_the_written_fields(implementation):
    header = kernels.page.header(header_bytes("v1", crc=-2, statistics={"min_value": b"a"}))
    assert (header.offset, header.type, header.compressed_size, header.uncompressed_size) == (0, 0, 10, 20)
    assert (header.num_values, header.encoding, header.definition_encoding, header.repetition_encoding) == (7, 0, 3, 3)
    assert header.crc == 0xFFFFFFFE and header.is_compressed
    assert (header.num_nulls, header.num_rows, header.definition_size, header.repetition_size) == (-1, -1, -1, -1)
    header = kernels.page.header(b"??" + header_bytes("v2", is_compressed=False), 2)
    assert (header.offset, header.type, header.num_values, header.num_nulls, header.num_rows) == (2, 3, 7, 1, 5)
    assert (header.definition_size, header.repetition_size, header.is_compressed) == (3, 2, False)
    assert header.crc is None and header.statistics is None
    assert kernels.page.header(header_bytes("dictionary", is_sorted=True)).is_sorted


def test_ranges_of_statistics_count_from_the_header(implementation):
    data = b"\0" * 9 + header_bytes(statistics={"min_value": b"low", "max_value": b"", "null_count": 2}) + b"\0" * 10
    pages = kernels.page.walk(data, 9)
    (start,), (length,) = pages.array("min_value_offset"), pages.array("min_value_length")
    assert data[9 + start :][:length] == b"low"
    present = pages.array("present")[0]
    assert present & wire.PRESENT_MAX_VALUE and not present & wire.PRESENT_MAX
    assert pages.array("null_count")[0] == 2
    start, length = pages.header(0).statistics
    assert thrift.read("Statistics", data[9 + start :][:length])["min_value"] == b"low"


def test_an_extension_and_unknown_fields_are_skipped(implementation):
    data = header_bytes()
    unknown = bytes.fromhex("1c 15 02 19 28 01 61 01 62 00") + b"\x11"
    for inside in (EXTENSION, unknown, unknown + EXTENSION):
        header = kernels.page.header(data[:-1] + inside + b"\0")
        assert header.header_size == len(data) + len(inside)
        assert header[2:] == kernels.page.header(data)[2:]


@pytest.mark.parametrize("length", [5_000, 70_000, 1 << 20])
def test_a_header_may_be_long(implementation, length):
    data = header_bytes(statistics={"min_value": b"x" * length, "max_value": b"y" * length})
    assert kernels.page.header(data).header_size == len(data) > 2 * length


def test_a_header_that_does_not_end_within_16_mib_is_an_error(implementation):
    data = header_bytes(statistics={"min_value": b"x" * wire.MAX_PAGE_HEADER})
    with pytest.raises(Malformed) as caught:
        kernels.page.header(data)
    assert (caught.value.code, caught.value.offset) == (wire.PAGE_HEADER_SIZE, 0)
    assert kernels.page.walk(data, 0, 1 << 40).problem.code == wire.PAGE_HEADER_SIZE


@pytest.mark.parametrize(
    ("data", "code", "expected", "found"),
    [
        (b"\0", wire.MISSING_FIELD, 1, 0),
        (thrift.write("PageHeader", {"type": 0, "compressed_page_size": 1}), wire.MISSING_FIELD, 2, 0),
        (thrift.write("PageHeader", {"type": 0, "uncompressed_page_size": 1}), wire.MISSING_FIELD, 3, 0),
        (
            thrift.write("PageHeader", {"type": 3, "uncompressed_page_size": 1, "compressed_page_size": 1}),
            wire.MISSING_FIELD,
            8,
            0,
        ),
        (header_bytes(repetition_level_encoding=None), wire.MISSING_FIELD, 4, 0),
        (header_bytes(compressed=-5), wire.PAGE_NUMBER, 0, 5),
        (header_bytes(uncompressed=-(1 << 31)), wire.PAGE_NUMBER, 0, 1 << 31),
        (header_bytes(num_values=-1), wire.PAGE_NUMBER, 0, 1),
        (header_bytes("v2", definition_levels_byte_length=-3), wire.PAGE_NUMBER, 0, 3),
        (header_bytes("v2", definition_levels_byte_length=9), wire.PAGE_LEVELS, 10, 11),
    ],
)
def test_invalid_header_fields_are_errors_with_their_offset(implementation, data, code, expected, found):
    with pytest.raises(Malformed) as caught:
        kernels.page.header(b"\xff" + data, 1)
    error = caught.value
    assert (error.code, error.expected, error.found) == (code, expected, found)
    assert 1 <= error.offset <= len(data)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_walk_passes_over_all_pages_of_a_chunk(implementation, version):
    sink = io.BytesIO()
    table = pa.table({"n": pa.array([None if n % 7 == 0 else n % 50 for n in range(20_000)])})
    pq.write_table(table, sink, data_page_version=version, data_page_size=512, write_page_checksum=True)
    data = sink.getvalue()
    column = pq.read_metadata(io.BytesIO(data)).row_group(0).column(0)
    start, end = column.dictionary_page_offset, column.dictionary_page_offset + column.total_compressed_size
    pages = kernels.page.walk(data, start, end)
    assert (pages.end, pages.problem) == (end, None) and len(pages) > 9
    types = pages.array("type").tolist()
    assert types[0] == wire.PAGE_DICTIONARY_PAGE and set(types[1:]) == {0 if version == "1.0" else 3}
    assert sum(pages.array("num_values")[1:]) == 20_000
    for i in range(len(pages)):
        body = pages.array("offset")[i] + pages.array("header_size")[i]
        assert kernels.checksum.crc32(data[body : body + pages.array("compressed_size")[i]]) == pages.array("crc")[i]


def test_a_walk_can_be_resumed_at_the_end_of_the_bytes(implementation):
    header = header_bytes(statistics={"min_value": b"v" * 40})
    page = header + b"." * 10
    data, whole = page * 5, kernels.page.walk(page * 5)
    for window in (len(header), len(header) + 3, 2 * len(page) + 1, len(data)):
        at, offsets = 0, []
        while at < len(data):
            pages = kernels.page.walk(data[at : at + window], 0, len(data) - at)
            assert pages.problem is None and len(pages)
            offsets += [at + offset for offset in pages.array("offset")]
            at += pages.end
        assert offsets == whole.array("offset").tolist()
    short = kernels.page.walk(data[: len(header) - 1], 0, len(data))
    assert (len(short), short.end, short.problem) == (0, 0, None)


def test_a_walk_returns_the_position_and_reason_of_its_stop(implementation):
    page = header_bytes() + b"." * 10
    over = kernels.page.walk(page * 3, 0, len(page) * 3 - 4)
    assert (len(over), over.end) == (2, 2 * len(page))
    assert (over.problem.code, over.problem.offset) == (wire.PAGE_SIZE, 2 * len(page))
    assert (over.problem.expected, over.problem.found) == (len(page) - 4, len(page))
    cut = kernels.page.walk(page * 3, 0, len(page) * 2 + 5)
    assert (len(cut), cut.end, cut.problem.code) == (2, 2 * len(page), wire.TRUNCATED)
    wrong = kernels.page.walk(page + b"\0" + page)
    assert (len(wrong), wrong.end, wrong.problem.code) == (1, len(page), wire.MISSING_FIELD)


def test_a_page_of_an_unknown_type_is_walked_over(implementation):
    data = thrift.write("PageHeader", {"type": 9, "uncompressed_page_size": 3, "compressed_page_size": 3}) + b"..."
    pages = kernels.page.walk(data * 2)
    assert pages.array("type").tolist() == [9, 9] and pages.problem is None
    assert pages.array("num_values").tolist() == [-1, -1]


def test_the_parts_of_a_v1_body(implementation):
    header = kernels.page.header(header_bytes())
    body = b"\2\0\0\0rr" + b"\3\0\0\0ddd" + b"values"
    assert kernels.page.level_parts(header, body, 1, 1) == ((4, 6), (10, 13), 13)
    assert kernels.page.level_parts(header, body[6:], 3, 0) == ((0, 0), (4, 7), 7)
    assert kernels.page.level_parts(header, b"values", 0, 0) == ((0, 0), (0, 0), 0)


def test_bit_packed_levels_have_no_length(implementation):
    header = kernels.page.header(header_bytes(definition_level_encoding=4, repetition_level_encoding=4))
    assert kernels.page.level_parts(header, b"rddvalues", 3, 1) == ((0, 1), (1, 3), 3)
    with pytest.raises(Malformed) as caught:
        kernels.page.level_parts(header, b"rd", 3, 1)
    assert (caught.value.code, caught.value.offset, caught.value.found) == (wire.PAGE_LEVELS, 1, 2)


def test_the_parts_of_a_v2_body(implementation):
    header = kernels.page.header(header_bytes("v2"))
    assert kernels.page.level_parts(header, b"rrdddvalues", 1, 1) == ((0, 2), (2, 5), 5)
    with pytest.raises(Malformed) as caught:
        kernels.page.level_parts(header, b"rrdd", 1, 1)
    assert (caught.value.code, caught.value.offset) == (wire.PAGE_LEVELS, 2)


def test_levels_that_are_not_there_or_not_read_are_errors(implementation):
    header = kernels.page.header(header_bytes())
    for body, code in ((b"\0\0", wire.TRUNCATED), (b"\xff\xff\xff\xff..", wire.PAGE_LEVELS)):
        with pytest.raises(Malformed) as caught:
            kernels.page.level_parts(header, body, 1, 0)
        assert caught.value.code == code
    with pytest.raises(Unsupported) as caught:
        kernels.page.level_parts(header._replace(definition_encoding=5), b"....", 1, 0)
    assert (caught.value.code, caught.value.found) == (wire.LEVEL_ENCODING, 5)
    with pytest.raises(ParquetextError):
        kernels.page.level_parts(header, b"....", 65_536, 0)
    assert kernels.page.level_parts(header._replace(num_values=0), b"", 1, 1) == ((0, 0), (0, 0), 0)


def test_values_of_a_dictionary_page_begin_its_body(implementation):
    header = kernels.page.header(header_bytes("dictionary"))
    assert kernels.page.level_parts(header, b"values", 3, 2) == ((0, 0), (0, 0), 0)
