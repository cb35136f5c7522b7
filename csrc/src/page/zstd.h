/* Frames of Zstandard (RFC 8878), decompressed by libzstd where the caller has it. */
#ifndef PQX_ZSTD_H
#define PQX_ZSTD_H

#include "page/lz.h"

/* What libzstd has as ZSTD_inBuffer and ZSTD_outBuffer. */
typedef struct pqx_zstd_input {
    const void *data;
    size_t size, at;
} pqx_zstd_input;
typedef struct pqx_zstd_output {
    void *data;
    size_t size, at;
} pqx_zstd_output;

/* ZSTD_createDCtx, ZSTD_freeDCtx, ZSTD_decompressDCtx, ZSTD_isError, ZSTD_initDStream and
 * ZSTD_decompressStream, which have been the same since version 1.3. Nobody has to have them, and
 * nothing here opens a library. */
typedef struct pqx_zstd_library {
    void *(*create)(void);
    size_t (*release)(void *context);
    size_t (*decompress)(void *context, void *out, size_t out_size, const void *data, size_t size);
    unsigned (*is_error)(size_t result);
    size_t (*begin)(void *context);
    size_t (*go_on)(void *context, pqx_zstd_output *output, pqx_zstd_input *input);
} pqx_zstd_library;

/* Decompress by these functions from now on, for as long as the process lives; before pages are
 * read, or by one thread that holds up the others. */
void pqx_zstd_use(const pqx_zstd_library *library);
int pqx_zstd_is_there(void);

/* Decompress frames into `out`, which has room for `out_size` bytes. Whether they stand for exactly
 * `out_size` bytes; if not, `out` holds anything. `*context` is NULL at first, serves one call at a
 * time, and is given back with pqx_zstd_free. */
int pqx_zstd(void **context, const uint8_t *data, size_t size, uint8_t *out, size_t out_size);

/* The same by parts. Begin with one frame that stands for all of the output and says its size,
 * which bounds what libzstd reserves; whether it is one. */
int pqx_zstd_begin(void **context, const pqx_lz *b);
/* Go on, to `stop` in the output. 0: b->in ends first; -1: it is damaged, or has another frame. */
int pqx_zstd_until(void *context, pqx_lz *b, const uint8_t *stop);
void pqx_zstd_free(void *context);

#endif
