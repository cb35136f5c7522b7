"""The data pages of a column chunk: their places in the file, and their first rows; see the twin."""

from libc.stdint cimport uint8_t, uint64_t

from .capi cimport pqx_error, pqx_page_location, pqx_source, pqx_source_fd, exception_of, view_of
from .chunks cimport Chunks, gather
from .column_api cimport (
    pqx_page_table, pqx_page_table_free, pqx_page_table_load, pqx_page_table_parse, pqx_page_table_walk,
)

from .chunks import LOCATION_MEMBERS

__all__ = ["PageTable", "load", "parse", "walk"]

cdef dict MEMBERS = LOCATION_MEMBERS


cdef class PageTable:
    """The data pages of a chunk."""

    def __dealloc__(self):
        pqx_page_table_free(&self.table)

    def __len__(self):
        return self.table.count

    @property
    def begin(self):
        return self.table.begin

    @property
    def end(self):
        return self.table.end

    @property
    def rows(self):
        return self.table.rows

    def array(self, str name not None):
        """Return the ``"offset"``, ``"size"`` or ``"first_row"`` of all pages as a memoryview."""
        return gather(self.table.pages, self.table.count, sizeof(pqx_page_location), MEMBERS[name])


cdef PageTable empty(uint64_t begin, uint64_t end, uint64_t rows):
    cdef PageTable made = PageTable.__new__(PageTable)
    made.table.begin, made.table.end, made.table.rows = begin, max(begin, end), rows
    return made


def parse(data, uint64_t begin, uint64_t end, uint64_t rows):
    """Return the pages of an OffsetIndex; see the twin."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0]
    cdef PageTable made = empty(begin, end, rows)
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_page_table_parse(&made.table, start, size, &error)
    if status:
        raise exception_of(&error)
    return made


def load(int fd, uint64_t file_size, Chunks chunks not None, size_t number, uint64_t rows):
    """Return the pages of a chunk by its OffsetIndex in a local file, None if it is unusable; see the twin."""
    if number >= chunks.count:
        raise IndexError(f"chunk {number} of {chunks.count}")
    if chunks.places == NULL:
        return None
    cdef size_t record = number * chunks.step
    cdef pqx_source source = pqx_source_fd(fd, file_size)
    cdef PageTable made = PageTable.__new__(PageTable)
    cdef bint is_read
    with nogil:
        is_read = pqx_page_table_load(
            &made.table, &source, chunks.chunks + record, chunks.places + record, rows
        )
    return made if is_read else None


def walk(int fd, uint64_t file_size, uint64_t begin, uint64_t end, uint64_t rows):
    """Return the pages of a chunk by their headers; see the twin."""
    cdef pqx_source source = pqx_source_fd(fd, file_size)
    cdef PageTable made = empty(begin, min(end, file_size), rows)
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_page_table_walk(&made.table, &source, &error)
    if status:
        raise exception_of(&error)
    return made
