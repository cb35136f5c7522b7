"""The last two stages of a read: choose the decoders of a plan, and execute it."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from .choose.choice import choose
from .execute.execution import execute, execute_batches
from .open_file import OpenFile
from .plan.read_plan import Plan


def run(plan: Plan, file: OpenFile) -> pa.Table:
    """Read the values of a plan."""
    return execute(plan, choose(plan, file), file)


def run_batches(plan: Plan, file: OpenFile, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Read the values of a plan batch by batch."""
    return execute_batches(plan, choose(plan, file, batches=True)[0], file, batch_size)
