"""From an edit of footer bytes to a change of a file: what all verbs share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from .. import sidecar, storage
from ..errors import ParquetextError, name_file
from ..footer.locate import read_tail
from ..footer.soundness import has_sound_footer
from ..storage.refusals import check
from .final_footer import FinalFooter, read_final
from .footer import Footer, read_footer, read_thrift
from .overrides import FORCEABLE, STORAGE_REFUSALS
from .result import Result
from .table_logs import refuse_stale_summary, refuse_table_files
from .told import told_of, told_of_rewrite

__all__ = ["Planned", "Rewrite", "change_footer", "read_either"]


class Rewrite(Protocol):
    """A change that is no tail edit: the file is written anew.

    Attributes
    ----------
    size : int
        Of the new file; at the latest once it is written.
    told : str
        What was done, in words.
    """

    size: int
    told: str

    def write(self, sink) -> None:
        """Write all of it to `sink`, a `storage.Appender` of the file's source; an error leaves the file as it is."""


class Planned(NamedTuple):
    """What is to be done to a footer, None for nothing; the form that it then has, what that does not carry, and why it
    was chosen, where it was."""

    edit: storage.TailEdit | Rewrite | None
    form: str
    losses: tuple = ()
    reason: str = ""


Plan = Callable[[Footer | FinalFooter, frozenset, Any], Planned]


def change_footer(
    path: object,
    plan: Plan,
    done: str,
    would: str,
    *,
    in_place: bool,
    keep_mtime: bool,
    force: Iterable[str],
    timeout: float,
    dry_run: bool,
    read: Callable = read_footer,
) -> Result:
    """Apply `plan` to the footer of the file at `path`, as `read` gives it."""
    start = time.perf_counter()
    forced = check(force, FORCEABLE)
    refuse_table_files(path, forced)

    def result(source, footer: Footer | FinalFooter, planned: Planned, written: int, told: Iterable[str]) -> Result:
        edit, form = planned.edit, footer.form
        outcome = "unchanged" if edit is None else would if dry_run else done
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
            message="; ".join(filter(None, [planned.reason, *told])),
            losses=planned.losses,
        )

    if dry_run:
        with storage.open_source(path) as source:
            footer, planned = _planned(source, read, plan, forced)
            _refuse(planned, path, forced)
            return result(source, footer, planned, 0, _told(planned, path, footer, forced))
    try:
        with storage.change(
            path,
            in_place=in_place,
            keep_mtime=keep_mtime,
            timeout=timeout,
            force=forced & STORAGE_REFUSALS.keys(),
            is_sound=has_sound_footer,
        ) as changing:
            footer, planned = _planned(changing.source, read, plan, forced)
            _refuse(planned, path, forced)
            told = [changing.settled, *_told(planned, path, footer, forced)]
            if planned.edit is not None:
                told.append(_commit(changing, planned.edit))
                sidecar.follow(path)
            return result(changing.source, footer, planned, changing.written, told)
    except OSError as error:
        raise name_file(error, storage.resolve(path)) from None


def _is_rewrite(planned: Planned) -> bool:
    return planned.edit is not None and not isinstance(planned.edit, storage.TailEdit)


def _refuse(planned: Planned, path: object, forced: frozenset[str]) -> None:
    """Refuse what makes the places of column chunks wrong that others have."""
    if _is_rewrite(planned):
        refuse_stale_summary(path, forced)


def _told(planned: Planned, path: object, footer: Footer | FinalFooter, forced: frozenset[str]) -> Iterator[str]:
    if planned.edit is not None:
        yield from told_of(path, footer, forced)
    if _is_rewrite(planned):
        yield from told_of_rewrite(path, forced)


def _commit(changing: storage.Change, edit: storage.TailEdit | Rewrite) -> str:
    """Change the file; what is worth knowing of it."""
    if isinstance(edit, storage.TailEdit):
        changing.commit(edit)
        return changing.note
    with storage.rewriting(changing) as rewriting:
        edit.write(rewriting.sink)
        rewriting.commit()
    changing.written = edit.size
    return edit.told


def read_either(source) -> Footer | FinalFooter:
    """Read the footer of a file, Thrift or a final form."""
    try:
        tail = read_tail(source)
        return read_final(source, tail) if tail.form.is_final else read_thrift(source, tail)
    except ParquetextError as error:
        raise error.at(source.name) from None


def _planned(source, read: Callable, plan: Plan, forced: frozenset[str]) -> tuple[Footer | FinalFooter, Planned]:
    footer = read(source)
    try:
        return footer, plan(footer, forced, source)
    except ParquetextError as error:
        raise error.at(source.name, footer.offset) from None
