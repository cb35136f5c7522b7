"""The metadata sidecar: the test vectors of the format, and sidecars written and read back."""

from __future__ import annotations

import struct

import pytest
from support import sidecars
from support.sidecars import G1, G2

from parquetext import kernels, wire


@pytest.fixture
def kernel(implementation):
    return kernels.sidecar


class TestVectors:
    def test_a_header_and_a_footer(self, kernel):
        reader = kernel.Reader(G1)
        assert reader.column(0) == kernel.Column(b"x", 0, 5, 0, 0, 1, 0, 0)
        assert reader.footer.offset == 65
        assert (reader.footer.parquet_footer_offset, reader.footer.parquet_footer_length) == (1024, 512)
        writer = kernel.Writer([kernel.Column(b"x", 0, 5, 0, 0, 1, 0, 0)])
        assert writer.finish(1024, 512) == G1

    def test_a_row_group_sorted_by_its_timestamp(self, kernel):
        reader = kernel.Reader(G2)
        assert reader.features == wire.PM_FEATURE_SORTED_BY_TIMESTAMP
        assert reader.sorting_columns == [0]
        assert list(reader.row_counts) == [1000]
        assert list(reader.block_offsets) == [104]
        assert list(reader.chunks(0).array("codec")) == [1]
        assert list(reader.chunks(0).array("num_values")) == [1000]
        columns = [kernel.Column(b"ts", 0, 8, 0, 0, 0, 0, 0), kernel.Column(b"val", 1, 10, 0, 0, 0, 0, 0)]
        writer = kernel.Writer(columns, designated_timestamp=0, sorting_columns=[0])
        writer.add(1000, [kernel.Chunk(codec=1, num_values=1000), kernel.Chunk()])
        assert writer.finish(4096, 256) == G2

    def test_the_checksum_is_that_of_zlib_over_all_but_the_size(self):
        assert sidecars.with_checksum(G1) == G1
        assert sidecars.with_checksum(G2) == G2


class TestWhatIsReadBack:
    def test_columns_and_sections(self, kernel):
        reader = kernel.Reader(sidecars.sidecar(kernel))
        assert [reader.column(index) for index in range(3)] == sidecars.columns(kernel)
        assert (reader.designated_timestamp, reader.squash_tracker) == (0, 5)
        assert (reader.footer.unused_bytes, reader.footer.seq_txn, reader.footer.previous) == (17, 99, 0)
        assert reader.scratchpad == {7: b"note", 8: b""}
        assert list(reader.bloom_columns) == [1, 2]
        assert [reader.find_name(name) for name in (b"ts", "naïve".encode(), b"none", b"")] == [[0], [1], [], []]

    def test_leaves_of_one_field_share_its_name(self, kernel):
        many = [kernel.Column(b"s", -1, 5, 0, 0, 1, 0, 0)] * 40
        assert kernel.Reader(kernel.Writer(many).finish(4, 10)).find_name(b"s") == list(range(40))

    def test_chunks(self, kernel):
        chunks = kernel.Reader(sidecars.sidecar(kernel)).chunks(1)
        assert list(chunks.array("codec")) == [6, 6]
        assert list(chunks.array("encodings")) == [3, 3]
        assert list(chunks.array("sizes")) == [1, 1]  # the minimum's; the maximum is out of line
        assert list(chunks.array("flags")) == [0b10001111, 0b10001111]
        assert list(chunks.array("byte_range_start")) == [904, 3904]
        assert list(chunks.array("total_compressed_size")) == [1100, 1100]
        assert list(chunks.array("null_count")) == [10, 10]
        assert list(chunks.array("distinct_count")) == [-1, -1]
        assert chunks.array("num_values").format == "q"
        exact = wire.PM_STAT_MIN_EXACT, wire.PM_STAT_MAX_EXACT
        assert [bool(chunks.array("flags")[0] & bit) for bit in exact] == [True, False]

    def test_a_part_of_the_row_groups(self, kernel):
        reader = kernel.Reader(sidecars.sidecar(kernel))
        assert list(reader.chunks(0, 1).array("byte_range_start")) == [3004]
        assert list(reader.chunks(0, 0, 1).array("byte_range_start")) == [4]
        assert len(reader.chunks(0, 2)) == 0

    def test_statistics_up_to_8_bytes_are_inline_and_longer_ones_follow_the_chunks(self, kernel):
        said = sidecars.reading(kernel.Reader(sidecars.sidecar(kernel)))
        assert said["min", 0] == [struct.pack("<q", 0), struct.pack("<q", 1000)]
        assert (said["min", 1], said["max", 1]) == ([b"a"] * 2, [b"a long text, cut"] * 2)
        assert (said["min", 2], said["max", 2]) == ([bytes(16)] * 2, [b"\xff" * 16] * 2)
        assert said["sizes", 1] == [1, 1]
        assert said["flags", 1][0] & wire.PM_STAT_MIN_INLINED
        assert not said["flags", 1][0] & wire.PM_STAT_MAX_INLINED

    def test_filters_are_at_the_listed_offsets_and_aligned(self, kernel):
        data = sidecars.sidecar(kernel)
        reader = kernel.Reader(data)
        assert reader.bloom(0, 0) == ("none", 0, 0)
        for column, bitset in ((1, sidecars.BLOOM), (2, sidecars.BLOOM * 2)):
            kind, offset, length = reader.bloom(1, column)
            assert (kind, data[offset : offset + length], offset % 8) == ("inline", bitset, 4)

    def test_external_filters_contain_their_offsets(self, kernel):
        writer = kernel.Writer(sidecars.columns(kernel), bloom_columns=[2], external_blooms=True)
        for bloom in ((1 << 40, 1060), None):
            writer.add(1, [*sidecars.chunks(kernel, 0)[:2], kernel.Chunk(bloom=bloom)])
        reader = kernel.Reader(writer.finish(100, 10))
        assert [reader.bloom(group, 2) for group in range(2)] == [("external", 1 << 40, 1060), ("none", 0, 0)]
        assert reader.bloom(0, 1) == ("none", 0, 0)

    def test_a_filter_of_a_column_that_the_header_does_not_name_is_left_out(self, kernel):
        reader = kernel.Reader(sidecars.sidecar(kernel, bloom_columns=[2]))
        assert [reader.bloom(0, column)[0] for column in range(3)] == ["none", "none", "inline"]

    def test_no_columns_and_no_row_groups(self, kernel):
        writer = kernel.Writer([])
        writer.add(7, [])
        reader = kernel.Reader(writer.finish(4, 10))
        assert (reader.column_count, list(reader.row_counts)) == (0, [7])

    @pytest.mark.parametrize(
        ("timestamp", "sorting", "flags", "implicit"),
        [
            (0, [0], 0, True),
            (0, [0], wire.PM_COLUMN_FLAG_DESCENDING, False),
            (0, [0, 1], 0, False),
            (0, [1], 0, False),
            (-1, [0], 0, False),
            (0, [], 0, False),
        ],
    )
    def test_sorting_by_the_ascending_timestamp_alone_is_implicit(self, kernel, timestamp, sorting, flags, implicit):
        columns = [kernel.Column(b"a", 0, 8, flags, 0, 2, 0, 0), kernel.Column(b"b", 1, 8, 0, 0, 2, 0, 0)]
        data = kernel.Writer(columns, designated_timestamp=timestamp, sorting_columns=sorting).finish(4, 10)
        reader = kernel.Reader(data)
        assert reader.sorting_columns == sorting
        assert bool(reader.features & wire.PM_FEATURE_SORTED_BY_TIMESTAMP) == implicit
        assert int.from_bytes(data[20:24], "little") == (0 if implicit else len(sorting))

    def test_an_implicit_sorting_column_is_added_to_written_ones(self, kernel):
        columns = [kernel.Column(b"a", 0, 8, 0, 0, 2, 0, 0), kernel.Column(b"b", 1, 8, 0, 0, 2, 0, 0)]
        data = bytearray(kernel.Writer(columns, designated_timestamp=0, sorting_columns=[1]).finish(4, 10))
        data[8] |= wire.PM_FEATURE_SORTED_BY_TIMESTAMP
        assert kernel.Reader(sidecars.with_checksum(bytes(data))).sorting_columns == [0]

    def test_bytes_of_any_kind(self, kernel):
        for data in (bytearray(G2), memoryview(G2)):
            assert kernel.Reader(data).footer == kernel.Reader(G2).footer

    def test_unknown_optional_features_mean_nothing(self, kernel):
        data = bytearray(sidecars.sidecar(kernel))
        said = sidecars.reading(kernel.Reader(bytes(data)))
        footer = kernel.Reader(bytes(data)).footer.offset
        data[11] |= 0x80
        data[footer + 35] |= 0x80
        again = sidecars.reading(kernel.Reader(sidecars.with_checksum(bytes(data))))
        same = said.keys() - {"features", "footer", "chain"}
        assert {name: again[name] for name in same} == {name: said[name] for name in same}
