"""The members of an open file that the stages of a read use."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from ..findings import Finding
    from ..footer.copied_chunks import CopyTable
    from ..footer.page_tables import PageTables


class OpenFile(Protocol):
    """An open file, as `arrow.file.File` implements it."""

    path: Any
    form: str

    @property
    def findings(self) -> list[Finding]: ...

    _source: Any

    @property
    def _is_remote(self) -> bool: ...

    def _open_data(self, *, memory_map: bool = False) -> AbstractContextManager[pa.NativeFile]:
        """Return the file's bytes for pyarrow."""
        ...

    def _table_of_copies(self) -> CopyTable | None:
        """Return the table of copies in the footer; without it, slices contain the offsets of copies."""
        ...

    def _page_tables(self) -> PageTables:
        """Return the page tables of the file, which are kept."""
        ...

    def _naming(self) -> AbstractContextManager[None]:
        """Add the file's name to errors of our decoder."""
        ...

    def _locating(self, plan: Any) -> AbstractContextManager[None]:
        """Add the location in the file, or the encrypted column, to errors about a slice."""
        ...

    def _check_expansion(self, part: Any, limit: int | None, *, pages: bool = True) -> bool:
        """Raise LimitExceeded if values take too much memory; return True if no page needs to be checked."""
        ...
