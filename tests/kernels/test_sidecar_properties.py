"""Sidecars of any values: both implementations write the same bytes and read them equally, damaged or not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import sidecars
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels
from parquetext.errors import Damaged, Unsupported

U64 = st.integers(0, (1 << 64) - 1)
I64, I32 = (st.integers(-(1 << bits), (1 << bits) - 1) for bits in (63, 31))
COUNT = st.none() | U64
NAMES = st.text(max_size=6).map(str.encode)
STATISTICS = st.binary(max_size=20)


@st.composite
def tables(draw):
    """Columns, the writer's options, and row groups as (rows, facts of chunks)."""
    columns = draw(
        st.lists(
            st.tuples(NAMES, I32, I32, I32, I32, st.integers(0, 255), st.integers(0, 255), st.integers(0, 255)),
            max_size=4,
        )
    )
    count = len(columns)
    indexes = st.lists(st.integers(0, count - 1), max_size=3) if count else st.just([])
    options = {
        "designated_timestamp": draw(st.integers(-1, count - 1)),
        "sorting_columns": draw(indexes),
        "bloom_columns": draw(indexes),
        "external_blooms": draw(st.booleans()),
        "squash_tracker": draw(I64),
    }
    blooms = st.tuples(U64, U64) if options["external_blooms"] else st.binary(min_size=32, max_size=32)
    byte, yes = st.integers(0, 255), st.booleans()
    chunk = st.tuples(byte, byte, U64, U64, U64, COUNT, COUNT, STATISTICS, STATISTICS, yes, yes, st.none() | blooms)
    groups = draw(st.lists(st.tuples(U64, st.lists(chunk, min_size=count, max_size=count)), max_size=3))
    return columns, options, groups


@st.composite
def endings(draw):
    notes = st.lists(st.tuples(st.integers(0, (1 << 32) - 1), st.binary(max_size=9)), max_size=3)
    return (draw(U64), draw(st.integers(0, (1 << 32) - 1))), {
        "unused_bytes": draw(U64),
        "seq_txn": draw(I64),
        "scratchpad": draw(notes),
    }


def written(kernel, table, ending) -> bytes:
    columns, options, groups = table
    writer = kernel.Writer([kernel.Column(*column) for column in columns], **options)
    for rows, chunks in groups:
        writer.add(rows, [kernel.Chunk(*chunk) for chunk in chunks])
    return writer.finish(*ending[0], **ending[1])


@given(tables(), endings())
@settings(max_examples=examples(150), deadline=None)
def test_both_write_the_same_bytes_and_read_them_equally(table, ending):
    native, pure = both("sidecar")
    data = written(native, table, ending)
    assert data == written(pure, table, ending)
    assert sidecars.with_checksum(data) == data
    readings = [outcome(lambda kernel=kernel: sidecars.reading(kernel.Reader(data))) for kernel in (native, pure)]
    assert readings[0] == readings[1]


@given(tables(), endings())
@settings(max_examples=examples(60), deadline=None)
def test_written_sidecars_are_read(table, ending):
    columns, options, groups = table
    for kernel in both("sidecar"):
        reader = kernel.Reader(written(kernel, table, ending))
        assert [tuple(reader.column(index)) for index in range(reader.column_count)] == columns
        assert reader.sorting_columns == options["sorting_columns"]
        assert list(reader.bloom_columns) == sorted(set(options["bloom_columns"]))
        assert (reader.designated_timestamp, reader.squash_tracker) == (
            options["designated_timestamp"],
            options["squash_tracker"],
        )
        footer, (position, more) = reader.footer, ending
        assert (footer.parquet_footer_offset, footer.parquet_footer_length) == position
        assert (footer.unused_bytes, footer.seq_txn) == (more["unused_bytes"], more["seq_txn"])
        assert reader.scratchpad == dict(reversed(more["scratchpad"]))
        assert reader.row_group_count == len(groups)
        for column in range(len(columns)):
            numbers = ("num_values", "byte_range_start", "total_compressed_size", "null_count", "distinct_count")
            for at, name in enumerate(numbers, 2):
                fields = [chunks[column][at] for _, chunks in groups]
                known = [-1 if fact is None or fact >= 1 << 63 else fact for fact in fields]
                assert list(reader.chunks(column).array(name)) == known


@given(tables(), endings(), st.data())
@settings(max_examples=examples(300), deadline=None)
def test_both_read_damage_under_a_valid_checksum_equally(table, ending, data):
    native, pure = both("sidecar")
    sidecar = bytearray(written(native, table, ending))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(8, len(sidecar) - 1))
        sidecar[at] = data.draw(st.sampled_from([0, 1, 8, 127, 128, 255]) | st.integers(0, 255))
    cut = bytes(sidecar[: data.draw(st.just(len(sidecar)) | st.integers(0, len(sidecar)))])
    damaged = sidecars.with_checksum(cut)
    readings = [outcome(lambda kernel=kernel: sidecars.reading(kernel.Reader(damaged))) for kernel in (native, pure)]
    assert readings[0] == readings[1]


@given(tables(), endings(), endings(), st.data())
@settings(max_examples=examples(100), deadline=None)
def test_both_append_the_same_bytes(table, first, second, data):
    native, pure = both("sidecar")
    old = written(native, table, first)
    dead = data.draw(st.binary(max_size=20))
    at = data.draw(st.none() | st.integers(0, len(table[2])))
    chunks = table[2][0][1] if table[2] else [()] * len(table[0])
    tails = []
    for kernel in (native, pure):
        writer = kernel.Writer.on(kernel.Reader(old + dead, len(old)), len(old) + len(dead))
        writer.add(5, [kernel.Chunk(*chunk) for chunk in chunks], at)
        tails.append(writer.finish(*second[0], **second[1]))
    assert tails[0] == tails[1]
    whole = old + dead + tails[0]
    for kernel in (native, pure):
        reader = kernel.Reader(whole, len(whole))
        assert [footer.size for footer in reader.footers()] == [len(whole), len(old)]


@pytest.mark.parametrize("snapshots", [1, 2])
@pytest.mark.parametrize("options", [{}, {"bloom_columns": [], "squash_tracker": -1}])
def test_every_flipped_bit_is_found_or_does_no_harm(implementation, snapshots, options):
    kernel = kernels.sidecar
    data = sidecars.sidecar(kernel, **options)
    if snapshots == 2:
        data = sidecars.appended(kernel, data, kernel.Reader(data), 0, (9004, 600))
    said = sidecars.reading(kernel.Reader(data))
    flipped = bytearray(data)
    for bit in range(8 * len(data)):
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            reader = kernel.Reader(bytes(flipped))
        except (Damaged, Unsupported):
            pass
        else:
            assert sidecars.reading(reader) == said
        flipped[bit // 8] ^= 1 << bit % 8
