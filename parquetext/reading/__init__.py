"""The single path of every read: request, plan, choose, execute.

Each stage is a package that produces a frozen value:

1. `request` checks the arguments and resolves names to leaves: `Request`.
2. `plan` selects row groups, pages and byte ranges from the footer and indexes, without reading data: `Plan`.
3. `choose` assigns a decoder to each part of the plan, and states the reason: `Choice`.
4. `execute` fetches, decodes, filters and assembles the values.

`fields` describes how Parquet's schema becomes Arrow fields; all stages use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import homes_of, lazy_names

_HOMES = homes_of(
    """
    request.read_request: AUTO ReadOptions check_arguments
    execute.watch: Watch
    execute.at_exit: closed_at_exit
    choose.choice: has_copies
    stages: plan_file plan_rows run run_batches
    """
)

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from .choose.choice import has_copies
    from .execute.at_exit import closed_at_exit
    from .execute.watch import Watch
    from .request.read_request import AUTO, ReadOptions, check_arguments
    from .stages import plan_file, plan_rows, run, run_batches
else:
    __getattr__, __dir__ = lazy_names(globals(), _HOMES)
