"""Final forms, which replace the Thrift footer: write one, and restore the Thrift footer; pure functions on bytes."""

from __future__ import annotations

from .. import kernels, wire
from ..errors import Damaged, ParquetextError, Refused
from ..footer import forms
from ..footer.form_spec import BuildOptions, FormSpec, Slots
from ..footer.thrift_form import refuse_encrypted
from ..records import frozen
from ..storage import TailEdit
from .footer import LENGTH_AND_MAGIC, Footer, parse_end
from .kept_extension import MADE, KeptExtension, keep, parse, plain
from .pieces import Piece
from .slots import slot_of_copies

FINAL = next(spec for spec in forms.BY_MAGIC.values() if spec.is_restorable)  # the form that `finalize` writes
BUILT = {wire.UUID_COPY_TABLE}  # slots that are built from the Thrift footer


def base_of(spec: FormSpec) -> FormSpec:
    """Return the form beside the Thrift footer whose payload a final form has."""
    return forms.BY_UUID[spec.block_kind]


@frozen
class FinalFooter:
    """A footer without Thrift; its checksum and all its parts are checked.

    Attributes
    ----------
    spec : FormSpec
    payload : bytes
    offset : int
        From the file's start.
    """

    spec: FormSpec
    payload: bytes
    offset: int

    @property
    def form(self) -> str:
        return self.spec.name


def read_final(source, tail) -> FinalFooter:
    """Read the footer of a file that has a final form.

    Raises
    ------
    Damaged
        If a checksum or anything else is wrong; offsets count from the file's start.
    Refused
        If the Thrift footer cannot be restored from the form.
    """
    if not tail.form.is_restorable:
        tail.thrift_only()
    [block] = tail.blocks
    payload = source.read(block.payload, block.length)
    try:
        _check_payload(tail.form, payload, block.crc)
    except ParquetextError as error:
        raise error.at(None, block.payload) from None
    return FinalFooter(tail.form, payload, block.payload)


def _check_payload(spec: FormSpec, payload, crc: int) -> None:
    found = kernels.checksum.crc32(payload)
    if found != crc:
        raise Damaged(
            f"the {spec.title} has the checksum {found:#010x}, expected {crc:#010x}",
            offset=0,
            expected=crc,
            found=found,
            code=wire.CHECKSUM,
        )
    spec.verify_payload(payload)


def sealed(footer: Footer, spec: FormSpec = FINAL) -> TailEdit:
    """Return the edit that replaces the footer by a final form; everything in it has been checked.

    Raises
    ------
    Refused
        If the file is encrypted; if its block of the form is damaged, outdated or not lossless; or if the Thrift footer
        could not be restored.
    Unsupported
        If the form cannot represent the footer.
    """
    scan, base = footer.scan(), base_of(spec)
    refuse_encrypted(scan)
    blocks = [piece for piece in footer.pieces if piece.uuid == base.uuid]
    if len(blocks) > 1:
        raise Refused(f"it has {len(blocks)} {base.title}s; parquetext.upgrade with form={base.name!r} leaves one")
    slots = _checked_slots(base, blocks[0], footer, scan) if blocks else slot_of_copies(scan) | _slots_in(footer)
    kept = keep(footer, slots, base)
    if kept == plain(base):
        payload = bytes(blocks[0].payload)
    else:
        slots[wire.UUID_THRIFT_EXTENSION] = kept.record()
        payload = spec.build(scan, BuildOptions(slots=slots)).payload
        spec.verify_payload(payload)
    if not _is_same(restored(FinalFooter(spec, payload, footer.start)), footer):
        raise Refused(f"the {spec.title} would not give the Thrift footer back, byte for byte")
    return TailEdit(footer.start, b"".join(spec.built(payload)[:2]))


def _slots_in(footer: Footer) -> Slots:
    """Return the slots of intact blocks; the blocks of all forms have the same slots."""
    slots: Slots = {}
    for piece in footer.pieces:
        if piece.spec is not None and piece.spec.has_slots and piece.is_whole:
            slots |= piece.spec.slots(piece.payload)
    return slots


def _is_same(back: TailEdit, footer: Footer) -> bool:
    """Return True if an edit writes the same end of the file, blocks aside included."""
    return back.keep == footer.start and back.tail[:-LENGTH_AND_MAGIC] == footer.end


def _checked_slots(base: FormSpec, piece: Piece, footer: Footer, scan) -> Slots:
    """Return the slots of an existing block, after checking that it is intact and lossless."""
    payload = bytes(piece.payload)
    renew = f"parquetext.upgrade with form={base.name!r} renews it"
    try:
        _check_payload(base, payload, piece.crc)
        options = base.options_of(payload)
        lossless = base.rebuild(payload) == footer.bare
    except ParquetextError as error:
        raise Refused(f"its {base.title} is damaged: {error}; {renew}") from None
    if options.stats != BuildOptions().stats:
        raise Refused(f"the statistics in its {base.title} are {options.stats}; {renew}")
    if not lossless:
        raise Refused(f"its {base.title} does not give its Thrift footer back; {renew}")
    if base.build(scan, options).payload != payload:
        raise Refused(f"its {base.title} is not what this version writes; {renew}")
    return options.slots


def alone(footer: Footer, spec: FormSpec) -> TailEdit:
    """Return the edit that writes a final form in place of the footer of a new file.

    Raises
    ------
    Refused
        If the file is encrypted.
    Unsupported
        If the form cannot represent the footer.
    """
    scan = footer.scan()
    refuse_encrypted(scan)
    return TailEdit(footer.start, b"".join(spec.build(scan, BuildOptions(offset=footer.start))[:2]))


def restored(footer: FinalFooter, *, bare: bool = False) -> TailEdit:
    """Return the edit that restores the Thrift footer, with its extension as it was or, if `bare`, without any.

    Raises
    ------
    Damaged, Malformed
        If the payload is damaged.
    """
    spec, base = footer.spec, base_of(footer.spec)
    thrift = spec.rebuild(footer.payload)
    kept = plain(base)
    inside: list = []
    aside: list = []
    if not bare:
        slots = spec.slots(footer.payload)
        record = slots.pop(wire.UUID_THRIFT_EXTENSION, None)
        kept = kept if record is None else parse(record, slots)
        own = {uuid: data for uuid, data in slots.items() if uuid not in kept.in_slots}
        has_slots = any(kept.has(code) for code, one in MADE.items() if one.has_slots)
        if own.keys() - BUILT and not has_slots:  # slots of others are never lost
            kept = kept._replace(pieces=(*kept.pieces, *plain(base).pieces))
        if record is None:
            made = {code: Piece.made(footer.payload, base.block_kind) for code, _ in kept.pieces}
        else:
            made = _made(kept, thrift, own)
        inside, aside = kept.contents(made, slots, footer.offset, thrift)
    edit = Footer(thrift, footer.offset, None, ()).composed(inside, aside, kept.marker, is_behind=kept.is_behind)
    if aside:
        return edit
    return TailEdit(footer.offset, edit.applied(thrift, footer.offset))


def _made(kept: KeptExtension, thrift: bytes, slots: Slots) -> dict[int, Piece]:
    """Build our blocks again from the Thrift footer; `slots` are the contents of their extension slots."""
    scan = kernels.scan.scan(thrift)
    made = {}
    for code, spec in MADE.items():
        if kept.has(code):
            payload, trailer, _ = spec.build(scan, BuildOptions(slots=slots if spec.has_slots else {}))
            made[code] = Piece(spec.uuid, payload, trailer)
    return made


def applied(footer: Footer, edit: TailEdit | None) -> Footer:
    """Return the footer after an edit."""
    return footer if edit is None else parse_end(edit.applied(footer.end, footer.start), footer.start)
