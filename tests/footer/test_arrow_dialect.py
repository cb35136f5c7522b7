"""The arrow dialect: its rank, the parts that readers use, and safety for any bytes."""

from __future__ import annotations

import contextlib
import struct
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.arrow_dialect import LZ4, ONE_CHUNK, RAW, UUID, framed, with_block
from support.flat_files import with_flat_footer
from support.parquet_bytes import TABLE, footer_of, parquet_bytes, with_footer
from support.samples import examples

import parquetext
from parquetext import kernels, wire
from parquetext.errors import Damaged, Malformed, ParquetextError, Unsupported
from parquetext.footer.dialect.buffer import Buffer
from parquetext.footer.dialect.builder import Builder
from parquetext.footer.dialect.field_differences import prepare
from parquetext.footer.dialect.framing import TRAILER_BYTES, read_trailer, unframe
from parquetext.footer.dialect.slots import LAYOUTS, Row, tell_layout
from parquetext.footer.dialect.to_thrift import Decoded
from parquetext.inspection.integrity.inspection import inspect

PLAIN = parquet_bytes()
BUFFER, LOSSES = prepare(footer_of(PLAIN))

pytestmark = pytest.mark.usefixtures("implementation")
quick = settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)


def opened(path, data: bytes, **options):
    path.write_bytes(data)
    return parquetext.open(str(path), **options)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.parquet"


# ---- which form is in use


@pytest.mark.parametrize("placement", ["after-stop", "in-struct"])
@pytest.mark.parametrize("codec", [RAW, LZ4])
def test_the_dialect_is_not_used_if_the_thrift_footer_is_valid(path, codec, placement):
    with opened(path, with_block(PLAIN, framed(BUFFER, codec), placement)) as file:
        assert (file.form, file.findings) == ("thrift", [])
        assert file.read().equals(TABLE)
    shown = inspect(path)
    assert [(block.kind, block.layout) for block in shown.blocks] == [("FlatBuffers footer, arrow dialect", "a77d277")]
    assert (shown.placement, shown.findings) == (placement, [])
    assert parquetext.verify(path).ok


def test_the_requested_dialect_contains_the_values_of_the_thrift_footer(path):
    with opened(path, with_block(PLAIN, framed(BUFFER, LZ4)), form="arrow") as file:
        assert file.form == "arrow" and file.read(filters=[("a", ">", 250)]).equals(TABLE.slice(251))
        ours = file.column("a")
        with parquetext.open(path, form="thrift") as other:
            theirs = other.column("a")
            assert (ours.min, ours.max) == (theirs.min, theirs.max)
            assert list(ours.null_count) == list(theirs.null_count)
            assert list(ours.data_page_offset) == list(theirs.data_page_offset)
            assert file.schema.equals(other.schema) and file.key_values == other.key_values
            assert list(file.row_groups) == list(other.row_groups)


def test_requesting_a_missing_dialect_is_an_error(path):
    with pytest.raises(Unsupported, match="no block of the arrow dialect"):
        opened(path, PLAIN, form="arrow")
    with pytest.raises(ParquetextError, match=r"use one of par3, .*index, .*thrift"):
        opened(path, PLAIN, form="papyrus")


def test_the_dialect_replaces_a_damaged_thrift_footer(path):
    data = with_block(PLAIN, framed(BUFFER, LZ4))
    start = len(data) - 8 - len(footer_of(data))
    with opened(path, data[: start + 1] + b"\xff" * 20 + data[start + 21 :]) as file:
        assert file.form == "arrow"
        assert [finding.kind for finding in file.findings] == ["thrift-damaged"]
        assert file.read(["b", "a"]).equals(TABLE.select(["b", "a"]))
    assert "thrift" in {finding.kind for finding in parquetext.verify(path).findings}
    shown = inspect(path)
    assert (shown.form, shown.rows) == ("arrow", 300)
    assert {finding.kind for finding in shown.findings} == {"extension", "thrift-damaged"}


def test_the_dialect_replaces_a_damaged_flat_footer_if_thrift_is_damaged_too(path):
    flat = bytes(parquetext.extension.find(footer_of(with_flat_footer(PLAIN))))
    thrift_bytes = footer_of(PLAIN)
    data = bytearray(with_footer(PLAIN, parquetext.extension.append(thrift_bytes, flat + framed(BUFFER, LZ4))))
    start = len(data) - 8 - len(footer_of(bytes(data)))
    cell = data.index(kernels.flat.write(kernels.scan.scan(thrift_bytes))[400:440])
    data[start + 1 : start + 20] = b"\xff" * 19
    data[cell : cell + 40] = bytes(40)
    with opened(path, bytes(data)) as file:
        assert file.form == "flat" and file.read().equals(TABLE)
        assert file.form == "arrow"
        assert [finding.kind for finding in file.findings] == ["flat-damaged", "thrift-damaged"]


def test_the_thrift_error_is_raised_if_both_are_damaged(path):
    data = bytearray(with_block(PLAIN, framed(BUFFER, LZ4)))
    start = len(data) - 8 - len(footer_of(bytes(data)))
    data[start + 1 : start + 20] = b"\xff" * 19
    data[-60] ^= 1
    with pytest.raises(Malformed):
        opened(path, bytes(data))


def test_our_own_flat_footer_is_preferred(path):
    flat = with_flat_footer(PLAIN)
    block = framed(BUFFER, LZ4)
    content = bytes(parquetext.extension.find(footer_of(flat)))
    extended = parquetext.extension.append(footer_of(PLAIN), content + block)
    with opened(path, with_footer(PLAIN, extended)) as file:
        assert (file.form, file.findings) == ("flat", [])
    assert [block.bytes for block in inspect(path).blocks] == [len(block) - TRAILER_BYTES, len(content) - 28]
    assert parquetext.verify(path).forms == ["thrift", "flat", "arrow"]


def test_a_damaged_trailer_is_reported(path):
    data = with_block(PLAIN, framed(BUFFER, LZ4))
    for bit in range(8, 8 * TRAILER_BYTES, 3):  # all but the codec
        changed = bytearray(data)
        changed[-9 - TRAILER_BYTES + bit // 8] ^= 1 << bit % 8
        with opened(path, bytes(changed)) as file:
            assert file.form == "thrift" and len(file.findings) == 1


@pytest.mark.parametrize("tail_bytes", range(25, 60, 3))
def test_a_trailer_is_found_wherever_the_first_read_ends(tail_bytes):
    from parquetext.footer.locate import locate

    data = with_block(PLAIN, framed(BUFFER, LZ4))
    tail = locate(data[-tail_bytes:], len(data))
    while tail.missing:
        offset, length = tail.missing
        tail.step(data[offset : offset + length])
    assert [block.trailer for block in tail.blocks] == [TRAILER_BYTES]


# ---- damage and unknown layouts


def unknown_layouts() -> dict[str, bytes]:
    """Buffers that are sound FlatBuffers, and of no schema that is known."""
    known = LAYOUTS["a77d277"]

    def built(table: str, change) -> bytes:
        fields = {name: change(name, field) for name, field in known.tables[table].items()}
        return Builder(known._replace(tables=known.tables | {table: fields})).finish("FileMetaData", ONE_CHUNK)

    def moved(by: int, only: str | None = None):
        return lambda name, field: field._replace(slot=field.slot + by) if only in (None, name) else field

    return {
        "no schema": Builder(known).finish("FileMetaData", {"version": 2, "num_rows": 1, "created_by": b""}),
        "names in another slot": built("SchemaElement", moved(1)),
        "chunks with five slots more": built("ColumnChunk", moved(5)),
        "metadata with something in front": built("ColumnMetadata", moved(1)),
        "a field behind all others": built("RowGroup", moved(6, "total_byte_size")),
        "numbers of 32 bits": built(
            "RowGroup", lambda name, field: field._replace(type="i32", width=4) if field.type == "i64" else field
        ),
    }


@pytest.mark.parametrize("name", unknown_layouts())
def test_an_unknown_layout_is_a_finding_and_thrift_is_used(path, name):
    buffer = unknown_layouts()[name]
    with pytest.raises(Unsupported, match="unknown layout"):
        tell_layout(buffer)
    with opened(path, with_block(PLAIN, framed(buffer, LZ4))) as file:
        assert file.form == "thrift" and file.read().equals(TABLE)
        [finding] = file.findings
        assert finding.kind == "dialect-damaged" and "unknown layout" in finding.message
    assert not parquetext.verify(path).ok
    assert any("unknown layout" in finding.message for finding in inspect(path).findings)
    assert [block.layout for block in inspect(path).blocks] == ["unknown"]


def test_a_mixture_of_two_layouts_is_unknown():
    """Scale above precision in one place by the one reading, in another place by the other."""
    decimal = {"": "DecimalOptions"}
    footer = {
        "version": 2,
        "num_rows": 0,
        "created_by": b"",
        "schema": [
            {"name": b"root", "num_children": 2},
            {"name": b"a", "type": 1, "logical_type_type": 5, "logical_type": decimal | {"precision": 4, "scale": 2}},
            {"name": b"b", "type": 1, "logical_type_type": 5, "logical_type": decimal | {"precision": 2, "scale": 4}},
        ],
    }
    with pytest.raises(Unsupported, match="of a77d277 by a table"):
        Decoded(Builder(LAYOUTS["a77d277"]).finish("FileMetaData", footer))


def reframed(data: bytes, codec: int, raw_length: int) -> bytes:
    """Return a frame with valid checksums for any content."""
    data += bytes([codec])
    lengths = struct.pack("<II", len(data) - 1, raw_length)
    return data + struct.pack("<I", zlib.crc32(data)) + lengths + struct.pack("<I", zlib.crc32(lengths)) + UUID


@pytest.mark.parametrize(
    ("block", "kind", "message"),
    [
        (reframed(b"hello", 0, 6), Damaged, "6, expected 5"),
        (reframed(b"hello", 6, 5), Unsupported, "codec 6"),
        (reframed(b"hello", 7, 5), Damaged, "not an LZ4 block"),
        (reframed(pa.Codec("lz4_raw").compress(b"a" * 1000, asbytes=True), 7, 1001), Damaged, "less than 1001 bytes"),
        (reframed(pa.Codec("lz4_raw").compress(b"a" * 1000, asbytes=True), 7, 999), Damaged, "not an LZ4 block"),
        (reframed(b"\0", 7, 0), Damaged, "less than 0 bytes"),
        (reframed(b"hello", 7, 1 << 20), Damaged, "expected 1275"),
        (reframed(b"hello", 0, (128 << 20) + 1), Unsupported, "the limit is"),
        (framed(b"hello")[1:], Damaged, "no whole block"),
        (b"", Damaged, "no whole block"),
    ],
)
def test_a_frame_with_wrong_lengths_is_refused(block, kind, message):
    with pytest.raises(kind, match=message):
        unframe(block)


@pytest.mark.parametrize("codec", [RAW, LZ4])
def test_every_flipped_bit_of_a_frame_is_noticed(codec):
    block = framed(b"some buffer of some bytes" * 3, codec)
    for bit in range(8 * len(block)):
        changed = bytearray(block)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises((Damaged, Unsupported)):
            unframe(bytes(changed))


def test_a_compressed_bomb_is_not_unpacked(path):
    """A dialect footer next to a Thrift footer of a few hundred bytes cannot have a hundred megabytes."""
    bomb = framed(bytes(100 << 20), LZ4)
    with opened(path, with_block(PLAIN, bomb)) as file:
        assert file.form == "thrift"
        [finding] = file.findings
        assert finding.kind == "dialect-damaged" and "the limit is" in finding.message


def facts(decoded: Decoded) -> list:
    return [decoded.footer, *decoded.row_groups()]


@quick
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(BUFFER) - 1),
            st.one_of(st.integers(0, 255), st.sampled_from([0, 1, 4, 0x7F, 0x80, 0xFF])),
        ),
        min_size=1,
        max_size=6,
    ),
    st.integers(0, len(BUFFER)),
)
def test_a_changed_buffer_gives_metadata_or_a_typed_error(changes, end):
    data = bytearray(BUFFER)
    for at, value in changes:
        data[at] = value
    for mutant in (bytes(data), bytes(data[:end])):
        try:
            decoded = Decoded(mutant)
            kernels.scan.scan(decoded.to_thrift())
        except ParquetextError:
            continue


@settings(quick, max_examples=examples(40))
@given(
    st.lists(st.tuples(st.integers(0, len(BUFFER) - 1), st.integers(0, 255)), min_size=1, max_size=4),
    st.sampled_from([RAW, LZ4]),
)
def test_a_file_with_a_changed_buffer_under_good_checksums_opens_by_thrift_and_verifies_to_findings(
    path, changes, codec
):
    data = bytearray(BUFFER)
    for at, value in changes:
        data[at] = value
    with opened(path, with_block(PLAIN, framed(bytes(data), codec))) as file:
        assert file.form == "thrift" and file.num_rows == 300
        assert {finding.kind for finding in file.findings} <= {"dialect-damaged"}
    report = parquetext.verify(path)
    assert {finding.kind for finding in report.findings} <= {"dialect-damaged", "forms-differ"}
    try:
        opened(path, path.read_bytes(), form="arrow").close()
    except ParquetextError as error:
        assert str(path) in str(error) and report.findings


@quick
@given(st.binary(max_size=300))
def test_any_bytes_are_a_buffer_or_a_typed_error(data):
    with contextlib.suppress(ParquetextError):
        facts(Decoded(data))


@quick
@given(st.integers(0, len(BUFFER) // 4 - 1), st.integers(0, len(BUFFER)))
def test_a_wrong_offset_is_not_followed_beyond_the_buffer(word, target):
    data = bytearray(BUFFER)
    struct.pack_into("<I", data, 4 * word, max(target - 4 * word, 0))
    with contextlib.suppress(ParquetextError):
        Decoded(bytes(data)).to_thrift()


def test_the_offset_of_a_logical_type_without_parameters_is_checked():
    elements = Row.root(Buffer(BUFFER), LAYOUTS["a77d277"]).rows("schema")
    element = next(row for row in elements if row.has("logical_type"))
    field = LAYOUTS["a77d277"].tables["SchemaElement"]["logical_type"]
    data = bytearray(BUFFER)
    struct.pack_into("<I", data, element.table.position(field.slot, field.width), len(data))
    with pytest.raises(Damaged):
        facts(Decoded(bytes(data)))


def test_overlapping_tables_cannot_multiply_the_work():
    """Ten thousand row groups that are one and the same."""
    buffer = bytearray(BUFFER)
    root = struct.unpack_from("<I", buffer)[0]
    table = root - struct.unpack_from("<i", buffer, root)[0]
    field = root + struct.unpack_from("<H", buffer, table + 4 + 2 * 3)[0]
    first = field + struct.unpack_from("<I", buffer, field)[0] + 4
    group = first + struct.unpack_from("<I", buffer, first)[0]
    # Offsets are positive, so the row group is moved after the entries.
    vector = len(buffer)
    moved = bytes(buffer[group:])
    count = 10_000
    buffer += struct.pack("<I", count)
    for n in range(count):
        buffer += struct.pack("<I", 4 * (count - n))
    base = len(buffer)
    buffer += moved
    struct.pack_into("<i", buffer, base, base - (group - struct.unpack_from("<i", BUFFER, group)[0]))
    struct.pack_into("<I", buffer, field, vector - field)
    with pytest.raises(ParquetextError):
        Decoded(bytes(buffer)).to_thrift()


def test_names_repeated_in_every_chunk_are_bounded_by_the_buffer():
    footer = {
        "version": 2,
        "num_rows": 0,
        "created_by": b"",
        "schema": [{"name": b"root", "num_children": 1}, {"name": b"n" * 50_000, "type": 1}],
        "row_groups": [{"columns": [{"metadata": {"data_page_offset": 4}}], "num_rows": 1}] * 2000,
    }
    with pytest.raises(Unsupported) as caught:
        Decoded(Builder(LAYOUTS["a77d277"]).finish("FileMetaData", footer)).to_thrift()
    assert caught.value.code == wire.TOO_LARGE


@pytest.mark.parametrize(
    "schema",
    [
        [{"name": b"root", "num_children": 2}, {"name": b"a", "type": 1}],
        [{"name": b"root", "num_children": 1}, {"name": b"a", "type": 1}, {"name": b"b", "type": 1}],
        [{"name": b"root", "num_children": -1}],
        [{"name": b"root", "num_children": 1}, {"name": b"a", "type": 1, "num_children": 1}, {"name": b"b", "type": 1}],
    ],
)
def test_a_schema_that_is_no_tree_is_damage(schema):
    footer = {"version": 2, "num_rows": 0, "created_by": b"", "schema": schema}
    with pytest.raises(Damaged):
        Decoded(Builder(LAYOUTS["a77d277"]).finish("FileMetaData", footer))


# ---- fields that public writers omit


def chunk_of(metadata: dict, **group) -> dict:
    footer = ONE_CHUNK | {"row_groups": [{"columns": [{"metadata": metadata}], "num_rows": 5} | group]}
    [found] = Decoded(Builder(LAYOUTS["a77d277"]).finish("FileMetaData", footer)).row_groups()
    return found["columns"][0]["meta_data"]


def test_a_data_page_offset_that_is_not_there_is_the_row_groups():
    assert chunk_of({"codec": 0}, file_offset=4)["data_page_offset"] == 4
    assert chunk_of({"data_page_offset": 9}, file_offset=4)["data_page_offset"] == 9


def test_a_count_of_values_that_is_not_there_is_the_number_of_rows():
    assert chunk_of({"data_page_offset": 9})["num_values"] == 5
    assert chunk_of({"data_page_offset": 9, "num_values": 7})["num_values"] == 7


def test_32_bit_null_counts_are_not_used_if_there_may_be_more_nulls():
    statistics = {"null_count": 3}
    assert chunk_of({"statistics": statistics})["statistics"] == {"null_count": 3}
    assert chunk_of({"statistics": statistics, "num_values": 1 << 31})["statistics"] == {}
    assert chunk_of({"statistics": {"null_count": -3}})["statistics"] == {}


def test_a_trailer_whose_lengths_do_not_match_its_checksum_is_ignored():
    block = bytearray(framed(b"hello"))
    assert read_trailer(bytes(block), len(block)).length == 5
    block[-28] ^= 1
    assert read_trailer(bytes(block), len(block)) is None
    assert read_trailer(b"short", 5) is None


def test_pyarrow_and_the_dialect_agree_on_a_table_of_every_shape(path):
    table = pa.table(
        {"x": pa.array([1, None, 3], pa.int16()), "t": ["a", None, "c" * 40], "s": [{"u": [1, 2]}, None, {"u": []}]}
    )
    pq.write_table(table, path, row_group_size=2)
    path.write_bytes(with_block(path.read_bytes(), framed(prepare(footer_of(path))[0], LZ4)))
    with parquetext.open(path, form="arrow") as file:
        assert file.read().equals(table)
        assert file.schema.equals(pq.read_schema(path))
        assert list(file.column("t").max_bytes) == [b"a", b"c" * 40]
