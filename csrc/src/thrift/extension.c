/* Find the extension in a struct's reserved field, from the front, and its blocks, from the back.
 */
#include "thrift/cursor.h"

int pqx_marker_at(const uint8_t *data, size_t size, size_t at)
{
    static const uint8_t spec[PQX_MARKER_BYTES] = {0x08, 0xff, 0xff, 0x01},
                         thrift[PQX_MARKER_BYTES] = {0x08, 0xfe, 0xff, 0x03};
    if (size - at < PQX_MARKER_BYTES) return PQX_MARKER_NONE;
    if (memcmp(data + at, spec, PQX_MARKER_BYTES) == 0) return PQX_MARKER_SPEC;
    return memcmp(data + at, thrift, PQX_MARKER_BYTES) == 0 ? PQX_MARKER_THRIFT : PQX_MARKER_NONE;
}

/* Read an extension whose marker at `header` has been read; the cursor is at the length. */
static int read_extension(pqx_cursor *c, int marker, size_t header, pqx_extension *extension)
{
    size_t start = c->at;
    uint32_t length = 0;
    PQX_TRY(pqx_read_varint32(c, &length));
    if (length > pqx_left(c)) return pqx_fail(c->error, PQX_TRUNCATED, start, length, pqx_left(c));
    if (extension->marker)
        return pqx_fail(c->error, PQX_TWO_EXTENSIONS, header, extension->header, 0);
    *extension = (pqx_extension){.marker = marker,
                                 .header = header,
                                 .payload = c->at,
                                 .length = length,
                                 .length_bytes = c->at - start};
    c->at += length;
    return PQX_OK;
}

/* Look after the stop byte of a FileMetaData: an extension counts only if it and a stop byte are
 * exactly the remaining bytes. */
static int find_after_stop(pqx_cursor *c, pqx_extension *extension)
{
    size_t header = c->at;
    uint32_t length = 0;
    pqx_cursor probe = {c->data, c->size, header + PQX_MARKER_BYTES, NULL};
    int marker = pqx_marker_at(c->data, c->size, header);
    if (!marker || pqx_read_varint32(&probe, &length) != PQX_OK) return PQX_OK;
    if (pqx_left(&probe) == 0 || length != pqx_left(&probe) - 1 || c->data[c->size - 1] != 0)
        return PQX_OK;
    c->at = header + PQX_MARKER_BYTES;
    PQX_TRY(read_extension(c, marker, header, extension));
    extension->placement = PQX_AFTER_STOP;
    c->at++;
    return PQX_OK;
}

int pqx_extension_find(const uint8_t *data, size_t size, int file_metadata, int max_depth,
                       pqx_extension *found, pqx_error *error)
{
    pqx_cursor c = {data, size, 0, error};
    int32_t id = 0;
    int type = PQX_TYPE_STRUCT;
    *found = (pqx_extension){0};
    PQX_TRY(pqx_check_depth(max_depth, error));
    if (max_depth == 0) return pqx_fail(error, PQX_TOO_DEEP, 0, 0, 0);
    while (type) {
        size_t header = c.at;
        PQX_TRY(pqx_read_field(&c, &id, &type));
        int marker =
            c.at - header == PQX_MARKER_BYTES ? pqx_marker_at(data, size, header) : PQX_MARKER_NONE;
        if (marker) {
            PQX_TRY(read_extension(&c, marker, header, found));
        } else if (type) {
            int status = pqx_skip(&c, type, 0, max_depth - 1);
            if (status == PQX_TOO_DEEP && error) error->expected = (uint64_t)max_depth;
            PQX_TRY(status);
        }
    }
    if (file_metadata) PQX_TRY(find_after_stop(&c, found));
    found->struct_end = c.at;
    return PQX_OK;
}

int pqx_block_read_trailer(const uint8_t *data, size_t end, pqx_block *block)
{
    if (end < PQX_BLOCK_TRAILER_BYTES) return 0;
    const uint8_t *trailer = data + end - PQX_BLOCK_TRAILER_BYTES;
    if (pqx_crc32(0, trailer + 4, 4) != pqx_load32(trailer + 8)) return 0;
    *block = (pqx_block){.length = pqx_load32(trailer + 4), .crc = pqx_load32(trailer)};
    memcpy(block->uuid, trailer + 12, 16);
    return 1;
}

int pqx_block_before(const uint8_t *data, size_t end, int check_payload, pqx_block *block,
                     int *found)
{
    *found =
        pqx_block_read_trailer(data, end, block) && block->length <= end - PQX_BLOCK_TRAILER_BYTES;
    if (!*found) return PQX_OK;
    block->payload = end - PQX_BLOCK_TRAILER_BYTES - block->length;
    if (check_payload) *found = pqx_crc32(0, data + block->payload, block->length) == block->crc;
    return PQX_OK;
}

void pqx_block_trailer(const uint8_t *payload, size_t length, const uint8_t uuid[16],
                       uint8_t out[28])
{
    pqx_store32(out, pqx_crc32(0, payload, length));
    pqx_store32(out + 4, (uint32_t)length);
    pqx_store32(out + 8, pqx_crc32(0, out + 4, 4));
    memcpy(out + 12, uuid, 16);
}
