"""Rejected sidecars: every error with its offset, and input that must neither crash nor mislead the reader."""

from __future__ import annotations

import pytest
from support import sidecars
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Damaged, ParquetextError, Unsupported


@pytest.fixture
def kernel(implementation):
    return kernels.sidecar


def at(data: bytes, offset: int, value: bytes) -> bytes:
    return sidecars.with_checksum(data[:offset] + value + data[offset + len(value) :])


def u32(value: int) -> bytes:
    return value.to_bytes(4, "little")


def u64(value: int) -> bytes:
    return value.to_bytes(8, "little")


class Everything:
    """The offsets of the parts of `sidecars.sidecar`."""

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
    """Return the footer without the bytes after `end`."""
    data = places.data
    return at(data[:end] + data[-8:-4] + u32(end + 4 - places.footer), 0, u64(end + 8))


# Change to the file, and the expected error with its offset; `f` contains the offsets above.
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
        lambda f: at(at(f.data, 8, b"\x09"), 16, b"\xfe\xff\xff\xff"),
        wire.PM_TIMESTAMP,
        lambda f: 16,
    ),
    "a name over the descriptors": (lambda f: at(f.data, 64, u64(127)), wire.PM_NAME, lambda f: 64),
    "a name behind the end": (lambda f: at(f.data, 64, u64(1 << 30)), wire.PM_NAME, lambda f: 64),
    "a name that overflows": (lambda f: at(f.data, 64, b"\xff" * 8), wire.PM_NAME, lambda f: 64),
    "a name longer than the file": (lambda f: at(f.data, 64 + 24, b"\xff" * 4), wire.PM_NAME, lambda f: 64),
    "no count of filters' columns": (lambda f: f.data[: f.blooms + 3], wire.PM_TRUNCATED, lambda f: f.blooms),
    "filters of no column": (lambda f: at(f.data, f.blooms, u32(0)), wire.PM_BLOOM_COUNT, lambda f: f.blooms),
    "more filters than columns": (lambda f: at(f.data, f.blooms, u32(4)), wire.PM_BLOOM_COUNT, lambda f: f.blooms),
    "filters' columns cut": (lambda f: f.data[: f.blooms + 11], wire.PM_TRUNCATED, lambda f: f.blooms + 4),
    "a filter's column beyond": (
        lambda f: at(f.data, f.blooms + 8, u32(3)),
        wire.PM_BLOOM_COLUMN,
        lambda f: f.blooms + 8,
    ),
    "filters' columns that fall": (
        lambda f: at(f.data, f.blooms + 8, u32(0)),
        wire.PM_BLOOM_ORDER,
        lambda f: f.blooms + 8,
    ),
    "a filter's column twice": (
        lambda f: at(f.data, f.blooms + 8, u32(1)),
        wire.PM_BLOOM_ORDER,
        lambda f: f.blooms + 8,
    ),
    "squash tracker cut": (lambda f: f.data[: f.squash + 7], wire.PM_TRUNCATED, lambda f: f.squash),
    "a size beyond the file": (lambda f: u64(len(f.data) + 1) + f.data[8:], wire.PM_SIZE_BEYOND, lambda f: 0),
    "a size that is too small": (lambda f: u64(35) + f.data[8:], wire.PM_SIZE_SMALL, lambda f: 0),
    "a size of nothing": (lambda f: u64(0) + f.data[8:], wire.PM_SIZE_SMALL, lambda f: 0),
    "a footer longer than the file": (
        lambda f: f.data[:-4] + u32(len(f.data)),
        wire.PM_FOOTER_LENGTH,
        lambda f: len(f.data) - 4,
    ),
    "a footer over the header": (
        lambda f: f.data[:-4] + u32(len(f.data) - 40),
        wire.PM_FOOTER_PLACE,
        lambda f: len(f.data) - 4,
    ),
    "a footer without its fixed part": (
        lambda f: f.data[:-4] + u32(43),
        wire.PM_FOOTER_SHORT,
        lambda f: len(f.data) - 4,
    ),
    "more row groups than fit": (
        lambda f: at(f.data, f.footer + 12, b"\xff" * 4),
        wire.PM_FOOTER_SHORT,
        lambda f: f.footer + 12,
    ),
    "filters' matrix cut": (
        lambda f: at(f.data, f.footer + 12, u32(9)),
        wire.PM_FOOTER_SHORT,
        lambda f: f.entries + 36,
    ),
    "required footer feature": (
        lambda f: at(f.data, f.footer + 39, b"\x80"),
        wire.PM_REQUIRED_FEATURES,
        lambda f: f.footer + 32,
    ),
    "a sequence number cut": (lambda f: cut(f, f.sections), wire.PM_FOOTER_SHORT, lambda f: f.sections),
    "a scratchpad's count cut": (lambda f: cut(f, f.scratchpad), wire.PM_FOOTER_SHORT, lambda f: f.scratchpad),
    "an empty scratchpad": (
        lambda f: at(f.data, f.scratchpad, u32(0)),
        wire.PM_SCRATCHPAD_EMPTY,
        lambda f: f.scratchpad,
    ),
    "a scratchpad of too many entries": (
        lambda f: at(f.data, f.scratchpad, u32(9)),
        wire.PM_FOOTER_SHORT,
        lambda f: len(f.data) - 8,
    ),
    "a scratchpad's entry beyond the checksum": (
        lambda f: at(f.data, f.scratchpad + 8, u32(1 << 31)),
        wire.PM_FOOTER_SHORT,
        lambda f: f.scratchpad + 12,
    ),
    "a block over the header": (lambda f: at(f.data, f.entries, u32(1)), wire.PM_BLOCK, lambda f: f.entries),
    "a block over the footer": (
        lambda f: at(f.data, f.entries + 4, u32(f.footer // 8 - 1)),
        wire.PM_BLOCK,
        lambda f: f.entries + 4,
    ),
    "a block far beyond": (lambda f: at(f.data, f.entries, b"\xff" * 4), wire.PM_BLOCK, lambda f: f.entries),
    "a wrong checksum": (lambda f: f.data[:-8] + bytes(4) + f.data[-4:], wire.CHECKSUM, lambda f: len(f.data) - 8),
    "rows beyond a signed number": (lambda f: at(f.data, f.block, u64(1 << 63)), wire.PM_ROWS, lambda f: f.block),
    "a codec that is none": (lambda f: at(f.data, f.chunk, b"\x08"), wire.PM_CODEC, lambda f: f.chunk),
    "a statistic over the footer": (
        lambda f: at(f.data, f.chunk + 64 + 56 + 2, u32(1 << 31)),
        wire.PM_STATISTIC,
        lambda f: f.chunk + 64 + 56,
    ),
}


@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name, kernel):
    positions = Everything(kernel)
    damage, code, offset = REJECTED[name]
    with pytest.raises((Damaged, Unsupported)) as caught:
        sidecars.reading(kernel.Reader(damage(positions)))
    assert caught.value.code == code
    assert caught.value.offset == offset(positions)


@pytest.mark.parametrize("name", REJECTED)
def test_rejections_are_the_same_in_both_implementations(name):
    native, pure = both("sidecar")
    damaged = REJECTED[name][0](Everything(native))
    outcomes = [outcome(lambda kernel=kernel: sidecars.reading(kernel.Reader(damaged))) for kernel in (native, pure)]
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == "error"


HEADER_BITS, FOOTER_BITS = 4, 2  # features that are known: of the header, of a footer


class TestTraps:
    """Contradictions that the format permits must not lead to wrong results."""

    def test_rows_that_add_up_to_more_than_a_signed_number(self, kernel):
        positions = Everything(kernel)
        blocks = kernel.Reader(positions.data).block_offsets
        data = at(at(positions.data, blocks[0], u64((1 << 63) - 1)), blocks[1], u64(1))
        with pytest.raises(Damaged) as caught:
            kernel.Reader(data).row_counts  # noqa: B018
        assert (caught.value.code, caught.value.offset) == (wire.PM_ROWS, blocks[1])

    def test_a_null_count_that_would_wrap_is_unknown(self, kernel):
        positions = Everything(kernel)
        data = at(positions.data, positions.chunk + wire.PM_CHUNK_NULL_COUNT, b"\xff" * 8)
        assert list(kernel.Reader(data).chunks(0).array("null_count")) == [-1, 0]

    def test_a_count_without_its_flag_is_unknown(self, kernel):
        positions = Everything(kernel)
        data = at(positions.data, positions.chunk + wire.PM_CHUNK_STAT_FLAGS, b"\0")
        chunks = kernel.Reader(data).chunks(0)
        assert list(chunks.array("null_count")) == [-1, 0]
        assert chunks.bounds()[0] == b"\0\3"

    @pytest.mark.parametrize("length", [0, 31, 33, 64 + 32, (1 << 32) - 32])
    def test_a_filter_of_an_impossible_length_is_unusable(self, kernel, length):
        positions = Everything(kernel)
        offset = kernel.Reader(positions.data).bloom(0, 1)[1] - 4
        if length == 96:  # possible in itself, but it would reach over the footer
            offset = kernel.Reader(positions.data).bloom(1, 2)[1] - 4
            assert kernel.Reader(at(positions.data, offset, u32(length))).bloom(1, 2)[0] == "unusable"
        else:
            assert kernel.Reader(at(positions.data, offset, u32(length))).bloom(0, 1)[0] == "unusable"

    @pytest.mark.parametrize("entry", [1, 0xFFFFFFFF])
    def test_a_filter_at_an_impossible_place_is_unusable(self, kernel, entry):
        positions = Everything(kernel)
        assert kernel.Reader(at(positions.data, positions.matrix, u32(entry))).bloom(0, 1)[0] == "unusable"

    @pytest.mark.parametrize("entry", [(1, 0), ((1 << 64) - 1, 1)])
    def test_an_external_filter_without_a_place_is_unusable(self, kernel, entry):
        writer = kernel.Writer(sidecars.columns(kernel)[:1], bloom_columns=[0], external_blooms=True)
        writer.add(1, [kernel.Chunk(bloom=entry)])
        assert kernel.Reader(writer.finish(4, 10)).bloom(0, 0) == ("unusable", *entry)

    def test_out_of_line_statistics_without_a_length_are_absent(self, kernel):
        positions = Everything(kernel)
        slot = positions.chunk + 2 * 64 + wire.PM_CHUNK_MIN_STAT
        data = at(positions.data, slot, u64((1 << 64) - (1 << 16)))
        assert kernel.Reader(data).chunks(2).bounds()[0] == b"\2\3"

    def test_inline_statistics_of_old_writers_out_of_line_are_read(self, kernel):
        """Older writers put short texts out of line."""
        positions = Everything(kernel)
        chunk = positions.chunk + 64
        region = positions.chunk + 3 * 64
        flags = positions.data[chunk + 2] & ~wire.PM_STAT_MIN_INLINED
        data = at(at(positions.data, chunk + 2, bytes([flags])), chunk + wire.PM_CHUNK_MIN_STAT, u64(2 << 16 | 4))
        said = sidecars.reading(kernel.Reader(data))
        assert said["min", 1][0] == data[region + 2 : region + 6] == b"long"

    @pytest.mark.parametrize(
        ("physical", "fixed", "width"),
        [
            (0, 0, 1),
            (1, 0, 4),
            (2, 0, 8),
            (3, 0, 5),
            (4, 0, 4),
            (5, 0, 8),
            (6, 0, 5),
            (7, 3, 3),
            (7, 16, 8),
            (7, -1, 0),
            (8, 0, 0),
            (255, 9, 0),
        ],
    )
    def test_the_width_of_an_inline_statistic_is_the_type_s_or_the_chunk_s(self, kernel, physical, fixed, width):
        writer = kernel.Writer([kernel.Column(b"x", 0, 5, 0, fixed, physical, 0, 0)])
        writer.add(1, [kernel.Chunk(min=b"\1\2\3\4\5")])
        has, _, lengths, _, _ = kernel.Reader(writer.finish(4, 10)).chunks(0).bounds()
        assert (has[0], lengths[0]) == (int(width > 0), width)

    def test_names_may_alias_and_then_name_both(self, kernel):
        positions = Everything(kernel)
        data = at(at(positions.data, 64, u64(128)), 64 + 24, u32(2))
        assert kernel.Reader(data).find_name(b"ts") == [0, 1]

    def test_a_sorting_column_that_does_not_exist_is_rejected(self, kernel):
        data = kernel.Writer(sidecars.columns(kernel), sorting_columns=[1]).finish(4, 10)
        with pytest.raises(Damaged) as caught:
            kernel.Reader(at(data, 128, u32(3))).sorting_columns  # noqa: B018
        assert (caught.value.code, caught.value.offset) == (wire.PM_SORTING_COLUMN, 128)

    def test_a_first_footer_without_row_groups_begins_at_the_end_of_the_header(self, kernel):
        data = kernel.Writer(sidecars.columns(kernel)).finish(4, 10)
        moved = sidecars.with_checksum(u64(len(data) + 8) + data[8:-48] + bytes(8) + data[-48:])
        with pytest.raises(Damaged) as caught:
            kernel.Reader(moved)
        assert (caught.value.code, caught.value.offset) == (wire.PM_FOOTER_PLACE, len(moved) - 4)

    @pytest.mark.parametrize(
        ("column", "first", "count"),
        [
            (3, 0, None),
            (-1, 0, None),
            (1 << 32, 0, None),
            (0, 3, None),
            (0, 0, 3),
            (0, 2, 1),
            (0, 1, (1 << 32) - 1),
            (0, -1, 1),
        ],
    )
    def test_columns_and_row_groups_that_do_not_exist_are_errors(self, kernel, column, first, count):
        reader = kernel.Reader(sidecars.sidecar(kernel))
        with pytest.raises(ParquetextError) as caught:
            reader.chunks(column, first, count).array("codec")
        assert caught.value.code == wire.BAD_ARGUMENT

    @pytest.mark.parametrize(("row_group", "column"), [(2, 0), (0, 3), (-1, 0), (0, -1), (1 << 32, 0)])
    def test_filters_of_missing_columns_and_row_groups_are_errors(self, kernel, row_group, column):
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
        for flag in (len(data) - 48 + 32, 8):  # the footer's, the header's
            for bit in (FOOTER_BITS if flag > 8 else HEADER_BITS, 7):
                claimed = bytearray(longer)
                claimed[flag] |= 1 << bit
                assert kernel.Reader(sidecars.with_checksum(bytes(claimed))).row_group_count == 0

    @pytest.mark.parametrize("options", [{}, {"external_blooms": True}])
    def test_known_features_have_exactly_their_bytes(self, kernel, options):
        """With all of them there, every byte of the footer is still some part's."""
        data = sidecars.sidecar(kernel, **options)
        features = kernel.Reader(data).features, kernel.Reader(data).footer.features
        assert features[0] | wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL == (1 << HEADER_BITS) - 1
        assert features[1] == (1 << FOOTER_BITS) - 1
        length = int.from_bytes(data[-4:], "little") + 4
        longer = u64(len(data) + 4) + data[8:-8] + bytes(4) + data[-8:-4] + u32(length)
        with pytest.raises(Damaged) as caught:
            kernel.Reader(sidecars.with_checksum(longer))
        assert (caught.value.code, caught.value.offset) == (wire.PM_FOOTER_SPARE, len(data) - 8)

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
        positions = Everything(kernel)
        wrong = positions.data[:-8] + bytes(4) + positions.data[-4:]
        assert kernel.Reader(wrong, verify=False).row_group_count == 2
        with pytest.raises(Damaged):
            kernel.Reader(wrong[: positions.entries] + b"\xff" * 4 + wrong[positions.entries + 4 :], verify=False)
