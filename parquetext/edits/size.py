"""How large an extension may become."""

from __future__ import annotations

from collections.abc import Iterable

from .. import wire
from ..storage.refusals import refuse
from .pieces import Piece

__all__ = ["check_size"]


def check_size(pieces: Iterable[Piece], forced: frozenset[str]) -> None:
    """Refuse an extension of these pieces where readers would fail on it."""
    size = sum(piece.size for piece in pieces)
    if size > wire.MAX_EXTENSION_BYTES:
        refuse(
            forced,
            "size",
            f"an extension of {size} bytes: pyarrow and Spark fail on much more than {wire.MAX_EXTENSION_BYTES}",
            expected=wire.MAX_EXTENSION_BYTES,
            found=size,
            code=wire.TOO_LARGE,
        )
