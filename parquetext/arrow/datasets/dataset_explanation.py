"""Explain a read of a dataset: the files that are read and skipped, and the plan of each file that is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...masking import without_secrets
from ...pruning import Predicate
from ...reading.explanation import Explanation
from ...records import frozen
from ...tabular import Listing, Shown, Tabular, chosen
from .fragment_planning import FragmentPlanner, UnionPlanner
from .scan_columns import ScanColumns

READ, MAY_MATCH = "no filter", "may contain matching rows"
RULED_OUT = "ruled out by directory names, statistics or sidecars"
MOST_LETTERS = 120  # of a path


@frozen
class FilePlan:
    """The plan of one file; `explanation` is None if the file is skipped."""

    path: str
    is_read: bool
    reason: str
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True, repr=False)
class DatasetExplanation(Tabular):
    """The plan of a read of a dataset; `repr` and notebooks show it as a table of files.

    Attributes
    ----------
    filter : str or None
    files : list of FilePlan
        In the order of the dataset.
    """

    filter: str | None
    files: list[FilePlan]

    @property
    def bytes_to_fetch(self) -> int:
        """The stored bytes of the pages to read, at most."""
        return sum(each.explanation.bytes_to_fetch for each in self.files if each.explanation is not None)

    def _shown(self) -> Shown:
        rows: list[Any] = []
        for each in (self.files[number] for number in chosen(len(self.files))):
            plan = each.explanation
            if plan is None:
                rows.append((each.path, "skip", None, 0, None, each.reason))
                continue
            groups = f"{sum(group.is_read for group in plan.row_groups)} of {len(plan.row_groups)}"
            decoders = ", ".join(dict.fromkeys(column.decoder for column in plan.columns))
            action = "read" if each.is_read else "skip"
            rows.append((each.path, action, groups, plan.bytes_to_fetch, decoders, each.reason))
        headings = ("file", "plan", "row groups", "bytes", "decoders", "reason")
        listing = Listing(headings, rows, len(self.files), "files", MOST_LETTERS)
        kept = sum(each.is_read for each in self.files)
        fields = [
            ("filter", self.filter),
            ("files", f"{kept:,} of {len(self.files):,}"),
            ("bytes to fetch", self.bytes_to_fetch),
        ]
        return Shown("plan of a dataset", fields, [listing])


def explain_dataset(
    planner: FragmentPlanner | UnionPlanner, columns: object, predicate: Predicate | None
) -> DatasetExplanation:
    """Plan the read of some columns, and explain the plan of each file that is read."""
    names = ScanColumns(planner.schema, columns, predicate).names
    kept = {fragment.number: fragment.narrowed(names) for fragment in planner.fragments(predicate)}
    files = []
    for number, path in enumerate(map(without_secrets, planner.paths)):
        if number not in kept:
            files.append(FilePlan(path, False, RULED_OUT))
            continue
        plan = kept[number].explain(predicate)
        is_read = not plan.row_groups or any(each.is_read for each in plan.row_groups)
        reason = READ if predicate is None else MAY_MATCH if is_read else "no row group may match"
        files.append(FilePlan(path, is_read, reason, plan))
    return DatasetExplanation(None if predicate is None else str(predicate.expression), files)
