#include "encoding/split.h"

void pqx_split_join(const uint8_t *streams, size_t stride, size_t width, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < width; k++) out[i * width + k] = streams[k * stride + i];
}
