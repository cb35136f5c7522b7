/* Turn inputs of the other targets into inputs of the flat target:  flat_seed FOLDER FILE... */
#include "scanned.h"
#include "base/internal.h"

static const uint8_t uuid[16] = {0xd6, 0xab, 0xea, 0xd5, 0x87, 0xc4, 0x43, 0x7c,
                                 0x87, 0x6c, 0x66, 0xae, 0x74, 0x7e, 0x16, 0x7f};
static const uint8_t steering[8] = {0xff, 0x0f};

static int make(const uint8_t *data, size_t size, const pqx_scan *scan, int number,
                pqx_buffer *seed)
{
    uint8_t trailer[28];
    const pqx_flat_extension extensions[2] = {{{1}, {data, (size + 8) / 2}}, {{2}, {data, 0}}};
    if (pqx_flat_write(data, size, scan, PQX_FLAT_WRITE_VERBATIM, extensions, (uint32_t)number % 3,
                       seed, NULL)
        != PQX_OK)
        return 0;
    pqx_block_trailer(seed->data, seed->size, uuid, trailer);
    return pqx_buffer_append(seed, trailer, sizeof trailer, NULL) == PQX_OK;
}

int main(int count, char **arguments) { return make_seeds(count, arguments, make, steering); }
