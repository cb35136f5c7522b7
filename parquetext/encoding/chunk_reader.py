"""Decode the column chunks of one leaf: read pages, and return as many rows at a time as requested."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

from .. import kernels, wire
from ..errors import LimitExceeded, Malformed, OutOfProportion, ParquetextError, Unsupported, wire_error
from ..records import frozen
from .carried import Carried
from .codecs import BELIEVED
from .decoded_sizes import check_page_size, entries_of, limit_of, most_entries
from .foreign_pages import is_foreign, made_plain, refuse_vast
from .pages import (
    MAGIC_BYTES,
    NOT_READ,
    VAST_BYTES,
    Page,
    in_front_of_pages,
    overrun_of,
    read_body,
    read_pages,
    read_stored,
)

MOST_ARRAY_BYTES = (1 << 31) - 1  # that offsets of 32 bits reach
# Limits for a chunk of few bytes, and for its pages, if the kernels are the twin.
MOST_PURE_VALUES, MOST_PURE_BYTES, MOST_PURE_PAGE = 1 << 16, 1 << 22, 1 << 22
DATA_PAGES = wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2


@frozen
class Levels:
    """The levels of a schema node: its own, and the definition level of the closest repeated node above it."""

    definition: int = 0
    repetition: int = 0
    ancestor: int = 0

    def below(self, repetition: int) -> Levels:
        """Return the levels of a child of this repetition type; a repeated child is the ancestor of its descendants."""
        if repetition == wire.REPETITION_REPEATED:
            return Levels(self.definition + 1, self.repetition + 1, self.definition + 1)
        return replace(self, definition=self.definition + 1) if repetition == wire.REPETITION_OPTIONAL else self


class Leaf(Protocol):
    """A column of values: its number, its path for messages, and its levels.

    `kind` has its `physical` type and `width`, the bytes of a value (0: varies).
    """

    @property
    def leaf(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def levels(self) -> Levels: ...
    @property
    def kind(self) -> Any: ...


@frozen
class Chunk:
    """The metadata of a column chunk, checked for consistency and against the file's size.

    `num_values` is at least the number of rows of the row group; outside of lists it equals that number, even if the
    footer has another one. `overrun` is the number of bytes by which pages may exceed the chunk's size. If `copy` is
    set, the pages are those of the chunk's copy in another encoding.
    """

    leaf: Leaf
    row_group: int
    begin: int
    size: int
    codec: int
    num_values: int
    num_rows: int
    overrun: int = 0
    copy: Carried | None = None

    @property
    def end(self) -> int:
        return self.begin + self.size

    def by(self, copy: Carried) -> Chunk:
        """Return the same values, read from a copy of it."""
        return replace(self, begin=copy.offset, size=copy.length, codec=copy.codec, copy=copy)


@frozen
class Dictionary:
    """A dictionary page, decompressed: values in PLAIN, and how many."""

    data: bytes
    count: int


@frozen
class Stretch:
    """Consecutive pages in the file, and the number of their rows: in total, and page by page if it is known."""

    begin: int
    end: int
    first_row: int
    num_rows: int
    row_counts: tuple[int, ...] | None = None


def chunk_of(form, leaf: Leaf, number: int, row_group: int, file_size: int) -> Chunk:
    """Return the chunk of a leaf in the form's row group of this number, which the file calls `row_group`.

    `form` is a footer form or a scan: an object with `column(leaf)` and `row_groups(name)`.

    Raises
    ------
    Unsupported
        It is encrypted, or its values are in another file.
    Malformed
        Its counts, type or place cannot be.
    """
    chunks, num_rows = form.column(leaf.leaf), form.row_groups("num_rows")[number]
    fact = {name: chunks.array(name)[number] for name in _FACTS}
    with _placed(row_group, leaf):
        if fact["present"] & wire.PRESENT_CRYPTO:
            raise Unsupported("the column is encrypted")
        if fact["present"] & wire.PRESENT_FILE_PATH:
            raise Unsupported("the values are in another file")
        if fact["type"] != leaf.kind.physical:
            raise Malformed(
                f"the chunk has values of type {fact['type']}, the schema says {leaf.kind.physical}",
                expected=leaf.kind.physical,
                found=fact["type"],
            )
        size, begin, codec = fact["total_compressed_size"], chunks.begins()[number], fact["codec"]
        if codec not in wire.NAMES_OF_COMPRESSION_CODEC:
            raise Unsupported(f"codec {codec} is not read", found=codec)
        if num_rows < 0:
            raise Malformed(f"the row group has {num_rows} rows", expected=0, found=num_rows)
        entries = entries_of(fact["num_values"], num_rows, leaf.levels.repetition)
        chunk = Chunk(leaf, row_group, begin, size, codec, entries, num_rows, overrun_of(form.created_by))
        if message := in_front_of_pages(fact["data_page_offset"], chunk.num_values):
            raise Malformed(message, expected=MAGIC_BYTES, found=fact["data_page_offset"])
        if chunk.num_values and not (MAGIC_BYTES <= begin <= file_size and 0 < size <= file_size - begin):
            raise Malformed(f"{size} bytes of pages at {begin}, the file has {file_size}", offset=max(begin, 0))
    return chunk


_FACTS = "present", "type", "codec", "num_values", "total_compressed_size", "data_page_offset"


@contextmanager
def _placed(row_group: int, leaf: Leaf) -> Iterator[None]:
    """Add the chunk to an error's message."""
    try:
        yield
    except ParquetextError as error:
        _name_chunk(error, row_group, leaf, None)
        raise


def _name_chunk(error: ParquetextError, row_group: int, leaf: Leaf, page: int | None) -> None:
    where = "" if page is None else f", page {page}"
    error.message = f"row group {row_group}, column {leaf.path}{where}: {error.message}"


class ChunkReader:
    """Decode one leaf, chunk by chunk.

    Parameters
    ----------
    leaf : Leaf
    source
        The file's bytes: `size` and `read(offset, length)`.
    levels : bool
        Keep definition levels: structs around the leaf need them.
    checks_crc : bool
        Compare the checksums of pages that have one.
    keeps_dictionary : bool
        Keep the dictionary page.
    rows : int
        How many will be read before they are taken, as far as it is known: their memory is reserved at once.
    most_bytes : int, optional
        Of byte arrays: with more of them, reading ends with `OutOfProportion`.
    forgets : bool
        Decode the pages only to check them, and discard the values.
    most_page : int, optional
        As `encoding.pages.read_pages` takes it.
    limit : int, optional
        Of values out of proportion to their bytes, as `decoded_sizes.limit_of` takes it.
    lists : sequence of int, optional
        The definition levels of the lists around the leaf, the outermost first: levels that contradict them are refused
        with their page.

    Attributes
    ----------
    dictionary : Dictionary or None
        The dictionary page of the current chunk, once it was read, if it is kept.
    list_items : sequence of int
        The number of elements of each of `lists` in the rows read.

    Notes
    -----
    A chunk begins with `begin`, its pages come by `open` in one or more stretches, in order.
    """

    def __init__(
        self,
        leaf: Leaf,
        source,
        *,
        levels: bool,
        checks_crc: bool,
        keeps_dictionary: bool = False,
        rows: int = 0,
        most_bytes: int | None = None,
        forgets: bool = False,
        most_page: int | None = None,
        limit: int | None = None,
        lists: Sequence[int] | None = None,
    ):
        kind, own = leaf.kind, leaf.levels
        self._column = kernels.column.Column(
            kind.physical,
            kind.width,
            own.definition,
            own.repetition,
            own.ancestor,
            levels=levels,
            most_bytes=MOST_ARRAY_BYTES if most_bytes is None else most_bytes,
            rows=rows,
            forgets=forgets,
            lists=lists,
        )
        self._is_bounded = most_bytes is not None and most_bytes < MOST_ARRAY_BYTES
        self._leaf, self._source, self._checks_crc, self._most_page = leaf, source, checks_crc, most_page
        if kernels.implementation() != "native":
            self._most_page = min(MOST_PURE_PAGE, MOST_PURE_PAGE if most_page is None else most_page)
        self._limit = limit_of(limit)
        self._pieces: list = []
        self._chunk: Chunk  # set by `begin`
        self._left: Iterator[None] = iter(())
        # For each given data page, and for the dictionary: the header's offset, and the base of offsets in errors.
        self._given: list[tuple[int, int | None]] = []
        self._given_before = 0  # of other stretches
        self._passes = 0  # rows that are skipped next
        self._dictionary: tuple[int, int | None] = 0, None
        self._keeps_dictionary = keeps_dictionary
        self.dictionary: Dictionary | None = None

    @property
    def list_items(self) -> Sequence[int]:
        return self._column.list_items

    def begin(self, chunk: Chunk) -> None:
        """Begin another chunk; the values decoded before are kept.

        Raises
        ------
        OutOfProportion
            Few bytes claim very many values, and the kernels are the pure-Python ones.
        """
        if kernels.implementation() != "native":
            self._refuse_much_in_python(chunk, chunk.num_values)
        self._chunk, self._left, self._given, self._given_before = chunk, iter(()), [], 0
        self.dictionary = None
        self._column.chunk(self._most_entries(chunk), chunk.num_rows)

    def _most_entries(self, chunk: Chunk) -> int | None:
        """Return the most entries that a chunk's pages may have; None outside of lists, which are read by rows only."""
        if not chunk.leaf.levels.repetition:
            return None
        return most_entries(chunk.num_values, chunk.size, chunk.leaf.kind.width)

    def open(self, stretch: Stretch) -> None:
        """Pass the next pages to the column."""
        self._given_before = len(self._given)
        self._left = self._giving(stretch)

    def read(self, rows: int) -> None:
        """Decode the next rows.

        Raises
        ------
        Malformed
            There are fewer, or the pages violate the format; the error contains the file's offset.
        """
        self._move(self._column.read, rows)

    def skip(self, rows: int) -> None:
        """Pass over the next rows."""
        self._move(self._column.skip, rows)

    def turn(self, counts: Sequence[int]) -> None:
        """Pass over and decode the next rows in turns: how many to pass over, to decode, and so on.

        Raises
        ------
        Malformed
            As `read` raises it.
        """
        at = done = 0
        with self._locating():
            while True:
                at, done = self._column.turn(counts, at, done)
                if self._column.is_full:
                    self._set_full_aside()
                    continue
                self._passes = counts[at] - done if at < len(counts) and not at % 2 else 0
                if at == len(counts) or not self._give():
                    break
            if missing := sum(counts[at:]) - done:
                raise Malformed(f"the pages end {missing} rows too early", offset=self._chunk.begin)
        self._passes = 0

    def close(self) -> None:
        """Raise an error if values of the opened pages are left.

        Raises
        ------
        Malformed
            They have other rows than the offset index states.
        """
        with self._locating():
            while self._give():
                pass
            if self._column.skip(1):
                raise Malformed("pages of more rows than the offset index says", offset=self._chunk.begin)

    def take(self) -> list:
        """Return the values decoded since the last call; more than one part if byte arrays exceed 2 GiB."""
        pieces, self._pieces = [*self._pieces, self._column.take()], []
        return pieces if len(pieces) == 1 else [piece for piece in pieces if piece.rows] or pieces[:1]

    def _move(self, move: Callable[[int], int], rows: int) -> None:
        done = 0
        with self._locating():
            while True:
                done += move(rows - done)
                if self._column.is_full:
                    self._set_full_aside()
                elif (done == rows and not self._column.is_open) or not self._give():
                    break
            if done < rows:
                raise Malformed(f"the pages end {rows - done} rows too early", offset=self._chunk.begin)

    def _set_full_aside(self) -> None:
        """Take the decoded values, because no more of them fit into one array."""
        if self._is_bounded:
            raise OutOfProportion("texts that a few bytes repeat")
        self._pieces.append(self._column.take())

    def _give(self) -> bool:
        """Pass another page to the column, if there is one."""
        return next(self._left, False) is None

    def _giving(self, stretch: Stretch) -> Iterator[None]:
        """Pass pages one by one, or many at once if the kernels decode them as they are stored."""
        chunk, at = self._chunk, stretch.begin
        if chunk.copy is not None:
            yield from self._giving_copy(chunk.copy, stretch)
            return
        if chunk.codec == wire.CODEC_UNCOMPRESSED and not self._checks_crc:
            at = yield from self._giving_stored(stretch)
        options: Any = {"slack": chunk.overrun, "check_crc": self._checks_crc, "most_page": self._most_page}
        options["check_size"] = self._check_size
        passed = None if self._checks_crc or self._leaf.levels.repetition else self._is_passed
        for page in read_pages(self._source, at, stretch.end, chunk.codec, passed=passed, **options):
            header = page.header
            if header.type == wire.PAGE_DICTIONARY_PAGE:
                self._check_dictionary(header.encoding, header.offset)
                self._dictionary = header.offset, None
                if kernels.implementation() != "native":
                    self._refuse_much_in_python(chunk, header.num_values)
                self._column.dictionary(page.values, header.num_values)
                self._keep(page.values, header.num_values)
            else:
                self._check_page(stretch, header.num_values, header.offset)
                self._given.append((header.offset, None))
                self._give_data_page(page, self._most_page)
            yield

    def _check_size(self, header) -> None:
        """Raise LimitExceeded for a page that is much larger than its values can be."""
        kind, values = self._leaf.kind, min(header.num_values, self._most_entries(self._chunk) or self._chunk.num_rows)
        width = 0 if kind.physical == wire.PHYSICAL_BYTE_ARRAY else max(kind.width, 1)
        try:
            check_page_size(values, header.uncompressed_size, header.compressed_size, width, self._limit)
        except LimitExceeded as error:
            error.offset = header.offset
            raise

    def _is_passed(self, header) -> bool:
        """Return True if no row of a data page is read."""
        return header.num_values <= self._passes

    def _give_data_page(self, page: Page, most_page: int | None, **options) -> None:
        if is_foreign(page.header.encoding) and page.values is not NOT_READ:
            kind, own = self._leaf.kind, self._leaf.levels
            levels = own.definition, own.repetition
            page = made_plain(page, kind.physical, kind.width, *levels, most_page=most_page, **options)
        is_v2 = page.header.type == wire.PAGE_DATA_PAGE_V2
        self._column.page(page.header, page.levels if is_v2 else None, page.values)

    def _giving_copy(self, copy: Carried, stretch: Stretch) -> Iterator[None]:
        """Yield the pages of a copy, each once its bytes are known to be as they were written."""
        at = copy.offset
        most = VAST_BYTES if self._most_page is None else self._most_page  # the chunk has the values as well
        for length, crc in zip(copy.page_lengths, copy.page_crcs, strict=True):
            if stretch.begin <= at < stretch.end:
                data = memoryview(self._source.read(at, length))
                found = kernels.checksum.crc32(data)
                if found != crc:
                    raise wire_error(wire.CHECKSUM, at, crc, found)
                header = kernels.page.header(data)
                if (header.type, header.encoding) != (wire.PAGE_DATA_PAGE_V2, copy.encoding):
                    message = f"a page of type {header.type}, encoding {header.encoding}, in a copy of another encoding"
                    raise Malformed(message, offset=at, expected=copy.encoding, found=header.encoding)
                positioned = header._replace(offset=at)
                self._check_page(stretch, header.num_values, at)
                self._given.append((at, None))
                if is_foreign(copy.encoding):
                    self._refuse_vast_copy(positioned, most)
                for page in read_body(positioned, data[header.header_size :], copy.codec, most_page=most):
                    self._give_data_page(page, most, in_extension=True)
                yield
            at += length

    def _refuse_vast_copy(self, header, most: int) -> None:
        """Refuse a copy's page that claims very many values, before it is decompressed."""
        size = header.uncompressed_size - header.repetition_size - header.definition_size
        refuse_vast(header, header.num_values - header.num_nulls, size, self._leaf.kind.width, most)

    def _giving_stored(self, stretch: Stretch) -> Generator[None, None, int]:
        """Pass uncompressed pages; return the offset of the first one that the kernels cannot decode, or the end."""
        slack = self._chunk.overrun
        for base, data, pages, count in read_stored(self._source, stretch.begin, stretch.end, slack=slack):
            fields = (pages.array(name)[:count] for name in ("type", "offset", "num_values", "encoding"))
            for position, (kind, offset, values, encoding) in enumerate(zip(*fields, strict=True)):
                if kind == wire.PAGE_DICTIONARY_PAGE:
                    self._check_dictionary(encoding, base + offset)
                    self._dictionary = base + offset, base
                    header = pages.header(position)
                    begin = offset + header.header_size
                    self._keep(data[begin : begin + header.compressed_size], header.num_values)
                elif kind in DATA_PAGES:
                    if is_foreign(encoding):
                        self._column.pages(pages, data, 0, position)
                        yield
                        return base + offset
                    self._check_page(stretch, values, base + offset)
                    self._given.append((base + offset, base))
            self._column.pages(pages, data, 0, count)
            yield
        return stretch.end

    def _refuse_much_in_python(self, chunk: Chunk, count: int) -> None:
        """Raise OutOfProportion for many values in few bytes: the twin decodes a page as a whole."""
        most = max(BELIEVED * chunk.size, self._source.size)
        if count > max(MOST_PURE_VALUES, most) or count * self._leaf.kind.width > max(MOST_PURE_BYTES, most):
            message = f"{count} values in {chunk.size} bytes of pages are not decoded in Python"
            error = OutOfProportion(message, offset=chunk.begin, expected=MOST_PURE_VALUES, found=count)
            _name_chunk(error, chunk.row_group, self._leaf, None)
            raise error

    def _check_dictionary(self, encoding: int, offset: int) -> None:
        """Check that a dictionary's values are PLAIN, and that no data page precedes it."""
        if encoding not in (wire.ENCODING_PLAIN, wire.ENCODING_PLAIN_DICTIONARY):
            message = f"a dictionary page in encoding {encoding}"
            raise Malformed(message, offset=offset, expected=wire.ENCODING_PLAIN, found=encoding)
        if self._given:
            raise Malformed("a dictionary page after data pages", offset=offset, expected=0, found=len(self._given))

    def _keep(self, data, count: int) -> None:
        if self._keeps_dictionary:
            self.dictionary = Dictionary(bytes(data), count)

    def _check_page(self, stretch: Stretch, values: int, offset: int) -> None:
        """Check the number of values of the next page.

        Its rows are compared with the offset index; a list's rows are counted later, from the levels.
        """
        if kernels.implementation() != "native":
            self._refuse_much_in_python(self._chunk, values)
        if stretch.row_counts is None:
            return
        number = len(self._given) - self._given_before
        if number == len(stretch.row_counts):
            raise Malformed("a page that the offset index does not have", offset=offset)
        expected = stretch.row_counts[number]
        if values != expected and not self._leaf.levels.repetition:
            message = f"a page of {values} rows, the offset index says {expected}"
            raise Malformed(message, offset=offset, expected=expected, found=values)

    @contextmanager
    def _locating(self) -> Iterator[None]:
        """Convert the offset in an error of the column to an offset in the file."""
        try:
            yield
        except ParquetextError as error:
            if self._is_bounded and error.code == wire.ROW_TOO_LARGE:
                raise OutOfProportion(error.message) from None
            page = getattr(error, "page", None)
            if page is not None and error.offset is not None:
                self._locate(error, page, error.offset)
            _name_chunk(error, self._chunk.row_group, self._leaf, page)
            raise

    def _locate(self, error: ParquetextError, page: int, offset: int) -> None:
        header, base = self._dictionary if error.part == "dictionary" else self._given[page]
        if base is not None:
            error.offset = offset + base
            return
        error.message += f" (byte {offset} of the decompressed {error.part})"
        error.offset = header
