"""Create pyarrow's metadata objects of column chunks, after checking that pyarrow can process them.

pyarrow ends the process if a chunk's metadata contradicts its column, because some of its functions that read bounds
and histograms cannot return errors. Therefore each chunk is checked first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import kernels, wire
from ..errors import Malformed, Unsupported
from ..thrift import list_start
from .pyarrow_footer import metadata_of
from .regularity import check_regular

if TYPE_CHECKING:
    from pyarrow._parquet import ColumnChunkMetaData

_WIDTHS = wire.WIDTH_OF_TYPE | {wire.PHYSICAL_BYTE_ARRAY: 0}
_BOUNDS = (
    (wire.PRESENT_MIN_VALUE | wire.PRESENT_MAX_VALUE, ("min_value_length", "max_value_length")),
    (wire.PRESENT_MIN | wire.PRESENT_MAX, ("min_length", "max_length")),
)
_OF_ELEMENTS = ("type", "type_length", "max_definition", "max_repetition")
_CODECS = range(8)  # those that pyarrow has a name for


class PyarrowChunks:
    """The column chunks of a Thrift footer as pyarrow's objects.

    Raises
    ------
    Malformed, pyarrow.ArrowException, OSError
        If pyarrow rejects the footer.

    Attributes
    ----------
    metadata : pyarrow.parquet.FileMetaData
    """

    __slots__ = ("_data", "_elements", "_facts", "_leaves", "_scan", "metadata")

    def __init__(self, footer: bytes | memoryview):
        self.metadata = metadata_of(footer)
        self._scan: Any = kernels.scan.scan(footer, strict=False)
        self._facts: dict[str, memoryview] = {}
        self._elements = {name: self._scan.elements(name) for name in _OF_ELEMENTS}
        self._leaves, self._data = self._scan.leaves, memoryview(self._scan.data)

    def __getitem__(self, position: tuple[int, int]) -> ColumnChunkMetaData:
        """Return the chunk at (row group, leaf).

        Raises
        ------
        Malformed
            If the chunk's metadata contradict the schema, or if its path is not UTF-8.
        Unsupported
            If it is encrypted, or compressed by a codec that pyarrow does not know.
        """
        row_group, leaf = position
        check_regular(self._scan)
        if row_group >= self._scan.row_group_count or leaf >= self._scan.leaf_count:
            there = f"{self._scan.row_group_count} row groups of {self._scan.leaf_count} columns"
            raise Malformed(f"the Thrift footer has {there}, and another form of the footer has more")
        problem = self._problem(row_group * self._scan.leaf_count + leaf, leaf)
        if problem is not None:
            raise problem
        chunk = self.metadata.row_group(row_group).column(leaf)
        try:
            chunk.path_in_schema  # noqa: B018 - pyarrow decodes it each time, also for its repr
        except UnicodeDecodeError:
            raise Malformed(f"path_in_schema of row group {row_group}, leaf {leaf} is not UTF-8") from None
        return chunk

    def _fact(self, name: str, index: int) -> int:
        if name not in self._facts:
            self._facts[name] = self._scan.chunks(name)
        return self._facts[name][index]

    def _problem(self, chunk: int, leaf: int) -> Malformed | Unsupported | None:
        """Return the reason to keep a chunk from pyarrow, or None."""
        element, present = self._leaves[leaf], self._fact("present", chunk)
        kind, length = self._elements["type"][element], self._elements["type_length"][element]
        if present & wire.PRESENT_CRYPTO:
            return Unsupported("the column is encrypted", code=wire.ENCRYPTED)
        if not present & wire.PRESENT_METADATA or self._fact("type", chunk) != kind:
            return Malformed("the chunk's metadata is not of the column's type")
        if self._fact("codec", chunk) not in _CODECS:
            return Unsupported(f"codec {self._fact('codec', chunk)} is not one that pyarrow knows")
        found, width = self._shortest_bound(chunk, present), _WIDTHS.get(kind, length)
        if found is not None and found < width:
            return Malformed(f"a bound of {found} bytes in a column whose values have {width}")
        return self._problem_of_sizes(chunk, element, kind)

    def _shortest_bound(self, chunk: int, present: int) -> int | None:
        """Return the bytes of the shortest bound that pyarrow may decode: an empty one only if its pair is complete."""
        lengths: list[Any] = []
        for pair, names in _BOUNDS:
            found = [self._fact(name, chunk) for name in names]
            lengths += found if present & pair == pair else filter(None, found)
        return min(lengths, default=None)

    def _problem_of_sizes(self, chunk: int, element: int, kind: int) -> Malformed | None:
        """Return how SizeStatistics contradict the schema, or None."""
        begin = self._fact("metadata_offset", chunk)
        data = self._data[begin : begin + self._fact("metadata_length", chunk)]
        found = kernels.thrift.path(data, [wire.COLUMN_META_DATA_SIZE_STATISTICS])
        if found is None or found[0] != wire.TYPE_STRUCT:
            return None
        for id, type, _, value, _ in kernels.thrift.fields(data, found[1]):
            if id == wire.SIZE_STATISTICS_UNENCODED_BYTE_ARRAY_DATA_BYTES and kind != wire.PHYSICAL_BYTE_ARRAY:
                return Malformed("size_statistics has bytes of byte arrays in a column of another type")
            if id in _LEVELS and type == wire.TYPE_LIST:
                levels = self._elements[_LEVELS[id]][element] + 1
                count = list_start(data, value)[0]
                if count not in (0, levels):
                    return Malformed(f"a histogram of {count} levels in a column that has {levels}")
        return None


_LEVELS = {
    wire.SIZE_STATISTICS_REPETITION_LEVEL_HISTOGRAM: "max_repetition",
    wire.SIZE_STATISTICS_DEFINITION_LEVEL_HISTOGRAM: "max_definition",
}
