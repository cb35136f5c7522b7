"""Turn an edit of footer bytes into a change of a file; shared by all operations."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from .. import kernels, sidecar, storage
from ..errors import ParquetextError, name_file
from ..footer.locate import read_tail
from ..footer.scanning import has_sound_footer
from ..sidecar.questdb_key_value import KEY
from ..storage.refusals import check
from .final_footer import FinalFooter, read_final
from .footer import Footer, read_footer, read_thrift
from .options import IGNORABLE, STORAGE_REFUSALS
from .result import Result
from .table_logs import refuse_stale_summary, refuse_table_files, summary_above


class Rewrite(Protocol):
    """A change that rewrites the whole file.

    Attributes
    ----------
    size : int
        Size of the new file; known at the latest when it is written.
    message : str
        Description of the change.
    """

    @property
    def size(self) -> int: ...
    @property
    def message(self) -> str: ...

    def write(self, sink) -> None:
        """Write all of it to `sink`, a `storage.Appender` of the file's source; an error leaves the file as it is."""


E = TypeVar("E", storage.TailEdit, Rewrite)


class Planned(NamedTuple, Generic[E]):
    """The change of a footer, or None for no change.

    It contains the resulting form, the fields that it omits, and the reason for the choice, or an empty string.
    """

    edit: E | None
    form: str
    omitted: tuple = ()
    reason: str = ""


OUTCOMES = {
    "upgrade": "upgraded",
    "strip": "stripped",
    "finalize": "finalized",
    "restore": "restored",
    "encode": "encoded",
    "drop": "dropped",
    "index": "indexed",
}
Plan = Callable[[Any, Any, Any], Planned]


def change_footer(
    path: object,
    plan: Plan,
    verb: str,
    *,
    in_place: bool = False,
    keep_mtime: bool = False,
    ignore: Iterable[str] = (),
    timeout: float = 0,
    dry_run: bool = False,
    read: Callable = read_footer,
) -> Result:
    """Read the footer of the file at `path` with `read`, and apply `plan` to it; see `ChangeOptions`."""
    start = time.perf_counter()
    ignored = check(ignore, IGNORABLE)
    refuse_table_files(path, ignored)

    def planned_for(source) -> tuple[Footer | FinalFooter, Planned]:
        footer = read(source)
        planned = planned_by(plan, footer, ignored, source)
        if _is_rewrite(planned):  # another file may record the positions of column chunks
            refuse_stale_summary(path, ignored)
        return footer, planned

    if dry_run:
        with storage.open_source(path) as source:
            footer, planned = planned_for(source)
            notes = _notes(planned, path, footer, ignored)
            return result_of(source, footer, planned, f"would-{verb}", 0, notes, start)
    try:
        with storage.change(
            path,
            in_place=in_place,
            keep_mtime=keep_mtime,
            timeout=timeout,
            ignore=ignored & STORAGE_REFUSALS.keys(),
            is_sound=has_sound_footer,
        ) as changing:
            footer, planned = planned_for(changing.source)
            message = [changing.settled, *_notes(planned, path, footer, ignored)]
            if planned.edit is not None:
                message.append(_commit(changing, planned.edit))
                sidecar.follow(path)
            return result_of(changing.source, footer, planned, OUTCOMES[verb], changing.written, message, start)
    except OSError as error:
        raise name_file(error, storage.resolve(path)) from None


def planned_by(plan: Plan, footer: Footer | FinalFooter, ignored: frozenset[str], source) -> Planned:
    """Return the change that `plan` makes to a footer; errors name the file."""
    try:
        return plan(footer, ignored, source)
    except ParquetextError as error:
        is_of_file = error.file is not None  # and counts from its start; others count from the footer's
        raise error.at(source.name, 0 if is_of_file else footer.offset) from None


def result_of(
    source,
    footer: Footer | FinalFooter,
    planned: Planned,
    outcome: str,
    written: int,
    messages: Iterable[str],
    start: float,
) -> Result:
    """Return the result of a change that began at `start`; the outcome is ``"unchanged"`` if there is no edit."""
    edit, form = planned.edit, footer.form
    return Result(
        path=source.name,
        outcome="unchanged" if edit is None else outcome,
        form_before=form,
        form_after=form if edit is None else planned.form,
        bytes_before=source.size,
        bytes_after=source.size if edit is None else edit.size,
        bytes_read=source.bytes_read,
        bytes_written=written,
        seconds=time.perf_counter() - start,
        message="; ".join(filter(None, [planned.reason, *messages])),
        omitted=planned.omitted,
    )


def _is_rewrite(planned: Planned) -> bool:
    return planned.edit is not None and not isinstance(planned.edit, storage.TailEdit)


def _commit(changing: storage.Change, edit: storage.TailEdit | Rewrite) -> str:
    """Change the file, and return notes for the user."""
    if isinstance(edit, storage.TailEdit):
        changing.commit(edit)
        return changing.note
    with storage.rewriting(changing) as rewriting:
        edit.write(rewriting.sink)
        rewriting.commit()
    changing.written = edit.size
    return edit.message


def read_either(source) -> Footer | FinalFooter:
    """Read the footer of a file, Thrift or a final form."""
    try:
        tail = read_tail(source)
        return read_final(source, tail) if tail.is_final else read_thrift(source, tail)
    except ParquetextError as error:
        raise error.at(source.name) from None


def _notes(planned: Planned, path: object, footer: Footer | FinalFooter, ignored: frozenset[str]) -> Iterator[str]:
    """Yield notes about systems that recorded the file as it was before the change."""
    if planned.edit is None:
        return
    if _has_questdb_key(footer):
        yield (
            "its footer has QuestDB's key-value: where a QuestDB table has the file as a partition, it records the "
            "file's size, and must be told"
        )
    if "table-format" in ignored and (theirs := sidecar.foreign_beside(path)):
        yield f"{theirs}, which parquetext has not made, goes with the file as it was: it is stale after this change"

    if _is_rewrite(planned) and "summary" in ignored and (summary := summary_above(path)):
        yield f"{summary} has the places of its column chunks before this change: write it anew"


def _has_questdb_key(footer: Footer | FinalFooter) -> bool:
    try:
        if isinstance(footer, FinalFooter):
            scan = kernels.scan.scan(footer.spec.rebuild(footer.payload)) if KEY in footer.payload else None
        else:  # a scan is made only for bytes that contain the key
            scan = footer.scan(strict=False) if footer.known_scan is not None or KEY in footer.data else None
    except ParquetextError:
        return False
    if scan is None:
        return False
    positions = zip(scan.key_values("key_offset"), scan.key_values("key_length"), strict=True)
    return any(scan.data[offset : offset + length] == KEY for offset, length in positions)  # values may be large
