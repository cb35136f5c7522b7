"""Decode the pages of column chunks into the buffers of an Arrow array; see the twin."""

from array import array
from collections import namedtuple

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport INT32_MAX, UINT64_MAX, int64_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport free, malloc

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_error, pqx_page, pqx_source, pqx_source_fd
from .chunks cimport Chunks
from .column_api cimport (
    PQX_PART_DICTIONARY, pqx_chosen_rows, pqx_codec_is_known, pqx_column, pqx_column_begin, pqx_column_begin_chunk,
    pqx_column_free, pqx_column_give, pqx_column_is_open, pqx_column_leaf, pqx_column_output, pqx_column_page, pqx_column_read,
    pqx_column_set_dictionary, pqx_column_skip, pqx_column_take, pqx_grow, pqx_leaf_reading, pqx_memory, pqx_page_table,
    pqx_read_leaves, pqx_release, pqx_trim,
)
from .page cimport Pages
from .page_table cimport PageTable
from .ranges cimport Ranges
from .zstd_api cimport use_libzstd

__all__ = ["Column", "Decoded", "codecs", "from_file"]

# Each module has a copy of the C library with separate memory, which stays mapped for the next reservation: memory that
# is reserved in this module must be released in it.

Decoded = namedtuple("Decoded", "entries rows slots nulls valid values offsets definition repetition")

ctypedef int (*over_rows)(pqx_column *, uint64_t, uint64_t *, pqx_error *) noexcept nogil

cdef frozenset known_codecs = None
cdef tuple PARTS = ("page", "levels", "values", "dictionary")
cdef int PAGE_DICTIONARY_PAGE = wire.PAGE_DICTIONARY_PAGE
cdef int PAGE_INDEX_PAGE = wire.PAGE_INDEX_PAGE
cdef int PHYSICAL_BOOLEAN = wire.PHYSICAL_BOOLEAN
cdef int PHYSICAL_BYTE_ARRAY = wire.PHYSICAL_BYTE_ARRAY


cdef class Memory:
    """Bytes, aligned to 64, on huge pages if they are many; consumers read them without a copy."""

    def __dealloc__(self):
        release(&self.memory)

    def __len__(self):
        return self.size

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.memory.data if self.size else <void *> &self.size, self.size, 1, flags)


cdef Memory adopt(pqx_memory *memory, size_t size):
    """Take ownership of the first `size` bytes from the caller."""
    cdef Memory made = Memory.__new__(Memory)
    made.memory, made.size = memory[0], size
    memory.data, memory.capacity = NULL, 0
    return made


cdef int reserve(pqx_memory *memory, size_t size) except -1:
    if not pqx_grow(memory, 0, size):
        raise MemoryError
    return 0


cdef void trim(pqx_memory *memory, size_t size) noexcept:
    pqx_trim(memory, size)


cdef void release(pqx_memory *memory) noexcept nogil:
    pqx_release(memory.data)
    memory.data, memory.capacity = NULL, 0


cdef object error_of(const pqx_error *error):
    return wire_error(error.code, error.offset, error.expected, error.found)


cdef object whole(object data, const uint8_t **start, size_t *size):
    """Return an object that keeps the bytes of `data` alive, and store their address and size."""
    cdef object held = data if type(data) is bytes else memoryview(data).cast("B")
    cdef const uint8_t[::1] view = held
    size[0] = view.shape[0]
    start[0] = &view[0] if view.shape[0] else <const uint8_t *> b""
    return held


cdef int copy_header(object header, pqx_page *page) except -1:
    page.type, page.num_values = header.type, header.num_values
    page.encoding, page.definition_encoding = header.encoding, header.definition_encoding
    page.repetition_encoding = header.repetition_encoding
    page.definition_size, page.repetition_size = header.definition_size, header.repetition_size
    return 0


cdef int choose_rows(pqx_chosen_rows *chosen, const int64_t[::1] rows, size_t first, size_t last, counts, turns) except -1:
    cdef const int64_t[::1] all_counts = rows if turns is None else counts
    cdef const int64_t[::1] all_turns = rows if turns is None else turns
    if last < first or last > <size_t> rows.shape[0]:
        raise wire_error(wire.BAD_ARGUMENT, 0, rows.shape[0], last)
    if turns is not None and <size_t> all_turns.shape[0] != last - first:
        raise wire_error(wire.BAD_ARGUMENT, 0, last - first, all_turns.shape[0])
    chosen.first, chosen.groups, chosen.count = first, last - first, all_counts.shape[0]
    chosen.rows = &rows[0] if rows.shape[0] else NULL
    chosen.counts = NULL
    if chosen.count:
        chosen.counts = &all_counts[0]
    chosen.turns = NULL
    if turns is not None and chosen.groups:
        chosen.turns = &all_turns[0]
    return 0


def codecs():
    """Return the codecs of chunks that `from_file` decompresses; see the twin."""
    global known_codecs
    if known_codecs is None:
        use_libzstd()
        known_codecs = frozenset([codec for codec in wire.NAMES_OF_COMPRESSION_CODEC if pqx_codec_is_known(codec)])
    return known_codecs


def from_file(list columns not None, list chunks not None, int fd, uint64_t file_size, const int64_t[::1] rows,
              size_t first, size_t last, counts=None, turns=None, uint64_t most_bytes=UINT64_MAX, list tables=None,
              bint checks_crc=False):
    """Read leaves' chunks from a local file like `turn`; return True for the columns that are done; see the twin."""
    cdef pqx_chosen_rows chosen
    cdef pqx_leaf_reading *leaves
    cdef pqx_source source = pqx_source_fd(fd, file_size)
    cdef Chunks some
    cdef const pqx_page_table **pages = NULL
    cdef size_t each, count = len(columns), groups = last - first if last > first else 0
    if len(chunks) != len(columns):
        raise wire_error(wire.BAD_ARGUMENT, 0, len(columns), len(chunks))
    if tables is not None and <size_t> len(tables) != count * groups:
        raise wire_error(wire.BAD_ARGUMENT, 0, count * groups, len(tables))
    choose_rows(&chosen, rows, first, last, counts, turns)
    leaves = <pqx_leaf_reading *> malloc((count + 1) * sizeof(pqx_leaf_reading))
    if leaves == NULL:
        raise MemoryError
    try:
        if tables is not None:
            pages = <const pqx_page_table **> malloc((count * groups + 1) * sizeof(pqx_page_table *))
            if pages == NULL:
                raise MemoryError
            for each in range(count * groups):
                pages[each] = NULL if tables[each] is None else &(<PageTable?> tables[each]).table
        for each in range(count):
            some = chunks[each]
            if some is None or last > some.count:
                raise wire_error(wire.BAD_ARGUMENT, 0, 0 if some is None else some.count, last)
            leaves[each].column, leaves[each].chunks = &(<Column?> columns[each]).column, some.chunks
            leaves[each].step, leaves[each].is_done = some.step, 0
            leaves[each].tables, leaves[each].checks_crc = NULL if pages == NULL else pages + each * groups, checks_crc
        with nogil:
            pqx_read_leaves(leaves, count, &source, &chosen, most_bytes)
        return [leaves[each].is_done != 0 for each in range(count)]
    finally:
        free(leaves)
        free(pages)


cdef class Column:
    """A decoder of one leaf: it takes pages, one after another, and returns the buffers of an Arrow array."""

    cdef pqx_column column
    cdef list held  # the buffers of the pages, by page number
    cdef size_t released  # number of these that were released
    cdef object held_dictionary
    cdef object list_levels, items  # 16 and 64 bits each; the column points into them
    cdef Ranges ranges

    def __init__(self, int type, int type_length, unsigned int max_definition, unsigned int max_repetition,
                 unsigned int repeated_definition, *, bint levels=False, uint64_t most_bytes=INT32_MAX,
                 uint64_t rows=0, bint forgets=False, lists=None, Ranges ranges=None):
        cdef pqx_column_leaf leaf
        cdef pqx_error error
        if max_definition > 0xFFFF:
            raise wire_error(wire.BAD_ARGUMENT, 0, 0xFFFF, max_definition)
        for level, limit in (
            (max_repetition, max_definition), (repeated_definition, max_definition if max_repetition else 0),
        ):
            if level > limit:
                raise wire_error(wire.BAD_ARGUMENT, 0, limit, level)
        leaf.type, leaf.type_length = type, type_length
        leaf.max_definition, leaf.max_repetition = max_definition, max_repetition
        leaf.repeated_definition, leaf.keeps_definition = repeated_definition, levels
        leaf.rows, leaf.forgets, leaf.is_strict = rows, forgets, 0
        leaf.most_bytes = min(most_bytes, <uint64_t> INT32_MAX)
        leaf.list_levels, leaf.list_items, leaf.stored = NULL, NULL, 0
        leaf.ranges = NULL if ranges is None else &ranges.ranges
        self.list_levels = self.items = None
        self.ranges = ranges
        if lists is not None and max_repetition:
            self.point_to_lists(lists, &leaf)
        pqx_column_free(&self.column)
        if pqx_column_begin(&self.column, &leaf, &error):
            raise error_of(&error)
        self.chunk()

    def __dealloc__(self):
        pqx_column_free(&self.column)

    cdef int point_to_lists(self, object lists, pqx_column_leaf *leaf) except -1:
        cdef const uint16_t[::1] levels
        cdef uint64_t[::1] items
        if len(lists) != leaf.max_repetition:
            raise wire_error(wire.BAD_ARGUMENT, 0, leaf.max_repetition, len(lists))
        self.list_levels, self.items = array("H", lists), array("Q", bytes(8 * len(lists)))
        levels, items = self.list_levels, self.items
        leaf.list_levels, leaf.list_items = &levels[0], &items[0]
        return 0

    @property
    def list_items(self):
        return () if self.items is None else tuple(self.items)

    def chunk(self, num_values=None, num_rows=None):
        """Begin the next column chunk, with at most this number of entries and rows."""
        cdef uint64_t entries = UINT64_MAX if num_values is None else num_values
        cdef uint64_t rows = UINT64_MAX if num_rows is None else num_rows
        pqx_column_begin_chunk(&self.column, entries, rows)
        self.held, self.released, self.held_dictionary = [], 0, None

    @property
    def rows(self):
        return self.column.output.rows

    @property
    def is_full(self):
        return self.column.is_full != 0

    @property
    def is_open(self):
        return pqx_column_is_open(&self.column) != 0

    def dictionary(self, data, count):
        """Take the chunk's dictionary: `count` PLAIN values."""
        cdef const uint8_t *start
        cdef size_t size
        held = whole(data, &start, &size)
        self.give_dictionary(held, start, size, count, 0)

    def page(self, header, levels, values):
        """Take the next data page, decompressed; `levels` is None if they precede the values."""
        cdef pqx_column_page page
        copy_header(header, &page.header)
        held = whole(values, &page.values, &page.values_size)
        page.levels, page.levels_size, page.base = NULL, 0, 0
        if levels is not None:
            held = held, whole(levels, &page.levels, &page.levels_size)
        self.give(held, &page)

    def pages(self, headers, data, size_t first=0, last=None):
        """Take uncompressed pages from `data`, including the dictionary page, without copying them."""
        cdef pqx_column_page page
        cdef const uint8_t *start
        cdef size_t size, index, end = len(headers) if last is None else last
        cdef uint64_t at, length
        cdef bint is_native = isinstance(headers, Pages)
        held = whole(data, &start, &size)
        page.levels, page.levels_size = NULL, 0
        for index in range(first, end):
            if is_native:
                if index >= (<Pages> headers).count:
                    raise IndexError(index)
                page.header = (<Pages> headers).pages[index]
                at, length = page.header.offset + page.header.header_size, page.header.compressed_size
            else:
                header = headers.header(index)
                copy_header(header, &page.header)
                at, length = header.offset + header.header_size, header.compressed_size
            if at > size or length > size - at:
                raise wire_error(wire.TRUNCATED, at, length, size - at if at < size else 0)
            if page.header.type == PAGE_DICTIONARY_PAGE:
                self.give_dictionary(held, start + at, length, page.header.num_values, at)
            elif page.header.type != PAGE_INDEX_PAGE:
                page.values, page.values_size, page.base = start + at, length, at
                self.give(held, &page)

    def read(self, uint64_t rows):
        """Decode the next `rows` rows; return the number begun."""
        return self.advance(pqx_column_read, rows)

    def skip(self, uint64_t rows):
        """Skip the next `rows` rows; return the number begun."""
        return self.advance(pqx_column_skip, rows)

    def turn(self, const int64_t[::1] counts, size_t at=0, uint64_t done=0):
        """Skip and read rows in turns until the given pages end: return (turn reached, its rows begun)."""
        cdef uint64_t begun = 0
        cdef pqx_error error
        cdef int status = 0
        cdef size_t turns = counts.shape[0], each
        for each in range(turns):
            if counts[each] < 0:
                raise wire_error(wire.BAD_ARGUMENT, 0, 0, counts[each])
        with nogil:
            while at < turns:
                over = pqx_column_read if at % 2 else pqx_column_skip
                status = over(&self.column, <uint64_t> counts[at] - done, &begun, &error)
                done += begun
                if status or self.column.is_full or done < <uint64_t> counts[at] or pqx_column_is_open(&self.column):
                    break
                at, done = at + 1, 0
        self.let_go()
        if status:
            raise self.placed(&error)
        return at, done

    cdef advance(self, over_rows over, uint64_t rows):
        cdef uint64_t begun
        cdef pqx_error error
        cdef int status
        with nogil:
            status = over(&self.column, rows, &begun, &error)
        self.let_go()
        if status:
            raise self.placed(&error)
        return begun

    def take(self):
        """Return the entries decoded since the last call: whole rows if `is_full`, else all entries."""
        cdef pqx_column_output out
        cdef pqx_error error
        cdef int type = self.column.leaf.type
        cdef object valid = None, offsets = None, definition = None, repetition = None
        cdef size_t size
        if pqx_column_take(&self.column, &out, &error):
            raise error_of(&error)
        size = out.slots * self.column.width
        if type == PHYSICAL_BOOLEAN or self.ranges is not None:
            size = (out.slots + 7) // 8
        elif type == PHYSICAL_BYTE_ARRAY:
            size, offsets = out.bytes, adopt(&out.offsets, 4 * (out.slots + 1))
        if out.nulls:
            valid = adopt(&out.valid, (out.slots + 7) // 8)
        if out.below and self.column.leaf.keeps_definition:
            definition = adopt(&out.definition, 2 * out.entries)
        if self.column.leaf.max_repetition:
            repetition = adopt(&out.repetition, 2 * out.entries)
        return Decoded(out.entries, out.rows, out.slots, out.nulls, valid, adopt(&out.values, size), offsets, definition,
                       repetition)

    cdef int give(self, object held, const pqx_column_page *page) except -1:
        cdef pqx_error error
        if pqx_column_give(&self.column, page, &error):
            raise error_of(&error)
        self.held.append(held)
        return 0

    cdef int give_dictionary(self, object held, const uint8_t *data, size_t size, uint64_t count, uint64_t base) except -1:
        cdef pqx_error error
        cdef int status
        with nogil:
            status = pqx_column_set_dictionary(&self.column, data, size, count, base, &error)
        if status:
            raise self.placed(&error)
        self.held_dictionary = held
        return 0

    cdef int let_go(self) except -1:
        """Release the buffers of pages that were read."""
        cdef size_t done = self.column.given - (self.column.page_count - self.column.next_page)
        while self.released + 1 < done:
            self.held[self.released] = None
            self.released += 1
        return 0

    cdef object placed(self, const pqx_error *error):
        """Return the error with its page and part."""
        made = error_of(error)
        made.page, made.part = self.column.failed_page, PARTS[self.column.failed_part]
        return made
