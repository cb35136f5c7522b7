"""Read the rows that match a predicate: decode its columns first, and the others only if rows match."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ...pruning import Predicate
from .decoder import Decoder
from .page_rows import Rows
from .picks import Picks, picks_of
from .row_mask import mask_of

__all__ = ["kept_rows"]


def kept_rows(
    decoder: Decoder, predicate: Predicate, names: Sequence[str], rows: Sequence[Rows], *, use_threads: bool
) -> pa.Table:
    """Return the rows among `rows` that match a predicate on the columns of these names.

    Parameters
    ----------
    rows : sequence of ranges
        For each row group, the ranges of rows that may match.
    """
    schema = decoder.schema
    looked_at = [schema.get_field_index(name) for name in names]
    others = [field for field in range(len(schema)) if field not in looked_at]
    found = decoder.table([Picks(ranges) for ranges in rows], looked_at, use_threads=use_threads)
    mask = mask_of(found, predicate)
    columns = dict(zip(looked_at, found.filter(mask).columns, strict=True))
    if others:
        picks = picks_of(rows, decoder.row_counts, mask)
        columns |= zip(others, decoder.table(picks, others, use_threads=use_threads).columns, strict=True)
    return pa.Table.from_arrays([columns[field] for field in range(len(schema))], schema=schema)
