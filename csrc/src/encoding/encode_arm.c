/* The encoders' inner loops that compilers do not vectorize for NEON. */
#if defined(__aarch64__)

#include <arm_neon.h>

#include "encoding/encode.h"

static void split4(const uint8_t *values, size_t count, size_t stride, uint8_t *out)
{
    for (size_t i = 0; i < count; i += 16) {
        uint8x16x4_t bytes = vld4q_u8(values + 4 * i);
        for (int k = 0; k < 4; k++) vst1q_u8(out + k * stride + i, bytes.val[k]);
    }
}

/* Each register loads two bytes of each of eight values; then they are separated. */
static void split8(const uint8_t *values, size_t count, size_t stride, uint8_t *out)
{
    for (size_t i = 0; i < count; i += 16) {
        uint16x8x4_t low = vld4q_u16((const uint16_t *)(values + 8 * i));
        uint16x8x4_t high = vld4q_u16((const uint16_t *)(values + 8 * i + 64));
        for (int k = 0; k < 4; k++) {
            uint8x16_t first = vreinterpretq_u8_u16(low.val[k]);
            uint8x16_t second = vreinterpretq_u8_u16(high.val[k]);
            vst1q_u8(out + 2 * k * stride + i, vuzp1q_u8(first, second));
            vst1q_u8(out + (2 * k + 1) * stride + i, vuzp2q_u8(first, second));
        }
    }
}

static const pqx_encode_choice neon = {
    "neon", pqx_deltas32_portable,    pqx_deltas64_portable,   split4,
    split8, pqx_alp_round32_portable, pqx_alp_round64_portable};

const pqx_encode_choice *const *pqx_encode_choices(void)
{
    static const pqx_encode_choice *const choices[] = {&neon, &pqx_encode_portable, NULL};
    return choices;
}

#else
typedef int pqx_encode_arm_is_empty_here;
#endif
