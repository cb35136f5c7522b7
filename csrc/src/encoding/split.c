#include "encoding/split.h"

/* With a constant width, compilers convert this loop to shuffles. */
PQX_INLINE void join(const uint8_t *streams, size_t stride, size_t width, size_t count,
                     uint8_t *__restrict out)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < width; k++) out[i * width + k] = streams[k * stride + i];
}

void pqx_join_portable(const uint8_t *streams, size_t stride, size_t width, size_t count,
                       uint8_t *out)
{
    switch (width) {
    case 2: join(streams, stride, 2, count, out); break;
    case 4: join(streams, stride, 4, count, out); break;
    case 8: join(streams, stride, 8, count, out); break;
    case 16: join(streams, stride, 16, count, out); break;
    default: join(streams, stride, width, count, out);
    }
}
