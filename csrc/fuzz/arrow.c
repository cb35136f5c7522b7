/* Read any bytes as an ARROW:schema, and that of a footer: the pieces can be combined again, and
 * taken apart again. */
#include "base/base64.h"
#include "input.h"

#define MOST 32

static void take_apart(const uint8_t *text, size_t size, uint64_t steering)
{
    pqx_arrow_schema schema, again;
    uint8_t *copy = exact(text, size);
    if (pqx_arrow_schema_parse(copy, size, &schema, NULL) != PQX_OK) {
        free(copy);
        return;
    }
    for (uint32_t i = 0; i < schema.field_count && i < MOST; i++) {
        pqx_buffer piece = {0}, built = {0}, same = {0};
        pqx_bytes name;
        if (pqx_arrow_field_name(&schema, i, &name, NULL) == PQX_OK
            && pqx_arrow_field_piece(&schema, i, &piece, NULL) == PQX_OK) {
            uint8_t *bytes = exact(piece.data, piece.size),
                    *keep = exact((const uint8_t *)&steering, i % 8 + 1);
            pqx_bytes whole = {bytes, piece.size}, cut = {keep, i % 8 + 1};
            CLAIM(pqx_arrow_schema_build(&whole, &name, NULL, 1, &built, NULL) == PQX_OK);
            CLAIM(pqx_arrow_schema_parse(built.data, built.size, &again, NULL) == PQX_OK
                  && again.field_count == 1);
            CLAIM(pqx_arrow_field_piece(&again, 0, &same, NULL) == PQX_OK);
            CLAIM(same.size == piece.size && memcmp(same.data, piece.data, piece.size) == 0);
            pqx_arrow_schema_build(&whole, &name, &cut, 1, &built, NULL);
            pqx_arrow_schema_free(&again);
            free(bytes);
            free(keep);
        }
        pqx_buffer_free(&piece);
        pqx_buffer_free(&built);
        pqx_buffer_free(&same);
    }
    pqx_arrow_schema_free(&schema);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    uint8_t *data = exact(input, size);
    pqx_bytes piece = {data, size}, name = {data, size < 8 ? size : 8};
    pqx_buffer text = {0};
    pqx_scan scan;
    if (pqx_scan_footer(data, size, &scan, NULL) == PQX_OK) {
        for (uint32_t i = 0; i < scan.key_value_count; i++)
            take_apart(data + scan.key_values[i].value.offset, scan.key_values[i].value.length,
                       steering);
        pqx_scan_free(&scan);
    }
    take_apart(data, size, steering);
    if (pqx_base64_append(data, size, &text, NULL) == PQX_OK)
        take_apart(text.data, text.size, steering);
    text.size = 0;
    pqx_arrow_schema_build(&piece, &name, NULL, 1, &text, NULL);
    pqx_buffer_free(&text);
    free(data);
    return 0;
}
