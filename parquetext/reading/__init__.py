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

from ..lazy_names import lazy_names

_HOMES = {
    "AUTO": "request.read_request",
    "ReadOptions": "request.read_request",
    "Watch": "execute.watch",
    "check_arguments": "request.read_request",
    "closed_at_exit": "execute.at_exit",
    "has_copies": "choose.choice",
    "plan_file": "plan.read_plan",
    "plan_rows": "plan.read_plan",
    "run": "stages",
    "run_batches": "stages",
}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from .choose.choice import has_copies as has_copies
    from .execute.at_exit import closed_at_exit as closed_at_exit
    from .execute.watch import Watch as Watch
    from .plan.read_plan import plan_file as plan_file
    from .plan.read_plan import plan_rows as plan_rows
    from .request.read_request import AUTO as AUTO
    from .request.read_request import ReadOptions as ReadOptions
    from .request.read_request import check_arguments as check_arguments
    from .stages import run as run
    from .stages import run_batches as run_batches
else:
    __getattr__, __dir__ = lazy_names(globals(), _HOMES)
