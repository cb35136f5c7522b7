#include "base/atomics.h"
#include "base/crc32.h"
#include "base/crc32_tables.h"

static const uint32_t slices[16][256] = PQX_SLICE_ROWS;
static const uint32_t powers[32] = PQX_CRC32_POWERS;

/* The CRC of four bytes, followed by `k` bytes. */
static inline uint32_t slice4(uint32_t word, int k)
{
    return slices[k + 3][word & 0xff] ^ slices[k + 2][word >> 8 & 0xff]
           ^ slices[k + 1][word >> 16 & 0xff] ^ slices[k][word >> 24];
}

uint32_t pqx_crc32_slice16(uint32_t crc, const uint8_t *data, size_t size)
{
    crc = ~crc;
    for (; size >= 16; data += 16, size -= 16)
        crc = slice4(crc ^ pqx_load32(data), 12) ^ slice4(pqx_load32(data + 4), 8)
              ^ slice4(pqx_load32(data + 8), 4) ^ slice4(pqx_load32(data + 12), 0);
    for (; size >= 4; data += 4, size -= 4) crc = slice4(crc ^ pqx_load32(data), 0);
    for (; size; data++, size--) crc = crc >> 8 ^ slices[0][(crc ^ *data) & 0xff];
    return ~crc;
}

#if !defined(__x86_64__) && !defined(__aarch64__)
const pqx_crc32_choice *pqx_crc32_cpu_choices(void)
{
    static const pqx_crc32_choice choices[] = {{"slice16", pqx_crc32_slice16}, {NULL, NULL}};
    return choices;
}
#endif

static const pqx_crc32_choice *choices(void)
{
    static PQX_ATOMIC(const pqx_crc32_choice *) cached;
    const pqx_crc32_choice *found = atomic_load_explicit(&cached, memory_order_relaxed);
    if (PQX_UNLIKELY(!found)) {
        found = pqx_crc32_cpu_choices();
        atomic_store_explicit(&cached, found, memory_order_relaxed);
    }
    return found;
}

/* Return choice `index`, or the terminator of the list. */
static const pqx_crc32_choice *choice_at(size_t index)
{
    const pqx_crc32_choice *choice = choices();
    for (; index && choice->name; index--) choice++;
    return choice;
}

uint32_t pqx_crc32(uint32_t crc, const uint8_t *data, size_t size)
{ return choices()->run(crc, data, size); }

const char *pqx_crc32_implementation(size_t index) { return choice_at(index)->name; }

uint32_t pqx_crc32_with(size_t index, uint32_t crc, const uint8_t *data, size_t size)
{
    const pqx_crc32_choice *choice = choice_at(index);
    return choice->name ? choice->run(crc, data, size) : pqx_crc32_slice16(crc, data, size);
}

/* Return a × b mod P, all reflected. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (; a; a <<= 1) {
        product ^= a >> 31 ? b : 0;
        b = b >> 1 ^ (b & 1 ? 0xedb88320u : 0);
    }
    return product;
}

uint32_t pqx_crc32_combine(uint32_t crc_a, uint32_t crc_b, uint64_t length_b)
{
    uint32_t shift = 0x80000000u;
    for (unsigned k = 3; length_b; k++, length_b >>= 1)
        if (length_b & 1) shift = multiply(shift, powers[k & 31]);
    return multiply(shift, crc_a) ^ crc_b;
}
