"""What a file's tail holds: the footer's place and the blocks that end it, from a few bytes and without Thrift."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from .. import kernels, wire
from ..errors import Malformed, Refused, Unsupported
from ..findings import Finding

__all__ = ["FIRST_READ_LOCAL", "FIRST_READ_REMOTE", "Block", "Source", "Tail", "locate", "read_tail"]

FIRST_READ_LOCAL, FIRST_READ_REMOTE = 4 << 10, 16 << 10
LENGTH_AND_MAGIC = 8
TRAILER_BYTES = 28
STOP = 0
KNOWN = {wire.UUID_FLAT_FOOTER, wire.UUID_FOOTER_INDEX, wire.UUID_COLUMN_ENCODING}


class Source(Protocol):
    """Where the bytes of a file come from."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the footer's extension; `payload` counts from the file's start, both are in bytes."""

    uuid: UUID
    payload: int
    length: int
    crc: int


@dataclass(slots=True)
class Tail:
    """Where the footer lies, and what stands at its end.

    Attributes
    ----------
    footer_offset, footer_length : int
        The Thrift footer with its extension: bytes from the file's start, and how many.
    needed : int
        Bytes from the file's end that have to be known for `blocks` to be complete; more than were given if another
        block may stand in front of them.
    blocks : list of Block
        From the back to the front. Lengths are checked by their checksums, payloads are not.
    findings : list of Finding
    """

    footer_offset: int
    footer_length: int
    needed: int
    blocks: list[Block] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def locate(tail: bytes, file_size: int) -> Tail:
    """Find the footer and its blocks in the last bytes of a file.

    Parameters
    ----------
    tail : bytes-like
        The last bytes of the file, 8 at least.
    file_size : int
        Bytes of the whole file.

    Raises
    ------
    Malformed
        The file is too short, does not end in a magic, or its footer does not fit in it.
    Refused
        The footer is encrypted (magic PARE).
    Unsupported
        The footer is of a form that this version does not read (magic PAR3).
    """
    view = memoryview(tail)
    if file_size < LENGTH_AND_MAGIC + 4:
        raise Malformed(f"{file_size} bytes are too few for a Parquet file, which has 12 at least",
                        offset=0, expected=LENGTH_AND_MAGIC + 4, found=file_size)
    _check_magic(bytes(view[-4:]), file_size)
    length = int.from_bytes(view[-8:-4], "little")
    if length > file_size - LENGTH_AND_MAGIC - 4:
        raise Malformed(
            f"the footer's length of {length} bytes does not fit in the file of {file_size} bytes: "
            f"it would start at {file_size - LENGTH_AND_MAGIC - length}",
            offset=file_size - LENGTH_AND_MAGIC, expected=file_size - LENGTH_AND_MAGIC - 4, found=length)
    located = Tail(file_size - LENGTH_AND_MAGIC - length, length, LENGTH_AND_MAGIC + 1 + TRAILER_BYTES)
    _find_blocks(view, file_size, located)
    return located


def _check_magic(magic: bytes, file_size: int) -> None:
    if magic == b"PAR1":
        return
    if magic == b"PARE":
        raise Refused("the footer is encrypted (magic PARE)", offset=file_size - 4, code=wire.ENCRYPTED)
    if magic == b"PAR3":
        raise Unsupported(
            "the file ends in PAR3: its only footer is of a form that this version does not read", offset=file_size - 4
        )
    raise Malformed(f"not a Parquet file: its {file_size} bytes end in {magic!r}, not in b'PAR1'", offset=file_size - 4)


def _find_blocks(tail: memoryview, file_size: int, located: Tail) -> None:
    """Step over the blocks from the back, as far as the given bytes go."""
    given = len(tail)
    start = file_size - given
    end = file_size - LENGTH_AND_MAGIC - 1
    if end < located.footer_offset or tail[end - start] != STOP:
        return
    while end - located.footer_offset > TRAILER_BYTES:
        located.needed = file_size - end + TRAILER_BYTES
        if located.needed > given:
            return
        found = kernels.extension.block_before(tail, end - start, check_payload=False)
        if found is None:
            return
        octets, payload, length, crc = found
        if payload + start <= located.footer_offset:
            return
        uuid = UUID(bytes=bytes(octets))
        if uuid not in KNOWN:
            message = f"{length} bytes of the unknown kind {uuid}"
            located.findings.append(Finding("unknown-block", message, payload + start, "footer"))
        located.blocks.append(Block(uuid, payload + start, length, crc))
        end = payload + start


def read_tail(source: Source, first_read: int = FIRST_READ_LOCAL) -> Tail:
    """Read a file's tail, and more of it only while blocks go on in front of what was read.

    Raises
    ------
    Malformed, Refused, Unsupported
        As `locate`.
    """
    given = min(max(first_read, LENGTH_AND_MAGIC), source.size)
    while True:
        located = locate(source.read(source.size - given, given), source.size)
        if located.needed <= given or given == source.size:
            return located
        given = min(located.needed, source.size)
