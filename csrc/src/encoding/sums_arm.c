/* Running sums in registers, as on x86-64. A register holds two 64-bit integers; these use the
 * portable loop, because NEON would save a fifth of its instructions but none of the additions. */
#if defined(__aarch64__)

#include <arm_neon.h>

#include "encoding/sums.h"

/* Compute each lane's sum with all lanes before it. */
PQX_INLINE uint32x4_t sums_within(uint32x4_t values)
{
    const uint32x4_t zeros = vdupq_n_u32(0);
    values = vaddq_u32(values, vextq_u32(zeros, values, 3));
    return vaddq_u32(values, vextq_u32(zeros, values, 2));
}

PQX_INLINE void store(uint8_t *to, uint32x4_t values)
{ vst1q_u8(to, vreinterpretq_u8_u32(values)); }

uint32_t pqx_sum32_neon(const uint32_t *deltas, size_t count, uint32_t least, uint32_t last,
                        void *out)
{
    const uint32x4_t lowest = vdupq_n_u32(least);
    uint32x4_t before = vdupq_n_u32(last);
    uint8_t *to = (uint8_t *)out;
    size_t i = 0;
    for (; count - i >= 8; i += 8) {
        uint32x4_t low = sums_within(vaddq_u32(vld1q_u32(deltas + i), lowest));
        uint32x4_t high = sums_within(vaddq_u32(vld1q_u32(deltas + i + 4), lowest));
        high = vaddq_u32(high, vdupq_laneq_u32(low, 3));
        store(to + 4 * i, vaddq_u32(low, before));
        store(to + 4 * i + 16, vaddq_u32(high, before));
        before = vaddq_u32(before, vdupq_laneq_u32(high, 3));
    }
    last = vgetq_lane_u32(before, 0);
    return pqx_sum32_portable(deltas + i, count - i, least, last, to + 4 * i);
}

#else
typedef int pqx_sums_arm_is_empty_here;
#endif
