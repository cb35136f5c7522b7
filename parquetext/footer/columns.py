"""One column over all row groups: numbers as memoryviews, bounds as bytes or, on request, as Arrow arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pyarrow as pa

from .. import compute as pc
from .. import wire
from ..errors import Unsupported
from ..logical_types import LogicalType
from ..tabular import Shown, Tabular
from ..unpicklable import Unpicklable
from .elements import Element, parse_element
from .leaf_types import PHYSICAL_TYPES, LeafType, leaf_type_of
from .model import FooterReader, Node
from .names import as_path

if TYPE_CHECKING:
    from .chunk_statistics import GeospatialStatistics
    from .facade import File

T = TypeVar("T")


class Bounds(Unpicklable, Sequence[bytes | None]):
    """The stored minima or maxima of a column, one per row group: PLAIN bytes, or None if unknown."""

    __slots__ = ("_bit", "_chunks", "_places")

    def __init__(self, chunks: Any, bit: int):
        """Store the chunks whose usable minima (bit 1) or maxima (bit 2) are read."""
        self._chunks, self._bit = chunks, bit
        self._places: Any = None

    def __len__(self) -> int:
        return len(self._chunks)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.to_list()[index]
        if self._places is None:
            has, *ranges = self._chunks.bounds()
            self._places = has, *(ranges[:2] if self._bit == 1 else ranges[2:])
        has, offsets, lengths = self._places
        if not has[index] & self._bit:
            return None
        start = offsets[index]
        return bytes(memoryview(self._chunks.buffer)[start : start + lengths[index]])

    def __iter__(self) -> Iterator[bytes | None]:
        return iter(self.to_list())

    def to_list(self) -> list[bytes | None]:
        values: list[bytes | None] = self._chunks.bound_values(self._bit)
        return values

    def __repr__(self) -> str:
        return repr(self.to_list())


class ChunkField(Protocol):
    """The descriptor of one member of a column's chunks."""

    def __get__(self, column: Any, kind: type) -> memoryview[int]: ...


def chunk_field(name: str, doc: str) -> ChunkField:
    """Return a property for one member of all chunks of a column."""
    # The kernels keep their memoryview, which a caller must not release.
    return property(lambda self: memoryview(self._chunks.array(name)), doc=doc)


class Column(Tabular):
    """The metadata of one leaf column, one entry per row group.

    Counts, sizes and offsets are typed memoryviews (``int64``, or ``int32`` if stated), in file order; absent values
    are -1. Offsets count from the file's start, sizes are in bytes.
    """

    __slots__ = ("_chunks", "_element", "_file", "_has_bounds", "_lease", "_node", "_typed", "leaf")

    def __init__(self, file: File, leaf: int, chunks: Any, has_bounds: bool = True):
        self._file, self._lease, self.leaf, self._chunks = file, file._lease, leaf, chunks
        self._has_bounds = has_bounds
        self._node: Node | None = None
        self._element: Element | None = None
        self._typed: tuple[pa.Array, pa.Array] | None = None

    num_values = chunk_field("num_values", "Values, nulls included.")
    null_count = chunk_field("null_count", "Nulls.")
    distinct_count = chunk_field("distinct_count", "Distinct values.")
    total_compressed_size = chunk_field("total_compressed_size", "Bytes of all pages, headers included, compressed.")
    total_uncompressed_size = chunk_field(
        "total_uncompressed_size", "Bytes of all pages, headers included, uncompressed."
    )
    data_page_offset = chunk_field("data_page_offset", "Offset of the first data page.")
    dictionary_page_offset = chunk_field("dictionary_page_offset", "Offset of the dictionary page.")
    index_page_offset = chunk_field("index_page_offset", "Offset of the index page.")
    bloom_filter_offset = chunk_field("bloom_filter_offset", "Offset of the Bloom filter.")
    bloom_filter_length = chunk_field("bloom_filter_length", "Bytes of the Bloom filter (int32).")
    offset_index_offset = chunk_field("offset_index_offset", "Offset of the offset index.")
    offset_index_length = chunk_field("offset_index_length", "Bytes of the offset index (int32).")
    column_index_offset = chunk_field("column_index_offset", "Offset of the column index.")
    column_index_length = chunk_field("column_index_length", "Bytes of the column index (int32).")
    codec = chunk_field(
        "codec", "Compression codec, as numbered in parquet.thrift (int32); names in `footer.types.CODECS`."
    )
    encodings = chunk_field("encodings", "Bit e is set if encoding e is listed (uint32).")
    present = chunk_field("present", "The fields that the footer stores, as bits `wire.PRESENT_…` (uint32).")

    def __len__(self) -> int:
        return len(self._chunks)

    def __reduce__(self) -> tuple[Any, ...]:
        from .reopening import file_state, reopen_column  # it opens files, so it imports this module

        source = self._lease.source if self._lease.is_owner else self._file._source
        return reopen_column, (*file_state(self._file, source), self.leaf)

    @property
    def chunks(self) -> Any:
        """Return the kernel object for the column's chunks, with their bounds."""
        if not self._has_bounds:
            self._chunks = self._ask(lambda form: form.column(self.leaf))
            self._has_bounds = True
        return self._chunks

    def _ask(self, operation: Callable[[FooterReader], T]) -> T:
        """Read from the footer, even after the file was closed."""
        return self._lease.ask(operation, self._file._on_form)

    @property
    def node(self) -> Node:
        """Return the leaf's position in the schema."""
        if self._node is None:
            self._node = self._ask(lambda form: form.node(self.leaf))
        return self._node

    @property
    def num_rows(self) -> Sequence[int]:
        """Return the number of rows of each row group."""
        return self._ask(lambda form: form.row_groups("num_rows"))

    @property
    def element(self) -> Element:
        """Return the leaf's schema element."""
        if self._element is None:
            self._element = parse_element(self.node.thrift)
        return self._element

    @property
    def path(self) -> tuple[str, ...]:
        """Return the names on the path from the root to the leaf, without the root."""
        return as_path(self.node.path)

    @property
    def name(self) -> str:
        """Return the dotted path."""
        return ".".join(self.path)

    @property
    def physical_type(self) -> str:
        """Return the physical type, such as ``"INT64"``."""
        kind = self.element.type
        return PHYSICAL_TYPES[kind] if kind is not None and 0 <= kind < len(PHYSICAL_TYPES) else f"UNKNOWN_{kind}"

    @property
    def logical_type(self) -> LogicalType | None:
        """Return the logical type, or None."""
        return self.element.logical

    @property
    def field_id(self) -> int | None:
        return self.element.field_id

    @property
    def leaf_type(self) -> LeafType:
        return leaf_type_of(self.node.thrift)

    @property
    def type(self) -> pa.DataType:
        """Return the Arrow type of `min` and `max`, which follows from the Parquet schema alone."""
        return self.leaf_type.arrow

    @property
    def min_bytes(self) -> Bounds:
        """Return the minima as stored; an element is None if its chunk has no usable minimum."""
        return Bounds(self.chunks, 1)

    @property
    def max_bytes(self) -> Bounds:
        """Return the maxima as stored; an element is None if its chunk has no usable maximum."""
        return Bounds(self.chunks, 2)

    @property
    def min(self) -> pa.Array:
        """Return the minima as values of `type`, null if unknown; lower bounds unless `min_is_exact` is true."""
        return self._bounds()[0]

    @property
    def max(self) -> pa.Array:
        """Return the maxima as values of `type`, null if unknown; upper bounds unless `max_is_exact` is true."""
        return self._bounds()[1]

    def _bounds(self) -> tuple[pa.Array, pa.Array]:
        if self._typed is None:
            try:
                self._typed = self.leaf_type.bounds(self.chunks)
            except Unsupported as error:
                message = f"the bounds of column {self.name!r} are too large: {error.message}"
                raise Unsupported(
                    message, file=str(self._file.path), expected=error.expected, found=error.found, code=error.code
                ) from None
        return self._typed

    def _exactness(self, bit: int, known: int, exact: int) -> pa.Array:
        has = self.chunks.bounds()[0]
        return pa.array(
            [
                bool(present & exact) if flags & bit and present & known else None
                for flags, present in zip(has, self.present, strict=True)
            ],
            pa.bool_(),
        )

    @property
    def min_is_exact(self) -> pa.Array:
        """Return True for each minimum that is a value of the column; null if the footer does not store this."""
        return self._exactness(1, wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT)

    @property
    def max_is_exact(self) -> pa.Array:
        """Return True for each maximum that is a value of the column; null if the footer does not store this."""
        return self._exactness(2, wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT)

    @property
    def geospatial_statistics(self) -> list[GeospatialStatistics | None]:
        """Return the bounding boxes and types of GEOMETRY and GEOGRAPHY; None if a chunk has none."""
        from .chunk_statistics import geospatial_statistics  # it imports the predicates, which opening does not need

        return self._ask(lambda form: geospatial_statistics(form, self.leaf))

    def _shown(self) -> Shown:
        from .footer_repr import show_column

        return show_column(self)


FEW = 16  # row groups
_NUMBERS = frozenset({pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()})


def bounds_or_nulls(column: Column) -> tuple[pa.Array, pa.Array]:
    """Return the minima and maxima; nulls if their bytes exceed the size of an array."""
    try:
        return column.min, column.max
    except Unsupported:
        return pa.nulls(len(column)), pa.nulls(len(column))


def extremes(column: Column) -> tuple[pa.Scalar, pa.Scalar]:
    """Return the least minimum and the greatest maximum; null if a row group with values has none."""
    minima, maxima = bounds_or_nulls(column)
    return _extreme(minima, column, min), _extreme(maxima, column, max)


def _extreme(values: pa.Array, column: Column, choose: Callable[..., int]) -> pa.Scalar:
    if pa.types.is_null(values.type) or (values.null_count and _is_unknown(values, column)):
        return pa.scalar(None)
    if len(values) <= FEW and not values.null_count and (len(values) == 1 or values.type in _NUMBERS):
        known = values.to_pylist()  # several times faster than a kernel
        return values[choose(range(len(known)), key=known.__getitem__)] if known else pa.scalar(None, values.type)
    kernel = pc.min if choose is min else pc.max
    try:
        return kernel(values)
    except NotImplementedError:  # float16
        return kernel(values.cast(pa.float32()))


def _is_unknown(values: pa.Array, column: Column) -> bool:
    """Return True if a row group with values has no bound."""
    known = values.is_valid().to_pylist()
    return any(
        not is_known and nulls != count
        for is_known, nulls, count in zip(known, column.null_count, column.num_values, strict=True)
    )
