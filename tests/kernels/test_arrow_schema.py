"""ARROW:schema: fields are taken out as pieces and put together again, cut as a projection cuts them."""

from __future__ import annotations

import base64
import struct

import flatbuffers
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext._pure import slice as pure_slice
from parquetext.errors import Malformed, ParquetextError

INNER = pa.struct([pa.field("r", pa.decimal128(9, 2)), pa.field("z", pa.duration("ms"), metadata={"deep": "yes"})])
FIELDS = [
    pa.field("required", pa.int32(), nullable=False),
    pa.field("unsigned", pa.uint16()),
    pa.field("half", pa.float16()),
    pa.field("dictionary", pa.dictionary(pa.int8(), pa.string(), ordered=True), metadata={"x": "y", "": "empty key"}),
    pa.field("zoned", pa.timestamp("us", "Europe/Zürich")),
    pa.field("naive", pa.timestamp("ns")),
    pa.field("struct", pa.struct([pa.field("p", pa.list_(pa.float16())), pa.field("q", INNER)])),
    pa.field("map", pa.map_(pa.string(), pa.large_list(pa.large_string()), keys_sorted=True)),
    pa.field("sparse", pa.sparse_union([pa.field("i", pa.int8()), pa.field("j", pa.string_view())], [4, 7])),
    pa.field("dense", pa.dense_union([pa.field("i", pa.int8())])),
    pa.field("null", pa.null()),
    pa.field("run-end encoded", pa.run_end_encoded(pa.int32(), pa.string())),
    pa.field("fixed list", pa.list_(pa.field("element", pa.int64(), nullable=False), 3)),
    pa.field("fixed binary", pa.binary(5)),
    pa.field("decimal256", pa.decimal256(50, 3)),
    pa.field("decimal32", pa.decimal32(5, -2)),
    pa.field("interval", pa.month_day_nano_interval()),
    pa.field("list view", pa.list_view(pa.bool_())),
    pa.field("large list view", pa.large_list_view(pa.binary_view())),
    pa.field("time32", pa.time32("s")),
    pa.field("time64", pa.time64("ns")),
    pa.field("date32", pa.date32()),
    pa.field("date64", pa.date64()),
    pa.field("duration", pa.duration("ns")),
    pa.field("large binary", pa.large_binary()),
    pa.field("uuid", pa.uuid()),
    pa.field("tensor", pa.fixed_shape_tensor(pa.int32(), [2, 3])),
    pa.field("", pa.binary()),
    pa.field("ünïcode.with.dots", pa.bool_()),
]
SCHEMA = pa.schema(FIELDS, metadata={"of the": "schema"})


def text_of(schema: pa.Schema) -> bytes:
    return base64.b64encode(schema.serialize().to_pybytes())


def schema_of(text: bytes) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text)))


def rebuilt(schema: pa.Schema, keep=None) -> pa.Schema:
    text = text_of(schema)
    return schema_of(kernels.slice.arrow_build(kernels.slice.arrow_pieces(text), kernels.slice.arrow_names(text), keep))


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_field_comes_back_as_it_was(implementation, field):
    assert rebuilt(pa.schema([field])).equals(pa.schema([field]), check_metadata=True)


def test_all_fields_come_back_and_the_schemas_own_metadata_does_not(implementation):
    assert rebuilt(SCHEMA).equals(SCHEMA.remove_metadata(), check_metadata=True)


def test_fields_can_be_chosen_ordered_and_renamed(implementation):
    pieces = kernels.slice.arrow_pieces(text_of(SCHEMA))
    chosen = schema_of(kernels.slice.arrow_build([pieces[7], pieces[3]], [b"m", "né".encode()]))
    assert chosen.names == ["m", "né"]
    assert chosen.types == [SCHEMA.field(7).type, SCHEMA.field(3).type]


def test_names_are_those_of_the_fields(implementation):
    assert kernels.slice.arrow_names(text_of(SCHEMA)) == [name.encode() for name in SCHEMA.names]


def test_an_empty_schema_has_no_pieces(implementation):
    empty = text_of(pa.schema([]))
    assert kernels.slice.arrow_pieces(empty) == []
    assert schema_of(kernels.slice.arrow_build([], [])) == pa.schema([])


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_piece_is_self_contained(implementation, field):
    """Equal fields give equal pieces for any names and neighbors; a piece of a rebuilt schema is the same."""
    piece = kernels.slice.arrow_pieces(text_of(pa.schema([field])))[0]
    renamed = pa.schema([FIELDS[0], field.with_name("something else")])
    assert len(piece) % 8 == 0
    assert kernels.slice.arrow_pieces(kernels.slice.arrow_build([piece], [b"n"])) == [piece]
    if not pa.types.is_dictionary(field.type):  # dictionaries are numbered through a schema
        assert kernels.slice.arrow_pieces(text_of(renamed))[1] == piece


def test_offsets_of_a_piece_point_forward_and_its_name_is_last(implementation):
    piece = kernels.slice.arrow_pieces(text_of(pa.schema([pa.field("n", pa.int8())])))[0]
    vtable = -struct.unpack_from("<i", piece, 0)[0]
    name = struct.unpack_from("<H", piece, vtable + 4)[0]
    assert 0 < vtable < len(piece)
    assert name + struct.unpack_from("<I", piece, name)[0] == len(piece)


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        (b"\1\1\1\1", FIELDS[6].type),
        (b"\1\0", pa.struct([FIELDS[6].type.field(0)])),
        (b"\0\1\1\0", pa.struct([pa.field("q", pa.struct([INNER.field(0)]))])),
        (b"\0\1\0\1", pa.struct([pa.field("q", pa.struct([INNER.field(1)]))])),
        (b"\0\0", pa.struct([])),
        (None, FIELDS[6].type),
    ],
)
def test_a_struct_is_cut_child_by_child(implementation, keep, expected):
    cut = rebuilt(pa.schema([FIELDS[6]]), [keep])
    assert cut.equals(pa.schema([pa.field("struct", expected)]), check_metadata=True)


@pytest.mark.parametrize("keep", [b"", b"\1", b"\0\1", b"\1\1\1", b"\1\0\0", b"\1\1\1\1\1"])
def test_kept_children_must_exist_in_the_struct(implementation, keep):
    with pytest.raises(Malformed) as caught:
        rebuilt(pa.schema([FIELDS[6]]), [keep])
    assert caught.value.code == wire.ARROW_SCHEMA


@pytest.mark.parametrize("index", [0, 3, 7, 12], ids=lambda index: FIELDS[index].name)
def test_only_structs_are_cut(implementation, index):
    with pytest.raises(Malformed):
        rebuilt(pa.schema([FIELDS[index]]), [b"\1"])


def test_the_form_without_a_continuation_marker_is_read(implementation):
    message = base64.b64decode(text_of(SCHEMA))
    assert message[:4] == b"\xff\xff\xff\xff"
    older = base64.b64encode(message[4:])
    assert kernels.slice.arrow_pieces(older) == kernels.slice.arrow_pieces(text_of(SCHEMA))


@pytest.mark.parametrize("padding", [b"", b"=", b"=="])
def test_padding_does_not_matter(implementation, padding):
    text = text_of(SCHEMA).rstrip(b"=") + padding
    assert kernels.slice.arrow_names(text) == [name.encode() for name in SCHEMA.names]


def test_wide_schemas_are_read_across_blocks(implementation):
    wide = pa.schema([pa.field(f"column {i}", FIELDS[i % len(FIELDS)].type) for i in range(500)])
    assert rebuilt(wide) == wide


def _finished(builder: flatbuffers.Builder, field: int, version: int = 4, header_type: int = 1) -> bytes:
    """The IPC message of a schema of one field, as base64."""
    builder.StartVector(4, 1, 4)
    builder.PrependUOffsetTRelative(field)
    fields = builder.EndVector()
    builder.StartObject(4)
    builder.PrependUOffsetTRelativeSlot(1, fields, 0)
    schema = builder.EndObject()
    builder.StartObject(5)
    builder.PrependInt16Slot(0, version, 0)
    builder.PrependUint8Slot(1, header_type, 0)
    builder.PrependUOffsetTRelativeSlot(2, schema, 0)
    builder.Finish(builder.EndObject())
    body = bytes(builder.Output())
    return base64.b64encode(b"\xff\xff\xff\xff" + struct.pack("<I", len(body)) + body)


def _message(version=4, header_type=1) -> bytes:
    """An IPC message with one field of type Null, with another version or header type."""
    builder = flatbuffers.Builder(64)
    builder.StartObject(0)
    null = builder.EndObject()
    builder.StartObject(7)
    builder.PrependUint8Slot(2, 1, 0)
    builder.PrependUOffsetTRelativeSlot(3, null, 0)
    field = builder.EndObject()
    return _finished(builder, field, version, header_type)


def test_a_field_without_a_name_has_an_empty_one(implementation):
    assert kernels.slice.arrow_names(_message()) == [b""]
    assert len(kernels.slice.arrow_pieces(_message())) == 1


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"A",
        b"====",
        b"not base64!",
        b"AAAAAAAAAAAA",
        text_of(SCHEMA)[:100],
        _message(version=2),
        _message(header_type=3),
        base64.b64encode(b"\xff\xff\xff\xff\xff\xff\xff\x7f" + bytes(64)),
    ],
    ids=[
        "empty",
        "one character",
        "padding",
        "alphabet",
        "zeros",
        "truncated",
        "old version",
        "record batch",
        "length",
    ],
)
def test_bytes_that_are_not_a_schema_are_an_error(implementation, text):
    with pytest.raises(Malformed) as caught:
        kernels.slice.arrow_pieces(text)
    assert caught.value.code == wire.ARROW_SCHEMA


@pytest.mark.parametrize("tag", [0, 27, 255])
def test_a_type_that_is_not_known_is_an_error(implementation, tag):
    message = bytearray(base64.b64decode(_message()))
    flat = message[8:]
    root = struct.unpack_from("<I", flat, 0)[0]
    at = root

    def slot(table: int, index: int) -> int:
        vtable = table - struct.unpack_from("<i", flat, table)[0]
        return table + struct.unpack_from("<H", flat, vtable + 4 + 2 * index)[0]

    def follow(position: int) -> int:
        return position + struct.unpack_from("<I", flat, position)[0]

    field = follow(follow(slot(follow(slot(at, 2)), 1)) + 4)
    message[8 + slot(field, 2)] = tag
    with pytest.raises(Malformed) as caught:
        kernels.slice.arrow_pieces(base64.b64encode(message))
    assert caught.value.code == wire.ARROW_SCHEMA


def _sharing(depth: int, width: int) -> bytes:
    """A schema whose one field has `width` children, all one and the same table, and so on, `depth` deep."""
    builder = flatbuffers.Builder(1024)
    builder.StartObject(0)
    struct_type = builder.EndObject()
    field = None
    for _ in range(depth):
        children = None
        if field is not None:
            builder.StartVector(4, width, 4)
            for _ in range(width):
                builder.PrependUOffsetTRelative(field)
            children = builder.EndVector()
        builder.StartObject(7)
        builder.PrependUint8Slot(2, 13, 0)
        builder.PrependUOffsetTRelativeSlot(3, struct_type, 0)
        if children is not None:
            builder.PrependUOffsetTRelativeSlot(5, children, 0)
        field = builder.EndObject()
    return _finished(builder, field)


def test_shared_tables_cannot_blow_a_piece_up(implementation):
    with pytest.raises(Malformed) as caught:
        kernels.slice.arrow_pieces(_sharing(depth=40, width=10))
    assert caught.value.code == wire.ARROW_SCHEMA


def test_nesting_is_bounded(implementation):
    assert len(kernels.slice.arrow_pieces(_sharing(depth=60, width=1))) == 1
    with pytest.raises(Malformed) as caught:
        kernels.slice.arrow_pieces(_sharing(depth=80, width=1))
    assert caught.value.code == wire.TOO_DEEP


def test_foreign_pieces_are_walked(implementation):
    piece = kernels.slice.arrow_pieces(text_of(SCHEMA))[6]
    for size in range(0, len(piece), 8):
        with pytest.raises(ParquetextError):
            kernels.slice.arrow_build([piece[:size]], [b"x"])


MESSAGE = base64.b64decode(text_of(SCHEMA))
PIECES = pure_slice.arrow_pieces(text_of(SCHEMA))
edits = st.lists(st.tuples(st.integers(0, len(MESSAGE) - 1), st.integers(0, 255)), min_size=1, max_size=6)


@settings(max_examples=examples(300), deadline=None)
@given(edits, st.integers(0, len(MESSAGE)))
def test_both_read_a_mutated_schema_equally(edits, cut):
    native, pure = both("slice")
    message = bytearray(MESSAGE)
    for at, byte in edits:
        message[at] = byte
    for text in (base64.b64encode(message), base64.b64encode(message[:cut])):
        pieces = outcome(native.arrow_pieces, text)
        assert pieces == outcome(pure.arrow_pieces, text)
        assert outcome(native.arrow_names, text) == outcome(pure.arrow_names, text)


@settings(max_examples=examples(200), deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text("AB/+=\n", max_size=200).map(str.encode)))
def test_both_read_random_text_equally(text):
    native, pure = both("slice")
    assert outcome(native.arrow_pieces, text) == outcome(pure.arrow_pieces, text)


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_both_build_equal_schemas_from_mutated_pieces(data):
    native, pure = both("slice")
    piece = bytearray(data.draw(st.sampled_from(PIECES)))
    for _ in range(data.draw(st.integers(0, 4))):
        piece[data.draw(st.integers(0, len(piece) - 1))] = data.draw(st.integers(0, 255))
    keep = data.draw(st.one_of(st.none(), st.lists(st.sampled_from([0, 1]), max_size=6).map(bytes)))
    name = data.draw(st.binary(max_size=20))
    built = outcome(native.arrow_build, [piece], [name], [keep])
    assert built == outcome(pure.arrow_build, [piece], [name], [keep])
