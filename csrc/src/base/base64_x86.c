/* Decode base64, 16 characters at a time: two look-ups by nibble validate the characters, a third
 * one gives the number to add to each, and two multiplications combine four times 6 bits (Muła,
 * Lemire: Faster Base64 Encoding and Decoding Using AVX2 Instructions, 2018). */
#include "base/base64.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <tmmintrin.h>

#include "base/atomics.h"

#define LEAST_LEFT 24 /* characters: a step stores 16 bytes, of which 12 are valid */

__attribute__((target("ssse3"))) static size_t decode(const uint8_t *text, size_t size,
                                                      uint8_t *out)
{
    const __m128i bad_low = _mm_setr_epi8(0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                                          0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A);
    const __m128i bad_high = _mm_setr_epi8(0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10,
                                           0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10);
    const __m128i shifts = _mm_setr_epi8(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i order = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    const __m128i slash = _mm_set1_epi8(0x2F);
    size_t at = 0;
    for (; size - at >= LEAST_LEFT; at += 16, out += 12) {
        __m128i characters = _mm_loadu_si128((const __m128i *)(text + at));
        __m128i high = _mm_and_si128(_mm_srli_epi32(characters, 4), _mm_set1_epi8(0x0F));
        __m128i low = _mm_and_si128(characters, _mm_set1_epi8(0x0F));
        __m128i bad =
            _mm_and_si128(_mm_shuffle_epi8(bad_low, low), _mm_shuffle_epi8(bad_high, high));
        if (_mm_movemask_epi8(_mm_cmpeq_epi8(bad, _mm_setzero_si128())) != 0xFFFF) break;
        __m128i shift =
            _mm_shuffle_epi8(shifts, _mm_add_epi8(_mm_cmpeq_epi8(characters, slash), high));
        __m128i sextets = _mm_add_epi8(characters, shift);
        __m128i pairs = _mm_maddubs_epi16(sextets, _mm_set1_epi32(0x01400140));
        __m128i groups = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00011000));
        _mm_storeu_si128((__m128i *)out, _mm_shuffle_epi8(groups, order));
    }
    return at / 4;
}

/* Return 1 if the CPU has SSSE3. The answer is cached, because CPUID takes longer than decoding a
 * short text. */
static int is_wide(void)
{
    enum { UNKNOWN, NO, YES };
    static PQX_ATOMIC(int) known; /* UNKNOWN at first */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == UNKNOWN) {
        unsigned eax, ebx, ecx, edx;
        answer = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_SSSE3 ? YES : NO;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == YES;
}

size_t pqx_base64_wide_groups(const uint8_t *text, size_t size, uint8_t *out)
{ return size >= LEAST_LEFT && is_wide() ? decode(text, size, out) : 0; }

#else

size_t pqx_base64_wide_groups(const uint8_t *text, size_t size, uint8_t *out)
{
    (void)text, (void)size, (void)out;
    return 0;
}

#endif
