/* Convert integers to floating-point values, four to sixteen at once. The results have the same
 * bits as the portable version, because no product is followed by a sum that could be fused with
 * it. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "encoding/scale.h"

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512dq")))

AVX2 void pqx_scale32_avx2(const uint32_t *deltas, size_t count, uint32_t frame, float up,
                           float down, void *out)
{
    const __m256i least = _mm256_set1_epi32((int)frame);
    const __m256 first = _mm256_set1_ps(up), second = _mm256_set1_ps(down);
    float *to = (float *)out;
    for (; count >= 8; count -= 8, deltas += 8, to += 8) {
        __m256i integers = _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)deltas), least);
        __m256 values = _mm256_mul_ps(_mm256_cvtepi32_ps(integers), first);
        _mm256_storeu_ps(to, _mm256_mul_ps(values, second));
    }
    pqx_scale32_portable(deltas, count, frame, up, down, to);
}

/* Convert to the nearest doubles. The high 48 bits are inserted into the significand of 3 * 2^67,
 * whose last bit is 2^16, and the low 16 bits into that of 2^52: both are exact, and only their sum
 * is rounded. */
AVX2 static inline __m256d nearest(__m256i integers)
{
    const __m256d high_one = _mm256_set1_pd(0x3p67), low_one = _mm256_set1_pd(0x1p52);
    const __m256d both = _mm256_set1_pd(0x3p67 + 0x1p52);
    __m256i high = _mm256_srai_epi32(integers, 16);
    high = _mm256_blend_epi16(high, _mm256_setzero_si256(), 0x33);
    high = _mm256_add_epi64(high, _mm256_castpd_si256(high_one));
    __m256i low = _mm256_blend_epi16(integers, _mm256_castpd_si256(low_one), 0x88);
    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), both), _mm256_castsi256_pd(low));
}

AVX2 void pqx_scale64_avx2(const uint64_t *deltas, size_t count, uint64_t frame, double up,
                           double down, void *out)
{
    const __m256i least = _mm256_set1_epi64x((long long)frame);
    const __m256d first = _mm256_set1_pd(up), second = _mm256_set1_pd(down);
    double *to = (double *)out;
    for (; count >= 4; count -= 4, deltas += 4, to += 4) {
        __m256i integers = _mm256_add_epi64(_mm256_loadu_si256((const __m256i *)deltas), least);
        __m256d values = _mm256_mul_pd(nearest(integers), first);
        _mm256_storeu_pd(to, _mm256_mul_pd(values, second));
    }
    pqx_scale64_portable(deltas, count, frame, up, down, to);
}

AVX512 void pqx_scale32_avx512(const uint32_t *deltas, size_t count, uint32_t frame, float up,
                               float down, void *out)
{
    const __m512i least = _mm512_set1_epi32((int)frame);
    const __m512 first = _mm512_set1_ps(up), second = _mm512_set1_ps(down);
    float *to = (float *)out;
    for (; count >= 16; count -= 16, deltas += 16, to += 16) {
        __m512i integers = _mm512_add_epi32(_mm512_loadu_si512(deltas), least);
        __m512 values = _mm512_mul_ps(_mm512_cvtepi32_ps(integers), first);
        _mm512_storeu_ps(to, _mm512_mul_ps(values, second));
    }
    pqx_scale32_portable(deltas, count, frame, up, down, to);
}

AVX512 void pqx_scale64_avx512(const uint64_t *deltas, size_t count, uint64_t frame, double up,
                               double down, void *out)
{
    const __m512i least = _mm512_set1_epi64((long long)frame);
    const __m512d first = _mm512_set1_pd(up), second = _mm512_set1_pd(down);
    double *to = (double *)out;
    for (; count >= 8; count -= 8, deltas += 8, to += 8) {
        __m512i integers = _mm512_add_epi64(_mm512_loadu_si512(deltas), least);
        __m512d values = _mm512_mul_pd(_mm512_cvtepi64_pd(integers), first);
        _mm512_storeu_pd(to, _mm512_mul_pd(values, second));
    }
    pqx_scale64_portable(deltas, count, frame, up, down, to);
}

#else
typedef int pqx_scale_x86_is_empty_here;
#endif
