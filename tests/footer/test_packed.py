"""The packed footer: a tenth of the Thrift bytes, lossless, checksummed, and read part by part."""

from __future__ import annotations

import io
import os
import random
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpus_files import readable
from support.samples import examples, some
from support.twins import both, outcome

import parquetext
from parquetext import edits, extension, kernels, thrift, wire
from parquetext._pure import packed_layout as layout
from parquetext._pure.index_names import signed
from parquetext.encoding import codecs
from parquetext.errors import Damaged, ParquetextError, Unsupported
from parquetext.footer.form_spec import Memory

SLOTS = {UUID(int=7): b"seven", UUID(int=9): b""}
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
RANGES = ("chunk", "metadata", "statistics", "min_value", "max_value", "min", "max")
FACTS = [
    *("num_values", "total_uncompressed_size", "total_compressed_size", "data_page_offset", "dictionary_page_offset"),
    *("null_count", "distinct_count", "type", "codec", "present", "encodings"),
    *("index_page_offset", "bloom_filter_offset", "offset_index_offset", "column_index_offset"),
    *("bloom_filter_length", "offset_index_length", "column_index_length"),
    *(f"{name}_{part}" for name in RANGES for part in ("offset", "length")),
]


def compress(data: bytes) -> bytes:
    return codecs.compress(wire.CODEC_ZSTD, data)


def footer_of(file: bytes) -> bytes:
    length = int.from_bytes(file[-8:-4], "little")
    return file[-8 - length : -8]


def written(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return footer_of(sink.getvalue())


def reader_of(payload: bytes, module=None):
    return (module or kernels.packed).Reader(Memory(payload), 0, len(payload), payload)


def packed(footer: bytes, module=None, **options) -> bytes:
    return (module or kernels.packed).write(kernels.scan.scan(footer), compress, **options)


WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog"]
MIXED = pa.table(
    {
        "id": range(60),
        "price": [None if n % 3 else n / 7 - 3 for n in range(60)],
        "name": [f"value {n * 7919 % 1000:04d}" for n in range(60)],
        "text": [" ".join(WORDS[(n * k) % 9] for k in range(1, 30)) for n in range(60)],
        "flag": [n % 2 == 0 for n in range(60)],
        "tags": [[str(n)] * (n % 3) for n in range(60)],
        "place": [{"x": n, "y": {"z": -n}} for n in range(60)],
    }
)
FOOTER = written(MIXED, row_group_size=5, write_page_index=True)


def test_both_implementations_write_the_same_bytes():
    native, pure = both("packed")
    native_scan, pure_scan = (module.scan(FOOTER) for module in both("scan"))
    slots = [(uuid.bytes, data) for uuid, data in SLOTS.items()]
    assert native.write(native_scan, compress, slots) == pure.write(pure_scan, compress, slots)
    assert native.write(native_scan) == pure.write(pure_scan)


def test_the_thrift_footer_comes_back_byte_for_byte(implementation):
    assert kernels.packed.to_thrift(reader_of(packed(FOOTER))) == FOOTER


def test_it_is_small(implementation):
    columns = {f"column_{n:06d}_{n * 7919 % 1_000_000:06d}": [n * i for i in range(40)] for n in range(200)}
    footer = written(pa.table(columns), row_group_size=4, compression="snappy", store_schema=False)
    assert len(packed(footer)) < 0.14 * len(footer)


def test_long_key_values_are_compressed_one_by_one(implementation):
    pairs = {f"key {n}": "a text that repeats itself. " * 200 for n in range(3)}
    footer = written(pa.table({"x": [1]}).replace_schema_metadata(pairs))
    payload = packed(footer)
    assert len(payload) < len(footer) / 10
    reader = reader_of(payload)
    found = dict(map(reader.key_value, range(reader.key_value_count)))
    assert found.items() >= {key.encode(): value.encode() for key, value in pairs.items()}.items()


def test_slices_are_those_of_the_thrift_footer(implementation):
    reader, scan = reader_of(packed(FOOTER)), kernels.scan.scan(FOOTER)
    for leaves, groups in (([0], [3]), ([1, 4, 7], [11, 0, 1, 1]), ([], [2]), (range(scan.leaf_count), range(12))):
        for key_values in (False, True):
            ours = reader.slice(leaves, groups, key_values=key_values)
            assert ours == kernels.slice.slice_footer(scan, leaves, groups, key_values=key_values)


def test_one_column_reads_no_cell_of_another_tile(implementation):
    table = pa.table({f"c{n}": [n] for n in range(1000)})
    payload = packed(written(table))
    reads = []

    class Noting(Memory):
        def read(self, offset, length):
            reads.append((offset, length))
            return super().read(offset, length)

    reader = kernels.packed.Reader(Noting(payload), 0, len(payload), payload[-4096:])
    (leaf,) = reader.find_name(b"c700")
    assert reader.column(leaf).array("num_values")[0] == 1
    assert sum(length for _, length in reads) < len(payload) / 4


@given(values=st.lists(st.tuples(INT64, INT64, INT64, st.booleans()), min_size=1, max_size=40))
@settings(max_examples=examples(60), deadline=None)
def test_any_numbers_come_back_from_both_implementations(values):
    """Offsets, sizes and counts that no writer writes; a missing dictionary page; several templates in a column."""
    meta = {"type": 1, "encodings": [0], "path_in_schema": ["x"], "codec": 0}
    row_groups = []
    for number, (one, two, three, has_dictionary) in enumerate(values):
        sizes = {"num_values": three, "total_uncompressed_size": two, "total_compressed_size": one}
        places = {"data_page_offset": two} | ({"dictionary_page_offset": three} if has_dictionary else {})
        columns = [{"file_offset": one, "meta_data": meta | sizes | places}]
        row_groups.append({"columns": columns, "total_byte_size": two, "num_rows": three, "ordinal": number})
    schema = [{"name": "s", "num_children": 1}, {"name": "x", "type": 1, "repetition_type": 0}]
    file = {"version": 2, "schema": schema, "num_rows": 1, "row_groups": row_groups}
    check_both(thrift.write("FileMetaData", file))


@given(texts=st.lists(st.tuples(st.binary(max_size=60), st.binary(max_size=60)), min_size=1, max_size=20))
@settings(max_examples=examples(60), deadline=None)
def test_any_texts_come_back_from_both_implementations(texts):
    meta = {"type": 6, "encodings": [0], "path_in_schema": ["x"], "codec": 0, "num_values": 1}
    meta |= {"total_uncompressed_size": 1, "total_compressed_size": 1, "data_page_offset": 4}
    row_groups = [
        {
            "columns": [{"file_offset": 0, "meta_data": meta | {"statistics": {"min_value": low, "max_value": high}}}],
            "total_byte_size": 1,
            "num_rows": 1,
        }
        for low, high in texts
    ]
    schema = [{"name": "s", "num_children": 1}, {"name": "x", "type": 6, "repetition_type": 0}]
    file = {"version": 2, "schema": schema, "num_rows": len(texts), "row_groups": row_groups}
    check_both(thrift.write("FileMetaData", file))


def check_both(footer: bytes) -> None:
    """Check that both implementations write the same payload, and each gives the footer back."""
    payloads = [
        module.write(scan.scan(footer), compress) for module, scan in zip(both("packed"), both("scan"), strict=True)
    ]
    assert payloads[0] == payloads[1]
    for module in both("packed"):
        assert module.to_thrift(reader_of(payloads[0], module)) == footer


def test_every_readable_footer_of_the_corpus_comes_back(corpus, expected):
    checked, paths = 0, readable(corpus, expected)
    tried = some(paths, 3)
    for path in tried:
        footer = footer_of(path.read_bytes())
        if not footer or len(footer) > 100_000:
            continue
        scans = [module.scan(footer) for module in both("scan")]
        results = [outcome(m.write, scan, compress) for m, scan in zip(both("packed"), scans, strict=True)]
        assert results[0] == results[1], path
        if results[0][0] == "result":
            for module in both("packed"):
                assert module.to_thrift(reader_of(results[0][1], module)) == extension.strip(footer), path
            checked += 1
    assert checked > 0.85 * len(tried) and len(paths) > 340


def test_more_templates_than_the_limit_leave_chunks_verbatim(implementation):
    meta = {"type": 1, "path_in_schema": ["x"], "num_values": 1, "total_uncompressed_size": 1}
    meta |= {"total_compressed_size": 1, "data_page_offset": 4}
    chunks = [{"columns": [{"file_offset": 0, "meta_data": meta | {"codec": n, "encodings": [n]}}]} for n in range(100)]
    row_groups = [chunk | {"total_byte_size": 1, "num_rows": 1} for chunk in chunks]
    schema = [{"name": "s", "num_children": 1}, {"name": "x", "type": 1, "repetition_type": 0}]
    file = {"version": 2, "schema": schema, "num_rows": 100, "row_groups": row_groups}
    footer = thrift.write("FileMetaData", file)
    assert kernels.packed.to_thrift(reader_of(packed(footer))) == footer


# ---- damage


def test_every_flipped_bit_is_noticed(implementation):
    payload = packed(written(MIXED.slice(0, 6), row_group_size=3))
    step = 1 if kernels.implementation() == "native" else 37
    for bit in range(0, 8 * len(payload), step):
        changed = bytearray(payload)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ParquetextError):
            reader = reader_of(bytes(changed))
            kernels.packed.verify(reader)
            kernels.packed.to_thrift(reader)


def cells_of(payload: bytes) -> list[tuple[int, int, int, int]]:
    """Return kind, number, begin and end of each cell."""
    tail = len(payload) - int.from_bytes(payload[-8:-4], "little")
    found = []
    for number in range(payload[tail + 49]):
        area = layout.Area(*layout.AREA.unpack_from(payload, tail + layout.TAIL.size + number * layout.AREA.size))
        begin = area.begin
        for index, (end,) in enumerate(struct.iter_unpack("<I", payload[area.directory :][: 4 * area.cells])):
            found.append((area.kind, index, begin, end))
            begin = end
    return found


def sign(payload: bytearray, kind: int, number: int, begin: int, end: int) -> None:
    """Give a changed cell its checksum."""
    payload[begin:end] = signed(bytes(payload[begin + layout.CRC_BYTES : end]), layout.seed_of(kind, number))


def test_both_implementations_report_the_same_error_for_content_that_is_wrong_behind_its_checksum(request):
    changes = 700 if request.config.getoption("--long") else 140
    payload = packed(written(MIXED.slice(0, 20), row_group_size=5))
    draw, errors = random.Random(5), 0
    for _ in range(changes):
        changed = bytearray(payload)
        kind, number, begin, end = draw.choice(cells_of(payload))
        if kind == layout.NAMES or end - begin <= layout.CRC_BYTES:
            continue
        changed[draw.randrange(begin + layout.CRC_BYTES, end)] = draw.choice((0, 1, 127, 128, 255, draw.randrange(256)))
        sign(changed, kind, number, begin, end)
        results = [outcome(read_everything, bytes(changed), module) for module in both("packed")]
        assert results[0] == results[1]
        errors += results[0][0] == "error"
    assert errors > changes / 5


def test_a_chain_whose_second_begin_is_decoded_before_the_first_one_is_refused(implementation):
    payload = bytearray(packed(FOOTER))
    begin, end = next(cell[2:] for cell in cells_of(bytes(payload)) if cell[0] == layout.BOOKS)
    roles, chains = payload[begin + 4 : begin + 6]
    assert chains
    at = begin + 7 + 4 * roles + 1
    assert payload[at] < payload[at + 1] < roles
    payload[at : at + 2] = payload[at + 1], payload[at]
    sign(payload, layout.BOOKS, 0, begin, end)
    with pytest.raises(Damaged) as refused:
        reader_of(bytes(payload)).column(0)
    assert (refused.value.offset, refused.value.found) == (at + 1, payload[at + 1])


def read_everything(payload: bytes, module) -> tuple:
    reader = reader_of(payload, module)
    columns = [reader.column(leaf, bounds=has) for leaf in range(reader.leaf_count) for has in (True, False)]
    facts = [[bytes(chunks.buffer), *(list(chunks.array(name)) for name in FACTS)] for chunks in columns]
    structs = [reader.chunk_structs(leaf, 0, reader.row_group_count) for leaf in range(reader.leaf_count)]
    return facts, structs, list(reader.row_groups("num_rows")), reader.created_by, module.to_thrift(reader)


@pytest.mark.slow
def test_facts_are_those_of_the_chunks_that_a_template_writes_even_if_it_is_unusual():
    """Values may become lengths, types or other lists' items; then the chunks must be written and scanned."""
    payload = packed(written(MIXED.slice(0, 30), row_group_size=7, write_page_index=True))
    begin, end = next(cell[2:] for cell in cells_of(payload) if cell[0] == layout.BOOKS)
    draw, read = random.Random(11), 0
    for _ in range(400):
        changed = bytearray(payload)
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(begin + layout.CRC_BYTES, end)
            changed[at] = draw.choice(
                (changed[at] + 1 & 255, changed[at] ^ 1 << draw.randrange(8), draw.randrange(256))
            )
        sign(changed, layout.BOOKS, 0, begin, end)
        results = [facts_of(bytes(changed), module) for module in both("packed")]
        assert results[0] == results[1]
        read += any(kind == "result" for kind, *_ in results[0])
    assert read > 40


def facts_of(payload: bytes, module) -> list[tuple]:
    """Return the facts of each column, or the error."""

    def of_column(leaf: int, bounds: bool) -> list:
        chunks = reader_of(payload, module).column(leaf, bounds=bounds)
        return [bytes(chunks.buffer), *(list(chunks.array(name)) for name in FACTS)]

    return [outcome(of_column, leaf, bounds) for leaf in range(3) for bounds in (True, False)]


def test_a_column_without_bounds_has_all_other_facts_and_reads_no_cell_of_bounds(implementation):
    payload = packed(FOOTER)
    damaged = bytearray(payload)
    for kind, _, begin, end in cells_of(payload):
        if kind in (layout.BOUNDS, layout.TEXTS, layout.LONG_TEXTS) and end > begin + layout.CRC_BYTES:
            damaged[end - 1] ^= 1
    reader, whole = reader_of(bytes(damaged)), reader_of(payload)
    others = [name for name in FACTS if not name.startswith(("min", "max"))]
    for leaf in range(reader.leaf_count):
        placed, chunks = reader.column(leaf, bounds=False), whole.column(leaf)
        assert [list(placed.array(name)) for name in others] == [list(chunks.array(name)) for name in others]
        assert not any(placed.bounds()[0])
        assert placed.bound_values(1) == placed.bound_values(2) == [None] * len(placed)


def test_the_chunks_of_a_row_group_are_those_of_its_columns(implementation):
    reader = reader_of(packed(FOOTER))
    others = [name for name in FACTS if not name.startswith(("min", "max"))]
    for row_group in range(reader.row_group_count):
        chunks = reader.row_group_chunks(row_group)
        columns = [reader.column(leaf, row_group, 1) for leaf in range(reader.leaf_count)]
        for name in others:
            assert list(chunks.array(name)) == [column.array(name)[0] for column in columns]
        assert not any(chunks.bounds()[0])
    with pytest.raises(ParquetextError):
        reader.row_group_chunks(reader.row_group_count)


@pytest.mark.parametrize("dictionaries", [True, False, [f"c{n}" for n in range(0, 90, 3)]])
def test_positions_are_the_same_in_any_order_of_the_columns(implementation, dictionaries):
    """They are sums over the columns before, with gaps in front of data pages where only some have dictionaries."""
    table = pa.table({f"c{n}": [n * row % 11 for row in range(40)] for n in range(90)})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=9, use_dictionary=dictionaries, write_page_index=True)
    groups = [pq.read_metadata(sink).row_group(number) for number in range(5)]
    payload = packed(footer_of(sink.getvalue()))
    kept = reader_of(payload)
    for leaf in random.Random(5).sample(range(90), 90):
        of_pyarrow = [group.column(leaf) for group in groups]
        for reader in (kept, reader_of(payload)):
            chunks = reader.column(leaf)
            assert list(chunks.array("data_page_offset")) == [chunk.data_page_offset for chunk in of_pyarrow]
            begins = [chunk.dictionary_page_offset or -1 for chunk in of_pyarrow]
            assert list(chunks.array("dictionary_page_offset")) == begins
        assert list(reader_of(payload).column(leaf, 3, 1).array("data_page_offset")) == [of_pyarrow[3].data_page_offset]


def test_many_columns_come_in_the_requested_order(implementation, tmp_path):
    table = pa.table({f"c{number}": [number, -number] for number in range(200)})
    pq.write_table(table, tmp_path / "wide.parquet")
    edits.upgrade(tmp_path / "wide.parquet", "packed")
    names = [f"c{number * 77 % 200}" for number in range(60)]
    with parquetext.open(tmp_path / "wide.parquet") as file:
        assert [column.name for column in file.columns(names)] == names
        assert [column.max[0].as_py() for column in file.columns(names)] == [int(name[1:]) for name in names]
        with pytest.raises(KeyError):
            file.columns([*names, "none"])


def test_bounds_are_read_on_the_first_access(implementation, plain):
    edits.upgrade(plain, "packed")
    with parquetext.open(plain) as file:
        whole, column = file.column("place.y.z"), file.column("place.y.z", bounds=False)
        assert list(column.data_page_offset) == list(whole.data_page_offset)
        assert (column.min, column.max) == (whole.min, whole.max)
        late = file.column("place.y.z", bounds=False)
    assert late.min_bytes.to_list() == whole.min_bytes.to_list()
    assert late.max_is_exact == whole.max_is_exact


def test_damaged_bounds_that_are_read_late_are_those_of_the_next_form(implementation, plain):
    edits.upgrade(plain, "packed")
    with parquetext.open(plain) as file:
        expected = file.column("place.y.z").min
    data = bytearray(plain.read_bytes())
    payload, length = kernels.local.own_block(bytes(data[-4096:]), len(data))[3:5]
    for kind, _, begin, _ in cells_of(bytes(data[payload : payload + length])):
        data[payload + begin] ^= kind == layout.BOUNDS
    plain.write_bytes(data)
    with parquetext.open(plain) as file:
        column = file.column("place.y.z", bounds=False)
        assert (file.form, file.findings) == ("packed", [])
        assert column.min == expected
        assert (file.form, len(file.findings)) == ("thrift", 1)


def test_a_claim_of_more_thrift_bytes_than_the_payload_can_hold_is_refused(implementation):
    payload = bytearray(packed(FOOTER))
    tail = len(payload) - int.from_bytes(payload[-8:-4], "little")
    payload[tail + 36 : tail + 40] = (1 << 31).to_bytes(4, "little")
    payload[-4:] = zlib.crc32(payload[tail:-4]).to_bytes(4, "little")
    with pytest.raises(Damaged) as error:
        reader_of(bytes(payload))
    assert error.value.offset == tail + 36


def test_an_area_of_an_unknown_kind_is_passed_over(implementation):
    payload = packed(FOOTER)
    size = int.from_bytes(payload[-8:-4], "little")
    tail = bytearray(payload[-size:])
    names = layout.TAIL.size + tail[49] * layout.AREA.size
    tail[names:names] = layout.AREA.pack(99, 0, 0, 0)
    tail[49] += 1
    tail[-8:-4] = len(tail).to_bytes(4, "little")
    tail[-4:] = zlib.crc32(tail[:-4]).to_bytes(4, "little")
    assert kernels.packed.to_thrift(reader_of(payload[:-size] + bytes(tail))) == FOOTER


@pytest.mark.slow
def test_a_footer_of_which_almost_nothing_is_left_is_refused(implementation):
    """The reader could not bound its memory by the payload."""
    table = pa.table({f"c{n}": pa.nulls(400, pa.int64()) for n in range(40)})
    footer = written(table, row_group_size=1)
    with pytest.raises(Unsupported, match="too regular: readers of its packed footer accept at most"):
        packed(footer)


def test_a_list_that_is_written_twice_is_refused(implementation):
    payload = bytearray(packed(FOOTER))
    (begin, end) = next(cell[2:] for cell in cells_of(payload) if cell[0] == layout.FRAME)
    content = bytes(payload[begin + layout.CRC_BYTES : end])
    changed = content[:8] + b"\x01\x01" + content[10:]
    payload[begin:end] = signed(changed, layout.seed_of(layout.FRAME, 0))
    with pytest.raises(Damaged) as error:
        kernels.packed.to_thrift(reader_of(bytes(payload)))
    assert error.value.offset == begin + layout.CRC_BYTES + 9


# ---- files


@pytest.fixture
def plain(tmp_path) -> Path:
    pq.write_table(MIXED, tmp_path / "plain.parquet", row_group_size=5, write_page_index=True)
    return tmp_path / "plain.parquet"


def test_a_file_is_opened_by_it_and_every_reader_reads_it(implementation, plain):
    original = plain.read_bytes()
    assert edits.upgrade(plain, "packed").form_after == "packed"
    with parquetext.open(plain) as file:
        assert (file.form, file.findings) == ("packed", [])
        assert file.read().equals(MIXED)
        assert file.column("place.y.z").min.to_pylist()[:2] == [-4, -9]
    assert pq.read_table(plain).equals(MIXED)
    assert parquetext.verify(plain, deep=True).findings == []
    edits.strip(plain)
    assert plain.read_bytes() == original


def test_flat_and_packed_replace_each_other(implementation, plain):
    edits.upgrade(plain, "flat")
    result = edits.upgrade(plain, "packed")
    assert (result.form_before, result.form_after) == ("flat", "packed")
    size = plain.stat().st_size
    assert edits.upgrade(plain, "packed").outcome == "unchanged"
    edits.upgrade(plain, "flat")
    edits.upgrade(plain, "packed")
    assert plain.stat().st_size == size


def test_extension_slots_are_kept(implementation):
    slots = [(uuid.bytes, data) for uuid, data in SLOTS.items()]
    reader = reader_of(packed(FOOTER, extensions=slots))
    assert reader.extensions() == [(uuid, len(data)) for uuid, data in slots]
    assert [reader.extension(index) for index in range(2)] == [data for _, data in slots]


@pytest.mark.parametrize("slots", [{}, SLOTS], ids=["without slots", "with slots"])
def test_a_finalized_file_gets_it_back(implementation, plain, slots):
    edits.upgrade(plain, "packed", extensions=slots)
    before = plain.read_bytes()
    edits.finalize(plain, confirm=True)
    edits.restore(plain)
    assert plain.read_bytes() == before


WITHOUT_LIBZSTD = """
import ctypes, sys

load = ctypes.CDLL


def refuse(name, *arguments, **options):
    if name and "zstd" in str(name):
        raise OSError("no library")
    return load(name, *arguments, **options)


ctypes.CDLL = refuse
import parquetext
from parquetext.libraries import libzstd

assert libzstd() is None
with parquetext.open(sys.argv[1]) as file:
    assert file.column("text").max.to_pylist() == ["z" * 300] and file.form == "packed"
    assert file.schema.field("text").metadata == {b"unit": b"none"} and not file.findings
"""


@pytest.mark.parametrize("pure", ["", "1"], ids=["native", "pure"])
def test_without_libzstd_pyarrow_decompresses_texts(tmp_path, pure):
    field = pa.field("text", pa.string(), metadata={"unit": "none"})
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"text": ["a" * 200, "z" * 300]}, schema=pa.schema([field])), path)
    edits.upgrade(path, "packed")
    environment = {**os.environ, "PARQUETEXT_PURE": pure}
    subprocess.run([sys.executable, "-c", WITHOUT_LIBZSTD, str(path)], env=environment, check=True)
