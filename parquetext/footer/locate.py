"""What a file's tail holds: the footer's place and the blocks that end it, from a few bytes and without Thrift."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from .. import block_text, extension, kernels, wire
from ..errors import Damaged, Malformed, ParquetextError, Refused, Unsupported, wire_error
from ..findings import Finding
from .dialect import framing

__all__ = [
    "FIRST_READ_LOCAL",
    "FIRST_READ_REMOTE",
    "MAX_FOOTER_BYTES",
    "Block",
    "Source",
    "Tail",
    "footer_begin",
    "locate",
    "locate_in",
    "read_tail",
]

FIRST_READ_LOCAL, FIRST_READ_REMOTE = 4 << 10, 16 << 10
LENGTH_AND_MAGIC = 8
MAX_FOOTER_BYTES = (1 << 31) - 1  # readers take the length for a signed number
PAR3_TRAILER = struct.Struct("<III4s")  # the payload's CRC-32, its length, the length's CRC-32, magic
SMALLEST_FILE = LENGTH_AND_MAGIC + 4
SMALLEST_TAIL = LENGTH_AND_MAGIC + 1
MARKER_BYTES = 4
LONGEST_LENGTH = 5
STOP = 0
DAMAGED_UUID_BITS = 16  # of 128; two UUIDs that have nothing to do with each other differ in some 64
MAGIC, PAR3_MAGIC = b"PAR1", b"PAR3"
NO_PARQUET = "not a Parquet file: "
UNKNOWN_BLOCK, FREE_FORM = "unknown-block", "free-form"
REFERENCE_DAMAGED, REFERENCE_UNKNOWN = "reference-damaged", "reference-unknown"
BLOCK_END = wire.REFERENCE_TEXT_LIMIT + 16  # bytes that show the end of a block, or a reference and its marker
MOST_REACH = 1 << 20  # bytes read at once to step over many blocks, however many there are
HEADER_BYTES = 1 + MARKER_BYTES + LONGEST_LENGTH  # of an extension, and the byte in front of it


class Source(Protocol):
    """Where the bytes of a file come from."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the footer's extension; `payload` counts from the file's start, lengths are in bytes.

    A block of the arrow dialect has a trailer of its own kind, and its checksum covers one byte of that. A block that
    stands aside lies in front of the Thrift footer; its checksum is known to whoever reads its trailer alone. A
    reference may be text: base64 of payload and trailer, which begins at `payload`.
    """

    uuid: UUID
    payload: int
    length: int
    crc: int | None
    trailer: int = wire.BLOCK_TRAILER_BYTES
    is_aside: bool = False
    is_text: bool = False

    @property
    def is_dialect(self) -> bool:
        return self.trailer == framing.TRAILER_BYTES

    @property
    def size(self) -> int:
        """Bytes in the file, trailer and all."""
        total = self.length + self.trailer
        return total // 3 * 4 if self.is_text else total


@dataclass(slots=True)
class Tail:
    """Where the footer lies, and what stands at its end.

    Attributes
    ----------
    file_size : int
    footer_offset, footer_length : int
        The Thrift footer with its extension: bytes from the file's start, and how many. In a PAR3 file the flat
        footer's payload.
    blocks : list of Block
        From the back to the front; those that stand aside follow the reference to them. Lengths are checked by their
        checksums, payloads are not. In a PAR3 file its flat footer.
    reference : Reference or None
        What leads to the blocks that stand aside, once it is known to fit.
    findings : list of Finding
        Blocks of unknown kind, which are notes; free-form bytes under blocks; a reference that does not fit.
    missing : (int, int) or None
        Offset and length of the bytes to read and to give to `step`: they show whether another block stands in front
        of those found. None when all are known.
    extension : int or None
        Where the extension's marker stands, once the whole stack is known.
    is_par3 : bool
        Whether the flat footer stands alone (magic PAR3).
    """

    file_size: int
    footer_offset: int
    footer_length: int
    blocks: list[Block] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    missing: tuple[int, int] | None = None
    extension: int | None = None
    is_par3: bool = False
    reference: object | None = None
    _unconfirmed: tuple | None = None  # a reference and its block, before the marker was looked at
    _has_reference: bool = False
    _reach: int = BLOCK_END  # bytes to read in front of what is known

    @property
    def start(self) -> int:
        """Where the footer with all that is ours begins: the first block aside, zero bytes in front of it included."""
        return self.footer_offset if self.reference is None else self.reference.start

    @property
    def needed(self) -> int:
        """Bytes from the file's end that show its last block, if there is any."""
        return min(SMALLEST_TAIL + wire.BLOCK_TRAILER_BYTES, LENGTH_AND_MAGIC + self.footer_length)

    def thrift_only(self) -> Tail:
        """The same, for whoever works on Thrift bytes.

        Raises
        ------
        Refused
            It is a PAR3 file, and has none.
        """
        if self.is_par3:
            raise wire_error(wire.NO_THRIFT, self.file_size - 4)
        return self

    def has(self, uuid: UUID) -> bool:
        """Whether a block of this kind was found."""
        return any(block.uuid == uuid for block in self.blocks)

    def step(self, data: bytes) -> None:
        """Go on with the bytes of `missing`, and with those in front of them if `data` begins earlier."""
        if self.missing is None:
            return
        offset, length = self.missing
        if self._unconfirmed is None:
            self._step_over_blocks(data, offset + length)
            return
        block = self._unconfirmed[1]
        self._confirm(bytes(data[-length:]))
        self._step_over_blocks(b"", block.payload)

    def _step_over_blocks(self, data, end: int) -> None:
        """Step from block to block with `data`, the bytes before the file's offset `end`, as far as they go."""
        view, start = memoryview(data), end - len(data)
        self.missing = None
        while end > self.footer_offset:
            dialect = bytes(view[: end - start][-len(framing.UUID) :]) == framing.UUID
            wanted = min(framing.TRAILER_BYTES if dialect else wire.BLOCK_TRAILER_BYTES, end - self.footer_offset)
            if end - wanted < start:
                least = min(self._reach, end - self.footer_offset)
                self.missing, self._reach = (end - least, least), min(2 * self._reach, MOST_REACH)
                return
            block = self._block_before(view[: end - start], end)
            if block is None:
                block = self._text_before(view[: end - start], end)
                if self.missing:
                    return
            if block is None:
                break
            if block.uuid == wire.UUID_FOOTER_REFERENCE and not self._has_reference:
                if block.payload < start:
                    self.missing = block.payload, end - block.payload
                    return
                self._take_reference(block, view[block.payload - start : end - start], view, start)
                if self.missing:
                    return
                end = block.payload
                view = view[: max(end - start, 0)]
                continue
            if block.uuid not in extension.known():
                self.findings.append(_unknown(block))
            self.blocks.append(block)
            end = block.payload
            view = view[: max(end - start, 0)]
        if self.blocks:
            self._end_stack(view[: end - start], end)

    def _block_before(self, data: memoryview, end: int) -> Block | None:
        """The block that ends at the file's offset `end`, which `data` ends at; its payload need not be there."""
        dialect = framing.read_trailer(data, len(data))
        if dialect is not None:
            octets, length, crc, trailer = framing.UUID, dialect.length, dialect.crc, framing.TRAILER_BYTES
        elif found := kernels.extension.read_trailer(data, len(data)):
            (octets, length, crc), trailer = found, wire.BLOCK_TRAILER_BYTES
        else:
            return None
        payload = end - trailer - length
        if payload < self.footer_offset + MARKER_BYTES + 1:
            return None
        return Block(UUID(bytes=octets), payload, length, crc, trailer)

    def _text_before(self, data: memoryview, end: int) -> Block | None:
        """The block that ends at the file's offset `end` as text; or what is missing to know."""
        wanted = min(block_text.TEXT_END, end - self.footer_offset)
        if wanted < block_text.TEXT_END:
            return None
        if len(data) < block_text.TEXT_END:
            self.missing = end - block_text.TEXT_END, block_text.TEXT_END
            return None
        found = block_text.text_end(data)
        if found is None or end - found[1] < self.footer_offset + MARKER_BYTES:
            return None
        octets, characters, length, crc = found
        return Block(UUID(bytes=octets), end - characters, length, crc, is_text=True)

    def _take_reference(self, block: Block, data, view, start: int) -> None:
        """Go by a reference whose bytes are `data`, if it fits; `view` begins at the file's offset `start`."""
        self.blocks.append(block)
        self._has_reference = True
        try:
            reference = _parse_reference(block, data, self.footer_offset)
        except Unsupported as error:
            self.findings.append(Finding(REFERENCE_UNKNOWN, str(error), block.payload, "footer", is_note=True))
            return
        except Damaged as error:
            self.findings.append(Finding.of(REFERENCE_DAMAGED, error, "footer"))
            return
        self._unconfirmed = reference, block
        begin = self.footer_offset + reference.struct_length - 1
        length = min(HEADER_BYTES, self.file_size - begin)
        if begin >= block.payload:
            self._confirm(b"")
        elif begin >= start:
            self._confirm(bytes(view[begin - start : begin - start + length]))
        else:
            self.missing = begin, length

    def _confirm(self, header: bytes) -> None:
        """Take the blocks of the reference, if `header`, the bytes where the struct's stop was, fits."""
        (reference, block), self._unconfirmed = self._unconfirmed, None
        stop, total = self.footer_offset + reference.struct_length - 1, self.file_size - LENGTH_AND_MAGIC - 1
        behind = not block.is_text and header[:1] == b"\0" and _is_header(header[1:], total - stop - 1)
        if not behind and not _is_header(header, total - stop):
            error = Damaged(
                f"the reference to blocks that stand aside is of a struct that ended at {stop}, where the "
                "extension does not begin",
                offset=stop,
                code=wire.REFERENCE,
            )
            self.findings.append(Finding.of(REFERENCE_DAMAGED, error, "footer"))
            return
        self.reference = reference
        self.blocks += [
            Block(UUID(bytes=aside.uuid), aside.payload, aside.length, None, is_aside=True)
            for aside in reversed(reference.blocks)
        ]

    def _end_stack(self, data: memoryview, end: int) -> None:
        """See whether the extension begins at `end`, where the bytes `data` end."""
        total = self.file_size - LENGTH_AND_MAGIC - 1 - end
        for size in range(1, LONGEST_LENGTH + 1):
            header = bytes(data[-size - MARKER_BYTES :])
            if header[:MARKER_BYTES] in extension.MARKERS.values() and _is_length(header[MARKER_BYTES:], total):
                self.extension = end - len(header)
                return
        message = f"the bytes in front of {len(self.blocks)} blocks are neither a block nor their marker and length"
        self.findings.append(Finding(FREE_FORM, message, end, "footer"))


def _unknown(block: Block) -> Finding:
    """A block of a kind that nobody has named: another vendor's, unless its UUID is all but one that is known."""
    message = f"{block.length} bytes of the unknown kind {block.uuid}"
    nearest = min(extension.known(), key=lambda uuid: (uuid.int ^ block.uuid.int).bit_count())
    bits = (nearest.int ^ block.uuid.int).bit_count()
    if bits > DAMAGED_UUID_BITS:
        return Finding(UNKNOWN_BLOCK, message, block.payload, "footer", is_note=True)
    message += f", which differs in {bits} bits from that of {extension.name_of(nearest)!r}: a damaged UUID"
    return Finding(UNKNOWN_BLOCK, message, block.payload, "footer")


def _parse_reference(block: Block, data, footer: int):
    """A reference block's payload; Damaged with the file's offset, of text that of its beginning."""
    if block.is_text:
        decoded = block_text.decode_block(data)
        if decoded is None:
            raise Damaged(
                "the reference to blocks that stand aside is no base64", offset=block.payload, code=wire.REFERENCE
            )
        payload = decoded[: block.length]
    else:
        payload = bytes(data[: block.length])
    found = kernels.checksum.crc32(payload)
    if found != block.crc:
        raise Damaged(
            f"the reference to blocks that stand aside has the checksum {found:#010x}, expected {block.crc:#010x}",
            offset=block.payload,
            expected=block.crc,
            found=found,
            code=wire.CHECKSUM,
        )
    try:
        return kernels.reference.parse(payload, footer)
    except Damaged as error:
        error.offset = block.payload + (error.offset // 3 * 4 if block.is_text else error.offset)
        raise


def _is_header(data: bytes, total: int) -> bool:
    """Whether `data` begins with a marker and the length of what is left of `total` bytes behind both."""
    if data[:MARKER_BYTES] not in extension.MARKERS.values():
        return False
    try:
        length, next = kernels.varint.decode32(data, MARKER_BYTES)
    except ParquetextError:
        return False
    return length == total - next


def _is_length(data: bytes, length: int) -> bool:
    """Whether `data` is one ULEB128 of this value."""
    try:
        return kernels.varint.decode32(data) == (length, len(data))
    except ParquetextError:
        return False


def locate_in(source, tail: bytes) -> Tail:
    """Locate the footer by the last bytes of a source; of a file that begins as Parquet does, say that it was cut."""
    try:
        return locate(tail, source.size)
    except Malformed as error:
        if bytes(tail[-4:]) in (MAGIC, PAR3_MAGIC) or source.size < 4 or bytes(source.read(0, 4)) != MAGIC:
            raise
        facts = error.message.removeprefix(NO_PARQUET)
        why = "it was cut, not written to its end, or damaged there"
        error.message = f"it begins as a Parquet file (b'PAR1') and does not end as one: {why}; {facts}"
        raise


def locate(tail, file_size: int) -> Tail:
    """Find the footer and its blocks in the last bytes of a file; O(number of blocks).

    Parameters
    ----------
    tail : bytes-like
        The last bytes of the file: 9 say where the footer is, 37 whether it ends in a block.
    file_size : int
        Bytes of the whole file.

    Raises
    ------
    Malformed
        The file is too short, does not end in a magic, or its footer does not fit in it.
    Damaged
        The checksum of a PAR3 footer's length is wrong.
    Unsupported
        The footer is longer than 2^31 - 1 bytes.
    Refused
        The footer is encrypted (magic PARE).
    ParquetextError
        Fewer than 9 bytes were given (16 of a PAR3 file), or more than the file has.
    """
    view = memoryview(tail).cast("B")
    if file_size < SMALLEST_FILE:
        raise Malformed(
            f"{NO_PARQUET}its size is {file_size} bytes, and at least {SMALLEST_FILE} are needed",
            offset=0,
            expected=SMALLEST_FILE,
            found=file_size,
        )
    _check_given(view, SMALLEST_TAIL, file_size)
    magic = bytes(view[-4:])
    if magic == PAR3_MAGIC:
        return _locate_par3(view, file_size)
    _check_magic(magic, view, file_size)
    length, end = int.from_bytes(view[-8:-4], "little"), file_size - LENGTH_AND_MAGIC
    if not 1 <= length <= file_size - SMALLEST_FILE:
        raise Malformed(
            f"the footer's length of {length} bytes does not fit in the file of {file_size} bytes: "
            f"it would start at {end - length}",
            offset=end,
            expected=file_size - SMALLEST_FILE,
            found=length,
        )
    if length > MAX_FOOTER_BYTES:
        raise Unsupported(
            f"a footer of {length} bytes: readers take {MAX_FOOTER_BYTES} at most",
            offset=end,
            expected=MAX_FOOTER_BYTES,
            found=length,
            code=wire.TOO_LARGE,
        )
    located = Tail(file_size, end - length, length)
    if view[-SMALLEST_TAIL] == STOP:
        located._step_over_blocks(view[:-SMALLEST_TAIL], end - 1)
    return located


def _check_given(view: memoryview, least: int, file_size: int) -> None:
    if not least <= len(view) <= file_size:
        raise ParquetextError(
            f"{len(view)} bytes given, of the file's {file_size} at least the last {least} are needed",
            expected=least,
            found=len(view),
            code=wire.BAD_ARGUMENT,
        )


def _locate_par3(view: memoryview, file_size: int) -> Tail:
    trailer = PAR3_TRAILER.size
    _check_given(view, min(trailer, file_size), file_size)
    end, most = file_size - trailer, file_size - trailer - len(MAGIC)
    if most < 1:
        raise Malformed(
            f"{file_size} bytes are too few for a PAR3 file",
            offset=0,
            expected=trailer + len(MAGIC) + 1,
            found=file_size,
        )
    crc, length, stored, _ = PAR3_TRAILER.unpack(view[-trailer:])
    computed = kernels.checksum.crc32(view[-12:-8])
    if computed != stored:
        raise Damaged(
            f"the PAR3 footer's length, {length}, has the checksum {computed:#010x}, expected {stored:#010x}",
            offset=end + 8,
            expected=stored,
            found=computed,
            code=wire.CHECKSUM,
        )
    if not 1 <= length <= most:
        raise Malformed(
            f"the PAR3 footer's length of {length} bytes does not fit in the file of {file_size} bytes",
            offset=end + 4,
            expected=most,
            found=length,
        )
    block = Block(wire.UUID_FLAT_FOOTER, end - length, length, crc)
    return Tail(file_size, block.payload, length, [block], is_par3=True)


def _check_magic(magic: bytes, view: memoryview, file_size: int) -> None:
    at = file_size - len(magic)
    if magic == MAGIC and not _ends_like_par3(view):
        return
    if magic == MAGIC:
        raise Damaged("the magic is b'PAR1', but what stands before it is the end of a PAR3 file", offset=at)
    if magic == b"PARE":
        raise Refused("the footer is encrypted (magic PARE)", offset=at, code=wire.ENCRYPTED)
    raise Malformed(f"{NO_PARQUET}its {file_size} bytes end in {magic!r}, not in b'PAR1'", offset=at)


def _ends_like_par3(view: memoryview) -> bool:
    """Whether a flat footer's last record and a PAR3 trailer stand before the magic, which one bit tells from PAR1."""
    record = len(view) - PAR3_TRAILER.size - wire.FLAT_RECORD_BYTES
    return (
        record >= 0
        and view[record : record + 16] == wire.UUID_FLAT_FOOTER.bytes
        and kernels.checksum.crc32(view[-12:-8]) == int.from_bytes(view[-8:-4], "little")
    )


def footer_begin(source) -> int:
    """Where the footer begins, of a file whose tail has been read before: the Thrift footer, or a PAR3 file's."""
    last = bytes(source.read(source.size - PAR3_TRAILER.size, PAR3_TRAILER.size))
    if last.endswith(PAR3_MAGIC):
        return source.size - PAR3_TRAILER.size - PAR3_TRAILER.unpack(last)[1]
    return source.size - LENGTH_AND_MAGIC - int.from_bytes(last[-LENGTH_AND_MAGIC : -len(MAGIC)], "little")


def read_tail(source: Source, first_read: int = FIRST_READ_LOCAL, *, until: UUID | None = None) -> Tail:
    """Read a file's tail, and in front of its blocks just what shows whether there are more.

    Parameters
    ----------
    source : Source
    first_read : int
        Bytes to read at once from the end.
    until : UUID, optional
        Stop at the first block of this kind, from the back.

    Raises
    ------
    Malformed, Damaged, Refused, Unsupported
        As `locate`.
    """
    given = min(max(first_read, SMALLEST_TAIL + wire.BLOCK_TRAILER_BYTES), source.size)
    tail = locate_in(source, source.read(source.size - given, given))
    while tail.missing is not None and not (until and tail.has(until)):
        tail.step(source.read(*tail.missing))
    return tail
