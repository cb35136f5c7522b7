"""The note for slices, on both implementations: the recorded chunks, and chunks that cannot be read from it."""

from __future__ import annotations

import io
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import ParquetextError
from parquetext.sidecar.slices import note_of
from parquetext.thrift import values

FIXED = 24
NAMES = (
    "num_values",
    "total_uncompressed_size",
    "total_compressed_size",
    "data_page_offset",
    "dictionary_page_offset",
    "null_count",
    "type",
    "codec",
    "encodings",
)


@pytest.fixture(scope="module")
def footer() -> bytes:
    rows = range(60)
    table = pa.table(
        {
            "a": pa.array(rows, pa.int64()),
            "b": [{"c": str(n), "d": [n]} for n in rows],
            "e": pa.array([n / 3 for n in rows], pa.float32()),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=20)
    data = sink.getvalue()
    return data[-8 - struct.unpack("<I", data[-8:-4])[0] : -8]


@pytest.fixture(scope="module")
def note(footer) -> bytes:
    return note_of(kernels.scan.scan(footer))


def opened(kernel, scanner, footer: bytes):
    """A reader of a sidecar of that footer, and the scan."""
    scan = scanner.scan(footer)
    writer = kernel.Writer(kernel.describe(scan, lambda *_: -1))
    writer.add_scan(scan)
    return kernel.Reader(writer.finish(4000, len(footer))), scan


def said(kernel, scanner, footer: bytes, note: bytes, leaves=(0, 2), row_groups=(2, 0)) -> list:
    """Return the note's values for every leaf, and a slice built from it."""
    reader, _ = opened(kernel, scanner, footer)
    slices = kernel.Slices(reader, note)
    schema = scanner.scan(slices.schema)
    names = ("present", *NAMES, "bloom_filter_offset")
    columns = [slices.column(schema, leaf) for leaf in range(schema.leaf_count)]
    fields = [
        [column.array(name).tolist() for name in names] + [column.bound_values(1), column.bound_values(2)]
        for column in columns
    ]
    return [slices.key_values, slices.key_value_count, fields, slices.slice(schema, leaves, row_groups)]


def test_chunks_are_those_of_the_footer(footer, note):
    kernel, scanner = both("sidecar")[0], both("scan")[0]
    reader, scan = opened(kernel, scanner, footer)
    slices = kernel.Slices(reader, note)
    schema = scanner.scan(slices.schema)
    assert schema.row_group_count == 0
    for leaf in range(scan.leaf_count):
        ours, theirs = slices.column(schema, leaf), scan.column(leaf)
        for name in NAMES:
            assert ours.array(name) == theirs.array(name), name
        assert ours.bound_values(1) == theirs.bound_values(1)
        assert ours.bound_values(2) == theirs.bound_values(2)


def test_both_give_the_same_result(footer, note):
    both_kernels = zip(both("sidecar"), both("scan"), strict=True)
    native, pure = (outcome(said, *pair, footer, note) for pair in both_kernels)
    assert native == pure
    assert native[0] == "result"


def test_both_write_the_same(footer):
    native, pure = (
        kernel.runs(scanner.scan(footer)) for kernel, scanner in zip(both("sidecar"), both("scan"), strict=True)
    )
    assert native == pure


@settings(max_examples=examples(150), deadline=None)
@given(data=st.data())
def test_both_refuse_the_same_damage_and_nothing_else_happens(footer, note, data):
    broken = bytearray(note)
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.one_of(st.integers(0, FIXED + 20), st.integers(0, len(note) - 1)))
        broken[position] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(note)), st.integers(0, len(note))))
    both_kernels = zip(both("sidecar"), both("scan"), strict=True)
    native, pure = (outcome(said, *pair, footer, bytes(broken[:cut])) for pair in both_kernels)
    assert native == pure


@pytest.mark.parametrize("cut", [0, FIXED - 1, FIXED, FIXED + 8])
def test_a_note_that_ends_early_is_damaged(footer, note, cut):
    for kernel, scanner in zip(both("sidecar"), both("scan"), strict=True):
        with pytest.raises(ParquetextError) as caught:
            kernel.Slices(opened(kernel, scanner, footer)[0], note[:cut])
        assert caught.value.code == wire.PM_SLICES


def test_a_chunk_of_another_file_has_no_note(footer):
    fields = values.read("FileMetaData", footer)
    fields["row_groups"][0]["columns"][0]["file_path"] = "other.parquet"
    moved = values.write("FileMetaData", fields)
    assert [
        kernel.runs(scanner.scan(moved)) for kernel, scanner in zip(both("sidecar"), both("scan"), strict=True)
    ] == [None, None]
