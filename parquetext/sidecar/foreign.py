"""Foreign sidecars, such as QuestDB's own: parquetext does not replace them unless a caller says so."""

from __future__ import annotations

import posixpath
import re

from .. import kernels
from ..errors import ParquetextError
from ..storage import resolve
from .origin import CODE
from .plan import read_sidecar

__all__ = ["has_own_note", "is_foreign"]

OURS = re.compile(r"_.+\.pm", re.DOTALL)  # names that nobody else gives


def is_foreign(sidecar) -> bool:
    """Whether somebody else has written the newest commit of a sidecar.

    A sidecar that cannot be read counts as foreign unless its name is one that only parquetext gives, ``_NAME.pm``.

    Parameters
    ----------
    sidecar : path
        Of the sidecar, as `parquetext.open` takes it.

    Raises
    ------
    OSError
        It cannot be read; `FileNotFoundError` where there is none.
    """
    place = resolve(sidecar)
    try:
        return not has_own_note(kernels.sidecar.Reader(read_sidecar(place), verify=False))
    except ParquetextError:
        return not OURS.fullmatch(posixpath.basename(place.path))


def has_own_note(reader) -> bool:
    """Whether the note of ours in a snapshot was written for it.

    QuestDB's writer carries the notes of the commit before into its own: they describe an older content of the file.
    """
    note = reader.note(CODE)
    if note is None or not reader.footer.previous:
        return note is not None
    before = kernels.sidecar.Reader(reader.data, reader.footer.previous, verify=False)
    return before.note(CODE) != note or before.parquet_footer == reader.parquet_footer
