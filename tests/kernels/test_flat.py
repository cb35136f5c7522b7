"""The flat footer's kernels: written from a scan, read by verified random access, both implementations alike."""

from __future__ import annotations

import io
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from support import flat_footers as thrift
from support.flat_payloads import (
    cells,
    irregular,
    one_chunk,
    outcome,
    payload_of_both,
    sign,
    small_footer,
    with_other_numbers,
)
from support.flat_readers import everything, open_payload, write, write_with
from support.form_readers import (
    EQUAL_NAMES,
    GROUP,
    assert_cuts_columns,
    assert_finds_every_name,
    assert_refuses_number,
    chunk_fields,
    module,
)
from support.samples import examples
from support.varints import zigzag

from benchmarks import shapes
from parquetext import kernels, wire
from parquetext._pure import flat_chunk, flat_tables
from parquetext.errors import Damaged, ParquetextError, Unsupported

hypothesis_settings = settings(
    max_examples=examples(60),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)


def both(payload: bytes, **position) -> dict:
    """Everything, which both implementations tell alike."""
    native, pure = everything(payload, "native", **position), everything(payload, "pure", **position)
    assert native.keys() == pure.keys()
    for question, answer in native.items():
        assert pure[question] == answer, question
    return native


# ---- content of the form


def test_a_leaf_is_found_by_its_path_whichever_way_it_is_written(implementation):
    reader = open_payload(write(small_footer()))
    assert list(reader.find_name(b"point.x")) == list(reader.find_name(b"point\0x")) == [1]
    assert list(reader.find_name(b"name")) == [0]
    assert list(reader.find_name(b"x")) == []


def test_a_group_is_found_by_its_path(implementation):
    reader = open_payload(write(small_footer()))
    ids = list(reader.find_name(b"point"))
    assert ids == [GROUP | 1]
    node = reader.node(ids[0])
    assert (node.parent, node.schema_index, node.first_leaf, node.leaf_count) == (0, 2, 1, 1)
    assert reader.node(GROUP).parent is None


def test_an_element_is_found_by_its_field_id(implementation):
    reader = open_payload(write(small_footer()))
    assert list(reader.find_field_id(3)) == [0]
    assert list(reader.find_field_id(4)) == []


def test_one_leaf_and_its_chunks_are_found_at_once(implementation):
    reader = open_payload(write(small_footer()))
    leaf, chunks = reader.find_column("point.x")
    assert (leaf, chunk_fields(chunks)) == (1, chunk_fields(reader.column(1)))
    for no_leaf in ("point", "x", "", "p\udcff"):
        assert reader.find_column(no_leaf) is None
    both_names = reader.find_columns(["name", "x", ("name",), "point.x"])
    assert [found and found[0] for found in both_names] == [0, None, None, 1]
    assert chunk_fields(both_names[3][1]) == chunk_fields(chunks)


def test_all_columns_of_equal_dotted_names_are_found(implementation):
    reader = open_payload(write(EQUAL_NAMES))
    assert list(reader.find_name(b"a.b")) == [0, 1, 2]
    assert reader.find_column("a.b") is None


@pytest.mark.parametrize("columns", [1, 30, 31, 32, 33, 700])
def test_every_name_is_found_and_no_other(implementation, columns):
    reader = open_payload(write(thrift.wide_footer(columns, 1)))
    assert_finds_every_name(reader, columns)


def test_metadata_of_a_chunk_come_back(implementation):
    chunks = open_payload(write(small_footer())).column(1)
    assert len(chunks) == 2
    assert list(chunks.array("num_values")) == [7, 7]
    assert list(chunks.array("bloom_filter_offset")) == [99, 99]
    assert list(chunks.array("offset_index_length")) == [15, 15]
    assert list(chunks.array("distinct_count")) == [-1, -1]
    has, offsets, lengths, _, _ = chunks.bounds()
    assert has == b"\3\3"
    assert bytes(chunks.buffer)[offsets[1] : offsets[1] + lengths[1]] == struct.pack("<q", -5)


def test_encodings_come_back_as_far_as_a_scan_knows_them(implementation):
    encodings = [0, 3, 15, 16, 31, 40]
    footer = one_chunk(thrift.metadata(1, [b"a"], encodings=encodings))
    payload = write(footer)
    (mask,) = open_payload(payload).column(0).array("encodings")
    assert mask == sum(1 << encoding for encoding in encodings if encoding < 32)
    assert bytes(kernels.flat.to_thrift(payload)) == footer


def test_long_bounds_come_back_whole(implementation):
    chunks = open_payload(write(small_footer())).column(0)
    _, _, _, offsets, lengths = chunks.bounds()
    assert bytes(chunks.buffer)[offsets[0] : offsets[0] + lengths[0]] == b"omega " * 5
    exact = wire.PRESENT_MAX_EXACT_SET | wire.PRESENT_MAX_EXACT
    assert [present & (exact | wire.PRESENT_MIN_EXACT_SET) for present in chunks.array("present")] == [exact, exact]


def test_row_groups_key_values_and_the_rest_come_back(implementation):
    reader = open_payload(write(small_footer()))
    assert (reader.version, reader.num_rows, reader.created_by) == (2, 14, b"test")
    assert list(reader.row_groups("num_rows")) == [7, 7]
    assert list(reader.row_groups("file_offset")) == [4, 4]
    assert [tuple(column) for column in reader.sorting_columns(0)] == [(0, True, False)]
    assert [tuple(reader.key_value(index)) for index in range(2)] == [(b"k", b"v"), (b"only a key", None)]


@pytest.mark.parametrize("row_groups", [0, 1, 63, 64, 65, 129])
def test_columns_are_cut_every_64_row_groups(implementation, row_groups):
    payload = write(thrift.wide_footer(2, row_groups))
    reader = open_payload(payload)
    assert_cuts_columns(reader, row_groups)
    kernels.flat.verify(payload)


@pytest.mark.parametrize(
    ("value", "is_max", "stored"),
    [
        (b"a" * 17, False, b"a" * 16),
        (b"a" * 17, True, b"a" * 15 + b"b"),
        (b"a" * 15 + "ü".encode(), False, b"a" * 15),
        (b"a" * 14 + "€".encode(), False, b"a" * 14),
        (b"a" * 13 + "😀".encode(), False, None),
        (b"a" * 14 + "€".encode(), True, b"a" * 13 + b"b"),
        (b"\x7f" * 20, True, None),
        (b"a" + b"\xff" * 20, True, b"b"),
    ],
)
def test_a_long_bound_has_a_shorter_one_for_readers_of_the_public_schema(implementation, value, is_max, stored):
    side = "max" if is_max else "min"
    stats = thrift.statistics(**{f"{side}_value": value})
    group = thrift.row_group([thrift.chunk(thrift.metadata(6, [b"a"], stats=stats))])
    elements = [thrift.element(b"schema", children=1), thrift.element(b"a", type=6)]
    payload = write(thrift.footer(elements, [group], column_orders=[1]))
    words = [] if stored is None else [stored.ljust(16, b"\0")[at : at + 8][::-1] for at in (0, 8)]
    assert all(word in payload for word in words)
    chunks = open_payload(payload).column(0)
    assert bytes(chunks.buffer) == value


def test_bounds_that_cannot_be_trusted_are_not_stored(implementation):
    """Without a column order, unsigned bounds mean nothing: old writers compared bytes as signed."""
    stats = thrift.statistics(min=b"a", max=b"b", min_value=b"a", max_value=b"b", null_count=3)
    group = thrift.row_group([thrift.chunk(thrift.metadata(6, [b"a"], stats=stats))])
    elements = [thrift.element(b"schema", children=1), thrift.element(b"a", type=6)]
    chunks = open_payload(write(thrift.footer(elements, [group]))).column(0)
    assert (chunks.bounds()[0], list(chunks.array("null_count"))) == (b"\0", [3])


# ---- cost


@pytest.mark.parametrize(("row_groups", "most"), [(1, 1.15), (10, 0.95)])
def test_nothing_is_lost_in_so_many_bytes_for_each_of_the_thrift_footer(tmp_path, row_groups, most):
    path = tmp_path / "wide.parquet"
    shapes.write(shapes.Shape(1000, row_groups), path)
    data = path.read_bytes()
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    payload = write(footer)
    assert bytes(kernels.flat.to_thrift(payload)) == footer
    assert len(payload) <= most * len(footer)


@pytest.mark.parametrize(("row_groups", "leaves"), [(0, 8), (1, 8), (2, 4), (3, 2), (4, 2), (5, 1), (64, 1)])
def test_leaves_of_few_row_groups_share_a_cell_and_are_distinguished(implementation, row_groups, leaves):
    footer = thrift.wide_footer(21, row_groups)
    payload = write(footer)
    columns = [
        length
        for position, length in cells(payload)
        if struct.unpack_from("<H", payload, position + 8) == (wire.KIND_COLUMN,)
    ]
    assert len(columns) == -(-21 // leaves)
    scan, reader = kernels.scan.scan(footer), open_payload(payload)
    for leaf in (20, 7, 8, 0, 13):
        assert list(reader.find_name(b"c%d" % leaf)) == [leaf]
        assert reader.node(leaf).path == b"c%d" % leaf
        assert list(reader.column(leaf).array("total_compressed_size")) == list(
            scan.column(leaf).array("total_compressed_size")
        )


def test_a_lookup_reads_the_tail_and_three_pieces(implementation):
    payload = write(thrift.wide_footer(2000, 4))
    reader = open_payload(payload)
    reader.column(reader.find_name(b"c1234")[0])
    reads, fetched = reader.io
    assert reads <= 3 and fetched < 4096


def test_a_slice_takes_no_more_than_a_column_and_the_tail(implementation):
    footer = thrift.wide_footer(2000, 4)
    reader = open_payload(write(footer))
    (leaf,) = reader.find_name(b"c1234")
    reader.column(leaf)
    before = reader.io
    reader.slice([leaf], [0, 3])
    assert list(reader.row_groups("file_offset")) == list(kernels.scan.scan(footer).row_groups("file_offset"))
    assert reader.io == before


def test_a_row_group_that_contradicts_the_tail_block_is_damage():
    payload = bytearray(write(small_footer()))
    tail = len(payload) - struct.unpack_from("<I", payload, len(payload) - 8)[0]
    for field in range(4):
        broken = payload.copy()
        broken[tail + wire.FLAT_TAIL_BYTES + 16 * field] ^= 1
        found = [outcome(module(package, "flat").verify, sign(broken, [])) for package in ("native", "pure")]
        assert found[0] == found[1]
        assert found[0][:2] == ("Damaged", wire.BAD_VALUE)


def test_a_request_for_many_names_reads_their_pages_once(implementation):
    names = [b"column %d" % number for number in range(1000)]
    elements = [thrift.element(b"schema", children=len(names)), *(thrift.element(name, type=1) for name in names)]
    payload = write(thrift.footer(elements, []))
    reader = open_payload(payload, tail=1000)
    for leaf, name in enumerate(names):
        assert list(reader.find_name(name)) == [leaf]
    assert reader.io[0] <= len(names) + 32 + 1
    assert reader.find_name(b"no such name") == []


def test_once_held_nothing_is_read_any_more_and_all_of_it_is_still_checked(implementation):
    payload = bytearray(write(thrift.wide_footer(2000, 4)))
    position = payload.index(b"c1999", payload.index(b"c1998") + 10)
    payload[position] ^= 1
    reader, other = open_payload(bytes(payload), tail=100), open_payload(bytes(payload), tail=100)
    reader.column(7)
    reader.hold()
    cost = reader.io
    assert cost[1] <= len(payload) + 3 * 4096
    for leaf in range(0, 1999, 7):
        assert outcome(reader.node, leaf) == outcome(other.node, leaf)
        assert list(reader.column(leaf).array("data_page_offset")) == list(other.column(leaf).array("data_page_offset"))
    reader.slice(range(50), range(3), key_values=True)
    reader.hold()
    assert reader.io == cost
    with pytest.raises(Damaged) as raised:
        reader.node(1999)
    assert position - 4096 < raised.value.offset <= position


def test_a_payload_is_read_at_any_offset_and_with_any_part_of_the_tail(implementation):
    payload = write(small_footer())
    whole = everything(payload)
    for tail in (0, 1, 31, 32, 200, 100_000):
        found = everything(payload, before=b"x" * 11, behind=b"trailer", tail=tail)
        assert found == whole


def test_a_slice_of_everything_loads_each_row_group_once(implementation):
    """Also if the row groups have more rows than the chunks: every column needs their counts."""
    columns, row_groups = 40, 300
    elements = [thrift.element(b"schema", children=columns)]
    elements += [thrift.element(b"c%d" % n, type=1) for n in range(columns)]
    chunks = [thrift.chunk(thrift.metadata(1, [b"c%d" % n], num_values=1)) for n in range(columns)]
    sorting = [thrift.sorting_column(n, False, False) for n in range(columns)]
    group = thrift.row_group(chunks, num_rows=1, sorting=sorting)
    payload = write(thrift.footer(elements, [group] * row_groups, num_rows=row_groups))
    reader = open_payload(payload)
    sliced = kernels.scan.scan(bytes(reader.slice(range(columns), range(row_groups))))
    assert (sliced.leaf_count, sliced.row_group_count) == (columns, row_groups)
    assert reader.io[1] < 2 * len(payload)


def test_a_slice_loads_each_page_of_arrow_fields_once(implementation):
    """Also if neighbors have their fields in different pages."""
    unlike = [pa.field(f"u{n}", pa.int32(), metadata={"k": f"{n:050}"}) for n in range(60)]
    alike = [pa.field(f"a{n}", pa.int32(), metadata=unlike[59 * (n % 2)].metadata) for n in range(1000)]
    sink = io.BytesIO()
    schema = pa.schema(unlike + alike)
    pq.write_table(pa.table([pa.array([1], pa.int32())] * len(schema), schema=schema), sink)
    data = sink.getvalue()
    payload = write(data[-8 - int.from_bytes(data[-8:-4], "little") : -8])
    reader = open_payload(payload)
    sliced = bytes(reader.slice(range(len(schema)), [0]))
    assert reader.io[1] < 3 * len(payload)
    found = pq.read_schema(io.BytesIO(b"PAR1" + sliced + len(sliced).to_bytes(4, "little") + b"PAR1"))
    assert found.equals(schema, check_metadata=True)


# ---- refused input


@pytest.mark.parametrize(
    ("footer", "code"),
    [
        (irregular(), wire.IRREGULAR),
        (one_chunk(thrift.metadata(1, [b"a"]), column_orders=[1, 1]), wire.MISMATCH),
        (one_chunk(thrift.metadata(2, [b"a"])), wire.MISMATCH),
        (one_chunk(thrift.metadata(1, [b"a"], codec=200)), wire.UNSUPPORTED_VALUE),
        (one_chunk(thrift.metadata(8, [b"a"]), type=8), wire.UNSUPPORTED_VALUE),
        (one_chunk(thrift.metadata(1, [b"a"], codec=None)), wire.MISSING_FIELD),
        (one_chunk(thrift.metadata(1, [b"a"], data_page=None)), wire.MISSING_FIELD),
    ],
)
def test_footers_that_the_flat_schema_cannot_store_are_refused(implementation, footer, code):
    with pytest.raises(ParquetextError) as caught:
        write(footer)
    assert caught.value.code == code


def test_key_values_of_a_chunk_that_are_repeated_as_no_list_are_refused(implementation):
    """A scan notes the list; of fields with one id, the last counts."""
    repeated = bytes([thrift.I32]) + zigzag(wire.COLUMN_META_DATA_KEY_VALUE_METADATA) + zigzag(0)
    metadata = thrift.metadata(1, [b"a"], key_values=[thrift.key_value(b"k")])[:-1] + repeated + b"\0"
    with pytest.raises(ParquetextError) as caught:
        write(one_chunk(metadata))
    place = one_chunk(metadata).index(metadata)
    assert (caught.value.code, caught.value.offset) == (wire.FIELD_TYPE, place)
    assert (caught.value.expected, caught.value.found) == (wire.TYPE_LIST, wire.TYPE_I32)


@pytest.mark.parametrize("index", [-1, 2, 2**31, 2**32])
def test_numbers_that_do_not_exist_are_refused(implementation, index):
    reader = open_payload(write(small_footer()))
    assert_refuses_number(reader, index)


def test_another_layout_is_not_read(implementation):
    payload = bytearray(write(small_footer()))
    struct.pack_into("<I", payload, len(payload) - 16, 2)
    with pytest.raises(Unsupported, match="unknown layout"):
        open_payload(sign(payload, []))


def test_fields_of_a_later_writer_are_skipped(monkeypatch):
    """Later versions may add unnamed slots to v1."""
    footer = small_footer()
    known, metadata = wire.FLAT_TABLES["ColumnMetadata"], flat_chunk.Column._metadata
    with monkeypatch.context() as later:
        later.setitem(wire.FLAT_TABLES, "ColumnMetadata", {**known, "future": (40, 4)})
        later.setattr(
            flat_chunk.Column,
            "_metadata",
            lambda self, *arguments: flat_tables.Table(
                "ColumnMetadata", {**metadata(self, *arguments).fields, "future": b"who knows"}
            ),
        )
        payload = write_with("pure", footer)
    assert b"who knows" in payload
    assert {question: answer for question, answer in both(payload).items() if question != ("io",)} == {
        question: answer for question, answer in both(write(footer)).items() if question != ("io",)
    }


def test_a_closed_reader_raises(implementation):
    with open_payload(write(small_footer())) as reader:
        pass
    with pytest.raises(ValueError, match="closed"):
        reader.column(0)


# ---- two implementations, one behaviour


@hypothesis_settings
@given(thrift.footers())
def test_both_write_the_same_payload_and_read_the_same_metadata(footer):
    payload = payload_of_both(lambda package: write_with(package, footer))
    if payload is not None:
        answers = both(payload)
        assert answers["verify",] is None


@hypothesis_settings
@given(thrift.footers(), st.data())
def test_both_make_the_same_of_damage_that_checksums_do_not_show(footer, data):
    payload = outcome(write_with, "native", footer)
    assume(isinstance(payload, bytes))
    broken = data.draw(with_other_numbers(payload, 36))
    both(sign(broken, cells(payload)))


def test_both_make_the_same_of_a_column_order_without_a_field_id():
    """An order of 0, which no writer writes, has a header in the long form; the head that has it is not searched."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": [1]}), sink, store_schema=False)
    file = sink.getvalue()
    payload = write_with("native", file[-8 - int.from_bytes(file[-8:-4], "little") : -8])
    for at in (at for at, byte in enumerate(payload) if byte == 1):
        broken = bytearray(payload)
        broken[at] = 0
        both(sign(broken, cells(payload)))


@hypothesis_settings
@given(st.binary(max_size=400), st.booleans())
def test_both_make_the_same_of_bytes_that_are_no_payload(data, framed):
    if framed:
        body = data[: len(data) // 8 * 8]
        tail = wire.UUID_FLAT_FOOTER.bytes + struct.pack("<IIII", 1, len(body) + 32, len(body) + 24, 0)
        data = sign(bytearray(body + tail), [])
    both(data)


@hypothesis_settings
@given(thrift.footers(), st.data())
def test_both_build_the_slice_of_a_scan(footer, data):
    scan = module("pure", "scan").scan(footer)
    payload = outcome(write_with, "pure", footer)
    assume(isinstance(payload, bytes))
    leaves = sorted(data.draw(st.sets(st.integers(0, max(0, scan.leaf_count - 1)))))
    groups = data.draw(st.lists(st.integers(0, max(0, scan.row_group_count - 1)), max_size=3))
    options = {"arrow_schema": data.draw(st.booleans()), "key_values": data.draw(st.booleans())}
    slices = [
        outcome(lambda package=package: bytes(open_payload(payload, package).slice(leaves, groups, **options)))
        for package in ("native", "pure")
    ]
    assert slices[0] == slices[1]
    if isinstance(slices[0], bytes):
        sliced = module("pure", "scan").scan(slices[0])
        assert (sliced.leaf_count, sliced.row_group_count) == (len(leaves), len(groups))
