/* Unpack with shuffles: each lane gets the bytes of its value, and shifts them. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "base/cpu_x86.h"
#include "encoding/expand.h"
#include "encoding/loops.h"
#include "encoding/scale.h"
#include "encoding/split.h"
#include "encoding/sums.h"

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#define INLINE2 AVX2 __attribute__((always_inline)) static inline
#define INLINE512 AVX512 __attribute__((always_inline)) static inline

enum {
    WIDEST_IN_4 = 25, /* bits that fit in 4 bytes after up to 7 others */
    WIDEST_IN_8 = 57, /* and 8 bytes */
    FEW = 16,         /* for fewer values, preparing a shuffle takes longer than it saves */
};

/* ---- 256 bits: each half takes its bytes from a load of 16 ---- */

/* The lanes' byte positions within the loads of the halves, and their shifts. */
typedef struct halves {
    __m256i bytes, shifts, mask;
    size_t second; /* offset of the second half's load */
} halves;

INLINE2 halves halves_of_4(unsigned shift, uint32_t width)
{
    __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i bits = _mm256_add_epi32(_mm256_mullo_epi32(lanes, _mm256_set1_epi32((int)width)),
                                    _mm256_set1_epi32((int)shift));
    halves made = {.second = (shift + 4 * width) >> 3};
    __m256i start = _mm256_set_m128i(_mm_set1_epi32((int)made.second), _mm_setzero_si128());
    __m256i first = _mm256_sub_epi32(_mm256_srli_epi32(bits, 3), start);
    made.bytes = _mm256_add_epi32(_mm256_mullo_epi32(first, _mm256_set1_epi32(0x01010101)),
                                  _mm256_set1_epi32(0x03020100));
    made.shifts = _mm256_and_si256(bits, _mm256_set1_epi32(7));
    made.mask = _mm256_set1_epi32((int)((1u << width) - 1));
    return made;
}

INLINE2 halves halves_of_8(unsigned shift, uint32_t width)
{
    halves made = {.second = (shift + 2 * width) >> 3};
    uint64_t one = 0x0101010101010101u, order = 0x0706050403020100u;
    uint64_t second = shift + width, fourth = shift + 3 * width;
    made.bytes = _mm256_set_epi64x((long long)(((fourth >> 3) - made.second) * one + order),
                                   (long long)order, (long long)((second >> 3) * one + order),
                                   (long long)order);
    made.shifts = _mm256_set_epi64x((long long)(fourth & 7), (long long)((shift + 2 * width) & 7),
                                    (long long)(second & 7), (long long)shift);
    made.mask = _mm256_set1_epi64x((long long)(UINT64_MAX >> (64 - width)));
    return made;
}

INLINE2 __m256i load_halves(const uint8_t *at, const halves *how)
{
    __m128i low = _mm_loadu_si128((const __m128i *)at);
    __m128i high = _mm_loadu_si128((const __m128i *)(at + how->second));
    return _mm256_shuffle_epi8(_mm256_set_m128i(high, low), how->bytes);
}

INLINE2 uint32_t highest_of(__m256i values)
{
    __m128i four =
        _mm_max_epu32(_mm256_castsi256_si128(values), _mm256_extracti128_si256(values, 1));
    __m128i two = _mm_max_epu32(four, _mm_shuffle_epi32(four, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(two, _mm_shuffle_epi32(two, 0xb1)));
}

AVX2 static uint32_t unpack32_avx2(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                                   size_t count, uint32_t *out)
{
    uint32_t highest = 0, rest;
    if (width <= WIDEST_IN_4 && count >= FEW) {
        const uint8_t *at = data + (bit >> 3);
        const halves how = halves_of_4(bit & 7, width);
        size_t steps = pqx_steps_within(size - (size_t)(bit >> 3), how.second, width, count / 8);
        __m256i most = _mm256_setzero_si256();
        for (size_t i = 0; i < steps; i++, at += width, out += 8) {
            __m256i values =
                _mm256_and_si256(_mm256_srlv_epi32(load_halves(at, &how), how.shifts), how.mask);
            most = _mm256_max_epu32(most, values);
            _mm256_storeu_si256((__m256i *)out, values);
        }
        highest = highest_of(most);
        bit += (uint64_t)steps * 8 * width;
        count -= steps * 8;
    }
    rest = pqx_portable_loops.unpack32(data, size, bit, width, count, out);
    return rest > highest ? rest : highest;
}

AVX2 static uint32_t unpack16_avx2(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                                   size_t count, uint16_t *out)
{
    uint32_t highest = 0, rest;
    if (count >= FEW) {
        const uint8_t *at = data + (bit >> 3);
        const halves how = halves_of_4(bit & 7, width);
        size_t steps = pqx_steps_within(size - (size_t)(bit >> 3), how.second, width, count / 8);
        __m256i most = _mm256_setzero_si256();
        for (size_t i = 0; i < steps; i++, at += width, out += 8) {
            __m256i values =
                _mm256_and_si256(_mm256_srlv_epi32(load_halves(at, &how), how.shifts), how.mask);
            most = _mm256_max_epu32(most, values);
            _mm_storeu_si128((__m128i *)out, _mm_packus_epi32(_mm256_castsi256_si128(values),
                                                              _mm256_extracti128_si256(values, 1)));
        }
        highest = highest_of(most);
        bit += (uint64_t)steps * 8 * width;
        count -= steps * 8;
    }
    rest = pqx_portable_loops.unpack16(data, size, bit, width, count, out);
    return rest > highest ? rest : highest;
}

/* Unpack eight values in two steps, so that a step ends at the same bit of a byte at which it
 * begins. */
AVX2 static void unpack64_avx2(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                               size_t count, uint64_t *out)
{
    if (width <= WIDEST_IN_8 && count >= FEW) {
        const uint8_t *at = data + (bit >> 3);
        const unsigned middle = (unsigned)(bit & 7) + 4 * width;
        const halves first = halves_of_8(bit & 7, width), second = halves_of_8(middle & 7, width);
        size_t steps = pqx_steps_within(size - (size_t)(bit >> 3), (middle >> 3) + second.second,
                                        width, count / 8);
        for (size_t i = 0; i < steps; i++, at += width, out += 8) {
            __m256i low = load_halves(at, &first), high = load_halves(at + (middle >> 3), &second);
            low = _mm256_and_si256(_mm256_srlv_epi64(low, first.shifts), first.mask);
            high = _mm256_and_si256(_mm256_srlv_epi64(high, second.shifts), first.mask);
            _mm256_storeu_si256((__m256i *)out, low);
            _mm256_storeu_si256((__m256i *)(out + 4), high);
        }
        bit += (uint64_t)steps * 8 * width;
        count -= steps * 8;
    }
    pqx_portable_loops.unpack64(data, size, bit, width, count, out);
}

static const pqx_loops avx2_loops = {
    "avx2",         unpack16_avx2,  unpack32_avx2,       unpack64_avx2,    pqx_join_portable,
    pqx_sum32_avx2, pqx_sum64_avx2, pqx_expand_portable, pqx_scale32_avx2, pqx_scale64_avx2};

/* ---- 512 bits: one load for all lanes, and masks at the end of the bytes or values ---- */

INLINE512 __m512i load_up_to_64(const uint8_t *at, const uint8_t *end)
{
    size_t left = (size_t)(end - at);
    return PQX_LIKELY(left >= 64) ? _mm512_loadu_si512(at)
                                  : _mm512_maskz_loadu_epi8(UINT64_MAX >> (64 - left), at);
}

/* 16 lanes of 4 bytes. */
typedef struct sixteen {
    __m512i bytes, shifts, mask;
} sixteen;

INLINE512 sixteen sixteen_of(unsigned shift, uint32_t width)
{
    __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i bits = _mm512_add_epi32(_mm512_mullo_epi32(lanes, _mm512_set1_epi32((int)width)),
                                    _mm512_set1_epi32((int)shift));
    __m512i first = _mm512_mullo_epi32(_mm512_srli_epi32(bits, 3), _mm512_set1_epi32(0x01010101));
    return (sixteen){_mm512_add_epi32(first, _mm512_set1_epi32(0x03020100)),
                     _mm512_and_si512(bits, _mm512_set1_epi32(7)),
                     _mm512_set1_epi32((int)((1u << width) - 1))};
}

INLINE512 __m512i take_sixteen(const uint8_t *at, const uint8_t *end, const sixteen *how)
{
    __m512i bytes = _mm512_permutexvar_epi8(how->bytes, load_up_to_64(at, end));
    return _mm512_and_si512(_mm512_srlv_epi32(bytes, how->shifts), how->mask);
}

AVX512 static uint32_t unpack32_avx512(const uint8_t *data, size_t size, uint64_t bit,
                                       uint32_t width, size_t count, uint32_t *out)
{
    if (width > WIDEST_IN_4 || count <= FEW / 2)
        return pqx_portable_loops.unpack32(data, size, bit, width, count, out);
    const uint8_t *at = data + (bit >> 3), *end = data + size;
    const sixteen how = sixteen_of(bit & 7, width);
    __m512i most = _mm512_setzero_si512();
    for (; count >= 16; at += 2 * width, out += 16, count -= 16) {
        __m512i values = take_sixteen(at, end, &how);
        most = _mm512_max_epu32(most, values);
        _mm512_storeu_si512(out, values);
    }
    if (count) {
        __mmask16 some = (__mmask16)((1u << count) - 1);
        __m512i values = take_sixteen(at, end, &how);
        most = _mm512_mask_max_epu32(most, some, most, values);
        _mm512_mask_storeu_epi32(out, some, values);
    }
    return _mm512_reduce_max_epu32(most);
}

AVX512 static uint32_t unpack16_avx512(const uint8_t *data, size_t size, uint64_t bit,
                                       uint32_t width, size_t count, uint16_t *out)
{
    if (count <= FEW / 2) return pqx_portable_loops.unpack16(data, size, bit, width, count, out);
    const uint8_t *at = data + (bit >> 3), *end = data + size;
    const sixteen how = sixteen_of(bit & 7, width);
    __m512i most = _mm512_setzero_si512();
    for (; count >= 16; at += 2 * width, out += 16, count -= 16) {
        __m512i values = take_sixteen(at, end, &how);
        most = _mm512_max_epu32(most, values);
        _mm256_storeu_si256((__m256i *)out, _mm512_cvtepi32_epi16(values));
    }
    if (count) {
        __mmask16 some = (__mmask16)((1u << count) - 1);
        __m512i values = take_sixteen(at, end, &how);
        most = _mm512_mask_max_epu32(most, some, most, values);
        _mm256_mask_storeu_epi16(out, some, _mm512_cvtepi32_epi16(values));
    }
    return _mm512_reduce_max_epu32(most);
}

AVX512 static void unpack64_avx512(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                                   size_t count, uint64_t *out)
{
    if (width > WIDEST_IN_8 || count <= FEW / 4) {
        pqx_portable_loops.unpack64(data, size, bit, width, count, out);
        return;
    }
    const uint8_t *at = data + (bit >> 3), *end = data + size;
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i bits = _mm512_add_epi64(_mm512_mul_epu32(lanes, _mm512_set1_epi64(width)),
                                          _mm512_set1_epi64((long long)(bit & 7)));
    const __m512i lowest = _mm512_set4_epi64(0x0808080808080808, 0, 0x0808080808080808, 0);
    const __m512i first = _mm512_shuffle_epi8(_mm512_srli_epi64(bits, 3), lowest);
    const __m512i bytes = _mm512_add_epi64(first, _mm512_set1_epi64(0x0706050403020100));
    const __m512i shifts = _mm512_and_si512(bits, _mm512_set1_epi64(7));
    const __m512i mask = _mm512_set1_epi64((long long)(UINT64_MAX >> (64 - width)));
    for (;; at += width, out += 8, count -= 8) {
        __m512i values = _mm512_permutexvar_epi8(bytes, load_up_to_64(at, end));
        values = _mm512_and_si512(_mm512_srlv_epi64(values, shifts), mask);
        if (count <= 8) {
            _mm512_mask_storeu_epi64(out, (__mmask8)((1u << count) - 1), values);
            return;
        }
        _mm512_storeu_si512(out, values);
    }
}

static const pqx_loops avx512_loops = {
    "avx512",       unpack16_avx512, unpack32_avx512,   unpack64_avx512,    pqx_join_portable,
    pqx_sum32_avx2, pqx_sum64_avx2,  pqx_expand_avx512, pqx_scale32_avx512, pqx_scale64_avx512};

const pqx_loops *const *pqx_cpu_loops(void)
{
    static const pqx_loops *const choices[] = {&avx512_loops, &avx2_loops, &pqx_portable_loops,
                                               NULL};
    const uint32_t wide = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return choices + 2;
    uint32_t kept = pqx_kept_by_system(ecx);
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return choices + 2;
    if ((kept & PQX_ZMM_STATE) == PQX_ZMM_STATE && (ebx & wide) == wide && ecx & bit_AVX512VBMI)
        return choices;
    return (kept & PQX_YMM_STATE) == PQX_YMM_STATE && ebx & bit_AVX2 ? choices + 1 : choices + 2;
}

#else
typedef int pqx_bits_x86_is_empty_here;
#endif
