/* References to blocks aside: any payload, sealed, as text and as a raw block, in a file whose end
 * fits it; and any tail. */
#include "input.h"

#include "../src/base/base64.h"

static const uint8_t reference_uuid[16] = PQX_UUID_FOOTER_REFERENCE;

static void look(const uint8_t *tail, size_t size, uint64_t file_size)
{
    pqx_location found;
    uint8_t *copy = exact(tail, size);
    pqx_locate(copy, size, file_size, &found);
    if (found.form != PQX_FORM_NONE) {
        CLAIM(found.form == PQX_FORM_FLAT || found.form == PQX_FORM_INDEX
              || found.form == PQX_FORM_PACKED || found.form == PQX_FORM_PAR3);
        CLAIM(found.footer <= file_size && found.thrift_length <= file_size - found.footer);
        CLAIM(found.payload <= file_size && found.length <= file_size - found.payload);
        CLAIM(found.known_end <= file_size && found.known_size <= found.known_end);
        uint8_t *known = exact(found.known, found.known_size);
        free(known);
    }
    free(copy);
}

/* The file's end: a struct of `length` bytes without its stop, and an extension of the bytes. */
static void look_at_extension(const uint8_t *bytes, size_t size, uint32_t length, uint64_t footer)
{
    static const uint8_t marker[4] = {0x08, 0xff, 0xff, 0x01};
    pqx_buffer tail = {0};
    uint8_t number[10];
    for (uint32_t i = 1; i < length; i++)
        CLAIM(pqx_buffer_append(&tail, "\x15", 1, NULL) == PQX_OK);
    CLAIM(pqx_buffer_append(&tail, marker, sizeof marker, NULL) == PQX_OK);
    CLAIM(pqx_buffer_append(&tail, number, pqx_varint_put(number, size), NULL) == PQX_OK);
    CLAIM(pqx_buffer_append(&tail, bytes, size, NULL) == PQX_OK);
    CLAIM(pqx_buffer_append(&tail, "", 1, NULL) == PQX_OK);
    uint32_t footer_length = (uint32_t)tail.size;
    CLAIM(pqx_buffer_append(&tail, &footer_length, 4, NULL) == PQX_OK);
    CLAIM(pqx_buffer_append(&tail, "PAR1", 4, NULL) == PQX_OK);
    look(tail.data, tail.size, footer + tail.size);
    pqx_buffer_free(&tail);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    look(input, size, size + steering % 100000);
    uint8_t *payload = exact(input, size);
    uint64_t footer = steering >> 16;
    uint32_t length = 1 + (uint32_t)steering % 100;
    if (size >= 60) {
        size_t last = 24 + 32 * ((pqx_load32(payload + 4) - 1) % ((size - 28) / 32));
        pqx_store32(payload + 16, length);
        footer = (pqx_load64(payload + last + 16) + pqx_load32(payload + last + 24) + 28)
                 >> (steering >> 62);
    }
    if (footer > UINT64_MAX / 2) footer >>= 2;
    pqx_reference reference;
    pqx_aside_block block;
    if (pqx_reference_parse(payload, size, footer, &reference, NULL) == PQX_OK) {
        uint64_t end = reference.start;
        for (uint32_t i = 0; i < reference.block_count; i++) {
            pqx_reference_get_block(&reference, i, &block);
            CLAIM(block.payload >= end && block.payload <= footer);
            end = block.payload + block.length + 28;
        }
        CLAIM(end == footer);
    }
    pqx_buffer raw = {0}, text = {0};
    uint8_t trailer[28];
    pqx_block_trailer(payload, size, reference_uuid, trailer);
    CLAIM(pqx_buffer_append(&raw, payload, size, NULL) == PQX_OK
          && pqx_buffer_append(&raw, trailer, sizeof trailer, NULL) == PQX_OK);
    CLAIM(pqx_base64_append(raw.data, raw.size, &text, NULL) == PQX_OK);
    look_at_extension(raw.data, raw.size, length, footer);
    look_at_extension(text.data, text.size, length, footer);
    pqx_buffer_free(&raw);
    pqx_buffer_free(&text);
    free(payload);
    return 0;
}
