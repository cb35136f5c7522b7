"""One leaf's column chunks over row groups, for any footer form."""

cimport cython
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES, PyBUF_WRITABLE
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from cpython.memoryview cimport PyMemoryView_FromObject
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from .. import wire

from .capi cimport pqx_chunk, pqx_chunk_begin, pqx_element, pqx_places, pqx_range, pqx_usable_bounds

__all__ = ["Chunks", "begin"]

cdef enum:
    WORTH_A_RELEASE = 1 << 14  # number of records from which on the GIL is released
    IN_PLACES = 1 << 16
    FEW_BYTES = 256

cdef extern from *:
    """
    #include <stddef.h>

    /* A member, with the format that the module struct has for it. */
    typedef struct pqx_member {
        const char *name;
        size_t offset, size;
        char format;
    } pqx_member;

    #define PQX_NAMED(record, name, member, format) \\
        {name, offsetof(record, member), sizeof(((record *)0)->member), format}
    #define PQX_I64(record, member) PQX_NAMED(record, #member, member, 'q')
    #define PQX_I32(record, member) PQX_NAMED(record, #member, member, 'i')
    #define PQX_U32(record, member) PQX_NAMED(record, #member, member, 'I')
    #define PQX_U8(record, member) PQX_NAMED(record, #member, member, 'B')
    #define PQX_RANGE(record, range) \\
        PQX_NAMED(record, #range "_offset", range.offset, 'I'), \\
        PQX_NAMED(record, #range "_length", range.length, 'I')
    #define PQX_NO_MEMBER {NULL, 0, 0, 0}

    static const pqx_member chunk_members[] = {
        PQX_I64(pqx_chunk, num_values),
        PQX_I64(pqx_chunk, total_uncompressed_size),
        PQX_I64(pqx_chunk, total_compressed_size),
        PQX_I64(pqx_chunk, data_page_offset),
        PQX_I64(pqx_chunk, dictionary_page_offset),
        PQX_I64(pqx_chunk, null_count),
        PQX_I64(pqx_chunk, distinct_count),
        PQX_RANGE(pqx_chunk, chunk),
        PQX_RANGE(pqx_chunk, metadata),
        PQX_RANGE(pqx_chunk, statistics),
        PQX_RANGE(pqx_chunk, min_value),
        PQX_RANGE(pqx_chunk, max_value),
        PQX_RANGE(pqx_chunk, min),
        PQX_RANGE(pqx_chunk, max),
        PQX_I32(pqx_chunk, type),
        PQX_I32(pqx_chunk, codec),
        PQX_U32(pqx_chunk, present),
        PQX_U32(pqx_chunk, encodings),
        PQX_NO_MEMBER,
    };

    static const pqx_member places_members[] = {
        PQX_I64(pqx_places, index_page_offset),
        PQX_I64(pqx_places, bloom_filter_offset),
        PQX_I64(pqx_places, offset_index_offset),
        PQX_I64(pqx_places, column_index_offset),
        PQX_I32(pqx_places, bloom_filter_length),
        PQX_I32(pqx_places, offset_index_length),
        PQX_I32(pqx_places, column_index_length),
        PQX_NO_MEMBER,
    };

    static const pqx_member element_members[] = {
        PQX_RANGE(pqx_element, bytes),
        PQX_RANGE(pqx_element, name),
        PQX_RANGE(pqx_element, logical_type),
        PQX_I32(pqx_element, type),
        PQX_I32(pqx_element, type_length),
        PQX_I32(pqx_element, repetition),
        PQX_I32(pqx_element, num_children),
        PQX_I32(pqx_element, converted_type),
        PQX_I32(pqx_element, field_id),
        PQX_I32(pqx_element, parent),
        PQX_I32(pqx_element, first_leaf),
        PQX_I32(pqx_element, leaf_count),
        PQX_U8(pqx_element, max_definition),
        PQX_U8(pqx_element, max_repetition),
        PQX_U8(pqx_element, column_order),
        PQX_U8(pqx_element, sort_order),
        PQX_NO_MEMBER,
    };

    static const pqx_member row_group_members[] = {
        PQX_RANGE(pqx_row_group, bytes),
        PQX_RANGE(pqx_row_group, columns),
        PQX_RANGE(pqx_row_group, sorting_columns),
        PQX_I64(pqx_row_group, num_rows),
        PQX_I64(pqx_row_group, total_byte_size),
        PQX_I64(pqx_row_group, file_offset),
        PQX_I64(pqx_row_group, total_compressed_size),
        PQX_I32(pqx_row_group, ordinal),
        PQX_U32(pqx_row_group, chunk_count),
        PQX_NO_MEMBER,
    };

    static const pqx_member key_value_members[] = {
        PQX_RANGE(pqx_key_value, bytes),
        PQX_RANGE(pqx_key_value, key),
        PQX_RANGE(pqx_key_value, value),
        PQX_U8(pqx_key_value, has_value),
        PQX_NO_MEMBER,
    };

    static const pqx_member page_members[] = {
        PQX_I64(pqx_page, offset),
        PQX_I64(pqx_page, null_count),
        PQX_I32(pqx_page, header_size),
        PQX_I32(pqx_page, type),
        PQX_I32(pqx_page, compressed_size),
        PQX_I32(pqx_page, uncompressed_size),
        PQX_I32(pqx_page, num_values),
        PQX_I32(pqx_page, num_nulls),
        PQX_I32(pqx_page, num_rows),
        PQX_I32(pqx_page, encoding),
        PQX_I32(pqx_page, definition_encoding),
        PQX_I32(pqx_page, repetition_encoding),
        PQX_I32(pqx_page, definition_size),
        PQX_I32(pqx_page, repetition_size),
        PQX_U32(pqx_page, crc),
        PQX_U32(pqx_page, present),
        PQX_U8(pqx_page, has_crc),
        PQX_U8(pqx_page, is_compressed),
        PQX_U8(pqx_page, is_sorted),
        PQX_RANGE(pqx_page, statistics),
        PQX_RANGE(pqx_page, min_value),
        PQX_RANGE(pqx_page, max_value),
        PQX_RANGE(pqx_page, min),
        PQX_RANGE(pqx_page, max),
        PQX_NO_MEMBER,
    };

    static const pqx_member location_members[] = {
        PQX_I64(pqx_page_location, offset),
        PQX_I32(pqx_page_location, size),
        PQX_I64(pqx_page_location, first_row),
        PQX_NO_MEMBER,
    };
    """
    ctypedef struct pqx_member:
        const char *name
        size_t offset
        size_t size
        char format
    const pqx_member *chunk_members
    const pqx_member *places_members
    const pqx_member *element_members
    const pqx_member *row_group_members
    const pqx_member *key_value_members
    const pqx_member *page_members
    const pqx_member *location_members


cdef dict members_of(const pqx_member *table):
    """Return a dictionary of the members up to `PQX_NO_MEMBER`: name -> (offset, bytes, format)."""
    found = {}
    while table.name != NULL:
        found[table.name.decode()] = table.offset, table.size, chr(table.format)
        table += 1
    return found


# Members of the records: name -> (offset, bytes, format).
CHUNK_MEMBERS = members_of(chunk_members)
PLACES_MEMBERS = members_of(places_members)
ELEMENT_MEMBERS = members_of(element_members)
ROW_GROUP_MEMBERS = members_of(row_group_members)
KEY_VALUE_MEMBERS = members_of(key_value_members)
PAGE_MEMBERS = members_of(page_members)
LOCATION_MEMBERS = members_of(location_members)
# The same as one number: the member's offset, and its format in the top byte.
cdef dict _MEMBERS = {name: offset | ord(code) << 24 for name, (offset, _, code) in CHUNK_MEMBERS.items()} | {
    name: offset | IN_PLACES | ord(code) << 24 for name, (offset, _, code) in PLACES_MEMBERS.items()}
cdef uint32_t PRESENT_MIN_VALUE = wire.PRESENT_MIN_VALUE
cdef uint32_t PRESENT_MAX_VALUE = wire.PRESENT_MAX_VALUE


cdef class Numbers:
    """A copy of one member of many records; a memoryview of it contains typed numbers."""

    cdef char *values
    cdef char few[FEW_BYTES]
    cdef char format[2]
    cdef Py_ssize_t count, width

    def __dealloc__(self):
        if self.values != &self.few[0]:
            free(self.values)

    def __getbuffer__(self, Py_buffer *view, int flags):
        if flags & PyBUF_WRITABLE:
            raise BufferError("the numbers are read-only")
        view.buf = self.values
        view.obj = self
        view.len = self.count * self.width
        view.readonly = 1
        view.itemsize = self.width
        view.format = self.format if flags & PyBUF_FORMAT else NULL
        view.ndim = 1
        view.shape = &self.count if flags & PyBUF_ND else NULL
        view.strides = &self.width if flags & PyBUF_STRIDES == PyBUF_STRIDES else NULL
        view.suboffsets = NULL
        view.internal = NULL


cdef Numbers room_for(size_t count, size_t width, char code):
    """Reserve room for `count` numbers of this format."""
    cdef Numbers made = Numbers.__new__(Numbers)
    if count * width <= FEW_BYTES:
        made.values = &made.few[0]
    else:
        made.values = <char *> malloc(count * width)
        if made.values == NULL:
            raise MemoryError
    made.count, made.width = count, width
    made.format[0], made.format[1] = code, 0
    return made


cdef object numbers(const void *records, size_t count, size_t stride, size_t offset, char code):
    """Return one member of all records as a memoryview of this format; -1 for all if `records` is NULL."""
    cdef size_t width = 8 if code == c"q" else 1 if code == c"B" else 4
    cdef Numbers made = room_for(count, width, code)
    if records == NULL:
        memset(made.values, 0xff, count * width)
    elif count < WORTH_A_RELEASE:
        copy_member(made.values, <const char *> records + offset, count, stride, width)
    else:
        with nogil:
            copy_member(made.values, <const char *> records + offset, count, stride, width)
    return PyMemoryView_FromObject(made)


cdef void copy_member(char *to, const char *member, size_t count, size_t stride, size_t width) noexcept nogil:
    cdef size_t i
    if width == 8:
        for i in range(count):
            memcpy(to + 8 * i, member + i * stride, 8)
    elif width == 4:
        for i in range(count):
            memcpy(to + 4 * i, member + i * stride, 4)
    else:
        for i in range(count):
            to[i] = member[i * stride]


cdef object gather(const void *records, size_t count, size_t stride, tuple member):
    """Return one member, given as (offset, bytes, format), of all records as a memoryview."""
    cdef size_t offset = member[0]
    return numbers(records, count, stride, offset, ord(member[2]))


def begin(int64_t data_page_offset, int64_t dictionary_page_offset):
    """Return the offset of a chunk's first page; see the twin."""
    return pqx_chunk_begin(data_page_offset, dictionary_page_offset)


cdef object begins_of(const pqx_chunk *chunks, size_t count, size_t step):
    """Return `begin` of `count` chunks, at every `step`-th record, as a memoryview."""
    cdef Numbers made = room_for(count, sizeof(int64_t), c"q")
    cdef int64_t *to = <int64_t *> made.values
    cdef size_t i
    for i in range(count):
        to[i] = pqx_chunk_begin(chunks[i * step].data_page_offset, chunks[i * step].dictionary_page_offset)
    return PyMemoryView_FromObject(made)


cdef Chunks wrap(const pqx_chunk *chunks, const pqx_places *places, size_t count, size_t step, object owner,
                 object buffer, const uint8_t *start, const pqx_element *leaf):
    """Wrap `count` records, at every `step`-th position. `leaf` judges their bounds; NULL if all bounds are usable."""
    cdef Chunks made = Chunks.__new__(Chunks)
    made.chunks, made.places, made.count, made.step = chunks, places, count, step
    made.owner, made.buffer, made.start = owner, buffer, start
    made.judged = leaf != NULL
    if leaf != NULL:
        made.leaf = leaf[0]
    return made


cdef class Chunks:
    """One leaf's column chunks over row groups.

    See `parquetext._pure.chunks.Chunks` for details.
    """

    def __cinit__(self):
        self.copies = {}

    def __len__(self):
        return self.count

    @cython.always_allow_keywords(False)
    def array(self, str name):
        """Return one member of all chunks as a memoryview: ``q`` for 64 bits, ``i`` or ``I`` for 32; -1 if absent."""
        cdef uint32_t member = _MEMBERS[name]
        cdef bint of_places = member & IN_PLACES != 0
        found = self.copies.get(name)
        if found is None:
            found = self.copies.setdefault(name, numbers(
                <const void *> self.places if of_places else self.chunks, self.count,
                self.step * (sizeof(pqx_places) if of_places else sizeof(pqx_chunk)),
                member & (IN_PLACES - 1), member >> 24))
        return found

    def begins(self):
        """Return the offset of each chunk's first page, as `begin` computes it: a memoryview, ``q``."""
        found = self.copies.get("begins")
        if found is None:
            found = self.copies.setdefault("begins", begins_of(self.chunks, self.count, self.step))
        return found

    cdef int usable(self, size_t index, pqx_range *low, pqx_range *high) noexcept nogil:
        """Return the usable bounds of a chunk, and a bit for each: bit 0 is min, bit 1 is max."""
        cdef const pqx_chunk *chunk = self.chunks + index * self.step
        cdef int bits
        if self.lacks_bounds:
            low.offset = low.length = high.offset = high.length = 0
            return 0
        if self.judged:
            pqx_usable_bounds(self.start, chunk, &self.leaf, low, high, &bits)
            return bits
        low[0], high[0] = chunk.min_value, chunk.max_value
        return ((chunk.present & PRESENT_MIN_VALUE) != 0) | ((chunk.present & PRESENT_MAX_VALUE) != 0) << 1

    def bound_values(self, int bit):
        """Return the usable minima (bit 1) or maxima (bit 2): a list of bytes, None for chunks without one."""
        cdef pqx_range low, high
        cdef list values = []
        cdef size_t i
        for i in range(self.count):
            if self.usable(i, &low, &high) & bit:
                if bit != 1:
                    low = high
                values.append(PyBytes_FromStringAndSize(<const char *> self.start + low.offset, low.length))
            else:
                values.append(None)
        return values

    def bounds(self):
        """Return the usable bounds, (has, min_offset, min_length, max_offset, max_length); bit 0 of `has`: min, 1: max."""
        found = self.copies.get("bounds")
        if found is None:
            found = self.copies.setdefault("bounds", self.judge_every_bound())
        return found

    cdef tuple judge_every_bound(self):
        cdef bytes has = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> self.count)
        cdef bytes ranges = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> (16 * self.count))
        cdef char *has_start = PyBytes_AsString(has)
        cdef uint32_t *to = <uint32_t *> PyBytes_AsString(ranges)
        cdef pqx_range low, high
        cdef size_t i
        for i in range(self.count):
            has_start[i] = <char> self.usable(i, &low, &high)
            to[i], to[self.count + i] = low.offset, low.length
            to[2 * self.count + i], to[3 * self.count + i] = high.offset, high.length
        view = memoryview(ranges).cast("I")
        count = self.count
        return has, view[:count], view[count:2 * count], view[2 * count:3 * count], view[3 * count:]
