"""The footer that an edit starts from: its bytes, its extension in pieces, and the refusals that all edits share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from .. import extension, kernels, wire
from ..errors import ParquetextError, Refused, Unsupported, wire_error
from ..footer.dialect import framing
from ..footer.locate import FIRST_READ_LOCAL, LENGTH_AND_MAGIC, Tail, read_tail
from ..storage import TailEdit

__all__ = ["LENGTH_AND_MAGIC", "OWN_FORMS", "SMALLEST_READ", "Footer", "Piece", "form_of", "parse_footer",
           "read_footer", "read_thrift"]

# The first of them that a footer has is the one that it is opened by.
OWN_FORMS = {wire.UUID_FLAT_FOOTER: "flat", wire.UUID_FOOTER_INDEX: "index", wire.UUID_ARROW_DIALECT: "arrow"}
MAGIC = b"PAR1"
STOP = b"\x00"
SIGNATURE_BYTES = 28
TRAILER_BYTES = 28
SMALLEST_READ = LENGTH_AND_MAGIC + len(STOP) + TRAILER_BYTES
MAX_FOOTER_BYTES = (1 << 31) - 1  # readers take the length for a signed number


@dataclass(frozen=True, slots=True)
class Piece:
    """A block of an extension, with its trailer; without `uuid` the bytes in front of all blocks."""

    uuid: UUID | None
    content: memoryview
    trailer: int = TRAILER_BYTES

    @property
    def payload(self) -> memoryview:
        return self.content[:-self.trailer]

    @property
    def is_dialect(self) -> bool:
        return self.trailer == framing.TRAILER_BYTES

    @property
    def crc(self) -> int:
        """The checksum that the payload should have; not of the arrow dialect's block."""
        return int.from_bytes(self.content[-TRAILER_BYTES:-TRAILER_BYTES + 4], "little")

    @property
    def is_whole(self) -> bool:
        """Whether it is a block of ours or others whose payload has its checksum."""
        return not self.is_dialect and kernels.checksum.crc32(self.payload) == self.crc


@dataclass(frozen=True, slots=True)
class Footer:
    """A Thrift footer, extension and all, that ends where the file says.

    Attributes
    ----------
    data : bytes
    offset : int
        From the file's start.
    place : Place or None
        Of the extension.
    pieces : tuple of Piece
        The extension's bytes, front to back. Blocks count as such even if their payload is damaged.
    known_scan : Scan or None
        What the struct's end was found by, where it has no extension.
    """

    data: bytes
    offset: int
    place: object | None
    pieces: tuple[Piece, ...]
    known_scan: object | None = None

    def scan(self, *, strict: bool = True):
        """The footer as arrays; one that contradicts itself is an error, unless it is not `strict`."""
        return kernels.scan.scan(self.data, strict=strict) if self.known_scan is None else self.known_scan

    @property
    def is_free_form(self) -> bool:
        """Whether the extension is empty, or begins with bytes that belong to no block."""
        return bool(self.pieces) and self.pieces[0].uuid is None

    @property
    def bare(self) -> bytes:
        """The Thrift struct without its extension."""
        if self.place is None:
            return self.data
        return self.data[:self.place.header] + (STOP if self.place.placement == 0 else b"")

    @property
    def form(self) -> str:
        """The form of ours that the footer has, or ``"thrift"``."""
        return form_of(self.pieces)

    def edit(self, pieces: Sequence[bytes | memoryview], marker: str = "spec",
             placement: str = extension.IN_STRUCT) -> TailEdit:
        """The tail edit that gives the footer an extension of these bytes, or none where there are no pieces.

        An extension that is there keeps its marker and placement, and a block of the arrow dialect at its end stays
        there: its readers look nowhere else.
        """
        pieces = self._dialect_last(pieces)
        in_struct, header = placement == extension.IN_STRUCT, len(self.data)
        if self.place is not None:
            marker = extension.MARKER_NUMBERS[self.place.marker]
            in_struct, header = self.place.placement == 0, self.place.header
        elif in_struct:
            header -= len(STOP)
        changed = [STOP] if in_struct else []
        if pieces:
            length = kernels.varint.encode(sum(map(len, pieces)))
            changed = [extension.MARKERS[marker], length, *pieces, STOP]
        size = header + sum(map(len, changed))
        if size > MAX_FOOTER_BYTES:
            raise Unsupported(f"a footer of {size} bytes: readers take {MAX_FOOTER_BYTES} at most")
        return TailEdit(self.offset + header, b"".join((*changed, size.to_bytes(4, "little"), MAGIC)))

    def _dialect_last(self, pieces: Sequence[bytes | memoryview]) -> list[bytes | memoryview]:
        last = self.pieces[-1].content if self.pieces and self.pieces[-1].is_dialect else None
        return sorted(pieces, key=lambda piece: piece is last)


def form_of(pieces: Sequence[Piece]) -> str:
    """The form of ours that an extension of these pieces holds, or ``"thrift"``."""
    kinds = {piece.uuid for piece in pieces}
    return next((form for kind, form in OWN_FORMS.items() if kind in kinds), "thrift")


def read_footer(source, first_read: int = FIRST_READ_LOCAL) -> Footer:
    """Read a file's footer; refuse one that must not be touched.

    Parameters
    ----------
    source : storage.Source
    first_read : int
        Bytes to read at once from the end; with SMALLEST_READ nothing in front of the footer is read.

    Raises
    ------
    Malformed, Unsupported
        There is no footer that this version knows, or it is no Thrift struct.
    Refused
        It is encrypted or signed, a PAR3 file without Thrift, or other bytes follow the struct. Offsets count from the
        file's start.
    """
    try:
        return read_thrift(source, read_tail(source, first_read).thrift_only())
    except ParquetextError as error:
        raise error.at(source.name) from None


def read_thrift(source, tail: Tail) -> Footer:
    """The Thrift footer of a tail that has been read."""
    data = source.read(tail.footer_offset, tail.footer_length)
    try:
        return parse_footer(data, tail.footer_offset)
    except ParquetextError as error:
        raise error.at(None, tail.footer_offset) from None


def parse_footer(data: bytes, offset: int) -> Footer:
    """A footer's bytes, extension and all; offsets in errors count from them."""
    place = kernels.extension.find(data, file_metadata=True)
    scan = kernels.scan.scan(data, strict=False) if place is None else None
    end = scan.end if place is None else place.struct_end
    if end != len(data):
        _refuse_what_follows(len(data) - end, end)
    return Footer(data, offset, place, () if place is None else _pieces(data, place), scan)


def _refuse_what_follows(length: int, end: int) -> None:
    if length == SIGNATURE_BYTES:
        raise Refused(f"the footer is signed: {length} bytes follow the struct, and a change would break the signature",
                      offset=end, code=wire.ENCRYPTED)
    raise Refused(f"{length} stray bytes between the footer's struct and its length", offset=end, expected=0,
                  found=length, code=wire.STRAY_BYTES)


def _pieces(data: bytes, place) -> tuple[Piece, ...]:
    """The extension taken apart from its back, once it is known to be one that can be rewritten."""
    shortest = kernels.varint.size(place.length)
    if place.length_bytes != shortest:
        raise wire_error(wire.NON_MINIMAL, place.payload - place.length_bytes, shortest, place.length_bytes)
    if place.payload + place.length + len(STOP) != place.struct_end:
        raise Refused("fields follow the extension, and their ids may count from its marker",
                      offset=place.payload + place.length)
    content = memoryview(data)[place.payload:place.payload + place.length]
    pieces, end = [], len(content)
    while block := _block_before(content, end):
        pieces.append(block)
        end -= len(block.content)
    if end or not pieces:
        pieces.append(Piece(None, content[:end]))
    return tuple(reversed(pieces))


def _block_before(content: memoryview, end: int) -> Piece | None:
    """The block that ends at ``content[end]``; its payload is not looked at."""
    dialect = framing.read_trailer(content, end)
    if dialect is not None and dialect.length <= end - framing.TRAILER_BYTES:
        start = end - framing.TRAILER_BYTES - dialect.length
        return Piece(wire.UUID_ARROW_DIALECT, content[start:end], framing.TRAILER_BYTES)
    block = kernels.extension.block_before(content, end, check_payload=False)
    return None if block is None else Piece(UUID(bytes=bytes(block[0])), content[block[1]:end])
