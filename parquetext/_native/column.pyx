"""The pages of column chunks as the buffers of an Arrow array; see the twin."""

from array import array
from collections import namedtuple

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport INT32_MAX, UINT64_MAX, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_chunk, pqx_chunk_begin, pqx_error, pqx_page, pqx_page_header
from .chunks cimport Chunks
from .column_api cimport (
    PQX_PART_DICTIONARY, pqx_column, pqx_column_begin, pqx_column_begin_chunk, pqx_column_free, pqx_column_give,
    pqx_column_is_open, pqx_column_leaf, pqx_column_output, pqx_column_page, pqx_column_read, pqx_column_set_dictionary,
    pqx_column_skip, pqx_column_take, pqx_grow, pqx_memory, pqx_release, pqx_stored_dictionary, pqx_stored_page,
    pqx_trim, pqx_unpacked, pqx_unpacked_free,
)
from .page cimport Pages
from .posix cimport pread

__all__ = ["Column", "Decoded", "from_file"]

# Each module has its own copy of the C library, with its own memory that stays mapped for the next one who wants some:
# what is reserved here is given back here.

Decoded = namedtuple("Decoded", "entries rows slots nulls valid values offsets definition repetition")

cdef enum:
    MAGIC_BYTES = 4
    AT_ONCE = 1 << 20                            # bytes that are read together

ctypedef int (*over_rows)(pqx_column *, uint64_t, uint64_t *, pqx_error *) noexcept nogil

cdef tuple PARTS = ("page", "levels", "values", "dictionary")
cdef uint32_t PRESENT_CRYPTO = wire.PRESENT_CRYPTO
cdef uint32_t PRESENT_FILE_PATH = wire.PRESENT_FILE_PATH
cdef int PAGE_DATA_PAGE = wire.PAGE_DATA_PAGE
cdef int PAGE_DATA_PAGE_V2 = wire.PAGE_DATA_PAGE_V2
cdef int PAGE_DICTIONARY_PAGE = wire.PAGE_DICTIONARY_PAGE
cdef int PAGE_INDEX_PAGE = wire.PAGE_INDEX_PAGE
cdef int CODEC_UNCOMPRESSED = wire.CODEC_UNCOMPRESSED
cdef int CODEC_SNAPPY = wire.CODEC_SNAPPY
cdef int PHYSICAL_BOOLEAN = wire.PHYSICAL_BOOLEAN
cdef int PHYSICAL_BYTE_ARRAY = wire.PHYSICAL_BYTE_ARRAY


cdef class Memory:
    """Bytes, aligned to 64, on huge pages where there are many; others read them without a copy."""

    def __dealloc__(self):
        release(&self.memory)

    def __len__(self):
        return self.size

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.memory.data if self.size else <void *> &self.size, self.size, 1, flags)


cdef Memory adopt(pqx_memory *memory, size_t size):
    """The first `size` bytes, which the caller gives up."""
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
    """Where the bytes of `data` are, as long as what is returned lives."""
    cdef object held = data if type(data) is bytes else memoryview(data).cast("B")
    cdef const uint8_t[::1] view = held
    size[0] = view.shape[0]
    start[0] = &view[0] if view.shape[0] else <const uint8_t *> b""
    return held


cdef int copy_header(object header, pqx_page *page) except -1:
    page.type, page.num_values = header.type, header.num_values
    page.num_nulls, page.num_rows = header.num_nulls, header.num_rows
    page.encoding, page.definition_encoding = header.encoding, header.definition_encoding
    page.repetition_encoding = header.repetition_encoding
    page.definition_size, page.repetition_size = header.definition_size, header.repetition_size
    return 0


cdef struct stored_chunk:
    int fd
    bint is_snappy
    int64_t at, end, loaded                      # offsets in the file: the next page, the end, what `stored` begins at
    size_t held                                  # bytes of `stored`
    pqx_memory stored, dictionary                # what is loaded; a dictionary that is not compressed
    pqx_unpacked room
    size_t turn
    uint64_t done


cdef bint load(stored_chunk *chunk, size_t size) noexcept nogil:
    """Have `size` bytes of the file from the next page on in memory."""
    cdef ssize_t found
    cdef size_t got = 0, most
    if chunk.stored.data != NULL and chunk.at + <int64_t> size <= chunk.loaded + <int64_t> chunk.held:
        return True
    most = min(<size_t> (chunk.end - chunk.at), max(size, <size_t> AT_ONCE))
    if size > most or not pqx_grow(&chunk.stored, 0, most):
        return False
    chunk.loaded, chunk.held = chunk.at, 0
    while got < most:
        found = pread(chunk.fd, chunk.stored.data + got, most - got, chunk.at + <int64_t> got)
        if found <= 0:
            return False
        got += <size_t> found
    chunk.held = most
    return True


cdef bint load_page(stored_chunk *chunk, pqx_page *header) noexcept nogil:
    """Have the next page in memory."""
    cdef pqx_error error
    cdef size_t left, before
    if not load(chunk, 1):
        return False
    before = <size_t> (chunk.at - chunk.loaded)
    left = chunk.held - before
    if pqx_page_header(chunk.stored.data + before, left, 0, header, &error):
        if left >= AT_ONCE or not load(chunk, min(<size_t> (chunk.end - chunk.at), <size_t> AT_ONCE)):
            return False
        before = <size_t> (chunk.at - chunk.loaded)
        if pqx_page_header(chunk.stored.data + before, chunk.held - before, 0, header, &error):
            return False
    if header.compressed_size < 0 or header.uncompressed_size < 0:
        return False
    return load(chunk, <size_t> header.header_size + <size_t> header.compressed_size)


cdef bint keep_dictionary(stored_chunk *chunk, const pqx_page *header, const uint8_t **stored) noexcept nogil:
    """Copy a dictionary page that is not compressed: other pages are loaded over it."""
    cdef size_t size = <size_t> header.compressed_size
    if chunk.is_snappy and header.is_compressed:
        return True
    if not pqx_grow(&chunk.dictionary, 0, size + 1):
        return False
    memcpy(chunk.dictionary.data, stored[0], size)
    stored[0] = chunk.dictionary.data
    return True


cdef bint begin_chunk(pqx_column *column, stored_chunk *stored, const pqx_chunk *chunk, int64_t rows,
                      uint64_t file_size) noexcept nogil:
    """Begin with a chunk, if it is one of these rows that lies in the file."""
    cdef int64_t begin = pqx_chunk_begin(chunk.data_page_offset, chunk.dictionary_page_offset)
    cdef int64_t size = chunk.total_compressed_size
    if chunk.present & (PRESENT_CRYPTO | PRESENT_FILE_PATH) or chunk.type != column.leaf.type:
        return False
    if rows < 0 or chunk.num_values != rows or chunk.codec not in (CODEC_UNCOMPRESSED, CODEC_SNAPPY):
        return False
    if rows and not (MAGIC_BYTES <= begin <= <int64_t> file_size and 0 < size <= <int64_t> file_size - begin):
        return False
    if not rows:
        begin = size = 0
    pqx_column_begin_chunk(column, <uint64_t> rows, <uint64_t> rows)
    stored.is_snappy = chunk.codec == CODEC_SNAPPY
    stored.at, stored.end, stored.loaded, stored.held = begin, begin + size, begin, 0
    stored.turn, stored.done = 0, 0
    return True


cdef bint read_chunk(pqx_column *column, stored_chunk *chunk, const int64_t *counts, size_t turns) noexcept nogil:
    """One page after the other, and the turns as far as each goes: a page is done with when the next one is given."""
    cdef pqx_page header
    cdef pqx_error error
    cdef const uint8_t *stored
    cdef uint64_t begun, passed, left = 0
    while True:
        while chunk.turn < turns:
            if counts[chunk.turn] < 0:
                return False
            over = pqx_column_read if chunk.turn % 2 else pqx_column_skip
            left = <uint64_t> counts[chunk.turn] - chunk.done
            if over(column, left, &begun, &error) or column.is_full:
                return False
            if begun < left:
                left, chunk.done = left - begun, chunk.done + begun
                break
            chunk.turn, chunk.done = chunk.turn + 1, 0
        if chunk.turn == turns:
            return True
        if chunk.at >= chunk.end or not load_page(chunk, &header):
            return False
        stored = chunk.stored.data + (chunk.at - chunk.loaded) + header.header_size
        if header.type == PAGE_DICTIONARY_PAGE:
            if not keep_dictionary(chunk, &header, &stored):
                return False
            if not pqx_stored_dictionary(column, &header, stored, chunk.is_snappy, &chunk.room):
                return False
        elif header.type == PAGE_DATA_PAGE or header.type == PAGE_DATA_PAGE_V2:
            passed = 0 if chunk.turn % 2 else left
            if not pqx_stored_page(column, &header, stored, chunk.is_snappy, passed, &chunk.room):
                return False
        chunk.at += header.header_size + header.compressed_size


cdef struct chosen_rows:
    const int64_t *rows                          # of each row group; `groups` of them from `first` on are read
    const int64_t *counts                        # what to skip and to read, `count` numbers in all
    const int64_t *turns                         # how many of these are of each row group; NULL: all rows are read
    size_t first, groups, count


cdef bint read_chunks(pqx_column *column, stored_chunk *stored, const pqx_chunk *chunks, size_t step,
                      const chosen_rows *chosen, uint64_t file_size) noexcept nogil:
    """Read the chosen rows of a leaf's chunks, one chunk after another."""
    cdef int64_t[2] whole
    cdef size_t each, turns, at = 0
    whole[0] = 0
    for each in range(chosen.first, chosen.first + chosen.groups):
        if not begin_chunk(column, stored, chunks + each * step, chosen.rows[each], file_size):
            return False
        if chosen.turns == NULL:
            whole[1] = chosen.rows[each]
            if not read_chunk(column, stored, whole, 2):
                return False
            continue
        turns = <size_t> chosen.turns[each - chosen.first]
        if turns > chosen.count - at or (turns and not read_chunk(column, stored, chosen.counts + at, turns)):
            return False
        at += turns
    return True


cdef struct reading:                             # of one leaf
    pqx_column *column
    const pqx_chunk *chunks
    size_t step
    bint is_done


cdef uint64_t stored_bytes(const reading *leaf, const chosen_rows *chosen, uint64_t file_size) noexcept nogil:
    """The bytes that chunks have in a file, which may tell any number."""
    cdef uint64_t size = 0
    cdef int64_t some
    cdef size_t each
    for each in range(chosen.first, chosen.first + chosen.groups):
        some = leaf.chunks[each * leaf.step].total_compressed_size
        if some > 0 and <uint64_t> some < file_size - size:
            size += <uint64_t> some
    return size


cdef void read_leaves(reading *readings, size_t count, int fd, const chosen_rows *chosen, uint64_t file_size,
                      uint64_t texts) noexcept nogil:
    """Read leaf after leaf, of texts at most so many bytes."""
    cdef stored_chunk stored
    cdef pqx_column *column
    cdef size_t each
    memset(&stored, 0, sizeof(stored_chunk))
    stored.fd = fd
    for each in range(count):
        column = readings[each].column
        column.leaf.stored = stored_bytes(&readings[each], chosen, file_size)
        column.leaf.most_bytes = <uint32_t> min(<uint64_t> column.leaf.most_bytes, texts)
        readings[each].is_done = not column.leaf.max_repetition and column.leaf.list_levels == NULL and read_chunks(
            column, &stored, readings[each].chunks, readings[each].step, chosen, file_size)
        texts -= min(texts, <uint64_t> column.output.bytes)
        pqx_column_begin_chunk(column, UINT64_MAX, UINT64_MAX)
    release(&stored.stored)
    release(&stored.dictionary)
    pqx_unpacked_free(&stored.room)


cdef int choose_rows(chosen_rows *chosen, const int64_t[::1] rows, size_t first, size_t last, counts, turns) except -1:
    cdef const int64_t[::1] all_counts = rows if turns is None else counts
    cdef const int64_t[::1] all_turns = rows if turns is None else turns
    if last < first or last > <size_t> rows.shape[0]:
        raise wire_error(wire.BAD_ARGUMENT, 0, rows.shape[0], last)
    if turns is not None and <size_t> all_turns.shape[0] != last - first:
        raise wire_error(wire.BAD_ARGUMENT, 0, last - first, all_turns.shape[0])
    chosen.first, chosen.groups, chosen.count = first, last - first, all_counts.shape[0]
    chosen.rows = &rows[0] if rows.shape[0] else NULL
    chosen.counts = &all_counts[0] if chosen.count else NULL
    chosen.turns = NULL if turns is None or not chosen.groups else &all_turns[0]
    return 0


def from_file(list columns not None, list chunks not None, int fd, uint64_t file_size, const int64_t[::1] rows,
              size_t first, size_t last, counts=None, turns=None, uint64_t most_bytes=UINT64_MAX):
    """Read leaves' chunks from a local file and do what `turn` does; for which that is done: see the twin."""
    cdef chosen_rows chosen
    cdef reading *readings
    cdef Chunks some
    cdef size_t each, count = len(columns)
    if len(chunks) != len(columns):
        raise wire_error(wire.BAD_ARGUMENT, 0, len(columns), len(chunks))
    choose_rows(&chosen, rows, first, last, counts, turns)
    readings = <reading *> malloc((count + 1) * sizeof(reading))
    if readings == NULL:
        raise MemoryError
    try:
        for each in range(count):
            some = chunks[each]
            if some is None or last > some.count:
                raise wire_error(wire.BAD_ARGUMENT, 0, 0 if some is None else some.count, last)
            readings[each] = reading(&(<Column?> columns[each]).column, some.chunks, some.step, False)
        with nogil:
            read_leaves(readings, count, fd, &chosen, file_size, most_bytes)
        return [bool(readings[each].is_done) for each in range(count)]
    finally:
        free(readings)


cdef class Column:
    """A decoder of one leaf: pages go in, one after another, and the buffers of an Arrow array come out."""

    cdef pqx_column column
    cdef list held                               # what the pages lie in, by their numbers
    cdef size_t released                         # how many of these were let go
    cdef object held_dictionary
    cdef object list_levels, items               # 16 and 64 bits each, which the column points into

    def __init__(self, int type, int type_length, unsigned int max_definition, unsigned int max_repetition,
                 unsigned int repeated_definition, *, bint levels=False, uint64_t most_bytes=INT32_MAX,
                 uint64_t rows=0, bint forgets=False, lists=None):
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
        leaf.rows, leaf.forgets = rows, forgets
        leaf.most_bytes = min(most_bytes, <uint64_t> INT32_MAX)
        leaf.list_levels, leaf.list_items, leaf.stored = NULL, NULL, 0
        self.list_levels = self.items = None
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
        """Begin the next column chunk, of at most so many entries and rows."""
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
        """Give it the chunk's dictionary: `count` PLAIN values."""
        cdef const uint8_t *start
        cdef size_t size
        held = whole(data, &start, &size)
        self.give_dictionary(held, start, size, count, 0)

    def page(self, header, levels, values):
        """Give it the next data page, decompressed; `levels` is None where they stand in front of the values."""
        cdef pqx_column_page page
        copy_header(header, &page.header)
        held = whole(values, &page.values, &page.values_size)
        page.levels, page.levels_size, page.base = NULL, 0, 0
        if levels is not None:
            held = held, whole(levels, &page.levels, &page.levels_size)
        self.give(held, &page)

    def pages(self, headers, data, size_t first=0, last=None):
        """Give it pages that are not compressed where they lie in `data`, the dictionary page among them."""
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
        """Decode the next `rows` rows; how many were begun."""
        return self.advance(pqx_column_read, rows)

    def skip(self, uint64_t rows):
        """Pass over the next `rows` rows; how many were begun."""
        return self.advance(pqx_column_skip, rows)

    def turn(self, const int64_t[::1] counts, size_t at=0, uint64_t done=0):
        """Skip and read in turns, as far as the given pages go: the turn that it came to, and how many rows of it."""
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
        """What was decoded since the last time: whole rows, where `is_full`, else everything."""
        cdef pqx_column_output out
        cdef pqx_error error
        cdef int type = self.column.leaf.type
        cdef object valid = None, offsets = None, definition = None, repetition = None
        cdef size_t size
        if pqx_column_take(&self.column, &out, &error):
            raise error_of(&error)
        size = out.slots * self.column.width
        if type == PHYSICAL_BOOLEAN:
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
        """Let go of what pages lie in that were read."""
        cdef size_t done = self.column.given - (self.column.page_count - self.column.next_page)
        while self.released + 1 < done:
            self.held[self.released] = None
            self.released += 1
        return 0

    cdef object placed(self, const pqx_error *error):
        """The error, with the page and the part in which it is."""
        made = error_of(error)
        made.page, made.part = self.column.failed_page, PARTS[self.column.failed_part]
        return made
