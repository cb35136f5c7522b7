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

cdef pqx_chunk _chunk
cdef pqx_places _places
cdef char *_chunk_start = <char *> &_chunk
cdef char *_places_start = <char *> &_places

# Members of the records: name -> (offset, bytes, format).
CHUNK_MEMBERS = {
    "num_values": (<char *> &_chunk.num_values - _chunk_start, 8, "q"),
    "total_uncompressed_size": (<char *> &_chunk.total_uncompressed_size - _chunk_start, 8, "q"),
    "total_compressed_size": (<char *> &_chunk.total_compressed_size - _chunk_start, 8, "q"),
    "data_page_offset": (<char *> &_chunk.data_page_offset - _chunk_start, 8, "q"),
    "dictionary_page_offset": (<char *> &_chunk.dictionary_page_offset - _chunk_start, 8, "q"),
    "null_count": (<char *> &_chunk.null_count - _chunk_start, 8, "q"),
    "distinct_count": (<char *> &_chunk.distinct_count - _chunk_start, 8, "q"),
    "chunk_offset": (<char *> &_chunk.chunk.offset - _chunk_start, 4, "I"),
    "chunk_length": (<char *> &_chunk.chunk.length - _chunk_start, 4, "I"),
    "metadata_offset": (<char *> &_chunk.metadata.offset - _chunk_start, 4, "I"),
    "metadata_length": (<char *> &_chunk.metadata.length - _chunk_start, 4, "I"),
    "statistics_offset": (<char *> &_chunk.statistics.offset - _chunk_start, 4, "I"),
    "statistics_length": (<char *> &_chunk.statistics.length - _chunk_start, 4, "I"),
    "min_value_offset": (<char *> &_chunk.min_value.offset - _chunk_start, 4, "I"),
    "min_value_length": (<char *> &_chunk.min_value.length - _chunk_start, 4, "I"),
    "max_value_offset": (<char *> &_chunk.max_value.offset - _chunk_start, 4, "I"),
    "max_value_length": (<char *> &_chunk.max_value.length - _chunk_start, 4, "I"),
    "min_offset": (<char *> &_chunk.min.offset - _chunk_start, 4, "I"),
    "min_length": (<char *> &_chunk.min.length - _chunk_start, 4, "I"),
    "max_offset": (<char *> &_chunk.max.offset - _chunk_start, 4, "I"),
    "max_length": (<char *> &_chunk.max.length - _chunk_start, 4, "I"),
    "type": (<char *> &_chunk.type - _chunk_start, 4, "i"),
    "codec": (<char *> &_chunk.codec - _chunk_start, 4, "i"),
    "present": (<char *> &_chunk.present - _chunk_start, 4, "I"),
    "encodings": (<char *> &_chunk.encodings - _chunk_start, 4, "I"),
}
PLACES_MEMBERS = {
    "index_page_offset": (<char *> &_places.index_page_offset - _places_start, 8, "q"),
    "bloom_filter_offset": (<char *> &_places.bloom_filter_offset - _places_start, 8, "q"),
    "offset_index_offset": (<char *> &_places.offset_index_offset - _places_start, 8, "q"),
    "column_index_offset": (<char *> &_places.column_index_offset - _places_start, 8, "q"),
    "bloom_filter_length": (<char *> &_places.bloom_filter_length - _places_start, 4, "i"),
    "offset_index_length": (<char *> &_places.offset_index_length - _places_start, 4, "i"),
    "column_index_length": (<char *> &_places.column_index_length - _places_start, 4, "i"),
}
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

    def __len__(self):
        return self.count

    @cython.always_allow_keywords(False)
    def array(self, str name):
        """Return one member of all chunks as a memoryview: ``q`` for 64 bits, ``i`` or ``I`` for 32; -1 if absent."""
        cdef uint32_t member = _MEMBERS[name]
        cdef bint of_places = member & IN_PLACES != 0
        return numbers(<const void *> self.places if of_places else self.chunks, self.count,
                       self.step * (sizeof(pqx_places) if of_places else sizeof(pqx_chunk)),
                       member & (IN_PLACES - 1), member >> 24)

    def begins(self):
        """Return the offset of each chunk's first page, as `begin` computes it: a memoryview, ``q``."""
        return begins_of(self.chunks, self.count, self.step)

    cdef int usable(self, size_t index, pqx_range *low, pqx_range *high) noexcept nogil:
        """Return the usable bounds of a chunk, and a bit for each: bit 0 is min, bit 1 is max."""
        cdef const pqx_chunk *chunk = self.chunks + index * self.step
        cdef int bits
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
