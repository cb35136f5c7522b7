"""Walking the pages of column chunks."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from parquetext.checks.pages import DATA_PAGE, DICTIONARY_PAGE, chunk_range, walk_pages
from parquetext.errors import Malformed


class Bytes:
    """A source over bytes."""

    def __init__(self, data: bytes):
        self.data, self.size = data, len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


@pytest.fixture
def file() -> bytes:
    sink = io.BytesIO()
    table = pa.table({"n": pa.array(range(5000), pa.int64()), "t": [f"v{n % 9}" for n in range(5000)]})
    pq.write_table(table, sink, write_page_checksum=True, data_page_size=2048, compression="none", use_dictionary=["t"])
    return sink.getvalue()


def chunk(data: bytes, leaf: int):
    column = pq.read_metadata(io.BytesIO(data)).row_group(0).column(leaf)
    return chunk_range(
        column.data_page_offset, column.dictionary_page_offset or -1, column.total_compressed_size
    ), column


def test_the_pages_tile_their_chunk_and_hold_its_values(implementation, file):
    for leaf in (0, 1):
        (start, end), column = chunk(file, leaf)
        pages = list(walk_pages(Bytes(file), start, end))
        assert [page.offset for page in pages] == [start, *(page.end for page in pages[:-1])]
        assert pages[-1].end == end
        assert sum(page.num_values for page in pages if page.type == DATA_PAGE) == column.num_values
        assert [page.type for page in pages].count(DICTIONARY_PAGE) == leaf
        assert all(page.crc is not None for page in pages)


def test_a_page_that_runs_over_its_chunk_is_an_error_with_its_place(implementation, file):
    (start, end), _ = chunk(file, 0)
    with pytest.raises(Malformed) as caught:
        list(walk_pages(Bytes(file), start, end - 1))
    assert start <= caught.value.offset < end
    assert caught.value.expected == end - 1
    assert caught.value.found == end


def test_a_header_longer_than_the_first_read_is_parsed(implementation):
    sink = io.BytesIO()
    long = pa.table({"t": ["x" * 30_000, "y" * 30_000]})
    pq.write_table(
        long, sink, use_dictionary=False, compression="none", data_page_version="1.0", column_encoding={"t": "PLAIN"}
    )
    data = sink.getvalue()
    (start, end), _ = chunk(data, 0)
    assert [page.type for page in walk_pages(Bytes(data), start, end)] == [DATA_PAGE]


@pytest.mark.parametrize(
    ("data", "dictionary", "expected"),
    [
        (100, -1, (100, 150)),
        (100, 40, (40, 90)),
        (0, 40, (40, 90)),
        (100, 0, (100, 150)),
        (100, 200, (100, 150)),
    ],
)
def test_a_chunk_begins_at_its_dictionary_only_where_that_is_a_place_in_front(data, dictionary, expected):
    assert chunk_range(data, dictionary, 50) == expected
