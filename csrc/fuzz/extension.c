/* Extensions from the front and blocks from the back, in any bytes. */
#include "input.h"

static void check_blocks(const uint8_t *data, size_t end)
{
    pqx_block block, unchecked;
    int found;
    while (pqx_block_before(data, end, 1, &block, &found) == PQX_OK && found) {
        CLAIM(block.payload <= end - 28 && block.length == end - 28 - block.payload);
        CLAIM(pqx_block_before(data, end, 0, &unchecked, &found) == PQX_OK && found);
        CLAIM(unchecked.payload == block.payload && unchecked.crc == block.crc);
        CLAIM(pqx_crc32(0, data + block.payload, block.length) == block.crc);
        end = block.payload;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    int depth = (int)(take_steering(input, &size) % 70);
    uint8_t *data = exact(input, size);
    pqx_extension place;
    for (int file_metadata = 0; file_metadata < 2; file_metadata++) {
        if (pqx_extension_find(data, size, file_metadata, depth, &place, NULL) != PQX_OK) continue;
        CLAIM(place.struct_end > 0 && place.struct_end <= size);
        if (place.marker == PQX_MARKER_NONE) continue;
        CLAIM(place.header < place.payload && place.payload <= size
              && place.length <= size - place.payload);
        CLAIM(place.length_bytes > 0 && place.header + 4 + place.length_bytes == place.payload);
        check_blocks(data, place.payload + place.length);
    }
    check_blocks(data, size);
    if (size) check_blocks(data, size - 1);
    free(data);
    return 0;
}
