"""Check the blocks before the Thrift footer against the reference to them, and against the data before them."""

from __future__ import annotations

from collections.abc import Iterator

from ... import kernels, wire
from ...findings import Finding
from ...footer.data_end import end_of_data
from ...footer.tail import REFERENCE_DAMAGED, Tail

PLACE = "reference"
STOP = b"\x00"


def check_aside(end: bytes, footer: bytes, tail: Tail, scan) -> Iterator[Finding]:
    """Check the zero bytes, every trailer, the struct's checksum, the copy of a tail block, and the end of the data.

    `end` is the file from `tail.start` to the end of its footer, `footer` the Thrift footer, extension and all.
    """
    reference, start = tail.reference, tail.start
    zeros = reference.blocks[0].payload - start
    if any(end[:zeros]):
        yield Finding("padding", f"{zeros} bytes in front of the blocks aside are not zero", start, PLACE)
    for block in reference.blocks:
        at = block.payload - start + block.length
        trailer = end[at : at + wire.BLOCK_TRAILER_BYTES]
        if kernels.checksum.crc32(trailer) != block.trailer_crc:
            yield _damaged("the trailer of a block aside is not the one that the reference says", start + at)
    last = reference.blocks[-1]
    at = last.payload - start + last.length
    if reference.tail_block and end[at - len(reference.tail_block) : at] != reference.tail_block:
        yield _damaged("the copy of the last block's tail block differs from it", start + at)
    struct_crc = kernels.checksum.crc32(STOP, kernels.checksum.crc32(footer[: reference.struct_length - 1]))
    if struct_crc != reference.struct_crc:
        sums = f"{struct_crc:#010x}, the reference says {reference.struct_crc:#010x}"
        yield _damaged(f"the Thrift footer has the checksum {sums}", tail.footer_offset)
    if (furthest := end_of_data(scan)) > start:
        yield _damaged(f"data extends to {furthest}, beyond the beginning of the blocks aside at {start}", start)


def _damaged(message: str, offset: int) -> Finding:
    return Finding(REFERENCE_DAMAGED, message, offset, PLACE)
