"""Sidecars of generated tables contain the values of the footers; both implementations write the same bytes."""

from __future__ import annotations

import io
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st
from support.memory_files import Memory
from support.samples import examples
from support.twins import both

from parquetext import kernels
from parquetext.sidecar.building import sidecar_bytes

VALUES = {
    pa.int8(): st.integers(-128, 127),
    pa.uint32(): st.integers(0, (1 << 32) - 1),
    pa.int64(): st.integers(-9, 9),
    pa.float64(): st.floats(),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(max_size=12),
    pa.binary(): st.binary(max_size=12),
    pa.binary(16): st.binary(min_size=16, max_size=16),
    pa.decimal128(20, 2): st.integers(-999, 999).map(Decimal),
    pa.list_(pa.float64()): st.lists(st.floats(), max_size=2),
    pa.timestamp("us"): st.integers(0, 99),
    pa.date32(): st.integers(0, 99),
}


@st.composite
def files(draw) -> bytes:
    rows = draw(st.integers(0, 12))
    types = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=4))
    columns = [pa.array(draw(st.lists(st.none() | VALUES[kind], min_size=rows, max_size=rows)), kind) for kind in types]
    table = pa.table({f"c{number}": column for number, column in enumerate(columns)})
    file = io.BytesIO()
    filtered = [n for n, kind in enumerate(types) if kind in (pa.string(), pa.int64()) and draw(st.booleans())]
    blooms = {f"c{n}": True for n in filtered}
    pq.write_table(
        table,
        file,
        row_group_size=draw(st.integers(1, 8)),
        write_statistics=draw(st.booleans()),
        bloom_filter_options=blooms or None,
        compression=draw(st.sampled_from(["none", "snappy"])),
    )
    return file.getvalue()


def made(kernel: str, data: bytes) -> bytes:
    before = kernels.implementation()
    kernels.use(kernel)
    try:
        return sidecar_bytes(Memory(data))[0]
    finally:
        kernels.use(before)


@given(files())
@settings(max_examples=examples(60), deadline=None)
def test_both_implementations_build_equal_sidecars_with_the_values_of_the_footer(data):
    native, pure = both("sidecar")
    written = made("native", data)
    assert written == made("pure", data)
    metadata = pq.read_metadata(io.BytesIO(data))
    for kernel in (native, pure):
        reader = kernel.Reader(written)
        assert reader.column_count == metadata.num_columns
        assert list(reader.row_counts) == [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)]
        for leaf in range(metadata.num_columns):
            chunks = reader.chunks(leaf)
            nulls, starts = chunks.array("null_count"), chunks.array("byte_range_start")
            for number in range(metadata.num_row_groups):
                chunk = metadata.row_group(number).column(leaf)
                assert starts[number] == (chunk.dictionary_page_offset or chunk.data_page_offset)
                if chunk.statistics is not None and chunk.statistics.has_null_count:
                    assert nulls[number] == chunk.statistics.null_count
