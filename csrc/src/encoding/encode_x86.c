/* The encoders' inner loops with AVX2 and AVX-512. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "encoding/encode_alp_rounds.h"
#include "encoding/encode_delta_blocks.h"

#define WIDE __attribute__((target("avx2,bmi")))
#define WIDEST __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi")))

WIDE static uint32_t deltas32(const uint8_t *values, size_t count, uint32_t before,
                              uint32_t *deltas, uint8_t widths[4])
{ return pqx_block_deltas32(values, count, before, deltas, widths); }

WIDE static uint64_t deltas64(const uint8_t *values, size_t count, uint64_t before,
                              uint64_t *deltas, uint8_t widths[4])
{ return pqx_block_deltas64(values, count, before, deltas, widths); }

WIDE static PQX_DEFINE_ALP_ROUND(round32_avx2, 32, 32, float, 0x1p23) WIDE
    static PQX_DEFINE_ALP_ROUND(round64_avx2, 32, 64, double, 0x1p52) WIDEST
    static PQX_DEFINE_ALP_ROUND(round32_avx512, 64, 32, float, 0x1p23) WIDEST
    static PQX_DEFINE_ALP_ROUND(round64_avx512, 64, 64, double, 0x1p52)

/* Load 16 bytes of values at `near` and 16 of the values 16 positions later, so that both halves of
 * a register take the same steps and end as 32 bytes in order. */
#define LOAD(near, far)                                                                       \
    _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(near))), \
                            _mm_loadu_si128((const __m128i *)(far)), 1)
#define STORE(to, x) _mm256_storeu_si256((__m256i *)(to), x)

    /* Each half contains four values: collect their bytes 0, their bytes 1, ...; then transpose the
     * resulting 4 × 4 groups of 4 bytes. */
    WIDE static void split4(const uint8_t *values, size_t count, size_t stride, uint8_t *out)
{
    const __m256i by_byte = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    for (size_t i = 0; i < count; i += 32) {
        const uint8_t *from = values + i * 4;
        __m256i rows[4];
        for (int r = 0; r < 4; r++)
            rows[r] = _mm256_shuffle_epi8(LOAD(from + r * 16, from + 64 + r * 16), by_byte);
        __m256i a = _mm256_unpacklo_epi32(rows[0], rows[1]),
                b = _mm256_unpacklo_epi32(rows[2], rows[3]),
                c = _mm256_unpackhi_epi32(rows[0], rows[1]),
                d = _mm256_unpackhi_epi32(rows[2], rows[3]);
        STORE(out + i, _mm256_unpacklo_epi64(a, b));
        STORE(out + stride + i, _mm256_unpackhi_epi64(a, b));
        STORE(out + 2 * stride + i, _mm256_unpacklo_epi64(c, d));
        STORE(out + 3 * stride + i, _mm256_unpackhi_epi64(c, d));
    }
}

/* Each half contains two values: collect their bytes 0, their bytes 1, ...; then transpose 8 × 8
 * pairs. */
WIDE static void split8(const uint8_t *values, size_t count, size_t stride, uint8_t *out)
{
    const __m256i by_byte = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    for (size_t i = 0; i < count; i += 32) {
        const uint8_t *from = values + i * 8;
        __m256i rows[8], pairs[8], fours[8];
        for (int r = 0; r < 8; r++)
            rows[r] = _mm256_shuffle_epi8(LOAD(from + r * 16, from + 128 + r * 16), by_byte);
        for (int r = 0; r < 4; r++) {
            pairs[r] = _mm256_unpacklo_epi16(rows[2 * r], rows[2 * r + 1]);
            pairs[r + 4] = _mm256_unpackhi_epi16(rows[2 * r], rows[2 * r + 1]);
        }
        for (int half = 0; half < 8; half += 4)
            for (int r = 0; r < 2; r++) {
                __m256i one = pairs[half + 2 * r], other = pairs[half + 2 * r + 1];
                fours[half + r] = _mm256_unpacklo_epi32(one, other);
                fours[half + r + 2] = _mm256_unpackhi_epi32(one, other);
            }
        for (int r = 0; r < 8; r += 2) {
            STORE(out + r * stride + i, _mm256_unpacklo_epi64(fours[r], fours[r + 1]));
            STORE(out + (r + 1) * stride + i, _mm256_unpackhi_epi64(fours[r], fours[r + 1]));
        }
    }
}

static const pqx_encode_choice avx2 = {"avx2", deltas32,     deltas64,    split4,
                                       split8, round32_avx2, round64_avx2};
static const pqx_encode_choice avx512 = {"avx512", deltas32,       deltas64,      split4,
                                         split8,   round32_avx512, round64_avx512};

const pqx_encode_choice *const *pqx_encode_choices(void)
{
    static const pqx_encode_choice *const choices[] = {&avx512, &avx2, &pqx_encode_portable, NULL};
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi")) return choices + 2;
    int is_wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                  && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return is_wide ? choices : choices + 1;
}

#else
typedef int pqx_encode_x86_is_empty_here;
#endif
