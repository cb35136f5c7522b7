"""Derive a sidecar's columns from the schema of a scanned footer."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from .. import wire
from ..errors import wire_error
from .sidecar_reader import Column

from .capi cimport PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, pqx_element, pqx_range
from .scan cimport Scan
from .sidecar_api cimport pqx_pm_column

__all__ = ["Columns", "describe"]

cdef enum:
    REPETITION_SHIFT = 2
    NO_FIELD_ID = -2147483648
    FACTS = 5
    # The first byte of a LogicalType LIST: field 3, a struct; then the two bytes if the id has a separate byte.
    LIST_FIELD = 0x3C
    LONG_FIELD = 0x0C
    LONG_LIST_ID = 0x06

cdef int32_t OPTIONAL = wire.REPETITION_OPTIONAL
cdef int32_t REPEATED = wire.REPETITION_REPEATED
cdef int32_t CONVERTED_DECIMAL = wire.CONVERTED_DECIMAL
cdef int32_t CONVERTED_LIST = wire.CONVERTED_LIST


cdef class Columns:
    """A sequence of `Column` descriptors."""

    def __dealloc__(self):
        free(self.columns)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        cdef pqx_pm_column *c
        if not 0 <= index < self.count:
            raise IndexError(index)
        c = &self.columns[<size_t> index]
        return Column(PyBytes_FromStringAndSize(<const char *> c.name.data, c.name.size), c.id, c.type, c.flags,
                      c.fixed_byte_len, c.physical_type, c.max_repetition, c.max_definition)


def describe(Scan scan not None, infer):
    """Return the columns of a scanned footer: its leaves, with name, id and repetition of their top-level field.

    See `parquetext._pure.sidecar_write.describe` for details.
    """
    cdef Columns made = Columns.__new__(Columns)
    cdef const pqx_element *elements = scan.result.elements
    cdef const pqx_element *leaf
    cdef uint32_t i, element, top = 0, seen = 0
    cdef int32_t repetition
    cdef bint is_nested
    cdef int32_t lists
    cdef pqx_pm_column *c
    made.owner, made.count = scan, scan.result.leaf_count
    made.columns = <pqx_pm_column *> calloc(made.count + 1, sizeof(pqx_pm_column))
    if made.columns == NULL:
        raise MemoryError
    kinds = {}
    for i in range(made.count):
        element, c = scan.result.leaves[i], &made.columns[i]
        leaf = &elements[element]
        while seen <= element:  # elements are in preorder
            if elements[seen].parent <= 0:
                top = seen
            seen += 1
        if not 0 <= leaf.type <= PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
            raise wire_error(wire.UNSUPPORTED_VALUE, leaf.bytes.offset, PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
                             <uint32_t> leaf.type)
        repetition = elements[top].repetition
        c.name.data, c.name.size = scan.start + elements[top].name.offset, elements[top].name.length
        c.id = -1 if elements[top].field_id == NO_FIELD_ID else elements[top].field_id
        c.flags = (repetition if 0 <= repetition <= REPEATED else OPTIONAL) << REPETITION_SHIFT
        c.fixed_byte_len = leaf.type_length if leaf.type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY and leaf.type_length > 0 else 0
        c.physical_type, c.max_repetition, c.max_definition = <uint8_t> leaf.type, leaf.max_repetition, leaf.max_definition
        is_nested = top != element or leaf.max_repetition > 0
        lists = lists_around(scan.start, elements, leaf.parent)
        key = kind(scan.start, leaf, c, is_nested, lists)
        code = kinds.get(key)
        if code is None:
            code = kinds[key] = infer(part(scan.start, leaf.bytes), c.physical_type, c.fixed_byte_len, is_nested, lists)
        c.type = code
    return made


cdef bint is_list(const uint8_t *start, const pqx_element *group):
    """Return True if a group is annotated as a list."""
    cdef const uint8_t *said = start + group.logical_type.offset
    if group.logical_type.length == 0:
        return group.converted_type == CONVERTED_LIST
    return said[0] == LIST_FIELD or (group.logical_type.length > 1 and said[0] == LONG_FIELD and said[1] == LONG_LIST_ID)


cdef int32_t lists_around(const uint8_t *start, const pqx_element *elements, int32_t group):
    """Return the number of lists around an element with this parent.

    Return 0 if the element has siblings in one of them, or if it is inside anything else.
    """
    cdef int32_t lists = 0
    cdef bint is_inside = False  # True inside of a list's repeated group
    while group > 0:
        if elements[group].num_children != 1 or is_list(start, &elements[group]) != is_inside:
            return 0
        if not is_inside:
            if elements[group].repetition != REPEATED:
                return 0
            lists += 1
        is_inside = not is_inside
        group = elements[group].parent
    return 0 if is_inside else lists


cdef bytes part(const uint8_t *start, pqx_range place):
    return PyBytes_FromStringAndSize(<const char *> start + place.offset, place.length)


cdef bytes kind(const uint8_t *start, const pqx_element *leaf, const pqx_pm_column *column, bint is_nested, int32_t lists):
    """Return the key that determines a leaf's type: its numbers and its annotation.

    A decimal whose digits are in other fields uses the complete element instead of the annotation.
    """
    cdef pqx_range said = leaf.logical_type
    if said.length == 0 and leaf.converted_type == CONVERTED_DECIMAL:
        said = leaf.bytes
    cdef int32_t[FACTS] facts = [leaf.converted_type, column.physical_type, column.fixed_byte_len, is_nested, lists]
    cdef bytes key = PyBytes_FromStringAndSize(NULL, said.length + sizeof(facts))
    cdef char *to = PyBytes_AsString(key)
    memcpy(to, facts, sizeof(facts))
    memcpy(to + sizeof(facts), start + said.offset, said.length)
    return key
