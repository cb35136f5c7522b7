"""Columns that carry their values a second time are read by the copy, and by the chunk where the copy is not sound."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.copied_files import change_blocks
from support.counted import Counted
from support.parquet_bytes import footer_of

import parquetext
from parquetext import thrift, wire
from parquetext.encoding import registry
from parquetext.errors import ParquetextError
from parquetext.footer.copied_chunks import CopyTable, table_of
from parquetext.kernels import scan

ROWS = 6000
ENCODINGS = {
    "price": "alp",
    "key": "pfor",
    "url": "fsst",
    "list": "byte_stream_split",
    "place": "delta_byte_array",
}


def table_of_rows(rows: int = ROWS) -> pa.Table:
    chance = random.Random(5)
    return pa.table(
        {
            "price": [round(chance.random() * 100, 2) for _ in range(rows)],
            "key": [None if chance.random() < 0.1 else 10**12 + chance.randrange(999) for _ in range(rows)],
            "url": [f"https://example.org/{chance.randrange(50)}" for _ in range(rows)],
            "list": [None if row % 7 == 0 else [float(row)] * (row % 3) for row in range(rows)],
            "place": [None if row % 9 == 0 else {"city": f"city {row % 20}"} for row in range(rows)],
            "number": pa.array(range(rows), pa.int32()),
            "kind": pa.array([f"kind {row % 5}" for row in range(rows)]).dictionary_encode(),
        }
    )


TABLE = table_of_rows()


@pytest.fixture(scope="module", params=["thrift", "flat", "index", "par3"])
def encoded(request, tmp_path_factory):
    """A file with copies of most columns, under each form of footer."""
    path = tmp_path_factory.mktemp("encoded") / f"{request.param}.parquet"
    pq.write_table(TABLE, path, row_group_size=2500, compression="snappy", write_page_index=True)
    if request.param != "thrift":
        parquetext.upgrade(path, form="index" if request.param == "index" else "flat")
    parquetext.encode(path, ENCODINGS, codec="zstd")
    if request.param == "par3":
        parquetext.finalize(path, confirm=True)
    return str(path)


def places(path) -> dict[tuple[str, int], tuple[range, range]]:
    """Of each leaf and row group that has a copy the bytes of the copy, and of the chunk."""
    data = Path(path).read_bytes()
    if data.endswith(b"PAR3"):
        return {}
    footer = footer_of(data)
    found = scan.scan(footer)
    table = CopyTable(table_of(found))
    names = [pq.read_metadata(path).schema.column(leaf).path for leaf in range(found.leaf_count)]
    copies = {
        (names[leaf], row_group): table.find(leaf, row_group)
        for leaf in range(found.leaf_count)
        for row_group in range(found.row_group_count)
    }
    return {
        key: (range(copy.offset, copy.end), range(copy.chunk_offset, copy.chunk_offset + copy.chunk_length))
        for key, copy in copies.items()
        if copy is not None
    }


def read(path, columns=None, **options):
    """Return our engine's table, the findings, and the ranges that were read."""
    with parquetext.open(path) as file:
        source = file._source = Counted(file._source)
        table = file.read(columns, engine="parquetext", **options)
        return table, file.findings, source.ranges


def reads(ranges, position: range) -> bool:
    """Whether a read begins there; one of other pages may overrun them."""
    return any(offset in position for offset, _ in ranges)


def test_values_are_read_by_the_copies(encoded):
    table, findings, ranges = read(encoded)
    assert table.equals(TABLE)
    assert findings == []
    for copy, chunk in places(encoded).values():
        assert reads(ranges, copy) and not reads(ranges, chunk)


def test_auto_reads_by_the_copies_too(encoded):
    with parquetext.open(encoded) as file:
        source = file._source = Counted(file._source)
        assert file.read(["price", "number"], engine="auto").equals(TABLE.select(["price", "number"]))
        for key, (copy, chunk) in places(encoded).items():
            assert reads(source.ranges, copy) == (key[0] == "price")
            assert not reads(source.ranges, chunk)


def test_batches_are_read_by_the_copies(encoded):
    with parquetext.open(encoded) as file:
        source = file._source = Counted(file._source)
        batches = file.iter_batches(batch_size=700, engine="parquetext")
        assert pa.Table.from_batches(batches).equals(TABLE)
        assert not any(reads(source.ranges, chunk) for _, chunk in places(encoded).values())


@pytest.mark.parametrize(
    "filters", [[("price", "<", 3.0)], [("url", "==", "https://example.org/7"), ("number", ">", 5000)]]
)
def test_filters_read_by_the_copies(encoded, filters):
    table, findings, _ = read(encoded, ["key", "list"], filters=filters)
    assert findings == []
    expected = TABLE.filter(pq.filters_to_expression(filters)).select(["key", "list"])
    assert table.to_pylist() == expected.to_pylist()


def test_a_few_rows_take_a_few_pages_of_a_copy(tmp_path):
    path = tmp_path / "x.parquet"
    table = pa.table({"key": pa.array(range(400_000), pa.int64()), "value": [row / 4 for row in range(400_000)]})
    pq.write_table(table, path, use_dictionary=False, compression="zstd")
    parquetext.encode(path, {"value": "byte_stream_split"})
    found, _, ranges = read(path, ["value"], filters=[("key", "==", 300_000)])
    assert found["value"].to_pylist() == [75_000.0]
    [(copy, _)] = [position for key, position in places(path).items()]
    assert sum(length for offset, length in ranges if offset in copy) < len(copy) / 2


@pytest.mark.parametrize("is_indexed", [False, True])
@pytest.mark.parametrize(
    ("column", "encoding", "page_bytes", "is_of_the_copy"),
    [
        ("value", "alp", 1 << 20, True),
        ("value", "alp", 1 << 13, False),
        ("url", "fsst", 1 << 20, False),
        ("long", "fsst", 1 << 20, True),
    ],
)
def test_rows_are_read_from_the_copy_if_that_is_cheaper(
    tmp_path, column, encoding, page_bytes, is_of_the_copy, is_indexed
):
    path = tmp_path / "x.parquet"
    numbers = range(100_000)
    columns = {
        "value": pa.array([row / 4 for row in numbers]),
        "url": pa.array([f"https://example.org/{row}" for row in numbers]),
        "long": pa.array([f"{row:0300}" for row in numbers]),
    }
    table = pa.table({column: columns[column]})
    options = {"compression": "zstd", "use_dictionary": False, "write_page_index": is_indexed}
    pq.write_table(table, path, data_page_size=page_bytes, max_rows_per_page=1 << 20, write_batch_size=64, **options)
    parquetext.encode(path, {column: encoding})
    [(copy, _)] = places(path).values()
    with parquetext.open(path) as file:
        source = file._source = Counted(file._source)
        found = file.take(list(range(0, 100_000, 9_000)))
        ranges = [each for each in source.ranges if each[1] > 0]
    assert found.equals(table.take(pa.array(range(0, 100_000, 9_000))))
    is_copy_read = any(offset in copy for offset, _ in ranges)
    is_small = page_bytes < 1 << 20 and not is_indexed  # so that the size of its pages is not known
    assert is_copy_read == (is_of_the_copy or is_small)


def test_dictionaries_are_those_of_the_chunk(tmp_path):
    """A copy has none, and their order is that of a pandas column's categories."""
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE.select(["kind"]), path)
    parquetext.encode(path, {"kind": "delta_byte_array"})
    table, findings, ranges = read(path)
    assert table.equals(TABLE.select(["kind"])) and findings == []
    [(copy, _)] = places(path).values()
    assert not reads(ranges, copy)


def flipped(path, at: int, bit: int = 0) -> None:
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))


@pytest.mark.parametrize("engine", ["parquetext", "auto"])
def test_a_damaged_copy_is_left_for_the_chunk(tmp_path, engine):
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE, path, row_group_size=2500)
    parquetext.encode(path, ENCODINGS)
    copy, _ = places(path)["key", 1]
    flipped(path, copy[len(copy) // 2])
    with parquetext.open(path) as file:
        assert file.read(engine=engine).equals(TABLE)
        [finding] = file.findings
        assert (finding.kind, finding.place) == ("copy-damaged", "row group 1, column key")
        assert finding.offset in copy
        batches = pa.Table.from_batches(file.iter_batches(batch_size=500, engine=engine))
        assert batches.equals(TABLE)
        assert file.findings == [finding]


@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_a_long_text_in_few_bytes_of_a_copy_is_no_damage(tmp_path, compression):
    path, table = tmp_path / "long.parquet", pa.table({"text": ["a" * (17 << 20), "b", "c"]})
    pq.write_table(table, path, compression=compression, use_dictionary=False, write_statistics=False)
    parquetext.encode(path, {"text": "plain"}, codec="zstd")
    with parquetext.open(path) as file:
        assert file.read(engine="parquetext").equals(table)
        assert file.findings == []
    if compression == "none":
        with parquetext.open(path) as file:
            assert pa.Table.from_batches(file.iter_batches(engine="parquetext")).equals(table)
            assert file.findings == []


def test_the_chunk_is_read_if_a_copy_next_to_long_texts_is_damaged(tmp_path):
    path = tmp_path / "long.parquet"
    table = pa.table({"key": range(3), "text": ["a" * (17 << 20), "b", "c"]})
    pq.write_table(table, path, compression="zstd", use_dictionary=False)
    parquetext.encode(path, {"key": "pfor"})
    data = bytearray(path.read_bytes())
    copy, _ = places(path)["key", 0]
    data[copy[-1]] ^= 1
    path.write_bytes(data)
    table_read, findings, _ = read(path, use_threads=False)
    assert table_read.equals(table)
    assert [finding.kind for finding in findings] == ["copy-damaged"]


def test_every_flip_in_a_copy_is_found(tmp_path):
    path, rows = tmp_path / "x.parquet", TABLE.slice(0, 300).select(["price", "key", "list"])
    pq.write_table(rows, path)
    parquetext.encode(path, {name: ENCODINGS[name] for name in rows.column_names})
    for (name, _), (copy, _) in places(path).items():
        for at in range(copy.start, copy.stop, 7):
            flipped(path, at, at % 8)
            table, findings, _ = read(path)
            assert table.equals(rows)
            assert [finding.kind for finding in findings] == ["copy-damaged"], (name, at)
            flipped(path, at, at % 8)


def test_no_flipped_bit_in_a_reference_to_a_copy_gives_another_value(tmp_path):
    path, rows = tmp_path / "x.parquet", TABLE.slice(0, 300).select(["price"])
    pq.write_table(rows, path)
    parquetext.encode(path, {"price": "alp"})
    data = path.read_bytes()
    text = data.index(b"\x08\xff\xff\x01")
    for at in range(text, text + 130):
        flipped(path, at, at % 8)
        with suppress(ParquetextError, pa.ArrowException, OSError):  # the footer around it is damaged
            assert read(path)[0].equals(rows)
        flipped(path, at, at % 8)


def test_a_copy_of_a_chunk_that_another_program_has_moved_is_not_read(tmp_path):
    path = tmp_path / "x.parquet"
    rows = TABLE.select(["price"])
    pq.write_table(rows, path)
    parquetext.encode(path, {"price": "alp"})
    data = path.read_bytes()
    footer = footer_of(data)
    chunks = scan.scan(footer).column(0)
    begin, size = chunks.begins()[0], chunks.array("total_compressed_size")[0]
    moved = data[: -8 - len(footer)] + data[begin : begin + size]
    shift = len(data) - 8 - len(footer) - begin
    struct = thrift.read("FileMetaData", bytes(footer))
    metadata = struct["row_groups"][0]["columns"][0]["meta_data"]
    for name in ("data_page_offset", "dictionary_page_offset"):
        if name in metadata:
            metadata[name] += shift
    new = thrift.write("FileMetaData", struct)
    path.write_bytes(moved + new + len(new).to_bytes(4, "little") + b"PAR1")
    table, findings, _ = read(path)
    assert table.equals(rows)
    assert [finding.kind for finding in findings] == ["copy-outdated"]


@pytest.mark.parametrize("form", [None, "flat", "par3"])
def test_a_copy_that_reaches_into_the_footer_is_not_read(tmp_path, form):
    path = tmp_path / "x.parquet"
    rows = TABLE.select(["price"])
    pq.write_table(rows, path)
    parquetext.encode(path, {"price": "alp"})
    data = path.read_bytes()
    change_blocks(path, lambda copy: replace(copy, offset=len(data) - 8 - len(footer_of(data)) - copy.length + 1))
    if form is not None:
        parquetext.upgrade(path, form="flat", placement="in-struct")
    if form == "par3":
        parquetext.finalize(path, confirm=True)
    table, findings, _ = read(path)
    assert table.equals(rows)
    [finding] = findings
    assert finding.kind == "copy-damaged" and "in front of a footer at" in finding.message


def test_a_copy_in_an_encoding_that_is_not_known_is_only_a_note(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    rows = TABLE.select(["url"])
    pq.write_table(rows, path)
    parquetext.encode(path, {"url": "fsst"})
    monkeypatch.delitem(registry._known, next(one.id for one in registry.registered() if one.name == "FSST"))
    table, findings, _ = read(path)
    assert table.equals(rows)
    assert [(finding.kind, finding.is_note) for finding in findings] == [("copy-unknown", True)]


def test_a_flat_footer_lists_the_chunks_with_copies(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE, path, row_group_size=2500)
    parquetext.encode(path, {"price": "alp", "url": "fsst"})
    parquetext.upgrade(path, form="flat")
    with parquetext.open(path) as file:
        assert file.form == "flat" and wire.UUID_COPY_TABLE not in file.extensions
    assert {key[0] for key in places(path)} == {"price", "url"}
    assert parquetext.upgrade(path, form="flat").outcome == "unchanged"
    parquetext.strip(path)
    assert pq.read_table(path).equals(TABLE)
