"""Divide a file into several files by row groups, which are copied without decoding."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from .. import storage, wire
from ..errors import ParquetextError, Refused
from ..footer.forms import AUTO, THRIFT, Form, check_writable
from ..storage.refusals import check
from .footer import read_footer
from .joining import CopiedFile, join, joined_already
from .options import IGNORABLE

DIGITS = 5


def split(
    path: object,
    folder: object,
    *,
    row_groups: int | None = None,
    files: int | None = None,
    max_bytes: int | None = None,
    overwrite: bool = False,
    form: Form | str = AUTO,
    ignore: Iterable[str] = (),
) -> Iterator[CopiedFile]:
    """Write the row groups of a file to several files, in their order: bytes are copied, and no value is decoded.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
        See `upgrade`.
    folder : str, os.PathLike or (filesystem, str)
        Folder of the new files; a missing local folder is created. Their names consist of the file's name and a number:
        ``wide-00000.parquet``.
    row_groups : int, optional
        Number of row groups per file; 1 if none of the three is given.
    files : int, optional
        Number of files, with similar numbers of row groups; at most the number of row groups.
    max_bytes : int, optional
        Maximum bytes of pages per file; a larger row group becomes a separate file.
    overwrite : bool
        Replace files of these names. By default, existing files with exactly the new bytes are kept, so that the same
        call continues after an interruption; others are refused before anything is written.
    form, ignore
        See `merge`.

    Yields
    ------
    CopiedFile
        One for each complete file; its `outcome` is ``"written"`` or ``"kept"``.

    Raises
    ------
    Refused
        If the file is encrypted or signed, if it has no Thrift footer, or if a file of such a name has other bytes.
    ParquetextError
        If more than one of `row_groups`, `files` and `max_bytes` is given, or if one is less than 1.

    Examples
    --------
    >>> [part.rows for part in parquetext.split("wide.parquet", "parts", row_groups=2)]
    [200, 100]
    """
    check_writable(form, THRIFT.name)
    asked = {"row_groups": row_groups, "files": files, "max_bytes": max_bytes}
    given = {name: value for name, value in asked.items() if value is not None}
    if len(given) > 1 or any(value < 1 for value in given.values()):
        raise ParquetextError(
            "give only one of row_groups, files and max_bytes, and a number of at least 1", code=wire.BAD_ARGUMENT
        )
    ignored = check(ignore, IGNORABLE)
    parts = list(_divided(_sizes(path), **asked))
    pairs = list(zip(parts, _names(path, folder, len(parts)), strict=True))
    there = [] if overwrite else [at for at, (_, name) in enumerate(pairs) if _is_there(storage.resolve(name))]
    kept = {at: _kept(path, *pairs[at], form, ignored) for at in there}
    target = storage.resolve(folder)
    if target.is_local:
        os.makedirs(target.path, exist_ok=True)
    for at, (part, name) in enumerate(pairs):
        yield kept[at] if at in kept else join([(path, part)], name, form, ignored)


def _sizes(path: object) -> list[int]:
    """Return the bytes of each row group's pages."""
    with storage.open_source(path) as source:
        footer = read_footer(source)
        try:
            scan = footer.scan()
        except ParquetextError as error:
            raise error.at(source.name, footer.offset) from None
        sizes = scan.chunks("total_compressed_size")
        leaves = scan.leaf_count
        return [sum(sizes[at * leaves : (at + 1) * leaves]) for at in range(scan.row_group_count)]


def _divided(sizes: list[int], row_groups: int | None, files: int | None, max_bytes: int | None) -> Iterator[range]:
    """Yield the row groups of each new file; a file without row groups gives one without row groups."""
    count = len(sizes)
    if max_bytes is not None:
        yield from _by_bytes(sizes, max_bytes)
        return
    number = min(files, count) if files is not None else -(-count // (row_groups or 1))
    for at in range(max(number, 1)):
        if files is not None:
            yield range(at * count // number, (at + 1) * count // number) if number else range(0)
        else:
            yield range(at * (row_groups or 1), min((at + 1) * (row_groups or 1), count))


def _by_bytes(sizes: list[int], most: int) -> Iterator[range]:
    begin, total = 0, 0
    for number, size in enumerate(sizes):
        if number > begin and total + size > most:
            yield range(begin, number)
            begin, total = number, 0
        total += size
    yield range(begin, len(sizes))


def _names(path: object, folder: object, count: int) -> Iterator[object]:
    source, target = storage.resolve(path), storage.resolve(folder)
    name = urlsplit(source.path).path if "://" in source.path else source.path  # of a URL without query and fragment
    stem, suffix = posixpath.splitext(posixpath.basename(name.replace(os.sep, "/")))
    width = max(DIGITS, len(str(count - 1)))
    for number in range(count):
        name = f"{stem}-{number:0{width}}{suffix or '.parquet'}"
        if target.is_local:
            yield os.path.join(target.path, name)
        else:
            yield target.filesystem, posixpath.join(target.path, name)


def _is_there(target: storage.Target) -> bool:
    if target.is_local:
        return os.path.lexists(target.path)
    return bool(target.arrow_filesystem.get_file_info(target.path).type.name != "NotFound")


def _kept(path: object, part: range, name: object, form: str, ignored: frozenset[str]) -> CopiedFile:
    """Return the existing file of this name if it has the new bytes; otherwise raise Refused."""
    target = storage.resolve(name)
    is_file = not target.is_local or os.path.isfile(target.path)
    found = joined_already([(path, part)], name, form, ignored) if is_file else None
    if found is None:
        message = "the file already exists, with other bytes than the new one (overwrite replaces it)"
        raise Refused(message, file=str(target))
    return found
