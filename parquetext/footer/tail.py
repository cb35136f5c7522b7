"""The end of a file: the footer's position, and the stack of blocks at the end of its extension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from .. import block_text, extension, kernels, wire
from ..errors import Damaged, ParquetextError, Refused, Unsupported
from ..findings import Finding
from ..records import frozen

if TYPE_CHECKING:
    from .form_spec import FormSpec

LENGTH_AND_MAGIC = 8
SMALLEST_TAIL = LENGTH_AND_MAGIC + 1
MARKER_BYTES = 4
LONGEST_LENGTH = 5
DAMAGED_UUID_BITS = 16  # of 128; unrelated UUIDs differ in about 64
UNKNOWN_BLOCK, FREE_FORM = "unknown-block", "free-form"
REFERENCE_DAMAGED, REFERENCE_UNKNOWN = "reference-damaged", "reference-unknown"
BLOCK_END = wire.REFERENCE_TEXT_LIMIT + 16  # bytes that show the end of a block, or a reference and its marker
MOST_REACH = 1 << 20  # upper bound of a read that steps over many blocks
HEADER_BYTES = 1 + MARKER_BYTES + LONGEST_LENGTH  # of an extension, and the byte in front of it


class Source(Protocol):
    """The bytes of a file."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly `length` bytes."""


@frozen
class Block:
    """A block of the footer's extension.

    Attributes
    ----------
    uuid : UUID
        Its kind.
    payload : int
        Offset of the payload in the file. A block that is text begins there: base64 of payload and trailer.
    length : int
        Bytes of the payload.
    crc : int or None
        Checksum of the payload; None if the block is aside, because only its trailer contains it, or if the payload
        checks itself.
    trailer : int
        Bytes of the trailer; a form may have its own kind of trailer.
    is_aside : bool
        True if the block is before the Thrift footer.
    is_text : bool
    """

    uuid: UUID
    payload: int
    length: int
    crc: int | None
    trailer: int = wire.BLOCK_TRAILER_BYTES
    is_aside: bool = False
    is_text: bool = False

    @property
    def size(self) -> int:
        """Return the bytes in the file, including the trailer."""
        total = self.length + self.trailer
        return total // 3 * 4 if self.is_text else total


@dataclass(slots=True)
class Tail:
    """The position of the footer, and the blocks at its end.

    Attributes
    ----------
    file_size : int
    footer_offset, footer_length : int
        The Thrift footer with its extension: offset in the file, and bytes. If the file has no Thrift footer, the
        payload of the final form.
    form : FormSpec
        The Thrift form, or the final form that replaces it.
    framed : sequence of FormSpec
        The forms whose blocks have their own kind of trailer.
    blocks : list of Block
        From the back to the front; blocks aside follow the reference to them. The checksums of lengths are checked,
        those of payloads are not. If the file has no Thrift footer, the block is that of the final form.
    reference : Reference or None
        The reference to the blocks aside, if it matches the footer.
    findings : list of Finding
        Blocks of unknown kind, which are notes; free-form bytes under blocks; a reference that does not match.
    referred : list of (FormSpec, Block)
        Forms without a block to which the Thrift footer refers; filled by `forms.add_referred`.
    missing : (int, int) or None
        Offset and length of the bytes to read and to pass to `step`: they show if there is another block before
        those found. None if all blocks are known.
    extension : int or None
        Offset of the extension's marker, if the whole stack is known.
    """

    file_size: int
    footer_offset: int
    footer_length: int
    form: FormSpec
    framed: Sequence[FormSpec] = ()
    blocks: list[Block] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    missing: tuple[int, int] | None = None
    extension: int | None = None
    reference: Any = None
    referred: list[tuple[FormSpec, Block]] = field(default_factory=list)
    _unconfirmed: Any = None  # a reference and its block, before the marker is checked
    _has_reference: bool = False
    _reach: int = BLOCK_END  # bytes to read before the known ones

    @property
    def start(self) -> int:
        """Return the offset of the footer with its blocks aside, including the zero bytes before the first one."""
        return self.footer_offset if self.reference is None else self.reference.start

    def thrift_only(self) -> Tail:
        """Return the tail if it has a Thrift footer.

        Raises
        ------
        Refused
            If another form replaces the Thrift footer.
        """
        if self.is_final:
            raise Refused(self.form.no_thrift, offset=self.file_size - 4, code=wire.NO_THRIFT)
        return self

    @property
    def is_final(self) -> bool:
        """Return True if the form replaces the Thrift footer."""
        return self.form.magic is not None

    def step(self, data: bytes) -> None:
        """Continue with the bytes of `missing`, and with those before them if `data` begins earlier."""
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
        """Step from block to block in `data`, the bytes before the file's offset `end`."""
        view, start = memoryview(data), end - len(data)
        self.missing = None
        while end > self.footer_offset:
            last = bytes(view[: end - start][-16:])
            trailer = next((form.trailer_bytes for form in self.framed if form.block_kind.bytes == last), None)
            wanted = min(trailer or wire.BLOCK_TRAILER_BYTES, end - self.footer_offset)
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
        """Return the block that ends at the file's offset `end`, the end of `data`; its payload may be missing."""
        for form in self.framed:
            if framed := form.read_trailer(data, len(data)):
                uuid, (length, crc), trailer = form.block_kind, framed, form.trailer_bytes
                break
        else:
            found = kernels.extension.read_trailer(data, len(data))
            if found is None:
                return None
            octets, length, crc = found
            uuid, trailer = UUID(bytes=octets), wire.BLOCK_TRAILER_BYTES
        payload = end - trailer - length
        if payload < self.footer_offset + MARKER_BYTES + 1:
            return None
        return Block(uuid, payload, length, crc, trailer)

    def _text_before(self, data: memoryview, end: int) -> Block | None:
        """Return the block that ends at the file's offset `end` as text, or set `missing`."""
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
        """Use the reference whose bytes are `data`, if it matches; `view` begins at the file's offset `start`."""
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
        """Add the blocks of the reference, if `header`, the bytes at the struct's former stop, is an extension's."""
        (reference, block), self._unconfirmed = self._unconfirmed, None
        stop, total = self.footer_offset + reference.struct_length - 1, self.file_size - LENGTH_AND_MAGIC - 1
        behind = not block.is_text and header[:1] == b"\0" and _is_header(header[1:], total - stop - 1)
        if not behind and not _is_header(header, total - stop):
            error = Damaged(
                f"the reference to blocks aside is of a struct that ended at {stop}, where the "
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
        """Find the extension's marker before `end`, the end of `data`."""
        total = self.file_size - LENGTH_AND_MAGIC - 1 - end
        for size in range(1, LONGEST_LENGTH + 1):
            header = bytes(data[-size - MARKER_BYTES :])
            if header[:MARKER_BYTES] in extension.MARKERS.values() and _is_length(header[MARKER_BYTES:], total):
                self.extension = end - len(header)
                return
        message = f"the bytes in front of {len(self.blocks)} blocks are neither a block nor their marker and length"
        self.findings.append(Finding(FREE_FORM, message, end, "footer"))


def _unknown(block: Block) -> Finding:
    """Return the finding for a block of unknown kind: a note, unless its UUID is almost a known one."""
    message = f"{block.length} bytes of the unknown kind {block.uuid}"
    nearest = min(extension.known(), key=lambda uuid: (uuid.int ^ block.uuid.int).bit_count())
    bits = (nearest.int ^ block.uuid.int).bit_count()
    if bits > DAMAGED_UUID_BITS:
        return Finding(UNKNOWN_BLOCK, message, block.payload, "footer", is_note=True)
    message += f", which differs in {bits} bits from that of {extension.name_of(nearest)!r}: a damaged UUID"
    return Finding(UNKNOWN_BLOCK, message, block.payload, "footer")


def _parse_reference(block: Block, data, footer: int):
    """Parse a reference block; offsets in errors count from the file's start."""
    if block.is_text:
        decoded = block_text.decode_block(data)
        if decoded is None:
            raise Damaged("the reference to blocks aside is not base64", offset=block.payload, code=wire.REFERENCE)
        payload = decoded[: block.length]
    else:
        payload = bytes(data[: block.length])
    found = kernels.checksum.crc32(payload)
    if found != block.crc:
        message = f"the reference to blocks aside has the checksum {found:#010x}, expected {block.crc:#010x}"
        raise Damaged(message, offset=block.payload, expected=block.crc, found=found, code=wire.CHECKSUM)
    try:
        return kernels.reference.parse(payload, footer)
    except Damaged as error:
        at = error.offset or 0
        error.offset = block.payload + (at // 3 * 4 if block.is_text else at)
        raise


def _is_header(data: bytes, total: int) -> bool:
    """Return True if `data` begins with a marker, and with the length of the rest of `total` bytes after both."""
    if data[:MARKER_BYTES] not in extension.MARKERS.values():
        return False
    try:
        length, next = kernels.varint.decode32(data, MARKER_BYTES)
    except ParquetextError:
        return False
    return length == total - next


def _is_length(data: bytes, length: int) -> bool:
    """Return True if `data` is one ULEB128 with this value."""
    try:
        return kernels.varint.decode32(data) == (length, len(data))
    except ParquetextError:
        return False
