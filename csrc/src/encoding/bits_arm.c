/* Unpack with table look-ups: each lane gets the bytes of its value, and shifts them. Every ARMv8
 * CPU has NEON, so no run-time check is needed. */
#if defined(__aarch64__)

#include <arm_neon.h>

#include "encoding/bits.h"
#include "encoding/expand.h"
#include "encoding/loops.h"
#include "encoding/scale.h"
#include "encoding/split.h"
#include "encoding/sums.h"

enum {
    WIDEST_IN_2 = 9, /* bits that fit in 2 bytes after up to 7 others */
    WIDEST_IN_4 = 25,
    WIDEST_IN_8 = 57,
    FEW = 16, /* for fewer values, preparing a look-up takes longer than it saves */
};

/* The lanes' byte positions within a load of 16, and their shifts; negative shifts go right. */
typedef struct lanes {
    uint8x16_t bytes;
    int8x16_t shifts; /* of each lane, in lanes of the same width */
    size_t from;      /* offset of the load */
} lanes;

/* Prepare eight values of 2 bytes each, the first one at bit `bit`. */
PQX_INLINE lanes lanes_of_2(unsigned bit, uint32_t width)
{
    static const uint16_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint16x8_t bits = vmlaq_n_u16(vdupq_n_u16(bit & 7), vld1q_u16(numbers), (uint16_t)width);
    uint16x8_t bytes = vmlaq_n_u16(vdupq_n_u16(0x0100), vshrq_n_u16(bits, 3), 0x0101);
    int16x8_t shifts = vnegq_s16(vreinterpretq_s16_u16(vandq_u16(bits, vdupq_n_u16(7))));
    return (lanes){vreinterpretq_u8_u16(bytes), vreinterpretq_s8_s16(shifts), bit >> 3};
}

/* Prepare four values of 4 bytes each. */
PQX_INLINE lanes lanes_of_4(unsigned bit, uint32_t width)
{
    static const uint32_t numbers[4] = {0, 1, 2, 3};
    uint32x4_t bits = vmlaq_n_u32(vdupq_n_u32(bit & 7), vld1q_u32(numbers), width);
    uint32x4_t bytes = vmlaq_n_u32(vdupq_n_u32(0x03020100), vshrq_n_u32(bits, 3), 0x01010101);
    int32x4_t shifts = vnegq_s32(vreinterpretq_s32_u32(vandq_u32(bits, vdupq_n_u32(7))));
    return (lanes){vreinterpretq_u8_u32(bytes), vreinterpretq_s8_s32(shifts), bit >> 3};
}

/* Prepare two values of 8 bytes each. */
PQX_INLINE lanes lanes_of_8(unsigned bit, uint32_t width)
{
    const uint64_t order = 0x0706050403020100u, one = 0x0101010101010101u;
    const unsigned first = bit & 7, second = first + width;
    uint64x2_t bytes = vcombine_u64(vcreate_u64(order), vcreate_u64((second >> 3) * one + order));
    int64x2_t shifts =
        vcombine_s64(vdup_n_s64(-(int64_t)first), vdup_n_s64(-(int64_t)(second & 7)));
    return (lanes){vreinterpretq_u8_u64(bytes), vreinterpretq_s8_s64(shifts), bit >> 3};
}

PQX_INLINE uint8x16_t look_up(const uint8_t *at, const lanes *how)
{ return vqtbl1q_u8(vld1q_u8(at + how->from), how->bytes); }

PQX_INLINE uint16x8_t take_2(const uint8_t *at, const lanes *how, uint16x8_t mask)
{
    uint16x8_t values = vreinterpretq_u16_u8(look_up(at, how));
    return vandq_u16(vshlq_u16(values, vreinterpretq_s16_s8(how->shifts)), mask);
}

PQX_INLINE uint32x4_t take_4(const uint8_t *at, const lanes *how, uint32x4_t mask)
{
    uint32x4_t values = vreinterpretq_u32_u8(look_up(at, how));
    return vandq_u32(vshlq_u32(values, vreinterpretq_s32_s8(how->shifts)), mask);
}

PQX_INLINE uint64x2_t take_8(const uint8_t *at, const lanes *how, uint64x2_t mask)
{
    uint64x2_t values = vreinterpretq_u64_u8(look_up(at, how));
    return vandq_u64(vshlq_u64(values, vreinterpretq_s64_s8(how->shifts)), mask);
}

/* Unpack up to `count` values of up to 9 bits, eight in each step, into 16 or 32 bits each. Return
 * their number. */
PQX_INLINE size_t unpack_narrow(const uint8_t *at, size_t left, unsigned bit, uint32_t width,
                                size_t count, void *out, int bytes, uint32_t *highest)
{
    const lanes all = lanes_of_2(bit, width);
    const uint16x8_t mask = vdupq_n_u16((uint16_t)pqx_mask32(width));
    uint16x8_t most = vdupq_n_u16(0);
    size_t steps = pqx_steps_within(left, 0, width, count / 8);
    for (size_t i = 0; i < steps; i++, at += width) {
        uint16x8_t values = take_2(at, &all, mask);
        most = vmaxq_u16(most, values);
        if (bytes == 2) {
            vst1q_u16((uint16_t *)out + 8 * i, values);
        } else {
            vst1q_u32((uint32_t *)out + 8 * i, vmovl_u16(vget_low_u16(values)));
            vst1q_u32((uint32_t *)out + 8 * i + 4, vmovl_high_u16(values));
        }
    }
    *highest = vmaxvq_u16(most);
    return steps * 8;
}

/* Unpack values of up to 25 bits in the same way. */
PQX_INLINE size_t unpack_wide(const uint8_t *at, size_t left, unsigned bit, uint32_t width,
                              size_t count, void *out, int bytes, uint32_t *highest)
{
    const lanes low = lanes_of_4(bit, width), high = lanes_of_4(bit + 4 * width, width);
    const uint32x4_t mask = vdupq_n_u32(pqx_mask32(width));
    uint32x4_t most = vdupq_n_u32(0);
    size_t steps = pqx_steps_within(left, high.from, width, count / 8);
    for (size_t i = 0; i < steps; i++, at += width) {
        uint32x4_t first = take_4(at, &low, mask), second = take_4(at, &high, mask);
        most = vmaxq_u32(most, vmaxq_u32(first, second));
        if (bytes == 2) {
            uint16x8_t both =
                vuzp1q_u16(vreinterpretq_u16_u32(first), vreinterpretq_u16_u32(second));
            vst1q_u16((uint16_t *)out + 8 * i, both);
        } else {
            vst1q_u32((uint32_t *)out + 8 * i, first);
            vst1q_u32((uint32_t *)out + 8 * i + 4, second);
        }
    }
    *highest = vmaxvq_u32(most);
    return steps * 8;
}

static uint32_t unpack32(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                         size_t count, uint32_t *out)
{
    uint32_t highest = 0, rest;
    if (width <= WIDEST_IN_4 && count >= FEW) {
        const uint8_t *at = data + (bit >> 3);
        size_t left = size - (size_t)(bit >> 3);
        size_t taken = width <= WIDEST_IN_2
                           ? unpack_narrow(at, left, bit & 7, width, count, out, 4, &highest)
                           : unpack_wide(at, left, bit & 7, width, count, out, 4, &highest);
        bit += (uint64_t)taken * width;
        count -= taken, out += taken;
    }
    rest = pqx_portable_loops.unpack32(data, size, bit, width, count, out);
    return rest > highest ? rest : highest;
}

static uint32_t unpack16(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                         size_t count, uint16_t *out)
{
    uint32_t highest = 0, rest;
    if (count >= FEW) {
        const uint8_t *at = data + (bit >> 3);
        size_t left = size - (size_t)(bit >> 3);
        size_t taken = width <= WIDEST_IN_2
                           ? unpack_narrow(at, left, bit & 7, width, count, out, 2, &highest)
                           : unpack_wide(at, left, bit & 7, width, count, out, 2, &highest);
        bit += (uint64_t)taken * width;
        count -= taken, out += taken;
    }
    rest = pqx_portable_loops.unpack16(data, size, bit, width, count, out);
    return rest > highest ? rest : highest;
}

static void unpack64(const uint8_t *data, size_t size, uint64_t bit, uint32_t width, size_t count,
                     uint64_t *out)
{
    if (width <= WIDEST_IN_8 && count >= FEW) {
        const uint8_t *at = data + (bit >> 3);
        const uint64x2_t mask = vdupq_n_u64(UINT64_MAX >> (64 - width));
        lanes pairs[4];
        for (unsigned k = 0; k < 4; k++)
            pairs[k] = lanes_of_8((unsigned)(bit & 7) + 2 * k * width, width);
        size_t left = size - (size_t)(bit >> 3);
        size_t steps = pqx_steps_within(left, pairs[3].from, width, count / 8);
        for (size_t i = 0; i < steps; i++, at += width, out += 8)
            for (int k = 0; k < 4; k++) vst1q_u64(out + 2 * k, take_8(at, &pairs[k], mask));
        bit += (uint64_t)steps * 8 * width;
        count -= steps * 8;
    }
    pqx_portable_loops.unpack64(data, size, bit, width, count, out);
}

/* Compilers vectorize the portable scaling loops for NEON. */
static const pqx_loops neon_loops = {"neon",
                                     unpack16,
                                     unpack32,
                                     unpack64,
                                     pqx_join_neon,
                                     pqx_sum32_neon,
                                     pqx_sum64_portable,
                                     pqx_expand_portable,
                                     pqx_scale32_portable,
                                     pqx_scale64_portable};

const pqx_loops *const *pqx_cpu_loops(void)
{
    static const pqx_loops *const choices[] = {&neon_loops, &pqx_portable_loops, NULL};
    return choices;
}

#else
typedef int pqx_bits_arm_is_empty_here;
#endif
