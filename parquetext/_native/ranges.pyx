"""Ranges of values: which values of a leaf a filter accepts; see the twin."""

from array import array

from cpython.bytes cimport PyBytes_AsString
from libc.stdint cimport uint8_t, uint64_t

from .. import wire

from .capi cimport pqx_error, exception_of
from .column_api cimport pqx_ranges_check

__all__ = ["Ranges"]


cdef class Ranges:
    """Ranges of a type, ascending and apart."""

    def __init__(self, int type, bounds, *, int bits=32, bint is_unsigned=False, bint has_nan=False):
        cdef pqx_error error
        cdef bint is_text = type == wire.PHYSICAL_BYTE_ARRAY
        cdef const uint64_t[::1] numbers
        cdef bytes joined = b""
        flat = [bound for pair in bounds for bound in pair]
        self.ranges.type, self.ranges.bits = type, <uint8_t> bits if 0 <= bits < 256 else 0
        self.ranges.is_unsigned, self.ranges.has_nan, self.ranges.count = is_unsigned, has_nan, len(flat) // 2
        if is_text:
            self.ranges.is_open = len(flat) > 0 and flat[-1] is None
            if self.ranges.is_open:
                flat[-1] = b""
            joined = b"".join(flat)
            ends = array("Q", [0])
            for bound in flat:
                ends.append(ends[-1] + len(bound))
            numbers = ends
            self.ranges.offsets, self.ranges.bytes = &numbers[0], <const uint8_t *> PyBytes_AsString(joined)
        else:
            numbers = array("Q", flat or [0])
            self.ranges.keys = &numbers[0]
        self.held = numbers, joined
        if pqx_ranges_check(&self.ranges, &error):
            raise exception_of(&error)

    @property
    def type(self):
        return self.ranges.type
