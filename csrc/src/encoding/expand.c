#include "encoding/expand.h"

#include "encoding/loops.h"

enum { STEP = 32 }; /* slots that are processed together */

/* For widths that are constants to the compiler. */
#define EXPAND(NAME, TYPE)                                                                   \
    static void NAME(const uint8_t *values, const uint8_t *bits, uint64_t bit, size_t slots, \
                     uint8_t *out)                                                           \
    {                                                                                        \
        for (size_t some; slots; slots -= some, bit += some) {                               \
            some = slots < STEP ? slots : STEP;                                              \
            uint32_t word = (uint32_t)(pqx_load64(bits + (bit >> 3)) >> (bit & 7));          \
            if (some == STEP && word == UINT32_MAX) {                                        \
                memcpy(out, values, STEP * sizeof(TYPE));                                    \
                values += STEP * sizeof(TYPE), out += STEP * sizeof(TYPE);                   \
                continue;                                                                    \
            }                                                                                \
            for (size_t i = 0; i < some; i++, word >>= 1, out += sizeof(TYPE)) {             \
                TYPE value;                                                                  \
                memcpy(&value, values, sizeof value);                                        \
                value &= (TYPE)(0 - (TYPE)(word & 1));                                       \
                memcpy(out, &value, sizeof value);                                           \
                values += (word & 1) * sizeof(TYPE);                                         \
            }                                                                                \
        }                                                                                    \
    }

EXPAND(expand_4, uint32_t)
EXPAND(expand_8, uint64_t)

void pqx_expand_portable(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                         size_t slots, uint8_t *out)
{
    if (width == 4) expand_4(values, bits, bit, slots, out);
    else expand_8(values, bits, bit, slots, out);
}

void pqx_expand(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                size_t slots, uint8_t *out)
{ pqx_best_loops()->expand(values, width, bits, bit, slots, out); }
