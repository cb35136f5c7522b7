"""Create a DuckDB view of a dataset, to which DuckDB passes its columns and filters."""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds

from .. import compute as pc
from ..arrow.datasets.dataset import Dataset
from ..arrow.datasets.scanner import Scanner
from .engine_types import with_types_of_duckdb
from .sources import import_optional, open_source

if TYPE_CHECKING:
    import duckdb


def register_duckdb(
    con: duckdb.DuckDBPyConnection,
    source: object,
    name: str | None = None,
    *,
    columns: Iterable[str] | None = None,
    **options: Any,
) -> ArrowDataset:
    """Create a view of Parquet files in DuckDB, read by the fastest form of their footers.

    Parameters
    ----------
    con : duckdb.DuckDBPyConnection
    source : path, or list of paths
        As `parquetext.dataset` takes it.
    name : str, optional
        Of the view. By default the last part of the path without its suffix: ``wide`` of ``data/wide.parquet``. A view
        with the file's own name, ``wide.parquet``, replaces DuckDB's reader in ``FROM 'wide.parquet'``.
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
        If there is no such file or directory.
    ColumnError
        If there is no such column.
    TypeError
        If `con` is no connection, or if `source` is no path and there is no `name`.

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
    library: Any = import_optional("duckdb", "register_duckdb")
    if con is not library and not isinstance(con, library.DuckDBPyConnection):
        raise TypeError(f"con is a connection of DuckDB, not {type(con).__name__}")
    if name is None:
        if not isinstance(source, (str, os.PathLike)):
            raise TypeError(f"name: the view needs one where the source is a {type(source).__name__}")
        name = _stem(os.fspath(source))
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


class ArrowDataset(ds.FileSystemDataset):  # type: ignore[misc]
    """A dataset that is scanned by our footers. Arrow's C++ reads the same files by their Thrift footers.

    Parameters
    ----------
    lake : Dataset
    """

    def __init__(self, lake: Dataset):
        fragments = [fragment.to_pyarrow() for fragment in lake.get_fragments()]
        super().__init__(fragments, lake.schema, lake.format, lake.filesystem)
        self._lake = lake

    def __reduce__(self) -> tuple[Any, ...]:
        return ArrowDataset, (self._lake,)

    def scanner(
        self,
        columns: Sequence[str] | Mapping[str, pc.Expression] | None = None,
        filter: pc.Expression | None = None,
        *,
        batch_size: int = 1 << 17,
        use_threads: bool = True,
        fragment_scan_options: ds.FragmentScanOptions | None = None,
        **hints: Any,
    ) -> Scanner | ds.Scanner:
        """Return a scanner of some columns of the rows that meet a filter, like `parquetext.dataset`.

        `hints` are those of Arrow's read-ahead. With `fragment_scan_options`, which apply to Arrow's reader, Arrow
        reads.
        """
        if fragment_scan_options is not None:
            return super().scanner(
                columns=columns,
                filter=filter,
                batch_size=batch_size,
                use_threads=use_threads,
                fragment_scan_options=fragment_scan_options,
                **hints,
            )
        return self._lake.scanner(columns, filter, batch_size=batch_size, use_threads=use_threads)
