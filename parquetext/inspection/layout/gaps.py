"""Claim the bytes without an owner: zeros, and remains of earlier footers."""

from __future__ import annotations

from ... import kernels, wire
from ...encoding.pages import read_headers
from ...errors import ParquetextError
from ...footer.forms import BY_MAGIC
from .claims import Claims
from .data import Data, copy_size

STEP = 1 << 20
MOST_SEARCHED = 64 << 20  # bytes of a gap's end that are searched for what earlier footers have left
MAGICS, MAGIC_BEGINS = (b"PAR1", *BY_MAGIC), b"PAR"
MOST_ENDS = 10_000  # places of a gap where something may end that are looked at
LENGTH_BYTES, MAGIC_BYTES = 4, 4
WALKS = 4  # how often the bytes of a gap may be walked on the search for footers in it


def claim_gaps(claims: Claims, source, data: Data) -> None:
    """Claim the remaining bytes by their content."""
    owner_before = dict(zip(data.ends, zip(data.row_groups, data.leaves, strict=True), strict=True))
    for offset, length in list(claims.gaps()):
        begin, end = offset, offset + length
        row_group, leaf = owner_before.get(begin, (-1, -1))
        while begin < end:
            if size := copy_size(source, begin, end):
                claims.add(begin, size, "metadata-copy", row_group=row_group, column=leaf)
            elif size := _dead_pages(source, begin, end):
                claims.add(begin, size, "dead-pages")
            else:
                break
            begin += size
        zeros = _zeros(source, begin, end - begin)
        claims.add(begin, zeros, "padding")
        if begin + zeros < end:
            _claim_left_over(claims, source, begin + zeros, end)


def _dead_pages(source, begin: int, end: int) -> int:
    """Return the size of complete pages that begin here; their row group is in no footer."""
    pages = read_headers(source, begin, end)
    unlikely = next((number for number, count in enumerate(pages.array("num_values")) if count < 0), len(pages))
    return (pages.end if unlikely == len(pages) else pages.array("offset")[unlikely]) - begin


def _zeros(source, offset: int, length: int) -> int:
    """Return the number of zero bytes at the beginning of a range."""
    for at in range(0, length, STEP):
        data = source.read(offset + at, min(STEP, length - at))
        rest = data.lstrip(b"\0")
        if rest:
            return at + len(data) - len(rest)
    return length


def _claim_left_over(claims: Claims, source, begin: int, end: int) -> None:
    """Take the range apart from its back: dead footers, dead blocks, and bytes that nothing is known of between."""
    start = max(begin, end - MOST_SEARCHED)
    data = source.read(start, end - start)
    budget = WALKS * len(data)
    stop = unknown = len(data.rstrip(b"\0"))  # the end of bytes of unknown content
    claims.add(start + stop, len(data) - stop, "padding")
    ends = 0
    while stop > 0 and ends < MOST_ENDS:
        ends += 1
        dead, kind, budget = _dead_end(data, stop, budget)
        if kind is None:
            stop = _next_end(data, stop)
            continue
        _claim_unknown(claims, data, start, stop, unknown)
        claims.add(start + dead, stop - dead, kind)
        stop = unknown = dead
    _claim_unknown(claims, data, start, 0, unknown)
    claims.add(begin, start - begin, "gap")


def _claim_unknown(claims: Claims, data: bytes, start: int, begin: int, end: int) -> None:
    is_zero = not data[begin:end].strip(b"\0")
    claims.add(start + begin, end - begin, "padding" if is_zero else "gap")


def _dead_end(data: bytes, stop: int, budget: int) -> tuple[int, str | None, int]:
    """Return the begin and kind of a footer or block that ends at ``data[stop]``, and the remaining budget."""
    if data[stop - MAGIC_BYTES : stop] in MAGICS and stop >= LENGTH_BYTES + MAGIC_BYTES:
        length = int.from_bytes(data[stop - 8 : stop - 4], "little")
        begin = stop - LENGTH_BYTES - MAGIC_BYTES - length
        if begin >= 0 and 0 < length <= budget:
            budget -= length
            if _is_struct(data[begin : begin + length]):
                return begin, "dead-footer", budget
    trailer = kernels.extension.read_trailer(
        data[max(stop - wire.BLOCK_TRAILER_BYTES, 0) : stop], min(stop, wire.BLOCK_TRAILER_BYTES)
    )
    if trailer is not None and trailer[1] <= budget:
        budget -= trailer[1]
        block = kernels.extension.block_before(memoryview(data)[:stop], stop)
        if block is not None:
            return block[1], "dead-block", budget
    return stop, None, budget


def _is_struct(data: bytes) -> bool:
    """Return True if bytes begin with a Thrift struct that has fields, followed at most by an extension."""
    try:
        return kernels.thrift.struct_end(data) > 1 and bool(kernels.thrift.find(data, 2))
    except ParquetextError:
        return False


def _next_end(data: bytes, stop: int) -> int:
    """Return the last position before `stop` at which a part may end: after a magic, or after bytes like one."""
    found = data.rfind(MAGIC_BEGINS, 0, max(stop - 2, 0))
    return 0 if found < 0 else found + MAGIC_BYTES
