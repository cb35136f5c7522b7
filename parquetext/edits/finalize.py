"""Replace the Thrift footer by the flat footer, the last stage of a migration."""

from __future__ import annotations

from typing import Unpack

from ..errors import Refused, names_memory
from ..extension import ASIDE
from ..storage import TailEdit
from .directories import takes_directories
from .final_footer import FINAL, FinalFooter, applied, base_of, sealed
from .footer import Footer, refuse_referring
from .options import ChangeOptions, Options
from .result import Result
from .run import Planned, change_footer, read_either
from .slots import Changes
from .upgrade import with_form

ONLY_PARQUETEXT = "only parquetext reads a finalized file, until restore"


@takes_directories()
@names_memory
def finalize(
    path: object,
    *,
    confirm: bool = False,
    extensions: Changes | None = None,
    **change: Unpack[ChangeOptions],
) -> Result:
    """Replace the footer by a flat footer (magic PAR3); only parquetext reads such a file.

    `restore` restores the file, byte for byte. Its first bytes and its data are not changed. A file without a flat
    footer is upgraded in the same change; an extension of its Thrift footer moves into the flat one, and `restore`
    brings it back. A PAR3 file is left unchanged.

    Parameters
    ----------
    confirm : bool
        True confirms that no other reader needs the file from now on. A dry run needs no confirmation.
    extensions : mapping of UUID to bytes, optional
        First upgrade the file with these in slots of its flat footer; see `upgrade`.
    path, **change
        See `upgrade`.

    Returns
    -------
    Result or list of Result
        The outcome is ``"finalized"`` or ``"unchanged"``; see `upgrade`.

    Raises
    ------
    Refused
        If `confirm` is missing; if the existing flat footer is damaged, not lossless (compact statistics) or outdated
        (`upgrade` with ``form="flat"`` renews it); or if `upgrade` would refuse the file.
    Conflict
        If another writer is changing the file, or has changed it meanwhile.
    Malformed, Unsupported
        If the footer is broken, or if the flat form cannot represent it.

    Examples
    --------
    >>> parquetext.finalize("wide.parquet", confirm=True).outcome
    'finalized'
    >>> parquetext.open("wide.parquet").form
    'par3'
    """
    check_confirmed(confirm, change.get("dry_run", False))

    def plan(footer: Footer | FinalFooter, ignored: frozenset[str], _source: object) -> Planned[TailEdit]:
        if isinstance(footer, FinalFooter):
            if extensions:
                raise Refused("a PAR3 file does not change: restore it, and finalize it with these extensions")
            return Planned(None, footer.form)
        if extensions:
            refuse_referring(footer)
            options = Options(placement=footer.placement or ASIDE, extensions=extensions)
            footer = applied(footer, with_form(footer, base_of(FINAL), options, ignored).edit)
        return Planned(sealed(footer), FINAL.name)

    return change_footer(path, plan, "finalize", read=read_either, **change)


def check_confirmed(confirm: bool, dry_run: bool = False) -> None:
    """Raise Refused unless the caller confirms that no other reader needs the files."""
    if not (confirm or dry_run):
        raise Refused(f"{ONLY_PARQUETEXT}: confirm=True says that no other reader needs it")
