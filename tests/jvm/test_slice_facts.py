"""A slice contains the chunk metadata of the file's footer, bounds and page encodings included."""

from __future__ import annotations

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.java_slices import Request

from parquetext import edits, kernels, wire

COLUMNS = {
    "numbers": pa.array([5, None, -7, 5], pa.int32()),
    "longs": pa.array([1 << 40, -1, None, 3]),
    "floats": pa.array([1.5, float("nan"), None, -2.0]),
    "truths": [True, None, False, True],
    "short": ["a", "", None, "zebra"],
    "long": ["x" * 300, "ä" * 40, None, "b"],
    "fixed": pa.array([b"0123", b"abcd", None, b"\xff\xff\xff\xff"], pa.binary(4)),
    "nulls": pa.array([None] * 4, pa.int64()),
    "decimals": pa.array([None, 1, 2, -3], pa.decimal128(25, 2)),
    "lists": [[1], None, [], [2, None]],
    "structs": [{"s": "t", "n": 1}, None, {"s": None, "n": 2}, {"s": "u", "n": None}],
}
FACTS = (
    *("num_values", "null_count", "distinct_count", "data_page_offset", "dictionary_page_offset", "encodings"),
    *("total_compressed_size", "total_uncompressed_size", "codec", "type", "index_page_offset"),
    *("offset_index_offset", "offset_index_length", "column_index_offset", "column_index_length"),
)
SAID = wire.PRESENT_STATISTICS | wire.PRESENT_FULLY_DICTIONARY_ENCODED | wire.PRESENT_METADATA | wire.PRESENT_CODEC
MIN, MAX = wire.PRESENT_MIN_VALUE, wire.PRESENT_MAX_VALUE


def counts_of(scan, leaf: int) -> dict:
    chunks = scan.column(leaf)
    fields = {name: list(chunks.array(name)) for name in FACTS}
    fields["bounds"] = [chunks.bound_values(bit) for bit in (MIN, MAX)]
    fields["said"] = [present & SAID for present in chunks.array("present")]
    return fields


@pytest.mark.parametrize("options", [{}, {"use_dictionary": False, "write_page_index": True, "compression": "zstd"}])
@pytest.mark.parametrize("form", ["flat", "index", "packed"])
def test_chunks_of_a_slice_are_those_of_the_file(ask, form, options, tmp_path):
    path = tmp_path / "plain"
    pq.write_table(pa.table(COLUMNS), path, row_group_size=3, **options)
    data = path.read_bytes()
    shutil.copyfile(path, tmp_path / form)
    edits.upgrade(tmp_path / form, form=form)
    (answer,) = ask([Request(tmp_path / form, [name.encode() for name in COLUMNS], "slice")])
    whole = kernels.scan.scan(data[-8 - int.from_bytes(data[-8:-4], "little") : -8])
    sliced = kernels.scan.scan(answer.footer)
    assert sliced.leaf_count == whole.leaf_count == len(COLUMNS) + 1
    for leaf in range(whole.leaf_count):
        assert counts_of(sliced, leaf) == counts_of(whole, leaf), leaf
