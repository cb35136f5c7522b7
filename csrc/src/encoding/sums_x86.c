/* Running sums in registers: within a register by adding shifted copies of it, from one register to
 * the next with a single addition, so that only that addition is on the critical path. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "encoding/sums.h"

#define AVX2 __attribute__((target("avx2")))

AVX2 uint32_t pqx_sum32_avx2(const uint32_t *deltas, size_t count, uint32_t least, uint32_t last,
                             void *out)
{
    const __m256i lowest = _mm256_set1_epi32((int)least), ends = _mm256_set1_epi32(7);
    __m256i before = _mm256_set1_epi32((int)last);
    uint8_t *to = (uint8_t *)out;
    size_t i = 0;
    for (; count - i >= 8; i += 8) {
        __m256i sums = _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)(deltas + i)), lowest);
        sums = _mm256_add_epi32(sums, _mm256_slli_si256(sums, 4));
        sums = _mm256_add_epi32(sums, _mm256_slli_si256(sums, 8));
        /* add the lower half's sum to the upper half */
        __m256i half = _mm256_shuffle_epi32(_mm256_permute2x128_si256(sums, sums, 0x08), 0xff);
        sums = _mm256_add_epi32(sums, half);
        _mm256_storeu_si256((__m256i *)(to + 4 * i), _mm256_add_epi32(sums, before));
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(sums, ends));
    }
    last = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(before));
    return pqx_sum32_portable(deltas + i, count - i, least, last, to + 4 * i);
}

AVX2 uint64_t pqx_sum64_avx2(const uint64_t *deltas, size_t count, uint64_t least, uint64_t last,
                             void *out)
{
    const __m256i lowest = _mm256_set1_epi64x((long long)least);
    __m256i before = _mm256_set1_epi64x((long long)last);
    uint8_t *to = (uint8_t *)out;
    size_t i = 0;
    for (; count - i >= 4; i += 4) {
        __m256i sums = _mm256_add_epi64(_mm256_loadu_si256((const __m256i *)(deltas + i)), lowest);
        sums = _mm256_add_epi64(sums, _mm256_slli_si256(sums, 8));
        __m256i half = _mm256_permute2x128_si256(sums, sums, 0x08);
        sums = _mm256_add_epi64(sums, _mm256_unpackhi_epi64(half, half));
        _mm256_storeu_si256((__m256i *)(to + 8 * i), _mm256_add_epi64(sums, before));
        before = _mm256_add_epi64(before, _mm256_permute4x64_epi64(sums, 0xff));
    }
    last = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(before));
    return pqx_sum64_portable(deltas + i, count - i, least, last, to + 8 * i);
}

#else
typedef int pqx_sums_x86_is_empty_here;
#endif
