"""parquet-java reads a row group of a slice in the split that contains its midpoint, so it is within its chunks."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import flat_footers as thrift
from support.flat_payloads import Memory
from support.flat_readers import open_payload, write
from support.footers import footer_of
from support.samples import examples, some
from support.twins import both

from parquetext import edits, kernels
from parquetext.sidecar.slices import note_of
from parquetext.thrift import values

ROWS, ROW_GROUPS = 3000, 3
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "price": [row % 997 / 100 for row in range(ROWS)],
        "name": [f"name {row % 50}" for row in range(ROWS)],
        "values": [[row, -row][: row % 3] for row in range(ROWS)],
        "blob": [(f"{row * 7919 % ROWS}" * 9).encode() for row in range(ROWS)],
    }
)
LEAVES = range(TABLE.num_columns)
ENCODINGS = {"id": "pfor", "price": "alp", "name": "fsst", "values": "delta_binary_packed", "blob": "fsst"}
SUBSETS = [leaves for count in LEAVES for leaves in itertools.combinations(LEAVES, count + 1)]


@pytest.fixture(scope="module", params=ENCODINGS)
def footer(request, tmp_path_factory) -> bytes:
    """Return the footer of a file in which one column has a copy, so that its chunks follow the others."""
    path = tmp_path_factory.mktemp("encoded") / "x.parquet"
    pq.write_table(TABLE, path, row_group_size=ROWS // ROW_GROUPS, compression="zstd")
    edits.encode(path, {request.param: ENCODINGS[request.param]})
    return footer_of(path.read_bytes())


def by_scan(footer: bytes, scan):
    return lambda leaves: kernels.slice.slice_footer(scan, leaves, range(scan.row_group_count))


def by_flat(footer: bytes, scan):
    reader = open_payload(write(footer))
    return lambda leaves: reader.slice(leaves, range(scan.row_group_count))


def by_index(footer: bytes, scan):
    payload = bytes(kernels.index.write(scan))
    reader = kernels.index.Reader(Memory(footer + payload), 0, len(footer), len(payload), b"")
    return lambda leaves: reader.slice(leaves, range(scan.row_group_count))


def by_sidecar(footer: bytes, scan):
    writer = kernels.sidecar.Writer(kernels.sidecar.describe(scan, lambda *_: -1))
    writer.add_scan(scan)
    slices = kernels.sidecar.Slices(kernels.sidecar.Reader(writer.finish(4000, len(footer))), note_of(scan))
    schema = kernels.scan.scan(slices.schema)
    return lambda leaves: slices.slice(schema, leaves, range(scan.row_group_count))


def java_begin(metadata: dict) -> int:
    """`getOffset` of parquet-java's ParquetMetadataConverter."""
    begin = metadata["data_page_offset"]
    return min(begin, metadata.get("dictionary_page_offset", begin))


def places_of(row_group: dict) -> tuple[list[int], list[int]]:
    """Return the begins and ends of the chunks."""
    chunks = [chunk["meta_data"] for chunk in row_group["columns"]]
    begins = list(map(java_begin, chunks))
    return begins, [begin + chunk["total_compressed_size"] for begin, chunk in zip(begins, chunks, strict=True)]


def midpoints(row_group: dict) -> list[int]:
    """By the first chunk, and by file_offset, as parquet-java 1.12.0 has it."""
    begins = [places_of(row_group)[0][0], row_group.get("file_offset")]
    return [begin + row_group["total_compressed_size"] // 2 for begin in begins if begin is not None]


def row_groups_of(slice: bytes) -> list[dict]:
    return values.read("FileMetaData", slice)["row_groups"]


@pytest.mark.parametrize("slicer", [by_scan, by_flat, by_index, by_sidecar])
def test_midpoints_are_within_the_row_groups_chunks(implementation, footer, slicer):
    slice_of = slicer(footer, kernels.scan.scan(footer))
    whole = [(min(begins), max(ends)) for begins, ends in map(places_of, row_groups_of(footer))]
    for leaves in some(SUBSETS, 3 if implementation == "pure" else 1):
        found = []
        for (first, behind), row_group in zip(whole, row_groups_of(slice_of(leaves)), strict=True):
            begins, ends = places_of(row_group)
            middle, *by_file_offset = midpoints(row_group)
            assert min(begins) <= middle < max(ends), leaves
            assert all(first <= other < behind for other in by_file_offset), leaves
            found.append((middle, *by_file_offset))
        assert all(list(column) == sorted(set(column)) for column in zip(*found, strict=True))


def test_sizes_are_sums_if_the_first_chunk_is_first_in_the_file(implementation, footer):
    scan = kernels.scan.scan(footer)
    for row_group in row_groups_of(by_scan(footer, scan)(LEAVES)):
        sizes = [chunk["meta_data"]["total_compressed_size"] for chunk in row_group["columns"]]
        assert row_group["total_compressed_size"] == sum(sizes)


def footer_with(row_groups) -> bytes:
    """A footer of row groups of (file_offset, [(data page, dictionary page, size)])."""
    count = len(row_groups[0][1])
    elements = [thrift.element(b"schema", children=count)]
    elements += [thrift.element(b"c%d" % leaf, type=2, repetition=0) for leaf in range(count)]

    def chunk(leaf: int, data: int, dictionary: int | None, size: int) -> bytes:
        fields = {"data_page": data, "dictionary_page": dictionary, "compressed": size}
        return thrift.chunk(thrift.metadata(2, [b"c%d" % leaf], **fields))

    groups = [
        thrift.row_group([chunk(leaf, *fields) for leaf, fields in enumerate(chunks)], file_offset=offset)
        for offset, chunks in row_groups
    ]
    return thrift.footer(elements, groups)


@pytest.mark.parametrize(
    ("file_offset", "chunks", "size", "begin"),
    [
        (4, [(4, None, 10), (14, None, 90)], 100, 4),
        (4, [(94, None, 10), (4, None, 90)], 10, 4),
        (4, [(96, 94, 10), (4, None, 90)], 10, 4),
        (4, [(54, 0, 10), (4, None, 90)], 100, 4),
        (94, [(4, None, 90), (94, None, 10)], 100, 4),
        (None, [(94, None, 10), (4, None, 90)], 10, None),
        (-1, [(94, None, 10), (4, None, 90)], 10, None),
        (4, [(104, None, 0), (4, None, 100)], 0, 4),
        (4, [(94, None, -5), (4, None, 90)], 0, 4),
        (4, [(2**63 - 5, None, 2**62), (4, None, 2**63 - 1)], 2**62, 4),
        (2**63 - 1, [(4, None, 10), (14, None, 90)], 100, 4),
        (-(2**63), [(-(2**63), None, 10), (14, None, 90)], 100, -(2**63)),
    ],
)
def test_the_first_chunks_size_is_used_if_the_sum_exceeds_the_chunks(implementation, file_offset, chunks, size, begin):
    [row_group] = row_groups_of(by_scan(b"", kernels.scan.scan(footer_with([(file_offset, chunks)])))(range(2)))
    assert (row_group["total_compressed_size"], row_group.get("file_offset")) == (size, begin)


INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 100)
CHUNKS = st.tuples(INTEGERS, st.none() | INTEGERS, INTEGERS)


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.none() | INTEGERS, st.tuples(CHUNKS, CHUNKS)), min_size=1, max_size=3))
def test_both_compute_equal_midpoints_for_overlaps_and_overflows(row_groups):
    footer = footer_with(row_groups)
    slices = [
        bytes(slicer.slice_footer(scanner.scan(footer), [0, 1], range(len(row_groups))))
        for slicer, scanner in zip(both("slice"), both("scan"), strict=True)
    ]
    assert slices[0] == slices[1]
