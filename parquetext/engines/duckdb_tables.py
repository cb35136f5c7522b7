"""DuckDB over a dataset: a view that hands over columns and filters."""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from .optional_imports import import_optional
from .sources import open_source

if TYPE_CHECKING:
    import duckdb

    from .arrow_dataset import ArrowDataset

__all__ = ["register_duckdb"]


def register_duckdb(
    con: duckdb.DuckDBPyConnection,
    source: object,
    name: str | None = None,
    *,
    columns: Iterable[str] | None = None,
    **options: Any,
) -> ArrowDataset:
    """Have DuckDB read Parquet files by the fastest form of their footers, as a view.

    Parameters
    ----------
    con : duckdb.DuckDBPyConnection
    source : path, or list of paths
        As `parquetext.dataset` takes it.
    name : str, optional
        Of the view. By default the last part of the path without its suffix: ``wide`` of ``data/wide.parquet``. A view
        with the file's own name, ``wide.parquet``, takes the place of DuckDB's reader in ``FROM 'wide.parquet'``.
    columns : list of str, optional
        Top-level columns that the view has. All without: DuckDB then looks at the types of all columns for each query.
    **options
        Of `parquetext.dataset`.

    Returns
    -------
    pyarrow.dataset.Dataset
        The dataset of the view. In a variable it is also a table: ``wide = register_duckdb(…)``, then ``FROM wide``,
        which takes DuckDB less time than a view if there are thousands of columns.

    Raises
    ------
    Unsupported
        DuckDB is not installed.
    FileNotFoundError
        There is no such file or directory.
    ColumnError
        There is no such column.
    TypeError
        `con` is no connection, or `source` is no path and there is no `name`.

    Notes
    -----
    DuckDB asks for the columns that a query needs, and for rows that meet its filters: files, row groups and rows are
    ruled out before DuckDB sees them. Paths that have not been registered are not replaced.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> wide = parquetext.register_duckdb(con, "wide.parquet")
    >>> con.execute("SELECT id FROM wide WHERE price > 297").fetchall()
    [(298,), (299,)]
    """
    library = import_optional("duckdb", "register_duckdb")
    if con is not library and not isinstance(con, library.DuckDBPyConnection):
        raise TypeError(f"con is a connection of DuckDB, not {type(con).__name__}")
    if name is None:
        if not isinstance(source, (str, os.PathLike)):
            raise TypeError(f"name: the view needs one where the source is a {type(source).__name__}")
        name = _stem(os.fspath(source))
    from .arrow_dataset import ArrowDataset
    from .engine_types import with_types_of_duckdb

    lake = open_source(source, columns, options)
    if options.get("schema") is None:
        lake = with_types_of_duckdb(lake)
    view = ArrowDataset(lake)
    con.register(name, view)
    return view


def _stem(path: str) -> str:
    """Return the last part of a path or URL without its suffix, or all of it if nothing else is left."""
    if "://" in path:
        path = urllib.parse.urlsplit(path).path
    return PurePath(path).stem or path
