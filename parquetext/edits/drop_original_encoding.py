"""Replace columns by their ALP copies, the last stage of a new encoding: readers must support ALP then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from ..errors import Refused
from ..footer.names import as_path
from ..footer.thrift_form import ThriftForm, refuse_encrypted
from ..rewrite.native import Native, Replaced, replaced
from .advice import leaves_named
from .decode_columns import unchanged_original
from .footer import Footer, refuse_referring
from .options import RewriteOptions
from .pieces import Piece
from .renewal import Renewed, kept_pieces
from .result import Result
from .run import Planned, Rewrite, change_footer

if TYPE_CHECKING:
    from ..storage import Appender, Source

WITHOUT_ALP = (
    "readers without ALP cannot read the columns any more: pyarrow up to 26, DuckDB, Polars, DataFusion, Spark, Trino "
    "and all that are older than 2026"
)


def drop_original_encoding(
    path: object,
    columns: Sequence[str | tuple[str, ...]] | None = None,
    *,
    confirm: bool = False,
    wrap: bool = False,
    **change: Unpack[RewriteOptions],
) -> Result:
    """Rewrite a Parquet file so that columns with a copy in ALP consist of that copy only.

    Their old bytes, their page indexes and their copies in other encodings are removed, and so is the data from which
    `strip` would restore the file from before `encode`. Before anything is written, each copy is decoded and compared
    with its column. Other columns stay as they are, byte for byte.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
        See `upgrade`.
    columns : sequence of str or tuple, optional
        Leaves, or groups, which select all their leaves; by default, all columns with such copies.
    confirm : bool
        True confirms that every reader of the file supports ALP. A dry run needs no confirmation.
    wrap : bool
        See `upgrade`.
    **change
        `keep_mtime`, `ignore`, `timeout` and `dry_run`: see `RewriteOptions`. A dry run compares the copies, and
        reports the size of the new file.

    Returns
    -------
    Result
        The outcome is ``"dropped"``, or ``"unchanged"`` if no column chunk has a copy in ALP.

    Raises
    ------
    Refused
        If `confirm` is missing, if `upgrade` would refuse the file, or if another program wrote it after `encode`.
    ColumnError
        If a name matches no column, or more than one.
    Conflict
        If another program changes the file meanwhile.
    Malformed, Damaged, Unsupported
        If the file cannot be read, or if a copy has other values than its column.

    Examples
    --------
    >>> parquetext.encode("wide.parquet", {"price": "alp"}).outcome
    'encoded'
    >>> parquetext.drop_original_encoding("wide.parquet", ["price"], confirm=True).outcome
    'dropped'
    >>> parquetext.read_table("wide.parquet", ["price"], engine="parquetext").num_rows
    300
    """
    check_drop_confirmed(confirm, change.get("dry_run", False))

    def plan(footer: Footer, ignored: frozenset[str], source: Source) -> Planned[Rewrite]:
        refuse_referring(footer)
        form = ThriftForm(footer.bare)
        refuse_encrypted(form.scan)
        leaves = range(len(form.scan.leaves)) if columns is None else leaves_named(form, columns)
        gone = replaced(footer.bare, set(leaves))
        if not gone:
            return Planned(None, footer.form, reason="no column chunk has a copy in ALP")
        names = {".".join(as_path(form.node(one.leaf).path)) for one in gone}
        change = _WithoutOld(source, form, footer, gone, kept_pieces(footer, ignored, wrap), ignored)
        return Planned(change, footer.form, reason=f"{', '.join(sorted(names))}: {WITHOUT_ALP}")

    return change_footer(path, plan, "drop", in_place=False, **change)


def check_drop_confirmed(confirm: bool, dry_run: bool = False) -> None:
    """Raise Refused unless the caller confirms that all readers support the new encoding."""
    if not (confirm or dry_run):
        raise Refused(f"{WITHOUT_ALP}: confirm=True says that every reader of the file knows it")


class _WithoutOld(Renewed):
    """The file without the chunks that copies replace."""

    def __init__(
        self,
        source: Source,
        form: ThriftForm,
        footer: Footer,
        gone: list[Replaced],
        kept: list[Piece],
        ignored: frozenset[str],
    ):
        super().__init__(source, footer, kept, ignored)
        original = unchanged_original(footer)
        self._native = Native(source, footer.bare, footer.start, gone, original.rest if original else None)
        self._native.check(form.scan)
        self.message = f"{len(gone):,} column chunk{'s' * (len(gone) != 1)} in ALP alone"

    def _write_data(self, sink: Appender) -> tuple[bytes, int, None]:
        return *self._native.write(sink), None
