"""How large an extension may become."""

from __future__ import annotations

from collections.abc import Iterable, Sized

from .. import wire
from ..storage.forcing import refuse

__all__ = ["check_size"]


def check_size(pieces: Iterable[Sized], forced: frozenset[str]) -> None:
    """Refuse an extension of these pieces where readers would fail on it."""
    size = sum(map(len, pieces))
    if size > wire.MAX_EXTENSION_BYTES:
        refuse(forced, "size", f"an extension of {size} bytes: pyarrow and Spark fail on much more than "
               f"{wire.MAX_EXTENSION_BYTES}", expected=wire.MAX_EXTENSION_BYTES, found=size, code=wire.TOO_LARGE)
