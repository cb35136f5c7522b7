#include "base/atomics.h"
#include "encoding/bits.h"
#include "encoding/loops.h"
#include "encoding/split.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
const pqx_loops *const *pqx_cpu_loops(void)
{
    static const pqx_loops *const choices[] = {&pqx_portable_loops, NULL};
    return choices;
}
#endif

const pqx_loops *pqx_best_loops(void)
{
    static PQX_ATOMIC(const pqx_loops *) cached;
    const pqx_loops *found = atomic_load_explicit(&cached, memory_order_relaxed);
    if (PQX_UNLIKELY(!found)) {
        found = *pqx_cpu_loops();
        atomic_store_explicit(&cached, found, memory_order_relaxed);
    }
    return found;
}

uint32_t pqx_unpack16(const uint8_t *data, size_t size, uint64_t bit, uint32_t width, size_t count,
                      uint16_t *out)
{
    if (width) return pqx_best_loops()->unpack16(data, size, bit, width, count, out);
    if (count) memset(out, 0, 2 * count);
    return 0;
}

uint32_t pqx_unpack32(const uint8_t *data, size_t size, uint64_t bit, uint32_t width, size_t count,
                      uint32_t *out)
{
    if (width) return pqx_best_loops()->unpack32(data, size, bit, width, count, out);
    if (count) memset(out, 0, 4 * count);
    return 0;
}

void pqx_unpack64(const uint8_t *data, size_t size, uint64_t bit, uint32_t width, size_t count,
                  uint64_t *out)
{
    if (width) pqx_best_loops()->unpack64(data, size, bit, width, count, out);
    else if (count) memset(out, 0, 8 * count);
}

void pqx_split_join(const uint8_t *streams, size_t stride, size_t width, size_t count, uint8_t *out)
{ pqx_best_loops()->join(streams, stride, width, count, out); }
