"""A local file that is opened to read its footer: one call opens it and reads its tail."""

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.errno cimport EISDIR, ENODATA
from libc.stdint cimport int64_t, uint8_t, uint64_t

import os

from .. import wire
from ..errors import wire_error

from .capi cimport (
    PQX_FORM_FLAT, PQX_FORM_INDEX, PQX_FORM_NONE, PQX_FORM_PACKED, PQX_FORM_PAR3, pqx_locate, pqx_location,
)
from .port_api cimport (
    PQX_IS_DIRECTORY, PyUnicode_EncodeFSDefault, pqx_close_file, pqx_file_facts, pqx_get_facts, pqx_open_file,
    pqx_read_exactly,
)

__all__ = ["LocalFile", "own_block", "read_pages"]

cdef extern from "base/pages.h" nogil:
    void *pqx_reserve(size_t size)
    void pqx_release(void *memory)


cdef class LocalFile:
    """A local file, open for reading, with its last bytes.

    See `parquetext._pure.local.LocalFile` for details.
    """

    cdef readonly int fd
    cdef readonly uint64_t size, ino
    cdef readonly int64_t mtime_ns
    cdef readonly bytes tail

    def __cinit__(self, path, size_t tail_bytes=4096):
        self.fd = -1
        cdef bytes encoded = path if type(path) is bytes else PyUnicode_EncodeFSDefault(path) if type(path) is str else os.fsencode(path)
        if b"\0" in encoded:
            raise ValueError("embedded null byte")
        cdef const char *name = encoded
        cdef pqx_file_facts facts
        cdef int failure = 0, fd
        cdef size_t count = 0
        cdef bytes tail = PyBytes_FromStringAndSize(NULL, tail_bytes)
        cdef char *into = PyBytes_AsString(tail)
        with nogil:
            fd = pqx_open_file(name)
            failure = -fd if fd < 0 else pqx_get_facts(fd, &facts)
            if not failure and facts.kind == PQX_IS_DIRECTORY:
                failure = EISDIR
            if not failure:
                count = tail_bytes if tail_bytes < facts.size else <size_t> facts.size
                failure = pqx_read_exactly(fd, facts.size - count, into, count)
        self.fd = fd
        if failure:
            self.fail(failure, path)
        self.size = facts.size
        self.ino = facts.inode
        self.mtime_ns = facts.modified
        self.tail = tail if count == tail_bytes else into[:count]

    cdef int fail(self, int failure, path) except -1:
        self.close()
        raise OSError(failure, os.strerror(failure), path)

    def read(self, uint64_t offset, size_t length):
        """Return exactly `length` bytes from `offset` on; raise OSError if the file ends before."""
        if self.fd < 0:
            raise ValueError("the file is closed")
        if offset > self.size or length > self.size - offset:
            raise wire_error(wire.IO, offset, length, ENODATA)
        cdef bytes data = PyBytes_FromStringAndSize(NULL, length)
        cdef char *into = PyBytes_AsString(data)
        cdef int fd = self.fd, failure
        with nogil:
            failure = pqx_read_exactly(fd, offset, into, length)
        if failure:
            raise wire_error(wire.IO, offset, length, failure)
        return data

    def close(self):
        """Close the file. Closing it again has no effect."""
        cdef int fd = self.fd
        if fd >= 0:
            self.fd = -1
            with nogil:
                pqx_close_file(fd)

    def __dealloc__(self):
        if self.fd >= 0:
            pqx_close_file(self.fd)

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.close()


cdef class Pages:
    """Bytes on separate memory pages."""

    cdef char *start
    cdef Py_ssize_t size

    def __dealloc__(self):
        pqx_release(self.start)

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.start, self.size, 1, flags)


def read_pages(int fd, uint64_t offset, size_t length):
    """Return a memoryview of exactly `length` bytes of an open file from `offset` on; raise OSError if it ends before.

    Meant for large ranges.
    """
    cdef Pages pages = Pages.__new__(Pages)
    cdef int failure
    pages.start = <char *> pqx_reserve(length)
    if pages.start == NULL:
        raise wire_error(wire.NO_MEMORY, 0, length, 0)
    pages.size = <Py_ssize_t> length
    with nogil:
        failure = pqx_read_exactly(fd, offset, pages.start, length)
    if failure:
        raise wire_error(wire.IO, offset, length, failure)
    return memoryview(pages)


FORMS = {
    PQX_FORM_FLAT: wire.UUID_FLAT_FOOTER.bytes,
    PQX_FORM_INDEX: wire.UUID_FOOTER_INDEX.bytes,
    PQX_FORM_PACKED: wire.UUID_PACKED_FOOTER.bytes,
    PQX_FORM_PAR3: b"PAR3",
}


def own_block(bytes tail not None, uint64_t size):
    """Find our block from the back of a file of `size` bytes that ends in `tail`.

    See `parquetext._pure.local.own_block` for details.
    """
    cdef pqx_location found
    cdef const uint8_t *data = <const uint8_t *> PyBytes_AsString(tail)
    cdef bytes known
    pqx_locate(data, len(tail), size, &found)
    if found.form == PQX_FORM_NONE:
        return None
    known = tail if found.known == data else PyBytes_FromStringAndSize(<const char *> found.known, found.known_size)
    return (FORMS[found.form], found.footer, found.thrift_length, found.payload, found.length, known, found.known_end)
