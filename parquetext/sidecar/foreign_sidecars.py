"""Protect foreign sidecars, such as QuestDB's: they are replaced only if the caller ignores the check."""

from __future__ import annotations

import posixpath

from .. import kernels, wire
from ..errors import ParquetextError
from ..storage import resolve
from ..storage.refusals import refuse
from .following import exists
from .naming import OURS, candidates
from .table_formats import TABLE_FORMAT

FOREIGN = "foreign-sidecar"
IGNORABLE = {
    FOREIGN: "another program, such as QuestDB, has written the sidecar: it is replaced, or appended to",
    TABLE_FORMAT: "the folder belongs to a table format whose clean-up does not know sidecars",
}


def foreign_beside(path: object) -> str | None:
    """Return the path of a foreign sidecar beside the Parquet file at `path`, or None if there is none.

    Parameters
    ----------
    path : path
        Of the Parquet file, as `parquetext.open` takes it.

    Returns
    -------
    str or None

    Raises
    ------
    OSError
        If a sidecar cannot be read.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> sidecar.foreign_beside("wide.parquet") is None
    True
    """
    return next((str(position) for position in candidates(path) if exists(position) and is_foreign(position)), None)


def refuse_foreign(sidecar: object, ignored: frozenset[str]) -> None:
    """Refuse to replace a foreign sidecar unless that check is ignored."""
    position = resolve(sidecar)
    if FOREIGN not in ignored and exists(position) and is_foreign(position):
        refuse(
            ignored,
            FOREIGN,
            "another program, such as QuestDB, has written this sidecar and relies on it",
            str(position),
        )


def is_foreign(sidecar: object) -> bool:
    """Return True if another program has written the newest commit of a sidecar.

    A sidecar that cannot be read counts as foreign unless it has the form of name that only parquetext uses,
    ``_NAME.pm``.

    Parameters
    ----------
    sidecar : path
        Of the sidecar, as `parquetext.open` takes it.

    Returns
    -------
    bool

    Raises
    ------
    OSError
        If the sidecar cannot be read; `FileNotFoundError` if there is none.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> sidecar.is_foreign("_wide.parquet.pm")
    False
    """
    # Imported here: the reader of sidecars imports their builder, and files without sidecars must not pay for it.
    from .plan import read_sidecar

    position = resolve(sidecar)
    try:
        return not has_own_note(kernels.sidecar.Reader(read_sidecar(position), verify=False))
    except ParquetextError:
        return not OURS.fullmatch(posixpath.basename(position.path))


def has_own_note(reader: kernels.sidecar.Reader) -> bool:
    """Return True if our note in a snapshot was written for this snapshot.

    QuestDB's writer copies the notes of the previous commit into its commit. They describe an older content of the
    file.
    """
    note = reader.note(wire.PM_ORIGIN_CODE)
    if note is None or not reader.footer.previous:
        return note is not None
    before = kernels.sidecar.Reader(reader.data, reader.footer.previous, verify=False)
    return before.note(wire.PM_ORIGIN_CODE) != note or before.parquet_footer == reader.parquet_footer
