"""The begin of a column chunk, on both implementations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.twins import both

from parquetext import kernels
from parquetext.thrift import write

MOST, LEAST = 2**63 - 1, -(2**63)


def footer_of(row_groups: list[list[tuple[int, int | None]]]) -> bytes:
    """Row groups of chunks, each with the offsets of its data and dictionary pages."""
    leaves = len(row_groups[0]) if row_groups else 2
    schema = [{"name": "schema", "num_children": leaves}, *({"name": f"c{i}", "type": 1} for i in range(leaves))]
    groups = [{"num_rows": 1, "columns": [chunk(*offsets) for offsets in row_group]} for row_group in row_groups]
    return write("FileMetaData", {"schema": schema, "num_rows": len(groups), "row_groups": groups})


def chunk(data_page: int, dictionary_page: int | None) -> dict:
    dictionary = {} if dictionary_page is None else {"dictionary_page_offset": dictionary_page}
    return {"meta_data": {"codec": 0, "data_page_offset": data_page} | dictionary}


@pytest.mark.parametrize(
    ("data_page", "dictionary_page", "begin"),
    [
        pytest.param(100, 40, 40, id="a dictionary in front of the data"),
        pytest.param(100, 4, 4, id="a dictionary directly after the magic"),
        pytest.param(100, -1, 100, id="no dictionary"),
        pytest.param(100, 0, 100, id="0 means no dictionary"),
        pytest.param(100, 3, 100, id="a dictionary within the magic"),
        pytest.param(100, 100, 100, id="a dictionary at the offset of the data"),
        pytest.param(100, 200, 100, id="a dictionary after the data"),
        pytest.param(0, 40, 40, id="no data pages but a dictionary"),
        pytest.param(-1, 40, 40, id="no offset of data pages"),
        pytest.param(LEAST, 40, 40, id="a negative offset of data pages"),
        pytest.param(0, -1, 0, id="a chunk of no bytes"),
        pytest.param(0, 3, 0, id="neither is a place"),
        pytest.param(-1, -1, -1, id="neither is there"),
        pytest.param(LEAST, LEAST, LEAST, id="both negative"),
        pytest.param(MOST, MOST - 1, MOST - 1, id="both at the end of the numbers"),
        pytest.param(MOST, MOST, MOST, id="both the largest number"),
        pytest.param(4, MOST, 4, id="the largest number as a dictionary"),
        pytest.param(0, MOST, MOST, id="the largest number as the only place"),
        pytest.param(MOST, LEAST, MOST, id="the largest number and a negative dictionary"),
    ],
)
def test_a_chunk_begins_at_its_dictionary_only_if_it_precedes_the_data(
    implementation, data_page, dictionary_page, begin
):
    assert kernels.chunks.begin(data_page, dictionary_page) == begin


@pytest.mark.parametrize("pages", [(MOST + 1, 4), (4, MOST + 1), (LEAST - 1, 4), (4, LEAST - 1)])
def test_an_offset_beyond_64_bits_is_refused(implementation, pages):
    with pytest.raises(OverflowError):
        kernels.chunks.begin(*pages)


@pytest.mark.parametrize("count", [1, 40, 500])
def test_begins_of_a_columns_chunks_are_returned_together(implementation, count):
    pages = [(100 * i, 100 * i - 60 if i % 3 else None) for i in range(count)]
    scan = kernels.scan.scan(footer_of([[pair, (7, None)] for pair in pages]))
    begins = scan.column(0).begins()
    assert (begins.format, begins.readonly) == ("q", True)
    assert list(begins) == [kernels.chunks.begin(data, dictionary or -1) for data, dictionary in pages]
    assert list(scan.column(1).begins()) == [7] * count


def test_begins_of_a_files_chunks_are_returned_together(implementation):
    scan = kernels.scan.scan(footer_of([[(100, 40), (0, 200)], [(300, None), (0, None)], [(-5, 3), (MOST, 4)]]))
    assert scan.chunk_begins().tolist() == [40, 200, 300, 0, -5, 4]
    assert scan.chunk_begins().format == "q"


def test_a_file_without_row_groups_has_no_begins(implementation):
    scan = kernels.scan.scan(footer_of([]))
    assert scan.chunk_begins().tolist() == scan.column(0).begins().tolist() == []


def test_a_sidecar_uses_questdbs_rule(implementation):
    footer = footer_of([[(100, 200)], [(100, 3)], [(100, None)], [(0, 40)], [(100, -9)]])
    scan = kernels.scan.scan(footer)
    writer = kernels.sidecar.Writer(kernels.sidecar.describe(scan, lambda *_: -1))
    writer.add_scan(scan)
    begins = kernels.sidecar.Reader(writer.finish(4000, len(footer))).chunks(0).array("byte_range_start")
    assert list(begins) == [200, 3, 100, 40, 0]
    assert list(scan.chunk_begins()) == [100, 100, 100, 40, 100]


OFFSETS = st.one_of(st.integers(-1, 8), st.integers(LEAST, MOST), st.sampled_from([LEAST, MOST, MOST - 1]))


@given(OFFSETS, OFFSETS)
def test_both_implementations_agree_on_any_two_offsets(data_page, dictionary_page):
    native, pure = both("chunks")
    assert native.begin(data_page, dictionary_page) == pure.begin(data_page, dictionary_page)
