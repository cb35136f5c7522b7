/* Copies of earlier output, as blocks of LZ4 and Snappy have them. */
#ifndef PQX_REPEAT_H
#define PQX_REPEAT_H

#include <string.h>

#include "base/internal.h"

enum { PQX_REPEAT_WORD = 8, PQX_REPEAT_STEP = 16 };

/* Write `length` bytes, each of which is the one `distance` bytes in front of it. Up to a step more
 * is written behind them. */
static inline void pqx_repeat(uint8_t *out, size_t distance, size_t length)
{
    enum { WORD = PQX_REPEAT_WORD, STEP = PQX_REPEAT_STEP };
    if (distance >= STEP) {
        for (size_t i = 0; i < length; i += STEP) memcpy(out + i, out + i - distance, STEP);
        return;
    }
    if (distance < WORD) { /* the pattern, until it is as long as a word */
        const uint8_t *from = out - distance;
        size_t whole = distance, first;
        while (whole < WORD) whole += distance;
        first = length < whole ? length : whole;
        for (size_t i = 0; i < first; i++) out[i] = from[i];
        out += first;
        length -= first;
        distance = whole;
    }
    for (size_t i = 0; i < length; i += WORD) memcpy(out + i, out + i - distance, WORD);
}

#endif
