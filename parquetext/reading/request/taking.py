"""Take rows of tables also where pyarrow has no kernel for a type, and with its error for a name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from ...errors import Malformed
from ...footer.arrow_errors import ArrowUnsupported

# pyarrow has no take for view types
TAKEN_AS = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


def take_rows(table: pa.Table, positions: pa.Array | pa.ChunkedArray) -> pa.Table:
    """Return rows of a table in the order of their positions.

    Raises
    ------
    Malformed
        If the name of a column is not UTF-8.
    Unsupported
        If pyarrow cannot take values of a type.
    """
    with checked_names():
        try:
            return table.take(positions)
        except pa.ArrowNotImplementedError:
            return _taken_as_others(table, positions)


@contextmanager
def checked_names() -> Iterator[None]:
    """Raise Malformed if pyarrow accesses the name of a column that is not UTF-8."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise Malformed(f"the name of a column is not UTF-8: {error.object!r}") from None


def _taken_as_others(table: pa.Table, positions: pa.Array | pa.ChunkedArray) -> pa.Table:
    fields = [field.with_type(TAKEN_AS.get(field.type, field.type)) for field in table.schema]
    try:
        return table.cast(pa.schema(fields, table.schema.metadata)).take(positions).cast(table.schema)
    except pa.ArrowNotImplementedError as error:
        raise ArrowUnsupported(f"pyarrow cannot take rows of such a column: {error}") from None
