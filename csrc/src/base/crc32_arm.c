/* CRC-32 on ARMv8: the CRC32 instructions, preceded by a fold by four over 128-bit registers if the
 * CPU has polynomial multiplication. crc32_tables.h contains the factors; csrc/tables/crc32.py
 * derives them. */
#if defined(__aarch64__)

#include <arm_acle.h>
#include <arm_neon.h>

#include "base/crc32.h"
#include "base/crc32_tables.h"
#include "base/port.h"

#define WITH_CRC __attribute__((target("+crc")))
#define WITH_PMULL __attribute__((target("+crc+crypto")))
#define PAIR(...) pair_of(__VA_ARGS__)

/* `crc` is inverted, as an argument and in the result. */
WITH_CRC static inline uint32_t crc_of(uint32_t crc, const uint8_t *data, size_t size)
{
    for (; size >= 8; data += 8, size -= 8) crc = __crc32d(crc, pqx_load64(data));
    if (size & 4) crc = __crc32w(crc, pqx_load32(data)), data += 4;
    if (size & 2) crc = __crc32h(crc, pqx_load16(data)), data += 2;
    if (size & 1) crc = __crc32b(crc, *data);
    return crc;
}

WITH_CRC static uint32_t crc32_armv8(uint32_t crc, const uint8_t *data, size_t size)
{ return ~crc_of(~crc, data, size); }

WITH_PMULL static inline uint64x2_t pair_of(uint64_t first, uint64_t second)
{ return vcombine_u64(vcreate_u64(first), vcreate_u64(second)); }
WITH_PMULL static inline uint64x2_t load(const uint8_t *p)
{ return vreinterpretq_u64_u8(vld1q_u8(p)); }

/* Return `x`, moved ahead by the distance of `factors`, plus `next`. */
WITH_PMULL static inline uint64x2_t fold(uint64x2_t x, uint64x2_t factors, uint64x2_t next)
{
    poly128_t first =
        vmull_p64((poly64_t)vgetq_lane_u64(x, 0), (poly64_t)vgetq_lane_u64(factors, 0));
    poly128_t second = vmull_high_p64(vreinterpretq_p64_u64(x), vreinterpretq_p64_u64(factors));
    return veorq_u64(veorq_u64(vreinterpretq_u64_p128(first), next),
                     vreinterpretq_u64_p128(second));
}

WITH_PMULL static inline uint32_t crc_of_register(uint32_t crc, uint64x2_t x)
{ return __crc32d(__crc32d(crc, vgetq_lane_u64(x, 0)), vgetq_lane_u64(x, 1)); }

WITH_PMULL static uint32_t crc32_pmull(uint32_t crc, const uint8_t *data, size_t size)
{
    if (size < 256) return ~crc_of(~crc, data, size);
    const uint64x2_t by64 = PAIR(PQX_FOLD_64);
    uint64x2_t a = veorq_u64(load(data), PAIR((uint64_t)(uint32_t)~crc, 0));
    uint64x2_t b = load(data + 16), c = load(data + 32), d = load(data + 48);
    for (data += 64, size -= 64; size >= 64; data += 64, size -= 64) {
        a = fold(a, by64, load(data));
        b = fold(b, by64, load(data + 16));
        c = fold(c, by64, load(data + 32));
        d = fold(d, by64, load(data + 48));
    }
    c = fold(a, PAIR(PQX_FOLD_32), c);
    d = fold(b, PAIR(PQX_FOLD_32), d);
    return ~crc_of(crc_of_register(crc_of_register(0, c), d), data, size);
}

const pqx_crc32_choice *pqx_crc32_cpu_choices(void)
{
    static const pqx_crc32_choice choices[] = {
        {"pmull", crc32_pmull},
        {"armv8", crc32_armv8},
        {"slice16", pqx_crc32_slice16},
        {NULL, NULL},
    };
    unsigned has = pqx_arm_features();
    if (!(has & PQX_ARM_CRC32)) return choices + 2;
    return has & PQX_ARM_PMULL ? choices : choices + 1;
}

#else
typedef int pqx_crc32_arm_is_empty_here;
#endif
