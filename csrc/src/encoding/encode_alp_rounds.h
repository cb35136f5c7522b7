/* Round values to the integers that ALP stores. The compiler's vectors map to those of the CPU that
 * the including function is compiled for. No expression contains both a product and a sum, so that
 * they are never fused. */
#ifndef PQX_ENCODE_ALP_ROUNDS_H
#define PQX_ENCODE_ALP_ROUNDS_H

#include <math.h>

#include "encoding/alp_powers.h"
#include "encoding/encode.h"

/* Select from the vectors in the function below. */
#define PQX_CHOOSE(mask, a, b) ((reals)(((masks)(a) & (mask)) | ((masks)(b) & ~(mask))))
#define PQX_EACH(number) ((reals){0} + (number))

/* Define a pqx_alp_round_function for values of `bits` bits, with vectors of `bytes` bytes. `whole`
 * is the smallest number from which on values have no fraction: adding and subtracting it rounds
 * smaller values. */
#define PQX_DEFINE_ALP_ROUND(name, bytes, bits, real, whole)                                     \
    void name(const uint8_t *values, size_t count, pqx_alp_pair pair, void *rounded,             \
              pqx_alp_fit *fit)                                                                  \
    {                                                                                            \
        typedef real reals __attribute__((vector_size(bytes)));                                  \
        typedef int##bits##_t masks __attribute__((vector_size(bytes)));                         \
        enum { WIDTH = bits / 8, LANES = bytes / WIDTH };                                        \
        const real up = pqx_alp_up##bits[pair.exponent], down = pqx_alp_down##bits[pair.factor]; \
        const real back = pqx_alp_up##bits[pair.factor];                                         \
        const real forth = pqx_alp_down##bits[pair.exponent];                                    \
        const real limit = 2 * (real)((uint##bits##_t)1 << (bits - 2));                          \
        const reals wholes = PQX_EACH((real)(whole));                                            \
        const masks signs = (masks)PQX_EACH((real)0.0) | INT##bits##_MIN;                        \
        reals least = PQX_EACH((real)INFINITY), most = -least;                                   \
        const reals none = PQX_EACH((real)NAN);                                                  \
        masks good_ones = {0};                                                                   \
        for (size_t i = 0; i < count; i += LANES) {                                              \
            reals given = none;                                                                  \
            if (count - i >= LANES) memcpy(&given, values + i * WIDTH, bytes);                   \
            else memcpy(&given, values + i * WIDTH, (count - i) * WIDTH);                        \
            reals scaled = given * up;                                                           \
            scaled = scaled * down;                                                              \
            masks sign = (masks)scaled & signs;                                                  \
            reals add = (reals)((masks)wholes | sign);                                           \
            reals near = scaled + add;                                                           \
            near = near - add;                                                                   \
            reals size = (reals)((masks)scaled & ~signs);                                        \
            masks is_small = (masks)(size < wholes);                                             \
            near = PQX_CHOOSE(is_small, near, scaled);                                           \
            size = (reals)((masks)near & ~signs);                                                \
            reals again = near * back;                                                           \
            again = again * forth;                                                               \
            masks good = (masks)again == (masks)given;                                           \
            good &= (masks)(size < limit);                                                       \
            near = PQX_CHOOSE(good, near, none);                                                 \
            least = PQX_CHOOSE((masks)(near < least), near, least);                              \
            most = PQX_CHOOSE((masks)(near > most), near, most);                                 \
            good_ones -= good;                                                                   \
            if (rounded) memcpy((real *)rounded + i, &near, bytes);                              \
        }                                                                                        \
        *fit = (pqx_alp_fit){INFINITY, -INFINITY, count};                                        \
        for (size_t lane = 0; lane < LANES; lane++) {                                            \
            if (least[lane] < fit->least) fit->least = least[lane];                              \
            if (most[lane] > fit->most) fit->most = most[lane];                                  \
            fit->exceptions -= (size_t)good_ones[lane];                                          \
        }                                                                                        \
    }

#endif
