"""Short column chunks of many flat leaves as Arrow arrays; see the twin."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_scan, pqx_source, pqx_source_fd
from .scan cimport Scan
from .zstd_api cimport use_libzstd

__all__ = ["Arrays", "count_entries"]

cdef extern from "arrow/arrow_arrays.h" nogil:
    struct ArrowSchema:
        int64_t n_children
        void (*release)(ArrowSchema *)
    struct ArrowArray:
        void (*release)(ArrowArray *)
    ctypedef struct pqx_arrow_leaf:
        uint8_t form
    uint32_t pqx_arrow_plan(const pqx_scan *scan, uint64_t file_size, pqx_arrow_leaf *leaves, uint64_t *sizes)
    void pqx_arrow_choose(const pqx_scan *scan, const ArrowSchema *schema, pqx_arrow_leaf *leaves)
    uint64_t pqx_arrow_read(const pqx_source *source, const pqx_scan *scan, const pqx_arrow_leaf *leaves, uint32_t first,
                            uint32_t end, uint64_t most_bytes, ArrowArray *arrays)
    int pqx_arrow_count_entries(const ArrowSchema *schema, const ArrowArray *array, uint64_t *entries)


def count_entries(schema, array):
    """Count the entries of the leaves in lists of an array; see the twin."""
    cdef const ArrowSchema *types = <const ArrowSchema *> PyCapsule_GetPointer(schema, "arrow_schema")
    cdef const ArrowArray *values = <const ArrowArray *> PyCapsule_GetPointer(array, "arrow_array")
    cdef uint64_t entries
    return entries if pqx_arrow_count_entries(types, values, &entries) else None


cdef bint has_looked_for_zstd = False


cdef class Arrays:
    """Arrow arrays of the flat leaves of a scan, read from a local file."""

    cdef Scan scan
    cdef uint64_t file_size
    cdef uint32_t leaf_count, planned  # also stored here, because the garbage collector may clear the scan first
    cdef bint is_typed
    cdef pqx_arrow_leaf *leaves
    cdef uint64_t *sizes
    cdef ArrowArray *arrays

    def __cinit__(self, Scan scan not None, uint64_t file_size):
        cdef size_t count = <size_t> scan.result.leaf_count + 1
        global has_looked_for_zstd
        if not has_looked_for_zstd:
            use_libzstd()
            has_looked_for_zstd = True
        self.scan, self.file_size, self.leaf_count = scan, file_size, scan.result.leaf_count
        self.leaves = <pqx_arrow_leaf *> calloc(count, sizeof(pqx_arrow_leaf))
        self.sizes = <uint64_t *> calloc(count, sizeof(uint64_t))
        self.arrays = <ArrowArray *> calloc(count, sizeof(ArrowArray))
        if self.leaves == NULL or self.sizes == NULL or self.arrays == NULL:
            raise MemoryError
        with nogil:
            self.planned = pqx_arrow_plan(&scan.result, file_size, self.leaves, self.sizes)

    def __dealloc__(self):
        cdef uint32_t leaf
        if self.arrays != NULL:
            for leaf in range(self.leaf_count):
                if self.arrays[leaf].release != NULL:
                    self.arrays[leaf].release(&self.arrays[leaf])
        free(self.arrays)
        free(self.sizes)
        free(self.leaves)

    @property
    def count(self):
        return self.planned

    def type(self, schema):
        """Exclude the leaves whose arrays do not have the types of the schema's fields."""
        cdef const ArrowSchema *fields = <const ArrowSchema *> PyCapsule_GetPointer(schema, "arrow_schema")
        if not self.is_typed:
            pqx_arrow_choose(&self.scan.result, fields, self.leaves)
        self.is_typed = True

    @property
    def stored(self):
        cdef uint32_t leaf
        cdef uint64_t size = 0
        for leaf in range(self.leaf_count):
            if self.leaves[leaf].form:
                size += self.sizes[leaf]
        return size

    def parts(self, uint64_t most_bytes, uint32_t most_leaves):
        """Return the ranges of leaves to read with one call each: (first, end)."""
        cdef list found = []
        cdef uint32_t first = 0, leaf, count = self.leaf_count
        cdef uint64_t size = 0
        for leaf in range(count):
            size += self.sizes[leaf]
            if leaf > first and (size > most_bytes or leaf - first == most_leaves):
                found.append((first, leaf))
                first, size = leaf, self.sizes[leaf]
        if first < count:
            found.append((first, count))
        return found

    def read(self, int fd, uint32_t first, uint32_t end, uint64_t most_bytes):
        """Make the arrays of the leaves in ``[first, end)``; return the number of text bytes in them."""
        cdef pqx_source source = pqx_source_fd(fd, self.file_size)
        cdef uint64_t bytes
        cdef uint32_t leaf
        if not self.is_typed or first > end or end > self.leaf_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.leaf_count, end)
        for leaf in range(first, end):
            if self.arrays[leaf].release != NULL:
                raise wire_error(wire.BAD_ARGUMENT, 0, 0, leaf)
        with nogil:
            bytes = pqx_arrow_read(&source, &self.scan.result, self.leaves, first, end, most_bytes, self.arrays)
        return bytes

    def addresses(self):
        """Return the address of each leaf's array; 0 if it was not made."""
        cdef uint32_t leaf
        return [<uintptr_t> &self.arrays[leaf] if self.arrays[leaf].release != NULL else 0
                for leaf in range(self.leaf_count)]
