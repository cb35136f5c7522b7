"""The actions of jobs on one file, and their costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from .. import edits, sidecar
from ..catalog.footers import Footer, read_footer
from ..edits.options import IGNORABLE
from ..footer.forms import best_name
from ..inspection.integrity import verify
from ..sidecar.foreign_sidecars import IGNORABLE as SIDECAR_IGNORABLE
from ..sidecar.table_formats import TABLE_FORMAT
from ..storage.refusals import check, refuse

FAILED = ("failed", "findings")  # the outcomes that `on_error="raise"` raises for
FILE_WEIGHT = 4 << 20  # bytes that could be moved while a file is opened, looked at and renamed
FINDINGS_TOLD = 10
FOUND = "found"
_NOWHERE = "/dev/null/x.parquet"


class Action(NamedTuple):
    """One operation.

    Attributes
    ----------
    run : callable
        (target, options) → its columns of `results.Row`.
    moved : callable
        (size, options) → the approximate number of bytes of the file that it reads or writes.
    changes : bool
        True if it changes the file; then files of table formats are refused.
    finds : bool
        True if its result also has an entry `FOUND`, which is not a column.
    """

    run: Callable[[object, Mapping], dict]
    moved: Callable[[int, Mapping], int]
    changes: bool = True
    finds: bool = False

    def weight(self, size: int, options: Mapping) -> int:
        """Return the cost of a file of this size, in bytes."""
        return FILE_WEIGHT + self.moved(max(size, 0), options)


def _changing(verb: Callable) -> Action:
    def run(target, options: Mapping) -> dict:
        result = verb(target, **options)
        names = ("outcome", "form_before", "form_after", "bytes_before", "bytes_after", "bytes_read", "bytes_written")
        message = [result.message, *map(str, result.omitted)]
        return {**{name: getattr(result, name) for name in names}, "message": "; ".join(filter(None, message))}

    def moved(size: int, options: Mapping) -> int:
        return 0 if options.get("in_place") or options.get("dry_run") else size

    return Action(run, moved)


def _reading(verb: Callable) -> Action:
    """Return the action of an operation that may read the whole file, also if it writes only the tail or nothing."""
    return _changing(verb)._replace(moved=lambda size, options: size)


def _verify(target, options: Mapping) -> dict:
    report = verify(target, **options)
    form = best_name(report.forms)
    message = [str(finding) for finding in report.findings[:FINDINGS_TOLD]]
    if len(report.findings) > FINDINGS_TOLD:
        message.append(f"{len(report.findings) - FINDINGS_TOLD} more")
    return {
        "outcome": "ok" if report.ok else "findings",
        "form_before": form,
        "form_after": form,
        "bytes_read": report.bytes_read,
        "message": "; ".join(message),
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
    "add_page_index": _reading(edits.add_page_index),
    "encode": _changing(edits.encode),
    "strip": _changing(edits.strip),
    "finalize": _changing(edits.finalize),
    "restore": _changing(edits.restore),
    "verify": Action(_verify, lambda size, options: size if options.get("deep") or options.get("pages") else 0, False),
    "build_sidecars": Action(_build_sidecar, lambda size, options: 0, False),
    "build_catalog": Action(_catalog, lambda size, options: 0, False, True),
}


def refuse_table(table: str, ignored: frozenset[str], path: str) -> None:
    """Raise Refused if the listing has found that the file belongs to a table."""
    if table:
        refuse(ignored, TABLE_FORMAT, table, path)


def prepared(action: Action, options: Mapping) -> tuple[frozenset[str], dict]:
    """Return the checks to ignore, and the options for each file: the listing has already searched for tables."""
    if action is ACTIONS["build_sidecars"]:
        ignored = check(options.get("ignore", ()), SIDECAR_IGNORABLE)
        return ignored, {**options, "ignore": ignored | {TABLE_FORMAT}}
    if not action.changes:
        return frozenset(), dict(options)
    ignored = check(options.get("ignore", ()), IGNORABLE)
    return ignored, {**options, "ignore": ignored | {TABLE_FORMAT}}


def rehearse(name: str, options: Mapping) -> None:
    """Raise the operation's error for options that it does not accept, before any file is changed."""
    if name == "finalize":
        edits.check_confirmed(options.get("confirm", False), options.get("dry_run", False))
    try:
        ACTIONS[name].run(_NOWHERE, {**options, "dry_run": True} if ACTIONS[name].changes else options)
    except OSError:
        return
