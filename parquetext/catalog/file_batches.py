"""Read files into batches of a catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from ..errors import ParquetextError, kind_of
from ..masking import Names, without_secrets
from ..storage import resolve
from .batches import Batch
from .column_types import SCHEMA
from .footers import Footer, read_footer

ROWS = 1 << 15  # rows from which on a batch is finished


class Gathering:
    """Collects footers into batches of `SCHEMA` or `CODED`; each batch has files of one schema."""

    def __init__(self, schema: pa.Schema = SCHEMA):
        self._schema = schema
        self._batch = Batch()
        self._full: list[pa.RecordBatch] = []
        self._failed: list[tuple[str, str]] = []

    def add(self, file: str, footer: Footer) -> None:
        """Add a file under the name that its rows contain.

        Raises
        ------
        Unsupported
            If a row group does not have one chunk per leaf. Nothing is added then.
        """
        if self._batch.rows >= ROWS or not self._batch.takes(footer):
            self._finish()
        self._batch.add(file, footer)

    def fail(self, file: str, error: Exception) -> None:
        """Add one row for a file that cannot be read."""
        self._failed.append((file, without_secrets(f"{kind_of(error)}: {error}")))

    def full(self) -> list[pa.RecordBatch]:
        """Return the finished batches, each once."""
        full, self._full = self._full, []
        return full

    def rest(self) -> list[pa.RecordBatch]:
        """Finish and return all remaining batches."""
        self._finish()
        if self._failed:
            self._full.append(_failures(self._failed, self._schema))
            self._failed = []
        return self.full()

    def _finish(self) -> None:
        if self._batch.rows:
            self._full.append(self._batch.to_arrow(self._schema))
        self._batch = Batch()


def batches_of(
    files: Iterable[object], *, sidecars: bool = False, target_of: Callable[[Any], Any] = resolve
) -> Iterator[pa.RecordBatch]:
    """Yield the catalog of files: batches of `SCHEMA`, one row per column chunk.

    Parameters
    ----------
    files : iterable of path
        Paths as in `parquetext.open`. The column `file` contains them as text without credentials, as returned by
        `names_of`.
    sidecars : bool
        Also look for sidecars of remote files, at one or two requests each.
    target_of : callable
        Converts a path to a target, by default as `parquetext.open` does.

    Returns
    -------
    iterator of pyarrow.RecordBatch

    Notes
    -----
    Only the tails of files are read. A file that cannot be read has one row, with `error`; a file without row groups
    has none. Memory is bounded by one batch, which contains at least one file.

    Examples
    --------
    >>> from parquetext import catalog
    >>> rows = pa.Table.from_batches(catalog.batches_of(["wide.parquet"]))
    >>> rows.num_rows
    6
    """
    gathering, names = Gathering(), Names()
    for file in files:
        name = names.add(str(file))
        try:
            gathering.add(name, read_footer(target_of(file), sidecars=sidecars))
        except (OSError, ParquetextError) as error:
            gathering.fail(name, error)
        yield from gathering.full()
    yield from gathering.rest()


def names_of(files: Iterable[object]) -> dict[str, object]:
    """Return the files by the names that they have in a catalog's column `file`.

    The names do not contain passwords, signatures and other parts of URLs that may be secrets, because a catalog may be
    stored. If files differ only by these parts, they are numbered in their order: ``…#2`` is the second one.

    Parameters
    ----------
    files : iterable of path
        The argument of `batches_of`, in the same order.

    Returns
    -------
    dict of str to path

    Raises
    ------
    TypeError
        If `files` cannot be iterated.

    Examples
    --------
    >>> from parquetext import catalog
    >>> catalog.names_of(["https://host/x.parquet?sig=abc"])
    {'https://host/x.parquet?sig=…': 'https://host/x.parquet?sig=abc'}
    """
    names = Names()
    return {names.add(str(file)): file for file in files}


def _failures(failed: list[tuple[str, str]], schema: pa.Schema) -> pa.RecordBatch:
    files, errors = zip(*failed, strict=True)
    known = {"file": pa.array(files, pa.string()), "error": pa.array(errors, pa.string())}
    columns = [
        known[field.name].cast(field.type) if field.name in known else pa.nulls(len(failed), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
