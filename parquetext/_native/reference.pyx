"""Parse the reference to blocks aside."""

from collections import namedtuple

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from .capi cimport (
    pqx_aside_block, pqx_error, pqx_reference, pqx_reference_get_block, pqx_reference_parse,
    exception_of, view_of,
)

__all__ = ["AsideBlock", "Reference", "parse"]

Reference = namedtuple("Reference", "start struct_length struct_crc blocks tail_block")
AsideBlock = namedtuple("AsideBlock", "uuid payload length trailer_crc")


def parse(payload, uint64_t footer):
    """Parse the payload of a reference block in a file whose Thrift footer begins at `footer`.

    See `parquetext._pure.reference.parse` for details.
    """
    cdef const uint8_t[::1] view = view_of(payload)
    cdef size_t size = view.shape[0]
    cdef pqx_reference found
    cdef pqx_aside_block block
    cdef pqx_error error
    cdef uint32_t i
    if pqx_reference_parse(&view[0] if size else NULL, size, footer, &found, &error):
        raise exception_of(&error)
    blocks = []
    for i in range(found.block_count):
        pqx_reference_get_block(&found, i, &block)
        blocks.append(AsideBlock((<char *> block.uuid)[:16], block.payload, block.length, block.trailer_crc))
    return Reference(found.start, found.struct_length, found.struct_crc, tuple(blocks),
                     (<char *> found.tail_block.data)[:found.tail_block.size])
