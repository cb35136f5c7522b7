/* Decompress Zstandard frames (RFC 8878) with libzstd, if the caller provides it. */
#ifndef PQX_ZSTD_H
#define PQX_ZSTD_H

#include "page/lz.h"

/* Same layout as ZSTD_inBuffer and ZSTD_outBuffer. */
typedef struct pqx_zstd_input {
    const void *data;
    size_t size, at;
} pqx_zstd_input;
typedef struct pqx_zstd_output {
    void *data;
    size_t size, at;
} pqx_zstd_output;

/* ZSTD_createDCtx, ZSTD_freeDCtx, ZSTD_decompressDCtx, ZSTD_isError, ZSTD_initDStream and
 * ZSTD_decompressStream, unchanged since version 1.3. They are optional, and this code does not
 * open a library. */
typedef struct pqx_zstd_library {
    void *(*create)(void);
    size_t (*release)(void *context);
    size_t (*decompress)(void *context, void *out, size_t out_size, const void *data, size_t size);
    unsigned (*is_error)(size_t result);
    size_t (*begin)(void *context);
    size_t (*go_on)(void *context, pqx_zstd_output *output, pqx_zstd_input *input);
} pqx_zstd_library;

/* Use these functions from now on, until the process ends. Call it before pages are read, or while
 * no other thread reads pages. */
void pqx_zstd_use(const pqx_zstd_library *library);
int pqx_zstd_is_there(void);

/* Decompress frames into `out`, which has room for `out_size` bytes. Return 1 if the result has
 * exactly `out_size` bytes; otherwise `out` is undefined. `*context` is NULL at first, serves one
 * call at a time, and is freed with pqx_zstd_free. */
int pqx_zstd(void **context, const uint8_t *data, size_t size, uint8_t *out, size_t out_size);

/* Decompress whole frames, with the functions of pqx_zstd or, without them, with another function.
 */
typedef int (*pqx_zstd_frames)(const uint8_t *data, size_t size, uint8_t *out, size_t out_size);
void pqx_zstd_use_frames(pqx_zstd_frames run);
int pqx_zstd_frame(void **context, const uint8_t *data, size_t size, uint8_t *out, size_t out_size);

/* Begin to decompress in parts one frame whose header gives its size, that of the whole output; the
 * size bounds the memory of libzstd. Return 1 if the frame is one. */
int pqx_zstd_begin(void **context, const pqx_lz *b);
/* Continue to `stop` in the output. Return 0 if b->in ends first, -1 if it is damaged or contains
 * another frame. */
int pqx_zstd_until(void *context, pqx_lz *b, const uint8_t *stop);
void pqx_zstd_free(void *context);

#endif
