"""The metadata sidecar: the format's vectors, what is written and read back, snapshots, and every rejection."""

from __future__ import annotations

import struct

import pytest
from support import sidecars
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Damaged, ParquetextError, Unsupported

# One INT column "x", no row groups, Parquet footer (1024, 512).
G1 = bytes.fromhex("""
7100000000000000 0000000000000000 ffffffff00000000 0100000000000000
4000000000000000 0000000005000000 0000000000000000 0100000001000000
7800040000000000 0000020000000000 0000000000000000 0000000000000000
000000000000000000095efd732c000000""")
# An ascending designated timestamp and a double; one row group of 1000 rows.
G2 = bytes.fromhex("""
2401000000000000 0400000000000000 0000000000000000 0200000000000000
6000000000000000 0000000008000000 0000000000000000 0200000000000000
6200000000000000 010000000a000000 0000000000000000 0300000000000000
747376616c000000 e803000000000000 0100000000000000 e803000000000000"""
+ "0000000000000000" * 14 + """
0010000000000000 0001000001000000 0000000000000000 0000000000000000
0000000000000000 0d000000b7c3d622 30000000""")


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

    def test_statistics_up_to_8_bytes_stand_in_line_and_longer_ones_behind_the_chunks(self, kernel):
        said = sidecars.reading(kernel.Reader(sidecars.sidecar(kernel)))
        assert said["min", 0] == [struct.pack("<q", 0), struct.pack("<q", 1000)]
        assert (said["min", 1], said["max", 1]) == ([b"a"] * 2, [b"a long text, cut"] * 2)
        assert (said["min", 2], said["max", 2]) == ([bytes(16)] * 2, [b"\xff" * 16] * 2)
        assert said["sizes", 1] == [1, 1]
        assert said["flags", 1][0] & wire.PM_STAT_MIN_INLINED
        assert not said["flags", 1][0] & wire.PM_STAT_MAX_INLINED

    def test_filters_are_where_the_matrix_says_and_aligned(self, kernel):
        data = sidecars.sidecar(kernel)
        reader = kernel.Reader(data)
        assert reader.bloom(0, 0) == ("none", 0, 0)
        for column, bitset in ((1, sidecars.BLOOM), (2, sidecars.BLOOM * 2)):
            kind, offset, length = reader.bloom(1, column)
            assert (kind, data[offset:offset + length], offset % 8) == ("inline", bitset, 4)

    def test_external_filters_say_where_they_are(self, kernel):
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

    @pytest.mark.parametrize(("timestamp", "sorting", "flags", "implicit"), [
        (0, [0], 0, True), (0, [0], wire.PM_COLUMN_FLAG_DESCENDING, False), (0, [0, 1], 0, False), (0, [1], 0, False),
        (-1, [0], 0, False), (0, [], 0, False),
    ])
    def test_sorting_by_the_ascending_timestamp_alone_is_implicit(self, kernel, timestamp, sorting, flags, implicit):
        columns = [kernel.Column(b"a", 0, 8, flags, 0, 2, 0, 0), kernel.Column(b"b", 1, 8, 0, 0, 2, 0, 0)]
        data = kernel.Writer(columns, designated_timestamp=timestamp, sorting_columns=sorting).finish(4, 10)
        reader = kernel.Reader(data)
        assert reader.sorting_columns == sorting
        assert bool(reader.features & wire.PM_FEATURE_SORTED_BY_TIMESTAMP) == implicit
        assert int.from_bytes(data[20:24], "little") == (0 if implicit else len(sorting))

    def test_an_implicit_sorting_column_counts_beside_written_ones(self, kernel):
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


class TestSnapshots:
    """Each commit adds blocks and a footer; older ones stay readable by the Parquet file's size."""

    @pytest.fixture
    def chain(self, kernel):
        """Three snapshots: two row groups; a third one added; the first one replaced."""
        data = sidecars.sidecar(kernel)
        data = sidecars.appended(kernel, data, kernel.Reader(data), None, (9004, 600))
        return sidecars.appended(kernel, data, kernel.Reader(data), 0, (12004, 700))

    def test_the_newest_is_read_by_the_header_and_any_by_the_parquet_file_s_size(self, kernel, chain):
        assert kernel.Reader(chain).row_group_count == 3
        for size, starts in ((6512, [4, 3004]), (9612, [4, 3004, 27004]), (12712, [27004, 3004, 27004])):
            reader = kernel.Reader(chain, parquet_size=size)
            assert list(reader.chunks(0).array("byte_range_start")) == starts
            assert reader.bloom(0, 1)[0] == "inline"

    def test_a_snapshot_is_read_with_the_bytes_of_its_time_alone(self, kernel, chain):
        first = kernel.Reader(chain, parquet_size=6512).footer.size
        assert kernel.Reader(chain[:first], first).footer.parquet_footer_offset == 6004

    def test_blocks_that_stay_are_not_written_again(self, kernel, chain):
        newest, middle = kernel.Reader(chain), kernel.Reader(chain, parquet_size=9612)
        assert list(newest.block_offsets)[1:] == list(middle.block_offsets)[1:]
        assert newest.block_offsets[0] >= middle.footer.size

    def test_the_chain_leads_back_to_the_first_one(self, kernel, chain):
        sizes = [footer.size for footer in kernel.Reader(chain).footers()]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) == 3
        assert sizes[0] == len(chain)

    def test_the_checksum_goes_on_over_everything(self, kernel, chain):
        assert sidecars.with_checksum(chain) == chain

    def test_damage_of_old_bytes_is_not_healed_by_a_commit(self, kernel):
        data = bytearray(sidecars.sidecar(kernel))
        data[44] ^= 1
        reader = kernel.Reader(bytes(data), verify=False)
        data = sidecars.appended(kernel, bytes(data), reader, None, (9004, 600))
        with pytest.raises(Damaged, match="checksum"):
            kernel.Reader(data)

    def test_what_a_commit_does_not_say_stays_as_it_was(self, kernel):
        data = sidecars.sidecar(kernel)
        kept = kernel.Reader(sidecars.appended(kernel, data, kernel.Reader(data), None, (9004, 600)))
        assert (kept.footer.unused_bytes, kept.footer.seq_txn, kept.squash_tracker) == (17, 99, 5)
        assert kept.scratchpad == {7: b"note", 8: b""}
        tail = kernel.Writer.on(kernel.Reader(data)).finish(9004, 600, unused_bytes=0, seq_txn=-1, scratchpad=[])
        said = kernel.Reader(data + tail, len(data) + len(tail))
        assert (said.footer.unused_bytes, said.footer.seq_txn, said.squash_tracker, said.scratchpad) == (0, -1, 5, {})

    def test_what_a_commit_left_that_was_never_made_is_passed_over(self, kernel):
        data = sidecars.sidecar(kernel)
        reader = kernel.Reader(data + b"dead bytes", len(data))
        writer = kernel.Writer.on(reader, len(data) + 10)
        writer.add(1000, sidecars.chunks(kernel, 5))
        assert writer.base == len(data) + 10
        tail = writer.finish(9004, 600)
        whole = data + b"dead bytes" + tail
        reader = kernel.Reader(whole, len(whole))
        assert (reader.row_group_count, len(reader.footers())) == (3, 2)
        assert kernel.Reader(whole, len(whole), parquet_size=6512).row_group_count == 2

    def test_of_two_footers_for_one_parquet_size_the_newer_one_counts(self, kernel):
        data = sidecars.sidecar(kernel)
        data = sidecars.appended(kernel, data, kernel.Reader(data), None, (6004, 500))
        assert kernel.Reader(data, parquet_size=6512).row_group_count == 3

    def test_no_footer_of_that_size(self, kernel, chain):
        with pytest.raises(Damaged, match="no footer for a Parquet file of 77 bytes"):
            kernel.Reader(chain, parquet_size=77)

    @pytest.mark.parametrize("previous", [35, 1 << 40, "its own"])
    def test_a_chain_that_does_not_lead_back_is_none(self, kernel, chain, previous):
        data, footer = bytearray(chain), kernel.Reader(chain).footer
        value = footer.size if previous == "its own" else previous
        data[footer.offset + 24:footer.offset + 32] = value.to_bytes(8, "little")
        data = sidecars.with_checksum(bytes(data))
        for options in ({}, {"parquet_size": 77}):
            with pytest.raises(Damaged) as caught:
                kernel.Reader(data, **options)
            assert (caught.value.code, caught.value.offset) == (wire.PM_PREVIOUS, footer.offset + 24)

    def test_a_parquet_size_beyond_64_bits_belongs_to_no_file(self, kernel, chain):
        data, footer = bytearray(chain), kernel.Reader(chain).footer
        data[footer.offset:footer.offset + 8] = b"\xff" * 8
        data = sidecars.with_checksum(bytes(data))
        assert kernel.Reader(data, parquet_size=9612).row_group_count == 3
        with pytest.raises(Damaged):
            kernel.Reader(data, parquet_size=(700 + 8 - 1) % (1 << 64))

    def test_where_to_append_is_checked(self, kernel):
        reader = kernel.Reader(G2 + b"x", len(G2))
        for base in (len(G2) - 1, len(G2) + 2):
            with pytest.raises(ParquetextError, match="out of range"):
                kernel.Writer.on(reader, base)


def at(data: bytes, offset: int, value: bytes) -> bytes:
    return sidecars.with_checksum(data[:offset] + value + data[offset + len(value):])


def u32(value: int) -> bytes:
    return value.to_bytes(4, "little")


def u64(value: int) -> bytes:
    return value.to_bytes(8, "little")


class Everything:
    """Where things are in `sidecars.sidecar`."""

    names, blooms, squash = 128, 128 + 2 + 6 + 4, 128 + 12 + 12

    def __init__(self, kernel):
        self.data = sidecars.sidecar(kernel)
        self.footer = kernel.Reader(self.data).footer.offset
        self.entries = self.footer + 40
        self.matrix = self.entries + 8
        self.sections = self.matrix + 16
        self.scratchpad = self.sections + 8
        self.block = kernel.Reader(self.data).block_offsets[0]
        self.chunk = self.block + 8


def cut(places: Everything, end: int) -> bytes:
    """The footer without what stands behind `end`."""
    data = places.data
    return at(data[:end] + data[-8:-4] + u32(end + 4 - places.footer), 0, u64(end + 8))


# What is done to the file, and the error with its offset that has to come; `f` holds the places above.
REJECTED = {
    "no header": (lambda f: f.data[:31], wire.PM_TRUNCATED, lambda f: 0),
    "nothing": (lambda f: b"", wire.PM_TRUNCATED, lambda f: 0),
    "required header feature": (lambda f: at(f.data, 12, b"\1"), wire.PM_REQUIRED_FEATURES, lambda f: 8),
    "too many columns": (lambda f: at(f.data, 24, u32(1 << 31)), wire.PM_TRUNCATED, lambda f: 20),
    "too many sorting columns": (lambda f: at(f.data, 20, b"\xff" * 4), wire.PM_TRUNCATED, lambda f: 20),
    "external filters without filters": (lambda f: at(f.data, 8, b"\x0e"), wire.PM_EXTERNAL_BLOOMS, lambda f: 8),
    "sorted by no timestamp": (lambda f: at(f.data, 16, b"\xff" * 4), wire.PM_SORTED_BY_NOTHING, lambda f: 8),
    "a timestamp beyond the columns": (lambda f: at(f.data, 16, u32(3)), wire.PM_TIMESTAMP, lambda f: 16),
    "a timestamp below -1": (
        lambda f: at(at(f.data, 8, b"\x09"), 16, b"\xfe\xff\xff\xff"), wire.PM_TIMESTAMP, lambda f: 16),
    "a name over the descriptors": (lambda f: at(f.data, 64, u64(127)), wire.PM_NAME, lambda f: 64),
    "a name behind the end": (lambda f: at(f.data, 64, u64(1 << 30)), wire.PM_NAME, lambda f: 64),
    "a name that overflows": (lambda f: at(f.data, 64, b"\xff" * 8), wire.PM_NAME, lambda f: 64),
    "a name longer than the file": (lambda f: at(f.data, 64 + 24, b"\xff" * 4), wire.PM_NAME, lambda f: 64),
    "no count of filters' columns": (lambda f: f.data[:f.blooms + 3], wire.PM_TRUNCATED, lambda f: f.blooms),
    "filters of no column": (lambda f: at(f.data, f.blooms, u32(0)), wire.PM_BLOOM_COUNT, lambda f: f.blooms),
    "more filters than columns": (lambda f: at(f.data, f.blooms, u32(4)), wire.PM_BLOOM_COUNT, lambda f: f.blooms),
    "filters' columns cut": (lambda f: f.data[:f.blooms + 11], wire.PM_TRUNCATED, lambda f: f.blooms + 4),
    "a filter's column beyond": (
        lambda f: at(f.data, f.blooms + 8, u32(3)), wire.PM_BLOOM_COLUMN, lambda f: f.blooms + 8),
    "filters' columns that fall": (
        lambda f: at(f.data, f.blooms + 8, u32(0)), wire.PM_BLOOM_ORDER, lambda f: f.blooms + 8),
    "a filter's column twice": (
        lambda f: at(f.data, f.blooms + 8, u32(1)), wire.PM_BLOOM_ORDER, lambda f: f.blooms + 8),
    "squash tracker cut": (lambda f: f.data[:f.squash + 7], wire.PM_TRUNCATED, lambda f: f.squash),
    "a size beyond the file": (lambda f: u64(len(f.data) + 1) + f.data[8:], wire.PM_SIZE_BEYOND, lambda f: 0),
    "a size that is too small": (lambda f: u64(35) + f.data[8:], wire.PM_SIZE_SMALL, lambda f: 0),
    "a size of nothing": (lambda f: u64(0) + f.data[8:], wire.PM_SIZE_SMALL, lambda f: 0),
    "a footer longer than the file": (
        lambda f: f.data[:-4] + u32(len(f.data)), wire.PM_FOOTER_LENGTH, lambda f: len(f.data) - 4),
    "a footer over the header": (
        lambda f: f.data[:-4] + u32(len(f.data) - 40), wire.PM_FOOTER_PLACE, lambda f: len(f.data) - 4),
    "a footer without its fixed part": (
        lambda f: f.data[:-4] + u32(43), wire.PM_FOOTER_SHORT, lambda f: len(f.data) - 4),
    "more row groups than fit": (
        lambda f: at(f.data, f.footer + 12, b"\xff" * 4), wire.PM_FOOTER_SHORT, lambda f: f.footer + 12),
    "filters' matrix cut": (
        lambda f: at(f.data, f.footer + 12, u32(9)), wire.PM_FOOTER_SHORT, lambda f: f.entries + 36),
    "required footer feature": (
        lambda f: at(f.data, f.footer + 39, b"\x80"), wire.PM_REQUIRED_FEATURES, lambda f: f.footer + 32),
    "a sequence number cut": (lambda f: cut(f, f.sections), wire.PM_FOOTER_SHORT, lambda f: f.sections),
    "a scratchpad's count cut": (lambda f: cut(f, f.scratchpad), wire.PM_FOOTER_SHORT, lambda f: f.scratchpad),
    "an empty scratchpad": (
        lambda f: at(f.data, f.scratchpad, u32(0)), wire.PM_SCRATCHPAD_EMPTY, lambda f: f.scratchpad),
    "a scratchpad of too many entries": (
        lambda f: at(f.data, f.scratchpad, u32(9)), wire.PM_FOOTER_SHORT, lambda f: len(f.data) - 8),
    "a scratchpad's entry beyond the checksum": (
        lambda f: at(f.data, f.scratchpad + 8, u32(1 << 31)), wire.PM_FOOTER_SHORT, lambda f: f.scratchpad + 12),
    "a block over the header": (lambda f: at(f.data, f.entries, u32(1)), wire.PM_BLOCK, lambda f: f.entries),
    "a block over the footer": (
        lambda f: at(f.data, f.entries + 4, u32(f.footer // 8 - 1)), wire.PM_BLOCK, lambda f: f.entries + 4),
    "a block far beyond": (lambda f: at(f.data, f.entries, b"\xff" * 4), wire.PM_BLOCK, lambda f: f.entries),
    "a wrong checksum": (
        lambda f: f.data[:-8] + bytes(4) + f.data[-4:], wire.CHECKSUM, lambda f: len(f.data) - 8),
    "rows beyond a signed number": (
        lambda f: at(f.data, f.block, u64(1 << 63)), wire.PM_ROWS, lambda f: f.block),
    "a codec that is none": (lambda f: at(f.data, f.chunk, b"\x08"), wire.PM_CODEC, lambda f: f.chunk),
    "a statistic over the footer": (
        lambda f: at(f.data, f.chunk + 64 + 56 + 2, u32(1 << 31)), wire.PM_STATISTIC, lambda f: f.chunk + 64 + 56),
}


@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name, kernel):
    places = Everything(kernel)
    damage, code, offset = REJECTED[name]
    with pytest.raises((Damaged, Unsupported)) as caught:
        sidecars.reading(kernel.Reader(damage(places)))
    assert wire.ERRORS[caught.value.code][0] == wire.ERRORS[code][0]
    assert caught.value.offset == offset(places)


@pytest.mark.parametrize("name", REJECTED)
def test_rejections_are_the_same_in_both_implementations(name):
    native, pure = both("sidecar")
    damaged = REJECTED[name][0](Everything(native))
    outcomes = [outcome(lambda kernel=kernel: sidecars.reading(kernel.Reader(damaged))) for kernel in (native, pure)]
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == "error"


class TestTraps:
    """What the format lets a file say, and what must not be made of it."""

    def test_rows_that_add_up_to_more_than_a_signed_number(self, kernel):
        places = Everything(kernel)
        blocks = kernel.Reader(places.data).block_offsets
        data = at(at(places.data, blocks[0], u64((1 << 63) - 1)), blocks[1], u64(1))
        with pytest.raises(Damaged) as caught:
            kernel.Reader(data).row_counts  # noqa: B018
        assert (caught.value.code, caught.value.offset) == (wire.PM_ROWS, blocks[1])

    def test_a_null_count_that_would_wrap_is_unknown(self, kernel):
        places = Everything(kernel)
        data = at(places.data, places.chunk + wire.PM_CHUNK_NULL_COUNT, b"\xff" * 8)
        assert list(kernel.Reader(data).chunks(0).array("null_count")) == [-1, 0]

    def test_a_count_without_its_flag_is_unknown(self, kernel):
        places = Everything(kernel)
        data = at(places.data, places.chunk + wire.PM_CHUNK_STAT_FLAGS, b"\0")
        chunks = kernel.Reader(data).chunks(0)
        assert list(chunks.array("null_count")) == [-1, 0]
        assert chunks.bounds()[0] == b"\0\3"

    @pytest.mark.parametrize("length", [0, 31, 33, 64 + 32, (1 << 32) - 32])
    def test_a_filter_of_an_impossible_length_is_unusable(self, kernel, length):
        places = Everything(kernel)
        offset = kernel.Reader(places.data).bloom(0, 1)[1] - 4
        if length == 96:  # possible in itself, but it would reach over the footer
            offset = kernel.Reader(places.data).bloom(1, 2)[1] - 4
            assert kernel.Reader(at(places.data, offset, u32(length))).bloom(1, 2)[0] == "unusable"
        else:
            assert kernel.Reader(at(places.data, offset, u32(length))).bloom(0, 1)[0] == "unusable"

    @pytest.mark.parametrize("entry", [1, 0xFFFFFFFF])
    def test_a_filter_at_an_impossible_place_is_unusable(self, kernel, entry):
        places = Everything(kernel)
        assert kernel.Reader(at(places.data, places.matrix, u32(entry))).bloom(0, 1)[0] == "unusable"

    @pytest.mark.parametrize("entry", [(1, 0), ((1 << 64) - 1, 1)])
    def test_an_external_filter_without_a_place_is_unusable(self, kernel, entry):
        writer = kernel.Writer(sidecars.columns(kernel)[:1], bloom_columns=[0], external_blooms=True)
        writer.add(1, [kernel.Chunk(bloom=entry)])
        assert kernel.Reader(writer.finish(4, 10)).bloom(0, 0) == ("unusable", *entry)

    def test_out_of_line_statistics_without_a_length_are_none(self, kernel):
        places = Everything(kernel)
        slot = places.chunk + 2 * 64 + wire.PM_CHUNK_MIN_STAT
        data = at(places.data, slot, u64((1 << 64) - (1 << 16)))
        assert kernel.Reader(data).chunks(2).bounds()[0] == b"\2\3"

    def test_inline_statistics_of_old_writers_out_of_line_are_read(self, kernel):
        """Older writers put short texts out of line."""
        places = Everything(kernel)
        chunk = places.chunk + 64
        region = places.chunk + 3 * 64
        flags = places.data[chunk + 2] & ~wire.PM_STAT_MIN_INLINED
        data = at(at(places.data, chunk + 2, bytes([flags])), chunk + wire.PM_CHUNK_MIN_STAT, u64(2 << 16 | 4))
        said = sidecars.reading(kernel.Reader(data))
        assert said["min", 1][0] == data[region + 2:region + 6] == b"long"

    @pytest.mark.parametrize(("physical", "fixed", "width"), [
        (0, 0, 1), (1, 0, 4), (2, 0, 8), (3, 0, 5), (4, 0, 4), (5, 0, 8), (6, 0, 5), (7, 3, 3), (7, 16, 8), (7, -1, 0),
        (8, 0, 0), (255, 9, 0),
    ])
    def test_the_width_of_an_inline_statistic_is_the_type_s_or_the_chunk_s(self, kernel, physical, fixed, width):
        writer = kernel.Writer([kernel.Column(b"x", 0, 5, 0, fixed, physical, 0, 0)])
        writer.add(1, [kernel.Chunk(min=b"\1\2\3\4\5")])
        has, _, lengths, _, _ = kernel.Reader(writer.finish(4, 10)).chunks(0).bounds()
        assert (has[0], lengths[0]) == (int(width > 0), width)

    def test_names_may_alias_and_then_name_both(self, kernel):
        places = Everything(kernel)
        data = at(at(places.data, 64, u64(128)), 64 + 24, u32(2))
        assert kernel.Reader(data).find_name(b"ts") == [0, 1]

    def test_a_sorting_column_that_is_none(self, kernel):
        data = kernel.Writer(sidecars.columns(kernel), sorting_columns=[1]).finish(4, 10)
        with pytest.raises(Damaged) as caught:
            kernel.Reader(at(data, 128, u32(3))).sorting_columns  # noqa: B018
        assert (caught.value.code, caught.value.offset) == (wire.PM_SORTING_COLUMN, 128)

    def test_a_first_footer_without_row_groups_begins_where_the_header_ends(self, kernel):
        data = kernel.Writer(sidecars.columns(kernel)).finish(4, 10)
        moved = sidecars.with_checksum(u64(len(data) + 8) + data[8:-48] + bytes(8) + data[-48:])
        with pytest.raises(Damaged) as caught:
            kernel.Reader(moved)
        assert (caught.value.code, caught.value.offset) == (wire.PM_FOOTER_PLACE, len(moved) - 4)

    @pytest.mark.parametrize(("column", "first", "count"), [
        (3, 0, None), (-1, 0, None), (1 << 32, 0, None), (0, 3, None), (0, 0, 3), (0, 2, 1), (0, 1, (1 << 32) - 1),
        (0, -1, 1)])
    def test_columns_and_row_groups_that_are_none(self, kernel, column, first, count):
        reader = kernel.Reader(sidecars.sidecar(kernel))
        with pytest.raises(ParquetextError) as caught:
            reader.chunks(column, first, count).array("codec")
        assert caught.value.code == wire.BAD_ARGUMENT

    @pytest.mark.parametrize(("row_group", "column"), [(2, 0), (0, 3), (-1, 0), (0, -1), (1 << 32, 0)])
    def test_filters_of_columns_and_row_groups_that_are_none(self, kernel, row_group, column):
        with pytest.raises(ParquetextError) as caught:
            kernel.Reader(sidecars.sidecar(kernel)).bloom(row_group, column)
        assert caught.value.code == wire.BAD_ARGUMENT

    def test_bytes_in_a_footer_that_no_feature_claims(self, kernel):
        data = kernel.Writer(sidecars.columns(kernel)).finish(4, 10)
        longer = data[:-8] + bytes(4) + data[-8:-4] + u32(48)
        longer = sidecars.with_checksum(u64(len(longer)) + longer[8:])
        with pytest.raises(Damaged) as caught:
            kernel.Reader(longer)
        assert (caught.value.code, caught.value.offset) == (wire.PM_FOOTER_SPARE, len(data) - 8)
        claimed = bytearray(longer)
        claimed[len(data) - 48 + 32] = 0x80
        assert kernel.Reader(sidecars.with_checksum(bytes(claimed))).row_group_count == 0

    def test_a_scratchpad_has_a_limit(self, kernel):
        notes = [(1, bytes((1 << 20) - 12))]
        data = kernel.Writer([]).finish(4, 10, scratchpad=notes)
        assert kernel.Reader(data).scratchpad == dict(notes)
        with pytest.raises(Damaged, match="scratchpad of 1048577 bytes"):
            kernel.Writer([]).finish(4, 10, scratchpad=[(1, bytes((1 << 20) - 11))])
        longer = data[:-8] + bytes(1) + data[-8:-4] + u32(len(data) - 32 - 4 + 1)
        longer = at(u64(len(longer)) + longer[8:], 32 + 40 + 8, u32((1 << 20) - 11))
        with pytest.raises(Damaged) as caught:
            kernel.Reader(longer)
        assert caught.value.code == wire.PM_SCRATCHPAD_SIZE

    def test_without_the_checksum_bounds_are_checked_all_the_same(self, kernel):
        places = Everything(kernel)
        wrong = places.data[:-8] + bytes(4) + places.data[-4:]
        assert kernel.Reader(wrong, verify=False).row_group_count == 2
        with pytest.raises(Damaged):
            kernel.Reader(wrong[:places.entries] + b"\xff" * 4 + wrong[places.entries + 4:], verify=False)
