"""Judge bounds outside the footer, such as those of a page index, by the rule for the footer's bounds."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t

from .capi cimport (
    pqx_bytes, pqx_element, pqx_error, pqx_judge_bounds, pqx_page_numbers, pqx_page_numbers_read,
    pqx_page_numbers_width, pqx_read_leaf, exception_of,
)

__all__ = ["judge_pairs", "page_numbers"]


cdef int read_leaf(bytes thrift, uint8_t column_order, pqx_element *leaf) except -1:
    cdef pqx_error error
    if pqx_read_leaf(<const uint8_t *> PyBytes_AsString(thrift), len(thrift), column_order, leaf, &error):
        raise exception_of(&error)
    return 0


def judge_pairs(bytes thrift not None, uint8_t column_order, list minima not None, list maxima not None):
    """Judge pairs of bounds of a leaf; see the twin."""
    cdef pqx_element leaf
    cdef Py_ssize_t count = len(minima), i
    if len(maxima) != count:
        raise ValueError(f"{count} minima and {len(maxima)} maxima")
    read_leaf(thrift, column_order, &leaf)
    cdef bytes made = PyBytes_FromStringAndSize(NULL, count)
    cdef char *out = PyBytes_AsString(made)
    for i in range(count):
        out[i] = <char> pqx_judge_bounds(&leaf, bytes_of(minima[i]), bytes_of(maxima[i]))
    return made


cdef pqx_bytes bytes_of(object value) except *:
    """Return the bytes of a bound; NULL if it is absent."""
    cdef pqx_bytes found = pqx_bytes(NULL, 0)
    if value is not None:
        found.data, found.size = <const uint8_t *> PyBytes_AsString(value), len(value)
    return found


def page_numbers(
    bytes thrift not None, uint8_t column_order, bytes index not None, uint32_t pages, bytes minimum, bytes maximum, *,
    bint has_minimum, bint has_maximum,
):
    """Return the bounds of pages of numbers in a ColumnIndex; see the twin."""
    cdef pqx_element leaf
    read_leaf(thrift, column_order, &leaf)
    cdef Py_ssize_t width = pqx_page_numbers_width(&leaf), size = len(index)
    if not width or pages > size or any([end is not None and len(end) != width for end in (minimum, maximum)]):
        return None
    cdef pqx_page_numbers given = pqx_page_numbers(
        &leaf, pages, bytes_of(minimum).data, bytes_of(maximum).data, has_minimum, has_maximum
    )
    cdef bytes minima = PyBytes_FromStringAndSize(NULL, pages * width)
    cdef bytes maxima = PyBytes_FromStringAndSize(NULL, pages * width)
    cdef const uint8_t *data = bytes_of(index).data
    cdef uint8_t *low = <uint8_t *> PyBytes_AsString(minima)
    cdef uint8_t *high = <uint8_t *> PyBytes_AsString(maxima)
    cdef int is_usual
    with nogil:
        is_usual = pqx_page_numbers_read(&given, data, size, low, high)
    return (minima, maxima) if is_usual else None
