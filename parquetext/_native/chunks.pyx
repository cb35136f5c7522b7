"""One leaf's column chunks over row groups, whatever the footer's form."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

from .. import wire

from .capi cimport pqx_chunk, pqx_element, pqx_places, pqx_range, pqx_usable_bounds

__all__ = ["Chunks"]

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
cdef uint32_t PRESENT_MIN_VALUE = wire.PRESENT_MIN_VALUE
cdef uint32_t PRESENT_MAX_VALUE = wire.PRESENT_MAX_VALUE


cdef object gather(const void *records, size_t count, size_t stride, tuple member):
    """One member of all records as a memoryview; of absent records (NULL) -1 each."""
    cdef size_t offset, width, i
    offset, width, code = member
    if records == NULL:
        return memoryview(b"\xff" * (count * width)).cast(code)
    cdef bytes values = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> (count * width))
    cdef char *to = PyBytes_AsString(values)
    cdef const char *source = <const char *> records + offset
    with nogil:
        if width == 8:
            for i in range(count):
                memcpy(to + 8 * i, source + i * stride, 8)
        elif width == 4:
            for i in range(count):
                memcpy(to + 4 * i, source + i * stride, 4)
        else:
            for i in range(count):
                to[i] = source[i * stride]
    return memoryview(values).cast(code)


cdef Chunks wrap(const pqx_chunk *chunks, const pqx_places *places, size_t count, size_t step, object owner,
                 object buffer, const uint8_t *start, const pqx_element *leaf):
    """`count` records, each `step` behind the last; `leaf` judges their bounds, NULL where they are usable as they are."""
    cdef Chunks made = Chunks.__new__(Chunks)
    made.chunks, made.places, made.count, made.step = chunks, places, count, step
    made.owner, made.buffer, made.start = owner, buffer, start
    made.judged = leaf != NULL
    if leaf != NULL:
        made.leaf = leaf[0]
    return made


cdef class Chunks:
    """One leaf's column chunks over row groups.

    Attributes
    ----------
    buffer : bytes-like
        What the ranges of the records count from.
    """

    def __len__(self):
        return self.count

    def array(self, str name):
        """One member of all chunks as a memoryview: ``q`` for 64 bits, ``i`` or ``I`` for 32; -1 where absent."""
        member = CHUNK_MEMBERS.get(name)
        if member is not None:
            return gather(self.chunks, self.count, self.step * sizeof(pqx_chunk), member)
        return gather(self.places, self.count, self.step * sizeof(pqx_places), PLACES_MEMBERS[name])

    def bounds(self):
        """The usable bounds: (has, min_offset, min_length, max_offset, max_length); bit 0 of `has` is min, bit 1 max."""
        cdef bytes has = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> self.count)
        cdef bytes ranges = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> (16 * self.count))
        cdef char *has_start = PyBytes_AsString(has)
        cdef uint32_t *to = <uint32_t *> PyBytes_AsString(ranges)
        cdef const pqx_chunk *chunk
        cdef pqx_range low, high
        cdef int bits
        cdef size_t i
        for i in range(self.count):
            chunk = self.chunks + i * self.step
            if self.judged:
                pqx_usable_bounds(self.start, chunk, &self.leaf, &low, &high, &bits)
            else:
                low, high = chunk.min_value, chunk.max_value
                bits = ((chunk.present & PRESENT_MIN_VALUE) != 0) | ((chunk.present & PRESENT_MAX_VALUE) != 0) << 1
            has_start[i] = <char> bits
            to[i], to[self.count + i] = low.offset, low.length
            to[2 * self.count + i], to[3 * self.count + i] = high.offset, high.length
        view = memoryview(ranges).cast("I")
        count = self.count
        return has, view[:count], view[count:2 * count], view[2 * count:3 * count], view[3 * count:]
