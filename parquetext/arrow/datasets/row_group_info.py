"""A row group of a fragment: its number, and what the footer says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from ..metadata import RowGroupMetaData
    from .fragments import Fragment

__all__ = ["RowGroupInfo"]


class RowGroupInfo(int):
    """The number of a row group, with the names of `pyarrow.dataset.RowGroupInfo`, read when asked for."""

    _fragment: Fragment

    @classmethod
    def of(cls, fragment: Fragment, number: int) -> RowGroupInfo:
        """Row group `number` of a fragment."""
        info = cls(number)
        info._fragment = fragment
        return info

    def __reduce__(self) -> tuple:
        return RowGroupInfo.of, (self._fragment, int(self))

    @property
    def num_rows(self) -> int:
        """Its rows."""
        return self._fragment.sizes_of([int(self)])[0][0]

    @property
    def total_byte_size(self) -> int:
        """Bytes of all pages, uncompressed."""
        return self._fragment.sizes_of([int(self)])[0][1]

    @property
    def id(self) -> int:
        """Its number in the file."""
        return int(self)

    @property
    def metadata(self) -> RowGroupMetaData:
        """What the footer says of it, in the shape of `pyarrow.parquet.RowGroupMetaData`."""
        return self._fragment.metadata.row_group(int(self))

    @property
    def schema(self) -> pa.Schema:
        """The schema of the file."""
        return self._fragment.physical_schema

    @property
    def statistics(self) -> dict[str, dict[str, object]]:
        """Of each top-level column with bounds ``{"min": …, "max": …}``, read from the footer for each call."""
        return self._fragment.bounds_of(int(self))

    def __repr__(self) -> str:
        return f"RowGroupInfo({int(self)})"
