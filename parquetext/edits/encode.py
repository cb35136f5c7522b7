"""Give columns of a file a second copy in another encoding; every reader goes on reading the first one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from .. import encoding as encodings
from .. import sidecar, storage, wire
from ..encoding.codecs import WRITTEN
from ..encoding.registry import Encoding
from ..errors import ParquetextError, Refused, Unsupported
from ..footer.names import find_group_or_leaf, leaves_below
from ..footer.thrift_form import ThriftForm
from ..rewrite.encoding import Encoder, Wanted
from ..storage.forcing import check
from .footer import Footer, read_footer
from .forcing import FORCEABLE, STORAGE_REFUSALS
from .pieces import Piece
from .renewal import kept_pieces, renewed_end
from .result import Result
from .run import Planned, change_footer
from .tables import refuse_table_files

__all__ = ["checked", "encode", "encoding_of", "paired", "write_encoded"]

ENCODED = "encoded"
NONE = "none"
CODECS = {
    NONE: wire.CODEC_UNCOMPRESSED,
    "uncompressed": wire.CODEC_UNCOMPRESSED,
    "lz4": wire.CODEC_LZ4_RAW,
    **{name: codec for codec, name in WRITTEN.items()},
}
DICTIONARIES = {wire.ENCODING_PLAIN_DICTIONARY, wire.ENCODING_RLE_DICTIONARY}


def encode(
    path: object,
    columns: Mapping[str | tuple[str, ...], str],
    *,
    codec: str | None = None,
    out: object = None,
    wrap: bool = False,
    force: Iterable[str] = (),
    timeout: float = 0,
    keep_mtime: bool = False,
    dry_run: bool = False,
) -> Result:
    """Write a Parquet file anew, with a copy of some columns in other encodings; what was there stays, byte for byte.

    An extension of each column's metadata leads to its copy; readers that know nothing of it read the old bytes. The
    copies come first in each row group, and the old bytes of these columns last, but for the first column. Footers of
    ours are made anew, in the form and placement that they had. `strip` gives back the file as it was.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
        As `upgrade` takes it.
    columns : mapping of str or tuple to str
        Encodings by column: a leaf, or a group, of which all leaves are meant. An encoding is one of
        `parquetext.encoding.registered`, in any case: ``"alp"``, ``"byte_stream_split"``, ``"delta_binary_packed"``…
        A column that has such a copy already gets no other one; one in another encoding stays beside it.
    codec : str, optional
        ``"zstd"``, ``"snappy"``, ``"gzip"``, ``"brotli"``, ``"lz4"`` or, the default, ``"none"``, which compress the
        copies' pages.
    out : str, os.PathLike, (filesystem, str) or file object, optional
        Where the new file goes; without, it replaces the old one.
    wrap, force, timeout, keep_mtime
        As `upgrade` takes them; the last two for a file that is replaced.
    dry_run : bool
        Encode, and say how large the file would be; nothing is locked or written.

    Returns
    -------
    Result
        With the outcome ``"encoded"``, or ``"unchanged"`` where every column has its copy.

    Raises
    ------
    ColumnError
        No such column, or more than one.
    Refused
        What `upgrade` refuses. Nothing is written.
    Unsupported
        The encoding is not known, not written, or not for values of the column's type.
    Malformed, Damaged
        The file cannot be read; its parts overlap; a copy that it has is damaged.
    """
    codec_number = checked(columns, codec)

    def plan(footer: Footer, forced: frozenset[str], source) -> Planned:
        wanted = _wanted(footer, columns, codec_number)
        change = EncodedFile(source, footer, wanted, kept_pieces(footer, forced, wrap), forced)
        if not change.is_needed:
            return Planned(None, footer.form, reason="every column has its copy")
        return Planned(change, footer.form)

    if out is not None and not dry_run and not _is_same(path, out):
        return _write_elsewhere(path, out, plan, force)
    return change_footer(
        path,
        plan,
        ENCODED,
        "would-encode",
        in_place=False,
        keep_mtime=keep_mtime,
        force=force,
        timeout=timeout,
        dry_run=dry_run,
    )


def checked(columns: Mapping[str | tuple[str, ...], str], codec: str | None) -> int:
    """The codec's number, once the encodings are known to be there, too; see `encode`."""
    if not columns:
        raise ParquetextError("no column to encode", code=wire.BAD_ARGUMENT)
    for name in columns.values():
        encoding_of(name)
    return _codec(codec)


def _is_same(path: object, out: object) -> bool:
    """Whether the new file is to have the old one's name."""
    if hasattr(out, "write") and not isinstance(out, os.PathLike):
        return False
    old, new = storage.resolve(path), storage.resolve(out)
    both_local = isinstance(old, storage.LocalTarget) and isinstance(new, storage.LocalTarget)
    return os.path.realpath(old.path) == os.path.realpath(new.path) if both_local else old == new


def _write_elsewhere(path: object, out: object, plan: Callable, force: Iterable[str]) -> Result:
    """The same as a new file; nothing is written where nothing is to be done."""
    start, forced = time.perf_counter(), check(force, FORCEABLE)
    if not hasattr(out, "write"):
        refuse_table_files(out, forced)
    with storage.open_source(path) as source:
        footer = read_footer(source)
        try:
            planned = plan(footer, forced, source)
        except ParquetextError as error:
            raise error.at(source.name, footer.offset) from None
        if planned.edit is not None:
            _write_new(planned.edit, source, out, forced)
        size = source.size if planned.edit is None else planned.edit.size
        return Result(
            path=source.name,
            outcome="unchanged" if planned.edit is None else ENCODED,
            form_before=footer.form,
            form_after=planned.form,
            bytes_before=source.size,
            bytes_after=size,
            bytes_read=source.bytes_read,
            bytes_written=0 if planned.edit is None else size,
            seconds=time.perf_counter() - start,
            message=planned.reason or planned.edit.told,
        )


def _write_new(change: EncodedFile, source, out: object, forced: frozenset[str]) -> None:
    new = storage.create(out, force=forced & STORAGE_REFUSALS.keys())
    try:
        sink = storage.appender(new, source)
        change.write(sink)
        sink.flush()
        new.commit()
    finally:
        new.abort()
    if not hasattr(out, "write"):
        sidecar.follow(out)


def write_encoded(
    source, new, columns: Mapping[str | tuple[str, ...], str], codec: str | None, forced: frozenset[str]
) -> None:
    """Write the file of `source` to `new` (`storage.create`), with copies of columns as `encode` takes them."""
    footer, sink = read_footer(source), storage.appender(new, source)
    change = EncodedFile(source, footer, _wanted(footer, columns, checked(columns, codec)), (), forced)
    if change.is_needed:
        change.write(sink)
    else:
        sink.copy(0, source.size)
    sink.flush()


class Nowhere:
    """A sink that keeps nothing."""

    def write(self, data) -> None:
        """Let it go."""

    def copy(self, begin: int, end: int) -> None:
        """Read nothing."""


class EncodedFile:
    """The file with its copies, to be written; see `run.Rewrite`.

    Attributes
    ----------
    is_needed : bool
        Whether a column lacks its copy.
    """

    def __init__(
        self, source, footer: Footer, wanted: Mapping[int, Wanted], kept: Sequence[Piece], forced: frozenset[str]
    ):
        self._footer, self._kept, self._forced = footer, kept, forced
        self._encoder = Encoder(source, footer.bare, footer.start, wanted)
        self.is_needed = self._encoder.is_needed
        self._name, self._size, self.told = source.name, None, ""

    @property
    def size(self) -> int:
        """Of the new file; before it is written, it is encoded to know that."""
        if self._size is None:
            self.write(Nowhere())
        return self._size

    def write(self, sink) -> None:
        """Write the data, then the footer with all that stands aside of it."""
        try:
            made = self._encoder.write(sink)
            payload = made.original.to_payload()
            tail = renewed_end(self._footer, made.footer, made.size, self._kept, payload, self._forced)
        except ParquetextError as error:
            raise error.at(error.file or self._name) from None
        sink.write(tail)
        self._size = made.size + len(tail)
        old, new = sum(copy.chunk_length for copy in made.copies), sum(copy.length for copy in made.copies)
        self.told = f"{len(made.copies)} column chunks of {old:,} bytes have copies of {new:,}"


def encoding_of(name: str) -> Encoding:
    """The encoding of this name, in any case.

    Raises
    ------
    Unsupported
        There is none, or it is only read, or needs a dictionary.
    """
    writable = [known for known in encodings.registered() if known.encode is not None and known.id not in DICTIONARIES]
    found = next((known for known in writable if known.name.lower() == str(name).lower()), None)
    if found is None:
        names = ", ".join(known.name.lower() for known in writable)
        raise Unsupported(f"no encoding that is written: {name!r} (known: {names})", code=wire.BAD_ARGUMENT)
    return found


def paired(columns: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Columns with their encodings: one for all, or one for each.

    Raises
    ------
    ParquetextError
        There are other numbers of them.
    """
    names = names * len(columns) if len(names) == 1 else names
    if not columns or len(names) != len(columns):
        message = f"{len(columns)} columns and {len(names)} encodings: give one for all, or one for each"
        raise ParquetextError(message, code=wire.BAD_ARGUMENT)
    return dict(zip(columns, names, strict=True))


def _codec(name: str | None) -> int:
    found = CODECS.get(str(name or NONE).lower())
    if found is None:
        raise ParquetextError(
            f"no codec that is written: {name!r} (known: {', '.join(CODECS)})", code=wire.BAD_ARGUMENT
        )
    return found


def _wanted(footer: Footer, columns: Mapping[str | tuple[str, ...], str], codec: int) -> dict[int, Wanted]:
    """What to write, by leaf."""
    form = ThriftForm(footer.bare)
    if form.scan.encrypted:
        raise Refused("the file is encrypted, or parts of it", code=wire.ENCRYPTED)
    types, wanted = form.scan.elements("type"), {}
    for column, name in columns.items():
        encoding = encoding_of(name)
        for leaf in leaves_below(form, find_group_or_leaf(form, column)):
            type = types[form.scan.leaves[leaf]]
            if type not in encoding.types:
                type_name = wire.NAMES_OF_TYPE.get(type, type)
                raise Unsupported(f"column {column!r}: {encoding.name} is not for values of type {type_name}")
            wanted[leaf] = Wanted(encoding, codec)
    return wanted
