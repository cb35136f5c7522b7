"""Add a faster footer to a file, beside the existing one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from .. import wire
from ..errors import Damaged, ParquetextError, Refused, Unsupported, names_memory
from ..extension import ASIDE, PLACEMENTS
from ..footer import forms
from ..footer.data_end import check_end_of_data
from ..footer.form_spec import BuildOptions, FormSpec, Shape, Slots
from ..footer.forms import AUTO, Form, check_writable
from ..footer.tail import LENGTH_AND_MAGIC
from ..footer.thrift_form import refuse_encrypted
from .choice import Choice, choices
from .directories import takes_directories
from .footer import OURS, Footer
from .foreign_bytes import others_of, without
from .options import ChangeOptions, Options
from .pieces import Piece, check_size, form_in
from .reference_edit import is_current
from .result import Result
from .run import Planned, change_footer
from .slots import Changes, changed, slot_of_copies

if TYPE_CHECKING:
    from ..storage import TailEdit


@takes_directories()
@names_memory
def upgrade(
    path: object,
    form: Form | str = AUTO,
    *,
    stats: str = "full",
    placement: str | None = None,
    marker: str = "spec",
    wrap: bool = False,
    extensions: Changes | None = None,
    **change: Unpack[ChangeOptions],
) -> Result:
    """Add a footer form to a Parquet file; other readers can still read it.

    A second upgrade changes nothing. A block of ours that is outdated, damaged or of another form is replaced; blocks
    of other programs stay, under ours. `strip` restores the original file, byte for byte.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
        A local path, a URI, or a pair of a ``pyarrow.fs`` filesystem and a path. A directory selects the Parquet
        files below it; end the URI of a remote one with ``/``.
    form : Form or str
        ``"auto"`` chooses one of the others, or none if little is gained: the file is ``"unchanged"`` then. The
        result's `message` gives the reason. ``"packed"`` has about a tenth of the Thrift footer's bytes; ``"flat"`` is
        the fastest one, about as large as the Thrift footer; ``"index"``, a jump table into the Thrift footer, is a
        fraction of it. ``"arrow"`` writes the flat form of the public proposals in C++ and Rust, beside our other form
        if there is one. No released reader reads it, and parquet-go cannot open the file any more. It stores less;
        `Result.omitted` lists the omitted fields, in a dry run too. ``"jump-table"`` adds the index of offsets that is
        proposed for field 10 of FileMetaData, beside our other form if there is one; the message names readers that
        fail on the field. ``"modular"``, a proposal too, is experimental; it is added beside our other form, stores
        less, and is read on request.
    stats : str
        ``"full"``, or ``"compact"``: bounds of strings longer than 16 bytes are shortened in the flat form, validly.
    placement : str, optional
        The placement of the block. ``"aside"``, the default: in front of the Thrift footer, to which a short text is
        added; every reader of today takes that. ``"in-struct"``: within the Thrift footer, as the specification draws
        it; readers that take unknown bytes for UTF-8 refuse the file. ``"after-stop"``: after the footer's struct,
        where parquet-go refuses it; the default of the form ``"arrow"``, which is never aside. A block of ours with
        another placement is moved. An extension with bytes of others keeps its placement and marker.
    marker : str
        ``"spec"`` or ``"thrift"``.
    wrap : bool
        If another program's extension consists of free-form bytes, make a block of them; `strip` restores them.
    extensions : mapping of UUID to bytes, optional
        Contents of extension slots of the packed or flat footer; `File.extensions` returns them. Other slots stay;
        None removes a slot.
    **change
        `in_place`, `keep_mtime`, `ignore`, `timeout` and `dry_run`: see `ChangeOptions`.

    Returns
    -------
    Result
        The outcome, sizes before and after, and a message. If `path` is a directory: a list with one result for each
        file; if a file was refused or failed, its outcome is ``"refused"`` or ``"failed"``, and its message is the
        error.

    Raises
    ------
    Refused
        If the file must not be changed: it is encrypted or signed, has stray bytes, belongs to a table whose log
        records its size, has free-form bytes of another program, an extension over 64 MiB, or attributes that a new
        file cannot keep.
    Conflict
        If another program is changing the file, or has changed it meanwhile.
    Malformed, Unsupported
        If the footer is broken, among others if data that it describes reach into it, or if the form cannot represent
        it.

    Examples
    --------
    >>> parquetext.upgrade("wide.parquet", form="flat").outcome
    'upgraded'
    >>> parquetext.open("wide.parquet").form
    'flat'
    """
    check_writable(form)
    spec = forms.WRITABLE.get(form)
    if spec is not None and extensions and not (spec.has_slots or spec.stands_alone):
        raise ParquetextError(f"the {spec.title} has no extension slots", code=wire.BAD_ARGUMENT)
    options = Options(marker, placement or default_placement(form), wrap, stats, extensions)

    def plan(footer: Footer, ignored: frozenset[str], _source: object) -> Planned[TailEdit]:
        if spec is None:
            return with_best(footer, options, ignored)
        return with_form(footer, spec, options, ignored, verbatim=True)

    return change_footer(path, plan, "upgrade", **change)


def default_placement(form: str) -> str:
    """Return the placement of a form's block if none is requested."""
    spec = forms.WRITABLE.get(form)
    return ASIDE if spec is None else spec.placement


def with_best(footer: Footer, options: Options, ignored: frozenset[str] = frozenset()) -> Planned[TailEdit]:
    """Plan to give the footer the form that pays off.

    If that form cannot represent the footer, or would be larger than it may be for the file, the next one is tried; if
    none can in a reasonable size, the footer stays as it is.
    """
    if footer.referred is not None:
        from .referred import keeping_reference  # late: as in `with_form`

        return keeping_reference(footer, lambda base: with_best(base, options, ignored), ignored)
    if changed(slots_in(footer), options.extensions):
        found = [Choice(spec.name, "it has extension slots") for spec in forms.WRITABLE.values() if spec.has_slots]
        return with_first(footer, found, options, ignored)
    shape = shape_of(footer, options.placement)
    found = choices(shape)
    form, reason = found[0]
    if form not in forms.WRITABLE:
        if _is_misplaced(footer, options):
            edit = footer.edit(without(footer.pieces, OURS) or [], options.marker)
            return Planned(edit, form, reason=f"its {footer.form} footer stood elsewhere, and is taken out: {reason}")
        return Planned(None, form, reason=f"nothing is gained: {reason}")
    return with_first(footer, found, options, ignored, shape.file_bytes)


def with_first(
    footer: Footer, found: list[Choice], options: Options, ignored: frozenset[str], file_bytes: int | None = None
) -> Planned[TailEdit]:
    """Plan to give the footer the first form that can represent it, in the size that it may have for a file."""
    earlier = ""
    for form, reason in found:
        spec = forms.WRITABLE[form]
        most = None if file_bytes is None else spec.most_bytes(file_bytes)
        try:
            planned = with_form(footer, spec, replace(options, most_bytes=most), ignored)
            return planned._replace(reason=f"{spec.name}: {earlier or reason}")
        except Unsupported as error:
            earlier = f"the {spec.name} form is not used: {error}"
            if form == found[-1].form and error.code != wire.OUT_OF_PROPORTION:
                raise
    return Planned(None, forms.THRIFT.name, reason=f"nothing is added: {earlier}")


def shape_of(footer: Footer, placement: str = ASIDE) -> Shape:
    """Return the sizes by which a form is chosen for a footer, without extensions."""
    scan, length = footer.scan(), len(footer.bare)
    return Shape(length, footer.start + length + LENGTH_AND_MAGIC, scan.leaf_count, scan.row_group_count, placement)


def with_form(
    footer: Footer, spec: FormSpec, options: Options, ignored: frozenset[str], *, verbatim: bool = False
) -> Planned[TailEdit]:
    """Plan to give the footer a form, by a block or a reference; the edit is None if it already has just that."""
    from .referred import keeping_reference, with_reference  # late: they build the blocks again, by this module

    scan = footer.scan()
    if not scan.encrypted:
        check_end_of_data(scan, footer.start)
    if spec.front_bytes:
        return with_reference(footer, spec, options, ignored)
    return keeping_reference(footer, lambda base: with_block(base, spec, options, ignored, verbatim=verbatim), ignored)


def with_block(
    footer: Footer, spec: FormSpec, options: Options, ignored: frozenset[str], *, verbatim: bool = False
) -> Planned[TailEdit]:
    """Plan to give the footer the block of a form; the edit is None if it already has just that.

    Our block is put after those of others, and replaces other blocks of ours unless it is one that is added to them.
    With `verbatim`, a footer that the form cannot represent is stored unchanged, without support for look-ups.
    """
    slots = changed(slots_in(footer), options.extensions) if spec.stands_alone else {}
    if slots and not spec.has_slots:
        raise Refused(
            f"the {spec.title} has no place for extensions, {len(slots)} would be lost; "
            "parquetext.strip takes them away"
        )
    replaced = OURS if spec.stands_alone else {spec.block_kind}
    others = others_of(footer, replaced, ignored, options.wrap)
    scan = footer.scan()
    refuse_encrypted(scan)
    if spec.has_slots:
        slots |= slot_of_copies(scan)
    payload, trailer, losses = spec.build(scan, BuildOptions(options.stats, verbatim, slots))
    if options.most_bytes is not None and len(payload) > options.most_bytes:
        message = f"its {len(payload):,} bytes are more than the {options.most_bytes:,} that it may have in this file"
        raise Unsupported(message, code=wire.OUT_OF_PROPORTION)
    is_aside = options.placement == ASIDE and spec.uuid in forms.MAY_BE_ASIDE
    block = Piece(spec.uuid, payload, trailer, is_aside)
    pieces = [*others, block]
    form = form_in(pieces)
    own = [piece for piece in footer.pieces if piece.uuid in replaced]
    if not spec.stands_alone:
        is_found = own and (own[-1] is footer.pieces[-1] or not block.is_framed)
        if is_found and own[-1].content == block.content and own[-1].is_aside == is_aside:
            return Planned(None, form, losses, f"it has its {spec.title}")
        check_size([piece for piece in pieces if not piece.is_aside], ignored)
        placement = options.placement if footer.location is None else None  # our other blocks are not moved
        return Planned(footer.edit(pieces, options.marker, placement), form, losses, spec.warning)
    if len(own) == 1 and own[0].content == block.content and not _is_misplaced(footer, options):
        return Planned(None, form, losses, f"it has its {spec.name} footer")
    if options.placement != ASIDE:
        check_size(pieces, ignored)
    return Planned(footer.edit(pieces, options.marker, options.placement), form, losses)


def slots_in(footer: Footer) -> Slots:
    """Return the contents of the footer's extension slots, without those that are built from the Thrift footer."""
    found = block_with_slots(footer)
    if found is None:
        return {}
    spec, payload = found
    try:
        slots = spec.slots(payload)
    except Damaged as error:
        raise Refused(
            f"the extension slots of its {spec.title} are damaged, and would be lost: {error}; "
            "parquetext.strip takes all of it away"
        ) from None
    return {uuid: data for uuid, data in slots.items() if uuid != wire.UUID_COPY_TABLE}


def block_with_slots(footer: Footer) -> tuple[FormSpec, bytes | memoryview] | None:
    """Return the form and the payload of the last block of a form that has extension slots."""
    blocks = ((piece.spec, piece.payload) for piece in reversed(footer.pieces))
    return next(((spec, payload) for spec, payload in blocks if spec is not None and spec.has_slots), None)


def _is_misplaced(footer: Footer, options: Options) -> bool:
    """Return True if blocks of ours have another placement, or a reference that would be written differently."""
    own = [piece for piece in footer.pieces if piece.uuid in OURS]
    if not own:
        return False
    has_others = any(piece.uuid not in OURS for piece in footer.pieces)
    is_raw = any(piece.uuid not in OURS and not piece.is_text for piece in footer.pieces)
    if options.placement == ASIDE:
        reference, all_aside = footer.reference, [piece for piece in footer.pieces if piece.is_aside]
        if reference is None or not all(piece.is_aside for piece in own):
            return True
        return not ((is_raw or reference.is_text) and is_current(reference, footer.bare, all_aside))
    return any(piece.is_aside for piece in own) or not (
        has_others or PLACEMENTS[footer.location.placement] == options.placement
    )
