/* CRC-32 by carry-less multiplication. Four registers of 128 (or 256, or 512) bits process the
 * message; each step moves them ahead and adds the next 64 (or 128, or 256) bytes. crc32_tables.h
 * contains the factors; csrc/tables/crc32.py derives them. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "base/cpu_x86.h"
#include "base/crc32.h"
#include "base/crc32_tables.h"

#define FOLD128 __attribute__((target("pclmul,ssse3,sse4.1")))
#define FOLD256 __attribute__((target("vpclmulqdq,pclmul,avx2")))
#define FOLD512 __attribute__((target("vpclmulqdq,pclmul,avx512f")))
#define SMALL_FOLD FOLD128 __attribute__((always_inline)) static inline
#define WIDE_FOLD FOLD256 __attribute__((always_inline)) static inline
#define WIDEST_FOLD FOLD512 __attribute__((always_inline)) static inline
#define PAIR(...) pair_of(__VA_ARGS__)
#define TWO_PAIRS(...) two_pairs_of(__VA_ARGS__)
#define FOUR_PAIRS(...) four_pairs_of(__VA_ARGS__)

SMALL_FOLD __m128i pair_of(uint64_t first, uint64_t second)
{ return _mm_set_epi64x((int64_t)second, (int64_t)first); }
SMALL_FOLD __m128i load(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)p); }

/* Return `x`, moved ahead by the distance of `factors`, plus `next`. */
SMALL_FOLD __m128i fold(__m128i x, __m128i factors, __m128i next)
{
    __m128i first = _mm_clmulepi64_si128(x, factors, 0x00),
            second = _mm_clmulepi64_si128(x, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(first, next), second);
}

/* Return x × x^32 mod P: two multiplications reduce 128 bits to 96 and then to the quotient by P, a
 * third one to the remainder. */
SMALL_FOLD uint32_t reduce(__m128i x)
{
    const __m128i factors = PAIR(PQX_REDUCE_FIRST, PQX_REDUCE_QUOTIENT), p = PAIR(PQX_REDUCE_P, 0);
    x = _mm_xor_si128(_mm_clmulepi64_si128(x, factors, 0x00), _mm_srli_si128(x, 8));
    __m128i quotient = _mm_clmulepi64_si128(x, factors, 0x10);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(x, _mm_clmulepi64_si128(quotient, p, 0x00)),
                                       2);
}

/* Indexes that move a register's bytes right by 16 - n positions (from shuffle + n), or left by n
 * (+ n + 16). */
static const uint8_t shuffle[48] = {
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
};

/* Add the last `size` bytes, fewer than 64, to `x`. At least 16 bytes precede `data`. */
SMALL_FOLD uint32_t finish(__m128i x, const uint8_t *data, size_t size)
{
    const __m128i by16 = PAIR(PQX_FOLD_16);
    for (; size >= 16; data += 16, size -= 16) x = fold(x, by16, load(data));
    if (size) {
        __m128i keep = load(shuffle + size + 16);
        __m128i ahead = _mm_shuffle_epi8(x, load(shuffle + size));
        x = _mm_blendv_epi8(_mm_shuffle_epi8(x, keep), load(data + size - 16), keep);
        x = fold(ahead, by16, x);
    }
    return ~reduce(x);
}

FOLD128 static uint32_t crc32_pclmul(uint32_t crc, const uint8_t *data, size_t size)
{
    if (size < 16) return pqx_crc32_slice16(crc, data, size);
    __m128i a = _mm_xor_si128(load(data), _mm_cvtsi32_si128((int)~crc));
    if (size < 64) return finish(a, data + 16, size - 16);

    const __m128i by64 = PAIR(PQX_FOLD_64);
    __m128i b = load(data + 16), c = load(data + 32), d = load(data + 48);
    for (data += 64, size -= 64; size >= 64; data += 64, size -= 64) {
        a = fold(a, by64, load(data));
        b = fold(b, by64, load(data + 16));
        c = fold(c, by64, load(data + 32));
        d = fold(d, by64, load(data + 48));
    }
    a = fold(a, PAIR(PQX_FOLD_48), d);
    b = fold(b, PAIR(PQX_FOLD_32), fold(c, PAIR(PQX_FOLD_16), a));
    return finish(b, data, size);
}

#if defined(__clang__) || __GNUC__ >= 8
#define PQX_HAS_WIDE_FOLD 1

WIDE_FOLD __m256i two_pairs_of(uint64_t first, uint64_t second)
{ return _mm256_set_epi64x((int64_t)second, (int64_t)first, (int64_t)second, (int64_t)first); }
WIDE_FOLD __m256i load_wide(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

WIDE_FOLD __m256i fold_wide(__m256i x, __m256i factors, __m256i next)
{
    __m256i first = _mm256_clmulepi64_epi128(x, factors, 0x00),
            second = _mm256_clmulepi64_epi128(x, factors, 0x11);
    return _mm256_xor_si256(_mm256_xor_si256(first, next), second);
}

FOLD256 static uint32_t crc32_vpclmul(uint32_t crc, const uint8_t *data, size_t size)
{
    if (size < 256) return crc32_pclmul(crc, data, size);
    const __m256i by128 = TWO_PAIRS(PQX_FOLD_128), by64 = TWO_PAIRS(PQX_FOLD_64);
    __m256i a =
        _mm256_xor_si256(load_wide(data), _mm256_zextsi128_si256(_mm_cvtsi32_si128((int)~crc)));
    __m256i b = load_wide(data + 32), c = load_wide(data + 64), d = load_wide(data + 96);
    for (data += 128, size -= 128; size >= 128; data += 128, size -= 128) {
        a = fold_wide(a, by128, load_wide(data));
        b = fold_wide(b, by128, load_wide(data + 32));
        c = fold_wide(c, by128, load_wide(data + 64));
        d = fold_wide(d, by128, load_wide(data + 96));
    }
    c = fold_wide(a, by64, c);
    d = fold_wide(b, by64, d);
    if (size >= 64) {
        c = fold_wide(c, by64, load_wide(data));
        d = fold_wide(d, by64, load_wide(data + 32));
        data += 64, size -= 64;
    }
    __m128i x = fold(_mm256_castsi256_si128(c), PAIR(PQX_FOLD_48), _mm256_extracti128_si256(d, 1));
    __m128i y = fold(_mm256_castsi256_si128(d), PAIR(PQX_FOLD_16), x);
    return finish(fold(_mm256_extracti128_si256(c, 1), PAIR(PQX_FOLD_32), y), data, size);
}

WIDEST_FOLD __m512i four_pairs_of(uint64_t first, uint64_t second)
{ return _mm512_set4_epi64((int64_t)second, (int64_t)first, (int64_t)second, (int64_t)first); }
WIDEST_FOLD __m512i load_widest(const uint8_t *p) { return _mm512_loadu_si512(p); }

WIDEST_FOLD __m512i fold_widest(__m512i x, __m512i factors, __m512i next)
{
    __m512i first = _mm512_clmulepi64_epi128(x, factors, 0x00),
            second = _mm512_clmulepi64_epi128(x, factors, 0x11);
    return _mm512_ternarylogic_epi64(first, second, next, 0x96); /* the sum of all three */
}

#define WORTH_ALIGNING 16384 /* smaller inputs: aligning costs more than it saves */

FOLD512 static uint32_t crc32_vpclmul512(uint32_t crc, const uint8_t *data, size_t size)
{
    if (size < 512) return crc32_vpclmul(crc, data, size);
    if (size >= WORTH_ALIGNING) { /* otherwise every load would cross two cache lines */
        size_t head = -(uintptr_t)data & 63;
        crc = crc32_pclmul(crc, data, head);
        data += head, size -= head;
    }
    const __m512i by256 = FOUR_PAIRS(PQX_FOLD_256), by128 = FOUR_PAIRS(PQX_FOLD_128),
                  by64 = FOUR_PAIRS(PQX_FOLD_64);
    __m512i a =
        _mm512_xor_si512(load_widest(data), _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)~crc)));
    __m512i b = load_widest(data + 64), c = load_widest(data + 128), d = load_widest(data + 192);
    for (data += 256, size -= 256; size >= 256; data += 256, size -= 256) {
        a = fold_widest(a, by256, load_widest(data));
        b = fold_widest(b, by256, load_widest(data + 64));
        c = fold_widest(c, by256, load_widest(data + 128));
        d = fold_widest(d, by256, load_widest(data + 192));
    }
    d = fold_widest(fold_widest(a, by128, c), by64, fold_widest(b, by128, d));
    for (; size >= 64; data += 64, size -= 64) d = fold_widest(d, by64, load_widest(data));
    __m128i x = fold(_mm512_castsi512_si128(d), PAIR(PQX_FOLD_48), _mm512_extracti32x4_epi32(d, 3));
    __m128i y = fold(_mm512_extracti32x4_epi32(d, 2), PAIR(PQX_FOLD_16), x);
    return finish(fold(_mm512_extracti32x4_epi32(d, 1), PAIR(PQX_FOLD_32), y), data, size);
}
#endif

const pqx_crc32_choice *pqx_crc32_cpu_choices(void)
{
    static const pqx_crc32_choice choices[] = {
#ifdef PQX_HAS_WIDE_FOLD
        {"vpclmul512", crc32_vpclmul512}, {"vpclmul", crc32_vpclmul},
#endif
        {"pclmul", crc32_pclmul},         {"slice16", pqx_crc32_slice16}, {NULL, NULL},
    };
    const pqx_crc32_choice *portable = choices + sizeof choices / sizeof *choices - 2;
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return portable;
    if (!(ecx & bit_PCLMUL) || !(ecx & bit_SSSE3) || !(ecx & bit_SSE4_1)) return portable;
#ifdef PQX_HAS_WIDE_FOLD
    uint32_t kept = pqx_kept_by_system(ecx);
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(ecx & bit_VPCLMULQDQ))
        return portable - 1;
    if ((kept & PQX_ZMM_STATE) == PQX_ZMM_STATE && ebx & bit_AVX512F) return choices;
    if ((kept & PQX_YMM_STATE) == PQX_YMM_STATE && ebx & bit_AVX2) return choices + 1;
#endif
    return portable - 1;
}

#else
typedef int pqx_crc32_x86_is_empty_here;
#endif
