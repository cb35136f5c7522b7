"""Locate the footer and its blocks by the last bytes of a file, without parsing Thrift."""

from __future__ import annotations

from .. import wire
from ..errors import Malformed, ParquetextError, Refused, Unsupported
from . import forms
from .tail import LENGTH_AND_MAGIC, SMALLEST_TAIL, Source, Tail

FIRST_READ_LOCAL, FIRST_READ_REMOTE = 4 << 10, 16 << 10
MAX_FOOTER_BYTES = (1 << 31) - 1  # readers take the length for a signed number
SMALLEST_FILE = LENGTH_AND_MAGIC + 4
STOP = 0
MAGIC = b"PAR1"
NO_PARQUET = "not a Parquet file: "


def locate_in(source, tail: bytes) -> Tail:
    """Locate the footer by the last bytes of a source; if the file begins like Parquet, the error states it."""
    try:
        return locate(tail, source.size)
    except Malformed as error:
        magics = (MAGIC, *forms.BY_MAGIC)
        if bytes(tail[-4:]) in magics or source.size < 4 or (first := bytes(source.read(0, 4))) not in magics:
            raise
        fields = error.message.removeprefix(NO_PARQUET)
        why = "it was cut, not written to its end, or damaged there"
        error.message = f"it begins as a Parquet file ({first!r}) and does not end as one: {why}; {fields}"
        raise


def locate(tail, file_size: int) -> Tail:
    """Find the footer and its blocks in the last bytes of a file; O(number of blocks).

    Parameters
    ----------
    tail : bytes-like
        The last bytes of the file: 9 determine the footer's offset, 37 show if it ends in a block.
    file_size : int
        Bytes of the whole file.

    Raises
    ------
    Malformed
        The file is too short, does not end in a magic, or its footer does not fit in it.
    Damaged
        The checksum of a PAR3 footer's length is wrong.
    Unsupported
        The footer is longer than 2^31 - 1 bytes, or a flag of a PARX footer is not supported.
    Refused
        The footer is encrypted (magic PARE).
    ParquetextError
        Fewer than 9 bytes were given (16 of a PAR3 file, 17 of a PARX file, 20 of one with a modular footer), or more
        than the file has.
    """
    view = memoryview(tail).cast("B")
    if file_size < SMALLEST_FILE:
        message = f"{NO_PARQUET}its size is {file_size} bytes, and at least {SMALLEST_FILE} are needed"
        raise Malformed(message, offset=0, expected=SMALLEST_FILE, found=file_size)
    check_given(view, SMALLEST_TAIL, file_size)
    magic = bytes(view[-4:])
    if final := forms.BY_MAGIC.get(magic):
        return final.recognize(view, file_size)
    _check_magic(magic, view, file_size)
    length, end = int.from_bytes(view[-8:-4], "little"), file_size - LENGTH_AND_MAGIC
    if not 1 <= length <= file_size - SMALLEST_FILE:
        message = (
            f"the footer's length of {length} bytes does not fit in the file of {file_size} bytes: "
            f"it would start at {end - length}"
        )
        raise Malformed(message, offset=end, expected=file_size - SMALLEST_FILE, found=length)
    if length > MAX_FOOTER_BYTES:
        message = f"a footer of {length} bytes: readers take {MAX_FOOTER_BYTES} at most"
        raise Unsupported(message, offset=end, expected=MAX_FOOTER_BYTES, found=length, code=wire.TOO_LARGE)
    located = Tail(file_size, end - length, length, forms.THRIFT, forms.FRAMED)
    if view[-SMALLEST_TAIL] == STOP:
        located._step_over_blocks(view[:-SMALLEST_TAIL], end - 1)
    return located


def check_given(view: memoryview, least: int, file_size: int) -> None:
    if not least <= len(view) <= file_size:
        message = f"{len(view)} bytes given, of the file's {file_size} at least the last {least} are needed"
        raise ParquetextError(message, expected=least, found=len(view), code=wire.BAD_ARGUMENT)


def _check_magic(magic: bytes, view: memoryview, file_size: int) -> None:
    at = file_size - len(magic)
    if magic == MAGIC:
        for final in forms.BY_MAGIC.values():
            final.check_magic(view, at)
        return
    if magic == b"PARE":
        raise Refused("the footer is encrypted (magic PARE)", offset=at, code=wire.ENCRYPTED)
    if magic in forms.REFUSED_MAGICS:
        raise Unsupported(forms.REFUSED_MAGICS[magic], offset=at, code=wire.UNKNOWN_LAYOUT)
    raise Malformed(f"{NO_PARQUET}its {file_size} bytes end in {magic!r}, not in b'PAR1'", offset=at)


def footer_begin(source: Source) -> int:
    """Return the offset of the footer of a file whose tail has been read before."""
    length = min(SMALLEST_TAIL + wire.BLOCK_TRAILER_BYTES, source.size)
    return locate(source.read(source.size - length, length), source.size).footer_offset


def read_tail(source: Source, first_read: int = FIRST_READ_LOCAL) -> Tail:
    """Read a file's tail; before its blocks, read only the bytes that show if there are more blocks.

    Parameters
    ----------
    source : Source
    first_read : int
        Bytes to read at once from the end.

    Raises
    ------
    Malformed, Damaged, Refused, Unsupported
        As `locate`.
    """
    given = min(max(first_read, SMALLEST_TAIL + wire.BLOCK_TRAILER_BYTES), source.size)
    tail = locate_in(source, source.read(source.size - given, given))
    while tail.missing is not None:
        tail.step(source.read(*tail.missing))
    return tail
