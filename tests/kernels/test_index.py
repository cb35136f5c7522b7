"""The footer index: by it the Thrift footer is read piece by piece, each under a checksum, by both kernels alike."""

from __future__ import annotations

import io
import struct
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from support import flat_footers as thrift
from support.chunk_members import COUNTS, INDEXES, SIZES
from support.flat_payloads import Memory, outcome, payload_of_both, sign, small_footer, with_other_numbers
from support.form_readers import (
    EQUAL_NAMES,
    GROUP,
    assert_cuts_columns,
    assert_finds_every_name,
    assert_refuses_number,
    everything_of,
    module,
)
from support.samples import examples

from parquetext import kernels, wire
from parquetext._pure.index_shape import TAIL, Shape, parts_of
from parquetext.errors import Damaged, Malformed, ParquetextError, Unsupported
from parquetext.footer.thrift_form import ThriftForm

FACTS = (
    *SIZES,
    *COUNTS,
    *INDEXES,
    "type",
    "codec",
    "present",
    "encodings",
    "chunk_length",
    "metadata_length",
    "statistics_length",
)
ROW_GROUP_FACTS = ("num_rows", "total_byte_size", "file_offset", "total_compressed_size", "ordinal")

hypothesis_settings = settings(
    max_examples=examples(60),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)


def write(footer: bytes, package: str | None = None) -> bytes:
    if package is None:
        return bytes(kernels.index.write(kernels.scan.scan(footer)))
    return bytes(module(package, "index").write(module(package, "scan").scan(footer)))


def open_index(
    footer: bytes,
    payload: bytes,
    package: str | None = None,
    *,
    before: bytes = b"",
    between: bytes = b"",
    behind: bytes = b"",
    tail: int = 4096,
):
    index = module(package, "index") if package else kernels.index
    file = before + footer + between + payload + behind
    begin = len(before)
    return index.Reader(
        Memory(file), begin, begin + len(footer) + len(between), len(payload), file[-tail:] if tail else b""
    )


def everything(footer: bytes, payload: bytes, package: str | None = None, **position) -> dict:
    return everything_of(lambda: open_index(footer, payload, package, **position))


def both(footer: bytes, payload: bytes, **position) -> dict:
    """Everything, which both implementations tell alike, and at the same cost."""
    native, pure = everything(footer, payload, "native", **position), everything(footer, payload, "pure", **position)
    assert native.keys() == pure.keys()
    for question, answer in native.items():
        assert pure[question] == answer, question
    return native


def cells(payload: bytes) -> list[tuple[int, int]]:
    """(place, length) of every cell."""
    (size,) = struct.unpack_from("<I", payload, len(payload) - 8)
    *counts, _, _, _, _, _, _, offset, short, number, _ = TAIL.unpack_from(payload, len(payload) - size)
    shape = Shape(*counts, offset, short, number)
    parts = parts_of(shape.row_groups)
    positions = [
        (shape.part_position(leaf, part), shape.part_bytes(part))
        for leaf in range(shape.leaves)
        for part in range(max(parts, 1))
    ]
    positions += [(shape.nodes_position + node * shape.node_bytes, shape.node_bytes) for node in range(shape.nodes)]
    at = shape.row_groups_position
    for part in range(parts):
        positions.append((at, 4 + len(shape.groups(part)) * shape.row_group_bytes))
        at += positions[-1][1]
    positions += [
        (shape.key_values_position + pair * shape.key_value_bytes, shape.key_value_bytes)
        for pair in range(shape.key_values)
    ]
    positions += [(shape.buckets_position + 256 * bucket, 256) for bucket in range(shape.buckets)]
    assert sum(length for _, length in positions) == shape.tail_position
    return positions


def counts_of(form, leaf: int) -> dict:
    chunks = form.column(leaf)
    return {name: list(chunks.array(name)) for name in FACTS} | {bit: chunks.bound_values(bit) for bit in (1, 2)}


def assert_equal(reader, form: ThriftForm) -> None:
    """The same facts as by a scan of the whole footer."""
    for name in ("version", "num_rows", "leaf_count", "node_count", "row_group_count", "key_value_count", "created_by"):
        assert getattr(reader, name) == getattr(form, name), name
    for id in [*range(form.leaf_count), *(GROUP | node for node in range(form.node_count))]:
        assert tuple(form.node(id)) == tuple(getattr(reader.node(id), name) for name in form.node(id)._fields), id
        if id != GROUP:
            assert sorted(reader.find_name(form.node(id).path)) == sorted(form.find_name(form.node(id).path))
    for field_id in range(-2, 4):
        assert sorted(reader.find_field_id(field_id)) == sorted(form.find_field_id(field_id))
    for leaf in range(form.leaf_count):
        assert counts_of(reader, leaf) == counts_of(form, leaf)
    for name in ROW_GROUP_FACTS:
        assert list(reader.row_groups(name)) == list(form.row_groups(name))
    for pair in range(form.key_value_count):
        assert reader.key_value(pair) == form.key_value(pair)


# ---- the values are those of the Thrift footer


def test_a_small_footer_reads_by_its_index_as_by_a_scan(implementation):
    footer = small_footer()
    reader = open_index(footer, write(footer))
    assert_equal(reader, ThriftForm(footer))
    assert [list(map(tuple, reader.sorting_columns(group))) for group in range(2)] == [[(0, True, False)]] * 2


def test_all_columns_of_equal_dotted_names_are_found(implementation):
    assert list(open_index(EQUAL_NAMES, write(EQUAL_NAMES)).find_name(b"a.b")) == [0, 1, 2]


@pytest.mark.parametrize("columns", [1, 30, 31, 32, 33, 700])
def test_every_name_is_found_and_no_other(implementation, columns):
    footer = thrift.wide_footer(columns, 1)
    reader = open_index(footer, write(footer))
    assert_finds_every_name(reader, columns)


@pytest.mark.parametrize("row_groups", [0, 1, 63, 64, 65, 129])
def test_columns_are_cut_every_64_row_groups(implementation, row_groups):
    footer = thrift.wide_footer(2, row_groups)
    reader = open_index(footer, write(footer))
    assert_cuts_columns(reader, row_groups)
    reader.slice([1], range(max(0, row_groups - 2), row_groups))


@pytest.mark.parametrize("depth", [1, 3, 60])
def test_paths_contain_all_groups(implementation, depth):
    names = [b"g%d" % level for level in range(depth)]
    elements = [
        thrift.element(b"schema", children=1),
        *(thrift.element(name, children=1) for name in names),
        thrift.element(b"leaf", type=1),
    ]
    footer = thrift.footer(elements, [])
    reader = open_index(footer, write(footer))
    assert reader.node(0).path == b"\0".join([*names, b"leaf"])
    assert list(reader.find_name(b".".join(names))) == [GROUP | depth]


def test_fields_of_a_row_group_may_be_unknown_and_in_any_order(implementation):
    elements = [thrift.element(b"schema", children=1), thrift.element(b"a", type=1)]
    _, columns = thrift.list_of(thrift.STRUCT, [thrift.chunk(thrift.metadata(1, [b"a"]))])
    rows, ordinal, unknown = b"\x36" + thrift.zigzag(7), b"\x54" + thrift.zigzag(5), b"\x18\x03abc"
    group = rows + b"\x09\x02" + columns + b"\x16" + thrift.zigzag(10) + ordinal + unknown + b"\0"
    footer = thrift.footer(elements, [group, group], num_rows=14)
    reader = open_index(footer, write(footer))
    assert list(reader.row_groups("num_rows")) == [7, 7]
    assert_equal(reader, ThriftForm(footer))


def arrow_file(**options) -> bytes:
    """The footer of a file with lists, structs and maps, and with an ARROW:schema."""
    rows = [
        {"number": n, "place": {"x": n / 3, "inner": {"y": str(n), "z": n}}, "tags": ["a", str(n)], "pairs": [("k", n)]}
        for n in range(9)
    ]
    schema = pa.schema(
        {
            "number": pa.duration("ms"),
            "tags": pa.list_(pa.large_string()),
            "pairs": pa.map_(pa.string(), pa.int32()),
            "place": pa.struct({"x": pa.float64(), "inner": pa.struct({"y": pa.string(), "z": pa.duration("s")})}),
        }
    )
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema), sink, row_group_size=4, **options)
    data = sink.getvalue()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


@pytest.mark.parametrize("options", [{}, {"write_page_index": True}, {"store_schema": False}])
def test_slices_are_those_of_the_thrift_footer(implementation, options):
    footer = arrow_file(**options)
    reader, scan = open_index(footer, write(footer)), kernels.scan.scan(footer)
    leaves = range(scan.leaf_count)
    for wanted in ([], [0], [2], [1, 2], [3], [4, 5], [2, 4], list(leaves)):
        for groups in ([], [0], [2, 0], [1, 1, 0, 2], [0, 1, 2]):
            for given_options in ({}, {"key_values": True}, {"arrow_schema": False}):
                ours = reader.slice(wanted, groups, **given_options)
                assert ours == kernels.slice.slice_footer(scan, wanted, groups, **given_options), (wanted, groups)


# ---- cost


def test_it_is_small():
    sink = io.BytesIO()
    pq.write_table(pa.table({name: pa.array([1, 2, 3]) for name in "abc"}), sink)
    data = sink.getvalue()
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    payload = write(footer)
    assert len(payload) + len("marker, length") + 28 <= 300
    assert len(payload) <= 250


def test_of_a_wide_footer_with_ten_row_groups_it_takes_a_twelfth():
    table = pa.table({f"measurement_{n:08}": pa.array([n + row / 7 for row in range(20)]) for n in range(1000)})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=2, store_schema=False)
    data = sink.getvalue()
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    assert len(write(footer)) <= 0.08 * len(footer)


def test_a_lookup_reads_a_bucket_a_cell_an_element_and_the_chunks(implementation):
    footer = thrift.wide_footer(2000, 4)
    reader = open_index(footer, write(footer))
    reader.column(reader.find_name(b"c1234")[0])
    reads, fetched = reader.io
    assert reads <= 3 + 4
    assert fetched < 1024
    reader.column(1234)
    assert reader.io == (reads, fetched)


def test_the_check_of_a_whole_index_detects_every_flipped_bit():
    footer = small_footer()
    payload = write(footer)
    data, positions = bytearray(footer + payload), (len(footer), len(payload))

    def check() -> list:
        return [outcome(module(package, "index").verify, bytes(data), *positions) for package in ("native", "pure")]

    assert check() == [None, None]
    unseen = 0
    for number in range(0, 8 * len(data), 5):  # every bit of a byte within five bytes
        at, bit = divmod(number, 8)
        data[at] ^= 1 << bit
        native, pure = check()
        data[at] ^= 1 << bit
        assert native == pure, (at, bit)
        unseen += native is None
        assert native is not None or at < len(footer), (at, bit)
    assert unseen < 0.02 * len(footer)  # list headers, and the like


def test_an_index_of_another_footer_is_reported_at_its_first_different_byte(implementation):
    footer, other = thrift.wide_footer(40, 2), thrift.wide_footer(40, 2).replace(b"c17", b"d17")
    payload = write(other)
    with pytest.raises(ParquetextError) as raised:
        kernels.index.verify(footer + payload, len(footer), len(payload))
    assert raised.value.code == wire.THRIFT_CHECKSUM
    signed = bytearray(write(footer))
    expected = write(footer)
    at = expected.index(struct.pack("<I", 40), cells(expected)[-1][0] + 256) + 24  # the version in the tail block
    signed[at] ^= 1
    (size,) = struct.unpack_from("<I", signed, len(signed) - 8)
    signed[-4:] = struct.pack("<I", zlib.crc32(signed[-size:-4]))
    with pytest.raises(Damaged) as raised:
        kernels.index.verify(footer + signed, len(footer), len(signed))
    assert (raised.value.code, raised.value.offset) == (wire.BAD_VALUE, len(footer) + at)


def test_once_held_nothing_is_read_any_more(implementation):
    footer = thrift.wide_footer(50, 3)
    reader = open_index(footer, write(footer), tail=100)
    reader.hold()
    cost = reader.io
    for leaf in range(50):
        reader.column(leaf)
    reader.slice(range(50), range(3), key_values=True)
    assert reader.io == cost


def test_an_index_is_read_at_any_offset_and_with_any_part_of_the_tail(implementation):
    footer = small_footer()
    payload = write(footer)
    whole = everything(footer, payload)
    for tail in (0, 1, 11, 12, 200, 100_000):
        found = everything(footer, payload, before=b"x" * 11, between=b"marker", behind=b"trailer", tail=tail)
        assert found == whole


# ---- refused input


def test_row_groups_without_one_chunk_per_leaf_are_refused(implementation):
    elements = [thrift.element(b"schema", children=1), thrift.element(b"a", type=1)]
    with pytest.raises(Unsupported) as caught:
        write(thrift.footer(elements, [thrift.row_group([])]))
    assert caught.value.code == wire.IRREGULAR


@pytest.mark.parametrize("index", [-1, 2, 2**31, 2**32])
def test_numbers_that_do_not_exist_are_refused(implementation, index):
    footer = small_footer()
    reader = open_index(footer, write(footer))
    assert_refuses_number(reader, index)


def test_another_layout_is_not_read(implementation):
    footer = small_footer()
    payload = bytearray(write(footer))
    struct.pack_into("<I", payload, len(payload) - 12, 2)
    with pytest.raises(Unsupported, match="unknown layout"):
        open_index(footer, sign(payload, []))


def test_a_closed_reader_raises(implementation):
    footer = small_footer()
    with open_index(footer, write(footer)) as reader:
        pass
    with pytest.raises(ValueError, match="closed"):
        reader.column(0)


# ---- damage


def answers_or_errors(found: dict, whole: dict, kinds: tuple[str, ...]) -> bool:
    """Whether each answer is the right one or an error of these kinds."""
    if "open" in found:
        return found["open"][0] in kinds
    return all(
        answer == whole[question] or answer[0] in kinds
        for question, answer in found.items()
        if question in whole and isinstance(question, tuple)
    )


def test_every_bit_flip_in_the_index_gives_the_same_answers_or_damage(implementation):
    footer = small_footer()
    payload = write(footer)
    whole = everything(footer, payload)
    for at in range(len(payload)):
        broken = bytearray(payload)
        broken[at] ^= 1 << at % 8
        assert answers_or_errors(everything(footer, bytes(broken)), whole, ("Damaged", "Unsupported")), at


def test_every_bit_flip_in_the_thrift_bytes_gives_the_same_answers_or_a_final_error(implementation):
    footer = small_footer()
    payload = write(footer)
    whole = everything(footer, payload)
    unseen = 0
    for at in range(len(footer)):
        broken = bytearray(footer)
        broken[at] ^= 1 << at % 8
        found = everything(bytes(broken), payload)
        assert answers_or_errors(found, whole, ("Malformed",)), at
        unseen += found == whole
    assert unseen < 40  # headers of lists, the version, num_rows and the column orders, which the index says


def test_a_wrong_checksum_of_thrift_bytes_gives_the_offset(implementation):
    footer = small_footer()
    payload = write(footer)
    at = footer.index(b"omega")
    broken = footer[:at] + b"O" + footer[at + 1 :]
    reader = open_index(broken, payload)
    with pytest.raises(Malformed) as caught:
        reader.column(0)
    assert (caught.value.code, caught.value.offset < at) == (wire.THRIFT_CHECKSUM, True)
    assert counts_of(reader, 1) == counts_of(ThriftForm(footer), 1)


def test_truncated_payloads_are_refused(implementation):
    footer = small_footer()
    payload = write(footer)
    for length in range(0, len(payload), 7):
        with pytest.raises((Damaged, Unsupported)):
            open_index(footer, payload[:length])


# ---- two implementations, one behaviour


@hypothesis_settings
@given(thrift.footers())
def test_both_write_the_same_index_and_read_the_values_of_a_scan(footer):
    payload = payload_of_both(lambda package: write(footer, package))
    if payload is not None:
        both(footer, payload)
        assert_equal(open_index(footer, payload, "native"), ThriftForm(footer))


@hypothesis_settings
@given(thrift.footers(), st.data())
def test_both_make_the_same_of_damage_that_checksums_do_not_show(footer, data):
    payload = outcome(write, footer, "native")
    assume(isinstance(payload, bytes))
    broken = data.draw(with_other_numbers(payload, 16))
    both(footer, sign(broken, cells(payload)))


@hypothesis_settings
@given(thrift.footers(), st.binary(max_size=400), st.booleans())
def test_both_make_the_same_of_bytes_that_are_no_index(footer, data, framed):
    if framed:
        data = sign(bytearray(data + struct.pack("<III", 1, len(data) + 12, 0)), [])
    both(footer, data)


@hypothesis_settings
@given(thrift.footers(), st.data())
def test_both_slice_as_a_scan_is_sliced(footer, data):
    scan = module("pure", "scan").scan(footer)
    payload = outcome(write, footer, "pure")
    assume(isinstance(payload, bytes))
    leaves = sorted(data.draw(st.sets(st.integers(0, max(0, scan.leaf_count - 1)))))
    groups = data.draw(st.lists(st.integers(0, max(0, scan.row_group_count - 1)), max_size=3))
    options = {"arrow_schema": data.draw(st.booleans()), "key_values": data.draw(st.booleans())}
    slices = [
        outcome(open_index(footer, payload, package).slice, leaves, groups, **options) for package in ("native", "pure")
    ]
    assert slices[0] == slices[1]
    assert slices[0] == outcome(module("pure", "slice").slice_footer, scan, leaves, groups, **options)
