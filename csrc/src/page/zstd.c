#include "page/zstd.h"

#include <stdatomic.h>

static pqx_zstd_library library;
static atomic_int is_there;

void pqx_zstd_use(const pqx_zstd_library *given)
{
    if (pqx_zstd_is_there()) return;
    library = *given;
    atomic_store_explicit(&is_there, 1, memory_order_release);
}

int pqx_zstd_is_there(void) { return atomic_load_explicit(&is_there, memory_order_acquire); }

int pqx_zstd(void **context, const uint8_t *data, size_t size, uint8_t *out, size_t out_size)
{
    if (!pqx_zstd_is_there() || (!*context && !(*context = library.create()))) return 0;
    size_t made = library.decompress(*context, out, out_size, data, size);
    return !library.is_error(made) && made == out_size;
}

void pqx_zstd_free(void *context)
{
    if (context) library.release(context);
}
