/* Frames of Zstandard (RFC 8878), decompressed by libzstd where the caller has it. */
#ifndef PQX_ZSTD_H
#define PQX_ZSTD_H

#include <stddef.h>
#include <stdint.h>

/* ZSTD_createDCtx, ZSTD_freeDCtx, ZSTD_decompressDCtx and ZSTD_isError, which have been the same
 * since version 1.0. Nobody has to have them, and nothing here opens a library. */
typedef struct pqx_zstd_library {
    void *(*create)(void);
    size_t (*release)(void *context);
    size_t (*decompress)(void *context, void *out, size_t out_size, const void *data, size_t size);
    unsigned (*is_error)(size_t result);
} pqx_zstd_library;

/* Decompress by these functions from now on, for as long as the process lives; before pages are
 * read, or by one thread that holds up the others. */
void pqx_zstd_use(const pqx_zstd_library *library);
int pqx_zstd_is_there(void);

/* Decompress frames into `out`, which has room for `out_size` bytes. Whether they stand for exactly
 * `out_size` bytes; if not, `out` holds anything. `*context` is NULL at first, serves one call at a
 * time, and is given back with pqx_zstd_free. */
int pqx_zstd(void **context, const uint8_t *data, size_t size, uint8_t *out, size_t out_size);
void pqx_zstd_free(void *context);

#endif
