"""A file's row groups: a sequence of records, and each member of all row groups as a memoryview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from ..tabular import Shown, Tabular

if TYPE_CHECKING:
    from .columns import ChunkField


class RowGroup(NamedTuple):
    """The metadata of one row group; absent values are -1, sizes are in bytes."""

    num_rows: int
    total_byte_size: int
    file_offset: int
    total_compressed_size: int
    ordinal: int


def _field(name: str, doc: str) -> ChunkField:
    return property(lambda self: self._file._on_form(lambda form: form.row_groups(name)), doc=doc)


class RowGroups(Tabular, Sequence[RowGroup]):
    """The row groups of a file, in file order. Members are memoryviews of int64 (`ordinal`: int32)."""

    __slots__ = ("_file",)

    def __init__(self, file: Any):
        self._file = file

    num_rows = _field("num_rows", "Rows.")
    total_byte_size = _field("total_byte_size", "Bytes of all pages, uncompressed.")
    file_offset = _field("file_offset", "Offset of the first page, according to the writer.")
    total_compressed_size = _field("total_compressed_size", "Bytes of all pages, compressed.")
    ordinal = _field("ordinal", "The row group's own number.")

    def __len__(self) -> int:
        count: int = self._file._form.row_group_count
        return count

    @overload
    def __getitem__(self, index: int) -> RowGroup: ...

    @overload
    def __getitem__(self, index: slice) -> list[RowGroup]: ...

    def __getitem__(self, index: int | slice) -> RowGroup | list[RowGroup]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        return RowGroup(*(getattr(self, name)[index] for name in RowGroup._fields))

    def _shown(self) -> Shown:
        from .footer_repr import show_row_groups

        return show_row_groups(self)
