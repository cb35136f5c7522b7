"""ColumnChunk structs of a flat footer, read for one leaf at a time: those of the Thrift footer."""

from __future__ import annotations

import pytest
from support import flat_footers as thrift
from support.flat_payloads import Memory, outcome, small_footer
from support.footers import footer_of
from support.form_readers import module

from parquetext import kernels, wire
from parquetext.errors import Damaged, ParquetextError, Unsupported


def structs_of(footer: bytes) -> list[list[bytes]]:
    """The ColumnChunks of a Thrift footer, leaf by leaf."""
    scan = kernels.scan.scan(footer)
    offsets, lengths = scan.chunks("chunk_offset"), scan.chunks("chunk_length")
    found = [footer[at : at + length] for at, length in zip(offsets, lengths, strict=True)]
    return [found[leaf :: scan.leaf_count] for leaf in range(scan.leaf_count)]


def reader_of(payload: bytes, flat=None):
    return (flat or kernels.flat).Reader(Memory(payload), 0, len(payload), payload[-64:])


def payload_of(footer: bytes, stats: str = "full") -> bytes:
    return bytes(kernels.flat.write(kernels.scan.scan(footer), stats))


def test_each_leaf_has_the_structs_of_the_footer(implementation, corpus, expected):
    count = 0
    for fields in expected[::3]:
        if fields["class"] != "readable" or (corpus / fields["file"]).stat().st_size > 1 << 14:
            continue
        footer = footer_of((corpus / fields["file"]).read_bytes())
        payload = payload_of(footer)
        reader, wanted = reader_of(payload), structs_of(kernels.flat.to_thrift(payload))
        for leaf in [0, len(wanted) // 2, len(wanted) - 1] if wanted else []:
            assert kernels.flat.chunk_structs(reader, leaf) == wanted[leaf], (fields["file"], leaf)
            count += len(wanted[leaf])
    assert count > 60


@pytest.mark.parametrize(("columns", "row_groups"), [(19, 1), (5, 3), (3, 9), (2, 200)])
def test_row_groups_are_the_requested_ones(implementation, columns, row_groups):
    footer = thrift.wide_footer(columns, row_groups)
    reader, wanted = reader_of(payload_of(footer)), structs_of(footer)
    for leaf in range(columns):
        for first in {0, row_groups // 2, row_groups - 1, row_groups}:
            for count in {0, (row_groups - first) // 2, row_groups - first}:
                found = kernels.flat.chunk_structs(reader, leaf, first, count)
                assert found == wanted[leaf][first : first + count]
        assert kernels.flat.chunk_structs(reader, leaf) == wanted[leaf]


def test_a_reader_answers_as_before_afterwards(implementation):
    footer = thrift.wide_footer(12, 70)
    reader = reader_of(payload_of(footer))
    sizes = list(reader.column(3).array("total_compressed_size"))
    kernels.flat.chunk_structs(reader, 11)
    assert list(reader.column(3).array("total_compressed_size")) == sizes
    assert reader.slice([3], [0])


@pytest.mark.parametrize("arguments", [(2, 0, 1), (-1,), (0, 4, 0), (0, 2, 2), (0, 0, 4), (0, -1, 1)])
def test_missing_chunks_are_a_bad_argument(implementation, arguments):
    reader = reader_of(payload_of(thrift.wide_footer(2, 3)))
    with pytest.raises(ParquetextError) as caught:
        kernels.flat.chunk_structs(reader, *arguments)
    assert caught.value.code == wire.BAD_ARGUMENT


def test_a_flipped_byte_gives_equal_structs_or_errors_in_both():
    payload = payload_of(small_footer())
    wanted = [outcome(kernels.flat.chunk_structs, reader_of(payload), leaf) for leaf in range(2)]
    for at in range(0, len(payload), 3):
        broken = bytearray(payload)
        broken[at] ^= 1 << at % 8
        found = []
        for package in ("native", "pure"):
            flat = module(package, "flat")
            try:
                reader = reader_of(bytes(broken), flat)
            except (Damaged, Unsupported):
                continue
            found.append([outcome(flat.chunk_structs, reader, leaf) for leaf in range(2)])
        assert all(answers == found[0] for answers in found)
        for answer, right in zip(found[0] if found else [], wanted, strict=False):
            assert answer == right or answer[0] in ("Damaged", "Unsupported"), at
