"""Find the extension in a struct's reserved field from the front, and its blocks from the back."""

from collections import namedtuple


from libc.stdint cimport uint8_t

from .capi cimport (
    pqx_block, pqx_block_before, pqx_block_read_trailer, pqx_block_trailer, pqx_error, pqx_extension, pqx_extension_find,
    exception_of, view_of,
)

__all__ = ["Place", "block_before", "find", "read_trailer", "trailer"]

Place = namedtuple("Place", "marker placement struct_end header payload length length_bytes")


def find(data, bint file_metadata=False, int max_depth=64):
    """Return the extension of the struct at ``data[0]``, or None; `file_metadata` allows one after the stop."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0]
    cdef int status
    cdef pqx_extension found
    cdef pqx_error error
    with nogil:
        status = pqx_extension_find(start, size, file_metadata, max_depth, &found, &error)
    if status:
        raise exception_of(&error)
    if not found.marker:
        return None
    return Place(found.marker, found.placement, found.struct_end, found.header, found.payload, found.length,
                 found.length_bytes)


def read_trailer(data, size_t end):
    """Return the trailer that ends at ``data[end]``: (UUID, length, crc), or None; only its 28 bytes are read."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef pqx_block block
    if end > <size_t> view.shape[0]:
        raise IndexError(f"offset {end} exceeds the {view.shape[0]} bytes given")
    if end == 0 or not pqx_block_read_trailer(&view[0], end, &block):
        return None
    return (<char *> block.uuid)[:16], block.length, block.crc


def block_before(data, size_t end, bint check_payload=True):
    """Return the complete block that ends at ``data[end]``, (UUID's bytes, payload offset, length, crc), or None."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef int found = 0
    cdef pqx_block block
    cdef const uint8_t *start
    if end > <size_t> view.shape[0]:
        raise IndexError(f"offset {end} exceeds the {view.shape[0]} bytes given")
    if end == 0:
        return None
    start = &view[0]
    with nogil:
        pqx_block_before(start, end, check_payload, &block, &found)
    return ((<char *> block.uuid)[:16], block.payload, block.length, block.crc) if found else None


def trailer(payload, bytes uuid):
    """Return the 28 bytes that end the block of `payload` with the 16 bytes `uuid`."""
    cdef const uint8_t[::1] view = view_of(payload)
    cdef const uint8_t[::1] kind = uuid
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0]
    cdef uint8_t out[28]
    if kind.shape[0] != 16:
        raise ValueError(f"a UUID has 16 bytes, not {kind.shape[0]}")
    if size >> 32:
        raise OverflowError(f"a block's payload of {size} bytes does not fit in 32 bits")
    with nogil:
        pqx_block_trailer(start, size, &kind[0], out)
    return (<char *> out)[:28]
