"""Many small local files that have the schema of a first one; see the twin."""

from array import array

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_chunk, pqx_range, pqx_scan, pqx_usable_bounds
from .column_api cimport pqx_ranges
from .ranges cimport Ranges
from .scan cimport Scan
from .zstd_api cimport use_libzstd

__all__ = ["AND", "OR", "SmallFiles"]

AND, OR = -1, -2

cdef extern from "footer/small_rows.h" nogil:
    struct ArrowSchema:
        pass
    struct ArrowArray:
        void (*release)(ArrowArray *)
    ctypedef struct pqx_small_file:
        const uint8_t *footer
        const pqx_scan *scan
    ctypedef struct pqx_small_test:
        uint32_t leaf
        uint8_t accepts_null
        const pqx_ranges *ranges
    ctypedef struct pqx_small_filter:
        const pqx_small_test *tests
        size_t count
        const int32_t *steps
        size_t step_count
    int pqx_small_file_open(const char *path, uint64_t most_bytes, const uint8_t *first_footer, const pqx_scan *first,
                            pqx_small_file *file)
    void pqx_small_file_close(pqx_small_file *file)
    bint pqx_small_filter_is_valid(const pqx_small_filter *filter, uint32_t leaf_count)
    int pqx_small_rows(const pqx_small_file **files, size_t file_count, const ArrowSchema *schema, const uint32_t *leaves,
                       size_t count, const pqx_small_filter *filter, uint64_t *rows, int *is_filtered,
                       ArrowArray *arrays)


cdef class SmallRows:
    """The arrays of rows; they are released with the object unless they are imported."""

    cdef ArrowArray *arrays
    cdef size_t count
    cdef readonly bint is_filtered
    cdef readonly list counts

    def __dealloc__(self):
        cdef size_t i
        for i in range(self.count):
            if self.arrays[i].release != NULL:
                self.arrays[i].release(&self.arrays[i])
        free(self.arrays)

    @property
    def addresses(self):
        cdef size_t i
        return [<uintptr_t> &self.arrays[i] for i in range(self.count)]


cdef class SmallFilter:
    """Comparisons of leaves with ranges, joined in postfix order."""

    cdef pqx_small_filter filter
    cdef pqx_small_test *tests
    cdef object held  # the ranges, and the steps

    def __cinit__(self, tests, steps, uint32_t leaf_count):
        cdef Ranges ranges
        cdef size_t i, count = <size_t> len(tests)
        cdef const int32_t[::1] numbers = array("i", steps) if len(steps) else None
        self.tests = <pqx_small_test *> calloc(count + 1, sizeof(pqx_small_test))
        if self.tests == NULL:
            raise MemoryError
        for i, (leaf, made, accepts_null) in enumerate(tests):
            ranges = made
            self.tests[i].leaf, self.tests[i].ranges, self.tests[i].accepts_null = leaf, &ranges.ranges, accepts_null
        self.filter.tests, self.filter.count = self.tests, count
        if numbers is not None:
            self.filter.steps, self.filter.step_count = &numbers[0], <size_t> numbers.shape[0]
        self.held = list(tests), numbers
        if not pqx_small_filter_is_valid(&self.filter, leaf_count):
            raise wire_error(wire.BAD_ARGUMENT, 0, leaf_count, count)

    def __dealloc__(self):
        free(self.tests)


cdef class SmallFiles:
    """Small local files with one schema, open together."""

    cdef Scan first
    cdef size_t count
    cdef pqx_small_file *files
    cdef uint8_t *is_open

    def __cinit__(self, Scan first not None, list paths not None, uint64_t most_bytes):
        cdef size_t i, count = <size_t> len(paths)
        use_libzstd()
        self.first = first
        self.files = <pqx_small_file *> calloc(count + 1, sizeof(pqx_small_file))
        self.is_open = <uint8_t *> calloc(count + 1, 1)
        cdef const char **names = <const char **> calloc(count + 1, sizeof(const char *))
        if self.files == NULL or self.is_open == NULL or names == NULL:
            free(names)
            raise MemoryError
        try:
            for i in range(count):
                if b"\0" in <bytes?> paths[i]:
                    raise ValueError("embedded null byte")
                names[i] = PyBytes_AsString(paths[i])
            self.count = count
            with nogil:
                for i in range(count):
                    self.is_open[i] = <uint8_t> pqx_small_file_open(
                        names[i], most_bytes, first.start, &first.result, &self.files[i]
                    )
        finally:
            free(names)

    def __dealloc__(self):
        cdef size_t i
        for i in range(self.count):
            if self.is_open[i]:
                pqx_small_file_close(&self.files[i])
        free(self.files)
        free(self.is_open)

    @property
    def taken(self):
        """Return one byte per file: 1 if it was opened."""
        return PyBytes_FromStringAndSize(<const char *> self.is_open, <Py_ssize_t> self.count)

    def row_groups(self, size_t file):
        """Return the number of row groups of an open file."""
        self.check(file)
        return self.files[file].scan.row_group_count

    def bounds(self, size_t file, uint32_t leaf):
        """Return the usable minima and maxima of a leaf, its null counts and its numbers of values."""
        self.check(file)
        cdef const pqx_scan *scan = self.files[file].scan
        if leaf >= scan.leaf_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, scan.leaf_count, leaf)
        cdef const pqx_chunk *chunk
        cdef pqx_range low, high
        cdef int has
        cdef uint32_t group
        cdef list minima = [], maxima = [], nulls = [], values = []
        for group in range(scan.row_group_count):
            chunk = scan.chunks + <size_t> group * scan.leaf_count + leaf
            pqx_usable_bounds(self.files[file].footer, chunk, &scan.elements[scan.leaves[leaf]], &low, &high, &has)
            minima.append(self.slice(file, low) if has & 1 else None)
            maxima.append(self.slice(file, high) if has & 2 else None)
            nulls.append(chunk.null_count)
            values.append(chunk.num_values)
        return minima, maxima, nulls, values

    def read(self, schema, leaves, numbers, tests=(), steps=()):
        """Read rows of leaves of open files as one array per leaf; return None if a file is not read here."""
        cdef const ArrowSchema *fields = <const ArrowSchema *> PyCapsule_GetPointer(schema, "arrow_schema")
        cdef uint32_t leaf_count = self.first.result.leaf_count
        cdef SmallFilter filter = SmallFilter(tests, steps, leaf_count) if len(steps) else None
        cdef const pqx_small_filter *joined = NULL if filter is None else &filter.filter
        cdef SmallRows found = SmallRows.__new__(SmallRows)
        cdef size_t i, count = <size_t> len(leaves), file_count = <size_t> len(numbers)
        cdef int is_filtered = 0, is_done
        cdef uint32_t *wanted = <uint32_t *> calloc(count + 1, sizeof(uint32_t))
        cdef uint64_t *rows = <uint64_t *> calloc(file_count + 1, sizeof(uint64_t))
        cdef const pqx_small_file **files = <const pqx_small_file **> calloc(file_count + 1, sizeof(pqx_small_file *))
        found.arrays = <ArrowArray *> calloc(count + 1, sizeof(ArrowArray))
        try:
            if wanted == NULL or rows == NULL or files == NULL or found.arrays == NULL:
                raise MemoryError
            found.count = count
            for i in range(count):
                wanted[i] = leaves[i]
                if wanted[i] >= leaf_count:
                    raise wire_error(wire.BAD_ARGUMENT, 0, leaf_count, wanted[i])
            for i in range(file_count):
                self.check(numbers[i])
                files[i] = &self.files[<size_t> numbers[i]]
            with nogil:
                is_done = pqx_small_rows(files, file_count, fields, wanted, count, joined, rows, &is_filtered,
                                         found.arrays)
            if not is_done:
                return None
            found.is_filtered = is_filtered
            found.counts = [rows[i] for i in range(file_count)]
            return found
        finally:
            free(wanted)
            free(rows)
            free(files)

    cdef int check(self, size_t file) except -1:
        if file >= self.count or not self.is_open[file]:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.count, file)
        return 0

    cdef bytes slice(self, size_t file, pqx_range place):
        return PyBytes_FromStringAndSize(<const char *> self.files[file].footer + place.offset, place.length)
