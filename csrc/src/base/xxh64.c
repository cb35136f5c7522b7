/* XXH64, according to its specification. */
#include "base/internal.h"

static const uint64_t P1 = 0x9e3779b185ebca87u, P2 = 0xc2b2ae3d27d4eb4fu, P3 = 0x165667b19e3779f9u,
                      P4 = 0x85ebca77c2b2ae63u, P5 = 0x27d4eb2f165667c5u;

static inline uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }
static inline uint64_t round64(uint64_t lane, uint64_t word)
{ return rotate(lane + word * P2, 31) * P1; }
static inline uint64_t merge(uint64_t hash, uint64_t lane)
{ return (hash ^ round64(0, lane)) * P1 + P4; }

uint64_t pqx_xxh64(const uint8_t *data, size_t size, uint64_t seed)
{
    uint64_t hash = seed + P5, length = size;
    if (size >= 32) {
        uint64_t a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
        for (; size >= 32; data += 32, size -= 32) {
            a = round64(a, pqx_load64(data));
            b = round64(b, pqx_load64(data + 8));
            c = round64(c, pqx_load64(data + 16));
            d = round64(d, pqx_load64(data + 24));
        }
        hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
        hash = merge(merge(merge(merge(hash, a), b), c), d);
    }
    hash += length;
    for (; size >= 8; data += 8, size -= 8)
        hash = rotate(hash ^ round64(0, pqx_load64(data)), 27) * P1 + P4;
    if (size >= 4) {
        hash = rotate(hash ^ pqx_load32(data) * P1, 23) * P2 + P3;
        data += 4, size -= 4;
    }
    for (; size; data++, size--) hash = rotate(hash ^ *data * P5, 11) * P1;
    hash = (hash ^ hash >> 33) * P2;
    hash = (hash ^ hash >> 29) * P3;
    return hash ^ hash >> 32;
}
