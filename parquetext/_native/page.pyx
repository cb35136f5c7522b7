"""Read page headers, single or of a whole column chunk, and locate the parts of a page's body; see the twin."""

from collections import namedtuple

from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ..errors import wire_error

from .capi cimport (
    pqx_error, pqx_lz4_size, pqx_page, pqx_page_counts, pqx_page_header, pqx_page_levels, pqx_page_location,
    pqx_page_locations, pqx_page_parts, pqx_page_span, pqx_page_walk,
    exception_of, view_of,
)
from .chunks cimport gather

from .chunks import LOCATION_MEMBERS, PAGE_MEMBERS

__all__ = ["PageHeader", "Pages", "header", "count_levels", "level_parts", "locations", "lz4_size", "walk"]

cdef enum:
    FEW = 16

PageHeader = namedtuple(
    "PageHeader",
    "offset header_size type compressed_size uncompressed_size num_values num_nulls num_rows encoding definition_encoding"
    " repetition_encoding definition_size repetition_size is_compressed is_sorted crc statistics",
)

cdef dict MEMBERS = PAGE_MEMBERS

cdef tuple LOCATION = tuple(LOCATION_MEMBERS.values())


cdef object header_of(const pqx_page *page):
    return PageHeader(
        page.offset, page.header_size, page.type, page.compressed_size, page.uncompressed_size, page.num_values,
        page.num_nulls, page.num_rows, page.encoding, page.definition_encoding, page.repetition_encoding,
        page.definition_size, page.repetition_size, bool(page.is_compressed), bool(page.is_sorted),
        page.crc if page.has_crc else None,
        (page.statistics.offset, page.statistics.length) if page.statistics.length else None,
    )


def header(data, size_t at=0):
    """Return the page header at ``data[at]``."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef pqx_page page
    cdef pqx_error error
    if pqx_page_header(start, view.shape[0], at, &page, &error):
        raise exception_of(&error)
    return header_of(&page)


cdef class Pages:
    """The headers of consecutive pages."""

    def __dealloc__(self):
        PyMem_Free(self.pages)

    def __len__(self):
        return self.count

    def array(self, str name not None):
        """Return one member of all headers as a memoryview: ``q``, ``i``, ``I`` or ``B``."""
        return gather(self.pages, self.count, sizeof(pqx_page), MEMBERS[name])

    def header(self, Py_ssize_t index):
        """Return the header of page `index`."""
        if not 0 <= index < <Py_ssize_t> self.count:
            raise IndexError(index)
        return header_of(self.pages + index)


def walk(data, uint64_t at=0, end=None):
    """Return the headers of the consecutive pages in ``data[at:end]``, as far as they are complete and valid."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0], capacity = FEW, count
    cdef uint64_t limit = size if end is None else end, next = at
    cdef pqx_error error
    cdef pqx_page *more
    cdef pqx_page_span span
    cdef int status
    cdef Pages made = Pages.__new__(Pages)
    span.data, span.size, span.end = start, size, limit
    made.pages = <pqx_page *> PyMem_Malloc(capacity * sizeof(pqx_page))
    if made.pages == NULL:
        raise MemoryError
    while True:
        with nogil:
            span.at = next
            status = pqx_page_walk(&span, made.pages + made.count, capacity - made.count, &count, &next, &error)
        made.count += count
        if status or made.count < capacity:
            break
        capacity *= 2
        more = <pqx_page *> PyMem_Realloc(made.pages, capacity * sizeof(pqx_page))
        if more == NULL:
            raise MemoryError
        made.pages = more
    made.end = next
    made.problem = wire_error(error.code, error.offset, error.expected, error.found) if status else None
    return made


def locations(data):
    """Return the pages of an OffsetIndex: memoryviews of offsets (``q``), sizes (``i``) and first rows (``q``)."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0], capacity = FEW, count
    cdef pqx_page_location few[FEW]
    cdef pqx_page_location *found = few
    cdef pqx_error error
    cdef int status = pqx_page_locations(start, size, found, capacity, &count, &error)
    try:
        if not status and count > capacity:
            found = <pqx_page_location *> PyMem_Malloc(count * sizeof(pqx_page_location))
            if found == NULL:
                raise MemoryError
            with nogil:
                status = pqx_page_locations(start, size, found, count, &count, &error)
        if status:
            raise exception_of(&error)
        return tuple(gather(found, count, sizeof(pqx_page_location), member) for member in LOCATION)
    finally:
        if found != few:
            PyMem_Free(found)


cdef int copy_header(object header, pqx_page *page) except -1:
    page.type, page.num_values = header.type, header.num_values
    page.definition_encoding, page.repetition_encoding = header.definition_encoding, header.repetition_encoding
    page.definition_size, page.repetition_size = header.definition_size, header.repetition_size
    return 0


def level_parts(header, body, max_definition, max_repetition):
    """Return ((start, end) of repetition levels, (start, end) of definition levels, start of values) in a body."""
    cdef const uint8_t[::1] view = view_of(body)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef pqx_page page
    cdef pqx_page_parts parts
    cdef pqx_error error
    copy_header(header, &page)
    if pqx_page_levels(&page, start, view.shape[0], max_definition, max_repetition, &parts, &error):
        raise exception_of(&error)
    return (parts.repetition, parts.repetition_end), (parts.definition, parts.definition_end), parts.values


def count_levels(header, body, uint32_t max_definition, uint32_t max_repetition):
    """Count the rows that begin in a data page, and its values, from its levels: return (rows, values)."""
    cdef const uint8_t[::1] view = view_of(body)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0]
    cdef uint64_t rows, values
    cdef pqx_page page
    cdef pqx_error error
    cdef int status
    copy_header(header, &page)
    with nogil:
        status = pqx_page_counts(&page, start, size, max_definition, max_repetition, &rows, &values, &error)
    if status:
        raise exception_of(&error)
    return rows, values


def lz4_size(data):
    """Return the decompressed size of an LZ4 block."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0]
    cdef uint64_t decompressed
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_lz4_size(start, size, &decompressed, &error)
    if status:
        raise exception_of(&error)
    return decompressed
