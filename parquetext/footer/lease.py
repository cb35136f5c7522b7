"""Keep a footer open after its file is closed, while columns or metadata of the file are in use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import ParquetextError
from .arrow_errors import as_arrow_error
from .model import FooterReader

T = TypeVar("T")


class Lease:
    """A footer that a file shares with its columns and metadata; it is closed when the last of them is deleted.

    The lease is empty while the file is open. `File.close` moves form and source into it and releases it. If no column
    or metadata refers to the lease, they are closed at once.
    """

    __slots__ = ("_form", "_kept", "_path", "_source")

    def __init__(self) -> None:
        self._form: FooterReader | None = None
        self._source: Any = None
        self._path = self._kept = None

    def keep(self, source) -> None:
        """Keep a source open that the file no longer reads, because other threads may still use it."""
        self._kept = source

    def take_over(self, form: FooterReader, source, path) -> None:
        """Take over the form and the source of a closed file."""
        self._form, self._source, self._path = form, source, path

    @property
    def is_owner(self) -> bool:
        """Return True if the file was closed."""
        return self._form is not None

    @property
    def source(self):
        return self._source

    def ask(self, operation: Callable[[FooterReader], T], while_open: Callable[[Callable[[FooterReader], T]], T]) -> T:
        """Read from the footer; that of an open file, which may change to another form, is read by `while_open`."""
        if self._form is None:
            return while_open(operation)
        try:
            return operation(self._form)
        except ParquetextError as error:
            raise as_arrow_error(error.at(str(self._path))) from None

    def __del__(self) -> None:
        if self._form is not None:
            self._form.close()
            self._source.close()
            if self._kept is not None:
                self._kept.close()
