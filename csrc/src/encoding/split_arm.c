/* Join the bytes of 16 values with zips, and with stores that interleave four registers. */
#if defined(__aarch64__)

#include <arm_neon.h>

#include "encoding/split.h"

enum { AT_ONCE = 16 }; /* values: as many as a register has bytes */

/* Interleave the bytes of 16 values from two streams: 8 values in each result. */
PQX_INLINE uint16x8x2_t zip_bytes(const uint8_t *stream, size_t stride)
{
    uint8x16_t first = vld1q_u8(stream), second = vld1q_u8(stream + stride);
    return (uint16x8x2_t){{vreinterpretq_u16_u8(vzip1q_u8(first, second)),
                           vreinterpretq_u16_u8(vzip2q_u8(first, second))}};
}

PQX_INLINE void join_8(const uint8_t *streams, size_t stride, uint8_t *out)
{
    uint16x8x4_t low, high;
    for (int k = 0; k < 4; k++) {
        uint16x8x2_t both = zip_bytes(streams + 2 * k * stride, stride);
        low.val[k] = both.val[0], high.val[k] = both.val[1];
    }
    vst4q_u16((uint16_t *)out, low);
    vst4q_u16((uint16_t *)(out + 64), high);
}

PQX_INLINE void join_16(const uint8_t *streams, size_t stride, uint8_t *out)
{
    uint32x4x4_t fours[4]; /* of four values each, by the four bytes of each of its registers */
    for (int k = 0; k < 4; k++, streams += 4 * stride) {
        uint16x8x2_t first = zip_bytes(streams, stride);
        uint16x8x2_t second = zip_bytes(streams + 2 * stride, stride);
        for (int half = 0; half < 2; half++) {
            uint16x8x2_t both = vzipq_u16(first.val[half], second.val[half]);
            fours[2 * half].val[k] = vreinterpretq_u32_u16(both.val[0]);
            fours[2 * half + 1].val[k] = vreinterpretq_u32_u16(both.val[1]);
        }
    }
    for (int k = 0; k < 4; k++) vst4q_u32((uint32_t *)(out + 64 * k), fours[k]);
}

void pqx_join_neon(const uint8_t *streams, size_t stride, size_t width, size_t count, uint8_t *out)
{
    size_t whole = width == 8 || width == 16 ? count / AT_ONCE * AT_ONCE : 0;
    for (size_t i = 0; i < whole; i += AT_ONCE)
        if (width == 8) join_8(streams + i, stride, out + i * 8);
        else join_16(streams + i, stride, out + i * 16);
    /* For 2 and 4 bytes, compilers generate such stores. */
    pqx_join_portable(streams + whole, stride, width, count - whole, out + whole * width);
}

#else
typedef int pqx_split_arm_is_empty_here;
#endif
