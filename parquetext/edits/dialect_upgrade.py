"""Add the flat footer in the dialect of the public implementations; other blocks and the Thrift footer stay."""

from __future__ import annotations

from .. import wire
from ..footer.dialect.framing import TRAILER_BYTES, frame
from ..footer.dialect.prepare import prepare
from .footer import Footer
from .foreign_bytes import others_of
from .options import Options
from .pieces import OWN_FORMS, Piece, check_size
from .run import Planned

__all__ = ["ARROW", "with_arrow_dialect"]

ARROW = OWN_FORMS[wire.UUID_ARROW_DIALECT]


def with_arrow_dialect(footer: Footer, options: Options, ignored: frozenset[str]) -> Planned:
    """Return the edit that appends a block of the dialect: its readers look only at the end of the footer."""
    others = others_of(footer, {wire.UUID_ARROW_DIALECT}, ignored, options.wrap)
    buffer, losses = prepare(footer.data)
    block = frame(buffer)
    form = ARROW if footer.form == "thrift" else footer.form
    if footer.pieces and footer.pieces[-1].content == block:
        return Planned(None, form, losses)
    pieces = [*others, Piece(wire.UUID_ARROW_DIALECT, block[:-TRAILER_BYTES], block[-TRAILER_BYTES:])]
    check_size([piece for piece in pieces if not piece.is_aside], ignored)
    placement = options.placement if footer.place is None else None  # our blocks are not moved
    return Planned(footer.edit(pieces, options.marker, placement), form, losses)
