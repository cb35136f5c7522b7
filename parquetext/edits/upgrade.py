"""Add a faster footer to a file, beside the existing one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack
from uuid import UUID

from .. import kernels, wire
from ..errors import Damaged, ParquetextError, Refused, Unsupported, names_memory
from ..extension import AFTER_STOP, ASIDE, PLACEMENTS
from ..footer.locate import LENGTH_AND_MAGIC
from ..storage import TailEdit
from .choice import Choice, choose_form
from .dialect_upgrade import ARROW, with_arrow_dialect
from .directories import takes_directories
from .footer import OURS, Footer
from .foreign_bytes import others_of, without
from .options import ChangeOptions, Options
from .pieces import Piece, check_size
from .reference_edit import is_current
from .result import Result
from .run import Planned, change_footer
from .slots import Changes, Slots, changed, pairs_of, slot_of_copies, slots_of

__all__ = ["AUTO", "FORMS", "check_form", "choice_of", "default_placement", "slots_in", "upgrade"]

AUTO = "auto"


@takes_directories()
@names_memory
def upgrade(
    path: object,
    form: str = AUTO,
    *,
    dialect: str | None = None,
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
    form : str
        ``"auto"`` chooses one of the others, or none if it does not pay off: then the file is ``"unchanged"``. The
        result's `message` contains the reason. ``"flat"`` is the fastest form, about as large as the Thrift footer;
        ``"index"``, a jump table into the Thrift footer, takes a fraction of it.
    stats : str
        ``"full"``, or ``"compact"``: in the flat form, bounds of strings longer than 16 bytes are shortened; they stay
        valid.
    dialect : str, optional
        ``"arrow"``: write the flat form of the public proposals in C++ and Rust, beside ours if the file has it. No
        released reader reads it, and parquet-go cannot open the file any more. It omits fields;
        `Result.omitted` lists the missing fields, in a dry run too.
    placement : str, optional
        The position of the block. ``"aside"``, the default: before the Thrift footer, to which a short text is added;
        all readers accept that. ``"in-struct"``: within the Thrift footer, as in the specification; readers that decode
        unknown bytes as UTF-8 refuse the file. ``"after-stop"``: after the footer's struct, which parquet-go refuses;
        the default of the arrow dialect, which is never aside. A block of ours in another position is moved. An
        extension with bytes of other programs keeps its placement and marker.
    marker : str
        ``"spec"`` or ``"thrift"``.
    wrap : bool
        If another program's extension consists of free-form bytes, make a block of them; `strip` restores them.
    extensions : mapping of UUID to bytes, optional
        Contents of extension slots of the flat footer; `File.extensions` returns them. Other slots stay; None removes
        a slot.
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
        If the footer is broken, or if the form cannot represent it.

    Examples
    --------
    >>> parquetext.upgrade("wide.parquet", form="flat").outcome
    'upgraded'
    >>> parquetext.open("wide.parquet").form
    'flat'
    """
    if dialect not in (None, ARROW) or (dialect and form not in (AUTO, "flat")):
        raise ParquetextError(
            f"no such dialect of the form {form!r}: {dialect!r} (known: {ARROW!r} of 'flat')", code=wire.BAD_ARGUMENT
        )
    if dialect and extensions:
        raise ParquetextError("the arrow dialect has no extension slots", code=wire.BAD_ARGUMENT)
    options = Options(marker, placement or default_placement(dialect), wrap, stats, extensions)
    check_form(form)

    def plan(footer: Footer, ignored: frozenset[str], _source) -> Planned:
        if dialect:
            return with_arrow_dialect(footer, options, ignored)
        if form == AUTO:
            return with_best(footer, options, ignored)
        edit = FORMS[form](footer, options, ignored, **({"verbatim": True} if form == "flat" else {}))
        return Planned(edit, form, reason="" if edit else f"it has its {form} footer")

    return change_footer(path, plan, "upgrade", **change)


def default_placement(dialect: str | None) -> str:
    """Return the default placement: readers of the arrow dialect look only after the struct's stop."""
    return AFTER_STOP if dialect else ASIDE


def check_form(form: str, *others: str) -> None:
    """Raise ParquetextError for a form that cannot be written; `others` are also allowed."""
    known = (*FORMS, AUTO, *others)
    if form not in known:
        raise ParquetextError(f"unknown footer form {form!r}: use one of {', '.join(known)}", code=wire.BAD_ARGUMENT)


def with_best(footer: Footer, options: Options, ignored: frozenset[str] = frozenset()) -> Planned:
    """Return the edit that adds the form that pays off; if the flat form cannot represent the footer, add an index;
    if both would be out of proportion, add nothing."""
    if changed(slots_in(footer), options.extensions):
        return Planned(with_flat(footer, options, ignored), "flat", reason="flat: no other form has extension slots")
    form, reason = choice_of(footer, options.placement)
    if form not in FORMS:
        if _is_misplaced(footer, options):
            edit = footer.edit(without(footer.pieces, OURS) or [], options.marker)
            return Planned(edit, form, reason=f"its {footer.form} footer stood elsewhere, and is taken out: {reason}")
        return Planned(None, form, reason=f"nothing is gained: {reason}")
    for each in dict.fromkeys((form, "index")):
        try:
            return Planned(FORMS[each](footer, options, ignored), each, reason=f"{each}: {reason}")
        except Unsupported as error:
            reason = f"the {each} form cannot carry it: {error}"
            if each == "index" and error.code != wire.OUT_OF_PROPORTION:
                raise
    return Planned(None, "thrift", reason=f"nothing is added: {reason}")


def choice_of(footer: Footer, placement: str = ASIDE) -> Choice:
    """Choose the form that pays off for a footer without extensions."""
    scan, length = footer.scan(), len(footer.bare)
    return choose_form(
        length, footer.start + length + LENGTH_AND_MAGIC, scan.leaf_count, scan.row_group_count, placement
    )


def with_flat(
    footer: Footer, options: Options, ignored: frozenset[str] = frozenset(), *, verbatim: bool = False
) -> TailEdit | None:
    """Return the edit that adds the flat block to the footer, or None if it already has exactly this block.

    With `verbatim`, a footer that tables cannot represent is stored as a whole, without fast access.
    """

    def write(scan) -> bytes:
        slots = changed(slots_in(footer), options.extensions) | slot_of_copies(scan)
        return kernels.flat.write(scan, options.stats, verbatim=verbatim, extensions=pairs_of(slots))

    return _with_block(footer, wire.UUID_FLAT_FOOTER, write, options, ignored)


def with_index(footer: Footer, options: Options, ignored: frozenset[str] = frozenset()) -> TailEdit | None:
    """Return the edit that adds the index to the footer, or None if it already has exactly this index."""
    slots = changed(slots_in(footer), options.extensions)
    if slots:
        raise Refused(
            f"an index has no place for extensions, {len(slots)} would be lost; parquetext.strip takes them away"
        )
    return _with_block(footer, wire.UUID_FOOTER_INDEX, kernels.index.write, options, ignored)


def _with_block(
    footer: Footer, uuid: UUID, write: Callable, options: Options, ignored: frozenset[str]
) -> TailEdit | None:
    """Return the edit that adds our block after those of other programs, and replaces our existing blocks."""
    others = others_of(footer, OURS, ignored, options.wrap)
    scan = footer.scan()
    if scan.encrypted:
        raise Refused("the file is encrypted, or parts of it", code=wire.ENCRYPTED)
    block = Piece.made(write(scan), uuid)
    own = [piece for piece in footer.pieces if piece.uuid in OURS]
    if len(own) == 1 and _is(own[0], block) and not _is_misplaced(footer, options):
        return None
    pieces = [*others, block]
    if options.placement != ASIDE:
        check_size(pieces, ignored)
    return footer.edit(pieces, options.marker, options.placement)


def slots_in(footer: Footer) -> Slots:
    """Return the slots of the existing flat footer, except slots that are derived from the Thrift footer."""
    flat = next((piece for piece in reversed(footer.pieces) if piece.uuid == wire.UUID_FLAT_FOOTER), None)
    try:
        slots = {} if flat is None else slots_of(flat.payload)
    except Damaged as error:
        raise Refused(
            f"the extension slots of its flat footer are damaged, and would be lost: {error}; "
            "parquetext.strip takes all of it away"
        ) from None
    return {uuid: data for uuid, data in slots.items() if uuid != wire.UUID_COPY_TABLE}


def _is(piece: Piece, block: Piece) -> bool:
    """Return True if a block equals the one that would be written, byte for byte."""
    return piece.trailer == block.trailer and piece.payload == block.payload


def _is_misplaced(footer: Footer, options: Options) -> bool:
    """Return True if our blocks have another placement, or if their reference differs from the one to be written."""
    own = [piece for piece in footer.pieces if piece.uuid in OURS]
    if not own:
        return False
    has_others = any(piece.uuid not in OURS for piece in footer.pieces)
    is_raw = any(piece.uuid not in OURS and not piece.is_text for piece in footer.pieces)
    if options.placement == ASIDE:
        is_aside = all(piece.is_aside for piece in own) and (is_raw or footer.reference.is_text)
        return not (is_aside and is_current(footer.reference, footer.bare, own))
    return any(piece.is_aside for piece in own) or not (
        has_others or PLACEMENTS[footer.place.placement] == options.placement
    )


# The functions that make the edit for each form.
FORMS = {"flat": with_flat, "index": with_index}
