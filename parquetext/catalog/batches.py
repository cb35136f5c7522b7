"""Convert scanned footers to rows of a catalog, many files at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa

from .. import compute as pc
from .. import kernels, wire
from ..encoding.number_arrays import has_bit, known, named
from ..errors import wire_error
from ..footer.elements import Element, parse_element
from ..footer.leaf_types import CODECS, PHYSICAL_TYPES
from ..footer.model import COUNTS, INDEX_LENGTHS, INDEX_OFFSETS
from ..footer.wire_names import names_of_encodings
from ..logical_types import catalog_text, reading_of
from ..records import frozen
from .column_types import SCHEMA
from .footers import Footer

KEPT = 64  # maximal number of cached schemas
_kept: dict[bytes, Leaves] = {}


@frozen
class Leaves:
    """The leaves of a schema: columns with one entry per leaf, how bounds are read, and which leaves are required.

    Texts are dictionary-encoded.
    """

    columns: dict[str, pa.Array]
    readings: bytes
    is_required: pa.BooleanArray


def leaves_of(scan) -> Leaves:
    """Return the leaves of a scanned footer; they are cached, because files of a dataset often have the same schema."""
    offsets, lengths = scan.elements("bytes_offset"), scan.elements("bytes_length")
    schema = bytes(scan.data[offsets[0] : offsets[-1] + lengths[-1]]) if len(offsets) else b""
    found = _kept.get(schema)
    if found is None:
        if len(_kept) >= KEPT:
            _kept.clear()
        found = _kept[schema] = _described(scan, offsets, lengths)
    return found


def _described(scan, offsets, lengths) -> Leaves:
    elements = [
        parse_element(scan.data[start : start + length]) for start, length in zip(offsets, lengths, strict=True)
    ]
    leaves, repetitions, parents = list(scan.leaves), scan.elements("max_repetition"), list(scan.elements("parent"))
    depths = _depths(scan, parents, leaves)
    columns = {
        "leaf": pa.array(range(len(leaves)), pa.int32()),
        "column": pa.array([_shown(_path(elements, parents, leaf)) for leaf in leaves], pa.string()),
        "depth": pa.array([depths[leaf] for leaf in leaves], pa.int32()),
        "max_repetition_level": pa.array([repetitions[leaf] for leaf in leaves], pa.int32()),
        "physical_type": pa.array([_physical(elements[leaf]) for leaf in leaves], pa.string()),
        "type_length": pa.array([elements[leaf].type_length for leaf in leaves], pa.int32()),
        "logical_type": pa.array([catalog_text(elements[leaf].logical) for leaf in leaves], pa.string()),
    }
    columns = {
        name: column.dictionary_encode() if column.type == pa.string() else column for name, column in columns.items()
    }
    definitions = scan.elements("max_definition")
    is_required = pa.array([definitions[leaf] == 0 for leaf in leaves], pa.bool_())
    described = (elements[leaf] for leaf in leaves)
    readings = (reading_of(each.logical, each.type, each.type_length or 0) for each in described)
    return Leaves(columns, bytes(readings), is_required)


def _depths(scan, parents: list[int], leaves: list[int]) -> list[int]:
    """Return the depth of each element.

    Raise OUT_OF_PROPORTION if the leaves' paths are too long for the footer's size, as for a flat footer.
    """
    depths, sizes = [0] * len(parents), list(scan.elements("name_length"))
    for index, parent in enumerate(parents):
        if parent >= 0:
            depths[index] = depths[parent] + 1
            sizes[index] += sizes[parent] + 1 if parent else 0
    limit, found = wire.FLAT_MOST_TIMES * scan.end + wire.FLAT_MOST_BESIDE, sum(sizes[leaf] for leaf in leaves)
    if found > limit:
        raise wire_error(wire.OUT_OF_PROPORTION, 0, limit, found)
    return depths


def _path(elements: list[Element], parents: list[int], leaf: int) -> str:
    names = []
    while leaf > 0:
        names.append(elements[leaf].name)
        leaf = parents[leaf]
    return ".".join(reversed(names))


def _shown(name: str) -> str:
    """Replace the bytes of a name that are not UTF-8, so that Arrow accepts it."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _physical(element: Element) -> str | None:
    kind = element.type
    return PHYSICAL_TYPES[kind] if kind is not None and 0 <= kind < len(PHYSICAL_TYPES) else None


TYPED = ("integer", pa.int64(), 1, 0), ("double", pa.float64(), 2, 0), ("time", pa.timestamp("us", tz="UTC"), 4, 1)
STORED, TEXT, BITMAPS = 0, 3, 5
Column = pa.Array | pa.ChunkedArray


class Batch:
    """Files with one schema, collected for a batch. Nothing here loops over column chunks."""

    def __init__(self) -> None:
        self.files: list[tuple[str, Footer]] = []
        self.rows = 0
        self._bounds: list[tuple[tuple, tuple]] = []
        self._leaves = Leaves({}, b"", pa.array([], pa.bool_()))

    def takes(self, footer: Footer) -> bool:
        """Return True if the file has the schema of the files in this batch, or the batch is empty."""
        return not self.files or leaves_of(footer.scan) is self._leaves

    def add(self, file: str, footer: Footer) -> None:
        """Add a file.

        Raises
        ------
        Unsupported
            If a row group does not have one chunk per leaf. Nothing is added then.
        """
        leaves = leaves_of(footer.scan)
        self._bounds.append(kernels.catalog.bound_columns(footer.scan, leaves.readings))
        self._leaves = leaves
        self.files.append((file, footer))
        self.rows += footer.scan.chunk_count

    def to_arrow(self, schema: pa.Schema = SCHEMA) -> pa.RecordBatch:
        """Return the rows, file by file, row group by row group, leaf by leaf, as `SCHEMA` or `CODED`."""
        columns = dict(self._of_files()) | dict(self._of_leaves()) | dict(self._of_chunks()) | dict(self._of_bounds())
        columns["error"] = pa.nulls(self.rows, pa.string())
        arrays = [
            column if column.type == field.type else column.cast(field.type)
            for field in schema
            for column in [columns[field.name]]
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _of_files(self) -> Iterator[tuple[str, pa.Array]]:
        scans = [footer.scan for _, footer in self.files]
        file = _repeated(range(len(scans)), [scan.chunk_count for scan in scans])
        yield "file", pa.DictionaryArray.from_arrays(file, pa.array([name for name, _ in self.files], pa.string()))
        yield "file_size", pa.array([footer.file_size for _, footer in self.files], pa.int64()).take(file)
        yield "modified", pa.array([footer.modified for _, footer in self.files], pa.int64()).take(file)
        yield "forms", _coded_lists([footer.forms for _, footer in self.files]).take(file)
        counts = [scan.leaf_count for scan in scans for _ in range(scan.row_group_count)]
        numbers = pa.array([number for scan in scans for number in range(scan.row_group_count)], pa.int32())
        row_group = _repeated(range(len(counts)), counts)
        yield "row_group", numbers.take(row_group)
        yield "row_group_rows", _joined([scan.row_groups("num_rows") for scan in scans], pa.int64()).take(row_group)

    def _of_leaves(self) -> Iterator[tuple[str, pa.Array]]:
        whole = self._leaf_of_chunks()
        for name, column in self._leaves.columns.items():
            yield name, whole if name == "leaf" else column.take(whole)

    def _leaf_of_chunks(self) -> pa.Array:
        each = self._leaves.columns["leaf"]
        groups = sum(footer.scan.row_group_count for _, footer in self.files)
        return pa.Array.from_buffers(pa.int32(), len(each) * groups, [None, pa.py_buffer(_bytes(each) * groups)])

    def _possible_nulls(self, nulls: pa.Array) -> pa.Array:
        """Return the null counts; null if they are above 0 in a required column, or above the number of values.

        Plans skip row groups by a catalog's null counts, and the catalog does not contain the repetition of columns.
        """
        values = _joined([footer.scan.chunks("num_values") for _, footer in self.files], pa.int64())
        most = pc.if_else(self._leaves.is_required.take(self._leaf_of_chunks()), 0, values)
        return pc.if_else(pc.less_equal(nulls, most), nulls, None)

    def _of_chunks(self) -> Iterator[tuple[str, pa.Array]]:
        scans = [footer.scan for _, footer in self.files]
        for names, kind, member in (
            (COUNTS, pa.int64(), "chunks"),
            (INDEX_OFFSETS, pa.int64(), "places"),
            (INDEX_LENGTHS, pa.int32(), "places"),
        ):
            for name in names:
                found = known(_joined([getattr(scan, member)(name) for scan in scans], kind))
                yield name, self._possible_nulls(found) if name == "null_count" else found
        yield "codec", named(_joined([scan.chunks("codec") for scan in scans], pa.int32()), CODECS)
        encodings = _joined([scan.chunks("encodings") for scan in scans], pa.uint32())
        yield "encodings", _decoded(encodings, lambda mask: names_of_encodings([mask]))
        present = _joined([scan.chunks("present") for scan in scans], pa.uint32())
        valid = self._bitmaps(0, STORED), self._bitmaps(1, STORED)
        for name, said, exact, has in (
            ("min_is_exact", wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT, valid[0]),
            ("max_is_exact", wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT, valid[1]),
        ):
            yield name, pc.if_else(pc.and_(has, has_bit(present, said)), has_bit(present, exact), None)

    def _of_bounds(self) -> Iterator[tuple[str, pa.Array]]:
        for number, end in enumerate(("min", "max")):
            parts = [bounds[number] for bounds in self._bounds]
            counts = [footer.scan.chunk_count for _, footer in self.files]
            for name, kind, bitmap, member in TYPED:
                data = pa.py_buffer(b"".join(part[member] for part in parts))
                valid = self._bitmaps(number, bitmap).buffers()[1]
                yield f"{end}_{name}", pa.Array.from_buffers(kind, self.rows, [valid, data])
            for name, kind, bitmap in ((end, pa.binary(), STORED), (f"{end}_text", pa.string(), TEXT)):
                arrays = [
                    pa.Array.from_buffers(
                        kind, count, [_bitmap(part, bitmap, count), pa.py_buffer(part[2]), pa.py_buffer(part[3])]
                    )
                    for part, count in zip(parts, counts, strict=True)
                ]
                yield name, arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)

    def _bitmaps(self, end: int, bitmap: int) -> pa.BooleanArray:
        """Return one bitmap for all files."""
        found = [
            pa.Array.from_buffers(
                pa.bool_(), footer.scan.chunk_count, [None, _bitmap(bounds[end], bitmap, footer.scan.chunk_count)]
            )
            for (_, footer), bounds in zip(self.files, self._bounds, strict=True)
        ]
        return found[0] if len(found) == 1 else pa.concat_arrays(found)


def _bitmap(part: tuple, bitmap: int, count: int) -> pa.Buffer:
    size = (count + 7) // 8
    return pa.py_buffer(part[4]).slice(bitmap * size, size)


def _bytes(array: pa.Array) -> bytes:
    """Return the memory of an int32 column without nulls."""
    return array.buffers()[1].to_pybytes()[4 * array.offset : 4 * (array.offset + len(array))]


def _joined(parts: Iterable[memoryview], kind: pa.DataType) -> pa.Array:
    parts = list(parts)
    data = pa.py_buffer(parts[0] if len(parts) == 1 else b"".join(parts))
    return pa.Array.from_buffers(kind, sum(map(len, parts)), [None, data])


def _repeated(values: Iterable[int], counts: Iterable[int]) -> pa.Array:
    """Repeat each number by its count, as int32."""
    each = memoryview(pa.array(values, pa.int32()).buffers()[1]).cast("i") if counts else []
    data = b"".join(bytes(each[number : number + 1]) * count for number, count in enumerate(counts))
    return pa.Array.from_buffers(pa.int32(), len(data) // 4, [None, pa.py_buffer(data)])


def _decoded(words: pa.Array, named: Callable[[int], list[str]]) -> pa.Array:
    """Convert bit masks to lists of names; each distinct mask is converted once."""
    coded = words.dictionary_encode()
    return _coded_lists([named(word) for word in coded.dictionary.to_pylist()]).take(coded.indices)


def _coded_lists(lists: Sequence[Sequence[str]]) -> pa.ListArray:
    plain = pa.array(lists, pa.list_(pa.string()))
    return pa.ListArray.from_arrays(plain.offsets, plain.values.dictionary_encode())
