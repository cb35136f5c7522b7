"""Detect if the pages of a local file are changed while they are read."""

from __future__ import annotations

import os
from typing import Self

import pyarrow as pa

from ...errors import Conflict, ParquetextError
from ...footer.best_form import best_form
from ...footer.concurrent_changes import is_changed, opened_again
from ...footer.model import FooterReader
from ...footer.thrift_form import ThriftForm
from ...storage import ChangedFile
from ..open_file import OpenFile
from ..plan.part import Part
from ..plan.read_plan import Plan

# Metadata of column chunks that a change of only the footer does not change.
UNCHANGED_FIELDS = ("data_page_offset", "dictionary_page_offset", "total_compressed_size", "num_values", "codec")


class Watch:
    """A context for reading a plan, which raises `Conflict` if its pages are changed meanwhile.

    Changing only the footer in place, as we do, does not change pages.

    Parameters
    ----------
    file : OpenFile
        The open file; only local files are watched. The plan was made from the form in use.
    plan : Plan
    """

    __slots__ = ("_name", "_path", "_plan", "_seen", "_source")

    def __init__(self, file: OpenFile, plan: Plan):
        self._source, self._path, self._name, self._plan = file._source, file.path, file.form, plan
        self._seen: tuple[int, int] | None = None  # a version known to have the same pages

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is None:
            self.check()
        elif isinstance(error, Conflict):
            return
        # A generator that is discarded after its file was closed ends here with GeneratorExit, so test the class first.
        elif isinstance(error, (ParquetextError, pa.ArrowException, OSError)) and is_changed(self._source):
            raise self._conflict(f": {error}") from error

    def check(self) -> None:
        """Raise a Conflict if pages may have been changed since the file was opened."""
        if is_changed(self._source) and not self._has_same_chunks():
            raise self._conflict()

    def _conflict(self, cause: str = "") -> ChangedFile:
        return ChangedFile(f"the file was changed in place while it was read{cause}", file=str(self._path))

    def _has_same_chunks(self) -> bool:
        """Return True if the file's present footer has the same metadata for everything that is read."""
        parts = [part for part in self._plan.parts if part.footer]
        version = _version(self._source)
        if version == self._seen or not parts:
            return True
        try:
            found = opened_again(self._source.fd, self._path)
            if found is None:
                return False
            with found:
                name, form, _ = best_form(found)
                is_same = all(_is_same(form, part, strict=name == self._name) for part in parts)
        except (ParquetextError, OSError, IndexError):
            return False
        if is_same:
            self._seen = version
        return is_same


def _version(source) -> tuple[int, int]:
    now = os.fstat(source.fd)
    return now.st_size, now.st_mtime_ns


def _is_same(form: FooterReader, part: Part, *, strict: bool) -> bool:
    leaves, row_groups = part.leaves, part.row_groups
    if part.footer in [form.slice(leaves, row_groups, key_values=each) for each in (False, True)]:
        return True
    if strict:
        return False
    old, new = ThriftForm(part.footer), ThriftForm(form.slice(leaves, row_groups))
    return all(
        list(old.column(leaf).array(name)) == list(new.column(leaf).array(name))
        for leaf in range(len(leaves))
        for name in UNCHANGED_FIELDS
    )
