/* The 256-bit fold on a CPU without VPCLMULQDQ: its one instruction of that kind is replaced by two
 * of 128 bits. Returns 77 (skipped) if the CPU lacks AVX2. */
#include "harness.h"

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2,pclmul"), always_inline)) static inline __m256i
two_products(__m256i a, __m256i b, const int which)
{
    __m128i a0 = _mm256_castsi256_si128(a), a1 = _mm256_extracti128_si256(a, 1);
    __m128i b0 = _mm256_castsi256_si128(b), b1 = _mm256_extracti128_si256(b, 1);
    if (which)
        return _mm256_set_m128i(_mm_clmulepi64_si128(a1, b1, 0x11),
                                _mm_clmulepi64_si128(a0, b0, 0x11));
    return _mm256_set_m128i(_mm_clmulepi64_si128(a1, b1, 0x00), _mm_clmulepi64_si128(a0, b0, 0x00));
}

#undef _mm256_clmulepi64_epi128
#define _mm256_clmulepi64_epi128 two_products
#define pqx_crc32_cpu_choices choices_with_the_replacement
#include "../src/base/crc32_x86.c"

#define LONGEST 1600
#define ALIGNMENTS 16

static uint8_t bytes[ALIGNMENTS + LONGEST];

static void the_wide_fold_equals_the_portable_routine(void)
{
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * i * 167 >> 3);
    for (size_t start = 0; start < ALIGNMENTS; start++) {
        for (size_t size = 0; size <= LONGEST; size++) {
            uint32_t first = (uint32_t)(size * 0x9e3779b9u);
            CHECK(crc32_vpclmul(first, bytes + start, size)
                  == pqx_crc32_slice16(first, bytes + start, size));
        }
    }
}

static void the_wide_fold_does_not_read_beyond_the_end(void)
{
    for (size_t size = 0; size <= LONGEST; size++) {
        uint8_t *data = exact(bytes, size);
        CHECK(crc32_vpclmul(0, data, size) == pqx_crc32_slice16(0, data, size));
        free(data);
    }
}

int main(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("pclmul")) return 77;
    RUN(the_wide_fold_equals_the_portable_routine);
    RUN(the_wide_fold_does_not_read_beyond_the_end);
    return choices_with_the_replacement() ? 0 : 1;
}
#else
int main(void) { return 77; }
#endif
