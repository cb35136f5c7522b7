"""Map our local sidecars up to their committed size, and read others. The last few stay mapped: mapping costs most.

If a file becomes shorter while it is mapped, access to it ends the process. Our sidecars never become shorter; sidecars
of other software might, so they are read.
"""

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

import os

from .. import wire
from ..errors import ParquetextError, wire_error

from .capi cimport pqx_error
from .port_api cimport (
    ENOTSUP, PQX_IS_REGULAR, PyUnicode_EncodeFSDefault, pqx_close_file, pqx_file_facts, pqx_get_facts,
    pqx_get_facts_of_path, pqx_get_user, pqx_map_file, pqx_open_file, pqx_read_at, pqx_unmap_file,
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
    # Failures other than an errno.
    NOT_REGULAR = -1
    NO_HEADER = -2
    NO_SIZE = -3
    FOREIGN = -4  # not a failure: the file is read instead

# Positions of our notes at a sidecar's end: the note of its file, optionally followed by the note with checksums.
cdef uint64_t NOTE_HEAD = 8
cdef uint64_t NOTED_LENGTH = wire.PM_ORIGIN_FOOTER_LENGTH
cdef uint64_t PLANNED_LENGTH = wire.PM_FOOTER_PARQUET_FOOTER_LENGTH
cdef uint64_t TRAILER_BYTES = wire.PM_TRAILER_BYTES
cdef uint64_t BEHIND_NOTES = wire.PM_CHECKSUM_BYTES + wire.PM_TRAILER_BYTES
cdef uint64_t SUMS_BYTES = wire.PM_SUMS_BYTES
cdef uint64_t SUMS_COLUMNS = wire.PM_SUMS_COLUMN_COUNT
cdef uint32_t ORIGIN_HEAD[2]
ORIGIN_HEAD[:] = [wire.PM_ORIGIN_CODE, wire.PM_ORIGIN_BYTES]
cdef uint32_t SUMS_CODE = wire.PM_SUMS_CODE


cdef class Mapping:
    """Bytes of a file, mapped for reading. They always have the file's current content."""

    cdef const uint8_t *start
    cdef size_t size
    cdef uint64_t device, inode

    def __dealloc__(self):
        if self.start != NULL:
            pqx_unmap_file(self.start, self.size)

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, <void *> self.start, <Py_ssize_t> self.size, 1, flags)


# While a file is mapped, no other file has its inode.
cdef list kept = []


def release_mappings():
    """Unmap the sidecars that are no longer in use. Otherwise, up to four of at most 64 MiB each are kept."""
    kept.clear()


cdef struct local_file:
    int fd
    pqx_file_facts facts
    uint64_t committed


cdef int open_local(const char *name, local_file *file) noexcept nogil:
    """Open a regular file; return 0, an errno, or another failure. If it returns 0, the caller closes the file."""
    cdef int failure
    file.fd = pqx_open_file(name)
    if file.fd < 0:
        return -file.fd
    failure = pqx_get_facts(file.fd, &file.facts)
    if not failure and file.facts.kind != PQX_IS_REGULAR:
        failure = NOT_REGULAR
    if failure:
        pqx_close_file(file.fd)
    return failure


cdef Mapping find_kept(local_file *file):
    """Return the kept mapping of an open file if it contains all bytes committed by now; otherwise None."""
    cdef Mapping found
    for found in kept:
        if found.inode == file.facts.inode and found.device == file.facts.device:
            if file.facts.size < SIZE_BYTES:
                return None
            file.committed = pqx_pm_committed_size(found.start)
            if SMALLEST_BYTES <= file.committed <= found.size and file.committed <= file.facts.size:
                return found
            kept.remove(found)
            return None
    return None


cdef bint is_origin(local_file *file, uint64_t behind) noexcept nogil:
    """Return True if our note of the sidecar's file ends `behind` bytes before the end, and is of this commit.

    Other software copies the note into commits for other Parquet footers.
    """
    cdef uint32_t head[2]
    cdef uint32_t length = 0, noted = 0, planned = 0
    cdef uint64_t from_end = behind + NOTE_HEAD + ORIGIN_HEAD[1], at = file.committed - from_end
    if file.committed < from_end or pqx_read_at(file.fd, at, head, sizeof(head)) != sizeof(head):
        return False
    if head[0] != ORIGIN_HEAD[0] or head[1] != ORIGIN_HEAD[1]:
        return False
    if pqx_read_at(file.fd, at + NOTE_HEAD + NOTED_LENGTH, &noted, 4) != 4:
        return False
    if pqx_read_at(file.fd, file.committed - TRAILER_BYTES, &length, 4) != 4 or length > file.committed - TRAILER_BYTES:
        return False
    at = file.committed - TRAILER_BYTES - length + PLANNED_LENGTH
    return pqx_read_at(file.fd, at, &planned, 4) == 4 and planned == noted


cdef bint is_ours(local_file *file) noexcept nogil:
    """Return True if a sidecar ends like those that we write."""
    cdef uint32_t columns = 0, code = 0
    cdef uint64_t sums = BEHIND_NOTES + SUMS_BYTES
    if is_origin(file, BEHIND_NOTES):
        return True
    if file.committed < sums or pqx_read_at(file.fd, file.committed - sums + SUMS_COLUMNS, &columns, 4) != 4:
        return False
    sums += NOTE_HEAD + 4 * <uint64_t> columns
    if file.committed < sums or pqx_read_at(file.fd, file.committed - sums, &code, 4) != 4 or code != SUMS_CODE:
        return False
    return is_origin(file, sums)


cdef int map_open(local_file *file, const uint8_t **start) noexcept nogil:
    """Map an open file up to the size in its first 8 bytes; return 0, an errno, or another failure."""
    cdef int64_t got = pqx_read_at(file.fd, 0, &file.committed, SIZE_BYTES)
    if got < 0:
        return <int> -got
    if got < SIZE_BYTES:
        return NO_HEADER
    if file.committed > file.facts.size or file.committed < SMALLEST_BYTES:
        return NO_SIZE
    if not is_ours(file):
        return FOREIGN
    cdef int failure = pqx_map_file(file.fd, <size_t> file.committed, start)
    return FOREIGN if failure == ENOTSUP else failure


cdef bytes read_whole(local_file *file, int *failure):
    """Read the committed bytes of an open file; return None with a `failure`."""
    cdef bytes found = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> file.committed)
    cdef char *into = PyBytes_AsString(found)
    cdef int64_t got
    with nogil:
        got = pqx_read_at(file.fd, 0, into, <size_t> file.committed)
    failure[0] = <int> -got if got < 0 else 0
    if 0 <= got and <uint64_t> got < file.committed:
        file.facts.size = <uint64_t> got
        failure[0] = NO_SIZE
    return found if not failure[0] else None


cdef Mapping mapped(local_file *file, int *failure):
    """Map the committed bytes of one of our files that is open; return None with a `failure`."""
    cdef Mapping found = find_kept(file)
    cdef const uint8_t *start = NULL
    failure[0] = 0
    if found is not None:
        return found
    with nogil:
        failure[0] = map_open(file, &start)
    if failure[0]:
        return None
    found = Mapping.__new__(Mapping)
    found.start, found.size = start, <size_t> file.committed
    found.device, found.inode = file.facts.device, file.facts.inode
    if found.size <= LARGEST_KEPT:
        del kept[:len(kept) - MOST_KEPT + 1]
        kept.append(found)
    return found


cdef bytes encoded(path):
    """Encode a path for the system."""
    cdef bytes name = PyUnicode_EncodeFSDefault(path) if type(path) is str else os.fsencode(path)
    if b"\0" in name:
        raise ValueError("embedded null byte")
    return name


def map_file(path):
    """Return the committed bytes of a local sidecar. They do not change while others append to the file.

    See `parquetext._pure.sidecar_file.map_file` for details.
    """
    cdef bytes held = encoded(path)
    cdef const char *name = held
    cdef local_file file
    cdef Mapping found = None
    cdef bytes content = None
    cdef int failure
    with nogil:
        failure = open_local(name, &file)
    if not failure:
        try:
            found = mapped(&file, &failure)
            if failure == FOREIGN:
                content = read_whole(&file, &failure)
        finally:
            pqx_close_file(file.fd)
    if failure > 0:
        raise OSError(failure, os.strerror(failure), path)
    if failure == NOT_REGULAR:
        raise ParquetextError("not a regular file", file=os.fsdecode(path))
    if failure == NO_HEADER:
        raise wire_error(wire.PM_TRUNCATED, 0, HEADER_BYTES, file.facts.size).at(os.fsdecode(path))
    if failure and file.committed > file.facts.size:
        raise wire_error(wire.PM_SIZE_BEYOND, 0, file.facts.size, file.committed).at(os.fsdecode(path))
    if failure:
        raise wire_error(wire.PM_SIZE_SMALL, 0, SMALLEST_BYTES, file.committed).at(os.fsdecode(path))
    if content is not None:
        return content
    return found if found.size == file.committed else memoryview(found)[:file.committed]


def open_untouched(path, sidecar):
    """Return a reader of a local sidecar's newest snapshot if our note shows that the file at `path` is unchanged.

    See `parquetext._pure.sidecar_file.open_untouched` for details.
    """
    cdef bytes path_held = encoded(path), sidecar_held = encoded(sidecar)
    cdef const char *path_name = path_held
    cdef const char *sidecar_name = sidecar_held
    cdef Reader made = Reader.__new__(Reader)
    cdef Mapping mapping
    cdef local_file file
    cdef pqx_pm_file there
    cdef pqx_file_facts facts
    cdef pqx_error error
    cdef int failure
    with nogil:
        failure = open_local(sidecar_name, &file)
    if failure:
        return None
    try:
        mapping = mapped(&file, &failure)
    finally:
        pqx_close_file(file.fd)
    if failure:
        return None
    with nogil:
        failure = (pqx_get_facts_of_path(path_name, &facts) != 0 or pqx_pm_open(mapping.start, file.committed, &made.pm, &error) != 0
                   or pqx_pm_get_footer(&made.pm, file.committed, &made.f, &error) != 0)
        # Another user's sidecar, perhaps in a folder that all users can write to, is left to the careful path.
        failure = failure or (file.facts.owner != facts.owner and file.facts.owner != pqx_get_user())
        if not failure:
            there.size, there.device, there.inode = facts.size, facts.device, facts.inode
            there.modified, there.changed = facts.modified, facts.changed
            failure = not pqx_pm_is_of(&made.pm, &made.f, &there)
    if failure:
        return None
    made.hold(mapping)
    return made
