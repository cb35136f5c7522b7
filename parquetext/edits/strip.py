"""Take footers and other blocks out of a file again."""

from __future__ import annotations

from collections.abc import Container, Iterable
from uuid import UUID

from .. import wire
from ..errors import ParquetextError, Refused, names_memory
from ..footer.forms import BY_UUID
from ..storage import TailEdit
from .decode_columns import decoded, is_encoded
from .directories import takes_directories
from .footer import Footer
from .foreign_bytes import without
from .pieces import form_in
from .result import Result
from .run import Planned, change_footer

__all__ = ["strip"]

OWN = frozenset({*BY_UUID, wire.UUID_FOOTER_REFERENCE, wire.UUID_WRAPPED})
ALL = "all"


@takes_directories()
@names_memory
def strip(
    path: object,
    *,
    kinds: Iterable[UUID | str] | str | None = None,
    in_place: bool = False,
    keep_mtime: bool = False,
    force: Iterable[str] = (),
    timeout: float = 0,
    dry_run: bool = False,
) -> Result:
    """Remove our footer forms from a Parquet file: the original comes back, byte for byte.

    Blocks of others stay; a file without a block of ours is left unchanged. A file with columns in other encodings
    becomes the one that `encode` was given, whatever footer it has got since: it is written anew, and its SHA-256
    compared before it takes the file's place.

    Parameters
    ----------
    kinds : iterable of UUID or str, or "all", optional
        Remove the blocks of these kinds instead of ours; ``"all"`` the whole extension, whoever wrote it.
    path, in_place, keep_mtime, force, timeout, dry_run
        As `upgrade` takes them; so are the result and the errors. A file with columns in other encodings cannot be
        changed in place.

    Returns
    -------
    Result
        `.outcome`, sizes before and after, and a message.
        If `path` is a directory: a list with one for each file; of a file that was refused or that failed, its outcome
        is ``"refused"`` or ``"failed"``, and its message is the error.

    Raises
    ------
    Refused
        Another program has changed the file since it was encoded, or what comes back is not what it was.

    Examples
    --------
    >>> parquetext.upgrade("wide.parquet", form="flat").outcome
    'upgraded'
    >>> parquetext.strip("wide.parquet").outcome
    'stripped'
    >>> parquetext.open("wide.parquet").form
    'thrift'
    """
    removed = _kinds(kinds)

    def plan(footer: Footer, forced: frozenset[str], source) -> Planned:
        if is_encoded(footer) and (kinds is None or removed == ALL or wire.UUID_ORIGINAL in removed):
            if removed == ALL:
                raise Refused("columns have copies in other encodings: strip it without kinds first")
            return decoded(footer, source)
        edit = without_blocks(footer, removed)
        left = () if removed == ALL else [piece for piece in footer.pieces if piece.uuid not in removed]
        return Planned(edit, form_in(left))

    return change_footer(
        path,
        plan,
        "stripped",
        "would-strip",
        in_place=in_place,
        keep_mtime=keep_mtime,
        force=force,
        timeout=timeout,
        dry_run=dry_run,
    )


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
    """The edit that leaves the footer without blocks of these kinds, or None where it has none.

    Free-form bytes that an upgrade has wrapped are unwrapped once nothing stands above them.
    """
    left = [] if kinds == ALL and footer.pieces else without(footer.pieces, kinds)
    return None if left is None else footer.edit(left)
