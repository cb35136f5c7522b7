"""Run the stages of a read: request and plan in one step, choose and execute in a second one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from ..footer.arrow_errors import ArrowUnsupported
from ..footer.facade import File
from ..footer.model import FooterReader
from ..footer.path_sizes import check_form
from .choose.choice import choose
from .execute.execution import execute, execute_batches
from .open_file import OpenFile
from .plan.read_plan import Plan, plan_read
from .request.read_request import ReadOptions, as_names, fetch_cells, resolve
from .request.row_numbers import row_numbers


def plan_file(
    file: File, columns: Iterable | None, row_groups: Sequence[int] | None, filters: object, options: ReadOptions
) -> Plan:
    """Resolve the names of a read and plan it, on the form in use, or on the next one if that form is damaged.

    One step does both, because numbers of leaves and row groups are valid only for the form that resolved them.

    Raises
    ------
    ColumnError, IndexError
        If there is no such column or row group.
    ArrowUnsupported
        If the read needs the Thrift footer, and the file has none.
    """
    names = as_names(columns)
    fetch_cells(file, names, row_groups)
    plan = file._on_form(lambda form: plan_read(form, resolve(form, names, row_groups, filters, options), file._blooms))
    return _sliced(plan, file)


def plan_rows(file: File, columns: Iterable | None, rows: object, options: ReadOptions) -> Plan:
    """Plan a read of rows by number, as `plan_file` plans a read of row groups.

    Raises
    ------
    RowIndexError, TypeError
        As in `row_numbers`.
    """
    names = as_names(columns)
    fetch_cells(file, names, None)

    def planned(form: FooterReader) -> Plan:
        numbers = row_numbers(rows, sum(form.row_groups("num_rows")), str(file.path))
        return plan_read(form, resolve(form, names, None, None, options)._replace(rows=numbers))

    return _sliced(file._on_form(planned), file)


def _sliced(plan: Plan, file: File) -> Plan:
    """Return a plan; raise an error if it needs the Thrift footer and the file has none."""
    if not plan.is_sliced:
        file._on_form(check_form)  # pyarrow reads the whole footer
        if file.is_final:
            raise ArrowUnsupported(f"not readable by a slice: {file.spec.no_thrift}", file=str(file.path))
    return plan


def run(plan: Plan, file: OpenFile) -> pa.Table:
    """Read the values of a plan."""
    return execute(plan, choose(plan, file), file)


def run_batches(plan: Plan, file: OpenFile, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Read the values of a plan batch by batch."""
    return execute_batches(plan, choose(plan, file, batches=True)[0], file, batch_size)
