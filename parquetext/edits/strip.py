"""Take our footers out of a file again."""

from __future__ import annotations

from collections.abc import Iterable

from ..storage import TailEdit
from .footer import OWN_FORMS, Footer
from .result import Result
from .run import change_footer

__all__ = ["strip"]


def strip(path: object, *, in_place: bool = False, keep_mtime: bool = False, force: Iterable[str] = (),
          timeout: float = 0, dry_run: bool = False) -> Result:
    """Remove our footer forms from a Parquet file: the original comes back, byte for byte.

    Blocks of others stay; a file without a block of ours is left unchanged. Arguments, result and errors are those of
    `upgrade`.
    """
    return change_footer(path, without_own, "stripped", "would-strip", form_after="thrift", in_place=in_place,
                         keep_mtime=keep_mtime, force=force, timeout=timeout, dry_run=dry_run)


def without_own(footer: Footer, forced: frozenset[str] = frozenset()) -> TailEdit | None:
    """The edit that leaves the footer without our blocks, or None where it has none."""
    kept = [piece.content for piece in footer.pieces if piece.uuid not in OWN_FORMS]
    return None if len(kept) == len(footer.pieces) else footer.edit(kept)
