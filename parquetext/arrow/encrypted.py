"""Encrypted files, for callers with keys: pyarrow reads and decrypts them, by their Thrift footer."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from ..errors import Unsupported
from ..storage import HeldTarget, LocalTarget, readable
from .engine import OURS

__all__ = ["read_encrypted", "schema_of_encrypted"]


def read_encrypted(
    source: object,
    filesystem: object,
    columns: Iterable | None,
    filters: object,
    *,
    engine: str | None,
    key_values: bool,
    **options: object,
) -> pa.Table:
    """Read by `pyarrow.parquet.read_table`, which `options` are of.

    Raises
    ------
    Unsupported
        Our own decoder is asked for: it does not decrypt.
    OSError
        The keys are others.
    """
    import pyarrow.parquet as pq  # takes long to import

    if engine == OURS:
        raise Unsupported("our own decoder does not decrypt; engine='pyarrow' does")
    if not isinstance(source, list):
        source, filesystem = _for_pyarrow(source, filesystem)
    names = None if columns is None else [name if isinstance(name, str) else ".".join(name) for name in columns]
    table = pq.read_table(source, columns=names, filters=filters, filesystem=filesystem, **options)
    return table if key_values else table.replace_schema_metadata(None)


def schema_of_encrypted(source: object, filesystem: object, **options: object) -> pa.Schema:
    """The schema by `pyarrow.parquet.read_schema`, which `options` are of."""
    import pyarrow.parquet as pq  # takes long to import

    where, filesystem = _for_pyarrow(source, filesystem)
    return pq.read_schema(where, filesystem=filesystem, **options)


def _for_pyarrow(source: object, filesystem: object) -> tuple[object, object]:
    target = readable(source, filesystem)
    if isinstance(target, HeldTarget):
        return target.file, None
    return (target.path, None) if isinstance(target, LocalTarget) else (target.path, target.filesystem)
