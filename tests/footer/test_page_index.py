"""Page indexes: positions and bounds of pages, any order of fields, and refused indexes."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import thrift
from parquetext.errors import Malformed
from parquetext.footer.page_index import COLUMN_INDEX, counts_of, parse_bounds, read_index, read_places

ROWS = 500


class Bytes:
    """A source of one index in a file of a million bytes."""

    size = 1_000_000

    def __init__(self, data: bytes):
        self._data = data

    def read(self, offset: int, length: int) -> bytes:
        assert (offset, length) == (4, len(self._data))
        return self._data


class Chunks:
    """One chunk's places of its index, and of its pages."""

    def __init__(self, length: int, end: int):
        self._length, self._end = length, end

    def begins(self) -> list[int]:
        return [4]

    def array(self, name: str) -> list[int]:
        return [{"offset": 4, "length": self._length, "size": self._end - 4}.get(name.rpartition("_")[2], 0)]


def places_of(index: dict, end: int | None = None):
    """Read an index. If no end is given, the chunk ends with its last page."""
    data = thrift.write("OffsetIndex", index)
    last = (index["page_locations"] or [{"offset": 4}])[-1]
    end = last["offset"] + last.get("compressed_page_size", 0) if end is None else end
    return read_places(Bytes(data), Chunks(len(data), end), 0, ROWS)


def locations(*pages: tuple[int, int, int]) -> dict:
    names = "offset", "compressed_page_size", "first_row_index"
    return {"page_locations": [dict(zip(names, page, strict=True)) for page in pages]}


def test_pages_of_a_real_file_are_at_the_indexed_positions(tmp_path, implementation):
    path = tmp_path / "x.parquet"
    options = {"write_page_index": True, "data_page_size": 400, "write_batch_size": 50, "use_dictionary": False}
    pq.write_table(pa.table({"x": pa.array(range(ROWS), pa.int64())}), path, compression="none", **options)
    with parquetext.open(path) as file:
        column, source = file.column("x"), file._source
        chunks = column.chunks
        positions = read_places(source, chunks, 0, ROWS)
        index = read_index(source, chunks, 0, COLUMN_INDEX)
        bounds = parse_bounds(index, column.node, counts_of(chunks, 0, positions.row_counts))
    assert positions.first_rows == list(range(0, ROWS, 50)) and set(positions.row_counts) == {50}
    assert positions.offsets[1] - positions.offsets[0] == positions.sizes[0]
    assert [int.from_bytes(value, "little") for value in bounds.max] == list(range(49, ROWS, 50))
    assert bounds.null_counts == [0] * 10


def test_fields_are_read_in_any_order(implementation):
    index = locations((100, 50, 0), (150, 60, 200))
    mixed = {"page_locations": [dict(reversed(page.items())) for page in index["page_locations"]]}
    assert places_of(index) == places_of(mixed)
    assert places_of(index).row_counts == [200, 300]


@pytest.mark.parametrize(
    "index",
    [
        locations(),
        locations((100, 50, 1)),
        locations((100, 50, 0), (150, 50, 0)),
        locations((100, 50, 0), (150, 50, ROWS)),
        locations((999_900, 90, 0), (999_990, 50, 10)),
        locations((100, 0, 0)),
        locations((0, 50, 0)),
        locations((100, 50, 0), (160, 50, 10)),
        locations((150, 50, 0), (100, 50, 10)),
        {"page_locations": [{"offset": 100, "first_row_index": 0}]},
    ],
    ids=[
        "none",
        "first row",
        "same row",
        "beyond the rows",
        "beyond the file",
        "empty",
        "magic",
        "gap",
        "descending",
        "no size",
    ],
)
def test_pages_that_cannot_be_are_malformed(index):
    with pytest.raises(Malformed, match=r"a list of pages whose page|a chunk beyond the file"):
        places_of(index)


def test_an_index_that_ends_before_its_chunk_is_malformed():
    with pytest.raises(Malformed, match=r"a list of pages whose page|a chunk beyond the file"):
        places_of(locations((100, 50, 0)), end=160)
