/* Bit-packing: one loop for each width, so that every shift is a constant. */
#include "encoding/encode.h"

/* Pack eight values into width bytes; up to 7 bytes after them are overwritten. */
#define PACK_GROUP(values, width, out)                           \
    do {                                                         \
        uint64_t word = 0;                                       \
        unsigned filled = 0;                                     \
        uint8_t *to = (out);                                     \
        for (int i = 0; i < 8; i++) {                            \
            uint64_t value = (values)[i];                        \
            word |= value << filled;                             \
            filled += (width);                                   \
            if (filled >= 64) {                                  \
                pqx_store64(to, word);                           \
                to += 8;                                         \
                filled -= 64;                                    \
                word = filled ? value >> ((width) - filled) : 0; \
            }                                                    \
        }                                                        \
        if (filled) pqx_store64(to, word);                       \
    } while (0)

#define PACK_CASE(width)                                                                      \
    case width:                                                                               \
        for (; groups; groups--, values += 8, out += (width)) PACK_GROUP(values, width, out); \
        return out;
#define PACK_8(w)    \
    PACK_CASE(w)     \
    PACK_CASE(w + 1) \
    PACK_CASE(w + 2) \
    PACK_CASE(w + 3) PACK_CASE(w + 4) PACK_CASE(w + 5) PACK_CASE(w + 6) PACK_CASE(w + 7)

uint8_t *pqx_pack32(const uint32_t *values, size_t groups, uint32_t width, uint8_t *out)
{
    switch (width) {
        PACK_8(1) PACK_8(9) PACK_8(17) PACK_8(25) default : return out;
    }
}

uint8_t *pqx_pack64(const uint64_t *values, size_t groups, uint32_t width, uint8_t *out)
{
    switch (width) {
        PACK_8(1)
        PACK_8(9)
        PACK_8(17) PACK_8(25) PACK_8(33) PACK_8(41) PACK_8(49) PACK_8(57) default : return out;
    }
}
