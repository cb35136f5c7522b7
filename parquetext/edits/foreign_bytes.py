"""Extension bytes of other programs: keep them under our block, wrap free-form bytes, and restore them unchanged."""

from __future__ import annotations

from collections.abc import Container, Sequence
from uuid import UUID

from .. import wire
from ..storage.refusals import refuse
from .footer import Footer
from .pieces import Piece


def others_of(footer: Footer, own: Container[UUID], ignored: frozenset[str], wrap: bool) -> list[Piece]:
    """Return the pieces that stay under our new block: all except those of the kinds `own`.

    An extension that ends in free-form bytes is refused. With `wrap` these bytes become a block; if the
    check is ignored, our block is stacked on them, except on an empty extension, which could not be distinguished from
    a missing one later.
    """
    others = [piece for piece in footer.pieces if piece.uuid not in own]
    if footer.is_free_form:
        size = footer.pieces[0].size
        if not wrap:
            refuse(
                ignored,
                "free-form",
                f"the footer has an extension of another program: {size} bytes that are not a "
                "block; wrap=True stores them as a block",
                offset=footer.location.payload,
                code=wire.FREE_FORM,
            )
        if len(others) == 1 and (wrap or not size):
            return [Piece.made(others[0].payload, wire.UUID_WRAPPED)]
    return others


def without(pieces: Sequence[Piece], kinds: Container[UUID]) -> list[Piece] | None:
    """Return the pieces without blocks of these kinds, or None if there are none of them.

    Wrapped free-form bytes are not removed but unwrapped, if no other piece remains.
    """
    left = [piece for piece in pieces if piece.uuid not in kinds or piece.uuid == wire.UUID_WRAPPED]
    alone = len(left) == 1 and left[0].uuid == wire.UUID_WRAPPED
    if alone and (len(pieces) > 1 or wire.UUID_WRAPPED in kinds):
        return [Piece(None, left[0].payload)]
    return None if len(left) == len(pieces) else left
