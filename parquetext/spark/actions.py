"""What jobs do to one file, and what that weighs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from .. import edits, sidecar
from ..catalog.footers import Footer, read_footer
from ..edits.overrides import FORCEABLE
from ..footer.forms import best_name
from ..inspection.integrity import verify
from ..sidecar.foreign_sidecars import FORCEABLE as SIDECAR_FORCEABLE
from ..sidecar.table_formats import TABLE_FORMAT, refuse_sidecar
from ..storage.refusals import check, refuse

__all__ = ["ACTIONS", "FAILED", "FOUND", "Action", "prepared", "refuse_sidecar", "refuse_table", "rehearse"]

FAILED = ("failed", "findings")  # the outcomes that `on_error="raise"` raises for
FILE_WEIGHT = 4 << 20  # bytes that could be moved while a file is opened, looked at and renamed
FINDINGS_TOLD = 10
FOUND = "found"
_NOWHERE = "/dev/null/x.parquet"


class Action(NamedTuple):
    """One verb.

    Attributes
    ----------
    run : callable
        (target, options) → the columns of `results.Row` that it knows.
    moved : callable
        (size, options) → how many bytes of the file it reads or writes, about.
    changes : bool
        Whether it changes the file: those of table formats are refused then.
    finds : bool
        Whether it gives more than columns: what it has found, under `FOUND`.
    """

    run: Callable[[object, Mapping], dict]
    moved: Callable[[int, Mapping], int]
    changes: bool = True
    finds: bool = False

    def weight(self, size: int, options: Mapping) -> int:
        """What a file of this size costs, in bytes."""
        return FILE_WEIGHT + self.moved(max(size, 0), options)


def _changing(verb: Callable) -> Action:
    def run(target, options: Mapping) -> dict:
        result = verb(target, **options)
        names = ("outcome", "form_before", "form_after", "bytes_before", "bytes_after", "bytes_read", "bytes_written")
        told = [result.message, *map(str, result.losses)]
        return {**{name: getattr(result, name) for name in names}, "message": "; ".join(filter(None, told))}

    def moved(size: int, options: Mapping) -> int:
        return 0 if options.get("in_place") or options.get("dry_run") else size

    return Action(run, moved)


def _verify(target, options: Mapping) -> dict:
    report = verify(target, **options)
    form = best_name(report.forms)
    told = [str(finding) for finding in report.findings[:FINDINGS_TOLD]]
    if len(report.findings) > FINDINGS_TOLD:
        told.append(f"{len(report.findings) - FINDINGS_TOLD} more")
    return {
        "outcome": "ok" if report.ok else "findings",
        "form_before": form,
        "form_after": form,
        "bytes_read": report.bytes_read,
        "message": "; ".join(told),
        "offset": next((finding.offset for finding in report.findings), None),
    }


def _catalog(target, options: Mapping) -> dict:
    footer: Footer = read_footer(target, **options)
    form = best_name(footer.forms)
    return {"outcome": "read", "form_before": form, "form_after": form, "bytes_read": footer.bytes_read, FOUND: footer}


def _build_sidecar(target, options: Mapping) -> dict:
    built = sidecar.build(target, **options)
    return {"outcome": built.outcome, "bytes_read": built.bytes_read, "bytes_written": built.bytes}


ACTIONS = {
    "upgrade": _changing(edits.upgrade),
    "encode": _changing(edits.encode),
    "strip": _changing(edits.strip),
    "finalize": _changing(edits.finalize),
    "restore": _changing(edits.restore),
    "verify": Action(_verify, lambda size, options: size if options.get("deep") or options.get("pages") else 0, False),
    "build_sidecars": Action(_build_sidecar, lambda size, options: 0, False),
    "catalog": Action(_catalog, lambda size, options: 0, False, True),
}


def refuse_table(table: str, forced: frozenset[str], path: str) -> None:
    """Refused for a file of a table, where the listing has found one."""
    if table:
        refuse(forced, TABLE_FORMAT, table, path)


def prepared(action: Action, options: Mapping) -> tuple[frozenset[str], dict]:
    """The refusals to pass over, and the options for each file, which nobody searches for tables any more."""
    if action is ACTIONS["build_sidecars"]:
        forced = check(options.get("force", ()), SIDECAR_FORCEABLE)
        return forced, {**options, "force": forced | {TABLE_FORMAT}}
    if not action.changes:
        return frozenset(), dict(options)
    forced = check(options.get("force", ()), FORCEABLE)
    return forced, {**options, "force": forced | {TABLE_FORMAT}}


def rehearse(name: str, options: Mapping) -> None:
    """Raise what the verb says to options that it does not take, before any file is touched."""
    if name == "finalize":
        edits.check_confirmed(options.get("confirm", False), options.get("dry_run", False))
    try:
        ACTIONS[name].run(_NOWHERE, {**options, "dry_run": True} if ACTIONS[name].changes else options)
    except OSError:
        return
