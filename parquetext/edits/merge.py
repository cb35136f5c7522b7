"""Merge files of one schema into a single one: row groups are copied, not re-encoded."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable

from .. import storage, wire
from ..errors import ParquetextError
from ..footer.forms import AUTO, THRIFT, Form, check_writable
from ..masking import without_secrets
from ..rewrite.joined import check_same_schema, top_level_names
from ..storage.paths import directory_keys
from ..storage.refusals import check, refuse
from .footer import read_footer
from .joining import CopiedFile, join
from .options import IGNORABLE, SCAN, check_optimize_for

PARTITION_COLUMNS = "partition-columns"
VALUES_SHOWN = 3


def merge(
    paths: Iterable[object],
    out: object,
    *,
    form: Form | str = AUTO,
    ignore: Iterable[str] = (),
    optimize_for: str = SCAN,
    advance: Callable[[], None] = lambda: None,
) -> CopiedFile:
    """Merge the row groups of files into one file, in order: bytes are copied, and no value is decoded.

    Pages, Bloom filters, page indexes, and the row groups' sizes, statistics and order are copied. The new file has the
    key-values of all files; for equal keys, that of the first one. The result's `notes` list everything that cannot be
    copied: copies of columns in other encodings, extensions, and the writer's name if there are several.

    Parameters
    ----------
    paths : iterable of str, os.PathLike or (filesystem, str)
        Files of one schema; see `upgrade`.
    out : str, os.PathLike, (filesystem, str) or file object
        The new file; it gets its name when it is complete, and may replace one of the others.
    form : Form or str
        The form of its footer, as in `upgrade`; ``"auto"`` chooses the one that pays off, ``"thrift"`` adds none.
    ignore : iterable of str
        Refusals to ignore: keys of `IGNORABLE`.
    optimize_for : {"scan"}
        Other uses need other pages, which are not copied: the error names `rewrite`, which can write the merged file
        again.
    advance : callable, optional
        Called after each file.

    Returns
    -------
    CopiedFile

    Raises
    ------
    Unsupported
        If a file's schema differs from the first one; the message names the difference. Or if readers need the name
        of the writer to read a file's pages and the files have several writers.
    Refused
        If a file is encrypted or signed, or has no Thrift footer (PAR3). Or if the names of the files' directories,
        ``key=value``, contain columns that the files do not have, and the new file's directories do not contain them.
    Conflict
        If another program changes a file meanwhile.
    Malformed
        If parts of a file overlap or exceed it.

    Examples
    --------
    >>> parquetext.merge(["wide.parquet", "wide.parquet"], "both.parquet").rows
    600
    >>> parquetext.read_table("both.parquet", ["id"]).num_rows
    600
    """
    if isinstance(paths, str | os.PathLike):
        name = without_secrets(str(paths))
        raise TypeError(f"paths is a list of files, not the one path {name!r}; for a directory, list its files")
    check_writable(form, THRIFT.name)
    _refuse_other_pages(optimize_for)
    ignored, paths = check(ignore, IGNORABLE), list(paths)
    if not paths:
        raise ParquetextError("no files to merge")
    footer = _checked_schemas(paths)
    _refuse_lost_partitions(paths, out, footer, ignored)
    return join([(path, None) for path in paths], out, form, ignored, advance=advance)


def _refuse_other_pages(use: str) -> None:
    check_optimize_for(use)
    if use != SCAN:
        message = f"merge copies pages as they are: merge, and then rewrite the new file with optimize_for={use!r}"
        raise ParquetextError(message, code=wire.BAD_ARGUMENT)


def _checked_schemas(paths: list[object]) -> bytes:
    """Compare the schemas of all files before anything is written; return the first file's footer."""
    first = b""
    for path in paths:
        with storage.open_source(path) as source:
            footer = read_footer(source).unreferring
            first = first or footer
            try:
                check_same_schema(first, footer)
            except ParquetextError as error:
                raise error.at(source.name) from None
    return first


def _refuse_lost_partitions(paths: list[object], out: object, footer: bytes, ignored: frozenset[str]) -> None:
    """Refuse a new file that loses partition columns of its source files, unless that check is ignored.

    The values of partition columns are only in the names of directories, not in row groups.

    `footer` is that of the first file. The new file loses nothing if its directories have the same values.
    """
    kept = {} if hasattr(out, "write") else _keys_of(out)
    lost: dict[str, dict[str | None, None]] = {}
    for path in paths:
        for name, value in _keys_of(path).items():
            if name not in kept or kept[name] != value:
                lost.setdefault(name, {})[value] = None
    there = top_level_names(footer) if lost else frozenset()
    lost = {name: values for name, values in lost.items() if name not in there}
    if lost:
        message = ", ".join(f"{name!r} ({_shown(list(values))})" for name, values in lost.items())
        refuse(
            ignored,
            PARTITION_COLUMNS,
            f"the names of the files' directories alone have the values of {message}, which the new file would lose; "
            "parquetext.write_table(parquetext.read_table(DIRECTORY), FILE) writes them as columns",
            str(storage.resolve(out)) if not hasattr(out, "write") else None,
        )


def _keys_of(path: object) -> dict[str, str | None]:
    return directory_keys(posixpath.dirname(storage.resolve(path).path))


def _shown(values: list[str | None]) -> str:
    shown = ", ".join("null" if value is None else value for value in values[:VALUES_SHOWN])
    return shown + ", …" * (len(values) > VALUES_SHOWN)
