/* Turn inputs of the other targets into inputs of the flat target:  flat_seed FOLDER FILE... */
#include "input.h"

static const uint8_t uuid[16] = {0xd6, 0xab, 0xea, 0xd5, 0x87, 0xc4, 0x43, 0x7c,
                                 0x87, 0x6c, 0x66, 0xae, 0x74, 0x7e, 0x16, 0x7f};
static const uint8_t steering[8] = {0xff, 0x0f};

static int write_seed(const char *path, const pqx_buffer *payload)
{
    uint8_t trailer[28];
    FILE *file = fopen(path, "wb");
    if (!file) return -1;
    pqx_block_trailer(payload->data, payload->size, uuid, trailer);
    size_t written = fwrite(payload->data, 1, payload->size, file) + fwrite(trailer, 1, 28, file)
                     + fwrite(steering, 1, 8, file);
    return fclose(file) != 0 || written != payload->size + 28 + 8 ? -1 : 0;
}

int main(int count, char **arguments)
{
    static uint8_t data[1 << 20];
    int made = 0;
    for (int i = 2; i < count; i++) {
        FILE *file = fopen(arguments[i], "rb");
        if (!file) return 1;
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        pqx_scan scan;
        if (size < 8 || pqx_scan_footer(data, size - 8, &scan, NULL) != PQX_OK) continue;
        pqx_buffer payload = {0};
        const pqx_flat_extension extensions[2] = {{{1}, {data, size / 2}}, {{2}, {data, 0}}};
        uint32_t count_of_extensions = (uint32_t)made % 3;
        if (pqx_flat_write(data, size - 8, &scan, PQX_FLAT_WRITE_VERBATIM, extensions,
                           count_of_extensions, &payload, NULL)
            == PQX_OK) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%04d", arguments[1], made++);
            if (write_seed(path, &payload) != 0) return 1;
        }
        pqx_buffer_free(&payload);
        pqx_scan_free(&scan);
    }
    printf("%d flat footers\n", made);
    return made ? 0 : 1;
}
