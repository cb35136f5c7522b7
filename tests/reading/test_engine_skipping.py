"""Pages that no wanted row can be in are neither read nor decoded: by tables, datasets and batches alike."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.counted import Counted

import parquetext
from parquetext import thrift
from parquetext.arrow.datasets import fragments
from parquetext.errors import Malformed

ROWS, GROUP_ROWS, PAGE_ROWS = 8000, 4000, 50
BEGIN, END = 5000, 5020
WANTED = [("key", ">=", BEGIN), ("key", "<", END)]


def table_of(rows: int) -> pa.Table:
    return pa.table(
        {
            "key": pa.array(range(rows), pa.int64()),
            "text": [None if row % 7 == 0 else f"{row:060d}" for row in range(rows)],
            "list": [[row] * (row % 4) for row in range(rows)],
        }
    )


TABLE = table_of(ROWS)


def write(path: Path, **options) -> Path:
    pages = {"data_page_size": 1, "write_batch_size": PAGE_ROWS, "row_group_size": GROUP_ROWS}
    pq.write_table(TABLE, path, use_dictionary=False, compression="none", write_page_index=True, **pages, **options)
    return path


def damage(path: Path, kept: range) -> int:
    """Overwrite every page, its header too, that holds none of the kept rows; how many these are."""
    data, damaged = bytearray(path.read_bytes()), 0
    footer = thrift.read("FileMetaData", bytes(data[-8 - int.from_bytes(data[-8:-4], "little") : -8]))
    for number, row_group in enumerate(footer["row_groups"]):
        for column in row_group["columns"]:
            begin = column["offset_index_offset"]
            index = thrift.read("OffsetIndex", bytes(data[begin : begin + column["offset_index_length"]]))
            pages = index["page_locations"]
            starts = [number * GROUP_ROWS + page["first_row_index"] for page in pages]
            for page, rows in zip(pages, pairwise([*starts, (number + 1) * GROUP_ROWS]), strict=True):
                if rows[1] <= kept.start or kept.stop <= rows[0]:
                    size = page["compressed_page_size"]
                    data[page["offset"] : page["offset"] + size] = b"\xff" * size
                    damaged += 1
    path.write_bytes(data)
    return damaged


@pytest.fixture
def opened(monkeypatch) -> list[Counted]:
    """The sources of the files that datasets open from now on."""
    sources, opens = [], fragments.open_file

    def opening(target):
        file = opens(target)
        file._source = Counted(file._source)
        sources.append(file._source)
        return file

    monkeypatch.setattr(fragments, "open_file", opening)
    return sources


READS = {
    "read_table": lambda path, names: parquetext.read_table(path, names, filters=WANTED, engine="parquetext"),
    "to_table": lambda path, names: parquetext.dataset(path, engine="parquetext").to_table(names, WANTED),
    "to_batches": lambda path, names: pa.Table.from_batches(
        list(parquetext.dataset(path, engine="parquetext").to_batches(names, WANTED))
    ),
}


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_filters_leave_pages_without_such_rows_undecoded(tmp_path, read, version):
    path = write(tmp_path / "x.parquet", data_page_version=version)
    assert damage(path, range(BEGIN, BEGIN + PAGE_ROWS)) > 300
    for names in (None, ["text"], ["list", "key"]):
        found = read(path, names)
        expected = TABLE.slice(BEGIN, END - BEGIN)
        assert found.equals(expected if names is None else expected.select(names))
    with pytest.raises(Malformed):
        parquetext.read_table(path, engine="parquetext")


@pytest.mark.parametrize("read", [READS["to_table"], READS["to_batches"]], ids=["to_table", "to_batches"])
def test_datasets_read_few_bytes_for_few_rows(tmp_path, opened, read):
    path = write(tmp_path / "x.parquet")
    assert read(path, None).num_rows == END - BEGIN
    assert 0 < sum(source.bytes for source in opened) < path.stat().st_size / 10


def test_datasets_open_no_pages_of_files_that_have_no_such_rows(tmp_path, opened):
    for number in range(3):
        write(tmp_path / f"{number}.parquet")
    lacking = parquetext.dataset(tmp_path, engine="parquetext", sidecar=False)
    assert lacking.to_table(filter=[("key", ">", ROWS)]).num_rows == 0
    with parquetext.open(tmp_path / "0.parquet") as file:
        pages_end = max(file.pages("list.list.element")["offset"].to_pylist())
    assert all(offset > pages_end for source in opened for offset, _ in source.ranges)


def test_batches_read_only_the_requested_chunks(tmp_path):
    path = write(tmp_path / "x.parquet")
    chunk = pq.read_metadata(path).row_group(1).column(0)
    with parquetext.open(path) as file:
        source = file._source = Counted(file._source)
        batches = list(file.iter_batches(["key"], [1], engine="parquetext", batch_size=1000))
    assert pa.Table.from_batches(batches)["key"].to_pylist() == list(range(GROUP_ROWS, ROWS))
    begin, end = chunk.data_page_offset, chunk.data_page_offset + chunk.total_compressed_size
    overrun = 100  # an old writer's last page may run over its chunk by so much
    assert source.ranges and all(begin <= at and at + size <= end + overrun for at, size in source.ranges)


def test_a_batch_decodes_no_page_after_its_rows(tmp_path):
    path = write(tmp_path / "x.parquet")
    damage(path, range(400))
    with parquetext.open(path) as file:
        batches = file.iter_batches(engine="parquetext", batch_size=100)
        for begin in range(0, 400, 100):
            assert pa.Table.from_batches([next(batches)]).equals(TABLE.slice(begin, 100))
        with pytest.raises(Malformed):
            list(batches)


MANY = 20_000


@pytest.fixture(scope="module")
def tiny_pages(tmp_path_factory) -> Path:
    """A page for each row."""
    path = tmp_path_factory.mktemp("tiny") / "tiny.parquet"
    pages = {"write_page_index": True, "data_page_size": 1, "write_batch_size": 1}
    pq.write_table(table_of(MANY), path, use_dictionary=False, compression="none", **pages)
    return path


def test_tables_of_tiny_pages_have_every_row(tiny_pages):
    table = pq.read_table(io.BytesIO(tiny_pages.read_bytes()))
    assert parquetext.read_table(tiny_pages, engine="parquetext").equals(table)
    for filters in ([("key", "=", 12_345)], [("key", "<", 3)], [("key", ">", MANY - 3)]):
        found = parquetext.read_table(tiny_pages, filters=filters, engine="parquetext")
        assert found.equals(pq.read_table(tiny_pages, filters=filters))


def test_batches_of_tiny_pages_have_every_row(tiny_pages):
    with parquetext.open(tiny_pages) as file:
        batches = list(file.iter_batches(engine="parquetext", batch_size=777))
    assert pa.Table.from_batches(batches).equals(table_of(MANY))


def test_tiny_pages_are_skipped_one_by_one(tiny_pages):
    with parquetext.open(tiny_pages) as file:
        pages = file.pages("key")
    assert pages.num_rows == MANY
    assert pages["first_row"].to_pylist() == list(range(MANY))
    assert set(pages["num_values"].to_pylist()) == {1}


def test_layout_of_tiny_pages_has_every_byte_once(tiny_pages):
    layout = parquetext.layout(tiny_pages)
    assert not layout.findings
    assert layout.chunks["pages"][0].as_py() == MANY
    begins, lengths = (layout.parts[name].to_pylist() for name in ("offset", "length"))
    ends = [begin + length for begin, length in zip(begins, lengths, strict=True)]
    assert begins == [0, *ends[:-1]]
    assert ends[-1] == tiny_pages.stat().st_size
