"""A local file opened for its footer: one call opens it and reads its tail."""

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.errno cimport EINTR, EISDIR, errno
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

import os

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_crc32
from .posix cimport (
    O_CLOEXEC, O_NONBLOCK, O_RDONLY, S_ISDIR, PyUnicode_EncodeFSDefault, close, fstat, open, pread, stat_t,
)

__all__ = ["LocalFile", "own_block", "read_pages"]

cdef extern from "pages.h" nogil:
    void *pqx_reserve(size_t size)
    void pqx_release(void *memory)

cdef enum:
    ENODATA = 61
    TRAILER = 28
    PAR3_TRAILER = 16


cdef int read_at(int fd, uint64_t offset, size_t length, char *into) noexcept nogil:
    """Read exactly `length` bytes; 0 or an errno."""
    cdef ssize_t got
    while length:
        got = pread(fd, into, length, <int64_t> offset)
        if got < 0:
            if errno == EINTR:
                continue
            return errno
        if got == 0:
            return ENODATA
        into += got
        offset += got
        length -= got
    return 0


cdef class LocalFile:
    """A local file, open for reading, with its last bytes.

    Parameters
    ----------
    path : str or bytes
    tail_bytes : int
        How many of the file's last bytes to read at once.

    Attributes
    ----------
    fd : int
        The file descriptor; -1 once closed.
    size : int
        The file's bytes when it was opened.
    tail : bytes
        The last ones.
    mtime_ns, ino : int
        Its modification time and inode number.

    Raises
    ------
    OSError
        As `open` raises it, with errno and filename.
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
        cdef stat_t facts
        cdef int failure = 0, fd
        cdef size_t count = 0
        cdef bytes tail = PyBytes_FromStringAndSize(NULL, tail_bytes)
        cdef char *into = PyBytes_AsString(tail)
        with nogil:
            fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)   # a FIFO must not block the open
            if fd < 0 or fstat(fd, &facts) < 0:
                failure = errno
            elif S_ISDIR(facts.st_mode):
                failure = EISDIR
            else:
                count = tail_bytes if tail_bytes < <uint64_t> facts.st_size else facts.st_size
                failure = read_at(fd, facts.st_size - count, count, into)
        self.fd = fd
        if failure:
            self.fail(failure, path)
        self.size = facts.st_size
        self.ino = facts.st_ino
        self.mtime_ns = facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec
        self.tail = tail if count == tail_bytes else into[:count]

    cdef int fail(self, int failure, path) except -1:
        self.close()
        raise OSError(failure, os.strerror(failure), path)

    def read(self, uint64_t offset, size_t length):
        """Exactly `length` bytes from `offset` on; OSError where the file ends before."""
        if self.fd < 0:
            raise ValueError("the file is closed")
        if offset > self.size or length > self.size - offset:
            raise wire_error(wire.IO, offset, length, ENODATA)
        cdef bytes data = PyBytes_FromStringAndSize(NULL, length)
        cdef char *into = PyBytes_AsString(data)
        cdef int fd = self.fd, failure
        with nogil:
            failure = read_at(fd, offset, length, into)
        if failure:
            raise wire_error(wire.IO, offset, length, failure)
        return data

    def close(self):
        """Close the file; closing it again does nothing."""
        cdef int fd = self.fd
        if fd >= 0:
            self.fd = -1
            with nogil:
                close(fd)

    def __dealloc__(self):
        if self.fd >= 0:
            close(self.fd)

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.close()


cdef class Pages:
    """Bytes on pages of their own."""

    cdef char *start
    cdef Py_ssize_t size

    def __dealloc__(self):
        pqx_release(self.start)

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.start, self.size, 1, flags)


def read_pages(int fd, uint64_t offset, size_t length):
    """Exactly `length` bytes from `offset` of an open file, as a memoryview: for what is large. OSError where it ends before."""
    cdef Pages pages = Pages.__new__(Pages)
    cdef int failure
    pages.start = <char *> pqx_reserve(length)
    if pages.start == NULL:
        raise wire_error(wire.NO_MEMORY, 0, length, 0)
    pages.size = <Py_ssize_t> length
    with nogil:
        failure = read_at(fd, offset, length, pages.start)
    if failure:
        raise wire_error(wire.IO, offset, length, failure)
    return memoryview(pages)


cdef bytes FLAT_FOOTER = wire.UUID_FLAT_FOOTER.bytes
cdef bytes FOOTER_INDEX = wire.UUID_FOOTER_INDEX.bytes


def own_block(bytes tail not None, uint64_t size):
    """Find our block from the back of a file of `size` bytes that ends in `tail`.

    In a Thrift footer, foreign blocks stacked on top of it are stepped over by their trailers, whose size checksums
    must hold; a flat footer in a PAR3 file stands alone. Nothing of the payload is looked at.

    Returns
    -------
    (str, int, int, int) or None
        ``"flat"``, ``"index"`` or ``"par3"``; where the Thrift footer (of PAR3: the payload) and where the payload
        begins in the file; the payload's length. None where `tail` shows none.
    """
    cdef const uint8_t *data = <const uint8_t *> PyBytes_AsString(tail)
    cdef const uint8_t *flat = <const uint8_t *> PyBytes_AsString(FLAT_FOOTER)
    cdef const uint8_t *index = <const uint8_t *> PyBytes_AsString(FOOTER_INDEX)
    cdef const uint8_t *trailer
    cdef uint64_t held = len(tail), footer, begin, end
    cdef uint32_t length, crc
    if held < 9 or held > size:
        return None
    if memcmp(data + held - 4, b"PAR3", 4) == 0:
        if held < PAR3_TRAILER:
            return None
        memcpy(&length, data + held - 12, 4)
        memcpy(&crc, data + held - 8, 4)
        if pqx_crc32(0, data + held - 12, 4) != crc or size < PAR3_TRAILER + 4 or length > size - PAR3_TRAILER - 4:
            return None
        return "par3", size - PAR3_TRAILER - length, size - PAR3_TRAILER - length, length
    if memcmp(data + held - 4, b"PAR1", 4) != 0:
        return None
    memcpy(&length, data + held - 8, 4)
    if length > size - 8:
        return None
    footer = size - 8 - length
    begin = size - held
    if length < 1 or data[held - 9] != 0:
        return None
    end = size - 9
    while end >= footer and end - footer > TRAILER and end >= begin and end - begin >= TRAILER:
        trailer = data + (end - begin) - TRAILER
        memcpy(&length, trailer + 4, 4)
        memcpy(&crc, trailer + 8, 4)
        if pqx_crc32(0, trailer + 4, 4) != crc or length >= end - TRAILER - footer:
            return None
        if memcmp(trailer + 12, flat, 16) == 0:
            return "flat", footer, end - TRAILER - length, length
        if memcmp(trailer + 12, index, 16) == 0:
            return "index", footer, end - TRAILER - length, length
        end -= TRAILER + length
    return None
