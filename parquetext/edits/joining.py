"""Write new files from the row groups of others, footer form included, and rename them when they are complete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import sidecar, storage
from ..errors import ParquetextError
from ..footer.forms import AUTO, THRIFT, WRITABLE
from ..records import frozen
from ..rewrite.joined import Joiner
from ..rewrite.structs import end_of_file
from .footer import parse_end, read_footer
from .options import STORAGE_REFUSALS, Options
from .table_logs import refuse_stale_summary, refuse_table_files
from .upgrade import with_best, with_form

WRITTEN, KEPT = "written", "kept"
Source = tuple[object, Sequence[int] | None]  # a path, and its row groups; None for all


@frozen
class CopiedFile:
    """A new file whose row groups were copied.

    Attributes
    ----------
    path : str
    files : int
        Number of files that its row groups were copied from.
    row_groups, rows, bytes : int
    form : str
        The form of its footer.
    notes : tuple of str
        Descriptions of everything that could not be copied.
    outcome : {"written", "kept"}
        ``"kept"``: the file already existed with these bytes.
    """

    path: str
    files: int
    row_groups: int
    rows: int
    bytes: int
    form: str
    notes: tuple[str, ...] = ()
    outcome: str = WRITTEN


@dataclass(slots=True)
class _Part:
    source: Any
    footer: bytes
    end: int
    row_groups: Sequence[int] | None


def join(
    sources: Sequence[Source],
    out: object,
    form: str,
    ignored: frozenset[str],
    *,
    advance: Callable[[], None] = lambda: None,
) -> CopiedFile:
    """Write the row groups of files to a new one; see `merge`. `advance` is called after each file."""
    if not hasattr(out, "write"):
        refuse_table_files(out, ignored)
        refuse_stale_summary(out, ignored)
    new = storage.create(out, ignore=ignored & STORAGE_REFUSALS.keys())
    try:
        made = _write(sources, storage.appender(new), out, form, ignored, advance)
        new.commit()
    finally:
        new.abort()
    if not hasattr(out, "write"):
        sidecar.follow(out)
    return made


def joined_already(sources: Sequence[Source], there: object, form: str, ignored: frozenset[str]) -> CopiedFile | None:
    """Return the result of `join` if a file already has these bytes; both are read up to the first difference."""
    try:
        with storage.open_source(there) as source:
            same = storage.Comparison(source)
            made = _write(sources, same, there, form, ignored, lambda: None)
            same.end()
    except storage.Different:
        return None
    return replace(made, outcome=KEPT)


def _write(
    sources: Sequence[Source],
    sink: storage.Appender,
    out: object,
    form: str,
    ignored: frozenset[str],
    advance: Callable[[], None],
) -> CopiedFile:
    """Write all bytes of the new file to `sink`."""
    joiner = Joiner(sink)
    for path, row_groups in sources:
        _add(joiner, path, row_groups)
        advance()
    start = sink.size
    try:
        tail, made = _in_form(joiner.footer(), start, form, ignored)
    except ParquetextError as error:
        raise error.at(error.file or str(storage.resolve(sources[0][0]))) from None
    sink.write(tail)
    sink.flush()
    name = getattr(out, "name", "") if hasattr(out, "write") else str(storage.resolve(out))
    return CopiedFile(name, len(sources), joiner.row_groups, joiner.rows, sink.size, made, tuple(joiner.notes))


def _add(joiner: Joiner, path: object, row_groups: Sequence[int] | None) -> None:
    with storage.open_source(path) as source:
        footer = read_footer(source)
        try:
            joiner.add(_Part(source, footer.unreferring, footer.start, row_groups))
        except ParquetextError as error:
            raise error.at(error.file or source.name) from None
        joiner.flush()
        source.check_unchanged()


def _in_form(struct: bytes, start: int, form: str, ignored: frozenset[str]) -> tuple[bytes, str]:
    """Return the new file's bytes from its footer on, and the footer's form."""
    data = end_of_file(struct)
    if form == THRIFT.name:
        return data, form
    footer = parse_end(data, start)
    if form == AUTO:
        try:
            planned = with_best(footer, Options(), ignored)
        except ParquetextError:  # failure of an optional form does not fail the file
            return data, THRIFT.name
    else:
        spec = WRITABLE[form]
        planned = with_form(footer, spec, Options(placement=spec.placement), ignored, verbatim=True)
    return (data, THRIFT.name) if planned.edit is None else (planned.edit.applied(data, start), planned.form)
