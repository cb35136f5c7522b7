"""Write the packed footer from a scan, and read it cell by cell."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from .. import wire
from ..errors import wire_error
from ..libraries import zstd_by_arrow

from .capi cimport (
    PQX_NO_MEMORY, pqx_buffer, pqx_bytes, pqx_chunk, pqx_element, pqx_error, pqx_flat_extension, pqx_packed_compress,
    pqx_packed_extension_count, pqx_packed_get_extension, pqx_packed_get_placed, pqx_packed_open, pqx_packed_to_thrift,
    pqx_packed_verify, pqx_packed_write, pqx_places, pqx_source, view_of,
)
from .chunks cimport Chunks, wrap
from .flat cimport slots_of, taken
from .index cimport PartsReader
from .reader cimport checked
from .scan cimport Scan
from .zstd_api cimport use_libzstd

__all__ = ["Reader", "to_thrift", "verify", "write"]

cdef extern from "base/internal.h" nogil:
    int pqx_buffer_append(pqx_buffer *buffer, const void *bytes, size_t size, pqx_error *error)

cdef extern from "page/zstd.h" nogil:
    void pqx_zstd_use_frames(int (*run)(const uint8_t *data, size_t size, uint8_t *out, size_t out_size) noexcept nogil)

cdef bint has_looked_for_zstd = False


cdef int by_arrow(const uint8_t *data, size_t size, uint8_t *out, size_t out_size) noexcept with gil:
    """Decompress a zstd frame with pyarrow, where libzstd is missing; return 1 if that gives `out_size` bytes."""
    try:
        found = zstd_by_arrow(data[:size], out_size)
    except Exception:  # no memory
        return 0
    if found is None:
        return 0
    memcpy(out, PyBytes_AsString(found), out_size)
    return 1


cdef class Reader(PartsReader):
    """The packed footer whose payload is [payload, payload + length).

    See `parquetext._pure.packed_read.Reader` for details.
    """

    def __cinit__(self, source, uint64_t payload, uint64_t length, known, known_end=None):
        global has_looked_for_zstd
        cdef pqx_source from_where = self.source_of(source)
        cdef pqx_error error
        cdef int status
        cdef const uint8_t[::1] view = view_of(known)
        cdef size_t size = view.shape[0]
        cdef const uint8_t *bytes_ = &view[0] if size else NULL
        cdef uint64_t end = from_where.size if known_end is None else known_end
        if not has_looked_for_zstd:
            use_libzstd()
            pqx_zstd_use_frames(by_arrow)
            has_looked_for_zstd = True
        with nogil:
            status = pqx_packed_open(&from_where, payload, length, bytes_, size, end, &self.index, &error)
        if status:
            self.fail(&error)
        self.can_skip_bounds = True
        self.opened_index()

    cdef int read_chunks(self, uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks, pqx_places *places,
                         pqx_buffer *arena, pqx_element *judge, pqx_error *error) noexcept nogil:
        if self.skips_bounds:
            return pqx_packed_get_placed(self.index, leaf, first, count, chunks, places, arena, judge, error)
        return PartsReader.read_chunks(self, leaf, first, count, chunks, places, arena, judge, error)

    def row_group_chunks(self, row_group):
        """Return the chunks of a row group without their bounds, one for each leaf."""
        cdef uint32_t number = checked(row_group, self.row_group_count), leaf, count = self.leaf_count
        cdef bytes facts = PyBytes_FromStringAndSize(NULL, count * (sizeof(pqx_chunk) + sizeof(pqx_places)))
        cdef pqx_chunk *records = <pqx_chunk *> PyBytes_AsString(facts)
        cdef pqx_places *places = <pqx_places *> (records + count)
        cdef Chunks made
        cdef pqx_error error
        cdef int status = 0
        if number >= self.row_group_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.row_group_count, number)
        self.enter()
        try:
            self.arena.size = 0
            with nogil:
                for leaf in range(count):
                    status = pqx_packed_get_placed(self.index, leaf, number, 1, records + leaf, places + leaf,
                                                   &self.arena, NULL, &error)
                    if status:
                        break
            if status:
                self.fail(&error)
        finally:
            self.leave()
        made = wrap(records, places, count, 1, facts, b"", NULL, NULL)
        made.lacks_bounds = True
        return made

    def extensions(self):
        """Return the UUID and the content's length of each extension slot, ascending."""
        cdef uint32_t i
        cdef uint8_t uuid[16]
        cdef pqx_bytes data
        cdef pqx_error error
        found = []
        self.enter()
        try:
            for i in range(pqx_packed_extension_count(self.index)):
                if pqx_packed_get_extension(self.index, i, uuid, &data, &error):
                    self.fail(&error)
                found.append((<bytes> uuid[:16], data.size))
            return found
        finally:
            self.leave()

    def extension(self, index):
        """Return the content of an extension slot."""
        cdef uint8_t uuid[16]
        cdef pqx_bytes data
        cdef pqx_error error
        self.enter()
        try:
            if not 0 <= index < pqx_packed_extension_count(self.index):
                raise wire_error(wire.BAD_ARGUMENT, 0, pqx_packed_extension_count(self.index), index)
            if pqx_packed_get_extension(self.index, index, uuid, &data, &error):
                self.fail(&error)
            return <bytes> data.data[:data.size]
        finally:
            self.leave()


cdef class Compression:
    """A Python function that compresses, and the exception that it raised."""

    cdef object function, failure


cdef int run(void *context, pqx_bytes data, pqx_buffer *out, pqx_error *error) noexcept with gil:
    cdef Compression compression = <Compression> context
    cdef bytes frame
    try:
        frame = compression.function(<bytes> data.data[:data.size])
        return pqx_buffer_append(out, PyBytes_AsString(frame), PyBytes_Size(frame), error)
    except BaseException as failure:
        compression.failure = failure
        error.code = PQX_NO_MEMORY
        return PQX_NO_MEMORY


def write(Scan scan not None, compress=None, extensions=()):
    """Return the packed payload for a scanned footer, without the trailer.

    See `parquetext._pure.packed_write.write` for details.
    """
    cdef Compression compression = Compression()
    cdef pqx_packed_compress given
    cdef pqx_packed_compress *chosen = NULL
    cdef pqx_buffer out
    cdef pqx_error error
    cdef int status
    cdef const uint8_t *footer = scan.start
    cdef size_t size = scan.view.shape[0]
    cdef list slots = [(bytes(uuid), bytes(data)) for uuid, data in extensions]
    cdef uint32_t count = len(slots)
    if compress is not None:
        compression.function = compress
        given.run = run
        given.context = <void *> compression
        chosen = &given
    cdef pqx_flat_extension *in_slots = slots_of(slots)
    out.data, out.size, out.capacity = NULL, 0, 0
    with nogil:
        status = pqx_packed_write(footer, size, &scan.result, chosen, in_slots, count, &out, &error)
    free(in_slots)
    try:
        return taken(&out, status, &error)
    except Exception:
        if compression.failure is not None:
            raise compression.failure from None
        raise


def to_thrift(Reader reader not None):
    """Return the Thrift FileMetaData from which a payload was written, byte for byte, without its extension.

    See `parquetext._pure.packed_thrift.to_thrift` for details.
    """
    cdef pqx_buffer out
    cdef pqx_error error
    cdef int status
    out.data, out.size, out.capacity = NULL, 0, 0
    reader.enter()
    try:
        with nogil:
            status = pqx_packed_to_thrift(reader.index, &out, &error)
        if status and reader.failure is not None:
            reader.fail(&error)
        return taken(&out, status, &error)
    finally:
        reader.leave()


def verify(Reader reader not None):
    """Check each cell of a payload.

    See `parquetext._pure.packed_thrift.verify` for details.
    """
    cdef pqx_error error
    cdef int status
    reader.enter()
    try:
        with nogil:
            status = pqx_packed_verify(reader.index, &error)
        if status:
            reader.fail(&error)
    finally:
        reader.leave()
