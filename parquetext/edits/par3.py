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
    """A flat footer that stands alone, its checksum and all its cells checked.

    Attributes
    ----------
    payload : bytes
    offset : int
        From the file's start.
    """

    payload: bytes
    offset: int

    @property
    def form(self) -> str:
        return "par3"


def read_par3(source, tail) -> Par3Footer:
    """The footer of a PAR3 file.

    Raises
    ------
    Damaged
        A checksum does not hold, or something else in it is wrong; offsets count from the file's start.
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
    """The edit that leaves the flat footer alone; nothing is in it that was not checked.

    Raises
    ------
    Refused
        The file is encrypted; the flat footer is damaged, outdated or not lossless; or the file would not come back.
    Unsupported
        The flat form cannot carry the footer.
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
    """Whether an edit writes the file's end as it is, blocks aside included."""
    return back.keep == footer.start and back.tail[:-LENGTH_AND_MAGIC] == footer.end


def _checked_slots(piece: Piece, footer: Footer, scan) -> Slots:
    """What is in the slots of the flat footer that is there, once it is known to be whole and lossless."""
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
    """The edit that brings the Thrift footer back, with its extension as it was or, `bare`, without any.

    Raises
    ------
    Damaged, Malformed
        The payload does not say how.
    """
    thrift = kernels.flat.to_thrift(footer.payload)
    inside, aside, kept = [], [], PLAIN
    if not bare:
        slots = slots_of(footer.payload)
        record = slots.pop(wire.UUID_THRIFT_EXTENSION, None)
        kept = PLAIN if record is None else parse(record, slots)
        own = {uuid: data for uuid, data in slots.items() if uuid not in kept.in_slots}
        if own.keys() - MADE_ANEW and not kept.has(FLAT):  # nobody's slots are lost
            kept = kept._replace(pieces=(*kept.pieces, *PLAIN.pieces))
        made = {FLAT: footer.payload} if record is None else _made(kept, thrift, own)
        inside, aside = kept.contents(made, slots, footer.offset, thrift)
    edit = Footer(thrift, footer.offset, None, ()).composed(inside, aside, kept.marker, is_behind=kept.is_behind)
    if aside:
        return edit
    return TailEdit(footer.offset, thrift[: edit.keep - footer.offset] + edit.tail)


def _made(kept: KeptExtension, thrift: bytes, slots: Slots) -> dict[int, bytes]:
    """The payloads of our blocks as they were written from the Thrift footer; these slots are the flat one's own."""
    scan = kernels.scan.scan(thrift)
    made = {}
    if kept.has(FLAT):
        made[FLAT] = kernels.flat.write(scan, verbatim=False, extensions=pairs_of(slots))
    if kept.has(INDEX):
        made[INDEX] = kernels.index.write(scan)
    return made


def applied(footer: Footer, edit: TailEdit | None) -> Footer:
    """The footer that an edit of it leaves."""
    if edit is None:
        return footer
    return parse_end(footer.end[: edit.keep - footer.start] + edit.tail, footer.start)
