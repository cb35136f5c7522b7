"""The end of a file that is written anew: what others have in its footer, and the forms that it had, made again."""

from __future__ import annotations

from collections.abc import Sequence

from .. import wire
from ..extension import AFTER_STOP
from ..storage import TailEdit
from .dialect import with_arrow_dialect
from .footer import Footer, parse_end
from .foreign import others_of
from .options import Options
from .pieces import OWN_FORMS, Piece
from .size import check_size
from .slots import is_compact
from .upgrade import FORMS, slots_in

__all__ = ["kept_pieces", "renewed_end"]


def kept_pieces(footer: Footer, forced: frozenset[str], wrap: bool) -> list[Piece]:
    """What of an extension goes over to the new file as it is: what is not ours, and does not speak of offsets."""
    return others_of(footer, {*OWN_FORMS, wire.UUID_FOOTER_REFERENCE, wire.UUID_ORIGINAL}, forced, wrap)


def renewed_end(
    old: Footer, struct: bytes, start: int, kept: Sequence[Piece], payload: bytes, forced: frozenset[str]
) -> bytes:
    """The new file's bytes from `start` on.

    Parameters
    ----------
    old : Footer
        Of the old file.
    struct : bytes
        The new Thrift footer without an extension.
    kept : sequence of Piece
        See `kept_pieces`.
    payload : bytes
        Of the block that tells of the original.

    Raises
    ------
    Refused
        The extension would be too large, or slots of the flat footer are damaged.
    """
    has_dialect = any(piece.is_dialect for piece in old.pieces)
    marker = old.marker or "spec"
    is_behind = (bool(kept) or has_dialect) and old.place.placement == 1
    is_text = not is_behind and all(piece.is_text for piece in kept)
    block = (Piece.text if is_text else Piece.made)(payload, wire.UUID_ORIGINAL)
    check_size([*kept, block], forced)
    edit = Footer(struct, start, None, ()).composed([*kept, block], [], marker, is_behind=is_behind)
    data = _applied(struct, start, edit)
    form = old.form
    if form in FORMS:
        options = {"verbatim": True} if form == "flat" else {}
        data = _applied(data, start, FORMS[form](parse_end(data, start), _options(old, marker), forced, **options))
    if has_dialect:
        planned = with_arrow_dialect(parse_end(data, start), Options(marker, AFTER_STOP), forced)
        data = _applied(data, start, planned.edit)
    return data


def _applied(data: bytes, start: int, edit: TailEdit) -> bytes:
    return data[: edit.keep - start] + edit.tail


def _options(old: Footer, marker: str) -> Options:
    """How the form of ours was written that the file had."""
    flat = next((piece for piece in reversed(old.pieces) if piece.uuid == wire.UUID_FLAT_FOOTER), None)
    if flat is None:
        return Options(marker, old.placement)
    stats = "compact" if is_compact(flat.payload) else "full"
    return Options(marker, old.placement, stats=stats, extensions=slots_in(old))
