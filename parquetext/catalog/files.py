"""From files to a catalog's batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from ..errors import ParquetextError
from ..storage import resolve
from .batches import Batch
from .columns import SCHEMA
from .footers import read_footer

__all__ = ["batches_of"]

ROWS = 1 << 15  # of a batch, from which on it is given out


def batches_of(files: Iterable, *, sidecars: bool = False,
               target_of: Callable = resolve) -> Iterator[pa.RecordBatch]:
    """The catalog of files: batches of `SCHEMA`, one row per column chunk.

    Parameters
    ----------
    files : iterable of path
        As `parquetext.open` takes paths; `file` then has them as text.
    sidecars : bool
        Also look for sidecars of remote files, at a request or two each.
    target_of : callable
        Where a path leads; without, what `parquetext.open` makes of it.

    Notes
    -----
    Reads tails only. A file that cannot be read gives one row, with `error`; a file without row groups none. Memory is
    that of one batch, which is at least one file.
    """
    batch, failed = Batch(), []
    for file in files:
        try:
            footer = read_footer(target_of(file), sidecars=sidecars)
            if batch.rows >= ROWS or not batch.takes(footer):
                yield from _given(batch)
                batch = Batch()
            batch.add(str(file), footer)
        except (OSError, ParquetextError) as error:
            failed.append((str(file), f"{type(error).__name__}: {error}"))
    yield from _given(batch)
    if failed:
        yield _failures(failed)


def _given(batch: Batch) -> Iterator[pa.RecordBatch]:
    if batch.rows:
        yield batch.to_arrow()


def _failures(failed: list[tuple[str, str]]) -> pa.RecordBatch:
    files, errors = zip(*failed, strict=True)
    known = {"file": pa.array(files, pa.string()), "error": pa.array(errors, pa.string())}
    columns = [known.get(field.name, pa.nulls(len(failed), field.type)) for field in SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
