"""The structural checks of a file's column chunks, page indexes and Bloom filters, one chunk after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from ... import wire
from ...encoding.page_counts import check_page_counts, count_rows
from ...encoding.pages import OVERRUN, Headers, overrun_of, read_headers
from ...errors import ParquetextError, Unsupported
from ...findings import Finding
from ...footer.column_index import ChunkCounts, StoredIndex
from ...footer.forms import MAGICS
from ...footer.model import Node
from ...footer.page_index import counts_of
from ...footer.path_sizes import most_path_bytes
from ...pruning.bloom import find_bitset
from .chunk import StoredChunk, check_extent, check_place, check_rows, check_type, check_values
from .page_index_checks import COLUMN_INDEX, OFFSET_INDEX, PagesOfChunk, check_column_index, check_offset_index
from .page_index_checks import check_place as check_index_place

SIGNATURE_BYTES = 28  # nonce and tag of AES-GCM
PLACE = "Thrift footer"


def check_counts(scan) -> Iterator[Finding]:
    """Compare the chunks of each row group with the schema, and the rows of the row groups with the file's."""
    if not scan.regular:
        yield Finding("irregular", "a row group does not have one column chunk per leaf", place=PLACE)
    total = sum(scan.row_groups("num_rows"))
    if total != scan.num_rows:
        yield Finding("row-count", f"the row groups have {total} rows, the file {scan.num_rows}", place=PLACE)


def behind_struct(scan, length: int, offset: int) -> Finding:
    """Return the finding about `length` bytes after a footer's struct: a note if they are a signature."""
    if length == SIGNATURE_BYTES and scan.encrypted:
        message = f"the footer is signed: {length} bytes after the struct, which only its key can check"
        return Finding("signed", message, offset, PLACE, is_note=True)
    signature = " (the length of a signature, but the footer names no key)" if length == SIGNATURE_BYTES else ""
    return Finding("stray-bytes", f"{length} bytes after the struct{signature}", offset, PLACE)


LONGEST_PATH = 1000  # characters
FEW_BYTES = 1 << 20  # that all paths may have, however short the footer is
SHORTEST_CUT = 80  # characters that each path keeps, for any number of paths
LONGEST_CHARACTER = 4  # bytes in UTF-8


def leaf_paths(scan) -> list[str]:
    """Return the dotted paths of the leaves without the root's name.

    Of a path longer than 1000 characters only the end is returned, after an ellipsis. If all paths together have more
    than 1 MiB and more than twice the footer's bytes, because names of groups are long, the limit is lower.
    """
    if scan is None:
        return []
    longest = _longest_path(scan)
    kept = longest + 1  # characters, one more than are shown: a path that has it is cut
    most_bytes = LONGEST_CHARACTER * (kept + 1)  # the first 3 may be the end of a character
    data = memoryview(scan.data)
    paths: list = []
    for parent, offset, length in zip(*map(scan.elements, ("parent", "name_offset", "name_length")), strict=True):
        end = offset + length
        name = bytes(data[max(offset, end - most_bytes) : end]).decode("utf-8", "replace")
        paths.append((f"{paths[parent]}.{name}" if parent > 0 else name)[-kept:])
    return [path if len(path) <= longest else f"…{path[1:]}" for path in map(paths.__getitem__, scan.leaves)]


def _longest_path(scan) -> int:
    """Return the number of characters after which a path is cut."""
    most, total = most_path_bytes(len(scan.data), FEW_BYTES), 0
    if scan.element_count * LONGEST_PATH <= most:
        return LONGEST_PATH
    lengths: list[int] = []
    for parent, length in zip(scan.elements("parent"), scan.elements("name_length"), strict=True):
        lengths.append(min(length + (lengths[parent] + 1 if parent > 0 else 0), LONGEST_PATH))
        total += lengths[-1]
    return LONGEST_PATH if total <= most else max(most // scan.element_count, SHORTEST_CUT)


Range = tuple[int, int, str]  # begin, end and name


READS, MORE_READS = 4, 1 << 16  # times the file, and bytes beside, that may be read of pages: chunks may overlap
BLOOM_FILTER = "bloom-filter"
MAGIC_BYTES = 4
KEPT_COLUMNS = 4096  # of all row groups, which take 3 kB each and more
PLACES = "offset_index", "column_index", "bloom_filter"
OF_NODES = "bytes_offset", "bytes_length", "column_order", "max_definition", "max_repetition"


class Structure:
    """The chunks of a scanned footer, and the findings about their structure.

    Parameters
    ----------
    source
        The file's bytes: `size`, `bytes_read` and `read(offset, length)`.
    scan : Scan
    data_end : int
        The offset of the footer and of the blocks before it.

    Attributes
    ----------
    names : list of str
        The paths of the leaves.
    findings : list of Finding
        About the chunks that `walk` has yielded.
    ranges : list of (int, int, str)
        Begin, end and name of their pages, indexes and filters.
    sound : set of (int, str)
        The numbers of chunks, and the kinds of their indexes in which nothing was found: ``(3, "column-index")``.
    """

    def __init__(self, source, scan, data_end: int):
        self._source, self._scan, self._data_end = source, scan, data_end
        self.names = leaf_paths(scan)
        self.findings: list[Finding] = []
        self.ranges: list[Range] = []
        self.sound: set[tuple[int, str]] = set()
        self._may_overrun = overrun_of(scan.created_by) > 0
        self._first_read = source.bytes_read
        self._places = {name: [scan.places(f"{name}_{part}") for part in ("offset", "length")] for name in PLACES}
        self._elements = [scan.elements(name) for name in OF_NODES]
        self._column, self._null_counts = lru_cache(KEPT_COLUMNS)(scan.column), scan.chunks("null_count")

    @property
    def is_read_too_often(self) -> bool:
        """Return True once overlapping chunks have exceeded the bytes that are read for them."""
        return self._source.bytes_read - self._first_read > READS * self._source.size + MORE_READS

    def walk(self) -> Iterator[tuple[StoredChunk, Headers | None]]:
        """Check the chunks one after the other, and yield each with the headers of its pages.

        Yields
        ------
        chunk : StoredChunk
        headers : Headers or None
            None of a chunk in another file, an encrypted one, and one without bytes in the data.
        """
        for chunk in self.chunks():
            headers = None
            if not chunk.is_elsewhere:
                headers = self._headers(chunk)
                self._check(chunk, headers)
            yield chunk, headers

    def chunks(self) -> Iterator[StoredChunk]:
        """Yield all chunks of the footer in its order; those beyond the schema's leaves have the leaf -1."""
        members = ("max_definition", "max_repetition", "type")
        levels = list(zip(*map(self._scan.elements, members), strict=True))
        levels = [levels[element] for element in self._scan.leaves]
        names = ("num_values", "codec", "present", "type", "total_compressed_size", "data_page_offset")
        fields = zip(*map(self._scan.chunks, names), self._scan.chunk_begins(), strict=True)
        counts = zip(self._scan.row_groups("chunk_count"), self._scan.row_groups("num_rows"), strict=True)
        index = 0
        for row_group, (count, rows) in enumerate(counts):
            for number in range(count):
                values, codec, present, physical, size, data_start, start = next(fields)
                is_known = number < len(levels)
                definition, repetition, type = levels[number] if is_known else (0, 0, physical)
                position = f"row group {row_group}, column {self.names[number] if is_known else number}"
                leaf, end = number if is_known else -1, start + size
                own = (values, rows, codec, present, start, end, data_start)
                yield StoredChunk(index, row_group, leaf, *own, definition, repetition, physical, type, position)
                index += 1

    def check_magic(self) -> None:
        """Check the first bytes of the file."""
        found = bytes(self._source.read(0, min(MAGIC_BYTES, self._source.size)))
        if found not in MAGICS:
            self.findings.append(Finding("magic", "the file does not begin with a magic", 0))

    def overlaps(self, others: Iterable[Range] = ()) -> list[Finding]:
        """Return a finding for each chunk, index or filter that shares bytes with another one, or with `others`."""
        found, furthest, owner = [], 0, ""
        for start, end, name in sorted([*self.ranges, *others]):
            if start < furthest and start < end:
                message = f"begins {furthest - start} bytes before {owner} ends"
                found.append(Finding("chunk-overlap", message, start, name))
            if end > furthest:
                furthest, owner = end, name
        return found

    def _headers(self, chunk: StoredChunk) -> Headers | None:
        """Check a chunk's fields in the footer, and read the headers of its pages."""
        size = chunk.end - chunk.start
        if size <= 0 and (chunk.is_encrypted or self._scan.problem is not None):
            return None  # encrypted metadata, or none: another finding reports it
        if not chunk.is_encrypted and self._scan.regular:
            self.findings += check_type(chunk)
        found = check_place(chunk, self._data_end)
        if found is not None:
            self.findings.append(found)
        elif chunk.is_encrypted:
            self.ranges.append((chunk.start, chunk.end, chunk.label))
        elif size and self.is_read_too_often:
            message = "its pages are not looked at: chunks that overlap have been read too often"
            self.findings.append(Finding("page", message, chunk.start, chunk.label))
        elif size:
            slack = min(OVERRUN, self._data_end - chunk.end)
            return read_headers(self._source, chunk.start, chunk.end, slack=slack)
        return None

    def _check(self, chunk: StoredChunk, headers: Headers | None) -> None:
        """Check the extent of a chunk's pages, its page index and its Bloom filter."""
        pages = found = None
        if headers is not None:
            self.ranges.append((chunk.start, max(chunk.end, headers.end), chunk.label))
            found = check_extent(chunk, headers, self._may_overrun)
            levels = chunk.max_definition, chunk.max_repetition
            wrong_counts = list(check_page_counts(self._source, headers, *levels, chunk.label))
            self.findings += wrong_counts
            if chunk.max_repetition and headers.problem is None and not wrong_counts:
                rows = count_rows(self._source, headers, chunk.codec, chunk.max_repetition)
                self._add(None if rows is None else check_rows(chunk, rows))
            if headers.problem is None and chunk.leaf >= 0 and (found is None or found.is_note):
                pages = PagesOfChunk.of(headers, chunk.max_repetition, counts_are_right=not wrong_counts)
        if (found is None or found.is_note) and not chunk.is_encrypted and self._scan.regular:
            self._add(check_values(chunk))
        self._add(found)
        for kind in (OFFSET_INDEX, COLUMN_INDEX):
            self._take(chunk, kind, self._index(chunk, pages, kind), is_checked=pages is not None)
        self._take(chunk, BLOOM_FILTER, self._filter(chunk))

    def _add(self, finding: Finding | None) -> None:
        if finding is not None:
            self.findings.append(finding)

    def _take(self, chunk: StoredChunk, kind: str, findings: Iterable[Finding], *, is_checked: bool = True) -> None:
        before = len(self.findings)
        self.findings += findings
        if is_checked and len(self.findings) == before:
            self.sound.add((chunk.index, kind))

    def _range(self, chunk: StoredChunk, name: str) -> tuple[int, int]:
        offsets, lengths = self._places[name]
        return offsets[chunk.index], lengths[chunk.index]

    def _index(self, chunk: StoredChunk, pages: PagesOfChunk | None, kind: str) -> Iterator[Finding]:
        offset, length = self._range(chunk, kind.replace("-", "_"))
        if offset <= 0 or length <= 0:
            return
        try:
            check_index_place(offset, length, self._data_end)
        except ParquetextError as error:
            yield Finding.of(kind, error, chunk.label)
            return
        self.ranges.append((offset, offset + length, f"{chunk.label}, {kind.replace('-', ' ')}"))
        if pages is None or chunk.is_encrypted:
            return
        if self.is_read_too_often:
            yield Finding(kind, "it is not read: chunks that overlap have been read too often", offset, chunk.label)
            return
        index = StoredIndex(bytes(self._source.read(offset, length)), offset)
        if kind == OFFSET_INDEX:
            yield from check_offset_index(index, chunk, pages)
        else:
            fields = self._counts(chunk, pages.value_counts)
            yield from check_column_index(index, chunk, pages, self._node(chunk.leaf), fields)

    def _counts(self, chunk: StoredChunk, page_values: list[int]) -> ChunkCounts:
        """Return the values of a chunk that its column index must match."""
        if self._scan.regular:
            return counts_of(self._column(chunk.leaf), chunk.row_group, page_values)
        return ChunkCounts(page_values, chunk.num_values, self._null_counts[chunk.index])

    def _node(self, leaf: int) -> Node:
        """Return the fields of a leaf that the checks of a column index need."""
        element = self._scan.leaves[leaf]
        start, length, *levels = (values[element] for values in self._elements)
        thrift = bytes(memoryview(self._scan.data)[start : start + length])
        return Node(thrift, b"", None, element, leaf, 1, *levels)

    def _filter(self, chunk: StoredChunk) -> Iterator[Finding]:
        offset, length = self._range(chunk, BLOOM_FILTER.replace("-", "_"))
        if offset <= 0:
            return
        if offset > self._data_end - max(length, 1):
            message = f"{length} bytes at {offset} leave the data, which ends at {self._data_end}"
            yield Finding(BLOOM_FILTER, message, offset, chunk.label)
            return
        if self.is_read_too_often:
            message = "it is not read: chunks that overlap have been read too often"
            yield Finding(BLOOM_FILTER, message, offset, chunk.label)
            return
        try:
            if chunk.is_encrypted:
                end = offset + max(length, 0)
            else:
                bitset = find_bitset(self._source.read, self._data_end, offset, length)
                end = bitset.offset + bitset.size
        except ParquetextError as error:
            yield Finding(BLOOM_FILTER, error.message, error.offset, chunk.label, isinstance(error, Unsupported))
            return
        self.ranges.append((offset, end, f"{chunk.label}, Bloom filter"))


def count_elsewhere(scan) -> int:
    """Return how many chunks are in other files."""
    return sum(present & wire.PRESENT_FILE_PATH != 0 for present in scan.chunks("present"))
