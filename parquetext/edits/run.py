"""Turn an edit of footer bytes into a change of a file; shared by all verbs."""

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

__all__ = ["Planned", "Rewrite", "change_footer", "read_either"]


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

    def result(source, footer: Footer | FinalFooter, planned: Planned, written: int, messages: Iterable[str]) -> Result:
        edit, form = planned.edit, footer.form
        outcome = "unchanged" if edit is None else f"would-{verb}" if dry_run else OUTCOMES[verb]
        return Result(
            path=source.name,
            outcome=outcome,
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

    if dry_run:
        with storage.open_source(path) as source:
            footer, planned = _planned(source, read, plan, ignored)
            _refuse(planned, path, ignored)
            return result(source, footer, planned, 0, _messages(planned, path, footer, ignored))
    try:
        with storage.change(
            path,
            in_place=in_place,
            keep_mtime=keep_mtime,
            timeout=timeout,
            ignore=ignored & STORAGE_REFUSALS.keys(),
            is_sound=has_sound_footer,
        ) as changing:
            footer, planned = _planned(changing.source, read, plan, ignored)
            _refuse(planned, path, ignored)
            message = [changing.settled, *_messages(planned, path, footer, ignored)]
            if planned.edit is not None:
                message.append(_commit(changing, planned.edit))
                sidecar.follow(path)
            return result(changing.source, footer, planned, changing.written, message)
    except OSError as error:
        raise name_file(error, storage.resolve(path)) from None


def _is_rewrite(planned: Planned) -> bool:
    return planned.edit is not None and not isinstance(planned.edit, storage.TailEdit)


def _refuse(planned: Planned, path: object, ignored: frozenset[str]) -> None:
    """Refuse a rewrite if another file records the positions of column chunks."""
    if _is_rewrite(planned):
        refuse_stale_summary(path, ignored)


def _messages(planned: Planned, path: object, footer: Footer | FinalFooter, ignored: frozenset[str]) -> Iterator[str]:
    if planned.edit is not None:
        yield from _notes(path, footer, ignored)
    if _is_rewrite(planned):
        yield from _rewrite_notes(path, ignored)


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
        return read_final(source, tail) if tail.form.is_final else read_thrift(source, tail)
    except ParquetextError as error:
        raise error.at(source.name) from None


def _planned(source, read: Callable, plan: Plan, ignored: frozenset[str]) -> tuple[Footer | FinalFooter, Planned]:
    footer = read(source)
    try:
        return footer, plan(footer, ignored, source)
    except ParquetextError as error:
        raise error.at(source.name, footer.offset) from None


def _notes(path: object, footer: Footer | FinalFooter, ignored: frozenset[str]) -> Iterator[str]:
    """Yield notes about systems that recorded the file as it was before its footer changed."""
    if _has_key(footer, KEY):
        yield (
            "its footer has QuestDB's key-value: where a QuestDB table has the file as a partition, it records the "
            "file's size, and must be told"
        )
    if "table-format" in ignored and (theirs := sidecar.foreign_beside(path)):
        yield f"{theirs}, which parquetext has not made, goes with the file as it was: it is stale after this change"


def _rewrite_notes(path: object, ignored: frozenset[str]) -> Iterator[str]:
    """Yield notes about systems that recorded the file as it was before it was rewritten."""
    if "summary" in ignored and (summary := summary_above(path)):
        yield f"{summary} has the places of its column chunks before this change: write it anew"


def _has_key(footer: Footer | FinalFooter, key: bytes) -> bool:
    thrift = footer.data if isinstance(footer, Footer) else footer.payload
    is_scanned = isinstance(footer, Footer) and footer.known_scan is not None
    if not is_scanned and key not in thrift:  # the one look that footers without it pay for
        return False
    try:
        scan = (
            footer.scan(strict=False)
            if isinstance(footer, Footer)
            else kernels.scan.scan(footer.spec.rebuild(footer.payload))
        )
    except ParquetextError:
        return False
    positions = zip(scan.key_values("key_offset"), scan.key_values("key_length"), strict=True)
    return any(scan.data[offset : offset + length] == key for offset, length in positions)
