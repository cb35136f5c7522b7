"""Local sidecars, mapped up to what is committed; the last few stay mapped, for that is most of the price of opening one."""

from cpython.buffer cimport PyBuffer_FillInfo
from libc.errno cimport EINTR, errno
from libc.stdint cimport int64_t, uint8_t, uint64_t

import os

from .. import wire
from ..errors import ParquetextError, wire_error

from .capi cimport pqx_error
from .posix cimport (
    MAP_FAILED, MAP_SHARED, O_CLOEXEC, O_NONBLOCK, O_RDONLY, PROT_READ, S_ISREG, PyUnicode_EncodeFSDefault, close, fstat, geteuid,
    mmap, munmap, open, pread, stat, stat_t,
)
from .sidecar_api cimport pqx_pm_committed_size, pqx_pm_file, pqx_pm_get_footer, pqx_pm_is_of, pqx_pm_open
from .sidecar_reader cimport Reader

__all__ = ["map_file", "open_untouched", "release_mappings"]

cdef uint64_t HEADER_BYTES = wire.PM_HEADER_BYTES
cdef uint64_t SMALLEST_BYTES = wire.PM_SMALLEST_BYTES
cdef enum:
    SIZE_BYTES = 8
    MOST_KEPT = 4
    LARGEST_KEPT = 1 << 26
    SECOND = 1000000000
    # What is wrong with a file, beside an errno.
    NOT_REGULAR = -1
    NO_HEADER = -2
    NO_SIZE = -3


cdef class Mapping:
    """Bytes of a file, mapped for reading: they are always what the file has there."""

    cdef const uint8_t *start
    cdef size_t size
    cdef uint64_t device, inode

    def __dealloc__(self):
        if self.start != NULL:
            munmap(<void *> self.start, self.size)

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, <void *> self.start, <Py_ssize_t> self.size, 1, flags)


# While a file is mapped its inode is no other file's.
cdef list kept = []


def release_mappings():
    """Unmap the sidecars that are no longer in use; up to four of 64 MiB each are kept otherwise."""
    kept.clear()


cdef struct local_file:
    int fd
    stat_t facts
    uint64_t committed


cdef int open_local(const char *name, local_file *file) noexcept nogil:
    """Open a regular file; 0, an errno, or what is wrong with it. Without an error it has to be closed."""
    cdef int failure
    file.fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)   # a FIFO must not block the open
    if file.fd < 0:
        return errno
    failure = errno if fstat(file.fd, &file.facts) < 0 else 0 if S_ISREG(file.facts.st_mode) else NOT_REGULAR
    if failure:
        close(file.fd)
    return failure


cdef Mapping find_kept(local_file *file):
    """The kept mapping of an open file, if it holds all that is committed by now; None otherwise."""
    cdef Mapping found
    for found in kept:
        if found.inode == file.facts.st_ino and found.device == file.facts.st_dev:
            if file.facts.st_size < SIZE_BYTES:
                return None
            file.committed = pqx_pm_committed_size(found.start)
            if SMALLEST_BYTES <= file.committed <= found.size and file.committed <= <uint64_t> file.facts.st_size:
                return found
            kept.remove(found)
            return None
    return None


cdef int map_open(local_file *file, void **start) noexcept nogil:
    """Map what an open file's first 8 bytes say; 0, an errno, or what is wrong with it."""
    cdef ssize_t got = pread(file.fd, &file.committed, SIZE_BYTES, 0)
    while got < 0 and errno == EINTR:
        got = pread(file.fd, &file.committed, SIZE_BYTES, 0)
    if got < 0:
        return errno
    if got < SIZE_BYTES:
        return NO_HEADER
    if file.committed > <uint64_t> file.facts.st_size or file.committed < SMALLEST_BYTES:
        return NO_SIZE
    start[0] = mmap(NULL, <size_t> file.committed, PROT_READ, MAP_SHARED, file.fd, 0)
    return errno if start[0] == MAP_FAILED else 0


cdef Mapping mapped(local_file *file, int *failure):
    """The committed bytes of an open file, which is closed; None with a `failure`."""
    cdef Mapping found = find_kept(file)
    cdef void *start = NULL
    failure[0] = 0
    with nogil:
        if found is None:
            failure[0] = map_open(file, &start)
        close(file.fd)
    if found is not None or failure[0]:
        return found
    found = Mapping.__new__(Mapping)
    found.start, found.size = <const uint8_t *> start, <size_t> file.committed
    found.device, found.inode = file.facts.st_dev, file.facts.st_ino
    if found.size <= LARGEST_KEPT:
        del kept[:len(kept) - MOST_KEPT + 1]
        kept.append(found)
    return found


cdef bytes encoded(path):
    """A path as the system takes it."""
    cdef bytes name = PyUnicode_EncodeFSDefault(path) if type(path) is str else os.fsencode(path)
    if b"\0" in name:
        raise ValueError("embedded null byte")
    return name


def map_file(path):
    """The committed bytes of a local sidecar, bytes-like; they stay as they are while others append to the file.

    Parameters
    ----------
    path : str or bytes

    Raises
    ------
    OSError
        As `open` raises it, with errno and filename.
    Damaged
        The file is shorter than what it says to have committed, or that than any sidecar.
    """
    cdef bytes held = encoded(path)
    cdef const char *name = held
    cdef local_file file
    cdef Mapping found = None
    cdef int failure
    with nogil:
        failure = open_local(name, &file)
    if not failure:
        found = mapped(&file, &failure)
    if failure > 0:
        raise OSError(failure, os.strerror(failure), path)
    if failure == NOT_REGULAR:
        raise ParquetextError("not a regular file", file=os.fsdecode(path))
    if failure == NO_HEADER:
        raise wire_error(wire.PM_TRUNCATED, 0, HEADER_BYTES, file.facts.st_size).at(os.fsdecode(path))
    if failure and file.committed > <uint64_t> file.facts.st_size:
        raise wire_error(wire.PM_SIZE_BEYOND, 0, file.facts.st_size, file.committed).at(os.fsdecode(path))
    if failure:
        raise wire_error(wire.PM_SIZE_SMALL, 0, SMALLEST_BYTES, file.committed).at(os.fsdecode(path))
    return found if found.size == file.committed else memoryview(found)[:file.committed]


def open_untouched(path, sidecar):
    """A reader of a local sidecar's newest snapshot, where our note in it says that the file at `path` is untouched.

    Parameters
    ----------
    path, sidecar : str or bytes

    Returns
    -------
    Reader or None
        Its checksum is not computed. None where there is no such sidecar, or anything speaks against it: also where it
        belongs neither to the file's owner nor to this process's user.
    """
    cdef bytes path_held = encoded(path), sidecar_held = encoded(sidecar)
    cdef const char *path_name = path_held
    cdef const char *sidecar_name = sidecar_held
    cdef Reader made = Reader.__new__(Reader)
    cdef Mapping mapping
    cdef local_file file
    cdef pqx_pm_file there
    cdef stat_t facts
    cdef pqx_error error
    cdef int failure
    with nogil:
        failure = open_local(sidecar_name, &file)
    if failure:
        return None
    mapping = mapped(&file, &failure)
    if failure:
        return None
    with nogil:
        failure = (stat(path_name, &facts) < 0 or pqx_pm_open(mapping.start, file.committed, &made.pm, &error) != 0
                   or pqx_pm_get_footer(&made.pm, file.committed, &made.f, &error) != 0)
        # Somebody else's, which may lie in a folder that everybody may put files into, is for the careful way.
        failure = failure or (file.facts.st_uid != facts.st_uid and file.facts.st_uid != geteuid())
        if not failure:
            there.size, there.device, there.inode = <uint64_t> facts.st_size, facts.st_dev, facts.st_ino
            there.modified = facts.st_mtim.tv_sec * SECOND + facts.st_mtim.tv_nsec
            there.changed = facts.st_ctim.tv_sec * SECOND + facts.st_ctim.tv_nsec
            failure = not pqx_pm_is_of(&made.pm, &made.f, &there)
    if failure:
        return None
    made.hold(mapping)
    return made
