"""Open a path as a `File` with the best form of its footer."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from .. import kernels, storage
from ..errors import Damaged, Malformed, ParquetextError, Unsupported, name_file
from ..findings import Finding
from ..storage import (
    OpenTarget,
    Overlay,
    Target,
    open_batched,
    open_source,
    readable,
)
from . import forms
from .arrow_errors import arrow_errors, as_arrow_error
from .best_form import best_form, named_form, open_block
from .facade import File
from .form_spec import Location
from .locate import FIRST_READ_REMOTE
from .scanning import has_sound_footer
from .thrift_form import ThriftForm

CHANGE_INTERRUPTED = "change-interrupted"

F = TypeVar("F", bound=File)


def open_as(kind: type[F], path: object, form: forms.Form | str | None = None) -> F:
    """Open `path` as `kind`; fast for a local path with a sound block of ours, or with a final form."""
    if type(path) is not str or "://" in path or path[:1] == "~":
        return _open_target(kind, path, form)
    return _open_local(kind, path, form)


def _open_local(kind: type[F], path: str, form: forms.Form | str | None = None) -> F:
    try:
        return _open_once(kind, path, form)
    except Malformed as error:  # for example, for a directory
        raise as_arrow_error(error) from None
    except OSError as error:
        if error.errno != errno.ENODATA:
            raise name_file(error, path) from None
    return _open_once(kind, path, form)  # a change in place has made it shorter meanwhile


def _open_once(kind: type[F], path: str, form: str | None) -> F:
    source = kernels.local.LocalFile(path)
    if form is not None:
        return _open_named(kind, path, source, form)
    return _open_own(kind, path, source, (source.fd, source.size), source.tail) or _open_source(kind, path, source)


def open_by_footer(kind: type[F], target: Target | OpenTarget, footer: bytes) -> F:
    """Open a file with the caller's Thrift footer; that of the file is not read."""
    form = ThriftForm(footer)
    if target.is_local:
        return kind(target.path, kernels.local.LocalFile(target.path), forms.THRIFT.name, form)
    source = open_batched(target)
    return kind(str(target), source, forms.THRIFT.name, form)


def _open_own(kind: type[F], path: str, source: Any, handle: Any, tail: bytes) -> F | None:
    """Open a sound block of ours, or a final form, that the tail shows; return None otherwise."""
    position = kernels.local.own_block(tail, source.size)
    if position is None:
        return None
    spec, location = forms.BY_KEY[position[0]], Location(*position[1:])
    try:
        form = open_block(spec, handle, location) if handle is source else spec.open(handle, location)
        return kind(path, source, spec.name, form)
    except (Damaged, Unsupported):  # the careful way meets it again, and reports it
        return None


def open_file(path: object, *, form: forms.Form | str | None = None) -> File:
    """Open a Parquet file's metadata.

    Parameters
    ----------
    path : path, bytes-like, file object, or (filesystem, str)
        A local path; a ``file://``, ``http://``, ``https://``, ``s3://``, ``gs://``, ``abfs://`` or ``hdfs://`` URI, or
        one that fsspec knows, such as ``memory://``; a filesystem (of ``pyarrow.fs`` or fsspec) and a path in it; the
        bytes of a file, a ``pyarrow.Buffer`` or an `mmap`; a file object that can seek, a ``pyarrow.NativeFile``, or
        what ``fsspec.open`` gives. `close` leaves open what the caller has opened.
    form : Form or str, optional
        Use this form of the footer and no other, for example to compare them; by default the best one.

    Returns
    -------
    File
        A context manager.

    Raises
    ------
    OSError
        If the file cannot be opened.
    Malformed, Refused, Unsupported
        If it has no readable footer, because it is not a Parquet file, is damaged, or is encrypted; or if its server
        does not support ranges.
    TypeError
        `path` is none of these.

    Notes
    -----
    Reads the last 4 KiB of a local file, 16 KiB of a remote one, and then what is missing: with a flat footer
    or an index nothing, with a Thrift footer alone the whole footer.

    Examples
    --------
    >>> with parquetext.open("wide.parquet") as file:
    ...     print(file.num_rows, list(file.column("price").null_count))
    300 [0, 0, 0]
    """
    return open_as(File, path, form)


def _open_target(kind: type[F], path: object, form: forms.Form | str | None = None) -> F:
    try:
        target = readable(path)
        if not target.is_local:
            return _open_elsewhere(kind, target, form)
    except ParquetextError as error:
        raise as_arrow_error(error) from None
    return _open_local(kind, target.path, form)


def _open_elsewhere(kind: type[F], target: Target | OpenTarget, form: str | None) -> F:
    source, name = open_batched(target), str(target)
    if form is not None:
        return _open_named(kind, name, source, form)
    with _closed_on_error(source):
        file = _open_own(kind, name, source, source, source.read_tail(FIRST_READ_REMOTE)[1])
    return file or _open_source(kind, name, source)


@contextmanager
def _closed_on_error(source: Any) -> Iterator[None]:
    """Close a source if opening the file fails."""
    try:
        yield
    except BaseException:
        source.close()
        raise


def _open_named(kind: type[F], path: str, source: Any, form: str) -> F:
    with _closed_on_error(source), arrow_errors(path):
        return kind(path, source, *named_form(source, form))


def _under_journal(path: str, error: ParquetextError) -> tuple[Any, list[Finding]]:
    """Return the file before the interrupted change of its tail, or the current one if the change may be complete."""
    edit = storage.old_tail(path, has_sound_footer)
    if edit is None:
        return kernels.local.LocalFile(path), []
    findings = [Finding.of(CHANGE_INTERRUPTED, error, "the old footer is read from the journal")]
    return Overlay(open_source(path), edit.keep, edit.tail), findings


def _open_source(kind: type[F], path: str, source: Any) -> F:
    """Examine the whole tail, and report defects."""
    try:
        return kind(path, source, *best_form(source))
    except ParquetextError as error:
        source.close()
        if not isinstance(source, kernels.local.LocalFile):
            raise as_arrow_error(error.at(str(path))) from None
        refused = error
    except BaseException:
        source.close()
        raise
    with arrow_errors(path):
        try:
            source, findings = _under_journal(path, refused)
        except FileNotFoundError:  # the name of a pipe under /dev or /proc leads to nothing that has a folder
            raise refused from None
        with _closed_on_error(source):
            name, form, more = best_form(source)
            return kind(path, source, name, form, findings + more)
