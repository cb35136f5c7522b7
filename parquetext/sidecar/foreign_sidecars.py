"""Foreign sidecars, such as QuestDB's own: parquetext does not replace them unless a caller says so."""

from __future__ import annotations

import posixpath

from .. import kernels, wire
from ..errors import ParquetextError
from ..storage import resolve
from ..storage.forcing import refuse
from .following import exists
from .naming import OURS, candidates
from .table_formats import TABLE_FORMAT

__all__ = ["FORCEABLE", "foreign_beside", "has_own_note", "is_foreign", "refuse_foreign"]

FOREIGN = "foreign-sidecar"
FORCEABLE = {
    FOREIGN: "somebody else has written the sidecar, such as QuestDB: it is replaced, or appended to",
    TABLE_FORMAT: "the folder is that of a table whose clean-up does not know sidecars",
}


def foreign_beside(path: object) -> str | None:
    """The path of a foreign sidecar beside the Parquet file at `path`; None where there is none.

    Parameters
    ----------
    path : str, os.PathLike, or (pyarrow.fs.FileSystem, str)
        As `parquetext.open` takes it.

    Returns
    -------
    str or None

    Raises
    ------
    OSError
        A sidecar cannot be read.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> sidecar.foreign_beside("wide.parquet") is None
    True
    """
    return next((str(place) for place in candidates(path) if exists(place) and is_foreign(place)), None)


def refuse_foreign(sidecar, forced: frozenset[str]) -> None:
    """Refuse to write a sidecar where a foreign one is, unless forced."""
    place = resolve(sidecar)
    if FOREIGN not in forced and exists(place) and is_foreign(place):
        refuse(
            forced, FOREIGN, "another program, such as QuestDB, has written this sidecar and relies on it", str(place)
        )


def is_foreign(sidecar: object) -> bool:
    """Whether somebody else has written the newest commit of a sidecar.

    A sidecar that cannot be read counts as foreign unless its name is one that only parquetext gives, ``_NAME.pm``.

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
        It cannot be read; `FileNotFoundError` where there is none.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> sidecar.is_foreign("_wide.parquet.pm")
    False
    """
    # Here, for what reads sidecars imports what builds them; and files without sidecars do not pay for it.
    from .plan import read_sidecar

    place = resolve(sidecar)
    try:
        return not has_own_note(kernels.sidecar.Reader(read_sidecar(place), verify=False))
    except ParquetextError:
        return not OURS.fullmatch(posixpath.basename(place.path))


def has_own_note(reader) -> bool:
    """Whether the note of ours in a snapshot was written for it.

    QuestDB's writer carries the notes of the commit before into its own: they describe an older content of the file.
    """
    note = reader.note(wire.PM_ORIGIN_CODE)
    if note is None or not reader.footer.previous:
        return note is not None
    before = kernels.sidecar.Reader(reader.data, reader.footer.previous, verify=False)
    return before.note(wire.PM_ORIGIN_CODE) != note or before.parquet_footer == reader.parquet_footer
