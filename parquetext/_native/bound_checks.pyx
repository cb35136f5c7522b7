"""Judge bounds outside the footer, such as those of a page index, by the rule for the footer's bounds."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t


from .capi cimport pqx_bytes, pqx_element, pqx_error, pqx_judge_bounds, pqx_read_leaf, exception_of

__all__ = ["judge_pairs"]


def judge_pairs(bytes thrift not None, uint8_t column_order, list minima not None, list maxima not None):
    """Judge pairs of bounds of a leaf; see the twin."""
    cdef pqx_element leaf
    cdef pqx_error error
    cdef Py_ssize_t count = len(minima), i
    if len(maxima) != count:
        raise ValueError(f"{count} minima and {len(maxima)} maxima")
    if pqx_read_leaf(<const uint8_t *> PyBytes_AsString(thrift), len(thrift), column_order, &leaf, &error):
        raise exception_of(&error)
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
