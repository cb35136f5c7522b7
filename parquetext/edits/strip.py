"""Remove footers and other blocks from a file."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, Unpack
from uuid import UUID

from .. import wire
from ..errors import ParquetextError, Refused, names_memory
from ..footer.forms import BY_UUID
from ..storage import Source, TailEdit
from .decode_columns import decoded
from .directories import takes_directories
from .footer import Footer
from .foreign_bytes import without
from .options import ChangeOptions
from .original_footer import without_indexes
from .pieces import form_in
from .referred import keeping_reference, without_reference
from .result import Result
from .run import Planned, change_footer

OWN = frozenset({*BY_UUID, wire.UUID_FOOTER_REFERENCE, wire.UUID_WRAPPED})
ALL = "all"


@takes_directories()
@names_memory
def strip(
    path: object,
    *,
    kinds: Iterable[UUID | str] | str | None = None,
    **change: Unpack[ChangeOptions],
) -> Result:
    """Remove our footer forms from a Parquet file, and restore the original, byte for byte.

    Blocks of other programs stay; a file without a block of ours is left unchanged. For a file with copies in other
    encodings, the input file of `encode` is restored, even if `upgrade` has changed the footer since: it is written
    anew, and its SHA-256 is compared before it replaces the file. For a file to which `add_page_index` has added
    indexes since, the file from before that is restored.

    Parameters
    ----------
    kinds : iterable of UUID or str, or "all", optional
        Remove the blocks of these kinds instead of ours; ``"all"`` removes the whole extension.
    path
        See `upgrade`.
    **change
        `in_place`, `keep_mtime`, `ignore`, `timeout` and `dry_run`: see `ChangeOptions`. A file
        with copies in other encodings cannot be changed in place.

    Returns
    -------
    Result or list of Result
        The outcome is ``"stripped"`` or ``"unchanged"``; see `upgrade`.

    Raises
    ------
    Refused
        If another program has changed the file since it was encoded or got page indexes, or if the restored file
        differs from the original.

    Examples
    --------
    >>> upgraded = parquetext.upgrade("wide.parquet", form="flat")
    >>> parquetext.strip("wide.parquet").outcome
    'stripped'
    >>> parquetext.open("wide.parquet").form
    'thrift'
    """
    removed = _kinds(kinds)

    def plan(footer: Footer, ignored: frozenset[str], source: Source) -> Planned[Any]:
        for record, undo, reason in (
            (wire.UUID_ORIGINAL_FOOTER, without_indexes, "page indexes were added to the file"),
            (wire.UUID_ORIGINAL, decoded, "columns have copies in other encodings"),
        ):
            if footer.last_piece(record) is not None and (kinds is None or removed == ALL or record in removed):
                if removed == ALL:
                    raise Refused(f"{reason}: strip it without kinds first")
                return undo(footer, source)
        if footer.referred is not None:
            return _with_reference(footer, removed, ignored, kinds)
        edit = without_blocks(footer, removed)
        left = () if removed == ALL else [piece for piece in footer.pieces if piece.uuid not in removed]
        return Planned(edit, form_in(left))

    return change_footer(path, plan, "strip", **change)


def _with_reference(
    footer: Footer, removed: frozenset[UUID] | str, ignored: frozenset[str], kinds: object
) -> Planned[TailEdit]:
    """Plan to strip a footer that refers to a form: it keeps the form if only blocks of some kinds are removed."""

    def plan(base: Footer) -> Planned[TailEdit]:
        left = () if removed == ALL else [piece for piece in base.pieces if piece.uuid not in removed]
        return Planned(without_blocks(base, removed), form_in(left))

    if kinds is not None and removed != ALL:
        return keeping_reference(footer, plan, ignored)
    edit = without_reference(footer, lambda base: without_blocks(base, removed), ignored)
    return Planned(edit, plan(footer).form)


def _kinds(kinds: Iterable[UUID | str] | str | None) -> frozenset[UUID] | str:
    if kinds is None or kinds == ALL:
        return kinds or OWN
    try:
        return frozenset(
            kind if isinstance(kind, UUID) else UUID(kind)
            for kind in ([kinds] if isinstance(kinds, str | UUID) else kinds)
        )
    except ValueError:
        raise ParquetextError(f"kinds of blocks are UUIDs, or {ALL!r}: {kinds!r}", code=wire.BAD_ARGUMENT) from None


def without_blocks(footer: Footer, kinds: Container[UUID] | str = OWN) -> TailEdit | None:
    """Return the edit that removes blocks of these kinds from the footer, or None if it has none.

    Free-form bytes that an upgrade has wrapped are unwrapped if no block follows them.
    """
    if isinstance(kinds, str):
        return footer.edit([]) if footer.pieces else None
    left = without(footer.pieces, kinds)
    return None if left is None else footer.edit(left)
