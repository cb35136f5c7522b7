"""The writer of the metadata sidecar: refused input, and equal bytes from both implementations."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import sidecars
from support.twins import both

from parquetext import kernels, wire
from parquetext.errors import ParquetextError


@pytest.fixture
def kernel(implementation):
    return kernels.sidecar


class TestWriter:
    def test_statistics_have_a_limit(self, kernel):
        for size in (65535, 65536):
            writer = kernel.Writer([kernel.Column(b"x", 0, 26, 0, 0, 6, 0, 0)])
            chunk = kernel.Chunk(min=bytes(size))
            if size == 65535:
                writer.add(1, [chunk])
                assert list(kernel.Reader(writer.finish(4, 10)).chunks(0).bounds()[2]) == [65535]
            else:
                with pytest.raises(ParquetextError, match="65536 bytes"):
                    writer.add(1, [chunk])

    @pytest.mark.parametrize(
        "options",
        [
            {"designated_timestamp": 3},
            {"designated_timestamp": -2},
            {"sorting_columns": [3]},
            {"bloom_columns": [3]},
        ],
    )
    def test_columns_that_do_not_exist_are_refused(self, kernel, options):
        with pytest.raises(ParquetextError, match="out of range"):
            kernel.Writer(sidecars.columns(kernel), **options)

    def test_one_chunk_for_each_column(self, kernel):
        with pytest.raises(ParquetextError, match="out of range"):
            kernel.Writer(sidecars.columns(kernel)).add(1, [])

    def test_a_row_group_that_is_not_there_cannot_be_replaced(self, kernel):
        with pytest.raises(ParquetextError, match="out of range"):
            kernel.Writer([]).add(1, [], 1)

    def test_row_groups_of_a_footer_take_the_places_that_they_are_given(self, kernel):
        sink = io.BytesIO()
        pq.write_table(pa.table({"a": range(9)}), sink, row_group_size=4)
        length = int.from_bytes(sink.getvalue()[-8:-4], "little")
        scan = kernels.scan.scan(sink.getvalue()[-8 - length : -8])
        writer = kernel.Writer([kernel.Column(b"a", -1, 6, 0, 0, 2, 0, 1)])
        for rows in (70, 80, 90):
            writer.add(rows, [kernel.Chunk()])
        writer.add_scan(scan, at=[1, 3, 0])
        reader = kernel.Reader(writer.finish(4, 10))
        assert list(reader.row_counts) == [1, 4, 90, 4]
        assert [low and low[0] for low in reader.chunks(0).bound_values(1)] == [8, 0, None, 4]
        for wrong in ([0, 1], [0, 1, 5], [0, 1, -1]):
            with pytest.raises(ParquetextError, match="out of range"):
                kernel.Writer([kernel.Column(b"a", -1, 6, 0, 0, 2, 0, 1)]).add_scan(scan, at=wrong)

    @pytest.mark.parametrize("filters", [False, True])
    def test_values_beyond_the_width_of_an_entry_are_refused(self, filters):
        """32 bits in units of 8. Of the compiled writer csrc/tests/test_sidecar.c shows it."""
        _, pure = both("sidecar")
        last = 0xFFFFFFFF << 3
        for start in range(last - 80, last + 16, 8):
            writer = pure.Writer([pure.Column(b"a", 0, 6, 0, 0, 2, 0, 0)], bloom_columns=[0] if filters else [])
            header = len(writer.finish(4, 10)) - 48
            writer = pure.Writer([pure.Column(b"a", 0, 6, 0, 0, 2, 0, 0)], bloom_columns=[0] if filters else [])
            writer.base = start - header - (-header & 7)
            reached = start + 72 if filters else start  # a filter follows the block
            if reached <= last:
                writer.add(1, [pure.Chunk(bloom=bytes(32))])
                continue
            with pytest.raises(ParquetextError) as caught:
                writer.add(1, [pure.Chunk(bloom=bytes(32))])
            assert (caught.value.code, caught.value.expected, caught.value.found) == (
                wire.PM_BLOCK_OFFSET,
                last,
                start if start > last else reached,
            )

    def test_a_writer_writes_once(self, kernel):
        writer = kernel.Writer([])
        writer.finish(4, 10)
        for again in (lambda: writer.finish(4, 10), lambda: writer.add(1, [])):
            with pytest.raises(ValueError, match="finished"):
                again()

    def test_both_implementations_write_the_same_bytes(self):
        native, pure = both("sidecar")
        for options in ({}, {"external_blooms": True}, {"squash_tracker": -1}, {"bloom_columns": []}):
            assert sidecars.sidecar(native, **options) == sidecars.sidecar(pure, **options)
        data = sidecars.sidecar(native)
        more = [sidecars.appended(kernel, data, kernel.Reader(data), 1, (9000, 9)) for kernel in (native, pure)]
        assert more[0] == more[1]
