/* Bit-packed values, least significant bit first. */
#ifndef PQX_BITS_H
#define PQX_BITS_H

#include "base/internal.h"

/* Unpack `count` values of `width` bits, the first one at bit `bit` of data[0..size). All of them
 * must exist: bit + count * width <= 8 * size; nothing outside is read. Width 0 gives zeros. The
 * functions accept widths up to 16, 32 and 64; those for 16 and 32 return the highest value. */
uint32_t pqx_unpack16(const uint8_t *data, size_t size, uint64_t bit, uint32_t width, size_t count,
                      uint16_t *out);
uint32_t pqx_unpack32(const uint8_t *data, size_t size, uint64_t bit, uint32_t width, size_t count,
                      uint32_t *out);
void pqx_unpack64(const uint8_t *data, size_t size, uint64_t bit, uint32_t width, size_t count,
                  uint64_t *out);

/* Unpack most significant bit first; widths up to 16. */
uint32_t pqx_unpack16_msb(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                          size_t count, uint16_t *out);

static inline uint32_t pqx_mask32(uint32_t width)
{ return width >= 32 ? UINT32_MAX : (1u << width) - 1; }

#endif
