"""Snapshots of a sidecar: the chain of footers, and appending to it."""

from __future__ import annotations

import pytest
from support import sidecars
from support.sidecars import G2

from parquetext import kernels, wire
from parquetext.errors import Damaged, ParquetextError


@pytest.fixture
def kernel(implementation):
    return kernels.sidecar


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

    def test_the_chain_ends_at_the_first_footer(self, kernel, chain):
        sizes = [footer.size for footer in kernel.Reader(chain).footers()]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) == 3
        assert sizes[0] == len(chain)

    def test_the_checksum_covers_all_commits(self, kernel, chain):
        assert sidecars.with_checksum(chain) == chain

    def test_damage_of_old_bytes_is_not_healed_by_a_commit(self, kernel):
        data = bytearray(sidecars.sidecar(kernel))
        data[44] ^= 1
        reader = kernel.Reader(bytes(data), verify=False)
        data = sidecars.appended(kernel, bytes(data), reader, None, (9004, 600))
        with pytest.raises(Damaged, match="checksum"):
            kernel.Reader(data)

    def test_a_commit_keeps_the_values_that_it_does_not_set(self, kernel):
        data = sidecars.sidecar(kernel)
        kept = kernel.Reader(sidecars.appended(kernel, data, kernel.Reader(data), None, (9004, 600)))
        assert (kept.footer.unused_bytes, kept.footer.seq_txn, kept.squash_tracker) == (17, 99, 5)
        assert kept.scratchpad == {7: b"note", 8: b""}
        tail = kernel.Writer.on(kernel.Reader(data)).finish(9004, 600, unused_bytes=0, seq_txn=-1, scratchpad=[])
        said = kernel.Reader(data + tail, len(data) + len(tail))
        assert (said.footer.unused_bytes, said.footer.seq_txn, said.squash_tracker, said.scratchpad) == (0, -1, 5, {})

    def test_bytes_of_an_unfinished_commit_are_skipped(self, kernel):
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
    def test_a_chain_that_does_not_go_back_is_rejected(self, kernel, chain, previous):
        data, footer = bytearray(chain), kernel.Reader(chain).footer
        value = footer.size if previous == "its own" else previous
        data[footer.offset + 24 : footer.offset + 32] = value.to_bytes(8, "little")
        data = sidecars.with_checksum(bytes(data))
        for options in ({}, {"parquet_size": 77}):
            with pytest.raises(Damaged) as caught:
                kernel.Reader(data, **options)
            assert (caught.value.code, caught.value.offset) == (wire.PM_PREVIOUS, footer.offset + 24)

    def test_a_parquet_size_beyond_64_bits_belongs_to_no_file(self, kernel, chain):
        data, footer = bytearray(chain), kernel.Reader(chain).footer
        data[footer.offset : footer.offset + 8] = b"\xff" * 8
        data = sidecars.with_checksum(bytes(data))
        assert kernel.Reader(data, parquet_size=9612).row_group_count == 3
        with pytest.raises(Damaged):
            kernel.Reader(data, parquet_size=(700 + 8 - 1) % (1 << 64))

    def test_the_offset_of_an_append_is_checked(self, kernel):
        reader = kernel.Reader(G2 + b"x", len(G2))
        for base in (len(G2) - 1, len(G2) + 2):
            with pytest.raises(ParquetextError, match="out of range"):
                kernel.Writer.on(reader, base)
