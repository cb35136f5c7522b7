"""New files of row groups that others have: written whole, with the footer in its form, before they get their name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .. import sidecar, storage
from ..errors import ParquetextError
from ..rewrite.joined import Joiner
from ..rewrite.structs import end_of_file
from .footer import parse_end, read_footer
from .form_options import Options
from .overrides import STORAGE_REFUSALS
from .table_logs import refuse_stale_summary, refuse_table_files
from .upgrade import AUTO, FORMS, with_best

__all__ = ["CopiedFile", "KEPT", "Source", "THRIFT", "WRITTEN", "join", "joined_already"]

THRIFT = "thrift"
WRITTEN, KEPT = "written", "kept"
Source = tuple[object, Sequence[int] | None]  # a path, and its row groups; all for None


@dataclass(frozen=True, slots=True)
class CopiedFile:
    """A new file whose row groups were copied.

    Attributes
    ----------
    path : str
    files : int
        Of how many files its row groups are.
    row_groups, rows, bytes : int
    form : str
        Of its footer.
    notes : tuple of str
        What could not be taken over, in words.
    outcome : {"written", "kept"}
        ``"kept"``: the file was there with these bytes already.
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
    source: object
    footer: bytes
    end: int
    row_groups: Sequence[int] | None


def join(
    sources: Sequence[Source],
    out: object,
    form: str,
    forced: frozenset[str],
    *,
    advance: Callable[[], None] = lambda: None,
) -> CopiedFile:
    """Write the row groups of files to a new one; see `merge`. `advance` is called after each file."""
    if not hasattr(out, "write"):
        refuse_table_files(out, forced)
        refuse_stale_summary(out, forced)
    new = storage.create(out, force=forced & STORAGE_REFUSALS.keys())
    try:
        made = _write(sources, storage.appender(new), out, form, forced, advance)
        new.commit()
    finally:
        new.abort()
    if not hasattr(out, "write"):
        sidecar.follow(out)
    return made


def joined_already(sources: Sequence[Source], there: object, form: str, forced: frozenset[str]) -> CopiedFile | None:
    """What `join` would write, where a file has these bytes already; both are read, up to where they differ."""
    try:
        with storage.open_source(there) as source:
            same = storage.Comparison(source)
            made = _write(sources, same, there, form, forced, lambda: None)
            same.end()
    except storage.Different:
        return None
    return replace(made, outcome=KEPT)


def _write(
    sources: Sequence[Source],
    sink: storage.Appender,
    out: object,
    form: str,
    forced: frozenset[str],
    advance: Callable[[], None],
) -> CopiedFile:
    """Give `sink` all bytes of the new file."""
    joiner = Joiner(sink)
    for path, row_groups in sources:
        _add(joiner, path, row_groups)
        advance()
    start = sink.size
    try:
        tail, made = _in_form(joiner.footer(), start, form, forced)
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
            joiner.add(_Part(source, footer.bare, footer.start, row_groups))
        except ParquetextError as error:
            raise error.at(error.file or source.name) from None
        joiner.flush()
        storage.check_as_opened(source)


def _in_form(struct: bytes, start: int, form: str, forced: Iterable[str]) -> tuple[bytes, str]:
    """The new file's bytes from its footer on, and the footer's form."""
    data = end_of_file(struct)
    if form == THRIFT:
        return data, THRIFT
    footer = parse_end(data, start)
    if form == AUTO:
        try:
            planned = with_best(footer, Options(), forced)
        except ParquetextError:  # a form that is not asked for is no reason to have no file
            return data, THRIFT
        edit, form = planned.edit, planned.form
    else:
        edit = FORMS[form](footer, Options(), forced, **({"verbatim": True} if form == "flat" else {}))
    return (data, THRIFT) if edit is None else (data[: edit.keep - start] + edit.tail, form)
