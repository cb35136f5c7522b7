"""The compiled flat footer contains the values of the Thrift footer, and rejects damage."""

from __future__ import annotations

import io
import os
import random
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.chunk_members import COUNTS, INDEXES, SIZES

from parquetext import wire
from parquetext.errors import Damaged, ParquetextError, Unsupported

flat = pytest.importorskip("parquetext._native.flat")
kernel_scan = pytest.importorskip("parquetext._native.scan")
checksum = pytest.importorskip("parquetext._native.checksum")

# Fields that the flat form does not contain, or contains under another name.
NOT_CARRIED = (
    wire.PRESENT_MIN_VALUE
    | wire.PRESENT_MAX_VALUE
    | wire.PRESENT_MIN
    | wire.PRESENT_MAX
    | wire.PRESENT_FILE_OFFSET
    | wire.PRESENT_PATH_IN_SCHEMA
    | wire.PRESENT_MIN_EXACT_SET
    | wire.PRESENT_MIN_EXACT
    | wire.PRESENT_MAX_EXACT_SET
    | wire.PRESENT_MAX_EXACT
)
FACTS = (*SIZES, *COUNTS, *INDEXES, "type", "codec")


class Memory:
    """Bytes as a source that counts the bytes read."""

    def __init__(self, data: bytes):
        self.data, self.size = data, len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


def footer_of(data: bytes) -> bytes:
    length = int.from_bytes(data[-8:-4], "little")
    return data[len(data) - 8 - length : len(data) - 8]


def written(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return footer_of(sink.getvalue())


def mixed(rows: int = 6, columns: int = 1) -> pa.Table:
    arrays = {}
    for i in range(columns):
        arrays |= {
            f"int{i}": pa.array(range(rows), pa.int32()),
            f"time{i}": pa.array(range(rows), pa.timestamp("us", "UTC")),
            f"text{i}": pa.array([f"value {j} " * (j + 1) for j in range(rows)]),
            f"flag{i}": pa.array([True, None] * (rows // 2)),
            f"real{i}": pa.array([float(j) for j in range(rows)]),
            f"point{i}": pa.array([{"x": j, "tags": ["a"] * j} for j in range(rows)]),
        }
    return pa.table(arrays)


def opened(payload: bytes, tail: int = 4096) -> flat.Reader:
    return flat.Reader(Memory(payload), 0, len(payload), payload[-tail:])


def bound_bytes(chunks) -> list:
    has, *ranges = chunks.bounds()
    buffer = bytes(chunks.buffer)
    return [
        (
            bits,
            *(
                buffer[at : at + length] if bits >> side & 1 else None
                for side, (at, length) in enumerate(((low, low_size), (high, high_size)))
            ),
        )
        for bits, low, low_size, high, high_size in zip(has, *ranges, strict=True)
    ]


def everything(reader) -> list:
    """All facts of a flat footer."""
    fields = [reader.version, reader.num_rows, reader.created_by]
    fields += [reader.key_value(i) for i in range(reader.key_value_count)]
    fields += [reader.row_groups(name).tolist() for name in ("num_rows", "total_byte_size", "ordinal", "file_offset")]
    fields += [reader.sorting_columns(i) for i in range(reader.row_group_count)]
    for id in [*range(reader.leaf_count), *(flat.GROUP | i for i in range(reader.node_count))]:
        node = reader.node(id)
        fields.append((node.thrift, node.path, node.parent, node.schema_index, reader.find_name(node.path)))
    for leaf in range(reader.leaf_count):
        chunks = reader.column(leaf)
        fields += [[chunks.array(name).tolist() for name in (*FACTS, "present", "encodings")], bound_bytes(chunks)]
    return fields


def carried(present: int) -> int:
    return present & ~NOT_CARRIED


def check_against(scan, reader) -> None:
    """The flat footer contains the values of the scanned Thrift footer."""
    assert (reader.version, reader.num_rows, reader.created_by) == (scan.version, scan.num_rows, scan.created_by)
    for name in ("num_rows", "total_byte_size", "file_offset", "total_compressed_size", "ordinal"):
        assert reader.row_groups(name).tolist() == scan.row_groups(name).tolist()
    for leaf in range(scan.leaf_count):
        ours, theirs = reader.column(leaf), scan.column(leaf)
        for name in FACTS:
            assert ours.array(name).tolist() == theirs.array(name).tolist(), name
        assert bound_bytes(ours) == bound_bytes(theirs)
        assert [carried(bits) for bits in ours.array("present")] == [carried(bits) for bits in theirs.array("present")]
        assert leaf in reader.find_name(reader.node(leaf).path)
        element, data = scan.leaves[leaf], bytes(scan.data)
        begin, length = scan.elements("bytes_offset")[element], scan.elements("bytes_length")[element]
        assert reader.node(leaf).thrift == data[begin : begin + length]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"row_group_size": 2},
        {"write_statistics": False},
        {"store_schema": False},
        {"write_page_index": True},
        {"row_group_size": 2, "sorting_columns": [pq.SortingColumn(1, True, False)]},
        {"compression": "none", "use_dictionary": False},
    ],
    ids=str,
)
def test_the_flat_footer_contains_the_values_of_the_thrift_footer(options):
    scan = kernel_scan.scan(written(mixed(), **options))
    payload = flat.write(scan, verbatim=False)
    flat.verify(payload)
    check_against(scan, opened(payload))


def test_row_groups_beyond_the_first_part_are_found_in_theirs():
    scan = kernel_scan.scan(written(mixed(200), row_group_size=1))
    payload = flat.write(scan, verbatim=False)
    flat.verify(payload)
    with opened(payload) as reader:
        check_against(scan, reader)
        around = reader.column(0, 63, 3).array("data_page_offset")
        assert list(around) == list(scan.column(0).array("data_page_offset")[63:66])
        assert len(reader.column(0, 200, 0)) == 0


def test_a_lookup_reads_one_bucket_and_one_column():
    payload = flat.write(kernel_scan.scan(written(mixed(columns=40))))
    with opened(payload) as reader:
        (leaf,) = reader.find_name(b"point7.x")
        reader.column(leaf)
        assert reader.io[0] == 2 and reader.io[1] < 256 + 4096
        assert reader.find_name(b"point7.y") == []
        assert reader.node(reader.find_name(b"point7")[0]).leaf_count == 2


def test_a_field_id_finds_leaves_and_groups():
    inner = pa.field("x", pa.int64(), metadata={b"PARQUET:field_id": b"7"})
    outer = pa.field("s", pa.struct([inner]), metadata={b"PARQUET:field_id": b"9"})
    table = pa.table([pa.array([{"x": 1}], outer.type)], pa.schema([outer]))
    reader = opened(flat.write(kernel_scan.scan(written(table))))
    assert reader.find_field_id(7) == [0]
    assert reader.find_field_id(9) == [flat.GROUP | 1]
    assert reader.find_field_id(8) == []


def test_a_slice_reads_as_the_whole_file_does(tmp_path):
    path = tmp_path / "file.parquet"
    pq.write_table(mixed(), path, row_group_size=3)
    data = path.read_bytes()
    reader = opened(flat.write(kernel_scan.scan(footer_of(data))))
    leaves = sorted(reader.find_name(b"text0") + reader.find_name(b"point0.x") + reader.find_name(b"time0"))
    small = reader.slice(leaves, [1])
    metadata = pq.read_metadata(io.BytesIO(b"PAR1" + small + len(small).to_bytes(4, "little") + b"PAR1"))
    table = pq.ParquetFile(path, metadata=metadata).read()
    assert table.equals(pq.ParquetFile(path).read_row_group(1, columns=["time0", "text0", "point0.x"]))


def test_corpus_footers_survive(corpus):
    checked = 0
    for folder, _, names in os.walk(corpus):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.getsize(path) > 1 << 20:
                continue
            with open(path, "rb") as file:
                data = file.read()
            if data[-4:] != b"PAR1" or int.from_bytes(data[-8:-4], "little") > len(data) - 8:
                continue
            try:
                scan = kernel_scan.scan(footer_of(data))
                payload = flat.write(scan, verbatim=False)
            except ParquetextError:
                continue
            flat.verify(payload)
            if scan.leaf_count * scan.row_group_count < 5000:
                check_against(scan, opened(payload))
            checked += 1
    assert checked > 300


def test_no_flipped_bit_changes_an_answer_unseen():
    payload = flat.write(kernel_scan.scan(written(mixed(2))))
    expected = everything(opened(payload))
    for at in range(len(payload)):
        changed = bytearray(payload)
        changed[at] ^= 1 << at % 8
        try:
            found = everything(opened(bytes(changed)))
        except (Damaged, Unsupported):
            continue
        assert found == expected, at


def cells_of(payload: bytes) -> list[int]:
    """Return the begins of the cells, found by their checksums."""
    found = []
    for at in range(8, len(payload) - 16, 8):
        length = int.from_bytes(payload[at + 4 : at + 8], "little")
        if (
            16 <= length <= len(payload) - at
            and length % 8 == 0
            and checksum.crc32(payload[at + 4 : at + length]) == int.from_bytes(payload[at : at + 4], "little")
        ):
            found.append(at)
    return found


def signed(payload: bytearray, cells: list[int]) -> bytes:
    """The payload with the checksums of all cells and of the tail block made right."""
    for at in cells:
        length = int.from_bytes(payload[at + 4 : at + 8], "little")
        if 16 <= length <= len(payload) - at:
            payload[at : at + 4] = checksum.crc32(bytes(payload[at + 4 : at + length])).to_bytes(4, "little")
    tail = int.from_bytes(payload[-8:-4], "little")
    if 4 < tail <= len(payload):
        payload[-4:] = checksum.crc32(bytes(payload[len(payload) - tail : -4])).to_bytes(4, "little")
    return bytes(payload)


def test_hostile_payloads_with_good_checksums_are_survived():
    payload = flat.write(kernel_scan.scan(written(mixed(4), row_group_size=2)))
    cells, choose = cells_of(payload), random.Random(544)
    assert len(cells) > 10 and signed(bytearray(payload), cells) == payload
    values = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC)
    outcomes = set()
    for _ in range(3000):
        changed = bytearray(payload)
        for _ in range(choose.randint(1, 4)):
            at = choose.randrange(0, len(changed) - 4, choose.choice((1, 4)))
            value = choose.choice((*values, choose.randrange(len(changed)), choose.getrandbits(32)))
            changed[at : at + 4] = value.to_bytes(4, "little")
        hostile = signed(changed, cells)
        for use in (
            lambda data: everything(opened(data)),
            flat.verify,
            lambda data: opened(data).slice([0, 1, 2], [0, 1], key_values=True),
        ):
            try:
                use(hostile)
                outcomes.add("read")
            except ParquetextError as error:
                outcomes.add(type(error).__name__)
    assert {"read", "Damaged"} <= outcomes


def test_an_error_has_the_offset_in_the_file():
    payload = bytearray(flat.write(kernel_scan.scan(written(mixed(2)))))
    payload[-1] ^= 1
    with pytest.raises(Damaged) as raised:
        flat.Reader(Memory(bytes(1000) + bytes(payload)), 1000, len(payload), b"")
    assert (raised.value.code, raised.value.offset) == (wire.CHECKSUM, 1000 + len(payload) - 4)


def test_errors_of_a_source_are_raised():
    class Broken(Memory):
        def read(self, offset, length):
            raise ConnectionError("gone")

    payload = flat.write(kernel_scan.scan(written(mixed(2, 30))))
    with pytest.raises(ConnectionError, match="gone"):
        flat.Reader(Broken(payload), 0, len(payload), b"")
    reader = flat.Reader(Broken(payload), 0, len(payload), payload[-4096:])
    with pytest.raises(ConnectionError, match="gone"):
        reader.column(0)


def test_a_source_that_gives_too_little_is_an_error():
    class Short(Memory):
        def read(self, offset, length):
            return self.data[offset : offset + length - 1]

    payload = flat.write(kernel_scan.scan(written(mixed(2, 30))))
    with pytest.raises(OSError):
        flat.Reader(Short(payload), 0, len(payload), payload[-4096:]).column(0)


def test_a_closed_reader_raises():
    reader = opened(flat.write(kernel_scan.scan(written(mixed(2)))))
    reader.close()
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader.column(0)


def test_threads_share_a_reader():
    scan = kernel_scan.scan(written(mixed(4, 30), row_group_size=2))
    payload = flat.write(scan, verbatim=False)
    reader, wrong = opened(payload), []
    expected = [scan.column(leaf).array("data_page_offset").tolist() for leaf in range(scan.leaf_count)]

    def read():
        wrong.extend(
            leaf
            for leaf in range(scan.leaf_count)
            if reader.column(leaf).array("data_page_offset").tolist() != expected[leaf]
        )

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_arguments_out_of_range_are_refused():
    reader = opened(flat.write(kernel_scan.scan(written(mixed(2)))))
    for call in (
        lambda: reader.column(reader.leaf_count),
        lambda: reader.column(0, 2),
        lambda: reader.column(0, 0, 9),
        lambda: reader.node(reader.leaf_count),
        lambda: reader.node(flat.GROUP | reader.node_count),
        lambda: reader.key_value(reader.key_value_count),
        lambda: reader.column(-1),
        lambda: reader.slice([1, 0], [0]),
    ):
        with pytest.raises(ParquetextError) as raised:
            call()
        assert raised.value.code == wire.BAD_ARGUMENT
