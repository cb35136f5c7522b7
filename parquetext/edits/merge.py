"""Put files of one schema into a single one: row groups are copied, not encoded again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from .. import storage
from ..errors import ParquetextError
from ..masking import without_secrets
from ..rewrite.joined import check_same_schema, top_level_names
from ..storage.forcing import check
from .footer import read_footer
from .joining import THRIFT, CopiedFile, join
from .lost_partitions import refuse_lost_partitions
from .overrides import FORCEABLE
from .upgrade import AUTO, check_form

__all__ = ["merge"]


def merge(
    paths: Iterable[object],
    out: object,
    *,
    form: str = AUTO,
    force: Iterable[str] = (),
    advance: Callable[[], None] = lambda: None,
) -> CopiedFile:
    """Write one file with the row groups of others, in their order: bytes are copied, and no value is decoded.

    Pages, Bloom filters and page indexes are taken over, and so are the row groups' sizes, statistics and order. The
    new file has the key-values of all files, of equal keys that of the first one. The result's `notes` say what cannot
    be taken over: copies of columns in other encodings, extensions, and the writer's name where there are several.

    Parameters
    ----------
    paths : iterable of str, os.PathLike or (filesystem, str)
        Files of one schema; as `upgrade` takes each of them.
    out : str, os.PathLike, (filesystem, str) or file object
        The new file; it gets its name once it is whole, and may replace one of the others.
    form : {"auto", "flat", "index", "thrift"}
        The form of its footer; ``"auto"`` takes the one that is worth its bytes.
    force : iterable of str
        Refusals to pass over: keys of `FORCEABLE`.
    advance : callable, optional
        Called after each file.

    Returns
    -------
    CopiedFile

    Raises
    ------
    Unsupported
        A file has another schema than the first one; the message says where they differ. Or readers have to know the
        pages of a file by its writer's name, and the files have several.
    Refused
        A file is encrypted or signed, or has no Thrift footer (PAR3). Or the names of the files' directories,
        ``key=value``, have columns that the files do not have, and the new file's directories do not tell them.
    Conflict
        Another program has changed a file meanwhile.
    Malformed
        Parts of a file overlap, or leave it.

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
    check_form(form, THRIFT)
    forced, paths = check(force, FORCEABLE), list(paths)
    if not paths:
        raise ParquetextError("no files to merge")
    footer = _checked_schemas(paths)
    refuse_lost_partitions(paths, out, lambda: top_level_names(footer), forced)
    return join([(path, None) for path in paths], out, form, forced, advance=advance)


def _checked_schemas(paths: list[object]) -> bytes:
    """Compare the schemas of all files before anything is written; return the first file's footer."""
    first = b""
    for path in paths:
        with storage.open_source(path) as source:
            footer = read_footer(source).bare
            first = first or footer
            try:
                check_same_schema(first, footer)
            except ParquetextError as error:
                raise error.at(source.name) from None
    return first
