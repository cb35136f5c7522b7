/* Expand values with the CPU's expand instruction. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "encoding/expand.h"

#define AVX512 __attribute__((target("avx512f,popcnt")))

AVX512 static void expand_4(const uint8_t *values, const uint8_t *bits, uint64_t bit, size_t slots,
                            uint8_t *out)
{
    for (; slots >= 16; slots -= 16, bit += 16, out += 64) {
        unsigned word = (uint16_t)(pqx_load32(bits + (bit >> 3)) >> (bit & 7));
        __m512i next = _mm512_loadu_si512(values);
        _mm512_storeu_si512(out, _mm512_maskz_expand_epi32((__mmask16)word, next));
        values += 4 * _mm_popcnt_u32(word);
    }
    pqx_expand_portable(values, 4, bits, bit, slots, out);
}

AVX512 static void expand_8(const uint8_t *values, const uint8_t *bits, uint64_t bit, size_t slots,
                            uint8_t *out)
{
    for (; slots >= 8; slots -= 8, bit += 8, out += 64) {
        unsigned word = (uint8_t)(pqx_load16(bits + (bit >> 3)) >> (bit & 7));
        __m512i next = _mm512_loadu_si512(values);
        _mm512_storeu_si512(out, _mm512_maskz_expand_epi64((__mmask8)word, next));
        values += 8 * _mm_popcnt_u32(word);
    }
    pqx_expand_portable(values, 8, bits, bit, slots, out);
}

void pqx_expand_avx512(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                       size_t slots, uint8_t *out)
{
    if (width == 4) expand_4(values, bits, bit, slots, out);
    else expand_8(values, bits, bit, slots, out);
}

#else
typedef int pqx_expand_x86_is_empty_here;
#endif
