"""Divide a file by its row groups into several: they are copied, not encoded again."""

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
from .overrides import FORCEABLE

__all__ = ["split"]

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
    force: Iterable[str] = (),
) -> Iterator[CopiedFile]:
    """Write the row groups of a file to several files, in their order: bytes are copied, and no value is decoded.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
        As `upgrade` takes it.
    folder : str, os.PathLike or (filesystem, str)
        Where the new files go; a local folder is made where there is none. Their names are that of the file and a
        number: ``wide-00000.parquet``.
    row_groups : int, optional
        How many row groups each file gets; one without any of these three.
    files : int, optional
        How many files there are to be, of about as many row groups each; there are never more than row groups.
    max_bytes : int, optional
        How many bytes of pages a file has at most; a larger row group has a file of its own.
    overwrite : bool
        Replace files of these names. Without, those that have the very bytes which would be written are kept, so that
        the same call goes on where one was stopped; others are refused before anything is written.
    form, force
        As `merge` takes them.

    Yields
    ------
    CopiedFile
        One for each file, once it is there; its `outcome` says whether it was written or kept.

    Raises
    ------
    Refused
        The file is encrypted or signed, or has no Thrift footer; a file of such a name is there with other bytes.
    ParquetextError
        More than one of `row_groups`, `files` and `max_bytes`, or one that is less than 1.

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
    forced = check(force, FORCEABLE)
    parts = list(_divided(_sizes(path), **asked))
    names = list(_names(path, folder, len(parts)))
    pairs = list(zip(parts, names, strict=True))
    kept = {} if overwrite else {at: _kept(path, *pairs[at], form, forced) for at in _there(names)}
    target = storage.resolve(folder)
    if target.is_local:
        os.makedirs(target.path, exist_ok=True)
    for at, (part, name) in enumerate(pairs):
        yield kept[at] if at in kept else join([(path, part)], name, form, forced)


def _sizes(path: object) -> list[int]:
    """The bytes of each row group's pages."""
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
    """Which row groups each file gets; a file without any has one file without any."""
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


def _there(names: list[object]) -> Iterator[int]:
    """Which of the new files' names something has already."""
    for at, name in enumerate(names):
        target = storage.resolve(name)
        if target.is_local:
            is_there = os.path.lexists(target.path)
        else:
            is_there = target.filesystem.get_file_info(target.path).type.name != "NotFound"
        if is_there:
            yield at


def _kept(path: object, part: range, name: object, form: str, forced: frozenset[str]) -> CopiedFile:
    """What is there under a new file's name, where it is that file."""
    target = storage.resolve(name)
    is_file = not target.is_local or os.path.isfile(target.path)
    found = joined_already([(path, part)], name, form, forced) if is_file else None
    if found is None:
        told = "the file is there already, with other bytes than the new one (overwrite replaces it)"
        raise Refused(told, file=str(target))
    return found
