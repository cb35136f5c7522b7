"""Give columns of a file a second copy in another encoding; existing readers still read the first one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from .. import sidecar, storage, wire
from ..errors import ParquetextError, Refused, Unsupported, names_memory
from ..footer.expansion import check_expansion
from ..footer.names import as_path
from ..footer.thrift_form import ThriftForm, refuse_encrypted
from ..rewrite.encoding import Encoder, Wanted
from ..storage.refusals import check
from .advice import CODECS, advised, budget_of, chosen, growth_of, leaves_named
from .directories import takes_directories
from .encoding_names import BEST, codec_of, encoding_of
from .footer import Footer, read_footer, refuse_referring
from .options import IGNORABLE, STORAGE_REFUSALS, RewriteOptions
from .pieces import Piece
from .renewal import Renewed, kept_pieces
from .result import Result
from .run import Plan, Planned, Rewrite, change_footer, planned_by, result_of
from .table_logs import refuse_stale_summary, refuse_table_files

ENCODED = "encoded"

Columns = Mapping[str | tuple[str, ...], str] | str


@takes_directories()
@names_memory
def encode(
    path: object,
    columns: Columns,
    *,
    codec: str | None = None,
    max_growth: float | str | None = None,
    out: object = None,
    wrap: bool = False,
    **change: Unpack[RewriteOptions],
) -> Result:
    """Rewrite a Parquet file with copies of some columns in other encodings; the existing data stays, byte for byte.

    An extension of each column's metadata refers to its copy; readers that do not support it read the old bytes. The
    copies are at the start of each row group, and the old bytes of these columns at its end, except for the first
    column. Our footers are rewritten in their form and placement. `strip` restores the original file.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
        See `upgrade`.
    columns : mapping of str or tuple to str
        Encodings by column: a leaf, or a group, which selects all its leaves. An encoding is a name in
        `parquetext.encoding.registered`, in any case: ``"alp"``, ``"byte_stream_split"``, ``"delta_binary_packed"``…
        A column that already has such a copy gets no other one; a copy in another encoding stays. ``"best"``, for a
        column or instead of the mapping, selects the copies that, according to `advise`, are smaller than the column
        and not slower, within `max_growth`; columns that have a copy are not changed.
    codec : str, optional
        Compression of the copies' pages: ``"zstd"``, ``"snappy"``, ``"gzip"``, ``"brotli"``, ``"lz4"`` or, the
        default, ``"none"``. ``"best"`` chooses a codec itself unless this one is given.
    max_growth : float or str, optional
        Limit for the bytes that all of the best copies add to the file: 0.2 or ``"20%"`` of it, the default.
    out : str, os.PathLike, (filesystem, str) or file object, optional
        The new file; by default it replaces the old one.
    wrap : bool
        See `upgrade`.
    **change
        `keep_mtime`, `ignore`, `timeout` and `dry_run`: see `RewriteOptions`. `keep_mtime` and `timeout` apply if the
        file is replaced. A dry run encodes, and reports the size of the new file.

    Returns
    -------
    Result
        The outcome is ``"encoded"``. It is ``"unchanged"`` if every column chunk with values has its copy, or if
        ``"best"`` finds no copy that pays off: then nothing is written, not even to `out`. `message` lists the choice.

    Raises
    ------
    ColumnError
        If a name matches no column, or more than one.
    Refused
        If `upgrade` would refuse the file, or if `out` is a file object that writes into the file itself. Nothing is
        written.
    Conflict
        If another program changes the file meanwhile. A file object may have received a part.
    Unsupported
        If the encoding is unknown, cannot be written, or does not support the column's type.
    Malformed, Damaged
        If the file cannot be read, if its parts overlap, or if one of its copies is damaged.

    Examples
    --------
    >>> parquetext.encode("wide.parquet", {"id": "pfor"}).outcome
    'encoded'
    >>> parquetext.read_table("wide.parquet", ["id"], engine="parquetext").num_rows
    300
    """
    check_asked(columns, codec, max_growth)

    def plan(footer: Footer, ignored: frozenset[str], source: storage.Source) -> Planned[Rewrite]:
        wanted, reason = _wanted(source, footer, columns, codec, max_growth)
        change = EncodedFile(source, footer, wanted, kept_pieces(footer, ignored, wrap), ignored)
        if not change.is_needed:
            return Planned(None, footer.form, reason=reason or "every column chunk with values has its copy")
        return Planned(change, footer.form, reason=reason)

    if out is not None and not change.get("dry_run") and not _is_same(path, out):
        return _write_elsewhere(path, out, plan, **change)
    return change_footer(path, plan, "encode", in_place=False, **change)


def check_asked(columns: Columns, codec: str | None, max_growth: float | str | None = None) -> None:
    """Raise an error for wrong arguments of `encode`, as far as they can be checked without the file."""
    if columns != BEST and not isinstance(columns, Mapping):
        raise TypeError(f'columns is a mapping of names to encodings, or "best", not {columns!r}')
    names = [columns] if isinstance(columns, str) else list(columns.values())
    if not names:
        raise ParquetextError("no column to encode", code=wire.BAD_ARGUMENT)
    for name in names:
        if name != BEST:
            encoding_of(name)
    codec_of(codec)
    growth_of(max_growth)


def _is_same(path: object, out: object) -> bool:
    """Return True if the new file has the old one's path."""
    if hasattr(out, "write") and not isinstance(out, os.PathLike):
        return False
    old, new = storage.resolve(path), storage.resolve(out)
    both_local = old.is_local and new.is_local
    return os.path.realpath(old.path) == os.path.realpath(new.path) if both_local else old == new


def _write_elsewhere(
    path: object,
    out: object,
    plan: Plan,
    *,
    ignore: Iterable[str] = (),
    keep_mtime: bool = False,
    timeout: float = 0,
    dry_run: bool = False,
) -> Result:
    """Write the result as a new file, to which only `ignore` applies; write nothing if there is nothing to do."""
    start, ignored = time.perf_counter(), check(ignore, IGNORABLE)
    if not hasattr(out, "write"):
        refuse_table_files(out, ignored)
        refuse_stale_summary(out, ignored)
    with storage.open_source(path) as source:
        _refuse_own_stream(source, out)
        footer = read_footer(source)
        planned = planned_by(plan, footer, ignored, source)
        if planned.edit is None:
            return result_of(source, footer, planned, ENCODED, 0, ["nothing is written"], start)
        _write_new(planned.edit, source, out, ignored)
        message = [_written_to(out), planned.edit.message]
        return result_of(source, footer, planned, ENCODED, planned.edit.size, message, start)


def _written_to(out: object) -> str:
    return "" if hasattr(out, "write") else f"written to {storage.resolve(out)}"


def _write_new(
    change: EncodedFile, source: storage.LocalSource | storage.RemoteSource, out: object, ignored: frozenset[str]
) -> None:
    new = storage.create(out, ignore=ignored & STORAGE_REFUSALS.keys())
    try:
        sink = storage.appender(new, source)
        change.write(sink)
        sink.flush()
        source.check_unchanged()
        new.commit()
    finally:
        new.abort()
    if not hasattr(out, "write"):
        sidecar.follow(out)


def write_encoded(
    source: storage.LocalSource, new: Any, columns: Columns, codec: str | None, ignored: frozenset[str]
) -> None:
    """Write the file of `source` to `new` (`storage.create`) with copies of columns; see `encode`."""
    footer, sink = read_footer(source), storage.appender(new, source)
    wanted, _ = _wanted(source, footer, columns, codec, None)
    change = EncodedFile(source, footer, wanted, (), ignored)
    if change.is_needed:
        change.write(sink)
    else:
        sink.copy(0, source.size)
    sink.flush()


def _refuse_own_stream(source: storage.LocalSource | storage.RemoteSource, out: Any) -> None:
    """Raise if a file object writes into the file that is read: the first writes would change the bytes read later."""
    try:
        opened = os.fstat(out.fileno())
    except (AttributeError, OSError, ValueError):  # not a file object of the operating system
        return
    if source.is_local and os.path.samestat(opened, os.fstat(source.fd)):
        raise Refused("out is the file itself, open for writing: give its name instead, or no out", file=source.name)


class EncodedFile(Renewed):
    """The file with copies of its columns.

    Attributes
    ----------
    is_needed : bool
        True if a column lacks its copy.
    """

    def __init__(
        self,
        source: storage.Source,
        footer: Footer,
        wanted: Mapping[int, Wanted],
        kept: Sequence[Piece],
        ignored: frozenset[str],
    ):
        super().__init__(source, footer, kept, ignored)
        refuse_referring(footer)
        check_expansion(ThriftForm(footer.bare), wanted, source)
        self._encoder = Encoder(source, footer.bare, footer.start, wanted)
        self.is_needed = self._encoder.is_needed

    def _write_data(self, sink: storage.Appender) -> tuple[bytes, int, bytes]:
        made = self._encoder.write(sink)
        old, new = sum(copy.chunk_length for copy in made.copies), sum(copy.length for copy in made.copies)
        count = len(made.copies)
        chunks, have = ("1 column chunk", "has a copy") if count == 1 else (f"{count:,} column chunks", "have copies")
        self.message = f"{chunks} of {old:,} bytes {have} of {new:,}"
        return made.footer, made.size, made.original.to_payload()


def _wanted(
    source: storage.Source, footer: Footer, columns: Columns, codec: str | None, max_growth: float | str | None
) -> tuple[dict[int, Wanted], str]:
    """Return the copies to write, by leaf, and a description of the choice."""
    form = ThriftForm(footer.bare)
    refuse_encrypted(form.scan)
    types, wanted, free = form.scan.elements("type"), {}, []
    if isinstance(columns, str):
        free, columns = [*range(len(form.scan.leaves))], {}
    for column, name in columns.items():
        leaves = leaves_named(form, [column])
        if name == BEST:
            free += leaves
            continue
        encoding = encoding_of(name)
        for leaf in leaves:
            type = types[form.scan.leaves[leaf]]
            if type not in encoding.types:
                type_name = wire.NAMES_OF_TYPE.get(type, type)
                column_name = ".".join(as_path(form.node(leaf).path))
                raise Unsupported(f"column {column_name!r}: {encoding.name} is not for values of type {type_name}")
            wanted[leaf] = Wanted(encoding, codec_of(codec))
    free = [leaf for leaf in dict.fromkeys(free) if leaf not in wanted]
    return (wanted, "") if not free and wanted else _with_best(source, form, wanted, free, codec, max_growth)


def _with_best(
    source: storage.Source,
    form: ThriftForm,
    wanted: dict[int, Wanted],
    leaves: list[int],
    codec: str | None,
    max_growth: float | str | None,
) -> tuple[dict[int, Wanted], str]:
    """Return the given copies and the best copies of these leaves."""
    codecs = CODECS if codec is None else [codec]
    advice = {one.leaf: one for one in advised(source, form, leaves, codecs)}
    best = chosen(advice.values(), budget_of(source.size, len(form.scan.data), max_growth))
    message = [f"{advice[leaf].column} by {one.encoding}, {one.codec}" for leaf, one in sorted(best.items())]
    found = {leaf: Wanted(encoding_of(one.encoding), codec_of(one.codec)) for leaf, one in best.items()}
    return (
        wanted | found,
        f"best: {'; '.join(message)}" if message else "no copy is smaller, not slower and within the growth",
    )
