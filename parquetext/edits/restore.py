"""Bring the Thrift footer of a PAR3 file back."""

from __future__ import annotations

from collections.abc import Iterable

from .. import wire
from ..errors import ParquetextError, names_memory
from ..footer.forms import THRIFT, Form
from .directories import takes_directories
from .final_footer import FinalFooter, restored
from .footer import Footer, parse_end
from .result import Result
from .run import Planned, change_footer, read_either

__all__ = ["restore"]

FORMS = (None, THRIFT.name)


@takes_directories()
@names_memory
def restore(
    path: object,
    form: Form | str | None = None,
    *,
    in_place: bool = False,
    keep_mtime: bool = False,
    force: Iterable[str] = (),
    timeout: float = 0,
    dry_run: bool = False,
) -> Result:
    """Give a PAR3 file its Thrift footer again: every reader of today reads it.

    After `finalize` the file is the one from before, byte for byte, with its flat footer and the blocks of others. A
    file that has a Thrift footer is left unchanged.

    Parameters
    ----------
    form : str, optional
        ``"thrift"`` leaves out any extension, also what others had there.
    path, in_place, keep_mtime, force, timeout, dry_run
        As `upgrade` takes them; so is the result.

    Returns
    -------
    Result
        `.outcome`, sizes before and after, and a message.
        If `path` is a directory: a list with one for each file; of a file that was refused or that failed, its outcome
        is ``"refused"`` or ``"failed"``, and its message is the error.

    Raises
    ------
    Damaged
        The PAR3 footer is not whole: nothing is changed.
    Conflict, Refused
        As `upgrade`.

    Examples
    --------
    >>> parquetext.finalize("wide.parquet", confirm=True).outcome
    'finalized'
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

    def plan(footer: Footer | FinalFooter, forced: frozenset[str], _source) -> Planned:
        if not isinstance(footer, FinalFooter):
            return Planned(None, footer.form)
        edit = restored(footer, bare=form is not None)
        return Planned(edit, parse_end(bytes(edit.tail), footer.offset).form)

    return change_footer(
        path,
        plan,
        "restored",
        "would-restore",
        read=read_either,
        in_place=in_place,
        keep_mtime=keep_mtime,
        force=force,
        timeout=timeout,
        dry_run=dry_run,
    )
