"""A footer that outlives its file: columns and metadata that were taken from a file stay readable after `close`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..errors import ParquetextError
from .arrow_errors import as_arrow_error
from .model import FooterReader

__all__ = ["Lease"]

T = TypeVar("T")


class Lease:
    """Shared by a file and by what was taken from it. The last holder closes the footer.

    While the file is open, the lease is empty. `File.close` moves form and source into it and lets go of it; without
    another holder they are closed at once.
    """

    __slots__ = ("_form", "_kept", "_path", "_source")

    def __init__(self) -> None:
        self._form: FooterReader | None = None
        self._source = self._path = self._kept = None

    def keep(self, source) -> None:
        """Leave a source open that the file reads no more: other threads may not be done with it."""
        self._kept = source

    def take_over(self, form: FooterReader, source, path) -> None:
        """Become the owner of a closed file's form and source."""
        self._form, self._source, self._path = form, source, path

    @property
    def is_owner(self) -> bool:
        """Whether the file was closed."""
        return self._form is not None

    @property
    def source(self):
        return self._source

    def ask(self, operation: Callable[[FooterReader], T]) -> T:
        """Read from the footer; there is no other form to go over to any more."""
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
