"""Plan many files at once by their sidecars."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset, strlen

import os

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_buffer, pqx_bytes, pqx_element, pqx_error, exception_of
from .scan cimport Scan
from .sidecar_api cimport pqx_pm, pqx_pm_footer, pqx_pm_slices

__all__ = ["NONE", "OTHER", "PLANNED", "UNUSED", "first_schema", "gather"]

cdef extern from "parquetext_internal.h" nogil:
    uint64_t pqx_xxh64(const uint8_t *data, size_t size, uint64_t seed)
    ctypedef struct pqx_plan_side:
        pqx_buffer valid, ends, data
    ctypedef struct pqx_plan_column:
        pqx_element element
        uint32_t leaf, width
        pqx_buffer nulls, values
        pqx_plan_side min, max
    ctypedef struct pqx_plan:
        pqx_bytes schema
        uint64_t schema_hash
        pqx_plan_column *columns
        uint32_t column_count
        uint64_t row_group_count
        pqx_buffer room
    ctypedef struct pqx_plan_sidecar:
        int status
        pqx_pm pm
        pqx_pm_footer footer
        pqx_pm_slices slices
    int pqx_plan_open(const char *path, const pqx_plan *plan, int verify, pqx_plan_sidecar *opened, pqx_error *error)
    void pqx_plan_close(pqx_plan_sidecar *opened)
    int pqx_plan_gather(pqx_plan *plan, pqx_plan_sidecar *opened, pqx_error *error)
    void pqx_plan_free(pqx_plan *plan)

PLANNED, NONE, UNUSED, OTHER = range(4)
cdef uint64_t FILTERS = wire.PM_FEATURE_BLOOM_FILTERS
cdef enum:
    PLAN_OK = 0


cdef class Files:
    """The paths as C strings."""

    cdef bytes joined  # each followed by a NUL
    cdef const char **names
    cdef uint32_t count

    def __cinit__(self, paths):
        cdef uint32_t i
        cdef const char *at
        self.count = len(paths)
        self.joined = os.fsencode("\0".join(paths))
        if self.count and <uint32_t> self.joined.count(b"\0") + 1 != self.count:
            raise ValueError("embedded null byte")
        self.names = <const char **> calloc(self.count + 1, sizeof(char *))
        if self.names == NULL:
            raise MemoryError
        at = PyBytes_AsString(self.joined)
        for i in range(self.count):
            self.names[i] = at
            at += strlen(at) + 1

    def __dealloc__(self):
        free(self.names)


def first_schema(paths, *, bint verify=True):
    """Find the first file with a sidecar that belongs to it and contains what slices need.

    See `parquetext._pure.plan.first_schema` for details.
    """
    cdef Files files = Files(paths)
    cdef pqx_plan_sidecar opened
    cdef pqx_error error
    cdef uint32_t i = 0
    cdef int status = 0
    memset(&opened, 0, sizeof(opened))
    try:
        with nogil:
            while i < files.count:
                status = pqx_plan_open(files.names[i], NULL, verify, &opened, &error)
                if status or opened.status == PLAN_OK:
                    break
                i += 1
        if status:
            raise exception_of(&error)
        if i == files.count:
            return None
        return i, bytes_of(opened.slices.schema.data, opened.slices.schema.size)
    finally:
        pqx_plan_close(&opened)


def gather(paths, Scan schema not None, columns, *, bint verify=True):
    """Return the statistics of some columns from the sidecars of files with one schema.

    See `parquetext._pure.plan.gather` for details.
    """
    cdef Files files = Files(paths)
    cdef pqx_plan plan
    cdef pqx_plan_sidecar opened
    cdef pqx_error error
    cdef bytes statuses = PyBytes_FromStringAndSize(NULL, files.count)
    cdef bytes counts = PyBytes_FromStringAndSize(NULL, 4 * <Py_ssize_t> files.count)
    cdef bytes filtered = PyBytes_FromStringAndSize(NULL, files.count)
    cdef uint8_t *said = <uint8_t *> PyBytes_AsString(statuses)
    cdef uint8_t *filters = <uint8_t *> PyBytes_AsString(filtered)
    cdef uint32_t *groups = <uint32_t *> PyBytes_AsString(counts)
    cdef uint32_t i
    cdef int status = 0
    memset(&opened, 0, sizeof(opened))
    memset(&plan, 0, sizeof(plan))
    plan.schema = pqx_bytes(schema.start, <size_t> schema.view.shape[0])
    plan.schema_hash = pqx_xxh64(plan.schema.data, plan.schema.size, 0)
    plan.columns = <pqx_plan_column *> calloc(len(columns) + 1, sizeof(pqx_plan_column))
    if plan.columns == NULL:
        raise MemoryError
    try:
        for leaf, width in columns:
            if not 0 <= leaf < schema.result.leaf_count:
                raise wire_error(wire.BAD_ARGUMENT, 0, schema.result.leaf_count, leaf)
            plan.columns[plan.column_count].element = schema.result.elements[schema.result.leaves[<uint32_t> leaf]]
            plan.columns[plan.column_count].leaf = leaf
            plan.columns[plan.column_count].width = width
            plan.column_count += 1
        with nogil:
            for i in range(files.count):
                status = pqx_plan_open(files.names[i], &plan, verify, &opened, &error)
                if status == 0 and opened.status == PLAN_OK:
                    status = pqx_plan_gather(&plan, &opened, &error)
                if status:
                    break
                groups[i] = opened.footer.row_group_count if opened.status == PLAN_OK else 0
                filters[i] = opened.status == PLAN_OK and opened.pm.features & FILTERS != 0
                said[i] = <uint8_t> opened.status
        if status:
            raise exception_of(&error)
        facts = [column_of(&plan.columns[i]) for i in range(plan.column_count)]
        return statuses, memoryview(counts).cast("I"), facts, filtered
    finally:
        pqx_plan_close(&opened)
        pqx_plan_free(&plan)


cdef bytes bytes_of(const uint8_t *data, size_t size):
    return PyBytes_FromStringAndSize(<const char *> data, size) if size else b""


cdef tuple side_of(const pqx_plan_side *side, bint varies):
    return (bytes_of(side.valid.data, side.valid.size), bytes_of(side.ends.data, side.ends.size) if varies else None,
            bytes_of(side.data.data, side.data.size))


cdef tuple column_of(const pqx_plan_column *column):
    cdef bint varies = column.width == 0
    return (bytes_of(column.nulls.data, column.nulls.size), bytes_of(column.values.data, column.values.size),
            side_of(&column.min, varies), side_of(&column.max, varies))
