"""A row group of a fragment: its number and its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from ..metadata import RowGroupMetaData
    from .fragments import Fragment

__all__ = ["RowGroupInfo"]


class RowGroupInfo(int):
    """The number of a row group, with the names of `pyarrow.dataset.RowGroupInfo`, which are read on access."""

    _fragment: Fragment

    @classmethod
    def of(cls, fragment: Fragment, number: int) -> RowGroupInfo:
        """Return row group `number` of a fragment."""
        info = cls(number)
        info._fragment = fragment
        return info

    def __reduce__(self) -> tuple:
        return RowGroupInfo.of, (self._fragment, int(self))

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        return self._fragment.sizes_of([int(self)])[0][0]

    @property
    def total_byte_size(self) -> int:
        """The uncompressed size of all pages, in bytes."""
        return self._fragment.sizes_of([int(self)])[0][1]

    @property
    def id(self) -> int:
        """The number of the row group in the file."""
        return int(self)

    @property
    def metadata(self) -> RowGroupMetaData:
        """The metadata of the row group, with the interface of `pyarrow.parquet.RowGroupMetaData`."""
        return self._fragment.metadata.row_group(int(self))

    @property
    def schema(self) -> pa.Schema:
        """The schema of the file."""
        return self._fragment.physical_schema

    @property
    def statistics(self) -> dict[str, dict[str, Any]]:
        """``{"min": …, "max": …}`` for each top-level column with bounds, read from the footer on each access."""
        return self._fragment.bounds_of(int(self))

    def __repr__(self) -> str:
        return f"RowGroupInfo({int(self)})"
