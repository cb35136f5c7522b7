"""Read with our decoder: whole parts, batches, or picked rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from ... import compute as pc
from ...errors import Unsupported
from ..open_file import OpenFile
from ..plan.part import SMALL_ROWS, Part
from ..plan.read_plan import Plan
from ..plan.row_picks import PickedRows
from ..request.read_request import ReadOptions
from .copy_reading import Copies
from .decoder import Decoder


def open_decoder(
    part: Part, options: ReadOptions, file: OpenFile, *, is_strict: bool = False, checks_crc: bool = False
) -> Decoder:
    """Return our decoder of a part; a strict one reads no copies, and refuses unusual chunks."""
    if is_strict:
        return Decoder(part, file._source, {}, is_strict=True, limit=options.limit, tables=file._page_tables())
    if part.footer is None:
        raise Unsupported("the footer cannot be sliced: its row groups do not match its schema")
    part.check_here()
    copies = Copies(file._table_of_copies(), part.leaves, part.row_groups, file.findings)
    return Decoder(
        part,
        file._source,
        options.reader,
        copies,
        limit=options.limit,
        tables=file._page_tables(),
        checks_crc=checks_crc,
    )


def native_batches(
    plan: Plan, file: OpenFile, batch_size: int, row_groups: Sequence[int] | None = None
) -> Iterator[pa.RecordBatch]:
    """Read all row groups of a plan, or these, batch by batch."""
    with file._naming():
        yield from open_decoder(plan.part, plan.options, file).batches(batch_size, row_groups)


def picked_rows(plan: Plan, rows: PickedRows, file: OpenFile) -> pa.Table:
    """Read the rows of a plan that are picked, from the pages that contain them, in the requested order.

    The checksums of these pages are compared, if they have any: a page is small, and no other check covers it.
    """
    decoder = open_decoder(plan.part, plan.options, file, checks_crc=True)
    return rows.in_order(decoder.table(rows.picks, use_threads=plan.options.use_threads))


def filter_table(table: pa.Table, expression: pc.Expression) -> pa.Table:
    """Return the rows that match an expression; few rows are filtered without threads, which is faster."""
    if table.num_rows >= SMALL_ROWS:
        return table.filter(expression)
    from pyarrow import acero  # slow to import, and only filters need it

    steps = [
        acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
        acero.Declaration("filter", acero.FilterNodeOptions(expression)),
    ]
    return acero.Declaration.from_sequence(steps).to_table(use_threads=False)
