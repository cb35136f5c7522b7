"""PAR3 footers: a Thrift footer and its extension as one flat payload, and back; pure functions on bytes."""

from __future__ import annotations

from dataclasses import dataclass

from .. import kernels, wire
from ..errors import Damaged, ParquetextError, Refused
from ..footer.locate import PAR3_TRAILER
from ..storage import TailEdit
from .footer import LENGTH_AND_MAGIC, Footer, parse_end
from .kept_extension import FLAT, INDEX, PLAIN, KeptExtension, keep, parse
from .pieces import Piece
from .slots import Memory, Slots, pairs_of, slot_of_copies, slots_of

__all__ = ["Par3Footer", "applied", "read_par3", "restored", "sealed"]

MAGIC = b"PAR3"
MADE_ANEW = {wire.UUID_COPY_TABLE}  # slots that are made from the Thrift footer
RENEW = "parquetext.upgrade with form='flat' renews it"


@dataclass(frozen=True, slots=True)
class Par3Footer:
    """A flat footer without a Thrift footer; its checksum and all its cells have been checked.

    Attributes
    ----------
    payload : bytes
    offset : int
        Offset from the file's start.
    """

    payload: bytes
    offset: int

    @property
    def form(self) -> str:
        return "par3"


def read_par3(source, tail) -> Par3Footer:
    """Read the footer of a PAR3 file.

    Raises
    ------
    Damaged
        If a checksum or another part of the footer is wrong; offsets count from the file's start.
    """
    [block] = tail.blocks
    payload = source.read(block.payload, block.length)
    try:
        _check_payload(payload, block.crc)
    except ParquetextError as error:
        raise error.at(None, block.payload) from None
    return Par3Footer(payload, block.payload)


def _check_payload(payload, crc: int) -> None:
    found = kernels.checksum.crc32(payload)
    if found != crc:
        raise Damaged(
            f"the flat footer has the checksum {found:#010x}, expected {crc:#010x}",
            offset=0,
            expected=crc,
            found=found,
            code=wire.CHECKSUM,
        )
    kernels.flat.verify(payload)


def sealed(footer: Footer) -> TailEdit:
    """Return the edit that removes the Thrift footer and leaves the flat footer, after checking all of it.

    Raises
    ------
    Refused
        If the file is encrypted, if the flat footer is damaged, outdated or not lossless, or if it would not restore
        the file.
    Unsupported
        If the flat form cannot represent the footer.
    """
    scan = footer.scan()
    if scan.encrypted:
        raise Refused("the file is encrypted, or parts of it", code=wire.ENCRYPTED)
    flats = [piece for piece in footer.pieces if piece.uuid == wire.UUID_FLAT_FOOTER]
    if len(flats) > 1:
        raise Refused(f"it has {len(flats)} flat footers; parquetext.upgrade with form='flat' leaves one")
    slots = _checked_slots(flats[0], footer, scan) if flats else slot_of_copies(scan)
    kept = keep(footer, slots)
    if kept == PLAIN:
        payload = bytes(flats[0].payload)
    else:
        slots[wire.UUID_THRIFT_EXTENSION] = kept.record()
        payload = kernels.flat.write(scan, verbatim=False, extensions=pairs_of(slots))
        kernels.flat.verify(payload)
    if not _is_same(restored(Par3Footer(payload, footer.start)), footer):
        raise Refused("the flat footer would not give the Thrift footer back, byte for byte")
    size = len(payload).to_bytes(4, "little")
    crcs = kernels.checksum.crc32(payload), kernels.checksum.crc32(size)
    return TailEdit(footer.start, payload + PAR3_TRAILER.pack(crcs[0], len(payload), crcs[1], MAGIC))


def _is_same(back: TailEdit, footer: Footer) -> bool:
    """Return True if an edit writes exactly the present end of the file, blocks before the footer included."""
    return back.keep == footer.start and back.tail[:-LENGTH_AND_MAGIC] == footer.end


def _checked_slots(piece: Piece, footer: Footer, scan) -> Slots:
    """Return the slots of the existing flat footer after checking that it is intact and lossless."""
    payload = bytes(piece.payload)
    try:
        _check_payload(payload, piece.crc)
        is_compact = not kernels.flat.Reader(Memory(payload), 0, len(payload), payload).is_lossless
        slots = slots_of(payload)
        lossless = kernels.flat.to_thrift(payload) == footer.bare
    except ParquetextError as error:
        raise Refused(f"its flat footer is damaged: {error}; {RENEW}") from None
    if is_compact:
        raise Refused(f"the statistics in its flat footer are compact; {RENEW}")
    if not lossless:
        raise Refused(f"its flat footer does not give its Thrift footer back; {RENEW}")
    if kernels.flat.write(scan, verbatim=False, extensions=pairs_of(slots)) != payload:
        raise Refused(f"its flat footer is not what this version writes; {RENEW}")
    return slots


def restored(footer: Par3Footer, *, bare: bool = False) -> TailEdit:
    """Return the edit that restores the Thrift footer with its extension, or if `bare`, without an extension.

    Raises
    ------
    Damaged, Malformed
        If the payload is invalid.
    """
    thrift = kernels.flat.to_thrift(footer.payload)
    inside, aside, kept = [], [], PLAIN
    if not bare:
        slots = slots_of(footer.payload)
        record = slots.pop(wire.UUID_THRIFT_EXTENSION, None)
        kept = PLAIN if record is None else parse(record, slots)
        own = {uuid: data for uuid, data in slots.items() if uuid not in kept.in_slots}
        if own.keys() - MADE_ANEW and not kept.has(FLAT):  # keep slots of other programs
            kept = kept._replace(pieces=(*kept.pieces, *PLAIN.pieces))
        made = {FLAT: footer.payload} if record is None else _made(kept, thrift, own)
        inside, aside = kept.contents(made, slots, footer.offset, thrift)
    edit = Footer(thrift, footer.offset, None, ()).composed(inside, aside, kept.marker, is_behind=kept.is_behind)
    if aside:
        return edit
    return TailEdit(footer.offset, thrift[: edit.keep - footer.offset] + edit.tail)


def _made(kept: KeptExtension, thrift: bytes, slots: Slots) -> dict[int, bytes]:
    """Return the payloads of our blocks, written again from the Thrift footer; `slots` are those of the flat footer."""
    scan = kernels.scan.scan(thrift)
    made = {}
    if kept.has(FLAT):
        made[FLAT] = kernels.flat.write(scan, verbatim=False, extensions=pairs_of(slots))
    if kept.has(INDEX):
        made[INDEX] = kernels.index.write(scan)
    return made


def applied(footer: Footer, edit: TailEdit | None) -> Footer:
    """Return the footer after an edit."""
    if edit is None:
        return footer
    return parse_end(footer.end[: edit.keep - footer.start] + edit.tail, footer.start)
