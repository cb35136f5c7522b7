"""The footer that an edit changes: its bytes, its extension in pieces, and the refusals common to all edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from .. import extension, kernels, wire
from ..errors import ParquetextError, Refused, Unsupported, wire_error
from ..footer import forms
from ..footer.data_end import end_of_data
from ..footer.form_spec import BuildOptions, FormSpec
from ..footer.locate import FIRST_READ_LOCAL, MAX_FOOTER_BYTES, read_tail
from ..footer.tail import LENGTH_AND_MAGIC, Tail
from ..records import frozen
from ..storage import TailEdit
from .pieces import Piece, form_in
from .reference_edit import ReferencePiece, read_reference, reference_of

MAGIC = b"PAR1"
STOP = b"\x00"
SIGNATURE_BYTES = 28
OURS = forms.BLOCKS | {wire.UUID_FOOTER_REFERENCE}
SMALLEST_READ = LENGTH_AND_MAGIC + len(STOP) + wire.BLOCK_TRAILER_BYTES


class Referred(NamedTuple):
    """A form to which a Thrift struct refers, and its payload, which precedes the footer."""

    spec: FormSpec
    start: int
    length: int


@frozen
class Footer:
    """A Thrift footer with its extension, which ends at the end of the file.

    Attributes
    ----------
    data : bytes
    offset : int
        From the file's start.
    location : Place or None
        The location of the extension.
    pieces : tuple of Piece
        The extension's bytes, front to back; the blocks that a reference refers to replace it. A block counts as a
        block even if its payload is damaged. A reference that does not match the footer is a piece like others.
    known_scan : Scan or None
        The scan that found the struct's end, if there is no extension.
    reference : ReferencePiece or None
        The reference to the pieces before the footer.
    referred_payload : bytes or None
        The payload of `referred`, if it has been read; no bytes if those before the footer may not be removed.
    """

    data: bytes
    offset: int
    location: Any
    pieces: tuple[Piece, ...]
    known_scan: Any = None
    reference: ReferencePiece | None = None
    referred_payload: bytes | None = None

    def scan(self, *, strict: bool = True):
        """Scan the footer into arrays; if it contradicts itself, raise an error unless `strict` is False."""
        if self.known_scan is None:
            return kernels.scan.scan(self.data, strict=strict)
        if strict and self.known_scan.problem is not None:
            raise self.known_scan.problem
        return self.known_scan

    @property
    def start(self) -> int:
        """Return the footer's offset without blocks before it: the bytes before this offset are never changed."""
        return self.offset if self.reference is None else self.reference.start

    @property
    def end(self) -> bytes:
        """Return the file's bytes from `start` to the footer's end: the blocks before the footer, and the footer."""
        aside = [piece for piece in self.pieces if piece.is_aside]
        zeros = self.offset - self.start - sum(piece.size for piece in aside)
        return b"".join((bytes(zeros), *_parts(aside), self.data))

    @property
    def whole_end(self) -> bytes:
        """Return the file's bytes from `start` on."""
        return b"".join((self.end, len(self.data).to_bytes(4, "little"), MAGIC))

    def last_piece(self, *uuids: UUID) -> Piece | None:
        """Return the last piece with one of these UUIDs, or None."""
        return next((piece for piece in reversed(self.pieces) if piece.uuid in uuids), None)

    @property
    def is_free_form(self) -> bool:
        """Return True if the extension is empty, or if it begins with bytes that belong to no block."""
        return bool(self.pieces) and self.pieces[0].uuid is None

    @property
    def bare(self) -> bytes:
        """Return the Thrift struct without its extension."""
        if self.location is None:
            return self.data
        return self.data[: self.location.header] + (STOP if self.location.placement == 0 else b"")

    @property
    def marker(self) -> str | None:
        """Return the extension's marker, or None if there is no extension."""
        return None if self.location is None else extension.MARKER_NUMBERS[self.location.marker]

    @property
    def placement(self) -> str | None:
        """Return the placement of our blocks, or None if there are none."""
        own = [piece for piece in self.pieces if piece.uuid in forms.BLOCKS]
        if not own:
            return None
        return extension.ASIDE if own[-1].is_aside else extension.PLACEMENTS[self.location.placement]

    @property
    def form(self) -> str:
        """Return the name of the form of our footer, or that of the Thrift form."""
        referred = [] if self.referred is None else [self.referred.spec.name]
        return forms.best_name([form_in(self.pieces), *referred])

    @property
    def referred(self) -> Referred | None:
        """Return the form to which the struct refers, if its payload ends where the footer begins.

        A payload that may not be removed has no bytes: it stays in the file as data.
        """
        tail = Tail(self.offset + len(self.data) + LENGTH_AND_MAGIC, self.offset, len(self.data), forms.THRIFT)
        forms.add_referred(tail, self.data)
        found = (Referred(spec, block.payload, block.length) for spec, block in tail.referred)
        adjacent = next((each for each in found if each.start + each.length == self.start), None)
        if adjacent is None or self.unreferring == self.bare:
            return None
        return adjacent._replace(start=self.start, length=0) if self.referred_payload == b"" else adjacent

    @property
    def unreferring(self) -> bytes:
        """Return the Thrift struct without its extension, and without a reference to a form."""
        structs = (spec.without_reference(self.bare) for spec in forms.REFERRED)
        return next((struct for struct in structs if struct is not None), self.bare)

    def edit(self, pieces: Sequence[Piece], marker: str = "spec", placement: str | None = None) -> TailEdit:
        """Return the tail edit that leaves the footer with these pieces, or without an extension if there are none.

        Parameters
        ----------
        pieces : sequence of Piece
            Front to back. A block with its own kind of trailer goes to the end: its readers look only there.
        marker : str
            Marker of a new extension; an existing extension keeps its marker.
        placement : str, optional
            New placement of our blocks; by default they keep theirs. Pieces of other programs stay in the extension,
            which is not moved.
        """
        last = self.pieces[-1] if self.pieces and self.pieces[-1].is_framed else None
        inside, aside, at = _divided(sorted(pieces, key=lambda piece: piece is last), placement)
        is_text = False  # True is possible only within the struct
        if aside:
            is_text = all(piece.is_text for piece in inside)
            if placement is None and self.reference is not None and self.reference.is_text:
                is_text = all(piece.is_text for piece in inside[:at])
            inside.insert(at, reference_of(self.start, self.bare, aside, is_text=is_text))
        return self.composed(
            inside, aside, self.marker or marker, is_behind=not is_text and self._is_behind(inside, placement)
        )

    def composed(self, inside: Sequence[Piece], aside: Sequence[Piece], marker: str, *, is_behind: bool) -> TailEdit:
        """Return the tail edit that leaves `inside` in the struct's extension, and `aside` before the footer."""
        struct, front = memoryview(self.bare)[: -len(STOP)], []
        changed: list[Any] = [STOP]
        if aside:
            front = [bytes(-self.start % 8), *_parts(aside)]
        if inside:
            length = kernels.varint.encode(sum(piece.size for piece in inside))
            changed = [STOP if is_behind else b"", extension.MARKERS[marker], length, *_parts(inside), STOP]
        size = len(struct) + sum(map(len, changed))
        if size > MAX_FOOTER_BYTES:
            raise Unsupported(f"a footer of {size} bytes: readers take {MAX_FOOTER_BYTES} at most")
        end = (*changed, size.to_bytes(4, "little"), MAGIC)
        if self.start == self.offset and not front:
            return TailEdit(self.offset + len(struct), b"".join(end))
        return TailEdit(self.start, b"".join((*front, struct, *end)))

    def _is_behind(self, inside: Sequence[Piece], placement: str | None) -> bool:
        """Return True if an extension with these pieces follows the struct's stop byte."""
        keeps = placement is None or any(piece.uuid not in OURS for piece in inside)
        if self.location is not None and keeps:
            return self.location.placement == 1
        return placement == extension.AFTER_STOP


def refuse_referring(footer: Footer) -> None:
    """Refuse a footer with a reference to a form, whose offsets a change of the struct would make wrong."""
    if footer.unreferring != footer.bare:
        raise Refused("a field of the footer refers to offsets in it, which would become wrong: strip the file first")


def _parts(pieces: Iterable[Piece]) -> Iterator[bytes | memoryview]:
    for piece in pieces:
        yield piece.payload
        yield piece.trailer


def _divided(pieces: Sequence[Piece], placement: str | None) -> tuple[list[Piece], list[Piece], int]:
    """Return the pieces of the extension, those before the footer, and the reference's index among the former."""
    inside: list[Piece] = []
    aside: list[Piece] = []
    at = 0
    for piece in pieces:
        is_aside = piece.is_aside if placement is None else placement == extension.ASIDE
        if piece.uuid in forms.MAY_BE_ASIDE and is_aside:
            at = at if aside else len(inside)
            aside.append(piece)
        else:
            inside.append(piece)
    if placement == extension.ASIDE:
        at = len(inside) - bool(inside and inside[-1].is_framed)
    return inside, aside, at


def read_footer(source, first_read: int = FIRST_READ_LOCAL) -> Footer:
    """Read a file's footer; refuse one that must not be changed.

    Parameters
    ----------
    source : storage.Source
    first_read : int
        Bytes to read at once from the end; with SMALLEST_READ nothing before the footer is read.

    Raises
    ------
    Malformed, Unsupported
        If there is no footer that this version supports, or if it is not a Thrift struct.
    Refused
        If it is encrypted or signed, if the file is PAR3 without Thrift, or if other bytes follow the struct. Offsets
        count from the file's start.
    """
    try:
        return read_thrift(source, read_tail(source, first_read).thrift_only())
    except ParquetextError as error:
        raise error.at(source.name) from None


def read_thrift(source, tail: Tail) -> Footer:
    """Return the Thrift footer of a tail that has been read."""
    data = source.read(tail.footer_offset, tail.footer_length)
    front = source.read(tail.start, tail.footer_offset - tail.start) if tail.start < tail.footer_offset else b""
    try:
        footer = parse_footer(data, tail.footer_offset, front)
    except ParquetextError as error:
        raise error.at(None, tail.footer_offset) from None
    referred = footer.referred
    if referred is None:
        return footer
    payload = bytes(source.read(referred.start, referred.length))
    return replace(footer, referred_payload=payload if _is_removable(footer, referred, payload) else b"")


def _is_removable(footer: Footer, referred: Referred, payload: bytes) -> bool:
    """Return True if the bytes before a footer are nothing but the payload to which it refers.

    No data may be among them, unless the payload is just what would be written: a damaged file may refer to any bytes
    as data.
    """
    if not referred.spec.is_referred(footer.bare, payload):
        return False
    if end_of_data(footer.scan(strict=False)) <= referred.start:
        return True
    scan = Footer(footer.unreferring, referred.start, None, ()).scan(strict=False)
    try:
        return referred.spec.build(scan, BuildOptions()).payload == payload
    except ParquetextError:
        return False


def parse_footer(data: bytes, offset: int, front: bytes = b"") -> Footer:
    """Parse a footer's bytes with the extension; offsets in errors count from their start.

    `front` are the file's bytes directly before them; a reference is valid only if `front` contains all its blocks.
    """
    position: Any = kernels.extension.find(data, file_metadata=True)
    scan: Any = kernels.scan.scan(data, strict=False) if position is None else None
    end = scan.end if position is None else position.struct_end
    if end != len(data):
        _refuse_what_follows(len(data) - end, end)
    pieces: tuple[Piece, ...] = () if position is None else _pieces(data, position)
    at = next((at for at in range(len(pieces) - 1, -1, -1) if pieces[at].uuid == wire.UUID_FOOTER_REFERENCE), None)
    found = None if at is None else read_reference(pieces[at], offset, position, front)
    if at is None or found is None:
        return Footer(data, offset, position, pieces, scan)
    reference, aside = found
    return Footer(data, offset, position, (*pieces[:at], *aside, *pieces[at + 1 :]), scan, reference)


def parse_end(data: bytes, start: int) -> Footer:
    """Parse the footer at the end of a file.

    `data` are the bytes from `start` on, including all blocks before the footer.
    """
    length = LENGTH_AND_MAGIC + int.from_bytes(data[-LENGTH_AND_MAGIC : -len(MAGIC)], "little")
    front, footer = data[:-length], data[-length:-LENGTH_AND_MAGIC]
    return parse_footer(footer, start + len(front), front)


def _refuse_what_follows(length: int, end: int) -> None:
    if length == SIGNATURE_BYTES:
        raise Refused(
            f"the footer is signed: {length} bytes follow the struct, and a change would break the signature",
            offset=end,
            code=wire.ENCRYPTED,
        )
    raise Refused(
        f"{length} stray bytes between the footer's struct and its length",
        offset=end,
        expected=0,
        found=length,
        code=wire.STRAY_BYTES,
    )


def _pieces(data: bytes, location) -> tuple[Piece, ...]:
    """Split the extension into pieces, beginning at its end, after checking that it can be rewritten."""
    shortest = kernels.varint.size(location.length)
    if location.length_bytes != shortest:
        raise wire_error(wire.NON_MINIMAL, location.payload - location.length_bytes, shortest, location.length_bytes)
    if location.payload + location.length + len(STOP) != location.struct_end:
        raise Refused(
            "fields follow the extension, and their ids may count from its marker",
            offset=location.payload + location.length,
        )
    content = memoryview(data)[location.payload : location.payload + location.length]
    pieces, end = [], len(content)
    while block := _block_before(content, end):
        pieces.append(block)
        end -= block.size
    while text := Piece.text_before(content[:end]):
        pieces.append(text)
        end -= text.size
    if end or not pieces:
        pieces.append(Piece(None, content[:end]))
    return tuple(reversed(pieces))


def _block_before(content: memoryview, end: int) -> Piece | None:
    """Return the block that ends at ``content[end]``; its payload is not checked."""
    for spec in forms.FRAMED:
        found, middle = spec.read_trailer(content, end), end - spec.trailer_bytes
        if found is not None and found[0] <= middle:
            return Piece(spec.uuid, content[middle - found[0] : middle], content[middle:end])
    block = kernels.extension.block_before(content, end, check_payload=False)
    if block is None:
        return None
    middle = block[1] + block[2]
    return Piece(UUID(bytes=bytes(block[0])), content[block[1] : middle], content[middle:end])
