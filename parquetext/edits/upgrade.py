"""Give a file a faster footer beside the one it has."""

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
    """Add a footer form to a Parquet file; every reader goes on reading it.

    Upgrading twice changes nothing the second time; a block of ours that is outdated, damaged or of another form is
    replaced, blocks of others stay, under ours. `strip` gives the original file back, byte for byte.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
        A local path, a URI, or a pair of a ``pyarrow.fs`` filesystem and a path. A directory stands for the Parquet
        files below it; end the URI of a remote one with ``/``.
    form : str
        ``"auto"`` takes one of the others, or none where little is gained: the file is ``"unchanged"`` then. The
        result's `message` says why. ``"flat"`` is the fastest one, about as large as the Thrift footer; ``"index"``, a
        jump table into the Thrift footer, is a fraction of it.
    stats : str
        ``"full"``, or ``"compact"``: bounds of strings longer than 16 bytes are shortened in the flat form, validly.
    dialect : str, optional
        ``"arrow"``: write the flat form as the public proposals in C++ and Rust have it, beside our own if that is
        there. No released reader reads it, and parquet-go cannot open the file any more. It carries less;
        `Result.omitted` lists the missing fields, in a dry run too.
    placement : str, optional
        Where the block stands. ``"aside"``, the default: in front of the Thrift footer, to which a short text is added;
        every reader of today takes that. ``"in-struct"``: within the Thrift footer, as the specification draws it;
        readers that take unknown bytes for UTF-8 refuse the file. ``"after-stop"``: behind the footer's struct, where
        parquet-go refuses it; the default of the arrow dialect, which never stands aside. A block of ours that stands
        elsewhere is moved. An extension with bytes of others keeps its placement and marker.
    marker : str
        ``"spec"`` or ``"thrift"``.
    wrap : bool
        Where somebody else's extension is no block but free-form bytes, make a block of them; `strip` gives them back
        as they were.
    extensions : mapping of UUID to bytes, optional
        What to put into extension slots of the flat footer, whatever it is; `File.extensions` gives it again. What is
        in other slots stays; None takes a slot away.
    **change
        `in_place`, `keep_mtime`, `ignore`, `timeout` and `dry_run`: see `ChangeOptions`.

    Returns
    -------
    Result
        If `path` is a directory: a list with one for each file; of a file that was refused or that failed, its outcome
        is ``"refused"`` or ``"failed"``, and its message is the error.

    Raises
    ------
    Refused
        The file must not be touched: encrypted or signed, stray bytes, part of a table whose log records its size,
        free-form bytes of somebody else, an extension over 64 MiB, or something that a new file cannot keep.
    Conflict
        Somebody else is changing the file, or has changed it meanwhile.
    Malformed, Unsupported
        The footer is broken, or cannot be carried by the form.

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
    """Where a block stands unless told otherwise: readers of the arrow dialect look behind the struct's stop alone."""
    return AFTER_STOP if dialect else ASIDE


def check_form(form: str, *others: str) -> None:
    """ParquetextError for a form that no footer can be given; `others` are known besides."""
    known = (*FORMS, AUTO, *others)
    if form not in known:
        raise ParquetextError(f"unknown footer form {form!r}: use one of {', '.join(known)}", code=wire.BAD_ARGUMENT)


def with_best(footer: Footer, options: Options, ignored: frozenset[str] = frozenset()) -> Planned:
    """The edit that gives the footer the form that it is worth; what the flat form cannot carry gets an index, and what
    would be out of all proportion in both stays as it is."""
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
    """The form that a footer is worth, extensions left out."""
    scan, length = footer.scan(), len(footer.bare)
    return choose_form(
        length, footer.start + length + LENGTH_AND_MAGIC, scan.leaf_count, scan.row_group_count, placement
    )


def with_flat(
    footer: Footer, options: Options, ignored: frozenset[str] = frozenset(), *, verbatim: bool = False
) -> TailEdit | None:
    """The edit that gives the footer its flat block, or None where it has just that.

    With `verbatim` a footer that tables cannot say is carried as it is: nothing to look anything up in, and whole.
    """

    def write(scan) -> bytes:
        slots = changed(slots_in(footer), options.extensions) | slot_of_copies(scan)
        return kernels.flat.write(scan, options.stats, verbatim=verbatim, extensions=pairs_of(slots))

    return _with_block(footer, wire.UUID_FLAT_FOOTER, write, options, ignored)


def with_index(footer: Footer, options: Options, ignored: frozenset[str] = frozenset()) -> TailEdit | None:
    """The edit that gives the footer its index, or None where it has just that."""
    slots = changed(slots_in(footer), options.extensions)
    if slots:
        raise Refused(
            f"an index has no place for extensions, {len(slots)} would be lost; parquetext.strip takes them away"
        )
    return _with_block(footer, wire.UUID_FOOTER_INDEX, kernels.index.write, options, ignored)


def _with_block(
    footer: Footer, uuid: UUID, write: Callable, options: Options, ignored: frozenset[str]
) -> TailEdit | None:
    """The edit that puts a block of ours behind those of others, in place of ours that are there."""
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
    """What the flat footer that is there has in its slots, but for what is made from the Thrift footer."""
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
    """Whether a block is the one that would be written, byte for byte."""
    return piece.trailer == block.trailer and piece.payload == block.payload


def _is_misplaced(footer: Footer, options: Options) -> bool:
    """Whether blocks of ours stand elsewhere than wanted, or by a reference that would not be written so."""
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


# What makes the edit for each form that a footer can be given.
FORMS = {"flat": with_flat, "index": with_index}
