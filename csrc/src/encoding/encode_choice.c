/* Select the encoding routines for this CPU. */
#include "base/atomics.h"
#include "encoding/encode_alp_rounds.h"
#include "encoding/encode_delta_blocks.h"

uint32_t pqx_deltas32_portable(const uint8_t *values, size_t count, uint32_t before,
                               uint32_t *deltas, uint8_t widths[4])
{ return pqx_block_deltas32(values, count, before, deltas, widths); }

uint64_t pqx_deltas64_portable(const uint8_t *values, size_t count, uint64_t before,
                               uint64_t *deltas, uint8_t widths[4])
{ return pqx_block_deltas64(values, count, before, deltas, widths); }

PQX_DEFINE_ALP_ROUND(pqx_alp_round32_portable, 16, 32, float, 0x1p23)
PQX_DEFINE_ALP_ROUND(pqx_alp_round64_portable, 16, 64, double, 0x1p52)

const pqx_encode_choice pqx_encode_portable = {
    "portable",          pqx_deltas32_portable,    pqx_deltas64_portable,   pqx_split4_portable,
    pqx_split8_portable, pqx_alp_round32_portable, pqx_alp_round64_portable};

#if !defined(__x86_64__) && !defined(__aarch64__)
const pqx_encode_choice *const *pqx_encode_choices(void)
{
    static const pqx_encode_choice *const choices[] = {&pqx_encode_portable, NULL};
    return choices;
}
#endif

const pqx_encode_choice *pqx_encode_best(void)
{
    static PQX_ATOMIC(const pqx_encode_choice *) cached;
    const pqx_encode_choice *found = atomic_load_explicit(&cached, memory_order_relaxed);
    if (PQX_UNLIKELY(!found)) {
        found = *pqx_encode_choices();
        atomic_store_explicit(&cached, found, memory_order_relaxed);
    }
    return found;
}
