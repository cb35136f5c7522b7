"""Restore the Thrift footer of a PAR3 file."""

from __future__ import annotations

from typing import Unpack

from .. import wire
from ..errors import ParquetextError, names_memory
from ..footer.forms import THRIFT, Form
from ..storage import TailEdit
from .directories import takes_directories
from .final_footer import FinalFooter, restored
from .footer import Footer, parse_end
from .options import ChangeOptions
from .result import Result
from .run import Planned, change_footer, read_either

FORMS = (None, THRIFT.name)


@takes_directories()
@names_memory
def restore(
    path: object,
    form: Form | str | None = None,
    **change: Unpack[ChangeOptions],
) -> Result:
    """Restore the Thrift footer of a PAR3 file, so that existing readers can read it.

    The result equals the file before `finalize`, byte for byte, with its flat footer and the blocks of other programs.
    A file that has a Thrift footer is left unchanged.

    Parameters
    ----------
    form : str, optional
        ``"thrift"`` omits the extension, including blocks of other programs.
    path, **change
        See `upgrade`.

    Returns
    -------
    Result or list of Result
        The outcome is ``"restored"`` or ``"unchanged"``; see `upgrade`.

    Raises
    ------
    Damaged
        If the PAR3 footer is damaged: nothing is changed.
    Conflict, Refused
        See `upgrade`.

    Examples
    --------
    >>> finalized = parquetext.finalize("wide.parquet", confirm=True)
    >>> parquetext.restore("wide.parquet").outcome
    'restored'
    >>> parquetext.read_table("wide.parquet").num_rows
    300
    """
    if form not in FORMS:
        raise ParquetextError(
            f"unknown footer form {form!r}: use {THRIFT.name!r}, or None for the form from before",
            code=wire.BAD_ARGUMENT,
        )

    def plan(footer: Footer | FinalFooter, ignored: frozenset[str], _source: object) -> Planned[TailEdit]:
        if not isinstance(footer, FinalFooter):
            return Planned(None, footer.form)
        edit = restored(footer, bare=form is not None)
        return Planned(edit, parse_end(bytes(edit.tail), footer.offset).form)

    return change_footer(path, plan, "restore", read=read_either, **change)
