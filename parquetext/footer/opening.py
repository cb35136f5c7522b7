"""Opening: from a path to a `File` on the best form of its footer."""

from __future__ import annotations

from .. import kernels
from ..errors import Damaged, ParquetextError, Unsupported
from ..findings import Finding
from ..storage import BatchedSource, LocalTarget, Overlay, old_tail, open_source, resolve
from .file import File
from .forms import best_form, named_form, open_reader

__all__ = ["open_as", "open_file"]

CHANGE_INTERRUPTED = "change-interrupted"


def open_as(kind: type[File], path, form: str | None = None) -> File:
    """Open `path` as `kind`; the straight way for a local path and a sound block of ours, or PAR3."""
    if type(path) is not str or "://" in path:
        return _open_target(kind, path, form)
    return _open_local(kind, path, form)


def _open_local(kind: type[File], path: str, form: str | None = None) -> File:
    local = kernels.local
    source = local.LocalFile(path)
    if form is not None:
        return _open_named(kind, path, source, form)
    place = local.own_block(source.tail, source.size)
    if place is not None:
        name, footer, payload, length = place
        try:
            return kind(path, source, name, open_reader(
                name, (source.fd, source.size), footer, payload, length, source.tail))
        except (Damaged, Unsupported):
            pass  # the careful way meets it again, and reports it
    return _open_source(kind, path, source)


def open_file(path, *, form: str | None = None) -> File:
    """Open a Parquet file's metadata.

    Parameters
    ----------
    path : str, os.PathLike, or (pyarrow.fs.FileSystem, str)
        A local path, a ``file://``, ``s3://``, ``gs://`` or ``abfs://`` URI, or a filesystem and a path in it.
    form : {"thrift", "arrow"}, optional
        Use this form of the footer and no other, to compare them, say. The best one without.

    Returns
    -------
    File
        A context manager.

    Raises
    ------
    OSError
        The file cannot be opened.
    Malformed, Refused, Unsupported
        It has no footer that can be read: it is no Parquet file, damaged, or encrypted.

    Notes
    -----
    Reads the last 4 KiB of a local file, 16 KiB of a remote one, and then what is missing: with a flat footer
    or an index nothing, with a Thrift footer alone the whole footer.
    """
    return open_as(File, path, form)


def _open_target(kind: type[File], path, form: str | None = None) -> File:
    target = resolve(path)
    if isinstance(target, LocalTarget):
        return _open_local(kind, target.path, form)
    source = BatchedSource(target)
    return _open_source(kind, str(target), source) if form is None else _open_named(kind, str(target), source, form)


def _open_named(kind: type[File], path, source, form: str) -> File:
    try:
        return kind(path, source, *named_form(source, form))
    except ParquetextError as error:
        source.close()
        raise error.at(str(path)) from None
    except BaseException:
        source.close()
        raise


def _open_source(kind: type[File], path, source) -> File:
    """Look at everything that the tail holds; report what is not as it should be."""
    try:
        try:
            return kind(path, source, *best_form(source))
        except ParquetextError as error:
            edit = None if isinstance(source, BatchedSource) else old_tail(path)
            if edit is None:
                raise error.at(str(path)) from None
            findings = [Finding.of(CHANGE_INTERRUPTED, error, "the old footer is read from the journal")]
        source.close()
        source = Overlay(open_source(path), edit.keep, edit.tail)
        name, form, more = best_form(source)
        return kind(path, source, name, form, findings + more)
    except BaseException:
        source.close()
        raise

